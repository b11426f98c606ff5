"""Texts of the help: of options, files and exit statuses."""

from __future__ import annotations

# Default number of rows to label.
N_LABELS = 10
# Default probability with which a goal must be met.
GOAL_PROBABILITY = 0.95

SHARES = ("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate")
# Bounds of goals that are numbers of rows.
COUNTS = ("true_positives", "predicted_positives", "false_negatives")

FILE = "a table with a header: text, JSON lines, Parquet, Feather or Excel; -: standard input"
EPILOG = (
    "Exit status: 0 if the verdict is ok, 2 if the command failed, 3 if the verdict is "
    "unidentified (the labels hold little information), 4 if it is misfit (the data contradict "
    "an assumption), 5 if it is unreliable (the computation failed), 6 if a goal is not met or a "
    "proof is not verified. While suggest, find or review request labels, the status is 0 for any "
    "verdict."
)
# The default of thresholds.
USUAL_THRESHOLD = "0.5 for probabilities and votes, 0 for margins and log-odds"
# Texts of options by name; "command name" is the text for one command.
HELP = {
    "score": "column of scores; not needed with --judge",
    "estimate score": "column of scores, or of predicted classes if there are more than two; "
    "without --score and --judge, only the prevalence is estimated",
    "find score": "column of scores",
    "readings score": "column of scores: the ratings by the reader",
    "scores": "columns of scores, one for each system, or a pattern such as 'score_*'",
    "estimate scores": "for more than two classes: columns of scores, one for each class, or a "
    "pattern such as 'p_*'",
    "label": "column of labels; an empty cell means unlabeled",
    "mean label": "column of labels, which are numbers; an empty cell means unlabeled",
    "smaller_is_positive": "smaller scores mean positive",
    "pos_label": "the positive class, if not 1 or true",
    "classes": "both classes, if the labels name only one",
    "estimate classes": "both classes, if the labels name only one; with --scores the class of "
    "each column, in their order; with predicted classes all classes",
    "category": "column of subgroups, which are estimated one by one; 'date:month' groups a column "
    "of dates by month, and likewise by year, quarter, week or day",
    "groups": "column that names the group of each row, such as the patient; rows of one group are "
    "dependent",
    "judge": "columns of verdicts or scores by judges, such as language models",
    "feature": "columns of numbers on which errors of scores and judges may depend, such as the "
    "length of an answer",
    "mean judge": "columns of numbers that may predict the label, such as grades by a judge",
    "inclusion_proba": "column of the probabilities with which rows were chosen for labeling; "
    "default: all equal",
    "labels_by_class": "state that rows were chosen for labeling by their class, such as 50 that "
    "pass and 50 that fail; all estimates are then for the unlabeled rows",
    "amount": "column of amounts, such as money; adds recall and precision weighted by the amount",
    "case": "column that names the case",
    "reader": "column that names the reader",
    "modality": "column that names the modality of the reading, such as CT, MR or aided",
    "item": "column with a name or a text of each row, to show beside the line number",
    "id": "column that identifies items; repeated items are reported, and are an error if their "
    "labels differ; default: a column with a name such as id",
    "unlabeled": "the marker of unlabeled rows in the column of labels, if not an empty cell",
    "drop_missing": "leave out rows without a score",
    "sep": "the separator of cells: a character, or tab",
    "decimal": "the decimal mark: . or ,",
    "encoding": "the encoding of text, such as utf-8 or cp1252",
    "sheet": "the sheet of an Excel file; default: the first with these columns",
    "max_bytes": "the largest number of bytes of the decompressed file; default: 2**30",
    "json": "print one JSON object instead of text",
    "confidence_level": "level of the intervals; default: 0.9",
    "find confidence_level": "the probability with which the guarantee is met, and level of the "
    "interval; default: 0.95",
    "verify confidence_level": "level of the proof; default: 0.95",
    "random_state": "seed of random numbers; default: 0",
    "target": "estimate performance on these items (sample), or for the distribution that they "
    "come from (population); default: sample",
    "find target": "guarantee the returned rows of this table (sample), or a rule for later rows "
    "like these (population, only with --guarantee posterior); default: sample",
    "score_kind": "the kind of scores; default: auto, inferred from their range",
    "experts": "use a single expert, such as rank_binormal, instead of several that the labels "
    "weight; none: the bare mixture of the papers; default: auto",
    "known_positives": "the number of positives among all rows, labeled or not, if it is known: "
    "120, or a range, 100-140",
    "n_draws": "number of posterior draws; default: 1000",
    "verbose": "also describe the model",
    "label_range": "the smallest and the largest possible label, such as 1 5",
    "compare metric": "the metric by which systems are compared; default: average_precision",
    "report metric": "the metric by which systems and subgroups are compared and further labels "
    "are planned; default: average_precision",
    "suggest metric": "the metric to estimate; default: average_precision",
    "readings metric": "the metric whose mean over readers is estimated: roc_auc, recall "
    "(sensitivity), specificity or another; default: roc_auc",
    "compare": "choose rows for the difference between two categories, such as two systems; rows "
    "of one group are chosen in pairs",
    "threshold": "the decision threshold of precision, recall, F1, ...; default: "
    f"{USUAL_THRESHOLD}",
    "estimate threshold": "the decision threshold of precision, recall and F1, also as 50% or 0,5; "
    f"default: that of --goal, else {USUAL_THRESHOLD}",
    "report threshold": "the decision threshold of precision, recall, F1 and accuracy, also as 50% "
    f"or 0,5; default: that of --goal, else {USUAL_THRESHOLD}",
    "cost": "use the threshold of least expected cost for these costs of a false alarm and of a "
    "missed positive, such as 1 5",
    "goal": "find a threshold that meets this goal, such as precision=0.9; may be repeated",
    "goal_probability": "the probability with which the goal must be met; the probability that is "
    "printed must be larger (0.95 for 0.9), as the best of many thresholds is chosen; default: "
    f"{GOAL_PROBABILITY}",
    "readings target": "estimate performance on these cases (sample), or on cases like these "
    "(population); default: population",
    "readers": "estimate the mean over these readers (fixed), or over all readers of whom they are "
    "a random sample (random); default: random, and fixed for a single reader",
    "baseline": "the system with which the others are compared; default: the best",
    "readings baseline": "the modality that is subtracted from the others; default: the first by "
    "name",
    "ordered": "the categories are ordered, and neighbors are more similar; numbers and dates are "
    "sorted, and other categories are in the order of the file",
    "reference": "also estimate the difference of each category from this one, and its probability",
    "plot": "draw the curve into this file",
    "compare plot": "draw curves and differences into this file",
    "mean out": "also write the results as this HTML page",
    "report out": "the page to write; default: the name of FILE with _report.html",
    "title": "the title of the page; default: the name of the file",
    "compared_with": "the output of --json of an earlier report or estimate; adds the changes "
    "since then, and whether they are larger than their uncertainty",
    "strategy": "the strategy that chooses rows; default: expected_change",
    "interval": "the kind of interval; default: posterior",
    "n_labels": f"the number of rows to label next; default: {N_LABELS}",
    "out": "the table to write; default: FILE_next.csv (.jsonl for JSON lines), later that file "
    "itself; copies by several people are written one by one, or together into this file",
    "find out": "the table to write: with the rows to label, by default FILE_next.csv, later that "
    "file itself; at the end with the selection, by default FILE_answer.csv",
    "half_width": "stop once half the width of the interval is at most this",
    **dict.fromkeys(SHARES, "at least this"),
    "false_positive_rate": "at most this",
    "true_positives": "at least this number of the returned rows are positive",
    "predicted_positives": "at least this number of rows are returned",
    "max_returned": "at most this number of rows are returned",
    "false_negatives": "at most this number of positives are missed",
    "plan": "only print how many labels the guarantee will probably need, and write nothing",
    "guarantee": "rely on the model (posterior), or only on the labels, for any scores and any "
    "stopping rule (anytime; needs more labels); default: posterior",
    "budget": "the number of rows to label in all runs, beyond those that the first table has "
    "labeled; later runs use the same budget",
    "least": "stop before the budget is spent, once the other metric (recall for a goal of "
    "precision) is at least this; default without --budget: half of its expected value at the "
    "best threshold",
    "evidence": "also write the evidence of the proof to this file, for sklearn-spe verify",
    "salt": "a text by the person to be convinced, which determines the random order of a proof",
    "commitment": "the hash that was printed before the first label",
    "items": "the number of items",
    "prevalence": "the expected share of positives, such as 5%",
    "auc": "the expected area under the ROC curve, such as 0.9",
    "predicted_positive": "the number of items predicted positive; default: the number of "
    "positives",
    "plan half_width": "also print how many labels make half the width of the intervals of "
    "precision and of recall this small; default: 0.1",
    "review score": "column of scores; rows are read from the largest score on",
    "review recall": "the share of all positives to find; default: 0.8",
    "system": "column that names the system, or model, of each answer",
    "prompt": "column that names the prompt of each answer",
    "judge label": "column of human labels, such as pass and fail; an empty cell means unlabeled",
    "judge judge": "columns of verdicts or grades by judges",
    "judge pos_label": "the lowest verdict with which an answer passes, pass or partial; default: "
    "if people gave partial passes, pass, partial and fail count as 1, 0.5 and 0",
    "labels": "a file of human labels, matched with the answers by prompt or id, and system",
    "gate": "test whether a system is, on further cases, not worse than another by more than a "
    "margin ('new >= old - 0.02'), better ('new > old'), or passes more than a share ('new > "
    "0.8'); the exit status is 0 if this is true with at least --probability, 6 if it is "
    "false, 3 if the data do not decide; may be repeated",
    **dict.fromkeys(
        ("judge metric", "mean metric"),
        "pass^k: all of k runs of a task pass; pass@k: at least one of them passes; for example "
        "pass^3; more runs than there are need a model; default: mean",
    ),
    "unknown": "exit status if the data do not decide a gate; default: 3",
    "memory": "a file with the evidence of all nights, which is read and written; exit with 7 if "
    "the runs of the first system of --gate, or of the only system, have become worse; without a "
    "change this happens once in 20 years",
    "accept": "start a new memory with tonight's runs, after an intended change",
    "junit": "also write the results of gates as a JUnit report",
    "github": "also print the results of gates as GitHub annotations, on standard error",
    "probability": f"probability of statements and of met gates; default: {GOAL_PROBABILITY}",
    "next": "the number of answers to label next; default: 20",
    "html": "also write the results as this HTML page",
    "judge out": "the file with the answers to label next; default: next.*, beside FILE and in its "
    "format",
}
