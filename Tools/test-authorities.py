#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole boards that follow the health authorities of other systems, one alone or several: the Corona-Warn-App's tree with its published rules and codes,
Google's servers with rules in the profile, NHS COVID-19's with signed rules, and all three beside an authority of our own. What plugins are
told comes from profiles by `vigil-lab profile settings`, as an operator does it. People warn through Google's and the NHS's stand-ins
(Tests/System/Peers), from the code to what those hear who were near and those who were not. Rules are missing, or another's; servers fail, are
silent, or stop.

Usage: test-authorities.py FOLDER-WITH-EXECUTABLES [--only STORY]… [--short]     Ends with "N passed, M failed". Needs root, openssl, and Python's
cryptography for the stand-ins. Two minutes; with --short no server is silent.
"""
import argparse
import base64
import email.utils
import hashlib
import hmac
import html
import io
import json
import os
import re
import secrets
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import threading
import time
import traceback
import urllib.request
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

arguments = argparse.ArgumentParser()
arguments.add_argument("bin", nargs="?", default=".build/release")
arguments.add_argument("--only", action="append", default=[], help="one of cwa, ens, nhs, all; repeatable")
arguments.add_argument("--short", action="store_true", help="no server that is silent: its limits are waited for")
options = arguments.parse_args()

from authoritykit import start_authority  # noqa: E402
from boardkit import BIN, FOLDER, ROOT, call, check, ctl, free_port, perform, processes, read, run, start, state, until, write  # noqa: E402
from serverkit import certificates, example_rules, public_key, secret_of  # noqa: E402

sys.path.insert(0, f"{ROOT}/Tests/System/Browser")
from intruder import Client  # noqa: E402

HOUR, DAY = 3_600, 86_400
NOW = int(time.time())
TODAY = NOW // DAY
# Days before today of the meetings in the air.
AGO = 3
# Of those, so long.
MINUTES = 80
# Nobody waits here for the slots of half an hour that hide what is exchanged.
REHEARSAL = 300
LAB = f"{BIN}/vigil-lab"

with open(f"{ROOT}/Plugins/WebUI/texts/en.txt", encoding="utf-8") as texts:
    TEXTS = dict(line.strip().split(" = ", 1) for line in texts if " = " in line)


def see(name, good, detail=""):
    """A check whose detail is told when it failed."""
    return check(name, bool(good), "" if good else detail)


# MARK: People who were met

def expand(key, info):
    """HKDF-SHA256 without salt, 16 bytes."""
    extracted = hmac.digest(bytes(32), key, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")[:16]


def openssl(*words, data=b""):
    return subprocess.run(["openssl", *words], input=data, check=True, capture_output=True, timeout=60).stdout


class Person:
    """Somebody with a phone who was near a board for so many minutes of a past day, at this attenuation in dB."""
    TRANSMIT = -12

    def __init__(self, ago, minutes, attenuation):
        self.data, self.ago, self.minutes, self.attenuation = secrets.token_bytes(16), ago, minutes, attenuation
        self.day = TODAY - ago
        self.start = self.day * 144

    @property
    def text(self):
        return base64.b64encode(self.data).decode()

    def sightings(self):
        """Scans every two minutes from noon on, each of which heard it once."""
        began = self.day * DAY + 12 * HOUR
        moments = [began + 120 * (number + 1) for number in range(self.minutes // 2)]
        intervals = sorted({moment // 600 for moment in moments})
        blocks = b"".join(b"EN-RPI" + bytes(6) + struct.pack("<I", interval) for interval in intervals)
        identifiers = openssl("enc", "-aes-128-ecb", "-nopad", "-K", expand(self.data, b"EN-RPIK").hex(), data=blocks)
        lines = []
        for moment in moments:
            place = 16 * intervals.index(moment // 600)
            identifier = identifiers[place:place + 16]
            metadata = openssl("enc", "-aes-128-ctr", "-K", expand(self.data, b"EN-AEMK").hex(), "-iv", identifier.hex(),
                               data=struct.pack("Bbxx", 0x40, self.TRANSMIT))
            lines.append((moment, moment - 120, self.TRANSMIT - self.attenuation, identifier.hex(), metadata.hex()))
        return lines


def strangers(count):
    return [Person(2, 0, 0) for _ in range(count)]


# MARK: Servers

class Tree:
    """A web server with TLS for what an authority publishes; it can fail and be silent."""

    def __init__(self, find):
        self.find, self.fault, self.asked = find, None, 0
        self.is_over = threading.Event()
        tree = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                tree.asked += 1
                if tree.fault == "silent" and "/diagnosis-keys/" in self.path:
                    tree.is_over.wait(120)
                    self.close_connection = True
                    return
                body = tree.find(self.path) if not isinstance(tree.fault, int) else None
                self.send_response(tree.fault if isinstance(tree.fault, int) else (200 if body is not None else 404))
                self.send_header("Content-Length", str(len(body or b"")))
                if body is not None:
                    self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()[:16]}"')
                self.end_headers()
                self.wfile.write(body or b"")

            def date_time_string(self, timestamp=None):
                return email.utils.formatdate(timestamp or time.time(), usegmt=True)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def finish_request(self, request, address):
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(f"{FOLDER}/server.pem", f"{FOLDER}/server.key")
                try:
                    with context.wrap_socket(request, server_side=True) as link:
                        super().finish_request(link, address)
                except OSError:
                    pass

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.base = f"https://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def chunk(number, content):
    """A protobuf field of bytes, or of a number."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


class CoronaWarnApp:
    """A tree as the Corona-Warn-App's server makes it, signed by a key of this test: days, hours, and the configuration that was published."""
    # As levels are published (Tests/Vectors/diagnosis/cwa_risk_encoding.json): level 6 is a doctor's diagnosis, onset two days ago.
    CODES = {3: (3, 1), 6: (2, 2), 8: (1, 2)}

    def __init__(self, name, met):
        self.place = f"{FOLDER}/{name}"
        os.makedirs(self.place)
        self.key = f"{self.place}/key.pem"
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.key)
        self.public = base64.b64encode(openssl("ec", "-in", self.key, "-pubout", "-outform", "DER")).decode()
        self.files = {}
        # What it has published until now ends five hours ago.
        self.end = (NOW - 5 * HOUR) // HOUR * HOUR
        for day in range(TODAY - 14, self.end // DAY):
            self.pack(f"{day}", day * DAY, (day + 1) * DAY, {person: 3 for person in strangers(3)}, day=day)
        first = self.end // DAY * DAY
        for begin in range(first, self.end, HOUR):
            self.pack(f"{begin}", begin, begin + HOUR, {person: 3 for person in strangers(3)} | (met if begin == self.end - HOUR else {}))
        if first == self.end:
            self.pack("met", first - DAY, first, {person: 3 for person in strangers(3)} | met, day=first // DAY - 1)
        self.tree = Tree(self.find)

    def pack(self, name, begin, end, people, day=None):
        rows = ["key,rolling_start,rolling_period,transmission_risk,report_type,days_since_onset,variant,revised"]
        rows += [f"{person.data.hex()},{person.start},144,{level},{self.CODES[level][0]},{self.CODES[level][1]},,0" for person, level in people.items()]
        write_to = f"{self.place}/{name}"
        with open(f"{write_to}.csv", "w") as file:
            file.write("\n".join(rows) + "\n")
        run(f"{BIN}/vigil", "export", "create", "--keys", f"{write_to}.csv", "--signing-key", self.key, "--key-name", "262-v1", "--region", "EUR",
            "--start", str(begin), "--end", str(end), "--output", f"{write_to}.zip")
        date = time.strftime("%Y-%m-%d", time.gmtime(begin))
        with open(f"{write_to}.zip", "rb") as file:
            self.files[(date, None if day is not None else begin % DAY // HOUR)] = file.read()

    def publish(self, met):
        """The next hour."""
        self.pack(f"{self.end}", self.end, self.end + HOUR, {person: 3 for person in strangers(3)} | met)
        self.end += HOUR

    def find(self, path):
        base = "/version/v1/diagnosis-keys/country/EUR/date"
        if path == base:
            return json.dumps(sorted({date for date, hour in self.files if hour is None})).encode()
        if match := re.fullmatch(base + r"/(\d{4}-\d\d-\d\d)(/hour(?:/(\d+))?)?", path):
            date, hours, hour = match.groups()
            if hours and hour is None:
                found = sorted(hour for other, hour in self.files if other == date and hour is not None)
                return json.dumps(found).encode() if found else None
            return self.files.get((date, int(hour) if hour else None))
        return self.rules if path == "/version/v2/app_config_android" else None

    rules = None

    def sign(self, document):
        """As its packages of configurations are: export.bin is the document."""
        write_to = f"{self.place}/document"
        with open(write_to, "wb") as file:
            file.write(document)
        signature = openssl("dgst", "-sha256", "-sign", self.key, write_to)
        info = chunk(3, b"v1") + chunk(4, b"262") + chunk(5, b"1.2.840.10045.4.3.2")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("export.bin", document)
            archive.writestr("export.sig", chunk(1, chunk(1, info) + chunk(2, 1) + chunk(3, 1) + chunk(4, signature)))
        return packed.getvalue()

    @staticmethod
    def published_rules():
        """The configuration that the app for Android was shipped with."""
        with open(f"{ROOT}/Tests/Vectors/risk-configuration/cwa-configurations.json") as file:
            case = next(case for case in json.load(file)["cases"] if case["id"] == "android-default-v2")
        document = base64.b64decode(case["bytes"])
        if hashlib.sha256(document).hexdigest() != case["sha256"]:
            raise SystemExit("the published configuration is not what it was")
        return document

    def profile(self):
        profile = example("cwa")
        keys = [{"id": "262", "version": "v1", "role": role, "key": self.public} for role in ("export", "rules")]
        profile.update(name="cwa", region="EUR", keys=keys)
        profile["rules"]["country"] = "DE"
        profile["distribution"].update(base=self.tree.base, country="EUR")
        profile["warn"].update(verification=self.tree.base, publish=self.tree.base)
        return profile


class Peer:
    """A stand-in of Tests/System/Peers with TLS; its first line says what it is."""

    def __init__(self, name, script, *more):
        with open(f"{FOLDER}/{name}.log", "wb") as log:
            process = subprocess.Popen([PYTHON, f"{ROOT}/Tests/System/Peers/{script}", "--state", f"{FOLDER}/{name}", "--tls", f"{FOLDER}/server.pem",
                                        f"{FOLDER}/server.key", *more], stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True)
        processes[name] = process
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{name} did not start: {read(f'{name}.log')[-600:]}")
        self.facts = json.loads(line)
        self.admin = self.facts.get("adminUrl") or f"http://127.0.0.1:{self.facts['ports']['admin']}"

    def call(self, path, body=None, method=None):
        request = urllib.request.Request(self.admin + path, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"},
                                         method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")


# The stand-ins need `cryptography`, which is Debian's Python's and not always that of this script.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


class Google(Peer):
    def __init__(self, name):
        super().__init__(name, "ens/ens_servers.py", "--verification-port", "0", "--key-port", "0")
        # A file of strangers: a list of nothing is an authority that has not begun.
        self.publish_keys({person: 0 for person in strangers(3)})

    def profile(self, name="ens"):
        profile = example("ens")
        with open(self.facts["exportPublicKeys"][0]["path"]) as file:
            profile.update(name=name, region="US-WA", keys=[{"id": "310", "version": "v1", "role": "export", "key": file.read()}])
        profile["distribution"].update(base=self.facts["exportBase"].rstrip("/"), index="us-wa/index.txt")
        profile["warn"].update(verification=self.facts["verificationUrl"], publish=self.facts["keyUrl"], apiKey=self.facts["apiKey"],
                               healthAuthority=self.facts["healthAuthorityIDs"][0])
        return profile

    def code(self, onset):
        return self.call("/codes", {"testType": "confirmed", "symptomDate": date_of(onset), "testDate": date_of(onset)})["code"]

    def publish_keys(self, people):
        """As a phone of its own would: code, token, certificate, publication."""
        def post(base, path, body):
            context = ssl.create_default_context(cafile=f"{FOLDER}/ca.pem")
            request = urllib.request.Request(base + path, json.dumps(body).encode(), {"Content-Type": "application/json", "X-API-Key": self.facts["apiKey"]})
            with urllib.request.urlopen(request, timeout=30, context=context) as answer:
                return json.loads(answer.read())
        verification, publish = self.facts["verificationUrl"], self.facts["keyUrl"]
        token = post(verification, "/api/verify", {"code": self.code(TODAY - 3), "accept": ["confirmed"]})["token"]
        secret = secrets.token_bytes(16)
        words = sorted(f"{person.text}.{person.start}.144.0" for person in people)
        mac = base64.b64encode(hmac.digest(secret, ",".join(words).encode(), "sha256")).decode()
        certificate = post(verification, "/api/certificate", {"token": token, "ekeyhmac": mac})["certificate"]
        post(publish, "/v1/publish", {
            "temporaryExposureKeys": [{"key": person.text, "rollingStartNumber": person.start, "rollingPeriod": 144, "transmissionRisk": 0} for person in people],
            "healthAuthorityID": self.facts["healthAuthorityIDs"][0], "verificationPayload": certificate, "hmacKey": base64.b64encode(secret).decode()})
        self.publish()

    def publish(self):
        self.call("/exports/publish", {})


class NHS(Peer):
    RULES = "/distribution/exposure-configuration"

    def __init__(self, name):
        super().__init__(name, "nhs/nhs_servers.py")
        # The newest archive is late until something is published: the stand-in puts that into it, and boards fetch an archive once.
        stamp = time.strftime("%Y%m%d%H", time.gmtime(NOW // (2 * HOUR) * 2 * HOUR))
        self.late = {"kind": "status", "status": 404, "count": 10_000, "path": f".*/{stamp}[.]zip", "service": "distribution"}
        self.call("/publish", {"mode": "last"})
        self.behave()

    def profile(self):
        profile = example("nhs")
        keys = self.facts["keys"]
        profile.update(name="nhs", keys=[
            {"id": "234", "version": "v1", "role": "export", "key": keys["export"]["spki"]},
            *({"id": keys[name]["id"], "version": "v1", "role": "rules", "key": keys[name]["spki"]} for name in ("distribution", "api"))])
        profile["distribution"].update(base=f"https://127.0.0.1:{self.facts['ports']['distribution']}")
        profile["warn"].update(publish=f"https://127.0.0.1:{self.facts['ports']['submission']}",
                               apiKey=f"{self.facts['authorization']['apiKeyName']}:{self.facts['authorization']['apiKeyValue']}")
        return profile

    def code(self, onset):
        order = self.call("/orders", {})
        self.call("/results", {"token": order["ctaToken"], "testEndDate": date_of(TODAY - 1)})
        return order["ctaToken"]

    def publish_keys(self, people):
        keys = [{"key": person.text, "rollingStartNumber": person.start, "rollingPeriod": 144, "transmissionRiskLevel": 7, "daysSinceOnsetOfSymptoms": 0}
                for person in people]
        taken = self.call("/keys", {"keys": keys})
        if taken["stored"] != len(keys):
            raise RuntimeError(f"the stand-in did not take them: {taken}")
        self.publish()

    def publish(self):
        self.call("/publish", {"mode": "last"})
        self.late = None
        self.behave()

    def behave(self, path=None, **fault):
        """From now on well, or at this path as a fault of the stand-in has it."""
        self.call("/faults", method="DELETE")
        for one in [{"count": 10_000, "service": "distribution", "path": path, **fault} if path else None, self.late]:
            if one:
                self.call("/faults", one)


class Own:
    """An authority of ours. Its tree has the Corona-Warn-App's shape; its keys are called like that one's."""

    def __init__(self):
        run(f"{BIN}/vigil-authority", "init", "--state", f"{FOLDER}/authority")
        write("authority/risk.json", json.dumps(example_rules("1-cwa-second", 2)))
        self.ports = start_authority()
        run(f"{BIN}/vigil-authority", "keys", "--state", f"{FOLDER}/authority", "--out", f"{FOLDER}/keys")
        self.tree = Tree(self.find)

    @staticmethod
    def find(path):
        place = os.path.normpath(f"{FOLDER}/authority/public/{path.partition('?')[0]}")
        for name in (f"{place}/index.zip", f"{place}/index.json", place):
            if place.startswith(FOLDER) and os.path.isfile(name):
                with open(name, "rb") as file:
                    return file.read()
        return None

    def profile(self):
        profile = example("cwa")
        profile.update(name="home", title={"en": "Home Health", "de": "Amt zu Hause"}, region="EUR", keys=[
            {"id": "262", "version": "v1", "role": role, "key": public_key(f"keys/{name}-262-v1.pem")} for role, name in (("export", "export"), ("rules", "config"))])
        profile["rules"] = {"form": "vigil", "path": "version/v1/risk_config"}
        profile["distribution"].update(base=self.tree.base, country="EUR")
        profile["warn"].update(verification=self.tree.base, publish=self.tree.base)
        return profile

    def publish_keys(self, people):
        """With strangers: fewer than a package's worth would wait for others."""
        keys = [{"key": person.text, "rollingStartNumber": person.start, "rollingPeriod": 144, "transmissionRisk": level, "reportType": 1, "daysSinceOnset": 0}
                for person, level in (people | {person: 3 for person in strangers(300)}).items()]
        before = self.packages()
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports['admin-port']}/admin/keys", json.dumps({"temporaryExposureKeys": keys}).encode(),
                                         {"Authorization": f"Bearer {read('authority/admin-token').strip()}", "Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=30).close()
        return until(lambda: self.packages() != before, 60)

    @staticmethod
    def packages():
        """Every package that is public now, by what it is."""
        found = {}
        for place, _, names in os.walk(f"{FOLDER}/authority/public/version/v1/diagnosis-keys/", followlinks=True):
            if "index.zip" in names:
                found[place] = os.path.realpath(f"{place}/index.zip")
        return found


def date_of(day):
    return time.strftime("%Y-%m-%d", time.gmtime(day * DAY))


def example(kind):
    """The profile that an authority copies and changes."""
    with open(f"{ROOT}/Provisioning/authorities/example-{kind}.json") as file:
        return json.load(file)


# MARK: Boards

class Board:
    """A whole board, with an air of its own unless it is given one."""
    users = 62_000
    lock = threading.Lock()
    PLUGINS = {"sync": "Sync", "diagnosis": "Diagnosis", "webui": "WebUI"}

    def __init__(self, name, profiles, air, plugins=("sync", "webui"), warn=None, met=()):
        self.name, self.profiles, self.page = name, profiles, None
        with Board.lock:
            Board.users += 64
            user = Board.users
        place = f"{FOLDER}/{name}"
        os.makedirs(f"{place}/profiles")
        files = []
        for profile in profiles:
            files.append(write(f"{name}/profiles/{profile['name']}.json", json.dumps(profile, indent=2)))
        grants = {}
        for plugin in plugins:
            shutil.copytree(f"{ROOT}/Plugins/{self.PLUGINS[plugin]}", f"{place}/plugins/{plugin}", ignore=shutil.ignore_patterns("Sources"))
            with open(f"{place}/plugins/{plugin}/plugin.json") as file:
                wants = json.load(file)["wants"]
            grants[plugin] = {"enabled": True, "calls": {want["interface"]: want["methods"] for want in wants}, "settings": {}}
            if plugin == "webui":
                self.page = free_port()
                grants[plugin]["listens"] = {"web": {"address": "127.0.0.1", "port": self.page}}
            else:
                grants[plugin]["settings"] = {"authorities": read("ca.pem")}
        if "diagnosis" in grants:
            grants["diagnosis"]["settings"]["rehearsal"] = REHEARSAL
        before = write(f"{name}/before.json", json.dumps({"plugins": grants}))
        merged = json.loads(run(LAB, "profile", "settings", *files, *(["--warn", warn] if warn else []), "--merge", before))
        for plugin in [plugin for plugin in merged["plugins"] if plugin not in plugins]:
            del merged["plugins"][plugin]
        # Servers have addresses of this machine, which an operator must name as such.
        for plugin in merged["plugins"].values():
            for places in plugin.get("endpoints", {}).values():
                for one in places:
                    one["private"] = True
        self.grants = merged["plugins"]
        write(f"{name}/grants.json", json.dumps(merged))
        write(f"{name}/vigil.json", json.dumps({"firstUser": user, "authorities": files}))
        write(f"{name}/meeting.json", '{ "name": "meeting", "scan": { "duration": 500, "period": 1100, "spread": 100 } }')
        if met:
            lines = sorted(line for person in met for line in person.sightings())
            csv = write(f"{name}/sightings.csv", "time,previous_scan,rssi,rpi,aem\n" + "".join(f"{','.join(map(str, line))}\n" for line in lines))
            os.makedirs(f"{place}/data/core")
            run(LAB, "plant", "--sightings", csv, "--data", f"{place}/data/core")
            for base, _, names in os.walk(f"{place}/data/core"):
                for path in [base, *(f"{base}/{file}" for file in names)]:
                    os.chown(path, user, user)
        start(name, f"{BIN}/vigil", "run", "--config", f"{place}/vigil.json", "--transport", f"h4:unix:{air}", "--data", f"{place}/data", "--run", f"{place}/run",
              "--plugins", f"{place}/plugins", "--grants", f"{place}/grants.json", "--enable", "--level", "debug", "--profile", f"{place}/meeting.json")
        # Whoever comes next gets the next place in the room.
        if not until(lambda: state(name)["core"]["state"] == "running" and self.call("org.vigil.device1.GetRadio")["radio"]["controller"], 60):
            raise RuntimeError(f"{name} does not come up: {read(f'{name}.log')[-600:]}")

    def call(self, method, parameters=None, **more):
        return call(self.name, method, parameters, **more)

    def ctl(self, *words):
        return ctl(self.name, *words)

    def set(self, moment):
        self.ctl("time", "set", str(moment))

    def scans(self):
        return self.call("org.vigil.device1.GetRadio")["radio"]["scanCount"]

    @property
    def risk(self):
        """As `vigil ctl risk --json` says it."""
        answer = json.loads(self.ctl("risk", "--json"))
        return answer.get("risk", answer)

    def word(self):
        return self.call("org.vigil.risk1.GetRisk")["risk"]["state"]

    def words(self):
        """What each source says, by name."""
        return {source["name"]: source["state"] for source in self.call("org.vigil.risk1.GetRisk")["risk"].get("sources", [])}

    def source(self, name):
        return next(source for source in self.risk["sources"] if source["name"] == name)

    def explained(self):
        return " ".join(self.ctl("risk", "--explain").split())

    @property
    def syncs(self):
        freshness = self.call("org.vigil.sync1.GetFreshness")["freshness"]
        return freshness["running"], {source["name"]: source for source in freshness["sources"]}

    def sync(self):
        """Asks for a run as people do, and waits for its end. A source is asked again half a minute after its last run began, at the latest
        (docs/sync.md); a run of several takes its time."""
        _, before = self.syncs
        self.call("org.vigil.sync1.SyncNow")

        def is_over():
            running, now = self.syncs
            return not running and all(now[name].get("lastAttempt", 0) > source.get("lastAttempt", 0) for name, source in before.items())
        if see(f"{self.name}: all its sources are asked", until(is_over, 240, 0.1), {name: source.get("lastAttempt") for name, source in self.syncs[1].items()}):
            return
        # The wish was forgotten; the story goes on with another one.
        self.call("org.vigil.sync1.SyncNow")
        until(is_over, 240, 0.1)

    def problem(self, name):
        return self.syncs[1][name].get("problem", "")

    def findings(self):
        """Of the self-check, as scripts read it: identifier, whom it is about, detail. Exit status 3 and 4 are verdicts."""
        answer = subprocess.run([f"{BIN}/vigil", "ctl", "health", "--json", "--run", f"{FOLDER}/{self.name}/run"], capture_output=True, text=True, timeout=60)
        if not answer.stdout:
            raise RuntimeError(f"vigil ctl health says {answer.returncode}: {answer.stderr}")
        return [(finding["id"], finding.get("name"), finding.get("detail") or "") for finding in json.loads(answer.stdout)["findings"]]

    def finds(self, id, name=None):
        return [detail for found, about, detail in self.findings() if found == id and name in (None, about)]

    def page_of(self, role, path):
        if not hasattr(self, role):
            client = Client(self.page)
            client.get("/sign-in")
            client.sign_in(role, secret_of(self.name, role))
            if role == "wearer":
                client.introduce(notifications="yes")
            setattr(self, role, client)
        return html.unescape(getattr(self, role).get(path).text)


def near(value, wanted, share=0.02):
    return abs(value - wanted) <= wanted * share


def level(day):
    return day["verdict"].get("level")


def one_day(board, name, source, day, wanted, score, limit):
    """The days of a source's verdict are this one, with this score against this limit."""
    days = source["days"]
    good = len(days) == 1 and days[0]["day"] == day and level(days[0]) == wanted and near(days[0]["verdict"]["score"], score) and \
        near(days[0]["verdict"].get("increasedFrom") or 0, limit)
    return see(f"{board.name}: {name}", good, "" if good else days)


# MARK: Stories

def air(name, *boards):
    """Boards beside each other, so many metres from the first; who is alone is alone."""
    hosts = [{"id": number + 1, "tx": 8, "path": [[0, metres, 0]]} for number, metres in enumerate(boards or (0,))]
    scene = write(f"{name}-scene.json", json.dumps({"hosts": hosts}))
    path = f"{FOLDER}/{name}-air"
    start(f"{name}-air", LAB, "air", path, "--scenario", scene)
    until(lambda: os.path.exists(path))
    return path


def story_cwa():
    """The Corona-Warn-App's tree, alone."""
    risky, short = Person(2, 30, 40), Person(4, 6, 40)
    tree = CoronaWarnApp("cwa-tree", {short: 6})
    tree.rules = None
    board = Board("cwa", [tree.profile()], air("cwa"), met=[risky, short])
    board.set(NOW)
    settings = board.grants["sync"]["settings"]
    see("cwa: the profile's address, keys and rules are the plugin's", settings["sources"][0]["base"] == tree.tree.base
          and settings["sources"][0]["rulesForm"] == "cwa" and settings["configKeys"][0]["name"] == "262-v1", settings)
    board.sync()
    told = board.risk
    see("cwa: without rules nothing is judged, and it says why", told["state"] == "unknown" and "has told this device its rules yet" in told["sentence"], told["sentence"])
    see("cwa: the self-check finds that, too", board.finds("no-rules") and board.finds("source-problem", "cwa"), board.findings())
    see("cwa: with one source there is no list of them", "sources" not in told)
    # Somebody's else: the same name, another key.
    stranger = CoronaWarnApp.__new__(CoronaWarnApp)
    stranger.place, stranger.key = tree.place, f"{tree.place}/stranger.pem"
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", stranger.key)
    tree.rules = stranger.sign(tree.published_rules())
    board.sync()
    see("cwa: a stranger's rules are not taken, which is said", board.word() == "unknown" and "no key that may sign" in board.problem("cwa"), board.problem("cwa"))
    tree.rules = tree.sign(tree.published_rules())
    board.sync()
    see("cwa: by the published rules six minutes near somebody are a low risk", until(lambda: board.word() == "low", 30), board.risk["sentence"])
    told = board.risk
    see("cwa: model and unit are the Corona-Warn-App's", told["rules"]["model"] == "cwaSecond" and told["rules"]["unit"] == "weightedMinutes", told["rules"])
    one_day(board, "its day has 6 minutes of weight 0.8 and 1.2", told, short.day, "low", 6 * 0.8 * 1.2, 9)
    see("cwa: nothing is wrong any more", not board.problem("cwa") and not board.finds("no-rules"), board.findings())
    tree.publish({risky: 6})
    board.sync()
    see("cwa: half an hour near somebody is an increased risk, and news", until(lambda: board.word() == "increased", 30) and board.risk["news"], board.risk["sentence"])
    told = board.risk
    see("cwa: the day that counts is the one of the meeting", told["mostRelevantDay"] == risky.day and [day["day"] for day in told["days"]] == [short.day, risky.day], told["days"])
    see("cwa: half an hour of weight 0.8 and 1.2, against 9", near(told["days"][1]["verdict"]["score"], 30 * 0.8 * 1.2) and near(told["days"][1]["verdict"]["increasedFrom"], 9),
          told["days"][1])
    text = board.explained()
    see("cwa: the explanation says minutes, weight and limit", "30 min" in text and "0.80" in text and "the warning begins at 9.0 points" in text, text[-900:])
    see("cwa: the page says it", TEXTS["today.word.increased"] in board.page_of("wearer", "/"))
    board.set(NOW + 49 * HOUR)
    see("cwa: two days without keys, it is out of date", until(lambda: board.word() == "outdated", 30), board.risk["sentence"])
    see("cwa: which the page for technicians finds", TEXTS["tech.finding.title.keys-old"] in board.page_of("technician", "/tech"))
    see("cwa: and the self-check at the console", board.finds("keys-old", "cwa"), board.findings())


def meet(boards):
    """Together, for boards whose clocks are set by hand: four minutes pass with every scan, which says of no more than five."""
    began = (TODAY - AGO) * DAY + 12 * HOUR
    for board in boards:
        board.set(began)
        board.ctl("enable")
    for minute in range(4, MINUTES + 4, 4):
        counts = [board.scans() for board in boards]
        until(lambda: all(board.scans() > count for board, count in zip(boards, counts)), 30, 0.05)
        for board in boards:
            board.set(began + 60 * minute)
    for board in boards:
        board.set(int(time.time()))


def warned(board, code, onset):
    """The person enters the code, sees the result, and agrees to warn."""
    board.ctl("tests", "enter", code)
    if not see(f"{board.name}: the code's result is there", until(lambda: board.call("org.vigil.diagnosis1.GetTests")["news"], 60),
                 board.call("org.vigil.diagnosis1.GetTests")["tests"]):
        return False
    shown = board.ctl("tests", "result", "1")
    see(f"{board.name}: and is positive", "ositive" in shown, shown)
    board.ctl("tests", "warn", "1", "--symptoms-since", str(onset), "--yes")

    def test():
        return board.call("org.vigil.diagnosis1.GetTests")["tests"][0]
    return see(f"{board.name}: the warning is out", until(lambda: test().get("warning") == "sent", 60), test())


def way(peer, name, model, missing):
    """Somebody warns by the authority's own way; one was near and one was not."""
    path = air(name, 0, 1, 200)
    ill = Board(f"{name}-ill", [peer.profile()], path, plugins=("sync", "diagnosis"))
    board = Board(f"{name}-near", [peer.profile()], path)
    far = Board(f"{name}-far", [peer.profile()], path)
    settings = ill.grants["diagnosis"]["settings"]
    see(f"{name}: the profile's way to warn is the plugin's", settings["way"] == name and settings["rehearsal"] == REHEARSAL and "authorities" in settings, settings["way"])
    if missing:
        missing()
    meet([ill, board, far])
    board.sync()
    far.sync()
    return ill, board, far


def judged(ill, board, far, peer, model):
    if not warned(ill, peer.code(TODAY - AGO), AGO):
        return
    peer.publish()
    board.sync()
    far.sync()
    see(f"{board.name}: whoever was near is told of an increased risk", until(lambda: board.word() == "increased", 30) and board.risk["news"], board.risk["sentence"])
    told, other = board.risk, far.risk
    see(f"{board.name}: for the day of the meeting, by {model}", told.get("mostRelevantDay") == TODAY - AGO and told["rules"]["model"] == model,
          [told.get("rules"), told["days"]])
    see(f"{far.name}: whoever was 200 m away is not", until(lambda: far.word() == "low" and far.risk["days"], 30), other["sentence"])
    other = far.risk
    # Boards of this story are in one room today as well: where ten minutes end between that and the warning, today's key is heard, too.
    see(f"{far.name}: the meeting is known, and low", {day["day"] for day in other["days"]} - {TODAY} == {TODAY - AGO} and not other["news"]
          and other["days"][0]["verdict"]["score"] < told["days"][0]["verdict"]["score"], other["days"])
    for one in (board, far):
        see(f"{one.name}: nothing is wrong with its source", not one.finds("source-problem") and not one.finds("no-rules") and not one.finds("keys-old"), one.findings())
    see(f"{board.name}: the page says it", TEXTS["today.word.increased"] in board.page_of("wearer", "/"))
    return told


def story_ens():
    """Google's servers, alone; rules in the profile."""
    peer = Google("google")
    ill, board, far = way(peer, "ens", "dailySummaries", None)
    see("ens: by the profile's rules everything is low so far", until(lambda: board.word() == "low" and far.word() == "low", 30), board.risk["sentence"])
    see("ens: the self-check misses no rules", not board.finds("no-rules"), board.findings())
    if told := judged(ill, board, far, peer, "dailySummaries"):
        text = board.explained()
        see("ens: the explanation says minutes and limit", "min" in text and "the warning begins at 2700 points" in text and "reported a positive test" in text, text[-900:])
        see("ens: in weighted seconds", told["rules"]["unit"] == "weightedSeconds" and near(told["days"][0]["verdict"]["increasedFrom"], 2700), told["days"])
        stored = peer.call("/publishes")
        see("ens: the key server has real days since onset", "com.example.health" in json.dumps(stored), json.dumps(stored)[:300])


def story_nhs():
    """NHS COVID-19's servers, alone; rules signed in headers."""
    peer = NHS("nhs-peer")
    ill, board, far = way(peer, "nhs", "nhsSecond", lambda: peer.behave(NHS.RULES, kind="status", status=404))
    told = board.risk
    see("nhs: without rules nothing is judged, and it says why", told["state"] == "unknown" and "has told this device its rules yet" in told["sentence"], told["sentence"])
    see("nhs: the self-check finds that, too", board.finds("no-rules") and board.finds("source-problem", "nhs"), board.findings())
    peer.behave(NHS.RULES, kind="other_key")
    board.sync()
    see("nhs: rules that a stranger signed under its name are not taken, which is said", board.word() == "unknown" and "no key that may sign" in board.problem("nhs"),
          board.problem("nhs"))
    peer.behave()
    if told := judged(ill, board, far, peer, "nhsSecond"):
        text = board.explained()
        see("nhs: the explanation says the distance and the limit", "Estimated distance" in text and "the warning begins at 100 points" in text, text[-900:])
        see("nhs: in points", told["rules"]["unit"] == "weightedSeconds" and near(told["days"][0]["verdict"]["increasedFrom"], 100), told["days"])


def story_all():
    """All three, and an authority of ours, on one board."""
    short, by_ens, by_nhs, by_home, late = Person(5, 6, 40), Person(4, 60, 40), Person(2, 60, 40), Person(3, 6, 40), Person(1, 60, 40)
    home, google, nhs = Own(), Google("all-google"), NHS("all-nhs")
    tree = CoronaWarnApp("all-tree", {short: 6})
    see("all: our own authority publishes", home.publish_keys({by_home: 6}))
    # The package with our own authority's rules, where the Corona-Warn-App's belong.
    tree.rules = home.find("/version/v1/risk_config")
    see("all: our own authority publishes rules", tree.rules is not None)
    profiles = [tree.profile(), google.profile(), nhs.profile(), home.profile()]
    several = subprocess.run([LAB, "profile", "settings", *(write(f"{profile['name']}.json", json.dumps(profile)) for profile in profiles)], capture_output=True, text=True)
    see("all: who does not say through whom people warn is asked", several.returncode == 2 and "say which with --warn" in several.stderr, several.stderr)
    board = Board("all", profiles, air("all"), plugins=("sync", "diagnosis", "webui"), warn="home", met=[short, by_ens, by_nhs, by_home, late])
    board.set(NOW)
    board.sync()
    told = board.risk
    see("all: somebody was met of whom the Corona-Warn-App warns, and it has no rules: unknown", until(lambda: board.word() == "unknown" and board.words().get("cwa") == "unknown", 30),
          told["sentence"])
    see("all: the others have judged", until(lambda: [board.words()[name] for name in ("ens", "nhs", "home")] == ["low"] * 3, 30), board.words())
    source = board.source("cwa")
    see("all: it says whose rules are missing, and how many warnings wait for them", "has not told this device its rules yet" in source["sentence"]
          and "Example Health (Corona-Warn-App's servers)" in source["sentence"] and source["unjudged"] == 1, source)
    see("all: that sentence is part of what the person is told", "Corona-Warn-App" in board.risk["sentence"], board.risk["sentence"])
    problem = board.problem("cwa")
    see("all: rules that another source signed: the sentence names it", "A key of home signed these rules, which came for cwa" in problem, problem)
    see("all: and so does the self-check", any("A key of home signed" in detail for detail in board.finds("source-problem", "cwa")), board.findings())
    see("all: on its page, too", "A key of home signed" in board.page_of("technician", "/tech"))
    see("all: rules are missing for one source", board.finds("no-rules", "cwa") or board.finds("no-rules"), board.findings())
    tree.rules = tree.sign(tree.published_rules())
    board.sync()
    see("all: with its own rules everybody says low", until(lambda: set(board.words().values()) == {"low"} and board.word() == "low", 30), board.words())
    one_day(board, "the Corona-Warn-App judges its own by its own codes", board.source("cwa"), short.day, "low", 6 * 0.8 * 1.2, 9)
    one_day(board, "our own judges its own: six minutes of level 6", board.source("home"), by_home.day, "low", 6 * 1.2 * example_weight(), 9)
    see("all: nobody else has a day", all(not board.source(name)["days"] for name in ("ens", "nhs")), [source["days"] for source in board.risk["sources"]])
    see("all: nothing is wrong any more", not board.finds("source-problem") and not board.finds("no-rules"), board.findings())

    # Each publishes somebody of its own.
    google.publish_keys([by_ens])
    nhs.publish_keys([by_nhs])
    board.sync()
    see("all: two say increased, so it is, and news", until(lambda: board.word() == "increased" and [board.words()[name] for name in ("cwa", "ens", "nhs", "home")]
                                                           == ["low", "increased", "increased", "low"], 30) and board.risk["news"], board.words())
    told = board.risk
    see("all: the numbers are those of the later day", told["mostRelevantDay"] == by_nhs.day and told["rules"]["model"] == "nhsSecond"
          and told["days"] == board.source("nhs")["days"], told.get("rules"))
    one_day(board, "Google's: an hour of weight 1.0", board.source("ens"), by_ens.day, "increased", 3600, 2700)
    nhs_days = board.source("nhs")["days"]
    see("all: NHS: its own number, above its own limit", len(nhs_days) == 1 and nhs_days[0]["day"] == by_nhs.day and nhs_days[0]["verdict"]["score"] > 100
          and near(nhs_days[0]["verdict"]["increasedFrom"], 100), nhs_days)
    models = {source["name"]: source["rules"]["model"] for source in told["sources"]}
    see("all: each by its own model", models == {"cwa": "cwaSecond", "ens": "dailySummaries", "nhs": "nhsSecond", "home": "cwaSecond"}, models)
    text = board.explained()
    see("all: the explanation names each, and whose numbers are shown", "follows 4 health authorities" in text and "their numbers are never added" in text
          and "those of Example Health (servers of NHS COVID-19's kind)" in text and "Home Health: low risk" in text, text[:1200])
    why = board.page_of("wearer", "/why")
    see("all: the page says what each says", TEXTS["sources.title"] in why and "Home Health" in why and TEXTS["sources.sentence.increased"] in why
          and TEXTS["sources.sentence.low"] in why and TEXTS["sources.shown"] in why)
    contributions = call("all", "org.vigil.risk1.Explain", {"source": "ens"})["contributions"]
    see("all: each can be asked for its own", {part["day"] for part in contributions} == {by_ens.day}, contributions)

    # One fails, one is silent; the others and the beacon go on.
    board.call("org.vigil.risk1.Acknowledge")
    nhs.behave(".*", kind="status", status=500)
    tree.tree.fault = 503 if options.short else "silent"
    google.publish_keys([late])
    before = board.call("org.vigil.device1.GetRadio")["radio"]
    silent = []

    def watch():
        """On air all the time, while the run lasts."""
        while not over.wait(0.2):
            silent.append(board.call("org.vigil.device1.GetRadio")["radio"]["onAir"])
    over = threading.Event()
    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.monotonic()
    board.call("org.vigil.sync1.SyncNow")
    see("all: one server fails and one is silent: what a third publishes is told", until(lambda: board.risk["mostRelevantDay"] == late.day, 150), board.risk["days"])
    took = time.monotonic() - began
    see("all: and what the others said before stands", board.words() == {"cwa": "low", "ens": "increased", "nhs": "increased", "home": "low"}, board.words())
    until(lambda: not board.syncs[0] and board.problem("nhs"), 120)
    over.set()
    watcher.join()
    after = board.call("org.vigil.device1.GetRadio")["radio"]
    see("all: the beacon was on air all the time", all(silent) and after["worstRotationLateness"] <= max(before["worstRotationLateness"], 1000), len(silent))
    see("all: the day that counts is the new one", board.risk["rules"]["model"] == "dailySummaries" and board.risk["news"], board.risk["days"])
    problems = {name: board.problem(name) for name in ("cwa", "ens", "nhs", "home")}
    see("all: who fails is told, and nobody else", problems["cwa"] and "fault of its own" in problems["nhs"] and not problems["ens"] and not problems["home"], problems)
    see("all: the self-check names both", board.finds("source-problem", "cwa") and board.finds("source-problem", "nhs") and not board.finds("source-problem", "home"),
          board.findings())
    print(f"     Google's keys came {took:.1f} s after they were asked for")
    nhs.behave()

    # One has stopped five hours before the others: two days later it is out of date first.
    board.set(NOW + 44 * HOUR)
    see("all: a source whose keys end two days ago is out of date, and no other", until(lambda: board.words() == {
        "cwa": "outdated", "ens": "increased", "nhs": "increased", "home": "low"}, 30), board.words())
    source = board.source("cwa")
    see("all: it says up to when its keys are known", "known here up to" in source["sentence"] and date_of(tree.end // DAY) in source["sentence"], source["sentence"])
    see("all: the person is still told of the increased risk, and for whom it is not known", board.word() == "increased" and "Corona-Warn-App" in board.risk["sentence"],
          board.risk["sentence"])
    see("all: the self-check finds its keys old", board.finds("keys-old", "cwa"), board.findings())
    see("all: and so does its page for technicians", TEXTS["tech.finding.title.keys-old"] in board.page_of("technician", "/tech"))
    see("all: its page for wearers says it of the source", TEXTS["sources.word.outdated"] in board.page_of("wearer", "/why"))


def example_weight():
    """What minutes at 40 dB count by the example's rules."""
    weights = example_rules("1-cwa-second", 2)["models"][0]["cwaSecond"]["minutesAtAttenuationWeights"]
    return next(weight["weight"] for weight in weights if weight["attenuationRange"].get("min", 0) <= 40 < weight["attenuationRange"]["max"])


STORIES = {"cwa": story_cwa, "ens": story_ens, "nhs": story_nhs, "all": story_all}


def tell(name):
    try:
        STORIES[name]()
    except Exception as error:
        traceback.print_exc()
        see(f"{name}: the story ends", False, f"{type(error).__name__}: {error}")


def main():
    began = time.monotonic()
    certificates()
    # Each has servers, boards and an air of its own; most of the time each waits for the half minute between two wishes.
    threads = [threading.Thread(target=tell, args=(name,)) for name in options.only or STORIES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"     {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
