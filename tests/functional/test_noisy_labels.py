"""Noisy tags, vetted where it tells most: intervals cover, and less is wrong than before."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_spe import ActiveTestSelector
from sklearn_spe.datasets import make_noisy_tags
from sklearn_spe.metrics import PrecisionAtK
from tests.functional.problems import least_hits, seeds
from tests.quick import QUIET

pytestmark = QUIET

K, N_TAGS, N_ITEMS, N_REPEATS = 24, 12, 300, 4
N_OF_LIST = 500


def labeling(strategy, seed, share=0.15, rounds=2):
    """Return the truth, a selector that has vetted a share of what matters, and tags' errors."""
    data = make_noisy_tags(N_ITEMS, N_TAGS, prevalence=0.02, noise_spread=0.5, random_state=seed)
    chosen = ActiveTestSelector(
        PrecisionAtK(K), strategy=strategy, n_draws=150, random_state=seed
    ).fit(data.scores, noisy_labels=data.noisy_labels, category=data.category)
    for _ in range(rounds):
        items = chosen.query(int(share * K * N_TAGS / rounds))
        chosen.update(items, data.labels[items])
    scores, labels, noisy = (
        part.reshape(N_TAGS, N_ITEMS) for part in (data.scores, data.labels, data.noisy_labels)
    )
    top = np.argsort(-scores, axis=1)[:, :K]
    each = np.take_along_axis(labels, top, axis=1).mean(axis=1)
    known = np.full(data.labels.shape, np.nan)
    known[
        chosen._session.model.rows.of_items(np.flatnonzero(chosen._session.query_log.codes >= 0))
    ] = 1.0
    corrected = np.where(np.isnan(known).reshape(N_TAGS, N_ITEMS), noisy, labels)
    naive = np.take_along_axis(corrected, top, axis=1).mean(axis=1)
    return each, naive, chosen


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
def test_intervals_cover_and_errors_are_smaller_than_those_of_noisy_labels(global_random_seed):
    covered, gains, gains_of_tags = [], [], []
    for number, seed in enumerate(seeds(global_random_seed, N_REPEATS)):
        strategy = ("expected_change", "estimator_change")[number % 2]
        each, naive, chosen = labeling(strategy, seed)
        low, high = chosen.estimate_.interval()
        covered.append(low <= each.mean() <= high)
        assert chosen.naive_estimate_ == pytest.approx(naive.mean(), rel=1e-9)
        gains.append(abs(naive.mean() - each.mean()) - abs(chosen.estimate_.value - each.mean()))
        means = [estimate.mean() for estimate in chosen.by_category().estimates]
        off = np.abs(np.array(means) - each)
        gains_of_tags.append(np.mean(np.abs(naive - each) - off))
    assert np.sum(covered) >= least_hits(N_REPEATS, 0.9)
    # Against the same verified labels they are better: by 0.09 with a deviation of 0.045, of tags
    # by at least 0.049 with one of 0.037. A mean of four is below these bounds once in ten
    # thousand runs.
    assert np.mean(gains) > 0.0
    assert np.mean(gains_of_tags) > -0.02


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["random", "expected_change"])
def test_intervals_of_one_list_cover_where_noise_changes_abruptly(strategy, global_random_seed):
    hits = 0
    for seed in seeds(global_random_seed, N_REPEATS):
        rng = np.random.default_rng([seed, 59])
        truth = (rng.random(N_OF_LIST) < 0.2).astype(int)
        scores = rng.normal(1.5 * truth)
        # Users tag what they see first, and hardly anything else.
        missed = np.where(scores > 1.0, 0.05, 0.7)
        noisy = (rng.random(N_OF_LIST) < np.where(truth == 1, 1.0 - missed, 0.03)).astype(int)
        selector = ActiveTestSelector(
            "average_precision", strategy=strategy, n_draws=150, random_state=seed
        ).fit(scores, noisy_labels=noisy)
        for _ in range(2):
            items = selector.query(40)
            selector.update(items, truth[items])
        low, high = selector.estimate_.interval()
        hits += low <= average_precision_score(truth, scores) <= high
    assert hits >= least_hits(N_REPEATS, 0.85)
