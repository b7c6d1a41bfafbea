#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many warnings the authority takes, and whether any is lost or doubled when its processes are killed in the middle.

Usage: load-submissions.py FOLDER-WITH-EXECUTABLES [--count N] [--connections N] [--register N]

N submissions (60,000) of 14 keys with a TAN each, with padding as boards send it, over kept connections to the real servers. At a third,
`tests serve` is killed (SIGKILL) and started again; at two thirds both it and the publishing authority; whoever had no answer sends the same
bytes again. Then the packages are built, killed in the middle too, and every key in them is compared with what was sent. TANs are planted in the
server's form; how fast registration and TANs are over HTTP is measured apart with `--register` of them. Ends with "N passed, M failed".
"""
import argparse
import asyncio
import json
import os
import secrets
import signal
import subprocess
import threading
import time

import authoritykit as kit
from authoritykit import STATE, fortnight, request
from boardkit import BIN, FOLDER, check, perform, processes, pss, read, stop, write

parser = argparse.ArgumentParser()
parser.add_argument("executables")
parser.add_argument("--count", type=int, default=60_000)
parser.add_argument("--connections", type=int, default=200)
parser.add_argument("--register", type=int, default=2_000)
OPTIONS = parser.parse_args()
PATH = "/version/v1/diagnosis-keys"


class Load:
    """Requests over connections that are kept; what has no answer is sent again, the same bytes."""

    def __init__(self, port, requests):
        self.port, self.waiting, self.times, self.statuses, self.again, self.bodies = port, list(enumerate(requests))[::-1], [], {}, 0, {}
        self.done = 0

    async def connection(self):
        reader = writer = None
        while self.waiting:
            number, bytes_ = self.waiting.pop()
            first = time.monotonic()
            while True:
                try:
                    if writer is None:
                        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                    writer.write(bytes_)
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                    self.bodies[number] = await reader.readexactly(length)
                    status = int(head[9:12])
                    if status < 500:
                        break
                    self.statuses[status] = self.statuses.get(status, 0) + 1
                except (OSError, asyncio.IncompleteReadError):
                    if writer:
                        writer.close()
                    writer = None
                self.again += 1
                await asyncio.sleep(0.2)
            self.times.append(time.monotonic() - first)
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.done += 1
        if writer:
            writer.close()

    async def run(self, connections):
        began = time.monotonic()
        await asyncio.gather(*(self.connection() for _ in range(connections)))
        self.seconds = time.monotonic() - began

    def rank(self, share):
        return sorted(self.times)[min(len(self.times) - 1, int(len(self.times) * share))] * 1_000


class Watch(threading.Thread):
    """The largest proportional set size of each process (KiB), and the processor time of all that had its name (seconds)."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.spent, self.end = {}, {}, False

    def run(self):
        while not self.end:
            for name, process in list(processes.items()):
                try:
                    self.most[name] = max(self.most.get(name, 0), pss(process.pid))
                    with open(f"/proc/{process.pid}/stat") as file:
                        words = file.read().rpartition(")")[2].split()
                    self.spent[name, process.pid] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
                except (OSError, ValueError):
                    pass
            time.sleep(0.5)


def kill(*names):
    for name in names:
        stop(name, signal.SIGKILL)


def body(number):
    """Of the sizes boards send: their keys are filled up to 14 with padding, here all are real."""
    return fortnight(1_500 + number % 1_000)


async def submissions(ports, requests):
    load = Load(ports["submission-port"], requests)
    work = asyncio.create_task(load.run(OPTIONS.connections))

    async def disturb():
        for share, names in [(1, ["tests"]), (2, ["tests", "authority"])]:
            while load.done < OPTIONS.count * share // 3:
                await asyncio.sleep(0.02)
            kill(*names)
            # The same ports, as a service manager would start them.
            if "authority" in names:
                authority()
            tests(ports)
    disturber = asyncio.create_task(disturb())
    await work
    await disturber
    return load


def authority():
    return kit.started("authority", "serve", "--trust-clock", "--port", "0", "--admin-port", "0")


def tests(ports):
    return kit.started("tests", "tests", "serve", *(f"--{name}={port}" for name, port in ports.items()))


def registrations(ports):
    """What comes before a warning, over HTTP: register, ask for the TAN."""
    names = [secrets.token_hex(32) for _ in range(OPTIONS.register)]
    for start in range(0, len(names), 10_000):
        batch = json.dumps({"testResults": [{"id": name, "result": 2} for name in names[start:start + 10_000]]}).encode()
        began = time.monotonic()
        answer = kit.post(ports["internal-port"], "/api/v1/lab/results", batch, Authorization=f"Bearer {kit.secret('laboratory')}")
        assert answer.status == 204
        print(f"     a laboratory's batch of {min(len(names), 10_000)} results: {time.monotonic() - began:.2f} s")
    load = Load(ports["verification-port"], [request("/version/v1/registrationToken", json.dumps({"key": name, "keyType": "GUID"}).encode(), keep=True, cwa_fake="0")
                                              for name in names])
    asyncio.run(load.run(OPTIONS.connections))
    tell("registrations", load)
    tokens = [json.loads(content)["registrationToken"] for content in load.bodies.values()]
    load = Load(ports["verification-port"], [request("/version/v1/tan", json.dumps({"registrationToken": one}).encode(), keep=True, cwa_fake="0") for one in tokens])
    asyncio.run(load.run(OPTIONS.connections))
    tell("TANs", load)
    check("each has its TAN", load.statuses == {201: len(names)} and len({json.loads(one)["tan"] for one in load.bodies.values()}) == len(names), load.statuses)


def tell(name, load):
    print(f"     {len(load.times)} {name} in {load.seconds:.1f} s: {len(load.times) / load.seconds:.0f} a second; p50 {load.rank(0.5):.0f} ms, p99 {load.rank(0.99):.0f} ms, "
          f"longest {load.rank(1):.0f} ms; sent again {load.again}", flush=True)


def publish():
    """Four hours on, so that no key has to wait."""
    with open(f"{FOLDER}/publish.log", "ab") as log:
        return subprocess.Popen([f"{BIN}/vigil-authority", "publish", "--state", STATE, "--now", str(int(time.time()) + 4 * 3_600)], stdout=log, stderr=log)


def build():
    """As `serve` does at the end of the hour, by the command that does it once; killed in the middle, and again."""
    stop("tests")
    stop("authority")
    for share in [0.5, 2.0]:
        process = publish()
        time.sleep(share)
        process.kill()
        process.wait()
    began = time.monotonic()
    watch = Watch()
    process = processes["publish"] = publish()
    watch.start()
    good = process.wait() == 0
    processes.pop("publish")
    watch.end = True
    print(f"     packages of two regions after two kills: {time.monotonic() - began:.1f} s, PSS {watch.most.get('publish', 0) / 1024:.0f} MiB")
    return good


def main():
    subprocess.run([f"{BIN}/vigil-authority", "init", "--state", STATE], check=True, capture_output=True)
    subprocess.run([f"{BIN}/vigil-authority", "keys", "--state", STATE, "--out", f"{FOLDER}/keys"], check=True, capture_output=True)
    settings = json.loads(read("authority/settings.json"))
    # All of them in one package; by default they would be spread over two hours.
    settings["publishing"]["maximumKeys"] = 1_200_000
    write("authority/settings.json", json.dumps(settings))
    authority()
    ports = kit.start_tests()
    registrations(ports)
    tans = kit.plant_tans(OPTIONS.count)
    sent = [body(number) for number in range(OPTIONS.count)]
    keys = {bytes(data) for one in sent for number, content in kit.fields(one) if number == 1 for inner, data in kit.fields(content) if inner == 1}
    assert len(keys) == OPTIONS.count * 14
    requests = [request(PATH, content, type="application/x-protobuf", keep=True, cwa_fake="0", cwa_authorization=tan) for content, tan in zip(sent, tans)]
    print(f"     {len(requests)} requests of {min(map(len, sent))} to {max(map(len, sent))} bytes, {OPTIONS.connections} connections", flush=True)
    watch = Watch()
    watch.start()
    load = asyncio.run(submissions(ports, requests))
    watch.end = True
    tell("submissions, with two kills", load)
    print("     at most: " + ", ".join(f"{name} PSS {size / 1024:.1f} MiB" for name, size in watch.most.items())
          + f"; processor time of tests serve {sum(spent for (name, _), spent in watch.spent.items() if name == 'tests'):.1f} s")
    check("every submission is taken", load.statuses.get(200) == OPTIONS.count and set(load.statuses) <= {200, 500}, load.statuses)
    check("somebody had to send again", load.again > 0, load.again)
    check("the same bytes once more are taken, and other bytes are not", kit.exchange(ports["submission-port"], request(
        PATH, sent[0], type="application/x-protobuf", cwa_fake="0", cwa_authorization=tans[0])).status == 200 and kit.exchange(ports["submission-port"], request(
            PATH, fortnight(), type="application/x-protobuf", cwa_fake="0", cwa_authorization=tans[0])).status == 403)
    check("each key is known once", set(kit.column("known", "data", "authority.db")) == keys)
    size = sum(os.path.getsize(f"{STATE}/authority.db{end}") for end in ["", "-wal"] if os.path.exists(f"{STATE}/authority.db{end}"))
    print(f"     authority.db: {size / 1e6:.0f} MB")
    check("packages are built after being killed", build())
    padding = set(kit.column("released WHERE padding = 1", "data", "authority.db"))
    for region in ["DE", "EUR"]:
        there = kit.published(region)
        once = set(there)
        check(f"{region}: the packages hold every key once, and nothing else but padding", len(there) == len(once) and keys <= once and once - keys <= padding,
              f"{len(there)} keys, {len(keys - once)} lost, {len(there) - len(once)} doubled, {len(once - keys)} of padding")
    sizes = [os.path.getsize(path) for path in kit.packages()]
    print(f"     packages of hours: {len(sizes)}, the largest {max(sizes) / 1e6:.1f} MB, all {sum(sizes) / 1e6:.1f} MB", flush=True)


perform(main)
