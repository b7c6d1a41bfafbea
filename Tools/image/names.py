# SPDX-License-Identifier: Apache-2.0
"""The board's name on the network: a neighbour asks for it by multicast DNS and opens the page there, hears nothing of a board that has no name,
and nothing after setting up. Of Tools/test-image.py."""
import contextlib
import json
import socket
import struct
import subprocess
import time

import scan
from boardkit import check, until
from machines import PATIENCE, Listener, Machine, asking, judge, page_grants

# RFC 6762, section 3.
GROUP, GROUP6, PORT = "224.0.0.251", "ff02::fb", 5353
A, AAAA, ANY, PTR = 1, 28, 255, 12
CARD = "vg-7k3m-q0r1x"


def encoded(name):
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


class Neighbour:
    """Asks on the segment, and keeps every packet of multicast DNS that anybody else sends there."""

    def __init__(self, segment, version=4):
        self.segment = segment
        index = socket.if_nametoindex(segment.name)
        if version == 4:
            self.link, self.place = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), (GROUP, PORT)
            self.link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(segment.own))
            self.link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
            self.link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
            join = (socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(segment.own))
        else:
            self.link, self.place = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM), (GROUP6, PORT, 0, index)
            self.link.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
            self.link.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
            self.link.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 0)
            join = (socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, socket.inet_pton(socket.AF_INET6, GROUP6) + struct.pack("@I", index))
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, segment.name.encode())
        self.link.bind(("", PORT))
        self.link.setsockopt(*join)

    def close(self):
        self.link.close()

    def ask(self, name, kind, seconds):
        """The first answer to a question, and the milliseconds until it; None when nobody answers in so many seconds."""
        began = time.monotonic()
        self.link.sendto(struct.pack("!6H", 0, 0, 1, 0, 0, 0) + encoded(name) + struct.pack("!HH", kind, 1), self.place)
        while (left := began + seconds - time.monotonic()) > 0:
            packet = self.hear(left)
            # An answer (RFC 1035, section 4.1.1) that has the name in it.
            if packet and packet[2] & 0x80 and encoded(name)[:-1] in packet:
                return packet, 1000 * (time.monotonic() - began)
        return None

    def drain(self):
        while self.hear(0.5):
            pass

    def hear(self, seconds):
        self.link.settimeout(seconds)
        with contextlib.suppress(TimeoutError):
            return self.link.recv(9000)
        return None


def names():
    segment = scan.Segment()
    try:
        spoken(segment)
        silent(segment)
    finally:
        segment.close()


def machine_of(name, segment, files):
    machine = Machine(name, ports=(8443,), files={
        "grants.json": json.dumps({"plugins": {"webui": page_grants(names=[f"{CARD}.local"])}}),
        "network/20-lab.network": segment.provision.replace("LinkLocalAddressing", "MulticastDNS=yes\nLinkLocalAddressing"), **files})
    listener = Listener()
    machine.power_on(segment=segment)
    judge(machine, listener)
    return machine


def spoken(segment):
    """A name for setting up: found, the page opened by it, two of one name; and off the network afterwards."""
    machine = machine_of("named", segment, {"name": f"{CARD} setup\n"})
    four, six = Neighbour(segment), Neighbour(segment, 6)
    own = socket.inet_aton(segment.other)
    until(lambda: four.ask(f"{CARD}.local", A, 2), 60 * PATIENCE, 0.5)
    found = four.ask(f"{CARD}.local", A, 5)
    check("names: a neighbour finds the board by its name", found is not None and own in found[0], found)
    if found:
        # What is left of earlier answers would count as one.
        times = sorted(answer[1] for answer in (four.drain() or four.ask(f"{CARD}.local", A, 3) for _ in range(9)) if answer)
        # A responder waits where others may answer as well (RFC 6762, section 6), which nobody does for a name of its own.
        check("names: at once", len(times) == 9, f"{len(times)} of 9 answers, {times[len(times) // 2]:.0f} ms at the median" if times else "none")
    check("names: over IPv6, too", until(lambda: six.ask(f"{CARD}.local", AAAA, 2), 30 * PATIENCE, 0.5))
    check("names: it says nothing of other names", not four.ask("other.local", ANY, 2) and not four.ask("vigil.local", ANY, 2))
    check("names: nor of services", not four.ask("_services._dns-sd._udp.local", PTR, 2))
    # The neighbour's own resolver is not asked: the address is what the answer above has.
    page = ["curl", "-skL", "--max-time", str(30 * PATIENCE), "--resolve", f"{CARD}.local:8443:{segment.other}", f"https://{CARD}.local:8443/"]
    opened = until(lambda: "Image test" in subprocess.run(page, capture_output=True, text=True).stdout, 90 * PATIENCE, 2)
    check("names: the page opens at it", opened)
    strange = subprocess.run([*page[:-3], "--resolve", f"strange.local:8443:{segment.other}", "-o", "/dev/null", "-w", "%{http_code}",
                              "https://strange.local:8443/"], capture_output=True, text=True).stdout
    check("names: and at no other", strange == "421", strange)
    certificate = subprocess.run(f"openssl s_client -connect {segment.other}:8443 </dev/null 2>/dev/null | openssl x509 -noout -ext subjectAltName", shell=True,
                                 capture_output=True, text=True).stdout
    check("names: its certificate has the name", f"{CARD}.local" in certificate, certificate)
    timer = machine.ask("systemctl show -p NextElapseUSecMonotonic --value vigil-name-end.timer").strip()
    check("names: an hour after the start it is to end", timer.startswith("1h"), timer)
    pss = machine.ask("awk '/^Pss:/ { print $2 }' /proc/$(pidof systemd-resolved)/smaps_rollup").strip()
    print(f"     systemd-resolved: {pss} kB PSS with a name")
    machine.ask("systemctl start vigil-name-end.service")
    # What is left of the goodbye.
    while four.hear(2):
        pass
    quiet("names: after setting up", machine, four, six, CARD)
    pss = machine.ask("awk '/^Pss:/ { print $2 }' /proc/$(pidof systemd-resolved)/smaps_rollup").strip()
    print(f"     systemd-resolved: {pss} kB PSS without")
    check("names: the network goes on", until(asking(lambda: machine.ask("networkctl --no-legend | grep -c routable").strip() != "0"), 30 * PATIENCE, 1))
    for one in (four, six):
        one.close()
    machine.cut()


def quiet(what, machine, four, six, name):
    """A neighbour hears nothing: no answer, no packet by itself, no socket behind the door."""
    asked = [link.ask(one, kind, 2) for link in (four, six) for one, kind in [(f"{name}.local", ANY), ("vigil.local", ANY), ("_services._dns-sd._udp.local", PTR)]]
    check(f"{what}: no question is answered", not any(asked), asked)
    check(f"{what}: nothing is said by itself", not four.hear(5) and not six.hear(1))
    check(f"{what}: nothing listens for it", "5353" not in machine.ask("cut -d : -f 3 /proc/net/udp /proc/net/udp6 | cut -d ' ' -f 1 | xargs -r printf '0x%s '"
                                                                     " | xargs -r printf '%d '"))
    check(f"{what}: the door is closed", "5353" not in machine.ask("nft list ruleset"))
    check(f"{what}: it is called vigil, as all are", machine.ask("cat /proc/sys/kernel/hostname").strip() == "vigil")


def silent(segment):
    """The same board without a name: from power-on to the end a neighbour hears no packet."""
    four, six = Neighbour(segment), Neighbour(segment, 6)
    machine = machine_of("nameless", segment, {})
    check("nameless: it is on the neighbour's network", machine.ask(f"grep -c {segment.other} /proc/net/fib_trie || true").strip() != "0")
    check("nameless: nothing was said since power-on", not four.hear(1) and not six.hear(1))
    quiet("nameless", machine, four, six, CARD)
    for one in (four, six):
        one.close()
    machine.cut()
