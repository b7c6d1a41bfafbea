# SPDX-License-Identifier: Apache-2.0
"""Builds the executables against Debian 13's libraries, with Swift inside, and strips them."""
import os
import platform
import re

import cross
from steps import Failure, run

PROGRAMS = ["vigil", "vigil-zip", "vigil-jail", "vigil-plugins"]
# Relocations are applied from a table a tenth as long.
LINK = ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]


def is_foreign(architecture):
    """Whether this machine cannot run what an image for that architecture has inside."""
    return {"amd64": "x86_64", "arm64": "aarch64"}[architecture] != platform.machine()


def swift(architecture):
    """The version of Swift whose library is in the executables for that architecture."""
    if is_foreign(architecture):
        return cross.pinned()["version"].partition("-")[0]
    said = run([os.environ.get("SWIFT", "swift"), "--version"])
    found = re.search(r"Swift version (\S+)", said)
    if not found:
        raise Failure(f"`swift --version` names no version: {said[:200]}")
    return found[1]


def judge(program, kept):
    """Debian 12's Mbed TLS is .so.7: this machine's headers and libraries must not have got into an executable."""
    said = run(["objdump", "-p", program])
    if "libmbedcrypto.so" in said and "libmbedcrypto.so.16" not in said:
        raise Failure(f"{program} was linked with this machine's libraries and not with Debian 13's; remove {kept} and try again")


def build(root, sysroot, output, architecture):
    """`root` is the repository; the executables come to `output`."""
    triplet = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[architecture]
    environment = {
        **os.environ, "PKG_CONFIG_SYSROOT_DIR": sysroot, "PKG_CONFIG_PATH": f"{sysroot}/usr/lib/{triplet}/pkgconfig:{sysroot}/usr/share/pkgconfig",
    }
    # -sysroot and not -sdk, with which the driver looks for Swift's own start code in there.
    flags = ["-Xswiftc", "-sysroot", "-Xswiftc", sysroot, "-Xcc", f"--sysroot={sysroot}", "-Xswiftc", "-use-ld=lld", *LINK]
    os.makedirs(output, exist_ok=True)
    for program in PROGRAMS:
        run([os.environ.get("SWIFT", "swift"), "build", "-c", "release", "--product", program, "--explicit-target-dependency-import-check", "error",
             "--scratch-path", ".build-trixie", "--static-swift-stdlib", *flags], cwd=root, env=environment)
        built = f"{root}/.build-trixie/release/{program}"
        judge(built, ".build-trixie")
        run(["strip", "-o", f"{output}/{program}", built])


def build_foreign(root, sysroot, compiler, work, output, architecture):
    cross.build(root, sysroot, compiler, work, output, architecture, PROGRAMS, LINK)
    for program in PROGRAMS:
        judge(f"{output}/{program}", work)
