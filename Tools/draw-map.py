#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table and the drawing of targets in docs/architecture.md from Package.swift, and checks the order of folders.

Usage: draw-map.py            Writes the page.
       draw-map.py --check    Changes nothing. Exits with 1 when the page is not what would be written.

Both exit with 1 after naming every fault when a target depends on a folder above its own, when an idea names a page that docs/ lacks, when a target
of the package is not a line of the map, and when a folder of Sources or Tests belongs to no target. Ideas come from the lines of Package.swift,
everything else from `swift package dump-package`.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/architecture.md"
FOLDER = re.compile(r'^    folder\("(\w+)", "([^"]*)"')
LINE = re.compile(r'^        \w+\("([\w-]+)", "([^"]*)"')
WIDTH = 120


def read_map(manifest):
    """Folders with their ideas, and targets with folder and idea, in the order of the manifest."""
    folders, targets = {}, {}
    for line in manifest.splitlines():
        if folder := FOLDER.match(line):
            current = folder[1]
            folders.setdefault(current, folder[2])
        elif target := LINE.match(line):
            targets[target[1]] = (current, target[2])
    return folders, targets


def dump():
    """The targets of the package by name, as SwiftPM reads them."""
    command = [os.environ.get("SWIFT", "swift"), "package", "--package-path", str(ROOT), "dump-package"]
    package = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {target["name"]: target for target in package["targets"]}


def needs_of(target, names):
    """The targets of this package that a target depends on."""
    found = (next(iter(dependency.values()))[0] for dependency in target["dependencies"])
    return [name for name in found if name in names]


def faults_of(folders, targets, package):
    """What is wrong with the map, as sentences."""
    floor = {name: number for number, name in enumerate(folders)}
    for name, target in package.items():
        if target["type"] == "test" and name.removesuffix("Tests") in targets:
            continue
        if name not in targets:
            yield f"{name} is no line of the map in Package.swift"
            continue
        for need in needs_of(target, package):
            if target["type"] != "test" and need in targets and floor[targets[need][0]] > floor[targets[name][0]]:
                yield f"{name} ({targets[name][0]}) depends on {need} ({targets[need][0]}), which is a floor above it"
    for name, (_, idea) in targets.items():
        for page in re.findall(r"\(([\w/-]+\.md)\)", idea):
            if not (ROOT / "docs" / page).is_file():
                yield f"the idea of {name} names docs/{page}, which is not there"
    paths = {target["path"] for target in package.values()}
    for place in [*ROOT.glob("Sources/*/*"), *ROOT.glob("Tests/**/*Tests")]:
        path = str(place.relative_to(ROOT))
        if place.is_dir() and any(file.suffix in (".swift", ".c", ".h") for file in place.rglob("*")) and path not in paths:
            yield f"{path} is no target of Package.swift: nobody builds it"


def drawing(folders, targets):
    """The folders as floors, the highest first."""
    yield "```"
    for number, folder in reversed(list(enumerate(folders))):
        names = "  ".join(name for name, (place, _) in targets.items() if place == folder)
        margin = f"{number:2}  {folder:<11}"
        yield from textwrap.wrap(names, WIDTH, initial_indent=margin, subsequent_indent=" " * len(margin), break_on_hyphens=False,
                                 break_long_words=False)
    yield "```"


def table(folders, targets, package):
    """One table for each folder."""
    shipped = {name: needs_of(target, package) for name, target in package.items() if target["type"] != "test"}
    for folder, idea in folders.items():
        yield ""
        yield f"**{folder}**: {idea}."
        yield ""
        yield "| target | idea | uses | used by | tests |"
        yield "| --- | --- | --: | --: | --- |"
        for name, (place, words) in targets.items():
            if place == folder:
                linked = re.sub(r"\(([\w/-]+)\.md\)", r"([\1](\1.md))", words)
                users = sum(name in needs for needs in shipped.values())
                tests = f"`{name}Tests`" if f"{name}Tests" in package else ""
                yield f"| `{name}` | {linked} | {len(needs_of(package[name], package))} | {users} | {tests} |"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    folders, targets = read_map((ROOT / "Package.swift").read_text())
    package = dump()
    faults = list(faults_of(folders, targets, package))
    page = PAGE.read_text()
    wanted = page
    for name, lines in [("drawing", drawing(folders, targets)), ("table", table(folders, targets, package))]:
        begin, end = f"<!-- {name}: made from Package.swift by `make generate` -->\n", f"<!-- end of {name} -->\n"
        if wanted.count(begin) != 1 or wanted.count(end) != 1:
            sys.exit(f"{PAGE}: the marks of the {name} are missing")
        before, after = wanted.split(begin)[0], wanted.split(end)[1]
        wanted = before + begin + "\n".join(lines).strip("\n") + "\n" + end + after
    if "--check" not in sys.argv:
        PAGE.write_text(wanted)
    elif wanted != page:
        faults.append("docs/architecture.md is not what Package.swift says: run `make generate`")
    sys.exit("\n".join(faults) or 0)


main()
