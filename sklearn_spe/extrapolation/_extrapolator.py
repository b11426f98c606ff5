"""AccuracyExtrapolator: the accuracy with more classes than were tried."""

from __future__ import annotations

from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from .._documentation import DocumentationLink
from ..inputs._numbers import check_count, check_jobs, check_number
from ..inputs._random_state import seed_entropy, spawn
from ..results._verdict import warn_of
from ._accuracy_questions import AccuracyQuestions
from ._accuracy_verdict import pilot_verdict
from ._pilot import Pilot
from ._resampling import fit_model, resampled_models
from ._seeds import Place
from ._uncertainty import UncertainModel
from .methods._registry import as_method

__all__ = ["AccuracyExtrapolator", "fit_together"]

# More resamples than these only take time.
MOST_RESAMPLES = 100_000


class AccuracyExtrapolator(AccuracyQuestions, DocumentationLink, BaseEstimator):
    r"""Accuracy of a classifier with more classes than it was tried on.

    A pilot has a hundred classes, the product will have two thousand. If classes are drawn from
    one population, and the score of a class depends on that class alone, then the average
    accuracy with k classes is

    .. math::
        AGA_k = E[U^{k - 1}] = 1 - (k - 1) \int_0^1 \bar D(u) u^{k - 2} du,

    where U, the conditional accuracy of an item, is the probability that a random wrong class
    scores below its true one, and :math:`\bar D` is the distribution function of U (theorem 4.1
    of [1]_). Up to the classes that were tried the accuracy is known exactly from the ranks;
    beyond, the law of U is estimated.

    Parameters
    ----------
    method : str or Method, default="auto"
        How the law of U is estimated: "moment" (the paper's splines), "classexreg" and "probit"
        see the ranks of the true classes; "kde" and "scores" see the scores; "blend" is the mean
        of "scores", "classexreg" and "probit". "auto" is the best in simulations, "blend".
        Methods with options are in :mod:`sklearn_spe.extrapolation`.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of `X`, such as the classifier's `classes_`. None takes the names
        of the columns of a data frame, of any type, if `y` holds no other label, else the sorted
        classes of `y`, which must then hold each of them.
    average : {"macro", "micro"}, default="macro"
        What an average is over if some classes have more items than others: classes, or items
        (see :func:`average_accuracy_curve`).
    confidence_level : float in (0, 1), default=0.9
        The level of bands when none is asked for.
    n_bootstrap : int, default=30
        How often classes are resampled for the bands; 0 for none, which is much faster.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible.
    n_jobs : int, default=None
        Workers over resamples. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class of each column.
    n_classes_ : int
        How many classes were tried.
    n_features_in_ : int
        The same.
    feature_names_in_ : ndarray of shape (n_classes,)
        The names of the columns of a data frame.
    wins_histogram_ : ndarray of shape (n_classes,)
        The share of the items whose true class outscores 0, 1, ... all wrong ones. All that
        methods of ranks depend on.
    accuracy_curve_ : ndarray of shape (n_classes,)
        The average accuracy with 1, 2, ... all classes that were tried.
    D_ : callable
        The distribution function of U, :math:`\bar D(u)`.
    asymptotic_accuracy_ : float
        The limit of the accuracy for ever more classes: a property of the law that was fitted,
        without a band, and nothing to report.
    n_items_ : float
        How many test items of equal weight those of the pilot are worth.
    n_errors_ : float
        How many items are not recognised among all classes; a tie counts in part.
    method_ : Method
        The method that was used.
    model_ : AccuracyModel
        The accuracy for any number of classes.
    uncertain_model_ : UncertainModel or None
        It and the models of resampled classes, which the bands are made of.
    verdict_ : Verdict
        "ok", or "unidentified" or "misfit" with reasons: "few_classes", "few_errors", "ties" and
        "few_winners", or "no_order", "law_contradicted" and "no_law".
    seed_ : int
        From which all random numbers come: the same question gets the same answer.

    See Also
    --------
    average_accuracy_curve : The exact part alone.
    AccuracyComparison : Two classifiers side by side.
    ClassifierAccuracyExtrapolator : Fits a classifier, and tries it on fewer classes.
    sklearn_spe.display.AccuracyExtrapolationDisplay : Draws the curve.

    Notes
    -----
    The accuracy is that with as many training items a class as in the pilot. The score of a class
    must depend on its own training items alone, as in naive Bayes, quadratic discriminants,
    nearest centroids and one nearest neighbour, scored by its distances; for other classifiers see
    :class:`ClassifierAccuracyExtrapolator`. Items must not be those that it was trained on, and
    votes, hard decisions and rounded scores make the prediction too high. Classes of the pilot
    must be a random sample of all: a hundred well-known faces say nothing about two thousand
    strangers.

    Classes are resampled, with their items and columns; no variance is below that of counting the
    errors of the pilot, as if items were independent: where few err, keep one of each group of
    items that are nearly the same. A doubt of the method grows with the logarithm of the number of
    classes. The upper end of a band does not rise with it at fixed numbers of classes, each a
    quarter above the one before; between them it may, by about 0.001. Beyond 25 times the classes
    of the pilot every method is biased on some problems: bands are wider there, and a
    :class:`~sklearn_spe.exceptions.FarExtrapolationWarning` says so.

    References
    ----------
    .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.datasets import GaussianClasses, make_recognition_scores
    >>> task = GaussianClasses(noise=0.4)
    >>> X, y = make_recognition_scores(100, task=task, n_test=5, random_state=0)
    >>> extrapolator = AccuracyExtrapolator(n_bootstrap=3, random_state=0).fit(X, y)
    >>> extrapolator.predict([100, 1000]).round(2), task.accuracy([100, 1000]).round(2)
    (array([..., ...]), array([..., ...]))
    >>> low, high = extrapolator.estimate(1000).interval()
    >>> bool(low < task.accuracy(1000) < high)
    True
    """

    def __init__(
        self,
        method="auto",
        *,
        classes=None,
        average="macro",
        confidence_level=0.9,
        n_bootstrap=30,
        random_state=None,
        n_jobs=None,
    ):
        self.method = method
        self.classes = classes
        self.average = average
        self.confidence_level = confidence_level
        self.n_bootstrap = n_bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Estimate the law of the conditional accuracy.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            The score of each class for each test item, larger for more likely. ``-inf`` is
            allowed. A square table cannot be told from a transposed one.
        y : array-like of shape (n_samples,)
            The true classes, in the order of the rows of `X`; an index of pandas is not looked at.
        sample_weight : array-like of shape (n_samples,), default=None
            How much of the population each item stands for; only ratios matter.

        Returns
        -------
        self : AccuracyExtrapolator

        Raises
        ------
        ValueError
            If shapes do not fit together, a score is NaN or ``+inf``, a label is the class of no
            column, or a parameter is out of range.
        """
        fit_together((self,), (X,), y, sample_weight)
        warn_of(self.verdict_, stacklevel=2)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @property
    def _confidence_level(self):
        return self.confidence_level


def fit_together(extrapolators, tables, y, sample_weight=None) -> None:
    """Fit extrapolators of classifiers to the same classes, which are resampled together.

    Nothing is set before all is checked, and nothing is warned of.
    """
    first = extrapolators[0]
    check_number(first.confidence_level, "confidence_level", "(0, 1)")
    check_count(first.n_bootstrap, "n_bootstrap", 0)
    check_jobs(first.n_jobs)
    if first.n_bootstrap == 1:
        raise ValueError("n_bootstrap must be 0, for no bands, or at least 2; got 1.")
    if first.n_bootstrap > MOST_RESAMPLES:
        raise ValueError(
            f"n_bootstrap must be at most {MOST_RESAMPLES:,}, got {first.n_bootstrap}; a few "
            f"hundred are enough for a band."
        )
    method = as_method(first.method)
    pilots = [Pilot.of(table, y, first.classes, sample_weight, first.average) for table in tables]
    seed = seed_entropy(first.random_state)
    resampled = [()] * len(pilots)
    if first.n_bootstrap:
        models = resampled_models(pilots, method, first.n_bootstrap, seed, first.n_jobs)
        resampled = list(zip(*models, strict=True))
    for extrapolator, table, pilot, others in zip(
        extrapolators, tables, pilots, resampled, strict=True
    ):
        # Sets the number and the names of the columns.
        validate_data(extrapolator, table, skip_check_array=True)
        extrapolator.method_, extrapolator.seed_ = method, seed
        _learn(extrapolator, pilot, others)


def _learn(extrapolator, pilot, resampled) -> None:
    """Set what a pilot and its resamples tell."""
    model = fit_model(pilot, extrapolator.method_, spawn(extrapolator.seed_, Place.METHOD))
    extrapolator.classes_ = pilot.classes
    extrapolator.n_classes_ = pilot.n_classes
    extrapolator.n_items_ = pilot.effective_items
    extrapolator.n_errors_ = pilot.n_errors
    extrapolator.wins_histogram_ = pilot.histogram
    extrapolator.accuracy_curve_ = model.curve
    extrapolator.model_ = model
    extrapolator.uncertain_model_ = (
        UncertainModel(model, resampled, pilot.effective_items) if resampled else None
    )
    extrapolator.verdict_ = pilot_verdict(model, pilot)
