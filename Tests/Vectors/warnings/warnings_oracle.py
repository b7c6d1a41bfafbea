#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Oracle: who is told what, from a statement of symptoms to the answer on another person's board.

Written from the sheets and vectors only, without sight of the project's code.
Sheets: R = rules-and-nhs.md, C = cwa-protocols.md, G = gaen-core.md, E = ens.md (all in spec/).
Vectors: TV = vectors/cwa/transmission-vectors.json, MC = vectors/cwa/server-main-config.json.

    python3 warnings_oracle.py [warnings.json]      # the same bytes at every run

All sums are exact fractions: "9 minutes" is 9, never 8.999....
"""
import json
import os
import sys
from fractions import Fraction as F

# ------------------------------------------------------------------ 1. Statement -> level, onset code

AGES = range(15)                    # C §5.1 "Index = age of the key in days (0 = day of submission), 15 entries"

# R §6.2/6.1 and C §7.2: derivation-maps.yaml. C §5.1: "We checked the full phone tables against the
# server's derivation-maps.yaml for exact dates: no disagreement when the default level 1 is used".
EXACT_LEVEL = {-5: 2, -4: 4, -3: 6, -2: 7, -1: 8, 0: 8, 1: 8, 2: 6, 3: 5, 4: 3, 5: 2, 6: 2}
DEFAULT_LEVEL = 1                   # R §6.1 "level absent -> trl-from-dsos (274 entries), default 1"

# TV cases 28, 26, 23, 25 (app vectors); noSymptoms: R §6 Traps "no symptoms (3000 - age) 4 4 3 2 1..."
LEVELS = {
    "none":               [5, 6, 7, 7, 7, 6, 4, 3, 2, 1, 1, 1, 1, 1, 1],
    "noSymptoms":         [4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    "symptomsNoDate":     [5, 6, 8, 8, 8, 7, 5, 3, 2, 1, 1, 1, 1, 1, 1],
    "lastSevenDays":      [4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1],
    # NOT in any readable vector (TV 24 is kept back): the author's knowledge of the apps. See README.
    "oneToTwoWeeks":      [1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 6, 6, 4],
    "moreThanTwoWeeks":   [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5],
}
# The other possible reading of oneToTwoWeeks: the server's map of 708 - age (vectors/rules
# cwa_risk_encoding "statement: one to two weeks" for ages 0..13; 694 -> 6 for age 14).
ONE_TO_TWO_WEEKS_BY_SERVER = [1, 1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 7, 7, 6]

# C §5.1: "701 last 7 days, 708 one to two weeks, 715 more than two weeks, 2000 symptoms without date,
# 3000 no symptoms, 4000 no statement, and falls by 1 per day of age".
ONSET_CODE = {"none": 4000, "noSymptoms": 3000, "symptomsNoDate": 2000,
              "lastSevenDays": 701, "oneToTwoWeeks": 708, "moreThanTwoWeeks": 715}
EXACT_DAYS = range(22)              # C §5.1 "starts at n for an exact date n days ago (iOS caps n at 21)"

STATEMENTS = list(LEVELS) + ["onset%d" % n for n in EXACT_DAYS]


def submitted(statement, age, one_to_two_by_server=False):
    """[level, onset code] the board of A sends for her key of that age."""
    if statement.startswith("onset"):
        dsos = int(statement[5:]) - age
        return [EXACT_LEVEL.get(dsos, DEFAULT_LEVEL), dsos]
    levels = LEVELS[statement]
    if one_to_two_by_server and statement == "oneToTwoWeeks":
        levels = ONE_TO_TWO_WEEKS_BY_SERVER
    return [levels[age], ONSET_CODE[statement] - age]


# ------------------------------------------------------------------ 2. The authority

# R §6.1 "onset absent -> 1->3986 2->3992 3->3993 4->3994 5->4000 6->3995 7->3996 8->3997"
ONSET_FROM_LEVEL = {1: 3986, 2: 3992, 3: 3993, 4: 3994, 5: 4000, 6: 3995, 7: 3996, 8: 3997}
MIN_LEVEL = 3                       # R §6.5 "level >= 3 (minimum-trl-value-allowed)"
PUBLISH_HOURS = 10 * 24             # R §6.5 "submitted <= 10 x 24 h ago (days-to-publish)"
RETENTION_DAYS = 14                 # C §5 "older than 14 days dropped"
EXPIRY_MINUTES = 120                # R §6.6 "expiry 120 min", C §2.4
ENCODED_ONSET = {1: 1, 2: 2, 3: 1, 4: 2, 5: 1, 6: 2, 7: 1, 8: 2}        # R §6.5 table
ENCODED_TYPE = {1: 4, 2: 4, 3: 3, 4: 3, 5: 2, 6: 2, 7: 1, 8: 1}         # R §6.5 table


def normalise(level, dsos, level_from_onset):
    """R §6.1. level_from_onset is the server's map (as a dict)."""
    if level is None and dsos is None:
        raise ValueError("both absent -> error")
    if dsos is None:
        return [level, ONSET_FROM_LEVEL[level]]
    if level is None:
        return [level_from_onset.get(dsos, DEFAULT_LEVEL), dsos]
    return [level, dsos]            # "both sent -> both kept"


def encode(level):
    return [ENCODED_ONSET[level], ENCODED_TYPE[level]]


def published(level, age):
    """[level, encoded onset, encoded report type] or None. Age counted in whole UTC days."""
    if level < MIN_LEVEL or age > RETENTION_DAYS:
        return None
    return [level] + encode(level)


# ------------------------------------------------------------------ 3. Corona-Warn-App, second model

def frac(x):
    return F(str(x))


def rng(lo, hi, lo_ex=False, hi_ex=False):
    return {"min": lo, "max": hi, "minExclusive": lo_ex, "maxExclusive": hi_ex}


# C §7.1 "Until the end (-1.15): weights [0,63)->0.8, [63,73)->1.0, [73,79)->0.1; no filters; per window
# low [0,9) high [9,9999]; per day low [5,9) high [9,99999]" (= MC v2/risk-calculation-parameters-1.15.yaml);
# C §7.1.4 "1,2->0; 3->0.6; 4->0.8; 5->1.0; 6->1.2; 7->1.4; 8->1.6"; C §7.1.2 offsets.
CWA_SECOND = {
    "minutesAtAttenuationFilters": [],
    "trlFilters": [],
    "minutesAtAttenuationWeights": [
        {"attenuationRange": rng(0, 63, hi_ex=True), "weight": 0.8},
        {"attenuationRange": rng(63, 73, hi_ex=True), "weight": 1.0},
        {"attenuationRange": rng(73, 79, hi_ex=True), "weight": 0.1}],
    "normalizedTimePerEWToRiskLevelMapping": [
        {"normalizedTimeRange": rng(0, 9, hi_ex=True), "riskLevel": 1},
        {"normalizedTimeRange": rng(9, 9999), "riskLevel": 2}],
    "normalizedTimePerDayToRiskLevelMapping": [
        {"normalizedTimeRange": rng(5, 9, hi_ex=True), "riskLevel": 1},
        {"normalizedTimeRange": rng(9, 99999), "riskLevel": 2}],
    "trlEncoding": {"infectiousnessOffsetStandard": 1, "infectiousnessOffsetHigh": 2,
                    "reportTypeOffsetRecursive": 0, "reportTypeOffsetSelfReport": 2,
                    "reportTypeOffsetConfirmedClinicalDiagnosis": 4, "reportTypeOffsetConfirmedTest": 6},
    "transmissionRiskValueMapping": [
        {"transmissionRiskLevel": n, "transmissionRiskValue": v}
        for n, v in ((1, 0), (2, 0), (3, 0.6), (4, 0.8), (5, 1.0), (6, 1.2), (7, 1.4), (8, 1.6))],
    "maxEncounterAgeInDays": 10,    # C §7.1 "Windows older than maxEncounterAgeInDays (10 published) are dropped"
}
STANDARD, HIGH, NONE = 1, 2, 0      # G §6


def in_range(r, x):
    """C §7.1 "Ranges are inclusive unless marked exclusive; a missing bound is 0"."""
    lo, hi = frac(r.get("min", 0)), frac(r.get("max", 0))
    return (x > lo if r.get("minExclusive") else x >= lo) and (x < hi if r.get("maxExclusive") else x <= hi)


def lookup(mapping, x):
    for m in mapping:
        if in_range(m["normalizedTimeRange"], x):
            return m["riskLevel"]
    return None


def decode_level(cfg, report_type, infectiousness):
    """C §7.1.2: infectiousness offset + report-type offset; None for what gives no window."""
    e = cfg["trlEncoding"]
    o = {STANDARD: e["infectiousnessOffsetStandard"], HIGH: e["infectiousnessOffsetHigh"]}
    t = {1: e["reportTypeOffsetConfirmedTest"], 2: e["reportTypeOffsetConfirmedClinicalDiagnosis"],
         3: e["reportTypeOffsetSelfReport"], 4: e["reportTypeOffsetRecursive"]}
    if infectiousness not in o or report_type not in t:
        return None
    return o[infectiousness] + t[report_type]


def second_window(cfg, report_type, infectiousness, scans):
    """scans: [[typical, min, seconds]...] -> (level, normalised minutes, window risk) or None if dropped."""
    scans = [s for s in scans if s[2] >= 0]     # vector 2022-03-28 "ignores negative secondsSinceLastScan"
    for f in cfg["minutesAtAttenuationFilters"]:
        m = F(sum(s[2] for s in scans if in_range(f["attenuationRange"], s[1])), 60)
        if in_range(f["dropIfMinutesInRange"], m):
            return None
    level = decode_level(cfg, report_type, infectiousness)
    if level is None or any(in_range(f["dropIfTrlInRange"], level) for f in cfg["trlFilters"]):
        return None
    if "transmissionRiskValueMapping" in cfg:
        value = {m["transmissionRiskLevel"]: frac(m["transmissionRiskValue"])
                 for m in cfg["transmissionRiskValueMapping"]}.get(level, F(0))
    else:                                       # 2020: "trv = trl x transmissionRiskLevelMultiplier"
        value = level * frac(cfg["transmissionRiskLevelMultiplier"])
    minutes = F(0)
    for _typical, minimum, seconds in scans:    # C §7.1 "use each scan's minimum attenuation"
        for w in cfg["minutesAtAttenuationWeights"]:
            if in_range(w["attenuationRange"], minimum):
                minutes += F(seconds, 60) * frac(w["weight"])
                break                           # "the first matching weight range, none -> 0"
    t = value * minutes
    risk = lookup(cfg["normalizedTimePerEWToRiskLevelMapping"], t)
    return None if risk is None else (level, t, risk)


def second_days(cfg, windows):
    """windows: [(day, report type, infectiousness, scans)] -> {day: (points, day risk or None)}. No rounding."""
    days = {}
    for day, rt, inf, scans in windows:
        w = second_window(cfg, rt, inf, scans)
        if w is not None:
            days[day] = days.get(day, F(0)) + w[1]
    return {d: (p, lookup(cfg["normalizedTimePerDayToRiskLevelMapping"], p)) for d, p in days.items()}


# ------------------------------------------------------------------ 4. Corona-Warn-App, first model (fallback)

# C §7.3 table, column "final (2020-09-15 on)"; the attenuation thresholds 55 / 63 of MC attenuation-duration.yaml
FIRST = {"levelValues": [0, 0, 3, 4, 5, 6, 7, 8], "durationValues": [0, 0, 0, 1, 1, 1, 1, 1], "daysValue": 5,
         "attenuationValues": [0, 2, 2, 2, 2, 2, 2, 2], "minRiskScore": 11, "thresholds": [55, 63],
         "weights": ["1", "0.5", "0"], "offset": 0, "divisor": 50, "cap": 30,
         "classes": [{"label": "LOW", "min": 0, "max": 15}, {"label": "HIGH", "min": 15, "max": 9999}]}
# G §8 buckets: attenuation ">73,>63,>51,>33,>27,>15,>10,rest"; minutes "<=0,5,10,15,20,25,30,more"
ATTENUATION_OVER = [73, 63, 51, 33, 27, 15, 10]
DURATION_UPTO = [0, 5, 10, 15, 20, 25, 30]


def round2(x):
    return F(int(x * 100 + F(1, 2)), 100)


def first_score(max_score, minutes, weights, offset, divisor, cap):
    """C §7.3.3 score = round2(maxTotalRiskScore / divisor x (sum minutes_i weight_i + offset)), minutes capped."""
    s = sum(min(F(m), F(cap)) * frac(w) for m, w in zip(minutes, weights)) + frac(offset)
    return round2(F(max_score) / frac(divisor) * s)


def first_class(score, classes):
    """C §7.3.4 "LOW [min,max), HIGH [min,max]; in neither -> no result"."""
    for c in classes:
        if c["min"] <= score and (score <= c["max"] if c["label"] == "HIGH" else score < c["max"]):
            return c["label"]
    return None


def first_exposure(level, scans):
    """One key's contact -> (total risk score, [minutes near, medium, far]).
    G §8 "duration = span + 5 min rounded to nearest 5 min (remainder <= 150 s rounds down); API caps 30 min";
    sightings stand at the end of each scan's seconds, strongest of the scan = its minimum attenuation."""
    span = sum(s[2] for s in scans[1:])         # from the first sighting to the last
    t = span + 300
    minutes = (t // 300 + (1 if t % 300 > 150 else 0)) * 5
    minutes = min(minutes, 30)
    att = scans[0][1]
    assert all(s[1] == att for s in scans), "this oracle uses v1 for contacts at one attenuation only"
    bucket = 0 if att < FIRST["thresholds"][0] else 1 if att < FIRST["thresholds"][1] else 2
    mins = [0, 0, 0]
    mins[bucket] = minutes
    av = FIRST["attenuationValues"][next((i for i, b in enumerate(ATTENUATION_OVER) if att > b), 7)]
    dv = FIRST["durationValues"][next((i for i, b in enumerate(DURATION_UPTO) if minutes <= b), 7)]
    lv = FIRST["levelValues"][max(level, 1) - 1]     # G §8 "level 1-8, level 0 counts 1" (reached only in that reading)
    return av * dv * FIRST["daysValue"] * lv, mins


def first_told(contacts):
    """contacts: [(level, scans)] -> "increased" | "low"."""
    maximum, minutes = 0, [0, 0, 0]
    for level, scans in contacts:
        score, m = first_exposure(level, scans)
        if score < FIRST["minRiskScore"]:            # C §7.3.1 "Discard below minRiskScore 11"
            continue
        maximum = max(maximum, score)
        minutes = [min(a + b, 30) for a, b in zip(minutes, m)]   # C §7.3.2 "each capped at 30"
    s = first_score(maximum, minutes, FIRST["weights"], FIRST["offset"], FIRST["divisor"], FIRST["cap"])
    return "increased" if first_class(s, FIRST["classes"]) == "HIGH" else "low"


# ------------------------------------------------------------------ 5. Google's daily summaries

# R §8 "Defaults: attenuation thresholds 30/50/60, weights 150/100/50/0, infectiousness and report-type weights
# 100 (percent), reportTypeNoneMap 3, daysSinceExposureThreshold 14"; "sample 2700"
DAILY = {"thresholds": [30, 50, 60], "weights": [1.5, 1.0, 0.5, 0.0],
         "reportTypeWeights": {1: 1.0, 2: 1.0, 3: 1.0}, "infectiousnessWeights": {1: 1.0, 2: 1.0},
         "reportTypeNoneMap": 3, "daysSinceExposureThreshold": 14, "minimumWindowScore": 0,
         "perDaySumERVThreshold": 2700}


def daily_seconds(cfg, scans):
    """G §7 "bucket: typical <= t0, <= t1, <= t2, else"."""
    s = F(0)
    for typical, _minimum, seconds in scans:
        i = next((i for i, t in enumerate(cfg["thresholds"]) if typical <= t), 3)
        s += seconds * frac(cfg["weights"][i])
    return s


def daily_window(cfg, report_type, infectiousness, scans):
    rt = cfg["reportTypeNoneMap"] if report_type == 0 else report_type
    return (daily_seconds(cfg, scans) * frac(cfg["reportTypeWeights"].get(rt, 0))
            * frac(cfg["infectiousnessWeights"].get(infectiousness, 0)))


# ------------------------------------------------------------------ 6. Contacts

def scans_for(minutes, minimum, typical):
    """A scan each 4 minutes, the rest last: 9 min = 240 + 240 + 60 s."""
    seconds = minutes * 60
    out = []
    while seconds > 0:
        s = min(240, seconds)
        out.append([typical, minimum, s])
        seconds -= s
    return out


def win(hour, scans, who="A", day=0):
    assert sum(s[2] for s in scans) <= 1800
    return {"day": day, "hour": hour, "who": who, "scans": scans}


def plain(minutes, minimum, above=2):
    t = minimum + above
    if minutes <= 30:
        return [win("09:00", scans_for(minutes, minimum, t))]
    assert minutes == 60
    return [win("09:00", scans_for(30, minimum, t)), win("09:30", scans_for(30, minimum, t))]


# name -> windows. `day` 0 = the day the case names (D - age), 1 = the day before it.
CONTACTS = {
    "near5":      plain(5, 30),             # 4 x value: never enough alone
    "mid5":       plain(5, 65),             # 5 x value: never enough alone (8.0 at level 8)
    "mid9":       plain(9, 65),             # exactly 9.0 at level 5
    "near9":      plain(9, 62),             # limit between levels 6 (8.64) and 7 (10.08)
    "near10":     plain(10, 30),            # limit between levels 5 (8.0) and 6 (9.6)
    "mid10":      plain(10, 63),            # limit between levels 4 (8.0) and 5 (10.0)
    "near15":     plain(15, 55),            # limit between levels 3 (7.2) and 4 (9.6)
    "mid15":      plain(15, 72),            # exactly 9.0 at level 3
    "far15":      plain(15, 73),            # weight 0.1
    "near20":     plain(20, 62),            # enough at every published level
    "mid30":      plain(30, 72),
    "far30":      plain(30, 73),
    "far60":      plain(60, 73),            # limit between levels 7 (8.4) and 8 (9.6)
    "far60edge":  plain(60, 78),            # the same weight, last decibel that counts
    "out60":      plain(60, 79),            # first decibel without weight
    "out60far":   plain(60, 85),
    "echo10":     plain(10, 72, above=8),   # typical 80 would weigh nothing: the minimum decides
    "mixed30":    [win("09:00", [[a + 2, a, s] for a, s in
                                 ((30, 240), (62, 240), (65, 240), (73, 240), (78, 240), (79, 240), (85, 240), (63, 120))])],
    "twice5":     [win("09:00", scans_for(5, 65, 67)), win("11:00", scans_for(5, 65, 67))],
    "twoPeople":  [win("09:00", scans_for(5, 65, 67)), win("11:00", scans_for(5, 65, 67), who="A2")],
    "split2days": [win("09:00", scans_for(5, 65, 67)), win("09:00", scans_for(5, 65, 67), day=1)],
}
CONTACTS_IF_UNPUBLISHED = ["mid30", "twice5", "twoPeople", "split2days"]
SECOND_PERSON = "none"              # statement of A2, who tests positive and submits together with A
DELAYS = [0, 1, 5, 9, 11]
SUBMIT_HOUR, CHECK_HOUR = 12, 22    # our choice; today's key ends 12:00, + 120 min = 14:00 <= 22:00

# R §6 Decode "app config map {1->1, 2->2}, onset missing 0, report type missing 1"
MAP_A = {"days": {1: STANDARD, 2: HIGH}, "whenMissing": NONE, "reportTypeWhenMissing": 1}


def available(delay):
    """Is a key submitted on D 12:00 in the packages of D + delay 22:00? (R §6.5; C §2.4 expiry)"""
    hours = delay * 24 + CHECK_HOUR - SUBMIT_HOUR
    return hours <= PUBLISH_HOURS and (delay > 0 or SUBMIT_HOUR * 60 + EXPIRY_MINUTES <= CHECK_HOUR * 60)


def judge(statement, age, contact, delay, server_map=False, age_to_the_second=False):
    """-> (told, points or None, why)."""
    windows, something, old = [], False, False
    for w in CONTACTS[contact]:
        a = age + w["day"]
        who = statement if w["who"] == "A" else SECOND_PERSON
        if a > 14:
            continue
        p = published(submitted(who, a, server_map)[0], a)
        if p is None:
            continue
        something = True
        limit = CWA_SECOND["maxEncounterAgeInDays"]
        if a + delay > limit or (age_to_the_second and a + delay == limit) or not available(delay):
            old = True              # both reasons agree here: delay 11 makes every contact older than 10 days
            continue
        windows.append((a, p[2], MAP_A["days"][p[1]], w["scans"]))
    days = second_days(CWA_SECOND, windows)
    if not days:
        return "low", None, ("O" if old else "N" if not something else "?")
    high = any(r == 2 for _p, r in days.values())     # C §7.1 "Total risk high if any date is high"
    return ("increased" if high else "low"), max(p for p, _r in days.values()), ("I" if high else "L")


def num(x):
    if x is None:
        return None
    y = F(int(x * 1000 + F(1, 2)), 1000)
    return int(y) if y.denominator == 1 else float(y)


def table_warnings():
    rows = []
    for s in STATEMENTS:
        for age in AGES:
            sub = submitted(s, age)
            pub = published(sub[0], age)
            alt_pub = published(submitted(s, age, True)[0], age)
            names = CONTACTS if pub or alt_pub else CONTACTS_IF_UNPUBLISHED
            for c in names:
                got = [judge(s, age, c, d) for d in DELAYS]
                row = {"statement": s, "age": age, "contact": c, "submitted": sub, "published": pub,
                       "told": [g[0] for g in got], "points": [num(g[1]) for g in got],
                       "why": "".join(g[2] for g in got)}
                for g in got:       # nothing may hang on the 0.1 rounding of one phone app
                    assert g[1] is None or not F(895, 100) <= g[1] < 9, row
                alt = {}
                t = [judge(s, age, c, d, age_to_the_second=True)[0] for d in DELAYS]
                if t != row["told"]:
                    alt["ageToTheSecond"] = t
                if s == "oneToTwoWeeks":
                    t = [judge(s, age, c, d, server_map=True)[0] for d in DELAYS]
                    if t != row["told"] or alt_pub != pub:
                        alt["serverMap"] = t
                        alt["serverMapPublished"] = alt_pub
                if age == 14 and pub:
                    alt["published"] = None
                if alt:
                    row["alt"] = alt
                rows.append(row)
    return rows


# ------------------------------------------------------------------ 7. Authorities that do not encode

MAP_B = {"days": {n: HIGH if -2 <= n <= 2 else STANDARD if -5 <= n <= 9 else NONE for n in range(-14, 15)},
         "whenMissing": STANDARD, "reportTypeWhenMissing": 1}
MAPPINGS = {"A": MAP_A, "B": MAP_B}
MODELS = {"second": ["cwaSecond"], "secondFirst": ["cwaSecond", "cwaFirst"], "daily": ["dailySummaries"]}
UNREADABLE = "unreadable"


def infectiousness(mapping, onset):
    """STANDARD, HIGH, NONE (the table names the day as not infectious: a judgement) or UNREADABLE."""
    if onset is None or not -14 <= onset <= 14:       # G §6 "-14..14 (29 entries), else the missing value"
        v = mapping["whenMissing"]
        return UNREADABLE if v == NONE else v         # "missing -> none" says nothing about the day
    return mapping["days"].get(onset, UNREADABLE)     # a day the table does not name: nobody has judged it


REPORT_CONTACTS = {
    "long60":  plain(60, 45, above=3),      # increased in every model that reads it at a level that counts
    "mid10":   plain(10, 30, above=3),      # second: limit between levels 5 and 6; first: too short; daily 600 s
    "edge20":  plain(20, 62, above=0),      # second: always; first: level 8 only (16.0); daily: weight 0
    "short5":  plain(5, 65, above=2),       # never enough
}
MIXED_CONTACTS = REPORT_CONTACTS | {
    "near16":  plain(16, 45, above=3),      # second: low at level 3; first: increased at level 8
}
REPORT_AGE = 3                              # the contact was three days before the check; nothing is too old


def reports_told(keys, mapping, models, strict_none=False, level0_counts_one=False, mixed_low=False, rest_later=False):
    """keys: [(report type, onset or None, level, contact name)] -> told. The rule of the brief:
    first model of the list that can read at least one heard key judges; unread keys make "unknown"."""
    heard = []
    counting = []
    for rt, onset, level, contact in keys:
        rt = rt or mapping["reportTypeWhenMissing"]
        if rt in (4, 5):                    # G §5 "Type 4 skipped, >= 5 gives no exposure"
            continue
        inf = infectiousness(mapping, onset)
        if strict_none and inf == NONE:
            inf = UNREADABLE
        counting.append((rt, onset, level, contact))
        heard.append((rt, inf, level, [w["scans"] for w in MIXED_CONTACTS[contact]]))
    if not heard:
        return "low"                        # as if nothing was published

    def reads(model, key):
        if model == "cwaFirst":
            return key[2] != 0 or level0_counts_one     # 0 = the file gives no level: nothing to read
        return key[1] != UNREADABLE

    for model in models:
        mine = [k for k in heard if reads(model, k)]
        if not mine:
            continue
        if model == "cwaFirst":
            told = first_told([(lv, [s for w in ws for s in w]) for _rt, _inf, lv, ws in mine])
        elif model == "cwaSecond":
            days = second_days(CWA_SECOND, [(REPORT_AGE, rt, inf, w) for rt, inf, _lv, ws in mine
                                            if inf != NONE for w in ws])
            told = "increased" if any(r == 2 for _p, r in days.values()) else "low"
        else:
            total = sum((daily_window(DAILY, rt, inf, w) for rt, inf, _lv, ws in mine if inf != NONE for w in ws), F(0))
            told = "increased" if total >= DAILY["perDaySumERVThreshold"] else "low"
        if told == "low" and len(mine) < len(heard):
            rest = [k for k in heard if k not in mine]
            if rest_later:                  # the keys that this model cannot read are the next models' to judge, by themselves
                original = [k for k, h in zip(counting, heard) if h not in mine]
                return reports_told(original, mapping, models[models.index(model) + 1:], strict_none, level0_counts_one,
                                    mixed_low, True)
            if mixed_low and all(any(reads(m, k) for m in models) for k in rest):
                return "low"
            return "unknown"                # something heard was not judged: never "low"
        return told
    return "unknown"


LETTER = {"increased": "i", "low": "l", "unknown": "u"}
READINGS = {"strictNone": {"strict_none": True}, "level0CountsOne": {"level0_counts_one": True},
            "strictNone+level0CountsOne": {"strict_none": True, "level0_counts_one": True}}


def report_row(rt, onset, level, **kw):
    return {m: {name: "".join(LETTER[reports_told([(rt, onset, level, c)], MAPPINGS[m], models, **kw)]
                              for c in REPORT_CONTACTS) for name, models in MODELS.items()} for m in MAPPINGS}


REPORT_ONSETS = [None] + list(range(-14, 15)) + [-15, 15, 3997]


def table_reports():
    rows = []
    for rt in range(6):
        for onset in REPORT_ONSETS:
            for level in range(9):
                main = report_row(rt, onset, level)
                row = {"reportType": rt, "onset": onset, "level": level}
                row.update(main)
                alt = {}
                for name, kw in READINGS.items():
                    other = report_row(rt, onset, level, **kw)
                    d = {m: other[m] for m in MAPPINGS if other[m] != main[m]}
                    if d and d not in alt.values():
                        alt[name] = d
                if alt:
                    row["alt"] = alt
                rows.append(row)
    return rows


MIXED = [   # several keys heard on the same day: name, mapping, keys (report type, onset, level, contact)
    ("read low + unread long", "A", [(1, 2, 8, "short5"), (1, 5, 8, "long60")]),
    ("read increased + unread", "A", [(1, 2, 8, "long60"), (1, 5, 8, "long60")]),
    ("read low + unread without level", "A", [(1, 2, 8, "short5"), (1, None, 0, "long60")]),
    ("two unread, levels 8 and 3", "A", [(1, 5, 8, "long60"), (1, -3, 3, "long60")]),
    ("two unread, low level long, high level short", "A", [(1, 5, 1, "long60"), (1, 0, 8, "short5")]),
    ("revoked long + unread long", "A", [(5, 2, 8, "long60"), (1, 5, 8, "long60")]),
    ("revoked long + read low", "A", [(5, 2, 8, "long60"), (1, 2, 8, "short5")]),
    ("recursive long + revoked long", "A", [(4, 2, 2, "long60"), (5, 2, 8, "long60")]),
    ("two short that together suffice", "A", [(1, 2, 8, "short5"), (1, 1, 7, "short5")]),
    ("two short, one read, together would suffice", "A", [(1, 2, 8, "short5"), (1, 0, 8, "short5")]),
    ("named none long + read low", "B", [(1, -10, 8, "long60"), (1, 0, 8, "short5")]),
    ("named none long + read increased", "B", [(1, 12, 8, "long60"), (1, 0, 8, "long60")]),
    ("two named none", "B", [(1, -14, 8, "long60"), (1, 14, 8, "long60")]),
    ("missing onset + revoked", "B", [(2, None, 0, "long60"), (5, 0, 0, "long60")]),
    # A later model must not be given what an earlier one has judged.
    ("read low, which the first model would call increased, + unread low", "A", [(3, 1, 8, "near16"), (1, 5, 1, "short5")]),
]


def table_mixed():
    rows = []
    for name, m, keys in MIXED:
        row = {"name": name, "mapping": m, "keys": [list(k) for k in keys]}
        told = {n: reports_told(keys, MAPPINGS[m], models) for n, models in MODELS.items()}
        row["told"] = told
        alt = {}
        for reading, kw in list(READINGS.items()) + [("restReadableByLaterModelIsLow", {"mixed_low": True}),
                                                     ("restJudgedByLaterModel", {"rest_later": True})]:
            other = {n: reports_told(keys, MAPPINGS[m], models, **kw) for n, models in MODELS.items()}
            d = {n: other[n] for n in MODELS if other[n] != told[n]}
            if d and (reading == "restJudgedByLaterModel" or d not in alt.values()):
                alt[reading] = d
        if alt:
            row["alt"] = alt
        rows.append(row)
    return rows


# ------------------------------------------------------------------ 8. Revisions of one key

REVISION_CONTACTS = {"long60": REPORT_CONTACTS["long60"], "near9": CONTACTS["near9"], "mid5": CONTACTS["mid5"]}
SEQUENCES = [("asked", [1]), ("asked", [1, 5]), ("asked", [2, 5]), ("asked", [3, 5]), ("asked", [1, 1]),
             ("asked", [5]), ("asked", [5, 1]),
             ("extra", [1, 5, 1]), ("extra", [2, 5, 1]), ("extra", [4, 1]), ("extra", [2, 1]), ("extra", [3, 1]),
             ("extra", [1, 3]), ("extra", [3, 2, 1]), ("extra", [3, 1, 5])]
# G §5 "one transition only: self-report -> test/clinical/revoked, clinical -> test/revoked"
TRANSITIONS = {3: (1, 2, 5), 2: (1, 5)}
REVISION_ONSET = 2                  # encoded onset in every record: type 1 = level 8, 2 = 6, 3 = 4, 4 = 2


def own_state(seq, last_wins=False, first_wins=False):
    """Own authority's board: types 1..4 are level codes, so Google's transitions mean nothing; 5 withdraws,
    for good. The newest code counts. -> report type that counts, or None."""
    state = None
    for rt in seq:
        if state == 5 and not last_wins:
            continue
        if first_wins and state in (1, 2, 3, 4) and rt in (1, 2, 3, 4):
            continue
        state = rt
    return state


def phone_state(seq, store_revoked=True, many=False):
    """A phone with Google's framework, records offered in their order."""
    state, moved = None, False
    for rt in seq:
        if rt == 4 or (state is None and rt == 5 and not store_revoked):
            continue                # "Type 4 skipped"
        if state is None:
            state = rt
        elif rt in TRANSITIONS.get(state, ()) and (many or not moved):
            state, moved = rt, True
    return state


def told_for(state, contact):
    if state in (None, 4, 5):
        return "low"
    ws = [(REPORT_AGE, state, MAP_A["days"][REVISION_ONSET], w["scans"]) for w in REVISION_CONTACTS[contact]]
    days = second_days(CWA_SECOND, ws)
    return "increased" if any(r == 2 for _p, r in days.values()) else "low"


def table_revisions():
    rows = []
    for origin, seq in SEQUENCES:
        for receiver, main, others in (
                ("own", own_state, [("lastStatementWins", lambda s: own_state(s, last_wins=True)),
                                    ("firstCodeWins", lambda s: own_state(s, first_wins=True))]),
                ("phone", phone_state, [("revokedNotStored", lambda s: phone_state(s, store_revoked=False)),
                                        ("manyTransitions", lambda s: phone_state(s, many=True))])):
            for contact in REVISION_CONTACTS:
                for between in ([True, False] if len(seq) > 1 else [True]):
                    steps = range(1, len(seq) + 1) if between else [len(seq)]

                    def told(f):
                        t = [told_for(f(seq[:n]), contact) for n in steps]
                        return t if between else [None] * (len(seq) - 1) + t

                    row = {"sequence": seq, "origin": origin, "receiver": receiver, "contact": contact,
                           "downloadedBetween": between, "told": told(main)}
                    alt = {}
                    # without a download in between, the file may hold the newest record only
                    newest = [] if between else [("onlyNewestInFile", lambda s: main(s[-1:]))]
                    for name, f in others + newest:
                        t = told(f)
                        if t != row["told"] and t not in alt.values():
                            alt[name] = t
                    if alt:
                        row["alt"] = alt
                    rows.append(row)
    return rows


# ------------------------------------------------------------------ 9. For your information, output

def table_fyi():
    rows = []
    for s in STATEMENTS:
        ages = [a for a in AGES if published(submitted(s, a)[0], a)]
        row = {"statement": s, "levels": [submitted(s, a)[0] for a in AGES], "publishedAges": ages,
               "todaysKeyPublished": 0 in ages, "agesThatCanStillWarnOnDayD": [a for a in ages if a <= 10]}
        if s == "oneToTwoWeeks":
            row["alt"] = {"serverMap": {"levels": ONE_TO_TWO_WEEKS_BY_SERVER,
                                        "publishedAges": [a for a in AGES if ONE_TO_TWO_WEEKS_BY_SERVER[a] >= MIN_LEVEL]}}
        rows.append(row)
    return rows


def contact_json(contacts):
    return {n: [dict(w, scans=[{"typical": t, "min": m, "seconds": s} for t, m, s in w["scans"]]) for w in ws]
            for n, ws in contacts.items()}


def build():
    return {
        "format": "warnings-oracle-1",
        "source": "written by warnings_oracle.py from spec/{rules-and-nhs,cwa-protocols,gaen-core,ens}.md and "
                  "vectors/{cwa,rules,gaen}; exact fractions; the project's code was not read",
        "scenario": {"submitHourUTC": SUBMIT_HOUR, "checkHourUTC": CHECK_HOUR, "checkDelays": DELAYS,
                     "secondPersonStatement": SECOND_PERSON, "minLevel": MIN_LEVEL,
                     "maxEncounterAgeInDays": CWA_SECOND["maxEncounterAgeInDays"],
                     "mappingA": {"days": MAP_A["days"], "whenMissing": 0, "reportTypeWhenMissing": 1},
                     "mappingB": {"days": MAP_B["days"], "whenMissing": 1, "reportTypeWhenMissing": 1},
                     "cwaSecond": CWA_SECOND, "cwaFirst": FIRST, "dailySummaries": DAILY},
        "legend": {
            "cases": "told and points hold one entry per checkDelay; points null = no counting day (exact normalised "
                     "minutes of the best counting day otherwise); why per delay: I increased, L counted but below the "
                     "limit, N nothing published, O too old (or no longer published); alt = what another reading of "
                     "the sheets would give (README)",
            "reports": "per mapping and model a word of four letters, one per contact " + ", ".join(REPORT_CONTACTS)
                       + ": i increased, l low, u unknown; models: second = [cwaSecond], secondFirst = [cwaSecond, "
                       "cwaFirst], daily = [dailySummaries]; level = transmission_risk_level of the file, 0 = not given",
            "revisions": "report types in the order published, encoded onset 2 in each; told after each record, null "
                         "= B had not downloaded yet; receiver own = board of the own authority (types are codes), "
                         "phone = Google's framework"},
        "contacts": contact_json(CONTACTS),
        "reportContacts": contact_json(MIXED_CONTACTS),
        "revisionContacts": contact_json(REVISION_CONTACTS),
        "cases": table_warnings(),
        "reports": table_reports(),
        "mixed": table_mixed(),
        "revisions": table_revisions(),
        "forYourInformation": table_fyi(),
    }


def dump(doc):
    c = lambda x: json.dumps(x, separators=(",", ":"))
    parts = []
    for k, v in doc.items():
        if isinstance(v, list):
            parts.append(c(k) + ":[\n" + ",\n".join(c(r) for r in v) + "\n]")
        elif k.lower().endswith("contacts"):
            parts.append(c(k) + ":{\n" + ",\n".join(c(n) + ":" + c(r) for n, r in v.items()) + "\n}")
        else:
            parts.append(c(k) + ":" + c(v))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def count(doc):
    """{table: {"increased": n, ...}} over every single answer."""
    out = {}
    add = lambda t, w: out.setdefault(t, {}).__setitem__(w, out.setdefault(t, {}).get(w, 0) + 1)
    word = {v: k for k, v in LETTER.items()}
    for r in doc["cases"]:
        for w in r["told"]:
            add("cases", w)
    for r in doc["reports"]:
        for m in MAPPINGS:
            for n in MODELS:
                for x in r[m][n]:
                    add("reports", word[x])
    for r in doc["mixed"]:
        for w in r["told"].values():
            add("mixed", w)
    for r in doc["revisions"]:
        for w in r["told"]:
            if w:
                add("revisions", w)
    return out


if __name__ == "__main__":
    doc = build()
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "warnings.json")
    text = dump(doc)
    with open(path, "w") as f:
        f.write(text)
    print(len(text), "bytes;", {k: len(v) for k, v in doc.items() if isinstance(v, list)})
    for t, n in count(doc).items():
        print(t, dict(sorted(n.items())))
