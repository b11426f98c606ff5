"""Every printed number that is data is that of the file, and numbers that belong together agree.

Files are made with one or several systems, categories, groups, judges and classes, of few and of
many rows. What a command and its page print is read again: numbers of items, of labels, of what
reaches a threshold, and identities between numbers are computed from the file alone.
"""

import csv
import hashlib
import json
import re
from dataclasses import dataclass, field
from html import unescape

import numpy as np
import pytest

from tests.application.command_line.data import run

# A number as it is printed, and the ends of a rounded share.
NUMBER = r"([\d,]+)"
SCORE = r"(-?[\d.]+(?:e-?\d+)?)"
QUICK = ("--n-draws", "100", "--experts", "rank_binormal", "--random-state", "0")


@dataclass
class File:
    """A table of items, and what it was made of."""

    path: object
    scores: dict  # by column
    labels: np.ndarray  # -1 where there is none
    options: tuple
    structure: dict = field(default_factory=dict)

    @property
    def n(self):
        return len(self.labels)

    def n_labeled(self, code=None):
        return int(np.sum(self.labels >= 0 if code is None else self.labels == code))

    def n_reaching(self, threshold, system=None, *, only=True):
        (scores,) = [self.scores[system]] if system else self.scores.values()
        return int(np.sum((scores >= threshold) & only))


def made(
    folder, seed, n=300, systems=1, categories=0, groups=False, judges=0, weak=1.5, options=()
):
    """Write a file of two classes; scores have few digits, so that a printed one is exact."""
    rng = np.random.default_rng([seed, n, systems, categories, groups, judges])
    y = rng.random(n) < 0.3
    group = np.arange(n) // 3
    shift = rng.normal(size=group.max() + 1)[group] * 0.5 if groups else 0.0
    columns = {}
    for system in range(systems):
        margin = rng.normal(size=n) + shift + weak * (1.0 + 0.3 * system) * (y - 0.4)
        columns[f"s{system}"] = np.round(1.0 / (1.0 + np.exp(-1.5 * margin)), 4)
    scores = dict(columns)
    for judge in range(judges):
        columns[f"j{judge}"] = np.where(rng.random(n) < 0.8, y, ~y).astype(int)
    structure = {}
    if categories:
        structure["category"] = np.array(["red", "green", "blue"])[rng.integers(categories, size=n)]
    if groups:
        structure["groups"] = group
    columns |= structure
    labels = np.full(n, -1)
    known = rng.choice(n, 60, replace=False)
    labels[known] = y[known]
    columns["y"] = ["" if label < 0 else str(label) for label in labels.tolist()]

    path = folder / f"t{seed}_{n}_{systems}{categories}{int(groups)}{judges}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    names = list(scores)
    given = ["--scores", *names] if systems > 1 else ["--score", *names]
    given += ["--label", "y"]
    given += ["--category", "category"] * bool(categories) + ["--groups", "groups"] * groups
    given += ["--judge", *(f"j{k}" for k in range(judges))] * bool(judges)
    return File(path, scores, labels, (*given, *options), structure)


def integer(text):
    return int(text.replace(",", ""))


# --- what is printed --------------------------------------------------------------------------


def check_text(file, text):
    """Check what sentences say of the file, on a terminal or on a page."""
    n_checked = 0
    text = " ".join(text.split())
    for match in re.finditer(rf"{NUMBER} of {NUMBER} items are labeled", text):
        assert list(map(integer, match.groups())) == [file.n_labeled(), file.n], match[0]
        n_checked += 1
    for match in re.finditer(rf"{NUMBER} items, {NUMBER} labeled", text):
        assert list(map(integer, match.groups())) == [file.n, file.n_labeled()], match[0]
        n_checked += 1
    of_classes = rf"{NUMBER} of class 1, {NUMBER} of class 0"
    for match in re.finditer(of_classes, text):
        counted = list(map(integer, match.groups()))
        assert counted == [file.n_labeled(1), file.n_labeled(0)], match[0]
        n_checked += 1

    flagged = rf"A score of at least {SCORE} is predicted positive: (.*?) of {NUMBER} items"
    for match in re.finditer(flagged, text):
        assert integer(match[3]) == file.n
        for part in match[2].split(", ") if len(file.scores) > 1 else [match[2]]:
            system, _, number = part.rpartition(" ")
            assert integer(number) == file.n_reaching(float(match[1]), system), match[0]
            n_checked += 1
    if len(file.scores) == 1:
        for match in re.finditer(rf"False alarms: [^.]*?of the {NUMBER}\b", text):
            assert integer(match[1]) in {
                file.n_reaching(float(t)) for t in re.findall(rf"at least {SCORE} is", text)
            }
            n_checked += 1
        several = (
            rf"{NUMBER} of {NUMBER} items are predicted positive .*?, {NUMBER} of them labeled"
        )
        for match in re.finditer(rf"Positive is a score of at least {SCORE} {several}", text):
            threshold = float(match[1])
            labeled = file.n_reaching(threshold, only=file.labels >= 0)
            expected = [file.n_reaching(threshold), file.n, labeled]
            assert list(map(integer, match.groups()[1:])) == expected
            n_checked += 1
    return n_checked


def tables_of(page):
    """Return each table of a page: its caption and its rows of texts."""
    for table in re.findall(r"<table.*?</table>", page, flags=re.DOTALL):
        caption = re.search(r"<caption.*?</caption>", table, flags=re.DOTALL)
        rows = [
            [plain(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, flags=re.DOTALL)]
            for row in re.findall(r"<tr.*?</tr>", table, flags=re.DOTALL)
        ]
        yield plain(caption[0] if caption else ""), rows


def plain(html):
    """Return the text of some HTML."""
    html = re.sub(r"<(style|script|svg).*?</\1>", " ", html, flags=re.DOTALL)
    html = re.sub(r"</?(p|td|th|div|h\d|small)\b[^>]*>", " ", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def check_page(file, page, threshold):
    """Check a page: its sentences, tables of thresholds and decisions, the matrix, the rows."""
    said = plain(page)
    n_checked = check_text(file, said)
    assert hashlib.sha256(file.path.read_bytes()).hexdigest() in said
    lines = file.path.read_text().splitlines()
    (scores,) = file.scores.values() if len(file.scores) == 1 else (None,)
    for caption, rows in tables_of(page):
        if scores is None:
            flagged = [k for k, name in enumerate(rows[0]) if name == "predicted positive"]
            for row in rows[1:] if flagged and threshold is not None else ():
                if row[0] in file.scores:
                    assert integer(row[flagged[0]]) == file.n_reaching(threshold, row[0]), row
                    n_checked += 1
            continue
        if caption == "Thresholds":
            for row in rows[1:]:
                assert integer(row[1]) == file.n_reaching(float(row[0])), row
                n_checked += 1
        elif caption.startswith(("Compared with other decisions", "Thresholds to choose from")):
            for name, n_flagged, alarms, missed in rows[1:]:
                at = re.search(rf"(?:At|this threshold,) {SCORE}$", name)
                of_all = file.n if name == "Everything" else file.n_reaching(threshold or 0.0)
                expected = file.n_reaching(float(at[1])) if at else of_all
                assert integer(n_flagged) == expected, (name, n_flagged)
                for errors in (alarms, missed):
                    n_errors = integer(re.match(NUMBER, errors)[1])
                    assert n_errors <= (expected if errors is alarms else file.n), (name, errors)
                n_checked += 1
        elif caption.startswith("Confusion matrix") and "." not in rows[1][1].split()[0]:
            matrix = np.array([[integer(cell.split()[0]) for cell in row[1:]] for row in rows[1:]])
            n_flagged = file.n_reaching(threshold)
            assert matrix.sum(axis=0).tolist() == [file.n - n_flagged, n_flagged]
            card = re.search(rf"False alarms {NUMBER} of {NUMBER} predicted positive", said)
            assert list(map(integer, card.groups())) == [matrix[0, 1], n_flagged]
            card = re.search(rf"Missed positives {NUMBER} in these items", said)
            assert integer(card[1]) == matrix[1, 0]
            # What labels fix.
            reaches = scores >= threshold
            for code, called in np.ndindex(2, 2):
                least = np.sum((file.labels == code) & (reaches == called))
                most = np.sum((file.labels != 1 - code) & (reaches == called))
                assert least <= matrix[code, called] <= most
            n_checked += 4
        elif caption in ("To label next", "Suspect labels"):
            for row in rows[1:]:
                written = lines[int(row[0]) - 1].split(",")
                score = row[1] if caption == "To label next" else row[2]
                label = "" if caption == "To label next" else row[1]
                # Beside judges the score of a label may be that of their consensus.
                if row[3:4] != ["consensus of all"]:
                    assert float(score) == float(written[0]), row
                assert written[-1] == label, row
                n_checked += 1
    return n_checked


def check_estimates(record):
    """Check the numbers of a record: shares are in their range, ends around values."""
    for estimate in record.get("estimates", []) + record.get("systems", []):
        low, value, high = (estimate[key] for key in ("lower", "value", "upper"))
        if None in (low, value, high):
            continue
        assert low <= value <= high, estimate
        assert low >= 0.0, estimate
        assert high <= 1.0 or "number" in estimate["name"], estimate


def check_differences(terms, differences, baseline):
    """Check that ends of differences lie within what the ends of their terms allow."""
    of = {row["name"]: row for row in terms}
    for row in differences:
        a, b = of[row["name"].split(" - ")[0]], of[str(baseline)]
        assert row["lower"] >= a["lower"] - b["upper"] - 1e-9, row
        assert row["upper"] <= a["upper"] - b["lower"] + 1e-9, row
        assert row["lower"] <= min(a["lower"] - b["lower"], a["upper"] - b["upper"]) + 1e-9, row
        assert row["upper"] >= max(a["lower"] - b["lower"], a["upper"] - b["upper"]) - 1e-9, row


def answered(capsys, command, file, *options):
    """Return what a command prints as text and as a record."""
    run(command, file.path, *file.options, *options)
    text = capsys.readouterr().out
    run(command, file.path, *file.options, *options, "--json")
    return text, json.loads(capsys.readouterr().out)


def check_file(file, capsys, folder):
    """Check all commands on a file of two classes."""
    several = len(file.scores) > 1
    n_checked = 0
    if several:
        metric = ("--metric", "precision") * ("--threshold" in file.options)
        text, record = answered(capsys, "compare", file, *QUICK, *metric)
        n_checked += check_text(file, text)
        check_estimates(record)
        check_differences(record["systems"], record["differences"], record["baseline"])
    else:
        text, record = answered(capsys, "estimate", file, *QUICK)
        n_checked += check_text(file, text)
        check_estimates(record)
        goal = record.get("goal") or {}
        if goal.get("n_items"):
            below = (file.labels < 0) & (file.scores["s0"] >= goal["threshold"])
            assert goal["n_items"] == below.sum() + file.n_labeled(1)
            assert goal["n_known"] == file.n_labeled(1)
            to_prove = goal["to_prove"]
            if to_prove and to_prove["candidate"] is not None:
                reaching = file.n_reaching(to_prove["candidate"], only=file.labels < 0)
                assert to_prove["n_candidates"] == reaching

    out = folder / "page.html"
    run("report", file.path, *file.options, *QUICK, "-o", out, "--json")
    record = json.loads(capsys.readouterr().out)
    check_estimates(record)
    page = out.read_text(encoding="utf-8")
    n_checked += check_page(file, page, record["threshold"])
    assert n_checked > 3
    return n_checked


MARGINS = ("--score-kind", "margin")
GOAL = ("--goal", "precision=0.7")
COST = ("--cost", "1", "5")
# Above so many unlabeled items, some represent others where there is structure.
STRUCTURED = {
    "category": {"n": 4_700, "categories": 3},
    "groups": {"n": 5_201, "groups": True},
    "systems": {"n": 5_003, "systems": 3},
}
# One seed checks one file of so many.
N_TURNS = 4
FILES = {
    "plain": {},
    "category": {"categories": 3},
    "one category": {"categories": 1},
    "systems": {"systems": 3},
    "groups": {"groups": True},
    "judges": {"judges": 2},
    "goal": {"n": 1_000, "options": GOAL},
    "cost": {"n": 1_000, "options": COST},
    "threshold": {"options": ("--threshold", "0.7")},
    "margin": {"options": MARGINS},
    "perfect": {"weak": 6.0},
    "perfect systems": {"weak": 6.0, "systems": 3},
    "useless": {"weak": 0.0},
    "thousand": {"n": 1_000},
    "thousand of categories": {"n": 1_000, "categories": 3},
    "category and groups": {"n": 999, "categories": 3, "groups": True},
    "systems of categories": {"n": 1_001, "systems": 3, "categories": 3},
    "judges and scores": {"n": 1_000, "judges": 2},
    "plain 5": {"n": 5_000},
    "plain 100": {"n": 100_000},
    "category 5 goal": {"n": 5_000, "categories": 3, "options": GOAL},
    "category 5 cost": {"n": 5_001, "categories": 3, "options": COST},
    "category 5 threshold": {"n": 5_001, "categories": 3, "options": ("--threshold", "0.3")},
    "category 5 margin": {"n": 5_003, "categories": 3, "options": MARGINS},
    "category 9": {"n": 9_001, "categories": 3},
    "category 20": {"n": 20_000, "categories": 3},
    "category 100": {"n": 100_000, "categories": 3},
    "groups 5 goal": {"n": 5_001, "groups": True, "options": GOAL},
    "groups 20": {"n": 20_001, "groups": True},
    "systems 5 threshold": {"n": 5_000, "systems": 3, "options": ("--threshold", "0.7")},
    "systems 20": {"n": 20_001, "systems": 3},
    "systems of categories 9": {"n": 9_000, "systems": 3, "categories": 3},
    "all 9": {"n": 9_000, "systems": 3, "categories": 3, "groups": True},
    "judges 5": {"n": 5_001, "judges": 2},
    "judges of categories 9": {"n": 9_001, "judges": 2, "categories": 3},
    "perfect category": {"n": 5_001, "categories": 3, "weak": 6.0},
}


@pytest.mark.parametrize("shape", STRUCTURED.values(), ids=STRUCTURED)
def test_numbers_of_a_file_whose_rows_are_represented_are_its_own(
    shape, tmp_path, capsys, global_random_seed
):
    file = made(tmp_path, global_random_seed, **shape)
    command = "compare" if len(file.scores) > 1 else "estimate"
    text, record = answered(capsys, command, file, *QUICK)
    check_estimates(record)
    assert check_text(file, text)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(FILES) // N_TURNS))
def test_every_number_that_is_data_is_that_of_the_file(
    number, tmp_path, capsys, global_random_seed
):
    # Successive seeds check all files in turn.
    shape = list(FILES.values())[number * N_TURNS + global_random_seed % N_TURNS]
    check_file(made(tmp_path, global_random_seed, **shape), capsys, tmp_path)


# --- further commands, and several classes ----------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 5_000])
def test_rows_that_are_asked_for_and_returned_are_counted(n, tmp_path, capsys, global_random_seed):
    file = made(tmp_path, global_random_seed, n=n)
    (scores,) = file.scores.values()
    for command, options in (("suggest", ()), ("find", ("--precision", "0.7"))):
        out = tmp_path / f"{command}.csv"
        run(command, file.path, *file.options, *options, "-n", "7", "-o", out, "--json")
        record = json.loads(capsys.readouterr().out)
        assert record["n_labels"] == file.n_labeled()
        with out.open(newline="") as table:
            rows = list(csv.DictReader(table))
        if record["stop_reason"] is None:
            numbered = [row for row in rows if row["spe_next"]]
            assert len(numbered) == record["n_asked"] == 7
            assert all(not row["y"] for row in numbered)
        assert len(rows) == file.n
        if command == "find" and record["threshold"] is not None:
            reaching = (file.labels < 0) & (scores >= record["threshold"])
            assert record["n_returned"] == reaching.sum() + file.n_labeled(1)

    known = file.labels >= 0
    run("mean", file.path, "--label", "y", "--judge", "s0", "--random-state", "0")
    assert f"{known.sum()} of {n:,} rows are labeled" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 6_000])
def test_numbers_of_three_classes_are_those_of_the_file(n, tmp_path, capsys, global_random_seed):
    rng = np.random.default_rng([global_random_seed, n])
    truth = rng.integers(3, size=n)
    log_odds = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[truth]
    p = np.exp(log_odds) / np.exp(log_odds).sum(axis=1, keepdims=True)
    known = rng.random(n) < 80 / n
    names = np.array(["a", "b", "c"])
    labels = np.where(known, names[truth], "")
    path = tmp_path / "classes.csv"
    rows = [[*map(repr, of_row), label] for of_row, label in zip(p.tolist(), labels, strict=True)]
    path.write_text("\n".join(["p_a,p_b,p_c,y", *map(",".join, rows)]) + "\n")

    columns = ("--scores", "p_a", "p_b", "p_c", "--label", "y")
    run("estimate", path, *columns, "--n-draws", "200", "--random-state", "0", "--json")
    record = json.loads(capsys.readouterr().out)
    check_estimates(record)
    answers = {row["question"]: row["answer"] for row in record["answers"]}
    assert f"{known.sum():,} of {n:,} items are labeled, of 3 classes" in str(answers)
    # What labels fix of each entry of the matrix.
    predicted = p.argmax(axis=1)
    matrix = record["confusion_matrix"]
    for i, j in np.ndindex(3, 3):
        called = predicted == j
        least = np.sum(known & (truth == i) & called)
        most = np.sum((~known | (truth == i)) & called)
        low, value, high = (matrix[key][i][j] for key in ("lower", "value", "upper"))
        assert least - 1e-6 <= low <= value <= high <= most + 1e-6
    low, high = np.sum(matrix["lower"], axis=0), np.sum(matrix["upper"], axis=0)
    n_predicted = np.bincount(predicted, minlength=3)
    assert (low <= n_predicted).all()
    assert (n_predicted <= high).all()
