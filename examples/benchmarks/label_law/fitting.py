"""Fits of the cases: five questions each, beside the truth and the labels alone."""

from __future__ import annotations

import csv
import sys
import time
import warnings

import numpy as np
from cases import Case, cases_of
from label_plans import by_bootstrap, by_strata
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

QUESTIONS = "average_precision", "prevalence", "precision", "recall", "f1"
OF_RANKING = "average_precision", "prevalence"
LEVEL = 0.9
COLUMNS = (
    *("bench", "number", "about", "how", "question", "truth", "value", "low", "high"),
    *("alone_low", "alone_high", "verdict", "reasons", "experts", "seconds"),
)


def run(options) -> None:
    """Fit the cases that the file does not hold, and add their rows."""
    held = {(row["bench"], int(row["number"])) for row in read(options.file)}
    is_new = not options.file.exists()
    with options.file.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        # One bench after the other in turns, so that a run that is cut short has some of each.
        for number in range(options.first, options.first + options.cases):
            for bench in options.benches:
                if (bench, number) in held:
                    continue
                for case in cases_of(bench, number, options.folder):
                    writer.writerows(rows_of(case, options.draws))
                file.flush()
                print(bench, number, file=sys.stderr)


def read(path) -> list[dict]:
    """Return the rows of a file; none if it is not there."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def rows_of(case: Case, n_draws: int) -> list[dict]:
    """Return a row for each question to a fit."""
    start = time.process_time()
    answers, said = by_package(case, n_draws)
    seconds = time.process_time() - start

    truth, alone = truths(case), by_labels_alone(case)
    rows = []
    for question in QUESTIONS:
        values = (truth[question], *answers[question], *alone[question])
        cells = (case.bench, case.number, case.about, case.how, question)
        cells = (*cells, *(f"{value:.8g}" for value in values), *said, f"{seconds:.3f}")
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def truths(case: Case) -> dict[str, float]:
    """Return the answers that all labels give."""
    decided = case.scores >= case.threshold
    return {
        "average_precision": average_precision_score(case.labels, case.scores),
        "prevalence": case.labels.mean(),
        "precision": precision_score(case.labels, decided),
        "recall": recall_score(case.labels, decided),
        "f1": f1_score(case.labels, decided),
    }


def by_package(case: Case, n_draws: int) -> tuple[dict, tuple[str, str, str]]:
    """Return value and interval of each question; the verdict, its reasons, experts' weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixture = SemisupervisedScoreMixture(classes=[0, 1], n_draws=n_draws)
        performance = PerformanceCurveEstimator(mixture, random_state=case.number)
        performance.fit(case.scores, case.y)
        answers = {}
        for question in QUESTIONS:
            given = {} if question in OF_RANKING else {"threshold": case.threshold}
            estimate = performance.estimate(question, **given)
            answers[question] = estimate.value, *estimate.interval(LEVEL)
        verdict = performance.verdict_
        reasons = "+".join(sorted(reason.name for reason in verdict.reasons))
        weights = performance.posterior_.updated.weights
    experts = " ".join(
        f"{name}={weight:.2f}"
        for name, weight in zip(weights.names, weights.posterior, strict=True)
        if weight >= 0.005
    )
    return answers, (str(verdict), reasons, experts)


def by_labels_alone(case: Case) -> dict[str, np.ndarray]:
    """Return an interval of each question: rates of strata, a bootstrap for average precision."""
    rng = np.random.default_rng(case.number)
    draws = by_strata(case.plan, case.scores, case.labels, case.threshold, rng)
    draws["average_precision"] = by_bootstrap(case.plan, case.scores, case.labels, rng)
    tail = (1.0 - LEVEL) / 2.0
    return {question: np.quantile(draws[question], [tail, 1.0 - tail]) for question in QUESTIONS}
