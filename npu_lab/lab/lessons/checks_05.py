"""Checkers of lesson 05: which line is to blame, and is the fault mended.

A mended part is run at several N in a small model made for it, and judged by what the
device counted, by its verdict, and by the losses of a plain training.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Text, mistake
from npu_lab.lab.lessons.clinic import Trained, quiet, trained

STEPS = 20
BATCH = 4
SIZES = (6, BATCH)  # two: a number in the answer fits one only
NUMBERS = (10, 5, 1)
LOADS = 4  # what one call of the setter loads
_rng = np.random.RandomState(5)
IMAGES = _rng.rand(48, 6).astype("float32")
LABELS = np.eye(3, dtype="float32")[_rng.randint(0, 3, 48)]

NO_FUNCTION: Text = {
    "en": "Hand over the function itself: its name, without brackets.",
    "zh": "请传入函数本身：只写函数名，不带括号。",
}
TRAINING: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "nothing": {
        "en": "Your function must return a list with one entry for each call.",
        "zh": "函数必须返回一个列表，每次调用对应一项。",
    },
    "not sunk": {
        "en": "At N = {n} no step ran in a loop: {code}. The operation that runs must"
        " be the one that the setter returns.",
        "zh": "N = {n} 时没有 step 在循环中执行：{code}。"
        "运行的算子必须是设置接口返回的那个。",
    },
    "setter again": {
        "en": "The setter ran more than once, {loads} loads instead of 4: the graph"
        " grows, and the second operation is not called IterationOp. Call it once.",
        "zh": "设置接口运行了不止一次，加载 {loads} 次而不是 4 次：图会变大，"
        "而且第二个算子不再名为 IterationOp。请只调用一次。",
    },
    "reset": {
        "en": "At N = {n} each call ran one step: SINK021. After the setter has loaded"
        " the count, something sets it back to 0.",
        "zh": "N = {n} 时每次调用只执行了一步：SINK021。设置接口加载次数之后，"
        "又有操作把它置为 0。",
    },
    "scope": {
        "en": "At N = {n} no step ran in a loop: SINK019. The setter is still called"
        " inside a scope.",
        "zh": "N = {n} 时没有 step 在循环中执行：SINK019。设置接口仍在 scope 内调用。",
    },
    "hard-coded": {
        "en": "At N = {n} each call ran {got} steps. Use n, not a number.",
        "zh": "N = {n} 时每次调用执行了 {got} 步。请使用 n，不要写固定的数字。",
    },
    "not divided": {
        "en": "At N = {n} there were still {calls} calls, so {done} steps were trained"
        " where {steps} were wanted.",
        "zh": "N = {n} 时仍调用了 {calls} 次，训练了 {done} 步，"
        "而要求的是 {steps} 步。",
    },
    "total": {
        "en": "At N = {n} your {calls} calls trained {done} steps; wanted: {steps}.",
        "zh": "N = {n} 时 {calls} 次调用训练了 {done} 步，而要求的是 {steps} 步。",
    },
    "losses": {
        "en": "The device trained rightly, but what you return are not the losses that"
        " the calls gave back.",
        "zh": "Device 侧训练正确，但返回的不是各次调用得到的 loss。",
    },
    "calls counted": {
        "en": "At N = {n} your step numbers are {got}: those are calls. The loss that"
        " comes back is that of step {wanted}.",
        "zh": "N = {n} 时的步数是 {got}：这是调用的序号。返回的 loss 分别属于第"
        " {wanted} 步。",
    },
    "off by one": {
        "en": "At N = {n} your step numbers are {got}. A call returns the loss of its"
        " last step, so they must be {wanted}.",
        "zh": "N = {n} 时的步数是 {got}。一次调用返回最后一个 step 的 loss，所以应为"
        " {wanted}。",
    },
}
INPUT: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "no pair": {
        "en": "Return the iterator and what get_next() gave: a pair of tensors.",
        "zh": "请返回迭代器以及 get_next() 得到的一对张量。",
    },
    "one shot": {
        "en": "That is a one-shot iterator, which the sunk loop refuses. Use"
        " tf.data.make_initializable_iterator.",
        "zh": "这是 one-shot 迭代器，循环下沉不支持。请使用"
        " tf.data.make_initializable_iterator。",
    },
    "shape": {
        "en": "The batch has the shape {shape}: its size is not known, so no loop is"
        " built. Leave out the short last batch: drop_remainder=True.",
        "zh": "batch 的 shape 为 {shape}：大小不确定，因此不会构建循环。"
        "请丢弃最后不足的 batch：drop_remainder=True。",
    },
    "size": {
        "en": "The batch has the shape {shape}; {wanted} rows were asked for. Use"
        " batch_size, not a number.",
        "zh": "batch 的 shape 为 {shape}，要求的是 {wanted} 行。"
        "请使用 batch_size，不要写固定的数字。",
    },
    "end": {
        "en": "The data ended inside the loop. Repeat the Dataset: repeat().",
        "zh": "数据在循环中途用完。请重复 Dataset：repeat()。",
    },
    "not fresh": {
        "en": "{batches} batches were pulled on the device for {steps} steps: the data"
        " still repeat.",
        "zh": "{steps} 步在 Device 侧只取了 {batches} 个 batch：数据仍然重复。",
    },
    "twice": {
        "en": "{batches} batches were pulled for {steps} steps: get_next() was called"
        " more than once. Call it once, for images and labels together.",
        "zh": "{steps} 步取了 {batches} 个 batch：get_next() 调用了不止一次。"
        "请只调用一次，同时得到图片和标签。",
    },
    "unpaired": {
        "en": "A label is not its image's. Both must come from one element of the"
        " Dataset.",
        "zh": "有标签与图片不对应。两者必须来自 Dataset 的同一个元素。",
    },
    "same rows": {
        "en": "An epoch of your input holds {got} of the {rows} rows: every step sees"
        " the same few again.",
        "zh": "一个 epoch 的输入只包含 {rows} 行中的 {got} 行：每个 step 反复看到相同的"
        "几行。",
    },
}
CONFIG: dict[str, Text] = {
    "no function": NO_FUNCTION,
    "still off": {
        "en": "enable_data_pre_proc still is not True: one batch served all {n} steps"
        " of a call.",
        "zh": "enable_data_pre_proc 仍不是 True："
        "一个 batch 用于一次调用的全部 {n} 步。",
    },
    "field": {
        "en": "enable_data_pre_proc is read from the field b, yours is in {given}."
        " A value in another field reads as False.",
        "zh": "enable_data_pre_proc 从字段 b 读取，而您写在 {given} 中。"
        "写在其他字段中的值会被读作 False。",
    },
    "no loop": {
        "en": "Now there is no loop at all: {code}. Leave the other options as they"
        " were.",
        "zh": "现在连循环也没有了：{code}。请保持其他参数不变。",
    },
    "others": {
        "en": "{options} changed as well. Leave the other options as they were.",
        "zh": "{options} 也被改动了。请保持其他参数不变。",
    },
}


def check_losses(function: Callable[..., Any]) -> None:
    """The training of case 1: a loss for each call."""
    for n, answer in _trainings(function):
        if [float(one) for one in answer] != plain_losses()[n - 1 :: n]:
            raise mistake(TRAINING, "losses")


def check_history(function: Callable[..., Any]) -> None:
    """The training of case 2: (step, loss) for each call."""
    for n, answer in _trainings(function):
        try:
            history = [(int(step), float(loss)) for step, loss in answer]
        except (TypeError, ValueError) as error:
            raise mistake(TRAINING, "losses") from error
        steps, wanted = [step for step, _ in history], list(range(n, STEPS + 1, n))
        if steps != wanted:
            counted = list(range(1, len(wanted) + 1))
            key = "calls counted" if steps == counted else "off by one"
            raise mistake(
                TRAINING, key, n=n, got=_listed(steps), wanted=_listed(wanted)
            )
        if [loss for _, loss in history] != plain_losses()[n - 1 :: n]:
            raise mistake(TRAINING, "losses")


def check_input(function: Callable[..., Any]) -> None:
    """The input of case 3: an iterator and its next batch."""
    if not callable(function):
        raise mistake(INPUT, "no function")
    for size in SIZES:
        graph = tf.Graph()
        with graph.as_default():
            iterator, x, y = _input(function(IMAGES, LABELS, size), graph, size)
    with graph.as_default():
        train_op, loss = _model(x, y)
        with tf.compat.v1.Session(config=_config(10)) as sess:
            _initialize(sess, iterator)
            try:
                done = trained(lambda: _train(sess, train_op, loss, 10, STEPS), 10)
            except tf.errors.OutOfRangeError as error:
                raise mistake(INPUT, "end") from error
    if done.data != "fresh" or done.batches != STEPS:
        key = "twice" if done.batches > STEPS else "not fresh"
        raise mistake(INPUT, key, batches=done.batches, steps=STEPS)
    epoch = _epoch(graph, iterator, x, y)
    labels = dict(_pairs(IMAGES, LABELS))
    if any(labels.get(image, label) != label for image, label in epoch):
        raise mistake(INPUT, "unpaired")
    if 2 * (got := len(dict(epoch))) < len(IMAGES):
        raise mistake(INPUT, "same rows", got=got, rows=len(IMAGES))


def check_config(
    function: Callable[[Any], object], *, in_field_i: bool = False
) -> None:
    """The options of case 4, mended in place; or of case 11, in a wrong field."""
    if not callable(function):
        raise mistake(CONFIG, "no function")
    config = _config(10, pre_processing=False)
    (custom_op,) = config.graph_options.rewrite_options.custom_optimizers
    if in_field_i:
        custom_op.parameter_map["enable_data_pre_proc"].i = 1
    before = _other_options(custom_op)
    function(custom_op)
    done = _run(_train, 10, config)
    if not done.iterations:
        raise mistake(CONFIG, "no loop", code=done.code)
    if done.data != "fresh":
        given = custom_op.parameter_map.get("enable_data_pre_proc")
        field = given.WhichOneof("value") if given is not None else None
        if field not in {None, "b"}:
            raise mistake(CONFIG, "field", given=field)
        raise mistake(CONFIG, "still off", n=10)
    if changed := dict(before ^ _other_options(custom_op)):
        raise mistake(CONFIG, "others", options=", ".join(sorted(changed)))


def check_word(
    right: tuple[Any, ...], mistakes: Mapping[str, Text], other: str
) -> Callable[[Any], None]:
    """A checker for one word or number: each wrong one has its message, or `other`."""

    def check(answer: Any) -> None:
        word = answer.strip() if isinstance(answer, str) else answer
        if word not in right:
            key = str(word) if str(word) in mistakes else other
            raise mistake(mistakes, key, answer=word)

    return check


def _trainings(function: Callable[..., Any]) -> Any:
    """What the answer returned at each N; `Wrong` where the device says so."""
    if not callable(function):
        raise mistake(TRAINING, "no function")
    for n in NUMBERS:
        done = _run(function, n, _config(n))
        wanted = STEPS // n
        facts = {"n": n, "calls": done.calls, "steps": STEPS}
        if done.loads > LOADS:
            raise mistake(TRAINING, "setter again", loads=done.loads)
        for key, code in ("reset", "SINK021"), ("scope", "SINK019"):
            if done.code == code:
                raise mistake(TRAINING, key, n=n)
        if n > 1 and not done.iterations:
            raise mistake(TRAINING, "not sunk", n=n, code=done.code)
        total = done.iterations if n > 1 else done.calls
        if n > 1 and done.calls and total != n * done.calls:
            got = total // done.calls
            raise mistake(TRAINING, "hard-coded", n=n, got=got)
        if done.calls != wanted:
            key = "not divided" if done.calls == STEPS else "total"
            raise mistake(TRAINING, key, done=total, **facts)
        if not isinstance(done.answer, list) or len(done.answer) != wanted:
            raise mistake(TRAINING, "nothing")
        yield n, done.answer


def _run(
    function: Callable[..., Any],
    n: int,
    config: Any,
    initialize: Callable[[Any, Any], object] | None = None,
) -> Trained:
    graph = tf.Graph()
    with quiet(), graph.as_default(), tf.compat.v1.Session(config=config) as sess:
        dataset = tf.compat.v1.data.Dataset.from_tensor_slices((IMAGES, LABELS))
        dataset = dataset.repeat().batch(BATCH, drop_remainder=True)
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        train_op, loss = _model(*iterator.get_next())
        (initialize or _initialize)(sess, iterator)
        return trained(lambda: function(sess, train_op, loss, n, STEPS), n)


def _train(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> list[float]:
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    train_op = util.set_iteration_per_loop(sess, train_op, n)
    return [float(sess.run([train_op, loss])[1]) for _ in range(steps // n)]


def plain_losses() -> list[float]:
    """The losses of a plain training, step by step."""
    return list(_run(_train, 1, _config(1)).answer)


def losses_after(initialize: Callable[[Any, Any], object]) -> list[float]:
    """The losses at N = 10 after `initialize(sess, iterator)`."""
    return list(_run(_train, 10, _config(10), initialize).answer)


def _model(x: Any, y: Any) -> tuple[Any, Any]:
    weights = tf.compat.v1.Variable(tf.zeros([IMAGES.shape[1], LABELS.shape[1]]))
    logits = tf.matmul(x, weights)
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
    loss = tf.reduce_mean(losses)
    rate = tf.compat.v1.Variable(0.5, trainable=False)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(rate)
    return optimizer.minimize(loss), loss


def _initialize(sess: Any, iterator: Any) -> None:
    sess.run(tf.compat.v1.global_variables_initializer())
    sess.run(iterator.initializer)


def _config(n: int, *, pre_processing: bool = True) -> Any:
    config = tf.compat.v1.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    if pre_processing:
        custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = n
    return config


def _other_options(custom_op: Any) -> set[tuple[str, str]]:
    """All but the one to be mended, as text."""
    options = {(name, str(value)) for name, value in custom_op.parameter_map.items()}
    return {option for option in options if option[0] != "enable_data_pre_proc"}


def _input(answer: Any, graph: Any, size: int) -> tuple[Any, Any, Any]:
    if "OneShotIterator" in {operation.type for operation in graph.get_operations()}:
        raise mistake(INPUT, "one shot")
    try:
        iterator, (x, y) = answer
    except (TypeError, ValueError) as error:
        raise mistake(INPUT, "no pair") from error
    if not (hasattr(iterator, "initializer") and tf.is_tensor(x) and tf.is_tensor(y)):
        raise mistake(INPUT, "no pair")
    if x.shape.as_list()[:1] != [size]:
        key = "shape" if x.shape.as_list()[0] is None else "size"
        raise mistake(INPUT, key, shape=x.shape, wanted=size)
    return iterator, x, y


def _epoch(graph: Any, iterator: Any, x: Any, y: Any) -> list[tuple[bytes, bytes]]:
    """What comes, row and label; a shuffled and repeated input may miss some."""
    with tf.compat.v1.Session(graph=graph, config=_config(1)) as sess:
        sess.run(iterator.initializer)
        batches = [sess.run((x, y)) for _ in range(len(IMAGES) // BATCH)]
    return [pair for batch in batches for pair in _pairs(*batch)]


def _pairs(images: Any, labels: Any) -> list[tuple[bytes, bytes]]:
    rows = zip(images, labels, strict=True)
    return [(image.tobytes(), label.tobytes()) for image, label in rows]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
