#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The authority's servers, real, on the loopback, against everything that must not be taken: each refusal has the documented code, and
what is stored is the same before and after, row by row. Then Schemathesis (PyPI, pinned, in a venv of its own) with all of its checks
against each text of docs/openapi. At the end a genuine warning must still get through, and memory must be what it was; and test-traces.py
looks for addresses in whatever such servers write. Needs root, nginx, mosquitto, openssl for that.

Usage: test-hostile-servers.py FOLDER-WITH-EXECUTABLES [--short]     Ends with "N passed, M failed".
"""
import asyncio
import concurrent.futures
import hashlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import uuid

import authoritykit as kit
from authoritykit import STATE, contents, exchange, fortnight, post, published, request
from boardkit import FOLDER, ROOT, check, perform, processes, pss, read, until, write
from hostile_requests import json_texts, made_up_teletan, no_http, payloads

SHORT = "--short" in sys.argv
REGISTER, RESULT, TAN, SUBMIT = (f"/version/v1/{name}" for name in ["registrationToken", "testresult", "tan", "diagnosis-keys"])
PORTS = {}


def ask(path, members, **headers):
    body = members if isinstance(members, bytes) else json.dumps(members).encode()
    return post(PORTS["verification"], path, body, **{"cwa_fake": "0", **headers})


def submit(body, tan, **headers):
    return post(PORTS["submission"], SUBMIT, body, type="application/x-protobuf", **{"cwa_fake": "0", "cwa_authorization": tan, **headers})


def inside(path, members, who, **headers):
    body = json.dumps(members).encode()
    return post(PORTS["internal"], path, body, Authorization=f"Bearer {kit.secret(who)}", **headers)


def positive_test():
    name = hashlib.sha256(secrets.token_bytes(16)).hexdigest()
    answer = inside("/api/v1/lab/results", {"testResults": [{"id": name, "result": 2}]}, "laboratory")
    assert answer.status == 204, answer.status
    return name


def token():
    return json.loads(ask(REGISTER, {"key": positive_test(), "keyType": "GUID"}).body)["registrationToken"]


def tan(registration=None):
    return json.loads(ask(TAN, {"registrationToken": registration or token()}).body)["tan"]


def teletan(kind="TEST"):
    return json.loads(inside("/version/v1/tan/teletan", {}, "portal", x_cwa_teletan_type=kind).body)["value"]


class Unchanged:
    """Whatever happens inside, nothing is stored."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.before = kit.settled()

    def __exit__(self, kind, *_):
        if kind is None:
            after = contents()
            rows = sum(count for count, _ in after.values())
            changed = [f"{name}: {self.before.get(name, (0,))[0]} → {after[name][0]} rows" for name in after if after[name] != self.before.get(name)]
            check(f"{self.name}: nothing stored", not changed, "; ".join(changed) or f"{rows} rows of {len(after)} tables")


def refused(name, answers):
    """`answers`: what, answer, statuses with their codes. One line for all of them."""
    wrong = [f"{what}: {answer.status} {answer.code}" for what, answer, *good in answers if (answer.status, answer.code) not in good]
    check(f"{name}: {len(answers)} refused with the documented code", not wrong, "; ".join(wrong[:8]))


def at_once(call, items):
    """What `call` makes of each of the items, ten at a time: every answer waits for its slot."""
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        return list(pool.map(lambda item: call(*item), items))


# 1. What the protocols refuse.

def credentials():
    named, other = str(uuid.uuid4()), str(uuid.uuid4())
    test = positive_test()
    registration = json.loads(ask(REGISTER, {"key": test, "keyType": "GUID"}, vigil_request=named).body)["registrationToken"]
    first = json.loads(ask(TAN, {"registrationToken": registration}, vigil_request=named).body)["tan"]
    body = fortnight(1_000)
    check("a genuine warning is taken", submit(body, first).status == 200)
    check("and published", until(lambda: len(set(published())) == 14, 30), len(set(published())))
    phone, event = teletan(), tan(json.loads(ask(REGISTER, {"key": teletan("EVENT"), "keyType": "TELETAN"}).body)["registrationToken"])
    assert ask(REGISTER, {"key": phone, "keyType": "TELETAN"}).status == 201
    pending = json.loads(ask(REGISTER, {"key": secrets.token_hex(32), "keyType": "GUID"}).body)["registrationToken"]
    # Their time is over: the clock of a real server cannot be put forward, so what it stored is put back.
    known = contents_of("tan")
    late = tan()
    backdate("UPDATE tan SET expiry = ? WHERE code = ?", int(time.time()) - 1, (contents_of("tan") - known).pop())
    known = contents_of("teletan")
    late_phone = teletan()
    backdate("UPDATE teletan SET expiry = ? WHERE code = ?", int(time.time()) - 1, (contents_of("teletan") - known).pop())
    known = contents_of("registration")
    late_token = token()
    backdate("UPDATE registration SET created = ? WHERE token = ?", int(time.time()) - 22 * 86_400, (contents_of("registration") - known).pop())
    with Unchanged("replays, expired, foreign and malformed credentials"):
        register = [("registered test", test, "GUID", {}), ("registered test, another name", test, "GUID", {"vigil_request": other}),
                    ("used teleTAN", phone, "TELETAN", {})]
        answers = [(what, ask(REGISTER, {"key": one, "keyType": kind}, **more), (400, "keyAlreadyUsed")) for what, one, kind, more in register]
        answers += [("expired teleTAN", ask(REGISTER, {"key": late_phone, "keyType": "TELETAN"}), (410, "teleTANExpired")),
                    ("teleTAN of nobody", ask(REGISTER, {"key": made_up_teletan(), "keyType": "TELETAN"}), (400, "unknownTeleTAN"))]
        for what, one in [("short", "AAAA"), ("lower case", phone.lower()), ("check character", phone[:9] + ("A" if phone[9] != "A" else "B")),
                          ("empty", ""), ("long", "A" * 5_000), ("NUL", phone[:9] + "\0"), ("letters of other scripts", "А" * 10)]:
            answers.append((f"teleTAN {what}", ask(REGISTER, {"key": one, "keyType": "TELETAN"}), (400, "malformedRequest")))
        for path in [RESULT, TAN]:
            answers.append(("token of nobody", ask(path, {"registrationToken": other}), (400, "unknownToken")))
            answers.append(("expired token", ask(path, {"registrationToken": late_token}), (400, "unknownToken")))
            for one in ["", "x", "{" + other + "}", other.replace("-", ""), other + "\0", first + first, None, 5, [], {}]:
                answers.append((f"token {one!r}"[:40], ask(path, {"registrationToken": one}), (400, "malformedRequest")))
        answers += [("not positive", ask(TAN, {"registrationToken": pending}), (400, "notPositive")),
                    ("second TAN", ask(TAN, {"registrationToken": registration}), (400, "tanAlreadyIssued")),
                    ("second TAN, another name", ask(TAN, {"registrationToken": registration}, vigil_request=other), (400, "tanAlreadyIssued"))]
        fresh = fortnight()
        for what, one in [("of nobody", other), ("of an event", event), ("expired", late), ("used, other keys", first), ("x", "x"),
                          ("in braces", "{" + first + "}"), ("twice", f"{first}, {first}"), ("with a tail", first + "0"), ("long", "a" * 4_000)]:
            answers.append((f"TAN {what}", submit(fresh, one), (403, "invalidTAN")))
        answers += [("no TAN", submit(fresh, None), (400, "malformedRequest")), ("empty TAN", submit(fresh, ""), (400, "malformedRequest")),
                    ("two credentials", submit(fresh, first, cwa_otp=other), (400, "malformedRequest")),
                    ("another credential", submit(fresh, None, cwa_otp=other), (403, "invalidTAN")),
                    ("neither real nor fake", submit(fresh, first, cwa_fake="maybe"), (400, "malformedRequest")),
                    ("TAN of nobody inside", inside("/version/v1/tan/verify", {"tan": other}, "submission"), (404, "invalidTAN")),
                    ("used TAN inside", inside("/version/v1/tan/verify", {"tan": first}, "submission"), (404, "invalidTAN")),
                    ("another route's secret", inside("/version/v1/tan/verify", {"tan": first}, "portal"), (401, "notAuthorised")),
                    ("no secret", post(PORTS["internal"], "/version/v1/tan/teletan", b"{}"), (401, "notAuthorised"))]
        refused("credentials", answers)
    rows = kit.rows("known")
    check("the same bytes with the same TAN are taken again, and nothing twice", submit(body, first).status == 200 and kit.rows("known") == rows)
    return tan()


def contents_of(table):
    return set(kit.column(table))


def backdate(statement, time_, row):
    kit.change(statement, (time_, row))


def bodies(spare):
    with Unchanged("submissions that break a rule"):
        answers = at_once(lambda what, body: (what, submit(body, spare), (400, "invalidSubmission")), payloads(SHORT))
        answers.append(("102,401 bytes", submit(bytes(102_401), spare), (400, "malformedRequest")))
        answers.append(("another type", submit(fortnight(), spare, **{"Content-Type": "application/json"}), (415, "malformedRequest")))
        answers.append(("chunks", exchange(PORTS["submission"], request(SUBMIT, b"0\r\n\r\n", type="application/x-protobuf", cwa_fake="0",
                        cwa_authorization=spare, Content_Length=None, Transfer_Encoding="chunked")), (406, "malformedRequest")))
        refused("payloads", answers)
    check("the TAN is as good as before", submit(fortnight(), spare).status == 200)
    with Unchanged("hostile JSON"):
        cases = []
        for path, member in [(REGISTER, "key"), (RESULT, "registrationToken"), (TAN, "registrationToken")]:
            value = secrets.token_hex(32) if path == REGISTER else str(uuid.uuid4())
            rest = ', "keyType": "GUID"' if path == REGISTER else ""
            cases += [(path, text.encode(), fake) for text in json_texts(member, value, rest) for fake in "01"]
            cases += [(path, raw, "0") for raw in [b"\xff\xfe{}", b"\0", b"{\"" + member.encode() + b"\": \"\xc3\x28\"}",
                                                  b"{\"" + member.encode() + b"\": \"\xed\xa0\x80\"}"]]
        answers = at_once(lambda path, text, fake: (f"{path} {text[:30]!r}", ask(path, text, cwa_fake=fake), (400, "malformedRequest")), cases)
        answers += [(f"{path} 10,001 bytes", ask(path, b" " * 10_001), (406, "malformedRequest")) for path in [REGISTER, RESULT, TAN]]
        refused("JSON", answers)
        answers = []
        batch = [{"id": secrets.token_hex(32), "result": 2}]
        for document in [{"testResults": []}, {"testResults": batch * 10_001}, {"testResults": batch + [{"id": "x", "result": 2}]}, {"testResults": batch + [{}]},
                         {"testResults": batch + [{"id": secrets.token_hex(32), "result": 0}]}, {"testResults": batch + [{"id": secrets.token_hex(32), "result": 10}]},
                         {"testResults": batch + [{"id": secrets.token_hex(32), "result": 2, "sc": 1 << 62}]}, {"testResults": {"a": 1}}, [], "x"]:
            answers.append((str(document)[:30], inside("/api/v1/lab/results", document, "laboratory"), (400, "malformedRequest"), (406, "malformedRequest")))
        refused("a laboratory's batches with one fault", answers)


# 2. Guessing.

async def many(port, requests, connections=200):
    """Answers of many requests over connections that are kept; statuses and codes, counted."""
    counts = {}
    queue = iter(requests)

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for bytes_ in queue:
            writer.write(bytes_)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            answer = kit.Answer(head + await reader.readexactly(length))
            counts[answer.status, answer.code] = counts.get((answer.status, answer.code), 0) + 1
        writer.close()
    await asyncio.gather(*(one() for _ in range(connections)))
    return counts


def guesses():
    def guess(count):
        for _ in range(count):
            yield request(REGISTER, json.dumps({"key": made_up_teletan(), "keyType": "TELETAN"}).encode(), keep=True, cwa_fake="0")
    phone = teletan()
    with Unchanged("guessing teleTANs"):
        counts = asyncio.run(many(PORTS["verification"], guess(500)))
        check("500 guesses find nothing", counts == {(400, "unknownTeleTAN"): 500}, counts)
    check("somebody with a genuine one is not in their way", ask(REGISTER, {"key": phone, "keyType": "TELETAN"}).status == 201)
    phone = teletan()
    with Unchanged("guessing on"):
        counts = asyncio.run(many(PORTS["verification"], guess(10_080)))
        check("10,080 guesses find nothing", counts == {(400, "unknownTeleTAN"): 10_080}, counts)
    genuine = ask(REGISTER, {"key": phone, "keyType": "TELETAN"})
    check("and a genuine one is taken", genuine.status == 201, (genuine.status, genuine.code))
    check("tests, results, TANs and submissions go on", submit(fortnight(), tan()).status == 200)
    issued = asyncio.run(many(PORTS["internal"], (request("/version/v1/tan/teletan", b"{}", keep=True, Authorization=f"Bearer {kit.secret('portal')}")
                                                 for _ in range(1_050)), 20))
    check("teleTANs end at 1,000 an hour", issued.get((429, "teleTANRateExceeded"), 0) >= 50 and len(issued) == 2, issued)


# 3. What is no HTTP, or too much of it.

def wire():
    garbage = no_http()
    with Unchanged("what is no HTTP"):
        # Nothing of it is done; a word about it may be there or not.
        answers = at_once(lambda name, what: (name, what, exchange(PORTS[name], garbage[what], 5, half_close=True)), [(name, what) for name in PORTS for what in garbage])
        wrong = [f"{name} {what}: {answer.status} {answer.body[:60]!r}" for name, what, answer in answers
                 if not (answer.status == 0 or 400 <= answer.status < 500 or answer.status in (501, 505))]
        check(f"garbage: {len(garbage)} kinds at {len(PORTS)} ports refused or hung up on", not wrong, "; ".join(wrong))
        # A body that is not all there is never judged, with a genuine TAN or not.
        for port, path, type_ in [(PORTS["verification"], REGISTER, "application/json"), (PORTS["submission"], SUBMIT, "application/x-protobuf")]:
            body = json.dumps({"key": secrets.token_hex(32), "keyType": "GUID"}).encode() if path == REGISTER else fortnight()
            answer = exchange(port, request(path, body, type=type_, cwa_fake="0", cwa_authorization=str(uuid.uuid4()), Content_Length=str(len(body) + 1)), 5, half_close=True)
            check(f"{path}: a body shorter than its length is not judged", answer.status == 0, answer.status)
    port = PORTS["verification"]
    line = request(RESULT, json.dumps({"registrationToken": str(uuid.uuid4())}).encode(), keep=True, cwa_fake="0")
    with socket.create_connection(("127.0.0.1", port), 20) as link:
        link.sendall(line * 20)
        received = b""
        while received.count(b"HTTP/1.1 400") < 20:
            received += link.recv(65_536)
    check("20 requests in one write get 20 answers", received.count(b'"error":"unknownToken"') == 20)


async def dribble():
    """200 connections that never finish, while others are answered."""
    links = []
    for number in range(200):
        reader, writer = await asyncio.open_connection("127.0.0.1", PORTS["submission"] if number % 2 else PORTS["verification"])
        path, type_ = (SUBMIT, "application/x-protobuf") if number % 2 else (REGISTER, "application/json")
        head = request(path, b"", type=type_, cwa_fake="0", cwa_authorization=str(uuid.uuid4()), Content_Length="5000")
        writer.write(head if number % 4 < 2 else head[:60])
        links.append((reader, writer))
    times, good = [], True
    loop = asyncio.get_running_loop()
    for _ in range(4 if SHORT else 20):
        for _, writer in links:
            if not writer.is_closing():
                writer.write(b"a")
        before = time.monotonic()
        answer = await loop.run_in_executor(None, lambda: submit(fortnight(), str(uuid.uuid4())))
        token_ = await loop.run_in_executor(None, lambda: ask(RESULT, {"registrationToken": str(uuid.uuid4())}))
        times.append((time.monotonic() - before) / 2)
        good = good and answer.status == 403 and token_.code == "unknownToken"
        await asyncio.sleep(0.5)
    for _, writer in links:
        writer.close()
    return good, max(times)


def slow():
    with Unchanged("200 slow connections"):
        good, worst = asyncio.run(dribble())
        check("others are answered meanwhile", good and worst < 1, f"slowest of them {worst * 1000:.0f} ms")


# 4. Schemathesis.

def schemathesis():
    place = f"{ROOT}/.build/hostile-servers"
    wanted = read_file(f"{ROOT}/Tests/System/HostileServers/requirements.txt")
    if not os.path.exists(f"{place}/done") or read_file(f"{place}/done") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
        subprocess.run([f"{place}/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement",
                        f"{ROOT}/Tests/System/HostileServers/requirements.txt"], check=True)
        with open(f"{place}/done", "w") as file:
            file.write(wanted)
    hooks = json.dumps(f"{ROOT}/Tests/System/HostileServers/hooks.py")
    # What a schema allows may still be unknown or used; a fake is never, so there 400 is a fault.
    allows = '[checks.positive_data_acceptance]\nexpected-statuses = ["2xx", 400, 403, 404, 406, 429]\n'
    secret = "".join(f'[auth.openapi.{name}]\nbearer = "{kit.secret(name)}"\n' for name in ["portal", "submission", "laboratory"])
    admin = f'[auth.openapi.token]\nbearer = "{read("authority/admin-token").strip()}"\n'
    fake = '[parameters]\n"header.cwa-fake" = "1"\n'
    runs = [("verification, fakes", "verification", "verification", fake, True), ("submission", "submission", "submission", allows, True),
            ("submission, fakes", "submission", "submission", fake, True), ("verification", "verification", "verification", allows, False),
            ("internal", "internal", "internal", allows + secret, False), ("admin", "admin", "admin", allows + admin, False),
            ("check-in", "check-in", "public", allows, False)]
    for name, text, port, more, is_silent in runs:
        configuration = write("schemathesis.toml", f"hooks = {hooks}\n{more}")
        guard = Unchanged(f"Schemathesis, {name}") if is_silent else None
        if guard:
            guard.__enter__()
        # Its coverage phase changes neither keys that must differ nor headers whose pattern it does not keep to; fuzzing does.
        phases = "fuzzing" if more == fake else "examples,coverage,fuzzing"
        # An upload of visits is fake by what is in it, and no schema says that.
        without = ["--exclude-path", "/v3/userupload"] if more == fake and text == "submission" else []
        result = subprocess.run([f"{place}/bin/schemathesis", "--config-file", configuration, "run", f"{ROOT}/docs/openapi/{text}.yaml", "--url", f"http://127.0.0.1:{PORTS[port]}",
                                 "--max-examples", "15" if SHORT else "300", "--workers", "4", "--checks", "all", "--continue-on-failure", "--no-color", "--phases", phases,
                                 "--generation-database", "none", *without, *(["--seed", "7"] if SHORT else [])], cwd=FOLDER, capture_output=True, text=True, timeout=1_200)
        if guard:
            guard.__exit__(None)
        tail = result.stdout[result.stdout.find("== FAILURES"):] if "== FAILURES" in result.stdout else result.stdout[-600:] + result.stderr[-600:]
        cases = [line.strip() for line in result.stdout.splitlines() if " generated, " in line]
        check(f"Schemathesis, {name}: all checks", result.returncode == 0, cases[0] if result.returncode == 0 and cases else tail[:3_000])


def read_file(path):
    with open(path) as file:
        return file.read()


def main():
    kit.offer_trace_keys()
    ports = kit.start_authority()
    tests = kit.start_tests()
    PORTS.update({name: tests[f"{name}-port"] for name in ["verification", "submission", "internal"]})
    PORTS.update({"public": ports["port"], "admin": ports["admin-port"]})
    os.makedirs(STATE, exist_ok=True)
    spare = credentials()
    before = {name: pss(processes[name].pid) for name in ["authority", "tests"]}
    started = {name: processes[name].pid for name in before}
    for part in [lambda: bodies(spare), wire, slow, schemathesis, guesses]:
        moment = time.monotonic()
        part()
        print(f"     {time.monotonic() - moment:.0f} s", flush=True)
    after = {name: pss(processes[name].pid) for name in before}
    check("both processes live and are the same", all(processes[name].poll() is None and processes[name].pid == started[name] for name in before))
    check("their memory is bounded: 16 MiB more at most", all(after[name] < before[name] + 16_384 for name in before),
          ", ".join(f"{name} {before[name]} → {after[name]} KiB" for name in before))
    keys = set(published())
    check("a genuine warning still gets through", submit(fortnight(), tan()).status == 200 and until(lambda: len(set(published()) - keys) >= 14, 30))
    everything = published()
    # Processes of its own, in a network of its own.
    traces = subprocess.run([f"{ROOT}/Tools/test-traces.py", kit.BIN], capture_output=True, text=True, timeout=300)
    print("     test-traces.py: " + traces.stdout.strip().replace("\n", "\n     "))
    check("no address of whoever connects stands anywhere", traces.returncode == 0, traces.stderr[-600:])
    check("no key is published that was not taken", set(everything) <= set(kit.column("known", "data", "authority.db") + kit.column("released WHERE padding = 1", "data", "authority.db")), len(set(everything)))


perform(main)
