"""Who spends labels and returns an answer: functions ``answer(case, goal)``.

They may look at so many of ``case.labels`` as ``case.n_labels`` says, and return a mask over the
items, None for no answer. An addition is one function and one entry in `ANSWERERS`.
"""

from importlib.util import find_spec

import numpy as np
from scipy import stats

from sklearn_spe import ActiveTestSelector, Goal, PerformanceCurveEstimator
from sklearn_spe.exceptions import UnreachableGoalError

# What is guaranteed, with what probability, and what makes an answer useful.
TARGET, CONFIDENCE = 0.9, 0.9
GOALS = {"precision": "recall", "recall": "precision"}
BATCH = 20


def split(method):
    """Return the goal and the name of a method."""
    return method.split(":")


def spent(case, goal, interval="posterior"):
    """Ask the package for the items whose labels bring the best answer nearest."""
    selector = ActiveTestSelector(
        Goal.of(**{goal: TARGET}),
        interval=interval,
        confidence_level=CONFIDENCE,
        random_state=case.seed,
    ).fit(case.scores)
    while selector.n_labels_ < case.n_labels and selector.n_left_:
        items = selector.query(min(BATCH, case.n_labels - selector.n_labels_, selector.n_left_))
        selector.update(items, case.labels[items])
    return selector.selected_


def proved(case, goal):
    """Ask the package for what labels prove without its model."""
    return spent(case, goal, interval="anytime")


def drawn(case, goal):
    """Ask the package for a threshold, with labels that were drawn at random."""
    performance = PerformanceCurveEstimator(random_state=case.seed).fit(case.scores, case.y)
    try:
        threshold = performance.threshold_for(confidence_level=CONFIDENCE, **{goal: TARGET})
    except UnreachableGoalError:
        return None
    return performance.selection(threshold)


def bargain(case, goal):
    """Ask BARGAIN, with ranks for a proxy's scores and its defaults otherwise."""
    from BARGAIN.models.AbstractModels import Oracle, Proxy
    from BARGAIN.process.BARGAIN_P import BARGAIN_P
    from BARGAIN.process.BARGAIN_R import BARGAIN_R

    class Ranks(Proxy):
        def proxy_func(self, item):
            return 1, ranks[item]

    class Labels(Oracle):
        def oracle_func(self, item, proxy_output):
            label = int(case.labels[item])
            return label == proxy_output, label

    n_items = len(case.scores)
    ranks = (stats.rankdata(case.scores, method="ordinal") - 0.5) / n_items
    process = {"precision": BARGAIN_P, "recall": BARGAIN_R}[goal](
        Ranks(verbose=False, max_workers=1),
        Labels(verbose=False, max_workers=1),
        delta=1.0 - CONFIDENCE,
        target=TARGET,
        budget=case.n_labels,
        seed=case.seed % 2**32,
    )
    found = np.zeros(n_items, dtype=bool)
    found[list(process.process(list(range(n_items))))] = True
    return found


def window(case, goal):
    """Know all labels, and return the best answer of one window of as many as may be labelled."""
    order = np.argsort(-case.scores, kind="stable")
    n_found = np.r_[0, np.cumsum(case.labels[order])]
    starts = np.arange(len(order) - min(case.n_labels, len(order)) + 1)
    inside = n_found[starts + min(case.n_labels, len(order))] - n_found[starts]
    size, hits = starts + inside, n_found[starts] + inside
    rates = {"precision": hits / np.maximum(size, 1), "recall": hits / n_found[-1]}
    useful = np.where(rates[goal] >= TARGET - 1e-12, rates[GOALS[goal]], -1.0)
    if useful.max() < 0.0:
        return None
    start = starts[np.argmax(useful)]
    found = np.zeros(len(order), dtype=bool)
    found[order[:start]] = True
    labelled = order[start : start + case.n_labels]
    found[labelled] = case.labels[labelled] == 1
    return found


ANSWERERS = {
    "spent": spent,
    "proved": proved,
    "drawn": drawn,
    "bargain": bargain,
    "window": window,
}
MISSING = {} if find_spec("BARGAIN") else {"bargain": "pip install bargain"}
