"""
Ten labels to a precision-recall curve
======================================

A logistic regression has scored 1,797 handwritten digits ("is this an 8?"), and ten of them have a
label. How good is the classifier on these digits? The column `truth` has all labels; it is used
only to check the result.
"""

# sphinx_gallery_thumbnail_number = 2

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import PerformanceCurveDisplay, ScoreMixtureDisplay

# From the root of a clone, or from the folder of this file.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("../data")
data = np.genfromtxt(folder / "digits_ten_labels.csv", delimiter=",", names=True)
scores, labels = data["score"], data["label"]
print(f"{len(scores)} scores; labels: {labels[~np.isnan(labels)].astype(int)}")

# %%
# One call
# --------
#
# Several models, the *experts*, turn the scores into prior curves of P(y = 1 | score). The ten
# labels update the weights of the experts and of their curves.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
performance.posterior_.updated.weights.to_frame().round(2)

# %%
# `log_evidence` is the log probability of the ten labels under each expert. Ten labels do not
# single one out, so the result averages over experts.
#
# The verdict says whether anything contradicts the fit.

print(performance.verdict_.describe())

# %%
# The histogram shows all scores, the ticks below it the labeled ones. The 90% credible bands are
# the densities of the two classes.

_ = ScoreMixtureDisplay.from_estimator(performance)

# %%
# The curve
# ---------
#
# This is the precision-recall curve with its 90% band, and the true curve, since every label is
# known here. The band is pointwise: it covers the precision at any one recall, not all of them at
# once.

truth = data["truth"].astype(int)
true_precision, true_recall, _ = precision_recall_curve(truth, scores)

display = PerformanceCurveDisplay.from_estimator(performance, name="ten labels")
display.ax_.plot(
    true_recall, true_precision, "k", drawstyle="steps-post", linewidth=1, label="all 1,797 labels"
)
_ = display.ax_.legend(loc="lower left")

# %%
# These numbers are average precision, prevalence, and precision and recall at the classifier's
# threshold (log-odds of zero).

true_values = {
    "average_precision": average_precision_score(truth, scores),
    "prevalence": truth.mean(),
    "precision": truth[scores >= 0.0].mean(),
    "recall": (scores >= 0.0)[truth == 1].mean(),
}
for metric, true_value in true_values.items():
    threshold = 0.0 if metric in ("precision", "recall") else None
    estimate = performance.estimate(metric, threshold=threshold)
    low, high = estimate.interval(0.9)
    print(f"{metric:18} {estimate.value:.3f}  90% [{low:.3f}, {high:.3f}]  truth {true_value:.3f}")

# %%
# The ten labels alone
# --------------------
#
# The labeled items alone include three positives, so their curve has few steps. This curve has no
# band, and its average precision is near the truth only by chance.

known = ~np.isnan(labels)
print(f"average precision of the ten: {average_precision_score(labels[known], scores[known]):.3f}")

# %%
# This sample, or the population?
# -------------------------------
#
# By default the estimate is for these 1,797 digits. `target="population"` estimates the performance
# on new digits of the same kind. The two curves differ in the tails, where single labels count.

fig, ax = plt.subplots()
for target in ("sample", "population"):
    PerformanceCurveDisplay.from_estimator(performance, target=target, name=target, ax=ax)

# %%
# More labels narrow the band (`performance.update`), above all those of high scores: see
# :doc:`/user_guide/honest_default`.
