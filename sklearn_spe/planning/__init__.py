"""What labels will be worth."""

from ._fisher import FisherInformation, expected_width, fisher_information
from ._known_mixture import KnownMixture

__all__ = ["FisherInformation", "KnownMixture", "expected_width", "fisher_information"]
