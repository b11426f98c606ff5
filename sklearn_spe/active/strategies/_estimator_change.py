"""The items whose labels have the largest expected effect on the estimate."""

from dataclasses import dataclass
from typing import ClassVar

from ._strategy import Strategy


@dataclass(frozen=True)
class EstimatorChange(Strategy):
    r"""Maximum expected estimator change (MEEC) of [1]_.

    A label z of an item moves the expected metric by :math:`(z - p) M'(p)`, hence by

    .. math:: E |\Delta| = 2 p (1 - p) |M'(p)|

    in the mean, summed over categories and systems. For average precision, eq. 12 of [1]_ follows
    from an error. The slope M' is exact for a given number of positives; as this is unknown, its
    mean is used, with errors of up to a fifth. The information of the label on other items is
    ignored, unlike in `ExpectedChange`.

    Random draws are in proportion to the change.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import EstimatorChange
    >>> selector = ActiveTestSelector(
    ...     strategy=EstimatorChange(), draw="argmax", n_draws=40, random_state=0)
    >>> selector = selector.fit([0.9, 0.8, 0.3, 0.2], noisy_labels=[1, 0, 1, 0])
    >>> items = selector.query(2)
    >>> len(items)
    2
    """

    name: ClassVar[str] = "estimator_change"
    needs: ClassVar[tuple[str, ...]] = ("change",)
    weights_change: ClassVar[bool] = False

    def utilities(self, pool):
        return pool.change

    def weights(self, pool):
        return pool.change
