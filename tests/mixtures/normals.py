"""A mixture of two normals."""

from functools import cache

import numpy as np
from scipy import integrate, stats

from sklearn_spe.mixtures._fisher import fisher_information

PREVALENCE, NEGATIVE, POSITIVE = 0.2, (0.5, 1.0), (2.3, 0.7)
OF = {"prevalence": PREVALENCE, "negative_values": NEGATIVE, "positive_values": POSITIVE}
SHARES = np.array([1.0 - PREVALENCE, PREVALENCE])
LAWS = stats.norm(*NEGATIVE), stats.norm(*POSITIVE)
NAMES = ("prevalence", "negative_mean", "negative_std", "positive_mean", "positive_std")


@cache
def normals(**counts):
    """Return the information of so many items, a value that tests share."""
    return fisher_information("norm", "norm", **OF, **counts)


def probability(score):
    joint = SHARES * [distribution.pdf(score) for distribution in LAWS]
    return joint[1] / joint.sum()


def class_gradient(score, k):
    """Return the gradient of log p(score, y = k) by all five parameters."""
    mean, std = (NEGATIVE, POSITIVE)[k]
    z = (score - mean) / std
    gradient = np.zeros(5)
    gradient[0] = (-1.0, 1.0)[k] / SHARES[k]
    gradient[1 + 2 * k : 3 + 2 * k] = [z / std, (z * z - 1.0) / std]
    return gradient


def class_hessian(score, k):
    mean, std = (NEGATIVE, POSITIVE)[k]
    z = (score - mean) / std
    hessian = np.zeros((5, 5))
    hessian[0, 0] = -1.0 / SHARES[k] ** 2
    own = slice(1 + 2 * k, 3 + 2 * k)
    hessian[own, own] = np.array([[-1.0, -2.0 * z], [-2.0 * z, 1.0 - 3.0 * z * z]]) / std**2
    return hessian


def of_label(score):
    """Return what a label adds to its score: the variance of the gradient over the classes."""
    q = probability(score)
    d = class_gradient(score, 1) - class_gradient(score, 0)
    return q * (1.0 - q) * np.outer(d, d)


def of_score(score):
    """Return minus the second derivatives of log p(score)."""
    q = probability(score)
    mean = q * class_hessian(score, 1) + (1.0 - q) * class_hessian(score, 0)
    return -mean - of_label(score)


def integral(function, density, lower=-9.0):
    return integrate.quad_vec(
        lambda s: density(s) * function(s), lower, 9.0, epsrel=1e-8, points=(0.5, 2.3)
    )[0]


def mixture_density(score):
    return SHARES @ [distribution.pdf(score) for distribution in LAWS]
