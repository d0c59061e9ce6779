"""What `npu-lab tune` says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "about": {
        "en": "Find a good iterations_per_loop for a script: it is run, unchanged, at"
        " several N, each in a process of its own that is stopped after the same number"
        " of device steps.",
        "zh": "为脚本寻找合适的 iterations_per_loop：脚本保持不变，"
        "用多个 N 分别在独立进程中运行，每次运行相同的 Device 步数后停止。",
    },
    "next": {
        "en": "Checkpoints of the trials go to a scratch folder; what else the script"
        " writes is written. Exit status: 0 there is a recommendation, 1 there is none,"
        " 2 wrong usage.",
        "zh": "试运行的 checkpoint 写入临时目录；脚本的其他输出照常写入。"
        "退出码：0 有推荐值，1 没有推荐值，2 用法错误。",
    },
    "SCRIPT": {
        "en": "the training script, with the loop set up at any N above 1",
        "zh": "训练脚本，其中已用大于 1 的任意 N 设置了循环",
    },
    "--steps": {
        "en": "training steps of the whole training: only N that divide it are tried",
        "zh": "整个训练的步数：只尝试能整除它的 N",
    },
    "--save-interval": {
        "en": "steps between checkpoints: only N that divide it are tried (default:"
        " save_steps of the script's hooks)",
        "zh": "保存 checkpoint 的间隔步数：只尝试能整除它的 N"
        "（默认取脚本中 hook 的 save_steps）",
    },
    "--numbers": {
        "en": "the N to try, such as 1,10,100",
        "zh": "要尝试的 N，例如 1,10,100",
    },
    "--seconds": {
        "en": "about how long to measure in each trial (2)",
        "zh": "每次试运行大约测量多少秒（2）",
    },
    "--repeats": {
        "en": "turns; the shortest time of each N counts (3)",
        "zh": "轮数；每个 N 取最短耗时（3）",
    },
    "--link-delay": {
        "en": "inject a wait at each host call, in seconds",
        "zh": "在每次 Host 调用处注入等待时间，单位为秒",
    },
    "--report": {
        "en": "write the result to FILE as JSON",
        "zh": "将结果以 JSON 写入 FILE",
    },
    "no script": {
        "en": "no such script: {path}",
        "zh": "没有这个脚本：{path}",
    },
    "no folder": {
        "en": "{path} cannot be written: its folder is not there or closed",
        "zh": "无法写入 {path}：其目录不存在或不可写",
    },
    "bad number": {
        "en": "{value} is no whole number of 1 or more",
        "zh": "{value} 不是大于等于 1 的整数",
    },
    "bad seconds": {
        "en": "{value} is no number of seconds above 0",
        "zh": "{value} 不是大于 0 的秒数",
    },
    "not safe": {
        "en": "N = {n} is not tried: {of} is no multiple of it.",
        "zh": "不尝试 N = {n}：{of} 不是它的整数倍。",
    },
    "looking": {
        "en": "running {script} as it is, to see what it asks for ...",
        "zh": "先按原样运行 {script}，查看它的设置……",
    },
    "trying": {
        "en": "round {number} of {rounds}: N = {n}, {calls} calls of {n} steps ...",
        "zh": "第 {number}/{rounds} 轮：N = {n}，{calls} 次调用，每次 {n} 步……",
    },
    "failed": {
        "en": "the script failed at N = {n}: {error}\n{tail}",
        "zh": "N = {n} 时脚本失败：{error}\n{tail}",
    },
    "too short": {
        "en": "the script made {calls} training calls at N = {n}, too few to time."
        " Let it train longer, or try smaller N with --numbers.",
        "zh": "N = {n} 时脚本只进行了 {calls} 次训练调用，不足以计时。"
        "请延长训练，或用 --numbers 尝试更小的 N。",
    },
    "no training": {
        "en": "the script made no training call",
        "zh": "脚本没有进行训练调用",
    },
    "no loop": {
        "en": "the script sets up no loop, so there is no N to choose. Set"
        " iterations_per_loop to 10 in the session options and run what"
        " util.set_iteration_per_loop(sess, train_op, 10) returns, or give"
        " NPURunConfig(iterations_per_loop=10); then tune again.",
        "zh": "脚本没有设置循环，因此没有可选择的 N。请在会话选项中把"
        " iterations_per_loop 设为 10，并运行"
        " util.set_iteration_per_loop(sess, train_op, 10) 的返回值，或设置"
        " NPURunConfig(iterations_per_loop=10)，然后重新运行 tune。",
    },
    "not in effect": {
        "en": "the loop is not in effect at N = {n}: {why}",
        "zh": "N = {n} 时循环未生效：{why}",
    },
    "header": {
        "en": "N|calls|measured (us/step)|predicted|over the best",
        "zh": "N|调用次数|实测（us/步）|预测|相对最快",
    },
    "provenance": {
        "en": "measured: this computer, the shortest of {repeats}, {steps} steps each;"
        " predicted: modelled, a timing model fitted to the other N.",
        "zh": "实测：本机，{repeats} 次中的最短值，每次 {steps} 步；"
        "预测：由其他 N 拟合的耗时模型得出。",
    },
    "noise": {
        "en": "The times of one N differ by up to {percent:.0f} %: something else kept"
        " this computer busy. Tune again when it is quiet, or with more --repeats.",
        "zh": "同一个 N 的多次耗时相差最多 {percent:.0f} %：本机当时有其他负载。"
        "请在空闲时重试，或增大 --repeats。",
    },
    "injected": {
        "en": "injected: {delay:g} s at each host call.",
        "zh": "注入：每次 Host 调用等待 {delay:g} 秒。",
    },
    "recommended": {
        "en": "Recommended: iterations_per_loop = {n}",
        "zh": "推荐：iterations_per_loop = {n}",
    },
    "reason best": {
        "en": "It is the fastest of those tried.",
        "zh": "它是尝试过的 N 中最快的。",
    },
    "reason close": {
        "en": "N = {best} is the fastest, but only {percent:.1f} % faster: a smaller N"
        " is cheaper.",
        "zh": "N = {best} 最快，但只快 {percent:.1f} %：较小的 N 代价更低。",
    },
    "reason modelled": {
        "en": "N = {best} was {percent:.1f} % faster in these trials, but by the timing"
        " model fitted to all of them N = {n} is: the difference may be chance.",
        "zh": "试跑中 N = {best} 快 {percent:.1f} %，但按对全部结果拟合的计时模型，"
        "N = {n} 更快：这一差距可能只是偶然。",
    },
    "reason heavy": {
        "en": "A larger N gains nothing: the launch is a small share of a step of"
        " {milliseconds:.3g} ms.",
        "zh": "更大的 N 没有收益：一步耗时 {milliseconds:.3g} ms，启动开销占比很小。",
    },
    "reason repeated": {
        "en": "The data are repeated: at N > 1 one batch would serve all N steps of a"
        " call, which changes the training. Feed by a Dataset first.",
        "zh": "数据会重复：N > 1 时一次调用的 N 步都用同一个 batch，训练结果会改变。"
        "请先改用 Dataset 输入。",
    },
    "reason divides": {
        "en": "It divides {what}.",
        "zh": "它能整除{what}。",
    },
    "the steps": {
        "en": "the {steps} steps of the training",
        "zh": "训练总步数 {steps}",
    },
    "the interval": {
        "en": "the checkpoint interval, {interval}",
        "zh": "checkpoint 间隔 {interval}",
    },
    "and": {"en": " and ", "zh": "和"},
    "price": {"en": "The price:", "zh": "代价："},
    "price log": {
        "en": "The loss is seen once in {n} steps (before: {own}), and hooks that count"
        " runs log {n} times as rarely as at N = 1.",
        "zh": "每 {n} 步才能看到一次 loss（原来为 {own}）；"
        "按调用次数计数的 hook 打印日志的频率是 N = 1 时的 1/{n}。",
    },
    "price checkpoint": {
        "en": "Checkpoints are {checkpoint} steps apart (asked for: {interval}).",
        "zh": "checkpoint 间隔为 {checkpoint} 步（设置值为 {interval}）。",
    },
    "price tail": {
        "en": "The last call trains {left} steps too many.",
        "zh": "最后一次调用会多训练 {left} 步。",
    },
    "price no tail": {
        "en": "No step is left over at the end.",
        "zh": "训练结束时没有多余的步数。",
    },
    "price unknown": {
        "en": "The steps of the training are not known: choose them as a multiple of"
        " {n}, or give --steps.",
        "zh": "训练总步数未知：请让它是 {n} 的整数倍，或给出 --steps。",
    },
    "price stop": {
        "en": "A call takes {milliseconds:.3g} ms; hooks act between calls only.",
        "zh": "一次调用耗时 {milliseconds:.3g} ms；hook 只在两次调用之间起作用。",
    },
    "divide known": {
        "en": "In the script: set N = {n} in the session option and in the setter, and"
        " divide the number of calls: {calls} calls of sess.run train {steps} steps"
        " (an Estimator divides by itself).",
        "zh": "修改脚本：在会话选项和设置接口中都使用 N = {n}，并相应减少调用次数："
        "{calls} 次 sess.run 训练 {steps} 步（Estimator 会自动处理）。",
    },
    "divide": {
        "en": "In the script: set N = {n} in the session option and in the setter, and"
        " divide the number of calls of sess.run by {n} (as against N = 1; an Estimator"
        " divides by itself).",
        "zh": "修改脚本：在会话选项和设置接口中都使用 N = {n}，并把 sess.run 的调用次数"
        "除以 {n}（相对于 N = 1；Estimator 会自动处理）。",
    },
    "not written": {
        "en": "the report was not written: {problem}",
        "zh": "报告未能写入：{problem}",
    },
}

text = language.teller(TEXTS)
