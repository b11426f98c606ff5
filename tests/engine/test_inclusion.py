"""Which items have no label tells of the curves too: the joint likelihood, summed up."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.data._inclusion import ItemInclusion, SharesOfClasses
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.engine._components import CurveComponents, ScoreAxis
from sklearn_spe.engine._label_rows import MAX_ROWS_OF_UNLABELED, LabelRows
from sklearn_spe.engine._random_effects import Columns, Members, RandomEffects
from sklearn_spe.experts._expert import DiscrepancyScale
from sklearn_spe.families._family import BetaPrior
from tests.engine.updates import update_scores
from tests.experts.problems import FixedCurves, cells_of, ensemble_of, line

SCORES = np.array([-1.5, -1.0, -0.4, 0.3, 0.9, 1.4, 2.0, 2.6])
CODES = np.array([-1, 0, -1, -1, 1, -1, 1, -1])
CURVES = (line(-2.0), line(-1.0, 2.0), line(0.5, 0.3), line(-1.5, 1.2))
SHARES = [(0.1, 0.6), (0.7, 0.2), (0.05, 1.0), (1.0, 0.4), (0.3, 0.3)]
FAR = 5.4


def sample(shares, scores=SCORES, codes=CODES, weights=None):
    weights = np.ones(len(scores)) if weights is None else weights
    return ScoreSample.from_items(scores, codes, weights, SharesOfClasses.of(*shares))


def components_of(experts, scores=SCORES):
    """Return components without lapses, which ends of so few scores have for their ties."""
    ensemble = ensemble_of(cells_of(scores, "margin"), experts)
    rng = np.random.default_rng(0)
    drawn = CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)
    return replace(drawn, bottom=0.0 * drawn.bottom, top=0.0 * drawn.top)


def updated_by(experts, own, rng, n_draws=10):
    components = components_of(experts, own.scores)
    return update_scores(components, own, BetaPrior(), n_draws, rng)


def joint(p, shares, codes=CODES):
    """Return p(which items are labelled, and their labels), summed over all other labels."""
    free, total = np.flatnonzero(codes < 0), 0.0
    for others in itertools.product([0, 1], repeat=len(free)):
        y = codes.copy()
        y[free] = others
        share = np.take(shares, y)
        labeled = np.where(codes >= 0, share, 1.0 - share)
        total += np.prod(labeled * np.where(y == 1, p, 1.0 - p))
    return total


@pytest.mark.parametrize("shares", SHARES)
def test_curves_weigh_what_the_joint_likelihood_says(shares, global_random_seed):
    exact = np.array([joint(special.expit(f(SCORES)), shares) for f in CURVES])
    experts = [FixedCurves(1, functions=(f,)) for f in CURVES]
    rng = np.random.default_rng(global_random_seed)
    weights = updated_by(experts, sample(shares), rng).weights
    assert_allclose(weights.posterior, exact / exact.sum(), rtol=1e-9)
    # Evidence is known up to a factor that no curve has a part in.
    relative = weights.log_evidence - np.log(exact)
    assert_allclose(relative, relative[0], atol=1e-9)


@pytest.mark.parametrize("shares", [(0.1, 0.6), (0.05, 1.0)])
def test_items_count_as_often_as_they_weigh(shares, global_random_seed):
    counts = np.arange(1, 9)
    experts = [FixedCurves(1, functions=(f,)) for f in CURVES]
    repeated = (np.repeat(part, counts) for part in (SCORES, CODES))
    one, other = (
        updated_by(experts, s, np.random.default_rng(global_random_seed)).weights
        for s in (sample(shares, weights=counts.astype(float)), sample(shares, *repeated))
    )
    assert_allclose(one.log_evidence, other.log_evidence, rtol=1e-12)


def test_in_cells_of_thousands_of_scores_it_is_the_same(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, shares = rng.normal(size=4000), (0.02, 0.5)
    y = rng.random(4000) < special.expit(line(-3.0, 2.0)(scores))
    codes = np.where(rng.random(4000) < np.take(shares, y.astype(int)), y, -1)
    near = (line(-3.0, 2.0), line(-3.1, 2.0), line(-3.0, 1.9))
    p = special.expit([f(scores) for f in near])
    of_none = np.log1p(-(shares[0] + (shares[1] - shares[0]) * p)) @ (codes < 0.0)
    exact = of_none + np.log(p) @ (codes == 1) + np.log1p(-p) @ (codes == 0)
    experts = [FixedCurves(1, functions=(f,)) for f in near]
    components = components_of(experts, scores)
    own = sample(shares, scores, codes)
    weights = update_scores(components, own, BetaPrior(), 10, rng).weights
    assert_allclose(np.diff(weights.log_evidence), np.diff(exact), atol=0.05)


@pytest.mark.parametrize("shares", SHARES)
def test_with_a_shift_it_is_the_posterior_of_quadrature(shares, global_random_seed):
    # By quadrature of the joint likelihood as it is written down.
    nodes, mass = np.polynomial.hermite_e.hermegauss(60)
    f = CURVES[0](SCORES) + 1.3 * nodes[:, np.newaxis]
    p = special.expit(f)
    weights = mass * [joint(row, shares) for row in p]
    exact = weights @ p / weights.sum()
    scale = DiscrepancyScale(1.3, 0.0, 0.0, 0.0, 0.0)
    expert = FixedCurves(4, functions=CURVES[:1], discrepancy=scale)
    rng = np.random.default_rng(global_random_seed)
    updated = updated_by([expert], sample(shares), rng, 4000)
    drawn = special.expit(updated.log_odds)
    assert updated.ess > 2000.0
    error = drawn.std(axis=0) / np.sqrt(updated.ess)
    assert (np.abs(drawn.mean(axis=0) - exact) < FAR * error).all()


def test_labels_with_chances_of_their_own_count_by_their_weights(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, chances = rng.normal(size=300), rng.choice([0.1, 0.6], 300)
    codes = np.where(rng.random(300) < chances, rng.integers(0, 2, 300), -1)
    inclusion = ItemInclusion.of(scores, codes, np.ones(300), chances)
    own = ScoreSample.from_items(scores, codes, np.ones(300), inclusion)
    experts = [FixedCurves(1, functions=(f,)) for f in CURVES]
    weights = update_scores(components_of(experts, scores), own, BetaPrior(), 10, rng).weights
    labeled = own.labeled()
    negative, positive = inclusion.weighed(labeled)
    assert not np.allclose(negative + positive, 1.0)
    f = np.array([curve(labeled.scores) for curve in CURVES])
    exact = special.log_expit(f) @ positive + special.log_expit(-f) @ negative
    # Curves are straight, so that their interpolation between cells is exact.
    assert_allclose(weights.log_evidence, exact, rtol=1e-9)


@pytest.mark.parametrize("shares", SHARES)
def test_items_with_several_scores_have_the_joint_likelihood(shares):
    # The curves are on two orders of the items.
    numbers = SCORES, SCORES[::-1].copy()
    ensemble = ensemble_of(cells_of(SCORES, "margin"), [FixedCurves(4, functions=CURVES)])
    axes = tuple(
        ScoreAxis.of(name, 1.0, ensemble, values)
        for name, values in zip("ab", numbers, strict=True)
    )
    missingness = SharesOfClasses.of(*shares).missingness
    rows = LabelRows.of_items(axes, RandomEffects(), CODES, np.ones(8), None, missingness)
    for place, values in zip(rows.places, numbers, strict=True):
        log_likelihoods = rows.log_likelihood(special.expit(place.at(ensemble.curves).T))
        exact = [np.log(joint(special.expit(curve(values)), shares)) for curve in CURVES]
        assert_allclose(np.diff(log_likelihoods), np.diff(exact), atol=1e-9)


def test_many_items_without_a_label_are_gathered_group_by_group(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, groups = np.sort(rng.normal(size=2000)), rng.integers(3, size=2000)
    numbers = rng.normal(size=(2000, 1))
    effects = RandomEffects(
        (Members("groups", (1.0,), (1.0,), groups, 3), Columns("systems", (1.0,), (1.0,), numbers))
    )
    ensemble = ensemble_of(cells_of(scores, "margin"), [FixedCurves(1, functions=CURVES[:1])])
    axes = (ScoreAxis.of("score", 1.0, ensemble, scores),)
    codes = np.where(rng.random(2000) < 0.02, rng.integers(0, 2, 2000), -1)
    counts = rng.integers(1, 4, 2000).astype(float)
    missingness = SharesOfClasses.of(0.02, 0.5).missingness
    rows = LabelRows.of_items(axes, effects, codes, counts, None, missingness)
    is_label = rows.gain == 1.0
    assert is_label.sum() == (codes >= 0).sum()
    assert (~is_label).sum() <= MAX_ROWS_OF_UNLABELED + 3
    of_groups = rows.columns(effects.effects[0])
    free = codes < 0
    for is_row, is_item in ((is_label, ~free), (~is_label, free)):
        assert_allclose(
            rows.total[is_row] @ of_groups[is_row],
            np.bincount(groups[is_item], counts[is_item], minlength=3),
        )
        of_systems = rows.columns(effects.effects[1])[is_row, 0]
        assert rows.total[is_row] @ of_systems == pytest.approx(
            counts[is_item] @ numbers[is_item, 0]
        )
