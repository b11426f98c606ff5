"""Labeled scores of the source domain, such as a validation set of the classifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..data._cells import ScoreCells
from ..data._sample import ScoreSample
from ..inputs._labels import BinaryLabels
from ..inputs._scores import check_frequencies
from ..inputs._validation import as_numbers, check_aligned
from ._expert import DiscrepancyScale, Expert, rank_functions

# A curve over the source: a line in the log-odds of the score, in units of the scores' spread
# (around the identity where scores may be log-odds), and the basis functions of the discrepancy.
ANY_SCALE = ("unknown", "margin", "distance")
PRIOR_STDS = (3.0, 3.0, 0.8)
N_STEPS = 50
# Some curves are those of the source as they are; in others the prevalence has changed.
SHIFTED_SHARE, PREVALENCE_SHIFT = 0.5, 1.2


@dataclass(frozen=True, eq=False)
class SourceScores(Expert):
    """A prior from labeled scores of a source domain, such as a validation set.

    Half of the curves are those of the source domain, which assumes that only the scores have
    changed (covariate shift). The other half have another intercept, which assumes that the
    prevalence has changed too. If p(y | score) has not changed, few labels are needed. If it has,
    the labels of the target contradict this expert, and the other experts get its weight.

    .. versionadded:: 0.1

    Parameters
    ----------
    scores : array-like of shape (n_source,)
        The scores of the source, on the scale of the target's scores.
    labels : array-like of shape (n_source,)
        The labels of the source, with both classes. Unlabeled items are left out.
    n_curves : int, default=500
    pos_label : object, default=None
        The positive class, if the labels are not {0, 1}.
    weight : float, default=None
        See `Expert`.

    Raises
    ------
    ValueError
        If the labels do not contain both classes, lengths differ or scores are not finite. If half
        of the target's scores lie outside the range of the source's scores, or nine tenths of the
        source's scores outside the range of the target's.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.experts import SourceScores
    >>> source, source_labels = make_scores(300, random_state=1)
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.where(np.arange(500) < 20, labels, -1)
    >>> mixture = SemisupervisedScoreMixture(experts=["auto", SourceScores(source, source_labels)])
    >>> estimator = PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y)
    """

    name: ClassVar[str] = "source_scores"
    weights: ClassVar[dict[str, float]] = {"default": 0.25}
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(wide_share=0.5)

    # Only `__init__` sets them; the base class has fields with defaults before these.
    scores: np.ndarray = None  # type: ignore[assignment]
    labels: np.ndarray = None  # type: ignore[assignment]
    n_curves: int = 500
    pos_label: object = field(default=None, kw_only=True)

    def __init__(
        self,
        scores: ArrayLike,
        labels: Any,
        n_curves: int = 500,
        *,
        pos_label: Any = None,
        weight: float | None = None,
    ) -> None:
        # A frozen dataclass sets its fields this way.
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "n_curves", n_curves)
        object.__setattr__(self, "pos_label", pos_label)
        object.__setattr__(self, "weight", weight)
        self._sample()

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        source = self._sample()
        _check_scale(source, cells)
        source_cells = ScoreCells.of(source, cells.kind)

        # Count the source's labels at the nearest of its cells.
        left, share = source_cells.place(source.scores)
        nearest = left + (share > 0.5)
        negative = np.bincount(nearest, source.negative, source_cells.n_cells)
        positive = np.bincount(nearest, source.positive, source_cells.n_cells)

        # A logistic regression on the standardized log-odds and the functions of the discrepancy.
        center = np.average(source_cells.log_odds, weights=source_cells.shares)
        spread = np.sqrt(
            np.average((source_cells.log_odds - center) ** 2, weights=source_cells.shares)
        )
        basis = rank_functions(source_cells.normal_ranks)
        design = np.column_stack(
            [np.ones(source_cells.n_cells), (source_cells.log_odds - center) / spread, basis]
        )
        # Scores of an unknown scale are not log-odds: a line in their own units is expected.
        line = (0.0, 1.0) if cells.kind.name in ANY_SCALE else (center, spread)
        means = np.r_[line, np.zeros(basis.shape[1])]
        stds = np.r_[PRIOR_STDS[:2], np.full(basis.shape[1], PRIOR_STDS[2])]

        # Draw coefficients from Laplace's approximation: curves on the target's cells.
        mode, root = _laplace(design, negative, positive, means, stds)
        normal = rng.standard_normal((self.n_curves, len(mode)))
        coefficients = mode + np.einsum("ij,kj->ik", normal, root)
        left, share = source_cells.place(cells.scores)
        right = np.minimum(left + 1, source_cells.n_cells - 1)
        at_cells = (1.0 - share) * design[left].T + share * design[right].T
        curves = np.einsum("ij,jk->ik", coefficients, at_cells)

        # Of some curves another intercept, as if the prevalence had changed.
        is_shifted = rng.random(self.n_curves) < SHIFTED_SHARE
        curves[is_shifted] += (
            PREVALENCE_SHIFT * rng.standard_normal(is_shifted.sum())[:, np.newaxis]
        )
        return curves

    def _sample(self) -> ScoreSample:
        check_aligned(scores=self.scores, labels=self.labels)
        scores = as_numbers(self.scores, "scores")
        labels = BinaryLabels.learn(self.labels, pos_label=self.pos_label)
        codes = labels.codes(self.labels, len(scores))
        if scores.ndim != 1 or not np.isfinite(scores).all():
            raise ValueError(
                f"The source's scores must be finite, of shape (n_source,); got shape "
                f"{scores.shape} with {int((~np.isfinite(scores)).sum())} that are not finite."
            )

        if not ((codes == 0).any() and (codes == 1).any()):
            raise ValueError(
                f"The source's labels must name both classes; got {int((codes == 1).sum())} "
                f"positive and {int((codes == 0).sum())} negative. Unlabeled source scores hold "
                f"no information on the target."
            )

        is_labeled = codes >= 0
        weights = check_frequencies(None, int(is_labeled.sum()))
        sample = ScoreSample.from_items(scores[is_labeled], codes[is_labeled], weights)
        if sample.n_cells < 2:
            raise ValueError(
                f"The labeled items of the source all have the score {sample.scores[0]:.6g}; a "
                f"curve needs at least two different scores."
            )
        return sample


def _check_scale(source: ScoreSample, cells: ScoreCells) -> None:
    low, high = source.scores[[0, -1]]
    outside = cells.shares[(cells.scores < low) | (cells.scores > high)].sum()
    is_beyond = (source.scores < cells.scores[0]) | (source.scores > cells.scores[-1])
    beyond = source.counts[is_beyond].sum() / source.counts.sum()
    if outside > 0.5 or beyond > 0.9:
        raise ValueError(
            f"{outside:.0%} of the scores lie outside the range of the source scores, {low:.6g} to "
            f"{high:.6g}, and {beyond:.0%} of the source scores lie outside the range of the "
            f"scores: both are on different scales. Score the source's items with the same "
            f"classifier and method (probabilities, or log-odds, for both)."
        )


def _laplace(
    design: np.ndarray,
    negative: np.ndarray,
    positive: np.ndarray,
    means: np.ndarray,
    stds: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Return the mode, and a root of the covariance, of a logistic regression."""
    beta = means.copy()
    total = negative + positive
    for _ in range(N_STEPS):
        # Not matrix products: BLAS sums in an order that depends on its threads.
        probability = special.expit(np.einsum("ij,j->i", design, beta))
        gradient = np.einsum("ij,i->j", design, positive - total * probability)
        gradient = gradient - (beta - means) / stds**2
        weights = total * probability * (1.0 - probability)
        curvature = np.einsum("ij,i,ik->jk", design, weights, design)
        curvature += np.diag(stds**-2.0)

        step = np.linalg.solve(curvature, gradient)
        # Newton's step is cut where it would leave the region in which it can be trusted.
        beta = beta + step * min(1.0, 2.0 / np.abs(step / stds).max())
        if np.abs(step / stds).max() < 1e-8:
            break
    return beta, np.linalg.inv(np.linalg.cholesky(curvature)).T
