"""The words of the migration: English, Chinese. Rules bring their own reasons."""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, tuple[str, str]] = {
    "migrate": (
        "Rewrite TensorFlow scripts for the NPU, and say what was done and why.",
        "把 TensorFlow 脚本迁移到 NPU，并说明改了什么、为什么改。",
    ),
    "statuses": (
        "Exit status: 0 all done, 1 something needs a hand, 2 wrong usage.",
        "退出码：0 全部完成，1 有需要人工处理的地方，2 用法错误。",
    ),
    "-i": ("the script or the folder to migrate", "待迁移的脚本或文件夹"),
    "-o": (
        "folder for the result, OUT/<name>_npu_<time> (default: output_npu_<time>)",
        "迁移结果的目录，结果为 OUT/<名称>_npu_<时间>（默认 output_npu_<时间>）",
    ),
    "-r": (
        "folder for the reports, REPORT/report_npu_<time> (default: report_npu_<time>)",
        "迁移报告的目录，报告在 REPORT/report_npu_<时间>（默认 report_npu_<时间>）",
    ),
    "-m": (
        "the script that is started, when it has no `if __name__ == '__main__'`",
        "训练启动脚本（没有 `if __name__ == '__main__'` 时需要指定）",
    ),
    "-d": ("how the script trains on several devices", "分布式训练的方式"),
    "-c": (
        "TensorFlow 2 scripts that use tf.compat.v1: apply the rules of both",
        "使用 tf.compat.v1 的 TensorFlow 2 脚本：同时应用两套规则",
    ),
    "-l": (
        "a table of API levels to use instead (CSV: api,module,level)",
        "改用这份 API 支持度表（CSV：api,module,level）",
    ),
    "--tf": (
        "the version of TensorFlow of the scripts (default: found from what they use)",
        "脚本所用的 TensorFlow 版本（默认根据脚本内容判断）",
    ),
    "--check": (
        "write nothing; exit status 1 if anything would change",
        "不写文件；有改动时退出码为 1",
    ),
    "--diff": ("write nothing; print the changes", "不写文件；打印改动"),
    "--explain": ("say what a rule does, and why", "说明一条规则做什么、为什么"),
    "--json": ("print the report as JSON", "以 JSON 打印报告"),
    "--profile": (
        "auto: as the vendor's tool writes; manual: the documented form by hand",
        "auto：与官方工具的写法一致；manual：文档中手工迁移的写法",
    ),
    "--iterations-per-loop": (
        "also sink N steps into each call where that is proved safe (in the form by"
        " hand)",
        "在能证明安全之处，同时让每次调用下沉 N 步（采用手工写法）",
    ),
    "bad loop": (
        "{value}: N is a whole number of 1 or more",
        "{value}：N 必须是大于等于 1 的整数",
    ),
    "--jobs": (
        "processes to use (default: one a core)",
        "使用的进程数（默认每核一个）",
    ),
    "no input": ("-i is needed: what to migrate", "需要 -i：指定要迁移的内容"),
    "not found": ("{path}: not found", "{path}：不存在"),
    "no script": (
        "{path}: not a Python script or notebook",
        "{path}：不是 Python 脚本或 notebook",
    ),
    "below input": (
        "{path} lies in the input, and would be migrated with it",
        "{path} 位于输入目录之内，会被一起迁移",
    ),
    "no table": (
        "{path}: no table of API levels: {problem}",
        "{path}：不是 API 支持度表：{problem}",
    ),
    "main outside": ("-m {path} is not in the input", "-m {path} 不在输入之中"),
    "tf2 horovod": (
        "Horovod in TensorFlow 2 scripts is migrated with -c only",
        "TensorFlow 2 脚本中的 Horovod 需要同时指定 -c",
    ),
    "no rule": (
        "{rule}: no such rule; there are: {rules}",
        "{rule}：没有这条规则；已有规则：{rules}",
    ),
    "exists": ("{path} exists already", "{path} 已存在"),
    "written": ("result: {path}", "结果：{path}"),
    "reported": ("report: {path}", "报告：{path}"),
    "counts": (
        "{files} files: {changed} changed,"
        " {unread} not read; {hand} places need a hand,"
        " {warning} warnings",
        "{files} 个文件：改写 {changed} 个，未能"
        "读取 {unread} 个；需人工处理 {hand} 处，"
        "警告 {warning} 处",
    ),
    "progress": ("{done} of {all} files", "{done}/{all} 个文件"),
    "try check": (
        "npu-lab check says whether the loop will sink",
        "npu-lab check 可以检查循环能否下沉",
    ),
    # Reasons of findings.
    "starred": (
        "*args or **kw hide which arguments are given; add what the rule adds by hand",
        "*args 或 **kw 掩盖了实际参数；请手工按本规则修改",
    ),
    "too many arguments": (
        "more positional arguments than the signature has; change it by hand",
        "位置参数多于函数签名；请手工修改",
    ),
    "name taken": (
        "the script binds the adapter's name {name} itself; rename yours, then migrate",
        "脚本自己定义了适配器的名称 {name}；请改名后再迁移",
    ),
    "no creator": (
        "give session_creator=tf.train.ChiefSessionCreator(config=npu_config_proto())",
        "请设置 session_creator=tf.train."
        "ChiefSessionCreator(config=npu_config_proto())",
    ),
    "receiver unknown": (
        "possibly meant: it is not known what this is called on; change it by hand if"
        " it is",
        "可能需要迁移：无法确定调用对象；如确实如此，请手工修改",
    ),
    "would not parse": (
        "the result would not be Python any "
        "more, so the file was left as it was; please"
        " report this",
        "改写结果不再是合法的 Python，文件保持原样；请反馈此问题",
    ),
    "failed": (
        "the migration of this file failed ({detail}); it was copied as it is",
        "该文件迁移失败（{detail}）；已原样复制",
    ),
    "python 2": (
        "Python 2 source ({detail}); convert it to Python 3 first (2to3 -w FILE)",
        "Python 2 源码（{detail}）；请先转换为 Python 3（2to3 -w FILE）",
    ),
    "syntax": (
        "not Python as this version knows it: {detail}",
        "不是本版本 Python 能解析的源码：{detail}",
    ),
    "encoding": ("its bytes cannot be read: {detail}", "无法按其编码读取：{detail}"),
    "encoding lacks": (
        "its encoding has no character for what would be added: {detail}",
        "文件的编码无法表示要添加的字符：{detail}",
    ),
    "too deep": ("nested too deeply to be read", "嵌套过深，无法读取"),
    "not the same": ("it cannot be written back byte for byte", "无法逐字节写回"),
    "not a notebook": ("no notebook: {detail}", "不是 notebook：{detail}"),
    "unreadable": ("cannot be read: {detail}", "无法读取：{detail}"),
    "unsupported": (
        "{api} is not supported on the NPU: {level}",
        "NPU 不支持 {api}：{level}",
    ),
    "several devices": (
        "everything placed by this call now "
        "goes to one place; a graph of several towers"
        " runs as one: use one process a device",
        "该调用放置的内容现在都在同一处；多塔结构会"
        "合为一个：请改为每个 Device 一个进程",
    ),
    "gradients not applied": (
        "these gradients are not seen to go to "
        "an optimizer (a penalty, a saliency map);"
        " wrap them in npu_allreduce(...) if they do",
        "未发现这些梯度交给优化器（可能是惩罚项等）；如确实用于"
        "更新，请用 npu_allreduce(...) 包裹",
    ),
    "missing argument": ("the argument {name} is missing", "缺少参数 {name}"),
    "precision mode": (
        "set precision_mode in the session's config in place of this rewrite",
        "请改为在会话配置中设置 precision_mode",
    ),
    "options dropped": (
        "the arguments of the old call have no counterpart and are gone",
        "原调用的参数没有对应项，已去掉",
    ),
    "needs mode": (
        "trains on several devices; give -d {mode} to migrate that as well",
        "脚本使用多设备训练；如需迁移请指定 -d {mode}",
    ),
    "optimizer class": (
        "this optimizer is made where the tool does not see it; wrap what is made in"
        " npu_distributed_optimizer_wrapper(...)",
        "工具无法识别此优化器的创建位置；请用 npu_distributed_optimizer_wrapper(...)"
        " 包装所创建的优化器",
    ),
    "no counterpart": (
        "no counterpart on the NPU; see the chapter on distributed training",
        "NPU 上没有对应方式；请参考分布式训练章节",
    ),
    "last batch kept": (
        "an evaluation's last batch is kept: pad it to the full size, or the graph is"
        " compiled again for it",
        "评估/推理保留最后一个 batch：请补齐到完整大小，否则会为它重新编译",
    ),
    "batch decided by script": (
        "the script decides drop_remainder itself ({value}); where it is False the last"
        " batch compiles the graph again",
        "drop_remainder 由脚本决定"
        "（{value}）；为 False 时最后一个 batch 会引起重新编译",
    ),
    "samples dropped": (
        "the script wrote drop_remainder=False; samples beyond the last full batch are"
        " now left out",
        "脚本原写 drop_remainder=False；现在会丢弃最后不满一个 batch 的样本",
    ),
    "shard replaced": (
        "the script's own sharding is replaced by that of the process's rank",
        "脚本自己的数据切分被替换为按进程 rank 切分",
    ),
    "noise shape": (
        "npu_ops.dropout is not written in where noise_shape is given",
        "给出 noise_shape 时不改写为 npu_ops.dropout",
    ),
    "keep or rate": (
        "either keep_prob or rate must be given, and not both",
        "必须给出 keep_prob 或 rate 之一，且不能同时给出",
    ),
    "prefetch": (
        "remove it: the adapter takes data from the host's queue",
        "请删除：适配器从 Host 队列取数据",
    ),
    "no guard": (
        "Keras trains here, and nothing shows where the script starts: its session gets"
        " the adapter's defaults; give -m MAIN to have it opened and closed there",
        "此处用 Keras 训练，但看不出脚本从哪里启动：会话使用适配器默认配置；"
        "请用 -m 指定启动脚本，以便在其中打开和关闭会话",
    ),
    "horovod blocked": (
        "{api} has no counterpart that can be written in its place; all of this file's"
        " Horovod is left as it is",
        "{api} 没有可直接替换的写法；本文件的 Horovod 代码全部保持原样",
    ),
    "horovod elsewhere": (
        "the Horovod of {path} cannot be converted, so that of no file is",
        "{path} 中的 Horovod 无法转换，因此所有文件的 Horovod 都不转换",
    ),
    "several inits": (
        "hvd.init() stands in several functions, and only this one sets the device up:"
        " see that it is the first to run",
        "hvd.init() 出现在多个函数中，只有此处会初始化 Device：请确认它最先执行",
    ),
    "root rank": (
        "the variables of rank 0 are broadcast, whatever root the script names",
        "无论脚本指定哪个 root，都广播 rank 0 的变量",
    ),
    "collective": (
        "HCCL works on tensors of the same size on every rank, and not on the host",
        "HCCL 要求各 rank 的张量大小一致，且不在 Host 上执行",
    ),
    "gelu": (
        "more than one tensor, or computed in another way: not replaced by"
        " npu_unary_ops.gelu",
        "不止一个张量参数，或计算方式不同：未替换为 npu_unary_ops.gelu",
    ),
    "config unknown": (
        "where its config is made is not known: add NpuOptimizer to it by hand",
        "无法确定其配置在哪里创建：请手工加入 NpuOptimizer",
    ),
    "no place": (
        "there is no line before this one where its config could be made: write it out"
        " first",
        "这里没有可以先创建配置的位置：请先改写成独立的语句",
    ),
    "no hand form": (
        "only tf.estimator.Estimator has a form "
        "by hand; use --profile auto for this one",
        "只有 tf.estimator.Estimator 有手工迁移写法；此处请用 --profile auto",
    ),
    "several loops": (
        "not sunk: several places of this file train",
        "未下沉：本文件有多处训练",
    ),
    "several operations": (
        "not sunk: not exactly one training operation is fetched",
        "未下沉：取回的训练算子不是恰好一个",
    ),
    "finalised": (
        "not sunk: this session's graph is finalised; use create_iteration_per_loop_var"
        " and load_iteration_per_loop_var",
        "未下沉：该会话的图已冻结；请用 create_iteration_per_loop_var 和"
        " load_iteration_per_loop_var",
    ),
    "one shot": (
        "not sunk: a one-shot iterator; use make_initializable_iterator",
        "未下沉：使用了 one shot iterator；请用 make_initializable_iterator",
    ),
    "mixed": ("not sunk: mix_compile_mode is set", "未下沉：设置了 mix_compile_mode"),
    "no iterator": (
        "not sunk: no data set with an initialisable iterator is seen in this file",
        "未下沉：本文件中没有使用 initializable iterator 的 Dataset",
    ),
    "fed": (
        "not sunk: the call feeds data (or takes options); let a Dataset supply it",
        "未下沉：该调用使用 feed_dict（或其他选项）；请改由 Dataset 供数据",
    ),
    "no loop": ("not sunk: no loop of steps is seen", "未下沉：没有看到训练循环"),
    "does more": (
        "not sunk: the loop does more than train at each step (printing, saving, using"
        " its counter)",
        "未下沉：循环在每一步还做其他事情（打印、保存、使用计数器）",
    ),
    "no range": (
        "not sunk: the loop is not `for ... in range(STEPS)`",
        "未下沉：循环不是 `for ... in range(STEPS)`",
    ),
    "steps unknown": (
        "not sunk: a number of steps is not a constant of this file",
        "未下沉：步数不是本文件中的常量",
    ),
    "no multiple": (
        "not sunk: {steps} steps are no multiple of {loop}",
        "未下沉：{steps} 步不是 {loop} 的整数倍",
    ),
    "repeated": (
        "not sunk: the loop is begun several "
        "times; its variables may be made once only",
        "未下沉：该循环会多次开始；循环变量只能创建一次",
    ),
    "configured": (
        "not sunk: the file sets NpuOptimizer itself; set its options there",
        "未下沉：脚本自行设置了 NpuOptimizer；请在那里设置",
    ),
    "no entry": (
        "nothing shows where these scripts start, so the device is opened nowhere: give"
        " -m MAIN",
        "看不出这些脚本从哪里启动，因此没有任何地方打开 Device：请用 -m 指定启动脚本",
    ),
    # The page.
    "title": ("Migration report", "迁移报告"),
    "search": ("search", "搜索"),
    "keys": (
        "Keys: / searches, j and k go to the next and the previous place.",
        "按键：/ 搜索，j、k 跳到下一处、上一处。",
    ),
    "level hand": ("needs a hand", "需人工处理"),
    "level warning": ("warning", "警告"),
    "level changed": ("changed", "已改写"),
    "level info": ("note", "提示"),
    "api": ("API", "API"),
    "level": ("level", "支持度"),
    "how often": ("how often", "次数"),
}

text = language.teller(TEXTS)


def pick(texts: tuple[str, str]) -> str:
    """That of two texts that is in the current language."""
    english, chinese = texts
    return chinese if language.current() == "zh" else english
