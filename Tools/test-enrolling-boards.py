#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole boards enrol by themselves, with the real programs: supervisor, core, egress and the plugin of each board, cards of `vigil-fleet plan`, a registration
authority behind nginx. Certificates live for seconds, so that boards renew while the test looks on.

Usage: test-enrolling-boards.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, nginx, openssl, curl; a minute.
"""
import glob
import json
import os
import random
import shutil
import signal
import sys
import time

from boardkit import BIN, FOLDER, ROOT, air, call, check, free_port, perform, processes, pss, read, start, state, stop, until
from fleetkit import Fleet, claim_of, listens, operator_key, plan, run, serials

FLEET = f"{FOLDER}/fleet"
LIFETIME = 36
# What one has got first.
first = {}


def place_card(name, serial, fleet=FLEET):
    """What the image's first step does with a card: grants, and the claim where the supervisor takes it."""
    place, card = f"{FOLDER}/{name}", f"{fleet}/cards/{serial}/provision"
    os.makedirs(f"{place}/plugins/enrolment", exist_ok=True)
    with open(f"{ROOT}/Plugins/Enrolment/plugin.json") as file:
        manifest = json.load(file)
    # The kernel counts a plugin's threads by its user, and all boards of this machine have the same.
    manifest["quotas"]["processes"] = 64
    with open(f"{place}/plugins/enrolment/plugin.json", "w") as file:
        json.dump(manifest, file)
    shutil.copy(f"{card}/grants.json", f"{place}/grants.json")
    handover = f"{place}/data/handover/enrolment"
    os.makedirs(handover, mode=0o700)
    shutil.copy(f"{card}/enrolment-claim", handover)


def start_board(name):
    place = f"{FOLDER}/{name}"
    start(name, f"{BIN}/vigil", "run", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{place}/data", "--run", f"{place}/run", "--plugins", f"{place}/plugins",
          "--grants", f"{place}/grants.json", "--enable", "--level", "debug")
    return until(lambda: state(name)["core"]["state"] == "running", 60)


def clock(name):
    call(name, "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)})


def ask(name):
    """The plugin is started again: it does at once what is to be done."""
    call(name, "org.vigil.technician1.RestartPlugin", {"name": "enrolment"})


def said(name):
    return [line for line in read(f"{name}.log").splitlines() if line.startswith("enrolment: ")]


def says(name, word, seconds=90, since=0):
    return until(lambda: any(word in line for line in said(name)[since:]), seconds)


def certificate(name):
    return read(f"{name}/data/state/enrolment/identity/certificate.pem")


def key_of(name):
    """The public key of a board's certificate."""
    return run("openssl", "x509", "-in", f"{FOLDER}/{name}/data/state/enrolment/identity/certificate.pem", "-noout", "-pubkey")


def files_with(name, word):
    found = []
    for folder, _, names in os.walk(f"{FOLDER}/{name}"):
        for file in names:
            path = f"{folder}/{file}"
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as stream:
                    if word.encode() in stream.read():
                        found.append(os.path.relpath(path, FOLDER))
    return found


def cards():
    """Five boards' cards; the second one waits for its approval."""
    os.makedirs(FLEET)
    fleet = Fleet(FLEET)
    operator_key(FLEET)
    plan(FLEET, fleet.port, "--key", f"{FLEET}/operator.key", names=["one", "two", "three", "four", "five"])
    names = dict(zip(["one", "two", "three", "four", "five"], serials(FLEET)))
    lines = run(f"{BIN}/vigil-fleet", "claims", f"{FLEET}/fleet.sqlite").splitlines()
    fleet.command("init", "--title", "Fleet 1", "--lifetime", f"{LIFETIME}s")
    for option, wanted in [((), lambda line: names["two"] not in line), (("--hold",), lambda line: names["two"] in line)]:
        with open(f"{FLEET}/claims.txt", "w") as file:
            file.write("".join(line + "\n" for line in lines if wanted(line)))
        fleet.command("import", f"{FLEET}/claims.txt", *option)
    return fleet, names


def thief(fleet, serial):
    """Somebody has copied the card of three, and is quicker."""
    path = f"{FLEET}/thief"
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{path}.key")
    request = run("openssl", "req", "-new", "-key", f"{path}.key", "-subj", f"/CN={serial}/serialNumber={serial}")
    return run("curl", "-s", "--cacert", f"{FLEET}/tls.pem", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: application/pkcs10", "-u",
               f"{serial}:{claim_of(FLEET, serial)}", "--data-binary", request, f"https://127.0.0.1:{fleet.port}/.well-known/est/simpleenroll")


def first_start(fleet, names):
    for name in ["one", "two", "three", "four"]:
        place_card(name, names[name])
        start_board(name)
    for name in ["one", "two", "three", "four"]:
        # Where the machine's own clock is synchronised boards believe it, and find that nobody is there.
        check(f"{name} takes its claim and waits for the time", until(lambda: any("[noTime]" in line or "[serverFailed]" in line for line in said(name)), 90), said(name)[-1:])
        claim = claim_of(FLEET, names[name])
        check(f"the claim of {name} is with the plugin alone", files_with(name, claim) == [f"{name}/data/state/enrolment/enrolment-claim"], files_with(name, claim))
    check("without the time nobody was asked", not os.path.exists(f"{FLEET}/registry/registry.db") or fleet.status("issued") == 0)
    for name in ["one", "four"]:
        clock(name)
        ask(name)
    for name in ["one", "four"]:
        check(f"the authority is down: {name} says so", says(name, "serverFailed"), said(name)[-1:])
    fleet.start()
    check("a thief enrols by the card of three", thief(fleet, names["three"]) == "200")
    for name in ["one", "two", "three", "four"]:
        clock(name)
        ask(name)
    for name in ["one", "four"]:
        check(f"{name} enrols", says(name, f"{names[name]} is enrolled until"), said(name)[-1:])
        check(f"the claim of {name} is nowhere on the board", files_with(name, claim_of(FLEET, names[name])) == [])
        check(f"nor is its key in the clear: {name}", files_with(name, "PRIVATE KEY") == [])
    check("two waits for its approval", says("two", "[pending]"), said("two")[-1:])
    check("three is refused, and says whom to ask", says("three", "ask its operator") and until(lambda: fleet.status("usedClaim") >= 1, 90), said("three")[-1:])
    first.update(one=certificate("one"), key=key_of("one"))
    ask("one")
    sizes = []
    check("the plugin needs little memory", until(lambda: sizes.append(pss(plugin_of("one"))) or sizes[-1] > 0) and sizes[-1] < 16_384, f"{sizes[-1:]} KiB")
    fleet.command("approve", names["two"])
    ask("two")
    check("approved, two enrols", says("two", "is enrolled until"), said("two")[-1:])

    def shown():
        processes = call("one", "org.vigil.technician1.GetProcesses")["processes"]
        return [one["name"] for process in processes if process["name"] == "enrolment" for one in process.get("certificates", [])]
    # The plugin tells it after it has said that it is enrolled, and the supervisor passes it on.
    check("the technician sees until when the certificate is good", until(lambda: shown() == ["authorities", "enrolment"]), shown())


def power_cut(fleet, names):
    # Nobody says goodbye to a board.
    stop("four", signal.SIGKILL)
    os.rename(f"{FOLDER}/four.log", f"{FOLDER}/four-before.log")
    start_board("four")
    until(lambda: clock("four") is None, 60)
    until(lambda: ask("four") is None, 60)
    check("after a power cut four is enrolled as before", says("four", f"{names['four']} is enrolled until"), said("four")[-1:])
    fleet.command("revoke", names["four"])


def renewal(fleet):
    """By themselves, when two thirds of the lifetime are over."""
    check("one renews by itself", until(lambda: certificate("one") != first["one"], 90) and fleet.status("renewed") >= 1)
    check("by its own key", until(lambda: key_of("one") == first["key"]))
    check("a revoked board says so when it wants to renew", says("four", "[refused]"), said("four")[-1:])
    check("and keeps what it has", certificate("four").startswith("claim "))


def kills(names):
    """The plugin dies at moments of its first run, again and again; then it enrols, with one key."""
    generator = random.Random(24)
    place_card("five", names["five"])
    start_board("five")
    until(lambda: "enrolment" in state("five"))
    until(lambda: clock("five") is None)
    path = f"{FOLDER}/five/data/state/enrolment/identity/key.pem"
    keys, killed = set(), []
    while len(killed) < 12:
        ask("five")
        found = []
        # Another one than that of the last time, which may be on its way out.
        if not until(lambda: found.append(plugin_of("five")) or found[-1] not in [None, *killed], 10):
            break
        time.sleep(generator.random() * 0.25)
        try:
            os.kill(found[-1], signal.SIGKILL)
        except ProcessLookupError:
            continue
        killed.append(found[-1])
        if os.path.exists(path):
            with open(path, "rb") as file:
                keys.add(file.read())
    ask("five")
    check("killed twelve times, five enrols", says("five", "is enrolled until"), said("five")[-2:])
    with open(path, "rb") as file:
        keys.add(file.read())
    check("with one key", len(keys) == 1 and len(killed) == 12, (len(keys), len(killed)))
    check("and its claim is erased", files_with("five", claim_of(FLEET, names["five"])) == [])


def stranger():
    """Another EST server, which has no such label as ours for evidence, at the address of the card of six."""
    folder, port = f"{FOLDER}/stranger", free_port()
    os.makedirs(folder)
    for name in ["tls.pem", "tls.key"]:
        shutil.copy(f"{FLEET}/{name}", folder)
    operator_key(folder)
    plan(folder, port, "--key", f"{folder}/operator.key", names=["six"])
    (serial,) = serials(folder)
    # It takes passwords as they are written.
    start("est", sys.executable, f"{ROOT}/Tools/stranger-est.py", folder, str(port), serial, claim_of(folder, serial).replace("-", ""))
    until(lambda: listens(port))
    place_card("six", serial, folder)
    start_board("six")
    until(lambda: clock("six") is None)
    until(lambda: ask("six") is None)
    check("a board enrols at somebody else's EST server", says("six", f"{serial} is enrolled until"), said("six")[-1:])
    check("by one request", read("est.log").splitlines() == ["/.well-known/est/simpleenroll application/pkcs10"], read("est.log"))


def plugin_of(board):
    """The process that has the role, among the descendants of a board's supervisor."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
            if len(words) > 1 and words[1] == b"enrolment" and b"vigil-plugins" in words[0]:
                pid = int(path.split("/")[2])
                if parent(pid) == processes[board].pid:
                    return pid
        except (OSError, ValueError):
            pass
    return None


def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def main():
    fleet, names = cards()
    fleet.start_front()
    air()
    try:
        first_start(fleet, names)
        kills(names)
        power_cut(fleet, names)
        stranger()
        renewal(fleet)
        check("no log has a claim", not any(claim_of(FLEET, serial) in read(log) for serial in names.values()
                                            for log in map(os.path.basename, glob.glob(f"{FOLDER}/*.log"))))
    finally:
        fleet.end()


perform(main)
