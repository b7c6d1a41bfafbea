# SPDX-License-Identifier: Apache-2.0
"""Builds the executables for another processor than this machine's: with a compiler that Debian has for both, in a system of its own.

The compiler on PATH has no standard library for the other processor, and modules of another version are refused. Debian's unstable suite has a
compiler and a standard library of one version for both. cross.json says which: that suite moves on, and a compiler must not change unnoticed."""
import glob
import json
import os
import shutil

import debian
from steps import Failure, run

HERE = os.path.dirname(os.path.abspath(__file__))
TRIPLES = {"arm64": "aarch64-unknown-linux-gnu"}
SWIFT = "usr/libexec/swift"
# Of the standard library's folder; the rest of it is for the compiler itself.
PARTS = "Block CoreFoundation _FoundationCShims _foundation_unicode apinotes clang dispatch linux os shims swiftToCxx".split()


def pinned():
    with open(f"{HERE}/cross.json") as file:
        return json.load(file)


def compiler(folder, architecture):
    """A system with the compiler for this machine, and packages with the standard library for the other, once. 1.2 GB are fetched."""
    if os.path.isdir(folder):
        return
    if os.uname().machine != "x86_64":
        raise Failure(f"executables for {architecture} are built on a machine with an amd64 processor only, so far")
    pins = pinned()
    new = f"{folder}.new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    # swiftlang=VERSION: apt refuses another version. What is not in Debian's index with the pinned sum is refused by the hook.
    packages = ["libc6-dev", "g++", f"swiftlang={pins['version']}", f"libswiftlang={pins['version']}", "lld", "zlib1g-dev", "pkg-config", "git", "ca-certificates"]
    options = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in debian.LEAVE_OUT]
    options.append(f"--customize-hook={HERE}/fetch-library \"$1\"")
    environment = {
        "VIGIL_VERSION": pins["version"], "VIGIL_SUMS": " ".join(f"{name}={value}" for name, value in pins["packages"].items()),
        "VIGIL_FETCH": " ".join(name for name in pins["packages"] if name.endswith(f":{architecture}")),
    }
    debian.mmdebstrap(new, f"amd64,{architecture}", "minbase", packages, options=options, environment=environment, suite=pins["suite"],
                      hint=f"Debian {pins['suite']} may have moved on from Swift {pins['version']}: `version` and `packages` in Board/image/cross.json say which it is to be")
    os.rename(new, folder)


def library(folder, sysroot):
    """Puts the standard library into the sysroot: the compiler looks for its start code there and nowhere else."""
    if os.path.isdir(f"{sysroot}/usr/lib/swift_static"):
        return
    new = f"{sysroot}/swift.new"
    shutil.rmtree(new, ignore_errors=True)
    for package in glob.glob(f"{folder}/var/lib/vigil/*.deb"):
        run(["dpkg-deb", "-x", package, new])
    shutil.rmtree(f"{sysroot}/usr/lib/swift", ignore_errors=True)
    for part in PARTS:
        shutil.copytree(f"{new}/{SWIFT}/lib/swift/{part}", f"{sysroot}/usr/lib/swift/{part}", symlinks=True)
    os.makedirs(f"{sysroot}/usr/lib/clang", exist_ok=True)
    shutil.copytree(f"{new}/{SWIFT}/lib/clang", f"{sysroot}/usr/lib/clang", symlinks=True, dirs_exist_ok=True)
    os.rename(f"{new}/{SWIFT}/lib/swift_static", f"{sysroot}/usr/lib/swift_static")
    shutil.rmtree(new)


def describe(folder, architecture):
    """The description by which the package manager knows the sysroot as a Swift SDK (SE-0387)."""
    bundle = f"{folder}/sdks/vigil.artifactbundle"
    files = {
        "info.json": {"schemaVersion": "1.0", "artifacts": {"vigil": {"type": "swiftSDK", "version": pinned()["version"], "variants": [
            {"path": "sdk", "supportedTriples": ["x86_64-unknown-linux-gnu", "x86_64-pc-linux-gnu"]}]}}},
        "sdk/swift-sdk.json": {"schemaVersion": "4.0", "targetTriples": {TRIPLES[architecture]: {
            "sdkRootPath": "/sysroot", "swiftResourcesPath": "/sysroot/usr/lib/swift", "swiftStaticResourcesPath": "/sysroot/usr/lib/swift_static",
            "toolsetPaths": ["toolset.json"]}}},
        "sdk/toolset.json": {"schemaVersion": "1.0", "rootPath": f"/{SWIFT}/bin", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}},
    }
    for name, content in files.items():
        os.makedirs(os.path.dirname(f"{bundle}/{name}"), exist_ok=True)
        with open(f"{bundle}/{name}", "w") as file:
            json.dump(content, file, indent=2)


def packages(root, folder, scratch):
    """What the package depends on is fetched by this machine's Swift, which knows the ways there, and given to the other as copies on disk."""
    run([os.environ.get("SWIFT", "swift"), "package", "--scratch-path", scratch, "resolve"], cwd=root)
    with open(f"{root}/Package.resolved") as file:
        pins = json.load(file)["pins"]
    mirrors = []
    for pin in pins:
        found = glob.glob(f"{scratch}/repositories/{pin['identity']}-*")
        if len(found) != 1:
            raise Failure(f"{scratch}/repositories has not one copy of {pin['identity']}; remove {scratch} and try again")
        # A package is called as the end of its address.
        link = f"{scratch}/by-name/{pin['identity']}"
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.lexists(link):
            os.symlink(f"../repositories/{os.path.basename(found[0])}", link)
        mirrors.append({"original": pin["location"], "mirror": f"file:///packages/by-name/{pin['identity']}"})
    place = f"{folder}/root/.swiftpm/configuration"
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/mirrors.json", "w") as file:
        json.dump({"version": 1, "object": mirrors}, file)


def build(root, sysroot, folder, work, output, architecture, programs, flags):
    """`root` is the repository, of which nothing is written; `work` keeps what was compiled, so that the next time is short."""
    library(folder, sysroot)
    describe(folder, architecture)
    os.makedirs(f"{work}/build", exist_ok=True)
    packages(root, folder, f"{work}/packages")
    for place in ["src", "sysroot", "packages", "build", "output"]:
        os.makedirs(f"{folder}/{place}", exist_ok=True)
    os.makedirs(output, exist_ok=True)
    triplet = {"arm64": "aarch64-linux-gnu"}[architecture]
    # A Swift program without /proc loses its arguments. All of this is mounted where nobody else sees it, and gone with the shell.
    mounts = """set -eu
        mount --bind "$1" "$6/src" && mount -o remount,bind,ro "$6/src"
        mount --bind "$2" "$6/sysroot"; mount --bind "$3" "$6/packages"; mount --bind "$4" "$6/build"; mount --bind "$5" "$6/output"
        mount -t proc proc "$6/proc"; mount --rbind /dev "$6/dev"
        folder=$6; shift 6
        exec chroot "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@\""""
    inside = ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounts, "sh", root, sysroot, f"{work}/packages", f"{work}/build", output, folder,
              "PKG_CONFIG_SYSROOT_DIR=/sysroot", f"PKG_CONFIG_PATH=/sysroot/usr/lib/{triplet}/pkgconfig:/sysroot/usr/share/pkgconfig"]
    for program in programs:
        run([*inside, "sh", "-c", 'cd /src && exec "$@"', "sh", "swift", "build", "-c", "release", "--product", program,
             "--explicit-target-dependency-import-check", "error", "--scratch-path", "/build", "--force-resolved-versions", "--static-swift-stdlib",
             "--swift-sdks-path", "/sdks", "--swift-sdk", "vigil", *flags], seconds=4 * 3600)
        run([*inside, f"/{SWIFT}/bin/llvm-objcopy", "--strip-all", f"/build/{TRIPLES[architecture]}/release/{program}", f"/output/{program}"])
