"""Paths of each command, and a value of each option that a path should hear."""

import json

import numpy as np

N_ROWS = 48
# Few draws, and one expert where a path takes it.
QUICK = ("--n-draws", "50")
ONE = ("--score", "s", "--label", "y")
CLASSES = ("--scores", "pa", "pb", "pc", "--label", "y3")
SYSTEMS = ("--scores", "s", "t", "--label", "y")
PREDICTED = ("--score", "pred", "--label", "y3")
STUDY = ("--case", "case", "--reader", "reader", "--score", "score", "--label", "y")
MEAN = ("--label", "grade", "--judge", "j")
GOAL = ("--precision", "0.7")
COPIES = ("t.csv", "t_two.csv")

# The arguments of each path; "{file}" and "{two}" are a table and copies of it.
PATHS = {
    "estimate": {
        "one": (*ONE, *QUICK, "--experts", "rank_binormal"),
        "population": (*ONE, *QUICK, "--target", "population"),
        "categories": (*ONE, *QUICK, "--category", "cat"),
        "groups": (*ONE, *QUICK, "--groups", "g"),
        "score and judge": (*ONE, *QUICK, "--judge", "j"),
        "judges": ("--judge", "j", "k", "--label", "y", *QUICK),
        "labels": ("--label", "y", *QUICK),
        "labels by category": ("--label", "y", "--category", "cat", *QUICK),
        "classes": (*CLASSES, *QUICK),
        "classes by category": (*CLASSES, "--category", "cat", *QUICK),
        "predictions": (*PREDICTED, *QUICK),
        "by class": (*ONE, "--labels-by-class", *QUICK),
        "judge by class": ("--judge", "j", "--label", "y", "--labels-by-class", *QUICK),
        "copies": (*ONE, *QUICK),
    },
    "compare": {
        "systems": (*SYSTEMS, *QUICK),
        "categories": (*SYSTEMS, "--category", "cat", *QUICK),
        "groups": (*SYSTEMS, "--groups", "g", *QUICK),
        "judge": (*SYSTEMS, "--judge", "j", *QUICK),
        "copies": (*SYSTEMS, *QUICK),
    },
    "report": {
        "one": (*ONE, *QUICK),
        "categories": (*ONE, "--category", "cat", *QUICK),
        "systems": (*SYSTEMS, *QUICK),
        "systems by category": (*SYSTEMS, "--category", "cat", *QUICK),
        "judges": ("--judge", "j", "k", "--label", "y", *QUICK),
        "classes": (*CLASSES, *QUICK),
        "predictions": (*PREDICTED, *QUICK),
        "several predictions": ("--judge", "pred", "pred2", "--label", "y3", *QUICK),
        "copies": (*ONE, *QUICK),
    },
    "suggest": {
        "one": ONE,
        "categories": (*ONE, "--category", "cat"),
        "score and judge": (*ONE, "--judge", "j"),
        "judges": ("--judge", "j", "k", "--label", "y", "--metric", "prevalence"),
        "copies": ONE,
        "goes on": (),
    },
    "find": {
        "start": (*ONE, *GOAL, "--least", "0.99"),
        "plan": (*ONE, *GOAL, "--plan"),
        "over": (*ONE, "--precision", "0.3", "--budget", "0"),
        "anytime": (*ONE, *GOAL, "--guarantee", "anytime", "--least", "0.99"),
        "population": (*ONE, *GOAL, "--target", "population", "--least", "0.99"),
        "population, over": (
            *(*ONE, "--precision", "0.3", "--budget", "0", "--target", "population"),
        ),
        "goes on": (),
    },
    "review": {"start": ONE, "over": ("--score", "s", "--label", "truth"), "goes on": ()},
    "readings": {
        "readers": (*STUDY, *QUICK),
        "modalities": (*STUDY, "--modality", "mod", *QUICK),
        "categories": (*STUDY, "--modality", "mod", "--category", "cat", *QUICK),
    },
    "plan": {"plan": ("--items", "200", "--prevalence", "0.1", "--auc", "0.9")},
    "mean": {
        "labels": ("--label", "grade", *QUICK),
        "proxy": (*MEAN, *QUICK),
        "categories": (*MEAN, "--category", "cat", *QUICK),
        "groups": (*MEAN, "--groups", "g", *QUICK),
        "population": (*MEAN, "--target", "population", *QUICK),
        "by class": ("--label", "y", "--judge", "j", "--labels-by-class", *QUICK),
        "inclusion": (*MEAN, "--inclusion-proba", "incl", *QUICK),
        "page": (*MEAN, "--out", "mean.html", *QUICK),
    },
    "judge": {"labels": (), "all labeled": (), "no labels": ()},
}
# What a path went on from.
STARTED = {"suggest": ONE, "find": (*ONE, *GOAL, "--least", "0.99"), "review": ONE}
ANSWERS = {"labels": "a.csv", "all labeled": "a_all.csv", "no labels": "a_none.csv"}
# Options that another test crosses with the formats of files, and those whose value a path states.
OF_FORMAT = ("sep", "decimal", "encoding", "sheet", "max_bytes")

VALUES = {
    "score": ("t",),
    "scores": ("t", "f"),
    "label": ("truth",),
    "pos_label": ("0",),
    "classes": ("0", "2"),
    "category": ("cat",),
    "groups": ("g",),
    "judge": ("k",),
    "feature": ("f",),
    "inclusion_proba": ("incl",),
    "amount": ("amount",),
    "case": ("g",),
    "reader": ("mod",),
    "modality": ("mod",),
    "item": ("tag",),
    "id": ("tag",),
    "unlabeled": ("0",),
    "confidence_level": ("0.5",),
    "random_state": ("7",),
    "target": ("population",),
    "score_kind": ("log_odds",),
    "experts": ("sharp_mixture",),
    "known_positives": ("20",),
    "n_draws": ("60",),
    "label_range": ("0", "9"),
    "metric": ("roc_auc",),
    "compare": ("de", "fr"),
    "threshold": ("0.3",),
    "goal": ("recall=0.6",),
    "cost": ("1", "5"),
    "goal_probability": ("0.99999999",),
    "readers": ("fixed",),
    "baseline": ("t",),
    "reference": ("fr",),
    "plot": ("curve.png",),
    "title": ("My title",),
    "compared_with": ("old.json",),
    "strategy": ("random",),
    "interval": ("design",),
    "n_labels": ("3",),
    "out": ("out.csv",),
    "half_width": ("0.49",),
    "precision": ("0.6",),
    "recall": ("0.5",),
    "f1": ("0.4",),
    "accuracy": ("0.6",),
    "specificity": ("0.6",),
    "false_positive_rate": ("0.3",),
    "true_positives": ("6",),
    "predicted_positives": ("7",),
    "false_negatives": ("3",),
    "max_returned": ("9",),
    "guarantee": ("anytime",),
    "budget": ("3",),
    "least": ("0.05",),
    "evidence": ("evidence.json",),
    "items": ("250",),
    "prevalence": ("0.2",),
    "auc": ("0.8",),
    "predicted_positive": ("50",),
    "system": ("topic",),
    "prompt": ("topic",),
    "labels": ("more.csv",),
    "gate": ("new > old",),
    "probability": ("0.6",),
    "next": ("3",),
    "html": ("page.html",),
}
# Of one command, or of paths whose labels name three classes.
VALUES_OF = {
    "readings": {
        "score": ("y",),
        "label": ("cat",),
        "baseline": ("MR",),
        "metric": ("average_precision",),
        "target": ("sample",),
    },
    "judge": {"label": ("human2",), "judge": ("other",), "pos_label": ("partial",)},
    "mean": {"judge": ("f",), "out": ("page.html",)},
    "report": {"out": ("page.html",)},
    "plan": {"half_width": ("0.05",)},
    "three classes": {
        "score": ("pred2",),
        "scores": ("pa", "pb"),
        "label": ("truth3",),
        "pos_label": ("a",),
        "classes": ("a", "b", "c", "d"),
        "judge": ("pred2",),
        "unlabeled": ("a",),
    },
}
# What an option needs beside it: the base of the comparison has it too.
BESIDE = {
    "goal_probability": ("--goal", "precision=0.5"),
    "ordered": ("--category", "cat"),
    "reference": ("--category", "cat"),
    "compare": ("--category", "cat"),
    "probability": ("--gate", "new > old"),
}


def option(command, path, name):
    """Return an option and its value, as arguments."""
    flag = f"--{name.replace('_', '-')}"
    is_of_three = "y3" in PATHS[command][path]
    of_path = VALUES_OF["three classes"] if is_of_three else VALUES_OF.get(command, {})
    return (flag, *of_path.get(name, VALUES_OF.get(command, {}).get(name, VALUES.get(name, ()))))


def write_tables(folder, seed):
    """Write the tables of all paths."""
    rng = np.random.default_rng(seed)
    rows = np.arange(N_ROWS)
    truth = (rows % 3 == 0).astype(int)
    truth3 = np.array(list("abc"))[rows % 3]
    logits = rng.normal(size=(N_ROWS, 3)) + 1.5 * (truth3[:, None] == np.array(list("abc")))
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    is_labeled = rows < N_ROWS // 2

    columns = {
        # The last two are one item.
        "tag": [f"r{min(row, N_ROWS - 2)}" for row in rows],
        "s": [f"{score:.3f}" for score in _scores(rng, truth, 2.0)],
        "t": [f"{score:.3f}" for score in _scores(rng, truth, 1.0)],
        "pa": [f"{share:.4f}" for share in shares[:, 0]],
        "pb": [f"{share:.4f}" for share in shares[:, 1]],
        "pc": [f"{share:.4f}" for share in shares[:, 2]],
        "pred": np.where(rows % 5 == 0, np.roll(truth3, 1), truth3),
        "pred2": np.where(rows % 4 == 0, np.roll(truth3, 1), truth3),
        "j": np.where(rows % 5 == 1, 1 - truth, truth),
        "k": np.where(rows % 4 == 1, 1 - truth, truth),
        "f": rng.integers(10, 99, N_ROWS),
        "cat": np.array(["de", "fr"])[rows // 2 % 2],
        "g": [f"g{row // 2}" for row in rows],
        "incl": np.where(rows % 2 == 0, 0.4, 0.6),
        "amount": rng.integers(1, 50, N_ROWS),
        "y": np.where(is_labeled, truth.astype(str), ""),
        "y3": np.where(is_labeled, truth3, ""),
        "grade": np.where(is_labeled, (truth + rows % 3).astype(str), ""),
        "truth": truth,
        "truth3": truth3,
    }
    _write(folder / "t.csv", columns)
    predictors = ("s", "t", "pa", "pb", "pc", "pred", "pred2", "j", "k")
    gaps = {name: [str(cell) for cell in columns[name]] for name in predictors}
    for cells in gaps.values():
        cells[30] = ""
    _write(folder / "gaps.csv", columns | gaps)
    # By somebody else, who labeled others.
    by_other = np.where((rows >= 12) & (rows < 36), truth.astype(str), "")
    _write(folder / "t_two.csv", columns | {"y": by_other})
    _write(folder / "gaps_two.csv", columns | gaps | {"y": by_other})
    _write_study(folder, rng)
    _write_answers(folder, rng)


def _scores(rng, truth, slope):
    """Return numbers in [0, 1] that rise with the class."""
    return 1.0 / (1.0 + np.exp(-slope * (truth - 0.5) - rng.normal(size=len(truth))))


def _write(path, columns):
    """Write columns as text."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")


def _write_study(folder, rng):
    """Write the readings of cases by two readers with two modalities."""
    lines = ["case,reader,mod,score,y,cat,g"]
    for case in range(16):
        truth = case % 2 if case < 12 else ""
        parts = f"{truth},{'x' if case // 2 % 2 else 'z'},h{case // 2}"
        lines += [
            f"c{case},{reader},{modality},{rng.normal() + case % 2:.3f},{parts}"
            for reader in "AB"
            for modality in ("CT", "MR")
        ]
    (folder / "r.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    of_one = [line for line in lines if ",MR," not in line]
    (folder / "r_one.csv").write_text("\n".join(of_one) + "\n", encoding="utf-8")


def _write_answers(folder, rng):
    """Write answers of two systems to the same prompts, their ratings, and labels of some."""
    passed = rng.random(32) < np.tile([0.5, 0.8], 16)
    rated = passed ^ (rng.random((2, 32)) < 0.25)
    for name, n_labeled in (("a.csv", 20), ("a_all.csv", 32), ("a_none.csv", 0)):
        lines = ["id,model,prompt_id,verdict,other,human,human2,topic"]
        for row in range(32):
            words = [("fail", "pass")[int(is_pass)] for is_pass in (*rated[:, row], passed[row])]
            labels = (words[2], words[2]) if row < n_labeled else ("", "")
            if row == 0 and n_labeled:
                labels = (labels[0], "fail" if labels[0] == "pass" else "pass")
            of_prompt = f"{row // 2},{('old', 'new')[row % 2]},q{row // 2}"
            lines.append(f"{of_prompt},{words[0]},{words[1]},{','.join(labels)},x{row // 2 % 2}")
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    more = [f"{prompt},old,fail" for prompt in range(10, 14)]
    (folder / "more.csv").write_text("\n".join(["id,model,human", *more]), encoding="utf-8")
    number = {"name": "average precision", "value": 0.1, "lower": 0.05, "upper": 0.15}
    earlier = {"command": "report", "estimates": [number], "confidence_level": 0.9}
    (folder / "old.json").write_text(json.dumps(earlier), encoding="utf-8")
