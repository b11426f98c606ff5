"""The model-based and the design-based estimate, and their combination."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...betting._label_design import LabelDesign
from ...curves._question import Question
from ...inputs._random_state import spawn
from ...metrics._division import ratio
from ...results._distributions import WeightedDraws
from .._seed_places import SeedPlace
from ._ranking_estimate import design_precision_recall, design_ranking_estimate
from ._ratio_estimate import design_estimate

__all__ = ["combined", "estimate_of_design", "estimate_of_labeled"]

# Number of quantiles that represent the distribution of an estimate without draws.
N_QUANTILES = 200


def estimate_of_design(
    question: Question, design: LabelDesign, scores, terms, recalls, entropy, confidence_level
):
    """Return the design-based estimate; None if the question has none."""
    rng = spawn(entropy, SeedPlace.DESIGN_RESAMPLES, design.n_rows)
    level = {"confidence_level": confidence_level}
    if terms is not None:
        numerator, denominator = terms
        return design_estimate(design, numerator, denominator, question.name, **level)
    if question.is_ranking:
        return design_ranking_estimate(
            design, scores, question.metric.value, question.name, rng, **level
        )
    if not question.has_design(terms):
        return None
    band = design_precision_recall(design, scores, recalls, rng, **level)
    return band if question.is_curve else band.at(question.where["recall"])


def combined(model, design, model_weight: float):
    """Return the weighted mixture of both estimates."""
    if design is None:
        return model
    of_design = _draws(design)
    if np.isnan(of_design).any():
        return model
    defined = np.isfinite(model.distribution.draws).all(axis=1)
    own = np.where(defined, model.weights, 0.0)
    if not own.sum() > 0.0:
        return model
    share = (1.0 - model_weight) / len(of_design)
    weights = np.r_[model_weight * own / own.sum(), np.full(len(of_design), share)]
    draws = np.concatenate([model.distribution.draws, of_design])
    # These draws belong to no fit, and cannot be paired with others.
    return replace(model, distribution=WeightedDraws(draws, weights), kind="posterior", origin="")


def estimate_of_labeled(question: Question, scores, codes, above, terms) -> float:
    """Return the metric of the labeled items alone, unweighted; NaN if it is undefined."""
    known = codes >= 0
    scores, labels = scores[known], codes[known]
    if terms is not None:
        side = np.zeros(len(labels), dtype=int) if above is None else above[known].astype(int)
        top, bottom = (term[labels, side].sum() for term in terms)
        return float(ratio(top, bottom))
    if len(np.unique(labels)) < 2 or question.is_curve or question.is_goal or question.where:
        return np.nan
    if not question.is_ranking:
        return float(question.metric(labels, scores))
    decreasing, cell = np.unique(-scores, return_inverse=True)
    tp, fp = (np.cumsum(np.bincount(cell, labels == z, len(decreasing))) for z in (1, 0))
    if question.metric.n_needed > len(labels):
        return np.nan
    return float(question.metric.value(tp[np.newaxis], fp[np.newaxis])[0])


def _draws(estimate) -> np.ndarray:
    """Return equally probable draws of the distribution of an estimate, (n_draws, n_points)."""
    draws = getattr(estimate.distribution, "draws", None)
    if draws is not None:
        return draws
    distribution = estimate.distribution
    if np.isnan(distribution.standard_error) and np.isnan(distribution.value):
        # Only the range is known.
        return np.linspace(distribution.smallest, distribution.largest, N_QUANTILES)[:, np.newaxis]
    return distribution.quantile((np.arange(N_QUANTILES) + 0.5) / N_QUANTILES)
