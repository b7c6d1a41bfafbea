# SPDX-License-Identifier: Apache-2.0
"""Somebody on the same network segment as a machine, who tries every port. Of Tools/test-image.py.

The segment is a tap interface: this machine is the neighbour. What is sent is made here byte by byte, so that half a connection is enough, and
whatever the machine says to it is counted, refusals included: they tell that somebody is there.
"""
import contextlib
import fcntl
import os
import socket
import struct
import threading
import time

from boardkit import run

# linux/if_tun.h
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
ETH_P_ALL, IPV4, IPV6 = 0x0003, 0x0800, 0x86DD
TCP, UDP, ICMP, ICMPV6 = 6, 17, 1, 58
SYN, ACK, RST = 2, 16, 4
# Of one round; the machine is emulated, and what it cannot take at once would be lost.
PACKETS_PER_SECOND = 3000
ROUNDS = 2


class Segment:
    """An interface of this machine at whose other end a machine of QEMU can be. Goes when this process has closed it and the machine is off."""

    def __init__(self, name="vigil-scan", own="198.18.0.1", other="198.18.0.2", mac="52:54:00:76:69:67"):
        self.name, self.own, self.other, self.mac = name, own, other, mac
        self.descriptor = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
        run("ip", "address", "add", f"{own}/24", "dev", name)
        run("ip", "link", "set", name, "up")
        # By the rule of RFC 4291, appendix A; networkd makes it like that.
        parts = [int(part, 16) for part in mac.split(":")]
        self.other6 = "fe80::%x:%x:%x:%x" % ((parts[0] ^ 2) << 8 | parts[1], parts[2] << 8 | 0xFF, 0xFE00 | parts[3], parts[4] << 8 | parts[5])

    def words(self):
        """For QEMU; the descriptor has to be handed down."""
        return ["-netdev", f"tap,id=lab,fd={self.descriptor}", "-device", f"virtio-net-pci,netdev=lab,mac={self.mac}"]

    @property
    def provision(self):
        """What the operator of the machine provisions for this network."""
        return f"[Match]\nMACAddress={self.mac}\n[Network]\nAddress={self.other}/24\nDHCP=no\nLinkLocalAddressing=ipv6\nIPv6AcceptRA=no\n" \
            "[Link]\nRequiredForOnline=no\n"

    def own6(self):
        with open("/proc/net/if_inet6") as file:
            for line in file:
                words = line.split()
                if words[5] == self.name and words[0].startswith("fe80"):
                    return socket.inet_ntop(socket.AF_INET6, bytes.fromhex(words[0]))
        return None

    def close(self):
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


class Scanner:
    """Frames to one machine, by version 4 or 6, and what came back."""

    SOURCE = 40_000

    def __init__(self, segment, version):
        self.version, self.segment = version, segment
        family = socket.AF_INET if version == 4 else socket.AF_INET6
        self.own = socket.inet_pton(family, segment.own if version == 4 else segment.own6())
        self.other = socket.inet_pton(family, segment.other if version == 4 else segment.other6)
        self.link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.link.bind((segment.name, 0))
        self.link.settimeout(0.2)
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        with open(f"/sys/class/net/{segment.name}/address") as file:
            own = bytes.fromhex(file.read().strip().replace(":", ""))
        self.ethernet = bytes.fromhex(segment.mac.replace(":", "")) + own + struct.pack("!H", IPV4 if version == 4 else IPV6)
        # What was open, what said no, what else was said.
        self.open, self.refused, self.said = {TCP: set(), UDP: set()}, {TCP: set(), UDP: set()}, []
        self.is_over = False
        self.reader = threading.Thread(target=self.listen, daemon=True)
        self.reader.start()

    def close(self):
        self.is_over = True
        self.reader.join()
        self.link.close()

    # Sending.

    def frame(self, protocol, body, place):
        """`place`: where in the body its checksum stands."""
        number = protocol if self.version == 4 else {ICMP: ICMPV6}.get(protocol, protocol)
        pseudo = b""
        if number != ICMP:
            pseudo = self.own + self.other + (struct.pack("!BBH", 0, number, len(body)) if self.version == 4 else struct.pack("!IHBB", len(body), 0, 0, number))
        body = body[:place] + struct.pack("!H", checksum(pseudo + body) or 0xFFFF) + body[place + 2:]
        if self.version == 4:
            head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0x4000, 64, number, 0) + self.own + self.other
            head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
        else:
            head = struct.pack("!IHBB", 6 << 28, len(body), number, 64) + self.own + self.other
        return self.ethernet + head + body

    def syn(self, port):
        return self.frame(TCP, struct.pack("!HHIIBBHHH", self.SOURCE, port, 1, 0, 5 << 4, SYN, 1024, 0, 0), 16)

    def datagram(self, port, source=None):
        content = b"\0\0\1\0\0\1\0\0\0\0\0\0\7version\4bind\0\0\x10\0\3"
        return self.frame(UDP, struct.pack("!HHHH", source or self.SOURCE, port, 8 + len(content), 0) + content, 6)

    def echo(self):
        return self.frame(ICMP, struct.pack("!BBHHH", 8 if self.version == 4 else 128, 0, 0, 1, 1) + b"vigil", 2)

    def timestamp(self):
        return self.frame(ICMP, struct.pack("!BBHHHIII", 13, 0, 0, 1, 1, 0, 0, 0), 2)

    def send(self, frames):
        began, sent = time.monotonic(), 0
        for frame in frames:
            while True:
                try:
                    self.link.send(frame)
                    break
                except (BlockingIOError, TimeoutError, OSError):
                    # The queue to the machine is full.
                    time.sleep(0.01)
            sent += 1
            if sent % 50 == 0:
                time.sleep(max(0.0, began + sent / PACKETS_PER_SECOND - time.monotonic()))
        return sent

    def scan(self, tcp=range(1, 65536), udp=range(1, 65536), rounds=ROUNDS):
        """Returns how many packets went out."""
        sent = 0
        for _ in range(rounds):
            sent += self.send(self.syn(port) for port in tcp)
            sent += self.send(self.datagram(port) for port in udp)
            # As a DHCPv6 server would, and a name server.
            sent += self.send([self.datagram(546, 547), self.datagram(68, 67), self.datagram(5353, 5353), self.datagram(53, 53)] if udp else [])
            sent += self.send([self.echo()] + ([self.timestamp()] if self.version == 4 else []))
            time.sleep(3)
        return sent

    # What is said to it.

    def listen(self):
        while not self.is_over:
            try:
                frame, origin = self.link.recvfrom(65536)
            except TimeoutError:
                continue
            except OSError:
                return
            # 4: sent by ourselves.
            if origin[2] != 4:
                self.take(frame)

    def take(self, frame):
        kind, packet = struct.unpack("!H", frame[12:14])[0], frame[14:]
        if self.version == 4 and kind == IPV4 and packet[12:16] == self.other and packet[16:20] == self.own:
            number, body = packet[9], packet[(packet[0] & 15) * 4:]
        elif self.version == 6 and kind == IPV6 and packet[8:24] == self.other and packet[24:40] == self.own:
            number, body = packet[6], packet[40:]
        else:
            return
        if number == TCP and struct.unpack("!H", body[2:4])[0] == self.SOURCE:
            port, flags = struct.unpack("!H", body[0:2])[0], body[13]
            if flags & (SYN | ACK) == SYN | ACK:
                self.open[TCP].add(port)
            elif flags & RST:
                self.refused[TCP].add(port)
        elif number == UDP:
            self.open[UDP].add(struct.unpack("!H", body[0:2])[0])
        elif number in (ICMP, ICMPV6):
            self.take_message(number, body)

    def take_message(self, number, body):
        # Unreachable, with the packet that it is about.
        if body[0] == (3 if number == ICMP else 1):
            about = body[8:]
            inner, rest = (about[9], about[(about[0] & 15) * 4:]) if number == ICMP else (about[6], about[40:])
            if inner in self.refused:
                self.refused[inner].add(struct.unpack("!H", rest[2:4])[0])
                return
        # Who has which address: without that nobody could be reached at all.
        if number == ICMPV6 and body[0] in (133, 134, 135, 136, 143):
            return
        self.said.append((number, body[0], body[1]))
