"""Simulated scores follow the law that was asked for."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.datasets import make_scores
from sklearn_spe.families._registry import FAMILIES

TYPICAL = {
    name: tuple(p.typical[0] for p in family().parameters) for name, family in FAMILIES.items()
}

# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6


@pytest.mark.parametrize("name", FAMILIES)
def test_scores_of_each_class_follow_their_family(name, global_random_seed):
    family = FAMILIES[name]()
    scores, labels = make_scores(
        2000,
        negative="norm",
        negative_values=(-3.0, 0.5),
        positive=name,
        positive_values=TYPICAL[name],
        random_state=global_random_seed,
    )

    def cdf(s):
        return 1.0 - family.sf(np.asarray(s), *TYPICAL[name])

    assert stats.kstest(scores[labels == 1], cdf).pvalue > ALARM
    assert stats.kstest(scores[labels == 0], stats.norm(-3.0, 0.5).cdf).pvalue > ALARM


@pytest.mark.parametrize("prevalence", [0.05, 0.5])
def test_prevalence_is_the_probability_of_a_positive(prevalence, global_random_seed):
    _, labels = make_scores(5000, prevalence=prevalence, random_state=global_random_seed)
    assert stats.binomtest(int(labels.sum()), 5000, prevalence).pvalue > ALARM


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1, got 0"),
        ({"n_samples": 2.5}, TypeError, "n_samples must be a whole number"),
        ({"prevalence": 1.5}, ValueError, "prevalence must lie in \\[0, 1\\], got 1.5"),
        ({"negative": "normal"}, ValueError, "Unknown family 'normal'; choose one of"),
        ({"negative_values": (0.0,)}, ValueError, "must hold mean, std of 'norm'; got"),
        ({"positive_values": (0.0, -1.0)}, ValueError, "std of 'norm' must lie in"),
        ({"positive_values": (np.nan, 1.0)}, ValueError, "mean of 'norm' must lie in"),
        ({"random_state": "seed"}, ValueError, "random_state must be None, an int"),
    ],
)
def test_bad_input_is_named(options, error, message):
    with pytest.raises(error, match=message):
        make_scores(**{"n_samples": 5, **options})
