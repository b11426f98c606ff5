"""Tags while they are being verified: pools, strategies and estimators, and their errors.

An estimator is looked at with the labels that some strategy has chosen. The model that a strategy
looks at need not be the estimator: one labelling serves several.
"""

from dataclasses import dataclass

import numpy as np
from labelling_runs import looks_of
from sklearn.metrics import average_precision_score

from sklearn_spe import ActiveTestSelector
from sklearn_spe.metrics import PrecisionAtK

N_DRAWS = 100
# Of what is kept.
DIGITS = 6
UNKNOWN = -1


@dataclass(frozen=True)
class TagPool:
    """Pairs of an image and a tag.

    Attributes
    ----------
    metric : PrecisionAtK or "average_precision"
        Averaged over the tags.
    scores : ndarray of shape (n_pairs,)
        Without ties in a tag. Of Precision@K, the K highest of each tag alone.
    truth, noisy : ndarray of shape (n_pairs,)
        0 or 1.
    category : ndarray of shape (n_pairs,)
        The tag, from 0 on.
    """

    metric: object
    scores: np.ndarray
    truth: np.ndarray
    noisy: np.ndarray
    category: np.ndarray

    @classmethod
    def top(cls, k, scores, truth, noisy, category):
        """Return the pool of Precision@K, which nothing but the K highest of a tag matter to."""
        order = np.lexsort((-scores, category))
        place = np.arange(len(order)) - np.searchsorted(category[order], category[order])
        top = np.sort(order[place < k])
        return cls(PrecisionAtK(k), scores[top], truth[top], noisy[top], category[top])

    @property
    def n_pairs(self):
        """How many pairs may be verified."""
        return len(self.scores)

    @property
    def is_linear(self):
        """Whether the expected metric is that of the expected labels, as eq. 8 has it."""
        return isinstance(self.metric, PrecisionAtK)

    def values(self, labels):
        """Return the metric of each tag, of labels or, if it is linear, of their probabilities."""
        if self.is_linear:
            return np.bincount(self.category, labels) / np.bincount(self.category)
        return np.array(
            [
                average_precision_score(labels[own], self.scores[own])
                for own in (self.category == c for c in range(self.category.max() + 1))
            ]
        )


@dataclass(frozen=True)
class Labelling:
    """How labels are chosen, and the estimators.

    Attributes
    ----------
    strategy : str
    model : str
        The label model that the strategy looks at.
    estimators : tuple of str
    draw : str
        As `ActiveTestSelector` takes it.
    start : float
        The share that is verified at random before the strategy sets in; at least the first look.
    """

    strategy: str
    model: str
    estimators: tuple[str, ...]
    draw: str = "argmax"
    start: float = 0.0


# "counts" is the paper's learned estimator, "joint" the package's.
LABELLINGS = {
    "random": Labelling("random", "counts", ("naive", "counts"), "sample"),
    "random by joint": Labelling("random", "joint", ("joint",), "sample"),
    "MCM by naive": Labelling("confident_mistake", "naive", ("naive",)),
    "MCM by counts": Labelling("confident_mistake", "counts", ("counts",)),
    "MCM by joint": Labelling("confident_mistake", "joint", ("joint",)),
    "MEEC by counts": Labelling("estimator_change", "counts", ("naive", "counts")),
    "MEEC by joint": Labelling("estimator_change", "joint", ("naive", "joint")),
    "MEEC drawn by counts": Labelling("estimator_change", "counts", ("counts",), "sample"),
    "MEEC by counts from 15%": Labelling("estimator_change", "counts", ("counts",), start=0.15),
}
OF_JOINT = tuple(name for name, found in LABELLINGS.items() if found.model == "joint")
OF_PAPER = tuple(name for name in LABELLINGS if name not in OF_JOINT)
# The lines of figure 5.
LINES = {
    "random, naive": ("random", "naive"),
    "MCM, naive": ("MCM by naive", "naive"),
    "random, learned (counts)": ("random", "counts"),
    "MCM, learned (counts)": ("MCM by counts", "counts"),
    "MEEC, learned (counts)": ("MEEC by counts", "counts"),
    "random, learned (joint)": ("random by joint", "joint"),
    "MCM, learned (joint)": ("MCM by joint", "joint"),
    "MEEC, learned (joint)": ("MEEC by joint", "joint"),
}


def label(pool, shares, seed, methods):
    """Return a row for each labelling, look and estimator."""
    rows = []
    for method in methods:
        for row in look_at(pool, LABELLINGS[method], looks_of(shares, pool.n_pairs), seed):
            rows.append({"method": method, **row})
    return rows


def look_at(pool, labelling, looks, seed):
    """Yield the errors of each estimator at each look.

    Every strategy goes on from the same random labels; the paper does not say how it starts.
    """
    looks = {verified: n for verified, n in looks.items() if verified >= 100.0 * labelling.start}
    known = first_labels(pool, min(looks.values()), seed)
    selector = fitted(pool, known, labelling.model, seed, labelling.strategy, labelling.draw)
    before = {}
    for verified, n_labels in looks.items():
        more = n_labels - np.count_nonzero(known != UNKNOWN)
        if more:
            items = selector.query(more)
            selector.update(items, pool.truth[items])
            known[items] = pool.truth[items]
        for estimator in labelling.estimators:
            is_own = estimator == labelling.model
            model = selector if is_own else fitted(pool, known, estimator, seed)
            found, before[estimator] = compare(pool, known, model, before.get(estimator))
            yield {"verified": verified, "estimator": estimator, **found}


def first_labels(pool, n_labels, seed):
    """Return the labels that all strategies start with."""
    known = np.full(pool.n_pairs, UNKNOWN)
    items = fitted(pool, known, "naive", seed).query(n_labels)
    known[items] = pool.truth[items]
    return known


def fitted(pool, known, label_model, seed, strategy="random", draw="sample"):
    """Return a selector that has seen all scores and noisy labels, and the labels that are known.

    The paper has no design-based estimator: what is looked at is what the model says.
    """
    selector = ActiveTestSelector(
        pool.metric,
        strategy=strategy,
        label_model=label_model,
        draw=draw,
        n_draws=N_DRAWS,
        random_state=seed,
    )
    return selector.fit(pool.scores, known, noisy_labels=pool.noisy, category=pool.category)


def compare(pool, known, model, before):
    """Return the error of an estimate of each tag, averaged over tags; and its probabilities.

    Figure 6 takes errors apart: `labels_only` is the error with all that is verified and the
    probabilities of the look before, `moved` how far these move where nothing is verified.
    """
    probability = model.label_proba_
    open_, truth = known == UNKNOWN, pool.values(pool.truth)
    is_naive = model.label_model == "naive"
    if is_naive:
        estimate = pool.values(np.where(open_, pool.noisy, known))
    elif pool.is_linear:
        estimate = pool.values(probability)
    else:
        estimate = model.by_category().values
    row = {
        "estimate": estimate.mean(),
        "truth": truth.mean(),
        "error": np.abs(estimate - truth).mean(),
        "signed": (estimate - truth).mean(),
        "labels_only": np.nan,
        "moved": np.nan,
    }
    if before is not None and pool.is_linear:
        half = pool.values(np.where(open_, before, known))
        row["labels_only"] = np.abs(half - truth).mean()
        row["moved"] = np.abs(probability - before)[open_].mean()
    return {name: round(float(value), DIGITS) for name, value in row.items()}, probability
