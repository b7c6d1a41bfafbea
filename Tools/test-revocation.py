#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A laboratory mixes up samples, and warnings are taken back: on whole boards, from the sample to what everybody is told. Two people are ill by
their tests, one warns on the page of a board and one by a hotline's number at the console; whoever was in the room with them is told of an
increased risk. Then two officers take one warning back on the health office's page, and two people the other one with `vigil-authority`; each
thing that is refused has a sentence of its own. With the next synchronisation one board says what happened, on page, console and light; another
one, which follows a second authority that published the same key, stays warned.

Usage: test-revocation.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl; a minute.
"""
import base64
import contextlib
import glob
import html
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile

from boardkit import BIN, FOLDER, ROOT, air, call, check, ctl, perform, read, run, state, until, write
from protobuf import fields
from serverkit import PAGES, board, certificates, fresh_test, hand_in, laboratory, meeting, other_authority, portal, secret_of, servers, syncs, wait_for_turn

sys.path.insert(0, f"{ROOT}/Tests/System/Browser")
from intruder import Client  # noqa: E402

MINUTES = 30
# Days between the meeting and the warnings. Whoever says that symptoms began one to two weeks ago warns of it and not of today (docs/warn-others.md).
AGO = 6
BOARDS = {"page": ("sync", "diagnosis", "webui"), "phone": ("sync", "diagnosis"), "met": ("sync", "webui"), "both": ("sync",)}
PUBLISHED = f"{FOLDER}/authority/public/version/v1/diagnosis-keys/country/EUR/date/*/hour/*/index.zip"


def met_on():
    """The UTC day of the meeting, days since 1970."""
    return int(time.time()) // 86_400 - AGO


def risk(name):
    return call(name, "org.vigil.risk1.GetRisk")["risk"]


def tests(name):
    return call(name, "org.vigil.diagnosis1.GetTests")["tests"]


def has_news(name):
    """Whether the light says so."""
    return "news" in call(name, "org.vigil.indicator1.Watch", more=True)["scene"]["signals"]


with open(f"{ROOT}/Plugins/WebUI/texts/en.txt", encoding="utf-8") as texts:
    TEXTS = dict(line.strip().split(" = ", 1) for line in texts if " = " in line)


def says(page, name):
    """Whether a page has that text, whatever stands in its gaps."""
    pattern = ".*?".join(re.escape(part) for part in re.split(r"\{[^}]*\}", TEXTS[name]))
    return re.search(pattern, html.unescape(page), re.S) is not None


def wearer(name):
    """Somebody at the page of a board, signed in, who wants to hear of news."""
    client = Client(PAGES[name])
    client.get("/sign-in")
    signed_in = client.sign_in("wearer", secret_of(name, "wearer")).status == 303
    return client if signed_in and client.introduce(notifications="yes") else None


# MARK: Warning

def warn_on_page():
    """As its wearer does it: code, result, statement, and the consent that counts after they are told whom it does not reach."""
    person = wearer("page")
    if not check("a wearer signs in and agrees to take part", person is not None):
        return None
    code = fresh_test()
    laboratory(code, "positive")
    entered = person.post("/tests", {"act": "enterCode", "code": f"https://localhost/?{code}"})
    check("the page takes the laboratory's code", entered.status == 303, entered.status)
    check("the result is there", until(lambda: call("page", "org.vigil.diagnosis1.GetTests")["news"], 60))
    shown = person.post("/tests/1", {"act": "showResult"})
    check("and is shown to who asks", shown.status == 200 and "ositive" in shown.text, shown.status)
    stated = {"act": "warn", "statement": "oneToTwoWeeksAgo", "daysAgo": "", "federation": "yes", "consent": "yes"}
    told = person.post("/tests/1/warn", stated)
    check("stating symptoms of one to two weeks ago, the wearer is told that whom they met today is not warned, and who is",
          told.status == 422 and says(told.text, "warn.reach-days") and says(told.text, "warn.reach-again"), told.status)
    check("by then nobody has agreed to anything", "warning" not in tests("page")[0])
    again = re.search(r'name="told" value="([^"]+)"', told.text)
    sent = person.post("/tests/1/warn", {**stated, "told": again.group(1) if again else ""})
    check("agreeing once more counts", sent.status in (200, 303) and tests("page")[0].get("warning") in ("agreed", "prepared"), sent.status)
    return code


def hotline():
    """A number that nobody else was told."""
    return run(f"{BIN}/vigil-authority", "tests", "teletan", "--state", f"{FOLDER}/authority").strip()


def warn_by_phone():
    check("a hotline's number is a result", until(lambda: call("phone", "org.vigil.diagnosis1.GetTests")["news"], 60))
    ctl("phone", "tests", "result", "1")
    ctl("phone", "tests", "warn", "1", "--symptoms-since", str(AGO), "--yes")


def real_keys():
    """Keys of the day of the meeting that are public, without strangers and random ones: start, period, level and 16 bytes."""
    with contextlib.closing(sqlite3.connect(f"file:{FOLDER}/authority/authority.db?mode=ro", uri=True, timeout=60)) as database:
        return database.execute("SELECT DISTINCT start, period, level, data FROM released WHERE padding = 0 AND start / 144 = ?", [met_on()]).fetchall()


def share(name):
    """The other authority publishes the same keys."""
    keys = [{"key": base64.b64encode(data).decode(), "rollingStartNumber": start, "rollingPeriod": period, "transmissionRisk": level, "reportType": 1}
            for start, period, level, data in real_keys()]
    path = write(f"{name}.json", json.dumps({"temporaryExposureKeys": keys}))
    taken = json.loads(run(f"{BIN}/vigil-authority", "accept", "--state", f"{FOLDER}/{name}", "--json", path))
    run(f"{BIN}/vigil-authority", "publish", "--state", f"{FOLDER}/{name}", "--early", "--quiet")
    return taken["accepted"], path


def revised():
    """How many keys of the packages that are public now are taken back, and how many say anything else about a key that was published."""
    kinds = []
    for path in glob.glob(PUBLISHED):
        with open(path, "rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            export = archive.read("export.bin")
        for number, value in fields(memoryview(export)[16:]):
            if number == 8:
                kinds += [content for inner, content in fields(value) if inner == 5]
    return kinds.count(5), len(kinds) - kinds.count(5)


# MARK: Taking back

class Officer:
    """Somebody of the health office, at its page."""

    def __init__(self, port, name):
        self.client = Client(port)
        self.client.get("/sign-in")
        answer = self.client.post("/sign-in", {"name": name, "password": "correct horse battery"}, page="/")
        self.is_in = answer.status == 303

    def act(self, path, **more):
        page = self.client.get("/warnings").text
        found = {name: re.search(rf'name="{name}" value="([^"]*)"', page) for name in ["form", "number"]}
        answer = self.client.post(path, {**{name: match.group(1) for name, match in found.items() if match}, **more})
        return answer.status, html.unescape(answer.text)

    def propose(self, code, reason="The laboratory mixed up two samples"):
        return self.act("/warnings/propose", code=code, reason=reason)

    def confirm(self, number):
        return self.act("/warnings/confirm", proposal=str(number))


def authority(name, *words_):
    """What `vigil-authority warnings` answers, good or not."""
    result = subprocess.run([f"{BIN}/vigil-authority", "warnings", *words_, "--state", f"{FOLDER}/{name}"], capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout + result.stderr


def sentence(name, answer, wanted, good=(200, 0)):
    """A refusal in its own words."""
    SAID.append((wanted, answer[1]))
    return check(f"refused: {name}", answer[0] not in good and wanted in answer[1], "" if wanted in answer[1] else answer)


SAID = []


def take_back_on_page(port, code):
    anna, bert = Officer(port, "anna"), Officer(port, "bert")
    check("two officers sign in", anna.is_in and bert.is_in)
    sentence("a code nobody warned with", anna.propose(fresh_test()), "No warning is known for this code")
    sentence("what is no code", anna.propose("nothing"), "neither the code")
    status, text = anna.propose(code)
    proposed = re.search(r"Proposal (\d+)", text)
    check("one proposes, and is told how many keys, and what devices make of it",
          status == 200 and proposed and "1 public keys" in text and "Vigil devices take their warning back and say so" in text
          and "Another person must confirm" in text, status if proposed else text)
    number = proposed.group(1) if proposed else "1"
    sentence("the same proposal again", bert.propose(code), "proposed already")
    sentence("the same person for the second", anna.confirm(number), "You proposed this yourself")
    status, text = bert.confirm(number)
    check("another one confirms", status == 200 and "Confirmed." in text, status)
    sentence("a proposal that is decided", bert.confirm(number), "There is no such proposal any more")
    sentence("what was taken back before", anna.propose(code), "was taken back before")


def take_back_by_command(number):
    reason = ["--reason", "the hotline took one person for another"]
    sentence("at the console, a number nobody warned with",
             authority("authority", "propose", "--code", hotline(), "--by", "anna", *reason), "no keys are known that came with this code")
    sentence("another report type where types are codes", authority("authority", "propose", "--code", number, "--to", "clinicalDiagnosis", "--by", "anna", *reason),
             "report types are codes for risk levels here")
    status, text = authority("authority", "propose", "--code", number, "--by", "anna", *reason)
    found = re.search(r"proposal (\d+)", text)
    check("one proposes at the console", status == 0 and found and "1 public keys" in text, "" if found else text)
    proposal = found.group(1) if found else "0"
    sentence("the same person, however it is written", authority("authority", "confirm", "--by", "ANNA", proposal), "cannot confirm it; another person must")
    status, text = authority("authority", "confirm", "--by", "bert", proposal)
    check("another one confirms", status == 0 and "confirmed" in text, text if status else "")
    sentence("at the console, what was taken back before", authority("authority", "propose", "--code", number, "--by", "anna", *reason), "was taken back before")


def older_revision():
    """Where report types are published as such, a test never becomes a doctor's opinion."""
    settings = json.loads(read("plain/settings.json"))
    settings["publishing"]["encodeLevels"] = False
    write("plain/settings.json", json.dumps(settings))
    with open(f"{ROOT}/docs/examples/rules/1-cwa-second.json") as file:
        write("plain/risk.json", file.read())
    configuration = read("plain/configuration.json")
    days = json.dumps({str(day): 1 for day in range(-14, 15)})
    write("plain/configuration.json", re.sub(r'("daysSinceOnsetToInfectiousness": )\{[^}]*\}', rf"\1{days}", configuration)
          .replace('"infectiousnessWhenDaysSinceOnsetMissing": 0', '"infectiousnessWhenDaysSinceOnsetMissing": 1'))
    path = write("plain.json", json.dumps({"temporaryExposureKeys": [
        {"key": base64.b64encode(os.urandom(16)).decode(), "rollingStartNumber": met_on() * 144, "rollingPeriod": 144, "transmissionRisk": 6, "reportType": 1,
         "daysSinceOnset": 2}]}))
    run(f"{BIN}/vigil-authority", "accept", "--state", f"{FOLDER}/plain", path)
    run(f"{BIN}/vigil-authority", "publish", "--state", f"{FOLDER}/plain", "--early", "--quiet")
    sentence("an older revision: a test that would become less",
             authority("plain", "propose", "--keys", path, "--to", "clinicalDiagnosis", "--by", "anna", "--reason", "a doctor says so"), "a type moves once")


# MARK: The story

def main():
    left = 86_400 - time.time() % 86_400
    if left < 240:
        print(f"     midnight UTC is near, and everything here has a date: waiting {left:.0f} s")
        time.sleep(left + 2)
    certificates()
    servers()
    other_authority("other", "208-v1")
    other_authority("plain", "999-v1")
    run(f"{BIN}/vigil-authority", "publish", "--state", f"{FOLDER}/other", "--early", "--quiet")
    port = portal("anna", "bert")
    write("profile.json", '{ "name": "meeting", "scan": { "duration": 600, "period": 1300, "spread": 100 } }')
    write("scene.json", json.dumps({"hosts": [{"id": number + 1, "tx": -12, "path": [[0, number % 2, number // 2]]} for number in range(len(BOARDS))]}))
    air("--scenario", f"{FOLDER}/scene.json")
    for name, plugins in BOARDS.items():
        board(name, plugins=plugins, signed_time=False, others={"other": "208-v1"} if name == "both" else None, more=("--profile", f"{FOLDER}/profile.json"))
    if not check("four boards are on air", until(lambda: all(state(name)["core"]["state"] == "running" for name in BOARDS), 90)):
        return
    meeting({name: met_on() * 86400 + 43_200 for name in BOARDS}, MINUTES)
    for name in BOARDS:
        ctl(name, "time", "set", str(int(time.time())))
    number = hotline()
    ctl("phone", "tests", "enter", number)
    code = warn_on_page()
    warn_by_phone()
    check("both have warned", until(lambda: all(tests(name)[0].get("warning") == "sent" for name in ["page", "phone"]), 90))
    hand_in(300)
    check("their keys of that day are public", until(lambda: len(real_keys()) == 2, 60), len(real_keys()))
    shared, keys = share("other")
    check("the other authority publishes them, too", shared == 2, shared)
    for name in ["met", "both"]:
        wait_for_turn(name)
        call(name, "org.vigil.sync1.SyncNow")
    for name in ["met", "both"]:
        check(f"{name}: whoever was in the room is told of an increased risk", until(lambda: risk(name)["state"] == "increased", 60), risk(name)["sentence"])
    check("both: everything of both sources is compared", until(lambda: all("lastSuccess" in source for source in syncs("both")["sources"]), 60))
    reader = wearer("met")
    check("met: its light says that there is something to read", until(lambda: has_news("met"), 20))
    check("met: its page says so", reader is not None and says(reader.get("/").text, "today.word.increased"))
    for name in ["met", "both"]:
        call(name, "org.vigil.risk1.Acknowledge")
    check("met: once it was read, the light is quiet", until(lambda: not has_news("met"), 20))

    take_back_on_page(port, code)
    take_back_by_command(number)
    older_revision()
    mixed = [(wanted, text) for wanted, _ in SAID for other, text in SAID if other != wanted and wanted in text]
    check("none of these sentences says another's", not mixed, mixed or len({wanted for wanted, _ in SAID}))
    check("revised keys are public, and nothing else is said of any key", until(lambda: revised()[0] >= 2, 60) and not revised()[1], revised())

    before = syncs("both")["sources"]
    for name in ["met", "both"]:
        wait_for_turn(name)
        call(name, "org.vigil.sync1.SyncNow")
    check("met: with the next synchronisation its risk is low", until(lambda: risk("met")["state"] == "low", 60), risk("met")["sentence"])
    told = risk("met")
    day = met_on()
    check("met: which is news, and says which day's warning was taken back", told["news"] and [entry["day"] for entry in told["takenBack"]] == [day], told["takenBack"])
    check("met: the sentence says what happened", "taken back a warning" in told["sentence"] and time.strftime("%Y-%m-%d", time.gmtime(day * 86400)) in told["sentence"],
          told["sentence"])
    check("met: the light says that there is something to read", until(lambda: has_news("met"), 20))
    page = reader.get("/").text
    check("met: the page says it, and what follows", says(page, "today.taken-back") and says(page, "today.taken-back-advice") and says(page, "today.word.low"))
    check("met: its history has it", says(reader.get("/history").text, "history.taken-back"))
    shown = " ".join(ctl("met", "risk").split())
    check("met: and the console", "Taken back: the warning for" in shown and "no longer applies" in shown, "" if "Taken back" in shown else shown)
    call("met", "org.vigil.risk1.Acknowledge")
    check("met: said once", until(lambda: not has_news("met"), 20) and not risk("met")["news"] and len(risk("met")["takenBack"]) == 1)
    check("both: has compared the same packages", until(lambda: not syncs("both")["running"] and all(
        new["lastSuccess"] > old["lastSuccess"] for old, new in zip(before, syncs("both")["sources"])), 60))
    still = risk("both")
    check("both: the other authority's warning about the same keys stands, and nothing is news", still["state"] == "increased" and not still["news"], still["sentence"])
    other = authority("other", "propose", "--keys", keys, "--by", "anna", "--reason", "as the first authority did")
    check("the other authority could take back its own", other[0] == 0 and "2 public keys" in other[1], other[1] if other[0] else "")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
