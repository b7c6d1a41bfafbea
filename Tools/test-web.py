#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The local page of whole boards, as its users and its enemies meet it: every story and every page in a real Chromium, in each language, on a
phone and on a desk, by mouse and by keyboard only, with and without scripts, judged by axe; the REST interface by schemathesis, in every
role; attacks, each of which must gain nothing and must not make the beacon late; how big and how quick it is.

Usage: test-web.py FOLDER-WITH-EXECUTABLES [--share] [--only walk|api|attacks|speed|pictures]… [--pictures FOLDER]
By test-web.sh, which fetches what it needs. Needs root, chromium, chromium-driver, mosquitto, nginx, openssl.
"""
import argparse
import base64
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("bin", nargs="?", default=".build/release")
arguments.add_argument("--share", action="store_true", help="what fits into CI")
arguments.add_argument("--only", action="append", choices=["walk", "api", "attacks", "speed", "pictures"])
arguments.add_argument("--pictures", help="keeps a picture of each page here")
options = arguments.parse_args()

from boardkit import FOLDER, ROOT, air, call, check, perform, state, until, write  # noqa: E402
from serverkit import PAGES, board, certificates, dinner, fresh_test, hand_in, laboratory, page_of, rules, secret_of, servers, wait_for_turn  # noqa: E402

sys.path.insert(0, f"{ROOT}/Tests/System/Browser")
from browser import Browser  # noqa: E402
from intruder import Client  # noqa: E402
from stories import Walk  # noqa: E402
from webattacks import attacks, introduce, on_purpose  # noqa: E402

PARTS = options.only or ["walk", "api", "attacks", "speed"]
LANGUAGES = ["en", "de", "fr", "de-simple"]
BOARDS = {}


def venue_code(name, address):
    """A code of the Corona-Warn-App for a restaurant, made without anything of ours (its protocol buffers; each part has less than 128 bytes)."""
    def part(number, value):
        return bytes([number << 3, value]) if isinstance(value, int) else bytes([number << 3 | 2, len(value)]) + value
    payload = part(1, 1) + part(2, part(1, 1) + part(2, name.encode()) + part(3, address.encode())) \
        + part(3, part(1, 1) + part(2, b"key") + part(3, bytes(range(16)))) + part(4, part(1, 1) + part(2, 4) + part(3, 90))
    return "https://e.coronawarn.app?v=1#" + base64.urlsafe_b64encode(payload).decode().rstrip("=")


def start_board(name, rehearsal=300, more=()):
    board(name, plugins=("sync", "wake", "diagnosis", "venue", "webui"), rehearsal=rehearsal, more=more)
    good = until(lambda: state(name)["wake"]["state"] == "running", 40)
    BOARDS[name] = {role: secret_of(name, role) for role in ["wearer", "technicianReadOnly", "technician"]}
    return good


def sync(name):
    call(name, "org.vigil.sync1.SyncNow")
    return until(lambda: "lastSuccess" in call(name, "org.vigil.sync1.GetFreshness")["freshness"]["sources"][0], 240)


# MARK: Stories

def texts(language):
    lines = {}
    with open(f"{ROOT}/Plugins/WebUI/texts/{language}.txt", encoding="utf-8") as file:
        for line in file:
            name, sign, text = line.partition(" = ")
            if sign and not line.startswith("#"):
                lines[name] = text.strip()
    return lines


def walk(name, language, width, keys, scripts=True, dark=False, first=False, technical=True):
    """All stories of the wearer and all pages of the technician, once."""
    label = f"{language}, {width} px, {'keyboard' if keys else 'mouse'}{'' if scripts else ', no scripts'}{', dark' if dark else ''}"
    began = time.monotonic()
    secrets = BOARDS[name]
    browser = Browser(page_of(name), width=width, language=language.split("-")[0], keys=keys, scripts=scripts, dark=dark)
    pictures = f"{options.pictures}/{language}-{width}{'-dark' if dark else ''}" if options.pictures else None
    one = Walk(browser, language.split("-")[0] if first or language == "de-simple" else language, pictures)
    try:
        one.sign_in("wearer", secrets["wearer"])
        one.language = language
        if browser.path.startswith("/welcome"):
            one.first_start()
        one.choose_language()
        one.reading()
        one.switches()
        one.visits(venue_code("Café Linde", "Lindenweg 4"))
        one.test_and_warning(fresh_test(), lambda code: laboratory(code, "positive"))
        secrets["wearer"] = one.own_secret(secrets["wearer"])
        if not technical:
            return
        one.sign_out()
        one.sign_in("technicianReadOnly", secrets["technicianReadOnly"])
        one.technician_looks(False)
        one.sign_out()
        one.sign_in("technician", secrets["technician"])
        one.technician_looks(True)
        one.technician_changes(secrets["technician"])
        if first:
            one.browser.open("/sign-in")
            one.sign_in("wearer", secrets["wearer"])
            one.choose_language()
            one.reset(texts(language)["reset.word"])
    except Exception as error:  # noqa: BLE001 - whatever stops a person is what is to be told
        one.problems.append(f"{browser.path}: {type(error).__name__}: {str(error)[:300]}")
        if options.pictures:
            browser.shot(f"{options.pictures}/stopped-{language}-{width}.png")
    finally:
        browser.close()
        # What was changed, and what it ended with.
        BOARDS[name] = {role: secret_of(name, role) for role in secrets}
        for problem in one.problems:
            print(f"     {problem}")
        check(f"{label}: {len(one.seen)} pages and states in {time.monotonic() - began:.0f} s", not one.problems, f"{len(one.problems)} problems")


def walks():
    ways = [(language, width, keys) for language in LANGUAGES for width in (360, 1280) for keys in (False, True)]
    if options.share:
        ways = [("en", 360, False), ("de-simple", 1280, True)]
    for number, (language, width, keys) in enumerate(ways):
        walk("home", language, width, keys, dark=number % 3 == 2, first=number == len(ways) - 1 and not options.share,
             technical=not (options.share and keys))
    # Whoever was just reset takes no part: in the next walk the wearer agrees anew, and Sync looks at once.
    walk("home", "de", 360, False, scripts=False, technical=not options.share)
    visitor()


def visitor():
    """At a door: a place has no personal pages."""
    call("door", "org.vigil.device1.SetRole", {"role": "place"})
    # An event begins, and a code is shown, by a clock that is known.
    call("door", "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)})
    for language in LANGUAGES[:3]:
        browser = Browser(page_of("door"), language=language)
        one = Walk(browser, language, f"{options.pictures}/{language}-door" if options.pictures else None)
        try:
            browser.open("/")
            one.look("place")
            for path in ["/help", "/terms", "/privacy", "/imprint", "/hotlines"]:
                one.go(path, "place")
            for path in ["/why", "/history", "/tests", "/data", "/settings", "/reset"]:
                browser.open(path)
                one.expect(f"{path} is not for visitors", browser.path.split("?")[0] != path or not browser.has("main form"))
        finally:
            browser.close()
        for problem in one.problems:
            print(f"     {problem}")
        check(f"a visitor at a door, {language}: {len(one.seen)} pages", not one.problems)
    for number, language in enumerate(LANGUAGES):
        host(language, 1280 if number % 2 else 360, keys=number % 2 == 1, scripts=number != 2, dark=number == 3)


def host(language, width, keys, scripts, dark):
    """Whoever has the place at the door: from a description to a poster and a screen."""
    browser = Browser(page_of("door"), width=width, language=language.split("-")[0], keys=keys, scripts=scripts, dark=dark)
    one = Walk(browser, language.split("-")[0], f"{options.pictures}/{language}-host" if options.pictures else None)
    try:
        one.sign_in("technician", secret_of("door", "technician"))
        browser.open(f"/tech/places?language={language}")
        one.host()
        browser.open("/screen")
        one.screen()
    finally:
        browser.close()
    for problem in one.problems:
        print(f"     {problem}")
    check(f"a host, {language}: {len(one.seen)} pages", not one.problems)


# Who sees it, its path, the name of its picture.
SHOWN = [("wearer", "/", "today"), ("wearer", "/why", "why"), ("wearer", "/history", "history"), ("wearer", "/tests", "tests"),
         ("technician", "/tech", "technician"), ("technician", "/tech/radio", "radio"), ("technician", "/tech/plugins/sync", "plugin")]


def pictures():
    """docs/images/web, of today: phone and desk, light and dark."""
    folder = options.pictures or f"{ROOT}/docs/images/web"
    taken = 0
    for width, dark in [(360, False), (360, True), (1280, False), (1280, True)]:
        browser = Browser(page_of("home"), width=width, dark=dark)
        one = Walk(browser, "en")
        try:
            for role in ["wearer", "technician"]:
                one.sign_in(role, BOARDS["home"][role])
                if browser.path.startswith("/welcome"):
                    one.first_start()
                for who, path, name in SHOWN:
                    if who == role:
                        browser.open(path)
                        browser.shot(f"{folder}/{name}-{'phone' if width < 600 else 'desk'}-{'dark' if dark else 'light'}.webp", most=1600)
                        taken += 1
                one.sign_out()
        finally:
            browser.close()
    check("pictures are taken", taken == 4 * len(SHOWN), f"{taken} in {os.path.relpath(folder, ROOT)}")


# MARK: REST

def sessions(name):
    """A session of each role, and none."""
    found = {"nobody": None}
    for role, secret in BOARDS[name].items():
        client = Client(PAGES[name])
        client.get("/sign-in")
        client.sign_in(role, secret)
        found[role] = client.session
    return found


def api():
    base = page_of("lab")
    total = 0
    document = json.loads(Client(PAGES["lab"]).get("/api/v1/openapi.json").text)
    operations = sum(len([key for key in path if key in ("get", "put", "post", "patch", "delete")]) for path in document["paths"].values())
    check("the description is OpenAPI 3.1", document["openapi"].startswith("3.1"), f"{operations} operations")
    for role in ["nobody", "technicianReadOnly", "wearer", "technician"]:
        session = sessions("lab")[role]
        examples = 12 if options.share else 110
        words = [os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run", f"{base}/api/v1/openapi.json", "--max-examples", str(examples),
                 "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance",
                 "--phases", "examples,coverage,fuzzing", "--no-color", "--seed", "8", "--request-timeout", "30", "--continue-on-failure"]
        if session:
            words += ["--header", f"Authorization: Bearer {session}"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=1800, cwd=FOLDER)
        found = re.search(r"([\d,]+) generated", result.stdout)
        count = int(found.group(1).replace(",", "")) if found else 0
        total += count
        if not check(f"schemathesis as {role}: {count} cases, no failure", result.returncode == 0 and count > 0):
            print("     " + (result.stdout[-6000:] + result.stderr[-500:]).replace("\n", "\n     "))
        if session:
            held = Client(PAGES["lab"]).get("/api/v1/status", headers={"Authorization": f"Bearer {session}"}).status
            check("and its session held to the end, so that it was asked as who it is", held == 200, held)
        # What it may have set: the time, sessions that were ended.
        call("lab", "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)})
        BOARDS["lab"] = {name: secret_of("lab", name) for name in ["wearer", "technicianReadOnly", "technician"]}
    on_purpose(PAGES["lab"], BOARDS["lab"]["technician"])
    call("lab", "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)})
    BOARDS["lab"] = {name: secret_of("lab", name) for name in ["wearer", "technicianReadOnly", "technician"]}
    check("cases in all", total >= (400 if options.share else 10_000), total)
    check("the core was never restarted", state("lab")["core"]["restarts"] == 0)


# MARK: Figures

def work(name, process):
    """Seconds of the processor that a process has used, with its threads; 0 while it does not run."""
    pid = state(name)[process].get("pid")
    if not pid:
        return 0
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def speed():
    name, port = "lab", PAGES["lab"]
    resting = lambda: "pid" not in state(name)["webui"]  # noqa: E731
    check("the page's program rests when nobody looks", until(resting, 100, 0.5), state(name)["webui"]["state"])
    client = Client(port)
    cold = []
    for round_ in range(3):
        moment = time.monotonic()
        answer = client.get("/sign-in")
        cold.append((time.monotonic() - moment) * 1000)
        if round_ < 2:
            until(resting, 100, 0.5)
    weight = len(answer.text.encode()) + sum(len(client.get(path).text.encode()) for path in re.findall(r'(?:href|src)="(/[a-z.]+\.(?:css|js))', answer.text))
    client.sign_in("wearer", BOARDS[name]["wearer"])
    introduce(client)
    warm, today = [], None
    for _ in range(100):
        moment = time.monotonic()
        today = client.get("/")
        warm.append((time.monotonic() - moment) * 1000)
    warm.sort()
    whole = len(today.text.encode()) + sum(len(client.get(path).text.encode()) for path in re.findall(r'(?:href|src)="(/[a-z.]+\.(?:css|js))', today.text))
    print(f"     first page {weight} bytes with style and script, today's page {whole}; cold start to page {min(cold):.0f}, {sorted(cold)[1]:.0f}, {max(cold):.0f} ms;"
          f" warm median {warm[50]:.1f}, p95 {warm[95]:.1f} ms")
    check("the first page is at most 60 kB", max(weight, whole) <= 60_000 and today.status == 200, max(weight, whole))
    end = time.monotonic() + (5 if options.share else 20)

    def many(_):
        import http.client
        count, link = 0, http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        cookies = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        while time.monotonic() < end:
            link.request("GET", "/", headers={"Cookie": cookies})
            answer_ = link.getresponse()
            answer_.read()
            count += answer_.status == 200
        return count

    before, worked = time.monotonic(), {process: work(name, process) for process in ["webui", "core", "sync", "diagnosis"]}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        count = sum(pool.map(many, range(8)))
    seconds = time.monotonic() - before
    # What a page costs does not depend on who else is busy on the machine; how many there are a second does.
    cost = {process: (work(name, process) - known) * 1000 / max(1, count) for process, known in worked.items()}
    print(f"     today's page, 8 callers at once: {count / seconds:.0f} a second; processor time of a page: "
          + ", ".join(f"{process} {spent:.2f}" for process, spent in cost.items()) + " ms")
    check("200 pages a second fit one processor", count > 0 and sum(cost.values()) <= 5, f"{sum(cost.values()):.2f} ms each")
    from boardkit import pss
    print(f"     PSS of the page's program: {pss(state(name)['webui']['pid']) / 1024:.1f} MiB")


def main():
    certificates()
    servers()
    air()
    rules("1-cwa-second", 2)
    wants_home = {"walk", "attacks", "pictures"} & set(PARTS)
    if wants_home:
        met = dinner("home")
        # Scans follow each other, so that some are under way during each attack; a token's come every few minutes.
        profile = write("profile.json", '{ "name": "watched", "scan": { "duration": 600, "period": 2600, "spread": 100 } }')
        check("a board with a page comes up", start_board("home", more=("--profile", profile) if "attacks" in PARTS else ()))
        check("it syncs", sync("home"))
        wait_for_turn("home")
        hand_in(300, met)
        check("its wearer's risk is increased", until(lambda: call("home", "org.vigil.risk1.GetRisk")["risk"]["state"] == "increased", 40))
    if {"api", "speed"} & set(PARTS):
        check("a second board comes up", start_board("lab"))
    if {"walk", "pictures"} & set(PARTS):
        check("a third for a door", start_board("door"))
    for part, perform_part in [("pictures", pictures), ("walk", walks), ("api", api), ("attacks", lambda: attacks("home", BOARDS["home"])), ("speed", speed)]:
        if part in PARTS:
            print(f"--- {part}", flush=True)
            perform_part()


if __name__ == "__main__":
    perform(main)
