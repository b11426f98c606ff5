"""
A report to read and to send
============================

One call collects all results of a fitted estimator, from the verdict to the rows to label next.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.application import main_estimates

# From the root of a clone, or from the folder of this file.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("../data")
data = np.genfromtxt(folder / "digits_ten_labels.csv", delimiter=",", names=True)
performance = PerformanceCurveEstimator(random_state=0).fit(data["score"], data["label"])

# %%
# In a notebook
# -------------
#
# A notebook displays the table of the main numbers, with the verdict first.

main_estimates(performance)

# %%
# As a page
# ---------
#
# `PerformanceReport` has all results: thresholds with their guarantees, the gain from more labels,
# rows to label next. The file loads nothing external, so it can be sent.

report = PerformanceReport.from_estimator(performance, threshold=0.0, title="Is this digit an 8?")
with TemporaryDirectory() as place:
    page = Path(place) / "report.html"
    report.to_html(page)
    print(f"{page.stat().st_size / 1000:.0f} kB")

# %%
# As values
# ---------
#
# The report is also a Python object. Its table has, for each threshold, the number of digits called
# an 8, and lower limits of precision and recall with a probability of 95% each.

found = report.rankings[0].thresholds

fig, ax = plt.subplots()
for name, style in (("precision", "-"), ("recall", "--")):
    ax.plot(found.flagged, found.bands[name].value, style, color="#0072B2", label=name)
    ax.plot(found.flagged, found.least[name], style, color="#D55E00", label=f"{name}, at least")
ax.set(xscale="log", xlabel="digits that are called an 8", ylabel="share", ylim=(0.0, 1.05))
_ = ax.legend()

# %%
# These limits are valid for a threshold that was chosen without looking at them. The next lines
# print the rows to label next:

for row in report.next_rows:
    print(f"row {row.name}: score {row.score:.2f}, an 8 with probability {row.probability:.2f}")
