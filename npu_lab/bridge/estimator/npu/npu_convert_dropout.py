"""`npu_convert_dropout`: importing it is to give Keras the NPU's own dropout."""

from __future__ import annotations

from npu_lab.bridge.later import refuse_import

refuse_import(__name__)
