"""`npu_unary_ops`: a module that holds the library object of the same name.

`npu_init` exports the object, as the adapter does.
"""

from __future__ import annotations

from types import SimpleNamespace

from npu_lab.bridge.later import things

npu_unary_ops = SimpleNamespace(**things(__name__))
