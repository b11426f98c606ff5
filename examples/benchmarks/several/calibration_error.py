"""The expected calibration error of probabilities."""

import numpy as np

N_BINS = 10


def calibration_error(y_true, y_score):
    """Return the mean distance of probabilities and labels over bins of equal width."""
    place = np.minimum((y_score * N_BINS).astype(int), N_BINS - 1)
    excess = np.bincount(place, y_score - y_true, N_BINS)
    return float(np.abs(excess).sum() / len(y_score))
