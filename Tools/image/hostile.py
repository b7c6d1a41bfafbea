# SPDX-License-Identifier: Apache-2.0
"""The hostile plugin of the test suite on the image, then somebody on its network, then how each process is confined. Of Tools/test-image.py.

Debian 13's kernel has every part of the sandbox, so nothing that is tried may be tolerated.
"""
import base64
import glob
import json
import os
import subprocess
import time

import crowd
import exposed
import measured
import scan
import serverkit
from boardkit import FOLDER, ROOT, check, processes, run, stop, until
from machines import CLOSED, PATIENCE, Listener, Machine, asking, confinement, curl_page, judge, page_grants

CALLS = {"org.vigil.exposure1": ["GetStatus", "Watch", "ProvideDiagnosisKeys"]}
PLACES = ["127.0.0.1:22", "[::1]:22", "localhost:8443", "10.0.2.2:22", "10.0.2.15:22", "198.18.0.1:22", "[fe80::1]:22", "outside.example:22",
          "203.0.113.9:80", "8.8.8.8:53"]
# What everything that is refused comes to at least; on Debian 12's kernel, with fewer addresses to ask for, it is 162.
LEAST = 160
# What a server of DHCPv6 gets when the machine asked for none: the firewall lets it through, nobody is there, and the kernel says so.
DHCP = {4: set(), 6: {546}}
# How long nothing may be heard of the machine by somebody who always listens; it changes identifiers in a moment.
SILENCE = 5
# Everything of the act `nasty` but what keeps an emulated processor busy with itself (Tools/vm/guest/hostile.sh).
KINDS = ["call", "read", "drip", "burn", "provide", "shout", "pester", "proxy"]


def built():
    """The program, for the machine: one file that needs nothing else. Its bytes."""
    path = f"{FOLDER}/vigil-hostile"
    run("cc", "-O2", "-static", f"-I{ROOT}/Sources/C/CLinux/include", "-o", path, *glob.glob(f"{ROOT}/Tests/System/Hostile/*.c"), *glob.glob(f"{ROOT}/Sources/C/CLinux/*.c"),
        seconds=300)
    run("strip", path)
    with open(path, "rb") as file:
        return file.read()


class Prey:
    """The machine, what was granted on it, and what it does."""

    def __init__(self, segment):
        # No signed time: the clock is set by hand, so that a day ends while somebody looks.
        sync = serverkit.sync_grants(exposed.HOST)
        del sync["settings"]["sources"][0]["time"]
        self.grants = {"sync": sync, "wake": serverkit.wake_grants(exposed.HOST), "webui": page_grants()}
        self.machine = Machine("prey", ports=(8443,), files={**exposed.provisioned(self.grants), "network/20-lab.network": segment.provision})
        self.listener = Listener()
        crowd.gather(6, unheard_by=[1])
        self.machine.power_on(segment=segment)
        judge(self.machine, self.listener)
        self.core, self.has_program = self.process("core"), False

    def process(self, name):
        for process in json.loads(self.machine.ask("cat /run/vigil/supervisor.json"))["processes"]:
            if process["name"] == name:
                return process
        return {}

    def send(self):
        """The program, and what it may not reach."""
        text = base64.b64encode(built()).decode()
        self.has_program = True
        self.machine.ask("base64 -d >/data/vigil-hostile && chmod 755 /data/vigil-hostile && mkdir -p -m 1777 /data/scratch && "
                         "echo secret >/data/outside && chmod 600 /data/outside && cp /data/vigil-hostile /data/set-user && chmod 4755 /data/set-user && "
                         "mkdir -p /data/vigil/state/other && echo secret >/data/vigil/state/other/file && chmod 600 /data/vigil/state/other/file", 300, input=text)

    def install(self, name, settings, memory=33554432):
        if not self.has_program:
            self.send()
        with open(f"{ROOT}/Tests/System/Hostile/plugin/plugin.json") as file:
            manifest = json.load(file)
        manifest["id"] = name
        manifest["quotas"]["memory"] = memory
        place = f"/data/plugins/{name}"
        self.machine.ask(f"mkdir -p {place}/bin && cp /data/vigil-hostile {place}/bin/ && cat >{place}/plugin.json", input=json.dumps(manifest))
        self.grants[name] = {"enabled": True, "calls": CALLS, "endpoints": {"outside": [{"host": "outside.example", "port": 443}]}, "settings": settings}

    def grant(self):
        self.machine.ask("cat >/data/grants.json.new && mv /data/grants.json.new /data/grants.json && systemctl reload vigil.service",
                         input=json.dumps({"plugins": self.grants}))

    def results(self, name):
        return self.machine.ask(f"cat /data/vigil/state/{name}/results 2>/dev/null || true").splitlines()

    def aims(self):
        first = self.machine.ask("find /data/vigil/core -type f | head -n 1; find /keys -type f | head -n 1; systemctl show -P MainPID vigil").split()
        aims = {"VAULT": first[0], "VAULT_KEY": first[1], "SUPERVISOR": first[2], "OTHER_STATE": "/data/vigil/state/other/file", "OUTSIDE": "/data/outside",
                "SCRATCH": "/data/scratch", "SELF": "/data/plugins/tries/bin/vigil-hostile", "SET_USER_PROGRAM": "/data/set-user",
                "OTHER_SOCKET": "/run/vigil/ctl.sock", "VICTIM": self.core["pid"], "GROUP_FILE": "/sys/fs/cgroup/system.slice/vigil.service/cgroup.procs",
                "TCP_PORT": 22, "EXTRA": 0, "DISK": "/dev/vda"}
        return [f"{name}={value}" for name, value in aims.items()]

    def midnight(self, label, day):
        """Its day ends: the identifier has to be another one, and scans have to go on. Returns what was seen in so many seconds."""
        before = self.radio()
        heard = set(self.listener.heard)
        self.listener.silence()
        began = time.monotonic()
        self.machine.ask(f"vigil ctl time set {day}T23:59:50Z")
        changed = until(asking(lambda: self.radio()["rotations"] > before["rotations"]), 60 * PATIENCE, 1)
        time.sleep(20)
        after, passed = self.radio(), time.monotonic() - began
        new = len(set(self.listener.heard) - heard)
        silence = self.listener.silence()
        scans, reports = after["scans"] - before["scans"], after["reports"] - before["reports"]
        check(f"{label}: the identifier is changed at midnight, and the new one is heard outside", changed and new >= 1, f"{new} new")
        check(f"{label}: never silent for more than {SILENCE} s", silence <= SILENCE, f"{silence:.1f} s")
        check(f"{label}: it goes on listening", scans >= passed / 10 and reports > 0,
              f"{scans} scans in {passed:.0f} s, {reports} reports, {after['lostScans'] - before['lostScans']} scans lost")

    def radio(self):
        text = json.loads(self.machine.ask("cat /run/vigil/core/state.json"))
        return {name: value for name, value in flat(text).items() if name in ("rotations", "scans", "reports", "lostScans", "onAir")}

    def is_well(self, label):
        core = self.process("core")
        check(f"{label}: the core was not restarted", core["pid"] == self.core["pid"] and core["restarts"] == 0)
        failed = self.machine.ask("systemctl --failed --no-legend --plain").strip()
        check(f"{label}: no failed unit, and Vigil was never started anew", failed == "" and self.machine.ask("systemctl show -P NRestarts vigil").strip() == "0", failed)


def flat(value):
    found = {}
    if isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, dict):
                found.update(flat(member))
            else:
                found.setdefault(name, member)
    return found


def judge_tries(prey, name, least):
    lines = prey.results(name)
    gained = [line for line in lines if any(word in line for word in ("GAINED", "DENIED", "UNANSWERED", "untried"))]
    refused = [line for line in lines if ": refused" in line]
    print("     " + "\n     ".join(line for line in lines if ": " in line))
    check(f"{name}: gained nothing", not gained, "; ".join(gained) if gained else f"0 gained, {len(refused)} attempts refused")
    check(f"{name}: tried everything, to the end", len(refused) >= least and "end" in lines, f"{len(refused)}, {lines[-1:]}")


def attack(prey):
    prey.send()
    granted = [f"{interface}.{method}" for interface, methods in CALLS.items() for method in methods]
    acts = ["ungranted", "outside", "spool-names", "attacks", "lose-arguments", "malformed-frames", "giant-frames"]
    prey.install("tries", {"acts": acts, "given": prey.aims(), "granted": granted, "targets": PLACES}, 50331648)
    prey.install("bomb", {"acts": ["fork-bomb", "memory", "fill-spool"]})
    prey.grant()
    for name in ["tries", "bomb"]:
        until(asking(lambda name=name: "end" in prey.results(name)), 240 * PATIENCE, 3)
    judge_tries(prey, "tries", LEAST)
    judge_tries(prey, "bomb", 2)
    # What it was confined by while it tried: nothing was missing.
    report = {part["primitive"]: part["state"] for part in prey.process("tries").get("confinement", [])}
    wanted = ["processes", "mounts", "network", "landlock-files", "landlock-network", "landlock-scope", "memory-protection", "system-calls", "cgroup-memory",
              "cgroup-pids", "cgroup-cpu"]
    check("tries: nothing of the sandbox was missing", all(report.get(part) == "verified" for part in wanted), f"{len(report)} parts")
    prey.is_well("after the attacks")


def storm(prey):
    """A day ends while nobody does anything, and another while one does its worst."""
    prey.midnight("in peace", "2031-01-01")
    prey.install("nasty", {"acts": ["nasty"], "kinds": KINDS, "seconds": int(180 * PATIENCE)})
    prey.grant()
    check("the worst begins", until(asking(lambda: any(line.startswith("nasty:") for line in prey.results("nasty"))), 60 * PATIENCE, 2))
    prey.midnight("under attack", "2031-01-02")
    prey.is_well("under attack")
    del prey.grants["nasty"]
    prey.grant()


def table(prey):
    """While all of them run: the page is asked for, keys are published, fetched, and unpacked."""
    machine = prey.machine
    exposed.sync(machine)
    check("table: keys are fetched", until(asking(lambda: exposed.synced(machine)), 90 * PATIENCE, 1))
    caught = measured.caught(machine, int(120 * PATIENCE))
    there = {"core", "egress", "sync", "wake", "webui"} | {name for name in ["tries"] if name in prey.grants}
    seen = {}

    def all_at_once():
        serverkit.hand_in(20_000)
        end = time.monotonic() + 40 * PATIENCE
        while time.monotonic() < end:
            curl_page(machine, "/sign-in")
            seen.update(measured.snapshot(machine))
            if there <= set(seen["listed"]):
                return True
        return False

    check("table: all of them ran at once", until(asking(all_at_once), 160 * PATIENCE, 1), sorted(seen.get("listed", {})))
    measured.measured(machine, seen, caught())
    confinement(machine)


def scanned(prey, segment):
    """Every port, from its own network, by both versions of IP."""
    machine = prey.machine
    there = until(asking(lambda: segment.other in machine.ask("cat /proc/net/fib_trie")), 60 * PATIENCE, 1)
    check("scan: the machine has an address on that network", there, "" if there else machine.ask("networkctl --no-pager; ls /run/systemd/network; cat /proc/net/dev"))
    # A listener that the firewall has to hide; afterwards it is opened by hand, so that a scanner that sees nothing would be found out.
    machine.ask(f"echo open | setsid busybox nc -l -p {CLOSED} >/dev/null 2>&1 & sleep 1")
    provisioned = {22, 8443}
    for version in (4, 6):
        scanner = scan.Scanner(segment, version)
        began = time.monotonic()
        sent = scanner.scan()
        took = time.monotonic() - began
        tcp, refused = scanner.open[scan.TCP], scanner.refused[scan.TCP]
        wanted = provisioned if version == 4 else {22}
        check(f"scan, IPv{version}: of 65,535 TCP ports only what was provisioned is open", wanted <= tcp | refused and tcp <= provisioned, sorted(tcp))
        check(f"scan, IPv{version}: no other is even refused", refused <= provisioned, sorted(refused)[:20])
        check(f"scan, IPv{version}: of 65,535 UDP ports none answers", not scanner.open[scan.UDP] and scanner.refused[scan.UDP] <= DHCP[version],
              (sorted(scanner.open[scan.UDP])[:20], sorted(scanner.refused[scan.UDP])[:20]))
        check(f"scan, IPv{version}: nothing else is said, no echo either", not scanner.said, scanner.said[:10])
        print(f"     {sent} packets in {took:.0f} s", flush=True)
        scanner.close()
    scanner = scan.Scanner(segment, 4)
    scanner.scan(tcp=[CLOSED], udp=[], rounds=1)
    hidden = CLOSED not in scanner.open[scan.TCP]
    machine.ask(f"nft add element inet vigil open_tcp '{{ {CLOSED} }}'")
    scanner.scan(tcp=[CLOSED, CLOSED + 1], udp=[], rounds=1)
    check("scan: what the firewall hid is seen once somebody opens it by hand", hidden and scanner.open[scan.TCP] == {CLOSED}, sorted(scanner.open[scan.TCP]))
    machine.ask(f"nft delete element inet vigil open_tcp '{{ {CLOSED} }}'")
    scanner.close()


def hostile():
    exposed.region()
    segment = scan.Segment()
    try:
        prey = Prey(segment)
        every = {"attack": lambda: attack(prey), "table": lambda: table(prey), "scan": lambda: scanned(prey, segment), "storm": lambda: storm(prey)}
        only = os.environ.get("HOSTILE", ",".join(every)).split(",")
        # The storm last: it sets the clock.
        for name, part in every.items():
            if name not in only:
                continue
            print(f"--   {name}", flush=True)
            try:
                part()
            except (subprocess.SubprocessError, ConnectionError, KeyError, ValueError) as problem:
                check(f"{name}: to the end", False, f"{type(problem).__name__}: {problem}"[:800])
        prey.is_well("in the end")
    finally:
        segment.close()
        for name in exposed.SERVERS:
            if name in processes:
                stop(name)
