"""Every fit answers one contract, whatever the kind of its data."""

import inspect
import pickle

import numpy as np
import pytest

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.data._kinds import BY_CLASS, CLASS_SHIFT, CLASSES, ITEMS, LABEL_SHIFT, POOL
from sklearn_spe.models._fit_items import FITS, fit_items
from sklearn_spe.models._fitted_model import FittedModel
from sklearn_spe.models._ranking_value import MetricArguments, RankingSettings
from sklearn_spe.models._ranking_view import RankingKey, RankingRows
from sklearn_spe.results._verdict import Verdict
from tests.quick import QUIET

pytestmark = QUIET
N_ITEMS, N_LABELED = 90, 40
MEMBERS = [
    name
    for name, member in inspect.getmembers(FittedModel)
    if getattr(member, "__isabstractmethod__", False)
]
CASES = [POOL, "bare mixture", ITEMS, CLASSES, LABEL_SHIFT]


def data_of(case, rng):
    """Return the parameters and the arguments of a fit, by name."""
    truth = rng.integers(3 if case == CLASSES else 2, size=N_ITEMS)
    y = np.where(np.arange(N_ITEMS) < N_LABELED, truth, -1)
    # Every class is labeled.
    y[:3] = truth[:3] = [0, 1, truth.max()]
    mixture = SemisupervisedScoreMixture(n_draws=40, random_state=0)
    scores = rng.normal(2.0 * truth)
    if case == "bare mixture":
        mixture.set_params(negative="norm", positive="norm", experts=None)
    if case == ITEMS:
        scores = {"a": scores, "b": scores + rng.standard_normal(N_ITEMS)}
    if case == CLASSES:
        scores = 2.0 * np.eye(3)[truth] + rng.standard_normal((N_ITEMS, 3))
    arguments = {"X": scores, "y": y}
    if case == LABEL_SHIFT:
        arguments["inclusion_proba"] = BY_CLASS
    return mixture, arguments


def n_answered(model):
    """Return the number of items that answers are about."""
    return N_ITEMS - N_LABELED if model.kind == LABEL_SHIFT else N_ITEMS


@pytest.fixture(params=CASES)
def case(request, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    mixture, arguments = data_of(request.param, rng)
    data = ItemData.read(mixture, **arguments)
    return mixture, arguments, data, fit_items(mixture, data)


def test_every_kind_of_data_has_a_fit():
    assert set(FITS) == {POOL, ITEMS, CLASSES, LABEL_SHIFT, CLASS_SHIFT}


def test_a_fit_answers_every_member_of_the_contract(case):
    *_, data, model = case
    assert isinstance(model, FittedModel)
    assert model.kind == data.kind
    assert all(hasattr(model, name) for name in MEMBERS)

    key = RankingKey(system=model.systems[0])
    view = model.shown(key)
    answers = model.ranking_of(view, RankingSettings())
    estimate = answers.estimate("accuracy", **at_a_threshold(model))
    assert 0.0 <= estimate.value <= 1.0
    assert isinstance(model.verdict_on(view, of_sample=True), Verdict)
    assert model.has_items(key)
    assert view.reasons == ()
    assert model.metric_of(MetricArguments("accuracy", threshold=0.0)).name == "accuracy"
    assert len(model.suspect_labels) <= N_LABELED
    assert model.n_rows == N_ITEMS
    if not model.predicts_classes:
        rows = model.rows(key)
        assert isinstance(rows, RankingRows)
        assert rows.is_ranked.sum() == n_answered(model)
        assert len(model.sample_rows(key).row) == n_answered(model)


def at_a_threshold(model):
    """Return the arguments of an estimate of a metric of decisions."""
    where = {"predicted": None, "target": None, "zero_division": None}
    return where if model.predicts_classes else where | {"threshold": 1.0}


def test_of_several_systems_one_must_be_chosen(case):
    *_, model = case
    view = model.shown(RankingKey())
    assert view.systems == (model.systems if len(model.systems) > 1 else ())
    if view.systems:
        with pytest.raises(ValueError, match="choose one of"):
            model.ranking_of(view, RankingSettings())


def test_a_fit_to_the_same_labels_gives_the_same_answers(case):
    mixture, arguments, _, model = case
    same = ItemData.read(mixture, **arguments, kind=model.kind, before=model.labels)
    key = RankingKey(system=model.systems[0])
    values = []
    for fit in (model, model.updated(mixture, same), pickle.loads(pickle.dumps(model))):
        answers = fit.ranking_of(fit.shown(key), RankingSettings())
        values.append(answers.estimate("accuracy", **at_a_threshold(fit)).draws)
    assert np.array_equal(values[0], values[1])
    assert np.array_equal(values[0], values[2])


def test_the_other_class_exchanges_the_labels_of_the_same_rows(case):
    *_, model = case
    if model.predicts_classes:
        return
    key, other = (RankingKey(system=model.systems[0], pos_label=label) for label in (1, 0))
    rows, exchanged = model.rows(key), model.rows(other)
    is_labeled = rows.codes >= 0
    assert np.array_equal(is_labeled, exchanged.codes >= 0)
    assert np.array_equal(exchanged.codes[is_labeled], 1 - rows.codes[is_labeled])
    of_both = [model.shown(k).posterior for k in (key, other)]
    for block in of_both[0].blocks():
        drawn = [p.completed_above(block, model.seed)[:, -1] for p in of_both]
        assert np.allclose(drawn[0] + drawn[1], n_answered(model) - is_labeled.sum())
