"""Reports: lines of text, and self-contained HTML pages."""

# It registers its pages with `to_html` of the estimators.
from ._page import HtmlPage as HtmlPage
