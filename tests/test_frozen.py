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


def arrays_in(value, path="fit"):
    if isinstance(value, np.ndarray):
        yield path, value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from arrays_in(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from arrays_in(part, f"{path}[{i}]")


@pytest.mark.parametrize("copy", [lambda v: v, lambda v: pickle.loads(pickle.dumps(v))])
def test_arrays_of_fitted_values_are_read_only(copy):
    performance = PerformanceCurveEstimator(n_draws=100, random_state=0).fit(SCORES, Y)
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


def test_values_compare_by_identity():
    posterior = PerformanceCurveEstimator(n_draws=100, random_state=0).fit(SCORES, Y).posterior_
    assert posterior == posterior
    assert posterior != pickle.loads(pickle.dumps(posterior))
    assert posterior.sample != dataclasses.replace(posterior.sample)


def test_a_fit_that_fails_changes_nothing():
    mixture = SemisupervisedScoreMixture(n_draws=100, random_state=0).fit(SCORES, Y)
    before = mixture.predict_proba([0.0, 5.0])
    with pytest.raises(ValueError, match="Scores must be finite"):
        mixture.set_params(pos_label=0).fit(np.r_[SCORES[:-1], np.nan], Y)
    assert np.array_equal(mixture.predict_proba([0.0, 5.0]), before)


def test_concurrent_fits_leave_the_threads_of_blas_alone():
    def threads():
        return sorted((p["filepath"], p["num_threads"]) for p in threadpool_info())

    SemisupervisedScoreMixture(n_draws=100, random_state=0).fit(SCORES, Y)
    before = threads()
    with parallel_config("threading", n_jobs=2):
        SemisupervisedScoreMixture(n_draws=100, random_state=0).fit(SCORES, Y)
    assert threads() == before


def test_weighted_scores_are_scored_as_repeated_ones():
    weights = np.random.default_rng(0).integers(1, 4, 300)
    repeated = np.repeat(SCORES, weights), np.repeat(LABELS, weights)
    performance = PerformanceCurveEstimator(n_draws=100, random_state=0)
    performance.fit(SCORES, Y, weights)
    mixture = performance.mixture_
    for fitted in (performance, mixture):
        weighted = fitted.score(SCORES, LABELS, sample_weight=weights)
        assert weighted == pytest.approx(fitted.score(*repeated), rel=1e-12)
        assert weighted != fitted.score(SCORES, LABELS)
