#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""egress_check.py VIGIL: a real `vigil egress` in a network of its own (Tools/test-egress.sh makes it).

Public addresses lie in another network behind a router, and the name server is a thread of this program: nothing leaves the machine. Ends with
"N passed, M failed".
"""
import array
import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PUBLIC4, PUBLIC6 = "93.184.215.14", "2606:2800:21f:cb07::1"
# Public by their numbers; the board's own, and those of a neighbour on its link.
OWN = {"own4": "8.8.4.10", "own6": "2a01:4f8:1234:1::10", "alone4": "8.8.5.10"}
NEIGHBOURS = {"neighbour4": "8.8.4.20", "neighbour6": "2a01:4f8:1234:1::20"}
NEW_NETWORK = 0x40000000  # CLONE_NEWNET
passed = failed = 0


def check(what, holds):
    global passed, failed
    print(("ok      " if holds else "FAILED  ") + what, flush=True)
    passed, failed = passed + bool(holds), failed + (not holds)


class NameServer:
    """Answers A and AAAA from a table of lists that are used up one by one; the last stays."""

    def __init__(self):
        self.names, self.asked = {}, []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.53", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            question, peer = self.socket.recvfrom(2048)
            labels, at = [], 12
            while question[at]:
                labels.append(question[at + 1 : at + 1 + question[at]].decode())
                at += 1 + question[at]
            name, kind = ".".join(labels).lower(), struct.unpack("!H", question[at + 1 : at + 3])[0]
            self.asked.append(name)
            if name.startswith("mute"):
                continue
            family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
            answers = self.names.get(name)
            addresses = []
            for text in answers[0] if answers else []:
                if family and (":" in text) == (family == socket.AF_INET6):
                    addresses.append(socket.inet_pton(family, text))
            if answers and kind == 28 and len(answers) > 1:
                answers.pop(0)
            flags = 0x8180 if answers else 0x8183
            reply = question[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0) + question[12 : at + 5]
            for address in addresses:
                reply += b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 1, len(address)) + address
            self.socket.sendto(reply, peer)


def socket_in(network, family):
    """A socket belongs to the network in which it was made."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(network, os.O_RDONLY)
    library = ctypes.CDLL(None, use_errno=True)
    if library.setns(there, NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    made = socket.socket(family)
    if library.setns(home, NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(home)
    os.close(there)
    return made


def serve(address, port, network="/proc/self/ns/net"):
    listener = socket_in(network, socket.AF_INET6 if ":" in address else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(100)

    def work():
        while True:
            connection, _ = listener.accept()
            connection.sendall(b"at " + address.encode())
            connection.close()

    threading.Thread(target=work, daemon=True).start()


class Egress:
    def __init__(self, program):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen(
            [program, "egress"], preexec_fn=lambda: os.dup2(theirs.fileno(), 3), close_fds=False, stderr=subprocess.PIPE,
            env={"VIGIL_PLUGIN": "egress", "VIGIL_CONTROL": "3", "VIGIL_HEARTBEAT": "1"})
        theirs.close()
        self.ports = {}

    def say(self, text, descriptor=None):
        with_it = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))] if descriptor else []
        self.control.sendmsg([text.encode()], with_it)

    def admit(self, caller, allow):
        listener = socket.create_server(("127.0.0.1", 0))
        self.ports[caller] = listener.getsockname()[1]
        self.say(f"SOCKS\ncaller={caller}\nallow={allow}", listener.fileno())
        listener.close()

    def go(self, caller, host, port):
        """The reply's code, and what the destination says."""
        with socket.create_connection(("127.0.0.1", self.ports[caller]), 30) as wire:
            wire.settimeout(30)
            name = host.encode()
            wire.sendall(b"\5\1\0\5\1\0\3" + bytes([len(name)]) + name + struct.pack("!H", port))
            said = b""
            while more := wire.recv(4096):
                said += more
            return (said[3] if len(said) >= 12 else None), said[12:].decode()

    def traffic(self):
        path = tempfile.mktemp()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            self.say("EDGE\ncaller=test\ngrants=org.vigil.egress1.GetTraffic", listener.fileno())
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(path)
            wire.sendall(b'{"method":"org.vigil.egress1.GetTraffic"}\0')
            said = b""
            while not said.endswith(b"\0"):
                said += wire.recv(65536)
        os.unlink(path)
        return {caller["name"]: caller for caller in json.loads(said[:-1])["parameters"]["callers"]}


def main():
    names = NameServer()
    internet = f"/proc/{os.environ['INTERNET']}/ns/net"
    for address in ["127.0.0.1", "::1", *OWN.values()]:
        serve(address, 443)
    for address in [PUBLIC4, PUBLIC6, *NEIGHBOURS.values()]:
        serve(address, 443, internet)
    names.names = {
        "both.example": [[PUBLIC6, PUBLIC4]], "four.example": [[PUBLIC4]], "six.example": [[PUBLIC6]],
        "inner.example": [["127.0.0.1", "::1"]],
        "rebinding.example": [[PUBLIC4], ["127.0.0.1"]],
        "half.example": [["127.0.0.1", PUBLIC4]],
        "missing.example.evil.example": [[PUBLIC4]],
        "missing.evil.example": [[PUBLIC4]],
        "mapped.example": [["::ffff:127.0.0.1"]],
    }
    names.names |= {f"{name}.example": [[address]] for name, address in (OWN | NEIGHBOURS).items()}
    egress = Egress(sys.argv[1])
    hosts = ["both", "four", "six", "inner", "rebinding", "half", "missing", "mapped", "mute", "hosts"]
    egress.admit("sync", ",".join(f"{host}.example:443" for host in hosts))
    egress.admit("lan", "inner.example:443!,missing:443")
    egress.admit("stranger", ",".join(f"{host}.example:443" for host in OWN | NEIGHBOURS))
    egress.admit("friend", ",".join(f"{host}.example:443!" for host in OWN | NEIGHBOURS))
    egress.say("START")
    check("READY", egress.control.recv(4096) == b"READY")
    check("a public address of version 4", egress.go("sync", "four.example", 443) == (0, f"at {PUBLIC4}"))
    check("a public address of version 6", egress.go("sync", "six.example", 443) == (0, f"at {PUBLIC6}"))
    check("one of both", egress.go("sync", "both.example", 443)[0] == 0)
    check("/etc/hosts counts", egress.go("sync", "hosts.example", 443) == (0, f"at {PUBLIC4}"))
    check("a private meaning is refused", egress.go("sync", "inner.example", 443) == (2, ""))
    check("and let through where it is named so", egress.go("lan", "inner.example", 443)[0] == 0)
    check("before it is bound to something else", egress.go("sync", "rebinding.example", 443) == (0, f"at {PUBLIC4}"))
    check("after", all(egress.go("sync", "rebinding.example", 443) == (2, "") for _ in range(5)))
    check("the private half of a name is passed over", egress.go("sync", "half.example", 443) == (0, f"at {PUBLIC4}"))
    check("version 4 in the clothes of 6 is refused", egress.go("sync", "mapped.example", 443) == (2, ""))
    for name, address in (OWN | NEIGHBOURS).items():
        check(f"{name}, public by its number, is refused", egress.go("stranger", f"{name}.example", 443) == (2, ""))
        check(f"and {name} is let through where it is named so", egress.go("friend", f"{name}.example", 443) == (0, f"at {address}"))
    check("a search domain makes no other name of it", egress.go("sync", "missing.example", 443) == (4, ""))
    check("nor of a short one", egress.go("lan", "missing", 443) == (4, ""))
    check("the server was not even asked", not any(name.endswith(".evil.example") for name in names.asked))
    check("a name that is not granted is not asked for", egress.go("sync", "leak.example", 443) == (2, "")
          and "leak.example" not in names.asked)
    began = time.monotonic()
    muted = threading.Thread(target=egress.go, args=("sync", "mute.example", 443))
    muted.start()
    time.sleep(0.2)
    check("another caller does not wait for a mute server", egress.go("lan", "inner.example", 443)[0] == 0
          and time.monotonic() - began < 2)
    muted.join()
    check("and the muted one is told in time", time.monotonic() - began < 12)
    traffic = egress.traffic()
    check("counted by rule", traffic["sync"]["refusals"].get("privateAddress") == 7
          and traffic["sync"]["refusals"].get("notListed") == 1)
    curl = subprocess.run(
        ["curl", "-sS", "--noproxy", "", "--socks5-hostname", f"127.0.0.1:{egress.ports['sync']}", "http://four.example:443/",
         "--http0.9"], capture_output=True, text=True, timeout=30)
    check("curl", curl.stdout == f"at {PUBLIC4}")
    egress.say("STOP")
    check("it stops in order", egress.process.wait(10) == 0)
    log = egress.process.stderr.read().decode()
    check("the log says which rule", "rule=privateAddress" in log and "grants file" in log)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
