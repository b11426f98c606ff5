"""Labels that come later are read as those before: classes stay, and what marked marks."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.quick import EXPERTS, QUIET

SCORES = np.linspace(-2.0, 2.0, 40)
AT = np.arange(40)
ALL_POSITIVE = np.where(AT >= 30, 1, -1)

pytestmark = QUIET


def fitted(y, kind=PerformanceCurveEstimator, **parameters):
    quick = {"experts": EXPERTS, "n_draws": 100, "random_state": 0, **parameters}
    mixture = SemisupervisedScoreMixture("norm", "norm", **quick)
    estimator = mixture if kind is SemisupervisedScoreMixture else kind(mixture)
    return estimator.fit(SCORES, y)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.RemovedLabelsWarning")
@pytest.mark.parametrize("kind", [PerformanceCurveEstimator, SemisupervisedScoreMixture])
@pytest.mark.parametrize(
    "first",
    [np.where(AT % 4, np.nan, AT > 20), np.where(AT % 4, -1, AT > 20), np.full(40, -1)],
    ids=["both classes and NaN", "both classes and -1", "nothing but -1"],
)
def test_an_update_of_positives_alone_is_no_riddle(kind, first):
    updated = fitted(first, kind).update(SCORES, ALL_POSITIVE)
    assert updated.classes_.tolist() == [0, 1]
    assert updated.posterior_.sample.positive.sum() == 10
    assert updated.posterior_.sample.unlabeled.sum() == 30
