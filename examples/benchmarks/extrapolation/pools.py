"""The truth of a problem without a formula: wins of many items against a large pool."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
from scipy import special

N_COMPETITORS = 20_000
N_ITEMS = 8_000


def pooled_wins(problem, cache: Path | None = None) -> tuple[np.ndarray, int]:
    """Return how many competitors each of many items beats, and how many there are.

    Parameters
    ----------
    problem : Clouds
    cache : Path, default=None
        A folder that keeps the wins between runs.
    """
    # All that the problem is, and the size of the pool, say which file and which random numbers.
    key = f"{problem!r} {N_ITEMS} {N_COMPETITORS}"
    seed = zlib.crc32(key.encode())
    path = None if cache is None else cache / f"{problem.name}_{seed:08x}.npy"
    if path is not None and path.is_file():
        return np.load(path), N_COMPETITORS
    rng = np.random.default_rng([seed, N_COMPETITORS])
    points, own = problem.items(N_ITEMS, rng)
    wins = problem.wins(points, own, problem.competitors(N_COMPETITORS, rng))
    if path is not None:
        cache.mkdir(parents=True, exist_ok=True)
        np.save(path, wins)
    return wins, N_COMPETITORS


def mean_power(wins, n_competitors, n_classes) -> np.ndarray:
    """Return an unbiased estimate of the mean of U^(k - 1) for each number of classes k.

    An item with w wins among n competitors is right in the share C(w, k - 1) / C(n, k - 1) of all
    choices of k - 1 of them; the wins are binomial, so that the mean of this is U^(k - 1).
    """
    wins = np.asarray(wins, dtype=float)
    means = []
    for k in np.asarray(n_classes):
        enough = wins[wins >= k - 1]
        logs = special.gammaln(enough + 1.0) - special.gammaln(enough - k + 2.0)
        logs += special.gammaln(n_competitors - k + 2.0) - special.gammaln(n_competitors + 1.0)
        means.append(np.exp(logs).sum() / len(wins))
    return np.array(means)
