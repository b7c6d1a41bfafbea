#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the image that `make image` made in QEMU, as it is, with a controller of `vigil-lab air` on a serial port, and asks it how it is.
Ends with "N passed, M failed".

Usage: test-image.py FOLDER-WITH-EXECUTABLES [SCENARIO ...]     scenarios: boot, meet, silent; by name only: loader, web, cuts

boot    one machine with 512 MB and 2 processors: heard on air, no failed unit, what is kept where, closed to the network; with figures
meet    two machines on one air: each has to have heard the other
silent  a machine with a controller that says nothing: the same checks have to fail
loader  as a computer starts it: UEFI firmware, the loader and the kernel from the boot partition
web     the board's page through a forwarded port
cuts    power is cut at random times, CUTS times (20) on one disk: it has to start and be heard each time

Emulation needs no rights and no hardware. Environment: BOARD (qemu-x86_64), IMAGE, a folder made by Board/image/build.py, ACCELERATION
(tcg), PATIENCE, by how much longer than usual to wait (1; more on a busy machine), CUTS, SEED, KEEP.
"""
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time

import boardkit
from boardkit import BIN, FOLDER, ROOT, air, check, free_port, perform, processes, read, run, until

sys.path.insert(0, f"{ROOT}/Tools/vm")
import witness  # noqa: E402

BOARD = os.environ.get("BOARD", "qemu-x86_64")
IMAGE = os.environ.get("IMAGE", f"{ROOT}/.build/images/{BOARD}")
PATIENCE = float(os.environ.get("PATIENCE", "1"))
MIB = 1 << 20
# The boot partition begins there (Board/image/disk.py).
BOOT = f"@@{MIB}"
UEFI = "/usr/share/ovmf/OVMF.fd"
# What a machine takes to be heard, on two processors that have nothing else to do: 20 s. After ten times that it is a fault.
START_SECONDS = 200 * PATIENCE
# MemTotal less MemAvailable (issue: 140 MB all in).
MEMORY_LIMIT = 140e6
PROFILE = {"name": "image-test", "scan": {"duration": 2000, "period": 5000, "spread": 500}}
SSH = ["-q", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=20"]


class Listener(threading.Thread):
    """Somebody outside with a controller of the same air: when was which identifier first heard, and when the last?"""

    def __init__(self):
        super().__init__(daemon=True)
        self.heard, self.last = {}, None
        self.controller = witness.Controller(f"{FOLDER}/air")
        self.start()

    def run(self):
        try:
            while True:
                for address, data in witness.advertisements(*self.controller.event()):
                    place = data.find(witness.EXPOSURE_NOTIFICATION)
                    if place >= 0:
                        self.last = time.monotonic()
                        self.heard.setdefault(data[place + 4:place + 20], self.last)
        except (witness.Ended, OSError):
            pass

    def first_after(self, moment):
        """When the first packet of an identifier came that nobody had heard before."""
        return min((at for at in self.heard.values() if at >= moment), default=None)


class Machine:
    def __init__(self, name, ports=(), files=None, disk_mib=600):
        self.name, self.disk = name, f"{FOLDER}/{name}.img"
        self.ports = {inside: free_port() for inside in (22, *ports)}
        run("cp", "--sparse=always", f"{IMAGE}/disk.img", self.disk, seconds=300)
        # A larger disk than the image: the data partition has to grow.
        os.truncate(self.disk, disk_mib * MIB)
        if not os.path.exists(f"{FOLDER}/ssh"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/ssh")
        place = f"{FOLDER}/{name}.provision/provision"
        os.makedirs(place)
        content = {
            "vigil.json": json.dumps({"enable": True, "profile": "/data/provision/profile.json"}), "profile.json": json.dumps(PROFILE),
            "authorized_keys": read("ssh.pub"), "ports": "".join(f"{port}\n" for port in ports if port != CLOSED), **(files or {}),
        }
        for path, text in content.items():
            with open(f"{place}/{path}", "w") as file:
                file.write(text)
        run("mcopy", "-s", "-i", self.disk + BOOT, place, "::/", env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})

    def power_on(self, radio=True, loader=False):
        forwards = "".join(f",hostfwd=tcp:127.0.0.1:{outside}-:{inside}" for inside, outside in self.ports.items())
        joined = f"socket,id=radio,path={FOLDER}/air" if radio else "null,id=radio"
        # UEFI's firmware greets every serial port; the controller of the air hangs up on what is no HCI, and is there again afterwards.
        joined += ",reconnect=1" if loader else ""
        with open(f"{ROOT}/Board/boards/{BOARD}.json") as file:
            emulator = json.load(file)["emulator"]
        with open(f"{IMAGE}/command-line") as file:
            line = file.read().strip()
        kernel = ["-bios", UEFI] if loader else ["-kernel", f"{IMAGE}/linux", "-initrd", f"{IMAGE}/start.img", "-append", line]
        self.began = time.monotonic()
        boardkit.start(
            self.name, emulator["program"], "-accel", os.environ.get("ACCELERATION", "tcg"), *emulator["arguments"], "-smp", "2", "-m", "512",
            "-nodefaults", "-display", "none", "-serial", f"file:{FOLDER}/{self.name}.console", "-chardev", joined, *emulator["radio"],
            "-drive", f"file={self.disk},format=raw,if=none,id=disk", "-device", "virtio-blk-pci,drive=disk",
            "-netdev", f"user,id=net{forwards}", "-device", "virtio-net-pci,netdev=net",
            *kernel)

    def cut(self):
        process = processes.pop(self.name)
        process.kill()
        process.wait(30)

    def ask(self, command, seconds=60):
        return run("ssh", *SSH, "-i", f"{FOLDER}/ssh", "-p", str(self.ports[22]), "root@127.0.0.1", command, seconds=seconds * PATIENCE)

    def is_up(self):
        """Whether systemd has done what it does at the start; what it thinks of it is asked later."""
        try:
            return self.ask("systemctl is-system-running --wait || true", 120).strip() in ("running", "degraded")
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return False

    def state(self, field):
        def find(value):
            if isinstance(value, dict):
                for name, member in value.items():
                    if name == field:
                        return member
                    inner = find(member)
                    if inner is not None:
                        return inner
            return None
        return find(json.loads(self.ask("cat /run/vigil/core/state.json")))

    def answers(self, port, seconds=6):
        """What somebody outside gets from a port within a few seconds."""
        with socket.create_connection(("127.0.0.1", self.ports[port]), timeout=5) as link:
            link.settimeout(seconds * PATIENCE)
            try:
                return link.recv(64)
            except (TimeoutError, ConnectionError):
                return b""


# A port that nobody provisioned.
CLOSED = 8080


def judge(machine, listener):
    """What has to hold of every machine. Returns whether it was heard."""
    heard = until(lambda: listener.first_after(machine.began), START_SECONDS, 0.1)
    first = listener.first_after(machine.began)
    check(f"{machine.name}: heard on air", heard, f"{first - machine.began:.1f} s after power-on" if heard else "nothing")
    up = until(machine.is_up, START_SECONDS, 1)
    if not check(f"{machine.name}: systemd is done and the operator gets in", up):
        return heard
    failed = machine.ask("systemctl --failed --no-legend --plain").strip()
    check(f"{machine.name}: no failed unit", failed == "", failed)
    check(f"{machine.name}: Vigil is active", machine.ask("systemctl is-active vigil || true").strip() == "active")
    return heard


def boot():
    machine = Machine("one", ports=(CLOSED,))
    listener = Listener()
    machine.power_on()
    judge(machine, listener)
    check("one: what the operator provisioned is taken", PROFILE["name"] in machine.ask("journalctl -u vigil --no-pager"))
    storage = machine.ask("head /run/vigil-storage/keys /run/vigil-storage/data; df -m /keys /data; mount")
    check("one: keys and data are on their partitions", storage.count("good: made at the first start") == 2 and "/dev/vda5 on /data type ext4" in storage)
    grown = int(machine.ask("df -m --output=size /data | tail -n 1"))
    check("one: the data partition has grown to the end of the disk", grown > 150, f"{grown} MiB")
    check("one: the root file system cannot be written", " on / type squashfs (ro," in storage)
    check("one: the key lies on its own partition", machine.ask("find /keys -type f | wc -l").strip() != "0")
    check("one: the journal is in memory only", machine.ask("ls /var/log/journal 2>/dev/null | wc -l").strip() == "0")
    check("one: nobody has a password", machine.ask("cut -d : -f 2 /etc/shadow | grep -vc '^[!*]' || true").strip() == "0")
    # The same answer with the same door, open and closed: otherwise a dead listener would pass for a firewall.
    machine.ask(f"echo open | setsid busybox nc -l -p {CLOSED} >/dev/null 2>&1 & sleep 1")
    check("one: a port that nobody provisioned is closed", machine.answers(CLOSED) == b"")
    machine.ask(f"nft add element inet vigil open_tcp '{{ {CLOSED} }}'")
    check("one: and it is the firewall that closes it", machine.answers(CLOSED) == b"open\n")
    ways = machine.ask("cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\" { print $2 }' | sort -u").split()
    # 127.0.0.1, and those of systemd-resolved, 127.0.0.53 and .54.
    own = ("0100007F", "3500007F", "3600007F")
    outside = sorted({int(way.split(":")[1], 16) for way in ways if not way.startswith(own)} - {CLOSED})
    check("one: only SSH listens on other addresses than its own", outside == [22], outside)
    check("one: the watchdog of the machine is fed", machine.ask("cat /sys/class/watchdog/watchdog0/state").strip() == "active")
    confinement(machine)
    exposure = machine.ask("systemd-analyze security vigil.service --no-pager | tail -n 1").strip()
    check("one: exposure of the unit by systemd's count, at most 4.9", float(exposure.split(":")[1].split()[0]) <= 4.9, exposure)
    figures(machine)


def confinement(machine):
    """Every part of the sandbox that a process has is in force; Debian 13's kernel has them all."""
    parts = []
    for process in json.loads(machine.ask("cat /run/vigil/supervisor.json"))["processes"]:
        for part in process.get("confinement", []):
            parts.append((process["name"], part["primitive"], part["state"]))
    lacking = [part for part in parts if part[2] != "verified"]
    check(f"{machine.name}: every part of every process's confinement is verified", parts and not lacking, lacking or f"{len(parts)} parts")


def figures(machine):
    """Memory and processor of a machine that has nothing to do but its work."""
    time.sleep(20)
    sample = "awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $5 + $6 }' /proc/stat; awk '/usage_usec/ { print $2 }' \
        /sys/fs/cgroup/system.slice/vigil.service/cpu.stat; cut -d ' ' -f 1 /proc/uptime"
    before = [float(word) for word in machine.ask(sample).split()]
    time.sleep(60)
    after = [float(word) for word in machine.ask(sample).split()]
    busy, idle, own, passed = [new - old for new, old in zip(after, before)]
    memory = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in machine.ask("cat /proc/meminfo").splitlines()}
    used = memory["MemTotal"] - memory["MemAvailable"]
    own_memory = int(machine.ask("cat /sys/fs/cgroup/system.slice/vigil.service/memory.current"))
    check("one: memory used, at most 140 MB", used <= MEMORY_LIMIT,
          f"{used / 1e6:.1f} MB of {memory['MemTotal'] / 1e6:.1f}; of that vigil.service {own_memory / 1e6:.1f} MB with its files")
    print(f"     processors in {passed:.0f} s: {100 * busy / (busy + idle):.1f} % of both busy; vigil.service {own / passed / 1e4:.1f} % of one")
    print("     " + machine.ask("systemd-analyze time").strip().splitlines()[0])
    with open(f"{IMAGE}/report.txt") as file:
        print(f"     disk.img {os.stat(IMAGE + '/disk.img').st_blocks * 512 / 1e6:.1f} MB on disk; {file.read().splitlines()[2]}")


def meet():
    machines = [Machine("left"), Machine("right")]
    for machine in machines:
        machine.power_on()
    for machine in machines:
        check(f"{machine.name}: is up", until(machine.is_up, 2 * START_SECONDS, 1))
    for machine in machines:
        def has_heard(machine=machine):
            return machine.state("storedIdentifiers") >= 1
        began = time.monotonic()
        if check(f"{machine.name}: has heard the other", until(has_heard, 120 * PATIENCE, 2)):
            print(f"     {machine.state('storedIdentifiers')} identifiers, {time.monotonic() - began:.0f} s after both were up")


def silent():
    """The checks of `boot` on a machine that cannot be heard: that it is heard must be what fails, and nothing before."""
    machine = Machine("mute")
    listener = Listener()
    machine.power_on(radio=False)
    up = until(machine.is_up, START_SECONDS, 1)
    check("mute: the machine is up", up)
    heard = until(lambda: listener.first_after(machine.began), 30 * PATIENCE, 0.5)
    check("mute: nothing is heard, so that a test of a silent image fails", not heard)
    check("mute: and the board says so", up and machine.state("onAir") is not True)


def loader():
    machine = Machine("whole")
    listener = Listener()
    machine.power_on(loader=True)
    judge(machine, listener)
    check("whole: it came by UEFI", machine.ask("[ -d /sys/firmware/efi ] && echo yes || true").strip() == "yes")


def web():
    calls = {want["interface"]: want["methods"] for want in json.load(open(f"{ROOT}/Plugins/WebUI/plugin.json"))["wants"]}
    grants = {"plugins": {"webui": {"enabled": True, "calls": calls, "listens": {"secure": {"address": "0.0.0.0", "port": 8443}},
                                    "settings": {"title": "Image test", "names": ["board.example"]}}}}
    machine = Machine("page", ports=(8443,), files={"grants.json": json.dumps(grants)})
    listener = Listener()
    machine.power_on()
    judge(machine, listener)

    def page():
        done = subprocess.run(["curl", "-skL", "--max-time", "30", "-o", f"{FOLDER}/page.html", "-w", "%{http_code}",
                               "--connect-to", f"board.example:8443:127.0.0.1:{machine.ports[8443]}", "https://board.example:8443/"],
                              capture_output=True, text=True)
        return done.stdout == "200" and "Image test" in read("page.html")

    check("page: the plugin is allowed to run", "refused" not in machine.ask("vigil plugin list"), machine.ask("vigil plugin list | grep webui"))
    check("page: it is there through the forwarded port", until(page, 120 * PATIENCE, 2), machine.ask("vigil plugin list | grep webui || true").strip())
    confinement(machine)


def cuts():
    chance = random.Random(int(os.environ.get("SEED", "1")))
    machine = Machine("cut")
    listener = Listener()
    count, good, stored = int(os.environ.get("CUTS", "20")), 0, []
    for number in range(count):
        machine.power_on()
        heard = until(lambda: listener.first_after(machine.began), START_SECONDS, 0.1)
        good += heard
        if not heard:
            check(f"cut {number}: heard again", False, read("cut.console")[-300:])
            break
        stored.append(listener.first_after(machine.began) - machine.began)
        # Half of the cuts while the start is still going on.
        time.sleep(chance.uniform(0, 25))
        machine.cut()
        if number % 2:
            machine.power_on()
            time.sleep(chance.uniform(0.5, 25))
            machine.cut()
    machine.power_on()
    judge(machine, listener)
    check(f"cut: heard after each of {count} cuts", good == count, f"{good}; {sum(stored) / max(1, len(stored)):.1f} s on average")
    states = machine.ask("cat /run/vigil-storage/keys /run/vigil-storage/data").split()
    check("cut: keys and data are good or mended", len(states) == 2 and set(states) <= {"good", "mended"}, states)


def main():
    if not os.path.exists(f"{IMAGE}/disk.img"):
        sys.exit(f"test-image.py: there is no {IMAGE}/disk.img; run make image BOARD={BOARD} first")
    scenarios = {"boot": boot, "meet": meet, "silent": silent, "loader": loader, "web": web, "cuts": cuts}
    wanted = sys.argv[2:] or ["boot", "meet", "silent"]
    unknown = [name for name in wanted if name not in scenarios]
    if unknown:
        sys.exit(f"test-image.py: there is no scenario {', '.join(unknown)}; there are {', '.join(scenarios)}")
    for name in wanted:
        print(f"== {name}", flush=True)
        began = time.monotonic()
        if not air():
            sys.exit(f"test-image.py: {BIN}/vigil-lab air does not start: {read('air.log')}")
        scenarios[name]()
        for process in list(processes):
            if process != "air":
                processes.pop(process).kill()
        boardkit.stop("air")
        print(f"== {name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    perform(main)
