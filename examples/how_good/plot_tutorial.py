"""
A tutorial of twenty minutes: from the first label to a report
==============================================================

A clinic has a quick test for breast cancer. The test is a classifier with three features of the
cells. Another clinic trained it on a hundred patients. How good is it on the 469 patients here?
Each true diagnosis costs a pathologist's time. This tutorial leads from no label to a decision, in
nine steps. The data come with scikit-learn.
"""

# sphinx_gallery_thumbnail_number = 2

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_spe import ActiveTestSelector, PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.display import ActiveTestDisplay, PerformanceCurveDisplay

# %%
# 1. Scores cost nothing
# ----------------------
#
# The classifier scores every patient. `truth` replaces the pathologist: it is used only for queried
# patients, and once more at the end.

cells = load_breast_cancer()
X_there, X_here, y_there, truth = train_test_split(
    cells.data, 1 - cells.target, train_size=100, random_state=0
)


def train(names):
    """Return the log-odds of a classifier of the other clinic for the patients here."""
    columns = np.isin(cells.feature_names, names)
    classifier = make_pipeline(StandardScaler(), LogisticRegression())
    classifier.fit(X_there[:, columns], y_there)
    return classifier.decision_function(X_here[:, columns])


scores = train(["mean texture", "mean smoothness", "mean symmetry"])
print(f"{len(scores)} patients, log-odds from {scores.min():.1f} to {scores.max():.1f}")

# %%
# 2. Twenty labels at random
# --------------------------
#
# Label -1 or a missing value means unlabeled.

y = np.full(len(scores), -1)
first = np.random.default_rng(0).choice(len(scores), 20, replace=False)
y[first] = truth[first]

performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
for metric in ("precision", "recall"):
    print(performance.estimate(metric, threshold=0.0).sentence())

# %%
# The 90% interval is in parentheses: in nine of ten such analyses it contains the true value.
#
# 3. Can the numbers be trusted?
# ------------------------------
#
# Read the verdict before the numbers. "ok" means that nothing contradicts the analysis, but does
# not prove it.

print(performance.verdict_.describe())

# %%
# 4. How many labels will be enough?
# ----------------------------------
#
# The estimator simulates more labels, and the intervals that they would give.

low, high = performance.estimate("recall", threshold=0.0).interval()
widths = performance.plan([20, 60], "recall", strategy="random", threshold=0.0)
print(f"The interval of recall is {high - low:.2f} wide;")
print(f"with 20 or 60 more labels at random it would be about {widths.round(2)}.")

# %%
# 5. Choose the most informative patients
# ---------------------------------------
#
# Labels near the threshold are more informative about recall than labels of healthy patients with
# the lowest scores. The selector queries sixty patients in batches of ten, for this metric.
# Choosing by scores and earlier labels does not bias the estimate.

selector = ActiveTestSelector("recall", threshold=0.0, batch_size=10, random_state=0)
selector.fit(scores, y)
while not selector.should_stop(max_labels=80):
    items = selector.query()
    y[items] = truth[items]
    selector.update(items, y[items])
print(selector.estimate_.sentence())
_ = ActiveTestDisplay.from_estimator(selector)

# %%
# 6. The curve
# ------------
#
# The labels also serve other metrics. The curve shows all thresholds.

performance = selector.performance_
print(performance.estimate("average_precision").sentence())
_ = PerformanceCurveDisplay.from_estimator(performance)

# %%
# 7. A threshold with a guarantee
# -------------------------------
#
# The clinic must miss few tumors: with probability 0.9, at least seven of ten malignant tumors
# should be found. A threshold at which the *labeled* patients meet this goal was selected on these
# labels, so it does worse on others. `threshold_for` accounts for this. The clinic calls back the
# `selection`: all known malignant tumors, and the patients from the threshold on that are not known
# to be healthy.

threshold = performance.threshold_for(recall=0.7, confidence_level=0.9)
called = performance.selection(threshold)
print(f"Call back {called.sum()} patients: those with a score of {threshold:.2f} or more, and")
print(f"{np.count_nonzero(called & (scores < threshold))} with a known malignant tumor below.")
for metric in ("recall", "precision"):
    print(performance.estimate(metric, selection=threshold).sentence())

# %%
# 8. Would another test be better?
# --------------------------------
#
# The radius of the cells needs a better microscope. Both tests score the same patients, so one set
# of labels serves both. The difference has an interval, too.

both = {"quick": scores, "radius": train(["mean radius", "mean texture"])}
compared = PerformanceCurveEstimator(random_state=0).fit(both, y)
gain = compared.difference("average_precision", "radius", "quick")
low, high = gain.interval()
print(f"The gain of average precision is {gain.value:.2f} ({low:.2f} to {high:.2f});")
print(f"the radius is better with probability {gain.probability_above(0.0):.3f}.")

# %%
# 9. The report
# -------------
#
# The report is one file with the verdict, the numbers in words, the curve, the thresholds, and the
# patients to check.

report = PerformanceReport.from_estimator(
    performance, threshold=threshold, title="The quick test on our patients"
)
with TemporaryDirectory() as folder:
    page = Path(folder) / "report.html"
    report.to_html(page)
    print(f"{page.stat().st_size / 1000:.0f} kB")

# %%
# From a file, without Python, run::
#
#     sklearn-spe report patients.csv --score score --label malignant -o report.html
#
# Check with all diagnoses
# ------------------------
#
# Only this step uses all 469 diagnoses.

rows = {
    "recall": called[truth == 1].mean(),
    "precision": truth[called].mean(),
}
fig, ax = plt.subplots(figsize=(5, 1.8), layout="constrained")
for row, (metric, true_value) in enumerate(rows.items()):
    low, high = performance.estimate(metric, selection=threshold).interval(0.9)
    ax.plot([low, high], [row, row], color="C0", linewidth=3, label="90% interval, 80 labels")
    ax.plot(true_value, row, "kD", label="all 469 diagnoses")
    print(f"{metric}: {low:.2f} to {high:.2f} from 80 labels, {true_value:.2f} from all")
ax.set(yticks=range(len(rows)), yticklabels=rows, xlim=(0, 1), ylim=(-0.5, len(rows) - 0.5))
handles, labels = ax.get_legend_handles_labels()
_ = ax.legend(handles[:2], labels[:2], loc="lower left")

# %%
# Continue with subgroups (:doc:`/user_guide/subgroups`), several images of a patient
# (:doc:`/user_guide/groups`), proofs that others can verify (:doc:`/user_guide/proofs`), and limits
# (:doc:`/when_not_to_believe`).
