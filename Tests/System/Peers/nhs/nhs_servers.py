#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test stand-in for the NHS COVID-19 backend: virology, key submission, circuit breakers, distribution.

Section numbers in comments mean spec/rules-and-nhs.md."""

import argparse
import hashlib
import json
import os
import re
import time
import uuid
from urllib.parse import unquote

import nhs_rules as rules
from common import (
    Admin,
    Answer,
    BadRequest,
    Clock,
    Faults,
    Key,
    Service,
    Store,
    json_answer,
    parse_iso,
    serve_until_terminated,
    signature_info,
    signed_zip,
    spoil,
    utc,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders(cta_token TEXT PRIMARY KEY, polling_token TEXT UNIQUE, submission_token TEXT,
                                  downloads INTEGER DEFAULT 0, expires INTEGER);
CREATE TABLE IF NOT EXISTS results(polling_token TEXT PRIMARY KEY, result TEXT, kit TEXT, end_date TEXT,
                                   override TEXT, expires INTEGER);
CREATE TABLE IF NOT EXISTS submission_tokens(token TEXT PRIMARY KEY, kit TEXT, expires INTEGER);
CREATE TABLE IF NOT EXISTS submissions(id INTEGER PRIMARY KEY, time INTEGER, token TEXT, kit TEXT, private INTEGER,
                                       keys TEXT);
CREATE TABLE IF NOT EXISTS archives(path TEXT PRIMARY KEY, key_set TEXT, start INTEGER, end INTEGER, run INTEGER,
                                    body BLOB);
CREATE TABLE IF NOT EXISTS breaker_requests(id INTEGER PRIMARY KEY, time INTEGER, feature TEXT, body TEXT,
                                            token TEXT, answer TEXT);
"""

SETTINGS = {
    "apiKeyName": "mobile", "apiKeyValue": "test-value",   # Authorization: Bearer base64("name:value")
    "maintenance": False,                                  # 503 unsigned on everything but distribution
    "exchangeSeconds": 1.0,                                # cta-exchange answers take at least this long
    "missingStatus": 404,                                  # distribution: what is not there
    "breaker": {"exposure-notification": {"initial": None, "poll": None}, "venue": {"initial": None, "poll": None}},
    "policyOverrides": [],                                 # rows {country?, testKit?, testResult?, requiresConfirmatoryTest: …}
    "orderWebsite": "https://example.order-a-test.uk", "registerWebsite": "https://example.register-a-test.uk",
    "bundleId": "uk.nhs.covid19.production",
}
DOCUMENTS = {"exposure-configuration": "exposure-configuration_2021-01-11_b0871e6.json",
             "self-isolation": "self-isolation_2022-07-01_1c4693a.json",
             "risky-venue-configuration": "risky-venue-configuration_2021-03-09_0479f8a.json"}


class Keys:
    def __init__(self, folder):
        self.api = Key(folder, "nhs_api")                     # request-bound answers
        self.distribution = Key(folder, "nhs_distribution")   # documents and zips
        self.export = Key(folder, "nhs_export", "234")        # export.sig inside the zips
        self.foreign = Key(folder, "nhs_foreign")             # no client knows it

    def describe(self):
        return {name: key.describe() for name, key in vars(self).items()}


def date_for(now, fault):
    return rules.signature_date(now - (fault.get("seconds", 86400) if fault.get("kind") == "old_date" else 0))


def add_signature(answer, key, foreign, content, date_text, fault):
    """Section 1.1 headers, spoilt as the fault says unless it is meant for export.sig."""
    kind = fault.get("kind") if fault.get("where", "header") in ("header", "both") else None
    if kind == "no_signature":
        return
    signer, key_id = key, key.id
    if kind in ("other_key", "unknown_key_id"):
        signer = foreign
        key_id = key.id if kind == "other_key" else foreign.id
    signature = signer.sign(content)
    answer.headers["x-amz-meta-signature"] = rules.signature_header(
        key_id, spoil(signature) if kind == "wrong_signature" else signature)
    answer.headers["x-amz-meta-signature-date"] = date_text


class Submission(Service):
    """Everything behind the API gateway: /virology-test, /submission, /circuit-breaker."""

    name = "submission"

    def __init__(self, store, clock, faults, keys):
        super().__init__(store, clock, faults)
        self.keys = keys
        self.routes = [                                       # method, path, needs API key, signed, function
            ("POST", r"/virology-test/(?:home-kit|v2)/order", True, True, self.order),
            ("POST", r"/virology-test/home-kit/register", True, True, self.order),
            ("POST", r"/virology-test/(?:v2/)?results", True, True, self.results),
            ("POST", r"/virology-test/(?:v2/)?cta-exchange", True, True, self.exchange),
            ("POST", r"/submission/diagnosis-keys", True, True, self.submit),
            ("POST", r"/submission/empty-submission", True, False, self.empty),
            ("GET", r"/submission/empty-submission-v2", False, False, self.empty),
            ("POST", r"/circuit-breaker/(exposure-notification|venue)/request", True, True, self.breaker_request),
            ("GET", r"/circuit-breaker/(exposure-notification|venue)/resolution(?:/.*)?", True, True,
             self.breaker_resolution),
        ]

    def error_signing(self, request):
        return "api"

    def handle(self, request, fault):
        settings = self.store.get("settings")
        if settings["maintenance"]:
            return Answer(503)
        path = unquote(request.path)
        fitting = [(route, match) for route in self.routes if (match := re.fullmatch(route[1], path))]
        open_path = any(not route[2] for route, _ in fitting)
        authorization = request.header("Authorization")
        if not open_path and authorization is None:
            return Answer(403)                                # checked before routing
        if not fitting:
            return Answer(404, sign="api")
        for (method, _, needs_key, signed, function), match in fitting:
            if method == request.method:
                if needs_key and not rules.authorised(authorization, settings["apiKeyName"], settings["apiKeyValue"]):
                    return Answer(403)
                answer = function(request, settings, *match.groups())
                answer.sign = "api" if signed else None
                answer.note.setdefault("userAgent", rules.user_agent(request.header("User-Agent")))
                return answer
        return Answer(405, sign="api")

    def finish(self, request, answer, fault):
        if fault.get("kind") == "other_region" and answer.status == 200 and "/v2/" in request.path and answer.body:
            body = json.loads(answer.body)                    # as the policy answers for an unknown country
            body.update(rules.policy("random", None, None))
            answer.body = json.dumps(body).encode()
        if answer.sign == "api":
            date_text = date_for(self.clock.now(), fault)
            content = rules.request_content(request.header("Request-Id"), request.method, request.path, date_text,
                                            answer.body)
            add_signature(answer, self.keys.api, self.keys.foreign, content, date_text, fault)

    # virology (section 2)

    def order(self, request, settings):
        tokens = create_order(self.store, self.clock.now())
        site = settings["registerWebsite" if request.path.endswith("register") else "orderWebsite"]
        return json_answer({"websiteUrlWithQuery": f"{site}?ctaToken={tokens['ctaToken']}",
                            "tokenParameterValue": tokens["ctaToken"],
                            "testResultPollingToken": tokens["testResultPollingToken"],
                            "diagnosisKeySubmissionToken": tokens["diagnosisKeySubmissionToken"],
                            "venueHistorySubmissionToken": ""})

    def find_result(self, polling_token):
        return self.store.one("SELECT * FROM results WHERE polling_token=? AND expires>?", polling_token,
                              int(self.clock.now()))

    def results(self, request, settings):
        v2 = "/v2/" in request.path
        try:
            body = request.json()
            token = rules.text_field(body, "testResultPollingToken")
            country = rules.text_field(body, "country") if v2 else None
        except (rules.Unreadable, ValueError) as error:
            return unreadable(422, error)
        with self.store.tx():
            found = self.find_result(token)
            if not found:
                return Answer(404, "Test result lookup submitted for unknown testResultPollingToken", "text/plain")
            if found["result"] is None or (not v2 and found["kit"] == "RAPID_SELF_REPORTED"):
                return Answer(204)
            self.mark_read(found, exchange=False)
        return json_answer(self.result_body(found, v2, country, settings))

    def exchange(self, request, settings):
        started = time.monotonic()
        answer = self.exchange_now(request, settings)
        time.sleep(max(0.0, settings["exchangeSeconds"] - (time.monotonic() - started)))
        return answer

    def exchange_now(self, request, settings):
        v2 = "/v2/" in request.path
        try:
            body = request.json()
            token = rules.text_field(body, "ctaToken")
            if not rules.cta_token_valid(token):
                raise rules.Unreadable("ctaToken fails its check")
            country = rules.text_field(body, "country") if v2 else None
        except (rules.Unreadable, ValueError) as error:
            return unreadable(400, error)
        with self.store.tx() as db:
            order = self.store.one("SELECT * FROM orders WHERE cta_token=? AND expires>?", token,
                                   int(self.clock.now()))
            found = order and self.find_result(order["polling_token"])
            if not found or order["downloads"] >= rules.MAX_EXCHANGES or (
                    not v2 and found["kit"] == "RAPID_SELF_REPORTED"):
                return Answer(404)
            if found["result"] is None:
                return Answer(204)
            db.execute("UPDATE orders SET downloads=downloads+1 WHERE cta_token=?", (token,))
            self.mark_read(found, exchange=True)
        body = {"diagnosisKeySubmissionToken": order["submission_token"]}
        return json_answer({**body, **self.result_body(found, v2, country, settings)})

    def mark_read(self, found, exchange):
        """Lifetimes after a result was read: order and result 4 h, submission token 4 d."""
        now = int(self.clock.now())
        with self.store.tx() as db:
            order = self.store.one("SELECT * FROM orders WHERE polling_token=?", found["polling_token"])
            token = order and self.store.one("SELECT * FROM submission_tokens WHERE token=?", order["submission_token"])
            if order is None or (found["result"] == "POSITIVE" and not token and not exchange):
                return                                        # the original's transaction fails: nothing changes
            for table in ("orders", "results"):
                db.execute(f"UPDATE {table} SET expires=? WHERE polling_token=?",
                           (now + rules.READ_LIFETIME, found["polling_token"]))
            if token and found["result"] == "POSITIVE":
                db.execute("UPDATE submission_tokens SET expires=? WHERE token=?",
                           (now + rules.SUBMISSION_LIFETIME, token["token"]))

    def result_body(self, found, v2, country, settings):
        body = {"testEndDate": found["end_date"], "testResult": found["result"], "testKit": found["kit"]}
        if v2:
            body.update(rules.policy(country, found["kit"], found["result"], settings["policyOverrides"]))
            body["venueHistorySharingSupported"] = False
            body.update(json.loads(found["override"] or "{}"))
        return body

    # warning others (section 3): 200 with an empty body whatever happens

    def submit(self, request, settings):
        answer = Answer(200)
        now = self.clock.now()
        try:
            body = request.json()
        except ValueError as error:
            body, reasons = None, [f"not JSON: {error}"]
        parsed, reasons = rules.read_submission(body, now) if isinstance(body, dict) else (None, ["no JSON object"])
        with self.store.tx() as db:
            if parsed and not parsed["private"]:
                token = self.store.one("SELECT * FROM submission_tokens WHERE token=? AND expires>?", parsed["token"],
                                       int(now))
                if token:
                    parsed["kit"] = token["kit"] or "LAB_RESULT"
                    db.execute("DELETE FROM submission_tokens WHERE token=?", (parsed["token"],))
                else:
                    parsed, reasons = None, reasons + ["submission token unknown, expired or spent"]
            if parsed:
                row = db.execute("INSERT INTO submissions(time,token,kit,private,keys) VALUES(?,?,?,?,?)",
                                 (int(now), parsed["token"], parsed["kit"], parsed["private"],
                                  json.dumps(parsed["keys"])))
                answer.note["storedSubmission"] = row.lastrowid
        answer.note.update(stored=bool(parsed), storedKeys=len(parsed["keys"]) if parsed else 0, reasons=reasons)
        return answer

    def empty(self, request, settings):
        return Answer(200)

    # circuit breakers (section 4)

    def breaker_request(self, request, settings, feature):
        if feature == "exposure-notification":
            try:
                rules.read_exposure_request(request.json())
            except (rules.Unreadable, ValueError, AttributeError) as error:
                return unreadable(422, error)
        reply = {"approvalToken": rules.new_approval_token(),
                 "approval": settings["breaker"][feature]["initial"] or "pending"}
        with self.store.tx() as db:
            db.execute("INSERT INTO breaker_requests(time,feature,body,token,answer) VALUES(?,?,?,?,?)",
                       (int(self.clock.now()), feature, request.body.decode("utf-8", "replace"),
                        reply["approvalToken"], reply["approval"]))
        return json_answer(reply)

    def breaker_resolution(self, request, settings, feature):
        if rules.approval_token(unquote(request.path)) is None:
            return Answer(422)
        return json_answer({"approval": settings["breaker"][feature]["poll"] or "pending"})


def unreadable(status, error):
    answer = Answer(status)
    answer.note["unreadable"] = str(error)
    return answer


def create_order(store, now, cta_token=None, polling_token=None, submission_token=None):
    """An order with a pending result; all three tokens may be given by a test."""
    tokens = {"ctaToken": cta_token or rules.new_cta_token(),
              "testResultPollingToken": polling_token or str(uuid.uuid4()),
              "diagnosisKeySubmissionToken": submission_token or str(uuid.uuid4())}
    expires = int(now) + rules.ORDER_LIFETIME
    with store.tx() as db:
        db.execute("INSERT OR REPLACE INTO orders VALUES(?,?,?,0,?)", (*tokens.values(), expires))
        db.execute("INSERT OR REPLACE INTO results VALUES(?,NULL,NULL,NULL,NULL,?)",
                   (tokens["testResultPollingToken"], expires))
    return tokens


def set_result(store, now, order, result, kit, end_date, override):
    """What a laboratory uploads. A positive result creates the submission token (28 days)."""
    expires = int(now) + rules.ORDER_LIFETIME
    with store.tx() as db:
        db.execute("UPDATE results SET result=?, kit=?, end_date=?, override=? WHERE polling_token=?",
                   (result, kit, end_date, json.dumps(override), order["polling_token"]))
        if result == "POSITIVE":
            db.execute("INSERT OR REPLACE INTO submission_tokens VALUES(?,?,?)",
                       (order["submission_token"], kit, expires))


class Distribution(Service):
    """Static documents and key archives: no authorisation, signed with `date:` + body."""

    name = "distribution"

    def __init__(self, store, clock, faults, keys):
        super().__init__(store, clock, faults)
        self.keys = keys

    def error_signing(self, request):
        return int(self.clock.now())

    def handle(self, request, fault):
        if request.method not in ("GET", "HEAD"):
            return Answer(405)
        path = unquote(request.path)
        if path.startswith(("/distribution/two-hourly/", "/distribution/daily/")):
            self.publish(rules.last_run(self.clock.now()))
            found = self.archive(path, fault)
        else:
            found = self.document(path, fault)
        if not found:
            return Answer(self.store.get("settings")["missingStatus"])
        body, content_type, when = found
        etag = f'"{hashlib.md5(body).hexdigest()}"'
        status = 304 if request.header("If-None-Match") == etag else 200
        return Answer(status, body, content_type, {"ETag": etag}, sign=when)

    def finish(self, request, answer, fault):
        if answer.sign is not None:
            date_text = date_for(answer.sign, fault)
            add_signature(answer, self.keys.distribution, self.keys.foreign,
                          rules.static_content(date_text, answer.body), date_text, fault)

    def document(self, path, fault):
        found = self.store.document(path, 1 if fault.get("kind") == "replay" else 0) or self.store.document(path)
        if not found:
            return None
        body = found["body"]
        if fault.get("kind") == "other_region" and path.endswith("/self-isolation"):
            blocks = json.loads(body)                         # a document of another country
            body = json.dumps({"scotland": blocks.get("england", blocks)}).encode()
        return body, found["content_type"], found["time"]

    def archive(self, path, fault):
        row = self.store.one("SELECT * FROM archives WHERE path=?", path)
        if not row:
            return None
        kind = fault.get("kind")
        body = row["body"]
        if kind == "other_region":
            body = self.build(json.loads(row["key_set"]), row["start"], row["end"], region=fault.get("region", "XX"))
        elif fault.get("where") in ("export", "both"):
            body = self.build(json.loads(row["key_set"]), row["start"], row["end"], kind=kind)
        return body, "application/zip", self.store.get("last_run")    # every run uploads, so signs, all of them

    def build(self, keys, start, end, region=None, kind=None):
        info = signature_info(self.store.get("settings")["bundleId"], "999" if kind == "unknown_key_id" else "234",
                              self.store.get("settings")["bundleId"])
        signer = self.keys.foreign if kind in ("other_key", "unknown_key_id") else self.keys.export
        return signed_zip(rules.export_bin(keys, start, end, info, region), info, signer, kind == "wrong_signature")

    def publish(self, run, force=False):
        """Make the archives of the batch run at that time, once. An archive whose keys did not change stays as is."""
        with self.store.tx() as db:
            if not force and run <= self.store.get("last_run", 0) <= self.clock.now():
                return
            wanted = rules.periods(run)
            keys = [(row["time"], key) for row in self.store.all("SELECT * FROM submissions")
                    for key in json.loads(row["keys"]) if rules.publishable(key["rollingStartNumber"], run)]
            before = {row["path"]: row["key_set"] for row in self.store.all("SELECT path, key_set FROM archives")}
            for path in set(before) - {path for path, _, _ in wanted}:
                db.execute("DELETE FROM archives WHERE path=?", (path,))
            for path, start, end in wanted:
                mine = sorted((key for when, key in keys
                               if start + rules.PERIOD_OFFSET <= when < end + rules.PERIOD_OFFSET),
                              key=lambda key: key["key"])
                key_set = json.dumps(mine)
                if before.get(path) != key_set:
                    db.execute("INSERT OR REPLACE INTO archives VALUES(?,?,?,?,?,?)",
                               (path, key_set, start, end, run, self.build(mine, start, end)))
            self.store.put("last_run", run)


class NhsAdmin(Admin):
    def __init__(self, store, clock, faults, keys, distribution):
        super().__init__(store, clock, faults)
        self.keys, self.distribution = keys, distribution

    def get_root(self, request):
        return {"keys": self.keys.describe(), "settings": self.store.get("settings"),
                "clock": self.get_clock(request), "lastRun": self.store.get("last_run")}

    def post_orders(self, request):
        body = request.json()
        return create_order(self.store, self.clock.now(), body.get("ctaToken"), body.get("testResultPollingToken"),
                            body.get("diagnosisKeySubmissionToken"))

    def post_results(self, request):
        """Set the result of an order found by any of its tokens; without a token make a new order first."""
        body = request.json()
        with self.store.tx() as db:
            token = body.get("token")
            if token is None:
                token = self.post_orders(request)["ctaToken"]
            order = self.store.one("SELECT * FROM orders WHERE ? IN (cta_token, polling_token, submission_token)", token)
            if not order:
                raise BadRequest("no order has this token")
            result = body.get("testResult", "POSITIVE")
            result = "VOID" if result == "INDETERMINATE" else result
            end_date = body.get("testEndDate", f"{utc(self.clock.now()):%Y-%m-%d}T00:00:00Z")
            if result is None:
                db.execute("UPDATE results SET result=NULL WHERE polling_token=?", (order["polling_token"],))
            else:
                set_result(self.store, self.clock.now(), order, result, body.get("testKit", "LAB_RESULT"),
                           end_date + "T00:00:00Z" if len(end_date) == 10 else end_date, body.get("override", {}))
            if "downloads" in body:
                db.execute("UPDATE orders SET downloads=? WHERE cta_token=?", (body["downloads"], order["cta_token"]))
        return {"ctaToken": order["cta_token"], "testResultPollingToken": order["polling_token"],
                "diagnosisKeySubmissionToken": order["submission_token"]}

    def get_orders(self, request):
        return {"orders": self.store.all("SELECT o.*, r.result, r.kit, r.end_date, r.expires AS result_expires, "
                                         "t.expires AS submission_token_expires FROM orders o "
                                         "LEFT JOIN results r USING(polling_token) "
                                         "LEFT JOIN submission_tokens t ON t.token=o.submission_token")}

    def post_tokens(self, request):
        """A submission token without an order."""
        body = request.json()
        token = body.get("diagnosisKeySubmissionToken", str(uuid.uuid4()))
        with self.store.tx() as db:
            db.execute("INSERT OR REPLACE INTO submission_tokens VALUES(?,?,?)",
                       (token, body.get("testKit"), int(self.clock.now()) + rules.ORDER_LIFETIME))
        return {"diagnosisKeySubmissionToken": token}

    def get_submissions(self, request):
        rows = self.store.all("SELECT * FROM submissions ORDER BY id")
        return {"submissions": [{**row, "private": bool(row["private"]), "keys": json.loads(row["keys"])}
                                for row in rows]}

    def post_keys(self, request):
        """Keys of other people, stored as if they had been submitted (at `time`, default now). Same key checks."""
        body = request.json()
        when = parse_iso(body["time"]) if "time" in body else int(self.clock.now())
        parsed, reasons = rules.read_submission({"diagnosisKeySubmissionToken": str(uuid.UUID(int=0)),
                                                 "temporaryExposureKeys": body["keys"], "isPrivateJourney": True}, when)
        if parsed:
            with self.store.tx() as db:
                db.execute("INSERT INTO submissions(time,token,kit,private,keys) VALUES(?,NULL,'LAB_RESULT',0,?)",
                           (when, json.dumps(parsed["keys"])))
        return {"stored": len(parsed["keys"]) if parsed else 0, "reasons": reasons}

    def post_publish(self, request):
        """mode last (default): what waits goes into the newest complete archive, ready for a client with this clock;
        current: run the batch now, waiting keys keep their proper label; scheduled: only if a run is due."""
        mode = request.json().get("mode", "last")
        now = int(self.clock.now())
        slot = now // (2 * rules.HOUR) * 2 * rules.HOUR
        with self.store.tx() as db:
            if mode == "last":
                # submissions after the end of that archive are dated back to its last second
                end = slot + rules.PERIOD_OFFSET
                db.execute("UPDATE submissions SET time=? WHERE time>=?", (end - 1, end))
            elif mode not in ("current", "scheduled"):
                raise BadRequest("mode is last, current or scheduled")
            run = rules.last_run(now) if mode == "scheduled" else max(now, rules.last_run(now))
            self.distribution.publish(run, force=mode != "scheduled")
        return self.get_archives(request)

    def get_archives(self, request):
        rows = self.store.all("SELECT path, key_set, run, length(body) AS size FROM archives ORDER BY path")
        return {"lastRun": self.store.get("last_run"),
                "archives": [{"path": r["path"], "keys": json.loads(r["key_set"]), "run": r["run"], "size": r["size"]}
                             for r in rows if json.loads(r["key_set"]) or request.query.get("all")],
                "count": len(rows)}

    def put_document(self, request):
        """Replace a document (body = the bytes to serve). Invalid ones are served too, the answer says why."""
        path = request.query["path"]
        if not path.startswith("/distribution/"):
            raise BadRequest("path must start with /distribution/")
        when = parse_iso(request.query["date"]) if "date" in request.query else self.clock.now()
        self.store.set_document(path, request.body, request.header("Content-Type") or "application/json", when)
        reasons = []
        try:
            document = json.loads(request.body)
            if path.endswith("/exposure-configuration"):
                reasons = rules.exposure_document_faults(document)
            elif path.endswith("/self-isolation") and not rules.isolation_parameters(document)["readableByLastApps"]:
                reasons = ["england and wales_v2 are required"]
        except ValueError as error:
            reasons = [f"not JSON: {error}"]
        return {"path": path, "size": len(request.body), "reasons": reasons}

    def get_breaker(self, request):
        return {"breaker": self.store.get("settings")["breaker"],
                "requests": self.store.all("SELECT * FROM breaker_requests ORDER BY id")}

    def post_breaker(self, request):
        """{"exposure-notification": "yes"} sets both answers, {"venue": {"initial": "pending", "poll": "no"}} each."""
        with self.store.tx():
            settings = self.store.get("settings")
            for feature, decision in request.json().items():
                if feature not in settings["breaker"]:
                    raise BadRequest("unknown feature " + feature)
                settings["breaker"][feature].update(decision if isinstance(decision, dict)
                                                    else {"initial": decision, "poll": decision})
            self.store.put("settings", settings)
        return settings["breaker"]

    def delete_state(self, request):
        """Forget tokens, submissions, archives, log and faults; keep signing keys, settings, documents, clock."""
        with self.store.tx() as db:
            for table in ("orders", "results", "submission_tokens", "submissions", "archives", "breaker_requests",
                          "requests", "faults"):
                db.execute(f"DELETE FROM {table}")
            self.store.put("last_run", 0)


def create(state, vectors, clock_offset=None):
    """All services of this program; also used by check_nhs.py."""
    store = Store(state, SCHEMA)
    clock = Clock(store, clock_offset)
    store.put("settings", {**SETTINGS, **store.get("settings", {})})
    for name, file in DOCUMENTS.items():
        if not store.document("/distribution/" + name):
            with open(os.path.join(vectors, "rules", "documents", "nhs", file), "rb") as source:
                store.set_document("/distribution/" + name, source.read(), "application/json", clock.now())
    if not store.document("/distribution/risky-venues"):
        store.set_document("/distribution/risky-venues", b'{"venues":[]}', "application/json", clock.now())
    keys, faults = Keys(state), Faults(store)
    distribution = Distribution(store, clock, faults, keys)
    return (Submission(store, clock, faults, keys), distribution, NhsAdmin(store, clock, faults, keys, distribution))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", required=True, help="folder for the database and the signing keys")
    for name in ("submission", "distribution", "admin"):
        parser.add_argument(f"--{name}-port", type=int, default=0)
    parser.add_argument("--clock-offset", type=float, default=None, help="seconds; default: as before the restart")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--vectors", default=os.path.join(here, "vectors"))
    options = parser.parse_args()
    services = create(options.state, options.vectors, options.clock_offset)
    ports = {name: getattr(options, name + "_port") for name in ("submission", "distribution", "admin")}
    settings = services[0].store.get("settings")
    serve_until_terminated(services, ports, options.tls, {
        "keys": services[0].keys.describe(), "authorization": {k: settings[k] for k in ("apiKeyName", "apiKeyValue")}})


if __name__ == "__main__":
    main()
