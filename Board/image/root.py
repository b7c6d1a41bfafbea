# SPDX-License-Identifier: Apache-2.0
"""The root file system: Debian's packages, the kernel's modules that a board needs, the executables, and how they are started."""
import glob
import json
import lzma
import os
import re
import shutil

import debian
import loaders
from steps import Failure, run

# Where the licences of firmware are.
LICENCES = "usr/share/vigil/licences"
HERE = os.path.dirname(os.path.abspath(__file__))
# What every board has beside Debian's essential packages: the system's manager and what it needs, the executables' libraries, the firewall,
# memory that is compressed, the operator's way in, and busybox for the start.
PACKAGES = """systemd-sysv udev systemd-resolved systemd-timesyncd systemd-repart systemd-zram-generator kmod nftables e2fsprogs util-linux
    busybox-static dropbear-bin ca-certificates libcurl4t64 libmbedcrypto16 libmicrohttpd12t64 libmosquitto1 libqrencode4 libseccomp2 libsqlite3-0 libstdc++6
    libzip5""".split()
MASKED = """getty@.service serial-getty@.service console-getty.service container-getty@.service autovt@.service debug-shell.service
    rescue.service systemd-logind.service systemd-random-seed.service systemd-update-done.service systemd-pstore.service
    systemd-machine-id-commit.service e2scrub_reap.service e2scrub_all.timer fstrim.timer dpkg-db-backup.timer apt-daily.timer
    systemd-hibernate-clear.service dbus.service dbus.socket systemd-repart.service proc-sys-fs-binfmt_misc.automount""".split()
ENABLED = {
    "timers.target": ["vigil-name-end.timer"],
    "sysinit.target": ["vigil-provision.service", "nftables.service", "systemd-resolved.service", "systemd-timesyncd.service"],
    "local-fs.target": ["vigil-storage.service"],
    "multi-user.target": ["vigil.service", "vigil-attach.service", "vigil-ssh.service", "systemd-networkd.service"],
    "sockets.target": ["systemd-networkd.socket"],
}
# For boards whose file has `wifi`, and no others: who joins a network (docs/decisions/0060-joining-by-iwd.md), by which libraries, and what each country
# allows a radio. iwd's own console and settings are left out.
WIRELESS_FILES = {
    "iwd": ["usr/libexec/iwd"], "libell0": ["usr/lib/*/libell.so.0"],
    "wireless-regdb": ["usr/lib/firmware/regulatory.db-debian", "usr/lib/firmware/regulatory.db.p7s-debian"],
}
# What of the kernel's cryptography iwd calls, and mac80211 and cfg80211 need.
WIRELESS_MODULES = "cfg80211 algif_hash algif_skcipher ecb cbc cmac ccm des_generic".split()
# For boards whose file names lights, buzzer or button, and no others: the one device besides /dev/null and its like that the supervisor opens
# (docs/decisions/0025). It hands out lines; whom it starts sees no device.
LINES = """# SPDX-License-Identifier: Apache-2.0
[Service]
PrivateDevices=no
DevicePolicy=closed
DeviceAllow=char-gpiochip rw
"""
# What every installation makes differently, or nobody reads on a board.
REMOVED = """var/cache/* var/log/* var/lib/apt var/lib/systemd var/lib/dpkg var/tmp/* tmp/* run/* boot/* etc/machine-id etc/hostname
    etc/resolv.conf etc/.pwd.lock etc/passwd- etc/shadow- etc/group- etc/gshadow- etc/subuid- etc/subgid- etc/apt etc/dpkg etc/cron.d
    etc/cron.daily etc/logrotate.d usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/lintian usr/share/bug
    usr/share/bash-completion usr/share/zsh usr/share/polkit-1 usr/share/common-licenses usr/share/menu usr/share/perl5 usr/share/debconf
    usr/lib/udev/hwdb.d usr/include usr/share/pixmaps usr/share/doc-base usr/share/gcc usr/share/gdb""".split()


def assemble(board, tree, kernel, packages_out):
    """Debian's packages in `tree`; those that are only unpacked under `kernel`, a folder for each. Returns what dpkg says is there."""
    partial = {**loaders.PACKAGES[board["boot"]], **files_of(board)}
    os.makedirs(kernel)
    options = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in debian.LEAVE_OUT] + [f"--customize-hook={HERE}/fetch \"$1\""]
    environment = {"VIGIL_FETCH": " ".join([board["kernel"]["package"], *partial]), "VIGIL_FETCH_FOLDER": kernel}
    debian.mmdebstrap(tree, board["architecture"], "essential", PACKAGES + board.get("packages", []), board.get("components", ["main"]), options,
                      environment)
    listed = run(["dpkg-query", f"--admindir={tree}/var/lib/dpkg", "-W", "-f",
                  "${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Maintainer}\t${Installed-Size}\n"])
    installed = [line.split("\t") for line in listed.splitlines()]
    taken = []
    for file in sorted(glob.glob(f"{kernel}/*.deb")):
        fields = run(["dpkg-deb", "--show", "--showformat=${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t"
                      "${Maintainer}\t${Installed-Size}\n", file]).rstrip("\n").split("\t")
        folder = "kernel" if fields[0].startswith("linux-image-") else fields[0]
        run(["dpkg-deb", "-x", file, f"{kernel}/{folder}"])
        os.remove(file)
        taken.append(fields)
    for package, patterns in partial.items():
        for pattern in patterns:
            found = glob.glob(f"{kernel}/{package}/{pattern}")
            if not found:
                raise Failure(f"{package} has no {pattern}")
            for path in found:
                inside = os.path.relpath(path, f"{kernel}/{package}")
                if package in loaders.PACKAGES[board["boot"]]:
                    continue
                os.makedirs(os.path.dirname(f"{tree}/{inside}"), exist_ok=True)
                shutil.copy2(path, f"{tree}/{inside}")
        # Firmware may be given on with its licence only.
        if any(pattern.startswith("usr/lib/firmware/") for pattern in patterns):
            os.makedirs(f"{tree}/{LICENCES}", exist_ok=True)
            shutil.copy2(f"{kernel}/{package}/usr/share/doc/{package}/copyright", f"{tree}/{LICENCES}/{package}")
    with open(packages_out, "w") as file:
        json.dump({"installed": installed, "partial": taken}, file)
    return installed, taken


def files_of(board):
    """Packages of which only some files are taken."""
    wireless = {**WIRELESS_FILES, **board["wifi"].get("files", {})} if "wifi" in board else {}
    return {**board.get("files", {}), **wireless}


def modules(board, tree, kernel):
    """Puts the modules the board names, and what they need, into the root file system, not compressed each by itself: squashfs does that better.
    Returns the kernel's release and the files to load at the start, in order."""
    base = f"{kernel}/kernel"
    if not os.path.lexists(f"{base}/lib"):
        os.symlink("usr/lib", f"{base}/lib")
    release = os.listdir(f"{base}/usr/lib/modules")[0]
    source, target = f"{base}/usr/lib/modules/{release}", f"{tree}/usr/lib/modules/{release}"
    run(["depmod", "-b", base, release])
    needs, built_in = {}, set()
    with open(f"{source}/modules.dep") as file:
        for line in file:
            path, _, others = line.partition(":")
            needs[path] = others.split()
    with open(f"{source}/modules.builtin") as file:
        built_in = {name_of(line.strip()) for line in file}
    by_name = {name_of(path): path for path in needs}

    def wanted(name):
        if name.endswith("/"):
            found = [path for path in needs if path.startswith(f"kernel/{name}")]
        else:
            plain = name.replace("-", "_")
            if plain in built_in:
                return []
            found = [by_name[plain]] if plain in by_name else []
        if not found:
            raise Failure(f"the kernel {release} has no module {name}; correct the board's file")
        return found

    def with_needs(names):
        order = []
        for name in names:
            for path in wanted(name):
                # modules.dep lists what is to be loaded last first.
                order += [other for other in reversed(needs[path]) if other not in order]
                order += [path] if path not in order else []
        return order

    start = with_needs(board["kernel"]["start"])
    wireless = WIRELESS_MODULES + board["wifi"]["modules"] if "wifi" in board else []
    for path in dict.fromkeys(start + with_needs(board["kernel"]["modules"] + wireless)):
        place = f"{target}/{re.sub(r'[.](xz|zst)$', '', path)}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(f"{source}/{path}", "rb") as file:
            content = file.read()
        if path.endswith(".xz"):
            content = lzma.decompress(content)
        elif not path.endswith(".ko"):
            raise Failure(f"{path} is compressed in a way this script does not know")
        with open(place, "wb") as file:
            file.write(content)
    for name in ["modules.builtin", "modules.builtin.modinfo", "modules.order"]:
        shutil.copy2(f"{source}/{name}", f"{target}/{name}")
    run(["depmod", "-b", tree, release])
    return release, [f"{target}/{re.sub(r'[.](xz|zst)$', '', path)}" for path in start]


def name_of(path):
    return os.path.basename(path).split(".")[0].replace("-", "_")


def check_libraries(tree, executables):
    """Every library that an executable names has to be there: a board that cannot start its programs says only 127."""
    there = {os.path.basename(path) for path in glob.glob(f"{tree}/usr/lib/*/*.so*") + glob.glob(f"{tree}/usr/lib64/*")}
    for program in sorted(f"{executables}/{name}" for name in os.listdir(executables)) + glob.glob(f"{tree}/usr/libexec/iwd"):
        needed = re.findall(r"^ +NEEDED +(\S+)", run(["objdump", "-p", program]), re.M)
        lacking = [name for name in needed if name not in there]
        if lacking or not needed:
            raise Failure(f"{os.path.basename(program)} needs {', '.join(lacking) or 'nothing, which cannot be'}; add its package to PACKAGES in root.py")


def furnish(board, tree, repository, executables, epoch):
    """Everything of ours: executables, units, settings, plugins; and away with what no board needs."""
    for pattern in REMOVED:
        for path in glob.glob(f"{tree}/{pattern}"):
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    shutil.copytree(f"{HERE}/root", tree, dirs_exist_ok=True, symlinks=True)
    for program in os.listdir(executables):
        shutil.copy2(f"{executables}/{program}", f"{tree}/usr/bin/{program}")
    check_libraries(tree, executables)
    for name in ["Sync", "Wake", "Diagnosis", "WebUI", "Indicator", "Venue", "Donation", "Enrolment"]:
        place = f"{tree}/usr/lib/vigil/plugins/{name.lower()}"
        os.makedirs(place)
        shutil.copy2(f"{repository}/Plugins/{name}/plugin.json", place)
        if os.path.isdir(f"{repository}/Plugins/{name}/texts"):
            shutil.copytree(f"{repository}/Plugins/{name}/texts", f"{place}/texts")
    units = f"{tree}/etc/systemd/system"
    for folder in glob.glob(f"{units}/*.wants"):
        shutil.rmtree(folder)
    for unit in MASKED:
        place = f"{units}/{unit}"
        if os.path.lexists(place):
            os.remove(place)
        os.symlink("/dev/null", place)
    for target, wanted in ENABLED.items():
        os.makedirs(f"{units}/{target}.wants", exist_ok=True)
        for unit in wanted:
            if not os.path.exists(f"{units}/{unit}") and not os.path.exists(f"{tree}/usr/lib/systemd/system/{unit}"):
                raise Failure(f"there is no unit {unit}")
            os.symlink(f"/etc/systemd/system/{unit}" if os.path.exists(f"{units}/{unit}") else f"/usr/lib/systemd/system/{unit}",
                       f"{units}/{target}.wants/{unit}")
    if not os.path.lexists(f"{units}/default.target"):
        os.symlink("/usr/lib/systemd/system/multi-user.target", f"{units}/default.target")
    share = f"{tree}/usr/share/vigil"
    os.makedirs(share, exist_ok=True)
    radio = board["radio"]
    write(f"{share}/board.env", f"TRANSPORT={radio['transport']}\n")
    write(f"{share}/board.json", json.dumps(board, indent=2) + "\n")
    # Public keys of a fleet's operator, NAME.pem, and the empty file signed-cards-only if no others are to be taken (docs/fleet.md).
    keys = os.environ.get("OPERATOR_KEYS")
    if keys:
        os.makedirs(f"{share}/operator")
        for name in sorted(os.listdir(keys)):
            if not name.endswith(".pem") and name != "signed-cards-only":
                raise Failure(f"OPERATOR_KEYS: {name} is no public key, which ends in .pem; only these and signed-cards-only may be in the folder")
            with open(f"{keys}/{name}", encoding="utf-8") as file:
                text = file.read()
            if "PRIVATE KEY" in text:
                raise Failure(f"OPERATOR_KEYS: {name} is a private key, which must not be in an image")
            write(f"{share}/operator/{name}", text)
    if "lines" in board.get("hardware", {}):
        os.makedirs(f"{units}/vigil.service.d")
        write(f"{units}/vigil.service.d/lines.conf", LINES)
    if "wifi" in board:
        furnish_wireless(board, tree)
    if "attach" in radio:
        write(f"{share}/attach.env", "".join(f"{name.upper()}={radio['attach'][name]}\n" for name in ["line", "protocol", "speed"]))
    os.makedirs(f"{tree}/etc/modules-load.d", exist_ok=True)
    write(f"{tree}/etc/modules-load.d/vigil.conf", "".join(f"{name}\n" for name in board["kernel"].get("load", [])))
    write(f"{tree}/etc/hostname", "vigil\n")
    write(f"{tree}/etc/hosts", "127.0.0.1 localhost vigil\n::1 localhost vigil\n")
    # Empty: a new one for every start, in memory.
    write(f"{tree}/etc/machine-id", "")
    # systemd lets no clock be earlier than this file.
    write(f"{tree}/usr/lib/clock-epoch", "")
    os.utime(f"{tree}/usr/lib/clock-epoch", (epoch, epoch))
    os.symlink("/run/systemd/resolve/resolv.conf", f"{tree}/etc/resolv.conf")
    for folder in ["data", "keys"]:
        os.makedirs(f"{tree}/{folder}")
    # No password for anybody. The day an account was made is the day of the build.
    with open(f"{tree}/etc/shadow") as file:
        shadow = re.sub(r"^([^:]*:[^:]*):[0-9]*:", r"\1:1:", re.sub(r"^root:[^:]*:", "root:*:", file.read(), flags=re.M), flags=re.M)
    write(f"{tree}/etc/shadow", shadow)
    unlocked = [line.split(":")[0] for line in shadow.splitlines() if line.split(":")[1][:1] not in ("!", "*")]
    if unlocked:
        raise Failure(f"accounts with a password: {', '.join(unlocked)}")


def furnish_wireless(board, tree):
    """A driver that no network is named for stays out of the kernel: vigil-wifi.service loads it (docs/image.md)."""
    os.makedirs(f"{tree}/etc/modprobe.d", exist_ok=True)
    write(f"{tree}/etc/modprobe.d/vigil-wifi.conf", "".join(f"blacklist {name}\n" for name in board["wifi"]["drivers"]))
    write(f"{tree}/usr/share/vigil/wifi.env", f"DRIVERS={' '.join(board['wifi']['drivers'])}\n")
    for name in ["regulatory.db", "regulatory.db.p7s"]:
        os.symlink(f"{name}-debian", f"{tree}/usr/lib/firmware/{name}")
    os.symlink("/etc/systemd/system/vigil-wifi.service", f"{tree}/etc/systemd/system/multi-user.target.wants/vigil-wifi.service")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def squash(tree, image, epoch):
    # Times newer than the variable would be the variable's, others as they are: all of them are to be the same.
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    run(["mksquashfs", tree, image, "-comp", "zstd", "-Xcompression-level", "19", "-b", "262144", "-noappend", "-no-xattrs", "-all-time", epoch,
         "-mkfs-time", epoch, "-no-progress", "-quiet"], env=environment)
