"""Figure 5 of the 2013 paper: thresholds that keep a guarantee of precision and recall.

The paper's figure shows a pedestrian detector whose scores could not be had; here it is the
satellite set of figure 2 (sat_svm3), with 100 labels drawn at random. P > 0.5 and R > 0.5 is the
paper's own goal; the others, which it does not state, are the corners and the diagonal of the
square. Section 4.4 says that a threshold can be chosen by such curves. So, for every goal, on all
sets and with several draws of labels, a threshold is chosen that meets the goal with probability
0.9, and all labels tell whether it does. RND chooses on the labelled items alone.

Writes figure_5.csv (probability and truth against the threshold), figure_5_goals.csv (that set, the
thresholds that are chosen), figure_5_claims.csv (all sets) and figure_5_calibration.csv (how often
goals hold by the probability that is stated). About 6 minutes on one core.
"""

import numpy as np
from score_sets import (
    LEVEL,
    RECALLS,
    SETS,
    fit_counting_warnings,
    hide,
    load,
    precision_at_recall,
    published,
    read_options,
    write_picture,
    write_table,
)

from sklearn_spe import Goal, PerformanceCurveEstimator
from sklearn_spe.goals._best_threshold import ThresholdOdds
from sklearn_spe.goals._goal import goal_probability
from sklearn_spe.posterior._operating_points import Task

EXAMPLE = "sat_svm3"
N_LABELS = 100
N_DRAWS = 500
# Precision and recall.
GOALS = ((0.5, 0.5), (0.5, 0.9), (0.9, 0.5), (0.8, 0.8), (0.9, 0.9))
# Of the ranks of the scores, from the lowest to the highest.
RANKS = np.r_[np.arange(0.5, 0.96, 0.025), 0.96, 0.97, 0.98, 0.99]
# The stated probabilities that are counted together.
EDGES = np.array([0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0])
METHODS = ("RND", "diagonal", "adaptive", "default")


def as_goal(precision, recall):
    """Return a goal as the estimator takes it."""
    return {"precision": precision, "recall": recall}


def method(name, seed):
    """Return the published method with one of two proposals, or the package's default."""
    if name == "default":
        return PerformanceCurveEstimator(confidence_level=LEVEL, n_draws=N_DRAWS, random_state=seed)
    return published(name, N_DRAWS, seed)


def rates(labels, scores, thresholds):
    """Return the precision and recall of the items at or above each threshold, 0 if undefined."""
    ranked = np.sort(scores), np.sort(scores[labels == 1])
    called, hit = (len(s) - np.searchsorted(s, thresholds) for s in ranked)
    return hit / np.maximum(called, 1), hit / max(len(ranked[1]), 1)


def f1(precision, recall):
    """Return the harmonic mean, 0 if both are."""
    return 2.0 * precision * recall / np.maximum(precision + recall, 1e-12)


def holds(labels, scores, thresholds, goal):
    """Return whether the labels meet a goal at each threshold."""
    precision, recall = rates(labels, scores, thresholds)
    return (precision >= goal[0]) & (recall >= goal[1])


def naive_threshold(scores, known, goal):
    """Return the score of the largest f1 among those that meet the goal on the labelled items."""
    labels, scores = known[known >= 0], scores[known >= 0]
    value = f1(*rates(labels, scores, scores))
    value[~holds(labels, scores, scores, goal)] = -1.0
    return None if value.max() < 0.0 else scores[np.argmax(value)]


def chosen_threshold(estimator, goal):
    """Return the threshold that meets a goal with probability LEVEL, or None."""
    # A guarantee of the package keeps half of its risk back, the paper's nothing.
    level = 2.0 * LEVEL - 1.0
    rule = Task("sample", estimator.seed_)
    best = ThresholdOdds.of(estimator.posterior_, Goal.of(**as_goal(*goal)), rule).best(level)
    return best.threshold if best.is_kept else None


def probability(estimator, goal, thresholds):
    """Return how probable a goal is; a threshold decides of labelled items too, as in the paper."""
    rule = Task("sample", estimator.seed_)
    band = goal_probability(estimator.posterior_, Goal.of(**as_goal(*goal)), thresholds, rule)
    return band.value


def trial(name, seed, methods):
    """Return a row for each method and goal, and stated probabilities with the truth."""
    scores, labels = load(name)
    order = np.random.default_rng([SETS.index(name), seed, N_LABELS]).permutation(len(labels))
    known = hide(labels, order, N_LABELS)
    thresholds = np.quantile(scores, RANKS)
    rows, stated = [], []
    for kind in methods:
        estimator = None
        if kind != "RND":
            estimator, _ = fit_counting_warnings(method(kind, seed), scores, known)
        for goal in GOALS:
            row = {"set": name, "method": kind, "goal": goal, "verdict": ""}
            row["reachable"] = holds(labels, scores, scores, goal).any()
            if estimator is None:
                chosen = naive_threshold(scores, known, goal)
            else:
                chosen = chosen_threshold(estimator, goal)
                row["verdict"] = str(estimator.verdict_)
                true = holds(labels, scores, thresholds, goal)
                stated += [
                    {"method": kind, "probability": p, "true": t}
                    for p, t in zip(probability(estimator, goal, thresholds), true, strict=True)
                ]
            row["guaranteed"] = chosen is not None
            if row["guaranteed"]:
                precision, recall = rates(labels, scores, chosen)
                row["precise"], row["complete"] = precision >= goal[0], recall >= goal[1]
                row["kept"] = bool(row["precise"] and row["complete"])
            rows.append(row)
    return rows, stated


def shown(goal):
    """Return a goal as text."""
    return f"P >= {goal[0]:g}, R >= {goal[1]:g}"


def claim(rows, **given):
    """Return one row of the table of claims: how often guarantees of some trials are kept."""
    guaranteed = [row for row in rows if row["guaranteed"]]
    refused = [row for row in rows if not row["guaranteed"]]
    kept = [row["kept"] for row in guaranteed]
    by_set = [
        np.mean([row["kept"] for row in guaranteed if row["set"] == name])
        for name in sorted({row["set"] for row in guaranteed})
    ]
    return {
        **given,
        "trials": len(rows),
        "reachable": sum(row["reachable"] for row in rows),
        "guaranteed": len(guaranteed),
        "kept": sum(kept),
        "share_kept": np.mean(kept) if kept else np.nan,
        "precision_too_low": sum(not row["precise"] for row in guaranteed),
        "recall_too_low": sum(not row["complete"] for row in guaranteed),
        "sets_below_half": sum(share < 0.5 for share in by_set),
        "refused_though_reachable": sum(row["reachable"] for row in refused),
    }


def claims_table(rows):
    """Return the guarantees of each method by goal, over all goals, and by the verdict."""
    table = []
    for kind in METHODS:
        own = [row for row in rows if row["method"] == kind]
        for goal in GOALS:
            table.append(
                claim([r for r in own if r["goal"] == goal], method=kind, goal=shown(goal))
            )
        table.append(claim(own, method=kind, goal="all"))
        for verdict in sorted({row["verdict"] for row in own} - {""}):
            chosen = [row for row in own if row["verdict"] == verdict]
            table.append(claim(chosen, method=kind, goal=f"all, verdict {verdict}"))
    return table


def calibration_table(stated):
    """Return how often goals hold at thresholds, by the probability that is stated."""
    table = []
    for kind in METHODS[1:]:
        own = [row for row in stated if row["method"] == kind]
        probability = np.array([row["probability"] for row in own])
        true = np.array([row["true"] for row in own])
        bins = np.clip(np.searchsorted(EDGES, probability, side="right") - 1, 0, len(EDGES) - 2)
        for i in np.unique(bins):
            at = bins == i
            table.append(
                {
                    "method": kind,
                    "from": EDGES[i],
                    "to": EDGES[i + 1],
                    "cases": int(at.sum()),
                    "mean_probability": probability[at].mean(),
                    "share_true": true[at].mean(),
                }
            )
    return table


def example_fit(kind):
    """Return scores, all labels, the known ones, and a fit to them, of the set that is drawn."""
    scores, labels = load(EXAMPLE)
    order = np.random.default_rng([SETS.index(EXAMPLE), 0, N_LABELS]).permutation(len(labels))
    known = hide(labels, order, N_LABELS)
    estimator, _ = fit_counting_warnings(method(kind, 0), scores, known)
    return scores, labels, known, estimator


def curve_table(scores, labels, estimator):
    """Return the probability of each goal against the threshold, and whether it holds."""
    thresholds = np.quantile(scores, RANKS)
    columns = dict(zip(("precision", "recall"), rates(labels, scores, thresholds), strict=True))
    columns = {"rank": RANKS, "threshold": thresholds, **columns}
    for goal in GOALS:
        columns[shown(goal)] = probability(estimator, goal, thresholds)
        true = holds(labels, scores, thresholds, goal)
        columns[f"{shown(goal)} true"] = np.where(true, "yes", "no")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def goals_table(scores, labels, known, estimators):
    """Return, for each goal of the drawn set, where it holds and the chosen threshold."""
    rows = []
    for goal in GOALS:
        true = np.sort(scores[holds(labels, scores, scores, goal)])
        chosen = {"RND": naive_threshold(scores, known, goal)}
        chosen |= {kind: chosen_threshold(e, goal) for kind, e in estimators.items()}
        for kind, threshold in chosen.items():
            precision, recall = (
                (np.nan, np.nan) if threshold is None else rates(labels, scores, threshold)
            )
            rows.append(
                {
                    "goal": shown(goal),
                    "holds_from": true[0] if len(true) else np.nan,
                    "holds_to": true[-1] if len(true) else np.nan,
                    "method": kind,
                    "threshold": np.nan if threshold is None else threshold,
                    "true_precision": precision,
                    "true_recall": recall,
                    "kept": "" if threshold is None else _yes(precision, recall, goal),
                }
            )
    return rows


def _yes(precision, recall, goal):
    return "yes" if precision >= goal[0] and recall >= goal[1] else "no"


def draw(scores, labels, estimators):
    """Draw figures 5A and 5B, a row for each method; bars below B show where goals hold."""
    import matplotlib.pyplot as plt

    from sklearn_spe.display import GoalProbabilityDisplay

    figure, axes = plt.subplots(len(estimators), 2, figsize=(12, 5 * len(estimators)))
    for (a, b), (kind, estimator) in zip(np.atleast_2d(axes), estimators.items(), strict=True):
        display = GoalProbabilityDisplay.from_estimator(
            estimator,
            [as_goal(*goal) for goal in GOALS],
            names=[shown(goal) for goal in GOALS],
            ax=b,
            confidence_level=LEVEL,
        )
        display.plot_boxes(a)
        a.plot(RECALLS, precision_at_recall(labels, scores), "k--", label="all labels")
        a.legend(loc="lower left", fontsize="small")
        a.set_title(f"A: {EXAMPLE}, {N_LABELS} labels, {kind}")
        for i, (line, goal) in enumerate(zip(display.lines_, GOALS, strict=True)):
            true = scores[holds(labels, scores, scores, goal)]
            at = np.full(len(true), -0.04 * (i + 1))
            b.plot(true, at, "|", color=line.get_color(), markersize=5)
        low = np.quantile(scores, RANKS[0])
        b.set(title="B: lines, estimated; marks below, where it is true")
        b.set(xlim=(low, scores.max()), ylim=(-0.04 * (len(GOALS) + 1), 1.05))
        title = b.get_legend().get_title().get_text()
        b.legend(loc="center right", fontsize="small", title=title, title_fontsize="small")
        b.set_yticks(np.linspace(0.0, 1.0, 6))
    return figure


def main():
    """Write the tables of figure 5."""
    options = read_options(__doc__)
    fits = {kind: example_fit(kind) for kind in ("diagonal", "default")}
    scores, labels, known, _ = fits["diagonal"]
    estimators = {kind: fit[-1] for kind, fit in fits.items()}
    print(f"{EXAMPLE}: {(known == 1).sum()} of the {N_LABELS} labels are positive")
    write_table(curve_table(scores, labels, estimators["diagonal"]), "figure_5", options)
    write_table(goals_table(scores, labels, known, estimators), "figure_5_goals", options)

    rows, stated = [], []
    for name in SETS[9::16] if options.quick else SETS:
        for seed in range(1 if options.quick else 5):
            of_trial = trial(name, seed, METHODS)
            rows += of_trial[0]
            stated += of_trial[1]
    write_table(claims_table(rows), "figure_5_claims", options)
    write_table(calibration_table(stated), "figure_5_calibration", options)
    if options.pictures:
        write_picture(draw(scores, labels, estimators), "figure_5", options)


if __name__ == "__main__":
    main()
