# SPDX-License-Identifier: Apache-2.0
"""Machines of QEMU that start from the image, and who listens to them. For the scenarios beside it; Tools/test-image.py begins them."""
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

import boardkit
from boardkit import FOLDER, ROOT, check, free_port, processes, read, run, until

sys.path.insert(0, f"{ROOT}/Tools/vm")
import witness  # noqa: E402

BOARD = os.environ.get("BOARD", "qemu-x86_64")
IMAGE = os.environ.get("IMAGE", f"{ROOT}/.build/images/{BOARD}")
PATIENCE = float(os.environ.get("PATIENCE", "1"))
MIB = 1 << 20
# The boot partition begins there (Board/image/disk.py).
BOOT = f"@@{MIB}"
# What a machine takes to be heard, on two processors that have nothing else to do: 20 s. After ten times that it is a fault.
START_SECONDS = 200 * PATIENCE
PROFILE = {"name": "image-test", "scan": {"duration": 2000, "period": 5000, "spread": 500}}
SSH = ["-q", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=20"]


class Listener(threading.Thread):
    """Somebody outside with a controller of the same air: when was which identifier first heard, and when anything?"""

    def __init__(self):
        super().__init__(daemon=True)
        self.heard, self.last, self.since, self.first, self.longest = {}, None, 0.0, None, 0.0
        self.controller = witness.Controller(f"{FOLDER}/air")
        self.start()

    def run(self):
        try:
            while True:
                for _, data in witness.advertisements(*self.controller.event()):
                    place = data.find(witness.EXPOSURE_NOTIFICATION)
                    if place < 0:
                        continue
                    now = time.monotonic()
                    self.longest = max(self.longest, now - (self.last or now))
                    self.last = now
                    self.heard.setdefault(data[place + 4:place + 20], self.last)
                    if self.first is None and self.last >= self.since:
                        self.first = self.last
        except (witness.Ended, OSError):
            pass

    def first_after(self, moment):
        """When the first packet of an identifier came that nobody had heard before."""
        return min((at for at in self.heard.values() if at >= moment), default=None)

    def silence(self):
        """The longest time in which nothing was heard since this was asked last, that until now included."""
        longest, self.longest = max(self.longest, time.monotonic() - (self.last or self.since)), 0.0
        return longest

    def listen_from(self, moment):
        """From then on `first` is when the first packet came, whosever it was: a board that was cut may go on with its identifier."""
        self.since, self.first = moment, None


class Machine:
    """`disk`: one that is written already, with all that the machine is to find on it. `page`: the name by which its page is asked for."""

    def __init__(self, name, ports=(), files=None, disk_mib=600, disk=None):
        self.name, self.disk = name, disk or f"{FOLDER}/{name}.img"
        self.ports, self.page = {inside: free_port() for inside in (22, *ports)}, "board.example"
        if disk:
            return
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
            os.makedirs(os.path.dirname(f"{place}/{path}"), exist_ok=True)
            with open(f"{place}/{path}", "w") as file:
                file.write(text)
        run("mcopy", "-s", "-i", self.disk + BOOT, place, "::/", env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})

    def power_on(self, radio="air", loader=False, clock=None, segment=None, network="", address=""):
        """`radio`: the socket of its controller, None for one that says nothing. `clock`: what its clock chip shows, as QEMU has it.
        `segment`: a network of its own beside the one with the way out (scan.py). `network`: more of QEMU's words for that one, and `address`
        the machine's in it, if it does not ask for one."""
        forwards = "".join(f",hostfwd=tcp:127.0.0.1:{outside}-{address}:{inside}" for inside, outside in self.ports.items())
        joined = f"socket,id=radio,path={FOLDER}/{radio}" if radio else "null,id=radio"
        # UEFI's firmware greets every serial port; the controller of the air hangs up on what is no HCI, and is there again afterwards.
        # And a cable that can be pulled is plugged in again.
        joined += ",reconnect=1" if loader or radio not in ("air", None) else ""
        with open(f"{ROOT}/Board/boards/{BOARD}.json") as file:
            emulator = json.load(file)["emulator"]
        with open(f"{IMAGE}/command-line") as file:
            line = file.read().strip()
        kernel = ["-bios", emulator["firmware"]] if loader else ["-kernel", f"{IMAGE}/linux", "-initrd", f"{IMAGE}/start.img", "-append", line]
        self.began = time.monotonic()
        boardkit.start(
            self.name, emulator["program"], "-accel", os.environ.get("ACCELERATION", "tcg"), *emulator["arguments"], "-smp", "2", "-m", "512",
            *(["-rtc", f"base={clock}"] if clock else []),
            "-nodefaults", "-display", "none", "-serial", f"file:{FOLDER}/{self.name}.console", "-chardev", joined, *emulator["radio"],
            "-drive", f"file={self.disk},format=raw,if=none,id=disk", "-device", "virtio-blk-pci,drive=disk",
            "-netdev", f"user,id=net{network}{forwards}", "-device", "virtio-net-pci,netdev=net",
            *(segment.words() if segment else []), *kernel, pass_fds=[segment.descriptor] if segment else [])

    def cut(self):
        process = processes.pop(self.name)
        process.kill()
        process.wait(30)
        self.hang_up()

    # One connection for all questions: to agree on keys takes an emulated processor seconds.
    def hang_up(self):
        link = processes.pop(f"{self.name}.ssh", None)
        if link:
            link.kill()
            link.wait(30)
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{FOLDER}/{self.name}.ssh")

    def words(self):
        link = processes.get(f"{self.name}.ssh")
        if link is None or link.poll() is not None:
            self.hang_up()
            boardkit.start(f"{self.name}.ssh", "ssh", *SSH, "-M", "-N", "-S", f"{FOLDER}/{self.name}.ssh", "-i", f"{FOLDER}/ssh", "-p",
                           str(self.ports[22]), "root@127.0.0.1")
            until(lambda: os.path.exists(f"{FOLDER}/{self.name}.ssh") or processes[f"{self.name}.ssh"].poll() is not None, 40 * PATIENCE, 0.1)
        return ["ssh", *SSH, "-S", f"{FOLDER}/{self.name}.ssh", "-i", f"{FOLDER}/ssh", "-p", str(self.ports[22]), "root@127.0.0.1"]

    def ask(self, command, seconds=60, **options):
        return run(*self.words(), command, seconds=seconds * PATIENCE, **options)

    def vigil(self, *words, seconds=60):
        """What `vigil ctl` says, as JSON. Its exit status may be a verdict."""
        text = self.ask(f"vigil ctl {' '.join(words)} --json || true", seconds)
        try:
            return json.loads(text)
        except ValueError:
            raise ConnectionError(f"vigil ctl {' '.join(words)}: {text[:200]!r}") from None

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

    def findings(self):
        """The self-check's findings by identifier, each with what it is about and its sentence."""
        found = {}
        for entry in self.vigil("health")["findings"]:
            found.setdefault(entry["id"], []).append((entry.get("name"), entry.get("detail")))
        return found


def asking(condition):
    """For `until`: no answer is no yes."""
    def ask():
        try:
            return condition()
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return False
    return ask


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


def confinement(machine):
    """Every part of the sandbox that a process has is in force; Debian 13's kernel has them all."""
    parts = []
    for process in json.loads(machine.ask("cat /run/vigil/supervisor.json"))["processes"]:
        for part in process.get("confinement", []):
            parts.append((process["name"], part["primitive"], part["state"]))
    lacking = [part for part in parts if part[2] != "verified"]
    check(f"{machine.name}: every part of every process's confinement is verified", parts and not lacking, lacking or f"{len(parts)} parts")
    return parts


def page_grants(**settings):
    """The board's page, encrypted, with everything its manifest asks for."""
    with open(f"{ROOT}/Plugins/WebUI/plugin.json") as file:
        calls = {want["interface"]: want["methods"] for want in json.load(file)["wants"]}
    return {"enabled": True, "calls": calls, "listens": {"secure": {"address": "0.0.0.0", "port": 8443}},
            "settings": {"title": "Image test", "names": ["board.example"], **settings}}


def curl_page(machine, path, *more):
    """Status and body of a page of the board, through the forwarded port, with a jar of cookies of its own."""
    name = f"{machine.name}.page"
    done = subprocess.run(["curl", "-sk", "--max-time", str(40 * PATIENCE), "-o", f"{FOLDER}/{name}", "-w", "%{http_code}", "-b", f"{FOLDER}/{name}.jar", "-c",
                           f"{FOLDER}/{name}.jar", "--connect-to", f"{machine.page}:8443:127.0.0.1:{machine.ports[8443]}", *more,
                           f"https://{machine.page}:8443{path}"], capture_output=True, text=True)
    return done.stdout, read(name) if os.path.exists(f"{FOLDER}/{name}") else ""


def sign_in(machine, role):
    """As a person does, with a code that the operator made a moment ago. Returns whether the page let them in."""
    secret = machine.vigil("access", "make", role)["secret"]
    token = re.search(r'name="form" value="([^"]+)"', curl_page(machine, "/sign-in")[1])
    if not token:
        return False
    fields = {"act": "signIn", "role": role, "secret": secret, "form": token.group(1)}
    words = [word for name, value in fields.items() for word in ("--data-urlencode", f"{name}={value}")]
    status, _ = curl_page(machine, "/sign-in", "-H", "Origin: https://board.example:8443", "-H", "Sec-Fetch-Site: same-origin", *words)
    return status in ("302", "303")


def found_on_page(machine):
    """The identifiers that the technician's page of checks marks as found; the texts are those of the page's own language."""
    status, text = curl_page(machine, "/tech/checks", "-H", "Accept-Language: en")
    rows = re.findall(r"<code>([a-z-]+)</code>(.*?)</tr>", text, re.S)
    return {name for name, rest in rows if re.search(r">\s*Found\s*<", rest)} if status == "200" and len(rows) > 20 else None
