"""Say which tests failed in which seeds, and whether chance leaves so many to right ones.

python .ci/failed_seeds.py N_SEEDS JUNIT.xml...
"""

import re
import sys
from collections import defaultdict
from xml.etree import ElementTree

from scipy import stats

# How often a right test fails at the most, and how improbable what is not put down to that.
LEVEL, ALARM = 1e-5, 1e-6


def main(n_seeds, paths):
    """Print the failures, and return the status."""
    failed, n_runs = defaultdict(set), 0
    for case in (case for path in paths for case in ElementTree.parse(path).iter("testcase")):
        n_runs += 1
        if case.find("failure") is None and case.find("error") is None:
            continue
        # As it stands in the test's name where there are several seeds.
        seed = re.search(r"seed(\d+)", case.get("name"))
        name = re.sub(r"seed\d+-?", "", case.get("name")).replace("[]", "")
        failed[f"{case.get('classname')}::{name}"].add(int(seed[1]) if seed else None)
    may_fail = int(stats.binom.ppf(1.0 - ALARM, n_seeds, LEVEL))
    in_all = int(stats.binom.ppf(1.0 - ALARM, n_runs, LEVEL))
    status = 0
    for name, seeds in sorted(failed.items()):
        without = None in seeds
        is_fault = without or len(seeds) > may_fail
        told = "without a seed" if without else f"in {len(seeds)} seeds: {sorted(seeds)}"
        print(f"{'FAILED' if is_fault else 'may be chance'}: {name} {told}")
        status |= is_fault
    n_failed = sum(map(len, failed.values()))
    print(f"{n_failed} of {n_runs} runs failed; a test may fail in {may_fail}, all in {in_all}.")
    return int(status or n_failed > in_all)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
