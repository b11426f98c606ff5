"""What may be passed to `average_accuracy_curve`: labels, numbers of classes, and errors."""

import numpy as np
import pytest

from sklearn_spe import average_accuracy_curve
from tests.extrapolation.pilots import tied_scores

# One table: it stands in the lists of cases below, and what is asked of it is how it is read.
SCORES, Y = tied_scores(6, 15, 0)


# --- numbers of classes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_classes", "error", "message"),
    [
        (0, ValueError, "n_classes must be whole numbers of at least 1, got 0"),
        (-3, ValueError, "at least 1, got -3"),
        (1.5, ValueError, "whole numbers of at least 1, got 1.5"),
        (np.nan, ValueError, "whole numbers of at least 1, got nan"),
        (np.inf, ValueError, "n_classes must be finite, got inf"),
        (-np.inf, ValueError, "got -inf"),
        ([2, 0, 3], ValueError, "got 0"),
        (7, ValueError, "at most 6, the number of columns of scores, got 7; AccuracyExtrapolator"),
        ([1, 7], ValueError, "got 7"),
        (1e300, ValueError, "at most 6"),
        ("a", TypeError, r"n_classes must be a .*number or .*; got 'a'"),
        (True, TypeError, "got True"),
        (2j, TypeError, "got 2j"),
        ([[1, 2]], ValueError, "n_classes must be a number or a vector"),
    ],
)
def test_numbers_of_classes_that_there_are_not_are_named(n_classes, error, message):
    with pytest.raises(error, match=message):
        average_accuracy_curve(Y, SCORES, n_classes=n_classes)


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "scores", "options", "message"),
    [
        (Y, SCORES.T, {}, r"a row for each of the 15 items .* got shape \(6, 15\): .* X\.T"),
        (Y[:7], SCORES, {}, "inconsistent numbers of samples"),
        (Y, SCORES[:, :1], {}, r"at least two classes, got 1 .* \(15, 1\); .* both columns"),
        (Y, SCORES[:, 0], {}, "Expected 2D array, got 1D array"),
        (Y[:, np.newaxis] + np.eye(15, 2, dtype=int), SCORES, {}, r"1d array|shape"),
        (Y[Y != 2], SCORES[Y != 2], {}, r"y holds 5 classes, but there are 6 columns .* labels="),
        (Y + 1, SCORES, {"labels": np.arange(6)}, "y holds .*6.* not the class of any column"),
        (Y - 1, SCORES, {"labels": np.arange(6)}, "y holds .*-1.* not the class of any column"),
        (Y + 0.5, SCORES, {"labels": np.arange(6)}, "not the class of any column"),
        (Y.astype(str), SCORES, {"labels": np.arange(6)}, "not the class of any column"),
        (Y, SCORES, {"labels": np.arange(6).astype(str)}, "not the class of any column"),
        (Y, SCORES, {"labels": np.arange(5)}, "each of the 6 columns of scores, got 5"),
        (Y, SCORES, {"labels": np.arange(7)}, "each of the 6 columns of scores, got 7"),
        (Y, SCORES, {"labels": [0, 1, 2, 3, 4, 4]}, "labels must be distinct"),
        (Y, SCORES, {"sample_weight": np.ones(14)}, "sample_weight must"),
        (Y, SCORES, {"sample_weight": -np.eye(15)[0] + 1e-3}, "sample_weight must be finite"),
        (Y, SCORES, {"sample_weight": np.zeros(15)}, "at least one must be positive"),
        (Y, SCORES, {"sample_weight": np.full(15, np.nan)}, "sample_weight must be finite"),
        (Y, SCORES, {"sample_weight": np.full(15, np.inf)}, "sample_weight must be finite"),
        (Y, SCORES, {"average": "weighted"}, "average must be one of macro, micro; got 'weighted'"),
        (Y, SCORES, {"average": None}, "average must be one of macro, micro; got None"),
    ],
)
def test_what_does_not_fit_together_is_named(y, scores, options, message):
    with pytest.raises(ValueError, match=message):
        average_accuracy_curve(y, scores, **options)
