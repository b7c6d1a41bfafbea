#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Warnings, from a laboratory's result to somebody else's risk, with everything real: an authority, nginx with TLS, mosquitto, three whole
boards on a simulated air; one warns by a test's code, one by a hotline's number. Then power cuts: whole boards killed at each named state
of registration, consent, TAN and upload, and the servers, too, in between; at the end every test that was to warn has warned once.

Usage: test-warnings.py FOLDER-WITH-EXECUTABLES [--cuts N] [--boards N] [--seed N] [--sum FILE] [--statement none|0...21|WHAT]
       test-warnings.py FOLDER-WITH-EXECUTABLES --way ens|nhs [--cuts N] [--boards N] [--seed N] [--sum FILE]
Needs root, mosquitto, nginx, openssl.

`--way` takes the power from boards that warn by another authority's way, at the stand-ins of Tests/System/Peers. `--sum` adds the cuts of a run that
passed to those of runs before, and says them all.

The first wearer states what --statement says, by default nothing, as the console does; the third has had symptoms for four days, the least that
still warns of today. Everything else is the authority's own default.
"""
import argparse
import hashlib
import json
import os
import re
import signal
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("bin", nargs="?", default=".build/release")
arguments.add_argument("--cuts", type=int, default=30)
arguments.add_argument("--boards", type=int, default=3)
arguments.add_argument("--only", choices=["way", "cuts"])
arguments.add_argument("--statement", default="none",
                       help="what the first wearer says about symptoms: none, days since they began, or a word of `vigil ctl tests warn --symptoms`")
arguments.add_argument("--way", choices=["cwa", "ens", "nhs"], default="cwa")
arguments.add_argument("--seed", type=int, default=int(os.environ.get("VIGIL_SEED", "1")),
                       help="of the moments of cuts, VIGIL_SEED or 1 by itself; what boards and servers draw is theirs")
arguments.add_argument("--sum", metavar="FILE", help="where the cuts of several runs are added up")
options = arguments.parse_args()

from boardkit import BIN, FOLDER, air, call, check, ctl, perform, read, run, state, tally, until, write  # noqa: E402
from peercuts import PEERS, PeerLife, PeerServers, judge_peer  # noqa: E402
from serverkit import authority_keys, board, certificates, fresh_test, hand_in, laboratory, servers, wait_for_turn  # noqa: E402
from warningcuts import power_cuts, unsealed  # noqa: E402

DIAGNOSIS = "org.vigil.diagnosis1."
# The least value of a level that is published for today (3: 0.6), 40 minutes at less than 63 dB (0.8): 19 weighted minutes of 9. In 20 minutes it
# would be 9.6, and a scan more or less would decide. A scan stands for five minutes at most, so the clock must not run faster on a busy machine.
MEETING_MINUTES = 40
STEP_MINUTES = 2
# Of which statements today's key has a level of 3 or more (spec cwa-protocols 5.1), so that whom the wearer met today is warned.
WARNS_TODAY = ["none", "lastSevenDays", "unknownSince", "noSymptoms"] + [str(days) for days in range(5)]


def stated(statement):
    """A statement as the console takes it."""
    if statement == "none":
        return []
    return ["--symptoms-since", statement] if statement.isdigit() else ["--symptoms", statement]


def tests(name):
    return call(name, DIAGNOSIS + "GetTests")


def meet(names):
    """Forty minutes together in twenty seconds, 45 minutes ago, earlier around midnight: what is published must be over by the authority's clock."""
    began = int(time.time()) - 60 * (MEETING_MINUTES + 5)
    # Within one day of theirs, with what follows: at its end the rest of the day's key would go out, and this is another story.
    whole = 60 * (MEETING_MINUTES + 15)
    if began // 86_400 != (began + whole) // 86_400:
        began = (began + whole) // 86_400 * 86_400 - whole
    for name in names:
        board(name, plugins=("sync", "wake", "diagnosis"), signed_time=False, more=("--profile", f"{FOLDER}/profile.json"))
        if not until(lambda: state(name)["wake"]["state"] == "running", 90):
            return False
        ctl(name, "time", "set", str(began))
        ctl(name, "enable")
        # A board that has never synced spreads its first question; a technician does not wait for that.
        call(name, "org.vigil.sync1.SyncNow")
    for minute in range(STEP_MINUTES, MEETING_MINUTES + 1, STEP_MINUTES):
        time.sleep(1)
        for name in names:
            ctl(name, "time", "set", str(began + 60 * minute))
    return True


def warn(name, code, statement):
    """What a wearer does, from a code to a warning that is sent; what it took, in seconds."""
    moment = time.monotonic()
    ctl(name, "tests", "enter", code)
    good = check(f"board {name}: there is news", until(lambda: tests(name)["news"], 90))
    listed = tests(name)
    check("and only the one who asks for it is told what", "positive" not in json.dumps(listed) and "positive" in ctl(name, "tests", "result", "1"))
    ctl(name, "tests", "warn", "1", *stated(statement), "--yes")
    good = check("consent, TAN, upload", until(lambda: tests(name)["tests"][0].get("warning") == "sent", 90)) and good
    return time.monotonic() - moment


def way():
    """From one wearer's test to another's risk, twice."""
    names = ["one", "two", "three"]
    # Strangers of before: without any, nothing has been compared, and nobody's risk is known.
    hand_in(300)
    # Boards that ask before that ask again half a minute later.
    check("strangers' keys are published", until(lambda: "/country/EUR/" in read("authority.log"), 60))
    check("three boards meet", meet(names))

    def risk():
        return call("two", "org.vigil.risk1.GetRisk")["risk"]

    def people():
        return call("two", "org.vigil.exposure1.GetStatus")["status"].get("matchCount", 0)

    check("before anybody warned, the risk is low", until(lambda: risk()["state"] == "low", 90), risk()["sentence"])
    test = fresh_test()
    ctl("one", "tests", "enter", f"https://localhost/?{test}")
    check("without a result there is no news", until(lambda: tests("one")["tests"][0]["state"] == "waiting", 90) and not tests("one")["news"])
    secrets = {"code": test, "what is registered": hashlib.sha256(test.encode()).hexdigest(), "token": token("one")}
    laboratory(test, "positive")
    # Asked again after two hours: 24 seconds here.
    check("the laboratory says positive: news, by asking again", until(lambda: tests("one")["news"], 60))
    ctl("one", "tests", "result", "1")
    # As one line, however it was broken for a terminal.
    told = " ".join(ctl("one", "tests", "warn", "1", *stated(options.statement), "--yes").split())
    warns_today = options.statement in WARNS_TODAY
    not_today = "Whom you met today is not warned" in told or "nobody is warned" in told
    check(f"stating {options.statement}, the wearer is told before whether today's meetings are warned", not_today != warns_today, told)
    check("consent, TAN, upload", until(lambda: tests("one")["tests"][0].get("warning") == "sent", 90))
    wait_for_turn("two")
    moment = time.monotonic()
    hand_in(300)
    if warns_today:
        check("package, wake, match: the other's risk turns", until(lambda: risk()["state"] == "increased" and risk()["news"], 90), risk()["sentence"])
        print(f"     published to risk: {time.monotonic() - moment:.2f} s")
        check("one person was met", people() == 1, people())
    else:
        # The strangers' package arrives, and today's key is not in it.
        compared = risk()["lastMatched"]
        check("a package is compared", until(lambda: risk()["lastMatched"] > compared, 90))
        check("today's key is not public, and the risk stays low", people() == 0 and risk()["state"] == "low", risk()["sentence"])
    number = run(f"{BIN}/vigil-authority", "tests", "teletan", "--state", f"{FOLDER}/authority").strip()
    secrets["hotline's number"] = number
    print(f"     by a hotline's number, entered to sent: {warn('three', number, '4'):.1f} s")
    call("two", "org.vigil.risk1.Acknowledge")
    wait_for_turn("two")
    hand_in(300)
    met = 2 if warns_today else 1
    check(f"the warning after four days of symptoms arrives, too: people met: {met}", until(lambda: people() == met, 90), people())
    check("and the risk is increased", risk()["state"] == "increased", risk()["sentence"])
    check("what is kept of it is sealed", stored_text("three").startswith(b"vigil-store 6\n") and b"registration" not in stored_text("three"))
    secrets["the other token"] = token("three")
    nowhere(secrets)
    check("who warned keeps nothing of the keys", "prepared" not in json.dumps(tests("three")) and stored("three") == stored("one"), stored("three"))


def stored(name):
    return os.path.getsize(f"{FOLDER}/{name}/data/state/diagnosis/store")


def stored_text(name):
    with open(f"{FOLDER}/{name}/data/state/diagnosis/store", "rb") as file:
        return file.read()


def token(name):
    with open(f"{FOLDER}/{name}/data/state/diagnosis/store", "rb") as file:
        return re.search(r'"token":"([^"]+)"', unsealed(name, file)).group(1)


def nowhere(secrets):
    """What was entered and what servers gave for it stands in no file of any board, server or log, and comes out of no interface."""
    for name in ["one", "three"]:
        answers = [json.dumps(tests(name)), ctl(name, "audit", "--json"), ctl(name, "export-my-data", "--json"), ctl(name, "tests", "result", "1"),
                   ctl(name, "status", "--json")]
        for number, answer in enumerate(answers):
            write(f"answer-{name}-{number}.txt", answer)
    found, files = [], 0
    for place, _, names in os.walk(FOLDER):
        for name in names:
            path = f"{place}/{name}"
            if os.path.isfile(path) and not os.path.islink(path):
                files += 1
                with open(path, "rb") as file:
                    text = file.read().upper()
                for what, secret in secrets.items():
                    shapes = [secret.upper().encode(), secret.upper().replace("-", "").encode()]
                    if any(shape in text for shape in shapes):
                        found.append((what, os.path.relpath(path, FOLDER)))
    check("no code, number or token stands anywhere", not found and len(secrets) == 5 and all(secrets.values()), found or f"{files} files")


def forget_everything():
    """A reset of the device takes along what plugins know."""
    with open(f"{FOLDER}/three/data/seals/diagnosis", "rb") as file:
        key = file.read()
    ctl("three", "reset", "--yes")
    check("after a reset no plugin knows anything of before", until(lambda: tests("three")["tests"] == [], 60))
    with open(f"{FOLDER}/three/data/seals/diagnosis", "rb") as file:
        check("and what it knew can be opened no more", file.read() != key)
    check("the others know what they knew", len(tests("one")["tests"]) == 1)


def add_up(cuts):
    """Keeps the cuts of several runs; those of a run that failed are looked at instead."""
    if not options.sum or tally["failed"]:
        return
    kept = {}
    if os.path.exists(options.sum):
        with open(options.sum) as file:
            kept = json.load(file)
    sums = kept.setdefault(options.way, {})
    for name, count in cuts.items():
        sums[name] = sums.get(name, 0) + count
    with open(options.sum, "w") as file:
        json.dump(kept, file, indent=1)
    print(f"     of all runs: {sum(sums.values())} cuts: " + ", ".join(f"{name} {count}" for name, count in sums.items()), flush=True)


def peer_cuts():
    """The cuts of another authority's way."""
    authority_keys()
    peer = PeerLife.peer = PEERS[options.way]()
    write("scene.json", json.dumps({"hosts": [{"id": number, "tx": -12, "path": [[0, number / 2, 0]]} for number in range(1, 5)]}))
    air("--scenario", f"{FOLDER}/scene.json")
    add_up(power_cuts(options.cuts, options.boards, options.seed, PeerLife, PeerServers(peer, options.seed), lambda lives: judge_peer(lives, peer)))


def main():
    certificates()
    if options.way != "cwa":
        peer_cuts()
        return
    servers()
    write("profile.json", '{ "name": "meeting", "scan": { "duration": 600, "period": 1300, "spread": 100 } }')
    write("scene.json", json.dumps({"hosts": [{"id": number, "tx": -12, "path": [[0, number / 2, 0]]} for number in range(1, 5)]}))
    air("--scenario", f"{FOLDER}/scene.json")
    if options.only != "cuts":
        way()
        forget_everything()
    if options.only != "way":
        add_up(power_cuts(options.cuts, options.boards, options.seed))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
