"""What is returned: numbers and curves with intervals, what they are drawn from, and verdicts."""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._bands import CurveBand as CurveBand
from ._bands import ScalarEstimate as ScalarEstimate
from ._decision_zone import DecisionZone
from ._estimate_table import EstimateTable
from ._laws import CentredDraws, Proportions, WeightedDraws
from ._verdict import Reason, Verdict

__all__ = [
    "CentredDraws",
    "DecisionZone",
    "EstimateTable",
    "Proportions",
    "Reason",
    "Verdict",
    "WeightedDraws",
]
