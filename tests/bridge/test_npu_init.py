from __future__ import annotations

import importlib
import types
from typing import Any

import pytest

import npu_lab
from npu_lab import bridge
from npu_lab._tensorflow import tf
from npu_lab.device import Device
from npu_lab.tf1 import face
from npu_lab.tf1.estimator.run_config import RunConfig
from tests.bridge.conftest import words

v1 = tf.compat.v1

CLASSES = words("""
    NPURunConfig ProfilingConfig MemoryConfig DumpConfig DynamicInputConfig
    NPUEstimator NPUEstimatorSpec
    NPUCheckpointSaverHook NPUOutputTensorHook NPUBroadcastGlobalVariablesHook
    SetIterationsVarHook TellMeStepOrLossHook
    NPUDistributedOptimizer KerasDistributeOptimizer NPUOptimizer
    NPULossScaleOptimizer FixedLossScaleManager ExponentialUpdateLossScaleManager
    NPUBroadcastGlobalVariablesCallback RewriterConfig NpuEmptyHook
""")
FUNCTIONS = words("""
    decorator_tf_session npu_distributed_optimizer_wrapper npu_allreduce
    create_group destroy_group get_rank_size get_local_rank_size get_rank_id
    get_local_rank_id get_world_rank_from_group_rank get_group_rank_from_world_rank
    set_split_strategy_by_idx set_split_strategy_by_size
    npu_hooks_append npu_callbacks_append npu_config_proto npu_graph_options
    npu_optimizer_options npu_run_config_init set_keras_session_npu_config
    init_resource shutdown_resource close_session
    get_npu_rank_id get_npu_local_rank_id get_npu_rank_size get_npu_local_rank_size
    npu_keras_optimizer npu_tf_optimizer npu_clear_session
""")
MODULES = words("""
    npu_ops npu_rnn npu_scope keras_to_npu npu_strategy util npu_plugin
    hccl_ops profiler npu_cpu_ops scoped_graph_manager
    tf config_pb2 rewriter_config_pb2 session session_run_hook backend os
""")
OBJECTS = ["npu_unary_ops", "experimental_options"]
NOT_EXPORTED = words("""
    ExperimentalConfig GraphMemoryOptimizeConfig NpuExecutePlacement
    NPUShutDownHook NPULogOutfeedSessionHook NPUInfeedOutfeedSessionHook
    broadcast_global_variables npu_session npu_session_config_init
    npu_aicore_ops npu_dynamic_rnn annotations
""")


def star(name: str = "npu_bridge.npu_init") -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    exec(f"from {name} import *", namespace)  # noqa: S102
    del namespace["__builtins__"]
    return namespace


def npu_optimizers(config: Any) -> list[str]:
    """The custom optimizers in a configuration, or in that of a session."""
    config = getattr(config, "_config", config)
    return [o.name for o in config.graph_options.rewrite_options.custom_optimizers]


class TestTheStar:
    def test_brings_what_the_adapter_exports_and_nothing_else(
        self, device: Device
    ) -> None:
        expected = {*CLASSES, *FUNCTIONS, *MODULES, *OBJECTS}
        assert set(star()) == expected
        assert expected.isdisjoint(NOT_EXPORTED)

    def test_brings_things_of_the_right_kind(self, device: Device) -> None:
        names = star()
        assert [n for n in CLASSES if not isinstance(names[n], type)] == []
        assert [n for n in FUNCTIONS if not callable(names[n])] == []
        assert [n for n in MODULES if not isinstance(names[n], types.ModuleType)] == []

    def test_brings_tensorflow_s_own_modules(self, npu_init: Any) -> None:
        assert npu_init.config_pb2.ConfigProto is v1.ConfigProto
        assert npu_init.session.Session is v1.Session
        assert npu_init.session_run_hook.SessionRunHook is v1.train.SessionRunHook
        assert npu_init.rewriter_config_pb2.RewriterConfig is npu_init.RewriterConfig
        assert npu_init.backend.__name__ == "tf_keras.src.backend"
        assert npu_init.os.name

    def test_has_no_list_of_its_own(self, npu_init: Any) -> None:
        assert not hasattr(npu_init, "__all__")

    def test_tf_is_the_v1_api_and_with_the_view_tensorflow_1_15(
        self, npu_init: Any
    ) -> None:
        if tf.executing_eagerly():
            assert star()["tf"] is npu_init.tf is v1
        npu_lab.activate(view=True)
        assert star()["tf"] is npu_init.tf is face.tf
        assert npu_init.tf.__version__ == "1.15.0"

    def test_experimental_options_are_on(self, npu_init: Any) -> None:
        options = npu_init.experimental_options
        assert options.pop("disable_model_pruning") is False
        on = npu_init.RewriterConfig.ON
        assert options == {
            "function_optimization": on,
            "constant_folding": on,
            "shape_optimization": on,
            "arithmetic_optimization": on,
            "loop_optimization": on,
            "dependency_optimization": on,
            "layout_optimizer": on,
        }
        options["disable_model_pruning"] = False


class TestTheImport:
    @pytest.mark.parametrize(
        "text",
        [
            "import npu_bridge.npu_init",
            "from npu_bridge import npu_init",
            "from npu_bridge.npu_init import util",
        ],
    )
    def test_gives_sessions_the_defaults_however_it_is_written(
        self, device: Device, graph: Any, text: str
    ) -> None:
        for _ in range(2):
            exec("import npu_bridge", {})  # noqa: S102
            assert npu_optimizers(v1.Session()) == []
            exec(text, {})  # noqa: S102
            assert npu_optimizers(v1.Session()) == ["NpuOptimizer"]
            npu_lab.deactivate()
            assert npu_optimizers(v1.Session()) == []
            npu_lab.activate()

    def test_by_the_lab_s_own_name_has_no_effect(
        self, device: Device, graph: Any
    ) -> None:
        importlib.import_module("npu_lab.bridge.npu_init")
        assert npu_optimizers(v1.Session()) == []

    def test_after_the_lab_s_own_name_has_its_effect(
        self, device: Device, graph: Any
    ) -> None:
        bridge.uninstall()
        importlib.import_module("npu_lab.bridge.npu_init")
        bridge.install(device)
        exec("from npu_bridge import npu_init", {})  # noqa: S102
        assert npu_optimizers(v1.Session()) == ["NpuOptimizer"]


class TestSessionDefaults:
    def test_without_a_config(self, npu_init: Any, graph: Any) -> None:
        for kind in (v1.Session, v1.InteractiveSession):
            with_defaults = kind()
            config = with_defaults._config
            assert npu_optimizers(config) == ["NpuOptimizer"]
            rewrite = config.graph_options.rewrite_options
            assert rewrite.remapping == rewrite.OFF
            assert rewrite.memory_optimization == rewrite.OFF
            assert config.allow_soft_placement
            with_defaults.close()

    def test_none_by_keyword_is_like_none_at_all(
        self, npu_init: Any, graph: Any
    ) -> None:
        assert npu_optimizers(v1.Session(config=None)) == ["NpuOptimizer"]

    # The session is deleted half made, which TensorFlow does not expect either.
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_none_by_position_is_an_attribute_error(
        self, npu_init: Any, graph: Any
    ) -> None:
        with pytest.raises(AttributeError, match="by position"):
            v1.Session("", graph, None)

    def test_the_caller_s_proto_is_changed(self, npu_init: Any, graph: Any) -> None:
        by_keyword = v1.ConfigProto(log_device_placement=True)
        by_position = v1.ConfigProto(log_device_placement=True)
        v1.Session(config=by_keyword)
        v1.Session("", graph, by_position)
        for config in (by_keyword, by_position):
            assert npu_optimizers(config) == ["NpuOptimizer"]
            assert config.log_device_placement is False

    def test_a_monitored_session_gets_them_too(
        self, npu_init: Any, train_op: Any
    ) -> None:
        with v1.train.MonitoredSession() as sess:
            inner = sess._tf_sess()
            assert npu_optimizers(inner) == ["NpuOptimizer"]

    def test_an_optimizer_of_the_caller_s_keeps_memory_optimization(
        self, npu_init: Any, graph: Any
    ) -> None:
        config = v1.ConfigProto()
        rewrite = config.graph_options.rewrite_options
        mine = rewrite.custom_optimizers.add()
        mine.name = "NpuOptimizer"
        mine.parameter_map["use_off_line"].b = True
        v1.Session(config=config)
        assert npu_optimizers(config) == ["NpuOptimizer"]
        assert rewrite.memory_optimization == rewrite.DEFAULT_MEM_OPT
        assert rewrite.remapping == rewrite.OFF
        assert rewrite.custom_optimizers[0].parameter_map["use_off_line"].b


class TestConfigurations:
    def test_a_config_proto_is_changed_and_returned(self, npu_init: Any) -> None:
        given = v1.ConfigProto(log_device_placement=True)
        given.graph_options.optimizer_options.global_jit_level = (
            v1.OptimizerOptions.ON_1
        )
        assert npu_init.npu_config_proto(given) is given
        assert npu_optimizers(given) == ["NpuOptimizer"]
        assert (given.allow_soft_placement, given.log_device_placement) == (True, False)
        options = given.graph_options
        assert options.rewrite_options.remapping == npu_init.RewriterConfig.OFF
        off = npu_init.RewriterConfig.OFF
        assert options.rewrite_options.memory_optimization == off
        assert options.optimizer_options.global_jit_level == v1.OptimizerOptions.OFF
        assert npu_init.npu_config_proto(given) == given

    @pytest.mark.parametrize("given", [None, 3, "config", {}])
    def test_anything_else_is_replaced(self, npu_init: Any, given: Any) -> None:
        made = npu_init.npu_config_proto(given)
        assert isinstance(made, v1.ConfigProto)
        assert npu_optimizers(made) == ["NpuOptimizer"]
        graph_options = npu_init.npu_graph_options(given)
        assert graph_options.optimizer_options.global_jit_level == -1
        assert npu_init.npu_optimizer_options(given).global_jit_level == -1

    def test_graph_options_lose_the_jit_and_nothing_else(self, npu_init: Any) -> None:
        given = v1.GraphOptions(place_pruned_graph=True)
        given.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_2
        given.optimizer_options.do_function_inlining = True
        assert npu_init.npu_graph_options(given) is given
        expected = v1.GraphOptions(place_pruned_graph=True)
        expected.optimizer_options.global_jit_level = v1.OptimizerOptions.OFF
        expected.optimizer_options.do_function_inlining = True
        assert given == expected
        options = v1.OptimizerOptions(global_jit_level=v1.OptimizerOptions.ON_1)
        assert npu_init.npu_optimizer_options(options) is options
        assert options.global_jit_level == v1.OptimizerOptions.OFF

    def test_the_wrapper_of_constructors_is_the_one_of_sessions(
        self, device: Device, npu_init: Any
    ) -> None:
        seen: dict[str, Any] = {}

        class Session:
            @npu_init.decorator_tf_session  # type: ignore[untyped-decorator]
            def __init__(self, config: Any = None) -> None:
                seen["config"] = config

        Session()
        assert npu_optimizers(seen["config"]) == ["NpuOptimizer"]


class TestKeras:
    def test_gets_a_session_with_the_defaults(self, npu_init: Any, graph: Any) -> None:
        given = v1.ConfigProto()
        sess = npu_init.set_keras_session_npu_config(given)
        assert npu_init.backend.get_session() is sess
        assert sess._config == given
        assert npu_optimizers(given) == ["NpuOptimizer"]
        sess.close()

    def test_is_cleared_and_gets_a_new_session(
        self, npu_init: Any, monkeypatch: pytest.MonkeyPatch, graph: Any
    ) -> None:
        events = []
        real = npu_init.backend.set_session
        monkeypatch.setattr(
            npu_init.backend, "clear_session", lambda: events.append("cleared")
        )
        monkeypatch.setattr(
            npu_init.backend, "set_session", lambda s: (events.append("set"), real(s))
        )
        assert npu_init.npu_clear_session() is None
        assert events == ["cleared", "set"]
        new = npu_init.backend.get_session()
        assert npu_optimizers(new) == ["NpuOptimizer"]
        new.close()


class TestResources:
    def test_ranks_are_those_of_one_device_before_they_are_asked_for(
        self, npu_init: Any
    ) -> None:
        npu_init.util.global_dict_init()
        assert npu_init.get_npu_rank_id() == npu_init.get_npu_local_rank_id() == 0
        assert npu_init.get_npu_rank_size() == npu_init.get_npu_local_rank_size() == 1

    def test_ranks_are_those_that_were_found(self, npu_init: Any) -> None:
        names = ("rank_id", "local_rank_id", "rank_size", "local_rank_size")
        for number, name in enumerate(names, start=5):
            npu_init.util.set_value(f"npu_{name}", number)
            assert getattr(npu_init, f"get_npu_{name}")() == number
        npu_init.util.global_dict_init()

    def test_the_shutdown_op_is_run_and_the_session_closed(
        self, npu_init: Any, train_op: Any, weight: Any
    ) -> None:
        with v1.Session() as sess:
            sess.run(weight.initializer)
            npu_init.shutdown_resource(sess, train_op)
            assert sess.run(weight) == 1.0
            npu_init.close_session(sess)
            with pytest.raises(RuntimeError, match="closed"):
                sess.run(weight)

    def test_the_empty_hook_changes_nothing(
        self, npu_init: Any, train_op: Any, weight: Any
    ) -> None:
        hook = npu_init.NpuEmptyHook()
        with v1.train.MonitoredSession(hooks=[hook]) as sess:
            sess.run(train_op)
            assert sess.run(weight) == 1.0


class TestAppending:
    def test_to_a_list_changes_it_and_anything_else_is_thrown_away(
        self, npu_init: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("RANK_ID", "0")
        for append, kind in (
            (npu_init.npu_hooks_append, npu_init.NPUBroadcastGlobalVariablesHook),
            (
                npu_init.npu_callbacks_append,
                npu_init.NPUBroadcastGlobalVariablesCallback,
            ),
        ):
            mine: list[Any] = ["mine"]
            assert append(mine) is mine
            assert mine[0] == "mine"
            assert [type(one) for one in mine[1:]] == [kind]
            for given in (("mine",), None, "mine"):
                assert [type(one) for one in append(given)] == [kind]
            assert len(append()) == len(append()) == 1


class TestOptimizers:
    def test_are_what_was_given_on_one_rank(self, npu_init: Any) -> None:
        for wrap in (
            npu_init.npu_keras_optimizer,
            npu_init.npu_tf_optimizer,
            npu_init.npu_distributed_optimizer_wrapper,
            npu_init.KerasDistributeOptimizer,
            npu_init.NPUDistributedOptimizer,
        ):
            mine = v1.train.GradientDescentOptimizer(0.1)
            assert wrap(mine) is mine
        named = npu_init.npu_distributed_optimizer_wrapper("sgd")
        assert "SGD" in type(named).__name__

    @pytest.mark.usefixtures("no_extra")
    def test_several_ranks_need_the_extra(
        self, npu_init: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("RANK_SIZE", "2")
        mine = v1.train.GradientDescentOptimizer(0.1)
        for wrap, name in (
            (npu_init.npu_keras_optimizer, "KerasDistributeOptimizer"),
            (npu_init.npu_tf_optimizer, "NPUDistributedOptimizer"),
            (npu_init.npu_distributed_optimizer_wrapper, "npu_distributed_optimizer"),
        ):
            with pytest.raises(NotImplementedError, match=rf"{name}.*2 ranks"):
                wrap(mine)
        with pytest.raises(NotImplementedError, match="2 ranks"):
            npu_init.NPUBroadcastGlobalVariablesCallback(0).on_train_begin()


class TestRunConfigInit:
    def test_writes_the_defaults_into_the_session_configuration(
        self, npu_init: Any
    ) -> None:
        proto = v1.ConfigProto()
        given = RunConfig(session_config=proto, keep_checkpoint_max=3)
        assert npu_init.npu_run_config_init(run_config=given) is given
        assert npu_optimizers(given.session_config) == ["NpuOptimizer"]
        assert given.keep_checkpoint_max == 3

    def test_anything_else_is_replaced(self, npu_init: Any) -> None:
        for given in (None, "config"):
            made = npu_init.npu_run_config_init(given)
            assert isinstance(made, RunConfig)
            assert npu_optimizers(made.session_config) == ["NpuOptimizer"]
