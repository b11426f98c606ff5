"""How estimates are computed from posterior draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

from ..inputs._numbers import check_choice, check_number

__all__ = ["TARGETS", "Task", "check_target"]

TARGETS = ("sample", "population")


def check_target(target) -> None:
    """Raise if a target is unknown."""
    check_choice(target, "target", TARGETS)


@dataclass(frozen=True)
class Task:
    """Settings shared by all estimates of a posterior.

    Attributes
    ----------
    target : {"sample", "population"}
        "sample" completes the labels of this sample once for each draw (step 4 of section 3.1 of
        the 2013 paper); "population" uses the rates of the draw (eq. 4 and 5).
    entropy : int
        Seed of the completions; the same seed gives the same labels.
    n_jobs : int, default=None
        Number of workers over blocks of draws. Results do not depend on it.
    confidence_level : float in (0, 1), default=0.9
        Default level of bands and intervals.
    zero_division : float, default=None
        Value of undefined draws: NaN excludes them, None uses the metric's default.
    counts_known : bool, default=False
        Whether decisions are selections, in which labeled items count by their label and only
        unlabeled items by the threshold. Else they are rules on the scores alone.
    """

    target: str
    entropy: int
    n_jobs: int | None = None
    confidence_level: float = 0.9
    zero_division: float | None = None
    counts_known: bool = False

    def __post_init__(self):
        check_target(self.target)
        value = self.zero_division
        is_nan = isinstance(value, Real) and value != value
        if value is not None and not is_nan:
            check_number(value, "zero_division", "[0, 1]")

    @property
    def draws_labels(self) -> bool:
        """Whether labels are drawn, once for each posterior draw."""
        return self.target == "sample"

    def check_metric(self, metric) -> None:
        """Raise if a metric counts items, which a population does not have."""
        if metric.counts_items and not self.draws_labels:
            raise ValueError(
                f"{metric.name!r} counts items of a sample, which is undefined for a population; "
                f"use target='sample', got target={self.target!r}."
            )

    def of_selection(self) -> Task:
        """Return the task in which known labels count, if it evaluates a sample."""
        return replace(self, counts_known=self.draws_labels)

    def of_rule(self) -> Task:
        """Return the task in which the threshold decides for all items."""
        return replace(self, counts_known=False)

    def undefined_as(self, own: float) -> float:
        """Return the value of undefined draws, given the metric's default."""
        return own if self.zero_division is None else self.zero_division
