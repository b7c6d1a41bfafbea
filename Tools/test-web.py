#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The local page of whole boards, as its users and its enemies meet it: every story and every page in a real Chromium, in each language, on a
phone and on a desk, by mouse and by keyboard only, with and without scripts, judged by axe; the REST interface by schemathesis, in every
role; attacks, each of which must gain nothing and must not make the beacon late; how big and how quick it is.

Usage: test-web.py FOLDER-WITH-EXECUTABLES [--share] [--only walk|api|attacks|speed|pictures]… [--pictures FOLDER]
By test-web.sh, which fetches what it needs. Needs root, chromium, chromium-driver, mosquitto, nginx, openssl.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import threading
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("bin", nargs="?", default=".build/release")
arguments.add_argument("--share", action="store_true", help="what fits into CI")
arguments.add_argument("--only", action="append", choices=["walk", "api", "attacks", "speed", "pictures"])
arguments.add_argument("--pictures", help="keeps a picture of each page here")
options = arguments.parse_args()

from boardkit import BIN, FOLDER, ROOT, air, call, check, perform, run, state, until  # noqa: E402
from serverkit import (PAGES, board, certificates, dinner, fresh_test, hand_in, laboratory, page_of, rules, secret_of, servers,  # noqa: E402
                       wait_for_turn)

sys.path.insert(0, f"{ROOT}/Tests/Browser")
from browser import Browser  # noqa: E402
from intruder import MARKUP, Client, Crowd, raw, status  # noqa: E402
from stories import Walk  # noqa: E402

PARTS = options.only or ["walk", "api", "attacks", "speed"]
LANGUAGES = ["en", "de", "fr", "de-simple"]
BOARDS = {}


def start_board(name, rehearsal=300):
    board(name, plugins=("sync", "wake", "diagnosis", "webui"), rehearsal=rehearsal)
    good = until(lambda: state(name)["wake"]["state"] == "running", 40)
    BOARDS[name] = {role: secret_of(name, role) for role in ["wearer", "viewer", "keeper"]}
    return good


def sync(name):
    call(name, "org.vigil.sync1.SyncNow")
    return until(lambda: "lastSuccess" in call(name, "org.vigil.sync1.GetFreshness")["freshness"]["sources"][0], 40)


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
        one.test_and_warning(fresh_test(), lambda code: laboratory(code, "positive"))
        secrets["wearer"] = one.own_secret(secrets["wearer"])
        if not technical:
            return
        one.sign_out()
        one.sign_in("viewer", secrets["viewer"])
        one.technician_looks(False)
        one.sign_out()
        one.sign_in("keeper", secrets["keeper"])
        one.technician_looks(True)
        one.technician_changes(secrets["keeper"])
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
    walk("home", "de", 360, False, scripts=False, technical=not options.share)
    visitor()


def visitor():
    """At a door: a place has no personal pages."""
    call("door", "org.vigil.device1.SetRole", {"role": "place"})
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


# Who sees it, its path, the name of its picture.
SHOWN = [("wearer", "/", "today"), ("wearer", "/why", "why"), ("wearer", "/history", "history"), ("wearer", "/tests", "tests"),
         ("keeper", "/tech", "technician"), ("keeper", "/tech/radio", "radio"), ("keeper", "/tech/plugins/sync", "plugin")]


def pictures():
    """docs/images/web, of today: phone and desk, light and dark."""
    folder = options.pictures or f"{ROOT}/docs/images/web"
    taken = 0
    for width, dark in [(360, False), (360, True), (1280, False), (1280, True)]:
        browser = Browser(page_of("home"), width=width, dark=dark)
        one = Walk(browser, "en")
        try:
            for role in ["wearer", "keeper"]:
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
    for role in ["nobody", "viewer", "wearer", "keeper"]:
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
        BOARDS["lab"] = {name: secret_of("lab", name) for name in ["wearer", "viewer", "keeper"]}
    on_purpose(PAGES["lab"], BOARDS["lab"]["keeper"])
    call("lab", "org.vigil.device1.SetTime", {"now": int(time.time() * 1000)})
    BOARDS["lab"] = {name: secret_of("lab", name) for name in ["wearer", "viewer", "keeper"]}
    check("cases in all", total >= (400 if options.share else 10_000), total)
    check("the core was never restarted", state("lab")["core"]["restarts"] == 0)


def on_purpose(port, secret):
    """What a keeper can break by asking for it: answers, never silence."""
    keeper = Client(port)
    keeper.get("/sign-in")
    keeper.sign_in("keeper", secret)
    script = Client(port)

    def ask(method, path, body=None):
        answer_ = script.ask(method, f"/api/v1{path}", None if body is None else json.dumps(body).encode(),
                             {"Authorization": f"Bearer {keeper.session}"} | ({} if body is None else {"Content-Type": "application/json"}))
        return answer_.status, json.loads(answer_.text) if answer_.text else {}

    number, problem = ask("PUT", "/plugins/webui/enabled", {"enabled": False})
    check("the page does not disable itself, and says how it is done", number == 409 and "vigil plugin disable" in problem.get("detail", ""), f"{number} {problem.get('code', '')}")
    answer = keeper.post("/tech/plugins/webui", {"act": "disablePlugin"})
    check("nor by its form", answer.status == 422 and "vigil plugin disable" in answer.text, answer.status)
    time.sleep(2)
    check("it is there as before", keeper.get("/tech/plugins").status == 200 and state("lab")["webui"].get("state") != "disabled")
    check("another plugin is disabled", ask("PUT", "/plugins/wake/enabled", {"enabled": False})[0] == 204
          and until(lambda: state("lab")["wake"]["state"] == "disabled", 20))
    check("what is off is not restarted", ask("POST", "/plugins/wake/restart")[0] == 409)
    check("and enabled again", ask("PUT", "/plugins/wake/enabled", {"enabled": True})[0] == 204
          and until(lambda: state("lab")["wake"]["state"] != "disabled", 20))
    for name, moment, wanted in [("2040", 2_208_988_800_000, (200, 422)), ("1970", 0, (422,)), ("the end of numbers", (1 << 63) - 1, (422,)),
                                 ("before all numbers", -(1 << 63), (422,))]:
        number, problem = ask("PUT", "/time", {"now": moment})
        check(f"the time set to {name} is answered", number in wanted, f"{number} {problem.get('code', '')}")
    for since in (-(1 << 63), 0, (1 << 63) - 1):
        for path in ("/evidence?since=", "/audit?after=", "/log?after="):
            number, problem = ask("GET", f"{path}{since}")
            check(f"GET {path}{since} is answered", number in (200, 422), f"{number} {problem.get('code', '')}")
    made = [ask("POST", "/tokens", {"name": f"token {index}", "role": "viewer"}) for index in range(17)]
    check("16 tokens are made and no more", [number for number, _ in made] == [201] * 16 + [422] and "16" in made[16][1].get("detail", ""), made[16][0])
    for index in range(16):
        number, problem = ask("DELETE", f"/tokens/token%20{index}")
        check(f"token {index} is taken back", number == 204, f"{number} {problem.get('code', '')}")
    number, problem = ask("POST", "/reboot")
    check("a board that may not be restarted says so", number == 409, f"{number} {problem.get('code', '')}")
    for wanted, good in [("short", False), ("a secret that is long enough", True)]:
        answer = keeper.post("/tech/access", {"act": "changeSecret", "role": "keeper", "present": secret, "wanted": wanted})
        check(f"a secret changed to one that is {'fit' if good else 'too short'} is answered", answer.status == (200 if good else 422), answer.status)
    check("which ends what was open", keeper.get("/tech").status == 303)


# MARK: Attacks

def introduce(wearer):
    """Agrees to what a wearer is asked first."""
    if wearer.get("/").status == 303:
        wearer.post("/welcome", {"act": "agree", "terms": "yes", "beacon": "yes"}, page="/welcome?step=4")
    check("the wearer sees today's page", wearer.get("/").status == 200)


def radio(name):
    return call(name, "org.vigil.device1.GetRadio")["radio"]


def attacks():
    port = PAGES["home"]
    page_of("home")
    secrets = BOARDS["home"]
    client = Client(port)
    client.get("/sign-in")
    check("somebody signs in", client.sign_in("keeper", secrets["keeper"]).status == 303 and client.session)
    wearer = Client(port)
    wearer.get("/sign-in")
    wearer.sign_in("wearer", secrets["wearer"])
    introduce(wearer)
    enabled = lambda: call("home", "org.vigil.exposure1.GetStatus")["status"]["enabled"]  # noqa: E731
    off = {"act": "disable"}

    # 1. From other sites.
    token = wearer.token("/settings/off")
    check("the page that switches it off has a form", len(token) >= 32)
    for name, origin in [("another site's", "https://evil.example"), ("an unnamed", "null"), ("another port's", f"http://127.0.0.1:{port + 1}"),
                         ("a lookalike", f"http://127.0.0.1:{port}.evil.example"), ("no", None)]:
        answer = wearer.post("/settings/off", dict(off, form=token), origin=origin)
        check(f"a form with {name} origin is refused", answer.status == 403 and enabled(), answer.status)
    answer = wearer.ask("POST", "/settings/off", b"", {"Sec-Fetch-Site": "same-site", "Content-Type": "application/x-www-form-urlencoded"})
    check("a form of a neighbouring site is refused", answer.status == 403 and enabled(), answer.status)
    for name, wrong in [("no", ""), ("another person's", client.token("/tech/sync")), ("a made-up", "0" * 64), ("a shortened", token[:-1])]:
        answer = wearer.post("/settings/off", dict(off, form=wrong))
        check(f"a form with {name} token is refused", answer.status == 403 and enabled(), answer.status)
    answer = wearer.ask("POST", "/api/v1/sync/now", b"", {"Origin": f"http://127.0.0.1:{port}"})
    check("the interface wants the token with a cookie, too", answer.status in (401, 403), answer.status)
    answer = wearer.ask("POST", "/settings/off", json.dumps(off).encode(), {"Content-Type": "text/plain", "Origin": f"http://127.0.0.1:{port}"})
    check("a form in disguise is refused", answer.status in (403, 415) and enabled(), answer.status)

    # 2. By other names.
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "[::ffff:1.2.3.4]", "", "localhost:1", "127.0.0.1:99999999", "a" * 300]:
        answer = Client(port).get("/", host=host)
        check(f"Host {host[:30]!r} is refused", answer.status in (400, 421), answer.status)
    answer = raw(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode())
    check("two hosts are refused", status(answer) in (400, 421), status(answer))

    # 3. Sessions.
    fixed = Client(port)
    fixed.get("/sign-in")
    fixed.cookies.update({"vigil-session": "a" * 64, "__Host-vigil-session": "b" * 64})
    fixed.sign_in("viewer", secrets["viewer"])
    # A browser that takes protected cookies gets nothing else, and of what it has only these count.
    planter, given = Client(port), fixed.cookies["__Host-vigil-session"]
    check("a session that was planted is not taken over", given != "b" * 64 and fixed.get("/tech").status == 200)
    for value in ("a" * 64, "b" * 64):
        planter.cookies = {"vigil-session": value, "__Host-vigil-session": value}
        check("and opens nothing for who planted it", planter.get("/tech").status in (303, 401))
    old = dict(client.cookies)
    client.post("/sign-out", {"act": "signOut"}, page="/tech/sync")
    client.cookies = old
    check("after signing out the old cookie opens nothing", client.get("/tech").status in (303, 401), client.get("/tech").status)
    client = Client(port)
    client.get("/sign-in")
    client.sign_in("keeper", secrets["keeper"])

    # 4. Roles.
    viewer = Client(port)
    viewer.get("/sign-in")
    viewer.sign_in("viewer", secrets["viewer"])
    for who, name, paths in [(viewer, "a viewer", ["/why", "/tests", "/data.json", "/settings", "/history"]),
                             (client, "a keeper", ["/why", "/tests", "/data.json", "/settings", "/api/v1/risk", "/api/v1/tests"]),
                             (wearer, "a wearer", ["/tech", "/tech/log", "/tech/plugins/sync", "/api/v1/log", "/api/v1/processes", "/metrics"]),
                             (Client(port), "nobody", ["/why", "/tech", "/data.json", "/api/v1/risk", "/api/v1/log", "/metrics", "/events"])]:
        got = {path: who.get(path).status for path in paths}
        check(f"{name} does not get what is others'", all(number in (303, 401, 403, 404) for number in got.values()), got)
    for act, path, more in [("syncNow", "/tech/sync", {}), ("setTime", "/tech/time", {"date": "2040-01-01", "time": "00:00"}),
                            ("restartPlugin", "/tech/plugins/sync", {}), ("makeToken", "/tech/access", {"name": "x", "role": "keeper"}),
                            ("reboot", "/tech/reboot", {}), ("changeSecret", "/tech/access", {"role": "keeper", "present": secrets["viewer"], "wanted": ""})]:
        for who, name in [(viewer, "viewer"), (wearer, "wearer")]:
            page = "/sign-in" if who is wearer else "/tech"
            # Its token is theirs: it is the role that is in the way.
            answer = who.post(path, dict(more, act=act, form=who.token(page) or "none"))
            check(f"a {name} has a token for {act}", len(who.token(page)) >= 32)
            check(f"{act} is not for a {name}", answer.status in (303, 401, 403, 404) and answer.getheader("Location") in (None, "/sign-in", "/"), answer.status)
    check("the time is what it was", abs(call("home", "org.vigil.device1.GetTime")["time"]["now"] / 1000 - time.time()) < 120)
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT", "PROPFIND", "get", "G" * 300]:
        number = status(raw(port, f"{method} /tech HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()))
        check(f"{method[:10]} of a page is refused", number in (400, 405, 501) or number == 0, number)
    tokens = {}
    for role in ["viewer", "keeper"]:
        answer = client.post("/tech/access", {"act": "makeToken", "name": f"probe {role}", "role": role})
        found = re.search(r'class="secret">([0-9a-f]{64})<', answer.text)
        tokens[role] = found.group(1) if found else ""
    bearer = lambda role: {"Authorization": f"Bearer {tokens[role]}"}  # noqa: E731
    script = Client(port)
    check("a token reads", script.get("/api/v1/processes", headers=bearer("viewer")).status == 200)
    metrics = script.get("/metrics", headers=bearer("viewer"))
    check("and gets metrics", metrics.status == 200 and "vigil_" in metrics.text, metrics.status)
    check("a viewer's token changes nothing", script.ask("POST", "/api/v1/sync/now", b"", bearer("viewer")).status == 403)
    check("a keeper's does", script.ask("POST", "/api/v1/sync/now", b"", bearer("keeper")).status in (200, 202, 204))

    # 5. Heads and paths.
    for path in ["/%0d%0aX-Injected:%201", "/why?day=%0d%0aSet-Cookie:%20a=b", "/tech/plugins/%0d%0aX-Injected:1", "/sign-in?next=//evil.example",
                 "/welcome?language=%0d%0aX-Injected:1"]:
        answer = wearer.get(path)
        heads = str(answer.headers)
        check(f"{path[:34]} adds no head", "Injected" not in heads and "evil.example" not in heads and "a=b" not in heads, answer.status)
    for path in ["/../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/texts/en.txt", "/plugin.json", "/style.css/../../plugin.json",
                 "//etc/passwd", "/tech/plugins/..%2f..%2fcore", "/tech/plugins/%2e%2e", "/\\..\\..\\etc\\passwd", "/style.css%00.html", "/.git/config"]:
        number, text = 0, b""
        answer = raw(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        number, text = status(answer), answer
        check(f"{path[:34]} leads nowhere", number in (303, 400, 404) and b"root:" not in text and b'"wants"' not in text, number)

    # 6. Markup in every field, by way of the page and past it.
    browser = Browser(page_of("home"))
    try:
        shown = Walk(browser, "en")
        shown.sign_in("keeper", secrets["keeper"])
        answer = client.post("/tech/plugins/webui", {"act": "setSettings", "set.title": MARKUP[:60], "title": MARKUP[:60]})
        client.post("/tech/access", {"act": "makeToken", "name": MARKUP, "role": "viewer"})
        client.post("/tech/network", {"act": "applyNetwork", "interface": MARKUP, "method": "manual", "addresses": MARKUP, "gateway": MARKUP, "nameServers": MARKUP})
        client.post("/tech/time", {"act": "setTime", "date": MARKUP, "time": MARKUP})
        wearer.post("/tests", {"act": "enterCode", "code": MARKUP})
        wearer.post("/tests", {"act": "enterTeleTAN", "typed": MARKUP})
        wearer.post("/settings", {"act": "setLanguage", "language": MARKUP})
        Client(port).get("/" + MARKUP.replace(" ", "%20"))
        places = Walk.TECHNICAL + ["/tech/log?process=" + "%22%3E%3Cscript%3Ewindow.owned=1%3C/script%3E", "/tech/log?level=%22%3E%3Cimg%20src=x%20onerror=window.owned=1%3E",
                                   "/tech/plugins/%3Cscript%3Ewindow.owned=1%3C%2Fscript%3E", "/why?day=%3Cscript%3E", "/nowhere%3Cscript%3Ewindow.owned=1%3C/script%3E"]
        owned = []
        for path in places:
            browser.open(path)
            if browser.evaluate("!!window.owned || !!document.querySelector('main script, main img[onerror], head script:not([src])')"):
                owned.append(path)
        check(f"markup stays text on {len(places)} pages", not owned, owned)
        reflected = [path for path in places if '<script>window' in client.get(path.replace(" ", "%20")).text]
        check("and in what is sent", not reflected, reflected)
    finally:
        browser.close()
    heads = Client(port).get("/sign-in").headers
    policy = heads.get("Content-Security-Policy", "")
    check("every head is there", all(name in heads for name in ["X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy", "Cross-Origin-Opener-Policy",
                                                                 "Cross-Origin-Resource-Policy", "Cache-Control"])
          and "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy)

    # 7. What is too much: with the beacon watched.
    before = radio("home")
    began = time.monotonic()
    crowd = Crowd(port, 2000)
    time.sleep(3)
    late = []
    for _ in range(10):
        moment = time.monotonic()
        try:
            number = wearer.get("/", seconds=10).status
        except OSError:
            number = 0
        late.append((number, time.monotonic() - moment))
        time.sleep(0.3)
    crowd.end()
    answered = [seconds for number, seconds in late if number == 200]
    print(f"     {len(crowd.links)} slow connections: {len(answered)} of 10 pages answered, worst {max(answered, default=float('nan')) * 1000:.0f} ms")
    check("a person is answered all the same", len(answered) >= 5, f"{len(answered)} of 10")
    check("afterwards people are answered again", until(lambda: wearer.get("/").status == 200, 30))
    answer = raw(port, f"POST /tests HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
                 "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 104857600\r\n\r\n".encode()
                 + bytes(1 << 20), 20)
    check("100 MB are refused before they come", status(answer) == 413, status(answer))
    answer = raw(port, f"POST /tests HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
                 "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + (b"10000\r\n" + bytes(65536) + b"\r\n") * 20, 20)
    check("nor in pieces", status(answer) in (0, 400, 411, 413), status(answer))
    for size in (20_000, 1_000_000):
        answer = raw(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Long: ".encode() + b"a" * size + b"\r\n\r\n", 10)
        check(f"a head of {size} bytes is refused", status(answer) in (0, 400, 413, 414, 431), status(answer))
    def noise(_):
        number_ = -1
        with contextlib.suppress(OSError):
            number_ = status(raw(port, random.randbytes(random.randrange(1, 2000)), 2))
        return number_

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        said = set(pool.map(noise, range(200)))
    check("noise is refused", said <= {-1, 0, 400, 405, 414, 431, 505} and wearer.get("/").status == 200, said)

    # 8. Guessing.
    guesses = [0]
    outcomes = {}
    end = time.monotonic() + 20

    def guess():
        somebody = Client(port)
        while time.monotonic() < end:
            try:
                token_ = somebody.token("/sign-in")
                number = somebody.post("/sign-in", {"act": "signIn", "role": "keeper", "secret": f"GUESS-{random.random()}", "form": token_}).status
            except (OSError, ValueError):
                number = 0
            outcomes[number] = outcomes.get(number, 0) + 1
            guesses[0] += 1

    threads = [threading.Thread(target=guess) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = [entry for entry in audit("home") if "ignIn" in entry["kind"]]
    check("guessing is slowed down", outcomes.get(303, 0) == 0, f"{guesses[0]} tries in 20 s: {outcomes}")
    check("and stands in the audit log, once a minute", 1 <= len(entries) < 60, f"{len(entries)} entries")
    time.sleep(61)
    late_comer = Client(port)
    late_comer.get("/sign-in")
    check("who knows the code gets in a minute later", late_comer.sign_in("keeper", secrets["keeper"]).status == 303)

    after = radio("home")
    seconds = time.monotonic() - began
    check("the beacon did not notice", after["onAir"] and after["lostScanCount"] == before["lostScanCount"] and after["worstRotationLateness"] < 250,
          f"identifiers at worst {after['worstRotationLateness']} ms late by the core's clock, before {before['worstRotationLateness']}; "
          f"{after['scanCount'] - before['scanCount']} scans in {seconds:.0f} s")
    check("core and page were never restarted", state("home")["core"]["restarts"] == 0 and state("home")["webui"]["restarts"] == 0)
    # What was tried from elsewhere is what works from the page itself, or all of the above would say nothing.
    answer = wearer.post("/settings/off", off)
    check("the wearer's own form switches it off", answer.status == 303 and until(lambda: not enabled(), 10), answer.status)
    answer = wearer.post("/settings", {"act": "enable"})
    check("and on again", answer.status == 303 and until(enabled, 10), answer.status)


def audit(name):
    return json.loads(run(f"{BIN}/vigil", "ctl", "audit", "--json", "--run", f"{FOLDER}/{name}/run"))["entries"]


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
        check("a board with a page comes up", start_board("home"))
        check("it syncs", sync("home"))
        wait_for_turn("home")
        hand_in(300, met)
        check("its wearer's risk is increased", until(lambda: call("home", "org.vigil.risk1.GetRisk")["risk"]["state"] == "increased", 40))
    if {"api", "speed"} & set(PARTS):
        check("a second board comes up", start_board("lab"))
    if {"walk", "pictures"} & set(PARTS):
        check("a third for a door", start_board("door"))
    for part, perform_part in [("pictures", pictures), ("walk", walks), ("api", api), ("attacks", attacks), ("speed", speed)]:
        if part in PARTS:
            print(f"--- {part}", flush=True)
            perform_part()


if __name__ == "__main__":
    perform(main)
