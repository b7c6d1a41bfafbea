# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the test stand-ins: state, clock, keys, protobuf, zip, faults and the HTTP server."""

import base64
import io
import json
import os
import re
import signal
import socket
import sqlite3
import ssl
import sys
import threading
import time
import traceback
import uuid
import zipfile
from contextlib import contextmanager
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

OID_ECDSA_SHA256 = "1.2.840.10045.4.3.2"
EXPORT_HEADER = b"EK Export v1    "
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


# ---------------------------------------------------------------- time

def utc(seconds):
    return datetime.fromtimestamp(int(seconds), timezone.utc)


def parse_iso(text):
    """ISO date or instant to Unix seconds; a date alone is its UTC midnight."""
    value = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int((value if value.tzinfo else value.replace(tzinfo=timezone.utc)).timestamp())


def http_date(seconds, zone="GMT"):
    """Sun, 02 Aug 2020 18:13:05 GMT; the NHS signature date is the same with UTC at the end."""
    t = utc(seconds)
    return f"{DAYS[t.weekday()]}, {t.day:02d} {MONTHS[t.month - 1]} {t.year} {t:%H:%M:%S} {zone}"


# ---------------------------------------------------------------- state

class Store:
    """One SQLite file. Every access is a short transaction under one lock, so nobody sleeps inside it."""

    def __init__(self, folder, schema):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self.lock = threading.RLock()
        self.depth = 0
        self.db = sqlite3.connect(os.path.join(folder, "state.sqlite"), check_same_thread=False,
                                  isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.executescript("""
            CREATE TABLE IF NOT EXISTS kv(name TEXT PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS requests(id INTEGER PRIMARY KEY, entry TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS faults(id INTEGER PRIMARY KEY, remaining INTEGER NOT NULL, fault TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS documents(path TEXT, version INTEGER, body BLOB, content_type TEXT,
                                                 time INTEGER, PRIMARY KEY(path, version));
        """ + schema)

    @contextmanager
    def tx(self):
        """A transaction; nested use joins the outer one."""
        with self.lock:
            if self.depth == 0:
                self.db.execute("BEGIN IMMEDIATE")
            self.depth += 1
            try:
                yield self.db
            except BaseException:
                self.depth -= 1
                if self.depth == 0:
                    self.db.execute("ROLLBACK")
                raise
            self.depth -= 1
            if self.depth == 0:
                self.db.execute("COMMIT")

    def get(self, name, default=None):
        with self.tx() as db:
            row = db.execute("SELECT value FROM kv WHERE name=?", (name,)).fetchone()
        return json.loads(row[0]) if row else default

    def put(self, name, value):
        with self.tx() as db:
            db.execute("INSERT OR REPLACE INTO kv VALUES(?,?)", (name, json.dumps(value)))

    def one(self, sql, *args):
        with self.tx() as db:
            row = db.execute(sql, args).fetchone()
        return dict(row) if row else None

    def all(self, sql, *args):
        with self.tx() as db:
            return [dict(row) for row in db.execute(sql, args).fetchall()]

    # documents keep every version, so that a replay fault can serve the one before
    def set_document(self, path, body, content_type, now):
        with self.tx() as db:
            last = db.execute("SELECT max(version) FROM documents WHERE path=?", (path,)).fetchone()[0] or 0
            db.execute("INSERT INTO documents VALUES(?,?,?,?,?)", (path, last + 1, body, content_type, int(now)))

    def document(self, path, back=0):
        return self.one("SELECT * FROM documents WHERE path=? ORDER BY version DESC LIMIT 1 OFFSET ?", path, back)


class Clock:
    """Wall clock plus an offset that survives a restart."""

    def __init__(self, store, offset=None):
        self.store = store
        self.offset = store.get("clock_offset", 0) if offset is None else offset
        store.put("clock_offset", self.offset)

    def now(self):
        return time.time() + self.offset

    def change(self, body):
        if "advance" in body:
            self.offset += body["advance"]
        elif "offset" in body:
            self.offset = body["offset"]
        elif "now" in body:
            self.offset = parse_iso(body["now"]) - time.time()
        self.store.put("clock_offset", self.offset)


# ---------------------------------------------------------------- signing keys

class Key:
    """A P-256 signing key kept as PEM in the state folder, with an id of its own."""

    def __init__(self, folder, name, key_id=None):
        folder = os.path.join(folder, "keys")
        os.makedirs(folder, exist_ok=True)
        private, self.public_path = (os.path.abspath(os.path.join(folder, name + end)) for end in (".pem", ".pub.pem"))
        if not os.path.exists(private):
            key = ec.generate_private_key(ec.SECP256R1())
            write_atomically(private, key.private_bytes(serialization.Encoding.PEM,
                             serialization.PrivateFormat.PKCS8, serialization.NoEncryption()), 0o600)
        with open(private, "rb") as file:
            self.key = serialization.load_pem_private_key(file.read(), None)
        public = self.key.public_key()
        self.public_pem = public.public_bytes(serialization.Encoding.PEM,
                                              serialization.PublicFormat.SubjectPublicKeyInfo)
        self.spki = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        write_atomically(self.public_path, self.public_pem)
        self.name = name
        self.id = key_id or str(uuid.uuid5(uuid.NAMESPACE_OID, self.spki.hex()))

    def sign(self, data):
        return self.key.sign(data, ec.ECDSA(hashes.SHA256()))

    def sign_raw(self, data):
        """The fixed 64-byte form of JWS."""
        r, s = utils.decode_dss_signature(self.sign(data))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def describe(self):
        return {"id": self.id, "publicKeyPath": self.public_path, "spki": base64.b64encode(self.spki).decode()}


def write_atomically(path, data, mode=0o644):
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(data)
    os.replace(path + ".new", path)


def verify(spki, signature, data):
    try:
        serialization.load_der_public_key(spki).verify(signature, data, ec.ECDSA(hashes.SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False


def spoil(signature):
    """The same DER or raw signature with one bit of s changed."""
    return signature[:-1] + bytes([signature[-1] ^ 1])


# ---------------------------------------------------------------- protobuf writing, zip

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field_int(number, value):
    return varint(number << 3) + varint(value)


def field_sint(number, value):
    return field_int(number, value * 2 if value >= 0 else -value * 2 - 1)


def field_bytes(number, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def field_fixed64(number, value):
    return varint(number << 3 | 1) + int(value).to_bytes(8, "little")


def make_zip(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def signed_zip(export_bin, signature_info, key, spoiled=False):
    """export.bin and export.sig (gaen-core 9): the signature covers all of export.bin."""
    signature = key.sign(export_bin)
    entry = (field_bytes(1, signature_info) + field_int(2, 1) + field_int(3, 1)
             + field_bytes(4, spoil(signature) if spoiled else signature))
    return make_zip([("export.bin", export_bin), ("export.sig", field_bytes(1, entry))])


def signature_info(bundle, key_id, android_package=None, version="v1"):
    return (field_bytes(1, bundle) + (field_bytes(2, android_package) if android_package else b"")
            + field_bytes(3, version) + field_bytes(4, key_id) + field_bytes(5, OID_ECDSA_SHA256))


# ---------------------------------------------------------------- requests and answers

class Request:
    def __init__(self, service, method, target, headers, body):
        self.service, self.method, self.target, self.headers, self.body = service, method, target, headers, body
        parts = urlsplit(target)
        self.path = parts.path            # still percent-encoded, as it is signed
        self.query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}

    def header(self, name, default=None):
        return self.headers.get(name, default)

    def json(self):
        return json.loads(self.body.decode()) if self.body else {}


class Answer:
    def __init__(self, status=200, body=b"", content_type=None, headers=None, sign=None):
        self.status = status
        self.body = body if isinstance(body, bytes) else body.encode()
        self.content_type = content_type
        self.headers = dict(headers or {})
        self.sign = sign                  # what the service's finish() has to sign, None = nothing
        self.note = {}                    # goes into the request log


def json_answer(value, status=200, **more):
    return Answer(status, json.dumps(value, separators=(",", ":")), "application/json", **more)


class BadRequest(Exception):
    """Admin request that cannot be carried out."""


# ---------------------------------------------------------------- faults

FAULTS = ("status", "error_body", "drop_before", "drop_after", "half", "half_signed", "wrong_signature",
          "no_signature", "other_key", "unknown_key_id", "old_date", "replay", "other_region", "delay")


class Faults:
    """Each fault hits the next `count` requests of its service whose method and path fit."""

    def __init__(self, store):
        self.store = store

    def add(self, body):
        if body.get("kind") not in FAULTS:
            raise BadRequest("kind must be one of " + ", ".join(FAULTS))
        re.compile(body.get("path", ""))
        count = int(body.pop("count", 1))
        with self.store.tx() as db:
            return db.execute("INSERT INTO faults(remaining, fault) VALUES(?,?)", (count, json.dumps(body))).lastrowid

    def take(self, request):
        with self.store.tx() as db:
            for row in db.execute("SELECT * FROM faults WHERE remaining>0 ORDER BY id").fetchall():
                fault = json.loads(row["fault"])
                if (fault.get("service", request.service) == request.service
                        and fault.get("method", request.method) == request.method
                        and re.search(fault.get("path", ""), request.target)):
                    db.execute("UPDATE faults SET remaining=remaining-1 WHERE id=?", (row["id"],))
                    return fault
        return {}

    def list(self):
        return [{"id": r["id"], "remaining": r["remaining"], **json.loads(r["fault"])}
                for r in self.store.all("SELECT * FROM faults ORDER BY id")]

    def clear(self):
        with self.store.tx() as db:
            db.execute("DELETE FROM faults")


# ---------------------------------------------------------------- HTTP

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True
    service = None                        # set per server

    def log_message(self, *args):
        pass

    def read_body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return body
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def run(self):
        try:
            request = Request(self.service.name, self.command, self.path, self.headers, self.read_body())
            answer, fault = self.service.serve(request)
        except (ConnectionError, socket.timeout):
            self.close_connection = True
            return
        if answer is None:
            return self.drop()
        no_body = answer.status in (204, 304) or self.command == "HEAD"
        lines = {"Date": http_date(self.service.clock.now()), **answer.headers}
        if answer.content_type and answer.body:
            lines["Content-Type"] = answer.content_type
        if answer.status != 204:
            lines["Content-Length"] = str(len(answer.body))
        if answer.status == 304:
            lines.pop("Content-Length")
        reason = self.responses.get(answer.status, ("",))[0]
        head = f"HTTP/1.1 {answer.status} {reason}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
        body = b"" if no_body else answer.body
        if fault.get("kind") == "half":
            body = body[:len(body) // 2]
        self.wfile.write(head.encode("latin-1") + body)
        if fault.get("kind") == "half":
            self.drop()

    def drop(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = run


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    tls = None

    def get_request(self):
        connection, address = super().get_request()
        if self.tls:                      # the handshake happens later, in the connection's own thread
            connection = self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, ssl.SSLError)):
            traceback.print_exc()


class Service:
    """A group of paths on one port. Subclasses write handle() and finish()."""

    name = "service"

    def __init__(self, store, clock, faults):
        self.store, self.clock, self.faults = store, clock, faults

    def handle(self, request, fault):
        raise NotImplementedError

    def finish(self, request, answer, fault):
        """Add signatures; fault says which way they are to be wrong."""

    def serve(self, request):
        fault = self.faults.take(request)
        kind = fault.get("kind")
        if kind == "delay":
            time.sleep(fault.get("seconds", 1))
        answer = None
        if kind != "drop_before" and (kind not in ("status", "error_body") or fault.get("commit")):
            try:
                answer = self.handle(request, fault)
            except Exception:             # the original answers 500 and goes on
                traceback.print_exc()
                answer = Answer(500, sign=self.error_signing(request))
        if kind == "status":
            note = answer.note if answer else {}
            answer = Answer(fault.get("status", 500), fault.get("body", ""), fault.get("contentType", "text/plain"),
                            fault.get("headers"), self.error_signing(request) if fault.get("signed") else None)
            answer.note = note
        elif kind == "error_body":
            note = answer.note if answer else {}
            answer = Answer(200, fault.get("body", '{"errorCode":"INTERNAL","message":"something went wrong"}'),
                            fault.get("contentType", "application/json"), fault.get("headers"),
                            self.error_signing(request) if fault.get("signed", True) else None)
            answer.note = note
        if answer and kind == "half_signed":
            self.halve(answer)
        if answer:
            self.finish(request, answer, fault)
        self.log(request, answer, fault)
        return (None if kind in ("drop_before", "drop_after") else answer), fault

    def error_signing(self, request):
        """What Answer.sign is to be for an error made by a fault."""
        return None

    def halve(self, answer):
        """Fault half_signed: cut the answer before it is signed."""
        answer.body = answer.body[:len(answer.body) // 2]

    def log(self, request, answer, fault):
        entry = {"time": int(self.clock.now()), "service": self.name, "method": request.method,
                 "path": request.target, "headers": [list(pair) for pair in request.headers.items()],
                 "bodySize": len(request.body), "body": request.body[:100_000].decode("utf-8", "backslashreplace"),
                 "status": answer.status if answer else None, "answerSize": len(answer.body) if answer else 0}
        if fault:
            entry["fault"] = fault
        if answer and answer.note:
            entry["note"] = answer.note
        with self.store.tx() as db:
            db.execute("INSERT INTO requests(entry) VALUES(?)", (json.dumps(entry),))


class Admin(Service):
    """Admin API common to both programs; subclasses add routes. Never logged, never faulty."""

    name = "admin"

    def serve(self, request):
        try:
            name = re.sub("[^a-z]", "_", request.path.strip("/")) or "root"
            method = getattr(self, f"{request.method.lower()}_{name}", None)
            if method is None:
                return json_answer({"error": "no such admin call"}, 404), {}
            result = method(request)
            return (result if isinstance(result, Answer) else json_answer(result if result is not None else {})), {}
        except (BadRequest, KeyError, TypeError, ValueError, re.error) as error:
            return json_answer({"error": f"{type(error).__name__}: {error}"}, 400), {}

    def get_requests(self, request):
        rows = self.store.all("SELECT * FROM requests WHERE id>? ORDER BY id", int(request.query.get("since", 0)))
        entries = [{"id": row["id"], **json.loads(row["entry"])} for row in rows]
        wanted = request.query.get("path")
        return {"requests": [e for e in entries if not wanted or re.search(wanted, e["path"])]}

    def delete_requests(self, request):
        with self.store.tx() as db:
            db.execute("DELETE FROM requests")

    def get_faults(self, request):
        return {"faults": self.faults.list()}

    def post_faults(self, request):
        return {"id": self.faults.add(request.json())}

    def delete_faults(self, request):
        self.faults.clear()

    def get_clock(self, request):
        now = self.clock.now()
        return {"now": f"{utc(now):%Y-%m-%dT%H:%M:%SZ}", "unix": int(now), "offset": self.clock.offset}

    def post_clock(self, request):
        self.clock.change(request.json())
        return self.get_clock(request)

    def get_settings(self, request):
        return self.store.get("settings")

    def post_settings(self, request):
        with self.store.tx():
            settings = self.store.get("settings")
            unknown = set(request.json()) - set(settings)
            if unknown:
                raise BadRequest("unknown settings: " + ", ".join(sorted(unknown)))
            settings.update(request.json())
            self.store.put("settings", settings)
        return settings

    def get_document(self, request):
        document = self.store.document(request.query["path"], int(request.query.get("back", 0)))
        if not document:
            return json_answer({"error": "no such document"}, 404)
        return Answer(200, document["body"], document["content_type"])




def start_servers(services, ports=None, tls=None):
    """Bind every service on 127.0.0.1 and serve in threads. Port 0 = choose."""
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(*tls)
    servers = {}
    for service in services:
        handler = type(service.name + "Handler", (Handler,), {"service": service})
        server = Server(("127.0.0.1", (ports or {}).get(service.name, 0)), handler)
        server.tls = context if service.name != "admin" else None     # the admin port is always plain
        servers[service.name] = server
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    return servers


def serve_until_terminated(services, ports, tls, ready):
    """Start, print the ready line, wait for SIGTERM or SIGINT."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    servers = start_servers(services, ports, tls)
    print(json.dumps({"ports": {name: s.server_address[1] for name, s in servers.items()},
                      "tls": bool(tls), **ready}), flush=True)
    stop.wait()
    for server in servers.values():
        server.shutdown()
