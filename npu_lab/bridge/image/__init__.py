"""`npu_bridge.image`: operators that read and resize pictures."""

from __future__ import annotations

from npu_lab.bridge.later import refuse_import

refuse_import(__name__)
