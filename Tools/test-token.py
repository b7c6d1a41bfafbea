#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys in a security token (SoftHSM), with the real programs. A registration authority's: made, wrong in each way that an operator can make it wrong, and a
board that enrols at it by curl and openssl, also after the token was away. A fleet's operator's: cards and configurations that openssl and a board's own
check verify, and a spare key that goes on when the token is lost.

Usage: test-token.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs softhsm2 (`Tools/setup.sh tokens`), nginx, openssl, curl; seconds.
"""
import base64
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

from fleetkit import BIN, Fleet, listens, run, until

PIN, LABEL = "4711081516", "fleet"
MODULE = next(iter(glob.glob("/usr/lib/softhsm/libsofthsm2.so") + glob.glob("/usr/lib64/softhsm/libsofthsm2.so")), None)
passed = failed = 0


def check(words, holds, detail=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'}  {words}{'' if holds else f'   {detail}'}", flush=True)


def new_token(folder):
    os.mkdir(f"{folder}/tokens")
    open(f"{folder}/softhsm2.conf", "w").write(f"directories.tokendir = {folder}/tokens\nlog.level = ERROR\n")
    os.environ["SOFTHSM2_CONF"] = f"{folder}/softhsm2.conf"
    run("softhsm2-util", "--init-token", "--free", "--label", LABEL, "--pin", PIN, "--so-pin", "76543210")
    open(f"{folder}/pin", "w").write(PIN + "\n")
    open(f"{folder}/wrong", "w").write("00000000\n")


def init(fleet, *more, pin="pin", label=LABEL, module=MODULE, expect=None):
    return run(f"{BIN}/vigil-authority", "fleet", "init", fleet.registry, "--title", "Fleet 1", "--pkcs11", module, "--token", label, "--pin-file",
               f"{fleet.folder}/{pin}", *more, expect=expect)


def making(fleet):
    folder = fleet.folder
    check("a wrong PIN has its sentence", "[wrongPIN]" in init(fleet, pin="wrong"))
    check("so has a token that is not there", "[noToken]" in init(fleet, label="other"))
    check("so has a module that is none", "[moduleUnusable]" in init(fleet, module="/etc/passwd"))
    check("so has a file that is not there", "[noPIN]" in init(fleet, pin="nothing"))
    check("none of them has left a folder", not os.path.exists(fleet.registry))
    said = init(fleet, expect=0)
    check("a key is made in the token", f"in the token “{LABEL}”" in said, said)
    check("no key is in the folder", sorted(os.listdir(fleet.registry)) == ["authority.pem", "registry.db", "settings.json"], os.listdir(fleet.registry))
    check("no PIN either", not any(PIN.encode() in open(f"{fleet.registry}/{name}", "rb").read() for name in os.listdir(fleet.registry)))
    check("the certificate is signed by its own key", "OK" in run("openssl", "verify", "-CAfile", f"{fleet.registry}/authority.pem", f"{fleet.registry}/authority.pem"))
    listing = run("softhsm2-util", "--show-slots")
    check("the token is the one", LABEL in listing)
    first = open(f"{fleet.registry}/authority.pem").read()
    os.unlink(f"{fleet.registry}/settings.json")
    said = init(fleet, expect=0)
    public = [subprocess.run(["openssl", "x509", "-pubkey", "-noout"], input=text, capture_output=True, text=True).stdout for text in (first, open(f"{fleet.registry}/authority.pem").read())]
    check("run again after an interruption, it takes the same key", public[0] == public[1] and public[0])
    open(f"{folder}/claims.txt", "w").write("".join(f"vg-{name} sha256:{digest}\n" for name, digest in CLAIMS.items()))
    check("a list is taken without the PIN", fleet.command("import", f"{folder}/claims.txt") == f"{len(CLAIMS)} added, 0 with a new card, 0 unchanged\n")
    serve = run(f"{BIN}/vigil-authority", "fleet", "serve", fleet.registry, expect=None)
    check("it does not serve without the PIN", "--pin-file" in serve and "[tokenUnusable]" in serve, serve)
    serve = run(f"{BIN}/vigil-authority", "fleet", "serve", fleet.registry, "--pin-file", f"{folder}/wrong", expect=None)
    check("nor with a wrong one", "[wrongPIN]" in serve, serve)


def claim(number):
    return f"00000000000000{number:02}"


def digest(number):
    return subprocess.run(["sha256sum"], input=claim(number), capture_output=True, text=True).stdout.split()[0]


CLAIMS = {f"board-{n}": digest(n) for n in range(4)}


def enrol(fleet, number):
    path, name = f"{fleet.folder}/{number}", f"vg-board-{number}"
    if not os.path.exists(f"{path}.key"):
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{path}.key")
    der = subprocess.run(["openssl", "req", "-new", "-key", f"{path}.key", "-subj", f"/CN={name}/serialNumber={name}", "-outform", "DER"],
                         capture_output=True, check=True).stdout
    open(f"{path}.csr", "wb").write(base64.encodebytes(der))
    status = run("curl", "-s", "-o", f"{path}.p7", "-w", "%{http_code}", "-u", f"{name}:{claim(number)}", "-H", "Content-Type: application/pkcs10", "--data-binary",
                 f"@{path}.csr", f"http://127.0.0.1:{fleet.inner}/.well-known/est/simpleenroll", expect=None)
    if status != "200":
        return status
    subprocess.run(["openssl", "pkcs7", "-inform", "DER", "-print_certs", "-out", f"{path}.pem"], input=base64.b64decode(open(f"{path}.p7").read()), check=True)
    return "OK" if "OK" in run("openssl", "verify", "-CAfile", f"{fleet.registry}/authority.pem", f"{path}.pem", expect=None) else "not verified"


def serving(fleet):
    folder = fleet.folder
    log = open(f"{folder}/log", "w")
    pin = os.open(f"{folder}/pin", os.O_RDONLY)
    service = subprocess.Popen([f"{BIN}/vigil-authority", "fleet", "serve", fleet.registry, "--port", str(fleet.inner), "--pin-file", f"/dev/fd/{pin}"],
                               stdout=subprocess.DEVNULL, stderr=log, pass_fds=[pin])
    try:
        check("it serves with the PIN from a descriptor", until(lambda: listens(fleet.inner)), open(f"{folder}/log").read())
        seen = open(f"/proc/{service.pid}/cmdline", "rb").read() + open(f"/proc/{service.pid}/environ", "rb").read()
        check("nobody sees the PIN in its command line or environment", PIN.encode() not in seen)
        check("a board enrols by the token's key", (answer := enrol(fleet, 0)) == "OK", answer)
        # The token's files are away: what SoftHSM makes of that is what a token does that is pulled out.
        os.rename(f"{folder}/tokens", f"{folder}/away")
        answer = enrol(fleet, 1)
        check("without the token a board is told to come again", answer == "503", answer)
        said = open(f"{folder}/log").read()
        check("and the operator reads why, once", enrol(fleet, 1) == "503" and said == open(f"{folder}/log").read() and said.count("[noToken]") == 1, said)
        check("a board that has its certificate gets it all the same", enrol(fleet, 0) == "OK")
        os.rename(f"{folder}/away", f"{folder}/tokens")
        answer = enrol(fleet, 1)
        check("with the token back it enrols", answer == "OK", answer + open(f"{folder}/log").read())
        check("and the operator reads that, too", "signs again" in open(f"{folder}/log").read(), open(f"{folder}/log").read())
    finally:
        service.terminate()
        service.wait(30)


def uri(folder, name="operator", label=LABEL, pin="pin", module=MODULE):
    return f"pkcs11:token={label};object={name}?module-path={module}&pin-source=file:{folder}/{pin}"


def key(folder, name, *more):
    return run(f"{BIN}/vigil-fleet", "key", name, *more, expect=None)


def verified(folder, public, signature, signed):
    return "OK" in run("openssl", "dgst", "-sha256", "-verify", f"{folder}/{public}", "-signature", signature, signed, expect=None)


def taken(card, *more):
    """What a board says of a card."""
    return subprocess.run([f"{BIN}/vigil", "board", "provision", f"{card}/provision", *more], capture_output=True, text=True)


def operator(folder):
    """The operator's key in the token, and a spare one in a file, as if it were a second token in a safe."""
    for words, name, code in (("a wrong PIN", uri(folder, pin="wrong"), "wrongPIN"), ("a token that is not there", uri(folder, label="other"), "noToken"),
                              ("a PIN on the command line", uri(folder) + "&pin-value=" + PIN, "unusableURI"), ("half a name", "pkcs11:token=fleet", "unusableURI")):
        said = key(folder, name)
        check(f"operator's key: {words} has its sentence", f"[{code}]" in said and PIN not in said.replace(name, ""), said)
    check("a trial makes no key", "would be made" in key(folder, uri(folder), "--dry-run") and "[noKey]" in plan_cards(folder, uri(folder)))
    first = json.loads(key(folder, uri(folder), "--public", f"{folder}/operator.pem", "--json"))
    again = json.loads(key(folder, uri(folder), "--json"))
    check("the operator's key is made in the token once", first["made"] and not again["made"] and first["sha256"] == again["sha256"], (first, again))
    check("its public half is never written over", "is there already" in key(folder, uri(folder), "--public", f"{folder}/operator.pem"))
    key(folder, f"{folder}/spare.key", "--public", f"{folder}/spare.pem")
    check("a key in a file is its owner's alone", os.stat(f"{folder}/spare.key").st_mode & 0o777 == 0o600)
    check("and stays", "There already" in key(folder, f"{folder}/spare.key"))

    check("a spare key is another one", "have this key already" in plan_cards(folder, uri(folder), "--spare-key", f"{folder}/operator.pem"))
    plan_cards(folder, uri(folder), "--spare-key", f"{folder}/spare.pem", "--signed-cards-only")
    serials = sorted(os.listdir(f"{folder}/cards"))
    cards = [f"{folder}/cards/{serial}" for serial in serials if serial.startswith("vg-")]
    check("openssl verifies each card by the token's public half", len(cards) == 3
          and all(verified(folder, "operator.pem", f"{card}/provision/device.sig", f"{card}/provision/device.json") for card in cards))
    named = json.load(open(f"{cards[0]}/provision/vigil.json"))["operatorKeys"]
    check("each card names both keys", named == ["fleet-1=/data/provision/operator.pem", "fleet-2=/data/provision/operator-2.pem"], named)
    said = taken(cards[0])
    check("a board takes it", said.returncode == 0, said.stdout + said.stderr)
    check("no PIN and no private key is on it", not any(word in open(os.path.join(place, name), "rb").read() for place, _, names in os.walk(f"{folder}/cards")
                                                       for name in names for word in (PIN.encode(), b"PRIVATE KEY")))
    again = json.loads(plan_cards(folder, uri(folder), "--spare-key", f"{folder}/spare.pem", "--signed-cards-only", "--json"))
    check("planned again, nothing is different", again["findings"] == [] and again["made"] == 0, again)
    said = plan_cards(folder, uri(folder), "--signed-cards-only")
    check("without the spare key the difference is named", said.count("--spare-key says none") == 3, said)

    configuration(folder)
    rotation(folder)
    lost(folder, cards[0])


def plan_cards(folder, name, *more):
    open(f"{folder}/cards.csv", "w").write("name,use,language,network\n" + "".join(f"board {n},person,en,automatic\n" for n in range(3)))
    return run(f"{BIN}/vigil-fleet", "plan", f"{folder}/cards.csv", "--inventory", f"{folder}/cards.sqlite", "--cards", f"{folder}/cards", "--authority", "none",
               "--technician", "none", "--key", name, *more, expect=None)


def configuration(folder):
    stages = [{"to": "fleet", "plugins": {"sync": {"settings": {"everySeconds": 7200}}}}]
    open(f"{folder}/wish.json", "w").write(json.dumps({"format": "vigil-fleet-configuration-1", "version": int(time.time()), "trialSeconds": 3600, "stages": stages}))
    said = run(f"{BIN}/vigil-fleet", "configure", f"{folder}/wish.json", "--key", uri(folder), "--key", f"{folder}/spare.key", "--out", f"{folder}/signed", expect=None)
    if not os.path.exists(f"{folder}/signed"):
        return check("both keys sign a configuration", False, said)
    signed = json.load(open(f"{folder}/signed"))
    document = base64.b64decode(signed["document"])
    open(f"{folder}/document", "wb").write(b"vigil fleet configuration 1\n" + document)
    good = []
    for number, signature in enumerate(signed["signatures"]):
        open(f"{folder}/signature", "wb").write(base64.b64decode(signature["signature"]))
        good.append(verified(folder, ("operator.pem", "spare.pem")[number], f"{folder}/signature", f"{folder}/document"))
    check("both keys sign a configuration", good == [True, True], good)


def rotation(folder):
    run(f"{BIN}/vigil-authority", "init", "--state", f"{folder}/health")
    said = run(f"{BIN}/vigil-authority", "keys", "rotate", "--state", f"{folder}/health", "--role", "export", "--name", "262-v9", "--keep-days", "0", "--operator-key",
               uri(folder), "--operator-name", "fleet-1", "--json", expect=None)
    check("the token signs a change of an authority's keys after a theft", '"operator' in said and "successions" in said, said)


def lost(folder, card):
    """The token is gone. The spare key signs the next card, which a board with the first one takes; a stranger's it does not."""
    held = f"{folder}/held"
    os.rename(f"{card}/provision", held)
    os.rename(f"{folder}/tokens", f"{folder}/away")
    os.mkdir(f"{folder}/tokens")
    said = plan_cards(folder, uri(folder), "--remake", os.path.basename(card))
    check("without the token no card is made", "[noToken]" in said, said)
    serial = os.path.basename(card)
    key(folder, f"{folder}/new.key", "--public", f"{folder}/new.pem")
    key(folder, f"{folder}/stranger.key")
    for name, is_taken, words in (("stranger", False, "a card that a stranger has signed is refused"), ("spare", True, "a board takes the card that the spare key has signed")):
        plan_cards(folder, f"{folder}/{name}.key", "--spare-key", f"{folder}/new.pem", "--signed-cards-only", "--remake", serial)
        said = taken(card, "--held", held)
        check(f"the token lost, {words}", (said.returncode == 0) == is_taken, said.stdout + said.stderr)


def main():
    if MODULE is None or run("sh", "-c", "command -v softhsm2-util || :") == "":
        print("--- SKIPPED: SoftHSM is not installed; `Tools/setup.sh tokens` installs it")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder:
        new_token(folder)
        fleet = Fleet(folder)
        making(fleet)
        serving(fleet)
        operator(folder)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
