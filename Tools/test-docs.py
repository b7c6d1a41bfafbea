#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/plugins.md as they stand there, on a whole board on a simulated air; and looks whether .ci/run runs README's.

Usage: test-docs.py [FOLDER-WITH-EXECUTABLES]    (.build/release if not given). As root. Ends with "N passed, M failed".

A comment in the page, right above a block of commands, says that it is run:

    <!-- run -->                          it must succeed
    <!-- run until "ready: " -->          it is ended by Ctrl-C once it prints this
    <!-- run, answering "y" -->           on a terminal, where each question is answered so
    <!-- prints -->                       above a block of text: the commands before printed each of its lines

Blocks are run in the order of the page, by bash, in one folder, which has `Plugins` and `Tools` as the tree has. What the page calls /run/vigil and
/etc/vigil is the board of this test. Which other blocks of commands a page has is printed, so that none is left out unnoticed.
"""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

from boardkit import BIN, FOLDER, ROOT, air, check, perform, start, state, until, write

PAGE = "docs/plugins.md"
WORK = f"{FOLDER}/work"
BOARD = f"{FOLDER}/board"
LIMIT = 60  # seconds a block may take


def blocks_of(text):
    """The fenced blocks of a page: (line number, language, mark, text). The mark is the comment above, or ''."""
    blocks, mark, inside = [], "", None
    for number, line in enumerate(text.splitlines(), 1):
        if inside is None and line.startswith("```"):
            inside = (number, line[3:].strip(), mark, [])
        elif inside is not None and line.startswith("```"):
            blocks.append((*inside[:3], "\n".join(inside[3])))
            inside, mark = None, ""
        elif inside is not None:
            inside[3].append(line)
        else:
            comment = re.fullmatch(r"<!-- (run\b.*|prints) -->", line.strip())
            mark = comment[1] if comment else ""
    return blocks


def prepare():
    """A folder as the tree has it, the commands on PATH, and a board that runs."""
    os.makedirs(f"{WORK}/bin")
    os.makedirs(f"{BOARD}/plugins")
    for name in ("Plugins", "Tools"):
        os.symlink(f"{ROOT}/{name}", f"{WORK}/{name}")
    # On a board the folders are the ones that `vigil` knows.
    folders = f"--plugins {BOARD}/plugins --grants {BOARD}/grants.json --state {BOARD}/data/state --run {BOARD}/run"
    wrapper = write("work/bin/vigil", f"""#!/bin/sh
case "$1 $2" in
    "plugin add"|"plugin list") exec {BIN}/vigil "$@" {folders} ;;
    *) exec {BIN}/vigil "$@" ;;
esac
""")
    os.chmod(wrapper, 0o755)
    write("board/grants.json", '{"plugins": {}}')
    begun = air()
    start("board", f"{BIN}/vigil", "run", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{BOARD}/data", "--run", f"{BOARD}/run",
          "--plugins", f"{BOARD}/plugins", "--grants", f"{BOARD}/grants.json", "--enable")
    check("a board runs", begun and until(lambda: os.path.exists(f"{BOARD}/run/ctl.sock") and state("board")["core"]["state"] == "running"))


def perform_block(text, mark):
    """Runs commands on a terminal of their own. Whether they did what the mark says, and what they printed."""
    wanted = re.search(r'until "(.*)"', mark)
    answer = re.search(r'answering "(.*)"', mark)
    text = text.replace("/run/vigil/", f"{BOARD}/run/").replace("/etc/vigil/", f"{BOARD}/")
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=WORK, start_new_session=True,
                               env={**os.environ, "PATH": f"{WORK}/bin:{os.environ['PATH']}", "TERM": "dumb", "COLUMNS": "200"},
                               stdin=theirs if answer else subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said, answered, interrupted, end = "", 0, False, time.monotonic() + LIMIT
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                part = os.read(terminal, 65_536)
            except OSError:  # the terminal has no more writers
                break
            said += part.decode(errors="replace").replace("\r\n", "\n")
        elif process.poll() is not None:
            break
        # Questions end with their choices, such as [y/N].
        while answer and said.count("/N] ") > answered:
            os.write(terminal, f"{answer[1]}\n".encode())
            answered += 1
        if wanted and not interrupted and wanted[1] in said:
            os.killpg(process.pid, signal.SIGINT)
            interrupted = True
    os.close(terminal)
    try:
        status = process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False, f"{said}\nnot over after {LIMIT} s"
    return status == 0 and (interrupted or not wanted), f"{said}\nexit status {status}"


def run_page():
    said, left_out = "", []
    for number, language, mark, text in blocks_of(pathlib.Path(ROOT, PAGE).read_text()):
        first = text.strip().split("\n")[0]
        if mark.startswith("run"):
            good, said = perform_block(text, mark)
            check(f"{PAGE}:{number}: {first}", good, "" if good else said[-3000:])
        elif mark == "prints":
            plain = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", said).split())
            missing = [line for line in text.splitlines() if " ".join(line.split()) not in plain]
            check(f"{PAGE}:{number}: prints {first[:60]}", not missing, f"missing {missing} in {said[-3000:]}" if missing else "")
        elif language == "sh":
            left_out.append(number)
    print(f"     {PAGE}: blocks of commands that are not run: {', '.join(map(str, left_out)) or 'none'}")


def look_at_readme():
    """README's commands must be lines of .ci/run, word for word."""
    lines = {line.strip() for line in pathlib.Path(ROOT, ".ci/run").read_text().splitlines()}
    commands = [line.split("#")[0].strip() for _, language, _, text in blocks_of(pathlib.Path(ROOT, "README.md").read_text()) if language == "sh"
                for line in text.splitlines() if line.split("#")[0].strip()]
    check("README has commands", len(commands) > 0)
    for command in commands:
        check(f"README.md: `{command}` is run by .ci/run", command in lines)


def main():
    look_at_readme()
    prepare()
    run_page()


perform(main)
