"""What speaks against a fit: the reasons of its verdict."""

from __future__ import annotations

import numpy as np

from ..experts._cell_posterior import CellPosterior
from ..fitting._comparison import Comparison
from ..fitting._fit import EM_TOL
from ..fitting._mixture_posterior import MixturePosterior
from ..inputs._orientation import Orientation
from ..results._verdict import Reason, Verdict
from ._label_reasons import reasons_of_labels, reasons_of_one_score
from ._order_reasons import reasons_of_doubt, reasons_of_order

__all__ = ["reasons_of_experts", "verdict_on_curves", "verdict_on_mixture"]

# The Kolmogorov-Smirnov distance times the root of the number of scores: true families reach
# this once in a hundred fits.
LARGEST_DISTANCE = 1.05
# The interval of average precision is this share of what it was before any label, or more.
LARGEST_SHARE_OF_PRIOR = 0.8
# Dropping the heaviest expert moves average precision by this share of its interval.
LARGEST_SHIFT = 0.5
LEAST_OTHERS = 50
# One expert has this much of the weight, and fewer labels of the rarer class than these agree.
NEARLY_ALL, LEAST_TESTS = 0.9, 10.0
# What can be done about few draws: a bank of curves is as large as it is.
OTHER_SEEDS = (
    "Fit with other values of random_state as well: digits in which answers differ mean nothing."
)
MORE_DRAWS = "Use more n_draws, or experts='auto'."
# Below these the draws stand badly for the posterior.
LEAST_ESS, LARGEST_K = 100.0, 0.7
# Moves within their slack set draws apart, so that few different curves are enough.
LEAST_CURVES = 3.0


def verdict_on_curves(
    posterior: CellPosterior,
    before: tuple[float, float],
    orientation: Orientation,
) -> Verdict:
    """Return the verdict on curves, of whose average precision `before` was the 90% interval."""
    return Verdict(
        [
            *reasons_of_one_score(posterior.sample),
            *reasons_of_labels(posterior, orientation),
            *reasons_of_order(posterior, orientation),
            *reasons_of_experts(posterior, before, orientation),
        ]
    )


def reasons_of_experts(posterior: CellPosterior, before: tuple[float, float], orientation):
    """Yield what experts that labels have judged, and their draws, give cause to say."""
    if posterior.sample.n_cells == 1:
        # There is no order to doubt, and no curve that experts disagree about.
        yield from _few_draws(posterior.ess, posterior.pareto_k, LEAST_CURVES, np.inf, OTHER_SEEDS)
        return
    precision = posterior.expected_average_precision
    yield from reasons_of_doubt(posterior, orientation)
    yield from _prior_dominates(posterior, orientation, before, precision)
    yield from _one_expert_decides(posterior, precision)
    yield from _few_draws(posterior.ess, posterior.pareto_k, LEAST_CURVES, np.inf, OTHER_SEEDS)


def verdict_on_mixture(
    posterior: MixturePosterior, comparison: Comparison, orientation: Orientation
) -> Verdict:
    """Return the verdict on a bare mixture."""
    root = np.sqrt(posterior.sample.counts.sum())
    distance = float(comparison.weights @ comparison.ks) * root
    fit = []
    if distance > LARGEST_DISTANCE:
        fit = [
            Reason(
                "score_distribution",
                "misfit",
                f"The fitted mixture does not have the distribution of the scores: their "
                f"Kolmogorov-Smirnov distance is {distance / root:.3f}, and families that are "
                f"right stay below {LARGEST_DISTANCE / root:.3f}. Bands may be narrow and wrong: "
                f"use experts='auto', or other families.",
                distance,
                LARGEST_DISTANCE,
            )
        ]
    if posterior.kind == "fisher":
        draws = [*_not_converged(posterior), *_not_normal(posterior)]
    else:
        draws = _few_draws(posterior.ess, posterior.pareto_k, LEAST_ESS, LARGEST_K, MORE_DRAWS)
    labels = [
        *reasons_of_one_score(posterior.sample),
        *reasons_of_labels(posterior, orientation),
        *reasons_of_order(posterior, orientation),
    ]
    return Verdict([*_reversed(comparison, orientation), *labels, *fit, *draws])


def _prior_dominates(posterior, orientation, before, precision):
    if not posterior.sample.n_labeled:
        return
    low, high = before
    share = float(np.diff(np.quantile(precision, [0.05, 0.95]))[0] / (high - low))
    if share > LARGEST_SHARE_OF_PRIOR:
        yield Reason(
            "prior_dominates",
            "unidentified",
            f"The interval of average precision is {share:.0%} as wide as before any label: it "
            f"says what classifiers are like, not what this one is. Label more items, best some "
            f"with {orientation.word('high')} scores.",
            share,
            LARGEST_SHARE_OF_PRIOR,
        )


def _one_expert_decides(posterior, precision):
    weights = posterior.judged.weights
    heaviest = int(np.argmax(weights.posterior))
    sample = posterior.sample
    n_rarer = float(min(sample.negative.sum(), sample.positive.sum()))
    alone = weights.posterior[heaviest] >= NEARLY_ALL > weights.prior[heaviest]
    if alone and 0.0 < n_rarer < LEAST_TESTS:
        yield Reason(
            "one_expert_alone",
            "unidentified",
            f"The expert {weights.names[heaviest]!r} weighs {weights.posterior[heaviest]:.0%}, and "
            f"{n_rarer:g} labels of the rarer class can hardly have tested it: where it is wrong "
            f"the bands are too narrow. Label more items of both classes.",
            n_rarer,
            LEAST_TESTS,
        )
    others = precision[posterior.judged.expert != heaviest]
    if len(others) < LEAST_OTHERS:
        return
    low, middle, high = np.quantile(precision, [0.05, 0.5, 0.95])
    shift = float(abs(np.median(others) - middle) / (high - low))
    if shift > LARGEST_SHIFT:
        yield Reason(
            "one_expert_decides",
            "unidentified",
            f"Without the expert {weights.names[heaviest]!r}, which weighs "
            f"{weights.posterior[heaviest]:.0%}, average precision would be "
            f"{np.median(others):.2f} rather than {middle:.2f}: the labels do not decide between "
            f"them yet. Label more items.",
            shift,
            LARGEST_SHIFT,
        )


def _reversed(comparison, orientation):
    if not comparison.ordered[np.argmax(comparison.weights)]:
        yield Reason(
            "reversed_classes",
            "misfit",
            f"Under the fit positives score {orientation.word('lower')} than negatives, and so for "
            f"every pair of families: they are wrong, or the labels too few. Take other families, "
            f"or experts='auto'.",
            0.0,
            1.0,
        )


def _not_converged(posterior):
    for mixture, draws in zip(posterior.mixtures, posterior.draws, strict=True):
        if not draws.converged:
            yield Reason(
                "not_converged",
                "ok",
                f"Expectation maximisation of {mixture.name} did not converge: its last iteration "
                f"raised the log likelihood by {draws.last_change:.1e} of its size. The best "
                f"parameters found are kept. Try other families, or method='importance'.",
                draws.last_change,
                EM_TOL,
            )


def _not_normal(posterior):
    if not posterior.pareto_k <= LARGEST_K:
        yield Reason(
            "not_normal",
            "unidentified",
            f"The likelihood is not nearly normal around its maximum (k-hat "
            f"{posterior.pareto_k:.2f}): intervals by the observed information may be far too "
            f"narrow. Leave method='em' out.",
            float(posterior.pareto_k),
            LARGEST_K,
        )


def _few_draws(ess, pareto_k, least_ess, largest_k, remedy):
    if ess < least_ess or pareto_k > largest_k:
        # Few draws are noise, of which k-hat is infinite; heavy weights have not seen how wide the
        # posterior is.
        heavy = largest_k < pareto_k < np.inf
        yield Reason(
            "few_draws",
            "unidentified" if heavy else "ok",
            f"The draws stand badly for the posterior (effective sample size {ess:.0f}, "
            f"k-hat {pareto_k:.2f}): bands may be off, and too narrow if k-hat is above 0.7. "
            f"{remedy}",
            float(ess) if ess < least_ess and not heavy else float(pareto_k),
            least_ess if ess < least_ess and not heavy else largest_k,
        )
