"""The command line: ``python -m sklearn_spe estimate FILE --score COLUMN --label COLUMN``."""

from __future__ import annotations

import argparse
import sys
import warnings

from ._score_kind import KINDS
from .experts import EXPERTS
from .performance import PerformanceCurveEstimator
from .report import describe_threshold, read_table, summarise
from .score_mixture import SemisupervisedScoreMixture


def main(arguments=None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    # The hook is put back, so that a program that calls this keeps its own.
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            return _estimate(options)
        except (ValueError, TypeError, OSError, ImportError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2


def _estimate(options) -> int:
    scores, labels = read_table(options.file, options.score, options.label)
    mixture = SemisupervisedScoreMixture(
        classes=_as_written(options.classes, labels),
        pos_label=_as_written([options.pos_label], labels)[0] if options.pos_label else None,
        experts=None if options.experts == "none" else options.experts,
        score_kind=options.score_kind,
        greater_is_positive=not options.smaller_is_positive,
        n_draws=options.n_draws,
        random_state=options.random_state,
    )
    performance = PerformanceCurveEstimator(
        mixture,
        target=options.target,
        confidence_level=options.confidence_level,
        random_state=options.random_state,
    ).fit(scores, labels)
    print(summarise(performance, options.threshold))
    if options.goal:
        print(describe_threshold(performance, _goal_of(options.goal), options.goal_probability))
    if options.plot:
        _plot(performance, options.plot)
        print(f"\nThe precision-recall curve is in {options.plot}.")
    return 0


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
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _as_written(names, labels):
    """Read classes given on the command line as numbers if the labels are numbers."""
    if names is None:
        return None
    if any(isinstance(label, str) for label in labels):
        return names
    try:
        return [int(name) for name in names]
    except ValueError:
        return names


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
    print(f"warning: {message}", file=sys.stderr)


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
    estimate.add_argument("file", help="comma-separated values with a header (also .csv.gz)")
    estimate.add_argument("--score", required=True, metavar="COLUMN", help="column of scores")
    estimate.add_argument(
        "--label", required=True, metavar="COLUMN", help="column of labels; empty: not labelled"
    )
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
        "--smaller-is-positive", action="store_true", help="smaller scores mean positive"
    )
    estimate.add_argument("--pos-label", help="the positive class, if not 1")
    estimate.add_argument("--classes", nargs=2, help="both classes, if the labels name only one")
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
    estimate.add_argument("--confidence-level", type=float, default=0.9, help="default: 0.9")
    estimate.add_argument("--n-draws", type=int, default=1000, help="default: 1000")
    estimate.add_argument("--random-state", type=int, default=0, help="default: 0")
    return parser


if __name__ == "__main__":
    sys.exit(main())
