"""Nights end, go on where they were, and say which failures are more than chance."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NIGHTLY = (ROOT / ".ci" / "nightly").read_text(encoding="utf-8")
CASE = '<testcase classname="tests.a" name="{name}">{failure}</testcase>'


def failed_seeds(folder, n_seeds, *runs):
    """Return status and text for runs, each the names of tests and of those that failed."""
    paths = []
    for number, (names, failed) in enumerate(runs):
        cases = (CASE.format(name=n, failure="<failure/>" * (n in failed)) for n in names)
        paths.append(folder / f"{number}.xml")
        paths[-1].write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    command = [
        sys.executable,
        str(ROOT / ".ci" / "failed_seeds.py"),
        str(n_seeds),
        *map(str, paths),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout


@pytest.mark.parametrize(
    ("failed", "status"),
    [
        # A right test fails once in 100,000 runs: in one of twenty seeds, not in two.
        ([], 0),
        (["test_b[seed0]"], 0),
        (["test_b[seed0]", "test_b[seed5]"], 1),
        (["test_c"], 1),
    ],
)
def test_failures_of_all_parts_are_counted_together(tmp_path, failed, status):
    parts = [
        (["test_c", *(f"test_b[seed{seed}]" for seed in seeds)], failed)
        for seeds in (range(4), range(4, 8), range(8, 20))
    ]
    ended, text = failed_seeds(tmp_path, 20, *parts)
    assert ended == status, text
    assert "of 23 runs failed" in text


def test_each_step_of_a_night_has_a_function_and_a_budget():
    steps = re.search(r"^steps=\(\n(.*?)\n\)", NIGHTLY, re.MULTILINE | re.DOTALL)[1].split()
    budgets = dict(re.findall(r"\[(\w+)\]=(\d+)", NIGHTLY))
    assert steps == list(budgets)
    for step in steps:
        assert re.search(rf"^{step}\(\) {{", NIGHTLY, re.MULTILINE)
        # A part of ninety minutes has room for each.
        assert int(budgets[step]) < 90 * 60
