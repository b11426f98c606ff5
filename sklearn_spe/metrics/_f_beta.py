"""The F-measure."""

from dataclasses import dataclass
from typing import ClassVar

from ..inputs._numbers import check_number
from ._ratio_metric import Coefficients, RatioMetric


@dataclass(frozen=True)
class FBeta(RatioMetric):
    """The weighted harmonic mean of precision and recall.

    Parameters
    ----------
    beta : float, default=1.0
        How many times more recall weighs than precision.
    """

    beta: float = 1.0

    name: ClassVar[str] = "f1"

    def __post_init__(self):
        check_number(self.beta, "beta", "[0, inf)")
        object.__setattr__(self, "name", f"f{self.beta:g}")

    @property
    def numerator(self) -> Coefficients:  # type: ignore[override]
        return 1.0 + self.beta**2, 0.0, 0.0, 0.0

    @property
    def denominator(self) -> Coefficients:  # type: ignore[override]
        return 1.0, 1.0, self.beta**2, 0.0
