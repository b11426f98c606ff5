"""Items at random."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._strategy import Strategy


@dataclass(frozen=True)
class Random(Strategy):
    """Items at random, each as likely as any other.

    Examples
    --------
    >>> from sklearn_spe.active import Random
    >>> len(Random().query([0.1, 0.9, 0.5, 0.7], n_labels=2, random_state=0))
    2
    """

    name: ClassVar[str] = "random"

    def utilities(self, scores, probability):
        # All alike: `query` decides among equals by chance.
        return np.zeros(len(scores))
