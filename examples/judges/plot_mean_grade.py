"""
A mean from proxies and fifty labels
====================================

The progression of a disease was measured in fifty patients after a year. Cheap proxies are known
for all patients. What is the mean progression of all patients? The proxies have other scales, and
are only correlated with the outcome.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from sklearn_spe import MeanEstimator

X, progression = load_diabetes(return_X_y=True, as_frame=True)
proxies = X[["bmi", "s5"]]

rng = np.random.default_rng(0)
looked = rng.choice(len(progression), 50, replace=False)
y = np.full(len(progression), np.nan)  # NaN: nobody looked
y[looked] = progression[looked]

# %%
# With proxies, and without
# -------------------------

with_proxies = MeanEstimator(random_state=0).fit(proxies, y).estimate()
labels_alone = MeanEstimator(random_state=0).fit(None, y).estimate()

fig, ax = plt.subplots(figsize=(6.5, 1.8), layout="constrained")
for row, estimate in enumerate([with_proxies, labels_alone]):
    ax.plot(estimate.interval(0.9), [row, row], lw=4, solid_capstyle="butt")
ax.axvline(progression.mean(), color="k", ls=":", label="truth")
ax.set_yticks(range(2), ["proxies and labels", "fifty labels alone"])
ax.set_xlabel("mean progression of the disease")
_ = ax.legend()

# %%
# Two groups, and their difference
# --------------------------------

age = np.where(X["age"] > 0, "older", "younger")
means = MeanEstimator(random_state=0).fit(proxies, y, category=age)
print(means.by_category())
print(means.difference("older", "younger"))
