"""Text of a file, safe for terminals and messages."""

from __future__ import annotations

__all__ = ["printable", "quoted"]

# Cells may contain whole documents.
LONGEST = 40


def printable(text: str, keep: str = "") -> str:
    r"""Return a text with control characters escaped, except those in `keep`.

    Examples
    --------
    >>> from sklearn_spe.tables import printable
    >>> printable("größer\x1b[2J\u202e")
    'größer\\x1b[2J\\u202e'
    """
    return "".join(
        letter if letter.isprintable() or letter in keep else _escaped(letter) for letter in text
    )


def quoted(text: object) -> str:
    """Return a cell or a name in quotation marks, so that its blanks are visible."""
    text = str(text)
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
