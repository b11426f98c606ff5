import pickle

import numpy as np
import pytest

from sklearn_spe.inference._draws import Draws, picked


def test_kish_size():
    draws = Draws(np.zeros((3, 1)), np.log([0.5, 0.25, 0.25]), 0.0, 0.0)
    assert draws.ess == pytest.approx(1.0 / (0.25 + 0.0625 + 0.0625))
    np.testing.assert_allclose(draws.weights, [0.5, 0.25, 0.25])
    assert len(draws) == 3


def test_arrays_are_read_only_copies():
    points = np.zeros((2, 1))
    draws = Draws(points, np.log([0.5, 0.5]), 0.0, 0.0)
    points[0] = 7.0
    assert draws.points[0, 0] == 0.0
    for array in (draws.points, draws.log_weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"\(3, 1\) and \(2,\)"):
        Draws(np.zeros((3, 1)), np.zeros(2), 0.0, 0.0)


def test_pickles():
    draws = Draws(np.zeros((2, 1)), np.log([0.5, 0.5]), 0.1, -3.0)
    assert repr(pickle.loads(pickle.dumps(draws))) == repr(draws)


def test_picked_draws_are_in_proportion_to_their_weights():
    weights = np.array([0.2, 0.0, 0.5, 0.3])
    np.testing.assert_array_equal(np.bincount(picked(weights, 10)), [2, 0, 5, 3])
    # Of few the middle of the distribution.
    np.testing.assert_array_equal(picked(weights, 1), [2])
