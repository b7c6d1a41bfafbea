#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything a server of keys can do wrong, done to whole boards: the real sync plugin, egress and core under `vigil run`, catching up 14 days
through a TLS server that breaks off, lies, drips, loops, refuses, replays, bombs, or cannot be found.

In each board's store lie sightings of people of every one of the 14 days, whose keys are among those published. A fault is survived when
nothing was restarted, it was counted, its sentence is one for people, and nothing is left in the spool. When the fault is over, the core
must have matched every key exactly once: its exposure windows are those that `vigil match` finds in the same files and sightings, and its
audit log counts every published key once.

Two boards more have met nobody and look at a server that was honest and gives, from then on, one old file for whatever is asked for, or the lists of that
day and no others. Their own clocks are set by hand, two days pass in steps, and they must say that what they know is out of date, in time and in every place.

After a fault the plugin waits for minutes and hours. Those are passed by making its journal a day older while it does not run; what must
be waited for really (Retry-After) is waited for.

Usage: test-faults.py FOLDER-WITH-EXECUTABLES [--only NAME,NAME] [--short] [--seed N] [--cuts N]
Ends with "N passed, M failed". Needs root, openssl.
"""
import argparse
import collections
import email.utils
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zipfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{ROOT}/Tests/System/Browser")
from intruder import Client  # noqa: E402

DAY = 86_400
DAYS = 14
FILES_PER_DAY = 10
NAME = "keys.vigil.test"

options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
options.add_argument("bin", help="folder with executables")
options.add_argument("--only", help="boards, by name")
options.add_argument("--short", action="store_true", help="a share, in less than a minute")
options.add_argument("--seed", type=int, default=5)
options.add_argument("--cuts", type=int, help="boards of which every answer breaks off twice; 3, with --short 1")
options.add_argument("--verbose", action="store_true")
options = options.parse_args()
BIN = os.path.abspath(options.bin)
FOLDER = tempfile.mkdtemp(prefix="vigil-faults.")
os.chmod(FOLDER, 0o755)
lock = threading.Lock()
passed = failed = 0
processes = {}


def check(name, good, detail=""):
    global passed, failed
    with lock:
        if good:
            passed += 1
        else:
            failed += 1
        print(f"{'ok  ' if good else 'FAIL'} {name}{': ' + str(detail) if detail != '' else ''}", flush=True)
    return good


def run(*words, seconds=120, **more):
    result = subprocess.run(words, capture_output=True, text=True, timeout=seconds, **more)
    if result.returncode:
        raise RuntimeError(f"{' '.join(map(str, words[:4]))}: {result.stderr[-400:]}")
    return result.stdout


def until(condition, seconds=20.0, step=0.05):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return True
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(step)
    return False


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


# MARK: What is published


def iso(day):
    return time.strftime("%Y-%m-%d", time.gmtime(day * DAY))


class World:
    """Keys of 14 days in signed packages, and what a board heard of some of them."""

    def __init__(self):
        self.today = int(time.time()) // DAY
        run(f"{BIN}/vigil-authority", "init", "--state", f"{FOLDER}/authority")
        run(f"{BIN}/vigil-authority", "keys", "--state", f"{FOLDER}/authority", "--out", f"{FOLDER}/keys")
        run(f"{BIN}/vigil-authority", "publish", "--state", f"{FOLDER}/authority", "--early", "--quiet")
        run(f"{BIN}/vigil", "export", "keygen", "--private-key", f"{FOLDER}/stranger.pem", "--public-key", f"{FOLDER}/stranger-public.pem")
        self.older = self.number_anew()
        self.people()
        self.plant()
        self.packages()

    def number_anew(self):
        """Has the authority publish another configuration, with a higher number; returns the one before, as it was signed."""
        path = f"{FOLDER}/authority/public/version/v2/app_config_android/index.zip"
        with open(path, "rb") as file:
            older = file.read()
        configuration = json.loads(read(f"{FOLDER}/authority/configuration.json"))
        configuration["version"] += 1
        configuration["appConfig"]["latestVersionCode"] = configuration["appConfig"].get("latestVersionCode", 0) + 1
        write(f"{FOLDER}/authority/configuration.json", json.dumps(configuration))
        run(f"{BIN}/vigil-authority", "publish", "--state", f"{FOLDER}/authority", "--quiet")
        with open(path, "rb") as file:
            assert file.read() != older, "the configuration is the same"
        return older

    def people(self):
        """A scenario of the lab has encounters two and five days before its present; eleven presents make 14 days."""
        header, keys, rows = "", [], []
        for number, back in enumerate(range(-1, 10)):
            place = f"{FOLDER}/scenario-{number}"
            os.mkdir(place)
            run(f"{BIN}/vigil-lab", "scenario", place, "--keys", "2", "--strangers", "20", "--now", str((self.today - back) * DAY + 43_200),
                "--seed", str(options.seed * 100 + number))
            lines = read(f"{place}/keys.csv").split("\n")
            header, met = lines[0], lines[1:3]
            keys += met
            # Those of strangers may lie outside the 14 days.
            rows += [line for line in read(f"{place}/sightings.csv").strip().split("\n")[1:]
                     if self.today - DAYS <= int(line.split(",")[0]) // DAY < self.today]
        self.header, self.met = header, keys
        write(f"{FOLDER}/sightings.csv", "time,previous_scan,rssi,rpi,aem\n" + "\n".join(sorted(rows)) + "\n")
        # By the day the key was in use; published the day after.
        start = header.split(",").index("rolling_start")
        chance = random.Random(options.seed)
        self.keys = collections.defaultdict(list)
        for line in keys:
            self.keys[int(line.split(",")[start]) // 144].append(line)
        met_days = set(self.keys)
        assert met_days == set(range(self.today - DAYS, self.today)), sorted(self.today - day for day in met_days)
        for day in range(self.today - DAYS, self.today):
            for _ in range(100):
                key = "".join(f"{chance.randrange(256):02x}" for _ in range(16))
                values = dict(zip(header.split(","), keys[0].split(",")), key=key, rolling_start=str(day * 144))
                self.keys[day].append(",".join(values[name] for name in header.split(",")))
            chance.shuffle(self.keys[day])
        self.key_count = sum(map(len, self.keys.values()))

    def plant(self):
        self.store = f"{FOLDER}/store"
        print("    ", run(f"{BIN}/vigil-lab", "plant", "--sightings", f"{FOLDER}/sightings.csv", "--data", self.store).strip(),
              f"with {len(self.met)} people whose keys are published, among {self.key_count}")

    def package(self, name, keys, start, end, signer=None):
        path = write(f"{FOLDER}/packages/{name}.csv", "\n".join([self.header, *keys]) + "\n")
        out = f"{FOLDER}/packages/{name}.zip"
        run(f"{BIN}/vigil", "export", "create", "--keys", path, "--signing-key", signer or f"{FOLDER}/authority/keys/export.pem",
            "--key-name", "262-v1", "--region", "EUR", "--start", str(start), "--end", str(end), "--output", out)
        with open(out, "rb") as file:
            return file.read()

    def packages(self):
        os.mkdir(f"{FOLDER}/packages")
        hour_now = int(time.time()) % DAY // 3_600
        base = "/version/v1/diagnosis-keys/country/EUR/date"
        public = f"{FOLDER}/authority/public"
        documents = {}
        for path in ["/version/v2/app_config_android", "/version/v1/vigil_config", "/version/v1/risk_config"]:
            with open(f"{public}{path}/index.zip", "rb") as file:
                documents[path] = file.read()
        self.cwa, self.list = dict(documents), dict(documents)
        days = range(self.today - DAYS + 1, self.today)
        for day in days:
            self.cwa[f"{base}/{iso(day)}"] = self.package(f"d{day}", self.keys[day - 1], day * DAY, (day + 1) * DAY)
        self.cwa[base] = json.dumps([iso(day) for day in days]).encode()
        # What was in use yesterday comes in the hours of today.
        hours = range(max(1, hour_now))
        for hour in hours:
            start = self.today * DAY + hour * 3_600
            self.cwa[f"{base}/{iso(self.today)}/hour/{hour}"] = self.package(
                f"h{hour}", self.keys[self.today - 1][hour::len(hours)], start, start + 3_600)
        self.cwa[f"{base}/{iso(self.today)}/hour"] = json.dumps(list(hours)).encode()
        self.hours = [f"{base}/{iso(self.today)}/hour/{hour}" for hour in hours]
        self.days = [f"{base}/{iso(day)}" for day in days]
        self.day_index, self.hour_index = base, f"{base}/{iso(self.today)}/hour"
        # The same keys again as exposure-notifications-server has them: many small files behind a list.
        self.names = []
        for day in range(self.today - DAYS, self.today):
            for part in range(FILES_PER_DAY):
                # What was in use until midnight cannot be of later than now.
                start = (day + 1) * DAY - (FILES_PER_DAY - part) * 3_600
                name = f"EUR/{start}-{start + 3_600}-00001.zip"
                self.list["/ens/" + name] = self.package(f"l{start}", self.keys[day][part::FILES_PER_DAY], start, start + 3_600)
                self.names.append(name)
        self.list["/ens/index.txt"] = ("\n".join(self.names) + "\n").encode()
        all_keys = [line for day in sorted(self.keys) for line in self.keys[day]]
        self.package("all", all_keys, (self.today - DAYS) * DAY, self.today * DAY)
        # By somebody nobody knows, under the right name.
        self.forged = self.package("forged", self.keys[self.today - 2], (self.today - 1) * DAY, self.today * DAY, f"{FOLDER}/stranger.pem")

    def expected(self):
        """What has to be found, by another way through the same sightings."""
        dump = run(f"{BIN}/vigil-lab", "sightings", "--data", self.store, "--forms", "matcher")
        write(f"{FOLDER}/planted.csv", dump)
        report = json.loads(run(
            f"{BIN}/vigil", "match", "--keys", f"{FOLDER}/packages/all.zip", "--verify", f"262-v1={FOLDER}/keys/export-262-v1.pem", "--sightings",
            f"{FOLDER}/planted.csv", "--json"))
        return sorted((window["date"], *[scan["secondsSinceLastScan"] for scan in window["scanInstances"]]) for window in report["exposureWindows"])


# MARK: Bombs


def archive(entries, central=None):
    """A zip by hand: (name, packed bytes, size it has or claims, its sum, method)."""
    out, directory = io.BytesIO(), []
    for name, packed, size, total, method in entries:
        directory.append((name, packed, size, total, method, out.tell()))
        out.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, method, 0, 33, total, len(packed), size, len(name), 0) + name + packed)
    start = out.tell()
    for name, packed, size, total, method, place in central(directory) if central else directory:
        out.write(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, method, 0, 33, total, len(packed), size, len(name), 0, 0, 0, 0, 0, place) + name)
    count = min(0xFFFF, len(central(directory)) if central else len(directory))
    out.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, out.tell() - start, start, 0))
    return out.getvalue()


def bombs(good):
    """Each by what it is."""
    with zipfile.ZipFile(io.BytesIO(good)) as file:
        signature, export = file.read("export.sig"), file.read("export.bin")
    stored = lambda name, content: (name, content, len(content), zlib.crc32(content), 0)
    # After a full flush the packer starts anew, so the same bytes stand for the same zeros as often as one likes.
    piece = 1 << 24
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    count = (4 << 30) // piece - 1
    total, zeros = 0, bytes(piece)
    small = block * 4 + b"\x03\x00"
    for _ in range(count):
        total = zlib.crc32(zeros, total)
    gigabytes = block * count + b"\x03\x00"
    honest = archive([(b"export.bin", gigabytes, count * piece, total, 8), stored(b"export.sig", signature)])
    lying = archive([(b"export.bin", gigabytes, len(export), total, 8), stored(b"export.sig", signature)])
    in_signature = archive([stored(b"export.bin", export), (b"export.sig", gigabytes, count * piece, total, 8)])
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    inner = packer.compress(honest) + packer.flush()
    nested = archive([(b"export.bin", inner, len(honest), zlib.crc32(honest), 8), stored(b"export.sig", signature)])
    wrapped = archive([stored(b"inner.zip", nested)])
    many = archive([stored(b"export.bin", export), stored(b"export.sig", signature)] + [stored(b"%05d" % n, b"") for n in range(60_000)])
    kernel = (b"export.bin", gigabytes, count * piece, total, 8)
    overlapping = archive([kernel], lambda found: [(b"export.bin" if n == 0 else b"export.sig", *found[0][1:]) for n in range(2)])
    quoted = archive([kernel], lambda found: [(b"%05d" % n, *found[0][1:]) for n in range(30_000)])
    twice = archive([stored(b"export.bin", export), stored(b"export.bin", export), stored(b"export.sig", signature)])
    outside = archive([stored(b"../../export.bin", export), stored(b"export.sig", signature)])
    configuration = archive([(b"export.bin", small, 4 * piece, zlib.crc32(bytes(4 * piece)), 8), stored(b"export.sig", signature)])
    print(f"     bombs: {count * piece / 1e9:.1f} GB of zeros in {len(honest)} bytes")
    return {
        "gigabytes of zeros": honest, "gigabytes that claim to be a few": lying, "gigabytes of signatures": in_signature,
        "a bomb in a bomb": nested, "a zip in a zip": wrapped, "60,000 entries": many, "two entries on one": overlapping,
        "30,000 entries on one": quoted, "an entry twice": twice, "an entry outside": outside,
    }, configuration


# MARK: The server


class Certificates:
    def __init__(self):
        place = f"{FOLDER}/certificates"
        os.mkdir(place)
        run("sh", f"{ROOT}/Tests/Support/FaultServer/make-certificates.sh", place, f",IP:127.0.0.1,DNS:{NAME}")
        self.authority, self.contexts = read(f"{place}/authority.pem"), {}
        for name in ["good", "expired", "early", "misnamed", "unknown"]:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{place}/{name}.pem", f"{place}/{name}.key")
            self.contexts[name] = context
        warnings.simplefilter("ignore")
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.load_cert_chain(f"{place}/good.pem", f"{place}/good.key")
        self.contexts["old"] = old


class Request:
    def __init__(self, door, path, headers, number, overall):
        self.door, self.path, self.headers = door, path, headers
        # How often this path, and how often anything, was asked for since the fault began.
        self.number, self.overall = number, overall

    @property
    def is_package(self):
        return bool(re.search(r"/date/[0-9-]+$|/hour/\d+$|\.zip$", self.path))

    @property
    def is_index(self):
        return self.path.endswith(("/date", "/hour", "index.txt"))

    def good(self, body=None, status=None, extra=(), length=None):
        """The right answer, or the same with something else in it."""
        content = self.door.site.get(self.path) if body is None else body
        if content is None:
            status, content = status or 404, b"no"
        tag = hashlib.md5(content).hexdigest()
        lines = [f"HTTP/1.1 {status or 200} X", "Date: " + email.utils.formatdate(time.time() + self.door.clock, usegmt=True),
                 "Cache-Control: public, max-age=300", f'ETag: "{tag}"',
                 f"Set-Cookie: board={self.door.overall}", *extra]
        if (status or 200) != 304:
            lines.append(f"Content-Length: {len(content) if length is None else length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + content

    def status(self, number, *extra):
        return self.good(b"no, sorry", number, extra)


class Door:
    """One board's way to the keys: a TLS server on a port of its own, and what is wrong with it at the moment.

    `fault` is given each request and answers None (nothing is wrong), bytes, or a list of bytes, seconds to wait, and last of all `close`
    (says goodbye properly), `drop` (does not) or `keep`."""

    def __init__(self, site, certificates):
        self.site, self.certificates = site, certificates
        self.fault, self.context, self.clock = None, "good", 0
        # The header lines of all requests, and whether a session of TLS was resumed: by more than one of them this board could be known again.
        self.heads = set()
        self.log, self.counts, self.overall = [], collections.Counter(), 0
        self.port = None
        self.listener = None
        self.open()

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port or 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def shut(self):
        # Whoever waits in accept holds the port; shutdown wakes it.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self, listener):
        while True:
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(stream,), daemon=True).start()

    def set(self, fault=None, context="good", clock=0):
        self.fault, self.context, self.clock = fault, context, clock
        self.counts.clear()
        self.overall = 0

    def one(self, stream):
        stream.settimeout(120)
        try:
            if self.context == "silent":
                time.sleep(60)
                return
            if self.context == "plain":
                stream.recv(4096)
                stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
                return
            stream = self.certificates.contexts[self.context].wrap_socket(stream, server_side=True)
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    more = stream.recv(65_536)
                    if not more:
                        return
                    rest += more
                head, rest = rest.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                headers = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
                path = lines[0].split(" ")[1]
                self.heads.add((*sorted(headers.items()), stream.session_reused))
                self.counts[path] += 1
                self.overall += 1
                self.log.append((time.time(), path))
                request = Request(self, path, headers, self.counts[path], self.overall)
                answer = self.fault(request) if self.fault else None
                if not self.send(stream, request.good() if answer is None else answer):
                    return
        except (OSError, ValueError):
            pass
        finally:
            try:
                stream.close()
            except OSError:
                pass

    @staticmethod
    def send(stream, answer):
        for part in answer if isinstance(answer, list) else [answer]:
            if isinstance(part, bytes):
                stream.sendall(part)
            elif part == "close":
                stream.settimeout(2)
                stream.unwrap()
                return False
            elif part == "drop":
                return False
            elif part != "keep":
                time.sleep(part)
        return True


class Names(threading.Thread):
    """A name server that knows one name, and what is wrong with it."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address = "127.83.5.3"
        self.socket.bind((self.address, 53))
        self.fault = None
        self.start()

    def run(self):
        while True:
            query, sender = self.socket.recvfrom(2048)
            if self.fault == "silent":
                continue
            question = query[12:]
            question = question[:question.index(b"\0") + 5]
            code = {"unknown": 3, "broken": 2}.get(self.fault, 0)
            is_v4 = question[-4:-2] == b"\0\1" and code == 0
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x7f\0\0\1" if is_v4 else b""
            self.socket.sendto(query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, int(is_v4), 0, 0) + question + answer, sender)


# MARK: A board

# Whatever is counted is right.
ANY = {"any"}

NOT_FOR_PEOPLE = re.compile(
    r"\bE[A-Z]{3,}\b|\b(errno|CURL\w*|Optional|nil)\b|0x[0-9a-fA-F]|\b(?=\d*[a-f])[0-9a-f]{8,}\b|\w\(\)|\bk-\w+\.zip|\bstatus \d|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}[a-z]\w*|/[a-z]+/")


def sentence_fault(text):
    """Why a sentence is none for people; a stable word in brackets is for looking it up."""
    if not text:
        return "nothing is said"
    plain = re.sub(r" \[[A-Za-z]+( \d{3})?\]", "", text)
    found = NOT_FOR_PEOPLE.search(plain)
    if found:
        return f"{found.group(0)!r} in it"
    return None if len(plain.split()) >= 5 else "too short to help"


class Board:
    users = 70_000

    def __init__(self, name, world, certificates, kind="cwa", host="127.0.0.1", wrapper=(), spread=3_600, clock=None):
        """With `clock` (Unix seconds), which is its time at first, it has met nobody; it has the authority's rules, and a page."""
        self.name, self.world, self.kind, self.spread, self.clock = name, world, kind, spread, clock
        self.place = f"{FOLDER}/{name}"
        self.door = Door(world.cwa if kind == "cwa" else world.list, certificates)
        self.host, self.wrapper = host, list(wrapper)
        self.rows = []
        # A board asks by itself at a random moment of its first hour. Before the first fault it gets nothing, so that this is no run without one.
        self.door.set(lambda request: request.status(503))
        self.packages = sum(1 for path in self.door.site if re.search(r"/date/[0-9-]+$|/hour/\d+$|\.zip$", path))

    def begin(self):
        os.makedirs(f"{self.place}/data")
        shutil.copytree(f"{ROOT}/Plugins/Sync", f"{self.place}/plugins/sync", ignore=shutil.ignore_patterns("Sources"))
        if self.clock:
            shutil.copytree(f"{ROOT}/Plugins/WebUI", f"{self.place}/plugins/webui", ignore=shutil.ignore_patterns("Sources"))
            os.makedirs(f"{self.place}/data/core")
        else:
            shutil.copytree(self.world.store, f"{self.place}/data/core")
        # What a plugin may have of processes is counted by user: each board has users of its own, as if it were a machine of its own.
        with lock:
            Board.users += 64
            user = Board.users
        write(f"{self.place}/vigil.json", json.dumps({"firstUser": user}))
        for base, _, files in os.walk(f"{self.place}/data/core"):
            for path in [base, *[f"{base}/{file}" for file in files]]:
                os.chown(path, user, user)
        key = "".join(line for line in read(f"{FOLDER}/keys/config-262-v1.pem").splitlines() if "-----" not in line)
        source = {"name": "home", "kind": self.kind, "base": f"https://{self.host}:{self.door.port}", "config": "version/v2/app_config_android",
                  "vigilConfig": "version/v1/vigil_config", "spreadSeconds": self.spread}
        source.update({"country": "EUR"} if self.kind == "cwa" else {"base": source["base"] + "/ens", "index": "index.txt"})
        if self.kind == "index":
            for path in ["version/v2/app_config_android", "version/v1/vigil_config"]:
                self.door.site["/ens/" + path] = self.door.site["/" + path]
        grants = {"sync": {
            "enabled": True,
            "calls": {"org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"]},
            "endpoints": {"distribution": [{"host": self.host, "port": self.door.port, "private": True}]},
            "settings": {"authorities": self.door.certificates.authority, "configKeys": [{"name": "262-v1", "key": key}], "sources": [source]}}}
        if self.clock:
            source["rules"] = "version/v1/risk_config"
            grants["sync"]["calls"]["org.vigil.risk1"] = ["TakeConfiguration"]
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.page = probe.getsockname()[1]
            with open(f"{self.place}/plugins/webui/plugin.json") as file:
                wants = json.load(file)["wants"]
            grants["webui"] = {"enabled": True, "calls": {want["interface"]: want["methods"] for want in wants},
                               "listens": {"web": {"address": "127.0.0.1", "port": self.page}}, "settings": {}}
        write(f"{self.place}/grants.json", json.dumps({"plugins": grants}))
        log = open(f"{self.place}/log", "ab")
        self.process = processes[self.name] = subprocess.Popen(
            [*self.wrapper, f"{BIN}/vigil", "run", "--config", f"{self.place}/vigil.json", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{self.place}/data", "--run", f"{self.place}/run",
             "--plugins", f"{self.place}/plugins", "--grants", f"{self.place}/grants.json", "--enable", "--level", "debug",
             "--verify", f"262-v1={FOLDER}/keys/export-262-v1.pem", "--config-key", f"262-v1={FOLDER}/keys/config-262-v1.pem"], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=FOLDER)
        # Who holds this board in hands says what time it is; nobody signs it here, or it would not matter what the server's clock shows.
        up = until(lambda: self.call("org.vigil.exposure1.GetStatus"), 60, 0.2)
        if up:
            self.ctl("time", "set", str(self.clock or "now"))
        if not up or not until(lambda: self.call("org.vigil.exposure1.GetStatus")["status"]["timeState"] == "plausible", 20):
            raise RuntimeError(f"{self.name} does not come up: {read(self.place + '/log')[-600:]}")
        self.core = self.state("core")["pid"]

    def ctl(self, *words):
        return run(f"{BIN}/vigil", "ctl", *words, "--run", f"{self.place}/run")

    def call(self, method, parameters=None, more=False, watch=False):
        """One call; with `more` all its replies, with `watch` the first of those that have no end."""
        interface = method.rpartition(".")[0]
        path = f"{self.place}/run/" + (
            "ctl.sock" if interface[10:].rstrip("1") in ("access", "device", "exposure", "indicator", "risk") else "console/" + interface)
        request = {"method": method, "parameters": parameters or {}}
        if more or watch:
            request["more"] = True
        replies = []
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(30)
            link.connect(path)
            link.sendall(json.dumps(request).encode() + b"\0")
            buffer = b""
            while True:
                while b"\0" not in buffer:
                    part = link.recv(65_536)
                    if not part:
                        raise ConnectionError(method)
                    buffer += part
                text, buffer = buffer.split(b"\0", 1)
                reply = json.loads(text)
                if "error" in reply:
                    raise ValueError(f"{method}: {reply['error']} {reply.get('parameters')}")
                replies.append(reply["parameters"])
                if watch:
                    return replies[0]
                if not reply.get("continues"):
                    return replies if more else replies[0]

    def state(self, name):
        document = json.loads(read(f"{self.place}/run/supervisor.json"))
        return {process["name"]: process for process in document["processes"]}[name]

    def freshness(self):
        return self.call("org.vigil.sync1.GetFreshness")["freshness"]

    def source(self):
        return self.freshness()["sources"][0]

    def spool(self):
        """The folder lies in a file system of its own, perhaps in a name space of its own."""
        return os.listdir(f"/proc/{self.process.pid}/root{self.place}/run/spool/sync")

    # Steps

    def sync(self, seconds=90, again=False):
        """Asks for a run and waits for its end; gives the source's account of it."""
        last = self.source().get("lastAttempt", 0)
        if last >= int(time.time()):
            time.sleep(1.1)
        self.call("org.vigil.sync1.SyncNow")
        # Not asked more often than it takes for the plugin to have answered each time.
        done = until(lambda: (lambda now: not now["running"] and now["sources"][0].get("lastAttempt", 0) > last)(self.freshness()), seconds, 0.2)
        if not done:
            raise RuntimeError(f"{self.name}: no run within {seconds} s: {self.freshness()}")
        return self.source()

    def lives(self):
        """Whether a process of the plugin's user is there, its helpers and those that nobody has reaped yet included."""
        user = os.stat(f"{self.place}/data/state/sync").st_uid
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/status") as file:
                    if re.search(r"^Uid:\s+(\d+)", file.read(), re.M).group(1) == str(user):
                        return True
            except (FileNotFoundError, ProcessLookupError):
                pass
        return False

    def rest(self, seconds=2 * DAY):
        """Lets a day and more pass for the plugin: waits until it has gone, and makes its journal so much older."""
        # A plugin that is still alive goes by what it remembers and not by its journal. The supervisor's own account of it comes now and then; the
        # kernel's is of this moment. It has just answered, so it was there.
        if not until(lambda: not self.lives(), 60, 0.1):
            raise RuntimeError(f"{self.name}: sync does not go: {self.state('sync')}")
        path = f"{self.place}/data/state/sync/sync.journal"
        with open(path, "r+") as file:
            header, *lines = file.read().split("\n")
            out = [header]
            for line in filter(None, lines):
                entries = json.loads(line[9:])
                for entry in entries:
                    if "retryAt" in entry:
                        entry["retryAt"] -= seconds
                    # The next run stays where it is: a run comes when it is asked for.
                    for word in ["wall", "steady", "notBefore", "lastBegin"]:
                        if word in entry.get("schedule", {}):
                            entry["schedule"][word] -= seconds
                text = json.dumps(entries, separators=(",", ":"))
                out.append(f"{zlib.crc32(text.encode()):08x} {text}")
            file.seek(0)
            file.truncate()
            file.write("\n".join(out) + "\n")

    def suffer(self, title, words, fault=None, context="good", clock=0, seconds=90, rest=True, keeps_spool=False, heals=False):
        """One fault, one run. `words` are those of which at least one must be counted, or none at all when there is nothing to count. What
        `heals` is over within the run: it is told in the log, and afterwards nothing is wrong."""
        if options.verbose:
            print(f"     {self.name}: {title}", flush=True)
        # One that was under way would be half with and half without.
        if not until(lambda: not self.freshness()["running"], seconds, 0.2):
            raise RuntimeError(f"{self.name}: a run does not end: {self.freshness()}")
        before = collections.Counter(self.source()["faults"])
        self.door.set(fault, context, clock)
        began = time.monotonic()
        source = self.sync(seconds)
        took = time.monotonic() - began
        self.judge(title, words, source, before, took, keeps_spool, heals)
        if rest:
            self.rest()
        return source

    def judge(self, title, words, source, before, took, keeps_spool=False, heals=False):
        counted = collections.Counter(source["faults"])
        counted.subtract(before)
        counted = {word: number for word, number in counted.items() if number}
        said = source.get("problem")
        wrong = []
        if heals:
            if said:
                wrong.append(f"it is over, and yet: {said}")
            logged = re.findall(r"home: (.*)", read(f"{self.place}/log"))
            said = logged[-1] if logged else None
        if words:
            if not (counted if words == ANY else set(words) & set(counted)):
                wrong.append(f"none of {sorted(words)} is counted")
            strange = sentence_fault(said)
            if strange:
                wrong.append(f"the sentence: {strange}")
        elif counted:
            wrong.append("something is counted")
        left = self.spool()
        if left and not keeps_spool:
            wrong.append(f"in the spool: {left}")
        wrong += self.sickness()
        self.rows.append((self.name, title, counted, said, took))
        check(f"{self.name}: {title}", not wrong, "; ".join(wrong) + f" {counted} {said}" if wrong else
              f"{', '.join(f'{word} {number}' for word, number in counted.items()) or 'nothing to count'}; {took:.1f} s")

    def sickness(self):
        wrong = []
        core, sync = self.state("core"), self.state("sync")
        if core.get("pid") != self.core or core["restarts"]:
            wrong.append(f"the core was restarted: {core.get('lastExit')}")
        if sync["state"] in ("quarantined", "backingOff", "refused") or "reason" in sync:
            wrong.append(f"sync: {sync['state']} {sync.get('reason', '')} {sync.get('lastExit', '')}")
        # The supervisor has nothing to complain of, not even of what came back by itself meanwhile.
        wrong += [line for line in read(f"{self.place}/log").splitlines() if re.match(r"[0-9.]+ (warning|error|critical) ", line)][:3]
        return wrong

    def finish(self, runs=6):
        """The fault is over: every key of the 14 days is matched exactly once."""
        self.door.set()
        for _ in range(runs):
            source = self.sync()
            self.rest()
            status = self.call("org.vigil.exposure1.GetStatus")["status"]
            if status["matchedFileCount"] == self.packages and not source["missingCount"]:
                break
        self.account()

    def account(self):
        source, status = self.source(), self.call("org.vigil.exposure1.GetStatus")["status"]
        windows = [window for page in self.call("org.vigil.exposure1.GetExposureWindows", more=True) for window in page["windows"]]
        found = sorted((iso(window["day"]), *[scan["secondsSinceLastScan"] for scan in window["scanInstances"]]) for window in windows)
        files = keys = 0
        last = 0
        while True:
            page = self.call("org.vigil.device1.GetAudit", {"after": last})
            if not page["entries"]:
                break
            for entry in page["entries"]:
                last = entry["sequence"]
                if entry["kind"] == "filesMatched":
                    files += int(entry["details"]["files"])
                    keys += int(entry["details"]["keys"])
        wrong = self.sickness()
        for what, got, wanted in [
                ("kinds of requests", len(self.door.heads), 1),
                ("people met", status["matchCount"], len(self.world.met)), ("windows", found, self.world.windows), ("files matched", files, self.packages),
                ("files remembered", status["matchedFileCount"], self.packages), ("keys matched", keys, self.world.key_count),
                ("packages provided", source["packageCount"], self.packages), ("missing", source["missingCount"], 0),
                ("spool", self.spool(), []), ("problem", source.get("problem"), None)]:
            if got != wanted:
                wrong.append(f"{what}: {got}, not {wanted}")
        check(f"{self.name}: in the end every key of {DAYS} days is matched exactly once", not wrong,
              "; ".join(wrong) if wrong else f"{files} files, {keys} keys, {status['matchCount']} people met, {len(found)} windows")


# MARK: What is done to them


def packages_only(answer):
    return lambda request: answer(request) if request.is_package else None


def certificate_board(world, certificates):
    board = Board("certificates", world, certificates)
    board.begin()
    for title, context, words in [
            ("certificate expired", "expired", {"certificateExpired"}), ("certificate of the future", "early", {"certificateNotYetValid"}),
            ("certificate for another name", "misnamed", {"wrongName"}), ("certificate by nobody we know", "unknown", {"unknownIssuer"}),
            ("TLS 1.1", "old", {"tlsFailed"}), ("no TLS at all", "plain", {"tlsFailed"})][:3 if options.short else 6]:
        board.suffer(title, words, context=context)
    board.finish()
    return board


def status_board(world, certificates):
    board = Board("statuses", world, certificates)
    board.begin()
    for number in [403, 404] if options.short else [400, 403, 404, 410, 500, 502, 503]:
        words = {f"status{number}"} if number not in (403, 404, 410) else set()
        if number in (403, 404, 410):
            board.suffer(f"{number} to every package", {f"status{number}"}, packages_only(lambda request: request.status(number)))
        else:
            board.suffer(f"{number} to everything", words, lambda request: request.status(number))
    board.finish()
    return board


def hour_board(world, certificates):
    """One of many is not there."""
    board = Board("one-missing", world, certificates)
    board.begin()
    victim = world.hours[0]
    for number in [403, 404]:
        board.suffer(f"{number} to one hour's package", {f"status{number}"}, lambda request: request.status(number) if request.path == victim else None)
    board.suffer("304 to a question without a tag", {"status304"},
                 lambda request: request.status(304) if request.path == victim else None)
    board.finish()
    board.account()
    return board


def redirect_board(world, certificates):
    board = Board("redirects", world, certificates)
    board.begin()
    board.suffer("301 in a loop", {"tooManyRedirects"}, lambda request: request.good(b"", 301, [f"Location: {request.path}"]))
    board.suffer("301 to plain http", {"redirectNotPermitted"}, lambda request: request.good(b"", 301, [f"Location: http://127.0.0.1:{board.door.port}/"]))
    board.suffer("301 to another host", {"redirectNotPermitted"}, lambda request: request.good(b"", 301, ["Location: https://elsewhere.example/"]))
    board.finish()
    return board


def retry_board(world, certificates, form):
    wait = 36
    due = []

    def fault(request):
        if not due:
            due.append(time.time() + wait)
        if time.time() >= due[0] - 1:
            return None
        value = str(wait) if form == "seconds" else email.utils.formatdate(due[0] + 1, usegmt=True)
        return request.status(429 if form == "seconds" else 503, f"Retry-After: {value}")

    number = 429 if form == "seconds" else 503
    # Without a spread, so that it comes back when it may; it asks as soon as it is on, too.
    board = Board(f"retry-{form}", world, certificates, spread=0)
    board.door.set(fault)
    board.begin()
    until(lambda: due, 20)
    until(lambda: not board.freshness()["running"], 20)
    board.judge(f"{number} with Retry-After as {'a number' if form == 'seconds' else 'a date'}", {f"status{number}"}, board.source(), collections.Counter(), 0)
    seen = len(board.door.log)
    while time.time() < due[0] - 1:
        # A technician who does not believe it.
        board.call("org.vigil.sync1.SyncNow")
        time.sleep(3)
    early = [moment for moment, _ in board.door.log[seen:] if moment < due[0] - 1]
    check(f"retry-{form}: nothing is asked before the server said", not early, f"{len(early)} requests")
    check(f"retry-{form}: then it is", until(lambda: len(board.door.log) > seen, 15, 0.1),
          f"{(board.door.log[seen][0] - due[0] if len(board.door.log) > seen else 0):+.1f} s")
    until(lambda: not board.freshness()["running"], 60)
    board.rest()
    board.finish()
    return board


def signature_board(world, certificates):
    board = Board("signatures", world, certificates)
    board.begin()
    victim = world.days[-1]

    def altered(name, place):
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(world.cwa[victim])) as good, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bad:
            for entry in ["export.bin", "export.sig"]:
                content = bytearray(good.read(entry))
                if entry == name:
                    content[place] ^= 1
                bad.writestr(entry, bytes(content))
        return out.getvalue()

    config = "/version/v2/app_config_android"
    rules = {"signatureMismatch", "noTrustedSigner"}
    board.suffer("one package signed by a stranger", rules, lambda request: request.good(world.forged) if request.path == victim else None)
    board.suffer("one bit of a key changed", rules, lambda request: request.good(altered("export.bin", 60)) if request.path == victim else None)
    if not options.short:
        board.suffer("one bit of a signature changed", rules | {"malformedSignatureList"},
                     lambda request: request.good(altered("export.sig", -3)) if request.path == victim else None)
    with zipfile.ZipFile(io.BytesIO(world.cwa[config])) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content[:-1] + bytes([content[-1] ^ 1]) if name == "export.bin" else content)
    forged = out.getvalue()
    board.suffer("a configuration that was changed", {"configuration"}, lambda request: request.good(forged) if request.path == config else None)
    board.suffer("an older configuration that the authority signed", {"olderConfiguration"},
                 lambda request: request.good(world.older) if request.path == config else None)
    board.suffer("a package in the place of the configuration", {"configuration"},
                 lambda request: request.good(world.forged) if request.path == config else None)
    board.finish()
    return board


def bomb_board(world, certificates, made, number):
    board = Board(f"bombs-{number}", world, certificates)
    board.begin()
    ratio, count = {"suspiciousRatio", "entryTooLarge"}, {"wrongEntryCount", "unexpectedEntry"}
    rules = {
        "gigabytes of zeros": ratio, "gigabytes that claim to be a few": ratio | {"damagedArchive"}, "gigabytes of signatures": ratio,
        "a bomb in a bomb": ratio | {"wrongHeader", "signatureMismatch", "noTrustedSigner"}, "a zip in a zip": count, "60,000 entries": count,
        "two entries on one": ratio | {"damagedArchive", "notAZipArchive"}, "30,000 entries on one": count,
        "an entry twice": count | {"duplicateEntry", "damagedArchive", "notAZipArchive"}, "an entry outside": count | {"illegalEntryName"},
        "40 MB of nothing": {"bodyTooLarge"}}
    bodies = dict(made, **{"40 MB of nothing": bytes(40 << 20)})
    chosen = list(rules)[number::2]
    # Each in the place of every other package; the others are right, so that the run goes on.
    places = dict(zip(world.days[::2], chosen))
    board.suffer("bombs: " + ", ".join(chosen), set().union(*(rules[name] for name in chosen)),
                 lambda request: request.good(bodies[places[request.path]]) if request.path in places else None)
    faults = board.rows[-1][2]
    missing = [name for name in chosen if not rules[name] & set(faults)]
    check(f"bombs-{number}: each is counted", not missing and sum(faults.values()) == len(chosen), missing or faults)
    memory = int(re.search(r"VmHWM:\s+(\d+)", read(f"/proc/{board.core}/status")).group(1)) // 1024
    check(f"bombs-{number}: the core stays small", memory < 64, f"{memory} MiB at most")
    config = "/version/v2/app_config_android"
    for title, body in [("a bomb of 64 MB", world.small_bomb), ("gigabytes of zeros", made["gigabytes of zeros"])][number:number + 1]:
        board.suffer(f"{title} in the place of the configuration", {"configuration", "bodyTooLarge"},
                     lambda request: request.good(body) if request.path == config else None)
    board.finish()
    return board


def index_board(world, certificates):
    """What lists can be."""
    board = Board("lists", world, certificates, kind="index")
    board.begin()
    path = "/ens/index.txt"
    replace = lambda body: lambda request: request.good(body) if request.path == path else None
    page = b"<html><head><title>Please log in</title></head>\n<body>Welcome to the hotel\n</body></html>\n"
    board.suffer("somebody's page instead of the list", {"index"}, replace(page))
    if not options.short:
        board.suffer("a list of 2 MB", {"bodyTooLarge", "index"}, replace(b"a/b.zip\n" * 262_144))
        board.suffer("a list that leads elsewhere", {"index"}, replace(b"../../secret.zip\nhttps://elsewhere.example/a.zip\n/etc/passwd\n"))
    old = ("\n".join(world.names[:-30]) + "\n").encode()
    board.suffer("a list of three days ago", set(), replace(old))
    known = board.suffer("the present list", set())["newestEnd"]
    source = board.suffer("an older list again", {"olderIndex"}, replace(old))
    check("lists: an older list makes nothing newer", source["newestEnd"] <= known, source["newestEnd"] - known)
    if not options.short:
        board.suffer("a list that shrank to one", {"olderIndex"}, replace(old.split(b"\n")[0] + b"\n"))
    board.suffer("no list", {"index", "status404"}, lambda request: request.status(404) if request.path == path else None)
    board.finish()
    return board


def day_index_board(world, certificates):
    board = Board("indexes", world, certificates)
    board.begin()
    replace = lambda body: lambda request: request.good(body) if request.path == world.day_index else None
    for title, body in [("a day that is none", b'["2026-02-31"]'), ("half an index", world.cwa[world.day_index][:20]), ("nothing", b""),
                        ("deep brackets", b"[" * 16_000), ("20 KB", b'["2020-01-01"' + b" " * 20_000 + b"]")][:2 if options.short else 5]:
        board.suffer(f"index: {title}", {"index", "bodyTooLarge"}, replace(body))
    board.suffer("the right index", set())
    board.suffer("404 to the index", {"status404", "olderIndex"}, lambda request: request.status(404) if request.path == world.day_index else None)
    board.suffer("an older index", {"olderIndex"}, replace(json.dumps([iso(day) for day in range(world.today - 13, world.today - 5)]).encode()))
    board.finish()
    return board


def length_board(world, certificates):
    board = Board("lengths", world, certificates)
    board.begin()
    victim = world.days[3]
    one = lambda answer: lambda request: answer(request) if request.path == victim else None
    size = len(world.cwa[victim])
    board.suffer("more is said than comes", {"truncated"}, one(lambda request: [request.good(length=size + 100), "close"]))
    board.suffer("less is said than comes", {"damagedArchive", "notAZipArchive"}, one(lambda request: [request.good(length=size - 100), "close"]))
    if not options.short:
        board.suffer("a length that is none", {"badAnswer", "truncated", "connectionLost"}, one(lambda request: [request.good(length="many"), "close"]))
        board.suffer("20 KB of headers", {"headersTooLarge"}, one(lambda request: request.good(extra=["X-Y: " + "y" * 500] * 40)))
        board.suffer("a chunk that ends early", {"truncated"}, one(
            lambda request: [b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + bytes(100), "close"]))
    board.finish()
    return board


def drip_board(world, certificates):
    board = Board("drips", world, certificates)
    board.begin()
    victim = world.days[5]

    def drip(request):
        answer = request.good()
        pieces = [part for place in range(60, 120) for part in (answer[place:place + 1], 1.0)]
        return [answer[:60], *pieces, "drop"] if request.path == victim and request.number == 1 else None

    board.suffer("a byte a second", {"tooSlow"}, drip, heals=True)
    board.suffer("a server that takes the connection and says nothing", {"connectTimeout", "tlsFailed", "timeout"}, context="silent")
    board.finish()
    return board


def connection_board(world, certificates):
    board = Board("connections", world, certificates)
    board.begin()
    board.door.shut()
    board.suffer("nobody listens", {"connectionRefused"})
    board.door.open()
    board.suffer("not HTTP", {"badAnswer"}, lambda request: [b"\x16\x03\x01 hello\r\n\r\n", "close"])
    board.suffer("closes without a word", {"truncated", "connectionLost", "badAnswer"}, lambda request: ["drop"])
    board.finish()
    return board


def name_board(world, certificates):
    names = Names()
    resolver = write(f"{FOLDER}/resolv.conf", f"nameserver {names.address}\noptions timeout:1 attempts:1\n")
    board = Board("names", world, certificates, host=NAME,
                  wrapper=["unshare", "--mount", "sh", "-c", f'mount --bind {resolver} /etc/resolv.conf && exec "$@"', "sh"])
    names.fault = "unknown"
    board.begin()
    board.suffer("a name nobody knows", {"nameNotResolved"})
    names.fault = "broken"
    board.suffer("a name server that fails", {"nameNotResolved", "unreachable"})
    names.fault = "silent"
    board.suffer("a name server that says nothing", {"nameNotResolved", "unreachable"})
    names.fault = None
    board.finish()
    return board


def clock_board(world, certificates, hours):
    board = Board(f"clock{hours:+d}h", world, certificates)
    board.begin()
    board.suffer(f"a clock that differs by {hours:+d} h", {"clock"}, clock=hours * 3_600, keeps_spool=True)
    status = board.call("org.vigil.exposure1.GetStatus")["status"]
    check(f"clock{hours:+d}h: keys are fetched and none is matched", status["matchedFileCount"] == 0 and len(board.spool()) >= DAYS - 1,
          f"{len(board.spool())} files wait, {status['matchedFileCount']} matched")
    board.finish()
    return board


def replay_board(world, certificates, how):
    """A server that gives what its authority really signed, and nobody asked for."""
    honest = (world.today - 2) * DAY
    board = Board(f"replays-{how}", world, certificates, clock=honest + 3_600)
    board.begin()
    wearer = Client(board.page)
    wearer.get("/sign-in")
    wearer.sign_in("wearer", board.call("org.vigil.access1.MakeSecret", {"role": "wearer"})["secret"])
    check(f"{board.name}: its wearer is at the page", wearer.introduce(notifications="yes"))
    known = [day for day in world.days if day < f"{world.day_index}/{iso(world.today - 2)}"]
    old = {world.day_index: json.dumps([day[-10:] for day in known]).encode()}

    def then(request):
        """As it was when it was honest."""
        if request.path in old:
            return request.good(old[request.path])
        is_later = "/date/" in request.path and not request.path.startswith(tuple(known))
        return request.status(404) if is_later else None

    def replay(request):
        return request.good(world.cwa[world.days[0]]) if request.is_package else None

    def told():
        """What is said, in each place where somebody may look."""
        page = wearer.get("/").text
        return {"core": board.call("org.vigil.risk1.GetRisk")["risk"]["state"], "page": [word for word in ["Low risk", "Out of date"] if word in page],
                "console": board.ctl("risk").partition(".")[0], "light": "news" in board.call("org.vigil.indicator1.Watch", watch=True)["scene"]["signals"]}

    low = {"core": "low", "page": ["Low risk"], "console": "Low risk", "light": False}
    late = {"core": "outdated", "page": ["Out of date"], "console": "Out of date", "light": True}
    board.suffer("an honest server", set(), then)
    check(f"{board.name}: an hour after the last package the risk is low", until(lambda: told() == low), told())
    words = {"wrongPeriod"} if how == "one-file" else set()
    for hours in [24, 47]:
        board.ctl("time", "set", str(honest + hours * 3_600))
        board.suffer({"one-file": "one old file for whatever is asked for", "old-lists": "the lists of that day, and no others"}[how] + f", {hours} hours",
                     words, replay if how == "one-file" else then)
        check(f"{board.name}: {hours} hours after the last package nobody is alarmed", told() == low, told())
    board.ctl("time", "set", str(honest + 48 * 3_600 + 60))
    check(f"{board.name}: two days after it, page, console and light say that it is out of date", until(lambda: told() == late, 30), told())
    sentence = board.call("org.vigil.risk1.GetRisk")["risk"]["sentence"]
    check(f"{board.name}: because of what is signed, and it says up to when everything is known",
          "as their signatures tell" in sentence and iso(world.today - 2) in sentence, sentence)
    found = [finding["id"] for finding in json.loads(board.ctl("health", "--json"))["findings"]]
    check(f"{board.name}: and so does the self-check", "keys-old" in found and ("source-problem" in found) == (how == "one-file"), found)
    board.call("org.vigil.risk1.Acknowledge")
    board.door.set()
    for _ in range(4):
        board.sync()
        board.rest()
        if not board.source()["missingCount"]:
            break
    check(f"{board.name}: with an honest server it is up to date again", until(lambda: told()["core"] == "low", 30), told())
    return board


class Places:
    """Where answers were broken off, on all boards together: no place twice, as long as there is another."""

    def __init__(self):
        self.lists, self.packages, self.chance = set(), {}, random.Random(options.seed)

    def next(self, request, answer):
        with lock:
            if not request.is_package:
                self.lists.add(place := self.chance.randrange(len(answer)))
                return place
            for place in self.chance.sample(range(len(answer)), len(answer)):
                if place not in self.packages:
                    break
            self.packages[place] = self.packages.get(place, 0) + 1
            return place


def cut_board(world, certificates, places, number):
    """Every answer breaks off twice, each time at another place, headers included."""
    board = Board(f"cuts-{number}", world, certificates, kind="index")
    board.begin()

    def cut(request):
        if not request.is_package and not request.is_index or request.number > 2:
            return None
        answer = request.good()
        # With and without a goodbye: the second is what a lost connection looks like.
        return [answer[:places.next(request, answer)], "close" if request.number % 2 else "drop"]

    board.suffer("every answer breaks off twice", {"truncated"}, cut, seconds=600, heals=True)
    board.finish()
    return board


def refused_cut_board(world, certificates):
    board = Board("never-whole", world, certificates)
    board.begin()
    chance = random.Random(options.seed)

    def cut(request):
        answer = request.good()
        return [answer[:chance.randrange(len(answer))], "close"] if request.path in world.days[2:6] else None

    board.suffer("four packages never come whole", {"truncated"}, cut)
    board.suffer("nothing ever comes whole", {"truncated"}, lambda request: [(lambda a: a[:chance.randrange(len(a))])(request.good()), "drop"])
    board.finish()
    return board


def storm_board(world, certificates, made, number):
    board = Board(f"storm-{number}", world, certificates)
    board.begin()
    chance = random.Random(options.seed * 1_000 + number)

    def storm(request):
        answer = request.good()
        kinds = [
            lambda: [answer[:chance.randrange(len(answer))], chance.choice(["close", "drop"])],
            lambda: request.status(chance.choice([403, 404, 429, 500, 502, 503])),
            lambda: request.good(b"", 301, [f"Location: {request.path}"]),
            lambda: request.status(304),
            lambda: request.good(world.forged),
            lambda: request.good(made["gigabytes of zeros"]),
            lambda: (lambda place: request.good(answer[:place] + bytes([answer[place] ^ 1]) + answer[place + 1:]))(chance.randrange(len(answer))),
            lambda: [request.good(length=chance.randrange(10_000)), "close"],
            lambda: [answer[:40], 0.3, answer[40:]],
            lambda: ["drop"],
        ]
        return chance.choice(kinds)() if chance.random() < 0.35 else None

    for turn in range(2 if options.short else 5):
        board.suffer(f"everything at random, {turn + 1}", ANY, storm)
    board.finish()
    return board


def main():
    left = DAY - time.time() % DAY
    if left < 300:
        print(f"     midnight UTC is near, and everything here has a date: waiting {left:.0f} s")
        time.sleep(left + 2)
    certificates = Certificates()
    world = World()
    world.windows = world.expected()
    check("the laboratory's own answer finds everybody on every day", len({window[0] for window in world.windows}) == DAYS, f"{len(world.windows)} windows")
    made, world.small_bomb = bombs(world.cwa[world.days[0]])
    log = open(f"{FOLDER}/air.log", "ab")
    processes["air"] = subprocess.Popen([f"{BIN}/vigil-lab", "air", f"{FOLDER}/air"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    until(lambda: os.path.exists(f"{FOLDER}/air"))
    places = Places()
    cuts = options.cuts or (1 if options.short else 3)
    plans = {
        "retry-seconds": lambda: retry_board(world, certificates, "seconds"), "retry-date": lambda: retry_board(world, certificates, "date"),
        "drips": lambda: drip_board(world, certificates), "names": lambda: name_board(world, certificates),
        **{f"cuts-{n}": (lambda n: lambda: cut_board(world, certificates, places, n))(n) for n in range(cuts)},
        "never-whole": lambda: refused_cut_board(world, certificates),
        "certificates": lambda: certificate_board(world, certificates), "statuses": lambda: status_board(world, certificates),
        "one-missing": lambda: hour_board(world, certificates), "redirects": lambda: redirect_board(world, certificates),
        "signatures": lambda: signature_board(world, certificates), "bombs-0": lambda: bomb_board(world, certificates, made, 0), "bombs-1": lambda: bomb_board(world, certificates, made, 1),
        "lists": lambda: index_board(world, certificates), "indexes": lambda: day_index_board(world, certificates),
        "lengths": lambda: length_board(world, certificates), "connections": lambda: connection_board(world, certificates),
        "replays-one-file": lambda: replay_board(world, certificates, "one-file"), "replays-old-lists": lambda: replay_board(world, certificates, "old-lists"),
        "clock+3h": lambda: clock_board(world, certificates, 3), "clock-3h": lambda: clock_board(world, certificates, -3),
        "storm-0": lambda: storm_board(world, certificates, made, 0), "storm-1": lambda: storm_board(world, certificates, made, 1),
    }
    if options.short:
        for name in ["replays-old-lists", "drips", "retry-seconds", "storm-1", "indexes", "redirects", "clock-3h", "bombs-1", "never-whole"]:
            plans.pop(name)
    if options.only:
        plans = {name: plan for name, plan in plans.items() if name in options.only.split(",")}
    boards, threads = [], []

    def live(name, plan):
        try:
            boards.append(plan())
        except Exception as error:  # One board's trouble is told; the others go on.
            check(f"{name}: comes to its end", False, f"{type(error).__name__}: {error}")

    for name, plan in plans.items():
        threads.append(threading.Thread(target=live, args=(name, plan), daemon=True))
        threads[-1].start()
        time.sleep(0.3)
    for thread in threads:
        thread.join(280)
    check("all boards came to their end", len(boards) == len(plans), f"{len(boards)} of {len(plans)}")
    if places.packages:
        longest = max(places.packages)
        share = len(places.packages) / (longest + 1)
        check("packages broke off at many places, headers included", len(places.packages) >= 200,
              f"{len(places.packages)} of the {longest + 1} that there are ({share:.0%}), lists at {len(places.lists)}")
    print("\nWhat was said:\n")
    print("| fault | counted | sentence |\n| --- | --- | --- |")
    for board in boards:
        for _, title, counted, said, _ in board.rows:
            print(f"| {title} | {', '.join(f'`{word}` {number}' for word, number in sorted(counted.items())) or 'nothing'} | {said or ''} |")


began = time.monotonic()
try:
    main()
except BaseException:
    failed += 1
    raise
finally:
    # The air last: a board without a controller has something to say.
    for group in [[name for name in processes if name != "air"], ["air"] if "air" in processes else []]:
        for name in group:
            processes[name].send_signal(signal.SIGTERM)
        for name in group:
            try:
                processes[name].wait(20)
            except subprocess.TimeoutExpired:
                processes[name].kill()
    for name in processes:
        subprocess.run(["umount", "-l", f"{FOLDER}/{name}/run/spool"], capture_output=True)
    if failed or os.environ.get("KEEP"):
        print(f"kept: {FOLDER}")
    else:
        shutil.rmtree(FOLDER, ignore_errors=True)
print(f"\n{time.monotonic() - began:.0f} s, seed {options.seed}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
