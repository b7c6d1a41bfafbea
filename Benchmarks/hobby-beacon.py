#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a hobby port does instead of `vigil core`: an Exposure Notification beacon of a few lines, for comparison only.

Resets the controller on a UNIX socket (H4), advertises one identifier, changes it every 15 minutes. No scanning, no storage, no
trust in time, no answer to trouble; the keys are random instead of derived, which costs less.
"""
import os
import socket
import struct
import sys
import time

controller = socket.socket(socket.AF_UNIX)
controller.connect(sys.argv[1])


def command(opcode, parameters=b""):
    controller.sendall(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)
    controller.recv(300)


command(0x0C03)
while True:
    data = bytes([2, 1, 0x1A, 3, 3, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD]) + os.urandom(20)
    command(0x200A, b"\x00")
    command(0x2005, os.urandom(5) + bytes([os.urandom(1)[0] & 0x3F]))
    command(0x2006, struct.pack("<HHBBB6sBB", 400, 400, 3, 1, 0, bytes(6), 7, 0))
    command(0x2008, bytes([len(data)]) + data)
    command(0x200A, b"\x01")
    time.sleep(900)
