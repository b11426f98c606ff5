"""Cheap cells of the replication of active testing: its tables, and the labellings it keeps."""

from itertools import islice
from types import SimpleNamespace

from tests.examples.tables import REPLICATIONS, Form, script

FOLDER = REPLICATIONS / "active_testing_2018"
OPTIONS = SimpleNamespace(runs=FOLDER / "runs")
NOT_HERE = "the tweets and the labels of CIFAR-10 are not part of the repository"
SKIPPED = {"runs/figure_5_real_ap": NOT_HERE, "runs/figure_5_real_precision": NOT_HERE}
# Six digits of a sum over objects, and not of a drawn number.
FORMS = {"runs/figures_7_8": Form(chance=2e-6), "runs/figures_5_6": Form(chance=2e-6)}


def kept(name):
    """Return the rows of the labellings that are kept."""
    return script(FOLDER, "labelling_runs").kept(name, OPTIONS)


def averaged(rows, column, shown, *keys):
    """Return means and deviations of what is kept, and the columns that a row is known by."""
    return script(FOLDER, "labelling_runs").by_verified(rows, column, shown, keys), keys


def of_tags(column):
    """Return a table of figure 5."""
    shown = script(FOLDER, "figures_5_6").SHOWN
    return averaged(kept("figures_5_6"), column, shown, "set", "labels", "estimator")


def figure_5():
    """All of it, from what is kept."""
    return of_tags("error")


def figure_5_signed():
    """All of it, from what is kept."""
    return of_tags("signed")


def steps():
    """Return figure 6."""
    rows = [row for row in kept("figures_5_6") if row["set"] == "NUS-WIDE"]
    return script(FOLDER, "figures_5_6").steps(rows)


def figure_6():
    """All of it, from what is kept."""
    return steps(), ("labels", "estimator", "from", "to")


def figure_6_stable():
    """All of it, from what is kept."""
    return script(FOLDER, "figures_5_6").halves(steps()), ("labels", "estimator")


def of_real(what):
    """Return a table of figure 5 on real sets."""
    shares = script(FOLDER, "figure_5_real").SHARES[what]
    shown = [round(100.0 * share, 1) for share in shares]
    rows = kept(f"figure_5_real_{what}")
    return averaged(rows, "error", shown, "set", "labels", "estimator")


def figure_5_real_ap():
    """All of it, from what is kept."""
    return of_real("ap")


def figure_5_real_precision():
    """All of it, from what is kept."""
    return of_real("precision")


def of_masks():
    """Return the kept labellings of masks with their errors, and the percentages that are shown."""
    figure = script(FOLDER, "figures_7_8")
    return figure.enriched(kept("figures_7_8")), figure


def figure_7():
    """All of it, from what is kept."""
    rows, figure = of_masks()
    return averaged(rows, "error", figure.SHOWN, "labels", "estimator")


def figure_7_classes():
    """All of it, from what is kept."""
    rows, figure = of_masks()
    known = [row for row in rows if row["class_error"] == row["class_error"]]
    return averaged(known, "class_error", figure.SHOWN, "labels", "estimator")


def figure_8():
    """All of it, from what is kept."""
    rows, figure = of_masks()
    return figure.ranking_table(rows), ("labels", "estimator")


def figure_4():
    """All of it: ten results, and rates that are counted."""
    figure = script(FOLDER, "figure_4")
    return [
        {"estimator": name, "paper": f"{figure.PAPER[name]:.0%}", "here": f"{value:.0%}"}
        for name, value in figure.answers().items()
    ], ("estimator",)


def equation_12():
    """All of it: enumerated."""
    return script(FOLDER, "equation_12").table(), ("rank",)


def claims():
    """All of it, from what is kept."""
    return script(FOLDER, "claims").checked(OPTIONS), ("claim",)


def kept_figures_5_6():
    """The naive estimate of most confident mistakes: no model, and so no sampler."""
    figure = script(FOLDER, "figures_5_6")
    name = "NUS-WIDE"
    data = figure.make_noisy_tags(**figure.SETS[name], random_state=0)
    pool = figure.TagPool.top(figure.K, data.scores, data.labels, data.noisy_labels, data.category)
    label = script(FOLDER, "labelling_runs").silently(figure.label)
    rows = label(pool, figure.SHARES[:2], 0, ["MCM by naive"])
    return [{"set": name, "repeat": 0, **row} for row in rows], (
        *("set", "repeat", "method", "verified"),
        "estimator",
    )


def kept_figures_7_8():
    """The smallest number of images, all of whose objects have masks: no model either."""
    figure = script(FOLDER, "figures_7_8")
    benchmark = figure.Benchmark(
        figure.make_segmentation_matches(n_systems=figure.N_SYSTEMS, random_state=0)
    )
    looks = figure.looks_of(figure.SHARES[:1], len(benchmark.matches.items))
    # The first row of a look: what the images say by themselves.
    rows = islice(figure.of_images(benchmark, None, looks, 0), 1)
    place = {"set": "masks", "repeat": 0, "method": "random images"}
    return [place | row for row in rows], (*place, "verified", "estimator")
