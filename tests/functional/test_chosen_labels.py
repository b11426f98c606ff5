"""Labels that are chosen: intervals hold, whether or not the model is right."""

import warnings
from itertools import cycle, islice

import numpy as np
import pytest
from scipy import special

from sklearn_spe import ActiveTestSelector, SemisupervisedScoreMixture
from sklearn_spe.metrics._ranking import AveragePrecision
from tests.functional.problems import least_hits, seeds
from tests.quick import EXPERTS, QUIET

pytestmark = [*QUIET, pytest.mark.slow]
AT = 0.0


def pool(seed, n=200):
    """Return scores and labels that rise with them."""
    rng = np.random.default_rng([seed, 29])
    scores = rng.normal(size=n)
    p = special.expit(rng.normal(-0.5, 0.5) + rng.gamma(8.0, 0.2) * scores)
    return scores, (rng.random(n) < p).astype(int)


def clusters(seed, n=200):
    """Return two clusters of scores, as if they were the classes: few of the upper are positive."""
    rng = np.random.default_rng([seed, 31])
    upper = rng.random(n) < 0.5
    scores = rng.normal(np.where(upper, 4.0, -4.0), 1.0)
    return scores, (rng.random(n) < np.where(upper, 0.3, 0.05)).astype(int)


def quick():
    return SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=100)


def bare():
    """Return a mixture that can hardly believe that labels contradict its clusters."""
    return SemisupervisedScoreMixture("norm", "norm", experts=None, n_draws=100)


POOLS = ((pool, quick), (clusters, bare))


def labeled(chosen, scores, labels, n, batch=10):
    """Label some items, and yield the selector after each batch."""
    chosen.fit(scores)
    for _ in range(n // batch):
        items = chosen.query(batch)
        chosen.update(items, labels[items])
        yield chosen


def true_value(metric, scores, labels):
    if metric == "average_precision":
        order = np.argsort(-scores)
        tp = np.cumsum(labels[order])[np.newaxis].astype(float)
        return float(AveragePrecision().value(tp, np.arange(1.0, len(scores) + 1.0) - tp)[0])
    above = scores >= AT
    return {
        "precision": labels[above].mean(),
        "accuracy": np.mean(labels == above),
    }[metric]


def place(metric):
    return {} if metric == "average_precision" else {"threshold": AT}


@pytest.fixture(autouse=True)
def _quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def alternately(choices, seed, n):
    """Return n pairs of a choice and a seed of its own."""
    return zip(islice(cycle(choices), n), seeds(seed, n), strict=True)


def test_the_interval_of_chosen_labels_holds_where_the_model_is_right(global_random_seed):
    n_repeats, looks = 14, (1, 3)
    held = np.zeros(len(looks))
    metrics = ("average_precision", "precision")
    for metric, seed in alternately(metrics, global_random_seed, n_repeats):
        scores, labels = pool(seed)
        truth = true_value(metric, scores, labels)
        how = {"label_model": quick(), "random_state": seed, **place(metric)}
        chosen = ActiveTestSelector(metric, **how)
        for k, now in enumerate(labeled(chosen, scores, labels, 30), start=1):
            if k in looks:
                low, high = now.estimate_.interval(0.9)
                held[looks.index(k)] += low <= truth <= high
    assert (held >= least_hits(n_repeats, 0.9)).all()


def test_the_design_is_right_where_the_model_is_badly_wrong(global_random_seed):
    n_repeats, held, off, missed = 16, 0, [], 0
    strategies = ("expected_change", "adaptive_importance")
    for strategy, seed in alternately(strategies, global_random_seed, n_repeats):
        scores, labels = clusters(seed)
        truth = true_value("precision", scores, labels)
        how = {"strategy": strategy, "label_model": bare(), "random_state": seed}
        chosen = ActiveTestSelector("precision", threshold=AT, **how)
        *_, now = labeled(chosen, scores, labels, 60, batch=30)
        low, high = now.design_estimate_.interval(0.9)
        held += low <= truth <= high
        off.append(now.design_estimate_.value - truth)
        low, high = now.model_estimate_.interval(0.9)
        missed += not low <= truth <= high
    assert held >= least_hits(n_repeats, 0.88)
    # A ratio of unbiased sums: its bias is a fraction of its error. A t value of fifteen
    # degrees is beyond 8 about once in a million.
    assert abs(np.mean(off)) <= 8.0 * np.std(off) / np.sqrt(n_repeats) + 0.1 * np.std(off)
    # The model is not: or else this tells nothing.
    assert missed > 0.5 * n_repeats


def test_the_anytime_interval_holds_whenever_it_is_left(global_random_seed):
    n_repeats, held, stopped = 14, 0, []
    for (make, label_model), seed in alternately(POOLS, global_random_seed, n_repeats):
        scores, labels = make(seed)
        truth = true_value("precision", scores, labels)
        how = {"label_model": label_model(), "interval": "anytime"}
        chosen = ActiveTestSelector("precision", threshold=AT, random_state=seed, **how)
        for now in labeled(chosen, scores, labels, 120, batch=30):
            if now.should_stop(half_width=0.12):
                break
        low, high = now.estimate_.interval(0.9)
        held += low <= truth <= high
        stopped.append(now.n_labels_)
    assert held >= least_hits(n_repeats, 0.9)
    # Most stop because the interval was narrow, which is what might mislead.
    assert np.median(stopped) < 120
