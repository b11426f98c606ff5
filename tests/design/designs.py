"""Pools whose every way of being labelled is followed, and designs drawn at random."""

import numpy as np

from sklearn_spe.design._label_design import LabelDesign, expected_squares, rest_and_reach

# The terms of metrics, [z, above].
TERMS = {
    "precision": ([[0, 0], [0, 1]], [[0, 1], [0, 1]]),
    "recall": ([[0, 0], [0, 1]], [[0, 0], [1, 1]]),
    "f1": ([[0, 0], [0, 2]], [[0, 1], [1, 2]]),
    "accuracy": ([[1, 0], [0, 1]], [[1, 1], [1, 1]]),
    "specificity": ([[1, 0], [0, 0]], [[1, 1], [0, 0]]),
    # An item that may be labelled adds something whatever its label is.
    "odd": ([[1, 2], [2, 1]], [[3, 2], [2, 4]]),
}
TERMS = {name: tuple(np.array(part, dtype=float) for part in both) for name, both in TERMS.items()}


def total(terms, labels, above):
    """Return the sum over all items that can be labelled."""
    return sum(terms[int(z), int(a)] for z, a in zip(labels, above, strict=True) if not np.isnan(z))


def metric_of(name, labels, above):
    top, bottom = (total(terms, labels, above) for terms in TERMS[name])
    return top / bottom


def plan(design, n_items, seed):
    """Return weights and predictions of all items: any function of the past."""
    past = np.nan_to_num(design.labels, nan=2.0).astype(int)
    rng = np.random.default_rng([seed, *design.items, 99, *past])
    return rng.uniform(0.2, 1.0, n_items), rng.uniform(0.02, 0.98, n_items)


def free_of(design, n_items):
    return np.setdiff1d(np.arange(n_items), design.items)


def orders(free, weights, size):
    """Yield every ordered choice of some free items, with the chance of each draw."""
    if size == 0 or not free:
        yield (), ()
        return
    chances = np.array([weights[i] for i in free])
    chances = chances / chances.sum()
    for item, chance in zip(free, chances, strict=True):
        for items, rest in orders([i for i in free if i != item], weights, size - 1):
            yield (item, *items), (chance, *rest)


def next_designs(design, labels, above, seed, size=1):
    """Yield each design that one more batch may lead to, and its chance."""
    weights, p = plan(design, len(labels), seed)
    free = free_of(design, len(labels))
    expected_positives, reach = rest_and_reach(
        p[free], weights[free] / weights[free].sum(), above[free]
    )
    # What is expected may be wrong, as it is here for all but the first.
    squares = expected_squares(p[free], weights[free] / weights[free].sum(), above[free])
    drawn = {"expected_positives": expected_positives, "reach": reach, "squares": squares}
    for items, chances in orders(free.tolist(), weights, size):
        at = list(items)
        new = design.extended(
            at, labels[at], above[at], chances=chances, predictions=p[at], **drawn
        )
        yield float(np.prod(chances)), new


def every_design(labels, above, batches, seed, outside=()):
    """Yield every design that some batches may lead to, and its chance.

    Parameters
    ----------
    labels : ndarray of shape (n_items,)
        NaN if nobody can tell.
    above : ndarray of shape (n_items,)
    batches : sequence of int
        The size of each.
    seed : int
        What weights and predictions hang on, beside the past.
    outside : sequence of sequences of int
        Items that are labelled without being drawn, before each batch; those that were
        drawn by then are left out.
    """
    leaves = [(1.0, LabelDesign.empty(above))]
    for number, size in enumerate(batches):
        told = outside[number] if number < len(outside) else ()
        grown = []
        for chance, design in leaves:
            new = [i for i in told if i not in design.items]
            known = design.extended(new, labels[new], above[new]) if new else design
            grown += [
                (chance * more, longer)
                for more, longer in next_designs(known, labels, above, seed, size)
            ]
        leaves = grown
    return leaves


def drawn_design(rng, labels, above, predictions, n_draws, batch_size=10, sharpness=0.02, eps=0.2):
    """Draw a design, batch after batch, most often the items of uncertain prediction.

    Yields the design after each batch.
    """
    design = LabelDesign.empty(above)
    weights = np.sqrt(predictions * (1.0 - predictions) + sharpness)
    free = np.arange(len(labels))
    while design.n_rows < n_draws and len(free):

        def draw_proba(free):
            w = weights[free] / weights[free].sum()
            return (1.0 - eps) * w + eps / len(free)

        expected_positives, reach = rest_and_reach(predictions[free], draw_proba(free), above[free])
        squares = expected_squares(predictions[free], draw_proba(free), above[free])
        items, chances = [], []
        for _ in range(min(batch_size, n_draws - design.n_rows, len(free))):
            q = draw_proba(free)
            at = rng.choice(len(free), p=q)
            items.append(free[at])
            chances.append(q[at])
            free = np.delete(free, at)
        design = design.extended(
            items,
            labels[items],
            above[items],
            chances=chances,
            predictions=predictions[items],
            expected_positives=expected_positives,
            reach=reach,
            squares=squares,
        )
        yield design
