# SPDX-License-Identifier: Apache-2.0
"""NHS rules without any input or output. Section numbers mean spec/rules-and-nhs.md, B.x spec/checkin-and-nhs.md."""

import base64
import binascii
import random
import re
import secrets
import string
import uuid
from datetime import date, timedelta

from common import EXPORT_HEADER, field_bytes, field_fixed64, field_int, field_sint, http_date, utc

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
TEST_RESULTS = ("POSITIVE", "NEGATIVE", "VOID", "PLOD")
TEST_KITS = ("LAB_RESULT", "RAPID_RESULT", "RAPID_SELF_REPORTED")
DAY, HOUR = 86400, 3600
ORDER_LIFETIME, READ_LIFETIME, SUBMISSION_LIFETIME = 28 * DAY, 4 * HOUR, 4 * DAY
MAX_EXCHANGES, MAX_KEYS = 2, 14
PERIOD_OFFSET = -15 * 60                  # section 3: windows shifted by -15 min


class Unreadable(Exception):
    """The JSON body lacks a mandatory field or has one of another type."""


# ---------------------------------------------------------------- 1.1 response signature

def signature_date(seconds):
    return http_date(seconds, "UTC")


def static_content(date_text, body):
    return date_text.encode() + b":" + body


def request_content(request_id, method, path, date_text, body):
    return f"{request_id or 'not-set'}:{method}:{path}:{date_text}:".encode() + body


def signature_header(key_id, signature):
    return f'keyId="{key_id}",signature="{base64.b64encode(signature).decode()}"'


def parse_signature_header(text):
    """(key id, signature) or None; only the form servers send is accepted."""
    match = re.fullmatch(r'keyId="([^"]+)",signature="([^"]+)"', text or "")
    try:
        return (match[1], base64.b64decode(match[2], validate=True)) if match else None
    except binascii.Error:
        return None


# ---------------------------------------------------------------- 1 headers

def user_agent(text):
    """p=,o=,v=,b= to a dict; a version that cannot be read is None."""
    parts = dict(re.findall(r"(?:^|,)([povb])=([^,]*)", text or ""))
    version = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?", parts.get("v", ""))
    return {"os": parts.get("p"), "osVersion": parts.get("o"),
            "version": f"{version[1]}.{version[2]}.{version[3] or 0}" if version else None}


def padding_lengths(body_length, random_part):
    missing = 4000 + random_part - body_length
    return [min(2000, missing - start) for start in range(0, max(0, missing), 2000)]


def authorised(header, name, value):
    return header == "Bearer " + base64.b64encode(f"{name}:{value}".encode()).decode()


# ---------------------------------------------------------------- 2 virology

def damm(text):
    state = 0
    for character in text:
        state = (state ^ CROCKFORD.index(character)) * 2
        if state >= 32:
            state = (state ^ 5) % 32
    return state


def cta_token_valid(token):
    return (isinstance(token, str) and len(token) == 8 and all(c in CROCKFORD for c in token) and damm(token) == 0)


def new_cta_token():
    start = "".join(secrets.choice(CROCKFORD) for _ in range(7))
    return next(start + last for last in CROCKFORD if damm(start + last) == 0)


def policy(country, kit, result, overrides=()):
    """Final policy; overrides are rows of the admin API whose given criteria all fit, later rows win."""
    answer = {"diagnosisKeySubmissionSupported": result == "POSITIVE" and country in ("England", "Wales"),
              "requiresConfirmatoryTest": False, "confirmatoryDayLimit": None, "shouldOfferFollowUpTest": False}
    for row in overrides:
        facts = {"country": country, "testKit": kit, "testResult": result}
        if all(row.get(name, value) == value for name, value in facts.items()):
            answer.update({name: row[name] for name in answer if name in row})
    return answer


def text_field(body, name):
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(name)
    return value


def int_field(body, name, default=None):
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unreadable(name)
    return value


# what a client has to refuse (used to check the documents tests produce)

def client_accepts(answer):
    confirm, limit = answer["requiresConfirmatoryTest"], answer["confirmatoryDayLimit"]
    positive = answer["testResult"] == "POSITIVE"
    return not ((not positive and (confirm or answer["testKit"] != "LAB_RESULT"))
                or (not confirm and (limit is not None or answer["shouldOfferFollowUpTest"])))


def within_confirmatory_limit(end, limit, other):
    days = (date.fromisoformat(other) - date.fromisoformat(end)).days
    return days >= 0 and (limit is None or days <= limit)


def assumed_onset(test_end, positive, self_assessment, onset):
    """Onset date, else self-assessment minus 2 days; a positive test's end date if earlier or alone."""
    assumed = onset or (str(date.fromisoformat(self_assessment) - timedelta(days=2)) if self_assessment else None)
    return min(assumed, test_end) if positive and assumed else test_end if positive else assumed


# ---------------------------------------------------------------- 3 submission

def interval(seconds):
    return int(seconds) // 600


def rolling_start_valid(start, period, now):
    return interval(now - 14 * DAY) <= start + period and start <= interval(now)


def key_bytes(text):
    """Base64 as java.util.Base64 reads it (padding may be absent), or None."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text):
        return None
    bare = text.rstrip("=")
    if len(bare) % 4 == 1 or (bare != text and len(text) % 4):
        return None
    return base64.b64decode(bare + "=" * (-len(bare) % 4))


def read_key(entry):
    if not isinstance(entry, dict):
        raise Unreadable("temporaryExposureKeys")
    onset = entry.get("daysSinceOnsetOfSymptoms")
    if onset is not None:
        onset = int_field(entry, "daysSinceOnsetOfSymptoms")
    return {"key": entry.get("key"), "rollingStartNumber": int_field(entry, "rollingStartNumber"),
            "rollingPeriod": int_field(entry, "rollingPeriod"),
            "transmissionRisk": int_field(entry, "transmissionRiskLevel", 7), "daysSinceOnsetOfSymptoms": onset}


def why_bad_key(key, now):
    data = key_bytes(key["key"])
    if data is None or len(data) >= 32:
        return "key is not Base64 of less than 32 bytes"
    if not rolling_start_valid(key["rollingStartNumber"], key["rollingPeriod"], now):
        return "rolling start"
    if not 1 <= key["rollingPeriod"] <= 144:
        return "rolling period"
    if not 0 <= key["transmissionRisk"] <= 7:
        return "transmission risk level"
    return None


def read_submission(body, now):
    """Parse and check a submission. Returns (parsed or None, list of reasons); the answer is 200 either way."""
    try:
        token = text_field(body, "diagnosisKeySubmissionToken")
        uuid.UUID(token)
        entries = body.get("temporaryExposureKeys")
        if not isinstance(entries, list):
            raise Unreadable("temporaryExposureKeys")
        keys = [read_key(entry) for entry in entries if entry is not None]
        private = body.get("isPrivateJourney") or False
        kit = body.get("testKit", "LAB_RESULT")       # absent = LAB_RESULT, null = none
        if private not in (True, False) or kit not in TEST_KITS + (None,):
            raise Unreadable("isPrivateJourney or testKit")
    except (Unreadable, ValueError) as error:
        return None, [f"unreadable body: {error}"]
    if len(entries) > MAX_KEYS:
        return None, [f"{len(entries)} keys, at most {MAX_KEYS}"]
    reasons = [f"key {i}: {why_bad_key(key, now)}" for i, key in enumerate(keys) if why_bad_key(key, now)]
    good = [key for key in keys if not why_bad_key(key, now)]
    if not good:
        return None, reasons + ["no valid key"]
    if private and kit not in ("LAB_RESULT", "RAPID_SELF_REPORTED"):
        return None, reasons + [f"private journey with test kit {kit}"]
    return {"token": token, "keys": good, "private": private, "kit": kit}, reasons


# ---------------------------------------------------------------- 4 circuit breakers

def new_approval_token():
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(50))


def approval_token(path):
    match = re.fullmatch(r"/circuit-breaker/[^/]+/resolution/([A-Za-z0-9]{50})", path or "")
    return match[1] if match else None


def read_exposure_request(body):
    score = body.get("maximumRiskScore") if isinstance(body, dict) else None
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        raise Unreadable("maximumRiskScore")
    for name in ("matchedKeyCount", "daysSinceLastExposure"):
        int_field(body, name)
    int_field(body, "riskCalculationVersion", 1)


def exposure_request_body(day_start, now, score, count, version):
    return {"maximumRiskScore": score, "matchedKeyCount": count, "riskCalculationVersion": version,
            "daysSinceLastExposure": int(now - day_start) // DAY}


# ---------------------------------------------------------------- 5 documents

def exposure_document_faults(doc):
    """Why apps could not use an exposure configuration for version 2; an empty list = usable."""
    faults = []

    def number(block, name):
        value = doc.get(block, {}).get(name) if isinstance(doc.get(block, {}), dict) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            faults.append(f"{block}.{name}: number required")

    def numbers(block, name, count):
        value = doc.get(block, {}).get(name)
        if not isinstance(value, list) or len(value) != count or any(
                isinstance(v, bool) or not isinstance(v, (int, float)) for v in value):
            faults.append(f"{block}.{name}: {count} numbers required")

    for block in ("exposureNotification", "riskCalculation", "riskScore", "v2RiskCalculation"):
        if not isinstance(doc.get(block), dict):
            return [f"{block} missing"]
    for name in ("attenuationLevelValues", "daysSinceLastExposureLevelValues", "durationLevelValues",
                 "transmissionRiskLevelValues"):
        numbers("exposureNotification", name, 8)
    numbers("exposureNotification", "attenuationDurationThresholds", 2)
    for name in ("minimumRiskScore", "attenuationWeight", "daysSinceLastExposureWeight", "durationWeight",
                 "transmissionRiskWeight"):
        number("exposureNotification", name)
    numbers("riskCalculation", "durationBucketWeights", 3)
    number("riskCalculation", "riskThreshold")
    numbers("v2RiskCalculation", "daysSinceOnsetToInfectiousness", 29)
    numbers("v2RiskCalculation", "infectiousnessWeights", 3)
    number("v2RiskCalculation", "reportTypeWhenMissing")
    number("v2RiskCalculation", "riskThreshold")
    for name in ("sampleResolution", "expectedDistance", "minimumDistance"):
        number("riskScore", name)
    if doc["riskScore"].get("observationType") not in ("log", "gen"):
        faults.append("riskScore.observationType: log or gen")
    for block, names in (("rssiParameters", ("weightCoefficient", "intercept", "covariance")),
                         ("powerLossParameters", ("wavelength", "pathLossFactor", "refDeviceLoss")),
                         ("initialData", ("mean", "covariance")), ("smootherParameters", ("alpha", "beta", "kappa"))):
        inner = doc["riskScore"].get(block)
        if not isinstance(inner, dict) or any(not isinstance(inner.get(n), (int, float)) for n in names):
            faults.append(f"riskScore.{block}: {', '.join(names)} required")
    return faults


def exposure_parameters(doc):
    answer = {"v1": {name: doc["exposureNotification"][name] for name in (
        "minimumRiskScore", "attenuationDurationThresholds", "transmissionRiskLevelValues")} | doc["riskCalculation"]}
    if not exposure_document_faults(doc):
        v2 = doc["v2RiskCalculation"]
        answer["v2"] = v2 | {"daysSinceOnsetToInfectiousness": {
            str(i - 14): value for i, value in enumerate(v2["daysSinceOnsetToInfectiousness"])}}
        answer["score"] = {name: doc["riskScore"][name] for name in (
            "sampleResolution", "expectedDistance", "minimumDistance", "observationType")}
    return answer


ISOLATION_FIELDS = ("contactCase", "indexCaseSinceSelfDiagnosisOnset", "indexCaseSinceSelfDiagnosisUnknownOnset",
                    "indexCaseSinceTestResultEndDate", "maxIsolation", "pendingTasksRetentionPeriod",
                    "testResultPollingTokenRetentionPeriod")


def isolation_parameters(doc):
    def block(name):
        return {field: doc[name].get(field) for field in ISOLATION_FIELDS} if name in doc else None
    return {"england": block("england"), "wales": block("wales_v2"), "legacy": block("durationDays"),
            "readableByLastApps": "england" in doc and "wales_v2" in doc}


# ---------------------------------------------------------------- distribution (3 and B.4)

def label(seconds):
    """yyyyMMddHH of the end of an interval."""
    return f"{utc(seconds):%Y%m%d%H}"


def last_run(now):
    """The batch runs 14 minutes before each even hour (window -15 min, +1 min)."""
    return (int(now) + 14 * 60) // (2 * HOUR) * 2 * HOUR - 14 * 60


def periods(run):
    """(path, start, end) of every archive a run at that time makes: 14 days, the running day and slot included."""
    slot = run // (2 * HOUR) * 2 * HOUR + 2 * HOUR
    day = run // DAY * DAY + DAY
    return ([(f"/distribution/two-hourly/{label(end)}.zip", end - 2 * HOUR, end)
             for end in range(slot, slot - 14 * DAY, -2 * HOUR)]
            + [(f"/distribution/daily/{label(end)}.zip", end - DAY, end) for end in range(day, day - 15 * DAY, -DAY)])


def publishable(start_number, run):
    """Only keys younger than 14 days at the end of the next slot go out."""
    limit = interval(run // (2 * HOUR) * 2 * HOUR + 4 * HOUR)
    return start_number <= limit < start_number + 144 + 14 * 144


def export_bin(keys, start, end, info, region=None):
    """No report type; a missing onset goes out as 0; no region; keys in random order."""
    keys = list(keys)
    random.SystemRandom().shuffle(keys)
    out = field_fixed64(1, start + PERIOD_OFFSET) + field_fixed64(2, end + PERIOD_OFFSET)
    if region:
        out += field_bytes(3, region)
    out += field_int(4, 1) + field_int(5, 1) + field_bytes(6, info)
    for key in keys:
        out += field_bytes(7, field_bytes(1, key_bytes(key["key"])) + field_int(2, key["transmissionRisk"])
                           + field_int(3, key["rollingStartNumber"]) + field_int(4, key["rollingPeriod"])
                           + field_sint(6, key["daysSinceOnsetOfSymptoms"] or 0))
    return EXPORT_HEADER + out


# ---------------------------------------------------------------- what clients compute (for expectations in tests)

def submission_range(today, acknowledged, onset, isolation):
    today, acknowledged, onset = map(date.fromisoformat, (today, acknowledged, onset))
    return (str(max(onset - timedelta(days=2), today - timedelta(days=isolation - 1))),
            str(acknowledged - timedelta(days=1)))


def risk_level(key_date, first, last, onset):
    """(level, days since onset) of one key."""
    if onset is None:
        return 0, None
    days = (date.fromisoformat(key_date) - date.fromisoformat(onset)).days
    return (max(0, 7 - abs(days)) if first <= key_date <= last else 0), days


def archives_to_fetch(now, last):
    """Two-hourly up to midnight, daily for whole past days, two-hourly today; at most 14 days back."""
    if now - last < 2 * HOUR:
        return []
    today = now // DAY * DAY
    if last < today - 14 * DAY:
        last = today - 14 * DAY
    position = last // (2 * HOUR) * 2 * HOUR
    found = []
    while position < now // (2 * HOUR) * 2 * HOUR:
        if position % DAY == 0 and position + DAY <= today:
            position += DAY
            found.append("daily/" + label(position))
        else:
            position += 2 * HOUR
            found.append("two-hourly/" + label(position))
    return found
