# SPDX-License-Identifier: Apache-2.0
"""The board's name on the network: a neighbour asks for it by multicast DNS and opens the page there, hears nothing of a board that has no name,
and nothing after setting up; and what a board does that finds its name taken. Of Tools/test-image.py."""
import contextlib
import json
import socket
import struct
import subprocess
import time

import scan
from boardkit import check, until
from machines import PATIENCE, START_SECONDS, Listener, Machine, asking, judge, page_grants

# RFC 6762, section 3.
GROUP, GROUP6, PORT = "224.0.0.251", "ff02::fb", 5353
A, AAAA, ANY, PTR = 1, 28, 255, 12
CARD = "vg-7k3m-q0r1x"
# Seconds in place of the hour, once it has been seen that it is one.
SOON = 5
# QEMU's own network, by which the operator gets in, has nobody to ask for a name; and whatever QEMU did with the board's packets there, nothing of
# it would be the neighbour's.
OUT = "[Match]\nMACAddress=52:54:00:12:34:56\n[Network]\nDHCP=yes\nLLMNR=no\nMulticastDNS=no\n[DHCPv4]\nClientIdentifier=mac\nUseHostname=no\nSendHostname=no\n" \
    "[Link]\nRequiredForOnline=no\n"
RESOLVED_MEMORY = "awk '/^Pss:/ { print $2 }' /proc/$(pidof systemd-resolved)/smaps_rollup"


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

    def heard(self):
        """What has come since somebody looked last. None of it was asked for if nothing was asked on this link."""
        packets = []
        while packet := self.hear(0.2):
            packets.append(packet)
        return packets

    def hold(self, name, seconds):
        """Says for so long, as the board that was there first, that the name is its own. Returns how many of the other's questions it answered."""
        end, defended = time.monotonic() + seconds, 0
        # The cache-flush bit: there is no other (RFC 6762, section 10.2).
        claim = struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0) + encoded(name) + struct.pack("!HHIH", A, 0x8001, 120, 4) + socket.inet_aton(self.segment.own)
        while (left := end - time.monotonic()) > 0:
            packet = self.hear(left)
            if packet and not packet[2] & 0x80 and encoded(name)[:-1] in packet:
                self.link.sendto(claim, self.place)
                defended += 1
        return defended


def names():
    segment = scan.Segment()
    try:
        spoken(segment)
        silent(segment)
    finally:
        segment.close()


def machine_of(name, segment, files, meanwhile=None):
    """`meanwhile`: what a neighbour does as soon as the machine is on."""
    machine = Machine(name, ports=(8443,), files={
        "grants.json": json.dumps({"plugins": {"webui": page_grants(names=[f"{CARD}.local"])}}),
        "network/20-lab.network": segment.provision.replace("LinkLocalAddressing", "MulticastDNS=yes\nLinkLocalAddressing"), "network/20-out.network": OUT, **files})
    listener = Listener()
    machine.power_on(segment=segment)
    if meanwhile:
        meanwhile(machine)
    judge(machine, listener)
    return machine


def spoken(segment):
    """A name for setting up: found, the page opened by it, another one when it is taken; and off the network when its time is over."""
    four, six, own = Neighbour(segment), Neighbour(segment, 6), socket.inet_aton(segment.other)
    first = []

    def asked_from_the_start(machine):
        until(lambda: first.append(four.ask(f"{CARD}.local", A, 1)) or first[-1], START_SECONDS, 0.1)
        found = first[-1] if first else None
        check("names: a neighbour finds the board by its name", found is not None and own in found[0],
              f"{time.monotonic() - machine.began:.1f} s after power-on, question {len(first)}")

    machine = machine_of("named", segment, {"name": f"{CARD} setup\n"}, asked_from_the_start)
    unasked = six.heard()
    said = sum(bool(packet[2] & 0x80) for packet in unasked)
    check("names: it has looked whether the name is free, and said that it has it", 0 < said < len(unasked),
          f"{len(unasked) - said} questions and {said} announcements over IPv6, where nobody had asked it")
    # What is left of earlier answers would count as one.
    times = sorted(answer[1] for answer in (four.drain() or four.ask(f"{CARD}.local", A, 3 * PATIENCE) for _ in range(9)) if answer)
    # A responder waits where others may answer as well (RFC 6762, section 6), which nobody does for a name of its own.
    check("names: at once", len(times) == 9, f"{len(times)} of 9 answers, {times[len(times) // 2]:.0f} ms at the median" if times else "none")
    found = six.ask(f"{CARD}.local", AAAA, 30 * PATIENCE)
    check("names: over IPv6, too", found is not None and socket.inet_pton(socket.AF_INET6, segment.other6) in found[0], found and f"{found[1]:.0f} ms")
    four.drain()
    six.drain()
    check("names: it says nothing of other names", not four.ask("other.local", ANY, 2 * PATIENCE) and not four.ask("vigil.local", ANY, 2 * PATIENCE))
    check("names: nor of services", not four.ask("_services._dns-sd._udp.local", PTR, 2 * PATIENCE))
    page_at(segment)
    # What `quiet` looks for later is there now.
    check("names: it listens, behind an open door", listens(machine) and has_door(machine))
    timer = machine.ask("systemctl show -p NextElapseUSecMonotonic --value vigil-name-end.timer").strip()
    check("names: an hour after the start it is to end", timer.startswith("1h"), timer)
    print(f"     systemd-resolved: {machine.ask(RESOLVED_MEMORY).strip()} kB PSS with a name")
    taken(machine, four)
    over(machine, four, six)
    for one in (four, six):
        one.close()
    machine.cut()


def page_at(segment):
    """The page is there by the name, as a browser asks for it, and by no name that is not the board's."""
    # The neighbour's own resolver is not asked: the address is what the answer above has.
    curl = ["curl", "-sk", "--max-time", str(30 * PATIENCE)]
    page = [*curl, "--resolve", f"{CARD}.local:8443:{segment.other}", f"https://{CARD}.local:8443/", "-L"]
    check("names: the page opens at it", until(lambda: "Image test" in subprocess.run(page, capture_output=True, text=True).stdout, 90 * PATIENCE, 2))
    strange = subprocess.run([*curl, "--resolve", f"strange.local:8443:{segment.other}", "-o", "/dev/null", "-w", "%{http_code}",
                              "https://strange.local:8443/"], capture_output=True, text=True).stdout
    check("names: and at no other", strange == "421", strange)
    certificate = subprocess.run(f"openssl s_client -connect {segment.other}:8443 </dev/null 2>/dev/null | openssl x509 -noout -ext subjectAltName", shell=True,
                                 capture_output=True, text=True, timeout=60 * PATIENCE).stdout
    check("names: its certificate has the name", f"{CARD}.local" in certificate, " ".join(certificate.split()))


def taken(machine, neighbour):
    """Somebody else had the name first: the board comes to it as it comes into a network, and takes another."""
    says = asking(lambda: "conflict" in machine.ask("journalctl -u systemd-resolved -o cat --no-pager").lower())
    neighbour.drain()
    machine.ask("systemctl restart --no-block systemd-resolved.service")
    defended = neighbour.hold(f"{CARD}.local", 10 * PATIENCE)
    told = until(says, 30 * PATIENCE, 1)
    lines = machine.ask("journalctl -u systemd-resolved -o cat --no-pager | grep -i conflict || true").strip().splitlines()
    check("names: of two boards the later one takes another name, and its journal says so", told and defended, f"{defended} questions refused it; {lines[-1:]}")
    neighbour.drain()
    check("names: and leaves the name to the other", not neighbour.ask(f"{CARD}.local", A, 2 * PATIENCE))
    machine.ask("systemctl restart --no-block systemd-resolved.service")
    # Somebody tries again and again, as fast as there are answers and ten times a second where there are none. An answer is no reason to stop: what
    # would follow from it comes a moment later.
    end, answered = time.monotonic() + 12 * PATIENCE, 0
    while time.monotonic() < end:
        answered += neighbour.ask(f"{CARD}.local", A, 0.1) is not None
    neighbour.drain()
    kept = neighbour.ask(f"{CARD}.local", A, 3 * PATIENCE)
    check("names: once the other is gone a start brings the name back, however often somebody asks meanwhile", answered and kept, f"{answered} answers meanwhile")


def over(machine, four, six):
    """The timer is let run out, not the service started: who starts it is part of what is shown."""
    place = "/run/systemd/system/vigil-name-end.timer.d"
    four.drain()
    six.drain()
    machine.ask(f"mkdir -p {place} && printf '[Timer]\nOnActiveSec=\nOnActiveSec={SOON}s\nAccuracySec=1s\n' >{place}/soon.conf && systemctl daemon-reload"
                " && systemctl restart vigil-name-end.timer")
    ended = "systemctl show -p Result -p ExecMainStatus -p ExecMainExitTimestampMonotonic vigil-name-end.service"
    is_over = until(asking(lambda: "ExecMainExitTimestampMonotonic=0" not in machine.ask(ended)), (SOON + 60) * PATIENCE, 1)
    said = " ".join(machine.ask(ended).split())
    check("names: its timer takes the name away", is_over and "Result=success" in said and "ExecMainStatus=0" in said, said)
    # A goodbye to the name may be the last that is heard, and another name must not be.
    last = [packet for link in (four, six) for packet in link.heard()]
    check("names: as it ends, no other name is said", all(encoded(f"{CARD}.local")[:-1] in packet for packet in last), f"{len(last)} packets")
    quiet("names: after setting up", machine, four, six, CARD)
    machine.ask("systemctl reload nftables.service")
    check("names: a firewall that is loaded again opens no door for it", not has_door(machine))
    print(f"     systemd-resolved: {machine.ask(RESOLVED_MEMORY).strip()} kB PSS without")
    check("names: the network goes on", until(asking(lambda: machine.ask("networkctl --no-legend | grep -c routable").strip() != "0"), 30 * PATIENCE, 1))


def listens(machine):
    """Whether any socket of the machine is bound to the port of multicast DNS."""
    local = [line.split()[1] for line in machine.ask("cat /proc/net/udp /proc/net/udp6").splitlines() if ":" in line]
    return any(int(address.split(":")[1], 16) == PORT for address in local)


def has_door(machine):
    return str(PORT) in machine.ask("nft list ruleset")


def quiet(what, machine, four, six, name):
    """A neighbour hears nothing: no answer, no packet by itself, no socket behind the door."""
    asked = [link.ask(one, kind, 2) for link in (four, six) for one, kind in [(f"{name}.local", ANY), ("vigil.local", ANY), ("_services._dns-sd._udp.local", PTR)]]
    check(f"{what}: no question is answered", not any(asked), asked)
    check(f"{what}: nothing is said by itself", not four.hear(5) and not six.hear(1))
    check(f"{what}: nothing listens for it", not listens(machine))
    check(f"{what}: the door is closed", not has_door(machine))
    check(f"{what}: it is called vigil, as all are", machine.ask("cat /proc/sys/kernel/hostname").strip() == "vigil")


def silent(segment):
    """The same board without a name: from power-on to the end a neighbour hears no packet."""
    four, six = Neighbour(segment), Neighbour(segment, 6)
    machine = machine_of("nameless", segment, {})
    check("nameless: it is on the neighbour's network", segment.other in machine.ask("cat /proc/net/fib_trie"))
    check("nameless: nothing was said since power-on", not four.hear(1) and not six.hear(1))
    quiet("nameless", machine, four, six, CARD)
    for one in (four, six):
        one.close()
    machine.cut()
