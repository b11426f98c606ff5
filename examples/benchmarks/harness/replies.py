"""Estimates of one metric of several units at once, beside the truth.

Units are systems or subgroups.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from answers import LEVEL, Estimate
from measures import outside

# "A is better" counts as said above this probability.
SAID = 0.9
DIFFERENCE = "difference"
TAIL = (1.0 - LEVEL) / 2.0
# What is known of a share, and of a difference of two, where nothing defines it.
NOTHING, NO_DIFFERENCE = (0.5, 0.0, 1.0), (0.0, -1.0, 1.0)


@dataclass(frozen=True)
class Reply:
    """Estimates of one metric.

    Attributes
    ----------
    each : Estimate
        Of every unit; its fields are arrays.
    difference : Estimate
        Of the first minus the second unit of every pair, in the order of `pairs_of`.
    better : ndarray of shape (n_pairs,)
        The probability that it is positive; ties count half.
    """

    each: Estimate
    difference: Estimate
    better: np.ndarray

    @classmethod
    def from_draws(cls, draws, each=None) -> Reply:
        """Summarise draws of shape (n_draws, n_units), NaN where one does not define a metric.

        The estimates of single units may be those of a method itself.
        """
        first, second = pairs_of(draws.shape[1])
        differences = draws[:, first] - draws[:, second]
        better = share((differences > 0.0) + 0.5 * (differences == 0.0), ~np.isnan(differences))
        if each is None:
            each = summarised(draws, NOTHING)
        return cls(each, summarised(differences, NO_DIFFERENCE), better)

    @classmethod
    def from_estimates(cls, estimates) -> Reply:
        """Take estimates of the package that are of one fit."""
        gains = [
            estimates[a] - estimates[b] for a, b in zip(*pairs_of(len(estimates)), strict=True)
        ]
        better = [g.weights @ ((g.draws > 0.0) + 0.5 * (g.draws == 0.0)) for g in gains]
        return cls(said_by(estimates), said_by(gains), np.array(better))


def pairs_of(n):
    """Return the first and the second unit of every pair."""
    pairs = np.array(list(combinations(range(n), 2)), dtype=int).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def share(values, known):
    """Return the mean over draws that are known, a half where none is."""
    n = known.sum(axis=0)
    return np.where(n > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(n, 1), 0.5)


def summarised(draws, nothing) -> Estimate:
    """Return medians and intervals of columns, `nothing` for columns without a draw."""
    found = np.empty((3, draws.shape[1]))
    for column, values in enumerate(draws.T):
        known = values[~np.isnan(values)]
        found[:, column] = np.quantile(known, [0.5, TAIL, 1.0 - TAIL]) if len(known) else nothing
    return Estimate(*found)


def said_by(estimates) -> Estimate:
    """Return the values and intervals of estimates of the package."""
    ends = np.array([estimate.interval(LEVEL) for estimate in estimates]).reshape(-1, 2)
    return Estimate(np.array([e.value for e in estimates]), ends[:, 0], ends[:, 1])


def rows_of(reply, truth, parts):
    """Return a row of means for each part of the units, and one for all differences.

    Parameters
    ----------
    reply : Reply
    truth : ndarray of shape (n_units,)
        NaN where it is not defined; such units are left out.
    parts : sequence of str
        To which part every unit belongs.
    """
    parts, known = np.asarray(parts), ~np.isnan(truth)
    rows = []
    for part in dict.fromkeys(parts[known]):
        rows.append({"part": str(part), **means(reply.each, truth, known & (parts == part))})
    first, second = pairs_of(len(truth))
    gain = truth[first] - truth[second]
    some = ~np.isnan(gain)
    if some.any():
        rows.append(
            {
                "part": DIFFERENCE,
                **means(reply.difference, gain, some),
                **worth(reply.better[some], gain[some]),
            }
        )
    return rows


def means(estimate, truth, some):
    """Return how good the estimates of some units are, on average."""
    missed_by = outside(estimate, truth)
    width = estimate.high - estimate.low
    measured = {
        "error": np.abs(estimate.value - truth),
        "bias": estimate.value - truth,
        "covered": missed_by == 0.0,
        "width": width,
        "winkler": width + 2.0 / (1.0 - LEVEL) * missed_by,
    }
    means_ = {name: float(np.mean(values[some])) for name, values in measured.items()}
    return {"count": int(some.sum()), **means_}


def worth(better, gain):
    """Return the Brier score of the probabilities, and how many were said and were right."""
    came = (gain > 0.0) + 0.5 * (gain == 0.0)
    said = np.maximum(better, 1.0 - better) > SAID
    right = said & ((better > 0.5) == (gain > 0.0)) & (gain != 0.0)
    return {
        "brier": float(np.mean((better - came) ** 2)),
        "said": int(said.sum()),
        "right": int(right.sum()),
    }
