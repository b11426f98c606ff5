"""A known number of positives: completions have it, curves are weighted by it."""

import pickle
import re
import warnings

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.estimators._performance import performance_of

from ...quick import EXPERTS

N_ITEMS, N_LABELS = 300, 24


@pytest.fixture(scope="module")
def data(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(N_ITEMS) < 0.3).astype(int)
    truth[:2] = 0, 1
    scores = rng.normal(1.5 * truth)
    return scores, np.where(np.arange(N_ITEMS) < N_LABELS, truth, -1), truth


def fit(X, y, n_draws=256, mixture=None, **arguments):
    if mixture is None:
        mixture = SemisupervisedScoreMixture(experts=EXPERTS, n_draws=n_draws)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PerformanceCurveEstimator(mixture, random_state=0).fit(X, y, **arguments)


@pytest.mark.parametrize("known", [90, (80, 100)])
def test_all_completions_have_the_number(data, known):
    scores, y, _ = data
    low, high = (known, known) if isinstance(known, int) else known
    performance = fit(scores, y, known_positives=known)
    totals = N_ITEMS * performance.estimate("prevalence").draws
    assert ((totals > low - 1e-6) & (totals < high + 1e-6)).all()
    # A callable metric, and the other class, share it.
    counts = performance.estimate(lambda y_true, y_score: float(y_true.sum())).draws
    assert ((counts >= low) & (counts <= high)).all()
    other = performance_of(performance.mixture_, pos_label=0)
    totals = N_ITEMS * (1.0 - other.estimate("prevalence").draws)
    assert ((totals > low - 1e-6) & (totals < high + 1e-6)).all()
    again = pickle.loads(pickle.dumps(performance)).estimate("recall", threshold=1.0)
    assert again.interval() == performance.estimate("recall", threshold=1.0).interval()


def test_it_conditions_the_posterior_as_leaving_out_draws_does(data):
    """Draws of a fit without it whose number lies in the range are draws of a fit with it."""
    scores, y, _ = data
    free = fit(scores, y, n_draws=4000)
    totals = N_ITEMS * free.estimate("prevalence").draws
    low, high = np.round(np.quantile(totals, [0.55, 0.85])).astype(int).tolist()
    kept = (totals > low - 0.5) & (totals < high + 0.5)
    known = fit(scores, y, n_draws=2000, known_positives=(low, high))
    for name in ("prevalence", "average_precision", "recall", "precision", "roc_auc"):
        where = {} if name in ("prevalence", "average_precision", "roc_auc") else {"threshold": 1.0}
        expected = free.estimate(name, **where).draws[kept]
        found = known.estimate(name, **where).draws
        n = min(len(expected), free.posterior_.ess * kept.mean()), known.posterior_.ess
        error = np.sqrt(expected.var() / n[0] + found.var() / n[1])
        assert abs(found.mean() - expected.mean()) <= 5.0 * error
        assert found.std() == pytest.approx(expected.std(), rel=0.25)


def test_the_exact_number_of_many_items_leaves_the_sampler_effective(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(20_000) < 0.02).astype(int)
    scores = rng.normal(2.0 * truth)
    y = np.full(20_000, -1)
    y[:40], top = truth[:40], np.argsort(scores)[-10:]
    y[top] = truth[top]
    performance = fit(scores, y, known_positives=int(truth.sum()))
    assert performance.posterior_.ess > 100
    assert (performance.estimate("prevalence").draws == truth.mean()).all()


def test_parts_of_the_items_share_it(data):
    scores, y, _ = data
    category = np.where(np.arange(N_ITEMS) % 3 == 0, "a", "b")
    systems = {"first": scores, "second": scores + np.cos(np.arange(N_ITEMS))}
    performance = fit(systems, y, category=category, known_positives=(88, 92))
    sizes = {name: (category == name).sum() for name in "ab"}
    totals = sum(
        sizes[name] * performance.of(system="first", category=name).estimate("prevalence").draws
        for name in "ab"
    )
    assert ((totals > 88 - 1e-6) & (totals < 92 + 1e-6)).all()
    performance.update(systems, y)
    totals = N_ITEMS * performance.of(system="second").estimate("prevalence").draws
    assert ((totals > 88 - 1e-6) & (totals < 92 + 1e-6)).all()


def test_complete_labels_and_all_or_none_of_the_others(data):
    scores, y, truth = data
    known = int((y == 1).sum())
    draws = fit(scores, y, known_positives=known).estimate("prevalence").draws
    np.testing.assert_allclose(draws, known / N_ITEMS)
    most = int((y != 0).sum())
    draws = fit(scores, y, known_positives=most).estimate("prevalence").draws
    np.testing.assert_allclose(draws, most / N_ITEMS)
    complete = fit(scores, truth, known_positives=int(truth.sum()))
    assert complete.estimate("prevalence").interval() == pytest.approx((truth.mean(),) * 2)
    # Without any label it is all that is known.
    none = fit(
        scores,
        np.full(N_ITEMS, -1),
        mixture=SemisupervisedScoreMixture(experts=EXPERTS, n_draws=200, classes=[0, 1]),
        known_positives=60,
    )
    np.testing.assert_allclose(none.estimate("prevalence").draws, 0.2)


@pytest.mark.parametrize("known", [-1, 2.5, (5, 3), (1, 2, 3), "many", (1.5, 3), np.nan, [[1, 2]]])
def test_what_is_no_number_of_items_is_refused(data, known):
    scores, y, _ = data
    with pytest.raises((ValueError, TypeError), match="known_positives"):
        fit(scores, y, known_positives=known)


@pytest.mark.parametrize("structure", [{}, {"category": np.arange(N_ITEMS) % 2}])
def test_what_the_labels_contradict_is_refused(data, structure):
    scores, y, _ = data
    n_positive, n_negative = (int((y == code).sum()) for code in (1, 0))
    message = f"is {n_positive - 1}, but {n_positive} items are labeled positive"
    with pytest.raises(ValueError, match=message):
        fit(scores, y, known_positives=n_positive - 1, **structure)
    most = N_ITEMS - n_negative
    message = re.escape(f"is {most + 1} to {N_ITEMS}, but of {N_ITEMS} items {n_negative} are")
    with pytest.raises(ValueError, match=message):
        fit(scores, y, known_positives=(most + 1, N_ITEMS), **structure)


def test_where_it_cannot_be_used_it_says_so(data):
    scores, y, _ = data
    with pytest.raises(ValueError, match=r"known_positives .*experts"):
        fit(scores, y, mixture=SemisupervisedScoreMixture(experts=None), known_positives=90)
    with pytest.raises(ValueError, match=r"known_positives .*fractions"):
        fit(scores, y, sample_weight=np.full(N_ITEMS, 0.5), known_positives=90)
    proba = np.random.default_rng(0).dirichlet(np.ones(3), N_ITEMS)
    classes = np.where(np.arange(N_ITEMS) < 60, np.arange(N_ITEMS) % 3, -1)
    with pytest.raises(ValueError, match="known_positives= is supported for two classes"):
        fit(proba, classes, known_positives=90)
