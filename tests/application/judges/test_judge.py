"""``judge``: which system is best, whom judges favor, and what to label next."""

import json
import re
from html import unescape

import numpy as np
import pytest

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator
from tests.application.command_line.data import run
from tests.application.judges import judge_files
from tests.quick import QUIET

pytestmark = QUIET

# Names in the literature on raters, and the metrics of decisions.
AGREEMENT = {"sensitivity": "recall", "specificity": "specificity", "kappa": "cohen_kappa"}


@pytest.fixture
def rated(tmp_path, global_random_seed):
    """Answers of three systems to 60 prompts, a judge that passes most of one, and 45 labels."""
    rng = np.random.default_rng(global_random_seed)
    rates = {"good": 0.95, "middle": 0.5, "flattered": 0.2}
    rows = []
    for prompt in range(60):
        for system, rate in rates.items():
            truth = bool(rng.random() < rate)
            verdict = truth or system == "flattered"
            # It errs in one of ten.
            verdict = verdict != (rng.random() < 0.1)
            rows.append({"prompt_id": prompt, "system": system, "judge": verdict, "human": truth})
    # As many labels of each system.
    labeled = {system: set(rng.permutation(60)[:15].tolist()) for system in rates}
    truth = [row["human"] for row in rows]
    for row in rows:
        if row["prompt_id"] not in labeled[row["system"]]:
            row["human"] = None
    return judge_files.write(tmp_path, "answers.jsonl", rows), rows, truth


def record_of(capsys):
    return json.loads(capsys.readouterr().out)


def test_four_answers_without_an_option(rated, tmp_path, capsys):
    path, rows, _ = rated
    # The verdict may be any.
    assert run("judge", path, "--json") in (0, 3, 4, 5)
    record = record_of(capsys)
    assert record["read"]["systems"] == ["good", "middle", "flattered"]
    assert record["read"]["prompt"] == "prompt_id"

    # The estimates are those of the estimator.
    verdicts = [row["judge"] for row in rows]
    performance = PerformanceCurveEstimator(classes=(0, 1), random_state=0).fit(
        None,
        [-1 if row["human"] is None else int(row["human"]) for row in rows],
        category=[row["system"] for row in rows],
        judges={"judge": np.array(verdicts, dtype=float)},
        groups=[str(row["prompt_id"]) for row in rows],
    )
    rates = performance.by_category("prevalence")
    for system in record["systems"]:
        low, high = rates[system["name"]].interval()
        assert (system["lower"], system["upper"]) == (low, high)
    shares = [system["probability_best"] for system in record["systems"]]
    assert sum(shares) == pytest.approx(1.0)
    assert [s["pass_rate"] for s in record["systems"]] == sorted(rates.values, reverse=True)
    assert sum(system["n_labels"] for system in record["systems"]) == 45

    # The share that the judge passes is known, and the true one is estimated.
    (judge,) = record["judges"]
    passed = np.mean([row["judge"] for row in rows if row["system"] == "flattered"])
    excess = judge["excess"]["flattered"]
    assert excess["lower"] > 0.2
    assert excess["value"] == pytest.approx(passed - rates["flattered"].value, abs=0.01)
    assert record["worth"]["n_labels"] == 45
    for name, metric in AGREEMENT.items():
        estimate = performance.of(judge="judge").estimate(metric, threshold=0.75)
        low, high = estimate.interval()
        assert judge[name] == {"value": estimate.value, "lower": low, "upper": high}

    # Answers to label: unlabeled ones of the first two, as they are in the file.
    chosen = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    assert len(chosen) == record["next"]["n"] == 20
    first_two = {system["name"] for system in record["systems"][:2]}
    for row in chosen:
        assert row["system"] in first_two
        assert row in rows
        assert row["human"] is None


def test_the_text_says_it_in_sentences_and_gates_set_the_status(rated, capsys):
    path, _, _ = rated
    arguments = ("judge", path, "--next", "0", "--gate", "good > flattered")
    # A gate is met whatever the number of labels, but not where the data contradict the model.
    assert run(*arguments) in (0, 4, 5)
    out = capsys.readouterr().out
    assert out.startswith("Read 180 answers of 3 systems (`system`) to 60 prompts (`prompt_id`)")
    text = " ".join(out.split())
    assert "est: good, " in text
    assert "judge passes flattered" in text
    assert "labels" in text
    assert "The gate is met: of further cases good passes more often than flattered" in text
    assert "predicted" not in text

    assert run(*arguments, "--gate", "flattered > 80%") == 6
    out = capsys.readouterr().out
    assert "The gate is not met: of further cases flattered passes more than 80 of 100" in out


def test_the_judge_of_a_single_system_has_a_sensitivity_and_a_specificity(rated, tmp_path, capsys):
    _, rows, _ = rated
    rows = [{"id": k, **row} for k, row in enumerate(rows) if row.pop("system") == "good"]
    rows = [{name: row[name] for name in ("id", "judge", "human")} for row in rows]
    path = judge_files.write(tmp_path, "one.jsonl", rows)
    page = tmp_path / "page.html"
    run("judge", path, "--next", "0", "--html", str(page))
    text = " ".join(capsys.readouterr().out.split())
    run("judge", path, "--next", "0", "--json")
    (judge,) = record_of(capsys)["judges"]
    parts = []
    for name in AGREEMENT:
        value, low, high = judge[name].values()
        parts.append(f"{name} {value:.2f} ({low:.2f} to {high:.2f})")
    assert f"; {', '.join(parts)}." in text
    assert "favors no system" not in text
    on_page = unescape(page.read_text(encoding="utf-8"))
    assert all(f">{name}<" in on_page for name in AGREEMENT)


def test_a_column_of_passes_and_fails_is_a_judge_whatever_its_name(rated, tmp_path, capsys):
    _, rows, _ = rated
    rows = [
        {"who": row["system"], "llm": "yes" if row["judge"] else "no", "human": row["human"]}
        for row in rows
    ]
    path = judge_files.write(tmp_path, "answers.jsonl", rows)
    assert run("judge", path, "--json") in (0, 3, 4, 5)
    record = record_of(capsys)
    assert record["read"]["systems"] == ["all answers"]
    assert record["read"]["judges"] == ["llm"]


def test_a_judge_with_ratings_beyond_one_is_named(rated, tmp_path, capsys):
    _, rows, _ = rated
    for number, row in enumerate(rows):
        row["judge"] = 1.5 * number / len(rows)
    path = judge_files.write(tmp_path, "answers.jsonl", rows)
    assert run("judge", path) in (0, 3, 4, 5)
    assert "if it is a judge, pass --judge judge." in " ".join(capsys.readouterr().out.split())


def test_without_labels_nobody_checked_the_judges(rated, tmp_path, capsys):
    path, rows, _ = rated
    for row in rows:
        row["human"] = None
    judge_files.write(tmp_path, "answers.jsonl", rows)
    assert run("judge", path, "--next", "6") == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "Nobody checked the judges" in out
    n_passed = sum(row["judge"] for row in rows if row["system"] == "flattered")
    assert f"flattered {100 * n_passed / 60:.0f}" in out
    chosen = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    # As many of each system.
    assert sorted(row["system"] for row in chosen) == [
        "flattered",
        "flattered",
        "good",
        "good",
        "middle",
        "middle",
    ]
    assert run("judge", path, "--gate", "good > middle") == 3
    assert run("judge", path, "--gate", "good > middle", "--unknown", "0") == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--gate", "good > nobody"), "where A and B are systems: good, middle, flattered"),
        (("--judge", "nobody"), "There is no column 'nobody'"),
        (("--label", "nobody"), "No file has a column 'nobody' of labels"),
        (("--labels", "nowhere.csv"), "File nowhere.csv does not exist"),
    ],
)
def test_what_cannot_be_answered_is_an_error_before_the_fit(rated, arguments, what, capsys):
    path, _, _ = rated
    assert run("judge", path, *arguments) == 2
    assert what in capsys.readouterr().err


def test_all_labels_and_ties_are_answered(tmp_path, capsys):
    # All labels known: exact counts, and nothing to label.
    rows = [{"id": i, "model": s, "judge": v, "human": v} for s, i, v in judge_files.answers()]
    path = judge_files.write(tmp_path, "all.jsonl", rows)
    run("judge", path)
    out = " ".join(capsys.readouterr().out.split())
    n_passed = {s: sum(judge_files.VERDICTS[s]) for s in judge_files.SYSTEMS}
    assert f"a, {100 * n_passed['a'] / 8:.0f} of 100 pass (exact)" in out
    assert "these are exact counts" in out
    assert "All answers of a, b are labeled" in out

    # Ties everywhere: there is no mean to estimate, and a judge of one value is left out.
    for row in rows:
        row |= {"judge": 0.5, "human": "partial" if row["id"] < 4 else None}
    path = judge_files.write(tmp_path, "ties.jsonl", rows)
    assert run("judge", path) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "8 labels are partial passes: only a full pass counts as a pass" in out
    assert "judge says 0.5 of every answer: it tells nothing, and is left out" in out
    assert "all of them are partial passes" in out
    assert "not separable from" in out


@pytest.mark.parametrize("n_systems", [3, 12])
def test_the_first_of_many_systems_is_said_to_be_flattered(n_systems, tmp_path, capsys):
    # All systems pass half of their prompts, and four labels each separate none.
    rows = [
        {"id": i, "model": f"m{k}", "judge": i % 2, "human": i % 2 if i < 4 else None}
        for k in range(n_systems)
        for i in range(20)
    ]
    run("judge", judge_files.write(tmp_path, "many.jsonl", rows))
    out = " ".join(capsys.readouterr().out.split())
    assert ("The first of 12 systems is flattered" in out) == (n_systems == 12)


# --- pass, partial and fail ------------------------------------------------------------


def graded_rows(rng, n_prompts=36):
    """Return answers of three systems; people and one judge have three verdicts, another two."""
    words = ("fail", "partial", "pass")
    rows = []
    for prompt in range(n_prompts):
        for system, shift in {"best": 1, "middle": 0, "worst": -1}.items():
            level = int(np.clip(rng.integers(0, 3) + shift, 0, 2))
            # The judge is wrong in one of five, and kind to the worst.
            other = int(rng.integers(0, 3)) if rng.random() < 0.2 else level
            three = min(other + (system == "worst"), 2)
            rows.append(
                {
                    "prompt": f"p{prompt}",
                    "model": system,
                    "judge_three": ("no", "partial", "yes")[three],
                    "judge_two": "pass" if other == 2 else "fail",
                    "human": words[level],
                }
            )
    return rows


@pytest.fixture
def graded(tmp_path, global_random_seed):
    """A file of such answers, of which 60 are labeled."""
    rng = np.random.default_rng(global_random_seed)
    rows = graded_rows(rng)
    truth = [row["human"] for row in rows]
    for index in rng.permutation(len(rows))[60:]:
        rows[index]["human"] = None
    return judge_files.write(tmp_path, "graded.jsonl", rows), rows, truth


VALUES = {"pass": 1.0, "partial": 0.5, "fail": 0.0, "yes": 1.0, "no": 0.0, None: np.nan}


def values_of(rows, column):
    return np.array([VALUES[row[column]] for row in rows])


def test_three_verdicts_are_means_of_the_mean_estimator(graded, capsys):
    path, rows, _ = graded
    assert run("judge", path, "--json", "--next", "4") in (0, 3, 4, 5)
    record = record_of(capsys)
    labels = values_of(rows, "human")
    means = MeanEstimator(label_range=(0, 1), random_state=0).fit(
        np.column_stack([values_of(rows, "judge_three"), values_of(rows, "judge_two")]),
        labels,
        category=[row["model"] for row in rows],
        groups=[row["prompt"] for row in rows],
    )
    by_category = means.by_category()
    for system in record["systems"]:
        estimate = by_category[system["name"]]
        assert system["pass_rate"] == pytest.approx(estimate.value)
        assert (system["lower"], system["upper"]) == pytest.approx(estimate.interval())

    # By how much a judge is too kind is its known mean less the estimated one.
    (three, two) = record["judges"]
    ratings = values_of(rows, "judge_three")[2::3]
    excess = three["excess"]["worst"]
    assert excess["value"] == pytest.approx(ratings.mean() - by_category["worst"].value, abs=1e-9)
    assert -1.0 <= two["kappa"]["lower"] <= two["kappa"]["upper"] <= 1.0
    # Of three verdicts there is no sensitivity.
    assert two["sensitivity"] is two["specificity"] is None
    assert record["next"]["how"] == "random"


@pytest.mark.slow
def test_a_positive_label_makes_two_classes(graded, capsys):
    path, rows, _ = graded
    labels = values_of(rows, "human")
    rates = {}
    for word, cut in (("pass", 1.0), ("partial", 0.5)):
        assert run("judge", path, "--json", "--pos-label", word, "--next", "0") in (0, 3, 4, 5)
        record = record_of(capsys)
        (three, _) = record["judges"]
        passed = values_of(rows, "judge_three") >= cut
        for system in record["systems"]:
            name = system["name"]
            is_of_system = np.array([row["model"] == name for row in rows])
            difference = passed[is_of_system].mean() - system["pass_rate"]
            assert three["excess"][name]["value"] == pytest.approx(difference, abs=0.01)
        known = labels[np.isfinite(labels)] >= cut
        rates[word] = known.mean()
        assert record["read"]["n_labels"] == len(known)
    assert rates["pass"] < rates["partial"]

    assert run("judge", path, "--pos-label", "fail") == 2
    assert "must be the verdict from which on an answer passes" in capsys.readouterr().err


def test_too_few_labels_of_three_verdicts_are_refused_with_a_remedy(graded, tmp_path, capsys):
    _, rows, truth = graded
    partial = truth.index("partial")
    other = next(k for k, word in enumerate(truth) if word != "partial")
    few = [
        row | {"human": truth[k] if k in (partial, other) else None} for k, row in enumerate(rows)
    ]
    path = judge_files.write(tmp_path, "few.jsonl", few)
    assert run("judge", path) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "needs at least 5 labels" in error
    assert "--pos-label pass" in error


# --- what comes as it is ---------------------------------------------------------------


@pytest.mark.slow
def test_next_answers_to_a_prompt_come_in_pairs(rated, tmp_path, capsys):
    path, rows, _ = rated
    assert run("judge", path, "--next", "10") in (0, 3, 4, 5)
    out = " ".join(capsys.readouterr().out.split())
    assert "they narrow the difference of the first two" in out
    assert "those to the same prompt in pairs" in out
    chosen = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    systems = {row["system"] for row in chosen}
    assert len(systems) == 2
    # One alone only where the other answer has a label.
    labeled = {(row["prompt_id"], row["system"]) for row in rows if row["human"] is not None}
    asked = {(row["prompt_id"], row["system"]) for row in chosen}
    lone = 0
    for prompt, system in asked:
        (other,) = systems - {system}
        if (prompt, other) not in asked | labeled:
            lone += 1
    assert lone <= 1


@pytest.mark.slow
def test_prompts_of_one_system_each_are_not_paired(rated, tmp_path, capsys):
    _, rows, _ = rated
    own = [row | {"prompt_id": f"{row['system']} {row['prompt_id'] // 2}"} for row in rows]
    path = judge_files.write(tmp_path, "own.jsonl", own)
    assert run("judge", path, "--prompt", "prompt_id", "--next", "4") in (0, 3, 4, 5)
    out = " ".join(capsys.readouterr().out.split())
    assert "No two systems answered the same prompt: systems are not paired" in out
    assert "in pairs" not in out
    assert "a tie" not in out


@pytest.mark.slow
def test_a_system_that_no_judge_saw_is_named_and_estimated(rated, tmp_path, capsys):
    _, rows, _ = rated
    unseen = [row | ({"judge": None} if row["system"] == "middle" else {}) for row in rows]
    path = judge_files.write(tmp_path, "unseen.jsonl", unseen)
    assert run("judge", path, "--next", "0") in (0, 3, 4, 5)
    out = capsys.readouterr().out
    assert "judge rated no answer of middle" in " ".join(out.split())
    # Of the systems it has a rate, of the judge no error.
    (rate, error) = (line for line in out.splitlines() if re.match(r"(\d=? +)?middle ", line))
    assert re.search(r"middle +\d+ +\d+ to \d+", rate)
    assert error.split() == ["middle", "-"]


@pytest.mark.parametrize(
    "content",
    [[{"foo": {"bar": [1, {"x": 2}]}, "baz": "a long text"}], {"a": {"b": [1, 2]}, "c": "text"}],
)
def test_an_object_of_an_unknown_shape_is_refused_with_its_fields(content, tmp_path, capsys):
    path = judge_files.write(tmp_path, "odd.json", content)
    assert run("judge", path) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "Needed are human labels" in error
    assert "there are the fields" in error


# --- the page --------------------------------------------------------------------------


def test_the_page_says_what_the_command_says(rated, tmp_path, capsys):
    path, _, _ = rated
    page = tmp_path / "page.html"
    status = run("judge", path, "--html", page, "--next", "4", "--gate", "good > flattered")
    assert status in (0, 4, 5)
    out = " ".join(capsys.readouterr().out.split())
    assert f"The page is in {page}." in out
    html = page.read_text()
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", html.split("<body")[1])).split())

    # Each sentence of the answer.
    start = out.index("est: good")
    for sentence in out[start : out.index("Label these 4 next")].split(". ")[:3]:
        assert sentence.removesuffix(".") in text
    assert "The gate is met: of further cases good passes more often than flattered" in text
    assert "Label these 4 next" in text

    # Tables of systems in order, of the judge, and no script.
    systems = re.findall(r'<th scope="row"[^>]*>([^<]+)</th>', html)[:3]
    assert sorted(systems) == ["flattered", "good", "middle"]
    assert systems[0] == "good"
    assert "Agreement with people" in text
    assert "judge: points by which it passes too often" in text
    assert "<script" not in html
    assert "prefers-color-scheme" in html


def test_without_labels_there_is_no_page(rated, tmp_path, capsys):
    _, rows, _ = rated
    bare = judge_files.write(tmp_path, "bare.jsonl", [row | {"human": None} for row in rows])
    page = tmp_path / "page.html"
    assert run("judge", bare, "--html", page, "--next", "0") == 3
    assert "No page is written" in capsys.readouterr().out
    assert not page.exists()
