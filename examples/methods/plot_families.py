"""
Families compared, and how they can mislead
===========================================

In the mixture of the 2013 paper (`experts=None`) the class densities come from families. The data
can show which pair of families describes the scores best, but not whether the pair separates the
classes correctly. In one of the two real sets below the best pair has the right answer, in the
other a wrong one. This is why the default does not rely on families.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.display import ScoreMixtureDisplay
from sklearn_spe.exceptions import MisfitWarning

# The verdict is printed below instead.
warnings.simplefilter("ignore", MisfitWarning)

# This file runs from the root of a clone or from its own folder.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("../data")
FAMILIES = ("truncnorm", "gumbel_l")


def twenty_labels(name, seed=0):
    """Return the scores of a set, twenty of its labels at random, and all of them."""
    data = np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1)
    scores, truth = data[:, 0], data[:, 1].astype(int)
    known = np.random.default_rng(seed).choice(len(scores), 20, replace=False)
    labels = np.full(len(scores), -1)
    labels[known] = truth[known]
    return scores, labels, truth


def fit_pairs(scores, labels):
    """Return all pairs side by side, and an estimator fitted for each."""
    settings = {"experts": None, "n_draws": 500, "random_state": 0}
    together = SemisupervisedScoreMixture(FAMILIES, FAMILIES, **settings)
    comparison = together.fit(scores, labels).comparison_
    fitted = []
    for negative, positive in zip(comparison.negative, comparison.positive, strict=True):
        mixture = SemisupervisedScoreMixture(negative, positive, **settings)
        fitted.append(PerformanceCurveEstimator(mixture, random_state=0).fit(scores, labels))
    return comparison, fitted


def print_pairs(comparison, fitted, true_value):
    """Print the estimates of each pair, beside its evidence."""
    print("negative   positive   log evidence  of labels  KS     average precision, 90%  verdict")
    evidence = comparison.log_evidence - comparison.log_evidence.max()
    for k in np.argsort(-evidence):
        ap = fitted[k].estimate("average_precision")
        low, high = ap.interval(0.9)
        names = f"{comparison.negative[k]:10} {comparison.positive[k]:10}"
        print(
            f"{names} {evidence[k]:12.1f} {comparison.log_label_evidence[k]:10.1f}  "
            f"{comparison.ks[k]:.3f}  {ap.value:.3f} [{low:.3f}, {high:.3f}]   "
            f"{fitted[k].verdict_}"
        )
    print(f"{'truth':53} {true_value:.3f}")


def draw_pairs(comparison, fitted, scores, truth):
    """Draw the densities of each pair over the histograms of the two true classes."""
    _, axes = plt.subplots(2, 2, figsize=(11, 7), sharex=True, sharey=True, layout="constrained")
    bins = np.linspace(scores.min(), scores.max(), 60)
    share = 1.0 / (len(scores) * np.diff(bins)[0])
    for k, ax in enumerate(axes.flat):
        ScoreMixtureDisplay.from_estimator(fitted[k], ax=ax)
        for label, color in ((0, "C2"), (1, "C3")):
            counts = np.histogram(scores[truth == label], bins)[0]
            ax.stairs(counts * share, bins, color=color, alpha=0.6, label=f"true class {label}")
        ax.set_title(f"{comparison.negative[k]}-{comparison.positive[k]}")
        ax.get_legend().remove()
    axes[0, 0].legend(fontsize="small")


# %%
# The best pair is right
# ----------------------
#
# A linear support vector machine classifies satellite pixels: one kind of land against the rest.
# Twenty pixels are labeled. The evidence is the log probability of the data under a pair of
# families, so a difference of 5 is a factor of 150.

scores, labels, truth = twenty_labels("sat_svm3")
comparison, fitted = fit_pairs(scores, labels)
print_pairs(comparison, fitted, average_precision_score(truth, scores))

# %%
# The estimates differ by more than their intervals allow. The evidence favors truncated normals,
# and their interval covers the truth. The probability of the labels given the scores ("of labels")
# also favors them. The verdict is "misfit" for every pair, because the distance between the fitted
# and the empirical distribution of the scores (KS) is larger than it would be for correct families.

draw_pairs(comparison, fitted, scores, truth)

# %%
# The best pair is wrong
# ----------------------
#
# A logistic regression detects the digit 9.

scores, labels, truth = twenty_labels("optdigits_logres9")
comparison, fitted = fit_pairs(scores, labels)
print_pairs(comparison, fitted, average_precision_score(truth, scores))

# %%
# The evidence strongly favors two pairs that agree with each other, but their intervals are far
# from the truth. The evidence of the pair whose interval covers the truth is smaller by more than
# 30. Twenty labels cannot decide, because their probability is about the same under all pairs. The
# verdict is "misfit" for every pair and does not show which one is nearest to the truth.
#
# The pictures show why. The scores of the true negatives are skewed to the left. A normal density
# that is wide enough for their left tail extends too far to the right and takes half of the
# positives for negatives. The left Gumbel density ends where the negatives end, but fits worse at
# the far left. Neither family is right. The evidence uses all 1,797 scores, so it favors the pair
# that fits better where most scores are. Precision and recall depend on other scores.

draw_pairs(comparison, fitted, scores, truth)

# %%
# What to do about it
# -------------------
#
# If plausible families differ by more than their bands, as in both cases, the choice of family
# determines the answer, and the band is not reliable. The default does not choose a family. The
# mixture is one of its experts, with zero weight if its families misfit. The default intervals
# cover the truth in both cases, and are as wide as twenty labels require.

for name in ("sat_svm3", "optdigits_logres9"):
    scores, labels, truth = twenty_labels(name)
    performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
    ap = performance.estimate("average_precision")
    low, high = ap.interval(0.9)
    print(
        f"{name:18} {ap.value:.3f} [{low:.3f}, {high:.3f}]   "
        f"truth {average_precision_score(truth, scores):.3f}"
    )
