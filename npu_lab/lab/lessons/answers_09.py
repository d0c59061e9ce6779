"""Answers to the exercises of lesson 09: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (one signature each, names that tell)

from __future__ import annotations

import types
from typing import Any

import npu_lab.tf1 as tf
from npu_lab.bridge.run_config import NPURunConfig

Names = dict[str, Any]


def right(names: Names, module: types.ModuleType) -> list[str]:
    return [
        name
        for name in names
        if not name.startswith("_")
        and name in vars(module)
        and getattr(module, name) is not names[name]
    ]


def right_by_importing(names: Names, module: types.ModuleType) -> set[str]:
    public = {name for name in dir(module) if name[0] != "_"}
    return {
        name for name in public & set(names) if getattr(module, name) is not names[name]
    }


def in_both(names: Names, module: types.ModuleType) -> list[str]:
    return [name for name in names if name[0] != "_" and hasattr(module, name)]


def with_private(names: Names, module: types.ModuleType) -> list[str]:
    both = [name for name in names if hasattr(module, name)]
    return [name for name in both if getattr(module, name) is not names[name]]


def whole_star(names: Names, module: types.ModuleType) -> list[str]:
    public = [name for name in vars(module) if name[0] != "_"]
    return [name for name in public if getattr(module, name) is not names.get(name)]


def all_names(names: Names, module: types.ModuleType) -> list[str]:
    public = [name for name in names if name[0] != "_"]
    return [name for name in public if getattr(module, name, None) is not names[name]]


def by_value(names: Names, module: types.ModuleType) -> list[str]:
    return [
        name for name in right(names, module) if names[name] != getattr(module, name)
    ]


def only_modules(names: Names, module: types.ModuleType) -> list[str]:
    found = right(names, module)
    return [n for n in found if isinstance(getattr(module, n), types.ModuleType)]


def count(names: Names, module: types.ModuleType) -> int:
    return len(right(names, module))


def without_asking(names: Names, module: types.ModuleType) -> list[str]:
    return [name for name in names if getattr(module, name) is not names[name]]


RIGHT_NAMES = (right, right_by_importing)
WRONG_NAMES = (
    ("same object", in_both),
    ("private", with_private),
    ("only its own", whole_star),
    ("kept", all_names),
    ("equal", by_value),
    ("missed", only_modules),
    ("no names", count),
    ("no function", ["profiler"]),
    ("raised", without_asking),
)


def right_config(folder: str, n: int) -> Any:
    return NPURunConfig(
        iterations_per_loop=n,
        model_dir=folder,
        tf_random_seed=7,
        save_checkpoints_steps=50,
    )


def right_without_summaries(folder: str, n: int) -> Any:
    given = {"model_dir": folder, "tf_random_seed": 7, "save_checkpoints_steps": 50}
    return NPURunConfig(iterations_per_loop=n, save_summary_steps=0, **given)


def stock(folder: str, n: int) -> Any:
    return tf.estimator.RunConfig(folder, 7, save_checkpoints_steps=50)


def by_position(folder: str, n: int) -> Any:
    return NPURunConfig(folder, 7, save_checkpoints_steps=50)


def with_device_fn(folder: str, n: int) -> Any:
    return NPURunConfig(iterations_per_loop=n, model_dir=folder, device_fn=None)


def without_n(folder: str, n: int) -> Any:
    return NPURunConfig(model_dir=folder, tf_random_seed=7, save_checkpoints_steps=50)


def literal_n(folder: str, n: int) -> Any:
    return right_config(folder, 10)


def without_folder(folder: str, n: int) -> Any:
    return NPURunConfig(
        iterations_per_loop=n, tf_random_seed=7, save_checkpoints_steps=50
    )


def without_seed(folder: str, n: int) -> Any:
    return NPURunConfig(
        iterations_per_loop=n, model_dir=folder, save_checkpoints_steps=50
    )


def without_checkpoints(folder: str, n: int) -> Any:
    return NPURunConfig(iterations_per_loop=n, model_dir=folder, tf_random_seed=7)


def with_summaries(folder: str, n: int) -> Any:
    given = {"model_dir": folder, "tf_random_seed": 7, "save_checkpoints_steps": 50}
    return NPURunConfig(iterations_per_loop=n, save_summary_steps=100, **given)


RIGHT_CONFIGS = (right_config, right_without_summaries)
WRONG_CONFIGS = (
    ("class", stock),
    ("n", without_n),
    ("n", literal_n),
    ("folder", without_folder),
    ("seed", without_seed),
    ("checkpoints", without_checkpoints),
    ("summaries", with_summaries),
    ("no function", "model"),
    ("raised", by_position),
    ("raised", with_device_fn),
)
