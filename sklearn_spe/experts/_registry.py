"""All experts by name: a new one costs one file and one entry here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..inputs._validation import check_count, check_number
from ._expert import Expert
from ._rank_binormal import RankBinormal
from ._score_experts import RankProcess, ScoreLogOdds, SharpMixture, ValueShares

# Fewer curves than these cannot stand for a prior.
MIN_CURVES = 32
# What "auto" stands for.
EXPERTS = {
    expert.name: expert
    for expert in (
        ScoreLogOdds,
        RankBinormal,
        SharpMixture,
        RankProcess,
        ValueShares,
    )
}


def as_experts(experts: Any) -> list[Expert]:
    """Return the experts given as "auto", a name, an instance or a sequence of them.

    Parameters
    ----------
    experts : "auto", str, Expert or sequence of these
        "auto" stands for all of `EXPERTS`, in a sequence too.

    Raises
    ------
    ValueError
        If a name is unknown, the sequence is empty, or an expert has a weight below zero or fewer
        than 32 curves.
    TypeError
        If it is none of these.

    Examples
    --------
    >>> from sklearn_spe.experts._registry import as_experts
    >>> [expert.name for expert in as_experts(["rank_binormal"])]
    ['rank_binormal']
    """
    # An array without an axis is iterable only by type.
    is_one = isinstance(experts, (str, Expert, type)) or getattr(experts, "ndim", 1) == 0
    if is_one or not isinstance(experts, Iterable):
        experts = (experts,)
    instances = [expert for entry in experts for expert in _each(entry)]
    if not instances:
        raise ValueError(
            "experts is empty; pass 'auto', some experts, or None for the bare mixture."
        )
    return instances


def _each(expert: Any) -> list[Expert]:
    if isinstance(expert, Expert):
        check_count(expert.n_curves, f"n_curves of {expert.name!r}", MIN_CURVES)
        if expert.weight is not None:
            check_number(expert.weight, f"weight of {expert.name!r}", "[0, inf)")
        return [expert]

    if isinstance(expert, type) and issubclass(expert, Expert):
        raise TypeError(f"Got the class {expert.__name__}; pass an instance, {expert.__name__}().")
    if not isinstance(expert, str):
        raise TypeError(
            f"An expert must be a name or an instance of sklearn_spe.experts.Expert, got "
            f"{expert!r} of type {type(expert).__name__}."
        )

    if expert == "auto":
        return [cls() for cls in EXPERTS.values()]
    if expert not in EXPERTS:
        raise ValueError(f"Unknown expert {expert!r}; choose auto, {', '.join(EXPERTS)}.")
    return [EXPERTS[expert]()]
