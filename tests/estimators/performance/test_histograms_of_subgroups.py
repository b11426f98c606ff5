"""Subgroups that were counted: the answers are those of their items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import (
    ActiveTestSelector,
    PerformanceCurveEstimator,
    ScoreHistogram,
    SemisupervisedScoreMixture,
)
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

N_KNOWN = 20
SHARES = {"north": 0.3, "south": 0.1}


def drawn(rng, n):
    """Return scores and labels of n items of each subgroup; scores have few values."""
    y = {name: (rng.random(n) < share).astype(int) for name, share in SHARES.items()}
    scores = {name: np.round(1.5 * own + rng.standard_normal(n), 1) for name, own in y.items()}
    return scores, y


def counted(scores, y):
    """Return the histogram of each subgroup, of which each bin is one score, with some labels."""
    return {
        name: ScoreHistogram("identity", resolution=200)
        .update(scores[name])
        .with_labels(scores[name][:N_KNOWN], y[name][:N_KNOWN])
        for name in SHARES
    }


def performance():
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=EXPERTS, n_draws=40, random_state=0
    )
    return PerformanceCurveEstimator(mixture, random_state=0)


def fitted_to_items(scores, y):
    X = np.concatenate(list(scores.values()))
    known = np.concatenate([np.where(np.arange(len(own)) < N_KNOWN, own, -1) for own in y.values()])
    return performance().fit(X, known, category=np.repeat(list(SHARES), len(X) // 2))


@pytest.fixture(scope="module")
def many(global_random_seed):
    """Fits to 102,000 items, as they are and counted; more than are taken one by one."""
    scores, y = drawn(np.random.default_rng(global_random_seed), 51_000)
    return fitted_to_items(scores, y), performance().fit(counted(scores, y))


@pytest.mark.parametrize("category", [*SHARES, None])
def test_counts_are_believed_what_their_items_are(many, category):
    ours, theirs = (one.model_.ranking(category=category) for one in many)
    assert len(theirs.items.codes) < 1000
    assert_allclose(theirs.cells.scores, ours.cells.scores)
    assert_allclose(theirs.cells.counts, ours.cells.counts)
    assert_allclose(
        special.expit(theirs.cell_log_odds), special.expit(ours.cell_log_odds), rtol=1e-9
    )


@pytest.mark.parametrize(
    ("metric", "target"),
    [("prevalence", "sample"), ("average_precision", "sample"), ("prevalence", "population")],
)
def test_answers_are_those_of_the_items_but_for_the_labels_drawn(many, metric, target):
    for category in (*SHARES, None):
        ours, theirs = (one.of(category=category).estimate(metric, target=target) for one in many)
        # The same curves: what is drawn are 51,000 labels, of which a thousand may be positive.
        # Six standard errors of the share of a thousand, at most.
        for a, b in zip(
            (ours.value, *ours.interval()), (theirs.value, *theirs.interval()), strict=True
        ):
            assert abs(a - b) < 6.0 * 0.5 / np.sqrt(1000)


def test_what_bins_do_not_know_is_refused(global_random_seed):
    scores, y = drawn(np.random.default_rng(global_random_seed), 100)
    given = counted(scores, y)
    one = given["north"]
    with pytest.raises(TypeError, match="X maps some names to histograms, but 'south' to ndarray"):
        performance().fit({"north": one, "south": scores["south"]})
    with pytest.raises(TypeError, match=r"X\['north'\] is a ScoreHistogram, which has no labels"):
        performance().fit({"north": ScoreHistogram(), "south": one})
    for X in (one, given):
        rows = np.zeros(100)
        with pytest.raises(TypeError, match="pass a mapping from names"):
            performance().fit(X, category=rows)
        with pytest.raises(TypeError, match="groups= and judges= requires single items"):
            performance().fit(X, groups=rows, judges=rows)
    with pytest.raises(TypeError, match="A mapping of histograms is for subgroups"):
        SemisupervisedScoreMixture().fit(given)
    with pytest.raises(TypeError, match="A selector requires a single histogram"):
        ActiveTestSelector().fit(given)
