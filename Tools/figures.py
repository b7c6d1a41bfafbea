#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a whole board costs: memory when idle and while it catches up with 14 days of 300,000 keys a day against 50,000 sightings, time
from start to on air and to all ready, bytes on the wire of the catch-up and of a quiet day, sizes of the executables.

The authority's fourteen days are made by its own commands, day after day, as if it had been there; nginx serves them over TLS. Takes
five minutes, most of them for that. Thresholds: Benchmarks/thresholds.json, "board".

With --short, for CI: memory only, of executables with Swift's libraries beside them (`make release`), 2,000 keys a day, two minutes.
Thresholds: "board, release build".

Usage: figures.py FOLDER-WITH-EXECUTABLES [KEYS-A-DAY | --short]
"""
import glob
import json
import os
import random
import sys
import time

from boardkit import BIN, FOLDER, ROOT, air, call, check, matched_files, perform, plant, processes, pss, read, run, state, stop, until
from serverkit import board, certificates, servers, syncs

SHORT = "--short" in sys.argv
KEYS_A_DAY = 2_000 if SHORT else int(sys.argv[2]) if len(sys.argv) > 2 else 300_000
SIGHTINGS = 50_000
DAYS = 14
with open(f"{ROOT}/Benchmarks/thresholds.json") as file:
    THRESHOLDS = json.load(file)["board, release build" if SHORT else "board"]


def hold(name, value, unit):
    threshold = THRESHOLDS[name]
    check(name, value <= threshold["atMost"], f"{value:.2f} {unit}, at most {threshold['atMost']}")


def fortnight():
    """Fourteen days of published keys. Each day's keys are handed in on the day after it and become public then."""
    authority = f"{FOLDER}/authority"
    run(f"{BIN}/vigil-authority", "init", "--state", authority)
    run(f"{BIN}/vigil-authority", "keys", "--state", authority, "--out", f"{FOLDER}/keys")
    run(f"{BIN}/vigil", "export", "keygen", "--private-key", f"{FOLDER}/hand-in.pem", "--public-key", f"{FOLDER}/hand-in.pub")
    chance = random.Random(1)
    today = int(time.time()) // 86400
    began = time.monotonic()
    for day in range(today - DAYS, today):
        with open(f"{FOLDER}/keys.csv", "w") as file:
            file.write("key,rolling_start,rolling_period,transmission_risk,report_type,days_since_onset\n")
            for _ in range(KEYS_A_DAY):
                # Of the days before, as a person's keys are.
                start = (day - 1 - chance.randrange(8)) * 144
                file.write(f"{chance.randbytes(16).hex()},{start},144,{chance.randrange(8) + 1},1,0\n")
        run(f"{BIN}/vigil", "export", "create", "--keys", f"{FOLDER}/keys.csv", "--signing-key", f"{FOLDER}/hand-in.pem", "--key-name",
            "262-v1", "--region", "DE", "--start", str(day * 86400), "--end", str(day * 86400 + 3600), "--output", f"{FOLDER}/hand-in.zip", seconds=600)
        # Around noon; public two hours later.
        noon = day * 86400 + 43200
        for path in glob.glob(f"{FOLDER}/hand-in*.zip"):
            run(f"{BIN}/vigil-authority", "accept", "--state", authority, "--now", str(noon), path, seconds=600)
            os.unlink(path)
        run(f"{BIN}/vigil-authority", "publish", "--state", authority, "--now", str(noon + 7200), "--quiet", seconds=600)
    run(f"{BIN}/vigil-authority", "publish", "--state", authority, "--quiet", seconds=600)
    print(f"     {DAYS} days of {KEYS_A_DAY:,} keys, made and published in {time.monotonic() - began:.0f} s", flush=True)


def as_from_flash():
    """Has the executables read from the disk again. What this machine has just written may lie in its memory in pieces of a megabyte,
    of which the kernel maps all when a page is touched; a board reads what it needs."""
    for name in os.listdir(BIN):
        if os.path.isfile(f"{BIN}/{name}"):
            with open(f"{BIN}/{name}", "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def sample(name, most, kind="Pss"):
    """Adds the present to the most that each process, and all together, have had; MiB."""
    sizes = {"run": pss(processes[name].pid, kind)}
    for process, facts in state(name).items():
        if "pid" in facts:
            try:
                sizes[process] = tree(facts["pid"], kind)
            except (OSError, ValueError):
                pass
    sizes["all"] = sum(sizes.values())
    for process, size in sizes.items():
        most[process] = max(most.get(process, 0), size / 1024)
    return sizes


def tree(pid, kind):
    """A process and those it has started; a process that is gone counts nothing, and neither does one that is being started: until it
    becomes another program its memory is its parent's (vfork), which would be counted twice."""
    total = pss(pid, kind)
    program = os.readlink(f"/proc/{pid}/exe")
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                children = file.read().split()
        except OSError:
            continue
        for child in children:
            try:
                if os.readlink(f"/proc/{child}/exe") != program:
                    total += tree(int(child), kind)
            except OSError:
                pass
    return total


def sent():
    with open(f"{FOLDER}/nginx-access.log") as log:
        return sum(int(line.split()[-1]) for line in log)


def main():
    as_from_flash()
    certificates()
    fortnight()
    servers()
    air()
    run(f"{BIN}/vigil-lab", "scenario", FOLDER, "--keys", "2", "--strangers", str(SIGHTINGS))
    plant("one", f"{FOLDER}/sightings.csv")
    board("one")
    check("the board comes up", until(lambda: all(state("one")[name]["state"] == "running" for name in ["core", "egress", "wake"]), 20))

    # Everything at once: the radio, the wait for wakes, and fourteen days of keys. Not in the seconds of the start, whose code goes soon.
    time.sleep(10)
    before = sent()
    most, lasting = {}, {}
    call("one", "org.vigil.sync1.SyncNow")
    began = time.monotonic()
    samples = 0

    def done():
        nonlocal samples
        sample("one", most)
        sample("one", lasting, "Anonymous")
        samples += 1
        source = syncs("one")["sources"][0]
        return "lastSuccess" in source and not syncs("one")["running"]

    check("fourteen days are caught up", until(done, 300, 0.02), json.dumps(syncs("one")["sources"][0])[:300])
    took = time.monotonic() - began
    packages = syncs("one")["sources"][0]["packageCount"]
    print(f"     {packages} packages, {matched_files('one')} files matched in {took:.1f} s; {samples} looks")
    print("     most PSS, MiB: " + ", ".join(f"{name} {size:.1f}" for name, size in sorted(most.items())))
    hold("everything catching up, PSS", most["all"], "MiB")
    print("     of it anonymous, MiB: " + ", ".join(f"{name} {size:.1f}" for name, size in sorted(lasting.items())))
    hold("core and its unzip program, anonymous", lasting["core"], "MiB")
    print(f"     bytes of the catch-up: {sent() - before:,} for {DAYS * KEYS_A_DAY:,} keys")

    until(lambda: "pid" not in state("one")["sync"], 60)
    time.sleep(20)
    idle = {name: size / 1024 for name, size in sample("one", {}).items()}
    print("     idle PSS, MiB: " + ", ".join(f"{name} {size:.1f}" for name, size in sorted(idle.items())))
    hold("supervisor, core and wake, idle, PSS", idle["run"] + idle["core"] + idle["wake"], "MiB")
    idle = {name: size / 1024 for name, size in sample("one", {}, "Anonymous").items()}
    print("     of it anonymous, MiB: " + ", ".join(f"{name} {size:.1f}" for name, size in sorted(idle.items())))
    hold("supervisor, core and wake, idle, anonymous", idle["run"] + idle["core"] + idle["wake"], "MiB")
    if SHORT:
        return

    # A quiet day: 24 hourly questions, of which this is one, with nothing new but what is signed anew.
    time.sleep(max(0, 31 - (time.time() - syncs("one")["sources"][0]["lastAttempt"])))
    before = call("one", "org.vigil.egress1.GetTraffic")["callers"]
    attempt = syncs("one")["sources"][0]["lastAttempt"]
    call("one", "org.vigil.sync1.SyncNow")
    until(lambda: syncs("one")["sources"][0]["lastAttempt"] > attempt and not syncs("one")["running"], 30)
    after = call("one", "org.vigil.egress1.GetTraffic")["callers"]

    def traffic(callers):
        return next(caller["sentByteCount"] + caller["receivedByteCount"] for caller in callers if caller["name"] == "sync")

    question = traffic(after) - traffic(before)
    print(f"     one question with nothing new: {question:,} bytes with TLS; a day of 24: {24 * question:,}, without the keys themselves")
    # As after a short cut of the power: the time is known from before.
    stop("one")
    os.unlink(f"{FOLDER}/one/run/core/state.json")
    began = time.monotonic()
    board("one")
    until(lambda: json.loads(read("one/run/core/state.json"))["radio"]["onAir"], 20, 0.005)
    hold("start of `vigil run` to on air", time.monotonic() - began, "s")
    until(lambda: all(state("one")[name]["state"] == "running" for name in ["core", "egress", "wake"]), 20, 0.005)
    hold("start of `vigil run` to all ready", time.monotonic() - began, "s")
    for name in ["vigil", "vigil-zip", "vigil-plugins", "vigil-jail"]:
        print(f"     {name}: {os.path.getsize(f'{BIN}/{name}'):,} bytes")


perform(main)
