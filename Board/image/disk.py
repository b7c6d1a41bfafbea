# SPDX-License-Identifier: Apache-2.0
"""The disk: a GUID partition table, the boot partition with what the machine starts first (loaders.py), root slot A, and room for the rest."""
import os
import struct
import time
import uuid

from steps import Failure, run

MIB = 1 << 20
FIRST = 1
# Kinds of partitions (UEFI; Discoverable Partitions Specification). Vigil's own, so that nobody mounts them by guessing.
ESP = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
ROOT = "7a1c64d8-9c0f-4a50-9d6c-5a0be7a7f007"
KEYS = "7a1c64d8-9c0f-4a50-9d6c-5a0be7a70ce5"
DATA = "7a1c64d8-9c0f-4a50-9d6c-5a0be7a7da7a"
NAMES = uuid.UUID("7a1c64d8-9c0f-4a50-9d6c-5a0be7a70000")


def layout(board):
    """Name, kind, first MiB and size in MiB of each partition."""
    sizes, start, result = board["partitions"], FIRST, []
    for name, kind, size in [
        ("boot", ESP, "boot"), ("root-a", ROOT, "root"), ("root-b", ROOT, "root"), ("keys", KEYS, "keys"), ("data", DATA, "data"),
    ]:
        result.append((name, kind, start, sizes[size]))
        start += sizes[size]
    return result, start + 1


def command_line(board, slot):
    words = [f"vigil.slot={slot}", "ro", "quiet", "loglevel=4", "systemd.show_status=no", "systemd.gpt_auto=no"]
    return " ".join(words + board["kernel"]["arguments"])


def fat(folder, output, mib, epoch):
    with open(output, "wb") as file:
        file.truncate(mib * MIB)
    run(["mkfs.vfat", "-F", "32", "-n", "VIGIL", "--invariant", output])
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC", "MTOOLS_SKIP_CHECK": "1"}
    for place, folders, files in sorted(os.walk(folder)):
        for name in sorted(folders + files):
            os.utime(f"{place}/{name}", (epoch, epoch))
    for name in sorted(os.listdir(folder)):
        run(["mcopy", "-s", "-m", "-i", output, f"{folder}/{name}", "::/"], env=environment)
    same_times(output, epoch)


def same_times(output, epoch):
    """mtools gives folders the time of now: every entry of every folder gets that of the build, in the file system itself (FAT32: Microsoft's
    specification 1.03)."""
    moment = time.gmtime(max(epoch, 315532800))
    date, clock = (moment.tm_year - 1980) << 9 | moment.tm_mon << 5 | moment.tm_mday, moment.tm_hour << 11 | moment.tm_min << 5 | moment.tm_sec // 2
    with open(output, "r+b") as file:
        head = file.read(512)
        sector, per_cluster, reserved, tables = struct.unpack_from("<HBHB", head, 11)
        table_size, root = struct.unpack_from("<I", head, 36)[0], struct.unpack_from("<I", head, 44)[0]
        file.seek(reserved * sector)
        table = file.read(table_size * sector)
        data, cluster_size = (reserved + tables * table_size) * sector, per_cluster * sector

        def walk(cluster):
            folders = []
            while 2 <= cluster < 0x0FFFFFF8:
                at = data + (cluster - 2) * cluster_size
                file.seek(at)
                content = bytearray(file.read(cluster_size))
                for entry in range(0, cluster_size, 32):
                    if content[entry] in (0, 0xE5) or content[entry + 11] == 0x0F:
                        continue
                    content[entry + 13] = 0
                    struct.pack_into("<HHH", content, entry + 14, clock, date, date)
                    struct.pack_into("<HH", content, entry + 22, clock, date)
                    first = struct.unpack_from("<H", content, entry + 20)[0] << 16 | struct.unpack_from("<H", content, entry + 26)[0]
                    if content[entry + 11] & 0x10 and content[entry] != 0x2E:
                        folders.append(first)
                file.seek(at)
                file.write(content)
                cluster = struct.unpack_from("<I", table, cluster * 4)[0] & 0x0FFFFFFF
            for folder in folders:
                walk(folder)

        walk(root)


def write(board, boot, root, output):
    parts, size = layout(board)
    if os.path.getsize(root) > board["partitions"]["root"] * MIB:
        raise Failure(f"the root file system has {os.path.getsize(root) / MIB:.1f} MiB, its partition {board['partitions']['root']}")
    with open(output, "wb") as file:
        file.truncate(size * MIB)
    lines = ["label: gpt", f"label-id: {uuid.uuid5(NAMES, board['name'])}"]
    if board["boot"] == "raspberry-pi":
        # Windows moves a table that leaves room before the first partition, and the Pi's loader does not find it again (raspberrypi/rpi-eeprom#585).
        lines.append("first-lba: 34")
    for name, kind, start, mib in parts:
        lines.append(f"start={start}MiB, size={mib}MiB, type={kind}, uuid={uuid.uuid5(NAMES, board['name'] + name)}, name=\"vigil-{name}\"")
    run(["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", output], input="\n".join(lines) + "\n")
    if board["boot"] == "raspberry-pi":
        old_table(output, parts[0])
    place = {name: start for name, _, start, _ in parts}
    for file, name in [(boot, "boot"), (root, "root-a")]:
        run(["dd", f"if={file}", f"of={output}", "bs=1M", f"seek={place[name]}", "conv=notrunc,sparse", "status=none"])


def old_table(path, boot):
    """Names the boot partition in the table of 1983 too (a hybrid one), for the ROM of Raspberry Pi 3 and Zero 2 W, which knows no other.

    It has to be the first entry, and neither the first nor the second may be the one that protects the GUID table, or start.elf looks no
    further (raspberrypi/documentation#1291, raspberrypi/firmware#1465, #1628; Debian's report on its own images for the Pi of March 2026). So the
    third protects: Linux takes the GUID table if any of the four is of kind EE and begins at sector 1 (block/partitions/efi.c), and libfdisk,
    with which systemd-repart lets the data partition grow, then leaves this table as it is."""
    per_mib = MIB // 512
    start, size = boot[2] * per_mib, boot[3] * per_mib

    def entry(kind, first, count):
        # No cylinders: the largest that can be written, as in protective tables (UEFI 2.10, table 5.4).
        return struct.pack("<B3sB3sII", 0, b"\xfe\xff\xff", kind, b"\xfe\xff\xff", first, count)

    with open(path, "r+b") as file:
        file.seek(446)
        file.write(entry(0x0C, start, size) + bytes(16) + entry(0xEE, 1, start - 1) + bytes(16) + b"\x55\xaa")
