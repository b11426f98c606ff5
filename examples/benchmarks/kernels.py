"""Densities, fits and climbs, as ratios to a straightforward version run beside them.

Run ``python examples/benchmarks/kernels.py``. The first table times the kernels of all families
against `scipy.stats`, the second a fit of one pair of families (``experts=None``) with its
precision-recall band against the likelihood alone by `scipy.stats` and `numpy.logaddexp` over the
whole array of draws and scores, and counts its memory. The third climbs the likelihood of two
normals from the labelled tail by expectation maximization, against the bare steps. Each figure is
the best of several runs on one thread; the processor is named. How long users wait, beside an
earlier commit, is in ``speed.py``.
"""

import argparse
import sys
import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.families import BetaPrior
from sklearn_spe.families._registry import FAMILIES, as_family
from sklearn_spe.inference._em import expectation_maximization, newton_leap
from sklearn_spe.mixtures._fit import EmSteps, mixture_for
from sklearn_spe.models._mixture_model import FINEST_CELLS

# The root of the repository, where the tests have scipy's form of each family, and the peers.
sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent / "harness"))

from made_at import processor

from tests.families.oracles import to_scipy

N_DRAWS, N_SCORES = 1000, 2000


def best_of(function, n_runs):
    """Return the shortest time of a call in milliseconds."""
    times = []
    for _ in range(n_runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def vectorised_scipy(family, values):
    """Return a call of scipy's log density for all draws at once."""
    from scipy import stats

    mean, std, *shapes = values
    if family.name == "truncnorm":
        return lambda s: stats.truncnorm.logpdf(s, -mean / std, np.inf, mean, std)
    if family.name == "trunct":
        bound = stats.t.logsf(0.0, shapes[0], mean, std)
        return lambda s: stats.t.logpdf(s, shapes[0], mean, std) - bound
    if family.name == "loggamma":
        return lambda s: stats.loggamma.logpdf(s, shapes[0] ** -2.0, mean, std)
    return to_scipy(family, *values).logpdf


def kernels(n_runs):
    """Time the log densities of all families."""
    rng = np.random.default_rng(0)
    scores = rng.gamma(4.0, 0.5, N_SCORES)
    print(f"log density of {N_SCORES} scores for {N_DRAWS} draws, milliseconds")
    print(f"{'family':12}{'here':>8}{'scipy.stats':>13}{'ratio':>8}")
    for name, make in FAMILIES.items():
        family = make()
        typical = [parameter.typical[1] for parameter in family.parameters]
        values = [v * (1.0 + 0.1 * rng.random((N_DRAWS, 1))) for v in typical]
        own = best_of(lambda f=family, v=values: f.logpdf(scores, *v), n_runs)
        peer = vectorised_scipy(family, values)
        theirs = best_of(lambda p=peer: p(scores), n_runs)
        print(f"{name:12}{own:8.1f}{theirs:13.1f}{theirs / own:8.1f}")


def one_problem(n_items):
    """Return scores of which ten are labelled."""
    rng = np.random.default_rng(0)
    labels = (rng.random(n_items) < 0.3).astype(int)
    scores = rng.normal(2.0 * labels, 1.0)
    y = np.full(n_items, -1)
    chosen = rng.choice(n_items, 10, replace=False)
    y[chosen] = labels[chosen]
    return scores, y


def fit_and_band(pair, scores, y):
    """Fit one pair of families and compute the whole precision-recall band."""
    mixture = SemisupervisedScoreMixture(*pair, experts=None, random_state=0)
    performance = PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y)
    band = performance.curve("precision_recall")
    return band.value, band.interval()


def straightforward_likelihood(pair, scores):
    """Evaluate 1,000 draws of the unlabelled likelihood without any care."""
    from scipy import stats

    rng = np.random.default_rng(0)
    mean, std = 1.0 + rng.random((2, N_DRAWS, 1))
    kinds = {
        "truncnorm": lambda s: stats.truncnorm.logpdf(s, -mean / std, np.inf, mean, std),
        "gamma": lambda s: stats.gamma.logpdf(s, (mean / std) ** 2, scale=std**2 / mean),
        "norm": lambda s: stats.norm.logpdf(s, mean, std),
    }
    scores = scores - scores.min() + 0.1
    return lambda: np.logaddexp(kinds[pair[0]](scores), kinds[pair[1]](scores)).sum(axis=1)


def fits(n_runs):
    """Time whole fits, and count their memory."""
    scores, y = one_problem(2000)
    print("\nfit and precision-recall band, 2,000 scores, 1,000 draws, milliseconds")
    print(f"{'pair':24}{'here':>8}{'scipy.stats likelihood alone':>30}")
    for pair in (("norm", "norm"), ("truncnorm", "truncnorm"), ("gamma", "truncnorm")):
        own = best_of(lambda p=pair: fit_and_band(p, scores, y), n_runs)
        naive = best_of(straightforward_likelihood(pair, scores), max(1, n_runs // 3))
        print(f"{'-'.join(pair):24}{own:8.0f}{naive:30.0f}")
    print("\npeak memory of the same, norm-norm, MiB")
    for n_items in (2_000, 20_000, 200_000):
        scores, y = one_problem(n_items)
        tracemalloc.start()
        fit_and_band(("norm", "norm"), scores, y)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        print(f"{n_items:10,d} scores{peak:8.0f}   (draws x scores: {n_items * 8e3 / 2**20:,.0f})")


def rare_events(n_items):
    """Return the sample of 0.8% positives of which the largest 156 scores are labelled."""
    rng = np.random.default_rng(0)
    labels = (rng.random(n_items) < 0.008).astype(int)
    scores = rng.normal(6.56 + 1.88 * labels, 1.0)
    codes = np.full(n_items, -1)
    largest = np.argsort(-scores)[:156]
    codes[largest] = labels[largest]
    return ScoreSample.from_items(scores, codes, np.ones(n_items))


def model_sample(sample):
    """Return a mixture of two normals, and what its likelihood sees of a sample."""
    scale = learn_scale(sample, "identity")
    mixture = mixture_for(as_family("norm"), as_family("norm"), scale, BetaPrior())
    return mixture, scale.apply(sample).grouped(FINEST_CELLS)


def maximum(n_runs):
    """Time one climb of the likelihood to a relative change of 1e-8."""
    print("\nexpectation maximization of two normals, from the labelled tail, milliseconds")
    print(f"{'scores':>10}{'sample':>8}{'here':>8}{'bare steps':>12}{'lower by':>10}")
    for n_items in (5_000, 100_000, 1_000_000):
        sample = rare_events(n_items)
        mixture, seen = model_sample(sample)
        steps = EmSteps(mixture, seen)
        start = steps.labeled_start()
        leap = newton_leap(partial(mixture.value_and_gradient, sample=seen, prior=False))

        def climb(leap, steps=steps, start=start):
            return expectation_maximization(
                steps.expect, steps.maximize, start, leap=leap, max_iter=5_000
            )

        gather = best_of(lambda s=sample: model_sample(s), n_runs)
        own, bare = (best_of(lambda c=climb, p=p: c(p), n_runs) for p in (leap, None))
        lower = climb(leap).log_likelihood - climb(None).log_likelihood
        print(f"{n_items:10,d}{gather:8.1f}{own:8.1f}{bare:12.1f}{lower:10.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="runs of which the best counts")
    options = parser.parse_args()
    print(processor())
    with threadpool_limits(limits=1):
        kernels(options.runs)
        fits(options.runs)
        maximum(options.runs)
