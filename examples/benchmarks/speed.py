"""Speed of this checkout beside that of an earlier commit, as ratios.

Run ``python examples/benchmarks/speed.py``, or with ``--against COMMIT``; without it, the commit is
the last tag. Its package is taken from the history of the checkout and runs on the dependencies of
this Python. Each round is one process of either package, alternately, on one thread. It imports the
package, and a fork of it does each of fifteen tasks, which therefore do not warm each other. Data
are simulated, the same in all rounds.

A figure is the CPU seconds of a call, the least over the rounds, and over the calls where a round
has several. Printed are both, the ratio of the two, the lowest and the highest ratio of a round,
and the peak of the resident memory of the fork after the call: what the import allocated, what the
task did, and the files that it touched. ``--short`` is three rounds of six tasks, which take less
than 40 seconds of one core; ``--limit 1.25`` ends with status 1 if a ratio is larger.

Tasks call what both commits have; where a call has moved, as the page did, they ask which is there.
"""

import argparse
import io
import json
import multiprocessing
import os
import pickle
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

# Names of the root are imported when they are used: only the processes of the rounds do that.
import sklearn_spe

ROOT = Path(__file__).resolve().parents[2]
# What the first release is compared with.
BEFORE_TAGS = "6e0efb3d"
# What is slower than there, by the ratio that was accepted for answers that it did not give. A
# selector's step also checks the model, and draws the label of each item once for all questions.
ACCEPTED = {
    "selector's step, 2,000": 1.5,
    "selector's step, 250,000": 1.5,
    "groups: fit, AUC": 1.5,
    "two systems: fit": 1.7,
    "rate, ten categories": 16.0,
}
N_ROUNDS, N_SHORT_ROUNDS = 7, 3
N_ITEMS, N_LABELS, BATCH = 2_000, 20, 10
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def cpu_seconds():
    """Return the CPU seconds of this process and of those that it started and that ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Meter:
    """Seconds of calls, and the peak memory after each.

    Parameters
    ----------
    clock : callable
        Returns seconds.

    Attributes
    ----------
    figures : dict of str to (float, float)
        The seconds of a call and the MiB of the process, by what is called.
    """

    def __init__(self, clock=cpu_seconds):
        self.clock = clock
        self.figures = {}

    def __call__(self, name, *calls):
        """Make calls of the same kind, of which the shortest counts; return the last result."""
        times = []
        for call in calls:
            start = self.clock()
            result = call()
            times.append(self.clock() - start)
        self.figures[name] = min(times), peak_memory()
        return result


def peak_memory():
    """Return the largest resident memory of this process, or of one that it started, in MiB."""
    users = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(user).ru_maxrss for user in users)
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def scores_and_labels(n_items=N_ITEMS):
    """Return the scores and the labels of all items."""
    rng = np.random.default_rng(0)
    truth = (rng.random(n_items) < 0.3).astype(int)
    return 2.0 * truth + rng.standard_normal(n_items), truth


def systems_and_labels(n_systems):
    """Return the scores of systems by name, each worse than the one before, and the labels."""
    rng = np.random.default_rng(0)
    truth = (rng.random(N_ITEMS) < 0.3).astype(int)
    distances = np.linspace(2.0, 1.0, n_systems)
    noise = rng.standard_normal((n_systems, N_ITEMS))
    return {f"system {i}": d * truth + noise[i] for i, d in enumerate(distances)}, truth


def known(truth, n_labels=N_LABELS, unknown=-1):
    """Return the labels of the first items, which are in random order."""
    return np.where(np.arange(len(truth)) < n_labels, truth, unknown)


def fitted(scores, y, **structure):
    """Return the default fit."""
    return sklearn_spe.PerformanceCurveEstimator(random_state=0).fit(scores, y, **structure)


def one_column(meter):
    """Fit one column of scores, again, and ask for numbers and a curve."""
    scores, truth = scores_and_labels()
    y = known(truth)
    meter("first fit", lambda: fitted(scores, y))
    fit = meter("fit, scores seen", *[lambda: fitted(scores, y)] * 2)
    meter("first answer", lambda: fit.estimate("average_precision"))
    meter("further answer", lambda: fit.estimate("roc_auc"))
    meter("further curve", lambda: fit.curve("precision_recall"))


def updates(meter):
    """Update a fit by ten labels, and one that was written and read."""
    scores, truth = scores_and_labels()
    fit = fitted(scores, known(truth))
    stored = pickle.dumps(fit)

    def update(fit, n_labels):
        return lambda: fit.update(scores, known(truth, n_labels))

    meter("update", *(update(fit, n) for n in (30, 40, 50)))
    meter("update after a pickle", update(pickle.loads(stored), 30))


def selection(n_items):
    """Return the task of a step of a labelling, after which the estimate is read."""

    def task(meter):
        scores, truth = scores_and_labels(n_items)
        selector = sklearn_spe.ActiveTestSelector(random_state=0).fit(scores)

        def step():
            items = selector.query(BATCH)
            selector.update(items, truth[items])
            # What a step leaves to whoever reads it is part of its price.
            return selector.estimate_.interval(), selector.verdict_

        # The first step also makes what later ones keep.
        meter(f"selector's step, {n_items:,d}", step, step)

    return task


def groups(meter):
    """Fit groups of four items."""
    scores, truth = scores_and_labels()
    y, quartets = known(truth, 40), np.arange(len(truth)) // 4
    meter("groups: fit, AUC", lambda: fitted(scores, y, groups=quartets).estimate("roc_auc"))


def grades_and_proxy():
    """Return grades from 1 to 5 and a proxy of them."""
    rng = np.random.default_rng(0)
    grades = np.clip(np.round(rng.normal(3.5, 1.0, N_ITEMS)), 1.0, 5.0)
    return grades, grades + rng.normal(0.5, 0.7, N_ITEMS)


def mean(proxy, y, **structure):
    """Return the default estimate of a mean."""
    return sklearn_spe.MeanEstimator(random_state=0).fit(proxy, y, **structure).estimate()


def mean_of_grades(meter):
    """Estimate a mean grade."""
    grades, proxy = grades_and_proxy()
    y = known(grades, 50, np.nan)
    meter("mean of grades", *[lambda: mean(proxy, y)] * 5)


def rate_of_categories(meter):
    """Estimate a mean of 0 and 1 in ten categories."""
    grades, proxy = grades_and_proxy()
    y = known(grades >= 4.0, 50, np.nan)
    category = np.arange(N_ITEMS) % 10
    meter("rate, ten categories", lambda: mean(proxy, y, category=category))


def thirty_classes(meter):
    """Fit a classifier of thirty classes."""
    rng = np.random.default_rng(0)
    n_classes = 30
    truth = rng.integers(n_classes, size=N_ITEMS)
    logits = 3.0 * np.eye(n_classes)[truth] + rng.standard_normal((N_ITEMS, n_classes))
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y = known(truth, 100)

    def accuracy():
        performance = sklearn_spe.PerformanceCurveEstimator(
            classes=np.arange(n_classes), random_state=0
        )
        return performance.fit(probabilities, y).estimate("accuracy")

    meter("30 classes: fit, accuracy", accuracy)


def two_systems(meter):
    """Fit two systems and compare them."""
    scores, truth = systems_and_labels(2)
    y = known(truth, 60)
    fit = meter("two systems: fit", lambda: fitted(scores, y))
    meter("two systems: difference", lambda: fit.difference("average_precision", *scores))


def many_systems(n_systems):
    """Return the task of fitting many systems and ranking them."""

    def task(meter):
        scores, truth = systems_and_labels(n_systems)
        y = known(truth, 60)
        fit = meter(f"{n_systems} systems: fit", lambda: fitted(scores, y))
        meter(f"{n_systems} systems: ranking", lambda: fit.ranking_proba("average_precision"))

    return task


def many_categories(n_categories):
    """Return the task of fitting many categories and asking about all items."""

    def task(meter):
        scores, truth = scores_and_labels()
        y, category = known(truth, 60), np.arange(N_ITEMS) % n_categories

        def precision():
            return fitted(scores, y, category=category).estimate("average_precision")

        meter(f"{n_categories} categories: fit, AP", precision)

    return task


def page(meter):
    """Write the page of a fit."""
    scores, truth = scores_and_labels()
    fit = fitted(scores, known(truth))

    def html():
        if hasattr(fit, "to_html"):
            return fit.to_html()
        return sklearn_spe.PerformanceReport.from_estimator(fit).to_html()

    meter("page", html)


def command_line(meter):
    """Start the command line, for its help and for the numbers of a file."""
    scores, truth = scores_and_labels()
    y = known(truth)

    with tempfile.TemporaryDirectory() as folder:
        labels = (str(label) if label >= 0 else "" for label in y)
        rows = [f"{score},{label}\n" for score, label in zip(scores, labels, strict=True)]
        Path(folder, "scores.csv").write_text("score,label\n" + "".join(rows))

        def run(*arguments):
            # In another folder: that of the caller may have a package of the same name.
            line = [sys.executable, "-m", "sklearn_spe", *arguments]
            subprocess.run(line, cwd=folder, stdout=subprocess.DEVNULL, check=True)

        estimate = ("estimate", "scores.csv", "--score", "score", "--label", "label")
        meter("command line: help", *[lambda: run("--help")] * 3)
        meter("command line: estimate", lambda: run(*estimate))


TASKS = {
    "one column": one_column,
    "updates": updates,
    "selector": selection(N_ITEMS),
    "groups": groups,
    "mean": mean_of_grades,
    "categories": rate_of_categories,
    "large selector": selection(250_000),
    "30 classes": thirty_classes,
    "two systems": two_systems,
    "20 systems": many_systems(20),
    "50 systems": many_systems(50),
    "100 categories": many_categories(100),
    "300 categories": many_categories(300),
    "page": page,
    "command line": command_line,
}
SHORT_TASKS = tuple(TASKS)[:6]


def figures_of(task):
    """Return the figures of a task."""
    meter = Meter()
    TASKS[task](meter)
    return meter.figures


def do_tasks(tree, tasks):
    """Print the figures of tasks as JSON; one that fails is a sentence."""
    package = Path(sklearn_spe.__file__).resolve()
    if not package.is_relative_to(tree):
        raise SystemExit(f"The package is imported from {package}, not from {tree}.")
    meter, failures = Meter(), []
    meter("import", lambda: [getattr(sklearn_spe, name) for name in sklearn_spe.__all__])

    context = multiprocessing.get_context("fork")
    for task in tasks:
        with ProcessPoolExecutor(1, mp_context=context) as fork:
            try:
                meter.figures |= fork.submit(figures_of, task).result()
            except Exception as error:
                failures.append(f"{task}: {type(error).__name__}: {error}")
    json.dump({"figures": meter.figures, "failures": failures}, sys.stdout)


def figures_of_round(tree, tasks):
    """Run tasks with the package of a folder; return figures and failures."""
    environment = os.environ | {"PYTHONPATH": str(tree)} | dict.fromkeys(THREADS, "1")
    command = [sys.executable, "-W", "ignore", __file__, "--tree", str(tree), "--tasks", *tasks]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def git(history, *arguments):
    """Return what git prints, None if it fails."""
    command = ["git", "-C", str(history), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def last_tag(history):
    """Return the last tag of a checkout."""
    tag = git(history, "describe", "--tags", "--abbrev=0")
    return BEFORE_TAGS if tag is None else tag.decode().strip()


def extract_package(commit, history, folder):
    """Write the package of a commit to a folder; return whether the history has it."""
    archive = git(history, "archive", commit, "sklearn_spe")
    if archive is None:
        return False
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        # Python 3.11 has filters since 3.11.4.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        files.extractall(folder, **safely)
    return True


def compare(old_tree, n_rounds, tasks):
    """Return the figures of all rounds, by name those of old and new, and what failed."""
    trees = {"old": old_tree, "new": ROOT}
    figures, failures = {}, set()
    for number in range(n_rounds):
        # What slows the machine down slowly counts for both alike.
        for side in ("old", "new") if number % 2 == 0 else ("new", "old"):
            result = figures_of_round(trees[side], tasks)
            failures |= {f"{side}, {failure}" for failure in result["failures"]}
            for name, figure in result["figures"].items():
                figures.setdefault(name, {}).setdefault(side, []).append(figure)
        print(f"round {number + 1} of {n_rounds}", file=sys.stderr)
    return figures, sorted(failures)


def show(figures):
    """Print the figures that both have; return the ratio of the least seconds of each."""
    titles = f"{'old':>8}{'new':>8}{'ratio':>8}{'of rounds':>14}{'MiB, old':>10}{'new':>6}"
    print(f"{'CPU seconds':28}{titles}")
    ratios = {}
    for name, sides in figures.items():
        # A task that failed is named below.
        if len(sides.get("old", ())) != len(sides.get("new", ())):
            continue
        old, new = (np.array(sides[side]) for side in ("old", "new"))
        (old_seconds, old_peak), (new_seconds, new_peak) = old.min(axis=0), new.min(axis=0)
        ratios[name] = new_seconds / old_seconds
        of_rounds = new[:, 0] / old[:, 0]
        spread = f"{of_rounds.min():.2f}-{of_rounds.max():.2f}"
        print(
            f"{name:28}{old_seconds:8.3f}{new_seconds:8.3f}{ratios[name]:8.2f}{spread:>14}"
            f"{old_peak:10.0f}{new_peak:6.0f}"
        )
    return ratios


def main(options):
    """Compare this checkout with a commit, and print what was found."""
    commit = options.against or last_tag(options.history)
    with tempfile.TemporaryDirectory() as folder:
        if not extract_package(commit, options.history, folder):
            sentence = (
                f"Speed is not compared: {options.history} has no commit {commit}. A copy without "
                "its history and a shallow clone have none: git fetch --unshallow --tags, or "
                "--history with the folder of a clone."
            )
            if options.against is not None or options.limit is not None:
                raise SystemExit(sentence)
            print(sentence)
            return
        n_rounds = N_SHORT_ROUNDS if options.short else options.rounds
        tasks = SHORT_TASKS if options.short else options.tasks
        print(f"old is {commit}, new this checkout; {n_rounds} rounds", flush=True)
        figures, failures = compare(Path(folder).resolve(), n_rounds, tasks)

    ratios = show(figures)
    for failure in failures:
        print(f"failed: {failure}")
    if options.limit is not None:
        refuse(ratios, failures, commit, options.limit)


def refuse(ratios, failures, commit, limit):
    """End with status 1 if a ratio is above a limit, or a task failed."""
    accepted = ACCEPTED if commit == BEFORE_TAGS else {}
    slower = [
        f"{name} {ratio:.2f}"
        for name, ratio in ratios.items()
        if ratio > limit * accepted.get(name, 1.0)
    ]
    sentences = []
    if slower:
        sentences.append(f"Slower than {limit} of {commit}: {', '.join(slower)}.")
    if failures:
        sentences.append(f"Tasks that failed: {len(failures)}.")
    if sentences:
        raise SystemExit(" ".join(sentences))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="COMMIT", help="default: the last tag")
    parser.add_argument("--rounds", type=int, default=N_ROUNDS, help="processes of each package")
    parser.add_argument("--short", action="store_true", help="three rounds of six tasks")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=tuple(TASKS), metavar="TASK")
    parser.add_argument("--limit", type=float, help="a ratio above which the status is 1")
    parser.add_argument(
        "--history", type=Path, default=ROOT, help="the clone that has the commit; default: this"
    )
    # What a process of a round is given.
    parser.add_argument("--tree", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tree is not None:
        do_tasks(options.tree, options.tasks)
    else:
        main(options)
