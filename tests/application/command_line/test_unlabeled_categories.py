"""A category without labels is unidentified wherever a command shows it."""

import numpy as np
import pytest

from tests.application.command_line.data import run

N, N_LABELED = 120, 60
TEXT = "No item of category 'new' is labeled."
COMMON = ("--label", "y", "--category", "month")


@pytest.fixture
def table(tmp_path, global_random_seed):
    """Return a file with flags and grades, whose newer half has no label."""
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(N) < 0.4).astype(int)
    truth[:4] = 0, 1, 0, 1
    scores = (rng.normal(size=(N, 2)) + 2.0 * truth[:, np.newaxis]).tolist()
    lines = ["month,s,t,y"]
    for i, (s, t) in enumerate(scores):
        month, label = ("old", truth[i]) if i < N_LABELED else ("new", "")
        lines.append(f"{month},{s!r},{t!r},{label}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("command", "columns"),
    [
        ("estimate", ("--score", "s")),
        ("compare", ("--scores", "s", "t")),
        ("report", ("--score", "s")),
        ("mean", ("--judge", "s")),
    ],
)
def test_it_is_said_and_is_the_exit_status(table, tmp_path, capsys, command, columns):
    out = ("--out", tmp_path / "page.html") if command == "report" else ()
    draws = ("--n-draws", "60")
    assert run(command, table, *columns, *COMMON, *draws, *out) == 3
    text = " ".join(capsys.readouterr().out.split())
    assert "Verdict: unidentified" in text
    assert f"{TEXT} Label some of these {N - N_LABELED} items" in text
    if out:
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "No item of category" in page
