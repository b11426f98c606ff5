"""Detections of several systems, matched to objects by boxes, with the overlaps of masks."""

from __future__ import annotations

import numpy as np
from scipy import special
from sklearn.utils import Bunch

from ..inputs._arrays import RandomState
from ..inputs._validation import check_count, check_number, seed_entropy, spawn

# Areas are in pixels, and no box is larger than its image. Sizes, shares and overlaps are normal on
# the logit scale; difficulty is common to the box and the mask of every system.
_IMAGE_AREA = 480.0 * 640.0
# The share of its image that a box takes: 60 pixels square on average.
_SIZE_MEAN = -4.4
_SIZE_SPREAD = 1.6
# The share of its box that a mask fills, and its variation between and within categories.
_FILL_MEAN = 0.5
_FILL_BETWEEN = 0.4
_FILL_WITHIN = 0.5
# The difficulty of an object: by its image, its category and itself.
_HARD_IMAGE = 0.3
_HARD_CATEGORY = 0.3
_HARD_OBJECT = 0.5
# A system has an aptitude for each category, and for masks.
_APTITUDE_CATEGORY = 0.08
_APTITUDE_MASK = 0.06
# The overlap of boxes: its mean, the effect of size, and the noise of one system.
_BOX_MEAN = 1.5
_BOX_SIZE = 0.3
_BOX_CHANCE = 0.5
# The overlap of masks, given that of boxes: it is smaller and noisier where objects are thin or
# small.
_MASK_THIN = 0.4
_MASK_SMALL = 0.15
_MASK_CHANCE = 0.5
_MASK_UNEVEN = 0.2
# Whether an object is found; and the scores of found objects and of false positives.
_FOUND_MEAN = 2.0
_FOUND_SIZE = 0.5
_SCORE_MEAN = 1.0
_SCORE_SLOPE = 0.7
_SCORE_CHANCE = 1.0
_FALSE_MEAN = -1.2


def make_segmentation_matches(
    n_images: int = 500,
    n_categories: int = 10,
    n_systems: int = 4,
    *,
    objects_per_image: float = 4.0,
    long_tail: float = 1.0,
    false_positives: float = 0.8,
    quality_spread: float = 0.09,
    coarse_bias: float = 0.25,
    random_state: RandomState = None,
) -> Bunch:
    """Draw detections of instance segmentation systems, matched to objects by boxes.

    A detection is correct if its mask overlaps that of an object. Since masks are more expensive to
    draw than boxes, boxes determine which object a detection is matched to, and their coarse
    overlap. The coarse overlap is biased upwards. The bias is larger for thin or small objects, and
    differs between systems. A public benchmark was used in this way in [1]_.

    The difficulties of an object, its category and its image are common to all systems.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_images : int, default=500
    n_categories : int, default=10
    n_systems : int, default=4
    objects_per_image : float, default=4.0
        The mean number of objects per image; every image has at least one.
    long_tail : float, default=1.0
        The share of category ``k`` among the objects is proportional to ``(k + 1) ** -long_tail``.
        With few objects, some categories may have none.
    false_positives : float, default=0.8
        The mean number of detections of a system without an object, per object.
    quality_spread : float, default=0.09
        The standard deviation between systems of the log-odds of overlaps. With 0, systems still
        differ in their aptitudes for categories and masks.
    coarse_bias : float, default=0.25
        The overlap of boxes minus that of masks, on the logit scale, for an object of average size
        and shape.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    data : Bunch
        A row for each detection, by system, image and decreasing score:

        system : ndarray of shape (n_detections,), dtype=int64
            From 0 to ``n_systems - 1``, in random order of quality.
        image : ndarray of shape (n_detections,), dtype=int64
            From 0 to ``n_images - 1``.
        category : ndarray of shape (n_detections,), dtype=int64
            From 0 to ``n_categories - 1``; that of the matched object, if any.
        score : ndarray of shape (n_detections,)
            Between 0 and 1, not calibrated.
        object : ndarray of shape (n_detections,), dtype=int64
            The matched object, as an index into the arrays of objects; -1 for none. A system has at
            most one match with an object.
        coarse_overlap : ndarray of shape (n_detections,)
            Intersection over union of both boxes; 0 without an object.
        overlap : ndarray of shape (n_detections,)
            Intersection over union of both masks, the truth; 0 without an object.
        detection_area : ndarray of shape (n_detections,)
            The area of the box of the detection, in pixels.
        object_area : ndarray of shape (n_detections,)
            The area of the box of the object; 0 without an object.

        and for each object, image by image:

        object_category : ndarray of shape (n_objects,), dtype=int64
            As above.
        object_image : ndarray of shape (n_objects,), dtype=int64
            As above.
        object_fill : ndarray of shape (n_objects,)
            The share of its box that the mask of an object fills: small for thin objects.

    Raises
    ------
    TypeError
        If a parameter is not a number, or a number of images, categories or systems is not whole.
    ValueError
        If a number is out of range.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
           for estimating accuracy". International Conference on Machine Learning, 2018.

    Examples
    --------
    The share of the objects that each system finds, with an overlap of at least 0.5, according to
    boxes and to masks.

    >>> import numpy as np
    >>> from sklearn_spe.matches import make_segmentation_matches
    >>> data = make_segmentation_matches(random_state=0)
    >>> n_objects = len(data.object_category)
    >>> for overlap in (data.coarse_overlap, data.overlap):
    ...     print((np.bincount(data.system[overlap >= 0.5]) / n_objects).round(2))
    [0.79 0.85 0.79 0.83]
    [0.73 0.78 0.73 0.77]
    """
    check_count(n_images, "n_images")
    check_count(n_categories, "n_categories")
    check_count(n_systems, "n_systems")
    objects_per_image = check_number(objects_per_image, "objects_per_image", "[1, 1e6]")
    long_tail = check_number(long_tail, "long_tail", "[0, inf)")
    false_positives = check_number(false_positives, "false_positives", "[0, 1e6]")
    quality_spread = check_number(quality_spread, "quality_spread", "[0, 1]")
    coarse_bias = check_number(coarse_bias, "coarse_bias", "(-inf, inf)")

    rng = spawn(seed_entropy(random_state))
    objects = _objects(n_images, n_categories, objects_per_image, long_tail, rng)
    aptitudes = _aptitudes(n_systems, n_categories, quality_spread, rng)
    matched_detections = _matched_detections(objects, aptitudes, coarse_bias, rng)
    errors = _false_positives(objects, n_images, n_systems, false_positives, rng)

    # Sorted by score within an image: the row order must not reveal matches.
    rows = Bunch()
    for name in matched_detections:
        rows[name] = np.concatenate([matched_detections[name], errors[name]])
    order = np.lexsort((-rows["score"], rows["image"], rows["system"]))
    for name in matched_detections:
        rows[name] = rows[name][order]
    rows.update(
        object_category=objects.category,
        object_image=objects.image,
        object_fill=special.expit(_FILL_MEAN - objects.thin),
    )
    return rows


def _objects(
    n_images: int, n_categories: int, per_image: float, long_tail: float, rng: np.random.Generator
) -> Bunch:
    """Return objects, image by image; `size`, `thin` and `hard` are centered."""
    image = np.repeat(np.arange(n_images), 1 + rng.poisson(per_image - 1.0, n_images))
    share = np.arange(1.0, n_categories + 1.0) ** -long_tail
    category = rng.choice(n_categories, len(image), p=share / share.sum())

    normal = rng.standard_normal
    size = normal(len(image))
    return Bunch(
        image=image,
        category=category,
        size=size,
        area=_IMAGE_AREA * special.expit(_SIZE_MEAN + _SIZE_SPREAD * size),
        thin=_FILL_BETWEEN * normal(n_categories)[category] + _FILL_WITHIN * normal(len(image)),
        hard=_HARD_IMAGE * normal(n_images)[image]
        + _HARD_CATEGORY * normal(n_categories)[category]
        + _HARD_OBJECT * normal(len(image)),
    )


def _aptitudes(n_systems: int, n_categories: int, spread: float, rng: np.random.Generator) -> Bunch:
    """Return the aptitudes of systems: for categories (n_systems, n_categories), and masks."""
    # Normal quantiles: their gaps differ, but do not vary between seeds as those of draws.
    ranks = (np.arange(n_systems) + 0.5) / n_systems
    quality = spread * rng.permutation(special.ndtri(ranks))
    category = _APTITUDE_CATEGORY * rng.standard_normal((n_systems, n_categories))
    return Bunch(
        category=quality[:, np.newaxis] + category,
        mask=_APTITUDE_MASK * rng.standard_normal((n_systems, 1)),
    )


def _matched_detections(
    objects: Bunch, aptitudes: Bunch, coarse_bias: float, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return detections that are matched to an object, at most one per system and object."""
    ease = aptitudes.category[:, objects.category] - objects.hard
    proba_found = special.expit(_FOUND_MEAN + _FOUND_SIZE * objects.size + ease)
    is_found = rng.random(ease.shape) < proba_found

    # Overlaps on the logit scale: of boxes, and given these of masks.
    noise = rng.standard_normal((3, *ease.shape))
    box = ease + _BOX_SIZE * objects.size + _BOX_CHANCE * noise[0]
    loss = coarse_bias + _MASK_THIN * objects.thin - _MASK_SMALL * objects.size
    mask_std = _MASK_CHANCE * np.exp(_MASK_UNEVEN * (objects.thin - objects.size))
    mask = box + aptitudes.mask - loss + mask_std * noise[1]

    system, matched = np.nonzero(is_found)
    coarse_overlap = special.expit(_BOX_MEAN + box[is_found])
    area = objects.area[matched]
    # Boxes with a smaller ratio of areas than this cannot overlap more.
    max_log_ratio = -np.log(coarse_overlap)
    max_in_image = np.minimum(max_log_ratio, np.log(_IMAGE_AREA / area))
    log_ratio = rng.uniform(-max_log_ratio, max_in_image)

    quality = _SCORE_SLOPE * (box + mask)[is_found] / 2
    return {
        "system": system,
        "image": objects.image[matched],
        "category": objects.category[matched],
        "score": special.expit(_SCORE_MEAN + quality + _SCORE_CHANCE * noise[2][is_found]),
        "object": matched,
        "coarse_overlap": coarse_overlap,
        "overlap": special.expit(_BOX_MEAN + mask[is_found]),
        "detection_area": area * np.exp(log_ratio),
        "object_area": area,
    }


def _false_positives(
    objects: Bunch, n_images: int, n_systems: int, per_object: float, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return detections without an object, with categories and sizes like those of objects."""
    n_objects = len(objects.image)
    system = np.repeat(np.arange(n_systems), rng.poisson(per_object * n_objects, n_systems))
    n_errors = len(system)
    alike = rng.integers(n_objects, size=(2, n_errors))
    return {
        "system": system,
        "image": rng.integers(n_images, size=n_errors),
        "category": objects.category[alike[0]],
        "score": special.expit(_FALSE_MEAN + _SCORE_CHANCE * rng.standard_normal(n_errors)),
        "object": np.full(n_errors, -1),
        "coarse_overlap": np.zeros(n_errors),
        "overlap": np.zeros(n_errors),
        "detection_area": objects.area[alike[1]],
        "object_area": np.zeros(n_errors),
    }
