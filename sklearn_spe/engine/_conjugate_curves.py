r"""Components whose curves are drawn given the labels, in closed form.

The labels choose among other curves, drawn before; of rates that are independent of each other
hardly any of a few hundred would be left. Instead n curves :math:`m_j` come from their posterior
given the labels at once, and each weighs

.. math:: \frac{w}{n} \frac{Z}{L(m_j)\, p(\pi_j)}

with the weight :math:`w` of the expert, the likelihood :math:`L`, the prior :math:`p` of the
prevalence and the evidence :math:`Z` of both. The engine multiplies this by likelihood and prior,
like the weight of every component: so they have equal weights, and that of the expert is :math:`w
Z`. Random effects and a known total enter as they do elsewhere.

A prior of the prevalence moves no weight from the other experts to these before any label: rates
come as near to zero as one likes, where a prior that expects rare positives is largest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..experts._expert import CurveEnsemble, PriorCurves
from ..families._family import BetaPrior
from ._components import CurveComponents
from ._label_rows import LabelRows
from ._prevalence_information import MIN_SHARE, LabeledTailPrior


def with_conjugate_curves(
    components: CurveComponents,
    rows: LabelRows,
    prior: BetaPrior | LabeledTailPrior,
    rng: np.random.Generator,
) -> CurveComponents:
    """Return components with the curves of conjugate experts drawn given the labels.

    `prior` is that of the prevalence.
    """
    is_of_labels = (rows.base == 0.0) & (rows.gain == 1.0)
    # Without labels, and a prior that prefers none of them, the curves are as they were drawn.
    if not components.is_conjugate.any() or (prior.is_flat and not is_of_labels.any()):
        return components

    log_mean = 0.0 if prior.is_flat else _log_mean_of_others(components, prior)
    ensembles = list(components.ensembles)
    log_prior = np.array(components.log_prior)
    spread = np.array(components.spread)
    expert = 0
    for axis, ensemble in enumerate(ensembles):
        parts = list(ensemble.parts)
        for number, part in enumerate(parts):
            if part.conjugate is not None:
                updated, log_weights = _updated(
                    ensemble, part, rows, axis, is_of_labels, prior, rng
                )
                parts[number] = updated
                is_of_expert = components.expert == expert
                log_prior[is_of_expert] += log_weights + log_mean
                spread[is_of_expert] = ensemble.spreads_of(updated.curves)
            expert += 1
        ensembles[axis] = replace(ensemble, parts=tuple(parts))
    return replace(components, ensembles=tuple(ensembles), log_prior=log_prior, spread=spread)


def _log_mean_of_others(components: CurveComponents, prior: BetaPrior | LabeledTailPrior) -> float:
    """Return the log of the mean prior density of other components, before any label."""
    is_other = ~components.is_conjugate
    log_prior = components.log_prior[is_other]
    if not np.isfinite(log_prior).any():
        return 0.0

    log_density = np.empty(components.n)
    for axis, on_axis in components.axes_of(np.arange(components.n)):
        ensemble = components.ensembles[axis]
        curves = ensemble.curves[:, components.curve[on_axis]]
        prevalence = np.einsum("ij,i->j", special.expit(curves), ensemble.cells.shares)
        prevalence = components.bottom[on_axis] + components.room[on_axis] * prevalence
        log_density[on_axis] = prior.logpdf(_clipped(prevalence, ensemble.cells))

    weighted = special.logsumexp(log_prior + log_density[is_other])
    return float(weighted - special.logsumexp(log_prior))


def _updated(
    ensemble: CurveEnsemble,
    part: PriorCurves,
    rows: LabelRows,
    axis: int,
    is_of_labels: np.ndarray,
    prior: BetaPrior | LabeledTailPrior,
    rng: np.random.Generator,
) -> tuple[PriorCurves, np.ndarray]:
    """Return the curves of an expert given the labels, and their log weights, (n_curves,)."""
    assert part.conjugate is not None
    cells = ensemble.cells
    places = rows.places[axis]

    # Count the labels at the nearest cells.
    nearest = (places.left + (places.share > 0.5))[is_of_labels]
    nearest = np.minimum(nearest, cells.n_cells - 1)
    of_rows = rows.positive[is_of_labels]
    positive = np.bincount(nearest, of_rows, cells.n_cells)
    negative = np.bincount(nearest, rows.total[is_of_labels] - of_rows, cells.n_cells)

    def log_weight(prevalence: np.ndarray) -> np.ndarray:
        return prior.logpdf(_clipped(prevalence, cells))

    curves, log_evidence = part.conjugate.updated_curves(
        cells, negative, positive, None if prior.is_flat else log_weight, rng
    )

    # As the engine sees them: labels between cells, and the prevalence by cells.
    prevalence = np.einsum("ij,j->i", special.expit(curves), cells.shares)
    log_density = prior.logpdf(np.clip(prevalence, MIN_SHARE, 1.0 - MIN_SHARE))
    curves = np.ascontiguousarray(curves.T)
    log_likelihoods = rows.log_likelihoods(special.expit(places.at(curves)).T)
    log_density += log_likelihoods[:, is_of_labels].sum(axis=1)
    return replace(part, curves=curves), log_evidence - log_density


def _clipped(prevalence: np.ndarray, cells: ScoreCells) -> np.ndarray:
    """Return prevalences as far from 0 and 1 as half an item, beyond which no density counts."""
    least = 0.5 / float(cells.counts.sum())
    return np.clip(prevalence, least, 1.0 - least)
