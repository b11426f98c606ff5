"""MeanEstimator: the mean of numeric labels, of which a few are known."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..data._item_data import read_partitions
from ..inputs._frames import read_column, read_frame
from ..inputs._groups import Partition
from ..inputs._scores import DocumentationLink
from ..inputs._validation import (
    check_aligned,
    check_draws,
    check_number,
    check_target,
    seed_entropy,
    spawn,
)
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ..results._part_reasons import unlabeled_part
from ..results._tables import EstimateTable, remarks_on_parts
from ..results._verdict import Reason, Verdict
from ._confusion import LabelValues, confusion_draws
from ._mean_input import (
    features_of,
    read_inclusion_proba,
    read_labels,
    read_proxies,
    read_range,
)
from ._mean_model import MeanSample, mean_draws

# More draws than these only cost time.
MAX_DRAWS = 1_000_000


class MeanEstimator(DocumentationLink, BaseEstimator):
    r"""Mean of numeric labels on a data set of which a few items are labeled.

    For example, people grade fifty answers from 1 to 5 and a language model grades all 2,000; or a
    few samples are measured and a cheap test is done on all. The cheap variable is a *proxy*: it
    may have any scale, be biased or even uninformative. Labels with few values (passed or failed,
    grades) are counted for each value of a proxy with few values, and intervals are those of the
    posterior of these counts. Other labels are predicted from the proxies by several regressions,
    weighted by their evidence; the residuals of the labeled items correct the mean of the
    predictions, as in prediction-powered inference [1]_ and the difference estimator of survey
    sampling [2]_. The validity of intervals depends on how labels were drawn, not on the regression
    being correct. Where all n labels agree with a proxy, the interval still has positive width: a
    share of about 2 / n may disagree.

    .. versionadded:: 0.1

    Parameters
    ----------
    target : {"sample", "population"}, default="sample"
        "sample": the mean of these items; known labels are kept, missing ones are predicted, and no
        uncertainty is left once all are labeled. "population": the mean of the distribution that
        the items are drawn from, such as further runs of a test, further questions or users. With
        `groups` it consists of further groups.
    label_range : (float, float), default=None
        The smallest and the largest possible label, such as ``(1, 5)``, which also bound intervals.
        Whole numbers mean grades if there are at most ten of them.
    confidence_level : float in (0, 1), default=0.9
        The default level of intervals.
    n_draws : int, default=1000
        Number of draws from which intervals are computed.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible.

    Attributes
    ----------
    draws_ : ndarray of shape (n_draws, 1 + n_categories)
        Draws of the mean of all items, and of each category.
    categories_ : ndarray of shape (n_categories,) or None
        The names of the categories.
    n_labels_ : int
        How many items are labeled.
    n_items_ : ndarray of shape (1 + n_categories,)
        How many items there are, of all and of each category.
    proxies_ : tuple
        The name of each column of X.
    seed_ : int
        The seed of the draws.

    See Also
    --------
    PerformanceCurveEstimator : Performance metrics from labels of two classes.

    Notes
    -----
    The labeled items must be drawn at random, or with known inclusion probabilities
    (`inclusion_proba`). Where labels are so skewed that rare items make up much of the mean, twenty
    labels may contain none of these, and no interval based on the labels can account for it: see
    :doc:`/user_guide/means`. The mean of a category is estimated from its own labels, and that of
    all items from all labels: weighted by the sizes of the categories they agree up to what each
    prior adds, not draw by draw.

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

    def __init__(
        self,
        *,
        target: str = "sample",
        label_range: Any = None,
        confidence_level: float = 0.9,
        n_draws: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.target = target
        self.label_range = label_range
        self.confidence_level = confidence_level
        self.n_draws = n_draws
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        category: Any = None,
        groups: Any = None,
        inclusion_proba: ArrayLike | None = None,
    ) -> Self:
        """Fit the mean of the labels, using the proxies as predictors.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, n_proxies), or None
            Proxies: scores of judges, or any numbers that may predict the label. NaN, None or
            ``pd.NA`` where missing. None if there are no proxies.
        y : array-like of shape (n_samples,)
            Labels; NaN, None or ``pd.NA`` where there is none. -1 is a number like others.
        category : array-like of shape (n_samples,), default=None
            The subgroup of each item, by a name or whole number: a system, a country, a month.
            Proxies may err in each in its own way.
        groups : array-like of shape (n_samples,), default=None
            Which items belong together (prompts, patients) and are not independent.
        inclusion_proba : array-like of shape (n_samples,), default=None
            The known inclusion probability of each item, labeled or not. None means that all are
            equal.

        Returns
        -------
        self : MeanEstimator

        Raises
        ------
        ValueError
            If inputs have different pandas indexes, fewer than 5 items are labeled, all labels are
            equal and neither the proxy nor `label_range` has another value, a proxy is constant or
            missing for all labeled items, numbers are infinite, or labels contradict
            `inclusion_proba` significantly.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import MeanEstimator
        >>> rng = np.random.default_rng(0)
        >>> grades = rng.integers(1, 6, 300)
        >>> model, school = grades + rng.normal(0.5, 0.7, 300), np.arange(300) % 2
        >>> y = np.where(np.arange(300) < 60, grades, np.nan)
        >>> means = MeanEstimator(label_range=(1, 5), n_draws=500, random_state=0)
        >>> means.fit(model, y).n_labels_
        60
        """
        check_target(self.target)
        check_number(self.confidence_level, "confidence_level", "(0, 1)")
        n_draws = check_draws(self.n_draws)
        if n_draws > MAX_DRAWS:
            raise ValueError(f"n_draws must be at most {MAX_DRAWS:,}, got {n_draws}.")
        seed = seed_entropy(self.random_state)
        X, y = read_frame(X, "X"), read_column(y, "y")
        category, groups = read_column(category, "category"), read_column(groups, "groups")
        inclusion_proba = read_column(inclusion_proba, "inclusion_proba")
        check_aligned(X=X, y=y, category=category, groups=groups, inclusion_proba=inclusion_proba)
        labels = read_labels(y)
        names, proxies = read_proxies(self, X, labels)
        category, groups = read_partitions(category, groups, len(labels))
        units = np.arange(len(labels)) if groups is None else groups.codes
        low, high = read_range(self.label_range, labels)

        of_population = self.target == "population"
        known = ~np.isnan(labels)
        if of_population and known.all():
            # Proxies are of no use where no label is missing.
            proxies = proxies[:, :0]
        cells = LabelValues.of(labels, proxies, low, high)
        if cells is None and known.any() and np.ptp(labels[known]) == 0.0:
            # Proxies cannot be related to equal labels, which may be counted alone.
            cells = LabelValues.of(labels, proxies[:, :0], low, high)
        chances = read_inclusion_proba(
            inclusion_proba,
            labels,
            units,
            may_be_equal=cells is not None,
            of_population=of_population,
        )

        # Squares of very large labels overflow; scaling by a power of two is exact.
        unit = 2.0 ** np.frexp(np.nanmax(np.abs(labels), initial=0.0))[1]
        drawn = labels / unit, chances, category, units
        rng = spawn(seed, 0)
        if cells is not None:
            scaled = replace(cells, values=cells.values / unit)
            draws = confusion_draws(scaled, *drawn, n_draws, rng, of_population=of_population)
        else:
            features = features_of(proxies, np.flatnonzero(known))
            sample = MeanSample.of(features, *drawn, of_population=of_population)
            agrees = (proxies[known] == labels[known, np.newaxis]).any(axis=1)
            draws = mean_draws(sample, agrees, n_draws, rng)
            draws = np.clip(draws, *sample.possible(low / unit, high / unit))

        self.draws_ = unit * draws
        self.categories_: Any = None if category is None else category.names
        self._unlabeled = _categories_without_labels(category, labels)
        self.n_labels_ = int(known.sum())
        self.n_items_ = _sizes(category, len(labels))
        self.proxies_ = names
        self.seed_ = seed
        self._of_population = of_population
        self._edges = _edges(cells, labels, category)
        return self

    def estimate(self, *, category: Any = None) -> ScalarEstimate:
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
            If the category does not exist.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import MeanEstimator
        >>> rng = np.random.default_rng(0)
        >>> grades = rng.integers(1, 6, 300)
        >>> model, school = grades + rng.normal(0.5, 0.7, 300), np.arange(300) % 2
        >>> y = np.where(np.arange(300) < 60, grades, np.nan)
        >>> means = MeanEstimator(label_range=(1, 5), n_draws=500, random_state=0)
        >>> means = means.fit(model, y, category=school)
        >>> low, high = means.estimate(category=1).interval()
        >>> bool(1.0 <= low < high <= 5.0)
        True
        """
        check_is_fitted(self, "draws_")
        place = 0
        if category is not None:
            place = 1 + self._categories().number_of(category)
        draws = self.draws_[:, [place]]
        distribution = WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws)))
        if not distribution.is_constant:
            distribution = distribution.reaching(self._edges[[place]], of_one_class=True)
        digest = blake2b(self.draws_.tobytes(), digest_size=8).hexdigest()
        return ScalarEstimate(
            "mean",
            distribution,
            self.confidence_level,
            kind="design",
            origin=f"mean-{digest}",
            verdict=Verdict(self._unlabeled.get(place - 1, ())),
            n_items=None if self._of_population else float(self.n_items_[place]),
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

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import MeanEstimator
        >>> rng = np.random.default_rng(0)
        >>> grades = rng.integers(1, 6, 300)
        >>> model, school = grades + rng.normal(0.5, 0.7, 300), np.arange(300) % 2
        >>> y = np.where(np.arange(300) < 60, grades, np.nan)
        >>> means = MeanEstimator(label_range=(1, 5), n_draws=500, random_state=0)
        >>> means = means.fit(model, y, category=school)
        >>> means.by_category().names
        ('0', '1')
        """
        check_is_fitted(self, "draws_")
        names = self._categories().names.tolist()
        found = [self.estimate(category=name) for name in names]
        table = EstimateTable(tuple(map(str, names)), tuple(found))
        return replace(table, remarks=remarks_on_parts(table))

    def difference(self, a: Any, b: Any) -> ScalarEstimate:
        """Return the mean label of one category minus that of another.

        Parameters
        ----------
        a, b : object
            Their names.

        Returns
        -------
        difference : ScalarEstimate
            From paired draws, so that errors common to both cancel; ``probability_above(0.0)`` is
            the probability that the first is larger.

        Raises
        ------
        ValueError
            If the category does not exist.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import MeanEstimator
        >>> rng = np.random.default_rng(0)
        >>> grades = rng.integers(1, 6, 300)
        >>> model, school = grades + rng.normal(0.5, 0.7, 300), np.arange(300) % 2
        >>> y = np.where(np.arange(300) < 60, grades, np.nan)
        >>> means = MeanEstimator(label_range=(1, 5), n_draws=500, random_state=0)
        >>> means = means.fit(model, y, category=school)
        >>> low, high = means.difference(0, 1).interval()
        >>> bool(low < high)
        True
        """
        difference = self.estimate(category=a) - self.estimate(category=b)
        return replace(difference, name=f"mean of {a} less that of {b}")

    def _categories(self) -> Partition:
        if self.categories_ is None:
            raise ValueError(
                "by_category and difference need categories: pass category= to fit, one for each "
                "item."
            )
        return Partition(self.categories_, np.arange(len(self.categories_)), "category")


def _categories_without_labels(
    category: Partition | None, labels: np.ndarray
) -> dict[int, tuple[Reason]]:
    """Return the reason about each category without labels, by its index."""
    if category is None:
        return {}
    n_items = np.bincount(category.codes, minlength=category.n_parts)
    n_labeled = np.bincount(category.codes[~np.isnan(labels)], minlength=category.n_parts)
    names = category.names.tolist()
    return {
        int(part): (unlabeled_part(float(n_items[part]), category=names[part]),)
        for part in np.flatnonzero(n_labeled == 0)
    }


def _sizes(category: Partition | None, n_items: int) -> np.ndarray:
    """Return the number of items, of all and of each category."""
    if category is None:
        return np.array([n_items])
    return np.array([n_items, *np.bincount(category.codes, minlength=category.n_parts)])


def _edges(cells: LabelValues | None, labels: np.ndarray, category: Partition | None) -> np.ndarray:
    """Return the end of the range that all labels of a part have, NaN if there is none.

    Of all items and of each category, (n_parts,): these labels do not rule out that all others are
    equal to them. Labels that are not counted have no range.
    """
    parts = [labels]
    if category is not None:
        parts += [labels[category.codes == k] for k in range(category.n_parts)]
    edges = np.full(len(parts), np.nan)
    if cells is None:
        return edges
    for k, part in enumerate(parts):
        known = part[~np.isnan(part)]
        if len(known) and known.min() == known.max() and known[0] in cells.values[[0, -1]]:
            edges[k] = known[0]
    return edges
