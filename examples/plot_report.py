"""
One page to read and to send
============================

All that a fitted estimator says, from the verdict to the rows to label next, is one call away: as a
page, or as values for a picture of one's own.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport

# From the root of a clone, or from examples/.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("data")
data = np.genfromtxt(folder / "digits_ten_labels.csv", delimiter=",", names=True)
performance = PerformanceCurveEstimator(random_state=0).fit(data["score"], data["label"])

# %%
# In a notebook
# -------------
#
# A fitted estimator shows its first answers: the verdict, the main numbers and the curve.

performance

# %%
# As a page
# ---------
#
# `to_html` writes all of it: thresholds and what they promise, what more labels would buy, rows to
# label next. The file loads nothing, and can be sent. The user guide shows one:
# :doc:`../user_guide/report`.

with TemporaryDirectory() as place:
    page = Path(place) / "report.html"
    performance.to_html(page, threshold=0.0, title="Is this digit an 8?")
    print(f"{page.stat().st_size / 1000:.0f} kB")

# %%
# As values
# ---------
#
# What the page holds is a `PerformanceReport`. Here is what it says of thresholds: how many digits
# are called an 8 at each, and what precision and recall are at least, with a probability of 95%
# each.

report = PerformanceReport.of(performance, threshold=0.0)
found = report.rankings[0].thresholds

fig, ax = plt.subplots()
for name, style in (("precision", "-"), ("recall", "--")):
    ax.plot(found.flagged, found.bands[name].value, style, color="#0072B2", label=name)
    ax.plot(found.flagged, found.least[name], style, color="#D55E00", label=f"{name}, at least")
ax.set(xscale="log", xlabel="digits that are called an 8", ylabel="share", ylim=(0.0, 1.05))
_ = ax.legend()

# %%
# These hold for a threshold that was not chosen for what it promises. The rows to label next:

for row in report.next_rows:
    print(f"row {row.name}: score {row.score:.2f}, an 8 with probability {row.probability:.2f}")
