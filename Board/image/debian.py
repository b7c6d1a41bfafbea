# SPDX-License-Identifier: Apache-2.0
"""Packages of Debian 13, from the mirrors that apt of this machine is set to use."""
import os
import shutil

from steps import Failure, run

SUITE = "trixie"
HERE = os.path.dirname(os.path.abspath(__file__))
BINFMT = "/proc/sys/fs/binfmt_misc"
# No documentation and no translations on a board.
LEAVE_OUT = ["doc", "man", "info", "locale", "lintian", "bug", "bash-completion", "zsh"]


def sources(components, suite=SUITE):
    """Lines of sources.list: the suite, and its security fixes where it has some and this machine a mirror of those."""
    targets = run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)", "Created-By: Packages"]).splitlines()
    mirrors = sorted({line.split()[0] for line in targets if line.endswith(" Debian")})
    main = [mirror for mirror in mirrors if "security" not in mirror]
    if not main:
        raise Failure("apt has no Debian mirror here; run apt-get update")
    lines = [f"deb {main[0]} {suite} {' '.join(components)}"]
    if suite != "sid":
        lines += [f"deb {mirror} {suite}-security {' '.join(components)}" for mirror in mirrors if "security" in mirror][:1]
    return lines


def mmdebstrap(tree, architecture, variant, packages, components=("main",), options=(), environment=None, suite=SUITE,
               hint="is the Debian mirror within reach? apt-get update tells"):
    command = ["mmdebstrap", "--quiet", f"--variant={variant}", f"--architectures={architecture}", f"--include={','.join(packages)}"]
    # A frozen mirror's release file has expired; the packages are checked against its signature all the same.
    command += ["--aptopt=Acquire::Check-Valid-Until \"false\"", *options, suite, tree, *sources(components, suite)]
    run(command, hint, env={**os.environ, **(environment or {})})


def emulate(architecture):
    """Lets this machine's kernel start programs of the other architecture by itself, in QEMU: packages run some when they are installed.
    What systemd does on most machines at their start; it lasts until this machine is started anew."""
    name = {"arm64": "qemu-aarch64"}[architecture]
    registered, rule = f"{BINFMT}/{name}", f"/usr/lib/binfmt.d/{name}.conf"
    if not os.path.exists(f"{BINFMT}/register"):
        run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT], "this machine's kernel cannot start programs of another architecture")
    if not os.path.exists(registered):
        if not os.path.exists(rule):
            raise Failure("QEMU for programs of another architecture is not installed; run Tools/setup.sh image")
        with open(rule) as file, open(f"{BINFMT}/register", "w") as register:
            register.write(next(line.strip() for line in file if line.startswith(":")))


def merged_links(tree):
    """What Debian's base-files would make: /bin is /usr/bin. Unpacked packages alone do not have it."""
    for name in ["bin", "sbin", "lib", "lib64"]:
        if os.path.isdir(f"{tree}/usr/{name}") and not os.path.lexists(f"{tree}/{name}"):
            os.symlink(f"usr/{name}", f"{tree}/{name}")


def sysroot(tree, architecture):
    """Headers and libraries to build against, kept until the list of packages changes; a half-made one is never found there."""
    packages = "libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-14-dev libstdc++6 libstdc++-14-dev zlib1g-dev libbluetooth-dev libmbedtls-dev \
        libsqlite3-dev libmicrohttpd-dev libcurl4-openssl-dev libmosquitto-dev libqrencode-dev libseccomp-dev libzip-dev".split()
    made_of = f"{tree}/packages"
    if os.path.isfile(made_of):
        with open(made_of) as file:
            if file.read().split() == packages:
                return
    # One of other packages, or of an older builder, which did not say of which.
    shutil.rmtree(tree, ignore_errors=True)
    shutil.rmtree(f"{tree}.new", ignore_errors=True)
    os.makedirs(os.path.dirname(tree), exist_ok=True)
    mmdebstrap(f"{tree}.new", architecture, "extract", packages)
    merged_links(f"{tree}.new")
    with open(f"{tree}.new/packages", "w") as file:
        print(*packages, sep="\n", file=file)
    os.rename(f"{tree}.new", tree)
