"""Consequences of decision thresholds: bounds, false alarms, missed positives."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...inputs._arrays import FrozenArrays
from ...results._estimates import CurveBand, ScalarEstimate
from ...results._showing import (
    NOT_KNOWN,
    ColumnsResult,
    Markup,
    ShownResult,
    count_for,
    interval_table,
    joined,
    percent,
    sentence_of,
    tag,
    whole,
)
from ...results._tables import ConfusionMatrix
from ._operating_point import FIRST_SHARE, OperatingPoint, is_consensus, thresholds_to_choose_from

if TYPE_CHECKING:
    from ...models._ranking_value import Ranking
    from ...posterior._posterior import Posterior

# Number of log-spaced ranks at which thresholds are placed, as decisions are mostly made among the
# highest scores, and of evenly spaced ones.
N_TOP = 45
N_EVEN = 60
# Thresholds that only fewer items reach, none of them labeled, are left out.
FEW_ITEMS = 10.0
METRICS = ("precision", "recall", "f1")
# Counts whose interval is at least so wide are rounded.
MIN_WIDTH_ROUNDED = 1_000.0


@dataclass(frozen=True, eq=False)
class ThresholdGuarantees(ColumnsResult, FrozenArrays):
    """The performance and its guarantees at several thresholds."""

    thresholds: np.ndarray  # (n_thresholds,); scores, increasing
    flagged: np.ndarray  # (n_thresholds,); number of items classified as positive
    labeled: np.ndarray  # (n_thresholds,); number of labeled ones among them
    n_items: float
    bands: dict[str, CurveBand]  # precision, recall and F1 over the thresholds
    # (n_thresholds,) each; lower bounds of precision, recall and F1; NaN where no label reaches the
    # threshold
    least: dict[str, np.ndarray]
    probability: float  # of each lower bound
    place: int  # index of the initial threshold
    choices: np.ndarray  # indices of the thresholds to choose from, if none is given
    greater_is_positive: bool
    missed: CurveBand | None  # number of missed positives of a sample; None for a population

    caption: ClassVar[str] = "Thresholds"

    @classmethod
    def of(cls, ranking: Ranking, threshold: float | None = None) -> ThresholdGuarantees:
        """Return the thresholds of one ranking; without one, it begins at a share of the items."""
        score_direction = ranking.score_direction_
        posterior = ranking.posterior_
        sample = posterior.sample

        # Evenly spaced ranks, and log-spaced ones among the highest scores.
        top = 1.0 - np.geomspace(1.0 / sample.n_cells, 0.5, N_TOP)
        flipped = np.unique(sample.quantile(np.r_[np.linspace(0.0, 1.0, N_EVEN), top]))
        flagged, labeled = _reaching(posterior, flipped)
        # Bounds on a few items without a label are hardly informative.
        is_informative = (labeled > 0.0) | (flagged >= min(FEW_ITEMS, sample.counts.sum()))
        grid = np.array(
            [score_direction.flip_threshold(score) for score in flipped[is_informative]]
        )
        choices = np.array(
            [score_direction.flip_threshold(score) for score in thresholds_to_choose_from(sample)]
        )
        # As given, without rounding by the transformation.
        grid = np.r_[grid, choices if threshold is None else threshold]

        # The performance at each.
        bands = {name: ranking.curve(name, thresholds=np.unique(grid)) for name in METRICS}
        thresholds = bands["precision"].x
        missed = None
        if ranking.target == "sample":
            missed = ranking.curve("false_negatives", thresholds=thresholds)
        flagged, labeled = _reaching(posterior, score_direction.flip(thresholds))

        # Of what no label has been seen, a bound would be that of the model alone.
        is_known = {"precision": labeled > 0.0, "recall": labeled >= 0.0, "f1": labeled > 0.0}
        least = {}
        for name, band in bands.items():
            lower, _ = band.interval(ranking.confidence_level)
            least[name] = np.where(is_known[name], lower, np.nan)
        probability = 0.5 * (1.0 + ranking.confidence_level)

        places = np.empty(0, dtype=int)
        if threshold is None:
            index = int(np.argmin(np.abs(flagged - FIRST_SHARE * sample.counts.sum())))
            if not is_consensus(ranking):
                places = np.unique(np.searchsorted(thresholds, choices))
        else:
            index = int(np.argmin(np.abs(thresholds - threshold)))
        return cls(
            thresholds,
            flagged,
            labeled,
            float(sample.counts.sum()),
            bands,
            least,
            probability,
            index,
            places,
            score_direction.greater_is_positive,
            missed,
        )

    def _columns(self) -> dict[str, np.ndarray]:
        values = {name: band.value for name, band in self.bands.items()}
        least = {f"least_{name}": bound for name, bound in self.least.items()}
        counts = {"predicted_positive": self.flagged, "labeled": self.labeled}
        return {"threshold": self.thresholds, **counts, **values, **least}

    def _record(self) -> dict[str, Any]:
        return {**self._columns(), "probability": self.probability}

    @property
    def asks(self) -> bool:
        """Whether the reader has to choose a threshold, as none was given."""
        return bool(len(self.choices))

    @property
    def is_known(self) -> bool:
        """Whether labels inform the numbers, rather than the prior alone."""
        return all(band.is_known for band in self.bands.values())

    def near(self, factor: float) -> int | None:
        """Return the index of the threshold with about `factor` times as many items, or None."""
        n_flagged = self.flagged[self.place]
        lies_beyond = self.flagged > n_flagged if factor > 1.0 else self.flagged < n_flagged
        candidates = np.flatnonzero(lies_beyond & (self.flagged > 0.0))
        if not len(candidates):
            return None
        distances = np.abs(np.log(self.flagged[candidates] / max(factor * n_flagged, 1.0)))
        return int(candidates[np.argmin(distances)])

    @cached_property
    def false_alarms(self) -> np.ndarray:
        """The false alarms at each threshold and the ends of their interval, (3, n_thresholds).

        Of a population they are of 100 items predicted positive.
        """
        n = 100.0 if self.missed is None else self.flagged
        value, lower, upper = _value_and_ends(self.bands["precision"])
        return n * (1.0 - np.array([value, upper, lower]))

    @cached_property
    def n_missed(self) -> np.ndarray:
        """The missed positives, (3, n_thresholds), of a population those of 100 positives."""
        if self.missed is not None:
            return _value_and_ends(self.missed)
        value, lower, upper = _value_and_ends(self.bands["recall"])
        return 100.0 * (1.0 - np.array([value, upper, lower]))

    def lines_of_choices(self) -> list[str]:
        """Return the thresholds to choose from as a table in text."""
        level = percent(self.bands["precision"].confidence_level)
        side = "score" + (" >=" if self.greater_is_positive else " <=")
        lines = [f"{side:>12}  {'positive':>10}  {'precision':>24}  {'recall':>24}  ({level})"]
        for index in self.choices:
            cells = [f"{self.thresholds[index]:12.6g}", f"{self.flagged[index]:10,.0f}"]
            for name in METRICS[:2]:
                band = self.bands[name]
                low, high = (end[index] for end in band.interval())
                interval = band.range_in_words(low, high, "{:.2f}")
                value = f"{band.value[index]:.2f} ({interval})"
                cells.append((value if band.is_known else interval).rjust(24))
            lines.append("  ".join(cells))
        return lines


def _value_and_ends(band: CurveBand) -> np.ndarray:
    """Return the value and both ends of a band, (3, n_points)."""
    return np.array([band.value, *band.interval()])


def _reaching(posterior: Posterior, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of items, and of labeled items, at or above each threshold."""
    sample = posterior.sample
    n_reaching = sample.reaching(thresholds, sample.counts)
    return n_reaching, n_reaching - sample.reaching(thresholds, sample.unlabeled)


@dataclass(frozen=True, eq=False)
class DecisionNumbers(ShownResult):
    """The consequences of predicting items at or above a threshold to be positive.

    Attributes
    ----------
    threshold : float
    source : {"given", "goal", "cost", "usual"}
        Where the threshold is from.
    reason : str
        The reason for this threshold, in a sentence; empty if the user passed the threshold.
    greater_is_positive : bool
    n_items, n_flagged : float
        Numbers of all items, and of those that are predicted positive.
    last_score : float
        The score that is most probably positive.
    precision, recall, prevalence : ScalarEstimate
    matrix : ConfusionMatrix
        Of counts; of shares of all items for a population.
    is_sample : bool
        Whether the numbers are of these items, and not of a population.
    of_population : tuple of ScalarEstimate
        Precision, recall and prevalence of the distribution that the items are from; empty if the
        others are.
    """

    threshold: float
    source: str
    reason: str
    greater_is_positive: bool
    n_items: float
    n_flagged: float
    last_score: float
    precision: ScalarEstimate
    recall: ScalarEstimate
    prevalence: ScalarEstimate
    matrix: ConfusionMatrix
    is_sample: bool
    of_population: tuple[ScalarEstimate, ...]

    @classmethod
    def of(cls, ranking: Ranking, point: OperatingPoint) -> DecisionNumbers:
        """Return the numbers of one ranking at its operating point."""
        threshold = point.threshold
        score_direction = ranking.score_direction_
        sample = ranking.posterior_.sample
        n_flagged = float(sample.reaching(score_direction.flip_threshold(threshold), sample.counts))
        is_sample = ranking.target == "sample"
        of_population: tuple[ScalarEstimate, ...] = ()
        if is_sample and n_flagged:
            of_population = (
                ranking.estimate("precision", threshold=threshold, target="population"),
                ranking.estimate("recall", threshold=threshold, target="population"),
                ranking.estimate("prevalence", target="population"),
            )
        precision, recall = (
            ranking.estimate(name, threshold=threshold) for name in ("precision", "recall")
        )
        return cls(
            threshold,
            point.source,
            point.reason,
            score_direction.greater_is_positive,
            float(sample.counts.sum()),
            n_flagged,
            float(score_direction.flip(sample.scores[-1:])[0]),
            precision,
            recall,
            ranking.estimate("prevalence"),
            replace(ranking.confusion_matrix(threshold=threshold), verdict=recall.verdict),
            is_sample,
            of_population,
        )

    @cached_property
    def errors(self) -> tuple[np.ndarray, np.ndarray]:
        """The false alarms and the missed positives, each a value and both ends, (3,).

        Of a population false alarms are of 100 items predicted positive, and missed ones of 100
        positives.
        """
        if not self.is_sample:
            return complement(self.precision, 100.0), complement(self.recall, 100.0)
        matrices = (self.matrix.value, *self.matrix.interval())
        missed = np.array([entries[1, 0] for entries in matrices], dtype=float)
        return complement(self.precision, self.n_flagged), missed

    @property
    def side(self) -> str:
        """Which scores are predicted positive: "at least" the threshold, or "at most"."""
        return "at least" if self.greater_is_positive else "at most"

    @property
    def point(self) -> np.ndarray | None:
        """Recall and precision, each a value and both ends, (2, 3); None if they are not known."""
        both = self.recall, self.precision
        if not (self.n_flagged and all(estimate.is_known for estimate in both)):
            return None
        point = np.array([(estimate.value, *estimate.interval()) for estimate in both])
        return point if np.isfinite(point).all() else None

    def good(self) -> str:
        """Return precision and recall in counts."""
        if not self.n_flagged:
            extreme = "largest" if self.greater_is_positive else "smallest"
            reached = f"No score reaches {self.threshold:.6g}, the {extreme} is"
            return (
                f"{reached} {self.last_score:.6g}: nothing is predicted positive, recall is 0, "
                f"and precision is not defined."
            )
        of_precision = _counted(self.precision)
        return (
            f"At threshold {self.threshold:.6g}, {of_precision[:1].lower()}{of_precision[1:]} "
            f"{_counted(self.recall)}"
        )

    def where(self, flagged: str | None = None) -> str:
        """Return the threshold, the number of items that reach it, and its source."""
        if flagged is None:
            flagged = f"{self.n_flagged:,.0f}"
        sentence = (
            f"A score of {self.side} {self.threshold:.6g} is predicted positive: "
            f"{flagged} of {self.n_items:,.0f} items. {self.reason}"
        )
        return sentence.rstrip()

    def false_alarms(self) -> str:
        """Return the number of negatives that are predicted positive, as a sentence."""
        if not self.n_flagged:
            return "None, as nothing is predicted positive."
        value, *ends = self.errors[0].tolist()
        of_what = f"of the {self.n_flagged:,.0f}"
        if not self.is_sample:
            n, (value, *ends) = _wrong_in_counts(self.precision)
            of_what = f"of {n:,} items predicted positive"
        if not self.precision.is_known:
            return f"{_between(ends)} {of_what}; {NOT_KNOWN}."
        return f"{_about(value, ends)} {of_what}{_range(ends)}."

    def missed(self) -> str:
        """Return the number of positives that are not predicted positive, as a sentence."""
        n, (value, *ends) = _wrong_in_counts(self.recall)
        is_known = self.recall.is_known
        sentence = f"{_about(value, ends)} of {n:,} positives{_range(ends)}"
        if not is_known:
            sentence = f"{_between(ends)} of {n:,} positives"
        if self.is_sample:
            missed, *ends = self.errors[1].tolist()
            (n_missed,) = counts_in_words([missed], ends)
            among_items = f"{n_missed} in these items{_range(ends)}"
            sentence += f": {among_items if is_known else f'{_between(ends)} in these items'}"
        return f"{sentence}." if is_known else f"{sentence}; {NOT_KNOWN}."

    def further_items(self) -> str:
        """Return the intervals for further items like these; empty if all numbers are of them."""
        if not self.of_population:
            return ""
        precision, recall, prevalence = (
            _between([100.0 * end for end in estimate.interval()])
            for estimate in self.of_population
        )
        return (
            f"Of 100 items predicted positive {precision} are truly positive, of 100 positives "
            f"{recall} are found, and {prevalence} of 100 items are positive."
        )

    def _record(self) -> dict[str, Any]:
        return {
            **self._values_of("threshold", "source", "n_items"),
            "n_predicted_positive": self.n_flagged,
            "sentence": self.good(),
            "confusion_matrix": self.matrix,
        }

    def _html(self) -> Markup:
        names = f"precision at score {self.threshold:.6g}", f"recall at score {self.threshold:.6g}"
        table = zip(names, (self.precision, self.recall), strict=True)
        return joined(
            tag("p", self.good(), " ", self.where()),
            interval_table("At the threshold", table),
            self.matrix._html(),
        )


def complement(estimate: ScalarEstimate, n: float) -> np.ndarray:
    """Return `n` times one minus a share: the value and both ends, (3,)."""
    low, high = estimate.interval()
    return n * (1.0 - np.array([estimate.value, high, low]))


def _wrong_in_counts(estimate: ScalarEstimate) -> tuple[int, list[float]]:
    """Return of how many items errors are said, and the errors with both ends."""
    value, low, high = complement(estimate, 1.0).tolist()
    # So many that neither all nor none of them are errors, unless this is known.
    n = max(count_for(value, low, high), count_for(1.0 - value, 1.0 - high, 1.0 - low))
    return n, complement(estimate, n).tolist()


def _counted(estimate: ScalarEstimate) -> str:
    """Return an estimate as a sentence without its threshold."""
    return sentence_of(
        estimate.name,
        estimate.value,
        estimate.interval(),
        undefined=estimate.undefined,
        is_known=estimate.is_known,
    )


def counts_in_words(numbers: list[float], ends: list[float]) -> list[str]:
    """Return errors with the digits that their interval carries: two of its width, if wide."""
    width = ends[1] - ends[0]
    unit = 10 ** (math.floor(math.log10(width)) - 1) if width >= MIN_WIDTH_ROUNDED else 1
    return [f"{whole(number / unit) * unit:,}" for number in numbers]


def _about(value: float, ends: list[float]) -> str:
    (count,) = counts_in_words([value], ends)
    return count if ends[0] == ends[1] else f"About {count}"


def _between(ends: list[float]) -> str:
    low, high = counts_in_words(ends, ends)
    return low if low == high else f"{low} to {high}"


def _range(ends: list[float]) -> str:
    low, high = counts_in_words(ends, ends)
    return "" if ends[0] == ends[1] else f" ({low} to {high})"
