"""What every expert promises; the tests run over `EXPERTS`."""

import warnings
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import special

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._cells import ScoreCells, ScoreKind
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.exceptions import FewLabelsWarning
from sklearn_spe.experts._expert import CurveEnsemble
from sklearn_spe.experts._rank_binormal import RankBinormal
from sklearn_spe.experts._registry import EXPERTS, as_experts
from tests.experts.problems import SETS, cells_of, score_sets
from tests.quick import QUIET, RANKS

pytestmark = QUIET

N_CURVES = 400

EVERY_SET = pytest.mark.parametrize("name", SETS)
EVERY_EXPERT = pytest.mark.parametrize("cls", EXPERTS.values(), ids=EXPERTS)


@cache
def law_of(name, seed):
    """Return what a fit of the families to the scores alone knows."""
    scores = score_sets(seed)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewLabelsWarning)
        pairs = "norm", ["norm", "gamma"]
        quick = {"experts": [RANKS], "n_draws": 50, "random_state": seed}
        mixture = SemisupervisedScoreMixture(*pairs, **quick)
        return mixture.fit(scores).posterior_.score_distribution


def make(cls, name, seed, n_curves=N_CURVES, **given):
    """Return an expert with all that a fit would give it."""
    expert = cls(n_curves=n_curves, **given)
    takes_law = any(field.name == "posterior" for field in fields(expert))
    return replace(expert, posterior=law_of(name, seed)) if takes_law else expert


@cache
def cells_in(name, seed):
    return cells_of(score_sets(seed)[name])


@cache
def prior_curves_of(cls, name, seed):
    return make(cls, name, seed).prior_curves(cells_in(name, seed), np.random.default_rng(seed))


def expected_auc(cells, curves):
    """Return the ROC AUC of expected counts, for curves of shape (n_cells, n_curves)."""
    positive = special.expit(curves) * cells.shares[:, np.newaxis]
    negative = cells.shares[:, np.newaxis] - positive
    below = np.cumsum(negative, axis=0) - negative / 2.0
    return (positive * below).sum(axis=0) / (positive.sum(axis=0) * negative.sum(axis=0))


@EVERY_EXPERT
@EVERY_SET
def test_prior_curves_are_finite_on_all_cells(cls, name, global_random_seed):
    cells, found = (
        cells_in(name, global_random_seed),
        prior_curves_of(cls, name, global_random_seed),
    )
    assert found.name == cls.name
    assert found.curves.shape == (cells.n_cells, N_CURVES)
    assert np.isfinite(found.curves).all()
    assert 0.0 <= found.prior_weight < np.inf
    assert found.shares.sum() == pytest.approx(1.0)
    assert (found.shares > 0.0).all()
    assert set(found.lapse_end) <= {-1, 0, 1}
    assert not found.curves.flags.writeable


@EVERY_EXPERT
@pytest.mark.parametrize("name", ["normal", "probabilities", "rounded"])
def test_curves_differ(cls, name, global_random_seed):
    # Else the labels would have nothing to choose from.
    cells, curves = (
        cells_in(name, global_random_seed),
        prior_curves_of(cls, name, global_random_seed).curves,
    )
    prevalence = cells.shares @ special.expit(curves)
    assert prevalence.std() > 0.01
    assert len(np.unique(curves, axis=1).T) > N_CURVES / 10


@EVERY_EXPERT
@pytest.mark.parametrize("name", [name for name in SETS if name != "mostly one score"])
def test_positives_score_higher_more_often_than_not(cls, name, global_random_seed):
    if cls.name in ("sharp_mixture",) and name == "heavy tails":
        pytest.skip("A mixture gives both tails to the wider class, whichever that is.")
    if cls.misspecification:
        pytest.skip("An expert of scores that rank items wrongly says so.")
    if cls.name == "value_shares":
        pytest.skip("Of two values it takes neither for the better one.")
    found = prior_curves_of(cls, name, global_random_seed)
    if not found.prior_weight:
        pytest.skip("It steps aside from these scores.")
    auc = expected_auc(cells_in(name, global_random_seed), found.curves)
    # The probability that a positive scores higher, over all curves.
    assert found.shares @ auc >= 0.5


@EVERY_EXPERT
def test_a_weight_that_is_given_counts(cls, global_random_seed):
    cells = cells_in("normal", global_random_seed)
    assert cls(weight=0.7).prior_weight(cells) == 0.7
    assert cls(weight=0.0).prior_weight(cells) == 0.0


@EVERY_EXPERT
def test_an_expert_without_weight_is_left_out(cls, global_random_seed):
    cells, rng = cells_in("normal", global_random_seed), np.random.default_rng(global_random_seed)
    other = next(expert for expert in EXPERTS.values() if expert is not cls)
    experts = [
        make(cls, "normal", global_random_seed, weight=0.0),
        make(other, "normal", global_random_seed, weight=2.0),
    ]
    ensemble = CurveEnsemble.of(cells, experts, rng)
    assert ensemble.names == (other.name,)
    assert_array_equal(ensemble.log_prior_weights, [0.0])
    with pytest.raises(ValueError, match=f"None of the experts {cls.name} has any weight"):
        CurveEnsemble.of(cells, experts[:1], rng)


@EVERY_EXPERT
def test_curves_of_an_expert_do_not_depend_on_the_others(cls, global_random_seed):
    cells = cells_in("normal", global_random_seed)
    others = [
        make(expert, "normal", global_random_seed, n_curves=40) for expert in EXPERTS.values()
    ]
    mine = make(cls, "normal", global_random_seed, n_curves=64, weight=1.0)
    first, alone = (
        CurveEnsemble.of(cells, experts, np.random.default_rng(global_random_seed)).parts[0]
        for experts in ([mine, *others], [mine])
    )
    assert_array_equal(first.curves, alone.curves)


def test_the_weights_of_experts_sum_to_one(global_random_seed):
    experts = [
        make(expert, "normal", global_random_seed, weight=0.5 + k)
        for k, expert in enumerate(EXPERTS.values())
    ]
    ensemble = CurveEnsemble.of(
        cells_in("normal", global_random_seed), experts, np.random.default_rng(global_random_seed)
    )
    assert np.exp(ensemble.log_prior_weights).sum() == pytest.approx(1.0)
    assert ensemble.names == tuple(EXPERTS)


# --- experts=... ---------------------------------------------------------------------------


@EVERY_EXPERT
def test_a_class_in_place_of_an_instance_is_refused(cls):
    with pytest.raises(TypeError, match=rf"pass an instance, {cls.__name__}\(\)"):
        as_experts(cls)


@EVERY_EXPERT
@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"weight": -0.1}, ValueError, r"weight.* must lie in \[0, inf\), got -0.1"),
        ({"weight": np.nan}, ValueError, r"weight.* must lie in \[0, inf\), got nan"),
        ({"weight": "1"}, TypeError, r"weight.* must be a number"),
        ({"n_curves": 0}, ValueError, r"n_curves.* must be at least"),
        ({"n_curves": 99.5}, TypeError, r"n_curves.* must be a whole number"),
    ],
)
def test_bad_numbers_are_refused(cls, given, error, message):
    with pytest.raises(error, match=message):
        as_experts(cls(**given))


@pytest.mark.parametrize(
    "wrong", [np.transpose, lambda curves: np.where(curves > 0.0, np.nan, 1.0)]
)
def test_curves_of_a_wrong_shape_or_undefined_are_refused(wrong):
    class Wrong(RankBinormal):
        def curves(self, cells, rng):
            return wrong(super().curves(cells, rng))

    sample = ScoreSample.from_items(np.arange(20.0), np.full(20, -1), np.ones(20))
    cells = ScoreCells.of(sample, ScoreKind("unknown"))
    with pytest.raises(ValueError, match=r"must return log-odds of shape \(n_curves, n_cells\)"):
        Wrong().prior_curves(cells, np.random.default_rng(0))
