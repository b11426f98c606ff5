"""Summary table: main estimates, verdict, labels and model."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..engine._curve_posterior import CurvePosterior
from ..inputs._numbers import check_number
from ..items._item_posterior import ItemPosterior
from ..items._ranking_posterior import RankingPosterior
from ..multiclass._classes_model import ClassesModel
from ..results._bands import ScalarEstimate
from ..results._estimate_table import EstimateTable

__all__ = ["summary_of"]

OF_RANKING = ("average_precision", "roc_auc", "prevalence")
OF_CLASSES = ("accuracy", "top_k_accuracy", "precision", "recall", "f1")
# Metrics of binary raters, with their names in the literature on raters.
OF_VERDICTS = {"recall": "sensitivity", "specificity": "specificity", "cohen_kappa": "kappa"}
RECALLS = (0.25, 0.5, 0.75, 0.9)
AT_THRESHOLD = ("precision", "recall", "f1")


def summary_of(performance, threshold: float | None = None) -> EstimateTable:
    """Return the main estimates of a fitted performance estimator."""
    check_is_fitted(performance, "posterior_")
    if isinstance(performance.model_, ClassesModel):
        return _of_classes(performance, threshold)
    if threshold is not None:
        threshold = check_number(threshold, "threshold", "(-inf, inf)")
    if isinstance(performance.posterior_, ItemPosterior):
        return _of_systems(performance, threshold)
    estimates = {name.replace("_", " "): performance.estimate(name) for name in OF_RANKING}
    curve = performance.curve("precision_recall")
    estimates |= {f"precision at recall {recall:g}": curve.at(recall) for recall in RECALLS}
    if threshold is not None:
        estimates |= {
            f"{name} at score {threshold:g}": performance.estimate(name, threshold=threshold)
            for name in AT_THRESHOLD
        }
    estimates |= _of_judges(performance)
    return _table(performance, estimates)


def _of_classes(performance, threshold) -> EstimateTable:
    """Return the main estimates of a multiclass classifier."""
    if threshold is not None:
        raise ValueError("threshold= is for scores of two classes; leave it out.")
    model = performance.model_
    names, estimates = [], []
    for system in performance.systems_:
        of_which = f" of {system}" if len(performance.systems_) > 1 else ""
        for metric in OF_CLASSES:
            estimates.append(performance.estimate(metric, system=system))
            names.append(estimates[-1].name.replace("_", " ") + of_which)
    read_as = ", ".join(sorted({scores.read_as for scores in model.table.scores}))
    labeled = (
        f"{len(model.codes):,} items, {(model.codes >= 0).sum()} labeled, of "
        f"{len(model.classes)} classes."
    )
    remarks = f"Verdict: {performance.verdict_.describe()}", labeled
    return EstimateTable(tuple(names), tuple(estimates), remarks, (f"X is read as {read_as}.",))


def _of_systems(performance, threshold) -> EstimateTable:
    """Return the main estimates of several systems, one after the other."""
    estimates = {}
    for name in performance.systems_:
        for metric in OF_RANKING[:2]:
            key = f"{metric.replace('_', ' ')} of {name}"
            estimates[key] = performance.estimate(metric, system=name)
        if threshold is not None:
            for metric in AT_THRESHOLD:
                key = f"{metric} of {name} at score {threshold:g}"
                estimates[key] = performance.estimate(metric, system=name, threshold=threshold)
    first = performance.of(system=performance.systems_[0])
    if performance.subject_.misses_scores:
        # Of the items that the system scored.
        estimates |= {
            f"prevalence of {name}": performance.estimate("prevalence", system=name)
            for name in performance.systems_
        }
    else:
        estimates["prevalence"] = first.estimate("prevalence")
    estimates |= _of_judges(performance)
    table = performance.model_.table
    return _table(first, estimates, table.sample_of(np.zeros(table.n_items)))


def _of_judges(performance) -> dict[str, ScalarEstimate]:
    """Return the quality of each rater, and the effective number of raters."""
    estimates: dict[str, ScalarEstimate] = {}
    for name in performance.judges_:
        judge = performance.of(judge=name)
        decides = judge.default_threshold_ is not None
        asked = OF_VERDICTS if decides else {"roc_auc": "roc auc"}
        estimates |= {
            f"{said} of judge {name}": judge.estimate(metric) for metric, said in asked.items()
        }
    if performance.judges_ and performance.model_.table.telling_judges.shape[1] > 1:
        together = performance.effective_judges()
        estimates[together.name] = together
    return estimates


def _table(performance, estimates, sample=None) -> EstimateTable:
    """Return estimates with the verdict, the label counts and the model."""
    sample = performance.posterior_.sample if sample is None else sample
    labels = performance.model_.labels.with_positive(performance.pos_label_)
    negative, positive = labels.names()
    labeled = (
        f"{sample.counts.sum():,.0f} items, {sample.n_labeled:g} labeled "
        f"({sample.positive.sum():g} of class {positive}, {sample.negative.sum():g} of class "
        f"{negative})."
    )
    remarks = f"Verdict: {performance.verdict_.describe()}", labeled
    numbers = tuple(estimates), tuple(estimates.values())
    return EstimateTable(*numbers, remarks, tuple(_model(performance)))


def _model(performance) -> list[str]:
    """Return the score kind of the fit and its sampling diagnostics."""
    if isinstance(performance.posterior_, RankingPosterior):
        return _of_items(performance.posterior_.items)
    mixture = performance.mixture_
    posterior = mixture.posterior_
    if isinstance(posterior, CurvePosterior):
        experts = posterior.updated.weights
        return [
            f"Experts: {_shares(experts.names, experts.posterior)}; kind of scores: "
            f"{posterior.cells.kind.name}.",
            f"Sampler: {mixture.ess_:.0f} effective draws.",
        ]
    compared = mixture.comparison_
    pairs = [f"{n}-{p}" for n, p in zip(compared.negative, compared.positive, strict=True)]
    return [
        f"Scores: families (negative-positive) {_shares(pairs, compared.weights)}; "
        f"{mixture.score_scale_.name} scale.",
        f"Sampler: {mixture.ess_:.0f} effective draws (100 are enough), "
        f"k-hat {mixture.pareto_k_:.2f} (good below 0.7).",
    ]


def _of_items(posterior: ItemPosterior) -> list[str]:
    """Return the score axes of the fit and its sampling diagnostics."""
    weights = posterior.updated.weights
    names = [name.split(" of ", 1)[1] for name in weights.names]
    on = {
        name: sum(weights.posterior[k] for k, n in enumerate(names) if n == name) for name in names
    }
    return [
        f"Curves on {_shares(list(on), np.array(list(on.values())))}.",
        f"Sampler: {posterior.ess:.0f} effective draws.",
    ]


def _shares(names, weights) -> str:
    """Return names with their weights, the largest first, without those that round to zero."""
    order = np.argsort(-weights, kind="stable")
    return ", ".join(f"{names[k]} {weights[k]:.0%}" for k in order if weights[k] >= 0.005)
