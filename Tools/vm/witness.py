#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Listens on a virtual air for as long as a guest runs, and says what somebody outside heard of its boards.

Usage: witness.py AIR LONGEST [END]     seconds

One line per identifier: from when to when, how many packets, and the longest gap between two of them. Identifiers are numbered, not
printed. A gap before an identifier is counted from the last packet of the one before. Ends with SIGTERM. The status is 1 when an
address or an identifier was kept over a change, when nothing was heard, when there were more than LONGEST seconds between any two
packets, and when there were less than END seconds without any at the end. Written anew, without the firmware's HCI: what one gets wrong the other may notice.
"""
import signal
import socket
import struct
import sys
import time

RESET, EVENT_MASK, LE_EVENT_MASK, SCAN_PARAMETERS, SCAN = 0x0C03, 0x0C01, 0x2001, 0x200B, 0x200C
# All of the time: an interval and a window of 60 ms, passive, public address, everybody.
LISTEN = struct.pack("<BHHBB", 0, 0x60, 0x60, 0, 0)
EXPOSURE_NOTIFICATION = bytes.fromhex("17166ffd")


class Ended(Exception):
    pass


def end(*_):
    raise Ended


class Controller:
    def __init__(self, path):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(path)
        self.buffer = b""
        for opcode, parameters in [(RESET, b""), (EVENT_MASK, b"\xff" * 7 + b"\x3f"), (LE_EVENT_MASK, b"\x02" + b"\0" * 7),
                                   (SCAN_PARAMETERS, LISTEN), (SCAN, b"\1\0")]:
            self.link.sendall(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)
            # Number of commands, opcode, status (Vol 4 Part E 7.7.14).
            code, answer = self.event()
            while code != 0x0E or struct.unpack_from("<H", answer, 1)[0] != opcode:
                code, answer = self.event()
            if answer[3] != 0:
                sys.exit(f"witness.py: command {opcode:04x} is refused with {answer[3]}")

    def event(self):
        """Code and parameters of the next event."""
        while len(self.buffer) < 3 or len(self.buffer) < 3 + self.buffer[2]:
            part = self.link.recv(65536)
            if not part:
                raise Ended
            self.buffer += part
        length = 3 + self.buffer[2]
        packet, self.buffer = self.buffer[:length], self.buffer[length:]
        return packet[1], packet[3:]


def advertisements(code, parameters):
    """Address and data of each report in an LE Meta event (Vol 4 Part E 7.7.65.2)."""
    if code != 0x3E or parameters[0] != 0x02:
        return
    at = 2
    for _ in range(parameters[1]):
        length = parameters[at + 8]
        yield parameters[at + 2:at + 8], parameters[at + 9:at + 9 + length]
        at += 10 + length


def main():
    path, longest, wanted_end = sys.argv[1], float(sys.argv[2]), float((sys.argv + ["0"])[3])
    signal.signal(signal.SIGTERM, end)
    heard, faults, last, silence, began = [], [], None, 0.0, time.monotonic()
    try:
        controller = Controller(path)
        while True:
            for address, data in advertisements(*controller.event()):
                place = data.find(EXPOSURE_NOTIFICATION)
                if place < 0:
                    continue
                now = time.monotonic() - began
                identifier = data[place + 4:place + 20]
                gap = 0.0 if last is None else now - last
                silence, last = max(silence, gap), now
                if heard and heard[-1]["pair"] == (address, identifier):
                    entry = heard[-1]
                    entry["last"], entry["packets"], entry["gap"] = now, entry["packets"] + 1, max(entry["gap"], gap)
                    continue
                for entry in heard:
                    if address == entry["pair"][0] or identifier == entry["pair"][1]:
                        faults.append(f"at {now:.1f} s an address or an identifier that was on air before came back")
                heard.append({"pair": (address, identifier), "first": now, "last": now, "packets": 1, "gap": 0.0, "before": gap})
    except Ended:
        pass
    for number, entry in enumerate(heard, 1):
        print(f"witness: identifier {number}: {entry['first']:.1f} to {entry['last']:.1f} s, {entry['packets']} packets, longest gap"
              f" {entry['gap']:.2f} s; before it {entry['before']:.2f} s of nothing")
    at_end = time.monotonic() - began - (last or 0.0)
    print(f"witness: longest silence between two packets {silence:.2f} s; at the end {at_end:.1f} s")
    if not heard:
        faults.append("nothing was heard")
    if silence > longest:
        faults.append(f"{silence:.2f} s of silence, more than {longest} s")
    if at_end < wanted_end:
        faults.append(f"only {at_end:.1f} s of silence at the end, less than {wanted_end}")
    for fault in faults[:5]:
        print(f"witness: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
