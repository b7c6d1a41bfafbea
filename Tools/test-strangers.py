#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strangers try wrong secrets from 50 addresses of this machine, 1,000 a second or as many as are answered, at a whole board's page and at the authority's
portal, while the owner signs in: from new browsers at other addresses, and from a browser that was in before. How long that takes, and how many wrong ones
were looked at.

Usage: test-strangers.py FOLDER-WITH-EXECUTABLES [--seconds N]
Needs root, mosquitto, nginx, openssl.
"""
import argparse
import asyncio
import collections
import concurrent.futures
import re
import statistics
import time
import urllib.parse

arguments = argparse.ArgumentParser()
arguments.add_argument("bin", nargs="?", default=".build/release")
arguments.add_argument("--seconds", type=int, default=600)
arguments.add_argument("--only", choices=["page", "portal"])
options = arguments.parse_args()

from boardkit import air, check, perform, until  # noqa: E402
from serverkit import PAGES, board, certificates, page_of, portal, secret_of, servers  # noqa: E402

STRANGERS, RATE = 50, 1_000
# Processes that they are spread over: one makes some 700 tries a second and is then what limits, not who answers.
CROWDS = 5


class Visitor:
    """A browser at an address, on a connection that is kept while it can be."""

    def __init__(self, port, address, portal_=False):
        self.port, self.address, self.portal = port, address, portal_
        self.cookies, self.link = {}, None

    async def ask(self, method, path, fields=None):
        body = urllib.parse.urlencode(fields).encode() if fields else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {'; '.join(f'{name}={value}' for name, value in self.cookies.items())}\r\n"
        if self.portal:
            # What nginx says there.
            head += f"Vigil-Source: {self.address}\r\n"
        if fields:
            head += (f"Origin: http://127.0.0.1:{self.port}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                     f"Content-Length: {len(body)}\r\n")
        if self.link is None:
            self.link = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0))
        reader, writer = self.link
        writer.write(head.encode() + b"\r\n" + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"(?i)content-length: (\d+)", answer)
        text = (await reader.readexactly(int(length.group(1)) if length else 0)).decode(errors="replace")
        for name, value in re.findall(r"(?im)^set-cookie: ([^=]+)=([^;\r]*)", answer):
            self.cookies[name] = value
        return int(answer.split()[1]), answer, text

    def leave(self):
        if self.link:
            self.link[1].close()
        self.link = None

    async def form(self):
        _, _, text = await self.ask("GET", "/" if self.portal else "/sign-in")
        found = re.search(r'name="form" value="([^"]+)"', text)
        return found.group(1) if found else ""

    async def sign_in(self, form, name, secret):
        who = {"name": name, "password": secret} if self.portal else {"act": "signIn", "role": name, "secret": secret}
        return await self.ask("POST", "/sign-in", dict(who, form=form))

    async def get_in(self, name, secret, seconds=60):
        """Seconds until the right secret was taken, doing as told meanwhile."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            try:
                status, head, _ = await asyncio.wait_for(self.sign_in(await self.form(), name, secret), 30)
                if status == 303:
                    return time.monotonic() - began
                wait = re.search(r"(?i)retry-after: (\d+)", head)
                await asyncio.sleep(min(int(wait.group(1)), 10) if wait else 0.2)
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                self.leave()
                await asyncio.sleep(0.2)
        return float("inf")


async def stranger(visitor, name, counts, end):
    form, due = "", time.monotonic()
    while time.monotonic() < end:
        try:
            form = form or await visitor.form()
            status, _, _ = await visitor.sign_in(form, name, "a wrong secret of somebody")
            counts[status] += 1
        except (OSError, asyncio.IncompleteReadError):
            visitor.leave()
            counts["cut off"] += 1
            await asyncio.sleep(0.05)
        # Whose answer took long makes up for it.
        due += STRANGERS / RATE
        await asyncio.sleep(max(0, due - time.monotonic()))
    visitor.leave()


async def come_anew(port, name, secret, portal_, end):
    """The owner, each time in a new browser at a new address: seconds until each was in."""
    times = []
    while time.monotonic() < end:
        one = Visitor(port, f"127.0.1.{len(times) + 1}", portal_)
        times.append(await one.get_in(name, secret))
        one.leave()
        await asyncio.sleep(1)
    return times


async def come_back(known, name, secret, end):
    """The owner in the browser that was in before, from an address that strangers have."""
    times = []
    while time.monotonic() < end:
        known.address = "127.0.0.7"
        for cookie in [cookie for cookie in known.cookies if cookie.endswith("session")]:
            del known.cookies[cookie]
        times.append(await known.get_in(name, secret))
        known.leave()
        await asyncio.sleep(1)
    return times


def crowd(numbers, port, name, portal_, end):
    """Some of the strangers, in a process of their own. How their tries were answered."""
    async def all_of_them():
        counts = collections.Counter()
        await asyncio.gather(*[stranger(Visitor(port, f"127.0.0.{number + 2}", portal_), name, counts, end) for number in numbers])
        return counts
    return asyncio.run(all_of_them())


async def siege(what, port, name, secret, portal_):
    known = Visitor(port, "127.0.2.1", portal_)
    check(f"{what}: the owner is in", await known.get_in(name, secret) < 60)
    known.leave()
    counts, end = collections.Counter(), time.monotonic() + options.seconds
    with concurrent.futures.ProcessPoolExecutor(CROWDS) as pool:
        loop = asyncio.get_running_loop()
        crowds = [loop.run_in_executor(pool, crowd, range(first, STRANGERS, CROWDS), port, name, portal_, end) for first in range(CROWDS)]
        # Side by side from the first second on, so that the second does not wait for the first.
        new, again = await asyncio.gather(come_anew(port, name, secret, portal_, end), come_back(known, name, secret, end))
        for part in await asyncio.gather(*crowds):
            counts.update(part)
    tried = sum(count for status, count in counts.items() if status != "cut off")
    print(f"     {what}: {tried} wrong tries in {options.seconds} s from {STRANGERS} addresses: {dict(counts)}")
    if portal_:
        # What nothing is looked up for is answered at once, so that there are as many as were wanted but for those that were hashed.
        check(f"{what}: they are as many as they want to be", tried >= 0.9 * RATE * options.seconds, f"{tried / options.seconds:.0f} a second of {RATE}")
    for kind, times in [("a new browser", new), ("a known browser", again)]:
        middle = statistics.median(times)
        check(f"{what}: {kind} gets in within 5 s at the median", middle <= 5, f"{middle:.2f} s, at worst {max(times):.2f} s, {len(times)} times: {[round(one, 1) for one in times]}")
    # Both budgets at once, and what came of them meanwhile.
    check(f"{what}: no more is looked at", counts[403] <= 135 + 2 + options.seconds // 60, counts[403])


def main():
    certificates()
    servers()
    if options.only != "portal":
        air()
        check("a board with its page", board("home", plugins=("sync", "wake", "diagnosis", "webui")) is not False)
        page_of("home")
        check("its page answers", until(lambda: secret_of("home", "technician"), 60))
        asyncio.run(siege("page", PAGES["home"], "technician", secret_of("home", "technician"), False))
    if options.only != "page":
        asyncio.run(siege("portal", portal("anna"), "anna", "correct horse battery", True))


if __name__ == "__main__":
    perform(main)
