"""Ensembles of experts, judged by the draws of each expert alone."""

from __future__ import annotations

import numpy as np
from alone import QUESTIONS
from scipy import special
from score_files import SHARED_WEIGHTS

from sklearn_spe.experts._registry import EXPERTS
from sklearn_spe.results._distributions import WeightedDraws

LEVEL = 0.9
# Factors of the experts' weights; None takes only these.
ENSEMBLES = {
    "all": {},
    **{f"without {name}": {name: 0.0} for name in EXPERTS},
    **{f"{name} alone": {other: 0.0 for other in EXPERTS if other != name} for name in EXPERTS},
}
# Of quantities that may lie at an edge that labels of one class leave open.
OPEN = {"ap": True, "auc": False, "prevalence": True, "f1": True}


def table(fits, ensembles, *, halves: bool, rst: bool) -> str:
    """Return interval score and coverage of each ensemble, by bench and number of labels."""
    parts = {"": lambda name: True}
    if halves:
        parts = {" (1)": lambda name: _half(name) == 0, " (2)": lambda name: _half(name) == 1}
    cells = {}
    for label, factors in ensembles.items():
        for fit in fits.values():
            scored = score(fit, factors)
            if scored is None:
                continue
            for part, holds in parts.items():
                if holds(fit["data_set"]):
                    column = f"{fit['bench']}, {fit['n_labels']}{part}"
                    cells.setdefault((label, column), []).append((fit["data_set"], *scored))
    columns = list(dict.fromkeys(column for _, column in cells))
    rows = [["experts", *columns]]
    for label in ensembles:
        means = [_mean(cells.get((label, column))) for column in columns]
        rows.append([label, *(f"{s:.3f} / {c:.2f}" if s == s else "" for s, c in means)])
    if rst:
        return "\n".join(" | ".join(row) for row in rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def score(fit, factors) -> tuple[float, float] | None:
    """Return the mean interval score and coverage: of average precision, of all four of shapes."""
    names = [name for name in fit["experts"] if factors.get(name, 1.0) > 0.0]
    if not names:
        return None
    experts = [fit["experts"][name] for name in names]
    prior = np.array(
        [factors.get(n, 1.0) * e["prior_weight"] for n, e in zip(names, experts, strict=True)]
    )
    if not prior.any():
        return None
    with np.errstate(divide="ignore"):
        weights = special.softmax(np.log(prior) + [own["log_evidence"] for own in experts])
    draws = np.concatenate([own["draws"] for own in experts])
    each = np.concatenate(
        [
            np.full(len(own["draws"]), w / len(own["draws"]))
            for own, w in zip(experts, weights, strict=True)
        ]
    )
    distribution = WeightedDraws(draws, each)
    asked = [0] if fit["bench"] in ("public", "thinned") else range(len(QUESTIONS))
    measured = []
    for k in asked:
        low, high = _interval(distribution, k, fit["n_seen"])
        truth = fit["truth"][k]
        outside = max(low - truth, truth - high, 0.0)
        measured.append((high - low + 2.0 / (1.0 - LEVEL) * outside, outside <= 1e-9))
    return tuple(np.mean(measured, axis=0))


def _interval(distribution, k, n_seen):
    """Return the ends of one quantity's interval, at the edge that labels leave open."""
    of_one_class = 0 in n_seen
    tail = (1.0 - LEVEL) / (4.0 if of_one_class and OPEN[QUESTIONS[k]] else 2.0)
    low, high = distribution.quantile([tail, 1.0 - tail])[:, k]
    if of_one_class and OPEN[QUESTIONS[k]]:
        return (0.0, high) if n_seen[1] == 0 else (low, 1.0)
    return low, high


def _half(name) -> int:
    return sum(map(ord, name)) % 2


def _mean(scored):
    """Return means over data sets of equal weight, except families, which share one."""
    if not scored:
        return np.nan, np.nan
    names = [row[0] for row in scored]
    each = np.array([SHARED_WEIGHTS.get(name, 1.0) / names.count(name) for name in names])
    return np.average(np.array([row[1:] for row in scored], dtype=float), axis=0, weights=each)
