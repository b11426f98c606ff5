"""The public calls, found by inspection: a new public name is among them without another line.

Estimators are made, fitted and asked for a number in one call; methods are called on what the
examples make. A parameter without a default needs an example, and an error asks for it.
"""

import importlib
import inspect
import pickle
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from sklearn_spe import Goal
from sklearn_spe.active import LabelDraws, LabelModel, Pool, Progress, StoppingRule, Strategy
from sklearn_spe.active.sessions._session import HistoryRow
from sklearn_spe.experts import Expert
from sklearn_spe.experts._expert import CurveEnsemble, DiscrepancyScale, PriorCurves
from sklearn_spe.extrapolation import ConditionalAccuracyDistribution, Method, Powers
from sklearn_spe.extrapolation._accuracy_distributions import (
    Distribution,
    Points,
    ProbitNormals,
    Ramps,
)
from sklearn_spe.extrapolation._recognition import RecognitionTask
from sklearn_spe.families import BetaPrior, Family, GammaPrior, NormalPrior
from sklearn_spe.metrics import Metric, TopKAccuracy
from sklearn_spe.metrics._expectation import ExpectedRatio, LabelDistribution, ratio
from sklearn_spe.metrics._metric import with_origin
from sklearn_spe.models import ConfusionMatrix
from sklearn_spe.models._class_model import ClassesModel
from sklearn_spe.results import EstimateTable, Reason, Verdict
from tests.fuzz.examples import EXAMPLES, FEATURES, MADE, OTHERS, SCORES

MODULES = ["sklearn_spe"] + [
    f"sklearn_spe.{name}"
    for name in (
        *("active", "datasets", "display", "experts", "extrapolation", "families", "metrics"),
        *("estimators",),
    )
]
# Values that are asked, and are public only by what returns them.
RESULTS = (Goal, Verdict, Reason, EstimateTable, ConfusionMatrix)
# Names for users in rooms that hold mostly parts of a fit.
RESULTS += (TopKAccuracy,)
# Their methods are called by the package, with arrays of its own, and check nothing for speed.
KERNELS = (
    Family,
    BetaPrior,
    GammaPrior,
    NormalPrior,
    Metric,
    Expert,
    LabelModel,
    Method,
    Distribution,
)
KERNELS += (StoppingRule, RecognitionTask, Strategy)
# Made by the package for those kernels, and not by users.
INNER = {LabelDraws, Pool, Progress, HistoryRow, PriorCurves, CurveEnsemble, DiscrepancyScale}
INNER |= {ExpectedRatio, LabelDistribution, ratio, with_origin}
# Made by methods of extrapolation, and by a fit of several classes.
INNER |= {ClassesModel, ConditionalAccuracyDistribution, Points, Powers, ProbitNormals, Ramps}
# Parameters of others like them.
PASSED = {"points", "rng", "cells", "counts", "verdicts"}


@dataclass(frozen=True)
class Call:
    """A public function, class or method, with examples of its parameters.

    Attributes
    ----------
    name : str
    owner : type or None
        The class, of a method.
    function : callable
        As it is found in its module or its class.
    examples : dict
        By parameter, with its stars; None where there is a default and no example.
    made : str
        Which of the things that the examples make it is called on; of a method.
    """

    name: str
    owner: type | None
    function: object
    examples: dict
    made: str = ""

    @property
    def doc(self):
        """All that is said of it."""
        told = [self.function, self.owner, getattr(self.function, "fit", None)]
        return " ".join(inspect.getdoc(thing) or "" for thing in told if thing is not None)

    def prepare(self, replaced):
        """Return the function, ready to be called, and the object whose method it is.

        Parameters
        ----------
        replaced : dict
            Functions from an example to what takes its place, by parameter.
        """
        positional, named = (), {}
        for label, example in self.examples.items():
            if label in replaced:
                value = replaced[label](made(example))
                value = (value,) if label[:1] == "*" != label[1:2] else value
                if label[:2] == "**":
                    value = dict.fromkeys(made(example) or ["precision"], value)
            elif example is None:
                continue
            else:
                value = made(example)
            if label[:2] == "**":
                named |= value
            elif label[:1] == "*":
                positional = value
            else:
                named[label] = value
        if self.owner is not None and not self.is_of_class:
            subject = pickle.loads(pickled(self.owner, self.made))
            return lambda: getattr(subject, self.function.__name__)(*positional, **named), subject
        if inspect.isclass(self.function) and issubclass(self.function, BaseEstimator):
            return lambda: fitted(self.function, named), None
        return lambda: self.function(*positional, **named), None

    @property
    def is_of_class(self):
        """Whether a method needs no object."""
        found = inspect.getattr_static(self.owner, self.function.__name__)
        return isinstance(found, (classmethod, staticmethod))


def made(example):
    """Return an example, made if it is a function."""
    return example() if callable(example) else example


def fitted(cls, parameters):
    """Return an estimator, fitted."""
    own = inspect.signature(cls).parameters
    given = {name: value for name, value in parameters.items() if name in own}
    return cls(**given).fit(**{k: v for k, v in parameters.items() if k not in own})


@cache
def pickled(cls, key):
    """Return what methods are called on as bytes: every call has one of its own."""
    found = MADE | OTHERS
    if key in found:
        return pickle.dumps(found[key]())
    examples = {label: made(value) for label, value in examples_of(cls).items()}
    given = {label: value for label, value in examples.items() if value is not None}
    is_estimator = issubclass(cls, BaseEstimator)
    return pickle.dumps(fitted(cls, given) if is_estimator else cls(**given))


def probe(thing):
    """Return some numbers that say what an object knows; empty if it knows none."""
    if hasattr(thing, "estimate_"):
        return np.r_[np.ravel(thing.estimate_.value), thing.label_proba_]
    if hasattr(thing, "posterior_"):
        # Of several systems it is one of items.
        of_items = getattr(thing.posterior_, "mean", None)
        return thing.posterior_.expected_probability(SCORES) if of_items is None else of_items
    if hasattr(thing, "switch_probability"):
        return np.ravel(thing.difference_band([30]).value)
    if hasattr(thing, "draws_"):
        return np.ravel(thing.draws_)
    if isinstance(thing, BaseEstimator):
        X = FEATURES if is_classifier(thing) else [30]
        return np.ravel(thing.predict(X)).astype(float)
    value = getattr(thing, "value", ())
    return np.ravel(() if callable(value) else value).astype(float)


@cache
def all_calls():
    """Return the public calls by name."""
    modules = [importlib.import_module(name) for name in MODULES]
    things = {name: getattr(module, name) for module in modules for name in module.__all__}
    things |= {cls.__name__: cls for cls in RESULTS}
    calls = [call for name, thing in things.items() for call in calls_of(name, thing)]
    return {call.name: call for call in calls}


def calls_of(name, thing):
    """Return the calls that a public name offers."""
    if not callable(thing) or inspect.isabstract(thing) or thing in INNER:
        return
    if not inspect.isclass(thing):
        yield Call(name, None, thing, examples_of(thing))
        return
    if name not in MADE or issubclass(thing, BaseEstimator):
        yield Call(name, None, thing, examples_of(thing))
    for key, method in inspect.getmembers(thing, callable):
        # What scikit-learn, str and tuple bring is theirs.
        if key.startswith("_") or not str(getattr(method, "__module__", None)).startswith(
            "sklearn_spe"
        ):
            continue
        call = Call(f"{name}.{key}", thing, method, {})
        is_kernel = issubclass(thing, KERNELS) and not (
            issubclass(thing, Strategy) and key == "query"
        )
        if (is_kernel and not call.is_of_class) or PASSED & set(
            inspect.signature(method).parameters
        ):
            continue
        examples = examples_of(method, thing, call.is_of_class)
        yield Call(call.name, thing, method, examples, call.name if call.name in MADE else name)
        for other in OTHERS if not call.is_of_class else ():
            if other.startswith(f"{name} "):
                examples = examples_of(method, thing, kind=other.removeprefix(f"{name} "))
                yield Call(f"{other}.{key}", thing, method, examples, other)


def examples_of(function, owner=None, is_of_class=False, kind=None):
    """Return an example for each parameter that needs one, by its name with its stars.

    Those of a kind of what a method is called on come first.
    """
    sources = [function]
    if inspect.isclass(function) and issubclass(function, BaseEstimator):
        sources.append(function.fit)
    owners = getattr(owner or function, "__mro__", (function,))[: -1 if owner else None]
    examples = {}
    for source in sources:
        parameters = list(inspect.signature(source).parameters.values())
        if source is not function or (owner is not None and not is_of_class):
            parameters = parameters[1:]
        for parameter in parameters:
            stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
            label = stars.get(parameter.kind, "") + parameter.name
            keys = [f"{cls.__name__}.{label}" for cls in owners]
            if owner is not None:
                keys = [f"{owner.__name__}.{function.__name__}.{label}", *keys]
            if kind is not None:
                keys = [f"{kind}.{function.__name__}.{label}", f"{kind}.{label}", *keys]
            found = [EXAMPLES[key] for key in (*keys, label) if key in EXAMPLES]
            if found:
                examples[label] = found[0]
            elif parameter.default is parameter.empty and not stars.get(parameter.kind):
                where = f"{owner.__name__}.{function.__name__}" if owner else function.__name__
                raise LookupError(f"{where} needs an example of {label!r} in fuzz/examples.py.")
            elif parameter.kind not in stars:
                examples[label] = None
    return examples
