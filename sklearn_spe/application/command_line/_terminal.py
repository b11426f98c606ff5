"""Terminal output of a command: results, notes, elapsed time; and its exit status."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO

from ...exceptions import shortened

OF_VERDICT = {"ok": 0, "unidentified": 3, "misfit": 4, "unreliable": 5}
# The status of argparse errors.
FAILED = 2
# The result is that a goal, or a gate, is not met; that of an alarm.
NOT_MET = 6
ALARM = 7
# 128 plus the number of the signal, as in shells.
INTERRUPTED = 130
BROKEN_PIPE = 141


class UnmetGoalError(ValueError):
    """A goal is not met, or a proof is not verified: a result, and no failure of the command."""


@contextmanager
def working(on: str, *, patience: float = 2.0, stream: TextIO | None = None) -> Iterator[None]:
    """Show the elapsed time on a terminal every second."""
    stream = sys.stderr if stream is None else stream
    if stream is None or not stream.isatty():
        yield
        return

    # Written over every second, until what it waits for is done.
    done = Event()
    begun = time.monotonic()
    width = 0

    def count() -> None:
        nonlocal width
        wait = patience
        while not done.wait(wait):
            line = f"{on}: {time.monotonic() - begun:.0f} s"
            stream.write(f"\r{line}")
            stream.flush()
            width = max(width, len(line))
            wait = min(patience, 1.0)

    counter = Thread(target=count, daemon=True)
    counter.start()
    try:
        yield
    finally:
        done.set()
        counter.join()
        # Blanks, as not every terminal of Windows knows sequences that erase.
        stream.write(f"\r{' ' * width}\r")
        stream.flush()


def say(text: str) -> None:
    """Print a result."""
    _print(text, sys.stdout)


def tell(kind: str, text: object) -> None:
    """Print a note, a warning or an error."""
    _print(f"{kind}: {shortened(str(text))}", sys.stderr)


def abandon_output() -> None:
    """Discard pending output, also at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print(text: str, stream: TextIO) -> None:
    # Not at the top: help and errors of options need no table.
    from ..tables._source import printable

    # Names from a file may contain control characters, or letters that the terminal lacks.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    encoded = printable(text, keep="\n").encode(encoding, "backslashreplace")
    print(encoded.decode(encoding), file=stream)
