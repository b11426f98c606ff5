"""Registry of families by name: a new one costs one file and one entry here."""

from __future__ import annotations

from collections.abc import Iterable

from . import _half_line, _loggamma, _norm_mixture, _real_line
from ._family import Family

# In section 4.2 of the 2013 paper one of these was always among the three best families.
AUTO = ("truncnorm", "gamma")

FAMILIES = {
    family.name: family
    for family in (
        _half_line.TruncNorm,
        _half_line.TruncT,
        _half_line.Gamma,
        _half_line.LogNorm,
        _real_line.GumbelL,
        _real_line.GumbelR,
        _half_line.Gompertz,
        _half_line.InvWeibull,
        _real_line.Norm,
        _norm_mixture.NormMixture,
        _real_line.SkewNorm,
        _loggamma.LogGamma,
        _real_line.Uniform,
    )
}


def as_family(family: str | Family) -> Family:
    """Return the family given by name or as an instance.

    Parameters
    ----------
    family : str or Family
        A key of `FAMILIES`, or an instance (with custom priors).

    Raises
    ------
    ValueError
        If the name is unknown.
    TypeError
        If it is neither a name nor an instance of `Family`.

    Examples
    --------
    >>> from sklearn_spe.families._registry import as_family
    >>> as_family("norm").name
    'norm'
    """
    if isinstance(family, Family):
        return family
    if isinstance(family, type) and issubclass(family, Family):
        raise TypeError(f"Got the class {family.__name__}; pass an instance, {family.__name__}().")

    if not isinstance(family, str):
        raise TypeError(
            f"A family must be a name or an instance of sklearn_spe.families.Family, "
            f"got {family!r} of type {type(family).__name__}."
        )

    if family not in FAMILIES:
        raise ValueError(f"Unknown family {family!r}; choose one of {', '.join(FAMILIES)}.")
    return FAMILIES[family]()


def as_families(families: str | Family | Iterable[str | Family]) -> list[Family]:
    """Return the families given by "auto", one family or a sequence.

    Parameters
    ----------
    families : "auto", str, Family or sequence of these
        "auto" means the truncated normal and the gamma.

    Returns
    -------
    families : list of Family

    Raises
    ------
    ValueError
        If a name is unknown, or the sequence is empty.
    TypeError
        If it is neither of these.

    Examples
    --------
    >>> from sklearn_spe.families._registry import as_families
    >>> [family.name for family in as_families("auto")]
    ['truncnorm', 'gamma']
    """
    if isinstance(families, str) and families == "auto":
        families = AUTO

    # A 0-d array is Iterable by type, but cannot be iterated.
    is_single = isinstance(families, (str, Family, type)) or getattr(families, "ndim", 1) == 0
    if is_single or not isinstance(families, Iterable):
        return [as_family(families)]  # type: ignore[arg-type]
    instances = [as_family(family) for family in families]
    if not instances:
        raise ValueError("The sequence of families is empty; name at least one.")
    return instances
