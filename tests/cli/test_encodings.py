"""Sources with Chinese comments, in UTF-8 and GBK, on a console of GBK."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SESSION = """
import tensorflow as tf
from npu_bridge.npu_init import *

# 训练：一个变量，每步加一
变量 = tf.Variable(1.0)  # 初值
with tf.Session(config=npu_config_proto()) as s:
    s.run(tf.global_variables_initializer())
    print("损失", s.run(变量 * 2.0))
{extra}
"""
PLAIN = """
import tensorflow as tf

# 训练：打开会话
s = tf.Session()  # 会话
{extra}
"""
CODES = {"utf-8": "", "utf-8-sig": "", "gbk": "# -*- coding: gbk -*-"}
GBK = {"encoding": "gbk"}
needs_libcst = pytest.mark.skipif(not find_spec("libcst"), reason="needs libcst")
in_any_code = pytest.mark.parametrize("code", CODES)
in_any_language = pytest.mark.parametrize("language", ["en", "zh"])


def source(path: Path, code: str, text: str, extra: str = "") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes((CODES[code] + text.format(extra=extra)).encode(code))
    return path


def console(language: str) -> dict[str, str]:
    return {"PYTHONIOENCODING": "gbk", "NPU_LAB_LANG": language}


@in_any_language
@in_any_code
def test_run(
    npu_lab: Callable[..., Any], tmp_path: Path, code: str, language: str
) -> None:
    script = source(tmp_path / "训练.py", code, SESSION)
    ran = npu_lab("run", script, env=console(language), **GBK)
    assert ran.status == 0, ran.err
    assert "损失 2.0" in ran.out


@in_any_code
def test_run_shows_the_line_of_an_error(
    npu_lab: Callable[..., Any], tmp_path: Path, code: str
) -> None:
    script = source(
        tmp_path / "a.py", code, SESSION, "raise ValueError('出错 \\u2603')"
    )
    ran = npu_lab("run", script, env=console("zh"), **GBK)
    assert ran.status == 1
    assert "ValueError: 出错 \\u2603" in ran.err


@needs_libcst
@in_any_language
@in_any_code
def test_migrate(
    npu_lab: Callable[..., Any], tmp_path: Path, code: str, language: str
) -> None:
    folder = tmp_path / "源码"
    script = source(folder / "a.py", code, PLAIN)
    given = ["migrate", "-i", folder, "-o", tmp_path / "o", "-r", tmp_path / "r"]
    ran = npu_lab(*given, env=console(language), **GBK)
    assert ran.status == 0, ran.err
    assert ran.err
    (made,) = (tmp_path / "o").glob("*/a.py")
    before, after = script.read_bytes(), made.read_bytes()
    lines = "from npu_bridge.npu_init import *\nimport tensorflow"
    expected = before.replace(b"import tensorflow", lines.encode(), 1)
    expected = expected.replace(b"Session()", b"Session(config=npu_config_proto())")
    assert after == expected


@needs_libcst
@in_any_code
def test_migrate_shows_the_difference(
    npu_lab: Callable[..., Any], tmp_path: Path, code: str
) -> None:
    folder = tmp_path / "源码"
    source(folder / "a.py", code, PLAIN, "# 雪人 ☃" if code != "gbk" else "")
    ran = npu_lab("migrate", "-i", folder, "--diff", env=console("zh"), **GBK)
    assert ran.status == 0, ran.err
    assert " # 训练：打开会话\n" in ran.out
    assert "+s = tf.Session(config=npu_config_proto())  # 会话\n" in ran.out


@needs_libcst
@in_any_language
@in_any_code
def test_check(
    npu_lab: Callable[..., Any], tmp_path: Path, code: str, language: str
) -> None:
    bad = "config = NPURunConfig(iterations_per_loop=0)  # 配置"
    source(tmp_path / "训练.py", code, PLAIN, bad)
    ran = npu_lab("check", tmp_path, env=console(language), **GBK)
    assert ran.status == 1, ran.err
    assert "训练.py:6:10" in ran.out
