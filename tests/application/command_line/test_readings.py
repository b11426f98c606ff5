"""``readings``: readers of cases, from a table with one row per reading."""

import json

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.application.command_line.data import run
from tests.estimators.performance.reading_studies import read_cases

READERS, MODALITIES = ("ann", "ben", "cas"), ("CT", "MR")
COLUMNS = ("--case", "case", "--reader", "who", "--modality", "how", "--score", "s")
QUICK = ("--label", "y", "--n-draws", "200", "--experts", "rank_binormal")


class Study:
    """A study of 60 cases at two sites, of which the first half is verified."""

    def __init__(self, folder):
        rng = np.random.default_rng(0)
        self.scores, self.truth = read_cases(rng, 60, len(READERS))
        order = rng.permutation(60)
        self.scores, self.truth = self.scores[order], self.truth[order]
        self.scores[rng.random(self.scores.shape) < 0.1] = np.nan
        self.site = np.where(np.arange(60) % 2, "north", "south")
        self.known = np.arange(60) < 30
        rows = ["case,who,how,s,y,site"]
        for i, j, k in rng.permutation(list(np.ndindex(self.scores.shape))).tolist():
            score = self.scores[i, j, k]
            if not np.isnan(score):
                label = self.truth[i] if self.known[i] else ""
                cells = f"c{i}", READERS[k], MODALITIES[j], repr(float(score)), label, self.site[i]
                rows.append(",".join(map(str, cells)))
        self.path = folder / "readings.csv"
        self.path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def study(tmp_path):
    return Study(tmp_path)


def numbers(record):
    return [record["value"], record["lower"], record["upper"]]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_answer_is_that_of_the_library(study, capsys):
    asked = ("--baseline", "MR")
    status = run("readings", study.path, *COLUMNS, *QUICK, *asked, "--category", "site", "--json")
    record = json.loads(capsys.readouterr().out)
    mixture = SemisupervisedScoreMixture(experts="rank_binormal", n_draws=200, random_state=0)
    performance = PerformanceCurveEstimator(mixture, target="population", random_state=0)
    # Cases are in the order of the file.
    cases = [line.split(",")[0] for line in study.path.read_text().splitlines()[1:]]
    order = [int(name[1:]) for name in dict.fromkeys(cases)]
    systems = {
        (how, who): study.scores[order, j, k]
        for j, how in enumerate(MODALITIES)
        for k, who in enumerate(READERS)
    }
    y = np.where(study.known, study.truth, -1)[order]
    performance = performance.fit(systems, y, category=study.site[order])
    assert status in (0, 3, 4)
    assert record["read"]["n_rows"] == 60
    assert record["read"]["n_labeled"] == 30
    assert record["read"]["n_readings"] == np.isfinite(study.scores).sum()
    for said, where in [
        (record, {}),
        *((own, {"category": own["category"]}) for own in record["categories"]),
    ]:
        for row, how in zip(said["means"], ("MR", "CT"), strict=True):
            mean = performance.of(system=how, **where).estimate("roc_auc", readers="random")
            assert row["name"] == how
            assert numbers(row) == [mean.value, *mean.interval()]
        gain = performance.difference("roc_auc", "CT", "MR", readers="random", **where)
        assert numbers(said["differences"][0]) == [gain.value, *gain.interval()]
        assert said["probabilities"] == [gain.probability_above(0.0)]
        each = [performance.of(system=name, **where).estimate("roc_auc").value for name in systems]
        assert [row["value"] for row in said["each"]] == each


def test_readers_of_one_modality_and_all_cases_verified(study, capsys):
    lines = study.path.read_text().splitlines()
    truth = dict(zip([f"c{i}" for i in range(60)], study.truth, strict=True))
    kept = [line.split(",") for line in lines[1:] if ",CT," in line]
    rows = [f"{case},{who},{s},{truth[case]}" for case, who, _, s, _, _ in kept]
    study.path.write_text("\n".join(["case,who,s,y", *rows]) + "\n")
    columns = [name for name in COLUMNS if name not in ("--modality", "how")]
    run("readings", study.path, *columns, *QUICK, "--readers", "fixed", "--target", "sample")
    out = capsys.readouterr().out
    areas = []
    for own in study.scores[:, 0].T:
        there = np.isfinite(own)
        areas.append(roc_auc_score(study.truth[there], own[there]))
    assert f"{'all readers':24}{np.mean(areas):8.3f}" in out
    assert "60 cases, 3 readers." in out
    assert "Means are of these cases, over these readers." in out
    assert "\nROC AUC of each reader:\n" in out


@pytest.mark.slow
def test_the_answer_is_for_readers_and_cases_like_these_unless_there_is_one_reader(study, capsys):
    status = run("readings", study.path, *COLUMNS, *QUICK)
    out = capsys.readouterr().out
    assert "Means are of cases like these, over readers like these." in out
    # A verdict that is not "ok" comes first.
    assert out.startswith(("With care", "No, as")) == (status != 0)

    header, *rows = study.path.read_text().splitlines()
    of_one = [row for row in rows if ",ann,CT," in row]
    study.path.write_text("\n".join([header, *of_one]) + "\n")
    columns = [name for name in COLUMNS if name not in ("--modality", "how")]
    run("readings", study.path, *columns, *QUICK)
    out = capsys.readouterr().out
    assert "1 reader." in out
    assert "Means are of cases like these, over these readers." in out


def test_readers_who_skipped_cases_are_named_by_modality_and_reader(study, capsys):
    run("readings", study.path, *COLUMNS, *QUICK)
    out = capsys.readouterr().out
    n_missing = np.isnan(study.scores[:, 1, 0]).sum()
    assert f"The system 'MR, ann' has no score for {n_missing} of 60 items" in out


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (None, ("--baseline", "US"), "--baseline 'US' is not in column 'how': CT, MR"),
        (None, ("--reader", "case"), "--case and --reader name the same column, 'case'"),
        (None, ("--threshold", "1"), "ask for a --metric at a threshold, such as recall"),
        (None, ("--experts", "none"), "cannot be combined with the command readings"),
        ("how", (), "rows of reader"),
        ("y", (), "must be the same in all rows of a case"),
        ("who", (), "must have a value in every row"),
        ("s", ("--category", "who"), "category must be the same in all rows of a case"),
    ],
)
def test_what_cannot_be_arranged_is_said(study, change, options, message, capsys):
    header, *rows = (line.split(",") for line in study.path.read_text().splitlines())
    if change is not None:
        new = {"how": "CT", "y": None, "who": "", "s": "3"}[change]
        for number, row in enumerate(rows):
            row[header.index(change)] = str(number % 2) if new is None else new
    study.path.write_text("\n".join(map(",".join, [header, *rows])) + "\n")
    assert run("readings", study.path, *COLUMNS, *QUICK, *options) == 2
    assert message in capsys.readouterr().err
