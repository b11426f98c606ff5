"""Figures 5 and 6 of the 2018 paper, and that of its supplement, on simulated tags.

Precision@48 of each tag. The data of the paper could not be had; tags are drawn that are like them:
"NUS-WIDE" has its 81 tags and the noise that the paper quotes, "Micro-videos" its 75 tags, and
noise of both kinds that differs between tags, by numbers that are this package's choice. Each run
draws its own tags.

Figure 5 is the error of each tag, averaged over tags; the supplement has signed values. Figure 6
takes a step apart: what the new labels do if the model stays as it was, and what the model learns.

Writes figure_5.csv, figure_5_signed.csv, figure_6.csv and figure_6_stable.csv. The paper has 50
runs, and so have the tables of its estimators: a run of both sets takes 40 seconds on one core.
With the package's joint model it takes five minutes more, and the tables have 8. The column
``runs`` says how many. ``--minutes 90`` adds runs to those that are kept, night by night.
"""

import copy
from functools import partial
from itertools import pairwise

from labelling_runs import (
    by_verified,
    grouped,
    labellings,
    mean,
    plot_by_verified,
    read_options,
    write_picture,
    write_table,
)
from tagging import LINES, OF_JOINT, OF_PAPER, TagPool, label

from sklearn_spe.datasets import make_noisy_tags

K = 48
SETS = {
    "NUS-WIDE": {"n_tags": 81},
    "Micro-videos": {"n_tags": 75, "recall": 0.3, "false_rate": 0.05, "noise_spread": 1.0},
}
QUICK = {"n_images": 200, "n_tags": 3}
REPEATS, JOINT_REPEATS = 50, 8
SHARES = (0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = (5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 70.0, 90.0)
# The strategies and estimators whose errors figure 6 takes apart.
TAKEN_APART = (
    ("random", "counts"),
    ("MEEC by counts", "counts"),
    ("random by joint", "joint"),
    ("MEEC by joint", "joint"),
)


def label_tags(name, repeat, methods, **size):
    """Return the rows of one run."""
    data = make_noisy_tags(**{**SETS[name], **size}, random_state=repeat)
    pool = TagPool.top(K, data.scores, data.labels, data.noisy_labels, data.category)
    return label(pool, SHARES, repeat, methods)


def steps(rows):
    """Return figure 6: the error before a step, with its labels alone, and after it."""
    table = []
    for (labels, estimator), own in grouped(rows, "labels", "estimator").items():
        if (labels, estimator) not in TAKEN_APART:
            continue
        looks = list(grouped(own, "verified").items())
        for ((before,), old), ((after,), new) in pairwise(looks):
            errors = mean(old, "error"), mean(new, "labels_only"), mean(new, "error")
            table.append(
                {
                    "labels": labels,
                    "estimator": estimator,
                    "from": f"{before:g}%",
                    "to": f"{after:g}%",
                    "error before": errors[0],
                    "with labels": errors[1],
                    "and refit": errors[2],
                    "labels bought": errors[0] - errors[1],
                    "model bought": errors[1] - errors[2],
                    "moved": mean(new, "moved"),
                }
            )
    return table


def halves(table):
    """Return the gains by labels and model up to 40% and from there on, per point."""
    rows = []
    for (labels, estimator), own in grouped(table, "labels", "estimator").items():
        row = {"labels": labels, "estimator": estimator}
        for name, low, high in (("to 10%", 0, 10), ("to 40%", 10, 40), ("past 40%", 40, 100)):
            part = [r for r in own if low < _percent(r["to"]) <= high]
            points = sum(_percent(r["to"]) - _percent(r["from"]) for r in part)
            for what in ("labels bought", "model bought"):
                total = sum(r[what] for r in part)
                row[f"{what} {name}"] = 10.0 * total / points
            row[f"moved {name}"] = 10.0 * sum(r["moved"] for r in part) / points
        rows.append(row)
    return rows


def _percent(text):
    return float(text.rstrip("%"))


def draw(rows, table):
    """Draw figure 5, a panel for each set, and figure 6."""
    import matplotlib.pyplot as plt

    names = list(grouped(rows, "set"))
    size = {"figsize": (6.5 * len(names), 9), "layout": "constrained"}
    figure, axes = plt.subplots(2, len(names), squeeze=False, **size)
    for column, (name,) in enumerate(names):
        own = [row for row in rows if row["set"] == name]
        for ax, what in zip(axes[:, column], ("error", "signed"), strict=True):
            plot_by_verified(ax, own, what, LINES)
            ax.set(title=name, ylabel=f"{what} of Precision@{K}")
    axes[0, 0].legend(fontsize="small")
    parts, axes = plt.subplots(1, len(TAKEN_APART), figsize=(4 * len(TAKEN_APART), 4), sharey=True)
    for ax, pair in zip(axes, TAKEN_APART, strict=True):
        for row in (r for r in table if (r["labels"], r["estimator"]) == pair):
            x = [_percent(row["from"]), _percent(row["to"])]
            ax.plot(x, [row["error before"], row["with labels"]], "C0.-")
            ax.plot(x[1:] * 2, [row["with labels"], row["and refit"]], "C3-", linewidth=3)
        ax.set(title=f"{pair[0]}, {pair[1]}", xlabel="% verified")
    axes[0].set(ylabel="error; blue: labels, red: model")
    return figure, parts


def main():
    """Write the tables of figures 5 and 6."""
    options = read_options(__doc__, REPEATS, joint_repeats=JOINT_REPEATS)
    sets = list(SETS)[:1] if options.quick else list(SETS)
    work = partial(label_tags, **QUICK) if options.quick else label_tags
    rows = labellings("figures_5_6", sets, work, OF_PAPER, options)
    few = copy.copy(options)
    few.repeats = min(options.repeats, options.joint_repeats)
    rows += labellings("figures_5_6", sets, work, OF_JOINT, few)
    write_table(by_verified(rows, "error", SHOWN), "figure_5", options)
    write_table(by_verified(rows, "signed", SHOWN), "figure_5_signed", options)
    table = steps([row for row in rows if row["set"] == "NUS-WIDE"])
    write_table(table, "figure_6", options, form=".4f")
    write_table(halves(table), "figure_6_stable", options, form=".4f")
    if options.pictures:
        figure, parts = draw(rows, table)
        write_picture(figure, "figure_5", options)
        write_picture(parts, "figure_6", options)


if __name__ == "__main__":
    main()
