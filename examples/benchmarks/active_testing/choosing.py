"""Ways of choosing labels with `ActiveTestSelector`, and a labelling that is looked at on its way.

An addition is one entry in `SELECTORS`.
"""

import time

import numpy as np
from answers import LEVEL, Estimate

from sklearn_spe import ActiveTestSelector

# What differs from the default.
SELECTORS = {
    "random": {"strategy": "random", "exploration": 0.0},
    "chosen": {},
    "argmax": {"draw": "argmax"},
    "log_spaced": {"strategy": "log_spaced"},
    "entropy": {"strategy": "entropy"},
    "tail": {"strategy": "tail"},
    "adaptive": {"strategy": "adaptive"},
    "stratified": {"strategy": "stratified"},
    "static_importance": {"strategy": "static_importance"},
    "adaptive_importance": {"strategy": "adaptive_importance"},
}
# So many labels are taken at once while there are fewer than so many.
BATCHES = ((10, 2), (40, 5), (80, 10), (np.inf, 20))
ESTIMATORS = ("estimate", "model", "design")
ENDS = ("", "_low", "_high")
# What is written of a selector at one number of labels.
COLUMNS = (
    *(f"{estimator}{end}" for estimator in ESTIMATORS for end in ENDS),
    *("naive", "n_labeled_positives", "model_weight", "surprised", "misfit", "reasons"),
    "step_seconds",
)


def selector_for(name, metric, seed, **where):
    """Return a selector that is not fitted."""
    parameters = {"confidence_level": LEVEL, "random_state": seed, **where, **SELECTORS[name]}
    return ActiveTestSelector(metric, **parameters)


def batch_size(n_labels):
    """Return how many labels are taken next."""
    return next(size for end, size in BATCHES if n_labels < end)


def labelling(selector, scores, labels, counts):
    """Label a pool, and yield the output of a function of the selector at each number of labels.

    `step_seconds` is the mean time of a query and an update since the last number.
    """
    selector.fit(scores)
    n_positive = 0
    for count in counts:
        start, n_steps = time.perf_counter(), 0
        while selector.n_labels_ < count:
            n = selector.n_labels_
            items = selector.query(min(batch_size(n), count - n))
            selector.update(items, labels[items])
            n_positive += int(labels[items].sum())
            n_steps += 1
        seconds = (time.perf_counter() - start) / max(n_steps, 1)
        yield {
            "n_labels": count,
            **described(selector),
            "n_labeled_positives": n_positive,
            "step_seconds": seconds,
        }


def described(selector):
    """Return both estimates, and the weight of the model."""
    estimators = (selector.estimate_, selector.model_estimate_, selector.design_estimate_)
    row = {}
    for estimator, estimate in zip(ESTIMATORS, map(as_estimate, estimators), strict=True):
        if estimate is not None:
            row |= {
                estimator: estimate.value,
                f"{estimator}_low": estimate.low,
                f"{estimator}_high": estimate.high,
            }
    reasons = [reason.name for reason in selector.verdict_.reasons]
    return {
        **row,
        "naive": selector.naive_estimate_,
        "model_weight": selector.model_weight_,
        "surprised": int("improbable_labels" in reasons),
        "misfit": int(selector.verdict_ == "misfit"),
        "reasons": " ".join(reasons),
    }


def as_estimate(estimate):
    """Return a number with its interval, None for none.

    Where there is an interval and no value, the middle of the interval is the value.
    """
    if estimate is None:
        return None
    low, high = estimate.interval()
    value = estimate.value if np.isfinite(estimate.value) else (low + high) / 2.0
    return Estimate(value, low, high)
