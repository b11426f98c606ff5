"""Cases of rare positives: random items of a set, of which the largest scores are labelled."""

import zlib
from functools import lru_cache

import numpy as np
from resumable_runs import Case
from score_files import find_sets

# Sets with fewer positives than this are used.
RARE = 0.05


def find(folder, pattern=""):
    """Return the score sets of a folder in which positives are rare."""
    return [s for s in find_sets(folder, pattern) if is_rare(s)]


def is_rare(score_set):
    """Return whether a set is of use, and few of its items are positive."""
    loaded = everything(score_set)
    return loaded is not None and loaded[1].mean() < RARE


@lru_cache(maxsize=1)
def everything(score_set):
    """Return all scores and labels of a set; cases come set by set, and it may be large."""
    return score_set.load()


def draw(score_set, n_rows, n_labels, repeat):
    """Return random items of which those with the largest scores are labelled, ties at random.

    None if no item of the draw is positive: it has no recall.
    """
    scores, labels = everything(score_set)
    rng = np.random.default_rng([zlib.crc32(score_set.name.encode()), repeat])
    rows = rng.permutation(len(scores))[:n_rows]
    scores, labels = scores[rows], labels[rows]
    if not labels.any():
        return None
    # Rows are in random order, and so are those of one score.
    labeled = np.argsort(-scores, kind="stable")[:n_labels]
    y = np.full(len(scores), -1)
    y[labeled] = labels[labeled]
    return Case(score_set, n_labels, repeat, scores, labels, y)


def halving(case):
    """Return the score of the positive in the middle of all positives, and the recall there.

    The recall is one half, or a little more if the number of positives is odd or scores are tied.
    """
    positive = np.sort(case.scores[case.labels == 1])[::-1]
    threshold = positive[(len(positive) + 1) // 2 - 1]
    return float(threshold), float(np.mean(positive >= threshold))
