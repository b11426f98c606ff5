"""Label updates of one column of scores, and of items on several score axes.

One curve for all strata, without a switch, has closed forms.
"""

from dataclasses import replace

import numpy as np

from sklearn_spe.engine._label_rows import LabelRows
from sklearn_spe.engine._label_update import update_labels
from sklearn_spe.engine._prevalence_information import PrevalenceInformation
from sklearn_spe.engine._updated_rows import AxisCurves
from sklearn_spe.posterior._known_positives import KnownPositives


def update_scores(components, sample, prior, n_draws, rng, known=KnownPositives(), switch=0.0):
    """Update components on one axis by the labels of a sample of its scores."""
    (ensemble,) = components.ensembles
    rows = LabelRows.of_scores(ensemble.cells, sample)
    information = PrevalenceInformation.of_scores(prior, known, ensemble.cells, sample)
    return update_labels(components, rows, information, n_draws, rng, switch=switch)


def update_items(
    components, axes, codes, counts, prior, n_draws, rng, known=KnownPositives(), switch=0.0
):
    """Update components on several axes by codes of items: 1, 0 or -1."""
    rows = LabelRows.of_items(axes, components.effects, codes, counts)
    information = PrevalenceInformation.of_items(prior, known, axes, codes, counts)
    return update_labels(components, rows, information, n_draws, rng, switch=switch)


def with_curves(posterior, log_odds):
    """Return a ranking all of whose draws are given curves on its cells, (n_draws, n_cells)."""
    n_draws = len(log_odds)
    one_for_each = np.ones(n_draws)
    curves = AxisCurves(0, n_draws, log_odds.T, np.zeros(log_odds.T.shape))
    updated = replace(
        posterior.updated,
        curves=(curves,),
        bottom=0.0 * one_for_each,
        top=0.0 * one_for_each,
        spread=one_for_each,
        steepness=one_for_each,
        expert=posterior.updated.expert[np.arange(n_draws) % posterior.n_draws],
    )
    return with_update(posterior, updated)


def with_update(posterior, updated):
    """Return a ranking with other draws of its rows."""
    return replace(posterior, items=replace(posterior.items, updated=updated))
