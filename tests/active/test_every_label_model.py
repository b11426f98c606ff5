"""What every label model promises."""

import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.naive_bayes import GaussianNB

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.active import (
    ClassifierModel,
    LabelModel,
    SharedCurvesModel,
)
from sklearn_spe.active._parameters import as_label_model
from sklearn_spe.active.label_models._noisy_regression import JointModel
from sklearn_spe.active.label_models._pooled import PooledModel
from sklearn_spe.active.label_models._registry import LABEL_MODELS
from sklearn_spe.active.label_models._simple_models import NaiveModel
from sklearn_spe.active.lists._ranked_lists import RankedLists, score_lists
from sklearn_spe.goals._question import Question
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.matches._match_model import match_lists
from sklearn_spe.metrics._ranking import AveragePrecision
from tests.quick import RANKS

N_DRAWS, N_VETTED = 60, 120
# Quick ones; a classifier is a model that no name stands for.
QUICK = SemisupervisedScoreMixture("norm", "norm", experts=[RANKS], n_draws=N_DRAWS)
MODELS = {name: cls() for name, cls in LABEL_MODELS.items()}
MODELS |= {"shared_curves": SharedCurvesModel(QUICK)}
MODELS |= {"pooled": PooledModel(QUICK)}
MODELS |= {"classifier": ClassifierModel(GaussianNB())}
EVERY_MODEL = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
# The same, where each model is updated anew: what takes longest is slow.
EVERY_UPDATE = pytest.mark.parametrize(
    "model",
    [
        pytest.param(model, marks=[pytest.mark.slow] * (name == "pooled"))
        for name, model in MODELS.items()
    ],
    ids=MODELS,
)


@dataclass(frozen=True, eq=False)
class Vetted:
    """Boards of which some labels are known, for models of labels and for those of overlaps."""

    seed: int
    labels: RankedLists
    codes: np.ndarray
    overlaps: RankedLists
    kept: dict = field(default_factory=dict)
    # The bytes of the boards, from before anything is learned of them.
    untouched: dict = field(init=False)

    def __post_init__(self):
        ranked_lists = {
            id(ranked_lists): pickle.dumps(ranked_lists)
            for ranked_lists in (self.labels, self.overlaps)
        }
        # A frozen value whose last field follows from the others.
        object.__setattr__(self, "untouched", ranked_lists)

    def known_of(self, model):
        """Return the board that a model is for, and what is known of it."""
        if model.needs_overlaps:
            return self.overlaps, self.overlaps.codes
        return self.labels, self.codes.copy()

    def draws(self, model):
        """Return what a model learns of the labels that are known, learned once."""
        if model not in self.kept:
            _, codes = self.known_of(model)
            # Whoever writes into what is known fails.
            codes.flags.writeable = False
            self.kept[model] = self.updated(model, codes)
        return self.kept[model]

    def updated(self, model, codes=None, ranked_lists=None):
        """Return what a model learns."""
        own, known = self.known_of(model)
        rng = np.random.default_rng(self.seed)
        known = known if codes is None else codes
        return model.learn(own if ranked_lists is None else ranked_lists, known, N_DRAWS, rng)


def board_of(tagged, scores, noisy):
    """Return a board of two categories."""
    return score_lists(
        Question.of("average_precision"), scores, noisy, Partition.numbered(tagged.tag // 2), None
    )[0]


@pytest.fixture(scope="session")
def verified(tagged, objects):
    """Return boards of which some labels are known."""
    # Two categories are as good as three: some models fit each of them, once a noisy label.
    ranked_lists = board_of(tagged, tagged.scores[:, None], tagged.noisy)
    matches = match_lists(AveragePrecision(), objects.matches)
    first = matches.detection[::2]
    overlaps = matches.verified(first, objects.data.overlap[first])
    return Vetted(tagged.seed, ranked_lists, tagged.partly(N_VETTED), overlaps)


@EVERY_MODEL
def test_draws_are_probabilities_of_every_entry(model, verified):
    ranked_lists, _ = verified.known_of(model)
    probability = verified.draws(model).probability
    assert probability.shape == (N_DRAWS, ranked_lists.n_rows)
    assert ((probability >= 0.0) & (probability <= 1.0)).all()


@EVERY_MODEL
def test_what_is_known_is_known(model, verified):
    _, codes = verified.known_of(model)
    known, draws = codes >= 0, verified.draws(model)
    assert 0 < known.sum() < len(codes)
    assert_array_equal(draws.mean[known], codes[known])
    rng = np.random.default_rng(verified.seed)
    for worlds in (draws.completed(slice(0, 7)), draws.labels(slice(0, 7), rng)):
        assert worlds.shape == (7, len(codes))
        assert_array_equal(worlds[:, known], np.tile(codes[known], (7, 1)))


@EVERY_MODEL
def test_labels_are_drawn_with_the_probabilities_of_their_world(model, verified):
    draws, rng = verified.draws(model), np.random.default_rng(verified.seed)
    labels = [draws.labels(slice(None), rng) for _ in range(50)]
    assert set(np.unique(labels)) <= {0, 1}
    # Hoeffding's inequality: with all entries a false alarm in a million runs.
    error = np.sqrt(np.log(2e9) / (2.0 * 50 * N_DRAWS))
    expected = draws.completed(slice(None)).mean(axis=0)
    assert_allclose(np.mean(labels, axis=(0, 1)), expected, atol=error)


@EVERY_UPDATE
def test_what_is_made_once_of_the_scores_serves_for_all_labels(model, verified):
    ranked_lists, codes = verified.known_of(model)
    prepared = model.prepared(ranked_lists, N_DRAWS, np.random.default_rng(verified.seed))
    assert isinstance(prepared, LabelModel)
    if prepared is model:
        # Nothing is made of the scores: that it learns the same again is tested above.
        return
    fewer = np.where(np.arange(len(codes)) % 2 == 0, codes, -1)
    first, other, again = (verified.updated(prepared, known) for known in (codes, fewer, codes))
    assert_array_equal(other.mean[fewer >= 0], fewer[fewer >= 0])
    assert_array_equal(first.mean[codes >= 0], codes[codes >= 0])
    assert_array_equal(first.probability, again.probability)


@EVERY_UPDATE
def test_without_a_single_label_there_is_an_answer(model, tagged, verified):
    ranked_lists, codes = verified.known_of(model)
    if model.needs_overlaps:
        nothing = np.full(len(ranked_lists.detection), np.nan)
        ranked_lists = ranked_lists.verified(ranked_lists.detection, nothing)
    else:
        ranked_lists = board_of(tagged, tagged.scores[:, None], tagged.truth)
    answers = verified.updated(model, np.full(len(codes), -1), ranked_lists)
    assert ((answers.probability >= 0.0) & (answers.probability <= 1.0)).all()
    # Noisy labels say something all the same; these are never wrong. Curves say that items score
    # higher that are positive, and no more.
    if isinstance(model, NaiveModel | JointModel | ClassifierModel):
        true, false = (answers.mean[tagged.truth == z].mean() for z in (1, 0))
        assert true > false
    elif isinstance(model, SharedCurvesModel):
        assert stats.spearmanr(answers.mean, tagged.scores).statistic > 0.0


@pytest.mark.parametrize("model", [model for model in MODELS.values() if model.needs_noisy])
def test_noisy_labels_are_needed_by_whoever_says_so(model):
    with pytest.raises(ValueError, match="noisy_labels"):
        as_label_model(model, "shared_curves", has_noisy=False, has_overlaps=True)


@EVERY_UPDATE
def test_systems_are_evaluated_by_one_set_of_labels(model, tagged, verified):
    if model.needs_overlaps:
        return
    # Whoever needs no noisy labels gets none.
    ranked_lists = board_of(
        tagged, tagged.systems[:, :2], tagged.noisy if model.needs_noisy else None
    )
    draws = verified.updated(model, ranked_lists=ranked_lists)
    assert np.isfinite(draws.probability).all()
    assert draws.probability.shape == (N_DRAWS, 300)
