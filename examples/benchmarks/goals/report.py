"""What many answers amount to."""

import numpy as np
from answerers import split
from text_tables import as_text, grouped, titled_table, weighted_mean

NAMES = {
    "spent": "this package, labels spent for the goal",
    "proved": "the same, proved without a model",
    "drawn": "this package, labels drawn at random",
    "bargain": "BARGAIN",
    "window": "all labels known: the best window",
}
N_WORST = 15


def numbers(fits):
    """Return the numbers of one group of fits."""
    returned = [row for row in fits if int(row["returned"])]
    n_broken = sum(int(row["broken"]) for row in returned)
    return {
        "useful": weighted_mean(fits, "useful"),
        "returned": weighted_mean(fits, "returned"),
        "broken": f"{n_broken} of {len(returned)}",
        "broken_weighted": weighted_mean(returned, "broken") if returned else np.nan,
        "seconds": np.mean([float(row["seconds"]) for row in fits]),
    }


def cell(share):
    """Return a share as text, a dash without an answer."""
    return "--" if np.isnan(share) else f"{share:.3f}"


def body_of(rows, methods):
    """Return the rows of the table: a line for each goal, number of labels and method."""
    groups = grouped(rows, "method", "n_labels")
    body = []
    for goal in dict.fromkeys(split(m)[0] for m in methods):
        for n in sorted({n for _, n in groups}, key=int):
            for m in methods:
                if split(m)[0] == goal and (m, n) in groups:
                    found = numbers(groups[m, n])
                    body.append(
                        [
                            goal,
                            n,
                            NAMES[split(m)[1]],
                            f"{found['useful']:.2f}",
                            found["broken"],
                            cell(found["broken_weighted"]),
                            f"{found['returned']:.2f}",
                            f"{found['seconds']:.2f}",
                        ]
                    )
    return body


HEADING = ["goal", "labels", "method", "useful", "broken", "weighted", "returned", "seconds"]


def report(rows, methods, rst=False):
    """Return all tables."""
    present = {row["method"] for row in rows}
    methods = [m for m in methods if m in present]
    parts = [as_text("All sets", (HEADING, body_of(rows, methods)), rst)]
    for (method,), fits in grouped(rows, "method").items():
        by_set = grouped(fits, "set", "n_labels")
        body = [
            [name, n, f"{numbers(own)['useful']:.2f}", numbers(own)["broken"]]
            for (name, n), own in by_set.items()
            if any(int(row["broken"] or 0) for row in own)
        ]
        body.sort(key=lambda line: -int(line[-1].split()[0]))
        if body:
            table = ["set", "labels", "useful", "broken"], body[:N_WORST]
            parts.append(as_text(f"Most broken of {method}", table, rst))
    failed = [row for row in rows if row["failure"]]
    for (method,), found in grouped(failed, "method").items():
        parts.append(f"{len(found)} fits of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)


def main_table(rows, methods):
    """Return the table of the guide."""
    n_sets = len({row["set"] for row in rows})
    title = f"Goals of precision or recall 0.9 with probability 0.9, on {n_sets} score sets"
    # Without seconds, which differ between processors.
    body = [line[:-1] for line in body_of(rows, methods)]
    return titled_table(title, HEADING[:-1], body, widths=[10, 8, 34, 8, 12, 10, 10])
