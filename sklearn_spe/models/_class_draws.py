r"""Posterior draws of classes, from models of errors, and the classifiers that they measure.

Random effects of the predicted class on the error probability.

.. math:: \operatorname{logit} P(\text{wrong} \mid s, \hat y = c)
          = \sqrt{1 + \pi \tau^2 / 8}\; f(s) + \tau z_c

The overall curve :math:`f` is preserved: averaged over the standard normal :math:`z_c`, the
probability is :math:`\operatorname{expit} f` again. Labels update the size :math:`\tau` by the
correlation of errors within classes, and each effect by the labels of its class.

Confusion model: the true class of an item whose predicted class is wrong.

.. math:: q_c \propto e^{\tau z_c - \kappa m_c} \Bigl(
          (1 - \epsilon) \frac{p_c^\beta}{\sum_k p_k^\beta} + \frac{\epsilon}{K - 1} \Bigr),
          \qquad c \ne \hat y

The classifier's own probabilities of the other classes, raised to a power to correct over- or
underconfidence; a share of errors that are uniform over classes; and random effects of the true
class. Where a class is rarer than the classifier assumes, predictions of it are wrong more often,
by :math:`m_c`, and it is the true class of errors less often: :math:`\kappa = 1` is the case of
pure prior shift. Labels of errors update all four.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy import special

from ..data._class_scores import ClassScores
from ..data._gathered_rows import merged_rows, representative_rows
from ..data._sample import MAX_SCORES
from ..engine._random_effects import Columns
from ..inference._sampling import power_with_ess, systematic_resample
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._scores import ScoreDirection
from ..inputs._validation import spawn
from ..posterior._completed_labels import Completions
from ..posterior._operating_points import Task, values_of_draws
from ..posterior._posterior import Block, Posterior, digest_of
from ..posterior._row_estimates import resampled_items
from ..results._distributions import TAILS
from ._class_table import ClassTable, error_log_odds_of
from ._completed_classes import CompletedClasses, CountedClasses
from ._fit_settings import FitSettings
from ._item_table import ItemTable
from ._mixture_model import MixtureModel
from ._row_model import RowModel, fit_table
from ._row_posterior import RowPosterior

# Grid of effect sizes tau, and their prior probabilities.
SHIFT_SIZES, SHIFT_SIZE_WEIGHTS = np.array([0.2, 0.7, 1.4]), np.array([0.3, 0.4, 0.3])
# Grid for the standard normal effect of a class.
NODES = np.linspace(-3.3, 3.3, 23)
LOG_NODE_WEIGHTS = special.log_softmax(-0.5 * NODES**2)
# Probabilities of an error are kept this far from 0 and 1, whose log-odds are infinite.
MIN_PROBABILITY = 1e-12


@dataclass(frozen=True, eq=False)
class ClassShifts(FrozenArrays):
    """Effects of the predicted classes, for each draw of the curve."""

    stretch: np.ndarray  # (n_draws, 1), factor of the log-odds
    shift: np.ndarray  # (n_draws, n_classes), added to the log-odds

    @classmethod
    def updated(cls, probability, wrong, predicted, counts, n_classes: int, rng) -> ClassShifts:
        """Draw the effects from their posterior given the labels.

        `probability` (n_draws, n_labeled) is that of an error at the labeled items, `wrong`,
        `predicted` and `counts`, for how many items each counts, are (n_labeled,).
        """
        log_odds = special.logit(np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))
        signs = np.where(wrong, 1.0, -1.0)
        order = np.argsort(predicted, kind="stable")
        classes, firsts = np.unique(predicted[order], return_index=True)
        parts = [
            _drawn(
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
        size, shift = (np.concatenate(of_parts) for of_parts in zip(*parts, strict=True))
        return cls(_stretch(size)[:, np.newaxis], shift)

    def mean(self, weights) -> np.ndarray:
        """Return the weighted mean effect of each class, (n_classes,)."""
        return np.einsum("i,ij->j", weights, self.shift)

    def probability(self, rows: slice, probability, predicted) -> np.ndarray:
        """Return the error probabilities of items given their predicted class.

        `rows` selects draws; `probability` (n_rows, n_items) is that of the curve, `predicted`
        (n_items,).
        """
        log_odds = special.logit(np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))
        return special.expit(self.stretch[rows] * log_odds + self.shift[rows][:, predicted])


def _stretch(size):
    # A logistic curve averaged over a normal shift is flatter by this factor.
    return np.sqrt(1.0 + np.pi / 8.0 * size**2)


def _drawn(log_odds, signs, counts, classes, firsts, n_classes, rng):
    """Draw the size and the effects of all classes, for some draws of the curve."""
    n = len(log_odds)
    # One row for each size and draw: likelihood of the labeled classes at each node.
    said = np.empty((len(SHIFT_SIZES), n, len(classes), len(NODES)))
    for k, size in enumerate(SHIFT_SIZES):
        f = (_stretch(size) * log_odds)[:, :, np.newaxis] + size * NODES
        log = counts[:, np.newaxis] * special.log_expit(signs[:, np.newaxis] * f)
        said[k] = (np.add.reduceat(log, firsts, axis=1) if len(classes) else 0.0) + LOG_NODE_WEIGHTS
    evidence = (
        special.logsumexp(said, axis=3).sum(axis=2) + np.log(SHIFT_SIZE_WEIGHTS)[:, np.newaxis]
    )
    cumulative = special.softmax(evidence, axis=0).cumsum(axis=0)
    chosen = np.minimum((cumulative < rng.random(n)).sum(axis=0), len(SHIFT_SIZES) - 1)
    size = SHIFT_SIZES[chosen]
    normal = rng.standard_normal((n, n_classes))
    weights = special.softmax(said[chosen, np.arange(n)], axis=2).cumsum(axis=2)
    node = (weights < rng.random((n, len(classes), 1))).sum(axis=2)
    # Jitter between the nodes.
    between = (rng.random(node.shape) - 0.5) * (NODES[1] - NODES[0])
    normal[:, classes] = NODES[np.minimum(node, len(NODES) - 1)] + between
    return size, size[:, np.newaxis] * normal


# Number of particles that represent the posterior.
N_DISTRIBUTIONS = 64
# Parameters: the power, the uniform share and kappa.
N_COMMON = 3
# Normal priors of log beta and of the log-odds of epsilon.
LOG_POWER, LOG_ODDS_BLIND = (-0.4, 0.8), (-2.0, 1.0)
# Grid of effect sizes tau, and their prior probabilities.
SIZES, SIZE_WEIGHTS = np.array([0.1, 0.5, 1.2]), np.array([0.4, 0.35, 0.25])
# Moves of each particle at the end and between two steps; probability of redrawing the size.
LAST_MOVES, MOVES_BETWEEN = 16, 4
# Mean and standard deviation of kappa.
KAPPA = (0.5, 0.5)
# Prior standard deviation of the log weights of several classifiers.
SIZE_OF_WEIGHTS = 1.5
STEP_SIZES = (0.15, 0.35, 0.8)
REDRAW_SIZE = 0.2
MIN_STEP = 1e-3


@dataclass(frozen=True, eq=False)
class ConfusionModel(FrozenArrays):
    """Equally weighted particles of the distribution of the true class given an error."""

    # (n_distributions, 3 + n_classes [+ n_systems]), standard normal a priori: the power, the
    # uniform share, kappa, each class, and each of several classifiers
    normal: np.ndarray
    size: np.ndarray  # (n_distributions,), standard deviation of the class effects
    shift: np.ndarray  # (n_classes,), class effects on the error log-odds

    @classmethod
    def updated(
        cls, log_others, predicted, true, counts, shift, rng: np.random.Generator
    ) -> ConfusionModel:
        """Draw particles from the posterior given the labels of errors.

        `log_others` (n_systems, n_mistakes, n_classes) is `ClassScores.log_others` of the labeled
        errors, `predicted`, `true` and `counts` are (n_mistakes,), `shift` is (n_classes,).
        """
        n_systems, _, n_classes = log_others.shape
        n_normal = N_COMMON + n_classes + (n_systems if n_systems > 1 else 0)
        distributions = cls(
            rng.standard_normal((N_DISTRIBUTIONS, n_normal)),
            rng.choice(SIZES, size=N_DISTRIBUTIONS, p=SIZE_WEIGHTS),
            np.asarray(shift, dtype=float),
        )
        if not len(true):
            return distributions
        labels = log_others, predicted, true, counts
        log_likelihood = distributions.log_likelihood(*labels)
        power = 0.0
        while power < 1.0:
            step = power_with_ess(log_likelihood, N_DISTRIBUTIONS / 2.0, 1.0 - power)
            step = max(step, min(MIN_STEP, 1.0 - power))
            chosen = systematic_resample(special.softmax(step * log_likelihood), rng)
            distributions = distributions.take(chosen)
            log_likelihood = log_likelihood[chosen]
            power = min(1.0, power + step)
            for _ in range(MOVES_BETWEEN if power < 1.0 else LAST_MOVES):
                proposed = distributions.proposed(rng)
                log = proposed.log_likelihood(*labels)
                accepted = np.log(rng.random(N_DISTRIBUTIONS)) < power * (log - log_likelihood)
                distributions = distributions.where(accepted, proposed)
                log_likelihood = np.where(accepted, log, log_likelihood)
        return distributions

    @property
    def power(self) -> np.ndarray:
        """Exponent of the classifier's own probabilities."""
        return np.exp(LOG_POWER[0] + LOG_POWER[1] * self.normal[:, 0])

    @property
    def blind(self) -> np.ndarray:
        """The share of errors that are uniform over the other classes."""
        return special.expit(LOG_ODDS_BLIND[0] + LOG_ODDS_BLIND[1] * self.normal[:, 1])

    @property
    def n_classes(self) -> int:
        return len(self.shift)

    @property
    def favor(self) -> np.ndarray:
        """Factors of the class probabilities, (n_distributions, n_classes)."""
        kappa = KAPPA[0] + KAPPA[1] * self.normal[:, 2:3]
        own = self.normal[:, N_COMMON : N_COMMON + self.n_classes]
        return np.exp(self.size[:, np.newaxis] * own - kappa * self.shift)

    @property
    def shares(self) -> np.ndarray:
        """Weights of the classifiers, (n_distributions, n_systems); rows sum to one."""
        normal = self.normal[:, N_COMMON + self.n_classes :]
        if not normal.shape[1]:
            return np.ones((len(normal), 1))
        return special.softmax(SIZE_OF_WEIGHTS * normal, axis=1)

    def take(self, indices) -> ConfusionModel:
        return replace(self, normal=self.normal[indices], size=self.size[indices])

    def where(self, accepted, other: ConfusionModel) -> ConfusionModel:
        """Return another's particles where accepted, else these."""
        normal = np.where(accepted[:, np.newaxis], other.normal, self.normal)
        return replace(self, normal=normal, size=np.where(accepted, other.size, self.size))

    def proposed(self, rng) -> ConfusionModel:
        """Propose particles by moves that leave the prior invariant."""
        steps = rng.choice(STEP_SIZES, size=(len(self.size), 1))
        noise = rng.standard_normal(self.normal.shape)
        anew = rng.random(len(self.size)) < REDRAW_SIZE
        size = rng.choice(SIZES, size=len(self.size), p=SIZE_WEIGHTS)
        return replace(
            self,
            normal=np.sqrt(1.0 - steps**2) * self.normal + steps * noise,
            size=np.where(anew, size, self.size),
        )

    def log_likelihood(self, log_others, predicted, true, counts) -> np.ndarray:
        """Return the log likelihood of the true classes of errors, for each particle."""
        total = np.zeros(len(self.size))
        for part in row_tiles(len(true), self.normal.size):
            own = true[part]
            rows = np.arange(len(true[part]))
            weights = self._weights(log_others[:, part], predicted[part])
            found = weights[:, rows, own] / weights.sum(axis=2)
            total += (counts[part] * np.log(np.maximum(found, np.finfo(float).tiny))).sum(axis=1)
        return total

    def probability(self, distribution: int, log_others, predicted) -> np.ndarray:
        """Return the class probabilities of errors under one particle, (n_items, n_classes).

        `log_others` (n_systems, n_items, n_classes) is `ClassScores.log_others`. The predicted
        class has zero probability; rows sum to one.
        """
        (weights,) = self.take([distribution])._weights(log_others, predicted)
        return weights / weights.sum(axis=1, keepdims=True)

    def _weights(self, log_others, predicted) -> np.ndarray:
        """Return unnormalized class probabilities, (n_distributions, n_items, n_classes)."""
        power, blind = (part[:, np.newaxis, np.newaxis] for part in (self.power, self.blind))
        mean = np.einsum("ls,sij->lij", self.shares, log_others)
        if len(log_others) > 1:
            mean -= mean.max(axis=2, keepdims=True)
        with np.errstate(under="ignore"):
            weights = np.exp(power * mean)
            weights *= (1.0 - blind) / weights.sum(axis=2, keepdims=True)
        weights += blind / (self.n_classes - 1)
        weights *= self.favor[:, np.newaxis]
        weights[:, np.arange(len(predicted)), predicted] = 0.0
        return weights


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
    agrees = np.column_stack([own.predicted == scores.predicted for own in table.scores])
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


def errors_of(scores: ClassScores, codes) -> np.ndarray:
    """Return 1 for each known error, 0 for a correct prediction, -1 if unlabeled."""
    return np.where(codes < 0, UNLABELED, codes != scores.predicted).astype(np.int8)


# Spawn keys of the random streams of the classes, of new items, of the distributions of other
# classes and of the class effects.
CLASSES, NEW_ITEMS, OTHERS, SHIFTS, ADDED = 11, 12, 13, 14, 15
# Items of any class that a uniform prior adds to the bootstrap of a population.
N_ADDED = 2
# Classes of more unlabeled items than this are counted by so many rows, with so many for what the
# classifiers predict.
MIN_ROWS, ROWS_OF_GROUP = 512, 16
# Maximum size of these counts, n_draws * n_groups * n_classes.
MAX_COUNTS = 2**25


@dataclass(frozen=True, eq=False)
class UnlabeledGroups(FrozenArrays):
    """Rows that represent the unlabeled items of groups, for which one class is predicted."""

    rows: np.ndarray  # (n_rows,), items, those of a group together
    counts: np.ndarray  # (n_rows,), of int, how many items each represents
    firsts: np.ndarray  # (n_present,), the first row of each group
    present: np.ndarray  # (n_present,), the groups
    predicted: np.ndarray  # (n_present,), their predicted class
    n_items: np.ndarray  # (n_present,)
    shares: np.ndarray  # (n_distributions, n_present, n_classes), true classes of errors


@dataclass(frozen=True, eq=False)
class ClassDraws(FrozenArrays):
    """Posterior draws of the classes of items; known labels are kept.

    All classifiers, categories and questions share them.
    """

    scores: ClassScores  # whose prediction errors are modeled
    table: ClassTable
    error_model: RowModel | MixtureModel  # of P(prediction is wrong | item)
    shifts: ClassShifts  # differences between predicted classes in that probability
    others: ConfusionModel  # distribution of the true class if the prediction is wrong

    @property
    def posterior(self) -> Posterior | RowPosterior:
        """Posterior of the error model, whose draws these are."""
        return self.error_model.posterior

    @classmethod
    def updated(
        cls, scores: ClassScores, table: ClassTable, error_model: RowModel | MixtureModel
    ) -> ClassDraws:
        """Update both models of errors, beyond their probability, by the labels of a table."""
        posterior = error_model.posterior
        known = np.flatnonzero(table.codes >= 0)
        predicted = scores.predicted
        counts = table.counts
        is_wrong = table.codes != predicted
        parts = [error_model.item_probability(block, known) for block in posterior.blocks()]
        shifts = ClassShifts.updated(
            np.concatenate(parts),
            is_wrong[known],
            predicted[known],
            counts[known],
            len(table.classes),
            spawn(error_model.seed, SHIFTS),
        )
        wrong = known[is_wrong[known]]
        others = ConfusionModel.updated(
            scores.log_others[:, wrong],
            predicted[wrong],
            table.codes[wrong],
            counts[wrong],
            shifts.mean(posterior.weights),
            spawn(error_model.seed, OTHERS),
        )
        return cls(scores, table, error_model, shifts, others)

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws."""
        return f"{self.posterior.digest}-{digest_of(self.table.codes)}"

    @cached_property
    def _unlabeled(self) -> np.ndarray:
        return np.flatnonzero(self.table.codes < 0)

    # --- items one by one -----------------------------------------------------------------------

    def codes(self, block: Block, task: Task) -> np.ndarray:
        """Return the classes of all items in the draws of a block, (n_rows, n_items)."""
        codes = self.table.codes
        clusters = self.table.clusters
        n_rows = block.rows.stop - block.rows.start
        completed = np.repeat(codes[np.newaxis], n_rows, axis=0)
        if self.posterior.is_complete:
            return completed
        # The population consists of further groups.
        is_new = clusters is not None and not task.draws_labels
        completed[:, self._unlabeled] = self._completions.of_block(block, task.entropy, is_new)
        return completed

    @cached_property
    def _completions(self) -> Completions:
        """Drawn classes of the unlabeled items, by seed and target; in no pickle."""
        smallest = np.min_scalar_type(self.scores.scores.shape[1])
        # Those of the sample and of a population.
        return Completions(self.posterior.blocks(), self._drawn_codes, smallest, n_streams=2)

    def _drawn_codes(self, block: Block, entropy: int, is_new: bool) -> np.ndarray:
        """Draw the classes of the unlabeled items, (n_rows, n_unlabeled)."""
        rng = spawn(entropy, CLASSES, block.index)
        parts = self._parts(block)
        return np.concatenate([self._drawn(*part, rng, is_new) for part in parts])

    def _parts(self, block: Block) -> Iterator[tuple[Block, int]]:
        """Yield parts of a block with the index of their class distribution; all are used."""
        draws = np.arange(block.rows.start, block.rows.stop)
        distributions = draws * len(self.others.size) // self.posterior.n_draws
        for distribution, n in zip(*np.unique(distributions, return_counts=True), strict=True):
            first = int(np.searchsorted(distributions, distribution))
            rows, own = (
                slice(s.start + first, s.start + first + int(n))
                for s in (block.rows, block.own_rows)
            )
            yield replace(block, rows=rows, own_rows=own), int(distribution)

    def _drawn(self, part: Block, distribution: int, rng, is_new: bool) -> np.ndarray:
        """Draw the classes of the unlabeled items, for draws that share a class distribution."""
        items = self._unlabeled
        predicted = self.scores.predicted[items]
        probability = self._probability(part, items, is_new)
        rows, columns = np.nonzero(rng.random(probability.shape) < probability)
        codes = np.repeat(predicted[np.newaxis], len(probability), axis=0)
        # Only items that are wrong in some draw need class probabilities.
        wrong, column = np.unique(columns, return_inverse=True)
        log_others = self.scores.log_others[:, items[wrong]]
        cumulative = self.others.probability(distribution, log_others, predicted[wrong])
        cumulative = cumulative.cumsum(axis=1)
        # Invert all cumulative distributions in one search: item i occupies [i, i + 1).
        line = (cumulative / cumulative[:, -1:] + np.arange(len(wrong))[:, np.newaxis]).ravel()
        found = np.searchsorted(line, column + rng.random(len(column)), side="right")
        n_classes = log_others.shape[2]
        codes[rows, columns] = np.minimum(found - column * n_classes, n_classes - 1)
        return codes

    # --- items counted by what classifiers predict ------------------------------------------------

    @property
    def is_counted(self) -> bool:
        """Whether items are counted, not taken one by one."""
        if len(self._unlabeled) <= MAX_SCORES and self.table.is_one_by_one:
            return False
        n_counts = self.posterior.n_draws * len(self.groups[0]) * self.scores.scores.shape[1]
        return n_counts <= MAX_COUNTS

    @cached_property
    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """The first item of each group, and the group of each item.

        Items of a group are of one category, and each classifier predicts one class for them.
        """
        table = self.table
        columns = [self.scores.predicted, *(own.predicted for own in table.scores)]
        if table.category is not None:
            columns.append(table.category.codes)
        first, group, _ = merged_rows(columns, table.counts)
        return first, group

    def counts(self, block: Block, task: Task) -> np.ndarray:
        """Return the items by group and true class, (n_rows, n_groups, n_classes)."""
        return self._counts.of_block(block, task.entropy, task.draws_labels)

    @cached_property
    def _counts(self) -> Completions:
        """Counts of the sample and of a population, by seed; in no pickle."""
        blocks = self.posterior.blocks()
        of_floats = np.dtype(float)
        return Completions(blocks, self._drawn_counts, of_floats, n_streams=2, max_bytes=np.inf)

    def _drawn_counts(self, block: Block, entropy: int, of_sample: bool) -> np.ndarray:
        """Draw the items by group and true class."""
        if of_sample:
            return self._counts_of_sample(block, entropy)

        # Sums of independent exponential weights: a Bayesian bootstrap of the items, to which a
        # uniform prior adds some of any class.
        items = self._counts.of_block(block, entropy, True)
        of_groups = items.sum(axis=2, keepdims=True)
        share = of_groups / of_groups.sum(axis=1, keepdims=True)
        shapes = items + N_ADDED * share / items.shape[2]
        return spawn(entropy, NEW_ITEMS, block.index).standard_gamma(shapes)

    def _counts_of_sample(self, block: Block, entropy: int) -> np.ndarray:
        """Count the known classes, and draw how many other items of each group are of each."""
        n_draws = block.rows.stop - block.rows.start
        counts = np.repeat(self._known_counts[np.newaxis], n_draws, axis=0)
        if not len(self._unlabeled):
            return counts

        groups = self._unlabeled_groups
        rng = spawn(entropy, CLASSES, block.index)
        for part, distribution in self._parts(block):
            probability = self._probability(part, groups.rows)
            n_wrong = rng.binomial(groups.counts, probability)
            n_wrong = np.add.reduceat(n_wrong, groups.firsts, axis=1)
            of_errors = rng.multinomial(n_wrong, groups.shares[distribution])

            first = part.rows.start - block.rows.start
            of_part = counts[first : first + len(n_wrong)]
            of_part[:, groups.present] += of_errors
            of_part[:, groups.present, groups.predicted] += groups.n_items - n_wrong
        return counts

    @cached_property
    def _known_counts(self) -> np.ndarray:
        """The labeled items by group and class, (n_groups, n_classes)."""
        table = self.table
        (first, group) = self.groups
        n_groups = len(first)
        n_classes = self.scores.scores.shape[1]
        known = np.flatnonzero(table.codes >= 0)
        pair = group[known] * n_classes + table.codes[known]
        counts = np.bincount(pair, table.counts[known], n_groups * n_classes)
        return counts.reshape(n_groups, n_classes)

    @cached_property
    def _unlabeled_groups(self) -> UnlabeledGroups:
        """The rows that represent the unlabeled items of each group."""
        table = self.table
        scores = self.scores
        (first, group) = self.groups
        items = self._unlabeled
        columns = scores.error_log_odds[items, np.newaxis], group[items], table.counts[items]
        n_rows = max(MIN_ROWS, ROWS_OF_GROUP * len(first))
        rows, counts = representative_rows(*columns, n_rows)[:2]
        wide, of_wide = representative_rows(*columns, max(n_rows, MAX_SCORES))[:2]
        rows = items[rows]
        wide = items[wide]
        counts = counts.astype(np.int64)

        # Rows of one group are neighbors.
        present, firsts = np.unique(group[rows], return_index=True)
        firsts_of_wide = np.unique(group[wide], return_index=True)[1]
        return UnlabeledGroups(
            rows=rows,
            counts=counts,
            firsts=firsts,
            present=present,
            predicted=scores.predicted[rows[firsts]],
            n_items=np.add.reduceat(counts, firsts),
            shares=self._shares_of_errors(wide, of_wide, firsts_of_wide),
        )

    def _shares_of_errors(self, rows, of_rows, firsts) -> np.ndarray:
        """Return the class probabilities of errors, (n_distributions, n_groups, n_classes).

        They are means over the rows of each group, weighted by the probability of an error.
        """
        predicted = self.scores.predicted[rows]
        log_others = self.scores.log_others[:, rows]
        some = self.posterior.blocks()[0]
        weights = of_rows * self._probability(some, rows).mean(axis=0)
        shares = np.stack(
            [
                np.add.reduceat(
                    weights[:, np.newaxis] * self.others.probability(k, log_others, predicted),
                    firsts,
                )
                for k in range(len(self.others.size))
            ]
        )
        return shares / shares.sum(axis=2, keepdims=True)

    def _probability(self, part: Block, items, is_new: bool = False) -> np.ndarray:
        """Return the probability that predictions are wrong, (n_rows, n_items)."""
        probability = self.error_model.item_probability(part, items, new_groups=is_new)
        return self.shifts.probability(part.rows, probability, self.scores.predicted[items])


@dataclass(frozen=True, eq=False)
class MeasuredClassifier(FrozenArrays):
    """Scores of one classifier with the class draws that evaluate it, on some items."""

    scores: ClassScores  # of these items
    draws: ClassDraws
    items: np.ndarray | slice  # (n_items,), among those of the draws; or all

    @property
    def classes(self) -> np.ndarray:
        """The classes, sorted, (n_classes,)."""
        return self.draws.table.classes

    @property
    def known_errors(self) -> np.ndarray:
        """Whether each labeled prediction is wrong, (n_labeled,)."""
        codes = self.draws.table.codes[self.items]
        return (codes != self.scores.predicted)[codes >= 0]

    def limits_of_accuracy(self, edge: float) -> np.ndarray | None:
        """Return how far accuracy may lie toward an edge by a stated prior, (n_tails, 1).

        The prior is that of the share of errors of the modeled classifier; None without one.
        """
        known = self.draws.posterior.known_positives
        is_modeled = self.scores is self.draws.scores
        if known.prior is None or not is_modeled or np.isnan(edge):
            return None
        errors = np.array([known.range_of_prevalence(tail) for tail in TAILS])
        return 1.0 - errors[:, [0 if edge == 1.0 else 1]]

    @property
    def n_items(self) -> float:
        """Number of items, by their weights."""
        return float(self.draws.table.counts[self.items].sum())

    def of_classes(self, task: Task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares of hits, predictions and items by class, (n_draws, n_classes) each.

        They are counted once: all questions share them.
        """
        key = task.target, task.entropy
        if key not in self._kept:
            self._kept[key] = np.hsplit(self.values(_of_classes, task), 3)
        return self._kept[key]

    @cached_property
    def _kept(self) -> dict:
        """Shares by target and seed; in no pickle."""
        return {}

    def values(
        self, function: Callable, task: Task, *, by_item: bool = False, by_row: bool = False
    ) -> np.ndarray:
        """Apply a function to all draws; return (n_draws, n_points).

        `function` maps `CompletedClasses` of some draws to (n_rows, n_points), or `CountedClasses`
        unless `by_item`. For the target "population" items are resampled by a Bayesian bootstrap;
        if `by_row` they are also drawn with replacement, for functions that take no weights.
        """
        draws = self.draws
        is_new = not task.draws_labels and draws.table.clusters is not None
        if draws.is_counted and not by_item and not is_new:
            first, group = draws.groups
            own = np.arange(len(group))[self.items]
            groups = np.unique(group[own])
            # What this classifier predicts for the first item it does for all of the group.
            rows = np.searchsorted(own, first[groups])
            blocks = draws.posterior.blocks()
            counts = np.concatenate([draws.counts(block, task)[:, groups] for block in blocks])
            shares = counts / counts.sum(axis=(1, 2))[:, np.newaxis, np.newaxis]
            return function(CountedClasses(shares, self.scores.predicted[rows]))
        if not draws.table.is_one_by_one:
            raise ValueError(
                f"sample_weight counts {self.n_items:,.0f} items in "
                f"{len(self.scores.predicted):,} rows, and this estimate takes items one by one, "
                "as do those with groups= for a population and those of thousands of classes. "
                "Estimate metrics of the predicted class, such as 'accuracy' and 'f1', or fit a "
                "random sample of the items."
            )
        return values_of_draws(
            draws.posterior, partial(self._of_block, function, task, by_row), task
        )

    def _of_block(self, function, task: Task, by_row: bool, block: Block) -> np.ndarray:
        codes = self.draws.codes(block, task)
        rng = spawn(task.entropy, NEW_ITEMS, block.index)
        if not task.draws_labels:
            codes = self._with_added(codes, spawn(task.entropy, ADDED, block.index))
        parts = [
            function(self._completed(codes[rows], rng, task, by_row))
            for rows in row_tiles(*codes.shape)
        ]
        return np.concatenate(parts)

    def _with_added(self, codes, rng) -> np.ndarray:
        """Return codes, (n_rows, n_items), of which some are of any class, in each draw.

        They are the items that the uniform prior of the classes adds.
        """
        codes = np.array(codes)
        places = np.arange(codes.shape[1])[self.items]
        drawn = places[rng.integers(len(places), size=(len(codes), N_ADDED))]
        classes = rng.integers(len(self.classes), size=drawn.shape)
        np.put_along_axis(codes, drawn, classes.astype(codes.dtype), axis=1)
        return codes

    def _completed(self, codes, rng, task, by_row: bool) -> CompletedClasses:
        items = self.items
        clusters = self.draws.table.clusters
        drawn = None
        if by_row and not task.draws_labels:
            groups = None if clusters is None else clusters.codes[items]
            n_items = len(self.scores.predicted)
            drawn = tuple(resampled_items(n_items, groups, rng) for _ in range(len(codes)))
        if task.draws_labels:
            weights = np.ones((1, codes.shape[1]))[:, items]
        elif clusters is not None:
            weights = clusters.bootstrap(rng, len(codes), items)
        else:
            weights = rng.standard_exponential(codes.shape)[:, items]
        weights = weights / weights.sum(axis=1, keepdims=True)
        codes = codes[:, items]
        return CompletedClasses(codes, self.scores.predicted, weights, len(self.classes), drawn)


def _of_classes(completed) -> np.ndarray:
    return np.hstack(completed.of_classes)
