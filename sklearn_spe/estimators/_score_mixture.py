"""The estimator of the mixture of scores, and the parameter `mixture` of others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from functools import cache
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, DensityMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..data._item_data import ItemData
from ..data._kinds import POOL
from ..experts._expert import Expert
from ..families._family import BetaPrior, Family
from ..inputs._arrays import ColumnLike, RandomState, ScoresLike, TableLike
from ..inputs._frames import read_frames
from ..inputs._scores import ScoreInput, check_frequencies, read_scores
from ..inputs._validation import (
    as_plain,
    check_aligned,
    check_count,
    is_missing_value,
    seed_entropy,
    spawn,
)
from ..models._fitted_model import NOT_FITTED, of_model
from ..models._row_model import fit_two_classes
from ..models._two_class_model import TwoClassModel
from ..results._verdict import warn_of

# Parameters that both the mixture and the estimator containing it may have.
SHARED = (
    *("n_draws", "n_jobs", "classes", "pos_label", "unlabeled_label", "greater_is_positive"),
    "score_kind",
)
# Parameters that do not change a fitted mixture.
OF_THE_FIT = ("n_draws", "classes", "greater_is_positive", "score_kind", "random_state")


class SemisupervisedScoreMixture(ScoreInput, DensityMixin, BaseEstimator):
    r"""Score model from a few labels and all scores of a classifier.

    Several models, called experts, turn the scores into prior curves of P(y = 1 | score). The
    Bernoulli likelihood of the labels updates the curves, and the experts are averaged by their
    evidence. One expert is the mixture of [1]_, in which the scores of each class follow a
    parametric family (eq. 2 of [1]_). ``experts=None`` uses that mixture alone.

    .. warning::

        With ``experts=None`` thousands of scores outweigh a few labels: if no family fits, the
        posterior can be narrow and wrong.

    .. versionadded:: 0.1

    Parameters
    ----------
    negative, positive : "auto", str, Family or sequence of these, default="auto"
        The families to try for each class; every pair is fitted. "auto" means truncated normal and
        gamma. See :mod:`sklearn_spe.families`.
    combine : {"average", "evidence", "likelihood", "ks"}, default="average"
        The rule that combines pairs of families with ``experts=None``, and weighs them in
        `comparison_`. "average" weighs pairs by their label evidence, where all scores together
        count as 32 points. The others select the best pair, by "evidence", "likelihood" (the rule
        of [1]_) or "ks" (the Kolmogorov-Smirnov distance from the distribution of the scores).
    score_scale : {"auto", "unit", "identity"} or transformer, default="auto"
        Increasing transform to the model scale of the families. "auto" takes the logit of scores
        that look like probabilities, and standardizes; "unit" maps to (0, 1], as [1]_.
    method : {"importance", "em"}, default="importance"
        The method that fits the mixture with ``experts=None``. "importance" draws from its
        posterior by importance sampling. "em" maximizes the likelihood by partially observed
        expectation maximization [2]_, with intervals from the observed information; `experts` then
        defaults to None.
    proposal : {"adaptive", "diagonal"}, default="adaptive"
        Proposal density of the importance sampling with ``experts=None``. "adaptive" is a mixture
        of Student densities, started at several modes and refitted to the weighted draws.
        "diagonal" is the proposal of [1]_: faster, but too narrow if parameters are correlated.
    experts : "auto", None, str, Expert or sequence of these, default="auto"
        The models that give the prior curves. "auto", also within a sequence, means all of
        :data:`sklearn_spe.experts.EXPERTS`. None means the parametric mixture alone.
    score_kind : {"auto", "probability", "log_odds", "margin", "votes", "distance", "percent"}
        The kind of the scores, which sets the prior weights of the experts. "auto" infers it from
        the range of the scores, and `main_estimates` reports it; real numbers may be log-odds or
        margins. Numbers in [0, 100] with a maximum above 95 are percentages. Pass "percent" for
        percentages with a smaller maximum.
    prevalence_prior : "auto", pair of float or BetaPrior, default="auto"
        The beta prior of the prevalence; ``BetaPrior.from_interval(0.01, 0.05)`` sets a range.
        "auto" is uniform. If the labels are concentrated among the largest scores, a share q of
        all, "auto" is proportional to ``p**-0.9 / (1 + p / q)``, so a prevalence far above q
        is improbable. With ``experts=None`` it is then Beta(0.1, 1 / q).
    greater_is_positive : bool, default=True
        False if smaller scores mean positive, as for many outlier detectors.
    n_draws : int, default=1000
        Number of posterior draws. With ``experts=None`` it is the number for each pair of families,
        at least 25 except for the diagonal proposal.
    classes : array-like of shape (2,), default=None
        The two classes, needed if `y` does not contain both. If -1 is a class, only missing values
        mark unlabeled items.
    pos_label : object, default=None
        The positive class; None means 1 for {0, 1} and {-1, 1}, True for booleans.
    unlabeled_label : object, default=-1
        Marker of unlabeled items in `y`, besides NaN, None and ``pd.NA``.
    n_jobs : int, default=None
        Number of parallel workers, which start only for long computations
        (:ref:`when-workers-pay`). Results do not depend on `n_jobs`.
    random_state : int, RandomState, Generator or None, default=None
    verbose : int, default=0
        If positive, the evidence of each pair of families is printed.

    Attributes
    ----------
    model_ : RowModel or MixtureModel
        The fitted model, immutable. All other attributes are read from it.
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    score_direction_ : Orientation
        The score direction: it flips the scores if smaller ones mean positive.
    labels_ : BinaryLabels
        The positive class and the marker of unlabeled items.
    prevalence_ : ScalarEstimate
        The prevalence of the positive class in the population.
    posterior_ : RankingPosterior or MixturePosterior
        The weighted draws. ``posterior_.updated.weights`` holds the weights of the experts.
    comparison_ : Comparison
        Comparison of the pairs of families.
    score_scale_ : ScoreScale
        The transform to the model scale of the families.
    score_kind_ : str or None
        The kind of the scores. It may also be "unknown" (log-odds or margins) or "unit" (in [0, 1],
        but not probabilities). None with ``experts=None``.
    prior_ : RowPrior, BareMixture or None
        The prior given the scores. None after unpickling, because pickles omit it.
    seed_ : int
        Seed of all random numbers.
    verdict_ : Verdict
        "ok", "unidentified", "misfit" or "unreliable", with ``verdict_.reasons``.
    suspect_labels_ : SuspectLabels
        Labels that are improbable given the other labels.
    ess_ : float
        The effective sample size of the draws.
    pareto_k_ : float
        Pareto k-hat, which is large if the importance weights are unreliable. With ``method="em"``
        it compares the posterior with the normal approximation by the observed information.

    Warns
    -----
    MisfitWarning, UnidentifiedWarning, SamplingWarning, ConvergenceWarning
        One for each reason of the verdict.

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
        negative: str | Family | Sequence[str | Family] = "auto",
        positive: str | Family | Sequence[str | Family] = "auto",
        *,
        combine: str = "average",
        score_scale: str | TransformerMixin = "auto",
        method: str = "importance",
        proposal: str = "adaptive",
        experts: str | Expert | Sequence[str | Expert] | None = "auto",
        score_kind: str = "auto",
        prevalence_prior: str | BetaPrior | tuple[float, float] = "auto",
        greater_is_positive: bool = True,
        n_draws: int = 1000,
        classes: ArrayLike | None = None,
        pos_label: Hashable = None,
        unlabeled_label: Hashable = -1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
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

    # A fit sets all of them or none.
    classes_ = of_model("labels.classes")
    score_direction_ = of_model("score_direction")
    labels_ = of_model("labels")
    prevalence_ = of_model("prevalence")
    posterior_ = of_model("posterior")
    comparison_ = of_model("comparison")
    score_scale_ = of_model("scale")
    score_kind_ = of_model("kind_name")
    prior_ = of_model("prior")
    seed_ = of_model("seed")
    verdict_ = of_model("verdict_on_sample")
    suspect_labels_ = of_model("suspect_labels")
    ess_ = of_model("ess")
    pareto_k_ = of_model("posterior.pareto_k")

    def fit(
        self,
        X: ScoresLike,
        y: ColumnLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        inclusion_proba: ColumnLike | Mapping[Any, float] | None = None,
    ) -> Self:
        """Fit the mixture to partially labeled scores.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores, larger for positives. Two columns are probabilities that sum to one.
        y : array-like of shape (n_samples,), default=None
            Labels; -1, NaN, None or ``pd.NA`` for unlabeled items. None means that no item is
            labeled.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            Inclusion probabilities of the labels, if the labeled items were not chosen at random or
            by the scores. ``{class: share}`` maps each class to its labeled share, independent of
            the scores (a case-control study). An array holds the known probability of each item to
            be labeled, for labeled and unlabeled items (strata of a feature). None assumes that,
            given the score, the class does not affect whether an item is labeled.

        Returns
        -------
        self : SemisupervisedScoreMixture

        Raises
        ------
        ValueError
            If labels contradict `inclusion_proba` significantly, or it is given with
            ``experts=None``.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture.fit(scores, y).classes_
        array([0, 1])
        """
        # Column names are stored at the end, so that a failing fit keeps the old ones.
        reader = copy(self)
        data = ItemData.read(
            reader, X, y, sample_weight, inclusion_proba=inclusion_proba, kind=POOL
        )
        self._take(reader, fit_two_classes(reader, data))
        warn_of(self.verdict_)
        return self

    def update(
        self,
        X: ScoresLike,
        y: ColumnLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        inclusion_proba: ColumnLike | Mapping[Any, float] | None = None,
    ) -> Self:
        """Update the fit with new labels of the same scores.

        The prior of `fit` is reused, so the result equals that of a new `fit` at a fraction of
        the cost. With ``experts=None``, or after a parameter was changed, the model is fitted anew
        with the seed of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            The scores of `fit`. For a histogram pass ``histogram.with_labels(scores, y)`` with all
            labels known so far, without `y` and `sample_weight`.
        y : array-like of shape (n_samples,), default=None
            All labels known so far, the earlier ones included.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            As in `fit`, for all labels known so far. Required if it was passed to `fit`.

        Returns
        -------
        self : SemisupervisedScoreMixture

        Raises
        ------
        ValueError
            If the scores differ from those of `fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture = mixture.fit(scores, y)
        >>> more = np.where(np.arange(300) < 40, labels, -1)
        >>> mixture.update(scores, more).predict_proba([0.0]).shape
        (1, 2)
        """
        check_is_fitted(self, "model_", msg=NOT_FITTED)
        reader = copy(self)
        data = ItemData.read(
            reader,
            X,
            y,
            sample_weight,
            inclusion_proba=inclusion_proba,
            kind=POOL,
            before=self.labels_,
        )
        self._take(reader, self.model_.updated(reader, data))
        warn_of(self.verdict_)
        return self

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Return the posterior expectation of P(y | score), section 4.4 of the 2013 paper.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
            Columns in the order of `classes_`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture = mixture.fit(scores, y)
        >>> low, high = mixture.predict_proba([-2.0, 4.0])[:, 1]
        >>> bool(low < 0.5 < high)
        True
        """
        scores = flipped_scores(self, X)
        with np.errstate(under="ignore"):
            expected = self.posterior_.predicted_probability(scores)
        return self.labels_.columns(1.0 - expected, expected)

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the more probable class of each score.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)

        Returns
        -------
        labels : ndarray of shape (n_samples,)

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture = mixture.fit(scores, y)
        >>> mixture.predict([-2.0, 4.0])
        array([0, 1])
        """
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def score_samples(self, X: TableLike) -> np.ndarray:
        """Return the log density of each score on the user's scale.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            The log of the posterior expectation of p(score); always finite.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture = mixture.fit(scores, y)
        >>> mixture.score_samples(scores).shape
        (300,)
        """
        scores = flipped_scores(self, X)
        with np.errstate(under="ignore", over="ignore"):
            return np.logaddexp(*self.posterior_.log_predictive(scores))

    def score(
        self, X: TableLike, y: ColumnLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the mean log likelihood of partially labeled scores.

        The log likelihood is log p(score, label) for a labeled item and log p(score) for others.
        Use it to compare families on one scale. Comparisons between values of `score_scale`, or
        between folds with differently fitted scales, are only approximate.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
        y : array-like of shape (n_samples,), default=None
            Labels, with unlabeled items marked as in `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.

        Returns
        -------
        score : float

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture = mixture.fit(scores, y)
        >>> bool(np.isfinite(mixture.score(scores, y)))
        True
        """
        scores, codes, weights = labeled_scores(self, X, y, sample_weight)
        # The log density has a floor far outside the scores of the fit.
        with np.errstate(under="ignore", over="ignore"):
            negative, positive = self.posterior_.log_predictive(scores)
            either = np.logaddexp(negative, positive)
        log_density = np.select([codes == 0, codes == 1], [negative, positive], either)
        return float(np.average(log_density, weights=weights))

    def sample(
        self, n_samples: int = 1, random_state: RandomState = None
    ) -> tuple[np.ndarray, np.ndarray]:
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

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import SemisupervisedScoreMixture
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, random_state=0)
        >>> mixture = mixture.fit(scores, y)
        >>> drawn, classes = mixture.sample(5, random_state=0)
        >>> drawn.shape, classes.shape
        ((5,), (5,))
        """
        check_is_fitted(self, "model_", msg=NOT_FITTED)
        check_count(n_samples, "n_samples")
        with np.errstate(under="ignore"):
            scores, labels = self.posterior_.rvs(spawn(seed_entropy(random_state)), n_samples)
        return self.score_direction_.flip(scores), self.labels_.decode(labels)

    def _take(self, reader: SemisupervisedScoreMixture, model: TwoClassModel) -> None:
        """Take the model of a fit, and the names of columns from the copy that read them."""
        self.model_ = model
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(reader, name):
                setattr(self, name, getattr(reader, name))
            elif hasattr(self, name):
                delattr(self, name)


def flipped_scores(mixture: SemisupervisedScoreMixture, X: TableLike) -> np.ndarray:
    """Return other scores, larger for positives, as a fitted mixture reads them."""
    check_is_fitted(mixture, "model_", msg=NOT_FITTED)
    scores, _ = read_scores(
        mixture, X, reset=False, labels=mixture.labels_, classes=mixture.classes
    )
    return mixture.score_direction_.flip(scores)


def labeled_scores(
    mixture: SemisupervisedScoreMixture,
    X: TableLike,
    y: ColumnLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return other scores, their codes and their weights, as a fitted mixture reads them."""
    frames = read_frames({"X": X, "y": y, "sample_weight": sample_weight})
    X, y, sample_weight = frames.values()
    check_aligned(X=X, y=y, sample_weight=sample_weight)
    scores = flipped_scores(mixture, X)
    codes = mixture.labels_.codes(y, len(scores))
    return scores, codes, check_frequencies(sample_weight, len(scores))


def new_mixture(
    mixture: SemisupervisedScoreMixture | None,
    *,
    random_state: RandomState,
    holder: BaseEstimator = None,
) -> SemisupervisedScoreMixture:
    """Return an unfitted copy of the mixture."""
    if mixture is None:
        shared = {name: getattr(holder, name) for name in SHARED if hasattr(holder, name)}
        return SemisupervisedScoreMixture(random_state=random_state, **shared)
    if not isinstance(mixture, SemisupervisedScoreMixture):
        raise TypeError(
            f"mixture must be a SemisupervisedScoreMixture or None, got {mixture!r}. Pass the "
            "scores of a classifier to fit(scores, y), and families to "
            "SemisupervisedScoreMixture(negative=, positive=)."
        )
    try:
        own = clone(mixture)
    except TypeError as error:
        raise TypeError(
            f"mixture has a parameter that cannot be copied ({error}): pass lists, arrays, "
            f"numbers and estimators."
        ) from error
    if holder is not None:
        own.set_params(**agreed(mixture, holder))
    return own if own.random_state is not None else own.set_params(random_state=random_state)


def check_score_mixture(mixture: BaseEstimator) -> None:
    """Raise unless the mixture is fitted."""
    if not isinstance(mixture, SemisupervisedScoreMixture):
        raise TypeError(
            f"A fitted SemisupervisedScoreMixture is needed, got {mixture!r:.200}. A fitted "
            "PerformanceCurveEstimator needs none for its own methods; a fit with several "
            "systems, categories, groups, judges or classes has no mixture of scores."
        )
    check_is_fitted(mixture, "model_", msg=NOT_FITTED)


def given_by(estimator: BaseEstimator, names: Sequence[str] = SHARED) -> dict[str, Any]:
    """Return the parameters of an estimator that differ from their defaults.

    A default that was passed explicitly cannot be distinguished from one that was not.
    """
    values = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
    kind: Any = type(estimator)
    return {
        name: value
        for name, value in values.items()
        if contradicts(name, value, _default(kind, name))
    }


def agreed(
    mixture: BaseEstimator, holder: BaseEstimator, names: Sequence[str] = SHARED
) -> dict[str, Any]:
    """Return the values of shared parameters that the containing estimator sets."""
    said, own = given_by(holder, names), given_by(mixture, names)
    for name, value in said.items():
        if contradicts(name, own.get(name, value), value):
            raise ValueError(
                f"{name} is {value!r} in {type(holder).__name__} and {own[name]!r} in its "
                "mixture: pass it to only one of them."
            )
    return said


def check_agrees(mixture: BaseEstimator, holder: BaseEstimator) -> None:
    """Raise if the containing estimator sets parameters that contradict a fitted mixture."""
    for name, value in given_by(holder, OF_THE_FIT).items():
        if contradicts(name, getattr(mixture, name), value):
            raise ValueError(
                f"{name}={value!r} contradicts the fitted mixture, which has "
                f"{getattr(mixture, name)!r}: leave it out, or fit again."
            )


def contradicts(name: str, value: Any, other: Any) -> bool:
    """Return whether two values of a parameter differ; classes compare as sets."""
    return _in_order(name, value) != _in_order(name, other)


@cache
def _default(kind: type, name: str) -> Any:
    # A subclass may lack some parameters in its signature.
    declared = (signature(base).parameters.get(name) for base in kind.__mro__)
    return next(parameter.default for parameter in declared if parameter is not None)


def _in_order(name: str, value: Any) -> list[Any]:
    several = np.iterable(value) and not isinstance(value, (str, bytes))
    values = np.ravel(as_plain(value, name) if several else value).tolist()
    # A missing value equals nothing, itself included.
    return sorted(((repr(v),) if is_missing_value(v) else [v] for v in values), key=str)
