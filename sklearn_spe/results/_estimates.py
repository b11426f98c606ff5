"""Numbers and curves with uncertainty, each with a distribution (`_distributions`)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ParameterTypeError
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_numbers, as_vector, check_number, is_number
from ._distributions import (
    OneSidedDraws,
    Proportions,
    WeightedDraws,
    check_level_of,
    probability_of,
)
from ._showing import (
    BEYOND_THESE,
    Markup,
    ShownResult,
    curve_drawing,
    exact_for_these,
    format_number,
    has_no_width,
    html_table,
    interval_table,
    joined,
    percent,
    range_in_words,
    row_of,
    sentence_of,
    tag,
)
from ._verdict import ALL_LABELED, NOT_BELIEVED, Verdict

# Points of a curve that are listed in a notebook.
N_LISTED = 11
# Of a number without a width on which the model or the computation fails.
NO_INTERVAL = "without an interval to rely on"


def _of_class(pos_label: Hashable) -> str:
    """Return the name of the positive class, empty for 1 and True."""
    return "" if pos_label is None or pos_label == 1 else f" of {pos_label!r}"


def _check_weights(weights: ArrayLike, n_draws: int) -> np.ndarray:
    """Return weights of draws that sum to one."""
    weights = as_vector(weights, "weights", n_draws)
    if not (n_draws and (weights >= 0.0).all() and 0.0 < weights.sum() < np.inf):
        raise ValueError(
            "An estimate needs draws with finite, nonnegative weights that are not all zero; got "
            f"{n_draws} draws and the weights {weights}."
        )
    return weights / weights.sum()


def worse(first: Verdict | None, second: Verdict | None) -> Verdict | None:
    """Return the verdict on a number that rests on two others."""
    if first is None or second is None:
        return second if first is None else first
    names = [{reason.name for reason in verdict.reasons} for verdict in (first, second)]
    reasons = [*first.reasons, *second.reasons]
    if not all(ALL_LABELED in of_verdict for of_verdict in names):
        # Of an exact number and another one the result is not exact.
        reasons = [reason for reason in reasons if reason.name != ALL_LABELED]
    return Verdict().worsened(reasons)


def _undefined_share(distribution: WeightedDraws) -> np.ndarray:
    """Return the weight of the undefined draws, at each point."""
    return probability_of(np.isnan(distribution.draws), distribution.weights)


class Estimated(ShownResult):
    """A number or a curve, with its distribution."""

    distribution: Any
    interval: Any
    verdict: Verdict | None
    n_items: float | None

    @property
    def weights(self) -> np.ndarray:
        """The weights of the draws, summing to one."""
        return self.distribution.weights

    @property
    def is_known(self) -> bool:
        """Whether labels inform the result, rather than the prior alone."""
        return self.verdict is None or self.verdict != "unidentified"

    @property
    def _word(self) -> str | None:
        """The verdict as a word, None without one."""
        return None if self.verdict is None else str(self.verdict)

    def _numbers(self, confidence_level: float | None = None) -> dict[str, Any]:
        """Return the value and both ends of the interval by name."""
        lower, upper = self.interval(confidence_level)
        return {**self._values_of("value"), "lower": lower, "upper": upper}


@dataclass(frozen=True, eq=False, repr=False)
class ScalarEstimate(Estimated):
    """A number with its uncertainty.

    .. versionadded:: 0.1

    Attributes
    ----------
    name : str
        The name of the estimated quantity.
    distribution : WeightedDraws, Proportions or another distribution
        The distribution of the quantity: weighted draws of shape (n_draws, 1), a counted
        probability, or an object with `quantile`, `median`, `mean` and `std`.
    confidence_level : float
        The default level of `interval`.
    kind : str
        The source of the uncertainty: "posterior", "fisher" (observed information at a maximum of
        the likelihood), "bootstrap" (resampled classes), "simulation" (Monte Carlo error only),
        "design" (inclusion probabilities of labeled items) or "anytime" (valid under repeated
        looks). With "fisher" `value` is the maximum, unless labels were drawn.
    undefined : float
        Posterior probability that the quantity is undefined (no positive item, or no item above the
        threshold). Draws in which it is undefined have the value `zero_division`, or are left out
        if `zero_division` is NaN.
    pos_label : object
        The positive class; None where there is none.
    threshold : float
        The decision threshold, if any.
    origin : str
        Identifies the fit that made the draws; empty if there is none. Estimates of one fit have
        paired draws, from the same curves and the same completed labels. Adding or subtracting them
        draw by draw accounts for the correlation of their errors.
    verdict : Verdict or None
        Whether the number is reliable: the verdict on the fit, with reasons about the evaluated
        part of the items, such as a category without labels. None for a number without a fit.
    n_items : float or None
        Number of items of the sample, NaN if unknown, or None for a population. If no label is
        missing, the number is exact for these items and has no interval.
    edge_cause : str
        The reason why the labels do not exclude the `edge`, such as "no labeled item is positive";
        empty if unknown.
    compared : ndarray of shape (n_draws,) or None
        Separate draws for differences between estimates on the same cases, if needed. For further
        items, the prior of a rate is half a label of each class, and the prior of a difference of
        two rates is one pseudo-case in favor of each.

    Notes
    -----
    If a sample has more than 4096 distinct scores, metrics at two thresholds use the same curves
    but separately drawn labels.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.results._estimates import ScalarEstimate
    >>> estimate = ScalarEstimate.from_draws("recall", np.linspace(0, 1, 101), np.ones(101))
    >>> round(estimate.value, 6)
    0.5
    >>> low, high = estimate.interval(0.8)
    >>> round(low, 2), round(high, 2)
    (0.1, 0.9)

    A format applies to the value and both ends of the interval:

    >>> f"{estimate:.2f}"
    '0.50 [0.05, 0.95]'

    The gain of a higher threshold, with its own interval:

    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(1000, random_state=0)
    >>> y = np.where(np.arange(1000) < 40, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> low, high = (performance.estimate("precision", threshold=t) for t in (1.0, 2.0))
    >>> gain = high - low
    >>> bool(gain.value > 0.0 and gain.standard_error < low.standard_error + high.standard_error)
    True
    """

    name: str
    distribution: Any
    confidence_level: float = 0.9
    kind: str = "posterior"
    undefined: float = 0.0
    pos_label: object = None
    threshold: float | None = None
    origin: str = ""
    verdict: Verdict | None = None
    n_items: float | None = None
    edge_cause: str = ""
    compared: np.ndarray | None = None

    @classmethod
    def from_draws(
        cls, name: str, draws: ArrayLike, weights: ArrayLike, **fields: Any
    ) -> ScalarEstimate:
        """Make an estimate from weighted draws.

        Parameters
        ----------
        name : str
        draws : array-like of shape (n_draws,)
        weights : array-like of shape (n_draws,)
            Nonnegative; they are normalized.
        **fields
            The other attributes. `undefined` defaults to the weight of the draws that are NaN.

        Raises
        ------
        ValueError
            If draws are empty, lengths differ, or weights are negative, not finite or all zero.
        """
        draws = as_numbers(draws, "draws").ravel()
        distribution = WeightedDraws(draws[:, np.newaxis], _check_weights(weights, len(draws)))
        fields = {"undefined": float(_undefined_share(distribution)[0]), **fields}
        return cls(name, distribution, **fields)

    @property
    def draws(self) -> np.ndarray:
        """The draws, of shape (n_draws,); some distributions have none."""
        return self.distribution.draws[:, 0]

    @property
    def comparable_draws(self) -> np.ndarray:
        """The draws used in differences from estimates on the same cases, (n_draws,)."""
        return self.draws if self.compared is None else self.compared

    @property
    def value(self) -> float:
        """The posterior median; for another `kind` the center of the distribution."""
        return float(self.distribution.median()[0])

    @property
    def standard_error(self) -> float:
        """The posterior standard deviation."""
        return float(self.distribution.std()[0])

    def mean(self) -> float:
        """Return the posterior mean."""
        return float(self.distribution.mean()[0])

    def interval(self, confidence_level: float | None = None) -> tuple[float, float]:
        """Return the ends of the interval.

        It is equal-tailed, unless there is an `edge`.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            The probability of the interval. None means the level of the estimate.
        """
        low, high = self.distribution.interval(check_level_of(self, confidence_level))[:, 0]
        return float(low), float(high)

    def probability_above(self, value: float = 0.0) -> float:
        """Return the probability that the number is above a value; ties count half.

        For a difference, ``probability_above(0)`` is the probability that the first term is larger.
        Draws in which the number is undefined are left out.

        Parameters
        ----------
        value : float, default=0.0

        Raises
        ------
        ValueError
            If there are no draws, as for counted probabilities and estimates without a posterior.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScalarEstimate
        >>> gain = ScalarEstimate.from_draws("gain", [-1.0, 0.0, 1.0, 2.0], np.ones(4))
        >>> gain.probability_above(0.0)
        0.625
        """
        value = check_number(value, "value", "(-inf, inf)")
        if not isinstance(self.distribution, WeightedDraws):
            raise ValueError(
                f"{self.name!r} has no draws (its uncertainty is that of {self.kind!r}); ask for "
                f"its interval."
            )
        above = (self.draws > value) + (self.draws == value) / 2.0
        return float(probability_of(np.where(np.isnan(self.draws), np.nan, above), self.weights))

    @property
    def edge(self) -> float | None:
        """The end of the range, such as 0 or 1, that the labels do not exclude; else None.

        For example, without a labeled positive the interval of the prevalence starts at 0 and ends
        at the quantile 1 - (1 - level) / 4.
        """
        distribution = self.distribution
        if not isinstance(distribution, OneSidedDraws) or not distribution.is_open[0]:
            return None
        return float(distribution.edges[0])

    def _open_end(self) -> str:
        """Return which edge is open, and why, in a sentence's end; empty if none is."""
        if self.edge is None:
            return ""
        cause = f": {self.edge_cause}" if self.edge_cause else ""
        return f"no label rules out {self.edge:g}{cause}"

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return a pandas DataFrame of one row: "name", "value", and the ends of the interval.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.
        """
        import pandas as pd

        return pd.DataFrame([{"name": self.name, **self._numbers(confidence_level)}])

    def sentence(self, confidence_level: float | None = None) -> str:
        """Return the estimate as a sentence, with its interval in parentheses.

        A share is stated as a count out of 100 items, or of more if the interval is narrow. If none
        of the evaluated items is labeled, a second sentence states this.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScalarEstimate
        >>> ScalarEstimate.from_draws("recall", np.linspace(0.7, 0.9, 21), np.ones(21)).sentence()
        'It finds 80 of 100 positives (71 to 89).'
        """
        in_counts = sentence_of(
            self.name,
            self.value,
            self.interval(confidence_level),
            threshold=self.threshold,
            undefined=self.undefined,
            exact=self.exactness(confidence_level),
            is_known=self.is_known,
        )
        problems = () if self.verdict is None else self.verdict.problems_of_parts
        return " ".join([in_counts, *problems])

    def exactness(self, confidence_level: float | None = None) -> str:
        """Return a note that the number is exact if its interval has no width, else "".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.

        Examples
        --------
        >>> from sklearn_spe import ScalarEstimate
        >>> ScalarEstimate.from_draws("recall", [0.9, 0.9], [1, 1], n_items=10).exactness()
        'exact for these 10 items'
        """
        if not has_no_width(*self.interval(confidence_level)):
            return ""
        if self.verdict is not None and self.verdict in NOT_BELIEVED:
            return NO_INTERVAL
        probability = 1.0
        if isinstance(self.distribution, WeightedDraws) and not self.distribution.is_constant:
            draws = np.where(np.isnan(self.draws), np.nan, np.isclose(self.draws, self.value))
            probability = float(probability_of(draws, self.weights))
        return exact_for_these(self.n_items, probability)

    def interval_in_words(self) -> str:
        """Return the interval as a cell of a table, or a note that the number is exact."""
        low, high = self.interval()
        return self.exactness() or f"{format_number(low)} to {format_number(high)}"

    def _record(self) -> dict[str, Any]:
        more = self._values_of("confidence_level", "kind", "undefined", "pos_label", "threshold")
        open_end = self._values_of("edge", "edge_cause")
        about = {"sentence": self.sentence(), "verdict": self._word}
        return {"name": self.name, **self._numbers(), **more, **open_end, **about}

    def _html(self) -> Markup:
        name = f"{self._decided}{_of_class(self.pos_label)}"
        open_end = self._open_end()
        hint = tag("p", f"{open_end[:1].upper()}{open_end[1:]}.", class_="hint")
        table = interval_table("Estimate", [(name, self)])
        return joined(tag("p", self.sentence()), table, hint if open_end else None)

    def __sub__(self, other: ScalarEstimate) -> ScalarEstimate:
        return self._combined(other, np.subtract, "-")

    def __add__(self, other: ScalarEstimate) -> ScalarEstimate:
        return self._combined(other, np.add, "+")

    def _combined(self, other: ScalarEstimate, operation: np.ufunc, sign: str) -> ScalarEstimate:
        if not isinstance(other, ScalarEstimate):
            return NotImplemented

        if not self.origin or self.origin != other.origin:
            raise ValueError(
                f"{self.name!r} and {other.name!r} are not of one fit: their draws are not paired, "
                "and the correlation of their errors is unknown. Compute both with one fitted "
                "estimator; for several systems that score the same items use one fit, "
                f"PerformanceCurveEstimator().fit(X, y) with a column for each."
            )

        distribution = self.distribution.combined(other.distribution, operation)
        if operation is np.subtract and self.compared is not None and other.compared is not None:
            difference = (self.comparable_draws - other.comparable_draws)[:, np.newaxis]
            distribution = WeightedDraws(difference, self.distribution.weights)
        undefined = float(_undefined_share(distribution)[0])

        return ScalarEstimate(
            f"{self._decided} {sign} {other._decided}",
            distribution,
            self.confidence_level,
            self.kind,
            undefined=max(self.undefined, other.undefined, undefined),
            pos_label=self.pos_label,
            origin=self.origin,
            verdict=worse(self.verdict, other.verdict),
            n_items=_n_items_of(self, other),
        )

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        """Return value and interval in this format; the `repr` without one."""
        if not spec:
            return str(self)
        low, high = self.interval()
        return f"{self.value:{spec}} [{low:{spec}}, {high:{spec}}]"

    def __repr__(self) -> str:
        low, high = self.interval()
        at = self._decided.removeprefix(self.name)
        open_end = f", {self._open_end()}" if self._open_end() else ""
        undefined = f", undefined in {percent(round(self.undefined, 3))}" if self.undefined else ""
        interval = f"{percent(self.confidence_level)} in [{low:.3f}, {high:.3f}]"
        exact = self.exactness()
        if exact:
            open_end = ""
            interval = exact if self.n_items is None else f"{exact}; {BEYOND_THESE}"

        return (
            f"ScalarEstimate({self.name}{_of_class(self.pos_label)}{at} = {self.value:.3f}, "
            f"{interval}{open_end}{undefined})"
        )

    @property
    def _decided(self) -> str:
        """The name, with the decision threshold if any."""
        at = "" if self.threshold is None else f" at threshold {self.threshold:.6g}"
        return f"{self.name}{at}"


def _n_items_of(first: ScalarEstimate, second: ScalarEstimate) -> float | None:
    """Return the number of items of both estimates; NaN if they are of different ones."""
    if first.n_items is None or second.n_items is None:
        return None
    return first.n_items if first.n_items == second.n_items else np.nan


@dataclass(frozen=True, eq=False, repr=False)
class CurveBand(Estimated, FrozenArrays):
    """A curve with a band.

    .. versionadded:: 0.1

    Attributes
    ----------
    name : str
        The curve's name, such as "precision_recall".
    x : ndarray of shape (n_points,)
        The points of the curve: recalls, false positive rates or thresholds.
    distribution : WeightedDraws or Proportions
        Posterior draws of the curve, of shape (n_draws, n_points), or counted probabilities.
    x_name, y_name : str
        The names of the axes.
    confidence_level : float
        The default level of `interval` and `envelope`.
    kind : str
        The source of the uncertainty, as in `ScalarEstimate`.
    undefined : ndarray of shape (n_points,)
        Posterior probability that the curve is not defined at a point.
    pos_label : object
        The positive class; None where there is none.
    origin : str
        The fit that made the draws, as in `ScalarEstimate`.
    verdict : Verdict or None
        Whether the curve is reliable, as in `ScalarEstimate`.
    n_items : float or None
        Number of items of the sample, as in `ScalarEstimate`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.results._estimates import CurveBand
    >>> draws = np.linspace(0, 1, 101)[:, None] * np.array([1.0, 2.0])
    >>> band = CurveBand.from_draws("line", [0.0, 1.0], draws, np.ones(101))
    >>> band.value
    array([0.5, 1. ])
    >>> round(band.at(0.5).value, 6)
    0.75
    """

    name: str
    x: np.ndarray
    distribution: WeightedDraws | Proportions
    x_name: str = "x"
    y_name: str = "y"
    confidence_level: float = 0.9
    kind: str = "posterior"
    undefined: np.ndarray | float = 0.0
    pos_label: object = None
    origin: str = ""
    verdict: Verdict | None = None
    n_items: float | None = None

    def __post_init__(self) -> None:
        x = np.array(self.x, dtype=float)
        if x.ndim != 1 or not (np.diff(x) > 0.0).all():
            raise ValueError(f"x must be a vector of increasing values, got {x}.")

        if self.distribution.n_points != len(x):
            raise ValueError(
                f"draws must have one column for each of the {len(x)} values of x, got "
                f"{self.distribution.n_points}."
            )

        undefined = np.array(np.broadcast_to(self.undefined, x.shape), dtype=float)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "undefined", undefined)
        super().__post_init__()

    @classmethod
    def from_draws(
        cls, name: str, x: ArrayLike, draws: ArrayLike, weights: ArrayLike, **fields: Any
    ) -> CurveBand:
        """Make a band from weighted draws.

        Parameters
        ----------
        name : str
        x : array-like of shape (n_points,)
            Increasing.
        draws : array-like of shape (n_draws, n_points)
        weights : array-like of shape (n_draws,)
            Nonnegative; they are normalized.
        **fields
            The other attributes. `undefined` defaults to the weight of the draws that are NaN.
        """
        draws = as_numbers(draws, "draws")
        if draws.ndim != 2:
            raise ValueError(f"draws must have shape (n_draws, n_points), got {draws.shape}.")
        distribution = WeightedDraws(draws, _check_weights(weights, len(draws)))
        fields = {"undefined": _undefined_share(distribution), **fields}
        return cls(name, as_numbers(x, "x"), distribution, **fields)

    @property
    def draws(self) -> np.ndarray:
        """The curves, of shape (n_draws, n_points)."""
        return self.distribution.draws

    @property
    def value(self) -> np.ndarray:
        """The pointwise posterior median."""
        return self.distribution.median()

    def mean(self) -> np.ndarray:
        """Return the pointwise posterior mean."""
        return self.distribution.mean()

    def interval(self, confidence_level: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of the pointwise band.

        At each single point, the curve lies inside with the given probability. Where the labels do
        not exclude an end of the range (0 or 1), as above all labeled positives, the band reaches
        this end.
        """
        lower, upper = self.distribution.interval(check_level_of(self, confidence_level))
        return lower, upper

    def envelope(self, confidence_level: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of the simultaneous band.

        The whole curve lies inside with the given probability. The envelope is a pointwise band,
        with the level at which that share of the draws lies inside everywhere.
        """
        level = check_level_of(self, confidence_level)
        lower, upper = self.distribution.envelope(self.distribution.envelope_level(level))
        return lower, upper

    def at(self, x: float) -> ScalarEstimate:
        """Return the curve at one `x`, interpolated between the points, as a number.

        Raises
        ------
        ValueError
            If `x` lies outside the range of the curve.
        """
        x = check_number(x, self.x_name, "[-inf, inf]")
        if not self.x[0] <= x <= self.x[-1]:
            raise ValueError(
                f"The curve is known for {self.x_name} from {self.x[0]:.4g} to {self.x[-1]:.4g}, "
                f"got {x!r}."
            )

        left = int(np.searchsorted(self.x, x, side="right")) - 1
        right = min(left + 1, len(self.x) - 1)
        gap = self.x[right] - self.x[left]
        share = (x - self.x[left]) / gap if gap else 0.0
        undefined = np.asarray(self.undefined)[[left, right] if share else [left]].max()

        return ScalarEstimate(
            f"{self.y_name} at {self.x_name} {x:.4g}",
            self.distribution.between(left, right, share),
            self.confidence_level,
            self.kind,
            float(undefined),
            self.pos_label,
            origin=self.origin,
            verdict=self.verdict,
            n_items=self.n_items,
        )

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return a pandas DataFrame, one row per point.

        The columns are `x_name`, `y_name`, "lower" and "upper", where the last two are the ends of
        the pointwise band.
        """
        import pandas as pd

        lower, upper = self.interval(confidence_level)
        points = {self.x_name: self.x, self.y_name: self.value}
        return pd.DataFrame(points | {"lower": lower, "upper": upper})

    def exactness(self, confidence_level: float | None = None) -> str:
        """Return a note that the curve is exact if its band has no width, else "".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.
        """
        pairs = zip(*self.interval(confidence_level), strict=True)
        ends = [(low, high) for low, high in pairs if not np.isnan(high - low)]
        if not ends or not all(has_no_width(*both) for both in ends):
            return ""
        return self.range_in_words(*ends[0])

    def range_in_words(self, low: float, high: float, template: str = "{}") -> str:
        """Return the ends of the band at a point as a cell of a table, or a note that it is exact.

        Parameters
        ----------
        low, high : float
        template : str, default="{}"
            Format of each end, such as "{:.2f}". The default shows three decimals.
        """
        for name, end in (("low", low), ("high", high)):
            if not is_number(end):
                raise ParameterTypeError.of(name, f"must be a number, got {end!r}.")
        if has_no_width(low, high) and self.verdict is not None and self.verdict in NOT_BELIEVED:
            return NO_INTERVAL
        return range_in_words(low, high, template, self.n_items)

    def _record(self) -> dict[str, Any]:
        axes = self._values_of("name", "x_name", "y_name")
        about = self._values_of("confidence_level", "kind", "pos_label", "x")
        more = {"undefined": self.undefined, "verdict": self._word}
        return {**axes, **about, **self._numbers(), **more}

    def _html(self) -> Markup:
        value = self.value
        lower, upper = self.interval()
        level = percent(self.confidence_level)
        rows = (
            row_of(
                f"{self.x[k]:.6g}",
                format_number(value[k]),
                f"{format_number(lower[k])} to {format_number(upper[k])}",
            )
            for k in np.unique(np.linspace(0, len(self.x) - 1, N_LISTED).astype(int))
        )
        caption = f"{self.name.replace('_', ' ')}{_of_class(self.pos_label)}"
        head = [self.x_name, self.y_name, f"{level} interval"]
        table = html_table(f"Points of {caption}", head, rows)
        band = self.exactness() or f"with its pointwise {level} band"
        description = f"{self.y_name} against {self.x_name}, {band}"

        return joined(
            tag("p", f"{caption}: {description}."),
            curve_drawing(self.x, value, lower, upper),
            tag("details", tag("summary", "Some points as a table"), table),
        )

    def __repr__(self) -> str:
        lower, upper = self.interval()
        widths = (upper - lower)[~np.isnan(upper - lower)]
        width = widths.mean() if len(widths) else np.nan
        name = f"{self.name}{_of_class(self.pos_label)}"
        band = f"{percent(self.confidence_level)} band of mean width {width:.3f}"
        if exact := self.exactness():
            band = exact if self.n_items is None else f"{exact}; {BEYOND_THESE}"
        return f"CurveBand({name}: {self.y_name} at {len(self.x)} values of {self.x_name}, {band})"
