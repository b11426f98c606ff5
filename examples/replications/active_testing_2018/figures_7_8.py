"""Figures 7 and 8 of the 2018 paper, on simulated instance segmentation.

Four systems, whose detections claim objects by their boxes. To vet an object is to draw its mask.
Average precision as COCO has it: the mean over ten thresholds of the overlap, then over categories.
Figure 7 is the error of each system, figure 8 that of the difference of two, and how often two are
ranked wrongly. The paper has three systems on COCO, which could not be had; a run draws its own.

"Verified only" on random images is common: the detections and objects of images in which
every object has a mask. On random objects, detections that claim none count as much as there are
verified objects of their category. The paper's learned estimator is a support vector machine of the
matches at one threshold; here it is a regression of the overlap, which serves all of them.

Writes figure_7.csv, figure_7_classes.csv and figure_8.csv. A run takes a minute on one core; the
paper has 50, the tables say how many they have.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from labelling_runs import (
    by_verified,
    grouped,
    labellings,
    looks_of,
    plot_by_verified,
    read_options,
    write_picture,
    write_table,
)

from sklearn_spe import ActiveTestSelector
from sklearn_spe.matches import SegmentationMatches, make_segmentation_matches

N_DRAWS, N_SYSTEMS = 100, 4
# Of what is kept.
DIGITS = 6
# Naive estimates have no draws, but a selector wants some.
FEWEST_DRAWS = 40
REPEATS = 8
N_IMAGES, N_QUICK_IMAGES = 500, 60
START = 0.05
SHARES = (START, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = (5.0, 10.0, 20.0, 30.0, 50.0, 70.0, 90.0)
METHODS = ("random images", "random objects", "MEEC")
LINES = {
    "random images, verified only": ("random images", "verified only"),
    "random objects, verified only": ("random objects", "verified only"),
    "random images, naive": ("random images", "naive"),
    "random objects, naive": ("random objects", "naive"),
    "random objects, learned": ("random objects", "learned"),
    "MEEC, learned": ("MEEC", "learned"),
}
PAIRS = list(combinations(range(N_SYSTEMS), 2))


@dataclass(frozen=True)
class Benchmark:
    """Simulated detections with all masks, which are shown when asked for.

    Attributes
    ----------
    data : Bunch
        As `make_segmentation_matches` returns it.
    """

    data: object

    @cached_property
    def matches(self):
        """The data before anything is verified."""
        return self._matches(np.ones(len(self.data.score), dtype=bool))

    @cached_property
    def overlaps(self):
        """The true overlaps of all objects, (n_objects, n_systems)."""
        return self.matches.overlaps_of(self.data.overlap, np.arange(self.matches.n_objects))

    @cached_property
    def truth(self):
        """The average precision of each system and category, (n_systems, n_categories)."""
        return self.simple(self.overlaps)[0]

    def known(self, objects):
        """Return the overlaps of some objects, NaN for others."""
        known = np.full(self.overlaps.shape, np.nan)
        known[objects] = self.overlaps[objects]
        return known

    def simple(self, known):
        """Return the naive estimate of each system and category, and that of verified objects.

        The latter are of each system.
        """
        selector = ActiveTestSelector(label_model="naive", n_draws=FEWEST_DRAWS, random_state=0)
        selector.fit(self.matches, known)
        return by_category(selector), selector.verified_estimate_

    def of_images(self, images):
        """Return the average precision of each system on some images, all of them verified."""
        rows = np.isin(self.data.image, images)
        part = self._matches(rows)
        overlaps = part.overlaps_of(self.data.overlap[rows], np.arange(part.n_objects))
        # Objects of other images are not there to be found.
        there = np.isin(self.data.object_image, images)
        renumbered = np.where(part.object >= 0, np.cumsum(there)[part.object] - 1, -1)
        part = self._matches(rows, renumbered, self.data.object_category[there])
        selector = ActiveTestSelector(label_model="naive", n_draws=FEWEST_DRAWS, random_state=0)
        return selector.fit(part, overlaps[there]).naive_estimate_

    def _matches(self, rows, objects=None, object_category=None):
        d = self.data
        areas = np.c_[d.detection_area, np.maximum(d.object_area, 1.0)]
        return SegmentationMatches(
            score=d.score[rows],
            category=d.category[rows],
            object=d.object[rows] if objects is None else objects,
            coarse_overlap=d.coarse_overlap[rows],
            object_category=d.object_category if object_category is None else object_category,
            system=d.system[rows],
            features=np.log(areas[rows]),
        )


def by_category(selector):
    """Return the estimate of each system and category."""
    return np.array([selector.by_category(system).values for system in range(N_SYSTEMS)])


def vet(_, repeat, methods, n_images=N_IMAGES):
    """Return the rows of one run."""
    data = make_segmentation_matches(n_images, n_systems=N_SYSTEMS, random_state=repeat)
    benchmark = Benchmark(data)
    looks = looks_of(SHARES, len(benchmark.matches.items))
    rows = []
    for method in methods:
        how = of_images if method == "random images" else of_objects
        for row in how(benchmark, method, looks, repeat):
            rows.append({"method": method, **row})
    return rows


def of_images(benchmark, _, looks, seed):
    """Yield rows at each look, images being verified as a whole in a random order."""
    data = benchmark.data
    order = np.random.default_rng([7, seed]).permutation(data.object_image.max() + 1)
    place = np.argsort(order)[data.object_image[benchmark.matches.items]]
    for verified, n_objects in looks.items():
        # As many images as hold that many objects.
        images = order[: np.sort(place)[n_objects - 1] + 1]
        objects = benchmark.matches.items[place < len(images)]
        yield found(benchmark, verified, "verified only", benchmark.of_images(images))
        naive, _ = benchmark.simple(benchmark.known(objects))
        yield found(benchmark, verified, "naive", naive)


def of_objects(benchmark, method, looks, seed):
    """Yield rows at each look; the first objects are random ones."""
    how = {"strategy": "random", "draw": "sample"}
    start = ActiveTestSelector(label_model="naive", n_draws=FEWEST_DRAWS, random_state=seed, **how)
    objects = start.fit(benchmark.matches).query(min(looks.values()))
    if method == "MEEC":
        how = {"strategy": "estimator_change", "draw": "argmax"}
    selector = ActiveTestSelector(n_draws=N_DRAWS, random_state=seed, **how)
    selector.fit(benchmark.matches, benchmark.known(objects))
    for verified, n_objects in looks.items():
        if n_objects > len(objects):
            asked = selector.query(n_objects - len(objects))
            selector.update(asked, benchmark.overlaps[asked])
            objects = np.r_[objects, asked]
        naive, verified_only = benchmark.simple(benchmark.known(objects))
        yield found(benchmark, verified, "verified only", verified_only)
        yield found(benchmark, verified, "naive", naive)
        yield found(benchmark, verified, "learned", by_category(selector))


def found(benchmark, verified, estimator, values):
    """Return a row: the estimates of the systems beside the truth.

    `values` are of systems, or of systems and categories.
    """
    truth, row = benchmark.truth, {"verified": verified, "estimator": estimator}
    error = np.abs(values - truth).mean() if np.ndim(values) == 2 else np.nan
    row["class_error"] = round(float(error), DIGITS)
    means = values.mean(axis=1) if np.ndim(values) == 2 else values
    for name, numbers in (("estimate", means), ("truth", truth.mean(axis=1))):
        row |= {f"{name}_{i}": round(float(value), DIGITS) for i, value in enumerate(numbers)}
    return row


def enriched(rows):
    """Return the rows of the lines, with errors of systems and of their differences."""
    table = []
    for row in rows:
        estimate, truth = (
            np.array([row[f"{name}_{system}"] for system in range(N_SYSTEMS)])
            for name in ("estimate", "truth")
        )
        off, gap = (np.array([v[i] - v[j] for i, j in PAIRS]) for v in (estimate, truth))
        wrong = np.where(off == 0.0, 0.5, np.sign(off) != np.sign(gap))
        errors = {
            "error": np.abs(estimate - truth).mean(),
            "squared": np.mean((off - gap) ** 2),
            "misranked": wrong.mean() if np.isfinite(off).all() else np.nan,
        }
        table.append({**row, **errors})
    return [row for row in table if (row["labels"], row["estimator"]) in LINES.values()]


def ranking_table(rows):
    """Return figure 8: squared errors of differences, in millionths, and shares misranked."""
    keys, table = ("labels", "estimator"), []
    for values, own in grouped(rows, *keys).items():
        looks = grouped(own, "verified")
        line = dict(zip(keys, values, strict=True))
        for name, scale in (("squared", 1e6), ("misranked", 1.0)):
            for verified in SHOWN:
                average = scale * np.mean([row[name] for row in looks[(verified,)]])
                line[f"{name} {verified:g}%"] = (
                    f"{average:.3f}" if scale == 1.0 else f"{average:.0f}"
                )
        table.append(line | {"runs": len({row["repeat"] for row in own})})
    return table


def draw(rows):
    """Draw figures 7 and 8."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 5))
    plot_by_verified(ax, rows, "error", LINES)
    ax.set(ylabel="error of mean average precision")
    ax.legend()
    ranking, axes = plt.subplots(1, 2, figsize=(13, 5))
    for ax, name in zip(axes, ("squared", "misranked"), strict=True):
        plot_by_verified(ax, rows, name, LINES)
    axes[0].set(ylabel="squared error of differences", yscale="log")
    axes[1].set(ylabel="share of pairs ranked wrongly")
    axes[1].legend()
    return figure, ranking


def main():
    """Write the tables of figures 7 and 8."""
    options = read_options(__doc__, REPEATS)
    work = partial(vet, n_images=N_QUICK_IMAGES) if options.quick else vet
    rows = enriched(labellings("figures_7_8", ["masks"], work, METHODS, options))
    keys = ("labels", "estimator")
    write_table(by_verified(rows, "error", SHOWN, keys), "figure_7", options)
    of_classes = [row for row in rows if np.isfinite(row["class_error"])]
    write_table(by_verified(of_classes, "class_error", SHOWN, keys), "figure_7_classes", options)
    write_table(ranking_table(rows), "figure_8", options)
    if options.pictures:
        for figure, name in zip(draw(rows), ("figure_7", "figure_8"), strict=True):
            write_picture(figure, name, options)


if __name__ == "__main__":
    main()
