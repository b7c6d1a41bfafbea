#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks sources.json: against the published documents, against a second way of computing it, and that it notices mistakes.

    python3 check_sources.py [vectors directory] [--mutants] [--quick]

--mutants prints how many scenes notice each planted mistake. --quick does not write the table anew.
Without a vectors directory (beside the oracle's own ../vectors) the comparison with the documents is left out, and said so.
"""
import json
import os
import sys
from collections import Counter

import scenes_engine as e
import sources_oracle as so
import warnings_oracle as w

HERE = os.path.dirname(os.path.abspath(__file__))
ARGS = [a for a in sys.argv[1:] if not a.startswith("--")]
V = ARGS[0] if ARGS else os.path.join(HERE, "..", "vectors")
DAY = 86400
passed, failed, skipped = Counter(), Counter(), []


def check(group, name, got, want):
    if got == want:
        passed[group] += 1
    else:
        failed[group] += 1
        if failed[group] < 6:
            print("FAILED", group, name, "got", got, "expected", want)


def load(name):
    with open(os.path.join(V, name)) as f:
        return json.load(f)


with open(os.path.join(HERE, "sources.json")) as f:
    text = f.read()
doc = json.loads(text)

# --- the systems against the published documents
if os.path.isdir(os.path.join(V, "cwa")):
    d = load(doc["systems"]["cwa"]["decoded"])["decoded"]
    r, mine = d["riskCalculationParameters"], doc["systems"]["cwa"]["parameters"]["cwaSecond"]

    def rng(x):
        return [x.get("min", 0), x.get("max", 0), x.get("minExclusive", False), x.get("maxExclusive", False)]

    check("documents", "cwa weights", [(rng(x["attenuationRange"]), x["weight"]) for x in r["minutesAtAttenuationWeights"]],
          [(rng(x["attenuationRange"]), x["weight"]) for x in mine["minutesAtAttenuationWeights"]])
    for n in ("normalizedTimePerEWToRiskLevelMapping", "normalizedTimePerDayToRiskLevelMapping"):
        check("documents", n, [(rng(x["normalizedTimeRange"]), {"LOW": 1, "HIGH": 2}[x["riskLevel"]]) for x in r[n]],
              [(rng(x["normalizedTimeRange"]), x["riskLevel"]) for x in mine[n]])
    check("documents", "cwa encoding", dict({k: 0 for k in mine["trlEncoding"]}, **r["trlEncoding"]), mine["trlEncoding"])
    check("documents", "cwa values", [(x["transmissionRiskLevel"], x.get("transmissionRiskValue", 0)) for x in r["transmissionRiskValueMapping"]],
          [(x["transmissionRiskLevel"], x["transmissionRiskValue"]) for x in mine["transmissionRiskValueMapping"]])
    check("documents", "cwa no filters", ("minutesAtAttenuationFilters" in r, "trlFilters" in r), (False, False))
    check("documents", "cwa age", r["maxEncounterAgeInDays"], mine["maxEncounterAgeInDays"])
    m, mm = d["diagnosisKeysDataMapping"], doc["systems"]["cwa"]["mapping"]
    check("documents", "cwa mapping", (m["daysSinceOnsetToInfectiousness"], m.get("infectiousnessWhenDaysSinceOnsetMissing", 0), m["reportTypeWhenMissing"]),
          (mm["days"], mm["whenMissing"], mm["reportTypeWhenMissing"]))
    d, mine = load(doc["systems"]["nhs"]["document"]), doc["systems"]["nhs"]["parameters"]["nhs2"]
    check("documents", "nhs score", {k: d["riskScore"][k] for k in mine["riskScore"]}, mine["riskScore"])
    v2, mm = d["v2RiskCalculation"], doc["systems"]["nhs"]["mapping"]
    check("documents", "nhs limit", (v2["riskThreshold"], v2["infectiousnessWeights"], v2["reportTypeWhenMissing"]),
          (mine["riskThreshold"], mine["infectiousnessWeights"], mm["reportTypeWhenMissing"]))
    check("documents", "nhs mapping", v2["daysSinceOnsetToInfectiousness"], [mm["days"][str(n)] for n in range(-14, 15)])
    d = load("rules/documents/nhs/self-isolation_2022-07-01_1c4693a.json")
    check("documents", "nhs age", d["england"]["contactCase"], mine["contactCaseDays"])
    for x in load("rules/cwa_risk_encoding.json")["cases"]:
        if x["type"] == "encode":
            check("documents", x["name"], so.CODE[x["level"]], [x["published"]["reportType"], x["published"]["daysSinceOnset"], x["decodedLevel"]])
else:
    skipped.append("documents (no vectors directory given)")
x = doc["systems"]["ens"]["parameters"]["dailySummaries"]           # R §8, words of the sheet
check("documents", "ens defaults", (x["thresholds"], x["weights"], x["daysSinceExposureThreshold"], x["perDaySumERVThreshold"]), ([30, 50, 60], [1.5, 1.0, 0.5, 0.0], 14, 2700))
check("documents", "every ens day is named", sorted(map(int, doc["systems"]["ens"]["mapping"]["days"])), list(range(-14, 15)))

# --- the file
if "--quick" not in sys.argv:
    check("file", "sources.json is what the oracle writes", so.dump(so.build()) == text, True)
check("file", "at most 1.5 MB", len(text) <= 1500000, True)
check("file", "600 to 1,500 scenes", 600 <= len(doc["scenes"]) <= 1500, True)
check("file", "no two scenes of one name", len({s["name"] for s in doc["scenes"]}), len(doc["scenes"]))
check("file", "every set of sources", len({tuple(s["sources"]) for s in doc["scenes"]}), 15)
check("file", "no absolute paths", any(x in text for x in ('"/work', '"/home', '"/tmp', '"/root')), False)
check("file", "readings used", {r for s in doc["scenes"] for r in s.get("alt", {})}, set(doc["readings"]))
for g in {s["group"] for s in doc["scenes"]}:
    told = {c["told"] for s in doc["scenes"] if s["group"] == g for c in s["checks"]}
    check("file", g + " holds increased and low", {"increased", "low"} <= told, True)


# --- once more: another program, in floating point, from the json alone
def code_value(rt, onset):
    lv = {3: 3, 2: 5, 1: 7}[rt] + (onset - 1)
    return {3: .6, 4: .8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6}[lv]


def last_word(system, entries):
    """What counts of a series of records: None, or the record. Written as cases, not as a machine."""
    es = [x for x in entries if x[0] != 4]
    if not es:
        return None
    if system in ("cwa", "own"):
        return None if any(x[0] == 5 for x in es) else es[-1]
    first = es[0]
    if first[0] == 5:
        return None
    allowed = {3: [1, 2, 5], 2: [1, 5]}.get(first[0], [])
    then = next((x for x in es[1:] if x[0] in allowed), None)
    last = then or first
    return None if last[0] == 5 else last


def of_source(system, scene, got, at):
    """(days {age: points}, [keys not read], [keys met])"""
    days, unread, met = {}, [], []
    for person in scene["persons"]:
        for n, key in enumerate(person["keys"]):
            st = last_word(system, got.get((person["name"], n), []))
            sc = sorted(x for m in scene["meetings"] if m["person"] == person["name"] for x in m["scans"]
                        if -key["age"] * 144 <= x[0] // 600 < -key["age"] * 144 + key.get("period", 144))
            if st is None or not sc:
                continue
            met.append((person["name"], n))
            rt, onset, _lv = st[:3]
            rt = rt or 1
            age = at // DAY - sc[0][0] // DAY
            if system in ("cwa", "own"):
                if onset not in (1, 2):
                    unread.append((person["name"], n))
                elif age <= 10:
                    v = sum(x[3] / 60 * (.8 if x[2] < 63 else 1 if x[2] < 73 else .1 if x[2] < 79 else 0) for x in sc)
                    days[age] = days.get(age, 0) + v * code_value(rt, onset)
            elif system == "ens":
                if age <= 14 and (onset is None or abs(onset) > 14 or -5 <= onset <= 9):
                    days[age] = days.get(age, 0) + sum(x[3] * (1.5 if x[1] <= 30 else 1 if x[1] <= 50 else .5 if x[1] <= 60 else 0) for x in sc)
            elif age <= 11:
                inf = 2 if onset is None or abs(onset) > 14 or -2 <= onset <= 3 else 1 if -5 <= onset <= 9 else 0
                while sc:
                    here = [x for x in sc if x[0] < sc[0][0] + 1800]
                    sc = sc[len(here):]
                    days[age] = max(days.get(age, 0), e.nhs2_risk([(x[1], x[2], x[3]) for x in here], inf))
    return days, unread, met


LIMIT = {"cwa": 9, "own": 9, "ens": 2700, "nhs": 100}
for s in doc["scenes"]:
    ev = s.get("events", [])
    got, when = {x: {} for x in s["sources"]}, {}
    for c in s["checks"]:
        at, words, open_people, gone_people, inc = c["at"], {}, set(), set(), {}
        for n in s["sources"]:
            mine = [x for x in ev if x[-1] == n and x[0] <= at]
            did = {x[1] for x in mine}
            if any(x[1] == "added" and x[2] == n for x in ev if len(x) > 2) and "added" not in did:
                continue
            off = n in s.get("switchedOff", []) or "switchedOff" in did
            net = c.get("network", True)
            if not off and "removed" not in did and (net is True or net and n in net):
                when[n] = at
                for p in s["persons"]:
                    for i, k in enumerate(p["keys"]):
                        got[n][p["name"], i] = [x for x in k["by"].get(n, []) if (x[3] if len(x) > 3 else p.get("submit", 43200)) < at]
            days, unread, met = of_source(n, s, got[n], at)
            if "removed" in did:
                gone_people |= {x for x in met if at // DAY + next(k for p in s["persons"] if p["name"] == x[0] for k in p["keys"]) ["age"] < 14}
                continue
            if off:
                words[n] = "switchedOff"
            elif did & {"paused", "ended"}:
                words[n] = (did & {"paused", "ended"}).pop()
            elif n in s.get("noRules", []) and "rules" not in did:
                words[n] = "unknown"
                open_people |= set(met)
            elif n not in when:
                words[n] = "unknown"
            else:
                hot = [a for a, v in days.items() if v >= LIMIT[n] - 1e-9]
                open_people |= set(unread)
                company = [o for o in s["sources"] if o != n and not any(x[1:] == ["removed", o] and x[0] <= at for x in ev)
                           and not any(x[1:] == ["added", o] and x[0] > at for x in ev)]
                stale = at - when[n] > 172800
                words[n] = "increased" if hot and (not stale or company) else "unknown" if unread and not hot else "outdated" if stale else "low"
                if words[n] == "increased":
                    inc[n] = min(hot)
                if words[n] in ("increased", "low"):
                    pts = c["sources"][n].get("points")
                    check("again, points", s["name"], (pts is None) == (not days) and abs((pts or 0) - max(days.values(), default=0)) < 0.002, True)
        check("again, each source", s["name"], {n: x["told"] for n, x in c["sources"].items()}, words)
        speak = [x for x in words.values() if x != "switchedOff"]
        told = ("increased" if "increased" in speak else "unknown" if open_people | gone_people else "low" if "low" in speak else
                "outdated" if "outdated" in speak else speak[0] if speak and set(speak) in ({"paused"}, {"ended"}) else "unknown")
        check("again, the word", s["name"], c["told"], told)
        if len(s["sources"]) > 1:
            check("again, numbers", s["name"], c.get("numbers", []), [n for n in s["sources"] if n in inc and inc[n] == min(inc.values())])
# what holds of every scene
for s in doc["scenes"]:
    for c in s["checks"]:
        t = {x["told"] for x in c["sources"].values()}
        check("laws", s["name"], c["told"] == "increased", "increased" in t)
        if c["told"] == "low":
            check("laws", s["name"] + ": low needs one that says it", "low" in t, True)
        if len(s["sources"]) == 1 and t != {"switchedOff"}:
            check("laws", s["name"] + ": alone as if there were no other", t, {c["told"]})
        for a in s.get("alt", {}).values():
            check("laws", s["name"] + ": alt for every check", len(a), len(s["checks"]))
by_name = {s["name"]: s for s in doc["scenes"]}
for s in doc["scenes"]:
    if s["group"] == "restart":
        o = by_name[s["name"][len("restart: "):s["name"].rindex(" [")]]
        check("laws", s["name"], [(c["told"], c["sources"]) for c in s["checks"]], [(c["told"], c["sources"]) for c in o["checks"]])

# --- mistakes: each must change something
MUTANTS = {
    "low although one is not judged": {"lowThoughUnjudged": True},
    "unknown of one hides low": {"unknownBeatsLow": True}, "unknown of one hides increased": {"unknownBeatsIncreased": True},
    "numbers of two added": {"add": True}, "revocation across sources": {"revokeAcross": True},
    "stale source still counted": {"staleCounts": True}, "increased of a stale source dropped": {"staleIncreasedGoes": True},
    "freshness shared": {"freshnessShared": True}, "one stale makes all outdated": {"staleMakesOutdated": True},
    "switched off still judged": {"offCounts": True}, "pause ignored": {"pauseIgnored": True},
    "no rules is low": {"missingRulesLow": True}, "no rules: another's rules": {"missingRulesOfOther": True},
    "one key counts for its first source only": {"firstPublisherOnly": True},
    "taken away: forgotten at once": {"removedForgotten": True}, "taken away: judged by another's rules": {"removedByOthers": True},
    "taken away: unknown for ever": {"removedForEver": True},
    "added late: old keys never matched": {"lateNeverMatched": True}, "restart forgets": {"restartForgets": True},
    "numbers of the first source": {"numbersOfFirst": True}, "numbers of the earliest day": {"numbersEarliest": True},
    "news by source": {"newsPerSource": True}, "news at every check": {"newsAgain": True},
    "type 4 judged": {"type4": True}, "type 5 ignored": {"type5Ignored": True}, "type 5 by transitions everywhere": {"type5NeedsTransition": True},
    "type 5 final everywhere": {"type5Always": True}, "last statement wins": {"lastStatementWins": True},
    "> instead of >=": {"atLimit": False}, "persons apart": {"perPerson": True}, "days together": {"sumDays": True},
    "typical for minimum (cwa, own)": {"attenuation2": "typical"}, "minimum for typical (ens)": {"attenuationDaily": "min"},
    "age 9 (cwa, own)": {"maxAge": 9}, "age 11 (cwa, own)": {"maxAge": 11},
}
for a in so.ALL:
    for b in so.ALL:
        if a < b and {a, b} != {"cwa", "own"}:          # these two have the same rules: see SOURCES.md
            MUTANTS["mappings of %s and %s exchanged" % (a, b)] = {"mapOf": {a: b, b: a}}
            MUTANTS["models of %s and %s exchanged" % (a, b)] = {"modelOf": {a: b, b: a}}
            MUTANTS["rules of %s and %s exchanged" % (a, b)] = {"slotOf": {a: b, b: a}}
for a in so.ALL:
    MUTANTS["one slot: everybody judged by %s" % a] = {"slotOf": {b: a for b in so.ALL}}
    MUTANTS["one mapping: that of %s" % a] = {"mapOf": {b: a for b in so.ALL}}
PLACES = [("nhs limit 120", e.__dict__, "NHS2_THRESHOLD", 120), ("nhs age 10", e.__dict__, "NHS_RECENT_DAYS", 10), ("nhs age 12", e.__dict__, "NHS_RECENT_DAYS", 12),
          ("ens limit 2760", w.DAILY, "perDaySumERVThreshold", 2760), ("ens thresholds", w.DAILY, "thresholds", [30, 50, 61]), ("ens thresholds 51", w.DAILY, "thresholds", [30, 51, 60]),
          ("ens age 13", w.DAILY, "daysSinceExposureThreshold", 13), ("stale after 1 day", so.__dict__, "STALE", DAY), ("stale after 4 days", so.__dict__, "STALE", 4 * DAY)]
PLACES += [("ens day %d" % n, w.MAP_B["days"], n, 0 if w.MAP_B["days"][n] else 1) for n in (-6, -5, 9, 10)]
PLACES += [("nhs day %d" % n, e.MAP_N["days"], n, 0 if e.MAP_N["days"][n] else 1) for n in (-6, -5, 9, 10)]
PLACES += [("ens missing is none", w.MAP_B, "whenMissing", 0), ("nhs missing is standard", e.MAP_N, "whenMissing", 1)]
built = so.make()


def view(a):
    return {"told": [x["told"] for x in a], "sources": [{k: (v[0], {d: round(float(y), 3) for d, y in v[1].items()}) for k, v in x["sources"].items()} for x in a],
            "numbers": [x["numbers"] for x in a], "news": [x["news"] for x in a]}


right = {s["name"]: view(so.play(s)) for s in built}
missed = []


def notice(name, change=None, place=None):
    n, groups = Counter(), Counter()
    if place:
        where, k, v = place
        old = where[k]
        where[k] = v
        limit = dict(so.LIMIT)
        so.LIMIT.update(dailySummaries=w.DAILY["perDaySumERVThreshold"], nhs2=e.NHS2_THRESHOLD)
    try:
        for s in built:
            v, r = view(so.play(s, dict(so.RULES, **(change or {})))), right[s["name"]]
            for part in r:
                if part == "news" and s["group"] not in so.NEWS_GROUPS:
                    continue
                if v[part] != r[part]:
                    n[part] += 1
                    if part == "told":
                        groups[s["group"]] += 1
    finally:
        if place:
            where[k] = old
            so.LIMIT.update(limit)
    if not sum(n.values()):
        missed.append(name)
    check("mistakes noticed", name, sum(n.values()) > 0, True)
    if "--mutants" in sys.argv:
        print("%-42s word %4d, a source's word or points %4d, numbers %4d, news %4d  %s" % (name, n["told"], n["sources"], n["numbers"], n["news"], dict(groups)))


for name, change in MUTANTS.items():
    notice(name, change)
for name, where, k, v in PLACES:
    notice(name, place=(where, k, v))

print()
for g in sorted(set(passed) | set(failed)):
    print("%-22s %5d passed, %d failed" % (g, passed[g], failed[g]))
for x in skipped:
    print("left out:", x)
print("%d passed, %d failed; %d mistakes planted, %d missed %s" % (sum(passed.values()), sum(failed.values()), len(MUTANTS) + len(PLACES), len(missed), missed or ""))
sys.exit(1 if failed else 0)
