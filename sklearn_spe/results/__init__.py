"""Results: numbers and curves with intervals, their distributions, and verdicts."""

# Names of the top-level package are imported and documented there.
from ._bands import CurveBand as CurveBand
from ._bands import ScalarEstimate as ScalarEstimate
from ._decision_zone import DecisionZone
from ._distributions import CentredDraws, Proportions, WeightedDraws
from ._estimate_table import EstimateTable
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
