"""Design-based guarantees of labels that were drawn with known inclusion probabilities."""

from ._recall_certificate import RecallCertificate

__all__ = [
    "RecallCertificate",
]
