"""Means of categories whose items are all labeled: laws, fair comparisons and where they hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import MeanEstimator
from sklearn_spe.means._counted_means import CountedMeans
from tests.quick import QUIET

pytestmark = QUIET
N_DRAWS = 4000


def fitted(labels, category, groups, **given):
    means = MeanEstimator(
        target="population", label_range=(0, 1), n_draws=N_DRAWS, random_state=0, **given
    )
    return means.fit(None, np.asarray(labels, float), category=category, groups=groups)


def test_rates_are_beta_laws_and_a_difference_has_one_case_on_each_side():
    # The new system loses five of thirty cases, and wins none.
    old, new = np.ones(30), np.arange(30) >= 5
    groups = np.tile(np.arange(30), 2)
    means = fitted(np.r_[old, new], np.repeat(["old", "new"], 30), groups)
    rate = means.estimate(category="new")
    assert_allclose(rate.mean(), 25.5 / 31.0, atol=5.0 * rate.standard_error / np.sqrt(N_DRAWS))
    table = means.by_category()
    worse = table.ranking_proba[table.names.index("old"), table.names.index("new")]
    assert abs(worse - stats.beta.sf(0.5, 6, 1)) < 5.0 * np.sqrt(0.25 / N_DRAWS)


def test_fewer_groups_put_no_category_ahead():
    # Half of the groups pass in each; one category was run on ten of forty.
    passed = np.arange(40) % 2
    labels = np.r_[passed, passed[:10]]
    groups = np.r_[np.arange(40), np.arange(10)]
    means = fitted(labels, np.repeat(["all", "few"], [40, 10]), groups)
    ahead = means.by_category().ranking_proba[0, 1]
    assert abs(ahead - 0.5) < 5.0 * np.sqrt(0.25 / N_DRAWS)


@pytest.mark.parametrize("kind", ["separate", "few", "missing"])
def test_without_common_groups_and_all_labels_a_model_answers(kind):
    n_groups = 7 if kind == "few" else 12
    labels = np.tile([1.0, 0.0], n_groups)
    groups = np.repeat(np.arange(n_groups), 2)
    category = np.tile(["a", "b"], n_groups)
    if kind == "separate":
        category = np.repeat(["a", "b"], n_groups)
    if kind == "missing":
        labels[0] = np.nan
    assert not isinstance(fitted(labels, category, groups)._answers, CountedMeans)
