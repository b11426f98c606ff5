"""PerformanceCurveEstimator: performance curves with bands from a few labels."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from ._numbers import check_count, check_number
from ._random import seed_entropy
from ._sample import ScoreSample
from ._scores import ScoreInput, check_frequencies, check_scores
from .bands import ScalarEstimate
from .curves import (
    CURVES,
    PRECISION_RECALL,
    TARGETS,
    callable_estimate,
    curve_band,
    precision_at_recall,
    precision_at_recall_estimate,
    ranking_estimate,
    recall_at_precision_estimate,
    rising_thresholds,
    sample_operating_points,
    threshold_band,
    threshold_estimate,
    threshold_grid,
)
from .metrics import METRICS, Metric, RankingMetric, as_metric
from .score_mixture import SemisupervisedScoreMixture

__all__ = ["PerformanceCurveEstimator"]


class PerformanceCurveEstimator(ScoreInput, BaseEstimator):
    """Performance of a classifier on a data set of which a few items are labelled.

    Semisupervised performance evaluation (SPE) [1]_: a model of the scores says how probable
    each missing label is; every draw of its posterior, with labels drawn for the unlabelled
    items, is one possible performance. Curves and numbers are summaries of these:
    the value is the pointwise posterior median, the band holds the given probability.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        The model of the scores, which also takes `classes`, `pos_label` and `unlabeled_label`.
        None stands for ``SemisupervisedScoreMixture(n_draws=n_draws, n_jobs=n_jobs,
        random_state=random_state)``. One that is given keeps its own `n_draws` and `n_jobs`,
        and its `random_state` unless that is None.
    target : {"sample", "population"}, default="sample"
        "sample": the performance on these very items; known labels stay, unknown ones are
        drawn, and there is no uncertainty left once all are labelled. "population": the
        performance on further items of the same kind.
    confidence_level : float in (0, 1), default=0.9
        The level of bands and intervals when none is asked for.
    n_points : int, default=200
        The number of points of a curve.
    n_draws : int, default=1000
        Draws from the posterior, if `mixture` is None.
    n_jobs : int, default=None
        Workers over pairs of families and blocks of draws. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible. A fitted estimator answers the same question
        the same way every time.

    Attributes
    ----------
    mixture_ : SemisupervisedScoreMixture
        The fitted mixture.
    posterior_ : CurvePosterior or MixturePosterior
        Its posterior.
    verdict_ : Verdict
        Whether bands can be believed: "ok", "misfit" or "unidentified", with reasons.
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    seed_ : int
        From which all labels are drawn: the same question gets the same answer.

    See Also
    --------
    SemisupervisedScoreMixture : The model of the scores, with its warnings.
    sklearn_spe.display.PerformanceCurveDisplay : Draws the curves.

    Notes
    -----
    The items must be independent. Those to label may be chosen at random, or by their scores and
    earlier labels in any way: labels count through P(y | score) alone.

    References
    ----------
    .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration." CVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.full(500, -1)
    >>> y[:20] = labels[:20]
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> estimate = performance.estimate("average_precision")
    >>> low, high = estimate.interval()
    >>> bool(low < estimate.value < high)
    True
    >>> performance.curve("precision_recall").value.shape
    (200,)
    """

    def __init__(
        self,
        mixture=None,
        *,
        target="sample",
        confidence_level=0.9,
        n_points=200,
        n_draws=1000,
        n_jobs=None,
        random_state=None,
    ):
        self.mixture = mixture
        self.target = target
        self.confidence_level = confidence_level
        self.n_points = n_points
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Fit the mixture to scores of which some are labelled.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores, larger for positives; two columns are probabilities that sum to one.
        y : array-like of shape (n_samples,), default=None
            Labels; -1, NaN, None or ``pd.NA`` where an item is not labelled.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.

        Returns
        -------
        self : PerformanceCurveEstimator
        """
        _check_target(self.target)
        check_count(self.n_points, "n_points", 2)
        check_count(self.n_draws, "n_draws")
        check_number(self.confidence_level, "confidence_level", "(0, 1)")
        seed = seed_entropy(self.random_state)
        # A fit that fails changes nothing.
        mixture = self._new_mixture(seed).fit(X, y, sample_weight)
        self.seed_, self.mixture_ = seed, mixture
        return self._learned()

    def update(self, X, y, sample_weight=None):
        """Let other labels of the same scores judge; see `SemisupervisedScoreMixture.update`.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            The scores of `fit`.
        y : array-like of shape (n_samples,)
            All labels that are known by now.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.

        Returns
        -------
        self : PerformanceCurveEstimator
        """
        check_is_fitted(self, "posterior_")
        self.mixture_.update(X, y, sample_weight)
        return self._learned()

    def _learned(self):
        self.posterior_ = self.mixture_.posterior_
        self.classes_ = self.mixture_.classes_
        self.verdict_ = self.mixture_.verdict_
        return self

    def curve(self, name="precision_recall", *, target=None, thresholds=None, zero_division=None):
        """Return a performance curve with its band.

        Parameters
        ----------
        name : str or Metric, default="precision_recall"
            "precision_recall" (precision against recall), "roc", "det", or a metric of the
            decision ``score >= threshold``, which is returned against the threshold.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        thresholds : array-like of shape (n_points,), default=None
            For a metric: where. None takes `n_points` scores, evenly spaced by rank.
        zero_division : float, default=None
            What takes the place of undefined values: NaN leaves those draws out, None does
            as scikit-learn does (0 for precision, recall and F).

        Returns
        -------
        band : CurveBand

        Raises
        ------
        ValueError
            If there is no such curve, or a threshold lies outside the range of the scores.
        """
        check_is_fitted(self, "posterior_")
        task = self._task(target, zero_division)
        if isinstance(name, str) and name in CURVES:
            if thresholds is not None:
                raise ValueError(f"The curve {name!r} does not take thresholds=.")
            return curve_band(CURVES[name], self.posterior_, n_points=self.n_points, **task)
        if not isinstance(name, Metric) and (not isinstance(name, str) or name not in METRICS):
            known = [n for n, m in METRICS.items() if not issubclass(m, RankingMetric)]
            raise ValueError(
                f"Unknown curve {name!r}; choose one of {', '.join(CURVES)}, or a metric against "
                f"the threshold: {', '.join(known)}."
            )
        metric = as_metric(name)
        if isinstance(metric, RankingMetric):
            raise ValueError(
                f"{metric.name!r} is one number, not a curve; use estimate({metric.name!r})."
            )
        sample = self.posterior_.sample
        if thresholds is None:
            grid = threshold_grid(sample, self.n_points)
        else:
            grid = rising_thresholds(sample, thresholds)
        return threshold_band(metric, self.posterior_, thresholds=grid, **task)

    def estimate(
        self,
        metric="average_precision",
        *,
        threshold=None,
        recall=None,
        precision=None,
        target=None,
        zero_division=None,
    ) -> ScalarEstimate:
        """Return one number with its interval.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate" or "prevalence"; with
            `threshold`, "precision", "recall", "f1", "accuracy", "specificity" or
            "false_positive_rate"; "precision" with `recall`; "recall" with `precision`; or
            a callable ``metric(y_true, y_score)``, which is called once for each draw with
            the items of this sample sorted by score, and labels 0 and 1.
        threshold : float, default=None
            On the scale of the scores; an item is called positive if its score is at least
            the threshold.
        recall, precision : float in (0, 1], default=None
            The precision at this recall, or the largest recall at this precision.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        zero_division : float, default=None
            What takes the place of undefined values; their probability is
            ``estimate.undefined``. None does as scikit-learn does.

        Returns
        -------
        estimate : ScalarEstimate

        Raises
        ------
        ValueError
            If the metric is unknown, needs a threshold and has none, or a threshold, recall
            or precision lies outside its range.
        """
        check_is_fitted(self, "posterior_")
        task = self._task(target, zero_division)
        if callable(metric) and not isinstance(metric, type):
            return self._call(metric, threshold, recall, precision, task)
        metric = as_metric(metric)
        given = {"threshold": threshold, "recall": recall, "precision": precision}
        given = {name: value for name, value in given.items() if value is not None}
        if isinstance(metric, RankingMetric):
            _reject(given, metric.name, "a number of the whole ranking")
            return ranking_estimate(metric, self.posterior_, **task)
        if len(given) != 1:
            raise ValueError(
                f"{metric.name!r} needs exactly one of threshold= "
                f"(or recall= for precision, precision= for recall); got {sorted(given)}."
            )
        if threshold is not None:
            check_number(threshold, "threshold", "(-inf, inf)")
            rising_thresholds(self.posterior_.sample, [threshold])
            return threshold_estimate(metric, self.posterior_, threshold=threshold, **task)
        (name, value), *_ = given.items()
        at = {
            ("precision", "recall"): precision_at_recall_estimate,
            ("recall", "precision"): recall_at_precision_estimate,
        }.get((metric.name, name))
        if at is None:
            raise ValueError(f"{metric.name!r} cannot be asked for at a {name}; use threshold=.")
        check_number(value, name, "(0, 1]")
        return at(self.posterior_, **given, **task)

    def score(self, X, y, sample_weight=None) -> float:
        """Return minus the area between the estimated and the true precision-recall curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores, usually those of `fit`.
        y : array-like of shape (n_samples,)
            All labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.

        Returns
        -------
        score : float
            Minus the mean absolute difference of precision over recall; 0 is best.

        Raises
        ------
        ValueError
            If an item is not labelled.
        """
        check_is_fitted(self, "posterior_")
        true = _true_curve(self, X, y, sample_weight)
        return -float(np.abs(self.curve("precision_recall", target="sample").value - true).mean())

    def _new_mixture(self, seed):
        if self.mixture is None:
            return SemisupervisedScoreMixture(
                n_draws=self.n_draws, n_jobs=self.n_jobs, random_state=seed
            )
        if not isinstance(self.mixture, SemisupervisedScoreMixture):
            raise TypeError(
                f"mixture must be a SemisupervisedScoreMixture or None, got {self.mixture!r}. The "
                f"scores of a classifier go into fit(scores, y); families into "
                f"SemisupervisedScoreMixture(negative=, positive=)."
            )
        mixture = clone(self.mixture)
        return (
            mixture if mixture.random_state is not None else mixture.set_params(random_state=seed)
        )

    def _task(self, target, zero_division):
        target = self.target if target is None else target
        _check_target(target)
        if zero_division is not None and zero_division == zero_division:
            check_number(zero_division, "zero_division", "[0, 1]")
        return {
            "target": target,
            "entropy": self.seed_,
            "confidence_level": self.confidence_level,
            "zero_division": zero_division,
            "n_jobs": self.n_jobs,
        }

    def _call(self, metric, threshold, recall, precision, task):
        given = {"threshold": threshold, "recall": recall, "precision": precision}
        given = [name for name, value in given.items() if value is not None]
        _reject(given, "a callable metric", "a number of the labels and scores")
        if task["target"] != "sample":
            raise ValueError(
                "A callable metric is computed on completed labels; it needs target='sample', got "
                f"target={task['target']!r}."
            )
        keep = ("entropy", "confidence_level", "zero_division", "n_jobs")
        return callable_estimate(metric, self.posterior_, **{k: task[k] for k in keep})


def _true_curve(estimator, X, y, sample_weight) -> np.ndarray:
    labels = estimator.mixture_.labels_
    scores = check_scores(estimator.mixture_, X, reset=False, positive=labels.positive)
    codes = labels.codes(y, len(scores))
    if (codes < 0).any():
        raise ValueError(
            f"score needs all labels; {int((codes < 0).sum())} of {len(codes)} items are not "
            f"labelled. SemisupervisedScoreMixture.score takes partially labelled y, in "
            f"GridSearchCV too."
        )
    sample = ScoreSample.from_items(scores, codes, check_frequencies(sample_weight, len(scores)))
    points = sample_operating_points(sample, sample.positive[np.newaxis])
    return precision_at_recall(points, PRECISION_RECALL.grid(estimator.n_points))[0]


def _check_target(target) -> None:
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}; got {target!r}.")


def _reject(given, name, what) -> None:
    if given:
        raise ValueError(f"{name!r} is {what} and does not take {', '.join(given)}=.")
