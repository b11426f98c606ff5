"""Copies of one table that several people labelled, matched and merged."""

import numpy as np
import pytest

from sklearn_spe.application.tables._labeled_copies import LabeledCopies
from sklearn_spe.application.tables._labeling_table import LabelingTable, write_together
from sklearn_spe.application.tables._reading import read_table
from tests.application.tables.test_labeling_table import session_of

TEXT = "id,s,y\na,0.123456789012345678,\nb,2,\nc,-1.5,\n"


@pytest.fixture
def copies_of(tmp_path):
    def read(*texts, label="y", **options):
        paths = [tmp_path / f"{name}.csv" for name, _ in zip("abcd", texts, strict=False)]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return LabeledCopies.of([read_table(path) for path in paths], label, **options)

    return read


def labeled(*labels, text=TEXT):
    header, *rows = text.splitlines()
    return "\n".join([header, *map("".join, zip(rows, labels, strict=True))]) + "\n"


def test_labels_of_all_are_taken_but_those_that_others_contradict(copies_of):
    copies = copies_of(labeled("1", "1", ""), labeled("", "0", "0"), labeled("1.0", "", ""))
    assert copies.merged.labels("y").values.tolist() == [1, None, 0]
    assert copies.disagreements() == [
        [{"name": "a.csv", "line": 3, "label": 1}, {"name": "b.csv", "line": 3, "label": 0}]
    ]
    said = copies.describe()
    assert "Labeled rows: 2 in a.csv, 2 in b.csv, 1 in c.csv." in said
    assert "a.csv and b.csv agree on 0 of the 1 rows that both labeled" in said
    assert "a.csv, line 3: 1; b.csv, line 3: 0" in said


def test_somebody_may_have_labeled_nothing(copies_of):
    bare = "id,s\na,0.5\nb,0.25\n"
    assert copies_of(bare, "id,s,y\na,0.5,\nb,0.25,1\n").merged.labels("y").values[1] == 1
    assert copies_of(bare, bare).merged.names == ("id", "s")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("id,s,y\na,0.5,\nb,2,\nc,-1.5,\n", r"'s' differs in 1 of 3 rows, such as line 2 \('0.123"),
        (
            "id,s,y\nb,2,\na,0.123456789012345678,\nc,-1.5,\n",
            "'id' differs in 2 of 3 .* restore the order",
        ),
        ("id,s,y\na,0.123456789012345678,\nb,2,\n", "they have 3 and 2 rows"),
        (
            "id,t,y\na,1,\nb,2,\nc,-1.5,\n",
            r"a\.csv alone has 's' and .*b\.csv alone has 't'\. Give",
        ),
        (
            "id,s,y,t\na,1,,\nb,2,,\nc,-1.5,,\n",
            r"different columns: \S*b\.csv alone has 't'\. Give",
        ),
    ],
)
def test_other_tables_are_refused(copies_of, other, message):
    with pytest.raises(ValueError, match=message):
        copies_of(TEXT, other)


def test_one_file_is_no_second_copy(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    with pytest.raises(ValueError, match=r"a\.csv is passed twice"):
        LabeledCopies.of([read_table(path), read_table(path)], "y")


ITEM = "spe_item_0123abcd"
BEGUN = f"s,y,spe_next,{ITEM}\n0.5,,,2\n0.25,,1,0\n0.75,,2,1\n"


def test_rows_that_were_written_here_are_matched_by_their_items(copies_of):
    other = f"s,y,spe_next,{ITEM}\n0.25,1,1,0\n0.75,,SKIP,1\n0.5,0,,2\n"
    merged = copies_of(BEGUN, other).merged
    assert merged.labels("y").values.tolist() == [1, None, 0]
    assert merged.numbers("s").values.tolist() == [0.25, 0.75, 0.5]
    assert merged.columns["spe_next"] == ("1", "SKIP", "")
    with pytest.raises(ValueError, match=rf"items 2 in column '{ITEM}' are in the first"):
        copies_of(BEGUN, BEGUN.replace("0.5,,,2", "0.5,,,3"))
    with pytest.raises(ValueError, match="duplicated or added rows"):
        copies_of(BEGUN, BEGUN.replace("0.5,,,2", "0.5,,,1"))
    with pytest.raises(ValueError, match=f"a.csv alone has '{ITEM}' and .* has 'spe_item_ffffffff"):
        copies_of(BEGUN, BEGUN.replace(ITEM, "spe_item_ffffffff"))


def test_all_tables_are_written_or_none(tmp_path):
    sheets = []
    for name in "ab":
        path = tmp_path / f"{name}.csv"
        path.write_text("s,y\n0.5,\n0.25,\n")
        sheets.append((LabelingTable.of(read_table(path), "s", "y"), path))
    # Somebody saves the second meanwhile.
    sheets[1][1].write_text("s,y\n0.5,1\n0.25,\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=r"b\.csv was changed since it was read"):
        write_together(sheets, session_of(sheets[0][0], [1]), [1], np.zeros(2, dtype=bool))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
