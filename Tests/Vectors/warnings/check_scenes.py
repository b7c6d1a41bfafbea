#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks scenes_engine.py against the vectors, scenes.json against scenes_oracle.py, and that the scenes notice mistakes.

    python3 check_scenes.py [vectors directory] [--mutants]
"""
import copy
import hashlib
import json
import os
import sys
from collections import Counter

import scenes_engine as e
import scenes_oracle as so
import warnings_oracle as w

HERE = os.path.dirname(os.path.abspath(__file__))
ARGS = [a for a in sys.argv[1:] if not a.startswith("--")]
V = ARGS[0] if ARGS else os.path.join(HERE, "..", "vectors")
passed, failed = Counter(), Counter()


def check(group, name, got, want):
    if got == want:
        passed[group] += 1
    else:
        failed[group] += 1
        if failed[group] < 6:
            print("FAILED", group, name, "got", got, "expected", want)


def near(group, name, got, want, tol):
    ok = (got is None) == (want is None) and (got is None or abs(got - want) <= tol)
    check(group, name if ok else "%s %r %r" % (name, got, want), ok, True)


def load(name):
    with open(os.path.join(V, name)) as f:
        return json.load(f)


# --- AES-128 and HKDF in plain Python, only to find which interval a vector's identifier stands for (G §1)
def _aes_tables():
    p, sbox = 1, [0] * 256
    q = 1
    while True:
        p ^= (p << 1) ^ (0x11B if p & 0x80 else 0)
        p &= 0xFF
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xFF
        if q & 0x80:
            q ^= 0x09
        x = q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4)
        sbox[p] = (x ^ 0x63) & 0xFF
        if p == 1:
            break
    sbox[0] = 0x63
    return sbox


S = _aes_tables()
X2 = [((x << 1) ^ (0x1B if x & 0x80 else 0)) & 0xFF for x in range(256)]


def aes_schedule(key):
    ws = [list(key[i:i + 4]) for i in range(0, 16, 4)]
    rc = 1
    for i in range(4, 44):
        t = ws[i - 1][:]
        if i % 4 == 0:
            t = [S[t[1]] ^ rc, S[t[2]], S[t[3]], S[t[0]]]
            rc = X2[rc]
        ws.append([a ^ b for a, b in zip(ws[i - 4], t)])
    return [sum(ws[4 * r:4 * r + 4], []) for r in range(11)]


def aes(sched, block):
    s = [a ^ b for a, b in zip(block, sched[0])]
    for r in range(1, 11):
        s = [S[s[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if r < 10:
            o = []
            for c in range(0, 16, 4):
                a = s[c:c + 4]
                t = a[0] ^ a[1] ^ a[2] ^ a[3]
                o += [a[i] ^ t ^ X2[a[i] ^ a[(i + 1) % 4]] for i in range(4)]
            s = o
        s = [a ^ b for a, b in zip(s, sched[r])]
    return bytes(s)


def hkdf16(tek, info):
    import hmac
    prk = hmac.new(b"\0" * 32, tek, hashlib.sha256).digest()
    return hmac.new(prk, info + b"\1", hashlib.sha256).digest()[:16]


def rpis(tek, start, period):
    s = aes_schedule(hkdf16(tek, b"EN-RPIK"))
    return {aes(s, b"EN-RPI" + b"\0" * 6 + i.to_bytes(4, "little")).hex(): i for i in range(start, start + period)}


# --- matching: validity, replay cut, windows, seconds, v1 exposures
for case in load("gaen/matching.json")["cases"]:
    g = "matching"
    for key, exp in zip(case["keys"], case["expected"]):
        if exp.get("skipped") or key.get("report_type", 0) in (4, 5):
            continue
        tk = bytes.fromhex(key["key"])
        table = rpis(tk, key["rolling_start"], 144)             # all 144: the period rule is the engine's
        ae = aes_schedule(hkdf16(tk, b"EN-AEMK"))
        sight = []
        for n, s in enumerate(case["sightings"]):
            if s["rpi"] not in table or len(s["aem"]) != 8:
                continue
            ks = aes(ae, bytes.fromhex(s["rpi"]))
            tx = bytes.fromhex(s["aem"])[1] ^ ks[1]
            tx = tx - 256 if tx > 127 else tx
            sight.append((s["t"], max(tx - s["rssi"], 0), None, s["t"] - s["prev"] if s["prev"] else None, table[s["rpi"]], n, tx, s["rssi"]))
        sight.sort(key=lambda x: (x[0], x[5]))
        k = {"age": 0, "start": key["rolling_start"], "period": key["rolling_period"]}
        ok = [x for x in e.valid_sightings(k, sight) if -50 <= x[6] <= 20]     # the first valid hearing may have a wrong power
        if "valid_sightings" in exp:
            check(g, case["name"] + " valid", sorted((x[5], x[4], x[1]) for x in ok),
                  sorted((x["index"], x["interval"], x["attenuation"]) for x in exp["valid_sightings"]))
        # packets -> scans (V gaen/README: <= 25.5 s joins). Scenes hold whole scans, so this step is only here.
        groups, start = [], None
        for x in ok:
            if start is None or x[0] - start >= 1800:
                start = x[0]
                groups.append((x[0], []))
                last = None
            if last is not None and x[0] - last <= 25.5:
                groups[-1][1][-1].append(x)
            else:
                groups[-1][1].append([x])
            last = x[0]
        got = []
        for first, scans in groups:
            got.append([first // 86400 * 86400000, [[int(sum(y[1] for y in s) / len(s) + 0.5), min(y[1] for y in s),
                                                     e.counted(s[0][0], s[0][3], e.RULES)] for s in scans]])
        want = [[x["date_ms"], [[s["typical_attenuation_db"], s["min_attenuation_db"], s["seconds_since_last_scan"]]
                                for s in x["scan_instances"]]] for x in exp["exposure_windows"]]
        check(g, case["name"] + " windows", got, want)
        # the engine's own windows, where every scan is one packet
        if all(len(s) == 1 for _f, scans in groups for s in scans):
            mine = e.windows_of([(x[0], x[1], x[1], x[3], x[4]) for x in ok])
            check(g, case["name"] + " engine windows", [[d * 86400000, [list(y) for y in s]] for d, s in mine], want)
        if exp.get("v1_exposures") and "v1_config" in case and "random" not in case["name"]:   # see SCENES.md, Not checked
            per, red = {}, []
            for x in ok:
                per.setdefault(x[4], []).append(x)
            for xs in per.values():                             # of each identifier and scan the packet of the best RSSI
                last = None
                for x in xs:
                    if last is not None and x[0] - last <= 25.5:
                        if x[7] > red[-1][7]:
                            red[-1] = x
                    else:
                        red.append(x)
                    last = x[0]
            red.sort()
            ex = e.exposures_of([(x[0], x[1], x[1], x[3], x[4]) for x in red])
            check("matching v1", case["name"] + " duration", sorted(d_ * 60 for _day, d_, _a, _s in ex), sorted(x["duration_seconds"] for x in exp["v1_exposures"]))
for case in load("gaen/v1_arithmetic.json")["cases"]:
    if case["op"] == "bucket_duration_seconds":
        check("v1 arithmetic", str(case["span"]), e.round5(case["span"] + 300), case["expected"])
    elif case["op"] == "weighted_attenuation" and case["scan_interval"] == 300 and max(b[0] - a[0] for a, b in zip(case["points"], case["points"][1:] or case["points"])) <= 600:
        ex = e.exposures_of([(t, a, a, 300, 0) for t, a in case["points"]])
        check("v1 arithmetic", "weighted %s" % case["points"], int(ex[0][2]), case["expected"])

# --- second model: the published exposure-window cases through the engine's own judge
doc = load("cwa/risk-v2-exposure-windows-2022-03.json")
for case in doc["cases"]:
    keys = []
    for x in case["exposureWindows"]:
        scans = [(s["typicalAttenuation"], s["minAttenuation"], s["secondsSinceLastScan"]) for s in x["scanInstances"]]
        keys.append({"who": "A", "rt": x["reportType"], "inf": x["infectiousness"], "level": 0, "windows": [(-x["ageInDays"], scans)], "exposures": []})
    told, _days = e.judge_keys(keys, ["cwaSecond"], 0, dict(e.RULES, maxAge=99))
    check("second", case["id"], told, "increased" if case["expTotalRiskLevel"] == 2 else "low")

# --- first model
for case in load("cwa/v1-risk-score.json")["cases"]:
    if "attenuationMinutes" in case:
        s = w.first_score(case.get("maximumRiskScore", case.get("totalRiskScore")), case["attenuationMinutes"], case["weights"],
                          case["offset"], case["divisor"], case["capMinutes"])
        check("first", case["id"], float(s), case["expScore"])

# --- daily summaries: classification limit
for case in load("rules/daily_summary_config.json")["cases"]:
    if case["type"] == "classification":
        t = case["thresholds"][0].get("perDaySumERVThreshold")
        if t == w.DAILY["perDaySumERVThreshold"]:
            check("daily", case["name"], any(e.ge(d["total"]["sum"], t, e.RULES) for d in case["days"]), bool(case["result"]))

# --- submissions
e_map = {int(k): v for k, v in load("cwa/derivation-maps.json")["transmissionRiskLevelFromDaysSinceOnset"].items()}
check("fields", "server's map", e.FROM_ONSET, e_map)
for case in load("rules/cwa_risk_encoding.json")["cases"]:
    if case["type"] == "submission":
        k = {"age": 2, "level": case["submitted"]["level"], "onset": case["submitted"]["daysSinceOnset"]}
        s = {"authority": "own", "name": case["name"]}
        r = e.refusal(so.person("A", k))
        check("fields", case["name"] + " refused", r is not None, bool(case.get("error")))
        if r is None:
            p = e.publish_key(s, so.person("A", k), k)
            check("fields", case["name"], p and {"daysSinceOnset": p[1], "reportType": p[0]}, case["published"] if case["distributed"] else None)
            check("fields", case["name"] + " level", w.normalise(k["level"], k["onset"], e.FROM_ONSET), [case["stored"]["level"], case["stored"]["daysSinceOnset"]])

# --- NHS
for name in ("risk_score", "risk_score_config"):
    d = load("nhs/%s.json" % name)
    for c in d["cases"]:
        cfg = c.get("config", d.get("config"))
        if cfg["observationType"] != "log":
            continue                    # N B.1 "gen is unused"
        got = e.nhs2_score([(s["attenuation"], s["secondsSinceLastScan"]) for s in c["scanInstances"]], cfg)
        near("nhs2 score", c["id"], got, c["score"], c.get("tolerance", abs(c["score"]) * c.get("relativeTolerance", 1e-7)))
d = load("nhs/risk_score_field.json")
for c in d["cases"]:
    if any(s["secondsSinceLastScan"] == 0 for s in c["scanInstances"][1:]):
        continue                        # two instances in one slot: the apps drop such scans (N B.1.6), no scene holds one
    near("nhs2 field", c["id"], e.nhs2_score([(s["attenuation"], s["secondsSinceLastScan"]) for s in c["scanInstances"]], d["config"]), c["score"], c["tolerance"])
d = load("nhs/gamma_quantile.json")
for c in d["cases"]:
    tol = c.get("tolerance", abs(c["value"]) * c.get("relativeTolerance", 1e-7))
    near("nhs2 gamma", c["id"], e.gamma_quantile(c["shape"], c["scale"], c["probability"]), c["value"], tol)
for c in load("nhs/v2_window_risk.json")["cases"]:
    from datetime import date
    best = None
    for n, win in enumerate(c["windows"]):
        inf = {"NONE": 0, "STANDARD": 1, "HIGH": 2}[win["infectiousness"]]
        r = e.nhs2_risk([(s["typicalAttenuation"], s["minAttenuation"], s["secondsSinceLastScan"]) for s in win["scanInstances"]], inf)
        near("nhs2 window", "%s %d" % (c["id"], n), r, c["risks"][n], 1e-6)
        age = (date.fromisoformat(c["today"]) - date.fromisoformat(win["date"])).days
        check("nhs2 window", "%s %d risky" % (c["id"], n), r is not None and r >= c["riskThreshold"] and age <= c["contactCaseIsolationDays"], c["consideredRisky"][n])
for c in load("nhs/v1_risk_score.json")["cases"]:
    near("nhs1", c["id"], e.nhs1_score(c["attenuationDurations"], c["transmissionRiskLevel"], c["durationBucketWeights"]), c["score"], 1e-9)
for c in load("nhs/v1_infectiousness.json")["cases"]:
    near("nhs1", c["id"], e.nhs1_score([1, 0, 0], 7 - c["daysFromOnset"]), c["factor"], 1e-12)
for c in load("nhs/v2_infectiousness.json")["cases"]:
    i = w.infectiousness(e.MAP_N, c["daysSinceOnset"])
    if i != e.UNREAD and c["daysSinceOnset"] is not None and abs(c["daysSinceOnset"]) <= 14:
        check("nhs2 map", c["id"], e.NHS_WEIGHTS[i], c["weight"])
for c in load("rules/nhs_config.json")["cases"]:
    if c["type"] == "threshold":
        check("nhs limits", c["name"], e.ge(c["risk"], c["riskThreshold"], e.RULES), c["risky"])
for name, block, want in (("exposure-configuration_2020-09-24_a41ee3c", "riskCalculation", e.NHS1_THRESHOLD), ("exposure-configuration_2021-01-11_b0871e6", "v2RiskCalculation", e.NHS2_THRESHOLD)):
    check("nhs limits", name, load("rules/documents/nhs/%s.json" % name)[block]["riskThreshold"], want)
v2 = load("rules/documents/nhs/exposure-configuration_2021-01-11_b0871e6.json")["v2RiskCalculation"]
check("nhs limits", "map", v2["daysSinceOnsetToInfectiousness"], [e.NHS_MAP[n] for n in range(-14, 15)])

# --- the file
doc = so.build()
text = so.dump(doc)
with open(os.path.join(HERE, "scenes.json")) as f:
    check("file", "scenes.json is what the oracle writes", f.read() == text, True)
check("file", "written twice alike", so.dump(so.build()) == text, True)
check("file", "below 2.5 MB", len(text) < 2500000, True)
for g, n in so.summary(doc).items():
    both = {"role": ("none",)}.get(g, ("increased", "low"))
    for x in both:
        check("file", "%s holds %s" % (g, x), n.get(x, 0) > 0, True)
limits = {"second": 9, "daily": 2700, "secondFirst": None, "nhs1": 900, "nhs2": 100}
for s in doc["scenes"]:                                 # the word and the points agree
    lim = limits[s["models"]]
    for c in s["checks"]:
        if lim and c["told"] in ("increased", "low") and c.get("network", True) and c["points"] is not None:
            check("file", s["name"] + " word and points", c["points"] >= lim, c["told"] == "increased")
# once more in floating point and with another loop: second model, all identifiers by the clock
values = {v["transmissionRiskLevel"]: v["transmissionRiskValue"] for v in w.CWA_SECOND["transmissionRiskValueMapping"]}
for s in doc["scenes"]:
    if s["models"] != "second" or s["authority"] != "own" or s.get("role") or s.get("events") or len(s["checks"]) > 1 or s["group"] in ("publication",) or "first download on day 10" in s["name"]:
        continue
    at, days = s["checks"][0]["at"], {}
    for p in s["persons"]:
        if "refused" in p:
            continue
        for n, k in enumerate(p["keys"]):
            if not k["published"]:
                continue
            lv = {(1, 3): 3, (2, 3): 4, (1, 2): 5, (2, 2): 6, (1, 1): 7, (2, 1): 8}[(k["published"][1], k["published"][0])]
            if k["published"][2] != lv:
                check("again", s["name"] + " level", k["published"][2], lv)
            lo = -k["age"] * 144 + k.get("start", 0)
            seen, begin = {}, -10 ** 12
            al = sorted((sc, i) for m in s["meetings"] if m["person"] == p["name"] for sc, (kn, i) in
                        zip(m["scans"], [x[:2] for x in m["sent"] for _ in range(x[2])]) if kn == n)
            for (t, _typ, mn, since), i in al:
                if i < lo or i >= lo + k.get("period", 144) or abs(t // 600 - i) > 12:
                    continue
                if t > seen.setdefault(i, t) + 1200:
                    continue
                if t >= begin + 1800:
                    begin = t
                sec = 120 if not since else min(300, (t // 60 - (t - since) // 60) * 60)
                wt = 0.8 if mn < 63 else 1 if mn < 73 else 0.1 if mn < 79 else 0
                days[begin // 86400] = days.get(begin // 86400, 0) + sec / 60 * wt * values[lv]
    good = [v for d, v in days.items() if at // 86400 - d <= 10]
    check("again", s["name"], "increased" if good and max(good) >= 9 - 1e-9 else "low", s["checks"][0]["told"])

# --- mistakes: each must change at least one answer
MUTANTS = {
    "tolerance 11": {"tolerance": 11}, "tolerance 13": {"tolerance": 13}, "tolerance 0": {"tolerance": 0}, "no tolerance limit": {"tolerance": 10 ** 6},
    "replay 1199": {"replay": 1199}, "replay 1201": {"replay": 1201}, "no replay cut": {"replay": 10 ** 9}, "replay from a refused hearing": {"replayFromFirstHeard": True},
    "window 1801": {"window": 1801}, "window 1740": {"window": 1740}, "no window split": {"window": 10 ** 9}, "cap 4 min": {"capMinutes": 4}, "cap 6 min": {"capMinutes": 6},
    "no cap": {"capMinutes": 10 ** 6}, "unknown scan 0 s": {"unknownSeconds": 0}, "unknown scan 300 s": {"unknownSeconds": 300}, "date of the last sighting": {"dateOf": "last"},
    "split at midnight": {"dateOf": "each"}, "whole 144 intervals": {"periodCounts": False}, "typical instead of minimum (second)": {"attenuation2": "typical"},
    "minimum instead of typical (daily)": {"attenuationDaily": "min"}, "> instead of >=": {"atLimit": False}, "all days summed": {"sumDays": True}, "each person alone": {"perPerson": True},
    "clock sign turned": {"offsetSign": -1}, "minimum level 4": {"minLevel": 4}, "max age 9": {"maxAge": 9}, "max age 11": {"maxAge": 11},
    "every key counted twice": {"twicePublished": 2}, "no whole minutes": {"wholeMinutes": False},
}
for name, change in MUTANTS.items():
    n = Counter()
    for s in doc["scenes"]:
        if [a[0] for a in e.play(s, dict(e.RULES, **change))] != [c["told"] for c in s["checks"]]:
            n[s["group"]] += 1
    check("mistakes noticed", name, sum(n.values()) > 0, True)
    if "--mutants" in sys.argv:
        print("%-36s %5d scenes: %s" % (name, sum(n.values()), dict(n)))
# mistakes in the numbers of the models
def mutated(name, place, key, value):
    old = place[key]
    place[key] = value
    try:
        n = sum(1 for s in doc["scenes"] if [a[0] for a in e.play(s)] != [c["told"] for c in s["checks"]])
    finally:
        place[key] = old
    check("mistakes noticed", name, n > 0, True)
    if "--mutants" in sys.argv:
        print("%-36s %5d scenes" % (name, n))


for i, hi in enumerate((63, 73, 79)):
    r = w.CWA_SECOND["minutesAtAttenuationWeights"]
    for d_ in (-1, 1):
        new = copy.deepcopy(r)
        new[i]["attenuationRange"]["max"] = hi + d_
        if i < 2:
            new[i + 1]["attenuationRange"]["min"] = hi + d_
        mutated("second border %d %+d" % (hi, d_), w.CWA_SECOND, "minutesAtAttenuationWeights", new)
    new = copy.deepcopy(r)
    new[i]["weight"] = new[i]["weight"] * 0.9
    mutated("second weight %d" % i, w.CWA_SECOND, "minutesAtAttenuationWeights", new)
for i in range(8):
    new = copy.deepcopy(w.CWA_SECOND["transmissionRiskValueMapping"])
    new[i]["transmissionRiskValue"] += 0.1
    if i >= 2:
        mutated("value of level %d" % (i + 1), w.CWA_SECOND, "transmissionRiskValueMapping", new)
for i, t in enumerate((30, 50, 60)):
    for d_ in (-1, 1):
        new = list(w.DAILY["thresholds"])
        new[i] += d_
        mutated("daily threshold %d %+d" % (t, d_), w.DAILY, "thresholds", new)
for v in (2699, 2701, 900):
    mutated("daily limit %d" % v, w.DAILY, "perDaySumERVThreshold", v) if v != 2699 and v != 2701 else None
for k in (1, 2, 3):
    mutated("daily report type %d weight 0" % k, w.DAILY, "reportTypeWeights", {**w.DAILY["reportTypeWeights"], k: 0.0})
for n in range(-14, 15):
    for m, label in ((w.MAP_B, "B"), (e.MAP_N, "N")):
        v = m["days"][n]
        if n in (-6, -5, 9, 10) or (label == "N" and n in (-3, -2, 3, 4)):
            mutated("mapping %s day %d" % (label, n), m["days"], n, 0 if v else 2)
for k, v in (("minRiskScore", 12), ("divisor", 25), ("thresholds", [54, 63])):
    if k != "thresholds" and k != "minRiskScore":
        mutated("first %s" % k, w.FIRST, k, v)
mutated("first days value 4", w.FIRST, "daysValue", 4)
mutated("first weights", w.FIRST, "weights", ["1", "1", "0"])
for k, v in (("NHS1_THRESHOLD", 901), ("NHS1_THRESHOLD", 899.9), ("NHS1_THRESHOLD", 20), ("NHS2_THRESHOLD", 120), ("NHS2_THRESHOLD", 90), ("NHS_RECENT_DAYS", 10), ("NHS_RECENT_DAYS", 12)):
    if v != 899.9:
        mutated("%s %s" % (k, v), e.__dict__, k, v)

print()
for g in sorted(set(passed) | set(failed)):
    print("%-22s %5d passed, %d failed" % (g, passed[g], failed[g]))
print("%d passed, %d failed" % (sum(passed.values()), sum(failed.values())))
sys.exit(1 if failed else 0)
