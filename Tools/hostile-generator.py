#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wall attacked by itself: a plugin in its jail makes calls at random, of all that the filter lets through (the list is the filter's own,
as `vigil-jail --explain` gives it), with hostile arguments, on descriptors of every kind it can have (Tests/System/Hostile/generator*.c). What others
notice of it is judged: how long nothing is heard of core, supervisor and a plugin beside, their memory and descriptors, files, who is left; what its
own folders hold against its quotas, the room in a spool beside, what the board writes because of it. A seed also decides how long the plugin lives at
a time, how it ends, and how much it may have.

Usage: hostile-generator.py FOLDER-WITH-EXECUTABLES [--seconds S] [--seed N] [--each S] [--record FILE] [--old] [--until-found] [--stall MS] [--sum FILE]
Needs root. Takes the seeds of the corpus, then those from N on, for S seconds (60); --record goes on where the file ends, for the same
generator, and is summed up by --sum FILE. --old: on a kernel that
hands every descriptor over. A seed whose stall is seen twice in three tries is a find, as is any other fault at once; it is printed as an entry for
Tests/System/Hostile/corpus.json, whose seeds come first in every run. Time for which a process waits for a processor is no stall: a busy machine is no find.
Ends with "N passed, M failed".
"""
import argparse
import glob
import hashlib
import inspect
import itertools
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

from boardkit import BIN, FOLDER, ROOT, check, clean_up, processes, pss, start, state, stop, until, write
from hostilekit import HOSTILE, INSIDE, allowed_calls, boot_clock, grant, install, is_gone, make_board, numbers, queued, results

parser = argparse.ArgumentParser()
parser.add_argument("bin", nargs="?")
parser.add_argument("--seconds", type=float, default=60, help="of the whole run")
parser.add_argument("--each", type=int, default=15, help="seconds of each seed")
parser.add_argument("--seed", type=int, default=1, help="the first")
parser.add_argument("--record")
parser.add_argument("--stall", type=float, default=1000, help="milliseconds without a word that are a fault")
parser.add_argument("--old", action="store_true")
parser.add_argument("--until-found", action="store_true")
parser.add_argument("--sum", default="", help="says what the records of this file add up to, and does nothing else")
options = parser.parse_args()

BOARD = "board"
CORPUS = f"{ROOT}/Tests/System/Hostile/corpus.json"
# Sequences of each try, seconds of it, and milliseconds of processor time that its sequences took.
made, lived, used = [], [], []
turn = itertools.count()
# The plugin's own folders.
OWN = re.compile(f"/(state|spool|plugins)/{HOSTILE}-[0-9]+$")
# What each of the board's own processes may have more of in the end than before.
MEMORY, DESCRIPTORS = 4096, 12
# What the board may write more because of one try: its log, its records. Bytes.
WRITTEN = 8 << 20
# What docs/sandbox.md says of each folder: entries of state and of spool, and folders within folders.
ENTRIES, DEEPEST = {"state": 10_000, "spool": 1024}, 32
# Seconds for which a folder may hold too much before somebody has looked, and for which a spool beside may lack room.
UNSEEN = 8


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
    # Only what is its own: code that it gives back four times a minute comes and goes.
    return {name: (pss(number, "Anonymous"), len(os.listdir(f"/proc/{number}/fd"))) for name, number in own_processes().items()}


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


def written(files):
    """Bytes of the files that are not the plugin's."""
    total = 0
    for path in files:
        try:
            total += os.lstat(path).st_blocks * 512
        except FileNotFoundError:
            pass
    return total


def folder(kind, plugin):
    """A plugin's folder as the board sees it, which has mounts of its own."""
    return f"/proc/{processes[BOARD].pid}/root{FOLDER}/{BOARD}/" + {"state": "data/state/", "spool": "run/spool/"}[kind] + plugin


def excess(plugin, quotas):
    """What the plugin's folders hold beyond its quotas, as a list of faults."""
    found = []
    for kind in ["state", "spool"]:
        # It knows no depth that is too deep.
        words = ["find", folder(kind, plugin), "-mindepth", "1", "-xdev", "-printf", "%d %b %s %y\\n"]
        lines = [line.split() for line in subprocess.run(words, capture_output=True, text=True, errors="replace").stdout.splitlines()]
        size = sum(max(int(blocks) * 512, int(length)) if form == "f" else int(blocks) * 512 for _, blocks, length, form in lines)
        depth = max((int(level) for level, _, _, form in lines if form == "d"), default=0)
        # Whole pages.
        if size > (quotas[kind] + 4095) // 4096 * 4096:
            found.append(f"its {kind} holds {size} bytes of {quotas[kind]}")
        if len(lines) > ENTRIES[kind]:
            found.append(f"its {kind} holds {len(lines)} files and folders")
        if depth > DEEPEST:
            found.append(f"its {kind} is {depth} folders deep")
    return found


def room_beside():
    """Bytes; none where the spool, or the board, is no longer there."""
    try:
        status = os.statvfs(folder("spool", "sync"))
    except OSError:
        return -1
    return status.f_bavail * status.f_frsize


def character(seed):
    """How the plugin of a seed lives: what it may have, how it is started, how long it lives at a time, what it says then and how it ends."""
    chance = random.Random(seed)
    quotas = {"memory": 33554432, "state": 16777216, "spool": 8388608, "processes": 24}
    if chance.random() < 0.5:
        quotas.update(state=1 << chance.randint(18, 22), spool=1 << chance.randint(16, 20))
    manifest, settings = {"quotas": quotas}, {}
    if chance.random() < 0.4:
        settings["life"] = int(2 ** chance.uniform(0, 12))
        settings["status"] = chance.choice([0, 0, 0, 0, 0, 1, 256])
        farewell = chance.choice(["IDLE\nafter=1"] * 6 + ["IDLE", "STOP", ""])
        settings["farewell"] = [farewell] if farewell else []
        if chance.random() < 0.75:
            manifest.update(start="onDemand", schedule={"everySeconds": 60})
    return manifest, settings


def generator():
    """Changes whenever a seed may mean something else."""
    text = inspect.getsource(character).encode()
    for path in sorted(glob.glob(f"{ROOT}/Tests/System/Hostile/generator*.[ch]")) + [f"{ROOT}/Tests/System/Hostile/plugin.c"]:
        with open(path, "rb") as file:
            text += file.read()
    return hashlib.sha256(text).hexdigest()[:8]


GENERATOR = generator()


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


def doing(process):
    """The state of a process by its letter, and where in the kernel it waits."""
    try:
        with open(f"/proc/{process}/stat") as file:
            letter = file.read().rpartition(")")[2].split()[0]
        with open(f"/proc/{process}/wchan") as file:
            return f"{letter} {file.read()}"
    except OSError:
        return "gone"


class Scheduling:
    """How long the board's own processes waited for a processor, and this tool for its turn: no fault of theirs."""

    def __init__(self):
        self.samples, self.states = [], []

    def sample(self, numbers_now):
        self.samples.append((boot_clock(), {name: queued(number) for name, number in numbers_now.items()}))
        self.states.append((boot_clock(), {name: doing(number) for name, number in numbers_now.items()}))

    def seen(self, name, begin, end):
        """What the process was doing between two moments, as often as somebody looked."""
        states = [state_of[name] for moment, state_of in self.states if begin <= moment <= end]
        return {state_now: states.count(state_now) for state_now in dict.fromkeys(states)}

    def lost(self, name, begin, end):
        """Milliseconds between two moments, at most."""
        before = [queue[name] for moment, queue in self.samples if moment <= begin][-1:] or [self.samples[0][1][name]]
        after = [queue[name] for moment, queue in self.samples if moment >= end][:1] or [self.samples[-1][1][name]]
        return max(0, after[0] - before[0]) / 1e6


def stalls(observer, scheduling, begin, end):
    """The longest silence of core, supervisor and the plugin beside, without the time for which they waited for a processor."""
    found = {}
    for name in ["core", "supervisor", "sync"]:
        lengths = [(second - first) / 1e6 for first, second in observer.silences(name, begin, end)]
        net = [(second - first) / 1e6 - scheduling.lost(name, first, second) for first, second in observer.silences(name, begin, end) if second - first > 2e8]
        for first, second in observer.silences(name, begin, end):
            if (second - first) / 1e6 - scheduling.lost(name, first, second) > options.stall:
                print(f"     {name} in {(second - first) / 1e6:.0f} ms of silence: {scheduling.seen(name, first, second)}", flush=True)
        found[name] = max(net) if net else max(lengths, default=0)
    return found


def take_counts(lines, lives):
    """Sequences of each life and their milliseconds, as far as they are told; the plugin may have written anything there by now, or removed it."""
    number = 0
    for line in lines:
        number += line == "life"
        if match := re.fullmatch(r"generate: (\d{1,7}) rounds, (\d{1,7}) ms", line):
            lives[number] = max(lives.get(number, (0, 0)), (int(match[1]), int(match[2])))


def attempt(observer, seed, calls, port):
    """What others noticed of one seed, as a list of faults; and the longest stall of core and supervisor."""
    before, files = own_processes(), of_others()
    own = {name: before[name] for name in ["core", "supervisor"]} | {"sync": state(BOARD)["sync"].get("pid")}
    # Not always the same: who ends itself too often is left alone for a while.
    plugin = f"{HOSTILE}-{next(turn) % 20}"
    begin, earlier, scheduling = boot_clock(), len(results(BOARD, plugin)), Scheduling()
    manifest, life = character(seed)
    quotas, room, size, grown = manifest["quotas"], room_beside(), written(files), sizes()
    settings = {"acts": ["generate"], "seed": seed, "seconds": options.each, "calls": calls, "targets": [f"{INSIDE}:{port}"], **life}
    scheduling.sample(own)
    grant(BOARD, {plugin: install(BOARD, plugin, settings, port, manifest)})
    turns, faults, lives, was_started = 0, [], {}, False
    # Since when something is too much, or too little, without a pause.
    since = {}

    def watch(name, is_wrong):
        if not is_wrong:
            since.pop(name, None)
        elif time.monotonic() - since.setdefault(name, time.monotonic()) > UNSEEN and name not in faults:
            faults.append(name)

    def is_over():
        nonlocal turns, was_started
        turns += 1
        was_started |= "pid" in state(BOARD)[plugin] or bool(lives)
        scheduling.sample(own)
        take_counts(results(BOARD, plugin)[earlier:], lives)
        # A full share of the processors: else it makes few calls beside other work.
        if turns % 8 == 0:
            unbridle(user_of(plugin))
            # What an earlier seed left under this name, with other quotas, goes before the first start.
            watch(f"more than its quotas for {UNSEEN} s", was_started and excess(plugin, quotas))
            watch(f"no room in a spool beside for {UNSEEN} s", room_beside() < room / 2)
        return results(BOARD, plugin)[earlier:][-1:] == ["end"] or state(BOARD)[plugin]["state"] == "quarantined"

    began = time.monotonic()
    until(is_over, options.each + 5, 0.1)
    lived.append(time.monotonic() - began)
    take_counts(results(BOARD, plugin)[earlier:], lives)
    made.append(sum(rounds for rounds, _ in lives.values()))
    used.append(sum(milliseconds for _, milliseconds in lives.values()))
    user = user_of(plugin)
    grant(BOARD, {})
    if not until(lambda: is_gone(BOARD, plugin), 30):
        faults.append("it does not go")
    if not until(lambda: not processes_of(user), 20):
        faults.append(f"left: {processes_of(user)}")
    scheduling.sample(own)
    waits = stalls(observer, scheduling, begin, boot_clock())
    if processes[BOARD].poll() is not None:
        return [*faults, f"the supervisor has ended ({processes[BOARD].poll()})"], waits
    if own_processes() != before:
        faults.append(f"other processes: {before}, then {own_processes()}")
    for path, facts in of_others().items():
        # What the supervisor is about to put in another's place.
        if path.endswith(".new"):
            continue
        if facts[1] == user and path not in files or path in files and facts[:3] != files[path][:3] or path in files and facts[3] != files[path][3]:
            faults.append(f"changed: {path}")
    # Nobody writes there any more, and whoever looks has looked.
    if was_started and not until(lambda: not excess(plugin, quotas), 5, 0.2):
        faults += excess(plugin, quotas)
    if not until(lambda: room_beside() >= room - 65536, 5, 0.2):
        faults.append(f"a spool beside has {room_beside()} bytes of room, and had {room}")
    if written(of_others()) - size > WRITTEN:
        faults.append(f"the board wrote {written(of_others()) - size} bytes")
    if not until(lambda: not growth(grown), 8, 0.5):
        faults += growth(grown)
    return faults, waits


def growth(before):
    """Which of the board's own processes hold more than before."""
    return [f"{name} has grown from {before[name][0]} KiB and {before[name][1]} descriptors to {memory} and {descriptors}"
            for name, (memory, descriptors) in sizes().items()
            if name in before and (memory - before[name][0] >= MEMORY or descriptors - before[name][1] >= DESCRIPTORS)]


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
            first = max([entry["seed"] for entry in map(json.loads, file) if entry.get("generator") == GENERATOR] + [first - 1]) + 1
    return corpus, first


def sum_up(path):
    """What all sessions of a record come to, for docs/evidence."""
    with open(path) as file:
        entries = [json.loads(line) for line in file if line.strip()]
    for generator in dict.fromkeys(entry["generator"] for entry in entries):
        own = [entry for entry in entries if entry["generator"] == generator]
        seeds = sorted({entry["seed"] for entry in own})
        print(json.dumps({"generator": generator, "seeds": [seeds[0], seeds[-1]], "tries": len(own), "sequences": sum(entry["sequences"] for entry in own),
                          "processorSeconds": round(sum(entry["processor"] for entry in own) / 1000), "seconds": round(sum(entry["seconds"] for entry in own)),
                          "finds": [entry["seed"] for entry in own if entry["faults"]],
                          "longest": {name: round(max(entry["waits"].get(name, 0) for entry in own)) for name in ["core", "supervisor", "sync"]}}))


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
    for numbers_of_tries in [made, lived, used]:
        numbers_of_tries.clear()
    before = sizes()
    began, longest, count, finds = time.monotonic(), {"core": 0.0, "supervisor": 0.0, "sync": 0.0}, 0, []
    while time.monotonic() - began < options.seconds and not (options.until_found and finds):
        seed = corpus[count] if count < len(corpus) else following
        following += count >= len(corpus)
        tries = len(made)
        faults, waits = judge(observer, seed, calls, port)
        count += 1
        longest = {name: max(longest[name], waits[name]) for name in longest}
        if options.record:
            with open(options.record, "a") as file:
                file.write(json.dumps({"generator": GENERATOR, "seed": seed, "faults": faults, "waits": waits, "sequences": sum(made[tries:]),
                                       "processor": sum(used[tries:]), "seconds": round(sum(lived[tries:]), 1)}) + "\n")
        if faults:
            finds.append({"seed": seed, "found": "; ".join(faults)[:300]})
            print(f"     after {time.monotonic() - began:.0f} s: {json.dumps(finds[-1])}", flush=True)
    took = time.monotonic() - began
    check("nobody noticed anything", not finds, f"{count} seeds in {took:.0f} s, the next is {following}; longest stall (ms): "
          + ", ".join(f"{name} {wait:.1f}" for name, wait in longest.items()))
    check("sequences were made", sum(made) > count, f"{sum(made)}, {sum(made) / took:.1f} a second; {sum(made) / sum(lived):.1f} while the plugin lived; {sum(used) / 1000:.0f} s of a processor")
    time.sleep(2)
    after = sizes()
    for name, (memory, descriptors) in after.items():
        check(f"{name} has grown by nothing", memory - before[name][0] < MEMORY and descriptors - before[name][1] < DESCRIPTORS,
              f"{before[name][0]} KiB and {before[name][1]} descriptors, then {memory} and {descriptors}")
    observer.is_over = True
    stop(BOARD)


if options.sum:
    sum_up(options.sum)
    os.rmdir(FOLDER)
    sys.exit(0)
try:
    main()
finally:
    status = clean_up([BOARD])
sys.exit(status)
