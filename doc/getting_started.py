import numpy as np

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates
from sklearn_spe.datasets import make_scores
from sklearn_spe.display import PerformanceCurveDisplay

scores, truth = make_scores(400, random_state=3)
y = np.where(np.arange(400) < 30, truth, -1)  # 30 labels: 0 or 1; -1 for the rest

performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
print(main_estimates(performance, threshold=2.0))

display = PerformanceCurveDisplay.from_estimator(performance)
