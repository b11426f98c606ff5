r"""Labels against a model: suspect labels, and tests by e-processes.

An alternative to a model has its probabilities, with the log-odds of one part of the scores
shifted. The ratio of the marginal likelihoods of labels is an e-value: its expectation is one under
the model, so the mean of such ratios exceeds :math:`1 / \alpha` with probability at most
:math:`\alpha` [1]_.

Of the labels of a fit the ratio is the posterior expectation of the likelihood ratio, :math:`Z' / Z
= E[L'(f) / L(f) \mid Y]`, so no sequential pass over them is needed. Of batches of labels the
model's predictive probability is the mean over its draws of :math:`\prod p(z_i \mid s_i)`, and the
product of the ratios is an e-process: it is valid under repeated looks and at any stopping time.

References
----------
.. [1] A. Ramdas, P. Grünwald, V. Vovk, G. Shafer. "Game-theoretic statistics and safe anytime-valid
   inference." Statistical Science 38 (2023) 576-601.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ..data._sample import ScoreSample
from ..inputs._arrays import FrozenArrays
from ..inputs._labels import BinaryLabels
from ..inputs._scores import ScoreDirection
from ..inputs._validation import listed
from ..posterior._posterior import Posterior
from ..results._remedies import Remedy
from ..results._showing import MAX_ROWS, Markup, ShownResult, html_table, row_of, tag
from ..results._verdict import Reason

# A label is suspect if its leave-one-out probability is below this; below the second limit one may
# be more than chance explains.
SUSPECT, MOST_SUSPECT = 0.1, 0.001
# Among many labels some are improbable by chance: say a number that is so improbable.
MANY_LABELS = 0.02
# Maximum number named in a verdict.
MAX_NAMED = 5
COLUMNS = "item", "score", "label", "probability"
# Above this number of labeled scores, interpolate the probabilities.
MAX_SCORES = 400
# Log-odds shifts of the alternatives.
SHIFTS = np.array([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0])
# Prior odds of the model against the alternatives.
PRIOR_ODDS = 0.01
# Boundaries of the parts of the scores, as shares of all items from the top.
SCORE_ENDS = (0.02, 0.1, 0.4, 1.0)
# The model is rejected at an e-value of one over this.
FALSE_ALARM = 0.03
# Above this number of labeled scores, pool them into cells.
MAX_LABELED = 150
# Scores shared by more of the items form parts of their own; and the maximum number of these.
HEAVY_TIE = 0.04
MAX_TIES = 5
# Betting on a batch stops once so few draws, and so small a share, agree with its labels so far,
# and after so many labels: the joint probability of hundreds of labels has no reliable estimate.
MIN_ESS = 10.0
MIN_SHARE = 0.2
MAX_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class SuspectLabels(ShownResult, FrozenArrays):
    r"""Suspect labels: improbable given the other labels, the least probable first.

    The leave-one-out probability of the label :math:`y_i` of an item is

    .. math:: p(y_i \mid y_{-i}) = 1 / E [ 1 / p(y_i \mid s_i, \theta) ] ,

    where the mean is over the posterior with all labels [1]_. Labels with a probability below 0.1
    are listed here and should be checked. Most wrong labels are among them, but not all of them are
    wrong.

    .. versionadded:: 0.1

    Attributes
    ----------
    item : ndarray of shape (n_items,), of int
        Rows of X.
    score : ndarray of shape (n_items,)
        On the user's scale.
    label : ndarray of shape (n_items,)
        As it was given.
    probability : ndarray of shape (n_items,)
        Leave-one-out probability of the label, increasing, in (0, 0.1).
    expected : float
        Expected number of such labels under the model.
    expected_most : float
        Expected number of labels with a probability below 0.001.

    References
    ----------
    .. [1] A. E. Gelfand. "Model determination using sampling-based methods." In: Markov chain
       Monte Carlo in practice, Chapman and Hall (1996) 145-161.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, positive_values=(4.0, 1.0), random_state=0)
    >>> y = np.where(np.arange(500) < 80, labels, -1)
    >>> wrong = np.argsort(scores[:80])[-10]
    >>> y[wrong] = 0
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> bool(performance.suspect_labels_.item[0] == wrong)
    True
    """

    item: np.ndarray
    score: np.ndarray
    label: np.ndarray
    probability: np.ndarray
    expected: float
    expected_most: float = 0.0

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        scores: np.ndarray,
        codes: np.ndarray,
        labels: BinaryLabels,
        score_direction: ScoreDirection,
    ) -> SuspectLabels:
        """Find the suspect labels.

        Parameters
        ----------
        posterior : Posterior
        scores : ndarray of shape (n_samples,)
            Larger for positives.
        codes : ndarray of shape (n_samples,)
            1, 0, or -1 if unlabeled.
        labels : BinaryLabels
        score_direction : Orientation
        """
        known = np.flatnonzero(codes >= 0)
        probability = _of_each_label(posterior, scores[known], codes[known])

        # Under the model, labels below the limit occur with their own probability. The labels at
        # one score pass the limit together: all of them count if one of either class passes it.
        least = np.minimum(probability, 1.0 - probability)
        _, at_score = np.unique(scores[known], return_inverse=True)
        expected, expected_most = (
            float(least[np.bincount(at_score, weights=least < limit)[at_score] > 0.0].sum())
            for limit in (SUSPECT, MOST_SUSPECT)
        )

        suspect = np.flatnonzero(probability < SUSPECT)
        suspect = suspect[np.argsort(probability[suspect], kind="stable")]
        item = known[suspect]
        return cls(
            item,
            score_direction.flip(scores[item]),
            labels.decode(codes[item]),
            probability[suspect],
            expected,
            expected_most,
        )

    def none(self) -> SuspectLabels:
        """Return no suspect labels."""
        item, score = self.item[:0], self.score[:0]
        return SuspectLabels(item, score, self.label[:0], self.probability[:0], 0.0)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def p_value(self) -> float:
        """Bound on the probability of at least this number of suspect labels under the model."""
        # A sum of independent indicators has a lighter tail than this Poisson distribution.
        n_most = np.count_nonzero(self.probability < MOST_SUSPECT)
        counts = (len(self), self.expected), (n_most, self.expected_most)
        tails = [float(special.pdtrc(n - 1, expected)) for n, expected in counts if n]
        return min(tails, default=1.0)

    @property
    def are_many(self) -> bool:
        """Whether there are significantly more suspect labels than expected."""
        return self.p_value <= MANY_LABELS

    def reasons(self, names: list[str] | None = None, *, score: str = "score") -> Iterator[Reason]:
        """Yield a remark that names the suspect labels, if there are many more than expected.

        By default the remark names each item by its label and its score; `score` is the word for
        the score. The number of suspect labels is not a test of the fit. With tied scores, either
        all labels of the rarer class at a score are suspect or none. Wrong labels may mask each
        other.
        """
        if not self.are_many:
            return

        labels = "1 label is" if len(self) == 1 else f"{len(self):,} labels are"
        if names is None:
            pairs = zip(self.label.tolist(), self.score.tolist(), strict=True)
            names = [f"{label!r} at {score} {value:.6g}" for label, value in pairs]
        with_probability = (
            f"{name} ({probability:.1%})"
            for name, probability in zip(names[:MAX_NAMED], self.probability, strict=False)
        )

        yield Reason(
            "suspect_labels",
            "ok",
            f"{labels} improbable given the other labels, below {SUSPECT:.0%}, where "
            f"{self.expected:.1f} are expected: "
            f"{listed(with_probability, len(self), MAX_NAMED)}.",
            self.p_value,
            MANY_LABELS,
            remedy=Remedy("Check these labels{suspects}: a wrong one biases every estimate."),
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for each item."""
        import pandas as pd

        return pd.DataFrame({key: getattr(self, key) for key in COLUMNS})

    def _record(self) -> dict[str, Any]:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in self._rows()]
        return {"expected": self.expected, "labels": rows}

    def _html(self) -> Markup:
        if not len(self):
            return tag("p", "No label is suspect.")
        rows = (
            row_of(str(item), f"{score:.6g}", str(label), f"{probability:.3f}")
            for item, score, label, probability in self._rows()[:MAX_ROWS]
        )
        return html_table(self._heading(), COLUMNS, rows)

    def _rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(getattr(self, key).tolist() for key in COLUMNS), strict=True))

    def _heading(self) -> str:
        heading = f"{len(self):,} suspect labels ({self.expected:.1f} expected)"
        return heading if len(self) <= MAX_ROWS else f"{heading}, the first {MAX_ROWS}"

    def __repr__(self) -> str:
        lines = [f"SuspectLabels: {self._heading()}"]
        if len(self):
            lines.append(f"{'item':>8}{'score':>14}{'probability':>13}  label")
        for item, score, label, probability in self._rows()[:MAX_ROWS]:
            lines.append(f"{item:8}{score:14.6g}{probability:13.3f}  {label!r}")
        return "\n".join(lines)


def _of_each_label(posterior: Posterior, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the leave-one-out probability of each label."""
    if not len(scores):
        return np.empty(0)

    # Of many distinct scores some, between which probabilities are interpolated.
    distinct = np.unique(scores)
    if len(distinct) > MAX_SCORES:
        distinct = distinct[np.linspace(0, len(distinct) - 1, MAX_SCORES).astype(int)]

    # Without its label each draw has its weight over the probability of the label.
    log_weights = _log_weights(posterior.weights)
    positive = posterior.weighted_draws_of_labeled(distinct)
    tiny = np.finfo(float).tiny
    left_out = []
    for p in (1.0 - positive, positive):
        log_ratio = log_weights - np.log(np.maximum(p, tiny))
        left_out.append(np.exp(-special.logsumexp(log_ratio, axis=0)))
    of_negative, of_positive = (np.interp(scores, distinct, each) for each in left_out)
    return np.where(codes == 1, of_positive, of_negative)


def _log_weights(weights: np.ndarray) -> np.ndarray:
    """Return the logs of the weights of draws, some of which may be zero, (n_draws, 1)."""
    with np.errstate(divide="ignore"):
        return np.log(weights)[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class EProcess(FrozenArrays):
    """E-values of alternatives to a model."""

    # (n_shifts, n_parts), log e-value of each shift of each part of the scores
    log_e_values: np.ndarray

    @property
    def log_e_value(self) -> float:
        """Log of the mean e-value of all alternatives."""
        return float(special.logsumexp(self.log_e_values) - np.log(self.log_e_values.size))

    @property
    def model_weight(self) -> float:
        """Posterior probability of the model against the alternatives."""
        return float(special.expit(-np.log(PRIOR_ODDS) - self.log_e_value))


@dataclass(frozen=True, eq=False)
class LabelEProcess(EProcess):
    """E-values of alternatives to a model, given the labels."""

    # the half, "upper" or "lower", and the category of each other part
    others: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, posterior: Posterior) -> LabelEProcess:
        """Compute the e-values of all labels of a posterior's sample."""
        labeled = posterior.sample.labeled(MAX_LABELED)
        # Draws around a likelihood maximum are not a posterior, and give no e-value.
        if not labeled.n_cells or posterior.kind != "posterior":
            return cls(np.zeros((len(SHIFTS), 1 + len(SCORE_ENDS))))
        blocks = posterior.parts_of_draws(len(SHIFTS) * labeled.n_cells)
        parts = (posterior.labeled_probability(labeled.scores, block) for block in blocks)
        inside = parts_of_scores(posterior.sample, labeled.scores)
        return cls.placed(parts, posterior, labeled, inside)

    @classmethod
    def placed(
        cls,
        probabilities: Iterable[np.ndarray],
        posterior: Posterior,
        labeled: Any,
        inside: np.ndarray,
        others: Iterable[tuple[str, Any]] = (),
    ) -> LabelEProcess:
        """Compute the e-values of labels, given their probabilities.

        `probabilities` yields P(y = 1) block by block, (n_rows, n_labeled), for the draws of
        `posterior`; `labeled` has the counts `positive` and `negative`, (n_labeled,); `inside`
        (n_parts, n_labeled) tells which labels lie in each part: all, those between two
        `SCORE_ENDS`, and the `others`.
        """
        log_ratios = [np.empty((len(SHIFTS), 0, len(inside)))]
        for p in probabilities:
            log_odds = special.logit(np.clip(p, 1e-12, 1.0 - 1e-12))
            log_ratios.append(_log_ratios(log_odds, labeled.positive, labeled.negative, inside))
        log_ratio = np.concatenate(log_ratios, axis=1) + _log_weights(posterior.weights)
        return cls(special.logsumexp(log_ratio, axis=1), tuple(others))

    def reasons(self, score_direction: ScoreDirection) -> Iterator[Reason]:
        """Yield a reason if the e-value rejects the model."""
        e_value = float(np.exp(min(self.log_e_value, 700.0)))
        if e_value <= 1.0 / FALSE_ALARM:
            return

        # The alternative with the largest e-value, in words.
        shift, part = np.unravel_index(np.argmax(self.log_e_values), self.log_e_values.shape)
        details: dict[str, Any] = {"kind": "Fewer" if SHIFTS[shift] < 0.0 else "More"}
        part_in_words = "among all scores"
        if part > len(SCORE_ENDS):
            half, category = self.others[part - len(SCORE_ENDS) - 1]
            details |= {"half": half, "category": category}
            part_in_words = f"in the {half} half of {category!r}"
        elif part:
            first, last = (0.0, *SCORE_ENDS)[part - 1 : part + 1]
            details["ends"] = (first, last)
            highest = score_direction.word("highest")
            part_in_words = f"between the {highest} {first:.0%} and {last:.0%} of the scores"

        yield Reason(
            "labels_bet",
            "misfit",
            f"{details['kind']} items are positive {part_in_words} than the model predicts: if the "
            f"model is right, this occurs in at most one of {e_value:.3g} fits. Bands are too "
            "narrow there:",
            e_value,
            1.0 / FALSE_ALARM,
            remedy="check the labels, and label more of these items.",
            details=details,
        )


def _log_ratios(
    log_odds: np.ndarray, positive: np.ndarray, negative: np.ndarray, inside: np.ndarray
) -> np.ndarray:
    """Return the log likelihood ratio of each shift, (n_shifts, n_rows, n_parts).

    For log-odds (n_rows, n_labeled). A shift c adds g to the log likelihood of a positive label,
    and g - c to that of a negative one.
    """
    counts = positive + negative
    log_p = special.log_expit(log_odds)
    gains = [special.log_expit(log_odds + shift) - log_p for shift in SHIFTS]
    of_negatives = np.multiply.outer(SHIFTS, np.einsum("lj,j->l", inside, negative))
    return np.einsum("kij,lj->kil", gains, inside * counts) - of_negatives[:, np.newaxis]


def parts_of_scores(sample: ScoreSample, scores: np.ndarray) -> np.ndarray:
    """Return which scores lie in each part: all of them, and those between two `SCORE_ENDS`."""
    above = 1.0 - np.cumsum(sample.counts) / sample.counts.sum()
    share = above[np.searchsorted(sample.scores, scores, side="right") - 1]
    part = np.searchsorted(SCORE_ENDS, share, side="right")
    each = [part == k for k in range(len(SCORE_ENDS))]
    return np.array([np.ones(len(scores), dtype=bool), *each], dtype=float)


@dataclass(frozen=True, eq=False)
class ModelEProcess(EProcess):
    """E-processes of several alternatives to a model."""

    ends: np.ndarray  # (n_ends,); ranks at which parts of the pool end
    ties: np.ndarray  # (n_ties,); scores that form parts of their own
    largest: float = 0.0  # running maximum of the log of the mean e-process

    @classmethod
    def of(cls, scores: np.ndarray, counts: np.ndarray | None = None) -> ModelEProcess:
        """Divide a pool into parts, before any bet; `counts` are the items per score, or None."""
        n_items = len(scores) if counts is None else counts.sum()
        values, tie = np.unique(scores, return_inverse=True)
        counts = np.bincount(tie, counts)
        # Scores that many items share, the most frequent first.
        heavy = np.flatnonzero(counts > HEAVY_TIE * n_items)
        heavy = heavy[np.argsort(-counts[heavy], kind="stable")][:MAX_TIES]

        # The last part ends with the pool.
        ends = np.array(SCORE_ENDS[:-1]) * n_items
        n_parts = 2 + len(ends) + len(heavy)
        return cls(np.zeros((len(SHIFTS), n_parts)), ends, values[heavy])

    def after(
        self,
        probability: np.ndarray,
        weights: np.ndarray,
        labels: np.ndarray,
        scores: np.ndarray,
        ranks: np.ndarray,
    ) -> ModelEProcess:
        """Return the e-processes after the labels of a batch."""
        first = slice(MAX_AT_ONCE)
        inside = self._parts(scores[first], ranks[first])
        p = np.clip(np.asarray(probability[:, first], dtype=float), 1e-12, 1.0 - 1e-12)
        sign = np.where(labels[first] == 1, 1.0, -1.0)
        log_odds = sign * special.logit(p)
        predictive = special.log_expit(log_odds)
        log_weights = _log_weights(weights)

        # Only labels on which enough draws agree are bet on.
        used = _while_draws_agree(log_weights, predictive)
        log_odds = log_odds[:, used]
        predictive = predictive[:, used]
        sign = sign[used]
        inside = inside[:, used]

        # The likelihood of the model and of each alternative, over the draws.
        log_joint = log_weights + predictive.sum(axis=1, keepdims=True)
        log_model = special.logsumexp(log_joint)
        log_e_values = self.log_e_values.copy()
        for k, shift in enumerate(SHIFTS):
            gain = special.log_expit(log_odds + sign * shift) - predictive
            log_alternative = log_joint + np.einsum("ij,kj->ik", gain, inside)
            log_e_values[k] += special.logsumexp(log_alternative, axis=0) - log_model

        new = replace(self, log_e_values=log_e_values)
        return replace(new, largest=max(self.largest, new.log_e_value))

    def _parts(self, scores: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Return which items lie in each part, (n_parts, n_labels)."""
        rank_part = np.searchsorted(self.ends, ranks)
        bands = [rank_part == i for i in range(len(self.ends) + 1)]
        ties = [scores == value for value in self.ties]
        return np.array([np.ones(len(scores), dtype=bool), *bands, *ties], dtype=float)


def _while_draws_agree(log_weights: np.ndarray, predictive: np.ndarray) -> np.ndarray:
    """Return the labels to bet on: as long as enough draws agree with the earlier labels.

    This is predictable, so leaving out the rest keeps the e-process valid.
    """
    log_joint = log_weights + np.cumsum(predictive, axis=1)
    weights = special.softmax(log_joint, axis=0)
    ess = 1.0 / np.einsum("ij,ij->j", weights, weights)
    ess_before = 1.0 / np.exp(2.0 * log_weights).sum()
    enough = np.r_[True, ess[:-1] >= min(MIN_ESS, MIN_SHARE * ess_before)]
    return np.flatnonzero(np.cumprod(enough[: predictive.shape[1]]))
