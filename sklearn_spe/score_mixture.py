"""SemisupervisedScoreMixture: two families and their posterior, as a density model."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from ._labels import BinaryLabels
from ._numbers import check_count, check_number
from ._parameter import BetaPrior
from ._random import seed_entropy, spawn
from ._sample import ScoreSample
from ._scale import learn_scale
from ._scores import check_frequencies, check_scores
from .comparison import COMBINE, compare
from .exceptions import FewLabelsWarning, InvertedScoresWarning, SamplingWarning
from .families import as_families
from .posterior import mixture_for

__all__ = ["SemisupervisedScoreMixture"]

METHODS = ("importance",)
PROPOSALS = ("adaptive", "diagonal")
# The likelihood sees at most about so many cells of scores; neighbours are merged.
FINEST_CELLS = 4096
# Below these the draws stand badly for the posterior.
LEAST_ESS = 100.0
LARGEST_K = 0.7
# Labelled positives score lower than negatives, at the one-sided 5% level.
SIGNIFICANT = 1.645


class SemisupervisedScoreMixture(DensityMixin, BaseEstimator):
    r"""Two-component mixture of a classifier's scores, fitted to a few labels and all scores.

    The scores of negatives and positives each follow a parametric family. The likelihood of
    the labelled and unlabelled items together (eq. 2 of [1]_), times a prior, is the
    posterior of the parameters; it is represented by weighted draws from an importance
    sampler (section 3.1 of [1]_).

    .. warning::

        The unlabelled scores outvote the labels through the shape of the families. If neither
        family is right, the posterior can be narrow and wrong. Compare several families
        (`comparison_`), look at the fit (`ScoreMixtureDisplay`), and keep some labels aside.

    Parameters
    ----------
    negative, positive : "auto", str, Family or sequence of these, default="auto"
        The families to try for each class; every pair is fitted. "auto" stands for
        truncated normal and gamma. See :mod:`sklearn_spe.families`.
    combine : {"average", "evidence", "likelihood"}, default="average"
        What becomes of several pairs. "average" weighs them by their evidence, "evidence"
        takes the one with the most, "likelihood" the one with the largest likelihood (the
        rule of [1]_).
    score_scale : {"auto", "unit", "identity"} or transformer, default="auto"
        The increasing map to the scale on which families live. "auto" takes the logit of
        scores that look like probabilities and standardises; "unit" maps to (0, 1], as [1]_.
    method : {"importance"}, default="importance"
        How the posterior is explored.
    proposal : {"adaptive", "diagonal"}, default="adaptive"
        "adaptive" fits a mixture of Student densities to several modes and to its own
        weights. "diagonal" is that of [1]_, a normal with independent coordinates around
        one mode: faster, and too narrow if parameters are correlated.
    prevalence_prior : pair of float, default=(1.0, 1.0)
        The parameters of the Beta prior of the prevalence.
    n_draws : int, default=1000
        Draws from the posterior of each pair of families; the adaptive proposal takes at
        least 25.
    classes : array-like of shape (2,), default=None
        The two classes, needed if `y` does not name both. If -1 is one of them it does not
        mark unlabelled items any more; missing values always do.
    pos_label : object, default=None
        The positive class; None means 1 for {0, 1} and {-1, 1}, True for booleans.
    unlabeled_label : object, default=-1
        What marks an unlabelled item in `y`, beside NaN, None and ``pd.NA``.
    n_jobs : int, default=None
        Workers over pairs of families and starts. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible.
    verbose : int, default=0
        If positive, each pair's evidence is printed after the fit.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    labels_ : BinaryLabels
        Which class is positive, and what marks an unlabelled item.
    prevalence_ : ScalarEstimate
        The prevalence of the positive class in the population.
    posterior_ : MixturePosterior
        Weighted draws of the parameters.
    comparison_ : Comparison
        The pairs of families side by side.
    score_scale_ : ScoreScale
        The map to the model scale.
    ess_ : float
        Kish's effective number of draws.
    pareto_k_ : float
        k-hat of the importance weights: above 0.7 they should not be trusted.

    Warns
    -----
    FewLabelsWarning
        If no item is labelled, or those that are belong to one class.
    InvertedScoresWarning
        If the labelled positives score lower than the labelled negatives.
    SamplingWarning
        If fewer than 100 draws are effective or k-hat is above 0.7.

    See Also
    --------
    PerformanceCurveEstimator : Performance curves with bands, from this mixture.

    Notes
    -----
    The priors, in units of the mean and standard deviation of all scores on the model scale:
    a class's mean is normal(0, 3), its standard deviation gamma with shape 2 and mean 1;
    positives score higher. Pass instances of families to change
    them. A tie that holds many items enters by the probability of the interval for which it stands.

    References
    ----------
    .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration." CVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import SemisupervisedScoreMixture
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.full(500, -1)
    >>> y[:20] = labels[:20]
    >>> mixture = SemisupervisedScoreMixture(n_draws=500, random_state=0).fit(scores, y)
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
        prevalence_prior=(1.0, 1.0),
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
        self.prevalence_prior = prevalence_prior
        self.n_draws = n_draws
        self.classes = classes
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y=None, sample_weight=None):
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

        Returns
        -------
        self : SemisupervisedScoreMixture
        """
        prior, pairs = self._check_parameters()
        entropy = seed_entropy(self.random_state)
        labels, sample = self._read_sample(X, y, sample_weight)
        self._warn_of_labels(sample)
        scale = learn_scale(sample, self.score_scale)
        model_sample = scale.apply(sample).grouped(FINEST_CELLS)
        comparison, posterior = compare(
            [mixture_for(*pair, scale, prior) for pair in pairs],
            scale,
            sample,
            model_sample,
            combine=self.combine,
            proposal=self.proposal,
            n_draws=self.n_draws,
            entropy=entropy,
            n_jobs=self.n_jobs,
        )
        # Nothing is set before everything is known: a fit that fails changes nothing.
        self.labels_, self.classes_ = labels, labels.classes
        self.score_scale_, self.comparison_, self.posterior_ = scale, comparison, posterior
        self.ess_ = self.posterior_.ess
        self.pareto_k_ = self.posterior_.pareto_k
        self.prevalence_ = self.posterior_.prevalence()
        self._warn_of_posterior()
        if self.verbose:
            print(self.comparison_.describe())
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
        negative, positive = self.posterior_.log_predictive(scores)
        return np.logaddexp(negative, positive)

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
        scores = self._read_scores(X)
        negative, positive = self.posterior_.log_predictive(scores)
        codes = self.labels_.codes(y, len(scores))
        log_density = np.select(
            [codes == 0, codes == 1], [negative, positive], np.logaddexp(negative, positive)
        )
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
        check_is_fitted(self)
        check_count(n_samples, "n_samples")
        rng = spawn(seed_entropy(random_state))
        points, labels = self.posterior_.rvs(rng, n_samples)
        return self.score_scale_.inverse_transform(points), self.labels_.decode(labels)

    def _check_parameters(self):
        check_count(self.n_draws, "n_draws")
        for name, choices in (
            ("combine", tuple(COMBINE)),
            ("method", METHODS),
            ("proposal", PROPOSALS),
        ):
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}.")
        if np.shape(self.prevalence_prior) != (2,):
            raise ValueError(
                f"prevalence_prior must be the two parameters of a Beta density, got "
                f"{self.prevalence_prior!r}."
            )
        a, b = (check_number(v, "prevalence_prior", "(0, inf)") for v in self.prevalence_prior)
        pairs = itertools.product(as_families(self.negative), as_families(self.positive))
        return BetaPrior(a, b), list(pairs)

    def _read_sample(self, X, y, sample_weight) -> tuple[BinaryLabels, ScoreSample]:
        # Labels first: scikit-learn's helpers raise on missing ones, or take -1 for a class.
        labels = BinaryLabels.learn(
            y,
            classes=self.classes,
            pos_label=self.pos_label,
            unlabeled_label=self.unlabeled_label,
        )
        scores = check_scores(self, X, reset=True, positive=labels.positive)
        codes = labels.codes(y, len(scores))
        weights = check_frequencies(sample_weight, len(scores))
        return labels, ScoreSample.from_items(scores, codes, weights)

    def _read_scores(self, X):
        check_is_fitted(self, "posterior_")
        return check_scores(self, X, reset=False, positive=self.labels_.positive)

    def _warn_of_labels(self, sample):
        n_negative, n_positive = sample.negative.sum(), sample.positive.sum()
        if n_negative and n_positive:
            self._warn_of_order(sample, n_negative, n_positive)
            return
        got = "No item is labelled" if not sample.n_labeled else "Only one class is labelled"
        warnings.warn(
            f"{got} ({n_negative:g} negative, {n_positive:g} positive): the families and the prior "
            f"that positives score higher decide. Label some items of both classes.",
            FewLabelsWarning,
            stacklevel=3,
        )

    @staticmethod
    def _warn_of_order(sample, n_negative, n_positive):
        """Warn if the rank sum test says that labelled positives score lower."""
        below = np.cumsum(sample.negative) - sample.negative / 2.0
        auc = (sample.positive @ below) / (n_negative * n_positive)
        error = np.sqrt((n_negative + n_positive + 1.0) / (12.0 * n_negative * n_positive))
        if auc < 0.5 - SIGNIFICANT * error:
            warnings.warn(
                f"Positives score lower than negatives: of all labelled pairs the positive has the "
                f"higher score in {auc:.0%}. The prior says that positives score higher, and the "
                f"estimates are of no use. If larger scores mean negative, pass -scores; else "
                f"check pos_label and the labels.",
                InvertedScoresWarning,
                stacklevel=4,
            )

    def _warn_of_posterior(self):
        if self.ess_ < LEAST_ESS or self.pareto_k_ > LARGEST_K:
            warnings.warn(
                f"The draws stand badly for the posterior (effective sample size {self.ess_:.0f}, "
                f"k-hat {self.pareto_k_:.2f}); bands may be off. Use proposal='adaptive', more "
                f"n_draws, or other families.",
                SamplingWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        return tags
