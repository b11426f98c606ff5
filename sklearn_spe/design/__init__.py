"""Design-based guarantees of labels that were drawn with known inclusion probabilities."""

from ._evidence import verify_evidence
from ._recall_certificate import RecallCertificate

__all__ = [
    "RecallCertificate",
    "verify_evidence",
]
