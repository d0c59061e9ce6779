"""The operators whose numbers a precision mode changes: data.

`types` are TensorFlow's operator types, `ir` the names of the same in the vendor's
files (Ascend IR).  Which list of mixed precision an operator is on is *assumed*: the
vendor keeps it in the `precision_reduce.flag` of files that come with the installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Unit = Literal["cube", "vector"]
List = Literal["white", "grey", "black"]


class Row(NamedTuple):
    """Operators of one kind, blanks between the names."""

    unit: Unit
    list: List
    types: str
    ir: str = ""


ROWS = (
    Row("cube", "white", "MatMul", "MatMulV2 MatMulV3"),
    Row("cube", "white", "BatchMatMul BatchMatMulV2 BatchMatMulV3"),
    Row("cube", "white", "Conv2D", "Conv2DV2"),
    Row("cube", "white", "Conv2DBackpropInput", "Conv2DBackpropInputD"),
    Row("cube", "white", "Conv2DBackpropFilter", "Conv2DBackpropFilterD"),
    Row("vector", "grey", "BiasAdd BiasAddV1", "BiasAdd"),
    Row("vector", "grey", "BiasAddGrad"),
    Row("vector", "grey", "Add AddV2"),
    Row("vector", "grey", "Sub"),
    Row("vector", "grey", "Mul"),
    Row("vector", "grey", "Neg"),
    Row("vector", "grey", "Div RealDiv"),
    Row("vector", "grey", "Relu"),
    Row("vector", "grey", "ReluGrad"),
    Row("vector", "grey", "Tanh"),
    Row("vector", "grey", "TanhGrad"),
    Row("vector", "grey", "Sigmoid"),
    Row("vector", "grey", "SigmoidGrad"),
    Row("vector", "grey", "MaxPool", "MaxPoolV3"),
    Row("vector", "grey", "MaxPoolGrad"),
    Row("vector", "grey", "AvgPool", "AvgPoolV2"),
    Row("vector", "grey", "AvgPoolGrad", "AvgPoolGradD"),
    Row("vector", "grey", "Max", "ReduceMax ReduceMaxD"),
    Row("vector", "grey", "Min", "ReduceMin ReduceMinD"),
    Row("vector", "grey", "Equal"),  # in the gradients of Max and Min
    Row("vector", "black", "Exp"),
    Row("vector", "black", "Log"),
    Row("vector", "black", "Reciprocal Inv", "Reciprocal"),
    Row("vector", "black", "Softmax", "SoftmaxV2"),
    Row("vector", "black", "LogSoftmax", "LogSoftmaxV2"),
    Row("vector", "black", "SoftmaxCrossEntropyWithLogits"),
    Row("vector", "black", "SparseSoftmaxCrossEntropyWithLogits"),
    Row("vector", "black", "Sum", "ReduceSum ReduceSumD"),
    Row("vector", "black", "Mean", "ReduceMean ReduceMeanD"),
    Row("vector", "black", "Prod", "ReduceProd ReduceProdD"),
    Row("vector", "black", "Cumprod", "CumprodD"),
)

OPERATORS: Mapping[str, Row] = {name: row for row in ROWS for name in row.types.split()}
VENDORS: Mapping[str, tuple[str, ...]] = {
    name: tuple(row.types.split())
    for row in ROWS
    for name in (*row.types.split(), *row.ir.split())
}
"""The operators that a name in the vendor's files stands for."""

_MOVERS = """
    BatchToSpaceND BroadcastTo CheckNumerics Concat ConcatV2 Conj DepthToSpace
    DynamicPartition DynamicStitch EnsureShape ExpandDims Fill Gather GatherNd GatherV2
    Identity IdentityN MatrixBandPart MirrorPad OneHot OnesLike Pack Pad PadV2
    PlaceholderWithDefault PreventGradient Print Reshape ResourceGather ReverseSequence
    ReverseV2 Roll ScatterNd Select SelectV2 Slice Snapshot SpaceToBatchND SpaceToDepth
    Split SplitV Squeeze StopGradient StridedSlice StridedSliceGrad TensorScatterUpdate
    Tile Transpose Unpack ZerosLike
"""
MOVERS = frozenset(_MOVERS.split())
"""Operators that move values and compute none: they lose nothing in any precision."""

OTHERS = (
    r"Cast|Bitcast|Const|\w*Iterator\w*|\w*Dataset\w*|(Stateless)?(While|If|Case)"
    r"|(Stateful)?PartitionedCall|SymbolicGradient|\w*(Random|Normal)\w*|Multinomial"
    r"|Read\w*|\w*Variable\w*|Assign\w*|(Resource|Sparse)*Apply\w+|\w*TensorList\w*"
    r"|\w*Summary\w*|Save\w*|Restore\w*|PyFunc|EagerPyFunc|Where|Collective\w+"
    r"|(Resource)?Scatter\w*|\w*Queue\w*|Print\w*|Assert|Placeholder|Timestamp|_Arg"
    r"|_Retval|Switch|Merge|Enter|Exit|NextIteration|LoopCond"
)
"""A pattern of operators that no precision mode is asked about."""


class Mode(NamedTuple):
    """What a mode does.

    `reduced` are the operators that may compute in `type`: none, those of the cube
    unit, all, or what the three lists say.  With `wide` they give float32.
    """

    reduced: Literal["none", "cube", "all", "lists"] = "none"
    type: str = "float16"
    wide: bool = False


KEEP = Mode()
MODES: Mapping[str, Mode] = {
    "must_keep_origin_dtype": KEEP,
    "force_fp16": Mode("all"),
    "allow_fp32_to_fp16": Mode("cube"),
    "allow_fp32_to_bf16": Mode("cube", "bfloat16"),
    "force_fp32": Mode("cube", wide=True),
    "cube_fp16in_fp32out": Mode("cube", wide=True),
    "allow_mix_precision": Mode("lists"),
    "allow_mix_precision_fp16": Mode("lists"),
    "allow_mix_precision_bf16": Mode("lists", "bfloat16"),
}
MODES_V2: Mapping[str, Mode] = {
    "origin": KEEP,
    "fp16": Mode("all"),
    "cube_fp16in_fp32out": Mode("cube", wide=True),
    "mixed_float16": Mode("lists"),
    "mixed_bfloat16": Mode("lists", "bfloat16"),
}
"""Without the two of hifloat8, which the vendor does not support now either."""
