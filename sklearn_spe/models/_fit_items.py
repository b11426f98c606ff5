"""The fit of data of any kind: the one place where the kind of a fit is chosen.

Whoever holds the fit asks the members of `FittedModel`, the same for all kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..data._item_data import ItemData
from ..data._kinds import CLASS_SHIFT, CLASSES, ITEMS, LABEL_SHIFT, POOL
from ._class_model import ClassesModel
from ._class_shift_model import ClassShiftModel
from ._fitted_model import FittedModel
from ._label_shift_model import LabelShiftModel
from ._row_model import fit_two_classes

# The fit of each kind of data; a new kind needs an entry here, and a word in `kind_of`.
FITS: dict[str, Callable[[Any, ItemData], FittedModel]] = {
    POOL: fit_two_classes,
    ITEMS: fit_two_classes,
    CLASSES: ClassesModel.of,
    LABEL_SHIFT: LabelShiftModel.of,
    CLASS_SHIFT: ClassShiftModel.of,
}


def fit_items(parameters: Any, data: ItemData) -> FittedModel:
    """Fit data by the model of their kind.

    Parameters
    ----------
    parameters : SemisupervisedScoreMixture
        Holds the parameters; it is not fitted.
    data : ItemData
        The rows that were passed, read.

    Returns
    -------
    model : FittedModel
        An immutable value.

    Raises
    ------
    ValueError
        If labels contradict inclusion probabilities, weights are not whole numbers where items
        have structure, or the mixture has no experts and the data need them.

    See Also
    --------
    FittedModel.updated : The fit to other labels of the same items.
    """
    return FITS[data.kind](parameters, data)
