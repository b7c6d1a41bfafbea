#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The image's first step with an operator's folder (Board/image/root/usr/lib/vigil/provision): what is taken, what is erased, and cuts in between.

Usage: test-provision.py [FOLDER-WITH-EXECUTABLES] [--short]      as root, for it mounts things in a namespace of its own; needs no disk. Ends with
"N passed, M failed".

The script itself runs, with folders in memory for /data, /run and the boot partition. Before each program that it starts, and in the middle of the
overwriting, it is killed with all it has started; then it runs again as after the next power-on, with the same card or a broken one. --short cuts
before one program in three, and before all that move, remove or overwrite. What a disk does with writes that were not flushed is
not shown here.
"""
import base64
import copy
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = f"{TOP}/Board/image/root/usr/lib/vigil/provision"
# With --short the cuts of a card are a share of them.
STEP = 3 if "--short" in sys.argv else 1
FOLDERS = [argument for argument in sys.argv[1:] if argument != "--short"]
VIGIL = os.path.abspath(os.path.join(FOLDERS[0] if FOLDERS else ".build/release", "vigil"))
FIRST = b'{"wearer":"7H2K-9D3K-HT6W-4Q7P"}\n'
WIFI = b"name=Library\r\npassword=Zq7 correct horse\r\ncountry=DE\r\n"
PASSWORD = b"Zq7 correct horse"
CLAIM = b"2MZX-9D3K-HT6W-0A1B\n"
FILES = {"vigil.json": b'{"profile": "token", "firstUser": 50000}\n', "grants.json": b'{"plugins": {}}\n', "ports": b"8443\nssh\n",
         "first-secrets": FIRST, "enrolment-claim": CLAIM,
         "wifi": WIFI}
TARGETS = {"first-secrets": "vigil/core/first-secrets", "enrolment-claim": "vigil/handover/enrolment/enrolment-claim", "wifi": "wifi/wifi"}
# iwd's file for the network, which is in memory.
PROFILE = "run/vigil-wifi/networks/Library.psk"
with open(f"{TOP}/Board/boards/qemu-x86_64.json", encoding="utf-8") as description:
    QEMU = json.load(description)
PROGRAMS = ["cat", "chmod", "chown", "cp", "cut", "dd", "du", "find", "grep", "head", "ln", "mkdir", "mv", "rm", "sha256sum", "sort", "sync", "tail", "tr", "wc"]
passed = failed = 0


def check(what, holds, detail=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what} {detail}")


class Board:
    """Folders of one board; the boot partition is one of them."""

    def __init__(self, scratch, files=None):
        self.place = tempfile.mkdtemp(dir=scratch)
        for name in ["boot/provision", "data/vigil", "run", "block", "shims"]:
            os.makedirs(f"{self.place}/{name}")
        self.put(files or FILES)

    def copy(self):
        """A second board with the same folders."""
        twin = copy.copy(self)
        twin.place = tempfile.mkdtemp(dir=os.path.dirname(self.place))
        shutil.copytree(self.place, twin.place, symlinks=True, dirs_exist_ok=True)
        return twin

    def in_force(self):
        return tuple(self.read(path) for path in ["run/vigil-provision/vigil.json", "data/grants.json", "run/vigil-provision/ports.nft"])

    def put(self, files):
        for name, content in files.items():
            with open(f"{self.place}/boot/provision/{name}", "wb") as file:
                file.write(content)

    def read(self, path):
        try:
            with open(f"{self.place}/{path}", "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def start(self, cut=None, tear=False, writable=True, radio=True, storage="good", keys="good", share=None):
        """One start of the board. `cut`: before which program power goes. `radio`: whether its image has Wi-Fi. `storage`, `keys`: what became of the two partitions.
        `share`: further files of the image in /usr/share/vigil.
        Gives which programs were started, and what was said."""
        shutil.rmtree(f"{self.place}/shims")
        os.makedirs(f"{self.place}/shims")
        for name in PROGRAMS:
            torn = f"""if [ {name} = dd ]; then for w in "$@"; do case $w in of=*) printf '\\0\\0\\0\\0\\0\\0' >"$T/head"; {shutil.which('dd')} if="$T/head" of="${{w#of=}}" conv=notrunc 2>/dev/null;; esac; done; fi"""
            # Those of a pipeline start at once: a line that is appended is never lost, and both of two may count both.
            self.shim(name, f"""echo {name} >>"$T/started"; n=$({shutil.which('wc')} -l <"$T/started")
if [ "$CUT" -gt 0 ] && [ "$n" -ge "$CUT" ]; then {torn if tear else ':'}; kill -9 0; fi
exec {shutil.which(name)} "$@" """)
        os.symlink(VIGIL, f"{self.place}/shims/vigil")
        self.shim("mount", f"""case "$4" in rw*) [ "$WRITABLE" = 1 ] || exit 32;; esac
for last in "$@"; do :; done
{shutil.which('mount')} --bind "$T/boot" "$last" || exit 1
case "$4" in ro*) {shutil.which('mount')} -o remount,bind,ro "$last";; esac""")
        shutil.rmtree(f"{self.place}/share", ignore_errors=True)
        os.makedirs(f"{self.place}/share")
        if radio:
            with open(f"{self.place}/share/wifi.env", "w") as file:
                file.write("DRIVERS=none\n")
        for name, content in (share or {}).items():
            os.makedirs(os.path.dirname(f"{self.place}/share/{name}"), exist_ok=True)
            with open(f"{self.place}/share/{name}", "wb") as file:
                file.write(content)
        with open(f"{self.place}/started", "w"):
            pass
        shutil.rmtree(f"{self.place}/run")
        os.makedirs(f"{self.place}/run/vigil-boot")
        with open(f"{self.place}/run/vigil-boot/disk", "w") as file:
            file.write("fake\n")
        os.makedirs(f"{self.place}/run/vigil-storage")
        with open(f"{self.place}/run/vigil-storage/data", "w") as file:
            file.write(f"{storage}\n")
        with open(f"{self.place}/run/vigil-storage/keys", "w") as file:
            file.write(f"{keys}\n")
        os.makedirs(f"{self.place}/block/fake/fake1", exist_ok=True)
        with open(f"{self.place}/block/fake/fake1/uevent", "w") as file:
            file.write("PARTNAME=vigil-boot\n")
        inner = (f"mount --make-rprivate / && mount --bind {self.place}/data /data && mount --bind {self.place}/run /run && "
                 f"mount --bind {self.place}/block /sys/class/block && "
                 f"mount --bind {self.place}/share /usr/share/vigil && PATH={self.place}/shims:$PATH setsid sh {SCRIPT}; cp /proc/sys/kernel/hostname /run/")
        done = subprocess.run(["unshare", "-m", "-u", "sh", "-c", inner], capture_output=True, text=True, check=False,
                              env={**os.environ, "T": self.place, "CUT": str(cut or 0), "WRITABLE": "1" if writable else "0"})
        return self.read("started").decode().split(), done.stdout + done.stderr

    def shim(self, name, text):
        path = f"{self.place}/shims/{name}"
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def everywhere(self, secret):
        """Files with a secret in them, by path."""
        found = []
        for folder, _, names in os.walk(self.place):
            for name in names:
                # What a link leads to is found where it is; it may be nothing.
                if os.path.islink(f"{folder}/{name}"):
                    continue
                with open(f"{folder}/{name}", "rb") as file:
                    if secret.strip() in file.read():
                        found.append(os.path.relpath(f"{folder}/{name}", self.place))
        return sorted(found)


def is_settled(board, what):
    """All of it taken, once, and nothing secret left but where it is to be."""
    for name, secret in [("first-secrets", FIRST), ("enrolment-claim", CLAIM), ("wifi", WIFI)]:
        target = f"data/{TARGETS[name]}"
        check(f"{what}: {name} is where it is taken", board.read(target) == secret, board.read(target))
        found, wanted = (board.everywhere(PASSWORD), sorted([target, PROFILE])) if name == "wifi" else (board.everywhere(secret), [target])
        check(f"{what}: {name} is nowhere else", found == wanted, found)
        check(f"{what}: {name} is zeros on the card", board.read(f"boot/provision/{name}") == bytes(len(secret)))
    check(f"{what}: the rest is taken", board.read("data/provision/vigil.json") == FILES["vigil.json"] and board.read("data/provision.sum"))
    check(f"{what}: the rest is on the card as before", board.read("boot/provision/vigil.json") == FILES["vigil.json"])
    check(f"{what}: settings are in force", board.read("run/vigil-provision/vigil.json") == FILES["vigil.json"])


def whole(scratch):
    board = Board(scratch)
    steps, said = board.start()
    is_settled(board, "one start")
    check("it says what was taken", "provision/ is taken" in said and "first-secrets is taken" in said, said)
    check("it never says a secret", not any(secret.decode().strip() in said for secret in (FIRST, CLAIM, PASSWORD)))
    check("ports: numbers only", board.read("run/vigil-provision/ports.nft") == b"add element inet vigil open_tcp { 8443 }\n")
    for name, owner in [("first-secrets", 50000), ("enrolment-claim", 0), ("wifi", 0)]:
        status = os.stat(f"{board.place}/data/{TARGETS[name]}")
        check(f"{name}: its owner's alone", (status.st_uid, status.st_mode & 0o777) == (owner, 0o600), oct(status.st_mode))
    # The core has taken them, and the technician has changed grants; the next start changes nothing.
    os.remove(f"{board.place}/data/vigil/core/first-secrets")
    with open(f"{board.place}/data/grants.json", "w") as file:
        file.write("changed")
    board.start()
    check("a second start takes nothing again", board.read("data/vigil/core/first-secrets") is None and board.read("data/grants.json") == b"changed")
    # New ones of the operator's.
    board.put({"first-secrets": FIRST.replace(b"7H2K", b"AAAA")})
    board.start()
    check("a new secret is taken", b"AAAA" in (board.read("data/vigil/core/first-secrets") or b""))
    check("grants stay", board.read("data/grants.json") == b"changed")
    return steps


def named(scratch):
    """A name on the network: none unless it is given, and one for setting up in five starts only."""
    own = os.uname().nodename

    def spoken(board):
        rules, resolved = board.read("run/vigil-provision/name.nft"), board.read("run/systemd/resolved.conf.d/zz-vigil-name.conf")
        check("a name is spoken with its door open, or neither", (rules is None) == (resolved is None), (rules, resolved))
        return (board.read("run/vigil-provision/name") or b"").decode().strip(), board.read("run/hostname").decode().strip()

    # Each of them reads once, as it starts, what the step has written.
    with open(f"{TOP}/Board/image/root/etc/systemd/system/vigil-provision.service") as file:
        before = [word for line in file if line.startswith("Before=") for word in line.strip().removeprefix("Before=").split()]
    late = {"nftables.service", "systemd-networkd.service", "systemd-resolved.service"} - set(before)
    check("firewall, network and resolver start after the card is taken", not late, sorted(late))
    board = Board(scratch)
    board.start()
    check("no name is given: none is spoken", spoken(board) == ("", own), spoken(board))
    board.put({"name": b"hall-3\r\n"})
    for start in range(8):
        board.start()
        check(f"a lasting name, start {start + 1}: spoken", spoken(board) == ("hall-3", "hall-3"), spoken(board))
    check("a lasting name ends by no timer", board.read("run/vigil-provision/name-setup") is None)
    board.put({"name": b"vigil-q7m2xa setup"})
    for start in range(8):
        board.start()
        wanted = ("vigil-q7m2xa", "vigil-q7m2xa") if start < 5 else ("", own)
        check(f"a name for setting up, start {start + 1}: spoken in the first five only", spoken(board) == wanted, spoken(board))
        check(f"a name for setting up, start {start + 1}: ends by a timer", (board.read("run/vigil-provision/name-setup") is not None) == (start < 5))
    board.put({"ports": b"8443\n443\n"})
    board.start()
    check("a card that says something else begins anew", spoken(board)[0] == "vigil-q7m2xa", spoken(board))
    for wrong in [b"Hall", b"hall.local", b"a b", b"-a", b"a-", b"a\nb\n", b"a\n\n", b"\n", b"$(reboot)", b"a setup setup", b"x" * 33, b"h\xc3\xa4ll", b"a\0b",
                  b"a;b", bytes(4 << 10)]:
        board.put({"name": wrong})
        _, said = board.start()
        check(f"{wrong[:40]!r}: the card is taken, no name is spoken, and it is said", spoken(board) == ("", own) and "provision/ is taken" in said
              and "name: is no name" in said and said.count("name: ") == 2, said)


def wireless(scratch):
    """A wireless network: joined as the card names it, kept where root alone reads it, left when the card has it no more; a mistake has its sentence."""
    board = Board(scratch)
    _, said = board.start()
    settings = (board.read("run/vigil-wifi/main.conf") or b"").decode().splitlines()
    check("a network: iwd has its settings", {"Country=DE", "EnableNetworkConfiguration=false", "AddressRandomization=network"} <= set(settings), settings)
    check("a network: iwd has its password", f"Passphrase={PASSWORD.decode()}" in (board.read(PROFILE) or b"").decode().splitlines())
    for path, mode in [("data/wifi", 0o700), ("data/wifi/wifi", 0o600), ("run/vigil-wifi", 0o700), ("run/vigil-wifi/networks", 0o700),
                       ("run/vigil-wifi/main.conf", 0o600), (PROFILE, 0o600)]:
        status = os.stat(f"{board.place}/{path}")
        check(f"a network: {path} is root's alone", (status.st_uid, status.st_mode & 0o777) == (0, mode), oct(status.st_mode))
    for start in range(2):
        _, said = board.start()
        check(f"a network, start {start + 2}: joined again, and nothing is said of it", board.read(PROFILE) and "wifi" not in said, said)
    with open(f"{TOP}/Board/image/root/etc/systemd/network/81-vigil-wifi.network", encoding="utf-8") as file:
        check("a network: its DHCP says no IP address of before", "Anonymize=yes" in file.read().split("[DHCPv4]")[1].split("[")[0].splitlines())
    board.put({"ports": b"443\n"})
    board.start()
    check("another state of the card leaves the network as it was", board.read(PROFILE))
    tries = {
        b"": "name= is missing", b"\n": "name= is missing", WIFI.replace(b"name=", b"ssid="): "line 1 is none of", WIFI.replace(b"Zq7 correct horse", b"Zq7"): "3 characters",
        WIFI.replace(b"country=DE", b"country=UK"): "country= has to be", WIFI.replace(b"country=DE\r\n", b""): "country= is missing",
        WIFI + b"hidden=perhaps\n": "hidden= has to be", WIFI.decode().encode("utf-16"): "UTF-8", WIFI + WIFI: "twice", WIFI + b"x" * 600: "more than 512 bytes",
        b"Zq7 correct horse\n": "line 1 is none of"}
    for wrong, word in tries.items():
        board.put({"wifi": wrong})
        _, said = board.start()
        check(f"{wrong[:30]!r}: it says why", "wifi: the card's network is not taken" in said and word in said and said.count("wifi: ") == 1, said)
        check(f"{wrong[:30]!r}: it does not say what stands there", "Zq7" not in said, said)
        check(f"{wrong[:30]!r}: it stays on the card to be mended", board.read("boot/provision/wifi") == wrong)
        check(f"{wrong[:30]!r}: the network of before holds", board.read("data/wifi/wifi") == WIFI and board.read(PROFILE))
    board.put({"wifi": WIFI.replace(b"Library", "Café".encode())})
    board.start()
    check("another network: it alone is joined", os.listdir(f"{board.place}/run/vigil-wifi/networks") == ["=436166c3a9.psk"])
    _, said = board.start(radio=False)
    check("an image without Wi-Fi: it says so", "has no Wi-Fi" in said and board.read("run/vigil-wifi/main.conf") is None, said)
    os.remove(f"{board.place}/boot/provision/wifi")
    _, said = board.start()
    check("the card has no network any more: it is left", "leaves that network" in said and not board.everywhere(PASSWORD), said)
    check("and nothing is joined", board.read("run/vigil-wifi/main.conf") is None)
    _, said = board.start()
    check("which is said once", "wifi" not in said, said)
    board.put({"wifi": WIFI})
    board.start()
    check("the same network again: it is taken again", board.read(PROFILE) and board.read("boot/provision/wifi") == bytes(len(WIFI)))
    # A token that is lent again: its technician takes the network off, and the card has zeros of it (docs/pool.md).
    shutil.rmtree(f"{board.place}/data/wifi")
    _, said = board.start()
    check("the network is taken off the board: the zeros on the card do not bring it back", board.read(PROFILE) is None and not board.everywhere(PASSWORD) and "wifi" not in said
          and board.read("boot/provision/wifi") == bytes(len(WIFI)), said)
    board.put({"wifi": WIFI})
    board.start()
    check("and a file of the next one's is taken", board.read(PROFILE) and board.read("boot/provision/wifi") == bytes(len(WIFI)))
    # UTF-16 without a mark: it begins with a zero, as what is left of a file that was being overwritten.
    for what, wrong in [("the board's own network", WIFI), ("another one", WIFI.replace(b"Library", b"Hall")), ("one as long in bytes", WIFI[:len(WIFI) // 2])]:
        wrong = wrong.decode().encode("utf-16-be")
        board.put({"wifi": wrong})
        _, said = board.start()
        check(f"{what} in UTF-16 from a zero on: it says so, and stays on the card", "UTF-8" in said and board.read("boot/provision/wifi") == wrong, said)
        check(f"{what} in UTF-16 from a zero on: the network of before holds", board.read("data/wifi/wifi") == WIFI)
    board.put({"wifi": bytes(10) + WIFI[10:]})
    _, said = board.start()
    check("half overwritten, and on the board: it is overwritten, and nothing is said", board.read("boot/provision/wifi") == bytes(len(WIFI)) and "wifi" not in said, said)
    shutil.rmtree(board.place)
    board = Board(scratch, {**FILES, "wifi": WIFI.decode().encode("utf-16-be")})
    _, said = board.start()
    check("a first card with UTF-16 from a zero on: not taken, not erased", "UTF-8" in said and board.read("boot/provision/wifi").strip(b"\0"), said)
    shutil.rmtree(board.place)


def names_of_networks(scratch):
    """FAT finds a file in small letters or capitals, and people and Windows make other names of `wifi`: no password leaves the card but by that file."""
    for spelling in ["Wifi", "WiFi", "WIFI"]:
        board = Board(scratch, {name: content for name, content in FILES.items() if name not in ("wifi", "first-secrets")})
        folder = f"{board.place}/boot"
        with open("/proc/filesystems", encoding="utf-8") as file:
            is_real = "\tvfat\n" in file.read()
        if is_real:
            card = f"{board.place}.card"
            with open(card, "wb") as file:
                file.truncate(1 << 20)
            subprocess.run(["mkfs.vfat", card], check=True, capture_output=True)
            kept = {name: board.read(f"boot/provision/{name}") for name in os.listdir(f"{folder}/provision")}
            subprocess.run(["mount", "-o", "loop", "-t", "vfat", card, folder], check=True)
            os.mkdir(f"{folder}/provision")
            board.put({**kept, spelling: WIFI, "First-Secrets": FIRST})
        else:
            # The nearest to it that this kernel has: one file by two names. Its listing has both.
            if spelling == "Wifi":
                print("SKIPPED: names on a real FAT (this kernel has no vfat); tried with one file by two names instead")
            board.put({spelling: WIFI, "First-Secrets": FIRST})
            for name, other in [("wifi", spelling), ("first-secrets", "First-Secrets")]:
                os.link(f"{folder}/provision/{other}", f"{folder}/provision/{name}")
        try:
            board.start()
            with open(f"{board.place}/data/grants.json", "w", encoding="utf-8") as file:
                file.write("changed")
            found = [path for path in board.everywhere(PASSWORD) + board.everywhere(FIRST) if not path.startswith("boot/")]
            wanted = [f"data/{TARGETS['wifi']}", PROFILE, f"data/{TARGETS['first-secrets']}"]
            check(f"{spelling}: its password is where it is taken, and nowhere else", found == wanted, found)
            check(f"{spelling}: it is zeros on the card", board.read(f"boot/provision/{spelling}") == bytes(len(WIFI)))
            _, said = board.start()
            check(f"{spelling}: what was erased makes no new state", board.read("data/grants.json") == b"changed" and "taken" not in said, said)
        finally:
            if is_real:
                subprocess.run(["umount", folder], check=True)
        shutil.rmtree(board.place)
    strays = ["wifi.txt", "WiFi.TXT", "wifi~", "wifi - Copy"]
    board = Board(scratch, {**{name: content for name, content in FILES.items() if name != "wifi"}, **{name: WIFI for name in strays}})
    os.mkdir(f"{board.place}/boot/provision/Wifi2")
    board.put({"Wifi2/a": WIFI})
    judged = subprocess.run([VIGIL, "board", "provision", f"{board.place}/boot/provision"], capture_output=True, text=True, check=False)
    _, said = board.start()
    for name in [*strays, "Wifi2"]:
        sentence = f"{name}: is not taken, and a password in it stays on the card"
        check(f"{name}: the journal says so", said.count(sentence) == 1, said)
        check(f"{name}: so does vigil board provision", judged.returncode == 1 and judged.stderr.count(sentence) == 1, judged.stderr)
    check("names like wifi: no password is said", "Zq7" not in said + judged.stderr)
    found = [path for path in board.everywhere(PASSWORD) if not path.startswith("boot/")]
    check("names like wifi: nothing of them is copied", "provision/ is taken" in said and not found, found)
    for name in strays:
        os.remove(f"{board.place}/boot/provision/{name}")
    shutil.rmtree(f"{board.place}/boot/provision/Wifi2")
    _, said = board.start()
    check("names like wifi, deleted: no new state, and nothing is said", "taken" not in said and "wifi" not in said.lower(), said)
    shutil.rmtree(board.place)


def handed_over(scratch, step):
    """A board for another wearer, whose folder was copied onto the former one's: the zeros of the former network stay there, and the network does not."""
    first = Board(scratch)
    first.start()
    new = {"ports": b"443\n", "first-secrets": FIRST.replace(b"7H2K", b"CCCC")}
    for what, files, stays in [
            ("new codes and another state", new, False), ("a new claim and another state", {"ports": b"443\n", "enrolment-claim": CLAIM.replace(b"2MZX", b"CCCC")}, False),
            ("another state alone", {"ports": b"443\n"}, True), ("new codes alone", {"first-secrets": new["first-secrets"]}, True),
            ("new codes, another state, a mistake", {**new, "wifi": b"name=Hall"}, True), ("new codes, another state, an empty file", {**new, "wifi": b""}, True),
            ("a card that is not taken", {**new, "vigil.json": b"{"}, True)]:
        board = first.copy()
        board.put(files)
        _, said = board.start()
        check(f"{what}: the network {'holds' if stays else 'is left'}", bool(board.everywhere(PASSWORD)) == stays and bool(board.read(PROFILE)) == stays
              and ("leaves that network" in said) != stays, said)
        shutil.rmtree(board.place)
    board = first.copy()
    board.put({**new, "wifi": WIFI.replace(b"Library", b"Hall")})
    board.start()
    check("new codes with a network: it alone is joined", os.listdir(f"{board.place}/run/vigil-wifi/networks") == ["Hall.psk"])
    shutil.rmtree(board.place)
    twin = first.copy()
    twin.put(new)
    names, _ = twin.start()
    shutil.rmtree(twin.place)
    # What follows is the same as without it, and is cut elsewhere; so are the other programs.
    for cut in [number for number, name in enumerate(names, 1) if number <= names.index("dd") and (step == 1 or name in ("mv", "rm"))]:
        board = first.copy()
        board.put(new)
        board.start(cut=cut)
        board.start()
        check(f"handed over, cut {cut} ({names[cut - 1]}): the new card holds, without the former network",
              b"443" in (board.read("run/vigil-provision/ports.nft") or b"") and not board.everywhere(PASSWORD), board.everywhere(PASSWORD))
        check(f"handed over, cut {cut} ({names[cut - 1]}): the new codes are there", board.read("data/vigil/core/first-secrets") == new["first-secrets"])
        check(f"handed over, cut {cut} ({names[cut - 1]}): no mark is left", board.read("data/provision.leaves") is None)
        shutil.rmtree(board.place)


def stubborn(scratch):
    """A boot partition that cannot be written."""
    board = Board(scratch)
    _, said = board.start(writable=False)
    check("it says that it could not erase", "cannot be written" in said, said)
    check("taken all the same", board.read("data/vigil/core/first-secrets") == FIRST)
    os.remove(f"{board.place}/data/vigil/core/first-secrets")
    board.start(writable=False)
    check("a code that was taken is not taken twice", board.read("data/vigil/core/first-secrets") is None)
    board.start()
    check("it is erased as soon as it can be", board.read("boot/provision/first-secrets") == bytes(len(FIRST)))
    check("and still not taken twice", board.read("data/vigil/core/first-secrets") is None)


def in_memory(scratch):
    """A board whose data partition is broken keeps nothing: the card's secrets stay on the card for the start after it is mended."""
    with open(f"{TOP}/Board/image/root/usr/lib/vigil/storage", encoding="utf-8") as file:
        words = [line.split('"')[3] for line in file if line.strip().startswith("say ") and "memory" in line]
    check("storage says in its own words that it is in memory", len(words) == 3 and all(word.endswith("; kept in memory") for word in words), words)
    for storage in words:
        board = Board(scratch, {**FILES, "name": b"vigil-q7m2xa setup"})
        for start in range(2):
            names, said = board.start(storage=storage)
            what = f"{storage.split(':')[0]}, in memory, start {start + 1}"
            for name, secret in [("first-secrets", FIRST), ("enrolment-claim", CLAIM), ("wifi", WIFI)]:
                check(f"{what}: {name} stays on the card, and it is said", board.read(f"boot/provision/{name}") == secret and f"{name} stays on the card" in
                      said.replace("is not used, and stays", "stays"), said)
            check(f"{what}: the card is never written", "dd" not in names and "erased" not in said, said)
            check(f"{what}: the codes and the network serve", board.read("data/vigil/core/first-secrets") == FIRST and board.read(PROFILE))
            check(f"{what}: no claim is handed over", not os.path.exists(f"{board.place}/data/vigil/handover") and board.everywhere(CLAIM) == ["boot/provision/enrolment-claim"])
            check(f"{what}: settings are in force", board.read("run/vigil-provision/vigil.json") == FILES["vigil.json"])
            check(f"{what}: a name for setting up is not spoken, for nothing counts its starts", board.read("run/vigil-provision/name") is None)
            check(f"{what}: no secret is said", not any(secret.decode().strip() in said for secret in (FIRST, CLAIM, PASSWORD)))
            # Power goes, and memory with it.
            shutil.rmtree(f"{board.place}/data")
            os.makedirs(f"{board.place}/data/vigil")
        board.start()
        is_settled(board, f"{storage.split(':')[0]}, and then mended")
        shutil.rmtree(board.place)
    # Only what seals the certificate is in memory: everything but the claim is kept, and leaves the card.
    board = Board(scratch, {**FILES, "name": b"vigil-q7m2xa setup"})
    for start in range(2):
        _, said = board.start(keys=words[-1])
        what = f"the keys in memory, start {start + 1}"
        check(f"{what}: the claim is not used, and stays on the card", board.everywhere(CLAIM) == ["boot/provision/enrolment-claim"] and
              "enrolment-claim is not used, and stays on the card" in said, said)
        check(f"{what}: the codes and the network are kept, and erased from the card", board.read("data/vigil/core/first-secrets") == FIRST and
              board.everywhere(FIRST) == ["data/vigil/core/first-secrets"] and not board.read("boot/provision/wifi").strip(b"\0") and board.read(PROFILE), said)
        check(f"{what}: the name is spoken", board.read("run/vigil-provision/name") == b"vigil-q7m2xa\n")
    board.start()
    is_settled(board, "the keys in memory, and then mended")
    shutil.rmtree(board.place)
    # The partition was good when the card was taken, is broken in one start, and then as it was.
    board = Board(scratch)
    board.start()
    os.rename(f"{board.place}/data", f"{board.place}/good")
    os.makedirs(f"{board.place}/data/vigil")
    _, said = board.start(storage=words[-1])
    check("taken long ago, then in memory: zeros are no secret, and nothing is said of them", "stays on the card" not in said
          and board.read("data/vigil/core/first-secrets") is None and board.read(PROFILE) is None, said)
    shutil.rmtree(f"{board.place}/data")
    os.rename(f"{board.place}/good", f"{board.place}/data")
    board.start()
    is_settled(board, "in memory for one start")
    shutil.rmtree(board.place)


def grants(scratch, step):
    """Grants are the operator's last word: what the card has, and nothing once it has it no more; a technician's changes stay between."""
    granted = b'{"plugins": {"sync": {"enabled": true}}}\n'
    changed = b'{"plugins": {"wake": {"enabled": false}}}\n'

    def put(board, content):
        with open(f"{board.place}/data/grants.json", "wb") as file:
            file.write(content)

    def is_empty(board):
        return json.loads(board.read("data/grants.json") or b"0") == {"plugins": {}}

    first = Board(scratch, {**FILES, "grants.json": granted})
    first.start()
    check("grants of the card are in force", first.read("data/grants.json") == granted)
    put(first, changed)
    os.remove(f"{first.place}/boot/provision/grants.json")
    twin = first.copy()
    names, said = twin.start()
    check("grants.json is off the card: they are taken back, and it is said", is_empty(twin) and "taken back" in said and "provision/ is taken" in said, said)
    put(twin, changed)
    _, said = twin.start()
    check("once for that state: what is changed later stays", twin.read("data/grants.json") == changed and "taken" not in said, said)
    twin.put({"ports": b"443\n"})
    _, said = twin.start()
    check("another state without the file: what was changed since stays", twin.read("data/grants.json") == changed and "taken back" not in said, said)
    twin.put({"grants.json": granted})
    twin.start()
    check("the file is on the card again: in force again", twin.read("data/grants.json") == granted)
    shutil.rmtree(twin.place)
    for cut in drawn(names, step):
        twin = first.copy()
        twin.start(cut=cut)
        twin.start()
        check(f"taken back, cut {cut} ({names[cut - 1]}): nothing is granted", is_empty(twin), twin.read("data/grants.json"))
        left = [name for name in os.listdir(f"{twin.place}/data") if name.endswith((".new", ".old"))]
        check(f"taken back, cut {cut} ({names[cut - 1]}): nothing is left of it", not left, left)
        shutil.rmtree(twin.place)

    board = Board(scratch, {name: content for name, content in FILES.items() if name != "grants.json"})
    board.start()
    check("a card that never had the file: nothing is granted at first", is_empty(board))
    put(board, changed)
    board.put({"ports": b"443\n"})
    board.start()
    check("a card that never had the file: what was granted on the board stays", board.read("data/grants.json") == changed)
    shutil.rmtree(board.place)

    # Neither can be put in its place; a folder stands there.
    for what, content in [("new grants", granted), ("grants taken back", None)]:
        board = Board(scratch, {**FILES, "grants.json": changed})
        board.start()
        sum_before = board.read("data/provision.sum")
        os.makedirs(f"{board.place}/data/grants.json.new/x")
        os.remove(f"{board.place}/boot/provision/grants.json")
        board.put({"first-secrets": FIRST.replace(b"7H2K", b"DDDD"), **({"grants.json": content} if content else {})})
        for start in range(2):
            _, said = board.start()
            check(f"{what} cannot be written, start {start + 1}: it is said, and does not count as taken", "grants.json cannot be put in its place" in said
                  and "provision/ is taken" not in said and board.read("data/provision.sum") == sum_before, said)
            check(f"{what} cannot be written, start {start + 1}: the former ones hold, and the secret is on the card",
                  board.read("data/grants.json") == changed and b"DDDD" in board.read("boot/provision/first-secrets"))
        shutil.rmtree(f"{board.place}/data/grants.json.new")
        _, said = board.start()
        check(f"{what}: in force as soon as they can be written", board.read("data/grants.json") == content if content else is_empty(board), said)
        check(f"{what}: and the secret is taken", b"DDDD" in (board.read("data/vigil/core/first-secrets") or b""))
        shutil.rmtree(board.place)
    shutil.rmtree(first.place)


def networks(scratch, step):
    """What was changed of the wired networks on the board stays until the operator writes another card; never half of it."""
    first = Board(scratch)
    first.start()
    link = f"{first.place}/run/systemd/network/10-vigil-wired.network"
    check("networkd finds what the board changes", os.readlink(link) == "/data/network/10-vigil-wired.network")
    changed = {"10-vigil-wired.network": b"[Match]\n", "10-vigil-wired.network.before": b"former\n"}
    for name, content in changed.items():
        with open(f"{first.place}/data/network/{name}", "wb") as file:
            file.write(content)

    def left(board):
        return {name: board.read(f"data/network/{name}") for name in os.listdir(f"{board.place}/data/network")}

    _, said = first.start()
    check("the same card: what the board changed stays", left(first) == changed and "network" not in said, said)
    former = first.in_force()
    first.put({"ports": b"443\n"})
    twin = first.copy()
    names, said = twin.start()
    check("another card: it goes, and it is said", left(twin) == {} and "network: what was changed" in said and "provision/ is taken" in said, said)
    for cut in drawn(names, step):
        twin = first.copy()
        twin.start(cut=cut)
        # The card that was cut cannot be read any more.
        twin.put({"vigil.json": b"{"})
        twin.start()
        is_former = twin.in_force() == former
        check(f"networks, cut {cut} ({names[cut - 1]}): of the card that holds", left(twin) == (changed if is_former else {}), (is_former, left(twin)))
        shutil.rmtree(twin.place)
    shutil.rmtree(first.place)


def odd(scratch):
    board = Board(scratch, {"vigil.json": b"{}\n"})
    _, said = board.start()
    check("no secrets: the card is never written", "provision/ is taken" in said and not os.path.exists(f"{board.place}/data/vigil/handover"), said)
    board = Board(scratch, {**FILES, "large": bytes(5 << 20)})
    _, said = board.start()
    check("too large: nothing is taken, nothing erased", board.read("boot/provision/first-secrets") == FIRST and board.read("data/provision.sum") is None, said)


def unusable(scratch):
    """Cards that were pulled out while they were written, and mistakes: what was taken before holds, and no secret is lost."""
    key = b'{"verify": ["262-v1=/data/provision/key.pem"]}\n'
    tries = [("half of vigil.json", {"vigil.json": FILES["vigil.json"][:20]}, "vigil.json"),
             ("an empty vigil.json", {"vigil.json": b""}, "vigil.json"),
             ("a field that nobody knows", {"vigil.json": b'{"bluetooth": "hci:0"}'}, "bluetooth"),
             ("a key that is not there", {"vigil.json": key}, "key.pem"),
             ("half of a key", {"vigil.json": key, "key.pem": b"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZI"}, "key.pem"),
             ("half of a key, its path written differently", {"vigil.json": key.replace(b"/provision", b"//./provision"), "key.pem": b"-----"}, "key.pem"),
             ("half of a profile", {"vigil.json": b'{"profile": "/data/provision/p.json"}', "p.json": b'{"name": "to'}, "p.json"),
             ("vigil.json is missing", {"vigil.json": None}, "no vigil.json any more")]
    for what, files, word in tries:
        board = Board(scratch)
        board.start()
        new = FIRST.replace(b"7H2K", b"BBBB")
        board.put({"first-secrets": new, **{name: content for name, content in files.items() if content is not None}})
        for name in [name for name, content in files.items() if content is None]:
            os.remove(f"{board.place}/boot/provision/{name}")
        # The former files must not be judged in place of the new ones.
        with open(f"{board.place}/data/provision/key.pem", "wb") as file:
            file.write(public_key())
        _, said = board.start()
        check(f"{what}: it says so", "not taken" in said and word in said, said)
        check(f"{what}: nothing is left of it", os.listdir(f"{board.place}/data").count("provision.new") == 0)
        check(f"{what}: what was taken holds", board.read("run/vigil-provision/vigil.json") == FILES["vigil.json"]
              and board.read("data/grants.json") == FILES["grants.json"])
        check(f"{what}: the new secret is on the card", board.read("boot/provision/first-secrets") == new)
        for name in files:
            if name not in FILES:
                os.remove(f"{board.place}/boot/provision/{name}")
        board.put({**FILES, "first-secrets": new, "ports": b"443\n"})
        board.start()
        check(f"{what}: the whole card is taken", board.read("data/vigil/core/first-secrets") == new and b"443" in (board.read("run/vigil-provision/ports.nft") or b""))
        shutil.rmtree(board.place)
    board = Board(scratch, {**FILES, "vigil.json": b"{"})
    _, said = board.start()
    check("a first card that cannot be used: not taken, nothing erased", "not taken" in said and board.read("boot/provision/first-secrets") == FIRST, said)


def public_key():
    with open(f"{TOP}/Provisioning/authorities/example-ens.json", encoding="utf-8") as file:
        return base64.b64decode(json.load(file)["keys"][0]["key"])


def usable(scratch):
    """First cards that a start goes on with: they are taken, and what is not used is named."""
    with open(f"{TOP}/Board/profiles/token.json", "rb") as file:
        profile = file.read()
    key = '{"verify": ["262-v1=/data/provision/schlüssel.pem"]}'.encode()
    tries = [("a key with an umlaut in its path", {"vigil.json": key, "schlüssel.pem": public_key()}, None),
             ("a profile with = in its path", {"vigil.json": b'{"profile": "/data/provision/a=b.json"}', "a=b.json": profile}, None),
             ("half of grants.json", {"grants.json": b'{"plugins": {'}, "grants.json"),
             ("a mistake in one entry of grants.json", {"grants.json": b'{"plugins": {"sync": {"enable": true}}}'}, "plugins.sync.enable"),
             ("an authority that is not there", {"vigil.json": b'{"authorities": ["/data/provision/a.json"]}'}, "a.json"),
             ("half of an authority", {"vigil.json": b'{"authorities": ["/data/provision/a.json"]}', "a.json": b'{"name": "ex'}, "a.json")]
    for what, files, word in tries:
        files = {**FILES, **files}
        board = Board(scratch, files)
        _, said = board.start()
        check(f"{what}: taken", "provision/ is taken" in said and board.in_force()[:2] == (files["vigil.json"], files["grants.json"]), said)
        check(f"{what}: ports are open, and the page has its codes", board.in_force()[2] and board.read("data/vigil/core/first-secrets") == FIRST)
        check(f"{what}: it says what is not used", (word or "faults") in said if word else "faults" not in said, said)
        shutil.rmtree(board.place)


class Operator:
    """A fleet's operator as openssl is one: makes the files that `vigil-fleet plan --key` makes."""

    def __init__(self, scratch):
        self.key = tempfile.mktemp(dir=scratch)
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.key], check=True, capture_output=True)
        self.public = subprocess.run(["openssl", "ec", "-in", self.key, "-pubout"], check=True, capture_output=True).stdout

    def sign(self, text):
        return subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=text, check=True, capture_output=True).stdout

    def card(self, issued, serial="vg-7k3m-q0r1x", first=FIRST, signed_only=False, changes=None, **said):
        """A card's files. `said`: further members of the device file."""
        def digest(secret):
            return "sha256:" + hashlib.sha256(secret.replace(b"-", b"").strip()).hexdigest()

        fleet = {"board": serial, **({"signedCards": True} if signed_only else {})}
        vigil = {"profile": "token", "firstUser": 50000, "operatorKeys": ["fleet-1=/data/provision/operator.pem"], "fleet": fleet}
        files = {"vigil.json": json.dumps(vigil).encode(), "grants.json": FILES["grants.json"], "ports": b"8443\n", "operator.pem": self.public, **(changes or {})}
        device = {"format": 1, "serial": serial, "issued": issued, "labelCodeHash": digest(json.loads(first)["wearer"].encode()), "claimHash": digest(CLAIM),
                  "files": {name: "sha256:" + hashlib.sha256(content).hexdigest() for name, content in files.items()}, **said}
        text = json.dumps(device, indent=2).encode()
        return {**files, "device.json": text, "device.sig": self.sign(text), "first-secrets": first, "enrolment-claim": CLAIM}


def signed(scratch, step):
    """Signed cards: the first one is believed; from then on only what its operator signed for this board, newer and whole; each refusal has its sentence."""
    operator, stranger = Operator(scratch), Operator(scratch)
    board = Board(scratch, operator.card(100))
    _, said = board.start()
    check("a first signed card: taken, with its secrets", "provision/ is taken" in said and "first-secrets is taken" in said and "faults" not in said, said)
    before = board.in_force()
    next_one = operator.card(200, changes={"ports": b"443\n"})
    vigil = json.loads(next_one["vigil.json"])
    by_stranger = stranger.card(300)
    edited = {**next_one, "device.json": next_one["device.json"].replace(b"200", b"201")}
    tries = [
        ("edited by one byte", edited, "was changed after it was signed"), ("another board's", operator.card(200, serial="vg-0000-00000"), "is for the board vg-0000-00000"),
        ("another key's", by_stranger, "another key has signed"), ("another key's, with our key beside it", {**by_stranger, "operator.pem": operator.public}, "was changed after"),
        ("an older one", operator.card(99), "a newer card of this board"), ("the same number, another content", operator.card(100, changes={"ports": b"22\n"}), "a newer card of this board"),
        ("of two boards, mixed up", operator.card(200, changes={"vigil.json": json.dumps({**vigil, "fleet": {"board": "vg-0000-00000"}}).encode()}),
         "it says that this board is vg-0000-00000, and device.json says vg-7k3m-q0r1x"),
        ("no number", operator.card(None), "names no board or lists no files"), ("another kind of board's", operator.card(200, boardType="raspberry-pi-arm64"), "of the kind raspberry-pi-arm64"),
        ("a file too many", {**next_one, "extra.txt": b"x"}, "extra.txt was added"), ("a file too few", {**next_one, "ports": None}, "ports is missing"),
        ("a file changed", {**next_one, "vigil.json": json.dumps({**vigil, "language": "de"}).encode()}, "vigil.json was changed"),
        ("no signature", {**next_one, "device.sig": None}, "device.sig is missing"), ("no device file", {**next_one, "device.json": None}, "device.json is missing"),
        ("signed, and no JSON", {**next_one, "device.json": b"{", "device.sig": operator.sign(b"{")}, "names no board"),
        ("signed, and too long", {**next_one, "device.json": b" " * 70000, "device.sig": operator.sign(b" " * 70000)}, "more than 65536 bytes"),
        ("an empty signature", {**next_one, "device.sig": b""}, "was changed after"), ("a signature of rubbish", {**next_one, "device.sig": os.urandom(72)}, "was changed after")]
    share = {"board.json": json.dumps(QEMU).encode()}
    for what, files, word in tries:
        twin = board.copy()
        shutil.rmtree(f"{twin.place}/boot/provision")
        os.mkdir(f"{twin.place}/boot/provision")
        new = FIRST.replace(b"7H2K", b"EEEE")
        twin.put({name: content for name, content in {**files, "first-secrets": new}.items() if content is not None})
        _, said = twin.start(share=share)
        check(f"signed, {what}: not taken, with its own sentence", "is not taken" in said and said.count(word) == 1 and "provision/ is taken" not in said, said)
        check(f"signed, {what}: the card of before holds", twin.in_force() == before and not [name for name in os.listdir(f"{twin.place}/data") if "new" in name])
        check(f"signed, {what}: its secret stays on the card", twin.read("boot/provision/first-secrets") == new and b"EEEE" not in (twin.read("data/vigil/core/first-secrets") or b""))
        twin.put({**next_one, "first-secrets": bytes(len(FIRST)), "enrolment-claim": bytes(len(CLAIM))})
        for name in {*files} - {*next_one}:
            os.remove(f"{twin.place}/boot/provision/{name}")
        _, said = twin.start(share=share)
        check(f"signed, {what}: the right card is taken afterwards", "provision/ is taken" in said and b"443" in (twin.read("run/vigil-provision/ports.nft") or b""), said)
        shutil.rmtree(twin.place)

    twin = board.copy()
    shutil.rmtree(f"{twin.place}/boot/provision")
    os.mkdir(f"{twin.place}/boot/provision")
    twin.put(FILES)
    _, said = twin.start()
    check("a card by hand after a signed one: taken, as nobody told the board otherwise", "provision/ is taken" in said and twin.read("data/provision/device.json") is None, said)
    shutil.rmtree(twin.place)

    # Told by a card that only signed ones count.
    twin = board.copy()
    only = operator.card(300, signed_only=True)
    twin.put({**only, "first-secrets": bytes(len(FIRST)), "enrolment-claim": bytes(len(CLAIM))})
    _, said = twin.start()
    check("a card that says so: taken", "provision/ is taken" in said, said)
    held = twin.in_force()
    twin.put({"first-secrets": FIRST.replace(b"7H2K", b"GGGG")})
    _, said = twin.start()
    check("signed only: a code that the operator did not sign is not taken, and stays on the card", "first-secrets is not the one" in said and
          b"GGGG" not in (twin.read("data/vigil/core/first-secrets") or b"") and b"GGGG" in twin.read("boot/provision/first-secrets") and "GGGG" not in said, said)
    for name in ["device.json", "device.sig"]:
        os.remove(f"{twin.place}/boot/provision/{name}")
    twin.put({"vigil.json": b"{}", "grants.json": b'{"plugins": {"x": {}}}'})
    _, said = twin.start()
    check("signed only: a card by hand is not taken", "takes signed cards only" in said and twin.in_force() == held, said)
    newer = operator.card(400, signed_only=True, first=FIRST.replace(b"7H2K", b"HHHH"))
    twin.put(newer)
    _, said = twin.start()
    check("signed only: the operator's next card is taken with its code", "provision/ is taken" in said and twin.read("data/vigil/core/first-secrets") == newer["first-secrets"], said)
    # The page's owner has chosen another secret since; whoever has the label writes its code again, as it was or differently.
    other = json.dumps({"wearer": json.loads(newer["first-secrets"])["wearer"].replace("-", "")}, indent=1).encode()
    for what, code in [("as it was", newer["first-secrets"]), ("written differently", other)]:
        os.remove(f"{twin.place}/data/vigil/core/first-secrets")
        twin.put({"first-secrets": code})
        _, said = twin.start()
        check(f"signed only: the card's code, {what}, is good once, and erased", "was taken from this card before" in said and not os.path.exists(
            f"{twin.place}/data/vigil/core/first-secrets") and set(twin.read("boot/provision/first-secrets")) == {0}, said)
        open(f"{twin.place}/data/vigil/core/first-secrets", "wb").close()
    for use, role in [("person", "technician"), ("person", "technicianReadOnly"), ("place", "wearer")]:
        one = operator.card(500, signed_only=True, first=FIRST.replace(b"7H2K", b"KKKK"), use=use)
        third = twin.copy()
        third.put({**one, "first-secrets": json.dumps({role: json.loads(one["first-secrets"])["wearer"]}).encode()})
        _, said = third.start()
        check(f"signed only: the code of a {use}'s card for the role {role} is not taken", "provision/ is taken" in said and "names another role" in said
              and b"KKKK" not in (third.read("data/vigil/core/first-secrets") or b""), said)
        shutil.rmtree(third.place)
    shutil.rmtree(twin.place)

    # Keys of the image: no card can name others.
    image = {"operator/fleet.pem": operator.public}
    for what, files, share, word in [
            ("its operator's card", operator.card(100), image, None), ("another operator's card", by_stranger, image, "another key has signed"),
            ("a card by hand", FILES, image, None), ("a card by hand, and told to take signed ones only", FILES, {**image, "operator/signed-cards-only": b""}, "takes signed cards only"),
            ("no key, and told to take signed ones only", {name: content for name, content in operator.card(1).items() if name != "operator.pem"},
             {"operator/signed-cards-only": b""}, "vigil.json names this key")]:
        other = Board(scratch, files)
        _, said = other.start(share=share)
        check(f"keys in the image, {what}: {'not ' if word else ''}taken", ("provision/ is taken" in said) != bool(word) and (word or "provision/ is taken") in said, said)
        shutil.rmtree(other.place)
    nobody = operator.card(100, changes={"vigil.json": b"{}"})
    other = Board(scratch, nobody)
    _, said = other.start()
    check("a signed card without any key: taken as a card by hand, and it is said", "provision/ is taken" in said and "it is not verified" in said, said)
    shutil.rmtree(other.place)

    # What nobody verified, and what another fleet signed, shuts out no card: neither by its number nor by its board.
    for what, first, share in [
            ("a card that nobody verified", stranger.card(4_000_000_000, serial="vg-0000-00000", changes={"vigil.json": b"{}"}), {}),
            ("another fleet's card", stranger.card(4_000_000_000, serial="vg-0000-00000"), image)]:
        other = Board(scratch, first)
        other.start()
        took = (other.read("data/provision/device.json") or b"") == first["device.json"]
        other.put({**operator.card(100), "first-secrets": bytes(len(FIRST)), "enrolment-claim": bytes(len(CLAIM))})
        _, said = other.start(share=share)
        check(f"after {what} with a number of the year 2096: its fleet's card is taken", took and "provision/ is taken" in said
              and other.read("data/provision/device.json") == other.read("boot/provision/device.json"), said)
        shutil.rmtree(other.place)

    # The judge itself is killed or missing: nobody has verified the card.
    twin = board.copy()
    twin.put({**next_one, "first-secrets": bytes(len(FIRST)), "enrolment-claim": bytes(len(CLAIM))})
    names, _ = twin.copy().start()
    for cut in drawn(names, step):
        other = twin.copy()
        other.start(cut=cut)
        other.put({"device.sig": b"", "first-secrets": bytes(len(FIRST))})
        _, said = other.start()
        whole_ones = [json.loads(other.read("data/provision/device.json"))["issued"], (other.read("run/vigil-provision/ports.nft") or b"").split(b"{ ")[1].split(b" ")[0]]
        check(f"signed, cut {cut} ({names[cut - 1]}): one of two cards holds, whole", whole_ones in ([100, b"8443"], [200, b"443"]), (whole_ones, said))
        shutil.rmtree(other.place)
    shutil.rmtree(twin.place)
    shutil.rmtree(board.place)


def drawn(names, step):
    """Before which programs power goes: one in `step`, and always those that move, remove or overwrite."""
    return [number for number, name in enumerate(names, 1) if number % step == 0 or name in ("mv", "rm", "dd")]


def replaced(scratch, step):
    """Power goes while a card is taken, and the next one cannot be used: the one before or the cut one is in force, whole."""
    former = {"vigil.json": FILES["vigil.json"], "grants.json": FILES["grants.json"], "ports": b"8443\n"}
    new = {"vigil.json": b'{"profile": "kiosk"}\n', "grants.json": b'{ "plugins": {} }\n', "ports": b"443\n"}
    count = 0
    for what, files in [("a first card", None), ("a second card", former)]:
        board = Board(scratch, files or {"vigil.json": b"{"})
        board.start()
        before = board.in_force()
        board.put(new)
        twin = board.copy()
        names, said = twin.start()
        after = twin.in_force()
        check(f"{what} is taken", "provision/ is taken" in said and after[0] == new["vigil.json"] and after != before, said)
        for cut in drawn(names, step):
            twin = board.copy()
            twin.start(cut=cut)
            twin.put({"vigil.json": b"{", "grants.json": b"{}", "ports": b"22\n"})
            _, said = twin.start()
            check(f"{what}, cut {cut} ({names[cut - 1]}): one of two is in force", twin.in_force() in (before, after), (twin.in_force(), said))
            left = {"provision.new", "provision.old", "provision.sum.new"} & set(os.listdir(f"{twin.place}/data"))
            check(f"{what}, cut {cut} ({names[cut - 1]}): nothing is left of the others", not left, left)
            shutil.rmtree(twin.place)
            count += 1
    return count


def cuts(scratch, names, step):
    for cut in drawn(names, step):
        for tear in (False, True) if names[cut - 1] == "dd" else (False,):
            board = Board(scratch)
            board.start(cut=cut, tear=tear)
            card, target = board.read("boot/provision/first-secrets"), board.read(f"data/{TARGETS['first-secrets']}")
            check(f"cut {cut} ({names[cut - 1]}): the secret is on the card or on the board", FIRST in (card, target), (card, target))
            board.start()
            is_settled(board, f"cut {cut} ({names[cut - 1]}{', torn' if tear else ''})")
            shutil.rmtree(board.place)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("test-provision.py: run it as root: it mounts folders in a namespace of its own")
    if not os.access(VIGIL, os.X_OK):
        sys.exit(f"test-provision.py: there is no {VIGIL}; build it first, or say where the executables are")
    # Places to mount on, in everybody's view; what is mounted there is not.
    ours = [place for place in ["/data", "/usr/share/vigil"] if not os.path.exists(place)]
    for place in ours:
        os.mkdir(place)
    with tempfile.TemporaryDirectory() as scratch:
        names = whole(scratch)
        named(scratch)
        wireless(scratch)
        names_of_networks(scratch)
        handed_over(scratch, STEP)
        stubborn(scratch)
        in_memory(scratch)
        grants(scratch, STEP)
        networks(scratch, STEP)
        odd(scratch)
        unusable(scratch)
        usable(scratch)
        signed(scratch, STEP)
        cuts(scratch, names, STEP)
        count = replaced(scratch, STEP)
    for place in ours:
        os.rmdir(place)
    print(f"{len(names)} programs in one start, and {count} cuts while a card is taken; cut before {'each' if STEP == 1 else f'one in {STEP}'}, and in the "
          "middle of overwriting")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
