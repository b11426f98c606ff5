"""How an answer is computed from the draws of a posterior."""

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
    """What all answers of one posterior have in common, whatever is asked.

    Attributes
    ----------
    target : {"sample", "population"}
        "sample" completes the labels of this very sample once for each draw (step 4 of
        section 3.1 of the 2013 paper); "population" takes the rates of the draw itself
        (eq. 4 and 5).
    entropy : int
        Seed of the completions; the same seed gives the same labels.
    n_jobs : int, default=None
        Workers over blocks of draws. The result does not depend on it.
    confidence_level : float in (0, 1), default=0.9
        The level of bands and intervals when none is asked for.
    zero_division : float, default=None
        What takes the place of undefined values: NaN leaves those draws out, None takes the
        metric's own.
    counts_known : bool, default=False
        Whether a decision is an answer: what is labelled is in it or not by its label, and the
        threshold decides of the rest alone. Else it is a rule, which looks at scores only.
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
        """Whether labels are drawn, once for each draw of a posterior."""
        return self.target == "sample"

    def check_metric(self, metric) -> None:
        """Raise if a metric counts items, and there are none that could be counted."""
        if metric.counts_items and not self.draws_labels:
            raise ValueError(
                f"{metric.name!r} counts the items of a sample, and a population has no number of "
                f"them; ask for target='sample', got target={self.target!r}."
            )

    def of_answer(self) -> Task:
        """Return the task in which known labels count, if it is about items that have them."""
        return replace(self, counts_known=self.draws_labels)

    def of_rule(self) -> Task:
        """Return the task in which a threshold decides of all items."""
        return replace(self, counts_known=False)

    def undefined_as(self, own: float) -> float:
        """Return what takes the place of undefined values of a metric that has its own."""
        return own if self.zero_division is None else self.zero_division
