"""The value of each expert: every expert alone, once; then any ensemble, without a fit.

For each labeling and each expert alone the log evidence of the labels and some posterior draws of
average precision, ROC AUC, prevalence and F1 are kept. An ensemble's posterior follows: an expert
weighs its prior weight times its evidence, and draws are pooled by these weights. So ensembles,
weights and the ends of intervals are compared on five benches at once: public score sets, the same
thinned to rare positives, generated shapes, families that are right, and rare positives of which
some labels are on top.

Run ``python examples/benchmarks/experts fits.npz FOLDER`` (a folder as for the benchmark
``score_sets``; without it the digit and satellite sets of ``examples/data``); the fits that the
file holds are not made again. ``--halves`` judges each half of the data sets by itself.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from alone import fit_missing
from ensembles import ENSEMBLES, table
from labelings import BENCHES, labelings
from resumable_runs import DATA

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="experts", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="an npz file, which keeps the fits")
    parser.add_argument("folder", nargs="?", type=Path, default=DATA, help="score sets")
    parser.add_argument("--benches", nargs="+", choices=BENCHES, default=list(BENCHES))
    parser.add_argument("--repeats", type=int, default=3, help="draws of the labels")
    parser.add_argument("--halves", action="store_true", help="each half of the data sets")
    parser.add_argument("--rst", action="store_true", help="the table as reStructuredText")
    options = parser.parse_args()
    cases = labelings(options.folder, options.benches, options.repeats)
    fits = fit_missing(options.file, cases)
    print(table(fits, ENSEMBLES, halves=options.halves, rst=options.rst))
