"""The library's texts in the words of options."""

import argparse
import ast
from pathlib import Path

import pytest

import sklearn_spe
from sklearn_spe.command_line._answer import PHRASES, Words

OPTIONS = argparse.Namespace(
    label="truth", classes=None, pos_label=None, n_draws=5, sep=None, smaller_is_positive=False
)


def texts_of(tree):
    """Yield the texts in a file, without what is put into them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_phrase_that_is_translated_is_still_in_the_library():
    root = Path(sklearn_spe.__file__).parent
    files = [path for path in root.rglob("*.py") if path.parent.name != "command_line"]
    said = "\n".join(text for path in files for text in texts_of(ast.parse(path.read_text())))
    assert [phrase for phrase in PHRASES if phrase not in said] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pass classes=['a b', 'c'] and n_draws=7", "pass --classes 'a b' c and --n-draws 7"),
        ("give pos_label='spam', or pos_label=.", "give --pos-label spam, or --pos-label."),
        ("n_draws must be whole: option sep", "--n-draws must be whole: option --sep"),
        ("y holds 'y holds n_draws'; recode y", "column 'truth' holds 'y holds n_draws'; recode "),
        ("an item's y is n_draws_ or my_n_draws", "an item's y is n_draws_ or my_n_draws"),
    ],
)
def test_options_stand_for_parameters_and_cells_stay_as_they_are(text, said):
    assert Words(OPTIONS)(text).startswith(said)
