"""
Do radiologists read better with an aid?
========================================

Five radiologists rated 240 cases with and without an aid. Only a biopsy shows the truth, and mostly
suspicious cases get one: 96 cases are verified. How good is the average reader, how much better is
she with the aid, and is this true of other readers and cases? The data are simulated, so the
answers can be checked.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.inputs import arrange_readings

rng = np.random.default_rng(0)
readers, modalities, n_cases = ("Ann", "Ben", "Cleo", "Dan", "Eve"), ("plain", "aided"), 240
truth = (rng.random(n_cases) < 0.25).astype(int)
looks = rng.normal(size=n_cases) * 0.6  # seen by all readers of a case
readings = pd.DataFrame(
    [
        {
            "case": case,
            "reader": reader,
            "modality": modality,
            "rating": 1
            + np.searchsorted(
                [-0.5, 0.4, 1.2, 2.0],
                looks[case] + (1.3 + gain + own) * truth[case] + 0.7 * rng.normal(),
            ),
        }
        for modality, gain in zip(modalities, (0.0, 0.4), strict=True)
        for reader, own in zip(readers, rng.normal(0.0, 0.2, 5), strict=True)
        for case in range(n_cases)
    ]
)
readings = readings[rng.random(len(readings)) < 0.97]  # some readings are missing

# Suspicious cases and a few of the others are verified.
suspicion = readings.groupby("case")["rating"].mean().reindex(range(n_cases))
known = (suspicion >= suspicion.quantile(0.75)) | (rng.random(n_cases) < 0.2)
readings["truth"] = np.where(known[readings["case"]], truth[readings["case"]], np.nan)
print(readings.head(3))
print(f"{readings['case'].nunique()} cases, {known.sum()} of them verified")

# %%
# One row per case
# ----------------
#
# The table has one row per reading, but each case must count once. `arrange_readings` returns one
# row per case and one column for each reader and modality. These columns are fitted like several
# systems.

arranged = arrange_readings(
    readings["rating"],
    readings["truth"],
    case=readings["case"],
    reader=readings["reader"],
    modality=readings["modality"],
)
print(arranged["X"].iloc[:3, :3])
performance = PerformanceCurveEstimator(random_state=0).fit(**arranged)

# %%
# Readers, their mean, and the gain
# ---------------------------------
#
# The estimate of a modality is the mean over its readers, and differences are computed within
# readers. The three questions are about these cases and readers, about these readers with new
# cases, and about new readers and cases. The interval widens each time.

questions = {
    "these cases, these readers": {"target": "sample"},
    "cases like these, these readers": {"target": "population"},
    "cases and readers like these": {"target": "population", "readers": "random"},
}
for name, where in questions.items():
    mean = performance.of(system="aided").estimate("roc_auc", **where)
    gain = performance.difference("roc_auc", "aided", "plain", **where)
    chance = gain.probability_above(0.0)
    print(f"{name:32} aided {mean:.3f}  gain {gain:.3f}  better: {chance:.3f}")

# %%
# The left plot has each reader with and without the aid, the right plot the gain for each question.
# Crosses are the true values in these cases, from all labels.

scores = arranged["X"].loc[range(n_cases)]


def area(modality, reader, also=None):
    """Return the area of a reader on the cases read, in another modality too if given."""
    own = scores[modality, reader]
    there = own.notna() & scores[also or modality, reader].notna()
    return roc_auc_score(truth[there], own[there])


fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
for row, reader in enumerate(readers[::-1]):
    for shift, (modality, color) in enumerate(zip(modalities, ("C7", "C0"), strict=True)):
        estimate = performance.of(system=(modality, reader)).estimate("roc_auc")
        low, high = estimate.interval()
        place = row + 0.15 - 0.3 * shift
        label = modality if row == 0 else None
        left.plot([low, high], [place, place], color=color, lw=3, alpha=0.5)
        left.plot(estimate.value, place, "o", color=color, label=label)
        left.plot(area(modality, reader), place, "kx")
left.set(xlabel="area under the ROC curve", yticks=range(5), yticklabels=readers[::-1])
left.legend()

true = np.mean([area("aided", r, "plain") - area("plain", r, "aided") for r in readers])
for row, where in enumerate(questions.values()):
    gain = performance.difference("roc_auc", "aided", "plain", **where)
    low, high = gain.interval()
    right.plot([low, high], [-row, -row], color="C0", lw=3, alpha=0.5)
    right.plot(gain.value, -row, "o", color="C0")
right.plot(true, 0, "kx")
right.axvline(0.0, color="0.6", lw=1)
right.set(xlabel="gain by the aid, mean over readers", yticks=[0, -1, -2], ylim=(-2.5, 0.5))
_ = right.set_yticklabels(questions)

# %%
# Sensitivity and specificity
# ---------------------------
#
# Patients with a rating of 4 or more are called back.

for metric in ("recall", "specificity"):
    gain = performance.difference(
        metric, "aided", "plain", threshold=4, target="population", readers="random"
    )
    print(f"{metric}: {gain:.3f}")

# %%
# Verified cases alone
# --------------------
#
# If unverified cases are left out, specificity is underestimated and sensitivity overestimated,
# because suspicious cases are verified more often (verification bias).

verified = known[scores.index].to_numpy()
for metric, positive in (("sensitivity", 1), ("specificity", 0)):
    shares = []
    for some in (verified, np.full(n_cases, True)):
        own = scores.loc[some & (truth == positive), "aided"]
        share = (own >= 4).where(own.notna()).mean().mean()
        shares.append(share if positive else 1.0 - share)
    name = "recall" if positive else metric
    found = performance.of(system="aided").estimate(name, threshold=4)
    print(f"{metric}: verified cases {shares[0]:.3f}, all cases {shares[1]:.3f}, here {found:.3f}")

# %%
# :doc:`/user_guide/reading_studies` has the assumptions and the coverage of the intervals.
