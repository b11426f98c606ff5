"""Means over clusters have the spread of a t interval."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.inputs._groups import Partition


@pytest.mark.parametrize("n_clusters", [5, 12, 40])
def test_a_mean_over_clusters_has_the_spread_of_a_t_interval(n_clusters, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.permutation(np.repeat(np.arange(n_clusters), 3))
    clusters = Partition.numbered(codes)
    values = rng.normal(size=n_clusters)
    weights = clusters.bootstrap(rng, 20_000, np.arange(len(codes)))
    assert all(len(np.unique(weights[0, codes == c])) == 1 for c in range(n_clusters))
    means = weights @ values[codes] / weights.sum(axis=1)
    # In normal units, half of a 90% interval of t is so many standard deviations.
    half = stats.t(n_clusters - 1).ppf(0.95) * values.std(ddof=1) / np.sqrt(n_clusters)
    # Twenty thousand draws leave a standard deviation with an error of half a percent; kurtosis
    # makes it twice that for five clusters.
    assert means.std() * stats.norm.ppf(0.95) == pytest.approx(half, rel=0.06)
    assert means.mean() == pytest.approx(values.mean(), abs=6.0 * means.std() / np.sqrt(20_000))


@pytest.mark.parametrize(("what", "same"), [("groups", True), ("category", False)])
def test_groups_are_the_same_by_whatever_name(what, same):
    codes = np.array([0, 1, 1, 0])
    one, other = (Partition(np.array(names), codes, what) for names in (["a", "b"], ["c", "d"]))
    assert one.is_same(other) == same
    assert not one.is_same(one.take([1, 0, 1, 0]))
    assert not one.is_same(None)
