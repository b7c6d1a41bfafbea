#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sits between a board and its controller (H4 on UNIX sockets) and writes down when the board did what, by the boot clock.

Usage: air_tap.py SOCKET-FOR-THE-BOARD SOCKET-OF-THE-AIR FILE
One line each: NANOSECONDS on HASH | off | scan | reports COUNT (cumulative, at the end of each scan). Runs before all others (real-time
priority) where it may, so that it notes when things arrive and not when it gets round to it. Passes nothing on that the board has no
room for, so that what a slow board loses is lost at the controller, as with a real one.
"""
import hashlib
import os
import selectors
import socket
import sys
import time

# Core Specification, Vol 4 Part E 7.8.7, 7.8.8, 7.8.9, 7.8.11.
SET_DATA, ADVERTISE, SCAN = 0x2008, 0x200A, 0x200C


def main():
    board_path, air_path, file_path = sys.argv[1:4]
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(10))
    except OSError:
        pass
    log = open(file_path, "w", buffering=1)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(board_path)
    os.chmod(board_path, 0o777)
    listener.listen(4)
    while True:
        board, _ = listener.accept()
        # As a controller: some hundred reports, and not thousands.
        board.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        with socket.socket(socket.AF_UNIX) as air, board:
            air.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            air.connect(air_path)
            pass_on(board, air, log)


def pass_on(board, air, log):
    said, heard, data, reports, pending = b"", b"", b"", 0, b""
    board.setblocking(False)

    def note(*words):
        print(moment, *words, file=log)

    selector = selectors.DefaultSelector()
    selector.register(board, selectors.EVENT_READ)
    selector.register(air, selectors.EVENT_READ)
    while True:
        ready = selector.select()
        moment = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        for key, events in ready:
            if key.fileobj is board and events & selectors.EVENT_READ:
                part = board.recv(65536)
                if not part:
                    return
                air.sendall(part)
                said += part
                while len(said) >= 4 and len(said) >= 4 + said[3]:
                    parameters, opcode = said[4:4 + said[3]], said[1] | said[2] << 8
                    said = said[4 + len(parameters):]
                    if opcode == SET_DATA:
                        data = parameters
                    elif opcode == ADVERTISE:
                        note(*(["on", hashlib.sha256(data).hexdigest()[:12]] if parameters[0] else ["off"]))
                    elif opcode == SCAN:
                        note(*(["scan"] if parameters[0] else ["reports", reports]))
            elif key.fileobj is air:
                part = air.recv(4096)
                if not part:
                    return
                pending += part
                heard += part
                # Events: 04, code, length; LE Meta (3E) with legacy advertising reports (02).
                while len(heard) >= 3 and len(heard) >= 3 + heard[2]:
                    if heard[1] == 0x3E and heard[2] > 1 and heard[3] == 2:
                        reports += heard[4]
                    heard = heard[3 + heard[2]:]
        if pending:
            try:
                pending = pending[board.send(pending):]
            except BlockingIOError:
                pass
            except OSError:
                return
        selector.modify(board, selectors.EVENT_READ | (selectors.EVENT_WRITE if pending else 0))
        try:
            if pending:
                selector.unregister(air)
            else:
                selector.register(air, selectors.EVENT_READ)
        except KeyError:
            pass


main()
