#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a person states about symptoms, and what the person they met is told: pairs of whole boards on one simulated air, each pair with a
statement, a number of days between the meeting and the warning, and a core that is killed in the middle of the meeting or is not, through laboratory, verification, submission, publication, wake, download,
matching and the authority's own rules, all as a pilot would have them. What must be told comes from Tests/Vectors/warnings, which was
computed from the specifications by a program that shares no code with this one.

Usage: test-statements.py FOLDER-WITH-EXECUTABLES [--rows N] [--seed N] [--pairs N] [--row STATEMENT:DAYS:KILLED]…
Needs root, mosquitto, nginx, openssl.
"""
import argparse
import contextlib
import json
import os
import random
import signal
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("bin", nargs="?", default=".build/release")
arguments.add_argument("--rows", type=int, default=12, help="how many statements and days, by chance")
arguments.add_argument("--seed", type=int, default=1, help="of that chance")
arguments.add_argument("--pairs", type=int, default=6, help="how many pairs of boards at a time")
arguments.add_argument("--row", action="append", default=[], help="this one instead of chosen ones, as onset4:2:nobody")
options = arguments.parse_args()

from boardkit import FOLDER, ROOT, air, call, check, ctl, perform, read, state, stop, until, write  # noqa: E402
from serverkit import board, certificates, fresh_test, hand_in, laboratory, meeting, servers, wait_for_turn  # noqa: E402

# What the console takes for each statement of the table.
WORDS = {"none": [], "noSymptoms": ["--symptoms", "noSymptoms"], "symptomsNoDate": ["--symptoms", "unknownSince"],
         "lastSevenDays": ["--symptoms", "lastSevenDays"], "oneToTwoWeeks": ["--symptoms", "oneToTwoWeeksAgo"],
         "moreThanTwoWeeks": ["--symptoms", "moreThanTwoWeeksAgo"]}
# Whose core is killed in the middle of the meeting.
KILLED = ["nobody", "ill", "met"]
# Half an hour at a metre and a half: about 61 dB here.
MINUTES = 30


def words(statement):
    return ["--symptoms-since", statement.removeprefix("onset")] if statement.startswith("onset") else WORDS[statement]


def expectations():
    """For each statement and each number of days between meeting and warning: what somebody is told who was near for half an hour."""
    with open(f"{ROOT}/Tests/Vectors/warnings/warnings.json") as file:
        rows = json.load(file)["forYourInformation"]
    # A submission has the keys of fourteen days.
    return {(row["statement"], age): "increased" if age in row["agesThatCanStillWarnOnDayD"] else "low" for row in rows for age in range(14)}


def covering(table, count, seed):
    """So many rows by chance: every other one a warning, as far as the statement has any; statements, ages and kills in turn, so that few rows
    feed every one of them."""
    generator = random.Random(seed)

    def turns(values):
        while True:
            yield from generator.sample(values, len(values))

    statements, kills = turns(sorted({statement for statement, _ in table})), turns(KILLED)
    rows, fed = [], {}
    while len(rows) < count:
        statement, wanted = next(statements), ["increased", "low"][len(rows) % 2]
        ages = [age for (name, age), told in table.items() if name == statement and told == wanted]
        ages = ages or [age for name, age in table if name == statement]
        # The age that was fed least so far.
        age = min(generator.sample(ages, len(ages)), key=lambda age: fed.get(age, 0))
        row = (statement, age, next(kills))
        if row not in rows:
            fed[age] = fed.get(age, 0) + 1
            rows.append(row)
    return rows


def risk(name):
    return call(name, "org.vigil.risk1.GetRisk")["risk"]


def tests(name):
    return call(name, "org.vigil.diagnosis1.GetTests")


def room(names, cut):
    """Pairs at a metre and a half from each other, 200 m from the next. Whoever comes next gets the next place; a killed core comes back with another
    controller, which is where the first one was."""
    places = {name: [[0, 1.5 * (number % 2), 200 * (number // 2)]] for number, name in enumerate(names)}
    hosts = [{"id": number + 1, "tx": -12, "path": places[name]} for number, name in enumerate(names + cut)]
    write("scene.json", json.dumps({"hosts": hosts}))
    air("--scenario", f"{FOLDER}/scene.json")


def play(rows, first):
    """One meeting for each row, a warning for each, and one publication for all."""
    pairs = [(f"ill{first + number}", f"met{first + number}", *row) for number, row in enumerate(rows)]
    cut = [name for ill, met, _, _, killed in pairs for name in [{"ill": ill, "met": met}.get(killed)] if name]
    room([name for ill, met, *_ in pairs for name in (ill, met)], cut)
    now = int(time.time())
    # What is published must be over by the authority's clock: a meeting of today began an hour ago.
    began = {name: now - 3600 - 86400 * age for ill, met, _, age, _ in pairs for name in (ill, met)}
    for ill, met, *_ in pairs:
        for name in (ill, met):
            board(name, plugins=("sync", "wake", "diagnosis"), signed_time=False, more=("--profile", f"{FOLDER}/profile.json"))
            # Whoever comes next gets the next place in the room.
            if not check(f"board {name} is on air", until(lambda: state(name)["core"]["state"] == "running", 60)):
                return pairs
    for ill, met, *_ in pairs:
        for name in (ill, met):
            if not check(f"board {name} runs", until(lambda: state(name)["wake"]["state"] == "running", 90)):
                return pairs

    def kill():
        for name in cut:
            core = state(name)["core"]["pid"]
            os.kill(core, signal.SIGKILL)
            check(f"board {name}: its core is back",
                  until(lambda: state(name)["core"]["state"] == "running" and state(name)["core"]["pid"] != core, 60))
    meeting(began, MINUTES, halfway=kill)
    for ill, met, *_ in pairs:
        for name in (ill, met):
            ctl(name, "time", "set", str(int(time.time())))
        # Nobody is to be warned by the hours after the meeting: they part.
        call(met, "org.vigil.sync1.SyncNow")
    codes = {}
    for ill, *_ in pairs:
        codes[ill] = fresh_test()
        laboratory(codes[ill], "positive")
        ctl(ill, "tests", "enter", f"https://localhost/?{codes[ill]}")
    for ill, _, statement, *_ in pairs:
        if check(f"board {ill}: its result is there", until(lambda: tests(ill)["news"], 150)):
            ctl(ill, "tests", "result", "1")
            ctl(ill, "tests", "warn", "1", *words(statement), "--yes")
    for ill, *_ in pairs:
        check(f"board {ill} has warned", until(lambda: tests(ill)["tests"][0].get("warning") == "sent", 150))
    for _, met, *_ in pairs:
        wait_for_turn(met)
    published[0] = int(time.time())
    hand_in(300)
    return pairs


def judge(pairs, table):
    for _, met, statement, age, killed in pairs:
        expected = table[statement, age]
        good = until(lambda: risk(met)["state"] == expected and compared(met), 150)
        check(f"{statement}, met {age} days before, killed {killed}: {expected}", good, risk(met)["state"] if not good else "")


def compared(name):
    """Whether the keys of this publication were compared; before, everybody's risk is low."""
    freshness = call(name, "org.vigil.sync1.GetFreshness")["freshness"]
    return not freshness["running"] and freshness["sources"][0]["lastSuccess"] >= published[0]


published = [0]


def main():
    table = expectations()
    rows = [(statement, int(age), killed) for statement, age, killed in (row.split(":") for row in options.row)] or covering(table, options.rows, options.seed)
    certificates()
    servers()
    hand_in(300)
    check("strangers' keys are published", until(lambda: "/country/EUR/" in read("authority.log"), 60))
    write("profile.json", '{ "name": "meeting", "scan": { "duration": 600, "period": 1300, "spread": 100 } }')
    for first in range(0, len(rows), options.pairs):
        pairs = play(rows[first:first + options.pairs], first)
        judge(pairs, table)
        for ill, met, *_ in pairs:
            for name in (ill, met):
                stop(name)
        stop("air")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{FOLDER}/air")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
