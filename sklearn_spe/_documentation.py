"""Where the documentation is: estimators link to their page from notebooks."""

__all__ = ["DocumentationLink"]

DOCUMENTATION = "https://sklearn-spe.readthedocs.io/en/latest"


class DocumentationLink:
    """Mixin of estimators whose HTML representation links to their page."""

    _doc_link_module = "sklearn_spe"
    _doc_link_template = f"{DOCUMENTATION}/generated/sklearn_spe.{{estimator_name}}.html"
