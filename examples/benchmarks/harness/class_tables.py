"""Tables of true and predicted classes, as the labels alone tell them."""

import numpy as np


def tables_by_labels(predicted, y, n_classes, n_draws, rng):
    """Draw tables of shares of all items, (n_draws, n_classes, n_classes): true by predicted class.

    A Dirichlet distribution for each predicted class, around the labels' own accuracy with errors
    even, that counts as one label; the sizes of the predictions are known. `y` is -1 if unlabeled.
    """
    labeled = np.flatnonzero(y >= 0)
    accuracy = (np.sum(predicted[labeled] == y[labeled]) + 0.5) / (len(labeled) + 1.0)
    tables = np.zeros((n_draws, n_classes, n_classes))
    for code in range(n_classes):
        prior = np.full(n_classes, (1.0 - accuracy) / (n_classes - 1))
        prior[code] = accuracy
        n_each = np.bincount(y[labeled[predicted[labeled] == code]], minlength=n_classes)
        tables[:, :, code] = np.mean(predicted == code) * rng.dirichlet(prior + n_each, n_draws)
    return tables
