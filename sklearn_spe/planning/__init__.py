"""The expected gain of more labels."""

from ._fisher import FisherInformation, expected_width, fisher_information

__all__ = ["FisherInformation", "expected_width", "fisher_information"]
