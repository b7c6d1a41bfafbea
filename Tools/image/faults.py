# SPDX-License-Identifier: Apache-2.0
"""What breaks on boards, done to one on purpose: each fault is found by the self-check, at the console and on the technician's page, and the
board mends it by itself. Of Tools/test-image.py."""
import datetime
import json
import os
import subprocess
import time

import crowd
from boardkit import check, until
from cable import Cable
from cuts import counted
from machines import PATIENCE, START_SECONDS, Listener, Machine, asking, found_on_page, judge, page_grants, sign_in
from timeserver import TimeServer

NETWORK = """[Match]
Name=en* eth*
[Network]
DHCP=ipv4
NTP=10.0.2.2
[DHCPv4]
ClientIdentifier=mac
UseHostname=no
SendHostname=no
"""
GREEDY = {
    "id": "greedy", "version": "1.0.0", "title": "Greedy", "description": "Takes memory until it is stopped. For tests of boards.",
    "run": {"program": "bin/greedy"}, "start": "resident", "quotas": {"memory": 16 << 20, "state": 65536, "spool": 0, "processes": 8},
}
# The controller's cable is out for so long.
UNPLUGGED_SECONDS = 120


class Patient:
    """The machine that all of it is done to."""

    def __init__(self):
        self.cable = Cable("wire")
        self.clock = TimeServer()
        grants = {"plugins": {"webui": page_grants(), "greedy": {"enabled": True}}}
        self.machine = Machine("ill", ports=(8443,), files={"grants.json": json.dumps(grants), "network/20-ntp.network": NETWORK})
        self.listener = Listener()
        crowd.gather(6, unheard_by=[1])
        self.machine.power_on(radio="wire")
        judge(self.machine, self.listener)
        check("ill: the technician gets in", until(asking(lambda: sign_in(self.machine, "technician")), 120 * PATIENCE, 2))

    def start_again(self, **options):
        """Without a word, as when somebody pulls the plug."""
        self.machine.cut()
        began = time.monotonic()
        self.listener.listen_from(began)
        self.machine.power_on(radio="wire", **options)
        heard = until(lambda: self.listener.first, START_SECONDS, 0.1)
        return heard and until(asking(self.machine.is_up), START_SECONDS, 1)

    def finds(self, name, what, seconds=90, about=None):
        """The self-check finds it, at the console and then on the page."""
        last = {}

        def at_console():
            last.clear()
            last.update(self.machine.findings())
            return name in last and (about is None or about in [entry[0] for entry in last[name]])

        began = time.monotonic()
        good = check(f"{what}: {name} is found", until(asking(at_console), seconds * PATIENCE, 1),
                     f"{time.monotonic() - began:.0f} s; {last.get(name)}" if name in last else sorted(last))
        shown = set()

        def on_page():
            shown.clear()
            shown.update(found_on_page(self.machine) or (sign_in(self.machine, "technician") and found_on_page(self.machine)) or set())
            return name in shown

        return check(f"{what}: and shown to the technician", until(asking(on_page), 120 * PATIENCE, 2), "" if name in shown else sorted(shown)) and good

    def loses(self, name, what, seconds=180):
        began = time.monotonic()
        return check(f"{what}: {name} is no longer found", until(asking(lambda: name not in self.machine.findings()), seconds * PATIENCE, 2),
                     f"{time.monotonic() - began:.0f} s")

    def on_air(self, what, within=10):
        """Somebody outside hears it now."""
        began = time.monotonic()
        self.listener.listen_from(began)
        heard = until(lambda: self.listener.first, within * PATIENCE, 0.05)
        return check(f"{what}: it is on air", heard, f"heard after {time.monotonic() - began:.1f} s")

    def held(self):
        return counted(self.machine.vigil("export-my-data"))

    def identifiers(self):
        return sum(identifiers for _, identifiers in self.held()[0].values())

    def holds(self, before, what):
        """Nothing of what was there is gone."""
        days, keys = self.held()
        return check(f"{what}: nothing was deleted",
                     keys >= before[1] and all(days.get(day, (0, 0)) >= there for day, there in before[0].items()), f"{before} before, {(days, keys)} now")

    def process(self, name):
        document = json.loads(self.machine.ask("cat /run/vigil/supervisor.json"))
        return next((process for process in document["processes"] if process["name"] == name), {})


def core(patient):
    before = patient.process("core")
    patient.machine.ask(f"kill -KILL {before['pid']}")
    check("core killed: it is back", until(asking(lambda: patient.process("core").get("pid") not in (None, before["pid"])), 30 * PATIENCE, 0.5))
    patient.on_air("core killed")
    patient.finds("part-restarted", "core killed", about="core")


def supervisor(patient):
    held = patient.held()
    began = time.monotonic()
    patient.machine.ask("systemctl kill --kill-whom=main --signal=KILL vigil.service")
    time.sleep(1)
    patient.listener.listen_from(time.monotonic())
    check("supervisor killed: heard again", until(lambda: patient.listener.first, 60 * PATIENCE, 0.05), f"{time.monotonic() - began:.1f} s afterwards")
    patient.finds("ended-unexpectedly", "supervisor killed")
    patient.holds(held, "supervisor killed")


def greedy(patient):
    before = patient.process("core")["restarts"]
    # Doubled each time: beyond any quota long before it is missed for not being ready.
    script = "#!/bin/sh\\nx=xxxxxxxx\\nwhile :; do x=$x$x; done\\n"
    patient.machine.ask(f"mkdir -p /data/plugins/greedy/bin && printf '{script}' >/data/plugins/greedy/bin/greedy && chmod 0755 /data/plugins/greedy/bin/greedy")
    patient.machine.ask("cat >/data/plugins/greedy/plugin.json", input=json.dumps(GREEDY))
    patient.machine.ask("systemctl reload vigil.service")

    def how():
        process = patient.process("greedy")
        return f"{process.get('lastExit')}; {process.get('reason')}"

    check("greedy plugin: it is ended for its memory",
          until(asking(lambda: "memory" in how()), 90 * PATIENCE, 1), how())
    patient.finds("plugin-quarantined", "greedy plugin", about="greedy", seconds=180)
    check("greedy plugin: the core has not noticed", patient.process("core")["restarts"] == before)
    patient.on_air("greedy plugin")
    patient.machine.ask("rm -r /data/plugins/greedy; systemctl reload vigil.service")
    patient.loses("plugin-quarantined", "greedy plugin, away")


def disk(patient):
    held = patient.held()
    patient.machine.ask("dd if=/dev/zero of=/data/fill bs=1M 2>/dev/null; dd if=/dev/zero of=/data/fill2 bs=1k 2>/dev/null; true", 300)
    patient.finds("disk-nearly-full", "full disk")
    patient.finds("storage-problem", "full disk", seconds=120)
    patient.on_air("full disk")
    patient.machine.ask("rm /data/fill /data/fill2")
    patient.loses("storage-problem", "room again")
    patient.loses("disk-nearly-full", "room again")
    patient.holds(held, "room again")
    before = patient.identifiers()
    check("room again: what is heard is stored", until(asking(lambda: patient.identifiers() > before), 120 * PATIENCE, 2), patient.identifiers())


def partition(patient):
    # As it may look after a flash has lost its table: nothing but zeros.
    patient.machine.ask("dd if=/dev/zero of=/dev/vda5 bs=1M count=8 conv=fsync 2>/dev/null")
    check("data partition destroyed: heard and reached after the next start", patient.start_again())
    patient.finds("partition-anew", "data partition destroyed", about="data")
    check("data partition destroyed: what the operator provisioned is in force", "image-test" in patient.machine.ask("cat /run/vigil/core/state.json"))
    check("data partition destroyed: what is heard is stored", until(asking(lambda: patient.identifiers() > 0), 120 * PATIENCE, 2), patient.held())
    check("data partition destroyed: the next start finds nothing", patient.start_again() and "partition-anew" not in patient.machine.findings())


def clock(patient):
    until(asking(lambda: patient.identifiers() > 0), 120 * PATIENCE, 2)
    held = patient.held()
    check("clock: the network's time is heard", until(asking(lambda: "network" in patient.machine.vigil("time")["time"]["sentence"]), 120 * PATIENCE, 2),
          patient.machine.vigil("time")["time"])
    patient.clock.offset = None
    patient.machine.ask("date -s @200000 >/dev/null")
    patient.finds("system-clock-off", "clock at 1970")
    patient.on_air("clock at 1970")
    patient.holds(held, "clock at 1970")
    # A network that lies: the machine follows it, the core does not. Clients as simple as the machine's know no year after 2035.
    patient.clock.offset = datetime.datetime(2031, 1, 1, tzinfo=datetime.timezone.utc).timestamp() - time.time()
    check("clock at 2031, from the network: the machine believes it",
          until(asking(lambda: patient.machine.ask("date +%Y").strip() == "2031"), 300 * PATIENCE, 2), patient.machine.ask("date").strip())
    patient.finds("time-refused", "clock at 2031", seconds=400)
    patient.finds("system-clock-off", "clock at 2031")
    patient.on_air("clock at 2031")
    patient.holds(held, "clock at 2031")
    patient.clock.offset = None
    patient.machine.ask("date -s @%d >/dev/null" % datetime.datetime(2040, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
    patient.finds("system-clock-off", "clock at 2040")
    patient.on_air("clock at 2040")
    patient.holds(held, "clock at 2040")
    check("clock at 2040: heard and reached after a power cut, with a clock chip that says 2040", patient.start_again(clock="2040-01-02T00:00:00"))
    patient.holds(held, "started in 2040")
    patient.finds("time-refused", "started in 2040")
    patient.clock.offset = 0
    check("clock: the machine's is right again by itself", until(asking(lambda: patient.machine.ask("date +%Y").strip() == time.strftime("%Y")), 300 * PATIENCE, 2))
    patient.loses("system-clock-off", "clock right again")
    check("clock at 1970: heard and reached after a power cut, with a clock chip that says 1970", patient.start_again(clock="1970-01-02T00:00:00"))
    patient.loses("system-clock-off", "started in 1970, with a network")
    patient.holds(held, "started in 1970")


def cable(patient):
    opened = patient.machine.vigil("radio")["radio"]
    patient.cable.unplug()
    began = time.monotonic()
    found = patient.finds("no-controller", "controller unplugged", seconds=60)
    time.sleep(max(0.0, UNPLUGGED_SECONDS - (time.monotonic() - began)))
    patient.listener.listen_from(time.monotonic())
    patient.cable.plug()
    back = time.monotonic()
    check("controller plugged in again: heard", until(lambda: patient.listener.first, 300 * PATIENCE, 0.1),
          f"{time.monotonic() - back:.1f} s afterwards, unplugged for {back - began:.0f} s")
    if found:
        patient.loses("no-controller", "controller plugged in again")
    patient.finds("ladder-climbed", "controller plugged in again")
    radio = patient.machine.vigil("radio")["radio"]
    print(f"     ladder before {opened['ladder']}, now {radio['ladder']}; {radio.get('lastTrouble')}")


def faults():
    every = {"core": core, "supervisor": supervisor, "greedy": greedy, "disk": disk, "cable": cable, "clock": clock, "partition": partition}
    wanted = os.environ.get("FAULTS", ",".join(every)).split(",")
    patient = Patient()
    for name in wanted:
        print(f"--   {name}", flush=True)
        try:
            every[name](patient)
        except (subprocess.SubprocessError, ConnectionError, KeyError, ValueError) as problem:
            check(f"{name}: to the end", False, f"{type(problem).__name__}: {problem}"[:500])
