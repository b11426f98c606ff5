"""One seed for all that the tests draw.

A test that draws random numbers takes them from the fixture `global_random_seed`, unless it must
have one seed, and then says why. The environment variable `SKLEARN_SPE_TESTS_GLOBAL_RANDOM_SEED`
chooses: a number, a range such as ``0-19``, ``all`` (0 to 99), or ``any``, which draws one seed
anew; without it the seed is 42. The head of every run says which it was, to repeat it.
"""

import gc
import os
import secrets

import pytest

VARIABLE = "SKLEARN_SPE_TESTS_GLOBAL_RANDOM_SEED"
MAXIMUM = 99


def seeds_of(text):
    """Return the seeds that the environment variable asks for."""
    first, _, last = ("0-99" if text == "all" else text).partition("-")
    try:
        seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        seeds = range(0)
    if not seeds or seeds[0] < 0 or seeds[-1] > MAXIMUM:
        raise pytest.UsageError(
            f"{VARIABLE} must be 'any', 'all', a number from 0 to {MAXIMUM}, or a range such as "
            f"'0-19'; got {text!r}."
        )
    return seeds


# Processes that run tests side by side inherit this: each has a core of its own, for which threads
# of linear algebra would fight.
for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

# Drawn once, before there are other processes: they inherit what was drawn.
if os.environ.get(VARIABLE) == "any":
    os.environ[VARIABLE] = str(secrets.randbelow(MAXIMUM + 1))
CHOSEN = os.environ.get(VARIABLE, "42")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Look for no garbage among thousands of tests: they stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_report_header():
    """Say with which seed a run can be repeated."""
    return f"{VARIABLE}={CHOSEN}"


@pytest.fixture(scope="session", params=seeds_of(CHOSEN), ids="seed{}".format)
def global_random_seed(request):
    """Return the seed of all that a test draws: a whole number from 0 to 99."""
    return request.param
