"""Bootstrap of the classes of a pilot."""

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

# A draw with fewer distinct classes, or without an item, is rejected.
MIN_DISTINCT = 2


def fit_model(pilot: Pilot, method: Method, rng) -> AccuracyModel:
    """Return the accuracy model of a pilot."""
    # Small matrix products: several threads are slower, and change the last bits.
    with threadpool_limits(1, user_api="blas"):
        return AccuracyModel(subset_accuracies(pilot.histogram), method.fit(pilot, rng))


def draw_classes(pilot_columns, n_classes: int, rng) -> np.ndarray:
    """Draw classes with replacement; return how often each is drawn."""
    while True:
        times = np.bincount(rng.integers(n_classes, size=n_classes), minlength=n_classes)
        if (times > 0).sum() >= MIN_DISTINCT and times[pilot_columns].any():
            return times


def resampled_models(pilots, method: Method, n_bootstrap: int, entropy: int, n_jobs=None) -> list:
    """Fit a method to bootstrap resamples of the classes.

    Classes are drawn, not items, so that the dependence of the items of a class, and of the scores
    in its column, is accounted for.
    """
    return Parallel(n_jobs=n_jobs)(
        delayed(_resample)(pilots, method, entropy, i) for i in range(n_bootstrap)
    )


def _resample(pilots, method, entropy, i):
    rng = spawn(entropy, Place.RESAMPLES, i)
    columns = np.unique(np.concatenate([pilot.columns for pilot in pilots]))
    times = draw_classes(columns, pilots[0].n_classes, rng)
    return tuple(fit_model(pilot.with_classes(times), method, rng) for pilot in pilots)
