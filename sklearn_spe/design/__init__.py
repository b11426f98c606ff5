"""What labels prove that were drawn with known probabilities, whatever a model assumes."""

from ._recall_certificate import RecallCertificate

__all__ = [
    "RecallCertificate",
]
