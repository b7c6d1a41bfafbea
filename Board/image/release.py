#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of a release out of an image that `make image` has made, so that whoever downloads them can verify and flash them.

Usage: release.py BOARD --version VERSION (--key KEY | --unsigned) [--image FOLDER] [--output FOLDER]

KEY is an SSH key of the release's signer (`ssh-keygen -t ed25519`, or one in hardware, -t ed25519-sk), or its public half if an agent has the other.
The image is read from .build/images/BOARD. In FOLDER (.build/images/BOARD/release) there are then:

    vigil-BOARD-VERSION.img.zst        the disk, compressed
    vigil-BOARD-VERSION.bmap           which blocks of it have content, for bmaptool
    vigil-BOARD-VERSION.spdx.json      every package and executable in it
    vigil-BOARD-VERSION.report.txt     where the bytes go
    vigil-BOARD-VERSION.md             what is new, how to verify and flash it
    SHA256SUMS, SHA256SUMS.sig         their digests, and the signature over these

The same image, version and key give the same bytes. The folder appears whole at the end; a release that fails leaves the one that was there.
--unsigned is for trials: it says so in the notes, and nobody can verify such files.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import boards
from steps import Failure, Steps, run

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What the signature is for: one that was made for anything else, such as a login, does not count.
NAMESPACE = "vigil-release"
SIGNER = "vigil-release"
PART = 1 << 20


def main():
    parser = argparse.ArgumentParser(description="Makes the files of a release out of an image.")
    parser.add_argument("board", help=f"one of {', '.join(boards.names())}")
    parser.add_argument("--version", required=True)
    signing = parser.add_mutually_exclusive_group(required=True)
    signing.add_argument("--key")
    signing.add_argument("--unsigned", action="store_true")
    parser.add_argument("--image")
    parser.add_argument("--output")
    arguments = parser.parse_args()
    board = boards.load(arguments.board)
    if not re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.]+)?", arguments.version):
        raise Failure(f"{arguments.version} is no version; one looks like 1.2.0 or 1.2.0-rc.1")
    image = os.path.abspath(arguments.image or f"{REPOSITORY}/.build/images/{board['name']}")
    output = os.path.abspath(arguments.output or f"{image}/release")
    for name in ("disk.img", "sbom.spdx.json", "report.txt"):
        if not os.path.isfile(f"{image}/{name}"):
            raise Failure(f"{image}/{name} is not there; run `make image BOARD={board['name']}` first")
    if arguments.key and not os.path.isfile(arguments.key):
        raise Failure(f"{arguments.key} is not there; `ssh-keygen -t ed25519 -f {arguments.key}` makes a key")
    os.makedirs(os.path.dirname(output), exist_ok=True)
    work = tempfile.mkdtemp(prefix=".release.", dir=os.path.dirname(output))
    try:
        os.chmod(work, 0o755)
        made = make(board, image, arguments.version, arguments.key, work)
        if os.path.isdir(output):
            os.rename(output, f"{work}/old")
        os.rename(made, output)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    for name in sorted(os.listdir(output)):
        print(f"{os.path.getsize(f'{output}/{name}') / 1e6:10.2f} MB  {os.path.relpath(output)}/{name}")


def make(board, image, version, key, work):
    stem, made = f"vigil-{board['name']}-{version}", f"{work}/made"
    os.makedirs(made)
    steps = Steps(4 if key else 3)
    shutil.copyfile(f"{image}/sbom.spdx.json", f"{made}/{stem}.spdx.json")
    shutil.copyfile(f"{image}/report.txt", f"{made}/{stem}.report.txt")
    # One thread, because zstd's result depends on how the work is shared out; --long is left alone, so that every zstd unpacks it.
    steps.step("compressed", run, ["zstd", "--quiet", "-19", "--single-thread", f"{image}/disk.img", "-o", f"{made}/{stem}.img.zst"])
    steps.step("map of its blocks", run, ["bmaptool", "--quiet", "create", f"{image}/disk.img", "-o", f"{made}/{stem}.bmap"],
               "Tools/setup.sh release installs it")
    steps.step("notes and digests", describe, board, stem, version, key, made)
    if key:
        steps.step("signature", sign, key, made)
    return made


def describe(board, stem, version, key, made):
    with open(f"{made}/{stem}.md", "w") as file:
        file.write(notes(board, stem, version, key))
    # Digests last, over all that is there.
    lines = [f"{digest(f'{made}/{name}')}  {name}\n" for name in sorted(os.listdir(made))]
    with open(f"{made}/SHA256SUMS", "w") as file:
        file.writelines(lines)


def notes(board, stem, version, key):
    """What a person reads beside the files."""
    verify = f"""Download all files into one folder, and `vigil-release.signers` from another place than these files: it says whose signature counts. Then

```sh
{command()}
```

prints `Good "{NAMESPACE}" signature`, and `OK` for each file. If it does not, do not use them.""" if key else (
        "**These files are a trial. They are not signed, so nobody can verify them: do not use them on a device that somebody wears.**")
    return f"""# Vigil {version} for {board['title']}

**No real board has started from this image yet**, unless the changes below say so.

## Verify

{verify}

## Flash

`lsblk` before and after you put the card in tells its name, such as `sdx`. The wrong name destroys another disk.

```sh
sudo bmaptool copy --bmap {stem}.bmap {stem}.img.zst /dev/sdx
```

On Windows and macOS, Raspberry Pi Imager does it: *Use custom*, then `{stem}.img.zst`.

## Changes

{changes(version)}
"""


def command():
    """Verifies everything at once; it is in the notes and in docs/image.md."""
    return (f"ssh-keygen -Y verify -f vigil-release.signers -I {SIGNER} -n {NAMESPACE} -s SHA256SUMS.sig < SHA256SUMS"
            " && sha256sum --check --strict SHA256SUMS")


def changes(version):
    """The part of the changelog on this version, or else on what is not released yet."""
    with open(f"{REPOSITORY}/CHANGELOG.md") as file:
        parts = re.split(r"^## ", file.read(), flags=re.MULTILINE)[1:]
    for title in (version, f"[{version}]", "Unreleased"):
        for part in parts:
            head, _, body = part.partition("\n")
            if head.strip() == title or head.startswith(f"{title} "):
                # Its links point into the tree, which is not beside these files.
                return re.sub(r"\[([^\]]*)\]\((?!https:)[^)]*\)", r"\1", body.strip())
    raise Failure(f"CHANGELOG.md has neither {version} nor Unreleased")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sign(key, made):
    """Signs the digests, and looks whether the signature holds."""
    run(["ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", NAMESPACE, f"{made}/SHA256SUMS"], stdin=subprocess.DEVNULL, seconds=120,
        hint="is the key for signing, and can it be used without a question?")
    with open(f"{made}/SHA256SUMS") as file:
        run(["ssh-keygen", "-Y", "check-novalidate", "-n", NAMESPACE, "-s", f"{made}/SHA256SUMS.sig"], stdin=file)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"release.py: {failure}")
    except subprocess.TimeoutExpired as failure:
        sys.exit(f"release.py: {failure.cmd[0]} did not end")
