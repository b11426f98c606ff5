"""Which items to label: labels that are chosen beside random ones, and when to stop.

Run ``python examples/benchmarks/active_testing MODE``:

- ``sets FOLDER``: average precision of score sets, chosen labels beside random ones;
- ``pools FOLDER``: F1 and average precision of pools of a classifier, beside static designs;
- ``stopping``: how many labels a guaranteed width of the interval costs, and whether it holds;
- ``table``: the tables of the guide, from the files that the other modes wrote.

Each module of `modes` says what its mode measures, `choosing` and `peers` who takes part. Random
numbers depend on the data and the repeat alone: a run that is interrupted goes on with
``--resume``, and ``--jobs`` changes nothing. Nothing here is tuned on the data.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from mode_options import check_options
from modes import MODES, table


def read_options():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="active_testing", description=__doc__.splitlines()[0])
    modes = parser.add_subparsers(dest="mode", required=True, metavar="MODE")
    for name, mode in MODES.items():
        first = mode.__doc__.splitlines()[0].replace("%", "%%")
        add = modes.add_parser(name, help=first, description=mode.__doc__).add_argument
        if mode is table:
            mode.add_options(add)
            continue
        add(
            "--methods",
            type=lambda text: text.split(","),
            default=list(mode.DEFAULT),
            help=f"names separated by commas, of {', '.join(mode.METHODS)} "
            f"(default: {','.join(mode.DEFAULT)})",
        )
        add("--repeats", type=int, default=mode.REPEATS)
        add("--only", default="", help="a regular expression that names of data must match")
        add("--out", type=Path, help="a CSV file, to which every row is appended")
        add("--resume", action="store_true", help="skip what --out holds")
        add("--jobs", type=int, default=1, help="processes")
        add("--rst", action="store_true", help="tables as reStructuredText")
        add("--quick", action="store_true", help="2 sets, pools or problems and 1 repeat")
        mode.add_options(add)
    options = parser.parse_args()
    if MODES[options.mode] is table:
        return options
    check_options(parser, options, MODES[options.mode].METHODS)
    options.most = 2 if options.quick else None
    if options.quick:
        options.repeats = 1
    return options


if __name__ == "__main__":
    options = read_options()
    print(MODES[options.mode].main(options))
