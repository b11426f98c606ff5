"""PerformanceCurveEstimator: performance curves with bands from a few labels."""

from __future__ import annotations

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..curves._complement import ComplementPosterior
from ..curves._operating_points import sample_operating_points
from ..curves._precision_recall import PRECISION_RECALL, precision_at_recall
from ..curves._task import check_target
from ..inputs._alignment import check_aligned
from ..inputs._numbers import check_count, check_jobs, check_number
from ..inputs._orientation import check_direction
from ..inputs._random_state import seed_entropy
from ..inputs._scores import ScoreInput, check_frequencies, check_scores
from ..results._estimate_table import EstimateTable
from ..results._verdict import warn_of
from ..sample._sample import ScoreSample
from ..sample._score_kind import default_threshold
from ..score_mixture._mixture_parameter import contradicts, given_by, new_mixture
from ..score_mixture._score_model import ScoreModel
from ._questions import PerformanceQuestions
from ._summary import summary_of

__all__ = ["PerformanceCurveEstimator"]

# Parameters that no longer change what a fitted mixture says.
OF_THE_FIT = ("n_draws", "classes", "greater_is_positive", "random_state")


class PerformanceCurveEstimator(PerformanceQuestions, ScoreInput, BaseEstimator):
    """Performance of a classifier on a data set of which a few items are labelled.

    Semisupervised performance evaluation (SPE) [1]_: a model of the scores says how probable
    each missing label is; every draw of its posterior, with labels drawn for the unlabelled
    items, is one possible performance. Curves and numbers are summaries of these:
    the value is the pointwise posterior median, the band holds the given probability.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        The model of the scores, which also takes `unlabeled_label`. None stands for
        ``SemisupervisedScoreMixture(n_draws=n_draws, n_jobs=n_jobs, random_state=random_state)``.
        One that is given keeps its `random_state` unless that is None. `n_draws` and `n_jobs` may
        be said here or in the mixture; both, and differently, is an error. What is not the
        default counts as said.
    target : {"sample", "population"}, default="sample"
        "sample": the performance on these very items; known labels stay, unknown ones are
        drawn, and there is no uncertainty left once all are labelled. "population": the
        performance on further items of the same kind.
    confidence_level : float in (0, 1), default=0.9
        The level of bands and intervals when none is asked for.
    n_points : int, default=200
        The number of points of a curve.
    classes : array-like of shape (2,), default=None
        The two classes, needed if `y` does not name both. If -1 is one of them it does not
        mark unlabelled items any more; missing values always do. A `mixture` may say so too.
    pos_label : object, default=None
        The positive class; None means 1 for {0, 1} and {-1, 1}, True for booleans. Other classes
        need it, here or in `mixture`.
    greater_is_positive : bool, default=True
        False if smaller scores mean positive, as those of many outlier detectors; thresholds stay
        on the scale of the scores. A `mixture` may say so too.
    n_draws : int, default=1000
        Draws from the posterior; a `mixture` may say so too.
    n_jobs : int, default=None
        Workers over pairs of families and blocks of draws. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible. A fitted estimator answers the same question
        the same way every time.

    Attributes
    ----------
    mixture_ : SemisupervisedScoreMixture
        The fitted mixture.
    posterior_ : CurvePosterior, MixturePosterior or ComplementPosterior
        Its posterior; of its other class if that is the one that `pos_label` names.
    orientation_ : Orientation
        Turns scores around if smaller ones mean positive.
    verdict_ : Verdict
        Whether bands can be believed: "ok", "misfit" or "unidentified", with reasons.
    surprising_items_ : SurprisingItems
        The labelled items to look at once more: the other labels do not expect theirs.
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    pos_label_ : object
        The positive class.
    default_threshold_ : float or None
        Where a decision is taken if no threshold is asked for: 0.5 for probabilities, 0 for
        what `score_kind` of the mixture says to be margins or log-odds. None if the scores do not
        say: real numbers, distances, votes, and numbers that run from exactly 0 to exactly 1, as
        scores of any kind do that were scaled.
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
        classes=None,
        pos_label=None,
        greater_is_positive=True,
        n_draws=1000,
        n_jobs=None,
        random_state=None,
    ):
        self.mixture = mixture
        self.target = target
        self.confidence_level = confidence_level
        self.n_points = n_points
        self.classes = classes
        self.pos_label = pos_label
        self.greater_is_positive = greater_is_positive
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
        self._check_parameters()
        seed = seed_entropy(self.random_state)
        mixture = new_mixture(self.mixture, random_state=seed, holder=self)
        mixture.model_ = ScoreModel.of(mixture, X, y, sample_weight)
        threshold = default_threshold(mixture.posterior_.sample, mixture.score_kind)
        self._publish(mixture, seed, threshold)
        warn_of(self.verdict_)
        return self

    @classmethod
    def from_mixture(cls, mixture, **parameters) -> PerformanceCurveEstimator:
        """Ask a fitted mixture, without another fit.

        Parameters
        ----------
        mixture : SemisupervisedScoreMixture
            Fitted.
        **parameters
            Of this estimator. With a `pos_label` that is not the mixture's it is the performance
            of the other class, by the same draws.

        Returns
        -------
        performance : PerformanceCurveEstimator
            Fitted. An update of it does not touch `mixture`.

        Raises
        ------
        ValueError
            If `n_draws`, `classes`, `greater_is_positive` or `random_state` are given, and not
            those of the mixture.
        """
        check_is_fitted(mixture, "model_")
        performance = cls(mixture, **parameters)
        performance._check_parameters()
        for name, value in given_by(performance, OF_THE_FIT).items():
            if contradicts(name, getattr(mixture, name), value):
                raise ValueError(
                    f"{name}={value!r}, and the mixture is fitted with {getattr(mixture, name)!r}: "
                    f"leave it out, or fit again."
                )
        threshold = default_threshold(mixture.posterior_.sample, mixture.score_kind)
        performance._publish(copy(mixture), mixture.seed_, threshold)
        return performance

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
        mixture = copy(self.mixture_)
        mixture.model_ = mixture.model_.updated(mixture, X, y, sample_weight)
        self._publish(mixture, self.seed_, self.default_threshold_)
        warn_of(self.verdict_)
        return self

    def summary(self, *, threshold=None) -> EstimateTable:
        """Return the main numbers side by side; printed, they are what the command line shows.

        Parameters
        ----------
        threshold : float, default=None
            If given, precision, recall and F1 there are added.

        Returns
        -------
        table : EstimateTable
            Average precision, area under the ROC curve, prevalence, and precision at a few
            recalls, with what is labelled, the model and its verdict as remarks.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=0)
        >>> y = np.where(np.arange(500) < 20, labels, -1)
        >>> table = PerformanceCurveEstimator(random_state=0).fit(scores, y).summary()
        >>> table.to_frame().columns.tolist()
        ['name', 'value', 'lower', 'upper']
        >>> print(str(table).splitlines()[0])
        500 items, 20 labelled (7 of class 1, 13 of class 0).
        """
        check_is_fitted(self, "posterior_")
        return summary_of(self, threshold)

    def _check_parameters(self):
        check_target(self.target)
        check_count(self.n_points, "n_points", 2)
        check_count(self.n_draws, "n_draws")
        check_jobs(self.n_jobs)
        check_direction(self.greater_is_positive)
        check_number(self.confidence_level, "confidence_level", "(0, 1)")

    def _publish(self, mixture, seed, threshold) -> None:
        """Set what users see of a fitted mixture; nothing is set before everything is known."""
        model = mixture.model_
        labels, orientation = model.labels.with_positive(self.pos_label), model.orientation
        posterior = model.posterior
        if labels.positive != model.labels.positive:
            posterior = ComplementPosterior.of(posterior, orientation.total)
            orientation = orientation.reversed()
        self.mixture_, self.seed_, self.default_threshold_ = mixture, seed, threshold
        self.posterior_, self.orientation_ = posterior, orientation
        self.classes_, self.pos_label_ = labels.classes, labels.pos_label
        self.verdict_, self.surprising_items_ = model.verdict, model.surprising_items

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


def _true_curve(estimator, X, y, sample_weight) -> np.ndarray:
    check_aligned(X=X, y=y, sample_weight=sample_weight)
    mixture = estimator.mixture_
    scores = check_scores(mixture, X, reset=False, positive=mixture.labels_.positive)
    labels = mixture.labels_.with_positive(estimator.pos_label_)
    scores = estimator.orientation_.turn(scores)
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
