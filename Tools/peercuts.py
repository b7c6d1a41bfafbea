# SPDX-License-Identifier: Apache-2.0
"""Power cuts in the middle of warnings by the ways of others: lives of whole boards at the stand-ins of Tests/System/Peers for Google's servers and the
NHS's. The stand-ins are killed, too: with a request in their hands, and with its answer. What they stored, logged and publish is held against what
every board had in its book and told its wearer: each warning is out once or not at all, and no ending says otherwise.

These servers spend codes and certificates before they answer, so a wearer may need another code; who does not get through with four gives up."""
import base64
import collections
import contextlib
import json
import os
import random
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
from warningcuts import DIAGNOSIS, Life, identifiers

CODES = 4
DAY = 86_400


class Peer:
    """A stand-in as a process, and what is asked of it past the wire: its administration, and its database as it lies there."""

    # Of each stand-in: its `program`, `database` and `port_names` (ports); `alive`, a path that is answered when it has started; `states` of a warning by
    # its way, the requests of a `slot`, the `paces` of rehearsals; `calls` that are genuine, in order: their paths, and what counts those that were
    # carried out; `faults`, what is left of them, as JSON; `log`, the column of what is known of a request.
    # Its words for faults: delayed before, not answered, half an answer, does not work.
    unread, unanswered = {"kind": "delay", "seconds": 60}, {"kind": "drop_after"}
    lost, fails = {"kind": "drop_after"}, {"kind": "status", "status": 503}
    # Whether a second warning goes with what the server gave for the first.
    knows_again = False

    def __init__(self):
        self.ports = {name: free_port() for name in self.port_names}
        self.start()
        self.facts = json.loads(read("peer.log").splitlines()[0])

    def start(self):
        start("peer", "/usr/bin/python3", "-B", f"{ROOT}/Tests/System/Peers/{self.program}", "--state", f"{FOLDER}/peer", "--tls", f"{FOLDER}/server.pem",
              f"{FOLDER}/server.key", *(word for name, port in self.ports.items() for word in (f"--{name}-port", str(port))))
        if not until(lambda: self.ask(self.alive) is not None, 60):
            raise SystemExit(f"the stand-in did not start: {read('peer.log')[-400:]}")

    def kill(self):
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
            try:
                with contextlib.closing(sqlite3.connect(f"file:{FOLDER}/peer/{self.database}?mode=ro", uri=True)) as base:
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

    def waiting_faults(self):
        """The paths that wait for one."""
        return {json.loads(text)["path"] for (text,) in self.rows(self.faults)}

    def forget_faults(self):
        self.ask("/faults", method="DELETE")

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
    port_names = ["verification", "key", "admin"]
    states = ["wanted", "made", "agreed", "prepared", "askingTAN", "ready", "sending", "sent"]
    slot = 4
    # A certificate is good for 9, 3 or 0.9 seconds then: longer than a start takes, and shorter.
    paces = [100, 300, 300, 1000]
    calls = {"verify": ("/api/verify", "SELECT count(*) FROM codes WHERE claimed"),
             "certificate": ("/api/certificate", "SELECT count(*) FROM tokens WHERE used"),
             "publish": ("/v1/publish", "SELECT count(*) FROM publishes")}
    faults, log = "SELECT rule FROM faults", "info"
    unanswered, halved = {"kind": "delay_after", "seconds": 60}, {"kind": "truncate"}
    knows_again = True

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

    def prepared(self, submission):
        """Of a warning in a book: by what it is known at the server, and its keys. Here the secret, which the permission is for."""
        return submission["frozen"]["secret"], frozenset(key["key"] for key in submission["frozen"]["keys"])

    def genuine(self):
        """Warnings that arrived, taken or not: (number in the log, board, by what it is known, body)."""
        for number, text, body in self.rows("SELECT id, info, body FROM requests ORDER BY id"):
            info = json.loads(text)
            if info["path"] == "/v1/publish" and not info["chaff"]:
                said = json.loads(body)
                agent = next((value for name, value in info["headers"] if name.lower() == "user-agent"), "")
                yield number, agent, said["hmacKey"], body

    def stored(self):
        """Warnings that were taken: by what each is known, its keys with their beginnings, and whether keys of before may be among them."""
        for (text,) in self.rows("SELECT info FROM publishes ORDER BY id"):
            info = json.loads(text)
            yield info["hmacKey"], {key["key"]: key["start"] for key in info["keys"]}, info["sentRevisionToken"]

    def has_taken(self, secret):
        return self.number("SELECT count(*) FROM publishes WHERE json_extract(info, '$.hmacKey') = ?", secret) > 0

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
    port_names = ["submission", "distribution", "admin"]
    states = ["wanted", "made", "agreed", "ready", "sending", "sent"]
    slot = 2
    # A token is good for 20 or 6 minutes then: longer than a life.
    paces = [300, 1000]
    calls = {"exchange": ("/virology-test/v2/cta-exchange", "SELECT coalesce(sum(downloads), 0) FROM orders"),
             "submission": ("/submission/diagnosis-keys", "SELECT count(*) FROM submissions")}
    faults, log = "SELECT fault FROM faults WHERE remaining > 0", "entry"
    halved = {"kind": "half"}

    def __init__(self):
        super().__init__()
        self.ask("/settings", {"exchangeSeconds": 0.2})

    def settings(self, life):
        key = self.facts["keys"]["api"]
        return {"way": "nhs", "submission": f"https://127.0.0.1:{self.ports['submission']}", "apiKey": "mobile:test-value", "country": "England", "slots": 192,
                "userAgent": life.agent, "answerKeys": [{"id": key["id"], "key": key["spki"]}]}

    def agent(self, number):
        return f"p=Android,o=29,v=4.36,b={1000 + number}"

    def fault(self, kind, path):
        self.ask("/faults", {"path": path, "count": 1, **kind})

    def code(self, random):
        code = self.ask("/orders", {})["ctaToken"]
        self.ask("/results", {"token": code})
        return code

    def prepared(self, submission):
        said = json.loads(base64.b64decode(submission["body"]))
        return said["diagnosisKeySubmissionToken"], frozenset(key["key"] for key in said["temporaryExposureKeys"])

    def genuine(self):
        for number, text in self.rows("SELECT id, entry FROM requests ORDER BY id"):
            entry = json.loads(text)
            if entry["path"] == "/submission/diagnosis-keys":
                said = json.loads(entry["body"])
                agent = next((value for name, value in entry["headers"] if name.lower() == "user-agent"), "")
                yield number, agent, said["diagnosisKeySubmissionToken"], entry["body"]

    def stored(self):
        for token, text in self.rows("SELECT token, keys FROM submissions ORDER BY id"):
            yield token, {key["key"]: key["rollingStartNumber"] for key in json.loads(text)}, False

    def has_taken(self, token):
        return self.number("SELECT count(*) FROM submissions WHERE token = ?", token) > 0

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

    # Killed with a request unread, with one carried out and not answered, at any moment; and what goes wrong without a kill.
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
        return "\n     what went wrong at the servers: " + ", ".join(f"{name} {self.done[name]}" for name in sorted(self.done))

    def run(self):
        while not self.is_ending.wait(self.random.uniform(1, 6)):
            self.trouble(self.random.choice(self.KINDS))

    def trouble(self, kind):
        """Waits for a genuine request of one of some calls, and lets it meet with that."""
        peer = self.peer
        calls = self.random.sample(list(peer.calls), self.random.randint(1, len(peer.calls)))
        hit, is_kill = "", kind in ["unread", "unanswered", "idle"]
        if kind != "idle":
            before = {name: peer.number(peer.calls[name][1]) for name in calls}
            for name in calls:
                peer.fault(getattr(peer, kind), peer.calls[name][0])
            hit = self.first_hit(calls)
            # A request that was refused has changed nothing.
            if hit and kind == "unanswered" and not until(lambda: peer.number(peer.calls[hit][1]) > before[hit], 5, 0.005):
                hit += ", refused"
            if not (hit and is_kill):
                peer.forget_faults()
        if is_kill:
            peer.kill()
            # Some boards find nobody there.
            time.sleep(self.random.uniform(0, 1))
            peer.start()
            peer.forget_faults()
            self.count += 1
        if hit or is_kill:
            self.done[f"{'killed, ' if is_kill else ''}{kind if hit else 'idle'}{' ' * bool(hit)}{hit}"] += 1

    def first_hit(self, calls):
        end = time.monotonic() + 20
        while time.monotonic() < end and not self.is_ending.is_set():
            left = self.peer.waiting_faults()
            for name in calls:
                if self.peer.calls[name][0] not in left:
                    return name
            time.sleep(0.005)
        return ""


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
        self.is_again = self.peer.knows_again and self.random.random() < 0.2
        self.codes = []
        # By number of a test: what the book said of it.
        self.book = {}
        self.noted = (None, [])
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
            text = self.unsealed(file)
            if text is not self.noted[0]:
                tests = json.loads(text.partition("\n")[2]).get("tests", {"tests": []})["tests"]
                for test in tests:
                    self.note(test)
                self.noted = (text, tests)
            tests = self.noted[1]
            return next(iter(tests[-1].get("warning") or tests[-1]["registration"])) if tests else "nothing"
        return "nothing"

    def is_current(self):
        with contextlib.suppress(OSError):
            now = os.stat(f"{FOLDER}/{self.name}/data/state/diagnosis/store")
            return self.store[0] == (now.st_ino, now.st_mtime_ns)
        return False

    def note(self, test):
        known = self.book.setdefault(test["number"], {"prepared": set(), "bodies": set(), "at": None, "end": None, "after": None, "back": None})
        stage, content = next(iter((test.get("warning") or {}).items()), (None, {}))
        registration, reason = next(iter(test["registration"].items()))
        submission = content.get("_0") if stage in ["prepared", "askingTAN", "ready", "sending"] else None
        if submission:
            known["prepared"].add(self.peer.prepared(submission))
            known["at"] = known["at"] or time.time()
            # Asked before it is seen that the book still says so.
            if stage != "sending" and self.peer.has_taken(self.peer.prepared(submission)[0]) and self.is_current():
                known["back"] = stage
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
        query = f"SELECT count(*) FROM requests WHERE id > ? AND {self.peer.log} LIKE ?"
        if not until(lambda: self.peer.number(query, after, f'%"{self.agent}"%') >= self.peer.slot, 90, 0.1):
            self.problem = self.problem or "no slot after the end"
        super().look_back()


# Ends of which a wearer reads that nobody was warned, and those of which nobody knows. The stand-ins refuse nothing that is right, so what is called
# refused is not true, either: it was lost.
NOT_SENT = ["keysLost", "tanLost", "permissionExpired", "alreadyThere"]
UNKNOWN = ["uncertain", "serverFailed"]


def judge_peer(lives, peer):
    tests = [(life, number, known) for life in lives for number, known in sorted(life.book.items())]
    ends = collections.Counter(known["end"] for _, _, known in tests)
    print("     warnings: " + ", ".join(f"{end} {count}" for end, count in ends.most_common()), flush=True)
    problems = [f"{life.name}: {life.problem}" for life in lives if life.problem]
    check("every wearer's warning came to an end", not problems and None not in ends, "; ".join(problems)[:2000])
    changed = [(life.name, number) for life, number, known in tests if len(known["prepared"]) > 1 or len(known["bodies"]) > 1]
    check("each of them prepared one submission, which never changed", not changed, changed[:8])
    arrived, stored = list(peer.genuine()), list(peer.stored())
    made = collections.defaultdict(set)
    for _, agent, permission, body in arrived:
        made[permission].add((agent, body))
    print(f"     {len(arrived)} warnings arrived, by {len(made)} permissions; {len(stored)} were taken", flush=True)
    check("by one permission the same bytes, from one board", all(len(bodies) == 1 for bodies in made.values()))
    taken = {permission for permission, _, _ in stored}
    # A wearer who warns a second time and has sent nothing since sends the same keys, with what the server gave for the first.
    whole = collections.Counter(frozenset(keys) for _, keys, may_repeat in stored if not may_repeat)
    check("the same keys never by two permissions that were taken", set(whole.values()) <= {1}, max(whole.values(), default=0))
    inserted, twice, fresh = {}, 0, collections.Counter()
    for permission, keys, may_repeat in stored:
        twice += bool(keys.keys() & inserted.keys()) and not may_repeat
        # The same bytes again, with what was given for an upload before, are taken again and change nothing.
        fresh[permission] += bool(keys.keys() - inserted.keys())
        inserted.update(keys)
    check("no key was taken twice, and no permission gave keys twice", not twice and set(fresh.values()) <= {0, 1}, twice)
    ours = {key for _, _, known in tests for _, keys in known["prepared"] for key in keys}
    check("and none that no book had prepared", inserted.keys() <= ours, len(inserted.keys() - ours))
    back = [(life.name, number, known["back"]) for life, number, known in tests if known["back"]]
    check("what could still be withdrawn, as the wearer read, was not taken yet", not back, back[:8])
    check_ends(tests, peer, arrived, taken)
    for found in peer.published():
        check("everybody finds each of their keys once", found.keys() == inserted.keys() and set(found.values()) <= {1},
              f"{len(inserted)} keys; missing {len(inserted.keys() - found.keys())}, too many {len(found.keys() - inserted.keys())}, twice "
              f"{sum(count > 1 for count in found.values())}")
    check_air(lives, inserted)


def check_ends(tests, peer, arrived, taken):
    """What each wearer read in the end, against what the servers know."""
    late, untrue, unknown = [], [], collections.Counter()
    for life, number, known in tests:
        own = {permission for permission, _ in known["prepared"]}
        end, is_out, is_spent = known["end"] or "", bool(own & taken), peer.is_spent(life.codes[number - 1])
        late += [(life.name, number, end) for request, _, permission, _ in arrived if permission in own and request > (known["after"] or 0)]
        if end in UNKNOWN:
            unknown[f"{end}, {'taken' if is_out else 'not taken'}"] += 1
        elif not {"sent": is_out, "refused: answerLost": is_spent}.get(end, end in NOT_SENT and not is_out):
            untrue.append((life.name, number, end, f"taken: {is_out}, code spent: {is_spent}"))
    check("nothing was sent after the end", not late, late[:8])
    check("no ending says what is not true", not untrue, untrue[:8])
    if unknown:
        print("     of which nobody knew: " + ", ".join(f"{name} {count}" for name, count in sorted(unknown.items())), flush=True)


def check_air(lives, inserted):
    """Identifiers of keys that were given away are not sent again."""
    late, matched = [], 0
    for life in lives:
        given = {}
        for known in sorted(life.book.values(), key=lambda known: known["at"] or 0):
            for key in {key for _, keys in known["prepared"] for key in keys} & inserted.keys():
                given.setdefault(key, known["at"])
        for identifier, at in ((identifier, at) for key, at in given.items() for identifier in identifiers(base64.b64decode(key), inserted[key])):
            if identifier not in life.tap.heard:
                continue
            matched += 1
            first, last = life.tap.heard[identifier]
            # The log says whole seconds. A wearer who agrees twice gives away twice, the second time what began with the first.
            release = min([moment for moment in life.releases if moment >= first]
                          + sorted(moment for moment in life.releases if moment <= at)[-1:], default=None)
            # A second of the tap's, and what a board takes that shares two processors with proofs and an emulator: 2.1 s once.
            if release is None or last is None or last > release + 5:
                late.append((life.name, last is None, last and release and round(last - release, 1)))
    check("no identifier of a taken key was sent after the keys had been given away", not late and matched > 0, f"{matched} heard before; late: {late[:5]}")
