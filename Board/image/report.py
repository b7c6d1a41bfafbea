# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of an image go."""
import os
import stat

from disk import MIB


def folder_sizes(tree):
    """Bytes of files by the first folders of their paths, two deep, or three below usr."""
    sums, seen = {}, set()
    for place, _, files in os.walk(tree):
        inside = os.path.relpath(place, tree).split("/")
        key = "/".join(inside[:3 if inside[0] == "usr" else 1])
        for name in files:
            status = os.lstat(f"{place}/{name}")
            if stat.S_ISREG(status.st_mode) and status.st_ino not in seen:
                seen.add(status.st_ino)
                sums[key] = sums.get(key, 0) + status.st_size
    return sums


def write(board, tree, root, boot, installed, executables, path):
    sums = folder_sizes(tree)
    lines = [f"{board['name']}: {board['title']}", ""]
    unpacked = sum(sums.values()) / MIB
    lines.append(f"root file system  {os.path.getsize(root) / MIB:8.1f} MiB, unpacked {unpacked:.1f} MiB in {len(installed)} packages")
    for place, _, files in sorted(os.walk(boot)):
        for name in sorted(files):
            lines.append(f"boot              {os.path.getsize(f'{place}/{name}') / MIB:8.1f} MiB  {os.path.relpath(f'{place}/{name}', boot)}")
    for name in sorted(os.listdir(executables)):
        lines.append(f"executable        {os.path.getsize(f'{executables}/{name}') / MIB:8.1f} MiB  {name}")
    lines += ["", "unpacked, by folder"]
    lines += [f"{size / MIB:8.1f} MiB  {name}" for name, size in sorted(sums.items(), key=lambda item: -item[1])[:20]]
    lines += ["", "packages, as Debian states their size"]
    largest = sorted(installed, key=lambda item: -int(item[6] or 0))[:20]
    lines += [f"{int(fields[6] or 0) / 1024:8.1f} MiB  {fields[0]} {fields[1]}" for fields in largest]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return lines[2]
