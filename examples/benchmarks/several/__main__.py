"""Honesty of one posterior on several systems, subgroups, items that belong together, classes.

Run ``python examples/benchmarks/several MODE``:

- ``systems FOLDER``: 5 to 8 systems that score the same items, and all their differences;
- ``subgroups FOLDER``: the subgroups of the items of one system, and all their differences;
- ``clusters FOLDER``: items that belong together, with a new cluster or these very ones in mind;
- ``alike``: seven networks of one kind, whose softmax is overconfident;
- ``classes [FOLDER]``: the accuracy of classifiers with many classes;
- ``table``: the tables, from the files that these modes wrote, finished or not.

Each module of `modes` says what its mode measures and who takes part. A few random items are
labelled, and a method says what performance is, with 90% intervals; all labels then tell. Columns
of the tables: the mean absolute *error*; how often intervals hold the truth (*coverage*, 0.9 if
they are honest), over all and in the worst set; the *interval score*, the width plus 20 times the
distance by which an interval misses (Winkler; smaller is better, and cannot be won by boldness);
and of differences how often "A is better" was said with more than 0.9 and was *right*, with the
Brier score of the probabilities. Sets weigh the same.

A folder of systems holds one csv.gz file a set, as `system_files` says. Random numbers depend on
the data and the repeat alone: a run that is interrupted goes on with ``--resume``, and ``--jobs``
changes nothing. Labels that were not looked at before come from another ``--first-repeat``.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from modes import MODES, table


def read_options():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="several", description=__doc__.splitlines()[0])
    modes = parser.add_subparsers(dest="mode", required=True, metavar="MODE")
    for name, mode in MODES.items():
        first = mode.__doc__.splitlines()[0].replace("%", "%%")
        add = modes.add_parser(name, help=first, description=mode.__doc__).add_argument
        if mode is not table:
            add_common_options(add, mode)
        mode.add_options(add)
    options = parser.parse_args()
    if options.mode == "table":
        return options
    for name in options.methods:
        known = MODES[options.mode].METHODS
        if name not in known:
            parser.error(f"unknown method {name!r}; choose from {', '.join(known)}")
    if options.resume and options.out is None:
        parser.error("--resume needs the file to go on with: --out")
    if options.out is not None and options.out.exists() and not options.resume:
        parser.error(f"{options.out} exists: add --resume to go on with it, or name another file")
    return options


def add_common_options(add, mode):
    """Add what all modes understand that label again and again."""
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


if __name__ == "__main__":
    options = read_options()
    print(MODES[options.mode].main(options))
