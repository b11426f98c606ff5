"""Label models: what they say of labels that are not known, and how labels hang together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from sklearn_spe.active import ClassifierModel, LabelDraws, SharedCurvesModel
from sklearn_spe.active.label_models._curves import prior_table_of
from sklearn_spe.active.label_models._noisy_regression import JointModel
from sklearn_spe.active.label_models._pooled import PooledModel
from sklearn_spe.active.label_models._simple_models import CountsModel, NaiveModel
from sklearn_spe.active.lists._ranked_lists import score_lists
from sklearn_spe.datasets import make_noisy_tags
from sklearn_spe.goals._question import Question
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.matches._overlap import MatchCoupling
from tests.active.selectors import model
from tests.quick import QUIET

pytestmark = QUIET

N_VETTED = 120
UNKNOWN = np.arange(300) >= N_VETTED


def board_of(tagged, **given):
    """Return the board of the items, of which some columns may be others."""
    columns = {"scores": tagged.scores, "noisy": tagged.noisy, "tag": tagged.tag} | given
    scores = np.asarray(columns["scores"], dtype=float)
    scores = scores[:, None] if scores.ndim == 1 else scores
    question = Question.of("average_precision")
    category = None if columns["tag"] is None else Partition.numbered(columns["tag"])
    return score_lists(question, scores, columns["noisy"], category, columns.get("features"))[0]


def learned(model, tagged, codes=None, **given):
    """Return what a model has learned of the items, the first of them being vetted."""
    codes = tagged.partly(N_VETTED) if codes is None else codes
    return model.learn(board_of(tagged, **given), codes, 60, np.random.default_rng(tagged.seed))


QUICK_CURVES = SharedCurvesModel(model(n_draws=60))
MODELS = {
    "naive": NaiveModel(),
    "counts": CountsModel(),
    "joint": JointModel(),
    "shared_curves": QUICK_CURVES,
    "classifier": ClassifierModel(GaussianNB()),
}


@pytest.fixture(scope="module")
def answers_of(tagged):
    """Return what models have learned of the items."""
    return {name: learned(MODELS[name], tagged) for name in ("counts", "joint")}


# --- a pool of two -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n_draws", [1, 41, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 60))]
)
def test_half_of_the_draws_of_a_pool_are_of_either_model(tagged, n_draws):
    ranked_lists, codes = board_of(tagged, tag=None), tagged.partly(N_VETTED)
    rng = np.random.default_rng(tagged.seed)
    pool = PooledModel(model(n_draws=60)).prepared(ranked_lists, n_draws, rng)
    pooled = pool.learn(ranked_lists, codes, n_draws, np.random.default_rng(1))
    assert pooled.probability.shape == (n_draws, 300)
    # The curves alone, with the same random numbers.
    stream = np.random.default_rng(1).spawn(2)[1]
    alone = SharedCurvesModel(prior=pool.prior)
    curves = alone.learn(ranked_lists, codes, max(n_draws // 2, 1), stream).probability
    is_of_curves = (pooled.probability[:, np.newaxis] == curves).all(axis=2).any(axis=1)
    assert is_of_curves.sum() == n_draws // 2


def test_noisy_labels_are_the_verdicts_of_one_more_judge(tagged):
    judges = prior_table_of(board_of(tagged)).judges
    assert judges.are_verdicts == (True,)
    assert_array_equal(judges.scores[:, 0], tagged.noisy)
    assert prior_table_of(board_of(tagged, noisy=None)).judges is None


# --- several models ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["joint", "classifier", "shared_curves"])
def test_what_is_learned_is_better_than_noisy_labels(tagged, name):
    # Every third of them is wrong, which is their mean squared error.
    noisy = np.where(np.arange(300) % 3 == 0, 1 - tagged.truth, tagged.truth)
    p = learned(MODELS[name], tagged, noisy=noisy).mean[UNKNOWN]
    assert np.mean((p - tagged.truth[UNKNOWN]) ** 2) < 1.0 / 3.0


# --- one by one ----------------------------------------------------------------------------


def test_naive_takes_noisy_labels_for_true(tagged):
    answers = learned(NaiveModel(), tagged)
    assert_array_equal(answers.mean, np.where(UNKNOWN, tagged.noisy, tagged.truth))


def test_counts_are_equation_13(tagged, answers_of):
    answers = answers_of["counts"]
    # The standard normal scale of ranks, within each category.
    s = np.empty(300)
    for c in range(3):
        own = np.flatnonzero(c == tagged.tag)
        s[own] = special.ndtri((np.argsort(np.argsort(tagged.scores[own])) + 0.5) / len(own))
        verified = own[~UNKNOWN[own]]
        z, y = tagged.truth[verified], tagged.noisy[verified]
        model = LogisticRegression().fit(s[verified, None], z)
        prior = model.predict_proba(s[own, None])[:, 1]
        rate = {v: (y[z == v].sum() + 0.5) / ((z == v).sum() + 1.0) for v in (0, 1)}
        of = {v: np.where(tagged.noisy[own] == 1, rate[v], 1.0 - rate[v]) for v in (0, 1)}
        want = of[1] * prior / (of[1] * prior + of[0] * (1.0 - prior))
        assert_allclose(answers.probability[0, own], want, rtol=1e-9)
        assert_allclose(answers.probability[-1, own], want, rtol=1e-9)


@pytest.mark.slow
def test_joint_is_right_where_counting_is_misled_by_the_choice(tagged):
    # Of the 48 highest of each tag those with a noisy label are vetted: among them no positive is
    # missed and every negative is called positive, which is the choice and not the noise.
    errors = {"counts": [], "joint": []}
    for seed in 2 * tagged.seed + np.arange(2):
        data = make_noisy_tags(500, 20, prevalence=0.02, random_state=int(seed))
        scores = data.scores.reshape(20, 500)
        top = (np.argsort(-scores, axis=1)[:, :48] + 500 * np.arange(20)[:, None]).ravel()
        scores, truth, noisy, tag = (
            part[top] for part in (data.scores, data.labels, data.noisy_labels, data.category)
        )
        by_noisy = np.argsort(-noisy - np.random.default_rng(seed).random(960), kind="stable")
        codes = np.full(960, -1)
        codes[by_noisy[:96]] = truth[by_noisy[:96]]
        for name, of_model in errors.items():
            p = learned(MODELS[name], tagged, codes, scores=scores, noisy=noisy, tag=tag).mean
            of_model.append(np.abs((p - truth).reshape(20, 48).mean(axis=1)).mean())
    # The errors of precision of two data sets together are in the ratio exp(-1.7 +- 0.28): one
    # run in 100,000,000 is a false alarm.
    assert np.sum(errors["joint"]) < np.sum(errors["counts"])


@pytest.mark.slow
def test_joint_does_not_need_the_order_of_the_items(tagged, answers_of):
    order, one = np.random.default_rng(tagged.seed).permutation(300), answers_of["joint"]
    other = learned(
        JointModel(),
        tagged,
        tagged.partly(N_VETTED)[order],
        scores=tagged.scores[order],
        noisy=tagged.noisy[order],
        tag=tagged.tag[order],
    )
    # Sums in another order differ by rounding.
    assert_allclose(other.probability, one.probability[:, order], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counts", "joint"])
def test_only_ranks_of_the_scores_matter(tagged, answers_of, name):
    other = learned(MODELS[name], tagged, scores=np.exp(tagged.scores / 2.0))
    assert_allclose(other.probability, answers_of[name].probability, atol=1e-9)


@pytest.mark.slow
def test_joint_learns_of_side_features(tagged):
    # Noise that a feature tells of, and the score does not.
    rng = np.random.default_rng(tagged.seed)
    feature = rng.normal(size=300)
    truth = (rng.random(300) < special.expit(3.0 * feature)).astype(int)
    codes = np.where(np.arange(300) < 150, truth, -1)
    scores = rng.normal(size=300)
    rest = codes < 0
    without = learned(JointModel(), tagged, codes, scores=scores, noisy=None, tag=None).mean[rest]
    for features in (feature[:, None], np.column_stack([1e6 * feature, np.ones(300)])):
        is_known = learned(
            JointModel(), tagged, codes, scores=scores, noisy=None, tag=None, features=features
        ).mean[rest]
        assert np.mean((is_known - truth[rest]) ** 2) < 0.9 * np.mean((without - truth[rest]) ** 2)


@pytest.mark.slow
def test_joint_of_two_systems_sees_both(tagged):
    # One of them knows nothing, the other much.
    good = tagged.scores + 3.0 * tagged.truth
    both = learned(
        JointModel(), tagged, scores=np.column_stack([tagged.systems[:, 2], good]), noisy=None
    )
    one = learned(JointModel(), tagged, scores=tagged.systems[:, 2], noisy=None)
    errors = [np.mean((m.mean - tagged.truth)[UNKNOWN] ** 2) for m in (both, one)]
    assert errors[0] < errors[1]


# --- labels that hang together -----------------------------------------------------------------

# Three claims at two thresholds; the first two are on one object. The last entry is known.
CLAIM, OWNER = np.array([0, 0, 1, 1, 2, 2, -1]), np.array([4, 4, 7])
CHANCE = np.array([0.8, 0.3, 0.6, 0.5, 0.9, 0.1, 0.0])
CODES = np.array([-1] * 6 + [0])


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
def test_matches_of_one_object_are_as_correlated_as_asked(correlation, global_random_seed):
    n = 20_000
    uniform = MatchCoupling(CLAIM, OWNER, correlation).uniform(
        n, np.random.default_rng(global_random_seed)
    )
    assert uniform.shape == (n, 7)
    # All thresholds of a claim look at one number.
    for pair in ((0, 1), (2, 3), (4, 5)):
        assert_array_equal(uniform[:, pair[0]], uniform[:, pair[1]])
    normal = special.ndtri(uniform[:, [0, 2, 4]])
    found = np.corrcoef(normal.T)
    # The standard error of a correlation is (1 - rho^2) / sqrt(n).
    assert found[0, 1] == pytest.approx(correlation, abs=5.0 * (1 - correlation**2) / np.sqrt(n))
    assert np.abs(found[[0, 1], 2]).max() < 5.0 / np.sqrt(n)
    error = 5.0 / np.sqrt(12.0 * n)
    assert_allclose(uniform[:, :6].mean(axis=0), 0.5, atol=error)


def test_thresholds_nest_and_chances_are_kept(global_random_seed):
    n = 20_000
    draws = LabelDraws(np.tile(CHANCE, (n, 1)), CODES, MatchCoupling(CLAIM, OWNER, 0.5))
    labels = draws.labels(slice(0, n), np.random.default_rng(global_random_seed))
    error = 5.0 * np.sqrt(CHANCE * (1.0 - CHANCE) / n)
    assert (np.abs(labels.mean(axis=0) - CHANCE) <= error).all()
    for lower, higher in ((0, 1), (2, 3), (4, 5)):
        assert (labels[:, higher] <= labels[:, lower]).all()
    independent = LabelDraws(np.tile(CHANCE, (n, 1)), CODES)
    labels = independent.labels(slice(0, n), np.random.default_rng(global_random_seed))
    assert (np.abs(labels.mean(axis=0) - CHANCE) <= error).all()
    assert (labels[:, 1] > labels[:, 0]).any()
