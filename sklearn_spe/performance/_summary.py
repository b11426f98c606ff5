"""The main numbers of a performance, and what they rest on."""

from __future__ import annotations

import numpy as np

from ..experts._curve_posterior import CurvePosterior
from ..inputs._numbers import check_number
from ..results._estimate_table import EstimateTable

__all__ = ["summary_of"]

OF_RANKING = ("average_precision", "roc_auc", "prevalence")
RECALLS = (0.25, 0.5, 0.75, 0.9)
AT_THRESHOLD = ("precision", "recall", "f1")


def summary_of(performance, threshold: float | None = None) -> EstimateTable:
    """Return the main numbers of a fitted performance estimator."""
    estimates = {name.replace("_", " "): performance.estimate(name) for name in OF_RANKING}
    curve = performance.curve("precision_recall")
    estimates |= {f"precision at recall {recall:g}": curve.at(recall) for recall in RECALLS}
    if threshold is not None:
        threshold = check_number(threshold, "threshold", "(-inf, inf)")
        estimates |= {
            f"{name} at score {threshold:g}": performance.estimate(name, threshold=threshold)
            for name in AT_THRESHOLD
        }
    return EstimateTable(tuple(estimates), tuple(estimates.values()), _remarks(performance))


def _remarks(performance) -> tuple[str, ...]:
    """Return what is labelled, what was fitted, and whether it can be believed."""
    sample = performance.posterior_.sample
    negative, positive = performance.mixture_.labels_.with_positive(performance.pos_label_).names()
    return (
        f"{sample.counts.sum():,.0f} items, {sample.n_labeled:g} labelled "
        f"({sample.positive.sum():g} of class {positive}, {sample.negative.sum():g} of class "
        f"{negative}).",
        *_model(performance.mixture_),
        f"Verdict: {performance.verdict_.describe()}",
    )


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
