"""The labelings of five benches: scores of which a few labels are seen."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats
from score_files import find_sets, hide

from sklearn_spe.datasets import ScoreShape
from sklearn_spe.datasets._simulated_scores import SCORE_SHAPES

BENCHES = ("public", "thinned", "shapes", "right", "rare")
N_ROWS = 4000
LABELS = {
    "public": (20, 100),
    "thinned": (20,),
    "shapes": (10, 20, 50),
    "right": (20, 100),
    "rare": (20, 100),
}
# Sets are thinned to these shares of positives, as long as so many are left.
RATES, MIN_POSITIVES = (0.02, 0.05), 5
# Other seeds of shapes than those of the benchmark `shapes`.
FIRST_SEED, N_SHAPE = 9000, 2000
# Prevalences and distributions of both classes, of families that are among the default ones.
RIGHT = (
    *((rate, stats.norm(0.0, 1.0), stats.norm(2.0, 1.0)) for rate in (0.3, 0.1, 0.03)),
    (0.2, stats.gamma(2.0, scale=0.5), stats.gamma(6.0, scale=0.5)),
)

# Rare positives, from strong and from ordinary classifiers; half of the labels may be among as many
# of the largest scores as a selector looks at.
RARE_RATES, N_RARE, N_TOP = (0.001, 0.003, 0.01), 20_000, 200
RARE = {
    "normal": (stats.norm(0.0, 1.0), stats.norm(2.5, 1.0)),
    "normal, strong": (stats.norm(0.0, 1.0), stats.norm(4.0, 1.0)),
    "heavy tails": (stats.t(3), stats.t(3, loc=6.0)),
    "skewed": (stats.gumbel_r(0.0, 1.0), stats.gumbel_r(3.5, 1.5)),
}


@dataclass(frozen=True)
class Labeling:
    """Scores with a few labels, and their weight in means."""

    bench: str
    name: str
    data_set: str
    n_labels: int
    repeat: int
    scores: np.ndarray
    labels: np.ndarray
    n_top: int = 0  # half of the labels are of so many of the largest scores

    @property
    def key(self) -> str:
        """Its key."""
        return f"{self.bench}/{self.name}/{self.n_labels}/{self.repeat}"

    @property
    def y(self) -> np.ndarray:
        """The labels that are seen, -1 elsewhere."""
        name = f"{self.bench} {self.name}"
        if not self.n_top:
            return hide(self.labels, name, self.repeat, self.n_labels)
        y, n = np.full(len(self.labels), -1), self.n_labels // 2
        order = np.argsort(-self.scores)
        for part, own in ((order[: self.n_top], n), (order[self.n_top :], self.n_labels - n)):
            y[part] = hide(self.labels[part], name, self.repeat, own)
        return y


def labelings(folder, benches, n_repeats: int) -> Iterator[Labeling]:
    """Yield all labelings."""
    made = {
        "public": _public,
        "thinned": _thinned,
        "shapes": _shapes,
        "right": _right,
        "rare": _rare,
    }
    for bench in benches:
        for name, data_set, draw in made[bench](folder):
            for repeat in range(n_repeats):
                drawn = draw(repeat)
                if drawn is not None:
                    for n_labels in LABELS[bench]:
                        yield Labeling(bench, name, data_set, n_labels, repeat, *drawn)


def _public(folder):
    for found in find_sets(folder):
        loaded = found.load(N_ROWS)
        if loaded is not None:
            yield found.name, found.data_set, lambda repeat, loaded=loaded: loaded


def _thinned(folder):
    for name, data_set, draw in _public(folder):
        scores, labels = draw(0)
        positives, negatives = (np.flatnonzero(labels == k) for k in (1, 0))
        for rate in RATES:
            n_left = int(rate / (1.0 - rate) * len(negatives))
            if MIN_POSITIVES <= n_left < len(positives):

                def thinned(repeat, name=name, n=n_left, of=(scores, labels, positives, negatives)):
                    rng = np.random.default_rng([zlib.crc32(name.encode()), repeat])
                    kept = np.sort(np.r_[of[3], rng.choice(of[2], n, replace=False)])
                    return of[0][kept], of[1][kept]

                yield f"{name} at {rate:.0%}", data_set, thinned


def _shapes(folder):
    for kind in SCORE_SHAPES:

        def shape(repeat, kind=kind):
            seed = FIRST_SEED + repeat
            scores, labels = ScoreShape.random(kind, seed).draw(N_SHAPE, seed)
            return (scores, labels) if len(np.unique(labels)) == 2 else None

        yield kind, kind, shape


def _right(folder):
    for number, (rate, negative, positive) in enumerate(RIGHT):

        def drawn(repeat, rate=rate, classes=(negative, positive), number=number):
            rng = np.random.default_rng([number, repeat])
            labels = (rng.random(N_SHAPE) < rate).astype(int)
            sides = [own.rvs(N_SHAPE, random_state=rng) for own in classes]
            return np.where(labels == 1, sides[1], sides[0]), labels

        yield f"{negative.dist.name} at {rate:.0%}", f"right {number}", drawn


def _rare(folder):
    for number, (name, classes) in enumerate(RARE.items()):
        for rate in RARE_RATES:
            for n_top in (0, N_TOP):

                def drawn(repeat, rate=rate, classes=classes, number=number, n_top=n_top):
                    rng = np.random.default_rng([number, int(1e6 * rate), repeat])
                    labels = (np.arange(N_RARE) < N_RARE * rate).astype(int)
                    sides = [own.rvs(N_RARE, random_state=rng) for own in classes]
                    return np.where(labels == 1, sides[1], sides[0]), labels, n_top

                where = "on top" if n_top else "at random"
                yield f"{name} at {rate:.1%}, {where}", f"rare, {where}", drawn
