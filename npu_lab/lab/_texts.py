"""The words of widgets, tables and exercise feedback: English, Chinese.

Text inside a figure is not here: it is English and short in both languages, as no
Chinese font can be presumed.
"""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, dict[language.Language, str]] = {
    # The line that %load_ext prints
    "ready": {
        "en": "npu_lab {npu_lab} is ready: TensorFlow {tensorflow} with the 1.15 view,"
        " ipywidgets {ipywidgets}, host log level {level}",
        "zh": "npu_lab {npu_lab} 已就绪：TensorFlow {tensorflow}（1.15 视图），"
        "ipywidgets {ipywidgets}，Host日志级别 {level}",
    },
    "ready tf2": {
        "en": "npu_lab {npu_lab} is ready: TensorFlow {tensorflow} with npu_device,"
        " ipywidgets {ipywidgets}, host log level {level}",
        "zh": "npu_lab {npu_lab} 已就绪：TensorFlow {tensorflow}（npu_device），"
        "ipywidgets {ipywidgets}，Host日志级别 {level}",
    },
    "tensorflow late": {
        "en": "npu_lab {npu_lab} is active, but TensorFlow {tensorflow} was imported"
        " before it: what it prints at start-up could not be held back, and Keras may"
        " be version 3. Restart the kernel and run %load_ext npu_lab first.",
        "zh": "npu_lab {npu_lab} 已启用，但 TensorFlow {tensorflow} 在其之前已被导入："
        "无法拦截其启动信息，Keras 可能是版本 3。请重启内核，并先运行"
        " %load_ext npu_lab。",
    },
    "level late": {
        "en": "npu_lab {npu_lab} is active with host log level {level}:"
        " ASCEND_GLOBAL_LOG_LEVEL={asked} was set too late, the level is read once, at"
        " the start. Restart the kernel and set it before %load_ext npu_lab.",
        "zh": "npu_lab {npu_lab} 已启用，Host日志级别为 {level}："
        "ASCEND_GLOBAL_LOG_LEVEL={asked} 设置得太晚，日志级别只在启动时读取一次。"
        "请重启内核，并在 %load_ext npu_lab 之前设置。",
    },
    "not ready": {
        "en": "npu_lab could not be activated. {reason}",
        "zh": "npu_lab 无法启用。{reason}",
    },
    # Tables
    "N": {"en": "N", "zh": "N"},
    "round trips": {"en": "round trips", "zh": "Host与Device交互次数"},
    "device iterations": {
        "en": "steps inside device loops",
        "zh": "Device 侧循环内的步数",
    },
    "batches": {"en": "batches pulled", "zh": "取用的batch数"},
    "median": {"en": "time per step, median", "zh": "单步耗时（中位数）"},
    "range": {"en": "fastest to slowest", "zh": "最快到最慢"},
    "delay": {"en": "injected per round trip", "zh": "每次交互注入的等待"},
    "none": {"en": "none", "zh": "无"},
    "counted": {
        "en": "Counted by the ledger: {steps} training steps at each N.",
        "zh": "由账本计数：每个 N 各 {steps} 个训练步。",
    },
    "timed": {
        "en": "Time measured on this computer: {repeats} repeats of {steps} steps.",
        "zh": "耗时在本机测得：{repeats} 次重复，每次 {steps} 步。",
    },
    # The slider
    "slider label": {
        "en": "iterations_per_loop (N)",
        "zh": "iterations_per_loop（N）",
    },
    "slider text": {
        "en": "[A slider over iterations_per_loop: {choices}. It needs a running"
        " kernel; the next cell shows the same as figure and table.]",
        "zh": "[iterations_per_loop 滑块：{choices}。需要内核正在运行；"
        "下一个单元以图和表给出同样的内容。]",
    },
    "measuring": {
        "en": "Measuring N = {n} ...",
        "zh": "正在测量 N = {n} ……",
    },
    "measured": {
        "en": "Measured N = {n}. Move the slider (mouse or arrow keys); while another"
        " cell runs, it waits.",
        "zh": "已测量 N = {n}。请移动滑块（鼠标或方向键）；其他单元运行时会等待。",
    },
    "interrupted": {
        "en": "Interrupted. Move the slider to measure again.",
        "zh": "已中断。移动滑块可重新测量。",
    },
    "failed": {
        "en": "This could not be done. {reason}",
        "zh": "无法完成。{reason}",
    },
    "explored": {
        "en": "Modelled for N = {n}: {call:.3g} ms per call, {step:.3g} ms per step."
        " Move the slider (mouse or arrow keys).",
        "zh": "N = {n} 的模型结果：每次调用 {call:.3g} ms，每步 {step:.3g} ms。"
        "请移动滑块（鼠标或方向键）。",
    },
    # The picture of the keyword lines
    "keyword lines title": {
        "en": "Keyword lines in the host log, one square each",
        "zh": "Host 日志中的关键字行，每行一个方块",
    },
    "keyword lines step": {"en": "= ge_global_step", "zh": "= ge_global_step"},
    "keyword lines variable": {
        "en": "v variables of the loop",
        "zh": "v 循环变量",
    },
    "keyword lines marker": {"en": "> markers", "zh": "> 标志行"},
    "keyword lines end": {
        "en": "{total} lines, {marker} markers",
        "zh": "{total} 行，标志行 {marker}",
    },
    "keyword lines guess": {"en": "your guess", "zh": "您的预测"},
    "keyword lines guessed": {
        "en": "Your guess of the markers: {guess}.",
        "zh": "您对标志行数的预测：{guess}。",
    },
    "keyword lines row": {
        "en": "N={n}: {total} keyword lines, of them {step} ge_global_step,"
        " {variable} variables of the loop, {marker} markers.",
        "zh": "N={n}：{total} 条关键字行，其中 ge_global_step {step}，"
        "循环变量 {variable}，标志行 {marker}。",
    },
    "keyword lines note": {
        "en": "Counted in the host log of the emulated device.",
        "zh": "由模拟 Device 的 Host 日志计数。",
    },
    # The picture of the two loops
    "two loops none": {
        "en": "There is no loop to draw at N = {n}: it takes 2 steps or more.",
        "zh": "N = {n} 时没有循环可画：至少需要 2 个 step。",
    },
    "two loops title": {
        "en": "One call, two loops on the device (N = {n}, loaded: {loaded})",
        "zh": "一次调用，Device 侧两个循环（N = {n}，加载值 {loaded}）",
    },
    "two loops queue": {"en": "Dataset, queue of batches", "zh": "Dataset，batch队列"},
    "two loops call": {
        "en": "sess.run(train_op): one call, {n} steps",
        "zh": "sess.run(train_op)：一次调用，{n} 个 step",
    },
    "two loops small": {"en": "small loop: data", "zh": "小循环：取数据"},
    "two loops big": {"en": "big loop: training", "zh": "大循环：训练"},
    "two loops forward": {"en": "forward", "zh": "前向"},
    "two loops backward": {"en": "backward", "zh": "反向"},
    "two loops update": {"en": "update", "zh": "参数更新"},
    "two loops again": {"en": "again?", "zh": "再取一个？"},
    "two loops batch": {"en": "batch", "zh": "batch"},
    "two loops yes": {"en": "yes", "zh": "是"},
    "two loops no": {"en": "no", "zh": "否"},
    "two loops note": {
        "en": "A drawing, no measurement. Numbers in front of names: keyword lines of"
        " the training graph, from 0; those up to 4 are variables.",
        "zh": "示意图，不是测量结果。名称前的数字：训练图的关键字行，从 0 开始；"
        "到 4 为止是变量。",
    },
    "two loops alt": {
        "en": "Two loops on the device. The host calls sess.run(train_op) once and"
        " fills a queue of batches. Small loop: GetNext takes a batch from the queue,"
        " then its own switch (line 10, with lines 11 and 12) lets it fetch again. Big"
        " loop: forward, backward and update, then the switch (line 5) asks whether"
        " loop_cond < {loaded}. Yes: loop_cond + 1 (line 8), and again from forward"
        " (line 9). No: loop_cond = 0 (line 6), and out of the loop (line 7), back to"
        " the host after {n} steps.",
        "zh": "Device 侧的两个循环。Host 只调用一次 sess.run(train_op)，并填充 batch"
        " 队列。小循环：GetNext 从队列取一个 batch，然后由它自己的 switch（第 10 行，"
        "以及第 11、12 行）决定再次取数。大循环：前向、反向、参数更新，然后 switch"
        "（第 5 行）判断 loop_cond < {loaded}。是：loop_cond + 1（第 8 行），"
        "再从前向开始（第 9 行）。否：loop_cond = 0（第 6 行），退出循环（第 7 行），"
        "{n} 个 step 之后返回 Host。",
    },
    # The time per step over N
    "curve guess": {"en": "Guess: assumed by you.", "zh": "预测：由您假定。"},
    "curve virtual": {
        "en": "Model: modelled (virtual time), not fitted to measurements.",
        "zh": "模型：由模型算出（虚拟时间），未经实测拟合。",
    },
    "curve fitted": {
        "en": "Model: modelled, fitted to these measurements (wall clock).",
        "zh": "模型：由模型算出，按这些实测值拟合（墙上时钟）。",
    },
    "curve fitted elsewhere": {
        "en": "Model: modelled, fitted to other measurements (wall clock).",
        "zh": "模型：由模型算出，按其他实测值拟合（墙上时钟）。",
    },
    "curve measured": {
        "en": "Measured on this computer's CPU (wall clock): {runs} repeats of {steps}"
        " steps at each N.",
        "zh": "在本机 CPU 上实测（墙上时钟）：每个 N 各 {runs} 次重复，"
        "每次 {steps} 步。",
    },
    "curve held out": {
        "en": "Held out: measured, but no part of the fit; error of the model against"
        " the median.",
        "zh": "留出：实测但不参与拟合；误差为模型相对中位数的偏差。",
    },
    "curve injected": {
        "en": "Injected into each round trip: {injected}.",
        "zh": "每次交互注入：{injected}。",
    },
    "curve clocks": {
        "en": "Two clocks: the model's time is virtual, the measured time is wall"
        " clock.",
        "zh": "两种时钟：模型为虚拟时间，实测为墙上时钟。",
    },
    "curve column your guess": {"en": "your guess, {unit}", "zh": "您的预测，{unit}"},
    "curve column per step": {
        "en": "modelled per step, {unit}",
        "zh": "模型单步耗时，{unit}",
    },
    "curve column per call": {
        "en": "modelled per call, {unit}",
        "zh": "模型单次调用耗时，{unit}",
    },
    "curve column measured step": {
        "en": "measured per step, {unit}",
        "zh": "实测单步耗时，{unit}",
    },
    "curve column spread": {
        "en": "fastest to slowest, {unit}",
        "zh": "最快到最慢，{unit}",
    },
    "curve column held out": {"en": "error, held out", "zh": "留出点误差"},
    "curve empty": {
        "en": "There is nothing to draw: give a model, measurements, or a guess such as"
        " {{1: 0.003, 10: 0.001}}.",
        "zh": "没有可绘制的内容：请给出模型、实测值或预测，"
        "例如 {{1: 0.003, 10: 0.001}}。",
    },
    "curve injections": {
        "en": "The measurements had different delays or bandwidths injected: draw one"
        " figure for each.",
        "zh": "这些实测值注入的时延或带宽不同：请分别绘图。",
    },
    "curve twice": {
        "en": "N = {numbers}: both measured and held out. What is held out must not be"
        " in measured.",
        "zh": "N = {numbers}：同时出现在实测值和留出值中。"
        "留出的值不能放在 measured 中。",
    },
    "between sentences": {"en": " ", "zh": ""},
    # The sweep over N
    "sweep progress": {
        "en": "Measuring N = {n}, run {run} of {runs} ...",
        "zh": "正在测量 N = {n}，第 {run}/{runs} 轮……",
    },
    "sweep done": {
        "en": "Measured N = {numbers}: {runs} runs of {steps} steps each, in turns.",
        "zh": "已测量 N = {numbers}：各 {runs} 轮，每轮 {steps} 步，各 N 轮流进行。",
    },
    "sweep interrupted": {
        "en": "Interrupted. Kept: N = {numbers}, some with fewer than {runs} runs of"
        " {steps} steps.",
        "zh": "已中断。保留 N = {numbers} 的结果，部分不足 {runs} 轮"
        "（每轮 {steps} 步）。",
    },
    "sweep button": {"en": "Measure", "zh": "开始测量"},
    "sweep ready": {
        "en": "Press the button (mouse, Enter or Space) to measure; interrupting the"
        " kernel (■) stops it and keeps what was measured.",
        "zh": "请按按钮（鼠标、回车或空格）开始测量；中断内核（■）即停止，"
        "已测得的结果会保留。",
    },
    "sweep text": {
        "en": "[A button that measures N after N. It needs a running kernel; the next"
        " cell shows the same as figure and table.]",
        "zh": "[逐个测量各 N 的按钮。需要内核正在运行；"
        "下一个单元以图和表给出同样的内容。]",
    },
    # Options and log
    "option": {"en": "option", "zh": "选项"},
    "effect": {"en": "what it does", "zh": "作用"},
    "lists": {
        "en": "By keyboard: Space opens a list, the arrow keys and Enter choose.",
        "zh": "键盘操作：空格打开列表，方向键和回车选择。",
    },
    "not set": {"en": "(not set)", "zh": "（未设置）"},
    "options text": {
        "en": "[Controls for the session options. They need a running kernel; without"
        " one, lab.judge_options tells the same. As they stand:]",
        "zh": "[会话选项的控件。需要内核正在运行；也可用 lab.judge_options 得到同样的"
        "结果。当前设置：]",
    },
    "note op_execute_timeout": {
        "en": "a sunk GetNext that waits longer (seconds) fails with E30008.",
        "zh": "下沉的 GetNext算子等待超过该秒数时以 E30008 失败。",
    },
    "note variable_placement": {
        "en": "with Host the input pipeline may read variables; the loop is the same.",
        "zh": "为 Host 时数据预处理可以读取变量；循环不变。",
    },
    "note precision_mode": {
        "en": "the types that operators compute in on a real NPU; the"
        " loop is the same.",
        "zh": "真实 NPU 上算子计算所用的数据类型；循环不变。",
    },
    "log show": {"en": "lines", "zh": "日志行"},
    "log module": {"en": "module", "zh": "模块"},
    "log text": {"en": "contains", "zh": "包含"},
    "log all": {"en": "all", "zh": "全部"},
    "log keyword": {"en": "keyword lines", "zh": "关键字行"},
    "log marker": {"en": "markers", "zh": "标志行"},
    "log text fallback": {
        "en": "[Filters over the host log: lines, module, text. They need a running"
        " kernel; the next cell shows the same as text.]",
        "zh": "[Host 日志的筛选：日志行、模块、文本。需要内核正在运行；"
        "下一个单元以文字给出同样的内容。]",
    },
    # Exercises
    "not attempted": {"en": "not attempted", "zh": "未作答"},
    "wrong": {"en": "not yet right", "zh": "还不对"},
    "right": {"en": "right", "zh": "正确"},
    "replace": {
        "en": "Replace every ____ in the cell and run it: running it is the check.",
        "zh": "请替换单元中的每个 ____ 并运行：运行即检查。",
    },
    "one left": {
        "en": "One ____ is left: replace it and run the cell again.",
        "zh": "还剩一个 ____：请替换后重新运行单元。",
    },
    "exercise": {
        "en": "Exercise: {name} - {state}",
        "zh": "练习：{name} - {state}",
    },
    "feedback": {
        "en": "{sign} {title}. {message}",
        "zh": "{sign} {title}。{message}",
    },
    "hint": {"en": "Hint {number}", "zh": "提示 {number}"},
    "solution": {"en": "Solution", "zh": "答案"},
    "raised": {
        "en": "Your code stopped with {error}: {message}",
        "zh": "代码因 {error} 停止：{message}",
    },
    # Quiz and predictions
    "choose": {
        "en": 'Choose with lab.answer("{name}", "LETTER"): {letters}.',
        "zh": '请用 lab.answer("{name}", "字母") 选择：{letters}。',
    },
    "choose here": {
        "en": "Choose here; by keyboard: Tab to a choice, then Space.",
        "zh": "请在此选择；用键盘时：按 Tab 移到选项，再按空格。",
    },
    "chosen": {"en": "{letter} is {state}. {why}", "zh": "{letter}：{state}。{why}"},
    "no choice": {
        "en": "{name} has no choice {chosen!r}; choose one of {letters}, in quotes.",
        "zh": "{name} 没有选项 {chosen!r}；请从 {letters} 中选择，并加引号。",
    },
    "no questions": {
        "en": "Name the questions, each in quotes; there are: {names}.",
        "zh": "请写出题目的名称，各加引号；现有：{names}。",
    },
    "no lesson": {
        "en": "Name one lesson, in quotes ({name!r} is not that of one); there are:"
        " {names}.",
        "zh": "请写出一课的名称并加引号（{name!r} 不能确定一课）；现有：{names}。",
    },
    "quiz text": {
        "en": "[Radio buttons for {names}. They need a running kernel; the next cell"
        " asks the same in plain text.]",
        "zh": "[{names} 的单选按钮。需要内核正在运行；下一个单元以文字提问。]",
    },
    # The test before and after the half-day path
    "test question": {"en": "question", "zh": "题目"},
    "test before": {"en": "before", "zh": "之前"},
    "test after": {"en": "after", "zh": "之后"},
    "test right": {"en": "right", "zh": "答对"},
    "test whole": {
        "en": "Kept with your progress, not graded. ✓ right, ✗ not yet right.",
        "zh": "与学习进度一起保存，不评分。✓ 正确，✗ 还不对。",
    },
    "test part": {
        "en": "Kept with your progress, not graded. What was right is shown once the"
        " test after the path is complete: {done}/{count}.",
        "zh": "与学习进度一起保存，不评分。路径之后的测试全部作答后才显示对错："
        "{done}/{count}。",
    },
    "test noted": {
        "en": "Noted: {letter}. What is right is told after the path.",
        "zh": "已记录：{letter}。学完路径后再给出对错。",
    },
    "test choose": {
        "en": "Choose: put one of {letters}, in quotes, in the place of this ____.",
        "zh": "请选择：将对应的 ____ 换成 {letters} 之一，并加引号。",
    },
    "test when": {
        "en": '{when!r} is neither "before" nor "after".',
        "zh": '{when!r} 既不是 "before" 也不是 "after"。',
    },
    "test letters": {
        "en": "There are {count} questions: give one letter, or ____, for each.",
        "zh": "共 {count} 题：请为每题给出一个字母或 ____。",
    },
    # Where to go on
    "go on": {
        "en": "Go on here: {lesson}, exercise “{title}” ({state})",
        "zh": "从这里继续：{lesson}，练习“{title}”（{state}）",
    },
    "all right": {
        "en": "Every exercise of the course is right.",
        "zh": "全部练习均已正确。",
    },
    "predicted": {
        "en": "Your prediction: {value}. It is not graded.",
        "zh": "您的预测：{value}。预测不评分。",
    },
    "no prediction": {
        "en": "No prediction yet: replace every ____ and run the cell again. Without"
        " one, the lesson goes on as well.",
        "zh": "尚无预测：请替换每个 ____ 后重新运行单元。不预测也可以继续。",
    },
    "bad name": {
        "en": "{name!r} is no name of a prediction: it is a lesson's number, a slash,"
        ' and a word, as in "01/curve".',
        "zh": '{name!r} 不是预测的名称：应为课程编号、斜线和一个词，例如 "01/curve"。',
    },
    "bad prediction": {
        "en": "{value} cannot be predicted: give a finite number, such as 12.5, or a"
        " curve, such as {{1: 100, 10: 10}}.",
        "zh": "{value} 不能作为预测：请给出有限的数，例如 12.5，"
        "或曲线，例如 {{1: 100, 10: 10}}。",
    },
    "bad choice": {
        "en": "{value} is none of the choices: {choices}.",
        "zh": "{value} 不在选项中：{choices}。",
    },
    "empty curve": {
        "en": "The curve is empty: give at least one N, such as {{1: 100, 10: 10}}.",
        "zh": "曲线为空：请至少给出一个 N，例如 {{1: 100, 10: 10}}。",
    },
    "bad n": {
        "en": "N = {n} in the curve: N is a whole number of 1 or more.",
        "zh": "曲线中的 N = {n}：N 应为大于等于 1 的整数。",
    },
    # Progress
    "lesson": {"en": "lesson", "zh": "课程"},
    "exercises": {"en": "exercises right", "zh": "练习正确"},
    "questions": {"en": "questions answered", "zh": "测验已答"},
    "predictions": {"en": "predictions", "zh": "预测"},
    "progress file": {
        "en": "Kept in {path}; delete it to start anew.",
        "zh": "保存在 {path}；删除该文件即可重新开始。",
    },
    "reset": {
        "en": "{path} is again as the course has it; what it was is kept in {backup}."
        " Now choose File > Reload Notebook from Disk.",
        "zh": "{path} 已恢复为课程原样；原来的内容保存在 {backup}。"
        "请选择 File > Reload Notebook from Disk。",
    },
    "reset new": {
        "en": "{path} was not in this folder and has been put there.",
        "zh": "当前目录中没有 {path}，已放入一份。",
    },
    "forgotten": {
        "en": "Removed from the progress: {count}.",
        "zh": "已从进度中删除：{count} 项。",
    },
    # Magics
    "no compiled run": {
        "en": "No training call was made on the device.",
        "zh": "没有在 Device 上执行训练调用。",
    },
    "cell calls": {"en": "host calls", "zh": "Host 调用"},
    "cell iterations": {"en": "device iterations", "zh": "Device 侧迭代"},
    "cell batches": {
        "en": "batches pulled on the device",
        "zh": "Device 侧取用的 batch",
    },
    "cell host batches": {
        "en": "batches pulled on the host",
        "zh": "Host 侧取用的 batch",
    },
    "by kind": {"en": "{total} ({kinds})", "zh": "{total}（{kinds}）"},
    "counted here": {
        "en": "Counted by the ledger while the cell ran.",
        "zh": "由账本在单元运行期间计数。",
    },
    "figure": {"en": "counted", "zh": "计数"},
    "count": {"en": "number", "zh": "数量"},
    "training": {"en": "training", "zh": "训练"},
    "initialize": {"en": "initialize", "zh": "初始化"},
    "load": {"en": "load", "zh": "加载循环变量"},
    "restore": {"en": "restore", "zh": "恢复"},
    "save": {"en": "save", "zh": "保存"},
    "iterator": {"en": "iterator", "zh": "迭代器"},
    "read": {"en": "read", "zh": "读取"},
    "log lines": {
        "en": "Lines of this process's host log: {count}; markers: {markers}, set off"
        " by >.",
        "zh": "本进程 Host 日志中的 {count} 行；标志行 {markers} 行，以 > 标出。",
    },
    "no log lines": {
        "en": "No line of this process's host log matches; its level is {level}"
        " (1, INFO, logs the keyword lines).",
        "zh": "本进程的 Host 日志中没有匹配的行；日志级别为 {level}"
        "（1 即 INFO，才记录关键字行）。",
    },
    "log lines in": {
        "en": "Lines of the host log in {folder}: {count}; markers: {markers}, set off"
        " by >.",
        "zh": "{folder} 中 Host 日志的 {count} 行；标志行 {markers} 行，以 > 标出。",
    },
    "no log lines in": {
        "en": "No line of the host log in {folder} matches.",
        "zh": "{folder} 的 Host 日志中没有匹配的行。",
    },
    "log lines cut": {
        "en": " Shown: the last {shown}.",
        "zh": "显示最后 {shown} 行。",
    },
    # The timeline
    "timeline title": {
        "en": "Timeline of host and device, {text}",
        "zh": "Host 与 Device 的时间线，{text}",
    },
    "timeline headline": {
        "en": "N = {n}: {iterations} in {calls}, {time}",
        "zh": "N = {n}：{calls}，{iterations}，{time}",
    },
    "timeline alt": {
        "en": "{text}. The device waits for GetNext {get_next}, computes {compute} and"
        " is idle {idle}; of the idle time, launch {launch}, return {return}.",
        "zh": "{text}。Device 等待 GetNext {get_next}，计算 {compute}，"
        "空闲 {idle}；空闲中，下发 {launch}，返回 {return}。",
    },
    "timeline overlap": {
        "en": " Some of it overlaps, so the shares add up to more than 100 %.",
        "zh": "部分时间相互重叠，因此占比之和超过 100 %。",
    },
    "timeline provenance": {
        "en": "{text}. N = {n}, {calls}, {iterations}.",
        "zh": "{text}。N = {n}，{calls}，{iterations}。",
    },
    "timeline measured": {
        "en": "Measured (wall clock)",
        "zh": "实测（墙上时钟）",
    },
    "timeline modelled": {
        "en": "Modelled (virtual time)",
        "zh": "由模型算出（虚拟时间）",
    },
    "timeline assumed": {
        "en": "Assumed (not measured)",
        "zh": "假定（非实测）",
    },
    "timeline injected": {
        "en": ", {time} injected into each call",
        "zh": "，每次调用注入等待 {time}",
    },
    "timeline ghost": {
        "en": "Compared (pale): {text}",
        "zh": "对比（浅色）：{text}",
    },
    "timeline before": {"en": "compared: {text}", "zh": "对比：{text}"},
    "timeline host": {"en": "host", "zh": "Host"},
    "timeline host marks": {"en": "calls", "zh": "调用"},
    "timeline device": {"en": "device", "zh": "Device"},
    "timeline device marks": {"en": "iterations", "zh": "迭代"},
    "timeline call": {"en": "host call", "zh": "Host 调用"},
    "timeline one call": {"en": "{number} call", "zh": "{number} 次调用"},
    "timeline calls": {"en": "{number} calls", "zh": "{number} 次调用"},
    "timeline one iteration": {"en": "{number} iteration", "zh": "{number} 次迭代"},
    "timeline iterations": {"en": "{number} iterations", "zh": "{number} 次迭代"},
    "timeline arrows": {"en": "launch, return", "zh": "下发、返回"},
    "timeline launch": {"en": "launch", "zh": "下发"},
    "timeline get_next": {"en": "GetNext wait", "zh": "等待 GetNext"},
    "timeline compute": {"en": "compute", "zh": "计算"},
    "timeline return": {"en": "return", "zh": "返回"},
    "timeline idle": {"en": "device idle", "zh": "Device 空闲"},
    "timeline idle mark": {"en": "idle {time}", "zh": "空闲 {time}"},
    "timeline whole": {"en": "whole run", "zh": "全程"},
    "timeline part": {"en": "part", "zh": "部分"},
    "timeline count": {"en": "number", "zh": "数量"},
    "timeline sum": {"en": "sum, {unit}", "zh": "合计，{unit}"},
    "timeline mean": {"en": "mean", "zh": "平均"},
    "timeline share": {"en": "share", "zh": "占比"},
    "timeline mark call": {
        "en": "call {numbers}: {call} on the host",
        "zh": "第 {numbers} 次调用：Host 侧 {call}",
    },
    "timeline mark iteration": {
        "en": "iteration {numbers} (call {of}): GetNext wait {get_next},"
        " compute {compute}",
        "zh": "第 {numbers} 次迭代（第 {of} 次调用）：等待 GetNext {get_next}，"
        "计算 {compute}",
    },
    "timeline empty": {
        "en": "The timeline holds no spans: nothing was recorded. Record at least one"
        " host call.",
        "zh": "时间线为空：没有任何记录。请至少记录一次 Host 调用。",
    },
    # Diagnostics
    "note": {"en": "{severity}: {text}", "zh": "{severity}：{text}"},
    "error": {"en": "error", "zh": "错误"},
    "warning": {"en": "warning", "zh": "警告"},
    "info": {"en": "note", "zh": "说明"},
    "no path to check": {
        "en": "%npu_check takes files or folders that are there (missing: {paths}), or"
        " stands as %%npu_check above the code of a cell.",
        "zh": "%npu_check 后面跟已有的文件或目录（缺少：{paths}），"
        "或者写成 %%npu_check 放在单元格代码之上。",
    },
    "no checker": {
        "en": '%npu_check needs the package {name}: pip install "npu-lab[migrate]"',
        "zh": '%npu_check 需要 {name} 包：pip install "npu-lab[migrate]"',
    },
}

say = language.teller(TEXTS)
