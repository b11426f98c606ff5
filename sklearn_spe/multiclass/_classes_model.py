"""What class scores and labels have become: one fit, a value."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .._posterior import Posterior
from ..exceptions import LabelMarkerWarning
from ..inputs._alignment import check_aligned
from ..inputs._array_like import as_vector
from ..inputs._labels import UNLABELED, encode_labels
from ..inputs._orientation import Orientation
from ..inputs._random_state import seed_entropy, spawn
from ..results._verdict import Reason, Verdict
from ..sample._labeled_scores import LabeledScores
from ..score_mixture._forgotten_labels import warn_of_forgotten
from ..score_mixture._label_bets import LabelBets
from ..score_mixture._recipe import Recipe
from ..score_mixture._score_model import ScoreModel
from ..score_mixture._surprising_items import SurprisingItems
from ._class_draws import ClassDraws
from ._class_scores import ClassScores
from ._class_shifts import ClassShifts
from ._other_classes import OtherClasses

__all__ = ["ClassesModel", "names_several_classes"]

# The places of what classes differ by, and of the laws of other classes, in the tree of seeds.
SHIFTS, OTHERS = 14, 13
SUBJECT = "Mistakes of the predicted class, scored by the log-odds that it is wrong"


@dataclass(frozen=True, eq=False)
class ClassesModel:
    """A fit of the scores of several classes, of which some items are labelled.

    A mistake of the predicted class is a rare positive whose score is how much the classifier
    itself doubts its prediction: one pool of one score, as any other. Which class it is then says
    `OtherClasses`. The likelihood of a label is the product of both.

    Attributes
    ----------
    scores : ClassScores
    classes : ndarray of shape (n_classes,)
        Sorted; the columns of `scores`.
    codes : ndarray of shape (n_items,)
        Indices of classes, -1 where there is no label.
    mistakes : ScoreModel
        Of the mistakes.
    draws : ClassDraws
    verdict : Verdict
    surprising_items : SurprisingItems
    """

    scores: ClassScores
    classes: np.ndarray
    codes: np.ndarray
    mistakes: ScoreModel
    draws: ClassDraws
    verdict: Verdict
    surprising_items: SurprisingItems

    # Of several classes none is the positive one.
    pos_label: ClassVar[None] = None

    @property
    def seed(self) -> int:
        """From which all random numbers come."""
        return self.mistakes.seed

    @property
    def posterior(self) -> Posterior:
        """Of the mistakes."""
        return self.mistakes.posterior

    @property
    def bets(self) -> LabelBets:
        """Against the model of the mistakes."""
        return self.mistakes.bets

    @classmethod
    def of(cls, parameters, X, y, sample_weight=None) -> ClassesModel:
        """Fit, with the parameters of a `SemisupervisedScoreMixture`."""
        scores, classes, codes = _read(parameters, X, y, sample_weight)
        recipe, labeled = _recipe(parameters), _mistakes(scores, codes)
        seed = seed_entropy(parameters.random_state)
        return cls._judged(scores, classes, codes, ScoreModel.made(recipe, labeled, seed))

    def updated(self, parameters, X, y, sample_weight=None) -> ClassesModel:
        """Return the model of other labels of the same scores."""
        scores, classes, codes = _read(parameters, X, y, sample_weight, self.classes)
        if not np.array_equal(scores.scores, self.scores.scores):
            raise ValueError("update takes the scores of fit with other labels; call fit.")
        lost = (self.codes >= 0) & (codes < 0)
        warn_of_forgotten(int(lost.sum()), int((self.codes >= 0).sum()))
        model = self.mistakes.with_labels(_mistakes(self.scores, codes), _recipe(parameters))
        return self._judged(self.scores, classes, codes, model)

    @classmethod
    def _judged(cls, scores, classes, codes, mistakes: ScoreModel) -> ClassesModel:
        known = np.flatnonzero(codes >= 0)
        posterior, said = mistakes.posterior, scores.predicted[known]
        shifts = ClassShifts.judged(
            np.concatenate(
                [posterior.labeled_probability(scores.doubt[known], b) for b in posterior.blocks()]
            ),
            codes[known] != said,
            said,
            len(classes),
            spawn(mistakes.seed, SHIFTS),
        )
        wrong = known[codes[known] != said]
        others = OtherClasses.judged(
            scores.log_others[wrong],
            scores.predicted[wrong],
            codes[wrong],
            spawn(mistakes.seed, OTHERS),
        )
        found = mistakes.surprising_items
        surprising = replace(found, label=classes[codes[found.item]])
        return cls(
            scores,
            classes,
            codes,
            mistakes,
            ClassDraws(scores, codes, mistakes.posterior, shifts, others),
            Verdict(_reasons(mistakes, surprising, scores, classes, codes)),
            surprising,
        )


def names_several_classes(parameters, X, y) -> bool:
    """Return whether labels, or `classes`, make the columns of X classes: more than two of them."""
    if isinstance(X, Mapping):
        raise TypeError(
            "X must be an array, got a mapping: fit one estimator for each system, and of one "
            "system of several classes pass its array of shape (n_samples, n_classes)."
        )
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] < 2 or y is None:
        return False
    given = {"classes": parameters.classes, "unlabeled_label": parameters.unlabeled_label}
    with warnings.catch_warnings():
        # Whoever reads the labels then says it.
        warnings.simplefilter("ignore", LabelMarkerWarning)
        _, classes = encode_labels(y, **given)
    return len(classes) > 2


def _read(parameters, X, y, sample_weight, classes=None):
    """Return scores, classes, and the codes of labels; items that count several times repeat."""
    check_aligned(X=X, y=y, sample_weight=sample_weight)
    classes = parameters.classes if parameters.classes is not None else classes
    codes, found = encode_labels(y, classes=classes, unlabeled_label=parameters.unlabeled_label)
    _check(parameters, found)
    # Codes of few classes are small integers, and pairs of them are not.
    codes = codes.astype(np.intp)
    scores = ClassScores.read(X, found)
    if len(codes) != len(scores.scores):
        raise ValueError(
            f"X and y must have the same length, got {len(scores.scores)} rows and {len(codes)} "
            f"labels; mark items that are not labelled by -1, NaN or None."
        )
    if sample_weight is None:
        return scores, found, codes
    counts = as_vector(sample_weight, "sample_weight", len(codes))
    if not ((counts >= 0.0) & (counts == np.floor(counts))).all() or not counts.any():
        raise ValueError(
            "sample_weight counts items, and of several classes each item has a class of its own: "
            "pass whole numbers, not all zero."
        )
    rows = np.repeat(np.arange(len(codes)), counts.astype(int))
    return replace(scores, scores=scores.scores[rows]), found, codes[rows]


def _check(parameters, classes) -> None:
    given = parameters.classes
    if given is not None and list(np.asarray(given).tolist()) != classes.tolist():
        raise ValueError(
            f"classes={list(given)!r} are not sorted, and the columns of X stand in sorted order, "
            f"as those of predict_proba do. Pass X[:, np.argsort(classes)] and sorted classes."
        )
    if parameters.pos_label is not None:
        raise ValueError(
            f"pos_label={parameters.pos_label!r} is for two classes, and there are "
            f"{len(classes)}: leave it out, and ask estimate(..., pos_label=) for one of them."
        )
    if not parameters.greater_is_positive:
        raise ValueError(
            "greater_is_positive=False is for one score an item; of several classes the largest "
            "probability or logit is that of the predicted one. Pass -X."
        )


def _recipe(parameters) -> Recipe:
    """Return how the model of mistakes is made: its scores are log-odds."""
    recipe = Recipe.of(parameters)
    return replace(recipe, score_kind="log_odds") if recipe.score_kind == "auto" else recipe


def _mistakes(scores: ClassScores, codes) -> LabeledScores:
    wrong = np.where(codes < 0, UNLABELED, codes != scores.predicted).astype(np.int8)
    return LabeledScores.of_codes(scores.doubt, wrong, Orientation.of(scores.doubt, True))


def _reasons(mistakes: ScoreModel, surprising: SurprisingItems, scores, classes, codes):
    """Yield what speaks against the fit, in words of classes."""
    known = codes >= 0
    n_wrong = int((known & (codes != scores.predicted)).sum())
    others = (r for r in mistakes.verdict.reasons if r.name != "surprising_items")
    for reason in (*others, *surprising.reasons()):
        text = f"{SUBJECT}: {reason.text}"
        if reason.name == "one_class":
            kind = "right" if not n_wrong else "wrong"
            text = (
                f"All of {int(known.sum())} labelled predictions are {kind}: what was believed of "
                f"classifiers before decides how sure it may be. Label more items, those of "
                f"{'least' if not n_wrong else 'most'} confidence first."
            )
        yield replace(reason, text=text)
    never = np.setdiff1d(np.arange(len(classes)), codes[known])
    if len(never):
        shown = ", ".join(map(repr, classes[never[:5]].tolist())) + ", ..." * (len(never) > 5)
        yield Reason(
            "unlabelled_classes",
            "ok",
            f"{len(never)} of {len(classes)} classes have no labelled item ({shown}): their "
            f"recall rests on the other classes and on the classifier's own probabilities.",
            float(len(never)),
            0.0,
        )
