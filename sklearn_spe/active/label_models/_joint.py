"""A regression of labels on scores and noisy labels, on all items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ...results._verdict import Reason
from ..lists._items import members_of
from ._features import normal_scores, ranked_scores
from ._label_draws import LabelDraws
from ._label_model import LabelModel
from ._noisy_regression import CoefficientPrior, Rows, draw_coefficients

__all__ = ["JointModel"]

# Knots at which the slope of the score may change, as normal quantiles.
KNOTS, NOISE_KNOTS = np.array([-1.5, -0.75, 0.0, 0.75, 1.5, 2.25]), np.array([0.0, 0.75, 1.5])
# The same for categories with many rows, and the number of rows that are many.
MORE_KNOTS, MORE_NOISE_KNOTS = np.arange(-1.5, 3.1, 0.375), np.arange(-0.75, 2.3, 0.75)
MANY = 500
# Number of draws of the coefficients: fewer are subsampled from them, and more reuse each several
# times. Few rows are fast, and have more.
SWEEPS, MAX_WORK = (200, 400), 800_000
# The information of noisy labels without verified ones depends on the form of the model: they count
# for at most so many rows of each category.
MAX_TRUSTED = 1000.0
# Above this number of rows, neighboring scores are merged into so many cells of all categories
# together.
MAX_ROWS, N_CELLS = 8_000, 2_000
# Prior mean, scale and spread between categories, of the intercept, the slope of the score, its
# changes at knots, differences between systems, side features, the score within its category, and
# of the noise: true and false tags.
INTERCEPT, SLOPE, CHANGE = (0.0, 2.0, 1.0), (1.5, 2.0, 0.5), (0.0, 1.0, 0.15)
SYSTEM, FEATURE, WITHIN = (0.0, 1.5, 0.3), (0.0, 1.0, 0.2), (0.5, 1.5, 0.2)
TRUE_TAG, FALSE_TAG, NOISE_SLOPE = (0.5, 1.5, 0.5), (-2.0, 1.5, 0.5), (0.0, 0.7, 0.15)


@dataclass(frozen=True)
class JointModel(LabelModel):
    r"""Joint regression of labels and noisy labels on the score, with all items.

    For an item of category c with the score s, a normal score of its rank,

    .. math:: \operatorname{logit} P(z = 1 \mid s) = \alpha_c + \beta_c s + \text{changes of
        slope} , \quad \operatorname{logit} P(y = 1 \mid z, s) = \rho_{z,c} + \gamma_{z,c} s ,

    so that eq. 13 of [1]_ gives :math:`P(z \mid s, y)`. With V the verified items, the log
    likelihood of the coefficients is

    .. math:: \sum_{i \in V} \log P(z_i \mid s_i, y_i) + \lambda \sum_i \log P(y_i \mid s_i) ,

    which is the full likelihood at :math:`\lambda = 1`. Unlike flip rates counted on verified
    items, it is not biased by the selection of items by their noisy label, for any :math:`\lambda`.
    The information on labels in the second sum depends on the form of the model: it is limited to
    that of 1,000 items per category. Categories are partially pooled.

    It is the default with `features` too. Without noisy labels it is a logistic regression with
    strong pooling of categories and systems: the verdict is then "misfit" if there are several. If
    requested by name it needs noisy labels.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    Users name few of the tags of a photo, and the model corrects for it.

    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import JointModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(100, 3, prevalence=0.2, random_state=0)
    >>> selector = ActiveTestSelector(label_model=JointModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(
    ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
    >>> items = selector.query(30)
    >>> selector = selector.update(items, data.labels[items])
    >>> bool(selector.estimate_.value > selector.naive_estimate_)
    True
    """

    name: ClassVar[str] = "joint"

    def learn(self, ranked_lists, codes, n_draws, rng):
        x, w, prior = _features(ranked_lists)
        noisy = (
            np.full(ranked_lists.n_rows, -1) if ranked_lists.noisy is None else ranked_lists.noisy
        )
        rows = _rows(ranked_lists, x, w, codes, noisy)
        n_sweeps = int(np.clip(MAX_WORK // max(len(rows.count), 1), *SWEEPS))
        theta = draw_coefficients(rows, prior, n_sweeps, rng)
        theta = theta[np.arange(n_draws) * n_sweeps // n_draws]
        probability = _probability(ranked_lists.group, x, w, noisy, theta)
        return LabelDraws(probability, codes, reasons=tuple(_reasons(ranked_lists)))


def _reasons(ranked_lists):
    """Yield reasons against a single regression of all rows."""
    n_parts = ranked_lists.n_groups * ranked_lists.scores.shape[1]
    if ranked_lists.noisy is None and n_parts > 1:
        yield Reason(
            "pooled_parts",
            "misfit",
            "Without noisy labels one regression of all categories and systems shrinks their "
            "differences: intervals of each undercover where they differ. Use "
            "label_model='shared_curves', which does not use features, or fit them separately.",
            float(n_parts),
            1.0,
        )


def _features(ranked_lists):
    """Return features of labels and of the noise, and the prior of their coefficients."""
    within, n = ranked_scores(ranked_lists), ranked_lists.n_rows
    each = np.stack([normal_scores(column) for column in ranked_lists.scores.T], axis=1)
    score = normal_scores(each.mean(axis=1))
    many = n >= MANY * ranked_lists.n_groups
    knots, noise_knots = (MORE_KNOTS, MORE_NOISE_KNOTS) if many else (KNOTS, NOISE_KNOTS)
    hinges = np.maximum(score[:, np.newaxis] - knots, 0.0)
    columns, distributions = [np.ones((n, 1)), score[:, np.newaxis], hinges], [INTERCEPT, SLOPE]
    distributions += [CHANGE] * len(knots)
    # Noisy labels may be biased to one of the systems, or be less reliable for some items.
    others = []
    if each.shape[1] > 1:
        others.append(each - each.mean(axis=1, keepdims=True))
        distributions += [SYSTEM] * each.shape[1]
    if ranked_lists.features is not None:
        centred = ranked_lists.features - ranked_lists.features.mean(axis=0)
        others.append(centred / np.maximum(centred.std(axis=0), 1e-12))
        distributions += [FEATURE] * ranked_lists.features.shape[1]
    columns += others
    if ranked_lists.n_groups > 1:
        # Categories may have different scores scales: then ranks within each matter.
        columns.append(within.mean(axis=1)[:, np.newaxis])
        distributions.append(WITHIN)
    slopes = [NOISE_SLOPE] * (1 + len(noise_knots) + sum(part.shape[1] for part in others))
    distributions += [TRUE_TAG, *slopes, FALSE_TAG, *slopes]
    w = [np.ones((n, 1)), score[:, np.newaxis]]
    w += [np.maximum(score[:, np.newaxis] - noise_knots, 0.0), *others]
    return (
        np.concatenate(columns, axis=1),
        np.concatenate(w, axis=1),
        CoefficientPrior(*np.array(distributions).T),
    )


def _rows(ranked_lists, x, w, codes, noisy) -> Rows:
    """Return the observed rows, with neighboring scores merged."""
    known = np.flatnonzero(codes >= 0)
    trust = min(1.0, MAX_TRUSTED * ranked_lists.n_groups / ranked_lists.n_rows)
    # The information of noisy labels alone, and of labels given noisy ones: verified items, which
    # may be selected by their noisy labels, are treated as the others are.
    entry = np.r_[np.arange(ranked_lists.n_rows), known]
    label = np.r_[codes, np.full(len(known), -1)]
    count = np.r_[np.where(codes < 0, trust, 1.0), np.full(len(known), trust - 1.0)]
    group = ranked_lists.group[entry]
    if (
        ranked_lists.n_rows <= MAX_ROWS
        or ranked_lists.features is not None
        or ranked_lists.scores.shape[1] > 1
    ):
        kept = np.lexsort((x[entry, 1], noisy[entry], group))
        kept = kept[count[kept] != 0.0]
        is_known = (label[kept] >= 0) | (count[kept] < 0.0)
        # Every n-th of so many neighbors represents all of them.
        step = max(1, len(kept) // MAX_ROWS)
        among = is_known | (np.cumsum(~is_known) % step == 0)
        count = np.where((label < 0) & (count > 0.0), count * step, count)
        kept = kept[among]
        entry = entry[kept]
        return Rows(
            x[entry],
            w[entry],
            group[kept],
            label[kept],
            noisy[entry],
            count[kept],
            ranked_lists.n_groups,
        )
    # The score is the second feature.
    n_cells = max(N_CELLS // ranked_lists.n_groups, 50)
    cell = np.searchsorted(np.quantile(x[:, 1], np.arange(1, n_cells) / n_cells), x[:, 1])
    key = ((group * 3 + noisy[entry] + 1) * 3 + label + 1) * n_cells + cell[entry]
    _, first, row, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    x, w = (
        np.stack([np.bincount(row, column[entry]) for column in part.T], axis=1)
        / size[:, np.newaxis]
        for part in (x, w)
    )
    count = np.bincount(row, count)
    return Rows(x, w, group[first], label[first], noisy[entry][first], count, ranked_lists.n_groups)


def _probability(group, x, w, noisy, theta) -> np.ndarray:
    """Return P(z = 1 | score, noisy label) of each row in each draw, by eq. 13."""
    # Half the precision and size: labels are drawn from it, no more.
    probability = np.empty((len(theta), len(group)), dtype=np.float32)
    dx, dw = x.shape[1], w.shape[1]
    sign = np.where(noisy >= 0, 2.0 * noisy - 1.0, 0.0)
    for number, own in enumerate(members_of(group, theta.shape[1])):
        coefficients = theta[:, number]
        odds = np.einsum("ij,kj->ki", x[own], coefficients[:, :dx])
        right = np.einsum("ij,kj->ki", w[own], coefficients[:, dx : dx + dw])
        wrong = np.einsum("ij,kj->ki", w[own], coefficients[:, dx + dw :])
        s = sign[own]
        odds += special.log_expit(s * right) - special.log_expit(s * wrong)
        probability[:, own] = special.expit(odds)
    return probability
