"""What a verdict or an error advises can be done where it is read."""

import argparse
import ast
import pickle
import re
from pathlib import Path

import pytest

import sklearn_spe
from sklearn_spe.application.command_line._answer import OF_PARAMETERS, Words
from sklearn_spe.application.command_line._option_table import WITHOUT_TABLE, parser_of_commands
from sklearn_spe.exceptions import LabelMarkerWarning, ParameterError, ParameterTypeError
from sklearn_spe.inputs._labels import encode_labels
from sklearn_spe.inputs._validation import check_count
from sklearn_spe.results._remedies import PLAIN, PYTHON, SLOT, Remedy
from sklearn_spe.results._verdict import Reason

ROOT = Path(sklearn_spe.__file__).parent
# A parameter as it is written, or a word of several parts as only names have them.
NAME = re.compile(r"(?<![\w.-])([a-z]+(?:_[a-z]+)*)=(?!=)|(?<![\w.-])([a-z]+(?:_[a-z]+)+_?)(?!\w)")
# Not options: what is said to be of Python, and a column of tables.
NO_OPTIONS = {"prevalence_prior", "spe_next"}
# Parameters that no command has: nobody is told of them there.
IN_PYTHON_ONLY = {"label_model", "method"}


def text_of(node):
    """Return a string as it stands in the source; what is filled in is left open."""
    parts = getattr(node, "values", [node])
    return "".join(part.value if isinstance(part, ast.Constant) else "..." for part in parts)


def texts_of(node, tree):
    """Return the texts of an argument: those that are assigned to it, if it is a name."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return [text_of(node)]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Remedy":
        python = {keyword.arg: text_of(keyword.value) for keyword in node.keywords}
        return [Remedy(text, **python) for text in texts_of(node.args[0], tree)]
    assigned = (n for n in ast.walk(tree) if isinstance(n, ast.Assign))
    values = [n.value for n in assigned if ast.unparse(node) in map(ast.unparse, n.targets)]
    written = (v for v in values if isinstance(v, ast.Constant | ast.JoinedStr | ast.Call))
    return [text for value in written for text in texts_of(value, tree)]


def reasons_in(path):
    """Yield the reasons that a module makes, with the texts as they stand in the source."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    fields = ("name", "verdict", "problem", "value", "limit", "remedy", "parameter")
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "Reason":
            continue
        given = dict(zip(fields, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
        names = texts_of(given["name"], tree) or [""]
        parameter = text_of(given["parameter"]) if "parameter" in given else None
        for problem in texts_of(given["problem"], tree) or [""]:
            for remedy in texts_of(given["remedy"], tree) if "remedy" in given else [""]:
                yield Reason(names[0], "ok", problem, 0.0, 1.0, remedy, parameter)


REASONS = [
    reason
    for part in ("results/_part_reasons.py", "checks", "goals", "models", "active")
    for path in sorted({ROOT / part, *(ROOT / part).rglob("*.py")})
    if path.suffix
    for reason in reasons_in(path)
]


def named(text):
    """Return the parameters and attributes that a text names, without values in quotes."""
    return {name or word for name, word in NAME.findall(re.sub(r"(?<==)'\w+'", "", text))}


def commands():
    """Return the options of each command, as they are once it is called."""
    every = parser_of_commands()._actions
    (of_all,) = (a for a in every if isinstance(a, argparse._SubParsersAction))
    return {
        name: {action.dest: None for action in parser._actions} | {"command": name, "label": "y"}
        for name, parser in of_all.choices.items()
    }


COMMANDS = commands()


def words(command="estimate", **given):
    """Return the words of a command."""
    return Words(argparse.Namespace(**(COMMANDS[command] | given)))


def test_reasons_are_found():
    assert len(REASONS) >= 25
    assert sum("Label more items" in reason.remedy for reason in REASONS) >= 3
    assert named("Use experts with more n_curves; or proposal='adaptive'") == {
        "n_curves",
        "proposal",
    }


def test_other_words_are_those_of_parameters_that_exist():
    sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py"))
    for parameter in OF_PARAMETERS:
        assert re.search(rf'(parameter=|^ +|, )"{parameter}"[,)]', sources, flags=re.M), parameter


# These have no fit with such a verdict.
@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in ("mean", *WITHOUT_TABLE)]
)
def test_what_a_command_advises_is_an_option(command):
    for reason in REASONS:
        if reason.parameter in IN_PYTHON_ONLY:
            continue
        # The bare mixture has to be asked for: where there is no such option nobody could.
        if reason.parameter in ("experts", "n_draws") and "experts" not in COMMANDS[command]:
            continue
        said = words(command, smaller_is_positive=False).of_reason(reason).text
        assert named(said) <= NO_OPTIONS, reason
        for option in re.findall(r"--([a-z-]+)", said):
            assert option.replace("-", "_") in COMMANDS[command], reason


def test_each_surface_fills_every_slot():
    of_command = words("find", smaller_is_positive=False).remedies
    assert PYTHON.keys() == PLAIN.keys() == of_command.keys()
    templates = [r.remedy.template for r in REASONS if isinstance(r.remedy, Remedy)]
    slots = {slot.lower() for template in templates for slot in SLOT.findall(template)}
    assert slots - {""} <= PYTHON.keys()
    # Each is of some text.
    sources = "".join(path.read_text(encoding="utf-8").lower() for path in ROOT.rglob("*.py"))
    assert [slot for slot in PYTHON if f"{{{slot}}}" not in sources] == []


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.name)
def test_the_remedy_of_a_reason_has_one_text(reason):
    of_command = words("find", smaller_is_positive=False).of_reason(reason).remedy
    if not isinstance(reason.remedy, Remedy):
        # Only the name of a parameter is another.
        plain = [re.sub(r"[-_=\W]", "", text) for text in (of_command, reason.remedy)]
        assert plain[0] == plain[1]
        return
    # What stands between the slots is the same everywhere.
    between = [text for text in SLOT.split(reason.remedy.template)[::2] if text]
    for remedy in (reason.remedy, of_command, reason.in_words(PLAIN).remedy):
        assert all(text in remedy for text in between)


def test_a_remedy_is_a_string_that_keeps_its_slots():
    remedy = Remedy("{Flip}, or check {pos_label}.", flip="turn")
    assert remedy == "Turn, or check pos_label."
    again = pickle.loads(pickle.dumps(remedy))
    assert (again, again.template) == (remedy, remedy.template)
    # What looks like a slot, such as the name of a system, stays.
    assert Remedy("{nobody} is {flip}", flip="it") == "{nobody} is it"


def error_of(call, *arguments, **given):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(*arguments, **given)
    return caught.value


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            error_of(check_count, 0, "n_draws"),
            "--n-draws must be at least 1, got 0.",
        ),
        (
            error_of(check_count, "n_draws", "n_draws"),
            "--n-draws must be a whole number, got 'n_draws'.",
        ),
        (
            error_of(encode_labels, [1, -1, 1]),
            "column 'kind' holds 1 and -1 only: is -1 a class, or an unlabeled item? Leave "
            "cells without a label empty, and name both classes by --classes.",
        ),
        (
            ParameterError("pos_label='y' is not among them.", parameter="pos_label"),
            "--pos-label 'y' is not among them.",
        ),
        (ParameterError("All of y is it;", "pass it=.", "it"), "All of y is it; pass it=."),
        (ValueError("n_draws of others"), "n_draws of others"),
    ],
)
def test_options_stand_for_parameters_and_values_stay_as_they_are(error, said):
    assert words(label="kind").of_message(error) == said


@pytest.mark.parametrize("cls", [ParameterError, ParameterTypeError, LabelMarkerWarning])
def test_a_message_is_the_problem_and_the_remedy(cls):
    error = cls("y holds it:", "leave it out.", "y")
    assert str(error) == "y holds it: leave it out."
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert (again.problem, again.remedy, again.parameter) == ("y holds it:", "leave it out.", "y")
    assert str(cls("No more.")) == "No more."
