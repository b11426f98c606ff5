"""Accuracy with more classes than were tried: methods side by side, where the truth is known.

Run ``python examples/benchmarks/extrapolation MODE``:

- ``varied``: all methods on fixed problems of many kinds, at up to 100 times the classes;
- ``journal``: the simulation of the journal paper, beside its published errors;
- ``coverage``: how often the bands of `AccuracyExtrapolator` hold the truth;
- ``real``: all methods on score tables of real classifiers, of which ``--data`` names a folder;
- ``time``: seconds and memory beside a straightforward version.

Each module of `modes` says what its mode measures, `problems` what the problems are, `peers` who
takes part. Random numbers depend on the pilot alone: a run that is interrupted goes on with
``--resume``, and ``--jobs`` changes nothing.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from modes import MODES
from peers import PEERS


def read_options():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="extrapolation", description=__doc__.splitlines()[0])
    modes = parser.add_subparsers(dest="mode", required=True, metavar="MODE")
    for name, mode in MODES.items():
        first = mode.__doc__.splitlines()[0].replace("%", "%%")
        sub = modes.add_parser(name, help=first, description=mode.__doc__)
        add = sub.add_argument
        add(
            "--methods",
            type=lambda text: text.split(","),
            default=list(mode.METHODS),
            help="names separated by commas",
        )
        add("--repeats", type=int, default=mode.REPEATS)
        add("--jobs", type=int, default=1, help="processes")
        add("--only", default="", help="a regular expression that names of problems must match")
        add("--out", type=Path, help="a CSV file, to which every prediction is appended")
        add("--resume", action="store_true", help="skip what --out holds")
        add("--cache", type=Path, help="a folder that keeps what truths are computed from")
        add("--rst", action="store_true", help="tables as reStructuredText")
        add("--csv", type=Path, help="a file for the table that the documentation shows")
        add("--quick", action="store_true", help="2 problems and 1 repeat, to see it run")
        mode.add_options(sub)
    options = parser.parse_args()
    for name in options.methods:
        if name not in (*MODES[options.mode].METHODS, *PEERS):
            parser.error(f"unknown method {name!r}; choose from {', '.join(PEERS)}")
    if options.resume and options.out is None:
        parser.error("--resume needs the file to go on with: --out")
    if options.out is not None and options.out.exists() and not options.resume:
        parser.error(f"{options.out} exists: add --resume to go on with it, or name another file")
    options.n_problems = 2 if options.quick else None
    if options.quick:
        options.repeats = 1
    return options


if __name__ == "__main__":
    options = read_options()
    print(MODES[options.mode].main(options))
