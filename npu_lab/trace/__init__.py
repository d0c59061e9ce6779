"""What crossed between host and device: the ledger and the verdicts."""

from npu_lab.trace.ledger import Ledger, Reconciliation
from npu_lab.trace.verdict import Verdict, loops

__all__ = ["Ledger", "Reconciliation", "Verdict", "loops"]
