# SPDX-License-Identifier: Apache-2.0
"""What is tried against a board's page by people who should get nowhere: forms of other sites, other names, planted sessions, other roles' actions,
odd heads and paths, markup in every field, too much of everything, guessed secrets; and what a technician could break by asking for it. The beacon
is watched meanwhile."""
import collections
import concurrent.futures
import contextlib
import json
import random
import re
import threading
import time

from boardkit import BIN, FOLDER, call, check, run, state, until
from browser import Browser
from intruder import MARKUP, Client, Crowd, raw, status
from serverkit import PAGES, page_of
from stories import Walk

# What a form says that switches the beacon off: what most of it is after.
OFF = {"act": "disable"}


def introduce(wearer):
    """Agrees to what a wearer is asked first."""
    check("the wearer sees today's page", wearer.introduce())


def radio(name):
    return call(name, "org.vigil.device1.GetRadio")["radio"]


def audit(name):
    return json.loads(run(f"{BIN}/vigil", "ctl", "audit", "--json", "--run", f"{FOLDER}/{name}/run"))["entries"]


def signed_in(port, role, secret):
    client = Client(port)
    client.get("/sign-in")
    return client if client.sign_in(role, secret).status == 303 else None


class Scene:
    """A board, and who is at its page by right."""

    def __init__(self, name, secrets):
        self.name, self.secrets = name, secrets
        page_of(name)
        self.port = PAGES[name]
        self.technician, self.wearer = signed_in(self.port, "technician", secrets["technician"]), signed_in(self.port, "wearer", secrets["wearer"])
        check("technician and wearer sign in", self.technician and self.technician.session and self.wearer)
        introduce(self.wearer)

    def is_enabled(self):
        return call(self.name, "org.vigil.exposure1.GetStatus")["status"]["enabled"]


def attacks(name, secrets):
    scene = Scene(name, secrets)
    from_other_sites(scene)
    by_other_names(scene)
    with_other_sessions(scene)
    by_other_roles(scene)
    by_heads_and_paths(scene)
    with_markup(scene)
    before, began = radio(name), time.monotonic()
    with_too_much(scene)
    by_guessing(scene)
    after, seconds = radio(name), time.monotonic() - began
    scans = after["scanCount"] - before["scanCount"]
    check("the beacon did not notice", after["onAir"] and after["worstRotationLateness"] < 250,
          f"{after['rotationCount'] - before['rotationCount']} identifiers, at worst {after['worstRotationLateness']} ms late by the core's clock")
    # One comes every 2.6 s; the machine is busy.
    check("nor did the scanner", after["lostScanCount"] == before["lostScanCount"] and scans > seconds / 2.6 / 2, f"{scans} scans in {seconds:.0f} s, none lost")
    check("core and page were never restarted", state(name)["core"]["restarts"] == 0 and state(name)["webui"]["restarts"] == 0)
    # What was tried from elsewhere is what works from the page itself, or all of the above would say nothing.
    answer = scene.wearer.post("/settings/off", OFF)
    check("the wearer's own form switches it off", answer.status == 303 and until(lambda: not scene.is_enabled(), 10), answer.status)
    answer = scene.wearer.post("/settings", {"act": "enable"})
    check("and on again", answer.status == 303 and until(scene.is_enabled, 10), answer.status)


def from_other_sites(scene):
    token = scene.wearer.token("/settings/off")
    check("the page that switches it off has a form", len(token) >= 32)
    for name, origin in [("another site's", "https://evil.example"), ("an unnamed", "null"), ("another port's", f"http://127.0.0.1:{scene.port + 1}"),
                         ("a lookalike", f"http://127.0.0.1:{scene.port}.evil.example"), ("no", None)]:
        answer = scene.wearer.post("/settings/off", dict(OFF, form=token), origin=origin)
        check(f"a form with {name} origin is refused", answer.status == 403 and scene.is_enabled(), answer.status)
    answer = scene.wearer.ask("POST", "/settings/off", b"", {"Sec-Fetch-Site": "same-site", "Content-Type": "application/x-www-form-urlencoded"})
    check("a form of a neighbouring site is refused", answer.status == 403 and scene.is_enabled(), answer.status)
    for name, wrong in [("no", ""), ("another person's", scene.technician.token("/tech/sync")), ("a made-up", "0" * 64), ("a shortened", token[:-1])]:
        answer = scene.wearer.post("/settings/off", dict(OFF, form=wrong))
        check(f"a form with {name} token is refused", answer.status == 403 and scene.is_enabled(), answer.status)
    answer = scene.wearer.ask("POST", "/api/v1/sync/now", b"", {"Origin": f"http://127.0.0.1:{scene.port}"})
    check("the interface wants the token with a cookie, too", answer.status in (401, 403), answer.status)
    answer = scene.wearer.ask("POST", "/settings/off", json.dumps(OFF).encode(), {"Content-Type": "text/plain", "Origin": f"http://127.0.0.1:{scene.port}"})
    check("a form in disguise is refused", answer.status in (403, 415) and scene.is_enabled(), answer.status)


def by_other_names(scene):
    for host in ["evil.example", f"evil.example:{scene.port}", "127.0.0.1.evil.example", "[::ffff:1.2.3.4]", "", "localhost:1", "127.0.0.1:99999999", "a" * 300]:
        answer = Client(scene.port).get("/", host=host)
        check(f"Host {host[:30]!r} is refused", answer.status in (400, 421), answer.status)
    answer = raw(scene.port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{scene.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode())
    check("two hosts are refused", status(answer) in (400, 421), status(answer))


def with_other_sessions(scene):
    fixed = Client(scene.port)
    fixed.get("/sign-in")
    fixed.cookies.update({"vigil-session": "a" * 64, "__Host-vigil-session": "b" * 64})
    fixed.sign_in("technicianReadOnly", scene.secrets["technicianReadOnly"])
    # A browser that takes protected cookies gets nothing else, and of what it has only these count.
    planter, given = Client(scene.port), fixed.cookies["__Host-vigil-session"]
    check("a session that was planted is not taken over", given != "b" * 64 and fixed.get("/tech").status == 200)
    for value in ("a" * 64, "b" * 64):
        planter.cookies = {"vigil-session": value, "__Host-vigil-session": value}
        check("and opens nothing for who planted it", planter.get("/tech").status in (303, 401))
    old = dict(scene.technician.cookies)
    scene.technician.post("/sign-out", {"act": "signOut"}, page="/tech/sync")
    scene.technician.cookies = old
    check("after signing out the old cookie opens nothing", scene.technician.get("/tech").status in (303, 401), scene.technician.get("/tech").status)
    scene.technician = signed_in(scene.port, "technician", scene.secrets["technician"])


def by_other_roles(scene):
    read_only = signed_in(scene.port, "technicianReadOnly", scene.secrets["technicianReadOnly"])
    for who, name, paths in [(read_only, "a read-only technician", ["/why", "/tests", "/data.json", "/settings", "/history"]),
                             (scene.technician, "a technician", ["/why", "/tests", "/data.json", "/settings", "/api/v1/risk", "/api/v1/tests"]),
                             (scene.wearer, "a wearer", ["/tech", "/tech/log", "/tech/plugins/sync", "/api/v1/log", "/api/v1/processes", "/metrics"]),
                             (Client(scene.port), "nobody", ["/why", "/tech", "/data.json", "/api/v1/risk", "/api/v1/log", "/metrics", "/events"])]:
        got = {path: who.get(path).status for path in paths}
        check(f"{name} does not get what is others'", all(number in (303, 401, 403, 404) for number in got.values()), got)
    for act, path, more in [("syncNow", "/tech/sync", {}), ("setTime", "/tech/time", {"date": "2040-01-01", "time": "00:00"}),
                            ("restartPlugin", "/tech/plugins/sync", {}), ("makeToken", "/tech/access", {"name": "x", "role": "technician"}),
                            ("reboot", "/tech/reboot", {}), ("changeSecret", "/tech/access", {"role": "technician", "present": scene.secrets["technicianReadOnly"], "wanted": ""})]:
        for who, name in [(read_only, "technicianReadOnly"), (scene.wearer, "wearer")]:
            page = "/sign-in" if who is scene.wearer else "/tech"
            # Its token is theirs: it is the role that is in the way.
            answer = who.post(path, dict(more, act=act, form=who.token(page) or "none"))
            check(f"a {name} has a token for {act}", len(who.token(page)) >= 32)
            check(f"{act} is not for a {name}", answer.status in (303, 401, 403, 404) and answer.getheader("Location") in (None, "/sign-in", "/"), answer.status)
    check("the time is what it was", abs(call(scene.name, "org.vigil.device1.GetTime")["time"]["now"] / 1000 - time.time()) < 120)
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT", "PROPFIND", "get", "G" * 300]:
        number = status(raw(scene.port, f"{method} /tech HTTP/1.1\r\nHost: 127.0.0.1:{scene.port}\r\nConnection: close\r\n\r\n".encode()))
        check(f"{method[:10]} of a page is refused", number in (400, 405, 501) or number == 0, number)
    tokens = {}
    for role in ["technicianReadOnly", "technician"]:
        answer = scene.technician.post("/tech/access", {"act": "makeToken", "name": f"probe {role}", "role": role})
        found = re.search(r'class="secret">([0-9a-f]{64})<', answer.text)
        tokens[role] = found.group(1) if found else ""
    bearer = lambda role: {"Authorization": f"Bearer {tokens[role]}"}  # noqa: E731
    script = Client(scene.port)
    check("a token reads", script.get("/api/v1/processes", headers=bearer("technicianReadOnly")).status == 200)
    metrics = script.get("/metrics", headers=bearer("technicianReadOnly"))
    check("and gets metrics", metrics.status == 200 and "vigil_" in metrics.text, metrics.status)
    check("a read-only technician's token changes nothing", script.ask("POST", "/api/v1/sync/now", b"", bearer("technicianReadOnly")).status == 403)
    check("a technician's does", script.ask("POST", "/api/v1/sync/now", b"", bearer("technician")).status in (200, 202, 204))


def by_heads_and_paths(scene):
    for path in ["/%0d%0aX-Injected:%201", "/why?day=%0d%0aSet-Cookie:%20a=b", "/tech/plugins/%0d%0aX-Injected:1", "/sign-in?next=//evil.example",
                 "/welcome?language=%0d%0aX-Injected:1"]:
        answer = scene.wearer.get(path)
        heads = str(answer.headers)
        check(f"{path[:34]} adds no head", "Injected" not in heads and "evil.example" not in heads and "a=b" not in heads, answer.status)
    for path in ["/../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/texts/en.txt", "/plugin.json", "/style.css/../../plugin.json",
                 "//etc/passwd", "/tech/plugins/..%2f..%2fcore", "/tech/plugins/%2e%2e", "/\\..\\..\\etc\\passwd", "/style.css%00.html", "/.git/config"]:
        number, text = 0, b""
        answer = raw(scene.port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{scene.port}\r\nConnection: close\r\n\r\n".encode())
        number, text = status(answer), answer
        check(f"{path[:34]} leads nowhere", number in (303, 400, 404) and b"root:" not in text and b'"wants"' not in text, number)


def with_markup(scene):
    browser = Browser(page_of(scene.name))
    try:
        shown = Walk(browser, "en")
        shown.sign_in("technician", scene.secrets["technician"])
        scene.technician.post("/tech/plugins/webui", {"act": "setSettings", "set.title": MARKUP[:60], "title": MARKUP[:60]})
        scene.technician.post("/tech/access", {"act": "makeToken", "name": MARKUP, "role": "technicianReadOnly"})
        scene.technician.post("/tech/network", {"act": "applyNetwork", "interface": MARKUP, "method": "manual", "addresses": MARKUP, "gateway": MARKUP, "nameServers": MARKUP})
        scene.technician.post("/tech/time", {"act": "setTime", "date": MARKUP, "time": MARKUP})
        scene.wearer.post("/tests", {"act": "enterCode", "code": MARKUP})
        scene.wearer.post("/tests", {"act": "enterTeleTAN", "typed": MARKUP})
        scene.wearer.post("/settings", {"act": "setLanguage", "language": MARKUP})
        Client(scene.port).get("/" + MARKUP.replace(" ", "%20"))
        places = Walk.TECHNICAL + ["/tech/log?process=" + "%22%3E%3Cscript%3Ewindow.owned=1%3C/script%3E", "/tech/log?level=%22%3E%3Cimg%20src=x%20onerror=window.owned=1%3E",
                                   "/tech/plugins/%3Cscript%3Ewindow.owned=1%3C%2Fscript%3E", "/why?day=%3Cscript%3E", "/nowhere%3Cscript%3Ewindow.owned=1%3C/script%3E"]
        owned = []
        for path in places:
            browser.open(path)
            if browser.evaluate("!!window.owned || !!document.querySelector('main script, main img[onerror], head script:not([src])')"):
                owned.append(path)
        check(f"markup stays text on {len(places)} pages", not owned, owned)
        reflected = [path for path in places if '<script>window' in scene.technician.get(path.replace(" ", "%20")).text]
        check("and in what is sent", not reflected, reflected)
    finally:
        browser.close()
    heads = Client(scene.port).get("/sign-in").headers
    policy = heads.get("Content-Security-Policy", "")
    check("every head is there", all(name in heads for name in ["X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy", "Cross-Origin-Opener-Policy",
                                                                 "Cross-Origin-Resource-Policy", "Cache-Control"])
          and "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy)


def with_too_much(scene):
    crowd = Crowd(scene.port, 2000)
    time.sleep(3)
    late = []
    for _ in range(10):
        moment = time.monotonic()
        try:
            number = scene.wearer.get("/", seconds=10).status
        except OSError:
            number = 0
        late.append((number, time.monotonic() - moment))
        time.sleep(0.3)
    crowd.end()
    answered = [seconds for number, seconds in late if number == 200]
    print(f"     {len(crowd.links)} slow connections: {len(answered)} of 10 pages answered, worst {max(answered, default=float('nan')) * 1000:.0f} ms")
    check("a person is answered all the same", len(answered) >= 5, f"{len(answered)} of 10")
    check("afterwards people are answered again", until(lambda: scene.wearer.get("/").status == 200, 30))
    answer = raw(scene.port, f"POST /tests HTTP/1.1\r\nHost: 127.0.0.1:{scene.port}\r\nOrigin: http://127.0.0.1:{scene.port}\r\n"
                 "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 104857600\r\n\r\n".encode()
                 + bytes(1 << 20), 20)
    check("100 MB are refused before they come", status(answer) == 413, status(answer))
    answer = raw(scene.port, f"POST /tests HTTP/1.1\r\nHost: 127.0.0.1:{scene.port}\r\nOrigin: http://127.0.0.1:{scene.port}\r\n"
                 "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + (b"10000\r\n" + bytes(65536) + b"\r\n") * 20, 20)
    check("nor in pieces", status(answer) in (0, 400, 411, 413), status(answer))
    for size in (20_000, 1_000_000):
        answer = raw(scene.port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{scene.port}\r\nX-Long: ".encode() + b"a" * size + b"\r\n\r\n", 10)
        check(f"a head of {size} bytes is refused", status(answer) in (0, 400, 413, 414, 431), status(answer))

    def noise(seed):
        number_, chance = -1, random.Random(seed)
        with contextlib.suppress(OSError):
            number_ = status(raw(scene.port, chance.randbytes(chance.randrange(1, 2000)), 2))
        return number_

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        said = set(pool.map(noise, range(200)))
    check("noise is refused", said <= {-1, 0, 400, 405, 414, 431, 505} and scene.wearer.get("/").status == 200, said)


def by_guessing(scene):
    """Six who guess a technician's secret without a pause, for 20 s, while people sign in."""
    answers, unshown, end = [], [], time.monotonic() + 20

    def guess():
        somebody = Client(scene.port)
        while time.monotonic() < end:
            moment, number, wait = time.monotonic(), 0, None
            with contextlib.suppress(OSError, ValueError):
                form = somebody.token("/sign-in")
                # A page that is too busy to show its form takes no guess: what is sent without one is refused unseen, with 403 as well.
                if not form:
                    unshown.append(moment)
                    continue
                answer = somebody.post("/sign-in", {"act": "signIn", "role": "technician", "secret": f"GUESS-{moment}", "form": form})
                number, wait = answer.status, answer.getheader("Retry-After")
            answers.append((number, time.monotonic() - moment, wait))

    threads = [threading.Thread(target=guess) for _ in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    # Whose secret nobody guesses is let in, if need be after the second that is asked for.
    tries = []
    while time.monotonic() < end and not (tries and tries[-1][0] == 303):
        moment = time.monotonic()
        answer = Client(scene.port).sign_in("technicianReadOnly", scene.secrets["technicianReadOnly"])
        tries.append((answer.status, round(time.monotonic() - moment, 2)))
        time.sleep(min(float(answer.getheader("Retry-After") or 0), 2))
    check("a read-only technician signs in meanwhile", tries[-1][0] == 303 and len(tries) <= 5, tries)
    # Whose it is that is guessed is told when to come again.
    moment, answer = time.monotonic(), Client(scene.port).sign_in("technician", scene.secrets["technician"])
    wait = answer.getheader("Retry-After") or ""
    check("the technician is let in, or told when", answer.status == 303 or answer.status == 429 and wait.isdigit() and 1 <= int(wait) <= 60,
          f"{answer.status} in {time.monotonic() - moment:.2f} s, to wait {wait or 0} s")
    check("and the page says so", answer.status == 303 or 'class="note heed"' in answer.text)
    check("who is signed in notices nothing", scene.technician.get("/tech").status == 200 and scene.wearer.get("/").status == 200)
    for thread in threads:
        thread.join()
    outcomes = collections.Counter(number for number, _, _ in answers)
    entries = [entry for entry in audit(scene.name) if "ignIn" in entry["kind"]]
    check("each guess is answered: wrong, or too early", set(outcomes) <= {403, 429}, f"{len(answers)} tries in 20 s: {dict(outcomes)}")
    check("soon", max(seconds for _, seconds, _ in answers) < 10, f"at worst in {max(seconds for _, seconds, _ in answers):.2f} s")
    check("with the time to wait", all((wait or "").isdigit() and 1 <= int(wait) <= 60 for number, _, wait in answers if number == 429))
    # Five are free; the others were looked at after 1, 3, 7 and 15 s. If the technician was in between two guesses, his address began anew.
    most = 18 if answer.status == 303 else 9
    check("few are looked at", 5 <= outcomes[403] <= most, f"{outcomes[403]} of {most} at most; {len(unshown)} times there was no form")
    check("and stands in the audit log, once a minute", 1 <= len(entries) < 60, f"{len(entries)} entries")
    time.sleep(61)
    check("who knows the code gets in a minute later", signed_in(scene.port, "technician", scene.secrets["technician"]))


def on_purpose(port, secret):
    """What a technician can break by asking for it: answers, never silence."""
    technician = signed_in(port, "technician", secret)
    script = Client(port)

    def ask(method, path, body=None):
        answer_ = script.ask(method, f"/api/v1{path}", None if body is None else json.dumps(body).encode(),
                             {"Authorization": f"Bearer {technician.session}"} | ({} if body is None else {"Content-Type": "application/json"}))
        return answer_.status, json.loads(answer_.text) if answer_.text else {}

    number, problem = ask("PUT", "/plugins/webui/enabled", {"enabled": False})
    check("the page does not disable itself, and says how it is done", number == 409 and "vigil plugin disable" in problem.get("detail", ""), f"{number} {problem.get('code', '')}")
    answer = technician.post("/tech/plugins/webui", {"act": "disablePlugin"})
    check("nor by its form", answer.status == 422 and "vigil plugin disable" in answer.text, answer.status)
    time.sleep(2)
    check("it is there as before", technician.get("/tech/plugins").status == 200 and state("lab")["webui"].get("state") != "disabled")
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
    made = [ask("POST", "/tokens", {"name": f"token {index}", "role": "technicianReadOnly"}) for index in range(17)]
    check("16 tokens are made and no more", [number for number, _ in made] == [201] * 16 + [422] and "16" in made[16][1].get("detail", ""), made[16][0])
    for index in range(16):
        number, problem = ask("DELETE", f"/tokens/token%20{index}")
        check(f"token {index} is taken back", number == 204, f"{number} {problem.get('code', '')}")
    number, problem = ask("POST", "/reboot")
    check("a board that may not be restarted says so", number == 409, f"{number} {problem.get('code', '')}")
    for wanted, good in [("short", False), ("a secret that is long enough", True)]:
        answer = technician.post("/tech/access", {"act": "changeSecret", "role": "technician", "present": secret, "wanted": wanted})
        check(f"a secret changed to one that is {'fit' if good else 'too short'} is answered", answer.status == (200 if good else 422), answer.status)
    check("which ends what was open", technician.get("/tech").status == 303)
