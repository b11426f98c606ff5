"""Expected widths of the interval of recall, against closed forms and simulations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, special, stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.families import Norm
from sklearn_spe.mixtures._fisher import expected_width
from sklearn_spe.mixtures._fit import maximize_likelihood
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.mixtures.normals import (
    LAWS,
    OF,
    POSITIVE,
    PREVALENCE,
    SHARES,
    integral,
    mixture_density,
    normals,
    of_label,
)
from tests.quick import QUIET

pytestmark = QUIET

THRESHOLD, N_ITEMS = 2.0, 2000
RECALL = LAWS[1].sf(THRESHOLD)


def width(n_labels, **options):
    defaults = {"threshold": THRESHOLD, "n_items": N_ITEMS, "n_labels": n_labels}
    return expected_width("norm", "norm", **OF, **{**defaults, **options})


def width_of(matrix, level=0.9):
    """Return the width of the interval of recall by the delta method on its logit."""
    mean, std = POSITIVE
    z = (THRESHOLD - mean) / std
    gradient = np.array([0.0, 0.0, 0.0, 1.0, z]) * stats.norm.pdf(z) / std
    error = np.sqrt(gradient @ np.linalg.solve(matrix, gradient)) / (RECALL * (1.0 - RECALL))
    reach = stats.norm.ppf(0.5 + level / 2.0) * error
    return np.diff(special.expit(special.logit(RECALL) + np.array([-reach, reach])))[0]


@pytest.mark.parametrize("strategy", ["tail", "random"])
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_more_labels_are_narrower(strategy):
    widths = width([0, 20, 200, 2000], strategy=strategy)
    assert widths.shape == (4,)
    assert (np.diff(widths) < 0.0).all()
    assert (widths > 0.0).all()


@pytest.mark.parametrize("strategy", ["tail", "random"])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_without_labels_the_width_is_that_of_the_scores(strategy, level):
    found = width(0, strategy=strategy, confidence_level=level)
    expected = width_of(normals(n_unlabeled=float(N_ITEMS)).matrix, level)
    assert_allclose(found, expected, rtol=1e-5)
    assert np.shape(found) == ()


def tail_start(n_labels):
    share = n_labels / N_ITEMS
    return optimize.brentq(
        lambda s: SHARES @ [distribution.sf(s) for distribution in LAWS] - share, -9.0, 9.0
    )


@pytest.mark.parametrize("n_labels", [50, 300, 1500])
def test_labels_of_the_tail_add_what_they_tell_beyond_their_scores(n_labels):
    added = integral(of_label, mixture_density, lower=tail_start(n_labels))
    expected = width_of(N_ITEMS * (normals(n_unlabeled=1.0).matrix + added))
    assert_allclose(width(n_labels), expected, rtol=1e-5)


def test_labels_at_random_average_over_how_many_of_them_are_positive():
    n_labels = 50
    distribution = stats.binom(n_labels, PREVALENCE)
    # The information of independent items adds up.
    unlabeled, negative, positive = (
        normals(**{count: 1.0}).matrix for count in ("n_unlabeled", "n_negative", "n_positive")
    )
    expected = sum(
        distribution.pmf(k)
        * width_of((N_ITEMS - n_labels) * unlabeled + (n_labels - k) * negative + k * positive)
        for k in range(n_labels + 1)
        if distribution.pmf(k) > 1e-8
    )
    assert_allclose(width(n_labels, strategy="random"), expected, rtol=1e-5)


def test_with_all_labels_both_strategies_are_the_closed_form():
    n_positive = N_ITEMS * PREVALENCE
    z = (THRESHOLD - POSITIVE[0]) / POSITIVE[1]
    error = stats.norm.pdf(z) * np.sqrt((1.0 + z * z / 2.0) / n_positive)
    reach = stats.norm.ppf(0.95) * error / (RECALL * (1.0 - RECALL))
    expected = np.diff(special.expit(special.logit(RECALL) + np.array([-reach, reach])))
    assert_allclose(width(N_ITEMS), expected[0], rtol=1e-6)
    # The mean of 1 / sqrt(k) over a binomial k is larger by 3 / 8 of its relative variance.
    more = 3.0 / 8.0 * (1.0 - PREVALENCE) / n_positive
    assert_allclose(width(N_ITEMS, strategy="random"), expected[0] * (1.0 + more), rtol=more / 2.0)


def test_widths_come_in_the_shape_of_the_numbers_of_labels():
    counts = np.array([[100], [300]])
    assert_allclose(width(counts), [[width(n) for n in row] for row in counts.tolist()])


def test_a_surer_interval_is_wider():
    assert width(500, confidence_level=0.5) < width(500) < width(500, confidence_level=0.99)


@pytest.mark.parametrize(
    ("strategy", "n_labels", "n_positive"),
    [("random", 20, 20 * PREVALENCE), ("tail", 4, 4.0)],
)
def test_few_expected_positives_are_reported(strategy, n_labels, n_positive):
    # Nearly all of the highest scores are positive, but a few per cent.
    with pytest.warns(UnidentifiedWarning, match=rf"Of {n_labels} labels only about") as record:
        width(n_labels, strategy=strategy)
    told = float(str(record[0].message).split("about ")[1].split()[0])
    assert 0.8 * n_positive <= told <= n_positive


def test_enough_expected_positives_are_no_warning():
    # Warnings are errors here.
    assert width(40, strategy="random") > 0.0
    assert width(10) > 0.0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"strategy": "adaptive"},
            ValueError,
            "strategy must be one of tail, random; got 'adaptive'",
        ),
        ({"n_labels": -1}, ValueError, "n_labels must be whole numbers of at least 0, got -1"),
        ({"n_labels": [10, 2001]}, ValueError, "from 0 to n_items=2000"),
        ({"n_labels": 10.5}, ValueError, "whole numbers"),
        ({"n_labels": [[1], [2, 3]]}, ValueError, "n_labels has rows of different length"),
        ({"n_items": 0}, ValueError, "n_items must be at least 1"),
        ({"threshold": np.nan}, ValueError, "threshold must lie in"),
        ({"threshold": 99.0}, ValueError, "recall at threshold=99.0 is 0"),
        ({"threshold": -99.0}, ValueError, "recall at threshold=-99.0 is 1"),
        ({"confidence_level": 1.0}, ValueError, "confidence_level must lie in"),
    ],
)
def test_bad_plans_are_named(changes, error, message):
    with pytest.raises(error, match=message):
        width(**{"n_labels": 100, **changes})


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "n_labels"), [("tail", 400), ("random", 400)])
def test_estimates_of_simulated_samples_spread_as_expected(strategy, n_labels, global_random_seed):
    mixture, logits, n = TwoClassMixture(Norm(), Norm()), [], 25
    rng = np.random.default_rng(global_random_seed)
    for _ in range(n):
        scores, labels = make_scores(N_ITEMS, random_state=rng, **OF)
        chosen = np.argsort(-scores)[:n_labels] if strategy == "tail" else np.arange(n_labels)
        codes = np.full(N_ITEMS, -1)
        codes[chosen] = labels[chosen]
        sample = ScoreSample.from_items(scores, codes, np.ones(N_ITEMS))
        draws, _ = maximize_likelihood(mixture, sample, 10, rng)
        _, _, (mean, std) = mixture.values(draws.center[np.newaxis])
        logits.append(special.logit(stats.norm.sf(THRESHOLD, mean[0, 0], std[0, 0])))
    # What the variance may be, by the chi-square law of that of a sample: a false alarm comes once
    # in a million times.
    low, high = (n - 1) * np.var(logits, ddof=1) / stats.chi2(n - 1).ppf([1.0 - 5e-7, 5e-7])
    reach = stats.norm.ppf(0.95) * np.sqrt([low, high])
    narrow, wide = np.diff(
        special.expit(special.logit(RECALL) + np.outer([-1.0, 1.0], reach)), axis=0
    )[0]
    assert narrow < width(n_labels, strategy=strategy) < wide


@pytest.mark.parametrize(("unit", "shift"), [(1e6, 0.0), (1.0, 1e5)])
def test_widths_do_not_depend_on_the_units_of_the_scores(unit, shift):
    def planned(unit, shift):
        return expected_width(
            "norm",
            "norm",
            prevalence=0.05,
            negative_values=(shift, unit),
            positive_values=(shift + 2.0 * unit, 1.5 * unit),
            threshold=shift + 1.8 * unit,
            n_items=5000,
            n_labels=300,
        )

    assert_allclose(planned(unit, shift), planned(1.0, 0.0), rtol=1e-5)
