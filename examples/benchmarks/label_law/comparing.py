"""Two runs beside each other, paired by case and question."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from fitting import LEVEL, QUESTIONS
from text_tables import as_text

# Interval scores have at least this size: one of zero has no logarithm.
SMALLEST_SCORE = 2e-3
# The rule of decision: a loss in per cent and its standard errors, a coverage.
LOSS, ERRORS, COVERAGE = 3.0, 2.5, 0.86
# A truth may be outside by rounding, is far from so much on, and wider means by so much.
ROUNDING, NEAR, WIDER = 1e-9, 0.02, 0.01
HEADING = (
    *("question", "fits", "ratio %", "covered", "far", "above:below", "width ratio"),
    *("by labels", "covered by labels"),
)


class Run:
    """The answers of one run, as arrays of the cases and questions that both runs have."""

    def __init__(self, rows, keys):
        by_key = {key_of(row): row for row in rows}
        self.rows = [[by_key[*key, question] for question in QUESTIONS] for key in keys]
        self.truth, self.low, self.high, self.alone_low, self.alone_high = (
            np.array([[float(row[name]) for row in own] for own in self.rows])
            for name in ("truth", "low", "high", "alone_low", "alone_high")
        )
        self.seconds = np.array([float(own[0]["seconds"]) for own in self.rows])
        self.is_ok = np.array([own[0]["verdict"] == "ok" for own in self.rows])

    @property
    def above(self):
        """By how much truths lie above intervals."""
        return np.maximum(self.truth - self.high - ROUNDING, 0.0)

    @property
    def below(self):
        """By how much they lie below."""
        return np.maximum(self.low - self.truth - ROUNDING, 0.0)

    @property
    def outside(self):
        """By how much they lie outside."""
        return self.above + self.below

    @property
    def width(self):
        """The widths of intervals."""
        return self.high - self.low

    @property
    def far(self):
        """Which truths lie outside by more than the width, and by more than a little."""
        return self.outside > np.maximum(self.width, NEAR)

    @property
    def log_score(self):
        """Log interval scores."""
        return np.log(np.maximum(interval_score(self.width, self.outside), SMALLEST_SCORE))

    @property
    def alone(self):
        """Interval scores and coverage of the labels alone."""
        misses = np.maximum(self.truth - self.alone_high, self.alone_low - self.truth)
        outside = np.maximum(misses - ROUNDING, 0.0)
        return interval_score(self.alone_high - self.alone_low, outside), outside == 0.0


def interval_score(width, outside):
    """Return the width, and the price of a miss."""
    return width + 2.0 / (1.0 - LEVEL) * outside


def key_of(row):
    """Return what a row is known by."""
    return row["bench"], row["number"], row["how"], row["question"]


def comparison(before, after, by="") -> str:
    """Return a table for each bench, and what the rule of decision says."""
    groups = defaultdict(dict)
    of_after = {key_of(row) for row in after}
    for row in before:
        key = key_of(row)
        if row["question"] == QUESTIONS[0] and key in of_after:
            # A case that was fitted twice counts once.
            groups[row["bench"], row[by] if by else ""][key[:3]] = None
    parts = []
    for (bench, group), found in groups.items():
        keys = list(found)
        one, two = Run(before, keys), Run(after, keys)
        parts.append(table(f"{bench} {group}".strip(), one, two))
        parts.append(sums(one, two))
        if bench == "agreeing" and not by:
            parts.append(widened(keys, one, two))
    return "\n".join(parts)


def table(title, one: Run, two: Run) -> str:
    """Return a line for each question."""
    ratio = 100.0 * (two.log_score - one.log_score)
    of_labels, covered_by_labels = one.alone
    body = []
    for j, question in enumerate(QUESTIONS):
        scores = [np.exp(run.log_score[:, j]).mean() / of_labels[:, j].mean() for run in (one, two)]
        wider = np.exp(np.mean(np.log((two.width[:, j] + 1e-3) / (one.width[:, j] + 1e-3))))
        body.append(
            (
                question,
                len(ratio),
                with_error(ratio[:, j]),
                both(lambda run, j=j: f"{(run.outside[:, j] == 0.0).mean():.3f}", one, two),
                both(lambda run, j=j: run.far[:, j].sum(), one, two),
                both(lambda run, j=j: sides(run, j), one, two),
                f"{wider:.2f}",
                f"{scores[0]:.2f} > {scores[1]:.2f}",
                f"{covered_by_labels[:, j].mean():.3f}",
            )
        )
    return as_text(title, (HEADING, body))


def both(show, one: Run, two: Run) -> str:
    """Return something of both runs."""
    return f"{show(one)} > {show(two)}"


def sides(run: Run, j: int) -> str:
    """Return how many truths lie above and below."""
    return f"{(run.above[:, j] > 0.0).sum()}:{(run.below[:, j] > 0.0).sum()}"


def with_error(values) -> str:
    """Return a mean with its standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():+.1f} ({error:.1f})"


def sums(one: Run, two: Run) -> str:
    """Return the sums over questions, and the verdict of the rule of decision."""
    ratio = 100.0 * (two.log_score - one.log_score).mean(axis=1)
    score = 100.0 * np.mean([np.exp(two.log_score).mean(0) / np.exp(one.log_score).mean(0) - 1.0])
    error = ratio.std(ddof=1) / np.sqrt(len(ratio)) if len(ratio) > 1 else np.inf
    covered = [(run.outside == 0.0).mean() for run in (one, two)]
    lowest = (two.outside == 0.0).mean(axis=0)
    lowest_before = (one.outside == 0.0).mean(axis=0)
    far = [int(run.far.any(axis=1).sum()) for run in (one, two)]
    far_of_ok = [int((run.far.any(axis=1) & run.is_ok).sum()) for run in (one, two)]

    reasons = []
    if ratio.mean() - LOSS > ERRORS * error:
        reasons.append("the score")
    reasons += [
        f"coverage of {question}"
        for question, now, then in zip(QUESTIONS, lowest, lowest_before, strict=True)
        if now < min(COVERAGE, then)
    ]
    if far[1] > far[0]:
        reasons.append("far fits")
    lines = (
        f"mean log ratio {with_error(ratio)} %, of mean scores {score:+.1f} %, covered "
        f"{covered[0]:.3f} > {covered[1]:.3f}, far fits {far[0]} > {far[1]}",
        f"ok {one.is_ok.sum()} > {two.is_ok.sum()}, far of these {far_of_ok[0]} > {far_of_ok[1]}; "
        f"CPU {np.median(two.seconds / one.seconds):.2f} times, "
        f"{one.seconds.mean():.2f} > {two.seconds.mean():.2f} s",
        f"lost by {', '.join(reasons)}" if reasons else "not lost",
    )
    return "\n".join(lines) + "\n"


def widened(keys, one: Run, two: Run) -> str:
    """Return how many intervals are wider once thirty labels on top are known."""
    place = {key: j for j, key in enumerate(keys)}
    pairs = [
        (place[*key[:2], "before"], j)
        for key, j in place.items()
        if key[2] == "after" and (*key[:2], "before") in place
    ]
    first, second = map(list, zip(*pairs, strict=True))
    counts = [
        " ".join(map(str, (run.width[second] - run.width[first] > WIDER).sum(axis=0)))
        for run in (one, two)
    ]
    return f"wider after thirty labels that agree, of {len(pairs)}: {counts[0]} > {counts[1]}\n"
