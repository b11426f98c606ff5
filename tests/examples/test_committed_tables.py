"""A committed table holds what its script computes: a cheap cell of each, or why there is none."""

import csv

import numpy as np
import pytest

from tests.examples import active_testing_2018, extrapolation_2017, guide, poem_2018, spe_2013
from tests.examples.tables import BENCHMARKS, MEASURED, REPLICATIONS, Form, differences, script

PAPERS = {
    "active_testing_2018": active_testing_2018,
    "extrapolation_2017": extrapolation_2017,
    "poem_2018": poem_2018,
    "spe_2013": spe_2013,
}
TABLES = sorted(
    file.relative_to(REPLICATIONS).with_suffix("").as_posix()
    for file in REPLICATIONS.rglob("*.csv")
)
OF_GUIDE = sorted(file.stem for file in MEASURED.glob("*_table.rst"))


@pytest.mark.slow
def test_the_table_of_several_heaps_holds_what_its_script_computes():
    heaps = script(BENCHMARKS, "several_heaps")
    with (BENCHMARKS / "several_heaps.csv").open(newline="", encoding="utf-8") as file:
        printed = {row["model"]: row for row in csv.DictReader(file)}
    model = '"norm_mixture", "norm"'
    n_sets = int(printed[model]["covered"].split()[-1])
    measured = [heaps.measure(model, seed) for seed in range(n_sets)]
    errors, covered, widths, _ = zip(*measured, strict=True)
    assert printed[model]["covered"] == f"{sum(covered)} of {n_sets}"
    for column, values in (("error", errors), ("width", widths)):
        # Drawn numbers went through a sampler: a unit of the last digit.
        assert abs(float(printed[model][column]) - np.mean(values)) <= 1.5e-3


@pytest.mark.slow
def test_the_table_of_equal_groups_holds_what_its_script_computes():
    groups = script(BENCHMARKS, "equal_groups")
    cell = "categories", "groups"
    with (BENCHMARKS / "equal_groups.csv").open(newline="", encoding="utf-8") as file:
        printed = [row for row in csv.DictReader(file) if (row["data"], row["labeled"]) == cell]
    (computed,) = groups.table(24, [cell])
    for column in ("score", "covered", "score of the labels", "covered by them"):
        assert abs(float(printed[0][column]) - float(computed[column])) < 0.015


def test_the_table_of_several_systems_holds_what_its_script_computes():
    # Of networks that are made up: other rows need data that users fetch, and a fit takes seconds.
    systems = script(BENCHMARKS, "several_systems")
    with (BENCHMARKS / "several_systems.csv").open(newline="", encoding="utf-8") as file:
        printed = [row for row in csv.DictReader(file) if row["set"] == systems.MADE_UP]
    cells = {(row["labels"], row["method"]): row for row in printed}
    computed = systems.row_of(systems.MADE_UP, "labels", [(*systems.made_up(), None)], 20, 12)
    for metric in systems.METRICS:
        for column in (f"{metric} covered", f"{metric} score"):
            expected = float(cells["20", "labels"][column])
            assert abs(float(computed[column]) - expected) <= 0.02 * max(1.0, expected)


@pytest.mark.slow
def test_the_table_of_the_journal_holds_what_it_is_to_know_every_item():
    # What the paper printed is copied; the U of every item is a formula, and its mean quick.
    folder = BENCHMARKS / "extrapolation"
    journal = script(folder, "modes/journal")
    predict, names = script(folder, "predictions").predict, script(folder, "peers").NAMES
    with (folder / "journal.csv").open(newline="", encoding="utf-8") as file:
        printed = {method: values for method, *values in csv.reader(file)}
    rows = []
    for problem in journal.chosen("journal"):
        truth = dict(zip(journal.COUNTS, problem.truth(journal.COUNTS).tolist(), strict=True))
        for repeat in range(journal.REPEATS):
            pilot = ("journal", problem, journal.N_CLASSES, 1, repeat, truth)
            for row in predict(*pilot, [journal.ORACLE]):
                rows.append({key: str(value) for key, value in row.items()})
                rows[-1]["problem"] = problem.name
    _, body = journal.largest(rows, "plain", [journal.ORACLE])
    for name, *values in body:
        assert printed[names.get(name, name)] == values


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_a_replication_holds_what_its_script_computes(table):
    paper, _, name = table.partition("/")
    cells = PAPERS[paper]
    if name in cells.SKIPPED:
        pytest.skip(cells.SKIPPED[name])
    rows, by = getattr(cells, name.replace("runs/", "kept_"))()
    form = cells.FORMS.get(name, getattr(cells, "FORM", Form()))
    assert rows
    assert not differences(table, rows, by, form)


@pytest.mark.slow
@pytest.mark.parametrize("table", OF_GUIDE)
def test_a_table_of_the_guide_holds_what_its_benchmark_computes(table):
    if table in guide.SKIPPED:
        pytest.skip(guide.SKIPPED[table])
    cells = getattr(guide, table)()
    assert cells
    assert [cell for cell in cells if not Form(chance=cell[2]).holds(*cell[:2])] == []
