"""Reading a curve at wanted points, row by row."""

import numpy as np
from numpy.testing import assert_allclose

from sklearn_spe.posterior import _operating_points


def rising_rows(seed, n_rows=7, n_columns=12, digits=1):
    """Return rows that rise from 0 to 1 and stand still here and there."""
    rng = np.random.default_rng(seed)
    x = np.sort(np.round(rng.random((n_rows, n_columns)), digits), axis=1)
    x[:, 0], x[:, -1] = 0.0, 1.0
    return x, np.sort(rng.random((n_rows, n_columns)), axis=1)


WANTED = np.unique(np.r_[np.linspace(0.0, 1.0, 31), 0.05, 0.333])


def test_first_at_least_is_the_first_index(global_random_seed):
    x, _ = rising_rows(global_random_seed)
    at = _operating_points.first_reaching(x, WANTED)
    for row, indices in zip(x, at, strict=True):
        assert indices.tolist() == [int(np.flatnonzero(row >= w)[0]) for w in WANTED]


def test_first_at_least_is_the_last_index_where_none_is():
    assert _operating_points.first_reaching(np.array([[0.0, 0.5]]), [0.5, 0.7]).tolist() == [[1, 1]]


def test_interpolated_rows_lie_on_straight_lines(global_random_seed):
    x, y = rising_rows(global_random_seed, digits=12)
    values = _operating_points.interpolate_rows(x, y, WANTED)
    for i in range(len(x)):
        assert_allclose(values[i], np.interp(WANTED, x[i], y[i]), atol=1e-12)


def test_last_value_counts_where_x_stands_still(global_random_seed):
    x, y = rising_rows(global_random_seed)
    values = _operating_points.interpolate_rows(x, y, WANTED)
    for i in range(len(x)):
        # Of equal x keep the last: then numpy has no choice.
        last = np.r_[np.diff(x[i]) > 0.0, True]
        first_y = {key: y[i][x[i] == key][0] for key in x[i]}
        for w, value in zip(WANTED, values[i], strict=True):
            right = np.searchsorted(x[i], w, side="right")
            if right < len(x[i]) and w not in x[i]:
                x_pair = x[i][right - 1 : right + 1]
                y_pair = y[i][right - 1], first_y[x[i][right]]
                assert_allclose(value, np.interp(w, x_pair, y_pair), atol=1e-12)
            else:
                assert_allclose(value, y[i][last][x[i][last] == w][0], atol=1e-12)


def test_undefined_rows_stay_undefined(global_random_seed):
    x, y = rising_rows(global_random_seed)
    x[1], y[2] = np.nan, np.nan
    values = _operating_points.interpolate_rows(x, y, WANTED)
    assert np.isnan(values).all(axis=1).tolist() == [False, True, True] + [False] * 4
    assert np.isfinite(values[3:]).all()
