#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks warnings_oracle.py against the vectors, and warnings.json against warnings_oracle.py.

    python3 check_oracle.py [vectors directory]      # default: shared/vectors beside the checkout
"""
import json
import os
import sys
from collections import Counter

import warnings_oracle as o

V = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../shared/vectors")
HERE = os.path.dirname(os.path.abspath(__file__))
passed, failed, notes = Counter(), Counter(), []


def check(group, name, got, want):
    if got == want:
        passed[group] += 1
    else:
        failed[group] += 1
        print("FAILED", group, name, "got", got, "expected", want)


def load(name):
    with open(os.path.join(V, name)) as f:
        return json.load(f)


# --- second model against the published exposure-window cases (three generations)
def second_case(cfg, case):
    windows, per_day = [], {}
    for w in case["exposureWindows"]:
        scans = [[s["typicalAttenuation"], s["minAttenuation"], s["secondsSinceLastScan"]] for s in w["scanInstances"]]
        windows.append((w["ageInDays"], w["reportType"], w["infectiousness"], scans))
        r = o.second_window(cfg, w["reportType"], w["infectiousness"], scans)
        if r:
            per_day.setdefault(w["ageInDays"], set()).add((r[2], r[0], w["calibrationConfidence"]))
    days = {d: r for d, (_p, r) in o.second_days(cfg, windows).items()}
    at = lambda level: sorted(d for d, r in days.items() if r == level)
    enc = lambda level: sum(1 for d, es in per_day.items() if days[d] is not None for e in es if e[0] == level)
    return {"expTotalRiskLevel": 2 if at(2) else 1,
            "expAgeOfMostRecentDateWithLowRisk": at(1)[0] if at(1) else None,
            "expAgeOfMostRecentDateWithHighRisk": at(2)[0] if at(2) else None,
            "expNumberOfDaysWithLowRisk": len(at(1)), "expNumberOfDaysWithHighRisk": len(at(2)),
            "expTotalMinimumDistinctEncountersWithLowRisk": enc(1),
            "expTotalMinimumDistinctEncountersWithHighRisk": enc(2)}


for gen in ("2022-03", "2021-03", "2020-11"):
    doc = load("cwa/risk-v2-exposure-windows-%s.json" % gen)
    cfg = doc["defaultRiskCalculationConfiguration"]
    if gen == "2022-03":        # must be the oracle's own parameters
        for k in o.CWA_SECOND:
            if k in cfg and k.startswith(("minutes", "normalized")):
                flat = lambda x: [(e.get("weight", e.get("riskLevel")),) + tuple(
                    (r.get("min", 0), r.get("max", 0), bool(r.get("minExclusive")), bool(r.get("maxExclusive")))
                    for r in [e.get("attenuationRange") or e.get("normalizedTimeRange")]) for e in x]
                check("parameters", k, flat(o.CWA_SECOND[k]), flat(cfg[k]))
            elif k in cfg:
                check("parameters", k, o.CWA_SECOND[k], cfg[k])
    for case in doc["cases"]:
        c = dict(cfg, **case.get("exposureConfiguration", case.get("riskCalculationConfiguration", {})))
        if gen == "2022-03":
            c = o.CWA_SECOND
        got = second_case(c, case)
        for k, v in got.items():
            check("risk-v2 " + gen, case["id"] + " " + k, v, case[k])

# --- the same parameters in the server's file and in the app's built-in default
cfg = load("cwa/server-main-config.json")["files"]
y = cfg["v2/risk-calculation-parameters-1.15.yaml"]
yr = lambda r: (r.get("min", 0), r.get("max", 0), bool(r.get("min-exclusive")), bool(r.get("max-exclusive")))
jr = lambda r: (r.get("min", 0), r.get("max", 0), bool(r.get("minExclusive")), bool(r.get("maxExclusive")))
check("parameters", "1.15 weights", [(w["weight"],) + yr(w["attenuation-range"]) for w in y["minutes-at-attenuation-weights"]],
      [(w["weight"],) + jr(w["attenuationRange"]) for w in o.CWA_SECOND["minutesAtAttenuationWeights"]])
for a, b in (("normalized-time-per-e-w-to-risk-level-mapping", "normalizedTimePerEWToRiskLevelMapping"),
             ("normalized-time-per-day-to-risk-level-mapping", "normalizedTimePerDayToRiskLevelMapping")):
    check("parameters", "1.15 " + a, [(w["risk-level"],) + yr(w["normalized-time-range"]) for w in y[a]],
          [(w["riskLevel"],) + jr(w["normalizedTimeRange"]) for w in o.CWA_SECOND[b]])
check("parameters", "1.15 no filters", [y["minutes-at-attenuation-filters"], y["trl-filters"]], [[], []])
check("parameters", "1.15 trlEncoding", y["trlEncoding"], o.CWA_SECOND["trlEncoding"])
check("parameters", "1.15 max age", y["max-encounter-age-in-days"], "${MAX-ENCOUNTER-AGE-IN-DAYS:10}")
m = cfg["v2/diagnosis-keys-data-mapping.yaml"]
check("parameters", "mapping A", [{int(k): v for k, v in m["days-since-onset-to-infectiousness"].items()},
      m["infectiousness-when-days-since-onset-missing"], m["report-type-when-missing"]],
      [o.MAP_A["days"], o.MAP_A["whenMissing"], o.MAP_A["reportTypeWhenMissing"]])
e = cfg["transmission-risk-encoding.yaml"]["transmission-risk-encoding"]
check("parameters", "encoding onset", {int(k): v for k, v in e["transmissionRisk-to-daysSinceSymptoms"].items()}, o.ENCODED_ONSET)
check("parameters", "encoding type", {int(k): v for k, v in e["transmissionRisk-to-reportType"].items()}, o.ENCODED_TYPE)
check("parameters", "presence tracing values equal", {v["transmission-risk-level"]: v["transmission-risk-value"] for v in
      cfg["v2/presence-tracing-parameters.yaml"]["risk-calculation-parameters"]["transmission-risk-value-mapping"]},
      {v["transmissionRiskLevel"]: v["transmissionRiskValue"] for v in o.CWA_SECOND["transmissionRiskValueMapping"]})
x = cfg["exposure-config.yaml"]
check("parameters", "v1 levels", list(x["transmission"].values()), o.FIRST["levelValues"])
check("parameters", "v1 durations", list(x["duration"].values()), o.FIRST["durationValues"])
check("parameters", "v1 attenuations", list(x["attenuation"].values()), o.FIRST["attenuationValues"])
check("parameters", "v1 days", set(x["days_since_last_exposure"].values()), {o.FIRST["daysValue"]})
a = cfg["attenuation-duration.yaml"]
check("parameters", "v1 thresholds", [a["thresholds"]["lower"], a["thresholds"]["upper"]], o.FIRST["thresholds"])
check("parameters", "v1 weights", [float(w) for w in o.FIRST["weights"]], list(a["weights"].values()))
check("parameters", "v1 divisor, offset", [a["risk-score-normalization-divisor"], a["default-bucket-offset"]],
      [o.FIRST["divisor"], o.FIRST["offset"]])
check("parameters", "v1 minimum", cfg["app-config.yaml"]["min-risk-score"], o.FIRST["minRiskScore"])
check("parameters", "v1 classes", [{k: c[k] for k in ("label", "min", "max")} for c in
      cfg["risk-score-classification.yaml"]["risk-classes"]], o.FIRST["classes"])
d = load("cwa/app-config/android-default-v2.decoded.json")["decoded"]
rp = d["riskCalculationParameters"]
check("parameters", "app default weights", [(w["weight"],) + jr(w["attenuationRange"]) for w in rp["minutesAtAttenuationWeights"]],
      [(w["weight"],) + jr(w["attenuationRange"]) for w in o.CWA_SECOND["minutesAtAttenuationWeights"]])
check("parameters", "app default values", {v["transmissionRiskLevel"]: v.get("transmissionRiskValue", 0) for v in rp["transmissionRiskValueMapping"]},
      {v["transmissionRiskLevel"]: v["transmissionRiskValue"] for v in o.CWA_SECOND["transmissionRiskValueMapping"]})
check("parameters", "app default max age", rp["maxEncounterAgeInDays"], o.CWA_SECOND["maxEncounterAgeInDays"])
check("parameters", "app default mapping", {int(k): v for k, v in d["diagnosisKeysDataMapping"]["daysSinceOnsetToInfectiousness"].items()}, o.MAP_A["days"])

# --- first model
for case in load("cwa/v1-risk-score.json")["cases"]:
    if case["kind"] == "total-risk-score":
        s = case["attenuationValue"] * case["durationValue"] * case["daysValue"] * case["transmissionValue"]
        check("v1 score", case["id"], [s, s >= case["minimumRiskScore"]], [case["expTotalRiskScore"], case["expCounts"]])
        continue
    s = o.first_score(case.get("maximumRiskScore", case.get("totalRiskScore")), case["attenuationMinutes"],
                      case["weights"], case["offset"], case["divisor"], case["capMinutes"])
    check("v1 score", case["id"], float(s), case["expScore"])
    if "riskClasses" in case:
        check("v1 score", case["id"] + " class", o.first_class(s, case["riskClasses"]), case["expClass"])

# --- statements, encoding, server maps
DM = load("cwa/derivation-maps.json")
FROM_ONSET = {int(k): v for k, v in DM["transmissionRiskLevelFromDaysSinceOnset"].items()}
check("maps", "level -> onset", {int(k): v for k, v in DM["daysSinceOnsetFromTransmissionRiskLevel"].items()}, o.ONSET_FROM_LEVEL)
check("maps", "default", DM["defaultTransmissionRiskLevel"], o.DEFAULT_LEVEL)
for n in range(-15, 22):
    check("maps", "exact onset %d" % n, o.EXACT_LEVEL.get(n, 1), FROM_ONSET.get(n, 1))
for age in o.AGES:
    check("maps", "one to two weeks by server, age %d" % age, o.ONE_TO_TWO_WEEKS_BY_SERVER[age], FROM_ONSET.get(708 - age, 1))
    check("maps", "no symptoms by server = app, age %d" % age, o.submitted("noSymptoms", age)[0], FROM_ONSET.get(3000 - age, 1))
NAMES = {"last 7 days": "lastSevenDays", "more than 2 weeks ago": "moreThanTwoWeeks", "no information": "symptomsNoDate"}
for case in load("cwa/transmission-vectors.json")["cases"]:
    k = case["kind"]
    if k == "symptom-vector":
        s = ("none" if case["symptoms"] == "no information" else "onset%d" % case["onsetDaysAgo"]
             if case["onset"] == "exact date" else NAMES[case["onset"]])
        got = [o.submitted(s, a) for a in o.AGES]
        check("transmission-vectors", case["id"] + " levels", [g[0] for g in got], case["expTransmissionRiskLevels"])
        check("transmission-vectors", case["id"] + " onsets", [g[1] for g in got], case["expDaysSinceOnset"])
    elif k == "cdn-encoding":
        check("transmission-vectors", case["id"], o.encode(case["transmissionRiskLevel"]), [case["expDaysSinceOnset"], case["expReportType"]])
    elif k == "server-dsos-to-trl":
        check("transmission-vectors", case["id"], o.normalise(None, case["daysSinceOnset"], FROM_ONSET)[0], case["expTransmissionRiskLevel"])
    elif k == "server-trl-to-dsos":
        check("transmission-vectors", case["id"], o.normalise(case["transmissionRiskLevel"], None, FROM_ONSET)[1], case["expDaysSinceOnset"])


def publish(level):
    p = o.published(level, 0)
    return None if p is None else {"daysSinceOnset": p[1], "reportType": p[2]}


STATEMENT = {"no statement": "none", "no symptoms": "noSymptoms", "one to two weeks": "oneToTwoWeeks", "more than two weeks": "moreThanTwoWeeks"}
for case in load("rules/cwa_risk_encoding.json")["cases"]:
    t, n, g = case["type"], case["name"], "cwa_risk_encoding"
    if t == "encode":
        on, rt = o.encode(case["level"])
        check(g, n, [on, rt, o.decode_level(o.CWA_SECOND, rt, o.MAP_A["days"][on])],
              [case["published"]["daysSinceOnset"], case["published"]["reportType"], case["decodedLevel"]])
    elif t == "encode_other_map":
        check(g, n, [case["map"]["daysSinceOnset"][str(case["level"])], case["map"]["reportType"][str(case["level"])]],
              [case["published"]["daysSinceOnset"], case["published"]["reportType"]])
    elif t == "encode_error":
        check(g, n, case["level"] not in o.ENCODED_ONSET, case["error"])
    elif t == "encoding_map":
        full = all(str(i) in case["daysSinceOnset"] and str(i) in case["reportType"] for i in range(1, 9))
        ok = full and set(case["daysSinceOnset"].values()) <= {1, 2} and set(case["reportType"].values()) <= set(range(6))
        check(g, n, ok, case["valid"])
    elif t in ("decode", "decode_none"):
        check(g, n, o.decode_level(o.CWA_SECOND, case["reportType"], case["infectiousness"]), case["level"])
    elif t == "onset_to_infectiousness":
        i = o.infectiousness(o.MAP_A, case["daysSinceOnset"])
        check(g, n, o.NONE if i == o.UNREADABLE else i, case["infectiousness"])
    elif t in ("submission", "federation"):
        if t == "submission":
            try:
                st = o.normalise(case["submitted"]["level"], case["submitted"]["daysSinceOnset"], FROM_ONSET)
            except ValueError:
                check(g, n, True, case.get("error"))
                continue
        else:
            r = case["received"]
            check(g, n + " accepted", r["reportType"] in (1, 2) and r["rollingStart"] % 144 == 0, case["accepted"])
            if not case["accepted"]:
                continue
            st = o.normalise(None, 0 if r["daysSinceOnset"] is None else r["daysSinceOnset"], FROM_ONSET)
        check(g, n, [st, publish(st[0]), publish(st[0]) is not None],
              [[case["stored"]["level"], case["stored"]["daysSinceOnset"]], case["published"], case["distributed"]])
    elif t == "publish_filter":
        check(g, n, publish(case["level"]) is not None and case["submittedDaysAgo"] * 24 <= o.PUBLISH_HOURS, case["published"])
    elif t == "derived_onset_round_trip":
        check(g, n, [o.ONSET_FROM_LEVEL[case["level"]], FROM_ONSET.get(case["onsetCode"], 1)], [case["onsetCode"], case["levelFromCode"]])
    elif t == "statement":
        s = STATEMENT.get(case["statement"]) or "onset" + case["statement"].split(",")[1].split()[0]
        app = [o.submitted(s, k["ageDays"]) for k in case["keys"]]
        check(g, n + " onset codes", [a[1] for a in app], [k["onsetCode"] for k in case["keys"]])
        # these vectors take the level from the server's map, not from the app's vector
        server = [o.normalise(None, k["onsetCode"], FROM_ONSET)[0] for k in case["keys"]]
        check(g, n + " levels", server, [k["level"] for k in case["keys"]])
        check(g, n + " published", [publish(x) for x in server], [k["published"] for k in case["keys"]])
        if [a[0] for a in app] != server:
            notes.append("%s: app vector %s, server's map %s" % (s, [a[0] for a in app], server))
        else:
            check(g, n + " app = server", [a[0] for a in app], server)
    else:
        check(g, n, "unknown type " + t, None)

# --- daily summaries
for case in load("gaen/daily_summary.json")["cases"]:
    c = case["config"]
    cfg = {"thresholds": c["attenuation_thresholds"], "weights": c["attenuation_weights"], "reportTypeNoneMap": 0,
           "reportTypeWeights": {i: w for i, w in enumerate(c["report_type_weights"]) if i not in (0, 5)},
           "infectiousnessWeights": dict(enumerate(c["infectiousness_weights"]))}
    days = {}
    for w in case["windows"]:
        if w["report_type"] in (0, 5):
            continue
        scans = [[s["typical_attenuation_db"], s["min_attenuation_db"], s["seconds_since_last_scan"]] for s in w["scan_instances"]]
        sc = o.daily_window(cfg, w["report_type"], w["infectiousness"], scans)
        if sc < o.frac(c["minimum_window_score"]):
            continue
        t = days.setdefault(w["date_ms"] // 86400000, [o.F(0), o.F(0), o.F(0)])
        t[0], t[1], t[2] = max(t[0], sc), t[1] + sc, t[2] + o.daily_seconds(cfg, scans)
    got = {d: [round(float(x), 6) for x in t] for d, t in days.items()}
    want = {e["day"]: [round(e["total"][k], 6) for k in ("maximum_score", "score_sum", "weighted_duration_sum")] for e in case["expected"]}
    for day in set(got) - set(want):        # days out of daysSinceExposure or without score may be left out
        if got[day] == [0.0, 0.0, 0.0]:
            del got[day]
    for day in set(want) - set(got):
        if want[day] == [0.0, 0.0, 0.0]:
            del want[day]
    check("daily_summary", case["name"], got, want)
for case in load("rules/daily_summary_config.json")["cases"]:
    if case["type"] == "national_verdict":
        p = case["parameters"]
        cfg = {"thresholds": p["attenuationBucketThresholdDb"], "weights": p["attenuationBucketWeights"],
               "reportTypeNoneMap": p["reportTypeWhenMissing"],
               "reportTypeWeights": {int(k): v for k, v in p["reportTypeWeights"].items()},
               "infectiousnessWeights": {int(k): v for k, v in p["infectiousnessWeights"].items()}}
        scores, kept = [], o.F(0)
        for w in case["windows"]:
            on = w.get("daysSinceOnset")
            miss = p.get("infectiousnessWhenDaysSinceOnsetMissing", 0)
            i = p["daysSinceOnsetToInfectiousness"].get(str(on), 0) if on is not None and -14 <= on <= 14 else miss
            s = o.daily_window(cfg, w.get("reportType") or 0, i, [[a, a, sec] for a, sec in w["scans"]])
            if w.get("reportType") == 5:
                s = o.F(0)
            scores.append(float(s))
            if s >= o.frac(p.get("minimumWindowScore") or 0):
                kept += s
        check("national_verdict", case["name"], [[round(x, 6) for x in scores], round(float(kept), 6)],
              [[round(x, 6) for x in case["windowScores"]], round(case["dayScore"], 6)])

# --- the frameworks: report types 4 and 5 give nothing, the mapping gives the infectiousness
for case in load("gaen/matching.json")["cases"]:
    mp = case.get("mapping")
    if not mp or case["name"] not in ("s report types", "s infectiousness mapping"):
        continue
    mapping = {"days": {i - 14: v for i, v in enumerate(mp["map"])}, "whenMissing": mp["when_missing"]}
    for k, e in zip(case["keys"], case["expected"]):
        if k.get("report_type", 0) in (4, 5):
            check("matching", case["name"], bool(e["skipped"]), True)
            continue
        i = o.infectiousness(mapping, k.get("days_since_onset"))
        i = o.NONE if i == o.UNREADABLE else i
        for w in e["exposure_windows"]:
            check("matching", case["name"], [w["report_type"], w["infectiousness"]], [k.get("report_type", 0) or mp["report_type_when_missing"], i])

# --- the table itself
doc = o.build()
with open(os.path.join(HERE, "warnings.json")) as f:
    text = f.read()
check("table", "warnings.json is what the oracle writes", text == o.dump(doc), True)
check("table", "written twice alike", o.dump(o.build()) == text, True)
check("table", "below 1.5 MB", len(text) < 1500000, True)
for level in range(1, 9):
    on, rt = o.encode(level)
    check("table", "decode(encode(%d))" % level, o.decode_level(o.CWA_SECOND, rt, o.MAP_A["days"][on]), level)
for ws in list(o.CONTACTS.values()) + list(o.REPORT_CONTACTS.values()):
    check("table", "windows of at most 30 min", all(sum(s[2] for s in w["scans"]) <= 1800 for w in ws), True)
for name, minutes in (("long60", 30), ("mid10", 10), ("edge20", 20), ("short5", 5)):
    scans = [s for w in o.REPORT_CONTACTS[name] for s in w["scans"]]
    check("table", "v1 minutes of " + name, max(o.first_exposure(8, scans)[1]), minutes)
values = {v["transmissionRiskLevel"]: v["transmissionRiskValue"] for v in o.CWA_SECOND["transmissionRiskValueMapping"]}
weight = lambda a: 0.8 if a < 63 else 1.0 if a < 73 else 0.1 if a < 79 else 0
bad = 0
for r in doc["cases"]:          # plain floating point, written apart from the oracle's own arithmetic
    days = {}
    for w in o.CONTACTS[r["contact"]]:
        a = r["age"] + w["day"]
        lv = o.submitted(r["statement"] if w["who"] == "A" else "none", a)[0] if a <= 14 else 1
        if lv >= 3:
            days[a] = days.get(a, 0) + sum(s[2] / 60 * weight(s[1]) for s in w["scans"]) * values[lv]
    for i, delay in enumerate(o.DELAYS):
        p = [v for a, v in days.items() if a + delay <= 10]
        want = "increased" if p and max(p) >= 9 - 1e-9 else "low"
        if r["told"][i] != want or (r["points"][i] is None) != (not p) or (p and abs(max(p) - r["points"][i]) > 6e-4):
            bad += 1
    # a revoked, never published or too old key never says increased
check("table", "all cases again in floating point", bad, 0)
check("table", "no unknown in the first table", any("unknown" in r["told"] for r in doc["cases"]), False)
for r in doc["reports"]:
    if r["reportType"] in (4, 5):
        check("table", "4 and 5 say low", {r[m][n] for m in "AB" for n in o.MODELS}, {"llll"})

print()
for g in sorted(set(passed) | set(failed)):
    print("%-22s %5d passed, %d failed" % (g, passed[g], failed[g]))
for n in notes:
    print("note:", n)
print("%d passed, %d failed" % (sum(passed.values()), sum(failed.values())))
sys.exit(1 if failed else 0)
