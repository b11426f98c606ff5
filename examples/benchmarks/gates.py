"""Gates of builds: how often rules call equal versions different, and find a fall.

    python examples/benchmarks/gates.py [--draws 200] [--years 20] [--folder FOLDER]

Prints four tables, and writes them to a folder: equal versions called different at .95, all
outcomes enumerated, the worst of six worlds (nominal .10); falls of a pass rate of 0.8 on 50 and
200 cases with one and three runs, of which two differ in a quarter; years of nights without a
change, and with one from night 30; coverage of pass^k and pass@k in four worlds.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy import stats

from sklearn_spe import NightlyGate, compare_versions
from sklearn_spe.means._repeated_tasks import RepeatedTasks

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import show_rows

LEVEL = 0.95


def mid_p(n_lost, n_won):
    """Return McNemar's mid-p value of a fall."""
    n_changed = n_lost + n_won
    if not n_changed:
        return 0.5
    tail = stats.binom.sf(n_lost - 1, n_changed, 0.5)
    return tail - 0.5 * stats.binom.pmf(n_lost, n_changed, 0.5)


def equal_versions():
    """Return the probability that equal versions are called different, of all outcomes."""
    rows = []
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
        rows.append(
            {
                "cases": str(n_cases),
                "compare_versions": f"{worst['ours']:.3f}",
                "half made-up cases": f"{worst['half']:.3f}",
                "mean moved by 0.05": f"{worst['moved']:.3f}",
            }
        )
    return rows


def falls(n_draws, rng):
    """Return how often a fall is called, and equality proved."""
    rows = []
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
                counts = {
                    "compare_versions": red,
                    "McNemar's mid-p of majorities": mcnemar,
                    "mean fell by 0.05": mean,
                    "proved": green,
                }
                shares = {name: f"{count / n_draws:.2f}" for name, count in counts.items()}
                about = {"cases x runs": f"{n_cases} x {n_runs}", "fall": f"{fall:.2f}"}
                rows.append(about | shares)
    return rows


def years(n_years, rng):
    """Return the false alarms of a year of nights, and nights until a fall is found."""
    rows = []
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
        rows.append(
            {
                "cases x runs": f"{n_cases} x {n_runs}",
                "NightlyGate": f"{n_false / n_years:.2f}",
                "McNemar each night": f"{n_mcnemar / n_years:.2f}",
                "found after": f"{np.median(found):.0f}",
            }
        )
    return rows


WORLDS = {
    "bimodal": lambda u, rng: np.where(u < 0.55, 0.97, np.where(u < 0.8, 0.08, rng.random(len(u)))),
    "even": lambda u, rng: rng.beta(2.0, 1.2, len(u)),
    "easy": lambda u, rng: rng.beta(12.0, 0.6, len(u)),
    "hard": lambda u, rng: np.where(u < 0.6, 0.0, rng.beta(0.8, 1.5, len(u))),
}


def repeated_tasks(n_draws, rng):
    """Return how often intervals of pass^k and pass@k cover, of all worlds and in the worst."""
    rows = []
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
            rows.append(
                {
                    "tasks x runs": f"{n_tasks} x {n_runs}",
                    "metric": metric,
                    "covered": f"{np.mean(covered):.2f}",
                    "worst": f"{min(covered):.2f}",
                    "bias of the plug-in": f"{np.mean(bias):+.2f}",
                }
            )
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--years", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="where the tables are written")
    options = parser.parse_args()
    generator = np.random.default_rng(0)
    tables = {
        "equal": equal_versions(),
        "falls": falls(options.draws, generator),
        "repeated": repeated_tasks(max(options.draws // 5, 1), generator),
        "nights": years(options.years, generator),
    }
    for name, rows in tables.items():
        path = None if options.folder is None else options.folder / f"gates_{name}.csv"
        show_rows(rows, path)
