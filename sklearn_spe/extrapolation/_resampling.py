"""How accuracies would vary if other classes had been tried."""

from __future__ import annotations

import numpy as np
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from ..inputs._random_state import spawn
from ._accuracy_model import AccuracyModel
from ._pilot import Pilot
from ._rank_curve import subset_accuracies
from ._seeds import Place
from .methods._method import Method

__all__ = ["draw_classes", "fit_model", "resampled_models"]

# A draw of fewer distinct classes, or without an item, is drawn again.
LEAST_DISTINCT = 2


def fit_model(pilot: Pilot, method: Method, rng) -> AccuracyModel:
    """Return the accuracy of a pilot for any number of classes."""
    # Products of small matrices: several threads are slower, and change the last bits.
    with threadpool_limits(1, user_api="blas"):
        return AccuracyModel(subset_accuracies(pilot.histogram), method.fit(pilot, rng))


def draw_classes(pilot_columns, n_classes: int, rng) -> np.ndarray:
    """Draw as many classes as there are, with replacement; return how often each is drawn."""
    while True:
        times = np.bincount(rng.integers(n_classes, size=n_classes), minlength=n_classes)
        if (times > 0).sum() >= LEAST_DISTINCT and times[pilot_columns].any():
            return times


def resampled_models(pilots, method: Method, n_bootstrap: int, entropy: int, n_jobs=None) -> list:
    """Fit a method to resamples of the classes: the bootstrap.

    Classes are drawn, not items: whatever is common to the items of a class, and to the column of
    scores that all items share, varies with it.
    """
    return Parallel(n_jobs=n_jobs)(
        delayed(_resample)(pilots, method, entropy, i) for i in range(n_bootstrap)
    )


def _resample(pilots, method, entropy, i):
    rng = spawn(entropy, Place.RESAMPLES, i)
    columns = np.unique(np.concatenate([pilot.columns for pilot in pilots]))
    times = draw_classes(columns, pilots[0].n_classes, rng)
    return tuple(fit_model(pilot.with_classes(times), method, rng) for pilot in pilots)
