"""Files as tools write them: answered without an option, and read where a part is damaged."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sklearn_spe.application.command_line._main import parser_of_commands
from sklearn_spe.application.judges._judge import _read
from tests.application.command_line.data import run
from tests.application.judges import tool_files
from tests.application.judges.judge_files import write
from tests.application.judges.tool_files import SHAPES, SYSTEMS, Made
from tests.quick import QUIET

pytestmark = QUIET

N_PROMPTS = 60
# The judge of each shape, which has a verdict or grade of each answer.
JUDGES = {
    "promptfoo": "llm-rubric",
    "inspect": "model_graded_qa",
    "packed_inspect": "model_graded_qa",
    "deepeval": "Correctness (GEval)",
    "harness": "exact_match (flexible-extract)",
    "sheet": "GPT-4 score (1-5)",
    "scorers": "correctness",
}


@pytest.fixture
def made(global_random_seed):
    return Made.of(N_PROMPTS, np.random.default_rng(global_random_seed))


def arguments_of(files, labels):
    return ["judge", *files, *(["--labels", *labels] if labels else [])]


def read(files, labels=(), *others):
    return _read(parser_of_commands().parse_args([*arguments_of(files, labels), *others]))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_all_is_read_without_an_option(shape, made, tmp_path):
    answers = read(*shape(made, tmp_path))
    assert len(answers.records) == made.good.size
    assert len(set(answers.prompts.tolist())) == N_PROMPTS
    assert not answers.repeat_column
    assert all(not each.misfits for each in answers.left_out)
    assert [name.replace("__", ":", 1).replace("__", "/") for name in answers.names] == [
        name if shape.__name__ != "harness" else name.replace("/", ":") for name in SYSTEMS
    ]

    judges = {judge.name: judge for judge in answers.judges}
    judge = judges[JUDGES[shape.__name__]]
    passed = judge.values >= (0.5 if judge.is_verdict else 3.0)
    for s, name in enumerate(answers.names):
        rows = answers.systems == name
        assert passed[rows].tolist() == made.verdicts[:, s].tolist()
        labels = answers.labels[rows]
        assert np.isfinite(labels).tolist() == made.is_labeled[:, s].tolist()
        known = made.is_labeled[:, s]
        assert (labels[known] == made.good[known, s]).all()


@pytest.mark.parametrize("column", ["run", "trial", "epoch", "seed", "n"])
def test_repeats_are_no_judges_and_versions_are_systems(column, tmp_path):
    rows = [
        {"task": f"t{i}", column: k, "version": version, "solved": (i + k) % 2}
        for version in "AB"
        for i in range(12)
        for k in range(3)
    ]
    files = [write(tmp_path, "runs.csv", rows)]
    answers = read(files, (), "--label", "solved")
    assert answers.names == ["A", "B"]
    assert (answers.prompt_column, answers.repeat_column) == ("task", column)
    assert answers.judges == []
    # Labels of another file name the run, or match several answers.
    for row in rows:
        row["human"] = row["solved"]
    wanted = [{k: v for k, v in row.items() if k != "solved"} for row in rows[::5]]
    labeled = read(files, [write(tmp_path, "people.csv", wanted)])
    rows_labeled = np.flatnonzero(np.isfinite(labeled.labels))
    assert rows_labeled.tolist() == list(range(0, len(rows), 5))
    without = [{k: v for k, v in row.items() if k != column} for row in wanted]
    with pytest.raises(ValueError, match=f"several answers.*Add a column with `{column}`"):
        read(files, [write(tmp_path, "people.csv", without)])


def test_a_broken_sample_of_a_packed_log_is_left_out_with_a_count(made, tmp_path, capsys):
    files, labels = tool_files.packed_inspect(made, tmp_path)
    content = {}
    with zipfile.ZipFile(files[0]) as packed:
        content = {name: packed.read(name) for name in packed.namelist()}
    unlabeled = np.flatnonzero(~made.is_labeled[:, 0]).tolist()
    broken = f"samples/q{unlabeled[0]}_epoch_1.json"
    content[broken] = content[broken][:40]
    with zipfile.ZipFile(files[0], "w") as packed:
        for name, text in content.items():
            packed.writestr(name, text)
    answers = read(files, labels)
    assert len(answers.records) == made.good.size - 1
    (misfit,) = answers.left_out[0].misfits
    assert broken in misfit
    assert run(*arguments_of(files, labels), "--next", "0") in (0, 3, 4, 5)
    assert "1 of 60 records" in " ".join(capsys.readouterr().out.split())

    # With more than one in twenty the numbers are printed, and the command has failed.
    for number in unlabeled[:4]:
        content[f"samples/q{number}_epoch_1.json"] = b"null"
    with zipfile.ZipFile(files[0], "w") as packed:
        for name, text in content.items():
            packed.writestr(name, text)
    assert run(*arguments_of(files, labels), "--next", "0") == 2
    out, err = capsys.readouterr()
    assert "Best" in out or "best" in out
    assert "4 of 60 records" in err
    assert "more than one in twenty" in err


def test_a_packed_log_beyond_the_limit_is_named(made, tmp_path):
    files, labels = tool_files.packed_inspect(made, tmp_path)
    with pytest.raises(ValueError, match=r"\.eval.*decompresses to more than 2,000"):
        read(files, labels, "--max-bytes", "2000")


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda r: r.update(gradingResult="x"), "field `gradingResult`: needed is an object"),
        (
            lambda r: r["gradingResult"].update(componentResults=[None]),
            "field `gradingResult.componentResults[0]`: needed is an object, got nothing",
        ),
        (lambda r: r["provider"].update(id=[1]), "field `provider.id`: needed is a text"),
        (lambda r: r.pop("testIdx"), "field `testIdx`: needed is a text or a number, got nothing"),
    ],
)
def test_a_misfit_is_named_by_file_record_and_field(damage, what, made, tmp_path):
    (file,), _ = tool_files.promptfoo(made, tmp_path)
    content = json.loads(Path(file).read_text())
    damage(content["results"]["results"][6])
    Path(file).write_text(json.dumps(content))
    answers = read([file])
    (misfit,) = answers.left_out[0].misfits
    assert misfit.startswith("promptfoo.json, record 7, ")
    assert what in misfit
    assert len(answers.records) == made.good.size - 1


def test_values_nested_too_deeply_are_none(tmp_path):
    rows = [json.dumps({"id": i, "model": "ab"[i % 2], "judge": i % 3 > 0}) for i in range(40)]
    rows[3] = rows[3][:-1] + ', "deep": ' + "[" * 5000 + "1" + "]" * 5000 + "}"
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(rows))
    answers = read([str(path)])
    assert len(answers.records) == 40
    assert answers.left_out[0].misfits == []
