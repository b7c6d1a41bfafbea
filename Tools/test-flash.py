#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes many cards at once with the real vigil-fleet onto loop devices: every refusal, cards that fail, a station that is killed at random, and how
fast it is beside dd and bmaptool.

Usage: test-flash.py [FOLDER] [--short] [--kills N] [--cards N] [--seed N]

FOLDER has the executable vigil-fleet (.build/debug). Needs root, loop devices, and `Tools/setup.sh image release`. --short is for CI: fewer cards, five
kills, a smaller image. The image is small and has the layout of ours; what it holds is random. Ends with "N passed, M failed".
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
tally = {"passed": 0, "failed": 0}
loops = {}


def check(name, good, detail=""):
    tally["passed" if good else "failed"] += 1
    print(f"{'ok  ' if good else 'FAIL'} {name}{'' if good or detail == '' else f': {detail}'}", flush=True)
    return good


def run(*words, expect=0, seconds=580, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=seconds, check=False, **options)
    if expect is not None and done.returncode != expect:
        raise SystemExit(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


# Loop devices. ---------------------------------------------------------------------------------------------------------

def attach(path, size=None):
    """A loop device over this file, which is made if `size` is given."""
    if size:
        with open(path, "wb") as file:
            file.truncate(size)
    for _ in range(20):
        name = run("losetup", "--find", expect=None).stdout.strip()
        number = int(re.sub(r"\D", "", name) or -1)
        if number >= 0 and not os.path.exists(name):
            os.mknod(name, 0o600 | stat.S_IFBLK, os.makedev(7, number))
        # Others on this machine may take it first.
        if number >= 0 and run("losetup", name, path, expect=None).returncode == 0:
            loops[name] = path
            return name
        time.sleep(0.05)
    return None


def detach(name):
    loops.pop(name, None)
    run("losetup", "-d", name, expect=None)


def wipe(path, name, size):
    """A new card in the place of the old one."""
    with open(path, "r+b") as file:
        file.truncate(0)
        file.truncate(size)
    run("blockdev", "--flushbufs", name)


def mark_of(path):
    """What the station calls this medium."""
    with open(path, "rb") as file:
        file.seek(MIB - 4096)
        return file.read(46)[14:].decode(errors="replace")


# An image of our layout. -----------------------------------------------------------------------------------------------

def make_image(work, mapped_mib, seed):
    """Boot partition with files, a root slot, and room for the rest, in the layout of Board/image/disk.py."""
    sys.path.insert(0, f"{ROOT}/Board/image")
    import disk
    draw = random.Random(seed)
    board = {"name": "flash-test", "boot": "efi", "partitions": {"boot": 40, "root": mapped_mib, "keys": 16, "data": 24},
             "kernel": {"arguments": []}}
    os.makedirs(f"{work}/boot/a")
    with open(f"{work}/boot/a/linux", "wb") as file:
        file.write(draw.randbytes(6 * MIB))
    disk.fat(f"{work}/boot", f"{work}/boot.img", 40, 1_700_000_000)
    with open(f"{work}/root.img", "wb") as file:
        # Half of it can be compressed, as of a real one little can.
        for _ in range(mapped_mib - 1):
            file.write(draw.randbytes(MIB * 9 // 10) + bytes(MIB - MIB * 9 // 10 - 1) + b"x")
    disk.write(board, f"{work}/boot.img", f"{work}/root.img", f"{work}/v.img")
    run("bmaptool", "--quiet", "create", f"{work}/v.img", "-o", f"{work}/v.bmap")
    run("zstd", "-q", "-3", f"{work}/v.img", "-o", f"{work}/v.img.zst")
    parts, size = disk.layout(board)
    places = {name: (start * MIB, mib * MIB) for name, _, start, mib in parts}
    return places, size * MIB


class Station:
    """Image, inventory and cards of one operator."""

    def __init__(self, work, program, boards, mapped_mib, seed):
        self.work, self.program, self.image = work, program, f"{work}/v.img.zst"
        self.places, self.size = make_image(work, mapped_mib, seed)
        self.ranges = [(int(a), int(b or a)) for a, b in re.findall(r"<Range [^>]*> *(\d+)(?:-(\d+))? *<", open(f"{work}/v.bmap").read())]
        self.mapped = sum(b - a + 1 for a, b in self.ranges) * 4096
        self.plan([f"board-{number:03}" for number in range(boards)])

    def plan(self, names, *more):
        with open(f"{self.work}/fleet.csv", "w") as file:
            file.write("name,use,language,network\n" + "".join(f"{name},person,en,192.168.1.{index % 200 + 10}/24 192.168.1.1 192.168.1.1\n"
                                                               for index, name in enumerate(names)))
        if not os.path.exists(f"{self.work}/key.pem"):
            run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{self.work}/key.pem")
            os.chmod(f"{self.work}/key.pem", 0o600)
        run(self.program, "plan", f"{self.work}/fleet.csv", "--inventory", f"{self.work}/fleet.sqlite", "--cards", f"{self.work}/cards",
            "--authority", "none", "--technician", "none", "--key", f"{self.work}/key.pem", *more)

    def words(self, *devices, image=None):
        return [self.program, "flash", image or self.image, "--inventory", f"{self.work}/fleet.sqlite", "--cards", f"{self.work}/cards", *devices]

    def flash(self, *devices, image=None, expect=0, laboratory=True):
        return run(*self.words(*devices, *(["--laboratory"] if laboratory else []), image=image), expect=expect)

    def inventory(self):
        return {board["serial"]: board for board in json.loads(run(self.program, "inventory", f"{self.work}/fleet.sqlite", "--json").stdout)}

    def events(self):
        with sqlite3.connect(f"{self.work}/fleet.sqlite") as base:
            return base.execute("SELECT serial, kind, detail FROM event ORDER BY sequence").fetchall()

    def written(self):
        return {serial for serial, board in self.inventory().items() if board["state"] == "cardWritten"}

    # A card as somebody else reads it: with mtools, and byte by byte. -----------------------------------------------

    def card(self, path):
        """The serial number of the board whose folder is on the card; None unless all of it is right."""
        image, changed = open(f"{self.work}/v.img", "rb"), open(path, "rb")
        boot_start, boot_size = self.places["boot"]
        with image, changed:
            for first, last in self.ranges:
                for block in range(first, last + 1, 256):
                    count = min(256, last - block + 1) * 4096
                    place = block * 4096
                    image.seek(place)
                    changed.seek(place)
                    want, have = image.read(count), changed.read(count)
                    if want == have or boot_start <= place < boot_start + boot_size:
                        continue
                    # The mark of the medium is in a sector that the image leaves free.
                    hole = MIB - 4096 - place
                    if 0 <= hole < count and want[:hole] == have[:hole] and want[hole + 512:] == have[hole + 512:]:
                        continue
                    return None
        boot = f"{path}@@{boot_start}"
        folder = tempfile.mkdtemp(dir=self.work)
        try:
            environment = {**os.environ, "MTOOLS_SKIP_CHECK": "1"}
            if run("mcopy", "-s", "-n", "-i", boot, "::/provision", folder, expect=None, env=environment).returncode != 0:
                return None
            if run("mcopy", "-s", "-n", "-i", boot, "::/a", folder, expect=None, env=environment).returncode != 0:
                return None
            if run("cmp", f"{folder}/a/linux", f"{self.work}/boot/a/linux", expect=None).returncode != 0:
                return None
            serial = json.load(open(f"{folder}/provision/device.json"))["serial"]
            same = run("diff", "-r", f"{folder}/provision", f"{self.work}/cards/{serial}/provision", expect=None).returncode == 0
            with open(f"{folder}/boot", "wb") as out, open(path, "rb") as disk:
                disk.seek(boot_start)
                out.write(disk.read(boot_size))
            sound = run("fsck.vfat", "-n", f"{folder}/boot", expect=None).returncode == 0
            return serial if same and sound else None
        finally:
            shutil.rmtree(folder)


def put_file(path, offset, name):
    """A file of a few bytes in the FAT volume at this place."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"a picture")
        file.flush()
        run("mcopy", "-i", f"{path}@@{offset}", file.name, f"::{name}")


def shop_card(path, size, kind):
    """A card as shops sell them, in a file: which file system, and where it begins."""
    start = 0 if kind.endswith("whole") else MIB
    with open(path, "wb") as file:
        file.truncate(size)
    if start:
        run("sfdisk", "--quiet", path, input=f"label: dos\nstart={start // 512}, type={7 if 'exfat' in kind else 'c'}\n")
    if "exfat" in kind:
        volume = f"{path}.volume"
        with open(volume, "wb") as file:
            file.truncate(size - start)
        run("mkfs.exfat", "-L", "NEW", volume)
        with open(volume, "rb") as file, open(path, "r+b") as card:
            card.seek(start)
            card.write(file.read())
        os.unlink(volume)
    else:
        run("mkfs.vfat", "-F", kind[3:5], "-n", "NEW", f"--offset={start // 512}", path, str((size - start) // 1024))
    return start


# Stories. --------------------------------------------------------------------------------------------------------------

def refusals(station, work):
    """Each reason, in its own sentence, and nothing written."""
    good = attach(f"{work}/r0", station.size + 4 * MIB)
    small = attach(f"{work}/r1", station.size - MIB)
    foreign = attach(f"{work}/r2", station.size + 4 * MIB)
    run("mkfs.vfat", foreign)
    put_file(f"{work}/r2", 0, "photo.jpg")
    before = {path: open(path, "rb").read(4 * MIB) for path in (f"{work}/r0", f"{work}/r1", f"{work}/r2")}
    mounted = attach(f"{work}/r3", station.size + 4 * MIB)
    run("mkfs.ext4", "-q", mounted)
    os.makedirs(f"{work}/mount")
    run("mount", mounted, f"{work}/mount")
    words = [
        ("a file", [f"{work}/r0"], "no block device"), ("no device", ["/dev/no-such-thing"], "no such device"), ("too small", [small], "MiB and the image needs"),
        ("twice", [good, good], "same device as"), ("foreign data", [foreign], "FAT"), ("mounted", [mounted], f"mounted at {work}/mount"),
    ]
    for name, devices, sentence in words:
        done = station.flash(good, *devices, expect=None) if name != "twice" else station.flash(*devices, expect=None)
        check(f"refused with its own sentence: {name}", done.returncode == 2 and sentence in done.stderr and "Nothing was written" in done.stderr,
              (done.returncode, done.stderr))
    done = station.flash(good, expect=None, laboratory=False)
    check("a loop device is refused outside of a laboratory", done.returncode == 2 and "--laboratory" in done.stderr, done.stderr)
    unit = open(f"{ROOT}/Provisioning/station/vigil-station@.service").read()
    batch = dict(line.split("=", 1) for line in open(f"{ROOT}/Provisioning/station/batch.env") if not line.startswith("#"))
    command = re.search(r"^ExecStart=/usr/bin/vigil-fleet (.*)$", unit, re.M)[1].replace("/dev/%I", good)
    for name in batch:
        command = command.replace(f"${{{name}}}", {"IMAGE": station.image, "INVENTORY": f"{work}/fleet.sqlite", "CARDS": f"{work}/cards"}[name])
    done = run(station.program, *command.split(), expect=None)
    check("the station's unit gives a command that is understood, and never --overwrite",
          done.returncode == 2 and "--laboratory" in done.stderr and "--overwrite" not in command and "$" not in command, (command, done.stderr))
    run("umount", f"{work}/mount")
    held = os.open(good, os.O_RDWR | os.O_EXCL)
    done = station.flash(good, expect=None)
    os.close(held)
    check("a device that another program holds is refused", done.returncode == 2 and "Another program holds it" in done.stderr, done.stderr)
    run("blockdev", "--setro", good)
    done = station.flash(good, expect=None)
    run("blockdev", "--setrw", good)
    check("a write-protected card is refused", done.returncode == 2 and "write-protected" in done.stderr, done.stderr)

    image = open(station.image, "rb").read()
    raw = f"{work}/v.img"
    texts = {"bmap": open(f"{work}/v.bmap").read()}
    cases = []
    for name in ("cut", "changed", "other"):
        os.makedirs(f"{work}/{name}")
        open(f"{work}/{name}/v.bmap", "w").write(texts["bmap"])
    open(f"{work}/cut/v.img.zst", "wb").write(image[:len(image) // 2])
    cases.append(("an image that was cut", f"{work}/cut/v.img.zst", "No card was touched"))
    run("cp", "--sparse=always", raw, f"{work}/changed/v.img")
    with open(f"{work}/changed/v.img", "r+b") as file:
        file.seek(station.places["root-a"][0] + 5 * MIB + 3)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    cases.append(("an image with one bit changed", f"{work}/changed/v.img", "have another checksum"))
    with open(f"{work}/other/v.img", "wb") as file:
        file.write(random.Random(5).randbytes(MIB))
        file.truncate(station.size)
    cases.append(("the map of another image", f"{work}/other/v.img", "not the one that the map is for"))
    run("cp", "--sparse=always", raw, f"{work}/cut/v.img")
    os.truncate(f"{work}/cut/v.img", station.size - MIB)
    cases.append(("an image without its end", f"{work}/cut/v.img", "was cut"))
    for name, path, sentence in cases:
        done = station.flash(good, image=path, expect=None)
        check(f"refused before any card is touched: {name}", done.returncode == 2 and sentence in done.stderr, (done.returncode, done.stderr))
    with open(f"{work}/changed/v.bmap", "a") as file:
        file.write(" ")
    done = station.flash(good, image=f"{work}/changed/v.img", expect=None)
    check("a map that was changed is refused", done.returncode == 2 and "own checksum" in done.stderr, done.stderr)
    dry = station.flash("--dry-run", "--json", good)
    cards = json.loads(dry.stdout)["cards"]
    check("--dry-run says which board would go where", len(cards) == 1 and cards[0]["name"] == "board-000" and cards[0]["state"] == "planned", dry.stdout)
    check("nothing of all that wrote a byte", all(open(path, "rb").read(4 * MIB) == was for path, was in before.items()) and not station.written())

    done = station.flash("--overwrite", foreign)
    check("--overwrite takes a card with foreign data", station.card(f"{work}/r2") in station.written(), done.stderr)
    was = open(f"{work}/r2", "rb").read()
    done = station.flash("--overwrite", foreign)
    check("a card that is written is left alone", "left alone" in done.stdout and open(f"{work}/r2", "rb").read() == was, done.stdout)
    # Somebody has had it, and has changed what the board starts.
    with open(f"{work}/r2", "r+b") as file:
        file.seek(station.places["root-a"][0] + 5 * MIB)
        file.write(b"changed")
    run("blockdev", "--flushbufs", foreign)
    done = station.flash(foreign)
    check("of a card that was written before it is said that nothing was read, and not that it is done",
          "nothing of it is read now" in done.stdout and "1 written before and not read now" in done.stdout and ": done" not in done.stdout, done.stdout)
    done = station.flash("--must-write", foreign, expect=None)
    check("where each card has to be written, as in a station, one that was written before fails", done.returncode == 1 and "nothing of it was read now" in done.stderr,
          (done.returncode, done.stderr))
    check("the station's unit wants each card written", "--must-write" in command, command)
    for name in (good, small, foreign, mounted):
        detach(name)


def new_cards(station, work):
    """What shops sell needs no --overwrite; what somebody has used does."""
    size = station.size + 64 * MIB
    for number, kind in enumerate(["fat32", "fat16", "exfat", "fat32-whole", "exfat-whole"]):
        path = f"{work}/n{number}"
        start = shop_card(path, size, kind)
        name = attach(path)
        done = station.flash("--dry-run", "--json", name, expect=None)
        check(f"a new card ({kind}) is taken for one", done.returncode == 0 and json.loads(done.stdout)["cards"][0]["state"] == "planned", done.stderr)
        if kind == "fat32":
            put_file(path, start, "photo.jpg")
            done = station.flash("--dry-run", name, expect=None)
            check("a card with a picture is not", done.returncode == 2 and "There is data on it" in done.stderr, done.stderr)
            run("mdel", "-i", f"{path}@@{start}", "::photo.jpg")
            done = station.flash("--dry-run", name, expect=None)
            check("nor one whose picture was deleted", done.returncode == 2 and "There is data on it" in done.stderr, done.stderr)
        elif kind == "exfat":
            station.flash(name)
            check("a new card is written without --overwrite", station.card(path) in station.written())
        detach(name)


def old_secrets(station, work):
    """What a used card had where the image leaves blocks out is gone where a new board would take it for its own."""
    path = f"{work}/old"
    name = attach(path, station.size + 8 * MIB)
    for part in ("keys", "data"):
        start, size = station.places[part]
        run("mkfs.ext4", "-q", "-F", "-E", f"offset={start}", name, f"{size // 1024}k")
    run("bmaptool", "--quiet", "copy", "--bmap", f"{work}/v.bmap", f"{work}/v.img.zst", name)
    start, size = station.places["keys"]
    seen = open(path, "rb", buffering=0)
    seen.seek(start)
    check("bmaptool leaves the keys of before on a card", seen.read(2048)[1080:1082] == b"\x53\xef", "which a new board would take for its own")
    done = station.flash(name, expect=None)
    check("a board that the inventory does not know is not written over", done.returncode == 2 and "does not know" in done.stderr, done.stderr)
    station.flash("--overwrite", name)
    seen.seek(start)
    gone = not any(seen.read(size))
    seen.seek(station.places["data"][0])
    check("a used card keeps no key and no file system of before", gone and not any(seen.read(MIB)))
    check("and has its board", station.card(path) in station.written())
    detach(name)


def failing_cards(station, work):
    """One card lies, one stops taking bytes in the middle: each has its sentence, and the others go on."""
    where = station.places["root-a"][0] + 3 * MIB
    # What lies in a file system in memory without room: the kernel refuses the bytes that are too many, wherever the station is then.
    os.makedirs(f"{work}/little", exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", f"{work}/little")
    try:
        for attempt in range(8):
            paths = [f"{work}/f{attempt}-0", f"{work}/f{attempt}-1", f"{work}/little/f{attempt}", f"{work}/f{attempt}-3"]
            names = [attach(path, station.size + 8 * MIB) for path in paths]
            stop = threading.Event()

            def lie(path=paths[1], stop=stop):
                # A medium that keeps other bytes than it gets.
                with open(path, "r+b") as file:
                    while not stop.is_set():
                        os.pwrite(file.fileno(), b"not what was written", where)

            liar = threading.Thread(target=lie)
            liar.start()
            done = station.flash(*names, expect=None)
            stop.set()
            liar.join()
            errors = done.stderr
            lines = {name: next((line for line in errors.splitlines() if f" {name}," in line), "") for name in names}
            written = station.written()
            boards = [station.card(path) in written for path in paths]
            for name in names:
                detach(name)
            # On a busy machine it may have been read back before the liar had its turn.
            if lines[names[1]]:
                break
            os.unlink(paths[2])
    finally:
        run("umount", f"{work}/little")
    check("a card that gives back other bytes is found out", "other bytes than were written" in lines[names[1]], (attempt, errors))
    check("a card that stops in the middle has its sentence", "stopped answering" in lines[names[2]], errors)
    check("the others go on", done.returncode == 1 and boards[0] and boards[3] and not lines[names[0]] + lines[names[3]], (done.returncode, errors))
    check("neither counts as written", not boards[1] and not boards[2], boards)


def swapped_cards(station, work):
    """Stopped in the middle, and the cards change readers: each gets its own board."""
    paths = [f"{work}/s{number}" for number in range(2)]
    names = [attach(path, station.size + 4 * MIB) for path in paths]
    begun, tries = [], 0
    for path, name in zip(paths, names):
        for _ in range(60):
            tries += 1
            process = subprocess.Popen(station.words(name, "--laboratory"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in process.stdout:
                if "writing the board's folder" in line:
                    process.kill()
            process.wait()
            last = {serial: (kind, detail) for serial, kind, detail in station.events()}
            mark = mark_of(path)
            board = [serial for serial, (kind, detail) in last.items() if kind == "cardWriting" and json.loads(detail)["medium"] == mark]
            if board:
                begun += board
                break
            # It was quicker than the signal: another card.
            wipe(path, name, station.size + 4 * MIB)
    for name in names:
        detach(name)
    names = [attach(paths[1]), attach(paths[0])]
    station.flash(*names)
    check("cards that changed readers get their own boards", [station.card(path) for path in paths] == begun and len(set(begun)) == 2, (begun, tries))
    copy = f"{work}/copy"
    shutil.copyfile(paths[0], copy)
    os.truncate(copy, station.size + 6 * MIB)
    copied = attach(copy)
    done = station.flash(copied, expect=None)
    check("a copy of a card is refused", done.returncode == 2 and "copy of the card" in done.stderr, done.stderr)
    for name in [*names, copied]:
        detach(name)


def two_commands(station, work):
    """Two commands on one inventory, as the slots of a station are: one looks at its card, waits, and meanwhile the other takes the board that was next."""
    for attempt in range(20):
        paths = [f"{work}/t{attempt}-{number}" for number in range(2)]
        names = [attach(path, station.size + 4 * MIB) for path in paths]
        first = json.loads(station.flash("--dry-run", "--json", names[0]).stdout)["cards"][0]["serial"]
        begun = len(station.events())
        process = subprocess.Popen(station.words(names[0], "--laboratory"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        # Otherwise it was quicker than the signal: other cards.
        is_early = len(station.events()) == begun
        quick = station.flash(names[1])
        process.send_signal(signal.SIGCONT)
        slow, errors = process.communicate()
        slow = said + slow
        for name in names:
            detach(name)
        if is_early:
            break
    boards = [station.card(path) for path in paths]
    check("two commands at once: each card has a board of its own, the second one the board that was next",
          is_early and process.returncode == 0 and None not in boards and boards[0] != boards[1] == first, (boards, first, errors))
    for name, board, other, output in [(names[0], boards[0], boards[1], slow), (names[1], boards[1], boards[0], quick.stdout)]:
        check("two commands at once: the text names the board that is on the card, and no other",
              f"{name}, {board} (" in output and re.search(f"^{name}, {board} .*: done$", output, re.M) and other not in output, output)
        before = [line for line in output.splitlines() if line.startswith(name) and line.endswith((": the card is empty", ": writing the image"))]
        check("two commands at once: no board is named before it is bound", 1 <= len(before) <= 2 and all("no board yet" in line for line in before), output)


def killed(station, work, count, kills, seed):
    """All cards at once, the station killed at random; then once more without."""
    draw = random.Random(seed)
    paths = [f"{work}/k{number}" for number in range(count)]
    names = [attach(path, station.size + 2 * MIB) for path in paths]
    if None in names:
        raise SystemExit("there are not enough loop devices")
    begin = time.monotonic()
    station_run = subprocess.Popen(station.words(*names, "--laboratory", "--dry-run"), stdout=subprocess.DEVNULL)
    station_run.wait()
    preparing = time.monotonic() - begin
    latest = preparing + 2.0
    hits, wrong, ended, looked = 0, 0, 0, {}
    while hits < kills and ended < kills:
        process = subprocess.Popen(station.words(*names, "--laboratory"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        wait = draw.uniform(preparing * 0.5, latest)
        try:
            process.wait(wait)
            ended += 1
            # How long it takes depends on the machine, and on how many cards are left.
            latest = max(preparing, latest * 0.7)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            hits += 1
            latest *= 1.2
        # What the journal calls written must be so at every moment.
        media = {json.loads(detail)["medium"]: serial for serial, kind, detail in station.events() if kind == "cardWritten"}
        for path in paths:
            mark = mark_of(path)
            changed = os.stat(path).st_mtime_ns
            if mark in media and looked.get(path) != (mark, changed):
                looked[path] = (mark, changed)
                wrong += station.card(path) != media[mark]
        if all(mark_of(path) in media for path in paths):
            # All are written: some are taken out, and empty ones put in.
            for number in draw.sample(range(count), max(2, count // 4)):
                wipe(paths[number], names[number], station.size + 2 * MIB)
    final = station.flash(*names)
    serials = [station.card(path) for path in paths]
    check(f"{count} cards at once, killed {hits} times: the journal never called a card written that was not", wrong == 0, f"{wrong} wrong, {ended} ended first")
    check("each card is whole in the end", None not in serials, final.stderr)
    check("the journal says so", set(serials) <= station.written(), (serials, final.stderr))
    check("no board is on two cards", len(set(serials)) == count)
    media = {}
    for serial, kind, detail in station.events():
        if kind in ("cardWriting", "cardWritten"):
            media.setdefault(serial, set()).add(json.loads(detail)["medium"])
    check("no board was ever begun on two media", all(len(marks) == 1 for marks in media.values()))
    for name in names:
        detach(name)
    for path in paths:
        os.unlink(path)


def speed(station, work, count):
    """Mapped bytes in a second before they are read back, against dd and bmaptool, in one run."""
    results, rounds = {}, 3
    data = f"{work}/mapped"
    with open(data, "wb") as out, open(f"{work}/v.img", "rb") as image:
        for first, last in station.ranges:
            image.seek(first * 4096)
            out.write(image.read((last - first + 1) * 4096))
    paths = [f"{work}/p{number}" for number in range(count)]

    def together(commands):
        begin = time.monotonic()
        processes = [subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for words in commands]
        if any(process.wait() for process in processes):
            raise SystemExit(f"{commands[0]} failed")
        return time.monotonic() - begin

    def fresh(kind):
        names = [attach(path, station.size + 2 * MIB) for path in paths]
        run("sync")
        if kind == "dd, one after the other":
            seconds = sum(together([["dd", f"if={data}", f"of={name}", "bs=1M", "conv=fsync", "oflag=direct"]]) for name in names)
        elif kind == "dd, all at once":
            seconds = together([["dd", f"if={data}", f"of={name}", "bs=1M", "conv=fsync", "oflag=direct"] for name in names])
        elif kind == "dd with the page cache, all at once":
            seconds = together([["dd", f"if={data}", f"of={name}", "bs=1M", "conv=fsync"] for name in names])
        elif kind == "bmaptool, all at once":
            seconds = together([["bmaptool", "--quiet", "copy", "--bmap", f"{work}/v.bmap", station.image, name] for name in names])
        else:
            begin = time.monotonic()
            process = subprocess.Popen(station.words(*names, "--laboratory", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            unpacked = next((time.monotonic() - begin for line in process.stderr if "writing the image" in line), 0)
            output = process.communicate()[0]
            if process.returncode != 0:
                raise SystemExit(output)
            seconds = json.loads(output)["milliseconds"] / 1000
            total = time.monotonic() - begin
            for what, more in [("unpacking included", unpacked + seconds), ("all of it, reading back included", total)]:
                results.setdefault(f"vigil-fleet, {what}", []).append(count * station.mapped / more / 1e6)
        for name in names:
            detach(name)
        for path in paths:
            os.unlink(path)
        results.setdefault(kind, []).append(count * station.mapped / seconds / 1e6)

    kinds = ["vigil-fleet", "dd, all at once", "dd with the page cache, all at once", "bmaptool, all at once", "dd, one after the other"]
    for turn in range(rounds):
        for kind in kinds if turn % 2 == 0 else reversed(kinds):
            fresh(kind)
    for kind, values in results.items():
        print(f"     {kind}: {', '.join(f'{value:.0f}' for value in values)} MB/s of {station.mapped / 1e6:.0f} MB, {count} cards")
    # The median of the rounds; of the ways of dd the fastest.
    middle = {kind: sorted(values)[rounds // 2] for kind, values in results.items()}
    dd = max(value for kind, value in middle.items() if kind.startswith("dd"))
    return middle["vigil-fleet"] / dd, middle["vigil-fleet"] / middle["bmaptool, all at once"]


def main():
    parser = argparse.ArgumentParser(description="Tests vigil-fleet flash.")
    parser.add_argument("folder", nargs="?", default=f"{ROOT}/.build/debug")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--cards", type=int)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--only")
    words = parser.parse_args()
    program = os.path.join(os.path.abspath(words.folder), "vigil-fleet")
    cards = words.cards or (4 if words.short else 20)
    kills = 5 if words.short and words.kills is None else 50 if words.kills is None else words.kills
    with tempfile.TemporaryDirectory(prefix="vigil-test-flash.") as work:
        probe = attach(f"{work}/probe", MIB) if os.geteuid() == 0 and shutil.which("losetup") else None
        if not probe:
            print("SKIPPED: there are no loop devices here, or this is not root. NOTHING OF vigil-fleet flash WAS TESTED.", flush=True)
            return
        detach(probe)
        try:
            os.environ["TMPDIR"] = work
            station = Station(work, program, 40 + 2 * cards + kills * max(2, cards // 4), 24, words.seed)
            stories = {
                "refusals": lambda: refusals(station, work), "new": lambda: new_cards(station, work), "old": lambda: old_secrets(station, work), "failing": lambda: failing_cards(station, work),
                "swapped": lambda: swapped_cards(station, work), "two": lambda: two_commands(station, work), "killed": lambda: killed(station, work, cards, kills, words.seed),
            }
            for name, story in stories.items():
                if not words.only or name in words.only.split(","):
                    story()
            # A short run would be no measurement.
            if "speed" in words.only.split(",") if words.only else not words.short:
                os.makedirs(f"{work}/speed")
                large = station if words.short else Station(f"{work}/speed", program, 4 * cards, 64, words.seed)
                dd, bmap = speed(large, f"{work}/speed" if large is not station else work, cards)
                said = f"{dd:.2f} of the fastest dd, {bmap:.2f} of bmaptool"
                check("as fast as dd (0.8) and as bmaptool (0.9)", dd >= 0.8 and bmap >= 0.9, said)
        finally:
            run("umount", f"{work}/mount", expect=None)
            for name in list(loops):
                detach(name)


if __name__ == "__main__":
    main()
    print(f"{tally['passed']} passed, {tally['failed']} failed")
    sys.exit(1 if tally["failed"] else 0)
