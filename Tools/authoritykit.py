# SPDX-License-Identifier: Apache-2.0
"""For scripts with a real authority and its servers for tests: starts them on the loopback, speaks HTTP byte by byte, makes submissions,
TANs in numbers, and reads what is stored and published. For `from authoritykit import …` beside boardkit."""
import glob
import hashlib
import hmac
import io
import json
import os
import re
import secrets
import socket
import sqlite3
import time
import uuid
import zipfile

from boardkit import BIN, FOLDER, read, run, start, until
from protobuf import fields

STATE = f"{FOLDER}/authority"
INTERVALS = 144


# Servers.

def start_authority(*more):
    """Publishes within seconds. The ports `port` and `admin-port`."""
    return started("authority", "serve", "--publish-now", "--trust-clock", "--port", "0", "--admin-port", "0", *more)


def start_tests(*more):
    """The ports `verification-port`, `submission-port` and `internal-port`."""
    return started("tests", "tests", "serve", "--verification-port", "0", "--submission-port", "0", "--internal-port", "0", *more)


def offer_trace_keys():
    """Before the start: SwissCovid's check-in, in the settings of a new folder."""
    run(f"{BIN}/vigil-authority", "init", "--state", STATE)
    with open(f"{STATE}/settings.json") as file:
        settings = json.load(file)
    with open(f"{STATE}/settings.json", "w") as file:
        json.dump({**settings, "swissCovid": {}}, file)


def started(name, *words):
    if os.path.exists(f"{FOLDER}/{name}.log"):
        os.rename(f"{FOLDER}/{name}.log", f"{FOLDER}/{name}-{time.time_ns()}.log")
    run(f"{BIN}/vigil-authority", "init", "--state", STATE)
    start(name, f"{BIN}/vigil-authority", *words, "--state", STATE)
    if not until(lambda: "ready" in read(f"{name}.log"), 30):
        raise SystemExit(f"{name} did not start: {read(f'{name}.log')[-400:]}")
    line = next(line for line in read(f"{name}.log").splitlines() if line.startswith("ready"))
    return {word.partition("=")[0]: int(word.partition("=")[2]) for word in line.split()[1:]}


def secret(name):
    """What somebody says to an internal route."""
    with open(f"{STATE}/tests/{name}-secret", "rb") as file:
        return file.read().hex()


# HTTP.

class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        match = re.match(r"HTTP/1\.[01] (\d{3}) ", lines[0] + " ")
        self.status = int(match[1]) if match else 0
        self.headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}

    @property
    def code(self):
        """The code of a refusal, wherever it stands."""
        match = re.search(rb'"error":"(\w+)"', self.body) or re.search(rb"\[(\w+)\]\n$", self.body)
        return self.headers.get("cwa-error-code") or (match[1].decode() if match else "")


def exchange(port, request, seconds=20, half_close=False):
    """Sends bytes and reads until the other side closes or is silent; status 0 when there was no answer."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), seconds) as link:
        try:
            link.sendall(request)
            if half_close:
                link.shutdown(socket.SHUT_WR)
            while part := link.recv(65_536):
                received += part
        except OSError:
            # Hung up on, perhaps after a word.
            pass
    return Answer(received)


def request(path, body=b"", method="POST", type="application/json", keep=False, **headers):
    """The bytes of a request; `None` leaves a header out."""
    named = {"Host": "localhost", "Content-Type": type, "Content-Length": str(len(body)), "Connection": None if keep else "close"}
    named.update({name.replace("_", "-"): value for name, value in headers.items()})
    lines = [f"{method} {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in named.items() if value is not None]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def post(port, path, body=b"", **options):
    return exchange(port, request(path, body, **options))


# Submissions.

def varint(number):
    number &= (1 << 64) - 1
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def today():
    return int(time.time()) // 86_400


def key(data=None, day=2, start=None, period=INTERVALS, level=3, onset=None):
    """A key of so many days ago."""
    content = field(1, secrets.token_bytes(16) if data is None else data)
    content += field(3, (today() - day) * INTERVALS if start is None else start) + field(4, period)
    if level is not None:
        content += field(2, level)
    if onset is not None:
        content += field(6, onset << 1 ^ onset >> 63)
    return content


def payload(keys, padding=0):
    return b"".join(field(1, one) for one in keys) + field(2, secrets.token_bytes(padding)) + field(4, b"DE")


def fortnight(padding=0):
    """14 keys of the last days, none of which is still in use; with padding as boards send it."""
    return payload([key(day=day) for day in range(1, 15)], padding)


def plant_tans(count):
    """So many TANs as the server would have issued them, in its own form, without a registration each."""
    with open(f"{STATE}/tests/verification-secret", "rb") as file:
        known = file.read()
    tans = [str(uuid.uuid4()) for _ in range(count)]
    end = int(time.time()) + 14 * 86_400

    def stored(tan):
        text = tan.encode()
        return hmac.digest(known, b"storedTAN\0" + len(text).to_bytes(4, "little") + text, "sha256")
    with sqlite3.connect(f"{STATE}/tests/verification.db", timeout=60) as database:
        database.executemany("INSERT INTO tan VALUES (?, 'TEST', ?, NULL)", [(stored(tan), end) for tan in tans])
    database.close()
    return tans


# What is kept.

def contents():
    """Rows and their digest, by file and table, of everything in SQLite."""
    result = {}
    for path in sorted(glob.glob(f"{STATE}/*.db") + glob.glob(f"{STATE}/tests/*.db")):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)
        database.text_factory = bytes
        tables = [name.decode() for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        for table in tables:
            rows = sorted(repr(row) for row in database.execute(f'SELECT * FROM "{table}"'))
            result[f"{os.path.basename(path)}/{table}"] = (len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest())
        database.close()
    return result


def settled():
    """What is stored once everything that was taken is published."""
    last = None
    for _ in range(40):
        now = contents()
        if now == last and now["authority.db/pending"][0] == 0:
            return now
        last = now
        time.sleep(0.7)
    raise SystemExit("the authority publishes without end")


def packages(region="*"):
    """The files of the hours that are public now."""
    return sorted(glob.glob(f"{STATE}/public/version/v1/diagnosis-keys/country/{region}/date/*/hour/*/index.zip"))


def published(region="*"):
    """The bytes of every key in the packages of hours that are public now, as often as they are there."""
    keys = []
    for path in packages(region):
        with open(path, "rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            export = archive.read("export.bin")
        for number, value in fields(memoryview(export)[16:]):
            if number == 7:
                keys += [bytes(data) for inner, data in fields(value) if inner == 1]
    return keys


def column(table, name="*", file="tests/verification.db"):
    """The values of a table's column, the first by default."""
    database = sqlite3.connect(f"file:{STATE}/{file}?mode=ro", uri=True, timeout=60)
    try:
        return [row[0] for row in database.execute(f"SELECT {name} FROM {table}")]
    finally:
        database.close()


def rows(table, file="authority.db"):
    return len(column(table, file=file))


def change(statement, values):
    """Puts back what a server stored, as if time had passed."""
    database = sqlite3.connect(f"{STATE}/tests/verification.db", timeout=60)
    with database:
        database.execute(statement, values)
    database.close()
