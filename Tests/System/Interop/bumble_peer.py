#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The board and a foreign Bluetooth stack on one virtual air.

Bumble is a host stack that shares no line with ours: what it decodes is what a phone would decode, and what it sends is what a
phone would send. It listens to the board's beacon, then advertises as phones do, and the board's own store has to show what was
sent, at the strength the air gave it.

Usage: bumble_peer.py FOLDER-WITH-EXECUTABLES PROFILE     ends with "N passed, M failed"
"""
import asyncio
import csv
import io
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time

from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingType, Device
from bumble.hci import Address
from bumble.transport import open_transport

EXPOSURE_NOTIFICATION = 0xFD6F
EDDYSTONE = 0xFEAA
# Bluetooth Specification of Exposure Notification v1.2, "Advertising Payload".
FLAGS = bytes([0x1A])
IDENTIFIER_LENGTH = 16
METADATA_LENGTH = 4
INTERVAL_MILLISECONDS = (200, 270)

START_SECONDS = 20
LISTEN_SECONDS = 6
STORE_SECONDS = 40

RESTARTS = 3
# How long a phone may hear nothing of a board whose program was killed and is started again.
GAP_SECONDS = 1

# Metres from the board, and what the air makes of it: -41 dBm at one metre, squared distance, 0 dBm sent.
METRES, STRENGTH = 4, -53


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, claim, holds, detail=""):
        if holds:
            self.passed += 1
            print(f"  {claim}")
        else:
            self.failed += 1
            print(f"  FAILED: {claim}{f' ({detail})' if detail else ''}")


class Air:
    """`vigil-lab air`, and its control socket."""

    def __init__(self, command, folder):
        self.path = os.path.join(folder, "air")
        control = os.path.join(folder, "control")
        self.log = open(os.path.join(folder, "air.log"), "w")
        self.process = subprocess.Popen([*command, self.path, "--ctl", control], stdout=self.log, stderr=self.log)
        self.control = None
        self.control_path = control

    async def ask(self, **request):
        if self.control is None:
            await until(START_SECONDS, lambda: os.path.exists(self.control_path) and os.path.exists(self.path))
            self.control = await asyncio.open_unix_connection(self.control_path)
        reader, writer = self.control
        writer.write(json.dumps(request).encode() + b"\n")
        answer = json.loads(await reader.readline())
        if not answer.get("ok"):
            raise RuntimeError(f"the air refused {request['op']}: {answer}")
        return answer

    async def newest(self):
        """The node that connected last."""
        return max(node["id"] for node in (await self.ask(op="list"))["nodes"])


class Board:
    """`vigil core` on the air, with folders of its own."""

    def __init__(self, bin, folder, air, profile):
        self.bin, self.folder, self.air, self.profile = bin, folder, air, profile
        self.process = None
        for name in ("data", "keys", "run"):
            os.mkdir(self.path(name))
        self.log = open(self.path("core.log"), "w")

    def path(self, name):
        return os.path.join(self.folder, name)

    def set_time(self):
        vigil = os.path.join(self.bin, "vigil")
        subprocess.run([vigil, "time", "set", "now", "--run", self.path("run")], check=True, stdout=self.log, stderr=self.log)

    def start(self):
        vigil = os.path.join(self.bin, "vigil")
        self.process = subprocess.Popen(
            [
                vigil, "core", "--enable", "--transport", f"h4:unix:{self.air.path}", "--data", self.path("data"), "--keys", self.path("keys"),
                "--run", self.path("run"), "--profile", self.profile, "--log", "text",
            ],
            stdout=self.log,
            stderr=self.log,
        )  # fmt: skip

    def state(self, part, name):
        """A value of state.json, which is replaced as a whole; None before there is one."""
        try:
            with open(self.path("run/state.json"), encoding="utf-8") as file:
                return json.load(file)[part][name]
        except (OSError, KeyError):
            return None

    def scans(self):
        return self.state("scanner", "scans") or 0

    def kill(self):
        """As a crash would; whoever sees it starts the board again at once."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=10)

    def sightings(self):
        """What is stored, as dictionaries by column."""
        command = [os.path.join(self.bin, "vigil-lab"), "sightings", "--data", self.path("data"), "--keys", self.path("keys")]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=self.log, text=True).stdout
        return list(csv.DictReader(io.StringIO(output)))

    def sighting(self, identifier):
        return [row for row in self.sightings() if row["identifier"].lower() == identifier.hex()]


class Peer:
    """Bumble on a controller of its own."""

    def __init__(self, transport, device):
        self.transport, self.device = transport, device

    @classmethod
    async def join(cls, air, metres):
        transport = await open_transport(f"unix:{air.path}")
        # Non-resolvable: the two highest bits are zero (Core Specification, Vol 6, Part B, 1.3.2.2). Bumble sends first what it
        # shows last.
        random = bytearray(secrets.token_bytes(6))
        random[5] &= 0x3F
        address = Address(bytes(random), Address.RANDOM_DEVICE_ADDRESS)
        device = Device.with_hci("peer", address, transport.source, transport.sink)
        await device.power_on()
        await air.ask(op="move", id=await air.newest(), x=metres, y=0)
        return cls(transport, device)

    async def listen(self, seconds):
        heard = []
        self.device.on("advertisement", heard.append)
        await self.device.start_scanning(legacy=True, active=False)
        await asyncio.sleep(seconds)
        await self.device.stop_scanning(legacy=True)
        self.device.remove_listener("advertisement", heard.append)
        return heard

    async def advertise(self, fields, kind=AdvertisingType.UNDIRECTED):
        await self.device.start_advertising(
            advertising_type=kind,
            advertising_data=bytes(AdvertisingData(fields)),
            advertising_interval_min=INTERVAL_MILLISECONDS[0],
            advertising_interval_max=INTERVAL_MILLISECONDS[1],
        )


def little(number):
    return number.to_bytes(2, "little")


def service_data(service, content):
    return (AdvertisingData.SERVICE_DATA_16_BIT_UUID, little(service) + content)


def payload(content, flags=True):
    """As phones send it: iOS with flags, Android without."""
    fields = [(AdvertisingData.FLAGS, FLAGS)] if flags else []
    fields.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, little(EXPOSURE_NOTIFICATION)))
    return [*fields, service_data(EXPOSURE_NOTIFICATION, content)]


async def until(seconds, condition):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.1)
    return True


def judge_beacon(checks, heard):
    """What a phone has to find in the board's advertisement."""
    checks.check("Bumble hears the board", bool(heard))
    if not heard:
        return None
    first = heard[0]
    checks.check("one payload from one address at a time", len({(bytes(a.address), a.data_bytes) for a in heard}) == 1)
    checks.check("neither connectable nor scannable", not any(a.is_connectable or a.is_scannable for a in heard))
    address = bytes(first.address)
    checks.check("a random address", not first.address.is_public)
    checks.check("a non-resolvable one", address[5] >> 6 == 0)
    checks.check("flags 0x1A", first.data.get(AdvertisingData.FLAGS, raw=True) == FLAGS)
    services = first.data.get(AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, raw=True)
    checks.check("the service 0xFD6F is listed", services == little(EXPOSURE_NOTIFICATION))
    found = first.data.get(AdvertisingData.SERVICE_DATA_16_BIT_UUID)
    uuid, content = found if found else (None, b"")
    checks.check("service data of 0xFD6F", uuid == UUID.from_16_bits(EXPOSURE_NOTIFICATION))
    checks.check("16 bytes of identifier and 4 of metadata", len(content) == IDENTIFIER_LENGTH + METADATA_LENGTH)
    checks.check(f"at {STRENGTH} dBm", {a.rssi for a in heard} == {STRENGTH}, str({a.rssi for a in heard}))
    per_second = len(heard) / LISTEN_SECONDS
    checks.check("three to five times a second", 3 <= per_second <= 5.1, f"{per_second:.1f}")
    return content[:IDENTIFIER_LENGTH]


async def judge_restarts(checks, board, phone):
    """A board that is killed comes back as it was, identifier and address together, or as somebody else altogether: nothing ties two together."""
    heard = []

    def note(advertisement):
        content = advertisement.data.get(AdvertisingData.SERVICE_DATA_16_BIT_UUID)
        if content and content[0] == UUID.from_16_bits(EXPOSURE_NOTIFICATION):
            heard.append((time.monotonic(), bytes(advertisement.address), content[1][:IDENTIFIER_LENGTH], content[1]))

    phone.device.on("advertisement", note)
    await phone.device.start_scanning(legacy=True, active=False)
    gaps, jitter = [], random.Random(1)
    for _ in range(RESTARTS):
        before = len(heard)
        if not await until(START_SECONDS, lambda: len(heard) >= before + 4):
            break
        # At any moment between two advertisements.
        await asyncio.sleep(jitter.uniform(0, INTERVAL_MILLISECONDS[1] / 1000))
        last = len(heard) - 1
        board.kill()
        board.start()
        # What was on its way when the board was killed may still arrive.
        if not await until(START_SECONDS, lambda: len(heard) >= last + 6):
            break
        gaps.append(max(after[0] - before[0] for before, after in zip(heard[last:], heard[last + 1:])))
    await asyncio.sleep(2)
    await phone.device.stop_scanning(legacy=True)
    phone.device.remove_listener("advertisement", note)

    checks.check(f"on the air again after each of {RESTARTS} kills", len(gaps) == RESTARTS)
    pairs = {(address, content) for _, address, _, content in heard}
    addresses = {address for address, _ in pairs}
    identifiers = {content[:IDENTIFIER_LENGTH] for _, content in pairs}
    figures = f"{len(pairs)} pairs, {len(addresses)} addresses, {len(identifiers)} identifiers"
    # Three kills within seconds fall into one interval or two.
    checks.check("the same identifier with the same address within its interval", len(pairs) <= 2, figures)
    checks.check("never one of the two with another other", len(pairs) == len(addresses) == len(identifiers), figures)
    silence = ", ".join(f"{gap * 1000:.0f}" for gap in gaps)
    print(f"  nothing heard for {silence} ms, the time between two advertisements included")
    checks.check(f"never silent for {GAP_SECONDS} s", bool(gaps) and max(gaps) < GAP_SECONDS, silence)
    return identifiers


async def exchange(checks, bin, profile, air_command, folder):
    air = Air(air_command, folder)
    board = Board(bin, folder, air, profile)
    try:
        await air.ask(op="list")
        board.set_time()
        board.start()
        checks.check("the board is on air", await until(START_SECONDS, lambda: board.state("radio", "onAir")))

        print("Bumble listens")
        phone = await Peer.join(air, METRES)
        own = judge_beacon(checks, await phone.listen(LISTEN_SECONDS))

        print("Nobody sends yet")
        before = board.scans()
        checks.check("the board goes on scanning", await until(STORE_SECONDS, lambda: board.scans() >= before + 2))
        checks.check("nothing is stored", board.sightings() == [])

        print("The board is killed and starts again")
        owns = await judge_restarts(checks, board, phone)
        checks.check("the first identifier was heard until then", own in owns)

        print("Bumble sends, from four senders: two as phones do, two of other kinds")
        identifiers = [secrets.token_bytes(IDENTIFIER_LENGTH) for _ in range(4)]
        metadata = [secrets.token_bytes(METADATA_LENGTH) for _ in range(4)]
        apple, android, short, foreign = (i + m for i, m in zip(identifiers, metadata))
        senders = [phone, *[await Peer.join(air, METRES) for _ in range(3)]]
        await senders[0].advertise(payload(apple))
        await senders[1].advertise(payload(android, flags=False))
        await senders[2].advertise(payload(short[:-1]))
        await senders[3].advertise(
            [(AdvertisingData.FLAGS, FLAGS), service_data(EDDYSTONE, foreign)], AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
        )
        witness = await Peer.join(air, METRES)
        on_air = {bytes(a.data_bytes)[-19:] for a in await witness.listen(2)}
        checks.check("all four are on the air", on_air >= {sent[-19:] for sent in (apple, android, short[:-1], foreign)})
        stored = await until(STORE_SECONDS, lambda: all(board.sighting(i) for i in identifiers[:2]))
        checks.check("both identifiers are stored, to the byte", stored)
        for label, identifier, secret in zip(("iOS", "Android"), identifiers, metadata):
            rows = board.sighting(identifier)
            strengths = {int(row["rssi"]) for row in rows}
            checks.check(f"{label}: the metadata, to the byte", {row["metadata"].lower() for row in rows} == {secret.hex()})
            checks.check(f"{label}: at {STRENGTH} dBm", strengths == {STRENGTH}, str(strengths))
        before = board.scans()
        await until(STORE_SECONDS, lambda: board.scans() >= before + 2)
        others = {row["identifier"].lower() for row in board.sightings()} - {i.hex() for i in identifiers[:2]}
        checks.check("nothing else is stored: not what is too short, not another service, not the board itself", not others)
        checks.check("none of the board's own identifiers is stored", bool(owns) and not any(map(board.sighting, owns)))

        print("The board stops")
        await phone.device.stop_advertising()
        checks.check("in order", board.stop() == 0)
        heard = [a for a in await phone.listen(2) if any(a.data_bytes.find(identifier) >= 0 for identifier in owns)]
        checks.check("and is off the air", not heard)
        for peer in [*senders, witness]:
            await peer.transport.close()
    finally:
        if board.process and board.process.poll() is None:
            board.process.kill()
        air.process.terminate()
        air.process.wait()
        if checks.failed or sys.exc_info()[0]:
            for name in ("core.log", "air.log"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    sys.stderr.write("".join(f"  {name}: {line}" for line in file.readlines()[-40:]))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bin, profile = sys.argv[1], sys.argv[2]
    air_command = os.environ["AIR"].split() if "AIR" in os.environ else [os.path.join(bin, "vigil-lab"), "air"]
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="vigil-interop.") as folder:
        asyncio.run(asyncio.wait_for(exchange(checks, bin, profile, air_command, folder), timeout=180))
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
