"""The rows of a fitted performance estimator with the most informative labels."""

from __future__ import annotations

import numpy as np

from ..curves._question import Question
from ..inputs._labels import UNLABELED
from ..inputs._random_state import spawn
from ._expected_information import ExpectedInformation, cells_of
from ._seed_places import SeedPlace
from .strategies._expected_change import ExpectedChange
from .strategies._pool import Pool, ranks_from_top
from .strategies._strategy import best

__all__ = ["rows_to_label"]


def rows_to_label(performance, n: int, metric="average_precision", **where) -> np.ndarray:
    """Return the rows to label next, the most informative first; `n` of them, or all that are left.

    Equal to a query of `ActiveTestSelector` with ``draw="argmax"``: largest expected gain, without
    the random draws that check a model. Ties are broken at random, from the seed of the fit.
    """
    cells = cells_of(performance.posterior_)
    question = Question.of(metric, **where)
    rows = performance.subject_.rows(performance.shown_.asked)
    pool = Pool(
        rows.scores,
        rows.codes,
        rows.asked & (rows.codes == UNLABELED),
        ranks_from_top(rows.scores),
        information=ExpectedInformation.of(question, performance, cells),
        cells=np.maximum(np.searchsorted(cells.lower, rows.scores, side="right") - 1, 0),
    )
    return best(ExpectedChange(), pool, n, spawn(performance.seed_, SeedPlace.QUERIES))
