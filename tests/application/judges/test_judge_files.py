"""Files of evaluation tools are read alike, whatever their shape."""

import json

import numpy as np
import pytest

from sklearn_spe.application.judges._judge_answers import sentence_of_ties
from sklearn_spe.application.judges._judge_data import arranged
from sklearn_spe.application.judges._judge_files import (
    named_by_file,
    read_answers,
    with_systems,
)
from sklearn_spe.application.judges._judge_labels import with_labels
from sklearn_spe.application.judges._judge_next import path_to_label, text_to_label
from sklearn_spe.application.judges._judge_ratings import verdict_of
from tests.application.command_line.data import run
from tests.application.judges import judge_files
from tests.application.judges.judge_files import (
    LABELED,
    LABELS,
    UNLABELED,
    VERDICTS,
    answers,
    write,
)

SIZE = 2**20


def read(files, **columns):
    given = {"system": None, "prompt": None, "label": None, "judge": ()} | columns
    return arranged(with_systems([read_answers(file, SIZE) for file in files]), **given)


@pytest.mark.parametrize("shape", [*LABELED, *UNLABELED], ids=lambda shape: shape.__name__)
def test_all_shapes_hold_the_same_answers(shape, tmp_path):
    table = read(shape(tmp_path))
    if shape in UNLABELED:
        assert not np.isfinite(table.labels).any()
        table = with_labels(table, read_answers(judge_files.labels(tmp_path), SIZE), None)
    assert sorted(table.names) == ["a", "b"]
    assert int(np.isfinite(table.labels).sum()) == len(LABELS)
    verdicts = table.judges[0].values
    for system in table.names:
        rows = table.systems == system
        assert verdicts[rows].tolist() == VERDICTS[system]
        # In the order of the prompts.
        expected = [LABELS.get((system, i), np.nan) for i in range(judge_files.N_PROMPTS)]
        assert np.array_equal(table.labels[rows], expected, equal_nan=True)
    if shape is not judge_files.long:
        assert table.prompts is not None
        assert len(set(table.prompts.tolist())) == judge_files.N_PROMPTS


@pytest.mark.parametrize("shape", [*LABELED, *UNLABELED], ids=lambda shape: shape.__name__)
def test_labels_filled_into_what_was_written_come_back(shape, tmp_path):
    table = read(shape(tmp_path))
    rows = [0, 3, 5]
    text = text_to_label(table.files[0], [table.sources[r][1] for r in rows], table.label_column)
    first = table.files[0]
    path = tmp_path / f"next.{first.kind}"
    path.write_text(text)
    with pytest.raises(ValueError, match="No label is filled in"):
        with_labels(table, read_answers(str(path), SIZE), None)
    # Fill in passes, in the empty fields of the file.
    empty, full = ('"human": null', '"human": "pass"')
    filled = text.replace(empty, full)
    if first.kind == "csv":
        head, *lines = text.splitlines()
        cells = [line.split(",") for line in lines]
        column = head.split(",").index("value" if first.scorer else "human")
        for row in cells:
            row[column] = "pass"
        filled = "\n".join([head, *map(",".join, cells)]) + "\n"
    assert filled != text
    path.write_text(filled)
    without = table.labels.copy()
    without[rows] = np.nan
    table = type(table)(**vars(table) | {"labels": without})
    again = with_labels(table, read_answers(str(path), SIZE), None)
    assert (again.labels[rows] == 1.0).all()
    others = np.setdiff1d(np.arange(len(without)), rows)
    assert np.array_equal(again.labels[others], without[others], equal_nan=True)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        *(("pass", 1.0), ("Yes", 1.0), (True, 1.0), ("true", 1.0), (1, 1.0), ("correct", 1.0)),
        *(("fail", 0.0), ("no", 0.0), (False, 0.0), ("0", 0.0), ("Incorrect", 0.0), ("I", 0.0)),
        *(("partial", 0.5), (0.5, 0.5), ("P", 0.5), ("C", 1.0)),
    ],
)
def test_verdicts_are_read_without_an_option(value, verdict):
    assert verdict_of(value) == verdict


def test_columns_are_guessed_and_can_be_set(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {
            "question_id": f"q{i}",
            "judge_model": "a large model",
            "provider": s,
            "arm": f"arm {s}",
            "cost": 0.1 * i,
            "tokens": 100 + i,
            "judge_rubric": int(rng.integers(1, 6)),
            "judge_gpt": bool(verdict),
            "checked": LABELS.get((s, i)),
        }
        for s, i, verdict in answers()
    ]
    files = [write(tmp_path, "rows.jsonl", rows)]
    table = read(files)
    assert (table.system_column, table.prompt_column) == ("provider", "question_id")
    assert table.label_column == "checked"
    assert [judge.name for judge in table.judges] == ["judge_rubric", "judge_gpt"]
    assert table.length_column == "tokens"
    assert "human labels: `checked` (4)" in table.sentence()
    table = read(files, system="arm", judge=["judge_gpt"])
    assert table.names == ["arm a", "arm b"]
    assert [judge.name for judge in table.judges] == ["judge_gpt"]
    with pytest.raises(ValueError, match="no column 'nobody'; there are question_id"):
        read(files, judge=["nobody"])


def test_repeated_and_silent_judges_are_said(tmp_path):
    rows = [
        {"id": i, "model": s, "judge": v, "score": v, "grade": 3, "human": LABELS.get((s, i))}
        for s, i, v in answers()
    ]
    table = read([write(tmp_path, "rows.jsonl", rows)])
    assert table.remarks == ["`score` repeats `judge` and is left out."]
    assert [judge.name for judge in table.judges if not judge.remark] == ["judge"]
    assert "tells nothing" in table.judges[1].remark


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ([1, 2, 3], "an array in which 3 of 3 are not objects"),
        ([], "no answers"),
        ({"config": {"x": 1}, "more": [[1], [2]]}, "an object with the fields config, more"),
        ({f"field{i}": {} for i in range(500)}, "field7 and 492 more"),
        ("text", "cannot"),
    ],
)
def test_an_unknown_shape_is_said_in_one_line(content, what, tmp_path, capsys):
    path = tmp_path / "unknown.json"
    path.write_text(json.dumps(content))
    assert run("judge", path) == 2
    error = capsys.readouterr().err.strip()
    assert error.count("\n") == 0
    assert len(error) < 500
    if content != "text":
        assert what in error
        assert "needed is" in error


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([("x", "a"), (0, "a")], r"1 of 2 labels match no answer: 'x' of a"),
        ([(0, "a"), (0, "a")], r"1 of 2 labels are of an answer with another label: '0'"),
        ([(0, "nobody")], r"match several answers: '0'.* Add a column with the system"),
    ],
)
def test_labels_that_match_nothing_or_twice_are_named(rows, what, tmp_path):
    table = read(judge_files.inspect(tmp_path))
    path = judge_files.labels(tmp_path, [{"id": i, "model": s, "human": 1} for i, s in rows])
    with pytest.raises(ValueError, match=what):
        with_labels(table, read_answers(path, SIZE), None)


def test_a_label_that_contradicts_another_is_refused(tmp_path):
    table = read(judge_files.array(tmp_path))
    path = judge_files.labels(tmp_path, [{"id": 0, "model": "a", "human": 0}])
    with pytest.raises(ValueError, match="has another label"):
        with_labels(table, read_answers(path, SIZE), None)


def test_labels_that_are_grades_are_named_with_the_command_for_them(tmp_path):
    rows = [row | {"human": 1 + row["id"] % 5} for row in judge_files.plain_rows()]
    with pytest.raises(ValueError, match="sklearn-spe mean"):
        read([write(tmp_path, "grades.jsonl", rows)])


def test_files_without_a_system_are_named_by_what_differs(tmp_path):
    rows = [{"id": i, "judge": v} for _, i, v in answers()[::2]]
    files = [write(tmp_path, f"run_{name}_v2.jsonl", rows) for name in ("old", "new")]
    table = read(files)
    assert table.names == ["old", "new"]
    assert named_by_file([read_answers(files[0], SIZE)]) == ["run_old_v2"]


def test_a_file_with_labels_is_not_written_over(tmp_path):
    file = judge_files.json_lines(tmp_path)[0]
    path = path_to_label(file, "jsonl", "human", SIZE)
    assert path == tmp_path / "next.jsonl"
    path.write_text('{"id": 1, "human": null}\n')
    assert path_to_label(file, "jsonl", "human", SIZE) == path
    path.write_text('{"id": 1, "human": "pass"}\n')
    assert path_to_label(file, "jsonl", "human", SIZE) == tmp_path / "next_2.jsonl"


def test_a_judge_that_alone_prefers_the_second_system_is_named(tmp_path):
    answers = read(judge_files.json_lines(tmp_path))
    # Of eight prompts the judge prefers a on three, and b on none.
    assert sentence_of_ties(answers, ["a", "b"]).endswith(": 3, 0 and 5 by judge.")
    told = sentence_of_ties(answers, ["b", "a"])
    assert told.endswith(": 0, 3 and 5 by judge, which by itself prefers a.")
