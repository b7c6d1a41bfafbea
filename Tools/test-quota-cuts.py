#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power cuts while an older data partition is taught quotas and encryption, as the image does it (`teach` of Board/image/root/usr/lib/vigil/storage).

Usage: test-quota-cuts.py [FOLDER]      a folder in memory is quickest; needs strace, e2fsprogs, no disk and no rights. Ends with "N passed, M failed".

What the tools write is recorded call by call. For each cut, and for some of the orders in which a disk may have got the writes between two flushes,
the next start is made: checked as the image does, taught if it is not, checked in full. Then quotas and encryption have to be there, and every file as before.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

STORAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Board/image/root/usr/lib/vigil/storage")
SUBSETS = 6


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace")


def plain(text):
    return bytes.fromhex(text.replace("\\x", ""))


def teach_script():
    """The image's own function, not a copy of it."""
    with open(STORAGE) as file:
        return re.search(r"^teach\(\) \{\n.*?^\}\n", file.read(), re.M | re.S)[0]


def contents(image):
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    run("debugfs", "-R", "rdump /state out", image)
    if not os.path.isdir("out/state"):
        return {}
    return {name: open(f"out/state/{name}", "rb").read() for name in os.listdir("out/state")}


def make(image):
    os.makedirs("tree/state")
    for number in range(200):
        with open(f"tree/state/{number}", "wb") as file:
            file.write(random.randbytes(random.randrange(1, 60000)))
    run("truncate", "-s", "64M", image)
    assert run("mkfs.ext4", "-q", "-F", "-d", "tree", "-E", "lazy_itable_init=1,lazy_journal_init=1", image).returncode == 0
    # Folders indexed as the kernel would have made them: a check that has to do that first is not safe from cuts by itself.
    run("fsck.ext4", "-f", "-y", "-D", image)
    return contents(image)


def record(image):
    """What teaching writes to the file: (place, bytes) each, None where it is flushed."""
    done = run("strace", "-f", "-e", "trace=pwrite64,write,lseek,fsync,fdatasync,openat,close", "-xx", "-s", "20000000", "-o", "trace",
               "sh", "-c", f"{teach_script()}\nteach data {image}")
    assert done.returncode == 0, done.stderr
    writes, descriptor, place = [], None, 0
    with open("trace") as file:
        for line in file:
            call = re.match(r'\d+\s+(\w+)\((?:AT_FDCWD|(\d+))?(?:, )?(?:"((?:\\x..)*)")?(?:, )?(.*?)\)\s+= (-?\d+)', line)
            if not call:
                continue
            name, number, text, rest, result = call.groups()
            if name == "openat":
                if plain(text or "") == image.encode() and "O_RDWR" in rest:
                    descriptor, place = result, 0
            elif name in ("fsync", "fdatasync"):
                writes.append(None)
            elif number != descriptor:
                continue
            elif name == "close":
                descriptor = None
            elif name == "lseek":
                place = int(result)
            elif name == "pwrite64":
                writes.append((int(rest.split(", ")[1]), plain(text)))
            elif name == "write":
                writes.append((place, plain(text)))
                place += int(result)
    return writes


def apply(state, writes):
    for place, data in writes:
        state[place:place + len(data)] = data
    return state


def next_start(state, wanted):
    """Why the start after the cut is not what it should be; empty when it is."""
    with open("cut.img", "wb") as file:
        file.write(state)
    if run("blkid", "-p", "-s", "TYPE", "-o", "value", "cut.img").stdout.strip() != "ext4":
        return "it is no ext4 any more"
    if run("fsck.ext4", "-p", "cut.img").returncode > 1 and run("fsck.ext4", "-y", "cut.img").returncode > 1:
        return "it cannot be mended"
    run("sh", "-c", f"{teach_script()}\nteach data cut.img")
    taught = run("dumpe2fs", "-h", "cut.img").stdout
    if "User quota inode" not in taught or " encrypt " not in taught:
        return "it was not taught"
    if run("fsck.ext4", "-f", "-n", "cut.img").returncode != 0:
        return "it is not in order"
    return "" if contents("cut.img") == wanted else "files are not what they were"


def main():
    random.seed(1)
    os.chdir(tempfile.mkdtemp(dir=sys.argv[1] if len(sys.argv) > 1 else None))
    wanted = make("before.img")
    shutil.copy("before.img", "after.img")
    writes = record("after.img")
    before, after = (open(name, "rb").read() for name in ["before.img", "after.img"])
    if not wanted or bytes(apply(bytearray(before), filter(None, writes))) != after:
        sys.exit("what was recorded is not what was done: this would prove nothing")
    passed = failed = 0
    state, group = bytearray(before), []
    for number, write in enumerate([*writes, None]):
        trials = [(f"cut before write {number}", apply(bytearray(state), group))]
        if write is None:
            for subset in range(min(SUBSETS, 2 ** len(group))):
                some = [entry for entry in group if random.random() < 0.5]
                trials.append((f"flush {number}, order {subset}", apply(bytearray(state), some)))
            apply(state, group)
            group = []
        else:
            group.append(write)
        for label, cut in trials:
            why = next_start(cut, wanted)
            passed, failed = passed + (not why), failed + bool(why)
            if why:
                print(f"FAIL {label}: {why}")
    shutil.rmtree(os.getcwd())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
