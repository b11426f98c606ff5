"""Methods for one system on items that belong together.

A method takes a `ClusterPool` and returns an `Estimate` for each target and metric; an addition is
one function and one entry in `METHODS`.
"""

import numpy as np
from rankings import METRICS, Ranking
from replies import NOTHING, said_by, summarised
from system_methods import CLASSES, N_DRAWS

from sklearn_spe import PerformanceCurveEstimator

TARGETS = ("population", "sample")


def groups(pool):
    """Fit once, knowing of the clusters."""
    return asked(fitted(pool, groups=pool.groups))


def independent(pool):
    """Fit the default, to which all items are independent."""
    return asked(fitted(pool))


def fitted(pool, **given):
    """Return a fit with 1,000 draws."""
    performance = PerformanceCurveEstimator(
        classes=CLASSES, n_draws=N_DRAWS, random_state=pool.seed
    )
    return performance.fit(pool.scores, pool.y, **given)


def asked(performance):
    """Ask a fit for all metrics, of the population and of the items."""
    where = {"accuracy": {"threshold": 0.0}}
    return {
        target: {
            metric: said_by([performance.estimate(metric, target=target, **where.get(metric, {}))])
            for metric in METRICS
        }
        for target in TARGETS
    }


def bootstrap(pool):
    """Draw the clusters of the labelled items again, with replacement."""
    items = np.flatnonzero(pool.y >= 0)
    _, cluster = np.unique(pool.groups[items], return_inverse=True)
    n = cluster.max() + 1
    times = pool.rng.multinomial(n, np.full(n, 1.0 / n), N_DRAWS).astype(float)
    ranking = Ranking.of(pool.scores[items], 0.0)
    measured = ranking.measured(pool.y[items][np.newaxis] == 1, times[:, cluster])
    found = {m: summarised(measured[m][:, np.newaxis], NOTHING) for m in METRICS}
    return dict.fromkeys(TARGETS, found)


METHODS = {"groups": groups, "independent": independent, "bootstrap": bootstrap}
