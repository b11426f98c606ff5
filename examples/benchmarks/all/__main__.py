"""Every table that the documentation and the README show, made by one commit.

Run ``python examples/benchmarks/all --full --data FOLDER`` (four hours on two cores, with
``--jobs 2``; without ``--data`` the tables of score sets that are not part of the repository are
left out, and named), or ``--quick``, ten minutes of fewer draws that write no table. Tasks of
`registry` run as processes of their own, and each table is put beside the committed one: printed is
what moved by more than its standard error explains (`moved`). A full table then takes its place,
and its commit and processor are noted in ``examples/made_at.tsv``, which the page of measurements
shows; one that would lose a row, for want of a package or of data, is kept, and the row is named.

``--folder`` keeps what is done, by the commit of the code: a task that is done is not done again.
``--minutes 90`` starts no task that would end later, by its estimate, and stops what still runs;
the status is 75 if tasks are left, which another call goes on with, 1 if one failed. ``--list``
prints the tasks, their tables, the pages that show these, and the minutes.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from made_at import ROOT, commit_of_code, note_tables, processor
from moved import moved
from registry import NOT_MADE, TASKS

DONE, FAILED, LEFT = "done", "failed", "left"
STATUS_LEFT = 75


@dataclass(frozen=True)
class Run:
    """How the tasks of one call are done.

    Attributes
    ----------
    is_quick : bool
    data : Path or None
        A folder of score sets.
    folder : Path
        What is kept of this commit.
    deadline : float
        On the monotonic clock.
    """

    is_quick: bool
    data: Path | None
    folder: Path
    deadline: float

    def do(self, task):
        """Do a task that is not done yet; return how it ended."""
        work = self.folder / task.name.replace("/", "_")
        stamp = work / "done.json"
        if stamp.exists():
            return DONE
        seconds_left = self.deadline - time.monotonic()
        if seconds_left <= 0 or (not task.is_resumable and seconds_left < self.estimate(task)):
            return LEFT

        if not task.is_resumable:
            shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        with (work / "log.txt").open("a", encoding="utf-8") as log:
            for command in task.commands:
                ended = self.call(self.words(task, command, work), log)
                if ended != DONE:
                    return ended

        missing = [table for table in task.tables if not made(work, table).exists()]
        if missing:
            print(f"{task.name} wrote no {', '.join(missing)}", flush=True)
            return FAILED
        seconds = time.monotonic() - start
        about = {"seconds": round(seconds), "processor": processor()}
        stamp.write_text(json.dumps(about), encoding="utf-8")
        compare(task, work, self.is_quick, seconds)
        return DONE

    def estimate(self, task):
        """Return the seconds that a task should take."""
        share = task.quick_draws / task.draws if self.is_quick else 1.0
        return 60.0 * task.minutes * share

    def words(self, task, command, work):
        """Return a command as words."""
        draws = task.quick_draws if self.is_quick else task.draws
        path, *words = shlex.split(command)
        known = {"work": work, "draws": draws, "data": self.data}
        return [str(ROOT / "examples" / path), *(word.format(**known) for word in words)]

    def call(self, words, log):
        """Run a script until it ends or time is over; return how it ended."""
        process = subprocess.Popen(
            [sys.executable, *words], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            status = process.wait(max(self.deadline - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            return LEFT
        return DONE if status == 0 else FAILED


def made(work, table):
    """Return where a task writes a table."""
    inside = table.partition("/runs/")[2]
    return work / "runs" / inside if inside else work / Path(table).name


LOCK = threading.Lock()


def compare(task, work, is_quick, seconds):
    """Print what moved, and let full tables take the place of the committed ones."""
    n_old = task.units * task.draws
    n_new = task.units * (task.quick_draws if is_quick else task.draws)
    with LOCK:
        print(f"{task.name}: {seconds:.0f} s", flush=True)
        for table in task.tables:
            old, new = ROOT / table, made(work, table)
            if old.exists() and "/runs/" not in table:
                moves, gone, added = moved(old, new, n_old, n_new, are_shares=task.are_shares)
                for title, lines in (("moved", moves), ("not made", gone), ("new", added)):
                    # Few draws may leave out cases, and have others.
                    if title == "moved" or not is_quick:
                        for line in lines:
                            print(f"  {title}: {table}: {line}", flush=True)
                if gone and not is_quick:
                    print(f"  kept as it was: {table}", flush=True)
                    continue
            if not is_quick:
                shutil.copyfile(new, old)
                note_tables([old])


def pages_of(tables):
    """Return the pages that show each table: those that name its file."""
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (*sorted((ROOT / "doc").rglob("*.rst")), ROOT / "README.md")
    }
    shown = {}
    for table in tables:
        # A page names a file as it lies from there; names of papers' figures repeat.
        end = "/".join(table.split("/")[-2:]) if table.startswith("examples") else table[13:]
        shown[table] = [page for page, text in texts.items() if end in text]
    return shown


def chosen(options):
    """Return the tasks that are asked for, and the names of those that need data."""
    tasks = [task for task in TASKS if not options.only or task.name in options.only]
    if options.quick:
        tasks = [task for task in tasks if task.quick_draws is not None]
    without = [task.name for task in tasks if task.needs_data and options.data is None]
    return [task for task in tasks if task.name not in without], without


def main(options):
    """Do the tasks; return the status."""
    commit, _ = commit_of_code()
    tasks, without = chosen(options)
    if options.list:
        for task in tasks:
            print(f"{task.name}: {task.minutes:g} minutes")
            for table, pages in pages_of(task.tables).items():
                print(f"  {table}: {', '.join(pages) or 'no page'}")
        print(f"{sum(task.minutes for task in tasks):.0f} minutes in all, on one core")
        return 0

    kind = "quick" if options.quick else "full"
    deadline = time.monotonic() + 60.0 * options.minutes
    run = Run(options.quick, options.data, options.folder.resolve() / commit / kind, deadline)
    print(f"{len(tasks)} tasks at {commit}, {processor()}", flush=True)
    # Tasks share the cores: each has one thread.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    python_path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), python_path)))
    with ThreadPoolExecutor(options.jobs) as pool:
        ends = dict(zip((task.name for task in tasks), pool.map(run.do, tasks), strict=True))

    for name in without:
        print(f"left out, for want of --data: {name}")
    if not options.quick:
        for table, reason in NOT_MADE.items():
            print(f"not made here: {table}, {reason}")
    of = {end: [name for name in ends if ends[name] == end] for end in (FAILED, LEFT)}
    for end, names in of.items():
        if names:
            print(f"{end}: {', '.join(names)}")
    return 1 if of[FAILED] else STATUS_LEFT if of[LEFT] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    extent = parser.add_mutually_exclusive_group(required=True)
    extent.add_argument("--full", action="store_true", help="all draws; writes the tables")
    extent.add_argument("--quick", action="store_true", help="few draws; writes no table")
    parser.add_argument("--data", type=Path, help="a folder of score sets")
    parser.add_argument("--only", nargs="+", choices=[task.name for task in TASKS], metavar="TASK")
    parser.add_argument("--jobs", type=int, default=1, help="tasks side by side")
    parser.add_argument("--minutes", type=float, default=1e6, help="when to stop (default: never)")
    parser.add_argument("--list", action="store_true", help="print the tasks, and do none")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "scoreboard",
        help="what keeps finished tasks (default: build/scoreboard of the checkout)",
    )
    sys.exit(main(parser.parse_args()))
