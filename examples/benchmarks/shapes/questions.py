"""Questions to a fit, and the methods that make it."""

import numpy as np
from answers import Estimate
from measures import number_measures
from resumable_runs import attempt
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

# F1 is asked for above this quantile of the scores.
BEST = 0.8
QUESTIONS = ("ap", "auc", "prevalence", "f1")
# The experts that take a classifier for one that works.
TRUSTING = ("score_log_odds", "rank_binormal", "sharp_mixture")
METHODS = {"default": "auto", "trusting": TRUSTING}


def fit_all(case, methods):
    """Return one row a method, for the same labels of one shape."""
    threshold = float(np.quantile(case.scores, BEST))
    truth = truths(case.scores, case.labels, threshold)
    return [{"method": m, **fit_one(m, case, threshold, truth)} for m in methods]


def truths(scores, labels, threshold):
    """Return the answers that all labels give."""
    return {
        "ap": average_precision_score(labels, scores),
        "auc": roc_auc_score(labels, scores),
        "prevalence": labels.mean(),
        "f1": f1_score(labels, scores >= threshold),
    }


def fit_one(method, case, threshold, truth):
    """Return the measures of one method's answers, or how it failed."""
    found, row = attempt(answers, METHODS[method], case, threshold)
    if found is None:
        return row
    estimates, verdict = found
    for name, estimate in estimates.items():
        interval = estimate.interval()
        measured = number_measures(Estimate(estimate.value, *interval), truth[name])
        measured["below"] = float(truth[name] < interval[0] - 1e-9)
        row |= {f"{name}_{part}": value for part, value in measured.items()}
    names = "+".join(sorted({reason.name for reason in verdict.reasons}))
    return {**row, "verdict": str(verdict), "reasons": names}


def answers(experts, case, threshold):
    """Fit, and return the estimates and the verdict."""
    mixture = SemisupervisedScoreMixture(experts=experts, classes=[0, 1])
    performance = PerformanceCurveEstimator(mixture, random_state=case.seed)
    performance.fit(case.scores, case.y)
    estimates = {
        "ap": performance.estimate("average_precision"),
        "auc": performance.estimate("roc_auc"),
        "prevalence": performance.estimate("prevalence"),
        "f1": performance.estimate("f1", threshold=threshold),
    }
    return estimates, performance.verdict_
