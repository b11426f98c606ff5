"""Figure 2 of the 2013 paper: a precision-recall curve from ten labels, and where targets part.

The paper's figure shows a pedestrian detector whose scores could not be had; here it is one
satellite set (sat_svm3, a row of its figure 4G) with a plain random sample of ten labels. Since one
set proves nothing, the same is done once for each of the 32 sets.

Writes figure_2_curve.csv (the curve at some recalls), figure_2_thresholds.csv (precision and
recall against the threshold), figure_2_sets.csv (ten labels on every set) and figure_2_tails.csv
(the performance of the sample beside that of the population). About 2 minutes on one core.
"""

from functools import cache

import numpy as np
from score_sets import (
    LEVEL,
    RECALLS,
    SETS,
    fit_counting_warnings,
    hide,
    load,
    precision_at_recall,
    published,
    read_options,
    write_picture,
    write_table,
)
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.families import TruncNorm

EXAMPLE = "sat_svm3"
N_LABELS = 10
SEED = 0
SHOWN = np.array([0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0])

# A simulated set of which the truth about the population is known too: 20 positives or so.
RARE = {
    "prevalence": 0.01,
    "negative": "truncnorm",
    "positive": "truncnorm",
    "negative_values": (0.30, 0.10),
    "positive_values": (0.60, 0.10),
}


@cache
def ten_labels(name):
    """Return scores, all labels, and a fit of the published method to a random ten."""
    scores, labels = load(name)
    order = np.random.default_rng([SETS.index(name), SEED]).permutation(len(labels))
    known = hide(labels, order, N_LABELS)
    estimator, warned = fit_counting_warnings(published("adaptive"), scores, known)
    return scores, labels, known, estimator, warned


def curve_table(scores, labels, estimator):
    """Return the estimated and the true curve at some recalls."""
    curve = estimator.curve("precision_recall")
    lower, upper = curve.interval()
    truth = precision_at_recall(labels, scores)
    at = np.searchsorted(curve.x, SHOWN - 1e-9)
    return [
        {
            "recall": curve.x[i],
            "estimate": curve.value[i],
            "lower": lower[i],
            "upper": upper[i],
            "truth": truth[i],
            "inside": "yes" if lower[i] - 1e-9 <= truth[i] <= upper[i] + 1e-9 else "no",
        }
        for i in at
    ]


def threshold_table(scores, labels, estimator):
    """Return precision and recall against the threshold, estimated and true."""
    thresholds = np.quantile(scores, [0.5, 0.7, 0.8, 0.9, 0.95, 0.99])
    rows = [{"threshold": t} for t in thresholds]
    truth = {
        "precision": [labels[scores >= t].mean() for t in thresholds],
        "recall": [labels[scores >= t].sum() / labels.sum() for t in thresholds],
    }
    for metric, values in truth.items():
        curve = estimator.curve(metric, thresholds=thresholds)
        lower, upper = curve.interval()
        for i, row in enumerate(rows):
            row[metric] = curve.value[i]
            row[f"{metric}_lower"], row[f"{metric}_upper"] = lower[i], upper[i]
            row[f"{metric}_truth"] = values[i]
    return rows


def row_of_set(name):
    """Return what ten labels say about one set."""
    scores, labels, known, estimator, warned = ten_labels(name)
    curve, ap = estimator.curve(), estimator.estimate("average_precision")
    lower, upper = curve.interval()
    low, high = ap.interval()
    truth, true_ap = precision_at_recall(labels, scores), average_precision_score(labels, scores)
    return {
        "set": name,
        "positive_labels": int((known == 1).sum()),
        "true_ap": true_ap,
        "ap": ap.value,
        "ap_lower": low,
        "ap_upper": high,
        "ap_inside": "yes" if low <= true_ap <= high else "no",
        "area": np.abs(curve.value - truth).mean(),
        "band_holds": np.mean((lower - 1e-9 <= truth) & (truth <= upper + 1e-9)),
        "warnings": sum(warned),
    }


def tails_table(quick=False):
    """Return the medians and band widths of both targets over recall, in three cases."""
    scores, labels, known, estimator, _ = ten_labels(EXAMPLE)
    rows = compare_targets(f"{EXAMPLE}, 10 labels", estimator, scores, labels)
    if quick:
        return rows
    known = hide(labels, np.random.default_rng(SEED).permutation(len(labels)), 1000)
    estimator, _ = fit_counting_warnings(published("adaptive"), scores, known)
    rows += compare_targets(f"{EXAMPLE}, 1000 labels", estimator, scores, labels)
    scores, labels = make_scores(2000, **RARE, random_state=SEED)
    known = hide(labels, np.random.default_rng(SEED).permutation(len(labels)), 100)
    mixture = SemisupervisedScoreMixture(
        "truncnorm", "truncnorm", score_scale="identity", experts=None, random_state=SEED
    )
    estimator = PerformanceCurveEstimator(mixture, confidence_level=LEVEL, random_state=SEED)
    estimator, _ = fit_counting_warnings(estimator, scores, known)
    case = f"simulated, {labels.sum()} positives, 100 labels"
    return rows + compare_targets(case, estimator, scores, labels, population_of(RARE))


def compare_targets(case, estimator, scores, labels, population=None):
    """Return one row for each recall: sample and population, estimated and true."""
    truth = precision_at_recall(labels, scores)
    curves = {t: estimator.curve("precision_recall", target=t) for t in ("sample", "population")}
    widths = {t: np.subtract(*curve.interval()[::-1]) for t, curve in curves.items()}
    rows = []
    for i in np.searchsorted(RECALLS, SHOWN - 1e-9):
        row = {"case": case, "recall": RECALLS[i]}
        for target, curve in curves.items():
            row[target] = curve.value[i]
            row[f"{target}_width"] = widths[target][i]
        row["true_sample"] = truth[i]
        row["true_population"] = np.nan if population is None else population[i]
        rows.append(row)
    return rows


def population_of(settings):
    """Return the precision at each recall of a simulated population: equations 4 and 5."""
    family, pi = TruncNorm(), settings["prevalence"]
    with np.errstate(divide="ignore"):
        thresholds = family.ppf(1.0 - RECALLS, *settings["positive_values"])
    false = (1.0 - pi) * family.sf(thresholds, *settings["negative_values"])
    return pi * RECALLS / (pi * RECALLS + false)


def draw(scores, labels, estimator):
    """Draw figures 2A, 2B and 2C."""
    import matplotlib.pyplot as plt

    from sklearn_spe.display import PerformanceCurveDisplay, ScoreMixtureDisplay

    figure, (a, b, c) = plt.subplots(1, 3, figsize=(15, 4))
    ScoreMixtureDisplay.from_estimator(estimator, ax=a)
    for metric in ("precision", "recall"):
        PerformanceCurveDisplay.from_estimator(estimator, curve=metric, name=metric, ax=b)
    b.set_ylabel("precision, recall")
    PerformanceCurveDisplay.from_estimator(estimator, name="SPE", ax=c, curve_kwargs={"color": "r"})
    c.plot(RECALLS, precision_at_recall(labels, scores), "k", label="all labels")
    c.legend(loc="lower left")
    return figure


def main():
    """Write the tables of figure 2."""
    options = read_options(__doc__)
    scores, labels, known, estimator, _ = ten_labels(EXAMPLE)
    print(f"{EXAMPLE}: {(known == 1).sum()} of the ten labels are positive")
    print(estimator.estimate("average_precision"), average_precision_score(labels, scores))
    write_table(curve_table(scores, labels, estimator), "figure_2_curve", options)
    write_table(threshold_table(scores, labels, estimator), "figure_2_thresholds", options)
    rows = [row_of_set(name) for name in (SETS[::10] if options.quick else SETS)]
    write_table(rows, "figure_2_sets", options)
    inside = sum(row["ap_inside"] == "yes" for row in rows)
    print(f"\nintervals of average precision that hold the truth: {inside} of {len(rows)}")
    print(f"median area: {np.median([row['area'] for row in rows]):.3f}")
    write_table(tails_table(options.quick), "figure_2_tails", options)
    if options.pictures:
        write_picture(draw(scores, labels, estimator), "figure_2", options)


if __name__ == "__main__":
    main()
