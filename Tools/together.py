#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything together, really: an authority, nginx with TLS in front of its static tree, mosquitto with TLS and client certificates, and
two whole boards under their supervisors on a simulated air. Publishes, and measures how long until the other board has matched; then
does to the broker what brokers have done to them, and counts the syncs that follow. One board met somebody; the authority's rules say what
that is worth, and then say otherwise. What people are to read comes along, is replaced, and an old one or a stranger's is not taken.
In the end three more boards, for check-in by all three protocols (visits.py).

Usage: together.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl.
"""
import json
import os
import signal
import time
import urllib.request

from boardkit import BIN, FOLDER, air, call, check, matched_files, perform, processes, pss, read, run, state, stop, until
from serverkit import board, broker, certificates, content, dinner, hand_in, page_of, publish, published_content, rules, servers, syncs, wait_for_turn
from visits import visits


def risk(name):
    return call(name, "org.vigil.risk1.GetRisk")["risk"]


def texts(name):
    return call(name, "org.vigil.content1.GetContent")


def problem(name):
    return syncs(name)["sources"][0].get("problem", "")


def page(name, path, language):
    request = urllib.request.Request(page_of(name) + path, headers={"Accept-Language": language})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


def serve_instead(archive):
    """Puts another object in the place of the published content, as whoever has the web server could."""
    places = published_content()
    for place in places:
        with open(place, "wb") as file:
            file.write(archive)
    return len(places) == 1


def judge(met):
    """The way of a verdict: keys, rules, other rules; each told once."""
    check("before the keys of the person it met are published, the risk is low", until(lambda: risk("one")["state"] == "low", 90),
          risk("one")["sentence"])
    check("and there is no news", not risk("one")["news"])
    wait_for_turn("one")
    hand_in(300, met)
    check("they are published: the risk is increased, and there is news", until(lambda: risk("one")["state"] == "increased", 90) and risk("one")["news"],
          risk("one")["sentence"])
    print("     " + run(f"{BIN}/vigil", "ctl", "risk", "--explain", "--run", f"{FOLDER}/one/run").replace("\n", "\n     "))
    call("one", "org.vigil.risk1.Acknowledge")
    wait_for_turn("one")
    rules("6-hardly-anybody", 3)
    hand_in(10)
    check("other rules, carried with the keys, turn the stored verdict", until(lambda: risk("one")["state"] == "low", 90),
          risk("one")["sentence"])
    check("which is news", risk("one")["news"] and len(risk("one")["days"]) == 1)
    call("one", "org.vigil.risk1.Acknowledge")
    time.sleep(3)
    check("once", not risk("one")["news"])
    check("the board that met nobody has the same rules and no news",
          until(lambda: call("two", "org.vigil.risk1.GetConfiguration")["version"] == 3, 90) and risk("two")["state"] == "low" and not risk("two")["news"])


def boards_let_in():
    """How often the broker has let a board in. Publishers have names of their own."""
    return sum("New client connected" in line and " as v" in line and "vigil-authority" not in line for line in read("mosquitto.log").splitlines())


def main():
    certificates()
    servers(trace_keys=True)
    # Version 1 is what a new authority begins with.
    rules("1-cwa-second", 2)
    air()
    met = dinner("one")
    began = time.monotonic()
    board("one")
    check("both boards come up", until(lambda: state("one")["wake"]["state"] == "running" and state("one")["core"]["state"] == "running", 90))
    ready = time.monotonic() - began
    print(f"     start of `vigil run` until core, egress and wake are ready: {ready:.2f} s")
    board("two", plugins=("sync", "wake", "webui"))
    until(lambda: state("two")["wake"]["state"] == "running", 90)
    # A board that has never synced spreads its first question, as after a blackout; a technician does not wait for that.
    for name in ["one", "two"]:
        call(name, "org.vigil.sync1.SyncNow")
    check("both sync when asked", until(lambda: all("lastSuccess" in syncs(name)["sources"][0] for name in ["one", "two"]), 90))
    check("an authority without content is nothing wrong", not problem("one") and texts("one")["version"] == 0, problem("one"))
    check("signed time reaches the core", until(lambda: "authenticated" in read("one.log"), 90))
    until(lambda: len(read("mosquitto.log").split("New client connected")) >= 3)
    until(lambda: not syncs("one")["running"] and not syncs("two")["running"], 90)
    time.sleep(1)

    # 1. Publish, wake, sync, match; what people are to read comes along.
    delays = []
    words = [("Rat und Hilfe", "Advice and help"), ("Die neue Nummer", "The new number")]
    old = b""
    for round_ in range(2):
        wait_for_turn("one")
        content(round_ + 1, *words[round_])
        before = matched_files("one")
        moment = time.monotonic()
        hand_in(300)
        if not until(lambda: matched_files("one") > before, 90, 0.01):
            check(f"publication {round_ + 1} is matched", False, json.dumps(syncs("one"))[:400])
            continue
        delays.append(time.monotonic() - moment)
        check(f"version {round_ + 1} of the content is on both boards", until(lambda: all(texts(name)["version"] == round_ + 1 for name in ["one", "two"]), 90))
        german, english = words[round_]
        shown = run(f"{BIN}/vigil", "ctl", "content", "--run", f"{FOLDER}/one/run")
        check("`vigil ctl content` shows it in both languages", german in shown and english in shown)
        check("the board's page shows it in both languages",
              until(lambda: german in page("two", "/hotlines", "de") and english in page("two", "/hotlines", "en"), 90))
        if not old:
            with open(published_content()[0], "rb") as file:
                old = file.read()
    # The budget is 2 s on a quiet machine. A figure, not a verdict: this also runs beside other work.
    check("publish, wake, sync, match, window 0", len(delays) == 2, ", ".join(f"{delay:.2f}" for delay in delays) + " s")
    check("the other board matched the same", until(lambda: matched_files("two") == matched_files("one"), 90),
          (matched_files("one"), matched_files("two")))

    # 2. What it amounts to; meanwhile somebody serves the first content again.
    check("the web server has an old content", serve_instead(old))
    judge(met)
    check("an older content is not taken, and nothing is wrong",
          "older than the one in force" in read("one.log") and all(texts(name)["version"] == 2 and not problem(name) for name in ["one", "two"]), problem("one"))
    # The authority refuses as well to go back.
    content(1, *words[0])
    check("the authority does not publish a lower version", until(lambda: "content.version: must be above 2" in read("authority.log"), 90))
    run(f"{BIN}/vigil-authority", "init", "--state", f"{FOLDER}/stranger")
    content(9, "Alles gut", "All is well", state="stranger")
    run(f"{BIN}/vigil-authority", "publish", "--state", f"{FOLDER}/stranger", "--quiet")
    with open(f"{FOLDER}/stranger/public/version/v1/content_bundle/index.zip", "rb") as file:
        check("the web server has a stranger's content", serve_instead(file.read()))

    # 3. What brokers do.
    def attempts():
        return syncs("one")["sources"][0]["lastAttempt"]

    wait_for_turn("one")
    before = attempts()
    publish("vigil/EUR/wake", "-m", "a payload says nothing")
    publish("vigil/EUR/wake", "-n")
    check("an empty message wakes, a payload is ignored", until(lambda: attempts() > before, 90))
    check("a stranger's content is not taken, which is said", until(lambda: "signed the content" in problem("one"), 90) and texts("one")["version"] == 2,
          problem("one"))
    check("and the run went well all the same", until(lambda: syncs("one")["sources"][0]["lastSuccess"] > before, 90))
    content(3, "Wieder richtig", "Right again")
    connected = boards_let_in()
    stop("mosquitto", signal.SIGKILL)
    time.sleep(1)
    broker()
    check("both come back after the broker was killed", until(lambda: boards_let_in() >= connected + 2, 60))
    time.sleep(2)
    before = matched_files("one")
    hand_in(300)
    check("a publication after that is matched", until(lambda: matched_files("one") > before, 90))
    # The turn of the second board may come a whole pause later.
    check("the next version of the content is taken, and nothing is wrong any more",
          until(lambda: all(texts(name)["version"] == 3 and not problem(name) for name in ["one", "two"]), 240),
          [(texts(name)["version"], problem(name)) for name in ["one", "two"]])
    until(lambda: not syncs("one")["running"], 90)
    time.sleep(1)
    restarts = state("one")["core"]["restarts"]
    seen = read("nginx-access.log").count("\n")
    for _ in range(40):
        publish("vigil/EUR/wake", "-n")
    time.sleep(4)
    flood = read("nginx-access.log").count("\n") - seen
    check("forty wakes in a row are few syncs", flood < 60, f"{flood} requests of two boards")
    check("nothing was restarted", state("one")["core"]["restarts"] == restarts and state("one")["wake"]["restarts"] == 0)

    # 4. Figures.
    until(lambda: "pid" not in state("one")["sync"], 90)
    idle = {name: pss(state("one")[name]["pid"]) for name in ["core", "egress", "wake"]}
    idle["run"] = pss(processes["one"].pid)
    print("     idle PSS, KiB: " + ", ".join(f"{name} {size}" for name, size in idle.items())
          + f"; run + core + wake {(idle['run'] + idle['core'] + idle['wake']) / 1024:.1f} MiB, with egress {sum(idle.values()) / 1024:.1f} MiB")
    with open(f"{FOLDER}/nginx-access.log") as log:
        sent = sum(int(line.split()[-1]) for line in log)
    print(f"     bytes sent by nginx in all: {sent}")
    traffic = call("one", "org.vigil.egress1.GetTraffic")
    print("     egress: " + json.dumps(traffic)[:600])
    for name in ["one", "two"]:
        left = os.listdir(f"{FOLDER}/{name}/run/spool/sync")
        check(f"board {name} leaves no file behind", not left, left if left else "")
    check("every key file is matched once", matched_files("one") == matched_files("two"))
    stop("one")
    stop("two")
    check("boards stop in order", "stopped" in read("one.log"))

    # 5. Check-in.
    visits()


perform(main)
