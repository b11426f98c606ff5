"""Docstring summaries, messages and names use the field's words; the tables say which."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "sklearn_spe"

# Whole words that sentences do not use, as regular expressions, and what to use instead.
WORDS = {
    r"laws?": "distribution",
    r"slack": "discrepancy",
    r"item slack": "random effects",
    r"judg(ed|ing)": "updated, weighted, rated",
    r"banks?": "prior curves, ensemble",
    r"(intervals?|bands?) (that )?holds?": "the interval covers; coverage",
    r"says? (little|nothing)|next to nothing": "holds little information",
    r"promise[sd]?|promising": "guarantee, with probability",
    r"sure (answers?|bounds?)": "worst-case and best-case bounds",
    r"wealth|capital|rivals?|staking": "e-process, e-value, bet",
    r"timely": "finite-horizon",
    r"chances? of (a |the )?draws?": "inclusion probability",
    r"arms?": "estimator",
    r"boards?": "ranked lists, row",
    r"claim(s|ed)?": "match",
    r"(un)?vetted": "verified",
    r"forgotten|forgets?": "removed",
    r"surprising": "suspect",
    r"doubt(s|ful|ed)?": "misspecification, evidence against",
    r"waves?": "basis functions",
    r"lapses?(?! rates?)": "lapse rate",
    r"shel(f|ves)": "contamination at the top",
    r"openings?": "start",
    r"foreseen|foresees?": "predictive, predicted",
    r"mistakes of (one score|structure)": "error model",
    r"turned|orientations?": "flipped, score direction",
    r"rising|falling": "increasing, decreasing",
    r"greatest": "largest",
    r"(is|are|was|were) told": "is given",
    r"tells? (of|apart|nothing|most)": "is informative on, identifies",
    r"hears?|heard": "uses, has data of",
    r"believe[sd]?": "assumes; is reliable",
    r"recipes?": "settings",
    r"st(ands?|ood) for": "represents",
    r"bends?|bent": "basis",
    r"silences?|silent": "missingness",
    r"labell\w+": "label-, with one l",
    r"evidence by place": "switching between rank strata",
    r"heaps?": "mode, component",
    # Clauses in which a noun names the thing.
    r"what (is|was|else is) known (of|about)": "information on",
    r"what (is|are|was|were|it|they|an?|the|all|each|every|some|one|has|had|may|must|can)"
    r"(?! following)": "a noun that names the thing",
    r"nobody|whoever|whatever": "no one; for any; a noun that names the thing",
    r"says? (so|which|what|where|how)|is said": "states, shows; a noun that names the thing",
    r"of (its|their|one's) own": "separate; with one ... for each",
    r"as if": "under the assumption that",
    r"in the place of": "instead of, replacing",
}
# Parts that names of functions and classes do not have, and what to use instead.
PARTS_OF_NAMES = {
    "law": "distribution",
    "laws": "distributions",
    "slack": "discrepancy",
    "bank": "curves, ensemble",
    "wealth": "e_value",
    "capital": "e_value",
    "rival": "e_process",
    "timely": "finite_horizon",
    "sides": "below, above; side",
    "sure": "worst_case, best_case",
    "promise": "guarantee",
    "arm": "estimator",
    "board": "list",
    "claim": "match",
    "vetted": "verified",
    "forgotten": "removed",
    "surprising": "suspect",
    "waves": "basis",
    "shelf": "contamination",
    "opening": "start",
    "foreseen": "predictive",
    "orientation": "direction",
    "rising": "increasing",
    "falling": "decreasing",
    "greatest": "largest",
    "told": "given",
    "hears": "uses",
    "believes": "assumes",
    "recipe": "settings",
    "silence": "missingness",
}

SENTENCES = {re.compile(rf"\b({word})\b"): use for word, use in WORDS.items()}
NAMES = {re.compile(rf"(?<![a-z]){part}(?![a-z])"): use for part, use in PARTS_OF_NAMES.items()}
TABLES = {"summary": SENTENCES, "message": SENTENCES, "name": NAMES}
# Most texts have none of the words: they are read once for all.
ANY_WORD = {
    kind: re.compile("|".join(pattern.pattern for pattern in table))
    for kind, table in TABLES.items()
}

# Nodes without calls, which are not searched, for speed.
LEAVES = ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.arg, ast.alias
DEFINITIONS = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
# Calls whose texts a user reads.
SHOWN = re.compile(r"\w*(warn\w*|Error|Warning|Reason|Remedy)$")
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Text(NamedTuple):
    """A summary, a message or a name, where it is, and its words on one line."""

    kind: str
    place: str
    words: str


def texts_of(module: str, name: str) -> Iterator[Text]:
    """Yield the docstring summaries, the messages and the names of the code of a module."""
    nodes: list[ast.AST] = [ast.parse(module)]
    while nodes:
        node = nodes.pop()
        nodes += [each for each in ast.iter_child_nodes(node) if not isinstance(each, LEAVES)]

        if isinstance(node, DEFINITIONS):
            place = f"{name}:{getattr(node, 'lineno', 1)}"
            if not isinstance(node, ast.Module):
                yield Text("name", place, CAPITAL.sub("_", node.name).lower())
            first = node.body[0] if node.body else None
            docstring = first.value if isinstance(first, ast.Expr) else None
            if isinstance(docstring, ast.Constant) and isinstance(docstring.value, str):
                summary = re.split(r"\n\s*\n", docstring.value.strip())[0]
                yield Text("summary", place, " ".join(summary.split()))
        elif isinstance(node, ast.Call) and is_shown(node.func):
            yield from (
                Text("message", f"{name}:{node.lineno}", message) for message in messages_in(node)
            )


def is_shown(function: ast.expr) -> bool:
    """Return whether texts that a function or a class is called with are shown to users."""
    while isinstance(function, ast.Attribute):
        if SHOWN.match(function.attr):
            return True
        function = function.value
    return isinstance(function, ast.Name) and SHOWN.match(function.id) is not None


def messages_in(call: ast.Call) -> Iterator[str]:
    """Yield the arguments of a call that are sentences, without the values filled in."""
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        parts = [
            node.value
            for node in ast.walk(argument)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        message = " ".join(" ".join(parts).split())
        if " " in message:
            yield message


def faults_of(text: Text) -> Iterator[str]:
    """Yield each wrong word of a text, with its place and what to use instead."""
    words = text.words.lower()
    if not ANY_WORD[text.kind].search(words):
        return
    for pattern, use in TABLES[text.kind].items():
        if match := pattern.search(words):
            yield f"{text.place}: {match[0]!r} in {text.words[:90]!r}; use: {use}"


@cache
def texts_of_package() -> dict[str, list[Text]]:
    """Return all texts of the package by kind."""
    texts = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE.parent))
        for text in texts_of(path.read_text(encoding="utf-8"), name):
            texts[text.kind].append(text)
    return texts


@pytest.mark.parametrize("kind", TABLES)
def test_the_package_uses_the_words_of_the_field(kind):
    texts = texts_of_package()[kind]
    assert len(texts) > 500
    faults = [fault for text in texts for fault in faults_of(text)]
    assert not faults, "\n".join([f"{len(faults)} of {len(texts):,} texts:", *faults])


MODULE = '''
"""What is known of the curves."""

class ShelfOfCurves:
    """A lapse of both ends.

    A law here is no summary.
    """

    def fit(self):
        """Return the lapse rates."""
        warnings.warn(f"The labels {self.labels} stand for others", UserWarning)
        raise ParameterError.of("y", "is refused.", remedy="Pass labels that nobody doubts.")
'''


def test_each_kind_of_text_is_read():
    faults = [fault for text in texts_of(MODULE, "m.py") for fault in faults_of(text)]
    found = {tuple(re.findall(r"m\.py:(\d+): '(.*?)'", fault)[0]) for fault in faults}
    assert found == {
        ("1", "what is known of"),
        ("1", "what is"),
        ("4", "shelf"),
        ("4", "lapse"),
        ("12", "stand for"),
        ("13", "nobody"),
        ("13", "doubts"),
    }
    assert all("use: " in fault for fault in faults)
