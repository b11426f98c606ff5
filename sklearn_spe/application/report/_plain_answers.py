"""Answers in words to a reader's first questions, for the page, the terminal and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs._validation import listed
from ...results._remedies import PLAIN, filled
from ...results._showing import (
    NOT_KNOWN,
    Markup,
    ShownResult,
    meaning_of_intervals,
    percent,
    range_in_words,
    tag,
)
from ...results._tables import EstimateTable
from ...results._terms import name_in_words
from ...results._verdict import Verdict, all_labeled
from ._earlier_report import EarlierReport
from ._label_advice import LabelValue
from ._metric_comparison import MAX_SAID, MetricComparison
from ._ranking_report import RankingReport
from ._thresholds import DecisionNumbers

if TYPE_CHECKING:
    from ...models._ranking_value import Ranking

GOAL = "Is the goal met?"
GOOD = "How good is it?"
SURE = "How sure is that?"
WHERE = "At which threshold?"
ALARMS = "How many false alarms?"
MISSED = "How many positives are missed?"
FURTHER = "And for further items like these?"
BETTER = "Is it better than before?"
WHOM = "For whom is it worse?"
SYSTEMS = "Which system is better?"
NEXT = "What to label next?"
BELIEVED = "May I believe it?"
COMPUTED = "How was it computed?"
CALIBRATED = "Are its probabilities right?"
# On a terminal, where the verdict follows the table.
ORDER = (GOOD, ALARMS, MISSED, FURTHER, WHERE, SYSTEMS, WHOM, CALIBRATED, BETTER, NEXT, SURE)
NO_EARLIER = "No earlier report was given."
NO_SUBGROUPS = "No subgroups were given."
# The width of an uninformative interval of a share.
SAYS_NOTHING = 0.5
NOTHING_LEFT = "Nothing"
MAX_SYSTEMS_SAID = 3
UNTIL_BOTH = (
    "the most informative rows, until both classes are found: how many labels are needed "
    "can be said after that."
)
UNTIL_MORE = (
    "the most informative rows: what they buy can be said when the labels hold more information."
)
# What comes before further labels, by verdict.
FIRST_OF_ALL = {
    "misfit": "First check the labels and the reasons of the verdict, then compute it again.",
    "unreliable": "First compute it again as the verdict advises: more labels alone do not help.",
}

VERDICTS_IN_WORDS = {
    "ok": "Yes, as far as can be seen",
    "unidentified": "With care, as the labels hold little information yet",
    "misfit": "No, as the data contradict an assumption: do not use these numbers yet",
    "unreliable": "No, as the computation failed: the intervals may be wrong in either direction",
}


@dataclass(frozen=True)
class LabelCounts:
    """How many items there are, and how many of each class are labeled."""

    n_items: float
    n_labeled: float
    of_classes: tuple[tuple[str, float], ...]  # name and number of labels, the positive class first

    @classmethod
    def of(cls, ranking: Ranking) -> LabelCounts:
        """Count the labels of the items of a ranking."""
        if ranking.pos_label_ is None:
            codes = np.asarray(ranking.model.codes)
            classes = ranking.classes_
            known = np.bincount(codes[codes >= 0], minlength=len(classes))
            rows = zip(map(str, classes), known.astype(float).tolist(), strict=True)
            return cls(float(len(codes)), float(known.sum()), tuple(rows))
        sample = ranking.model.passed_sample(ranking.view)
        labels: Any = ranking.view.labels
        negative, positive = labels.names()
        of_classes = (
            (positive, float(sample.positive.sum())),
            (negative, float(sample.negative.sum())),
        )
        return cls(float(sample.counts.sum()), float(sample.n_labeled), of_classes)

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled."""
        return self.n_labeled >= self.n_items

    @property
    def has_all_classes(self) -> bool:
        """Whether every class is labeled."""
        return all(n > 0.0 for _, n in self.of_classes)

    def sentence(self) -> str:
        """Return the counts as a sentence."""
        if self.is_complete:
            return f"{all_labeled(self.n_items)}, without an interval."
        counted = f"{self.n_labeled:,.0f} of {self.n_items:,.0f} items are labeled"

        if len(self.of_classes) > 2:
            return f"{counted}, of {len(self.of_classes)} classes."
        if not self.n_labeled:
            return (
                f"No item of {self.n_items:,.0f} is labeled: the numbers are a guess from scores."
            )

        unseen = [name for name, n in self.of_classes if not n]
        if unseen:
            return f"{counted}, and none of them is of class {unseen[0]}."
        parts = ", ".join(f"{n:,.0f} of class {name}" for name, n in self.of_classes)
        return f"{counted}: {parts}."


@dataclass(frozen=True)
class PlainAnswers(ShownResult):
    """A reader's first questions on a fit, each with its answer in words.

    Attributes
    ----------
    rows : tuple of (str, str)
        Pairs of a question and its answer.
    """

    rows: tuple[tuple[str, str], ...]

    @classmethod
    def of(
        cls,
        numbers: EstimateTable,
        counts: LabelCounts,
        verdict: Verdict,
        *,
        rankings: Iterable[RankingReport] = (),
        decisions: Mapping[Any, DecisionNumbers] | None = None,
        comparisons: Iterable[MetricComparison] = (),
        question: str | None = None,
        plan: LabelValue | None = None,
        first_row: str | None = None,
        tables: Mapping[str, EstimateTable] | None = None,
        earlier: EarlierReport | None = None,
        computed: str = "",
    ) -> PlainAnswers:
        """Answer the questions that these results can answer.

        `decisions` are those of each system by name, None for the only one; without any,
        `question` asks for a threshold. `tables` are of each class, by title.
        """
        comparisons = tuple(comparisons)
        decisions = decisions or {}
        systems = [each for each in comparisons if each.ahead == "better"]

        answers = {GOOD: _good(numbers, decisions), BELIEVED: verdict_in_words(verdict)}
        # Before any number.
        if question is not None:
            answers = {WHERE: question, **answers}
        if verdict != "ok":
            answers = {BELIEVED: answers[BELIEVED], **answers}
        answers[SURE] = _uncertainty(numbers, counts, decisions)

        # The decision.
        if decisions:
            answers[WHERE] = _where(decisions)
            answers[ALARMS] = _of_each(decisions, DecisionNumbers.false_alarms)
            answers[MISSED] = _of_each(decisions, DecisionNumbers.missed)
            if all(numbers_at.of_population for numbers_at in decisions.values()):
                answers[FURTHER] = _of_each(decisions, DecisionNumbers.further_items)

        if systems:
            to_decide = systems[0].labels_to_decide(counts.n_labeled, counts.n_items)
            answers[SYSTEMS] = f"{systems[0].sentence()} {to_decide}".rstrip()

        answers[BETTER] = earlier.sentence() if earlier else NO_EARLIER
        answers[WHOM] = _for_whom(comparisons, tables or {})
        calibrated = {each.name: each.calibration for each in rankings if each.calibration}
        if calibrated:
            answers[CALIBRATED] = _of_each(calibrated, str)

        answers[NEXT] = _next(counts, verdict, plan, first_row)
        if computed:
            answers[COMPUTED] = computed
        return cls(tuple(answers.items()))

    def answer(self, question: str) -> str | None:
        """Return the answer to a question; None if it is not asked."""
        return dict(self.rows).get(question)

    def after(self, sentence: str, *, says_next: bool = False) -> PlainAnswers:
        """Return the answers after a sentence on a goal, which is left out if it is empty.

        If it `says_next` what to label, no answer does.
        """
        rows = tuple(row for row in self.rows if not (says_next and row[0] == NEXT))
        return PlainAnswers(((GOAL, sentence), *rows)) if sentence else self

    def in_words(self, words: Mapping[str, str]) -> PlainAnswers:
        """Return the answers with remedies in the words of an interface."""
        return PlainAnswers(tuple((question, filled(text, words)) for question, text in self.rows))

    def lines(self, picked_by: str = "") -> list[str]:
        """Return the answers without their questions, for a terminal that shows the rest below.

        `picked_by` is a sentence on how to find the next items to label.
        """
        prefixes = {
            ALARMS: "False alarms: ",
            MISSED: "Missed: ",
            FURTHER: "Further items like these: ",
            WHOM: "Worse: ",
            NEXT: "Next: ",
        }
        answers = {q: a for q, a in self.rows if a not in (NO_EARLIER, NO_SUBGROUPS)}
        no_label = (NOTHING_LEFT, *FIRST_OF_ALL.values())
        if NEXT in answers and not answers[NEXT].startswith(no_label):
            answers[NEXT] += picked_by

        # What stands before how good it is, and else the usual order.
        first = list(answers)[: list(answers).index(GOOD)]
        others = [question for question in ORDER if question in answers and question not in first]
        questions = [*first, *others]
        text = "\n\n".join(f"{prefixes.get(q, '')}{answers[q]}" for q in questions)
        # What is not known yet is said once.
        before, told, after = text.partition(f"; {NOT_KNOWN}")
        return f"{before}{told}{after.replace(f'; {NOT_KNOWN}', '')}".split("\n\n")

    def _record(self) -> dict[str, Any]:
        return {"answers": [{"question": q, "answer": a} for q, a in self.rows]}

    def _html(self) -> Markup:
        pairs = (tag("div", tag("dt", name), tag("dd", answer)) for name, answer in self.rows)
        return tag("dl", *pairs, class_="answers")


def _of_each(values: Mapping[Any, Any], sentence_on: Callable[[Any], str]) -> str:
    """Return the sentence on each system, or on the first ones if there are many."""
    if list(values) == [None]:
        return sentence_on(values[None])
    first = list(values.items())[:MAX_SYSTEMS_SAID]
    return "\n".join(f"{name}: {sentence_on(value)}" for name, value in first)


def _where(decisions: Mapping[Any, DecisionNumbers]) -> str:
    """Return the thresholds, and how many items reach them; a common one once."""
    first = next(iter(decisions.values()))
    if len({(each.threshold, each.source) for each in decisions.values()}) > 1:
        return _of_each(decisions, lambda each: each.where())

    flagged = ", ".join(
        f"{each.n_flagged:,.0f}" if name is None else f"{name} {each.n_flagged:,.0f}"
        for name, each in list(decisions.items())[:MAX_SYSTEMS_SAID]
    )
    return first.where(flagged)


def _good(numbers: EstimateTable, decisions: Mapping[Any, DecisionNumbers]) -> str:
    """Return the results of the decisions, else the metrics that have a sentence in counts."""
    if decisions:
        share = next(iter(decisions.values())).prevalence.sentence()
        separator = " " if list(decisions) == [None] else "\n"
        return f"{_of_each(decisions, DecisionNumbers.good)}{separator}{share}"
    sentences = numbers.headlines()[:-1] or numbers.sentences()[:2]
    return " ".join(sentences[:4])


def _uncertainty(
    numbers: EstimateTable, counts: LabelCounts, decisions: Mapping[Any, DecisionNumbers]
) -> str:
    """Describe the labels, and the interval if it is too wide to be informative."""
    first = numbers.estimates[0]
    if counts.is_complete and first.n_items is not None:
        return counts.sentence()

    level = first.confidence_level
    sentences = [counts.sentence()]
    if counts.is_complete:
        items = f"All {counts.n_items:,.0f} items are labeled"
        sentences = [f"{items}: the intervals are for further items like these."]
    estimates = [each for d in decisions.values() for each in (d.precision, d.recall)]
    for estimate in estimates or [first]:
        low, high = estimate.interval()
        if high - low > SAYS_NOTHING and high <= 1.0:
            sentences.append(
                f"They are too few to say how good it is: {name_in_words(estimate.name)} may be "
                f"anything from {low:.2f} to {high:.2f}."
            )
            break
    return " ".join([*sentences, meaning_of_intervals(level)])


def _for_whom(
    comparisons: tuple[MetricComparison, ...], tables: Mapping[str, EstimateTable]
) -> str:
    """Return the subgroups in which the metric is surely worse."""
    of_categories = [each for each in comparisons if each.ahead == "higher" and each.is_of_quality]
    if of_categories:
        return _worse(of_categories)

    parts = [each for each in comparisons if each.part is not None]
    if parts:
        decided = [each.sentence() for each in parts if each.decides]
        return " ".join(decided[:2]) or (
            f"In none of the {len(parts)} subgroups do the labels decide between the systems."
        )

    return " ".join(_lowest(title, table) for title, table in tables.items()) or NO_SUBGROUPS


def _worse(comparisons: Sequence[MetricComparison]) -> str:
    """Return the categories in which any of the metrics is worse, with the differences."""
    decided = [each for each in comparisons if each.worse]
    if not decided:
        metrics = listed(each.metric_in_words for each in comparisons)
        return f"For none in {metrics}, as far as the labels show. {comparisons[0].sentence()}"
    first, *others = {each.worse for each in decided}
    start = "It depends on the metric." if others else f"For {' and '.join(first[:MAX_SAID])}."
    return " ".join([start, *(each.sentence() for each in decided)])


def _lowest(title: str, table: EstimateTable) -> str:
    """Return the class with the lowest value, as a sentence."""
    values = np.where(np.isnan(table.values), np.inf, table.values)
    name, estimate = list(table.items())[int(np.argmin(values))]
    low, high = estimate.interval()
    metric = title.split(" of each class")
    return (
        f"{metric[0].capitalize()}{metric[1]} is lowest for class {name}: {estimate.value:.2f} "
        f"({range_in_words(low, high, '{:.2f}', estimate.n_items)})."
    )


def _next(
    counts: LabelCounts, verdict: Verdict, plan: LabelValue | None, first_row: str | None
) -> str:
    """Return the most informative labels, and the gain in precision."""
    if counts.is_complete:
        return f"{NOTHING_LEFT}: all items are labeled."

    if verdict in FIRST_OF_ALL:
        return FIRST_OF_ALL[verdict]

    sentences = []
    if first_row is not None:
        sentences.append(f"{first_row} first.")
    unknown = None
    if verdict == "unidentified" and not counts.has_all_classes:
        # The gain from labels of an unseen class depends on the prior alone.
        unknown = UNTIL_BOTH
    elif plan is not None and not plan.is_known:
        unknown = UNTIL_MORE
    elif plan is not None:
        sentences.append(plan.sentence())
    if unknown is not None:
        sentences.append(f"Then {unknown}" if sentences else unknown.capitalize())
    return " ".join(sentences) or "More items of every class, drawn at random."


def computed_in_words(counts: LabelCounts, level: float, date: str) -> str:
    """Return how a report was computed, in one sentence."""
    known = "all labels" if counts.is_complete else f"{counts.n_labeled:,.0f} labels"
    return (
        f"On {date}, from the scores of {counts.n_items:,.0f} items and {known}, with "
        f"{percent(level)} intervals."
    )


def plain_verdict(verdict: Verdict) -> Verdict:
    """Return a verdict whose reasons a reader without the program understands."""
    return Verdict(
        replace(reason.in_words(PLAIN), problem=reason.plain or reason.problem)
        for reason in verdict.reasons
    )


def caveats(verdict: Verdict) -> list[str]:
    """Return the verdict in words, to be read before any number; nothing if it is "ok"."""
    return [] if verdict == "ok" else [verdict_in_words(verdict)]


def verdict_in_words(verdict: Verdict) -> str:
    """Return the verdict on a fit in words, with its first reason, as a sentence."""
    plain = plain_verdict(verdict)
    belief = f"{VERDICTS_IN_WORDS[str(plain)]} (verdict: {plain})."
    worst = [reason for reason in plain.reasons if reason.verdict == plain]
    if not worst:
        return belief

    n_more = len(plain.reasons) - 1
    more = (
        f" {n_more} more {'reason is' if n_more == 1 else 'reasons are'} listed." if n_more else ""
    )
    return f"{belief} {worst[0].text}{more}"
