#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A registration authority whose key is in a security token (SoftHSM), with the real programs: made, wrong in each way that an operator can make it
wrong, and a board that enrols at it by curl and openssl, also after the token was away.

Usage: test-token.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs softhsm2 (`Tools/setup.sh tokens`), nginx, openssl, curl; seconds.
"""
import base64
import glob
import os
import subprocess
import sys
import tempfile

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


def main():
    if MODULE is None or run("sh", "-c", "command -v softhsm2-util || :") == "":
        print("--- SKIPPED: SoftHSM is not installed; `Tools/setup.sh tokens` installs it")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder:
        new_token(folder)
        fleet = Fleet(folder)
        making(fleet)
        serving(fleet)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
