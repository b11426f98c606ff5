"""Who reviews: functions ``reviewer(case, labels, order)``.

`labels` are those of the ranking, from the top, and `order` the places in the case of its items.
They return how many items were read from the top, and the ranks (from 0) of the items that were
drawn at random. An addition is one function and one entry in `REVIEWERS`.
"""

from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy import stats

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import RecallReached
from sklearn_spe.design import RecallCertificate

RECALL, CONFIDENCE = 0.8, 0.95
PAGE = 25
# Who has no model stops to read once two pages hold at most so much of what was found.
LITTLE = 0.02
ELUSION_SAMPLE = 200


def selector(case, labels, order):
    """Read and draw as the package asks for, until the recall is proved."""
    asked = ActiveTestSelector(
        strategy="reading", n_draws=100, random_state=case.seed, classes=[0, 1]
    )
    asked.fit(case.scores)
    looked_at = []
    while not asked.should_stop(RecallReached(RECALL, CONFIDENCE)):
        items = asked.query(min(2 * PAGE, asked.n_left_))
        asked.update(items, case.labels[items])
        looked_at += items.tolist()
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    looked_at = np.array(looked_at)
    is_read = np.isnan(asked.query_proba_[looked_at])
    n_read = rank[looked_at[is_read]].max(initial=-1) + 1
    return n_read, rank[looked_at[~is_read]]


def certificate(case, labels, order):
    """Read until two pages hold few positives, then draw; read on where draws find more."""
    return proved(case, labels, pages_until_little(labels, 0))


def at_the_cut(case, labels, order, n_positive):
    """Read as far as QBCB does, and draw until it is proved."""
    n_read, _ = quantile_bound(case, labels, order, n_positive)
    return proved(case, labels, n_read)


def proved(case, labels, n_read):
    """Draw page by page, and read on to the drawn positives if that costs no more than draws."""
    known = np.arange(len(labels)) < n_read
    proof = RecallCertificate.start(len(labels), recall=RECALL, confidence_level=CONFIDENCE)
    proof, drawn = proof.read(labels[:n_read], np.arange(n_read)), np.empty(0, dtype=int)
    rng = np.random.default_rng(case.seed + 1)
    while not proof.is_reached:
        hits = drawn[(labels[drawn] == 1) & (drawn >= n_read)]
        following = np.flatnonzero(~known[: hits.min(initial=len(labels))])
        if len(hits) and len(following) <= len(drawn):
            proof, n_read = proof.read(labels[following], following), int(hits.min()) + 1
            known[following] = True
            continue
        page = rng.permutation(np.flatnonzero(~known))[:PAGE]
        proof, known[page] = proof.drawn(labels[page], page), True
        drawn = np.r_[drawn, page]
    return n_read, drawn


def ranking(case, labels, order):
    """Trust the ranking: from some page on items that are read count as drawn."""
    n_read = pages_until_little(labels, 0)
    proof = RecallCertificate.start(len(labels), recall=RECALL, confidence_level=CONFIDENCE)
    proof = proof.read(labels[:n_read])
    while not proof.is_reached:
        proof, n_read = proof.drawn(labels[n_read : n_read + PAGE]), n_read + PAGE
    return min(n_read, len(labels)), np.empty(0, dtype=int)


def quantile_bound(case, labels, order, n_positive):
    """Draw until a number of positives is found, and read until enough of them are passed.

    The quantile binomial confidence bound of Lewis, Yang and Frieder (2021).
    """
    shuffled = np.random.default_rng(case.seed).permutation(len(labels))
    found = np.cumsum(labels[shuffled])
    n_drawn = int(np.searchsorted(found, n_positive)) + 1
    if n_drawn > len(labels):
        return len(labels), shuffled
    drawn = shuffled[:n_drawn]
    enough = stats.binom.sf(np.arange(n_positive), n_positive, RECALL) <= 1.0 - CONFIDENCE
    ranks = np.sort(drawn[labels[drawn] == 1])
    return int(ranks[np.argmax(enough)]) + 1, drawn


def elusion(case, labels, order):
    """Draw a sample of unread items, and stop if few positives are missed by its estimate."""
    rng, n_read = np.random.default_rng(case.seed), pages_until_little(labels, 0)
    drawn = np.empty(0, dtype=int)
    while n_read < len(labels):
        sample = n_read + rng.permutation(len(labels) - n_read)[:ELUSION_SAMPLE]
        drawn = np.union1d(drawn, sample)
        missed = labels[sample].mean() * (len(labels) - n_read)
        n_found = labels[:n_read].sum()
        if n_found > 0 and n_found >= RECALL * (n_found + missed):
            break
        n_read = pages_until_little(labels, n_read)
    return n_read, drawn


def hypergeometric(case, labels, order):
    """Ask buscarpy after every four pages, which takes the last ones for a random sample."""
    from buscarpy import calculate_h0

    for n_read in range(4 * PAGE, len(labels), 4 * PAGE):
        known = labels[:n_read].astype(np.int8)
        p = calculate_h0(known, len(labels), recall_target=RECALL) if known.any() else 1.0
        if p is not None and p < 1.0 - CONFIDENCE:
            return n_read, np.empty(0, dtype=int)
    return len(labels), np.empty(0, dtype=int)


def pages_until_little(labels, n_read):
    """Return how many items are read once two more pages hold little, of positives found."""
    while n_read < len(labels):
        n_read = min(n_read + 2 * PAGE, len(labels))
        n_found = labels[:n_read].sum()
        if n_found and labels[n_read - 2 * PAGE : n_read].sum() <= LITTLE * n_found:
            break
    return n_read


REVIEWERS = {
    "selector": selector,
    "certificate": certificate,
    "cut_14": partial(at_the_cut, n_positive=14),
    "cut_50": partial(at_the_cut, n_positive=50),
    "ranking": ranking,
    "qbcb_14": partial(quantile_bound, n_positive=14),
    "qbcb_50": partial(quantile_bound, n_positive=50),
    "elusion": elusion,
    "hypergeometric": hypergeometric,
}
MISSING = {} if find_spec("buscarpy") else {"hypergeometric": "pip install buscarpy"}
