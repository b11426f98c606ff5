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

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from mode_options import read_options
from modes import MODES

if __name__ == "__main__":
    options = read_options("several", __doc__, MODES)
    print(MODES[options.mode].main(options))
