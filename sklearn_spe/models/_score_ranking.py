"""The ranking of items by scores, and labels alone; thresholds that labels prove."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial, partialmethod
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks._question_reasons import verdict_on_question
from ..exceptions import (
    UnprovedGoalError,
    UnreachableGoalError,
    UntestedSelectionWarning,
    level_of_the_user,
)
from ..goals._best_threshold import BestThreshold, ThresholdOdds
from ..goals._goal import (
    Goal,
    GoalBound,
    GoalLike,
    as_decision,
    goal_probability,
    needed_probability,
)
from ..goals._label_support import rests_on_known, selection_reasons
from ..goals._mistake_costs import MistakeCosts
from ..goals._question import Question
from ..inputs._labels import UNLABELED
from ..inputs._validation import check_aligned_with, check_choice, check_number
from ..metrics._metric import Metric, MetricLike, TradeoffMetric
from ..metrics._ranking import Prevalence
from ..metrics._special_questions import UndecidedShare
from ..posterior._matrix_ends import matrix_with_open_ends
from ..posterior._operating_points import (
    Curve,
    Task,
    flipped_band,
    increasing_thresholds,
    threshold_grid,
    warn_of_thresholds,
)
from ..posterior._posterior_estimates import (
    curve_band,
    reliability_band,
    threshold_band,
    threshold_estimate,
    tradeoff_band,
)
from ..posterior._registry import as_curve
from ..results._distributions import (
    Proportions,
    ResultDistribution,
    WeightedDraws,
    warn_of_few_draws,
)
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, DecisionZone
from ..results._verdict import Reason, Verdict
from ._label_proof import proof_of_labels
from ._planned_width import check_plan, planned_width, width_of_chosen
from ._ranking_value import MetricArguments, Ranking, check_single
from ._ranking_view import RankingRows, check_decision

# What a question of a ranking returns.
Result = TypeVar("Result", ScalarEstimate, CurveBand)
GUARANTEES = ("posterior", "anytime")


class SupportedThreshold(NamedTuple):
    """A threshold whose selection meets a goal, on the user's scale."""

    threshold: float
    verdict: Verdict  # on the selection
    rests_on_known: bool  # whether it meets the goal by its labeled items alone
    candidate: float | None  # that of a more useful selection, which the model alone supports


@dataclass(frozen=True, eq=False, repr=False)
class ScoreRanking(Ranking):
    """The ranking of items of two classes by the scores of a system or rater."""

    def rows(self) -> RankingRows:
        """Return the rows of X for the ranking."""
        return self.model.rows(self.view.key)

    def curve(
        self,
        name: str | Curve | Metric = "precision_recall",
        *,
        target: str | None = None,
        thresholds: ArrayLike | None = None,
        zero_division: float | None = None,
    ) -> CurveBand:
        task = self._task(target, zero_division)
        curve = as_curve(name)
        if isinstance(curve, Curve):
            if thresholds is not None:
                raise ValueError(f"The curve {curve.name!r} does not take thresholds=.")
            band = curve_band(curve, self.posterior_, task, n_points=self.settings.n_points)
            return self._with_verdict(band, task)
        grid = self._grid(thresholds)
        if isinstance(curve, TradeoffMetric):
            band = tradeoff_band(curve, self.posterior_, task, thresholds=grid)
        else:
            band = threshold_band(as_decision(curve), self.posterior_, task, thresholds=grid)
        return self._over_thresholds(band, task)

    def _estimate_of(self, arguments: MetricArguments) -> ScalarEstimate:
        check_single(arguments.readers)
        if arguments.pos_label is not None or arguments.average is not None:
            raise ValueError(
                "pos_label= and average= of an estimate are for more than two classes: with "
                "two, fit with the other pos_label. A mean over categories or queries is a "
                "callable metric(y_true, y_score, query) with sample_columns={'query': queries}."
            )
        if arguments.selection is not None:
            return self._selection_estimate(arguments)
        if arguments.sample_columns is not None:
            index = self.settings.row_index
            check_aligned_with(index, "X", sample_columns=arguments.sample_columns)

        # The question: a metric, and where it is taken, on the scale of increasing scores.
        view = self.view
        direction: Any = view.score_direction
        task = self._task(arguments.target, arguments.zero_division)
        question = question_of(arguments)
        if question.is_open:
            question = question.at(self._decision(question.name))
        threshold = question.where.get("threshold")
        if threshold is not None:
            threshold = float(direction.flip(threshold))
            if arguments.metric is not question:
                # A `Question` was validated, with warnings, when it was created.
                self._warn_of_thresholds([threshold])

        # The number, with the ends of its interval.
        estimate = question.estimate(
            view.posterior,
            direction,
            task,
            predicted=self._predicted(arguments.predicted),
            rows=partial(self.model.sample_rows, view.key),
        )

        # The verdict on the fit, the items and the question.
        verdict = self.model.verdict_on(view, of_sample=task.draws_labels)
        if task.draws_labels:
            verdict = verdict_on_question(
                verdict, question.metric, view.posterior, estimate, threshold
            )
        return replace(estimate, pos_label=view.labels.pos_label, verdict=verdict)

    def calibration_curve(
        self,
        predicted: Callable[[np.ndarray], np.ndarray] | None = None,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
    ) -> CurveBand:
        probability = self._predicted(predicted) or self.posterior_.expected_probability
        task = self._task("sample")
        band = reliability_band(
            self.posterior_, probability, task, n_bins=n_bins, strategy=strategy
        )
        return self._with_verdict(band, task)

    def goal_probability(
        self,
        *bounds: GoalLike,
        thresholds: ArrayLike | None = None,
        target: str | None = None,
        **goal: GoalBound,
    ) -> CurveBand:
        condition = Goal.of(*bounds, **goal)
        task = self._task(target).of_selection()
        grid = self._grid(thresholds)
        band = goal_probability(self.posterior_, condition, grid, task)
        return self._over_thresholds(band, task)

    def _threshold_for(
        self,
        goal: Goal | MistakeCosts,
        negative: Goal | None,
        *,
        confidence_level: float,
        guarantee: str,
        prefer: MetricLike | None,
        target: str | None,
    ) -> float | DecisionZone:
        if isinstance(goal, MistakeCosts):
            return self._cheapest_threshold(goal, target)
        if negative is not None:
            if prefer is not None:
                raise ValueError(
                    f"prefer={prefer!r} chooses one threshold, and negative= asks for two: leave "
                    "one of them out."
                )
            return self._decision_zone(
                goal,
                negative,
                confidence_level=confidence_level,
                target=target,
                guarantee=guarantee,
            )
        supported = self.supported_threshold(
            goal,
            confidence_level=confidence_level,
            guarantee=guarantee,
            prefer=prefer,
            target=target,
        )
        _warn_of_untested(supported.verdict.reasons)
        return supported.threshold

    def _cheapest_threshold(self, costs: MistakeCosts, target: str | None) -> float:
        """Return the threshold of least expected cost."""
        thresholds = costs.thresholds(self.posterior_)
        benefit = threshold_band(
            costs.net_benefit, self.posterior_, self._task(target), thresholds=thresholds
        )
        return self._users_threshold(float(thresholds[np.nanargmax(benefit.mean())]))

    def supported_threshold(
        self,
        goal: Goal,
        *,
        confidence_level: float,
        guarantee: str = "posterior",
        prefer: MetricLike | None = None,
        target: str | None = None,
    ) -> SupportedThreshold:
        """Return a threshold, as `threshold_for`, and the labels on its selection."""
        _check_guarantee(confidence_level, guarantee)
        task = self._task(target).of_selection()
        best = self._best(goal, task, confidence_level, guarantee, prefer=prefer)
        return SupportedThreshold(
            self._users_threshold(best.threshold),
            Verdict(self._reasons(best, goal, task, confidence_level, guarantee)),
            rests_on_known(goal, self.posterior_.sample, best.threshold, task),
            None if best.candidate is None else self._users_threshold(best.candidate),
        )

    def _reasons(
        self,
        best: BestThreshold,
        goal: Goal,
        task: Task,
        confidence_level: float,
        guarantee: str,
    ) -> Iterator[Reason]:
        """Return the reasons about the selection of a threshold, by its labels."""
        return selection_reasons(
            goal,
            self.posterior_.sample,
            best.threshold,
            task,
            confidence_level,
            self.score_direction_,
            candidate=best.candidate,
            is_proof=guarantee == "anytime",
        )

    def _decision_zone(
        self,
        positive: Goal,
        negative: Goal,
        *,
        confidence_level: float,
        target: str | None,
        guarantee: str,
    ) -> DecisionZone:
        """Return two thresholds with separate guarantees, and the items between them."""
        _check_guarantee(confidence_level, guarantee)
        task = self._task(target).of_selection()
        rows = self.rows()

        # Either guarantee may fail; their risks add up to the joint risk (Bonferroni).
        level = 0.5 * (1.0 + confidence_level)
        upper = self._best(positive, task, level, guarantee)
        lower = self._best(negative, task, level, guarantee, highest=upper.threshold)
        for goal, best in ((positive, upper), (negative, lower)):
            _warn_of_untested(self._reasons(best, goal, task, level, guarantee))

        low, high = lower.threshold, upper.threshold
        undecided = rows.is_ranked & (rows.scores >= low) & (rows.scores < high)
        if task.counts_known:
            undecided &= rows.codes == UNLABELED
        return DecisionZone(
            self._users_threshold(low),
            self._users_threshold(high),
            self._share_between(low, high, task),
            undecided,
        )

    def _share_between(self, low: float, high: float, task: Task) -> ScalarEstimate:
        """Return the share of items between two thresholds, unlabeled ones if labels count."""
        sample, kind = self.posterior_.sample, "posterior"
        first, end = np.searchsorted(sample.lower, [low, high])
        n_items = sample.counts.sum()
        counts = sample.unlabeled if task.counts_known else sample.counts
        share = np.array([counts[first:end].sum() / n_items])
        distribution: ResultDistribution = WeightedDraws(share[np.newaxis], np.ones(1))
        if not task.counts_known:
            distribution, kind = Proportions(share, n_items), "simulation"
        # A share of all items has no positive class.
        n_known = float(n_items) if task.counts_known else None
        return ScalarEstimate(
            UndecidedShare.name, distribution, task.confidence_level, kind, n_items=n_known
        )

    def _best(
        self,
        goal: Goal,
        task: Task,
        confidence_level: float,
        guarantee: str,
        *,
        prefer: MetricLike | None = None,
        highest: float = np.inf,
    ) -> BestThreshold:
        """Return the best threshold for a goal, on the scale where larger means positive.

        Raise UnreachableGoalError if none meets it with the probability, or proof, that is needed.
        """
        posterior = self.posterior_
        if guarantee == "posterior":
            # With all labels known there is no uncertainty.
            if task.target == "population" or posterior.sample.unlabeled.any():
                warn_of_few_draws(confidence_level, posterior.n_draws, n_sides=1, stacklevel=4)
            odds = ThresholdOdds.of(posterior, goal, task, prefer=prefer, highest=highest)
            best = odds.best(confidence_level)
            error, needed = UnreachableGoalError, needed_probability(confidence_level)
        elif task.counts_known:
            certificate = proof_of_labels(self.rows(), goal, confidence_level, self.model.seed)
            best = certificate.best(posterior, task, prefer=prefer, highest=highest)
            error, needed = UnprovedGoalError, confidence_level
        else:
            raise ValueError(
                "guarantee='anytime' applies to this sample; use target='sample', or "
                "guarantee='posterior'."
            )
        if not best.is_kept:
            threshold = self._users_threshold(best.threshold)
            raise error(
                goal,
                confidence_level,
                best.probability,
                threshold,
                self.pos_label_,
                needed,
                best.lacks_labels,
            )
        return best

    def _users_threshold(self, threshold: float) -> float:
        """Return a threshold on the user's scale."""
        return float(self.score_direction_.flip_threshold(threshold))

    def selection(self, threshold: float) -> np.ndarray:
        threshold = check_number(threshold, "threshold", "(-inf, inf)")
        return self.rows().selection(self.score_direction_.flip(threshold))

    def _selection_estimate(self, arguments: MetricArguments) -> ScalarEstimate:
        """Return an estimate of the selection at a threshold, which takes no other arguments."""
        is_alone = set(arguments.names) <= {"selection", "target"}
        if arguments.target not in (None, "sample") or not is_alone:
            raise ValueError(
                "selection= is the threshold of a selection from this sample, for a metric of "
                "decisions, and takes no other arguments."
            )
        task = self._task("sample").of_selection()
        threshold = check_number(arguments.selection, "selection", "(-inf, inf)")
        (increasing,) = self._increasing([threshold])
        estimate = threshold_estimate(
            as_decision(arguments.metric), self.posterior_, task, threshold=increasing
        )
        return self._with_verdict(replace(estimate, threshold=threshold), task)

    def confusion_matrix(
        self,
        *,
        threshold: float | None = None,
        normalize: str | None = None,
        target: str | None = None,
    ) -> ConfusionMatrix:
        threshold = check_decision(threshold)
        if threshold is None:
            threshold = self._decision("confusion_matrix")
        prevalence = self.estimate("prevalence", target=target, zero_division=0.0)
        recall, false_positive_rate = (
            self.estimate(name, threshold=threshold, target=target, zero_division=0.0).draws
            for name in ("recall", "false_positive_rate")
        )

        # Shares of true by predicted class, in each draw.
        positive = prevalence.draws * np.array([1.0 - recall, recall])
        of_negatives = np.array([1.0 - false_positive_rate, false_positive_rate])
        negative = (1.0 - prevalence.draws) * of_negatives
        shares = np.moveaxis(np.array([negative, positive]), -1, 0)

        # Counts without the error of the products.
        task = self._task(target)
        n_items = self.posterior_.sample.counts.sum() if task.draws_labels else 1.0
        counts = np.round(shares * n_items, 9)
        labels: Any = self.view.labels
        matrix = ConfusionMatrix.of(
            counts,
            prevalence.weights,
            np.array(labels.names()),
            normalize,
            task.confidence_level,
            prevalence.n_items,
        )
        flipped = self.score_direction_.flip_threshold(threshold)
        return matrix_with_open_ends(matrix, self.posterior_, flipped, normalize, n_items)

    def plan(
        self,
        n_labels: ArrayLike,
        metric: MetricLike = "average_precision",
        *,
        strategy: str = "tail",
        **where: Any,
    ) -> np.ndarray:
        counts = check_plan(self.posterior_.sample, n_labels, strategy)
        estimate = self.estimate(metric, **where)
        threshold = estimate.threshold
        flipped = None if threshold is None else self.score_direction_.flip_threshold(threshold)
        return planned_width(
            self.posterior_,
            estimate.draws,
            estimate.interval(),
            counts,
            self._task(where.get("target")),
            strategy=strategy,
            threshold=flipped,
        )

    def plan_of_rows(
        self, rows: np.ndarray, n_labels: np.ndarray, metric: MetricLike, threshold: float | None
    ) -> np.ndarray:
        """Return the expected width of an interval after the first `n_labels` rows are labeled.

        `n_labels` (n_plans,) increase; `rows` of X are unlabeled.
        """
        estimate = self.estimate(metric, threshold=threshold)
        flipped = None if threshold is None else self.score_direction_.flip_threshold(threshold)
        return width_of_chosen(
            self.posterior_,
            estimate.draws,
            estimate.interval(),
            self.rows().scores[rows],
            n_labels,
            self._task(None),
            flipped,
        )

    def _decision(self, name: str) -> float:
        """Return the threshold that the score kind implies."""
        if self.view.default_threshold is not None:
            return self.view.default_threshold
        raise ValueError(
            f"{name!r} is a metric of decisions, and these scores have no usual threshold: pass "
            "threshold=. If the scores are probabilities (threshold 0.5) or margins (0), pass "
            "score_kind='probability' or 'margin' to PerformanceCurveEstimator. "
            "Precision is also available at recall=, and recall at precision=."
        )

    def _predicted(
        self, predicted: Callable[[np.ndarray], np.ndarray] | None
    ) -> Callable[[np.ndarray], np.ndarray] | None:
        """Return predicted probabilities as a function of scores larger for positives."""
        if predicted is None:
            return None
        # Calling a class creates an object, not probabilities.
        if not callable(predicted) or isinstance(predicted, type):
            raise TypeError(
                f"predicted must be a function from scores to probabilities, got {predicted!r}."
            )
        return lambda scores: np.asarray(predicted(self.score_direction_.flip(scores)), dtype=float)

    def _grid(self, thresholds: ArrayLike | None) -> np.ndarray:
        """Return increasing thresholds on the scale on which larger scores mean positive."""
        if thresholds is None:
            return threshold_grid(self.posterior_.sample, self.settings.n_points)
        return self._increasing(thresholds)

    def _increasing(self, thresholds: ArrayLike) -> np.ndarray:
        """Return given thresholds in order; warn if all lie outside the scores."""
        increasing = increasing_thresholds(thresholds, self.score_direction_)
        self._warn_of_thresholds(increasing)
        return increasing

    def _warn_of_thresholds(self, increasing) -> None:
        """Warn if all thresholds lie outside the scores."""
        view = self.view
        kind = self.model.settings.score_kind
        direction: Any = view.score_direction
        warn_of_thresholds(view.posterior.ends, increasing, direction, view.whose, kind)

    def _over_thresholds(self, band: CurveBand, task: Task) -> CurveBand:
        """Return a band over thresholds on the user's scale."""
        return self._with_verdict(flipped_band(band, self.score_direction_), task)

    def _with_verdict(self, result: Result, task: Task) -> Result:
        """Return a result with the positive class, and the verdict on the fit and its items."""
        verdict = self.model.verdict_on(self.view, of_sample=task.draws_labels)
        return replace(result, pos_label=self.pos_label_, verdict=verdict)


def _check_guarantee(confidence_level: float, guarantee: str) -> None:
    check_number(confidence_level, "confidence_level", "(0, 1)")
    check_choice(guarantee, "guarantee", GUARANTEES)


def _warn_of_untested(reasons: Iterable[Reason]) -> None:
    """Warn of reasons that leave a selection to the known labels."""
    for reason in reasons:
        if reason.verdict != "ok":
            advice = UntestedSelectionWarning(reason.problem, reason.remedy, reason.parameter)
            warnings.warn(advice, stacklevel=level_of_the_user())


def _needs_scores(self: LabelRanking, name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise: not defined for labels alone."""
    raise ValueError(without_scores(name))


def without_scores(name: str) -> str:
    """Return the message that a question requires scores."""
    return (
        f"{name} requires scores, and fit was given labels alone (X=None): they answer "
        "estimate('prevalence'), with its difference and by_category. Pass the classifier's scores "
        "as X, or ratings as judges=. For the accuracy of predictions fit whether each is right, "
        "fit(None, y == predicted) with missing labels kept missing, and its prevalence."
    )


@dataclass(frozen=True, eq=False, repr=False)
class LabelRanking(ScoreRanking):
    """Ranking of labels without scores, which gives the share of positives only."""

    curve = partialmethod(_needs_scores, "curve")
    calibration_curve = partialmethod(_needs_scores, "calibration_curve")
    confusion_matrix = partialmethod(_needs_scores, "confusion_matrix")
    goal_probability = partialmethod(_needs_scores, "goal_probability")
    _threshold_for = partialmethod(_needs_scores, "threshold_for")
    selection = partialmethod(_needs_scores, "selection")
    supported_threshold = partialmethod(_needs_scores, "threshold_for")

    def _estimate_of(self, arguments: MetricArguments) -> ScalarEstimate:
        if arguments.selection is not None:
            raise ValueError(without_scores("selection="))
        question = question_of(arguments)
        if not isinstance(question.metric, Prevalence):
            raise ValueError(without_scores(repr(question.name)))
        return super()._estimate_of(arguments)


def question_of(arguments: MetricArguments) -> Question:
    """Return the question of two classes that the arguments of a metric ask."""
    return Question.of(
        arguments.metric,
        sample_columns=arguments.sample_columns,
        threshold=arguments.threshold,
        recall=arguments.recall,
        precision=arguments.precision,
    )
