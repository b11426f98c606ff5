"""Tasks for Label Studio, and their annotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs._validation import as_tuple, check_count

# Columns shown with an item, besides its scores.
META_COLUMNS = ("category", "groups", "noisy_label", "probability")


def tasks_of(columns: dict[str, Any], data: Any) -> list[dict[str, Any]]:
    """Return one task per item."""
    n = len(columns["item"])
    contents = [{}] * n if data is None else as_tuple(data, "data", "dicts, one an item")
    invalid = [
        content for content in contents if not isinstance(content, dict) or "item" in content
    ]
    if invalid:
        raise ValueError(
            f"data must hold one dict per item, such as {{'text': ...}}, without the key 'item'; "
            f"got {invalid[0]!r}."
        )
    if len(contents) != n:
        raise ValueError(
            f"data must hold one dict for each of the {n} items, in the same order; got "
            f"{len(contents)}."
        )

    meta = [name for name in columns if name in META_COLUMNS or name.startswith("score")]
    return [
        {
            "data": {**content, "item": int(columns["item"][row])},
            "meta": {name: columns[name][row].tolist() for name in meta},
        }
        for row, content in enumerate(contents)
    ]


def read_label_studio(tasks: Any) -> tuple[np.ndarray, np.ndarray]:
    """Read the annotations of a Label Studio export.

    .. versionadded:: 0.1

    Parameters
    ----------
    tasks : list of dict
        The result of ``json.load`` on an export in JSON format. Its tasks were made by
        `ActiveTestSelector.to_label_studio`, and have one choice each.

    Returns
    -------
    indices : ndarray of shape (n,)
    labels : ndarray of shape (n,), dtype=object
        The choice of the last annotation of each task; None if it was skipped. Tasks without
        annotations are left out.

    Raises
    ------
    TypeError
        If `tasks` is not a list of dicts.
    ValueError
        If the "item" of a task is missing or not a whole number, or an annotation has more than one
        choice.

    Examples
    --------
    >>> from sklearn_spe.active import read_label_studio
    >>> choice = {"type": "choices", "value": {"choices": ["spam"]}}
    >>> done = {"data": {"item": 7}, "annotations": [{"result": [choice]}]}
    >>> skipped = {"data": {"item": 9}, "annotations": [{"result": [], "was_cancelled": True}]}
    >>> read_label_studio([done, skipped])
    (array([7, 9]), array(['spam', None], dtype=object))
    """
    if not isinstance(tasks, (list, tuple)):
        raise TypeError(
            "tasks must be the list that json.load returns for an export, got "
            f"{type(tasks).__name__}."
        )

    indices: list[int] = []
    labels: list[Any] = []
    for task in tasks:
        if not isinstance(task, dict):
            raise TypeError(f"tasks must hold dicts, got {task!r}; pass the result of json.load.")
        data = task.get("data")
        annotations = task.get("annotations")
        if not isinstance(data, dict) or "item" not in data:
            raise ValueError(
                f"A task must have 'item' in its 'data', as to_label_studio makes it, and be "
                f"exported in the format JSON (not JSON-MIN); got one with {sorted(task)}."
            )
        item = check_count(data["item"], "item", 0)
        if annotations is None or annotations == []:
            continue
        indices.append(item)
        last = _listed(annotations, "annotations", dict, item)[-1]
        labels.append(_choice(last, item))

    # As objects: an array of text would turn None into text.
    answers = np.empty(len(labels), dtype=object)
    answers[:] = labels
    return np.array(indices, dtype=np.intp), answers


def _listed(values: Any, name: str, kind: type, item: int) -> list[Any]:
    """Return a validated list of dicts or names."""
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        entries = "dicts" if kind is dict else "names"
        raise TypeError(f"{name!r} of item {item} must be a list of {entries}, got {values!r}.")
    return values


def _choice(annotation: dict[str, Any], item: int) -> str | None:
    """Return the one choice of an annotation; None if it was skipped."""
    if annotation.get("was_cancelled"):
        return None

    results = _listed(annotation.get("result", []), "result", dict, item)
    values = _listed([result.get("value", {}) for result in results], "value", dict, item)
    other_types = [
        result.get("type")
        for result, value in zip(results, values, strict=True)
        if "choices" not in value
    ]
    if other_types:
        raise ValueError(f"The annotation of item {item} is not a choice but {other_types}.")

    choices = [
        choice for value in values for choice in _listed(value["choices"], "choices", str, item)
    ]
    if len(choices) > 1:
        raise ValueError(f"The annotation of item {item} has several choices: {choices}.")
    return choices[0] if choices else None
