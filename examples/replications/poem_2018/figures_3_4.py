"""Figures 3 and 4 of the 2018 paper: the background found, and the estimates.

The background is normal or lognormal, the foreground normal. Mixtures with a normal, a lognormal
and a gamma background are fitted; the one next to the distribution of all scores by the
Kolmogorov-Smirnov distance is chosen (figure 3) and says recall and dP/dR at a threshold
(figure 4). The truth is that of the population. Three axes: the balance, the threshold (given by
its true recall) and the labelling rate; the other two have the paper's default values. The adaptive
design asks in four rounds, the first without any label, and fits before each. What is plotted in
the paper is -dP/dR, here ``fall``.

Writes figure_3.csv, and figure_4_balance.csv, figure_4_threshold.csv, figure_4_rate.csv and
figure_4_width.csv (ranges side by side). The paper has 1,000 trials for each setting. The tables
have 1,000 of tail and random labels in the default setting with a normal background, 60 of the
adaptive design and with a lognormal background, and 25 elsewhere (``--trials 25 --default-trials
60 --normal-trials 1000``): random and tail labels take two seconds a trial on one core, with the
adaptive design eight. Trials are kept, and ``--minutes 90`` adds those of a night; tables have as
many as there are.
"""

import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from simulations import (
    CANDIDATES,
    DEFAULT_BALANCE,
    DEFAULT_RATE,
    DEFAULT_RECALL,
    DESIGNS,
    HERE,
    N_ITEMS,
    PAPER_TRIALS,
    STEPS,
    TRUE_BACKGROUNDS,
    Truth,
    choose,
    label_by,
    percentiles,
    read_options,
    write_picture,
    write_table,
)

sys.path.append(str(HERE.parents[1] / "benchmarks" / "harness"))
from resuming import Task, run

BALANCES = (STEPS[0], STEPS[3], STEPS[6], STEPS[10])
RECALLS = (0.05, 0.1, DEFAULT_RECALL, 0.5, 0.75, 0.9)
RATES = (1.0 / 2.0, 1.0 / 8.0)


def estimates_of(background, balance, rate, trial, designs):
    """Return what the designs estimate in one trial, a row each."""
    truth, rows = Truth(background, balance), []
    for design in designs:
        # The same scores for every design.
        rng = np.random.default_rng([4, trial])
        scores, labels = truth.draw(rng)
        known = label_by(design, scores, labels, round(rate * N_ITEMS), rng)
        estimate, distances = choose(scores, known)
        row = {"method": design, "positives": int((known == 1).sum())}
        for recall in RECALLS:
            threshold = truth.threshold(recall)
            row[f"recall at {recall}"] = estimate.recall(threshold)
            row[f"fall at {recall}"] = -estimate.slope(threshold)
        row |= {f"ks of {name}": d for name, d in zip(CANDIDATES, distances, strict=True)}
        rows.append(row)
    return rows


def tasks_of(settings):
    """Return a task for each trial of any design, those that all settings have first."""
    n_most = max(max(n_trials.values()) for n_trials in settings.values())
    return [
        Task(
            {"background": background, "balance": f"{balance:.6g}", "rate": rate, "trial": trial},
            (background, balance, rate, trial),
            tuple(design for design in DESIGNS if trial < n_trials[design]),
        )
        for trial in range(n_most)
        for (background, balance, rate), n_trials in settings.items()
        if trial < max(n_trials.values())
    ]


def found_in(rows, truth, rate, recalls):
    """Return for each design estimated recalls and -dP/dR, each (n_trials, n_recalls).

    And the number of labelled positives, (n_trials,), and the KS distance of each candidate,
    (n_trials, 3).
    """
    about = {"background": truth.background, "balance": f"{truth.balance:.6g}", "rate": str(rate)}
    found = {}
    for design in DESIGNS:
        wanted = about | {"method": design}
        trials = [row for row in rows if wanted.items() <= row.items()]
        columns = (
            [f"recall at {recall}" for recall in recalls],
            [f"fall at {recall}" for recall in recalls],
            ["positives"],
            [f"ks of {name}" for name in CANDIDATES],
        )
        values = [
            np.array([[float(row[name]) for name in names] for row in trials]) for names in columns
        ]
        values[2] = values[2][:, 0]
        found[design] = tuple(values)
    return found


def rows_of(truth, rate, recalls, found, axis):
    """Return a row for each recall and design."""
    rows = []
    for k, recall in enumerate(recalls):
        threshold = truth.threshold(recall)
        for design, (estimated, falls, n_positive, _) in found.items():
            recall_errors, own = estimated[:, k] - recall, falls[:, k]
            row = {"background": truth.background, axis[0]: axis[1] if axis[1] else recall}
            row |= (
                {"design": design, "recall": recall} if axis[0] != "recall" else {"design": design}
            )
            row |= percentiles(estimated[:, k], "recall")
            row["recall_rmse"] = np.sqrt(np.mean(recall_errors**2))
            row["fall"] = -truth.slope(threshold)
            row |= percentiles(own, "fall")
            row["not_falling"] = np.mean(~(own > 0.0))
            row["labelled_positives"] = n_positive.mean()
            row["none_labelled"] = np.mean(n_positive == 0)
            rows.append(row | {"trials": len(own)})
    return rows


def width_rows(tables):
    """Return how wide the ranges are, design by design, at every setting of every axis."""
    rows = []
    for axis, table in tables.items():
        settings = dict.fromkeys((row["background"], row[axis]) for row in table)
        for background, value in settings:
            own = [r for r in table if r["background"] == background and r[axis] == value]
            row = {"axis": axis, "background": background, "value": value}
            for name in ("recall", "fall"):
                for r in own:
                    row[f"{name}_{r['design']}"] = r[f"{name}_p95"] - r[f"{name}_p5"]
            rows.append(row)
    return rows


def choice_rows(truth, found):
    """Return figure 3: how often each candidate is chosen, and its mean KS distance."""
    rows = []
    for design, (*_, distances) in found.items():
        chosen = distances.argmin(axis=1)
        row = {"background": truth.background, "balance": truth.balance, "design": design}
        row["correct"] = np.mean(chosen == CANDIDATES.index(truth.background))
        for k, name in enumerate(CANDIDATES):
            row[f"chose_{name}"] = np.mean(chosen == k)
        for k, name in enumerate(CANDIDATES):
            row[f"ks_{name}"] = distances[:, k].mean()
            row[f"ks_{name}_se"] = distances[:, k].std(ddof=1) / np.sqrt(len(distances))
        rows.append(row | {"trials": len(distances)})
    return rows


def draw_choices(rows):
    """Draw figure 3."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(TRUE_BACKGROUNDS), figsize=(11, 7), sharex=True)
    for column, background in enumerate(TRUE_BACKGROUNDS):
        for design, style in (("tail", "-"), ("random", "--")):
            own = [r for r in rows if r["background"] == background and r["design"] == design]
            x = [row["balance"] for row in own]
            correct = [row["correct"] for row in own]
            axes[0, column].semilogx(x, correct, style, color="k", label=design)
            for k, name in enumerate(CANDIDATES):
                y = [row[f"ks_{name}"] for row in own]
                axes[1, column].loglog(x, y, style, color=f"C{k}", label=f"{name}, {design}")
        axes[0, column].set(title=f"background {background}", ylabel="share of right choices")
        axes[1, column].set(xlabel="balance", ylabel="mean KS distance")
    for ax in axes[:, 0]:
        ax.legend()
    return figure


def draw(tables):
    """Draw the figure: a row for each background and quantity, a column for each axis."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, len(tables), figsize=(4.5 * len(tables), 13))
    for column, (axis, table) in enumerate(tables.items()):
        for i, background in enumerate(TRUE_BACKGROUNDS):
            for j, name in enumerate(("recall", "fall")):
                ax = axes[2 * i + j, column]
                for k, design in enumerate(DESIGNS):
                    own = [
                        r for r in table if r["background"] == background and r["design"] == design
                    ]
                    own.sort(key=lambda row: row[axis])
                    x = [row[axis] for row in own]
                    for end, style in (("p5", ":"), ("p50", "-"), ("p95", "--")):
                        y = [row[f"{name}_{end}"] for row in own]
                        ax.plot(x, y, style, color=f"C{k}", label=design if end == "p50" else None)
                ax.plot(x, x if axis == name else [row[name] for row in own], "k", linewidth=1)
                ax.set(xlabel=axis, ylabel=f"{background}: {name}", xscale="log")
                if name == "fall":
                    ax.set(yscale="log", ylim=(1e-3, 1e2))
    axes[0, 0].legend()
    return figure


def read_settings():
    """Return the command line."""

    def arguments(parser):
        add = parser.add_argument
        text = "in the default setting (default: %(default)s)"
        add("--default-trials", type=int, default=PAPER_TRIALS, help=text)
        text = "there, of tail and random labels and a normal background (default: %(default)s)"
        add("--normal-trials", type=int, default=PAPER_TRIALS, help=text)
        add("--minutes", type=float, default=np.inf, help="when to begin no more (default: never)")
        text = "where trials are kept, to go on with (default: %(default)s)"
        add("--runs", type=Path, default=HERE / "runs", help=text)

    options = read_options(__doc__, arguments=arguments)
    options.path = None if options.quick else options.runs / "figures_3_4.csv"
    if options.quick:
        options.default_trials = options.normal_trials = options.trials
    else:
        options.runs.mkdir(parents=True, exist_ok=True)
    return options


def main():
    """Write the tables of both figures, once every setting has its trials."""
    options = read_settings()
    balances = BALANCES[:: 3 if options.quick else 1]
    rates = RATES[:: 2 if options.quick else 1]
    few = dict.fromkeys(DESIGNS, options.trials)
    settings = {}
    for background in TRUE_BACKGROUNDS:
        settings[background, DEFAULT_BALANCE, DEFAULT_RATE] = dict.fromkeys(
            DESIGNS, options.default_trials
        )
        for balance in balances:
            settings[background, balance, DEFAULT_RATE] = few
        for rate in rates:
            settings[background, DEFAULT_BALANCE, rate] = few
    settings["norm", DEFAULT_BALANCE, DEFAULT_RATE] |= {
        "tail": options.normal_trials,
        "random": options.normal_trials,
    }
    tasks = tasks_of(settings)
    kept_in = SimpleNamespace(out=options.path, resume=True, jobs=1)
    rows = run(tasks, estimates_of, kept_in, options.minutes)

    # Of the default setting, as many as there are.
    n_done = Counter(
        (row["background"], row["balance"], row["rate"], row["method"]) for row in rows
    )
    n_least = min(options.trials, options.default_trials, options.normal_trials)
    if len(n_done) < len(settings) * len(DESIGNS) or min(n_done.values()) < n_least:
        n_all = sum(len(task.methods) for task in tasks)
        print(f"{len(rows)} of {n_all} trials: no table yet, go on with them")
        return

    tables = {"balance": [], "recall": [], "rate": []}
    choices = []
    one = (DEFAULT_RECALL,)
    for background in TRUE_BACKGROUNDS:
        default = Truth(background)
        found = found_in(rows, default, DEFAULT_RATE, RECALLS)
        alone = found_in(rows, default, DEFAULT_RATE, one)
        choices += choice_rows(default, found)
        tables["recall"] += rows_of(default, DEFAULT_RATE, RECALLS, found, ("recall", None))
        for balance in balances:
            truth = Truth(background, balance)
            other = found_in(rows, truth, DEFAULT_RATE, one)
            choices += choice_rows(truth, other)
            tables["balance"] += rows_of(truth, DEFAULT_RATE, one, other, ("balance", balance))
        axis = ("balance", DEFAULT_BALANCE)
        tables["balance"] += rows_of(default, DEFAULT_RATE, one, alone, axis)
        for rate in rates:
            other = found_in(rows, default, rate, one)
            tables["rate"] += rows_of(default, rate, one, other, ("rate", rate))
        tables["rate"] += rows_of(default, DEFAULT_RATE, one, alone, ("rate", DEFAULT_RATE))
    choices.sort(key=lambda row: (row["background"] != "norm", -row["balance"]))
    write_table(choices, "figure_3", options)
    for axis, name in (("balance", "balance"), ("recall", "threshold"), ("rate", "rate")):
        tables[axis].sort(key=lambda row: (row["background"] != "norm", -row[axis]))
        write_table(tables[axis], f"figure_4_{name}", options)
    write_table(width_rows(tables), "figure_4_width", options)
    if options.pictures:
        write_picture(draw_choices(choices), "figure_3", options)
        write_picture(draw(tables), "figure_4", options)


if __name__ == "__main__":
    main()
