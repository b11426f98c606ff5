"""Label updates of one column of scores, and of items on several score axes."""

from sklearn_spe.engine._label_update import update_labels
from sklearn_spe.engine._laplace import LabelRows


def update_scores(components, sample, prior, n_draws, rng):
    """Update components on one axis by the labels of a sample of its scores."""
    (ensemble,) = components.ensembles
    rows = LabelRows.of_scores(ensemble.cells, sample)
    return update_labels(components, rows, prior, n_draws, rng)


def update_items(components, axes, codes, counts, prior, n_draws, rng):
    """Update components on several axes by codes of items: 1, 0 or -1."""
    rows = LabelRows.of_items(axes, components.effects, codes, counts)
    return update_labels(components, rows, prior, n_draws, rng)
