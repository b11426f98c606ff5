"""The numbers of a performance, as text."""

from __future__ import annotations

import numpy as np

from ..bands import percent
from ..curve_posterior import CurvePosterior

RECALLS = (0.25, 0.5, 0.75, 0.9)


def summarise(performance, threshold: float | None = None) -> str:
    """Return the main numbers of a fitted performance estimator as lines of text.

    Parameters
    ----------
    performance : PerformanceCurveEstimator
        Fitted.
    threshold : float, default=None
        If given, precision, recall and F1 at this threshold are added.

    Returns
    -------
    text : str
    """
    sample = performance.posterior_.sample
    n_items = sample.counts.sum()
    negative, positive = performance.mixture_.labels_.names()
    lines = [
        f"{n_items:,.0f} items, {sample.n_labeled:g} labelled "
        f"({sample.positive.sum():g} of class {positive}, {sample.negative.sum():g} of class "
        f"{negative}).",
        *_model(performance.mixture_),
        f"Verdict: {performance.verdict_.describe()}",
        "",
        f"{'':24}{'value':>8}   {percent(performance.confidence_level)} interval",
    ]
    for name in ("average_precision", "roc_auc", "prevalence"):
        lines.append(_line(name.replace("_", " "), performance.estimate(name)))
    curve = performance.curve("precision_recall")
    for recall in RECALLS:
        lines.append(_line(f"precision at recall {recall:g}", curve.at(recall)))
    if threshold is not None:
        for name in ("precision", "recall", "f1"):
            estimate = performance.estimate(name, threshold=threshold)
            lines.append(_line(f"{name} at score {threshold:g}", estimate))
    return "\n".join(lines)


def describe_threshold(performance, goal: dict, probability: float) -> str:
    """Return the threshold that meets a goal, and what it achieves, as lines of text.

    Parameters
    ----------
    performance : PerformanceCurveEstimator
        Fitted.
    goal : dict
        From metrics to bounds, as `PerformanceCurveEstimator.threshold_for` takes them.
    probability : float
        With which the goal must be met.

    Returns
    -------
    text : str

    Raises
    ------
    UnreachableGoalError
        If no threshold meets it.
    """
    threshold = performance.threshold_for(confidence_level=probability, **goal)
    band = performance.goal_probability(thresholds=[threshold], **goal)
    orientation, sample = performance.orientation_, performance.posterior_.sample
    side = "at least" if orientation.greater_is_positive else "at most"
    passing = sample.counts[sample.lower >= orientation.turn(threshold)].sum()
    lines = [
        # In full: a threshold that is rounded may lie beyond the item that it comes from.
        f"\nThreshold: scores of {side} {threshold!r} meet {band.name} with probability "
        f"{band.value[0]:.3g}; {passing:,.0f} items have them."
    ]
    for name in dict.fromkeys((*goal, "precision", "recall", "f1")):
        estimate = performance.estimate(name, threshold=threshold)
        lines.append(_line(f"{name.replace('_', ' ')} there", estimate))
    return "\n".join(lines)


def _model(mixture) -> list[str]:
    """Return what the scores were taken for, and how well it was sampled."""
    posterior = mixture.posterior_
    if isinstance(posterior, CurvePosterior):
        experts = posterior.judged.weights
        return [
            f"Experts: {_shares(experts.names, experts.posterior)}; kind of scores: "
            f"{posterior.cells.kind.name}.",
            f"Sampler: {mixture.ess_:.0f} different curves.",
        ]
    compared = mixture.comparison_
    pairs = [f"{n}-{p}" for n, p in zip(compared.negative, compared.positive, strict=True)]
    return [
        f"Scores: families (negative-positive) {_shares(pairs, compared.weights)}; "
        f"{mixture.score_scale_.name} scale.",
        f"Sampler: {mixture.ess_:.0f} effective draws (100 are enough), "
        f"k-hat {mixture.pareto_k_:.2f} (good below 0.7).",
    ]


def _shares(names, weights) -> str:
    """Return names with their weights, the heaviest first, without those of no percent."""
    order = np.argsort(-weights, kind="stable")
    return ", ".join(f"{names[k]} {weights[k]:.0%}" for k in order if weights[k] >= 0.005)


def _line(name, estimate) -> str:
    low, high = estimate.interval()
    return f"{name:24}{estimate.value:8.3f}   {low:.3f} to {high:.3f}"
