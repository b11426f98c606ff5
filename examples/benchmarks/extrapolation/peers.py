"""All methods that are compared, by name."""

from losers import (
    BetaBinomial,
    BinomialMixture,
    Exponential,
    ExponentialMixture,
    LogLinear,
    PowerLaw,
    ScaledKernelDensity,
)

from sklearn_spe.extrapolation import KernelDensity, Moment, Scores
from sklearn_spe.extrapolation.methods._curve_methods import ClassExReg, Probit
from sklearn_spe.extrapolation.methods._score_methods import Blend

PEERS = {
    "blend": Blend(),
    "scores": Scores(),
    "classexreg": ClassExReg(),
    "kde": KernelDensity(),
    "kde_bcv": KernelDensity(bandwidth="bcv"),
    "kde_scaled": ScaledKernelDensity(),
    "probit": Probit(),
    "moment": Moment(),
    # The paper's own estimate, whose D(1) may exceed 1, with its 10,000 knots and with few.
    "paper": Moment(n_basis=10_000, knots="uniform", constrained=False),
    "paper_400": Moment(n_basis=400, knots="uniform", constrained=False),
    "binomial_mixture": BinomialMixture(),
    "beta_binomial": BetaBinomial(),
    "exponential_mixture": ExponentialMixture(),
    "exponential": Exponential(),
    "log_linear": LogLinear(),
    "power_law": PowerLaw(),
}
# What others are measured against: the strongest that were published.
PUBLISHED = ("classexreg", "kde", "probit")
# No method but a bound: U is known, and only the choice of the items is left to chance.
ORACLE = "oracle"
# Headings of the tables of the guide.
NAMES = {
    "blend": "blend (default)",
    "paper": "the paper's splines",
    ORACLE: "knowing U of every item",
    "kde, published": "kernel density (UCV), published",
    "kde_bcv, published": "kernel density (BCV), published",
}
