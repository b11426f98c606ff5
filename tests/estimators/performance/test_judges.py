"""Judges: what they tell of labels, and how good they are."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as sklearn_metrics

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates
from tests.estimators.performance.several import N, mixture
from tests.quick import QUIET

pytestmark = QUIET

VERDICTS = {
    "recall": sklearn_metrics.recall_score,
    "specificity": lambda y, d: sklearn_metrics.recall_score(y, d, pos_label=0),
    "cohen_kappa": sklearn_metrics.cohen_kappa_score,
    "accuracy": sklearn_metrics.accuracy_score,
}


def flipped(labels, share, rng):
    """Return verdicts of which a share is wrong."""
    return np.where(rng.random(len(labels)) < share, 1 - labels, labels).astype(float)


@pytest.fixture(scope="module")
def judges(systems):
    """Return a rule that says nothing of some items, a model's score, and a copy of the rule."""
    rng = np.random.default_rng(systems.seed)
    rule = flipped(systems.labels, 0.2, rng)
    rule[rng.permutation(N)[: N // 4]] = np.nan
    score = rng.normal(systems.labels, 1.0)
    return pd.DataFrame({"rule": rule, "score": score, "copy": rule})


@pytest.fixture(scope="module")
def complete(systems, judges):
    scores = systems.scores[:, 0]
    kwargs = {"category": systems.category, "judges": judges}
    return systems.estimator().fit(scores, systems.labels, **kwargs)


@pytest.fixture(scope="module")
def judged(systems, judges):
    return systems.estimator().fit(systems.scores[:, 0], systems.first(40), judges=judges)


# --- all labels known ---------------------------------------------------------------------------


def test_all_judges_are_compared_by_what_all_of_them_have(systems, judges):
    X, y = systems.scores[:, 0], systems.labels
    both = systems.estimator().fit(X, y, judges=judges)
    assert {estimate.name for estimate in both.by_category(by="judge").estimates} <= {
        "cohen_kappa",
        "roc_auc",
    }
    scored = systems.estimator().fit(X, y, judges={"rule": judges["rule"], "margin": 5.0 * X})
    assert [estimate.name for estimate in scored.by_category(by="judge").estimates] == [
        "roc_auc"
    ] * 2
    assert [e.name for e in scored.by_category(threshold=0.5, by="judge").estimates] == [
        "cohen_kappa"
    ] * 2
    decided = systems.estimator().fit(X, y, judges={"rule": judges["rule"]})
    assert decided.by_category(by="judge")["rule"].name == "cohen_kappa"


@pytest.mark.parametrize("name", VERDICTS)
def test_known_labels_leave_what_scikit_learn_says_of_a_verdict(systems, judges, complete, name):
    spoke = judges["rule"].notna().to_numpy()
    for category in (None, 0, 1, 2):
        own = spoke if category is None else spoke & (systems.category == category)
        estimate = complete.of(judge="rule", category=category).estimate(name)
        expected = VERDICTS[name](systems.labels[own], judges["rule"][own])
        assert_allclose(estimate.value, expected, atol=1e-12)
        assert_allclose(estimate.interval(0.99), expected, atol=1e-12)


def test_known_labels_leave_what_scikit_learn_says_of_a_score(systems, judges, complete):
    table = complete.by_category("roc_auc", by="judge")
    assert table.names == ("rule", "score", "copy")
    expected = sklearn_metrics.roc_auc_score(systems.labels, judges["score"])
    assert_allclose(table["score"].value, expected, atol=1e-12)
    above = complete.by_category("precision", threshold=0.5, by="judge")["score"].value
    decided = judges["score"] >= 0.5
    assert_allclose(above, sklearn_metrics.precision_score(systems.labels, decided), atol=1e-12)


def test_known_labels_leave_the_effective_number_of_judges(systems, judges):
    some = np.arange(80)
    judges, labels, scores = judges.iloc[some], systems.labels[some], systems.scores[some, 0]
    said = judges[["rule", "score"]].to_numpy()
    both = ~np.isnan(said).any(axis=1)
    errors = said[both] - [said[both & (labels == z)].mean(axis=0) for z in labels[both]]
    correlation = np.corrcoef(errors.T)[0, 1]
    fit = systems.estimator().fit(scores, labels, judges=judges[["rule", "score"]])
    assert_allclose(fit.effective_judges_.value, 2.0 / (1.0 + correlation), atol=1e-12)
    copies = systems.estimator().fit(scores, labels, judges=judges[["rule", "copy"]])
    assert_allclose(copies.effective_judges_.value, 1.0, atol=1e-12)


# --- what they tell ------------------------------------------------------------------------------


def test_a_judge_narrows_the_rate(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = (np.arange(1000) % 5 < 2).astype(int)
    scores = rng.normal(labels, 4.0)
    y = np.where(rng.permutation(1000) < 60, labels, -1)
    quick = mixture(n_draws=200)
    performance = PerformanceCurveEstimator(quick, random_state=global_random_seed)
    alone = performance.fit(scores, y).estimate("prevalence").interval()
    # One mistake in fifty: of the poor scores sixty labels leave three times the doubt.
    judged = performance.fit(scores, y, judges=flipped(labels, 0.02, rng))
    low, high = judged.estimate("prevalence").interval()
    assert high - low < 0.8 * (alone[1] - alone[0])


@pytest.mark.slow
def test_the_rate_is_held_whatever_judges_have_in_common(global_random_seed):
    # Of 24 fits that hold with 0.87 at least fewer than 12 do once in 500,000 runs.
    held = 0
    for repeat in range(24):
        rng = np.random.default_rng([global_random_seed, repeat])
        labels = (rng.random(600) < 0.35).astype(int)
        wrong = rng.random(600) < 0.2
        first = np.where(wrong, 1 - labels, labels)
        second = np.where(rng.random(600) < 0.05, 1 - first, first)
        y = np.where(np.arange(600) < 40, labels, -1)
        fit = PerformanceCurveEstimator(random_state=repeat, n_draws=200).fit(
            None, y, judges={"first": first, "second": second}
        )
        low, high = fit.estimate("prevalence").interval()
        held += low <= labels.mean() <= high
    assert held >= 12


def test_without_scores_the_judges_are_the_score(systems, judges):
    y = systems.first(40)
    one = systems.estimator().fit(None, y, judges=judges[["score"]])
    given = systems.estimator().fit(judges["score"].to_numpy(), y, judges=judges[["score"]])
    assert_allclose(one.estimate("roc_auc").draws, given.estimate("roc_auc").draws, atol=1e-12)
    several = systems.estimator().fit(None, y, judges=judges)
    z = (judges - judges.mean()) / judges.std(ddof=0)
    assert_allclose(several.model_.given.scores[:, 0], z.mean(axis=1), atol=1e-9)


def test_what_is_asked_of_scores_is_answered_as_before(systems, judges):
    fit = systems.estimator().fit(systems.scores, systems.first(40), judges=judges)
    assert fit.systems_ == (0, 1, 2)
    assert fit.judges_ == ("rule", "score", "copy")
    assert fit.ranking_proba("roc_auc").shape == (3, 3)
    names = main_estimates(fit).names
    assert "kappa of judge rule" in names
    assert "roc auc of judge score" in names
    assert "effective number of judges" in names
    view = fit.of(judge=1)
    assert view.view.key.judge == 1


def test_an_answer_of_a_judge_is_of_what_it_spoke_of(systems, judges, judged):
    answer = judged.of(judge="rule").selection(0.5)
    silent = judges["rule"].isna().to_numpy()
    assert not answer[silent].any()
    known = ~silent & (np.arange(N) < 40)
    assert_array_equal(answer[known], systems.labels[known] == 1)
    rest = ~silent & (np.arange(N) >= 40)
    assert_array_equal(answer[rest], judges["rule"][rest] == 1.0)


def test_labels_are_added_and_copies_answer_alike(systems, judges, judged):
    fit = systems.estimator().fit(systems.scores[:, 0], systems.first(20), judges=judges)
    later = fit.update(systems.scores[:, 0], systems.first(40))
    for other in (judged, pickle.loads(pickle.dumps(later))):
        assert_allclose(
            later.by_category("roc_auc", by="judge")["rule"].draws,
            other.by_category("roc_auc", by="judge")["rule"].draws,
            atol=1e-12,
        )
    with pytest.raises(ValueError, match="same judges= as fit, or none, but these differ"):
        later.update(systems.scores[:, 0], systems.first(40), judges=judges[["rule"]])
    without = systems.estimator().fit(
        systems.scores[:, 0], systems.first(20), category=systems.category
    )
    with pytest.raises(ValueError, match="but fit was given none"):
        without.update(systems.scores[:, 0], systems.first(40), judges=judges)


# --- judges that say little ---------------------------------------------------------------------


def test_a_judge_that_passes_everything_is_measured_and_changes_nothing(systems, judges):
    y, rule = systems.first(40), judges["rule"].fillna(0.0)
    for given in (np.ones(N), np.zeros(N), np.full(N, 7.5)):
        with_it, without = (
            systems.estimator().fit(systems.scores[:, 0], y, judges=own)
            for own in ({"all": given, "rule": rule}, {"rule": rule})
        )
        for judge, metric in ((None, "roc_auc"), ("rule", "cohen_kappa")):
            found, expected = (p.of(judge=judge).estimate(metric) for p in (with_it, without))
            assert_array_equal(found.draws, expected.draws)
        if given[0] < 2.0:
            found = {m: with_it.of(judge="all").estimate(m).value for m in VERDICTS}
            share = with_it.estimate("prevalence").value
            is_pass = given[0] == 1.0
            expected = {"recall": is_pass, "specificity": not is_pass, "cohen_kappa": 0.0}
            assert_allclose(found.pop("accuracy"), share if is_pass else 1.0 - share)
            assert found == expected
        assert with_it.of(judge="all").estimate("roc_auc").value == 0.5
        (reason,) = [r for r in with_it.verdict_.reasons if r.name == "one_score"]
        assert "The judge 'all' is constant" in reason.text
        with pytest.raises(AttributeError, match="1 of 2 judges is not constant"):
            with_it.effective_judges_  # noqa: B018
        assert "effective number of judges" not in main_estimates(with_it).names


@pytest.mark.parametrize("values", [[0.0, 0.5, 1.0], [0.0, 1.0, 2.0]])
def test_three_grades_are_a_score_and_that_is_said(systems, values):
    rng = np.random.default_rng(systems.seed)
    said = np.array(values)[np.clip(systems.labels + rng.integers(0, 2, N), 0, 2)]
    fit = systems.estimator().fit(systems.scores[:, 0], systems.labels, judges={"llm": said})
    expected = sklearn_metrics.roc_auc_score(systems.labels, said)
    assert_allclose(fit.by_category("roc_auc", by="judge")["llm"].value, expected, atol=1e-12)
    above = fit.by_category("recall", threshold=values[1], by="judge")["llm"].value
    assert_allclose(above, sklearn_metrics.recall_score(systems.labels, said >= values[1]))
    (reason,) = [r for r in fit.verdict_.reasons if r.name == "graded_judge"]
    assert "The judge 'llm' takes the values 0, " in reason.text


def test_questions_about_judges_that_there_are_not(systems, judges, judged):
    y = systems.first(40)
    without = systems.estimator().fit(systems.scores[:, 0], y)
    for ask in (
        lambda: without.by_category(by="judge"),
        lambda: without.of(judge="rule"),
    ):
        with pytest.raises(ValueError, match="judge"):
            ask()
    with pytest.raises(AttributeError, match="requires two judges"):
        without.effective_judges_  # noqa: B018
    with pytest.raises(ValueError, match="judge='rules' is none of 'rule', 'score'"):
        judged.of(judge="rules")
    flipped = systems.estimator(greater_is_positive=False)
    with pytest.raises(ValueError, match="greater_is_positive=False applies to the scores in X"):
        flipped.fit(None, y, judges=judges)
    here = judges["score"].where(systems.category > 0)
    silent = systems.estimator().fit(None, y, judges={"a": here}, category=systems.category)
    with pytest.raises(ValueError, match="No item of category 0 has a score by judge 'a'"):
        silent.of(judge="a", category=0)
    with pytest.raises(ValueError, match="Pass either system= or judge="):
        judged.of(judge="rule", system=0)
    with pytest.raises(ValueError, match=r"Judge 'score'.*pass threshold="):
        judged.by_category("recall", by="judge")
    with pytest.raises(ValueError, match="system=0 is not allowed here"):
        judged.by_category("roc_auc", system=0, by="judge")
    proba = np.full((N, 3), 1.0 / 3.0)
    with pytest.raises(ValueError, match="judges= is supported for two classes"):
        systems.estimator(classes=[0, 1, 2]).fit(proba, y, judges=judges)


def test_a_judge_of_whose_items_none_is_labeled_is_said_to_be_unknown(systems, judges):
    y = np.where(np.arange(N) < 20, systems.labels, -1)
    mute = judges.assign(rule=judges["rule"].where(y < 0))[["rule", "score"]]
    verdict = systems.estimator().fit(None, y, judges=mute).verdict_
    (reason,) = [reason for reason in verdict.reasons if reason.name == "unheard_judge"]
    assert reason.verdict == "unidentified"
    assert "'rule' has no rating of any labeled item" in reason.text
