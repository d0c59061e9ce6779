"""`npu_bridge.experimental`: specialised operators."""

from __future__ import annotations

from npu_lab.bridge.later import refuse_import

refuse_import(__name__)
