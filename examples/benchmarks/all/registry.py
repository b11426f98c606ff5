"""Every table that a page or the README shows: the commands that make it, their draws and minutes.

A command is what follows ``python examples/``. In it ``{work}`` is the folder where the task keeps
what it has done and writes its tables, ``{draws}`` the number of draws, ``{data}`` a folder of
score sets (pools, noisy labels and ``systems`` are looked for in it too). A new table of a page is
a new entry here, and no more: pages are found by the names of the tables that they show.
"""

import string
from dataclasses import dataclass

BENCHMARKS, MEASURED, PAPERS = "examples/benchmarks", "doc/measured", "examples/replications"
TAGS = "replications/active_testing_2018"
FITS = "--out {work}/fits.csv --resume"
SYSTEMS = "{data}/systems"
# One set of each of eight data sets.
EIGHT_SETS = (
    "'cifar10_nn_cat|cover_logres_large|fair_hgb|letter_rf_Q|mammography_hgb|spambase_rf50"
    "|tweets_svm|wine_shift_rf200'"
)


@dataclass(frozen=True)
class Task:
    """Tables that are made together.

    Attributes
    ----------
    name : str
    commands : tuple of str
        Run one after another.
    tables : tuple of str
        The files that are written, by their places in the checkout.
    draws : int
        The number of draws of ``--full``.
    minutes : float
        The minutes of ``--full`` on one core, as measured of a part.
    quick_draws : int or None
        Those of ``--quick``; None if it leaves the task out.
    units : int
        The number of independent answers of a draw in a cell of a table.
    are_shares : bool
        Whether all numbers are shares of draws.
    is_resumable : bool
        Whether what an interrupted run has done is kept, and gone on with.
    """

    name: str
    commands: tuple[str, ...]
    tables: tuple[str, ...]
    draws: int
    minutes: float
    quick_draws: int | None = None
    units: int = 1
    is_resumable: bool = False
    are_shares: bool = False

    @property
    def needs_data(self):
        """Whether a command reads a folder of data."""
        return any(field == "data" for text in self.commands for field in fields_of(text))


def fields_of(text):
    """Return the names of the places in a command."""
    return [field for _, field, _, _ in string.Formatter().parse(text) if field is not None]


def script(name, draws, minutes, quick_draws=None, arguments="", units=1):
    """Return the task of a script whose one table lies beside it."""
    command = f"benchmarks/{name}.py {arguments} --draws {{draws}} --csv {{work}}/{name}.csv"
    tables = (f"{BENCHMARKS}/{name}.csv",)
    return Task(name, (command,), tables, draws, minutes, quick_draws, units)


def on_sets(name, draws, minutes, table, arguments="", quick_draws=None, folder="{data}", units=20):
    """Return the task of a benchmark over a folder of score sets."""
    command = f"benchmarks/{name} {folder} --repeats {{draws}} {FITS} --table {{work}}/{table}.rst"
    commands = (f"{command} {arguments}",)
    tables = (f"{MEASURED}/{table}.rst",)
    return Task(name, commands, tables, draws, minutes, quick_draws, units, is_resumable=True)


def labels_again(name, draws, minutes, quick_draws=None, arguments="", units=5):
    """Return the task of a mode of a benchmark that labels again and again."""
    folder, _, mode = name.partition("/")
    command = f"benchmarks/{folder} {mode} {arguments} --repeats {{draws}} {FITS}"
    commands = (f"{command} --csv {{work}}/{mode}.csv",)
    tables = (f"{BENCHMARKS}/{name}.csv",)
    return Task(name, commands, tables, draws, minutes, quick_draws, units, True)


def paper(name, tables, minutes, trials=1, arguments=""):
    """Return the task of a script of a replication; `trials` are draws of a cell of its tables."""
    folder, _, stem = name.partition("/")
    command = f"replications/{folder}/{stem}.py {arguments} --out {{work}}"
    files = tuple(f"{PAPERS}/{folder}/{table}.csv" for table in tables.split())
    return Task(name, (command,), files, trials, minutes)


TASKS = (
    script("predicted_classes", 40, 3, quick_draws=2),
    script("judge_errors", 40, 4, quick_draws=2, units=4),
    script("equal_groups", 24, 5, quick_draws=2),
    script("several_heaps", 6, 1, quick_draws=2),
    script("coverage", 200, 9, quick_draws=3),
    script("confused_pair", 40, 11, quick_draws=1),
    script("several_systems", 12, 20, arguments="{data}/systems"),
    Task(
        "gates",
        ("benchmarks/gates.py --draws {draws} --folder {work}",),
        tuple(
            f"{BENCHMARKS}/gates_{part}.csv" for part in ("equal", "falls", "nights", "repeated")
        ),
        draws=200,
        minutes=5,
        quick_draws=10,
        are_shares=True,
    ),
    Task(
        "reading_studies",
        ("benchmarks/reading_studies.py --repeats {draws} --csv {work}/reading_studies.csv",),
        (f"{BENCHMARKS}/reading_studies.csv",),
        draws=60,
        minutes=13,
        quick_draws=1,
    ),
    Task(
        "expected_widths",
        (
            "benchmarks/expected_widths.py {data} --repeats {draws}"
            " --csv {work}/expected_widths.csv",
        ),
        (f"{BENCHMARKS}/expected_widths.csv",),
        draws=2,
        minutes=15,
        units=13,
    ),
    Task(
        "peers",
        ("benchmarks/peers --draws {draws} --csv {work}/peers.csv",),
        (f"{BENCHMARKS}/peers.csv",),
        draws=2,
        minutes=8,
        units=32,
    ),
    labels_again("judges/answers", 20, 4, quick_draws=1),
    labels_again(
        "judges/agreement",
        30,
        8,
        quick_draws=1,
        units=1,
        arguments="--methods sklearn_spe,classical",
    ),
    labels_again("judges/by_class", 100, 4, quick_draws=2, units=1),
    labels_again("judges/means", 40, 5, quick_draws=1, units=14),
    labels_again("judges/rates", 2, 4, arguments="{data}", units=30),
    labels_again(
        "several/systems", 10, 6, arguments=f"{SYSTEMS} --methods several,labels", units=10
    ),
    labels_again(
        "several/subgroups",
        6,
        6,
        arguments=f"{SYSTEMS} --methods category,empirical_bayes",
        units=17,
    ),
    labels_again("several/clusters", 8, 7, arguments=SYSTEMS, units=32),
    labels_again("several/classes", 10, 4, arguments="{data}", units=5),
    labels_again(
        "extrapolation/varied",
        8,
        9,
        arguments="--methods blend,scores,classexreg,kde,probit,moment,paper,oracle",
        units=112,
    ),
    labels_again(
        "extrapolation/journal",
        40,
        5,
        quick_draws=2,
        arguments="--methods blend,scores,classexreg,probit,oracle",
        units=5,
    ),
    labels_again("extrapolation/coverage", 1, 7, arguments="--bootstrap 30", units=112),
    Task(
        "rare_positives",
        (
            "benchmarks/experts/rare_positives.py {work}/fits.csv --share 0.4 --repeats {draws}"
            " --by plan --csv {work}/rare_positives.csv",
        ),
        (f"{BENCHMARKS}/experts/rare_positives.csv",),
        draws=1,
        minutes=6,
        units=90,
        is_resumable=True,
    ),
    Task(
        "scale/coverage",
        ("benchmarks/scale --coverage {draws} --csv {work}/coverage.csv",),
        (f"{BENCHMARKS}/scale/coverage.csv",),
        draws=13,
        minutes=4,
        units=3,
    ),
    Task(
        "scale/sketches",
        ("benchmarks/scale --sketches --csv {work}/sketches.csv",),
        (f"{BENCHMARKS}/scale/sketches.csv",),
        draws=1,
        minutes=0.5,
    ),
    on_sets(
        "goals", 2, 9, "goals_table", arguments=f"--labels 100 300 --sets {EIGHT_SETS}", units=8
    ),
    on_sets("shapes", 20, 20, "shapes_table", folder="", units=1),
    on_sets("score_sets", 5, 35, "benchmark_table", arguments="--labels 10 20 100"),
    on_sets("calibration", 3, 10, "calibration_table", arguments="--labels 10 100"),
    on_sets("guarantees", 2, 15, "guarantees_table"),
    on_sets("reviews", 5, 15, "reviews_table"),
    Task(
        "rare_events",
        (
            f"benchmarks/rare_events {{data}} --repeats {{draws}} {FITS}"
            " --table {work}/rare_events_table.rst --summary {work}/by_set.csv",
        ),
        (f"{MEASURED}/rare_events_table.rst", f"{BENCHMARKS}/rare_events/by_set.csv"),
        draws=50,
        minutes=15,
        is_resumable=True,
        units=3,
    ),
    Task(
        "active_testing",
        (
            "benchmarks/active_testing sets {data} --repeats 2 --out {work}/sets.csv --resume",
            "benchmarks/active_testing pools {data} --repeats {draws}"
            " --out {work}/pools.csv --resume",
            "benchmarks/active_testing stopping --repeats 30 --out {work}/stopping.csv --resume",
            "benchmarks/active_testing table --sets {work}/sets.csv --pools {work}/pools.csv"
            " --stopping {work}/stopping.csv --table {work}/active_testing_table.rst",
        ),
        (f"{MEASURED}/active_testing_table.rst",),
        draws=10,
        minutes=45,
        is_resumable=True,
    ),
    Task(
        "noisy_labels",
        (
            "benchmarks/noisy_labels tags --repeats 4 --shares 5 10 20 50"
            " --methods chosen,random,confident_mistake,random_counts"
            " --out {work}/tags.csv --resume",
            "benchmarks/noisy_labels ranking --repeats {draws} --shares 10 30 50"
            " --methods chosen,random --out {work}/ranking.csv --resume",
            "benchmarks/noisy_labels table --tags {work}/tags.csv --ranking {work}/ranking.csv"
            " --table {work}/noisy_labels_table.rst",
        ),
        (f"{MEASURED}/noisy_labels_table.rst",),
        draws=20,
        minutes=70,
        is_resumable=True,
    ),
    paper("active_testing_2018/equation_12", "equation_12", 0.1),
    paper("active_testing_2018/figure_4", "figure_4", 0.1),
    Task(
        "active_testing_2018/runs",
        (
            f"{TAGS}/figures_5_6.py --repeats {{draws}} --runs {{work}}/runs --out {{work}}",
            f"{TAGS}/figures_7_8.py --repeats 8 --runs {{work}}/runs --out {{work}}",
            f"{TAGS}/figure_5_real.py {{data}} --repeats 6 --runs {{work}}/runs --out {{work}}",
            f"{TAGS}/claims.py --runs {{work}}/runs --out {{work}}",
        ),
        tuple(
            f"{PAPERS}/active_testing_2018/{name}.csv"
            for name in (
                *("claims", "figure_5", "figure_5_signed", "figure_6", "figure_6_stable"),
                *("figure_7", "figure_7_classes", "figure_8"),
                *("figure_5_real_precision", "figure_5_real_ap"),
                *("runs/figures_5_6", "runs/figures_7_8"),
                *("runs/figure_5_real_precision", "runs/figure_5_real_ap"),
            )
        ),
        draws=50,
        minutes=90,
        is_resumable=True,
    ),
    *(
        paper(f"extrapolation_2017/{name}", tables, minutes)
        for name, tables, minutes in (
            (
                "ablation",
                "ablation_exact ablation_exact_problems ablation_pilots ablation_pilots_problems",
                2.0,
            ),
            ("figure_6", "figure_6", 0.2),
            ("figure_7", "figure_7a figure_7a_line figure_7b", 0.2),
            ("figure_8", "figure_8a figure_8b figure_8c", 0.2),
            (
                "theory",
                "theory_accuracy theory_convex theory_hubs theory_hubs_pilots theory_uniform",
                0.5,
            ),
            ("unbiased", "unbiased_average unbiased_ranks unbiased_regression", 0.2),
        )
    ),
    Task(
        "extrapolation_2017/figures_11_12",
        (
            "replications/extrapolation_2017/figures_11_12.py --out {work}",
            "replications/extrapolation_2017/figures_11_12.py --data {data} --out {work}",
        ),
        tuple(
            f"{PAPERS}/extrapolation_2017/figure_{number}_{name}.csv"
            for number in (11, 12)
            for name in ("gaussian", "omniglot")
        ),
        draws=1,
        minutes=1.0,
    ),
    paper(
        "extrapolation_2017/table_1",
        "table_1_trained table_1_scores",
        2.0,
        arguments="--data {data}",
    ),
    paper("poem_2018/figure_5", "figure_5 figure_5_curve", 1.0, arguments="{data}"),
    *(
        paper(f"poem_2018/{name}", tables, minutes, trials)
        for name, tables, minutes, trials in (
            (
                "figure_1",
                "figure_1_balance figure_1_cross figure_1_items figure_1_labels",
                0.2,
                1,
            ),
            ("figure_2", "figure_2_final figure_2_heights figure_2_iterations", 5.0, 1),
            ("intervals", "intervals", 3.0, 40),
            ("wishes", "wishes_foregrounds wishes_map wishes_map_line", 4.0, 1),
        )
    ),
    Task(
        "poem_2018/figures_3_4",
        (
            "replications/poem_2018/figures_3_4.py --trials 25 --default-trials 60"
            " --normal-trials {draws} --runs {work}/runs --out {work}",
        ),
        tuple(
            f"{PAPERS}/poem_2018/{name}.csv"
            for name in (
                *("figure_3", "figure_4_balance", "figure_4_rate", "figure_4_threshold"),
                "figure_4_width",
            )
        ),
        draws=1000,
        minutes=100,
        is_resumable=True,
    ),
    *(
        paper(f"spe_2013/{name}", tables, minutes)
        for name, tables, minutes in (
            (
                "figure_2",
                "figure_2_curve figure_2_sets figure_2_tails figure_2_thresholds",
                2.0,
            ),
            ("figure_3", "figure_3_claims figure_3ac figure_3e", 10.0),
            ("figure_4", "figure_4g figure_4g_claims figure_4g_counts", 1.0),
            (
                "figure_5",
                "figure_5 figure_5_calibration figure_5_claims figure_5_goals",
                15.0,
            ),
        )
    ),
)
# Tables that pages show and nothing makes anew, and why.
NOT_MADE = {
    "examples/benchmarks/mutants.csv": "each row is a mutant: `mutants.py --again`",
    "examples/benchmarks/rooms.csv": "it measures tests, in a step of `.ci/nightly`: `rooms.py`",
}
