"""The commands ``suggest`` and ``find``."""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...active._selector import ActiveTestSelector
from ...active._stopping import GoalReached
from ...active.sessions._plan import GoalPlan
from ...design._evidence import with_columns
from ...goals._goal import SIZE, Goal
from ...goals._question import Question
from ...inputs._validation import listed
from ...inputs._writing import write_file
from ..report._sentences import describe_progress, estimates_so_far
from ..tables._labeling_table import LabelingTable, write_together
from ..tables._session_file import NEXT, SKIP, SessionFile, latest_of, session_path
from ..tables._table import Table
from ._answer import Answer, add_suspect_labels
from ._option_table import COMMANDS, STRUCTURE
from ._option_texts import COUNTS, N_LABELS, SHARES
from ._options import read_merged, record_input
from ._options_of_fit import as_in_column, decided_at, positive_in, without_threshold
from ._terminal import UnmetGoalError, tell, working

# Options stored with the table that may be changed, while columns may not. All others are
# parameters of the selector, which stores them, or apply to one call.
GOES_ON = ("n_labels", "budget", "least", "half_width", "target")
# The recall of a review.
RECALL = 0.8
# The column of the selection, beside those of the user.
RETURNED = "returned"


@dataclass(frozen=True, eq=False)
class Opened:
    """The tables of a labeling session, with their output paths and disputed items."""

    table: LabelingTable  # with the labels that are not disputed
    # The tables to write and their paths: one, or one per annotator.
    sheets: list[tuple[LabelingTable, Path]]
    disputed: np.ndarray  # items with different labels by annotators


def opened(options: argparse.Namespace, answer: Answer) -> Opened:
    """Return the table, new or resumed, and the output paths."""
    merged, copies = read_merged(options, answer)

    def begun(table: Table, session: SessionFile | None) -> LabelingTable:
        return LabelingTable.of(
            table,
            options.score,
            options.label,
            session=session,
            classes=options.classes,
            judges=options.judge or (),
            structure={name: column for name in STRUCTURE if (column := getattr(options, name))},
            made=options.made,
        )

    # One table to write, or the copy of each annotator.
    sessions = [session for session in options.sessions if session is not None]
    table = begun(merged, latest_of(sessions) if sessions else None)
    tables = [table]
    if copies is not None and not options.out:
        tables = list(map(begun, copies.copies, options.sessions))
    sheets = [(sheet, options.out or sheet.default_path) for sheet in tables]

    # Checked again when it is written; here, before anything is computed. A plan writes nothing.
    for sheet, path in sheets if not options.plan else ():
        sheet.check(path)
    if copies is not None and options.out:
        copies.check_new(options.out)
    if len({path.resolve() for _, path in sheets}) < len(sheets):
        raise ValueError(
            f"{listed(path for _, path in sheets)} would be the same file: give the copies "
            "different names, or pass one table for all as --out."
        )

    _recall(options, table)
    if options.command == "review":
        _recall_share(options, table)

    labels = table.columns[options.label]
    record_input(options, answer, table.table, labels, [table])
    disputed = np.array([], dtype=int) if copies is None else copies.annotations.disputed
    return Opened(table, sheets, disputed)


def _recall(options: argparse.Namespace, table: LabelingTable) -> None:
    """Set options stored in the table that are not given again."""
    stored = {} if table.session is None else table.session.options
    for name, value in _columns(options).items():
        if name in stored and stored[name] != value:
            raise ValueError(
                f"The table was started with {_typed(name, stored[name])}, got "
                f"{_typed(name, value)}. Use the same option; or start a new "
                "table with the same labels."
            )

    known = COMMANDS[options.command].options
    repeated = {
        name: stored[name]
        for name in GOES_ON
        if name in stored and name in known and getattr(options, name) is None
    }
    vars(options).update(repeated)
    if repeated:
        text = ", ".join(_typed(name, value) for name, value in repeated.items())
        tell("note", f"As before: {text}.")


def _recall_share(options: argparse.Namespace, table: LabelingTable) -> None:
    """Set the recall of a review, which is fixed when the review starts."""
    stored = None if table.session is None else table.session.options.get("recall")
    if stored is not None and options.recall not in (None, stored):
        raise ValueError(
            f"The review was started with --recall {stored:g}, got {options.recall:g}: a proof "
            "holds for one recall that is set before the first label. Leave it out, or start a new "
            "table with the same labels."
        )
    options.recall = next(share for share in (stored, options.recall, RECALL) if share is not None)


def _columns(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of columns, which stay."""
    columns = {"score": options.score, "label": options.label, "judge": options.judge or []}
    return columns | {name: getattr(options, name) for name in STRUCTURE}


def _typed(name: str, value) -> str:
    """Return an option as written on the command line."""
    words = value if isinstance(value, list) else [] if value is None else [value]
    option = f"--{name.replace('_', '-')}"
    return " ".join([option, *map(str, words)]) if words else f"no {option}"


def selector_of(
    options: argparse.Namespace, table: LabelingTable, **asked: Any
) -> ActiveTestSelector:
    """Return the selector with the parameters that are given; the table stores the others.

    `asked` are those specific to one command.
    """
    labels = table.columns[options.label]
    parameters = {
        **asked,
        "confidence_level": options.confidence_level,
        "random_state": options.random_state,
        "classes": as_in_column(options.classes, labels),
        "pos_label": positive_in(options, labels),
        "greater_is_positive": False if options.smaller_is_positive else None,
        "salt": _salt_of(options, table),
    }
    if not table.resumes and options.random_state is None:
        parameters["random_state"] = 0

    set_parameters = {name: value for name, value in parameters.items() if value is not None}
    with working("learning from the labels"):
        return ActiveTestSelector.from_frame(table.columns, names=table.names, **set_parameters)


def _salt_of(options: argparse.Namespace, table: LabelingTable) -> str | None:
    """Return the text from which the order of a proof is drawn, with the hash of the rows.

    A table that goes on remembers it.
    """
    text = options.salt
    is_proof = options.command == "review" or options.guarantee == "anytime"
    if is_proof and not table.resumes and text is None:
        seed = options.random_state
        text = secrets.token_hex(8) if seed is None else str(seed)
    return None if text is None else f"{text}:{table.digest}"


def tell_commitment(answer: Answer, selector: ActiveTestSelector, table: LabelingTable) -> None:
    """Add the commitment to the order of a proof, if there is one, before the first label."""
    commitment = getattr(selector, "commitment_", None)
    if commitment is None:
        return
    answer.record["commitment"] = commitment
    if not table.resumes:
        answer.lines.append(
            f"Commitment: {commitment}. Rows are labeled in an order drawn from it: give it to the "
            "other side now, before the first label; they pass it to verify --commitment."
        )


def record_of(selector: ActiveTestSelector) -> dict[str, Any]:
    """Return the first entries of the JSON of both commands."""
    return {
        "random_state": selector.random_state,
        "confidence_level": selector.estimate_.confidence_level,
        "classes": selector.classes_,
        "pos_label": selector.pos_label_,
    }


def ask_next(
    options: argparse.Namespace,
    answer: Answer,
    found: Opened,
    selector: ActiveTestSelector,
    most: float = np.inf,
) -> None:
    """Write the table with the rows to label next numbered, disagreements first."""
    # Whatever the verdict is, it goes on.
    answer.status = 0
    n_more = min(options.n_labels or N_LABELS, most) - len(selector.pending_)
    with working("choosing rows"):
        selector.query(max(0, int(min(n_more, selector.n_left_))))

    # The record of the session, with the options that stay.
    columns = selector.to_columns()
    stay = _columns(options)
    stay |= {name: value for name in GOES_ON if (value := getattr(options, name)) is not None}
    if options.command == "review":
        stay["recall"] = options.recall
    disputed = found.disputed.tolist()
    session = SessionFile.of(
        columns, stay, found.table.inputs, disputed=disputed, start=found.table.session
    )
    first = [*disputed, *(item for item in selector.pending_.tolist() if item not in disputed)]
    write_together(found.sheets, session, first, columns["skipped"])

    if options.evidence is not None:
        tell("note", f"{options.evidence} is not written yet: pass --evidence until it stops.")

    paths = [path for _, path in found.sheets]
    out = " and ".join(map(str, paths))
    single_path = paths[0] if len(paths) == 1 else None
    answer.record |= {
        "table": single_path,
        "tables": paths,
        "sessions": list(map(session_path, paths)),
        "n_asked": len(first),
        "asked": first,
    }
    n_later = most - len(selector.pending_)
    later = f" ({n_later:,.0f} more are in the budget)" if np.isfinite(n_later) else ""
    settle = f", {len(disputed)} of them disagreements to be settled" if disputed else ""
    rows = f"{rows_of(len(first), out)} to be labeled{settle}{later}"
    answer.lines.append(
        f"{rows}, numbered in column {NEXT!r}: sort or filter by it. Fill in their "
        f"{options.label!r}, or write {SKIP} into {NEXT!r} where nobody can tell, and go on by: "
        f"sklearn-spe {options.command} {shlex.join(map(str, paths))}"
    )


def find(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    goal = _goal_of(options)
    labeling = opened(options, answer)
    table = labeling.table
    if goal is None and not table.resumes:
        raise ValueError(
            "A guarantee is needed: pass --precision 0.9, for example, or another bound."
        )
    selector = selector_of(options, table, metric=goal, interval=options.guarantee)
    _check_goal_of(options, table, selector)

    # What is known so far.
    answer.lines.append(describe_progress(selector, answer.take(selector.verdict_)))
    tell_commitment(answer, selector, table)
    n_spent = _n_spent(selector)
    answer.record |= _find_record(selector, n_spent, options.budget)
    add_suspect_labels(answer, selector.suspect_labels_, table.table)
    if options.plan:
        _add_plan(answer, selector)
        return

    # The next labels, or the answer.
    if options.budget is None:
        answer.lines.append(
            f"Without --budget labeling ends as soon as {GoalReached(options.least).describe()}. "
            "--budget 100 spends so many labels on a better one."
        )
    reason = _reason_to_stop_find(options, selector, n_spent)
    answer.record["stop_reason"] = reason
    if reason is None:
        ask_next(options, answer, labeling, selector, _n_left(options, selector))
        return

    answer.lines.append(f"Stop: {reason}.")
    if options.target == "population":
        _add_rule(answer, selector)
        if options.out is not None:
            tell("note", f"{options.out} is not written: a rule for later items returns no rows.")
    else:
        _check_met(selector)
        _write_answer(options, answer, table, selector)
    if options.evidence is not None:
        write_evidence(options.evidence, selector.evidence(), answer, table, selector)


def _check_goal_of(
    options: argparse.Namespace, table: LabelingTable, selector: ActiveTestSelector
) -> None:
    """Raise unless the table is one of `find`, and the question goes with its guarantee."""
    if options.evidence is not None and selector.interval != "anytime":
        raise ValueError(
            "--evidence needs a proof by the labels alone: pass --guarantee anytime in the first "
            "call for a table."
        )
    if options.target == "population" and selector.interval == "anytime":
        raise ValueError(
            "--guarantee anytime applies to the returned rows, not to later ones: leave --target "
            "population out, or use --guarantee posterior."
        )
    if not isinstance(selector.metric, Goal):
        raise ValueError(
            f"{table.table.name} was started by suggest, for {selector.metric}: continue with "
            "suggest, or start with another table."
        )


def _check_met(selector: ActiveTestSelector) -> None:
    """Raise if no rows to return meet the goal."""
    if np.isfinite(selector.threshold_):
        return
    level = selector.estimate_.confidence_level
    if selector.interval == "anytime":
        state = f"is proved to keep {selector.metric} at the level {level:g}"
    else:
        state = f"keeps {selector.metric} with probability {level:g}"
    raise UnmetGoalError(
        f"No answer {state}: the best one has {selector.goal_probability_:.3g}. "
        f"{_remedy_of_unmet(selector)}"
    )


def _remedy_of_unmet(selector: ActiveTestSelector) -> str:
    """Return what to do about a goal that no selection meets."""
    sample = selector.performance_.posterior_.sample
    n_positive = int(sample.positive.sum())
    for bound in selector.goal_.bounds:
        if bound.metric.name == SIZE and n_positive > bound.high:
            return (
                f"{n_positive} rows are labeled positive, and a selection holds all of them: "
                f"raise --max-returned {bound.high:g} to at least that."
            )
    return "Use a larger --budget, or a lower bound."


def _goal_of(options: argparse.Namespace) -> Goal | None:
    """Return the goal that options give, None without one."""
    bounds = {name: getattr(options, name) for name in (*SHARES, *COUNTS)}
    if options.max_returned is not None:
        bounds[SIZE] = (bounds[SIZE], options.max_returned)
    is_given = any(bound is not None for bound in bounds.values())
    return Goal.of(**bounds) if is_given else None


def _add_plan(answer: Answer, selector: ActiveTestSelector) -> None:
    """Add the number of labels that the goal will probably need."""
    answer.status = 0
    if not selector.n_left_:
        answer.lines.append("No row is left to label.")
        return
    with working("planning"):
        plan = selector.plan()
    assert isinstance(plan, GoalPlan)

    n_labels = plan.labels_for()
    answer.record["plan"] = plan.to_dict() | {"least": plan.least, "n_labels": n_labels}
    if n_labels is None:
        number = f"More than {plan.n_labels[-1]:,} labels"
    else:
        number = f"About {n_labels:,} labels"
    answer.add_sentences(
        [
            f"{number} are probably needed for a selection that meets {selector.goal_} with a "
            f"{selector.estimate_.name} of at least {plan.least:.2g}. {plan.sentence()} The "
            f"probability that any threshold meets the goal is {plan.reachable:.2g}."
        ]
    )


def _add_rule(answer: Answer, selector: ActiveTestSelector) -> None:
    """Add the threshold that meets the goal for new items; raise if no threshold does."""
    level = selector.estimate_.confidence_level
    threshold = selector.performance_.threshold_for(
        selector.goal_, confidence_level=level, target="population"
    )
    side = "at least" if selector.greater_is_positive else "at most"
    answer.record |= {"target": "population", "threshold_of_rule": threshold}
    answer.lines.append(
        f"The rule for items like these: scores of {side} {threshold:.6g} are called positive; it "
        f"meets {selector.goal_} with probability {level:g}."
    )


def write_evidence(
    path: Path,
    evidence: dict[str, Any],
    answer: Answer,
    table: LabelingTable,
    selector: ActiveTestSelector,
) -> None:
    """Write the evidence of a proof, and how it is found in the table."""
    positive = selector.pos_label_
    columns = {
        "score": table.names["score"],
        "label": table.label,
        "pos_label": positive.item() if isinstance(positive, np.generic) else positive,
        "smaller_is_positive": not selector.greater_is_positive,
    }
    try:
        content = with_columns(evidence, columns)
        write_file(path, json.dumps(content).encode(), new=True)
    except FileExistsError:
        raise ValueError(f"{path} exists: pass another file as --evidence.") from None
    answer.record["evidence"] = path
    answer.lines.append(
        f"What the proof rests on: {path}. Verify it by: sklearn-spe verify TABLE {path}, with "
        "--commitment or --salt."
    )


def _n_spent(selector: ActiveTestSelector) -> int:
    """Return the number of rows that were labeled or skipped since the start."""
    # Labels known at the start are answers of update 0.
    return int(np.count_nonzero(selector.to_columns()["answered"] > 0))


def _reason_to_stop_find(
    options: argparse.Namespace, selector: ActiveTestSelector, n_spent: int
) -> str | None:
    spent = _spent(options, n_spent)
    is_impossible = any(r.name == "goal_impossible" for r in selector.verdict_.reasons)
    if is_impossible and spent is None:
        return "no label can help"
    if reason := spent or _nothing_left(selector):
        return reason
    if options.budget is not None and options.least is None:
        # The rest of the budget is spent to improve the selection.
        return None
    return selector.stop_reason_ if selector.should_stop(GoalReached(options.least)) else None


def _find_record(selector: ActiveTestSelector, n_spent: int, budget: int | None) -> dict[str, Any]:
    """Return the entries of the JSON of `find` on the goal and the selection."""
    estimate = selector.estimate_
    return {
        **record_of(selector),
        "goal": str(selector.metric),
        "goal_probability": selector.goal_probability_,
        "threshold": selector.threshold_,
        "n_labels": selector.n_labels_,
        "n_spent": n_spent,
        "budget": budget,
        "n_returned": int(selector.selected_.sum()),
        "estimates": [{"name": estimate.name, **estimate._numbers()}],
    }


def _write_answer(
    options: argparse.Namespace, answer: Answer, table: LabelingTable, selector: ActiveTestSelector
) -> None:
    """Write the user's columns with the selection as a further one."""
    path = options.out or _path_of_answer(table)
    if path.exists():
        raise ValueError(f"{path} exists: remove it, or pass another file as --out.")

    column = RETURNED if RETURNED not in table.table.names else f"spe_{RETURNED}"
    cells = [str(int(is_selected)) for is_selected in selector.selected_.tolist()]
    table.write(path, table.encode(path, {column: cells}))

    answer.record["answer"] = path
    answer.lines.append(
        f"{rows_of(int(selector.selected_.sum()), path)} the answer: 1 in column {column!r}. "
        "The guarantee is for these rows; for a rule on later ones: --target population."
    )


def rows_of(n: int, table: object) -> str:
    """Return the beginning of a sentence on some rows of a table."""
    return f"1 row of {table} is" if n == 1 else f"{n:,} rows of {table} are"


def _path_of_answer(table: LabelingTable) -> Path:
    path = table.table.path
    if path is None:
        raise ValueError("With standard input an output file is needed: option --out.")
    return path.with_name(f"{path.name.split('.')[0].removesuffix('_next')}_answer.csv")


def suggest(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    labeling = opened(options, answer)
    table = labeling.table
    threshold = options.threshold if table.resumes else _threshold(options, table)
    selector = selector_of(
        options,
        table,
        threshold=threshold,
        metric=options.metric,
        compare=options.compare,
        strategy=options.strategy,
        interval=options.interval,
    )

    answer.lines.append(describe_progress(selector, answer.take(selector.verdict_)))
    answer.record |= _suggest_record(selector)
    if not (options.judge or options.category or options.groups):
        # Suspect labels exist for one column of scores only.
        add_suspect_labels(answer, selector.suspect_labels_, table.table)

    reason = _reason_to_stop_suggest(options, selector)
    answer.record["stop_reason"] = reason
    if reason is not None:
        answer.lines.append(f"Stop: {reason}.")
        return
    ask_next(options, answer, labeling, selector, _n_left(options, selector))
    _add_worth(options, answer, selector)


def _add_worth(options: argparse.Namespace, answer: Answer, selector: ActiveTestSelector) -> None:
    """Add how wide the interval will probably be with the labels of the rows that are asked."""
    asked = selector.pending_
    is_structured = options.judge or options.category or options.groups or selector.compare
    if is_structured or not options.score or selector.interval != "posterior" or not len(asked):
        return

    ranking: Any = selector.performance_.of()
    metric = selector.metric
    (width,) = ranking.plan_of_rows(asked, np.array([len(asked)]), metric, selector.threshold)
    low, high = selector.estimate_.interval()
    if not np.isfinite(width):
        return
    answer.record["expected_width"] = float(width)
    rows = "its label" if len(asked) == 1 else f"the labels of these {len(asked)} rows"
    answer.add_sentences(
        [
            f"With {rows} the interval of {str(metric).replace('_', ' ')}, now {low:.3f} to "
            f"{high:.3f} ({high - low:.2f} wide), will probably be about {width:.2f} wide."
        ]
    )


def _n_left(options: argparse.Namespace, selector: ActiveTestSelector) -> float:
    """Return the number of labels left in the budget, infinite without a budget."""
    return np.inf if options.budget is None else options.budget - _n_spent(selector)


def _threshold(options: argparse.Namespace, table: LabelingTable) -> float | None:
    """Return the threshold of the metric: given, or the usual one for such scores."""
    metric = options.metric
    is_open = metric is not None and Question.of(metric, threshold=options.threshold).is_open
    if is_open and options.score is None:
        raise ValueError(
            f"--metric {metric} needs scores: pass --score, or use the metric prevalence."
        )

    scores = np.asarray(table.columns.get(options.score, ()))
    if not is_open or not len(scores) or not np.isfinite(scores).all():
        return options.threshold
    threshold = decided_at(options, scores)
    if threshold is None:
        raise without_threshold(options, scores)
    tell("note", f"{metric} is taken at --threshold {threshold:g}, the usual one for such scores.")
    return threshold


def _reason_to_stop_suggest(
    options: argparse.Namespace, selector: ActiveTestSelector
) -> str | None:
    half_width = options.half_width
    if half_width is not None and selector.should_stop(half_width=half_width):
        return selector.stop_reason_
    return _spent(options, _n_spent(selector)) or _nothing_left(selector)


def _spent(options: argparse.Namespace, n_spent: int) -> str | None:
    """Return that the budget is spent, None if it is not."""
    is_spent = options.budget is not None and n_spent >= options.budget
    return f"the budget of {options.budget} labels is spent" if is_spent else None


def _nothing_left(selector: ActiveTestSelector) -> str | None:
    """Return that no item is left, None if there is one."""
    is_over = not selector.n_left_ and not len(selector.pending_)
    return "no item is left to label" if is_over else None


def _suggest_record(selector: ActiveTestSelector) -> dict[str, Any]:
    return {
        **record_of(selector),
        "metric": selector.metric,
        "threshold": selector.threshold,
        "compare": selector.compare,
        "strategy": selector.strategy,
        "interval": selector.interval,
        "n_labels": selector.n_labels_,
        "estimates": [
            {"name": name, "value": value, "lower": low, "upper": high}
            for name, (value, low, high) in estimates_so_far(selector).items()
        ],
    }
