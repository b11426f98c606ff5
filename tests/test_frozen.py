"""Fitted values cannot be written to, and a fit that fails changes nothing."""

import dataclasses
import pickle

import numpy as np
import pytest
from joblib import parallel_config
from threadpoolctl import threadpool_info

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")
SCORES, LABELS = make_scores(300, random_state=0)
Y = np.where(np.arange(300) < 20, LABELS, -1)
BOTH_KINDS = pytest.mark.parametrize("experts", ["auto", None], ids=["experts", "bare"])


def make_mixture(experts):
    return SemisupervisedScoreMixture(experts=experts, n_draws=100, random_state=0)


def make_performance(experts):
    return PerformanceCurveEstimator(make_mixture(experts), random_state=0)


def arrays_in(value, path="fit"):
    if isinstance(value, np.ndarray):
        yield path, value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from arrays_in(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from arrays_in(part, f"{path}[{i}]")


@BOTH_KINDS
@pytest.mark.parametrize("copy", [lambda v: v, lambda v: pickle.loads(pickle.dumps(v))])
def test_arrays_of_fitted_values_are_read_only(copy, experts):
    performance = make_performance(experts).fit(SCORES, Y)
    values = (
        performance.posterior_,
        performance.mixture_.comparison_,
        performance.mixture_.score_scale_,
        performance.mixture_.labels_,
        performance.curve(),
        performance.estimate(),
    )
    found = [item for value in values for item in arrays_in(copy(value), type(value).__name__)]
    assert len(found) > 20
    assert [path for path, array in found if array.flags.writeable] == []


@BOTH_KINDS
def test_values_compare_by_identity(experts):
    posterior = make_performance(experts).fit(SCORES, Y).posterior_
    assert posterior == posterior
    assert posterior != pickle.loads(pickle.dumps(posterior))
    assert posterior.sample != dataclasses.replace(posterior.sample)


@BOTH_KINDS
def test_a_fit_that_fails_changes_nothing(experts):
    mixture = make_mixture(experts).fit(SCORES, Y)
    before = mixture.predict_proba([0.0, 5.0])
    with pytest.raises(ValueError, match="Scores must be finite"):
        mixture.set_params(pos_label=0).fit(np.r_[SCORES[:-1], np.nan], Y)
    assert np.array_equal(mixture.predict_proba([0.0, 5.0]), before)


@BOTH_KINDS
def test_concurrent_fits_leave_the_threads_of_blas_alone(experts):
    def threads():
        return sorted((p["filepath"], p["num_threads"]) for p in threadpool_info())

    make_mixture(experts).fit(SCORES, Y)
    before = threads()
    with parallel_config("threading", n_jobs=2):
        make_mixture(experts).fit(SCORES, Y)
    assert threads() == before


@BOTH_KINDS
def test_weighted_scores_are_scored_as_repeated_ones(experts, global_random_seed):
    weights = np.random.default_rng(global_random_seed).integers(1, 4, 300)
    repeated = np.repeat(SCORES, weights), np.repeat(LABELS, weights)
    performance = make_performance(experts)
    performance.fit(SCORES, Y, weights)
    mixture = performance.mixture_
    for fitted in (performance, mixture):
        weighted = fitted.score(SCORES, LABELS, sample_weight=weights)
        assert weighted == pytest.approx(fitted.score(*repeated), rel=1e-12)
        assert weighted != fitted.score(SCORES, LABELS)
