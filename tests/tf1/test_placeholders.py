"""Placeholder folders of the documentation lead to a scratch folder."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import pytest

from npu_lab.tf1 import placeholders
from npu_lab.tf1.placeholders import Redirector, redirect


@pytest.fixture
def scratch(tmp_path):
    return tmp_path / "scratch"


@pytest.fixture(autouse=True)
def _no_real_folders(monkeypatch):
    """Whatever this computer has at /test, the tests do not see it."""
    usable, unseen = placeholders.usable, placeholders.PLACEHOLDERS
    monkeypatch.setattr(
        placeholders, "usable", lambda folder: folder not in unseen and usable(folder)
    )


def values(source, scratch, **names):
    code, redirected = redirect(source, "script.py", scratch)
    namespace = dict(names)
    exec(code, namespace)  # noqa: S102
    return namespace, redirected


@pytest.mark.parametrize(
    ("written", "below"),
    [
        ("/test", "test"),
        ("/test/", "test/"),
        ("/test/data/train.gz", "test/data/train.gz"),
        ("/home/xxxx", "home/xxxx"),
        ("/home/xxxx/", "home/xxxx/"),
        ("/home/xxxx/model.ckpt", "home/xxxx/model.ckpt"),
    ],
)
def test_a_placeholder_is_led_below_the_scratch_folder(scratch, written, below):
    namespace, redirected = values(f"path = {written!r}", scratch)
    assert namespace["path"] == f"{scratch}/{below}"
    placeholder = "/" + "/".join(below.rstrip("/").split("/")[: 1 + ("home" in below)])
    assert redirected == {placeholder: f"{scratch}{placeholder}"}
    assert Path(redirected[placeholder]).is_dir()
    assert not Path(written).exists()


@pytest.mark.parametrize(
    "written",
    ["/testing", "test/", "/home/xxxxx", "/home", "a /test/", "/tests/x", "", "./test"],
)
def test_other_strings_are_left_alone_and_nothing_is_created(scratch, written):
    namespace, redirected = values(f"path = {written!r}", scratch)
    assert (namespace["path"], redirected) == (written, {})
    assert not scratch.exists()


def test_the_scratch_folder_is_asked_for_once_and_only_when_needed(tmp_path):
    asked = []

    def scratch():
        asked.append(1)
        return tmp_path / "late"

    redirect("x = 1", "script.py", scratch)
    assert asked == []
    _, redirected = redirect("x = '/test/', '/test/a'", "script.py", scratch)
    assert asked == [1]
    assert redirected == {"/test": str(tmp_path / "late" / "test")}


def test_a_placeholder_that_can_be_written_is_left_alone(
    scratch, tmp_path, monkeypatch
):
    usable = tmp_path / "test"
    usable.mkdir()
    monkeypatch.setattr(placeholders, "PLACEHOLDERS", (str(usable),))
    namespace, redirected = values(f"path = '{usable}/a'", scratch)
    assert (namespace["path"], redirected) == (f"{usable}/a", {})


def test_a_placeholder_that_cannot_be_written_is_redirected(
    scratch, tmp_path, monkeypatch
):
    folder = tmp_path / "test"
    folder.mkdir()
    monkeypatch.setattr(placeholders, "PLACEHOLDERS", (str(folder),))
    # Its owner may always write as root, whatever the mode says
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    namespace, _ = values(f"path = '{folder}/a'", scratch)
    assert namespace["path"] == f"{scratch}/{str(folder).strip('/')}/a"


def test_docstrings_stay_and_formatted_strings_are_redirected_at_their_start(scratch):
    source = '''
"/test/"
def function():
    "/home/xxxx"
    return function.__doc__
class Class:
    """/test/"""
n = 3
start = f"/test/run{n}"
glued = f"/test{n}"
inner = f"{n}/test/{n}"
nested = f"{n}{'/test/' + str(n)}"
plain = f"/test/"
joined = "/test" "/a"
added = "/test" + "/a"
'''
    namespace, _ = values(source, scratch)
    assert namespace["__doc__"] == "/test/"
    assert namespace["function"]() == "/home/xxxx"
    assert namespace["Class"].__doc__ == "/test/"
    assert namespace["start"] == f"{scratch}/test/run3"
    assert namespace["glued"] == "/test3"
    assert namespace["inner"] == "3/test/3"
    assert namespace["nested"] == f"3{scratch}/test/3"
    assert namespace["plain"] == f"{scratch}/test/"
    assert namespace["joined"] == namespace["added"] == f"{scratch}/test/a"


def test_line_numbers_and_tracebacks_are_those_of_the_file(scratch, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("folder = '/test/'\n\nraise ValueError(folder)\n", "utf-8")
    code, _ = redirect(script.read_bytes(), str(script), scratch)
    with pytest.raises(ValueError, match="scratch") as caught:
        exec(code, {})  # noqa: S102
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (str(script), 3)
    assert last.line == "raise ValueError(folder)"


def test_a_syntax_error_names_the_file_and_line(scratch):
    with pytest.raises(SyntaxError) as caught:
        redirect("x = 1\nx = = 2\n", "script.py", scratch)
    assert (caught.value.filename, caught.value.lineno) == ("script.py", 2)


def test_the_encoding_line_of_a_file_holds(scratch):
    source = "# -*- coding: gbk -*-\nname = '迭代', '/test/'\n".encode("gbk")
    namespace, _ = values(source, scratch)
    assert namespace["name"] == ("迭代", f"{scratch}/test/")
    marked = "name = '下沉'\n".encode("utf-8-sig")
    assert values(marked, scratch)[0]["name"] == "下沉"


def test_the_future_of_this_package_is_not_that_of_the_script(scratch):
    namespace, _ = values("def f(x: 1 + 1): pass\nkinds = f.__annotations__", scratch)
    assert namespace["kinds"] == {"x": 2}


def test_sibling_modules_are_redirected_too(scratch, tmp_path, monkeypatch):
    folder = tmp_path / "project"
    (folder / "sibling_package").mkdir(parents=True)
    (folder / "sibling_package" / "__init__.py").write_text(
        "from . import inner\nfrom .inner import PATH", "utf-8"
    )
    (folder / "sibling_package" / "inner.py").write_text("PATH = '/test/'", "utf-8")
    (folder / "sibling_module.py").write_text("PATH = '/home/xxxx'", "utf-8")
    other = tmp_path / "other"
    other.mkdir()
    (other / "other_module.py").write_text("PATH = '/test/'", "utf-8")
    for each in (folder, other):
        monkeypatch.syspath_prepend(each)

    redirector = Redirector(scratch)
    before = list(sys.meta_path)
    with redirector.siblings(folder):
        import other_module
        import sibling_module
        import sibling_package
    assert sys.meta_path == before
    assert f"{scratch}/test/" == sibling_package.PATH
    assert f"{scratch}/home/xxxx" == sibling_module.PATH
    assert other_module.PATH == "/test/"
    assert Path(sibling_package.inner.__file__).parent == folder / "sibling_package"
    assert set(redirector.redirected) == {"/test", "/home/xxxx"}
    assert not list(folder.rglob("__pycache__"))
