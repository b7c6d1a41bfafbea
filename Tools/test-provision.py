#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The image's first step with an operator's folder (Board/image/root/usr/lib/vigil/provision): what is taken, what is erased, and cuts in between.

Usage: test-provision.py [FOLDER-WITH-EXECUTABLES]      as root, for it mounts things in a namespace of its own; needs no disk. Ends with
"N passed, M failed".

The script itself runs, with folders in memory for /data, /run and the boot partition. Before each program that it starts, and in the middle of the
overwriting, it is killed with all it has started; then it runs again as after the next power-on. What a disk does with writes that were not flushed is
not shown here.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Board/image/root/usr/lib/vigil/provision")
VIGIL = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".build/release", "vigil"))
FIRST = b'{"wearer":"7H2K-9D3K-HT6W-4Q7P"}\n'
CLAIM = b"2MZX-9D3K-HT6W-0A1B\n"
FILES = {"vigil.json": b'{"profile": "token", "firstUser": 50000}\n', "grants.json": b'{"plugins": {}}\n', "ports": b"8443\nssh\n",
         "first-secrets": FIRST, "enrolment-claim": CLAIM}
TARGETS = {"first-secrets": "vigil/core/first-secrets", "enrolment-claim": "enrolment/enrolment-claim"}
PROGRAMS = ["cat", "chmod", "chown", "cp", "cut", "dd", "du", "find", "grep", "head", "mkdir", "mv", "rm", "sha256sum", "sort", "sync", "tr", "wc"]
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

    def start(self, cut=None, tear=False, writable=True):
        """One start of the board. `cut`: before which program power goes. Gives how many programs were started, and what was said."""
        shutil.rmtree(f"{self.place}/shims")
        os.makedirs(f"{self.place}/shims")
        for name in PROGRAMS:
            torn = f"""if [ {name} = dd ]; then for w in "$@"; do case $w in of=*) printf '\\0\\0\\0\\0\\0\\0' >"$T/head"; {shutil.which('dd')} if="$T/head" of="${{w#of=}}" conv=notrunc 2>/dev/null;; esac; done; fi"""
            self.shim(name, f"""n=$(($(read -r x <"$T/count"; echo "$x") + 1)); echo "$n" >"$T/count"
if [ "$n" = "$CUT" ]; then {torn if tear else ':'}; kill -9 0; fi
exec {shutil.which(name)} "$@" """)
        os.symlink(VIGIL, f"{self.place}/shims/vigil")
        self.shim("mount", f"""case "$4" in rw*) [ "$WRITABLE" = 1 ] || exit 32;; esac
for last in "$@"; do :; done
{shutil.which('mount')} --bind "$T/boot" "$last" || exit 1
case "$4" in ro*) {shutil.which('mount')} -o remount,bind,ro "$last";; esac""")
        with open(f"{self.place}/count", "w") as file:
            file.write("0\n")
        shutil.rmtree(f"{self.place}/run")
        os.makedirs(f"{self.place}/run/vigil-boot")
        with open(f"{self.place}/run/vigil-boot/disk", "w") as file:
            file.write("fake\n")
        os.makedirs(f"{self.place}/block/fake/fake1", exist_ok=True)
        with open(f"{self.place}/block/fake/fake1/uevent", "w") as file:
            file.write("PARTNAME=vigil-boot\n")
        inner = (f"mount --make-rprivate / && mkdir -p /data && mount --bind {self.place}/data /data && mount --bind {self.place}/run /run && "
                 f"mount --bind {self.place}/block /sys/class/block && PATH={self.place}/shims:$PATH exec setsid sh {SCRIPT}")
        done = subprocess.run(["unshare", "-m", "sh", "-c", inner], capture_output=True, text=True, check=False,
                              env={**os.environ, "T": self.place, "CUT": str(cut or 0), "WRITABLE": "1" if writable else "0"})
        return int(self.read("count") or 0), done.stdout + done.stderr

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
                with open(f"{folder}/{name}", "rb") as file:
                    if secret.strip() in file.read():
                        found.append(os.path.relpath(f"{folder}/{name}", self.place))
        return sorted(found)


def is_settled(board, what):
    """All of it taken, once, and nothing secret left but where it is to be."""
    for name, secret in [("first-secrets", FIRST), ("enrolment-claim", CLAIM)]:
        target = f"data/{TARGETS[name]}"
        check(f"{what}: {name} is where it is taken", board.read(target) == secret, board.read(target))
        check(f"{what}: {name} is nowhere else", board.everywhere(secret) == [target], board.everywhere(secret))
        check(f"{what}: {name} is zeros on the card", board.read(f"boot/provision/{name}") == bytes(len(secret)))
    check(f"{what}: the rest is taken", board.read("data/provision/vigil.json") == FILES["vigil.json"] and board.read("data/provision.sum"))
    check(f"{what}: the rest is on the card as before", board.read("boot/provision/vigil.json") == FILES["vigil.json"])
    check(f"{what}: settings are in force", board.read("run/vigil-provision/vigil.json") == FILES["vigil.json"])


def whole(scratch):
    board = Board(scratch)
    steps, said = board.start()
    is_settled(board, "one start")
    check("it says what was taken", "provision/ is taken" in said and "first-secrets is taken" in said, said)
    check("it never says a secret", FIRST.decode().strip() not in said and CLAIM.decode().strip() not in said)
    check("ports: numbers only", board.read("run/vigil-provision/ports.nft") == b"add element inet vigil open_tcp { 8443 }\n")
    for name, owner in [("first-secrets", 50000), ("enrolment-claim", 0)]:
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


def odd(scratch):
    board = Board(scratch, {"vigil.json": b"{}\n"})
    _, said = board.start()
    check("no secrets: the card is never written", "provision/ is taken" in said and not os.path.exists(f"{board.place}/data/enrolment"), said)
    board = Board(scratch, {**FILES, "large": bytes(5 << 20)})
    _, said = board.start()
    check("too large: nothing is taken, nothing erased", board.read("boot/provision/first-secrets") == FIRST and board.read("data/provision.sum") is None, said)


def unusable(scratch):
    """Cards that were pulled out while they were written, and mistakes: what was taken before holds, and no secret is lost."""
    key = b'{"verify": ["262-v1=/data/provision/key.pem"]}\n'
    tries = [("half of vigil.json", {"vigil.json": FILES["vigil.json"][:20]}, "vigil.json"),
             ("an empty vigil.json", {"vigil.json": b""}, "vigil.json"),
             ("a field that nobody knows", {"vigil.json": b'{"bluetooth": "hci:0"}'}, "bluetooth"),
             ("half of grants.json", {"grants.json": b'{"plugins": {'}, "grants.json"),
             ("a key that is not there", {"vigil.json": key}, "key.pem"),
             ("half of a key", {"vigil.json": key, "key.pem": b"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZI"}, "key.pem"),
             ("an authority that is not there", {"vigil.json": b'{"authorities": ["/data/provision/a.json"]}'}, "a.json"),
             ("vigil.json is missing", {"vigil.json": None}, "no vigil.json any more")]
    for what, files, word in tries:
        board = Board(scratch)
        board.start()
        new = FIRST.replace(b"7H2K", b"BBBB")
        board.put({"first-secrets": new, **{name: content for name, content in files.items() if content is not None}})
        for name in [name for name, content in files.items() if content is None]:
            os.remove(f"{board.place}/boot/provision/{name}")
        _, said = board.start()
        check(f"{what}: it says so", "not taken" in said and word in said, said)
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


def cuts(scratch, steps):
    for cut in range(1, steps + 1):
        for tear in (False, True):
            board = Board(scratch)
            board.start(cut=cut, tear=tear)
            card, target = board.read("boot/provision/first-secrets"), board.read(f"data/{TARGETS['first-secrets']}")
            check(f"cut {cut}: the secret is on the card or on the board", FIRST in (card, target), (card, target))
            board.start()
            is_settled(board, f"cut {cut}{' torn' if tear else ''}")
            shutil.rmtree(board.place)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("test-provision.py: run it as root: it mounts folders in a namespace of its own")
    if not os.access(VIGIL, os.X_OK):
        sys.exit(f"test-provision.py: there is no {VIGIL}; build it first, or say where the executables are")
    # A place to mount on, in everybody's view; what is mounted there is not.
    is_ours = not os.path.exists("/data")
    with tempfile.TemporaryDirectory() as scratch:
        count = whole(scratch)
        stubborn(scratch)
        odd(scratch)
        unusable(scratch)
        cuts(scratch, count)
    if is_ours:
        os.rmdir("/data")
    print(f"{count} programs in one start; cut before each, and in the middle of overwriting")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
