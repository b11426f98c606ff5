"""Mutants: does a test of its own room fail if one token of the code is another.

Run ``python examples/benchmarks/mutants.py --csv examples/benchmarks/mutants.csv``: 200 tokens of
six rooms are changed one by one in a copy of the package (numbers by a tenth, or whole ones by one;
+ and -, < and <=, ``and`` and ``or``, min and max, axes, sides, ``True`` and ``False``; a ``not``
or a minus deleted), and the tests in ``tests/<room>`` that run the line are run until one fails. A
mutant that no test kills has survived: write a test of a truth that it breaks, or delete the line.

Each finished mutant is a row of the file, so an interrupted run goes on where it was; ``--again``
tries the rows of the file again (``--again survived`` those alone), first with the test that killed
them. ``--number 60`` takes a part, ``--rooms goals metrics`` some rooms, ``--seed 1`` other tokens:
which tokens are drawn depends on the text of their statements, so that a change draws few others.
``mutants_without_effect.csv`` lists mutants that change no result, and why; they do not count. Half
an hour on one core: first the tests of a room are run with its lines traced (``--folder``).
"""

import argparse
import ast
import compileall
import contextlib
import csv
import gc
import hashlib
import io
import json
import math
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("engine", "posterior", "design", "goals", "metrics", "inference")
WITHOUT_EFFECT = Path(__file__).with_name("mutants_without_effect.csv")
IDENTITY = ("file", "function", "statement", "place", "original", "replacement")
COLUMNS = ("room", *IDENTITY, "result", "test")

PAIRS = [
    ("+", "-"),
    ("*", "/"),
    ("+=", "-="),
    ("*=", "/="),
    ("&", "|"),
    ("<", "<="),
    (">", ">="),
    ("==", "!="),
    ("and", "or"),
    ("True", "False"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("nanmin", "nanmax"),
    ("floor", "ceil"),
    ("any", "all"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ('"left"', '"right"'),
]
REPLACEMENTS = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
# What guards against lengths that never differ, saves memory, or is for readers alone.
KEYWORDS_WITHOUT_EFFECT = {
    *("strict", "copy", "check_finite", "overwrite_a", "overwrite_b", "repr", "stacklevel"),
    *("kw_only", "frozen", "eq", "assume_unique", "maxsize", "out", "dtype"),
}
CPU_SECONDS, MEMORY = 60, 8 << 30


@dataclass(frozen=True)
class Mutant:
    """One changed token: where it stands, and what is there instead."""

    room: str
    file: str
    function: str
    statement: str
    place: int
    original: str
    replacement: str
    line: int
    columns: tuple[int, int]
    # The lines of the statement, without those of its block; none if an import runs them.
    lines: range

    @property
    def identity(self):
        """What stays when other lines of the file change."""
        return tuple(str(getattr(self, name)) for name in IDENTITY)

    def rank(self, seed):
        """Return a number that orders the mutants of a room at random."""
        return hashlib.sha256("|".join((str(seed), *self.identity)).encode()).hexdigest()

    def applied(self, source):
        """Return the source with the token changed."""
        lines = source.splitlines(keepends=True)
        start, stop = self.columns
        text = lines[self.line - 1]
        lines[self.line - 1] = text[:start] + self.replacement + text[stop:]
        return "".join(lines)


# --- Which tokens can be changed ------------------------------------------------------------------


def changed_number(text):
    """Return another number: a whole one below ten and one more, others a tenth more."""
    value = ast.literal_eval(text)
    if isinstance(value, complex):
        return None
    if isinstance(value, int):
        return str(value + 1 if value < 10 else math.ceil(1.1 * value))
    return f"{1.1 * value:.6g}" if value else "0.1"


def parents_of(tree):
    """Return the parent of each node."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def is_without_effect(node, parents):
    """Tell whether a node is a type, a text, an import, a decorator, or a guard."""
    while node in parents:
        parent = parents[node]
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Raise):
            return True
        if isinstance(node, ast.keyword) and node.arg in KEYWORDS_WITHOUT_EFFECT:
            return True
        if node in getattr(parent, "decorator_list", ()):
            return True
        if node in (getattr(parent, "annotation", None), getattr(parent, "returns", None)):
            return True
        node = parent
    return False


def function_of(node, parents):
    """Return the qualified name of the function or class around a node."""
    names = []
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
    return ".".join(reversed(names))


def nodes_by_line(tree):
    """Return the nodes that stand on each line, outer ones first."""
    by_line = defaultdict(list)
    for node in ast.walk(tree):
        if hasattr(node, "end_lineno"):
            for line in range(node.lineno, node.end_lineno + 1):
                by_line[line].append(node)
    return by_line


def lines_of(statement, node, parents):
    """Return the lines of a statement in the body of a function; none of others."""
    while node in parents:
        parent = parents[node]
        if isinstance(parent, ast.FunctionDef) and node in parent.body:
            block = getattr(statement, "body", None)
            stop = block[0].lineno if block else statement.end_lineno + 1
            return range(statement.lineno, max(stop, statement.lineno + 1))
        node = parent
    return range(0)


def node_and_statement(nodes, place):
    """Return the smallest of the nodes around a place, and the smallest statement."""
    around = [
        node
        for node in nodes
        if (node.lineno, node.col_offset) <= place < (node.end_lineno, node.end_col_offset)
    ]
    statements = [node for node in around if isinstance(node, ast.stmt)]
    return (around[-1], statements[-1]) if statements else (None, None)


def replacement_of(token, before, after, node, parents):
    """Return what a token is changed to, or None."""
    text = token.string
    if token.type == tokenize.NUMBER:
        parent = parents.get(node)
        negative = isinstance(parent, ast.UnaryOp)
        keyword = parents.get(parent) if negative else parent
        if isinstance(keyword, ast.keyword) and keyword.arg == "axis":
            return "1" if text == "0" else "0"
        return changed_number(text)
    if text == "-" and isinstance(node, ast.UnaryOp):
        return " "
    if text == "~":
        return " "
    if text == "not":
        return " "
    if text == "is" and after != "not":
        return "is not"
    if text == "in" and before != "not" and isinstance(node, ast.Compare):
        return "not in"
    if text in "+-*/&<>" and not isinstance(node, ast.BinOp | ast.Compare):
        return None
    return REPLACEMENTS.get(text)


def mutants_of(file, room):
    """Return every mutant of a file."""
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source)
    parents, nodes = parents_of(tree), nodes_by_line(tree)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    places = Counter()
    mutants = []
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        kinds = (tokenize.NUMBER, tokenize.NAME, tokenize.OP, tokenize.STRING)
        if token.type not in kinds or not token.line.isascii():
            continue
        line, column = token.start
        node, statement = node_and_statement(nodes[line], token.start)
        if statement is None or is_without_effect(node, parents):
            continue
        replacement = replacement_of(token, before.string, after.string, node, parents)
        if replacement is None:
            continue

        head = ast.unparse(statement).splitlines()[0]
        function = function_of(statement, parents)
        key = (function, head, token.string)
        places[key] += 1
        mutants.append(
            Mutant(
                *(room, file.relative_to(ROOT).as_posix(), function, head, places[key]),
                *(token.string, replacement, line, (column, token.end[1])),
                lines_of(statement, node, parents),
            )
        )
    return mutants


def read_rows(file):
    """Return the rows of a file, by the identity of their mutants."""
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as lines:
        return {tuple(row[name] for name in IDENTITY): row for row in csv.DictReader(lines)}


def write_rows(file, rows):
    """Write the rows of mutants."""
    with file.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def drawn_mutants(rooms, number, seed):
    """Draw mutants from the rooms, in proportion to their tokens."""
    without_effect = read_rows(WITHOUT_EFFECT)
    every = {
        room: [
            mutant
            for file in sorted((ROOT / "sklearn_spe" / room).rglob("*.py"))
            for mutant in mutants_of(file, room)
        ]
        for room in ROOMS
    }
    n_tokens = sum(map(len, every.values()))
    drawn = {}
    for room in rooms:
        ordered = sorted(every[room], key=lambda mutant: mutant.rank(seed))
        counted = [mutant for mutant in ordered if mutant.identity not in without_effect]
        drawn[room] = counted[: round(number * len(every[room]) / n_tokens)]
    return drawn


# --- How a token is changed in a running process --------------------------------------------------


def key_of(code):
    """Return what tells the codes of a file apart, besides what they do."""
    return code.co_qualname, code.co_firstlineno, code.co_freevars, code.co_varnames


def codes_of(code):
    """Return the codes of all functions within a code, by their keys."""
    codes = defaultdict(list)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            codes[key_of(constant)].append(constant)
            for key, inner in codes_of(constant).items():
                codes[key] += inner
    return codes


def change_functions(file, source):
    """Give the functions of a file the bodies that they have in a source; tell if any differs."""
    codes = codes_of(compile(source, file, "exec", dont_inherit=True))
    # Those that a frozen collector does not list, too.
    gc.unfreeze()
    n_changed = 0
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == file:
            alike = codes.get(key_of(function.__code__), [])
            if alike and function.__code__ not in alike:
                function.__code__ = alike[0]
                n_changed += 1
    return n_changed > 0


# --- What a run of tests does ---------------------------------------------------------------------


class LineTracer:
    """Note which lines of a room each test runs, and how long it takes."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.lines = set()

    def trace(self, frame, event, argument):
        """Trace the frames of the room alone."""
        return self.trace_lines if frame.f_code.co_filename.startswith(self.folder) else None

    def trace_lines(self, frame, event, argument):
        """Note a line."""
        if event == "line":
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.trace_lines

    def of_tests(self, session, reports):
        """Return, by test, its seconds and its lines by file, relative to the copy."""
        covering = {}
        of_files = defaultdict(set)
        for item, following in with_next(session.items):
            self.lines = set()
            start = time.process_time()
            threading.settrace(self.trace)
            sys.settrace(self.trace)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            sys.settrace(None)
            threading.settrace(None)
            if reports.failed:
                raise SystemExit(f"{reports.failed} fails before anything is changed.")
            covering[item.nodeid] = time.process_time() - start, self.lines
            # Fixtures of a module are made in its first test, for all.
            of_files[item.nodeid.split("::")[0]] |= reports.of_setup
        return {
            test: {"seconds": seconds, "lines": by_file(lines | of_files[test.split("::")[0]])}
            for test, (seconds, lines) in covering.items()
        }


def with_next(items):
    """Return each item with the one that follows."""
    return list(zip_longest(items, items[1:]))


def by_file(lines):
    """Return lines by file, relative to the copy."""
    files = defaultdict(list)
    for file, line in lines:
        files[os.path.relpath(file)].append(line)
    return files


class RoomRun:
    """Collect the tests of a room once, and fork for each mutant of it."""

    def __init__(self, room, copy, folder, work):
        self.room = room
        self.copy = copy
        self.folder = folder
        self.work = work
        self.failed = ""
        self.tracer = None
        self.of_setup = set()

    def pytest_runtest_logreport(self, report):
        """Note a test that fails, and the lines of fixtures."""
        if report.failed:
            self.failed = report.nodeid
        if report.when == "setup" and self.tracer is not None:
            self.of_setup = set(self.tracer.lines)

    def pytest_runtestloop(self, session):
        """Do the work with the tests that were collected."""
        if session.testsfailed:
            raise SystemExit(f"The tests of {self.room} cannot be collected.")
        self.work(self, session)
        return True

    def traced(self, session):
        """Return which lines each test runs; kept until the room or its tests change."""
        digest = hashlib.sha256()
        for file in sorted(self.copy.glob("**/*.py")):
            if f"/{self.room}/" in file.as_posix():
                digest.update(file.read_bytes())
        kept = self.folder / f"{self.room}_{digest.hexdigest()[:16]}.json"
        if not kept.exists():
            print(f"{self.room}: tracing its tests", flush=True)

            def trace():
                self.tracer = LineTracer(self.copy / "sklearn_spe" / self.room)
                covering = self.tracer.of_tests(session, self)
                kept.write_text(json.dumps(covering), encoding="utf-8")
                return True

            if not in_child(trace):
                raise SystemExit(f"The tests of {self.room} fail before anything is changed.")
        return json.loads(kept.read_text(encoding="utf-8"))

    def result_of(self, mutant, session, tests, seconds):
        """Return the result of a mutant, the test that killed it, and None if it is no body."""
        items = {item.nodeid: item for item in session.items}
        chosen = [items[test] for test in tests]
        source = (self.copy / mutant.file).read_text(encoding="utf-8")

        def run():
            if not change_functions(str(self.copy / mutant.file), mutant.applied(source)):
                return None
            for item, following in with_next(chosen):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    return "killed", self.failed
            return "survived", ""

        return in_child(run, seconds)


def in_child(run, seconds=None):
    """Return what a function returns in a child process; if it crashes or takes long, killed."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            if seconds is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            sender.send(run())
        finally:
            os._exit(0)
    sender.close()
    ended = receiver.poll(None if seconds is None else 10 * seconds)
    try:
        outcome = receiver.recv() if ended else ("killed", "time")
    except EOFError:
        outcome = "killed", "time"
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return outcome


def run_room(room, copy, folder, work):
    """Run pytest in a copy of the package, in a child process, which does the work."""

    def run():
        os.chdir(copy)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(copy))
        os.environ["PYTHONPATH"] = str(copy)
        places = [f"tests/{room}", f"sklearn_spe/{room}"]
        options = ["-p", "no:cacheprovider", "-p", "no:terminal", "-s", "-m", "not slow"]
        plugin = RoomRun(room, copy, folder, work)
        return "killed" if pytest.main([*options, *places], plugins=[plugin]) else "survived"

    return in_child(run)


def copied_package(folder):
    """Copy the package and its tests to a folder, and compile them."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    for name in ("sklearn_spe", "tests", "examples"):
        ignored = shutil.ignore_patterns("__pycache__", "*.png")
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy / name)
    compileall.compile_dir(str(copy / "sklearn_spe"), quiet=2)
    return copy


def tests_of(mutant, covering, killer):
    """Return the tests that run a statement, fastest first; of one that none is seen to, all.

    Those are of an import, or of a child process.
    """
    running = [
        test
        for test, item in covering.items()
        if not set(mutant.lines).isdisjoint(item["lines"].get(mutant.file, ()))
    ]

    # Of all tests those that run the file go first.
    def order(test):
        return (
            test != killer,
            mutant.file not in covering[test]["lines"],
            covering[test]["seconds"],
        )

    return sorted(running or covering, key=order)


def run_mutants(room, todo, copy, folder, note):
    """Run the mutants of a room: those of functions in a process that has collected its tests."""

    def work(run, session):
        covering = run.traced(session)
        for mutant, killer in todo:
            start = time.monotonic()
            tests = tests_of(mutant, covering, killer)
            seconds = math.ceil(CPU_SECONDS + 3 * sum(covering[test]["seconds"] for test in tests))
            outcome = run.result_of(mutant, session, tests, seconds) if mutant.lines else None
            if outcome is None:
                outcome = imported_anew(mutant, tests, seconds, copy, folder)
            note(mutant, outcome, start)

    run_room(room, copy, folder, work)


def imported_anew(mutant, tests, seconds, copy, folder):
    """Return the result of a mutant outside of functions, in a process that imports it."""
    file = copy / mutant.file
    source = file.read_text(encoding="utf-8")
    for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
        compiled.unlink()
    file.write_text(mutant.applied(source), encoding="utf-8")
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--tb=no"]
    try:
        done = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", *options, *files],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            timeout=10 * seconds,
        )
    except subprocess.TimeoutExpired:
        return "killed", "time"
    finally:
        file.write_text(source, encoding="utf-8")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    test = failed[0].split(" ")[1] if failed else "import"
    return ("killed", test) if done.returncode else ("survived", "")


def print_table(rows):
    """Print how many of each room are killed."""
    print(f"\n{'room':12}{'mutants':>9}{'killed':>9}{'share':>8}")
    groups = [(room, [row for row in rows if row["room"] == room]) for room in ROOMS]
    for room, of_room in [*groups, ("all", rows)]:
        killed = sum(row["result"] == "killed" for row in of_room)
        share = f"{killed / len(of_room):8.0%}" if of_room else ""
        print(f"{room:12}{len(of_room):9}{killed:9}{share}")


def main():
    """Run the mutants that have no result yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path, required=True, help="the file of results")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    parser.add_argument("--number", type=int, default=200, help="mutants of all six rooms")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", nargs="?", const="all", choices=("all", "survived"))
    parser.add_argument("--folder", type=Path, help="where the copy and the traced lines are kept")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.gettempdir()) / "sklearn_spe_mutants"
    # Rooms run in the copy.
    options.csv, folder = options.csv.resolve(), folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    copy = copied_package(folder)
    drawn = drawn_mutants(options.rooms, options.number, options.seed)
    known = read_rows(options.csv)
    others = [row for row in known.values() if row["room"] not in options.rooms]
    results = {
        mutant.identity: known.get(mutant.identity) for room in drawn for mutant in drawn[room]
    }

    def note(mutant, outcome, start):
        """Write a result to the file."""
        result, test = outcome
        row = dict(zip(IDENTITY, mutant.identity, strict=True))
        results[mutant.identity] = row | {"room": mutant.room, "result": result, "test": test}
        change = f"{mutant.original} -> {mutant.replacement.strip() or 'deleted'}"
        where = f"{mutant.file.removeprefix('sklearn_spe/')}:{mutant.line}"
        seconds = f"{time.monotonic() - start:4.0f} s"
        print(f"{result:8} {seconds} {where} {change:18} {mutant.statement[:90]}", flush=True)
        write_rows(options.csv, [*others, *filter(None, results.values())])

    for room in options.rooms:
        todo = []
        for mutant in drawn[room]:
            row = results[mutant.identity]
            if not row or options.again in ("all", row["result"]):
                todo.append((mutant, row["test"] if row else ""))
        if todo:
            run_mutants(room, todo, copy, folder, note)
            known = read_rows(options.csv)
            results |= {identity: known.get(identity) for identity in results}
    rows = [*others, *filter(None, results.values())]
    write_rows(options.csv, rows)
    print_table(rows)


if __name__ == "__main__":
    main()
