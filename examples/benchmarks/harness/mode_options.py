"""The command line of a benchmark of several modes, each of which labels again and again.

A mode is a module: `METHODS`, a dict of functions by name, `LABELS`, the default numbers of
labels, `add_options(add)`, and `main(options)`, which returns text. One without `METHODS` only
shows what others wrote.
"""

import argparse
from pathlib import Path


def read_options(program, about, modes):
    """Return the command line of a program whose modes are modules by name."""
    parser = argparse.ArgumentParser(prog=program, description=about.splitlines()[0])
    add_parser = parser.add_subparsers(dest="mode", required=True, metavar="MODE").add_parser
    for name, mode in modes.items():
        first = mode.__doc__.splitlines()[0].replace("%", "%%")
        add = add_parser(name, help=first, description=mode.__doc__).add_argument
        if labels_again(mode):
            add_common_options(add, mode)
        mode.add_options(add)
    options = parser.parse_args()
    if labels_again(modes[options.mode]):
        check_options(parser, options, modes[options.mode].METHODS)
    return options


def labels_again(mode):
    """Return whether a mode labels, and does not only show."""
    return hasattr(mode, "METHODS")


def check_options(parser, options, known):
    """End with an error if options contradict each other or what there is."""
    for name in options.methods:
        if name not in known:
            parser.error(f"unknown method {name!r}; choose from {', '.join(known)}")
    if options.resume and options.out is None:
        parser.error("--resume needs the file to go on with: --out")
    if options.out is not None and options.out.exists() and not options.resume:
        parser.error(f"{options.out} exists: add --resume to go on with it, or name another file")


def add_common_options(add, mode):
    """Add the options of all modes that repeat labelings."""
    add(
        "--methods",
        type=lambda text: text.split(","),
        default=list(mode.METHODS),
        help=f"names separated by commas (default: {','.join(mode.METHODS)})",
    )
    add("--labels", type=int, nargs="+", default=list(mode.LABELS), help="numbers of labels")
    add("--repeats", type=int, default=10, help="draws of the labels")
    add("--first-repeat", type=int, default=0, help="the number of the first of them")
    add("--only", default="", help="a regular expression that names of sets must match")
    add("--out", type=Path, help="a CSV file, to which every row is appended")
    add("--resume", action="store_true", help="skip what --out holds")
    add("--jobs", type=int, default=1, help="processes")
    add("--rst", action="store_true", help="tables as reStructuredText")
