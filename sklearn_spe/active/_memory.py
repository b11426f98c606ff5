"""The selector parameters stored in a table: one short text, the same in every row."""

from __future__ import annotations

import json
import re
from numbers import Integral

import numpy as np

from ..curves._goals import Goal
from ..inputs._labels import is_missing
from ..inputs._partition import Partition

__all__ = ["is_memory", "memory_of", "note_in", "parameters_of", "recalled", "with_note"]

# Parameters that may differ when resuming: results do not depend on them.
FREE = ("batch_size", "n_jobs")
# Stored about the items: their number, the names of systems and judges, and ordered categories.
OF_ITEMS = ("n_items", "systems", "judges", "categories")
# Notes stored by the program that writes tables.
NOTE = "note"


def memory_of(
    selector, n_items: int, systems: tuple, judges: tuple, category: Partition | None
) -> str:
    """Return the parameters of a fitted selector and the item metadata as JSON, for every row."""
    memory: dict = {"n_items": n_items}
    if not systems or systems != tuple(range(len(systems))):
        memory["systems"] = _as_json(systems)
    if judges:
        # As text, like in column names: a file stores dates, for example, as text.
        memory["judges"] = [name if isinstance(name, str | int) else str(name) for name in judges]
    if category is not None and category.is_ordered:
        memory["categories"] = [str(name) for name in category.names.tolist()]
    for name, value in selector.get_params(deep=False).items():
        if name not in FREE and value is not None:
            memory[name] = _as_json(value)
    # A generator cannot be stored; the seed drawn from it can.
    memory["random_state"] = int(selector.seed_)
    return json.dumps(memory, separators=(",", ":"))


def with_note(memory: str, note: dict) -> str:
    """Return the stored text with a program's own note."""
    return json.dumps({**json.loads(memory), NOTE: note}, separators=(",", ":"))


def note_in(texts, name: str) -> dict:
    """Return the note of a program; empty if another one wrote the table."""
    return recalled(texts, name).get(NOTE, {})


def is_memory(texts) -> bool:
    """Return whether a column has the stored parameters of a selector in some row."""
    return any('"n_items":' in str(text) for text in texts)


def recalled(texts, name: str) -> dict:
    """Return the stored parameters."""
    # Not as an array of text, which would take the full length for every row.
    nothing = is_missing(texts)
    nothing[~nothing] = [str(text) == "" for text in texts[~nothing]]
    there = {str(text) for text in texts[~nothing]}
    if len(there) > 1:
        raise ValueError(
            f"The column {name!r} holds {len(there)} different texts: rows of several tables are "
            "mixed, or a session was started twice. Continue from one of them."
        )
    if nothing.any():
        raise ValueError(
            f"{nothing.sum()} of {len(texts)} rows are empty in the column {name!r}: they were "
            "added later. Remove them; to label more items, start a new table with all of them."
        )
    try:
        memory = json.loads(*there)
        if isinstance(memory, dict) and isinstance(memory.get("n_items"), int):
            return memory
    except (TypeError, ValueError):
        pass
    raise ValueError(f"The column {name!r} was changed; continue from an older copy.")


def parameters_of(memory: dict, given: dict, known) -> dict:
    """Return the parameters with which to resume."""
    begun = {name: value for name, value in memory.items() if name not in (*OF_ITEMS, NOTE)}
    if strange := set(begun) - set(known):
        raise ValueError(
            f"The session was started by another version of this package, with "
            f"{', '.join(sorted(strange))}: continue with that version."
        )
    if not isinstance(given.get("random_state"), Integral):
        given = {name: value for name, value in given.items() if name != "random_state"}
    others = [name for name in given if name in known and name not in FREE]
    others = [name for name in others if _as_json(given[name]) != begun.get(name)]
    if others:
        was = ", ".join(f"{name}={_shown(begun.get(name))}" for name in others)
        now = ", ".join(f"{name}={_shown(_as_json(given[name]))}" for name in others)
        raise ValueError(
            f"The session was started with {was}, got {now}. Leave it out to continue as before; "
            "to change it, start a new table with the same scores and labels."
        )
    for name, value in begun.items():
        if isinstance(value, dict) and "is" in value and name not in given:
            raise ValueError(
                f"The session was started with {name}={_shown(value)}, which cannot be stored in a "
                f"table: pass {name} again."
            )
    return {name: _recalled(value) for name, value in begun.items()} | given


def _as_json(value):
    """Return a parameter as JSON stores it; others by their name."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Goal) and all(bound.has_name for bound in value.bounds):
        return {"goal": {bound.metric.name: list(bound.wanted) for bound in value.bounds}}
    if isinstance(value, list | tuple | np.ndarray):
        return [_as_json(part) for part in value]
    name = getattr(value, "__qualname__", None) or re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    return {"is": " ".join(name.split())}


def _recalled(value):
    """Return a parameter read from JSON."""
    return Goal.of(value["goal"]) if isinstance(value, dict) and "goal" in value else value


def _shown(value) -> str:
    return value["is"] if isinstance(value, dict) and "is" in value else repr(_recalled(value))
