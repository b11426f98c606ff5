"""Questions to one ranking and to several classes; thresholds that labels prove."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..design._goal_certificate import GoalCertificate
from ..exceptions import UnprovedGoalError, UnreachableGoalError
from ..goals._best_threshold import ThresholdOdds
from ..goals._goal import Goal, as_decision, goal_probability, needed_probability
from ..goals._question import Question, as_curve
from ..inputs._labels import UNLABELED
from ..inputs._scores import ScoreDirection
from ..inputs._validation import check_choice, check_number, spawn
from ..metrics._metric import TradeoffMetric
from ..models._class_draws import MeasuredClassifier
from ..models._class_model import ClassesModel
from ..models._class_questions import (
    AVERAGES,
    ClassQuestion,
    accuracy_coverage,
    by_class,
    confusion_matrix,
)
from ..posterior._operating_points import (
    Curve,
    Task,
    flipped_band,
    increasing_thresholds,
    threshold_grid,
    warn_of_thresholds,
)
from ..posterior._posterior import Posterior
from ..posterior._posterior_estimates import (
    curve_band,
    reliability_band,
    threshold_band,
    threshold_estimate,
    tradeoff_band,
)
from ..results._distributions import (
    Proportions,
    ResultDistribution,
    WeightedDraws,
    warn_of_few_draws,
)
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, DecisionZone, EstimateTable
from ._planned_width import check_plan, planned_width

GUARANTEES = ("posterior", "anytime")
# Offset from the seed of the label draws to that of the order of the labels.
ORDER = 2
REMEDY = (
    "label items at random and pass inclusion_proba=np.full(n_items, share) to fit, with the "
    "probability of each item to be labeled. guarantee='posterior' accepts any labels, but "
    "relies on the model."
)


def _always_labeled(rows, at) -> np.ndarray:
    """Return the items labeled with certainty; all others share one probability."""
    if rows.chances is None:
        raise ValueError(
            "guarantee='anytime' needs the inclusion probabilities of the labels, with rows "
            f"that represent one item each: {REMEDY}"
        )
    chances = rows.chances[at]
    others = np.unique(chances[chances < 1.0])
    if len(others) > 1 or (others == 0.0).any():
        raise ValueError(
            "guarantee='anytime' needs equal inclusion probabilities, besides those of 1; "
            f"inclusion_proba has {len(others)} values below 1, from {others[0]:g} to "
            f"{others[-1]:g}: {REMEDY}"
        )
    return chances == 1.0


@dataclass(frozen=True, eq=False)
class Answers:
    """Estimates and curves of one fitted estimator."""

    performance: Any  # a fitted `PerformanceCurveEstimator`

    def _task(self, target=None, zero_division=None) -> Task:
        own = self.performance
        target = own.target if target is None else target
        return Task(target, own.seed_, own.n_jobs, own.confidence_level, zero_division)


class RankingAnswers(Answers):
    """Estimates of one ranking, of a system on some items."""

    @property
    def posterior(self) -> Posterior:
        return self.performance.posterior_

    @property
    def score_direction(self) -> ScoreDirection:
        return self.performance.score_direction_

    def rows(self):
        """Return the rows of X for the ranking."""
        return self.performance.subject_.rows(self.performance.shown_.asked)

    def curve(self, name, *, target, thresholds, zero_division) -> CurveBand:
        """Return a curve, as `PerformanceCurveEstimator.curve`."""
        task, curve = self._task(target, zero_division), as_curve(name)
        if isinstance(curve, Curve):
            if thresholds is not None:
                raise ValueError(f"The curve {curve.name!r} does not take thresholds=.")
            return self._named(
                curve_band(curve, self.posterior, task, n_points=self.performance.n_points)
            )
        grid = self._grid(thresholds)
        if isinstance(curve, TradeoffMetric):
            return self._over_thresholds(
                tradeoff_band(curve, self.posterior, task, thresholds=grid)
            )
        return self._over_thresholds(threshold_band(curve, self.posterior, task, thresholds=grid))

    def estimate(self, metric, *, predicted, target, zero_division, **where) -> ScalarEstimate:
        """Return an estimate, as `PerformanceCurveEstimator.estimate`."""
        if where.pop("pos_label", None) is not None or where.pop("average", None) is not None:
            raise ValueError(
                "pos_label= and average= of an estimate are for more than two classes: with "
                "two, fit with the other pos_label."
            )
        task, question = self._task(target, zero_division), Question.of(metric, **where)
        if question.is_curve:
            raise ValueError(
                f"{question.name!r} is a curve, not a number; use curve({question.name!r})."
            )
        if question.is_open:
            question = question.at(self._decision(question.name))
        if predicted is not None and not question.of_probabilities:
            raise ValueError(
                f"{question.name!r} is not a metric of predicted probabilities and does not take "
                "predicted=."
            )
        predicted = self._predicted(predicted)
        if "threshold" in question.where and metric is not question:
            # A `Question` was validated, with warnings, when it was created.
            self._increasing([question.where["threshold"]])
        return self._named(
            question.estimate(self.posterior, self.score_direction, task, predicted=predicted)
        )

    def calibration_curve(self, predicted, *, n_bins, strategy) -> CurveBand:
        """Return the reliability, as `PerformanceCurveEstimator.calibration_curve`."""
        probability = self._predicted(predicted) or self.posterior.expected_probability
        task = self._task("sample")
        return self._named(
            reliability_band(self.posterior, probability, task, n_bins=n_bins, strategy=strategy)
        )

    def goal_probability(self, goal: Goal, *, thresholds, target) -> CurveBand:
        """Return the probability of a goal, as `PerformanceCurveEstimator.goal_probability`."""
        task = self._task(target).of_selection()
        grid = self._grid(thresholds)
        return self._over_thresholds(goal_probability(self.posterior, goal, grid, task))

    def threshold_for(self, goal: Goal, *, target, **asked) -> float:
        """Return a threshold, as `PerformanceCurveEstimator.threshold_for`."""
        _check_guarantee(**asked)
        task = self._task(target).of_selection()
        return self._shown(self._best(goal, task, **asked))

    def thresholds_for(
        self, positive: Goal, negative: Goal, *, confidence_level, target, guarantee
    ) -> DecisionZone:
        """Return two thresholds, as `PerformanceCurveEstimator.thresholds_for`."""
        _check_guarantee(confidence_level, guarantee)
        task, rows = self._task(target).of_selection(), self.rows()
        # Either guarantee may fail; their risks add up to the joint risk (Bonferroni).
        asked = {"confidence_level": 0.5 * (1.0 + confidence_level), "guarantee": guarantee}
        high = self._best(positive, task, **asked)
        low = self._best(negative, task, highest=high, **asked)
        undecided = rows.asked & (rows.scores >= low) & (rows.scores < high)
        if task.counts_known:
            undecided &= rows.codes == UNLABELED
        return DecisionZone(
            self._shown(low),
            self._shown(high),
            self._share_between(low, high, task),
            undecided,
        )

    def _share_between(self, low, high, task: Task) -> ScalarEstimate:
        """Return the share of items between two thresholds, unlabeled ones if labels count."""
        sample, kind = self.posterior.sample, "posterior"
        first, end = np.searchsorted(sample.lower, [low, high])
        n_items = sample.counts.sum()
        counts = sample.unlabeled if task.counts_known else sample.counts
        share = np.array([counts[first:end].sum() / n_items])
        distribution: ResultDistribution = WeightedDraws(share[np.newaxis], np.ones(1))
        if not task.counts_known:
            distribution, kind = Proportions(share, n_items), "simulation"
        # A share of all items has no positive class.
        return ScalarEstimate("undecided_share", distribution, task.confidence_level, kind)

    def _best(
        self,
        goal: Goal,
        task: Task,
        *,
        confidence_level,
        prefer=None,
        guarantee="posterior",
        highest=np.inf,
    ) -> float:
        """Return the best threshold for a goal, on the scale where larger means positive.

        Raise UnreachableGoalError if none meets it with the probability, or proof, that is needed.
        """
        posterior, asked = self.posterior, {"prefer": prefer, "highest": highest}
        if guarantee == "posterior":
            # With all labels known there is no uncertainty.
            if task.target == "population" or posterior.sample.unlabeled.any():
                warn_of_few_draws(confidence_level, posterior.n_draws, n_sides=1, stacklevel=4)
            best = ThresholdOdds.of(posterior, goal, task, **asked).best(confidence_level)
            error, needed = UnreachableGoalError, needed_probability(confidence_level)
        elif task.counts_known:
            best = self._certificate(goal, confidence_level).best(posterior, task, **asked)
            error, needed = UnprovedGoalError, confidence_level
        else:
            raise ValueError(
                "guarantee='anytime' applies to this sample; use target='sample', or "
                "guarantee='posterior'."
            )
        if not best.is_kept:
            shown, pos_label = self._shown(best.threshold), self.performance.pos_label_
            raise error(goal, confidence_level, best.probability, shown, pos_label, needed)
        return best.threshold

    def _shown(self, threshold) -> float:
        """Return a threshold on the user's scale."""
        return float(self.score_direction.flip_threshold(threshold))

    def _certificate(self, goal: Goal, confidence_level) -> GoalCertificate:
        """Return the thresholds that the labels prove to meet a goal.

        Raise ValueError if labels are not known to be drawn at random.
        """
        rows = self.rows()
        at = np.flatnonzero(rows.asked)
        scores, codes = rows.scores[at], rows.codes[at]
        always = _always_labeled(rows, at)
        certificate = GoalCertificate.start(scores, goal, confidence_level=confidence_level)
        known = np.flatnonzero(always & (codes != UNLABELED))
        drawn = np.flatnonzero(~always & (codes != UNLABELED))
        # The labels were drawn together: their order is random.
        drawn = spawn(self.performance.seed_, ORDER).permutation(drawn)
        return certificate.known(known, codes[known]).drawn_evenly(drawn, codes[drawn])

    def selection(self, threshold) -> np.ndarray:
        """Return the selected rows of X, as `PerformanceCurveEstimator.selection`."""
        threshold = check_number(threshold, "threshold", "(-inf, inf)")
        return self.rows().selection(self.score_direction.flip(threshold))

    def selection_estimate(self, metric, *, threshold) -> ScalarEstimate:
        """Return an estimate of a selection, as `selection_estimate` of the estimator."""
        task = self._task("sample").of_selection()
        threshold = check_number(threshold, "threshold", "(-inf, inf)")
        (flipped,) = self._increasing([threshold])
        found = threshold_estimate(as_decision(metric), self.posterior, task, threshold=flipped)
        return self._named(replace(found, threshold=threshold))

    def confusion_matrix(self, *, normalize=None, target=None, threshold=None) -> ConfusionMatrix:
        """Return the confusion matrix at a threshold, with intervals."""
        threshold = self._decision("confusion_matrix") if threshold is None else threshold
        asked = {"predicted": None, "target": target, "zero_division": 0.0}
        prevalence = self.estimate("prevalence", **asked)
        found, missed = (
            self.estimate(name, threshold=threshold, **asked).draws
            for name in ("recall", "false_positive_rate")
        )
        positive = prevalence.draws * np.array([1.0 - found, found])
        negative = (1.0 - prevalence.draws) * np.array([1.0 - missed, missed])
        shares = np.moveaxis(np.array([negative, positive]), -1, 0)
        task = self._task(target)
        n_items = self.posterior.sample.counts.sum() if task.draws_labels else 1.0
        # Counts without the error of the products.
        counts = np.round(shares * n_items, 9)
        names = np.array(self.performance.subject_.labels.names())
        return ConfusionMatrix.of(
            counts, prevalence.weights, names, normalize, task.confidence_level
        )

    def plan(self, n_labels, metric, *, strategy, where) -> np.ndarray:
        """Return widths of intervals, as `PerformanceCurveEstimator.plan`."""
        counts = check_plan(self.posterior.sample, n_labels, strategy)
        asked = {"predicted": None, "target": None, "zero_division": None, **where}
        estimate = self.estimate(metric, **asked)
        threshold = estimate.threshold
        flipped = None if threshold is None else self.score_direction.flip_threshold(threshold)
        return planned_width(
            self.posterior,
            estimate.draws,
            estimate.interval(),
            counts,
            self._task(where.get("target")),
            strategy=strategy,
            threshold=flipped,
        )

    def _decision(self, name: str) -> float:
        """Return the threshold that the score kind implies."""
        if self.performance.default_threshold_ is not None:
            return self.performance.default_threshold_
        raise ValueError(
            f"{name!r} is a metric of decisions, and these scores imply no threshold: pass "
            "threshold=, such as threshold=0 for margins and log-odds and threshold=0.5 for "
            "probabilities, or their kind, as "
            "PerformanceCurveEstimator(SemisupervisedScoreMixture(score_kind='margin')). "
            "Precision is also available at recall=, and recall at precision=."
        )

    def _predicted(self, predicted):
        """Return predicted probabilities as a function of scores larger for positives."""
        if predicted is None:
            return None
        # Calling a class creates an object, not probabilities.
        if not callable(predicted) or isinstance(predicted, type):
            raise TypeError(
                f"predicted must be a function from scores to probabilities, got {predicted!r}."
            )
        return lambda scores: np.asarray(predicted(self.score_direction.flip(scores)), dtype=float)

    def _grid(self, thresholds) -> np.ndarray:
        """Return increasing thresholds on the scale on which larger scores mean positive."""
        if thresholds is None:
            return threshold_grid(self.posterior.sample, self.performance.n_points)
        return self._increasing(thresholds)

    def _increasing(self, thresholds) -> np.ndarray:
        """Return given thresholds in order; warn if all lie outside the scores."""
        increasing = increasing_thresholds(thresholds, self.score_direction)
        own = self.performance
        whose = own.shown_.asked.whose if own.judges_ or len(own.systems_) > 1 else ""
        warn_of_thresholds(self.posterior.ends, increasing, self.score_direction, whose)
        return increasing

    def _over_thresholds(self, band: CurveBand) -> CurveBand:
        """Return a band over thresholds on the user's scale."""
        return self._named(flipped_band(band, self.score_direction))

    def _named(self, result):
        """Return a result labeled with the positive class."""
        return replace(result, pos_label=self.performance.pos_label_)


def _check_guarantee(confidence_level, guarantee, prefer=None) -> None:
    check_number(confidence_level, "confidence_level", "(0, 1)")
    check_choice(guarantee, "guarantee", GUARANTEES)


def _refuse(self, name, *args, **where):
    """Raise: not defined for several classes."""
    raise ValueError(two_only(name))


@dataclass(frozen=True, eq=False)
class ClassAnswers(Answers):
    """Estimates of one multiclass classifier."""

    model: MeasuredClassifier

    calibration_curve = partialmethod(_refuse, "calibration_curve")
    goal_probability = partialmethod(_refuse, "goal_probability")
    threshold_for = partialmethod(_refuse, "threshold_for")
    thresholds_for = partialmethod(_refuse, "thresholds_for")
    selection = partialmethod(_refuse, "selection")
    selection_estimate = partialmethod(_refuse, "selection_estimate")
    plan = partialmethod(_refuse, "plan")

    def curve(self, name, *, target, thresholds, zero_division) -> CurveBand:
        """Return the accuracy of the most confident items."""
        if not isinstance(name, str) or name != "accuracy_coverage" or thresholds is not None:
            raise ValueError(
                "With several classes the only curve is 'accuracy_coverage', without "
                f"thresholds=; got {name!r}. For a one-vs-rest curve of a class, fit its column: "
                "fit(X[:, c], y == classes[c]), with missing labels kept missing."
            )
        return accuracy_coverage(
            self.model, self._task(target, zero_division), self.performance.n_points
        )

    def estimate(
        self, metric, *, predicted, target, zero_division, pos_label=None, average=None, **where
    ) -> ScalarEstimate:
        """Return an estimate, as `PerformanceCurveEstimator.estimate`."""
        given = [name for name, value in where.items() if value is not None]
        if given or predicted is not None:
            raise ValueError(
                f"{' and '.join(given) or 'predicted'}= applies to a single score, but with "
                "several classes the most probable one is predicted; use a metric of that "
                "prediction."
            )
        average = AVERAGES[0] if average is None else average
        question = ClassQuestion.of(metric, pos_label=pos_label, average=average)
        return question.estimate(self.model, self._task(target, zero_division))

    def by_class(self, metric, *, target=None, zero_division=None) -> EstimateTable:
        """Return an estimate for each class."""
        return by_class(metric, self.model, self._task(target, zero_division))

    def confusion_matrix(self, *, normalize=None, target=None, threshold=None) -> ConfusionMatrix:
        """Return the confusion matrix with intervals."""
        if threshold is not None:
            raise ValueError(two_only("threshold="))
        return confusion_matrix(self.model, self._task(target), normalize)


def class_answers(performance, system=None) -> ClassAnswers:
    """Return the estimates of a multiclass fit; raise for two classes."""
    check_is_fitted(performance, "posterior_")
    if not isinstance(performance.model_, ClassesModel):
        raise ValueError(
            "This requires more than two classes, named by y or classes=, with one column of X "
            "each; fit was given two."
        )
    shown = performance.of(system=system)
    return shown.subject_.answers(shown)


def two_only(name: str) -> str:
    """Return the message that a method requires two classes."""
    return (
        f"{name} requires a threshold of one score, but there are several classes: fit one class "
        "against the rest, fit(X[:, c], y == classes[c]), with missing labels kept missing."
    )
