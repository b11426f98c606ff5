r"""The probability that a predicted class is wrong: a binary fit, and effects of the class.

.. math:: \operatorname{logit} P(\text{wrong} \mid s, \hat y = c)
          = \sqrt{1 + \pi \tau^2 / 8}\; f(s) + \tau z_c

The overall curve :math:`f` is preserved: averaged over the standard normal :math:`z_c`, the
probability is :math:`\operatorname{expit} f` again. Labels update the size :math:`\tau` by the
correlation of errors within classes, and each effect by the labels of its class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..data._class_scores import ClassScores
from ..engine._random_effects import Columns
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._scores import ScoreDirection
from ._category_shifts import MIN_LABELS, drawn_shifts
from ._class_table import ClassTable, error_log_odds_of
from ._fit_settings import FitSettings
from ._item_table import ItemTable
from ._mixture_model import MixtureModel
from ._row_model import RowModel, fit_table

# Grid of effect sizes tau, and their prior probabilities.
SHIFT_SIZES, SHIFT_SIZE_WEIGHTS = np.array([0.2, 0.7, 1.4]), np.array([0.3, 0.4, 0.3])
# Grid for the standard normal effect of a class.
NODES = np.linspace(-3.3, 3.3, 23)
LOG_NODE_WEIGHTS = special.log_softmax(-0.5 * NODES**2)
# Probabilities of an error are kept this far from 0 and 1, whose log-odds are infinite.
MIN_PROBABILITY = 1e-12
# Grid of sizes of the effect that one classifier agrees, and their prior probabilities.
OF_AGREEMENT = (0.8, 1.6, 2.5), (0.3, 0.4, 0.3)


def fit_errors(
    settings: FitSettings, table: ClassTable, scores: ClassScores, seed: int
) -> RowModel | MixtureModel:
    """Fit P(prediction is wrong | item) to the uncertainties of the classifiers.

    `scores` are those of a single classifier, or of all combined. Without structure this is a fit
    of one column; else each classifier has its log-odds against the combined prediction, and a
    random effect of whether it would predict it too.
    """
    wrong = errors_of(scores, table.codes)
    if not table.is_structured:
        error_log_odds = scores.error_log_odds
        direction = ScoreDirection.of(error_log_odds, True)
        items = ItemTable.of_pool(
            error_log_odds, wrong, direction, counts=table.counts, system=table.systems[0]
        )
        return fit_table(settings, items, seed)

    error_log_odds = error_log_odds_of(table.scores, scores.predicted)
    predictions = [of_system.predicted for of_system in table.scores]
    agrees = np.column_stack([predicted == scores.predicted for predicted in predictions])
    deviations = agrees - agrees.mean(axis=1, keepdims=True)
    agreement = Columns("agreement", *OF_AGREEMENT, deviations)

    items = ItemTable(
        error_log_odds,
        table.systems,
        wrong,
        None,
        BinaryLabels.learn(None, classes=[0, 1]),
        tuple(ScoreDirection.of(column, True) for column in error_log_odds.T),
        table.category,
        table.clusters,
        n_rows=len(error_log_odds),
        counts=table.counts,
        effects=(agreement,) if len(table.systems) > 1 else (),
    )
    return RowModel.fit(settings, items, seed, gather=False)


def errors_of(scores: ClassScores, codes: np.ndarray) -> np.ndarray:
    """Return 1 for each known error, 0 for a correct prediction, -1 if unlabeled."""
    return np.where(codes < 0, UNLABELED, codes != scores.predicted).astype(np.int8)


@dataclass(frozen=True, eq=False)
class ClassShifts(FrozenArrays):
    """Effects of the predicted classes, for each draw of the curve."""

    stretch: np.ndarray  # (n_draws, 1), factor of the log-odds
    shift: np.ndarray  # (n_draws, n_classes), added to the log-odds

    @classmethod
    def updated(
        cls,
        probability: np.ndarray,
        wrong: np.ndarray,
        predicted: np.ndarray,
        counts: np.ndarray,
        n_classes: int,
        rng: np.random.Generator,
    ) -> ClassShifts:
        """Draw the effects from their posterior given the labels.

        `probability` (n_draws, n_labeled) is that of an error at the labeled items, `wrong`,
        `predicted` and `counts`, for how many items each counts, are (n_labeled,).
        """
        log_odds = special.logit(np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))
        signs = np.where(wrong, 1.0, -1.0)

        # Labels by predicted class, for some draws of the curve at a time.
        order = np.argsort(predicted, kind="stable")
        classes, firsts = np.unique(predicted[order], return_index=True)
        draws = [
            _draw_effects(
                log_odds[part][:, order],
                signs[order],
                counts[order],
                classes,
                firsts,
                n_classes,
                rng,
            )
            for part in row_tiles(len(log_odds), len(NODES) * max(1, len(order)))
        ]
        size = np.concatenate([of_part for of_part, _ in draws])
        shift = np.concatenate([of_part for _, of_part in draws])
        return cls(_stretch(size)[:, np.newaxis], shift)

    def by_labels(
        self,
        are_by_labels: np.ndarray,
        probability: np.ndarray,
        wrong: np.ndarray,
        predicted: np.ndarray,
        counts: np.ndarray,
        rng: np.random.Generator,
    ) -> ClassShifts:
        """Return effects that, in some draws, the labels of a predicted class state alone.

        Of one with labels enough, as `with_shifts_by_labels` does for categories. `are_by_labels`
        (n_draws, n_classes) tells in which draws; other arrays are those of `updated`.
        """
        shift = np.array(self.shift)
        for code in np.flatnonzero(np.bincount(predicted, counts) >= MIN_LABELS):
            items = np.flatnonzero(predicted == code)
            draws = np.flatnonzero(are_by_labels[:, code])
            of_items = probability[np.ix_(draws, items)]
            of_items = self.probability(draws, of_items, predicted[items])
            shift[draws, code] += drawn_shifts(of_items, wrong[items], counts[items], rng)
        return ClassShifts(self.stretch, shift)

    def mean(self, weights: np.ndarray) -> np.ndarray:
        """Return the weighted mean effect of each class, (n_classes,)."""
        return np.einsum("i,ij->j", weights, self.shift)

    def probability(
        self, rows: slice | np.ndarray, probability: np.ndarray, predicted: np.ndarray
    ) -> np.ndarray:
        """Return the error probabilities of items given their predicted class.

        `rows` selects draws; `probability` (n_rows, n_items) is that of the curve, `predicted`
        (n_items,).
        """
        log_odds = special.logit(np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))
        return special.expit(self.stretch[rows] * log_odds + self.shift[rows][:, predicted])


def _stretch(size: float | np.ndarray) -> np.ndarray:
    # A logistic curve averaged over a normal shift is flatter by this factor.
    return np.sqrt(1.0 + np.pi / 8.0 * size**2)


def _draw_effects(
    log_odds: np.ndarray,
    signs: np.ndarray,
    counts: np.ndarray,
    classes: np.ndarray,
    firsts: np.ndarray,
    n_classes: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the size and the effects of all classes, for some draws of the curve."""
    n = len(log_odds)

    # One row for each size and draw: likelihood of the labeled classes at each node.
    log_joint = np.empty((len(SHIFT_SIZES), n, len(classes), len(NODES)))
    for k, size in enumerate(SHIFT_SIZES):
        stretched = _stretch(size) * log_odds
        log_odds_at_nodes = stretched[:, :, np.newaxis] + size * NODES
        log_proba = special.log_expit(signs[:, np.newaxis] * log_odds_at_nodes)
        log_likelihoods = counts[:, np.newaxis] * log_proba
        of_classes = np.add.reduceat(log_likelihoods, firsts, axis=1) if len(classes) else 0.0
        log_joint[k] = of_classes + LOG_NODE_WEIGHTS

    # Draw the size by its evidence.
    log_evidence = special.logsumexp(log_joint, axis=3).sum(axis=2)
    log_evidence = log_evidence + np.log(SHIFT_SIZE_WEIGHTS)[:, np.newaxis]
    cumulative = special.softmax(log_evidence, axis=0).cumsum(axis=0)
    index = (cumulative < rng.random(n)).sum(axis=0)
    index = np.minimum(index, len(SHIFT_SIZES) - 1)
    size = SHIFT_SIZES[index]

    # Draw a node for each labeled class, and normal effects of the others.
    normal = rng.standard_normal((n, n_classes))
    log_joint_of_size = log_joint[index, np.arange(n)]
    cumulative = special.softmax(log_joint_of_size, axis=2).cumsum(axis=2)
    node = (cumulative < rng.random((n, len(classes), 1))).sum(axis=2)
    node = np.minimum(node, len(NODES) - 1)

    # Uniform between the nodes.
    step = NODES[1] - NODES[0]
    offset = (rng.random(node.shape) - 0.5) * step
    normal[:, classes] = NODES[node] + offset

    return size, size[:, np.newaxis] * normal
