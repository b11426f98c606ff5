"""Tables and pictures of a replication: printed, and written beside the scripts."""

import csv
import subprocess
from pathlib import Path

import numpy as np


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
        with (options.out / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        note_commit(name, options.out)


def note_commit(name, folder):
    """Note the commit of this code, and its date, as those of a table in `made_at.tsv`."""
    path = folder / "made_at.tsv"
    rows = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            rows = {row["table"]: row for row in csv.DictReader(file, delimiter="\t")}
    asked = ["git", "log", "-1", "--format=%h %as"]
    answer = subprocess.run(
        asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    commit, date = answer.stdout.split() if answer.stdout else ("unknown", "")
    rows[name] = {"table": name, "commit": commit, "date": date}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[name], delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[one] for one in sorted(rows))


def write_picture(figure, name, options):
    """Write a picture to `name`.png."""
    options.pictures.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.pictures / f"{name}.png", dpi=120, bbox_inches="tight")


def _short(value, form):
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:{form}}"
    return str(value)
