"""A fit is a value: other labels make another one, and estimators show one at a time."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe.data._item_data import ItemData
from sklearn_spe.models._item_table import ItemTable
from sklearn_spe.models._row_model import fit_two_classes
from tests.estimators.score_mixture.data import BOTH_KINDS
from tests.quick import QUIET

pytestmark = QUIET


def probabilities(model, scores):
    return model.posterior.probability_draws(scores)


@BOTH_KINDS
def test_other_labels_make_what_a_fit_with_them_makes(problem, experts):
    parameters, more = problem.mixture(experts=experts), problem.with_labels(90)
    read = partial(ItemData.read, parameters, problem.scores)
    first = fit_two_classes(parameters, read(problem.partial))
    before = probabilities(first, problem.scores)
    expected = fit_two_classes(parameters, read(more))
    told = ItemTable.of(read(more))
    stored = pickle.loads(pickle.dumps(first))
    assert stored.prior is None
    for model in (first, stored):
        after = model.with_labels(told)
        told_at_once = probabilities(expected, problem.scores)
        assert_array_equal(probabilities(after, problem.scores), told_at_once)
        assert after.verdict.reasons == expected.verdict.reasons
        assert_array_equal(probabilities(model, problem.scores), before)
    assert first.with_labels(told).prior is first.prior


@BOTH_KINDS
def test_a_failed_fit_keeps_the_names_of_columns(problem, experts):
    pd = pytest.importorskip("pandas")
    margin, other = (pd.DataFrame({name: problem.scores}) for name in ("margin", "other"))
    mixture = problem.mixture(experts=experts).fit(margin, problem.partial)
    before = vars(mixture).copy()
    for call in (mixture.fit, mixture.update):
        with pytest.raises(ValueError, match="sample_weight is zero everywhere"):
            call(other, problem.partial, np.zeros(len(other)))
        assert vars(mixture) == before
    assert mixture.fit(problem.scores, problem.partial).__dict__.keys() == (
        before.keys() - {"feature_names_in_"}
    )
