"""A verdict belongs to the part that is asked: where no item is labeled it is unidentified."""

import pickle

import numpy as np
import pytest

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator
from sklearn_spe.results import Verdict
from sklearn_spe.results._part_reasons import unlabeled_categories, unlabeled_part
from tests.quick import QUIET

pytestmark = QUIET
N = 300
PARTS = np.repeat(["labeled", "some", "none"], [60, 120, 120])


@pytest.fixture(scope="module")
def data(global_random_seed):
    """Return scores, labels of one part and of half of another, and the truth."""
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(N) < 0.4).astype(int)
    truth[:2] = 0, 1
    scores = rng.normal(size=N) + 2.0 * truth
    return scores, np.where(np.arange(N) < 120, truth, -1), truth


def estimator():
    return PerformanceCurveEstimator(n_draws=100, random_state=0)


@pytest.fixture(scope="module")
def fitted(data):
    scores, y, _ = data
    return estimator().fit(scores, y, category=PARTS)


def names(verdict):
    return [reason.name for reason in verdict.reasons]


@pytest.mark.parametrize("target", ["sample", "population"])
def test_a_category_without_labels_is_unidentified(fitted, target):
    fit = fitted.verdict_ if target == "sample" else fitted.model_.verdict
    for metric in ("prevalence", "average_precision", "roc_auc"):
        none = fitted.of(category="none").estimate(metric, target=target)
        assert none.verdict == "unidentified"
        assert "No item of category 'none' is labeled." in none.sentence()
        (reason,) = (r for r in none.verdict.reasons if r.name == "unlabeled_part")
        assert reason.parameter == "y"
        assert reason.remedy.startswith("Label some of these 120 items")
        some = fitted.of(category="some").estimate(metric, target=target)
        assert (str(some.verdict), names(some.verdict)) == (str(fit), names(fit))
    band = fitted.of(category="none").curve("precision_recall", target=target)
    assert band.verdict == band.at(0.5).verdict == "unidentified"


def test_a_view_has_the_verdict_of_its_part(fitted):
    assert fitted.of(category="none").verdict_ == "unidentified"
    assert "unlabeled_part" not in names(fitted.verdict_)
    assert names(fitted.of(category="some").verdict_) == names(fitted.verdict_)


def test_a_part_that_is_all_labeled_is_exact(fitted, data):
    exact = fitted.of(category="labeled").estimate("prevalence")
    truth = data[2][:60].mean()
    assert exact.interval() == pytest.approx((truth, truth))
    assert exact.verdict == "ok"
    assert names(exact.verdict)[0] == "all_labeled"
    # Of an exact number and another one the difference is not exact.
    off = fitted.difference("prevalence", "none", "labeled")
    assert off.verdict == "unidentified"
    assert "all_labeled" not in names(off.verdict)


def test_tables_and_records_say_so(fitted):
    table = fitted.by_category("prevalence")
    assert table.remarks == ("No item of category 'none' is labeled.",)
    words = {row["name"]: row["verdict"] for row in table.to_dict()["estimates"]}
    assert words == {name: str(table[name].verdict) for name in table.names}
    assert words["none"] == "unidentified"
    assert table["none"].to_dict()["verdict"] == "unidentified"
    assert pickle.loads(pickle.dumps(table["none"])).verdict == "unidentified"


def test_a_judge_s_system_without_labels_is_unidentified(data, global_random_seed):
    _, y, truth = data
    rng = np.random.default_rng(global_random_seed)
    judge = np.where(rng.random(N) < 0.1, 1 - truth, truth)
    performance = estimator().fit(None, y, judges={"j": judge}, category=PARTS)
    for name, word in (("none", "unidentified"), ("some", str(performance.verdict_))):
        assert performance.of(category=name).estimate("prevalence").verdict == word
        assert performance.of(judge="j", category=name).estimate("recall").verdict == word


def test_a_system_without_scores_of_labeled_items_is_unidentified(data):
    scores, y, _ = data
    late = np.where(np.arange(N) < 180, np.nan, scores)
    performance = estimator().fit({"a": scores, "b": late}, y)
    estimate = performance.of(system="b").estimate("roc_auc")
    assert estimate.verdict == "unidentified"
    assert "No item with a score of system 'b' is labeled." in estimate.sentence()
    assert "is labeled" not in performance.of(system="a").estimate("roc_auc").sentence()


def test_a_class_without_labels_is_unidentified(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = np.arange(N) % 3
    logits = 2.0 * np.eye(3)[truth] + rng.normal(size=(N, 3))
    y = np.where((np.arange(N) < 100) & (truth < 2), truth, -1)
    performance = PerformanceCurveEstimator(n_draws=60, classes=[0, 1, 2], random_state=0)
    performance.fit(logits, y, category=PARTS)
    recall = performance.by_category("recall", by="class")
    assert "unlabeled_class" in names(recall["2"].verdict)
    assert recall["2"].verdict == "unidentified"
    assert "unlabeled_class" not in names(recall["1"].verdict)
    # The precision of a class is about what is predicted, of which some are labeled.
    predicted = logits.argmax(axis=1)
    has_labels = (predicted[y >= 0] == 2).any()
    found = names(performance.by_category("precision", by="class")["2"].verdict)
    assert ("unlabeled_class" in found) != has_labels
    assert performance.of(category="none").estimate("accuracy").verdict == "unidentified"


def test_a_mean_of_a_category_without_labels_is_unidentified(data):
    scores, y, _ = data
    means = MeanEstimator(n_draws=100, random_state=0)
    means.fit(scores, np.where(y < 0, np.nan, y), category=PARTS)
    assert means.estimate().verdict == means.estimate(category="some").verdict == "ok"
    assert means.estimate(category="none").verdict == "unidentified"
    assert means.by_category().remarks == ("No item of category 'none' is labeled.",)


def test_without_any_label_the_fit_says_so(data):
    scores = data[0]
    performance = PerformanceCurveEstimator(n_draws=60, classes=[0, 1], random_state=0)
    performance.fit(scores, np.full(N, -1), category=PARTS)
    verdict = performance.of(category="none").estimate("prevalence").verdict
    assert verdict == "unidentified"
    assert names(verdict) == names(performance.verdict_)


def test_reasons_are_added_once_and_named_together():
    reason = unlabeled_part(1.0, category="x", judge="j")
    assert reason.problem == "No item of category 'x' and with a rating of judge 'j' is labeled."
    assert reason.remedy.startswith("Label the item")
    verdict = Verdict().worsened([reason, reason])
    assert verdict.reasons == (reason,)
    assert verdict.worsened([reason]) is verdict
    several = unlabeled_categories(list("abcde"), 50.0)
    assert several.problem == "No item of the categories 'a', 'b', 'c' and 2 more is labeled."
