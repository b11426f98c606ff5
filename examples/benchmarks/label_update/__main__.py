"""The label update beside a long run of NUTS on the same components.

For one column of scores and for 60 groups: draws of the coefficients of one component by the label
update (Laplace's approximation and importance weights), and by the no-U-turn sampler of Hoffman
and Gelman (2014, algorithm 3), which knows nothing of either. Printed are, over the log-odds of
all labeled rows, the largest difference of the two means, in posterior standard
deviations, and the ratio of the two standard deviations.

Run ``python examples/benchmarks/label_update``; about ten minutes of one core.
"""

import argparse

import numpy as np
from nuts import nuts

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.engine._label_rows import LabelRows
from sklearn_spe.engine._label_update import _Update
from sklearn_spe.families._family import BetaPrior


def cases(rng):
    """Yield a name and the update of each case."""
    truth, scores, groups = scores_of_groups(rng)
    for n_labels in (10, 100, 400):
        y = labeled(truth, n_labels, rng)
        fit = PerformanceCurveEstimator(random_state=0).fit(scores, y)
        components = fit.model_.prior.components
        rows = LabelRows.of_scores(components.ensembles[0].cells, fit.posterior_.sample)
        yield f"{n_labels} labels", _Update(components, rows, BetaPrior())
    y = labeled(truth, 200, rng)
    fit = PerformanceCurveEstimator(random_state=0).fit(scores, y, groups=groups)
    prior = fit.model_.prior
    table = fit.model_.table
    rows = LabelRows.of_items(prior.axes, prior.effects, table.codes, table.weights)
    yield "60 groups", _Update(prior.components, rows, BetaPrior())


def scores_of_groups(rng):
    """Return labels, scores and groups of 2,000 items; groups differ by half a log-odd."""
    groups = rng.integers(60, size=2000)
    log_odds = -1.0 + 0.7 * rng.standard_normal(60)[groups]
    truth = (rng.random(2000) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    return truth, rng.normal(2.0 * truth, 1.0), groups


def labeled(truth, n_labels, rng):
    """Return labels of which all but some are unknown."""
    y = np.full(len(truth), -1)
    known = rng.choice(len(truth), n_labels, replace=False)
    y[known] = truth[known]
    return y


def compare(update, rng, n_draws: int, n_warmup: int):
    """Return the differences of means and the ratios of deviations of the likeliest component."""
    best = np.array([np.argmax(update.log_weights)])
    regressions = update._regressions(best)

    def value_and_gradient(c):
        gradient, _, height = regressions.derivatives(c[np.newaxis])
        return float(height[0]), gradient[0]

    chain = nuts(value_and_gradient, update.modes[best][0], n_draws, n_warmup, rng)
    proposals = update._proposals(np.repeat(best, 20 * n_draws))
    x = rng.standard_normal((20 * n_draws, update.layout.n_dense))
    proposed = update._importance(proposals, proposals.index, x)
    c = proposed.coefficients
    if update.layout.has_groups:
        c = update._with_groups(proposals, proposals.index, c, rng)
    weights = np.exp(proposed.log_ratio - proposed.log_ratio.max())
    weights /= weights.sum()
    columns, prior = update.layout.columns[update.components.axis[best[0]]], regressions.prior.T
    design = np.hstack([columns.plain, prior * columns.stretching, columns.groups])
    by_update, by_nuts = ((draws * regressions.scale) @ design.T for draws in (c, chain))
    mean = weights @ by_update
    deviation = np.sqrt(weights @ (by_update - mean) ** 2)
    return (by_nuts.mean(axis=0) - mean) / deviation, by_nuts.std(axis=0) / deviation


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="label_update", description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--warmup", type=int, default=500)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{'case':12} {'largest difference':>20} {'ratio of deviations':>22}")
    for name, update in cases(rng):
        difference, ratio = compare(update, rng, options.draws, options.warmup)
        print(
            f"{name:12} {np.abs(difference).max():20.3f} {ratio.min():12.3f} to {ratio.max():.3f}"
        )
