"""Input pipelines and operations that the adapter has its own of."""

from __future__ import annotations

import re

import libcst as cst

from npu_lab.extras.migrate.rules.base import (
    CONVERTER,
    CallRule,
    Edit,
    Refused,
    Site,
    is_name,
    named,
    setting,
)  # fmt: skip
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import text_of
from npu_lab.extras.source.walking import walk

_TF = "import tensorflow as tf\n"
_INIT = f"from npu_bridge.npu_init import *\n{_TF}"
_DATASET = "ds = tf.data.Dataset.range(9)\n"
# How a pipeline whose last batch must not be lost is called.
_KEEPS = re.compile(
    r"(?<![a-z])(eval|valid|test|predict|infer|(val|dev)(?![a-z]))"
    r"|(Eval|Valid|Test|Predict|Infer|(Val|Dev)(?![a-z]))",
)
_RUNS = ("evaluate", "predict")
_TRAINING = ("is_training", "training", "is_train")


class Batch(CallRule):
    """B1: every batch has the same size."""

    id = "B1"
    trigger = "Dataset.batch(...), padded_batch(...), map_and_batch(...)"
    _signatures = {  # noqa: RUF012
        "tf.data.Dataset().batch": ("batch_size", "drop_remainder"),
        "tf.data.Dataset().padded_batch": (
            "batch_size", "padded_shapes", "padding_values", "drop_remainder",
        ),
        "tf.data.experimental.map_and_batch": (
            "map_func", "batch_size", "num_parallel_batches", "drop_remainder",
        ),
        "tf.contrib.data.map_and_batch": (
            "map_func", "batch_size", "num_parallel_batches", "drop_remainder",
        ),
    }  # fmt: skip
    paths = tuple(_signatures)
    possible = ("batch", "padded_batch")
    before = f"{_TF}{_DATASET}ds = ds.batch(8)\n"
    after = f"{_TF}{_DATASET}ds = ds.batch(8, drop_remainder=True)\n"
    reason = (
        "the NPU compiles for one shape: a smaller last batch would compile again",
        "NPU 按固定 shape 编译：最后一个较小的 batch 会引起重新编译",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Set drop_remainder, except where samples must not be lost."""
        site.refuse_starred()
        signature = self._signatures[site.path]
        given = site.value("drop_remainder", signature)
        if is_name(given, "True"):
            return None
        if keeps_last(site):
            site.warn("last batch kept")
            return None
        if given is not None and not is_name(given, "False"):
            site.warn("batch decided by script", value=text_of(given))
            return None
        switch = _training_switch(site)
        if given is not None:
            site.warn("samples dropped")
        value = cst.Name(switch or "True")
        return lambda call: setting(call, "drop_remainder", value, signature)

    def suspects(self, call: cst.Call) -> bool:
        """A data set's batch() has one to three arguments."""
        return 1 <= len(call.args) <= 4  # noqa: PLR2004


def keeps_last(site: Site) -> bool:
    """Whether the names around a pipeline say that it evaluates or predicts."""
    names = site.context.names
    if any(_keeps(n.value) for n in walk(site.call.func) if isinstance(n, cst.Name)):
        return True
    node: cst.CSTNode | None = site.call
    while node is not None:
        said = ""
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            said = node.name.value
        elif isinstance(node, cst.Assign):
            said = text_of(node.targets[0].target)
        elif isinstance(node, cst.Arg) and node.keyword is not None:
            said = node.keyword.value
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            said = node.func.attr.value
            said = said if said.startswith(_RUNS) else ""
        if _keeps(said):
            return True
        node = names.scopes.parent.get(node)
    return False


def _keeps(name: str) -> bool:
    """Whether a name speaks of evaluation, and not of training."""
    plain = name.lower() if name.isupper() else name
    return "train" not in name.lower() and _KEEPS.search(plain) is not None


def _training_switch(site: Site) -> str:
    """A parameter of the function that says whether it is training, or ""."""
    scope = site.context.names.scopes.of.get(site.call)
    while scope is not None:
        if isinstance(scope.node, cst.FunctionDef):
            for name in _TRAINING:
                if name in scope.bindings and scope.bindings[name][0].how == "unknown":
                    return name
        scope = scope.parent
    return ""


class Shard(CallRule):
    """B2: each rank reads its own part."""

    id = "B2"
    trigger = "Dataset.shard(...)"
    modes = ("horovod", "tf_strategy")
    paths = ("tf.data.Dataset().shard",)
    possible = ("shard",)
    _ranks = "int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0'))"
    before = f"{_TF}{_DATASET}ds = ds.shard(n, i)\n"
    after = f"{_INIT}{_DATASET}ds = ds.shard({_ranks})\n"
    reason = (
        "one process a device: each reads the part of its rank",
        "每个 Device 一个进程：各自读取本 rank 的部分",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace the arguments by those of the process."""
        made = cst.parse_expression(f"f({self._ranks})")
        given = "".join(text_of(arg).strip(" ,") for arg in site.call.args)
        if "RANK_SIZE" in given or "get_rank_size" in given:
            return None
        names = site.context.names
        ranks = all(
            (names.path(arg.value) or "").startswith("hvd.") for arg in site.call.args
        )
        if not ranks:
            site.warn("shard replaced")
        site.emit("os")
        assert isinstance(made, cst.Call)  # noqa: S101
        return lambda call: call.with_changes(args=made.args)


class Dropout(CallRule):
    """N1: dropout by the NPU's own operation."""

    id = "N1"
    compat = False
    trigger = "tf.nn.dropout(...)"
    paths = ("tf.nn.dropout",)
    before = f"{_TF}y = tf.nn.dropout(x, rate=a + b)\n"
    after = f"{_INIT}y = npu_ops.dropout(x, keep_prob=1 - (a + b))\n"
    reason = (
        "one operation of the NPU in place of several, with a mask made on the device",
        "以一个 NPU 算子替代多个算子，mask 在 Device 上生成",
    )
    source = CONVERTER
    _signature = ("x", "keep_prob", "noise_shape", "seed", "name", "rate")

    def edit(self, site: Site) -> Edit | None:
        """Replace the function; a rate becomes the probability to keep."""
        site.refuse_starred()
        shape = site.value("noise_shape", self._signature)
        keep = site.value("keep_prob", self._signature)
        rate = site.value("rate", self._signature)
        if shape is not None and not is_name(shape, "None"):
            raise Refused("noise shape")
        if arguments.positional(site.call) > 2:  # noqa: PLR2004
            raise Refused("too many arguments")
        if (keep is None) == (rate is None):
            raise Refused("keep or rate")
        func = site.emit("npu_ops.dropout")

        def change(call: cst.Call) -> cst.Call:
            index = arguments.find(call, "rate")
            if index is not None:
                old = call.args[index]
                new = named("keep_prob", _one_minus(old.value))
                args = list(call.args)
                args[index] = old.with_changes(keyword=new.keyword, value=new.value)
                call = call.with_changes(args=args)
            return call.with_changes(func=func)

        return change


def _one_minus(value: cst.BaseExpression) -> cst.BaseExpression:
    """`1 - value`, in parentheses where another reading were possible."""
    simple = isinstance(
        value,
        (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float),
    )
    if not simple and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.BinaryOperation(cst.Integer("1"), cst.Subtract(), value)


class DropoutLayer(CallRule):
    """I2: Keras's dropout layers use the NPU's operation."""

    id = "I2"
    compat = False
    trigger = "tf.layers.dropout, tf.keras.layers.Dropout, SpatialDropout1D/2D/3D"
    paths = (
        "tf.layers.dropout",
        "tf.layers.Dropout",
        *(
            f"{root}.layers.{name}"
            for root in ("tf.keras", "keras")
            for name in (
                "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D",
            )
        ),
    )  # fmt: skip
    line = "from npu_bridge.estimator.npu import npu_convert_dropout"
    before = f"{_TF}y = tf.layers.dropout(x, rate=.5)\n"
    after = f"{line}\n{_TF}y = tf.layers.dropout(x, rate=.5)\n"
    reason = (
        "importing it makes the layers use the NPU's dropout; the call stays",
        "导入后这些层会使用 NPU 的 dropout；调用本身不变",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Ask for the import."""
        stars = site.context.names.scopes
        if "npu_convert_dropout" in stars.module.bindings:
            return None
        if self.line not in site.context.imports:
            site.context.imports[self.line] = None
        return None


class Prefetch(CallRule):
    """B3: data that is fetched to a GPU ahead of time."""

    id = "B3"
    trigger = "tf.data.experimental.prefetch_to_device(...)"
    paths = (
        "tf.data.experimental.prefetch_to_device",
        "tf.contrib.data.prefetch_to_device",
        "tf.data.experimental.copy_to_device",
    )
    before = after = (
        f"{_TF}ds = ds.apply(tf.data.experimental.prefetch_to_device('/gpu:0'))\n"
    )
    reason = ("there is no GPU to fetch to", "没有可预取到的 GPU")
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Report it."""
        del site
        raise Refused("prefetch")


RULES = (Batch, Shard, Dropout, DropoutLayer, Prefetch)
