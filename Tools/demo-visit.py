#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A café's evening, in front of you: a kiosk at the door, a guest with a phone and the wearer of a token, who has neither seen nor scanned anything. The
guest tests positive and warns; the wearer is told of the day, and why; the kiosk learns nothing. Boards, supervisors, servers, TLS and signatures are
real; the air, the phone (phone.py), the wire of the button (gpio/finger.c) and the hours that pass are made up, and nothing else is.

Every sentence is printed when it has been seen to be true; one that is not ends the story.

Usage: demo-visit.py FOLDER-WITH-EXECUTABLES     Needs mosquitto, nginx, openssl and a C compiler.
"""
import base64
import contextlib
import glob
import io
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import textwrap
import time
import zipfile

from boardkit import FOLDER, ROOT, air, call, clean_up, ctl, read, run, state, tally, until, write
from phone import Phone, identifiers
from serverkit import WEB, board, certificates, fresh_test, laboratory, public_key, servers
from warningcuts import BLOCK, RING, part_of_store

HOUR, DAY = 3_600, 86_400
CAFE = "Café am Ufer"
STAY = 60
WIDTH = 78
CHECKIN = "org.vigil.checkin1"


class Untrue(Exception):
    pass


# What is said.

def scene(number, text):
    print(f"\n\033[1m{textwrap.fill(f'{number}. {text}', WIDTH, subsequent_indent='   ')}\033[0m", flush=True)


def told(sentence, seen, seconds=60.0):
    """Says a sentence once `seen` is true; that it never is ends the story."""
    if not until(seen, seconds, 0.05):
        raise Untrue(sentence)
    print(textwrap.fill(sentence, WIDTH, initial_indent="   ", subsequent_indent="   "), flush=True)


def shown(name, *words):
    """What the console of a board answers, as its operator would see it; gives it as one line."""
    print(textwrap.fill(f"$ vigil ctl {' '.join(words)}   (at the {name})", WIDTH, initial_indent="   ", subsequent_indent="       "))
    answer = ctl(name, *words)
    lines = []
    for line in answer.splitlines():
        # The console breaks its sentences for wider terminals.
        if lines and len(lines[-1]) > 80 and line[:1] != " ":
            lines[-1] += " " + line
        else:
            lines.append(line)
    for line in lines:
        print(textwrap.fill(line, WIDTH, initial_indent="     ", subsequent_indent="     "), flush=True)
    return " ".join(answer.split())


# The boards.

def clock(name, moment):
    call(name, "org.vigil.device1.SetTime", {"now": moment * 1_000})


def on_air(words):
    """One question to whoever makes the air."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(f"{FOLDER}/air.ctl")
        link.sendall(json.dumps(words).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            answer += link.recv(65_536)
    return json.loads(answer)


def button():
    """A board's file with a button, and what makes one: its wire ends in a pipe."""
    os.mkfifo(f"{FOLDER}/finger")
    # Whatever the supervisor is made of, its processes see, with the folder around it, and cannot change.
    os.makedirs(f"{FOLDER}/wire")
    compiler = next(path for path in map(shutil.which, ["cc", "clang", "gcc"]) if path)
    run(compiler, "-shared", "-fPIC", "-O1", "-o", f"{FOLDER}/wire/finger.so", f"{ROOT}/Tools/gpio/finger.c")
    return write("board.json", json.dumps({"name": "token", "title": "A token", "architecture": "amd64", "radio": {"transport": f"h4:unix:{FOLDER}/air"},
                                           "hardware": {"lines": {"chip": "finger", "button": {"line": 0}}}}))


def move_button(is_pressed):
    """As the kernel says it (struct gpio_v2_line_event)."""
    with open(f"{FOLDER}/finger", "wb", buffering=0) as file:
        file.write(struct.pack("=QIIII24x", time.clock_gettime_ns(time.CLOCK_MONOTONIC), 1 if is_pressed else 2, 0, 0, 0))


def settings():
    with open(f"{FOLDER}/ca.pem") as file:
        authorities = file.read()
    signers = [{"system": "coronaWarnApp", "name": "262-v1", "role": role, "key": public_key(f"keys/{role}-262-v1.pem")} for role in ["export", "config"]]
    return {"systems": ["coronaWarnApp"], "coronaWarnAppServer": f"https://127.0.0.1:{WEB}", "coronaWarnAppCountry": "EUR",
            "authorities": authorities, "signers": signers}


def open_boards():
    """A kiosk, and half a metre before it a token with a button."""
    profile = write("profile.json", '{ "name": "demo", "scan": { "duration": 600, "period": 1300, "spread": 100 } }')
    more = ["--profile", profile] + ([] if os.getuid() == 0 else ["--unconfined"])
    board("kiosk", plugins=("venue",), more=more)
    # The first to connect has the first place on the air.
    if not until(lambda: len(on_air({"op": "list"})["nodes"]) == 1, 60):
        raise Untrue("The kiosk has a controller.")
    file = button()
    os.environ.update(LD_PRELOAD=f"{FOLDER}/wire/finger.so", VIGIL_FINGER=f"{FOLDER}/finger")
    board("token", plugins=("venue",), venue=settings(), more=[*more, "--board", file])
    del os.environ["LD_PRELOAD"], os.environ["VIGIL_FINGER"]


def is_up(name):
    return state(name)["core"]["state"] == "running" and state(name)["venue"]["state"] == "waiting"


def core_says(name, part, member):
    return json.loads(read(f"{name}/run/core/state.json"))[part][member]


def visits():
    return call("token", f"{CHECKIN}.GetVisits")["visits"]


def notices():
    return call("token", f"{CHECKIN}.GetNotices")


def looked(moment):
    return any(system.get("checked", 0) >= moment for system in notices()["followed"])


def scene_of_light():
    return call("token", "org.vigil.indicator1.Watch", more=True)["scene"]


# The story.

def door(now):
    scene(1, f"{CAFE} has a kiosk at its door, a board that stands for a place")
    open_boards()
    told("The kiosk and a wearer's token run, each a supervisor, a core and the plugin for check-ins.", lambda: is_up("kiosk") and is_up("token"), 90)
    ctl("kiosk", "role", "place", "--yes")

    def is_a_place():
        clock("kiosk", now)
        return not call("kiosk", f"{CHECKIN}.GetPlaces")["places"]
    told("The kiosk is told that it stands for a place. It keeps no keys of its own from now on.", is_a_place, 90)
    clock("token", now)
    call("token", "org.vigil.device1.SetPreferences", {"preferences": {"introduced": True, "notifications": True}})
    ctl("kiosk", "enable")
    shown("kiosk", "venue", "describe", CAFE, "Uferweg 1", "--kind", "foodService", "--stay", str(STAY))
    shown("kiosk", "venue", "broadcast", "1")
    told("The code is on the poster, and on the air for tokens.", lambda: core_says("kiosk", "radio", "door"))


def arrivals(now):
    scene(2, "Two guests. One scans the poster with a phone; the other, who has only a token, holds its button down beside the kiosk")
    phone = Phone(f"https://127.0.0.1:{WEB}", f"{FOLDER}/ca.pem")
    phone.radio = on_air({"op": "phone", "x": 1.5, "y": 0, "form": "ios"})["id"]
    name = phone.scan(ctl("kiosk", "venue", "poster", "1").strip())
    told(f"The phone reads: {name}. It notes when its owner came.", lambda: name == CAFE)
    told("The token knows of no visit.", lambda: visits() == [])
    done = scene_of_light()["done"]
    move_button(True)
    held = time.monotonic()
    told("The button is held. The token hears a place, and has its light flash: hold on.", lambda: scene_of_light().get("collecting"), 20)
    told("The light says: done.", lambda: scene_of_light()["done"] > done, 30)
    took = time.monotonic() - held
    move_button(False)
    told(f"After {took:.1f} seconds the wearer lets go, and is checked in, without a connection.",
         lambda: [visit["name"] for visit in visits() if visit["open"]] == [CAFE])
    visit = visits()[0]
    hours = [time.strftime("%H:%M", time.gmtime(visit[member])) for member in ["arrival", "departure"]]
    told(f"Its list has one visit: {visit['name']}, from {hours[0]} UTC, there now; ends by itself at {hours[1]}.", lambda: visits() == [visit], 0.1)
    told("The kiosk heard both of them on the air, and stored nothing of it.",
         lambda: core_says("kiosk", "scanner", "lastScanIdentifiers") >= 2 and core_says("kiosk", "scanner", "storedScans") == 0)
    return phone


def departures(phone, now):
    scene(3, "An hour passes (the clocks are set ahead). The guest with the phone leaves; the wearer forgets to check out")
    for name in ["kiosk", "token"]:
        clock(name, now + HOUR + 120)
    phone.stayed(now, now + HOUR)
    told(f"The visit ends by itself, after the {STAY} minutes that are usual here.", lambda: [visit["open"] for visit in visits()] == [False])
    told("Nobody has warned, and nobody is told anything.", lambda: notices()["notices"] == [])


def warning(phone, now):
    scene(4, "The guest with the phone is tested. The laboratory says positive, and the guest agrees to warn those who were there")
    test = fresh_test()
    phone.register(test)
    laboratory(test, "positive")
    told("The phone fetches its result: positive.", phone.is_positive)
    key = bytes.fromhex(on_air({"op": "keys", "id": phone.radio})["keys"][0]["key"])
    phone.warn(key, int(time.time()))
    phone.sent = identifiers(key, now // DAY * DAY)
    told("The warning is taken, and published: signed, in the package of the hour.", lambda: phone.secrets["sealed visit"] in published())
    told("What is public of the visit is a hash and sealed bytes: no place, no time.",
         lambda: CAFE.encode() not in published() and phone.place not in published())


def published():
    """Everything that is public about visits, unpacked."""
    content = b""
    for place in glob.glob(f"{FOLDER}/authority/public/version/v2/twp/country/EUR/hour/*"):
        for path in [place, *glob.glob(f"{place}/*")]:
            if os.path.isfile(path) and zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    content += b"".join(archive.read(name) for name in archive.namelist())
    return content


def news(now):
    scene(5, "Hours later the token looks for warnings about places. It does so every two hours, and when it starts: here its plugin is killed, as by a power cut")
    plugin = state("token")["venue"].get("pid")
    if plugin:
        os.kill(plugin, signal.SIGKILL)
    later = int(time.time())
    clock("token", later)
    told("It starts again, with the visit as it was.", lambda: state("token")["venue"].get("pid") != plugin and visits()[0]["name"] == CAFE)
    told("It has looked at all that is published, and compared on the device.", lambda: looked(later))
    day = now // DAY
    told("It has found that its wearer was there at the same time: a higher risk on that day.",
         lambda: [(notice["name"], notice["day"], notice["level"]) for notice in notices()["notices"]] == [(CAFE, day, "increased")], 30)
    told("Its light says that there is news, and not what.", lambda: "news" in scene_of_light()["signals"])
    told_day = time.strftime("%Y-%m-%d", time.gmtime(day * DAY))
    answer = shown("token", "visits", "notices")
    told("So the wearer knows the day and the place; and not who, nor when exactly.", lambda: CAFE in answer and told_day in answer, 0.1)
    answer = shown("token", "risk", "--explain")
    told("And why, as far as anybody can know it.", lambda: told_day in answer, 0.1)


def kiosk_knows(phone):
    """What the kiosk has, as whoever takes it home could read it: every file, its log, and its plugin's store opened with its own key."""
    files = {}
    for place in [f"{FOLDER}/kiosk/data", f"{FOLDER}/kiosk/run"]:
        for folder, _, names in os.walk(place):
            for name in names:
                path = f"{folder}/{name}"
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, FOLDER)] = file.read()
    files["kiosk.log"] = read("kiosk.log").encode()
    key = files["kiosk/data/seals/venue"].hex()
    store = files["kiosk/data/state/venue/store"]
    size = (len(store) - RING * BLOCK) // 2
    halves = [part_of_store(store[at:at + size], b"vigil-store 6", key) for at in (0, size)]
    patches = [part_of_store(store[at:at + BLOCK], b"vigil-store 8", key) for at in range(2 * size, len(store), BLOCK)]
    # What was written before the last time is there, too.
    files["the opened store"] = b"\n".join(part[1] for part in halves + patches if part)
    return files


def forms(value):
    """How something could be written down; texts are looked for in lower case."""
    if isinstance(value, str):
        return [value.lower().encode(), value.lower().replace("-", "").encode()]
    return [value, value[::-1], value.hex().encode(), value[::-1].hex().encode(), value.hex(":").encode(), base64.b64encode(value).lower().rstrip(b"=")]


def search(files, wanted):
    """Names of what stands in a file, however it is written."""
    texts = [content + content.lower() for content in files.values()]
    return {name for name, value in wanted for form in forms(value) if any(form in text for text in texts)}


def ignorance(phone):
    scene(6, "And the kiosk?")
    shown("kiosk", "venue")
    nodes = on_air({"op": "list"})["nodes"]
    wanted = list(phone.secrets.items()) + [("identifier", value) for value in phone.sent]
    wanted += [("address", bytes.fromhex(node["addr"].replace(":", ""))) for node in nodes if node["id"] in (2, phone.radio)]
    files = kiosk_knows(phone)
    # Without the log and the opened store.
    told(f"Everything that it has is searched: {len(files) - 2} files, its log, and its store, opened with its own key. The search finds the name of "
         "its own place.", lambda: search(files, [("place", CAFE)]) == {"place"}, 0.1)
    told("And in what the authority published it finds the phone's visit, sealed.",
         lambda: search({"packages": published()}, wanted) == {"sealed visit"}, 0.1)
    kinds = len(phone.secrets)
    told(f"But at the kiosk nothing of its guests: neither the phone's {len(phone.sent)} identifiers of the day and {kinds} secrets of its test and warning, nor the "
         "address of the phone or the token on the air.", lambda: len(phone.sent) == 144 and kinds == 6 and search(files, wanted) == set(), 0.1)

    def refuses():
        try:
            return not call("kiosk", f"{CHECKIN}.GetVisits")
        except ValueError as refusal:
            return "WrongRole" in str(refusal)
    told("Nor does it count guests: asked for visits, it says that a place has none.", refuses)


def play():
    now = (int(time.time()) - 3 * HOUR) // 600 * 600
    # A visit over midnight would count for two days.
    if (now + 2 * HOUR) // DAY != now // DAY:
        now = now // DAY * DAY + 20 * HOUR
    write("scene.json", json.dumps({"hosts": [{"id": 1, "tx": -12, "path": [[0, 0, 0]]}, {"id": 2, "tx": -12, "path": [[0, 0.5, 0]]}]}))
    if not air("--scenario", f"{FOLDER}/scene.json", "--ctl", f"{FOLDER}/air.ctl", "--epoch", str(now)):
        raise Untrue("There is an air.")
    certificates()
    servers()
    door(now)
    phone = arrivals(now)
    departures(phone, now)
    warning(phone, now)
    news(now)
    ignorance(phone)


def main():
    began = time.monotonic()
    try:
        play()
        print(f"\n   That took {time.monotonic() - began:.0f} seconds.")
    except (Untrue, OSError, ValueError, KeyError, subprocess.CalledProcessError) as problem:
        tally["failed"] += 1
        print(f"\ndemo-visit.py: this is not so: {problem!r}", file=sys.stderr)
        for name in ["kiosk", "token", "authority", "tests"]:
            if os.path.exists(f"{FOLDER}/{name}.log"):
                print(f"--- {name}.log\n{read(f'{name}.log')[-2000:]}", file=sys.stderr)
    finally:
        status = end()
    sys.exit(status)


def end():
    """Ends everything, without the count of a test."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = clean_up(["kiosk", "token"])
    if status:
        print(said.getvalue(), file=sys.stderr)
    return status


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
