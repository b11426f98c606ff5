"""How a report was computed: the target, the model, the seed, versions, and citations."""

from __future__ import annotations

import platform
import sys

__all__ = ["CITATION", "computed_how"]

CITATION = (
    "P. Welinder, M. Welling and P. Perona. A Lazy Man's Approach to Benchmarking: Semisupervised "
    "Classifier Evaluation and Recalibration. IEEE Conference on Computer Vision and Pattern "
    "Recognition (CVPR), 2013."
)
TARGETS = {
    "sample": "the performance on these very items: known labels stay, unknown ones are drawn",
    "population": "the performance on further items of the same kind",
}
PACKAGES = ("sklearn", "numpy", "scipy")


def computed_how(performance, version: str, model: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return facts by name; `model` describes the model in words."""
    versions = {"sklearn-spe": version}
    versions |= {name: sys.modules[name].__version__ for name in PACKAGES}
    versions["Python"] = platform.python_version()
    weight = performance.model_weight_
    facts = {
        "Asked": TARGETS[performance.target],
        "Classes": ", ".join(map(str, performance.classes_)),
        "Positive class": None if performance.pos_label_ is None else str(performance.pos_label_),
        "Model": " ".join(model) or None,
        "Chance that the model holds": f"{weight:.2f} (0.99 before labels tested it)",
        "Seed of drawn labels": str(performance.seed_),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }
    return tuple((name, said) for name, said in facts.items() if said is not None)
