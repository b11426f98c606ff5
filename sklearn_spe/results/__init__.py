"""Results: numbers and curves with intervals, their distributions, and verdicts."""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._estimates import CurveBand as CurveBand
from ._estimates import ScalarEstimate as ScalarEstimate
from ._tables import EstimateTable
from ._verdict import Reason, Verdict

__all__ = [
    "EstimateTable",
    "Reason",
    "Verdict",
]
