#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Can anybody on the wire tell who was tested? Days of devices with a test and a warning, and days without, played by the real plugin's parts
over real TLS, captured on the loopback of a network of its own, and given to a classifier that is trained on half of them.

So that "it finds nothing" means something, the same is done with devices and servers that are broken on purpose: those it must find.

With --way the same at other authorities' servers, of which Tests/System/Peers has stand-ins. What is judged is the device: a stand-in's answers wait for the
end of a slot and are all as long, because what they show is theirs. With the fault "prompt" they are left as they are.

Usage: test-wire.py FOLDER-WITH-EXECUTABLES [--way cwa|ens|nhs] [--days N] [--control-days N] [--only none,NAME] [--slots N] [--keep FOLDER] [--judge FOLDER] [--quick]
Ends with "N passed, M failed". Needs root, nginx, openssl; fetches scikit-learn from PyPI into .build/wire, once."""
import argparse
import contextlib
import filecmp
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = f"{ROOT}/.build/wire"
REQUIREMENTS = f"{ROOT}/Tests/System/Wire/requirements.txt"


def settle():
    """Goes on in a Python with scikit-learn, and in a network of its own, where nobody else's packets are."""
    python = f"{PLACE}/venv/bin/python"
    if not os.path.exists(f"{PLACE}/installed.txt") or not filecmp.cmp(REQUIREMENTS, f"{PLACE}/installed.txt", shallow=False):
        print("test-wire.py: fetching scikit-learn", flush=True)
        shutil.rmtree(PLACE, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", f"{PLACE}/venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement", REQUIREMENTS],
                       check=True)
        shutil.copy(REQUIREMENTS, f"{PLACE}/installed.txt")
    os.environ["VIGIL_WIRE"] = "settled"
    os.execvp("unshare", ["unshare", "--net", python, os.path.abspath(__file__), *sys.argv[1:]])


if os.environ.get("VIGIL_WIRE") != "settled":
    settle()

sys.path.insert(0, f"{ROOT}/Tests/System/Wire")
import capture  # noqa: E402
import features  # noqa: E402
import flows  # noqa: E402
import judge  # noqa: E402
import serverkit  # noqa: E402
from boardkit import BIN, FOLDER, check, perform, read, run, start, stop, until, write  # noqa: E402

WEB = 8443


# Seconds; NHS COVID-19's exchange of a code takes a second longer than everything else.
SLOTS = {"ens": 0.1, "nhs": 1.2}
ANSWER = 7_000


class Gate(threading.Thread):
    """Between nginx and a stand-in: takes one request on each connection, and answers at the end of a slot with so many bytes.
    Without a slot the answer is the stand-in's own."""

    def __init__(self, port, slot):
        super().__init__(daemon=True)
        self.target, self.slot = port, slot
        self.door = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.door.getsockname()[1]
        self.start()

    def run(self):
        while True:
            with contextlib.suppress(OSError):
                threading.Thread(target=self.serve, args=(self.door.accept()[0],), daemon=True).start()

    def serve(self, near):
        with near, contextlib.suppress(OSError, ValueError), socket.create_connection(("127.0.0.1", self.target), 30) as far:
            request = b""
            while b"\r\n\r\n" not in request:
                request += near.recv(65536) or b"\r\n\r\n"
            head, _, body = request.partition(b"\r\n\r\n")
            length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
            while len(body) < length:
                body += near.recv(65536) or bytes(length)
            began = time.monotonic()
            far.sendall(head + b"\r\n\r\n" + body)
            # nginx speaks HTTP/1.0 to here: the stand-in closes when it is done.
            answer = b""
            while piece := far.recv(65536):
                answer += piece
            if self.slot:
                filler = ANSWER - len(answer) - len(b"X-Filler: \r\n")
                answer = answer.replace(b"\r\n\r\n", b"\r\nX-Filler: " + b"x" * filler + b"\r\n\r\n", 1)
                slots = int((time.monotonic() - began) / self.slot) + 1
                time.sleep(max(0, began + slots * self.slot - time.monotonic()))
            near.sendall(answer)


def peers(way, prompt):
    """The stand-in for another authority's servers: (locations for nginx, settings of the plugin, address of its administration)."""
    program, port_names = {"ens": ("ens/ens_servers.py", ["verification", "key", "admin"]), "nhs": ("nhs/nhs_servers.py", [])}[way]
    shutil.rmtree(f"{FOLDER}/peer", ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{FOLDER}/tests.log")
    start("tests", "/usr/bin/python3", "-B", f"{ROOT}/Tests/System/Peers/{program}", "--state", f"{FOLDER}/peer",
          *(word for port_name in port_names for word in (f"--{port_name}-port", "0")))
    if not until(lambda: read("tests.log").endswith("}\n")):
        raise SystemExit(read("tests.log"))
    facts = json.loads(read("tests.log").splitlines()[-1])
    base = f"https://127.0.0.1:{WEB}"

    def location(path, port):
        return f"    location {path} {{ proxy_pass http://127.0.0.1:{Gate(port, None if prompt else SLOTS[way]).port}; }}\n"

    if way == "ens":
        verification, key = (int(facts[name].rsplit(":", 1)[1]) for name in ["verificationUrl", "keyUrl"])
        return (location("/api/", verification) + location("/v1/", key),
                {"way": way, "verification": base, "submission": base, "apiKey": facts["apiKey"], "healthAuthority": "com.example.health", "region": "US-WA"},
                f"http://127.0.0.1:{facts['adminPort'] if 'adminPort' in facts else facts['ports']['admin']}")
    key = facts["keys"]["api"]
    return (location("/", facts["ports"]["submission"]),
            {"way": way, "submission": base, "apiKey": "mobile:test-value", "userAgent": "p=Android,o=29,v=4.36,b=300", "country": "England",
             "answerKeys": [{"id": key["id"], "key": key["spki"]}]},
            f"http://127.0.0.1:{facts['ports']['admin']}")


def own(prompt):
    """The authority's servers of tests, as `peers`. `prompt`: without their slot of 100 ms."""
    authority = f"{FOLDER}/authority"
    name = "tests"
    log = f"{FOLDER}/{name}.log"
    if os.path.exists(log):
        os.remove(log)
    words = [f"{BIN}/vigil-lab", "wire", "serve"] if prompt else [
        f"{BIN}/vigil-authority", "tests", "serve", "--verification-port", "0", "--submission-port", "0"]
    start(name, *words, "--state", authority)
    if not until(lambda: "ready" in read("tests.log")):
        raise SystemExit(read("tests.log"))
    ports = dict(word.split("=") for word in read("tests.log").split("ready ", 1)[1].split()[:2])
    # As in front of the authority, with a place for each of its two servers.
    locations = "".join(f"    location = /version/v1/{path} {{ proxy_pass http://127.0.0.1:{ports[port]}; }}\n" for path, port in [
        ("registrationToken", "verification-port"), ("testresult", "verification-port"), ("tan", "verification-port"),
        ("diagnosis-keys", "submission-port")])
    base = f"https://127.0.0.1:{WEB}"
    settings = {"verification": base, "submission": base, "exactlyOnce": True, "origin": "DE", "countries": ["DE"]}
    return locations, settings, f"{authority}/tests"


def servers(way, prompt):
    """Servers behind nginx: (settings of the plugin, where tests are given)."""
    locations, settings, office = own(prompt) if way == "cwa" else peers(way, prompt)
    write("nginx.conf", f"""daemon off; pid {FOLDER}/nginx.pid; error_log {FOLDER}/nginx-error.log; user root;
events {{ worker_connections 4096; }}
http {{
  access_log off; proxy_buffer_size 16k; proxy_buffers 8 16k;
  client_body_temp_path {FOLDER}/nginx-body; proxy_temp_path {FOLDER}/nginx-proxy; fastcgi_temp_path {FOLDER}/nginx-f;
  uwsgi_temp_path {FOLDER}/nginx-u; scgi_temp_path {FOLDER}/nginx-s;
  server {{
    listen 127.0.0.1:{WEB} ssl; ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {FOLDER}/server.pem; ssl_certificate_key {FOLDER}/server.key;
{locations}  }}
}}
""")
    start("nginx", shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{FOLDER}/nginx.conf", "-p", FOLDER)
    until(lambda: socket.create_connection(("127.0.0.1", WEB), 1).close() is None)
    return settings, office


def play(options, days, fault):
    """Plays days and captures them: (flows, what was played)."""
    settings, office = servers(options.way, fault == "prompt")
    settings["slots"] = options.slots
    place = f"{FOLDER}/devices"
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    log = f"{FOLDER}/capture.log"
    if os.path.exists(log):
        os.remove(log)
    start("capture", sys.executable, f"{ROOT}/Tests/System/Wire/capture.py", str(WEB), f"{FOLDER}/packets")
    until(lambda: "ready" in read("capture.log"))
    began = time.monotonic()
    run(f"{BIN}/vigil-lab", "wire", "drive", "--settings", json.dumps(settings), "--authorities", f"{FOLDER}/ca.pem", "--office", office,
        "--folder", place, "--journal", f"{FOLDER}/journal", "--with", str(days), "--without", str(days), "--factor", str(options.factor), "--parallel", str(options.parallel), "--fault", fault, seconds=7_200)
    seconds = time.monotonic() - began
    for name in ["capture", "tests", "nginx"]:
        stop(name)
    journal = [json.loads(line) for line in read("journal").splitlines()]
    lost = int(read("capture.log").split()[-1])
    found = flows.flows(capture.packets(f"{FOLDER}/packets"), WEB)
    shutil.rmtree(place, ignore_errors=True)
    os.remove(f"{FOLDER}/packets")
    with_days = sum(1 for line in journal if line.get("isWarned") is not None)
    warned = sum(1 for line in journal if line.get("isWarned"))
    print(f"     {fault}: {2 * days} days, {len(journal)} slots, {len(found)} connections, {seconds:.0f} s, {lost} packets lost; "
          f"{warned} of {with_days} warnings were taken", flush=True)
    return found, journal, lost, warned


def captured(options, fault):
    """A row of features for each slot."""
    days = options.days if fault == "none" else options.control_days
    found, journal, lost, warned = play(options, days, fault)
    check(f"{fault}: nothing was lost and every day with a test ended with a warning", lost == 0 and warned == days)
    slots = features.slots(found, journal)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        features.write(slots, f"{options.keep}/{fault}.csv")
    return slots


def in_time(slots, options, fault):
    """The slots whose answers came as early as in life.

    In life an answer has 15 seconds, and what follows from it five more. Here both pass faster, and a machine that is too busy for that shows what
    no device shows: what is written to disk between two steps. Whether an answer was late must not depend on the kind of slot."""
    limit = 15_000 / options.factor
    good = [row for row in slots if all(row[f"answer_{index}_ms"] <= limit for index in range(features.EXCHANGES))]
    late = judge.late(slots, good)
    check(f"{fault}: answers came within {limit:.0f} ms; those that did not, on days of either kind", len(good) > 0.9 * len(slots) and late.p > 0.001,
          late)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--way", choices=["cwa", "ens", "nhs"], default="cwa", help="whose servers")
    parser.add_argument("--days", type=int, default=1_000, help="of each kind")
    parser.add_argument("--control-days", type=int, default=150, help="of each kind, for what is broken on purpose")
    parser.add_argument("--only", default="none,bare,kept,late,prompt", help="none, and what is broken on purpose")
    parser.add_argument("--slots", type=int, default=6, help="of a day")
    parser.add_argument("--factor", type=int, default=20, help="how many times faster than life a slot passes")
    parser.add_argument("--parallel", type=int, default=96)
    parser.add_argument("--keep", help="folder for the features, as CSV")
    parser.add_argument("--judge", metavar="FOLDER", help="plays nothing, judges what was kept there")
    parser.add_argument("--quick", action="store_true", help="a share: 60 days of each kind, two faults of 40")
    options = parser.parse_args()
    if options.quick:
        options.days, options.control_days, options.only, options.parallel = 60, 40, "none,bare,kept", 60
    pure = subprocess.run([sys.executable, f"{ROOT}/Tests/System/Wire/test_pure.py"], capture_output=True, text=True, timeout=900)
    check("tests of what needs no network", pure.returncode == 0, pure.stderr.strip().splitlines()[-1] if pure.returncode == 0 else pure.stderr)
    if not options.judge:
        run("ip", "link", "set", "lo", "up")
        serverkit.certificates()
        run(f"{BIN}/vigil-authority", "init", "--state", f"{FOLDER}/authority")
        run(f"{BIN}/vigil-authority", "keys", "--state", f"{FOLDER}/authority", "--out", f"{FOLDER}/keys")
    for fault in options.only.split(","):
        if options.judge:
            slots = features.read(f"{options.judge}/{fault}.csv")
        else:
            slots = captured(options, fault)
        slots = in_time(slots, options, fault)
        table = features.days(slots)
        verdict = judge.days(table)
        sharper = judge.slots(slots)
        print(f"     days: {verdict}\n     slots: {sharper}", flush=True)
        if fault == "none":
            # The long run says what docs/warn-others.md says. A share runs often, so it must not fail by chance.
            def hidden(judgement):
                return not judgement.is_found(3.29) if options.quick else judgement.includes_chance
            check("days with a test cannot be told from days without", hidden(verdict), verdict.short)
            check("slots that are used cannot be told from those that are not", hidden(sharper), sharper.short)
        else:
            check(f"{fault}, on purpose: is found out", verdict.is_found() or sharper.is_found(), f"{verdict.short}; slots {sharper.short}")
        print(judge.differences(table, slots), flush=True)


if __name__ == "__main__":
    perform(main)
