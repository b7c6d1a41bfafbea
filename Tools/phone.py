# SPDX-License-Identifier: Apache-2.0
"""A visitor's phone with the app of a public health service, as far as a check-in goes, written by the protocols of the Corona-Warn-App alone and with
nothing of the project's: it reads the code at the door, notes times, fetches a test's result, and warns. No phone was ever near this."""
import base64
import hashlib
import hmac
import json
import secrets
import ssl
import subprocess
import urllib.request

from authoritykit import field, key
from protobuf import fields

DAY, INTERVAL = 86_400, 600


def aes(mode, secret, content, vector=None):
    words = ["openssl", "enc", f"-aes-{len(secret) * 8}-{mode}", "-K", secret.hex()] + (["-iv", vector.hex()] if vector else ["-nopad"])
    return subprocess.run(words, input=content, check=True, capture_output=True).stdout


class Phone:
    def __init__(self, server, authorities):
        self.server, self.trust = server, ssl.create_default_context(cafile=authorities)
        self.secrets = {}

    # At the door.

    def scan(self, text):
        """Takes the code as a camera shows it; the name of the place."""
        payload = base64.urlsafe_b64decode(text.partition("#")[2] + "==")
        self.place = hashlib.sha256(b"CWA-GUID" + payload).digest()
        location = next(bytes(value) for number, value in fields(memoryview(payload)) if number == 2)
        return next(bytes(value).decode() for number, value in fields(memoryview(location)) if number == 2)

    def stayed(self, begin, end):
        """Notes the visit: Unix seconds, both multiples of 600, more than half an hour apart, so that nothing has to be rounded."""
        self.visit = (begin, end)

    # A test.

    def ask(self, path, members, **headers):
        is_json = isinstance(members, dict)
        body = json.dumps(members).encode() if is_json else members
        named = {"Content-Type": "application/json" if is_json else "application/x-protobuf", "cwa-fake": "0", **headers}
        request = urllib.request.Request(f"{self.server}/version/v1/{path}", body, named)
        with urllib.request.urlopen(request, timeout=30, context=self.trust) as answer:
            content = answer.read()
        return json.loads(content) if content else {}

    def register(self, test):
        """The number on the leaflet never leaves the phone; its hash does."""
        self.secrets["number of the test"] = test
        self.secrets["hash of it"] = hashlib.sha256(test.encode()).hexdigest()
        self.secrets["token of it"] = self.ask("registrationToken", {"key": self.secrets["hash of it"], "keyType": "GUID"})["registrationToken"]

    def is_positive(self):
        return self.ask("testresult", {"registrationToken": self.secrets["token of it"]}).get("testResult") == 2

    # The warning.

    def report(self, level):
        """The visit, so that only those who have the code can read it: half an hour more for the air, whole intervals."""
        begin, end = self.visit
        record = field(1, begin // INTERVAL) + field(2, (end - begin) // INTERVAL + 3) + field(3, level)
        vector = secrets.token_bytes(16)
        sealed = aes("cbc", hashlib.sha256(b"CWA-ENCRYPTION-KEY" + self.place).digest(), record, vector)
        code = hmac.digest(hashlib.sha256(b"CWA-MAC-KEY" + self.place).digest(), vector + sealed, "sha256")
        self.secrets["sealed visit"] = sealed
        return b"".join(field(number, part) for number, part in enumerate([hashlib.sha256(self.place).digest(), vector, sealed, code], 1))

    def warn(self, data, now, level=5):
        """Sends the key of the visit's day, up to now, and the visit."""
        first = self.visit[0] // DAY * DAY
        self.secrets["key of the day"] = data
        self.secrets["TAN"] = self.ask("tan", {"registrationToken": self.secrets["token of it"]})["tan"]
        own = key(data, start=first // INTERVAL, period=min(144, max(1, (now - first) // INTERVAL)))
        body = field(1, own) + field(2, secrets.token_bytes(1_000)) + field(4, b"DE") + field(8, self.report(level))
        self.ask("diagnosis-keys", body, **{"cwa-authorization": self.secrets["TAN"]})


def identifiers(data, first):
    """What a phone sends on a day, by its key: the rolling proximity identifiers of all 144 intervals from `first` (Unix seconds) on."""
    extracted = hmac.digest(bytes(32), data, "sha256")
    derived = hmac.digest(extracted, b"EN-RPIK\1", "sha256")[:16]
    blocks = b"".join(b"EN-RPI" + bytes(6) + (first // INTERVAL + number).to_bytes(4, "little") for number in range(144))
    sent = aes("ecb", derived, blocks)
    return [sent[place:place + 16] for place in range(0, len(sent), 16)]
