"""Items with noisy labels, categories and two systems, few enough to be quick."""

import itertools
from dataclasses import dataclass

import numpy as np

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active.lists._ranked_lists import RankedList, RankedLists
from sklearn_spe.datasets import make_noisy_tags
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.metrics._ranking import AveragePrecision
from tests.active.selectors import numbers


@dataclass(frozen=True)
class TaggedItems:
    """Items of three categories with noisy labels and two systems' scores."""

    seed: int
    scores: np.ndarray
    truth: np.ndarray
    noisy: np.ndarray
    tag: np.ndarray
    other: np.ndarray

    @classmethod
    def drawn(cls, seed):
        """Draw items in no order (a file may be sorted by anything)."""
        data = make_noisy_tags(
            100, 3, recall=0.6, false_rate=0.05, prevalence=0.15, long_tail=0.5, random_state=seed
        )
        rng = np.random.default_rng([seed, 1])
        # The first sixty hold two positives and two negatives of every category.
        order = rng.permutation(300)
        kind = 2 * data.category[order] + data.labels[order]
        first = np.concatenate([np.flatnonzero(kind == k)[:2] for k in range(6)])
        order = np.r_[rng.permutation(order[first]), np.delete(order, first)]
        parts = (data.scores, data.labels, data.noisy_labels, data.category)
        scores, *others = (part[order] for part in parts)
        return cls(seed, scores, *others, scores + rng.normal(size=300))

    @property
    def both(self):
        """What may be given of the items beside scores: noisy labels and categories."""
        return {"noisy_labels": self.noisy, "category": self.tag}

    @property
    def systems(self):
        """Scores of three systems, of which the last is drawn without a look at the truth."""
        blind = np.random.default_rng([self.seed, 7]).normal(size=300)
        return np.column_stack([self.scores, self.other, blind])

    @property
    def near(self):
        """Scores of three systems that are nearly the same, whose order no few labels settle."""
        noise = np.random.default_rng([self.seed, 2]).normal(size=(300, 3))
        return self.scores[:, np.newaxis] + 0.2 * noise

    def top(self, k):
        """Return the k highest of every category."""
        decreasing = np.argsort(-self.scores)
        return np.sort(
            np.concatenate([decreasing[self.tag[decreasing] == c][:k] for c in range(3)])
        )

    def partly(self, n, missing=-1):
        """Return the first labels, the others marked as missing."""
        return np.where(np.arange(300) < n, self.truth, missing)

    def selector(self, metric="average_precision", **parameters):
        """Return a selector that draws few."""
        return ActiveTestSelector(
            metric, **{"n_draws": 60, "random_state": self.seed, **parameters}
        )

    def fitted(self, metric="average_precision", X=None, y=None, given=None, **parameters):
        """Return a selector that is fitted to the items, with all that is given of them."""
        X, given = self.scores if X is None else X, self.both if given is None else given
        return self.selector(metric, **parameters).fit(X, y, **given)

    def counted(self, metric="average_precision", **parameters):
        """Return such a selector with the label model that learns the quickest."""
        return self.fitted(metric, **{"label_model": "counts", **parameters})

    def label(self, chosen, n=10, *, truth=None, rounds=1):
        """Ask for labels and give them."""
        truth = self.truth if truth is None else truth
        for _ in range(rounds):
            items = chosen.query(n)
            chosen.update(items, truth[items])
        return chosen

    def macro(self, metric, truth=None, scores=None, n=300):
        """Return the mean over categories of a metric of scikit-learn, of the first items."""
        truth, scores = (
            own if given is None else given
            for own, given in ((self.truth, truth), (self.scores, scores))
        )
        own = [np.flatnonzero(self.tag[:n] == c) for c in range(3)]
        return np.mean([metric(truth[i], scores[i]) for i in own])


def one_list(scores, metric=None, **fields):
    """Return the board of one list."""
    scores, n = np.asarray(scores, dtype=float), len(scores)
    metric = AveragePrecision() if metric is None else metric
    ranked = RankedList.ranked(metric, np.arange(n), scores, 0, 0, **fields)
    return RankedLists(scores[:, None], None, Partition.numbered(np.zeros(n, int)), None, (ranked,))


def every_labeling(p):
    """Return all labels (n_labelings, n_rows) and their chances; p is (n_draws, n_rows)."""
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
