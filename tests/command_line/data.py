"""Files of scores and labels, small enough for a fit in a moment."""

import csv
import gzip
import warnings

from sklearn_spe.command_line import main
from sklearn_spe.datasets import make_scores

SCORES, LABELS = make_scores(150, random_state=0)
COLUMNS = ("--score", "s", "--label", "y")
QUICK = (*COLUMNS, "--n-draws", "200", "--experts", "rank_binormal")


def table(path, names=("0", "1"), labelled=range(20), missing=""):
    """Write the scores, and the labels of some."""
    lines = ["s,y"]
    for i, (score, label) in enumerate(zip(SCORES.tolist(), LABELS.tolist(), strict=True)):
        lines.append(f"{score!r},{names[label] if i in labelled else missing}")
    text = "\n".join(lines) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return str(path)


def run(command, *arguments):
    """Run the command line."""
    # Warnings are printed by the program, and are no errors of these tests.
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        return main([command, *map(str, arguments)])


def fill(path, n, truth):
    """Label the first rows of a table."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows[:n]:
        row["y"] = str(truth[int(row["name"])])
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
