"""The command ``judge``: which system is best, and may its judges be believed."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import join
from textwrap import wrap
from typing import Any

import numpy as np
from scipy.special import betaincinv

from ..active._selector import ActiveTestSelector
from ..estimators._performance import PerformanceCurveEstimator
from ..inputs._validation import listed
from ..inputs._writing import write_file
from ..results._tables import EstimateTable
from ..results._verdict import warning_of
from ._answer import WIDTH, Answer, Words
from ._judge_answers import (
    CUT_OF_VERDICT,
    RATE,
    Standing,
    length_effects,
    proba,
    proba_above,
    rating,
    table_of_judges,
)
from ._judge_columns import Answers, arranged
from ._judge_files import path_to_label, read_answers, text_to_label, with_systems
from ._judge_labels import with_labels
from ._terminal import NOT_MET, OF_VERDICT, working

# Draws that choose what to label next.
N_DRAWS_OF_CHOICE = 300


def judge(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    answers = _read(options)
    options.label = answers.label_column
    answer.words = Words(options)
    answer.record["read"] = _record_of_reading(answers)
    gates = [_parsed_gate(gate, answers.names) for gate in options.gate or ()]
    heading = [answers.sentence(), *answers.remarks, *_remarks_on_values(answers)]
    if not np.isfinite(answers.labels).any():
        _answer_without_labels(options, answer, answers, heading)
        return

    with working("learning from the labels"):
        performance = _fitted(options, answers)
    rates = _rates(performance, answers)
    standing = Standing.of(rates, answers, options.confidence)

    _add(answer, heading)
    if str(performance.verdict_) == "unidentified":
        _add(answer, [_caveat(answers)])
    else:
        answer.add_caveats(answer.words.of_verdict(performance.verdict_))
    answer.status = OF_VERDICT[str(performance.verdict_)]
    if not answer.status and 0 in standing.n_labels.values():
        answer.status = OF_VERDICT["unidentified"]
    answer.warned |= set(map(warning_of, performance.verdict_.reasons))
    answer.record["verdict"] = answer.words.of_verdict(performance.verdict_).to_dict()

    sentences = [standing.sentence()]
    ratings = [
        rating(performance, each, rates, answers, options.confidence)
        for each in answers.informative
    ]
    lengths = length_effects(answers, options)
    sentences += [each.sentence(lengths.get(each.judge.name)) for each in ratings]
    sentences.append(_worth(answers, rates, answer))
    sentences.append(_next(options, answer, answers, standing.order))
    _add(answer, sentences)
    if len(standing.order) > 1:
        answer.lines.append(standing.table())
    if ratings and len(standing.order) > 1:
        answer.lines.append(table_of_judges(ratings, standing.order))
    _add(answer, [_meaning(options, standing)])

    answer.record |= standing.record()
    answer.record["judges"] = [each.record(lengths.get(each.judge.name)) for each in ratings]
    _pass_gates(options, answer, rates, gates)


def _shares_prompts(answers: Answers) -> bool:
    """Return whether two systems answered the same prompt."""
    if answers.prompts is None:
        return False
    pairs = set(zip(answers.prompts.tolist(), answers.systems.tolist(), strict=True))
    return len({prompt for prompt, _ in pairs}) < len(pairs)


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
    columns = {key for file in files for record in file.records for key in record}
    label = options.label
    if label is not None and label not in columns and not label_files:
        raise ValueError(f"There is no column {label!r} of labels.")

    answers = arranged(
        files,
        system=options.system,
        prompt=options.prompt,
        label=label if label in columns else None,
        judge=options.judge,
    )
    for file in with_systems(label_files):
        answers = with_labels(answers, file, label)
    return answers


def _record_of_reading(answers: Answers) -> dict[str, Any]:
    """Return what was read, for programs."""
    return {
        "n_answers": len(answers.records),
        "system": answers.system_column or None,
        "systems": answers.names,
        "prompt": answers.prompt_column or None,
        "label": answers.label_column,
        "n_labels": int(np.isfinite(answers.labels).sum()),
        "judges": [judge.name for judge in answers.judges],
        "length": answers.length_column or None,
    }


def _remarks_on_values(answers: Answers) -> list[str]:
    """Return what counts as a pass, and which judges and systems have too little to say."""
    remarks = []
    n_partial = int((answers.labels == 0.5).sum())
    if n_partial:
        remarks.append(
            f"{n_partial:,} labels are partial passes: only a full pass counts as a pass."
        )
    for each in answers.judges:
        if each.remark:
            remarks.append(each.remark)
            continue
        n_rated = np.isfinite(each.values)
        n_ties = int((each.values == 0.5).sum()) if each.is_verdict else 0
        if n_ties:
            remarks.append(
                f"{each.name} gives {n_ties:,} partial passes: only a full one counts as a pass."
            )
        unseen = [s for s in answers.names if not n_rated[answers.systems == s].any()]
        if unseen:
            remarks.append(f"{each.name} rated no answer of {listed(unseen)}.")
        elif not n_rated.all():
            remarks.append(f"{each.name} rated {n_rated.sum():,} of {len(n_rated):,} answers.")
    if not answers.informative:
        remarks.append("No judge has ratings to use: the numbers rest on the labels alone.")
    if len(answers.names) > 1 and not _shares_prompts(answers):
        remarks.append("No prompt is known to be answered by two systems: they are not paired.")
    labeled = set(answers.systems[np.isfinite(answers.labels)].tolist())
    without = [name for name in answers.names if name not in labeled]
    if labeled and without:
        remarks.append(
            f"No answer of {listed(without)} is labeled: what is said of it rests on other systems."
        )
    return remarks


def _caveat(answers: Answers) -> str:
    """Return why few labels say little, in the words of answers."""
    is_known = np.isfinite(answers.labels)
    labels = answers.labels[is_known] == 1.0
    causes = []
    if labels.all() or not labels.any():
        causes.append(f"all of them are {'passes' if labels.all() else 'fails'}")
    without = [n for n in answers.names if not is_known[answers.systems == n].any()]
    if without:
        causes.append(f"none is of {listed(without)}")
    because = f": {' and '.join(causes)}" if causes else ""
    return (
        f"With care: {len(labels):,} labels hold little information yet{because} (verdict: "
        "unidentified). Label more answers, of each system."
    )


def _fitted(options: argparse.Namespace, answers: Answers) -> PerformanceCurveEstimator:
    """Return the one fit of all answers."""
    judges = {each.name: each.values for each in answers.informative}
    return PerformanceCurveEstimator(
        classes=(0, 1),
        confidence_level=options.confidence_level,
        random_state=options.random_state,
    ).fit(
        None,
        answers.encoded,
        category=answers.systems if len(answers.names) > 1 else None,
        judges=judges or None,
        groups=answers.prompts,
    )


def _rates(performance: PerformanceCurveEstimator, answers: Answers) -> EstimateTable:
    """Return the pass rate of each system."""
    if len(answers.names) > 1:
        return performance.by_category(RATE)
    return EstimateTable((answers.names[0],), (performance.estimate(RATE),))


def _meaning(options: argparse.Namespace, standing: Standing) -> str:
    """Return what intervals and ranks mean."""
    level = f"{options.confidence_level:.0%}"
    text = (
        f"In parentheses: {level} intervals; in {level} of such analyses the true value lies "
        "inside."
    )
    if len(standing.order) > 1:
        text += (
            " Systems of one rank (=) are not separable from the first of them: the probability "
            f"that it is better is below {standing.confidence:g}."
        )
    return text


# --- what judges are worth, and what to label next -------------------------------------


def _worth(answers: Answers, rates: EstimateTable, answer: Answer) -> str:
    """Return how many labels alone would be as precise, from the widths of the systems' rates."""
    is_known = np.isfinite(answers.labels)
    n_labels = int(is_known.sum())
    level = rates.estimates[0].confidence_level
    # Of the systems that have labels.
    alone = combined = 0.0
    for name, rate in rates.items():
        rows = answers.systems == name
        n, n_passed = (is_known & rows).sum(), (answers.labels[rows] == 1.0).sum()
        if not n:
            continue
        tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        low, high = betaincinv(n_passed + 0.5, n - n_passed + 0.5, tails)
        alone += (high - low) ** 2 * (1.0 - n / rows.sum())
        low, high = rate.interval()
        combined += (high - low) ** 2

    if n_labels == len(answers.labels) or combined <= 0.0:
        answer.record["worth"] = {"n_labels": n_labels, "n_labels_alone": None}
        return f"All {n_labels:,} answers are labeled: these are exact counts."
    n_alone = n_labels * alone / combined
    answer.record["worth"] = {"n_labels": n_labels, "n_labels_alone": n_alone}
    if not answers.informative:
        return f"Without a judge {n_labels:,} labels are worth no more than that."
    if n_alone <= 1.05 * n_labels:
        return f"The judges add nothing to the {n_labels:,} labels."
    rounded = round(n_alone) if n_alone < 100 else 5 * round(n_alone / 5)
    return f"With the judges {n_labels:,} labels are worth {rounded:,}."


def _next(options: argparse.Namespace, answer: Answer, answers: Answers, order: list[str]) -> str:
    """Write the answers to label next, and return which they are."""
    answer.record["next"] = None
    pair = order[:2]
    rows = np.flatnonzero(np.isin(answers.systems, pair) & np.isnan(answers.labels))
    n = min(options.next, len(rows))
    if not n:
        return (
            "No answer is asked for."
            if len(rows)
            else f"All answers of {listed(pair)} are labeled."
        )

    chosen, design = _chosen(options, answers, pair, n)
    path = _written(options, answers, chosen)
    answer.record["next"] = {"file": path, "n": n, "how": design}
    purpose = (
        f"they narrow the rates of the first two, {pair[0]} and {pair[1]}"
        if len(pair) == 2
        else "they narrow its rate"
    )
    if design == "random":
        purpose = f"random answers of {listed(pair)}"
    count = f"these {n}" if n > 1 else "this one"
    again = _again(options, path)
    return (
        f"Label {count} next ({path}): {purpose}. Fill in `{answers.label_column}`, then: {again}"
    )


def _chosen(
    options: argparse.Namespace, answers: Answers, pair: list[str], n: int
) -> tuple[np.ndarray, str]:
    """Return answers of systems to label, by what their labels tell of the rates; else random."""
    rows = np.flatnonzero(np.isin(answers.systems, pair))
    judges = {each.name: each.values[rows] for each in answers.informative}
    judges = {name: v for name, v in judges.items() if len(np.unique(v[np.isfinite(v)])) > 1}
    labels = answers.encoded[rows]
    if judges:
        try:
            selector = ActiveTestSelector(
                RATE, classes=(0, 1), n_draws=N_DRAWS_OF_CHOICE, random_state=options.random_state
            )
            with working("choosing answers"):
                selector = selector.fit(
                    None,
                    labels,
                    judges=judges,
                    category=answers.systems[rows] if len(pair) > 1 else None,
                )
                return rows[selector.query(n)], "informative"
        except ValueError:
            pass
    unlabeled = rows[labels == -1]
    return np.random.default_rng(options.random_state).choice(unlabeled, n, replace=False), "random"


def _written(options: argparse.Namespace, answers: Answers, rows: np.ndarray) -> Path:
    """Write answers to label in the format of their first file."""
    sources = [answers.sources[row] for row in rows.tolist()]
    file = answers.files[0]
    path = options.out or path_to_label(
        options.file[0], file.kind, answers.label_column, options.max_bytes
    )
    text = text_to_label(file, [source for _, source in sources], answers.label_column)
    write_file(Path(path), text.encode())
    return Path(path)


# --- without labels, and gates ---------------------------------------------------------


def _answer_without_labels(
    options: argparse.Namespace, answer: Answer, answers: Answers, heading: list[str]
) -> None:
    """Say what the judges say, and that nobody checked them."""
    judges = answers.informative
    if not judges:
        raise ValueError(
            f"{answers.sentence()} Needed are human labels (a column such as `human` with pass and "
            "fail, or --labels FILE) or judges (--judge)."
        )

    _add(answer, heading)
    rates: dict[str, dict[str, float]] = {}
    for each in judges:
        by_system = {}
        for name in answers.names:
            ratings = each.values[answers.systems == name]
            ratings = ratings[np.isfinite(ratings)]
            if len(ratings):
                is_share = each.is_verdict
                by_system[name] = float(
                    (ratings >= CUT_OF_VERDICT).mean() if is_share else ratings.mean()
                )
        rates[each.name] = by_system
    order = sorted(answers.names, key=lambda name: -rates[judges[0].name].get(name, -np.inf))

    sentences = [
        "Nobody checked the judges: no answer has a human label, so none of this is known."
    ]
    for each in judges:
        verb = "passes, of 100 answers," if each.is_verdict else "gives on average"
        scale = 100.0 if each.is_verdict else 1.0
        digits = 0 if each.is_verdict else 2
        texts = [
            f"{name} {scale * rates[each.name][name]:.{digits}f}"
            for name in order
            if name in rates[each.name]
        ]
        sentences.append(f"{each.name} {verb} {', '.join(texts)}.")

    n = min(options.next, len(answers.labels))
    if n:
        rng = np.random.default_rng(options.random_state)
        chosen = _spread(rng, answers, n)
        path = _written(options, answers, chosen)
        answer.record["next"] = {"file": path, "n": n, "how": "random"}
        again = _again(options, path)
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
    if options.gate:
        answer.lines.append("The gate is not met: no answer has a human label.")
        answer.status = NOT_MET


def _again(options: argparse.Namespace, path: Path) -> str:
    """Return the command that takes the labels of a file."""
    labels = [
        argument for file in (*(options.labels or ()), path) for argument in ("--labels", str(file))
    ]
    return join(["sklearn-spe", "judge", *options.file, *labels])


def _spread(rng: np.random.Generator, answers: Answers, n: int) -> np.ndarray:
    """Return random answers, as many of each system as there are."""
    shuffled = rng.permutation(len(answers.systems))
    ranks = np.empty(len(shuffled), dtype=int)
    counts: dict[str, int] = {}
    for row in shuffled.tolist():
        system = answers.systems[row]
        counts[system] = counts.get(system, 0) + 1
        ranks[row] = counts[system]
    return shuffled[np.argsort(ranks[shuffled], kind="stable")[:n]]


def _pass_gates(
    options: argparse.Namespace,
    answer: Answer,
    rates: EstimateTable,
    gates: list[tuple[str, str | float]],
) -> None:
    """Say whether each gate is met, and set the exit status."""
    records = []
    for gate, (better, bound) in zip(options.gate or (), gates, strict=True):
        if isinstance(bound, float):
            estimate = rates[better]
            probability = float((estimate.draws > bound) @ estimate.weights)
            text = f"{better} passes more than {100 * bound:g} of 100"
        else:
            probability = proba_above(rates, better, bound)
            text = f"{better} passes more often than {bound}"
        is_met = probability >= options.confidence
        records.append({"gate": gate, "probability": probability, "met": is_met})
        answer.lines.append(
            f"The gate is {'met' if is_met else 'not met'}: {text} with probability "
            f"{proba(probability)}, needed is {options.confidence:g}."
        )
    if not records:
        return

    answer.record["gates"] = records
    if not all(record["met"] for record in records):
        answer.status = NOT_MET
    elif answer.status == OF_VERDICT["unidentified"]:
        answer.status = 0


def _parsed_gate(gate: str, systems: list[str]) -> tuple[str, str | float]:
    """Return the system that must be better, and the other one, or a share."""
    for sign in (">", "<"):
        left, separator, right = (part.strip() for part in gate.partition(sign))
        if not separator:
            continue
        better, other = (left, right) if sign == ">" else (right, left)
        if better in systems and other in systems and better != other:
            return better, other
        if better in systems and sign == ">":
            try:
                share = float(other.removesuffix("%")) / (100.0 if other.endswith("%") else 1.0)
            except ValueError:
                break
            if 0.0 <= share < 1.0:
                return better, share
    raise ValueError(
        f"--gate {gate!r} must be 'A > B' or 'A > 0.8', where A and B are systems: "
        f"{', '.join(systems)}."
    )
