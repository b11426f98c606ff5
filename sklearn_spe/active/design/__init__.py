"""Design-based estimates from labels drawn with known inclusion probabilities."""

from ._ranking_estimate import design_precision_recall, design_ranking_estimate
from ._ratio_estimate import design_estimate

__all__ = ["design_estimate", "design_precision_recall", "design_ranking_estimate"]
