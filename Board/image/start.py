# SPDX-License-Identifier: Apache-2.0
"""The initial RAM disk: busybox, the modules without which the root file system is not found, and `init`. Written here and not by cpio, so that
numbers and times in it are the same on every machine."""
import os
import shutil

from steps import run

HERE = os.path.dirname(os.path.abspath(__file__))
APPLETS = "sh mount insmod grep sleep cat echo mkdir readlink reboot switch_root".split()


def make(tree, modules, output, work):
    place = f"{work}/start"
    for folder in ["bin", "dev", "modules", "proc", "root", "run", "sys"]:
        os.makedirs(f"{place}/{folder}")
    shutil.copy(f"{tree}/usr/bin/busybox", f"{place}/bin/busybox")
    for applet in APPLETS:
        os.symlink("busybox", f"{place}/bin/{applet}")
    for file in modules:
        shutil.copy(file, f"{place}/modules/")
    with open(f"{place}/modules/order", "w") as order:
        order.writelines(f"{os.path.basename(file)}\n" for file in modules)
    shutil.copy(f"{HERE}/init", f"{place}/init")
    with open(f"{work}/start.cpio", "wb") as archive:
        pack(place, archive)
    run(["zstd", "-q", "-19", "-f", f"{work}/start.cpio", "-o", output])


def pack(folder, archive):
    """The format "newc" of Documentation/driver-api/early-userspace/buffer-format.rst of the kernel."""
    names = []
    for place, folders, files in os.walk(folder):
        names += [os.path.relpath(f"{place}/{name}", folder) for name in folders + files]
    for number, name in enumerate(sorted(names) + ["TRAILER!!!"]):
        path, content, mode = f"{folder}/{name}", b"", 0
        if name != "TRAILER!!!":
            if os.path.islink(path):
                mode, content = 0o120777, os.readlink(path).encode()
            elif os.path.isdir(path):
                mode = 0o040755
            else:
                mode = 0o100755 if os.access(path, os.X_OK) else 0o100644
                with open(path, "rb") as file:
                    content = file.read()
        fields = [number + 1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        archive.write(header + b"\0" * (-len(header) % 4) + content + b"\0" * (-len(content) % 4))
