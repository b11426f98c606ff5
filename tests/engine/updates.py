"""Label updates of one column of scores, and of items on several score axes."""

from sklearn_spe.engine._label_update import update_labels
from sklearn_spe.engine._laplace import LabelRows
from sklearn_spe.engine._prevalence_information import PrevalenceInformation
from sklearn_spe.posterior._known_positives import NOTHING_KNOWN


def update_scores(components, sample, prior, n_draws, rng, known=NOTHING_KNOWN):
    """Update components on one axis by the labels of a sample of its scores."""
    (ensemble,) = components.ensembles
    rows = LabelRows.of_scores(ensemble.cells, sample)
    information = PrevalenceInformation.of_scores(prior, known, ensemble.cells, sample)
    return update_labels(components, rows, information, n_draws, rng)


def update_items(components, axes, codes, counts, prior, n_draws, rng, known=NOTHING_KNOWN):
    """Update components on several axes by codes of items: 1, 0 or -1."""
    rows = LabelRows.of_items(axes, components.effects, codes, counts)
    information = PrevalenceInformation.of_items(prior, known, axes, codes, counts)
    return update_labels(components, rows, information, n_draws, rng)
