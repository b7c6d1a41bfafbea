#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A donation, from the authority's document to the authority's counts, with the real programs: an issuer, a donation server, an authority that signs the
document, and two whole boards whose wearers agree. Days pass by the boards' clocks; the donation server is started at the day of the donation.

Usage: test-donations.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl, faketime; two minutes.
"""
import json
import os
import time

from boardkit import BIN, FOLDER, air, call, check, ctl, free_port, perform, read, run, start, state, stop, until
from serverkit import authority_server, board, certificates, servers

DAY = 86_400
ISSUER, SERVER = free_port(), free_port()
DONATIONS = f"{BIN}/vigil-authority", "donations"


def clock(name, moment):
    call(name, "org.vigil.device1.SetTime", {"now": moment * 1000})


def donation(name):
    return call(name, "org.vigil.donation1.GetDonation")


def carry(name):
    """The plugin is started again: it asks what is to be done at once."""
    call(name, "org.vigil.technician1.RestartPlugin", {"name": "donation"})


def counts(folder):
    """How often what was answered, by word."""
    total = {}
    for line in json.loads(run(*DONATIONS, "status", f"{FOLDER}/{folder}", "--json")):
        total[line["event"]] = total.get(line["event"], 0) + line["count"]
    return total


def issuer():
    start("issuer", *DONATIONS, "issuer", f"{FOLDER}/issuer", "--port", str(ISSUER))
    until(lambda: "ready" in read("issuer.log"))


def donation_server(ahead):
    """The donation server, so many seconds ahead."""
    start("donations", "faketime", "-f", f"+{ahead}s", *DONATIONS, "serve", f"{FOLDER}/donations", "--port", str(SERVER))
    until(lambda: "ready" in read("donations.log"))


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
    certificates()
    servers()
    document()
    check("the authority publishes the document", until(lambda: os.path.exists(f"{FOLDER}/authority/public/version/v1/donation/index.zip")))
    issuer()
    air()
    now = int(time.time())
    for name in ["one", "two"]:
        board(name, plugins=("sync", "donation"), signed_time=False, donation=(ISSUER, SERVER))
    for name in ["one", "two"]:
        until(lambda name=name: state(name)["core"]["state"] == "running", 60)
        until(lambda name=name: clock(name, now - 5 * DAY) is None)
        until(lambda name=name: call(name, "org.vigil.sync1.SyncNow") is not None, 60)
        check(f"sync brings the document to {name}", until(lambda name=name: donation(name)["isOffered"], 90), donation(name).get("issuer"))
        carry(name)
    time.sleep(2)
    check("without a consent nothing is asked for", counts("issuer") == {}, counts("issuer"))
    keys = {}
    for name in ["one", "two"]:
        text = ctl(name, "donation", "agree", "--yes")
        check(f"the wearer of {name} reads the text and agrees", "Agreed" in text and f"127.0.0.1:{SERVER}" in text)
        keys[name] = ctl(name, "donation", "key").split()[1]
        run(*DONATIONS, "devices", "add", f"{FOLDER}/issuer", keys[name])
        clock(name, now)
    carry("two")
    # It has shown its evidence when its plugin has ended.
    until(lambda: "evidenceRequired" in counts("issuer") and state("two")["donation"]["state"] != "running", 90)
    carry("one")
    check("one gets a token for each of eight days", until(lambda: donation("one")["preparedDays"] == 8, 60), donation("one"))
    check("two, which asked first, has none: the fleet was too small", donation("two")["preparedDays"] == 0)
    following = donation("one")["next"]
    check("the first donation is on the day after tomorrow", following // DAY == now // DAY + 2, time.strftime("%F %T", time.gmtime(following)))
    donation_server(following - now)
    clock("one", following + 5)
    carry("one")
    check("it is taken at its second", until(lambda: donation("one")["history"] == [{"day": following // DAY, "outcome": "taken"}], 60), donation("one"))
    carry("one")
    time.sleep(2)
    check("and not sent again", len(donation("one")["history"]) == 1 and donation("one")["preparedDays"] == 7, donation("one"))
    check("no log of either server has a device's key or an address",
          not any(word in read(log) for log in ["issuer.log", "donations.log"] for word in [*keys.values(), "127.0.0.1 "]))
    ctl("one", "donation", "withdraw")
    held = donation("one")
    check("taken back: no consent, no token", "consent" not in held and held["preparedDays"] == 0 and held["history"] == [], held)
    clock("one", following + DAY)
    carry("one")
    time.sleep(2)
    check("and nothing is done any more", donation("one")["preparedDays"] == 0)
    # What was counted is written once a minute, and at the end.
    stop("issuer")
    stop("donations")
    check("the issuer has signed eight times and refused once", counts("issuer") == {"evidenceRequired": 2, "fleetTooSmall": 1, "signed": 8}, counts("issuer"))
    check("the donation server has stored one", counts("donations") == {"stored": 1}, counts("donations"))


perform(main)
