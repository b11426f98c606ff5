"""Inputs that belong together, row by row: with pandas, by the same index."""

from __future__ import annotations

from collections.abc import Mapping

from ._array_like import is_missing_value

__all__ = ["check_aligned"]


def check_aligned(**inputs) -> None:
    """Make sure that the inputs of one call name their rows alike.

    Rows are paired by position, as everywhere in scikit-learn. Where two inputs carry an index
    of pandas, the index says which rows belong together, and must be the same: labels that were
    sorted, filtered or read from another file would else be given to the wrong items. A default
    index (0, 1, 2, ...) is an index like any other. What has none is paired by position.
    """
    indexed = {name: v.index for name, v in _columns(inputs) if _has_index(v)}
    if len(indexed) < 2:
        return
    (first, index), *others = indexed.items()
    for name, other in others:
        if len(other) == len(index) and not index.equals(other):
            raise ValueError(_contradiction(first, index, name, other))


def _columns(inputs):
    """Yield inputs by name, of one that is a mapping its columns."""
    for name, value in inputs.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}[{key!r}]", column) for key, column in value.items())
        else:
            yield name, value


def _contradiction(first, index, name, other) -> str:
    same = index.isin(other).all() and other.isin(index).all()
    how = "the same index in another order" if same else "different indexes"
    place = next(i for i, pair in enumerate(zip(index, other, strict=True)) if _differ(*pair))
    return (
        f"{first} and {name} have {how}: row {place} is {index[place]!r} in {first} and "
        f"{other[place]!r} in {name}. If the index says which rows belong together, pass "
        f"{name}.reindex({first}.index); if their order does, {name}.to_numpy()."
    )


def _differ(one, other) -> bool:
    missing = is_missing_value(one), is_missing_value(other)
    return missing[0] != missing[1] or (not any(missing) and one != other)


def _has_index(values) -> bool:
    # A list has a method of this name.
    return hasattr(values, "iloc") and hasattr(values, "index")
