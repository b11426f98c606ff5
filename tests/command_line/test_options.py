"""Options are parameters of the package, with their defaults, and help comes at once."""

import argparse
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_spe
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.command_line import _option_table
from sklearn_spe.command_line._main import MODULES
from sklearn_spe.command_line._option_table import OPTIONS
from sklearn_spe.command_line._parsers import parser_of_commands
from sklearn_spe.data._cells import KINDS
from sklearn_spe.estimators._selections import GUARANTEES
from sklearn_spe.experts._registry import EXPERTS
from sklearn_spe.goals._goal import _decisions
from sklearn_spe.inputs._validation import MAXIMUM
from sklearn_spe.metrics._metric import RankingMetric
from sklearn_spe.metrics._registry import METRICS, as_metric
from sklearn_spe.metrics._tradeoff import ProbabilityMetric
from sklearn_spe.posterior._operating_points import CURVES
from sklearn_spe.tables._source import NAMED

# On the command line results are the same each time.
OTHER_DEFAULTS = {"random_state"}
README = str(Path(sklearn_spe.__file__).parents[1] / "README.md")
ROWS = [(command, option) for command, options in OPTIONS.items() for option in options]
(COMMANDS,) = (
    action.choices
    for action in parser_of_commands()._actions
    if isinstance(action, argparse._SubParsersAction)
)


@pytest.mark.parametrize(("command", "option"), ROWS, ids=lambda row: getattr(row, "flag", row))
def test_an_option_is_a_parameter_with_its_default(command, option):
    cls, _, method = option.call.partition(".")
    called = getattr(getattr(sklearn_spe, cls), method or "__init__")
    (parameter,) = (
        p for name, p in inspect.signature(called).parameters.items() if name == option.parameter
    )
    default = None if parameter.default is parameter.empty else parameter.default
    assert option.default == default or option.parameter in OTHER_DEFAULTS
    # It is one of the command, and its help tells what happens without it.
    (action,) = (a for a in COMMANDS[command]._actions if option.flag in a.option_strings)
    assert action.dest == option.name
    if option.default is not None and "action" not in option.settings:
        assert f"default: {option.default}" in action.help
        assert action.default in (option.default, None)


def test_names_to_choose_from_are_those_of_the_registries():
    assert _option_table.KINDS == KINDS
    assert tuple(EXPERTS) == _option_table.EXPERTS
    assert set(METRICS) == set(_option_table.METRICS)
    limits = {name: as_metric(name).limits for name in _decisions()}
    assert limits == _option_table.DECISIONS
    for name in METRICS:
        ranking = isinstance(as_metric(name), RankingMetric | ProbabilityMetric)
        assert ranking == (name in _option_table.RANKINGS)
    assert tuple(CURVES) == _option_table.CURVES
    assert tuple(STRATEGIES) == _option_table.STRATEGIES
    assert _option_table.GUARANTEES == GUARANTEES
    assert _option_table.SEPARATORS == NAMED
    assert _option_table.MAXIMUM == MAXIMUM
    assert COMMANDS.keys() == OPTIONS.keys() == MODULES.keys()


LOADED = """
import sys
from sklearn_spe.command_line import main
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
        (("estimate", "--help"), "0"),
        (("estimate", "t.csv", "--label", "y", "--unknown"), "2"),
        (("estimate", "--label", "y"), "2"),
        (("estimate", "t.csv", "--label", "y", "--n-draws", "few"), "2"),
        # What is read needs numpy, and the sparse matrices of scipy; a fit needs all.
        (("estimate", "t.csv", "--label", "y", "--score", "y"), "2 scipy numpy"),
        (("estimate", "t.csv", "--label", "y", "--score", "s"), "2 scipy numpy"),
        (("estimate", README, "--label", "y", "--score", "s"), "2 scipy numpy"),
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
