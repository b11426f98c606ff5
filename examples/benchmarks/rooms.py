"""How much of each room its own tests run: branches, and the mutants that they kill.

Run ``python examples/benchmarks/rooms.py --fast --csv examples/benchmarks/rooms.csv``: the tests in
``tests/ROOM`` are run with the branches of ``sklearn_spe/ROOM`` traced (package ``coverage``), a
room a process. Other tests run these lines too; they do not count, as they would not say where a
fault is. Mutants are those of ``mutants.csv``, which has six rooms. A room that ``--folder`` holds
of this commit is not run again; ``--rooms`` picks some, ``--fast`` leaves out slow tests,
``--uncovered`` prints the lines from which a branch is not taken, and ``--least 0.85`` ends with an
error if a room takes fewer.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import show_rows
from made_at import ROOT, SOURCES, commit_of_code, note_tables

BENCHMARKS = Path(__file__).resolve().parent
# The table is about the tests too.
TESTED = (*SOURCES, ":(glob)tests/**/*.py")
SHARE = "covered by its own tests"
ROOMS = sorted(
    path.parent.name
    for path in (ROOT / "sklearn_spe").glob("*/__init__.py")
    if (ROOT / "tests" / path.parent.name).is_dir()
)


def traced(room, folder, is_fast):
    """Return what coverage says of a room, run or kept."""
    kept = folder / f"{room}.json"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        data = folder / f"{room}.coverage"
        environment = {**os.environ, **threads, "COVERAGE_FILE": str(data)}
        tests = ["pytest", "-q", "--no-header", "-p", "no:cacheprovider", f"tests/{room}"]
        tests += ["-m", "not slow"] if is_fast else []
        run = ["-m", "coverage", "run", "--branch", f"--source=sklearn_spe/{room}", "-m", *tests]
        answer = subprocess.run(
            [sys.executable, *run], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        if answer.returncode:
            raise SystemExit(f"The tests of {room} failed:\n{answer.stdout[-3000:]}{answer.stderr}")
        write = ["-m", "coverage", "json", "-q", "-o", str(kept)]
        subprocess.run([sys.executable, *write], cwd=ROOT, env=environment, check=True)
        data.unlink()
    return json.loads(kept.read_text(encoding="utf-8"))


def killed_by_room():
    """Return the share of mutants that tests of the room kill, by room."""
    results, without_effect = (
        list(csv.DictReader((BENCHMARKS / name).read_text(encoding="utf-8").splitlines()))
        for name in ("mutants.csv", "mutants_without_effect.csv")
    )
    identity = tuple(without_effect[0])[:-1]
    ignored = {tuple(row[column] for column in identity) for row in without_effect}
    ends = Counter(
        (row["room"], row["result"])
        for row in results
        if tuple(row[column] for column in identity) not in ignored
    )
    n_mutants = Counter()
    for (room, _), n in ends.items():
        n_mutants[room] += n
    return {room: ends[room, "killed"] / n for room, n in n_mutants.items()}


def row_of(room, report, killed):
    """Return the row of a room."""
    totals = report["totals"]
    return {
        "subpackage": room,
        "branches": str(totals["num_branches"]),
        SHARE: f"{totals['covered_branches'] / totals['num_branches']:.2f}",
        "mutants killed": f"{killed[room]:.2f}" if room in killed else "",
    }


def uncovered(report):
    """Yield the files of a room, with the lines from which a branch is not taken."""
    for name, file in report["files"].items():
        lines = sorted({start for start, _ in file["missing_branches"]})
        if lines:
            yield f"{name}: {', '.join(map(str, lines))}"


def main(options):
    """Print and write the table."""
    commit, _ = commit_of_code(TESTED)
    folder = options.folder.resolve() / commit / ("fast" if options.fast else "all")
    killed, rows = killed_by_room(), []
    for room in options.rooms:
        report = traced(room, folder, options.fast)
        rows.append(row_of(room, report, killed))
        print(" | ".join(rows[-1].values()), flush=True)
        if options.uncovered:
            print("\n".join(uncovered(report)), flush=True)
    rows.sort(key=lambda row: float(row[SHARE]))
    show_rows(rows, options.csv)
    if options.csv is not None:
        note_tables([options.csv], sources=TESTED)

    few = [row["subpackage"] for row in rows if float(row[SHARE]) < options.least]
    if few:
        raise SystemExit(f"Own tests cover less than {options.least:g} of: {', '.join(few)}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS, metavar="ROOM")
    parser.add_argument("--fast", action="store_true", help="without slow tests")
    parser.add_argument("--uncovered", action="store_true", help="print where branches are missed")
    parser.add_argument("--least", type=float, default=0.0, help="the least share of each room")
    parser.add_argument("--csv", type=Path, help="the file to write")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "rooms",
        help="what keeps finished rooms (default: build/rooms of the checkout)",
    )
    main(parser.parse_args())
