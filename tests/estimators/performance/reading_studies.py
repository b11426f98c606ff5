"""Reading studies, and the published analyses of complete ones, written from their papers."""

import numpy as np
from scipy import stats


def read_cases(rng, n_cases, n_readers, *, gain=0.4, between=0.3, n_modalities=2):
    """Return scores (n_cases, n_modalities, n_readers) of readers who differ, and the truth."""
    truth = (np.arange(n_cases) < n_cases * 0.4).astype(int)
    shift = 1.3 + gain * np.arange(n_modalities)[:, np.newaxis]
    shift = shift + between * rng.normal(size=(n_modalities, n_readers))
    of_case = rng.normal(size=(n_cases, 1, 1)) + 0.6 * rng.normal(size=(n_cases, n_modalities, 1))
    own = 0.8 * rng.normal(size=(n_cases, n_modalities, n_readers))
    return shift * truth[:, np.newaxis, np.newaxis] + (of_case + own) / 1.4, truth


def pairs_in_order(scores, truth):
    """Return whether a positive scores above a negative, a half for ties."""
    positive, negative = scores[truth == 1][:, np.newaxis], scores[truth == 0]
    return (positive > negative) + 0.5 * (positive == negative)


def areas_and_covariance(scores, truth):
    """Return areas under the ROC curve and their covariance (DeLong et al., 1988)."""
    flat = scores.reshape(len(scores), -1)
    order = pairs_in_order(flat, truth)
    of_positive, of_negative = order.mean(axis=1), order.mean(axis=0)
    covariance = np.cov(of_positive.T) / len(of_positive) + np.cov(of_negative.T) / len(of_negative)
    return order.mean(axis=(0, 1)).reshape(scores.shape[1:]), covariance


def obuchowski_rockette(n_readers, between, within, across, level):
    """Return the standard error of a difference of two modalities, its df, and half its interval.

    Readers and cases are random: equations of Hillis (2007, 2014). `between` is the mean square
    MS(T:R); `within` and `across` are the mean covariances Cov2, of different readers in one
    modality, and Cov3, of different readers in different modalities.
    """
    total = between + max(n_readers * (within - across), 0.0)
    df = total**2 / (between**2 / (n_readers - 1))
    error = np.sqrt(2.0 * total / n_readers)
    return error, df, stats.t.ppf(0.5 + level / 2.0, df) * error


def components(areas, covariance):
    """Return MS(T:R), Cov2 and Cov3 of two modalities; areas are (2, n_readers)."""
    n_readers = areas.shape[1]
    blocks, others = covariance.reshape(2, n_readers, 2, n_readers), ~np.eye(n_readers, dtype=bool)
    within = np.mean([blocks[i, :, i][others].mean() for i in (0, 1)])
    return (areas[1] - areas[0]).var(ddof=1) / 2.0, within, blocks[0, :, 1][others].mean()


def one_shot_variance(kernel):
    """Return the variance of the mean of a kernel over readers and cases, all random.

    The U-statistics of Gallas (2006); `kernel` is (n_positive, n_negative, n_readers), of one
    modality or of a difference.
    """
    sizes = np.array(kernel.shape, dtype=float)
    moments = {}
    # Products of two kernels of which the indices in `same` are equal and the others differ.
    for same in np.ndindex(2, 2, 2):
        # Sums over the indices that are free, by inclusion and exclusion of equal ones.
        total = 0.0
        for equal in np.ndindex(*(1 if s else 2 for s in same)):
            shared = tuple(bool(s or e) for s, e in zip(same, equal, strict=True))
            summed = tuple(axis for axis in range(3) if not shared[axis])
            total += (-1.0) ** sum(equal) * (kernel.sum(axis=summed) ** 2).sum()
        free = np.where(same, sizes, sizes * (sizes - 1.0)).prod()
        moments[same] = total / free
    weights = {same: np.where(same, 1.0, sizes - 1.0).prod() / sizes.prod() for same in moments}
    return sum(weights[same] * moments[same] for same in moments) - moments[0, 0, 0]
