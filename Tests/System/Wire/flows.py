# SPDX-License-Identifier: Apache-2.0
"""Connections out of packets, and TLS records out of connections: what somebody on the wire sees without any key."""
import dataclasses
import socket
import struct

FIN, SYN, RST, ACK = 1, 2, 4, 16
UP, DOWN = 1, -1


@dataclasses.dataclass
class Record:
    """One TLS record: when its first byte passed (ns), direction, type, bytes of its body."""
    moment: int
    direction: int
    kind: int
    length: int


class Stream:
    """One direction's bytes, cut into records. What comes twice is dropped."""

    def __init__(self, direction, first):
        self.direction, self.next = direction, first
        self.head, self.left, self.gap = b"", 0, False

    def take(self, moment, sequence, data, records):
        behind = (self.next - sequence) & 0xffffffff
        if behind >= 0x80000000:
            self.gap = True             # Bytes are missing: nothing after them can be read.
            return
        data = data[behind:]
        self.next = (self.next + len(data)) & 0xffffffff
        while data and not self.gap:
            if self.left:
                part = min(self.left, len(data))
                self.left -= part
                data = data[part:]
                continue
            need = 5 - len(self.head)
            if not self.head:
                self.began = moment
            self.head, data = self.head + data[:need], data[need:]
            if len(self.head) == 5:
                kind, _, length = struct.unpack("!BHH", self.head)
                records.append(Record(self.began, self.direction, kind, length))
                self.left, self.head = length, b""


class Flow:
    """One connection."""

    def __init__(self, client, port, moment):
        self.client, self.port, self.began = client, port, moment
        self.segments = []              # (moment, direction, bytes of data, flags, window)
        self.records = []
        self.streams = {}

    def take(self, moment, direction, sequence, flags, window, data):
        self.segments.append((moment, direction, len(data), flags, window))
        if flags & SYN:
            self.streams[direction] = Stream(direction, (sequence + 1) & 0xffffffff)
        elif data and direction in self.streams:
            self.streams[direction].take(moment, sequence, data, self.records)


def flows(packets, port):
    """The connections to that port, in the order of their beginning."""
    open_flows, found = {}, []
    for moment, packet in packets:
        header = (packet[0] & 15) * 4
        total = struct.unpack_from("!H", packet, 2)[0] or len(packet)
        source, target = packet[12:16], packet[16:20]
        sport, dport, sequence, _, offset, flags, window = struct.unpack_from("!HHIIBBH", packet, header)
        direction = UP if dport == port else DOWN
        client, number = (source, sport) if direction == UP else (target, dport)
        key = (client, number)
        if flags & SYN and not flags & ACK and (key not in open_flows or sequence + 1 & 0xffffffff != open_flows[key].streams[UP].next):
            open_flows[key] = Flow(socket.inet_ntoa(client), number, moment)
            found.append(open_flows[key])
        if key in open_flows:
            open_flows[key].take(moment, direction, sequence, flags, window, packet[header + (offset >> 4) * 4:total])
    return found
