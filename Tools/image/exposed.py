# SPDX-License-Identifier: Apache-2.0
"""The main job, by the image as it is: two machines meet, what one of them sent is published among strangers' keys by an authority outside, and the
other's wearer reads of it on the page. Of Tools/test-image.py.

Nothing is set ahead: what is released ends with the ten minutes before, so the release waits for the next ten minutes to begin.
"""
import base64
import csv
import io
import json
import re
import time

import crowd
import serverkit
from boardkit import check, processes, read, stop, until, write
from machines import PATIENCE, Listener, Machine, asking, confinement, curl_page, judge, page_grants, sign_in

# How QEMU calls this machine towards the machines in it.
HOST = "10.0.2.2"
# Seconds of an identifier's interval.
INTERVAL = 600
# That the two are near each other while both are up; they go on until the release.
TOGETHER = 90
SERVERS = ["nginx", "authority", "tests", "mosquitto"]


def region():
    """The health authority and its servers. By its rules a minute near somebody is too long: nobody would wait for a quarter of an hour."""
    serverkit.certificates()
    serverkit.servers()
    rules = serverkit.example_rules("1-cwa-second", 2)
    model = rules["models"][0]["cwaSecond"]
    for mapping in ["normalizedTimePerEWToRiskLevelMapping", "normalizedTimePerDayToRiskLevelMapping"]:
        low, high = model[mapping]
        low["normalizedTimeRange"].update({"min": 0, "max": 0.5})
        high["normalizedTimeRange"].update({"min": 0.5})
    write("authority/risk.json", json.dumps(rules))


def provisioned(plugins):
    """What the operator puts on the boot partition: whom to believe, where to fetch, who may do what."""
    keys = {f"{kind}.pem": read(f"keys/{kind}-262-v1.pem") for kind in ["export", "time", "config"]}
    own = {"enable": True, "profile": "/data/provision/profile.json", "verify": ["262-v1=/data/provision/export.pem"],
           "timeKeys": ["262-v1=/data/provision/time.pem"], "configKeys": ["262-v1=/data/provision/config.pem"]}
    return {"vigil.json": json.dumps(own), "grants.json": json.dumps({"plugins": plugins}), **keys}


def sync(machine):
    machine.ask("vigil ctl call org.vigil.sync1.SyncNow --socket /run/vigil/console/org.vigil.sync1")


def synced(machine):
    text = machine.ask("vigil ctl call org.vigil.sync1.GetFreshness --socket /run/vigil/console/org.vigil.sync1")
    return "lastSuccess" in json.loads(text)["freshness"]["sources"][0]


def word(machine):
    """What today's page says to the wearer: the word on it, and the day that advice counts from."""
    status, text = curl_page(machine, "/", "-L", "-H", "Accept-Language: en")
    found = re.search(r'id="state-word"[^>]*>([^<]+)<', text)
    day = re.search(r"The day that matters: ([^<]+)\. If advice", text)
    return (found.group(1).strip() if found else f"status {status}", day.group(1).strip() if day else None)


def machines():
    """Both on air, one after the other, so that each start is one of its own."""
    listener = Listener()
    plugins = {"sync": serverkit.sync_grants(HOST)}
    ill = Machine("ill", files=provisioned(plugins))
    met = Machine("met", ports=(8443,), files=provisioned({**plugins, "wake": serverkit.wake_grants(HOST), "webui": page_grants()}))
    for number, machine in enumerate([ill, met]):
        machine.power_on()
        judge(machine, listener)
        controller = max(node["id"] for node in crowd.ask(op="list")["nodes"] if node["kind"] == "controller")
        crowd.ask(op="move", id=controller, x=1.5 * number, y=0)
        sync(machine)
        check(f"{machine.name}: fetches from the authority over HTTPS, through its way out", until(asking(lambda: synced(machine)), 90 * PATIENCE, 1))
        print(f"     {machine.name}: {time.monotonic() - machine.began:.1f} s after power-on", flush=True)
    return ill, met


def listens():
    """Whether somebody but the authority and who looks whether the broker is there has logged in at it."""
    return any("New client connected" in line and "vigil-authority" not in line for line in read("mosquitto.log").splitlines())


def meeting(ill, met):
    for machine in (ill, met):
        check(f"{machine.name}: has heard the other", until(asking(lambda: machine.state("storedIdentifiers") >= 1), 120 * PATIENCE, 2))
    print(f"     met {time.monotonic() - met.began:.1f} s after power-on of the second")
    began = time.time()
    # Something of it has to lie in one interval.
    # They are to be together for a while in the ten minutes that are published.
    end = (int(began + TOGETHER) // INTERVAL + 1) * INTERVAL
    # A wake that comes before the board listens to the broker is nobody's: it would ask hours later.
    check("met: listens to the broker", until(listens, 60 * PATIENCE, 1))
    # Keys of strangers, published before: without any nobody could say that there is nothing.
    serverkit.hand_in(300)
    met.ask("""vigil ctl call org.vigil.device1.SetPreferences '{"preferences":{"introduced":true,"notifications":true}}'""")
    check("met: its wearer gets in", until(asking(lambda: sign_in(met, "wearer")), 120 * PATIENCE, 2))
    check("met: the page says that there is nothing", until(lambda: word(met) == ("Low risk", None), 90 * PATIENCE, 2), word(met))
    check("met: time is authenticated by the authority", until(asking(lambda: "authenticated" in met.ask("vigil ctl time --json")), 60 * PATIENCE, 2))
    print(f"     {max(0, end - time.time()):.0f} s until the ten minutes are over", flush=True)
    time.sleep(max(0, end - time.time()) + 3)


def released(machine):
    """The wearer agrees; what may be published then."""
    text = machine.ask("vigil ctl release --yes --output /run/keys.csv >/dev/null && cat /run/keys.csv && rm /run/keys.csv")
    keys = []
    for row in csv.DictReader(io.StringIO(text)):
        keys.append({"key": base64.b64encode(bytes.fromhex(row["key"])).decode(), "rollingStartNumber": int(row["rolling_start"]),
                     "rollingPeriod": int(row.get("rolling_period") or 144), "transmissionRisk": 6, "reportType": 1, "daysSinceOnset": 0})
    return keys


def exposed():
    region()
    ill, met = machines()
    meeting(ill, met)
    keys = released(ill)
    check("ill: released what it sent, and not what it sends now", keys and all(
        (key["rollingStartNumber"] + key["rollingPeriod"]) * INTERVAL <= time.time() for key in keys), f"{len(keys)} keys")
    fetched = read("nginx-access.log").count("\n")
    began = time.monotonic()
    serverkit.hand_in(300, *keys)
    seen = until(lambda: word(met)[0] == "Increased risk", 120 * PATIENCE, 0.5)
    took = time.monotonic() - began
    said, day = word(met)
    check("met: the page says increased risk, and from which day", seen and day and time.strftime("%Y", time.gmtime()) in day, f"{said}, {day}")
    print(f"     handed in, published, woken, fetched, matched, judged, on the page: {took:.1f} s; {300 + len(keys)} keys")
    check("met: it was fetched from the authority", read("nginx-access.log").count("\n") > fetched)
    print("     " + met.ask("vigil ctl risk --explain").strip().replace("\n", "\n     "))
    for machine in (ill, met):
        failed = machine.ask("systemctl --failed --no-legend --plain").strip()
        check(f"{machine.name}: no failed unit in the end", failed == "", failed)
        parts = confinement(machine)
        names = sorted({name for name, _, _ in parts})
        wanted = {"core", "egress", "sync"} | ({"wake", "webui"} if machine is met else set())
        check(f"{machine.name}: that is said of each", wanted <= set(names), names)
        check(f"{machine.name}: the core was never restarted", restarts(machine) == 0)
    check("ill: it has not warned itself", json.loads(ill.ask("vigil ctl risk --json || true") or "{}").get("risk", {}).get("state") != "increased")
    for name in SERVERS:
        if name in processes:
            stop(name)


def restarts(machine):
    listed = json.loads(machine.ask("cat /run/vigil/supervisor.json"))["processes"]
    return next(process["restarts"] for process in listed if process["name"] == "core")
