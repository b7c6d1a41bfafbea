#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the image for Raspberry Pi as its ROM and its loader do, and starts kernel, RAM disk and disk on QEMU's Pi 3. Ends with
"N passed, M failed".

Usage: test-pi-image.py [table] [files] [start]     all three if none is named

table   the old partition table alone has to lead to a FAT file system with all that config.txt names
files   in the root file system: firmware and modules for the boards' controllers, cards, networks and watchdogs
start   QEMU's raspi3b, with the same device tree as a real one, as far as systemd and Vigil's unit: it has no Bluetooth, which Vigil has to say

What it does not show: that a Pi's own ROM and loader take it. Environment: IMAGE, a folder made by Board/image/build.py; PATIENCE, by how much
longer than usual to wait.
"""
import json
import os
import re
import struct
import subprocess
import sys
import time

WANTED = sys.argv[1:] or ["table", "files", "start"]
# boardkit takes the first argument for a folder with executables, of which this needs none.
sys.argv[1:] = []
import boardkit  # noqa: E402
from boardkit import FOLDER, ROOT, check, free_port, perform, read, run, until  # noqa: E402

BOARD = "raspberry-pi-arm64"
IMAGE = os.environ.get("IMAGE", f"{ROOT}/.build/images/{BOARD}")
DISK = f"{IMAGE}/disk.img"
PATIENCE = float(os.environ.get("PATIENCE", "1"))
SECTOR = 512
# Kinds of FAT partitions that the ROM looks into (Raspberry Pi documentation, "Boot sequence": the first FAT partition).
FAT_KINDS = {0x0B, 0x0C}
PROTECTIVE = 0xEE
SSH = ["-q", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=20"]


def old_table():
    """Kind, first sector and number of sectors of the four entries."""
    with open(DISK, "rb") as file:
        sector = file.read(SECTOR)
    check("the first sector ends as a partition table does", sector[510:] == b"\x55\xaa")
    return [(entry[4], *struct.unpack_from("<II", entry, 8)) for entry in (sector[446 + 16 * number:462 + 16 * number] for number in range(4))]


def boot(path):
    """A file of the boot partition, found by the old table."""
    return subprocess.run(["mtype", "-i", f"{DISK}@@{old_boot * SECTOR}", f"::{path}"], check=True, capture_output=True, timeout=60).stdout


def names():
    listed = run("mdir", "-b", "-/", "-i", f"{DISK}@@{old_boot * SECTOR}", "::")
    return {line.removeprefix("::/").rstrip("/") for line in listed.splitlines()}


def partition(name):
    for part in json.loads(run("sfdisk", "--json", DISK))["partitiontable"]["partitions"]:
        if part["name"] == name:
            return part["start"], part["size"]
    raise ValueError(f"the image has no partition {name}")


def table():
    entries = old_table()
    kind, start, size = entries[0]
    check("the first entry is a FAT partition", kind in FAT_KINDS, f"{kind:#04x}")
    check("and the same as the new table's boot partition", (start, size) == partition("vigil-boot"), f"sector {start}, {size} sectors")
    check("neither the first nor the second protects the new table", PROTECTIVE not in (entries[0][0], entries[1][0]))
    check("another one does, from sector 1, which is what Linux asks for", any(entry[0] == PROTECTIVE and entry[1] == 1 for entry in entries[2:]))
    with open(DISK, "rb") as file:
        file.seek(SECTOR)
        header = file.read(92)
    check("the new table is where loaders look for it", header[:8] == b"EFI PART" and struct.unpack_from("<Q", header, 72)[0] == 2)
    check("and leaves no room that would make Windows move it", struct.unpack_from("<Q", header, 40)[0] == 34, struct.unpack_from("<Q", header, 40)[0])
    with open(DISK, "rb") as file:
        file.seek(start * SECTOR)
        head = file.read(SECTOR)
    check("a FAT32 file system begins there", head[82:90] == b"FAT32   " and head[510:] == b"\x55\xaa")

    there = names()
    for name in ["bootcode.bin", "start.elf", "fixup.dat", "start4.elf", "fixup4.dat", "config.txt"]:
        check(f"{name} is there", name in there)
    settings = dict(line.split("=", 1) for line in boot("config.txt").decode().splitlines() if "=" in line and line[0] != "#")
    prefix = settings["os_prefix"]
    initramfs = re.search(r"^initramfs (\S+) followkernel$", boot("config.txt").decode(), re.M).group(1)
    kernel = boot(prefix + settings["kernel"])
    # Documentation/arch/arm64/booting.rst: a header of 64 bytes.
    check("the kernel is one of arm64 and not packed", kernel[56:60] == b"ARM\x64", f"{len(kernel) / 1e6:.1f} MB")
    check("the processor is switched to 64 bits", settings["arm_64bit"] == "1")
    check("the RAM disk is there, packed in a way the kernel knows", boot(prefix + initramfs)[:4] == b"\x28\xb5\x2f\xfd")
    line = boot(prefix + settings["cmdline"]).decode()
    check("the command line is one line and names the slot", line.count("\n") == 1 and "vigil.slot=a " in line, line.strip())
    for name in ["bcm2837-rpi-zero-2-w", "bcm2837-rpi-3-a-plus", "bcm2837-rpi-3-b", "bcm2837-rpi-3-b-plus", "bcm2711-rpi-4-b"]:
        tree = boot(f"{prefix}{name}.dtb")
        check(f"{name}: its device tree, with the controller on a serial line", tree[:4] == b"\xd0\x0d\xfe\xed" and b"brcm,bcm43438-bt\0" in tree)
    slot = sum(len(boot(name)) for name in there if name.startswith(prefix))
    rest = sum(len(boot(name)) for name in there if "/" not in name and "." in name)
    check("a second slot has room beside the first", 2 * slot + rest < 0.97 * size * SECTOR, f"{slot / 1e6:.1f} MB each")


def files():
    start, _ = partition("vigil-root-a")
    listed = {line.removeprefix("squashfs-root/") for line in run("unsquashfs", "-l", "-o", str(start * SECTOR), DISK).splitlines()}
    # What the kernel's driver asks for by the controller's revision (drivers/bluetooth/btbcm.c).
    for chip, boards in [("BCM43430A1", "3 B, Zero 2 W"), ("BCM43430B0", "Zero 2 W"), ("BCM4345C0", "3 A+, 3 B+, 4"), ("BCM4345C5", "later 4")]:
        check(f"{chip} ({boards}): its firmware", f"usr/lib/firmware/brcm/{chip}.hcd" in listed)
    # And what the driver of the radio asks for by its chip and the board's name in the device tree (drivers/net/wireless/broadcom/brcm80211/brcmfmac).
    for chip, boards in [("43430", ["3-model-b", "model-zero-2-w"]), ("43455", ["3-model-a-plus", "3-model-b-plus", "4-model-b"])]:
        wanted = [f"brcmfmac{chip}-sdio.{ending}" for ending in ["bin", "clm_blob", *(f"raspberrypi,{board}.txt" for board in boards)]]
        lacking = [name for name in wanted if f"usr/lib/firmware/brcm/{name}" not in listed]
        check(f"Wi-Fi {chip}: its firmware", not lacking, lacking)
    lacking = [path for path in ["usr/libexec/iwd", "usr/lib/firmware/regulatory.db", "usr/share/vigil/licences/firmware-brcm80211"] if path not in listed]
    check("Wi-Fi: who joins networks, the rules of each country, and the firmware's licence", not lacking, lacking)
    modules = {os.path.basename(path).removesuffix(".ko").replace("-", "_") for path in listed if path.endswith(".ko")}
    for what, needed in {
        "controller": ["hci_uart", "btbcm", "bluetooth"], "card of 3 and Zero 2 W": ["bcm2835"], "card of 4": ["sdhci_iproc", "fixed", "gpio_regulator"],
        "watchdog": ["bcm2835_wdt"], "random numbers": ["bcm2835_rng", "iproc_rng200"], "network of 3": ["dwc2", "phy_generic", "smsc95xx", "lan78xx"],
        "network of 4": ["genet", "broadcom"], "Wi-Fi": ["brcmfmac", "brcmfmac_cyw", "cfg80211", "algif_skcipher", "cmac"], "firewall": ["nf_tables", "nf_conntrack"], "file systems": ["squashfs", "ext4", "vfat"],
    }.items():
        check(f"modules for {what}", set(needed) <= modules, sorted(set(needed) - modules) or ", ".join(needed))


def start():
    disk, port = f"{FOLDER}/pi.img", free_port()
    run("cp", "--sparse=always", DISK, disk, seconds=300)
    # QEMU's card has a power of two.
    os.truncate(disk, 1 << 30)
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/ssh")
    os.makedirs(f"{FOLDER}/provision")
    boardkit.write("provision/vigil.json", json.dumps({"enable": True}))
    boardkit.write("provision/authorized_keys", read("ssh.pub"))
    run("mcopy", "-s", "-i", f"{disk}@@{old_boot * SECTOR}", f"{FOLDER}/provision", "::/", env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})
    run("mcopy", "-i", f"{disk}@@{old_boot * SECTOR}", "::a/bcm2837-rpi-3-b.dtb", f"{FOLDER}/tree")
    with open(f"{IMAGE}/command-line") as file:
        line = file.read().strip().replace("quiet loglevel=4 systemd.show_status=no", "loglevel=6 systemd.show_status=yes")
    began = time.monotonic()
    boardkit.start("pi", "qemu-system-aarch64", "-machine", "raspi3b", "-display", "none", "-serial", "null", "-serial", f"file:{FOLDER}/console",
                   "-drive", f"file={disk},format=raw,if=sd", "-kernel", f"{IMAGE}/linux", "-initrd", f"{IMAGE}/start.img", "-dtb", f"{FOLDER}/tree",
                   "-append", line, "-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{port}-:22", "-device", "usb-net,netdev=net")

    def ask(command, seconds=120):
        return run("ssh", *SSH, "-i", f"{FOLDER}/ssh", "-p", str(port), "root@127.0.0.1", command, seconds=seconds * PATIENCE)

    def says(text):
        return lambda: os.path.exists(f"{FOLDER}/console") and re.search(text, read("console"))

    for name, text in [("the kernel finds the card by its new table", r"mmcblk\d: p1 p2 p3 p4 p5"), ("systemd starts", r"systemd\[1\]: |Welcome to|Set hostname")]:
        check(name, until(says(text), 300 * PATIENCE, 1), f"{time.monotonic() - began:.0f} s")

    def is_up():
        try:
            return ask("systemctl is-system-running --wait || true").strip() in ("running", "degraded")
        except subprocess.SubprocessError:
            return False

    if not check("it can be logged in to, with the key from the card", until(is_up, 900 * PATIENCE, 2), f"{time.monotonic() - began:.0f} s"):
        print(read("console")[-3000:])
        return
    check("no unit failed", not ask("systemctl --failed --plain --no-legend").strip(), ask("systemctl --failed --plain --no-legend").strip())
    check("keys and data are on the card", ask("cat /run/vigil-storage/keys /run/vigil-storage/data").count("good") == 2)
    size = int(ask("cat /sys/class/block/$(basename $(findmnt -no SOURCE /data))/size")) * SECTOR
    check("the data partition has grown to the end of the card", size > 500 << 20, f"{size >> 20} MiB")
    with open(DISK, "rb") as old, open(disk, "rb") as new:
        check("and the old table is as it was", old.read(SECTOR) == new.read(SECTOR))
    check("Vigil runs", ask("systemctl is-active vigil || true").strip() == "active")
    print("     " + ask("vigil ctl || true").strip().replace("\n", "\n     "))
    print("     " + ask("uname -rm; tr -d '\\0' </sys/firmware/devicetree/base/model; echo; cat /sys/class/watchdog/watchdog0/identity || true").strip().replace("\n", "; "))


def main():
    if not os.path.exists(DISK):
        sys.exit(f"test-pi-image.py: there is no {DISK}; run make image BOARD={BOARD} first")
    parts = {"table": table, "files": files, "start": start}
    unknown = [name for name in WANTED if name not in parts]
    if unknown:
        sys.exit(f"test-pi-image.py: there is no part {', '.join(unknown)}; there are {', '.join(parts)}")
    for name in WANTED:
        print(f"== {name}", flush=True)
        parts[name]()


old_boot = None
if os.path.exists(DISK):
    with open(DISK, "rb") as first:
        old_boot = struct.unpack_from("<I", first.read(SECTOR), 446 + 8)[0]

if __name__ == "__main__":
    perform(main)
