"""The true rate, where a judge saw everything and people a few.

Run ``python examples/benchmarks/judges MODE``:

- ``rates FOLDER``: the rate of positives of a score set, of which a classifier's score is judge;
- ``answers``: the rates of two systems whose answers a judge marks, and their difference;
- ``by_class``: the rate of new items, where labels were chosen by class;
- ``means``: the mean of labels that are numbers, of which a proxy speaks;
- ``agreement``: the mean of labels of few values, with which a judge mostly agrees.

Each module of `modes` says what its mode measures and who takes part. A few random items are
labelled by people, and a method says what the rate of all is, with a 90% interval; all labels then
tell. Columns of the tables: the mean absolute *error* and the *bias*; how often intervals hold the
truth (*coverage*, 0.9 if they are honest), over all and in the worst set; their *width*; the
*interval score*, the width plus 20 times the distance by which an interval misses (Winkler; smaller
is better, and cannot be won by boldness). Sets weigh the same. A method that needs a package that
is not installed says so once, and is left out.

Random numbers depend on the data and the repeat alone: a run that is interrupted goes on with
``--resume``, and ``--jobs`` changes nothing.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from mode_options import read_options
from modes import MODES

if __name__ == "__main__":
    options = read_options("judges", __doc__, MODES)
    print(MODES[options.mode].main(options))
