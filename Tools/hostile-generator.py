#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wall attacked by itself: a plugin in its jail makes calls at random, of all that the filter lets through (the list is the filter's own,
as `vigil-jail --explain` gives it), with hostile arguments, on descriptors of every kind it can have (Tests/System/Hostile/generator*.c). What others
notice of it is judged: how long nothing is heard of core, supervisor and a plugin beside, their memory and descriptors, files, who is left.

Usage: hostile-generator.py FOLDER-WITH-EXECUTABLES [--seconds S] [--seed N] [--each S] [--record FILE] [--old] [--until-found] [--stall MS]
Needs root. Takes the seeds of the corpus, then those from N on, for S seconds (60); --record goes on where the file ends. --old: on a kernel that
hands every descriptor over. A seed whose stall is seen twice in three tries is a find, as is any other fault at once; it is printed as an entry for
Tests/System/Hostile/corpus.json, whose seeds come first in every run. Time for which a process waits for a processor is no stall: a busy machine is no find.
Ends with "N passed, M failed".
"""
import argparse
import json
import os
import re
import socket
import sys
import threading
import time

from boardkit import BIN, FOLDER, ROOT, check, clean_up, pss, run, start, state, stop, until, write
from hostilekit import HOSTILE, INSIDE, boot_clock, grant, install, is_gone, make_board, numbers, queued, results

parser = argparse.ArgumentParser()
parser.add_argument("bin")
parser.add_argument("--seconds", type=float, default=60, help="of the whole run")
parser.add_argument("--each", type=int, default=15, help="seconds of each seed")
parser.add_argument("--seed", type=int, default=1, help="the first")
parser.add_argument("--record")
parser.add_argument("--stall", type=float, default=1000, help="milliseconds without a word that are a fault")
parser.add_argument("--old", action="store_true")
parser.add_argument("--until-found", action="store_true")
options = parser.parse_args()

BOARD = "board"
CORPUS = f"{ROOT}/Tests/System/Hostile/corpus.json"
# Sequences of each try, and seconds of it.
made, lived = [], []
# The plugin's own folders.
OWN = re.compile(f"/(state|spool|plugins)/{HOSTILE}-[0-9]+$")
# What each of the board's own processes may have more of in the end than before.
MEMORY, DESCRIPTORS = 4096, 12


def allowed_calls():
    """Names and numbers of what the filter lets through or looks at, from the filter."""
    text = run(f"{BIN}/vigil-jail", "--explain")
    names = []
    for part in re.split(r"^(?=\S)", text, flags=re.M):
        if part.startswith(("Allowed", "Decided")):
            names += [name for line in part.splitlines() if line.startswith("    ") for name in line.split()]
    calls = [run(f"{BIN}/vigil-jail", "--explain", name).split("\n", 1)[0] for name in dict.fromkeys(names)]
    found = [re.fullmatch(r"(\w+) \((\d+)\)", line) for line in calls]
    pairs = [f"{match[1]}={match[2]}" for match in found if match]
    check("the filter's list is read", len(pairs) > 200 and any(pair.startswith("sendmsg=") for pair in pairs), f"{len(pairs)} calls")
    return [" ".join(pairs[at:at + 20]) for at in range(0, len(pairs), 20)]


def silent_place():
    """Somebody outside who takes connections and never reads."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    held = []

    def take():
        while True:
            held.append(listener.accept()[0])
            if len(held) > 64:
                held.pop(0).close()

    threading.Thread(target=take, daemon=True).start()
    return listener.getsockname()[1]


def own_processes():
    return {**numbers(BOARD), "egress": state(BOARD)["egress"]["pid"]}


def sizes():
    return {name: (pss(number), len(os.listdir(f"/proc/{number}/fd"))) for name, number in own_processes().items()}


def of_others():
    """Every file and folder that is not the plugin's: whose it is, and of the quiet ones what is in them."""
    found = {}
    for folder, names, files in os.walk(f"{FOLDER}/{BOARD}"):
        names[:] = [name for name in names if not OWN.search(f"{folder}/{name}")]
        for name in [*names, *files]:
            path = f"{folder}/{name}"
            try:
                status = os.lstat(path)
            except FileNotFoundError:
                continue
            quiet = path.endswith(("plugin.json", "vigil.json", "/canary"))
            with open(path, "rb") if quiet else open(os.devnull, "rb") as file:
                found[path] = (status.st_mode, status.st_uid, status.st_gid, file.read())
    return found


def user_of(plugin):
    return os.stat(f"{FOLDER}/{BOARD}/data/state/{plugin}").st_uid


def processes_of(user):
    found = []
    for name in os.listdir("/proc"):
        try:
            # Another board on this machine may have given the same number to a plugin of its own.
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user and os.readlink(f"/proc/{name}/exe").endswith("/vigil-hostile"):
                found.append(int(name))
        except OSError:
            pass
    return found


def unbridle(user):
    """A full share of the processors for all processes of a user, and for what they start."""
    for number in processes_of(user):
        try:
            os.setpriority(os.PRIO_PROCESS, number, -5)
            with open(f"/proc/{number}/cgroup") as file:
                groups = [line.strip().split(":", 2)[1:] for line in file]
            for controllers, path in groups:
                for name, value in [("cpu.shares", "4096"), ("cpu.weight", "400")]:
                    place = f"/sys/fs/cgroup/{controllers}{path}/{name}"
                    if os.path.exists(place):
                        write_value(place, value)
        except OSError:
            pass


def write_value(path, value):
    with open(path, "w") as file:
        file.write(value)


class Scheduling:
    """How long the board's own processes waited for a processor, and this tool for its turn: no fault of theirs."""

    def __init__(self):
        self.samples = []

    def sample(self, numbers_now):
        self.samples.append((boot_clock(), {name: queued(number) for name, number in numbers_now.items()}))

    def lost(self, name, begin, end):
        """Milliseconds between two moments, at most."""
        before = [queue[name] for moment, queue in self.samples if moment <= begin][-1:] or [self.samples[0][1][name]]
        after = [queue[name] for moment, queue in self.samples if moment >= end][:1] or [self.samples[-1][1][name]]
        return max(0, after[0] - before[0]) / 1e6


def stalls(observer, scheduling, begin, end):
    """The longest silence of core and of supervisor, without the time for which they waited for a processor."""
    found = {}
    for name in ["core", "supervisor"]:
        lengths = [(second - first) / 1e6 for first, second in observer.silences(name, begin, end)]
        net = [(second - first) / 1e6 - scheduling.lost(name, first, second) for first, second in observer.silences(name, begin, end) if second - first > 2e8]
        found[name] = max(net) if net else max(lengths, default=0)
    return found


def attempt(observer, seed, calls, port):
    """What others noticed of one seed, as a list of faults; and the longest stall of core and supervisor."""
    before, files = own_processes(), of_others()
    own = {name: before[name] for name in ["core", "supervisor"]}
    # Not always the same: who ends itself too often is left alone for a while.
    plugin = f"{HOSTILE}-{len(made) % 8}"
    begin, earlier, scheduling = boot_clock(), len(results(BOARD, plugin)), Scheduling()
    settings = {"acts": ["generate"], "seed": seed, "seconds": options.each, "calls": calls, "targets": [f"{INSIDE}:{port}"]}
    scheduling.sample(own)
    grant(BOARD, {plugin: install(BOARD, plugin, settings, port)})
    turns = 0

    def is_over():
        nonlocal turns
        turns += 1
        scheduling.sample(own)
        # A full share of the processors: else it makes few calls beside other work.
        if turns % 8 == 0:
            unbridle(user_of(plugin))
        return results(BOARD, plugin)[earlier:][-1:] == ["end"]

    began = time.monotonic()
    until(is_over, options.each + 5, 0.1)
    lived.append(time.monotonic() - began)
    # What it wrote there may be anything by now.
    counts = [int(line.split()[1]) for line in results(BOARD, plugin)[earlier:] if re.fullmatch(r"generate: \d{1,7} rounds", line)]
    made.append(max(counts, default=0))
    user = user_of(plugin)
    grant(BOARD, {})
    faults = [] if until(lambda: is_gone(BOARD, plugin), 30) else ["it does not go"]
    if not until(lambda: not processes_of(user), 20):
        faults.append(f"left: {processes_of(user)}")
    scheduling.sample(own)
    waits = stalls(observer, scheduling, begin, boot_clock())
    if own_processes() != before:
        faults.append(f"other processes: {before}, then {own_processes()}")
    for path, facts in of_others().items():
        # What the supervisor is about to put in another's place.
        if path.endswith(".new"):
            continue
        if facts[1] == user and path not in files or path in files and facts[:3] != files[path][:3] or path in files and facts[3] != files[path][3]:
            faults.append(f"changed: {path}")
    return faults, waits


def judge(observer, seed, calls, port):
    """Once more, and again, after a stall: what the seed did it does twice, what the machine did it does not."""
    seen, longest = [], {}
    for _ in range(3):
        faults, waits = attempt(observer, seed, calls, port)
        longest = {name: max(longest.get(name, 0), wait) for name, wait in waits.items()}
        slow = [f"{name} stalled for {wait:.0f} ms" for name, wait in waits.items() if wait > options.stall]
        if faults:
            return faults + slow, longest
        if slow:
            print(f"     seed {seed}: {'; '.join(slow)}", flush=True)
            seen.append(slow)
        if len(seen) == 2:
            return slow, longest
        if not seen:
            break
    return [], longest


def plan():
    """The seeds of this run; where it was left off, if a record says so."""
    with open(CORPUS) as file:
        corpus = [entry["seed"] for entry in json.load(file)]
    first = options.seed
    if options.record and os.path.exists(options.record):
        with open(options.record) as file:
            first = max([json.loads(line)["seed"] for line in file if line.strip()] + [first - 1]) + 1
    return corpus, first


def main():
    corpus, following = plan()
    calls = allowed_calls()
    port = silent_place()
    start("air", f"{BIN}/vigil-lab", "air", f"{FOLDER}/air")
    until(lambda: os.path.exists(f"{FOLDER}/air"))
    observer = make_board(BOARD, options.old)
    write(f"{BOARD}/data/canary", "as it was")
    # Once for nothing: what is made at the first time is no growth.
    attempt(observer, 0, calls, port)
    made.clear()
    lived.clear()
    before = sizes()
    began, longest, count, finds = time.monotonic(), {"core": 0.0, "supervisor": 0.0}, 0, []
    while time.monotonic() - began < options.seconds and not (options.until_found and finds):
        seed = corpus[count] if count < len(corpus) else following
        following += count >= len(corpus)
        faults, waits = judge(observer, seed, calls, port)
        count += 1
        longest = {name: max(longest[name], waits[name]) for name in longest}
        if options.record:
            with open(options.record, "a") as file:
                file.write(json.dumps({"seed": seed, "faults": faults, "waits": waits}) + "\n")
        if faults:
            finds.append({"seed": seed, "found": "; ".join(faults)[:300]})
            print(f"     after {time.monotonic() - began:.0f} s: {json.dumps(finds[-1])}", flush=True)
    took = time.monotonic() - began
    check("nobody noticed anything", not finds, f"{count} seeds in {took:.0f} s, the next is {following}; longest stall (ms): "
          + ", ".join(f"{name} {wait:.1f}" for name, wait in longest.items()))
    check("sequences were made", sum(made) > count, f"{sum(made)}, {sum(made) / took:.1f} a second; {sum(made) / sum(lived):.1f} while the plugin lived")
    time.sleep(2)
    after = sizes()
    for name, (memory, descriptors) in after.items():
        check(f"{name} has grown by nothing", memory - before[name][0] < MEMORY and descriptors - before[name][1] < DESCRIPTORS,
              f"{before[name][0]} KiB and {before[name][1]} descriptors, then {memory} and {descriptors}")
    observer.is_over = True
    stop(BOARD)


try:
    main()
finally:
    status = clean_up([BOARD])
sys.exit(status)
