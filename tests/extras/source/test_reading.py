"""Bytes in, the same bytes out, or a reason and a line."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.source import reading
from npu_lab.extras.source.reading import Unreadable


@pytest.mark.parametrize(
    "data",
    [
        b"", b"x = 1", b"\xef\xbb\xbfx = 1\r\n", b"# coding: gbk\n# \xd6\xd0\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n# \xe9\n",
        b"a = 1\rb = 2\r\nc = 3\n", b"\f\nx = 1\n",
    ],
)  # fmt: skip
def test_the_same_bytes_come_back(data):
    source = reading.decode(data)
    assert source.encode(source.text) == data


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"x = 1\n# \xd6\xd0\n", 2), (b"# coding: klingon\n", 1)],
)
def test_bytes_of_another_encoding(data, line):
    with pytest.raises(Unreadable) as caught:
        reading.decode(data)
    assert (caught.value.reason, caught.value.line) == ("encoding", line)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("x = 1\nprint 'x'\n", "python 2", 2),
        ("x = (\n", "syntax", 1),
        ("if x:\n        a\n\tb\n", "syntax", 3),
        ("(" * 5000 + ")" * 5000, "too deep", 0),
    ],
)
def test_what_is_no_python_3(text, reason, line):
    with pytest.raises(Unreadable) as caught:
        reading.parse(text)
    assert caught.value.reason in {reason, "syntax"}
    if reason != "too deep":
        assert (caught.value.reason, caught.value.line) == (reason, line)
