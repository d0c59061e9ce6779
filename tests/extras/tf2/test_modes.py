"""The four loop modes: what is run, what is taken, and what comes back."""

from __future__ import annotations

import pytest

from npu_lab._tensorflow import tf
from npu_lab.diagnostics import NpuLabWarning
from tests.extras.tf2.loops import Small, data, silent, telling

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


def figures(device):
    """Iterations in device loops, batches taken, host calls that train."""
    ledger = device.ledger
    return ledger.device_iterations, ledger.batches_pulled, ledger.training_calls


def codes(device):
    return [d.code for d in device.verdicts[-1].diagnostics]


def run(npu, loop, model, size, steps):
    npu.set_npu_loop_size(size)
    return loop(model.iterator, tf.constant(steps))


# NPU_LOOP: the loop size rules


@pytest.mark.parametrize(("size", "steps"), [(5, 5), (3, 5), (8, 5), (1, 5), (5, 1)])
def test_the_loop_size_rules_and_the_range_is_ignored(opened, device2, size, steps):
    model = Small()
    assert run(opened, silent(model), model, size, steps) is None
    assert int(model.seen) == size
    assert int(model.sum) == sum(range(size))
    assert figures(device2) == (size, size, 1)
    verdict = device2.verdicts[-1]
    assert verdict.mode == "NPU_LOOP"
    assert verdict.in_effect == (size > 1)
    assert verdict.data == "fresh"
    assert (codes(device2) == ["SINK077"]) == (size != steps)
    if size != steps:
        assert verdict.diagnostics[0].facts["asked"] == steps
        assert verdict.diagnostics[0].facts["size"] == size


def test_the_next_call_goes_on_with_the_data(opened, device2):
    model = Small()
    loop = silent(model)
    for _ in range(3):
        run(opened, loop, model, 4, 4)
    assert int(model.sum) == sum(range(12))
    assert figures(device2) == (12, 12, 3)
    assert len(device2.verdicts) == 1
    assert not codes(device2)


def test_the_remainder_by_the_documented_recipe(opened, device2):
    model = Small(10)
    loop = silent(model)
    for size in (4, 4, 2):
        run(opened, loop, model, size, size)
    assert int(model.seen) == 10
    assert figures(device2) == (10, 10, 3)


def test_more_steps_than_data_ends_the_sequence_and_keeps_the_steps(opened, device2):
    model = Small(10)
    loop = silent(model)
    run(opened, loop, model, 6, 6)
    with pytest.raises(tf.errors.OutOfRangeError, match=r"SINK030.*step 4 of the 6"):
        run(opened, loop, model, 6, 6)
    assert int(model.seen) == 10
    assert figures(device2) == (10, 10, 2)


def test_tensors_are_the_same_in_each_pass(opened):
    total = tf.Variable(0.0)

    @tf.function
    def loop(iterator, rate, steps):
        for _ in tf.range(steps):
            next(iterator)
            total.assign_add(rate)

    opened.set_npu_loop_size(4)
    loop(iter(data()), tf.constant(0.5), tf.constant(4))
    assert float(total) == 2


def test_the_loop_variable_stays_at_its_start(opened, device2):
    total = tf.Variable(0)

    @tf.function
    def loop(iterator, steps):
        for number in tf.range(steps):
            next(iterator)
            total.assign_add(number + 1)

    opened.set_npu_loop_size(4)
    loop(iter(data()), tf.constant(4))
    assert int(total) == 4  # 1 + 2 + 3 + 4 without the device
    assert codes(device2) == ["SINK083"]


def test_a_bound_that_is_written_down(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator):
        for _ in tf.range(3):
            model.step(next(iterator))

    opened.set_npu_loop_size(2)
    loop(model.iterator)
    assert int(model.seen) == 2
    assert codes(device2) == ["SINK077"]


def test_two_iterators_in_one_loop(opened, device2):
    total = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def loop(first, second, steps):
        for _ in tf.range(steps):
            total.assign_add(next(first)[0] * next(second)[0])

    opened.set_npu_loop_size(4)
    loop(iter(data()), iter(data()), tf.constant(4))
    assert int(total) == 0 + 1 + 4 + 9
    assert figures(device2)[:2] == (4, 8)


def test_a_captured_iterator(opened, device2):
    model = Small()

    @tf.function
    def loop(steps):
        for _ in tf.range(steps):
            model.step(next(model.iterator))

    opened.set_npu_loop_size(3)
    loop(tf.constant(3))
    assert device2.verdicts[-1].mode == "NPU_LOOP"
    assert figures(device2) == (3, 3, 0) or figures(device2) == (3, 3, 1)
    assert int(model.sum) == 3


def test_a_nested_function_that_takes_the_batch(opened, device2):
    model = Small()
    step = tf.function(lambda iterator: model.step(next(iterator)))

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            step(iterator)

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert device2.verdicts[-1].mode == "NPU_LOOP"
    assert figures(device2) == (3, 3, 1)
    assert int(model.sum) == 3


def test_a_loop_in_a_nested_function_is_put_in_place(opened, device2):
    model = Small()
    inner = silent(model)
    outer = tf.function(inner)
    opened.set_npu_loop_size(3)
    outer(model.iterator, tf.constant(7))
    assert device2.verdicts[-1].mode == "NPU_LOOP"
    assert figures(device2) == (3, 3, 1)


def test_two_batches_a_pass_wait_for_one_that_is_not_pushed(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            model.step(next(iterator))
            model.step(next(iterator))

    opened.set_npu_loop_size(4)
    with pytest.raises(tf.errors.InternalError, match=r"SINK078.*pushed 4"):
        loop(model.iterator, tf.constant(4))
    assert int(model.seen) == 4
    assert figures(device2)[:2] == (2, 4)


# HOST_LOOP: shapes are unknown, the host repeats the graph


@pytest.mark.parametrize(("size", "steps"), [(4, 4), (3, 4), (6, 4), (1, 4)])
def test_unknown_shapes_are_looped_by_the_host(opened, device2, size, steps):
    model = Small(open_shapes=True)
    run(opened, silent(model), model, size, steps)
    verdict = device2.verdicts[-1]
    assert verdict.mode == "HOST_LOOP"
    assert not verdict.in_effect
    assert int(model.sum) == sum(range(size))
    assert figures(device2) == (0, size, size)  # a crossing for each
    assert codes(device2)[0] == "SINK081"
    assert "(None)" in verdict.because
    assert ("SINK077" in codes(device2)) == (size != steps)


def test_an_argument_of_unknown_shape(opened, device2):
    model = Small()

    @tf.function(input_signature=[model.iterator._type_spec, tf.TensorSpec([None])])
    def loop(iterator, weights):
        for _ in tf.range(3):
            model.step(next(iterator))
            model.weight.assign_add(tf.reduce_sum(weights) * tf.ones([2]))

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant([1.0, 2.0]))
    assert device2.verdicts[-1].mode == "HOST_LOOP"
    assert "weights" in device2.verdicts[-1].because


def test_data_that_ends_in_a_loop_of_the_host(opened, device2):
    model = Small(3, open_shapes=True)
    with pytest.raises(tf.errors.OutOfRangeError, match="step 3 of the 5"):
        run(opened, silent(model), model, 5, 5)
    assert int(model.seen) == 3
    assert device2.ledger.batches_pulled == 3


# BUILTIN_LOOP: the While keeps its condition, the host pushes as the loop size says


def test_a_returned_loss_changes_the_mode(opened, device2):
    model = Small()
    loss = run(opened, telling(model), model, 5, 5)
    assert float(loss) == float(model.weight[0])  # that of the last iteration
    assert device2.verdicts[-1].mode == "BUILTIN_LOOP"
    assert device2.verdicts[-1].in_effect
    assert figures(device2) == (5, 5, 1)
    assert codes(device2) == ["SINK080"]
    assert "returns" in device2.verdicts[-1].because


def test_a_size_above_the_steps_leaves_batches_for_the_next_call(opened, device2):
    model = Small()
    loop = telling(model)
    run(opened, loop, model, 5, 3)
    assert int(model.seen) == 3
    assert codes(device2) == ["SINK080", "SINK079"]
    assert device2.verdicts[-1].diagnostics[1].facts["unread"] == 2
    run(opened, loop, model, 5, 7)  # 2 unread and 5 pushed
    assert int(model.seen) == 10
    assert codes(device2) == ["SINK080"]
    with pytest.raises(tf.errors.InternalError, match="SINK078"):
        run(opened, loop, model, 5, 6)
    assert int(model.seen) == 15


@pytest.mark.parametrize("size", [1, 3])
def test_a_size_below_the_steps_waits_for_batches_that_never_come(
    opened, device2, size
):
    model = Small()
    with pytest.raises(tf.errors.InternalError, match=f"pushed {size}, taken {size}"):
        run(opened, telling(model), model, size, 100)
    assert int(model.seen) == size  # kept
    assert figures(device2) == (size, size, 1)
    assert codes(device2)[-1] == "SINK078"


def test_after_the_timeout_the_next_call_works(opened):
    model = Small()
    loop = telling(model)
    with pytest.raises(tf.errors.InternalError):
        run(opened, loop, model, 2, 3)
    run(opened, loop, model, 3, 3)
    assert int(model.seen) == 5


def test_several_whiles(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            model.step(next(iterator))
        for _ in tf.range(steps):
            model.seen.assign_add(100)

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert int(model.seen) == 303
    assert device2.verdicts[-1].mode == "BUILTIN_LOOP"
    assert "2 Whiles" in device2.verdicts[-1].because


def test_an_operation_after_the_loop(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            model.step(next(iterator))
        model.seen.assign_add(100)

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert int(model.seen) == 103
    assert device2.verdicts[-1].mode == "BUILTIN_LOOP"
    assert "AssignAddVariableOp" in device2.verdicts[-1].because


def test_an_unrelated_operation(opened, device2):
    model, other = Small(), tf.Variable(0)

    @tf.function
    def loop(iterator, steps):
        other.assign_add(1)
        for _ in tf.range(steps):
            model.step(next(iterator))

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert int(other) == 1
    assert device2.verdicts[-1].mode == "BUILTIN_LOOP"


def test_an_unused_computation_is_dropped_first(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator, steps):
        _ = steps * 2
        for _ in tf.range(steps):
            model.step(next(iterator))

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert device2.verdicts[-1].mode == "NPU_LOOP"


def test_unsupported_operations_are_mix_mode(opened, device2):
    model, told = Small(), []
    device2.on_compiled = told.append

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            model.step(next(iterator))
            tf.py_function(lambda: None, [], [])

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert int(model.seen) == 3
    assert device2.verdicts[-1].mode == "BUILTIN_LOOP"
    assert "EagerPyFunc" in device2.verdicts[-1].because
    assert any(line.endswith("loop compiled in mix mode on npu") for line in told)


def test_float64_is_unsupported(opened, device2):
    model, total = Small(), tf.Variable(0.0, dtype=tf.float64)

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            model.step(next(iterator))
            total.assign_add(1.0)

    opened.set_npu_loop_size(3)
    loop(model.iterator, tf.constant(3))
    assert float(total) == 3
    assert device2.verdicts[-1].mode == "BUILTIN_LOOP"


def test_a_condition_of_the_program(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator):
        loss = tf.constant(0.0)
        while loss < 1.0:
            loss = model.step(next(iterator))
        return loss

    opened.set_npu_loop_size(50)
    assert float(loop(model.iterator)) >= 1
    passes = int(model.seen)
    assert 1 < passes < 50
    assert figures(device2) == (passes, passes, 1)
    assert device2.verdicts[-1].diagnostics[1].facts["unread"] == 50 - passes


def test_data_that_ends_in_a_builtin_loop(opened, device2):
    model = Small(4)
    with pytest.raises(tf.errors.OutOfRangeError, match="SINK030"):
        run(opened, telling(model), model, 10, 10)
    assert int(model.seen) == 4
    assert figures(device2) == (4, 4, 1)


# NO_LOOP: as written


def test_one_step_takes_the_one_batch_that_is_pushed(opened, device2):
    model = Small()
    step = tf.function(lambda iterator: model.step(next(iterator)))
    opened.set_npu_loop_size(5)
    for _ in range(3):
        step(model.iterator)
    assert int(model.seen) == 3
    assert device2.verdicts[-1].mode == "NO_LOOP"
    assert figures(device2) == (0, 3, 3)
    assert codes(device2) == ["SINK082"]


def test_two_batches_of_a_function_without_a_loop(opened):
    model = Small()

    @tf.function
    def twice(iterator):
        model.step(next(iterator))
        model.step(next(iterator))

    with pytest.raises(tf.errors.InternalError, match=r"SINK078.*pushed 1"):
        twice(model.iterator)
    assert int(model.seen) == 1


def test_data_that_ends_without_a_loop_is_tensorflows_own_error(opened, device2):
    model = Small(1)
    step = tf.function(lambda iterator: model.step(next(iterator)))
    step(model.iterator)
    with pytest.raises(tf.errors.OutOfRangeError) as caught:
        step(model.iterator)
    assert "SINK" not in str(caught.value)
    assert not device2.diagnostics


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("used", [True, False])
def test_a_function_of_one_step_may_take_tensors(opened, device2, size, used):
    total = tf.Variable(0.0)

    @tf.function
    def step(iterator, rate, steps):
        del steps
        value = tf.cast(next(iterator)[0], tf.float32)
        total.assign_add(rate * value if used else value)

    opened.set_npu_loop_size(size)
    iterator = iter(data())
    for _ in range(5):
        step(iterator, tf.constant(1.0), tf.constant(7))
    assert float(total) == sum(range(5))
    assert figures(device2) == (0, 5, 5)


def test_a_loop_that_returns_may_take_tensors(opened, device2):
    model = Small()

    @tf.function
    def loop(iterator, unused, steps):
        del unused
        loss = 0.0
        for _ in tf.range(steps):
            loss = model.step(next(iterator))
        return loss

    opened.set_npu_loop_size(3)
    for _ in range(3):
        loop(model.iterator, tf.constant(1.0), tf.constant(3))
    assert int(model.sum) == sum(range(9))
    assert figures(device2) == (9, 9, 3)


def test_a_loop_without_an_iterator_is_as_written(opened, device2):
    model = Small()

    @tf.function
    def loop(batch, steps):
        for _ in tf.range(steps):
            model.step(batch)

    opened.set_npu_loop_size(3)
    loop(tf.constant([1], tf.int64), tf.constant(7))
    assert int(model.seen) == 7
    assert device2.verdicts[-1].mode == "NO_LOOP"
    assert device2.verdicts[-1].data == "repeated"
    assert figures(device2) == (0, 0, 1)
    assert codes(device2) == ["SINK082"]


def test_what_does_not_train_is_not_blamed(opened, device2):
    opened.set_npu_loop_size(3)
    tf.function(lambda x: x + 1)(tf.constant(1))
    assert device2.ledger.calls == {"read": 1}
    assert not device2.diagnostics


def test_under_a_tape_the_graph_is_tensorflows(opened, device2):
    weight = tf.Variable(3.0)
    square = tf.function(lambda x: x * weight)
    with tf.GradientTape() as tape:
        value = square(tf.constant(2.0))
    assert float(tape.gradient(value, weight)) == 2
    assert device2.ledger.session_runs >= 1


# Kinds, warnings, traces


def test_kinds_of_calls(opened, device2):
    weight = tf.Variable(1.0)
    made = []

    @tf.function
    def first(x):
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * x

    first(tf.constant(1.0))
    tf.function(lambda: weight.assign(weight * 2))()
    tf.function(lambda: weight.assign(5.0))()
    assert device2.ledger.calls["training"] == 1
    assert device2.ledger.calls["initialize"] >= 1
    assert device2.ledger.calls["read"] == 1


def test_a_warning_is_given_once(opened):
    model = Small()
    loop = silent(model)
    with pytest.warns(NpuLabWarning, match="SINK077") as caught:
        [run(opened, loop, model, 2, 5) for _ in range(3)]
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("make", [silent, telling])
def test_the_trace_has_each_pass(opened, device2, make):
    model = Small()
    loop = make(model)
    with device2.trace as trace:
        for _ in range(2):
            run(opened, loop, model, 4, 4)
    timeline = trace.timeline()
    assert len(timeline.calls) == 2
    assert len(timeline.of("get_next")) == len(timeline.of("compute")) == 8
    for one in timeline.of("get_next", "compute"):
        call = timeline.calls[one.call]
        assert call.start <= one.start <= one.end <= call.end
    assert int(model.seen) == 8
    run(opened, loop, model, 4, 4)
    assert int(model.seen) == 12


def test_each_crossing_of_a_host_loop_is_a_call_of_the_trace(opened, device2):
    model = Small(open_shapes=True)
    with device2.trace as trace:
        run(opened, silent(model), model, 3, 3)
    assert len(trace.timeline().calls) == 3


def test_the_injected_delay_is_waited_for_once_a_crossing(opened, device2):
    device2.link_delay = 0.01
    model, loops = Small(), 2
    loop = silent(model)
    for _ in range(loops):
        run(opened, loop, model, 50, 50)
    assert 0.02 <= device2.ledger.injected_seconds < 0.2


def test_the_outputs_keep_their_structure(opened):
    model = Small()

    @tf.function
    def loop(iterator, steps):
        loss = 0.0
        for _ in tf.range(steps):
            loss = model.step(next(iterator))
        return {"loss": loss, "both": (model.seen, [tf.constant("x")])}

    opened.set_npu_loop_size(2)
    out = loop(model.iterator, tf.constant(2))
    assert int(out["both"][0]) == 2
    assert out["both"][1][0].numpy() == b"x"
    assert float(out["loss"]) == float(model.weight[0])


def test_ctrl_c_ends_the_loop_after_a_pass(opened, device2):
    import os
    import signal
    import threading

    model = Small()
    loop = silent(model)
    run(opened, loop, model, 2, 2)  # compiled
    timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(opened, loop, model, 100_000_000, 100_000_000)
    assert int(model.seen) == device2.ledger.device_iterations
    assert device2.ledger.batches_pulled == int(model.seen)
