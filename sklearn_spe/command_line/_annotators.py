"""The input files: one table, or copies of it labeled by several people."""

from __future__ import annotations

import argparse

from ..tables._labeled_copies import LabeledCopies
from ..tables._table import Table
from ._answer import Answer
from ._options import check_percent, read

__all__ = ["read_merged"]


def read_merged(options: argparse.Namespace, answer: Answer) -> tuple[Table, LabeledCopies | None]:
    """Return the named table, or all copies as one, and the copies if there are several."""
    tables = [read(options, file) for file in options.file]
    check_percent(options, tables[0])
    if len(tables) == 1:
        return tables[0], None
    copies = LabeledCopies.of(tables, options.label, options.classes)
    answer.lines.append(copies.describe())
    answer.record["annotators"] = _record(copies)
    return copies.merged, copies


def _record(copies: LabeledCopies) -> dict:
    annotations = copies.annotations
    counts = zip(annotations.names, annotations.n_labeled, strict=True)
    return {
        "files": [{"name": name, "n_labeled": n} for name, n in counts],
        "agreements": [
            {
                "files": found.names,
                "n_both": found.n_both,
                "n_same": found.n_same,
                "agreement": found.share,
                "cohen_kappa": found.kappa,
            }
            for found in annotations.agreements()
        ],
        "disagreements": copies.disagreements(),
    }
