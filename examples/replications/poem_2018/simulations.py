"""The simulations of the 2018 paper, and shared parts of the replication."""

import argparse
import sys
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import special, stats
from sklearn.exceptions import ConvergenceWarning

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.active import Adaptive, Random, Tail
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import (
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    SamplingWarning,
    UnidentifiedWarning,
)
from sklearn_spe.families._registry import as_family

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "harness"))
import results  # noqa: E402 - a script's own folder is all that Python looks into

# Fisher information spans many powers of ten.
write_table = partial(results.write_table, form=".3g")
write_picture = results.write_picture

# Section 6.1. The foreground's mean is not printed there; its distance is that of sections 4 and 5.
N_ITEMS = 5000
BACKGROUND, FOREGROUND = (6.56, 1.0), (6.56 + 1.88, 1.0)
TRUE_BACKGROUNDS = ("norm", "lognorm")
CANDIDATES = ("norm", "lognorm", "gamma")
# Eleven logarithmic steps lead from 0.5 to 0.005; the tenth is the paper's default, "about 0.008".
STEPS = 0.5 * 10.0 ** (-0.2 * np.arange(11))
DEFAULT_BALANCE, DEFAULT_RECALL, DEFAULT_RATE = STEPS[9], 0.25, 1.0 / 32.0
DESIGNS = ("tail", "random", "adaptive")
# The batch of the adaptive design is not printed.
N_ROUNDS = 4
PAPER_TRIALS, QUICK_TRIALS = 1000, 3
# What few labels may legitimately warn of.
EXPECTED = (
    ConvergenceWarning,
    SamplingWarning,
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    UnidentifiedWarning,
)


def lognorm(mean, std):
    """Return the lognormal distribution of a mean and a standard deviation."""
    variance = np.logaddexp(0.0, 2.0 * np.log(std / mean))
    return stats.lognorm(np.sqrt(variance), scale=np.exp(np.log(mean) - 0.5 * variance))


def uniform(mean, std):
    """Return the uniform distribution of a mean and a standard deviation."""
    half = np.sqrt(3.0) * std
    return stats.uniform(mean - half, 2.0 * half)


# Of a mean and a standard deviation. Here survival functions have logarithms.
OF_SCIPY = {
    "norm": stats.norm,
    "lognorm": lognorm,
    "gamma": lambda mean, std: stats.gamma((mean / std) ** 2, scale=std**2 / mean),
    "uniform": uniform,
}


@dataclass(frozen=True)
class Truth:
    """A mixture from which scores are drawn, and its true performance."""

    background: str = "norm"
    balance: float = DEFAULT_BALANCE
    foreground: str = "norm"
    foreground_values: tuple = FOREGROUND
    background_values: tuple = BACKGROUND

    def draw(self, rng, n_items=N_ITEMS):
        """Return scores and labels."""
        return make_scores(
            n_items,
            prevalence=self.balance,
            negative=self.background,
            positive=self.foreground,
            negative_values=self.background_values,
            positive_values=self.foreground_values,
            random_state=rng,
        )

    def threshold(self, recall):
        """Return the threshold of a recall."""
        return float(as_family(self.foreground).ppf(1.0 - recall, *self.foreground_values))

    def recall(self, threshold):
        """Return the recall at a threshold, eq. 2."""
        return float(self._distributions[1].sf(threshold))

    def share(self, thresholds):
        """Return the share of all items at or above thresholds."""
        negative = as_family(self.background).sf(thresholds, *self.background_values)
        positive = as_family(self.foreground).sf(thresholds, *self.foreground_values)
        return (1.0 - self.balance) * negative + self.balance * positive

    def probability(self, scores):
        """Return P(y = 1 | score)."""
        negative = as_family(self.background).logpdf(scores, *self.background_values)
        positive = as_family(self.foreground).logpdf(scores, *self.foreground_values)
        odds = np.log(self.balance) - np.log1p(-self.balance) + positive - negative
        return special.expit(odds)

    def slope(self, threshold):
        """Return dP/dR at a threshold.

        With P / R = balance / share and P / q = R p(t) / (share p1(t)), which hold far out too,
        where R and p1(t) are zero in floating point.
        """
        negative, positive = self._distributions
        shares = np.log1p(-self.balance), np.log(self.balance)
        with np.errstate(all="ignore"):
            logs = positive.logsf(threshold), negative.logsf(threshold)
            share = np.logaddexp(shares[0] + logs[1], shares[1] + logs[0])
            logs_at = negative.logpdf(threshold), positive.logpdf(threshold)
            density = np.logaddexp(shares[0] + logs_at[0], shares[1] + logs_at[1])
            ratio = np.exp(logs[0] + density - share - logs_at[1])
            return float(np.exp(shares[1] - share) * (1.0 - ratio))

    @property
    def _distributions(self):
        return (
            OF_SCIPY[self.background](*self.background_values),
            OF_SCIPY[self.foreground](*self.foreground_values),
        )


def label_by(design, scores, labels, n_labels, rng):
    """Return the labels that a design makes known, -1 elsewhere.

    The adaptive design asks in rounds for the items that are positive with a probability next to
    one half; it starts without any label.
    """
    known = np.full(len(scores), -1)
    if design != "adaptive":
        strategy = {"tail": Tail, "random": Random}[design]()
        chosen = strategy.query(scores, known, n_labels, random_state=rng)
        known[chosen] = labels[chosen]
        return known
    for size in np.diff(np.linspace(0, n_labels, N_ROUNDS + 1).round().astype(int)):
        probability = choose(scores, known)[0].probability(scores)
        chosen = Adaptive().query(
            scores, known, int(size), probability=probability, random_state=rng
        )
        known[chosen] = labels[chosen]
    return known


def mixture_of(background="norm", foreground="norm", n_draws=10, **options):
    """Return a mixture of two families, not fitted: of EM, unless given.

    Two draws are the fewest that come in pairs around the maximum, which is all that is used.
    """
    options = {"method": "em", "score_scale": "identity"} | options
    return SemisupervisedScoreMixture(
        background, foreground, classes=[0, 1], n_draws=n_draws, random_state=0, **options
    )


def fit(scores, known, *families, **options):
    """Return the fitted mixture of two families: the maximum of its likelihood, unless given."""
    return silently(mixture_of(*families, **options).fit, scores, known)


def choose(scores, known, foreground="norm", backgrounds=CANDIDATES):
    """Return the likeliest mixture of each candidate, and the KS distance of each.

    The first is the one whose distance is least. The distances are those of the maxima, as in the
    paper.
    """
    found = [inferred(fit(scores, known, name, foreground)) for name in backgrounds]
    distances = np.array([ks_distance(candidate, scores) for candidate in found])
    return found[int(np.argmin(distances))], distances


def ks_distance(candidate, scores):
    """Return the Kolmogorov-Smirnov distance of a mixture from the distribution of scores."""
    steps = np.arange(len(scores) + 1) / len(scores)
    below = 1.0 - candidate.share(np.sort(scores))
    return max((below - steps[:-1]).max(), (steps[1:] - below).max())


def silently(call, *arguments, **options):
    """Call, without the warnings that few labels may give."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in EXPECTED:
            warnings.simplefilter("ignore", category)
        return call(*arguments, **options)


def inferred(mixture):
    """Return the maximum of the likelihood, in place of the truth."""
    posterior = mixture.posterior_
    names = posterior.mixtures[0].negative.name, posterior.mixtures[0].positive.name
    values = {name: e.value for name, e in posterior.parameters().items()}
    by_side = [
        tuple(v for name, v in values.items() if name.startswith(side))
        for side in ("negative_", "positive_")
    ]
    return Truth(names[0], values["prevalence"], names[1], by_side[1], by_side[0])


def percentiles(values, name):
    """Return the percentiles that the paper plots."""
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], method="inverted_cdf")
    return {f"{name}_p5": low, f"{name}_p50": middle, f"{name}_p95": high}


def read_options(description, trials=PAPER_TRIALS, arguments=None):
    """Return the command line: --quick, --trials, --out and --pictures."""
    parser = argparse.ArgumentParser(description=description)
    if arguments is not None:
        arguments(parser)
    parser.add_argument(
        "--quick", action="store_true", help="a small part, to see that it runs; writes no tables"
    )
    if trials is not None:
        parser.add_argument(
            "--trials", type=int, default=trials, help="for each setting (default: %(default)s)"
        )
    parser.add_argument("--out", type=Path, help="where the tables go (default: beside the script)")
    parser.add_argument("--pictures", type=Path, help="where pictures go (default: none)")
    options = parser.parse_args()
    if options.quick and trials is not None:
        options.trials = min(options.trials, QUICK_TRIALS)
    if options.out is None and not options.quick:
        options.out = HERE
    return options
