"""Labels that come later are read as those before: classes stay, and what marked marks."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.inputs._labels import BinaryLabels
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


def test_the_first_labels_of_both_classes_name_them():
    y = np.where(AT % 4, None, AT > 20)
    assert fitted(None).update(SCORES, y).classes_.tolist() == [False, True]


@pytest.mark.parametrize("first", [None, np.where(AT >= 30, 1.0, np.nan)], ids=["none", "one"])
def test_convention_alone_does_not_say_what_minus_one_is(first):
    performance = fitted(first)
    before = performance.estimate("roc_auc").value
    with pytest.raises(ValueError, match=r"is -1 a class.*pass classes=\[0, 1\]"):
        performance.update(SCORES, ALL_POSITIVE)
    assert performance.estimate("roc_auc").value == before


def test_an_update_may_not_rename_the_classes():
    performance = fitted(np.where(AT % 4, np.nan, AT > 20))
    with pytest.raises(ValueError, match=r"y holds \[2.0\], not among classes=\[0.0, 1.0\]"):
        performance.update(SCORES, np.where(AT % 4, np.nan, np.where(AT > 20, 2, 1)))


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.RemovedLabelsWarning")
def test_classes_of_text_need_not_all_come_again():
    y = np.array([None] * 40, dtype=object)
    y[:3] = ["ham", "spam", "ham"]
    performance = fitted(y, pos_label="ham")
    y[:3] = [None, "spam", None]
    performance.update(SCORES, y)
    assert performance.classes_.tolist() == ["ham", "spam"]
    # A later update knows them still.
    assert performance.update(SCORES, y).classes_.tolist() == ["ham", "spam"]


def test_another_marker_than_before_is_not_known_to_mark():
    before = BinaryLabels.learn([9, 9], unlabeled_label=9)
    assert before.marked
    with pytest.raises(ValueError, match="is -1 a class"):
        BinaryLabels.learn([1, -1], before=before)
