"""The files of a migration: which there are, what they are, and where results go."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from npu_lab.extras.migrate.finding import Options

SOURCES = (".py", ".ipynb")
# Not part of a program: copied, never migrated.
_ASIDE = {".git", ".hg", ".svn", ".ipynb_checkpoints", "__pycache__", ".tox", ".venv"}
_TF2 = re.compile(
    rb"tf\.function|GradientTape|\.numpy\(\)|tf\.random\.set_seed|tf\.data\.AUTOTUNE"
    rb"|tf\.config\.(list|get|set)_(physical|logical|visible)"
    rb"|mixed_precision\.(LossScaleOptimizer|set_global_policy)|disable_v2_behavior"
)
_TF1 = re.compile(
    rb"tf\.(Session|InteractiveSession|placeholder|ConfigProto|contrib|layers|app|train\."
    rb"\w*(Optimizer|Session|Supervisor)|global_variables|get_variable|flags)\b"
    rb"|\b(tf\w*|tensorflow|v1)\.Session\(|\bMonitoredTrainingSession\("
    rb"|\.make_one_shot_iterator\("
    rb"|tensorflow\.contrib|tf\.estimator|tensorflow\.compat\.v1"
)
_KERAS_TRAINS = re.compile(rb"\.(fit|fit_generator|train_on_batch|compile)\(")


def sources(root: Path) -> tuple[Path, list[str]]:
    """The folder of the input, and its sources below it in the order of their names.

    A folder that cannot be read stands among them, and is reported as a file would be.
    """
    if root.is_file():
        return root.parent, [root.name]
    found: list[Path] = []

    def closed(problem: OSError) -> None:
        found.append(Path(problem.filename))

    for folder, inside, names in os.walk(root, onerror=closed):
        inside[:] = sorted(set(inside) - _ASIDE)
        for name in names:
            path = Path(folder, name)
            if name.endswith(SOURCES) and path.is_file():
                found.append(path)
    return root, sorted(path.relative_to(root).as_posix() for path in found)


def facts(root: Path, paths: Iterable[str], options: Options, tf: int) -> Options:
    """The options with what only the files together show; `tf` 0 means: find out."""
    old = new = trains = started = False
    first = ""
    local = set()
    for path in paths:
        parts = PurePosixPath(path).with_suffix("").parts
        local.add(parts[0])
        if len(parts) > 1:
            local.add(parts[-1])
        try:
            data = (root / path).read_bytes()
        except OSError:
            continue
        if b"tensorflow" in data or b"keras" in data:
            first = first or path
            started = started or b"__main__" in data or b"npu_device" in data
            new = new or bool(_TF2.search(data))
            old = old or bool(_TF1.search(data))
            trains = trains or (b"keras" in data and bool(_KERAS_TRAINS.search(data)))
    version = tf or (2 if options.compat or (new and not old) else 1)
    started = started or version == 1 or bool(options.main)
    return replace(
        options,
        tf=version,
        local=frozenset(local - _LIBRARIES),
        keras_trains=trains,
        no_entry="" if started else first,
    )


# A folder of the input with such a name hides nothing that is migrated.
_LIBRARIES = {"tensorflow", "keras", "horovod", "tf_slim", "npu_bridge", "npu_device"}


def copy(root: Path, target: Path, only: str = "") -> list[tuple[str, str]]:
    """Copy a folder, or one file of it, with modes, links and empty folders.

    Returns what could not be copied, below `root`, and why of each.

    Raises:
        OSError: the target cannot be made.
    """
    if only:
        target.mkdir(parents=True)
        shutil.copy2(root / only, target / only)
        return []
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copytree(root, target, symlinks=True, copy_function=_copy_file)
    except shutil.Error as problem:
        return [
            (os.path.relpath(source, root), str(why))
            for source, _, why in problem.args[0]
        ]
    return []


def _copy_file(source: str, target: str) -> str:
    if Path(source).is_file():  # neither a socket nor a pipe
        shutil.copy2(source, target)
    return target


def write(path: Path, data: bytes) -> None:
    """Replace a file's content, keeping its mode.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    temporary = path.with_name(f".{path.name}.migrating")
    folder = path.parent.stat().st_mode
    path.parent.chmod(folder | stat.S_IWUSR)
    try:
        temporary.write_bytes(data)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        path.parent.chmod(folder)
