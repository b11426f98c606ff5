"""What shows a fitted estimator as a page: the room of pages, further up, enters it here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

__all__ = ["PAGES", "Page", "bundle_of", "fragment_of", "page_of"]


class Page(ABC):
    """A way to show a fitted performance estimator."""

    @abstractmethod
    def whole(self, performance, path, **asked) -> str | None:
        """Return all that is known of it as a page, or write that into a file.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
        path : str, Path or None
        **asked
            As `PerformanceCurveEstimator.to_html` takes it.
        """

    @abstractmethod
    def fragment(self, performance) -> str:
        """Return the little that takes no time, to be shown within another page."""


# By the kind of text. A room that is imported with the package enters what it has.
PAGES: dict[str, Page] = {}


def page_of(performance, path, **asked) -> str | None:
    """Return a fitted estimator as a page, or write that into a file."""
    check_is_fitted(performance, "posterior_")
    return PAGES["html"].whole(performance, path, **asked)


def fragment_of(performance, diagram):
    """Return what shows an estimator in a notebook: a function, as scikit-learn's `_repr_html_`.

    Parameters
    ----------
    performance : PerformanceCurveEstimator
    diagram : callable
        Returns what scikit-learn shows of it; not called after a fit, as it would ask for all
        attributes, whatever time these take.
    """
    try:
        check_is_fitted(performance, "posterior_")
    except NotFittedError:
        return diagram
    return partial(PAGES["html"].fragment, performance)


def bundle_of(performance) -> dict[str, str]:
    """Return what shows an estimator in a notebook, by the kind of text."""
    bundle = {"text/plain": repr(performance)}
    # There is none if scikit-learn is set to display text.
    html = getattr(performance, "_repr_html_", None)
    return bundle if html is None else {**bundle, "text/html": html()}
