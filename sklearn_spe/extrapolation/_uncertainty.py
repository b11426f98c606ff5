"""The uncertainty of an extrapolation: resampled classes, bands, the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from threadpoolctl import threadpool_limits

from ..inputs._validation import spawn
from ..inputs._workers import in_parallel
from ..results._distributions import CenteredDraws
from ..results._verdict import Reason, Verdict
from ._accuracy_curve import AccuracyModel, class_counts_to, fewer_classes, subset_accuracies
from ._pilot import Pilot
from .methods._curve_methods import Method

# Beyond this multiple of the pilot's classes every method is known to be biased.
FAR = 25.0
# Standard deviation of the model error on the logit scale, for each factor e in the number of
# classes, and in addition for each beyond FAR. Chosen for coverage on the design problems of
# examples/benchmarks/extrapolation.
NEAR_ERROR = 0.03
FAR_ERROR = 0.2
# Error of the mean of a blend, as a share of the differences of its parts.
APART_ERROR = 0.2
N_DRAWS = 1000
# Ratio of neighboring numbers of classes at which a curve is inverted.
FINE_RATIO = 1.1
# Shares are clipped to this before the logit.
MINIMUM = 1e-9
# A draw with fewer distinct classes, or without an item, is rejected.
MIN_DISTINCT = 2
FEWEST_CLASSES = 10
FEWEST_ERRORS = 5.0
ROUNDING = 1e-6
# With two classes the accuracy of a guess is 1/2.
MIN_OF_TWO = 0.6
# Maximum share of the uncertain items that tie with a tenth of all classes.
LARGE_TIE = 0.1
MAX_TIED = 0.15
# Simpson's index of the classes that are confused with others: on simulated problems it was 0.12 at
# most; with classes that beat all others, or pairs of similar classes, 0.4 and more. With few
# classes it is never small.
MAX_CONCENTRATED = 0.2
MAX_OVER_EVEN = 4.0
ENOUGH_ERRORS = 10
# Maximum difference of distribution and measurement in standard errors of counting: on simulated
# problems it was 1.2 at most. With very many items, smaller differences than this on the logit
# scale do not matter.
MAX_ERRORS = 2.0
MIN_GAP = 0.2


class Place(IntEnum):
    """The first key from a seed to a generator."""

    METHOD = 0
    RESAMPLES = 1
    STEPS_OF_BANDS = 2
    BAND_ERRORS = 3
    SUBSETS = 4
    RESAMPLED_SUBSETS = 5
    TRAINING_ITEMS = 6


class WholeDraws(CenteredDraws):
    """Draws of a whole number around an estimate; the ends of intervals are whole too."""

    def quantile(self, levels: ArrayLike) -> np.ndarray:
        """Return quantiles of shape (n_levels, 1)."""
        return np.rint(super().quantile(levels))


@dataclass(frozen=True, eq=False, repr=False)
class UncertainModel:
    """An accuracy model, and the models of resampled classes."""

    model: AccuracyModel
    resampled: tuple[AccuracyModel, ...]  # at least two
    n_items: float  # effective number of test items

    def with_top(self, top: int) -> UncertainModel:
        """Return the models of the accuracy within the first `top` classes."""
        resampled = tuple(model.with_top(top) for model in self.resampled)
        return replace(self, model=self.model.with_top(top), resampled=resampled)

    def distribution(self, n_classes: np.ndarray, entropy: int, system: int = 0) -> CenteredDraws:
        """Return the distribution of the accuracy for some numbers of classes.

        On the logit scale it is Student's t around the estimate. The covariance is that of the
        resamples plus the model error, which increases with the logarithm of the number of classes.
        The variance is at least the binomial one of the errors of the pilot: resamples with hardly
        any error vary too little.
        """
        # Accuracies decrease: draws are made monotone on a fixed grid, independent of the request.
        # Between its numbers an upper quantile may increase a little (some thousandths).
        grid, before = fewer_classes(n_classes)
        counts = np.concatenate([grid, n_classes])
        estimate = self.model.accuracy(counts)
        draws = self._draws(counts, estimate, entropy, system)
        lowest = np.minimum.accumulate(draws[:, : len(grid)], axis=1)

        draws = draws[:, len(grid) :]
        estimate = estimate[len(grid) :]
        decreasing = np.minimum(draws, lowest[:, before])
        # The estimate decreases too: draws above it stay there.
        draws = np.where(draws >= estimate, np.maximum(decreasing, estimate), decreasing)
        return CenteredDraws(draws, np.full(N_DRAWS, 1.0 / N_DRAWS), estimate)

    def n_classes_at(self, accuracy: float, largest: int, entropy: int) -> WholeDraws:
        """Return the distribution of the largest number of classes with at least an accuracy.

        Each draw of the curve is inverted, so its quantiles are where those of the accuracy
        cross `accuracy`; inf if they do so beyond `largest`.
        """
        counts = np.append(class_counts_to(largest, FINE_RATIO), largest)
        curves = np.minimum.accumulate(self.distribution(counts, entropy).draws, axis=1)

        # Neighboring numbers are close enough for a straight line by their logarithms.
        log_counts = np.log(counts)
        crossings = [np.interp(-accuracy, -curve, log_counts) for curve in curves]
        n_classes = np.floor(np.exp(crossings) * (1.0 + MINIMUM))
        n_classes = np.where(curves[:, -1] >= accuracy, np.inf, n_classes)
        center = np.array([self.model.n_classes_at(accuracy, largest)])
        return WholeDraws(n_classes[:, np.newaxis], np.full(N_DRAWS, 1.0 / N_DRAWS), center)

    def __repr__(self) -> str:
        return f"UncertainModel({self.model!r}, {len(self.resampled)} resamples)"

    def _draws(
        self, n_classes: np.ndarray, estimate: np.ndarray, entropy: int, system: int
    ) -> np.ndarray:
        """Return draws of the accuracy: resampled classes, counting error and model error."""
        class_rng = spawn(entropy, Place.STEPS_OF_BANDS)
        error_rng = spawn(entropy, Place.BAND_ERRORS, system)
        deviations = self._deviations(n_classes)
        n_resamples = len(deviations)

        # Normal with the covariance of the resamples.
        steps = class_rng.standard_normal((N_DRAWS, n_resamples)) / np.sqrt(n_resamples - 1.0)
        # The covariance of few resamples is estimated with error.
        chi_square = class_rng.chisquare(n_resamples - 1, (N_DRAWS, 1))
        steps *= np.sqrt((n_resamples - 1.0) / chi_square)
        offsets = steps @ deviations

        # What resampling lacks of the counting error, and the error of the model.
        counting = counting_variance(self.model.curve[-1], self.n_items)
        missing = np.maximum(counting - deviations.var(axis=0, ddof=1), 0.0)
        error_std = np.sqrt(missing + self._model_error(n_classes) ** 2)
        offsets += error_rng.standard_normal((N_DRAWS, 1)) * error_std
        return self._around(estimate, offsets, n_classes)

    def _around(
        self, estimate: np.ndarray, offsets: np.ndarray, n_classes: np.ndarray
    ) -> np.ndarray:
        """Return draws at given deviations from an estimate on the logit scale."""
        coarse = special.expit(logits(estimate, self.n_items, self._fineness(n_classes)) + offsets)
        with np.errstate(divide="ignore"):
            fine = special.expit(special.logit(estimate) + offsets)
        # An estimate of 0 or 1, which has no logit, must lie in its own interval.
        draws = np.where(offsets >= 0.0, np.maximum(coarse, fine), np.minimum(coarse, fine))
        draws[:, n_classes <= self.model.top] = 1.0
        return draws

    def _deviations(self, n_classes: np.ndarray) -> np.ndarray:
        resampled = np.array([model.accuracy(n_classes) for model in self.resampled])
        on_logits = logits(resampled, self.n_items, self._fineness(n_classes))
        return on_logits - on_logits.mean(axis=0)

    def _fineness(self, n_classes: np.ndarray) -> np.ndarray:
        """Return the resolution of an accuracy with fewer classes, as a share of an item."""
        return np.minimum((n_classes - 1.0) / (self.model.n_tried - 1.0), 1.0)

    def _model_error(self, n_classes: np.ndarray) -> np.ndarray:
        ratio = np.maximum(n_classes / self.model.n_tried, 1.0)
        # With hardly any errors the trend is unknown too.
        n_errors = (1.0 - self.model.curve[-1]) * self.n_items
        near = max(NEAR_ERROR, 1.0 / (1.0 + n_errors)) * np.log(ratio)
        far = FAR_ERROR * np.log(np.maximum(ratio / FAR, 1.0))

        # Up to the pilot's classes there is no model error.
        disagreement = self.model.distribution.disagreement(n_classes, self.model.top)
        apart = np.where(ratio > 1.0, disagreement, 0.0)
        return np.maximum(near, APART_ERROR * apart) + far


def logits(
    accuracies: float | np.ndarray, n_items: float | np.ndarray, share: float | np.ndarray = 1.0
) -> np.ndarray:
    """Return the logits of accuracies, with 0 and 1 moved by half an item."""
    least = np.maximum(0.5 / (n_items + 1.0) * share, MINIMUM)
    return special.logit(np.clip(accuracies, least, 1.0 - least))


def counting_variance(accuracy: float, n_items: float) -> float:
    """Return the variance of the logit of a binomial share, half an item added."""
    errors = (1.0 - accuracy) * n_items
    return 1.0 / (errors + 0.5) + 1.0 / (n_items - errors + 0.5)


def fit_model(pilot: Pilot, method: Method, rng: np.random.Generator) -> AccuracyModel:
    """Return the accuracy model of a pilot."""
    # Small matrix products: several threads are slower, and change the last bits.
    with threadpool_limits(1, user_api="blas"):
        return AccuracyModel(
            subset_accuracies(pilot.histogram),
            method.fit(pilot, rng),
            histogram=pilot.histogram,
        )


def draw_classes(pilot_columns: np.ndarray, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """Draw classes with replacement; return how often each is drawn."""
    while True:
        times = np.bincount(rng.integers(n_classes, size=n_classes), minlength=n_classes)
        if (times > 0).sum() >= MIN_DISTINCT and times[pilot_columns].any():
            return times


def resampled_models(
    pilots: Sequence[Pilot],
    method: Method,
    n_bootstrap: int,
    entropy: int,
    n_jobs: int | None = None,
) -> list[tuple[AccuracyModel, ...]]:
    """Fit a method to bootstrap resamples of the classes.

    Classes are drawn, not items, so the dependence of the items of a class, and of the scores
    in its column, is accounted for.
    """
    tasks = ((pilots, method, entropy, i) for i in range(n_bootstrap))
    # Each limits the threads of BLAS, which threads of one process share.
    return in_parallel(_resample, tasks, n_jobs, threads=False)


def _resample(
    pilots: Sequence[Pilot], method: Method, entropy: int, i: int
) -> tuple[AccuracyModel, ...]:
    """Return the models of one resample of the classes."""
    rng = spawn(entropy, Place.RESAMPLES, i)
    columns = np.unique(np.concatenate([pilot.columns for pilot in pilots]))
    times = draw_classes(columns, pilots[0].n_classes, rng)
    return tuple(fit_model(pilot.with_classes(times), method, rng) for pilot in pilots)


def pilot_verdict(model: AccuracyModel, pilot: Pilot) -> Verdict:
    """Return the verdict on extrapolating a pilot."""
    checks = (_few, _no_order, _tied, _few_winners, _contradicted, _no_distribution)
    return Verdict(reason for check in checks for reason in check(model, pilot))


def _few(model: AccuracyModel, pilot: Pilot) -> Iterator[Reason]:
    if pilot.n_classes < FEWEST_CLASSES:
        yield Reason(
            "few_classes",
            "unidentified",
            f"Only {pilot.n_classes} classes are in the pilot, which carry little information on "
            f"others.",
            pilot.n_classes,
            FEWEST_CLASSES,
            remedy=f"Use at least {FEWEST_CLASSES}.",
        )

    if pilot.n_errors < FEWEST_ERRORS - ROUNDING:
        yield Reason(
            "few_errors",
            "unidentified",
            f"Fewer than {FEWEST_ERRORS:g} items were misclassified ({pilot.n_errors:.3g}): the "
            "decrease of the accuracy is hardly identified.",
            pilot.n_errors,
            FEWEST_ERRORS,
            remedy="Test more items, or use more classes.",
        )


def _no_order(model: AccuracyModel, pilot: Pilot) -> Iterator[Reason]:
    if model.curve[1] < MIN_OF_TWO:
        yield Reason(
            "no_order",
            "misfit",
            f"With two classes the accuracy is {model.curve[1]:.3g}: scores hardly separate the "
            "true class from another.",
            float(model.curve[1]),
            MIN_OF_TWO,
            remedy="Check that larger scores are more likely, and that the "
            "columns are in the order of classes=, by default the sorted classes.",
            parameter="classes",
        )


def _tied(model: AccuracyModel, pilot: Pilot) -> Iterator[Reason]:
    wins, ties = pilot.wins_and_ties
    uncertain = pilot.weights * (wins < pilot.n_wrong)
    tied = float(uncertain @ (ties > LARGE_TIE * pilot.n_wrong))
    share = tied / float(uncertain.sum()) if tied else 0.0
    if tied > MAX_TIED * uncertain.sum():
        yield Reason(
            "ties",
            "unidentified",
            f"Of the items that may be misclassified {share:.0%} have the same score "
            "for many classes: scores are votes, hard decisions, rounded or clipped, and carry no "
            "information on the margin. With more classes the accuracy is likely to be lower than "
            f"predicted.",
            share,
            MAX_TIED,
            remedy="Use scores that do not tie, such as distances.",
            parameter="X",
        )


def _few_winners(model: AccuracyModel, pilot: Pilot) -> Iterator[Reason]:
    # Which classes win where no class but the true one should.
    sample = pilot.thinned()
    wins, ties = sample.wins_and_ties
    is_error = wins + ties < sample.n_wrong
    won = np.bincount(sample.scores[is_error].argmax(axis=1))
    n_errors = won.sum()
    if n_errors < ENOUGH_ERRORS:
        return

    # Simpson's index: the probability that two errors are for the same class.
    index = float(np.sum(won * (won - 1.0)) / (n_errors * (n_errors - 1.0)))
    limit = max(MAX_CONCENTRATED, MAX_OVER_EVEN / sample.n_classes)
    if index > limit:
        first = won.argmax() if sample.classes is None else sample.classes[won.argmax()]
        yield Reason(
            "few_winners",
            "unidentified",
            f"Items are confused with few classes only, most often with {first}: the frequency of "
            "such classes in the population is hardly identified. Bands may be too narrow.",
            index,
            limit,
        )


def _contradicted(model: AccuracyModel, pilot: Pilot) -> Iterator[Reason]:
    n_items = pilot.effective_items
    measured = float(model.curve[-1])
    gap = abs(float(logits(measured, n_items) - logits(model.expected, n_items)))
    errors = gap / np.sqrt(counting_variance(measured, n_items))

    if errors > MAX_ERRORS and gap > MIN_GAP:
        yield Reason(
            "law_contradicted",
            "misfit",
            f"The fitted distribution predicts an accuracy of {model.expected:.3g} with all "
            f"{model.n_tried} classes, but {measured:.3g} was measured: an assumption of the "
            "method is violated, and bands beyond the pilot may not cover.",
            float(errors),
            MAX_ERRORS,
            remedy="Compare other methods, such as classexreg, which uses ranks only.",
            parameter="method",
        )


def _no_distribution(model: AccuracyModel, pilot: Pilot) -> Iterator[Reason]:
    if model.distribution.always_right < 0.0:
        yield Reason(
            "no_law",
            "misfit",
            f"The fitted D(1) is {1.0 - model.distribution.always_right:.3g}, above 1: negative "
            f"accuracies "
            "are set to 0.",
            1.0 - model.distribution.always_right,
            1.0,
            remedy="Use constrained=True.",
            parameter="method",
        )
