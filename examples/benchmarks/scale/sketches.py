"""What sketches keep of the highest scores, beside a histogram of equal bins.

Ten million scores, of which one in 10,000 is positive. A threshold is the k-th highest score, and
the number of items at or above it is asked of each summary: the truth is k. Needs ``datasketches``
(KLL and REQ) and ``pytdigest``.
"""

import pickle
import time

import numpy as np
from measured import rare_positives

from sklearn_spe import ScoreHistogram

__all__ = ["HIGHEST", "SUMMARIES", "tail_table"]

HIGHEST = (100, 1000, 10_000)
NAMES = {"identity": "log-odds", "logit": "probabilities"}


class Bins:
    """A histogram of this package: items of a bin lie at their mean."""

    def __init__(self, scores, scale):
        self.histogram = ScoreHistogram(scale).update(scores)
        rows = self.histogram.with_labels([], [])
        self.scores, self.counts = rows.scores, rows.counts

    def n_above(self, threshold):
        """Return the number of items at or above a threshold."""
        return float(self.counts[self.scores >= threshold].sum())

    def size(self):
        """Return the number of bytes."""
        return len(pickle.dumps(self.histogram))


class KLL:
    """A sketch of quantiles: ranks are equally exact everywhere."""

    def __init__(self, scores, scale):
        from datasketches import kll_floats_sketch

        self.sketch = kll_floats_sketch(400)
        self.sketch.update(scores)

    def n_above(self, threshold):
        """Return the number of items at or above a threshold."""
        return self.sketch.n * (1.0 - self.sketch.get_rank(threshold, inclusive=False))

    def size(self):
        """Return the number of bytes."""
        return len(self.sketch.serialize())


class REQ(KLL):
    """A sketch of quantiles whose ranks are more exact at the upper end."""

    def __init__(self, scores, scale):
        from datasketches import req_floats_sketch

        self.sketch = req_floats_sketch(50, is_hra=True)
        self.sketch.update(scores)


class TDigest:
    """Clusters of neighbours, which are smaller at both ends."""

    def __init__(self, scores, scale):
        from pytdigest import TDigest

        self.digest = TDigest.compute(scores, compression=200)

    def n_above(self, threshold):
        """Return the number of items at or above a threshold."""
        return self.digest.weight * (1.0 - self.digest.cdf(threshold))

    def size(self):
        """Return the number of bytes: a mean and a weight each."""
        return self.digest.get_centroids().nbytes


SUMMARIES = {"this package": Bins, "KLL 400": KLL, "REQ 50": REQ, "t-digest 200": TDigest}


def tail_table(n):
    """Return a row for each scale and summary: its size, and the error at the k-th highest score.

    Times are ratios to that of the bins.
    """
    rows = []
    for scale in ("identity", "logit"):
        _, scores = rare_positives(scale, n=n)
        thresholds = np.sort(np.partition(scores, -max(HIGHEST))[-max(HIGHEST) :])[::-1]
        seconds = {}  # of processors
        for name, summary in SUMMARIES.items():
            begun = time.process_time()
            made = summary(scores, scale)
            seconds[name] = time.process_time() - begun
            row = {"scores": NAMES[scale], "summary": name}
            for k in HIGHEST:
                threshold = thresholds[k - 1]
                truth = np.count_nonzero(scores >= threshold)
                row[f"highest {k:,}"] = f"{made.n_above(threshold) / truth - 1.0:+.1%}"
            ratio = seconds[name] / seconds["this package"]
            size = {"kilobytes": f"{made.size() / 1e3:.0f}"}
            rows.append({**row, **size, "time, of bins 1": f"{ratio:.0f}"})
    return rows
