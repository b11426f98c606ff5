"""Printing: results to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from ..tables._printable import printable

__all__ = ["abandon_output", "say", "tell"]


def say(text: str) -> None:
    """Print a result."""
    _print(text, sys.stdout)


def tell(kind: str, text: object) -> None:
    """Print a note, a warning or an error."""
    _print(f"{kind}: {text}", sys.stderr)


def abandon_output() -> None:
    """Discard pending output, also at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print(text: str, stream: TextIO) -> None:
    # Names from a file may contain control characters, or letters that the terminal lacks.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    shown = printable(text, keep="\n").encode(encoding, "backslashreplace")
    print(shown.decode(encoding), file=stream)
