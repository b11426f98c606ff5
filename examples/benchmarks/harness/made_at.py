"""The commit and the processor that committed tables were made with: one file for all of them."""

import csv
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MADE_AT = ROOT / "examples" / "made_at.tsv"
COLUMNS = ("table", "commit", "date", "processor")
# A table is known by the package that made it; its script lies beside it, in the same history.
PACKAGE = ("sklearn_spe",)
# A change of these may make another table: of texts or tables alone, none.
SOURCES = (*PACKAGE, ":(glob)examples/**/*.py")


def note_tables(paths, file=MADE_AT, sources=PACKAGE):
    """Note the commit of the package, its date and the processor of tables just written.

    Tables outside of the checkout are nobody's but the user's.
    """
    commit, date = commit_of_code(sources)
    rows = read_made_at(file)
    for path in paths:
        if path.resolve().is_relative_to(ROOT):
            name = path.resolve().relative_to(ROOT).as_posix()
            rows[name] = dict(zip(COLUMNS, (name, commit, date, processor()), strict=True))

    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


def read_made_at(file=MADE_AT):
    """Return what is noted, by the table."""
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as opened:
        return {row["table"]: row for row in csv.DictReader(opened, delimiter="\t")}


def commit_of_code(sources=SOURCES):
    """Return the last commit that changed the code, and its date; + if files differ from it."""
    last = _git("log", "-1", "--abbrev=8", "--format=%h %as", "--", *sources)
    commit, _, date = last.partition(" ")
    differs = _git("status", "--porcelain", "--untracked-files=no", "--", *sources)
    return (commit or "unknown") + ("+" if differs else ""), date


def processor():
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("model name"))
        return line.partition(":")[2].strip()
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def _git(*arguments):
    """Return what git says, nothing without a history."""
    answer = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()
