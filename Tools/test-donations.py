#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A donation, from the authority's document to the authority's counts, with the real programs: an issuer, a donation server, an authority that signs the
document, and three whole boards, of which the wearers of two agree. They enrol by the cards of their fleet, and the issuer knows their keys from its registration
authority. Days pass by the boards' clocks; the servers are started at the day that is wanted.

Usage: test-donations.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl, faketime; two minutes.
"""
import glob
import json
import os
import time

from boardkit import BIN, FOLDER, air, call, check, ctl, free_port, perform, read, run, start, state, stop, until
from fleetkit import Fleet, operator_key, plan, serials
from serverkit import authority_server, board, certificates, servers

DAY = 86_400
ISSUER, SERVER = free_port(), free_port()
carried = {}
DONATIONS = f"{BIN}/vigil-authority", "donations"


def clock(name, moment):
    call(name, "org.vigil.device1.SetTime", {"now": moment * 1000})


def donation(name):
    return call(name, "org.vigil.donation1.GetDonation")


def registry(names):
    """A registration authority that knows the cards of these boards; the cards' folders, by name."""
    os.makedirs(f"{FOLDER}/fleet")
    fleet = Fleet(f"{FOLDER}/fleet")
    operator_key(fleet.folder)
    plan(fleet.folder, fleet.port, "--key", f"{fleet.folder}/operator.key", names=names)
    fleet.command("init", "--title", "Fleet")
    with open(f"{fleet.folder}/claims.txt", "w") as file:
        file.write(run(f"{BIN}/vigil-fleet", "claims", f"{fleet.folder}/fleet.sqlite"))
    fleet.command("import", f"{fleet.folder}/claims.txt")
    fleet.start()
    fleet.start_front()
    return fleet, {name: f"{fleet.folder}/cards/{serial}/provision" for name, serial in zip(names, serials(fleet.folder))}


def enrol(name):
    """The plugin is started again: it enrols, and enters the core's key."""
    call(name, "org.vigil.technician1.RestartPlugin", {"name": "enrolment"})
    check(f"{name} enrols, and enters its key for evidence", until(lambda: "enrolment: notice its key for evidence is entered" in read(f"{name}.log"), 60),
          [line for line in read(f"{name}.log").splitlines() if line.startswith("enrolment: ")][-2:])


def carry(name):
    """The plugin is started again: it asks what is to be done at once."""
    call(name, "org.vigil.technician1.RestartPlugin", {"name": "donation"})
    carried[name] = time.time()


def finished(name):
    """Waits until the plugin has nothing to do; the supervisor says so some time later."""
    status = f"{FOLDER}/{name}/run/supervisor.json"
    until(lambda: os.path.getmtime(status) > carried[name] + 1 and state(name)["donation"]["state"] != "running", 90)


def counts(folder):
    """How often what was answered, by word."""
    total = {}
    for line in json.loads(run(*DONATIONS, "status", f"{FOLDER}/{folder}", "--json"))["events"]:
        total[line["event"]] = total.get(line["event"], 0) + line["count"]
    return total


def server(name, ahead, *arguments):
    """The issuer or the donation server, so many seconds ahead."""
    # The command faketime stays before its program, and would take the signal that ends it.
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")[0]
    start(name, "env", f"LD_PRELOAD={library}", f"FAKETIME=+{ahead}s", *DONATIONS, *arguments)
    until(lambda: "ready" in read(f"{name}.log"))


def issuer(ahead):
    server("issuer", ahead, "issuer", f"{FOLDER}/issuer", "--port", str(ISSUER))


def restart(name, ahead):
    """What it has counted is written at its end."""
    stop(name)
    os.rename(f"{FOLDER}/{name}.log", f"{FOLDER}/{name}-before.log")
    issuer(ahead)


def document():
    """An issuer, a donation server, and the document about both at the authority."""
    run(*DONATIONS, "init-issuer", f"{FOLDER}/issuer", "--name", f"127.0.0.1:{ISSUER}", "--address", f"http://127.0.0.1:{ISSUER}", "--minimum-fleet", "2")
    run(*DONATIONS, "init-server", f"{FOLDER}/donations")
    run(*DONATIONS, "terms", f"{FOLDER}/issuer", "--version", "1", "--origin", f"127.0.0.1:{SERVER}", "--server-address", f"http://127.0.0.1:{SERVER}",
        "--out", f"{FOLDER}/authority/donation.json")
    run("cp", f"{FOLDER}/authority/donation.json", f"{FOLDER}/donations/terms.json")
    stop("authority")
    authority_server()


def main():
    names = ["one", "two", "three"]
    fleet, cards = registry(names)
    try:
        donate(names, fleet, cards)
    finally:
        fleet.end()


def donate(names, fleet, cards):
    certificates()
    servers()
    document()
    check("the authority publishes the document", until(lambda: os.path.exists(f"{FOLDER}/authority/public/version/v1/donation/index.zip")))
    issuer(0)
    air()
    now = int(time.time())
    for name in names:
        board(name, plugins=("sync", "donation", "enrolment"), signed_time=False, donation=(ISSUER, SERVER), card=cards[name])
    for name in names:
        until(lambda name=name: state(name)["core"]["state"] == "running", 60)
        until(lambda name=name: clock(name, now) is None)
        until(lambda name=name: call(name, "org.vigil.sync1.SyncNow") is not None, 60)
        check(f"sync brings the document to {name}", until(lambda name=name: donation(name)["isOffered"], 90), donation(name).get("issuer"))
        enrol(name)
        carry(name)
        finished(name)
        # The first requests are due within a week; a clock that was ahead leaves them within a day.
        clock(name, now - 20 * DAY)
        carry(name)
        finished(name)
    keys = {}
    for name in ["one", "two"]:
        text = ctl(name, "donation", "agree", "--yes")
        check(f"the wearer of {name} reads the text and agrees", "Agreed" in text and f"127.0.0.1:{SERVER}" in text)
        keys[name] = ctl(name, "donation", "key").split()[1]
    # That of three is on the list as well: who keeps it does not learn whose wearer agrees.
    lines = fleet.command("export-devices")
    keys["three"] = ctl("three", "donation", "key").split()[1]
    check("the registration authority has the keys of all three, and says no name",
          sorted(lines.splitlines()) == sorted(f"good {key}" for key in keys.values()), lines)
    with open(f"{fleet.folder}/devices.txt", "w") as file:
        file.write(lines)
    check("the issuer takes its list", run(*DONATIONS, "devices", "import", f"{FOLDER}/issuer", f"{fleet.folder}/devices.txt") == "3 added, 0 revoked\n")
    for name in names:
        clock(name, now)
        carry(name)
        finished(name)
        check(f"{name} gets nothing yet: the fleet was not large enough for two days", donation(name)["preparedDays"] == 0)
    restart("issuer", 2 * DAY)
    check("each has asked once with evidence and was refused", counts("issuer") == {"evidenceRequired": 3, "fleetTooSmall": 3}, counts("issuer"))
    for name in names:
        clock(name, now + 2 * DAY)
        carry(name)
    for name in ["one", "two"]:
        check(f"two days later {name} gets a token for each of the six days that are left",
              until(lambda name=name: donation(name)["preparedDays"] == 6, 60), donation(name))
    check("three, whose wearer has not agreed, has none", donation("three")["preparedDays"] == 0 and "consent" not in donation("three"))
    finished("three")
    following = donation("one")["next"]
    check("the first donation is on the day after tomorrow", following // DAY == now // DAY + 4, time.strftime("%F %T", time.gmtime(following)))
    server("donations", following - now, "serve", f"{FOLDER}/donations", "--port", str(SERVER))
    clock("one", following + 5)
    carry("one")
    check("it is taken at its second", until(lambda: donation("one")["history"] == [{"day": following // DAY, "outcome": "taken"}], 60), donation("one"))
    carry("one")
    finished("one")
    check("and not sent again", len(donation("one")["history"]) == 1 and donation("one")["preparedDays"] == 5, donation("one"))
    check("no log of either server has a device's key or an address",
          not any(word in read(log) for log in ["issuer.log", "donations.log"] for word in [*keys.values(), "127.0.0.1 "]))
    ctl("one", "donation", "withdraw")
    held = donation("one")
    check("taken back: no consent, no token", "consent" not in held and held["preparedDays"] == 0 and held["history"] == [], held)
    clock("one", following + DAY)
    carry("one")
    finished("one")
    check("and nothing is prepared any more", donation("one")["preparedDays"] == 0)
    # What was counted is written once a minute, and at the end.
    stop("issuer")
    stop("donations")
    check("the issuer has signed for two and covered one", counts("issuer") ==
          {"evidenceRequired": 6, "fleetTooSmall": 3, "signed": 12, "cover": 6}, counts("issuer"))
    check("the donation server has stored one", counts("donations") == {"stored": 1}, counts("donations"))


perform(main)
