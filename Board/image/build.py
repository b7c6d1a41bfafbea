#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a disk image for a board, from Debian's packages and this repository.

Usage: build.py BOARD [--output FOLDER] [--executables FOLDER]     needs root, because it makes another system's files

What comes out, in FOLDER (.build/images/BOARD): disk.img, and beside it linux, start.img and command-line for whoever starts the kernel
without the disk's loader, sbom.spdx.json, report.txt, packages.json. It is made in a temporary folder and put there at the end: a build that
fails leaves what was there before. --executables takes the four programs from a folder instead of building them.
SOURCE_DATE_EPOCH: the time in the image; that of the last commit if not given.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

import boards
import cross
import debian
import disk
import firmware
import loaders
import report
import root
import sbom
import start
from steps import Failure, Steps, run

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    parser = argparse.ArgumentParser(description="Makes a disk image for a board.")
    parser.add_argument("board", help=f"one of {', '.join(boards.names())}")
    parser.add_argument("--output")
    parser.add_argument("--executables")
    arguments = parser.parse_args()
    board = boards.load(arguments.board)
    if os.geteuid() != 0:
        raise Failure("this needs root, because it makes files of other users; try sudo")
    output = os.path.abspath(arguments.output or f"{REPOSITORY}/.build/images/{board['name']}")
    os.makedirs(os.path.dirname(output), exist_ok=True)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or run(["git", "-C", REPOSITORY, "log", "-1", "--format=%ct"]))
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    work = tempfile.mkdtemp(prefix=f".{board['name']}.", dir=os.path.dirname(output))
    try:
        os.chmod(work, 0o755)
        made = build(board, work, arguments.executables, epoch)
        old = f"{work}/old"
        if os.path.isdir(output):
            os.rename(output, old)
        os.rename(made, output)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with open(f"{output}/disk.img", "rb") as file:
        print(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {os.path.relpath(output)}/disk.img")


def build(board, work, executables, epoch):
    architecture, kept = board["architecture"], f"{REPOSITORY}/.build/image"
    foreign = firmware.is_foreign(architecture)
    steps = Steps(7 + (0 if executables else 2 + foreign))
    if foreign:
        debian.emulate(architecture)
    if executables is None:
        sysroot, executables = f"{kept}/sysroot-{architecture}", f"{kept}/executables-{architecture}"
        steps.step("Debian 13's headers and libraries", debian.sysroot, sysroot, architecture)
        if foreign:
            compiler = f"{kept}/compiler-{architecture}"
            steps.step("a compiler for the other processor, the first time 1.2 GB to fetch", cross.compiler, compiler, architecture)
            steps.step("executables, the first time half an hour", firmware.build_foreign, REPOSITORY, sysroot, compiler, f"{kept}/work-{architecture}",
                       executables, architecture)
        else:
            steps.step("executables, the first time a quarter of an hour", firmware.build, REPOSITORY, sysroot, executables, architecture)
    tree, kernel, made = f"{work}/root", f"{work}/kernel", f"{work}/made"
    os.makedirs(made)
    installed, partial = steps.step("Debian 13's packages", root.assemble, board, tree, kernel, f"{made}/packages.json")
    release, first = steps.step("modules of the kernel", root.modules, board, tree, kernel)

    def furnish():
        root.furnish(board, tree, REPOSITORY, executables, epoch)
        revision = run(["git", "-C", REPOSITORY, "describe", "--always", "--dirty"]).strip()
        with open(f"{REPOSITORY}/Package.swift", encoding="utf-8") as file:
            linked = sbom.libraries(file.read(), firmware.swift(architecture))
        sbom.write(board, installed, partial, linked, executables, f"{tree}/{root.LICENCES}", revision, epoch, f"{made}/sbom.spdx.json")
        shutil.copy(f"{made}/sbom.spdx.json", f"{tree}/usr/share/vigil/")

    steps.step("executables, units, settings", furnish)
    steps.step("initial RAM disk", start.make, tree, first, f"{made}/start.img", work)
    steps.step("root file system", root.squash, tree, f"{work}/root.squashfs", epoch)

    def write_disk():
        loaders.write(board, kernel, release, f"{made}/start.img", f"{work}/boot")
        disk.fat(f"{work}/boot", f"{work}/boot.fat", board["partitions"]["boot"], epoch)
        disk.write(board, f"{work}/boot.fat", f"{work}/root.squashfs", f"{made}/disk.img")
        shutil.copy(f"{work}/boot/a/linux", f"{made}/linux")
        with open(f"{made}/command-line", "w") as file:
            file.write(disk.command_line(board, "a") + "\n")

    steps.step("disk", write_disk)
    print(steps.step("report", report.write, board, tree, f"{work}/root.squashfs", f"{work}/boot", installed, executables, f"{made}/report.txt"))
    return made


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"build.py: {failure}")
    except subprocess.TimeoutExpired as failure:
        sys.exit(f"build.py: {failure.cmd[0]} did not end; is the mirror within reach?")
