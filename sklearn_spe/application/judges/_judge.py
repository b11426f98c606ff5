"""The command ``judge``: the order of systems, and the reliability of their judges."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

from ...inputs._validation import listed
from ...inputs._writing import write_file
from ...means._mean_input import MIN_LABELS
from ...means._repeated_tasks import RepeatedTasks
from ...results._showing import meaning_of_intervals, percent
from ...results._verdict import Verdict
from ..command_line._answer import WIDTH, Answer, Words
from ..command_line._terminal import OF_VERDICT, working
from ._judge_answers import (
    Standing,
    ends_of,
    length_effects,
    rating,
    sentence_of_ties,
    table_of_judges,
)
from ._judge_by_class import rates_by_class, sentences_on_choice
from ._judge_data import Answers, arranged
from ._judge_fields import sentence_of_many
from ._judge_files import MAX_LISTED, AnswerFile, read_answers, with_systems
from ._judge_fits import CUT_OF_VERDICT, AnswersFit, CountedFit, fit_of
from ._judge_gate import Gate, pass_gates, without_labels
from ._judge_labels import with_labels
from ._judge_next import (
    command_with_labels,
    next_labels,
    spread_over_systems,
    written_answers,
)
from ._judge_page import page_of_judges
from ._judge_ratings import Judge, verdict_of

# How partial passes by people are read: where all labels are, and where others differ.
_READ_AS = {
    False: "only a full pass counts as a pass.",
    True: "pass, partial and fail are read as 1, 0.5 and 0, and points of 100 are their mean. "
    "--pos-label pass counts full passes only, --pos-label partial also partial ones.",
}
# Of so many systems the first one is said to be flattered.
_MANY = 10
_KINDS = {1.0: "passes", 0.5: "partial passes", 0.0: "fails"}


def judge(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command; it fails after its answer if many records are left out."""
    answers = _read(options)
    _answer(options, answer, answers)
    if doubt := sentence_of_many(answers.left_out):
        raise ValueError(doubt)


def _answer(options: argparse.Namespace, answer: Answer, answers: Answers) -> None:
    """Add the order of systems, and the reliability of their judges."""
    answer.words = Words(argparse.Namespace(**{**vars(options), "label": answers.label_column}))
    answer.record["read"] = _record_of_reading(answers)
    if options.labels_by_class:
        _answer_by_class(options, answer, answers)
        return
    gates = [Gate.parse(gate, answers.names) for gate in options.gate or ()]
    heading = [answers.sentence(), *answers.remarks, *_remarks_on_values(answers)]
    if not answers.n_labels:
        _answer_without_labels(options, answer, answers, heading)
        return

    _check_number_of_labels(answers)
    fit = _fit_of(options, answers)
    standing = Standing.of(fit, answers, options.probability)
    _add(answer, heading)
    verdict = _add_verdict(answer, answers, fit, standing)

    # The sentences, and the tables below them.
    ratings = [rating(fit, each, answers, options.probability) for each in answers.informative]
    lengths = length_effects(fit, answers, options)
    sentences = [
        standing.sentence(),
        *(each.sentence(lengths.get(each.judge.name)) for each in ratings),
        _worth(options, answers, fit, answer),
        *sentences_on_choice(answers),
    ]
    next_step = next_labels(options, answer, answers, standing.order)
    ties = sentence_of_ties(answers, standing.order)
    meaning = _meaning(options, standing)

    _add(answer, [*sentences, next_step])
    if ties:
        _add(answer, [ties])
    if len(standing.order) > 1:
        answer.lines.append(standing.table())
        answer.lines += [table_of_judges(ratings, standing.order)] if ratings else []
    _add(answer, [meaning])
    answer.record |= standing.record()
    answer.record["judges"] = [each.record(lengths.get(each.judge.name)) for each in ratings]

    # What is asked beside the order.
    _add_runs(options, answer, answers)
    gate_lines = pass_gates(options, answer, answers, fit, gates)
    for line in gate_lines:
        _add(answer, [line])
    if options.html is not None:
        page = page_of_judges(
            # Named after the files of answers.
            ", ".join(Path(file).name for file in options.file),
            standing,
            ratings,
            sentences=[*sentences, *filter(None, [ties]), meaning, *gate_lines],
            verdict=verdict,
            next_step=next_step,
            remarks=heading,
            facts=[("Random seed", str(options.random_state)), ("Files", ", ".join(options.file))],
        )
        write_file(options.html, page.encode("utf-8"))
        answer.record["report"] = options.html
        answer.lines.append(f"The page is in {options.html}.")


def _fit_of(options: argparse.Namespace, answers: Answers) -> AnswersFit:
    """Return the fit of the answers: exact counts where they are complete, else a model."""
    with working("learning from the labels"):
        if CountedFit.applies(answers):
            return CountedFit(answers, options)
        category = answers.systems if len(answers.names) > 1 else None
        return fit_of(answers, options, category=category, groups=answers.prompts)


def _add_runs(options: argparse.Namespace, answer: Answer, answers: Answers) -> None:
    """Add pass^k of each system where tasks were run several times, or the metric asked for."""
    has_runs = answers.prompts is not None and not answers.is_graded
    if options.metric is not None and not has_runs:
        raise ValueError(
            f"--metric {options.metric} needs a pass or a fail of each run, and the task of each "
            "(--prompt)."
        )
    if has_runs and (options.metric or answers.repeat_column):
        _add(answer, _shares_of_runs(options, answer, answers))


def _shares_of_runs(options: argparse.Namespace, answer: Answer, answers: Answers) -> list[str]:
    """Return a sentence on pass^k of each system: of all runs of a task, unless k is given."""
    assert answers.prompts is not None
    _, tasks = np.unique(answers.prompts.astype(str), return_inverse=True)
    of_systems = {}
    for name in answers.names:
        rows = answers.systems == name
        runs = RepeatedTasks.of(answers.encoded[rows], tasks[rows], options.random_state)
        if len(runs.n_runs):
            of_systems[name] = runs
    n_least = min((int(runs.n_runs.min()) for runs in of_systems.values()), default=1)
    metric = options.metric or f"pass^{n_least}"
    estimates = {name: runs.estimate(metric) for name, runs in of_systems.items()}
    answer.record["runs"] = [
        {"system": name, "metric": each.name, "value": each.value, "interval": [*each.interval()]}
        for name, each in estimates.items()
    ]
    return [f"{name}, {each.name}: {each:.2f}." for name, each in estimates.items()]


def _answer_by_class(options: argparse.Namespace, answer: Answer, answers: Answers) -> None:
    """Add the pass rates of answers without a label, where the others were chosen by class."""
    rates, verdict = rates_by_class(answers, options)
    _add(answer, [answers.sentence(), *answers.remarks])
    verdict = answer.take(verdict)
    answer.add_caveats(verdict)
    answer.record["verdict"] = verdict.to_dict()
    _add(
        answer,
        [
            f"{name}: {round(100 * rate.value)} of 100 answers without a label pass "
            f"({ends_of(rate)})."
            for name, rate in rates.items()
        ],
    )
    level = percent(options.confidence_level)
    _add(answer, [f"In parentheses: {level} intervals, with labels that were chosen by class."])
    answer.record["systems"] = [
        {"name": name, "rate": rate.value, "interval": list(rate.interval())}
        for name, rate in rates.items()
    ]


def _add_verdict(answer: Answer, answers: Answers, fit: AnswersFit, standing: Standing) -> Verdict:
    """Add the caveats of a fit, and set the exit status."""
    verdict = answer.take(fit.verdict)
    if str(verdict) == "unidentified":
        _add(answer, [_caveat(answers)])
    else:
        answer.add_caveats(verdict)
    if not answer.status and 0 in standing.n_labels.values():
        answer.status = OF_VERDICT["unidentified"]
    answer.record["verdict"] = verdict.to_dict()
    return verdict


def _check_number_of_labels(answers: Answers) -> None:
    """Raise if labels of three verdicts are too few for a mean."""
    if answers.is_graded and answers.n_labels < MIN_LABELS:
        raise ValueError(
            f"Some of the {answers.n_labels} labels are partial passes, and the mean of pass, "
            f"partial and fail needs at least {MIN_LABELS} labels. Label more answers, or pass "
            "--pos-label pass (or partial), which makes two classes of them."
        )


def _add(answer: Answer, sentences: list[str]) -> None:
    """Add sentences as a paragraph; names and paths are not broken."""
    lines: list[str] = []
    for sentence in sentences:
        lines += wrap(sentence, WIDTH, break_on_hyphens=False, break_long_words=False)
    answer.lines.append("\n".join(lines))


def _read(options: argparse.Namespace) -> Answers:
    """Return the answers in the files, with the labels of other files."""
    files = with_systems([read_answers(file, options.max_bytes) for file in options.file])
    label_files = [read_answers(file, options.max_bytes) for file in options.labels or ()]
    try:
        return _joined(options, files, with_systems(label_files))
    except ValueError as error:
        # What is missing may be what does not fit.
        broken = [file.left_out for file in (*files, *label_files) if file.left_out.misfits]
        raise ValueError(" ".join([str(error), *(each.sentence() for each in broken)])) from None


def _joined(
    options: argparse.Namespace, files: list[AnswerFile], label_files: list[AnswerFile]
) -> Answers:
    """Return the answers in files, with the labels of others."""
    columns = {key for file in files for record in file.records for key in record}
    label = options.label
    if label is not None and label not in columns and not label_files:
        raise ValueError(f"No file has a column {label!r} of labels.")

    answers = arranged(
        files,
        system=options.system,
        prompt=options.prompt,
        label=label if label in columns else None,
        judge=options.judge,
        is_gate=bool(options.gate or options.memory or options.metric),
        may_have_outcome=not label_files,
    )
    for file in label_files:
        answers = with_labels(answers, file, label)
    return answers if options.pos_label is None else _of_two_classes(answers, options.pos_label)


def _of_two_classes(answers: Answers, pos_label: str) -> Answers:
    """Return answers that pass at or above a verdict, and fail below it."""
    try:
        cut = verdict_of(pos_label)
    except ValueError:
        cut = np.nan
    if not cut > 0.0:
        raise ValueError(
            f"--pos-label {pos_label!r} must be the verdict from which on an answer passes: pass, "
            "or partial."
        )
    return answers.passing_from(cut)


def _record_of_reading(answers: Answers) -> dict[str, Any]:
    """Return the counts and the columns of the input as a JSON record."""
    return {
        "n_answers": len(answers.records),
        "system": answers.system_column or None,
        "systems": answers.names,
        "prompt": answers.prompt_column or None,
        "label": answers.label_column,
        "n_labels": answers.n_labels,
        "judges": [judge.name for judge in answers.judges],
        "length": answers.length_column or None,
        "repeat": answers.repeat_column or None,
        "n_left_out": sum(len(each.misfits) for each in answers.left_out),
        "left_out": [each.sentence() for each in answers.left_out if each.misfits],
    }


def _remarks_on_values(answers: Answers) -> list[str]:
    """Return remarks on omitted records, on the definition of a pass, and on missing data."""
    remarks = [each.sentence() for each in answers.left_out if each.misfits]
    n_partial = int((answers.labels == 0.5).sum())
    if n_partial:
        labels = "label is a partial pass" if n_partial == 1 else "labels are partial passes"
        remarks.append(f"{n_partial:,} {labels}: {_READ_AS[answers.is_graded]}")
    for each in answers.judges:
        remarks += [each.remark] if each.remark else _remarks_on_judge(each, answers)
    if not answers.informative and not answers.is_outcome:
        remarks.append("No judge has ratings to use: the numbers use the labels alone.")
    if len(answers.names) > 1 and not answers.share_prompts(answers.names):
        remarks.append("No two systems answered the same prompt: systems are not paired.")
    without = answers.without_labels
    if answers.n_labels and without:
        remarks.append(
            f"No answer of {listed(without)} is labeled: its numbers depend on other systems."
        )
    return remarks


def _remarks_on_judge(judge: Judge, answers: Answers) -> Iterator[str]:
    """Yield remarks on partial passes by a judge, and on answers that it did not rate."""
    is_rated = np.isfinite(judge.values)
    n_ties = int((judge.values == 0.5).sum()) if judge.is_verdict else 0
    if n_ties:
        read_as = "only a full one counts as a pass"
        read_as = "they are read as 0.5" if answers.is_graded else read_as
        yield f"{judge.name} gives {n_ties:,} partial passes: {read_as}."
    unseen = [name for name in answers.names if not is_rated[answers.systems == name].any()]
    if unseen:
        yield f"{judge.name} rated no answer of {listed(unseen)}."
    elif not is_rated.all():
        yield f"{judge.name} rated {is_rated.sum():,} of {len(is_rated):,} answers."


def _caveat(answers: Answers) -> str:
    """Return the caveat that the labels hold little information, with its causes."""
    labels = answers.labels[answers.is_labeled]
    causes = []
    if len(np.unique(labels)) == 1:
        causes.append(f"all of them are {_KINDS[float(labels[0])]}")
    if answers.without_labels:
        causes.append(f"none is of {listed(answers.without_labels)}")
    because = f": {' and '.join(causes)}" if causes else ""
    return (
        f"With care: {len(labels):,} labels hold little information yet{because} (verdict: "
        "unidentified). Label more answers, of each system."
    )


def _meaning(options: argparse.Namespace, standing: Standing) -> str:
    """Return the meaning of intervals and ranks."""
    text = meaning_of_intervals(options.confidence_level)
    if len(standing.order) > 1:
        text += (
            " Systems of one rank (=) are not separable from the first of them: the probability "
            f"that it is better is below {standing.needed:g}."
        )
    if len(standing.order) >= _MANY and standing.tied:
        text += (
            f" The first of {len(standing.order)} systems is flattered by being the first: expect "
            "its true value somewhat below the one shown."
        )
    return text


def _worth(options: argparse.Namespace, answers: Answers, fit: AnswersFit, answer: Answer) -> str:
    """Return the number of labels without judges that would give intervals of the same width."""
    n_labels = answers.n_labels
    widths_alone = fit.widths_alone()
    widths = np.array([np.ptp(rate.interval()) for rate in fit.rates.estimates])
    # Of the systems that have labels.
    has_labels = np.isfinite(widths_alone)
    alone = float((widths_alone[has_labels] ** 2).sum())
    combined = float((widths[has_labels] ** 2).sum())

    if n_labels == len(answers.labels) or combined <= 0.0:
        answer.record["worth"] = {"n_labels": n_labels, "n_labels_alone": None}
        if options.target == "population":
            return f"All {n_labels:,} answers are labeled: the rates are those of further ones."
        text = f"All {n_labels:,} answers are labeled: these are exact counts of these cases only"
        if isinstance(fit, CountedFit):
            return f"{text}; ranks and differences are of further ones."
        return f"{text}, and no statement on further ones."
    n_alone = n_labels * alone / combined
    answer.record["worth"] = {"n_labels": n_labels, "n_labels_alone": n_alone}
    if not answers.informative:
        return f"Without a judge {n_labels:,} labels are worth no more than that."
    if n_alone <= 1.05 * n_labels:
        return f"The judges add nothing to the {n_labels:,} labels."
    rounded = round(n_alone) if n_alone < 100 else 5 * round(n_alone / 5)
    return f"With the judges {n_labels:,} labels are worth {rounded:,} without them."


# --- without labels, and gates ---------------------------------------------------------


def _answer_without_labels(
    options: argparse.Namespace, answer: Answer, answers: Answers, heading: list[str]
) -> None:
    """Add the rates by the judges alone, with the caveat that no human label verifies them."""
    judges = answers.informative
    if not judges:
        fields = dict.fromkeys(name for record in answers.records for name in record)
        raise ValueError(
            f"{answers.sentence()} Needed are human labels (a column such as `human` with pass and "
            "fail, or --labels FILE) or judges (--judge); there are the fields "
            f"{listed([*fields][:MAX_LISTED], most=MAX_LISTED) or 'none'}."
        )

    _add(answer, heading)
    rates = {each.name: _rates_by(each, answers) for each in judges}
    order = sorted(answers.names, key=lambda name: -rates[judges[0].name].get(name, -np.inf))
    sentences = [
        "Nobody checked the judges: no answer has a human label, so none of this is known."
    ]
    if len(judges) == 1 and judges[0].is_verdict and np.isfinite(judges[0].values).all():
        name = judges[0].name
        sentences.append(f"If `{name}` is the true verdict, such as a program's: --label {name}.")
    for each in judges:
        verb = "passes, of 100 answers," if each.is_verdict else "gives on average"
        of_judge = {name: rates[each.name][name] for name in order if name in rates[each.name]}
        texts = (
            f"{name} {100.0 * rate:.0f}" if each.is_verdict else f"{name} {rate:.2f}"
            for name, rate in of_judge.items()
        )
        sentences.append(f"{each.name} {verb} {', '.join(texts)}.")

    n = min(options.next, len(answers.labels))
    if n:
        rng = np.random.default_rng(options.random_state)
        chosen = spread_over_systems(rng, answers, n)
        path = written_answers(options, answers, chosen)
        answer.record["next"] = {"file": path, "n": n, "how": "random"}
        again = command_with_labels(options, path)
        sentences.append(
            f"Label these {n} first ({path}): random answers, as many of each system. Fill in "
            f"`{answers.label_column}`, then: {again}"
        )
    _add(answer, sentences)
    answer.record |= {
        "systems": None,
        "judges": [{"name": k, "rates": v} for k, v in rates.items()],
    }
    answer.status = OF_VERDICT["unidentified"]
    if options.html is not None:
        answer.lines.append("No page is written: no answer has a human label.")
    without_labels(options, answer)


def _rates_by(judge: Judge, answers: Answers) -> dict[str, float]:
    """Return the share of passes by a judge, or its mean grade, of the systems that it rated."""
    is_rated = np.isfinite(judge.values)
    values = judge.values >= CUT_OF_VERDICT if judge.is_verdict else judge.values
    rated = {name: values[is_rated & (answers.systems == name)] for name in answers.names}
    return {name: float(ratings.mean()) for name, ratings in rated.items() if len(ratings)}
