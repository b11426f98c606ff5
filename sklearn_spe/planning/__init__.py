"""What labels will be worth."""

from ._fisher import FisherInformation, expected_width, fisher_information

__all__ = ["FisherInformation", "expected_width", "fisher_information"]
