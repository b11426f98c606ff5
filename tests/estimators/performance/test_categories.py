"""Subgroups of one fit, and items that belong together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.estimators.performance.several import N, mixture
from tests.quick import QUIET

pytestmark = QUIET


@pytest.fixture(scope="module")
def scores(systems):
    return systems.scores[:, 0]


@pytest.fixture(scope="module")
def fitted(systems, scores):
    return systems.estimator().fit(scores, systems.first(40), category=systems.countries)


# --- subgroups ----------------------------------------------------------------------------------


def test_categories_are_answered_one_by_one(systems, fitted):
    table = fitted.by_category("f1", threshold=0.5)
    assert table.names == ("ES", "FR", "IT")
    for name in table.names:
        expected = fitted.of(category=name).estimate("f1", threshold=0.5)
        assert_array_equal(table[name].draws, expected.draws)
        assert_array_equal(
            fitted.difference("f1", name, "ES", threshold=0.5).draws,
            expected.draws - table["ES"].draws,
        )
    # What is counted in all of them adds up, draw by draw.
    shares = [(systems.countries == name).mean() for name in table.names]
    parts = [fitted.of(category=name).estimate("prevalence").draws for name in table.names]
    assert_allclose(shares @ np.array(parts), fitted.estimate("prevalence").draws)


def test_an_ordered_categorical_is_listed_in_its_order(systems, scores):
    pd = pytest.importorskip("pandas")
    months = np.array(["Jan", "Feb", "Mar"])
    column = pd.Categorical(months[systems.category], [*months, "Apr"], ordered=True)
    ordered = systems.estimator().fit(scores, systems.first(40), category=column)
    assert ordered.by_category("prevalence").to_frame().name.tolist() == [*months]


def test_a_category_without_labels_is_answered_and_known_less_well(systems, scores):
    # Two halves of the same items; labels of one of them alone.
    half = np.arange(N) % 2
    partly = np.where(half == 0, systems.labels, -1)
    widths = np.zeros(2)
    for seed in range(3):
        estimator = systems.estimator(random_state=seed, target="population")
        fitted = estimator.fit(scores, partly, category=half)
        widths += np.diff(fitted.by_category("prevalence").intervals()).ravel()
    assert widths[1] > widths[0]
    low, high = fitted.of(category=1).estimate("prevalence").interval()
    assert 0.0 < low < high < 1.0


def test_a_category_of_one_item_is_answered(systems, scores):
    alone = np.where(np.arange(N) == 3, "one", "many")
    for labels in (systems.first(40), np.where(np.arange(N) == 3, -1, systems.first(40))):
        fitted = systems.estimator().fit(scores, labels, category=alone)
        prevalence = fitted.of(category="one").estimate("prevalence")
        assert set(prevalence.draws) <= {0.0, 1.0}
        if labels[3] >= 0:
            assert set(prevalence.draws) == {float(labels[3])}
        # A ranking of one item is not defined; a decision about it is.
        assert np.isnan(fitted.of(category="one").estimate("roc_auc").value)
        right = fitted.of(category="one").estimate("accuracy", threshold=0.5).draws
        assert_array_equal(right, prevalence.draws if scores[3] >= 0.5 else 1.0 - prevalence.draws)
        assert fitted.of(category="one").curve("precision").value.shape == (1,)


def test_many_categories_are_answered(systems, scores):
    # Two items each: one category more would be nearly as many as the items.
    some = np.arange(80)
    fitted = systems.estimator().fit(scores[some], systems.first(40)[some], category=some // 2)
    values = fitted.by_category("prevalence").values
    assert_array_equal(values[:20], systems.labels[:40].reshape(20, 2).mean(axis=1))
    with pytest.raises(ValueError, match="nearly every item would be a separate subgroup"):
        systems.estimator().fit(scores[some], systems.first(40)[some], category=some)


def test_categories_of_systems_are_answered_together(systems):
    X, y = systems.scores, systems.first(40)
    fitted = systems.estimator().fit(X, y, category=systems.countries, groups=systems.groups)
    for target in ("sample", "population"):
        table = fitted.by_category("roc_auc", system=1, target=target)
        expected = fitted.of(system=1, category="IT").estimate("roc_auc", target=target)
        assert_array_equal(table["IT"].draws, expected.draws)
    difference = fitted.difference("roc_auc", 0, 2, category="FR")
    sides = [fitted.of(system=k, category="FR").estimate("roc_auc").draws for k in (0, 2)]
    assert_array_equal(difference.draws, sides[0] - sides[1])
    draws = [fitted.of(system=k, category="FR").estimate("roc_auc").draws for k in range(3)]
    better = fitted.ranking_proba("roc_auc", category="FR")
    assert_allclose(better[0, 2], (draws[0] > draws[2]).mean() + (draws[0] == draws[2]).mean() / 2)


def test_an_update_keeps_categories_and_groups(systems, scores):
    structure = {"category": systems.countries, "groups": systems.groups}
    more = systems.first(60)
    fitted = systems.estimator().fit(scores, systems.first(40), **structure)
    expected = systems.estimator().fit(scores, more, **structure).by_category("roc_auc").values
    for told in ({}, structure):
        assert_array_equal(
            fitted.update(scores, more, **told).by_category("roc_auc").values, expected
        )
    new = np.where(np.arange(N) == 5, "PT", systems.countries)
    for told in ({"category": new}, {"groups": np.arange(N)}):
        with pytest.raises(ValueError, match=f"update takes the same {next(iter(told))}= as fit"):
            fitted.update(scores, more, **told)


# --- items that belong together -----------------------------------------------------------------


@pytest.mark.slow
def test_items_that_all_stand_alone_are_independent(systems, scores):
    # Known labels: what is left is whom the population consists of, by a bootstrap of items.
    alone = systems.estimator(mixture=mixture(n_draws=400), target="population")
    alone = alone.fit(scores, systems.labels, groups=np.arange(N))
    plain = systems.estimator(mixture=mixture(n_draws=400), target="population")
    plain = plain.fit(scores, systems.labels, category=np.arange(N) % 2)
    for name in ("prevalence", "roc_auc"):
        widths = [float(np.diff(f.estimate(name).interval()).item()) for f in (alone, plain)]
        # Ends of 400 draws scatter by 4% of the width each; curves and their slack more.
        assert widths[0] == pytest.approx(widths[1], rel=0.35)


def test_labels_of_few_groups_leave_the_population_unidentified(systems, scores):
    y = np.where(systems.groups < 7, systems.labels, -1)
    # Bets of some labels speak against any model: then the warning is of that, too.
    with pytest.warns(UserWarning, match="few groups"):
        few = systems.estimator().fit(scores, y, groups=systems.groups)
    (reason,) = [reason for reason in few.verdict_.reasons if reason.name == "few_groups"]
    assert reason.verdict == "unidentified"
    y = np.where(systems.groups < 8, systems.labels, -1)
    enough = systems.estimator().fit(scores, y, groups=systems.groups)
    assert "few_groups" not in [reason.name for reason in enough.verdict_.reasons]
