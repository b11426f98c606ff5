"""What a score is, as the scores themselves or their owner say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.data._cells import default_threshold, learn_score_kind
from sklearn_spe.data._scale import learn_scale
from tests.experts.problems import SETS, sample_of, score_sets


def kind_of(scores, score_kind="auto"):
    return learn_score_kind(sample_of(scores), score_kind)


def votes(n_voters):
    """Return how many of them say yes, every number about as often as a binomial has it."""
    return stats.binom(n_voters, 0.3).ppf((np.arange(2000) + 0.5) / 2000) / n_voters


@pytest.mark.parametrize(
    ("scores", "name"),
    [
        (np.linspace(-3.0, 2.0, 50), "unknown"),
        (np.linspace(0.0, 2.0, 50), "distance"),
        (np.linspace(3.0, 4.0, 50), "distance"),
        (np.linspace(0.001, 0.7, 50), "probability"),
        (np.linspace(0.3, 0.999, 50), "probability"),
        (np.linspace(0.2, 0.8, 50), "unit"),
        (votes(5), "votes"),
        (votes(100), "votes"),
        # Hard labels: there is nothing between.
        (np.repeat([0.0, 1.0], 50), "probability"),
        # A number of voters that nobody has: rounded probabilities.
        (np.arange(50_000) % 1000 / 999.0, "probability"),
        # Ties that are no multiples of one over a whole number.
        (np.repeat([0.0, 0.1, np.pi / 10.0, 0.9], 50), "probability"),
    ],
)
def test_scores_say_what_they_are(scores, name):
    assert kind_of(scores).name == name


@pytest.mark.parametrize("name", ["probability", "votes"])
def test_log_odds_of_probabilities_are_their_logits(name):
    scores = np.linspace(0.01, 0.98, 50)
    assert_allclose(kind_of(scores, name).log_odds(scores), special.logit(scores), rtol=1e-12)


@pytest.mark.parametrize("name", ["log_odds", "margin", "distance"])
@pytest.mark.parametrize("scores", [np.linspace(0.0, 1.0, 50), np.linspace(0.0, 30.0, 50)])
def test_log_odds_of_other_scores_are_the_scores_in_whatever_range(name, scores):
    assert_array_equal(kind_of(scores, name).log_odds(scores), scores)


@pytest.mark.parametrize("name", SETS)
def test_log_odds_are_finite_and_rise_with_the_score(name, global_random_seed):
    scores = score_sets(global_random_seed)[name]
    ordered = np.unique(scores)
    log_odds = kind_of(scores).log_odds(ordered)
    assert np.isfinite(log_odds).all()
    assert (np.diff(log_odds) >= 0.0).all()


def test_zero_and_one_lie_beyond_every_inner_score():
    scores = np.r_[0.0, 0.004, 0.5, 0.99, 1.0]
    log_odds = kind_of(scores, "probability").log_odds(scores)
    assert_allclose(log_odds[[0, -1]], special.logit([0.002, 0.998]))
    assert (np.diff(log_odds) > 0.0).all()


@pytest.mark.parametrize("largest", [1e-3, 1e-7, 1e-12, 1e-300])
def test_probabilities_of_any_size_are_distinguished(largest):
    scores = largest * np.linspace(0.01, 1.0, 50)
    for own in (scores, np.r_[0.0, scores]):
        log_odds = kind_of(own).log_odds(own)
        assert kind_of(own).name == "probability"
        assert_allclose(log_odds[-50:], np.log(scores), rtol=1e-3)
        assert (np.diff(log_odds) > 0.0).all()
        assert (np.diff(learn_scale(sample_of(own)).transform(own)) > 0.0).all()


def test_probabilities_next_to_one_are_distinguished_as_far_as_float64_does():
    scores = np.r_[1.0 - np.geomspace(1e-9, 1e-15, 30), 1.0]
    log_odds = kind_of(scores).log_odds(scores)
    assert (np.diff(log_odds) > 0.0).all()
    assert_allclose(log_odds[:-1], special.logit(scores[:-1]), rtol=1e-12)
    assert np.isfinite(log_odds).all()


@pytest.mark.parametrize("digits", [2, 3, 4, 16])
@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.049, 0.8), (0.2, 0.953), (0.0016, 1.0)])
def test_rounding_changes_no_kind(digits, ends, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.r_[ends, rng.uniform(*ends, 98)]
    sample = sample_of(np.round(scores, digits))
    assert learn_score_kind(sample).name == "probability"
    # What runs from exactly 0 to exactly 1 may have been scaled, unless it is rounded.
    is_known = ends != (0.0, 1.0) or digits < 16
    assert learn_scale(sample).name == ("logit" if is_known else "standard")
    assert default_threshold(sample, "auto") == (0.5 if is_known else None)


@pytest.mark.parametrize("name", ["probability", "votes"])
@pytest.mark.parametrize("scores", [[-0.1, 0.5, 1.0], [0.0, 0.5, 1.1]])
def test_probabilities_must_lie_in_the_unit_interval(name, scores):
    with pytest.raises(ValueError, match=r"scores in \[0, 1\], but they range from"):
        kind_of(scores, name)


def test_distances_must_not_be_negative():
    with pytest.raises(ValueError, match=r"the smallest is -1; use 'margin'"):
        kind_of([-1.0, 2.0, 3.0], "distance")


SHARES = {
    "probabilities": np.linspace(0.001, 0.97, 50),
    "votes": votes(100),
    "hard labels": np.repeat([0.0, 1.0], 50),
    "few digits": np.round(np.linspace(0.0, 1.0, 80), 2),
}


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
def test_percentages_are_read_as_their_shares(shares):
    percent = 100.0 * shares
    # Divided again, as the last digit of a share may differ.
    of_shares, kind = kind_of(percent / 100.0), kind_of(percent)
    if shares.max() < 0.95:
        # Of at most 100, but none is near it: what is a share, its owner must say.
        assert kind.name == "distance"
        return
    assert (kind.name, kind.clip, kind.whole) == (of_shares.name, of_shares.clip, 100.0)
    assert_array_equal(kind.log_odds(percent), of_shares.log_odds(percent / 100.0))
    threshold = default_threshold(sample_of(percent / 100.0), "auto")
    expected = None if threshold is None else 100.0 * threshold
    assert default_threshold(sample_of(percent), "auto") == expected


@pytest.mark.parametrize("largest", [0.3, 0.99])
def test_whoever_says_percent_has_the_shares_of_a_hundred(largest):
    percent = np.linspace(0.1, 100.0 * largest, 50)
    said = kind_of(percent, "percent")
    assert_array_equal(
        said.log_odds(percent), kind_of(percent / 100.0, "probability").log_odds(percent / 100.0)
    )
    for wrong in (percent - 1.0, percent + 99.0):
        with pytest.raises(ValueError, match=r"'percent' requires scores in \[0, 100\], but"):
            kind_of(wrong, "percent")


def test_the_model_scale_of_percentages_is_that_of_their_shares():
    shares = np.linspace(0.001, 0.97, 50)
    percent = 100.0 * shares
    scales = learn_scale(sample_of(percent / 100.0)), learn_scale(sample_of(percent), whole=100.0)
    ours, theirs = scales[0].transform(percent / 100.0), scales[1].transform(percent)
    assert_array_equal(ours, theirs)
    assert_allclose(scales[1].inverse_transform(theirs), percent, rtol=1e-9)
    # A density of shares is a hundred times that of percentages.
    assert_allclose(
        scales[1].log_jacobian(percent),
        scales[0].log_jacobian(percent / 100.0) - np.log(100.0),
        rtol=1e-12,
    )
