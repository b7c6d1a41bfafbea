#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An authority's signing key is stolen, and the fleet's operator takes it out of force: on a whole board with sync, a real authority and a thief, who is
an authority of the same name with the stolen key. The thief's files count until then; the thief puts keys of its own in for key files, and cannot for
rules. The operator signs one change of keys, the authority publishes it and signs everything anew, sync carries it, and from then on nothing of the
thief's counts and everything of the authority's does, also after the core was killed, and after the whole board was.

Usage: test-succession.py FOLDER-WITH-EXECUTABLES     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl; a minute.
"""
import base64
import glob
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time

from boardkit import BIN, FOLDER, air, call, check, perform, read, run, state, stop, until, write
from serverkit import authority_server, board, certificates, hand_in, other_authority, servers, syncs, wait_for_turn

TRUST = "org.vigil.trust1"
BOARD = "board"
FLEET = ("--operator-key", f"fleet-1={FOLDER}/fleet.pub.pem")


def authority(*words, good=True):
    result = subprocess.run([f"{BIN}/vigil-authority", *words], capture_output=True, text=True, timeout=60)
    if good and result.returncode:
        raise SystemExit(f"vigil-authority {' '.join(words)}: {result.stderr}")
    return result.stdout


def steal():
    """The thief is an authority with the same names and another folder, in which the export key is the stolen one."""
    other_authority("thief", "262-v1")
    shutil.copy(f"{FOLDER}/authority/keys/export.pem", f"{FOLDER}/thief/keys/export.pem")
    os.chmod(f"{FOLDER}/thief/keys/export.pem", 0o600)


def file_of(name):
    """A file of keys that nobody has, which that authority signs now."""
    day = int(time.time()) // 86_400 - 2
    keys = [{"key": base64.b64encode(secrets.token_bytes(16)).decode(), "rollingStartNumber": day * 144, "rollingPeriod": 144, "transmissionRisk": 3,
             "reportType": 1, "daysSinceOnset": 0} for _ in range(5)]
    submission = write("thief.json", json.dumps({"temporaryExposureKeys": keys}))
    authority("accept", "--state", f"{FOLDER}/{name}", submission)
    authority("publish", "--state", f"{FOLDER}/{name}", "--early", "--quiet")
    # Whoever changes keys signs anew what is public: this is kept as it was.
    return shutil.copy(newest(name), f"{FOLDER}/{secrets.token_hex(4)}.zip")


def signers_of(path):
    """Which of the authority's two keys signed a file."""
    keys = {"v1": f"{FOLDER}/keys/export-262-v1.pem", "v2": f"{FOLDER}/new/export-262-v2.pem"}
    return [version for version, key in keys.items()
            if subprocess.run([f"{BIN}/vigil", "export", "verify", path, "--verify", f"262-{version}={key}"], capture_output=True, timeout=60).returncode == 0]


def packages(name):
    return glob.glob(f"{FOLDER}/{name}/public/version/v1/diagnosis-keys/country/EUR/date/*/hour/*/index.zip")


def newest(name):
    return max(packages(name), key=lambda path: (os.stat(path).st_mtime, path))


def provide(path):
    """What the board says of a file that somebody brings on a stick: "taken", or why not."""
    result = subprocess.run([f"{BIN}/vigil", "ctl", "keys", "provide", path, "--run", f"{FOLDER}/{BOARD}/run"], capture_output=True, text=True, timeout=60)
    return "taken" if result.returncode == 0 else " ".join((result.stdout + result.stderr).split())


def offer(path):
    """What the board says of a succession: whether it changed anything, or the rule that refused it."""
    try:
        return call(BOARD, f"{TRUST}.TakeSuccession", {"document": read(os.path.relpath(path, FOLDER))})["changed"]
    except ValueError as error:
        return next((rule for rule in ("notSigned", "notNewer", "stepTooLarge") if f"'{rule}'" in str(error)), str(error))


def in_force(role):
    return [signer["name"] for signer in call(BOARD, f"{TRUST}.GetSigners")["signers"] if signer["role"] == role and signer["inForce"]]


def half(role):
    return {hashlib.sha256(base64.b64decode(signer["publicHalf"])).hexdigest()
            for signer in call(BOARD, f"{TRUST}.GetSigners")["signers"] if signer["role"] == role and signer["inForce"]}


def rules():
    return call(BOARD, "org.vigil.risk1.GetConfiguration")["version"]


def synchronise():
    before = syncs(BOARD)["sources"][0].get("lastSuccess", 0)
    wait_for_turn(BOARD)
    call(BOARD, "org.vigil.sync1.SyncNow")
    return until(lambda: not syncs(BOARD)["running"] and syncs(BOARD)["sources"][0].get("lastSuccess", 0) > before, 60)


def rotate(name, role, new, *more):
    return json.loads(authority("keys", "rotate", "--state", f"{FOLDER}/{name}", "--role", role, "--name", new, "--keep-days", "0", "--json", *more))


def rises(before):
    """A process of the core after the one before, with its console open."""
    return until(lambda: state(BOARD)["core"]["state"] == "running" and state(BOARD)["core"]["pid"] != before and bool(in_force("export")), 30)


def is_mended(when):
    check(f"{when}: the new key counts, and it alone", in_force("export") == ["262-v2"], in_force("export"))
    check(f"{when}: rules are signed by whom they were", in_force("config") == ["262-v1"] and rules() > 0, (in_force("config"), rules()))


def main():
    certificates()
    run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{FOLDER}/fleet.pem")
    os.chmod(f"{FOLDER}/fleet.pem", 0o600)
    run("openssl", "pkey", "-in", f"{FOLDER}/fleet.pem", "-pubout", "-out", f"{FOLDER}/fleet.pub.pem")
    servers()
    hand_in(300)
    steal()
    air()
    board(BOARD, plugins=("sync",), more=FLEET)
    if not check("the board is on air", until(lambda: state(BOARD)["core"]["state"] == "running", 60)):
        return
    check("it synchronises with an authority that never changed its keys, and nothing is wrong",
          synchronise() and not syncs(BOARD)["sources"][0].get("problem"), syncs(BOARD)["sources"][0].get("problem", ""))
    check("rules came", until(lambda: rules() > 0))
    check("it was provisioned with one key", call(BOARD, f"{TRUST}.GetSigners")["successions"] == 0 and in_force("export") == ["262-v1"])

    # The theft.
    old = file_of("thief")
    check("before anybody knows of the theft, the thief's file counts", provide(old) == "taken")
    stolen_rules = rotate("thief", "config", "262-t1")
    answer = offer(stolen_rules["path"])
    check("the thief cannot put in a key for rules", answer == "notSigned", answer)
    last = file_of("thief")
    own = rotate("thief", "export", "262-t1", "--sequence", "1000")
    answer = offer(own["path"])
    check("the thief can put in a key of its own for key files, with as high a number as the step allows", answer is True, answer)
    check("then the authority's own key counts no more on this board", in_force("export") == ["262-t1"], in_force("export"))
    mine = file_of("thief")

    # The answer: on the authority's folder, signed by the operator.
    report = rotate("authority", "export", "262-v2", "--operator-key", f"{FOLDER}/fleet.pem", "--operator-name", "fleet-1")
    check("the operator signs a change of keys with a number of its own", report["signer"] == "operator" and report["sequence"] == 1, report["signer"])
    stop("authority")
    check("the authority publishes it", authority_server() and until(
        lambda: os.path.exists(f"{FOLDER}/authority/public/version/v1/successions/index.json"), 20))
    check("and shows the new key as its own", "export 262-v2" in authority("keys", "--state", f"{FOLDER}/authority"))
    synchronise()
    check("sync brings it, whatever number the thief has used", until(lambda: in_force("export") == ["262-v2"], 30), in_force("export"))
    check("the key in force is the operator's", half("export") == {report["keys"][0]["sha256"]})
    is_mended("with the next synchronisation")
    authority("keys", "--state", f"{FOLDER}/authority", "--out", f"{FOLDER}/new")
    signers = {path: signers_of(path) for path in packages("authority")}
    check("every package that the authority offers is signed anew", signers and all(found == ["v2"] for found in signers.values()), len(signers))
    check("and sync has all of them", until(lambda: not syncs(BOARD)["running"], 60)
          and syncs(BOARD)["sources"][0]["missingCount"] == 0, syncs(BOARD)["sources"][0].get("problem", ""))
    for name, path in [("the stolen key", last), ("the thief's own key", mine)]:
        answer = provide(path)
        check(f"a file signed by {name} is refused", "noTrustedSigner" in answer, answer.rpartition("signed as ")[2][:30])
    answer = offer(own["path"])
    check("the thief's succession is played back in vain", answer in (False, "notSigned") and in_force("export") == ["262-v2"], answer)
    fresh = rotate("thief", "export", "262-t2")
    answer = offer(fresh["path"])
    check("and so is the next one", answer == "notSigned", answer)

    # What is kept.
    before = state(BOARD)["core"]["pid"]
    os.kill(before, signal.SIGKILL)
    check("the core is killed, and comes back", rises(before))
    is_mended("after the core was killed")
    answer = provide(last)
    check("then a file signed by the stolen key is refused", "noTrustedSigner" in answer, answer.rpartition("signed as ")[2][:30])
    stop("authority")
    answer = provide(file_of("authority"))
    check("and a new file of the authority's counts", answer == "taken", answer)
    before = state(BOARD)["core"]["pid"]
    stop(BOARD, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{before}"))
    board(BOARD, plugins=("sync",), more=FLEET)
    check("the whole board is killed, and comes back", rises(before))
    is_mended("after the whole board was killed")
    kinds = [entry for entry in call(BOARD, "org.vigil.device1.GetAudit", {}, more=True)["entries"] if entry["kind"] == "keysChanged"]
    kinds = [entry["details"]["signer"] for entry in kinds]
    check("its record says who changed keys", kinds == ["export", "operator"], kinds)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    perform(main)
