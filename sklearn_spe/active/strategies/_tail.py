"""The largest scores first, as an alarm system does."""

from dataclasses import dataclass
from typing import ClassVar

from ._strategy import Strategy


@dataclass(frozen=True)
class Tail(Strategy):
    """The largest scores first, as in an investigation of alarms (section 3.1 of [1]_).

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.

    Examples
    --------
    >>> from sklearn_spe.active import Tail
    >>> Tail().query([0.1, 0.9, 0.5, 0.7], [-1, 1, -1, -1], n_labels=2)
    array([3, 2])
    """

    name: ClassVar[str] = "tail"

    def utilities(self, pool):
        return pool.scores
