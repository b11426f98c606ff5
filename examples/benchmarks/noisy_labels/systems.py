"""Simulated systems that are to be ranked by their mean average precision.

An addition is one function and one entry in `SIMULATIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special
from sklearn.metrics import average_precision_score

from sklearn_spe import ActiveTestSelector
from sklearn_spe.matches import SegmentationMatches, make_segmentation_matches

N_CATEGORIES, N_ITEMS = 10, 300
PREVALENCE, SEPARATION = 0.2, 2.0
# The deviation of what each system adds to the evidence that all of them share.
OWN_NOISE = (0.3, 0.45, 0.55, 0.64)
# Of noisy labels where the evidence is as it is in the mean, and how much they depend on it.
RECALL, FALSE_RATE, DEPENDENCE = 0.7, 0.05, 0.3
N_IMAGES = 150


@dataclass(frozen=True)
class Systems:
    """What several systems say of the same items.

    Attributes
    ----------
    given : dict
        What `ActiveTestSelector.fit` takes.
    answers : callable
        ``answers(items)`` returns what verification tells.
    candidates : ndarray of int
        The items whose labels matter.
    truth : ndarray of shape (n_systems,)
        Mean average precision.
    """

    given: dict
    answers: Callable
    candidates: np.ndarray
    truth: np.ndarray


def shared_items(repeat, n_categories=N_CATEGORIES, n_items=N_ITEMS):
    """Draw items that all systems score, with noisy labels."""
    rng = np.random.default_rng([1, repeat])
    category = np.repeat(np.arange(n_categories), n_items)
    labels = (rng.random(len(category)) < PREVALENCE).astype(int)
    chance = rng.standard_normal(len(category))
    own = rng.standard_normal((len(category), len(OWN_NOISE))) * rng.permutation(OWN_NOISE)
    scores = (SEPARATION * labels + chance)[:, np.newaxis] + own
    rate = special.logit(np.where(labels == 1, RECALL, FALSE_RATE)) + DEPENDENCE * chance
    noisy = (rng.random(len(category)) < special.expit(rate)).astype(int)
    truth = [
        np.mean(
            [
                average_precision_score(labels[own], system[own])
                for own in (category == c for c in range(n_categories))
            ]
        )
        for system in scores.T
    ]
    given = {"X": scores, "noisy_labels": noisy, "category": category}
    return Systems(given, labels.__getitem__, np.arange(len(category)), np.array(truth))


def segmentation(repeat, n_images=N_IMAGES):
    """Draw detections that claim objects, whose masks are verified."""
    data = make_segmentation_matches(n_images, random_state=repeat)
    matches = matches_of(data, data.coarse_overlap)
    # With true overlaps in the place of coarse ones the naive estimate is the truth.
    verified = ActiveTestSelector(label_model="naive", n_draws=40, random_state=0)
    return Systems(
        {"X": matches},
        lambda objects: matches.overlaps_of(data.overlap, objects),
        matches.items,
        verified.fit(matches_of(data, data.overlap)).naive_estimate_,
    )


def matches_of(data, overlap):
    """Return detections with an overlap that is known of each."""
    return SegmentationMatches(
        score=data.score,
        category=data.category,
        object=data.object,
        coarse_overlap=overlap,
        object_category=data.object_category,
        system=data.system,
        features=np.log(data.detection_area),
    )


SIMULATIONS = {"segmentation": segmentation, "items": shared_items}
