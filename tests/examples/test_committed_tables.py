"""A committed table holds what its script computes: a cheap cell of each, or why there is none."""

import pytest

from tests.examples import active_testing_2018, extrapolation_2017, guide, poem_2018, spe_2013
from tests.examples.tables import GUIDE, REPLICATIONS, Form, differences

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
OF_GUIDE = sorted(file.stem for file in GUIDE.glob("*_table.rst"))


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
