"""Files of scores and labels, small enough for a fit in a moment."""

import csv
import gzip
import warnings

from sklearn_spe.application.command_line._main import main
from sklearn_spe.application.tables._session_file import session_path
from sklearn_spe.datasets import make_scores

SCORES, LABELS = make_scores(150, random_state=0)
COLUMNS = ("--score", "s", "--label", "y")
QUICK = (*COLUMNS, "--n-draws", "200", "--experts", "rank_binormal")


def table(path, names=("0", "1"), labeled=range(20), missing=""):
    """Write the scores, and the labels of some."""
    lines = ["s,y"]
    for i, (score, label) in enumerate(zip(SCORES.tolist(), LABELS.tolist(), strict=True)):
        lines.append(f"{score!r},{names[label] if i in labeled else missing}")
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


def pool(folder):
    """Write scores of two systems and a judge, six labelled; return the file, scores and truth."""
    scores, truth = make_scores(120, random_state=0)
    rows = zip(scores.tolist(), truth.tolist(), strict=True)
    lines = [
        f"{i},{score!r},{2.0 - score!r},{int(score > 2.5)},{label if i < 6 else ''}"
        for i, (score, label) in enumerate(rows)
    ]
    path = folder / "pool.csv"
    path.write_text("\n".join(["name,s,t,j,y", *lines]) + "\n")
    return path, scores, truth


def rows_in(path):
    """Return the rows of a table."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    """Write the rows of a table."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def asked_in(path):
    """Return the rows that a table asks for, in their order."""
    rows = [row for row in rows_in(path) if row["spe_next"].isdigit()]
    return sorted(rows, key=lambda row: int(row["spe_next"]))


def fill(path, n, truth):
    """Label the first rows that a table asks for."""
    rows = rows_in(path)
    for row in rows:
        if row["spe_next"].isdigit() and int(row["spe_next"]) <= n:
            row["y"] = str(truth[int(row["name"])])
    write_rows(path, rows)


def copied(path, folder):
    """Copy a table and its session file into a folder."""
    for source in (path, session_path(path)):
        (folder / source.name).write_bytes(source.read_bytes())
    return folder / path.name
