"""Two systems answer the same prompts, a judge marks all answers, people a few.

Each `Setting` says how the judge errs. What is right about one prompt hangs together, and an answer
has a length, which differs between the systems and is no sign of quality.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

N_PROMPTS = 1000
SYSTEMS = ("a", "b")
# Log-odds that an answer is right: of each system, and their spread over prompts.
SKILL, SPREAD = (0.9, 0.5), 1.0
# By so much more the answers of the second system are longer, in standard deviations.
LONGER = 1.0


@dataclass(frozen=True)
class Setting:
    """How a judge errs.

    Attributes
    ----------
    sensitivity, specificity : float
        Of the typical answer.
    of_system : float
        By so much the log-odds of "right" are higher for answers of the first system: a judge that
        prefers its own.
    of_length : float
        And by so much for an answer that is longer by a standard deviation.
    """

    sensitivity: float = 0.85
    specificity: float = 0.85
    of_system: float = 0.0
    of_length: float = 0.0


SETTINGS = {
    "fair": Setting(),
    "lenient": Setting(sensitivity=0.95, specificity=0.6),
    "self_preference": Setting(of_system=1.5),
    "length": Setting(of_length=1.0),
    "worthless": Setting(sensitivity=0.5, specificity=0.5),
}


@dataclass(frozen=True)
class Answers:
    """Answers, one row each: the prompts of the first system, then those of the second.

    Attributes
    ----------
    right : ndarray of shape (n,)
        0 or 1.
    verdict : ndarray of shape (n,)
        What the judge says.
    system : ndarray of str of shape (n,)
    prompt : ndarray of int of shape (n,)
    """

    right: np.ndarray
    verdict: np.ndarray
    system: np.ndarray
    prompt: np.ndarray


def draw(setting: Setting, rng) -> Answers:
    """Draw answers and the verdicts of a judge."""
    ease = SPREAD * rng.standard_normal(N_PROMPTS)
    log_odds = np.concatenate([skill + ease for skill in SKILL])
    right = rng.random(2 * N_PROMPTS) < special.expit(log_odds)
    is_second = np.repeat([0.0, 1.0], N_PROMPTS)
    length = rng.standard_normal(2 * N_PROMPTS) + LONGER * is_second
    leaning = setting.of_system * (0.5 - is_second)
    leaning += setting.of_length * (length - LONGER / 2.0)
    base = np.where(right, setting.sensitivity, 1.0 - setting.specificity)
    verdict = rng.random(2 * N_PROMPTS) < special.expit(special.logit(base) + leaning)
    system = np.repeat(SYSTEMS, N_PROMPTS)
    return Answers(right.astype(int), verdict.astype(int), system, np.tile(np.arange(N_PROMPTS), 2))
