"""Speed, as ratios to a straightforward version run beside it.

Run ``python examples/benchmarks/speed.py``. The first table times the kernels of all families
against `scipy.stats`, the second a fit of one pair of families (``experts=None``) with its
precision-recall band against the same fit whose likelihood calls `scipy.stats` and
`numpy.logaddexp` over the whole array of draws and scores. The third, without a peer, times the
default: the first fit, an update by other labels, and the band. The fourth, without a peer either,
times answers of four systems to the same prompts, which three judges mark and people a few: the
fit, the first number and a difference. The fifth climbs the likelihood of two normals from the
labelled tail by expectation maximization, against the bare steps. The sixth times the steps of a
labelling, beside one look at the information of each label by completing all labels again and
again. The last times tasks that other packages have too, those that are installed, in a million
scores. Each figure is the best of several runs on one thread; the processor is named.
"""

import argparse
import sys
import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sklearn_spe import (
    ActiveTestSelector,
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.datasets import make_scores
from sklearn_spe.families import BetaPrior
from sklearn_spe.families._registry import FAMILIES, as_family
from sklearn_spe.inference._em import expectation_maximization, newton_leap
from sklearn_spe.mixtures._fit import EmSteps, mixture_for
from sklearn_spe.models._mixture_model import FINEST_CELLS

# The root of the repository, where the tests have scipy's form of each family, and the peers.
sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent / "scale"))

from peers import processor, show_peers

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


def default(n_runs):
    """Time the default: the cost of labels once the scores are known."""
    print("\nthe default, 1,000 draws, 10 labels, milliseconds")
    print(f"{'scores':>10}{'fit':>8}{'update':>8}{'band':>8}")
    for n_items in (2_000, 20_000, 200_000):
        scores, y = one_problem(n_items)
        performance = PerformanceCurveEstimator(random_state=0)
        times = [
            best_of(lambda p=performance, s=scores, y=y: p.fit(s, y), n_runs),
            best_of(lambda p=performance, s=scores, y=y: p.update(s, y), n_runs),
            best_of(lambda p=performance: p.curve("precision_recall"), n_runs),
        ]
        print(f"{n_items:10,d}" + "".join(f"{t:8.0f}" for t in times))


def judged_answers(n_prompts):
    """Return verdicts of three judges, systems, prompts and the human labels of fifty prompts."""
    rng = np.random.default_rng(0)
    skill = np.array([1.0, 0.6, 0.3, 0.0])
    log_odds = skill + rng.standard_normal((n_prompts, 1))
    right = rng.random(log_odds.shape) < 1.0 / (1.0 + np.exp(-log_odds))
    passes = np.where(right[..., np.newaxis], [0.9, 0.85, 0.8], [0.15, 0.2, 0.3])
    verdicts = (rng.random(passes.shape) < passes).astype(int)
    y = np.full(right.shape, -1)
    checked = rng.choice(n_prompts, 50, replace=False)
    y[checked] = right[checked]
    systems = np.tile(list("abcd"), n_prompts)
    prompts = np.repeat(np.arange(n_prompts), len(skill))
    return verdicts.reshape(-1, 3), systems, prompts, y.ravel()


def judges():
    """Time answers that judges and people marked, with shared prompts."""
    print("\nfour systems, three judges, 50 prompts checked by people, milliseconds, once")
    print(f"{'answers':>10}{'fit':>8}{'rate':>8}{'difference':>12}")
    for n_prompts in (500, 25_000):
        verdicts, systems, prompts, y = judged_answers(n_prompts)
        performance = PerformanceCurveEstimator(classes=[0, 1], random_state=0)
        fit = partial(performance.fit, None, y, judges=verdicts, category=systems, groups=prompts)
        difference = partial(performance.difference, "prevalence", "a", "b")
        # Numbers after the first share its draws, so that nothing is run twice.
        times = [
            best_of(fit, 1),
            best_of(lambda p=performance: p.of(category="a").estimate("prevalence"), 1),
            best_of(difference, 1),
        ]
        print(f"{len(y):10,d}{times[0]:8.0f}{times[1]:8.0f}{times[2]:12.0f}")


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


def completed_gains(selector, scores, n_draws=250):
    """Return the information of each item's label on average precision, by the plain formula.

    All labels are drawn again and again; the covariance of each with the average precision counts.
    """
    rng = np.random.default_rng(0)
    posterior = selector.performance_.posterior_
    grid = np.quantile(scores, np.linspace(0.0, 1.0, 200))
    curves = [posterior.positive_probability(grid, block) for block in posterior.blocks()]
    curves = np.concatenate(curves)[:n_draws]
    order = np.argsort(-scores)
    rank = np.arange(1, len(scores) + 1)
    total, with_value, values = np.zeros(len(scores)), np.zeros(len(scores)), []
    for curve in curves:
        labels = rng.random(len(scores)) < np.interp(scores, grid, curve)
        hit = labels[order]
        values.append((np.cumsum(hit)[hit] / rank[hit]).mean())
        total += labels
        with_value += values[-1] * labels
    mean = total / len(curves)
    spread = np.maximum(mean * (1.0 - mean), 1e-12)
    return (with_value / len(curves) - mean * np.mean(values)) ** 2 / spread


def label_steps(n_runs):
    """Time a labelling: the queries and the updates."""
    print("\nlabels chosen for average precision, 10 at once, milliseconds")
    heading = ("fit", "query", "update", "completed labels", "over query")
    print(f"{'scores':>10}" + "".join(f"{name:>18}" for name in heading))
    for n_items in (2_000, 250_000, 1_000_000):
        scores, labels = make_scores(n_items, random_state=0)
        selector = ActiveTestSelector(random_state=0)
        fit = best_of(partial(selector.fit, scores), 1)
        queries, updates = [], []
        for _ in range(n_runs):
            start = time.perf_counter()
            items = selector.query(10)
            queries.append(1e3 * (time.perf_counter() - start))
            updates.append(best_of(partial(selector.update, items, labels[items]), 1))
        query, update = min(queries), min(updates)
        naive = best_of(partial(completed_gains, selector, scores), 1)
        times = (fit, query, update, naive, naive / query)
        print(f"{n_items:10,d}" + "".join(f"{t:18.1f}" for t in times))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="runs of which the best counts")
    options = parser.parse_args()
    print(processor())
    with threadpool_limits(limits=1):
        kernels(options.runs)
        fits(options.runs)
        default(options.runs)
        judges()
        maximum(options.runs)
        label_steps(options.runs)
        show_peers(1_000_000)
