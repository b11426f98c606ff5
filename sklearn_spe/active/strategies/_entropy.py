"""Items by the entropy of their label."""

from dataclasses import dataclass
from typing import ClassVar

from scipy import special

from ._strategy import Strategy


@dataclass(frozen=True)
class Entropy(Strategy):
    r"""Items by the entropy of their label, :math:`-p \log p - (1 - p) \log (1 - p)`.

    The items of largest utility are those of `Adaptive`; random draws are in proportion to the
    entropy. It prefers uncertain labels, which are not the most informative ones for average
    precision.

    Examples
    --------
    >>> from sklearn_spe.active import Entropy
    >>> Entropy().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0.0, 0.9, 0.3, 0.6])
    array([3, 2])
    """

    name: ClassVar[str] = "entropy"
    weights_change: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool):
        return special.entr(pool.probability) + special.entr(1.0 - pool.probability)

    def weights(self, pool):
        return self.utilities(pool)
