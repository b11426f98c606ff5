"""The labels given at the start, verified and noisy, and their format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inputs._array_like import shape_of, unmasked
from ..inputs._labels import UNLABELED, BinaryLabels, codes_of_items, encode_labels, is_unlabeled
from ..inputs._score_direction import check_direction
from ..score_mixture._mixture_parameter import agreed
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from .label_models._curves import CurvesModel

__all__ = ["LabelFormat", "given_labels"]


@dataclass(frozen=True)
class LabelFormat:
    """The format of labels, and the direction of scores."""

    classes: object  # (2,) or None
    pos_label: object
    marker: object  # marks an unlabeled item, besides missing values
    greater_is_positive: bool

    @classmethod
    def of(cls, selector) -> LabelFormat:
        """Return the format set by a selector, or else by the mixture that is its label model."""
        greater = check_direction(selector.greater_is_positive)
        mixture = selector.label_model
        if isinstance(mixture, CurvesModel) and mixture.mixture is not None:
            mixture = mixture.mixture
        if not isinstance(mixture, SemisupervisedScoreMixture):
            return cls(selector.classes, selector.pos_label, UNLABELED, greater)
        said = {"classes": mixture.classes, "pos_label": mixture.pos_label}
        said |= agreed(mixture, selector, tuple(said))
        return cls(
            said["classes"],
            said["pos_label"],
            mixture.unlabeled_label,
            greater and check_direction(mixture.greater_is_positive),
        )

    def is_unlabeled(self, labels) -> np.ndarray:
        """Return which items have no label."""
        return is_unlabeled(labels, classes=self.classes, unlabeled_label=self.marker)

    def is_positive_known(self, labels) -> bool:
        """Return whether the positive class is identified: not before the first label."""
        return not (self.classes is None and (labels is None or self.is_unlabeled(labels).all()))

    def read(self, labels, before: BinaryLabels | None = None):
        """Return the class names, if these labels determine them, and the label codes."""
        return BinaryLabels.read(
            labels,
            classes=self.classes,
            pos_label=self.pos_label if self.is_positive_known(labels) else None,
            unlabeled_label=self.marker,
            before=before,
        )

    def names_after(self, labels, before: BinaryLabels, n_labels: int) -> BinaryLabels:
        """Return the label format; the first labels determine the class names."""
        if before.named or self.is_unlabeled(labels).all():
            return before
        learned, _ = self.read(labels, before)
        if n_labels and learned.classes.tolist() != before.classes.tolist():
            raise ValueError(
                f"All earlier labels are {before.decode([1]).tolist()[0]!r}, of the classes "
                f"{before.classes.tolist()}, and the new ones are of {learned.classes.tolist()}; "
                "nothing was changed. Pass classes= and fit again."
            )
        return learned


def given_labels(label_format: LabelFormat, y, noisy_labels, n_items: int):
    """Return the label format, the codes of known labels, and those of noisy labels."""
    if noisy_labels is None:
        labels, codes = label_format.read(y)
        return labels, codes_of_items(codes, n_items), None
    shape = shape_of(noisy_labels)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"noisy_labels must have shape ({n_items},), one label an item; got "
            f"{shape}. For a matrix of images and tags, use one row per pair: "
            f"X.ravel(), noisy_labels.ravel(), and category=np.tile(tags, n_images)."
        )
    missing = label_format.is_unlabeled(noisy_labels)
    if len(missing) != n_items:
        raise ValueError(
            f"noisy_labels must have one label an item, {n_items} of them; got {len(missing)}."
        )
    if missing.any():
        raise ValueError(
            f"noisy_labels is missing for {int(missing.sum())} of {n_items} items, the first at "
            f"index {int(np.flatnonzero(missing)[0])}; every item needs one, verified or not. "
            f"Leave the others out, or fit them separately; if {label_format.marker!r} is a "
            f"class, pass classes=."
        )
    named = encode_labels(
        noisy_labels, classes=label_format.classes, unlabeled_label=label_format.marker
    )[1]
    if y is not None:
        is_known = ~label_format.is_unlabeled(y)
        known = np.asarray(unmasked(y), dtype=object).reshape(len(is_known), -1)[is_known, 0]
        named = np.r_[named.astype(object), known]
        named = encode_labels(
            named, classes=label_format.classes, unlabeled_label=label_format.marker
        )[1]
    if len(named) > 2:
        shown = ", ".join(map(repr, named[:5].tolist()))
        raise ValueError(
            f"noisy_labels and y have {len(named)} classes ({shown}, ...), but two are needed. For "
            "several classes or tags, use one row per item and tag, with noisy_labels saying "
            "whether the item has the tag, and pass the tags as category=."
        )
    labels, _ = label_format.read(named)
    return labels, labels.codes(y, n_items), labels.codes(noisy_labels, n_items).astype(int)
