# SPDX-License-Identifier: Apache-2.0
"""Power cuts in the middle of warnings by the ways of others: lives of whole boards at the stand-ins of Tests/Peers for Google's servers and the
NHS's. The stand-ins are killed, too: with a request in their hands, and with its answer. What they stored, logged and publish is held against what
every board had in its book and told its wearer: each warning is out once or not at all, and no ending says otherwise.

These servers spend codes and certificates before they answer, so a wearer may need another code; who does not get through with four gives up."""
import base64
import collections
import contextlib
import json
import random
import shutil
import sqlite3
import ssl
import threading
import time
import urllib.request
import zipfile
from io import BytesIO

from boardkit import FOLDER, ROOT, call, check, free_port, processes, read, start, state, until
from protobuf import fields
from serverkit import board
from warningcuts import DIAGNOSIS, Life, identifiers, unsealed

CODES = 4
DAY = 86_400


class Peer:
    """A stand-in as a process, and what is asked of it past the wire: its administration, and its database as it lies there."""

    # Genuine calls in order: what a fault names them by, and what counts those that were carried out.
    calls = {}
    # Faults: delayed before, answer lost, half of an answer, does not work.
    unread, unanswered, lost, halved = {}, {}, {}, {}
    fails = {"kind": "status", "status": 503}
    pending = ""

    def __init__(self):
        self.ports = {name: free_port() for name in self.doors}
        self.is_up = threading.Event()
        self.start()
        self.facts = json.loads(read("peer.log").splitlines()[0])

    def start(self):
        start("peer", "/usr/bin/python3", "-B", f"{ROOT}/Tests/Peers/{self.program}", "--state", f"{FOLDER}/peer", "--tls", f"{FOLDER}/server.pem",
              f"{FOLDER}/server.key", *(word for name, port in self.ports.items() for word in (f"--{name}-port", str(port))))
        if not until(lambda: self.ask(self.alive) is not None, 60):
            raise SystemExit(f"the stand-in did not start: {read('peer.log')[-400:]}")
        self.is_up.set()

    def kill(self):
        self.is_up.clear()
        process = processes.pop("peer")
        process.kill()
        process.wait(30)

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports['admin']}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def rows(self, query, *values):
        """Of the database. One whose writer was killed is read when it has been opened again."""
        result = []

        def read_it():
            with contextlib.closing(sqlite3.connect(f"file:{FOLDER}/peer/{self.database}?mode=ro", uri=True)) as base:
                try:
                    result[:] = base.execute(query, values).fetchall()
                except sqlite3.OperationalError as error:
                    raise OSError(str(error)) from error
            return True

        if not until(read_it, 60, 0.01):
            raise OSError("the stand-in's database cannot be read")
        return result

    def number(self, query, *values):
        return self.rows(query, *values)[0][0]

    def last_request(self):
        return self.number("SELECT coalesce(max(id), 0) FROM requests")

    def get(self, port, path):
        """As everybody on the network reads it."""
        context = ssl.create_default_context(cafile=f"{FOLDER}/ca.pem")
        with urllib.request.urlopen(f"https://127.0.0.1:{port}{path}", context=context, timeout=20) as answer:
            return answer.read()

    def exported(self, files):
        """Keys of such files, as often as they are there."""
        found = collections.Counter()
        for file in files:
            with zipfile.ZipFile(BytesIO(file)) as archive:
                found.update(base64.b64encode(dict(fields(value))[1]).decode()
                             for number, value in fields(archive.read("export.bin")[16:]) if number == 7)
        return found


class ENS(Peer):
    program, database, alive = "ens/ens_servers.py", "state.db", "/health"
    doors = ["verification", "key", "admin"]
    states = ["wanted", "made", "agreed", "prepared", "askingTAN", "ready", "sending", "sent"]
    slot = 4
    # A certificate is good for 9, 4.5, 3 or 0.9 seconds then: longer than a start takes, and shorter.
    paces = [100, 200, 300, 1000]
    calls = {"verify": ("/api/verify", "SELECT count(*) FROM codes WHERE claimed"),
             "certificate": ("/api/certificate", "SELECT count(*) FROM tokens WHERE used"),
             "publish": ("/v1/publish", "SELECT count(*) FROM publishes")}
    unread, unanswered = {"kind": "delay", "seconds": 60}, {"kind": "delay_after", "seconds": 60}
    lost, halved = {"kind": "drop_after"}, {"kind": "truncate"}
    pending = "SELECT count(*) FROM faults"

    def __init__(self):
        super().__init__()
        self.ask("/config", {"export": {"min_records": 0, "padding_range": 0}})

    def settings(self, life):
        return {"way": "ens", "verification": f"https://127.0.0.1:{self.ports['verification']}", "submission": f"https://127.0.0.1:{self.ports['key']}",
                "apiKey": self.facts["apiKey"], "healthAuthority": self.facts["healthAuthorityIDs"][0], "region": "US-WA", "slots": 192,
                "userAgent": life.agent}

    def agent(self, number):
        return f"life{number}"

    def fault(self, kind, path):
        self.ask("/faults", {"path": path, "chaff": False, "count": 1, **kind})

    def code(self, random):
        made = self.ask("/codes", {"testType": "confirmed", "channel": "sms"})
        return random.choice([made["code"], f"ens://v?r=US-WA&c={made['long_code']}"])

    def kept_keys(self, submission):
        return [key["key"] for key in submission["frozen"]["keys"]]

    def genuine(self):
        """Warnings that arrived, taken or not: (number in the log, board, permission, keys, body, status)."""
        for number, text, body in self.rows("SELECT id, info, body FROM requests ORDER BY id"):
            info = json.loads(text)
            if info["path"] == "/v1/publish" and not info["chaff"]:
                said = json.loads(body)
                agent = next((value for name, value in info["headers"] if name.lower() == "user-agent"), "")
                yield (number, agent, said["verificationPayload"], frozenset(key["key"] for key in said["temporaryExposureKeys"]), body,
                       info["status"])

    def stored(self):
        """Warnings that were taken: their keys, and whether keys of before may be among them."""
        for (text,) in self.rows("SELECT info FROM publishes ORDER BY id"):
            info = json.loads(text)
            yield frozenset(key["key"] for key in info["keys"]), info["sentRevisionToken"]

    def published(self):
        # Two days on, so that what was under way is over.
        self.ask("/clock", {"advance": 2 * DAY})
        self.ask("/exports/publish", {})
        index = self.get(self.ports["key"], "/exports/us-wa/index.txt").decode().split()
        return [self.exported(self.get(self.ports["key"], f"/exports/{name}") for name in index)]

    def is_spent(self, code):
        code = code.rpartition("=")[2]
        return self.number("SELECT count(*) FROM codes WHERE ? IN (code, long_code) AND claimed", code) > 0


class NHS(Peer):
    program, database, alive = "nhs/nhs_servers.py", "state.sqlite", "/"
    doors = ["submission", "distribution", "admin"]
    states = ["wanted", "made", "agreed", "ready", "sending", "sent"]
    slot = 2
    # A token is good for two hours to six minutes then.
    paces = [200, 1000]
    calls = {"exchange": ("/virology-test/v2/cta-exchange", "SELECT coalesce(sum(downloads), 0) FROM orders"),
             "submission": ("/submission/diagnosis-keys", "SELECT count(*) FROM submissions")}
    unread, unanswered = {"kind": "delay", "seconds": 60}, {"kind": "drop_after"}
    lost, halved = {"kind": "drop_after"}, {"kind": "half"}
    pending = "SELECT count(*) FROM faults WHERE remaining > 0"

    def __init__(self):
        super().__init__()
        self.ask("/settings", {"exchangeSeconds": 0.2})

    def settings(self, life):
        key = self.facts["keys"]["api"]
        return {"way": "nhs", "submission": f"https://127.0.0.1:{self.ports['submission']}", "apiKey": "mobile:test-value", "country": "England",
                "userAgent": life.agent, "answerKeys": [{"id": key["id"], "key": key["spki"]}]}

    def agent(self, number):
        return f"p=Android,o=29,v=4.36,b={1000 + number}"

    def fault(self, kind, path):
        self.ask("/faults", {"path": path, "count": 1, **kind})

    def code(self, random):
        code = self.ask("/orders", {})["ctaToken"]
        self.ask("/results", {"token": code})
        return code

    def kept_keys(self, submission):
        return [key["key"] for key in json.loads(base64.b64decode(submission["body"]))["temporaryExposureKeys"]]

    def genuine(self):
        for number, text in self.rows("SELECT id, entry FROM requests ORDER BY id"):
            entry = json.loads(text)
            if entry["path"] == "/submission/diagnosis-keys":
                said = json.loads(entry["body"])
                agent = next((value for name, value in entry["headers"] if name.lower() == "user-agent"), "")
                yield (number, agent, said["diagnosisKeySubmissionToken"], frozenset(key["key"] for key in said["temporaryExposureKeys"]),
                       entry["body"], entry["status"])

    def stored(self):
        for (text,) in self.rows("SELECT keys FROM submissions ORDER BY id"):
            yield frozenset(key["key"] for key in json.loads(text)), False

    def published(self):
        self.ask("/publish", {"mode": "last"})
        paths = [archive["path"] for archive in self.ask("/archives")["archives"]]
        # The same keys are in the archives of two hours and in those of days.
        return [self.exported(self.get(self.ports["distribution"], path) for path in paths if kind in path) for kind in ["two-hourly", "daily"]]

    def is_spent(self, code):
        return self.number("SELECT count(*) FROM orders WHERE cta_token = ? AND downloads >= 2", code) > 0


PEERS = {"ens": ENS, "nhs": NHS}


class PeerServers(threading.Thread):
    """What goes wrong at the servers, one thing at a time."""

    # A process killed: with a request unread, or carried out and not answered, or at any moment. Then troubles without a kill.
    KINDS = ["unread", "unanswered", "unanswered", "idle", "lost", "halved", "fails"]

    def __init__(self, peer, seed):
        super().__init__(daemon=True)
        self.peer = peer
        self.random = random.Random(seed)
        self.count = 0
        self.done = collections.Counter()
        self.is_ending = threading.Event()

    @property
    def said(self):
        return "\n     at the servers: " + ", ".join(f"{name} {self.done[name]}" for name in sorted(self.done))

    def run(self):
        while not self.is_ending.wait(self.random.uniform(0, 3)):
            self.trouble(self.random.choice(self.KINDS), self.random.choice(list(self.peer.calls)))

    def trouble(self, kind, name):
        peer, (path, counting) = self.peer, self.peer.calls[name]
        happened = kind == "idle"
        if not happened:
            before = peer.number(counting)
            peer.fault(getattr(peer, kind), path)
            end = time.monotonic() + 15
            while not happened and time.monotonic() < end and not self.is_ending.is_set():
                happened = until(lambda: peer.number(peer.pending) == 0, 0.5, 0.005)
            if happened and kind == "unanswered":
                # Refused requests change nothing.
                happened = until(lambda: peer.number(counting) > before, 2, 0.005)
            if not happened:
                peer.ask("/faults", method="DELETE")
        if kind in ["unread", "unanswered", "idle"]:
            peer.kill()
            # Some boards find nobody there.
            time.sleep(self.random.uniform(0, 1))
            peer.start()
            self.count += 1
        self.done[f"killed {kind} {name}".replace(f"idle {name}", "idle") if kind in ["unread", "unanswered", "idle"] else f"{kind} {name}"] += happened


class PeerLife(Life):
    """One board from its first start to a warning that is out, or to the last code."""

    peer = None
    ends = ["ended", "refused"]

    def __init__(self, number, cuts, seed):
        super().__init__(number, cuts, seed)
        self.states = self.peer.states
        self.agent = self.peer.agent(number)
        self.pace = self.random.choice(self.peer.paces)
        # Whether there is to be a second warning after the first, with what the server gave for that.
        self.is_again = isinstance(self.peer, ENS) and self.random.random() < 0.2
        self.codes = []
        # By number of a test: what the book said of it.
        self.book = {}
        self.lock = threading.Lock()

    def power_on(self):
        self.is_off = self.is_timed = False
        board(self.name, plugins=("diagnosis",), rehearsal=self.pace, way=self.peer.settings(self),
              more=("--transport", f"h4:unix:{FOLDER}/{self.name}/tap"))

    def begin(self):
        self.next_code()
        self.power_on()
        # The NHS's servers are given keys of the days before today only: this board was on air yesterday.
        good = (until(lambda: state(self.name)["core"]["state"] == "running", 90)
                and until(lambda: call(self.name, "org.vigil.device1.SetTime", {"now": int((time.time() - DAY) * 1000)}) is not None)
                and until(lambda: call(self.name, "org.vigil.device1.Enable") is not None) and until(lambda: self.tap.heard, 60))
        yesterday = len(self.tap.heard)
        good = good and until(lambda: self.tell_time() or self.is_timed) and until(lambda: len(self.tap.heard) > yesterday, 60)
        if not good:
            self.problem = "was not on air yesterday and today"

    def next_code(self):
        def made():
            self.codes.append(self.peer.code(self.random))
            return True

        if not until(made, 60):
            raise OSError("no code")

    def kept(self):
        with contextlib.suppress(OSError, ValueError), open(f"{FOLDER}/{self.name}/data/state/diagnosis/store", "rb") as file, self.lock:
            tests = json.loads(self.unsealed(file).partition("\n")[2])["book"]["tests"]
            for test in tests:
                self.note(test)
            return next(iter(tests[-1].get("warning") or tests[-1]["registration"])) if tests else "nothing"
        return "nothing"

    def note(self, test):
        known = self.book.setdefault(test["number"], {"keys": set(), "bodies": set(), "end": None, "after": None})
        stage, content = next(iter((test.get("warning") or {}).items()), (None, {}))
        registration, reason = next(iter(test["registration"].items()))
        submission = content.get("_0") if stage in ["prepared", "askingTAN", "ready", "sending"] else None
        if submission:
            known["keys"].add(frozenset(self.peer.kept_keys(submission)))
            if submission["body"]:
                known["bodies"].add(submission["body"])
        end = {"sent": "sent", "ended": content.get("_0")}.get(stage) or (f"refused: {reason.get('_0')}" if registration == "refused" else None)
        # Where keys were lost or never there, the wearer may agree once more.
        if end != known["end"] and known["end"] in [None, "keysLost"]:
            known["end"] = end
            known["after"] = self.peer.last_request()

    def wearer(self):
        tests = call(self.name, DIAGNOSIS + "GetTests", seconds=3)["tests"]
        if len(tests) < len(self.codes):
            call(self.name, DIAGNOSIS + "EnterCode", {"code": self.codes[-1]}, seconds=3)
            return
        test = tests[-1]
        is_lost = test.get("warning") == "ended" and "agree" in test.get("sentence", "")
        if test["state"] == "refused" or test.get("warning") in ["sent", "ended"] and not is_lost:
            self.next_step(test)
        elif test["state"] == "ready" and (is_lost or not test.get("warning")):
            call(self.name, DIAGNOSIS + "GetResult", {"number": test["number"]}, seconds=3)
            ticket = call(self.name, "org.vigil.device1.GiveConsent", {"purpose": "releaseKeys"}, seconds=3)["ticket"]
            call(self.name, DIAGNOSIS + "Warn", {"number": test["number"], "ticket": ticket, "symptoms": {"statement": "noStatement"},
                                                 "federation": False}, seconds=3)

    def next_step(self, test):
        is_sent = test.get("warning") == "sent"
        if len(self.codes) == CODES or is_sent and not self.is_again:
            self.is_over = True
            return
        if is_sent:
            self.is_again = False
        self.next_code()

    def look_back(self):
        """After the end there is a slot, in which nothing genuine is sent."""
        self.kept()
        after = self.peer.last_request()
        column = "info" if isinstance(self.peer, ENS) else "entry"
        query = f"SELECT count(*) FROM requests WHERE id > ? AND {column} LIKE ?"
        if not until(lambda: self.peer.number(query, after, f'%"{self.agent}"%') >= self.peer.slot, 90, 0.1):
            self.problem = self.problem or "no slot after the end"
        super().look_back()


# Ends of which a wearer reads that nobody was warned; and those of which nobody knows.
NOT_SENT = ["keysLost", "tanLost", "tanRefused", "refused", "permissionExpired", "alreadyThere", "nothingTaken", "misconfigured", "noKeys", "notPositive"]
UNKNOWN = ["uncertain", "serverFailed"]


def judge_peer(lives, peer):
    tests = [(life, number, known) for life in lives for number, known in sorted(life.book.items())]
    ends = collections.Counter(known["end"] for _, _, known in tests)
    print("     warnings: " + ", ".join(f"{end} {count}" for end, count in ends.most_common()), flush=True)
    problems = [f"{life.name}: {life.problem}" for life in lives if life.problem]
    check("every wearer's warning came to an end", not problems and None not in ends, "; ".join(problems)[:2000])
    check("each of them prepared one submission, which never changed",
          all(len(known["keys"]) <= 1 and len(known["bodies"]) <= 1 for _, _, known in tests),
          [(life.name, number) for life, number, known in tests if len(known["keys"]) > 1 or len(known["bodies"]) > 1])
    arrived, stored = list(peer.genuine()), list(peer.stored())
    bodies, permissions, boards = (collections.defaultdict(set) for _ in range(3))
    for _, agent, permission, keys, body, _ in arrived:
        bodies[permission].add(body)
        permissions[keys].add(permission)
        boards[permission].add(agent)
    print(f"     {len(arrived)} warnings arrived, with {len(bodies)} permissions; {len(stored)} were taken", flush=True)
    check("under one permission the same bytes, from one board", all(len(made) == 1 for made in [*bodies.values(), *boards.values()]))
    check("the same keys never under two permissions", all(len(made) == 1 for made in permissions.values()),
          [len(made) for made in permissions.values() if len(made) > 1])
    inserted, twice, whole = set(), [], collections.Counter(keys for keys, _ in stored)
    for keys, may_repeat in stored:
        if keys & inserted and not may_repeat:
            twice.append(keys)
        inserted |= keys
    check("no key was taken twice", not twice and all(count == 1 for count in whole.values()), len(twice))
    ours = {key for _, _, known in tests for keys in known["keys"] for key in keys}
    check("and none that no book had prepared", inserted <= ours, len(inserted - ours))
    late, untrue, unknown = [], [], collections.Counter()
    for life, number, known in tests:
        own = next(iter(known["keys"]), None)
        is_out = own is not None and own in whole
        end, after = known["end"], known["after"]
        late += [(life.name, number, end) for request, agent, _, keys, _, _ in arrived if agent == life.agent and keys == own and request > (after or 0)]
        if end in UNKNOWN:
            unknown[f"{end}, {'taken' if is_out else 'not taken'}"] += 1
        spent = number <= len(life.codes) and peer.is_spent(life.codes[number - 1])
        if end == "sent" and not is_out or end in NOT_SENT and is_out or end == "refused: answerLost" and not spent or (
                (end or "").startswith("refused") and end != "refused: answerLost"):
            untrue.append((life.name, number, end, is_out))
    check("nothing was sent after the end", not late, late[:5])
    check("no ending says what is not true", not untrue, untrue[:8])
    if unknown:
        print("     of which nobody knew: " + ", ".join(f"{name} {count}" for name, count in sorted(unknown.items())), flush=True)
    for found in peer.published():
        check("everybody finds each of their keys once", set(found) == inserted and set(found.values()) <= {1},
              f"{len(inserted)} keys; missing {len(inserted - set(found))}, too many {len(set(found) - inserted)}, twice "
              f"{sum(count > 1 for count in found.values())}")
    on_air(lives, inserted, peer)


def on_air(lives, inserted, peer):
    """Identifiers of keys that were given away are not sent again."""
    late, matched = [], 0
    spans = {key: start for _, key, start in spans_of(peer)}
    for life in lives:
        for key in {key for known in life.book.values() for keys in known["keys"] for key in keys} & inserted:
            for identifier in identifiers(base64.b64decode(key), spans[key]):
                if identifier not in life.tap.heard:
                    continue
                matched += 1
                first, last = life.tap.heard[identifier]
                release = min((moment for moment in life.releases if moment + 1 >= first), default=None)
                if release is None or last is None or last > release + 2:
                    late.append((life.name, last is None, last and release and round(last - release, 1)))
    check("no identifier of a taken key was sent after the keys had been given away", not late and matched > 0, f"{matched} heard before; late: {late[:5]}")


def spans_of(peer):
    if isinstance(peer, ENS):
        return [(None, key["key"], key["start"]) for (text,) in peer.rows("SELECT info FROM publishes") for key in json.loads(text)["keys"]]
    return [(None, key["key"], key["rollingStartNumber"]) for (text,) in peer.rows("SELECT keys FROM submissions") for key in json.loads(text)]
