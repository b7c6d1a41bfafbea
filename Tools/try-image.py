#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A board without a board: starts the image in QEMU with your own card in it, and brings its page to this computer's browser.

Usage: try-image.py FOLDER-WITH-EXECUTABLES          makes a health authority for trials, once, and says how to make a card that follows it
       try-image.py FOLDER-WITH-EXECUTABLES CARD     CARD: a folder of `vigil-fleet one` or `plan`. Goes on until Ctrl-C, which is a power cut

The board is everything that the image is, by an emulated processor; its radio is a simulated one, with nobody near. Its disk stays in
.build/try/SERIAL.img: started again, it is the same board, and its label's code opens what its wearer has made of it. Remove the file to
begin anew. The authority publishes the keys of strangers, signed by its own keys, without which no board could know that a risk is low.

Environment: BOARD (qemu-x86_64), IMAGE, a folder made by Board/image/build.py.
Exit status: 0 after Ctrl-C; 1 when the board ended by itself or was not ready in time; 2 when something cannot be used, and then nothing was started.
"""
import contextlib
import ipaddress
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import boardkit
import serverkit
from boardkit import BIN, FOLDER, ROOT, air, processes, read, run, start, until

sys.path.insert(0, f"{ROOT}/Tools/image")
from machines import BOARD, BOOT, IMAGE, MIB, START_SECONDS, Listener, Machine  # noqa: E402

PLACE = f"{ROOT}/.build/try"
PROFILE = f"{PLACE}/authority.json"
# How QEMU calls this computer towards the machines in it.
HOST = "10.0.2.2"
# The authority's own, since a card that follows it holds its address for good.
WEB, ADMIN = 8780, 8781
# Of the board's page, on the board and on this computer: the page takes no request that names another one.
PAGE = 8443
DISK_MIB = 600


def refuse(text):
    shutil.rmtree(FOLDER, ignore_errors=True)
    print(f"try-image: {text}", file=sys.stderr)
    sys.exit(2)


def shown(path):
    return os.path.relpath(path, os.getcwd()) if path.startswith(os.getcwd() + "/") else path


def authority():
    """Makes the authority for trials and its profile, if they are not there."""
    if os.path.exists(PROFILE):
        return
    # What a run that was cut off has left.
    shutil.rmtree(f"{PLACE}/authority", ignore_errors=True)
    shutil.rmtree(f"{PLACE}/keys", ignore_errors=True)
    os.makedirs(PLACE, exist_ok=True)
    run(f"{BIN}/vigil-authority", "init", "--state", f"{PLACE}/authority")
    run(f"{BIN}/vigil-authority", "keys", "--state", f"{PLACE}/authority", "--out", f"{PLACE}/keys")
    document = serverkit.profile("trial", {"en": "Authority for trials", "de": "Behörde für Versuche", "fr": "Autorité d’essai"}, f"http://{HOST}:{WEB}", keys=f"{PLACE}/keys")
    with open(PROFILE + ".new", "w") as file:
        json.dump(document, file, indent=2, ensure_ascii=False)
    os.rename(PROFILE + ".new", PROFILE)


def card(folder):
    """What the card says of its board. Refuses what is no card, and what no board can start with."""
    try:
        with open(f"{folder}/board.json") as file:
            board = json.load(file)
        serial = board["serial"]
        if not re.fullmatch(r"vg-[0-9a-z]{4}-[0-9a-z]{5}", serial):
            raise ValueError
        network(board)
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        refuse(f"{folder} is no card: it has no board.json with a serial number and a network. `vigil-fleet one FOLDER` makes one")
    if os.path.exists(disk(serial)):
        with contextlib.suppress(OSError, ValueError), open(taken_card(serial)) as file:
            if json.load(file).get("labelCodeHash") != board.get("labelCodeHash"):
                refuse(f"the board has another card than {folder}, which was made anew: its label opens nothing. Delete {shown(disk(serial))} to begin with the new one")
        return board
    if not os.path.exists(f"{folder}/provision/vigil.json"):
        refuse(f"{folder}/provision is gone. A board goes on without it only once it has taken it. Make the card anew")
    judged = subprocess.run([f"{BIN}/vigil", "board", "provision", f"{folder}/provision"], capture_output=True, text=True)
    said = (judged.stdout + judged.stderr).strip()
    if judged.returncode not in (0, 1):
        refuse(f"the board would not take this card: {said}")
    if judged.returncode == 1:
        print(f"The board will take this card, but not all of it: {said}", flush=True)
    return board


def disk(serial):
    return f"{PLACE}/{serial}.img"


def taken_card(serial):
    """What was known of the card that is in the board."""
    return f"{PLACE}/{serial}.json"


def inserted(folder, serial):
    """The disk of this board: the one that it had, or the image with the card on it."""
    if os.path.exists(disk(serial)):
        print(f"The board goes on with the disk that it had: {shown(disk(serial))}", flush=True)
        return
    run("cp", "--sparse=always", f"{IMAGE}/disk.img", disk(serial) + ".new", seconds=300)
    os.truncate(disk(serial) + ".new", DISK_MIB * MIB)
    run("mcopy", "-s", "-i", disk(serial) + ".new" + BOOT, f"{folder}/provision", "::/", env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})
    shutil.copy(f"{folder}/board.json", taken_card(serial))
    os.rename(disk(serial) + ".new", disk(serial))
    print(f"The card is in the board. Its disk: {shown(disk(serial))}", flush=True)


def network(board):
    """QEMU's words for the network that the card expects, and the board's address in it."""
    words = board["network"].replace(",", " ").split()
    if words[0] == "automatic":
        return "", ""
    inside = ipaddress.ip_interface(words[0])
    router, names = words[1], words[2]
    # QEMU answers questions about names at an address of its own, which no machine in that network has.
    more = f",dns={names}" if names != router and ipaddress.ip_address(names) in inside.network else ""
    return f",net={inside.network},host={router}{more}", str(inside.ip)


def answers(host):
    done = subprocess.run(["curl", "-sk", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}", "--connect-to", f"{host}:{PAGE}:127.0.0.1:{PAGE}",
                           f"https://{host}:{PAGE}/sign-in"], capture_output=True, text=True)
    return done.stdout not in ("", "000")


def taken(port):
    with socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            link.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def serve():
    start("authority", f"{BIN}/vigil-authority", "serve", "--state", f"{PLACE}/authority", "--publish-now", "--trust-clock")
    if not until(lambda: "ready" in read("authority.log"), 30):
        raise Failed(f"the authority for trials did not start: {read('authority.log')[-400:]}")
    # Keys of people whom nobody here has met. They are published at once.
    serverkit.hand_in(300, state=f"{PLACE}/authority", port=ADMIN)


class Failed(Exception):
    pass


def on(folder, board):
    """Switches the board on, says where its page is, and what is heard of it."""
    serial, host = board["serial"], board["serial"] + ".local"
    with contextlib.suppress(OSError), open(f"{folder}/provision/name") as file:
        host = file.read().split()[0] + ".local"
    if not air():
        raise Failed(f"the simulated air did not start: {read('air.log')[-400:]}")
    listener = Listener()
    machine = Machine("board", ports=(PAGE,), disk=disk(serial))
    machine.ports = {PAGE: PAGE}
    words, inside = network(board)
    if inside:
        print(f"The card gives it the address {inside}. Its page opens; the authority for trials cannot be reached from that network.", flush=True)
    machine.power_on(network=words, address=inside)
    print("Switched on. An emulated processor takes half a minute to start, and more on a busy computer.", flush=True)
    ready = until(lambda: answers(host) or processes["board"].poll() is not None, START_SECONDS, 1)
    if not ready or processes["board"].poll() is not None:
        raise Failed(f"its page does not answer. The end of its console:\n{read('board.console')[-2000:]}{read('board.log')[-400:]}")
    print(f"""After {time.monotonic() - machine.began:.0f} s its page answers:

    https://{host}:{PAGE}

The code on the label ({shown(folder)}/label.txt) opens it until somebody has chosen another. Only the board's own network knows that name. For this computer's browser, do one of these:
    echo 127.0.0.1 {host} | sudo tee -a /etc/hosts
    chromium --host-resolver-rules="MAP {host} 127.0.0.1" https://{host}:{PAGE}
The browser warns of a certificate that nobody has signed. It is the board's own.

Ctrl-C cuts the power. The same command switches the same board on again.
""", flush=True)
    was = None
    while processes["board"].poll() is None:
        sends = listener.last is not None and time.monotonic() - listener.last < 5
        if sends != was:
            print(f"{time.strftime('%H:%M:%S')}  {'on air: its identifiers are heard' if sends else 'silent: it sends nothing'}", flush=True)
            was = sends
        time.sleep(1)
    raise Failed(f"the board has ended by itself: {read('board.log')[-400:]}")


def main():
    if not os.path.exists(f"{IMAGE}/disk.img"):
        refuse(f"there is no {shown(IMAGE)}/disk.img. `make image BOARD={BOARD}` makes it")
    authority()
    if len(sys.argv) < 3:
        fleet = shown(BIN) + "/vigil-fleet"
        print(f"""An authority for trials is there. Make a card for a board that follows it, then start the board:

    make fleet
    {fleet} one my-board --authority {shown(PROFILE)} --local-authority
    make try-image CARD=my-board""")
        shutil.rmtree(FOLDER, ignore_errors=True)
        return 0
    folder = sys.argv[2].rstrip("/")
    board = card(folder)
    for port, what in [(PAGE, "the board's page"), (WEB, "the authority for trials"), (ADMIN, "the authority for trials")]:
        if taken(port):
            refuse(f"port {port} of this computer is taken, and {what} needs it. Is another board being tried?")
    try:
        inserted(folder, board["serial"])
        serve()
        on(folder, board)
    except KeyboardInterrupt:
        print("\nThe power is off.")
        return 0
    except Failed as failure:
        print(f"try-image: {failure}", file=sys.stderr)
        return 1
    finally:
        for name in list(processes):
            processes[name].kill()
            processes[name].wait(30)
        shutil.rmtree(FOLDER, ignore_errors=True)


def ended(*_):
    raise KeyboardInterrupt


# A terminal's Ctrl-C reaches everything that it has started: only this program is to hear it, and also where its caller ignores it.
boardkit.OPTIONS["start_new_session"] = True
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, ended)
sys.exit(main())
