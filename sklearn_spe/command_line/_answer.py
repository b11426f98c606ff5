"""What a command has found: text for people, a record for programs."""

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
    """What has been found so far; it is told even if what follows fails.

    Attributes
    ----------
    words : Words
        In which the library is quoted.
    lines : list of str
        Text, a paragraph each.
    model : tuple of str
        How the numbers were computed, which is told last.
    record : dict
        The same as JSON holds it.
    reasons : set of str
        Of verdicts, as the library wrote them: warnings that are among them are not repeated.
    status : int
        With which the command ends.
    """

    words: Words
    lines: list[str] = field(default_factory=list)
    model: tuple[str, ...] = ()
    record: dict[str, Any] = field(default_factory=dict)
    reasons: set[str] = field(default_factory=set)
    status: int = 0

    def quote_table(self, table: EstimateTable, verdict: Verdict) -> None:
        """Add numbers and their verdict; how they were computed is kept for the end."""
        self.model = table.model
        self.quote(str(replace(table, model=())), verdict)

    def quote(self, text: str, verdict: Verdict) -> None:
        """Add a text that holds a verdict, and record that.

        Only its reasons are translated: names of classes stay as they are.
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
        """All paragraphs, an empty line between them."""
        return "\n\n".join([*self.lines, *(["\n".join(self.model)] if self.model else [])])

    @property
    def json(self) -> str:
        """The record as one JSON object; what is no finite number is null."""
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
    """Return what JSON knows."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
