#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each claim of the pages on security names a test that exists, or says that it is not tested.

Usage: check-claims.py    Prints the counts of each page. Exits with 1 after naming every fault with its line. Needs nothing that is built.

A claim is a list item, a paragraph or a row of a table. It says what shows it:

    Shown by `ContentTests/versionsOnlyRise`, `Tools/test-web.py: a form in disguise`.     at the end of a paragraph or list item
    | … | `ContentTests/versionsOnlyRise`; the clock: not tested |                         in a last column "shown by"

A table without that column is followed by a paragraph that starts with "Shown by" or "Not tested" and holds for each row. `Suite/function` is a
test of Swift Testing below Tests/. `FILE: words` is a check in FILE (of Tools/, Tests/ or .ci/), of which a line that is no comment has these
words. "Not tested" stands where nothing shows a claim; beside a name it means a part of the claim. "No claim" in the column means that the row
promises nothing.

In PAGES every block is a claim unless the line above it is <!-- no claim -->. A page has one sentence with the counts, so that a claim cannot be
removed unnoticed. In OTHERS only blocks and tables that say "Shown by" or "Not tested" are claims.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["docs/threat-model.md", "docs/sandbox.md"]
OTHERS = ["docs/access.md"]
COLUMN = "shown by"
# Its numbers are compared with what was counted: claims, with a name, with a name for a part only, without any.
COUNTS = re.compile(r"Of (\d+) claims on this page (\d+) name what shows them, (\d+) do so for a part, and (\d+) are not tested\.")
TYPE = re.compile(r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|fileprivate|package|internal|final)\s+)*(?:struct|class|enum|extension|actor)\s+([\w.]+)")
FUNCTION = re.compile(r"\bfunc (\w+|`[^`]+`)")
# The words of a check are looked for as they are; shorter ones would be found anywhere.
FEWEST_LETTERS = 6


def tests_of(text):
    """The names Suite/function of all tests in a Swift file that run. Relies on indentation, which `swift format` keeps right."""
    names, types, waits = [], [], False
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("//"):
            continue
        depth = len(line) - len(line.lstrip())
        while types and depth <= types[-1][0] and not words.startswith(("}", ")")):
            types.pop()
        kind = TYPE.match(line)
        if kind:
            types.append((depth, kind[1].split(".")[-1]))
        waits = waits or bool(re.match(r"@Test\b", words))
        waits = waits and ".disabled(" not in words
        function = FUNCTION.search(line)
        if waits and function:
            names.append(f"{types[-1][1] if types else ''}/{function[1].strip('`')}")
            waits = False
    return names


def all_tests():
    return collections.Counter(name for file in sorted((ROOT / "Tests").rglob("*.swift")) for name in tests_of(file.read_text()))


def fault_of(name, tests):
    """What is wrong with a name in backticks, or None."""
    place, colon, words = name.partition(": ")
    if colon and re.match(r"(Tools|Tests|\.ci)/", place):
        file = ROOT / place
        if not file.is_file():
            return f"there is no file {place}"
        if len(words) < FEWEST_LETTERS:
            return f"“{words}” is too short to be found"
        lines = (line for line in file.read_text().splitlines() if not line.lstrip().startswith(("#", "//")))
        return None if any(words in line for line in lines) else f"{place} has no “{words}”"
    if re.fullmatch(r"\w+/[^/]+", name):
        count = tests[name]
        return None if count == 1 else f"{count} tests have the name {name}" if count else f"there is no test {name}"
    return f"“{name}” is neither Suite/function nor FILE: words"


def blocks_of(text):
    """The blocks of a page: (line number, kind, text, whether it claims nothing). Kinds: row, head, item, paragraph."""
    blocks, is_code, silent, rows = [], False, False, 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            blocks.append([number, "end", "", True])
            continue
        if is_code:
            continue
        if line.strip() == "<!-- no claim -->":
            silent = True
            blocks.append([number, "end", "", True])
        elif not line.strip() or line.startswith("#"):
            if rows:
                silent = False
            rows = 0
            blocks.append([number, "end", "", True])
        elif line.startswith("|"):
            rows += 1
            if rows != 2:
                blocks.append([number, "head" if rows == 1 else "row", line, silent])
        elif re.match(r"(- |\d+\. )", line):
            blocks.append([number, "item", line, silent])
            silent = False
        elif blocks and blocks[-1][1] in ("item", "paragraph"):
            blocks[-1][2] += " " + line.strip()
        else:
            blocks.append([number, "paragraph", line.strip(), silent])
            silent = False
    return [tuple(block) for block in blocks if block[1] != "end"]


def cells_of(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def mark_of(text):
    """The part of a paragraph or list item that says what shows it, or None."""
    found = re.search(r"(?:^|(?<=[.:;)*] ))(Shown by `.*|Not tested\b.*)$", text)
    return found[1] if found else None


def claims_of(text, is_strict):
    """The claims of a page: (line number, mark or None)."""
    blocks, claims, has_column = blocks_of(text), [], False
    for index, (number, kind, words, is_silent) in enumerate(blocks):
        if kind == "head":
            has_column = cells_of(words)[-1] == COLUMN
            if not has_column and not is_silent:
                after = next((block for block in blocks[index:] if block[1] not in ("head", "row")), None)
                table_mark = mark_of(after[2]) if after else None
                if is_strict and not (table_mark and after[2] == table_mark):
                    claims.append((number, None))
        elif kind == "row":
            if has_column and not is_silent:
                claims.append((number, cells_of(words)[-1] or None))
        elif not is_silent and not COUNTS.search(words):
            mark = mark_of(words)
            if mark or is_strict:
                claims.append((number, mark))
    return claims


def judge(page, tests, is_strict):
    """The faults of a page, and a sentence with its counts."""
    text = (ROOT / page).read_text()
    faults, shown, partly, untested, none = [], 0, 0, 0, 0
    for number, mark in claims_of(text, is_strict):
        if mark is None:
            faults.append(f"{page}:{number}: names no test and does not say “not tested”")
            continue
        names = re.findall(r"`([^`]+)`", mark)
        says_not = re.search(r"\bnot tested\b", mark, re.I) is not None
        if mark == "no claim":
            none += 1
        elif names:
            shown, partly = shown + (not says_not), partly + says_not
        elif says_not:
            untested += 1
        else:
            faults.append(f"{page}:{number}: names no test and does not say “not tested”")
        faults += [f"{page}:{number}: {fault}" for fault in (fault_of(name, tests) for name in names) if fault]
    counts = (shown + partly + untested, shown, partly, untested)
    said = COUNTS.search(" ".join(text.split()))
    if is_strict and (not said or tuple(map(int, said.groups())) != counts):
        faults.append("{}: this is not what it says of itself: Of {} claims on this page {} name what shows them, {} do so for a part, and {} are not tested."
                      .format(page, *counts))
    return faults, "{}: {} claims, {} shown, {} in part, {} not tested".format(page, *counts)


def main():
    tests = all_tests()
    faults = []
    for page in PAGES + OTHERS:
        found, sentence = judge(page, tests, page in PAGES)
        faults += found
        print(sentence)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
