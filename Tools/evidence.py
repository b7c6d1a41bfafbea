#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/evidence.md from the records in docs/evidence/*.json: the latest measurement of each id, one line each.

Usage: evidence.py            writes docs/evidence.md
       evidence.py --check    writes nothing; exits with 1 if a record is malformed, if docs/evidence.md is not what the records make, or if
                              README.md or docs/status.md states a figure without a record

A record is one measurement:

    id        what was measured, such as `matching.peak-memory`; a measurement made again gets the same id, and is appended
    claim     what the figure shows        command   what makes it
    figure    a number, [lowest, highest], or a word such as "passes"
    unit      what comes after the figure, such as "MiB" or "of 280 vectors pass"
    budget    "≤ 20" or "≥ 2" in the same unit; null if there is none, or still that of the measurement before
    date      of the measurement           commit    measured at; null if unknown; "abc1234 or before" if that is what is known
    recorded  the commit that wrote the figure down; null in a new record
    machine   a name from docs/evidence/index.json
    load      "quiet", "loaded", ... or null if unknown
    note      the full result in words, optional. `of` instead names the record of the same run that has the note

In README.md and docs/status.md a figure is a link to its record, and the linked words have the record's numbers:

    [16.6 MiB](docs/evidence.md#memory.idle)

Every other digit on these pages must belong to a name (Debian 12, ARMv8), to code, to an address, or to a link to another page.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/evidence"
PAGE = ROOT / "docs/evidence.md"
PAGES_WITH_FIGURES = ["README.md", "docs/status.md"]
REQUIRED = ["id", "claim", "command", "figure", "unit", "budget", "date", "commit", "recorded", "machine", "load"]
OPTIONAL = ["note", "of"]
# What has digits and is no figure. Digits that follow a letter (arm64, ARMv8, IPv6) are names by themselves.
NAMES = re.compile(r"(Debian|Swift|Linux|Pi|Pi Zero|SQLite|Mbed TLS|Corona-Warn-App|NHS|COVID-19|version|decision|Bluetooth) ?\d[\d.]*"
                   r"( (and|or) \d[\d.]*)?( W\b)?|COVID-19|x86-64|Apache-2\.0|TLS 1\.\d|\d[\d.]* or newer|\d+ ?% is chance")


class Fault(Exception):
    """A record or page that is wrong, with its place."""


def load():
    """The index, and the records of all sections, oldest first: (section, record)."""
    index = json.loads((FOLDER / "index.json").read_text())
    known = {section["file"] for section in index["sections"]}
    files = {file.stem for file in FOLDER.glob("*.json")} - {"index"}
    if known != files:
        raise Fault(f"docs/evidence/index.json and the folder differ: {', '.join(sorted(known ^ files))}")
    records = [(section["file"], record) for section in index["sections"]
               for record in json.loads((FOLDER / f"{section['file']}.json").read_text())]
    return index, records


def faults_of(section, record, index, ids):
    """What is wrong with one record."""
    place = f"docs/evidence/{section}.json: {record.get('id', 'a record without id')}"
    missing = [name for name in REQUIRED if name not in record]
    if missing:
        return [f"{place}: {', '.join(missing)} missing"]
    faults = []
    unknown = set(record) - set(REQUIRED) - set(OPTIONAL)
    if unknown:
        faults.append(f"{place}: unknown {', '.join(sorted(unknown))}")
    if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", record["id"]):
        faults.append(f"{place}: an id has small letters, digits, dots and dashes")
    figure = record["figure"]
    numbers = figure if isinstance(figure, list) else [figure]
    if isinstance(figure, list) and (len(figure) != 2 or not all(is_number(n) for n in figure) or figure[0] > figure[1]):
        faults.append(f"{place}: a range is [lowest, highest]")
    if not isinstance(figure, (list, str)) and not is_number(figure):
        faults.append(f"{place}: figure is a number, a range or a word")
    if record["budget"] is not None and (not re.fullmatch(r"[≤≥] [\d.]+", record["budget"]) or not all(is_number(n) for n in numbers)):
        faults.append(f"{place}: a budget is “≤ 20” or “≥ 2”, for a number")
    if not re.fullmatch(r"20\d\d-\d\d-\d\d", record["date"]):
        faults.append(f"{place}: date is not YYYY-MM-DD")
    for name in ("commit", "recorded"):
        if record[name] is not None and not re.fullmatch(r"[0-9a-f]{7,40}( or before| or after| to [0-9a-f]{7,40})?", record[name]):
            faults.append(f"{place}: {name} is a hash or null")
    if record["machine"] not in index["machines"]:
        faults.append(f"{place}: machine {record['machine']} is not in index.json")
    if "of" in record and record["of"] not in ids:
        faults.append(f"{place}: there is no record {record['of']}")
    return faults


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def latest(records):
    """The latest record of each id, in the order in which ids first appear, with the number of measurements."""
    found = {}
    for section, record in records:
        before = found.get(record["id"])
        if before is None:
            found[record["id"]] = [section, record, 1]
        else:
            before[2] += 1
            if record["date"] >= before[1]["date"]:
                before[1] = record | {"budget": record["budget"] or before[1]["budget"]}
    return found


def said(value):
    if isinstance(value, list):
        return said(value[0]) if value[0] == value[1] else f"{said(value[0])} to {said(value[1])}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def is_over(record):
    """Whether the figure misses its budget."""
    if record["budget"] is None:
        return False
    sign, limit = record["budget"].split()
    numbers = record["figure"] if isinstance(record["figure"], list) else [record["figure"]]
    return any(n > float(limit) if sign == "≤" else n < float(limit) for n in numbers)


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def short(text, limit=160):
    """A claim that fits in a line; all of it is in the record."""
    return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def page(index, records):
    """The text of docs/evidence.md."""
    lines = ["# Evidence", "",
             "<!-- Made by Tools/evidence.py from docs/evidence/*.json (`make generate`). Do not edit. -->", "",
             "What was shown, by which command, when and where: the latest measurement of each claim. A figure that is not here is not claimed "
             "anywhere else.", "",
             "All measurements, with the full result of each in its `note`: the JSON files named under each heading. What was learnt from "
             "them, and what was never measured: [notes](evidence/NOTES.md).", "",
             "“–” stands for unknown. *Commit*: measured at; in brackets: the commit that wrote the figure down, where the first is unknown. "
             "*n*: measurements of the same claim so far.", ""]
    lines += [f"- Machine {name}: {text}." for name, text in index["machines"].items()]
    found = latest(records)
    for section in index["sections"]:
        lines += ["", f"## {section['title']}", "", f"Records: [{section['file']}.json](evidence/{section['file']}.json)", "",
                  "| claim | figure | budget | date | commit | machine, load | n | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        previous = None
        for name, (_, record, count) in found.items():
            if found[name][0] != section["file"]:
                continue
            claim = "″" if previous == (record["claim"], record["command"]) else cell(short(record["claim"]))
            command = "″" if previous == (record["claim"], record["command"]) else cell(record["command"])
            previous = (record["claim"], record["command"])
            figure = f"{said(record['figure'])} {record['unit']}".strip()
            if is_over(record):
                figure = f"**{figure}: over budget**"
            commit = record["commit"] or (f"({record['recorded']})" if record["recorded"] else "–")
            lines.append(f"| <a id=\"{name}\"></a>{claim} | {cell(figure)} | {record['budget'] or '–'} | {record['date']} | {commit} | "
                         f"{record['machine']}, {record['load'] or '–'} | {count} | {command} |")
    return "\n".join(lines) + "\n"


def numbers_in(text):
    return re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))


def claims_of(name, text, records):
    """Faults of the figures on a page."""
    faults = []
    found = latest(records)
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    for number, line in enumerate(text.splitlines(), 1):
        for words, target in re.findall(r"\[([^\]]*)\]\((?:docs/)?evidence\.md#([^)]*)\)", line):
            if target not in found:
                faults.append(f"{name}:{number}: there is no record {target}")
                continue
            record = found[target][1]
            known = numbers_in(f"{said(record['figure'])} {record['unit']}")
            wrong = [n for n in numbers_in(words) if n not in known]
            if wrong:
                faults.append(f"{name}:{number}: “{words}” says {', '.join(wrong)}, the latest record {target} says "
                              f"{said(record['figure'])} {record['unit']}")
        rest = re.sub(r"\[[^\]]*\]\((?:docs/)?evidence\.md#[^)]*\)", "", line)
        rest = re.sub(r"`[^`]*`", "", rest)
        rest = re.sub(r"\]\([^)]*\)", "", rest)
        rest = re.sub(r"https?://\S+", "", rest)
        rest = NAMES.sub("", rest)
        rest = re.sub(r"^\d+\. ", "", rest)
        left = re.findall(r"(?<![A-Za-z\d])\d[\d.,]*\w*", rest)
        if left:
            faults.append(f"{name}:{number}: no record for {', '.join(left)}: link the figure to its record in docs/evidence.md")
    return faults


def main():
    is_check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not is_check:
        sys.exit(__doc__)
    try:
        index, records = load()
    except Fault as fault:
        sys.exit(f"evidence.py: {fault}")
    ids = {record.get("id") for _, record in records}
    faults = [fault for section, record in records for fault in faults_of(section, record, index, ids)]
    if not faults:
        text = page(index, records)
        if is_check and (not PAGE.is_file() or PAGE.read_text() != text):
            faults.append("docs/evidence.md is not what docs/evidence/*.json make: run `make generate`")
        elif not is_check:
            PAGE.write_text(text)
        for name in PAGES_WITH_FIGURES if is_check else []:
            faults += claims_of(name, (ROOT / name).read_text(), records)
    for fault in faults:
        print(fault, file=sys.stderr)
    found = len({record["id"] for _, record in records if "id" in record})
    print(f"docs/evidence: {len(records)} measurements of {found} claims")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
