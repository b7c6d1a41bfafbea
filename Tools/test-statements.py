#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a person states about symptoms, and what the person they met is told: pairs of whole boards on one simulated air, each pair with a
statement and a number of days between the meeting and the warning, through laboratory, verification, submission, publication, wake, download,
matching and the authority's own rules, all as a pilot would have them. What must be told comes from Tests/Vectors/warnings, which was
computed from the specifications by a program that shares no code with this one.

Usage: test-statements.py FOLDER-WITH-EXECUTABLES [--rows N] [--seed N] [--pairs N] [--row STATEMENT:DAYS]…    Needs root, mosquitto, nginx, openssl.
"""
import argparse
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
arguments.add_argument("--row", action="append", default=[], help="this one instead of chosen ones, as since-4:2")
options = arguments.parse_args()

from boardkit import BIN, FOLDER, ROOT, air, call, check, perform, run, state, stop, until, write  # noqa: E402
from serverkit import board, certificates, fresh_test, hand_in, laboratory, servers, wait_for_turn  # noqa: E402

# What the console takes for each statement of the table.
WORDS = {"none": [], "noSymptoms": ["--symptoms", "noSymptoms"], "symptomsNoDate": ["--symptoms", "unknownSince"],
         "lastSevenDays": ["--symptoms", "lastSevenDays"], "oneToTwoWeeks": ["--symptoms", "oneToTwoWeeksAgo"],
         "moreThanTwoWeeks": ["--symptoms", "moreThanTwoWeeksAgo"]}
# Half an hour at a metre and a half: about 61 dB here.
MINUTES = 30


def words(statement):
    return ["--symptoms-since", statement.removeprefix("since-")] if statement.startswith("since-") else WORDS[statement]


def expectations():
    """For each statement and age of the meeting: what somebody who was near for half an hour is told."""
    with open(f"{ROOT}/Tests/Vectors/warnings/statements.json") as file:
        table = json.load(file)
    return {(row["statement"], row["age"]): row["told"] for row in table["rows"]}


def covering(table, count, seed):
    """So many rows by chance, each statement as often as the others, so that few rows feed every statement and every age."""
    generator = random.Random(seed)
    ages = sorted({age for _, age in table})
    statements = sorted({statement for statement, _ in table})
    generator.shuffle(statements)
    rows, turn = [], []
    for number in range(count):
        turn = turn or generator.sample(ages, len(ages))
        statement = statements[number % len(statements)]
        age = next((age for age in turn if (statement, age) in table and (statement, age) not in rows), turn[0])
        turn.remove(age)
        rows.append((statement, age))
    return rows


def ctl(name, *more):
    return run(f"{BIN}/vigil", "ctl", *more, "--run", f"{FOLDER}/{name}/run")


def risk(name):
    return call(name, "org.vigil.risk1.GetRisk")["risk"]


def tests(name):
    return call(name, "org.vigil.diagnosis1.GetTests")


def play(rows, first):
    """One meeting for each row, a warning for each, and one publication for all."""
    pairs = [(f"ill{first + number}", f"met{first + number}", *row) for number, row in enumerate(rows)]
    now = int(time.time())
    # What is published must be over by the authority's clock: a meeting of today began an hour ago.
    began = {pair: now - 3600 - 86400 * age for pair, _, _, age in pairs}
    for ill, met, _, _ in pairs:
        for name in (ill, met):
            board(name, plugins=("sync", "wake", "diagnosis"), signed_time=False, more=("--profile", f"{FOLDER}/profile.json"))
    for ill, met, _, _ in pairs:
        for name in (ill, met):
            if not check(f"board {name} runs", until(lambda: state(name)["wake"]["state"] == "running", 90)):
                return pairs
            ctl(name, "time", "set", str(began[ill]))
            ctl(name, "enable")
    for minute in range(2, MINUTES + 2, 2):
        until(lambda: False, 0.5)
        for ill, met, _, _ in pairs:
            for name in (ill, met):
                ctl(name, "time", "set", str(began[ill] + 60 * minute))
    for ill, met, _, age in pairs:
        for name in (ill, met):
            ctl(name, "time", "set", str(int(time.time())))
        # Nobody is to be warned by the hours after the meeting: they part.
        call(met, "org.vigil.sync1.SyncNow")
    codes = {}
    for ill, _, _, _ in pairs:
        codes[ill] = fresh_test()
        laboratory(codes[ill], "positive")
        ctl(ill, "tests", "enter", f"https://localhost/?{codes[ill]}")
    for ill, _, statement, _ in pairs:
        if check(f"board {ill}: its result is there", until(lambda: tests(ill)["news"], 60)):
            ctl(ill, "tests", "result", "1")
            ctl(ill, "tests", "warn", "1", *words(statement), "--yes")
    for ill, _, _, _ in pairs:
        check(f"board {ill} has warned", until(lambda: tests(ill)["tests"][0].get("warning") == "sent", 60))
    for _, met, _, _ in pairs:
        wait_for_turn(met)
    hand_in(300)
    return pairs


def judge(pairs, table):
    for _, met, statement, age in pairs:
        expected = table[statement, age]
        good = until(lambda: risk(met)["state"] == expected and compared(met), 60)
        check(f"{statement}, met {age} days before: {expected}", good, risk(met)["state"] if not good else "")


def compared(name):
    """Whether the keys of this publication were compared; before, everybody's risk is low."""
    freshness = call(name, "org.vigil.sync1.GetFreshness")["freshness"]
    return not freshness["running"] and freshness["sources"][0]["lastSuccess"] >= published[0]


published = [0]


def main():
    table = expectations()
    rows = [(row.rpartition(":")[0], int(row.rpartition(":")[2])) for row in options.row] or covering(table, options.rows, options.seed)
    certificates()
    servers()
    hand_in(300)
    write("profile.json", '{ "name": "meeting", "scan": { "duration": 600, "period": 1300, "spread": 100 } }')
    hosts = [{"id": number + 1, "tx": -12, "path": [[0, 1.5 * (number % 2), 200 * (number // 2)]]} for number in range(2 * options.pairs)]
    write("scene.json", json.dumps({"hosts": hosts}))
    for first in range(0, len(rows), options.pairs):
        air("--scenario", f"{FOLDER}/scene.json")
        published[0] = int(time.time())
        pairs = play(rows[first:first + options.pairs], first)
        judge(pairs, table)
        for ill, met, _, _ in pairs:
            for name in (ill, met):
                stop(name)
        stop("air")
        os.unlink(f"{FOLDER}/air")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
