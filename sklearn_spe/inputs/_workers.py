"""Tasks shared among workers where that pays, and done one after the other where it does not.

Workers cost: processes seconds to start and tenths to feed, threads milliseconds, though they wait
for each other wherever numpy does not release Python's lock. How long a task takes is not known
before, so the first ones are done here, on the clock, until what is left is worth a start.
What is computed does not depend on it: tasks have their own seeds, and none sees another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

# Processor seconds of remaining work from which threads are started; processes in their place; and
# processes where threads cannot be, as for blocks of draws, of which each process gets a copy.
WORTH_THREADS, TOO_MUCH_FOR_THREADS, WORTH_PROCESSES = 0.5, 3.0, 8.0


def in_parallel(
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    n_jobs: Any,
    *,
    threads: bool = True,
    processes: bool = True,
) -> list[Any]:
    """Return a function of each task, in their order, with the same bits for any `n_jobs`.

    Parameters
    ----------
    function : callable
    tasks : iterable of tuple
        The arguments of each call.
    n_jobs : int or None
        As in joblib. A backend of joblib's context is kept; without one it is threads for little
        work, and else processes.
    threads : bool, default=True
        False where tasks may not run in threads of one process, such as those that limit the
        threads of BLAS for themselves.
    processes : bool, default=True
        False where tasks write to arrays that they share, which other processes do not see.

    Returns
    -------
    values : list

    Examples
    --------
    Two workers are asked for, and none is started.

    >>> from sklearn_spe.inputs._workers import in_parallel
    >>> in_parallel(pow, [(2, 3), (3, 2)], 2)
    [8, 9]
    """
    tasks = list(tasks)
    values: list[Any] = []

    if effective_n_jobs(n_jobs) == 1:
        return list(starmap(function, tasks))

    start = time.thread_time()
    while len(values) < len(tasks):
        n_left = len(tasks) - len(values)
        seconds_left = n_left * (time.thread_time() - start) / max(len(values), 1)
        if values and n_left > 1 and seconds_left > (WORTH_THREADS if threads else WORTH_PROCESSES):
            use_threads = threads and seconds_left <= TOO_MUCH_FOR_THREADS
            prefer = "threads" if use_threads or not processes else "processes"
            require = None if processes else "sharedmem"
            workers = Parallel(n_jobs=n_jobs, prefer=prefer, require=require)
            return values + workers(delayed(function)(*task) for task in tasks[len(values) :])
        values.append(function(*tasks[len(values)]))

    return values


def stream_in_parallel(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_tasks: int | None, n_jobs: Any
) -> Iterator[Any]:
    """Yield a function of each task, in their order, with processes from where they pay.

    Neither all tasks nor all values are in memory at once. If the number of tasks is not known, as
    much is expected to be left as was done.

    Examples
    --------
    >>> from sklearn_spe.inputs._workers import stream_in_parallel
    >>> list(stream_in_parallel(pow, iter([(2, 3), (3, 2)]), None, 2))
    [8, 9]
    """
    tasks = iter(tasks)
    alone = effective_n_jobs(n_jobs) == 1
    start = time.thread_time()
    for n_done, task in enumerate(tasks, 1):
        yield function(*task)
        used = time.thread_time() - start
        left = used if n_tasks is None else used * (n_tasks - n_done) / n_done
        if not alone and left > WORTH_PROCESSES:
            workers = Parallel(n_jobs=n_jobs, return_as="generator")
            yield from workers(delayed(function)(*task) for task in tasks)
