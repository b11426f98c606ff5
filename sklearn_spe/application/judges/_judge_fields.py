"""Records of files of JSON, whose fields are read by type; errors name their place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

# A JSON object, flat: nested fields have names with dots.
Record = dict[str, Any]
Json = Any

# Of the records of a file more than this share must not be left out.
MAX_LEFT_OUT = 0.05
# Places that a sentence names at most.
MAX_PLACES = 2
# Numbers beyond are no ratings.
LARGEST = 1e300


class MisfitError(ValueError):
    """A record has a field of a wrong type, or lacks it."""

    @classmethod
    def at(cls, place: str, field: str, needed: str, value: Json) -> MisfitError:
        """Return the error of a field, "" for the record itself."""
        where = f"{place}, field `{field[:80]}`" if field else place
        return cls(f"{where}: needed is {needed}, got {_described(value)}")


def _described(value: Json) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(value if isinstance(value, bool) else str(value)[:40])


@dataclass(frozen=True)
class Kind:
    """A type of values that a field may be required to have."""

    needed: str
    types: tuple[type, ...]

    def fits(self, value: Json) -> bool:
        """Return whether a value is of this kind; a boolean is no number."""
        if isinstance(value, bool):
            return bool in self.types
        return isinstance(value, self.types) and value != ""


OBJECT = Kind("an object", (dict,))
LIST = Kind("a list", (list,))
TEXT = Kind("a text", (str,))
# Of a prompt or a scorer.
NAME = Kind("a text or a whole number", (str, int))
PROVIDER = Kind("a text or an object with an id", (str, dict))
REQUIRED = object()


@dataclass(frozen=True)
class Fields:
    """An object of a file, whose fields are read by type."""

    values: Record
    place: str  # the file and the record
    path: str = ""  # of nested objects

    def get(self, name: str, kind: Kind, default: Json = REQUIRED) -> Json:
        """Return a field; raise if it is of another kind, or missing without a default."""
        value = self.values.get(name)
        if value is None and default is not REQUIRED:
            return default
        if not kind.fits(value):
            raise MisfitError.at(self.place, f"{self.path}{name}", kind.needed, value)
        return value

    def object(self, name: str) -> Fields:
        """Return a nested object, empty if it is missing."""
        return Fields(self.get(name, OBJECT, {}), self.place, f"{self.path}{name}.")

    def objects(self, name: str) -> list[Fields]:
        """Return the objects in a list, none if it is missing."""
        nested = []
        for index, item in enumerate(self.get(name, LIST, [])):
            path = f"{self.path}{name}[{index}]"
            if not OBJECT.fits(item):
                raise MisfitError.at(self.place, path, OBJECT.needed, item)
            nested.append(Fields(item, self.place, f"{path}."))
        return nested


def is_value(value: Json) -> bool:
    """Return whether a field has a value that is a text, a number or a boolean."""
    return value is not None and not isinstance(value, dict | list)


def flat(item: Record, prefix: str = "") -> Record:
    """Return an object whose nested fields have names with dots; lists stay as they are."""
    record: Record = {}
    for key, value in item.items():
        if isinstance(value, dict):
            record |= flat(value, f"{prefix}{key}.")
        else:
            record[f"{prefix}{key}"] = value
    return record


def is_many(n_left_out: int, n_records: int, share: float = MAX_LEFT_OUT) -> bool:
    """Return whether more than a small share of records are left out."""
    return n_left_out > share * n_records


@dataclass(frozen=True)
class LeftOut:
    """The records of a file that do not fit."""

    file: str
    n_records: int
    misfits: list[str]

    @property
    def is_many(self) -> bool:
        """Whether the others may not represent the file."""
        return is_many(len(self.misfits), self.n_records)

    def with_more(self, misfits: list[str]) -> LeftOut:
        """Return the records with more of them."""
        return replace(self, misfits=[*self.misfits, *misfits])

    def sentence(self) -> str:
        """Return their number, and the errors of the first."""
        n = len(self.misfits)
        verb = "is" if n == 1 else "are"
        first = "; ".join(self.misfits[:MAX_PLACES])
        more = "; ..." if n > MAX_PLACES else ""
        return f"{n:,} of {self.n_records:,} records of {self.file} {verb} left out: {first}{more}."


def sentence_of_many(left_out: Iterable[LeftOut]) -> str:
    """Return an error for files of which many records are left out, "" without such files."""
    many = " ".join(each.sentence() for each in left_out if each.is_many)
    return (
        f"{many} That is more than one in twenty: mend the file; the numbers are of the others."
        if many
        else ""
    )
