"""Files of evaluation tools as flat records: one for each answer of a system."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from ..tables._reading import read_table
from ..tables._source import decoded, read_file

# A JSON object, flat: nested fields have names with dots.
Record = dict[str, Any]
Json = Any

# Columns of a file with a row for each answer and scorer.
SCORER_COLUMNS = ("name", "scorer", "metric", "evaluator", "score_name", "metric_name")
VALUE_COLUMNS = ("value", "score", "result", "string_value")
ANSWER_COLUMNS = ("trace_id", "traceid", "answer_id", "sample_id", "run_id", "id")
# Where DeepEval has the metrics and the cases.
METRICS_DATA = ("metricsData", "metrics_data", "metrics")
CASES = ("testCases", "test_cases", "testResults", "test_results")
# Fields of a line of lm-evaluation-harness that are no metrics.
NO_METRIC = {"doc_id", "target", "filter", "arguments", "doc_hash", "prompt_hash", "target_hash"}
# Names that a message lists at most.
MAX_LISTED = 8
# The row of a human label in a file with a row for each answer and scorer.
HUMAN = "human"
# What a message asks for.
NEEDED = (
    "an array of objects or JSON lines with one object for each answer, or a file of Inspect, "
    "promptfoo, DeepEval or lm-evaluation-harness"
)


@dataclass(frozen=True, eq=False)
class Shape:
    """The columns of each role that a file format implies; empty ones are guessed."""

    name: str = ""  # of the tool
    system: str = ""
    prompt: str = ""
    judges: tuple[str, ...] = ()
    length: str = ""


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """Answers of one file, with the original records, from which some can be written again."""

    name: str
    records: list[Record]
    sources: list[list[Json]]  # the objects, or rows, of each record as they are in the file
    shape: Shape = field(default_factory=Shape)
    kind: str = "jsonl"  # "jsonl", "json" or "csv": how answers to label are written
    scorer: tuple[str, str] | None = None  # columns of scorer and value, of a row for each


def read_answers(file: str, max_bytes: int) -> AnswerFile:
    """Read a file of any supported shape."""
    content = read_file(file, max_bytes)
    name = PurePath(content.name).name if content.path else content.name
    if content.data[:4] == b"PK\x03\x04" and name.endswith(".eval"):
        raise ValueError(
            f"{name} is a packed log of Inspect: unpack it by 'inspect log convert --to json'."
        )

    start = content.data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start not in (b"{", b"["):
        return _read_rows(file if content.path else content.data, name, max_bytes)

    text, _, _ = decoded(content.data, None, name)
    parsed, kind = _parsed(text.removeprefix("\ufeff"), name)
    folder = "" if content.path is None else content.path.resolve().parent.name
    return _of_json(parsed, kind, name, folder)


def _parsed(text: str, name: str) -> tuple[Json, str]:
    """Return the parsed JSON, or the list of JSON lines, and the kind of the file."""
    try:
        return json.loads(text), "json"
    except (ValueError, RecursionError):
        pass

    objects: list[Json] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            objects.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{name} is neither JSON nor JSON lines: line {number}, {str(error)[:100]}."
            ) from None
    return objects, "jsonl"


def _of_json(parsed: Json, kind: str, name: str, folder: str) -> AnswerFile:
    """Return the answers in JSON, by the first shape that fits."""
    if isinstance(parsed, dict):
        if isinstance(parsed.get("samples"), list) and isinstance(parsed.get("eval"), dict):
            return _inspect(parsed, name)
        parsed, kind = _list_in(parsed, name), "json"

    if not isinstance(parsed, list) or not all(isinstance(item, dict) for item in parsed):
        raise ValueError(f"{name} holds {_kind_of(parsed)}; needed is {NEEDED}.")
    if not parsed:
        raise ValueError(f"{name} holds no answers; needed is {NEEDED}.")

    first = parsed[0]
    if any(isinstance(first.get(key), list) for key in METRICS_DATA):
        return _deepeval(parsed, kind, name)
    if "gradingResult" in first or ("provider" in first and "testIdx" in first):
        return _promptfoo(parsed, kind, name)
    if "doc_id" in first and ("doc" in first or "resps" in first or "filtered_resps" in first):
        return _lm_eval(parsed, kind, name, folder)

    records = [flat(item) for item in parsed]
    if not any(is_value(value) for record in records for value in record.values()):
        raise ValueError(f"The objects of {name} have no fields; needed is {NEEDED}.")
    return _by_answer(AnswerFile(name, records, [[item] for item in parsed], kind=kind))


def _list_in(parsed: dict[str, Json], name: str) -> list[Json]:
    """Return the list of objects in an object: of promptfoo, of DeepEval, or its only list."""
    results = parsed.get("results")
    if isinstance(results, dict) and isinstance(results.get("results"), list):
        return results["results"]
    for key in CASES:
        if isinstance(parsed.get(key), list):
            return parsed[key]

    lists = [
        value
        for value in parsed.values()
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    ]
    if len(lists) == 1:
        return lists[0]
    # JSON lines of a single line.
    if len(parsed) > 1 and any(map(is_value, parsed.values())) and not lists:
        return [parsed]
    raise ValueError(f"{name} holds {_kind_of(parsed)}; needed is {NEEDED}.")


def _kind_of(parsed: Json) -> str:
    """Return what JSON is, in a few words."""
    if isinstance(parsed, dict):
        names = [str(key)[:40] for key in parsed]
        more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        return (
            f"an object with the fields {', '.join(names[:MAX_LISTED])}{more}"
            if names
            else ("an empty object")
        )
    if isinstance(parsed, list):
        others = [item for item in parsed if not isinstance(item, dict)]
        if others:
            return f"an array in which {len(others):,} of {len(parsed):,} are not objects"
        return "an empty array"
    return f"a single {type(parsed).__name__}"


def is_value(value: Json) -> bool:
    """Return whether a field has a value that is a text, a number or a boolean."""
    return value is not None and not isinstance(value, dict | list)


def flat(item: dict[str, Json], prefix: str = "") -> Record:
    """Return an object whose nested fields have names with dots; lists stay as they are."""
    record: Record = {}
    for key, value in item.items():
        if isinstance(value, dict):
            record |= flat(value, f"{prefix}{key}.")
        else:
            record[f"{prefix}{key}"] = value
    return record


# --- the tools -------------------------------------------------------------------------


def _inspect(log: dict[str, Json], name: str) -> AnswerFile:
    """Return the answers in a log of Inspect: a system, and its samples with their scores."""
    model = str(log["eval"].get("model") or name)
    records = []
    sources = []
    scorers: dict[str, None] = {}
    for sample in log["samples"]:
        scores = sample.get("scores") or {}
        values = {
            scorer: score.get("value") if isinstance(score, dict) else score
            for scorer, score in scores.items()
        }
        # Several values of one scorer.
        values = flat(values)
        scorers |= dict.fromkeys(values)

        others = {key: value for key, value in sample.items() if key != "scores"}
        records.append({"model": model, **flat(others), **values})
        sources.append([{"model": model, **sample}])
    return AnswerFile(name, records, sources, Shape("Inspect", "model", "id", (*scorers,)), "json")


def _promptfoo(results: list[Json], kind: str, name: str) -> AnswerFile:
    """Return the answers in the results of promptfoo."""
    records = []
    judges: dict[str, None] = {}
    prompts = {item.get("promptIdx") for item in results}
    for item in results:
        provider = item.get("provider")
        system = provider.get("id") if isinstance(provider, dict) else provider
        # Several templates of prompts are systems of their own.
        if len(prompts) > 1:
            system = f"{system} prompt {item.get('promptIdx')}"

        grading = item.get("gradingResult") or {}
        verdicts_of_metrics: Record = {}
        for part in grading.get("componentResults") or ():
            assertion = part.get("assertion") or {}
            metric = assertion.get("metric") or assertion.get("type")
            if metric is not None:
                verdicts_of_metrics.setdefault(str(metric), part.get("pass"))
        # A single component is the result.
        verdicts_of_metrics = verdicts_of_metrics if len(verdicts_of_metrics) > 1 else {}

        judges |= dict.fromkeys(["gradingResult.pass", *verdicts_of_metrics])
        fields = flat(item)
        fields.setdefault("gradingResult.pass", item.get("success"))
        records.append({**fields, **verdicts_of_metrics, "provider.id": system})
    shape = Shape("promptfoo", "provider.id", _first_in(records, ("testIdx",)), (*judges,))
    return AnswerFile(name, records, [[item] for item in results], shape, kind)


def _deepeval(cases: list[Json], kind: str, name: str) -> AnswerFile:
    """Return the answers in test cases of DeepEval: a verdict of each metric."""
    records = []
    judges: dict[str, None] = {}
    for case in cases:
        key = next((key for key in METRICS_DATA if isinstance(case.get(key), list)), None)
        values: Record = {}
        for metric in case[key] if key else ():
            success = metric.get("success")
            verdict = metric.get("score") if success is None else success
            values[str(metric.get("name"))] = verdict
        judges |= dict.fromkeys(values)
        records.append(flat({k: v for k, v in case.items() if k != key}) | values)
    prompt = _first_in(records, ("input", "name"))
    shape = Shape("DeepEval", prompt=prompt, judges=(*judges,))
    return AnswerFile(name, records, [[case] for case in cases], shape, kind)


def _lm_eval(lines: list[Json], kind: str, name: str, folder: str) -> AnswerFile:
    """Return the answers in samples of lm-evaluation-harness, a file for each system."""
    # The harness names a folder after the model; `system_names` chooses among both.
    model = f"{folder}/{PurePath(name).stem}"
    filters = {line.get("filter") for line in lines}
    records: dict[Any, Record] = {}
    sources: dict[Any, list[Json]] = {}
    judges: dict[str, None] = {}
    for line in lines:
        place = line["doc_id"]
        metrics = {
            f"{key} ({line.get('filter')})" if len(filters) > 1 else key: value
            for key, value in line.items()
            if key not in NO_METRIC and isinstance(value, int | float)
        }
        judges |= dict.fromkeys(metrics)
        others = {key: value for key, value in line.items() if key not in metrics}
        answer = line.get("resps") or line.get("filtered_resps")
        while isinstance(answer, list) and answer:
            answer = answer[0]
        record = records.setdefault(place, {"model": model, **flat(others), "answer": answer})
        record |= metrics
        sources.setdefault(place, [{"model": model, **line}])
    shape = Shape("lm-evaluation-harness", "model", "doc_id", (*judges,))
    return AnswerFile(name, [*records.values()], [*sources.values()], shape, kind)


def _read_rows(file: Any, name: str, max_bytes: int) -> AnswerFile:
    """Return the rows of a table."""
    if isinstance(file, bytes):
        file = io.BytesIO(file)
    table = read_table(file, max_bytes=max_bytes)
    columns = [table.texts(column) for column in table.names]
    rows = [dict(zip(table.names, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if not rows:
        raise ValueError(f"{name} has no rows below its header.")

    records = [{key: value if value != "" else None for key, value in row.items()} for row in rows]
    return _by_answer(AnswerFile(name, records, [[row] for row in rows], kind="csv"))


def _by_answer(file: AnswerFile) -> AnswerFile:
    """Return a record for each answer of a file that has a row for each answer and scorer."""
    names = [key for key in file.records[0] if key.rsplit(".")[-1].lower() in SCORER_COLUMNS]
    values = [key for key in file.records[0] if key.lower() in VALUE_COLUMNS]
    ids = [key for key in file.records[0] if key.lower().replace("_", "") in _IDS]
    ids.sort(key=lambda key: _IDS.index(key.lower().replace("_", "")))
    for answer in ids:
        for scorer in names:
            if values and _is_long(file.records, answer, scorer):
                return _joined(file, answer, scorer, values[0])
    return file


_IDS = tuple(name.replace("_", "") for name in ANSWER_COLUMNS)


def _is_long(records: Sequence[Record], answer: str, scorer: str) -> bool:
    """Return whether answers come several times, each time with another scorer."""
    pairs = [(record.get(answer), record.get(scorer)) for record in records]
    n_answers = len({pair[0] for pair in pairs})
    n_scorers = len({pair[1] for pair in pairs})
    is_repeated = n_answers < len(pairs) and n_scorers <= max(2, len(pairs) // 2)
    # The rows of human labels alone.
    is_human = n_scorers == 1 and str(pairs[0][1]).lower() == HUMAN
    return (is_repeated and len(set(pairs)) == len(pairs)) or is_human


def _joined(file: AnswerFile, answer: str, scorer: str, value: str) -> AnswerFile:
    """Return a record for each answer, with a column for each scorer."""
    records: dict[Any, Record] = {}
    sources: dict[Any, list[Json]] = {}
    judges: dict[str, None] = {}
    for row, (source,) in zip(file.records, file.sources, strict=True):
        others = {key: cell for key, cell in row.items() if key not in (scorer, value)}
        name = str(row.get(scorer))
        if str(row.get("source")).upper() == "ANNOTATION":
            name = HUMAN
        record = records.setdefault(row[answer], others)
        record[name] = row.get(value)
        if name.lower() != HUMAN:
            judges[name] = None
        sources.setdefault(row[answer], []).append(source)

    return AnswerFile(
        file.name,
        [*records.values()],
        [*sources.values()],
        Shape("a row for each answer and scorer", judges=(*judges,)),
        file.kind,
        (scorer, value),
    )


def _first_in(records: Sequence[Record], names: Iterable[str]) -> str:
    return next((name for name in names if name in records[0]), "")


# --- several files, and writing --------------------------------------------------------


def named_by_file(files: Sequence[AnswerFile]) -> list[str]:
    """Return names that distinguish files: the file names without their common parts."""
    stems = [PurePath(file.name).stem for file in files]
    if len(files) == 1:
        return stems
    # Whole words only.
    words = [re.split(r"([_\-. ])", stem) for stem in stems]
    n_first = _n_common(words)
    rests = [parts[n_first:] for parts in words]
    n_last = _n_common([parts[::-1] for parts in rests])
    names = ["".join(parts[: len(parts) - n_last]).strip("_-. ") for parts in rests]
    return names if all(names) else stems


def _n_common(lists: Sequence[Sequence[str]]) -> int:
    """Return the number of first parts that are the same in all lists."""
    n_common = 0
    for parts in zip(*lists, strict=False):
        if len(set(parts)) > 1:
            break
        n_common += 1
    return n_common


def with_systems(files: Sequence[AnswerFile]) -> list[AnswerFile]:
    """Return the files, with short names of systems in those of lm-evaluation-harness."""
    harness = [file for file in files if file.shape.name == "lm-evaluation-harness"]
    if not harness:
        return list(files)

    folders = [PurePath(str(file.records[0]["model"])).parent.name for file in harness]
    names = folders if len(set(folders)) == len(folders) > 1 else named_by_file(harness)
    for file, name in zip(harness, names, strict=True):
        for record, (source, *_) in zip(file.records, file.sources, strict=True):
            record["model"] = name
            source["model"] = name
    return list(files)


def text_to_label(
    file: AnswerFile, sources: Sequence[Sequence[Json]], label: str, n_scorers: int = 1
) -> str:
    """Return answers in the format of their file, with an empty field for the label."""
    if file.kind == "csv":
        return _csv_to_label(file, sources, label)

    items = [json.loads(json.dumps(source[0])) for source in sources]
    for item in items:
        if file.scorer is not None:
            name, value = file.scorer
            item |= {name: HUMAN, value: None}
        else:
            _set_nested(item, label)
    if file.kind == "json":
        return json.dumps(items, ensure_ascii=False, indent=1) + "\n"
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def _set_nested(item: dict[str, Json], label: str) -> None:
    """Set the field of a label, nested or not, to null."""
    if label in item:
        item[label] = None
        return
    *parents, last = label.split(".")
    for parent in parents:
        inner = item.get(parent)
        if not isinstance(inner, dict):
            inner = item[parent] = {}
        item = inner
    item[last] = None


def _csv_to_label(file: AnswerFile, sources: Sequence[Sequence[Json]], label: str) -> str:
    rows = [dict(source[0]) for source in sources]
    for row in rows:
        if file.scorer is not None:
            name, value = file.scorer
            row |= {name: HUMAN, value: ""}
        else:
            row[label] = ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def path_to_label(file: str, kind: str, label: str, max_bytes: int) -> Path:
    """Return a path for the answers to label that overwrites no file with filled labels."""
    folder = Path() if file == "-" else Path(file).parent
    for number in range(1, 1000):
        path = folder / (f"next.{kind}" if number == 1 else f"next_{number}.{kind}")
        if not path.exists():
            return path
        try:
            earlier = read_answers(str(path), max_bytes).records
        except (ValueError, OSError):
            continue
        if all(label in r and r[label] in (None, "") for r in earlier):
            return path
    raise ValueError(f"{folder} has files next.{kind} to next_999.{kind}: pass --out.")
