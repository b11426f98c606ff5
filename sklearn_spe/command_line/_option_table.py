"""Options that are parameters of the package: name, default, help; how values are read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Largest count that float64 represents exactly.
MAXIMUM = 2**53
# Endings of the page of a report.
ENDINGS = (".html", ".htm")
# Columns of dependence between rows.
STRUCTURE = ("category", "groups")
# Names that may be chosen, as in the registries of the package.
KINDS = ("probability", "log_odds", "margin", "votes", "distance")
EXPERTS = (
    *("score_log_odds", "nearly_calibrated", "rank_binormal", "sharp_mixture", "rank_process"),
    "value_shares",
)
CURVES = ("precision_recall", "roc", "det")
RATES = (
    *("precision", "recall", "f1", "accuracy", "balanced_accuracy"),
    *("specificity", "false_positive_rate", "negative_predictive_value"),
)
CORRELATIONS = ("matthews_corrcoef", "cohen_kappa")
NUMBERS = ("true_positives", "false_negatives", "false_positives", "predicted_positives")
# What a goal can bound, and between what.
DECISIONS = {
    **dict.fromkeys(RATES, (0.0, 1.0)),
    **dict.fromkeys(CORRELATIONS, (-1.0, 1.0)),
    **dict.fromkeys(NUMBERS, (0.0, float("inf"))),
}
TRADEOFFS = ("precision_recall_slope", "precision_after_gain")
# Of all scores, without a threshold.
RANKINGS = (
    *("average_precision", "roc_auc", "equal_error_rate", "precision_at_k", "prevalence"),
    *("brier_score", "log_loss"),
)
METRICS = (*DECISIONS, *TRADEOFFS, *RANKINGS)
STRATEGIES = (
    *("random", "expected_change", "estimator_change", "confident_mistake", "entropy"),
    *("log_spaced", "tail", "reading", "adaptive", "stratified", "static_importance"),
    "adaptive_importance",
)
GUARANTEES = ("posterior", "anytime")
INTERVALS = ("posterior", "design", "anytime")


# --- values ----------------------------------------------------------------------------


def count(least: int) -> Callable[[str], int]:
    """Return an argparse type for integers of at least `least`."""

    def reader(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= MAXIMUM:
            message = f"a whole number of at least {least} is needed; got {text!r}"
            raise argparse.ArgumentTypeError(message)
        return number

    return reader


def number_in(low: float, high: float) -> Callable[[str], float]:
    """Return an argparse type for numbers strictly between two others."""

    def reader(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not low < number < high:
            is_any = high == float("inf")
            what = "a number" if is_any else f"a number in ({low:g}, {high:g})"
            raise argparse.ArgumentTypeError(f"{what} is needed; got {text!r}")
        return number

    return reader


SCORE = number_in(float("-inf"), float("inf"))
SHARE = number_in(0.0, 1.0)


def path_to_write(text: str) -> Path:
    """Parse the name of an output file in an existing folder."""
    path = Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"folder {str(path.parent)!r} does not exist")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; pass the name of a file")
    return path


def page_path(text: str) -> Path:
    """Parse the name of an output page."""
    path = path_to_write(text)
    if path.suffix.lower() not in ENDINGS:
        endings = " or ".join(ENDINGS)
        raise argparse.ArgumentTypeError(f"the name of a page ends in {endings}; got {text!r}")
    return path


def picture_path(text: str) -> Path:
    """Parse the name of a picture file with a supported format."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise argparse.ArgumentTypeError(
            "pictures need matplotlib; install it with pip install matplotlib"
        ) from None
    path = path_to_write(text)
    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        endings = ", ".join(f".{name}" for name in sorted(known))
        raise argparse.ArgumentTypeError(
            f"the name of a picture ends in one of {endings}; got {text!r}"
        )
    return path


def bound(text: str) -> tuple[str, float]:
    """Parse a bound such as precision=0.9."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a goal is METRIC=VALUE, such as precision=0.9; got {text!r}"
        ) from None


# Separators by names, which need no quotes in a shell.
SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}


def separator(text: str) -> str:
    """Parse what separates cells."""
    found = SEPARATORS.get(text, text)
    if len(found) != 1 or found in '"\r\n':
        raise argparse.ArgumentTypeError(
            f"one character is needed, such as ',', ';', '|', or tab; got {text!r}"
        )
    return found


# --- options ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """An option that is a parameter of the package, with its default."""

    flag: str
    call: str  # the class, or the method of a class, that takes the parameter
    parameter: str
    help: str
    default: Any = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # further arguments of argparse

    @property
    def name(self) -> str:
        """The attribute of the parsed options."""
        return self.flag.removeprefix("--").replace("-", "_")

    def add_to(self, group: Any, **more: Any) -> None:
        """Add the option to a parser, or to a group of options."""
        given = {"help": self.help, **self.settings}
        # A flag is False unless it is given.
        if self.default is not None and "action" not in given:
            given |= {"help": f"{self.help}; default: {self.default}", "default": self.default}
        group.add_argument(self.flag, **{**given, **more})


MIXTURE, CURVE = "SemisupervisedScoreMixture", "PerformanceCurveEstimator"
SELECTOR, MEAN = "ActiveTestSelector", "MeanEstimator"
COLUMN = {"metavar": "COLUMN"}
REQUIRED = {**COLUMN, "required": True}
LEVEL = {"metavar": "LEVEL", "type": SHARE}
SEED = {"metavar": "SEED", "type": count(0)}

OF_SCORE = Option("--score", f"{CURVE}.fit", "X", "column of scores", settings=COLUMN)
OF_SCORES = Option(
    *("--scores", f"{CURVE}.fit", "X"),
    "columns of scores, one for each system, or a pattern such as 'score_*'",
    settings={**COLUMN, "nargs": "+"},
)
OF_CLASS_SCORES = Option(
    *("--scores", f"{CURVE}.fit", "X"),
    "of more than two classes: a column of scores for each, or a pattern such as 'p_*'",
    settings={**COLUMN, "nargs": "+"},
)
# Of all commands but mean.
OF_LABELS = (
    Option(
        *("--label", f"{CURVE}.fit", "y", "column of labels; empty: not labeled"),
        settings={**COLUMN, "required": True},
    ),
    Option(
        "--smaller-is-positive",
        *(MIXTURE, "greater_is_positive", "smaller scores mean positive", True),
        {"action": "store_true"},
    ),
    Option(
        *("--pos-label", MIXTURE, "pos_label", "the positive class, if not 1 or true"),
        settings={"metavar": "CLASS"},
    ),
    Option(
        *("--classes", MIXTURE, "classes", "both classes, if the labels name only one"),
        settings={"metavar": "CLASS", "nargs": "+"},
    ),
)
OF_STRUCTURE = (
    Option(
        *("--category", f"{CURVE}.fit", "category"),
        "column that names the subgroup of each row, which are asked about one by one; "
        "'date:month' makes months of a column of dates, likewise year, quarter, week and day",
        settings=COLUMN,
    ),
    Option(
        *("--groups", f"{CURVE}.fit", "groups"),
        "column that names which rows belong together, such as those of a patient",
        settings=COLUMN,
    ),
)
OF_JUDGES = Option(
    *("--judge", f"{CURVE}.fit", "judges"),
    "columns of verdicts or scores of judges, such as language models",
    settings={**COLUMN, "nargs": "+", "default": []},
)
OF_MODEL = (
    Option(
        *("--target", CURVE, "target"),
        "what the numbers are of: these items, or the distribution that they are from (population)",
        "sample",
        {"choices": ("sample", "population")},
    ),
    Option(
        *("--score-kind", MIXTURE, "score_kind", "what the scores are", "auto"),
        {"choices": ("auto", *KINDS)},
    ),
    Option(
        *("--experts", MIXTURE, "experts"),
        "what turns scores into probabilities; none: the bare mixture of the papers",
        "auto",
        {"choices": ("auto", *EXPERTS, "none")},
    ),
    Option(
        *("--n-draws", MIXTURE, "n_draws", "number of draws", 1000),
        {"type": count(1), "metavar": "N"},
    ),
)
OF_ANSWER = (
    Option(
        *("--confidence-level", CURVE, "confidence_level", "probability of intervals", 0.9), LEVEL
    ),
    Option("--random-state", CURVE, "random_state", "seed of random numbers", 0, SEED),
)
# A table that goes on remembers those of its session.
OF_SESSION = (
    Option(
        *("--confidence-level", SELECTOR, "confidence_level"),
        "probability of intervals, and with which a bound must be kept; default: 0.9, and 0.95 of "
        "a bound",
        settings=LEVEL,
    ),
    Option("--random-state", SELECTOR, "random_state", "seed of random numbers", 0, SEED),
)
OF_QUESTION = (
    Option(
        *("--metric", SELECTOR, "metric", "what is wanted", "average_precision"),
        {"choices": (*METRICS, *CURVES), "metavar": "METRIC"},
    ),
    Option(
        *("--threshold", SELECTOR, "threshold"),
        "where precision, recall, f1, ... are wanted; default: 0.5 for probabilities",
        settings={"type": SCORE, "metavar": "SCORE"},
    ),
    Option(
        *("--strategy", SELECTOR, "strategy", "how rows are chosen", "expected_change"),
        {"choices": STRATEGIES, "metavar": "STRATEGY"},
    ),
    Option(
        *("--interval", SELECTOR, "interval", "what the interval is from", "posterior"),
        {"choices": INTERVALS},
    ),
)
OF_STOPPING = (
    Option(
        *("--half-width", f"{SELECTOR}.should_stop", "half_width"),
        "stop once half the interval is so wide",
        settings={"type": number_in(0.0, 0.5), "metavar": "WIDTH"},
    ),
    Option(
        *("--max-labels", f"{SELECTOR}.should_stop", "max_labels"),
        "stop once there are so many labels",
        settings={"type": count(1), "metavar": "N"},
    ),
)
OF_GUARANTEE = Option(
    *("--guarantee", SELECTOR, "interval"),
    "who says that the promise is kept: the model (posterior), or the labels alone, whatever the "
    "scores and whenever you stop (anytime), which takes more of them",
    "posterior",
    {"choices": GUARANTEES},
)
OF_THRESHOLD = Option(
    *("--threshold", f"{CURVE}.summary", "threshold", "also precision, recall, F1 at this score"),
    settings={"type": SCORE, "metavar": "SCORE"},
)
OF_GOAL = Option(
    *("--goal-probability", f"{CURVE}.threshold_for", "confidence_level"),
    "with what probability",
    0.95,
    {"type": SHARE, "metavar": "PROBABILITY"},
)
OF_COMPARISON = (
    Option(
        *("--metric", f"{CURVE}.ranking_proba", "metric", "by what systems are compared"),
        "average_precision",
        {"choices": METRICS, "metavar": "METRIC"},
    ),
    Option(
        *("--threshold", f"{CURVE}.summary", "threshold"),
        "where precision, recall, f1, ... are taken; default: 0.5 for probabilities",
        settings={"type": SCORE, "metavar": "SCORE"},
    ),
)
OF_PAGE = (
    Option(
        *("--title", f"{CURVE}.to_html", "title", "of the page; default: the name of the file"),
        settings={"metavar": "TITLE"},
    ),
    Option(
        *("--item", f"{CURVE}.to_html", "items"),
        "column that says what each row is, such as a name or a text, beside its line",
        settings=COLUMN,
    ),
    Option(
        *("--threshold", f"{CURVE}.to_html", "threshold"),
        "where precision, recall, F1 and accuracy are taken; default: 0.5 for probabilities, else "
        "one that the report chooses",
        settings={"type": SCORE, "metavar": "SCORE"},
    ),
    Option(
        *("--metric", f"{CURVE}.to_html", "metric"),
        "by what systems and subgroups are compared, and further labels planned; default: "
        "average_precision",
        settings={"choices": METRICS, "metavar": "METRIC"},
    ),
    Option(
        *("--compared-with", f"{CURVE}.to_html", "compared_with"),
        "what --json printed for an earlier report or estimate: what moved since, and whether that "
        "is more than uncertainty",
        settings={"type": Path, "metavar": "OLD.json"},
    ),
)
OF_MEAN_COLUMNS = (
    Option(
        *("--label", f"{MEAN}.fit", "y"),
        "column of labels, which are numbers; empty: not labeled",
        settings={**COLUMN, "required": True},
    ),
    Option(
        *("--proxy", f"{MEAN}.fit", "X"),
        "columns of numbers that may tell of the label, such as grades by a judge",
        settings={**COLUMN, "nargs": "+", "default": []},
    ),
    Option(*("--category", f"{MEAN}.fit", "category"), OF_STRUCTURE[0].help, settings=COLUMN),
    Option(*("--groups", f"{MEAN}.fit", "groups"), OF_STRUCTURE[1].help, settings=COLUMN),
    Option(
        *("--inclusion-proba", f"{MEAN}.fit", "inclusion_proba"),
        "column of the chance that each row had to be labeled; default: all had the same",
        settings=COLUMN,
    ),
)
OF_MEAN = (
    Option(
        *("--label-range", MEAN, "label_range"),
        "the least and the greatest label that there can be, such as 1 5",
        settings={"nargs": 2, "type": float, "metavar": ("LOW", "HIGH")},
    ),
    Option(
        *("--n-draws", MEAN, "n_draws", "number of draws", 1000),
        {"type": count(1), "metavar": "N"},
    ),
)
OF_MEAN_ANSWER = (
    Option(
        *("--confidence-level", MEAN, "confidence_level", "probability of intervals", 0.9), LEVEL
    ),
    Option("--random-state", MEAN, "random_state", "seed of random numbers", 0, SEED),
)
_READINGS = f"{CURVE}.arrange_readings"
OF_READING_COLUMNS = (
    Option("--case", _READINGS, "case", "column that names the case", settings=REQUIRED),
    Option("--reader", _READINGS, "reader", "column that names the reader", settings=REQUIRED),
    Option(
        *("--modality", _READINGS, "modality"),
        "column that names how the case was read, such as CT and MR, or with an aid",
        settings=COLUMN,
    ),
    Option(
        *("--score", _READINGS, "X", "column of scores: what the reader says"), settings=REQUIRED
    ),
)
OF_READERS = (
    Option(
        *("--metric", f"{CURVE}.difference", "metric"),
        "whose mean over readers is wanted: roc_auc, recall (sensitivity), specificity or another; "
        "default: roc_auc",
        settings={"choices": METRICS, "metavar": "METRIC"},
    ),
    OF_COMPARISON[1],
    Option(
        *("--readers", f"{CURVE}.estimate", "readers"),
        "whether the mean is over these readers, or over all of whom they are a random sample",
        "fixed",
        {"choices": ("fixed", "random")},
    ),
)
# All options of each command that are parameters.
_OF_FIT = (*OF_LABELS, *OF_STRUCTURE, OF_JUDGES, *OF_MODEL, *OF_ANSWER)
OPTIONS: Mapping[str, Sequence[Option]] = {
    "estimate": (OF_SCORE, OF_CLASS_SCORES, *_OF_FIT, OF_THRESHOLD, OF_GOAL),
    "compare": (OF_SCORES, *_OF_FIT, *OF_COMPARISON),
    "report": (OF_SCORE, OF_SCORES, *_OF_FIT, *OF_PAGE),
    "suggest": (OF_SCORE, *OF_LABELS, OF_JUDGES, *OF_SESSION, *OF_QUESTION, *OF_STOPPING),
    "find": (OF_SCORE, *OF_LABELS, *OF_SESSION, OF_GUARANTEE),
    "readings": (
        *(*OF_READING_COLUMNS, *OF_LABELS, *OF_STRUCTURE, *OF_MODEL, *OF_ANSWER, *OF_READERS),
    ),
    "mean": (*OF_MEAN_COLUMNS, *OF_MEAN, *OF_MEAN_ANSWER),
}
