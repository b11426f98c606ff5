"""Noisy labels, categories or several systems, while items are being vetted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...curves._question import Question
from ...inputs._labels import BinaryLabels
from ...inputs._random_state import spawn
from ...metrics._division import ratio
from ...results._verdict import Reason
from ..boards._board import Board
from ..boards._board_information import BoardInformation
from ..boards._items import BoardItems, members_of
from ..design._combined import estimate_of_design
from ..design._model_check import ModelCheck
from ..label_models._label_draws import LabelDraws
from ..label_models._label_model import LabelModel
from ..strategies._pool import Pool, ranks_from_top
from ._board_estimates import BoardEstimates
from ._history import summary
from ._query_log import QueryLog
from ._session import Session

__all__ = ["BoardSession", "Settings", "has_design", "ratio_terms"]

# Places in the tree of seeds: of what the model draws, of labels given that, and of what is made
# of scores.
MODELS, LABELS, SCORES = 11, 12, 13
# No more numbers than these are held for all draws and entries; no fewer draws are made.
MOST_NUMBERS, LEAST_DRAWS = 10_000_000, 60
# Draws that gains are computed from: fewer where there are many entries.
MOST_GAINS, INFORMATION_DRAWS = 1_000_000, (25, 100)


@dataclass(frozen=True)
class Settings:
    """What a user wants of a session.

    Attributes
    ----------
    interval : str
    confidence_level : float
    n_draws : int
    seed : int
    is_random : bool
        Whether items are chosen at random.
    """

    interval: str = "posterior"
    confidence_level: float = 0.9
    n_draws: int = 300
    seed: int = 0
    is_random: bool = False


class BoardSession(Session):
    """A session whose model is of the labels of a board.

    Attributes
    ----------
    board : Board
    items : BoardItems
    label_model : LabelModel
    label_draws : LabelDraws
        What the model says of every entry.
    """

    def __init__(
        self,
        question: Question,
        board: Board,
        items: BoardItems,
        label_model: LabelModel,
        labels: BinaryLabels,
        settings: Settings,
    ):
        self.question, self.board, self.items = question, board, items
        self.label_model, self.labels, self.settings = label_model, labels, settings
        self._prepared = None
        self.interval, self.seed = settings.interval, settings.seed
        self.confidence_level = settings.confidence_level
        n_models = board.scores.shape[1] if label_model.judges_alone else 1
        most = MOST_NUMBERS // max(n_models * board.n_entries, 1)
        self.n_draws = int(np.clip(most, LEAST_DRAWS, settings.n_draws))
        group = items.groups(board.group)
        own = group if board.n_groups > 1 else None
        self.category = own if items.category is None else items.category
        self.scores = items.means(_one_score(board))
        self.ranks = _ranks(self.scores, group, board.n_groups)
        self.terms = ratio_terms(question, board, items.above)
        # The k highest are all that such a ratio counts.
        of_k = self.terms is not None and items.above is None
        self.above = np.ones(len(items.places), dtype=bool) if of_k else items.above
        self.query_log = QueryLog(items.codes, self.above, self.terms)
        self.model_check = ModelCheck.of(self.scores)
        self._fit()
        self.first_probability = self.probability
        self._begin()

    @property
    def places(self):
        return self.items.places

    @property
    def n_rows(self):
        return self.items.n_rows

    @property
    def given(self):
        return self.items.given

    # How many kinds of answers there must be before labels, and not the model's form, say anything.
    n_kinds = 2

    # --- entries and items ----------------------------------------------------------------------

    @property
    def codes(self) -> np.ndarray:
        """The labels of entries, (n_entries,)."""
        return self.query_log.codes

    @property
    def probability(self):
        return self.items.means(self.label_draws.mean)

    def with_draws(self, n_draws):
        other = self.copy()
        other.n_draws = min(n_draws, self.n_draws)
        return other

    def simulated_labels(self, rng):
        row = int(rng.integers(self.label_draws.n_draws))
        return self.label_draws.labels(slice(row, row + 1), rng)[0].astype(int)

    def pool(self, strategy):
        information = change = None
        if "information" in strategy.needs:
            n_draws = int(np.clip(MOST_GAINS // self.board.n_entries, *INFORMATION_DRAWS))
            step = max(1, self.label_draws.n_draws // n_draws)
            draws = self.label_draws.completed(slice(None, None, step))
            information = BoardInformation.of(self.board, draws, self.items.item)
            for item in self.query_log.pending:
                information = information.after(int(item))
        if "change" in strategy.needs:
            change = self.items.sums(self._change())
        return Pool(
            self.scores,
            self.query_log.codes,
            self.query_log.free,
            self.ranks,
            probability=self.probability,
            before=self.first_probability,
            category=self.category,
            above=self.above,
            terms=self.terms,
            information=information,
            cells=np.arange(len(self.scores)),
            change=change,
        )

    # --- the model ------------------------------------------------------------------------------

    @property
    def label_draws(self) -> LabelDraws:
        """What the model says of every entry; a pickle does not hold it."""
        if self._label_draws is None:
            self._fit()
        return self._label_draws

    def __getstate__(self):
        state = vars(self).copy()
        if state["_foresight"] is state["_label_draws"]:
            state["_foresight"] = None
        return {**state, "_label_draws": None, "_drawn": None, "_prepared": None}

    @property
    def foresight(self):
        return self.label_draws

    def _fit(self):
        rng = spawn(self.seed, MODELS, self.query_log.n_updates)
        if self._prepared is None:
            begin = spawn(self.seed, SCORES)
            self._prepared = self.label_model.prepared(self.board, self.settings.n_draws, begin)
        self._label_draws = self._prepared.learn(self.board, self.codes, self.n_draws, rng)
        self._drawn = None

    def _learn(self, labels):
        self.labels = labels
        self._fit()

    def _change(self):
        """Return how far each label is expected to move the lists, summed over them."""
        p = self.label_draws.mean
        return 2.0 * p * (1.0 - p) * self.board.slopes(p)

    def _foreseen(self, foresight, items):
        n = foresight.n_draws
        return foresight.probability[:, items], np.full(n, 1.0 / n)

    def _model_reasons(self):
        reasons = self.label_model.reasons(self.settings.is_random and not self.chosen)
        reasons += self.label_draws.reasons
        if not self.is_identified:
            text = (
                "Both classes have not been vetted yet: what is said rests on the form of the "
                "model, and on noisy labels if there are any. Vet more items."
            )
            n_labels = float(self.query_log.n_labels)
            reasons.append(Reason("few_labels", "unidentified", text, n_labels, 1.0))
        return reasons

    @property
    def is_identified(self):
        vetted = self.query_log.codes[self.query_log.codes >= 0]
        return len(np.unique(vetted)) >= self.n_kinds or not (self.query_log.codes < 0).any()

    # --- estimates ------------------------------------------------------------------------------

    def _arms(self):
        return self.estimates.overall(), self._design(), _of_systems(self.naive_estimate())

    @property
    def estimates(self) -> BoardEstimates:
        """What drawn labels say; a pickle does not hold it."""
        if self._drawn is None:
            rng = spawn(self.seed, LABELS, self.query_log.n_updates)
            values = self.board.drawn_values(
                lambda rows: self.label_draws.labels_by_system(rows, rng), self.label_draws.n_draws
            )
            name, level = self.question.name, self.confidence_level
            self._drawn = BoardEstimates(self.board, values, name, level)
        return self._drawn

    def _design(self):
        if not has_design(self.question, self.board, self.terms):
            return None
        recalls, scores = None, self.board.scores[:, 0]
        return estimate_of_design(
            self.question,
            self.query_log.design,
            scores,
            self.terms,
            recalls,
            self.seed,
            self.confidence_level,
        )

    def naive_estimate(self):
        """Return the metric with noisy labels where there are no others, (n_systems,)."""
        if self.board.noisy is None:
            return self.vetted_estimate()
        labels = np.where(self.codes < 0, self.board.noisy, self.codes)
        return self.board.mean(self.board.values(labels[np.newaxis]))[0]

    def vetted_values(self) -> np.ndarray:
        """Return the metric of each list with its vetted entries alone, (n_lists,)."""
        known = (self.codes >= 0).astype(float)
        labels = np.maximum(self.codes, 0)[np.newaxis]
        return self.board.values(labels, known)[0]

    @property
    def _has_vetted(self) -> np.ndarray:
        """Which lists have a vetted item, (n_lists,)."""
        vetted = (self.items.item >= 0) & (self.codes >= 0)
        return np.array([vetted[ranked.entries].any() for ranked in self.board.lists])

    @property
    def n_unvetted_lists(self) -> int:
        return int(np.count_nonzero(~self._has_vetted))

    def vetted_estimate(self):
        """Return the metric of vetted items alone, (n_systems,); NaN if a list has none."""
        means = self.board.mean(self.vetted_values()[np.newaxis])[0]
        means[np.unique(self.board.system[~self._has_vetted])] = np.nan
        return means

    def flip_rates(self) -> np.ndarray:
        """Return the shares of positives missed, and of negatives called, (n_groups, 2)."""
        board, z = self.board, self.label_draws.mean
        if board.noisy is None:
            return np.full((board.n_groups, 2), np.nan)
        wrong = np.stack([z * (1 - board.noisy), (1 - z) * board.noisy])
        of = np.stack([z, 1 - z])
        sums = [
            [np.bincount(board.group, row, board.n_groups) for row in rows] for rows in (wrong, of)
        ]
        return ratio(*np.array(sums)).T

    def order_probability(self):
        return self.estimates.order_probability()

    def _with_labels_only(self, new):
        means = [
            self.board.each_system(draws.means(), 1)
            for draws in (self.label_draws, self.label_draws.with_codes(new.codes))
        ]
        values = [
            ranked.expected(mean[[ranked.system]])[0][0]
            for mean in means
            for ranked in self.board.lists
        ]
        old, known = np.reshape(values, (2, -1))
        moved = (known - old)[np.isfinite(known - old)]
        return summary(self.model)[0] + (float(moved.mean()) if len(moved) else 0.0)


def ratio_terms(question: Question, board: Board, above):
    """Return the terms of the metric, if the mean over lists is one ratio of sums; else None."""
    if question.metric.decides:
        # Lists hold what is called positive.
        terms = [question.terms(np.ones(len(ranked.entries), bool)) for ranked in board.lists]
        return None if board.n_systems > 1 or None in terms else terms[0]
    return question.terms(above) if len(board.lists) == 1 else None


def has_design(question: Question, board: Board, terms) -> bool:
    """Return whether the labels of a design answer by themselves, given `ratio_terms`."""
    return terms is not None or (len(board.lists) == 1 and question.is_ranking)


def _of_systems(values):
    """Return a number if there is one system, else the array of theirs."""
    return float(values[0]) if len(values) == 1 else values


def _one_score(board) -> np.ndarray:
    """Return one score an item: that of the system, or the mean of their ranks."""
    if board.scores.shape[1] == 1:
        return board.scores[:, 0]
    return -np.mean([ranks_from_top(column) for column in board.scores.T], axis=0)


def _ranks(scores, group, n_groups) -> np.ndarray:
    """Return ranks among the items of each category."""
    ranks = np.empty(len(scores))
    for own in members_of(group, n_groups):
        ranks[own] = ranks_from_top(scores[own])
    return ranks
