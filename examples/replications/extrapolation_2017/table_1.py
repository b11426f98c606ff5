"""Table 1 of the 2017 paper: the error with all classes, from a quarter of them, by classifier.

The paper's Telugu characters could not be had. Two tables take their place.

Classes with features made at hand (see classifiers.py): each classifier is trained on a quarter of
the classes, extrapolated to all, and trained again on all, which is the truth. 25 of 100 classes,
and 100 of 400 as in the paper's text. "restricted" is the error on the same quarter of the
classifier that was trained on all classes, with the scores of the other classes left out: for a
marginal classifier it is that of the one trained on the quarter.

Scores of published data, from the folder --data: letters (26 classes, multinomial logistic
regression) and Omniglot (136, linear discriminant). Nothing is trained again there: the truth is
the error with all columns.

Writes table_1_trained.csv and, with --data, table_1_scores.csv. About 1.5 minutes on one core.
"""

import numpy as np
from classifiers import CLASSIFIERS, make_characters
from estimates import (
    METHODS,
    load,
    predictions,
    read_options,
    rmse,
    subsample,
    write_table,
)

from sklearn_spe import average_accuracy_curve

# Classes of the whole problem, and how many problems are drawn; each has four quarters.
CASES = ((100, 6), (400, 2))
N_PARTS = 4
SETS = (
    ("letter_multiclass_logres", "letters, logistic", 7),
    ("letter_multiclass_logres", "letters, logistic", 13),
    ("omniglot_multiclass_lda", "Omniglot, linear discriminant", 34),
)
N_REPEATS = 40
SEED = 1


def accuracy(scores, labels):
    """Return the accuracy with all columns, ties broken at random, in expectation."""
    columns = np.arange(scores.shape[1])
    return average_accuracy_curve(
        labels, scores, n_classes=len(columns), labels=columns, average="micro"
    )


def one_problem(n_classes, rng):
    """Return, for each classifier, an array with a row for each quarter of the classes.

    The columns: the accuracies of a quarter, of the quarter restricted and of all, then what each
    method predicts.
    """
    (X, y), (test, truth) = make_characters(n_classes, rng)
    quarters = rng.permutation(n_classes).reshape(N_PARTS, -1)
    found = {}
    for name, (scores_of, _) in CLASSIFIERS.items():
        everything = scores_of(X, y, test)
        whole = accuracy(everything, truth)
        rows = []
        for kept in np.sort(quarters, axis=1):
            learned, tested = np.isin(y, kept), np.isin(truth, kept)
            scores = scores_of(X[learned], y[learned], test[tested])
            labels = np.searchsorted(kept, truth[tested])
            restricted = accuracy(everything[np.ix_(tested, kept)], labels)
            row = [accuracy(scores, labels), restricted, whole]
            rows.append(row + [v[0] for v in predictions(scores, labels, n_classes).values()])
        found[name] = np.array(rows)
    return found


def trained(options):
    """Return the table of classifiers that are trained again."""
    rows = []
    for n_classes, n_problems in CASES[:1] if options.quick else CASES:
        n_problems = 1 if options.quick else n_problems
        problems = [
            one_problem(n_classes, np.random.default_rng([SEED, n_classes, i]))
            for i in range(n_problems)
        ]
        for name, (_, marginal) in CLASSIFIERS.items():
            found = np.concatenate([problem[name] for problem in problems])
            row = {"classes": f"{n_classes // N_PARTS} of {n_classes}", "classifier": name}
            row |= {"marginal": "yes" if marginal else "no", "pilots": len(found)}
            pilot, restricted, truth = 1.0 - found[:, :3].T
            row |= {"pilot": pilot.mean(), "restricted": restricted.mean(), "truth": truth.mean()}
            rows.append(row | errors(truth, 1.0 - found[:, 3:]))
    return rows


def of_scores(options):
    """Return the table of published scores."""
    rows = []
    for name, title, size in SETS:
        scores, labels = load(options.data, name)
        truth = 1.0 - accuracy(scores, labels)
        rng = np.random.default_rng([SEED, size])
        found, pilots = [], []
        for seed in range(options.repeats):
            part = subsample(scores, labels, size, rng)
            pilots.append(1.0 - accuracy(*part))
            found.append([v[0] for v in predictions(*part, scores.shape[1], seed).values()])
        row = {"set": title, "classes": f"{size} of {scores.shape[1]}"}
        row |= {"pilot": np.mean(pilots), "truth": truth}
        rows.append(row | errors(truth, 1.0 - np.array(found)))
    return rows


def errors(truth, estimates):
    """Return the means of the estimated errors, and how far they are off."""
    row = {name: estimates[:, i].mean() for i, name in enumerate(METHODS)}
    return row | {f"rmse {name}": rmse(estimates[:, i], truth) for i, name in enumerate(METHODS)}


def main():
    """Write the tables."""
    options = read_options(__doc__, repeats=N_REPEATS, data=True)
    write_table(trained(options), "table_1_trained", options)
    if options.data is not None:
        write_table(of_scores(options), "table_1_scores", options)


if __name__ == "__main__":
    main()
