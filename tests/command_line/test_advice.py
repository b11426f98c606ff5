"""What a verdict advises can be done where it is read."""

import argparse
import ast
import inspect
import re
from pathlib import Path

import pytest

import sklearn_spe
from sklearn_spe import ActiveTestSelector, PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.command_line._answer import Words
from sklearn_spe.command_line._parsers import parser_of_commands

ROOT = Path(sklearn_spe.__file__).parent
ESTIMATORS = (SemisupervisedScoreMixture, PerformanceCurveEstimator, ActiveTestSelector)
# A parameter as it is written, or a word of several parts as only names have them.
NAME = re.compile(r"(?<![\w.-])([a-z]+(?:_[a-z]+)*)=(?!=)|(?<![\w.-])([a-z]+(?:_[a-z]+)+_?)(?!\w)")
# Not options: what is said to be of Python, what only Python chooses, and a column of tables.
NO_OPTIONS = {"prevalence_prior", "method", "spe_skipped"}


def text_of(node):
    """Return a string as it stands in the source; what is filled in is left open."""
    parts = getattr(node, "values", [node])
    return "".join(part.value if isinstance(part, ast.Constant) else "..." for part in parts)


def strings_of(path):
    """Yield what a module that makes reasons says: each text, but for names and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (is_text or isinstance(node, ast.JoinedStr)) and id(node) not in inside:
            text = text_of(node)
            if " " in text or "=" in text:
                yield text


MODULES = [
    path
    for room in ("checks", "models", "active")
    for path in sorted((ROOT / room).rglob("*.py"))
    if re.search(r"\bReason\(", path.read_text(encoding="utf-8")) and path.parent.name != "matches"
]
TEXTS = [(path.stem, text) for path in MODULES for text in strings_of(path)]


def named(text):
    """Return the parameters and attributes that a text names, without values in quotes."""
    return {name or word for name, word in NAME.findall(re.sub(r"(?<==)'\w+'", "", text))}


def can_be_asked_for():
    """Return the parameters and attributes of estimators, and what `fit` takes."""
    known = set()
    for cls in ESTIMATORS:
        known |= {*cls().get_params(), *inspect.signature(cls.fit).parameters, *dir(cls)}
        known |= set(re.findall(r"^    (\w+_) : ", cls.__doc__, flags=re.M))
    return known


def commands():
    """Return the options of each command, as they are once it is called."""
    (of_all,) = (
        a for a in parser_of_commands()._actions if isinstance(a, argparse._SubParsersAction)
    )
    return {
        name: {action.dest: None for action in parser._actions}
        for name, parser in of_all.choices.items()
        if name in ("estimate", "compare", "report", "suggest", "find")
    }


def test_texts_are_found():
    assert len(MODULES) >= 8
    assert any("Label more items" in text for _, text in TEXTS)
    assert named("Use experts with more n_curves; or proposal='adaptive'") == {
        "n_curves",
        "proposal",
    }


def test_what_is_advised_is_a_parameter_of_an_estimator():
    known = can_be_asked_for()
    assert {(where, name) for where, text in TEXTS for name in named(text) - known} == set()


@pytest.mark.parametrize(("command", "options"), commands().items())
def test_what_a_command_advises_is_an_option(command, options):
    words = Words(argparse.Namespace(**options))
    for where, text in TEXTS:
        # A label model, and the bare mixture that is told to take experts, were asked for: where
        # there is no such option nobody could.
        if named(text) & {"experts", "label_model"} - options.keys():
            continue
        said = words(text)
        assert named(said) <= NO_OPTIONS, (where, said)
        for option in re.findall(r"--([a-z-]+)", said):
            assert option.replace("-", "_") in options, (where, said)
        assert "prevalence_prior" not in said or "prevalence_prior= in Python" in said
