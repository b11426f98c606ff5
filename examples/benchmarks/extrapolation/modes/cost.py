"""Seconds and memory of a fit without a band, as ratios to a straightforward version beside it.

The straightforward version computes nothing but the exact curve of the pilot: ranks by sorting
every row twice, then the share of subsets of each size for each item. Memory is the peak above the
table of scores, of a process of its own; seconds are the best of `--repeats` runs.
"""

import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from scipy import special
from text_tables import text_of
from threadpoolctl import threadpool_limits

from sklearn_spe.extrapolation import AccuracyExtrapolator, average_accuracy_curve

METHODS = ("straightforward", "exact curve", "probit", "classexreg", "kde", "scores", "blend")
REPEATS = 3
# Classes and items.
SIZES = ((100, 1_000), (2_000, 20_000))
# What a process reports its peak memory in: KiB on Linux, bytes on macOS.
UNIT = 2**20 if sys.platform == "darwin" else 2**10


def add_options(parser):
    """Add nothing."""


def main(options):
    """Measure; return a table."""
    body = []
    for n_classes, n_items in SIZES[: 1 if options.n_problems else None]:
        base = None
        for method in options.methods:
            # A process of its own has its own peak.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                seconds, memory = pool.submit(
                    measure, method, n_classes, n_items, options.repeats
                ).result()
            if method == "straightforward":
                base = seconds, memory
            ratios = ("--", "--") if base is None else (seconds / base[0], memory / base[1])
            ratios = [r if r == "--" else f"{r:.2f}" for r in ratios]
            size = f"{n_classes} x {n_items}"
            body.append([size, method, f"{seconds:.3f}", ratios[0], f"{memory:.1f}", ratios[1]])
            print(*body[-1], file=sys.stderr)
    heading = ["classes x items", "method", "seconds", "ratio", "MiB", "ratio of MiB"]
    title = "A fit without a band, beside the exact curve by sorting"
    return text_of([(title, (heading, body))], options.rst)


def measure(method, n_classes, n_items, repeats):
    """Return the seconds and the peak MiB of a fit."""
    with threadpool_limits(limits=1):
        function, small = _function(method), _pilot(20, 40)
        # What is loaded at the first call is not counted.
        function(*small)
        scores, labels = _pilot(n_classes, n_items)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            function(scores, labels)
            times.append(time.perf_counter() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return min(times), peak / UNIT


def straightforward(scores, labels):
    """Return the exact curve by sorting, with logarithms of binomial coefficients."""
    n_classes = scores.shape[1]
    ranks = scores.argsort(axis=1).argsort(axis=1)
    wins = ranks[np.arange(len(labels)), labels].astype(float)
    curve = np.ones(n_classes)
    for k in range(2, n_classes + 1):
        enough = wins[wins >= k - 1]
        logs = special.gammaln(enough + 1.0) - special.gammaln(enough - k + 2.0)
        logs += special.gammaln(n_classes - k + 1.0) - special.gammaln(float(n_classes))
        curve[k - 1] = np.exp(logs).sum() / len(wins)
    return curve


def _function(method):
    if method == "straightforward":
        return straightforward
    if method == "exact curve":
        return lambda scores, labels: average_accuracy_curve(
            labels, scores, labels=np.arange(scores.shape[1]), average="micro"
        )
    return lambda scores, labels: AccuracyExtrapolator(
        method, classes=np.arange(scores.shape[1]), average="micro", n_bootstrap=0, random_state=0
    ).fit(scores, labels)


def _pilot(n_classes, n_items):
    """Draw scores in place, so that the peak memory before a fit is that of the table."""
    rng = np.random.default_rng(0)
    scores = np.empty((n_items, n_classes))
    rng.standard_normal(out=scores)
    labels = np.arange(n_items) % n_classes
    scores[np.arange(n_items), labels] += rng.normal(3.0, 1.0, n_items)
    return scores, labels
