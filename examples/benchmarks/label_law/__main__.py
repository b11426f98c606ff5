"""The law of labels: what a change of it does to intervals, on four benches, paired.

``python examples/benchmarks/label_law run fits.csv [FOLDER]`` fits the cases of every bench (a
folder of score sets as for the benchmark ``score_sets``; without it those of ``examples/data``)
and writes a row for each case and question; cases that the file holds are not fitted again. A case
is known by its bench and its number alone: two versions of the package see the same scores, the
same labels and the same seed. ``compare before.csv after.csv`` puts the runs of two versions beside
each other, and both beside the labels alone.

A change is judged as a whole. It is lost if on one bench the mean log ratio of interval scores over
the five questions exceeds 3% by 2.5 standard errors, if a coverage falls below .86, or if more
fits are far: the truth outside of a 90% interval by more than its width, and by more than .02.
Cases from number 1000 on (``--first 1000``) are for the last judgement; what was chosen on others
is measured on those.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "experts"))

from cases import BENCHES
from comparing import comparison
from fitting import read, run
from resumable_runs import DATA

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="label_law", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)

    running = commands.add_parser("run", help="fit the cases that a file does not hold yet")
    running.add_argument("file", type=Path)
    running.add_argument("folder", nargs="?", type=Path, default=DATA, help="score sets")
    running.add_argument("--benches", nargs="+", choices=BENCHES, default=list(BENCHES))
    running.add_argument("--first", type=int, default=0, help="the number of the first case")
    running.add_argument("--cases", type=int, default=60, help="how many of each bench")
    running.add_argument("--draws", type=int, default=400, help="posterior draws of a fit")

    comparing = commands.add_parser("compare", help="put two runs beside each other")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--by", default="", help="a column by which benches are divided")

    options = parser.parse_args()
    if options.command == "run":
        run(options)
    else:
        print(comparison(read(options.before), read(options.after), options.by))
