"""Decoding: an unambiguous encoding is inferred, any other must be given."""

from __future__ import annotations

import codecs
import re

from ._printable import quoted

__all__ = ["decoded"]

SIGNATURE = "\ufeff"
# The longer signatures first: that of UTF-32 begins with that of UTF-16.
SIGNATURES = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Western languages have single letters beyond ASCII; others whole words.
FOREIGN_WORD = re.compile(rb"[\x80-\xff]{4}")
CHOICES = "cp1252 (Western Windows), latin-1, cp1250, cp1251, mac_roman, shift_jis, gb18030, ..."


def decoded(data: bytes, encoding: str | None, name: str) -> tuple[str, str, str | None]:
    """Return the text of some bytes, its encoding, and notes."""
    if encoding is not None:
        return _as_given(data, encoding, name), encoding, None
    for signature, found in SIGNATURES.items():
        if data.startswith(signature):
            note = None if found == "utf-8" else f"{name} is read as {found.upper()}."
            return _as_given(data, found, name), found, note
    if b"\0" in data:
        return _with_zeros(data, name)
    try:
        return data.decode("utf-8"), "utf-8", None
    except UnicodeDecodeError as error:
        return _western(data, error, name)


def _as_given(data, encoding, name) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise ValueError(
            f"Unknown encoding {encoding!r}; option encoding must be one of utf-8, utf-16, "
            f"{CHOICES}"
        ) from None
    except UnicodeDecodeError as error:
        line = _line_of(data, error.start)
        raise ValueError(
            f"{name} is not valid {encoding}: line {line} has the bytes "
            f"{data[error.start : error.end]!r}."
        ) from error


def _with_zeros(data, name):
    """Decode UTF-16 without a signature: for ASCII text every second byte is zero."""
    first, second = data[::2].count(0), data[1::2].count(0)
    found = "utf-16-le" if first == 0 < second else "utf-16-be" if second == 0 < first else None
    if found is None or 4 * max(first, second) < len(data):
        raise ValueError(f"{name} has zero bytes: it is not text, or needs the option encoding.")
    return _as_given(data, found, name), found, f"{name} is read as {found.upper()}."


def _western(data, error, name):
    """Decode text that is not UTF-8 as cp1252, unless that is ambiguous."""
    line = _line_of(data, error.start)
    shown = data[max(0, error.start - 10) : error.start + 10]
    message = (
        f"{name} is not in UTF-8 (line {line}: {shown!r}), and which encoding it is cannot be "
        f"told from it: name it by the option encoding, one of {CHOICES}"
    )
    # Text with valid UTF-8 elsewhere is damaged UTF-8, or two files put together.
    mixed = re.search(r"[\x80-\ud7ff\ue000-\U0010ffff]", data.decode("utf-8", "surrogateescape"))
    if mixed or FOREIGN_WORD.search(data):
        raise ValueError(message)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise ValueError(message) from None
    example = next(word for word in re.split(r"[,;\t|\s]+", text) if not word.isascii())
    return (
        text,
        "cp1252",
        (
            f"{name} is not in UTF-8 and is read as cp1252 (Western Windows), in which line {line} "
            f"says {quoted(example)}; if that is wrong, name another by the option encoding."
        ),
    )


def _line_of(data, place) -> int:
    return data.count(b"\n", 0, place) + 1
