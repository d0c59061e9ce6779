"""Every condition of the loop, with the outcome of its failure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npu_lab.device.conditions import Facts, SinkError, judge

# A Dataset-fed training call for which everything is right.
RIGHT = Facts(
    iterations_per_loop=10,
    enable_data_pre_proc=True,
    trains=True,
    iteration_op=True,
    marked_in_graph=True,
    loaded=10,
    get_next=("IteratorGetNext",),
    fetched=("IterationOp", "loss:0"),
)


def codes(facts: Facts) -> list[str]:
    return [d.code for d in judge(facts).diagnostics]


def test_all_conditions_hold() -> None:
    outcome = judge(RIGHT)
    assert outcome.loop
    assert outcome.sink_data
    assert outcome.data == "fresh"
    assert outcome.diagnostics == ()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"use_off_line": False}, "SINK024"),
        ({"graph_run_mode": 0}, "SINK025"),
        ({"mix_compile_mode": True}, "SINK010"),
        ({"loaded": None}, "SINK020"),
        ({"queues": ("q (FIFOQueueV2)",)}, "SINK026"),
        ({"unknown_shapes": {"IteratorGetNext": "(?, 12)"}}, "SINK013"),
        ({"on_device": False}, "SINK029"),
        ({"iterations_per_loop": 1}, "SINK017"),
        ({"iteration_op": False}, "SINK001"),
        ({"iteration_op": False, "marked_in_graph": False}, "SINK006"),
        ({"iteration_op": False, "near_misses": ("IterationOp_1",)}, "SINK018"),
        ({"iteration_op": False, "near_misses": ("a/IterationOp",)}, "SINK019"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_one_step_and_the_reason(change: dict[str, object], code: str) -> None:
    outcome = judge(replace(RIGHT, **change))
    assert not outcome.loop
    assert [d.code for d in outcome.diagnostics] == [code]


@pytest.mark.parametrize(
    ("change", "data", "code"),
    [
        ({"loaded": 1}, "fresh", "SINK021"),
        ({"loaded": 5}, "fresh", "SINK007"),
        ({"enable_data_pre_proc": False}, "repeated", "SINK005"),
        ({"get_next": (), "feeds": ("x:0",)}, "repeated", "SINK004"),
        ({"feeds": ("rate:0",)}, "fresh", "SINK004"),
        ({"restarting_randoms": ("r (RandomGamma)",)}, "fresh", "SINK027"),
        ({"summaries": ("merge:0",)}, "fresh", "SINK028"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_loop_that_is_built_but_not_all_right(
    change: dict[str, object], data: str, code: str
) -> None:
    outcome = judge(replace(RIGHT, **change))
    assert outcome.loop
    assert outcome.data == data
    assert [d.code for d in outcome.diagnostics] == [code]


def test_a_loop_without_any_data() -> None:
    assert judge(replace(RIGHT, get_next=())).data == "none"


@pytest.mark.parametrize("n", [2, 10])
def test_one_shot_iterator_is_an_error_with_the_mend(n: int) -> None:
    with pytest.raises(
        SinkError, match=r"SINK009.*OneShotIterator.*make_initializable_iterator"
    ):
        judge(replace(RIGHT, iterations_per_loop=n, one_shot=("OneShotIterator",)))


def test_one_shot_iterator_is_fine_at_1_and_off_the_device() -> None:
    one_shot = replace(RIGHT, one_shot=("OneShotIterator",))
    assert codes(replace(one_shot, iterations_per_loop=1, loaded=None)) == []
    assert codes(replace(one_shot, use_off_line=False)) == ["SINK024"]


def test_reference_variables_in_a_loop_are_an_error() -> None:
    with pytest.raises(SinkError, match="w_ref"):
        judge(replace(RIGHT, reference_variables=("w_ref",)))


def test_unknown_shape_does_not_matter_where_get_next_stays_on_the_host() -> None:
    facts = replace(
        RIGHT, enable_data_pre_proc=False, unknown_shapes={"IteratorGetNext": "(?,)"}
    )
    assert codes(facts) == ["SINK005"]
    assert judge(facts).loop


def test_several_reasons_are_all_told() -> None:
    facts = replace(RIGHT, mix_compile_mode=True, graph_run_mode=0, loaded=None)
    assert set(codes(facts)) == {"SINK010", "SINK020", "SINK025"}


@pytest.mark.parametrize("n", [1, 10])
def test_a_call_that_does_not_train_needs_no_reason(n: int) -> None:
    facts = Facts(iterations_per_loop=n, get_next=("IteratorGetNext",))
    assert codes(facts) == []
    assert not judge(facts).loop


def test_training_at_1_is_what_was_asked_for() -> None:
    facts = replace(RIGHT, iterations_per_loop=1, iteration_op=False, loaded=None)
    assert codes(facts) == []
    assert judge(facts).data == "fresh"


@pytest.mark.parametrize(("option", "loaded"), [(10, 5), (5, 10)])
def test_unequal_numbers_are_both_named(option: int, loaded: int) -> None:
    facts = replace(RIGHT, iterations_per_loop=option, loaded=loaded)
    (diagnostic,) = judge(facts).diagnostics
    assert str(option) in diagnostic.message
    assert str(loaded) in diagnostic.message
