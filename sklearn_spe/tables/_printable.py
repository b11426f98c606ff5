"""Text of a file, on a terminal and in a message."""

from __future__ import annotations

__all__ = ["printable", "quoted"]

# Cells may hold whole documents.
LONGEST = 40


def printable(text: str, keep: str = "") -> str:
    r"""Return a text in which characters that steer a terminal are written as escapes.

    Parameters
    ----------
    text : str
    keep : str, default=""
        Characters that stay, such as "\n" in a text of several lines.

    Returns
    -------
    text : str

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
    """Return a cell or a name in quotation marks, so that its blanks are seen."""
    text = str(text)
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
