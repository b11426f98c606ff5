"""Seconds of a step of verification, a query and an update, beside a straightforward version.

Simulated tags of many images, of which the 48 highest of each tag matter. The straightforward
version fits a logistic regression of the clean label on score and noisy label to what is verified
of each tag, predicts, and takes the least certain pairs; it ranks all images of each tag anew, and
is shown without that as well. It has no intervals. Each figure is the best of several steps, on one
thread.
"""

import time

import numpy as np
from labellings import labelling
from ranked_lists import RankedLists
from sklearn.linear_model import LogisticRegression
from text_tables import text_of
from threadpoolctl import threadpool_limits

from sklearn_spe import ActiveTestSelector
from sklearn_spe.datasets import make_noisy_tags

K = 48
# So rare that the highest of a tag are not all positive.
PREVALENCE = 0.0005


def add_options(add):
    """Add sizes."""
    add("--images", type=int, default=100_000)
    add("--tags", type=int, default=81)
    help = "pairs that are verified at random before the first step"
    add("--verified", type=int, default=389, help=help)
    add("--batch", type=int, default=97, help="pairs that a step asks for")
    add("--steps", type=int, default=5)


def main(options):
    """Return a table of the times."""
    data = make_noisy_tags(options.images, options.tags, prevalence=PREVALENCE, random_state=0)
    lists = RankedLists(K, data.scores, data.labels, data.noisy_labels, data.category)
    with threadpool_limits(limits=1):
        selector, verified, fit = started(lists, options.verified)
        own = own_steps(selector, lists, options.batch, options.steps)
        peer = peer_steps(lists, verified, options.batch, options.steps)
    body = [[f"{options.tags} x {options.images:,}", *(f"{t:.2f}" for t in (fit, own, *peer))]]
    body[0] += [f"{t / own:.2f}" for t in peer]
    heading = [
        "tags x images",
        "fit",
        "step",
        "regressions",
        "with ranking",
        "ratio",
        "ratio, ranking",
    ]
    title = f"Seconds of a step of {options.batch} pairs, Precision@{K}"
    note = "fit: once, before the first step; ratio: straightforward version / here\n"
    return text_of([(title, (heading, body)), note])


def started(lists, n_verified):
    """Return a selector that has seen random labels, their items, and the time of the fit."""
    selector = ActiveTestSelector(lists.metric, random_state=0)
    start = time.perf_counter()
    selector.fit(**lists.given)
    seconds = time.perf_counter() - start
    (look,) = labelling(selector, lists, [n_verified], n_verified, "random", 0)
    return selector, look.verified, seconds


def own_steps(selector, lists, batch, n_steps):
    """Return the shortest time of a query and an update."""
    times = []
    for _ in range(n_steps):
        start = time.perf_counter()
        items = selector.query(batch)
        selector.update(items, lists.answers(items))
        times.append(time.perf_counter() - start)
    return min(times)


def peer_steps(lists, verified, batch, n_steps):
    """Return the shortest times of straightforward steps: regressions alone, and with ranking."""
    times = []
    for _ in range(n_steps):
        start = time.perf_counter()
        tops = highest(lists)
        middle = time.perf_counter()
        items, _ = straightforward(lists, tops, verified, batch)
        end = time.perf_counter()
        verified = np.append(verified, items)
        times.append((end - middle, end - start))
    return np.min(times, axis=0)


def highest(lists):
    """Return the items of the highest scores of each tag, by sorting all of them."""
    n_tags = lists.category[-1] + 1
    scores = lists.scores.reshape(n_tags, -1)
    return [np.argsort(-own)[: lists.k] + tag * scores.shape[1] for tag, own in enumerate(scores)]


def straightforward(lists, tops, verified, batch):
    """Return the least certain items, and the mean precision of the tags."""
    known = np.zeros(len(lists.scores), dtype=bool)
    known[verified] = True
    chances = [predicted(lists, items, known[items]) for items in tops]
    items, uncertainty = np.concatenate(tops), np.concatenate([p * (1.0 - p) for p in chances])
    uncertainty[known[items]] = -1.0
    return items[np.argsort(-uncertainty)[:batch]], np.mean([p.mean() for p in chances])


def predicted(lists, items, known):
    """Return the probability of each item of a tag, labels where they are known."""
    labels, X = lists.labels[items], np.column_stack([lists.scores[items], lists.noisy[items]])
    if len(np.unique(labels[known])) == 2:
        p = LogisticRegression().fit(X[known], labels[known]).predict_proba(X)[:, 1]
    else:
        p = lists.noisy[items].astype(float)
    return np.where(known, labels, p)
