"""The mixture of the papers as one expert, behind its gate."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.experts import SharpMixture, ValueShares
from sklearn_spe.experts._registry import EXPERTS
from tests.experts.problems import cells_of
from tests.quick import QUIET

pytestmark = QUIET


def names(scores, seed):
    """Return the experts that have any weight for some scores."""
    y = np.where(np.arange(len(scores)) < 40, scores > np.median(scores), -1).astype(int)
    return (
        SemisupervisedScoreMixture(n_draws=50, random_state=seed)
        .fit(scores, y)
        .prior_.axes[0]
        .ensemble.names
    )


def test_a_worse_fit_never_weighs_more_and_a_bad_one_nothing():
    cells = cells_of(np.linspace(-1.0, 1.0, 50))
    weights = [
        SharpMixture(distances=np.array([9.0, distance]), weight=0.8).prior_weight(cells)
        for distance in np.linspace(0.0, 5.0, 200)
    ]
    assert weights[0] == 0.8
    assert weights[-1] == 0.0
    assert (np.diff(weights) <= 0.0).all()
    # It closes step by step.
    assert len(np.unique(weights)) > 3


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::sklearn_spe.exceptions.SamplingWarning",
    "ignore::sklearn_spe.exceptions.UnidentifiedWarning",
    "ignore::sklearn_spe.exceptions.MisfitWarning",
)
def test_families_that_are_right_pass_the_gate_and_others_do_not(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    positive = rng.random(5000) < 0.3
    right = np.where(positive, rng.normal(3.0, 1.0, 5000), rng.normal(0.0, 1.0, 5000))
    three = rng.choice([-6.0, 0.0, 6.0], 5000) + rng.normal(0.0, 0.5, 5000)
    assert SharpMixture.name in names(right, global_random_seed)
    assert SharpMixture.name not in names(three, global_random_seed)
    # Nobody else is behind a gate but who waits for scores of two values.
    others = set(EXPERTS) - {SharpMixture.name, ValueShares.name}
    assert set(names(three, global_random_seed)) == others


def test_a_pair_that_does_not_fit_gives_no_curves(global_random_seed):
    scores, labels = make_scores(500, random_state=global_random_seed)
    y = np.where(np.arange(500) < 50, labels, -1)
    fitted = SemisupervisedScoreMixture(
        ["norm", "gumbel_l"], "norm", n_draws=50, random_state=global_random_seed
    )
    distribution = fitted.fit(scores, y).posterior_.score_distribution
    cells = cells_of(scores)
    alone = replace(
        distribution,
        mixtures=distribution.mixtures[:1],
        draws=distribution.draws[:1],
        mixture_weights=np.ones(1),
    )
    both = replace(alone, mixtures=2 * alone.mixtures, draws=2 * alone.draws)
    both = replace(both, mixture_weights=np.array([0.5, 0.5]))
    expert = SharpMixture(posterior=both, distances=np.array([0.0, 9.0]))
    curves = expert.curves(cells, np.random.default_rng(global_random_seed))
    expected = SharpMixture(posterior=alone).curves(
        cells, np.random.default_rng(global_random_seed)
    )
    np.testing.assert_array_equal(curves, expected)


def test_its_curves_are_those_of_the_mixture(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = (rng.random(5000) < 0.3).astype(int)
    scores = rng.normal(2.0 * labels, 1.0)
    y = np.where(np.arange(5000) < 50, labels, -1)
    distribution = SemisupervisedScoreMixture(
        "norm", "norm", n_draws=50, random_state=global_random_seed
    ).fit(scores, y)
    distribution, cells = distribution.posterior_.score_distribution, cells_of(scores)
    curves = SharpMixture(4000, posterior=distribution).curves(cells, rng)
    expected = distribution.expected_probability(cells.scores)
    # Independent draws of curves, with the weights of the mixture's draws.
    p = special.expit(curves)
    error = p.std(axis=0) / np.sqrt(4000)
    assert (np.abs(p.mean(axis=0) - expected) < 5.0 * error + 1e-9).all()


def test_without_a_mixture_it_has_no_curves(global_random_seed):
    with pytest.raises(ValueError, match="SharpMixture needs the posterior of a mixture"):
        SharpMixture().prior_curves(
            cells_of(np.arange(9.0)), np.random.default_rng(global_random_seed)
        )
