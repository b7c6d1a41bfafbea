# SPDX-License-Identifier: Apache-2.0
"""A board without a board, as an operator tries a card: the commands of docs/fleet.md, then the page by the label's code, to the words Low risk; the power cut and switched on
again. Of Tools/test-image.py."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import types

from boardkit import BIN, FOLDER, ROOT, check, processes, run, until
from exposed import word
from fleet import send, sign_in
from machines import PATIENCE, START_SECONDS

TRY = f"{ROOT}/Tools/try-image.py"


def switched_on(card, name):
    """Starts it as `make try-image CARD=…` does. Gives what it says, and whether its page answers."""
    log = open(f"{FOLDER}/{name}.log", "w+")
    # Its output is a file, and read as it grows.
    processes[name] = subprocess.Popen([TRY, BIN, card], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=FOLDER, start_new_session=True)

    def said():
        log.seek(0)
        return log.read()
    until(lambda: "page answers" in said() or processes[name].poll() is not None, START_SECONDS + 60, 0.5)
    return said


def off(name):
    """Ctrl-C, as a terminal sends it: to everything that was started there."""
    process = processes.pop(name)
    os.killpg(process.pid, signal.SIGINT)
    return process.wait(60)


def refused(*words):
    done = subprocess.run([TRY, BIN, *words], capture_output=True, text=True, cwd=FOLDER)
    return done.returncode == 2 and done.stdout == "" and done.stderr


def judge(name, good, said):
    """A check that says what the program has said, if it fails."""
    return check(name, good, "" if good else said)


def trial():
    said = run(TRY, BIN, cwd=FOLDER)
    profile = re.search(r"--authority (\S+)", said)[1]
    judge("try: without a card it says how to make one", "vigil-fleet one my-board" in said and os.path.exists(os.path.join(FOLDER, profile)), said)
    run(f"{BIN}/vigil-fleet", "one", f"{FOLDER}/my-board", "--use", "person", "--language", "en", "--network", "automatic", "--authority", profile, "--local-authority",
        "--technician", "none")
    os.makedirs(f"{FOLDER}/none")
    for board in [None, [], {}, {"serial": 7, "network": "automatic"}, {"serial": "../../etc", "network": "automatic"}, {"serial": "vg-0000-00000"},
                  {"serial": "vg-0000-00000", "network": ""}, {"serial": "vg-0000-00000", "network": "192.168.7.20/24"}]:
        with open(f"{FOLDER}/none/board.json", "w") as file:
            json.dump(board, file)
        check(f"try: {json.dumps(board)} is refused as no card", "is no card" in (refused(f"{FOLDER}/none") or ""))
    shutil.copytree(f"{FOLDER}/my-board", f"{FOLDER}/broken")
    with open(f"{FOLDER}/broken/provision/vigil.json", "w") as file:
        file.write("{")
    check("try: so is one that no board can start with", "would not take this card" in (refused(f"{FOLDER}/broken") or ""))

    said = switched_on(f"{FOLDER}/my-board", "first")
    found = re.search(r"https://(\S+):8443", said())
    if not judge("try: its page answers", "page answers" in said(), said()):
        return
    print(f"     {re.search('After .* answers', said())[0]}")
    with open(f"{FOLDER}/my-board/label.txt") as file:
        label = file.read()
    board = types.SimpleNamespace(name="trial", page=found[1], ports={8443: 8443})
    check("try: at the label's address", f"https://{found[1]}:8443" in label, found[1])
    code, serial = re.search(r"Code\s+(\S+)", label)[1], re.search(r"Vigil (\S+)", label)[1]
    check("try: the label's code opens it", until(lambda: sign_in(board, code), 60 * PATIENCE, 2))
    judge("try: silent before its wearer agrees", "silent" in said() and "on air" not in said(), said())
    began = time.monotonic()
    send(board, "/welcome?step=4", act="agree", terms="yes", beacon="yes", notifications="yes")
    judge("try: on air from then on", until(lambda: "on air" in said(), 60 * PATIENCE, 0.5), said())
    check("try: Low risk", until(lambda: word(board)[0] == "Low risk", 240 * PATIENCE, 2), f"{word(board)[0]} {time.monotonic() - began:.0f} s after the wearer agreed")
    check("try: a second one beside it is refused", "is taken" in (refused(f"{FOLDER}/my-board") or ""))
    judge("try: Ctrl-C ends it", off("first") == 0 and "The power is off" in said(), said())
    shutil.copytree(f"{FOLDER}/my-board", f"{FOLDER}/anew")
    run(f"{BIN}/vigil-fleet", "one", f"{FOLDER}/anew", "--replace", serial, "--use", "person", "--language", "en", "--network", "automatic", "--authority", profile,
        "--local-authority", "--technician", "none")
    check("try: a card that was made anew is not taken for the one in the board", "was made anew" in (refused(f"{FOLDER}/anew") or ""))

    shutil.rmtree(f"{FOLDER}/my-board/provision")
    said = switched_on(f"{FOLDER}/my-board", "second")
    judge("try: the same board starts again, without its card", "goes on with the disk" in said() and "page answers" in said(), said())
    judge("try: and is on air, as it was", until(lambda: "on air" in said(), 120 * PATIENCE, 0.5), said())
    check("try: it still says Low risk to its wearer", sign_in(board, code) and word(board)[0] == "Low risk", word(board))
    off("second")
    forget(serial)
    place(profile)


def forget(serial):
    """The board is nobody's any more."""
    for kind in ["img", "json"]:
        os.remove(f"{ROOT}/.build/try/{serial}.{kind}")


def place(profile):
    """Another use, language and network: a place with an address of its own, which its page shows."""
    run(f"{BIN}/vigil-fleet", "one", f"{FOLDER}/my-place", "--use", "place", "--language", "de", "--network", "192.168.7.20/24 192.168.7.1 192.168.7.1",
               "--authority", profile, "--local-authority", "--technician", "none")
    said = switched_on(f"{FOLDER}/my-place", "place")
    judge("try: the page of a place with an address of its own answers", "page answers" in said() and "192.168.7.20" in said(), said())
    with open(f"{FOLDER}/my-place/label.txt") as file:
        label = file.read()
    code, serial = re.search(r"Code\s+(\S+)", label)[1], re.search(r"Vigil (\S+)", label)[1]
    for name in [f"{serial}.local", "192.168.7.20"]:
        board = types.SimpleNamespace(name="trial", page=name, ports={8443: 8443})
        check(f"try: the label's code opens it, by {name}", until(lambda: sign_in(board, code, "technician"), 60 * PATIENCE, 2))
    off("place")
    forget(serial)
