"""Options that contradict each other. Checks without a registry do not import numpy."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping

from ._option_table import COMMANDS, LABELING, OPTIONS, STRUCTURE, WITHOUT_TABLE

# Options that several classes do not hear.
OF_TWO_CLASSES = (
    *("threshold", "goal", "pos_label", "smaller_is_positive", "judge", "feature", "amount"),
    *("cost", "known_positives", "score_kind"),
)
# What options need to be heard, of some for one command: one of several others.
SCORES = ("score", "scores")
NEEDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ordered", "reference", "compare"), ("category",)),
    **dict.fromkeys(("threshold", "amount", "cost", "drop_missing"), SCORES),
    **dict.fromkeys(
        ("goal", "plot", "smaller_is_positive", "score_kind", "experts"), (*SCORES, "judge")
    ),
    "goal_probability": ("goal",),
    "readings baseline": ("modality",),
    "mean title": ("out",),
}


def check_options(options: argparse.Namespace) -> None:
    """Raise if options of a command contradict each other."""
    if options.sep is not None and options.sep == options.decimal:
        raise ValueError(f"{options.sep!r} cannot be both --sep and --decimal.")

    if options.command not in ("mean", *WITHOUT_TABLE):
        _check_scores(options)

    if options.command not in LABELING:
        # What a table that goes on remembers is not known yet.
        check_needs(options)
    _check_structure(options)
    if options.command in ("estimate", "report"):
        _check_goal(options)
    if are_classes(options):
        check_several_classes(options)

    if options.command == "judge" and options.labels_by_class:
        for name in filter(
            _given(options), ("prompt", "gate", "memory", "probability", "next", "out", "html")
        ):
            raise ValueError(
                f"{_flag(name)} is for labels that were not chosen by class: leave it out, or "
                "leave --labels-by-class out."
            )

    compares = options.command in ("compare", "readings")
    if options.command == "judge":
        for name in filter(_given(options), ("junit", "github", "unknown")):
            if not options.gate and not options.memory:
                raise ValueError(f"{_flag(name)} is for the answer to a gate: pass --gate too.")
        if options.gate and options.probability <= 0.5:
            raise ValueError(
                f"--probability {options.probability:g} must exceed 0.5 with --gate: otherwise "
                "a gate and its opposite may both be met."
            )
        if options.accept and options.memory is None:
            raise ValueError("--accept is for a memory: pass --memory too.")

    if options.threshold is not None and compares and _is_of_all_scores(options.metric):
        raise ValueError(
            f"{options.metric!r} is a metric of all scores and does not take --threshold. Leave it "
            "out, or ask for a --metric at a threshold, such as recall or specificity."
        )

    if options.command == "compare":
        _check_compare(options)
    if options.command == "readings":
        check_columns(options, ("score", "label", "case", "reader", "modality"))
    if options.command == "mean":
        if options.labels_by_class and options.inclusion_proba:
            raise ValueError(
                "--labels-by-class is for unknown inclusion probabilities, and "
                "--inclusion-proba for known ones: leave one of them out."
            )
        check_columns(options, ("label", "judge", "category", "groups", "inclusion_proba"))


def check_needs(options: argparse.Namespace) -> None:
    """Raise if an option is given without another that it needs."""
    known = COMMANDS[options.command].options
    for name in filter(_given(options), known):
        needed = NEEDS.get(f"{options.command} {name}", NEEDS.get(name, ()))
        if needed and not any(map(_given(options), needed)):
            others = [_flag(other) for other in needed if other in known]
            raise ValueError(f"{_flag(name)} needs {' or '.join(others)}.")

    of_rows = ("n_labels", "out", "budget", "least", "evidence", "target")
    unheard = list(filter(_given(options), of_rows)) if options.plan else []
    if unheard:
        raise ValueError(
            f"--plan only prints how many labels are probably needed, and does not use "
            f"{_flag(unheard[0])}: leave one of them out."
        )


def _given(options: argparse.Namespace) -> Callable[[str], bool]:
    """Return a function of the name of an option: whether the user gives it."""
    return lambda name: getattr(options, name) not in (None, [], OPTIONS[name].default)


def _flag(name: str) -> str:
    """Return an option as it is written."""
    return f"--{name.replace('_', '-')}"


def columns_in(options: argparse.Namespace, names: Iterable[str]) -> list[str]:
    """Return the columns that options name."""
    columns: list[str] = []
    for name in names:
        value = getattr(options, name) or []
        columns += [value] if isinstance(value, str) else value
    return columns


def check_columns(
    options: argparse.Namespace,
    names: Iterable[str],
    used_by: Mapping[str, str] | None = None,
) -> None:
    """Raise if two options name the same column.

    `named` are the options already mapped to a column.
    """
    flags = dict(used_by or {})
    for name in names:
        flag = _flag(name)
        for column in columns_in(options, [name]):
            if column in flags:
                raise ValueError(f"{flags[column]} and {flag} name the same column, {column!r}.")
            flags[column] = flag


def columns_of_scores(options: argparse.Namespace) -> list[str]:
    """Return the columns of the scores of all systems, or of all classes."""
    return columns_in(options, ["score" if options.scores is None else "scores"])


def are_classes(options: argparse.Namespace) -> bool:
    """Return whether there is a column of scores for each class."""
    return options.command == "estimate" and options.scores is not None


def _check_scores(options: argparse.Namespace) -> None:
    """Raise if the columns of scores, labels and structure are not distinct, or none has scores."""
    # The columns of scores, of the option that goes with them.
    of_scores = columns_of_scores(options)
    several = options.scores is not None
    if several and options.score is not None:
        of_what = "classes" if are_classes(options) else "systems"
        raise ValueError(
            f"--score is for one column, --scores for those of several {of_what}: pass one of them."
        )

    labeling = options.command in LABELING
    if "*" in (options.score or "") and not labeling:
        raise ValueError(
            f"--score {options.score!r} is one column; a pattern of several is for --scores."
        )
    scores = "--scores" if several else "--score"
    used_by = dict.fromkeys(of_scores, scores)
    if len(used_by) < len(of_scores):
        twice = next(column for column in of_scores if of_scores.count(column) > 1)
        raise ValueError(f"{scores} names {twice!r} twice; name each column once.")

    if not of_scores and not options.judge and not labeling and options.command != "estimate":
        raise ValueError(
            "Scores or judges are needed: pass --score or --judge. From labels alone, estimate "
            "computes the share of positives, and mean the mean of numbers (-o writes a page)."
        )
    check_columns(options, ("label", "category", "groups", "judge"), used_by)

    classes = options.classes
    if classes is None:
        return

    if len(set(classes)) < len(classes):
        twice = next(name for name in classes if classes.count(name) > 1)
        raise ValueError(f"--classes must name different classes, got {twice!r} twice.")
    # The columns, of scores or of predictions, tell whether there are more.
    if len(classes) != 2 and options.command not in ("estimate", "report"):
        raise ValueError(f"--classes must name both classes, got {len(classes)}.")


def _check_structure(options: argparse.Namespace) -> None:
    """Raise if the experts do not support the structure of the items."""
    structured = [f"--{name}" for name in (*STRUCTURE, "judge") if getattr(options, name)]
    if len(options.scores or ()) > 1:
        structured.append("several --scores")
    if options.command == "readings":
        structured.append("the command readings")

    if structured and options.experts in ("none", "sharp_mixture"):
        raise ValueError(
            f"--experts {options.experts} is for one column of scores and cannot be combined with "
            f"{structured[0]}: leave --experts out."
        )


def check_several_classes(options: argparse.Namespace, *, besides: str | None = None) -> None:
    """Raise if an option is not for several classes, except the one that names predictions."""
    many = "--scores has a column for each" if options.scores is not None else "the labels are"
    for name in OF_TWO_CLASSES:
        if name != besides and _given(options)(name):
            raise ValueError(
                f"{_flag(name)} is for two classes, and {many} of several. Leave it out; or, of "
                "one class against the rest, pass its column as --score, with a column of labels "
                "that are 1 for the class and 0 for all others."
            )


def _check_goal(options: argparse.Namespace) -> None:
    """Raise if a goal is incomplete, or cannot be that of the scores."""
    bounds = options.goal or []
    names = [name for name, _ in bounds]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"--goal bounds {', '.join(sorted(twice))} twice; give each metric once.")
    for name, value in bounds:
        _check_bound(name, value)

    if options.cost is not None:
        other = "threshold" if options.threshold is not None else "goal" if bounds else None
        if other is not None:
            raise ValueError(f"--cost and --{other} both set the threshold: pass one of them.")
        if len(options.scores or ()) > 1:
            raise ValueError("--cost finds the threshold of one system: pass --score.")
    if bounds and len(options.scores or ()) > 1 and options.command == "report":
        raise ValueError("--goal finds the threshold of one system: pass --score.")


def _check_bound(name: str, value: float) -> None:
    """Raise unless a goal bounds a metric of a decision, within its range."""
    from ...goals._goal import metrics_of_decisions
    from ...metrics._registry import as_metric, remedy_of_name

    names = metrics_of_decisions()
    if name not in names:
        raise ValueError(
            f"--goal: {name!r} is not a metric of a decision.{remedy_of_name(name, names)} Choose "
            f"from {', '.join(names)}."
        )

    low, high = as_metric(name).limits
    if not low < value < high:
        raise ValueError(
            f"--goal: {name} lies strictly between {low:g} and {high:g}; got {name}={value:g}."
        )


def _is_of_all_scores(metric: str) -> bool:
    """Return whether a metric is one of all scores, without a threshold."""
    from ...metrics._metric import RankingMetric
    from ...metrics._registry import as_metric
    from ...metrics._tradeoff import ProbabilityMetric

    return isinstance(as_metric(metric), RankingMetric | ProbabilityMetric)


def _check_compare(options: argparse.Namespace) -> None:
    """Raise if there is one system only, or the baseline is not among the systems."""
    columns = options.scores
    # A pattern may be several columns.
    if any("*" in column for column in columns):
        return
    if len(columns) < 2:
        raise ValueError(
            f"--scores has one column, {columns[0]!r}; pass the columns of all systems, or use the "
            "command estimate for one."
        )
    if options.baseline is not None and options.baseline not in columns:
        raise ValueError(
            f"--baseline {options.baseline!r} is not among --scores {' '.join(columns)}."
        )
