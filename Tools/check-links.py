#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the links in Markdown files lead somewhere: files, headings and pictures; and that docs/README.md, or a README.md
in a folder below, names every page of docs.

Usage: check-links.py    Prints a count. Exits with 1 after naming every broken link with its line. Looks at no address of the network.

Headings get the anchors that GitHub gives them. `<a id="…">` is an anchor too.
"""
import functools
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^()\s>]+(?:\([^()]*\))?)>?(?:\s+\"[^\"]*\")?\)|\b(?:href|src)=\"([^\"]+)\"")
START = ROOT / "docs/README.md"


def pages():
    """The Markdown files that git knows, or would add."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"],
                            cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [path for path in (ROOT / name for name in sorted(set(listed.split("\0"))) if name) if path.is_file()]


@functools.cache
def lines_of(page):
    """The lines of a page; those of fenced code and of comments are empty."""
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), page.read_text(), flags=re.S)
    lines, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark[1]
            lines.append("")
        elif fence is not None:
            if mark and line.strip() == fence:
                fence = None
            lines.append("")
        else:
            lines.append(line)
    return lines


@functools.cache
def anchors_of(page):
    """The anchors of a page, as GitHub makes them."""
    found, counts = set(), {}
    for line in lines_of(page):
        found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", line)
        if not heading:
            continue
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        words = re.sub(r"<[^>]+>", "", words)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = counts.get(anchor, 0)
        counts[anchor] = count + 1
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


def links_of(page):
    """The links of a page that stay in the repository: (line number, target)."""
    for number, line in enumerate(lines_of(page), 1):
        for plain, quoted in LINK.findall(re.sub(r"`[^`]*`", lambda found: " " * len(found[0]), line)):
            target = plain or quoted
            if not re.match(r"[a-z][a-z0-9+.-]*:", target):
                yield number, target


def fault_of(page, target):
    """What is wrong with a link, or None."""
    path, _, anchor = target.partition("#")
    file = (page.parent / urllib.parse.unquote(path)).resolve() if path else page
    if not file.is_relative_to(ROOT):
        return f"{target} leads out of the repository"
    if not file.exists():
        return f"there is no {target}"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file):
        return f"{path or page.name} has no heading for #{anchor}"
    return None


def main():
    faults, count, named = [], 0, set()
    for page in pages():
        for number, target in links_of(page):
            count += 1
            fault = fault_of(page, target)
            if fault:
                faults.append(f"{page.relative_to(ROOT)}:{number}: {fault}")
            if page.name == "README.md" and page.is_relative_to(START.parent):
                named.add((page.parent / urllib.parse.unquote(target.partition("#")[0])).resolve())
    for page in pages():
        if page.is_relative_to(ROOT / "docs") and page not in named | {START}:
            faults.append(f"docs/README.md does not name {page.relative_to(ROOT / 'docs')}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(pages())} Markdown files: {count} links, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
