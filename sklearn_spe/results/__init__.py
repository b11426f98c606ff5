"""What is returned: numbers and curves with intervals, what they are drawn from, and verdicts."""

from ._bands import CurveBand, ScalarEstimate
from ._distributions import CentredDraws, Proportions, WeightedDraws
from ._estimate_table import EstimateTable
from ._verdict import Reason, Verdict

__all__ = [
    "CentredDraws",
    "CurveBand",
    "EstimateTable",
    "Proportions",
    "Reason",
    "ScalarEstimate",
    "Verdict",
    "WeightedDraws",
]
