"""MeanEstimator: the mean of numeric labels, of which a few are known."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..data._item_data import ItemData
from ..data._kinds import OUTCOMES
from ..data._outcomes import read_label_range
from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._score_mixture import new_mixture
from ..inputs._arrays import ColumnLike, RandomState
from ..inputs._groups import Partition
from ..inputs._labels import UNLABELED
from ..inputs._validation import check_draws, check_number, check_target, seed_entropy
from ..models._fit_items import fit_items
from ..results._estimates import ScalarEstimate
from ..results._tables import EstimateTable, remarks_on_parts
from ..results._verdict import warn_of
from ._counted_means import CountedMeans
from ._outcome_means import OutcomeAnswers, sizes_of_parts
from ._repeated_tasks import RepeatedTasks

# More draws than these only cost time.
MAX_DRAWS = 1_000_000
# The metric that is the mean of labels 0 and 1.
PREVALENCE = "prevalence"


class MeanEstimator(BaseEstimator):
    r"""Mean of numeric labels on a data set of which a few items are labeled.

    For example, people grade fifty answers from 1 to 5 and a language model grades all 2,000
    answers. Or a few samples are measured exactly and all by a cheap test. The cheap variable is a
    *proxy*. It may have any scale, and may be biased or uninformative.

    Labels 0 and 1 are a rate. The result equals ``estimate("prevalence")`` of
    :class:`PerformanceCurveEstimator` with the proxy as score; several proxies, or one with missing
    values, are passed as `judges`.

    If labels and proxy are grades (few values), labels are counted for each value of the proxy, and
    intervals come from the posterior of these counts.

    Other labels are predicted from the proxies by several regressions, weighted by their evidence.
    The residuals of the labeled items correct the mean of the predictions, as in prediction-powered
    inference [1]_ and the difference estimator of survey sampling [2]_. These intervals are valid
    if labels were drawn as stated, even if the regression is wrong. If all n labels agree with a
    proxy, the interval still has positive width: a share of about 2 / n may disagree.

    .. versionadded:: 0.1

    Parameters
    ----------
    target : {"sample", "population"}, default="sample"
        "sample" means the mean of these items: known labels are kept, missing labels are predicted.
        No uncertainty is left once all items are labeled. "population" means the mean of the
        distribution that the items are drawn from, such as further runs of a test, further
        questions or users. With `groups` the population consists of new groups.
    label_range : (float, float), default=None
        The smallest and the largest possible label, such as ``(1, 5)``. They also bound intervals.
        Whole-number labels in a range of at most ten values are grades. With ``(0, 1)`` labels are
        a rate even if all are equal.
    confidence_level : float in (0, 1), default=0.9
        The default level of intervals.
    n_draws : int, default=1000
        Number of draws from which intervals are computed.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible.

    Attributes
    ----------
    draws_ : ndarray of shape (n_draws, 1 + n_categories)
        Posterior draws of the mean of all items, and of each category. For a rate with categories,
        groups or several proxies there are at most 400, unless all items are labeled.
    categories_ : ndarray of shape (n_categories,) or None
        The names of the categories.
    n_labels_ : int
        Number of labeled items.
    n_items_ : ndarray of shape (1 + n_categories,)
        Number of items in total, and in each category.
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
    (`inclusion_proba`). If rare items contribute much of the mean, twenty labels may contain none
    of them, and no interval based on the labels can account for this: see :doc:`/user_guide/means`.

    If all items are labeled and categories share groups, such as systems that answered the same
    prompts, population means come from a Bayesian bootstrap of the groups, without a model. They
    then differ from those of :class:`PerformanceCurveEstimator`, which models the random effects of
    the groups. The bootstrap takes a second for a hundred systems.

    If labels are not a rate, the mean of a category is estimated from its own labels and the mean
    of all items from all labels. The mean of the category means, weighted by their sizes, is
    therefore close to the mean of all items, but not equal to it.

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
        label_range: tuple[float, float] | None = None,
        confidence_level: float = 0.9,
        n_draws: int = 1000,
        random_state: RandomState = None,
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
        X: ColumnLike | None,
        y: ColumnLike,
        *,
        category: Any = None,
        groups: ColumnLike | None = None,
        inclusion_proba: ArrayLike | str | None = None,
    ) -> Self:
        """Fit the mean of the labels, using the proxies as predictors.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, n_proxies), or None
            Proxies: scores of judges, or any numbers that may predict the label; NaN, None or
            ``pd.NA`` if missing. ``X=None`` means no proxies.
        y : array-like of shape (n_samples,)
            Labels; NaN, None or ``pd.NA`` for unlabeled items. -1 is an ordinary number.
        category : array-like of shape (n_samples,), default=None
            The subgroup of each item, a name or whole number: a system, a country, a month. The
            errors of the proxies may differ between categories.
        groups : array-like of shape (n_samples,), default=None
            Groups of dependent items (prompts, patients).
        inclusion_proba : array-like of shape (n_samples,) or "by_class", default=None
            The known inclusion probability of each item, labeled or not. None means that all are
            equal. With it, a rate with categories or groups is estimated as for grades. "by_class"
            means that labels 0 and 1 were chosen by class with unknown shares, as in
            `PerformanceCurveEstimator.fit`; the mean is then that of the unlabeled items.

        Returns
        -------
        self : MeanEstimator

        Raises
        ------
        ValueError
            If inputs have different pandas indexes, numbers are infinite, or labels contradict
            `inclusion_proba` significantly. For labels other than 0 and 1, also if fewer than 5
            items are labeled, or a proxy is constant or missing for all labeled items. Also if all
            labels are equal, and neither the proxy nor `label_range` has another value.

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
        label_range = read_label_range(self.label_range)
        seed = seed_entropy(self.random_state)
        performance = PerformanceCurveEstimator(
            target=self.target,
            confidence_level=self.confidence_level,
            n_draws=n_draws,
            random_state=seed,
        )
        mixture = new_mixture(None, random_state=seed, holder=performance)
        data = ItemData.read(
            mixture,
            X,
            y,
            category=category,
            groups=groups,
            inclusion_proba=inclusion_proba,
            estimator=self,
            may_lack_scores=True,
            label_range=label_range,
        )

        self._answers: OutcomeAnswers | RateMeans | CountedMeans
        counted = None
        if X is None:
            counted = CountedMeans.of(data, label_range, n_draws, seed, self.confidence_level)
        if counted is not None:
            self._answers = counted
        elif data.kind == OUTCOMES:
            self._answers = OutcomeAnswers(data, label_range, n_draws, seed, self.confidence_level)
            # Errors are those of this target.
            self._answers.on(self.target)
        else:
            performance = performance._of_fit(fit_items(mixture, data))
            self._answers = RateMeans(performance, data.codes, data.category, data.groups)
            warn_of(performance.verdict_)
        category = data.category
        self.categories_: Any = None if category is None else category.names
        self.n_labels_ = int((data.codes != UNLABELED).sum())
        self.n_items_ = sizes_of_parts(category, len(data.codes))
        self.proxies_ = _names_of_proxies(self, data)
        self.seed_ = seed
        return self

    @property
    def draws_(self) -> np.ndarray:
        """Draws of the mean of all items, and of each category."""
        check_is_fitted(self, "n_labels_")
        return self._answers.draws(self.target)

    def estimate(
        self,
        metric: str = "mean",
        *,
        category: Hashable = None,
        target: str | None = None,
    ) -> ScalarEstimate:
        """Return the mean label of all items, or of a category.

        Parameters
        ----------
        metric : str, default="mean"
            "mean". If labels 0 and 1 are of several runs of each task (`groups`), also "pass^k" or
            "pass@k" for a number k, such as "pass^3". "pass^k" is the share of further tasks in
            which all of k runs pass, and "pass@k" the share in which at least one of k runs passes.
            Runs without a label do not count. If each task has at least k runs, the estimate uses
            unbiased values of the tasks. For larger k it uses a model of their pass rates, and the
            name of the estimate mentions it.
        category : object, default=None
            Its name.
        target : {"sample", "population"}, default=None
            None uses the estimator's `target`. One fit answers both.

        Returns
        -------
        estimate : ScalarEstimate
            The attribute `kind` is "posterior" for labels 0 and 1, else "design". Estimates from
            one fit may be subtracted.

        Raises
        ------
        ValueError
            If the category does not exist; if a mean of the population is requested with fewer than
            five labels; if pass^k is requested without `groups` or for labels other than 0 and 1.

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

        For further items like these:

        >>> further = means.estimate(target="population")
        >>> bool(further.standard_error > means.estimate().standard_error)
        True
        """
        check_is_fitted(self, "n_labels_")
        target = self.target if target is None else target
        check_target(target)
        if category is not None:
            # Raises for a name that is none.
            self._categories().number_of(category)
        if metric != "mean":
            return replace(
                self._tasks(category).estimate(metric), confidence_level=self.confidence_level
            )
        return self._answers.estimate(target, category)

    def _tasks(self, category: Hashable) -> RepeatedTasks:
        """Return the runs of each task, of all items or of a category."""
        answers = self._answers
        if isinstance(answers, OutcomeAnswers) or answers.groups is None:
            raise ValueError(
                "pass^k needs labels 0 and 1, and the task of each run: pass groups= to fit."
            )
        is_asked = np.ones(len(answers.codes), dtype=bool)
        if answers.category is not None and category is not None:
            is_asked = answers.category.codes == answers.category.number_of(category)
        return RepeatedTasks.of(answers.codes[is_asked], answers.groups.codes[is_asked], self.seed_)

    def by_category(self, *, target: str | None = None) -> EstimateTable:
        """Return the mean label of each category.

        Parameters
        ----------
        target : {"sample", "population"}, default=None
            As in :meth:`estimate`.

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
        check_is_fitted(self, "n_labels_")
        names = self._categories().names.tolist()
        estimates = tuple(self.estimate(category=name, target=target) for name in names)
        table = EstimateTable(tuple(map(str, names)), estimates)
        return replace(table, remarks=remarks_on_parts(table))

    def difference(self, a: Hashable, b: Hashable, *, target: str | None = None) -> ScalarEstimate:
        """Return the mean label of one category minus that of another.

        Parameters
        ----------
        a, b : object
            Their names.
        target : {"sample", "population"}, default=None
            As in :meth:`estimate`.

        Returns
        -------
        difference : ScalarEstimate
            Computed from paired draws, so errors common to both means cancel.
            ``probability_above(0.0)`` is the probability that the mean of `a` is larger.

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
        first, second = (self.estimate(category=name, target=target) for name in (a, b))
        difference = first - second
        return replace(difference, name=f"mean of {a} less that of {b}")

    def _categories(self) -> Partition:
        if self.categories_ is None:
            raise ValueError(
                "by_category and difference need categories: pass category= to fit, one for each "
                "item."
            )
        return Partition(self.categories_, np.arange(len(self.categories_)), "category")


def _names_of_proxies(means: MeanEstimator, data: ItemData) -> tuple[Any, ...]:
    """Return the name or number of each column of X."""
    if not data.has_scores:
        return ()
    if data.judges is not None:
        return data.judges.names
    return tuple(getattr(means, "feature_names_in_", data.systems))


@dataclass(frozen=True, eq=False)
class RateMeans:
    """The mean of labels 0 and 1 is the share of positives, by the model of rows."""

    performance: PerformanceCurveEstimator  # fitted to the proxies as scores
    codes: np.ndarray  # of the labels
    category: Partition | None
    groups: Partition | None

    def estimate(self, target: str, category: Hashable = None) -> ScalarEstimate:
        """Return the share of positives of all items, or of a category by name."""
        items = self.performance if category is None else self.performance.of(category=category)
        return replace(items.estimate(PREVALENCE, target=target), name="mean")

    def draws(self, target: str) -> np.ndarray:
        """Return draws of the mean of all items, and of each category, (n_draws, n_parts)."""
        categories = self.performance.categories_
        names = [] if categories is None else categories.tolist()
        return np.column_stack([self.estimate(target, name).draws for name in (None, *names)])
