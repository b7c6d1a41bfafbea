#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests draw from a seed: refuses random numbers without one in `Tests`, in Swift and in Python. Secrets of servers written in Python
(`secrets`, `uuid`, `SystemRandom`) are theirs.

A test that draws anew in every run fails once in hundreds of runs, for somebody else, and cannot be repeated. `SeededGenerator` and `Unique`
(Tests/Support/RandomValues) are for all that tests draw; only that folder is left out here.

Usage: check-seeds.py          looks; a line for each place, and exit status 1, when there are any
Looks at its own examples first: a rule that finds nothing any more is no rule.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRIMITIVES = ROOT / "Tests/Support/RandomValues"
ADVICE = "pass using: a SeededGenerator, or take Unique.name() or Unique.port()"

# Calls that draw from the system's generator unless they are given another. `.random(7)` and `.random(let x)` are cases of enumerations.
DRAW = re.compile(r"\.random\(\s*(?=in:|using:|\))|\b(?:randomElement|shuffled|shuffle)\(")
ALWAYS = {
    ".swift": re.compile(r"\b(?:SystemRandomNumberGenerator|UUID\(\)|arc4random\w*|getrandom\(|drand48|s?random_r?\(\))|/dev/u?random"),
    ".py": re.compile(r"(?<![\w.])random\.(?!Random\(|SystemRandom\(\))\w+\(|(?<![\w.])random\.Random\(\)"),
}

REFUSED = {
    ".swift": ["let a = Int.random(in: 0..<4)", "x[.random(in:\n    x.indices)] = 1", "Bool.random()", "list.randomElement()!", "keys.shuffled().first",
               "var g = SystemRandomNumberGenerator()", "let name = UUID().uuidString", "Int.random(in: 0...f(using: &g))"],
    ".py": ["random.choice(list)", "chance = random.Random()"],
}
ACCEPTED = {
    ".swift": ["Int.random(in: 0..<f(4), using: &g)", "Int.random(\n    in: 0..<4,\n    using: &g)", "let a = BluetoothAddress(value: 0, type: .random)",
               "case .random(let one)", "JSON.random(depth: 4, &g)", "list.shuffled(using: &g)", "// Bool.random() would be wrong"],
    ".py": ["chance = random.Random(7)", "self.random.choice(list)", "chance.random()", "# random.choice(list) would be wrong", "token = secrets.token_hex(8)"],
}


def arguments(text, start):
    """What stands between the parenthesis that ends at `start` and its partner, without what stands in further parentheses."""
    depth, outer = 1, []
    for character in text[start:]:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            break
        if depth == 1:
            outer.append(character)
    return "".join(outer)


def places(text, suffix):
    """Lines, counted from 1, on which something is drawn without a seed."""
    comment = "//" if suffix == ".swift" else "#"
    # The rest of a line after a comment's beginning is none of ours; its length stays, so that places do.
    text = re.sub(rf"(^|\s){comment}.*", lambda found: found[1] + " " * (len(found[0]) - len(found[1])), text, flags=re.M)
    found = [match.start() for match in ALWAYS[suffix].finditer(text)]
    if suffix == ".swift":
        found += [match.start() for match in DRAW.finditer(text) if "using:" not in arguments(text, match.end())]
    return sorted({text.count("\n", 0, place) + 1 for place in found})


def main():
    for suffix, examples in REFUSED.items():
        for example in examples:
            assert places(example, suffix), f"check-seeds.py no longer finds: {example}"
    for suffix, examples in ACCEPTED.items():
        for example in examples:
            assert not places(example, suffix), f"check-seeds.py finds what is right: {example}"
    count = 0
    for file in sorted((ROOT / "Tests").rglob("*")):
        if file.suffix not in ALWAYS or PRIMITIVES in file.parents:
            continue
        for line in places(file.read_text(), file.suffix):
            print(f"{file.relative_to(ROOT)}:{line}: draws without a seed; {ADVICE}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
