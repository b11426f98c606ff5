"""Several systems, judges and true curves side by side, and the summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data._sample import ScoreSample
from ..inputs._frames import read_frames
from ..inputs._scores import check_frequencies, check_systems
from ..inputs._validation import check_aligned, check_flag, listed
from ..models._answers import PLACES
from ..models._ranking_view import RankingKey, check_decision
from ..models._row_model import effective_number
from ..posterior._operating_points import (
    PRECISION_RECALL,
    precision_at_recall,
    sample_operating_points,
)
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ..results._tables import EstimateTable, remarks_on_parts
from ..results._verdict import Verdict
from ._readers import check_single, mean_over, members_of, pairs_of

# Undefined values (no positive in a category, say) are excluded, neither worse nor zero.
UNDEFINED = {"zero_division": np.nan}


def compared_names(performance, system=None) -> tuple[str, list]:
    """Return what to compare: all systems, or the categories of one system."""
    if system is None and performance.shown_.systems:
        return "system", list(performance.systems_)
    if system is None and performance.categories_ is None:
        raise ValueError(
            "Ranking and difference need several systems or categories: pass the scores of "
            "several systems, or category=, to fit."
        )
    return "category", _names_of_categories(performance)


def side_by_side(
    performance, metric, where, *, names=None, greater_is_better: bool | None = None
) -> EstimateTable:
    """Return the estimates of all systems or categories, or of some given by name.

    `greater_is_better=None` uses the direction of the metric.
    """
    check_is_fitted(performance, "posterior_")
    what, known = compared_names(performance, where.get("system"))
    check_not_said(what, where)
    where, names = UNDEFINED | where, known if names is None else names
    found = tuple(estimate_of(performance, metric, where | {what: name}) for name in names)
    pairs = None
    if what == "system" and performance.model_.misses_scores:
        places = combinations(range(len(names)), 2)
        pairs = {
            (i, j): _of_both(performance, metric, where, names[i], names[j]) for i, j in places
        }
    if greater_is_better is None:
        asked = performance.model_.metric_of(metric, **where)
        greater_is_better = getattr(asked, "greater_is_better", True)
    else:
        check_flag(greater_is_better, "greater_is_better")
    shown = tuple(map(str, names))
    return EstimateTable(shown, found, greater_is_better=greater_is_better, pairs=pairs)


def _of_both(performance, metric, where, a, b):
    """Return an estimate of two systems on the items that both scored; None without any."""
    category = where.get("category", performance.shown_.key.category)
    asked = RankingKey(category=category, beside=(a, b))
    if not performance.model_.has_items(asked):
        return None
    both = performance.showing(performance.model_, asked)
    return both.estimate(metric, **where, system=a), both.estimate(metric, **where, system=b)


def estimate_of(performance, metric, where) -> ScalarEstimate:
    """Return `estimate`, or an undefined estimate if the ranking has no item.

    So the other rows of a table can still be computed. Of several systems it is the mean.
    """
    where = dict(where)
    members = members_of(performance.systems_, where.get("system"))
    if members is not None:
        return _mean_of(performance, metric, members, where)
    check_single(where.pop("readers", "fixed"))
    asked = {name: where.pop(name, None) for name in ("system", "category", "judge")}
    asked = performance.shown_.key.narrowed(**asked)
    if performance.model_.has_items(asked):
        return performance.showing(performance.model_, asked).estimate(metric, **where)
    everywhere = performance.showing(performance.model_, replace(asked, category=None))
    estimate = everywhere.estimate(metric, **where)
    nothing = WeightedDraws(
        np.full_like(estimate.distribution.draws, np.nan), estimate.distribution.weights
    )
    return replace(estimate, distribution=nothing, undefined=1.0)


def _mean_of(performance, metric, members, where) -> ScalarEstimate:
    """Return the mean of a metric over several systems, those that scored an item."""
    asked = {name: where[name] for name in (*PLACES, "pos_label", "average") if name in where}
    limits = getattr(performance.model_.metric_of(metric, **asked), "limits", None)

    def parts(where):
        return [estimate_of(performance, metric, where | {"system": name}) for name in members]

    return mean_over(performance, parts, _said(where["system"]), where, limits)


def _said(system) -> str:
    if not isinstance(system, list | tuple | np.ndarray):
        return str(system)
    return f"{len(system)} system{'s' * (len(system) > 1)}"


def difference_of(performance, metric, a, b, where) -> ScalarEstimate:
    """Return the estimate of one system, or category, minus that of another.

    Of several systems, such as readers, it is the mean of the differences within readers.
    """
    check_is_fitted(performance, "posterior_")
    where, systems = dict(where), performance.systems_
    within = members_of(systems, where.get("system"))
    if within is not None:
        pairs = [({"system": name}, (a, b)) for name in within]
    elif where.get("system") is None and len(systems) > 1:
        pairs = [({}, pair) for pair in pairs_of(systems, a, b) or ()]
    else:
        pairs = []
    if not pairs:
        check_single(where.pop("readers", "fixed"))
        difference = _difference(performance, metric, where, a, b)
        return replace(difference, name=f"{difference.name} of {a} minus that of {b}")

    def parts(where):
        return [_difference(performance, metric, where | more, *pair) for more, pair in pairs]

    return mean_over(performance, parts, f"{_said(a)} minus that of {_said(b)}", where)


def _difference(performance, metric, where, a, b) -> ScalarEstimate:
    """Return the difference of two sides, with the name of the metric."""
    sides = side_by_side(performance, metric, where, names=(a, b))
    difference = sides.difference(a, b)
    if difference is None:
        raise ValueError(
            f"No item has a score by both {a!r} and {b!r}: they cannot be compared. Compare each "
            f"of them with a system that scored some of its items."
        )
    return replace(difference, name=sides.estimates[0].name)


def table_by_category(performance, metric, reference, where) -> EstimateTable:
    """Return the estimates of all categories, minus that of a reference if given."""
    check_is_fitted(performance, "posterior_")
    names = _names_of_categories(performance)
    check_not_said("category", where)
    if reference is not None:
        where = UNDEFINED | where
    if reference is not None and members_of(performance.systems_, where.get("system")):
        # Within each of several systems.
        found = [difference_of(performance, metric, name, reference, where) for name in names]
        return EstimateTable(tuple(map(str, names)), tuple(found))
    found = [estimate_of(performance, metric, where | {"category": name}) for name in names]
    if reference is not None:
        base = estimate_of(performance, metric, where | {"category": reference})
        found = [estimate - base for estimate in found]
    table = EstimateTable(tuple(map(str, names)), tuple(found))
    return replace(table, remarks=remarks_on_parts(table))


def verdict_with(performance, categories: Iterable = (), tables: Iterable = ()) -> Verdict:
    """Return the verdict on numbers of a fit that are shown together.

    It is that on what the fit shows, worsened by the reasons about categories, and about the rows
    of tables such as those of each class.
    """
    verdict = performance.verdict_.worsened(performance.model_.reasons_of_categories(categories))
    return verdict.worsened_by(estimate for table in tables for estimate in table.estimates)


def with_verdict(table: EstimateTable, verdict: Verdict) -> EstimateTable:
    """Return a summary with another verdict as its first remark."""
    return replace(table, remarks=(_remark_of(verdict), *table.remarks[1:]))


def _remark_of(verdict: Verdict) -> str:
    return f"Verdict: {verdict.describe()}"


def of_several(performance, name: str):
    """Return a method for several systems; raise AttributeError otherwise."""
    check_is_fitted(performance, "posterior_")
    if not performance.shown_.systems:
        raise AttributeError(f"{name}_ requires several systems, of which none is chosen.")
    return getattr(performance, name)


def check_not_said(side: str, where) -> None:
    """Raise if an estimate is restricted to a part that is compared or listed."""
    if side in where:
        raise ValueError(
            f"{side}={where[side]!r} is not allowed here: all of them are compared or listed."
        )


def _names_of_categories(performance) -> list:
    if performance.categories_ is None:
        raise ValueError("Categories are required: pass category= to fit, one for each item.")
    return performance.categories_.tolist()


def table_by_judge(performance, metric, where) -> EstimateTable:
    """Return the estimates of all raters."""
    check_is_fitted(performance, "posterior_")
    if not performance.judges_:
        raise ValueError("No judges were given: pass judges= to fit, one column for each.")
    check_not_said("system", where)
    names, category = performance.judges_, where.pop("category", None)
    if metric is None:
        metric = _metric_of_judges(performance, where)
    found = []
    for name in names:
        try:
            asked = {"judge": name, "category": category}
            found.append(estimate_of(performance, metric, where | asked))
        except ValueError as error:
            raise ValueError(f"Judge {name!r}: {error}") from error
    return EstimateTable(tuple(map(str, names)), tuple(found))


def _metric_of_judges(performance, where) -> str:
    """Return the metric that all raters have: of their decisions, or else of their ranking."""
    if where.get("threshold") is not None:
        return OF_VERDICTS_AND_SCORES[0]
    judges = (performance.of(judge=name) for name in performance.judges_)
    decide = all(judge.default_threshold_ is not None for judge in judges)
    return OF_VERDICTS_AND_SCORES[0 if decide else 1]


def number_of_judges(performance) -> ScalarEstimate:
    """Return the effective number of independent raters."""
    check_is_fitted(performance, "posterior_")
    if len(performance.judges_) < 2:
        raise ValueError(
            "The effective number requires two judges or more; fit was given "
            f"{len(performance.judges_)}."
        )
    model = performance.model_
    said = model.table.telling_judges
    if said.shape[1] < 2:
        raise ValueError(
            f"{said.shape[1]} of {len(performance.judges_)} judges is not constant, and the "
            "effective number requires two or more such judges."
        )
    draws = effective_number(model.row_posterior, said)
    missing = np.isnan(draws)
    return ScalarEstimate(
        "effective number of judges",
        WeightedDraws(draws[:, np.newaxis], np.full(len(draws), 1.0 / len(draws))),
        performance.confidence_level,
        undefined=float(missing.mean()),
        n_items=model.posterior.n_weighted_items,
    )


OF_RANKING = ("average_precision", "roc_auc", "prevalence")
OF_CLASSES = ("accuracy", "top_k_accuracy", "precision", "recall", "f1")
# Metrics of binary raters, with their names in the literature on raters.
OF_VERDICTS = {"recall": "sensitivity", "specificity": "specificity", "cohen_kappa": "kappa"}
# The metrics that raters are compared by: of decisions, and of scores without a threshold.
OF_VERDICTS_AND_SCORES = "cohen_kappa", "roc_auc"
RECALLS = (0.25, 0.5, 0.75, 0.9)
AT_THRESHOLD = ("precision", "recall", "f1")


def summary_of(performance, threshold: float | None = None) -> EstimateTable:
    """Return the main estimates of a fitted performance estimator."""
    check_is_fitted(performance, "posterior_")
    if performance.model_.predicts_classes:
        return _of_classes(performance, threshold)
    threshold = check_decision(threshold)
    if not performance.model_.has_scores:
        return _of_labels(performance, threshold)
    if performance.shown_.systems:
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


def _of_labels(performance, threshold) -> EstimateTable:
    """Return the share of positives of labels alone."""
    if threshold is not None:
        raise ValueError("threshold= is for scores, and fit was given labels alone (X=None).")
    table = _table(performance, {"prevalence": performance.estimate("prevalence")})
    return replace(table, model=("Labels alone, without scores.",))


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
    remarks = _remark_of(performance.verdict_), labeled
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
    if performance.model_.misses_scores:
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
    negative, positive = performance.shown_.labels.names()
    labeled = (
        f"{sample.counts.sum():,.0f} items, {sample.n_labeled:g} labeled "
        f"({sample.positive.sum():g} of class {positive}, {sample.negative.sum():g} of class "
        f"{negative})."
    )
    of_fit = performance.verdict_
    remarks = _remark_of(of_fit), labeled, *_other_verdicts(of_fit, estimates)
    remarks = *remarks, *read_as(performance)
    numbers = tuple(estimates), tuple(estimates.values())
    return EstimateTable(*numbers, remarks, tuple(_model(performance)))


def _other_verdicts(of_fit: Verdict, estimates: dict) -> tuple[str, ...]:
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


def read_as(performance) -> tuple[str, ...]:
    """Return as what the scores are read, in a sentence, where that was inferred."""
    model = performance.model_
    if model.predicts_classes or model.settings.score_kind != "auto":
        return ()
    table = model.table
    kinds = dict(zip(table.systems, model.kinds, strict=False))
    if all(sample.n_cells < 2 for sample in table.samples[: table.n_systems]):
        return ()
    if not kinds:
        return ()

    # In the order of the first system of each kind.
    systems: dict[str, list] = {}
    for system, kind in kinds.items():
        systems.setdefault(kind.in_words, []).append(system)
    words = list(systems)
    if len(systems) > 1:
        words = [f"{kind} ({listed(of_kind)})" for kind, of_kind in systems.items()]
    return (f"Scores are read as {'; '.join(words)}. Pass score_kind= if you know their kind.",)


def _model(performance) -> list[str]:
    """Return the score kind of the fit and its sampling diagnostics."""
    model = performance.model_
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


def _shares(names, weights) -> str:
    """Return names with their weights, the largest first, without those that round to zero."""
    order = np.argsort(-weights, kind="stable")
    return ", ".join(f"{names[k]} {weights[k]:.0%}" for k in order if weights[k] >= 0.005)


def area_from_truth(performance, X, y, sample_weight) -> float:
    """Return the area between the estimated and the true precision-recall curve."""
    curve = performance.curve("precision_recall", target="sample")
    return float(np.abs(curve.value - _true_curve(performance, X, y, sample_weight)).mean())


def _true_curve(estimator, X, y, sample_weight) -> np.ndarray:
    """Return the true precision at the recalls of an estimated curve."""
    given = read_frames({"X": X, "y": y, "sample_weight": sample_weight})
    check_aligned(**given)
    X, y, sample_weight = given.values()
    if estimator.shown_.key.category is not None:
        raise ValueError(
            "score covers all items, but this estimator is restricted to one category: fit "
            "another estimator on the rows of that category."
        )
    labels = estimator.model_.labels
    mixture = estimator.mixture_
    columns, _ = check_systems(mixture, X, reset=False, labels=labels, classes=mixture.classes)
    n_systems, several = max(len(estimator.systems_), 1), columns.shape[1] > 1
    if several and columns.shape[1] != n_systems:
        raise ValueError(
            f"X has {columns.shape[1]} columns, but fit was given {n_systems}: pass the scores "
            "of the same systems, or of the chosen one."
        )
    scores = columns[:, estimator.systems_.index(estimator.shown_.key.system) if several else 0]
    labels = labels.with_positive(estimator.pos_label_)
    scores = estimator.score_direction_.flip(scores)
    codes = labels.codes(y, len(scores))
    if (codes < 0).any():
        raise ValueError(
            f"score needs all labels; {int((codes < 0).sum())} of {len(codes)} items are "
            "unlabeled. SemisupervisedScoreMixture.score accepts a partially labeled y, in "
            "GridSearchCV too."
        )
    weights, there = check_frequencies(sample_weight, len(scores)), ~np.isnan(scores)
    sample = ScoreSample.from_items(scores[there], codes[there], weights[there])
    if not sample.positive.any():
        raise ValueError(
            f"score needs a positive, but none of the {len(codes)} items is labeled "
            f"{labels.pos_label!r}: the precision-recall curve is undefined."
        )
    points = sample_operating_points(sample, sample.positive[np.newaxis])
    return precision_at_recall(points, PRECISION_RECALL.grid(estimator.n_points))[0]
