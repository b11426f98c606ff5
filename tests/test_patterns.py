"""No regular expression of the package takes time quadratic in what a file contains."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable

from tests.test_architecture import FILES, ROOT, module_name, tree_of

# Patterns that are made from the names of parameters, or of paths, and not met by cells.
COMPUTED = {"application.command_line._answer": 4, "histogram._files": 1}
SEARCHED = {rb"[\x80-\xff]{4}"}
# Seconds: linear patterns take two of them, a quadratic one minutes for each text.
MAX_SECONDS = 120
N_LETTERS = 100_000
# Letters that patterns distinguish, repeated alone and in pairs, before one that none accepts.
UNITS = [
    *"0aAT_-+.,:;%/ \t\n",
    "ä",
    "1e",
    "1.",
    "1,",
    "1-",
    "01/",
    "a_",
    "a ",
    "1,000",
    "inf",
    "19",
]
# Runs in a process of its own, which can be ended: one line is a pattern.
MATCHING = """
import json, re, sys
for line in sys.stdin:
    pattern, flags, is_bytes, is_searched, units, n = json.loads(line)
    print(repr(pattern), flush=True)
    compiled = re.compile(pattern.encode("latin-1") if is_bytes else pattern, flags)
    for unit in units:
        for start in ("", "2026"):
            text = start + unit * (n // len(unit)) + "!"
            text = text.encode("latin-1") if is_bytes else text
            compiled.fullmatch(text)
            if is_searched:
                compiled.search(text)
"""


def patterns_in(value) -> Iterable[re.Pattern]:
    """Yield the patterns that a module-level value is, or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from patterns_in(part)
    elif isinstance(value, dict):
        yield from patterns_in(tuple(value.values()))


def compiled_patterns():
    """Return the patterns that modules of the package hold."""
    patterns = set()
    for path in FILES:
        if path.stem != "__main__":
            name = ".".join(filter(None, ["sklearn_spe", module_name(path)]))
            patterns |= set(patterns_in(tuple(vars(importlib.import_module(name)).values())))
    return patterns


def literal_patterns():
    """Return patterns that are written where they are used, and the number of others by module."""
    patterns, computed = set(), {}
    for path in FILES:
        at_top = {id(node) for node in ast.walk(ast.Module(tops(path), []))}
        for call in ast.walk(tree_of(path)):
            of_re = (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and call.func.value.id == "re"
                and call.func.attr != "escape"
            )
            if not of_re or id(call) in at_top:
                continue
            if isinstance(call.args[0], ast.Constant):
                patterns.add(re.compile(call.args[0].value))
            else:
                computed[module_name(path)] = computed.get(module_name(path), 0) + 1
    return patterns, computed


def tops(path):
    """Return the statements of a module that run when it is imported."""
    return [node for node in tree_of(path).body if isinstance(node, ast.Assign | ast.AnnAssign)]


def test_patterns_are_found():
    texts = {pattern.pattern for pattern in compiled_patterns()}
    assert any("inf(inity)?" in text for text in texts if isinstance(text, str))
    assert len(texts) > 12
    patterns, computed = literal_patterns()
    assert r"\r\n|\n|\r" in {pattern.pattern for pattern in patterns}
    assert computed == COMPUTED


def test_no_pattern_is_slow_on_long_texts():
    compiled, literals = compiled_patterns(), literal_patterns()[0]
    patterns = compiled | literals
    # Of the patterns that modules hold, these are searched, all others match from the start.
    searched = {pattern for pattern in compiled if pattern.pattern in SEARCHED} | literals
    lines = []
    for pattern in patterns:
        text, is_bytes = pattern.pattern, isinstance(pattern.pattern, bytes)
        text = text.decode("latin-1") if is_bytes else text
        flags = pattern.flags & ~re.UNICODE
        lines.append(
            json.dumps([text, int(flags), is_bytes, pattern in searched, UNITS, N_LETTERS])
        )
    # The time is a guard against a hang: `subprocess.TimeoutExpired` has the patterns tried so far.
    done = subprocess.run(
        [sys.executable, "-c", MATCHING],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
        timeout=MAX_SECONDS,
    )
    assert len(done.stdout.splitlines()) == len(patterns)
