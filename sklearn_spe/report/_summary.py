"""The numbers of a performance, as text."""

from __future__ import annotations

import numpy as np

from ..bands import percent

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
        f"Scores: {_families(performance.mixture_.comparison_)}; "
        f"{performance.mixture_.score_scale_.name} scale.",
        f"Sampler: {performance.mixture_.ess_:.0f} effective draws (100 are enough), "
        f"k-hat {performance.mixture_.pareto_k_:.2f} (good below 0.7).",
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


def _families(comparison) -> str:
    names = (
        f"{comparison.negative[k]}-{comparison.positive[k]} {comparison.weights[k]:.0%}"
        for k in np.argsort(-comparison.weights, kind="stable")
        if comparison.weights[k] > 0.0
    )
    return "families (negative-positive) " + ", ".join(names)


def _line(name, estimate) -> str:
    low, high = estimate.interval()
    return f"{name:24}{estimate.value:8.3f}   {low:.3f} to {high:.3f}"
