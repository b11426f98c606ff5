"""What can be asked of noisy labels, categories and several systems."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..exceptions import UnvettedWarning
from ..inputs._numbers import check_count
from ..results._bands import CurveBand, ScalarEstimate
from .sessions._board_estimates import BoardEstimates
from .sessions._session import Session

__all__ = ["ListQuestions"]


class ListQuestions:
    """Mixin of `ActiveTestSelector`: the three estimators, categories, and who is better."""

    average: str
    categories_: np.ndarray | None
    _session: Session

    @property
    def vetted_estimate_(self):
        """The metric of the vetted items alone, as if they were all.

        A float, or an array of shape (n_systems,) of several systems. It is right if items were
        vetted at random. Averaged over categories it is NaN, with an `UnvettedWarning`, as long
        as a category has no vetted item.
        """
        check_is_fitted(self, "estimate_")
        model = self._session.model
        n_empty, n_lists = model.unvetted_lists
        if n_empty:
            warnings.warn(
                f"{n_empty} of {n_lists} lists have no vetted item, and what is "
                f"averaged over vetted items alone is not known (NaN, not 0). Vet some of each, "
                f"or look at estimate_.",
                UnvettedWarning,
                stacklevel=2,
            )
        return model.vetted_estimate()

    def by_category(self, system: int = 0) -> CurveBand:
        """Return the estimate of each category.

        Parameters
        ----------
        system : int, default=0
            Whose, if there are several.

        Returns
        -------
        band : CurveBand
            ``band.x`` are the places of the categories in `categories_`, ``band.value`` the
            estimates and ``band.interval()`` their intervals.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_noisy_tags
        >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
        >>> selector = ActiveTestSelector(n_draws=40, random_state=0).fit(
        ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
        >>> selector.by_category().value.shape
        (3,)
        """
        lists = self._lists("by_category")
        if self.average == "micro":
            raise ValueError("average='micro' takes all items for one pool; use average='macro'.")
        return lists.by_category(self._system(system))

    def category_frame(self, system: int = 0):
        """Return a pandas DataFrame of :meth:`by_category`, one row a category, with its name."""
        import pandas as pd

        band = self.by_category(system)
        low, high = band.interval()
        names = [None] if self.categories_ is None else self.categories_
        columns = {"category": names, "estimate": band.value, "low": low, "high": high}
        return pd.DataFrame(columns)

    def difference(self, first: int, second: int) -> ScalarEstimate:
        """Return by how much one system is better than another, with its band.

        Both are judged by the same labels: the band is narrower than two bands side by side.

        Parameters
        ----------
        first, second : int
            Columns of X, or numbers of systems.

        Returns
        -------
        difference : ScalarEstimate
            Above zero if the first is better.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(500, random_state=0)
        >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(500)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=40, random_state=0)
        >>> selector = selector.fit(np.column_stack([scores, worse]), truth)  # all labels
        >>> bool(selector.difference(0, 1).value > 0.0)
        True
        """
        lists = self._lists("difference")
        return lists.difference(self._system(first), self._system(second))

    @property
    def ranking_proba_(self) -> np.ndarray:
        """How probable it is that one system is better than another, (n_systems, n_systems).

        Entry [i, j] is that system i is better than system j; ties count half.
        """
        lists = self._lists("ranking_proba_")
        if lists.board.n_systems == 1:
            raise AttributeError("ranking_proba_ is there with several systems.")
        return lists.ranking_proba()

    @property
    def order_proba_(self) -> float:
        """How probable it is that all systems are in the order of their estimates."""
        probability = self._lists("order_proba_").order_probability()
        if probability is None:
            raise AttributeError("order_proba_ is there with several systems.")
        return probability

    @property
    def flip_rates_(self) -> np.ndarray:
        """How often noisy labels are expected to be wrong, of shape (n_categories, 2).

        Of the items that stand in a list: of positives, the share that the noisy labels miss,
        and of negatives, the share that they call positive; NaN where a category has none, or
        there are no noisy labels.
        """
        return self._lists("flip_rates_").flip_rates()

    def _lists(self, what: str) -> BoardEstimates:
        check_is_fitted(self, "estimate_")
        lists = self._session.model.lists
        if lists is None:
            raise AttributeError(
                f"{what} is there with noisy labels, categories or several systems; this selector "
                f"was fitted to one pool of scores."
            )
        return lists

    def _system(self, system) -> int:
        n_systems = self._lists("system").board.n_systems
        check_count(system, "system", 0)
        if system >= n_systems:
            raise ValueError(f"system must lie between 0 and {n_systems - 1}, got {system}.")
        return int(system)
