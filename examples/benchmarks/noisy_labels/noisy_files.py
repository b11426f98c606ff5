"""A folder of sets with noisy and clean labels.

- ``tweets_crowd_noisy.csv.gz`` with the columns `score`, `label`, `noisy_label`;
- ``cifar10_noisy_active.npz`` with `probs` of shape (n_images, n_classes), `clean` and `noisy` of
  shape (n_images,): an item is a pair of a class and an image.
"""

import gzip

import numpy as np

COLUMNS = ("score", "label", "noisy_label")


def load_tweets(path, n_items, rng):
    """Return scores, clean labels, noisy ones, and None for the categories."""
    with gzip.open(path, "rt") as file:
        names = file.readline().strip().split(",")
        data = np.loadtxt(file, delimiter=",", usecols=[names.index(name) for name in COLUMNS])
    data = data[some_of(len(data), n_items, rng)]
    return data[:, 0], data[:, 1].astype(int), data[:, 2].astype(int), None


def load_classes(path, n_items, rng):
    """Return scores, clean labels, noisy ones and the class of each pair, class by class."""
    with np.load(path, allow_pickle=False) as data:
        scores, clean, noisy = (data[name] for name in ("probs", "clean", "noisy"))
    images = some_of(len(scores), n_items, rng)
    classes = np.arange(scores.shape[1])[:, np.newaxis]
    return (
        scores[images].T.ravel().astype(float),
        (clean[images] == classes).astype(int).ravel(),
        (noisy[images] == classes).astype(int).ravel(),
        np.repeat(classes.ravel(), len(images)),
    )


def some_of(n, n_items, rng):
    """Return the places of some items, at most all."""
    return np.arange(n) if n_items is None or n_items >= n else rng.choice(n, n_items, False)
