"""Options are parameters of the package, with their defaults, and help comes at once."""

import argparse
import inspect
import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import sklearn_spe
from sklearn_spe import (
    ActiveTestSelector,
    MeanEstimator,
    PerformanceCurveEstimator,
    PerformanceReport,
    SemisupervisedScoreMixture,
)
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.application import ExpectedWidths, main_estimates, plan_labels
from sklearn_spe.application.command_line import _option_values
from sklearn_spe.application.command_line._option_table import (
    COMMANDS,
    HELP,
    OPTIONS,
    parameter_of,
    parser_of_commands,
)
from sklearn_spe.application.report._mean_page import MeanReport
from sklearn_spe.design import verify_evidence
from sklearn_spe.experts._registry import EXPERTS
from sklearn_spe.inputs import arrange_readings
from sklearn_spe.metrics._registry import ALIASES, METRICS, METRICS_OF_ROWS
from sklearn_spe.posterior._registry import CURVES
from tests.application.command_line.data import COLUMNS, run, table

# On the command line results are the same each time, and a study is compared by the area, and asked
# about readers and cases like those in it.
OTHER_DEFAULTS = {"random_state", "readings metric", "readings target", "readings readers"}
README = str(Path(sklearn_spe.__file__).parents[1] / "README.md")
# What options are parameters of, by command.
_CURVE = PerformanceCurveEstimator
_FIT = (SemisupervisedScoreMixture, _CURVE, _CURVE.fit)
_LABELING = (ActiveTestSelector, ActiveTestSelector.fit, ActiveTestSelector.should_stop)
CALLS = {
    "estimate": (*_FIT, main_estimates, _CURVE.estimate, _CURVE.threshold_for),
    "compare": (*_FIT, main_estimates, _CURVE.ranking_proba),
    "report": (*_FIT, PerformanceReport.from_estimator),
    "suggest": _LABELING,
    "find": (*_LABELING, _CURVE.threshold_for),
    "review": _LABELING,
    "verify": (verify_evidence,),
    "plan": (plan_labels, ExpectedWidths.labels_for),
    "readings": (*_FIT, arrange_readings, _CURVE.estimate, _CURVE.difference),
    "mean": (
        *(MeanEstimator, MeanEstimator.fit, MeanEstimator.estimate, MeanReport.from_estimator),
    ),
    "judge": (_CURVE, _CURVE.fit, MeanEstimator.estimate),
}
ROWS = [(command, name) for command, each in COMMANDS.items() for name in each.options]
(PARSERS,) = (
    action.choices
    for action in parser_of_commands()._actions
    if isinstance(action, argparse._SubParsersAction)
)


@pytest.mark.parametrize(("command", "name"), ROWS)
def test_an_option_is_a_parameter_with_its_default(command, name):
    (action,) = (a for a in PARSERS[command]._actions if a.dest == name)
    if (parameter := parameter_of(command, name)) is None:
        return
    signatures = [inspect.signature(call).parameters for call in CALLS[command]]
    found = [own[parameter].default for own in signatures if parameter in own]
    assert found
    if {name, f"{command} {name}"} & OTHER_DEFAULTS or action.const is not None:
        return
    # The level of a goal is that of the method, not of the estimator.
    default = found[-1 if name == "goal_probability" else 0]
    default = None if default is inspect.Parameter.empty else default
    assert action.default in (default, None) or action.default == []
    # Its help tells what happens without it.
    if default is not None:
        assert f"default: {default}" in action.help


def test_every_option_is_of_a_command_and_has_a_help():
    assert {name for _, name in ROWS} == OPTIONS.keys()
    own = {f"{command} {name}" for command, name in ROWS}
    assert HELP.keys() <= OPTIONS.keys() | own
    assert all(name in HELP or f"{command} {name}" in HELP for command, name in ROWS)


def test_names_to_choose_from_are_those_of_the_registries():
    for names, read in (
        ({*METRICS} - {*METRICS_OF_ROWS}, _option_values.METRIC),
        ({*METRICS, *CURVES} - {*METRICS_OF_ROWS}, _option_values.METRIC_OR_CURVE),
        ({"auto", "none", *EXPERTS}, _option_values.EXPERT),
        (STRATEGIES, _option_values.STRATEGY),
    ):
        assert [read(name) for name in names] == list(names)
        with pytest.raises(argparse.ArgumentTypeError) as error:
            read("nothing of this kind")
        (listed,) = re.findall(r"\(choose from (.*)\)", str(error.value))
        assert set(listed.split(", ")) == set(names)


def test_a_name_in_use_elsewhere_is_that_of_a_metric():
    for alias, name in ALIASES.items():
        if name not in METRICS_OF_ROWS:
            assert _option_values.METRIC(alias) == name
    with pytest.raises(argparse.ArgumentTypeError, match="It is 'false_positive_rate' at the"):
        _option_values.METRIC("fpr95")


LOADED = """
import sys
from sklearn_spe.application.command_line import main
try:
    status = main(sys.argv[1:])
except SystemExit as stop:
    status = stop.code
print(status, *(name for name in ("sklearn", "scipy", "numpy", "joblib") if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (("--help",), "0"),
        # A process each: one of either kind here, and the others with the slow tests.
        pytest.param(("estimate", "--help"), "0", marks=pytest.mark.slow),
        pytest.param(
            ("estimate", "t.csv", "--label", "y", "--unknown"), "2", marks=pytest.mark.slow
        ),
        (("estimate", "--label", "y"), "2"),
        (("estimate", "t.csv", "--label", "y", "--n-draws", "few"), "2"),
        # What is read needs numpy, and the sparse matrices of scipy; a fit needs all.
        (("estimate", "t.csv", "--label", "y", "--score", "y"), "2 scipy numpy"),
        *(
            pytest.param(
                ("estimate", path, "--label", "y", "--score", "s"),
                "2 scipy numpy",
                marks=pytest.mark.slow,
            )
            for path in ("t.csv", README)
        ),
        (("find", README, "--label", "y", "--score", "s", "--recall", "0.9"), "2 scipy numpy"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else str(part),
)
def test_help_and_errors_of_options_load_no_library_of_a_fit(arguments, last):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == last
    assert len(done.stderr.splitlines()) == (last != "0")


def test_messages_do_not_repeat_all_of_what_is_received(tmp_path, capsys):
    path, long = table(tmp_path / "t.csv"), "a" * 100_000
    several = tmp_path / "several.csv"
    several.write_text(f"{long},y\n0.5,{long}\n0.25,1\n0.125,2\n")
    calls = [
        ("estimate", path, "--score", long, "--label", "y"),
        ("estimate", path, *COLUMNS, "--classes", long, long),
        ("estimate", path, *COLUMNS, "--pos-label", long),
        ("estimate", several, "--score", long, "--label", "y"),
        ("compare", path, "--scores", "s", long, "--label", "y"),
        ("report", path, *COLUMNS, "--goal", long),
        ("mean", path, "--label", long),
        ("suggest", long, *COLUMNS),
    ]
    for call in calls:
        with suppress(SystemExit):
            assert run(*call) == 2
        assert 20 < len("".join(capsys.readouterr())) < 20_000
        with suppress(SystemExit):
            assert run(*call, "--json") == 2
        out, err = capsys.readouterr()
        assert 20 < len(err) < 20_000
        assert not out or len(json.loads(out)["error"]) < 20_000


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("auc", "roc_auc"),
        ("MCC", "matthews_corrcoef"),
        ("npv", "negative_predictive_value"),
        ("tpr", "recall"),
        ("f1-score", "f1"),
    ],
)
def test_names_in_use_elsewhere_are_read(alias, name):
    parser = parser_of_commands()
    options = ("compare", "t.csv", "--scores", "a", "b", "--label", "y", "--metric", alias)
    assert parser.parse_args(options).metric == name
    goal = ("estimate", "t.csv", "--score", "a", "--label", "y", "--goal", f"{alias}=0.5")
    assert parser.parse_args(goal).goal == [(name, 0.5)]
