"""Items with noisy labels, categories and two systems, few enough to be quick."""

import itertools

import numpy as np

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active.boards import Board, RankedList
from sklearn_spe.datasets import make_noisy_tags
from sklearn_spe.metrics import AveragePrecision
from tests.active.selectors import numbers

_DATA = make_noisy_tags(
    100, 3, recall=0.6, false_rate=0.05, prevalence=0.15, long_tail=0.5, random_state=0
)
# In no order: a file may be sorted by anything.
_ORDER = np.random.default_rng(0).permutation(300)
SCORES, TRUTH, NOISY, TAG = (
    part[_ORDER] for part in (_DATA.scores, _DATA.labels, _DATA.noisy_labels, _DATA.category)
)
OTHER = SCORES + np.random.default_rng(1).normal(size=300)


def noisy_selector(metric="average_precision", **parameters):
    return ActiveTestSelector(metric, **{"n_draws": 60, "random_state": 0, **parameters})


def noisy_fit(metric="average_precision", X=SCORES, y=None, given=None, **parameters):
    """Return a selector that is fitted to the items, with all that is given of them."""
    given = {"noisy_labels": NOISY, "category": TAG} if given is None else given
    return noisy_selector(metric, **parameters).fit(X, y, **given)


def partly(n, truth=TRUTH, missing=-1):
    """Return the first labels, the others marked as missing."""
    return np.where(np.arange(len(truth)) < n, truth, missing)


def macro(metric, truth=TRUTH, scores=SCORES, tag=TAG):
    """Return the mean over categories of a metric of scikit-learn."""
    return np.mean([metric(truth[tag == c], scores[tag == c]) for c in np.unique(tag)])


def one_list(scores, metric=None, **fields):
    """Return the board of one list."""
    scores, n = np.asarray(scores, dtype=float), len(scores)
    metric = AveragePrecision() if metric is None else metric
    ranked = RankedList.ranked(metric, np.arange(n), scores, 0, 0, **fields)
    return Board(scores[:, None], None, np.zeros(n, int), 1, None, (ranked,))


def every_labelling(p):
    """Return all labels (n_labellings, n_entries) and their chances; p is (n_draws, n_entries)."""
    p = np.atleast_2d(p)
    labels = np.array(list(itertools.product((0, 1), repeat=p.shape[1])))
    return labels, np.where(labels[:, None] == 1, p, 1.0 - p).prod(axis=2).mean(axis=1)


def state(chosen):
    """Return what a selector knows."""
    return {
        "estimate": numbers(chosen.estimate_),
        "labels": chosen.n_labels_,
        "probability": chosen.label_proba_,
        "chances": chosen.query_proba_,
        "utilities": chosen.utilities_,
        "pending": chosen.pending_,
        "categories": numbers(chosen.by_category()),
        "flips": chosen.flip_rates_,
        "naive": chosen.naive_estimate_,
        "history": np.array([list(vars(row).values()) for row in chosen.history_]),
    }
