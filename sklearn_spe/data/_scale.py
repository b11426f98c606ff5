"""Model scale: an increasing transform of the scores for parametric families."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special
from sklearn.base import clone

from ..inputs._labels import UNLABELED
from ._cells import (
    BELOW_ONE,
    are_min_max_scaled,
    clip_of,
    clipped_logit,
    come_near_an_end,
    in_shares,
)
from ._sample import ScoreSample
from ._ties import SpreadTies, spread_evenly, spread_ties

SCALES = ("auto", "unit", "identity")

# Largest clip for probabilities of exactly 0 or 1.
LARGEST_CLIP = 0.05
# Smallest standard deviation of a class, as a fraction of the scores' spread.
RESOLUTION = 0.005
# Standard deviation of the uniform distribution on a unit interval.
SPREAD_OF_ONE = 12.0**-0.5
# The origin of families on the positive half line lies below the smallest score by this
# share of the distance from there to the median.
MARGIN = 0.1
# Minimum slope of the map, relative to its mean slope over all scores.
FLATTEST = 1e-6
# Minimum range of the scores in float64 steps: below it rounding exceeds the width of bands.
MIN_STEPS = 2**10
# Fraction of the range that densities on the model scale cannot resolve.
MIN_SHARE = 1e-13
# Step of the central difference for a transformer's derivative, relative to the range of the
# scores.
STEP_RANGE = np.array([1e-9, 1e-6])


@dataclass(frozen=True, eq=False)
class ScoreScale:
    """Transform from the user's scores to the model scale, fitted to all scores.

    ``model = (inner(score) - origin) / unit``, where `inner` is the identity, a clipped logit or a
    transformer. Families on the positive half line, or truncated at zero, have their zero at
    `origin`, slightly below the smallest score.

    Attributes
    ----------
    name : str
        "standard", "logit", "unit", "identity" or "transformer".
    origin, unit : float
        The affine part.
    clip : float
        Probabilities are moved into ``[clip, 1 - clip]`` before the logit.
    location, spread : float
        Mean and standard deviation of all scores on the model scale: the unit in
        which priors are given.
    resolution : float
        Minimum standard deviation of a class on the model scale.
    smallest : float
        The smallest score on the model scale.
    reach : float
        The range of all scores, on the user's scale.
    whole : float
        The score of a probability of one, before the logit.
    """

    name: str
    origin: float
    unit: float
    clip: float
    transformer: Any
    ties: SpreadTies
    location: float
    spread: float
    resolution: float
    smallest: float
    reach: float
    whole: float = 1.0

    def transform(self, scores: npt.ArrayLike) -> np.ndarray:
        """Map scores to the model scale."""
        return (self._inner(np.asarray(scores, dtype=float)) - self.origin) / self.unit

    def points(self, scores: npt.ArrayLike):
        """Map scores to the model scale, and large ties to the points that represent them.

        Returns
        -------
        points : ndarray of shape (n_points,)
        firsts : ndarray of shape (n_scores,)
            Start index of the points of each score.
        """
        points, firsts = self.ties.expand(self._inner(np.asarray(scores, dtype=float)))
        return (points - self.origin) / self.unit, firsts

    def thresholds(self, scores: npt.ArrayLike) -> np.ndarray:
        """Map thresholds to the model scale, outside the intervals of ties.

        All items reach the smallest score.
        """
        inner = self._inner(np.asarray(scores, dtype=float))
        model = (self.ties.snap(inner) - self.origin) / self.unit
        return np.where(model <= self.smallest, -np.inf, model)

    def grid(self, model: np.ndarray) -> np.ndarray:
        """Move thresholds on the model scale out of the intervals of ties."""
        return (self.ties.snap(self.origin + self.unit * model) - self.origin) / self.unit

    @property
    def tie_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The lower and upper ends of the intervals of large ties, on the model scale."""
        low = (self.ties.low - self.origin) / self.unit
        high = (self.ties.high - self.origin) / self.unit
        return low, high

    def log_jacobian(self, scores: npt.ArrayLike) -> np.ndarray:
        """Return the log derivative of `transform`.

        It converts densities on the model scale to the user's scale.
        """
        scores = np.asarray(scores, dtype=float)
        if self.name == "logit":
            p = np.clip(scores / self.whole, self.clip, min(1.0 - self.clip, BELOW_ONE))
            return -np.log(p) - np.log1p(-p) - np.log(self.unit * self.whole)

        if self.transformer is not None:
            # Smaller steps near zero, where the domain of a logarithm or a root ends.
            step = np.clip(np.abs(scores) / 2.0, *(STEP_RANGE * self.reach))
            low = scores - step
            high = scores + step
            with np.errstate(divide="ignore"):
                slope = (self._inner(high) - self._inner(low)) / (high - low)
                # A transformer that clips is constant outside its training range: keep densities
                # positive there.
                return np.log(np.maximum(slope / self.unit, FLATTEST * self.spread / self.reach))

        return np.full(scores.shape, -np.log(self.unit))

    def inverse_transform(self, points: npt.ArrayLike) -> np.ndarray:
        """Map the model scale to scores."""
        inner = self.origin + self.unit * np.asarray(points, dtype=float)
        if self.name == "logit":
            return self.whole * special.expit(inner)
        if self.transformer is not None:
            return self.transformer.inverse_transform(inner.reshape(-1, 1)).reshape(inner.shape)
        return inner

    def apply(self, sample: ScoreSample) -> ScoreSample:
        """Return the sample on the model scale, with large ties spread over points."""
        # Scores that the inner map makes equal (clipped probabilities) are one tie.
        inner, cell = np.unique(self._inner(sample.scores), return_inverse=True)
        points, firsts = self.ties.expand(inner)
        unlabeled, negative, positive = (
            np.bincount(cell, weights=weights, minlength=len(inner))
            for weights in (sample.unlabeled, sample.negative, sample.positive)
        )
        scores = (inner - self.origin) / self.unit
        points = (points - self.origin) / self.unit
        cells = scores, scores, unlabeled, negative, positive

        if len(points) == len(scores):
            return ScoreSample(*cells, inclusion=sample.inclusion)
        return ScoreSample(*cells, points, firsts, sample.inclusion)

    def _inner(self, scores: np.ndarray) -> np.ndarray:
        if self.name == "logit":
            return clipped_logit(scores / self.whole, self.clip)
        if self.transformer is not None:
            return _transformed(self.transformer, scores)
        return scores

    def __repr__(self) -> str:
        return f"ScoreScale({self.name!r}, origin={self.origin:.4g}, unit={self.unit:.4g})"


def learn_scale(sample: ScoreSample, score_scale: Any = "auto", whole: float = 1.0) -> ScoreScale:
    """Choose the model scale of a sample; `whole` is the score of a probability of one."""
    if not sample.n_cells:
        raise ValueError("No score has positive weight: sample_weight is zero for all.")
    if sample.n_cells > 1:
        _check_resolved(sample.scores)

    draft = _unscaled(sample, score_scale, whole)
    inner = _on_inner_scale(draft, sample)

    if sample.n_cells < 2:
        return _of_one_score(draft, float(sample.scores[0]))
    if inner.n_cells < 2:
        raise ValueError("The scores are all equal on the model scale; choose another score_scale.")

    _check_outliers(inner.scores)
    draft = replace(draft, ties=spread_ties(inner))
    origin, unit = _affine(draft, sample)
    return _with_units(replace(draft, origin=origin, unit=unit), sample)


def _of_one_score(draft: ScoreScale, score: float) -> ScoreScale:
    """Return the scale for a single distinct score: one tie, spread over a unit."""
    ties = spread_evenly(score)
    return replace(
        draft,
        name="standard",
        transformer=None,
        ties=ties,
        origin=float(ties.low[0]) - MARGIN,
        location=0.5 + MARGIN,
        spread=SPREAD_OF_ONE,
        resolution=RESOLUTION,
        smallest=float(ties.points[0] - ties.low[0]) + MARGIN,
    )


def _check_resolved(scores: np.ndarray) -> None:
    """Raise unless float64 resolves the differences between scores."""
    low, high = scores[[0, -1]].tolist()
    with np.errstate(over="ignore"):
        reach = high - low

    if not np.isfinite(reach):
        raise ValueError(
            f"The scores range from {low:.3g} to {high:.3g}, which overflows float64: divide "
            "them by a number."
        )

    # Use the spacing below the largest magnitude; that above it may be infinite.
    step = 2.0 * float(np.spacing(max(abs(low), abs(high)) / 2.0))
    if reach < MIN_STEPS * step:
        raise ValueError(
            f"The scores lie within {reach:.3g} of each other at a size of "
            f"{max(-low, high):.3g}, where float64 numbers are {step:.3g} apart: their "
            "differences are lost to rounding. Subtract a constant, or rescale, before scores "
            "are rounded; for probabilities near 0 or 1 use the log-odds (decision_function)."
        )


def _check_outliers(inner: np.ndarray) -> None:
    """Raise if a few scores are so extreme that the others become indistinguishable."""
    low, high = inner[[0, -1]]
    first, last = inner[[len(inner) // 10, -1 - len(inner) // 10]]
    if last - first < MIN_SHARE * (high - low):
        raise ValueError(
            f"The scores range from {low:.3g} to {high:.3g}, and most of them lie between "
            f"{first:.6g} and {last:.6g}: relative to the range these are indistinguishable. "
            "Replace infinite scores by values slightly beyond all finite ones; for scores of "
            "many magnitudes use the logarithm, or ranks (scipy.stats.rankdata)."
        )


def _unscaled(sample: ScoreSample, score_scale: Any, whole: float) -> ScoreScale:
    reach = float(sample.scores[-1] - sample.scores[0])
    scale = ScoreScale(
        "standard", 0.0, 1.0, 0.0, None, SpreadTies.none(), 0.0, 1.0, 0.0, 0.0, reach
    )

    if not isinstance(score_scale, str):
        transformer = _fit_transformer(score_scale, sample.scores)
        return replace(scale, name="transformer", transformer=transformer)

    if score_scale not in SCALES:
        raise ValueError(
            f"Unknown score_scale {score_scale!r}; choose one of {', '.join(SCALES)}, or pass an "
            f"increasing transformer."
        )

    shares = in_shares(sample, whole)
    if score_scale == "auto" and _looks_like_probabilities(shares):
        return replace(scale, name="logit", clip=clip_of(shares, LARGEST_CLIP), whole=whole)
    return scale if score_scale == "auto" else replace(scale, name=score_scale)


def _looks_like_probabilities(shares: ScoreSample) -> bool:
    scores = shares.scores
    in_unit = bool(scores[0] >= 0.0 and scores[-1] <= 1.0)
    return in_unit and not are_min_max_scaled(shares) and come_near_an_end(scores)


def _affine(scale: ScoreScale, sample: ScoreSample) -> tuple[float, float]:
    if scale.name == "identity":
        return 0.0, 1.0
    model = scale.apply(sample)
    low = model.points.min()
    high = model.points.max()
    rise = float(model.quantile(0.5)) - low
    origin = low - MARGIN * (rise if rise > 0.0 else model.std())
    unit = high - origin if scale.name == "unit" else model.std()
    return float(origin), float(unit)


def _with_units(scale: ScoreScale, sample: ScoreSample) -> ScoreScale:
    model = scale.apply(sample)
    return replace(
        scale,
        location=model.mean(),
        spread=model.std(),
        resolution=RESOLUTION * min(model.std(), model.robust_std()),
        smallest=float(model.points.min()),
    )


def _on_inner_scale(scale: ScoreScale, sample: ScoreSample) -> ScoreSample:
    """Return all scores on the inner scale; scores that become equal are merged."""
    inner = scale._inner(sample.scores)
    return ScoreSample.from_items(inner, np.full(len(inner), UNLABELED), sample.counts)


def _fit_transformer(transformer: Any, scores: np.ndarray):
    if not hasattr(transformer, "transform"):
        raise ValueError(
            f"score_scale must be one of {', '.join(SCALES)} or a transformer, got {transformer!r}."
        )

    fitted = clone(transformer).fit(scores.reshape(-1, 1))
    values = _transformed(fitted, scores)
    if not np.isfinite(values).all() or (np.diff(values) < 0.0).any():
        raise ValueError(
            f"score_scale={transformer!r} does not increase with the score, or is not finite, on "
            f"these scores; a model scale must keep their order."
        )

    return fitted


def _transformed(transformer: Any, scores: np.ndarray) -> np.ndarray:
    scores = np.asarray(scores, dtype=float)
    values = np.asarray(transformer.transform(scores.reshape(-1, 1)), dtype=float)
    if values.size != scores.size:
        raise ValueError(
            f"score_scale={transformer!r} must return one column, got shape {values.shape}."
        )
    return values.reshape(scores.shape)
