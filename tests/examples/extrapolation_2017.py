"""Cheap cells of the replication of more classes."""

from types import SimpleNamespace

import numpy as np

from tests.examples.tables import REPLICATIONS, Form, printed_rows, script

FOLDER = REPLICATIONS / "extrapolation_2017"
NOT_HERE = "the scores of Omniglot and of the letters are not part of the repository"
SKIPPED = {
    "figure_11_omniglot": NOT_HERE,
    "figure_12_omniglot": NOT_HERE,
    "table_1_scores": NOT_HERE,
}
# Means over problems of numbers that are rounded to three and to four digits.
FORMS = {
    "ablation_exact": Form(chance=1e-4),
    "ablation_pilots": Form(chance=1e-3),
    "theory_convex": Form(significant=2),
}


def figure_6():
    """All of it: drawn centers, exact accuracies."""
    figure = script(FOLDER, "figure_6")
    rng = np.random.default_rng(figure.SEED)
    found = {
        k: figure.label_set_accuracies(figure.CORRELATION, k, figure.N_SETS, rng) for k in (2, 3)
    }
    return figure.summary(found), ("k",)


def figure_7a():
    """All of it: a formula, and a million draws."""
    figure = script(FOLDER, "figure_7")
    return figure.at_points(figure.N_DRAWS), ("x", "y")


def figure_7a_line():
    """All of it: a formula."""
    return script(FOLDER, "figure_7").along_line(), ("distance", "x is")


def figure_7b():
    """The quadrature of one level."""
    figure = script(FOLDER, "figure_7")
    return [{"u": 0.5, "D": figure.toy().distribution(0.5)}], ("u",)


def figure_8a():
    """The quadrature of one problem."""
    counts = np.arange(2, 11)
    risks = 1.0 - script(FOLDER, "figure_8").toy(0.9).accuracy(counts)
    return [{"k": k, "rho=0.9": risk} for k, risk in zip(counts, risks, strict=True)], ("k",)


def figure_8b():
    """The quadrature of one problem."""
    levels = np.array(script(FOLDER, "figure_8").LEVELS)
    values = script(FOLDER, "figure_8").toy(0.3).distribution(levels)
    return [{"u": u, "rho=0.3": v} for u, v in zip(levels, values, strict=True)], ("u",)


def figure_8c():
    """One linear programme."""
    figure = script(FOLDER, "figure_8")
    nodes = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0.0, 1.0, figure.N_NODES))
    found = figure.best_deviation(figure.toy(0.7).distribution(nodes), nodes, 3)
    return [{"degree": 3, "rho=0.7": found}], ("degree",)


def unbiased_ranks():
    """All of it: enumerated."""
    return script(FOLDER, "unbiased").ranks(), ("k",)


def unbiased_average():
    """The quadrature beside which the means of 4,000 pilots stand."""
    figure = script(FOLDER, "unbiased")
    exact = figure.toy(0.9).accuracy(np.array(figure.SHOWN))
    return [{"k": k, "exact": value} for k, value in zip(figure.SHOWN, exact, strict=True)], ("k",)


def unbiased_regression():
    """The weights of any sign, a linear map of the mean of the curves."""
    figure = script(FOLDER, "unbiased")
    moments = figure.power_moments(figure.DEGREES, np.arange(2, figure.SIZE + 1))
    weights, rng = figure.WEIGHTS["inside"], np.random.default_rng([figure.SEED, 1])
    curves = figure.drawn_curves(weights, figure.N_REPEATS, rng)
    at_one = np.ones(len(figure.DEGREES))
    found = np.array([figure.any_sign(moments, at_one, 1.0 - c[1:], False) for c in curves])
    row = {"case": "inside", "weights": "any sign"}
    return [row | {"weight of u^5": figure._bias(found[:, 1], weights[1])}], tuple(row)


def theory_uniform():
    """All of it: drawn centers, a formula."""
    return script(FOLDER, "theory").uniform_given_x(), ("x", "Y from", "of")


def theory_accuracy():
    """One problem with two classes, drawn 2,000 times."""
    theory = script(FOLDER, "theory")
    (name, task), *_ = theory.TASKS.items()
    rng = np.random.default_rng([theory.SEED, 0, 2])
    drawn = [task.draw(2, 1, rng) for _ in range(theory.N_PROBLEMS)]
    counted = np.mean([(scores.argmax(axis=1) == labels).mean() for scores, labels in drawn])
    row = {"problem": name, "k": 2, "counted": counted, "theorem 4.1": task.accuracy(2)}
    return [row], ("problem", "k")


def theory_convex():
    """The problems with hubs, which are not convex."""
    theory = script(FOLDER, "theory")
    u = np.arange(0.0, 1.0 + theory.STEP / 2.0, theory.STEP).clip(max=1.0)
    rows = []
    for share in theory.SHARES:
        bends = np.diff(theory.hub_distribution(u, share), 2)
        row = {"problem": f"hubs, share {share}", "least second difference": bends.min()}
        rows.append(row | {"at u": u[bends.argmin() + 1], "convex": "no"})
    return rows, ("problem",)


def theory_hubs():
    """One share of two: fits to an exact curve."""
    theory = script(FOLDER, "theory")
    return theory.from_exact_curves(theory.SHARES[:1]), ("share", "estimate")


def theory_hubs_pilots():
    """The steps, of which a fit takes milliseconds."""
    theory = script(FOLDER, "theory")
    share, counts = theory.SHARES[1], theory.RATIOS * theory.SIZE
    steps = theory.fit(theory.step_moments, theory.GEOMETRIC, theory.non_negative, True)
    found = []
    for repeat in range(theory.N_REPEATS):
        scores, labels = theory.hub_pilot(share, np.random.default_rng([theory.SEED, repeat]))
        found.append(steps(theory.average_accuracy_curve(labels, scores), counts))
    errors = theory.rmse(found, theory.hub_accuracy(counts, share))
    row = {"share": share, "method": "steps"}
    columns = [f"{r}x" for r in theory.RATIOS]
    return [row | dict(zip(columns, errors, strict=True))], tuple(row)


def ablation_exact_problems():
    """One problem and two of its fits, of those that are well conditioned."""
    ablation = script(FOLDER, "ablation")
    (title, task), *_ = ablation.TASKS.items()
    size, fits = ablation.SIZES[0], ablation.all_fits()
    curve, truth = task.accuracy(np.arange(1, size + 1)), task.accuracy(ablation.RATIOS * size)
    rows = []
    for key in [key for key in fits if key[2] == "yes"][2:4]:
        errors = fits[key](curve, ablation.RATIOS * size) - truth
        columns = [f"{r}x" for r in ablation.RATIOS]
        rows.append(ablation._row(title, size, key) | dict(zip(columns, errors, strict=True)))
    return rows, ("problem", "classes", "shape", "functions", "D(1) <= 1")


def ablation_pilots_problems():
    """One problem and a regression on powers, sixty times."""
    ablation = script(FOLDER, "ablation")
    title, task = list(ablation.TASKS.items())[1]
    size, key = ablation.SIZES[0], ("neither", "powers 1 to 4", "no")
    predict, found = ablation.all_fits()[key], []
    for repeat in range(ablation.N_REPEATS):
        scores, labels = ablation.make_recognition_scores(
            size, task=task, n_test=ablation.N_TEST, random_state=ablation.SEED + repeat
        )
        curve = ablation.average_accuracy_curve(labels, scores)
        found.append(predict(curve, ablation.RATIOS * size))
    errors = ablation.rmse(found, task.accuracy(ablation.RATIOS * size))
    row = ablation._row(title, size, key)
    columns = [f"{r}x" for r in ablation.RATIOS]
    return [row | dict(zip(columns, errors, strict=True))], tuple(row)


def over_problems(table):
    """Return the means over problems that another table prints."""
    rows = [
        {k: float(v) if k.endswith("x") else v for k, v in row.items()}
        for row in printed_rows(f"extrapolation_2017/{table}")
    ]
    return script(FOLDER, "ablation").over_problems(rows), ("shape", "functions", "D(1) <= 1")


def ablation_exact():
    """All of it: means over the problems of the other table."""
    return over_problems("ablation_exact_problems")


def ablation_pilots():
    """All of it: means over the problems of the other table."""
    return over_problems("ablation_pilots_problems")


def figure_11_gaussian():
    """All of it: one pilot and three estimates."""
    figure = script(FOLDER, "figures_11_12")
    scores, labels = stand_in()
    every = np.arange(2, scores.shape[1] + 1)
    curves = figure.one_pilot(scores, labels, every)
    return [
        {"k": k} | {name: curve[k - 2] for name, curve in curves.items()} for k in figure.SHOWN
    ], ("k",)


def figure_12_gaussian():
    """The smallest pilots and the paper's estimate."""
    figure = script(FOLDER, "figures_11_12")
    scores, labels = stand_in()
    size, last = figure.SIZES[0], np.array([scores.shape[1]])
    rng, found = np.random.default_rng([figure.SEED, size]), []
    for seed in range(figure.N_REPEATS):
        few, own = figure.subsample(scores, labels, size, rng)
        found.append(paper(few, own, last, seed))
    truth = figure.average_accuracy_curve(labels, scores)[-1:]
    return figure.spread({(size, "paper"): np.array(found)}, truth), ("K", "method")


def stand_in():
    """Return the scores and labels that stand in for the faces."""
    estimates = script(FOLDER, "estimates")
    _, scores, labels = estimates.recognition_set(SimpleNamespace(data=None))
    return scores, labels


def paper(scores, labels, counts, seed):
    """Return the paper's estimate."""
    estimates = script(FOLDER, "estimates")
    columns = np.arange(scores.shape[1])
    fitted = estimates.fitted(estimates.PAPER, scores, labels, columns, seed)
    return fitted.model_.distribution.accuracy(counts)


def table_1_trained():
    """The errors of naive Bayes on quarters of six problems, and on all classes."""
    table = script(FOLDER, "table_1")
    n_classes, n_problems = table.CASES[0]
    scores_of, found = table.CLASSIFIERS["naive Bayes"][0], []
    for i in range(n_problems):
        rng = np.random.default_rng([table.SEED, n_classes, i])
        (X, y), (test, truth) = table.make_characters(n_classes, rng)
        quarters = rng.permutation(n_classes).reshape(table.N_PARTS, -1)
        whole = table.accuracy(scores_of(X, y, test), truth)
        for kept in np.sort(quarters, axis=1):
            learned, tested = np.isin(y, kept), np.isin(truth, kept)
            scores = scores_of(X[learned], y[learned], test[tested])
            labels = np.searchsorted(kept, truth[tested])
            found.append([table.accuracy(scores, labels), whole])
    pilot, truth = 1.0 - np.mean(found, axis=0)
    row = {"classes": f"{n_classes // table.N_PARTS} of {n_classes}", "classifier": "naive Bayes"}
    return [row | {"pilot": pilot, "truth": truth}], ("classes", "classifier")
