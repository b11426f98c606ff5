r"""The Fisher information of a known mixture, and the width that labels would give.

An item is informative about the parameters :math:`\theta` through its score alone, or through its
score and its label. With :math:`q(s) = P(y = 1 \mid s)`, the label adds, given the score,

.. math::

    J(s) = q (1 - q) \, d d^T, \quad d = \nabla_\theta \operatorname{logit} q(s)

to the information in the score: nothing where the class is certain, and nothing where it does not
depend on the parameters. The information of items chosen by their scores is the sum.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from ..exceptions import UnidentifiedWarning
from ..families._family import Family, Parameter
from ..families._registry import as_family
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_numbers, check_choice, check_count, check_counts, check_number
from ._two_class import names_of_parameters

# Integrals are taken over normal quantiles up to this distance by Gauss-Legendre quadrature.
REACH, N_NODES = 7.5, 640
# Step of the central differences of gradients, as a share of a parameter's size.
STEP = 1e-5
# Larger distances relative to the size of a parameter overflow the information in float64.
LARGEST = 1e30
# Directions with a smaller share of the information count as unidentified.
NO_INFORMATION = 1e-12
# With fewer positive labels than these, the likelihood is far from normal.
FEW_POSITIVES = 5.0

SIDES = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class KnownMixture:
    """Two families at given parameter values, and their Fisher information."""

    families: tuple[Family, Family]  # negatives, positives
    theta: np.ndarray  # (n_parameters,): the prevalence, then the values of both families

    @classmethod
    def of(
        cls,
        negative: str | Family,
        positive: str | Family,
        prevalence: float,
        negative_values: Sequence[float],
        positive_values: Sequence[float],
    ) -> KnownMixture:
        """Return the mixture of two families, by name or instance, at given values."""
        # The information is the inverse square of it.
        check_number(prevalence, "prevalence", "[1e-100, 1)")
        families = (as_family(negative), as_family(positive))
        theta = [float(prevalence)]
        for side, family, values in zip(
            SIDES, families, (negative_values, positive_values), strict=True
        ):
            name = f"{side}_values"

            if not family.regular:
                raise ValueError(
                    f"The support of {family.name!r} depends on its parameters, so that their "
                    f"Fisher information is not defined; choose another family."
                )

            numbers = as_numbers(values, name)
            names = [parameter.name for parameter in family.parameters]
            if numbers.shape != (len(names),) or not np.isfinite(numbers).all():
                raise ValueError(
                    f"{name} must be {', '.join(names)} of {family.name!r}, got {values!r}."
                )

            for parameter, value in zip(family.parameters, numbers, strict=True):
                check_number(float(value), f"{parameter.name} in {name}", _interval(parameter))

            theta += numbers.tolist()
        return cls(families, np.array(theta))

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of negatives and positives."""
        return 1.0 - float(self.theta[0]), float(self.theta[0])

    @property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """The parameter values of each family."""
        cut = 1 + len(self.families[0].parameters)
        return self.theta[1:cut], self.theta[cut:]

    def nodes(self, lower: float = -np.inf) -> Iterator[Any]:
        """Return the nodes and weights of an integral over scores above `lower`, for each class."""
        z, weights = np.polynomial.legendre.leggauss(N_NODES)
        # The integrand jumps where the support of either class begins.
        firsts = [family.support[0] for family in self.families]
        edges = np.unique([first for first in firsts if np.isfinite(first)])

        for family, values in zip(self.families, self.values, strict=True):
            inner_edges = edges[edges > lower]
            marks = np.r_[lower, inner_edges] if np.isfinite(lower) else inner_edges
            below = 1.0 - family.sf(marks, *values)
            inner = np.clip(special.ndtri(below), -REACH, REACH)

            # Gauss-Legendre nodes between the marks, in normal quantiles of the class.
            first = [] if np.isfinite(lower) else [-REACH]
            ends = np.r_[first, inner, REACH]
            middles = (ends[1:] + ends[:-1]) / 2.0
            halves = np.diff(ends) / 2.0
            quantiles = (middles[:, np.newaxis] + halves[:, np.newaxis] * z).ravel()
            density = np.exp(-0.5 * quantiles**2) / np.sqrt(2.0 * np.pi)

            node_weights = (halves[:, np.newaxis] * weights).ravel()
            scores = family.ppf(special.ndtr(quantiles), *values)
            yield scores, node_weights * density

    def joint(self, scores: np.ndarray) -> tuple:
        """Return log p(score, y) of both classes and their gradients, (n_parameters, n) each."""
        logs = []
        gradients = []
        first = 1
        for family, values, share, sign in zip(
            self.families, self.values, self.shares, (-1.0, 1.0), strict=True
        ):
            last = first + len(values)
            gradient = np.zeros((len(self.theta), len(scores)))
            gradient[0] = sign / share
            gradient[first:last] = family.gradient(scores, *values)
            first = last

            logs.append(family.logpdf(scores, *values) + np.log(share))
            gradients.append(gradient)
        return logs, gradients

    def score_gradient(self, scores: np.ndarray) -> np.ndarray:
        """Return the gradient of log p(score), of shape (n_parameters, n)."""
        logs, gradients = self.joint(scores)
        probability = special.expit(logs[1] - logs[0])
        # A density that underflows has a finite gradient but zero weight.
        of_negative = np.where(probability < 1.0, (1.0 - probability) * gradients[0], 0.0)
        of_positive = np.where(probability > 0.0, probability * gradients[1], 0.0)
        return of_negative + of_positive

    def curvatures(self, scores: np.ndarray) -> np.ndarray:
        """Return minus the Hessian of log p(score), (n, n_parameters, n_parameters)."""
        rows = []
        for step in self._steps:
            ahead = self.theta + step
            behind = self.theta - step
            gradient_behind = replace(self, theta=behind).score_gradient(scores)
            gradient_ahead = replace(self, theta=ahead).score_gradient(scores)
            rows.append((gradient_behind - gradient_ahead) / (ahead - behind).max())
        matrix = np.stack(rows, axis=0).transpose(2, 0, 1)
        return 0.5 * (matrix + matrix.transpose(0, 2, 1))

    @property
    def _steps(self) -> np.ndarray:
        """A small step of each parameter, (n_parameters, n_parameters)."""
        sizes = [min(self.shares)]
        for family, values in zip(self.families, self.values, strict=True):
            # In units of the class's standard deviation; a shape has none.
            sizes += [1.0 if p.role == "shape" else values[1] for p in family.parameters]
        return np.diag(STEP * np.array(sizes))

    def of_labels(self) -> Iterator[Any]:
        """Return the information of one labeled negative, and of one labeled positive."""
        for k, (scores, weights) in enumerate(self.nodes()):
            gradient = self.joint(scores)[1][k]
            gradient[0] = 0.0
            matrix = np.einsum("i,ji,ki->jk", weights, gradient, gradient)
            matrix[0, 0] = 1.0 / self.shares[k] ** 2
            yield matrix

    def of_scores(self) -> np.ndarray:
        """Return the expected information of one score."""
        return self._expected(self.nodes(), lambda s: (np.ones(len(s)), self.score_gradient(s)))

    def of_classes(self, lower: float = -np.inf) -> np.ndarray:
        """Return the information added by labeling all scores above `lower`, per pool item."""

        def of_label(scores: np.ndarray) -> tuple:
            logs, gradients = self.joint(scores)
            q = special.expit(logs[1] - logs[0])
            return q * (1.0 - q), gradients[1] - gradients[0]

        return self._expected(self.nodes(lower), of_label)

    def _expected(self, nodes: Iterator[Any], part: Any) -> Any:
        total = np.zeros((len(self.theta), len(self.theta)))
        for share, (scores, weights) in zip(self.shares, nodes, strict=True):
            factor, gradient = part(scores)
            total += np.einsum("i,ji,ki->jk", share * weights * factor, gradient, gradient)
        return total

    def recall(self, threshold: float) -> tuple:
        """Return the recall at a threshold, and its gradient."""

        def of(theta: np.ndarray) -> Any:
            values = replace(self, theta=theta).values[1]
            return self.families[1].sf(np.array([threshold]), *values)[0]

        recall = float(of(self.theta))
        theta = self.theta
        changes = [
            (of(theta + step) - of(theta - step)) / (2.0 * step.max()) for step in self._steps
        ]

        if not 0.0 < recall < 1.0:
            raise ValueError(
                f"The recall at threshold={threshold!r} is {recall:g} under these parameters; "
                f"choose a threshold among the scores of positives."
            )
        return recall, np.array(changes)

    def quantile(self, share: float) -> float:
        """Return the score above which a share of all items lies."""
        if share <= 0.0:
            return np.inf
        if share >= 1.0:
            return -np.inf

        ends = [
            family.ppf(np.array([1.0 - share]), *values)[0]
            for family, values in zip(self.families, self.values, strict=True)
        ]

        def excess(score: float) -> Any:
            threshold = np.array([score])
            of_negatives = self.families[0].sf(threshold, *self.values[0])[0]
            of_positives = self.families[1].sf(threshold, *self.values[1])[0]
            return self.shares[0] * of_negatives + self.shares[1] * of_positives - share

        low = min(ends)
        high = max(ends)
        if not excess(low) > 0.0 > excess(high):
            return float(low)
        return float(optimize.brentq(excess, low, high))


def _interval(parameter: Parameter) -> str:
    """Return the bounds of a parameter's values."""
    low = parameter.lower
    high = parameter.upper
    if low == 0.0:
        lower_bound = f"[{1.0 / LARGEST:g}"
    else:
        lower_bound = f"({low}" if low > -LARGEST else f"[{-LARGEST:g}"
    upper_bound = f"{high})" if high < LARGEST else f"{LARGEST:g}]"
    return f"{lower_bound}, {upper_bound}"


@dataclass(frozen=True, eq=False, repr=False)
class FisherInformation(FrozenArrays):
    """Fisher information of items about the parameters of a mixture.

    The information of independent items is additive: ``a + b``, ``20 * a``.

    Attributes
    ----------
    names : tuple of str
        The parameters: "prevalence", "negative_mean", "negative_std", ..., "positive_mean", ...
    matrix : ndarray of shape (n_parameters, n_parameters)
    """

    names: tuple[str, ...]
    matrix: np.ndarray

    @property
    def alone(self) -> dict[str, float]:
        """The information about each parameter if the others are known: the diagonal.

        The 2018 paper plots it.
        """
        return dict(zip(self.names, np.diag(self.matrix).tolist(), strict=True))

    @property
    def covariance(self) -> np.ndarray:
        """The Cramer-Rao bound on the covariance, all parameters unknown: the inverse.

        Raises
        ------
        ValueError
            If the items carry no information on a parameter.
        """
        unidentified = [name for name, error in self.standard_errors.items() if np.isinf(error)]
        if unidentified:
            raise ValueError(
                f"These items carry no information on {', '.join(unidentified)}: the covariance is "
                "undefined. Add the information of further items, such as n_unlabeled=."
            )
        size = np.sqrt(np.diag(self.matrix))
        return np.linalg.inv(self.matrix / np.outer(size, size)) / np.outer(size, size)

    @property
    def standard_errors(self) -> dict[str, float]:
        """The Cramer-Rao bound on the standard error of each parameter, all unknown.

        Infinite where the items carry no information on a parameter.
        """
        axes = np.eye(len(self.names))
        return {
            name: standard_error(self.matrix, axis)
            for name, axis in zip(self.names, axes, strict=True)
        }

    def __add__(self, other: FisherInformation) -> FisherInformation:
        if not isinstance(other, FisherInformation):
            return NotImplemented
        if other.names != self.names:
            raise ValueError(
                f"Cannot add the information on different parameters: {self.names} and "
                f"{other.names}."
            )
        return FisherInformation(self.names, self.matrix + other.matrix)

    def __mul__(self, times: float) -> FisherInformation:
        if not isinstance(times, Real):
            return NotImplemented
        return FisherInformation(self.names, times * self.matrix)

    __rmul__ = __mul__

    def __radd__(self, other: object) -> FisherInformation:
        # The start value of `sum`.
        return self if isinstance(other, Real) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}: {value:.4g}" for name, value in self.alone.items())
        return f"FisherInformation({inside})"


def standard_error(matrix: np.ndarray, gradient: np.ndarray) -> float:
    """Return the standard error of a function of parameters by the delta method, or infinity."""
    # In units in which every parameter has unit information, so that the result does not depend on
    # the units.
    size = np.sqrt(np.diag(matrix))
    if (size[gradient != 0.0] <= 0.0).any():
        return np.inf
    is_informative = size > 0.0
    scaled = matrix[np.ix_(is_informative, is_informative)] / np.outer(
        size[is_informative], size[is_informative]
    )

    # A combination of parameters without information has an infinite error.
    values, vectors = np.linalg.eigh(scaled)
    loadings = vectors.T @ (gradient[is_informative] / size[is_informative])
    is_null = values <= NO_INFORMATION * max(values.max(initial=0.0), 1e-300)
    tiny = np.sqrt(NO_INFORMATION) * np.abs(loadings).max(initial=0.0)
    if (np.abs(loadings[is_null]) > tiny).any():
        return np.inf
    return float(np.sqrt((loadings[~is_null] ** 2 / values[~is_null]).sum()))


def fisher_information(
    negative: str | Family,
    positive: str | Family,
    *,
    prevalence: float,
    negative_values: Sequence[float],
    positive_values: Sequence[float],
    n_unlabeled: float | None = None,
    n_negative: float = 0.0,
    n_positive: float = 0.0,
) -> FisherInformation:
    r"""Return the expected Fisher information of items about the parameters of a mixture.

    Minus the expected second derivatives of the log likelihood, eq. 3 to 5 of [1]_ with the
    cross terms between parameters, which the paper leaves out.

    .. versionadded:: 0.1

    Parameters
    ----------
    negative, positive : str or Family
        The densities of the scores of both classes; see :mod:`sklearn_spe.families`.
    prevalence : float in (0, 1)
        The share of positives, :math:`\beta` in the paper.
    negative_values, positive_values : sequence of float
        The values of the parameters of each, mean and standard deviation first.
    n_unlabeled : float or pair of float, default=None
        Number of items without a label, or of such negatives and positives. One number is split by
        the prevalence; None means no such item.
    n_negative, n_positive : float, default=0
        Number of items with each label.

    Returns
    -------
    information : FisherInformation

    Raises
    ------
    ValueError
        If a value is out of range, or the support of a family depends on its parameters, as that
        of "uniform" does: no information is defined then.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.

    Examples
    --------
    Where one item in a hundred is positive, one positive label is as informative about the
    prevalence as ten thousand negative ones:

    >>> from sklearn_spe.mixtures import fisher_information
    >>> of = {"prevalence": 0.01, "negative_values": (2.0, 1.0), "positive_values": (3.88, 1.0)}
    >>> positive = fisher_information("norm", "norm", n_positive=1, **of)
    >>> negative = fisher_information("norm", "norm", n_negative=1, **of)
    >>> round(positive.alone["prevalence"] / negative.alone["prevalence"])
    9801
    """
    distribution = KnownMixture.of(negative, positive, prevalence, negative_values, positive_values)
    n_labels = (
        check_number(n_negative, "n_negative", "[0, inf)"),
        check_number(n_positive, "n_positive", "[0, inf)"),
    )

    counts = _split(n_unlabeled, distribution.shares)

    total = np.zeros((len(distribution.theta), len(distribution.theta)))
    for count, (scores, weights) in zip(counts, distribution.nodes(), strict=True):
        if count:
            total += count * np.einsum("i,ijk->jk", weights, distribution.curvatures(scores))
    for count, of_label in zip(n_labels, distribution.of_labels(), strict=True):
        total += count * of_label
    return FisherInformation(names_of_parameters(*distribution.families), total)


def _split(n_unlabeled: float | None, shares: Any) -> Any:
    if n_unlabeled is None:
        return 0.0, 0.0
    try:
        counts = np.asarray(n_unlabeled)
    except ValueError:
        # Rows of different lengths.
        counts = np.empty((), dtype=object)

    numeric = counts.dtype.kind in "iuf" and counts.shape in ((), (2,))
    if not numeric or not ((counts >= 0.0) & np.isfinite(counts)).all():
        raise ValueError(
            f"n_unlabeled must be a number of items, or a pair (negatives, positives), none below "
            f"zero; got {n_unlabeled!r}."
        )
    return tuple(counts) if counts.shape else [counts * share for share in shares]


def random_labels(distribution: KnownMixture, n_items: int, n_labels: int) -> Iterator[Any]:
    """Yield probabilities of the number of positives among random labels, and the information."""
    of_negative, of_positive = distribution.of_labels()
    of_scores = (n_items - n_labels) * distribution.of_scores()

    # Counts beyond the largest probable one are left out.
    prevalence = distribution.shares[1]
    n_largest = int(special.bdtrik(1.0 - 1e-9, n_labels, prevalence)) + 1 if n_labels else 0
    counts = np.arange(min(n_largest, n_labels) + 1.0)
    probabilities = np.diff(special.bdtr(counts, n_labels, prevalence), prepend=0.0)

    for count, probability in zip(counts, probabilities, strict=True):
        of_labels = (n_labels - count) * of_negative + count * of_positive
        yield probability, of_scores + of_labels


def tail_labels(distribution: KnownMixture, n_items: int, n_labels: int) -> Iterator[Any]:
    """Yield the expected information after the largest scores are labeled."""
    of_labels = (
        distribution.of_classes(distribution.quantile(n_labels / n_items)) if n_labels else 0.0
    )
    yield 1.0, n_items * (distribution.of_scores() + of_labels)


# Sampling strategies: from a mixture and the numbers of items and labels to pairs of a probability
# and the information with it.
PLANNED_STRATEGIES = {"tail": tail_labels, "random": random_labels}


def expected_width(
    negative: str | Family,
    positive: str | Family,
    *,
    prevalence: float,
    negative_values: Sequence[float],
    positive_values: Sequence[float],
    threshold: float,
    n_items: int,
    n_labels: ArrayLike,
    strategy: str = "tail",
    confidence_level: float = 0.9,
) -> np.ndarray:
    """Return the expected width of the interval of a population's recall after labeling.

    Computed by the delta method: the recall is a function of the parameters of the positives, whose
    covariance follows from the information of all scores and of the labels. Intervals are normal
    for the logit of recall, so that they stay within 0 and 1.

    .. versionadded:: 0.1

    Parameters
    ----------
    negative, positive, prevalence, negative_values, positive_values
        As for `fisher_information`.
    threshold : float
        The threshold of the recall.
    n_items : int
        Number of items with a score.
    n_labels : int or array-like of int
        Number of them that will be labeled; none is labeled now.
    strategy : {"tail", "random"}, default="tail"
        Whether the largest scores or random items are labeled.
    confidence_level : float in (0, 1), default=0.9

    Returns
    -------
    width : ndarray
        The full width, upper minus lower end, one for each number of labels. It assumes that the
        families are correct and that there are enough labels for the likelihood to be nearly
        normal; it is not a guarantee.

    Warns
    -----
    UnidentifiedWarning
        If fewer than five labels are expected to be positive: intervals will then be wider.

    Examples
    --------
    >>> from sklearn_spe.mixtures import expected_width
    >>> of = {"prevalence": 0.01, "negative_values": (2.0, 1.0), "positive_values": (3.88, 1.0)}
    >>> where = {"threshold": 4.0, "n_items": 20_000}
    >>> for strategy in ("tail", "random"):
    ...     width = expected_width("norm", "norm", **of, **where, n_labels=1000, strategy=strategy)
    ...     print(strategy, width.round(2))
    tail 0.42
    random 0.28
    """
    distribution = KnownMixture.of(negative, positive, prevalence, negative_values, positive_values)
    check_choice(strategy, "strategy", PLANNED_STRATEGIES)
    threshold = check_number(threshold, "threshold", "(-inf, inf)")
    confidence_level = check_number(confidence_level, "confidence_level", "(0, 1)")
    n_items = check_count(n_items, "n_items")
    counts = check_counts(n_labels, "n_labels", 0)
    if (counts > n_items).any():
        raise ValueError(
            f"n_labels must be whole numbers from 0 to n_items={n_items}, got {n_labels!r}."
        )

    # The width for each number of labels, a mean over the outcomes of the labels.
    recall, gradient = distribution.recall(threshold)
    z = special.ndtri(0.5 + confidence_level / 2.0)
    widths = []
    for count in counts.ravel():
        width = 0.0
        planned = PLANNED_STRATEGIES[strategy](distribution, n_items, int(count))
        for probability, information in planned:
            reach = z * standard_error(information, gradient) / (recall * (1.0 - recall))
            ends = special.expit(special.logit(recall) + np.array([-reach, reach]))
            width += probability * (ends[1] - ends[0])
        widths.append(width)

    if counts.any():
        _warn_of_few(distribution, n_items, counts[counts > 0].min(), strategy)
    return np.reshape(widths, counts.shape)


def _warn_of_few(distribution: Any, n_items: float, n_labels: float, strategy: str) -> None:
    lower = -np.inf if strategy == "random" else distribution.quantile(n_labels / n_items)
    share = distribution.families[1].sf(np.array([lower]), *distribution.values[1])[0]
    above = n_labels if strategy == "random" else n_items
    n_positive = above * distribution.shares[1] * share
    if n_positive < FEW_POSITIVES:
        warnings.warn(
            f"Of {n_labels} labels only about {n_positive:.1f} will be positive: the likelihood is "
            "then far from normal, and intervals will be wider than planned.",
            UnidentifiedWarning,
            stacklevel=3,
        )
