"""What profiling says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "no json": {
        "en": "profiling_options is no JSON object: {reason}. It was: {given}",
        "zh": "profiling_options 不是 JSON 对象：{reason}。内容为：{given}",
    },
    "no text": {
        "en": "profiling_options: {key} is {given}, but must be a string.",
        "zh": "profiling_options：{key} 为 {given}，但必须是字符串。",
    },
    "unknown key": {
        "en": "profiling_options: there is no key {key}. The keys are: {known}.",
        "zh": "profiling_options：没有配置项 {key}。可用的配置项：{known}。",
    },
    "bad value": {
        "en": "profiling_options: {key} is {given}, but must be one of {allowed}.",
        "zh": "profiling_options：{key} 为 {given}，但必须是 {allowed} 之一。",
    },
    "bad limit": {
        "en": "profiling_options: storage_limit is {given}, but must be such as"
        ' "200MB".',
        "zh": 'profiling_options：storage_limit 为 {given}，格式应类似 "200MB"。',
    },
    "no folder": {
        "en": "{name}: {path} is no existing folder that can be read and written. Make"
        " it first.",
        "zh": "{name}：{path} 不是已经存在且可读写的目录，请先创建。",
    },
    "no string": {
        "en": "Profiler: {name} is {given}, but must be a string.",
        "zh": "Profiler：{name} 为 {given}，但必须是字符串。",
    },
    "bad option": {
        "en": "Profiler: {name} is {given}, but must be one of {allowed}.",
        "zh": "Profiler：{name} 为 {given}，但必须是 {allowed} 之一。",
    },
    "metrics at L0": {
        "en": 'Profiler: aic_metrics needs level "L1" or "L2".',
        "zh": 'Profiler：aic_metrics 需要 level 为 "L1" 或 "L2"。',
    },
    "nested": {
        "en": "Profiler: another one is open already; they cannot be nested.",
        "zh": "Profiler：已有一个处于打开状态，不能嵌套使用。",
    },
    "no device": {
        "en": "Profiler: no device is active. Call npu_lab.activate() first.",
        "zh": "Profiler：没有激活的 Device，请先调用 npu_lab.activate()。",
    },
    "both": {
        "en": "The session is profiled by profiling_mode (or PROFILING_MODE) already;"
        " run it outside of Profiler, or switch profiling_mode off.",
        "zh": "该会话已通过 profiling_mode（或 PROFILING_MODE）开启了 Profiling；"
        "请在 Profiler 之外运行，或关闭 profiling_mode。",
    },
    "no profile": {
        "en": "{path} holds no step_trace, op_summary or op_statistic CSV file.",
        "zh": "{path} 中没有 step_trace、op_summary 或 op_statistic 的 CSV 文件。",
    },
    "no column": {
        "en": "{path} has no column {column}.",
        "zh": "{path} 没有 {column} 列。",
    },
    "no number": {
        "en": "{path}, line {line}: {column} is {given}, which is no number.",
        "zh": "{path} 第 {line} 行：{column} 为 {given}，不是数字。",
    },
    "written": {
        "en": "Profiling: {traced} of {run} iterations recorded in {folder}",
        "zh": "Profiling：共 {run} 次迭代，其中 {traced} 次记录在 {folder}",
    },
    "not written": {
        "en": "Profiling: nothing could be written to {folder}: {problem}",
        "zh": "Profiling：无法写入 {folder}：{problem}",
    },
    "provenance": {
        "en": "measured: TensorFlow's kernels on this computer's CPU, not on an NPU;"
        " {iterations} iterations of model {model}, without the first",
        "zh": "实测：本机 CPU 上的 TensorFlow 算子耗时，而非 NPU；"
        "模型 {model} 的 {iterations} 次迭代，不含第一次",
    },
    "share title": {
        "en": "Where an iteration's time goes",
        "zh": "一次迭代的耗时构成",
    },
    "kinds title": {
        "en": "Operator types by total time",
        "zh": "按总耗时排序的算子类型",
    },
    "gap row": {
        "en": "{name}: {median:.3f} ms, {share:.0f} %",
        "zh": "{name}：{median:.3f} ms，{share:.0f} %",
    },
    "kind row": {
        "en": "{name}: {total:.3f} ms in {calls} calls, {share:.1f} %",
        "zh": "{name}：{calls} 次共 {total:.3f} ms，{share:.1f} %",
    },
    "advice": {"en": "Advice:", "zh": "建议："},
    "no advice": {
        "en": "Nothing in the documented table stands out.",
        "zh": "文档中的各项现象均不突出。",
    },
    "data bound": {
        "en": "Data Aug Bound is {share:.0f} % of an iteration and most of it is the"
        " wait for GetNext: the input pipeline is too slow. Use parallel map, prefetch,"
        " cheaper preprocessing, or a cache.",
        "zh": "Data Aug Bound 占迭代的 {share:.0f} %，且大部分是在等待 GetNext："
        "数据预处理太慢。请使用并行 map、prefetch、更轻的预处理或缓存。",
    },
    "interval bound": {
        "en": "Data Aug Bound is {share:.0f} % of an iteration and little of it is the"
        " wait for GetNext: the interval between iterations is long. Increase"
        " iterations_per_loop, and remove summaries, saves and logging from the loop.",
        "zh": "Data Aug Bound 占迭代的 {share:.0f} %，但其中等待 GetNext 的时间很少："
        "迭代间隔较长。请增大 iterations_per_loop，并减少训练循环中的 summary、"
        "保存和日志。",
    },
    "compute bound": {
        "en": "FP to BP is {share:.0f} % of an iteration: it is bound by computation."
        " The longest operator types are {kinds}; look for them in op_summary. On"
        " hardware: replace AI CPU operators, use mixed precision,"
        " high_performance operators, and float32 for ReduceSum.",
        "zh": "FP to BP 占迭代的 {share:.0f} %：瓶颈在计算。耗时最长的算子类型是"
        " {kinds}，请在 op_summary 中查看。在硬件上：替换 AI CPU 算子，"
        "使用混合精度和 high_performance 算子，ReduceSum 使用 float32。",
    },
    "tail": {
        "en": "Iteration Refresh is {share:.0f} % of an iteration: the tail is long. On"
        " several ranks choose a gradient split strategy and hcom_parallel; on one it"
        " is the optimizer.",
        "zh": "Iteration Refresh 占迭代的 {share:.0f} %：拖尾较长。多卡时请调整梯度切分"
        "策略和 hcom_parallel；单卡时是优化器的耗时。",
    },
}


def text(key: str, /, **facts: object) -> str:
    """The text in the current language."""
    return TEXTS[key][language.current()].format(**facts)
