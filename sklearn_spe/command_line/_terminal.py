"""What is printed: results to standard output, all else to standard error."""

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
    """Let what is still to be written to standard output vanish, at exit too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print(text: str, stream: TextIO) -> None:
    # Names come from a file: they may steer a terminal, or hold letters that it does not know.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    shown = printable(text, keep="\n").encode(encoding, "backslashreplace")
    print(shown.decode(encoding), file=stream)
