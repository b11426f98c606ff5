"""Objects of an image that two systems claim to have found, few enough to be quick."""

from dataclasses import dataclass, field

import numpy as np

from sklearn_spe import ActiveTestSelector
from sklearn_spe.matches import SegmentationMatches, make_segmentation_matches
from tests.active.selectors import numbers


@dataclass(frozen=True)
class ClaimedObjects:
    """Detections of two systems in two categories, and what is true of them."""

    seed: int
    data: object
    matches: SegmentationMatches = field(init=False)
    one_threshold: SegmentationMatches = field(init=False)
    overlap: np.ndarray = field(init=False)

    def __post_init__(self):
        # A frozen value whose last fields follow from the first.
        matches = SegmentationMatches(**self.given)
        object.__setattr__(self, "matches", matches)
        one = SegmentationMatches(**self.given, thresholds=[0.5])
        object.__setattr__(self, "one_threshold", one)
        every = matches.overlaps_of(self.data.overlap, np.arange(matches.n_objects))
        object.__setattr__(self, "overlap", every)

    @classmethod
    def drawn(cls, seed):
        """Draw objects, and one that nobody claims."""
        data = make_segmentation_matches(30, 2, 2, random_state=seed)
        data.object_category = np.append(data.object_category, 0)
        return cls(seed, data)

    @property
    def given(self):
        """What is known of the detections before anything is vetted."""
        names = ("score", "category", "object", "coarse_overlap", "object_category", "system")
        return {name: getattr(self.data, name) for name in names}

    @property
    def n(self):
        """The number of objects."""
        return self.matches.n_objects

    @property
    def unclaimed(self):
        """The objects that no detection claims."""
        return np.setdiff1d(np.arange(self.n), self.data.object)

    @property
    def claimed_twice(self):
        """Two objects that both systems claim."""
        return np.flatnonzero((self.matches.matched_detections >= 0).all(axis=1))[:2]

    def fitted(self, matches=None, y=None, **parameters):
        """Return a selector that draws few."""
        parameters = {"n_draws": 60, "random_state": self.seed, **parameters}
        return ActiveTestSelector(**parameters).fit(self.matches if matches is None else matches, y)

    def vet(self, chosen, n=10, rounds=1):
        """Ask for objects and tell their overlaps."""
        for _ in range(rounds):
            asked = chosen.query(n)
            chosen.update(asked, self.overlap[asked])
        return chosen


def state(chosen):
    """Return what a selector knows, to be compared."""
    return {
        "estimate": numbers(chosen.estimate_),
        "labels": chosen.n_labels_,
        "probability": chosen.label_proba_,
        "chances": chosen.query_proba_,
        "utilities": chosen.utilities_,
        "pending": chosen.pending_,
        "order": np.array(chosen._session.query_log.order),
        "overlap": chosen._session.model.ranked_lists.overlap,
    }
