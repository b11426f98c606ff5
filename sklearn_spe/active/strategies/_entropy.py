"""Items by how uncertain their label is, drawn by chance."""

from dataclasses import dataclass
from typing import ClassVar

from scipy import special

from ._strategy import Strategy


@dataclass(frozen=True)
class Entropy(Strategy):
    r"""Items by the entropy of their label, :math:`-p \log p - (1 - p) \log (1 - p)`.

    The best ones are those of `Adaptive`; by chance, others are drawn in proportion. It goes where
    labels are uncertain, which is not where average precision is decided.

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
