"""Ways of choosing which noisy labels are verified, and a labelling that is looked at on its way.

An addition is one entry in `LABELLINGS`.
"""

import time
import warnings
from collections import namedtuple

import numpy as np
from answers import LEVEL

from sklearn_spe import ActiveTestSelector
from sklearn_spe.exceptions import OutsideDesignWarning, UnverifiedWarning

# What differs from the default.
LABELLINGS = {
    "chosen": {},
    "argmax": {"draw": "argmax"},
    "estimator_change": {"strategy": "estimator_change", "draw": "argmax"},
    "confident_mistake": {"strategy": "confident_mistake", "draw": "argmax"},
    "random": {"strategy": "random", "draw": "argmax"},
    "estimator_change_counts": {
        "strategy": "estimator_change",
        "draw": "argmax",
        "label_model": "counts",
    },
    "random_counts": {"strategy": "random", "draw": "argmax", "label_model": "counts"},
}
# One labelling serves them all: what its model says, noisy labels where nothing is verified, and
# verified labels alone.
ESTIMATORS = ("learned", "naive", "verified")
STARTS = ("random", "chosen")
N_DRAWS = 100

# All that is verified, and the mean time of a query and an update since the last look.
Look = namedtuple("Look", "verified step_seconds")


def selector_for(name, metric, seed, **where):
    """Return a selector that is not fitted; `where` overrides a method."""
    parameters = {**LABELLINGS[name], **where}
    return ActiveTestSelector(
        metric, confidence_level=LEVEL, n_draws=N_DRAWS, random_state=seed, **parameters
    )


def labelling(selector, problem, counts, batch, start, seed):
    """Label, and yield a `Look` at each number of labels.

    Parameters
    ----------
    selector : ActiveTestSelector
    problem : object
        With `given`, the arguments of `fit`; `answers`, ``answers(items)`` returns true labels; and
        `candidates`, the items whose labels matter.
    counts : sequence of int
        Numbers of labels, rising.
    batch : int
        How many labels are taken at once.
    start : {"random", "chosen"}
        Who chooses the first batch.
    seed : int
        Of a random start.
    """
    selector.fit(**problem.given)
    verified = np.empty(0, dtype=int)
    for count in counts:
        begin, n_steps = time.perf_counter(), 0
        while len(verified) < count:
            n = min(batch, count - len(verified))
            if start == "random" and not len(verified):
                items = np.random.default_rng(seed).choice(problem.candidates, n, replace=False)
            else:
                items = selector.query(n)
            with warnings.catch_warnings():
                # Those of a random start were not asked for.
                warnings.simplefilter("ignore", OutsideDesignWarning)
                selector.update(items, problem.answers(items))
            verified = np.append(verified, items)
            n_steps += 1
        yield Look(verified, (time.perf_counter() - begin) / max(n_steps, 1))


def counts_of(shares, n_candidates):
    """Return the numbers of labels of budgets in percent."""
    return [max(1, round(n_candidates * share / 100.0)) for share in shares]


def verified_estimate(selector):
    """Return the metric of verified items alone, without a warning where it is not known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)
        return selector.verified_estimate_
