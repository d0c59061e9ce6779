from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.bridge import job
from npu_lab.device import Device
from tests.bridge import estimators
from tests.bridge.conftest import words

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
N, STEPS = 10, 40
Make = Callable[..., Any]


@pytest.fixture
def device(device: Device) -> Iterator[Device]:
    yield npu_lab.activate(view=True)
    assert estimators.threads_of_channels() == []


@pytest.fixture(autouse=True)
def _job(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JOB_ID", "10086")
    for name in ("RANK_ID", "RANK_SIZE", "LOCAL_CHECKPOINT_DIR", "RESTORE_FROM"):
        monkeypatch.delenv(name, raising=False)
    job.forget()
    yield
    job.forget()


@pytest.fixture
def make(device: Device, tmp_path: Path) -> Make:
    """An NPUEstimator in `tmp_path`: its own arguments, then those of its config."""
    from npu_bridge.npu_init import NPUEstimator, NPUEstimatorSpec, NPURunConfig

    def made(
        params: dict[str, Any] | None = None,
        model_fn: Any = estimators.model_fn,
        warm_start_from: Any = None,
        model_dir: Any = tmp_path / "model",
        **config: Any,
    ) -> Any:
        return NPUEstimator(
            model_fn,
            config=NPURunConfig(
                model_dir=str(model_dir), iterations_per_loop=N, **config
            ),
            params={"spec": NPUEstimatorSpec} | (params or {}),
            warm_start_from=warm_start_from,
        )

    return made


@pytest.mark.parametrize(("n", "said"), [(N, ["SINK053"]), (1, [])])
def test_a_plain_estimator_says_that_it_does_not_read_npu_run_config(
    device: Device, tmp_path: Path, n: int, said: list[str]
) -> None:
    from npu_bridge.npu_init import NPURunConfig

    estimator = tf.estimator.Estimator(
        estimators.model_fn,
        config=NPURunConfig(model_dir=str(tmp_path), iterations_per_loop=n),
        params={"spec": tf.estimator.EstimatorSpec},
    )
    estimator.train(estimators.input_fn, max_steps=N)
    assert [one.code for one in device.diagnostics if one.code == "SINK053"] == said
    assert (device.ledger.training_calls, device.ledger.device_iterations) == (N, 0)


class TestTheConstructor:
    def test_wants_an_npu_run_config(self, device: Device) -> None:
        from npu_bridge.npu_init import NPUEstimator

        for config in (None, tf.estimator.RunConfig()):
            with pytest.raises(ValueError, match=r"`config` must be .*NPURunConfig"):
                NPUEstimator(estimators.model_fn, config=config)

    def test_looks_at_its_arguments_in_the_adapter_s_order(
        self, device: Device, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from npu_bridge.npu_init import NPUEstimator, NPURunConfig

        monkeypatch.delenv("JOB_ID")
        config = NPURunConfig(model_dir="a")
        with pytest.raises(ValueError, match="must have an argument named features"):
            NPUEstimator(lambda x: x, "b", config)
        with pytest.raises(ValueError, match="Load job info failed"):
            NPUEstimator(estimators.model_fn, "b", config)
        monkeypatch.setenv("JOB_ID", "1")
        with pytest.raises(ValueError, match="model_dir"):
            NPUEstimator(estimators.model_fn, "b", config)
        with pytest.raises(ValueError, match="needs a model_fn"):
            NPUEstimator(config=config)

    def test_without_a_folder_makes_one_in_the_working_directory(
        self, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from npu_bridge.npu_init import NPUEstimator, NPURunConfig

        monkeypatch.chdir(tmp_path)
        made = NPUEstimator(estimators.model_fn, config=NPURunConfig())
        assert Path(made.model_dir).parent == tmp_path
        assert Path(made.model_dir).is_dir()
        assert len(Path(made.model_dir).name.removeprefix("model_dir_")) == 10

    def test_takes_a_configuration_that_another_one_has_taken(
        self, device: Device, tmp_path: Path
    ) -> None:
        from npu_bridge.npu_init import NPUEstimator, NPURunConfig

        config = NPURunConfig(iterations_per_loop=N, model_dir=str(tmp_path))
        for _ in range(2):
            made = NPUEstimator(estimators.model_fn, config=config, params={})
            made.train(estimators.input_fn, steps=N)
        assert made.get_variable_value("global_step") == 2 * N
        assert device.ledger.device_iterations == 2 * N

    def test_writes_the_options_of_the_configuration(self, make: Make) -> None:
        proto = make()._session_config
        (optimizer,) = proto.graph_options.rewrite_options.custom_optimizers
        assert optimizer.name == "NpuOptimizer"
        assert optimizer.parameter_map["iterations_per_loop"].i == N

    @pytest.mark.parametrize(
        "how", ["argument", "LOCAL_CHECKPOINT_DIR", "RESTORE_FROM"]
    )
    def test_takes_first_values_from_another_training(
        self, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        first = make(model_dir=tmp_path / "first")
        first.train(estimators.input_fn, max_steps=N)
        if how != "argument":
            monkeypatch.setenv(how, first.model_dir)
        job.forget()
        second = make(warm_start_from=first.model_dir if how == "argument" else None)
        second.train(estimators.input_fn, max_steps=N)
        start = tf.train.load_checkpoint(f"{second.model_dir}/model.ckpt-0")
        given = estimators.values(first)
        assert (start.get_tensor("dense/kernel") == given["dense/kernel"]).all()


class TestTheSpec:
    @pytest.mark.parametrize(
        ("host_call", "error", "text"),
        [
            (print, ValueError, "must be a pair"),
            ((print,), ValueError, "must be a pair"),
            (("print", []), TypeError, "must be callable"),
            ((print, 3), ValueError, "list, tuple or dict"),
            ((lambda a: a, [1, 2]), RuntimeError, "gives 2 tensors.*takes 1: a"),
            ((lambda: 0, []), ValueError, r"one at least, not \[\]"),
            ((lambda: 0, {}), ValueError, r"one at least, not \{\}"),
        ],
    )
    def test_refuses_a_host_call_that_does_not_fit(
        self, npu_init: Any, host_call: Any, error: type[Exception], text: str
    ) -> None:
        with pytest.raises(error, match=text):
            npu_init.NPUEstimatorSpec("eval", loss=tf.zeros([]), host_call=host_call)

    def test_takes_what_fits(self, device: Device, graph: Any) -> None:
        from npu_bridge.npu_init import NPUEstimatorSpec

        loss = tf.zeros([])
        for host_call in (
            None,
            (lambda a, b: a + b, [1, 2]),
            (lambda *a: a, [1, 2]),
            [lambda a: a, {"b": 2}],
        ):
            spec = NPUEstimatorSpec("eval", loss=loss, host_call=host_call)
            assert isinstance(spec, tf.estimator.EstimatorSpec)
            assert spec.host_call is host_call
            assert spec.loss is loss
            last = NPUEstimatorSpec("eval", None, loss, *[None] * 8, host_call)
            assert last.host_call is host_call
            assert spec._replace(loss=loss).host_call is host_call
            assert spec._replace(host_call=None).host_call is None

    def test_something_else_than_a_spec_is_a_runtime_error(self, make: Make) -> None:
        def model_fn(features: Any, labels: Any) -> Any:
            return features, labels

        from npu_bridge.npu_init import NPUEstimator, NPURunConfig

        made = NPUEstimator(model_fn, config=NPURunConfig(model_dir=make().model_dir))
        with pytest.raises(RuntimeError, match="must return an EstimatorSpec"):
            made.train(estimators.input_fn, max_steps=1)


class TestHooks:
    @pytest.fixture
    def seen(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The names of all hooks of the last training, in running order."""
        from npu_lab.tf1.estimator import loop_rules

        names: list[str] = []
        announce = loop_rules.announce

        def watched(hooks: Any, *rest: Any) -> None:
            names.extend(type(hook).__name__ for hook in hooks)
            announce(hooks, *rest)

        monkeypatch.setattr(loop_rules, "announce", watched)
        return names

    class Mine(tf.train.SessionRunHook):  # type: ignore[misc]
        pass

    def train(self, make: Make, params: dict[str, Any], **config: Any) -> None:
        def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
            spec = estimators.model_fn(features, labels, mode, params)
            changed = spec._replace(training_hooks=(self.Mine(),))
            if hasattr(spec, "host_call"):
                changed.host_call = spec.host_call
            return changed

        made = make(params, model_fn, **config)
        made.train(estimators.input_fn, max_steps=N)

    def test_come_in_the_adapter_s_order_before_the_script_s_own(
        self, make: Make, seen: list[str]
    ) -> None:
        host_call = (lambda step, loss: [step, loss]), lambda step, loss: [step, loss]
        self.train(make, {"host_call": host_call})
        ours = words("""
            NPUCheckpointSaverHook NPUInfeedOutfeedSessionHook NPULogOutfeedSessionHook
            SetIterationsVarHook Mine
        """)
        assert [name for name in seen if name in ours] == ours
        assert seen.index("Mine") - seen.index("NPUCheckpointSaverHook") == 4
        assert "CheckpointSaverHook" not in seen

    def test_a_plain_spec_has_none_for_channels_and_no_steps_none_for_saving(
        self, make: Make, seen: list[str]
    ) -> None:
        spec = {"spec": tf.estimator.EstimatorSpec}
        self.train(make, spec, save_checkpoints_steps=0)
        assert [name for name in seen if name.startswith(("NPU", "Set"))] == [
            "SetIterationsVarHook"
        ]

    @pytest.mark.parametrize("horovod_mode", [False, True])
    @pytest.mark.usefixtures("no_extra")
    def test_several_ranks_need_the_extra(
        self, make: Make, monkeypatch: pytest.MonkeyPatch, horovod_mode: bool
    ) -> None:
        monkeypatch.setenv("RANK_SIZE", "2")
        job.forget()
        made = make(horovod_mode=horovod_mode)
        with pytest.raises(NotImplementedError, match=r"NPUEstimator.train.*2 ranks"):
            made.train(estimators.input_fn, max_steps=N)


class TestHostCall:
    def writing(self, folder: Path) -> Any:
        def write(step: Any, loss: Any) -> Any:
            writer = tf.contrib.summary.create_file_writer(str(folder), max_queue=1000)
            with writer.as_default(), tf.contrib.summary.always_record_summaries():
                tf.contrib.summary.scalar("loss", loss, step=step)
                return tf.contrib.summary.all_summary_ops()

        return write

    @pytest.mark.parametrize("as_tensors", [False, True])
    @pytest.mark.parametrize("named", [False, True])
    def test_writes_a_point_for_each_step_in_the_loop(
        self, make: Make, tmp_path: Path, as_tensors: bool, named: bool
    ) -> None:
        def which(step: Any, loss: Any) -> Any:
            step = tf.reshape(step, []) if as_tensors else step
            return {"loss": loss, "step": step} if named else [step, loss]

        folder = tmp_path / "written"
        made = make({"host_call": (self.writing(folder), which)})
        made.train(estimators.input_fn, max_steps=STEPS)
        expected = [("loss", step) for step in range(1, STEPS + 1)]
        assert estimators.points(folder) == expected
        made.train(estimators.input_fn, steps=N)
        assert len(estimators.points(folder)) == STEPS + N

    def test_fires_in_evaluation_and_not_in_prediction(
        self, make: Make, tmp_path: Path
    ) -> None:
        folder = tmp_path / "written"
        host_call = self.writing(folder), lambda step, loss: [step, loss]
        made = make({"host_call": host_call})
        made.evaluate(estimators.input_fn, steps=3)
        assert estimators.points(folder) == [("loss", 0)] * 3
        next(made.predict(estimators.input_fn))
        assert len(estimators.points(folder)) == 3

    def test_has_all_the_points_of_a_loop_that_the_end_of_the_data_cut_short(
        self, make: Make, tmp_path: Path
    ) -> None:
        def short() -> Any:
            return estimators.input_fn().take(25)

        folder = tmp_path / "written"
        host_call = self.writing(folder), lambda step, loss: [step, loss]
        made = make({"host_call": host_call})
        made.train(short)
        assert made.get_variable_value("global_step") == 25
        assert estimators.points(folder) == [("loss", n) for n in range(1, 26)]

    def test_may_leave_what_it_gets_and_give_nothing(self, make: Make) -> None:
        host_call = (lambda *_: None), lambda step, loss: [step, loss]
        made = make({"host_call": host_call})
        made.train(estimators.input_fn, max_steps=STEPS)
        assert made.get_variable_value("global_step") == STEPS

    def test_other_names_than_its_arguments_are_a_type_error(self, make: Make) -> None:
        host_call = (lambda a: a), lambda step, loss: {"b": loss}
        with pytest.raises(TypeError, match="'b'"):
            make({"host_call": host_call}).train(estimators.input_fn, max_steps=N)

    def test_what_the_step_used_is_sent_as_the_step_used_it(self, make: Make) -> None:
        rates: list[Any] = []

        def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
            _, loss = estimators.build(features, labels)
            step = tf.train.get_global_step()
            rate = tf.train.exponential_decay(1.0, step, 1, 0.5)
            optimizer = tf.train.GradientDescentOptimizer(rate)
            train = optimizer.minimize(loss, global_step=step)

            def keep(rate: Any, step: Any) -> Any:
                return tf.py_func(
                    lambda *r: rates.append(r) or 0, [rate, step], tf.int64
                )

            host_call = keep, [rate, tf.identity(step) + 100]
            return params["spec"](mode, loss=loss, train_op=train, host_call=host_call)

        make(model_fn=model_fn).train(estimators.input_fn, max_steps=N)
        assert rates == [(0.5**i, i + 101) for i in range(N)]


def test_checkpoints_beyond_the_limit_go_also_after_training_went_on(
    make: Make,
) -> None:
    for last in (30, 60):
        made = make(keep_checkpoint_max=2, save_checkpoints_steps=N)
        made.train(estimators.input_fn, max_steps=last)
    kept = {path.stem for path in Path(made.model_dir).glob("model.ckpt*.index")}
    assert kept == {"model.ckpt-50", "model.ckpt-60"}


def test_a_saver_of_the_script_s_own_saves(make: Make) -> None:
    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        spec = estimators.model_fn(features, labels, mode, params)
        saver = tf.train.Saver([tf.train.get_global_step()])
        return spec._replace(scaffold=tf.train.Scaffold(saver=saver))

    made = make({"spec": tf.estimator.EstimatorSpec}, model_fn)
    made.train(estimators.input_fn, max_steps=N)
    assert made.get_variable_names() == ["global_step"]


def test_evaluation_and_prediction_never_loop(make: Make, device: Device) -> None:
    made = make()
    made.train(estimators.input_fn, max_steps=N)
    loops, before = len(device.loops), device.ledger.device_iterations
    assert before == N
    made.evaluate(estimators.input_fn, steps=2)
    next(made.predict(estimators.input_fn))
    assert len(device.loops) == loops
    assert device.ledger.device_iterations == before


def test_the_recipe_of_the_porting_tool_sinks(device: Device, tmp_path: Path) -> None:
    from npu_bridge.npu_init import SetIterationsVarHook, npu_run_config_init

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = estimators.model_fn(features, labels, mode, {})
        return spec._replace(train_op=tf.group(spec.train_op, name="IterationOp"))

    proto = tf.ConfigProto()
    custom = proto.graph_options.rewrite_options.custom_optimizers.add()
    custom.name = "NpuOptimizer"
    custom.parameter_map["use_off_line"].b = True
    custom.parameter_map["enable_data_pre_proc"].b = True
    custom.parameter_map["iterations_per_loop"].i = N
    config = tf.estimator.RunConfig(session_config=proto)
    made = tf.estimator.Estimator(
        model_fn, str(tmp_path / "m"), npu_run_config_init(run_config=config)
    )
    hooks = [SetIterationsVarHook(N)]
    made.train(estimators.input_fn, hooks=hooks, max_steps=STEPS)
    assert device.ledger.device_iterations == STEPS
    assert [v.state for v in device.loops if v.iteration_op] == ["in effect"] * len(
        device.loops
    )
