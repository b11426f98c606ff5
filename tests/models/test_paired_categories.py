"""Categories that share groups: rates keep their draws, and differences go with the labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.estimators._score_mixture import SemisupervisedScoreMixture
from sklearn_spe.models._item_table import ItemTable
from sklearn_spe.models._paired_categories import PairedCategories
from tests.quick import QUIET

pytestmark = QUIET
N_PROMPTS, N_LABELED = 120, 40
SYSTEM, PROMPT = np.repeat(["a", "b"], N_PROMPTS), np.tile(np.arange(N_PROMPTS), 2)


def answers(seed, agree):
    """Return labels of two systems, of which some prompts are labeled."""
    rng = np.random.default_rng(seed)
    first = rng.random(N_PROMPTS) < 0.6
    second = np.where(rng.random(N_PROMPTS) < agree, first, rng.random(N_PROMPTS) < 0.6)
    return np.where(PROMPT < N_LABELED, np.r_[first, second].astype(int), -1)


def paired(y, n_draws=4000, groups=PROMPT, X=None):
    data = ItemData.read(
        SemisupervisedScoreMixture(),
        X,
        y,
        category=SYSTEM,
        groups=groups,
        may_lack_scores=True,
    )
    return PairedCategories.of(ItemTable.of(data), n_draws, np.random.default_rng(0))


def test_ranks_depend_on_each_other_as_labels_do(global_random_seed):
    y = answers(global_random_seed, agree=0.7)
    ranks = paired(y).ranks
    labels = y[PROMPT < N_LABELED].reshape(2, -1)
    # Of normal variables the correlation of ranks is nearly that of the values. The prior of each
    # rate has a label of its own, and of 4,000 draws the standard error is .016.
    expected = np.corrcoef(labels)[0, 1] * N_LABELED / (N_LABELED + 1.0)
    assert_allclose(np.corrcoef(ranks[:, 1], ranks[:, 2])[0, 1], expected, atol=0.1)


def test_a_rate_keeps_its_draws(global_random_seed):
    y = answers(global_random_seed, agree=0.7)
    found = paired(y, n_draws=500)
    draws = np.random.default_rng(global_random_seed).random((500, 1))
    for part in (None, 0, 1):
        assert np.array_equal(np.sort(found.in_order(draws, part), axis=0), np.sort(draws, axis=0))


def test_there_is_none_without_labels_of_shared_groups():
    y = answers(0, agree=0.7)
    assert paired(y) is not None
    # No group has labels of both systems; groups within a system; items with scores.
    assert paired(np.where((SYSTEM == "a") == (PROMPT % 2 == 0), y, -1)) is None
    assert paired(y, groups=np.arange(2 * N_PROMPTS) // 2) is None
    assert paired(y, X=np.linspace(0.0, 1.0, 2 * N_PROMPTS)) is None
    # With all labels rates are known.
    assert paired(np.arange(2 * N_PROMPTS) % 2) is None


@pytest.mark.parametrize("reverse", [False, True])
def test_estimates_that_are_subtracted_are_paired(reverse):
    y = answers(1, agree=0.9)
    y = np.where((SYSTEM == "b") & reverse & (y >= 0), 1 - y, y)
    performance = PerformanceCurveEstimator(random_state=0).fit(
        None, y, category=SYSTEM, groups=PROMPT
    )
    a, b = (performance.of(category=name).estimate("prevalence") for name in "ab")
    difference = performance.difference("prevalence", "a", "b")
    assert np.array_equal((a - b).draws, difference.draws)
    independent = np.hypot(a.standard_error, b.standard_error)
    # Systems that agree have a narrower difference, and opposite ones a wider one.
    if reverse:
        assert difference.standard_error > 1.2 * independent
    else:
        assert difference.standard_error < 0.7 * independent
