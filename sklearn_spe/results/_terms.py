"""The terms of reports: each metric's meaning in plain words, and its computation."""

from __future__ import annotations

import re
from dataclasses import dataclass

# How every number is computed.
EVERY_NUMBER = (
    "The labels that are known stay as they are. Those that are not are drawn many times from what "
    "the scores and the known labels say of them; each time the number is computed as if all "
    "labels were known. Shown are the median of these numbers, and the interval between the "
    "quantiles that leave out equal shares on both sides."
)


@dataclass(frozen=True)
class Term:
    """A metric in plain words."""

    meaning: str  # where its number stands
    computed: str  # in a footnote


# By the name of the metric, as `ScalarEstimate` has it.
TERMS = {
    "average_precision": Term(
        "Precision, averaged over all recalls; for a random ranking it is the share of positives.",
        "the sum, over all positives from the highest score down, of the precision at its score, "
        "divided by the number of positives.",
    ),
    "roc_auc": Term(
        "How often a random positive has a higher score than a random negative; 0.5 is chance.",
        "the share of pairs of a positive and a negative in which the positive has the higher "
        "score; ties count half.",
    ),
    "prevalence": Term(
        "The share of positives among all items.",
        "the labeled positives and the expected unlabeled ones, divided by the number of items.",
    ),
    "precision": Term(
        "Of the items predicted positive, the share that truly is.",
        "true positives divided by the items whose score reaches the threshold.",
    ),
    "recall": Term(
        "Of the positives, the share that is predicted positive.",
        "true positives divided by all positives.",
    ),
    "f1": Term(
        "The harmonic mean of precision and recall.",
        "twice the true positives, divided by the items predicted positive plus all positives.",
    ),
    "accuracy": Term(
        "The share of predictions that are right.",
        "right predictions divided by the number of items.",
    ),
    "specificity": Term(
        "Of the negatives, the share that is predicted negative.",
        "true negatives divided by all negatives.",
    ),
    "false_positive_rate": Term(
        "Of the negatives, the share that is predicted positive.",
        "false alarms divided by all negatives.",
    ),
    "negative_predictive_value": Term(
        "Of the items predicted negative, the share that truly is.",
        "true negatives divided by the items whose score does not reach the threshold.",
    ),
    "balanced_accuracy": Term(
        "The mean of the recalls of all classes.", "the mean of the recalls of all classes."
    ),
    "matthews_corrcoef": Term(
        "The correlation of predictions and classes; 0 is chance, 1 is perfect.",
        "the correlation coefficient of the two indicators.",
    ),
    "cohen_kappa": Term(
        "Agreement beyond chance; 0 is chance, 1 is perfect.",
        "one minus the error rate, divided by that of independent predictions.",
    ),
    "equal_error_rate": Term(
        "The error rate of both classes at the threshold at which they are equal.",
        "where the share of missed positives equals that of negatives predicted positive.",
    ),
    "brier_score": Term(
        "The mean squared error of the predicted probabilities; 0 is perfect.",
        "the mean of the squared differences of predicted probabilities and labels.",
    ),
    "log_loss": Term(
        "The mean negative logarithm of the probability predicted for the true class.",
        "the mean of minus the logarithm of that probability.",
    ),
    "expected_calibration_error": Term(
        "How far predicted probabilities are from the shares of positives, on average; 0 is best.",
        "the distance of the mean predicted probability and the share of positives in each of ten "
        "bins of equal width, averaged over the items.",
    ),
    "ndcg": Term(
        "How near the positives are to the top of the ranking, the first ranks counting most.",
        "the sum over the positives of one over the binary logarithm of their rank plus one, "
        "divided by that of the best ranking.",
    ),
    "net_benefit": Term(
        "True positives per item, less false alarms at the odds of the threshold probability.",
        "true positives minus false alarms times p / (1 - p), with p the threshold, divided by the "
        "number of items.",
    ),
    "value_weighted_recall": Term(
        "Of the value of all positives, the share that is predicted positive.",
        "the sum of the values of the true positives divided by that of all positives.",
    ),
    "value_weighted_precision": Term(
        "Of the value of all items predicted positive, the share of those that truly are.",
        "the sum of the values of the true positives divided by that of the items whose score "
        "reaches the threshold.",
    ),
    "top_k_accuracy": Term(
        "The share of items whose class is among the so many with the highest scores.",
        "items whose class is among those with the highest scores, divided by all items.",
    ),
    "macro_precision": Term(
        "Precision of each class against the rest, averaged over the classes.",
        "the mean of the precisions of the classes.",
    ),
    "macro_recall": Term(
        "Recall of each class, averaged over the classes.",
        "the mean of the recalls of the classes.",
    ),
    "macro_f1": Term(
        "F1 of each class against the rest, averaged over the classes.",
        "the mean of F1 of the classes.",
    ),
}


def metric_named(name: str) -> str | None:
    """Return the metric of a row such as "precision of A at score 1"; None if it is unknown."""
    words = re.sub(r"^top_\d+_", "top_k_", name.replace(" ", "_"))
    candidates = [
        key for key in TERMS if words == key or words.startswith((f"{key}_at_", f"{key}_of_"))
    ]
    return max(candidates, key=len) if candidates else None


def name_in_words(name: str) -> str:
    """Return a name as it is read: "ROC AUC of my_model", "average precision"."""
    metric = metric_named(name)
    if metric is None:
        return name.replace("_", " ") if re.fullmatch(r"[a-z_]+", name) else name
    # What follows may be the name of a system.
    start = name[: len(metric)].replace("_", " ")
    for short, written in (("roc auc", "ROC AUC"), ("f1", "F1")):
        start = start.replace(short, written)
    return f"{start}{name[len(metric) :]}"
