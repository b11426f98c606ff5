"""What can be asked of the performance of classes against the rest, over several models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special
from sklearn.utils.validation import check_is_fitted

from ._calibrated_scores import CalibratedScores
from ._laws import WeightedDraws
from .curves import CURVES
from .metrics import RankingMetric, as_metric

__all__ = ["ClassPerformance"]


class ClassPerformance:
    """Mixin of what has `classes_` and several `CalibratedScores`, one a fold.

    It needs `calibrated_classifiers_` and the parameter `n_jobs`.
    """

    classes_: np.ndarray
    calibrated_classifiers_: list[CalibratedScores]
    n_jobs: int | None

    def curve(self, name="precision_recall", *, label=None, **parameters):
        """Return a performance curve of one class against the rest, or their macro average.

        Parameters
        ----------
        name : {"precision_recall", "roc", "det"}, default="precision_recall"
        label : object, default=None
            One of `classes_`. None takes the second of two classes; of more, the mean over all
            classes, whose errors are taken to be independent.
        **parameters
            Of `PerformanceCurveEstimator`: `target`, `confidence_level`, `n_points`, ...

        Returns
        -------
        band : CurveBand
            On the data set of `fit`. Several folds are pooled: the curve is that of any of them.
        """
        if name not in CURVES:
            raise ValueError(f"Unknown curve {name!r}; choose one of {', '.join(CURVES)}.")
        return self._combined(lambda performance: performance.curve(name), label, parameters)

    def estimate(self, metric="average_precision", *, label=None, **parameters):
        """Return a number of the ranking of one class against the rest, or its macro average.

        Parameters
        ----------
        metric : str or RankingMetric, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" or "prevalence".
        label : object, default=None
            As :meth:`curve` takes it.
        **parameters
            Of `PerformanceCurveEstimator`.

        Returns
        -------
        estimate : ScalarEstimate
        """
        if not isinstance(as_metric(metric), RankingMetric):
            raise ValueError(
                f"{metric!r} needs a threshold, and thresholds of several models or classes are "
                f"not comparable; ask performance_ of two classes, or "
                f"SemisupervisedThresholdClassifier."
            )
        if as_metric(metric).name == "prevalence" and label is None and len(self.classes_) > 2:
            raise ValueError(
                "The mean prevalence of all classes is one over their number, whatever the data; "
                "ask for that of one class, label=."
            )
        return self._combined(lambda performance: performance.estimate(metric), label, parameters)

    @property
    def performance_(self):
        """The performance of a frozen classifier of two classes, as a fitted estimator."""
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 or len(self.calibrated_classifiers_) > 1:
            raise AttributeError(
                "performance_ is that of one model of two classes; use curve and estimate, which "
                "combine folds and classes."
            )
        return self.calibrated_classifiers_[0].performance(1, n_jobs=self.n_jobs)

    @property
    def predicted_before_(self):
        """What turns scores into the classifier's own probabilities, None if it has none."""
        pair = self.calibrated_classifiers_[0]
        if pair.response.method == "predict_proba":
            return np.asarray
        return special.expit if pair.mixtures[0].score_kind == "log_odds" else None

    def _combined(self, ask, label, parameters):
        check_is_fitted(self, "classes_")
        if label is None and len(self.classes_) > 2:
            labels = range(len(self.classes_))
        else:
            labels = [self._index_of(label)]
        parameters = {"n_jobs": self.n_jobs, **parameters}
        results = [
            [ask(pair.performance(c, **parameters)) for pair in self.calibrated_classifiers_]
            for c in labels
        ]
        law = WeightedDraws.average(
            [WeightedDraws.pooled([r.law for r in folds]) for folds in results]
        )
        undefined = np.mean([[r.undefined for r in folds] for folds in results], axis=(0, 1))
        return replace(results[0][0], law=law, undefined=undefined)

    def _index_of(self, label) -> int:
        if label is None:
            return 1
        at = np.flatnonzero(self.classes_ == label)
        if not len(at):
            raise ValueError(f"label={label!r} is not one of the classes {self.classes_.tolist()}.")
        if len(self.classes_) == 2 and not at[0]:
            raise ValueError(
                f"Of two classes the performance is that of the second one, "
                f"{self.classes_[1].item()!r}; for {label!r} use PerformanceCurveEstimator on the "
                f"scores, with a mixture of greater_is_positive=False."
            )
        return int(at[0])
