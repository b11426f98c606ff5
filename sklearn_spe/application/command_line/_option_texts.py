"""Texts of the help: of options, files and exit statuses."""

from __future__ import annotations

# Default number of rows to label.
N_LABELS = 10
# Default probability with which a goal must be met.
GOAL_PROBABILITY = 0.95

SHARES = ("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate")
# Promises that are numbers of rows.
COUNTS = ("true_positives", "predicted_positives", "false_negatives")

FILE = "a table with a header: text, JSON lines, Parquet, Feather or Excel; -: standard input"
EPILOG = (
    "Exit status: 0 if the verdict is ok, 2 if the command failed, 3 if the verdict is "
    "unidentified (the labels hold little information), 4 if it is misfit (the data contradict "
    "something that was assumed), 5 if it is unreliable (the computation failed), 6 if a goal is "
    "not met or a proof is not verified. While suggest, find or review ask for labels it is 0 "
    "whatever the verdict."
)
# Without a threshold.
USUAL_THRESHOLD = "0.5 for probabilities and votes, 0 for margins and log-odds"
# The level of suggest and find.
LEVEL_OF_GOALS = "probability of intervals (default: 0.9), and of keeping a bound (default: 0.95)"
# Of options by name, of some for one command.
HELP = {
    "score": "column of scores; not needed with --judge",
    "estimate score": "column of scores, or of predicted classes if there are more than two; "
    "without it, and without --judge, only the share of positives is estimated",
    "find score": "column of scores",
    "readings score": "column of scores, the ratings by the reader",
    "scores": "columns of scores, one for each system, or a pattern such as 'score_*'",
    "estimate scores": "of more than two classes: a column of scores for each, or a pattern such "
    "as 'p_*'",
    "label": "column of labels; empty: not labeled",
    "mean label": "column of labels, which are numbers; empty: not labeled",
    "smaller_is_positive": "smaller scores mean positive",
    "pos_label": "the positive class, if not 1 or true",
    "classes": "both classes, if the labels name only one",
    "estimate classes": "both classes, if the labels name only one; with --scores the class of "
    "each column, in their order; with predicted classes all of them",
    "category": "column that names the subgroup of each row, which are asked about one by one; "
    "'date:month' makes months of a column of dates, likewise year, quarter, week and day",
    "groups": "column that names which rows belong together, such as those of a patient",
    "judge": "columns of verdicts or scores of judges, such as language models",
    "feature": "columns of numbers by which scores and judges may err, such as the length of an "
    "answer",
    "mean judge": "columns of numbers that may predict the label, such as grades by a judge",
    "inclusion_proba": "column of inclusion probabilities of the labels; default: all equal",
    "labels_by_class": "the labeled rows were chosen by their class, such as 50 that pass and 50 "
    "that fail: estimate the rows without a label, by how the score is distributed in each class",
    "amount": "column of amounts, such as of money: also the share of the amount of the positives "
    "that is found at the threshold, and the share of the amount found that is of positives",
    "case": "column that names the case",
    "reader": "column that names the reader",
    "modality": "column that names how the case was read, such as CT and MR, or with an aid",
    "item": "column that says what each row is, such as a name or a text, beside its line",
    "id": "column that tells items apart: an item that comes twice is said, or refused if its "
    "labels differ; default: a column with such a name",
    "unlabeled": "what a row without a label has in the column of labels, if its cell is not empty",
    "drop_missing": "leave out rows without a score",
    "sep": "what separates cells: a character, or tab",
    "decimal": "the decimal mark: . or ,",
    "encoding": "of text, such as utf-8 or cp1252",
    "sheet": "of an Excel file; default: the first with these columns",
    "max_bytes": "to which it may unpack; default: 2**30",
    "json": "print one JSON object instead of text",
    "confidence_level": "probability of intervals; default: 0.9",
    **dict.fromkeys(("suggest confidence_level", "find confidence_level"), LEVEL_OF_GOALS),
    "verify confidence_level": "level at which the labels must prove it; default: 0.95",
    "random_state": "seed of random numbers; default: 0",
    "target": "what the numbers are of: these items, or the distribution that they are from "
    "(population); default: sample",
    "find target": "what the guarantee is for: the returned rows of this table, or a rule for "
    "later rows like these (population), with the posterior only; default: sample",
    "score_kind": "what the scores are; default: auto, by their range",
    "experts": "what turns scores into probabilities: one by its name, such as rank_binormal, "
    "instead of several, weighted by the labels; none: the bare mixture of the papers; default: "
    "auto",
    "known_positives": "how many of all rows are positive, labeled or not, if that is known: 120, "
    "or a range, 100-140",
    "n_draws": "number of draws; default: 1000",
    "verbose": "also print what the model is",
    "label_range": "the least and the greatest label that there can be, such as 1 5",
    "compare metric": "by what systems are compared; default: average_precision",
    "report metric": "by what systems and subgroups are compared, and further labels planned; "
    "default: average_precision",
    "suggest metric": "what is wanted; default: average_precision",
    "readings metric": "whose mean over readers is wanted: roc_auc, recall (sensitivity), "
    "specificity or another; default: roc_auc",
    "compare": "two categories, such as two systems: rows are chosen for the difference of their "
    "metric, those of one group in pairs, and none of other categories",
    "threshold": f"where precision, recall, f1, ... are taken; default: {USUAL_THRESHOLD}",
    "estimate threshold": "where precision, recall and F1 are taken, also as 50% or 0,5; default: "
    f"that of --goal, else {USUAL_THRESHOLD}",
    "report threshold": "where precision, recall, F1 and accuracy are taken, also as 50% or 0,5; "
    f"default: that of --goal, else {USUAL_THRESHOLD}",
    "suggest threshold": f"where precision, recall, f1, ... are wanted; default: {USUAL_THRESHOLD}",
    "cost": "decide at the threshold of least expected cost, where a false alarm and a miss cost "
    "so much, such as 1 5",
    "goal": "find a threshold that meets this, such as precision=0.9; may be given repeatedly",
    "goal_probability": f"with what probability; default: {GOAL_PROBABILITY}",
    "readings target": "what the numbers are of: these cases (sample), or cases like these; "
    "default: population",
    "readers": "whether the mean is over these readers (fixed), or over all of whom they are a "
    "random sample; default: random, and fixed of a single reader",
    "baseline": "with which the others are compared; default: the best",
    "readings baseline": "the modality that is subtracted from the others; default: the first by "
    "name",
    "ordered": "the categories are in an order, and neighbors more alike: numbers, dates that "
    "begin with the year, else as they first come in the file",
    "reference": "also by how much each category differs from this one, and with what probability",
    "plot": "draw the curve into this file",
    "compare plot": "draw curves and differences",
    "mean out": "also write it as an HTML page",
    "report out": "default: beside FILE, its name with _report.html",
    "title": "of the page; default: the name of the file",
    "compared_with": "what --json printed for an earlier report or estimate: what moved since, "
    "and whether that is more than uncertainty",
    "strategy": "how rows are chosen; default: expected_change",
    "interval": "what the interval is from; default: posterior",
    "n_labels": f"how many rows; default: {N_LABELS}",
    "out": "the table to write; default: FILE_next.csv (of JSON lines .jsonl), then that itself; "
    "of copies by several people one for each of them, or this one for all",
    "find out": "the table to write: with the rows to label, by default FILE_next.csv, then that "
    "itself, or in the end with the answer, by default FILE_answer.csv",
    "half_width": "stop once half the interval is so wide",
    **dict.fromkeys(SHARES, "at least this"),
    "false_positive_rate": "at most this",
    "true_positives": "at least so many of the returned rows are positive",
    "predicted_positives": "at least so many rows are returned: precision at the top",
    "max_returned": "at most so many rows are returned",
    "false_negatives": "at most so many positives are missed",
    "plan": "only print how many labels the guarantee will probably take, and write nothing",
    "guarantee": "who says that the goal is met: the model (posterior), or the labels alone, "
    "whatever the scores and whenever you stop (anytime), which takes more of them; default: "
    "posterior",
    "budget": "so many rows are labeled, and no more; a table that goes on remembers it",
    "least": "stop before the budget is spent, once what the goal leaves open (recall, where "
    "precision is guaranteed) is at least this; default without --budget: half of what the best "
    "threshold is expected to reach",
    "evidence": "also write what the proof rests on, for others to verify: sklearn-spe verify",
    "salt": "a text of who is to be convinced, from which the order of a proof is drawn",
    "commitment": "what was printed before the first label, and given to you",
    "items": "how many items there are",
    "prevalence": "which share of them is expected to be positive, such as 5%",
    "auc": "the expected area under the ROC curve, such as 0.9",
    "predicted_positive": "how many are called positive; default: as many as are positive",
    "plan half_width": "also how many labels make half the interval of precision, and of recall, "
    "so wide; default: 0.1",
    "review score": "column of scores, by which rows are read from the top",
    "review recall": "the share of all positives to be found; default: 0.8",
    "system": "column that names the system, or model, of each answer",
    "prompt": "column that names the prompt which is answered",
    "judge label": "column of human labels, such as pass and fail; empty: nobody looked",
    "judge judge": "columns of verdicts or grades of judges",
    "judge pos_label": "the verdict from which on an answer passes, pass or partial; default: if "
    "people gave partial passes, pass, partial and fail count as 1, 0.5 and 0",
    "labels": "a file of human labels, matched with the answers by id and system",
    "gate": "of further cases a system is not worse than another by more than a margin "
    "('new >= old - 0.02'), better ('new > old'), or passes more than a share ('new > 0.8'): exit "
    "with 0 if that holds with --confidence, 6 if the contrary does, 3 if neither is known; may be "
    "given repeatedly",
    **dict.fromkeys(
        ("judge metric", "mean metric"),
        "pass^k: all of k runs of a task pass; pass@k: any does, such as pass^3; more runs than "
        "were made are a matter of a model; default: mean",
    ),
    "unknown": "exit status if a gate is not known; default: 3",
    "memory": "of all nights so far, read and written: exit with 7 if tonight's runs, of the first "
    "system of --gate or of the only one, show that it has become worse; without a change that "
    "happens once in 20 years",
    "accept": "start the memory anew with tonight's runs, after a change that is intended",
    "junit": "also write the answers to gates as a JUnit report",
    "github": "also print the answers to gates as annotations of GitHub, on standard error",
    "confidence": f"probability of a statement, and of a met gate; default: {GOAL_PROBABILITY}",
    "next": "how many answers to label next are written; default: 20",
    "html": "also write it as an HTML page",
    "judge out": "where they are written; default: beside FILE, next with its ending",
}
