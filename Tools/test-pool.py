#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pool of tokens: a desk lends one, gets it back, wipes it at its page, proves it, and gives it to somebody else. The second wearer's board, page
and radio share nothing with the first's, and the first label's code opens nothing. With a whole board on a simulated air, and vigil-fleet at the desk.

Usage: test-pool.py FOLDER-WITH-EXECUTABLES
Needs root, openssl. Ends with "N passed, M failed".
"""
import json
import os
import secrets
import shutil
import ssl
import subprocess
import sys

from boardkit import BIN, FOLDER, ROOT, air, call, check, free_port, perform, run, start, state, stop, until, write

sys.path.insert(0, f"{ROOT}/Tests/System/Browser")
from intruder import Client  # noqa: E402

PAGE, TLS = free_port(), free_port()
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SERIAL = "vg-2kr5-qz4ra"
PLUGINS = {"webui": "WebUI", "venue": "Venue", "sync": "Sync", "wake": "Wake", "indicator": "Indicator"}
MARK = secrets.token_hex(4)
# What nobody writes by chance, each where a wearer or a technician can leave it.
CANARIES = {name: f"canary-{name}-{MARK}" for name in ["title", "place", "paired", "recording", "line"]}


def code():
    text = "".join(secrets.choice(ALPHABET) for _ in range(16))
    return "-".join(text[at:at + 4] for at in range(0, 16, 4))


def venue_code(name):
    """A code of the Corona-Warn-App for a restaurant (its protocol buffers; each part has less than 128 bytes)."""
    import base64

    def part(number, value):
        return bytes([number << 3, value]) if isinstance(value, int) else bytes([number << 3 | 2, len(value)]) + value
    payload = part(1, 1) + part(2, part(1, 1) + part(2, name.encode()) + part(3, b"Lindenweg 4")) \
        + part(3, part(1, 1) + part(2, b"key") + part(3, bytes(range(16)))) + part(4, part(1, 1) + part(2, 4) + part(3, 90))
    return "https://e.coronawarn.app?v=1#" + base64.urlsafe_b64encode(payload).decode().rstrip("=")


def fleet(*words, typed=None):
    """vigil-fleet at the desk: status, what it prints, what it complains of."""
    done = subprocess.run([f"{BIN}/vigil-fleet", *words], capture_output=True, text=True, input=typed or "", timeout=60)
    return done.returncode, done.stdout, done.stderr


def pool(*words, typed=None):
    return fleet("pool", *words, "--inventory", f"{FOLDER}/pool.sqlite", typed=typed)


def ctl(*words):
    """`vigil ctl` with its status: `wiped` says by it whether the token is ready."""
    done = subprocess.run([f"{BIN}/vigil", "ctl", *words, "--run", f"{FOLDER}/board/run"], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def wiped():
    status, text, _ = ctl("wiped", "--json")
    return status, json.loads(text) if text else {}


def begin(first):
    """The token as a card has made it: codes, and what its operator grants."""
    place = f"{FOLDER}/board"
    for path in [f"{place}/data/core", f"{place}/plugins"]:
        os.makedirs(path)
    grants = {}
    for name, folder in PLUGINS.items():
        os.makedirs(f"{place}/plugins/{name}")
        with open(f"{ROOT}/Plugins/{folder}/plugin.json") as file:
            manifest = json.load(file)
        if os.path.isdir(f"{ROOT}/Plugins/{folder}/texts"):
            shutil.copytree(f"{ROOT}/Plugins/{folder}/texts", f"{place}/plugins/{name}/texts")
        manifest["quotas"]["processes"] = 64
        write(f"board/plugins/{name}/plugin.json", json.dumps(manifest))
        grants[name] = {"enabled": True, "calls": {want["interface"]: want["methods"] for want in manifest.get("wants", []) if "interface" in want}}
    grants["webui"] |= {"listens": {"web": {"address": "127.0.0.1", "port": PAGE}, "secure": {"address": "127.0.0.1", "port": TLS}},
                        "settings": {"title": "Token 7"}}
    grants["venue"] |= {"settings": {"systems": ["coronaWarnApp"]}}
    grants["sync"] |= {"settings": {"sources": [{"name": "x", "kind": "folder", "base": "/nowhere"}]}}
    grants["wake"] |= {"endpoints": {"broker": [{"host": "127.0.0.1", "port": 9, "private": True}]},
                       "settings": {"host": "127.0.0.1", "port": 9, "region": "x", "tls": False}}
    write("board/grants.json", json.dumps({"plugins": grants}))
    write("board/data/core/first-secrets", json.dumps(first))
    os.chmod(f"{place}/data/core/first-secrets", 0o600)
    for path in [f"{place}/data/core", f"{place}/data/core/first-secrets"]:
        os.chown(path, 61900, 61900)
    start("tap", sys.executable, f"{ROOT}/Tools/air_tap.py", f"{FOLDER}/tap", f"{FOLDER}/air", f"{FOLDER}/on-air")
    until(lambda: os.path.exists(f"{FOLDER}/tap"))
    start("board", f"{BIN}/vigil", "run", "--transport", f"h4:unix:{FOLDER}/tap", "--data", f"{place}/data", "--run", f"{place}/run",
          "--plugins", f"{place}/plugins", "--grants", f"{place}/grants.json", "--level", "debug")


def on_air():
    with open(f"{FOLDER}/on-air") as file:
        return {words[2] for words in map(str.split, file) if words[1:2] == ["on"]}


def certificate():
    return ssl.get_server_certificate(("127.0.0.1", TLS))


def key_of(pem):
    return run("openssl", "x509", "-noout", "-pubkey", input=pem)


def signed_in(secret, role="wearer"):
    client = Client(PAGE)
    answer = client.post("/sign-in", {"act": "signIn", "role": role, "secret": secret})
    return client if answer.status == 303 else None


def kept():
    """Every plain file of data and run, and what the operator grants, by path. Sockets and folders are names only."""
    for top in ["board/data", "board/run", "board/grants.json"]:
        top = f"{FOLDER}/{top}"
        walk = os.walk(top) if os.path.isdir(top) else [(os.path.dirname(top), [], [os.path.basename(top)])]
        for place, folders, names in walk:
            for name in folders:
                yield f"{place}/{name}", b""
            for name in names:
                path = f"{place}/{name}"
                data = b""
                if os.path.islink(path):
                    data = os.readlink(path).encode()
                elif os.path.isfile(path):
                    try:
                        with open(path, "rb") as file:
                            data = file.read()
                    except OSError:
                        pass
                yield path, data


def found(needles):
    """Which of the needles is in which file or name."""
    hits = {}
    for path, data in kept():
        for name, needle in needles.items():
            if needle in data or needle in path.encode():
                hits.setdefault(name, []).append(path.removeprefix(FOLDER))
    return hits


def sealed():
    """The middle of everything that looks like a key or is sealed: keys, seals, stores; the page's key among them. What must outlast is not there."""
    pieces = {}
    for path, data in kept():
        where = path.removeprefix(f"{FOLDER}/board/")
        if not where.startswith(("data/core", "data/state", "data/seals")) or where.endswith((".life", "access/secrets")) or len(data) < 32:
            continue
        # A preallocated file ends in zeros, and a page of a database may.
        rest = data.rstrip(b"\0")
        piece = rest[len(rest) // 2 - 12:len(rest) // 2 + 12]
        if len(set(piece)) >= 16 and any(byte > 127 for byte in piece):
            pieces[where] = piece
    return pieces


def lend(first):
    check("a token comes into the pool, is charged and lent", [pool(*words)[0] for words in [("add", SERIAL), ("charge", SERIAL), ("lend", SERIAL, "--desk", "3")]] == [0, 0, 0])
    check("it has a life, and nobody had it", wiped()[0] == 3 and wiped()[1]["life"] == 1)
    wearer = signed_in(first["wearer"])
    check("the label's code opens the page", wearer is not None)
    call("board", "org.vigil.device1.SetTime", {"now": 1_795_000_000_000})
    call("board", "org.vigil.device1.Enable")
    check("it sends", until(lambda: len(on_air()) > 0))
    wearer.post("/settings", {"act": "setLanguage", "language": "fr"})
    check("its wearer checks in", "number" in json.dumps(call("board", "org.vigil.checkin1.CheckIn", {"code": venue_code(CANARIES["place"])})))
    ctl("pair", "write", f"{FOLDER}/own.pairing", "--yes")
    ctl("pair", "read", f"{FOLDER}/own.pairing", "--name", CANARIES["paired"][:32], "--yes")
    technician = signed_in(first["technician"], "technician")
    technician.post("/tech/plugins/webui", {"act": "setSettings", "set.title": CANARIES["title"], "title": CANARIES["title"]})
    check("a technician gives it a name", until(lambda: CANARIES["title"] in Client(PAGE).get("/sign-in").text))
    with open(f"{FOLDER}/board/run/ctl/recording.btsnoop", "w") as file:
        file.write(CANARIES["recording"])
    with open(f"{FOLDER}/board/data/state/venue/rows", "w") as file:
        file.write(CANARIES["line"])
    return wearer, technician


def everything():
    ready = until(lambda: air() and True, 20)
    first = {"wearer": code(), "technician": code()}
    begin(first)
    ready = ready and until(lambda: state("board")["core"]["state"] == "running" and certificate() and Client(PAGE).get("/sign-in").status == 200, 40)
    check("a token runs, with its page and its plugins", ready)
    wearer, technician = lend(first)
    before = {"certificate": certificate(), "radio": on_air(), "life": open(f"{FOLDER}/board/data/core/life").read()}
    hashes = json.loads(open(f"{FOLDER}/board/data/core/access/secrets").read().split("\n")[0])["secrets"]
    needles = {name: text.encode() for name, text in CANARIES.items() if name != "paired" and name != "place"}
    check("what it left is found where it is not sealed", set(found(needles)) == set(needles), found(needles))
    pieces = sealed()
    check("keys, seals and stores are there", len(pieces) >= 8, sorted(pieces))
    hostile = dict(wearer.cookies)

    check("returned and not wiped, it is not lent", pool("return", SERIAL)[0] == 0 and pool("lend", SERIAL)[0] == 2)
    status, proof = wiped()
    check("no proof before the wipe", status == 3 and pool("wiped", SERIAL, "--proof", "-", typed=json.dumps(proof))[0] == 2, proof)
    check("who only types another word erases nothing", technician.post("/reset", {"act": "reset", "word": "no"}).status == 422)
    # The page speaks the language that the first wearer has chosen, so that is the word's.
    with open(f"{ROOT}/Plugins/WebUI/texts/fr.txt", encoding="utf-8") as file:
        word = next(line.partition(" = ")[2].strip() for line in file if line.startswith("reset.word = "))
    answer = technician.post("/reset", {"act": "reset", "word": word})
    check("a technician hands it on at the page", answer.status == 200, answer.status)
    check("it begins another life", until(lambda: open(f"{FOLDER}/board/data/core/life").read() != before["life"] and wiped()[0] == 0, 40), wiped())
    status, proof = wiped()
    check("the proof says so, and names nobody", proof["ready"] and proof["life"] == 2 and proof["handedOn"] and proof["left"] == []
          and not proof["hasWearersSecret"] and set(proof) <= {"ready", "life", "erased", "handedOn", "left", "hasWearersSecret", "inUse", "wifi", "reasons"}, proof)
    check("the desk notes it", pool("wiped", SERIAL, "--proof", "-", typed=json.dumps(proof))[0] == 0)
    check("the same proof is none a second time", pool("wiped", SERIAL, "--proof", "-", typed=json.dumps(proof))[0] == 2)

    until(lambda: Client(PAGE).get("/sign-in").status == 200, 30)
    check("the first label's code opens nothing", signed_in(first["wearer"]) is None)
    old = Client(PAGE)
    old.cookies = hostile
    check("nor does the browser that was signed in", old.get("/settings").status != 200)
    again = signed_in(first["technician"], "technician")
    check("the technician's code is still the technician's", again is not None)
    check("the page's name is the operator's again", until(lambda: "Token 7" in Client(PAGE).get("/sign-in").text, 20))
    check("the page has another certificate, of another key", key_of(certificate()) != key_of(before["certificate"]))
    needles |= {"first code": first["wearer"].encode(), "first code without dashes": first["wearer"].replace("-", "").encode(),
                "hash of the first code": hashes["wearer"]["hash"].encode(), "salt of the first code": hashes["wearer"]["salt"].encode(),
                "life": before["life"].encode(), "certificate": ssl.PEM_cert_to_DER_cert(before["certificate"])[40:80],
                "place": CANARIES["place"].encode(), "paired": CANARIES["paired"][:32].encode(),
                **{f"cookie {name}": value.encode() for name, value in hostile.items() if len(value) >= 32}}
    check("nothing that the first wearer left is in any file or name", found(needles) == {}, found(needles))
    check("no key, seal or store is what it was", found(pieces) == {}, found(pieces))
    check("the technicians' codes and the operator's settings are still there", hashes["technician"]["hash"] in
          open(f"{FOLDER}/board/data/core/access/secrets").read() and "coronaWarnApp" in open(f"{FOLDER}/board/grants.json").read())

    status, made, _ = ctl("access", "make", "wearer", "--json")
    second = json.loads(made)["secret"]
    label = fleet("label", SERIAL, f"{FOLDER}/label", typed=made)
    check("the next wearer's code becomes a label, and is shown nowhere", label[0] == 0 and os.path.exists(f"{FOLDER}/label/label.pdf")
          and second not in label[1] + label[2] and second in open(f"{FOLDER}/label/label.svg").read(), label)
    check("it is another code", second not in first.values())
    check("it is lent again", pool("lend", SERIAL)[0] == 0)
    next_wearer = signed_in(second)
    check("the next wearer signs in", next_wearer is not None)
    check("and was asked for nothing yet: nothing is sent", not call("board", "org.vigil.exposure1.GetStatus")["status"]["enabled"])
    log = call("board", "org.vigil.device1.GetAudit", {}, more=True)["entries"]
    check("the next wearer's log begins with the wipe", log[0]["kind"] == "lifeBegun" and log[0]["details"] == {"life": "2", "handedOn": "yes"}, log[:1])
    check("and shows no visit, no language, no pairing of before", call("board", "org.vigil.checkin1.GetVisits", {})["visits"] == []
          and "language" not in call("board", "org.vigil.device1.GetPreferences")["preferences"]
          and call("board", "org.vigil.device1.GetPaired")["paired"] == [])
    call("board", "org.vigil.device1.SetTime", {"now": 1_795_000_600_000})
    call("board", "org.vigil.device1.Enable")
    check("on the air it is somebody else", until(lambda: on_air() - before["radio"]) and call("board", "org.vigil.exposure1.GetStatus")["status"]["enabled"])
    check("a token in use is not called wiped", wiped()[0] == 3)
    check("lost and found: wiped before anybody else gets it", [pool(*words)[0] for words in [("lost", SERIAL), ("lend", SERIAL), ("found", SERIAL), ("lend", SERIAL)]] == [0, 2, 0, 2])
    status, listed, _ = pool("list", "--json")
    check("the desk's list names no borrower", status == 0 and set(json.loads(listed)[0]) <= {"serial", "name", "state", "since", "life", "charged", "desk"}, listed)
    stop("board")


if __name__ == "__main__":
    perform(everything)
