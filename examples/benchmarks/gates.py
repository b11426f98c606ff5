"""Gates of builds: how often rules call equal versions different, and find a fall.

    python examples/benchmarks/gates.py [--draws 200] [--years 20]

Prints four tables: equal versions, all outcomes enumerated; falls of a pass rate of 0.8 on 50 and
200 cases with one and three runs; a year of nights without a change, and with one from night 30;
coverage of pass^k and pass@k in four worlds.
"""

import argparse

import numpy as np
from scipy import stats

from sklearn_spe import NightlyGate, compare_versions
from sklearn_spe.means._repeated_tasks import RepeatedTasks

LEVEL = 0.95


def mid_p(n_lost, n_won):
    """Return McNemar's mid-p value of a fall."""
    n_changed = n_lost + n_won
    if not n_changed:
        return 0.5
    tail = stats.binom.sf(n_lost - 1, n_changed, 0.5)
    return tail - 0.5 * stats.binom.pmf(n_lost, n_changed, 0.5)


def equal_versions():
    """Print the probability that equal versions are called different, of all outcomes."""
    print("equal versions called different at .95, the worst of six worlds (nominal .10)")
    print("cases   ours   half cases   mean moved by .05")
    for n_cases in (5, 10, 20, 50):
        n_lost, n_won = np.meshgrid(np.arange(n_cases + 1), np.arange(n_cases + 1), indexing="ij")
        possible = n_lost + n_won <= n_cases
        n_lost, n_won = n_lost[possible], n_won[possible]
        # One run of each case is the law Beta(lost + 1, won + 1) of compare_versions.
        called = {
            "ours": np.abs(stats.beta.sf(0.5, n_lost + 1, n_won + 1) - 0.5) >= LEVEL - 0.5,
            "half": np.abs(stats.beta.sf(0.5, n_lost + 0.5, n_won + 0.5) - 0.5) >= LEVEL - 0.5,
            "moved": np.abs(n_lost - n_won) > 0.05 * n_cases,
        }
        worst = dict.fromkeys(called, 0.0)
        for correlation in (0.0, 0.5):
            for rate in (0.5, 0.8, 0.95):
                changed = rate * (1.0 - rate) * (1.0 - correlation)
                outcomes = np.column_stack([n_lost, n_won, n_cases - n_lost - n_won])
                kinds = [changed, changed, 1.0 - 2.0 * changed]
                chances = stats.multinomial.pmf(outcomes, n_cases, kinds)
                for rule, is_called in called.items():
                    worst[rule] = max(worst[rule], float(chances @ is_called))
        print(f"{n_cases:5}  {worst['ours']:5.3f}  {worst['half']:10.3f}  {worst['moved']:16.3f}")


def falls(n_draws, rng):
    """Print how often a fall is called, and equality proved."""
    print("\nrate .8, two runs of a case differ in a quarter: red, by the mean, by McNemar; green")
    print("cases x runs  fall   red (s.e. .03)  mean fell by .05  McNemar  green(.05)")
    for n_cases in (50, 200):
        for n_runs in (1, 3):
            for fall in (0.0, 0.05, 0.1, 0.2):
                red = green = mean = mcnemar = 0
                for _ in range(n_draws):
                    # Two runs differ with probability 2 p (1 - p) (1 - c) = 1 / 4.
                    rates = rng.beta(0.8 * 3.57, 0.2 * 3.57, n_cases)[:, np.newaxis]
                    old = rng.random((n_cases, n_runs)) < rates
                    new = rng.random((n_cases, n_runs)) < rates * (1.0 - fall / 0.8)
                    answer = compare_versions(old, new)
                    red += answer.probability_worse >= LEVEL
                    green += compare_versions(old, new, margin=0.05).probability_not_worse >= LEVEL
                    mean += new.mean() < old.mean() - 0.05
                    before, after = (2 * runs.sum(axis=1) > n_runs for runs in (old, new))
                    n_lost, n_won = (before & ~after).sum(), (~before & after).sum()
                    mcnemar += mid_p(n_lost, n_won) <= 1.0 - LEVEL
                shares = np.array([red, mean, mcnemar, green]) / n_draws
                print(f"{n_cases:5} x {n_runs}    {fall:5.2f}", *(f"{s:12.2f}" for s in shares))


def years(n_years, rng):
    """Print the false alarms of a year of nights, and nights until a fall is found."""
    print("\na year of nights: with a false alarm by ours, by McNemar each night; half found after")
    for n_cases, n_runs in ((50, 1), (200, 1), (50, 3)):
        n_false = n_mcnemar = 0
        found = []
        for year in range(n_years):
            rates = rng.beta(0.8, 0.2, n_cases)[:, np.newaxis]
            gate = NightlyGate(random_state=year)
            pinned = rng.random((n_cases, n_runs)) < rates
            gate.update(pinned)
            alarms = wrong = 0
            for _ in range(364):
                night = rng.random((n_cases, n_runs)) < rates
                alarms += gate.update(night).is_alarm
                before, after = (2 * runs.sum(axis=1) > n_runs for runs in (pinned, night))
                wrong += mid_p((before & ~after).sum(), (~before & after).sum()) <= 1.0 - LEVEL
            n_false += alarms > 0
            n_mcnemar += wrong > 0
            gate = NightlyGate(random_state=year)
            for night in range(60):
                scale = 1.0 if night < 30 else 1.0 - 0.1 / 0.8
                if gate.update(rng.random((n_cases, n_runs)) < scale * rates).is_alarm:
                    found.append(night - 29)
                    break
            else:
                found.append(99)
        print(
            f"{n_cases} x {n_runs}: false {n_false / n_years:.2f}, "
            f"McNemar {n_mcnemar / n_years:.2f}; a fall of .1 found after {np.median(found):.0f} "
            "nights"
        )


WORLDS = {
    "bimodal": lambda u, rng: np.where(u < 0.55, 0.97, np.where(u < 0.8, 0.08, rng.random(len(u)))),
    "even": lambda u, rng: rng.beta(2.0, 1.2, len(u)),
    "easy": lambda u, rng: rng.beta(12.0, 0.6, len(u)),
    "hard": lambda u, rng: np.where(u < 0.6, 0.0, rng.beta(0.8, 1.5, len(u))),
}


def repeated_tasks(n_draws, rng):
    """Print how often intervals of pass^k and pass@k cover, of all worlds and in the worst."""
    print("\ntasks x runs  metric: covered (worst world), plug-in's bias")
    for n_tasks in (10, 50):
        for n_runs, metric in (
            (3, "pass^3"),
            (3, "pass@3"),
            (5, "pass^3"),
            (10, "pass@3"),
            (3, "pass^8"),
        ):
            k, is_any = int(metric[-1]), "@" in metric
            covered, bias = [], []
            for world in WORLDS.values():
                many = world(rng.random(200_000), rng)
                truth = np.mean(1.0 - (1.0 - many) ** k if is_any else many**k)
                hits = 0
                for draw in range(n_draws):
                    n_passed = rng.binomial(n_runs, world(rng.random(n_tasks), rng))
                    runs = RepeatedTasks(n_passed, np.full(n_tasks, n_runs), draw)
                    low, high = runs.estimate(metric).interval()
                    hits += low - 1e-9 <= truth <= high + 1e-9
                    share = n_passed / n_runs
                    plugged = 1.0 - (1.0 - share) ** k if is_any else share**k
                    bias.append(plugged.mean() - truth)
                covered.append(hits / n_draws)
            print(
                f"{n_tasks:5} x {n_runs:<2}  {metric}: {np.mean(covered):.2f} "
                f"({min(covered):.2f}), {np.mean(bias):+.2f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--years", type=int, default=20)
    options = parser.parse_args()
    generator = np.random.default_rng(0)
    equal_versions()
    falls(options.draws, generator)
    repeated_tasks(max(options.draws // 5, 1), generator)
    years(options.years, generator)
