"""The operating point of a page, a terminal and a notebook: where it is from, or how to give one.

It is the threshold that was given, else that of a goal, else the usual one for such scores. Labels
never choose it. Where no threshold is usual, several are shown, by the scores alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs._validation import listed
from ...results._remedies import Remedy

if TYPE_CHECKING:
    from ...data._sample import ScoreSample
    from ...models._ranking_value import Ranking

# Where a threshold is from, in a sentence.
SOURCES = {"given": "", "usual": "It is the usual one for such scores."}
# Shares of items that reach the thresholds to choose from.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
# The one of these at which a page begins.
FIRST_SHARE = 0.1


@dataclass(frozen=True)
class OperatingPoint:
    """A decision threshold, and where it is from.

    Attributes
    ----------
    threshold : float
    source : {"given", "goal", "cost", "usual"}
    reason : str
        The reason for this threshold, in a sentence; empty if the user passed the threshold.
    """

    threshold: float
    source: str = "given"
    reason: str = ""


def operating_points(
    rankings: Mapping[Any, Ranking], chosen: float | OperatingPoint | None
) -> dict[Any, OperatingPoint]:
    """Return the operating point of each ranking by its name; empty if it must be asked for.

    All rankings use the same rule: the chosen threshold, or the usual one of each ranking if every
    ranking has one.
    """
    if isinstance(chosen, OperatingPoint):
        return dict.fromkeys(rankings, chosen)
    if chosen is not None:
        return dict.fromkeys(rankings, OperatingPoint(chosen))

    points = {}
    for name, ranking in rankings.items():
        threshold = ranking.default_threshold_
        if threshold is None:
            return {}
        points[name] = OperatingPoint(threshold, "usual", SOURCES["usual"])
    return points


def is_consensus(ranking: Ranking) -> bool:
    """Return whether the score is the consensus of several judges, whose scale is unknown."""
    model: Any = ranking.model
    return model.given.is_consensus


def question_of_threshold(rankings: Mapping[Any, Ranking]) -> Remedy | None:
    """Return how to give a threshold, as none was given and none is usual for these scores.

    Of the consensus of judges none is asked for.
    """
    if any(is_consensus(ranking) for ranking in rankings.values()):
        return None
    without = {
        name: ranking for name, ranking in rankings.items() if ranking.default_threshold_ is None
    }
    first = next(iter(without.values()))
    ends = first.score_direction_.flip(first.posterior_.sample.scores[[0, -1]])
    low, high = np.sort(ends)
    of_which = "" if list(rankings) == [None] else f" of {listed(list(without))}"
    n_shown = len(thresholds_to_choose_from(first.posterior_.sample))
    table = f"the table shows {n_shown} of them" if n_shown > 1 else "the table shows one"
    return Remedy(
        f"No threshold was given, and none is usual for scores{of_which} from {low:.6g} to "
        f"{high:.6g}. {{Threshold}}: {table}."
    )


def thresholds_to_choose_from(sample: ScoreSample) -> np.ndarray:
    """Return scores that round shares of the items reach, larger for positives, increasing.

    Of equal scores it is the next larger one, or else the largest.
    """
    n_above = np.cumsum(sample.counts[::-1])[::-1]
    places = np.searchsorted(-n_above, -np.array(SHARES) * n_above[0])
    return np.unique(sample.lower[np.minimum(places, sample.n_cells - 1)])
