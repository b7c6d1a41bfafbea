#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Floods a board that records what its radio hears, and measures how long the core keeps others waiting meanwhile and at the end.

Usage: flood-recording.py [FOLDER-WITH-EXECUTABLES]    (.build/release if not given). Half a minute; not in CI, because it only measures.

The controller is this program: it answers each command and then sends events of 25 reports as fast as they are taken. How long the core waits for is the
time of a call that another connection makes again and again. docs/recording.md states what comes out.
"""
import os
import socket
import threading
import time

from boardkit import BIN, FOLDER, call, check, perform, processes, start, stop, until

EVENT = bytes([4, 0x3E, 252, 2, 25]) + b"\x00\x01ABCDEF\x00\xc0" * 25
# What commands return after the status, where the core looks at it (Core Specification, Vol 4 Part E 7).
RETURNED = {0x1001: bytes([9, 0, 0, 9, 0, 0xFF, 0xFF, 0, 0]), 0x1002: b"\xff" * 64, 0x2002: bytes([27, 0, 4]), 0x2003: bytes(8), 0x2007: b"\0",
            0x1009: bytes(range(6)), 0x2018: b"\x11" * 8}
waits, flood = [], threading.Event()


def controller(server):
    connection, _ = server.accept()
    lock, pending = threading.Lock(), b""

    def send(data):
        with lock:
            connection.sendall(data)

    def pour():
        while True:
            flood.wait()
            try:
                send(EVENT)
            except OSError:
                return
    threading.Thread(target=pour, daemon=True).start()
    while data := connection.recv(4096):
        pending += data
        while len(pending) >= 4 and len(pending) >= 4 + pending[3]:
            opcode, pending = pending[1:3], pending[4 + pending[3]:]
            answer = b"\0" + RETURNED.get(int.from_bytes(opcode, "little"), b"")
            send(bytes([4, 0x0E, 3 + len(answer), 1]) + opcode + answer)


def ask(method, **parameters):
    return call("board", f"org.vigil.device1.{method}", parameters)


def look():
    while True:
        begun = time.monotonic()
        try:
            ask("GetTime")
        except (OSError, ValueError):
            return
        waits.append((time.monotonic(), time.monotonic() - begun))
        time.sleep(0.002)


def worst(seconds):
    """The longest wait of the next seconds, in milliseconds."""
    begun = time.monotonic()
    time.sleep(seconds)
    return 1000 * max(wait for end, wait in waits if end >= begun)


def main():
    os.makedirs(f"{FOLDER}/board")
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{FOLDER}/hci")
    server.listen()
    threading.Thread(target=controller, args=[server], daemon=True).start()
    start("core", f"{BIN}/vigil", "core", "--data", f"{FOLDER}/board/data", "--run", f"{FOLDER}/board/run", "--transport", f"h4:unix:{FOLDER}/hci",
          "--profile", "kiosk", "--enable")
    if not check("the board comes up", until(lambda: ask("GetRadio")["radio"]["controller"])):
        return
    threading.Thread(target=look, daemon=True).start()
    print(f"     waits at worst, ms: {worst(2):.0f} in peace")
    flood.set()
    alone = worst(3)
    ask("StartRecording", seconds=60)
    recording = worst(3)
    begun = time.monotonic()
    result = ask("StopRecording")["recording"]
    ended = 1000 * (time.monotonic() - begun)
    print(f"     {alone:.0f} in a flood, {recording:.0f} while it is recorded; the end was answered after {ended:.0f}")
    check("what is too much is left out and counted", result["recordCount"] > 0 and result["leftOutCount"] > 0,
          f"{result['recordCount']} recorded, {result['leftOutCount']} left out")
    ask("StartRecording", seconds=10)
    print(f"     {worst(14):.0f} around an end by time")
    check("it is over", not ask("GetRecording")["recording"]["running"])
    flood.clear()
    with open(f"/proc/{processes['core'].pid}/status") as status:
        print("     " + next(line for line in status if line.startswith("VmHWM")).strip())
    stop("core")


perform(main)
