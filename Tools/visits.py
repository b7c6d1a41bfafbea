# SPDX-License-Identifier: Apache-2.0
"""Check-in by all three protocols, on whole boards with a region's servers: a kiosk makes the code of a café, and somebody has been there, at a hall
with a code of SwissCovid, and at a pub with a poster of the NHS. A guest of the café is ill and warns by a board of their own; the operator warns
of the hall, and lists the pub. For `from visits import …` beside boardkit and serverkit."""
import base64
import json
import os
import signal
import time

from authoritykit import field
from boardkit import BIN, FOLDER, call, check, ctl, processes, read, run, state, until
from serverkit import WEB, board, fresh_test, laboratory, public_key, publish, syncs

HOUR = 3600
CHECKIN = "org.vigil.checkin1"


def text64(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def hall():
    """A code of SwissCovid, made here by its fields."""
    place = field(1, 4) + field(2, b"Canary Hall") + field(3, b"Street 2") + field(5, 4_000_000_000)
    keys = field(1, 4) + field(2, bytes([1]) * 96) + field(3, os.urandom(32))
    return "https://qr.swisscovid.ch?v=4#" + text64(field(1, 4) + field(2, place) + field(3, keys))


def number(content):
    """One of the two of a signature, as 32 bytes."""
    return content.lstrip(b"\0").rjust(32, b"\0")


def pub():
    """A poster as the NHS signs them, and the key that boards are given for it."""
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{FOLDER}/poster.key")
    run("openssl", "pkey", "-in", f"{FOLDER}/poster.key", "-pubout", "-out", f"{FOLDER}/poster.pem")
    signed = ".".join(text64(json.dumps(part).encode()) for part in [{"alg": "ES256", "kid": "poster"}, {"id": "CANARY", "opn": "Canary Pub"}])
    with open(f"{FOLDER}/poster.txt", "w") as file:
        file.write(signed)
    run("openssl", "dgst", "-sha256", "-sign", f"{FOLDER}/poster.key", "-out", f"{FOLDER}/poster.sig", f"{FOLDER}/poster.txt")
    with open(f"{FOLDER}/poster.sig", "rb") as file:
        der = file.read()
    first = der[4:4 + der[3]]
    second = der[6 + der[3]:]
    return f"UKC19TRACING:1:{signed}.{text64(number(first) + number(second))}"


def settings():
    """Of a board that follows this region in all three."""
    systems = {"coronaWarnApp": ["export", "config"], "swissCovid": ["config"], "nhs": ["config"]}
    server = f"https://127.0.0.1:{WEB}"
    with open(f"{FOLDER}/ca.pem") as file:
        authorities = file.read()
    return {"systems": list(systems), "coronaWarnAppServer": server, "swissCovidServer": server, "nhsServer": server, "authorities": authorities,
            "coronaWarnAppCountry": "EUR", "nhsUnsignedAnswers": True, "posterKeys": [{"id": "poster", "key": public_key("poster.pem")}],
            "signers": [{"system": system, "name": "262-v1", "role": role, "key": public_key(f"keys/{role}-262-v1.pem")}
                        for system, roles in systems.items() for role in roles]}


def clock(name, moment):
    call(name, "org.vigil.device1.SetTime", {"now": moment * 1000})


def notices(name):
    return call(name, f"{CHECKIN}.GetNotices")


def visit(name, codes, now):
    """An hour at each place, two hours ago."""
    clock(name, now - 3 * HOUR)
    for code in codes:
        ctl(name, "visits", "check-in", code)
    clock(name, now - 2 * HOUR)
    for index in range(len(codes)):
        ctl(name, "visits", "check-out", str(index + 1))
    clock(name, now)


def looked(name, moment, why):
    """Waits until the board has looked for all warnings at that moment or later; what it says then of each system."""
    wanted = {visit["system"] for visit in call(name, f"{CHECKIN}.GetVisits")["visits"]}

    def done():
        followed = notices(name)["followed"]
        return followed and all(system.get("checked", 0) >= moment for system in followed if system["system"] in wanted)
    good = until(done, 90, 0.2)
    return check(f"board {name} has looked at all warnings of {len(wanted)} systems, {why}", good, "" if good else json.dumps(notices(name)["followed"]))


def look(name, moment):
    """The next time that the board looks for warnings by itself."""
    clock(name, moment)
    # It looks when the plugin starts, and whoever asks keeps it up.
    until(lambda: state(name)["venue"]["state"] == "waiting", 60)
    looked(name, moment, "in its rhythm")


def woken(name, moment):
    """The same outside of the rhythm, since the broker wakes it: at a moment that is a quarter of an hour after the last look, and two hours before the next."""
    clock(name, moment)
    publish("vigil/EUR/wake", "-n")
    looked(name, moment, "because it was woken")


def told(name):
    """What a board has for its wearer, by system; a visit over midnight has a level for each day, of which increased counts."""
    found = {}
    for notice in notices(name)["notices"]:
        if found.get(notice["system"]) != "increased":
            found[notice["system"]] = notice.get("level") or notice.get("advice") or notice.get("message")
    return found


def kiosk():
    """The board at the café's door; its code."""
    ctl("door", "role", "place", "--yes")

    def described():
        clock("door", int(time.time()))
        return not call("door", f"{CHECKIN}.GetPlaces")["places"]
    check("a board at a door is a place's", until(described, 90, 0.2))
    ctl("door", "venue", "describe", "Canary Café", "Street 1", "--kind", "foodService", "--stay", "240")
    return ctl("door", "venue", "poster", "1").strip()


def visits():
    """From three doors to what a guest of all three is told, and nobody else."""
    poster = pub()
    boards = {"door": ("venue",), "ill": ("venue", "diagnosis"), "guest": ("venue", "sync", "wake")}
    for name, plugins in boards.items():
        board(name, plugins=plugins, venue=settings(), signed_time=False)
    for name in boards:
        check(f"board {name} runs", until(lambda: state(name)["core"]["state"] == "running" and state(name)["venue"]["state"] == "waiting", 90))
    # It knows the region's window from a sync: none. The broker has let it in.
    call("guest", "org.vigil.sync1.SyncNow")
    check("the guest's board hears the broker", until(lambda: "lastSuccess" in syncs("guest")["sources"][0]
                                                     and call("guest", "org.vigil.wake1.GetState")["connected"], 90))
    now = int(time.time())
    cafe, ballroom = kiosk(), hall()
    check("the kiosk makes a code of the Corona-Warn-App", cafe.startswith("https://e.coronawarn.app?v=1#"))
    visit("ill", [cafe], now)
    visit("guest", [cafe, ballroom, poster], now)
    look("guest", now)
    check("nothing is published, and nobody is told", told("guest") == {})

    # The guest of the café is ill, and warns.
    test = fresh_test()
    laboratory(test, "positive")
    ctl("ill", "tests", "enter", f"https://localhost/?{test}")

    def tests():
        return call("ill", "org.vigil.diagnosis1.GetTests")["tests"][0]
    check("the result is there", until(lambda: tests()["state"] == "ready", 150))
    ctl("ill", "tests", "result", "1")
    ctl("ill", "tests", "warn", "1", "--yes")
    check("the warning is sent, with one visit in it", until(lambda: tests().get("warning") == "sent", 150) and tests().get("visits") == 1)

    # The operator's word about the two others. It is about the hours of the visit and no others.
    def utc(moment):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    keys = f"{FOLDER}/authority/public/v3/traceKeys/0"
    empty = os.path.getsize(keys)
    span = ["--from", utc(now - 3 * HOUR), "--until", utc(now - 2 * HOUR)]
    run(f"{BIN}/vigil-authority", "venues", "trace-keys", "add", "--state", f"{FOLDER}/authority", "--code", ballroom, *span, "--message", "Somebody sang.")
    processes["authority"].send_signal(signal.SIGHUP)
    later = now + 2 * HOUR

    def published():
        places = [f"version/v2/twp/country/EUR/hour/{hour}" for hour in (now // HOUR, now // HOUR + 1)]
        return any(os.path.exists(f"{FOLDER}/authority/public/{place}") for place in places) and os.path.getsize(keys) > empty

    def listed():
        with open(f"{FOLDER}/authority/public/distribution/risky-venues/index.json") as file:
            return "CANARY" in file.read()

    def wakes():
        return read("authority.log").count("woke EUR")
    check("the visit and the trace keys are published", until(published, 90))
    look("guest", later)
    check("the guest is told of two", until(lambda: set(told("guest")) == {"coronaWarnApp", "swissCovid"}, 30), told("guest"))

    # A list of venues comes without a key, and wakes boards all the same.
    before = wakes()
    run(f"{BIN}/vigil-authority", "venues", "add", "--state", f"{FOLDER}/authority", "--id", "CANARY", *span, "--advice", "bookATest")
    processes["authority"].send_signal(signal.SIGHUP)
    check("the authority lists a venue, and wakes boards for it", until(lambda: listed() and wakes() > before, 90))
    woken("guest", later + 1000)
    expected = {"coronaWarnApp": "increased", "swissCovid": "Somebody sang.", "nhs": "bookATest"}
    check("the guest is told of all three, each in its own way", until(lambda: told("guest") == expected, 30), told("guest"))
    look("ill", later)
    check("whoever warned is not warned of themselves", told("ill") == {}, told("ill"))
    check("the kiosk has places and no visits", len(call("door", f"{CHECKIN}.GetPlaces")["places"]) == 1)
    for name in boards:
        with open(f"{FOLDER}/{name}.log", errors="replace") as log:
            check(f"no log names a place: {name}", "Canary" not in log.read())
