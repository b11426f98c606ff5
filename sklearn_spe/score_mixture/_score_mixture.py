"""SemisupervisedScoreMixture: scores and labels, as a density model."""

from __future__ import annotations

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from ..inputs._alignment import check_aligned
from ..inputs._numbers import check_count
from ..inputs._random_state import seed_entropy, spawn
from ..inputs._scores import ScoreInput, check_frequencies, check_scores
from ..results._verdict import warn_of
from ..sample._counted_rows import GivenRows
from ._score_model import NOT_FITTED, ScoreModel, of_model

__all__ = ["SemisupervisedScoreMixture"]


class SemisupervisedScoreMixture(ScoreInput, DensityMixin, BaseEstimator):
    r"""What a classifier's scores mean, learned from a few labels and all scores.

    Several experts turn the scores into prior curves of P(y = 1 | score); labels judge them by
    their Bernoulli likelihood, and experts are averaged by what the labels say. One of them is
    the mixture of the papers, in which the scores of negatives and positives each follow a
    parametric family (eq. 2 of [1]_); ``experts=None`` is that mixture alone.

    .. warning::

        With ``experts=None`` thousands of scores outvote a few labels: if no family is right,
        the posterior can be narrow and wrong.

    Parameters
    ----------
    negative, positive : "auto", str, Family or sequence of these, default="auto"
        The families to try for each class; every pair is fitted. "auto" stands for
        truncated normal and gamma. See :mod:`sklearn_spe.families`.
    combine : {"average", "evidence", "likelihood", "ks"}, default="average"
        What becomes of several pairs with ``experts=None``, and their weights in `comparison_`:
        "average" weighs them by their label evidence, all scores counting as 32 points;
        "evidence", "likelihood" (the rule of [1]_) and "ks" (the distance from the distribution
        of the scores) take the best one.
    score_scale : {"auto", "unit", "identity"} or transformer, default="auto"
        The increasing map to the scale on which families live. "auto" takes the logit of
        scores that look like probabilities and standardises; "unit" maps to (0, 1], as [1]_.
    method : {"importance", "em"}, default="importance"
        How a bare mixture is fitted: by draws from its posterior, or by maximum likelihood with
        partially observed expectation maximisation [2]_ and intervals from the observed
        information. With "em" the default of `experts` is None.
    proposal : {"adaptive", "diagonal"}, default="adaptive"
        For ``experts=None``. "adaptive" fits a mixture of Student densities to several modes and
        to its own weights. "diagonal" is that of [1]_: faster, and too narrow if parameters are
        correlated.
    experts : "auto", None, str, Expert or sequence of these, default="auto"
        The priors over curves; "auto", in a sequence too, stands for all of
        :data:`sklearn_spe.experts.EXPERTS`, None for the bare mixture.
    score_kind : {"auto", "probability", "log_odds", "margin", "votes", "distance"}
        What the scores are, from which experts get their weights. "auto" looks at them; a real
        number may be a log-odds or a margin.
    prevalence_prior : "auto", pair of float or BetaPrior, default="auto"
        The Beta prior of the prevalence; ``BetaPrior.from_interval(0.01, 0.05)`` says a range.
        "auto" is uniform, but Beta(0.1, 1 / q) if the labels gather among the largest scores, a
        share q of all: it is assumed that positives are hardly more then, and no label tells how
        rare they are.
    greater_is_positive : bool, default=True
        False if smaller scores mean positive, as those of many outlier detectors.
    n_draws : int, default=1000
        Draws of curves; for ``experts=None`` of each pair, at least 25 but
        for the diagonal proposal.
    classes : array-like of shape (2,), default=None
        The two classes, needed if `y` does not name both. If -1 is one of them it does not
        mark unlabelled items any more; missing values always do.
    pos_label : object, default=None
        The positive class; None means 1 for {0, 1} and {-1, 1}, True for booleans.
    unlabeled_label : object, default=-1
        What marks an unlabelled item in `y`, beside NaN, None and ``pd.NA``.
    n_jobs : int, default=None
        Workers over pairs of families; the result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
    verbose : int, default=0
        If positive, each pair's evidence is printed.

    Attributes
    ----------
    model_ : ScoreModel
        The fit, a value; all other attributes are read from it.
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    orientation_ : Orientation
        Turns scores around if smaller ones mean positive.
    labels_ : BinaryLabels
        Which class is positive, and what marks an unlabelled item.
    prevalence_ : ScalarEstimate
        The prevalence of the positive class in the population.
    posterior_ : CurvePosterior or MixturePosterior
        Weighted draws; ``posterior_.updated.weights`` says what each expert weighs.
    comparison_ : Comparison
        The pairs of families side by side.
    score_scale_ : ScoreScale
        The map to the model scale of the families.
    score_kind_ : str or None
        What the scores are taken for; also "unknown" (log-odds or margins) or "unit" (in [0, 1],
        unlike probabilities). None for the bare mixture.
    prior_ : CurvePrior, BareMixture or None
        What was made of the scores; None after a pickle, which leaves it out.
    seed_ : int
        From which all random numbers come.
    verdict_ : Verdict
        "ok", "unidentified", "misfit" or "unreliable", with ``verdict_.reasons``.
    surprising_items_ : SurprisingItems
        The labelled items to look at once more: the other labels do not expect theirs.
    ess_ : float
        The effective sample size of the draws.
    pareto_k_ : float
        k-hat of the importance weights; with ``method="em"`` of those that would make draws of
        the observed information ones of the posterior.

    Warns
    -----
    MisfitWarning, UnidentifiedWarning, SamplingWarning, ConvergenceWarning
        For each reason of the verdict, or the special kind that it has.

    See Also
    --------
    PerformanceCurveEstimator : Performance curves with bands, from this mixture.

    References
    ----------
    .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration." CVPR 2013.
    .. [2] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import SemisupervisedScoreMixture
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.full(500, -1)
    >>> y[:20] = labels[:20]
    >>> mixture = SemisupervisedScoreMixture(random_state=0).fit(scores, y)
    >>> mixture.predict([-2.0, 5.0])
    array([0, 1])
    """

    def __init__(
        self,
        negative="auto",
        positive="auto",
        *,
        combine="average",
        score_scale="auto",
        method="importance",
        proposal="adaptive",
        experts="auto",
        score_kind="auto",
        prevalence_prior="auto",
        greater_is_positive=True,
        n_draws=1000,
        classes=None,
        pos_label=None,
        unlabeled_label=-1,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.negative = negative
        self.positive = positive
        self.combine = combine
        self.score_scale = score_scale
        self.method = method
        self.proposal = proposal
        self.experts = experts
        self.score_kind = score_kind
        self.prevalence_prior = prevalence_prior
        self.greater_is_positive = greater_is_positive
        self.n_draws = n_draws
        self.classes = classes
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # A fit sets all of them at once, or none.
    classes_ = of_model("labels.classes")
    orientation_ = of_model("orientation")
    labels_ = of_model("labels")
    prevalence_ = of_model("prevalence")
    posterior_ = of_model("posterior")
    comparison_ = of_model("comparison")
    score_scale_ = of_model("scale")
    score_kind_ = of_model("kind_name")
    prior_ = of_model("prior")
    seed_ = of_model("seed")
    verdict_ = of_model("verdict_on_sample")
    surprising_items_ = of_model("surprising_items")
    ess_ = of_model("ess")
    pareto_k_ = of_model("pareto_k")

    def fit(self, X, y=None, sample_weight=None, *, inclusion_proba=None):
        """Fit the mixture to scores of which some are labelled.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores, larger for positives; two columns are probabilities that sum to one.
        y : array-like of shape (n_samples,), default=None
            Labels; -1, NaN, None or ``pd.NA`` where an item is not labelled. None means
            that nothing is labelled.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            How labels were drawn, if not at random or by the scores. ``{class: share}`` maps each
            class to the share of it that was labelled, whatever the scores (a case-control
            study). An array holds the known chance of each item to be labelled, whether it is or
            not (strata of a feature). None says that the chance to be labelled does not depend on
            the class of items with the same score.

        Returns
        -------
        self : SemisupervisedScoreMixture

        Raises
        ------
        ValueError
            If labels contradict `inclusion_proba` beyond chance, or it is given with
            ``experts=None``.
        """
        # The names of columns are learned before all else is known: a fit that fails keeps the old.
        fitted = copy(self)
        given = GivenRows.of_one(X, y, sample_weight)
        fitted.model_ = ScoreModel.of(fitted, *given.rows, inclusion_proba, given.source)
        self.__dict__ = vars(fitted)
        warn_of(self.verdict_)
        return self

    def update(self, X, y=None, sample_weight=None, *, inclusion_proba=None):
        """Let other labels of the same scores judge; what was made of the scores is kept.

        It takes a fraction of a `fit` and gives the same; with ``experts=None``, or after other
        parameters were set, everything is made again, with the seed of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            The scores of `fit`; of a histogram ``histogram.with_labels(scores, y)`` again, with all
            labels that are known by now, and without `y` and `sample_weight`.
        y : array-like of shape (n_samples,), default=None
            All labels that are known by now, those of before too.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            As in `fit`, for all labels that are known by now; to be said again if `fit` was told.

        Returns
        -------
        self : SemisupervisedScoreMixture

        Raises
        ------
        ValueError
            If these are not the scores of `fit`; missing labels of before raise a warning.
        """
        check_is_fitted(self, "model_", msg=NOT_FITTED)
        updated = copy(self)
        given = GivenRows.of_one(X, y, sample_weight).check_labels()
        updated.model_ = self.model_.updated(updated, *given.rows, inclusion_proba, given.source)
        self.__dict__ = vars(updated)
        warn_of(self.verdict_)
        return self

    def predict_proba(self, X):
        """Return the posterior expectation of P(y | score), section 4.4 of the 2013 paper.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
            Columns in the order of `classes_`.
        """
        scores = self._read_scores(X)
        with np.errstate(under="ignore"):
            expected = self.posterior_.expected_probability(scores)
        return self.labels_.columns(1.0 - expected, expected)

    def predict(self, X):
        """Return the more probable class of each score.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def score_samples(self, X):
        """Return the log density of each score on the user's scale.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            The log of the posterior expectation of p(score); always finite.
        """
        scores = self._read_scores(X)
        with np.errstate(under="ignore", over="ignore"):
            return np.logaddexp(*self.posterior_.log_predictive(scores))

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log likelihood of scores of which some are labelled.

        For a labelled item this is log p(score, label), for others log p(score). It compares
        families at one scale; different `score_scale`, or folds on which the scale was learned
        differently, are compared only roughly.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
        y : array-like of shape (n_samples,), default=None
            Labels, with unlabelled items marked as in `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.

        Returns
        -------
        score : float
        """
        check_aligned(X=X, y=y, sample_weight=sample_weight)
        scores = self._read_scores(X)
        codes = self.labels_.codes(y, len(scores))
        # Far beyond the scores of the fit there is a floor.
        with np.errstate(under="ignore", over="ignore"):
            negative, positive = self.posterior_.log_predictive(scores)
            either = np.logaddexp(negative, positive)
        log_density = np.select([codes == 0, codes == 1], [negative, positive], either)
        weights = check_frequencies(sample_weight, len(scores))
        return float(np.average(log_density, weights=weights))

    def sample(self, n_samples=1, random_state=None):
        """Draw scores and labels from the posterior predictive distribution.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            On the user's scale.
        labels : ndarray of shape (n_samples,)
            Elements of `classes_`.
        """
        check_is_fitted(self, "model_", msg=NOT_FITTED)
        check_count(n_samples, "n_samples")
        with np.errstate(under="ignore"):
            scores, labels = self.posterior_.rvs(spawn(seed_entropy(random_state)), n_samples)
        return self.orientation_.turn(scores), self.labels_.decode(labels)

    def _read_scores(self, X):
        check_is_fitted(self, "model_", msg=NOT_FITTED)
        scores = check_scores(self, X, reset=False, labels=self.labels_, classes=self.classes)
        return self.orientation_.turn(scores)
