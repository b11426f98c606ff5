"""Suspect labels, and their positions in the file."""

from __future__ import annotations

from typing import Any

from ..score_mixture._suspect_labels import SuspectLabels
from ..tables._table import Table
from ._answer import Answer

__all__ = ["add_suspect_labels"]

MAX_SHOWN = 10


def add_suspect_labels(
    answer: Answer, found: SuspectLabels, table: Table, *, scored: bool = True
) -> None:
    """Add suspect labels, if any; `scored` is whether scores are in the table."""
    records = _records(found, table)
    if not scored:
        records = [{k: v for k, v in record.items() if k != "score"} for record in records]
    answer.record["suspect_labels"] = records
    if not records:
        return
    lines = ["Labels that surprise most, with the probability that the others give them:"]
    lines += [
        f"{table.unit} {record[table.unit]}: {record['label']!r}"
        + (f" at score {record['score']:.6g}" if scored else "")
        + f", {record['probability']:.3f}"
        for record in records[:MAX_SHOWN]
    ]
    if len(records) > MAX_SHOWN:
        lines.append(f"and {len(records) - MAX_SHOWN:,} more")
    answer.lines.append("\n".join(lines))


def _records(found: SuspectLabels, table: Table) -> list[dict[str, Any]]:
    columns = found.item, found.score, found.label, found.probability
    return [
        {
            table.unit: table.places[item],
            "score": score,
            "label": label,
            "probability": probability,
        }
        for item, score, label, probability in zip(*(c.tolist() for c in columns), strict=True)
    ]
