"""Two-valued scores: intervals hold the truth as often as they say, by enumeration.

All that labels say of scores 0 and 1 is counted: labels at either score, and the positives among
them. Each outcome is fitted once, and the coverage at a truth is the sum of the chances of the
outcomes whose interval holds it. No interval of counts has its level at every truth, Jeffreys'
neither: over a grid of truths the mean shall be at the level, and the least near Jeffreys'.
`examples/benchmarks/two_valued` has the figures of larger designs.
"""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.experts import ValueShares
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

LEVELS = (0.9, 0.95)
QUESTIONS = ("prevalence", "precision", "recall")
# So many items at either score; the share of positives at 1, and of negatives at 0.
N_EACH, RATES = 1000, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
N_DRAWS, N_JEFFREYS = 1000, 20_000
# The least coverage may be so much below Jeffreys', and the mean below the level.
BELOW_WORST, BELOW_LEVEL = 0.03, 0.02
# Standard errors.
FAR = 5.0


def answers(low, high):
    """Return prevalence, precision and recall where so many at score 0 and 1 are positive."""
    total = low + high
    recall = np.divide(high, total, out=np.full(np.shape(total), np.nan), where=total > 0)
    return np.stack([total / (2 * N_EACH), high / N_EACH, recall], axis=-1)


def outcomes(n_labels):
    """Return the positives among so many labels at either score, (n_outcomes, 2)."""
    return np.array(list(product(range(n_labels + 1), repeat=2)))


def intervals(n_labels, experts, seed):
    """Return the ends of the intervals, (n_outcomes, n_questions, n_levels, 2)."""
    scores, found, performance = np.repeat([0.0, 1.0], N_EACH), [], None
    for low, high in outcomes(n_labels):
        y = np.full(2 * N_EACH, -1)
        y[:n_labels] = np.arange(n_labels) < low
        y[N_EACH : N_EACH + n_labels] = np.arange(n_labels) < high
        if performance is None:
            mixture = SemisupervisedScoreMixture(
                "norm",
                "norm",
                experts=experts,
                classes=[0, 1],
                n_draws=N_DRAWS,
                random_state=seed,
            )
            performance = PerformanceCurveEstimator(mixture, random_state=seed).fit(scores, y)
        else:
            performance.update(scores, y)
        estimates = [performance.estimate("prevalence")]
        estimates += [performance.estimate(q, threshold=0.5) for q in QUESTIONS[1:]]
        found.append([[e.interval(level) for level in LEVELS] for e in estimates])
    return np.array(found)


def jeffreys(n_labels, tails, rng):
    """Return the same of independent shares by Jeffreys, with tails of these sizes."""
    found = []
    for positive in outcomes(n_labels):
        shares = rng.beta(positive + 0.5, n_labels - positive + 0.5, (N_JEFFREYS, 2))
        drawn = answers(*(positive + rng.binomial(N_EACH - n_labels, shares)).T)
        found.append(np.nanquantile(drawn, [tails, 1.0 - tails], axis=0).transpose(2, 1, 0))
    return np.array(found)


def coverage(ends, n_labels):
    """Return the coverage at every truth, (n_truths, n_questions, n_levels)."""
    truths = np.rint([(N_EACH * (1.0 - a), N_EACH * b) for a, b in product(RATES, RATES)])
    of_each = stats.hypergeom.pmf(outcomes(n_labels), N_EACH, truths[:, np.newaxis], n_labels)
    truth = answers(*truths.T)[:, np.newaxis, :, np.newaxis]
    holds = (ends[..., 0] <= truth + 1e-9) & (ends[..., 1] >= truth - 1e-9)
    return np.einsum("to,toql->tql", of_each.prod(axis=2), holds)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.RemovedLabelsWarning")
@pytest.mark.parametrize(
    ("n_labels", "experts"),
    [(2, [*EXPERTS, ValueShares()]), pytest.param(10, "auto", marks=pytest.mark.slow)],
)
def test_coverage_is_at_the_level_and_its_least_is_near_jeffreys(
    n_labels, experts, global_random_seed
):
    found = coverage(intervals(n_labels, experts, global_random_seed), n_labels)
    # An end is a quantile of draws: its tail is off by a few standard errors, and where that
    # crosses a truth an outcome counts or does not. Jeffreys' ends are given as much.
    tails = (1.0 - np.array(LEVELS)) / 2.0
    off = FAR * np.sqrt(tails * (1.0 - tails) / N_DRAWS)
    rng = np.random.default_rng(global_random_seed)
    least = coverage(jeffreys(n_labels, tails + off, rng), n_labels)
    assert (found.min(axis=0) >= least.min(axis=0) - BELOW_WORST).all()
    at_level = np.minimum(LEVELS, least.mean(axis=0))
    assert (found.mean(axis=0) >= at_level - BELOW_LEVEL).all()
    most = coverage(jeffreys(n_labels, tails - off, rng), n_labels)
    assert (found.mean(axis=0) <= most.mean(axis=0) + BELOW_LEVEL).all()


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.RemovedLabelsWarning")
@pytest.mark.parametrize(("n_drawn", "n_others"), [(20, 1800), (1534, 92_000)])
def test_none_found_among_the_others_is_not_none_there(n_drawn, n_others, global_random_seed):
    # An elusion sample: all items of score 1 are read, and a few of the others.
    n_read, n_found = n_others // 9, n_others // 15
    y = np.full(n_others + n_read, -1)
    y[:n_drawn] = 0
    y[n_others:] = np.arange(n_read) < n_found
    # Of a thousand curves of two shares, a dozen agree with ten thousand labels.
    mixture = SemisupervisedScoreMixture(
        "norm",
        "norm",
        experts=[ValueShares(4000), "rank_binormal", "rank_process", "score_log_odds"],
        classes=[0, 1],
        n_draws=N_DRAWS,
        random_state=global_random_seed,
    )
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    performance.fit(np.repeat([0.0, 1.0], [n_others, n_read]), y)
    for level in LEVELS:
        low, high = performance.estimate("recall", threshold=0.5).interval(level)
        # As Jeffreys' other end, with its tail off by a few standard errors, and the 5% that
        # other experts weigh, which evidence may double.
        tail = (1.0 - level) / 2.0
        off = FAR * np.sqrt(tail * (1.0 - tail) / N_DRAWS) + 0.1 * tail
        missed = stats.beta(0.5, n_drawn + 0.5).ppf([1.0 - tail - off, 1.0 - max(tail - off, 1e-3)])
        most, least = n_found / (n_found + missed * n_others)
        assert least <= low <= most
        assert high == 1.0
