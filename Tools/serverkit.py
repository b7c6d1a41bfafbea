# SPDX-License-Identifier: Apache-2.0
"""A region's servers for scripts with whole boards: an authority, nginx with TLS in front of its static tree, mosquitto with TLS and client
certificates, and boards that know them. Needs root, mosquitto, nginx, openssl."""
import base64
import json
import os
import secrets
import shutil
import socket
import time

from boardkit import BIN, FOLDER, ROOT, call, ctl, free_port, plant, read, run, start, until, write


def certificates():
    """Of servers on this machine; the second address is the one it has for machines of QEMU."""
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=boards",
        "-keyout", f"{FOLDER}/ca.key", "-out", f"{FOLDER}/ca.pem")
    for name in ["server", "client"]:
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{FOLDER}/{name}.key",
            "-out", f"{FOLDER}/{name}.csr")
        extension = write(f"{name}.ext", "subjectAltName=IP:127.0.0.1,IP:10.0.2.2,DNS:localhost\n")
        run("openssl", "x509", "-req", "-in", f"{FOLDER}/{name}.csr", "-CA", f"{FOLDER}/ca.pem", "-CAkey", f"{FOLDER}/ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", extension, "-out", f"{FOLDER}/{name}.pem")
        os.chmod(f"{FOLDER}/{name}.key", 0o644)


MQTT, WEB, PUBLIC, ADMIN, TESTS, WARNINGS, INTERNAL = (free_port() for _ in range(7))


def broker():
    start("mosquitto", shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", f"{FOLDER}/mosquitto.conf")
    return until(lambda: socket.create_connection(("127.0.0.1", MQTT), 1).close() is None)


def authority_server():
    seen = read("authority.log").count("ready") if os.path.exists(f"{FOLDER}/authority.log") else 0
    start("authority", f"{BIN}/vigil-authority", "serve", "--state", f"{FOLDER}/authority", "--publish-now", "--trust-clock")
    return until(lambda: read("authority.log").count("ready") > seen)


def tests_server():
    """Registrations, results, TANs, and the submission of warnings."""
    seen = read("tests.log").count("ready") if os.path.exists(f"{FOLDER}/tests.log") else 0
    start("tests", f"{BIN}/vigil-authority", "tests", "serve", "--state", f"{FOLDER}/authority", "--verification-port", str(TESTS), "--submission-port",
          str(WARNINGS), "--internal-port", str(INTERNAL))
    return until(lambda: read("tests.log").count("ready") > seen)


def portal(*officers, password="correct horse battery"):
    """The health office's page, apart from the servers it asks: the officers sign in with one password. Gives its port."""
    os.makedirs(f"{FOLDER}/portal", mode=0o700)
    for officer in officers:
        run(f"{BIN}/vigil-authority", "portal", "user", "add", "--state", f"{FOLDER}/portal", "--role", "tests", officer, input=password + "\n")
    start("portal", f"{BIN}/vigil-authority", "portal", "serve", "--state", f"{FOLDER}/portal", "--port", "0", "--metrics-port", "0", "--plain-cookies",
          "--verification-url", f"http://127.0.0.1:{INTERNAL}", "--verification-secret", f"{FOLDER}/authority/tests/portal-secret",
          "--publisher-url", f"http://127.0.0.1:{ADMIN}", "--publisher-token", f"{FOLDER}/authority/warning-token")
    if not until(lambda: "ready port=" in read("portal.log")):
        raise SystemExit(f"the portal did not start: {read('portal.log')[-400:]}")
    return int(read("portal.log").partition("ready port=")[2].split()[0])


def other_authority(name, key):
    """A second authority of the same region, with keys of its own. It publishes when it is told to; boards find it at /other/NAME."""
    run(f"{BIN}/vigil-authority", "init", "--state", f"{FOLDER}/{name}")
    settings = json.loads(read(f"{name}/settings.json"))
    settings["keyNames"] = {role: key for role in settings["keyNames"]}
    settings["publishing"]["shiftingThreshold"] = 0
    write(f"{name}/settings.json", json.dumps(settings))
    run(f"{BIN}/vigil-authority", "keys", "--state", f"{FOLDER}/{name}", "--out", f"{FOLDER}/{name}-keys")
    os.makedirs(f"{FOLDER}/other", exist_ok=True)
    os.symlink(f"{FOLDER}/{name}/public", f"{FOLDER}/other/{name}")


def laboratory(test, result):
    """A laboratory's result of a test."""
    run(f"{BIN}/vigil-authority", "tests", "result", test, result, "--state", f"{FOLDER}/authority")


def fresh_test():
    """The number on a laboratory's leaflet."""
    uuid = secrets.token_hex(16).upper()
    return f"{secrets.token_hex(3).upper()}-{uuid[:8]}-{uuid[8:12]}-4{uuid[13:16]}-A{uuid[17:20]}-{uuid[20:]}"


def authority_keys():
    """A new authority, which serves nobody yet, and the keys that boards know it by."""
    run(f"{BIN}/vigil-authority", "init", "--state", f"{FOLDER}/authority")
    run(f"{BIN}/vigil-authority", "keys", "--state", f"{FOLDER}/authority", "--out", f"{FOLDER}/keys")
    return f"{FOLDER}/authority"


def servers(trace_keys=False):
    """The broker, the authority and nginx before it; with SwissCovid's trace keys if they are wanted."""
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
    authority = authority_keys()
    settings = json.loads(read("authority/settings.json"))
    settings["wake"] = {"host": "127.0.0.1", "port": MQTT, "caFile": f"{FOLDER}/ca.pem", "certificateFile": f"{FOLDER}/client.pem",
                        "keyFile": f"{FOLDER}/authority-client.key"}
    shutil.copy(f"{FOLDER}/client.key", f"{FOLDER}/authority-client.key")
    os.chmod(f"{FOLDER}/authority-client.key", 0o600)
    settings["http"].update({"port": PUBLIC, "adminPort": ADMIN})
    if trace_keys:
        settings["swissCovid"] = {}
    write("authority/settings.json", json.dumps(settings))
    configuration = json.loads(read("authority/configuration.json"))
    configuration["vigil"]["wakeWindowSeconds"] = 0
    configuration["version"] += 1
    write("authority/configuration.json", json.dumps(configuration))
    authority_server()
    tests_server()
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
    location ~ ^/version/v1/(registrationToken|testresult|tan)$ {{ proxy_pass http://127.0.0.1:{TESTS}; }}
    location = /version/v1/diagnosis-keys {{ proxy_pass http://127.0.0.1:{WARNINGS}; }}
    location = /v3/traceKeys {{ proxy_pass http://127.0.0.1:{PUBLIC}; }}
    location /distribution/ {{ proxy_pass http://127.0.0.1:{PUBLIC}; }}
    location /circuit-breaker/ {{ proxy_pass http://127.0.0.1:{PUBLIC}; }}
    location /other/ {{ root {FOLDER}; try_files $uri/index.zip $uri/index.json $uri =404; }}
    location / {{ try_files $uri/index.zip $uri/index.json $uri =404; }}
  }}
}}
""")
    start("nginx", shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{FOLDER}/nginx.conf", "-p", FOLDER)
    until(lambda: socket.create_connection(("127.0.0.1", WEB), 1).close() is None)


def public_key(path):
    return "".join(line for line in read(path).splitlines() if "-----" not in line)


# Folders of plugins that are not called like their plugin, and what of them the board needs beside the manifest.
FOLDERS = {"webui": "WebUI"}
PAGES = {}


def page_of(name):
    """Where a board's page is, on this machine."""
    if name not in PAGES:
        PAGES[name] = free_port()
    return f"http://127.0.0.1:{PAGES[name]}"


def secret_of(name, role):
    """Makes the code of a role anew, as an operator does for the card."""
    return call(name, "org.vigil.access1.MakeSecret", {"role": role})["secret"]


def sync_grants(host="127.0.0.1"):
    """What a board's operator grants to sync: this authority, under the name that this machine has for the board."""
    return {"enabled": True,
            "calls": {"org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"], "org.vigil.time1": ["MakeChallenge", "TakeSignedTime"],
                      "org.vigil.risk1": ["TakeConfiguration"], "org.vigil.content1": ["TakeContent"],
                      "org.vigil.trust1": ["GetSigners", "TakeSuccession"]},
            "endpoints": {"distribution": [{"host": host, "port": WEB, "private": True}]},
            "settings": {"authorities": read("ca.pem"),
                         "configKeys": [{"name": "262-v1", "key": public_key("keys/config-262-v1.pem")}],
                         "sources": [{"name": "home", "kind": "cwa", "base": f"https://{host}:{WEB}", "country": "EUR", "config": "version/v2/app_config_android",
                                      "vigilConfig": "version/v1/vigil_config", "rules": "version/v1/risk_config",
                                      "content": "version/v1/content_bundle", "successions": "version/v1/successions", "time": "version/v1/time"}]}}


def wake_grants(host="127.0.0.1", gap=0):
    """As sync's: this region's broker."""
    return {"enabled": True,
            "calls": {"org.vigil.sync1": ["SyncNow", "GetFreshness"], "org.vigil.exposure1": ["GetStatus"], "org.vigil.checkin1": ["LookForWarnings"]},
            "endpoints": {"broker": [{"host": host, "port": MQTT, "private": True}]},
            "settings": {"host": host, "port": MQTT, "region": "EUR", "profile": "always", "authorities": read("ca.pem"),
                         "certificate": read("client.pem"), "certificateKey": read("client.key"), "gapSeconds": gap}}


def board(name, gap=0, plugins=("sync", "wake"), rehearsal=300, signed_time=True, others=None, way=None, venue=None, donation=None, card=None, more=()):
    """Starts a whole board, again if it was there before. Without signed time its clock can be set by hand. `others`: by name, the keys' names of
    authorities that it follows beside the region's. `way`: settings of another way to warn, beside the addresses of its servers. `venue`: settings of
    the plugin of that name. `donation`: the ports of an issuer of donation tokens and of a donation server, without TLS.
    `card`: the folder `provision` of a card, by which it enrols."""
    place = f"{FOLDER}/{name}"
    os.makedirs(f"{place}/plugins", exist_ok=True)
    for plugin in plugins:
        os.makedirs(f"{place}/plugins/{plugin}", exist_ok=True)
        source = f"{ROOT}/Plugins/{FOLDERS.get(plugin, plugin.capitalize())}"
        with open(f"{source}/plugin.json") as file:
            manifest = json.load(file)
        if os.path.isdir(f"{source}/texts"):
            shutil.copytree(f"{source}/texts", f"{place}/plugins/{plugin}/texts", dirs_exist_ok=True)
        # The kernel counts a plugin's threads by its user, and all boards of this machine have the same.
        manifest["quotas"]["processes"] = 64
        write(f"{name}/plugins/{plugin}/plugin.json", json.dumps(manifest))
    authorities = read("ca.pem")
    grants = {"plugins": {
        "sync": sync_grants(),
        "wake": wake_grants(gap=gap),
        "diagnosis": {"enabled": True, "calls": {"org.vigil.access1": ["RedeemProof"], "org.vigil.release1": ["TakeDiagnosisKeys"], "org.vigil.checkin1": ["TakeReports"], "org.vigil.indicator1": ["SayNews"]},
                      "endpoints": {name: [{"host": "127.0.0.1", "port": WEB, "private": True}] for name in ["verification", "submission"]},
                      "settings": {"verification": f"https://127.0.0.1:{WEB}", "submission": f"https://127.0.0.1:{WEB}", "exactlyOnce": True,
                                   "rehearsal": rehearsal, "authorities": authorities}}}}
    grants["plugins"]["venue"] = {"enabled": True, "calls": {f"org.vigil.{name}": [method] for name, method in [
        ("access1", "RedeemProof"), ("exposure1", "GetStatus"), ("device1", "GetTime"), ("sync1", "GetFreshness"), ("indicator1", "SayNews"), ("diagnosis1", "GetPublished")]} | {
            "org.vigil.door1": ["Broadcast", "TakeCode", "NoteVisit"]},
                                  "endpoints": {"warnings": [{"host": "127.0.0.1", "port": WEB, "private": True}]},
                                  "settings": venue or {"systems": ["coronaWarnApp"]}}
    if way:
        entry = grants["plugins"]["diagnosis"]
        entry["settings"] = {"rehearsal": rehearsal, "authorities": authorities, **way}
        for endpoint in entry["endpoints"]:
            address = way.get(endpoint, way["submission"])
            entry["endpoints"][endpoint] = [{"host": "127.0.0.1", "port": int(address.rpartition(":")[2]), "private": True}]
    if donation:
        grants["plugins"]["donation"] = {"enabled": True, "calls": {"org.vigil.donation1": ["GetStep", "SignEvidence", "TakeToken", "EndDonation"]},
                                         "endpoints": {endpoint: [{"host": "127.0.0.1", "port": port, "private": True}]
                                                       for endpoint, port in zip(["issuer", "server"], donation)}, "settings": {"plainHTTP": True}}
        grants["plugins"]["sync"]["calls"]["org.vigil.donation1"] = ["TakeTerms"]
        grants["plugins"]["sync"]["settings"]["sources"][0]["donation"] = "version/v1/donation"
    if card:
        with open(f"{card}/grants.json") as file:
            grants["plugins"]["enrolment"] = json.load(file)["plugins"]["enrolment"]
        os.makedirs(f"{place}/data/handover/enrolment", mode=0o700)
        shutil.copy(f"{card}/enrolment-claim", f"{place}/data/handover/enrolment")
    if "webui" in plugins:
        page_of(name)
        with open(f"{place}/plugins/webui/plugin.json") as file:
            wants = json.load(file)["wants"]
        grants["plugins"]["webui"] = {"enabled": True, "calls": {want["interface"]: want["methods"] for want in wants},
                                      "listens": {"web": {"address": "127.0.0.1", "port": PAGES[name]}}, "settings": {}}
    if not signed_time:
        del grants["plugins"]["sync"]["settings"]["sources"][0]["time"]
    for other, key in (others or {}).items():
        settings = grants["plugins"]["sync"]["settings"]
        settings["configKeys"].append({"name": key, "key": public_key(f"{other}-keys/config-{key}.pem")})
        settings["sources"].append({**{member: settings["sources"][0][member] for member in ["kind", "country", "config", "vigilConfig"]}, "name": other,
                                    "base": f"https://127.0.0.1:{WEB}/other/{other}"})
        more = (*more, "--verify", f"{key}={FOLDER}/{other}-keys/export-{key}.pem")
    grants["plugins"] = {plugin: grants["plugins"][plugin] for plugin in plugins}
    write(f"{name}/grants.json", json.dumps(grants))
    start(name, f"{BIN}/vigil", "run", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{place}/data", "--run", f"{place}/run",
          "--plugins", f"{place}/plugins", "--grants", f"{place}/grants.json", "--enable", "--level", "debug",
          "--verify", f"262-v1={FOLDER}/keys/export-262-v1.pem", "--time-key", f"262-v1={FOLDER}/keys/time-262-v1.pem",
          "--config-key", f"262-v1={FOLDER}/keys/config-262-v1.pem", *more)


def meeting(began, minutes, pace=0.5, halfway=None):
    """So many minutes together for boards whose clocks are set by hand, by name and when it begins (Unix seconds). Two minutes pass in `pace` seconds,
    as scans need them; `halfway` is done in between. Boards begin to take part here, and their clocks stay at the end of it."""
    for name, moment in began.items():
        ctl(name, "time", "set", str(moment))
        ctl(name, "enable")
    for minute in range(2, minutes + 2, 2):
        time.sleep(pace)
        if halfway and minute >= minutes // 2:
            halfway()
            halfway = None
        for name, moment in began.items():
            ctl(name, "time", "set", str(moment + 60 * minute))


def hand_in(count, *met, state=f"{FOLDER}/authority", port=ADMIN):
    """Keys of strangers, of two days ago, and those of people who were met: fewer than a package's worth would wait for others."""
    day = int(time.time()) // 86400 - 2
    keys = [{"key": base64.b64encode(secrets.token_bytes(16)).decode(), "rollingStartNumber": day * 144, "rollingPeriod": 144,
             "transmissionRisk": 3, "reportType": 1, "daysSinceOnset": 0} for _ in range(count)] + list(met)
    with open(f"{state}/admin-token") as file:
        # In a file: everybody on this machine can read a command line.
        token = write("submission.curl", f'header = "Authorization: Bearer {file.read().strip()}"\n')
    path = write("submission.json", json.dumps({"temporaryExposureKeys": keys}))
    return run("curl", "-sS", "--fail", "-K", token, "-H", "Content-Type: application/json", "--data-binary", f"@{path}", f"http://127.0.0.1:{port}/admin/keys")


def profile(name, title, base, keys=f"{FOLDER}/keys"):
    """The profile of an authority of ours whose files are at `base`; `keys`: the folder of its public keys."""
    def key(role, kind):
        with open(f"{keys}/{kind}-262-v1.pem") as file:
            return {"id": "262", "version": "v1", "role": role, "key": "".join(line.strip() for line in file if "-----" not in line)}
    return {"name": name, "title": title, "status": "running", "region": "EUR", "keys": [key("export", "export"), key("rules", "config")],
            "rules": {"form": "vigil"}, "distribution": {"kind": "cwa", "base": base, "country": "EUR"}}


def example_rules(name, version):
    """An example's models, read as the authority's own rules read keys: it publishes codes, and the examples are for real days and types."""
    with open(f"{ROOT}/docs/examples/rules/{name}.json") as file:
        document = json.load(file)
    document["version"] = version
    own = json.loads(read("authority/risk.json"))
    document.update({name: own[name] for name in ("mapping", "reportTypes")})
    return document


def rules(name, version):
    """The authority's rules from now on, as of its next publication."""
    write("authority/risk.json", json.dumps(example_rules(name, version)))


def content(version, german, english, state="authority"):
    """What people are to read from now on, as of an authority's next publication."""
    languages = {language: {"texts": {"footer.hotlines": name}, "hotlines": [{"purpose": "health", "name": name, "number": "0800 1234567", "hours": hours}]}
                 for language, name, hours in [("de", german, "täglich 8 bis 20 Uhr"), ("en", english, "8 to 20, every day")]}
    os.makedirs(f"{FOLDER}/{state}", exist_ok=True)
    # As people write it: indented.
    write(f"{state}/content.json", json.dumps({"version": version, "languages": languages}, indent=4, ensure_ascii=False))


def published_content():
    """The one object that holds it, whatever generation of the tree shows it."""
    packages = f"{FOLDER}/authority/packages"
    return [f"{packages}/{name}" for name in os.listdir(packages) if name.startswith("content_bundle-")]


def dinner(board):
    """Gives a board what it would have heard at a dinner two days ago; the key of the person it met, to be handed in later."""
    os.makedirs(f"{FOLDER}/people")
    run(f"{BIN}/vigil-lab", "scenario", f"{FOLDER}/people", "--keys", "2", "--strangers", "20")
    plant(board, f"{FOLDER}/people/sightings.csv")
    names, values = (line.split(",") for line in read("people/keys.csv").split("\n")[:2])
    key = dict(zip(names, values))
    return {"key": base64.b64encode(bytes.fromhex(key["key"])).decode(), "rollingStartNumber": int(key["rolling_start"]), "rollingPeriod": 144,
            "transmissionRisk": 6, "reportType": 1, "daysSinceOnset": 0}


def wait_for_turn(name):
    """Wishes that come sooner after each other are one."""
    until(lambda: not syncs(name)["running"], 60)
    time.sleep(max(0, 31 - (time.time() - syncs(name)["sources"][0].get("lastAttempt", 0))))


def publish(topic, *more):
    run("mosquitto_pub", "-h", "127.0.0.1", "-p", str(MQTT), "--cafile", f"{FOLDER}/ca.pem", "--cert", f"{FOLDER}/client.pem", "--key",
        f"{FOLDER}/client.key", "-t", topic, "-q", "1", *more)


def syncs(name):
    return call(name, "org.vigil.sync1.GetFreshness")["freshness"]
