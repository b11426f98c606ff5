"""MeanEstimator: the mean of labels that are numbers, of which a few are known."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._documentation import DocumentationLink
from ..inputs._alignment import check_aligned
from ..inputs._numbers import check_count, check_number
from ..inputs._partition import Partition
from ..inputs._random_state import seed_entropy, spawn
from ..results._bands import ScalarEstimate
from ..results._estimate_table import EstimateTable
from ._confusion import confusion_draws
from ._label_values import LabelValues
from ._mean_draws import mean_draws
from ._mean_input import read_chances, read_labels, read_proxies, read_range
from ._mean_sample import MeanSample

__all__ = ["MeanEstimator"]

# More draws than these only take time.
MOST_DRAWS = 1_000_000


class MeanEstimator(DocumentationLink, BaseEstimator):
    r"""Mean of labels that are numbers, on a data set of which a few items are labelled.

    People grade fifty answers from 1 to 5, a language model grades all 2,000; a few samples are
    measured, a cheap test is done on all. What is cheap is a *proxy*: on any scale, biased as it
    may be, even worthless. Labels of few values (passed or failed, grades) are counted for each
    value of a proxy of few values, and intervals are those of the posterior of these counts.
    Other labels are estimated given the proxies by regressions of several kinds, weighted by their
    evidence; the residuals of the labelled items correct the mean of what is predicted, as in
    prediction-powered inference [1]_ and survey sampling's difference estimator [2]_. Intervals
    rest on how labels were drawn, not on the regression being true. Where all labels agree with a
    proxy the interval still has a width: n of n leave room for about 2 / n that do not.

    Parameters
    ----------
    label_range : (float, float), default=None
        The least and the greatest label that there can be, such as ``(1, 5)``: intervals then end
        at what is possible. Between whole numbers labels are taken for grades, if there are at
        most ten.
    confidence_level : float in (0, 1), default=0.9
        The level of intervals when none is asked for.
    n_draws : int, default=4000
        Draws that intervals are counted from.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible.

    Attributes
    ----------
    draws_ : ndarray of shape (n_draws, 1 + n_categories)
        Draws of the mean of all items, and of each category.
    categories_ : ndarray of shape (n_categories,) or None
        The names of the categories.
    n_labels_ : int
        How many items are labelled.
    proxies_ : tuple
        What each column of X is called.
    seed_ : int
        From which draws are made.

    See Also
    --------
    PerformanceCurveEstimator : Labels of two classes, and more than their mean.

    Notes
    -----
    The items to be labelled must be drawn at random, or with known chances (`inclusion_proba`).
    Where labels are skewed so that rare items make up much of the mean, twenty labels may hold
    none of these, and no interval made of the labels can know it: see :doc:`/user_guide/means`.

    References
    ----------
    .. [1] A. Angelopoulos, S. Bates, C. Fannjiang, M. Jordan, T. Zrnic. "Prediction-powered
       inference." Science 382, 669-674 (2023).
    .. [2] C. Sarndal, B. Swensson, J. Wretman. "Model assisted survey sampling." Springer, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import MeanEstimator
    >>> rng = np.random.default_rng(0)
    >>> grades = np.clip(np.round(rng.normal(3.5, 1.0, 2000)), 1, 5)
    >>> judge = grades + rng.normal(0.5, 0.7, 2000)  # too kind, by half a grade
    >>> people = np.where(np.arange(2000) < 50, grades, np.nan)
    >>> mean = MeanEstimator(label_range=(1, 5), random_state=0).fit(judge, people).estimate()
    >>> low, high = mean.interval()
    >>> bool(low < grades.mean() < high < judge.mean())
    True
    """

    def __init__(self, *, label_range=None, confidence_level=0.9, n_draws=4000, random_state=None):
        self.label_range = label_range
        self.confidence_level = confidence_level
        self.n_draws = n_draws
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, *, category=None, groups=None, inclusion_proba=None):
        """Learn what proxies tell of the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, n_proxies), or None
            Proxies: scores of judges, or any numbers that may tell of the label. NaN, None or
            ``pd.NA`` where nothing is said. None: there are no proxies.
        y : array-like of shape (n_samples,)
            Labels; NaN, None or ``pd.NA`` where there is none. -1 is a number like others.
        category : array-like of shape (n_samples,), default=None
            The subgroup of each item, by a name or whole number: a system, a country, a month.
            Proxies may err in each in its own way.
        groups : array-like of shape (n_samples,), default=None
            Which items belong together (prompts, patients): they are no independent evidence.
        inclusion_proba : array-like of shape (n_samples,), default=None
            The known chance of each item to be labelled, whether it is or not. None says that all
            had the same.

        Returns
        -------
        self : MeanEstimator

        Raises
        ------
        ValueError
            If inputs have different indexes of pandas, fewer than 5 items are labelled, all labels
            are equal and neither the proxy nor `label_range` names another, a proxy says one thing
            only or nothing of any labelled item, numbers are infinite, or labels contradict
            `inclusion_proba` beyond chance.
        """
        check_number(self.confidence_level, "confidence_level", "(0, 1)")
        n_draws = check_count(self.n_draws, "n_draws")
        if n_draws > MOST_DRAWS:
            raise ValueError(f"n_draws must be at most {MOST_DRAWS:,}, got {n_draws}.")
        seed = seed_entropy(self.random_state)
        check_aligned(X=X, y=y, category=category, groups=groups, inclusion_proba=inclusion_proba)
        labels = read_labels(y)
        proxies = read_proxies(self, X, labels)
        n_items = len(labels)
        if category is not None:
            category = Partition.read(category, "category", n_items)
        units = np.arange(n_items)
        if groups is not None:
            units = Partition.read(groups, "groups", n_items).codes
        low, high = read_range(self.label_range, labels)
        cells = LabelValues.of(labels, proxies.values, low, high)
        chances = read_chances(inclusion_proba, labels, units, may_be_equal=cells is not None)
        # Squares of very large labels are infinite; a power of two rounds nothing.
        unit = 2.0 ** np.frexp(np.nanmax(np.abs(labels), initial=0.0))[1]
        drawn = labels / unit, chances, category, units
        if cells is not None:
            cells = replace(cells, values=cells.values / unit)
            draws = confusion_draws(cells, *drawn, n_draws, spawn(seed, 0))
        else:
            known = np.flatnonzero(~np.isnan(labels))
            sample = MeanSample.of(proxies.blocks(known), *drawn)
            same = (proxies.values[known] == labels[known, np.newaxis]).any(axis=1)
            draws = mean_draws(sample, same, n_draws, spawn(seed, 0))
            draws = np.clip(draws, *sample.possible(low / unit, high / unit))
        self.draws_ = unit * draws
        self.categories_ = None if category is None else category.names
        self.n_labels_ = int((~np.isnan(labels)).sum())
        self.proxies_ = proxies.names
        self.seed_ = seed
        return self

    def estimate(self, *, category=None) -> ScalarEstimate:
        """Return the mean label of all items, or of a category.

        Parameters
        ----------
        category : object, default=None
            Its name.

        Returns
        -------
        estimate : ScalarEstimate
            Of kind "design". Those of one fit may be subtracted.

        Raises
        ------
        ValueError
            If there is no such category.
        """
        check_is_fitted(self, "draws_")
        place = 0
        if category is not None:
            place = 1 + self._categories().number_of(category)
        draws = self.draws_[:, place]
        digest = blake2b(self.draws_.tobytes(), digest_size=8).hexdigest()
        return ScalarEstimate.from_draws(
            "mean",
            draws,
            np.ones(len(draws)),
            confidence_level=self.confidence_level,
            kind="design",
            origin=f"mean-{digest}",
        )

    def by_category(self) -> EstimateTable:
        """Return the mean label of each category.

        Returns
        -------
        table : EstimateTable

        Raises
        ------
        ValueError
            If there are no categories.
        """
        check_is_fitted(self, "draws_")
        names = self._categories().names.tolist()
        found = [self.estimate(category=name) for name in names]
        return EstimateTable(tuple(map(str, names)), tuple(found))

    def difference(self, a, b) -> ScalarEstimate:
        """Return the mean label of one category less that of another.

        Parameters
        ----------
        a, b : object
            Their names.

        Returns
        -------
        difference : ScalarEstimate
            With all that errors of both have in common; ``probability_above(0.0)`` says how
            probable it is that the first is larger.

        Raises
        ------
        ValueError
            If there is no such category.
        """
        difference = self.estimate(category=a) - self.estimate(category=b)
        return replace(difference, name=f"mean of {a} less that of {b}")

    def _categories(self) -> Partition:
        if self.categories_ is None:
            raise ValueError("There are no categories: pass category= to fit, one for each item.")
        return Partition(self.categories_, np.arange(len(self.categories_)), "category")
