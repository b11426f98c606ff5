"""Equations 9 and 12 of the 2018 paper beside all label vectors of ten items, enumerated.

The supplement takes E[z^2] = p^2 for a label, where it is p, and adds up a signed change, whose
expectation is zero for whoever believes the probabilities. A label z of item j moves the expected
metric by (z - p) g, with g its slope by p, and so by 2 p (1 - p) |g| in the mean; of average
precision times the number of positives, g = (1 + sum_{i<j} p_i) / j + sum_{k>j} p_k / k.

Writes equation_12.csv, in a second.
"""

from itertools import product

import numpy as np
from labelling_runs import read_options, write_table

N_ITEMS, N_UNVERIFIED = 10, 7
SEED = 12


def metric(labels):
    """Return average precision times the number of positives, of label vectors (n, n_items)."""
    ranks = np.arange(1, labels.shape[-1] + 1)
    return (labels * np.cumsum(labels, axis=-1) / ranks).sum(axis=-1)


def expected(probability):
    """Return the expectation by enumeration."""
    every = np.array(list(product((0, 1), repeat=len(probability))))
    weights = np.where(every == 1, probability, 1.0 - probability).prod(axis=1)
    return float(weights @ metric(every))


def changes(probability, item):
    """Return the change of the expectation by each answer, 0 and 1."""
    now = expected(probability)
    answered = [np.where(np.arange(N_ITEMS) == item, z, probability) for z in (0, 1)]
    return np.array([expected(after) for after in answered]) - now


def table():
    """Return the rows of the items that are not verified, and print the expectations."""
    rng = np.random.default_rng(SEED)
    verified = np.sort(rng.permutation(N_ITEMS)[N_UNVERIFIED:])
    p = np.sort(rng.uniform(0.1, 0.95, N_ITEMS))[::-1]
    p[verified] = np.round(p[verified])
    ranks, above = np.arange(1, N_ITEMS + 1), np.cumsum(p) - p
    print(
        f"expectation: {expected(p):.3f}; with E[z^2] = p: {p @ ((1.0 + above) / ranks):.3f}",
        end=";",
    )
    print(f" as printed: {p @ (np.cumsum(p) / ranks):.3f}")
    below = (p / ranks)[::-1].cumsum()[::-1] - p / ranks
    slope = (1.0 + above) / ranks + below
    open_ = ~np.isin(ranks - 1, verified)
    unverified_above = (np.cumsum(open_) - open_) / ranks
    rows = []
    for j in np.flatnonzero(open_):
        by_answer, chance = changes(p, j), np.array([1.0 - p[j], p[j]])
        rows.append(
            {
                "rank": int(ranks[j]),
                "p": p[j],
                "enumerated": chance @ np.abs(by_answer),
                "2p(1-p)|g|": 2.0 * p[j] * (1.0 - p[j]) * slope[j],
                "signed": abs(chance @ by_answer),
                "equation 12": unverified_above[j] * p[j] * (1.0 - p[j]),
            }
        )
    return rows


def main():
    """Write the table."""
    options = read_options(__doc__)
    write_table(table(), "equation_12", options)


if __name__ == "__main__":
    main()
