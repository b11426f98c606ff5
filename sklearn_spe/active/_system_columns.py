"""Table columns that exist for each system or judge, by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..inputs._named_scores import NamedScores

__all__ = [
    "columns_of_judges",
    "columns_of_systems",
    "judges_in",
    "numbered_columns",
    "score_columns",
    "scores_in",
]


def columns_of_systems(systems: Sequence) -> list[str]:
    """Return the column names for the scores of named or numbered systems."""
    return ["score"] if len(systems) == 1 else _called("score", systems)


def columns_of_judges(judges: Sequence) -> list[str]:
    """Return the column names for the ratings of judges."""
    return _called("judge", judges)


def _called(what: str, names: Sequence) -> list[str]:
    called = [f"{what}_{name}" for name in names]
    # The number 1 and the text "1" give the same column name.
    return called if len(set(called)) == len(called) else [f"{what}_{m}" for m in range(len(names))]


def judges_in(columns: Mapping, judges: Sequence | None):
    """Return the judges as `fit` takes them, or None; by default all columns judge_*."""
    if judges is None:
        named = [name for name in columns if isinstance(name, str) and name.startswith("judge_")]
        judges = [name.removeprefix("judge_") for name in named]
    else:
        named = columns_of_judges(judges)
    return {judge: columns[name] for judge, name in zip(judges, named, strict=True)} or None


def score_columns(columns: Mapping, systems: Sequence | None = None) -> list[str]:
    """Return the columns of scores, of known or unknown systems; maybe none.

    For unknown systems these are score_0, score_1, ..., else score, else all that begin with
    score_.
    """
    if systems is not None:
        named = columns_of_systems(systems)
        return named if all(name in columns for name in named) else []
    if numbered := numbered_columns(columns, "score"):
        return numbered
    if "score" in columns:
        return ["score"]
    named = [name for name in columns if isinstance(name, str) and name.startswith("score_")]
    return named if len(named) > 1 else []


def scores_in(columns: Mapping, systems: Sequence | None = None):
    """Return the scores as `fit` takes them, with the names of systems if any."""
    found = score_columns(columns, systems)
    if found == ["score"]:
        scores = columns["score"]
        return scores if systems is None else NamedScores.of(scores[:, np.newaxis], systems)
    scores = np.stack([columns[name].astype(float) for name in found], axis=1)
    if systems is None:
        is_numbered = found == numbered_columns(columns, "score")
        named = [name.removeprefix("score_") for name in found]
        systems = range(len(found)) if is_numbered else named
    return NamedScores.of(scores, systems)


def numbered_columns(columns: Mapping, name: str) -> list[str]:
    """Return the existing columns among name_0, name_1, ..."""
    found: list[str] = []
    while f"{name}_{len(found)}" in columns:
        found.append(f"{name}_{len(found)}")
    return found
