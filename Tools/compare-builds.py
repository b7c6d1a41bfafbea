#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two builds of the board: how late identifiers and scans are, in peace and under attack, and how often its processes wake up when idle.

Usage: compare-builds.py OLD NEW [--runs N] [--seconds N] [--idle N]
OLD and NEW are folders with executables, vigil-hostile among them. Needs root.

Lateness: hostile-board.py runs with both builds in turn, N times each, so that both see the same load of the machine. Idle: a board of each build, on a
quiet air of its own, for the same N seconds; what is counted is voluntary context switches and processor time of each process.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import boardkit

parser = argparse.ArgumentParser()
parser.add_argument("old")
parser.add_argument("new")
parser.add_argument("--runs", type=int, default=5, help="of each build; 0 for none")
parser.add_argument("--seconds", type=float, default=30, help="of each measurement: as many in peace as under attack")
parser.add_argument("--idle", type=float, default=60, help="seconds in which two idle boards are watched; 0 for none")
options = parser.parse_args()
BUILDS = {"old": os.path.abspath(options.old), "new": os.path.abspath(options.new)}
FIGURES = {"rotations": "identifiers", "scans": "scans", "core": "GetStatus at the console"}
TICK = os.sysconf("SC_CLK_TCK")


# MARK: Lateness

def lateness():
    found = {build: [] for build in BUILDS}
    for number in range(options.runs):
        # Who comes first changes, so that a load that grows or falls harms both alike.
        for build in list(BUILDS)[::1 if number % 2 == 0 else -1]:
            path = f"{boardkit.FOLDER}/{build}-{number}.json"
            done = subprocess.run([sys.executable, f"{boardkit.ROOT}/Tools/hostile-board.py", BUILDS[build], "--seconds", str(options.seconds), "--lateness", path],
                                  capture_output=True, text=True, timeout=600)
            if not boardkit.check(f"run {number + 1}, {build} build", os.path.exists(path), done.stdout.splitlines()[-1:]):
                print(done.stdout + done.stderr)
                continue
            # A run that was judged to be too late counts, above all.
            print("".join(f"     {line}\n" for line in done.stdout.splitlines() if line.startswith("FAIL")), end="")
            with open(path) as file:
                found[build].append(json.load(file))
            say(found[build][-1])
    print("\n     all runs together, ms:")
    for place in ["peace", "attack"]:
        for key, title in FIGURES.items():
            for build, runs in found.items():
                values = sorted(value for run in runs for value in run[place][key])
                if values:
                    medians = ", ".join(f"{statistics.median(run[place][key]):.1f}" for run in runs)
                    print(f"     {place:<7} {title:<25} {build}: {len(values):>4} values, median {statistics.median(values):6.2f}, "
                          f"90th percentile {values[int(0.9 * (len(values) - 1))]:6.2f}, worst {values[-1]:6.1f}; medians of runs {medians}")
    missed = {build: sum(run[place]["missed"] for run in runs for place in ["peace", "attack"]) for build, runs in found.items()}
    print(f"     identifiers missed: {missed}; load at the end of each run: "
          + "; ".join(f"{build} " + ", ".join(f"{run['load']:.1f}" for run in runs) for build, runs in found.items()))


def say(run):
    for place in ["peace", "attack"]:
        print(f"     {place:<7} " + "; ".join(f"{title} {statistics.median(run[place][key]):.1f}, worst {max(run[place][key]):.1f} ms"
                                            for key, title in FIGURES.items() if run[place][key]) + f"; load {run['load']:.1f}", flush=True)


# MARK: Idle

def begin(build):
    """A board with the plugin Sync, alone on its air."""
    folder = f"{boardkit.FOLDER}/{build}"
    os.makedirs(f"{folder}/plugins")
    os.symlink(f"{boardkit.ROOT}/Plugins/Sync", f"{folder}/plugins/sync")
    boardkit.write(f"{build}/vigil.json", "{}")
    boardkit.write(f"{build}/grants.json", json.dumps({"plugins": {"sync": {"enabled": True, "settings": {"sources": []}}}}))
    boardkit.start(f"{build}-air", f"{BUILDS[build]}/vigil-lab", "air", f"{folder}/air")
    boardkit.until(lambda: os.path.exists(f"{folder}/air"))
    boardkit.start(build, f"{BUILDS[build]}/vigil", "run", "--config", f"{folder}/vigil.json", "--transport", f"h4:unix:{folder}/air", "--data", f"{folder}/data",
                   "--run", f"{folder}/run", "--plugins", f"{folder}/plugins", "--grants", f"{folder}/grants.json", "--enable")
    boardkit.until(lambda: boardkit.call(build, "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)}))
    boardkit.check(f"the board of the {build} build is on air", boardkit.until(lambda: boardkit.call(build, "org.vigil.device1.GetRadio")["radio"]["onAir"]))


def numbers(build):
    """By process: voluntary context switches, and milliseconds of the processor."""
    found = {}
    for name, process in {"supervisor": boardkit.processes[build].pid, **{name: boardkit.state(build)[name]["pid"] for name in ["core", "egress"]}}.items():
        with open(f"/proc/{process}/status") as file:
            switches = next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
        with open(f"/proc/{process}/stat") as file:
            ticks = sum(int(word) for word in file.read().rpartition(")")[2].split()[11:13])
        found[name] = (switches, ticks * 1000 / TICK)
    return found


def idle():
    for build in BUILDS:
        begin(build)
    # The start is over, and its memory given back.
    time.sleep(15)
    before = {build: numbers(build) for build in BUILDS}
    time.sleep(options.idle)
    after = {build: numbers(build) for build in BUILDS}
    print(f"     idle for {options.idle:.0f} s, both at once: wake-ups, ms of the processor")
    for name in before["old"]:
        print(f"     {name:<12}" + "; ".join(f"{build} {after[build][name][0] - before[build][name][0]:>5}, {after[build][name][1] - before[build][name][1]:.0f}"
                                           for build in BUILDS), flush=True)


try:
    if options.idle:
        idle()
        for started in list(boardkit.processes):
            boardkit.stop(started)
    if options.runs:
        lateness()
finally:
    status = boardkit.clean_up(list(BUILDS))
sys.exit(status)
