"""Labels for the difference of two systems, or of two categories of one."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import ActiveTestSelector, Goal, ScoreHistogram
from sklearn_spe.active import RankingSettled
from sklearn_spe.active._information import ListInformation
from sklearn_spe.active.lists._contrast import Contrast
from sklearn_spe.active.lists._ranked_lists import score_lists
from sklearn_spe.goals._question import Question
from sklearn_spe.inputs._groups import Partition
from tests.active.selectors import quietly
from tests.quick import QUIET

pytestmark = QUIET
N_PROMPTS = 40
SYSTEMS = np.array(["new", "old", "other"])


class RatedAnswers:
    """Answers of three systems to prompts, of which a judge is right in four of five."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.seed = seed
        self.system = np.tile(SYSTEMS, N_PROMPTS)
        self.prompt = np.repeat(np.arange(N_PROMPTS), 3)
        rates = np.tile([0.8, 0.6, 0.4], N_PROMPTS)
        self.truth = (rng.random(len(rates)) < rates).astype(int)
        is_right = rng.random(len(rates)) < 0.8
        self.judge = np.where(is_right, self.truth, 1 - self.truth)
        self.y = np.where(rng.permutation(len(rates)) < 24, self.truth, -1)

    def fitted(self, y=None, pair=("new", "old"), **parameters):
        parameters = {"n_draws": 60, "random_state": self.seed, "classes": [0, 1]} | parameters
        selector = ActiveTestSelector("prevalence", compare=pair, **parameters)
        y = self.y if y is None else y
        return selector.fit(
            None, y, judges={"judge": self.judge}, category=self.system, groups=self.prompt
        )


@pytest.fixture(scope="module")
def answers(global_random_seed):
    return RatedAnswers(global_random_seed)


@pytest.fixture(scope="module")
def begun(answers):
    return answers.fitted()


# --- what a label tells of a difference ------------------------------------------------


@pytest.fixture(scope="module")
def lists_of_three(global_random_seed):
    """Return eight rows of three categories, their contrast and draws of their probabilities."""
    rng = np.random.default_rng(global_random_seed)
    category = Partition.read(np.array(list("aabbbcca")), "category", 8)
    question = Question.of("prevalence")
    ranked_lists, _ = score_lists(question, np.zeros((8, 1)), None, category, None)
    probability = rng.beta(2.0, 2.0, (5, 1)) * rng.uniform(0.2, 1.0, (5, 8))
    return ranked_lists, Contrast.of(ranked_lists, ("b", "a")), probability


def drop_of_variance(probability, group, labeled):
    """Return the expected drop of the variance of the difference, by enumeration."""
    labelings = np.array(list(itertools.product([0, 1], repeat=probability.shape[1])))
    weights = np.array([np.prod(np.where(labelings == 1, p, 1.0 - p), axis=1) for p in probability])
    weights = weights.mean(axis=0)
    values = labelings[:, group == 1].mean(axis=1) - labelings[:, group == 0].mean(axis=1)

    def variance(weights):
        total = weights.sum()
        mean = weights @ values / total
        return weights @ (values - mean) ** 2 / total

    after = 0.0
    for known in itertools.product([0, 1], repeat=len(labeled)):
        is_known = (labelings[:, labeled] == known).all(axis=1)
        after += weights[is_known].sum() * variance(np.where(is_known, weights, 0.0))
    return variance(weights) - after


def test_a_gain_is_the_expected_drop_of_the_variance_of_the_difference(lists_of_three):
    ranked_lists, contrast, probability = lists_of_three
    group = ranked_lists.group
    information = ListInformation.of(ranked_lists, probability, np.arange(8), contrast)
    for row in range(8):
        expected = 0.0
        if group[row] < 2:
            expected = drop_of_variance(probability, group, [row])
        assert information.gains[row] == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_a_label_of_another_category_takes_no_information_away(lists_of_three):
    ranked_lists, contrast, probability = lists_of_three
    information = ListInformation.of(ranked_lists, probability, np.arange(8), contrast)
    (other, *_) = np.flatnonzero(ranked_lists.group == 2)
    assert_array_equal(information.after(other).gains, information.gains)
    (first, *_) = np.flatnonzero(ranked_lists.group == 1)
    assert information.after(first).gains[first] < information.gains[first]


# --- answers of systems ----------------------------------------------------------------


def test_only_answers_of_the_two_are_asked_for_and_in_pairs(answers, begun):
    # All of those without a label.
    n_free = np.count_nonzero((answers.y < 0) & (answers.system != "other"))
    assert begun.n_left_ == n_free
    selector = answers.fitted()
    items = selector.query(20)
    assert set(answers.system[items]) <= {"new", "old"}
    assert selector.n_left_ == n_free - 20

    # One after the other, unless the other answer is labeled already.
    place = {item: k for k, item in enumerate(items.tolist())}
    for item, k in place.items():
        partner = item + 1 if answers.system[item] == "new" else item - 1
        if answers.y[partner] < 0 and not (k == 19 and partner not in place):
            assert abs(place[partner] - k) == 1
    chances = selector.query_proba_[items]
    is_second = np.array([k > 0 and answers.prompt[item] == answers.prompt[items[k - 1]]
                          for k, item in enumerate(items)])  # fmt: skip
    assert np.isnan(chances[is_second]).all()
    assert (chances[~is_second] > 0.0).all()


def test_the_estimate_is_the_difference(answers, begun):
    of_both = begun.by_category()
    draws = of_both["new"].draws - of_both["old"].draws
    assert_allclose(begun.estimate_.draws, draws, rtol=0, atol=1e-12)
    labeled = answers.y >= 0
    rates = [answers.truth[labeled & (answers.system == name)].mean() for name in ("new", "old")]
    assert begun.naive_estimate_ == pytest.approx(rates[0] - rates[1])
    assert begun.verified_estimate_ == begun.naive_estimate_
    assert begun.design_estimate_ is None


def test_with_all_labels_the_difference_is_exact(answers):
    selector = answers.fitted(answers.truth)
    rates = [answers.truth[answers.system == name].mean() for name in SYSTEMS]
    for number in (selector.estimate_.value, *selector.estimate_.interval()):
        assert number == pytest.approx(rates[0] - rates[1], abs=1e-12)
    assert quietly(selector.should_stop, RankingSettled(0.99))


def test_columns_of_systems_are_compared_as_well(answers, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = answers.truth[:120]
    scores = {
        name: truth + s * rng.normal(size=120) for name, s in zip("abc", (1, 2, 3), strict=True)
    }
    y = np.where(rng.permutation(120) < 30, truth, -1)
    parameters = {"n_draws": 60, "random_state": global_random_seed}
    both = ActiveTestSelector("roc_auc", compare=("a", "c"), **parameters).fit(scores, y)
    of_all = ActiveTestSelector("roc_auc", **parameters).fit(scores, y)
    assert both.estimate_.value == of_all.difference("a", "c").value
    # Each label is one of all systems: there are no pairs.
    assert both.n_left_ == of_all.n_left_ == 90
    assert len(both.query(5)) == 5
    by_number = ActiveTestSelector("roc_auc", compare=(0, 2), **parameters).fit(scores, y)
    assert by_number.estimate_.value == both.estimate_.value


@pytest.mark.parametrize(
    ("pair", "what"),
    [
        ("new", "must be the names of two systems"),
        (("new",), "must be the names of two systems"),
        (("new", ["old"]), "must be the names of two systems"),
        (("new", "new"), "must name two different parts"),
        (("new", "nobody"), "'nobody' is none of 'new', 'old', 'other'"),
    ],
)
def test_other_pairs_are_refused(answers, pair, what):
    with pytest.raises(ValueError, match=what):
        answers.fitted(pair=pair)


def test_without_parts_there_is_nothing_to_compare(answers):
    scores = np.linspace(0.1, 0.9, 120)
    selector = ActiveTestSelector("roc_auc", compare=("a", "b"), n_draws=40)
    for X in (scores, ScoreHistogram().update(scores)):
        with pytest.raises(ValueError, match="neither several systems nor several categories"):
            selector.fit(X)
    with pytest.raises(ValueError, match="neither several systems nor several categories"):
        selector.fit(None, judges={"judge": answers.judge})
    with pytest.raises(ValueError, match="neither several systems nor several categories"):
        answers.fitted(average="micro")
    with pytest.raises(ValueError, match="A goal needs one pool"):
        ActiveTestSelector(Goal.of(precision=0.9), compare=("new", "old"), n_draws=40).fit(
            None, judges={"judge": answers.judge}, category=answers.system
        )


# --- the order of categories -----------------------------------------------------------


def test_categories_are_ordered_by_their_draws(answers):
    selector = answers.fitted(pair=None)
    table = selector.by_category()
    draws = np.column_stack([table[name].draws for name in SYSTEMS])
    above = (draws[:, :, np.newaxis] > draws[:, np.newaxis]).mean(axis=0)
    ties = (draws[:, :, np.newaxis] == draws[:, np.newaxis]).mean(axis=0)
    assert_allclose(selector.ranking_proba_, above + ties / 2.0, atol=1e-12)

    in_order = draws[:, np.argsort(-table.values, kind="stable")]
    expected = (np.diff(in_order, axis=1) <= 0.0).all(axis=1).mean()
    assert selector.order_proba_ == pytest.approx(expected, abs=1e-12)
    assert quietly(selector.should_stop, RankingSettled(max(expected - 0.01, 1e-9)))
    assert selector.stop_reason_.startswith("the order is settled")
    assert not quietly(selector.should_stop, RankingSettled(min(expected + 0.01, 1.0 - 1e-9)))
