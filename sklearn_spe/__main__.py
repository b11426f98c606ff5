"""The command line: ``python -m sklearn_spe estimate FILE --score COLUMN --label COLUMN``."""

from __future__ import annotations

import argparse
import sys
import warnings
from io import BytesIO
from pathlib import Path

from ._numbers import check_count
from ._score_kind import KINDS
from .active import RECORD, STRATEGIES, ActiveTestSelector
from .experts import EXPERTS
from .performance import PerformanceCurveEstimator
from .report import describe_progress, describe_threshold, summarise
from .score_mixture import SemisupervisedScoreMixture
from .tables import LabelingTable, Table, printable, read_table, write_file

# What a table that is being labelled remembers.
REMEMBERED = (
    "metric",
    "threshold",
    "strategy",
    "interval",
    "confidence_level",
    "random_state",
)


def main(arguments=None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    # The hook is put back, so that a program that calls this keeps its own.
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            return options.command(options)
        except (ValueError, TypeError, OSError, ImportError) as error:
            _tell(f"error: {error}")
            return 2


def _estimate(options) -> int:
    table = _read(options)
    found = table.numbers(options.score), table.labels(options.label, classes=options.classes)
    _note(*table.notes, *found[0].notes, *found[1].notes)
    scores, labels = (column.values for column in found)
    mixture = SemisupervisedScoreMixture(
        classes=_as_written(options.classes, labels),
        pos_label=_one_as_written(options.pos_label, labels),
        experts=None if options.experts == "none" else options.experts,
        score_kind=options.score_kind,
        greater_is_positive=not options.smaller_is_positive,
        n_draws=options.n_draws,
        random_state=options.random_state or 0,
    )
    performance = PerformanceCurveEstimator(
        mixture,
        target=options.target,
        confidence_level=0.9 if options.confidence_level is None else options.confidence_level,
        random_state=options.random_state or 0,
    ).fit(scores, labels)
    _print(summarise(performance, options.threshold))
    if options.goal:
        _print(describe_threshold(performance, _goal_of(options.goal), options.goal_probability))
    if options.plot:
        _plot(performance, options.plot)
        print(f"\nThe precision-recall curve is in {options.plot}.")
    return 0


def _suggest(options) -> int:
    named = options.score, options.label
    table = LabelingTable.of(_read(options), *named, RECORD, options.classes)
    _note(*table.notes)
    labels = table.columns[options.label]
    given = {name: getattr(options, name) for name in REMEMBERED}
    given |= {
        "classes": _as_written(options.classes, labels),
        "pos_label": _one_as_written(options.pos_label, labels),
        "greater_is_positive": False if options.smaller_is_positive else None,
    }
    if not table.resumes and options.random_state is None:
        given["random_state"] = 0
    # What is not given is as the table remembers it.
    given = {name: value for name, value in given.items() if value is not None}
    selector = ActiveTestSelector.from_frame(table.columns, names=table.names, **given)
    _print(describe_progress(selector))
    rules = {"half_width": options.half_width, "max_labels": options.max_labels}
    if any(v is not None for v in rules.values()) and selector.should_stop(**rules):
        print(f"Stop: {selector.stop_reason_}.")
        return 0
    n_more = check_count(options.n_labels, "-n") - len(selector.pending_)
    selector.query(max(0, min(n_more, selector.n_left_)))
    if not len(selector.pending_):
        print("No row is left to label.")
        return 0
    out = options.out or table.default_path
    columns = selector.to_columns()
    table.write(out, {name: columns[name] for name in RECORD}, selector.pending_)
    print(
        f"\nThe first {len(selector.pending_)} rows of {out} are to be labelled. Fill in their "
        f"{options.label!r} and run this again with {out} in the place of {options.file}."
    )
    return 0


def _read(options) -> Table:
    table = read_table(
        options.file, sep=options.sep, decimal=options.decimal, encoding=options.encoding
    )
    return table.without_missing(options.score) if options.drop_missing else table


def _plot(performance, path) -> None:
    # Imported here: matplotlib is optional.
    from .display import PerformanceCurveDisplay, ScoreMixtureDisplay

    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError(
            '--plot needs matplotlib; install it with pip install "sklearn-spe[plot]".'
        ) from error
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    ScoreMixtureDisplay.from_estimator(performance, ax=left)
    PerformanceCurveDisplay.from_estimator(performance, ax=right)
    picture = BytesIO()
    figure.savefig(picture, dpi=150, format=Path(path).suffix.removeprefix(".") or None)
    plt.close(figure)
    write_file(path, picture.getvalue())


def _as_written(names, labels):
    """Read classes given on the command line as numbers if the labels are numbers."""
    if names is None:
        return None
    if any(isinstance(label, str) for label in labels):
        return names
    if any(isinstance(label, bool) for label in labels):
        return [{"true": True, "false": False}.get(name.lower(), name) for name in names]
    try:
        return [int(name) for name in names]
    except ValueError:
        return names


def _one_as_written(name, labels):
    return None if name is None else _as_written([name], labels)[0]


def _goal_of(bounds) -> dict:
    names = [name for name, _ in bounds]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"--goal bounds {', '.join(sorted(twice))} twice; give each metric once.")
    return dict(bounds)


def _read_goal(text):
    """Read a bound such as precision=0.9."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a goal is METRIC=VALUE, such as precision=0.9; got {text!r}"
        ) from None


def _read_probability(text):
    """Read a number between 0 and 1."""
    try:
        if 0.0 < (value := float(text)) < 1.0:
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"a probability lies between 0 and 1; got {text!r}")


def _print_warning(message, category, filename, lineno, file=None, line=None):
    _tell(f"warning: {message}")


def _note(*notes) -> None:
    for note in notes:
        _tell(f"note: {note}")


def _tell(text) -> None:
    print(printable(text, keep="\n"), file=sys.stderr)


def _print(text) -> None:
    # Names of classes come from a file, and may hold what steers a terminal.
    print(printable(text, keep="\n"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_spe",
        description="A classifier's performance on new data, from its scores and a few labels.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    estimate = commands.add_parser(
        "estimate",
        help="precision-recall curve, average precision and more, with bands",
        description="Estimate a classifier's performance from scores of which some are labelled.",
    )
    estimate.set_defaults(command=_estimate)
    _add_table(estimate)
    estimate.add_argument("--plot", metavar="OUT.png", help="draw the curve into this file")
    estimate.add_argument(
        "--threshold", type=float, help="also precision, recall, F1 at this score"
    )
    estimate.add_argument(
        "--goal",
        type=_read_goal,
        action="append",
        metavar="METRIC=VALUE",
        help="find a threshold that meets this, such as precision=0.9; may be given repeatedly",
    )
    estimate.add_argument(
        "--goal-probability",
        type=_read_probability,
        default=0.95,
        help="with what probability; default: 0.95",
    )
    estimate.add_argument(
        "--score-kind", choices=("auto", *KINDS), default="auto", help="what the scores are"
    )
    estimate.add_argument(
        "--experts",
        choices=("auto", *EXPERTS, "none"),
        default="auto",
        help="what turns scores into probabilities; none: the bare mixture of the papers",
    )
    estimate.add_argument("--target", choices=("sample", "population"), default="sample")
    estimate.add_argument("--n-draws", type=int, default=1000, help="default: 1000")
    _add_suggest(commands)
    return parser


def _add_suggest(commands) -> None:
    suggest = commands.add_parser(
        "suggest",
        help="which rows to label next, and what is known so far",
        description="Write a table whose first rows are those to label next. Fill in their labels "
        "and run this again on that table: it goes on from there.",
    )
    suggest.set_defaults(command=_suggest)
    _add_table(suggest)
    add = suggest.add_argument
    add("-n", "--n-labels", type=int, default=10, help="how many rows; default: 10")
    add(
        "--out",
        type=Path,
        metavar="OUT.csv",
        help="the table to write; default: FILE_next.csv, then that itself",
    )
    add("--metric", help="what is wanted; default: average_precision")
    add("--threshold", type=float, help="where precision, recall, f1, ... are wanted")
    add("--strategy", choices=tuple(STRATEGIES))
    add("--interval", choices=("posterior", "design", "anytime"))
    add("--half-width", type=float, help="stop once half the interval is at most so wide")
    add("--max-labels", type=int, help="stop once there are so many labels")


def _add_table(parser) -> None:
    """Add the options of every command: what the table holds, and how."""
    add = parser.add_argument
    add(
        "file",
        help="a table with a header: text, JSON lines, Parquet or Excel; -: standard input",
    )
    add("--score", required=True, metavar="COLUMN", help="column of scores")
    label = "column of labels; empty: not labelled"
    add("--label", required=True, metavar="COLUMN", help=label)
    add("--smaller-is-positive", action="store_true", help="smaller scores mean positive")
    add("--pos-label", help="the positive class, if not 1")
    add("--classes", nargs=2, help="both classes, if the labels name only one")
    add("--sep", help="what separates cells: a character, or tab; default: what is found")
    add("--decimal", choices=(".", ","), help="the decimal mark; default: what is found")
    add("--encoding", help="of text; default: what is found")
    add("--drop-missing", action="store_true", help="leave out rows without a score")
    add("--confidence-level", type=float, help="default: 0.9")
    add("--random-state", type=int, help="default: 0")


if __name__ == "__main__":
    sys.exit(main())
