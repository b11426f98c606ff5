"""Matthews' correlation coefficient."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._contingency import Contingency
from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._metric import ThresholdMetric


@dataclass(frozen=True)
class MatthewsCorrcoef(ThresholdMetric):
    r"""The correlation of decisions and classes, between -1 and 1.

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    Not defined where all items are of one class, or all are called one; scikit-learn's
    `matthews_corrcoef` is zero there.

    Examples
    --------
    >>> from sklearn_spe.metrics import MatthewsCorrcoef
    >>> float(MatthewsCorrcoef().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "matthews_corrcoef"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def value(self, tp, fp, n_positive, n_negative):
        # Where all lie above the threshold, rounding may leave less than nothing below it.
        fn, tn = np.maximum(n_positive - tp, 0.0), np.maximum(n_negative - fp, 0.0)
        # Each root by itself: the product of four counts would lose digits, or overflow.
        spread = np.sqrt(tp + fp) * np.sqrt(fn + tn) * np.sqrt(n_positive) * np.sqrt(n_negative)
        return ratio(tp * tn - fp * fn, spread)

    def expected_ratio(self, law, above, n_positive):
        table = Contingency(law, above, n_positive)
        spread = np.sqrt(table.n_called * np.maximum(law.n_items - table.n_called, 0.0))
        return ExpectedRatio(
            law,
            ratio(table.determinant, spread),
            table.n_pairs,
            ratio(table.determinant_slope, spread),
            table.n_pairs_slope,
            denominator_pairs=table.n_pairs_pairs,
            power=0.5,
        )
