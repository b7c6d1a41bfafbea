#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test stand-ins for Google's exposure notification servers.

One process offers three HTTP ports: the verification server (device API), the
key server (publish, health, export files) and an admin port for tests only.
Section numbers in comments (ens 6.1) refer to spec/ens.md and spec/gaen-core.md.
See README.md for how to run it and for the readings chosen.
"""

import argparse
import base64
import contextlib
import copy
import dataclasses
import datetime
import hashlib
import hmac
import io
import json
import os
import re
import secrets
import signal
import socket
import sqlite3
import ssl
import string
import sys
import threading
import time
import traceback
import urllib.parse
import uuid
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAX_BODY = 64_000
INTERVAL = 600              # seconds in one interval
DAY_INTERVALS = 144
DAY = 86_400
BUCKET = "/exports/"        # where the "bucket" of export files is served
REPORT_TYPES = ("confirmed", "likely", "negative", "user-report")

# Defaults are those of the original servers. Names below key.publish are those
# of vectors/ens/ens_publish_transform.json.
DEFAULT_CONFIG = {
    "verification": {
        "device_api_keys": ["test-device-api-key"],
        "admin_api_keys": ["test-admin-api-key"],   # exists, but of the wrong type
        "issuer": "diagnosis-verification-example",
        "audience": "exposure-notifications-server",
        "certificate_kid": "v1",
        "token_issuer": "diagnosis-verification-example",
        "token_hours": 24,
        "certificate_minutes": 15,
        "short_digits": 8,
        "short_minutes": 15,
        "long_chars": 16,
        "long_hours": 24,
        "past_date_days": 28,
        "forget_code_hours": 48,
        "user_report": False,
        "require_date": False,
        "dedupe_days": 30,
        "dedupe_unclaimed_minutes": 60,
        "rate_limit_per_minute": 0,                 # 0 = off
        "maintenance": False,
    },
    "key": {
        "health_authorities": {
            "com.example.health": {
                "regions": ["US-WA"],
                "issuers": ["diagnosis-verification-example"],
                "bypass_verification": False,
                "bypass_revision_token": False,
            },
        },
        "extra_issuers": {},                        # iss -> {audience, keys: {kid: jwk}}
        "default_region": "",
        "publish": {
            "max_keys": 30, "max_same_start": 3, "max_age_hours": 360,
            "truncate_seconds": 3600, "max_onset_days": 14,
            "max_onset_report_days": 28, "default_onset_days_ago": 4,
            "release_same_day_keys": False,
        },
        "allow_partial_revisions": False,
        "min_token_keys": 28,
        "maintenance": False,
    },
    "export": {
        "period_seconds": 4 * 3600,
        "min_window_age_seconds": 2 * 3600,
        "min_records": 1000,
        "padding_range": 100,
        "max_records": 500_000,
        "ttl_days": 14,
        "configs": [{
            "root": "us-wa", "region": "US-WA",
            "input_regions": [], "exclude_regions": [],
            "include_travelers": False, "only_non_travelers": False,
            "signers": [{"id": "310", "version": "v1"}],
        }],
    },
}


# --- small helpers ---

def b64(data):
    return base64.b64encode(data).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64_any(text):
    """Decode base64 of either alphabet, padding optional (but right if present)."""
    text = text.replace("\r", "").replace("\n", "").replace("-", "+").replace("_", "/")
    if "=" not in text:
        text += "=" * (-len(text) % 4)
    return base64.b64decode(text, validate=True)


def random_padding():
    return b64(secrets.token_bytes(1024 + secrets.randbelow(1024)))


def day_start(interval):
    return interval // DAY_INTERVALS * DAY_INTERVALS


def days_between(first, second):
    """Whole UTC days from the day of one interval to the day of another."""
    return (day_start(second) - day_start(first)) // DAY_INTERVALS


def date_interval(text):
    """YYYY-MM-DD -> interval of its UTC midnight."""
    day = parse_date(text)
    return (day - datetime.date(1970, 1, 1)).days * DAY_INTERVALS


def parse_date(text):
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(f"not a date: {text!r}")
    return datetime.date.fromisoformat(text)


def utc_date(now):
    return datetime.datetime.fromtimestamp(now, datetime.timezone.utc).date()


def rfc1123_utc(now):
    """Go's time.RFC1123 in UTC: the zone name is UTC, not GMT."""
    when = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun",
              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    return (f"{days[when.weekday()]}, {when.day:02} {months[when.month - 1]} {when.year} "
            f"{when:%H:%M:%S} UTC")


def deep_merge(base, changes):
    """Merge dictionaries; everything else is replaced, null removes a name."""
    for name, value in changes.items():
        if value is None:
            base.pop(name, None)
        elif isinstance(value, dict) and isinstance(base.get(name), dict):
            deep_merge(base[name], value)
        else:
            base[name] = value
    return base


def write_atomically(path, data):
    temporary = path + ".new"
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


# --- JSON as Go's decoder reads it (ens 2, 6) ---

ANY = object()
VERIFY_FIELDS = {"code": str, "accept": [str], "nonce": str, "padding": ANY}
CERTIFICATE_FIELDS = {"token": str, "ekeyhmac": str, "padding": ANY}
USER_REPORT_FIELDS = {"phone": str, "nonce": str, "symptomDate": str, "testDate": str,
                      "tzOffset": float, "padding": ANY}
KEY_FIELDS = {"key": str, "rollingStartNumber": "int32", "rollingPeriod": "int32",
              "transmissionRisk": "int64"}
PUBLISH_FIELDS = {"temporaryExposureKeys": [KEY_FIELDS], "healthAuthorityID": str,
                  "verificationPayload": str, "hmacKey": str,
                  "symptomOnsetInterval": "int32", "traveler": bool,
                  "revisionToken": str, "padding": str}


class BodyError(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def read_json(content_type, body, fields):
    """Content type, size, one object, no unknown fields, names without case."""
    if not content_type.startswith("application/json"):
        raise BodyError(415, "content-type is not application/json")
    if len(body) > MAX_BODY:
        raise BodyError(413, "http: request body too large")

    def no_constant(name):
        raise ValueError(name)

    text = body.decode("utf-8", "replace").lstrip(" \t\r\n")
    if not text:
        raise BodyError(400, "body must not be empty")
    try:
        value, end = json.JSONDecoder(parse_constant=no_constant).raw_decode(text)
    except (ValueError, RecursionError):
        raise BodyError(400, "malformed json") from None
    result = convert(value, fields, "")
    rest = text[end:].lstrip(" \t\r\n")
    if rest and rest[0] not in "]}":            # what Go's Decoder.More() tests
        raise BodyError(400, "body must contain only one JSON object")
    return result


def convert(value, kind, name):
    """Check one value against its Go type; null leaves the zero value."""
    if kind is ANY:
        return value
    if isinstance(kind, dict):
        result = {field: zero_value(sub) for field, sub in kind.items()}
        if value is None:
            return result
        if not isinstance(value, dict):
            raise BodyError(400, f"invalid value {name!r}")
        known = {field.lower(): field for field in kind}
        for key, item in value.items():
            field = known.get(key.lower())
            if field is None:
                raise BodyError(400, f'unknown field "{key}"')
            if item is not None:
                result[field] = convert(item, kind[field], field)
        return result
    if value is None:
        return zero_value(kind)
    if isinstance(kind, list):
        if isinstance(value, list):
            return [convert(item, kind[0], name) for item in value]
    elif kind in ("int32", "int64"):
        limit = 2 ** (int(kind[3:]) - 1)
        if type(value) is int and -limit <= value < limit:
            return value
    elif kind is float:
        if type(value) in (int, float):
            return float(value)
    elif type(value) is kind:
        return value
    raise BodyError(400, f"invalid value {name!r}")


def zero_value(kind):
    if isinstance(kind, list):
        return []
    if isinstance(kind, dict):
        return convert(None, kind, "")
    if kind is ANY:
        return None
    return 0 if isinstance(kind, str) else kind()


# --- JWT, ES256 (ens 4) ---

class JwtError(Exception):
    pass


def jwt_sign(private_key, kid, claims):
    def part(value):
        return b64url(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())

    signed = part({"alg": "ES256", "kid": kid, "typ": "JWT"}) + "." + part(claims)
    r, s = decode_dss_signature(private_key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return signed + "." + b64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def jwt_verify(text, find_key, now):
    """Return the claims. find_key(kid, claims) gives the public key or raises."""
    try:
        head_text, claims_text, signature_text = text.split(".")
        header, claims = (json.loads(b64_any(part)) for part in (head_text, claims_text))
        signature = b64_any(signature_text)
    except ValueError:
        raise JwtError("token contains an invalid number of segments or bad data") from None
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise JwtError("not a JWT")
    if header.get("alg") != "ES256":
        raise JwtError("unsupported signing method, must be ES256")
    if type(header.get("kid")) is not str:
        raise JwtError("missing required header field, 'kid' indicating key id")
    for name in ("iss", "aud", "sub", "reportType", "tekmac"):
        if type(claims.get(name, "")) is not str:
            raise JwtError(f"claim {name} is not text")
    for name in ("exp", "iat", "nbf", "symptomOnsetInterval"):
        if type(claims.get(name, 0)) is not int:
            raise JwtError(f"claim {name} is not a number")
    public_key = find_key(header["kid"], claims)
    if len(signature) != 64:
        raise JwtError("signature is invalid")
    der = encode_dss_signature(int.from_bytes(signature[:32], "big"),
                               int.from_bytes(signature[32:], "big"))
    try:
        public_key.verify(der, f"{head_text}.{claims_text}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise JwtError("signature is invalid") from None
    if "exp" in claims and now > claims["exp"]:
        raise JwtError(f"token is expired by {now - claims['exp']}s")
    if now < claims.get("iat", 0) or now < claims.get("nbf", 0):
        raise JwtError("not valid yet (NBF or IAT) in the future")
    return claims


def jwk_of(public_key, kid):
    numbers = public_key.public_numbers()
    return {"kty": "EC", "crv": "P-256", "kid": kid,
            "x": b64url(numbers.x.to_bytes(32, "big")),
            "y": b64url(numbers.y.to_bytes(32, "big"))}


def key_of_jwk(jwk):
    x, y = (int.from_bytes(b64_any(jwk[name]), "big") for name in ("x", "y"))
    return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


# --- protobuf (gaen-core 9) ---

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def pb_int(field, value):
    return varint(field << 3) + varint(value)


def pb_bytes(field, value):
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def pb_fixed64(field, value):
    return varint(field << 3 | 1) + value.to_bytes(8, "little")


def pb_read(data):
    """List of (field, value) with varints and length-delimited fields only."""
    fields, position = [], 0

    def number():
        nonlocal position
        value = shift = 0
        while True:
            if position >= len(data) or shift > 63:
                raise ValueError("bad varint")
            byte = data[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while position < len(data):
        tag = number()
        if tag & 7 == 0:
            fields.append((tag >> 3, number()))
        elif tag & 7 == 2:
            size = number()
            if position + size > len(data):
                raise ValueError("truncated")
            fields.append((tag >> 3, data[position:position + size]))
            position += size
        else:
            raise ValueError("unexpected wire type")
    return fields


REPORT_TYPE_NUMBER = {"confirmed": 1, "likely": 2, "user-report": 3, "negative": 5}


def export_key(key):
    """One TemporaryExposureKey; key is a dict as made by Exports.rows()."""
    out = pb_bytes(1, key["key"]) + pb_int(2, key["risk"])
    if key["start"]:
        out += pb_int(3, key["start"])
    if key["period"] != DAY_INTERVALS:
        out += pb_int(4, key["period"])
    if key["report_type"] in REPORT_TYPE_NUMBER:
        out += pb_int(5, REPORT_TYPE_NUMBER[key["report_type"]])
    if key["days"] is not None:
        out += pb_int(6, key["days"] * 2 if key["days"] >= 0 else -key["days"] * 2 - 1)
    return out


def signature_info(signer):
    out = b""
    if signer["version"]:
        out += pb_bytes(3, signer["version"])
    if signer["id"]:
        out += pb_bytes(4, signer["id"])
    return out + pb_bytes(5, "1.2.840.10045.4.3.2")


def export_bin(start, end, region, signers, keys, revised):
    """The signed content: fixed header, then TemporaryExposureKeyExport."""
    out = [b"EK Export v1    ", pb_fixed64(1, start), pb_fixed64(2, end), pb_bytes(3, region),
           pb_int(4, 1), pb_int(5, 1)]
    out += [pb_bytes(6, signature_info(signer)) for signer in signers]
    out += [pb_bytes(7, export_key(key)) for key in sorted(keys, key=lambda k: k["key"])]
    out += [pb_bytes(8, export_key(key)) for key in sorted(revised, key=lambda k: k["key"])]
    return b"".join(out)


def export_zip(content, signers, private_keys):
    signatures = b"".join(
        pb_bytes(1, pb_bytes(1, signature_info(signer)) + pb_int(2, 1) + pb_int(3, 1)
                 + pb_bytes(4, private.sign(content, ec.ECDSA(hashes.SHA256()))))
        for signer, private in zip(signers, private_keys))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (("export.bin", content), ("export.sig", signatures)):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


# --- state ---

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS codes (
  id INTEGER PRIMARY KEY, code TEXT, long_code TEXT, test_type TEXT, symptom_date TEXT,
  test_date TEXT, created INTEGER, expires INTEGER, long_expires INTEGER,
  claimed INTEGER DEFAULT 0, nonce TEXT, phone TEXT);
CREATE TABLE IF NOT EXISTS tokens (
  token_id TEXT PRIMARY KEY, test_type TEXT, symptom_date TEXT, test_date TEXT,
  expires INTEGER, used INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS exposures (
  key BLOB PRIMARY KEY, risk INTEGER, health_authority TEXT, regions TEXT, traveler INTEGER,
  start INTEGER, period INTEGER, created INTEGER, local INTEGER DEFAULT 1, report_type TEXT,
  days INTEGER, revised_type TEXT, revised_at INTEGER, revised_days INTEGER,
  revised_risk INTEGER, generated INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS exported (
  root TEXT, key BLOB, revised INTEGER, PRIMARY KEY (root, key, revised));
CREATE TABLE IF NOT EXISTS batches (root TEXT, start INTEGER, end INTEGER);
CREATE TABLE IF NOT EXISTS blobs (
  name TEXT PRIMARY KEY, root TEXT, end INTEGER, data BLOB, type TEXT, cache TEXT,
  written INTEGER);
CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY, info TEXT, body BLOB);
CREATE TABLE IF NOT EXISTS publishes (id INTEGER PRIMARY KEY, info TEXT);
CREATE TABLE IF NOT EXISTS faults (id INTEGER PRIMARY KEY, rule TEXT);
"""


class Store:
    """SQLite with one connection; every change is one synchronous transaction."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder = os.path.abspath(folder)
        self.lock = threading.RLock()
        self.db = sqlite3.connect(os.path.join(self.folder, "state.db"),
                                  isolation_level=None, check_same_thread=False)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.executescript(SCHEMA)

    @contextlib.contextmanager
    def tx(self):
        with self.lock:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
            except BaseException:
                self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    def all(self, sql, *values):
        with self.lock:
            return [dict(row) for row in self.db.execute(sql, values)]

    def get_meta(self, name, default=None):
        rows = self.all("SELECT value FROM meta WHERE name = ?", name)
        return json.loads(rows[0]["value"]) if rows else default

    def set_meta(self, name, value):
        with self.tx() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value)))

    def private_key(self, name):
        """A P-256 key kept as NAME.key.pem, with its public half in NAME.pub.pem."""
        path = os.path.join(self.folder, name + ".key.pem")
        with self.lock:
            if not os.path.exists(path):
                key = ec.generate_private_key(ec.SECP256R1())
                write_atomically(path, key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption()))
            with open(path, "rb") as file:
                key = serialization.load_pem_private_key(file.read(), None)
            public_path = self.public_path(name)
            if not os.path.exists(public_path):
                write_atomically(public_path, key.public_key().public_bytes(
                    serialization.Encoding.PEM,
                    serialization.PublicFormat.SubjectPublicKeyInfo))
            return key

    def public_path(self, name):
        return os.path.join(self.folder, name + ".pub.pem")


@dataclasses.dataclass
class Request:
    server: str
    method: str
    path: str
    query: dict
    headers: list               # (name, value) in the order received
    body: bytes
    connection: int
    line_bytes: int = 0

    def header(self, name):
        return next((v for k, v in self.headers if k.lower() == name.lower()), "")

    @property
    def chaff(self):
        return self.header("X-Chaff") != ""


@dataclasses.dataclass
class Response:
    status: int
    body: bytes = b""
    headers: dict = dataclasses.field(default_factory=dict)
    code: str = ""              # error code, for the request log only


def json_response(status, value, code="", **headers):
    return Response(status, json.dumps(value).encode(),
                    {"Content-Type": "application/json", **headers}, code)


def text_response(status, text, **headers):
    return Response(status, text.encode(),
                    {"Content-Type": "text/plain; charset=utf-8", **headers})


def not_found():
    return text_response(404, "404 page not found\n")


class ChaffTracker:
    """Answers cover traffic with the averages of the last 100 real answers (ens 7)."""

    def __init__(self, make_body):
        self.make_body = make_body
        self.lock = threading.Lock()
        self.records = []

    def run(self, request, handler):
        started = time.monotonic()
        if request.chaff:
            return self.answer(started)
        response = handler(request)
        size = sum(len(k) + len(v) for k, v in response.headers.items())
        with self.lock:
            self.records.append((time.monotonic() - started, size, len(response.body)))
            del self.records[:-100]
        return response

    def answer(self, started):
        with self.lock:
            count = max(len(self.records), 1)
            latency, head, body = (sum(column) / count for column in zip(*self.records)) \
                if self.records else (0, 0, 0)
        response = json_response(200, self.make_body(self.filler(body)))
        if head >= 1:
            response.headers["X-Chaff"] = self.filler(head)
        time.sleep(max(0, min(latency, 1.0) - (time.monotonic() - started)))
        return response

    @staticmethod
    def filler(size):
        return b64(secrets.token_bytes(int(size) * 3 // 4))


# --- verification server (ens 2, 3, 4) ---

class VerError(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code

    def response(self):
        return json_response(self.status, {"error": str(self), "errorCode": self.code,
                                           "error_code": self.code}, self.code)


def accepted_types(accept):
    """The test types a client takes: the lesser ones are included (ens 2)."""
    if not accept:
        return sorted(REPORT_TYPES)
    included = {"confirmed": ("confirmed",), "likely": ("confirmed", "likely"),
                "negative": ("confirmed", "likely", "negative"),
                "user-report": ("confirmed", "user-report")}
    types = set()
    for name in accept:
        if name.lower() not in included:
            raise VerError(400, "invalid_test_type", f"invalid accept test type {name!r}")
        types.update(included[name.lower()])
    return sorted(types)


def date_allowed(date, oldest, today, tz_offset):
    """A negative time zone offset lowers the oldest day by one (ens 2)."""
    if tz_offset < 0:
        oldest -= datetime.timedelta(days=1)
    return oldest <= date <= today


def code_expiry(issued, channel, short_minutes, long_hours):
    """Expiry of the short and the long code. Only an SMS for somebody else's
    report carries a long code that outlives the short one (ens 3)."""
    short = issued + short_minutes * 60
    return short, issued + long_hours * 3600 if channel == "sms" else short


def parse_subject(text):
    """sub of the token: type.symptomDate.testDate, old form with two parts."""
    parts = text.split(".")
    if len(parts) not in (2, 3):
        raise ValueError(f"subject must contain 2 or 3 parts, got: {len(parts)}")
    dates = (parts[1:] + [""])[:2]
    for date in dates:
        if date:
            parse_date(date)
    return parts[0], dates[0] or None, dates[1] or None


class VerificationServer:
    name = "verification"

    def __init__(self, app):
        self.app = app
        self.store = app.store
        self.token_key = self.store.private_key("token")
        self.certificate_key = self.store.private_key("certificate")
        self.token_kid = self.store.get_meta("token_kid")
        if self.token_kid is None:
            self.token_kid = str(uuid.uuid4())
            self.store.set_meta("token_kid", self.token_kid)
        # The original encodes the filler a second time: about a third larger.
        def chaff_body(filler):
            return {"padding": b64(filler.encode()) if filler else random_padding()}
        verify_chaff, certificate_chaff = ChaffTracker(chaff_body), ChaffTracker(chaff_body)
        self.routes = {
            "/api/verify": (verify_chaff, self.verify),
            "/api/certificate": (certificate_chaff, self.certificate),
            "/api/user-report": (verify_chaff, self.user_report),
        }
        self.rate_lock = threading.Lock()
        self.rate_counts = {}

    @property
    def config(self):
        return self.app.config["verification"]

    def handle(self, request):
        if request.path == "/health" and request.method in ("GET", "HEAD"):
            return json_response(200, {"status": "ok"})
        if request.path not in self.routes:
            return not_found()
        if request.method != "POST":
            return Response(405)
        if request.header("X-API-Key").strip() not in self.config["device_api_keys"]:
            return VerError(401, "", "unauthorized").response()
        tracker, handler = self.routes[request.path]
        return tracker.run(request, lambda r: self.limited(r, handler))

    def limited(self, request, handler):
        """Rate limit in windows of a minute, then the endpoint itself."""
        limit, headers = self.config["rate_limit_per_minute"], {}
        if limit:
            window = self.app.now() // 60
            with self.rate_lock:
                seen = self.rate_counts.get(window, 0) + 1
                self.rate_counts = {window: seen}
            reset = rfc1123_utc((window + 1) * 60)
            headers = {"X-RateLimit-Limit": str(limit), "X-RateLimit-Reset": reset,
                       "X-RateLimit-Remaining": str(max(limit - seen, 0))}
            if seen > limit:
                return text_response(429, "Too Many Requests\n",
                                     **headers, **{"Retry-After": reset})
        try:
            if self.config["maintenance"]:
                raise VerError(429, "maintenance_mode", "server is read-only for maintenance")
            response = handler(request, self.app.now())
        except VerError as error:
            response = error.response()
        response.headers.update(headers)
        return response

    def read(self, request, fields, code="unparsable_request"):
        try:
            return read_json(request.header("Content-Type"), request.body, fields)
        except BodyError as error:
            raise VerError(400, code, str(error)) from None

    # POST /api/verify: code -> token. The code is spent before the answer leaves.
    def verify(self, request, now):
        data = self.read(request, VERIFY_FIELDS)
        types = accepted_types(data["accept"])
        try:
            nonce = b64_any(data["nonce"])
        except ValueError:
            raise VerError(400, "unparsable_request", "nonce is not base64") from None
        config = self.config
        with self.store.tx() as db:
            row = db.execute("SELECT * FROM codes WHERE ? IN (code, long_code) ORDER BY id DESC",
                             (data["code"],)).fetchone()
            forget = config["forget_code_hours"] * 3600
            invalid = VerError(400, "code_invalid", "verification code invalid")
            if row is None or now >= max(row["expires"], row["long_expires"]) + forget:
                raise invalid
            if row["nonce"] is not None and row["nonce"] != b64(nonce):
                raise invalid
            expires = row["expires"] if data["code"] == row["code"] else row["long_expires"]
            if now >= expires:
                raise VerError(400, "code_expired", "verification code expired")
            if row["claimed"]:
                raise invalid
            if row["test_type"] not in types:
                raise VerError(412, "unsupported_test_type",
                               "verification code has unsupported test type")
            token_id = b64(secrets.token_bytes(96))
            expires = now + config["token_hours"] * 3600
            db.execute("UPDATE codes SET claimed = 1 WHERE id = ?", (row["id"],))
            db.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, 0)",
                       (token_id, row["test_type"], row["symptom_date"], row["test_date"], expires))
        subject = ".".join((row["test_type"], row["symptom_date"] or "", row["test_date"] or ""))
        issuer = config["token_issuer"]
        answer = {"padding": random_padding(), "testtype": row["test_type"]}
        if row["symptom_date"]:
            answer["symptomDate"] = row["symptom_date"]
        if row["test_date"]:
            answer["testDate"] = row["test_date"]
        answer["token"] = jwt_sign(self.token_key, self.token_kid, {
            "aud": issuer, "exp": expires, "jti": token_id, "iat": now, "iss": issuer,
            "sub": subject})
        return json_response(200, answer)

    # POST /api/certificate: token + HMAC -> certificate
    def certificate(self, request, now):
        data = self.read(request, CERTIFICATE_FIELDS, "token_invalid")
        issuer = self.config["token_issuer"]

        def find_key(kid, claims):
            if kid != self.token_kid:
                raise JwtError(f"no public key for pub key id: {kid}")
            if claims.get("iss") != issuer or claims.get("aud") != issuer:
                raise JwtError("wrong issuer or audience")
            return self.token_key.public_key()

        try:
            claims = jwt_verify(data["token"], find_key, now)
            subject = parse_subject(claims.get("sub", ""))
        except (JwtError, ValueError) as error:
            raise VerError(400, "token_invalid", str(error)) from None
        try:
            length = len(b64_any(data["ekeyhmac"]))
        except ValueError:
            raise VerError(400, "hmac_invalid", "exposure key HMAC is not a valid base64") from None
        if length != 32:
            raise VerError(400, "hmac_invalid", "exposure key HMAC is not the correct length, "
                                                f"want: 32 got: {length}")
        certificate = self.sign_certificate(now, subject[0], data["ekeyhmac"],
                                            date_interval(subject[1]) if subject[1] else None)
        with self.store.tx() as db:
            row = db.execute("SELECT * FROM tokens WHERE token_id = ?",
                             (claims.get("jti"),)).fetchone()
            if row is None or now >= row["expires"]:
                raise VerError(400, "token_expired", "verification token expired")
            if row["used"] or subject != (row["test_type"], row["symptom_date"], row["test_date"]):
                raise VerError(400, "token_expired", "verification token invalid")
            db.execute("UPDATE tokens SET used = 1 WHERE token_id = ?", (row["token_id"],))
        return json_response(200, {"padding": random_padding(), "certificate": certificate})

    def sign_certificate(self, now, report_type, tekmac, onset_interval=None):
        config = self.config
        claims = {"iss": config["issuer"], "aud": config["audience"], "iat": now - 5,
                  "nbf": now - 5, "exp": now + config["certificate_minutes"] * 60,
                  "reportType": report_type, "tekmac": tekmac}
        if onset_interval is not None:
            claims["symptomOnsetInterval"] = onset_interval
        return jwt_sign(self.certificate_key, config["certificate_kid"], claims)

    # POST /api/user-report: ask for a code by SMS
    def user_report(self, request, now):
        data = self.read(request, USER_REPORT_FIELDS)
        config = self.config
        if not config["user_report"]:
            raise VerError(400, "unsupported_test_type", "user initiated report is not enabled")
        try:
            nonce = b64_any(data["nonce"])
        except ValueError:
            raise VerError(400, "unparsable_request", "nonce is not base64") from None
        if not nonce:
            raise VerError(400, "missing_nonce", "nonce cannot be empty")
        if not data["phone"]:
            raise VerError(400, "missing_phone", "phone cannot be empty")
        # tzOffset is not passed on (ens 2).
        self.check_dates(now, data["symptomDate"], data["testDate"], 0)
        if not re.fullmatch(r"\+[1-9][0-9]{6,14}", data["phone"]):
            raise VerError(400, "phone_number_invalid", "phone number is not E.164")
        if len(nonce) != 256 or self.phone_blocked(data["phone"], now):
            return json_response(200, {"padding": random_padding(), "expiresAt": "",
                                       "expiresAtTimestamp": 0})
        code = self.issue(now, "user-report", data["symptomDate"], data["testDate"],
                          channel="user_report", nonce=b64(nonce), phone=data["phone"])
        return json_response(200, {"padding": random_padding(),
                                   "expiresAt": rfc1123_utc(code["expires"]),
                                   "expiresAtTimestamp": code["expires"]})

    def phone_blocked(self, phone, now):
        rows = self.store.all("SELECT created, claimed FROM codes WHERE phone = ? "
                              "AND nonce IS NOT NULL", phone)
        return any(now < row["created"] + (self.config["dedupe_days"] * DAY if row["claimed"]
                                           else self.config["dedupe_unclaimed_minutes"] * 60)
                   for row in rows)

    def check_dates(self, now, symptom_date, test_date, tz_offset):
        if self.config["require_date"] and not symptom_date and not test_date:
            raise VerError(400, "missing_date", "missing either test or symptom date")
        today = utc_date(now)
        oldest = today - datetime.timedelta(days=self.config["past_date_days"])
        for text in filter(None, (symptom_date, test_date)):
            try:
                date = parse_date(text)
            except ValueError as error:
                raise VerError(400, "unparsable_request", str(error)) from None
            if not date_allowed(date, oldest, today, tz_offset):
                raise VerError(400, "invalid_date",
                               f"date must be on/after {oldest} and on/before {today}: {date}")

    def issue(self, now, test_type, symptom_date=None, test_date=None, channel="sms",
              short_minutes=None, long_hours=None, code=None, long_code=None,
              nonce=None, phone=None):
        """Make a code. What the original does after /api/issue on its admin server."""
        config = self.config
        expires, long_expires = code_expiry(
            now, channel,
            config["short_minutes"] if short_minutes is None else short_minutes,
            config["long_hours"] if long_hours is None else long_hours)
        letters = string.ascii_lowercase + string.digits
        code = code or "".join(secrets.choice(string.digits)
                               for _ in range(config["short_digits"]))
        long_code = long_code or "".join(secrets.choice(letters)
                                         for _ in range(config["long_chars"]))
        with self.store.tx() as db:
            number = db.execute(
                "INSERT INTO codes (code, long_code, test_type, symptom_date, test_date, created,"
                " expires, long_expires, nonce, phone) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (code, long_code, test_type, symptom_date or None, test_date or None, now,
                 int(expires), int(long_expires), nonce, phone)).lastrowid
        return self.store.all("SELECT * FROM codes WHERE id = ?", number)[0]


# --- key server: publish (ens 5, 6) ---

def key_hmacs(keys, secret):
    """All accepted HMACs: with risk; without, only if all risks are 0 (ens 5)."""
    return [hmac.new(secret, text.encode(), hashlib.sha256).digest()
            for text in key_cleartexts(keys)]


def key_cleartexts(keys):
    keys = sorted(keys, key=lambda key: key["key"])
    short = [f"{k['key']}.{k['rollingStartNumber']}.{k['rollingPeriod']}" for k in keys]
    risks = [k.get("transmissionRisk", 0) for k in keys]
    texts = [",".join(f"{text}.{risk}" for text, risk in zip(short, risks))]
    if not any(risks):
        texts.append(",".join(short))
    return texts


def tekmac_matches(tekmac, keys, hmac_key):
    """Is the HMAC in the certificate that of these keys and this secret?"""
    if not keys:
        return False
    try:
        wanted, secret = b64_any(tekmac), b64_any(hmac_key)
    except ValueError:
        return False
    return any(hmac.compare_digest(wanted, value) for value in key_hmacs(keys, secret))


class Refused(Exception):
    """The whole publish is refused; reason is a word for tests."""
    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


@dataclasses.dataclass
class Transformed:
    kept: list = dataclasses.field(default_factory=list)
    dropped: list = dataclasses.field(default_factory=list)   # key, start, reason, kind, text
    onset: int = 0
    onset_source: str = ""

    def texts(self, kind):
        return [item["text"] for item in self.dropped if item["kind"] == kind]


def choose_onset(settings, now, request_onset, claims):
    """Onset interval of the request, else of the certificate, else days ago."""
    current = now // INTERVAL
    oldest = (now // DAY - settings["max_onset_report_days"]) * DAY_INTERVALS
    choices = [("publish", request_onset)]
    if claims is not None:
        choices.append(("certificate", claims.get("symptomOnsetInterval", 0)))
    for source, onset in choices:
        if oldest <= onset < current:
            return onset, source
    return (now - settings["default_onset_days_ago"] * DAY) // INTERVAL, "default"


DEFAULT_RISK = {"confirmed": 2, "likely": 4, "negative": 6}


def key_fault(settings, now, key):
    """(reason, text) of the first thing wrong with a key, None if fine; its bytes."""
    start, period, risk = (key.get("rollingStartNumber", 0), key.get("rollingPeriod", 0),
                           key.get("transmissionRisk", 0))
    current = now // INTERVAL
    oldest = (now - settings["max_age_hours"] * 3600) // INTERVAL
    try:
        data = b64_any(key["key"])
    except ValueError:
        return ("bad_base64", "illegal base64 data"), None
    if len(data) != 16:
        return ("key_length", f"invalid key length, {len(data)}, must be 16"), None
    if not 1 <= period <= DAY_INTERVALS:
        return ("rolling_period",
                f"invalid interval count, {period}, must be >= 1 && <= 144"), None
    if start + period < oldest:
        return ("too_old", f"key expires before minimum window; {start} + {period} = "
                           f"{start + period} which is too old, must be >= {oldest}"), None
    if start > current:
        return ("future_start",
                f"interval number {start} is in the future, must be <= {current}"), None
    if not 0 <= risk <= 8:
        return ("transmission_risk",
                f"invalid transmission risk: {risk}, must be >= 0 && <= 8"), None
    return None, data


def transform_publish(settings, now, publish, claims):
    """The rules of ens 6.1. claims None = certificate check bypassed."""
    keys = publish["temporaryExposureKeys"]
    if not keys:
        raise Refused("no_keys", "no exposure keys in publish request")
    if len(keys) > settings["max_keys"]:
        raise Refused("too_many_keys", f"too many exposure keys in publish: {len(keys)}, "
                                       f"max of {settings['max_keys']} is allowed")
    result = Transformed()
    result.onset, result.onset_source = choose_onset(
        settings, now, publish.get("symptomOnsetInterval", 0), claims)
    report_type = claims.get("reportType", "") if claims is not None else ""
    window = settings["truncate_seconds"]

    for number, key in enumerate(keys):
        start, period = key.get("rollingStartNumber", 0), key.get("rollingPeriod", 0)

        def drop(reason, kind, text):
            result.dropped.append({"key": key["key"], "rollingStartNumber": start,
                                   "reason": reason, "kind": kind, "text": text})

        fault, data = key_fault(settings, now, key)
        if fault:
            drop(fault[0], "error", f"key {number} cannot be imported: {fault[1]}")
            continue
        days = days_between(result.onset, start)
        if abs(days) > settings["max_onset_days"]:
            drop("onset_out_of_range", "warning",
                 f"key {number} symptom onset is too large, {abs(days)} > "
                 f"{settings['max_onset_days']} - saving without this key")
            continue
        created = now // window * window
        embargoed = start + period > now // INTERVAL and not settings["release_same_day_keys"]
        if embargoed:           # released only after the key has ended
            created = ((start + period) * INTERVAL + window) // window * window
        risk = key.get("transmissionRisk", 0) or DEFAULT_RISK.get(report_type, 0)
        result.kept.append({"key": data, "start": start, "period": period, "risk": risk,
                            "report_type": report_type, "days": days, "created": created,
                            "embargoed": embargoed, "traveler": publish.get("traveler", False)})
    result.kept.sort(key=lambda key: (key["start"], key["period"]))
    check_overlap(settings, result)
    return result


def check_overlap(settings, result):
    """Same start is fine up to a number; a later start must wait for the end."""
    kept = result.kept
    for before, key in zip(kept, kept[1:]):
        end = before["start"] + before["period"]
        if key["start"] != before["start"] and key["start"] < end:
            raise Refused("overlap", "exposure keys have non aligned overlapping intervals. "
                          f"{key['start']} overlaps with previous key that is good from "
                          f"{before['start']} to {end}.")
    starts = [key["start"] for key in kept]
    for start in sorted(set(starts)):
        if starts.count(start) > settings["max_same_start"]:
            raise Refused("too_many_same_start", "too many overlapping keys for start interval: "
                          f"{start} want: <= {settings['max_same_start']}, "
                          f"got: {starts.count(start)}")


class PublishError(Exception):
    def __init__(self, status, code, message, warnings=()):
        super().__init__(message)
        self.status, self.code, self.warnings = status, code, list(warnings)


ALLOWED_TRANSITIONS = {"likely": ("confirmed", "negative"),
                       "user-report": ("confirmed", "likely", "negative")}


def revise(old, new_type):
    """True = the key is revised, False = no change, else PublishError (ens 6.2)."""
    if new_type in (old["report_type"], old["revised_type"]):
        return False
    if not old["local"]:
        raise PublishError(400, "internal_error", "Internal Server Error")
    if old["revised_type"] is not None:
        raise PublishError(400, "key_already_revised", "key was already revised")
    if new_type not in ALLOWED_TRANSITIONS.get(old["report_type"] or "likely", ()):
        raise PublishError(400, "invalid_report_type_transition",
                           "invalid report type transition: cannot transition from "
                           f'"{old["report_type"]}" to "{new_type}"')
    return True


@dataclasses.dataclass
class Stored:
    inserted: int = 0
    revised: int = 0
    unchanged: int = 0
    dropped: int = 0
    touched: list = dataclasses.field(default_factory=list)   # new or revised keys


def store_exposures(db, incoming, token, authority, regions, require_token, allow_partial):
    """Insert new keys and revise known ones, inside the caller's transaction.

    token is None or {key bytes: (start, period)}."""
    result = Stored()
    wanted = {key["key"]: key for key in incoming}          # of equal keys the last one stays
    existing = {}
    for data in sorted(wanted):
        row = db.execute("SELECT * FROM exposures WHERE key = ?", (data,)).fetchone()
        if row is not None:
            existing[data] = row
    if existing and token is None and require_token:
        raise PublishError(400, "missing_revision_token",
                           "no revision token, but sent existing keys")
    for data, row in existing.items():
        if not require_token:
            break
        stored = (row["start"], row["period"])
        if stored != (wanted[data]["start"], wanted[data]["period"]):
            raise PublishError(400, "internal_error", "Internal Server Error")
        if data in token and token[data] != stored:
            raise PublishError(400, "invalid_revision_token", "revision token is invalid")
        if data not in token:
            if not allow_partial:
                raise PublishError(400, "invalid_revision_token", "revision token is invalid")
            del wanted[data]
    result.dropped = len(incoming) - len(wanted)

    for data, key in wanted.items():
        row = existing.get(data)
        if row is None:
            result.touched.append(key)
            if key["report_type"] == "negative":            # first report: not stored
                continue
            db.execute("INSERT INTO exposures (key, risk, health_authority, regions, traveler,"
                       " start, period, created, report_type, days)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       (data, key["risk"], authority, json.dumps(regions), key["traveler"],
                        key["start"], key["period"], key["created"], key["report_type"],
                        key["days"]))
            result.inserted += 1
        elif revise(row, key["report_type"]):
            result.touched.append(key)
            merged = sorted(set(json.loads(row["regions"])) | set(regions))
            db.execute("UPDATE exposures SET revised_type = ?, revised_at = ?, revised_days = ?,"
                       " revised_risk = ?, health_authority = ?, regions = ? WHERE key = ?",
                       (key["report_type"], key["created"], key["days"], key["risk"], authority,
                        json.dumps(merged), data))
            result.revised += 1
        else:
            result.unchanged += 1
    return result


class RevisionTokens:
    """AES-GCM tokens that list the keys somebody may revise (ens 6.2)."""
    AAD = b"ens-test-peer revision token"

    def __init__(self, store):
        self.store = store
        if store.get_meta("revision_keys") is None:
            store.set_meta("revision_keys", {})
            self.rotate()

    def rotate(self, forget=False):
        """A new key; with forget the old tokens can no longer be read."""
        keys = self.store.get_meta("revision_keys")
        number = str(max(map(int, keys), default=0) + 1)
        keys = {} if forget else keys
        keys[number] = secrets.token_hex(32)
        self.store.set_meta("revision_keys", keys)

    def make(self, keys, minimum):
        """keys: {key bytes: (start, period)}"""
        entries = [pb_bytes(1, data) + pb_int(2, start) + pb_int(3, period)
                   for data, (start, period) in keys.items()]
        entries += [pb_bytes(1, bytes(16))] * (minimum - len(entries))
        known = self.store.get_meta("revision_keys")
        kid = max(known, key=int)
        nonce = secrets.token_bytes(12)
        sealed = AESGCM(bytes.fromhex(known[kid])).encrypt(
            nonce, b"".join(pb_bytes(1, entry) for entry in entries), self.AAD)
        return b64(pb_bytes(1, kid) + pb_bytes(2, nonce + sealed))

    def read(self, data):
        """Undo make(); ValueError if this server cannot decrypt it."""
        fields = dict(pb_read(data))
        kid, sealed = fields.get(1), fields.get(2)
        if not isinstance(kid, bytes) or not isinstance(sealed, bytes) or len(sealed) < 28:
            raise ValueError("malformed token")
        known = self.store.get_meta("revision_keys").get(kid.decode("utf-8", "replace"))
        if known is None:
            raise ValueError("token has invalid key id")
        try:
            plain = AESGCM(bytes.fromhex(known)).decrypt(sealed[:12], sealed[12:], self.AAD)
        except InvalidTag:
            raise ValueError("failed to decrypt") from None
        keys = {}
        for _, entry in pb_read(plain):
            item = dict(pb_read(entry))
            if item.get(2, 0) or item.get(3, 0):
                keys[item[1]] = (item.get(2, 0), item.get(3, 0))
        return keys


def multi_error(texts):
    """The way Go's multierror prints a list."""
    head = "1 error occurred:" if len(texts) == 1 else f"{len(texts)} errors occurred:"
    return head + "".join(f"\n\t* {text}" for text in texts) + "\n\n"


class KeyServer:
    name = "key"

    def __init__(self, app):
        self.app = app
        self.store = app.store
        self.tokens = RevisionTokens(self.store)
        self.exports = Exports(app)
        self.chaff = ChaffTracker(lambda filler: {"padding": filler})

    @property
    def config(self):
        return self.app.config["key"]

    def handle(self, request):
        if request.path.startswith(BUCKET):
            return self.exports.serve(request)
        routes = {"/health": lambda r: json_response(200, {"status": "ok"}),
                  "/v1/publish": self.publish}
        if request.path not in routes:
            return not_found()
        return self.chaff.run(request, lambda r: self.maintained(r, routes[request.path]))

    def maintained(self, request, handler):
        if self.config["maintenance"]:
            return json_response(429, {"error": "please try again later"})
        return handler(request)

    def publish(self, request):
        try:
            status, answer = self.process(request)
        except BodyError as error:
            status = error.status
            answer = {"error": "error unmarshalling API call, code: "
                               f"{error.status}: {error}", "code": "bad_request"}
        except PublishError as error:
            status = error.status
            answer = {"error": str(error), "code": error.code, "warnings": error.warnings}
        answer = {name: value for name, value in answer.items() if value}
        answer["padding"] = random_padding()
        return json_response(status, answer, answer.get("code", ""), **{"X-Api-Version": "v1"})

    def process(self, request):
        now = self.app.now()
        data = read_json(request.header("Content-Type"), request.body, PUBLISH_FIELDS)
        name = data["healthAuthorityID"]
        authority = self.config["health_authorities"].get(name)
        if authority is None:
            raise PublishError(401, "unknown_health_authority_id",
                               f"unauthorized health authority: {name}")
        regions = authority.get("regions") or [self.config["default_region"]]
        regions = [region.upper() for region in regions if region]
        if not regions:
            raise PublishError(500, "health_authority_missing_region_config",
                               f"unknown health authority regions for {name}")
        try:
            claims = self.verify_certificate(authority, data, now)
            # The original sorts the request's list for the HMAC and goes on with it.
            data["temporaryExposureKeys"].sort(key=lambda key: key["key"])
        except JwtError as error:
            if not authority.get("bypass_verification"):
                raise PublishError(401, "health_authority_verification_certificate_invalid",
                                   f"unable to validate diagnosis verification: {error}") from None
            claims = None
        token, unreadable = self.read_token(data["revisionToken"])
        settings = self.config["publish"]
        try:
            result = transform_publish(settings, now, data, claims)
        except Refused as error:
            raise PublishError(400, "bad_request",
                               f"unable to read request data: {error}") from None
        errors, warnings = result.texts("error"), result.texts("warning")
        if errors and not result.kept:
            raise PublishError(400, "bad_request", "unable to read request data: "
                               + multi_error(errors), warnings)
        try:
            with self.store.tx() as db:
                stored = store_exposures(
                    db, result.kept, token, name, regions,
                    not authority.get("bypass_revision_token"),
                    self.config["allow_partial_revisions"])
                self.note(db, now, data, claims, result, stored)
        except PublishError as error:
            if unreadable:
                raise PublishError(400, "invalid_revision_token", "revision token is invalid",
                                   warnings) from None
            error.warnings = warnings
            raise
        oldest = (now - settings["max_age_hours"] * 3600) // INTERVAL
        covered = {key: when for key, when in (token or {}).items() if sum(when) >= oldest}
        for key in stored.touched:
            covered.setdefault(key["key"], (key["start"], key["period"]))
        return 200, {
            "revisionToken": self.tokens.make(covered, self.config["min_token_keys"])
                             if covered else "",
            "insertedExposures": stored.inserted,
            "error": multi_error(errors) if errors else "",
            "code": "partial_failure" if errors else "",
            "warnings": warnings,
        }

    def verify_certificate(self, authority, data, now):
        """Signature, times, issuer, audience, report type, HMAC (ens 4)."""
        issuers = copy.deepcopy(self.config["extra_issuers"])
        ver = self.app.config["verification"]
        own = jwk_of(self.app.verification.certificate_key.public_key(), ver["certificate_kid"])
        issuers.setdefault(ver["issuer"], {"audience": ver["audience"],
                                           "keys": {ver["certificate_kid"]: own}})

        def find_key(kid, claims):
            issuer = issuers.get(claims.get("iss"))
            if issuer is None:
                raise JwtError(f"issuer not found: {claims.get('iss')}")
            if claims.get("aud") != issuer["audience"]:
                raise JwtError("audience mismatch for issuer")
            if kid not in issuer["keys"]:
                raise JwtError("no active public keys for health authority")
            return key_of_jwk(issuer["keys"][kid])

        claims = jwt_verify(data["verificationPayload"], find_key, now)
        if claims["iss"] not in authority.get("issuers", []):
            raise JwtError("app has not authorized health authority issuer")
        if claims.get("reportType", "") not in ("",) + REPORT_TYPES:
            raise JwtError("invalid report type")
        if not tekmac_matches(claims.get("tekmac", ""), data["temporaryExposureKeys"],
                              data["hmacKey"]):
            raise JwtError("HMAC mismatch, publish request does not match "
                           "diagnosis verification certificate")
        return claims

    def read_token(self, text):
        """(content or None, was it text that could not be decrypted)"""
        if not text:
            return None, False
        try:
            data = b64_any(text)
        except ValueError:
            return None, False          # not base64: as if there was none
        try:
            return self.tokens.read(data), False
        except ValueError:
            return None, True

    @staticmethod
    def note(db, now, data, claims, result, stored):
        """What tests want to know about an accepted publish."""
        kept = [{**key, "key": b64(key["key"])} for key in result.kept]
        info = {"time": now, "healthAuthorityID": data["healthAuthorityID"],
                "reportType": (claims or {}).get("reportType", ""),
                "traveler": data["traveler"], "onset": result.onset,
                "onsetSource": result.onset_source, "keys": kept, "dropped": result.dropped,
                "inserted": stored.inserted, "revised": stored.revised,
                "unchanged": stored.unchanged, "droppedExisting": stored.dropped,
                "sentRevisionToken": bool(data["revisionToken"]), "hmacKey": data["hmacKey"]}
        db.execute("INSERT INTO publishes (info) VALUES (?)", (json.dumps(info),))


# --- key server: exports (ens 6.3, gaen-core 9) ---

class Exports:
    """Batches of keys as signed ZIP files, kept in the state database."""

    def __init__(self, app):
        self.app = app
        self.store = app.store
        for config in app.config["export"]["configs"]:
            self.signing_keys(config)

    def signing_keys(self, config):
        return [self.store.private_key(f"export-{s['id']}-{s['version']}")
                for s in config["signers"]]

    def publish(self, mode):
        """mode 'due': the batches a scheduled worker would write at this time.
        mode 'now': one batch with everything released up to now."""
        report = []
        for config in self.app.config["export"]["configs"]:
            # Make missing signing keys first: files, so outside the transaction.
            keys = self.signing_keys(config)
            with self.store.tx() as db:
                now = self.app.now()
                files = []
                ranges = self.due_ranges(db, config, now) if mode == "due" \
                    else [self.range_to_now(db, config, now)]
                for start, end in ranges:
                    files += self.write_batch(db, config, keys, start, end, now)
                if ranges:
                    self.write_index(db, config, now)
                report.append({"root": config["root"], "batches": ranges, "files": files})
        return report

    @staticmethod
    def latest_end(db, config):
        return db.execute("SELECT max(end) FROM batches WHERE root = ?",
                          (config["root"],)).fetchone()[0]

    def due_ranges(self, db, config, now):
        """Windows of one period, aligned, ended at least two hours ago."""
        settings = self.app.config["export"]
        period = config.get("period_seconds", settings["period_seconds"])
        now -= settings["min_window_age_seconds"]
        window = self.app.config["key"]["publish"]["truncate_seconds"]
        latest, last_end = self.latest_end(db, config), now // window * window // period * period
        if latest is None:
            return [(last_end - period, last_end)]
        ranges = []
        while last_end > latest:
            ranges.insert(0, (last_end - period, last_end))
            last_end -= period
        return ranges

    def range_to_now(self, db, config, now):
        latest = self.latest_end(db, config)
        if latest is None:
            latest = now - self.app.config["export"]["period_seconds"]
        return latest, max(now, latest) + 1

    def write_batch(self, db, config, private_keys, start, end, now):
        settings = self.app.config["export"]
        new, revised = (sorted(self.rows(db, config, end, flag), key=lambda k: k["key"])
                        for flag in (False, True))
        limit = settings["max_records"]
        records = [(key, False) for key in new] + [(key, True) for key in revised]
        groups = [records[i:i + limit] for i in range(0, len(records), limit)]
        if groups and len(new) < settings["min_records"]:
            # The last file is filled up, if it has new keys at all.
            sources = [key for key, is_revised in groups[-1] if not is_revised]
            fillers = [(key, False) for key in self.filler_keys(db, sources)]
            groups[-1] += fillers
            records += fillers
        files = []
        for number, group in enumerate(groups, 1):
            name = f"{config['root']}/{start}-{end}-{number:05}.zip"
            # Equal times would look like one file to a phone: bump the end.
            header_end = end + number if len(groups) > 1 else end
            content = export_bin(start, header_end, config["region"], config["signers"],
                                 [key for key, is_revised in group if not is_revised],
                                 [key for key, is_revised in group if is_revised])
            self.put(db, name, config["root"], end, now,
                     export_zip(content, config["signers"], private_keys),
                     "application/zip", "public, max-age=86400")
            files.append(name)
        db.executemany("INSERT OR IGNORE INTO exported VALUES (?, ?, ?)",
                       [(config["root"], key["key"], is_revised) for key, is_revised in records])
        db.execute("INSERT INTO batches VALUES (?, ?, ?)", (config["root"], start, end))
        return files

    @staticmethod
    def rows(db, config, end, revised):
        """Keys released before end and not yet in an export of this configuration."""
        column = "revised_at" if revised else "created"
        inputs = {r.upper() for r in config.get("input_regions") or [config["region"]]}
        excluded = {r.upper() for r in config.get("exclude_regions") or []}
        result = []
        for row in db.execute(
                f"SELECT * FROM exposures e WHERE {column} < ? AND NOT EXISTS (SELECT 1 FROM"
                " exported x WHERE x.root = ? AND x.key = e.key AND x.revised = ?)",
                (end, config["root"], revised)):
            regions = set(json.loads(row["regions"]))
            if regions & excluded:
                continue
            if config.get("only_non_travelers") and row["traveler"]:
                continue
            if not regions & inputs and not (config.get("include_travelers") and row["traveler"]):
                continue
            result.append({
                "key": row["key"], "start": row["start"], "period": row["period"],
                "risk": row["risk"], "row": row,
                "report_type": row["revised_type"] if revised else row["report_type"],
                "days": row["revised_days"] if revised else row["days"]})
        return result

    def filler_keys(self, db, sources):
        """Random keys that copy the data of real ones, so that small files say less."""
        settings, made = self.app.config["export"], []
        target = settings["min_records"] + secrets.randbelow(settings["padding_range"] + 1)
        while sources and len(sources) + len(made) < target:
            for source in sources:              # whole rounds, like the original
                if len(sources) + len(made) >= settings["max_records"]:
                    return made
                data, row = secrets.token_bytes(16), source["row"]
                db.execute("INSERT INTO exposures (key, risk, health_authority, regions, traveler,"
                           " start, period, created, report_type, days, generated)"
                           " VALUES (?, ?, 'export-generated', ?, ?, ?, ?, ?, ?, ?, 1)",
                           (data, row["risk"], row["regions"], row["traveler"], row["start"],
                            row["period"], max(key["row"]["created"] for key in sources),
                            row["report_type"], row["days"]))
                made.append({**source, "key": data})
        return made

    def write_index(self, db, config, now):
        """index.txt lists all files of the configuration, oldest first."""
        expired = now - self.app.config["export"]["ttl_days"] * DAY
        db.execute("DELETE FROM blobs WHERE root = ? AND end IS NOT NULL AND end < ?",
                   (config["root"], expired))
        names = [row["name"] for row in db.execute(
            "SELECT name FROM blobs WHERE root = ? AND end IS NOT NULL ORDER BY name",
            (config["root"],))]
        self.put(db, config["root"] + "/index.txt", config["root"], None, now,
                 "\n".join(names).encode(), "text/plain", "no-cache, max-age=0")

    @staticmethod
    def put(db, name, root, end, now, data, kind, cache):
        db.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?)",
                   (name, root, end, data, kind, cache, now))

    def serve(self, request):
        """A read-only bucket with ETag and single byte ranges."""
        if request.method not in ("GET", "HEAD"):
            return Response(405)
        rows = self.store.all("SELECT * FROM blobs WHERE name = ?", request.path[len(BUCKET):])
        if not rows:
            return not_found()
        data = rows[0]["data"]
        etag = '"' + hashlib.sha256(data).hexdigest()[:32] + '"'
        headers = {"Content-Type": rows[0]["type"], "Cache-Control": rows[0]["cache"],
                   "ETag": etag, "Accept-Ranges": "bytes",
                   "Last-Modified": rfc1123_utc(rows[0]["written"]).replace("UTC", "GMT")}
        if etag in [tag.strip() for tag in request.header("If-None-Match").split(",")]:
            return Response(304, b"", headers)
        wanted = re.fullmatch(r"bytes=([0-9]+)-([0-9]*)", request.header("Range"))
        if wanted and request.header("If-Range") in ("", etag):
            first = int(wanted[1])
            last = min(int(wanted[2] or len(data) - 1), len(data) - 1)
            if first > last:
                return Response(416, b"", {"Content-Range": f"bytes */{len(data)}"})
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            return Response(206, data[first:last + 1], headers)
        return Response(200, data, headers)


# --- admin API, for tests only (README.md) ---

FAULT_KINDS = ("status", "body", "error", "drop_before", "drop_after", "delay", "delay_after",
               "truncate")


class AdminServer:
    name = "admin"

    def __init__(self, app):
        self.app = app
        self.store = app.store

    def handle(self, request):
        parts = request.path.strip("/").replace("-", "_").split("/")
        handler = getattr(self, f"{request.method.lower()}_{'_'.join(parts[:2])}", None)
        if parts[0] == "jwks" and request.method == "GET":
            handler = self.jwks
        if handler is None:
            return json_response(404, {"error": f"no {request.method} {request.path}"})
        try:
            data = json.loads(request.body) if request.body else {}
            if not isinstance(data, dict):
                raise ValueError("a JSON object is needed")
            return json_response(200, handler(data, request.query))
        except VerError as error:
            return error.response()
        except (ValueError, KeyError, TypeError, PublishError) as error:
            return json_response(400, {"error": f"{type(error).__name__}: {error}"})

    def get_health(self, data, query):
        return {"status": "ok"}

    def get_state(self, data, query):
        tables = ("codes", "tokens", "exposures", "batches", "blobs", "requests", "publishes",
                  "faults")
        return {**self.app.ready, "now": self.app.now(),
                "counts": {table: self.store.all(f"SELECT count(*) n FROM {table}")[0]["n"]
                           for table in tables}}

    def jwks(self, data, query):
        ver = self.app.verification
        return [jwk_of(ver.certificate_key.public_key(), ver.config["certificate_kid"])]

    # Codes
    def post_codes(self, data, query):
        now = self.app.now()
        test_type = data.get("testType", "confirmed")
        if test_type not in REPORT_TYPES and not data.get("unchecked"):
            raise VerError(400, "invalid_test_type", "invalid test type")
        dates = data.get("symptomDate"), data.get("testDate")
        if not data.get("unchecked"):
            self.app.verification.check_dates(now, *dates, data.get("tzOffset", 0))
        return self.app.verification.issue(
            now, test_type, *dates, channel=data.get("channel", "sms"),
            short_minutes=data.get("shortMinutes"), long_hours=data.get("longHours"),
            code=data.get("code"), long_code=data.get("longCode"), nonce=data.get("nonce"))

    def get_codes(self, data, query):
        return self.store.all("SELECT * FROM codes ORDER BY id")

    def get_tokens(self, data, query):
        return self.store.all("SELECT * FROM tokens")

    def get_sms(self, data, query):
        return self.store.all("SELECT phone, code, long_code, created, expires FROM codes "
                              "WHERE phone IS NOT NULL ORDER BY id")

    # What happened
    def get_requests(self, data, query):
        rows = self.store.all("SELECT * FROM requests WHERE id > ? ORDER BY id",
                              int(query.get("since", 0)))
        result = []
        for row in rows:
            info = {"id": row["id"], **json.loads(row["info"])}
            if query.get("bodies"):
                info["body"] = row["body"].decode("utf-8", "replace")
            if query.get("server", info["server"]) == info["server"]:
                result.append(info)
        return result

    def delete_requests(self, data, query):
        with self.store.tx() as db:
            db.execute("DELETE FROM requests")
        return {}

    def get_publishes(self, data, query):
        return [{"id": row["id"], **json.loads(row["info"])} for row in self.store.all(
            "SELECT * FROM publishes WHERE id > ? ORDER BY id", int(query.get("since", 0)))]

    def get_exposures(self, data, query):
        rows = self.store.all("SELECT * FROM exposures WHERE generated = 0 OR ? ORDER BY start, "
                              "period, key", bool(query.get("generated")))
        return [{**row, "key": b64(row["key"]), "regions": json.loads(row["regions"])}
                for row in rows]

    # Faults
    def post_faults(self, data, query):
        if data.get("kind") not in FAULT_KINDS:
            raise ValueError(f"kind must be one of {', '.join(FAULT_KINDS)}")
        rule = {"count": 1, "skip": 0, "path": "*", **data}
        with self.store.tx() as db:
            number = db.execute("INSERT INTO faults (rule) VALUES (?)",
                                (json.dumps(rule),)).lastrowid
        return {"id": number, **rule}

    def get_faults(self, data, query):
        return [{"id": row["id"], **json.loads(row["rule"])}
                for row in self.store.all("SELECT * FROM faults ORDER BY id")]

    def delete_faults(self, data, query):
        with self.store.tx() as db:
            db.execute("DELETE FROM faults")
        return {}

    # Clock and configuration
    def get_clock(self, data, query):
        return {"now": self.app.now(), "offset": self.app.clock["offset"],
                "frozen": self.app.clock["frozen"]}

    def post_clock(self, data, query):
        clock = dict(self.app.clock)
        if "advance" in data:
            clock["offset"] += data["advance"]
            if clock["frozen"] is not None:
                clock["frozen"] += data["advance"]
        if "offset" in data:
            clock["offset"] = data["offset"]
        if "set" in data:
            clock["offset"] = data["set"] - int(time.time()) - self.app.start_offset
        if "freeze" in data:
            clock["frozen"] = data["freeze"]
        self.app.set_clock(clock)
        return self.get_clock(data, query)

    def get_config(self, data, query):
        return self.app.config

    def post_config(self, data, query):
        self.app.set_config(deep_merge(copy.deepcopy(self.app.config), data))
        return self.app.config

    def delete_config(self, data, query):
        self.app.set_config(copy.deepcopy(DEFAULT_CONFIG))
        return self.app.config

    # Exports
    def post_exports_publish(self, data, query):
        if data.get("mode", "now") not in ("now", "due"):
            raise ValueError("mode must be now or due")
        return self.app.key.exports.publish(data.get("mode", "now"))

    def get_exports(self, data, query):
        return self.store.all("SELECT name, root, end, length(data) size, written FROM blobs "
                              "ORDER BY name")

    # Taking things back
    def post_revoke(self, data, query):
        """code: expire it; token: use it up; apiKey, healthAuthorityID: remove;
        key: revise a stored key to negative; revisionTokens: make old ones unreadable."""
        now, done = self.app.now(), {}
        with self.store.tx() as db:
            if "code" in data:
                done["code"] = db.execute(
                    "UPDATE codes SET expires = ?, long_expires = ? WHERE ? IN (code, long_code)",
                    (now, now, data["code"])).rowcount
            if "token" in data:
                claims = json.loads(b64_any(data["token"].split(".")[1]))
                done["token"] = db.execute("UPDATE tokens SET used = 1 WHERE token_id = ?",
                                           (claims["jti"],)).rowcount
            if "key" in data:
                window = self.app.config["key"]["publish"]["truncate_seconds"]
                row = db.execute("SELECT * FROM exposures WHERE key = ?",
                                 (b64_any(data["key"]),)).fetchone()
                if row is None:
                    raise ValueError("key is not stored")
                if data.get("force") or revise(row, "negative"):
                    done["key"] = db.execute(
                        "UPDATE exposures SET revised_type = 'negative', revised_at = ?,"
                        " revised_days = days, revised_risk = 6 WHERE key = ?",
                        (max(now // window * window, row["created"]), row["key"])).rowcount
        if data.get("revisionTokens"):
            self.app.key.tokens.rotate(forget=True)
            done["revisionTokens"] = 1
        config = copy.deepcopy(self.app.config)
        if "apiKey" in data:
            config["verification"]["device_api_keys"].remove(data["apiKey"])
            done["apiKey"] = 1
        if "healthAuthorityID" in data:
            del config["key"]["health_authorities"][data["healthAuthorityID"]]
            done["healthAuthorityID"] = 1
        self.app.set_config(config)
        return done

    def post_cleanup(self, data, query):
        """What the original's cleanup jobs delete after 14 days."""
        oldest = self.app.now() - self.app.config["export"]["ttl_days"] * DAY
        with self.store.tx() as db:
            return {"exposures": db.execute("DELETE FROM exposures WHERE created < ?",
                                            (oldest,)).rowcount}

    def post_reset(self, data, query):
        """Forget everything but keys, configuration and clock; or the named tables."""
        known = ("codes", "tokens", "exposures", "exported", "batches", "blobs", "requests",
                 "publishes", "faults")
        tables = data.get("tables", known)
        if not set(tables) <= set(known):
            raise ValueError(f"tables: {', '.join(known)}")
        with self.store.tx() as db:
            for table in tables:
                db.execute(f"DELETE FROM {table}")
        return {"reset": list(tables)}


# --- HTTP ---

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "ens-test-peer", ""
    disable_nagle_algorithm = True
    wbufsize = -1                       # one write for head and body
    timeout = 120

    def setup(self):
        # The TLS handshake happens here, in this connection's own thread.
        if self.server.tls is not None:
            self.request.settimeout(self.timeout)
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()
        with self.server.app.store.lock:
            self.server.app.connections += 1
            self.number = self.server.app.connections

    def finish(self):
        super().finish()
        if self.server.tls is not None:
            self.request.close()

    def do_any(self):
        started = time.monotonic()
        try:
            body = self.read_body()
        except ValueError as error:
            self.close_connection = True
            self.send(text_response(400, f"400 Bad Request: {error}"))
            return
        url = urllib.parse.urlsplit(self.path)
        request = Request(self.server.service.name, self.command, url.path,
                          dict(urllib.parse.parse_qsl(url.query)), list(self.headers.items()),
                          body, self.number, len(self.requestline) + 2)
        app = self.server.app
        if request.server == "admin":
            self.send(self.guarded(request))
            return
        fault = app.take_fault(request)
        kind = fault.get("kind")
        if kind == "delay":
            time.sleep(fault.get("seconds", 1))
        if kind == "drop_before":
            response = None
        elif kind in ("status", "body", "error"):
            response = self.fault_response(request, fault)
        else:
            response = self.guarded(request)
        if kind == "delay_after":
            time.sleep(fault.get("seconds", 1))
        app.log_request(request, response, kind, time.monotonic() - started)
        if kind in ("drop_before", "drop_after"):
            self.drop()
        elif kind == "truncate":
            self.send(response, cut=True)
            self.drop()
        else:
            self.send(response)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_any

    def date_time_string(self, timestamp=None):
        """The Date header follows the servers' clock, not the machine's."""
        return super().date_time_string(self.server.app.now() if timestamp is None else timestamp)

    def handle_expect_100(self):
        result = super().handle_expect_100()
        self.wfile.flush()
        return result

    def read_body(self):
        """The body, but not more than a little over the limit of the servers."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = b""
            while size := int(self.rfile.readline(100).split(b";")[0], 16):
                if size < 0 or len(body) + size > 16 * MAX_BODY:
                    raise ValueError("body too large")
                body += self.rfile.read(size)
                self.rfile.readline(4)
            while self.rfile.readline(MAX_BODY).strip():
                pass
            return body
        size = int(self.headers.get("Content-Length") or 0)
        if size < 0 or size > 16 * MAX_BODY:
            raise ValueError("body too large")
        body = self.rfile.read(size)
        if len(body) < size:
            raise ValueError("body ended early")
        return body

    def guarded(self, request):
        try:
            return self.server.service.handle(request)
        except Exception:
            traceback.print_exc()
            if request.server == "key":
                return json_response(500, {"error": "Internal Server Error",
                                           "code": "internal_error", "padding": random_padding()})
            return VerError(500, "internal_server_error", "internal error").response()

    @staticmethod
    def fault_response(request, fault):
        status = fault.get("status", 200 if fault["kind"] == "body" else 503)
        code = fault.get("code", "internal_error" if request.server == "key"
                         else "internal_server_error")
        if fault["kind"] == "error":    # an error in the shape of that server
            if request.server == "key":
                return json_response(status, {"error": "fault set by the test", "code": code,
                                              "padding": random_padding()}, code)
            return VerError(status, code, "fault set by the test").response()
        body = fault.get("body", "")
        if isinstance(body, str):
            response = text_response(status, body)
        else:
            response = json_response(status, body)
        response.headers.update(fault.get("headers", {}))
        return response

    def send(self, response, cut=False):
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.status != 304:
            self.send_header("Content-Length", str(len(response.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body[:len(response.body) // 2] if cut else response.body)
        with contextlib.suppress(OSError):
            self.wfile.flush()

    def drop(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, app, service, host, port, tls=None):
        self.app, self.service, self.tls = app, service, tls
        super().__init__((host, port), Handler)

    def handle_error(self, request, client_address):
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):      # the client going away is no news
            traceback.print_exc()


class App:
    """The state, the clock and the three services."""

    def __init__(self, folder, start_offset=0):
        self.store = Store(folder)
        self.start_offset = start_offset
        self.connections = 0
        self.ready = {}
        self.clock = self.store.get_meta("clock", {"offset": 0, "frozen": None})
        self.config = deep_merge(copy.deepcopy(DEFAULT_CONFIG), {})
        saved = self.store.get_meta("config")
        if saved is not None:
            self.config = saved
        self.verification = VerificationServer(self)
        self.key = KeyServer(self)
        self.admin = AdminServer(self)
        self.servers = []

    def now(self):
        if self.clock["frozen"] is not None:
            return self.clock["frozen"]
        return int(time.time()) + self.start_offset + self.clock["offset"]

    def set_clock(self, clock):
        self.store.set_meta("clock", clock)
        self.clock = clock

    def set_config(self, config):
        self.store.set_meta("config", config)
        self.config = config

    def take_fault(self, request):
        """The first rule that fits; counts it down. {} = no fault."""
        with self.store.lock:
            for row in self.store.all("SELECT * FROM faults ORDER BY id"):
                rule = json.loads(row["rule"])
                if rule["path"] not in ("*", request.path):
                    continue
                if rule.get("server", request.server) != request.server:
                    continue
                if rule.get("method", request.method) != request.method:
                    continue
                if rule.get("chaff", request.chaff) != request.chaff:
                    continue
                counter = "skip" if rule["skip"] else "count"
                left = {**rule, counter: rule[counter] - 1}
                with self.store.tx() as db:
                    if left["count"] > 0:
                        db.execute("UPDATE faults SET rule = ? WHERE id = ?",
                                   (json.dumps(left), row["id"]))
                    else:
                        db.execute("DELETE FROM faults WHERE id = ?", (row["id"],))
                return {} if counter == "skip" else rule
        return {}

    def log_request(self, request, response, fault, seconds):
        head = request.line_bytes + sum(len(k) + len(v) + 4 for k, v in request.headers) + 2
        info = {"time": self.now(), "wallTime": round(time.time(), 3), "server": request.server,
                "connection": request.connection, "method": request.method,
                "path": request.path, "headers": request.headers, "headBytes": head,
                "bodyBytes": len(request.body), "chaff": request.chaff,
                "status": response.status if response else None,
                "code": response.code if response else "",
                "answerBytes": len(response.body) if response else 0,
                "fault": fault, "seconds": round(seconds, 4)}
        with self.store.tx() as db:
            db.execute("INSERT INTO requests (info, body) VALUES (?, ?)",
                       (json.dumps(info), request.body))

    def start(self, verification_port=0, key_port=0, admin_port=0, tls=None, host="127.0.0.1"):
        ver = Server(self, self.verification, host, verification_port, tls)
        key = Server(self, self.key, host, key_port, tls)
        admin = Server(self, self.admin, host, admin_port)
        self.servers = [ver, key, admin]
        scheme = "https" if tls else "http"
        ver_url, key_url, admin_url = (
            f"{s}://{host}:{server.server_port}"
            for s, server in zip((scheme, scheme, "http"), self.servers))
        self.ready = {
            "ready": True, "verificationPort": ver.server_port, "keyPort": key.server_port,
            "adminPort": admin.server_port, "verificationUrl": ver_url, "keyUrl": key_url,
            "adminUrl": admin_url, "exportBase": key_url + BUCKET,
            "exportIndexes": [f"{key_url}{BUCKET}{c['root']}/index.txt"
                              for c in self.config["export"]["configs"]],
            "apiKey": (self.config["verification"]["device_api_keys"] or [None])[0],
            "healthAuthorityIDs": list(self.config["key"]["health_authorities"]),
            "exportPublicKeys": [
                {**s, "path": self.store.public_path(f"export-{s['id']}-{s['version']}")}
                for c in self.config["export"]["configs"] for s in c["signers"]],
            "certificatePublicKey": self.store.public_path("certificate"),
            "tokenPublicKey": self.store.public_path("token")}
        for server in self.servers:
            threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        return self.ready

    def stop(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
        with self.store.lock:           # let a running transaction finish
            self.store.db.close()


def main():
    parser = argparse.ArgumentParser(description="ENS verification and key server for tests")
    parser.add_argument("--state", required=True, help="folder for database and keys")
    parser.add_argument("--verification-port", type=int, required=True)
    parser.add_argument("--key-port", type=int, required=True)
    parser.add_argument("--admin-port", type=int, default=0)
    parser.add_argument("--clock-offset", type=int, default=0, help="seconds")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    options = parser.parse_args()
    tls = None
    if options.tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*options.tls)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    app = App(options.state, options.clock_offset)
    ready = app.start(options.verification_port, options.key_port, options.admin_port, tls,
                      options.host)
    print(json.dumps(ready), flush=True)
    stopping.wait()
    app.stop()


if __name__ == "__main__":
    main()
