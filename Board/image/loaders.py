# SPDX-License-Identifier: Apache-2.0
"""What is on the boot partition: the kernel with its RAM disk in the folder of slot A, and what the machine's own firmware starts it with."""
import glob
import os
import shutil

from disk import command_line
from steps import Failure

# Of which package of Debian, which files.
PACKAGES = {
    "uefi": {"systemd-boot-efi": ["usr/lib/systemd/boot/efi/systemd-boot*.efi"]},
    "raspberry-pi": {"raspi-firmware": [f"usr/lib/raspi-firmware/{name}" for name in ["bootcode.bin", "start.elf", "fixup.dat", "start4.elf", "fixup4.dat"]]},
}


def write(board, kernel, release, start, folder):
    """The boot partition as a folder."""
    os.makedirs(f"{folder}/a")
    shutil.copy(f"{kernel}/kernel/boot/vmlinuz-{release}", f"{folder}/a/linux")
    shutil.copy(start, f"{folder}/a/start.img")
    {"uefi": uefi, "raspberry-pi": raspberry_pi}[board["boot"]](board, kernel, release, folder)


def uefi(board, kernel, release, folder):
    loader = glob.glob(f"{kernel}/systemd-boot-efi/usr/lib/systemd/boot/efi/systemd-boot*.efi")
    if len(loader) != 1:
        raise Failure("systemd-boot-efi has not one loader")
    short = os.path.basename(loader[0])[len("systemd-boot"):-len(".efi")].upper()
    os.makedirs(f"{folder}/EFI/BOOT")
    shutil.copy(loader[0], f"{folder}/EFI/BOOT/BOOT{short}.EFI")
    os.makedirs(f"{folder}/loader/entries")
    write_text(f"{folder}/loader/loader.conf", "timeout 0\ndefault vigil-a.conf\neditor no\nauto-firmware no\n")
    write_text(f"{folder}/loader/entries/vigil-a.conf",
               f"title Vigil\nlinux /a/linux\ninitrd /a/start.img\noptions {command_line(board, 'a')}\n")


def raspberry_pi(board, kernel, release, folder):
    """The Pi's ROM starts bootcode.bin (the 4 has that in its own flash), that starts start.elf or start4.elf, and that reads config.txt
    (the Raspberry Pi documentation, "config.txt" and "Boot folder contents")."""
    for path in sorted(glob.glob(f"{kernel}/raspi-firmware/usr/lib/raspi-firmware/*.*")):
        name = os.path.basename(path)
        if f"usr/lib/raspi-firmware/{name}" in PACKAGES["raspberry-pi"]["raspi-firmware"]:
            shutil.copy(path, f"{folder}/{name}")
    for name in board["kernel"]["trees"]:
        tree = f"{kernel}/kernel/usr/lib/linux-image-{release}/broadcom/{name}.dtb"
        if not os.path.exists(tree):
            raise Failure(f"the kernel {release} has no device tree {name}; correct the board's file")
        shutil.copy(tree, f"{folder}/a/")
    write_text(f"{folder}/a/cmdline.txt", command_line(board, "a") + "\n")
    # os_prefix: all names below are looked for in that folder, the slot. upstream_kernel: device trees are called as in the kernel's own source.
    write_text(f"{folder}/config.txt", """# Written by Vigil's image builder. What is changed here is gone with the next update.
arm_64bit=1
upstream_kernel=1
enable_uart=1
disable_splash=1
gpu_mem=16
os_prefix=a/
kernel=linux
initramfs start.img followkernel
cmdline=cmdline.txt
""")


def write_text(path, text):
    with open(path, "w") as file:
        file.write(text)
