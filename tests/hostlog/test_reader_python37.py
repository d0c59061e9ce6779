"""The reader's file keeps to Python 3.7, on machines too that have no Python 3.7."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from npu_lab.hostlog import reader

SOURCE = Path(reader.__file__).read_text(encoding="utf-8")

# What the file uses of the standard library: each looked up in Python 3.7.
IN_PYTHON_37 = {
    "argparse.ArgumentParser",
    "collections.abc.Iterable",
    "collections.abc.Iterator",
    "collections.abc.Mapping",
    "collections.defaultdict",
    "contextlib.suppress",
    "dataclasses.asdict",
    "dataclasses.dataclass",
    "dataclasses.field",
    "datetime.datetime",
    "functools.lru_cache",
    "functools.partial",
    "heapq.merge",
    "itertools.islice",
    "json.dumps",
    "json.loads",
    "os.PathLike",
    "os.devnull",
    "os.environ",
    "os.path.abspath",
    "os.path.exists",
    "os.path.expanduser",
    "os.path.isdir",
    "os.path.join",
    "os.path.realpath",
    "os.walk",
    "pathlib.Path",
    "re.DOTALL",
    "re.compile",
    "sys.exit",
    "sys.stdout",
    "typing.NamedTuple",
}

# Methods and keywords that later versions added to what 3.7 has.
LATER = {
    "bit_count", "dirs_exist_ok", "encoding_errors", "hardlink_to", "is_junction",
    "is_relative_to", "kw_only", "missing_ok", "randbytes", "readlink", "removeprefix",
    "removesuffix", "slots", "strict", "walk_up", "weakref_slot", "with_segments",
    "with_stem", "exit_on_error", "color", "follow_symlinks", "delete_on_close",
}  # fmt: skip


def used(source):
    """Names of modules' members, by import or by attribute; methods and keywords."""
    tree = ast.parse(source)
    modules, members, others = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            members |= {f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if name.split(".")[0] in modules:
                members.add(name)
            else:
                others.add(node.attr)
        elif isinstance(node, ast.keyword):
            others.add(node.arg)
    members |= modules - {name.split(".")[0] for name in IN_PYTHON_37}
    longer = {name.rpartition(".")[0] for name in members}  # os.path, sys.stdout
    calls = {
        name for name in members if name.startswith(("sys.stdout.", "os.environ."))
    }
    return members - calls - (longer - IN_PYTHON_37), others


def wrong(source):
    """What in a source is not of Python 3.7."""
    try:
        tree = ast.parse(source, feature_version=(3, 7))
    except SyntaxError as error:
        return {str(error)}
    members, others = used(source)
    found = (members - IN_PYTHON_37) | (others & LATER)
    # An f-string's `=` and a union at run time are not told by the parser.
    if "annotations" not in ast.unparse(tree.body[:3]):
        found.add("annotations are evaluated")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "isinstance",
            "issubclass",
        ):
            found |= {"|" for arg in node.args if isinstance(arg, ast.BinOp)}
    return found


def test_the_file_keeps_to_python_37():
    assert wrong(SOURCE) == set()


def test_no_name_of_the_table_is_unused():
    members, _ = used(SOURCE)
    assert not IN_PYTHON_37 - members


@pytest.mark.parametrize(
    "later",
    [
        "if (found := read()): pass",
        "def f(a, /): pass",
        "match f:\n    case 1: pass",
        "functools.cache(f)",
        "import graphlib",
        "from math import prod",
        "'plog-1'.removeprefix('plog-')",
        "zip([], [], strict=True)",
        "isinstance(1, int | str)",
        "os.path.splitroot('a')",
    ],
)
def test_what_is_later_is_found(later):
    assert wrong(f"{SOURCE}\n{later}\n")


def test_annotations_are_not_evaluated():
    assert wrong(SOURCE.replace("from __future__ import annotations\n", ""))


def test_only_the_standard_library_is_imported():
    names = {name.split(".")[0] for name in IN_PYTHON_37}
    assert names <= sys.stdlib_module_names
