"""What the capstone says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    # The stages
    "migrated": {"en": "migrated", "zh": "完成迁移"},
    "sinks": {"en": "sinks", "zh": "循环下沉"},
    "proved": {"en": "proved", "zh": "得到证实"},
    "faster": {"en": "fewer round trips", "zh": "交互次数减少"},
    "accurate": {"en": "accuracy kept", "zh": "保持精度"},
    "frozen": {"en": "frozen", "zh": "完成固化"},
    "not yet": {
        "en": "its turn comes after the stage before it",
        "zh": "等前一阶段通过",
    },
    "caption": {
        "en": "Counted in runs of {name}, each in a process of its own.",
        "zh": "由 {name} 的各次运行计数，每次运行在独立的进程中。",
    },
    # What was seen
    "tool would change": {
        "en": "the migration tool would still change {count} places: {rules}. Run"
        " project.migrate(), or move them by hand.",
        "zh": "迁移工具仍会修改 {count} 处：{rules}。"
        "请运行 project.migrate() 或手工修改。",
    },
    "no adapter": {
        "en": "nothing of the adapter is imported: from npu_bridge.npu_init import *",
        "zh": "没有导入适配器：from npu_bridge.npu_init import *",
    },
    "unreadable": {
        "en": "train.py is no Python source: {problem}",
        "zh": "train.py 不是 Python 源代码：{problem}",
    },
    "is migrated": {
        "en": "the tool finds nothing to change; the checker still says: {codes}",
        "zh": "工具没有要修改的地方；检查器仍提示：{codes}",
    },
    "is clean": {
        "en": "neither tool nor checker find anything",
        "zh": "工具和检查器都没有发现问题",
    },
    "failed": {
        "en": "the script ended with {type}: {message}",
        "zh": "脚本以 {type} 结束：{message}",
    },
    "no training": {
        "en": "the script ran no training operation",
        "zh": "脚本没有执行训练算子",
    },
    "does not sink": {
        "en": "{fetches}: not in effect. {code} {message} {mend}",
        "zh": "{fetches}：未生效。{code} {message} {mend}",
    },
    "one step": {
        "en": "{fetches}: each call runs one step, and nothing asks for more. Set"
        " iterations_per_loop and call util.set_iteration_per_loop.",
        "zh": "{fetches}：每次调用一步，没有设置更多。请设置 iterations_per_loop，"
        "并调用 util.set_iteration_per_loop。",
    },
    "repeated": {
        "en": "{fetches}: in effect, but one batch serves all {n} iterations ({code})."
        " {mend}",
        "zh": "{fetches}：已生效，但 {n} 次迭代使用同一个 batch（{code}）。{mend}",
    },
    "does sink": {
        "en": "{fetches}: in effect, N = {n}, data fresh",
        "zh": "{fetches}：已生效，N = {n}，数据每次迭代更新",
    },
    "too many": {
        "en": "{done} steps were trained, not {steps}: {calls} calls of {n}. Divide the"
        " number of calls.",
        "zh": "训练了 {done} 步，而不是 {steps} 步：{calls} 次调用，每次 {n} 步。"
        "请相应减少调用次数。",
    },
    "too few": {
        "en": "{done} steps were trained, not {steps}: {calls} calls of {n}.",
        "zh": "训练了 {done} 步，而不是 {steps} 步：{calls} 次调用，每次 {n} 步。",
    },
    "unbalanced": {
        "en": "{batches} batches were pulled for {done} iterations: the ledger does not"
        " reconcile.",
        "zh": "{done} 次迭代取用了 {batches} 个 batch：账本不平。",
    },
    "no markers": {
        "en": "the host log shows no loop: is ASCEND_GLOBAL_LOG_LEVEL changed?",
        "zh": "Host 日志中没有循环：是否改了 ASCEND_GLOBAL_LOG_LEVEL？",
    },
    "is proved": {
        "en": "{markers} markers in the log; {calls} calls x {n} = {done} iterations ="
        " {batches} batches",
        "zh": "日志中有 {markers} 条标志行；{calls} 次调用 x {n} = {done} 次迭代 ="
        " {batches} 个 batch",
    },
    "too slow": {
        "en": "{after} host calls, before {before}: a"
        " quarter of them should be possible",
        "zh": "Host 调用 {after} 次，之前 {before} 次：应能减少到四分之一",
    },
    "is faster": {
        "en": "{after} host calls, before {before}: with 1 ms of injected link delay"
        " each, {saved:.2f} s less to wait",
        "zh": "Host 调用 {after} 次，之前 {before} 次：每次注入 1 ms 链路时延，"
        "少等 {saved:.2f} 秒",
    },
    "no checkpoint": {
        "en": "the script saved no checkpoint",
        "zh": "脚本没有保存 checkpoint",
    },
    "no network": {
        "en": "train.py has no function network(images) that makes the scores from"
        " float32 images [n, 784]; inference is built with it",
        "zh": "train.py 中没有函数 network(images)："
        "它由 float32 图片 [n, 784] 得到得分，推理图用它构建",
    },
    "other model": {
        "en": "the checkpoint does not fit the function network: {problem}",
        "zh": "checkpoint 与函数 network 不符：{problem}",
    },
    "less accurate": {
        "en": "{after:.3f} of the test digits are right, before {before:.3f}; the"
        " largest difference of a weight is {apart:.3g}",
        "zh": "测试图片的正确率为 {after:.3f}，"
        "之前为 {before:.3f}；权重最大相差 {apart:.3g}",
    },
    "not frozen": {
        "en": "freezing was refused: {problem}",
        "zh": "固化被拒绝：{problem}",
    },
    "is frozen": {
        "en": "model.pb, verified within {difference:.1g}; {right:.3f} of the test"
        " digits right",
        "zh": "model.pb，已验证，"
        "相差不超过 {difference:.1g}；测试图片正确率 {right:.3f}",
    },
    # The project
    "unknown": {
        "en": "{name} is neither a script there is ({names}) nor a file.",
        "zh": "{name} 既不是已有的脚本（{names}），也不是文件。",
    },
    "another": {
        "en": "{folder} holds a capstone of another script ({there}). Take another"
        " folder, or delete it.",
        "zh": ""
        "{folder} 中是另一个脚本（{there}）的综合练习。请换一个目录，或者删除它。",
    },
    "bad steps": {
        "en": "steps is {given}, and must be a whole number above 0: the training steps"
        " of the script.",
        "zh": "steps 为 {given}，应为大于 0 的整数：脚本的训练步数。",
    },
    "begun": {
        "en": "{path}: {title}. {steps} steps. Edit it there, or with project.edit.",
        "zh": "{path}：{title}。{steps} 步。请在那里编辑，或使用 project.edit。",
    },
    "not there": {
        "en": "train.py has no such piece (any more):\n{piece}",
        "zh": "train.py 中没有（或已不再有）这一段：\n{piece}",
    },
    "more than one": {
        "en": "train.py has this piece {count} times; give more of it:\n{piece}",
        "zh": "train.py 中这一段出现 {count} 次；请给出更长的一段：\n{piece}",
    },
    "no edits": {
        "en": "Nothing was edited: there is a ____ left.",
        "zh": "没有修改：还有一个 ____。",
    },
    "edited": {"en": "{count} places edited", "zh": "修改了 {count} 处"},
    "own": {"en": "a script of your own", "zh": "您自己的脚本"},
    # The receipt
    "no receipt": {
        "en": "No receipt yet: the stage '{stage}' has not been passed. {why}",
        "zh": "还没有结业单：阶段“{stage}”尚未通过。{why}",
    },
    "receipt": {"en": "Capstone: receipt", "zh": "综合练习：结业单"},
    "made": {"en": "written: {path}", "zh": "已写入：{path}"},
    "script": {"en": "script", "zh": "脚本"},
    "hash": {"en": "SHA-256 of train.py", "zh": "train.py 的 SHA-256"},
    "seeds": {"en": "seeds in the script", "zh": "脚本中的随机种子"},
    "versions": {"en": "versions", "zh": "版本"},
    "time": {"en": "made", "zh": "生成时间"},
    "stages": {"en": "Stages", "zh": "各阶段"},
    "ledger": {"en": "Ledger", "zh": "账本"},
    "before": {"en": "before", "zh": "之前"},
    "after": {"en": "after", "zh": "之后"},
    "figure": {"en": "figure", "zh": "项目"},
    "session_runs": {"en": "host calls", "zh": "Host 调用"},
    "training_calls": {"en": "training calls", "zh": "训练调用"},
    "device_iterations": {"en": "iterations in loops", "zh": "循环内的迭代"},
    "batches_pulled": {"en": "batches pulled", "zh": "取用的 batch"},
    "seconds": {
        "en": "whole process, seconds (measured)",
        "zh": "整个进程，秒（实测）",
    },
    "injected": {"en": "link delay, seconds (injected)", "zh": "链路时延，秒（注入）"},
    "counted": {
        "en": "Counted by the ledger, unless said otherwise.",
        "zh": "除另有说明外，由账本计数。",
    },
    "trips": {
        "en": "Host calls before and after (counted)",
        "zh": "之前与之后的 Host 调用次数（计数）",
    },
    "timeline": {
        "en": "The first training calls after: host calls above, iterations below"
        " (measured)",
        "zh": "之后的前几次训练调用：上为 Host 调用，下为迭代（实测）",
    },
    "lines": {"en": "The markers in the host log", "zh": "Host 日志中的标志行"},
    "true": {
        "en": "Emulated on a CPU; nothing here was run on an NPU.",
        "zh": "在 CPU 上模拟；这里没有任何内容在 NPU 上运行过。",
    },
}

text = language.teller(TEXTS)
