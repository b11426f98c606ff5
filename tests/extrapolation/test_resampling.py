"""Other classes that might have been tried: drawn with their items, and a column each once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.extrapolation import AccuracyComparison, Moment
from sklearn_spe.extrapolation._accuracy_curve import subset_accuracies
from sklearn_spe.extrapolation._uncertainty import draw_classes, resampled_models
from tests.extrapolation.pilots import drawn, linear_scores, pilot_of

Y = np.repeat(np.arange(6), 3)
# A small pilot may have few errors, or errors of few classes: so says its verdict.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
TIMES = np.array([2, 0, 1, 0, 3, 0])


@pytest.fixture(scope="module")
def scores(global_random_seed):
    return linear_scores(6, 3, global_random_seed)[0]


# --- a pilot of other classes ---------------------------------------------------------------------


def test_a_class_that_is_drawn_twice_is_one_column_and_twice_its_items(scores):
    other = pilot_of(scores, Y).with_classes(TIMES)
    assert other.scores.shape == (9, 3)
    rows = np.isin(Y, [0, 2, 4])
    assert_array_equal(other.scores, scores[rows][:, [0, 2, 4]])
    assert_array_equal(other.columns, [0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert_allclose(other.weights, np.repeat([2.0, 1.0, 3.0], 3) / 18.0, rtol=1e-14)


def test_weights_of_items_stay_beside_those_of_their_classes(scores):
    weights = np.arange(1.0, 19.0)
    pilot = pilot_of(scores, Y, sample_weight=weights, average="micro")
    other = pilot.with_classes(TIMES)
    expected = (weights * TIMES[Y])[TIMES[Y] > 0]
    assert_allclose(other.weights, expected / expected.sum(), rtol=1e-14)


def test_its_curve_is_that_of_its_classes_and_has_no_tie(global_random_seed):
    scores = linear_scores(6, 3, global_random_seed, signal=0.5)[0]
    other = pilot_of(scores, Y).with_classes(TIMES)
    rows = np.isin(Y, [0, 2, 4])
    # Items count as often as their class: a macro average would let each class count alike.
    expected = average_accuracy_curve(
        Y[rows],
        scores[rows][:, [0, 2, 4]],
        labels=[0, 2, 4],
        sample_weight=TIMES[Y[rows]],
        average="micro",
    )
    assert_allclose(subset_accuracies(other.histogram), expected, rtol=1e-13)
    _, ties = other.wins_and_ties
    assert not ties.any()


def test_few_parameters_are_learned_of_evenly_spaced_items(scores, global_random_seed):
    many, y = linear_scores(2, 2500, global_random_seed)
    thinned = pilot_of(many, y, sample_weight=1.0 + np.arange(5000)).thinned()
    assert len(thinned.columns) <= 3000
    assert_allclose(thinned.weights.sum(), 1.0, rtol=1e-12)
    places = np.searchsorted(np.sort(many[:, 0]), thinned.scores[:, 0])
    assert len(np.unique(places)) == len(places)
    assert abs(thinned.columns.mean() - 0.5) < 0.01
    small = pilot_of(scores, Y)
    assert small.thinned() is small


# --- draws ----------------------------------------------------------------------------------------


def test_as_many_classes_are_drawn_as_there_are_each_alike(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws = np.array([draw_classes(np.arange(8), 8, rng) for _ in range(4000)])
    assert (draws.sum(axis=1) == 8).all()
    # Binomial counts with mean 1 and variance 7/8.
    assert (np.abs(draws.mean(axis=0) - 1.0) < 5.0 * np.sqrt(7 / 8 / 4000)).all()
    assert_allclose(draws.var(axis=0), 7 / 8, rtol=0.15)


def test_two_pilots_are_resampled_together(global_random_seed):
    first, second = (
        drawn(12, 3, seed=seed) for seed in (global_random_seed, global_random_seed + 100)
    )
    pilots = tuple(pilot_of(*pilot) for pilot in (first, second))
    together = resampled_models(pilots, Moment(), 5, entropy=global_random_seed)
    for i, pilot in enumerate(pilots):
        alone = resampled_models((pilot,), Moment(), 5, entropy=global_random_seed)
        for models, (model,) in zip(together, alone, strict=True):
            assert_array_equal(models[i].curve, model.curve)
    sizes = [(a.n_tried, b.n_tried) for a, b in together]
    assert all(a == b for a, b in sizes)
    assert len(set(sizes)) > 1


def test_a_comparison_resamples_as_each_extrapolator_does_alone(global_random_seed):
    (first, y), (second, _) = (
        drawn(12, 3, seed=seed) for seed in (global_random_seed, global_random_seed + 100)
    )
    extrapolator = AccuracyExtrapolator("moment", n_bootstrap=4, random_state=global_random_seed)
    pair = AccuracyComparison(extrapolator).fit([first, second], y).extrapolators_
    counts = np.array([2, 12, 40])
    for own, compared in zip((first, second), pair, strict=True):
        alone = extrapolator.fit(own, y)
        assert_array_equal(compared.predict(counts), alone.predict(counts))
        for one, other in zip(
            compared.uncertain_model_.resampled, alone.uncertain_model_.resampled, strict=True
        ):
            assert_array_equal(one.accuracy(counts), other.accuracy(counts))
