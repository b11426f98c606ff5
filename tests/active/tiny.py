"""A posterior of a handful of items, small enough for every labelling to be followed."""

import itertools
from types import SimpleNamespace

import numpy as np
from scipy import special

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.data._cells import ScoreCells, ScoreKind
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.engine._components import Positions
from sklearn_spe.engine._random_effects import RandomEffects
from sklearn_spe.engine._updated_rows import AxisCurves, UpdatedRows
from sklearn_spe.inputs._scores import ScoreDirection
from sklearn_spe.models._further_items import FurtherItems
from sklearn_spe.models._item_table import ItemTable
from sklearn_spe.models._rankings import RankingPosterior
from sklearn_spe.models._row_model import RowModel
from sklearn_spe.models._row_posterior import RowPosterior
from sklearn_spe.results._verdict import Verdict

# The last two tie; one positive and one negative are known.
SCORES = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 1.5])
CODES = np.array([-1, 0, -1, -1, -1, 1, -1, -1])


def performance_of(seed, scores=SCORES, codes=CODES, n_draws=6, n_points=5, log_odds=None):
    """Return a performance estimator whose posterior is a few equally likely curves."""
    scores, codes = np.asarray(scores, dtype=float), np.asarray(codes)
    sample = ScoreSample.from_items(scores, codes, np.ones(len(scores)))
    cells = ScoreCells.of(sample, ScoreKind("unknown"))
    if log_odds is None:
        rng = np.random.default_rng(seed)
        shift, slope = rng.normal(size=(n_draws, 1)), rng.uniform(0.2, 2.0, (n_draws, 1))
        log_odds = shift + slope * cells.scores + 0.5 * rng.normal(size=(n_draws, cells.n_cells))
    # Finite, as all curves are: no probability is exactly zero.
    log_odds = np.clip(np.broadcast_to(log_odds, (len(log_odds), cells.n_cells)), -700.0, 700.0)
    n_draws, one_for_each = len(log_odds), np.ones(len(log_odds))
    curves = AxisCurves(0, n_draws, log_odds.T, np.zeros(log_odds.T.shape))
    updated = UpdatedRows(
        (curves,),
        bottom=0.0 * one_for_each,
        top=0.0 * one_for_each,
        spread=one_for_each,
        steepness=one_for_each,
        effects=(),
        expert=np.zeros(n_draws, dtype=int),
        component=np.arange(n_draws),
        weights=None,
        ess=float(n_draws),
        pareto_k=0.0,
    )
    given = ItemTable.of_pool(scores, codes, ScoreDirection())
    table = given.gathered()
    places = (Positions.of(cells, table.scores[:, 0]),)
    rows = RowPosterior(places, RandomEffects(), updated, table.codes, table.weights, seed)
    model = RowModel(
        settings=SimpleNamespace(experts=[], score_kind="unknown"),
        seed=seed,
        prior=None,
        table=table,
        posterior=RankingPosterior.of(
            rows,
            table.scores[:, 0],
            cells.kind,
            np.arange(table.n_items),
            scores[[np.argmin(scores), np.argmax(scores)]],
            FurtherItems.of(rows, table),
            sample=sample,
            cells=cells,
            on_curve=True,
        ),
        density=None,
        given=given,
    )
    # Without a prior there are no diagnostics.
    vars(model).update(
        suspect_labels=None, bets=SimpleNamespace(model_weight=1.0), verdict=Verdict()
    )
    return PerformanceCurveEstimator(n_points=n_points)._of_fit(model)


def cell_of(performance, scores=SCORES):
    cells = performance.posterior_.cells
    return np.searchsorted(cells.lower, scores, side="right") - 1


def every_labeling(performance, scores=SCORES, codes=CODES):
    """Return all labels (n_labelings, n_items), and their probabilities."""
    free = np.flatnonzero(codes < 0)
    p = special.expit(performance.posterior_.updated.log_odds)[:, cell_of(performance, scores)]
    labels = np.repeat(codes[np.newaxis], 2 ** len(free), axis=0)
    labels[:, free] = list(itertools.product((0, 1), repeat=len(free)))
    of_free = labels[:, np.newaxis, free]
    each = np.where(of_free == 1, p[:, free], 1.0 - p[:, free]).prod(axis=2)
    return labels, each.mean(axis=1)


def true_gain(values, labels, chances, item):
    """Return Var(M) - E Var(M | z) for the label z of an item, by its definition."""

    def variance(mass):
        mass = mass / mass.sum()
        return (mass * values**2).sum() - (mass * values).sum() ** 2

    left = sum(
        chances[labels[:, item] == z].sum() * variance(np.where(labels[:, item] == z, chances, 0.0))
        for z in (0, 1)
    )
    return variance(chances) - left


def true_covariance(values, labels, chances, item):
    """Return Cov(M, z) for the label z of an item; values may be (n_labelings, n_values)."""
    z = labels[:, item]
    return (chances * (z - (chances * z).sum())) @ values
