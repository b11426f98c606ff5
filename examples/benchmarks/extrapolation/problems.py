"""The fixed problems: those that the package was designed on, and those it is evaluated on.

Nothing in the package was chosen by looking at the second list, and nothing ever should be: who
changes a constant looks at the first list, with ``--problems design``. No problem is in both
lists, and their seeds differ.
"""

from __future__ import annotations

import re
import zlib

import numpy as np
from clouds import Clouds
from line import Line

DESIGN = (
    Line("line 0.97", 0.97),
    Line("line 0.99", 0.99),
    Clouds("normal 10", 10, 0.45),
    Clouds("easy 10", 10, 0.25),
    Clouds("normal 5", 5, 0.25),
    Clouds("discriminant 3", 3, 0.15, n_train=5),
    Clouds("normal 40", 40, 1.0),
    Clouds("decaying means 30", 30, 0.9, means="decaying"),
    Clouds("decaying 20", 20, 0.45, means="decaying", within="decaying"),
    Clouds("heavy means 8", 8, 0.4, means="heavy"),
    Clouds("heavy noise 10", 10, 0.35, within="heavy"),
    Clouds("unequal 10", 10, 0.4, within="unequal"),
    Clouds("clustered 10", 10, 0.3, means="clustered"),
    Clouds("cosine 20", 20, 0.7, score="cosine"),
    Clouds("dot on sphere 16", 16, 0.6, means="sphere", score="dot"),
    Clouds("log probability 10", 10, 0.5, score="log_probability", n_train=3),
    Clouds("distance 10", 10, 0.6, score="distance", n_train=4),
    Clouds("probability 8", 8, 0.35, score="probability", n_train=2),
)
EVALUATION = (
    Line("line 0.98", 0.98),
    Line("line 0.995", 0.995),
    Clouds("normal 8", 8, 0.35),
    Clouds("normal 12", 12, 0.6),
    Clouds("normal 4", 4, 0.2),
    Clouds("discriminant 25", 25, 1.1, n_train=4),
    Clouds("decaying means 15", 15, 0.6, means="decaying"),
    Clouds("decaying 40", 40, 0.6, means="decaying", within="decaying"),
    Clouds("heavy means 5", 5, 0.25, means="heavy"),
    Clouds("heavy distance 20", 20, 0.5, within="heavy", score="distance"),
    Clouds("unequal 6", 6, 0.25, within="unequal"),
    Clouds("clustered 20", 20, 0.45, means="clustered"),
    Clouds("cosine 10", 10, 0.45, score="cosine"),
    Clouds("dot on sphere 30", 30, 0.8, means="sphere", score="dot"),
    Clouds("log probability 15", 15, 0.7, score="log_probability", n_train=2),
    Clouds("distance 6", 6, 0.3, score="distance", n_train=2),
)
# The simulation of the journal paper, by the variance within a class. With distances the kernel
# density makes the errors that were published, with squared ones many times larger ones.
JOURNAL = tuple(
    Clouds(f"journal {v}", 10, v**0.5, score="distance") for v in (0.1, 0.2, 0.3, 0.4, 0.5)
)
LISTS = {"design": DESIGN, "evaluation": EVALUATION, "journal": JOURNAL}
SEEDS = {"design": 2017, "evaluation": 2018, "journal": 2019}

# Classes of a pilot, and test items of each.
CELLS = ((20, 1), (20, 5), (50, 1), (50, 5), (100, 1), (100, 5), (200, 2))
RATIOS = np.array([2, 5, 10, 20, 50, 100])
MAX_CLASSES = 10_000


def chosen(name, pattern="", most=None):
    """Return the problems of a list whose names match a regular expression."""
    return [p for p in LISTS[name] if re.search(pattern, p.name)][:most]


def counts_beyond(n_classes):
    """Return the numbers of classes at which a pilot is evaluated."""
    counts = n_classes * RATIOS
    return counts[counts <= MAX_CLASSES]


def entropy_of(list_name, problem, n_classes, n_items, repeat):
    """Return where all random numbers of a pilot come from, the same for all methods."""
    return [SEEDS[list_name], zlib.crc32(problem.name.encode()), n_classes, n_items, repeat]
