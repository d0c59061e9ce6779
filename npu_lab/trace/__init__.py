"""What crossed between host and device: the ledger, the verdicts, and the trace."""

from npu_lab.trace.ledger import Ledger, Reconciliation
from npu_lab.trace.recording import Trace
from npu_lab.trace.verdict import Verdict, loops

__all__ = ["Ledger", "Reconciliation", "Trace", "Verdict", "loops"]
