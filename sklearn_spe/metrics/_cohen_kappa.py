"""Cohen's kappa."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._contingency import Contingency
from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._metric import ThresholdMetric


@dataclass(frozen=True)
class CohenKappa(ThresholdMetric):
    r"""The agreement of decisions and classes beyond that of chance, between -1 and 1.

    .. math:: \frac{2 (TP\,TN - FP\,FN)}{(TP + FP)(FP + TN) + (TP + FN)(FN + TN)}

    Not defined where all items are of one class and all are called that; scikit-learn's
    `cohen_kappa_score` is NaN there.

    Examples
    --------
    >>> from sklearn_spe.metrics import CohenKappa
    >>> float(CohenKappa().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "cohen_kappa"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    zero_division: ClassVar[float] = np.nan

    def value(self, tp, fp, n_positive, n_negative):
        fn, tn = n_positive - tp, n_negative - fp
        chance = (tp + fp) * n_negative + n_positive * (fn + tn)
        return ratio(2.0 * (tp * tn - fp * fn), chance)

    def expected_ratio(self, law, above, n_positive):
        table = Contingency(law, above, n_positive)
        n, called = law.n_items, table.n_called
        return ExpectedRatio(
            law,
            2.0 * table.determinant,
            called * (n - table.n_positive) + (n - called) * table.n_positive,
            2.0 * table.determinant_slope,
            table.n_positive_slope * (n - 2.0 * called),
        )
