"""What can be asked of the performance of classes against the rest, over several models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import special
from sklearn.utils.validation import check_is_fitted

from ..curves._registry import CURVES
from ..inputs._labels import class_index
from ..inputs._numbers import check_choice
from ..metrics._metric import RankingMetric
from ..metrics._probability_metric import ProbabilityMetric
from ..metrics._registry import as_metric
from ..results._distributions import WeightedDraws
from ._calibrated_scores import CalibratedScores

__all__ = ["ClassPerformance"]


class ClassPerformance:
    """Mixin of a `WrappedClassifier` that has several `CalibratedScores`, one a fold.

    It needs `classes_` and `calibrated_classifiers_`, and the parameter `n_jobs`.
    """

    classes_: np.ndarray
    calibrated_classifiers_: list[CalibratedScores]
    n_jobs: int | None
    _positive: Callable[[np.ndarray], int]

    def curve(self, name="precision_recall", *, label=None, **parameters):
        """Return a performance curve of one class against the rest, or their macro average.

        Parameters
        ----------
        name : {"precision_recall", "roc", "det"}, default="precision_recall"
        label : object, default=None
            One of `classes_`. None takes the positive one of two classes, which `pos_label` names
            unless it is 1 of {0, 1} or {-1, 1}, or True; of more classes the mean over all, whose
            errors are taken to be independent.
        **parameters
            Of `PerformanceCurveEstimator`: `target`, `confidence_level`, `n_points`, ...

        Returns
        -------
        band : CurveBand
            On the data set of `fit`. Several folds are pooled: the curve is that of any of them.
        """
        check_choice(name, "name of the curve", CURVES)
        return self._combined(lambda performance: performance.curve(name), label, parameters)

    def estimate(self, metric="average_precision", *, label=None, **parameters):
        """Return a number of the ranking of one class against the rest, or its macro average.

        Parameters
        ----------
        metric : str, RankingMetric or ProbabilityMetric, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" or "prevalence";
            of two classes "brier_score" and "log_loss", of the recalibrated probabilities.
        label : object, default=None
            As :meth:`curve` takes it.
        **parameters
            Of `PerformanceCurveEstimator`.

        Returns
        -------
        estimate : ScalarEstimate
        """
        metric = as_metric(metric)
        if isinstance(metric, ProbabilityMetric) and len(self.classes_) == 2:
            return self._combined(partial(_of_recalibrated, metric), label, parameters)
        if isinstance(metric, ProbabilityMetric):
            raise ValueError(
                f"{metric.name!r} is that of two classes: the probabilities of more are "
                f"normalised together, and those of one against the rest are not what is predicted."
            )
        if not isinstance(metric, RankingMetric):
            raise ValueError(self._instead_of(metric.name))
        if metric.name == "prevalence" and label is None and len(self.classes_) > 2:
            raise ValueError(
                "The mean prevalence of all classes is one over their number, whatever the data; "
                "ask for that of one class, label=."
            )
        return self._combined(lambda performance: performance.estimate(metric), label, parameters)

    @property
    def performance_(self):
        """The performance of a frozen classifier of two classes, as a fitted estimator.

        It is that of the positive class: of classes that do not tell which one that is, only with
        `pos_label`.
        """
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 or len(self.calibrated_classifiers_) > 1:
            raise AttributeError(
                "performance_ is that of one model of two classes; use curve and estimate, which "
                "combine folds and classes."
            )
        try:
            positive = self._positive(self.classes_)
        except ValueError as error:
            # To `hasattr` there is none.
            raise AttributeError(str(error)) from error
        return self.calibrated_classifiers_[0].performance(positive, n_jobs=self.n_jobs)

    @property
    def predicted_before_(self):
        """What turns scores into the classifier's own probabilities, None if it has none."""
        pair = self.calibrated_classifiers_[0]
        if pair.response.method == "predict_proba":
            return np.asarray
        return special.expit if pair.mixtures[0].score_kind == "log_odds" else None

    def _combined(self, ask, label, parameters):
        check_is_fitted(self, "classes_")
        if "pos_label" in parameters:
            raise ValueError(
                f"Which class is asked for is said by label=, got "
                f"pos_label={parameters['pos_label']!r}."
            )
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
        name = self.classes_[labels[0]].item() if len(labels) == 1 else None
        # Draws belong together where all that was pooled and averaged is the same.
        origin = " ".join(r.origin for folds in results for r in folds)
        return replace(results[0][0], law=law, undefined=undefined, pos_label=name, origin=origin)

    def _index_of(self, label) -> int:
        if label is None:
            return self._positive(self.classes_)
        return class_index(self.classes_, label, "label")

    def _instead_of(self, metric: str) -> str:
        """Return what can be asked instead of a metric of decisions."""
        if len(self.classes_) == 2 and len(self.calibrated_classifiers_) == 1:
            return (
                f"{metric!r} is about a decision: performance_.estimate({metric!r}) takes the one "
                f"of the classifier, and threshold= another."
            )
        instead = (
            f"{metric!r} is about a decision by one threshold, and thresholds of several models or "
            f"classes are not comparable. Known here are rankings, 'average_precision' or "
            f"'roc_auc'; for decisions freeze one model of two classes and ask its performance_."
        )
        if metric != "accuracy":
            return instead
        return (
            f"{instead} How often the most probable class is right is a prevalence: "
            f"PerformanceCurveEstimator().fit(proba.max(axis=1), right).estimate('prevalence'), "
            f"proba being the classifier's own probabilities, and right 1 or 0 where an item is "
            f"labelled and NaN elsewhere."
        )


def _of_recalibrated(metric, performance):
    """Return a measure of the recalibrated probabilities of the class of a performance."""

    def predicted(scores):
        turned = performance.orientation_.turn(scores)
        return performance.posterior_.expected_probability(turned)

    return performance.estimate(metric, predicted=predicted)
