# SPDX-License-Identifier: Apache-2.0
"""Power cuts in the middle of warnings: lives of whole boards (supervisor, core, way out, diagnosis plugin), each with one test, one wearer who
does not give up, and a power that goes at named states; the servers are killed, too. In the end the authority's packages are read, with
nothing of the firmware's, and held against what every board had prepared.

A cut kills every process of a board at once and takes away what lay in memory (run folder and spool). What was written and not yet forced
to the disk survives here, as the kernel keeps it: that the disk is forced is for the stores' own tests."""
import base64
import collections
import contextlib
import glob
import hashlib
import hmac
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import zipfile

from boardkit import BIN, FOLDER, call, check, processes, run, state, until
from protobuf import fields
from serverkit import authority_server, board, fresh_test, hand_in, laboratory, tests_server

DIAGNOSIS = "org.vigil.diagnosis1."
REGISTRATION = ["wanted", "made"]
WARNING = ["agreed", "prepared", "askingTAN", "ready", "sending", "sent"]
STATES = REGISTRATION + WARNING


def descendants(process):
    """A process and all that came of it."""
    parents = collections.defaultdict(list)
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path) as file:
            number, _, rest = file.read().partition(" (")
            parents[int(rest.rpartition(")")[2].split()[1])].append(int(number))
    found, todo = [], [process]
    while todo:
        found.append(todo.pop())
        todo += parents[found[-1]]
    return found


# Of a plugin's store of constant size (Sources/Daemons/PluginKit/StoreSlots.swift): two slots, and a ring of patches behind them.
BLOCK, RING = 4096, 8


def part_of_store(part, mark, secret):
    """Number and content of a slot or a patch; `None` for one that is being written, or was never."""
    head, _, sealed = part.partition(b"\n")
    if head != mark:
        return None
    # ChaCha20 from block 1 on (RFC 8439, 2.8); the tag is not looked at, but what is being written does not begin with three numbers.
    message = subprocess.run(["openssl", "enc", "-chacha20", "-K", secret, "-iv", "01000000" + sealed[:12].hex()],
                             input=sealed[12:-16], check=True, capture_output=True).stdout
    head, _, body = message.partition(b"\n")
    words = head.split(b" ")
    if len(words) != 3 or not words[0].isdigit() or not words[1].isdigit() or int(words[1]) > len(body):
        return None
    return int(words[0]), body[:int(words[1])]


def patched(old, patch):
    """The content that a patch makes of the one before it: pieces to copy and to insert (StorePatch.swift)."""
    new, place = b"", 4
    while place < len(patch):
        kind, start, count = struct.unpack("<BII", patch[place:place + 9])
        place += 9
        new += patch[place:place + count] if kind else old[start:start + count]
        place += count if kind else 0
    return new


def unsealed(name, file):
    """What a board's diagnosis plugin keeps, opened with its key, as whoever is root there could."""
    book = file.read()
    with open(f"{FOLDER}/{name}/data/seals/diagnosis", "rb") as key:
        secret = key.read().hex()
    size = (len(book) - RING * BLOCK) // 2
    # The slot with the higher number holds, and the patches that follow it.
    slots = [part_of_store(book[at:at + size], b"vigil-store 6", secret) for at in (0, size)]
    slots = [slot for slot in slots if slot]
    if not slots:
        raise OSError("not sealed")
    number, body = max(slots)
    for _ in range(RING):
        at = 2 * size + (number + 1) % RING * BLOCK
        patch = part_of_store(book[at:at + BLOCK], b"vigil-store 8", secret)
        if not patch or patch[0] != number + 1:
            break
        number, body = number + 1, patched(body, patch[1])
    return f"{number}\n{body.decode(errors='replace')}"


class Tap(threading.Thread):
    """Between a board and the air: notes which identifiers were sent when."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.heard = {}
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o777)
        self.listener.listen(4)
        self.start()

    def run(self):
        while True:
            with contextlib.suppress(OSError):
                side, _ = self.listener.accept()
                air = socket.socket(socket.AF_UNIX)
                air.connect(f"{FOLDER}/air")
                threading.Thread(target=self.pass_on, args=(air, side, None), daemon=True).start()
                threading.Thread(target=self.pass_on, args=(side, air, b""), daemon=True).start()

    def pass_on(self, source, target, said):
        with contextlib.suppress(OSError):
            while part := source.recv(65536):
                target.sendall(part)
                if said is not None:
                    said = self.listen(said + part)
        for side in [source, target]:
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def listen(self, said):
        """H4 commands; LE Set Advertising Data (0x2008) carries the service data of 0xFD6F: 16 bytes of identifier."""
        while len(said) >= 4 and len(said) >= 4 + said[3]:
            opcode, data = int.from_bytes(said[1:3], "little"), said[4:4 + said[3]]
            said = said[4 + data.__len__():]
            place = data.find(b"\x16\x6f\xfd")
            if opcode == 0x2008 and place >= 0:
                identifier, now = bytes(data[place + 3:place + 19]), time.time()
                first, _ = self.heard.get(identifier, (now, now))
                for other, (begin, end) in self.heard.items():
                    # What was on air until now.
                    if end is None:
                        self.heard[other] = (begin, now)
                self.heard[identifier] = (first, None)
        return said


class Life:
    """One board from its first start to a warning that is out."""

    states = STATES
    ends = ["ended"]

    def __init__(self, number, cuts, seed):
        self.number = number
        self.name = f"life{number}"
        self.random = random.Random(seed)
        self.cuts_left = cuts
        self.cuts = collections.Counter()
        self.bodies = []
        self.releases = []
        self.problem = None
        self.is_over = False
        self.is_off = True
        self.is_timed = False
        self.store = (None, "")
        os.makedirs(f"{FOLDER}/{self.name}")
        self.tap = Tap(f"{FOLDER}/{self.name}/tap")

    # What the power does.

    def power_on(self):
        self.is_off = self.is_timed = False
        board(self.name, plugins=("diagnosis",), rehearsal=1000, more=("--transport", f"h4:unix:{FOLDER}/{self.name}/tap"))

    def power_cut(self):
        supervisor = processes.pop(self.name)
        for signal_number in [signal.SIGSTOP, signal.SIGKILL]:
            for _ in range(2):
                for process in descendants(supervisor.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal_number)
        supervisor.wait(30)
        subprocess.run(["umount", "-l", f"{FOLDER}/{self.name}/run/spool"], capture_output=True)
        shutil.rmtree(f"{FOLDER}/{self.name}/run", ignore_errors=True)
        # Three cuts within minutes are a boot loop, and only core and web page would be started: these are cuts of many days.
        with contextlib.suppress(OSError):
            os.remove(f"{FOLDER}/{self.name}/data/starts")
        self.is_off = True

    def kept(self):
        """What the plugin's file says now: the state's name, and the body if one is prepared."""
        with contextlib.suppress(OSError, subprocess.CalledProcessError), open(f"{FOLDER}/{self.name}/data/state/diagnosis/store", "rb") as file:
            text = self.unsealed(file)
            warning = re.search(r'"warning":\{"(\w+)"', text)
            registration = re.search(r'"registration":\{"(\w+)"', text)
            body = re.search(r'"body":"([A-Za-z0-9+/=\\]+)"', text)
            if body and body.group(1) not in self.bodies:
                self.bodies.append(body.group(1))
            return (warning or registration).group(1) if warning or registration else "nothing"
        return "nothing"

    def unsealed(self, file):
        """What the store says; opened anew only when it is another file."""
        mark = (os.fstat(file.fileno()).st_ino, os.fstat(file.fileno()).st_mtime_ns)
        if self.store[0] != mark:
            self.store = (mark, unsealed(self.name, file))
        return self.store[1]

    def cut_somewhere(self):
        """Waits for a state, or a moment, and takes the power."""
        at = self.kept()
        # Something that is still to come; the moment when keys change hands is short, and tried for more often.
        states = self.states
        ahead = [name for name in states[states.index(at) + 1 if at in states else 0:-1] for _ in range(3 if name == "agreed" else 1)]
        target = self.random.choice(ahead + [at if at in states else "any", "any"])
        end = time.monotonic() + (self.random.uniform(0, 2) if target == "any" else 15)
        while time.monotonic() < end:
            now = self.kept()
            if now == target:
                # At once, or a little into what it does there.
                time.sleep(self.random.choice([0, 0, 0, 0.002, 0.005, 0.05]))
                break
            if target in states and now in states and states.index(now) > states.index(target):
                break
            time.sleep(0.001)
        self.cuts[self.kept()] += 1
        self.power_cut()
        self.cuts_left -= 1
        self.kept()

    # What the wearer does.

    def begin(self):
        self.test = fresh_test()
        laboratory(self.test, "positive")
        self.power_on()

    def wearer(self):
        """One look at the board, and what follows from it; a board that is off is looked at again."""
        said = call(self.name, DIAGNOSIS + "GetTests", seconds=3)
        tests = said["tests"]
        if not tests:
            call(self.name, DIAGNOSIS + "EnterCode", {"code": f"https://localhost/?{self.test}"}, seconds=3)
            return
        test = tests[0]
        if test["state"] == "refused" or len(tests) > 1:
            self.problem = f"{test['state']}: {test.get('sentence')}, {len(tests)} tests"
        elif test.get("warning") == "sent":
            self.is_over = True
        elif test["state"] == "ready" and test.get("warning") in [None, "ended"]:
            if test.get("warning") == "ended" and "agree" not in test.get("sentence", ""):
                self.problem = f"ended: {test.get('sentence')}"
                return
            call(self.name, DIAGNOSIS + "GetResult", {"number": 1}, seconds=3)
            ticket = call(self.name, "org.vigil.device1.GiveConsent", {"purpose": "releaseKeys"}, seconds=3)["ticket"]
            call(self.name, DIAGNOSIS + "Warn", {"number": 1, "ticket": ticket, "symptoms": {"statement": "noStatement"}, "federation": False},
                 seconds=3)

    def tell_time(self):
        """What a board without a clock of its own hears from the network soon after each start."""
        if self.is_timed:
            return
        if not call(self.name, "org.vigil.exposure1.GetStatus", seconds=3)["status"]["enabled"]:
            call(self.name, "org.vigil.device1.Enable", seconds=3)
        call(self.name, "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)}, seconds=3)
        self.is_timed = True

    def live(self):
        begin = time.monotonic()
        self.begin()
        cutter = None
        while not self.problem and time.monotonic() < begin + 120 + 20 * self.cuts_left + 20 * sum(self.cuts.values()):
            if self.is_off:
                self.power_on()
            # One in four is cut on after its warning was sent.
            if self.is_over and self.random.random() < 0.75:
                break
            if self.cuts_left and (cutter is None or not cutter.is_alive()):
                cutter = threading.Thread(target=self.cut_somewhere)
                cutter.start()
            if self.is_over and (cutter is None or not cutter.is_alive()):
                break
            with contextlib.suppress(OSError, ValueError, KeyError, ConnectionError):
                if state(self.name)["core"]["state"] == "running":
                    self.tell_time()
                    self.wearer()
                self.kept()
            time.sleep(0.05)
        if cutter:
            cutter.join()
        if not self.is_over and not self.problem:
            self.problem = f"no warning in time, at {self.kept()}"
        self.kept()
        if self.is_off:
            self.power_on()
        self.look_back()
        self.power_cut()

    def look_back(self):
        """When the core gave keys away, by its own log."""
        def ask():
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(5)
                link.connect(f"{FOLDER}/{self.name}/run/ctl.sock")
                return True

        if until(ask, 20):
            log = json.loads(run(f"{BIN}/vigil", "ctl", "audit", "--json", "--run", f"{FOLDER}/{self.name}/run"))
            self.releases = [entry["time"] for entry in log["entries"] if entry["kind"] == "keysReleased"]
            if not log["intact"]:
                self.problem = "the core's log is broken"


# What was published, read by hand.

def published():
    """Every key of every package of the region, as often as it is there: key, start, period."""
    found = []
    for path in glob.glob(f"{FOLDER}/authority/public/version/v1/diagnosis-keys/country/EUR/date/*/hour/*/index.zip"):
        with zipfile.ZipFile(path) as archive:
            for number, value in fields(archive.read("export.bin")[16:]):
                if number == 7:
                    key = dict(fields(value))
                    found.append((key[1], key[3], key.get(4, 144)))
    return found


def prepared(body):
    """The keys of a submission: key, start, period."""
    found = []
    for number, value in fields(base64.b64decode(body.replace("\\/", "/"))):
        if number == 1:
            key = dict(fields(value))
            found.append((key[1], key[3], key.get(4, 144)))
    return found


def identifiers(key, start_interval):
    """The 144 identifiers of a key (Cryptography Specification 1.2, section 4)."""
    extracted = hmac.new(bytes(32), key, hashlib.sha256).digest()
    identifier_key = hmac.new(extracted, b"EN-RPIK\x01", hashlib.sha256).digest()[:16]
    blocks = b"".join(b"EN-RPI" + bytes(6) + (start_interval + number).to_bytes(4, "little") for number in range(144))
    made = subprocess.run(["openssl", "enc", "-aes-128-ecb", "-nopad", "-K", identifier_key.hex()], input=blocks, check=True, capture_output=True).stdout
    return [made[place:place + 16] for place in range(0, len(made), 16)]


class Servers(threading.Thread):
    """Kills the servers now and then."""

    said = ""

    def __init__(self, seed):
        super().__init__(daemon=True)
        self.random = random.Random(seed)
        self.count = 0
        self.is_ending = threading.Event()

    def run(self):
        while not self.is_ending.wait(self.random.uniform(4, 12)):
            name, again = self.random.choice([("tests", tests_server), ("tests", tests_server), ("authority", authority_server)])
            process = processes.pop(name)
            process.kill()
            process.wait(30)
            time.sleep(self.random.uniform(0, 1))
            again()
            self.count += 1


def power_cuts(count, boards, seed, kind=Life, servers=None, judged=None):
    """At least `count` cuts, over `boards` lives of a kind at once. Gives the number of cuts by state."""
    print(f"     seed {seed}", flush=True)
    lives, lock, cuts_left = [], threading.Lock(), [count]
    servers = servers or Servers(seed)

    def lane():
        while True:
            with lock:
                if cuts_left[0] <= 0:
                    return
                cuts = min(random.Random(seed + len(lives)).randrange(3, 9), cuts_left[0])
                cuts_left[0] -= cuts
                life = kind(len(lives), cuts, seed + len(lives))
                lives.append(life)
            try:
                life.live()
            except Exception as error:  # A life that ends like this is a failure of its own; the others go on.
                life.problem = life.problem or f"{type(error).__name__}: {error}"
                if life.name in processes:
                    life.power_cut()
            with lock:
                cuts_left[0] += max(0, life.cuts_left)
            print(f"     {life.name}: {sum(life.cuts.values())} cuts{', ' + life.problem if life.problem else ''}", flush=True)

    begin = time.monotonic()
    servers.start()
    lanes = [threading.Thread(target=lane) for _ in range(boards)]
    for thread in lanes:
        thread.start()
    for thread in lanes:
        thread.join()
    servers.is_ending.set()
    servers.join()
    cuts = sum((life.cuts for life in lives), collections.Counter())
    print(f"     {sum(cuts.values())} cuts in {len(lives)} lives and {servers.count} of the servers, {time.monotonic() - begin:.0f} s: "
          + ", ".join(f"{name} {cuts[name]}" for name in ["nothing"] + kind.states + kind.ends) + servers.said)
    (judged or judge)(lives)
    return cuts


def judge(lives):
    problems = [f"{life.name}: {life.problem}" for life in lives if life.problem]
    check("every wearer's warning was sent", not problems, "; ".join(problems)[:2000])
    strangers = 300
    check("the authority takes more keys", json.loads(hand_in(strangers) or "{}") is not None)
    bodies = [life.bodies for life in lives]
    # After a power cut a board without a clock goes on with the identifier after the one that may have been on air, up to twenty minutes
    # ahead (TEKSchedule.mostAhead, docs/decisions/0029): a key that is given away then ends so much later, and is published when that is over.
    now = time.time() / 600
    ahead = {key for made in bodies if made for key, begin, period in prepared(made[-1]) if begin + period > now + 1}
    if ahead:
        print(f"     {len(ahead)} keys end after the ten minutes that are under way", flush=True)
    expected = collections.Counter(key for made in bodies if made for key in prepared(made[-1]) if key[0] not in ahead)
    check("every life prepared one submission, which never changed", all(len(made) == 1 for made in bodies), [len(made) for made in bodies if len(made) != 1])
    found = collections.Counter()

    def all_there():
        found.clear()
        found.update(published())
        return not expected - found

    check("every warning is published", until(all_there, 60, 0.5), f"{len(expected)} keys; missing {len(expected - found)}")
    doubled = {key: number for key, number in found.items() if number > 1}
    check("none twice", not doubled and len({key for key, _, _ in found}) == len(found), len(doubled))
    ours = {key for life in lives for made in life.bodies for key, _, _ in prepared(made)}
    check("and nothing that was not to be", len(found) >= len(expected) and not {key for key, _, _ in found} & (ours - {key for key, _, _ in expected} - ahead))
    now = time.time() / 600
    check("no key is good for a time to come",
          all(begin + period <= now + 3 for made in bodies if made for _, begin, period in prepared(made[-1])))
    late, matched = [], 0
    for life in lives:
        heard = life.tap.heard
        for key, begin, _ in (prepared(life.bodies[-1]) if life.bodies else []):
            for identifier in identifiers(key, begin):
                if identifier not in heard:
                    continue
                matched += 1
                first, last = heard[identifier]
                release = min((moment for moment in life.releases if moment + 1 >= first), default=None)
                # A second of the tap's, and what a board takes that shares two processors with proofs and an emulator: 2.1 s once.
                if release is None or last is None or last > release + 5:
                    late.append((life.name, last is None, last and release and round(last - release, 1)))
    check("no identifier of a published key was sent after the keys had been given away", not late and matched > 0, f"{matched} heard before; late: {late[:5]}")
