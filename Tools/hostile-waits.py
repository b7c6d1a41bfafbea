#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Can a plugin make another process wait? Every way that two processes share something, tried on a whole board: descriptors that take their
time to close, handed to core and supervisor, and what wakes or blocks others otherwise (Tests/System/Hostile/waits*.c).

Usage: hostile-waits.py FOLDER-WITH-EXECUTABLES [--seconds N] [--acts NAME,NAME] [--columns jail,peer,jail-old,peer-old]
Needs root. Prints a table: how long core, supervisor and a plugin beside were not heard at most, in milliseconds. The columns:
  jail      the act of a plugin in its jail
  peer      the same by somebody without any filter, at the same sockets: the second line of defence by itself
  jail-old, peer-old   the same on a kernel that hands every descriptor over (before 6.16)
An act fails that keeps core or supervisor from being heard for more than 50 ms, and for five times as long as nothing at all does, three times in a
row. Ends with "N passed, M failed".
"""
import argparse
import os
import subprocess
import sys
import time

from boardkit import BIN, FOLDER, check, clean_up, processes, start, state, stop, until
from hostilekit import WATCHED, boot_clock, grant, install, is_gone, make_board, numbers, results, used

KINDS = ["linger", "watchers", "epolls", "sockets", "state-file", "spool-file", "pipes", "listeners", "namespaces", "crowd"]
OTHERS = ["signals", "crowd-around", "lease", "locks", "watches", "log", "out-of-band", "half-closed", "lend-pages"]
COLUMNS = ["jail", "peer", "jail-old", "peer-old"]

parser = argparse.ArgumentParser()
parser.add_argument("bin")
parser.add_argument("--seconds", type=int, default=2, help="of each act")
parser.add_argument("--acts", default=",".join(KINDS + OTHERS))
parser.add_argument("--columns", default=",".join(COLUMNS))
options = parser.parse_args()

# What the product promises of a quiet machine, in milliseconds; and how far the machine itself may be from quiet, by what it does in peace.
LIMIT, NOISE = 50.0, 5


def window(observer, board, act, begin, spent, said):
    """What was noticed since `begin`, of an act that is over."""
    end = boot_clock()
    after = numbers(board)
    return {"act": act, "waits": {name: observer.longest(name, begin, end) for name in WATCHED}, "said": said,
            "busy": {name: (used(after[name]) - spent[name]) / ((end - begin) / 1e6) for name in spent}}


def spent_now(board):
    return {name: used(number) for name, number in numbers(board).items()}


def in_peace(observer, board, seconds=3.0):
    begin, spent = boot_clock(), spent_now(board)
    time.sleep(seconds)
    return window(observer, board, "(nothing)", begin, spent, "")


def by_plugin(observer, board, act, name):
    """A plugin makes it; what it says of it stands in its state folder. Some are killed for it, or not listened to any more."""
    grant(board, {name: install(board, name, {"acts": [f"wait-{act}"], "seconds": options.seconds})})
    if not until(lambda: f"begin wait-{act}" in results(board, name), 30, 0.005):
        return None
    begin, spent = boot_clock(), spent_now(board)
    until(lambda: "end" in results(board, name), 20 + options.seconds, 0.01)
    said = [line for line in results(board, name) if not line.startswith(("begin", "end"))]
    return window(observer, board, act, begin, spent, "; ".join(said))


def by_peer(observer, board, act, name):
    """Somebody outside the jail, without a filter, at the sockets of a plugin that does nothing."""
    grant(board, {name: install(board, name, {"acts": [], "seconds": options.seconds})})
    if not until(lambda: "end" in results(board, name) and "pid" in state(board)[name], 30):
        return None
    outside = f"/proc/{processes[board].pid}/root{FOLDER}/{board}"
    begin, spent = boot_clock(), spent_now(board)
    done = subprocess.run([f"{BIN}/vigil-hostile", "wait", act], cwd=f"{outside}/run/plugins/{name}", capture_output=True, text=True, timeout=90,
                          env={"VIGIL_RUN": ".", "VIGIL_STATE": f"{outside}/data/state/{name}", "VIGIL_SPOOL": f"{outside}/run/spool/{name}",
                               "HOSTILE_CONTROL_OF": str(state(board)[name]["pid"])}, check=False)
    time.sleep(0.5)
    return window(observer, board, act, begin, spent, "; ".join(done.stderr.splitlines()))


def attacked(column, observer, board, acts, turn):
    """Each act by a plugin of its own, after some time in peace."""
    attack = by_plugin if column.startswith("jail") else by_peer
    seen = [in_peace(observer, board)]
    for act in acts:
        name = f"{column}-{turn}-{act}"
        seen.append(attack(observer, board, act, name))
        grant(board, {})
        until(lambda: is_gone(board, name), 15)
    return [entry for entry in seen if entry is not None]


def table(column, seen):
    print(f"\n     {column:<16}" + "".join(f"{name:>12}" for name in WATCHED) + f"{'core busy':>12}{'sv. busy':>10}  what came of it")
    for entry in seen:
        print(f"     {entry['act']:<16}" + "".join(f"{entry['waits'][name]:>12.1f}" for name in WATCHED)
              + f"{entry['busy']['core']:>12.0%}{entry['busy']['supervisor']:>10.0%}  {entry['said'][:150]}", flush=True)


def judged(column, observer, board, acts):
    """A column. What was too long is tried again: what an attack does it does each time, what the machine did it does not."""
    # The log of a peer is its own, no pipe of the supervisor's.
    acts = [act for act in acts if column.startswith("jail") or act != "log"]
    seen = {entry["act"]: entry for entry in attacked(column, observer, board, acts, 0)}
    peace = seen["(nothing)"]["waits"]
    limits = {name: max(LIMIT, NOISE * peace[name]) for name in WATCHED[:2]}

    def too_long():
        return [act for act, entry in seen.items() if act in acts and any(entry["waits"][name] > limits[name] for name in limits)]

    for turn in range(1, 3):
        if not too_long():
            break
        for entry in attacked(column, observer, board, too_long(), turn):
            waits = seen[entry["act"]]["waits"]
            if entry["act"] in acts:
                waits.update({name: min(waits[name], entry["waits"][name]) for name in WATCHED})
    table(column, seen.values())
    # Processor time does not depend on what else the machine does, but for getting less of it.
    busy = [f"{entry['act']}: {name} {share:.0%}" for entry in seen.values() for name, share in entry["busy"].items() if share > 0.55]
    check(f"{column}: nobody is kept busy", not busy, "; ".join(busy))
    missing = [act for act in acts if act not in seen]
    check(f"{column}: nobody waits", not too_long() and not missing, f"limits: {', '.join(f'{name} {limit:.0f} ms' for name, limit in limits.items())}; "
          f"beyond: {too_long() or 'none'}; not made: {missing or 'none'}")


def main():
    start("air", f"{BIN}/vigil-lab", "air", f"{FOLDER}/air")
    until(lambda: os.path.exists(f"{FOLDER}/air"))
    acts = options.acts.split(",")
    for is_old in [False, True]:
        columns = [column for column in options.columns.split(",") if column.endswith("-old") == is_old]
        if not columns:
            continue
        board = "old" if is_old else "new"
        observer = make_board(board, is_old)
        for column in columns:
            core = state(board)["core"]["pid"]
            judged(column, observer, board, acts)
            check(f"{column}: the core is the same", state(board)["core"]["pid"] == core)
        observer.is_over = True
        stop(board)


try:
    main()
finally:
    status = clean_up(["new", "old"])
sys.exit(status)
