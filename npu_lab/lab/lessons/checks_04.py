"""The checkers of lesson 04, with the message for each mistake.

They run the learner's function on the device, in a graph of its own, and judge by
values, verdicts and the ledger.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.activation import active_device
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.lab.exercises import Text, mistake, refuse_placeholder
from npu_lab.trace import Verdict

CALLS = 2
# Step and pipeline, in ms; one pair is equal, one nearly so.
EQUAL = (3.0, 3.0)
CASES = ((2.0, 5.0), (5.0, 2.0), EQUAL, (1.0, 8.0), (3.0, 3.2))
# No multiple of a batch size: the last batch would be short.
NUMBERS = (3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0)
BATCH_SIZES, LOOP = (2, 3), 5
FIRST_TOTAL, FIRST_SEEN = 100.0, 10.0
STEPS_PER_CALL = 4, 3

NO_FUNCTION: Text = {
    "en": "Hand over the function itself: its name, without brackets.",
    "zh": "请传入函数本身：只写函数名，不带括号。",
}

LONG_RUN_MISTAKES: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "no pair": {
        "en": "Return two things: a time, and True or False.",
        "zh": "请返回两项：时间，以及 True 或 False。",
    },
    "added": {
        "en": "Step and pipeline do not add up: while the device computes, the host"
        " prepares the next batch. They overlap.",
        "zh": "step 与数据预处理的时间不相加：Device 计算时，Host 在准备下一个 batch，"
        "两者重叠。",
    },
    "faster": {
        "en": "You took the faster of the two. It has to wait for the slower one.",
        "zh": "取了两者中较快的一个，而它必须等待较慢的一个。",
    },
    "step alone": {
        "en": "The time is right only where the batches come in time. With a pipeline"
        " of {pipeline} ms a step of {step} ms has to wait.",
        "zh": "只有 batch 及时到达时才对。数据预处理需要 {pipeline} ms 时，"
        "{step} ms 的 step 必须等待。",
    },
    "pipeline alone": {
        "en": "The time is right only where the pipeline is the slower one. It cannot"
        " make a step of {step} ms take {pipeline} ms.",
        "zh": "只有数据预处理较慢时才对。{step} ms 的 step 不可能只用 {pipeline} ms。",
    },
    "time": {
        "en": "Step {step} ms, pipeline {pipeline} ms: a long run takes {wanted}"
        " ms a step, not {got}. Which of the two sets the pace?",
        "zh": "step {step} ms，数据预处理 {pipeline} ms：长时间运行时每个 step"
        " 需要 {wanted} ms，而不是 {got}。由谁决定节奏？",
    },
    "reversed": {
        "en": "The times are right, the second answer is the wrong way round: the"
        " device starves when the pipeline is slower than the step.",
        "zh": "时间正确，第二项反了：数据预处理比 step 慢时，Device 才缺数据。",
    },
    "equal": {
        "en": "With a step and a pipeline of {step} ms and {pipeline} ms each batch"
        " is ready when it is asked for: the device does not starve.",
        "zh": "step 为 {step} ms、数据预处理为 {pipeline} ms 时，"
        "每个 batch 在需要时已经就绪：Device 不缺数据。",
    },
    "slower": {
        "en": "A pipeline of {pipeline} ms starves a step of {step} ms in a long run,"
        " however deep the queue.",
        "zh": "数据预处理为 {pipeline} ms、step 为 {step} ms 时，"
        "长时间运行 Device 会缺数据，队列再深也一样。",
    },
}

PIPELINE_MISTAKES: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "no iterator": {
        "en": "Return the iterator itself, not the Dataset or a batch; you returned"
        " {got}.",
        "zh": "请返回迭代器本身，而不是 Dataset 或 batch；返回的是 {got}。",
    },
    "one shot": {
        "en": "That is still a one-shot iterator, and a loop refuses it. Use"
        " tf.data.make_initializable_iterator(dataset).",
        "zh": "仍然是 one-shot 迭代器，训练迭代循环下沉不支持。请使用"
        " tf.data.make_initializable_iterator(dataset)。",
    },
    "batch size": {
        "en": "A batch has the shape {got}; asked for were {wanted} numbers.",
        "zh": "batch 的 shape 是 {got}；要求每个 batch 有 {wanted} 个数。",
    },
    "ragged": {
        "en": "No loop was built: {batches} batches were pulled, {wanted} were due. The"
        " last batch may be short, so the shape is not known: drop_remainder=True.",
        "zh": "循环没有构建：只取了 {batches} 个 batch，应取 {wanted} 个。"
        "最后一个 batch 可能不足，shape 不确定：请设置 drop_remainder=True。",
    },
    "ends": {
        "en": "The data ended inside a loop (OutOfRangeError): keep the repeat().",
        "zh": "数据在循环中途结束（OutOfRangeError）：请保留 repeat()。",
    },
    "values": {
        "en": "It sinks, but the training saw only the numbers {got}.",
        "zh": "下沉成功，但训练只用到了 {got} 这些数。",
    },
}

BEGIN_MISTAKES: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "nothing": {
        "en": "Your function returned no operation: return what the setter gives.",
        "zh": "函数没有返回算子：请返回设置接口的返回值。",
    },
    "together": {
        "en": "Variables and iterator were initialised in one run: the variable {name}"
        " is {got} on the device, not {wanted}. Use two runs.",
        "zh": "变量与迭代器在同一次 run 中初始化：Device 侧的变量 {name} 是 {got}，"
        "而不是 {wanted}。请分成两次 run。",
    },
    "no variables": {
        "en": "A variable has no value: run tf.global_variables_initializer() and"
        " tf.local_variables_initializer().",
        "zh": "有变量没有值：请运行 tf.global_variables_initializer() 和"
        " tf.local_variables_initializer()。",
    },
    "no iterator": {
        "en": "There is no queue: run iterator.initializer.",
        "zh": "没有数据队列：请运行 iterator.initializer。",
    },
    "setter first": {
        "en": "A call runs {got} step. The setter loaded the count into a local"
        " variable, and the initializer of local variables put it back to zero: the"
        " setter comes last.",
        "zh": "一次调用只执行 {got} 个 step。设置接口把循环次数加载到局部变量，"
        "随后局部变量的初始化又将其清零：设置接口要放在最后。",
    },
    "original": {
        "en": "You returned the original operation. Only the one that the setter"
        " returns runs the loop.",
        "zh": "返回的是原来的算子。只有设置接口返回的算子才会执行循环。",
    },
    "count": {
        "en": "A call runs {got} steps, not n = {wanted}.",
        "zh": "一次调用执行 {got} 个 step，而不是 n = {wanted}。",
    },
    "fixed": {
        "en": "It is right for n = {first} only: with n = {wanted} a call still runs"
        " {got} steps. Give n to the setter.",
        "zh": "只在 n = {first} 时正确：n = {wanted} 时，一次调用仍执行 {got} 个 step。"
        "请把 n 传给设置接口。",
    },
    "trained": {
        "en": "Your function has trained already: {got} instead of {wanted} after"
        " it. Initialise only.",
        "zh": "函数中已经训练过：之后的值是 {got}，而不是 {wanted}。请只做初始化。",
    },
}


def check_long_run(function: Callable[[float, float], Any]) -> None:
    """Ask for several pairs of times; `Wrong` unless all are right."""
    if not callable(function):
        raise mistake(LONG_RUN_MISTAKES, "no function")
    answers = [function(step, pipeline) for step, pipeline in CASES]
    refuse_placeholder(answers)
    if not all(_is_pair(answer) for answer in answers):
        raise mistake(LONG_RUN_MISTAKES, "no pair")
    _judge_times([float(time) for time, _ in answers])
    late = {(step, pipeline): pipeline > step for step, pipeline in CASES}
    wrong = [
        case
        for case, (_, starves) in zip(CASES, answers, strict=True)
        if bool(starves) != late[case]
    ]
    if not wrong:
        return
    if all(late[case] for case in wrong):
        raise mistake(LONG_RUN_MISTAKES, "slower", **_shown(*wrong[0]))
    if EQUAL in wrong and not any(late[case] for case in wrong):
        raise mistake(LONG_RUN_MISTAKES, "equal", **_shown(*EQUAL))
    raise mistake(LONG_RUN_MISTAKES, "reversed")


def _is_pair(answer: Any) -> bool:
    if not isinstance(answer, (tuple, list)) or len(answer) != len(("time", "starves")):
        return False
    time, starves = answer
    is_time = isinstance(time, (int, float)) and not isinstance(time, bool)
    return is_time and isinstance(starves, (bool, np.bool_))


def _judge_times(times: list[float]) -> None:
    slips: dict[str, Callable[[float, float], float]] = {
        "added": lambda step, pipeline: step + pipeline,
        "faster": min,
        "step alone": lambda step, _: step,
        "pipeline alone": lambda _, pipeline: pipeline,
    }
    for at, (step, pipeline) in enumerate(CASES):
        wanted = max(step, pipeline)
        if math.isclose(times[at], wanted):
            continue
        same = [
            key
            for key, slip in slips.items()
            if all(map(math.isclose, times, (slip(*case) for case in CASES)))
        ]
        raise mistake(
            LONG_RUN_MISTAKES,
            same[0] if same else "time",
            **_shown(step, pipeline),
            wanted=f"{wanted:g}",
            got=f"{times[at]:g}",
        )


def _shown(step: float, pipeline: float) -> dict[str, str]:
    return {"step": f"{step:g}", "pipeline": f"{pipeline:g}"}


def check_input_pipeline(function: Callable[[list[float], int], Any]) -> None:
    """Train on the learner's pipeline with N = 5; `Wrong` unless it sinks, fresh."""
    if not callable(function):
        raise mistake(PIPELINE_MISTAKES, "no function")
    for size in BATCH_SIZES:
        _judge_pipeline(function, size)


def _judge_pipeline(function: Callable[[list[float], int], Any], size: int) -> None:
    with tf.Graph().as_default() as graph, _session(LOOP) as opened:
        iterator = function(list(NUMBERS), size)
        refuse_placeholder(iterator)
        if not isinstance(iterator, tf.compat.v1.data.Iterator):
            got = type(iterator).__name__
            raise mistake(PIPELINE_MISTAKES, "no iterator", got=got)
        if any(one.type == "OneShotIterator" for one in graph.get_operations()):
            raise mistake(PIPELINE_MISTAKES, "one shot")
        batch = tf.cast(iterator.get_next(), tf.float32)
        wanted = LOOP * CALLS
        if not batch.shape.is_compatible_with([size]):
            shape = batch.shape.as_list()
            raise mistake(PIPELINE_MISTAKES, "batch size", got=shape, wanted=size)
        seen = tf.compat.v1.Variable(tf.zeros([wanted, size]))
        kept = tf.concat([seen[1:], tf.ensure_shape(batch, [None])[None]], axis=0)
        train_op = tf.group(seen.assign(tf.ensure_shape(kept, seen.shape)))
        opened.run(tf.compat.v1.global_variables_initializer())
        opened.run(iterator.initializer)
        try:
            done = _trial(opened, _sink(opened, train_op, LOOP))
        except tf.errors.OutOfRangeError as error:
            raise mistake(PIPELINE_MISTAKES, "ends") from error
        if not done.verdict.in_effect or done.batches != wanted:
            facts = {"batches": done.batches, "wanted": wanted}
            raise mistake(PIPELINE_MISTAKES, "ragged", **facts)
        numbers = sorted(set(opened.run(seen).ravel().tolist()))
    if not set(numbers) <= set(NUMBERS) or len(numbers) < len(NUMBERS) - 1:
        got = ", ".join(f"{number:g}" for number in numbers)
        raise mistake(PIPELINE_MISTAKES, "values", got=got)


def check_begin(function: Callable[[Any, Any, Any, int], Any]) -> None:
    """Let the learner's function start a training; `Wrong` unless all steps are run."""
    if not callable(function):
        raise mistake(BEGIN_MISTAKES, "no function")
    for n in STEPS_PER_CALL:
        _start_training(function, n)


def _start_training(function: Callable[[Any, Any, Any, int], Any], n: int) -> None:
    with tf.Graph().as_default(), _session(n) as opened:
        dataset = tf.compat.v1.data.Dataset.range(1, 100).batch(1, drop_remainder=True)
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        total = tf.compat.v1.Variable(FIRST_TOTAL, name="total")
        added = tf.reduce_sum(tf.cast(iterator.get_next(), tf.float32))
        local = [tf.compat.v1.GraphKeys.LOCAL_VARIABLES]
        seen = tf.compat.v1.Variable(FIRST_SEEN, collections=local, name="seen")
        train_op = tf.group(total.assign_add(added), seen.assign_add(1.0))
        found = len(_device().diagnostics)
        try:
            fetch = function(opened, iterator, train_op, n)
            refuse_placeholder(fetch)
            values = opened.run({"total": total, "seen": seen})
            _judge_begin(fetch, values, found)
            done = _trial(opened, fetch)
        except (tf.errors.FailedPreconditionError, tf.errors.NotFoundError) as error:
            late = "iterator" if "iterator" in error.message.lower() else "variables"
            raise mistake(BEGIN_MISTAKES, f"no {late}") from error
    steps = done.batches / CALLS
    if not done.verdict.iteration_op:
        raise mistake(BEGIN_MISTAKES, "original")
    if steps != n:
        first = STEPS_PER_CALL[0]
        key = "count" if n == first else "fixed"
        key = "setter first" if steps == 1 else key
        raise mistake(BEGIN_MISTAKES, key, got=f"{steps:g}", wanted=n, first=first)


def _judge_begin(fetch: Any, values: dict[str, float], found: int) -> None:
    together = any(one.code == "SINK040" for one in _device().diagnostics[found:])
    if fetch is None and not together:
        raise mistake(BEGIN_MISTAKES, "nothing")
    for name, wanted in (("total", FIRST_TOTAL), ("seen", FIRST_SEEN)):
        if values[name] != wanted:
            key = "together" if together else "trained"
            facts = {"got": f"{values[name]:g}", "wanted": f"{wanted:g}"}
            raise mistake(BEGIN_MISTAKES, key, name=name, **facts)


@dataclass
class _Trial:
    verdict: Verdict
    batches: int


def _trial(opened: Any, fetch: Any) -> _Trial:
    """Make `CALLS` calls of `fetch`: the verdict, and the batches pulled."""
    device = _device()
    earlier = device.ledger.as_dict()
    for _ in range(CALLS):
        opened.run(fetch)
    batches = device.ledger.since(earlier)["batches_pulled"]
    return _Trial([one for one in device.verdicts if one.trains][-1], batches)


@contextmanager
def _session(n: int) -> Iterator[Any]:
    """A session that permits a loop of `n`; what is found is judged, not shown."""
    _device()
    config = tf.compat.v1.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = n
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NpuLabWarning)
        with tf.compat.v1.Session(config=config) as opened:
            yield opened


def _sink(opened: Any, train_op: Any, n: int) -> Any:
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    return util.set_iteration_per_loop(opened, train_op, n)


def _device() -> Any:
    found = active_device()
    if found is None:
        message = "No device is active. Run %load_ext npu_lab (or npu_lab.activate())."
        raise RuntimeError(message)
    return found
