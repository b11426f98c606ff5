"""The shares of the classes among new items, by labels that were chosen by class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.posterior._class_shares import (
    PRIOR_LABELS,
    ClassCounts,
    ClassShares,
    _ShareProposal,
)
from sklearn_spe.posterior._label_shift import MAX_BINS, LabelShiftBins, LabelShiftPosterior

N_DRAWS = 2000
# Values of each of three numbers of an exact posterior by quadrature.
N_GRID = 120


def counts_of(negative, positive, unlabeled):
    return ClassCounts(*(np.array(each, dtype=float) for each in (negative, positive, unlabeled)))


def exact_prevalence(counts, a=1.0, b=1.0):
    """Return the grid of the prevalence and its posterior, for a verdict, by quadrature.

    Beta posteriors of both error rates, times the binomial likelihood of the new items.
    """
    grid = (np.arange(N_GRID) + 0.5) / N_GRID
    prior = PRIOR_LABELS / 2.0
    false_alarms, recall = (
        stats.beta(of_class[1] + prior, of_class[0] + prior).pdf(grid)
        for of_class in (counts.negative, counts.positive)
    )
    mass = np.empty(N_GRID)
    n_new, n_above = int(counts.unlabeled.sum()), int(counts.unlabeled[1])
    for k, prevalence in enumerate(grid):
        share = prevalence * grid[:, np.newaxis] + (1.0 - prevalence) * grid
        mass[k] = recall @ stats.binom(n_new, share).pmf(n_above) @ false_alarms
    mass *= stats.beta(a, b).pdf(grid)
    return grid, mass / mass.sum()


@pytest.mark.parametrize(
    "counts",
    [
        counts_of([17, 3], [1, 19], [30, 70]),
        # Few new items: they weigh the classes.
        counts_of([30, 10], [4, 36], [2, 9]),
        # The verdict never errs on a positive, and new items have more of it than any class.
        counts_of([12, 8], [0, 20], [0, 60]),
        # A verdict that says nothing.
        counts_of([10, 10], [10, 10], [20, 20]),
    ],
    ids=["usual", "few_new", "at_the_end", "worthless"],
)
def test_prevalence_of_a_verdict_is_exact(counts, global_random_seed):
    """The draws have the moments of the exact posterior, by quadrature over three numbers."""
    shares = ClassShares.drawn(counts, N_DRAWS, np.random.default_rng(global_random_seed))
    grid, mass = exact_prevalence(counts)
    mean = mass @ grid
    sd = np.sqrt(mass @ (grid - mean) ** 2)
    # Importance weights and the grid add to the error of the draws.
    error = sd / np.sqrt(min(N_DRAWS, shares.ess))
    assert abs(shares.prevalence.mean() - mean) < 5.0 * error
    assert abs(shares.prevalence.std() - sd) < 5.0 * error


@pytest.mark.parametrize("solved_for", [None, 0, 1])
def test_each_proposal_has_the_posterior_by_its_weights(solved_for, global_random_seed):
    counts = counts_of([30, 10], [4, 36], [20, 45])
    prior = 3.0, 1.5
    proposal = _ShareProposal(counts, prior, solved_for)
    rng = np.random.default_rng(global_random_seed)
    weighted = proposal.weighted(rng, 2000, 32, 0.0, 1.0)
    weights = np.exp(weighted.log_weights - weighted.log_weights.max())
    grid, mass = exact_prevalence(counts, *prior)
    mean = mass @ grid
    error = np.sqrt(mass @ (grid - mean) ** 2 / weighted.ess)
    assert abs(np.average(weighted.prevalence, weights=weights) - mean) < 5.0 * error
    prevalence, *classes = weighted.picked(rng, 2000)
    assert abs(prevalence.mean() - mean) < 5.0 * (error + prevalence.std() / np.sqrt(2000))
    for of_class in classes:
        assert_allclose(of_class.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "counts",
    [
        counts_of([20, 15, 8, 5, 2], [1, 4, 9, 14, 22], [40, 60, 70, 90, 140]),
        # A good proposal weighs by the few negatives: each class must be one that can.
        counts_of([2, 1, 1, 1], [100, 200, 300, 400], [2000, 2000, 3000, 3000]),
    ],
    ids=["similar", "few_negatives"],
)
def test_classes_exchanged_and_bins_reversed(counts, global_random_seed):
    """The posterior of the other class is the mirror image, up to Monte Carlo error."""
    mirrored = ClassCounts(counts.positive[::-1], counts.negative[::-1], counts.unlabeled[::-1])
    rng = np.random.default_rng(global_random_seed)
    one, other = (ClassShares.drawn(each, N_DRAWS, rng) for each in (counts, mirrored))
    error = one.prevalence.std() * (1.0 / one.ess + 1.0 / other.ess + 2.0 / N_DRAWS) ** 0.5
    assert abs(one.prevalence.mean() - 1.0 + other.prevalence.mean()) < 5.0 * error
    assert other.ess == pytest.approx(one.ess, rel=0.3)


def test_many_new_items_leave_the_error_of_the_labels(global_random_seed):
    """With ever more new items the width tends to that of both error rates."""
    rng = np.random.default_rng(global_random_seed)
    widths = []
    for n_new in (100, 10_000, 1_000_000):
        shares = ClassShares.drawn(
            counts_of([43, 7], [3, 47], [n_new * 0.2, n_new * 0.8]), N_DRAWS, rng
        )
        assert shares.ess > 200.0
        widths.append(np.ptp(np.quantile(shares.prevalence, (0.05, 0.95))))
    assert widths[0] > widths[1]
    assert widths[2] == pytest.approx(widths[1], rel=0.25)


@pytest.mark.parametrize("prevalence", [0.5, 0.85])
def test_intervals_cover(prevalence, global_random_seed):
    """50 labels of each class and a verdict right in .95 and .85: 90% intervals cover."""
    rng = np.random.default_rng(global_random_seed)
    n_covered, n_data_sets = 0, 60
    for _ in range(n_data_sets):
        n_positive = rng.binomial(600, prevalence)
        above = rng.binomial([50, 50, n_positive, 600 - n_positive], [0.15, 0.95, 0.95, 0.15])
        n_above = above[2] + above[3]
        counts = counts_of(
            [50 - above[0], above[0]], [50 - above[1], above[1]], [600 - n_above, n_above]
        )
        shares = ClassShares.drawn(counts, 500, rng)
        low, high = np.quantile(shares.prevalence, (0.05, 0.95))
        n_covered += low <= prevalence <= high
    # Four standard errors below .87.
    assert n_covered / n_data_sets > 0.87 - 4.0 * np.sqrt(0.87 * 0.13 / n_data_sets)


def test_mixtures_fit_and_others_do_not(global_random_seed):
    """P-values of mixtures are seldom small; a bin that neither class fills is no mixture."""
    rng = np.random.default_rng(global_random_seed)
    negative = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    positive = negative[::-1]
    p_values = []
    for _ in range(100):
        new = rng.multinomial(600, 0.7 * positive + 0.3 * negative)
        drawn = (rng.multinomial(50, share) for share in (negative, positive))
        p_values.append(counts_of(*drawn, new).misfit)
    # A level of .05 is kept: four standard errors.
    assert np.mean(np.array(p_values) < 0.05) < 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / 100)

    middle = counts_of(50 * negative, 50 * positive, [60, 60, 360, 60, 60])
    assert middle.misfit < 1e-6
    # Of a verdict: more positive ones than either class gives.
    assert counts_of([45, 5], [20, 30], [5, 595]).misfit < 1e-6
    assert counts_of([45, 5], [20, 30], [240, 360]).misfit > 0.5


def test_classes_that_do_not_differ():
    assert counts_of([10, 10], [10, 10], [50, 50]).same_classes == pytest.approx(1.0)
    assert counts_of([45, 5], [5, 45], [50, 50]).same_classes < 1e-6
    # Of one bin, or of one class, there is nothing to compare.
    assert counts_of([10, 0], [10, 0], [5, 5]).same_classes == 1.0
    assert counts_of([10, 4], [0, 0], [5, 5]).same_classes == 1.0


def test_classes_are_compared_by_the_test_of_a_table():
    table = np.array([[12, 9, 5, 4], [3, 8, 9, 13]])
    expected = stats.chi2_contingency(table, correction=False).pvalue
    assert counts_of(*table, [1, 1, 1, 1]).same_classes == pytest.approx(expected)
    # A bin without labels of either class says nothing.
    wide = np.insert(table, 2, 0, axis=1)
    assert counts_of(*wide, [1, 1, 9, 1, 1]).same_classes == pytest.approx(expected)


def test_the_misfit_of_a_verdict_is_that_of_new_items_and_the_nearer_class():
    """Beyond both classes the likelihood is largest where all new items belong to one of them."""
    for negative, positive, new in (([45, 5], [20, 30], [40, 160]), ([45, 5], [20, 30], [99, 1])):
        nearer = positive if new[1] > new[0] else negative
        test = stats.chi2_contingency([nearer, new], correction=False, lambda_="log-likelihood")
        assert counts_of(negative, positive, new).misfit == pytest.approx(test.pvalue, rel=1e-5)


def test_bins_are_values_or_fifths_of_the_labels():
    """Few values are bins; of many there are at most five, and a decision divides none."""
    verdicts = ScoreSample.from_items(np.array([0.0, 1.0]), np.array([0, 1]), np.ones(2))
    assert LabelShiftBins.of(verdicts, verdicts, 0.5).cuts.tolist() == [1.0]
    constant = ScoreSample.from_items(np.zeros(3), np.array([0, 1, -1]), np.ones(3))
    assert LabelShiftBins.of(constant, constant, None).n_bins == 1

    scores = np.linspace(0.0, 1.0, 101)
    codes = np.where(np.arange(101) % 2 == 0, 1, 0)
    labeled = ScoreSample.from_items(scores, codes, np.ones(101))
    bins = LabelShiftBins.of(labeled, labeled, 0.5)
    assert bins.n_bins == MAX_BINS
    assert 0.5 in bins.cuts
    assert bins.number_of(np.array([0.49, 0.5])).tolist() in ([1, 2], [2, 3])
    counts = bins.counts_of(labeled, labeled)
    assert counts.negative.sum() == 50.0
    assert counts.positive.sum() == 51.0


def test_a_decision_divides_no_bin(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.choice(np.linspace(0.0, 1.0, 60), 200)
    labeled = ScoreSample.from_items(scores, rng.integers(0, 2, 200), np.ones(200))
    for threshold in (*labeled.scores, 0.481, -0.5, 1.5):
        bins = LabelShiftBins.of(labeled, labeled, threshold)
        is_above = labeled.scores >= threshold
        number = bins.number_of(labeled.scores)
        assert not set(number[is_above]) & set(number[~is_above])
        # All bins hold scores.
        assert set(number) == set(range(bins.n_bins))


@pytest.mark.parametrize("first", [0.0, 1.0])
def test_rates_of_new_items_are_those_of_their_bins(first, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    bins = LabelShiftBins(np.array([1.0, 2.0, 3.0]))
    # Two bins are empty: they count as one score, at the lower cut, the first one at the lowest.
    scores = np.r_[first + rng.random(8), 2.0 + rng.random(5)]
    alone = np.r_[scores, 1.0 if first == 0.0 else scores.min(), 3.0]
    sample = ScoreSample.from_items(scores, np.full(13, -1), np.ones(13))
    negative, positive = rng.dirichlet(np.ones(4), (2, 6))
    shares = ClassShares(rng.random((6, 1)), negative, positive, 6.0, 0.0)
    posterior = LabelShiftPosterior(sample, bins, shares)
    thresholds = np.sort(np.r_[np.nextafter(alone, 9.0), alone, -1.0, 5.0])[::-1]
    (block,) = posterior.blocks()
    prevalence, tpr, fpr, _ = posterior.population_rates(block, thresholds)
    assert_array_equal(prevalence, shares.prevalence)
    number = bins.number_of(alone)
    number[-2] = 1 - int(first)
    size = np.bincount(number)
    for rate, of_class in ((tpr, positive), (fpr, negative)):
        of_items = of_class[:, number] / size[number]
        expected = [of_items[:, alone >= threshold].sum(axis=1) for threshold in thresholds]
        assert_allclose(rate, np.transpose(expected), atol=1e-12)
