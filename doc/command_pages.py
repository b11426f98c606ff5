"""Write a page of each command from its parser: ``python doc/command_pages.py FOLDER``."""

import argparse
import re
import sys
from pathlib import Path

from sklearn_spe.application.command_line._option_table import parser_of_commands

# How each is called, and where the guide says what it computes.
EXAMPLES = {
    "estimate": (
        "sklearn-spe estimate scores.csv --score score --label label --threshold 0.5",
        ("honest_default", "ten_classes", "subgroups", "guarantees"),
    ),
    "compare": (
        "sklearn-spe compare scores.csv --scores old new --label label --plot both.png",
        ("several_systems", "judges"),
    ),
    "report": (
        "sklearn-spe report scores.csv --score score --label label -o report.html",
        ("report",),
    ),
    "suggest": (
        "sklearn-spe suggest scores.csv --score score --label label -n 20 --out labels.csv",
        ("active_testing", "resume_labeling", "annotators"),
    ),
    "find": (
        "sklearn-spe find scores.csv --score score --label label --precision 0.9 --budget 200",
        ("goals", "proofs", "annotators"),
    ),
    "review": (
        "sklearn-spe review texts.csv --score score --label relevant --recall 0.8 --out next.csv",
        ("reviews",),
    ),
    "verify": ("sklearn-spe verify evidence.json", ("proofs",)),
    "readings": (
        "sklearn-spe readings study.csv --case case --reader reader --score rating --label truth",
        ("reading_studies",),
    ),
    "plan": (
        "sklearn-spe plan --items 2000 --prevalence 5% --auc 0.9",
        ("how_many_labels",),
    ),
    "mean": ("sklearn-spe mean grades.csv --label grade --judge judge", ("means",)),
    "judge": ("sklearn-spe judge answers.jsonl --gate 'new > in use'", ("judge_files", "judges")),
}
PAGE = """.. _command_{name}:

{title}
{line}

{description}

.. code-block:: bash

   {example}

In the guide: {links}. Files, output and exit status: :doc:`/user_guide/command_line`.

{groups}
"""


def commands():
    """Return the parser of each command by its name, in the order of the help."""
    return next(
        action.choices
        for action in parser_of_commands()._actions
        if isinstance(action, argparse._SubParsersAction)
    )


# Options, and what is quoted, are shown as they are typed.
TYPED = re.compile(r"(--[\w-]+|'[^']+')")


def as_text(said):
    """Return the help of an option as reStructuredText."""
    parts = enumerate(TYPED.split(said))
    return "".join(
        f"``{part}``" if place % 2 else re.sub(r"([*_`|\\])", r"\\\1", part)
        for place, part in parts
    )


def described(action):
    """Return an option, or the file, as an item of a definition list."""
    shown = argparse.HelpFormatter("")._format_args(action, (action.dest or "").upper())
    names = ", ".join(action.option_strings)
    head = f"``{' '.join(filter(None, [names, shown]))}``"
    said = as_text((action.help or "").replace("%%", "%"))
    # Few choices stand in place of the value.
    listed = f" One of {', '.join(action.choices)}." if action.choices and action.metavar else ""
    needed = " Required." if action.required and action.option_strings else ""
    return f"{head}\n   {said[:1].upper()}{said[1:]}.{needed}{listed}"


def page_of(name, parser):
    """Return the text of the page of a command."""
    example, guide = EXAMPLES[name]
    groups = []
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if not isinstance(a, argparse._HelpAction)]
        if actions:
            title = {"positional arguments": "the file"}.get(group.title, group.title)
            title = title[:1].upper() + title[1:]
            items = "\n\n".join(map(described, actions))
            groups.append(f"{title}\n{'-' * len(title)}\n\n{items}\n")
    title = f"sklearn-spe {name}"
    return PAGE.format(
        name=name,
        title=title,
        line="=" * len(title),
        description=parser.description,
        example=example,
        links=", ".join(f":doc:`/user_guide/{page}`" for page in guide),
        groups="\n".join(groups),
    )


def write(folder):
    """Write the page of each command into a folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, parser in commands().items():
        text = page_of(name, parser)
        path = folder / f"{name}.rst"
        # A page that is as it was is not built again.
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    write(sys.argv[1])
