#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A donation, from the authority's document to the authority's counts, with the real programs: an issuer, a donation server, an authority that signs the
document, and three whole boards: the wearers of two agree to donate, the wearer of the third to error logs and to a survey. They enrol by the cards of their fleet, and the issuer
knows their keys from its registration authority. Days pass by the boards' clocks; the servers are started at the day that is wanted.

Usage: test-donations.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl, faketime; four minutes.
"""
import contextlib
import glob
import json
import os
import socket
import sqlite3
import time
import urllib.error
import urllib.request

from boardkit import BIN, FOLDER, air, call, check, ctl, free_port, perform, read, run, start, state, stop, until
from fleetkit import Fleet, operator_key, plan, serials
from serverkit import authority_server, board, certificates, servers

DAY = 86_400
ISSUER, SERVER, REDEEM = free_port(), free_port(), free_port()
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
    """The plugin is started again, and is up: it asks what is to be done at once."""
    before = state(name)["donation"].get("pid")
    call(name, "org.vigil.technician1.RestartPlugin", {"name": "donation"})
    # It stays for five seconds when it has nothing to do, which is long enough to be seen.
    if not until(lambda: state(name)["donation"].get("pid", before) != before, 60):
        check(f"the plugin of {name} is started", False, state(name)["donation"]["state"])


def finished(name):
    """Waits until the plugin has nothing to do any more and has ended."""
    if not until(lambda: "pid" not in state(name)["donation"], 120):
        check(f"the plugin of {name} has ended", False, state(name)["donation"]["state"])


def wait(name):
    """For how many seconds a board has nothing to do, asked by the plugin's own socket while the plugin has ended."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(20)
        link.connect(f"{FOLDER}/{name}/run/plugins/donation/org.vigil.donation1")
        link.sendall(json.dumps({"method": "org.vigil.donation1.GetStep", "parameters": {}}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            part = link.recv(65_536)
            if not part:
                raise ConnectionError("GetStep")
            answer += part
    step = json.loads(answer[:-1])["parameters"]
    return 0 if "step" in step else step["seconds"]


def log(name):
    return call(name, "org.vigil.donation1.GetErrorLog")


def survey(name):
    return call(name, "org.vigil.donation1.GetSurvey")


def counts(folder):
    """How often what was answered, by word. Of the donation server from its database: its operator is told no small counts, and nothing of today."""
    if folder == "donations":
        with contextlib.closing(sqlite3.connect(f"file:{FOLDER}/{folder}/server.db?mode=ro", uri=True)) as database:
            return dict(database.execute("SELECT kind, sum(count) FROM event GROUP BY kind"))
    total = {}
    for line in json.loads(run(*DONATIONS, "status", f"{FOLDER}/{folder}", "--json"))["events"]:
        total[line["event"]] = total.get(line["event"], 0) + line["count"]
    return total


def server(name, ahead, *arguments):
    """The issuer or the donation server, so many seconds ahead."""
    # The command faketime stays before its program, and would take the signal that ends it.
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")[0]
    seen = read(f"{name}.log").count("ready") if os.path.exists(f"{FOLDER}/{name}.log") else 0
    start(name, "env", f"LD_PRELOAD={library}", f"FAKETIME=+{ahead}s", *DONATIONS, *arguments)
    until(lambda: read(f"{name}.log").count("ready") > seen)


def issuer(ahead):
    server("issuer", ahead, "issuer", f"{FOLDER}/issuer", "--port", str(ISSUER))


def restart(name, ahead):
    """What it has counted is written at its end."""
    stop(name)
    os.rename(f"{FOLDER}/{name}.log", f"{FOLDER}/{name}-before.log")
    issuer(ahead)


def document():
    """An issuer, a donation server, and the document about both at the authority."""
    run(*DONATIONS, "init-issuer", f"{FOLDER}/issuer", "--name", f"127.0.0.1:{ISSUER}", "--address", f"http://127.0.0.1:{ISSUER}", "--minimum-fleet", "2",
        "--logs", "--surveys")
    run(*DONATIONS, "init-server", f"{FOLDER}/donations")
    run(*DONATIONS, "terms", f"{FOLDER}/issuer", "--version", "1", "--origin", f"127.0.0.1:{SERVER}", "--server-address", f"http://127.0.0.1:{SERVER}",
        "--issuer-operator", "City of Example", "--server-operator", "Example Institute", "--recipients", "Example Institute", "--kept-days", "90",
        "--survey-link", "https://survey.example/start", "--survey-operator", "Example University", "--survey-about", "en=How do you like your device?", "--survey-about", "de=Wie gefällt Ihnen Ihr Gerät?",
        "--survey-invites", "everybody", "--survey-days", "14", "--out", f"{FOLDER}/authority/donation.json")
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


def said(text):
    """Whether a consent text, wherever its lines end, says what the document says."""
    words = " ".join(text.split())
    return "run by City of Example, and the donation server by Example Institute." in words and "within 90 days of their arrival" in words


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
        check(f"nothing is due at {name} twenty days before", wait(name) > 0)
    keys = {}
    for name in ["one", "two"]:
        text = ctl(name, "donation", "agree", "--yes")
        check(f"the wearer of {name} reads the text and agrees", "Agreed" in text and f"127.0.0.1:{SERVER}" in text)
        check(f"it tells {name} who runs the servers, who gets donations, and for how long", said(text))
        keys[name] = ctl(name, "donation", "key").split()[1]
    text = ctl("three", "donation", "agree-log", "--yes")
    check("the wearer of three reads the text about error logs and agrees to them alone",
          "Agreed" in text and "The disk is nearly full" in text and "consent" not in donation("three") and said(text), text[-200:])
    text = ctl("three", "donation", "agree-survey", "--yes")
    words = " ".join(text.split())
    check("and the text about the survey to which all are invited", "Agreed" in words and "gets your answers: Example University." in words
          and "valid for 14 days" in words and "https://survey.example/start" in words and survey("three")["state"] == "waits", text[-200:])
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
    check("three, whose wearer has agreed to logs and a survey, gets the month's two",
          until(lambda: donation("three")["log"]["isPrepared"] and survey("three")["held"]["isPrepared"], 60), (donation("three")["log"], survey("three")))
    check("and none for a donation", donation("three")["preparedDays"] == 0 and "consent" not in donation("three"))
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
    check("the issuer has signed for two, and two of the six of the third", counts("issuer") ==
          {"evidenceRequired": 6, "fleetTooSmall": 3, "signed": 14, "cover": 4}, counts("issuer"))
    check("the donation server has stored one", counts("donations") == {"stored": 1}, counts("donations"))
    answer(error_log(now + 2 * DAY, keys), keys)


def go_on(moment):
    """Has board three do what is next; gives the time by which it has."""
    moment += wait("three") + 5
    server("donations", moment - int(time.time()), "serve", f"{FOLDER}/donations", "--port", str(SERVER))
    clock("three", moment)
    carry("three")
    finished("three")
    stop("donations")
    return moment


def error_log(moment, keys):
    """A trouble of board three, line by line to the authority's counts; its clock stands at `moment`. Gives the time at the end."""
    stop("three")
    core = f"{FOLDER}/three/data/core"
    owner = os.stat(core)
    os.makedirs(f"{core}/access", mode=0o700, exist_ok=True)
    with open(f"{core}/access/secrets", "wb") as file:
        file.write(b"damaged")
    for made in [f"{core}/access", f"{core}/access/secrets"]:
        os.chown(made, owner.st_uid, owner.st_gid)
    board("three", plugins=("sync", "donation"), signed_time=False, donation=(ISSUER, SERVER))
    until(lambda: state("three")["core"]["state"] == "running", 60)
    until(lambda: clock("three", moment) is None)
    carry("three")
    check("the damaged file is a line of the log", until(lambda: "storageFindings" in [line["trouble"] for line in log("three")["lines"]], 60), log("three"))
    finished("three")
    shown = ctl("three", "donation", "log")
    check("the wearer reads it, and nothing is sent by that", "Nothing was sent" in shown and log("three")["released"] == [], shown[-300:])
    check("what nobody has read is not sent", "LogChanged" in str(refusal("three", ["noController"])))
    troubles = sorted(line["trouble"] for line in log("three")["lines"])
    check("the wearer sends it", "will send this log" in ctl("three", "donation", "send-log", "--yes") and sorted(log("three")["released"]) == troubles, troubles)
    # Cover goes until its place is reached: ten days at most, some moments each.
    moments = 0
    while donation("three")["log"]["history"] == [] and moments < 60:
        moment = go_on(moment)
        moments += 1
    sent = donation("three")["log"]["history"]
    check("it is sent once, on a later day", [line["outcome"] for line in sent] == ["taken"], f"{sent} after {moments} moments")
    check("and is off the list", log("three")["released"] == [] and "storageFindings" not in [line["trouble"] for line in log("three")["lines"] if line["day"] < moment // DAY],
          log("three"))
    seen = counts("donations")
    check("the donation server has one log beside the donation, and cover",
          seen.get("logStored") == 1 and seen.get("stored") == 1 and set(seen) <= {"stored", "logStored", "surveyStored", "cover"},
          seen)
    audit = json.loads(ctl("three", "audit", "--json"))
    kinds = [entry["kind"] for entry in audit["entries"]]
    check("the wearer's own log has the consent and that it was to be sent, once", kinds.count("errorLogReleased") == 1 and kinds.count("consentGiven") == 2, kinds)
    check("no log of the server has a device's key or an address", not any(word in read("donations.log") for word in [*keys.values(), "127.0.0.1 "]))
    ctl("three", "donation", "withdraw-log")
    check("taken back: no consent, no line", "consent" not in donation("three").get("log", {}) and log("three") == {"lines": [], "released": []}, log("three"))
    return moment


def redeem(otp, secret):
    """What the donation server says of a password to whoever has the secret."""
    request = urllib.request.Request(f"http://127.0.0.1:{REDEEM}/version/v1/otp", data=json.dumps({"otp": otp}).encode(),
                                     headers={"Content-Type": "application/json", "Authorization": f"Bearer {secret}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)["state"]
    except urllib.error.HTTPError as error:
        return json.load(error)["state"] if error.code == 400 else error.code


def answer(moment, keys):
    """The password of board three's survey, from its digest to its redemption, and what is left of it."""
    moments = 0
    while survey("three")["state"] != "accepted" and moments < 60:
        moment = go_on(moment)
        moments += 1
    held = survey("three")
    check("the digest is taken, and the wearer gets the password", held["state"] == "accepted" and len(held.get("password", "")) == 34, f"{held} after {moments} moments")
    check("the server has one digest", counts("donations").get("surveyStored") == 1, counts("donations"))
    password = held["password"]
    check("the console shows it, with the address", password in ctl("three", "donation", "survey") and held["passwordLink"] == f"https://survey.example/start?otp={password}")
    secret = "0123456789abcdef" * 2
    with open(f"{FOLDER}/redeem-secret", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(secret + "\n")
    server("donations", moment - int(time.time()), "serve", f"{FOLDER}/donations", "--port", str(SERVER),
           "--redeem-port", str(REDEEM), "--redeem-secret", f"{FOLDER}/redeem-secret")
    check("without the secret nothing is told", redeem(password, "x" * 32) == 401)
    wrong = password[:-1] + ("0" if password[-1] != "0" else "1")
    check("a mistyped password is unknown", redeem(wrong, secret) == 404)
    check("the survey lets the password in once, as it was typed", [redeem(password.lower().replace("-", " "), secret), redeem(password, secret)] == ["valid", "redeemed"])
    stop("donations")
    seen = counts("donations")
    check("it is counted", seen.get("surveyRedeemed") == 1 and seen.get("surveyUnknown") == 1 and seen.get("redemptionUnauthorised") == 1, seen)
    # Neither the servers nor the board's programs have written it into a log.
    logs = glob.glob(f"{FOLDER}/*.log")
    check("no log has the password", not any(form in read(os.path.basename(path)) for path in logs for form in [password, password.replace("-", "")]), logs)
    told = [json.dumps(call("three", f"org.vigil.{method}")) for method in ["donation1.GetDonation", "device1.ExportMyData", "device1.GetAudit"]]
    check("nor does the core say it elsewhere", not any(password in text for text in told))
    check("no log of the server has a device's key or an address", not any(word in read("donations.log") for word in [*keys.values(), "127.0.0.1 "]))
    ctl("three", "donation", "withdraw-survey")
    after = survey("three")
    check("taken back: no consent, no password; the wearer is still invited", after["held"]["isOffered"] and "consent" not in after["held"] and
          not {"state", "password", "passwordLink"} & set(after), after)


def refusal(name, troubles):
    try:
        return call(name, "org.vigil.donation1.ReleaseErrorLog", {"troubles": troubles})
    except ValueError as error:
        return error


perform(main)
