"""Labels that are cheap and wrong: what verification some of them buys.

Run ``python examples/benchmarks/noisy_labels MODE``:

- ``tags``: the precision among the highest scores of 81 simulated tags;
- ``ranking``: which of four systems is best, of two simulations;
- ``real FOLDER``: two public sets with noisy and clean labels;
- ``speed``: the time of one step, beside a straightforward version;
- ``table``: the tables of the guide, from the files that the first three modes wrote.

Each module of `modes` says what its mode measures, `labellings` who takes part. Random numbers
depend on the data and the repeat alone: a run that is interrupted goes on with ``--resume``, and
``--jobs`` changes nothing. Nothing here is tuned on the real data.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from labellings import STARTS
from mode_options import check_options
from modes import MODES, speed, table

# Modes that do not label again and again.
SIMPLE = (speed, table)


def read_options():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="noisy_labels", description=__doc__.splitlines()[0])
    modes = parser.add_subparsers(dest="mode", required=True, metavar="MODE")
    for name, mode in MODES.items():
        first = mode.__doc__.splitlines()[0].replace("%", "%%")
        add = modes.add_parser(name, help=first, description=mode.__doc__).add_argument
        if mode not in SIMPLE:
            add_common_options(add, mode)
        mode.add_options(add)
    options = parser.parse_args()
    if MODES[options.mode] in SIMPLE:
        return options
    check_options(parser, options, MODES[options.mode].METHODS)
    if options.quick:
        options.repeats, options.shares = 1, options.shares[:1]
    options.shares = sorted(options.shares)
    return options


def add_common_options(add, mode):
    """Add the options of all modes that repeat labelings."""
    add(
        "--methods",
        type=lambda text: text.split(","),
        default=list(mode.METHODS),
        help=f"ways of labelling separated by commas (default: {','.join(mode.METHODS)})",
    )
    help = "budgets in percent of what may be verified"
    add("--shares", type=float, nargs="+", default=list(mode.SHARES), help=help)
    help = "whether the first batch is drawn at random, the same for all, or chosen by each method"
    add("--start", choices=STARTS, default=mode.START, help=help)
    add("--repeats", type=int, default=20)
    add("--only", default="", help="a regular expression that names of data must match")
    add("--out", type=Path, help="a CSV file, to which every row is appended")
    add("--resume", action="store_true", help="skip what --out holds")
    add("--jobs", type=int, default=1, help="processes")
    add("--rst", action="store_true", help="tables as reStructuredText")
    add("--quick", action="store_true", help="1 repeat and the first budget")


if __name__ == "__main__":
    options = read_options()
    print(MODES[options.mode].main(options))
