"""Items with grades or measurements, and a proxy of them.

`DISTRIBUTIONS` draw them, so that the proxy is linear in the label, monotone, worthless, turned
around, noisier where it is large, on a scale of few grades, or sees little of what rarely is large.
`pairs_in` takes real scores: those of one system are the proxy of those of another.
"""

from __future__ import annotations

import csv
import gzip

import numpy as np
from scipy import special

N_ITEMS = 2000


def linear(rng):
    """Draw a proxy with normal errors."""
    proxy = rng.normal(size=N_ITEMS)
    return proxy, proxy + 0.7 * rng.normal(size=N_ITEMS)


def weak(rng):
    """Draw a proxy that knows little."""
    proxy = rng.normal(size=N_ITEMS)
    return proxy, 0.4 * proxy + rng.normal(size=N_ITEMS)


def monotone(rng):
    """Draw a skewed proxy, of which the label is a step."""
    proxy = np.exp(rng.normal(size=N_ITEMS))
    return proxy, np.tanh(2.0 * (np.log(proxy) - 0.5)) + 0.3 * rng.normal(size=N_ITEMS)


def worthless(rng):
    """Draw a proxy that is independent of the label."""
    return rng.normal(size=N_ITEMS), rng.normal(size=N_ITEMS)


def inverted(rng):
    """Draw a proxy that is smaller for larger labels."""
    proxy = rng.random(N_ITEMS)
    return proxy, 1.0 - proxy + 0.2 * rng.normal(size=N_ITEMS)


def uneven(rng):
    """Draw a proxy whose errors grow with it."""
    proxy = rng.normal(size=N_ITEMS)
    return proxy, proxy + 0.6 * np.exp(0.8 * proxy) * rng.normal(size=N_ITEMS)


def rubric(rng):
    """Draw scores in [0, 1] and a judge that is too kind."""
    quality = rng.beta(2.0, 1.2, N_ITEMS)
    labels = rng.beta(8.0 * quality + 0.1, 8.0 * (1.0 - quality) + 0.1)
    return np.clip(np.sqrt(quality) + 0.1 * rng.normal(size=N_ITEMS), 0.0, 1.0), labels


def grades(rng):
    """Draw grades from 1 to 5, by people and by a judge."""
    quality = rng.normal(size=N_ITEMS)
    labels = np.digitize(quality, [-1.2, -0.6, 0.0, 1.0]) + 1.0
    return np.clip(np.round(quality + 3.6 + 0.8 * rng.normal(size=N_ITEMS)), 1.0, 5.0), labels


def ceiling(rng):
    """Draw grades of which four of five are the best one."""
    quality = rng.normal(size=N_ITEMS)
    labels = np.digitize(quality, [-2.2, -1.8, -1.4, -0.9]) + 1.0
    said = np.round(0.8 * quality + 4.6 + 0.6 * rng.normal(size=N_ITEMS))
    return np.clip(said, 1.0, 5.0), labels


def skewed(rng):
    """Draw lognormal labels, and a lognormal proxy."""
    size = rng.normal(size=N_ITEMS)
    return np.exp(size + 0.8 * rng.normal(size=N_ITEMS)), np.exp(size)


def rare(rng):
    """Draw labels near zero, and a few that are large, of which the proxy is the probability."""
    chance = special.expit(2.0 * rng.normal(size=N_ITEMS) - 3.5)
    large, small = 3.0 + 2.0 * rng.random(N_ITEMS), 0.2 * rng.random(N_ITEMS)
    return chance, np.where(rng.random(N_ITEMS) < chance, large, small)


def bowl(rng):
    """Draw a label that is large at both ends of the proxy."""
    proxy = rng.uniform(-2.0, 2.0, N_ITEMS)
    return proxy, proxy**2 + 0.5 * rng.normal(size=N_ITEMS)


def sharp(rng):
    """Draw a proxy that knows nearly all."""
    proxy = rng.normal(size=N_ITEMS)
    return proxy, 2.0 * proxy + 0.1 * rng.normal(size=N_ITEMS)


def quarters(rng):
    """Draw quarters of a point, and a probability as proxy."""
    quality = rng.normal(size=N_ITEMS)
    labels = np.round(4.0 * np.clip(0.75 + 0.3 * quality, 0.0, 1.0)) / 4.0
    return special.expit(2.0 * quality + 1.0 + rng.normal(size=N_ITEMS)).round(2), labels


DISTRIBUTIONS = {
    distribution.__name__: distribution
    for distribution in (
        *(linear, weak, monotone, worthless, inverted, uneven, rubric, grades, ceiling),
        *(skewed, rare, bowl, sharp, quarters),
    )
}


def pairs_in(folder):
    """Return proxies and labels by name: the scores of two systems of each table of a folder.

    A table has a column for each system, and maybe "label" and "group"; the first system is the
    proxy, the third is what is to be known.
    """
    found = {}
    for path in sorted(folder.glob("*.csv.gz")):
        with gzip.open(path, "rt", newline="") as file:
            rows = list(csv.DictReader(file))[:N_ITEMS]
        systems = [name for name in rows[0] if name not in ("label", "group")]
        if "label" in rows[0] and len(systems) > 2:
            columns = [[float(row[name]) for row in rows] for name in (systems[0], systems[2])]
            found[path.name.split(".")[0]] = tuple(map(np.array, columns))
    return found
