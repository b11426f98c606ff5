"""What many reviews amount to."""

from text_tables import as_text, grouped, titled_table, weighted_mean

NAMES = {
    "selector": "RecallReached, reading",
    "certificate": "RecallCertificate",
    "cut_14": "the same, read as far as QBCB, 14",
    "cut_50": "the same, read as far as QBCB, 50",
    "ranking": "the same, if the ranking is trusted",
    "qbcb_14": "QBCB, 14 positives",
    "qbcb_50": "QBCB, 50 positives",
    "elusion": "elusion sample of 200",
    "hypergeometric": "buscarpy, hypergeometric",
}
HEADING = ["rule", "violated", "weighted", "worst set", "recall", "read", "drawn below", "in all"]


def numbers(fits):
    """Return the cells of one group of fits: shares of items in percent."""
    shares = [
        {
            **row,
            "read_share": 100.0 * int(row["read"]) / int(row["n_items"]),
            "below_share": 100.0 * int(row["below"]) / int(row["n_items"]),
        }
        for row in fits
    ]
    by_set = [
        sum(int(r["violated"]) for r in own) / len(own) for own in grouped(fits, "set").values()
    ]
    read, below = weighted_mean(shares, "read_share"), weighted_mean(shares, "below_share")
    return [
        f"{sum(int(row['violated']) for row in fits)} of {len(fits)}",
        f"{weighted_mean(fits, 'violated'):.3f}",
        f"{max(by_set):.2f}",
        f"{weighted_mean(fits, 'recall'):.3f}",
        f"{read:.1f}%",
        f"{below:.1f}%",
        f"{read + below:.1f}%",
    ]


def body_of(rows, methods):
    """Return the rows of the table, a line for each rule."""
    groups = grouped([row for row in rows if not row["failure"]], "method")
    return [[NAMES[m], *numbers(groups[m,])] for m in methods if (m,) in groups]


def report(rows, methods, rst=False):
    """Return all tables."""
    parts = [as_text("All sets", (HEADING, body_of(rows, methods)), rst)]
    for (method,), fits in grouped(rows, "method").items():
        failed = [row for row in fits if row["failure"]]
        if failed:
            parts.append(f"{len(failed)} reviews of {method} failed: {failed[0]['failure']}\n")
        violated = [row for row in fits if row["violated"] == "1"]
        for (name,), own in grouped(violated, "set").items():
            parts.append(f"{method} violated {len(own)} times on {name}")
    return "\n".join(parts)


def main_table(rows, methods):
    """Return the table of the guide."""
    n_sets = len({row["set"] for row in rows})
    title = f"Rules that aim at 80% of the positives in 95% of the reviews, on {n_sets} score sets"
    return titled_table(
        title, HEADING, body_of(rows, methods), widths=[30, 14, 10, 10, 9, 9, 10, 9]
    )
