"""Link from estimators to the online documentation."""

__all__ = ["DocumentationLink"]

DOCUMENTATION = "https://sklearn-spe.readthedocs.io/en/latest"


class DocumentationLink:
    """Mixin of estimators whose HTML representation links to their page."""

    _doc_link_module = "sklearn_spe"
    _doc_link_template = f"{DOCUMENTATION}/generated/sklearn_spe.{{estimator_name}}.html"
