"""The output of a command: text, and a JSON record."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..results._estimate_table import EstimateTable
from ..results._verdict import Verdict
from ._words import Words

__all__ = ["Answer", "record_of"]


@dataclass(eq=False)
class Answer:
    """The output of a command, printed even if a later step fails."""

    words: Words  # translates messages of the library
    lines: list[str] = field(default_factory=list)  # text, a paragraph each
    model: tuple[str, ...] = ()  # how the numbers were computed, printed last
    record: dict[str, Any] = field(default_factory=dict)  # the output as JSON
    # Texts of verdict reasons; warnings among them are not repeated.
    reasons: set[str] = field(default_factory=set)
    status: int = 0  # the exit status

    def quote_table(self, table: EstimateTable, verdict: Verdict) -> None:
        """Add numbers and their verdict; how they were computed is printed at the end."""
        self.model = table.model
        self.quote(str(replace(table, model=())), verdict)

    def quote(self, text: str, verdict: Verdict) -> None:
        """Add a text that contains a verdict, and record the verdict.

        Only its reasons are translated, not names of classes.
        """
        for reason in verdict.reasons:
            text = text.replace(reason.text, self.words(reason.text))
        self.lines.append(text)
        self.reasons |= {reason.text for reason in verdict.reasons}
        self.record["verdict"] = {
            "verdict": str(verdict),
            "reasons": [
                {**vars(reason), "text": self.words(reason.text)} for reason in verdict.reasons
            ],
        }

    @property
    def text(self) -> str:
        """All paragraphs, separated by empty lines."""
        return "\n\n".join([*self.lines, *(["\n".join(self.model)] if self.model else [])])

    @property
    def json(self) -> str:
        """The record as one JSON object; non-finite numbers are null."""
        return json.dumps(_plain(self.record), ensure_ascii=False, allow_nan=False, indent=2)


def record_of(table: EstimateTable) -> list[dict[str, Any]]:
    """Return numbers and their intervals as records."""
    return [
        {"name": name, "value": estimate.value, "lower": lower, "upper": upper}
        for name, estimate, (lower, upper) in zip(
            table.names, table.estimates, table.intervals(), strict=True
        )
    ]


def _plain(value: Any) -> Any:
    """Return a JSON value."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
