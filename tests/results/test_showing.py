"""How results show themselves: sentences in counts, values for JSON, HTML, and plain text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from sklearn_spe import CurveBand, ScalarEstimate
from sklearn_spe.checks._label_checks import SuspectLabels
from sklearn_spe.models import ConfusionMatrix
from sklearn_spe.results import EstimateTable, Reason, Verdict
from sklearn_spe.results._showing import (
    MAX_HEADLINES,
    MAX_ROWS,
    MAX_WIDTH,
    count_for,
    sentence_of,
    whole,
)
from sklearn_spe.results._tables import DecisionZone

NASTY = "<script>alert('\"&')</script>"
# It is written from right to left, and turns the direction of what follows.
TURNED = "\u202e\u05e9\u05dc\u05d5\u05dd\u2066"


def estimate(low, value, high, name="recall", **fields):
    """Return an estimate with this value, and these ends of its 50% interval."""
    draws = [2.0 * low - value, low, value, high, 2.0 * high - value]
    estimate = ScalarEstimate.from_draws(name, draws, np.ones(5), confidence_level=0.4, **fields)
    assert np.allclose((estimate.value, *estimate.interval(0.4)), (value, low, high))
    return estimate


def matrix(classes, draws=None):
    n = len(classes)
    draws = np.arange(n * n).reshape(1, n, n) + np.zeros((3, 1, 1)) if draws is None else draws
    return ConfusionMatrix.of(draws, np.full(len(draws), 1.0 / len(draws)), np.array(classes))


def table(n, name="row"):
    rows = tuple(estimate(0.6, 0.7, 0.8) for _ in range(n))
    return EstimateTable(tuple(f"{name} {k}" for k in range(n)), rows, ("a remark",), ("a model",))


def suspects(n, label="spam"):
    columns = np.arange(n), np.linspace(0.0, 1.0, n), np.full(n, label), np.linspace(0.01, 0.09, n)
    return SuspectLabels(*columns, 1.5)


def results(text="plain"):
    """Return one of each kind, with a text wherever a user's text may be."""
    share = estimate(0.1, 0.2, 0.4, text, pos_label=text)
    x = np.linspace(0.0, 1.0, 30)
    draws = x * np.linspace(0.5, 1.0, 60)[:, np.newaxis]
    draws[:, 3] = np.nan
    rows = EstimateTable((text,), (share,), (text,), (text,))
    return [
        share,
        CurveBand.from_draws(text, x, draws, np.ones(60), x_name=text, y_name=text),
        rows,
        DecisionZone(0.25, 0.75, share, np.array([True, False, True])),
        Verdict([Reason(text, "misfit", text, np.inf, 1.0)]),
        matrix([text, "other"]),
        suspects(3, text),
    ]


KINDS = [type(result).__name__ for result in results()]


# --- sentences -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ends", "sentence"),
    [
        (
            "precision",
            (0.63, 0.78, 0.90),
            "Of 100 items predicted positive 78 are truly positive (63 to 90).",
        ),
        ("recall", (0.74, 0.90, 0.97), "It finds 90 of 100 positives (74 to 97)."),
        (
            "specificity",
            (0.88, 0.92, 0.95),
            "Of 100 negatives 92 are predicted negative (88 to 95).",
        ),
        (
            "false_positive_rate",
            (0.05, 0.08, 0.12),
            "Of 100 negatives 8 are predicted positive (5 to 12).",
        ),
        ("accuracy", (0.85, 0.91, 0.94), "Of 100 predictions 91 are right (85 to 94)."),
        ("prevalence", (0.0, 0.01, 0.13), "Of 100 items 1 is positive (0 to 13)."),
        (
            "roc_auc",
            (0.91, 0.95, 0.98),
            "The ROC AUC is 0.95 (0.91 to 0.98).",
        ),
        (
            "average_precision",
            (0.40, 0.63, 0.79),
            "The average precision is 0.63 (0.40 to 0.79).",
        ),
        ("mean", (3.1, 3.42, 3.8), "The mean is 3.42 (3.10 to 3.80)."),
        (
            "true_positives",
            (70.0, 83.0, 1095.0),
            "The number of true positives is 83 (70 to 1,095).",
        ),
        ("f1 - f1", (-0.05, 0.02, 0.09), "The difference of f1 is 0.02 (-0.05 to 0.09)."),
        ("recall at threshold -2", (0.74, 0.90, 0.97), "At threshold -2, it finds 90 of 100"),
        ("recall at threshold 2 - recall", (0.74, 0.90, 0.97), "The recall at threshold 2 - rec"),
    ],
)
def test_shares_are_reported_in_counts(name, ends, sentence):
    assert estimate(*ends, name).sentence(0.4).startswith(sentence)


def test_a_sentence_names_the_threshold_and_the_level_is_free():
    found = estimate(0.74, 0.90, 0.97, threshold=0.5)
    assert found.sentence() == "At threshold 0.5, it finds 90 of 100 positives (74 to 97)."
    ends = re.findall(r"\((\d+) to (\d+)\)", found.sentence(0.1))
    assert ends == [tuple(f"{round(100 * end)}" for end in found.interval(0.1))]


def test_what_is_not_defined_is_said():
    nothing = sentence_of("precision", np.nan, (np.nan, np.nan), undefined=1.0, threshold=2.0)
    assert nothing == "At threshold 2, the precision is not defined."
    # The value is then that of zero_division.
    assert nothing == sentence_of("precision", 0.0, (0.0, 0.0), undefined=1.0, threshold=2.0)
    partly = sentence_of("recall", 0.9, (0.8, 0.95), undefined=0.12)
    assert partly.endswith("(80 to 95); with probability 0.12 it is not defined.")
    assert "defined" not in sentence_of("recall", 0.9, (0.8, 0.95), undefined=1e-4)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-2, 1e-3, 1e-4])
def test_counts_carry_what_the_interval_does(scale):
    # Of as many as make the interval an item wide, and its upper end three.
    low, value, high = (scale * share for share in (0.31, 0.42, 0.57))
    n = count_for(value, low, high)
    assert np.log10(n) == round(np.log10(n)) >= 2
    assert n * (high - low) >= 1.0
    assert n * high >= 3.0
    assert n == 100 or n / 10 * (high - low) < 1.0 or n / 10 * high < 3.0
    (k,) = re.findall(
        r"([\d,]+) (?:is|are) positive", sentence_of("prevalence", value, (low, high))
    )
    assert abs(int(k.replace(",", "")) / n - value) <= 0.5 / n


def test_headlines_are_sentences_in_counts_and_what_intervals_mean():
    rows = (
        estimate(0.6, 0.7, 0.8),
        estimate(0.6, 0.7, 0.8, "f1"),
        estimate(0.6, 0.7, 0.8, "roc_auc"),
    )
    *said, meaning = EstimateTable(("recall", "f1", "roc auc"), rows).headlines()
    assert said == [rows[0].sentence(), rows[2].sentence()]
    assert meaning.startswith("In parentheses: 40% intervals")
    assert EstimateTable(("f1",), rows[1:2]).headlines() == EstimateTable((), ()).headlines() == ()
    # More are read as a table.
    assert len(table(MAX_HEADLINES).headlines()) == MAX_HEADLINES + 1
    assert table(MAX_HEADLINES + 1).headlines() == ()


# --- values ----------------------------------------------------------------------------


def test_what_is_not_finite_is_none():
    _, band, *_ = results()
    value = band.to_dict()["value"]
    assert [k for k, number in enumerate(value) if number is None] == [3]
    (reason,) = Verdict([Reason("a", "ok", "text", np.inf, 1.0)]).to_dict()["reasons"]
    assert reason["value"] is None


@pytest.mark.parametrize("result", results(), ids=KINDS)
def test_frames_have_the_values(result):
    frame = result.to_frame()
    assert len(frame)
    record = result.to_dict()
    for name in {"value", "lower", "upper"} & set(frame) & set(record):
        known = np.array(record[name], dtype=float).ravel()
        assert np.array_equal(frame[name].to_numpy(), known, equal_nan=True)


# --- HTML ------------------------------------------------------------------------------

VOID = {"path", "br", "line", "rect"}


class Fragment(HTMLParser):
    """The elements and the text of a fragment; open elements must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] != "style":
            self.texts.append(data)


@pytest.mark.parametrize("place", range(len(KINDS)), ids=KINDS)
def test_html_is_escaped(place):
    plain, nasty = (Fragment(results(text)[place]._repr_html_()) for text in ("plain", NASTY))
    assert plain.tags == nasty.tags
    assert "script" not in plain.tags
    if any("plain" in text for text in plain.texts):
        assert any(NASTY in text for text in nasty.texts)


@pytest.mark.parametrize("place", range(len(KINDS)), ids=KINDS)
def test_a_name_turns_nothing_around_it(place):
    plain, turned = (Fragment(results(text)[place]._repr_html_()) for text in ("plain", TURNED))
    assert plain.tags == turned.tags
    assert any(TURNED[1:5] in text for text in turned.texts) == any(
        "plain" in t for t in plain.texts
    )
    for text in turned.texts:
        assert not set(text) & {"\u202e", "\u2066"}
        # Each is isolated from what is around it.
        if TURNED[1:5] in text:
            assert text.strip().startswith("\u2068")
            assert text.strip().endswith("\u2069")


def test_a_curve_is_drawn_where_it_is_finite():
    band = results()[1]
    html = band._repr_html_()
    value, edges = re.findall(r' d="M([^"Z]*)', html)[::-1]
    assert value.count(",") == len(band.x) - 1
    assert edges.count(",") == 2 * (len(band.x) - 1)
    flat = CurveBand.from_draws("a", [0.0, 1.0], np.full((9, 2), np.nan), np.ones(9))
    assert "svg" not in Fragment(flat._repr_html_()).tags


def test_an_empty_table_shows_itself():
    empty = EstimateTable((), ())
    assert empty.to_dict()["estimates"] == []
    assert "No estimates" in Fragment(empty._repr_html_()).texts
    assert "no estimates" in repr(empty)
    assert "No label is suspect." in Fragment(suspects(0)._repr_html_()).texts


# --- plain text ------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, MAX_ROWS])
def test_a_table_prints_all_rows_up_to_a_screen(n):
    lines = repr(table(n)).splitlines()
    assert len(lines) == n + 2
    assert [line.split()[1] for line in lines[2:]] == list(map(str, range(n)))
    # The numbers are in columns.
    assert len({line.index("0.600") for line in lines[2:]}) == 1
    lines = repr(suspects(n)).splitlines()
    assert len(lines) == n + 2
    assert [line.split()[0] for line in lines[2:]] == list(map(str, range(n)))


def test_a_confusion_matrix_prints_as_a_matrix():
    heading, names, *rows = repr(matrix(["cat", "a long name", "dog"])).splitlines()
    assert heading.startswith("ConfusionMatrix")
    assert len({len(line) for line in (names, *rows)}) == 1
    cells = [[int(cell) for cell in row.split()[-3:]] for row in rows]
    assert np.array_equal(cells, np.arange(9).reshape(3, 3))


@pytest.mark.parametrize("n", [2, 10, 20, 60])
def test_a_confusion_matrix_fits_a_screen(n):
    lines = repr(matrix([f"class {k}" for k in range(n)])).splitlines()
    assert max(map(len, lines)) <= MAX_WIDTH
    assert len(lines) in (1, n + 2)
    assert (len(lines) > 1) == (n <= 10)


def test_errors_and_hits_add_up_to_what_they_are_a_part_of(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    total = rng.integers(1, 10_000, size=500)
    # Halves are frequent: the median of an even number of draws.
    errors = np.round(2.0 * total * rng.random(500)) / 2.0
    for n, n_errors in zip(total.tolist(), errors.tolist(), strict=True):
        assert whole(n_errors) + whole(n - n_errors, is_error=False) == n
        assert abs(whole(n_errors) - n_errors) <= 0.5
