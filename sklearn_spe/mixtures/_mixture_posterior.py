"""The posterior of a mixture, and items drawn from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..data._sample import ScoreSample
from ..data._scale import ScoreScale
from ..inference._draws import Draws, effective_size
from ..inference._modes import NormalDraws
from ..inputs._arrays import row_tiles
from ..posterior._posterior import BLOCK, Block, Posterior, blocks_of
from ..results._estimates import ScalarEstimate
from ._two_class import TwoClassMixture, names_of_parameters

# Population curves are computed on so many thresholds by rank, and as many evenly spaced.
N_THRESHOLDS = 192


def draw_items(mixture, u: np.ndarray, rng: np.random.Generator, size: int):
    """Draw scores (on the model scale) and labels 0 and 1 from one `u` of shape (n_dim,)."""
    prevalence, negative, positive = mixture.values(np.atleast_2d(u))
    labels = (rng.random(size) < prevalence[0, 0]).astype(np.int8)
    scores = mixture.negative.rvs(rng, size, *(v[0, 0] for v in negative))
    drawn = mixture.positive.rvs(rng, int(labels.sum()), *(v[0, 0] for v in positive))
    scores[labels == 1] = drawn
    return scores, labels


@dataclass(frozen=True, eq=False, repr=False)
class MixturePosterior(Posterior):
    """Weighted draws of the parameters of one or several mixtures.

    Attributes
    ----------
    scale : ScoreScale
        From the user's scores to the model scale.
    sample : ScoreSample
        The scores and known labels, on the user's scale.
    mixtures : tuple of TwoClassMixture
        The pairs of families that are averaged.
    draws : tuple of Draws
        Draws of the parameters of each.
    mixture_weights : ndarray of shape (n_mixtures,)
        The probability of each, summing to one.
    """

    scale: ScoreScale
    sample: ScoreSample
    mixtures: tuple[TwoClassMixture, ...]
    draws: tuple[Draws, ...]
    mixture_weights: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws, of shape (n_draws,), summing to one."""
        parts = [w * d.weights for w, d in zip(self.mixture_weights, self.draws, strict=True)]
        weights = np.concatenate(parts)
        return weights / weights.sum()

    @property
    def n_draws(self) -> int:
        """Number of draws of all mixtures."""
        return sum(len(d) for d in self.draws)

    @property
    def ess(self) -> float:
        """Kish's effective number of draws."""
        return effective_size(self.weights)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Where the uncertainty comes from: "posterior", or "fisher" after maximum likelihood."""
        return "fisher" if isinstance(self.draws[0], NormalDraws) else "posterior"

    @property
    def center(self) -> MixturePosterior | None:  # type: ignore[override]
        """The maximum of the likelihood of each mixture, for `method="em"`."""
        if self.kind != "fisher":
            return None
        return replace(self, draws=tuple(draws.centered for draws in self.draws))

    @property
    def pareto_k(self) -> float:
        """The worst k-hat among the mixtures that matter."""
        matters = self.mixture_weights >= 0.05 * self.mixture_weights.max()
        return max(
            draws.pareto_k for draws, is_heavy in zip(self.draws, matters, strict=True) if is_heavy
        )

    def blocks(self) -> list[Block]:
        """Return the fixed blocks in which draws are treated."""
        blocks: list[Block] = []
        first = 0
        for k, draws in enumerate(self.draws):
            for block in blocks_of(len(draws)):
                rows = slice(first + block.rows.start, first + block.rows.stop)
                blocks.append(Block(len(blocks), k, rows, block.rows))
            first += len(draws)
        return blocks

    def _drawn(self, block: Block) -> tuple[TwoClassMixture, np.ndarray]:
        """Return the mixture of a block, and its draws."""
        return self.mixtures[block.mixture], self.draws[block.mixture].points[block.own_rows]

    def positive_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        mixture, u = self._drawn(block)
        return mixture.positive_probability(u, *self.scale.points(scores))

    def population_rates(self, block: Block, thresholds: np.ndarray | None = None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        model = self._curve_thresholds if thresholds is None else self.scale.thresholds(thresholds)
        mixture, u = self._drawn(block)
        prevalence, tpr, fpr = mixture.rates(u, model)

        if thresholds is not None:
            return prevalence, tpr, fpr, np.zeros(len(model), dtype=bool)
        # Below all scores lies everything.
        ones = np.ones(len(prevalence))
        tpr = np.column_stack([tpr, ones])
        fpr = np.column_stack([fpr, ones])
        steps = np.r_[np.isin(model, self.scale.tie_ends[0]), False]
        return prevalence, tpr, fpr, steps

    @cached_property
    def _curve_thresholds(self) -> np.ndarray:
        """Decreasing thresholds on the model scale, dense near scores, beyond both ends."""
        scale = self.scale
        by_rank = scale.transform(self.sample.quantile(np.linspace(0.0, 1.0, N_THRESHOLDS)))
        low = by_rank[0] - 2.0 * scale.spread
        high = by_rank[-1] + 3.0 * scale.spread
        even = np.linspace(low, high, N_THRESHOLDS)
        return np.unique(np.r_[scale.grid(np.r_[by_rank, even]), *scale.tie_ends])[::-1]

    def log_predictive(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of the posterior expectations of p(score, y = 0) and p(score, y = 1).

        They are finite for every finite score.
        """
        distinct, inverse = np.unique(scores, return_inverse=True)
        with np.errstate(divide="ignore"):
            log_weights = np.log(self.weights)[:, np.newaxis]

        totals = [np.full(len(distinct), -np.inf), np.full(len(distinct), -np.inf)]
        for part in row_tiles(len(distinct), BLOCK):
            for block in self.blocks():
                joint = self.log_score_density(distinct[part], block)
                for total, log_density in zip(totals, joint, strict=True):
                    log_density += log_weights[block.rows]
                    total[part] = np.logaddexp(total[part], _log_sum_exp(log_density))

        return totals[0][inverse], totals[1][inverse]

    def log_score_density(self, scores: np.ndarray, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1) for each draw of a block.

        The densities are those of the score on the user's scale.
        """
        mixture, u = self._drawn(block)
        jacobian = self.scale.log_jacobian(scores)
        joint = mixture.log_score_density(u, *self.scale.points(scores))
        return tuple(log_density + jacobian for log_density in joint)

    @property
    def prevalence_draws(self) -> np.ndarray:
        """The prevalence of the population in each draw, (n_draws, 1)."""
        pairs = zip(self.mixtures, self.draws, strict=True)
        return np.concatenate([mixture.values(draws.points)[0] for mixture, draws in pairs])

    def parameters(self, index: int = 0) -> dict[str, ScalarEstimate]:
        """Return the parameters of one mixture, by name: "prevalence", "negative_mean", ...

        Means and standard deviations are in the units of the scores, or of their logits if that
        is the model scale; of scores that were turned so that larger ones mean positive.

        Parameters
        ----------
        index : int, default=0
            Which of `mixtures`.
        """
        mixture = self.mixtures[index]
        of_mixture = replace(
            self, mixtures=(mixture,), draws=(self.draws[index],), mixture_weights=np.ones(1)
        )

        estimates = {}
        names = names_of_parameters(mixture.negative, mixture.positive)
        for j, (name, parameter) in enumerate(zip(names, mixture.parameters, strict=True)):

            def values(posterior, j=j, parameter=parameter):
                model = parameter.value(posterior.draws[0].points[:, [j]])
                if parameter.role == "shape":
                    return model
                origin = self.scale.origin if parameter.role == "location" else 0.0
                return model * self.scale.unit + origin

            estimates[name] = of_mixture.number(name, values)
        return estimates

    def rvs(self, rng: np.random.Generator, size: int):
        """Draw scores on the user's scale, and labels 0 and 1."""
        drawn = np.sort(rng.choice(self.n_draws, size=size, p=self.weights))
        points = np.empty(size)
        labels = np.empty(size, dtype=np.int8)
        mixture_of_draw = np.repeat(
            np.arange(len(self.draws)), [len(draws) for draws in self.draws]
        )
        points_of_draws = [u for draws in self.draws for u in draws.points]

        # Draw the items of each posterior draw together.
        distinct, firsts = np.unique(drawn, return_index=True)
        for draw, first, stop in zip(distinct, firsts, [*firsts[1:], size], strict=True):
            mixture = self.mixtures[mixture_of_draw[draw]]
            rows = slice(first, stop)
            points[rows], labels[rows] = draw_items(
                mixture, points_of_draws[draw], rng, stop - first
            )

        # In a random order.
        order = rng.permutation(size)
        return self.scale.inverse_transform(points[order]), labels[order]

    def __repr__(self) -> str:
        names = ", ".join(
            f"{m.name} {w:.2f}" for m, w in zip(self.mixtures, self.mixture_weights, strict=True)
        )
        return (
            f"MixturePosterior({names}; n_draws={self.n_draws}, ess={self.ess:.0f}, "
            f"pareto_k={self.pareto_k:.2f})"
        )


def _log_sum_exp(log_values: np.ndarray) -> np.ndarray:
    """Return the log of the sum of exponentials over rows, where a row of -inf may occur."""
    high = np.maximum(log_values.max(axis=0), np.finfo(float).min)
    return np.log(np.maximum(np.exp(log_values - high).sum(axis=0), np.finfo(float).tiny)) + high
