#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing of the way remains: clients with addresses of their own, two for each act, go through everything that boards, laboratories, the
health office and strangers do to an authority's servers as they are shipped: vigil-authority, nginx with the configurations of the tree below
what Debian's own says (which logs), mosquitto with ours. Then each address is looked for in every file, log, database, metric and page.

Usage: test-traces.py FOLDER-WITH-EXECUTABLES [--broken nginx|mosquitto|file]     Ends with "N passed, M failed". Needs root, nginx,
mosquitto, openssl, ip; 30 seconds. Broken on purpose it must fail.
"""
import os
import sys

if os.environ.get("VIGIL_OWN_NETWORK") != "1":
    # Ports, addresses and nobody else's traffic.
    os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "VIGIL_OWN_NETWORK": "1"})

import base64  # noqa: E402
import concurrent.futures  # noqa: E402
import contextlib  # noqa: E402
import hashlib  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import re  # noqa: E402
import secrets  # noqa: E402
import shutil  # noqa: E402
import socket  # noqa: E402
import ssl  # noqa: E402
import struct  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402
import uuid  # noqa: E402
import warnings  # noqa: E402

import authoritykit as kit  # noqa: E402
from authoritykit import STATE, fortnight, request  # noqa: E402
from boardkit import BIN, FOLDER, ROOT, check, perform, processes, read, run, start, until, write  # noqa: E402
from traces import search  # noqa: E402

BROKEN = sys.argv[sys.argv.index("--broken") + 1] if "--broken" in sys.argv else ""
V1 = "/version/v1/"
HOSTS = {"keys": "keys.example.org", "tests": "verification.example.org", "warnings": "submission.example.org", "office": "portal.example.org", "fleet": "ra.example"}
PORTS = {}
ACTS = {}
SESSIONS = []
SERIAL = "vg-7k3m-q0r1x"


# Clients.

class Answer(kit.Answer):
    """Remembers the session that an answer sets."""

    def __init__(self, raw):
        super().__init__(raw)
        for line in raw.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n"):
            name, _, value = line.partition(":")
            if name.lower() == "set-cookie" and re.match(r" __Host-vigil-session=\w", value):
                SESSIONS.append(value.strip().split(";")[0])


def addresses(act, kind=4):
    """Two addresses for an act, which nobody else has."""
    if act not in ACTS:
        ACTS[act] = []
        for _ in range(2):
            if kind == 4:
                # Of the loopback's, all of which this machine has; no part of them is a small number.
                one = "127." + ".".join(str(byte % 200 + 50) for byte in secrets.token_bytes(3))
            elif kind == 6:
                one = "fd5e:" + ":".join(f"{number:x}" for number in struct.unpack(">7H", bytes(byte | 0x11 for byte in secrets.token_bytes(14))))
                run("ip", "-6", "address", "add", f"{one}/128", "dev", "lo", "nodad")
            else:
                # Said, not had.
                one = "198." + ".".join(str(byte % 200 + 50) for byte in secrets.token_bytes(3))
            ACTS[act].append(one)
    return ACTS[act]


def connection(source, port, seconds=10):
    there = ("::1" if ":" in source else "127.0.0.1", port)
    return socket.create_connection(there, seconds, source_address=(source, 0))


def trusting():
    return ssl.create_default_context(cafile=f"{FOLDER}/ca.pem")


def talk(link, data):
    """What comes back until the other side closes or says nothing."""
    received = b""
    with contextlib.suppress(OSError):
        link.sendall(data)
        while part := link.recv(65_536):
            received += part
    return Answer(received)


def web(source, host, data, port=443):
    """Bytes to nginx, by TLS."""
    with connection(source, port) as plain, trusting().wrap_socket(plain, server_hostname=HOSTS[host]) as link:
        return talk(link, data)


def inside(source, port, data):
    """Bytes to a service itself. Who sends no request is waited for by it; not here."""
    with connection(source, PORTS[port], 10 if b"HTTP/1" in data else 1) as link:
        return talk(link, data)


def headers(act):
    """What a proxy on the way would say of where it comes from."""
    said = addresses(act, "said")
    return {"X-Forwarded-For": said[0], "X-Real-IP": said[1], "Forwarded": f"for={said[0]}", "CF-Connecting-IP": said[1], "True-Client-IP": said[0],
            "X-Client-IP": said[1], "Via": f"1.1 {said[0]}", "User-Agent": f"board {said[1]}", "Referer": f"https://{said[0]}/", "From": f"x@{said[1]}"}


def ask(host, path, body=b"", **options):
    return request(path, body, **{"Host": HOSTS[host], **options})


def ask_tests(source, route, members, fake="0", **more):
    return web(source, "tests", ask("tests", V1 + route, json.dumps(members).encode(), cwa_fake=fake, **more))


def inform(source, members):
    body = json.dumps(members).encode()
    return inside(source, "internal", request("/api/v1/lab/results", body, Authorization=f"Bearer {kit.secret('laboratory')}"))


# Servers.

def certificates():
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=trial", "-keyout",
        f"{FOLDER}/ca.key", "-out", f"{FOLDER}/ca.pem")
    names = ",".join(f"DNS:{name}" for name in [*HOSTS.values(), "localhost"]) + ",IP:127.0.0.1"
    for name in ["server", "fleet", "authority"]:
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{FOLDER}/{name}.key",
            "-out", f"{FOLDER}/{name}.csr")
        run("openssl", "x509", "-req", "-in", f"{FOLDER}/{name}.csr", "-CA", f"{FOLDER}/ca.pem", "-CAkey", f"{FOLDER}/ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", write(f"{name}.ext", f"subjectAltName={names}\n"), "-out", f"{FOLDER}/{name}.pem")


def shipped(path):
    return pathlib.Path(f"{ROOT}/{path}").read_text()


def web_server():
    """nginx as an operator has it: Debian's own configuration, which writes two logs, and ours where its sites are."""
    os.makedirs(f"{FOLDER}/nginx/sites", exist_ok=True)
    # Without them it would start without its logs of errors.
    for path in ["Provisioning/authority/nginx/vigil-default.conf", "Provisioning/authority/nginx/vigil-tests.conf",
                 "Provisioning/authority/nginx/vigil-enrolment.conf", "docs/examples/nginx-authority.conf"]:
        text = re.sub(r"(ssl_certificate) \S+;", rf"\1 {FOLDER}/server.pem;", shipped(path))
        text = re.sub(r"(ssl_certificate_key) \S+;", rf"\1 {FOLDER}/server.key;", text)
        text = text.replace("/var/log/nginx/", f"{FOLDER}/nginx/").replace("/var/lib/vigil-authority/public", f"{STATE}/public")
        # Boards come by both families here.
        text = re.sub(r"listen 443 ssl( default_server)?;", r"listen 443 ssl\1; listen [::]:443 ssl\1;", text)
        for number, name in [(8780, "public"), (8790, "verification"), (8791, "submission"), (8795, "portal"), (8085, "fleet")]:
            text = text.replace(f"http://127.0.0.1:{number};", f"http://127.0.0.1:{PORTS[name]};")
        if BROKEN == "nginx":
            text = re.sub(r"error_log \S+ emerg;", "", text)
        write(f"nginx/sites/{os.path.basename(path)}", text)
    temporary = " ".join(f"{name}_temp_path {FOLDER}/nginx/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    write("nginx/nginx.conf", f"""user root; worker_processes auto; pid {FOLDER}/nginx/pid; error_log {FOLDER}/nginx/error.log; daemon off;
events {{ worker_connections 768; }}
http {{
  sendfile on; tcp_nopush on; types_hash_max_size 2048; default_type application/octet-stream; ssl_prefer_server_ciphers on;
  access_log {FOLDER}/nginx/access.log; gzip on;
  {temporary}
  include {FOLDER}/nginx/sites/*;
}}
""")
    start("nginx", shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{FOLDER}/nginx/nginx.conf", "-e", f"{FOLDER}/nginx/error.log", "-p", FOLDER)
    return until(lambda: socket.create_connection(("127.0.0.1", 443), 1).close() is None)


def broker():
    """mosquitto below what Debian's own configuration says."""
    text = shipped("Provisioning/authority/mosquitto/vigil-wake.conf")
    for name in ["ca.pem", "server.pem", "server.key"]:
        text = text.replace(f"/etc/mosquitto/vigil/{name}", f"{FOLDER}/{name}")
    text = text.replace("/etc/mosquitto/vigil/vigil-wake.acl", write("vigil-wake.acl", shipped("Provisioning/authority/mosquitto/vigil-wake.acl")
                                                                     .replace("/de/", "/EUR/")))
    if BROKEN == "mosquitto":
        text = text.replace("connection_messages false\nlog_type error\n", "")
    os.makedirs(f"{FOLDER}/mosquitto/conf.d", exist_ok=True)
    write("mosquitto/conf.d/vigil-wake.conf", text)
    write("mosquitto/mosquitto.conf", f"""user root
pid_file {FOLDER}/mosquitto/pid
persistence true
persistence_location {FOLDER}/mosquitto/
log_dest file {FOLDER}/mosquitto/mosquitto.log
include_dir {FOLDER}/mosquitto/conf.d
""")
    start("mosquitto", shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", f"{FOLDER}/mosquitto/mosquitto.conf")
    return until(lambda: socket.create_connection(("127.0.0.1", 8883), 1).close() is None)


def authority():
    # Where only this command makes one; elsewhere any does.
    if "init" in run(f"{BIN}/vigil-authority", "--help"):
        run(f"{BIN}/vigil-authority", "init", "--state", STATE)
    os.mkdir(f"{FOLDER}/portal", 0o700)
    run(f"{BIN}/vigil-authority", "keys", "--state", STATE, "--out", f"{FOLDER}/keys")
    settings = json.loads(read("authority/settings.json"))
    settings["wake"] = {"host": "127.0.0.1", "port": 8883, "caFile": f"{FOLDER}/ca.pem", "certificateFile": f"{FOLDER}/authority.pem",
                        "keyFile": f"{FOLDER}/authority.key"}
    write("authority/settings.json", json.dumps(settings))
    ports = kit.start_authority()
    PORTS.update({"public": ports["port"], "admin": ports["admin-port"]})
    PORTS.update({name.removesuffix("-port"): port for name, port in kit.start_tests().items()})
    password = subprocess.run([f"{BIN}/vigil-authority", "portal", "user", "add", "--state", f"{FOLDER}/portal", "--role", "both", "office"],
                              input="correct horse battery\n", capture_output=True, text=True, timeout=60)
    assert password.returncode == 0, password.stderr
    start("portal", f"{BIN}/vigil-authority", "portal", "serve", "--state", f"{FOLDER}/portal", "--tests", f"{STATE}/tests", "--port", "0", "--metrics-port", "0")
    assert until(lambda: "ready" in read("portal.log"), 30), read("portal.log")
    words = dict(word.split("=") for word in read("portal.log").split() if "=" in word)
    PORTS.update({"portal": int(words["port"]), "portal-metrics": int(words["metrics-port"])})
    run(f"{BIN}/vigil-authority", "fleet", "init", f"{FOLDER}/registry", "--title", "Fleet 1")
    PORTS["fleet"] = 8085
    start("fleet", f"{BIN}/vigil-authority", "fleet", "serve", f"{FOLDER}/registry", "--port", "8085")
    assert until(lambda: socket.create_connection(("127.0.0.1", 8085), 1).close() is None), read("fleet.log")


# Acts.

def warning():
    """From the code of a test to published keys; each step from other addresses."""
    names = {}
    for number in range(2):
        test = hashlib.sha256(secrets.token_bytes(16)).hexdigest()
        assert inform(addresses("a laboratory tells results")[number], {"testResults": [{"id": test, "result": 2}]}).status == 204
        answer = ask_tests(addresses("a board registers")[number], "registrationToken", {"key": test, "keyType": "GUID"})
        token = {"registrationToken": json.loads(answer.body)["registrationToken"]}
        assert ask_tests(addresses("a board asks for its result")[number], "testresult", token).status == 200
        tan = json.loads(ask_tests(addresses("a board asks for a TAN")[number], "tan", token).body)["tan"]
        upload = web(addresses("a board warns")[number], "warnings", ask("warnings", V1 + "diagnosis-keys", fortnight(1_000), type="application/x-protobuf",
                                                                         cwa_fake="0", cwa_authorization=tan))
        names[upload.status] = names.get(upload.status, 0) + 1
        six = addresses("a board registers by IPv6", 6)[number]
        test = hashlib.sha256(secrets.token_bytes(16)).hexdigest()
        answer = ask_tests(six, "registrationToken", {"key": test, "keyType": "GUID"})
        names[answer.status] = names.get(answer.status, 0) + 1
        # Directly at a service, as when nothing is in front.
        direct = addresses("a board registers at the service itself")[number]
        answer = inside(direct, "verification", request(V1 + "registrationToken", json.dumps({"key": secrets.token_hex(32), "keyType": "GUID"}).encode(), cwa_fake="0"))
        names[answer.status] = names.get(answer.status, 0) + 1
    return check("two warnings go their way", names == {200: 2, 201: 4}, names)


def fakes():
    answers = []
    for source in addresses("a board plays"):
        for route, members in [("registrationToken", {"key": secrets.token_hex(32), "keyType": "GUID"}), ("testresult", {"registrationToken": str(uuid.uuid4())}),
                               ("tan", {"registrationToken": str(uuid.uuid4())})]:
            answers.append(ask_tests(source, route, {**members, "requestPadding": "x" * 100}, fake="1").status)
    for source in addresses("a board plays a warning"):
        answers.append(web(source, "warnings", ask("warnings", V1 + "diagnosis-keys", secrets.token_bytes(2_000), type="application/x-protobuf", cwa_fake="1")).status)
    check("fakes are answered", len(answers) == 8 and all(answer in (200, 201) for answer in answers), answers)


def downloads():
    paths = [V1 + "diagnosis-keys/country/EUR/date", "/version/v2/app_config_android", V1 + "vigil_config", V1 + "time/" + secrets.token_hex(16), "/version"]
    answers = [web(source, "keys", ask("keys", path, method="GET", Content_Length=None, type=None)).status for source in addresses("a board downloads") for path in paths]
    answers += [web(source, "keys", ask("keys", paths[1], method="GET")).status for source in addresses("a board downloads by IPv6", 6)]
    answers += [inside(source, "public", request("/version", method="GET")).status for source in addresses("a board downloads from the service")]
    check("downloads are answered", all(answer == 200 for answer in answers), answers)


def enrolments():
    """Boards say their names, so a log would have who asked from where. Strangers here: a whole board is in test-enrolling-boards.py."""
    answers = []
    for kind, act in [(4, "a board enrols"), (6, "a board enrols by IPv6")]:
        for source in addresses(act, kind):
            basic = "Basic " + base64.b64encode(f"{SERIAL}:2MZX-9D3K-HT6W-0A1B".encode()).decode()
            for path, body in [("simpleenroll", b"garbage"), ("simpleenroll", b"x" * 20_000), ("simplereenroll", b"garbage"), ("nothing", b"")]:
                answers.append(web(source, "fleet", ask("fleet", f"/.well-known/est/{path}", body, type="application/pkcs10", Authorization=basic)).status)
    check("boards ask the registration authority", len(answers) == 16 and not {200, 502, None} & set(answers), answers)


def proxies():
    """Whoever is in front says where boards are; also in places where nobody should."""
    for number, source in enumerate(addresses("behind a proxy")):
        said = headers("said by a proxy")
        for route, members in [("registrationToken", {"key": secrets.token_hex(32), "keyType": "GUID"}), ("testresult", {"registrationToken": str(uuid.uuid4())})]:
            for fake in "01":
                ask_tests(source, route, members, fake, **said)
        web(source, "warnings", ask("warnings", V1 + "diagnosis-keys", fortnight(), type="application/x-protobuf", cwa_fake="0", cwa_authorization=str(uuid.uuid4()), **said))
        web(source, "keys", ask("keys", "/version?from=" + addresses("said by a proxy")[number], method="GET", **said))
        for name, path in [("verification", V1 + "tan"), ("submission", V1 + "diagnosis-keys"), ("public", "/nothing"), ("admin", "/admin/keys"), ("portal", "/sign-in")]:
            inside(source, name, request(path, b"{}", cwa_fake="0", **said))
            family = f"PROXY TCP4 {addresses('said by a proxy')[number]} 127.0.0.1 4000 443\r\n".encode()
            inside(source, name, family + request(path, b"{}", cwa_fake="0"))


def errors():
    """Of every kind that HTTP has: answers seen are counted."""
    jobs = []
    for source in addresses("errors"):
        for path, method, body in [("/", "GET", b""), (V1 + "tan", "GET", b""), (V1 + "tan", "PUT", b"x"), (V1 + "tan", "POST", b"{"), (V1 + "tan", "POST", b"x" * 20_000),
                                   (V1 + "tan/teletan", "POST", b"{}"), ("/" + "x" * 9_000, "GET", b""), ("/%00/../..", "GET", b""), ("*", "OPTIONS", b"")]:
            jobs.append((web, source, "tests", ask("tests", path, body, method=method, cwa_fake="0")))
        for body in [b"", b"x" * 110_000, secrets.token_bytes(300), fortnight()]:
            jobs.append((web, source, "warnings", ask("warnings", V1 + "diagnosis-keys", body, type="application/x-protobuf", cwa_fake="0", cwa_authorization=str(uuid.uuid4()))))
        for key, kind in [(secrets.token_hex(32), "NONE"), ("A" * 13, "TELETAN"), ("x" * 64, "GUID")]:
            jobs.append((ask_tests, source, "registrationToken", {"key": key, "keyType": kind}))
        jobs += [(web, source, "keys", ask("keys", "/version", b"x")), (web, source, "keys", ask("keys", "/authority.db", method="GET"))]
        # Heads that are too long, lines that are none, lengths that lie.
        for data in [ask("tests", V1 + "tan", b"{}", cwa_fake="0", X_Long="x" * 40_000), b"GET / HTTP/1.1\r\nHost: \x01\r\n\r\n", b"NONSENSE\r\n\r\n",
                     ask("tests", V1 + "tan", b"{}", Host="elsewhere.example", cwa_fake="0"),
                     ask("tests", V1 + "tan", b"5\r\nx", Transfer_Encoding="chunked", Content_Length=None, cwa_fake="0")]:
            jobs.append((web, source, "tests", data))
        for name in ["verification", "submission", "internal", "admin", "public", "portal", "portal-metrics"]:
            for data in [b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", request("/" + "x" * 20_000), request("/metrics", b"x", method="PUT"), request("/none")]:
                jobs.append((inside, source, name, data))
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        statuses = list(pool.map(lambda job: job[0](*job[1:]).status, jobs))
    seen = {status: statuses.count(status) for status in sorted(set(statuses))}
    check("errors of many kinds were answered", {400, 403, 404, 413, 414} <= set(seen), seen)


def shaking():
    """Handshakes that fail in as many ways."""
    hello = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting().wrap_bio(*hello, server_hostname=HOSTS["tests"])
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    hello = hello[1].read()
    count = 0
    for source in [*addresses("TLS that fails"), *addresses("TLS that fails, IPv6", 6)]:
        for port in [443, 8883]:
            broken = bytearray(hello)
            broken[60] ^= 255
            shares = bytearray(hello)
            # A key share that is no point: "bad key share" is what nginx calls critical.
            shares[-40:] = bytes(40)
            for data in [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\x00" * 100, secrets.token_bytes(600), hello[:40], bytes(broken), bytes(shares), hello + b"\x14\x03\x03\x00\x01\x01",
                         hello + secrets.token_bytes(200), b"\x15\x03\x01\x00\x02\x02\x28", hello + b"\x15\x03\x01\x00\x02\x02\x30", b""]:
                with contextlib.suppress(OSError), connection(source, port, 3) as link:
                    link.sendall(data)
                    link.shutdown(socket.SHUT_WR)
                    link.recv(4_096)
                count += 1
            for minimum, maximum, name, ciphers in [(ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2, HOSTS["tests"], "ECDHE-RSA-AES128-SHA"), (None, None, "nobody.example", None),
                                                    (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, HOSTS["tests"], "ALL:@SECLEVEL=0"), (None, None, None, None)]:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
                with contextlib.suppress(ssl.SSLError, OSError, ValueError), connection(source, port, 3) as plain:
                    if ciphers:
                        context.set_ciphers(ciphers)
                        with warnings.catch_warnings():
                            # Old versions are what is tried.
                            warnings.simplefilter("ignore")
                            context.minimum_version, context.maximum_version = minimum, maximum
                    with context.wrap_socket(plain, server_hostname=name) as link:
                        link.sendall(b"GET / HTTP/1.0\r\n\r\n")
                        link.recv(4_096)
                count += 1
            # Gone in the middle of it, with a reset.
            with contextlib.suppress(OSError), connection(source, port, 3) as link:
                link.sendall(hello)
                link.recv(10)
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    check("handshakes failed", count > 60, count)


def floods():
    """More than nginx lets through, at each of its two rates."""
    refused = {}
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        for host, path, count in [("tests", V1 + "testresult", 200), ("office", "/", 60)]:
            for source in addresses("asks too often"):
                answers = pool.map(lambda _: web(source, host, ask(host, path, b"{}", cwa_fake="1")).status, range(count))
                refused[host] = refused.get(host, 0) + sum(1 for status in answers if status == 429)
    check("who asks too often is refused", len(refused) == 2 and all(refused.values()), refused)


def slow():
    """Who sends a part and then nothing, until the servers close; meanwhile the rest goes on."""
    links = []
    for source in addresses("slow"):
        head = ask("tests", V1 + "tan", b"", Content_Length="500", cwa_fake="0")
        for host, data in [("tests", head), ("tests", head[:40]), ("warnings", ask("warnings", V1 + "diagnosis-keys", b"", Content_Length="5000", cwa_fake="0")), ("office", b"G")]:
            plain = connection(source, 443, 40)
            link = trusting().wrap_socket(plain, server_hostname=HOSTS[host])
            link.sendall(data)
            links.append(link)
        links.append(connection(source, 443, 40))
        for name in ["verification", "submission", "internal", "portal", "admin"]:
            link = connection(source, PORTS[name], 40)
            link.sendall(b"POST /version/v1/tan HTTP/1.1\r\nHost: x\r\n")
            links.append(link)
    return links


def slow_end(links):
    closed = 0
    for link in links:
        with contextlib.suppress(OSError):
            # A word first, perhaps.
            while link.recv(4_096):
                pass
            closed += 1
        link.close()
    check("slow clients were closed upon", closed >= len(links) - 2, f"{closed} of {len(links)}")


def waking():
    """Boards that wait for wakes; strangers; and who breaks off."""
    topic = "vigil/EUR/wake"
    common = ["-p", "8883", "--cafile", f"{FOLDER}/ca.pem", "-h", "127.0.0.1"]
    fleet = ["--cert", f"{FOLDER}/fleet.pem", "--key", f"{FOLDER}/fleet.key"]
    for number, source in enumerate(addresses("a board waits for wakes")):
        start(f"sub{number}", "mosquitto_sub", *common, *fleet, "-A", source, "-t", topic, "-F", "woken", "-q", "1", "-c", "-i", f"board-{number}")
    refused = []
    for source in addresses("strangers at the broker"):
        for more in [[], ["--cert", f"{FOLDER}/ca.pem", "--key", f"{FOLDER}/ca.key"], [*fleet, "-V", "mqttv5"]]:
            # Also publishes what it may not.
            refused.append(subprocess.run(["mosquitto_pub", *common, *more, "-A", source, "-t", topic, "-m", "x", "-q", "1"], capture_output=True, timeout=20).returncode)
        context = trusting()
        context.load_cert_chain(f"{FOLDER}/fleet.pem", f"{FOLDER}/fleet.key")
        context.check_hostname = False
        for data in [b"\x10\x7f" + bytes(127), b"\xff" * 50, b"\x30\x05hello", b"\x10\xff\xff\xff\xff\xff"]:
            with contextlib.suppress(OSError), connection(source, 8883, 5) as plain, context.wrap_socket(plain, server_hostname="localhost") as link:
                link.sendall(data)
                link.recv(100)
    # Who may connect and not publish is told nothing; nobody is woken.
    check("strangers are refused by the broker", sum(1 for code in refused if code) >= 2 and not any("woken" in read(f"sub{number}.log") for number in range(2)), refused)


def office():
    """Signing in, wrong and right, and a teleTAN for a telephone."""
    pages = []
    for source in addresses("the health office"):
        said = headers("said to the office")

        def page(data):
            answer = web(source, "office", data)
            pages.append(answer.body)
            return answer

        def form(path, members, cookie):
            token = re.search(rb'name="form" value="([^"]+)"', pages[-1])
            body = "&".join(f"{name}={value}" for name, value in {"form": token[1].decode() if token else "", **members}.items()).encode()
            return page(ask("office", path, body, type="application/x-www-form-urlencoded", Cookie=cookie, Origin=f"https://{HOSTS['office']}", **said))

        cookie = page(ask("office", "/", method="GET", **said)).headers.get("set-cookie", "").split(";")[0]
        for password in ["wrong", "wrong+too"]:
            form("/sign-in", {"name": "office", "password": password}, cookie)
        raw = form("/sign-in", {"name": "office", "password": "correct+horse+battery"}, cookie)
        assert raw.status == 303, (raw.status, raw.body[-300:])
        # Several cookies; the one of the session counts.
        session = SESSIONS[-1]
        page(ask("office", "/", method="GET", Cookie=session, **said))
        number_ = re.search(rb'name="number" value="(\w+)"', pages[-1])[1].decode()
        issued = form("/teletan", {"number": number_, "kind": "TEST"}, session)
        check("the office issues a teleTAN", issued.status == 200 and b"teleTAN" in issued.body, issued.status)
        for path in ["/", "/nothing"]:
            page(ask("office", path, b"x" * 5_000, **said))
    for number, text in enumerate(pages):
        with open(f"{FOLDER}/page-{number}.html", "wb") as file:
            file.write(text)


def outage():
    """Services that are gone, and one that hangs: nginx says so to its log."""
    seen = set()
    os.kill(processes["tests"].pid, 19)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(lambda source=source: connection_and_leave(source)) for source in addresses("leaves while the service hangs")]
        for future in waiting:
            future.result()
    os.kill(processes["tests"].pid, 18)
    for name in ["tests", "authority", "portal"]:
        processes.pop(name).kill()
    for source in addresses("a service is down"):
        seen.add(ask_tests(source, "tan", {"registrationToken": str(uuid.uuid4())}).status)
        seen.add(web(source, "keys", ask("keys", V1 + "time/" + secrets.token_hex(16), method="GET")).status)
        seen.add(web(source, "office", ask("office", "/", method="GET")).status)
    check("a service that is down is answered for", seen == {502}, seen)


def connection_and_leave(source):
    with connection(source, 443) as plain, trusting().wrap_socket(plain, server_hostname=HOSTS["tests"]) as link:
        link.sendall(ask("tests", V1 + "tan", b'{"registrationToken": "x"}', cwa_fake="0"))
        time.sleep(0.3)


def told():
    """Whatever can be asked of the servers, into files."""
    for name in ["internal", "admin", "portal-metrics"]:
        answer = inside("127.0.0.1", name, request("/metrics", method="GET"))
        check(f"{name}: metrics", answer.status == 200)
        with open(f"{FOLDER}/metrics-{name}.txt", "wb") as file:
            file.write(answer.body)
    for name, words in [("status", ["status"]), ("audit", ["audit"]), ("portal-audit", ["portal", "audit", "--json"])]:
        state = f"{FOLDER}/portal" if words[0] == "portal" else STATE
        write(f"told-{name}.txt", run(f"{BIN}/vigil-authority", *words, "--state", state))


def finder_finds():
    """Each form of an address is found where it stands: otherwise the rest would prove nothing."""
    place = f"{FOLDER}-planted"
    os.makedirs(place)
    try:
        missed = []
        for kind, pair in {4: ["127.91.82.173", "127.99.151.66"], 6: ["fd5e:1:2:3:4:5:6:7", "fd5e:a:b:c:d:e:f:99"]}.items():
            from traces import shapes
            for form in shapes(pair[0]):
                with open(f"{place}/file", "wb") as file:
                    file.write(secrets.token_bytes(500) + b"".join(shapes(one).get((form[0].replace(pair[0], one), form[1].replace(pair[0], one)), (b"", 0))[0] + b"," for one in pair)
                               + shapes(pair[0])[form][0] + secrets.token_bytes(500))
                if not search(place, {"planted": pair[:1]})[0]:
                    missed.append((kind, form))
        check("what looks for addresses finds each form of one", not missed, missed)
    finally:
        shutil.rmtree(place)


def main():
    run("ip", "link", "set", "lo", "up")
    finder_finds()
    certificates()
    check("the broker starts with the shipped configuration", broker())
    authority()
    check("nginx starts with the shipped configurations", web_server())
    links = slow()
    waking()
    warning()
    for act in [fakes, downloads, enrolments, proxies, errors, shaking, office, floods]:
        act()
    check("keys were published", until(lambda: len(set(kit.published())) >= 28, 30), len(set(kit.published())))
    check("boards that wait were woken", until(lambda: all("woken" in read(f"sub{number}.log") for number in range(2)), 30))
    slow_end(links)
    told()
    outage()
    for name in ["sub0", "sub1"]:
        processes.pop(name).kill()
    # A broker that is told to write down what it knows, and a log that is opened anew.
    processes["mosquitto"].send_signal(10)
    processes["nginx"].send_signal(10)
    if BROKEN == "file":
        write("stray.txt", "\n".join(hashlib.sha256(one.encode()).hexdigest() for one in ACTS["a board warns"]))
    time.sleep(0.5)
    found, files, size = search(FOLDER, ACTS)
    check(f"no address of {len(ACTS)} acts stands anywhere", not found, found[:12] if found else f"{files} files, {size:,} bytes")
    written = b"".join(pathlib.Path(f"{FOLDER}/nginx/{name}").read_bytes() for name in os.listdir(f"{FOLDER}/nginx") if name.endswith(".log"))
    check("nginx wrote down no board", SERIAL.encode() not in written and base64.b64encode(SERIAL.encode())[:12] not in written)
    logs = {name: os.path.getsize(f"{FOLDER}/{name}") for name in ["nginx/error.log", "nginx/access.log", "mosquitto/mosquitto.log"]}
    print("     logs, bytes: " + json.dumps(logs))


perform(main)
