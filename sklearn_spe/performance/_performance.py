"""PerformanceCurveEstimator: performance curves with bands from a few labels."""

from __future__ import annotations

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..curves._goals import Goal
from ..inputs._alignment import index_of
from ..inputs._random_state import seed_entropy
from ..inputs._scores import ScoreInput
from ..multiclass._confusion_matrix import ConfusionMatrix
from ..results._bands import CurveBand, ScalarEstimate
from ..results._decision_zone import DecisionZone
from ..results._estimate_table import EstimateTable
from ..results._verdict import warn_of
from ..score_mixture._mixture_parameter import check_agrees, check_score_mixture, new_mixture
from ._class_answers import class_answers
from ._judged import number_of_judges, table_by_judge
from ._one_pool import OnePool
from ._pages import bundle_of, fragment_of, page_of
from ._performance_parameters import check_decision, check_parameters
from ._performance_subject import Asked, Structure, Subject, check_subject
from ._registry import fit_subject, updated_subject
from ._several import difference_of, of_several, side_by_side, table_by_category
from ._summary import summary_of
from ._true_curve import area_from_truth

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
    classes : array-like of shape (n_classes,), default=None
        The classes, needed if `y` does not name all of them; of more than two X holds a column
        each, in sorted order. If -1 is one of them it does not
        mark unlabelled items any more; missing values always do. A `mixture` may say so too.
    pos_label : object, default=None
        The positive class; None means 1 for {0, 1} and {-1, 1}, True for booleans. Other classes
        need it, here or in `mixture`.
    greater_is_positive : bool, default=True
        False if smaller scores mean positive, as those of many outlier detectors; thresholds stay
        on the scale of the scores. A `mixture` may say so too.
    n_draws : int, default=1000
        Draws from the posterior; a `mixture` may say so too. Of several systems, categories or
        groups 400 at most: each holds labels of all items.
    n_jobs : int, default=None
        Workers over pairs of families and blocks of draws. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible. A fitted estimator answers the same question
        the same way every time.

    Attributes
    ----------
    mixture_ : SemisupervisedScoreMixture
        The fitted mixture of one column of scores. With several systems, `category`, `groups`,
        `judges` or more than two classes there is no mixture of scores: it holds the parameters
        alone, and is not fitted.
    posterior_ : CurvePosterior, MixturePosterior, ComplementPosterior or ItemPosterior
        The posterior: of the mixture, of its other class if that is the one that `pos_label` names,
        or of items that several columns or groups describe.
    orientation_ : Orientation or None
        Turns scores around if smaller ones mean positive; None until one of several systems is
        named (:meth:`of`), and with more than two classes.
    verdict_ : Verdict
        Whether bands can be believed: "ok", "unidentified", "misfit" or "unreliable", with
        reasons.
    model_weight_ : float
        The probability that the model is right, and not one of some rivals that shift the log-odds
        of a part of the scores: what is left of 100 to 1 after their bets on the labels. Where it
        is low the verdict is "misfit", and says where.
    surprising_items_ : SurprisingItems
        The labelled items to look at once more: the other labels do not expect theirs.
    judges_ : tuple
        What each of `judges` in `fit` is called.
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
    The items must be independent, but for those that `groups` in `fit` says belong together. Those
    to label may be chosen at random, or by their scores, categories, groups and earlier labels in
    any way: labels count through P(y | item) alone. What depends on the class
    besides needs `inclusion_proba`.

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

    def fit(
        self,
        X,
        y=None,
        sample_weight=None,
        *,
        category=None,
        groups=None,
        judges=None,
        inclusion_proba=None,
    ):
        """Fit the mixture to scores of which some are labelled.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_systems), or mapping
            Scores, larger for positives. Columns are systems that score the same items, named by
            a data frame, by a mapping from names to the scores of each, or by number; NaN where a
            system gave no score, whose numbers are then those of the items that it scored. But two
            columns of which every row sums to one (or to 100) are the probabilities of one
            system, and two without names are its logits, whose difference is taken, if
            `classes` names two; otherwise they are refused. There may be any number of systems: of
            2,000 items each takes tenths of a second and 10 MB. If `y` or `classes` names more than
            two classes, the columns are their probabilities or logits, of one system; those of
            several are a mapping from the name of each to its array of shape (n_samples,
            n_classes). With
            `judges` it may be None: what the only one says is then the score, or the mean of
            several, each in its own standard deviations from its mean. Scores that were counted
            are ``histogram.with_labels(scores, y)`` of a `ScoreHistogram`, without `y` and
            `sample_weight`; those of subgroups are a mapping from the name of each to its own,
            and the answers are those of their items with `category`.
        y : array-like of shape (n_samples,), default=None
            Labels; -1, NaN, None or ``pd.NA`` where an item is not labelled.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for. With several systems or classes, `category`,
            `groups` or `judges` they become rows, of which weights may add 50,000, and 2,000 that
            are labelled; one column by itself takes any weights.
        category : array-like of shape (n_samples,), default=None
            The subgroup of each item, by a name or whole number: a country, a tag, a month.
            Subgroups are asked about one by one, and say something of each other as far as the
            labels support it. An ordered categorical of pandas is an order, of months say:
            neighbours are then more alike than others.
        groups : array-like of shape (n_samples,), default=None
            Which items belong together (patients, videos): they are no independent evidence of
            others, and ``target="population"`` consists of further groups.
        judges : array-like of shape (n_samples,) or (n_samples, n_judges), or mapping, default=None
            What others say of the label: a language model, a crowd, a rule, an old classifier. One
            column for each, named by a data frame or a mapping: the classes of `y`, or
            numbers that are larger for positives; None, NaN or ``pd.NA`` where nothing was said.
            Three numbers of which two are the classes (0, 0.5, 1) are a score.
            They tell of the label as far as labels bear them out, however they depend on
            each other; :meth:`by_judge` and ``of(judge=...)`` say how good they are.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            How labels were drawn, if not at random or by the scores. ``{class: share}`` maps each
            class to the share of it that was labelled, whatever the scores (a case-control
            study). An array holds the known chance of each item to be labelled, whether it is or
            not (strata of a feature). None says that the chance to be labelled does not depend on
            the class of items with the same score.

        Returns
        -------
        self : PerformanceCurveEstimator

        Raises
        ------
        ValueError
            If labels contradict `inclusion_proba` beyond chance, or it is given with
            ``experts=None``, several systems, `category`, `groups` or `judges`; a judge names
            other classes, or says nothing at all; a system has no score at all, or weights make
            too many rows.
        """
        check_parameters(self)
        seed = seed_entropy(self.random_state)
        mixture = new_mixture(self.mixture, random_state=seed, holder=self)
        structure = Structure(category, groups, inclusion_proba, judges)
        self._publish(fit_subject(mixture, X, y, sample_weight, structure, seed))
        # By which the names of rows that come later are paired.
        self._index = index_of(X=X, y=y, sample_weight=sample_weight, **vars(structure))
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
        TypeError
            If it is no mixture: of a fitted estimator of performance, ask that itself.
        """
        check_score_mixture(mixture)
        performance = cls(mixture, **parameters)
        check_agrees(mixture, performance)
        return performance.showing(OnePool.of(copy(mixture), performance.pos_label))

    def deciding(self, threshold: float | None) -> PerformanceCurveEstimator:
        """Return an estimator of the same fit, whose decisions are taken at a threshold.

        Parameters
        ----------
        threshold : float or None
            The `default_threshold_`, on the scale of the scores.

        Returns
        -------
        performance : PerformanceCurveEstimator
        """
        check_is_fitted(self, "posterior_")
        return self.showing(self.subject_.deciding(check_decision(threshold)))

    def showing(self, subject: Subject, asked: Asked | None = None) -> PerformanceCurveEstimator:
        """Return an estimator of these parameters that is fitted already: for those who hold a fit.

        Parameters
        ----------
        subject : Subject
            What X holds, and its fit.
        asked : Asked, default=None
            Whose ranking is asked about, and of which items; None for all there are.

        Returns
        -------
        performance : PerformanceCurveEstimator
        """
        check_parameters(self)
        check_subject(subject, asked)
        performance = copy(self)
        performance._publish(subject, asked)
        return performance

    def update(
        self,
        X,
        y=None,
        sample_weight=None,
        *,
        category=None,
        groups=None,
        judges=None,
        inclusion_proba=None,
    ):
        """Let other labels of the same scores judge; see `SemisupervisedScoreMixture.update`.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_systems), or mapping
            The scores of `fit`; of a histogram ``histogram.with_labels(scores, y)`` again, with all
            labels that are known by now, or the mapping of these, and without `y` and
            `sample_weight`.
        y : array-like of shape (n_samples,), default=None
            All labels that are known by now.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.
        category, groups, judges : array-like, default=None
            Those of `fit`; None takes them as they were.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            As in `fit`, for all labels that are known by now; to be said again if `fit` was told.

        Returns
        -------
        self : PerformanceCurveEstimator
        """
        check_is_fitted(self, "posterior_")
        structure = Structure(category, groups, inclusion_proba, judges)
        subject = updated_subject(self.subject_, X, y, sample_weight, structure)
        self._publish(subject, self.shown_.asked)
        warn_of(self.verdict_)
        return self

    def of(self, *, system=None, category=None, judge=None) -> PerformanceCurveEstimator:
        """Return an estimator that answers for one system or judge, or in one category.

        Whatever is asked of it, curves, thresholds and pictures, is about that system's scores of
        those items, and rests on the same draws.

        Parameters
        ----------
        system : str or int, default=None
            The name of a column, or its number; None if there is one system.
        category : object, default=None
            A value of `category` in `fit`; None stands for all items.
        judge : str or int, default=None
            The name of a column of `judges` in `fit`, or its number: the ranking, and decisions,
            are then the judge's, of the items of which it says anything. Two verdicts are decided
            at 0.5, ``of(judge="rule").estimate("recall")`` is its sensitivity.

        Returns
        -------
        performance : PerformanceCurveEstimator
            Fitted.

        Raises
        ------
        ValueError
            If there is no such system, category or judge, several systems and none is named, or a
            system and a judge.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=1)
        >>> worse = scores + np.random.default_rng(1).standard_normal(500)
        >>> y = np.where(np.arange(500) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit({0: scores, 1: worse}, y)
        >>> performance.of(system=1).curve("roc").value.shape
        (200,)
        """
        check_is_fitted(self, "posterior_")
        view = copy(self)
        view._publish(self.subject_, self.shown_.asked.narrowed(system, category, judge))
        return view

    def curve(
        self,
        name="precision_recall",
        *,
        target=None,
        thresholds=None,
        zero_division=None,
        system=None,
        category=None,
    ):
        """Return a performance curve with its band.

        Parameters
        ----------
        name : str, Curve or Metric, default="precision_recall"
            "precision_recall" (precision against recall), "roc", "det", a
            :class:`~sklearn_spe.curves.Curve` of your own, or a metric of the decision
            ``score >= threshold``, which is returned against the threshold. With more than two
            classes "accuracy_coverage": the accuracy of the most confident items.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        thresholds : array-like of shape (n_points,), default=None
            For a metric: where. None takes `n_points` scores, evenly spaced by rank.
        zero_division : float, default=None
            What takes the place of undefined values: NaN leaves those draws out, None does
            as scikit-learn does (0 for precision, recall and F).
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.

        Returns
        -------
        band : CurveBand

        Raises
        ------
        ValueError
            If there is no such curve.
        """
        return self._answers(system, category).curve(
            name, target=target, thresholds=thresholds, zero_division=zero_division
        )

    def estimate(
        self,
        metric="average_precision",
        *,
        threshold=None,
        recall=None,
        precision=None,
        predicted=None,
        target=None,
        zero_division=None,
        system=None,
        category=None,
        pos_label=None,
        average=None,
    ) -> ScalarEstimate:
        """Return one number with its interval.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" (of the 10
            highest scores, or another :class:`~sklearn_spe.metrics.PrecisionAtK`) or
            "prevalence"; if the scores are probabilities, "brier_score" or "log_loss"; with
            `threshold`, "precision", "recall", "f1", "accuracy", "balanced_accuracy",
            "matthews_corrcoef", "cohen_kappa", "specificity", "false_positive_rate" or
            "negative_predictive_value", the numbers of items "true_positives",
            "false_negatives", "false_positives" or "predicted_positives", and what a lower
            threshold would cost, "precision_recall_slope" or "precision_after_gain" (of 0.1
            of recall, or another :class:`~sklearn_spe.metrics.PrecisionAfterGain`); "precision"
            with `recall`; "recall" with `precision`; or a callable ``metric(y_true, y_score)``,
            which is called once for each draw with the items of this sample sorted by score, and
            labels 0 and 1. With more than two classes "accuracy", "top_k_accuracy" (of the best
            two, or another :class:`~sklearn_spe.multiclass.TopKAccuracy`), "balanced_accuracy",
            "matthews_corrcoef" and "cohen_kappa" of all classes, and any other of those above of
            each class against the rest; a callable ``metric(y_true, y_proba)`` gets the classes
            and the probabilities of all columns, the softmax if X holds logits.
        threshold : float, default=None
            On the scale of the scores; an item is called positive if its score is at least
            the threshold (at most, with ``greater_is_positive=False``). None takes
            `default_threshold_` for a metric of a decision; ``estimate.threshold`` says it.
        recall, precision : float in (0, 1], default=None
            The precision at this recall, or the largest recall at this precision.
        predicted : callable, default=None
            For "brier_score" and "log_loss": from scores, of shape (n_scores,), to the
            probabilities that are measured. None takes the scores themselves.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        zero_division : float, default=None
            What takes the place of undefined values; their probability is
            ``estimate.undefined``. None does as scikit-learn does.
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.
        pos_label : object, default=None
            With more than two classes the one that is asked about, against the rest. None asks
            about all of them.
        average : {"macro", "weighted"}, default=None
            With more than two classes and no `pos_label`, how a metric of one class is averaged:
            each class counts alike (None as well), or as many as its items.

        Returns
        -------
        estimate : ScalarEstimate

        Raises
        ------
        ValueError
            If the metric is unknown, needs a threshold and has none, recall or precision lies
            outside its range, or scores are no probabilities where they must be.

        Warns
        -----
        ThresholdOutsideScoresWarning
            If no score reaches the threshold, or every one does: nothing is called positive, or
            everything, and that is answered (a recall of 0, a precision by `zero_division`).
        """
        return self._answers(system, category).estimate(
            metric,
            threshold=threshold,
            recall=recall,
            precision=precision,
            predicted=predicted,
            target=target,
            zero_division=zero_division,
            pos_label=pos_label,
            average=average,
        )

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
            recalls; below them the verdict and what is labelled, and the model last.

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
        >>> print(table.remarks[1])
        500 items, 20 labelled (7 of class 1, 13 of class 0).
        """
        return summary_of(self, threshold)

    def calibration_curve(
        self, predicted=None, *, n_bins=10, strategy="quantile", system=None, category=None
    ) -> CurveBand:
        """Return the reliability curve of predicted probabilities, on this very sample.

        Parameters
        ----------
        predicted : callable, default=None
            From scores, of shape (n_scores,), to the probabilities whose reliability is
            wanted; ``lambda s: s`` if the scores themselves are probabilities. None takes the
            recalibrated ones.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Bins of equally many items, or of equal width; empty ones are left out.
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.

        Returns
        -------
        band : CurveBand
            The fraction of positives against the mean predicted probability of each bin.
        """
        return self._answers(system, category).calibration_curve(
            predicted, n_bins=n_bins, strategy=strategy
        )

    def goal_probability(
        self, *bounds, thresholds=None, target=None, system=None, category=None, **goal
    ) -> CurveBand:
        """Return how probable it is that a goal is met, against the threshold.

        The posterior probability of the condition C(tau) of section 4.4 of [1]_. Its interval
        is about simulation alone: so many draws were counted.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            Bounds on metrics that have no name of their own: pairs such as ``(FBeta(2), 0.8)``
            of a :class:`~sklearn_spe.metrics.ThresholdMetric` and what is wanted of it, or of a
            callable ``metric(y_true, y_pred, sample_weight=...)`` of labels and decisions, which
            is called once for each table of counts (:class:`~sklearn_spe.metrics.OfPredictions`).
        thresholds : array-like of shape (n_points,), default=None
            Where. None takes `n_points` scores, evenly spaced by rank.
        target : {"sample", "population"}, default=None
            None takes the estimator's own. Of the sample the goal is about the :meth:`answer` at
            each threshold, in which known labels count; of the population about the threshold.
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.
        **goal
            One keyword a metric: "precision", "recall", "f1", "accuracy", "balanced_accuracy",
            "matthews_corrcoef", "cohen_kappa", "specificity" and "negative_predictive_value" at
            least, "false_positive_rate" at most, each strictly within its range (0 to 1; the two
            coefficients -1 to 1); of this sample the numbers of items "true_positives" and
            "predicted_positives" at least, "false_negatives" and "false_positives" at most; or a
            pair (at least, at most), of which one may be None. All must hold together. If no
            item is called positive, precision is 0.

        Returns
        -------
        band : CurveBand

        Raises
        ------
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory.

        References
        ----------
        .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
           semisupervised classifier evaluation and recalibration." CVPR 2013.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> band = performance.goal_probability(precision=0.7, recall=0.3)
        >>> bool(band.value.max() > 0.8)
        True
        """
        return self._answers(system, category).goal_probability(
            Goal.of(*bounds, **goal), thresholds=thresholds, target=target
        )

    def threshold_for(
        self,
        *bounds,
        confidence_level=0.95,
        guarantee="posterior",
        prefer=None,
        target=None,
        system=None,
        category=None,
        **goal,
    ) -> float:
        """Return the most useful threshold that meets a goal with a probability.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            As :meth:`goal_probability` takes them, such as ``(FBeta(2), 0.8)``.
        confidence_level : float in (0, 1), default=0.95
            The probability with which the goal shall be met. In the posterior it is met with
            more, 0.95 for 0.9: half of the risk is left to what the posterior does not know. The
            most useful of many thresholds flatters it, and the curve may be none that it knows.
        guarantee : {"posterior", "anytime"}, default="posterior"
            Who says that the goal is met: the posterior, or the labels alone, by bets that hold for
            any scores and however often labels are added and looked at
            (:class:`~sklearn_spe.betting.GoalCertificate`). The latter needs labels of items that
            were drawn at random, ``fit(..., inclusion_proba=np.full(n_items, share))``, and many
            more of them; it is about ratios of sums over the items of this sample.
        prefer : str or Metric, default=None
            Of all thresholds that do, the one is taken at which the posterior mean of this
            metric is best. None stands for what the goal leaves open: "recall" if it bounds
            precision, specificity or false positive rate only, "precision" if it bounds recall
            only, else "f1".
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.
        **goal
            As :meth:`goal_probability` takes it, such as ``precision=0.9``.

        Returns
        -------
        threshold : float
            A score of the sample. Items whose score is at least this (at most, with
            ``greater_is_positive=False``) are called positive. With ``target="sample"`` the
            promise is about the :meth:`answer` at the threshold, in which labelled items are what
            their labels say; the threshold lies just above all scores if what is known to be
            positive is the best answer.

        Raises
        ------
        UnreachableGoalError
            If no threshold meets the goal with that probability, or with ``guarantee="anytime"``
            none is proved (``UnprovedGoalError``); it names the best one.
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory; or
            if ``guarantee="anytime"`` and it is not known how labels were drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> threshold = performance.threshold_for(precision=0.8, confidence_level=0.9)
        >>> performance.answer_estimate("precision", threshold).interval(0.8)[0] > 0.79
        True

        A metric without a name:

        >>> from sklearn_spe.metrics import FBeta
        >>> threshold = performance.threshold_for((FBeta(2), 0.6), confidence_level=0.9)
        >>> performance.answer_estimate(FBeta(2), threshold).interval(0.8)[0] > 0.59
        True
        """
        return self._answers(system, category).threshold_for(
            Goal.of(*bounds, **goal),
            confidence_level=confidence_level,
            guarantee=guarantee,
            prefer=prefer,
            target=target,
        )

    def thresholds_for(
        self,
        positive,
        negative,
        *,
        confidence_level=0.95,
        guarantee="posterior",
        target=None,
        system=None,
        category=None,
    ) -> DecisionZone:
        """Return two thresholds with promises of their own: what lies between is for a human.

        Parameters
        ----------
        positive : dict or Goal
            What is promised of the items at or above the upper threshold, which are called
            positive, such as ``{"precision": 0.9}``.
        negative : dict or Goal
            What is promised of those below the lower one, which are called negative, such as
            ``{"negative_predictive_value": 0.95}``, the share of negatives among them, or
            ``{"recall": 0.9}``, that few positives are.
        confidence_level : float in (0, 1), default=0.95
            The probability with which both promises are kept; each takes half of the risk.
        guarantee, target, system, category : object
            As :meth:`threshold_for` takes them.

        Returns
        -------
        zone : DecisionZone
            ``zone.positive`` and ``zone.negative``, the thresholds, as far apart as they must be;
            ``zone.share``, how large a part of all items is for a human, and ``zone.undecided``,
            which rows these are.

        Raises
        ------
        UnreachableGoalError, ValueError
            As :meth:`threshold_for` does, of either promise.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> zone = performance.thresholds_for(
        ...     {"precision": 0.8}, {"negative_predictive_value": 0.9}, confidence_level=0.9)
        >>> zone.negative < zone.positive
        True
        >>> called_positive = performance.answer(zone.positive)
        >>> bool((called_positive & zone.undecided).any())
        False
        """
        return self._answers(system, category).thresholds_for(
            Goal.of(positive),
            Goal.of(negative),
            confidence_level=confidence_level,
            guarantee=guarantee,
            target=target,
        )

    def answer(self, threshold, *, system=None, category=None) -> np.ndarray:
        """Return the items that are returned at a threshold: known labels count.

        All that is labelled positive is in the answer, nothing that is labelled negative, and of
        the rest what the threshold calls positive. Promises about this sample are about it.

        Parameters
        ----------
        threshold : float
            Mostly one that :meth:`threshold_for` found; any number may be asked.
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.

        Returns
        -------
        answer : ndarray of bool of shape (n_samples,)
            For each row of X in `fit`. A row that `sample_weight` says stands for no item, or that
            is of another category, is not in it.

        See Also
        --------
        answer_estimate : A metric of the answer, with its interval.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> threshold = performance.threshold_for(precision=0.8, confidence_level=0.9)
        >>> answer = performance.answer(threshold)
        >>> bool(answer[y == 1].all() and not answer[y == 0].any())
        True
        """
        return self._answers(system, category).answer(threshold)

    def answer_estimate(self, metric, threshold, *, system=None, category=None) -> ScalarEstimate:
        """Return a metric of the answer at a threshold, in which known labels count.

        :meth:`estimate` returns that of the threshold as a rule, which looks at scores alone and
        may be applied to other items; it forgets what is known of these.

        Parameters
        ----------
        metric : str or Metric
            Of decisions, as :meth:`goal_probability` takes it.
        threshold : float
            As :meth:`answer` takes it.
        system, category : object, default=None
            Of which system, and in which category, as :meth:`of` takes them.

        Returns
        -------
        estimate : ScalarEstimate

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> threshold = performance.threshold_for(precision=0.8, confidence_level=0.9)
        >>> performance.answer_estimate("precision", threshold).interval(0.8)[0] > 0.79
        True
        """
        return self._answers(system, category).answer_estimate(metric, threshold=threshold)

    def difference(self, metric, a, b, **where) -> ScalarEstimate:
        """Return by how much one system is better than another, or differs one category from one.

        Both sides are measured on the same labels, known and drawn: the interval is narrower than
        two intervals side by side, and :meth:`ranking_proba` is the chance that it lies above zero.
        Two systems that miss scores are compared on the items that both scored.

        Parameters
        ----------
        metric : str, Metric or callable
            As :meth:`estimate` takes it.
        a, b : object
            Two systems if there are several, else two categories: those of the only system, or of
            the one that `system` names.
        **where
            What else :meth:`estimate` takes: `threshold`, `target`, ..., and `category` in which
            two systems are compared.

        Returns
        -------
        difference : ScalarEstimate
            Of `a` less that of `b`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=1)
        >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(500)
        >>> y = np.where(np.arange(500) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit({0: scores, 1: worse}, y)
        >>> bool(performance.difference("roc_auc", 0, 1).value > 0.0)
        True
        """
        return difference_of(self, metric, a, b, where)

    def by_category(self, metric="average_precision", *, reference=None, **where) -> EstimateTable:
        """Return one number for each category, with its interval.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            As :meth:`estimate` takes it.
        reference : object, default=None
            A category, of which each number is less that of the reference: a first month, say.
            :meth:`ScalarEstimate.probability_above` of a row tells how probable a change is.
        **where
            What else :meth:`estimate` takes: `threshold`, `target`, `system`, ...

        Returns
        -------
        table : EstimateTable
            ``table.to_frame()`` has one row a category; ``table[name]`` is the estimate of one. NaN
            where the system scored no item.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=0)
        >>> country = np.where(np.arange(500) % 3 == 0, "FR", "ES")
        >>> y = np.where(np.arange(500) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit(scores, y, category=country)
        >>> performance.by_category("prevalence").to_frame().name.tolist()
        ['ES', 'FR']
        """
        return table_by_category(self, metric, reference, where)

    def by_judge(self, metric="cohen_kappa", **where) -> EstimateTable:
        """Return one number for each judge, with its interval.

        Each is that of the items of which the judge says anything, measured against the labels,
        known and drawn: "recall" is the sensitivity, "specificity" the specificity.

        Parameters
        ----------
        metric : str, Metric or callable, default="cohen_kappa"
            As :meth:`estimate` takes it. Of judges that give scores, and no verdicts or
            probabilities, decisions need a `threshold`.
        **where
            What else :meth:`estimate` takes: `threshold`, `target`, `category`, ...

        Returns
        -------
        table : EstimateTable
            ``table.to_frame()`` has one row a judge; ``table[name]`` is the estimate of one.

        Raises
        ------
        ValueError
            If `fit` was given no judges.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=0)
        >>> wrong = np.random.default_rng(0).random(500) < 0.1
        >>> y = np.where(np.arange(500) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit(scores, y, judges={"rule": labels ^ wrong})
        >>> bool(performance.by_judge("recall")["rule"].value > 0.5)
        True
        """
        return table_by_judge(self, metric, where)

    def effective_judges(self) -> ScalarEstimate:
        r"""Return how many independent judges several judges are worth.

        K judges whose errors have the mean correlation :math:`\bar\rho` are worth
        :math:`K / (1 + (K - 1) \bar\rho)` (the design effect of Kish, 1965): near
        1 if they repeat each other, K if they err independently.

        Returns
        -------
        estimate : ScalarEstimate
            Over the labels that are drawn, of the judges that say more than one thing. NaN if no
            two of them spoke of the same items.

        Raises
        ------
        ValueError
            If there are fewer than two of these.
        """
        return number_of_judges(self)

    def by_class(
        self, metric="f1", *, target=None, zero_division=None, system=None
    ) -> EstimateTable:
        """Return one number for each of several classes against the rest, with its interval.

        Parameters
        ----------
        metric : str or Metric, default="f1"
            As :meth:`estimate` takes it.
        target, zero_division, system
            As those of :meth:`estimate`.

        Returns
        -------
        table : EstimateTable
            ``table.to_frame()`` has one row a class.

        Raises
        ------
        ValueError
            If there are two classes, or the metric is not one of a class.
        """
        answers = class_answers(self, system)
        return answers.by_class(metric, target=target, zero_division=zero_division)

    def confusion_matrix(self, *, normalize=None, target=None, system=None) -> ConfusionMatrix:
        """Return how often each of several classes is taken for each, with intervals.

        Parameters
        ----------
        normalize : {"true", "pred", "all"}, default=None
            Shares of true classes (rows), of predictions (columns) or of all; None for counts.
        target : {"sample", "population"}, default=None
            None takes the estimator's own; of a population there are shares only.
        system : object, default=None
            Of which system, as :meth:`of` takes it.

        Returns
        -------
        matrix : ConfusionMatrix

        Raises
        ------
        ValueError
            If there are two classes.
        """
        return class_answers(self, system).confusion_matrix(normalize=normalize, target=target)

    def ranking_proba(
        self, metric="average_precision", *, greater_is_better=None, **where
    ) -> np.ndarray:
        """Return how probable it is that one system, or category, is better than another.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            As :meth:`estimate` takes it.
        greater_is_better : bool, default=None
            Whether larger values are better. None takes it from the metric: they are, but for
            error rates and losses; of a callable they are.
        **where
            What else :meth:`estimate` takes.

        Returns
        -------
        probability : ndarray of shape (n_systems, n_systems)
            Entry [i, j] is that system i of `systems_` is better than system j, on the items that
            both scored; ties count half. NaN where there is no such item.
            Of one system, the only one or the one that `system` names, these are its categories.
        """
        return side_by_side(self, metric, where, greater_is_better=greater_is_better).ahead

    def order_proba(self, metric="average_precision", *, greater_is_better=None, **where) -> float:
        """Return how probable it is that all systems are in the order of their estimates.

        Parameters
        ----------
        metric, greater_is_better
            As those of :meth:`ranking_proba`.
        **where
            What else :meth:`estimate` takes.
        """
        return side_by_side(self, metric, where, greater_is_better=greater_is_better).order_proba

    @property
    def ranking_proba_(self) -> np.ndarray:
        """:meth:`ranking_proba` by average precision; there with several systems."""
        return of_several(self, "ranking_proba")()

    @property
    def order_proba_(self) -> float:
        """:meth:`order_proba` by average precision; there with several systems."""
        return of_several(self, "order_proba")()

    def plan(self, n_labels, metric="average_precision", *, strategy="tail", **where) -> np.ndarray:
        """Return how wide the interval of a number will be once more items are labelled.

        Full widths, upper less lower end, of what :meth:`estimate` gives by then.

        Parameters
        ----------
        n_labels : int or array-like of int
            How many further labels, beyond those there are.
        metric : str, Metric or callable, default="average_precision"
            As :meth:`estimate` takes it.
        strategy : {"tail", "random"}, default="tail"
            Whether the largest scores that have no label get one, or random items.
        **where
            `threshold`, `recall`, `precision`, `target`, `zero_division`, `system` and `category`
            of :meth:`estimate`.

        Returns
        -------
        width : ndarray
            One for each of `n_labels`: a plan, no promise.

        See Also
        --------
        ActiveTestSelector.plan : The same by simulation, for labels that are chosen one by one.

        Raises
        ------
        ValueError
            If there are not so many items without a label, the strategy is unknown, or the number
            is infinite in some draws, as a slope may be.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
        >>> few, many = performance.plan([20, 200], "recall", threshold=2.0)
        >>> bool(few > many)
        True
        """
        answers = self._answers(where.pop("system", None), where.pop("category", None))
        return answers.plan(n_labels, metric, strategy=strategy, where=where)

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
            If an item is not labelled, or none is positive.
        """
        return -area_from_truth(self, X, y, sample_weight)

    def to_html(self, path=None, *, threshold=None, items=None, title=None) -> str | None:
        """Return all that is known as one page, or write it into a file.

        The verdict in words, the main numbers, curves, scores and labels, what thresholds promise,
        what more labels would buy, the rows to label next and those whose labels surprise, systems
        and categories side by side, and how all of it was computed. The page stands by itself: it
        loads nothing, and can be sent.

        Parameters
        ----------
        path : str or Path, default=None
            The file, of which all is written or nothing. None returns the page.
        threshold : float, default=None
            Where precision, recall, F1 and accuracy are taken; None takes `default_threshold_`.
        items : array-like of shape (n_samples,), default=None
            What each row of X is called on the page, such as a name or a text; None takes its
            number.
        title : str, default=None
            Of the page.

        Returns
        -------
        page : str or None
            None if it was written.

        Raises
        ------
        ValueError
            If `items` has another length.
        OSError
            If the file cannot be written; what was there before is then as it was.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=0)
        >>> y = np.where(np.arange(500) < 20, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> page = performance.to_html(threshold=1.0, title="Alarms of May")
        >>> page.startswith("<!doctype html>") and "Alarms of May" in page
        True
        """
        return page_of(self, path, threshold=threshold, items=items, title=title)

    @property
    def _repr_html_(self):
        """What a notebook shows: scikit-learn's diagram before a fit, the first answers after it.

        These are the verdict and, of at most 100,000 items, the main numbers and the curve: some
        tenths of a second. :meth:`to_html` has all of it.
        """
        return fragment_of(self, super()._repr_html_)

    def _repr_mimebundle_(self, **kwargs):
        return bundle_of(self)

    def _publish(self, subject: Subject, asked: Asked | None = None) -> None:
        """Set what users see of a fit; nothing is set before everything is known."""
        shown, model = subject.shown(asked or Asked()), subject.model
        self.subject_, self.shown_, self.mixture_ = subject, shown, subject.mixture
        self.model_, self.default_threshold_ = model, shown.default_threshold
        self.systems_, self.classes_, self.seed_ = subject.systems, subject.classes, subject.seed
        self.categories_, self.judges_ = subject.categories, subject.judges
        self.pos_label_, self.model_weight_ = subject.pos_label, model.bets.model_weight
        self.posterior_, self.orientation_ = shown.posterior, shown.orientation
        of_sample = self.target == "sample"
        self.verdict_ = model.verdict_on_sample if of_sample else model.verdict
        self.surprising_items_ = model.surprising_items

    def _answers(self, system=None, category=None):
        """Return what answers for one ranking."""
        return (asked := self.of(system=system, category=category)).subject_.answers(asked)
