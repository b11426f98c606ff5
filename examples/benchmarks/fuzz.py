"""Every public call with values that it does not expect, some thousand times.

Run ``python examples/benchmarks/fuzz.py --n-cases 20000 --n-jobs 2``. Calls, values and the
judgement are those of ``tests/fuzz``; here they are made in processes of their own, which end when
a call takes more than a minute of processor time or 4 GiB of memory. It prints each fault once, and
how many there were.
"""

import argparse
import resource
import signal
import sys
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from queue import SimpleQueue

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzz.judgement import drawn, fault_of

SECONDS, BYTES = 60, 4 * 2**30


def work(pipe):
    """Check the cases that come through a pipe, until it ends."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    while (case := pipe.recv()) is not None:
        # Its default action ends the process.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            fault = fault_of(case)
        except BaseException as error:
            fault = f"{type(error).__name__}, and no exception for users: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(fault)


class Worker:
    """A process that judges one case after another."""

    def __init__(self):
        self.start()

    def start(self):
        """Start anew."""
        self.pipe, other = get_context("fork").Pipe()
        self.process = get_context("fork").Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def judge(self, case):
        """Return the fault of a case."""
        self.pipe.send(case)
        if self.pipe.poll(10 * SECONDS):
            try:
                return self.pipe.recv()
            except EOFError:
                pass
        self.process.kill()
        self.process.join()
        code = self.process.exitcode
        self.start()
        return f"The process ended with {code}: more than {SECONDS} s, or a crash"


def checked(all_cases, n_jobs):
    """Yield the fault of each case, or None."""
    workers = SimpleQueue()
    for _ in range(n_jobs):
        workers.put(Worker())

    def judge(case):
        worker = workers.get()
        try:
            return worker.judge(case)
        finally:
            workers.put(worker)

    with ThreadPoolExecutor(n_jobs) as threads:
        yield from threads.map(judge, all_cases)


def main():
    """Print the faults of many cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n-cases", type=int, default=2000)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tried = drawn(given.n_cases, given.seed)
    faults = Counter()
    for case, fault in zip(tried, checked(tried, given.n_jobs), strict=True):
        if fault is not None:
            faults[case.call, fault[:60]] += 1
            if faults[case.call, fault[:60]] == 1:
                print(f"{case}:\n    {fault[:500]}", flush=True)
    n_calls = len({case.call for case in tried})
    print(f"{len(tried)} calls of {n_calls} functions: {faults.total()} faults.")


if __name__ == "__main__":
    main()
