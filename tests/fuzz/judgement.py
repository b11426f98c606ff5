"""What a call may answer: a result without nonsense, or an error that helps."""

import sys
import traceback
import warnings
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis
import joblib
import numpy as np
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from sklearn_spe.active.sessions._plan import MAX_SIMULATIONS
from sklearn_spe.results._estimates import CurveBand, ScalarEstimate
from tests.fuzz.calls import all_calls, probe
from tests.fuzz.zoo import ZOO

ALLOWED = (ValueError, TypeError, NotFittedError, FileNotFoundError)
# Who may refuse: this package and scikit-learn, and functions of the zoo themselves.
HOMES = ("sklearn_spe", "fuzz")


@dataclass(frozen=True)
class Case:
    """A public call with some of its parameters replaced.

    Attributes
    ----------
    call : str
        A key of `all_calls`.
    replaced : dict
        By parameter the name of a beast of the zoo, or a number or text within a tuple.
    """

    call: str
    replaced: dict = field(default_factory=dict)

    def beasts(self):
        """Return what takes the place of the examples."""
        return {
            label: (lambda like, v=value[0]: v) if isinstance(value, tuple) else ZOO[value]
            for label, value in self.replaced.items()
        }


@st.composite
def cases(draw):
    """Draw a call, and one or two parameters with what takes their place."""
    calls = all_calls()
    call = calls[draw(st.sampled_from(sorted(name for name in calls if calls[name].examples)))]
    labels = draw(st.sets(st.sampled_from(sorted(call.examples)), min_size=1, max_size=2))
    beast = st.sampled_from(sorted(ZOO)) | st.tuples(
        st.floats() | st.integers(-(2**70), 2**70) | st.text(max_size=5)
    )
    replaced = {label: draw(beast) for label in sorted(labels)}
    # A thousand simulations of labelling take minutes, as was asked.
    given = replaced.get("n_simulations")
    n_simulations = given[0] if isinstance(given, tuple) else None
    hypothesis.assume(n_simulations not in range(20, MAX_SIMULATIONS + 1))
    return Case(call.name, replaced)


def drawn(n_cases, seed):
    """Return generated cases, the same for a seed."""
    found = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=n_cases,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(cases())
    def keep(case):
        found.append(case)

    keep()
    return found


def fault_of(case):
    """Make a call, and return what is wrong with its answer; None if nothing is."""
    call = all_calls()[case.call]
    if "matplotlib.pyplot" in sys.modules:
        # Displays open figures, of which there may not be too many.
        sys.modules["matplotlib.pyplot"].close("all")
    with warnings.catch_warnings():
        # What a verdict says of examples is no matter here.
        warnings.simplefilter("ignore")
        function, subject = call.prepare(case.beasts())
        before = None if subject is None else probe(subject)
    with warnings.catch_warnings(record=True) as said, joblib.parallel_config("sequential"):
        warnings.simplefilter("always")
        try:
            # What a call writes goes with the folder.
            with TemporaryDirectory() as folder, chdir(folder):
                answer = function()
        except Exception as error:
            fault = _fault_of_error(error, case.replaced)
            if fault is None and before is not None and not _same(before, probe(subject)):
                fault = f"A failed call has changed what its object answers: {error}"
            return fault
        accidents = [w for w in said if issubclass(w.category, RuntimeWarning)]
        if accidents:
            return f"A warning of another library: {accidents[0].message}"
        is_announced = bool(said) or "nan" in call.doc.lower()
        return fault_of_answer(answer, is_announced, "proba" in call.name)


def _fault_of_error(error, labels):
    if isinstance(error, AttributeError) and error.name and error.obj is not None:
        return f"AttributeError: {error}"
    if isinstance(error, AttributeError | MemoryError):
        return None
    if not isinstance(error, ALLOWED):
        return f"{type(error).__name__}: {error}"
    if isinstance(error, FileNotFoundError):
        # It names the file.
        return None
    # What Python and numpy say of a value in the middle of a computation does not tell which
    # argument is wrong; what was meant to be said is raised, or names it.
    *_, last = traceback.extract_tb(error.__traceback__)
    parts = Path(last.filename).parts
    is_meant = "sklearn" in parts or (set(HOMES) & set(parts) and last.line.startswith("raise"))
    is_meant = is_meant or any(f"`{label}`" in str(error) for label in labels)
    return None if is_meant else f"An accident, {type(error).__name__} by {last.line!r}: {error}"


def fault_of_answer(answer, is_announced, is_probability=False):
    """Return what is wrong with an answer; None if nothing is."""
    # A display holds what it was given, and looks at it when it plots.
    answer = answer if hasattr(answer, "plot") else getattr(answer, "estimates", answer)
    if isinstance(answer, tuple | list) and not hasattr(answer, "_fields"):
        found = (fault_of_answer(part, is_announced, is_probability) for part in answer)
        return next((fault for fault in found if fault), None)
    if isinstance(answer, ScalarEstimate | CurveBand):
        return _fault_of_estimate(answer, is_announced)
    if isinstance(answer, float | np.ndarray) and np.asarray(answer).dtype.kind == "f":
        if np.isnan(answer).any() and not is_announced:
            return f"NaN that nothing announces: {answer!r}"
        if is_probability and ((np.asarray(answer) < 0.0) | (np.asarray(answer) > 1.0)).any():
            return f"No probability: {answer!r}"
    if hasattr(answer, "predict_proba") or hasattr(answer, "estimate_"):
        return fault_of_answer(probe(answer), is_announced)
    return None


def _fault_of_estimate(estimate, is_announced):
    value = np.atleast_1d(estimate.value)
    low, high = (np.atleast_1d(end) for end in estimate.interval())
    undefined = np.broadcast_to(getattr(estimate, "undefined", 0.0), value.shape)
    missing = np.isnan(value) | np.isnan(low) | np.isnan(high)
    if (missing & ~(undefined > 0.0)).any() and not is_announced:
        return f"NaN that nothing announces: {estimate!r}"
    slack = 1e-9 * np.maximum(1.0, np.abs(np.nan_to_num(value)))
    if ((value < low - slack) | (value > high + slack)).any():
        return f"An interval without its value: {estimate!r}"
    return None


def _same(one, other):
    return one.shape == other.shape and np.array_equal(one, other, equal_nan=True)
