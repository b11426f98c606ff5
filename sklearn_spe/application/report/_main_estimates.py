"""The main estimates of a fit in one table, with its verdict, its labels and its model in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data._class_scores import ClassScores
from ...data._sample import ScoreSample
from ...exceptions import ParameterError
from ...inputs._validation import listed
from ...means._mean_estimator import MeanEstimator
from ...models._ranking_view import check_decision
from ...results._estimates import ScalarEstimate
from ...results._remedies import Remedy
from ...results._tables import (
    FURTHER_ITEMS,
    EstimateTable,
    causes_of_edges,
    intervals_in_a_line,
    remarks_on_parts,
)
from ...results._verdict import Verdict
from ._cost import LeastCost
from ._operating_point import OperatingPoint, operating_points
from ._plain_answers import caveats
from ._thresholds import DecisionNumbers

if TYPE_CHECKING:
    from ...estimators._performance import PerformanceCurveEstimator

OF_RANKING = ("average_precision", "roc_auc", "prevalence")
OF_CLASSES = ("accuracy", "top_k_accuracy", "precision", "recall", "f1")
# That of the order of classes, which predictions without probabilities do not have.
OF_ORDER = "top_k_accuracy"
# Metrics of binary raters, with their names in the literature on raters.
OF_VERDICTS = {"recall": "sensitivity", "specificity": "specificity", "cohen_kappa": "kappa"}
RECALLS = (0.25, 0.5, 0.75, 0.9)
AT_THRESHOLD = ("precision", "recall", "f1")
# The mean of all items, as a row.
MEAN_LABEL = "mean label"
# Systems whose decisions are told in sentences.
MAX_SYSTEMS = 3
# Experts and families of a smaller share are not listed.
MIN_SHARE = 0.005


def main_estimates(
    performance: PerformanceCurveEstimator | MeanEstimator,
    *,
    threshold: float | None = None,
    cost: tuple[float, float] | None = None,
) -> EstimateTable:
    """Return the main estimates of a fit in one table, as the command line prints it.

    .. versionadded:: 0.1

    Parameters
    ----------
    performance : PerformanceCurveEstimator or MeanEstimator
        Fitted.
    threshold : float, default=None
        If given, adds precision, recall and F1 at this threshold.
    cost : (float, float), default=None
        The cost of a false alarm and that of a miss. If given, the threshold is that of least
        expected cost, and the table adds cost and net benefit at this threshold.

    Returns
    -------
    table : EstimateTable
        Average precision, area under the ROC curve, prevalence, and precision at a few recalls; or
        the mean of all items and of each category. Sentences above the table state the numbers of
        right and wrong decisions at the threshold (or the usual one for such scores) and the
        estimates for further items. Lines below it state the verdict, the number of labels and the
        model.

    Raises
    ------
    ValueError
        If both a threshold and costs are given; if either is given with more than two classes or
        without scores; if costs are given with several systems.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.application import main_estimates
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.where(np.arange(500) < 20, labels, -1)
    >>> table = main_estimates(PerformanceCurveEstimator(random_state=0).fit(scores, y))
    >>> table.to_frame().columns.tolist()
    ['name', 'value', 'lower', 'upper']
    >>> print(table.remarks[1])
    500 items, 20 labeled (7 of class 1, 13 of class 0).
    """
    if isinstance(performance, MeanEstimator):
        _check_no_decision(threshold, cost)
        return _of_means(performance)
    check_is_fitted(performance, "posterior_")
    if cost is None:
        numbers = main_numbers(performance, threshold=threshold)
        return replace(numbers, summary=_summary(performance, numbers, threshold))
    if threshold is not None:
        raise ParameterError.of(
            "cost", "and threshold= both determine the threshold: pass one of them."
        )

    least = LeastCost.of(performance.of(), cost)
    numbers = main_numbers(performance, threshold=least.threshold)
    at = f"at score {least.threshold:g}"
    names = (*numbers.names, f"cost {at}", f"net benefit {at}")
    summary = _summary(performance, numbers, least.operating_point)
    return replace(
        numbers,
        names=names,
        estimates=(*numbers.estimates, least.cost, least.net_benefit),
        summary=(*summary, f"Threshold {least.threshold:.6g}: {least.sentence()}"),
    )


def main_numbers(
    performance: PerformanceCurveEstimator, *, threshold: float | None = None
) -> EstimateTable:
    """Return the main estimates without sentences, as a terminal or a page has its own."""
    check_is_fitted(performance, "posterior_")
    if performance.model_.predicts_classes:
        return _of_classes(performance, threshold)
    threshold = check_decision(threshold)
    if not performance.model_.has_scores:
        return _of_labels(performance, threshold)
    if len(performance.systems_) > 1:
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
    model: Any = performance.model_
    return _table(performance, estimates, model.passed_sample(performance._view))


def _summary(
    performance: PerformanceCurveEstimator,
    numbers: EstimateTable,
    threshold: float | OperatingPoint | None,
) -> tuple[str, ...]:
    """Return the verdict unless it is "ok", and decisions in counts, of these and further items."""
    sentences = caveats(performance.verdict_)
    model = performance.model_
    if model.predicts_classes or not model.has_scores:
        return (*sentences, numbers.estimates[0].sentence(), *further_numbers(performance))

    names: list[Any] = [None]
    if len(performance.systems_) > 1:
        names = list(performance.systems_[:MAX_SYSTEMS])
    rankings = {name: performance.of(system=name) for name in names}
    for name, point in operating_points(rankings, threshold).items():
        decision = DecisionNumbers.of(rankings[name], point)
        of_which = "" if name is None else f"{name}: "
        sentences.append(f"{of_which}{decision.good()}")
        if further := decision.further_items():
            sentences.append(f"{of_which}{FURTHER_ITEMS}{further}")
    return tuple(sentences)


def further_numbers(performance: PerformanceCurveEstimator) -> list[str]:
    """Return the first numbers of one ranking for further items like these, in a line.

    Nothing if all numbers are of them.
    """
    if performance.target == "population":
        return []
    model = performance.model_
    metrics: tuple[str, ...] = ("average_precision", "prevalence")
    if model.predicts_classes:
        metrics = ("accuracy",)
    elif not model.has_scores:
        metrics = ("prevalence",)

    several = len(performance.systems_) > 1
    ranking = performance.of(system=performance.systems_[0] if several else None)
    estimates = tuple(ranking.estimate(metric, target="population") for metric in metrics)
    names = tuple(metric.replace("_", " ") for metric in metrics)
    return [f"{FURTHER_ITEMS}{intervals_in_a_line(EstimateTable(names, estimates))}."]


def _check_no_decision(threshold: float | None, cost: Any) -> None:
    """Raise if numbers are to be decided about."""
    for name, value in {"threshold": threshold, "cost": cost}.items():
        if value is not None:
            raise ValueError(f"{name}= is for scores of two classes; leave it out.")


def _of_means(means: MeanEstimator) -> EstimateTable:
    """Return the mean of all items and of each category, and those of further items."""
    check_is_fitted(means, "n_labels_")
    table = means_in_rows(means)
    labeled = f"{means.n_items_[0]:,} items, {means.n_labels_:,} labeled."
    _, further = further_means(means)
    verdict = _remark_of(verdict_on_means(means))
    return replace(table, remarks=(verdict, labeled, *further, *remarks_on_parts(table)))


def verdict_on_means(means: MeanEstimator) -> Verdict:
    """Return the verdict on the mean of all items and on those of categories."""
    verdicts = (estimate.verdict for estimate in means_in_rows(means).estimates)
    return Verdict(dict.fromkeys(reason for each in verdicts if each for reason in each.reasons))


def means_in_rows(means: MeanEstimator, target: str | None = None) -> EstimateTable:
    """Return the mean of all items, and of each category."""
    names = [MEAN_LABEL]
    estimates = [means.estimate(target=target)]
    if means.categories_ is not None:
        by_category = means.by_category(target=target)
        names += by_category.names
        estimates += by_category.estimates
    return EstimateTable(tuple(names), tuple(estimates))


def further_means(
    means: MeanEstimator, in_words: Callable[[ValueError], str] = str
) -> tuple[EstimateTable | None, list[str]]:
    """Return the means of further items like these, and a line on them; none if all are of them.

    `in_words` states why they are not known.
    """
    if means.target == "population":
        return None, []
    try:
        table = means_in_rows(means, "population")
    except ValueError as error:
        reason = in_words(error)
        return None, [f"{FURTHER_ITEMS}not known. {reason[:1].upper()}{reason[1:]}"]
    return table, [f"{FURTHER_ITEMS}{intervals_in_a_line(table)}."]


def _of_labels(performance: PerformanceCurveEstimator, threshold: float | None) -> EstimateTable:
    """Return the share of positives of labels alone."""
    if threshold is not None:
        raise ValueError("threshold= is for scores, and fit was given labels alone (X=None).")
    estimates = {"prevalence": performance.estimate("prevalence")}
    model: Any = performance.model_
    table = _table(performance, estimates, model.passed_sample(performance._view))
    return replace(table, model=("Labels alone, without scores.",))


def _of_classes(performance: PerformanceCurveEstimator, threshold: float | None) -> EstimateTable:
    """Return the main estimates of a multiclass classifier."""
    if threshold is not None:
        raise ValueError("threshold= is for scores of two classes; leave it out.")

    estimates: dict[str, ScalarEstimate] = {}
    model: Any = performance.model_
    for system, scores in zip(performance.systems_, model.table.scores, strict=True):
        of_which = f" of {system}" if len(performance.systems_) > 1 else ""
        for metric in OF_CLASSES:
            if metric == OF_ORDER and not scores.has_second_class:
                continue
            estimate = performance.of(system=system).estimate(metric)
            estimates[estimate.name.replace("_", " ") + of_which] = estimate

    read_as = ", ".join(sorted({_kind_of(scores) for scores in model.table.scores}))
    labeled = (
        f"{len(model.codes):,} items, {(model.codes >= 0).sum():,} labeled, of "
        f"{len(model.classes)} classes."
    )
    remarks = (_remark_of(performance.verdict_), labeled)
    return EstimateTable(
        tuple(estimates), tuple(estimates.values()), remarks, (f"X is read as {read_as}.",)
    )


def _kind_of(scores: ClassScores) -> str:
    """Return the kind of the scores of several classes, in words."""
    return scores.read_as if scores.has_confidence else "predicted classes, without probabilities"


def _of_systems(performance: PerformanceCurveEstimator, threshold: float | None) -> EstimateTable:
    """Return the main estimates of several systems, one after the other."""
    estimates = {}
    rankings = {name: performance.of(system=name) for name in performance.systems_}
    for name, ranking in rankings.items():
        for metric in OF_RANKING[:2]:
            estimates[f"{metric.replace('_', ' ')} of {name}"] = ranking.estimate(metric)
        if threshold is not None:
            for metric in AT_THRESHOLD:
                key = f"{metric} of {name} at score {threshold:g}"
                estimates[key] = ranking.estimate(metric, threshold=threshold)

    if performance.model_.misses_scores:
        # Of the items that the system scored.
        estimates |= {
            f"prevalence of {name}": ranking.estimate("prevalence")
            for name, ranking in rankings.items()
        }
    else:
        estimates["prevalence"] = rankings[performance.systems_[0]].estimate("prevalence")

    estimates |= _of_judges(performance)
    table = performance.model_.table
    return _table(performance, estimates, table.sample_of(np.zeros(table.n_items)))


def _of_judges(performance: PerformanceCurveEstimator) -> dict[str, ScalarEstimate]:
    """Return the quality of each rater, and the effective number of raters."""
    estimates: dict[str, ScalarEstimate] = {}
    for name in performance.judges_:
        judge = performance.of(judge=name)
        decides = judge.default_threshold_ is not None
        metrics = OF_VERDICTS if decides else {"roc_auc": "roc auc"}
        estimates |= {
            f"{words} of judge {name}": judge.estimate(metric) for metric, words in metrics.items()
        }

    if performance.judges_ and performance.model_.table.telling_judges.shape[1] > 1:
        together = performance.effective_judges_
        estimates[together.name] = together
    return estimates


def _table(
    performance: PerformanceCurveEstimator,
    estimates: Mapping[str, ScalarEstimate],
    sample: ScoreSample,
) -> EstimateTable:
    """Return estimates with the verdict, the label counts and the model."""
    labels: Any = performance._view.labels
    negative, positive = labels.names()
    labeled = (
        f"{sample.counts.sum():,.0f} items, {sample.n_labeled:,.0f} labeled "
        f"({sample.positive.sum():,.0f} of class {positive}, {sample.negative.sum():,.0f} of class "
        f"{negative})."
    )
    verdict = performance.verdict_
    table = EstimateTable(tuple(estimates), tuple(estimates.values()))
    remarks = (
        _remark_of(verdict),
        labeled,
        *causes_of_edges(table),
        *_other_verdicts(verdict, estimates),
        *read_as(performance),
    )
    return replace(table, remarks=remarks, model=tuple(_model(performance)))


def with_verdict(table: EstimateTable, verdict: Verdict) -> EstimateTable:
    """Return the main estimates with another verdict as their first remark."""
    return replace(table, remarks=(_remark_of(verdict), *table.remarks[1:]))


def _remark_of(verdict: Verdict) -> str:
    return f"Verdict: {verdict.describe()}"


def _other_verdicts(of_fit: Verdict, estimates: Mapping[str, ScalarEstimate]) -> tuple[str, ...]:
    """Return which numbers have another verdict than the fit, in a sentence if there are any."""
    others: dict[str, list[str]] = {}
    for name, estimate in estimates.items():
        verdict = estimate.verdict
        if verdict is not None and verdict != of_fit:
            others.setdefault(str(verdict), []).append(name)
    if not others:
        return ()

    parts = (f"{word} for {listed(names)}" for word, names in others.items())
    return (f"The verdict is {'; '.join(parts)}.",)


def read_as(performance: PerformanceCurveEstimator) -> tuple[str, ...]:
    """Return the inferred kind of the scores in a sentence; nothing if it was not inferred."""
    model: Any = performance.model_
    if model.predicts_classes or model.settings.score_kind != "auto":
        return ()
    table = model.table
    kinds = dict(zip(table.systems, model.kinds, strict=False))
    are_constant = all(sample.n_cells < 2 for sample in table.samples[: table.n_systems])
    if not kinds or are_constant or not table.has_systems_scores:
        return ()

    # In the order of the first system of each kind.
    systems: dict[str, list] = {}
    for system, kind in kinds.items():
        systems.setdefault(kind.in_words, []).append(system)
    words = list(systems)
    if len(systems) > 1:
        words = [f"{kind} ({listed(of_kind)})" for kind, of_kind in systems.items()]
    kinds_in_words = f"Scores are read as {'; '.join(words)}. "
    return (Remedy(kinds_in_words + "{Score_kind} if you know their kind."),)


def _model(performance: PerformanceCurveEstimator) -> list[str]:
    """Return the score kind of the fit and its sampling diagnostics."""
    model: Any = performance.model_
    posterior = model.posterior
    if model.settings.experts is None:
        compared = model.comparison
        pairs = [f"{n}-{p}" for n, p in zip(compared.negative, compared.positive, strict=True)]
        return [
            f"Scores: families (negative-positive) {_shares(pairs, compared.weights)}; "
            f"{model.scale.name} scale.",
            f"Sampler: {model.ess:.0f} effective draws (100 are enough), "
            f"k-hat {posterior.pareto_k:.2f} (good below 0.7).",
        ]

    if model.labels_are_separate:
        return [
            f"Label shift: the labels determine the distribution of the score in each class, in "
            f"{posterior.bins.n_bins} bins, and the numbers are of the items without a label.",
            f"Sampler: {model.ess:.0f} effective draws.",
        ]

    weights = posterior.updated.weights
    n_curves = posterior.updated.n_curves
    sampler = f"Sampler: {model.ess:.0f} effective draws, of {n_curves:.0f} effective curves."
    if len(posterior.updated.curves) == 1:
        experts = _shares(weights.names, weights.posterior)
        return [f"Experts: {experts}; kind of scores: {model.kind_name}.", sampler]

    names = [name.split(" of ", 1)[1] for name in weights.names]
    of_axes = {
        axis: sum(weights.posterior[k] for k, name in enumerate(names) if name == axis)
        for axis in names
    }
    return [f"Curves on {_shares(list(of_axes), np.array(list(of_axes.values())))}.", sampler]


def _shares(names: Iterable[str], weights: np.ndarray) -> str:
    """Return names with their weights, the largest first, without those that round to zero."""
    names = list(names)
    order = np.argsort(-weights, kind="stable")
    return ", ".join(f"{names[k]} {weights[k]:.0%}" for k in order if weights[k] >= MIN_SHARE)
