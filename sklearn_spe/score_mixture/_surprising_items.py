"""Labelled items that surprise: what the other labels would have expected of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from .._posterior import Posterior
from ..inputs._labels import BinaryLabels
from ..inputs._listed import listed
from ..inputs._orientation import Orientation
from ..results._verdict import Reason

__all__ = ["SurprisingItems"]

# A label surprises if the others give it less than this probability.
SURPRISING = 0.1
# Among many labels some are improbable: as many as expected, or fewer, are not worth a word.
MANY_LABELS = 0.5
# So many are named in a verdict.
MOST_NAMED = 5
# More labelled scores than these are looked up between neighbours.
MOST_SCORES = 400


@dataclass(frozen=True, eq=False)
class SurprisingItems(FrozenArrays):
    r"""Labelled items whose labels the others do not expect, the most surprising first.

    Of each labelled item the probability of its label :math:`y_i`, had it not been seen, is

    .. math:: p(y_i \mid y_{-i}) = 1 / E [ 1 / p(y_i \mid s_i, \theta) ] ,

    the mean over the posterior with all labels [1]_. Those below 0.1 are kept: labels to be
    looked at once more. A wrong label is mostly among them, and not all of them are wrong.

    Attributes
    ----------
    item : ndarray of shape (n_items,), of int
        Rows of X.
    score : ndarray of shape (n_items,)
        On the user's scale.
    label : ndarray of shape (n_items,)
        As it was given.
    probability : ndarray of shape (n_items,)
        That the other labels give it, rising, in (0, 0.1).
    expected : float
        How many such labels there would be if the model were right.

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
    >>> bool(performance.surprising_items_.item[0] == wrong)
    True
    """

    item: np.ndarray
    score: np.ndarray
    label: np.ndarray
    probability: np.ndarray
    expected: float

    @classmethod
    def of(
        cls, posterior: Posterior, scores, codes, labels: BinaryLabels, orientation: Orientation
    ) -> SurprisingItems:
        """Find them among rows.

        Parameters
        ----------
        posterior : Posterior
        scores : ndarray of shape (n_samples,)
            Larger for positives.
        codes : ndarray of shape (n_samples,)
            1, 0, or -1 where there is no label.
        labels : BinaryLabels
        orientation : Orientation
        """
        known = np.flatnonzero(codes >= 0)
        probability = _of_each_label(posterior, scores[known], codes[known])
        # Were the model right, a label below the limit would come about as often as it says.
        least = np.minimum(probability, 1.0 - probability)
        found = np.flatnonzero(probability < SURPRISING)
        found = found[np.argsort(probability[found], kind="stable")]
        item = known[found]
        return cls(
            item,
            orientation.turn(scores[item]),
            labels.decode(codes[item]),
            probability[found],
            float(least[least < SURPRISING].sum()),
        )

    def __len__(self) -> int:
        return len(self.item)

    def reasons(self):
        """Yield what they say of a fit: a remark.

        How many there are is no test of the fit. Where scores tie, as verdicts do, all labels of
        the rarer class at a score surprise or none, and one wrong label hides another.
        """
        # The sum of independent labels has a lighter tail than this Poisson law.
        p_value = float(special.pdtrc(len(self) - 1, self.expected)) if len(self) else 1.0
        if p_value > MANY_LABELS:
            return
        columns = (part[:MOST_NAMED] for part in (self.label, self.score, self.probability))
        named = (
            f"{label!r} at score {score:.6g} ({probability:.1%})"
            for label, score, probability in zip(*(c.tolist() for c in columns), strict=True)
        )
        yield Reason(
            "surprising_items",
            "ok",
            f"{len(self)} of the labels are such that the others give them a probability below "
            f"{SURPRISING:.0%}: {listed(named, len(self), MOST_NAMED)}. Look at these labels "
            f"once more (surprising_items_): a wrong one moves every estimate.",
            p_value,
            MANY_LABELS,
        )

    def to_frame(self):
        """Return a pandas DataFrame, one row an item."""
        import pandas as pd

        columns = {key: getattr(self, key) for key in ("item", "score", "label", "probability")}
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"SurprisingItems({len(self)} labels, {self.expected:.1f} expected)"


def _of_each_label(posterior, scores, codes) -> np.ndarray:
    """Return the probability that the other labels give to each label."""
    if not len(scores):
        return np.empty(0)
    distinct = np.unique(scores)
    if len(distinct) > MOST_SCORES:
        distinct = distinct[np.linspace(0, len(distinct) - 1, MOST_SCORES).astype(int)]
    # A draw may weigh nothing.
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
