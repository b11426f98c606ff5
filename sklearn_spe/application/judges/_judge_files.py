"""Files of evaluation tools as flat records: one for each answer of a system."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from ..tables._compression import ZIP, members_of
from ..tables._reading import read_table
from ..tables._source import decoded, parsed_json, read_file
from ._judge_fields import (
    LIST,
    NAME,
    OBJECT,
    PROVIDER,
    TEXT,
    Fields,
    Json,
    LeftOut,
    MisfitError,
    Record,
    flat,
    is_many,
    is_value,
)

# Columns of a file with a row for each answer and scorer.
SCORER_COLUMNS = ("name", "scorer", "metric", "evaluator", "score_name", "metric_name")
VALUE_COLUMNS = ("value", "score", "result", "string_value")
ANSWER_COLUMNS = ("traceid", "answerid", "sampleid", "runid", "id")
# Where tools have their results, DeepEval its cases and their metrics.
CASES = ("testCases", "test_cases", "testResults", "test_results")
CONVERSATIONS = ("conversationalTestCases", "conversational_test_cases")
METRICS_DATA = ("metricsData", "metrics_data", "metricsMetadata", "metrics")
RESULTS = ("results", "samples", *CASES)
# What a log of Inspect has beside its samples, and where a packed one has it.
OF_LOG = {"eval", "plan", "stats"}
HEADERS = ("header.json", "_journal/start.json", "start.json")
# Fields of a line of lm-evaluation-harness that are no metrics.
NO_METRIC = {"doc_id", "target", "filter", "arguments", "doc_hash", "prompt_hash", "target_hash"}
# Records from which the tool is inferred.
MAX_SEEN = 1000
# Of several lists of objects in a file the longest holds the answers if it is so much longer.
LONGEST = 4
# Names that a message lists at most.
MAX_LISTED = 8
# The row of a human label in a file with a row for each answer and scorer; people in promptfoo.
HUMAN = "human"
# What a message asks for.
NEEDED = (
    "an array of objects or JSON lines with one object for each answer, or a file of Inspect, "
    "promptfoo, DeepEval or lm-evaluation-harness"
)

# An answer, its fields, and which of them are ratings of judges. Records of one key are one answer.
Reading = tuple[Hashable, Record, Iterable[str]]
Items = list[tuple[str, Json]]  # the place of each record, and the record or its error


@dataclass(frozen=True, eq=False)
class Shape:
    """The columns of each role that a file format implies; empty ones are guessed."""

    name: str = ""  # of the tool
    system: str = ""
    prompt: str = ""
    label: str = ""
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """Answers of one file, with the original records, from which some can be written again."""

    name: str
    records: list[Record]
    sources: list[list[Json]]  # the objects, or rows, of each record as they are in the file
    places: list[str]  # of each record: the file, and the number of a record or line
    left_out: LeftOut
    shape: Shape = field(default_factory=Shape)
    kind: str = "jsonl"  # "jsonl", "json" or "csv": how answers to label are written
    scorer: tuple[str, str] | None = None  # columns of scorer and value, of a row for each

    @classmethod
    def read(
        cls,
        items: Items,
        name: str,
        kind: str,
        shape: Shape,
        read: Callable[[Fields], Reading],
        source: Record | None = None,
    ) -> AnswerFile:
        """Return the records of a file that fit; `source` is added to those that are written.

        Raises ValueError if nothing can.
        """
        records: dict[Hashable, Record] = {}
        sources: dict[Hashable, list[Json]] = {}
        places: dict[Hashable, str] = {}
        judges: dict[str, None] = {}
        misfits: list[str] = []
        for place, item in items:
            try:
                if isinstance(item, MisfitError):
                    raise item
                if not OBJECT.fits(item):
                    raise MisfitError.at(place, "", OBJECT.needed, item)
                key, record, rated = read(Fields(item, place))
            except MisfitError as error:
                misfits.append(str(error))
                continue

            key = place if key is None else key
            known = records.setdefault(key, record)
            if known is not record:
                known |= {**record, **known}
            sources.setdefault(key, []).append({**source, **item} if source else item)
            places.setdefault(key, place)
            judges |= dict.fromkeys(rated)

        if not records:
            raise ValueError(f"{name}: no record can be read. {misfits[0]}; needed is {NEEDED}.")
        left_out = LeftOut(name, len(items), misfits)
        shape = replace(shape, judges=(*judges,))
        return cls(
            name,
            [*records.values()],
            [*sources.values()],
            [*places.values()],
            left_out,
            shape,
            kind,
        )


def read_answers(file: str, max_bytes: int) -> AnswerFile:
    """Read a file of any supported shape."""
    content = read_file(file, max_bytes)
    name = PurePath(content.name).name if content.path else content.name
    if content.data.startswith(ZIP) and name.endswith(".eval"):
        return _packed_log(content.data, name, max_bytes)

    start = content.data[:200].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start not in (b"{", b"[") and not name.endswith((".json", ".jsonl")):
        return _read_rows(file if content.path else content.data, name, max_bytes)

    text, _, _ = decoded(content.data, None, name)
    folder = "" if content.path is None else content.path.resolve().parent.name
    text = text.removeprefix("\ufeff")
    try:
        parsed = parsed_json(text, name)
    except ValueError as error:
        items = _lines(text, name)
        broken = [item for _, item in items if isinstance(item, MisfitError)]
        # A file of a single value that is broken, or that is nested too deeply.
        if 2 * len(broken) >= len(items):
            raise ValueError(f"{name} is neither JSON nor JSON lines: {error}") from None
        return _of_items(items, "jsonl", name, folder)

    if not isinstance(parsed, dict):
        return _of_items(_numbered(parsed, name), "json", name, folder)
    if isinstance(parsed.get("samples"), list) and OF_LOG & parsed.keys():
        return _inspect(parsed, _numbered(parsed["samples"], name), name)
    run = Fields(parsed, f"{name}, its header").get("hyperparameters", OBJECT, {})
    return _of_items(_numbered(_list_in(parsed, name), name), "json", name, folder, run)


def _lines(text: str, name: str) -> Items:
    """Return the JSON of each line, or its error."""
    items: Items = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            items.append((place, parsed_json(line, place)))
        except ValueError as error:
            items.append((place, MisfitError(str(error))))
    return items


def _numbered(parsed: Json, name: str) -> Items:
    """Return the items of a list with their places."""
    if not isinstance(parsed, list) or not any(map(OBJECT.fits, parsed)):
        raise ValueError(f"{name} holds {_kind_of(parsed)}; needed is {NEEDED}.")
    return [(f"{name}, record {number}", item) for number, item in enumerate(parsed, 1)]


def _of_items(
    items: Items, kind: str, name: str, folder: str, run: Record | None = None
) -> AnswerFile:
    """Return the answers in records, by the first shape that fits most of them."""
    objects = [item for _, item in items if OBJECT.fits(item)]

    def fits(is_of_tool: Callable[[Record], bool]) -> bool:
        first = objects[:MAX_SEEN]
        return 2 * sum(map(is_of_tool, first)) > len(first)

    if fits(lambda item: bool(_metrics_of(item))):
        return _deepeval(items, kind, name, run or {})
    if fits(lambda item: "gradingResult" in item or {"provider", "testIdx"} <= item.keys()):
        return _promptfoo(items, kind, name)
    if fits(lambda item: "doc_id" in item and bool({"doc", "resps", "filtered_resps"} & {*item})):
        return _lm_eval(items, kind, name, folder)
    if not any(is_value(value) for item in objects for value in flat(item).values()):
        raise ValueError(f"The objects of {name} have no fields; needed is {NEEDED}.")
    return _plain(items, kind, name)


def _list_in(parsed: Record, name: str) -> list[Json]:
    """Return the list of records in an object: of a tool, or its only list of objects."""
    results = parsed.get("results")
    if isinstance(results, dict) and isinstance(results.get("results"), list):
        return results["results"]
    cases = [parsed[key] for key in (*CASES, *CONVERSATIONS) if isinstance(parsed.get(key), list)]
    if cases:
        return [case for each in cases for case in each]

    lists = [
        value
        for value in parsed.values()
        if isinstance(value, list) and value and all(map(OBJECT.fits, value))
    ]
    # Beside the answers a file may list its few systems.
    lists.sort(key=len, reverse=True)
    if len(lists) == 1 or (len(lists) > 1 and len(lists[0]) >= LONGEST * len(lists[1])):
        return lists[0]
    header = Fields(parsed, f"{name}, its header")
    for key in RESULTS:
        if key in parsed:
            return header.object(key).get(key, LIST) if results else header.get(key, LIST)
    # JSON lines of a single line.
    if len(parsed) > 1 and any(map(is_value, parsed.values())) and not lists:
        return [parsed]
    raise ValueError(f"{name} holds {_kind_of(parsed)}; needed is {NEEDED}.")


def _kind_of(parsed: Json) -> str:
    """Return what JSON is, in a few words."""
    if isinstance(parsed, dict):
        names = [str(key)[:40] for key in parsed]
        more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        fields = f"an object with the fields {', '.join(names[:MAX_LISTED])}{more}"
        return fields if names else "an empty object"
    if isinstance(parsed, list):
        n_others = sum(not OBJECT.fits(item) for item in parsed)
        return (
            f"an array in which {n_others:,} of {len(parsed):,} are not objects"
            if parsed
            else "no answers: an empty array"
        )
    return f"a single {type(parsed).__name__}"


# --- the tools -------------------------------------------------------------------------


def _inspect(log: Record, items: Items, name: str) -> AnswerFile:
    """Return the answers in a log of Inspect: a system, and its samples with their scores."""
    header = log.get("eval")
    model = header.get("model") if isinstance(header, dict) else None
    model = model if TEXT.fits(model) else ""

    def read(sample: Fields) -> Reading:
        # A header that is damaged does not say which model it was; a sample does.
        system = model or sample.object("output").get("model", TEXT, name)
        scores = sample.get("scores", OBJECT, {})
        # Of a log of an early version.
        if "score" in sample.values:
            scores = {"score": sample.values["score"], **scores}
        values = flat(
            {
                scorer: score.get("value") if OBJECT.fits(score) else score
                for scorer, score in scores.items()
            }
        )
        others = {k: v for k, v in sample.values.items() if k not in ("scores", "score")}
        sample.get("id", NAME)
        return None, {"model": system, **flat(others), **values}, values

    shape = Shape("Inspect", "model", "id")
    return AnswerFile.read(items, name, "json", shape, read, {"model": model} if model else {})


def _packed_log(data: bytes, name: str, max_bytes: int) -> AnswerFile:
    """Return the answers in a packed log of Inspect: a file of JSON for each sample."""

    def is_wanted(member: str) -> bool:
        return member in HEADERS or (member.startswith("samples/") and member.endswith(".json"))

    parsed: dict[str, Json] = {}
    try:
        for member, content in members_of(data, name, max_bytes, is_wanted):
            place = f"{name}, {member}"
            try:
                parsed[member] = (
                    MisfitError(content)
                    if isinstance(content, str)
                    else parsed_json(content.decode("utf-8", "replace"), place)
                )
            except ValueError as error:
                parsed[member] = MisfitError(str(error))
    except (zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{name} is a damaged log of Inspect: {error}.") from error

    headers = [parsed[member] for member in HEADERS if OBJECT.fits(parsed.get(member))]
    items = [(f"{name}, {key}", item) for key, item in parsed.items() if key not in HEADERS]
    if not items:
        raise ValueError(f"{name} is a log of Inspect without samples.")
    return _inspect(headers[0] if headers else {}, items, name)


def _promptfoo(items: Items, kind: str, name: str) -> AnswerFile:
    """Return the answers in the results of promptfoo.

    Ratings by people are components as those by models, and decide of the whole result.
    """

    def read(item: Fields) -> Reading:
        provider = item.get("provider", PROVIDER)
        if OBJECT.fits(provider):
            provider = item.object("provider").get("id", NAME)

        grading = item.object("gradingResult")
        verdicts: Record = {}
        labels: Record = {}
        for part in grading.objects("componentResults"):
            assertion = part.object("assertion")
            by = assertion.get("type", NAME, "")
            metric = str(assertion.get("metric", NAME, by))
            if by == HUMAN:
                labels[HUMAN] = part.values.get("pass")
            elif metric:
                # Of several rubrics each is a judge.
                n_alike = sum(key.split(" #")[0] == metric for key in verdicts)
                verdicts[f"{metric} #{n_alike + 1}" if n_alike else metric] = part.values.get(
                    "pass"
                )

        overall = grading.values.get("pass", item.values.get("success"))
        if labels:
            overall = all(verdicts.values()) if verdicts else None
        record = {
            **flat(item.values),
            "provider.id": str(provider),
            "gradingResult.pass": overall,
            **verdicts,
            **labels,
        }
        return None, record, ["gradingResult.pass", *verdicts]

    shape = Shape("promptfoo", "provider.id", "testIdx", HUMAN)
    file = AnswerFile.read(items, name, kind, shape, read)
    # A single component is the result.
    if len(file.shape.judges) == 2 and all(file.shape.judges[1] in r for r in file.records):
        file = replace(file, shape=replace(file.shape, judges=file.shape.judges[1:]))
    if not any("testIdx" in record for record in file.records):
        file = replace(file, shape=replace(file.shape, prompt=""))
    _part_templates(file.records)
    return file


def _part_templates(records: list[Record]) -> None:
    """Make systems of the templates of prompts that one provider answers."""
    templates: dict[str, Counter[str]] = {}
    for record in records:
        of_system = templates.setdefault(record["provider.id"], Counter())
        of_system[str(record.get("promptIdx"))] += 1
    for record in records:
        counts = templates[record["provider.id"]].values()
        # One of a single answer is an accident.
        if sum(count > 1 for count in counts) > 1:
            record["provider.id"] += f" prompt {record.get('promptIdx')}"


def _metrics_of(case: Record) -> str:
    """Return where a case of DeepEval has its metrics, "" if it has none."""
    for key in METRICS_DATA:
        value = case.get(key)
        # Other tools list names of metrics.
        if isinstance(value, list) and (any(map(OBJECT.fits, value)) or key != METRICS_DATA[-1]):
            return key
    return ""


def _deepeval(items: Items, kind: str, name: str, run: Record) -> AnswerFile:
    """Return the answers in test cases of DeepEval: a verdict of each metric."""
    source: Record = {"hyperparameters": run} if run else {}

    def read(case: Fields) -> Reading:
        key = next((key for key in METRICS_DATA if key in case.values), "")
        values: Record = {}
        for metric in case.objects(key) if key else ():
            verdict = metric.values.get("success")
            verdict = metric.values.get("score") if verdict is None else verdict
            by = metric.get("name", NAME, None) or metric.get("metric", NAME)
            values[str(by)] = verdict
        others = {k: v for k, v in {**source, **case.values}.items() if k != key}
        return None, flat(others) | values, values

    file = AnswerFile.read(items, name, kind, Shape("DeepEval"), read, source)
    prompt = next((key for key in ("input", "name") if key in file.records[0]), "")
    return replace(file, shape=replace(file.shape, prompt=prompt))


def _lm_eval(items: Items, kind: str, name: str, folder: str) -> AnswerFile:
    """Return the answers in samples of lm-evaluation-harness, a file for each system."""
    # The harness names a folder after the model; `with_systems` chooses among both.
    model = f"{folder}/{PurePath(name).stem}"
    objects = [item for _, item in items if OBJECT.fits(item)]
    counts = Counter(str(item.get("filter")) for item in objects)
    filters = {key for key, count in counts.items() if is_many(count, len(objects))}

    def read(line: Fields) -> Reading:
        doc = line.get("doc_id", NAME)
        by = str(line.values.get("filter"))
        if by not in filters:
            raise MisfitError.at(line.place, "filter", f"one of {', '.join(filters)}", by)
        # Files of early versions do not name their metrics.
        fitting = [k for k, v in line.values.items() if isinstance(v, int | float)]
        named = line.get("metrics", LIST, fitting)
        names = [key for key in line.values if key in named and key not in NO_METRIC]
        metrics = {f"{k} ({by})" if len(filters) > 1 else k: line.values[k] for k in names}

        answer = line.values.get("resps") or line.values.get("filtered_resps")
        while isinstance(answer, list) and answer:
            answer = answer[0]
        others = {key: value for key, value in line.values.items() if key not in names}
        return str(doc), {"model": model, **flat(others), "answer": answer, **metrics}, metrics

    shape = Shape("lm-evaluation-harness", "model", "doc_id")
    return AnswerFile.read(items, name, kind, shape, read, {"model": model})


def _read_rows(file: Any, name: str, max_bytes: int) -> AnswerFile:
    """Return the rows of a table."""
    if isinstance(file, bytes):
        file = io.BytesIO(file)
    table = read_table(file, max_bytes=max_bytes)
    columns = [table.texts(column) for column in table.names]
    rows = [dict(zip(table.names, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if not rows:
        raise ValueError(f"{name} has no rows below its header.")
    places = [f"{name}, {table.unit} {place}" for place in table.places]
    return _plain(list(zip(places, rows, strict=True)), "csv", name)


def _plain(items: Items, kind: str, name: str) -> AnswerFile:
    """Return a record for each object or row, or for each answer if scorers have one each."""

    def fields_of(item: Fields) -> Record:
        cells = flat(item.values)
        return {key: None if value == "" else value for key, value in cells.items()}

    def read(item: Fields) -> Reading:
        return None, fields_of(item), ()

    file = AnswerFile.read(items, name, kind, Shape(), read)
    columns = dict.fromkeys(key for record in file.records[:MAX_LISTED] for key in record)
    scorers = [key for key in columns if key.rsplit(".")[-1].lower() in SCORER_COLUMNS]
    values = [key for key in columns if key.lower() in VALUE_COLUMNS]
    answers = [key for key in columns if key.lower().replace("_", "") in ANSWER_COLUMNS]
    answers.sort(key=lambda key: ANSWER_COLUMNS.index(key.lower().replace("_", "")))
    for answer in answers:
        for scorer in scorers:
            if values and _is_long(file.records, answer, scorer):
                return _joined(items, file, fields_of, answer, scorer, values[0])
    return file


def _is_long(records: Sequence[Record], answer: str, scorer: str) -> bool:
    """Return whether answers come several times, each time with another scorer."""
    pairs = [(str(record.get(answer)), str(record.get(scorer))) for record in records]
    n_answers = len({pair[0] for pair in pairs})
    n_scorers = len({pair[1] for pair in pairs})
    is_repeated = n_answers < len(pairs) and n_scorers <= max(2, len(pairs) // 2)
    # The rows of human labels alone.
    is_human = n_scorers == 1 and pairs[0][1].lower() == HUMAN
    return (is_repeated and not is_many(len(pairs) - len(set(pairs)), len(pairs))) or is_human


def _joined(
    items: Items,
    file: AnswerFile,
    fields_of: Callable[[Fields], Record],
    answer: str,
    scorer: str,
    value: str,
) -> AnswerFile:
    """Return a record for each answer, with a column for each scorer."""

    def read(item: Fields) -> Reading:
        row = Fields(fields_of(item), item.place)
        key = row.get(answer, NAME)
        by = str(row.get(scorer, NAME))
        if str(row.values.get("source")).upper() == "ANNOTATION":
            by = HUMAN
        others = {name: cell for name, cell in row.values.items() if name not in (scorer, value)}
        return str(key), others | {by: row.values.get(value)}, () if by.lower() == HUMAN else (by,)

    shape = Shape("a row for each answer and scorer")
    joined = AnswerFile.read(items, file.name, file.kind, shape, read)
    return replace(joined, scorer=(scorer, value))


# --- several files ---------------------------------------------------------------------


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
