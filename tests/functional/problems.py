"""Problems: data drawn from two families, a few of them labelled; how rare a false alarm is."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families._registry import as_family
from sklearn_spe.mixtures._mixture_posterior import draw_items
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.mixtures.priors import draw_parameters

# Scores of these problems lie about 3, in units of about 1.
LOCATION, SPREAD, RESOLUTION = 3.0, 1.0, 0.02
# The chance that a statistical test of the right thing fails, each of its assertions.
ALARM = 1e-6


def seeds(seed, n):
    """Return n whole numbers that are seeds of this seed of the run alone."""
    return range(1000 * seed, 1000 * seed + n)


def least_hits(n, probability):
    """Return what as many trials of this probability miss once in a million cases."""
    return stats.binom(n, probability).ppf(ALARM)


@dataclass(frozen=True)
class Problem:
    """A mixture, the values that made the data, and a partially labelled sample."""

    mixture: TwoClassMixture
    sample: ScoreSample
    truth: np.ndarray


def mixture_of(negative, positive):
    """Return a mixture in fixed units, so that its prior does not depend on data."""
    return TwoClassMixture(
        as_family(negative),
        as_family(positive),
        location=LOCATION,
        spread=SPREAD,
        resolution=RESOLUTION,
    )


def labeled_sample(scores, labels, n_labels, rng):
    """Return a sample of which `n_labels` random items are labelled."""
    codes = np.full(len(scores), -1, dtype=np.int8)
    chosen = rng.choice(len(scores), n_labels, replace=False)
    codes[chosen] = labels[chosen]
    return ScoreSample.from_items(scores, codes, np.ones(len(scores)))


def draw_problem(negative, positive, seed, *, n=300, n_labels=None, truth=None):
    """Return a problem; parameters from the prior (at least 2% positives) if not given."""
    rng = np.random.default_rng([seed, 2013])
    mixture = mixture_of(negative, positive)
    while True:
        u = draw_parameters(mixture, rng, 1)[0] if truth is None else mixture.real(*truth)
        if mixture.values(u[None])[0][0, 0] < 0.02 - 1e-9:
            continue
        scores, labels = draw_items(mixture, u, rng, n)
        # Some priors reach so near zero that a score underflows: draw the data again.
        if mixture.negative.support[0] < 0.0 or scores.min() > 1e-200:
            break
    n_labels = int(rng.integers(10, 51)) if n_labels is None else n_labels
    return Problem(mixture, labeled_sample(scores, labels, n_labels, rng), u)


def quantities(mixture, u):
    """Return prevalence, recall and precision at a threshold, and average precision.

    Population values, of shape (n_draws, 4); a precision of 0 / 0 counts as 0. The grid of the
    average is coarse: all that are compared stand on the same one.
    """
    prevalence, tpr, fpr = mixture.rates(u, np.array([LOCATION]))
    above = prevalence * tpr + (1.0 - prevalence) * fpr
    precision = prevalence * tpr / np.maximum(above, 1e-300)
    grid = np.linspace(LOCATION - 15.0, LOCATION + 15.0, 61)[::-1]
    _, tpr_grid, fpr_grid = mixture.rates(u, grid)
    above = prevalence * tpr_grid + (1.0 - prevalence) * fpr_grid
    curve = prevalence * tpr_grid / np.maximum(above, 1e-300)
    area = (np.diff(tpr_grid, axis=1) * (curve[:, 1:] + curve[:, :-1]) / 2).sum(axis=1)
    area += tpr_grid[:, 0] * curve[:, 0]
    return np.column_stack([prevalence[:, 0], tpr[:, 0], precision[:, 0], area])
