"""The verdict on a fit, and the warning that labels were removed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..exceptions import RemovedLabelsWarning, level_of_the_user
from ..families._norm_mixture import NormMixture
from ..families._real_line import Norm
from ..inputs._scores import ScoreDirection
from ..inputs._validation import spawn
from ..mixtures._comparison import Comparison, kolmogorov_smirnov
from ..mixtures._fit import COARSE_CELLS, EM_TOL, sketch_mixture, sketch_modes
from ..mixtures._mixture_posterior import MixturePosterior
from ..posterior._posterior import CellPosterior, Posterior
from ..results._remedies import Remedy
from ..results._verdict import Reason, Verdict
from ._question_reasons import reasons_of_hidden
from ._reasons import (
    reason_of_inversion,
    reasons_of_contradiction,
    reasons_of_labels,
    reasons_of_one_score,
    reasons_of_order,
    reasons_of_wrong_order,
)

# Critical value of the Kolmogorov-Smirnov distance times sqrt(n): correct families exceed it in one
# of a hundred fits.
LARGEST_DISTANCE = 1.05
# The prior dominates if the interval of average precision has at least this fraction of its prior
# width.
LARGEST_SHARE_OF_PRIOR = 0.8
# One expert has at least this weight, with fewer labels of the rarer class than this.
NEARLY_ALL = 0.9
MIN_TESTS = 10.0
# Draws of a rough fit with two normals in a class.
N_SKETCH_DRAWS = 400
# The remedy for a small effective sample size.
MORE_DRAWS = Remedy("{More_draws}.")
# Minimum effective sample size.
MIN_ESS = 100.0
MAX_K = 0.7


def warn_of_removed(n_lost: float, n_before: float) -> None:
    """Warn of removed labels, at the caller of an estimator's `update`."""
    if n_lost > 0.0:
        warnings.warn(
            f"{n_lost:g} of {n_before:g} items that were labeled before are unlabeled now. "
            "update requires all known labels: pass the old ones as well.",
            RemovedLabelsWarning,
            stacklevel=level_of_the_user(),
        )


def reasons_of_experts(
    posterior: CellPosterior, before: tuple[float, float], score_direction: ScoreDirection
) -> Iterator[Reason]:
    """Yield diagnostics of the updated experts and their draws."""
    # With one distinct score, neither the order nor the curve is in question.
    if posterior.sample.n_cells > 1:
        precision = posterior.expected_average_precision
        yield from reasons_of_wrong_order(posterior, score_direction)
        yield from _prior_dominates(posterior, score_direction, before, precision)
        yield from _one_expert_alone(posterior)
        yield from reasons_of_hidden(posterior)


def verdict_on_mixture(
    posterior: MixturePosterior, comparison: Comparison, score_direction: ScoreDirection
) -> Verdict:
    """Return the verdict on the papers' mixture."""
    if posterior.kind == "fisher":
        draws = [*_not_converged(posterior), *_not_normal(posterior)]
    else:
        draws = list(_few_draws(posterior))

    reasons = [
        *_reversed(comparison, score_direction),
        *reasons_of_one_score(posterior.sample),
        *reasons_of_labels(posterior, score_direction),
        *reasons_of_contradiction(posterior, score_direction),
        *reasons_of_order(posterior, score_direction),
        *_misfit(posterior, comparison),
    ]
    if any(reason.verdict == "misfit" for reason in reasons):
        reasons += _two_normals_fit(posterior, score_direction)
    return Verdict([*reasons, *draws])


def _misfit(posterior: MixturePosterior, comparison: Comparison) -> Iterator[Reason]:
    root = np.sqrt(posterior.sample.counts.sum())
    distance = float(comparison.weights @ comparison.ks) * root
    if distance > LARGEST_DISTANCE:
        yield Reason(
            "score_distribution",
            "misfit",
            "The fitted mixture differs from the distribution of the scores: their "
            f"Kolmogorov-Smirnov distance is {distance / root:.3f}, and for correct families "
            f"it is below {LARGEST_DISTANCE / root:.3f}. Bands may be too narrow or wrong:",
            distance,
            LARGEST_DISTANCE,
            remedy=Remedy(
                "{default_model}.", default_model="use experts='auto', or other families"
            ),
            parameter="experts",
        )


def _two_normals_fit(
    posterior: MixturePosterior, score_direction: ScoreDirection
) -> Iterator[Reason]:
    """Yield a remark if scores and labels fit a mixture with two normals in one class."""
    families = {type(f) for m in posterior.mixtures for f in (m.negative, m.positive)}
    if NormMixture in families:
        return

    sample = posterior.sample
    if any(reason_of_inversion(sample, score_direction)):
        return
    model_sample = posterior.scale.apply(sample)
    # A sketch climbs in few cells; the distance below sees all of them.
    coarse = model_sample.grouped(COARSE_CELLS)
    root = np.sqrt(sample.counts.sum())
    pairs = (NormMixture(), Norm()), (Norm(), NormMixture())

    # Fits of two normals in one class, whose scores and labels agree with it.
    fits = []
    for k, (negative, positive) in enumerate(pairs):
        mixture = replace(posterior.mixtures[0], negative=negative, positive=positive)
        try:
            modes = sketch_modes(mixture, coarse)
            draws, _ = sketch_mixture(mixture, coarse, modes, N_SKETCH_DRAWS, spawn(0, k))
        except ValueError:
            # No start or no draw has a density: the pair is not one that fits.
            continue
        distance = kolmogorov_smirnov(mixture, draws, posterior.scale, model_sample) * root
        alone = MixturePosterior(posterior.scale, sample, (mixture,), (draws,), np.ones(1))
        contradicted = any(reasons_of_contradiction(alone, score_direction))
        if distance <= LARGEST_DISTANCE and not contradicted:
            fits.append((draws.log_evidence, distance, negative.name, positive.name))

    if fits:
        _, distance, *names = max(fits)
        part = "negatives" if names[0] == NormMixture.name else "positives"
        two_normals = f"SemisupervisedScoreMixture({names[0]!r}, {names[1]!r}, experts=None)"
        yield Reason(
            "several_heaps",
            "ok",
            f"Two normals for the {part} have the distribution of the scores, and the labels do "
            "not contradict them: one normal for each class does not suffice.",
            float(distance),
            LARGEST_DISTANCE,
            remedy=Remedy("{Default_model}.", default_model=f"use {two_normals}"),
            parameter="experts",
        )


def _prior_dominates(
    posterior: CellPosterior,
    score_direction: ScoreDirection,
    before: tuple[float, float],
    precision: np.ndarray,
) -> Iterator[Reason]:
    if not posterior.sample.n_labeled:
        return
    low, high = before
    if high <= low:
        return
    share = float(np.diff(np.quantile(precision, [0.05, 0.95]))[0] / (high - low))
    if share > LARGEST_SHARE_OF_PRIOR:
        yield Reason(
            "prior_dominates",
            "unidentified",
            f"The interval of average precision is {share:.0%} as wide as before any label: it "
            "is dominated by the prior.",
            share,
            LARGEST_SHARE_OF_PRIOR,
            remedy=f"Label more items, some of them with {score_direction.word('high')} scores.",
        )


def _one_expert_alone(posterior: CellPosterior) -> Iterator[Reason]:
    weights = posterior.updated.weights
    heaviest = int(np.argmax(weights.posterior))
    sample = posterior.sample
    n_rarer = float(min(sample.negative.sum(), sample.positive.sum()))
    name = weights.names[heaviest]
    share = float(weights.posterior[heaviest])

    # Nearly all of the weight, which too few labels test.
    alone = weights.posterior[heaviest] >= NEARLY_ALL > weights.prior[heaviest]
    if alone and 0.0 < n_rarer < MIN_TESTS:
        yield Reason(
            "one_expert_alone",
            "unidentified",
            f"The expert {name!r} weighs {share:.0%}, and {n_rarer:g} labels of the rarer class "
            "are too few to test it: if it is misspecified, the bands are too narrow.",
            n_rarer,
            MIN_TESTS,
            remedy="Label more items of both classes.",
            details={"expert": name, "share": share},
            plain="One assumption about the scores has nearly all of the weight, and it takes "
            f"{MIN_TESTS:g} labels of the rarer class to test it: if it is wrong, the intervals "
            "are too narrow.",
        )


def _reversed(comparison: Comparison, score_direction: ScoreDirection) -> Iterator[Reason]:
    """Yield a reason if positives score lower than negatives under every pair of families."""
    # A pair under which they do has a weight only if no other is left.
    if not comparison.ordered[np.argmax(comparison.weights)]:
        yield Reason(
            "reversed_classes",
            "misfit",
            f"Positives score {score_direction.word('lower')} than negatives under the fit of "
            "every pair of families: the families are wrong, or there are too few labels.",
            0.0,
            1.0,
            remedy=Remedy(
                "{Default_model}.", default_model="use other families, or experts='auto'"
            ),
            parameter="experts",
        )


def _not_converged(posterior: Any) -> Iterator[Reason]:
    for mixture, draws in zip(posterior.mixtures, posterior.draws, strict=True):
        if not draws.converged:
            yield Reason(
                "not_converged",
                "ok",
                f"Expectation maximization of {mixture.name} did not converge: its last "
                f"iteration changed the log likelihood by a relative {draws.last_change:.1e}. "
                "The best parameters found are kept.",
                draws.last_change,
                EM_TOL,
                remedy=Remedy(
                    "{Default_model}.", default_model="try other families, or method='importance'"
                ),
                parameter="method",
            )


def _not_normal(posterior: MixturePosterior) -> Iterator[Reason]:
    if not posterior.pareto_k <= MAX_K:
        yield Reason(
            "not_normal",
            "unidentified",
            "The likelihood is far from normal around its maximum (k-hat "
            f"{posterior.pareto_k:.2f}): intervals by the observed information may be far too "
            "narrow.",
            float(posterior.pareto_k),
            MAX_K,
            remedy=Remedy("{Default_model}.", default_model="leave method='em' out"),
            parameter="method",
        )


def _few_draws(posterior: Posterior) -> Iterator[Reason]:
    ess = posterior.ess
    pareto_k = posterior.pareto_k
    # k-hat is infinite for a few very uneven weights.
    is_heavy = MAX_K < pareto_k < np.inf
    if ess < MIN_ESS or is_heavy:
        yield Reason(
            "few_draws",
            "unreliable",
            f"The importance sample is unreliable (effective sample size {ess:.0f}, k-hat "
            f"{pareto_k:.2f}): intervals may be inaccurate, and too narrow if k-hat is above 0.7. "
            "The computation failed, not the labels.",
            float(pareto_k if is_heavy else ess),
            MAX_K if is_heavy else MIN_ESS,
            remedy=MORE_DRAWS,
            parameter="n_draws",
            plain="The computation is not reliable: too few of its simulations fit these labels.",
        )
