"""Exercises of lesson 09: the names that a star overwrites, and a run configuration."""

from __future__ import annotations

import tempfile
import types
from collections.abc import Callable
from typing import Any

from npu_lab.bridge.run_config import NPURunConfig
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_09 as answers
from npu_lab.lab.lessons.questions_09 import QUESTIONS
from npu_lab.lab.lessons.texts_09 import CONFIG_MISTAKES, NAMES_MISTAKES

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 171,
    "training_calls": 130,
    "device_iterations": 300,
    "batches_pulled": 400,
}

# --- the names that the star overwrites

NAMES_SOLUTION = """\
def overwritten(names, module):
    return [
        name
        for name in names
        if not name.startswith("_")
        and name in vars(module)
        and getattr(module, name) is not names[name]
    ]"""


def _case() -> tuple[dict[str, Any], types.ModuleType]:
    """A script's names, and a module: one name for each way of going wrong."""
    shared, module = object(), types.ModuleType("npu_init")
    vars(module).update(shared=shared, profiler=types, rates=[0.5], create_group=abs)
    vars(module).update(_hidden=1, get_rank_id=int)
    names = {
        "shared": shared,
        "profiler": False,
        "rates": [0.5],  # equal, but another list
        "create_group": max,
        "_hidden": 2,
        "steps": 100,
    }
    return names, module


def check_overwritten(function: Callable[[Any, Any], Any]) -> None:
    """Ask for one script and one module; `Wrong` unless all names are right."""
    if not callable(function):
        raise mistake(NAMES_MISTAKES, "no function")
    names, module = _case()
    answer = function(names, module)
    refuse_placeholder(answer)
    kinds = (list, tuple, set, frozenset)
    if not isinstance(answer, kinds) or not all(isinstance(n, str) for n in answer):
        raise mistake(NAMES_MISTAKES, "no names", got=repr(answer))
    got = set(answer)
    wanted = set(answers.right(names, module))
    more, less = sorted(got - wanted), sorted(wanted - got)
    whys = [_why_not(name, names) for name in more]
    whys += ["equal" if name == "rates" else "missed" for name in less]
    for key in ("private", "same object", "only its own", "kept", "missed", "equal"):
        if key in whys:
            name = [*more, *less][whys.index(key)]
            raise mistake(NAMES_MISTAKES, key, got=sorted(got), more=name)


def _why_not(name: str, names: dict[str, Any]) -> str:
    if name.startswith("_"):
        return "private"
    if name not in names:
        return "only its own"
    return "same object" if name == "shared" else "kept"


# --- the run configuration

CONFIG_SOLUTION = """\
from npu_bridge.npu_init import *


def npu_run_config(folder, n):
    return NPURunConfig(
        iterations_per_loop=n,
        model_dir=folder,
        tf_random_seed=7,
        save_checkpoints_steps=50,
    )"""


def check_npu_run_config(function: Callable[[str, int], Any]) -> None:
    """Ask for two N; `Wrong` unless both configurations are right."""
    if not callable(function):
        raise mistake(CONFIG_MISTAKES, "no function")
    with tempfile.TemporaryDirectory() as folder:
        for n in (10, 25):
            config = function(folder, n)
            refuse_placeholder(config)
            if not isinstance(config, NPURunConfig):
                raise mistake(CONFIG_MISTAKES, "class", got=type(config).__name__)
            made: Any = config
            found = {
                "n": (made.iterations_per_loop, n),
                "folder": (made.model_dir, folder),
                "seed": (made.tf_random_seed, 7),
                "checkpoints": (made.save_checkpoints_steps, 50),
                "summaries": (made.save_summary_steps or 0, 0),
            }
            for key, (got, wanted) in found.items():
                if got != wanted:
                    raise mistake(CONFIG_MISTAKES, key, got=got, n=n)


_overwritten = Exercise(
    name="09/overwritten",
    title={"en": "the names that are overwritten", "zh": "会被覆盖的名称"},
    checker=check_overwritten,
    praise={
        "en": "Run it on globals() before the import, and rename what it lists.",
        "zh": "在导入之前对 globals() 运行它，并给列出的名称改名。",
    },
    hints=(
        {
            "en": "Three conditions: public, in the module, and another object there.",
            "zh": "三个条件：公开、模块中有、并且是另一个对象。",
        },
        {
            "en": "vars(module) holds its names, getattr(module, name) the object.",
            "zh": "vars(module) 中是模块的名称，getattr(module, name) 是其对象。",
        },
        {
            "en": 'name[0] != "_" and name in vars(module) and ... is not ...',
            "zh": 'name[0] != "_" and name in vars(module) and ... is not ...',
        },
    ),
    solution=NAMES_SOLUTION,
    explanation={
        "en": "A module without __all__ gives all its public names to a star. What the"
        " script has under the same name is lost, unless it is the same object.",
        "zh": "没有 __all__ 的模块，星号导入会带入其全部公开名称。"
        "脚本中的同名对象会被覆盖，除非本来就是同一个对象。",
    },
    mistakes=NAMES_MISTAKES,
    right=answers.RIGHT_NAMES,
    wrong=answers.WRONG_NAMES,
)

_npu_run_config = Exercise(
    name="09/npu_run_config",
    title={"en": "the run configuration by hand", "zh": "手工迁移运行配置"},
    checker=check_npu_run_config,
    praise={
        "en": "All by keyword, N from outside, and nothing left that it does not take.",
        "zh": "全部使用关键字参数，N 由外部传入，不支持的参数已删除。",
    },
    hints=(
        {
            "en": "Four parameters: N, the folder, the seed, the checkpoints.",
            "zh": "四个参数：N、目录、随机种子、checkpoint 间隔。",
        },
        {
            "en": "device_fn goes; the rest keeps its value, each with its keyword.",
            "zh": "删除 device_fn；其余的值不变，各自写成关键字参数。",
        },
        {
            "en": "iterations_per_loop=n, model_dir=folder, tf_random_seed=..., ...",
            "zh": "iterations_per_loop=n, model_dir=folder, tf_random_seed=..., ...",
        },
    ),
    solution=CONFIG_SOLUTION,
    explanation={
        "en": "By position the folder would be taken for iterations_per_loop, the first"
        " parameter. save_summary_steps is 0 unless you ask for it.",
        "zh": "如果按位置传入，目录会被当作第一个参数 iterations_per_loop。"
        "save_summary_steps 不配置时为 0。",
    },
    mistakes=CONFIG_MISTAKES,
    right=answers.RIGHT_CONFIGS,
    wrong=answers.WRONG_CONFIGS,
)

EXERCISES = (_overwritten, _npu_run_config)
