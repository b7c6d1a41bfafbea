# SPDX-License-Identifier: Apache-2.0
"""Power is cut again and again while the machine writes; what it said it had stored has to be there afterwards. Of Tools/test-image.py.

QEMU is killed, so what the machine had written to its disk is there, in the order it was written: this finds what was said to be stored and was not
yet written. What a disk loses that has a memory of its own is for `vigil-lab prove`, which loses it on purpose.
"""
import json
import os
import random
import re
import subprocess
import time

import crowd
from boardkit import FOLDER, check, read, until
from machines import PATIENCE, START_SECONDS, Listener, Machine, asking, page_grants

LANGUAGES = ["en", "de", "fr"]
# What the machine does until it is cut: each line was printed after the board had said that it was done. A number goes into a setting of a
# plugin (grants.json, by the supervisor) and a language into the core's ledger, which both write the log of changes; then what was heard is counted.
BUSY = """
number=%d
while :; do
    number=$((number + 1))
    set -- en de fr
    shift $((number %% 3))
    vigil ctl call org.vigil.device1.SetPreferences '{"preferences":{"introduced":true,"notifications":false,"language":"'$1'"}}' >/dev/null &&
        echo "language $number"
    vigil ctl call org.vigil.technician1.SetSettings '{"name":"webui","settings":"{\\"title\\":\\"'$number'\\"}"}' >/dev/null && echo "title $number"
    echo "told $(vigil ctl export-my-data --json)"
    echo "logged $(vigil ctl audit --json | tr , '\\n' | grep -o '"sequence":[0-9]*' | tail -n 1)"
done
"""


class Promises:
    """What the board has said that it has stored."""

    def __init__(self):
        self.number = self.logged = self.language = self.title = self.restarts = 0
        self.days = {}
        self.keys = 0

    def take(self, line):
        kind, _, rest = line.partition(" ")
        if kind in ("language", "title"):
            setattr(self, kind, int(rest))
            self.number = max(self.number, int(rest))
        elif kind == "logged" and ":" in rest:
            self.logged = int(rest.split(":")[1])
        elif kind == "told":
            self.count(json.loads(rest))

    def count(self, told):
        self.days, self.keys = counted(told)
        self.restarts = 0

    def broken(self, machine):
        """What is not as it was promised; each in a sentence."""
        days, keys = counted(machine.vigil("export-my-data"))
        for day, (scans, identifiers) in self.days.items():
            now = days.get(day, (0, 0))
            if now[0] < scans or now[1] < identifiers:
                yield f"{day}: {scans} scans with {identifiers} identifiers were stored, {now[0]} with {now[1]} are there"
        if keys < self.keys:
            yield f"{self.keys} own keys were there, {keys} are"
        audit = machine.vigil("audit")
        last = audit["entries"][-1]["sequence"] if audit["entries"] else 0
        if not audit["intact"] or last < self.logged:
            yield f"the log ends with {last} after {self.logged}, intact: {audit['intact']}"
        # What was on its way may be there too.
        language = machine.vigil("call org.vigil.device1.GetPreferences")["preferences"].get("language")
        if self.language and language not in (LANGUAGES[self.language % 3], LANGUAGES[(self.language + 1) % 3]):
            yield f"the language is {language} after number {self.language}"
        title = json.loads(machine.vigil("""call org.vigil.technician1.GetPlugin '{"name":"webui"}'""")["settings"]).get("title")
        if self.title and title not in (str(self.title), str(self.title + 1)):
            yield f"the setting is {title} after {self.title}"
        # One that starts again within the ten minutes of an identifier makes another key, so that no identifier is sent again. A machine
        # that is short of processors may have been started again by its watchdogs meanwhile.
        lives = self.restarts + 1 + restarted(machine)
        if machine.state("keysMade") > 1 or keys > self.keys + lives:
            yield f"{self.keys} own keys were there, {keys} are, after {lives} starts, of which the last made {machine.state('keysMade')}"
        findings = [text for text in machine.vigil("storage")["storage"]["findings"] if "torn" not in text and "cut off" not in text]
        if findings:
            yield f"the board found {findings}"


def restarted(machine):
    """How often the core was started again since power came back, by the supervisor or with it."""
    core = next(process for process in json.loads(machine.ask("cat /run/vigil/supervisor.json"))["processes"] if process["name"] == "core")
    return core["restarts"] + int(machine.ask("systemctl show --property=NRestarts --value vigil.service"))


def counted(told):
    """Scans and identifiers by day, and the number of own keys, of what the board says it holds."""
    sections = {section["topic"]: section["values"] for section in told["sections"]}
    days = {day: tuple(int(number) for number in re.findall(r"\d+", text)) for day, text in sections["sightings"].items()}
    return days, int(sections["ownKeys"]["count"])


class Writer:
    """The machine at work; what it acknowledged is read when it is over."""

    def __init__(self, machine, promises):
        self.path = f"{FOLDER}/{machine.name}.said"
        with open(self.path, "wb") as said:
            self.process = subprocess.Popen([*machine.words(), BUSY % promises.number], stdout=said, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def end(self, promises):
        self.process.kill()
        self.process.wait(30)
        with open(self.path) as said:
            # Of a line without end nobody knows how it goes on.
            lines = said.read().split("\n")[:-1]
        for line in lines:
            promises.take(line)
        return len(lines)


def cuts():
    chance = random.Random(int(os.environ.get("SEED", "1")))
    machine = Machine("cut", files={"grants.json": json.dumps({"plugins": {"webui": page_grants()}})})
    listener = Listener()
    crowd.gather(12, unheard_by=[1])
    promises, waits, written, early, failures = Promises(), [], 0, 0, 0
    count = int(os.environ.get("CUTS", "20"))
    for number in range(count):
        began = time.monotonic()
        listener.listen_from(began)
        machine.power_on()
        # One in four while it still starts, the very first start included.
        if number % 4 == 0:
            time.sleep(chance.uniform(0.5, 30 * PATIENCE))
            machine.cut()
            early += 1
            # It may have made a key before.
            promises.restarts += 1
            print(f"     cut {number + 1}: {time.monotonic() - began:.1f} s after power-on", flush=True)
            continue
        heard = until(lambda: listener.first, START_SECONDS, 0.1)
        if not heard:
            check(f"cut {number + 1}: heard again", False, read("cut.console")[-300:])
            failures += 1
            break
        waits.append(listener.first - began)
        up = until(asking(machine.is_up), START_SECONDS, 1)
        if not up:
            check(f"cut {number + 1}: the operator gets in", False, read("cut.console")[-300:])
            failures += 1
            break
        broken = list(promises.broken(machine))
        if broken:
            check(f"cut {number + 1}: what was stored is there", False, "; ".join(broken))
            failures += 1
        # Counted anew even if something is missing, so that one loss is not told again and again.
        promises.count(machine.vigil("export-my-data"))
        writer = Writer(machine, promises)
        time.sleep(chance.uniform(2, 30 * PATIENCE))
        machine.cut()
        lines = writer.end(promises)
        written += lines
        print(f"     cut {number + 1}: heard after {waits[-1]:.1f} s, cut after {time.monotonic() - began:.0f} s and {lines} promises; {promises.days}", flush=True)
    began = time.monotonic()
    listener.listen_from(began)
    machine.power_on()
    check("cut: heard after the last cut", until(lambda: listener.first, START_SECONDS, 0.1))
    judge_last(machine, promises)
    check(f"cut: heard after each of {count} cuts, {early} of them during the start", failures == 0 and len(waits) == count - early,
          f"{sum(waits) / max(1, len(waits)):.1f} s on average, {max(waits, default=0):.1f} at worst")
    check("cut: there was something to lose", written > count and sum(identifiers for _, identifiers in promises.days.values()) > count,
          f"{written} promises, {promises.days}, log up to {promises.logged}, setting {promises.title}")


def judge_last(machine, promises):
    check("cut: systemd is done and the operator gets in", until(asking(machine.is_up), START_SECONDS, 1))
    broken = list(promises.broken(machine))
    check("cut: everything that was stored is there", not broken, "; ".join(broken))
    failed = machine.ask("systemctl --failed --no-legend --plain").strip()
    check("cut: no failed unit", failed == "", failed)
    states = machine.ask("cat /run/vigil-storage/keys /run/vigil-storage/data").split("\n")[:2]
    check("cut: keys and data are good or mended", set(states) <= {"good", "mended"}, states)
    check("cut: the self-check says that power was lost", "power-lost" in machine.findings(), sorted(machine.findings()))
