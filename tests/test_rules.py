"""Every constant of the label update is in the table of its rules, and nothing else is."""

import ast
import re
from collections import Counter
from pathlib import Path

import sklearn_spe

PACKAGE = Path(sklearn_spe.__file__).parent
TABLE = PACKAGE.parent / "doc" / "decisions.rst"
PARTS = "experts", "engine", "checks", "posterior"


def constants():
    """Return the names of module constants, with those of their modules."""
    for part in PARTS:
        for path in sorted((PACKAGE / part).glob("*.py")):
            for statement in ast.parse(path.read_text()).body:
                targets = getattr(statement, "targets", [getattr(statement, "target", None)])
                for target in targets:
                    for name in getattr(target, "elts", [target]):
                        if isinstance(name, ast.Name) and name.id.isupper():
                            yield f"{path.stem}.{name.id}"


def test_each_constant_has_one_place_in_the_table_of_rules():
    text = TABLE.read_text()
    section = text[text.index(".. _rules-of-the-label-update:") :]
    section = section[: section.index("Intervals and verdicts\n---")]
    named = re.findall(r"``(_\w+\.[A-Z_]+)``", section)
    assert Counter(named) == Counter(constants())
