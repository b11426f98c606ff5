"""Suspect labels: labeled items with a small leave-one-out probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from .._posterior import Posterior
from ..inputs._labels import BinaryLabels
from ..inputs._listed import listed
from ..inputs._score_direction import ScoreDirection
from ..results._verdict import Reason

__all__ = ["SuspectLabels"]

# A label is suspect if its leave-one-out probability is below this.
SUSPECT = 0.1
# Among many labels some are improbable by chance: report only more than expected, at this level.
MANY_LABELS = 0.5
# Maximum number named in a verdict.
MAX_NAMED = 5
# Above this number of labeled scores, interpolate the probabilities.
MAX_SCORES = 400


@dataclass(frozen=True, eq=False)
class SuspectLabels(FrozenArrays):
    r"""Suspect labels: improbable given the other labels, the least probable first.

    The leave-one-out probability of the label :math:`y_i` of an item is

    .. math:: p(y_i \mid y_{-i}) = 1 / E [ 1 / p(y_i \mid s_i, \theta) ] ,

    the mean over the posterior with all labels [1]_. Labels with a probability below 0.1 are kept
    and should be checked. Wrong labels are mostly among them, but not all of them are wrong.

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

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        scores,
        codes,
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
        # Under the model, labels below the limit occur with their own probability.
        least = np.minimum(probability, 1.0 - probability)
        found = np.flatnonzero(probability < SUSPECT)
        found = found[np.argsort(probability[found], kind="stable")]
        item = known[found]
        return cls(
            item,
            score_direction.flip(scores[item]),
            labels.decode(codes[item]),
            probability[found],
            float(least[least < SUSPECT].sum()),
        )

    def __len__(self) -> int:
        return len(self.item)

    def reasons(self):
        """Yield a remark that names the suspect labels, if there are more than expected.

        Their number is no test of the fit. With tied scores, either all labels of the rarer class
        at a score are suspect or none, and wrong labels mask each other.
        """
        # A sum of independent indicators has a lighter tail than this Poisson distribution.
        p_value = float(special.pdtrc(len(self) - 1, self.expected)) if len(self) else 1.0
        if p_value > MANY_LABELS:
            return
        columns = (part[:MAX_NAMED] for part in (self.label, self.score, self.probability))
        named = (
            f"{label!r} at score {score:.6g} ({probability:.1%})"
            for label, score, probability in zip(*(c.tolist() for c in columns), strict=True)
        )
        yield Reason(
            "suspect_labels",
            "ok",
            f"{len(self)} of the labels have a leave-one-out probability below {SUSPECT:.0%}: "
            f"{listed(named, len(self), MAX_NAMED)}. Check these labels (suspect_labels_): a "
            "wrong one biases every estimate.",
            p_value,
            MANY_LABELS,
        )

    def to_frame(self):
        """Return a pandas DataFrame with one row for each item."""
        import pandas as pd

        columns = {key: getattr(self, key) for key in ("item", "score", "label", "probability")}
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"SuspectLabels({len(self)} labels, {self.expected:.1f} expected)"


def _of_each_label(posterior, scores, codes) -> np.ndarray:
    """Return the leave-one-out probability of each label."""
    if not len(scores):
        return np.empty(0)
    distinct = np.unique(scores)
    if len(distinct) > MAX_SCORES:
        distinct = distinct[np.linspace(0, len(distinct) - 1, MAX_SCORES).astype(int)]
    # Draws may have weight zero.
    with np.errstate(divide="ignore"):
        log_weights = np.log(posterior.weights)
    parts = [posterior.labeled_probability(distinct, block) for block in posterior.blocks()]
    positive = np.concatenate(parts)
    tiny = np.finfo(float).tiny
    left_out = [
        np.exp(-special.logsumexp(log_weights[:, np.newaxis] - np.log(np.maximum(p, tiny)), axis=0))
        for p in (1.0 - positive, positive)
    ]
    return np.where(
        codes == 1,
        np.interp(scores, distinct, left_out[1]),
        np.interp(scores, distinct, left_out[0]),
    )
