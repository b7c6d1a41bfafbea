#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes down what passes on the loopback to or from one port of TCP, with the kernel's times, until it is told to stop (SIGTERM).

Usage: capture.py PORT FILE      Needs root. Prints "ready", and in the end how many packets there were and how many were lost."""
import ctypes
import signal
import socket
import struct
import sys

TIMESTAMP_NS = 35           # SO_TIMESTAMPNS
ATTACH_FILTER = 26          # SO_ATTACH_FILTER
RECEIVE_BUFFER_FORCE = 33   # SO_RCVBUFFORCE
PACKET_LEVEL, PACKET_STATISTICS, OUTGOING = 263, 6, 4
HEAD = struct.Struct("<QI")


def port_filter(port):
    """Classic BPF: IPv4 without options, that port on either side. On the loopback each packet is seen twice: not when it goes out."""
    packet_type = 0xfffff000 + 4
    steps = [(0x20, 0, 0, packet_type), (0x15, 5, 0, OUTGOING), (0x28, 0, 0, 20), (0x15, 2, 0, port), (0x28, 0, 0, 22), (0x15, 0, 1, port),
             (0x06, 0, 0, 0xffffffff), (0x06, 0, 0, 0)]
    return b"".join(struct.pack("<HBBI", *step) for step in steps), len(steps)


def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    link = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
    program, count = port_filter(port)
    code = ctypes.create_string_buffer(program)
    link.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, struct.pack("HL", count, ctypes.addressof(code)))
    link.setsockopt(socket.SOL_SOCKET, RECEIVE_BUFFER_FORCE, 256 << 20)
    link.setsockopt(socket.SOL_SOCKET, TIMESTAMP_NS, 1)
    link.bind(("lo", 0x0800))
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
    link.settimeout(0.2)
    seen = 0
    with open(path, "wb", buffering=1 << 20) as file:
        print("ready", flush=True)
        while True:
            try:
                data, extra, _, _ = link.recvmsg(65_535, 64)
            except TimeoutError:
                if stopping:
                    break
                continue
            moment = next(struct.unpack("qq", value) for level, kind, value in extra if kind == TIMESTAMP_NS)
            file.write(HEAD.pack(moment[0] * 1_000_000_000 + moment[1], len(data)))
            file.write(data)
            seen += 1
    _, lost = struct.unpack("II", link.getsockopt(PACKET_LEVEL, PACKET_STATISTICS, 8))
    print(f"packets {seen} lost {lost}", flush=True)


def packets(path):
    """(Unix nanoseconds, IPv4 packet) of a file."""
    with open(path, "rb") as file:
        while head := file.read(HEAD.size):
            moment, length = HEAD.unpack(head)
            yield moment, file.read(length)


if __name__ == "__main__":
    main()
