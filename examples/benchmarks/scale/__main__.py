"""Scale: one pass over many scores, the errors of a histogram, and fits against their number.

Run ``python examples/benchmarks/scale --n 1e8``; it writes two files of 4 to 5 bytes a score into a
folder of its own and deletes them. The first table times the pass of `ScoreHistogram` over float32
probabilities, from a memory map and from Parquet, beside the bare scan: reading, and the sum of
the logarithm of the odds, in float32 and in float64, which keys are made of. The second compares
average precision of rare positives by histograms with that of all scores. The third times fits.
Each row is measured in a process of its own; memory is its peak, less what files are mapped.

``--coverage 13`` prints another table instead, of so many draws: how often 90% intervals of 20
random labels hold the truth, for 1e3 to 1e8 scores of three distributions, and their width.
``--many 1000`` times the fits of so many models, of 1e5 scores each, by one call. ``--nuts 20``
compares the fit of two named families with the sampler NUTS on the same posterior, over so many
seeds, ``--sketches`` the histogram with sketches of quantiles, ``--systems 16`` gives the
difference of two systems by a joint histogram of that resolution, and ``--peers`` common tasks with
other packages: those that are installed. Each table names the processor, as ratios differ between
processors.
"""

import argparse
import multiprocessing
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from draw_tables import show_rows
from label_coverage import coverage_table
from made_at import processor
from measured import PASSES, average_precisions, many_fits, one_fit, one_pass, write_scores
from nuts import posterior_table
from peers import show_peers
from sketches import tail_table
from two_systems import two_systems


def show_many(n_models):
    """Print what many fits by one call cost."""
    clock, used, peak = many_fits(n_models)
    print(f"{clock:.0f} s by the clock, {used:.0f} of processors, {peak:.0f} MiB more than before")


def show_nuts(n_seeds):
    """Print the cost of an error of the posterior mean here and by NUTS."""
    print(f"{'sampler':14}{'quantity':12}{'mean':>8}{'error':>9}{'seconds':>9}{'var x s':>10}")
    for name, quantity, mean, error, seconds, price in posterior_table(n_seeds):
        row = f"{name:14}{quantity:12}{mean:8.4f}{error:9.5f}{seconds:9.2f}{price:10.1e}"
        print(row, flush=True)


def show_systems(n, resolution, folder):
    """Print the costs of the difference of two systems."""
    for what, clock, used, peak, result in two_systems(n, resolution, folder):
        print(f"{what:16}{clock:8.1f}{used:8.1f}{peak:8.0f}  {result}", flush=True)


def show_passes(n, folder):
    """Print the costs of passes over n scores, the errors of histograms, and the costs of fits."""
    spawn = multiprocessing.get_context("spawn")

    def apart(function, *arguments):
        with ProcessPoolExecutor(1, mp_context=spawn) as process:
            return process.submit(function, *arguments).result()

    print(f"{n:.0e} scores: nanoseconds a score by the clock and of processors, peak MiB")
    with tempfile.TemporaryDirectory(dir=folder) as place:
        write_scores(Path(place), n)
        for name in PASSES:
            clock, used, peak = apart(one_pass, name, Path(place))
            print(f"{name:36}{clock / n * 1e9:8.1f}{used / n * 1e9:8.1f}{peak:8.0f}", flush=True)
    print("\nAverage precision at a prevalence of 1e-4 of 1e7 scores: exact, by histograms")
    for scale in ("identity", "logit"):
        exact, found = apart(average_precisions, scale)
        print(f"{scale:12}{exact:10.5f}{found:10.5f}{found / exact - 1.0:+10.2%}", flush=True)
    print("\nFit and average precision: seconds by the clock and of processors, MiB above the data")
    for size in (10**3, 10**4, 10**5, 10**6, 10**7):
        for is_counted in (False, True):
            clock, used, peak = apart(one_fit, size, is_counted)
            what = "histogram" if is_counted else "array"
            print(f"{size:<10.0e}{what:12}{clock:8.2f}{used:8.2f}{peak:8.0f}", flush=True)


def main():
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=float, default=1e7, help="number of scores of the pass")
    parser.add_argument("--folder", default=None, help="where files are written")
    parser.add_argument("--coverage", type=int, metavar="DRAWS", help="coverage, and no times")
    parser.add_argument("--many", type=int, metavar="MODELS", help="many models, and no others")
    parser.add_argument("--nuts", type=int, metavar="SEEDS", help="NUTS beside it, and no others")
    parser.add_argument("--sketches", action="store_true", help="sketches beside it, and no others")
    parser.add_argument("--systems", type=int, metavar="BINS", help="two systems, and no others")
    parser.add_argument("--peers", action="store_true", help="peers beside it, and no others")
    parser.add_argument("--csv", type=Path, help="a file for the coverage, or for the sketches")
    options = parser.parse_args()
    print(processor())
    if options.coverage:
        show_rows(coverage_table(options.coverage), options.csv)
    elif options.many:
        show_many(options.many)
    elif options.nuts:
        show_nuts(options.nuts)
    elif options.sketches:
        show_rows(tail_table(int(options.n)), options.csv)
    elif options.systems:
        show_systems(int(options.n), options.systems, options.folder)
    elif options.peers:
        show_peers(int(options.n))
    else:
        show_passes(int(options.n), options.folder)


if __name__ == "__main__":
    main()
