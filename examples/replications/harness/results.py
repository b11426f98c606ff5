"""Tables and pictures of a replication: printed, and written beside the scripts."""

import csv
import sys
from pathlib import Path

import numpy as np

# A script's own folder is all that Python looks into.
sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks" / "harness"))
from made_at import note_tables


def write_table(rows, name, options, form=".3f"):
    """Print a table of dicts and, if asked to, write it to `name`.csv; numbers in a format."""
    rows = [{key: _short(value, form) for key, value in row.items()} for row in rows]
    columns = list(rows[0])
    widths = [max(len(c), *(len(row[c]) for row in rows)) for c in columns]
    print(f"\n{name}", flush=True)
    for cells in (columns, *([row[c] for c in columns] for row in rows)):
        print("  ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True)), flush=True)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / f"{name}.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        note_tables([path])


def write_picture(figure, name, options):
    """Write a picture to `name`.png."""
    options.pictures.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.pictures / f"{name}.png", dpi=120, bbox_inches="tight")


def _short(value, form):
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:{form}}"
    return str(value)
