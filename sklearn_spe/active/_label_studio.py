"""Tasks for Label Studio, and its answers."""

from __future__ import annotations

import numpy as np

from .._numbers import check_count

__all__ = ["read_label_studio"]

# Columns that are told beside an item, and its scores.
TOLD = ("category", "noisy_label", "probability")


def tasks_of(columns: dict, data) -> list[dict]:
    """Return one task an item.

    Parameters
    ----------
    columns : dict
        Of the items, as `to_columns` returns them.
    data : sequence of dict or None
        What annotators shall see of each item, such as ``{"text": ...}`` or ``{"image": ...}``.
    """
    n = len(columns["item"])
    shown = [{}] * n if data is None else list(data)
    wrong = [own for own in shown if not isinstance(own, dict) or "item" in own]
    if wrong:
        raise ValueError(
            f"data must hold one dict an item, such as {{'text': ...}}, without the key 'item'; "
            f"got {wrong[0]!r}."
        )
    if len(shown) != n:
        raise ValueError(
            f"data must hold one dict for each of the {n} items, in the same order; got "
            f"{len(shown)}."
        )
    told = [name for name in columns if name in TOLD or name.startswith("score")]
    return [
        {
            "data": {**own, "item": int(columns["item"][row])},
            "meta": {name: columns[name][row].tolist() for name in told},
        }
        for row, own in enumerate(shown)
    ]


def read_label_studio(tasks) -> tuple[np.ndarray, np.ndarray]:
    """Read the answers of an export of Label Studio.

    Parameters
    ----------
    tasks : list of dict
        What ``json.load`` makes of an export in the format JSON, of tasks that
        `ActiveTestSelector.to_label_studio` made and that have one choice each.

    Returns
    -------
    indices : ndarray of shape (n,)
    labels : ndarray of shape (n,), dtype=object
        The choice of the last annotation of each task; None where it was skipped. Tasks that
        nobody has opened are left out.

    Raises
    ------
    TypeError
        If tasks are no list of dicts.
    ValueError
        If a task has no "item", or one that is no whole number, or an annotation more than one
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
            f"tasks must be the list that json.load makes of an export, got {type(tasks).__name__}."
        )
    indices, labels = [], []
    for task in tasks:
        if not isinstance(task, dict):
            raise TypeError(f"tasks must hold dicts, got {task!r}; pass what json.load makes.")
        if "item" not in (task.get("data") or {}):
            raise ValueError(
                f"A task must have 'item' in its 'data', as to_label_studio makes it, and be "
                f"exported in the format JSON (not JSON-MIN); got one with {sorted(task)}."
            )
        item = check_count(task["data"]["item"], "item", 0)
        if not task.get("annotations"):
            continue
        indices.append(item)
        labels.append(_choice(task["annotations"][-1], indices[-1]))
    answers = np.empty(len(labels), dtype=object)
    answers[:] = labels
    return np.array(indices, dtype=np.intp), answers


def _choice(annotation, item):
    if annotation.get("was_cancelled"):
        return None
    results = annotation.get("result", [])
    other = [r.get("type") for r in results if "choices" not in r.get("value", {})]
    if other:
        raise ValueError(f"The annotation of item {item} is no choice but {other}.")
    chosen = [c for result in results for c in result.get("value", {}).get("choices", [])]
    if len(chosen) > 1:
        raise ValueError(f"The annotation of item {item} has several choices: {chosen}.")
    return chosen[0] if chosen else None
