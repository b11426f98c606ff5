"""Figure 5 of the 2018 paper on two real classifiers, with noisy and with clean labels.

Tweets that are hateful or offensive or neither: the clean label is the majority of the annotators,
the noisy one that of a single annotator. And CIFAR-10: a published network, with labels of which
40% are wrong by classes; a row is a pair of an image and a class, its noisy label whether the image
is said to be of the class. A run takes half of the tweets, or a fifth of the images.

Precision@K of the K highest, in which everything may be verified; and average precision of all
rows.

Writes figure_5_real_precision.csv and figure_5_real_ap.csv. A run takes half a minute on one core.
"""

from functools import partial

import numpy as np
import pandas as pd
from labelling_runs import (
    by_verified,
    labellings,
    plot_by_verified,
    read_options,
    write_picture,
    write_table,
)
from tagging import LINES, TagPool, label

REPEATS = 6
# The K of Precision@K, per class: about half of the positives of tweets, all of those of a class.
SETS = {"tweets": 1000, "CIFAR-10": 200}
N_TWEETS, N_IMAGES, N_CLASSES = 10_000, 2_000, 10
METHODS = list(dict.fromkeys(labels for labels, _ in LINES.values()))
SHARES = {
    "precision": (0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9),
    "ap": (0.01, 0.02, 0.05, 0.1, 0.2),
}


def tweets(folder, rng):
    """Return scores, clean labels, noisy ones and categories of some tweets."""
    data = pd.read_csv(folder / "tweets_crowd_noisy.csv.gz")
    own = data.iloc[rng.permutation(len(data))[:N_TWEETS]]
    columns = (own[name].to_numpy() for name in ("score", "label", "noisy_label"))
    return *columns, np.zeros(len(own), dtype=int)


def cifar(folder, rng):
    """Return the same of some images, a row for each class."""
    with np.load(folder / "cifar10_noisy_active.npz", allow_pickle=False) as data:
        own = rng.permutation(len(data["clean"]))[:N_IMAGES]
        scores, clean, noisy = (data[name][own] for name in ("probs", "clean", "noisy"))
    classes = np.arange(N_CLASSES)
    clean, noisy = ((labels[:, np.newaxis] == classes).astype(int) for labels in (clean, noisy))
    category = np.broadcast_to(classes, scores.shape)
    return tuple(part.T.ravel() for part in (scores, clean, noisy, category))


def label_set(folder, what, name, repeat, methods):
    """Return the rows of one run."""
    rng = np.random.default_rng([5, repeat])
    load = {"tweets": tweets, "CIFAR-10": cifar}[name]
    scores, truth, noisy, category = load(folder, rng)
    # Ties, which come from rounding, are broken at random.
    scores = np.lexsort((rng.random(len(scores)), scores)).argsort().astype(float)
    if what == "precision":
        pool = TagPool.top(SETS[name], scores, truth, noisy, category)
    else:
        pool = TagPool("average_precision", scores, truth, noisy, category)
    return label(pool, SHARES[what], repeat, methods)


def draw(tables):
    """Draw the error, a row for each metric and a column for each set."""
    import matplotlib.pyplot as plt

    size = {"figsize": (13, 5 * len(tables)), "layout": "constrained"}
    figure, axes = plt.subplots(len(tables), len(SETS), **size)
    for line, (what, rows) in zip(axes, tables.items(), strict=True):
        for ax, name in zip(line, SETS, strict=True):
            plot_by_verified(ax, [row for row in rows if row["set"] == name], "error", LINES)
            ax.set(title=f"{name}, {what}", ylabel="error")
    axes[0, 0].legend(fontsize="small")
    return figure


def main():
    """Write both tables."""
    options = read_options(__doc__, REPEATS, data=True)
    tables = {}
    for what, shares in SHARES.items():
        work = partial(label_set, options.data, what)
        name = f"figure_5_real_{what}"
        tables[what] = labellings(name, list(SETS), work, METHODS, options)
        shown = [round(100.0 * share, 1) for share in shares]
        write_table(by_verified(tables[what], "error", shown), name, options)
    if options.pictures:
        write_picture(draw(tables), "figure_5_real", options)


if __name__ == "__main__":
    main()
