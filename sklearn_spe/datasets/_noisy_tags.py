"""Tags of images: clean labels, noisy labels by users, and a classifier's scores."""

from __future__ import annotations

import numpy as np
from scipy import special
from sklearn.utils import Bunch

from ..inputs._arrays import RandomState
from ..inputs._validation import check_count, check_number, seed_entropy, spawn

# Standard deviations between tags: of the log separation, the log slope and the shift of the
# scores.
_SEPARATION_SPREAD = 0.5
_SLOPE_SPREAD = 0.3
_SHIFT_SPREAD = 0.8
# Positives are heterogeneous: ratio of the spread of their scores to that of negatives.
_POSITIVE_SPREAD = 1.2


def make_noisy_tags(
    n_images: int = 2000,
    n_tags: int = 81,
    *,
    recall: float = 0.38,
    false_rate: float = 0.01,
    noise_spread: float = 0.0,
    prevalence: float = 0.004,
    long_tail: float = 1.8,
    separation: float = 1.5,
    random_state: RandomState = None,
) -> Bunch:
    """Draw images with tags, noisy tags, and the scores of a multi-label classifier.

    The clean label is whether an image has a tag. Users tag incompletely: they name a tag for few
    of the images that have it, and sometimes for other images. Given the clean label and the tag,
    the noisy label is independent of the score. The default rates are those of a large photo
    collection [1]_. As in that collection, the prevalence of tags is long-tailed and some tags are
    harder to classify than others [2]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_images : int, default=2000
    n_tags : int, default=81
    recall : float in [0, 1], default=0.38
        The probability that the noisy label is 1 for an image with the tag.
    false_rate : float in [0, 1], default=0.01
        The probability that the noisy label is 1 for an image without the tag.
    noise_spread : float, default=0.0
        The standard deviation over tags of the log-odds of ``recall`` and ``false_rate``. With 0
        all tags have the same rates.
    prevalence : float in (0, 1), default=0.004
        The median over the tags of the probability that an image has a tag.
    long_tail : float, default=1.8
        The standard deviation over the tags of the log-odds of their prevalence.
    separation : float, default=1.5
        The median over tags of the difference between the mean scores of images with and without
        the tag, in standard deviations of images without it.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same images, tags and scores for all noise rates.

    Returns
    -------
    data : Bunch
        A row for each pair of an image and a tag, ``n_pairs = n_images * n_tags``, tag by tag:

        scores : ndarray of shape (n_pairs,)
            The log-odds of the tag from a badly calibrated classifier. Its errors of slope and
            intercept differ between tags.
        labels : ndarray of shape (n_pairs,), dtype=int64
            The clean labels, 0 and 1.
        noisy_labels : ndarray of shape (n_pairs,), dtype=int64
            The noisy labels, 0 and 1.
        category : ndarray of shape (n_pairs,), dtype=int64
            The tag, from 0 to ``n_tags - 1``.
        image : ndarray of shape (n_pairs,), dtype=int64
            The image, from 0 to ``n_images - 1``.
        prevalence : ndarray of shape (n_tags,)
            The probability that an image has a tag.
        recall : ndarray of shape (n_tags,)
            The probability that the noisy label is 1 where the clean label is 1.
        false_rate : ndarray of shape (n_tags,)
            The probability that the noisy label is 1 where the clean label is 0.

    Raises
    ------
    TypeError
        If a parameter is not a number, or a number of images or tags is not whole.
    ValueError
        If a number is out of range.

    References
    ----------
    .. [1] H. Izadinia, B. C. Russell, A. Farhadi, M. D. Hoffman, A. Hertzmann. "Deep classifiers
           from image tags in the wild". Workshop on Community-Organized Multimodal Mining, 2015.
    .. [2] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
           for estimating accuracy". International Conference on Machine Learning, 2018.

    Examples
    --------
    Among the 48 images with the highest scores of each tag, the share that has it, and the share
    with a noisy label:

    >>> import numpy as np
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(random_state=0)
    >>> top = np.argsort(-data.scores.reshape(81, 2000), axis=1)[:, :48]
    >>> for labels in (data.labels, data.noisy_labels):
    ...     found = np.take_along_axis(labels.reshape(81, 2000), top, axis=1)
    ...     print(round(float(found.mean()), 3))
    0.183
    0.076
    """
    n_images = check_count(n_images, "n_images")
    n_tags = check_count(n_tags, "n_tags")
    rates = [check_number(recall, "recall", "[0, 1]")]
    rates.append(check_number(false_rate, "false_rate", "[0, 1]"))
    noise_spread = check_number(noise_spread, "noise_spread", "[0, 1e6]")
    prevalence = check_number(prevalence, "prevalence", "(0, 1)")
    long_tail = check_number(long_tail, "long_tail", "[0, 1e6]")
    separation = check_number(separation, "separation", "[0, 1e6]")

    # Separate random streams: the noise does not change tags, images and scores.
    entropy = seed_entropy(random_state)
    tags, images, noise = (spawn(entropy, stream) for stream in range(3))

    # The parameters of the tags.
    log_odds = special.logit(prevalence) + long_tail * tags.standard_normal(n_tags)
    prevalences = special.expit(log_odds)
    distance = separation * np.exp(_SEPARATION_SPREAD * tags.standard_normal(n_tags))
    slope = np.exp(_SLOPE_SPREAD * tags.standard_normal(n_tags))
    shift = _SHIFT_SPREAD * tags.standard_normal(n_tags)
    noise_of_rates = noise_spread * noise.standard_normal((2, n_tags))
    recalls, false_rates = special.expit(special.logit(rates)[:, np.newaxis] + noise_of_rates)

    scores = np.empty((n_tags, n_images))
    labels = np.empty((n_tags, n_images), dtype=np.int64)
    noisy_labels = np.empty_like(labels)

    # Tag by tag: besides the output, only arrays of length n_images are held.
    for tag in range(n_tags):
        positive = images.random(n_images) < prevalences[tag]
        evidence = images.standard_normal(n_images)
        evidence[positive] *= _POSITIVE_SPREAD
        evidence[positive] += distance[tag]
        # The log-odds if positives spread like negatives, stretched and shifted.
        evidence -= 0.5 * distance[tag]
        evidence *= distance[tag]
        evidence += log_odds[tag]
        scores[tag] = slope[tag] * evidence + shift[tag]
        labels[tag] = positive
        proba_of_tag = np.where(positive, recalls[tag], false_rates[tag])
        noisy_labels[tag] = noise.random(n_images) < proba_of_tag

    return Bunch(
        scores=scores.ravel(),
        labels=labels.ravel(),
        noisy_labels=noisy_labels.ravel(),
        category=np.repeat(np.arange(n_tags), n_images),
        image=np.tile(np.arange(n_images), n_tags),
        prevalence=prevalences,
        recall=recalls,
        false_rate=false_rates,
    )
