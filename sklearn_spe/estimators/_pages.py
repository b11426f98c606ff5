"""Registry of HTML pages of fitted estimators, filled by the report package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted


class Page(ABC):
    """HTML representation of a fitted performance estimator."""

    @abstractmethod
    def whole(self, performance, path, **asked) -> str | None:
        """Return the full page, or write it to a file; `asked` is as in `to_html`."""

    @abstractmethod
    def fragment(self, performance) -> str:
        """Return a quick summary, for display within another page."""


# Pages by MIME type, registered on import of the report package.
PAGES: dict[str, Page] = {}


def page_of(performance, path, **asked) -> str | None:
    """Return the page of a fitted estimator, or write it to a file."""
    check_is_fitted(performance, "posterior_")
    return PAGES["html"].whole(performance, path, **asked)


def fragment_of(performance, diagram):
    """Return the `_repr_html_` function of an estimator, as scikit-learn's.

    `diagram` returns scikit-learn's own representation; it is not called after a fit, as it would
    evaluate all attributes, including slow ones.
    """
    try:
        check_is_fitted(performance, "posterior_")
    except NotFittedError:
        return diagram
    return partial(PAGES["html"].fragment, performance)


def bundle_of(performance) -> dict[str, str]:
    """Return the notebook representations of an estimator by MIME type."""
    bundle = {"text/plain": repr(performance)}
    # Empty if scikit-learn is configured to display text.
    html = getattr(performance, "_repr_html_", None)
    return bundle if html is None else {**bundle, "text/html": html()}
