"""Display of elapsed time during long computations."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO

__all__ = ["working"]

# To the start of the line, and erase the rest.
ERASE = "\r\x1b[K"


@contextmanager
def working(on: str, *, patience: float = 2.0, stream: TextIO | None = None) -> Iterator[None]:
    """Show the elapsed time on a terminal every second."""
    stream = sys.stderr if stream is None else stream
    if stream is None or not stream.isatty():
        yield
        return
    done, begun = Event(), time.monotonic()

    def count() -> None:
        wait = patience
        while not done.wait(wait):
            stream.write(f"{ERASE}{on}: {time.monotonic() - begun:.0f} s")
            stream.flush()
            wait = min(patience, 1.0)

    counter = Thread(target=count, daemon=True)
    counter.start()
    try:
        yield
    finally:
        done.set()
        counter.join()
        stream.write(ERASE)
        stream.flush()
