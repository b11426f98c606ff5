"""Files as five evaluation tools and a sheet have them, all of the same made-up answers.

`judge_files` has the least that is read; these have what the tools write beside it.
"""

import csv
import json
import zipfile
from dataclasses import dataclass

import numpy as np

SYSTEMS = ("openai:gpt-5-mini", "acme/ours-v2")
PASS_RATES = (0.8, 0.4)
SHARE_LABELED = 0.2


@dataclass(frozen=True)
class Made:
    """Answers of two systems to prompts: (n_prompts, 2) arrays."""

    good: np.ndarray  # what people find
    verdicts: np.ndarray  # of a judge
    probabilities: np.ndarray
    is_labeled: np.ndarray
    second: np.ndarray  # of a second reviewer

    @classmethod
    def of(cls, n_prompts, rng):
        """Make up answers; a judge errs in one of six, and a second reviewer in one of ten."""
        shape = n_prompts, len(SYSTEMS)
        good = rng.random(shape) < PASS_RATES
        verdicts = good ^ (rng.random(shape) < 1 / 6)
        is_labeled = np.zeros(shape, dtype=bool)
        n_labeled = int(SHARE_LABELED * n_prompts)
        for system in range(len(SYSTEMS)):
            is_labeled[rng.permutation(n_prompts)[:n_labeled], system] = True
        # On one side of a half as the verdict.
        probabilities = np.where(verdicts, 0.9, 0.1) + np.round(0.09 * rng.uniform(-1, 1, shape), 6)
        return cls(good, verdicts, probabilities, is_labeled, good ^ (rng.random(shape) < 0.1))

    def __iter__(self):
        """Iterate over system, prompt, what people find, verdict, and whether it is labeled."""
        for s, name in enumerate(SYSTEMS):
            for p in range(len(self.good)):
                yield s, name, p, bool(self.good[p, s]), bool(self.verdicts[p, s])

    def labels(self, folder, name, key, of_system=str, words=("fail", "pass")):
        """Write the labels of people as a table by prompt and system."""
        rows = [
            [key(p), of_system(system), words[good]]
            for s, system, p, good, _ in self
            if self.is_labeled[p, s]
        ]
        path = folder / name
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["id", "model", "human"], *rows])
        return str(path)


def promptfoo(made, folder):
    """Write one file; thumbs of people are components that overrule the result."""
    results = []
    for s, system, p, good, verdict in made:
        components = [
            {
                "pass": verdict,
                "score": float(verdict),
                "reason": "because",
                "assertion": {"type": "llm-rubric", "value": "is helpful"},
                "tokensUsed": {"total": 300},
            }
        ]
        passed = verdict
        if made.is_labeled[p, s]:
            components.append({"pass": good, "score": float(good), "assertion": {"type": "human"}})
            passed = good
        results.append(
            {
                "cost": 0.001,
                "gradingResult": {
                    "pass": passed,
                    "score": float(passed),
                    "reason": "because",
                    "namedScores": {},
                    "componentResults": components,
                },
                "id": f"r{s}-{p}",
                "latencyMs": 812,
                "prompt": {"raw": f"Answer question {p}", "label": "Answer {{q}}"},
                "promptId": "c0ffee",
                # Each provider has a prompt of its own.
                "promptIdx": s,
                "provider": {"id": system, "label": ""},
                "response": {"output": "x" * (20 + p % 7), "tokenUsage": {"total": 20 + p % 7}},
                "score": float(passed),
                "success": passed,
                "testCase": {"vars": {"q": f"question {p}"}, "assert": [{"type": "llm-rubric"}]},
                "testIdx": p,
                "vars": {"q": f"question {p}"},
                "failureReason": 0 if passed else 1,
            }
        )
    content = {
        "evalId": "eval-abc",
        "results": {
            "version": 3,
            "prompts": [{"raw": "Answer {{q}}", "provider": name} for name in SYSTEMS],
            "results": results,
            "stats": {"successes": 1, "failures": 1},
        },
        "config": {"description": "x"},
        "shareableUrl": None,
    }
    path = folder / "promptfoo.json"
    path.write_text(json.dumps(content))
    return [str(path)], []


def logs(made):
    """Return a log of Inspect for each system, and its samples."""
    for s, system in enumerate(SYSTEMS):
        samples = [
            {
                "id": f"q{p}",
                "epoch": 1,
                "input": f"question {p}",
                "target": "t",
                "output": {
                    "model": system,
                    "choices": [{"message": {"role": "assistant", "content": "yes"}}],
                },
                "scores": {
                    "model_graded_qa": {
                        "value": "C" if verdict else "I",
                        "explanation": "e",
                        "metadata": {"grading": []},
                    }
                },
            }
            for at, _, p, _, verdict in made
            if at == s
        ]
        log = {
            "version": 2,
            "status": "success",
            "eval": {"task": "support_qa", "model": system, "config": {"epochs": 1}},
            "plan": {"name": "plan", "steps": []},
            "results": {"total_samples": len(samples), "scores": []},
            "stats": {},
        }
        yield log, samples


def inspect(made, folder):
    """Write a log of JSON for each system."""
    files = []
    for s, (log, samples) in enumerate(logs(made)):
        path = folder / f"inspect_{s}.json"
        path.write_text(json.dumps({**log, "samples": samples}))
        files.append(str(path))
    return files, [made.labels(folder, "inspect_people.csv", "q{}".format)]


def packed_inspect(made, folder):
    """Write a packed log for each system."""
    files = []
    for s, (log, samples) in enumerate(logs(made)):
        path = folder / f"2026-11-01T10-00-00_support-qa_{s}.eval"
        start = {key: log[key] for key in ("version", "eval", "plan")}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("_journal/start.json", json.dumps(start))
            for sample in samples:
                packed.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
            packed.writestr("summaries.json", json.dumps([{"id": x["id"]} for x in samples]))
            packed.writestr("header.json", json.dumps(log))
        files.append(str(path))
    return files, [made.labels(folder, "inspect_people.csv", "q{}".format)]


def deepeval(made, folder):
    """Write a test run for each system, which only its hyperparameters name."""
    files = []
    for s, system in enumerate(SYSTEMS):
        cases = [
            {
                "name": f"test_case_{p}",
                "input": f"question {p}",
                "actualOutput": "yes",
                "success": verdict,
                "metricsData": [
                    {
                        "name": "Correctness (GEval)",
                        "threshold": 0.5,
                        "success": verdict,
                        "score": float(made.probabilities[p, s]),
                        "evaluationModel": "gpt-4.1",
                    }
                ],
                "runDuration": 1.2,
                "order": p,
            }
            for at, _, p, _, verdict in made
            if at == s
        ]
        run = {
            "testCases": cases,
            "conversationalTestCases": [],
            "metricsScores": [{"metric": "Correctness (GEval)", "passes": 1, "fails": 1}],
            "hyperparameters": {"model": system},
            "testPassed": 1,
        }
        path = folder / f"deepeval_{s}.json"
        path.write_text(json.dumps(run))
        files.append(str(path))
    return files, [made.labels(folder, "deepeval_people.csv", "test_case_{}".format, words=(0, 1))]


def harness(made, folder):
    """Write the samples of lm-evaluation-harness: a folder for each system, two filters."""
    files = []
    for s, system in enumerate(SYSTEMS):
        model = folder / _sanitized(system)
        model.mkdir()
        path = model / "samples_gsm8k_2026-11-01T10-00-00.000000.jsonl"
        lines = [
            {
                "doc_id": p,
                "doc": {"question": f"question {p}", "answer": "#### 4"},
                "target": "4",
                "arguments": {"gen_args_0": {"arg_0": "q", "arg_1": {}}},
                "resps": [["yes"]],
                "filtered_resps": ["4"],
                "filter": by,
                "metrics": ["exact_match"],
                "doc_hash": f"h{p}",
                "prompt_hash": "p",
                "target_hash": "t",
                "exact_match": float(verdict and (by != "strict-match" or p % 5 > 0)),
            }
            for by in ("flexible-extract", "strict-match")
            for at, _, p, _, verdict in made
            if at == s
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        files.append(str(path))
    labels = made.labels(folder, "lm_people.csv", int, _sanitized, ("incorrect", "correct"))
    return files, [labels]


def _sanitized(system):
    return system.replace("/", "__").replace(":", "__")


def sheet(made, folder):
    """Write a sheet of people: titles as they write them, and a second reviewer of some."""
    path = folder / "review sheet.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        titles = ["#", "Question", "Model", "GPT-4 score (1-5)", "Reviewer 1", "Reviewer 2"]
        writer.writerow([*titles, "Comments"])
        for number, (s, system, p, good, verdict) in enumerate(made, 1):
            people = ["", ""]
            if made.is_labeled[p, s]:
                people = [
                    ("No", "Yes")[good],
                    ("No", "Yes")[int(made.second[p, s])] if p % 2 else "",
                ]
            grade = 3 + (1 + p % 2) * (1 if verdict else -1)
            writer.writerow([number, f"question {p}", system, grade, *people, ""])
    return [str(path)], []


def scorers(made, folder):
    """Write a row for each answer and scorer."""
    path = folder / "scores.jsonl"
    lines = []
    for s, system, p, good, verdict in made:
        answer = {"trace_id": f"{s}-{p}", "metadata": {"model": system, "question": f"q{p}"}}
        lines.append({**answer, "name": "correctness", "value": int(verdict), "source": "EVAL"})
        lines.append({**answer, "name": "tone", "value": 1 + p % 5, "source": "EVAL"})
        if made.is_labeled[p, s]:
            lines.append({**answer, "name": "check", "value": int(good), "source": "ANNOTATION"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [str(path)], []


SHAPES = (promptfoo, inspect, packed_inspect, deepeval, harness, sheet, scorers)
