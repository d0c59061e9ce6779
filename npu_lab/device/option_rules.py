"""Rules that join several session options, as data.

A single bad value is the matter of `option_table`; here stands what the adapter demands
of options together, with its reaction and the demand in words. `options` applies them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from npu_lab.device.option_table import MIXED_PRECISIONS, MIXED_PRECISIONS_V2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from npu_lab.device.option_table import Fault
    from npu_lab.device.options import SessionOptions


@dataclass(frozen=True)
class Rule:
    """A demand on several options.

    Attributes:
        key: the option that an error speaks of.
        fault: what the adapter does when the rule is broken, as in `Option`.
        broken: tells whether it is.
        needs: the demand in words, by language.
    """

    key: str
    fault: Fault
    broken: Callable[[SessionOptions], bool]
    needs: Mapping[str, str]


PROFILE_KEYS = frozenset({"input_shape", "dynamic_dims", "dynamic_node_type"})


def _mixlist_is_useless(options: SessionOptions) -> bool:
    if "modify_mixlist" not in options.given:
        return False
    if "precision_mode" in options.given:
        return options["precision_mode"] not in MIXED_PRECISIONS
    return options["precision_mode_v2"] not in MIXED_PRECISIONS_V2


def _hybrid_lacks_profiles(options: SessionOptions) -> bool:
    return options["compile_hybrid_mode"] == 1 and (
        not options.given >= PROFILE_KEYS or options["dynamic_node_type"] != 1
    )


def _profiles_are_set(options: SessionOptions) -> bool:
    return bool(options["input_shape"] and options["dynamic_dims"])


# Rules that the adapter tests only in a graph which it takes from TensorFlow ask for
# use_off_line.
RULES: tuple[Rule, ...] = (
    Rule(
        "precision_mode_v2",
        "internal",
        lambda options: options.given >= {"precision_mode", "precision_mode_v2"},
        {
            "en": "not together with precision_mode",
            "zh": "不能与 precision_mode 同时配置",
        },
    ),
    Rule(
        "modify_mixlist",
        "internal",
        _mixlist_is_useless,
        {
            "en": "only with a precision_mode that allows mixed precision, such as"
            " allow_mix_precision",
            "zh": "仅在 precision_mode 为 allow_mix_precision 等混合精度模式时可以配置",
        },
    ),
    Rule(
        "optypelist_for_implmode",
        "fatal",
        lambda options: (
            "optypelist_for_implmode" in options.given
            and "op_select_implmode" not in options.given
        ),
        {
            "en": "only together with op_select_implmode",
            "zh": "必须与 op_select_implmode 同时配置",
        },
    ),
    Rule(
        "compress_weight_conf",
        "fatal",
        lambda options: (
            options.given >= {"enable_compress_weight", "compress_weight_conf"}
        ),
        {
            "en": "not together with enable_compress_weight",
            "zh": "不能与 enable_compress_weight 同时配置",
        },
    ),
    Rule(
        "input_shape",
        "fatal",
        lambda options: 0 < len(options.given & PROFILE_KEYS) < len(PROFILE_KEYS),
        {
            "en": "only together with dynamic_dims and dynamic_node_type",
            "zh": "必须与 dynamic_dims、dynamic_node_type 同时配置",
        },
    ),
    Rule(
        "compile_hybrid_mode",
        "internal",
        _hybrid_lacks_profiles,
        {
            "en": "0, or 1 together with input_shape, dynamic_dims and"
            " dynamic_node_type 1",
            "zh": "0；或者 1，并同时配置 input_shape、dynamic_dims，"
            "且 dynamic_node_type 为 1",
        },
    ),
    Rule(
        "input_shape",
        "fatal",
        lambda options: (
            options.use_off_line
            and options.mix_compile_mode
            and _profiles_are_set(options)
        ),
        {
            "en": "not together with mix_compile_mode",
            "zh": "不能与混合计算（mix_compile_mode）同时使用",
        },
    ),
    Rule(
        "in_out_pair",
        "internal",
        lambda options: (
            options.use_off_line
            and not options.mix_compile_mode
            and bool(options["in_out_pair"])
        ),
        {
            "en": "only together with mix_compile_mode",
            "zh": "必须与混合计算（mix_compile_mode）同时使用",
        },
    ),
    Rule(
        "dynamic_graph_execute_mode",
        "invalid",
        lambda options: (
            options.use_off_line
            and options.dynamic_input
            and options.dynamic_graph_execute_mode == "lazy_recompile"
            and options.iterations_per_loop > 1
        ),
        {
            "en": "lazy_recompile only with iterations_per_loop 1",
            "zh": "lazy_recompile 只能与 iterations_per_loop 为 1 同时使用",
        },
    ),
)
