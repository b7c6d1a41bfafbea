#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of a release out of a small disk, and verifies them as somebody who downloads them does: by the command in their notes.

Usage: test-release.py        needs `Tools/setup.sh release`, no image and no build. Ends with "N passed, M failed".
"""
import filecmp
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Board/image"))
import boards  # noqa: E402
import disk  # noqa: E402
import firmware  # noqa: E402
import root  # noqa: E402
import sbom  # noqa: E402
import start  # noqa: E402
from steps import Failure  # noqa: E402

BOARD, VERSION = "qemu-x86_64", "1.2.0"
STEM = f"vigil-{BOARD}-{VERSION}"
passed, failed = 0, 0


def check(what, holds, detail=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds or not detail else f': {detail}'}", flush=True)


def run(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120, **options)


def release(image, output, *words):
    return run([sys.executable, ROOT / "Board/image/release.py", BOARD, "--version", VERSION, "--image", image, "--output", output, *words])


def key(folder, name):
    """A key of a signer, and the file by which others know them."""
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name])
    (folder / f"{name}.signers").write_text(f'vigil-release namespaces="vigil-release" {(folder / f"{name}.pub").read_text()}')
    return folder / name


def small_image(folder):
    """A disk with holes, as an image has them."""
    folder.mkdir()
    draw = random.Random(1)
    with open(folder / "disk.img", "wb") as file:
        file.truncate(24 << 20)
        for place in (0, 5 << 20, (5 << 20) + 4096, 23 << 20):
            file.seek(place)
            file.write(draw.randbytes(300_000))
    (folder / "sbom.spdx.json").write_text("{}\n")
    (folder / "report.txt").write_text("root file system\n")


def whole_disk(folder, parts, moment):
    """The disk of a board as build.py puts it together, of parts that were made in this order and at this time."""
    tree, boot, epoch = folder / "root", folder / "boot", 1_700_000_000
    for name in parts:
        for place in (tree / "usr/bin", tree / "usr/lib/modules", boot / "a", boot / "provision"):
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(name.encode() * 5000)
            os.utime(place / name, (moment, moment))
    (tree / "usr/bin/busybox").write_bytes(b"busybox")
    start.make(tree, [tree / "usr/lib/modules" / name for name in sorted(parts)], boot / "a/start.img", folder)
    root.squash(tree, folder / "root.squashfs", epoch)
    board = boards.load(BOARD)
    disk.fat(boot, folder / "boot.fat", board["partitions"]["boot"], epoch)
    disk.write(board, folder / "boot.fat", folder / "root.squashfs", folder / "disk.img")
    return folder / "disk.img"


def refuses(action, sentence):
    """Whether a failure with these words comes of it."""
    try:
        action()
    except Failure as failure:
        return sentence in str(failure)
    return False


def materials(work):
    """The bill of materials: whatever the manifest names and an image has inside, with its version."""
    manifest = (ROOT / "Package.swift").read_text()
    named = set(re.findall(r'url: "https://[^"]+/([^"/]+)", exact: "([^"]+)"', manifest))
    (work / "programs").mkdir()
    (work / "programs/vigil").write_bytes(b"program")
    sbom.write(boards.load(BOARD), [], [], sbom.libraries(manifest, "6.3.1"), work / "programs", work / "none", "rev", 1_700_000_000, work / "sbom.json")
    document = json.loads((work / "sbom.json").read_text())
    stated = {(entry["name"], entry["versionInfo"]) for entry in document["packages"]}
    check("each library that is linked in stands in the bill of materials, with its version, and Swift's own",
          len(named) >= 3 and {entry for entry in named if entry[0] not in sbom.ELSEWHERE} | {("swift", "6.3.1")} <= stated, str(stated))
    contained = {entry["relatedSpdxElement"] for entry in document["relationships"] if entry["relationshipType"] == "CONTAINS"}
    check("the executables are said to contain them", "SPDXRef-source-swift" in contained and "SPDXRef-file-vigil" in contained, str(contained))
    used = {path.parts[-3] for path in [*ROOT.glob("Sources/*/*/*.swift"), *ROOT.glob("Plugins/*/Sources/*/*.swift")]
            if re.search(r"^(\w+ )?import (Crypto|CryptoExtras)$", path.read_text(), re.MULTILINE)}
    check("what is left out is the authority's alone", used == {"Authority"}, str(used))
    check("a package without an exact version is refused",
          refuses(lambda: sbom.libraries(manifest.replace('exact: "', 'from: "', 1), "6.3.1"), "without an exact version"))
    check("this machine's Swift has a version", re.fullmatch(r"\d+\.\d+(\.\d+)?", firmware.swift({"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine])))


def verifies(files, signers, folder):
    """What the command in the notes says of a copy of these files."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(files, folder)
    shutil.copy(signers, folder / "vigil-release.signers")
    command = re.search(r"^ssh-keygen .*$", (folder / f"{STEM}.md").read_text(), re.MULTILINE)[0]
    return run(["sh", "-c", command], cwd=folder)


def main(work):
    image, out = work / "image", work / "out"
    small_image(image)
    signer = key(work, "signer")
    key(work, "stranger")

    made = release(image, out, "--key", signer)
    check("a release is made", made.returncode == 0, made.stderr)
    names = {f"{STEM}.{end}" for end in ("img.zst", "bmap", "spdx.json", "report.txt", "md")} | {"SHA256SUMS", "SHA256SUMS.sig"}
    check("it has its seven files and no others", {path.name for path in out.iterdir()} == names, str(sorted(out.iterdir())))
    listed = {line.split()[1] for line in (out / "SHA256SUMS").read_text().splitlines()}
    check("every file but the digests has a digest", listed == names - {"SHA256SUMS", "SHA256SUMS.sig"}, str(listed))
    again = release(image, work / "again", "--key", signer)
    check("the same once more, byte for byte", again.returncode == 0 and filecmp.cmpfiles(out, work / "again", names, shallow=False)[0].__len__() == 7)

    parts = [f"part-{number}" for number in range(9)]
    first = whole_disk(work / "first", parts, 1_600_000_000)
    second = whole_disk(work / "second", parts[::-1], 1_790_000_000)
    check("two disks of the same parts are the same, byte for byte", filecmp.cmp(first, second, shallow=False))
    other = whole_disk(work / "other", [*parts[:-1], "part-9"], 1_600_000_000)
    check("one of another part is not", not filecmp.cmp(first, other, shallow=False))

    materials(work)

    copy = work / "copy"
    good = verifies(out, work / "signer.signers", copy)
    check("the command in the notes verifies it", good.returncode == 0 and good.stdout.count(": OK") == 5, good.stdout + good.stderr)
    check("it prints what the notes say", 'Good "vigil-release" signature' in good.stdout, good.stdout)
    check("the command stands in docs/image.md", re.search(r"^ssh-keygen .*$", (out / f"{STEM}.md").read_text(), re.MULTILINE)[0]
          in (ROOT / "docs/image.md").read_text())
    bad = verifies(out, work / "stranger.signers", copy)
    check("another signer's is refused", bad.returncode != 0, bad.stdout)
    (work / "login.signers").write_text(f'vigil-release namespaces="file" {signer.with_suffix(".pub").read_text()}')
    bad = verifies(out, work / "login.signers", copy)
    check("a key that may sign other things only is refused", bad.returncode != 0, bad.stdout)
    for name in sorted(names):
        changed = work / "changed"
        shutil.rmtree(changed, ignore_errors=True)
        shutil.copytree(out, changed)
        data = bytearray((changed / name).read_bytes())
        # In the middle, which in the notes is a word of the changes, not the command.
        data[len(data) // 2] ^= 1
        (changed / name).write_bytes(data)
        bad = verifies(changed, work / "signer.signers", copy)
        check(f"one bit of {name.removeprefix(STEM + '.')} changed: refused", bad.returncode != 0, bad.stdout)
        (changed / name).unlink()
        if name != f"{STEM}.md":
            bad = verifies(changed, work / "signer.signers", copy)
            check(f"{name.removeprefix(STEM + '.')} missing: refused", bad.returncode != 0, bad.stdout)

    card = work / "card"
    flashed = run(["bmaptool", "--quiet", "copy", "--bmap", out / f"{STEM}.bmap", out / f"{STEM}.img.zst", card])
    check("bmaptool writes the disk that was released", flashed.returncode == 0 and filecmp.cmp(card, image / "disk.img", shallow=False),
          flashed.stderr)

    unsigned = release(image, work / "trial", "--unsigned")
    notes = (work / "trial" / f"{STEM}.md").read_text()
    check("a trial says that nobody can verify it, and has no signature",
          unsigned.returncode == 0 and "not signed" in notes and not (work / "trial/SHA256SUMS.sig").exists(), unsigned.stderr)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    for what, words, sentence in [
        ("no key that signs", ("--key", work / "signer.pub.none"), "ssh-keygen -t ed25519"),
        ("a file that is no key", ("--key", image / "report.txt"), "ended with status"),
    ]:
        refused = release(image, out, *words)
        check(f"{what}: refused with a sentence, and the release before stays",
              refused.returncode == 1 and sentence in refused.stderr and before == {path.name: path.read_bytes() for path in out.iterdir()}
              and not list(work.glob(".release.*")), refused.stderr)
    refused = release(work / "nothing", out, "--unsigned")
    check("no image: says how to make one", refused.returncode == 1 and "make image" in refused.stderr, refused.stderr)
    for version in ("latest", "1.2", "../x", "1.2.0/../.."):
        refused = run([sys.executable, ROOT / "Board/image/release.py", BOARD, "--version", version, "--image", image, "--unsigned"])
        check(f"version {version}: refused", refused.returncode == 1 and "is no version" in refused.stderr, refused.stderr)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="vigil-test-release.") as folder:
        main(pathlib.Path(folder))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)
