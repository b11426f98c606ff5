"""What speaks against a posterior of items."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ..inputs._orientation import Orientation
from ..results._verdict import Reason
from ..score_mixture._label_bets import LabelBets, parts_of_scores
from ..score_mixture._label_reasons import reason_of_inversion, reasons_of_one_score
from ._item_posterior import ItemPosterior
from ._item_table import ItemTable
from ._ranking_posterior import RankingPosterior

__all__ = ["bets_on_items", "reasons_of_items"]

# Fewer labelled groups than these do not tell how groups differ.
LEAST_GROUPS = 8


def reasons_of_items(table: ItemTable):
    """Yield what the labels of items give cause to say of single systems, and of groups."""
    if len(table.samples) > 1:
        # Larger numbers of judges are those of positives.
        n_judges = len(table.samples) - table.n_systems
        orientations = (*table.orientations, *[Orientation()] * n_judges)
        for name, sample, orientation in zip(
            table.names_of_columns, table.samples, orientations, strict=True
        ):
            inverted = reason_of_inversion(sample, orientation)
            for reason in (*inverted, *reasons_of_one_score(sample)):
                yield Reason(
                    reason.name,
                    reason.verdict,
                    f"{name[0].upper()}{name[1:]}: {reason.text}",
                    reason.value,
                    reason.limit,
                )
    else:
        yield from reasons_of_one_score(table.samples[0])
    yield from _unheard(table)
    if table.clusters is None:
        return
    n_labeled = len(np.unique(table.clusters.codes[table.codes >= 0]))
    if n_labeled < LEAST_GROUPS:
        yield Reason(
            "few_groups",
            "unidentified",
            f"Labels are of {n_labeled} groups only, and {LEAST_GROUPS} are needed to tell how "
            f"groups differ: what is said of further groups rests on what was believed before. "
            f"Label items of more groups rather than more items of these.",
            float(n_labeled),
            float(LEAST_GROUPS),
        )


def _unheard(table: ItemTable):
    """Yield a reason for each judge that says nothing of any labelled item."""
    labeled = table.codes >= 0
    if table.judges is None or not labeled.any():
        return
    for name, spoke in zip(table.judges.names, table.judges.spoke.T, strict=True):
        if not spoke[labeled].any():
            yield Reason(
                "unheard_judge",
                "unidentified",
                f"The judge {name!r} says nothing of any labelled item: how good it is rests on "
                f"what was believed before. Label some of the {int(spoke.sum()):,} items that it "
                f"speaks of, or leave it out.",
                0.0,
                1.0,
            )


def bets_on_items(posterior: ItemPosterior, ranking: RankingPosterior, table: ItemTable):
    """Bet against the posterior: on parts of a ranking of all, and of each category by itself."""
    items = np.flatnonzero(table.codes >= 0)
    everyone = ranking.scores[np.argsort(ranking.rows)]
    scores = everyone[items]
    inside, where = list(parts_of_scores(ranking.sample, scores)), []
    if table.category is not None:
        for part, name in enumerate(table.category.names.tolist()):
            own = table.category.codes[items] == part
            # Of all items: where bets are placed must not depend on what is labelled.
            middle = np.median(everyone[table.category.members(part)])
            inside += [own & (scores > middle), own & (scores <= middle)]
            where += [f"in the upper half of {name!r}", f"in the lower half of {name!r}"]
    codes = table.codes[items]
    labeled = SimpleNamespace(positive=codes == 1, negative=codes == 0)
    parts = (posterior.probability(block, items) for block in posterior.blocks())
    if not len(items):
        return LabelBets.of(ranking)
    return LabelBets.placed(parts, ranking, labeled, np.array(inside, dtype=float), where)
