"""Means over several systems, such as the readers of a study, who are fixed or drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._arrays import NamesLike
from ..inputs._validation import check_choice, listed, place_of_name, place_of_system, spawn
from ..models._ranking_value import READERS
from ..results._distributions import WeightedDraws, probability_of
from ..results._estimates import ScalarEstimate, worse

# Spawn key of the random stream of other readers.
OTHERS = 8
# Minimum number of draws of a mean over random readers, whose distribution has long tails.
MIN_DRAWS = 4000
TWO_LISTS = "Pass two lists of systems, one for each reader in the same order."


def members_of(systems: Sequence[Any], asked: NamesLike) -> list[Any] | None:
    """Return the systems given by a sequence, or by the first part of their names.

    Names such as ("CT", "Ann") belong to "CT", as in a data frame with two rows of column names.
    None if it is a single system.
    """
    if asked is None or place_of_name(asked, systems) is not None:
        return None
    if isinstance(asked, list | tuple) or (isinstance(asked, np.ndarray) and asked.ndim):
        members = [systems[place_of_system(name, systems)] for name in asked]
        if not members or len(set(members)) < len(members):
            raise ParameterError(
                f"system={asked!r} must name one or more systems, each once.", parameter="system"
            )
        return members

    # The systems whose first part has this name.
    members = []
    for name in systems:
        has_parts = isinstance(name, tuple) and len(name) > 1
        if has_parts and place_of_name(asked, [name[0]]) is not None:
            members.append(name)
    return members or None


def pairs_of(systems: Sequence[Any], a: NamesLike, b: NamesLike) -> list[tuple[Any, Any]] | None:
    """Return pairs of systems, one of each side; None for two single systems or categories.

    Sequences are paired in their order, and names of several systems by their remaining parts.
    """
    first = members_of(systems, a)
    second = members_of(systems, b)
    if first is None and second is None:
        return None
    if first is None or second is None:
        single, several = (a, b) if first is None else (b, a)
        raise ParameterError(
            f"{several!r} names several systems and {single!r} does not: they cannot be paired.",
            TWO_LISTS,
        )

    # Names of several systems, paired by the reader: the rest of the name.
    if not any(isinstance(side, list | tuple | np.ndarray) for side in (a, b)):
        first_by_reader = {name[1:]: name for name in first}
        second_by_reader = {name[1:]: name for name in second}
        unpaired = set(first_by_reader) ^ set(second_by_reader)
        if not unpaired:
            return [(name, second_by_reader[name[1:]]) for name in first]
        readers = sorted(map(repr, unpaired))
        raise ParameterError(
            f"{listed(readers)} occurs in one of {a!r} and {b!r} only, so readers cannot be "
            "paired.",
            TWO_LISTS,
        )

    # Sequences, paired in their order.
    if len(first) != len(second):
        raise ParameterError(
            f"Systems are compared within readers, in order, but there are {len(first)} and "
            f"{len(second)}.",
            TWO_LISTS,
        )
    return list(zip(first, second, strict=True))


def mean_over(
    estimates: Callable[[str], list[ScalarEstimate]],
    label: str,
    *,
    readers: str,
    target: str,
    seed: int,
    limits: tuple[float, float] | None = None,
) -> ScalarEstimate:
    r"""Return the mean of estimates of several readers.

    Let :math:`\theta_j` be the metric of reader j on the items of the sample with completed labels
    and :math:`\tilde\theta_j` that of the population, in the same posterior draw. The mean over
    fixed readers is that of :math:`\tilde\theta_j`. If J readers are drawn from others, the mean
    over all readers is :math:`N(\bar{\tilde\theta}, \sigma^2 / J)` in each draw. There
    :math:`\sigma^2 + \omega^2 = (J - 1) s^2 / \chi^2_{J - 1}`, with the variance :math:`s^2` of the
    :math:`\theta_j` and the mean variance :math:`\omega^2` of :math:`\tilde\theta_j - \theta_j`
    over readers: what the sampling of items adds to the variance between readers. The variance
    between readers is at least 0.

    Parameters
    ----------
    estimates : callable
        From a target to the estimates of all readers, in the same order, with paired draws.
    label : str
        Describes the readers in the name of the result.
    readers : {"fixed", "random"}
    target : {"sample", "population"}
    seed : int
        Seed of the fit.
    limits : (float, float), default=None
        Range of the mean.
    """
    check_choice(readers, "readers", READERS)
    of_everyone = estimates(target)
    # Readers who scored no item are left out, unless there are no others.
    scorers = [k for k, part in enumerate(of_everyone) if not np.isnan(part.draws).all()]
    scorers = scorers or list(range(len(of_everyone)))
    of_scorers = [of_everyone[k] for k in scorers]
    first = of_scorers[0]
    draws = np.column_stack([part.draws for part in of_scorers])
    mean, weights, origin = draws.mean(axis=1), first.weights, first.origin

    if readers == "random":
        if len(of_scorers) < 2:
            raise ParameterError(
                f"readers='random' needs two or more readers, got {len(of_scorers)}.",
                "Use readers='fixed'.",
                "readers",
            )
        on_sample = of_everyone if target == "sample" else estimates("sample")
        sample_draws = np.column_stack([on_sample[k].draws for k in scorers])
        n_copies = -(-MIN_DRAWS // len(mean))
        deviations = _deviations(sample_draws, draws, spawn(seed, OTHERS), n_copies)
        mean = np.concatenate([mean + deviation for deviation in deviations])
        mean = mean if limits is None else mean.clip(*limits)
        # Draws of other readers are not paired with anything.
        weights, origin = np.tile(weights / n_copies, n_copies), ""

    distribution = WeightedDraws(mean[:, np.newaxis], weights)
    distribution = distribution.reaching_like([part.distribution for part in of_scorers])
    undefined = float(probability_of(np.isnan(mean), weights))
    thresholds = {part.threshold for part in of_scorers}
    return ScalarEstimate(
        f"mean {first.name} of {label}{' (readers random)' if readers == 'random' else ''}",
        distribution,
        first.confidence_level,
        first.kind,
        undefined=max(undefined, *(part.undefined for part in of_scorers)),
        pos_label=first.pos_label,
        threshold=thresholds.pop() if len(thresholds) == 1 else None,
        origin=origin,
        verdict=reduce(worse, (part.verdict for part in of_scorers)),
        n_items=_n_items_of(of_scorers),
    )


def _n_items_of(parts: list[ScalarEstimate]) -> float | None:
    """Return the number of items of all estimates; NaN if it differs, None for a population."""
    numbers = {part.n_items for part in parts}
    return numbers.pop() if len(numbers) == 1 else np.nan


def _deviations(on_sample: Any, draws: Any, rng: np.random.Generator, n_copies: int) -> list[Any]:
    """Return deviations of the mean over all readers from that over these, for each draw."""
    n_draws, n_readers = draws.shape
    observed, added = (values.var(axis=1, ddof=1) for values in (on_sample, draws - on_sample))
    of_items = WeightedDraws(added[:, np.newaxis], np.full(n_draws, 1.0 / n_draws)).mean()
    deviations = []
    for _ in range(n_copies):
        total = (n_readers - 1) * observed / rng.chisquare(n_readers - 1, n_draws)
        between = np.maximum(total - of_items, 0.0)
        deviations.append(np.sqrt(between / n_readers) * rng.standard_normal(n_draws))
    return deviations
