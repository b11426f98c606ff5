"""Damage to valid content: random changes of JSON, of lines and of cells."""

import copy
import json

# What stands for lists in lists, deeper than Python's own functions go.
DEEP, N_LEVELS = "as deep as no function goes", 3000
# What takes the place of a value.
ODDITIES = (
    None,
    "",
    "odd",
    "\u202e\x1b[2J",
    0,
    -1,
    1.5,
    2**70,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    True,
    False,
    [],
    {},
    [None],
    [[1]],
    {"odd": [1]},
    {"": None},
)


def places_in(value, path=()):
    """Return the paths of all values in JSON, but not the path of itself."""
    items = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [
        place for key, inner in items for place in [(*path, key), *places_in(inner, (*path, key))]
    ]


def damaged_json(value, rng, n_changes, among=None):
    """Return JSON with some values deleted, doubled or replaced, and the paths of these.

    `among` has the paths that may change.
    """
    value = copy.deepcopy(value)
    changed = []
    for _ in range(n_changes):
        paths = places_in(value) if among is None else [p for p in places_in(value) if among(p)]
        if not paths:
            break
        path = paths[rng.integers(len(paths))]
        *parents, last = path
        inner = value
        for key in parents:
            inner = inner[key]
        change = rng.integers(8)
        if change == 0:
            del inner[last]
        elif change == 1 and isinstance(inner, dict):
            inner[f"{last} odd"] = inner.pop(last)
        elif change == 2:
            inner[last] = DEEP
        else:
            inner[last] = copy.deepcopy(ODDITIES[rng.integers(len(ODDITIES))])
        changed.append(path)
    return value, changed


def text_of(value):
    """Return JSON as text."""
    return json.dumps(value).replace(json.dumps(DEEP), "[" * N_LEVELS + "]" * N_LEVELS)


def damaged_text(text, rng, n_changes):
    """Return a text of lines of which some are cut, doubled, emptied, or have an odd cell."""
    lines = text.split("\n")
    for _ in range(n_changes):
        row = int(rng.integers(len(lines)))
        change = rng.integers(6)
        if change == 0:
            lines.insert(row, lines[row])
        elif change == 1:
            lines[row] = lines[row][: rng.integers(len(lines[row]) + 1)]
        elif change == 2:
            lines[row] = ""
        elif change == 3:
            cells = lines[row].split(",")
            cells[rng.integers(len(cells))] = str(ODDITIES[rng.integers(len(ODDITIES))])
            lines[row] = ",".join(cells)
        elif change == 4:
            at = int(rng.integers(len(lines[row]) + 1))
            letter = '\0",;\t\ufeff{[é'[rng.integers(9)]
            lines[row] = lines[row][:at] + letter + lines[row][at:]
        else:
            lines.append(",".join(map(str, ODDITIES[: rng.integers(1, 8)])))
    return "\n".join(lines)
