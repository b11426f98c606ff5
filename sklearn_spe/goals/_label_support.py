"""Label support of a selection: the numbers of labels where its goal depends on classes.

A side of a threshold *decides* on a goal if its unlabeled items alone can break it: whatever the
classes on the other side, all items of this side being positive, or all being negative, violates
the goal. For a bound on precision that is the side at or above the threshold, for one on recall the
side below. Without labels there the probability of the goal is an extrapolation of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..data._sample import ScoreSample
from ..inputs._scores import ScoreDirection
from ..posterior._operating_points import OperatingPoints, Task
from ..results._verdict import Reason
from ._goal import ROUNDING, Goal

# The least number of labeled items on each side that decides on a goal: of one that depends on the
# classes of that side only, such as precision, and of one that depends on those of both sides.
MIN_LABELED, MIN_LABELED_OF_BOTH = 2, 3
# The number of items to label where too few labels support a threshold.
N_TO_TEST = 20
# A number of positives that outweighs no item.
FEW_POSITIVES = 1e-6
# A selection of more than this share of all unlabeled items is said to be most of them.
LARGE_SHARE = 0.5
# Words for the sides of a threshold, and for the classes.
SIDES = "below", "at or above"
CLASSES = "negative", "positive"


class SideCounts(NamedTuple):
    """Numbers of items below, and at or above, each threshold: arrays (2, n_thresholds)."""

    free: np.ndarray  # whose class the labels do not fix
    negative: np.ndarray
    positive: np.ndarray
    # (2,); items that count by their label: of a selection, none of a rule
    known: np.ndarray

    @classmethod
    def of(
        cls, sample: ScoreSample, thresholds: np.ndarray | list[float], task: Task
    ) -> SideCounts:
        """Count the items of a sample around thresholds."""
        totals = np.array([sample.negative.sum(), sample.positive.sum()])
        return cls(
            sample.around(thresholds, sample.unlabeled if task.counts_known else sample.counts),
            sample.around(thresholds, sample.negative),
            sample.around(thresholds, sample.positive),
            totals if task.counts_known else np.zeros(2),
        )

    @property
    def labeled(self) -> np.ndarray:
        """Number of labeled items on each side, (2, n_thresholds)."""
        return self.negative + self.positive

    def points(self, below: int, above: int) -> OperatingPoints:
        """Return the counts if the free items of each side all have one class."""
        n_negative, n_positive = self.known
        n_below, n_above = self.free[:, :, np.newaxis]
        tp = n_positive + above * n_above
        fp = (1 - above) * n_above
        fn = below * n_below
        tn = n_negative + (1 - below) * n_below
        # A threshold has totals of its own, as a draw has.
        return OperatingPoints(tp, fp, tp + fn, fp + tn, steps=True)


def side_decides(goal: Goal, counts: SideCounts) -> np.ndarray:
    """Return whether each side of each threshold decides on a goal, (2, n_thresholds)."""
    # (2, 2, n_thresholds): by the class of the items below, and by that of those above.
    is_met = np.array(
        [[goal.holds(counts.points(below, above))[:, 0] for above in (0, 1)] for below in (0, 1)]
    )
    # A side does not decide if, for one class of the other side, the goal is met for both of its.
    below_is_free = is_met.all(axis=0).any(axis=0)
    above_is_free = is_met.all(axis=1).any(axis=0)
    return ~np.array([below_is_free, above_is_free])


def min_labeled(goal: Goal, sample: ScoreSample) -> int:
    """Return the least number of labeled items on a side that decides on a goal."""
    conditions = [bound.conditions(sample.counts.sum()) for bound in goal.bounds]
    of_one_side = all(
        pairs is not None and all(len(_side_indices(condition)) <= 1 for condition, _ in pairs)
        for pairs in conditions
    )
    return MIN_LABELED if of_one_side else MIN_LABELED_OF_BOTH


def _side_indices(condition: np.ndarray) -> np.ndarray:
    """Return the indices of the sides on whose classes a condition depends."""
    return np.flatnonzero(condition[0] != condition[1])


def is_supported(goal: Goal, sample: ScoreSample, thresholds: np.ndarray, task: Task) -> np.ndarray:
    """Return whether the sides that decide on a goal have labels, (n_thresholds,)."""
    thresholds = np.asarray(thresholds, dtype=float)
    needed = min_labeled(goal, sample)
    lacks_labels = SideCounts.of(sample, thresholds, task).labeled < needed - ROUNDING

    supported = np.ones(len(thresholds), dtype=bool)
    lacking = np.flatnonzero(lacks_labels.any(axis=0))
    if len(lacking):
        decides = side_decides(goal, SideCounts.of(sample, thresholds[lacking], task))
        supported[lacking] = ~(decides & lacks_labels[:, lacking]).any(axis=0)
    return supported


def rests_on_known(goal: Goal, sample: ScoreSample, threshold: float, task: Task) -> bool:
    """Return whether a selection meets a goal by its known positives alone.

    No missing label can break the goal then, as they outweigh the few unlabeled items of the
    selection, or there are none; without them these could. That says nothing of all the others.
    """
    if not task.counts_known or sample.unlabeled.sum() <= sample.n_labeled:
        return False
    counts = SideCounts.of(sample, [threshold], task)
    if side_decides(goal, counts).any():
        return False
    # Nearly none, so that shares of positives stay defined.
    known = np.array([counts.known[0], FEW_POSITIVES])
    by_others = side_decides(goal, counts._replace(known=known))
    return not counts.free[1].any() or bool(by_others[1].any())


class NeededLabels(NamedTuple):
    """The labels that a proof of a goal takes on one side of a threshold, without a model."""

    side: int  # 0 below, 1 at or above
    code: int  # of the class that supports the goal
    n_labeled: float  # of this class, on this side
    n_needed: float  # if no label there is of the other class


def needed_labels(
    goal: Goal, sample: ScoreSample, threshold: float, task: Task, confidence_level: float
) -> NeededLabels | None:
    """Return the side with the largest lack of labels for a proof; None if no side lacks any.

    Of bounds that depend on the classes of one side only, such as those on precision. If the share
    of the better class among the unlabeled items there is q, just too small for the goal, n random
    labels are all of this class with probability q^n: they exclude it at the confidence level once
    that is at most the risk.
    """
    counts = SideCounts.of(sample, [threshold], task)
    free = counts.free[:, 0]
    labeled = np.array([counts.negative, counts.positive])[:, :, 0]
    n_items = sample.counts.sum()

    lacks = []
    for bound in goal.bounds:
        for condition, _ in bound.conditions(n_items) or ():
            sides = _side_indices(condition)
            if len(sides) != 1:
                continue
            side = int(sides[0])
            code = int(np.argmax(condition[:, side]))

            # Terms of this side, if all its items have the worse or the better class, and of the
            # other items. The condition lacks this much where all have the worse.
            worst, best = free[side] * np.sort(condition[:, side])
            others = counts.known @ np.diag(condition) + free[1 - side] * condition[0, 1 - side]
            missing = -(others + worst)
            if not ROUNDING < missing < best - worst:
                continue

            # The share of the better class at which the condition just holds.
            share = missing / (best - worst)
            n_needed = float(np.ceil(np.log1p(-confidence_level) / np.log(share) - ROUNDING))
            lacks.append(NeededLabels(side, code, float(labeled[code, side]), n_needed))

    lacks = [lack for lack in lacks if lack.n_labeled < lack.n_needed - ROUNDING]
    return max(lacks, key=lambda lack: lack.n_needed - lack.n_labeled, default=None)


def selection_reasons(
    goal: Goal,
    sample: ScoreSample,
    threshold: float,
    task: Task,
    confidence_level: float,
    score_direction: ScoreDirection,
    *,
    candidate: float | None = None,
    is_proof: bool = False,
) -> Iterator[Reason]:
    """Yield reasons for a verdict on a selection that meets a goal.

    `candidate` is the threshold of a better selection, which the model supports, but too few labels
    do; `is_proof` is whether labels alone prove that it meets the goal.
    """
    counts = SideCounts.of(sample, [threshold], task)
    n_below, n_above = counts.free[:, 0]
    if not sample.unlabeled.any():
        return

    has_labeled = bool(counts.labeled[1, 0])
    size = _size_in_words(counts.known[1], n_below, n_above, has_labeled, score_direction)
    is_small = bool(n_above <= n_below)
    better = "larger" if is_small else "smaller"
    scores = score_direction.word("high" if is_small else "low") + " scores"

    # At most one reason explains why the selection is no better.
    items = f"about {N_TO_TEST} items with {scores}"
    if candidate is not None and not side_decides(goal, counts).any():
        needed = min_labeled(goal, sample)
        n_candidates = int(SideCounts.of(sample, [candidate], task).free[1, 0])
        if is_small and 0 < n_candidates <= N_TO_TEST:
            unlabeled = f"{n_candidates} unlabeled items" if n_candidates > 1 else "unlabeled item"
            items = f"the {unlabeled} with the {score_direction.word('high')}est scores"
        yield Reason(
            "untested_selection",
            "unidentified",
            f"{size} It meets {goal} for any values of the missing labels. The model supports a "
            f"{better} selection, but fewer than {needed} labeled items test it.",
            0.0,
            float(needed),
            remedy=f"Label {items}.",
            parameter="y",
        )
    elif rests_on_known(goal, sample, threshold, task):
        yield Reason(
            "untested_selection",
            "unidentified",
            f"{size} It meets {goal} for any values of the missing labels. No {better} selection "
            f"meets it at the level {confidence_level:g}.",
            float(n_above),
            float(n_above + n_below),
            remedy=f"Label {items}, or lower the goal.",
            parameter="y",
        )
    elif not (n_above and n_below):
        yield Reason(
            "known_positives_only" if is_small else "all_selected",
            "ok",
            size,
            float(n_above),
            float(n_above + n_below),
            remedy=f"For a {better} selection, label more items with {scores}, or lower the goal.",
        )
    elif n_above > LARGE_SHARE * (n_above + n_below):
        yield Reason(
            "most_selected",
            "ok",
            f"The selection contains {n_above:,.0f} of {n_above + n_below:,.0f} unlabeled items.",
            float(n_above),
            float(n_above + n_below),
            remedy=f"For a smaller selection, label more items with {scores}, or lower the goal.",
        )

    lack = needed_labels(goal, sample, threshold, task, confidence_level)
    if lack is None or is_proof:
        return

    items = "item is" if lack.n_labeled == 1.0 else "items are"
    side = f"{score_direction.word(SIDES[lack.side])} the threshold"
    yield Reason(
        "rests_on_model",
        "ok",
        f"The guarantee of {goal} depends on the model of the scores: {lack.n_labeled:,.0f} "
        f"{items} labeled {CLASSES[lack.code]} {side}, and a proof by labels alone at the level "
        f"{confidence_level:g} needs at least {lack.n_needed:,.0f}.",
        lack.n_labeled,
        lack.n_needed,
        remedy=f"To depend less on the model, label more items {side}.",
    )


def _size_in_words(
    n_known: float,
    n_below: float,
    n_above: float,
    has_labeled: bool,
    score_direction: ScoreDirection,
) -> str:
    """Describe a selection, and its threshold as a rule for new items, in a sentence."""
    as_rule = "as a rule for new items, its threshold"
    items = "one item" if n_known == 1.0 else f"{n_known:,.0f} items"

    if not n_above:
        content = f"holds only the {items} labeled positive" if n_known else "is empty"
        above = score_direction.word("above")
        exceeded = "the scores of all unlabeled items" if has_labeled else "all scores"
        selects = "none of them" if has_labeled else "nothing"
        return f"The selection {content}: {as_rule} {above} {exceeded} selects {selects}."

    unlabeled = (
        "the one unlabeled item" if n_above == 1.0 else f"all {n_above:,.0f} unlabeled items"
    )
    if not n_below:
        return f"The selection holds {unlabeled}: {as_rule} selects everything like them."

    known = f" and the {items} labeled positive" if n_known else ""
    return f"The selection holds {n_above:,.0f} unlabeled{known or ' items'}."
