# SPDX-License-Identifier: Apache-2.0
"""What the attacks on whole boards share: a board with one hostile plugin, and an observer who notes how long nothing is heard of core,
supervisor and a plugin beside. For `from hostilekit import …`, beside boardkit."""
import json
import os
import re
import select
import shutil
import socket
import threading
import time

from boardkit import BIN, FOLDER, ROOT, call, check, processes, run, start, state, until, write

CALLS = {"org.vigil.exposure1": ["GetStatus", "Watch", "ProvideDiagnosisKeys"]}
# A public name as far as the operator can see, which leads to this machine.
INSIDE = "cdn.example.com"
# Seconds between two signs of life of the supervisor.
SIGN = 0.02
WATCHED = ["core", "supervisor", "sync"]
HOSTILE = "hostile"
# Users of this program's boards alone: another board's count of processes, and who is left of it, are not ours.
FIRST_USER = 100_000 + 64 * os.getpid()


def boot_clock():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Prober:
    """Somebody who asks the same question for ever: how long was it without an answer?"""

    def __init__(self, path, method, pause):
        self.path, self.question, self.pause = path, json.dumps({"method": method}).encode() + b"\0", pause
        self.link, self.asked, self.again, self.waits = None, None, 0, []

    def advance(self, now):
        if self.asked is None and now >= self.again:
            self.asked = now
        if self.asked is not None and self.link is None:
            link = socket.socket(socket.AF_UNIX)
            link.setblocking(False)
            try:
                link.connect(self.path)
                link.send(self.question)
                self.link, self.answer = link, b""
            except OSError:
                link.close()

    def read(self, now):
        try:
            part = self.link.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self.link.close()
            self.link = None
        elif part.endswith(b"\0"):
            self.waits.append((self.asked, now))
            self.asked, self.again = None, now + int(self.pause * 1e9)

    def ask(self):
        try:
            self.link.send(self.question)
        except OSError:
            self.link.close()
            self.link = None


class Observer(threading.Thread):
    """Core, supervisor and sync, as those see them who wait for them."""

    def __init__(self, board):
        super().__init__(daemon=True)
        place = f"{FOLDER}/{board}/run"
        self.probers = {"core": Prober(f"{place}/ctl.sock", "org.vigil.exposure1.GetStatus", 0.004),
                        "sync": Prober(f"{place}/console/org.vigil.sync1", "org.vigil.sync1.GetFreshness", 0.02)}
        self.signs = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.signs.bind(f"{FOLDER}/{board}.notify")
        self.signs.setblocking(False)
        self.told, self.is_over = [], False

    def run(self):
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(4))
        except OSError:
            print("     no real-time priority here: the figures are worse than the truth")
        while not self.is_over:
            now = boot_clock()
            for prober in self.probers.values():
                was_idle = prober.asked is None
                had_link = prober.link is not None
                prober.advance(now)
                if was_idle and prober.asked is not None and had_link:
                    prober.ask()
            links = {prober.link: prober for prober in self.probers.values() if prober.link is not None}
            ready = select.select([self.signs, *links], [], [], 0.002)[0]
            now = boot_clock()
            for link in ready:
                if link is self.signs:
                    while True:
                        try:
                            text = self.signs.recv(4096)
                        except BlockingIOError:
                            break
                        if b"WATCHDOG=1" in text:
                            self.told.append(now)
                else:
                    links[link].read(now)

    def silences(self, name, begin, end):
        """Pairs of moments between which nothing was heard; what began or ended between `begin` and `end` is whole."""
        now = boot_clock()
        if name == "supervisor":
            told = list(self.told)
            pairs = [(first + int(SIGN * 1e9), second) for first, second in zip(told, [*told[1:], now])]
        else:
            prober = self.probers[name]
            pairs = list(prober.waits) + ([(prober.asked, now)] if prober.asked else [])
        return [(first, second) for first, second in pairs if second >= begin and first <= end]

    def longest(self, name, begin, end):
        """Milliseconds without a word between two moments, at most."""
        return max([max(0, second - first) / 1e6 for first, second in self.silences(name, begin, end)] or [float("nan")])


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


def queued(process):
    """Nanoseconds for which the first thread of a process was ready to run and had no processor."""
    try:
        with open(f"/proc/{process}/task/{process}/schedstat") as file:
            return int(file.read().split()[1])
    except OSError:
        return 0


def used(process):
    """Milliseconds of processor time so far."""
    try:
        with open(f"/proc/{process}/stat") as file:
            words = file.read()
    except OSError:
        return 0.0
    fields = words.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def install(board, name, settings, port=443, changes=None):
    """A plugin that is the hostile program, with these changes of its manifest; enabled by being in the grants."""
    place = f"{FOLDER}/{board}/plugins/{name}"
    os.makedirs(f"{place}/bin", exist_ok=True)
    with open(f"{ROOT}/Tests/System/Hostile/plugin/plugin.json") as file:
        manifest = json.load(file)
    manifest.update({"id": name, **(changes or {})})
    write(f"{board}/plugins/{name}/plugin.json", json.dumps(manifest))
    shutil.copy(f"{BIN}/vigil-hostile", f"{place}/bin/vigil-hostile")
    return {"enabled": True, "calls": CALLS, "endpoints": {"outside": [{"host": INSIDE, "port": port, "private": True}]}, "settings": settings}


def grant(board, plugins):
    """Tells the board what is granted from now on."""
    sync = {"enabled": True, "calls": {"org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"]},
            "settings": {"sources": [{"name": "folder", "kind": "folder", "base": "/spool"}]}}
    write(f"{board}/grants.json.new", json.dumps({"plugins": {"sync": sync, **plugins}}))
    os.rename(f"{FOLDER}/{board}/grants.json.new", f"{FOLDER}/{board}/grants.json")
    if board in processes:
        processes[board].send_signal(1)


def make_board(board, is_old):
    """A board of its own, on a kernel as it is or as it was."""
    place = f"{FOLDER}/{board}"
    os.makedirs(f"{place}/plugins", exist_ok=True)
    shutil.copytree(f"{ROOT}/Plugins/Sync", f"{place}/plugins/sync", ignore=shutil.ignore_patterns("Sources"))
    write(f"{board}/vigil.json", json.dumps({"confinement": "required", "firstUser": FIRST_USER}))
    grant(board, {})
    observer = Observer(board)
    words = [f"{BIN}/vigil", "run", "--config", f"{place}/vigil.json", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{place}/data",
             "--run", f"{place}/run", "--plugins", f"{place}/plugins", "--grants", f"{place}/grants.json", "--enable"]
    if is_old:
        words = [f"{BIN}/vigil-hostile", "without-refusal", *words]
    # In a mount namespace of its own, where the name is known.
    hosts = write("hosts", f"127.0.0.1 localhost {INSIDE}\n")
    start(board, "unshare", "-m", "sh", "-c", f'mount --bind {hosts} /etc/hosts && exec "$@"', "sh", *words, env={**os.environ, "NOTIFY_SOCKET": f"{FOLDER}/{board}.notify", "WATCHDOG_USEC": str(int(SIGN * 2e6))})
    until(lambda: call(board, "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)}))
    until(lambda: state(board)["core"]["state"] == "running" and call(board, "org.vigil.device1.GetRadio")["radio"]["onAir"], 20)
    until(lambda: call(board, "org.vigil.sync1.GetFreshness"))
    observer.start()
    return observer


def results(board, name):
    path = f"{FOLDER}/{board}/data/state/{name}/results"
    if not os.path.exists(path):
        return []
    with open(path, errors="replace") as file:
        return file.read().splitlines()


def numbers(board):
    return {"core": state(board)["core"]["pid"], "supervisor": processes[board].pid}


def is_gone(board, name):
    return name not in state(board) or "pid" not in state(board)[name]
