"""The small configuration classes that NPURunConfig takes.

Each is what its parameters say; `written` gives the session options that NPUEstimator
writes from it, by key.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from npu_lab.bridge.run_config_table import OF_EXPERIMENTAL

Switch = Literal["auto", "manual"] | None
Written = dict[str, bool | int | str | None]


@dataclass
class ProfilingConfig:
    """Whether to profile; `profiling_options` is a JSON text, None for the defaults."""

    enable_profiling: bool = False
    profiling_options: str | None = None

    def written(self) -> Written:
        """The session options."""
        options: Written = {"profiling_mode": self.enable_profiling}
        if self.enable_profiling:
            options["profiling_options"] = self.profiling_options or ""
        return options


@dataclass
class MemoryConfig:
    """How the device's memory is set aside; 0 and None leave the defaults."""

    atomic_clean_policy: int = 0
    static_memory_policy: int = 0
    memory_optimization_policy: str | None = None
    variable_use_1g_huge_page: int = 0

    def written(self) -> Written:
        """The session options."""
        return asdict(self)


@dataclass
class DumpConfig:
    """What is dumped of operators' data; nothing is checked before the first run."""

    enable_dump: bool = False
    dump_path: str | None = None
    dump_step: str | None = None
    dump_mode: str | None = "output"
    enable_dump_debug: bool = False
    dump_debug_mode: str | None = "all"
    dump_data: str | None = "tensor"
    dump_layer: str | None = None

    def written(self) -> Written:
        """The session options; `dump_debug_mode` goes with `dump_mode`, as there."""
        options: Written = asdict(self)
        if self.dump_mode is None:
            del options["dump_debug_mode"]
        return options


@dataclass
class DynamicInputConfig:
    """Profiles of input shapes, such as "data:1,-1" with "20;40".

    `dynamic_node_type` is 0 for a Dataset, 1 for placeholders.
    """

    input_shape: str | None
    dynamic_dims: str | None
    dynamic_node_type: int | None
    compile_hybrid_mode: int | None

    def written(self) -> Written:
        """The session options: all four, or none where one is None."""
        options: Written = asdict(self)
        return {} if None in options.values() else options


@dataclass
class GraphMemoryOptimizeConfig:
    """Ways to save memory of the graph: None, "auto" or "manual" each.

    Raises:
        ValueError: another value.
    """

    recompute: Switch = None
    graph_slice: Switch = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value not in (None, "auto", "manual"):
                message = f'{name} must be None, "auto" or "manual", not {value!r}.'
                raise ValueError(message)


@dataclass
class ExperimentalConfig:
    """Options that the vendor calls experimental.

    Raises:
        ValueError: `graph_memory_optimize_config` is no GraphMemoryOptimizeConfig.
    """

    logical_device_cluster_deploy_mode: str | None = "LB"
    logical_device_id: str | None = None
    model_deploy_mode: str | None = None
    model_deploy_devicelist: str | None = None
    graph_memory_optimize_config: GraphMemoryOptimizeConfig | None = None
    enable_graph_parallel: bool | None = None
    graph_parallel_option_path: str | None = None
    graph_compiler_cache_dir: str | None = None
    resource_config_path: str | None = None
    accelerate_train_mode: str | None = None

    def __post_init__(self) -> None:
        check_kind(
            self.graph_memory_optimize_config,
            GraphMemoryOptimizeConfig,
            "graph_memory_optimize_config",
        )

    def written(self) -> Written:
        """The session options; of the memory optimisation only `graph_slice`."""
        options = dict(vars(self))
        memory = options.pop("graph_memory_optimize_config")
        if memory is not None:
            options["graph_slice"] = memory.graph_slice
        return {OF_EXPERIMENTAL.get(name, name): v for name, v in options.items()}


def check_kind(value: object, kind: type, name: str) -> None:
    """Raise ValueError unless `value` is None or of its kind."""
    if value is not None and not isinstance(value, kind):
        message = (
            f"{name} must be a {kind.__name__}, not {value!r} of type"
            f" {type(value).__name__}: write {name}={kind.__name__}(...)."
        )
        raise ValueError(message)
