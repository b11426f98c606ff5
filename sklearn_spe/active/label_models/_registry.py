"""Label models by name, and the one of a user's own classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone

from ...results._verdict import Reason
from ..lists._ranked_lists import RankedLists
from ._curves import SharedCurvesModel
from ._label_model import LabelDraws, LabelModel, ranked_scores
from ._noisy_regression import JointModel
from ._pooled import PooledModel
from ._simple_models import CountsModel, NaiveModel

# Other kinds of items add models of their own.
LABEL_MODELS: dict[str, type[LabelModel]] = {
    model.name: model
    for model in (
        NaiveModel,
        CountsModel,
        JointModel,
        PooledModel,
        SharedCurvesModel,
    )
}


# Number of trainings, on bootstrap samples of the known labels.
N_FITS = 8


@dataclass(frozen=True)
class ClassifierModel(LabelModel):
    """A classifier of labels, trained on the known ones.

    The features of the classifier are the normal score of the rank of each score within its
    category (shifted to start at 0), the noisy label, one indicator per category, and the
    `features` of the selector. They are nonnegative if `features` are. The selection of items by
    scores and noisy labels is ignorable, as far as the classifier can model their effects.

    The classifier is trained on several bootstrap samples of the labels. This underestimates its
    uncertainty: intervals are too narrow. A strongly regularized classifier (a small C, a shallow
    tree) is also biased. Until labels of both classes are known, the model "joint" is used instead,
    or "overlap" for `SegmentationMatches`.

    .. versionadded:: 0.1

    Parameters
    ----------
    classifier : classifier with `predict_proba`
        The classifier, which is cloned for each training. It may also be passed directly as
        `label_model` of a selector.

    Examples
    --------
    A classifier that uses side features, too: here the number of tags of an image.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import ClassifierModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
    >>> n_tags = np.bincount(data.image, data.noisy_labels)[data.image]
    >>> model = ClassifierModel(LogisticRegression())
    >>> selector = ActiveTestSelector(label_model=model, n_draws=40, random_state=0)
    >>> selector = selector.fit(
    ...     data.scores, noisy_labels=data.noisy_labels, category=data.category, features=n_tags)
    >>> items = selector.query(30)
    >>> selector = selector.update(items, data.labels[items])
    >>> selector.label_proba_.shape
    (600,)
    """

    classifier: BaseEstimator

    name: ClassVar[str] = "classifier"
    needs_noisy: ClassVar[bool] = False

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        known = np.flatnonzero(codes >= 0)
        if len(np.unique(codes[known])) < 2:
            return LABEL_MODELS[ranked_lists.stand_in]().learn(ranked_lists, codes, n_draws, rng)
        seen = _seen(ranked_lists)
        fits = []
        for _ in range(N_FITS):
            drawn = rng.choice(known, len(known))
            if len(np.unique(codes[drawn])) < 2:
                drawn = known
            model = _seeded(self.classifier, rng).fit(seen[drawn], codes[drawn])
            fits.append(model.predict_proba(seen)[:, 1])
        return LabelDraws(np.array(fits)[np.arange(n_draws) % N_FITS], codes)

    def reasons(self, is_random: bool) -> list[Reason]:
        text = (
            "The interval has only the bootstrap uncertainty of a classifier, which is too narrow."
        )
        remedy = "Compare design_estimate_ if there is one, or label_model='joint'."
        return [
            Reason("doubts_of_classifier", "ok", text, float(N_FITS), 0.0, remedy, "label_model")
        ]


def _seeded(classifier: Any, rng: np.random.Generator) -> Any:
    """Return an unfitted copy with a seed from `rng`, unless it has one."""
    model = clone(classifier)
    open_ = [
        name
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return model.set_params(**{name: int(rng.integers(2**31)) for name in open_})


def _seen(ranked_lists: RankedLists) -> np.ndarray:
    """Return the features of the classifier for each row."""
    ranked = ranked_scores(ranked_lists)
    columns = list((ranked - ranked.min(axis=0)).T)
    if ranked_lists.noisy is not None:
        columns.append(ranked_lists.noisy)
    if ranked_lists.n_groups > 1:
        columns += [ranked_lists.group == group for group in range(ranked_lists.n_groups)]
    if ranked_lists.features is not None:
        columns += list(ranked_lists.features.T)
    return np.stack(columns, axis=1).astype(float)
