"""Files of the shapes that evaluation tools write, with the same verdicts in all of them."""

import csv
import json
from pathlib import Path

N_PROMPTS = 8
SYSTEMS = ("a", "b")
# The verdict on each prompt, by system, and the human labels of some answers.
VERDICTS = {"a": [1, 1, 0, 1, 1, 0, 1, 1], "b": [0, 1, 0, 1, 0, 0, 1, 0]}
LABELS = {("a", 0): 1, ("a", 2): 0, ("b", 1): 1, ("b", 4): 0}


def answers():
    """Return the system, the prompt and the verdict of all answers."""
    return [(s, i, VERDICTS[s][i]) for i in range(N_PROMPTS) for s in SYSTEMS]


def plain_rows():
    """Return the answers as objects with a human label of some."""
    words = {None: None, 0: "fail", 1: "pass"}
    return [
        {
            "id": i,
            "model": s,
            "judge": words[verdict],
            "human": words[LABELS.get((s, i))],
        }
        for s, i, verdict in answers()
    ]


def write(folder: Path, name: str, content: object) -> str:
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(item) + "\n" for item in content))
    elif name.endswith(".json"):
        path.write_text(json.dumps(content))
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(content[0]))
            writer.writeheader()
            writer.writerows(content)
    return str(path)


def json_lines(folder):
    return [write(folder, "answers.jsonl", plain_rows())]


def array(folder):
    return [write(folder, "answers.json", plain_rows())]


def table(folder):
    return [write(folder, "answers.csv", plain_rows())]


def nested(folder):
    rows = [
        {
            "id": row["id"],
            "metadata": {"model": row["model"]},
            "grades": {"judge": {"pass": row["judge"] == "pass"}},
            "review": {"human": row["human"]},
        }
        for row in plain_rows()
    ]
    return [write(folder, "nested.jsonl", rows)]


def inspect(folder):
    files = []
    for system in SYSTEMS:
        samples = [
            {
                "id": i,
                "epoch": 1,
                "input": f"question {i}",
                "scores": {"model_graded_qa": {"value": "C" if verdict else "I"}},
            }
            for i, verdict in enumerate(VERDICTS[system])
        ]
        log = {"version": 2, "eval": {"task": "qa", "model": system}, "samples": samples}
        files.append(write(folder, f"inspect_{system}.json", log))
    return files


def promptfoo(folder):
    results = [
        {
            "promptId": "the template",
            "provider": {"id": s},
            "vars": {"question": f"question {i}"},
            "response": {"output": f"an answer {i}" + " and more" * i},
            "success": bool(verdict),
            "score": float(verdict),
            "gradingResult": {"pass": bool(verdict), "reason": "made up"},
            "testIdx": i,
        }
        for s, i, verdict in answers()
    ]
    return [write(folder, "promptfoo.json", {"version": 3, "results": {"results": results}})]


def deepeval(folder):
    cases = [
        {
            "name": f"case_{i}",
            "input": f"question {i}",
            "hyperparameters": {"model": s},
            "success": bool(verdict),
            "metricsData": [
                {"name": "Correctness", "score": 0.2 + 0.7 * verdict, "success": bool(verdict)}
            ],
        }
        for s, i, verdict in answers()
    ]
    return [write(folder, "deepeval.json", cases)]


def harness(folder):
    files = []
    for system in SYSTEMS:
        lines = [
            {"doc_id": i, "doc": {"question": "?"}, "filtered_resps": ["x"], "exact_match": verdict}
            for i, verdict in enumerate(map(float, VERDICTS[system]))
        ]
        files.append(write(folder, f"samples_qa_{system}_2026.jsonl", lines))
    return files


def long(folder):
    rows = []
    for s, i, verdict in answers():
        answer = {"trace_id": f"{s}-{i}", "metadata.model": s}
        rows.append({**answer, "name": "correctness", "value": verdict})
        rows.append({**answer, "name": "tone", "value": 1 + i % 5})
    return [write(folder, "scores.csv", rows)]


# With labels in the file; without.
LABELED = (json_lines, array, table, nested)
UNLABELED = (inspect, promptfoo, deepeval, harness, long)


def labels(folder, rows=None):
    """Write a second file of labels by id and model."""
    if rows is None:
        rows = [{"id": i, "model": s, "human": label} for (s, i), label in LABELS.items()]
    return write(folder, "labels.csv", rows)
