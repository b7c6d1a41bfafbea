#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything together, really: an authority, nginx with TLS in front of its static tree, mosquitto with TLS and client certificates, and
two whole boards under their supervisors on a simulated air. Publishes, and measures how long until the other board has matched; then
does to the broker what brokers have done to them, and counts the syncs that follow.

Usage: together.py FOLDER-WITH-EXECUTABLES [--figures]     Ends with "N passed, M failed". Needs root, mosquitto, nginx, openssl.
"""
import base64
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = tempfile.mkdtemp(prefix="vigil-together.")
os.chmod(FOLDER, 0o755)
processes = {}
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if good else 'FAIL'} {name}{': ' + str(detail) if detail != '' else ''}", flush=True)
    return good


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60, **options).stdout


def start(name, *words):
    log = open(f"{FOLDER}/{name}.log", "ab")
    processes[name] = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=FOLDER)


def stop(name, number=signal.SIGTERM):
    process = processes.pop(name)
    process.send_signal(number)
    process.wait(30)


def until(condition, seconds=20.0, step=0.02):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return True
        except (OSError, ValueError, KeyError, ConnectionError):
            pass
        time.sleep(step)
    return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write(name, text):
    with open(f"{FOLDER}/{name}", "w") as file:
        file.write(text)
    return f"{FOLDER}/{name}"


def call(board, method, parameters=None):
    """One Varlink call at the board's console."""
    interface = method.rpartition(".")[0]
    place = f"{FOLDER}/{board}/run/"
    path = place + ("ctl.sock" if interface.startswith(("org.vigil.exposure", "org.vigil.device")) else "console/" + interface)
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(20)
        link.connect(path)
        link.sendall(json.dumps({"method": method, "parameters": parameters or {}}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            part = link.recv(65536)
            if not part:
                raise ConnectionError(method)
            answer += part
    reply = json.loads(answer[:-1])
    if "error" in reply:
        raise ValueError(f"{method}: {reply['error']} {reply.get('parameters')}")
    return reply["parameters"]


def matched_files(board):
    return call(board, "org.vigil.exposure1.GetStatus")["status"]["matchedFileCount"]


def runs(board):
    """How often its sync has asked: the authority's side, by what nginx has seen."""
    with open(f"{FOLDER}/nginx-access.log") as log:
        return sum(1 for line in log if f"sync-{board}" in line and "/date HTTP" in line)


def certificates():
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=together",
        "-keyout", f"{FOLDER}/ca.key", "-out", f"{FOLDER}/ca.pem")
    for name in ["server", "client"]:
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{FOLDER}/{name}.key",
            "-out", f"{FOLDER}/{name}.csr")
        extension = write(f"{name}.ext", "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        run("openssl", "x509", "-req", "-in", f"{FOLDER}/{name}.csr", "-CA", f"{FOLDER}/ca.pem", "-CAkey", f"{FOLDER}/ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", extension, "-out", f"{FOLDER}/{name}.pem")
        os.chmod(f"{FOLDER}/{name}.key", 0o644)


def read(name):
    with open(f"{FOLDER}/{name}") as file:
        return file.read()


MQTT, WEB, PUBLIC, ADMIN = (free_port() for _ in range(4))


def broker():
    start("mosquitto", shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", f"{FOLDER}/mosquitto.conf")
    return until(lambda: socket.create_connection(("127.0.0.1", MQTT), 1).close() is None)


def servers():
    write("mosquitto.conf", f"""user root
listener {MQTT} 127.0.0.1
cafile {FOLDER}/ca.pem
certfile {FOLDER}/server.pem
keyfile {FOLDER}/server.key
require_certificate true
use_identity_as_username true
allow_anonymous false
log_dest stderr
log_type error
log_type warning
log_type notice
""")
    broker()
    authority = f"{FOLDER}/authority"
    run(f"{BIN}/vigil-authority", "keys", "--state", authority, "--out", f"{FOLDER}/keys")
    settings = json.loads(read("authority/settings.json"))
    settings["wake"] = {"host": "127.0.0.1", "port": MQTT, "caFile": f"{FOLDER}/ca.pem", "certificateFile": f"{FOLDER}/client.pem",
                        "keyFile": f"{FOLDER}/authority-client.key"}
    shutil.copy(f"{FOLDER}/client.key", f"{FOLDER}/authority-client.key")
    os.chmod(f"{FOLDER}/authority-client.key", 0o600)
    settings["http"].update({"port": PUBLIC, "adminPort": ADMIN})
    write("authority/settings.json", json.dumps(settings))
    configuration = json.loads(read("authority/configuration.json"))
    configuration["vigil"]["wakeWindowSeconds"] = 0
    configuration["version"] += 1
    write("authority/configuration.json", json.dumps(configuration))
    start("authority", f"{BIN}/vigil-authority", "serve", "--state", authority, "--publish-now", "--trust-clock")
    until(lambda: "ready" in read("authority.log"))
    write("nginx.conf", f"""daemon off; pid {FOLDER}/nginx.pid; error_log {FOLDER}/nginx-error.log; user root;
events {{ }}
http {{
  log_format agent '$request "$http_user_agent" $status $bytes_sent';
  access_log {FOLDER}/nginx-access.log agent;
  client_body_temp_path {FOLDER}/nginx-body; proxy_temp_path {FOLDER}/nginx-proxy; fastcgi_temp_path {FOLDER}/nginx-f;
  uwsgi_temp_path {FOLDER}/nginx-u; scgi_temp_path {FOLDER}/nginx-s;
  server {{
    listen 127.0.0.1:{WEB} ssl;
    ssl_certificate {FOLDER}/server.pem; ssl_certificate_key {FOLDER}/server.key;
    root {authority}/public;
    location /version/v1/time/ {{ proxy_pass http://127.0.0.1:{PUBLIC}; }}
    location / {{ try_files $uri/index.zip $uri/index.json $uri =404; }}
  }}
}}
""")
    start("nginx", shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{FOLDER}/nginx.conf", "-p", FOLDER)
    until(lambda: socket.create_connection(("127.0.0.1", WEB), 1).close() is None)


def public_key(name):
    return "".join(line for line in read(f"keys/{name}-262-v1.pem").splitlines() if "-----" not in line)


def board(name, gap=0):
    place = f"{FOLDER}/{name}"
    os.makedirs(f"{place}/plugins", exist_ok=True)
    for plugin in ["sync", "wake"]:
        shutil.copytree(f"{ROOT}/Plugins/{plugin.capitalize()}", f"{place}/plugins/{plugin}", ignore=shutil.ignore_patterns("Sources"))
    authorities = read("ca.pem")
    grants = {"plugins": {
        "sync": {"enabled": True,
                 "calls": {"org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"], "org.vigil.time1": ["MakeChallenge", "TakeSignedTime"]},
                 "endpoints": {"distribution": [{"host": "127.0.0.1", "port": WEB, "private": True}]},
                 "settings": {"authorities": authorities,
                              "configKeys": [{"name": "262-v1", "key": public_key("config")}],
                              "sources": [{"name": "home", "kind": "cwa", "base": f"https://127.0.0.1:{WEB}", "country": "EUR", "config": "version/v2/app_config_android",
                                           "vigilConfig": "version/v1/vigil_config", "time": "version/v1/time"}]}},
        "wake": {"enabled": True, "calls": {"org.vigil.sync1": ["SyncNow", "GetFreshness"], "org.vigil.exposure1": ["GetStatus"]},
                 "endpoints": {"broker": [{"host": "127.0.0.1", "port": MQTT, "private": True}]},
                 "settings": {"host": "127.0.0.1", "port": MQTT, "region": "EUR", "profile": "always", "authorities": authorities,
                              "certificate": read("client.pem"), "certificateKey": read("client.key"), "gapSeconds": gap}}}}
    write(f"{name}/grants.json", json.dumps(grants))
    start(name, f"{BIN}/vigil", "run", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{place}/data", "--run", f"{place}/run",
          "--plugins", f"{place}/plugins", "--grants", f"{place}/grants.json", "--enable", "--level", "debug",
          "--verify", f"262-v1={FOLDER}/keys/export-262-v1.pem", "--time-key", f"262-v1={FOLDER}/keys/time-262-v1.pem")


def state(name):
    document = json.loads(read(f"{name}/run/supervisor.json"))
    return {process["name"]: process for process in document["processes"]}


def hand_in(count):
    """Keys of strangers, of two days ago."""
    day = int(time.time()) // 86400 - 2
    keys = [{"key": base64.b64encode(secrets.token_bytes(16)).decode(), "rollingStartNumber": day * 144, "rollingPeriod": 144,
             "transmissionRisk": 3, "reportType": 1, "daysSinceOnset": 0} for _ in range(count)]
    token = read("authority/admin-token").strip()
    path = write("submission.json", json.dumps({"temporaryExposureKeys": keys}))
    return run("curl", "-sS", "--fail", "-H", f"Authorization: Bearer {token}", "-H", "Content-Type: application/json", "--data-binary",
               f"@{path}", f"http://127.0.0.1:{ADMIN}/admin/keys")


def publish(topic, *more):
    run("mosquitto_pub", "-h", "127.0.0.1", "-p", str(MQTT), "--cafile", f"{FOLDER}/ca.pem", "--cert", f"{FOLDER}/client.pem", "--key",
        f"{FOLDER}/client.key", "-t", topic, "-q", "1", *more)


def pss(process):
    """Proportional set size of a process and what it started, KiB."""
    total = 0
    with open(f"/proc/{process}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total


def syncs(name):
    return call(name, "org.vigil.sync1.GetFreshness")["freshness"]


def main():
    certificates()
    servers()
    start("air", f"{BIN}/vigil-lab", "air", f"{FOLDER}/air")
    until(lambda: os.path.exists(f"{FOLDER}/air"))
    began = time.monotonic()
    board("one")
    check("both boards come up", until(lambda: state("one")["wake"]["state"] == "running" and state("one")["core"]["state"] == "running", 30))
    ready = time.monotonic() - began
    print(f"     start of `vigil run` until core, egress and wake are ready: {ready:.2f} s")
    board("two")
    until(lambda: state("two")["wake"]["state"] == "running", 30)
    # A board that has never synced spreads its first question, as after a blackout; a technician does not wait for that.
    for name in ["one", "two"]:
        call(name, "org.vigil.sync1.SyncNow")
    check("both sync when asked", until(lambda: all("lastSuccess" in syncs(name)["sources"][0] for name in ["one", "two"]), 30))
    check("signed time reaches the core", until(lambda: "authenticated" in read("one.log"), 30))
    until(lambda: len(read("mosquitto.log").split("New client connected")) >= 3)
    until(lambda: not syncs("one")["running"] and not syncs("two")["running"], 10)
    time.sleep(1)

    # 1. Publish, wake, sync, match.
    delays = []
    for round_ in range(3):
        # Wishes that come sooner after each other are one.
        time.sleep(max(0, 31 - (time.time() - syncs("one")["sources"][0]["lastAttempt"])))
        before = matched_files("one")
        moment = time.monotonic()
        hand_in(300)
        if not until(lambda: matched_files("one") > before, 15, 0.01):
            check(f"publication {round_ + 1} is matched", False, json.dumps(syncs("one"))[:400])
            continue
        delays.append(time.monotonic() - moment)
    check("publish, wake, sync, match within 2 s, window 0", len(delays) == 3 and max(delays) < 2,
          ", ".join(f"{delay:.2f}" for delay in delays) + " s")
    check("the other board matched the same", until(lambda: matched_files("two") == matched_files("one"), 15),
          (matched_files("one"), matched_files("two")))

    # 2. What brokers do.
    def attempts():
        return syncs("one")["sources"][0]["lastAttempt"]

    until(lambda: not syncs("one")["running"], 10)
    time.sleep(max(0, 31 - (time.time() - attempts())))
    before = attempts()
    publish("vigil/EUR/wake", "-m", "a payload says nothing")
    publish("vigil/EUR/wake", "-n")
    check("an empty message wakes, a payload is ignored", until(lambda: attempts() > before, 10))
    stop("mosquitto", signal.SIGKILL)
    time.sleep(1)
    broker()
    connected = read("mosquitto.log").count("New client connected")
    check("both come back after the broker was killed", until(lambda: read("mosquitto.log").count("New client connected") >= connected + 1, 60))
    time.sleep(2)
    before = matched_files("one")
    hand_in(300)
    check("a publication after that is matched", until(lambda: matched_files("one") > before, 90))
    until(lambda: not syncs("one")["running"], 10)
    time.sleep(1)
    restarts = state("one")["core"]["restarts"]
    seen = read("nginx-access.log").count("\n")
    for _ in range(40):
        publish("vigil/EUR/wake", "-n")
    time.sleep(4)
    flood = read("nginx-access.log").count("\n") - seen
    check("forty wakes in a row are few syncs", flood < 60, f"{flood} requests of two boards")
    check("nothing was restarted", state("one")["core"]["restarts"] == restarts and state("one")["wake"]["restarts"] == 0)

    # 3. Figures.
    processes_ = {name: process["pid"] for name, process in state("one").items() if "pid" in process}
    until(lambda: "pid" not in state("one")["sync"], 30)
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


try:
    main()
finally:
    for name in list(processes):
        try:
            stop(name)
        except subprocess.TimeoutExpired:
            processes[name].kill() if name in processes else None
    for name in ["one", "two"]:
        subprocess.run(["umount", "-l", f"{FOLDER}/{name}/run/spool"], capture_output=True)
    if failed or os.environ.get("KEEP"):
        print(f"kept: {FOLDER}")
    else:
        shutil.rmtree(FOLDER, ignore_errors=True)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
