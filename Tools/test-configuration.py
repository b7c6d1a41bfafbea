#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An operator's configuration goes out to two running boards in two waves, by a real authority's web server and the boards' Sync: first to a group, then to all. One that cuts a
board's Sync off from the server takes itself back.

Usage: test-configuration.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl and vigil-fleet there; some minutes, most of them waited:
Sync asks twice a minute at most.
"""
import json
import os
import signal
import subprocess
import sys

from boardkit import BIN, FOLDER, air, call, check, ctl, perform, processes, read, run, state, until, write
from serverkit import board, certificates, servers, syncs, wait_for_turn

BOARDS = {"hall": ("vg-7k3m-q0r1x", "libraries"), "cafe": ("vg-0000-00000", "cafes")}
PATH = "fleet/v1/configuration"


def configuration(name):
    return call(name, "org.vigil.trust1.GetConfiguration")


def synchronise(name):
    """A run of Sync, after what the server may be asked."""
    before = syncs(name)["sources"][0].get("lastAttempt", 0)
    wait_for_turn(name)
    call(name, "org.vigil.sync1.SyncNow")
    return until(lambda: not syncs(name)["running"] and syncs(name)["sources"][0].get("lastAttempt", 0) > before, 60)


def sign(version, stages, seconds=3_600):
    """What vigil-fleet says as it signs that, and publishes it."""
    document = write("configuration.json", json.dumps({"format": "vigil-fleet-configuration-1", "version": version, "trialSeconds": seconds, "stages": stages}))
    return subprocess.run([f"{BIN}/vigil-fleet", "configure", document, "--key", f"{FOLDER}/fleet.pem", "--out", f"{FOLDER}/web/{PATH}", "--json"],
                          capture_output=True, text=True, timeout=60)


def publish(version, stages, seconds=3_600):
    return json.loads(sign(version, stages, seconds).stdout)


def bring(name):
    """A person at the console brings the published file."""
    return ctl(name, "configuration", "take", f"{FOLDER}/web/{PATH}")


def findings(name):
    """The board's own check, whose exit status is its verdict."""
    said = subprocess.run([f"{BIN}/vigil", "ctl", "health", "--json", "--run", f"{FOLDER}/{name}/run"], capture_output=True, text=True, timeout=60).stdout
    return [finding["id"] for finding in json.loads(said)["findings"] if finding["id"].startswith("configuration")]


def start(name):
    """A board of the fleet, with a network that may be changed; the stand-in for networkctl notes that it was asked."""
    serial, group = BOARDS[name]
    os.makedirs(f"{FOLDER}/{name}/network", exist_ok=True)
    write(f"{name}/vigil.json", json.dumps({
        "operatorKeys": [f"fleet-1={FOLDER}/fleet.pub.pem"], "fleet": {"board": serial, "group": group},
        "network": {"folder": f"{FOLDER}/{name}/network", "interfaces": ["eth7"], "reload": ["/bin/sh", "-c", f"echo >> {FOLDER}/{name}/reloads"]}}))
    board(name, plugins=("sync", "wake"), more=("--config", f"{FOLDER}/{name}/vigil.json"))


def grant(name):
    """Sync looks for the configuration, as a card of vigil-fleet plan --configuration has it."""
    grants = json.loads(read(f"{name}/grants.json"))
    sync = grants["plugins"]["sync"]
    sync["calls"]["org.vigil.trust1"] = [*sync["calls"].get("org.vigil.trust1", []), "TakeConfiguration"]
    sync["settings"]["sources"][0]["fleetConfiguration"] = PATH
    write(f"{name}/grants.json", json.dumps(grants))
    processes[name].send_signal(signal.SIGHUP)


def plugin(name, plugin):
    return json.loads(read(f"{name}/grants.json"))["plugins"][plugin]


def main():
    certificates()
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{FOLDER}/fleet.pem")
    os.chmod(f"{FOLDER}/fleet.pem", 0o600)
    run("openssl", "ec", "-in", f"{FOLDER}/fleet.pem", "-pubout", "-out", f"{FOLDER}/fleet.pub.pem")
    servers()
    # The operator's file lies beside the authority's, on the same web server.
    os.makedirs(f"{FOLDER}/web/fleet/v1")
    write("nginx.conf", read("nginx.conf").replace("location", f"location /fleet/ {{ root {FOLDER}/web; }}\n    location", 1))
    processes["nginx"].send_signal(signal.SIGHUP)
    air()
    for name in BOARDS:
        start(name)
        if not check(f"{name}: is on air", until(lambda name=name: state(name)["core"]["state"] == "running", 60)):
            return
        grant(name)
    network = [{"interface": "eth7", "method": "manual", "addresses": ["192.0.2.7/24"], "gateway": "192.0.2.1"}]
    change = {"plugins": {"wake": {"calls": {"org.vigil.checkin1": None}}}, "networks": network}

    report = publish(1, [{"to": "group:libraries", **change}])
    check("the operator signs a configuration for a group", report["version"] == 1 and report["written"], report)
    check("of a trial of an hour nothing is warned", report["warnings"] == [], report)
    again = sign(4_000_000_000, [{"to": "group:libraries", **change}])
    check("a version of the future is not signed", again.returncode == 2 and "more than a day above the present time" in again.stderr, again.stderr)
    again = sign(1, [{"to": "group:libraries", **change}])
    check("the same version is not signed over it", again.returncode == 2 and "boards take newer ones only" in again.stderr, again.stderr)
    for name in BOARDS:
        check(f"first wave, {name}: Sync fetches it", synchronise(name), syncs(name)["sources"][0].get("problem", ""))
    check("first wave, hall: on trial, with grants and network", until(lambda: configuration("hall").get("trial") == 1, 30) and "calls" in plugin("hall", "wake")
          and "org.vigil.checkin1" not in plugin("hall", "wake")["calls"] and "192.0.2.7/24" in read("hall/network/10-vigil-eth7.network"), configuration("hall"))
    check("first wave, cafe: holds it, and nothing is changed", until(lambda: configuration("cafe").get("version") == 1, 30)
          and not os.listdir(f"{FOLDER}/cafe/network"), configuration("cafe"))
    check("first wave, hall: its own check says so", findings("hall") == ["configuration-on-trial"], findings("hall"))
    synchronise("hall")
    check("first wave, hall: fetched once more, it is kept", until(lambda: configuration("hall").get("version") == 1, 60), configuration("hall"))

    publish(2, [{"to": "fleet", **change}])
    for name in BOARDS:
        synchronise(name)
    check("second wave, cafe: on trial", until(lambda: configuration("cafe").get("trial") == 2, 30), configuration("cafe"))
    for name in BOARDS:
        synchronise(name)
        check(f"second wave, {name}: kept", until(lambda name=name: configuration(name).get("version") == 2, 60), configuration(name))
        check(f"second wave, {name}: the network is as wished", "192.0.2.7/24" in read(f"{name}/network/10-vigil-eth7.network"))

    # Sync may reach a server that is not there: whatever it does, the file does not come again.
    before = read("hall/grants.json")
    away = [{"to": "group:libraries", "plugins": {"sync": {"endpoints": {"distribution": [{"host": "cdn.example", "port": 443}]}}}}]
    report = publish(3, away, seconds=60)
    check("of a trial of a minute is warned", len(report["warnings"]) == 1 and "480 s" in report["warnings"][0], report)
    synchronise("hall")
    check("a configuration that cuts Sync off: on trial", until(lambda: configuration("hall").get("trial") == 3 or configuration("hall").get("takenBack") == 3, 30),
          configuration("hall"))
    check("it takes itself back", until(lambda: configuration("hall").get("takenBack") == 3, 120), configuration("hall"))
    check("grants are as before", json.loads(read("hall/grants.json")) == json.loads(before))
    synchronise("hall")
    problem = syncs("hall")["sources"][0].get("problem", "")
    check("it is not tried again, and Sync says why", configuration("hall").get("trial") is None and "was taken back" in problem, problem)
    check("its own check says so", findings("hall") == ["configuration-taken-back"] and findings("cafe") == [], findings("hall"))
    check("the cafe was never touched by it", "takenBack" not in configuration("cafe"))

    # A person who knows better keeps what cannot come again.
    publish(4, away)
    bring("hall")
    check("a person brings one that cuts Sync off: on trial", configuration("hall").get("trial") == 4, configuration("hall"))
    # 20 seconds later it would count if it came by itself.
    until(lambda: configuration("hall")["secondsLeft"] < 3_575, 60)
    said = bring("hall")
    check("who brings it again keeps nothing", "It is on trial" in said and configuration("hall").get("trial") == 4, said)
    said = ctl("hall", "configuration", "keep", "4")
    check("and keeps it by its name", "Version 4 is kept" in said and configuration("hall").get("version") == 4 and findings("hall") == [], said)
    said = ctl("hall", "configuration")
    check("the console says what holds and what was taken back", "Version 4 of the fleet's configuration holds" in said and "Version 3 was taken back" in said, said)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("test-configuration.py: run it as root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
