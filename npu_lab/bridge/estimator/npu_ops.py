"""`npu_ops`: device operators, set-up and channels."""

from __future__ import annotations

from npu_lab.bridge import channels
from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)

outfeed_enqueue_op = channels.outfeed_enqueue_op
outfeed_dequeue_op = channels.outfeed_dequeue_op
stop_outfeed_dequeue_op = channels.stop_outfeed_dequeue_op
