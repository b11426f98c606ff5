"""Give each public name the directive ``versionadded``, unless its docstring has it.

python .ci/version_added.py [--check]

Public are the names that packages, and modules without an underscore, list in ``__all__``. The
version is that of the package: a name gets the directive before the release that brings it.
"""

import ast
import re
import sys
from pathlib import Path

from versions import read_release

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sklearn_spe"
DIRECTIVE = ".. versionadded::"
# The line below the title of a section of numpydoc.
UNDERLINE = re.compile(r" *-{3,}$")


def listed_names(path):
    """Return the names that a module lists in ``__all__``."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = getattr(node, "targets", [])
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            return set(ast.literal_eval(node.value))
    return set()


def public_names():
    """Return all public names."""
    paths = [*PACKAGE.rglob("__init__.py"), PACKAGE / "exceptions.py"]
    return set().union(*map(listed_names, paths))


def definitions(path, names):
    """Return the classes and functions of a file that are public."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [node for node in tree.body if isinstance(node, kinds) and node.name in names]


def with_directive(lines, node, version):
    """Return the lines of a file whose definition has the directive, before the first section."""
    docstring = node.body[0]
    first, last = docstring.lineno - 1, docstring.end_lineno - 1
    indent = " " * docstring.col_offset
    directive = f"{indent}{DIRECTIVE} {version}"

    if first == last:
        text = lines[first].rstrip()
        opened, closing = text[:-3], text[-3:]
        added = [opened.rstrip(), "", directive, f"{indent}{closing}"]
        return [*lines[:first], *added, *lines[last + 1 :]]

    sections = [n - 1 for n in range(first + 1, last) if UNDERLINE.match(lines[n])]
    if sections:
        added = [directive, ""]
        return [*lines[: sections[0]], *added, *lines[sections[0] :]]
    return [*lines[:last], "", directive, *lines[last:]]


def main(check=False):
    """Add the directives, or say which are missing; return the exit status."""
    version = ".".join(read_release()[0].split(".")[:2])
    names, missing = public_names(), []
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = [
            node
            for node in definitions(path, names)
            if DIRECTIVE not in (ast.get_docstring(node) or DIRECTIVE)
        ]
        missing += [f"{path.relative_to(ROOT)}: {node.name}" for node in nodes]
        if nodes and not check:
            lines = path.read_text(encoding="utf-8").splitlines()
            # From the last one on, so that the numbers of lines stay right.
            for node in reversed(nodes):
                lines = with_directive(lines, node, version)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print("\n".join(missing))
    return int(check and bool(missing))


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
