"""Inputs that belong together, row by row: with pandas, by the same index."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ._array_like import is_missing_value, shape_of

__all__ = ["check_aligned", "check_aligned_with", "check_labels_of", "index_of"]


def check_aligned(**inputs) -> None:
    """Make sure that the inputs of one call name their rows alike.

    Rows are paired by position, as everywhere in scikit-learn. Where two inputs carry an index
    of pandas, the index says which rows belong together, and must be the same: labels that were
    sorted, filtered or read from another file would else be given to the wrong items. A default
    index (0, 1, 2, ...) is an index like any other. What has none is paired by position.
    """
    indexed = _indexes(inputs)
    if indexed:
        first, index = next(iter(indexed.items()))
        check_aligned_with(index, first, **inputs)


def check_aligned_with(index, said: str, **inputs) -> None:
    """Make sure that inputs name their rows as an index does, which `said` had; None had none."""
    for name, other in _indexes(inputs).items() if index is not None else ():
        if len(other) == len(index) and not index.equals(other):
            raise ValueError(_contradiction(said, index, name, other))


def check_labels_of(indices, labels, index) -> None:
    """Make sure that labels with an index of pandas are in the order of the items they are of.

    Their index may number items by their places in X, name them as `index` does, which X had
    (None: it had none), or be the default one, which says nothing of which items these are.
    """
    if not _has_index(labels) or shape_of(indices) != (len(labels),):
        return
    places = np.asarray(indices)
    if places.dtype.kind not in "iu":
        return
    has_names = index is not None and (places >= 0).all() and (places < len(index)).all()
    found, named = list(labels.index), list(index[places]) if has_names else places.tolist()
    if found in (named, places.tolist()):
        return
    is_same_set = set(found) in (set(named), set(places.tolist()))
    is_silent = not has_names or found == list(range(len(found)))
    if is_same_set or not is_silent:
        place = next(i for i, pair in enumerate(zip(found, named, strict=True)) if _differ(*pair))
        raise ValueError(
            f"The index of labels is not that of the items in indices, in their order: row {place} "
            f"is {found[place]!r} in labels, and item {places[place]} is {named[place]!r}. If the "
            f"index says whose labels they are, bring them into the order of indices, by "
            f"labels.loc; if their order does, pass labels.to_numpy()."
        )


def index_of(**inputs):
    """Return the first index of pandas among the inputs of one call; None if there is none."""
    return next(iter(_indexes(inputs).values()), None)


def _indexes(inputs) -> dict:
    return {name: values.index for name, values in _columns(inputs) if _has_index(values)}


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
