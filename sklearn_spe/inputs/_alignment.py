"""Row alignment of inputs by their pandas index."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ._array_like import is_missing_value, shape_of

__all__ = ["check_aligned", "check_aligned_with", "check_labels_of", "index_of"]


def check_aligned(**inputs) -> None:
    """Raise unless all pandas inputs of a call have the same index.

    Rows are paired by position, as in scikit-learn. If two inputs have a pandas index, it must be
    the same, since otherwise sorted or filtered labels would be assigned to the wrong items. A
    default index (0, 1, 2, ...) counts as an index. Inputs without an index are paired by position.
    """
    indexed = _indexes(inputs)
    if indexed:
        first, index = next(iter(indexed.items()))
        check_aligned_with(index, first, **inputs)


def check_aligned_with(index, said: str, **inputs) -> None:
    """Raise unless inputs have a given index, that of `said`; None had none."""
    for name, other in _indexes(inputs).items() if index is not None else ():
        if len(other) == len(index) and not index.equals(other):
            raise ValueError(_contradiction(said, index, name, other))


def check_labels_of(indices, labels, index) -> None:
    """Raise unless pandas labels are in the order of their items.

    Their index may hold row numbers of X, the index of X (None without one), or be the default
    index, which carries no information.
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
            f"The index of labels differs from that of the items in indices: row {place} is "
            f"{found[place]!r} in labels, but item {places[place]} is {named[place]!r}. If the "
            "index identifies the items, reorder by labels.loc; if the order does, pass "
            "labels.to_numpy()."
        )


def index_of(**inputs):
    """Return the first pandas index among the inputs of a call, or None."""
    return next(iter(_indexes(inputs).values()), None)


def _indexes(inputs) -> dict:
    return {name: values.index for name, values in _columns(inputs) if _has_index(values)}


def _columns(inputs):
    """Yield inputs by name, the columns of mappings separately."""
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
        f"{first} and {name} have {how}: row {place} is {index[place]!r} in {first} but "
        f"{other[place]!r} in {name}. If the index identifies the rows, pass "
        f"{name}.reindex({first}.index); if the order does, {name}.to_numpy()."
    )


def _differ(one, other) -> bool:
    missing = is_missing_value(one), is_missing_value(other)
    return missing[0] != missing[1] or (not any(missing) and one != other)


def _has_index(values) -> bool:
    # `list.index` is a method.
    return hasattr(values, "iloc") and hasattr(values, "index")
