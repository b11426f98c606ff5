"""Label models that count, and that take noisy labels as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..lists._ranked_lists import RankedLists
from ._label_model import LabelDraws, LabelModel, ranked_scores

# Added to every count, so that no rate is 0 or 1.
EXTRA = 0.5


@dataclass(frozen=True)
class CountsModel(LabelModel):
    r"""Eq. 13 of Nguyen et al. (2018) [1]_: :math:`P(z \mid s, y) \propto P(y \mid z) P(z \mid s)`.

    In each category :math:`P(y \mid z)` is counted on the verified items and :math:`P(z \mid s)` is
    a logistic regression fitted to them. If items are selected by their noisy label, the counted
    rates have selection bias, which more labels may increase. It is therefore meant for
    ``strategy="random"``; otherwise the verdict is "misfit". Its intervals ignore the uncertainty
    of the model.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active.label_models._simple_models import CountsModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
    >>> selector = ActiveTestSelector(
    ...     strategy="random", label_model=CountsModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(
    ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
    >>> items = selector.query(30)
    >>> selector = selector.update(items, data.labels[items])
    >>> selector.flip_rates_.shape  # of each category, positives missed and negatives called
    (3, 2)
    """

    name: ClassVar[str] = "counts"
    ignorable: ClassVar[bool] = False

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        assert ranked_lists.noisy is not None  # the model needs noisy labels
        score = ranked_scores(ranked_lists).mean(axis=1)
        probability = np.empty(ranked_lists.n_rows)
        for group in range(ranked_lists.n_groups):
            rows = np.flatnonzero(ranked_lists.group == group)
            noisy = ranked_lists.noisy[rows]
            labels = codes[rows]

            # Prior odds by the score, times the likelihood ratio of the noisy label.
            log_odds = special.logit(_by_score(score[rows], labels))
            for label, sign in ((1, 1.0), (0, -1.0)):
                noisy_of_class = noisy[labels == label]
                n_tagged = np.count_nonzero(noisy_of_class == 1)
                tag_rate = (n_tagged + EXTRA) / (len(noisy_of_class) + 2.0 * EXTRA)
                likelihood = np.where(noisy == 1, tag_rate, 1.0 - tag_rate)
                log_odds += sign * np.log(likelihood)
            probability[rows] = special.expit(log_odds)
        return LabelDraws(np.broadcast_to(probability, (n_draws, ranked_lists.n_rows)), codes)


def _by_score(score: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return P(z = 1 | score), by a logistic regression on the known labels."""
    # Imported here to keep the import of the package fast.
    from sklearn.linear_model import LogisticRegression

    known = codes >= 0
    if len(np.unique(codes[known])) < 2:
        n_positive = np.count_nonzero(codes == 1)
        n_known = np.count_nonzero(known)
        share = (n_positive + EXTRA) / (n_known + 2.0 * EXTRA)
        return np.full(len(score), share)
    model = LogisticRegression().fit(score[known, np.newaxis], codes[known])
    return model.predict_proba(score[:, np.newaxis])[:, 1]


@dataclass(frozen=True)
class NaiveModel(LabelModel):
    """Noisy labels used as true ones (eq. 4 of Nguyen, Ramanan and Fowlkes, 2018).

    Its intervals have no width, as it has no uncertainty. Every selector with noisy labels also has
    this estimate, as `naive_estimate_`.

    .. versionadded:: 0.1

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active.label_models._simple_models import NaiveModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
    >>> selector = ActiveTestSelector(label_model=NaiveModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(
    ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
    >>> bool(abs(selector.estimate_.value - selector.naive_estimate_) < 1e-12)
    True
    """

    name: ClassVar[str] = "naive"

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        assert ranked_lists.noisy is not None  # the model needs noisy labels
        probability = ranked_lists.noisy * 1.0
        return LabelDraws(np.broadcast_to(probability, (n_draws, ranked_lists.n_rows)), codes)
