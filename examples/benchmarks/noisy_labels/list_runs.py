"""Labelings of ranked lists: the errors of each estimator at each number of labels."""

import numpy as np
from answers import Estimate
from labellings import ESTIMATORS, counts_of, labelling, selector_for, verified_estimate
from measures import number_measures, outside
from resumable_runs import attempt
from score_files import seed_of
from tables import filled

ROW = (
    *("method", "estimator", "share", "n_labels", "n_candidates"),
    *("error", "lists_known", "list_covered", "list_width"),
    *("truth", "estimate", "mean_error", "covered", "width", "winkler"),
    *("model_weight", "step_seconds", "seconds", "failure"),
)


def label_lists(lists, name, repeat, shares, batch, start, methods, **where):
    """Return a row for each method, budget and estimator.

    Parameters
    ----------
    lists : RankedLists
    name : str
        Of the data, for seeds.
    repeat : int
    shares : sequence of float
        Budgets in percent.
    batch : float
        The share that is taken at once, in percent.
    start : {"random", "chosen"}
    methods : sequence of str
    **where : dict
        Parameters of selectors that are the same for all methods.
    """
    seed, rows = seed_of(name, repeat, 0), []
    for method in methods:
        work = (method, lists, shares, batch, start, seed, where)
        looks, about = attempt(look_at, *work)
        nothing = [{"share": share, "estimator": e} for share in shares for e in ESTIMATORS]
        for found in nothing if looks is None else looks:
            rows.append(filled({"method": method, **found, **about}, ROW))
    return rows


def look_at(method, lists, shares, batch, start, seed, where):
    """Return the estimates of each estimator at each budget, beside the truth."""
    selector = selector_for(method, lists.metric, seed, **where)
    n = len(lists.candidates)
    counts, (size,) = counts_of(shares, n), counts_of([batch], n)
    rows = []
    looks = labelling(selector, lists, counts, size, start, seed)
    for share, look in zip(shares, looks, strict=True):
        about = {
            "share": share,
            "n_labels": len(look.verified),
            "n_candidates": n,
            "truth": float(np.nanmean(lists.truth)),
            "model_weight": selector.model_weight_,
            "step_seconds": look.step_seconds,
        }
        rows += [{**about, **found} for found in three_estimators(selector, lists, look.verified)]
    return rows


def three_estimators(selector, lists, verified):
    """Yield the measures of the learned, the naive and the verified-only estimator."""
    yield {
        "estimator": "learned",
        **list_measures(learned_lists(selector, lists), lists.truth),
        **mean_measures(selector.estimate_, lists),
    }
    others = {
        "naive": (lists.naive_values(verified), selector.naive_estimate_),
        "verified": (lists.verified_values(verified), verified_estimate(selector)),
    }
    for name, (values, estimate) in others.items():
        yield {
            "estimator": name,
            "error": mean_over(np.abs(values - lists.truth)),
            "lists_known": float(np.mean(~np.isnan(values))),
            "estimate": estimate,
            "mean_error": abs(estimate - float(np.nanmean(lists.truth))),
        }


def learned_lists(selector, lists):
    """Return the estimates of lists; of one list that of the selector, with all estimators."""
    if len(lists.truth) == 1:
        estimate = selector.estimate_
        return Estimate(*map(np.atleast_1d, (estimate.value, *estimate.interval())))
    table = selector.by_category()
    return Estimate(table.values, *table.intervals().T)


def list_measures(estimate, truth):
    """Return the mean error of lists, how often their intervals hold, and how wide they are."""
    known = ~np.isnan(truth)
    missed = outside(estimate, truth)[known] > 0.0
    return {
        "error": mean_over(np.abs(estimate.value - truth)),
        "lists_known": 1.0,
        "list_covered": float(np.mean(~missed)),
        "list_width": mean_over(estimate.high - estimate.low),
    }


def mean_measures(estimate, lists):
    """Return the measures of the mean over lists."""
    low, high = estimate.interval()
    value = estimate.value
    found = number_measures(Estimate(value, low, high), float(np.nanmean(lists.truth)))
    found.pop("confidently_wrong")
    return {"estimate": value, "mean_error": found.pop("error"), **found}


def mean_over(values):
    """Return the mean of the known values, NaN without any."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else np.nan
