#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources: scenes of one board that follows one to four health authorities, with what the wearer is told. See SOURCES.md.

Written from the sheets, the vectors and the product's stated rules (decisions 27 and 33, authorities.md, risk.md), without
sight of the project's code. Windows, models and mappings are those of scenes_engine.py and warnings_oracle.py.

    python3 sources_oracle.py [sources.json]      # the same bytes at every run
"""
import itertools
import json
import os
import sys

import scenes_engine as e
import warnings_oracle as w
from scenes_engine import DAY

HERE = os.path.dirname(os.path.abspath(__file__))
H, MIN = 3600, 60
EVENING = 22 * H
SUBMIT = 12 * H
STALE = 2 * DAY
ALL = ["cwa", "ens", "nhs", "own"]
# The document's own numbers: as w.CWA_SECOND, but the day's highest range ends at 9999. Nothing here comes near it.
CWA_ANDROID = json.loads(json.dumps(w.CWA_SECOND))
CWA_ANDROID["normalizedTimePerDayToRiskLevelMapping"][1]["normalizedTimeRange"]["max"] = 9999

# ------------------------------------------------------------------ the four systems

SYSTEMS = {
    "cwa": {"form": "cwa", "document": "cwa/app-config/android-default-v2.bin",
            "decoded": "cwa/app-config/android-default-v2.decoded.json", "codes": True,
            "mapping": w.MAP_A, "models": ["cwaSecond"], "parameters": {"cwaSecond": CWA_ANDROID}},
    "ens": {"form": "profile", "document": None, "codes": False,
            "mapping": w.MAP_B, "models": ["dailySummaries"], "parameters": {"dailySummaries": w.DAILY}},
    "nhs": {"form": "nhs", "document": "rules/documents/nhs/exposure-configuration_2021-01-11_b0871e6.json", "codes": False,
            "mapping": e.MAP_N, "models": ["nhs2"],
            "parameters": {"nhs2": {"riskScore": e.NHS_SCORE, "infectiousnessWeights": [0.0, 0.4, 1.0],
                                    "riskThreshold": e.NHS2_THRESHOLD, "contactCaseDays": e.NHS_RECENT_DAYS}}},
    "own": {"form": "vigil", "document": None, "codes": True,
            "mapping": w.MAP_A, "models": ["cwaSecond"], "parameters": {"cwaSecond": w.CWA_SECOND}},
}
LIMIT = {"cwaSecond": 9, "dailySummaries": w.DAILY["perDaySumERVThreshold"], "nhs2": e.NHS2_THRESHOLD}

# Rules of the combination. check_sources.py changes one at a time; READINGS are the places where the documents are silent.
RULES = dict(e.RULES, **{
    "mapOf": {}, "modelOf": {}, "slotOf": {},       # source -> whose mapping, models, both
    "add": False,                       # 33: "numbers of two are never added"
    "lowThoughUnjudged": False,         # 33: "unknown, as with one source"
    "unknownBeatsLow": False,           # 33: "at least one low, no such person: low"
    "unknownBeatsIncreased": False,     # 33: "one increased: increased"
    "revokeAcross": False,              # 33: "a source that takes its warning back leaves the other's"
    "staleCounts": False,               # authorities.md: "not known for it after two days"
    "staleIncreasedGoes": False,        # 33: "beside others a source's increased stays"
    "freshnessShared": False,           # 33: "another one's file makes nothing fresh"
    "staleMakesOutdated": False,
    "offCounts": False,                 # 33: "is named and counts for nothing"
    "missingRulesLow": False, "missingRulesOfOther": False,
    "firstPublisherOnly": False,        # 33: "one key published by two is two statements"
    "removedForgotten": False, "removedByOthers": False, "removedForEver": False,
    "lateNeverMatched": False, "rulesLateNever": False, "restartForgets": False,
    "numbersOfFirst": False, "numbersEarliest": False,
    "newsPerSource": False, "newsPerStatement": False, "newsAgain": False,
    "type4": False, "type5Ignored": False, "type5NeedsTransition": False, "type5Always": False,
    "lastStatementWins": False, "firstCodeWins": False, "revokedNotStored": False, "manyTransitions": False,
    "onlyNewestInFile": False, "noTypeIsClinical": False,
    "aloneKeepsIncreased": False, "judgedByAnother": False, "staleBeforeUnjudged": False,
    "offIsAWord": False, "offAmongAll": False, "silencedWarns": False, "neverFetchedIsOutdated": False,
    "fourteenForgotten": False, "pauseIgnored": False, "offIsNoOther": False,
})
READINGS = {
    "ageToTheSecond": {"ageToTheSecond": True},
    "strictNone": {"strictNone": True},
    "iosIsolation": {"iosIsolation": True},
    "nhsMissingOnsetUnread": {"nhsMissingUnread": True},
    "lastStatementWins": {"lastStatementWins": True},
    "firstCodeWins": {"firstCodeWins": True},
    "codesFollowTransitions": {"type5NeedsTransition": True},
    "revokedNotStored": {"revokedNotStored": True},
    "manyTransitions": {"manyTransitions": True},
    "onlyNewestInFile": {"onlyNewestInFile": True},
    "noTypeIsClinical": {"noTypeIsClinical": True},
    "outdatedKeepsIncreased": {"aloneKeepsIncreased": True},
    "judgedByAnotherSource": {"judgedByAnother": True},
    "staleBeforeUnjudged": {"staleBeforeUnjudged": True},
    "offIsAWord": {"offIsAWord": True},
    "offCountsAmongAll": {"offAmongAll": True},
    "silencedWarnsStill": {"silencedWarns": True},
    "offIsNoOther": {"offIsNoOther": True},
    "neverFetchedIsOutdated": {"neverFetchedIsOutdated": True},
    "fourteenDaysForgotten": {"fourteenForgotten": True},
}


# ------------------------------------------------------------------ one source

def mapping_of(source, p):
    return SYSTEMS[p["slotOf"].get(source, p["mapOf"].get(source, source))]["mapping"]


def models_of(source, p):
    return SYSTEMS[p["slotOf"].get(source, p["modelOf"].get(source, source))]["models"]


_windows = {}


def windows_of(sightings, p):
    """As e.windows_of, remembered. (What makes windows is checked by check_scenes.py, not changed here.)"""
    k = tuple(map(tuple, sightings))
    if k not in _windows:
        _windows[k] = e.windows_of(sightings, p)
    return _windows[k]


def state_of(source, seq, p):
    """The statement of a source that counts, from the records in the order they came: [rt, onset, level] or None.
    Codes: README A9. Stated types: README A10, G §5."""
    codes = SYSTEMS[source]["codes"] and not p["type5NeedsTransition"] or p["type5Always"]
    state, moved = None, False
    for x in seq:
        rt = x[0]
        if rt == 4 and not p["type4"]:
            continue                                    # G §5 "Type 4 skipped"
        if rt == 5 and p["type5Ignored"]:
            continue
        if state is None:
            if rt == 5 and p["revokedNotStored"] and not codes:
                continue
            state = x
        elif codes:
            if state[0] == 5 and not p["lastStatementWins"]:
                continue
            if p["firstCodeWins"] and rt != 5 and state[0] != 5:
                continue
            state = x
        else:
            was = state[0] or (2 if p["noTypeIsClinical"] else 1)
            if rt in {3: (1, 2, 5), 2: (1, 5)}.get(was, ()) and (p["manyTransitions"] or not moved):
                state, moved = x, True
    return state


def warns(state, p):
    return state is not None and state[0] != 5 and (state[0] != 4 or p["type4"])


def judge(source, keys, today, p):
    """[(who, statement, windows)] -> (told, {day: points}, [who that could not be judged])."""
    m, models = mapping_of(source, p), models_of(source, p)
    ks, unread = [], []
    for who, (rt, onset, level), windows in keys:
        inf = w.infectiousness(m, onset)
        if inf == 0 and p["strictNone"] or onset is None and source == "nhs" and p["nhsMissingUnread"]:
            inf = e.UNREAD
        if inf == e.UNREAD:
            unread.append(who)
        ks.append({"who": who[0], "rt": rt or m["reportTypeWhenMissing"], "inf": inf, "level": level, "windows": windows, "exposures": []})
    told, days = e.judge_keys(ks, models, today, p)
    if p["perPerson"]:                  # a mistake that is planted: the best person of a day
        best = {}
        for d, v in days.items():
            d = d[0] if isinstance(d, tuple) else d
            best[d] = max(best.get(d, 0), v)
        days = best
    return told, days, unread


# ------------------------------------------------------------------ the board

def standing(scene, source, at):
    """What the events up to `at` have made of a source."""
    followed = not any(x[1:] == ["added", source] for x in scene.get("events", []))
    rules = source not in scene.get("noRules", [])
    off = source in scene.get("switchedOff", [])
    service, removed = "running", False
    for ev in sorted(scene.get("events", []), key=lambda x: x[0]):
        if ev[0] > at or ev[-1] != source:
            continue
        what = ev[1]
        followed = followed or what == "added"
        removed = removed or what == "removed"
        rules = rules or what == "rules"
        off = off or what == "switchedOff"
        service = what if what in ("paused", "ended", "running") else service
    return followed and not removed, rules, off, service, removed


def reachable(check, source):
    n = check.get("network", True)
    return n is True or isinstance(n, list) and source in n


def limit_of(source, p):
    return LIMIT[models_of(source, p)[0]]


def play(scene, p=RULES):
    """One answer per check: {told, numbers, news, sources: {name: (told, {day: points})}}."""
    sightings = {k: e.valid_sightings(next(x for x in scene["persons"] if x["name"] == k[0])["keys"][k[1]], v, p)
                 for k, v in e.heard(scene, p).items()}
    keys = {(x["name"], n): k for x in scene["persons"] for n, k in enumerate(x["keys"])}
    submit = {x["name"]: x.get("submit", SUBMIT) for x in scene["persons"]}
    got, fetched, out = {}, {}, []
    announced, before, last_source_days = set(), None, {}
    for c in scene["checks"]:
        at, today = c["at"], c["at"] // DAY
        who_is = {s: standing(scene, s, at) for s in scene["sources"]}
        for s, (followed, _r, off, _sv, _rm) in who_is.items():
            if followed and (not off or p["offCounts"]) and reachable(c, s):
                late = any(x[1:] == ["added", s] for x in scene.get("events", []))
                for k, key in keys.items():
                    entries = key["by"].get(s, [])
                    have = got.setdefault((s, k), [])
                    due = [x for x in entries if (x[3] if len(x) > 3 else submit[k[0]]) <= at]
                    for x in due:
                        pub = x[3] if len(x) > 3 else submit[k[0]]
                        assert at >= pub + 5400, scene["name"]
                    new = due[len(have):]
                    if p["lateNeverMatched"] and late:
                        continue
                    if new and p["onlyNewestInFile"]:
                        new = [None] * (len(new) - 1) + new[-1:]
                    have += new
                fetched[s] = at
        if p["freshnessShared"] and fetched:
            newest = max(fetched.values())
            fetched = {s: newest for s in fetched}
        if p["restartForgets"] and scene.get("restarts") and c is scene["checks"][-1]:
            got = {}

        def seq(s, k):
            return [x[:3] for x in got.get((s, k), []) if x is not None]

        states = {(s, k): state_of(s, seq(s, k), p) for s in scene["sources"] for k in keys}
        if p["revokeAcross"]:
            gone = {k for (s, k), v in states.items() if v is not None and v[0] == 5}
            states = {(s, k): None if k in gone else v for (s, k), v in states.items()}
        if p["firstPublisherOnly"]:
            for k in keys:
                for s in [s for s in scene["sources"] if warns(states[s, k], p)][1:]:
                    states[s, k] = None

        def heard_of(s, table):
            r = []
            for k in sorted(keys):
                if warns(table[s, k], p):
                    ok = [x for x in sightings.get(k, []) if x[0] <= at]
                    if ok and not (p["fourteenForgotten"] and all(today - x[0] // DAY >= 14 for x in ok)):
                        r.append((k, table[s, k], windows_of(ok, p)))
            return r

        def each(table):
            """-> {source: [told, days]}, {key whom a source warns of and that source could not judge}, {key judged}"""
            said, unjudged, judged = {}, set(), set()
            for s in scene["sources"]:
                followed, rules, off, service, removed = who_is[s]
                mine = heard_of(s, table)
                if removed and p["removedByOthers"]:
                    others = [o for o in scene["sources"] if o != s and who_is[o][0]]
                    r = judge(others[0], mine, today, p) if others else ("low", {}, [])
                    said[s] = [r[0], r[1]]
                    continue
                if removed and not p["removedForgotten"]:
                    unjudged |= {k for k, _st, win in mine if p["removedForEver"] or any(today - d < 14 for d, _s in win)}
                if not followed:
                    continue
                if off and not p["offCounts"]:
                    said[s] = ["switchedOff", {}]
                    unjudged |= {k for k, _st, _w in mine} if p["silencedWarns"] else set()
                    continue
                if service != "running" and not p["pauseIgnored"]:
                    said[s] = [service, {}]
                    unjudged |= {k for k, _st, _w in mine} if p["silencedWarns"] else set()
                    continue
                if not rules and not p["missingRulesOfOther"]:
                    said[s] = ["low" if p["missingRulesLow"] else "unknown", {}]
                    unjudged |= set() if p["missingRulesLow"] else {k for k, _st, _w in mine}
                    continue
                if s not in fetched:
                    said[s] = ["outdated" if p["neverFetchedIsOutdated"] else "unknown", {}]
                    continue
                j = s if rules else next((o for o in scene["sources"] if who_is[o][1]), s)
                told, days, unread = judge(j, mine, today, p)
                unjudged |= set(unread)
                judged |= {k for k, _st, _w in mine} - set(unread)
                late = at - fetched[s] > STALE and not p["staleCounts"]
                # 33: "Beside others a source's increased stays"; alone: risk.md `outdated`
                others = [o for o in scene["sources"] if o != s and who_is[o][0] and not (p["offIsNoOther"] and who_is[o][2])]
                if told == "increased" and late and (others and not p["staleIncreasedGoes"] or not others and p["aloneKeepsIncreased"]):
                    late = False
                if late and (told != "unknown" or p["staleBeforeUnjudged"]):
                    told = "outdated"
                said[s] = [told, days]
            return said, unjudged, judged

        def increased_days(said):
            r = {s: {d for d, v in days.items() if v >= limit_of(s, p)} for s, (told, days) in said.items() if told == "increased"}
            return {s: ds for s, ds in r.items() if ds}

        said, unjudged, judged = each(states)
        if p["judgedByAnother"]:
            unjudged -= judged
        words = {s: t for s, (t, _d) in said.items()}
        counting = words if p["offAmongAll"] else {s: t for s, t in words.items() if t != "switchedOff"}
        total = {}
        for _, days in said.values():
            for d, v in days.items():
                total[d] = total.get(d, 0) + float(v)
        added = p["add"] and any(v >= limit_of(s, p) for s, (t, days) in said.items() if t == "low" for d, v in total.items() if d in days)
        some = list(counting.values())
        if ("increased" in some or added) and not (p["unknownBeatsIncreased"] and "unknown" in some):
            told = "increased"
        elif unjudged and not p["lowThoughUnjudged"]:
            told = "unknown"
        elif "low" in some and not (p["unknownBeatsLow"] and "unknown" in some) and not (p["staleMakesOutdated"] and "outdated" in some):
            told = "low"
        elif "outdated" in some:
            told = "outdated"
        elif some and all(t == some[0] for t in some) and some[0] in ("paused", "ended"):
            told = some[0]
        elif p["offIsAWord"] and words and all(t == "switchedOff" for t in words.values()):
            told = "switchedOff"
        else:
            told = "unknown"

        inc = increased_days(said)
        numbers = []
        if inc:
            last = {s: max(d) for s, d in inc.items()}
            best = min(last.values()) if p["numbersEarliest"] else max(last.values())
            numbers = [s for s in scene["sources"] if last.get(s) == best]
            if p["numbersOfFirst"]:
                numbers = [s for s in scene["sources"] if s in last][:1]

        # News: risk.md and 33. None where they are silent.
        now = set().union(*inc.values()) if inc else set()
        fresh = now - announced
        without = {(s, k): state_of(s, [x for x in seq(s, k) if x[0] != 5], p) for s in scene["sources"] for k in keys}
        still = increased_days(each(without)[0])
        still = set().union(*still.values()) if still else set()
        back = {d for d in announced - now if d in still}
        if p["newsPerSource"]:
            back |= {d for s, ds in last_source_days.items() for d in ds - inc.get(s, set()) if d in still}
            fresh |= {d for s, ds in inc.items() for d in ds - last_source_days.get(s, set())}
        if p["newsAgain"]:
            fresh = now
        lost = announced - now - back and any(x[1] in ("removed", "switchedOff", "paused", "ended") for x in scene.get("events", []))
        if fresh or back or told == "outdated" and before != "outdated":
            news = True
        elif lost or told != before and {told, before} & {"unknown", "paused", "ended", "switchedOff"}:
            news = None
        else:
            news = False
        announced = (announced | now) - back
        last_source_days = inc
        before = told
        out.append({"told": told, "numbers": numbers, "news": news, "sources": said, "inc": inc})
    return out


# ------------------------------------------------------------------ building blocks

scenes, names = [], set()


def steps(t0, minutes, typ, mn, step=300):
    """A contact from t0: a scan at the end of every step, each knowing the one before; the rest comes last."""
    out, t, end = [], t0, t0 + minutes * 60
    while t < end:
        s = min(step, end - t)
        t += s
        out.append([t, typ, mn, s])
    return out


# name: (minutes, typical, minimum)
CONTACTS = {
    "long": (60, 42, 40),       # every system: enough, if the statement counts
    "short": (5, 30, 30),       # none: 4 x value, 450 s, one scan
    "mid9": (9, 67, 65), "mid8": (8, 67, 65),           # second model: exactly 9.0 at level 5
    "mid15": (15, 67, 65), "mid14": (14, 67, 65),       # exactly 9.0 at level 3
    "echo": (20, 82, 55),       # minimum near, typical beyond every weight
    "far60": (60, 75, 73), "out60": (60, 81, 79),       # weight 0.1: between levels 7 and 8; no weight
    "e30": (30, 30, 30), "e29": (29, 30, 30),           # daily: 1.5 x 1800 = 2700 exactly
    "e45": (45, 50, 48), "e44": (44, 50, 48), "e45far": (45, 51, 48),
    "e90": (90, 60, 58), "e89": (89, 60, 58), "e90far": (90, 61, 58),
}


def nhs_edges():
    """The last attenuation at which 6 scans of 300 s are risky, and the next (N B.1), for high and standard."""
    out = {}
    for name, inf in (("High", 2), ("Standard", 1)):
        lo, hi = 20, 100
        while hi - lo > 1:
            mid = (lo + hi) // 2
            lo, hi = (mid, hi) if e.nhs2_risk([(mid, mid, 300)] * 6, inf) >= e.NHS2_THRESHOLD else (lo, mid)
        out["nhs" + name] = (30, lo + 3, lo)
        out["nhs%sNot" % name] = (30, hi + 3, hi)
    return out


def contact(name, t0):
    m, typ, mn = CONTACTS[name]
    return steps(t0, m, typ, mn)


def key(age, by, **kw):
    k = {"age": age, "by": {s: [list(x) for x in (v if isinstance(v[0], (list, tuple)) else [v])] for s, v in by.items() if v}}
    if age == 0:
        k["period"] = 72                    # closed at 12:00
    return dict(k, **kw)


def person(name, *keys, **kw):
    if any(k["age"] == 0 for k in keys):
        kw.setdefault("submit", 15 * H)     # after today's key has ended
    return dict({"name": name, "keys": list(keys)}, **kw)


def meet(name, age, what, at=None):
    return {"person": name, "scans": contact(what, -age * DAY + ((7 if age == 0 else 9) * H if at is None else at))}


def add(group, name, sources, persons, meetings, checks=None, **kw):
    s = {"name": group + ": " + name, "group": group, "sources": [x for x in ALL if x in sources], "persons": persons, "meetings": meetings}
    s.update({k: v for k, v in kw.items() if v})
    s["checks"] = [dict(c) if isinstance(c, dict) else {"at": c} for c in (checks or [EVENING])]
    assert s["name"] not in names, s["name"]
    names.add(s["name"])
    scenes.append(s)
    return s


def one(group, name, sources, by, what="long", age=2, **kw):
    """One person, one key, one contact."""
    return add(group, name, sources, [person("A", key(age, by))], [meet("A", age, what)], **kw)


CODE = {n: [w.ENCODED_TYPE[n], w.ENCODED_ONSET[n], n] for n in range(1, 9)}
GOOD = {"cwa": CODE[8], "ens": [1, 0, 2], "nhs": [0, 0, 7], "own": CODE[6]}      # enough with "long"
HARMLESS = {"cwa": CODE[5], "ens": [1, -7, 2], "nhs": [0, -8, 0], "own": CODE[3]}     # ens, nhs: day named none
UNREAD = {"cwa": [1, 0, 8], "own": [2, None, 0]}                                 # ens, nhs read everything
SUBSETS = [c for n in (1, 2, 3, 4) for c in itertools.combinations(ALL, n)]
PAIRS = [c for c in SUBSETS if len(c) == 2]
ORDERED = list(itertools.permutations(ALL, 2))


# ------------------------------------------------------------------ groups

def group_alone():
    """Every source by itself: report type, onset, level, contact."""
    g = "alone"
    for s in ("cwa", "own"):
        for n in range(1, 9):
            for what in ("long", "mid9", "mid15", "far60") if s == "cwa" else ("long", "mid9"):
                one(g, "%s level %d, %s" % (s, n, what), [s], {s: CODE[n]}, what)
        for rt in range(6):
            for on in (None, -1, 0, 1, 2, 3) if s == "cwa" else (None, 1, 2):
                one(g, "%s type %d onset %s" % (s, rt, on), [s], {s: [rt, on, 8 if rt % 2 else 0]})
    for s in ("ens", "nhs"):
        for rt in range(6):
            for on in (None, 0, -7):
                one(g, "%s type %d onset %s" % (s, rt, on), [s], {s: [rt, on, 0]})
        for on in (-15, -14, -7, -6, -5, -4, -3, -2, 0, 2, 3, 4, 8, 9, 10, 14, 15):
            one(g, "%s onset %d, level %d" % (s, on, (on + 15) % 9), [s], {s: [1 if s == "ens" else 0, on, (on + 15) % 9]},
                "nhsStandard" if s == "nhs" else "e45")
        for lv in range(0, 9):
            one(g, "%s level %d" % (s, lv), [s], {s: [1 if s == "ens" else 0, 2, lv]})


STATES = {
    # what a source is, beside others; all met the same person (contact "long")
    "increased": lambda s: ({s: GOOD[s]}, {}),
    "low": lambda s: ({s: [4] + GOOD[s][1:]} if s in ("cwa", "own") else {s: HARMLESS[s]}, {}),
    "nothing": lambda s: ({}, {}),
    "unread": lambda s: ({s: UNREAD[s]} if s in UNREAD else {s: GOOD[s]}, {} if s in UNREAD else {"noRules": [s]}),
    "noRules": lambda s: ({}, {"noRules": [s]}),
    "noRulesMet": lambda s: ({s: GOOD[s]}, {"noRules": [s]}),
    "revoked": lambda s: ({s: [5] + GOOD[s][1:]}, {}),
    "staleLow": lambda s: ({}, {"stale": [s]}),
    "staleIncreased": lambda s: ({s: GOOD[s]}, {"stale": [s]}),
    "off": lambda s: ({s: GOOD[s]}, {"switchedOff": [s]}),
    "never": lambda s: ({s: GOOD[s]}, {"never": [s]}),
}


def combination(group, sources, states, suffix="", what="long"):
    by, flags = {}, {}
    for s, st in zip(sources, states):
        b, f = STATES[st](s)
        by.update(b)
        for k, v in f.items():
            flags.setdefault(k, []).extend(v)
    never, stale = flags.pop("never", []), flags.pop("stale", [])
    on = [s for s in sources if s not in never]
    checks = [{"at": EVENING}]
    if never:
        checks[0]["network"] = on
    if stale:
        checks.append({"at": EVENING + 3 * DAY, "network": [s for s in on if s not in stale]})
    add(group, ", ".join("%s %s" % x for x in zip(sources, states)) + suffix, sources, [person("A", key(2, by))],
        [meet("A", 2, what)], checks, **flags)


def group_word():
    """The word for every combination of what the sources say."""
    g = "word"
    st = list(STATES)
    for i, (a, b) in enumerate(itertools.product(st, st)):
        combination(g, PAIRS[(i + i // 11) % 6], (a, b))
    for s in ALL:
        for x in st:
            combination(g, (s,), (x,))
    triples = [c for c in SUBSETS if len(c) == 3]
    for i, x in enumerate(itertools.product(("increased", "low", "noRulesMet", "staleLow"), repeat=3)):
        combination(g, triples[i % 4], x)
    for x in itertools.product(("increased", "low", "unread"), repeat=4):
        combination(g, ALL, x)
    for i in range(12):
        combination(g, ALL, [("staleLow", "staleIncreased", "off", "noRules")[(i // 6 + j * (1 + i % 3)) % 4] if j != i % 4 else ("low", "nothing", "revoked", "increased", "unread", "never")[i % 6] for j in range(4)], " (%d)" % i)


def group_subsets():
    """Every set of sources; one person is published by every part of the set; each source alone would be enough."""
    g = "subsets"
    for sub in SUBSETS:
        for n in range(len(sub) + 1):
            for pubs in itertools.combinations(sub, n):
                one(g, "follows %s, published by %s" % (" ".join(sub), " ".join(pubs) or "nobody"), sub, {s: GOOD[s] for s in pubs})


def group_contradict():
    """The same key by two sources, as a code and as real days."""
    g = "contradict"
    days = (-6, -5, 0, 1, 2, 9, 10, None)
    n = 0
    for a in ("cwa", "own"):
        for b in ("ens", "nhs"):
            for lv in (3, 4, 5, 6, 8) if a == "cwa" else (4, 6):
                for on in days:
                    n += 1
                    if n % 2:
                        continue
                    what = ("mid9", "e45", "long", "nhsHigh", "far60", "nhsStandard")[n // 2 % 6]
                    one(g, "%s level %d, %s day %s, %s" % (a, lv, b, on, what), (a, b), {a: CODE[lv], b: [0 if b == "nhs" else 1, on, 0]}, what)
    for on in days:
        for on2 in days[n % 2::2]:
            one(g, "ens day %s, nhs day %s" % (on, on2), ("ens", "nhs"), {"ens": [1, on, 2], "nhs": [0, on2, 4]}, ("e45", "nhsHigh", "nhsStandard")[(on or 3) % 3])
    for l1 in (3, 5, 8):
        for l2 in (2, 4, 6):
            one(g, "cwa level %d, own level %d" % (l1, l2), ("cwa", "own"), {"cwa": CODE[l1], "own": CODE[l2]}, "mid9")
    # the statement of the other: a code given by who should state days, and the other way round
    for s in ("ens", "nhs"):
        for on, lv in ((1, 7), (2, 8)):
            one(g, "%s publishes the code %d itself, cwa does not" % (s, on), ("cwa", s), {s: [1, on, lv]})
    for s in ("cwa", "own"):
        for on in (0, -3, 5, None):
            for o in ("ens", "nhs"):
                one(g, "%s publishes the real day %s, %s too" % (s, on, o), (s, o), {s: [1, on, 8], o: [1, on, 0]}, "e45" if on == 0 else "short")


def group_edges():
    g = "edges"
    for what in CONTACTS:
        if what == "long":
            continue                    # that is the group "alone"
        for sub in [(s,) for s in ALL if s != "own"] + [tuple(ALL)]:
            one(g, "%s, %s" % (what, " ".join(sub)), sub, {s: (CODE[5] if s in ("cwa", "own") else GOOD[s]) for s in sub}, what)


def group_age():
    """The day of the meeting; each source has its own limit of age (10, 14, 11 days)."""
    g = "age"
    for age in range(14):
        for sub in [(s,) for s in ALL] + [PAIRS[age % 6], tuple(ALL)]:
            if len(sub) == 1 and (age % 2 and age < 8 or sub == ("own",)):
                continue
            later = [EVENING] + ([EVENING + DAY] if len(sub) < 3 else [EVENING + DAY, EVENING + 2 * DAY, EVENING + 4 * DAY])
            one(g, "met %d days ago, %s" % (age, " ".join(sub)), sub, {s: GOOD[s] for s in sub}, age=age, checks=later)


def group_revoke():
    """Taken back by one; before and after the download."""
    g = "revoke"
    for a, b in ORDERED:
        for rt in (1, 2, 3):
            first = [rt] + GOOD[a][1:]
            for late in (False, True) if rt != 2 else (True,):
                t = DAY + SUBMIT if late else SUBMIT + 2 * H
                one(g, "%s takes back type %d %s, %s stands" % (a, rt, "after the download" if late else "before the download", b), (a, b),
                    {a: [first, [5] + first[1:] + [t]], b: GOOD[b]}, checks=[EVENING, EVENING + DAY] if late else None)
        one(g, "%s takes it back, only %s had warned" % (a, b), (a, b), {a: [5] + GOOD[a][1:] + [DAY + SUBMIT], b: GOOD[b]}, checks=[EVENING, EVENING + DAY])
        one(g, "%s takes back and warns again, %s low" % (a, b), (a, b), {a: [[3] + GOOD[a][1:], [5] + GOOD[a][1:] + [DAY + SUBMIT], [1] + GOOD[a][1:] + [2 * DAY + SUBMIT]]},
            checks=[EVENING, EVENING + DAY, EVENING + 2 * DAY])
    for s in ALL:
        o = ALL[ALL.index(s) - 1]
        for seq in ((3, 1), (1, 3), (3, 2, 1), (5, 1), (2, 1, 5), (3, 2, 5)):
            one(g, "%s publishes types %s one day after the other, %s low" % (s, " ".join(map(str, seq)), o), (s, o),
                dict({s: [[rt] + GOOD[s][1:] + [n * DAY + SUBMIT] for n, rt in enumerate(seq)]}, **STATES["low"](o)[0]),
                "mid8" if s in ("cwa", "own") else "long", checks=[EVENING + n * DAY for n in range(len(seq))])
        for rt in (0, 1, 2, 3):
            one(g, "%s alone takes back type %d" % (s, rt), (s,), {s: [[rt] + GOOD[s][1:], [5] + GOOD[s][1:] + [DAY + SUBMIT]]}, checks=[EVENING, EVENING + DAY])


def group_news():
    """Increased by A, then taken back by A while B warns, then by B too. Types that every source can move (3)."""
    g = "news"
    T = [EVENING + n * DAY for n in range(4)]
    pub = lambda n: n * DAY + SUBMIT
    for a, b in ORDERED:
        ga, gb = [3] + GOOD[a][1:], [3] + GOOD[b][1:]
        back = lambda x, n: [5] + x[1:] + [pub(n)]
        one(g, "%s takes back, then %s" % (a, b), (a, b), {a: [ga, back(ga, 1)], b: [gb, back(gb, 2)]}, checks=T)
        one(g, "%s warns, %s warns a day later, %s takes back, then the other" % (a, b, a), (a, b),
            {a: [ga, back(ga, 2)], b: [gb + [pub(1)], back(gb, 3)]}, checks=T)
        add(g, "two persons on one day, %s takes back, then %s" % (a, b), (a, b),
            [person("A", key(2, {a: [ga, back(ga, 1)]})), person("B", key(2, {b: [gb, back(gb, 2)]}))],
            [meet("A", 2, "long"), meet("B", 2, "long", 15 * H)], T)
        add(g, "two persons on two days, %s takes back, then %s" % (a, b), (a, b),
            [person("A", key(2, {a: [ga, back(ga, 1)]})), person("B", key(3, {b: [gb, back(gb, 2)]}))],
            [meet("A", 2, "long"), meet("B", 3, "long")], T)
    for sub in [c for c in SUBSETS if len(c) > 2]:
        by = {s: [[3] + GOOD[s][1:], [5] + GOOD[s][1:] + [pub(n + 1)]] for n, s in enumerate(sub)}
        one(g, "one after the other takes back, %s" % " ".join(sub), sub, by, checks=[EVENING + n * DAY for n in range(len(sub) + 2)])
        one(g, "one after the other takes back, with restarts, %s" % " ".join(sub), sub, by, checks=[EVENING + n * DAY for n in range(len(sub) + 2)],
            events=[[EVENING + n * DAY + H, "restart"] for n in range(len(sub))])
    for a, b in ORDERED:                    # the day told is the last one: numbers of the source that has it
        add(g, "%s on day -5 and %s on day -3" % (a, b), (a, b), [person("A", key(5, {a: GOOD[a]})), person("B", key(3, {b: GOOD[b]}))],
            [meet("A", 5, "long"), meet("B", 3, "long")])


def group_rules():
    g = "rules"
    for a, b in ORDERED:
        for met in ("a", "b", "both", "nobody"):
            by = {s: GOOD[s] for s, x in ((a, "a"), (b, "b")) if met in (x, "both")}
            one(g, "no rules of %s, rules a day later, beside %s, the person is published by %s" % (a, b, {"a": a, "b": b}.get(met, met)), (a, b), by,
                "long" if met != "b" else "short", noRules=[a], events=[[EVENING + 2 * H, "rules", a]], checks=[EVENING, EVENING + DAY])
        one(g, "no rules of %s, which takes back; %s low" % (a, b), (a, b), {a: [[3] + GOOD[a][1:], [5] + GOOD[a][1:] + [DAY + SUBMIT]]}, noRules=[a], checks=[EVENING, EVENING + DAY])
        one(g, "no rules of %s and %s, published by the first" % (a, b), (a, b), {a: GOOD[a]}, noRules=sorted((a, b)))


def group_stale():
    g = "stale"
    for a, b in ORDERED:
        for what, by in (("nothing", {}), ("low", {a: GOOD[a]}), ("increased", {a: GOOD[a]}), ("both increased", {a: GOOD[a], b: GOOD[b]})):
            one(g, "%s out of reach, %s of it, %s fetched" % (a, what, b), (a, b), by, "short" if what == "low" else "long",
                checks=[EVENING, {"at": EVENING + 30 * H, "network": [b]}, {"at": EVENING + 3 * DAY, "network": [b]}, EVENING + 4 * DAY])
        one(g, "%s stale, then %s too" % (a, b), (a, b), {}, "short",
            checks=[EVENING, {"at": EVENING + 30 * H, "network": [b]}, {"at": EVENING + 3 * DAY + H, "network": [b]}, {"at": EVENING + 6 * DAY, "network": False}])
    for s in ALL:
        for what in ("short", "long"):
            one(g, "%s alone, %s" % (s, what), (s,), {s: GOOD[s]}, what,
                checks=[EVENING, {"at": EVENING + 30 * H, "network": False}, {"at": EVENING + 3 * DAY, "network": False}, EVENING + 4 * DAY])
    for s in UNREAD:
        for o in ALL:
            if o != s:
                one(g, "%s not judged and stale, %s fetched" % (s, o), (s, o), {s: UNREAD[s]}, checks=[EVENING, {"at": EVENING + 3 * DAY, "network": [o]}])
    for s in ALL:
        o = [x for x in ALL if x != s]
        one(g, "only %s fetched, increased by the others" % s, ALL, {x: GOOD[x] for x in o}, checks=[EVENING, {"at": EVENING + 3 * DAY, "network": [s]}])
        one(g, "only %s fetched, warning that the others publish meanwhile" % s, ALL, {x: GOOD[x] + [DAY + SUBMIT] for x in o},
            checks=[EVENING, {"at": EVENING + 3 * DAY, "network": [s]}, EVENING + 4 * DAY])
    one(g, "all stale, one increased", ALL, {"nhs": GOOD["nhs"]}, checks=[EVENING, {"at": EVENING + 3 * DAY, "network": False}])
    one(g, "all stale, none increased", ALL, {"nhs": GOOD["nhs"]}, "short", checks=[EVENING, {"at": EVENING + 3 * DAY, "network": False}])


def group_off():
    g = "off"
    for a, b in ORDERED:
        one(g, "%s off, %s warns" % (a, b), (a, b), {a: GOOD[a], b: GOOD[b]}, switchedOff=[a])
        one(g, "%s off and would warn, %s low" % (a, b), (a, b), {a: GOOD[a], b: GOOD[b]}, "short", switchedOff=[a])
        one(g, "%s off later, had warned, %s says nothing" % (a, b), (a, b), {a: GOOD[a]}, events=[[EVENING + 2 * H, "switchedOff", a]], checks=[EVENING, EVENING + DAY])
        one(g, "%s off, %s without rules" % (a, b), (a, b), {}, switchedOff=[a], noRules=[b])
    for sub in SUBSETS:
        if len(sub) > 2:
            one(g, "all off, %s" % " ".join(sub), sub, {s: GOOD[s] for s in sub}, switchedOff=list(sub))
            one(g, "all off but one, %s" % " ".join(sub), sub, {s: GOOD[s] for s in sub}, switchedOff=list(sub[1:]))
    for st in ("paused", "ended"):          # the rules of the project's own form can say so
        for o in ("cwa", "ens", "nhs") if st == "paused" else ("ens",):
            for by, n in (({"own": GOOD["own"]}, "own had warned"), ({"own": GOOD["own"], o: GOOD[o]}, "both had warned"), ({}, "nobody met")):
                one(g, "own %s, %s, %s" % (st, n, o), ("own", o), by, events=[[EVENING + 2 * H, st, "own"]], checks=[EVENING, EVENING + DAY])
            one(g, "own %s, %s off" % (st, o), ("own", o), {}, events=[[EVENING + 2 * H, st, "own"]], switchedOff=[o], checks=[EVENING, EVENING + DAY])
            one(g, "own %s, %s stale" % (st, o), ("own", o), {}, events=[[EVENING + 2 * H, st, "own"]],
                checks=[EVENING, {"at": EVENING + 3 * DAY, "network": ["own"]}])
        one(g, "own %s, alone" % st, ("own",), {"own": GOOD["own"]}, events=[[EVENING + 2 * H, st, "own"]], checks=[EVENING, EVENING + DAY])
        one(g, "own %s, cwa without rules" % st, ("cwa", "own"), {}, events=[[EVENING + 2 * H, st, "own"]], noRules=["cwa"], checks=[EVENING, EVENING + DAY])


def group_late():
    g = "late"
    for a, b in ORDERED:
        for by, n in (({a: GOOD[a]}, "only the new one warns"), ({a: GOOD[a], b: GOOD[b]}, "both warn"), ({a: GOOD[a] + [2 * DAY + SUBMIT]}, "it warns after that"),
                      ({a: HARMLESS[a], b: GOOD[b]}, "it states the other thing")):
            one(g, "%s added to %s, %s" % (a, b, n), (a, b), by, events=[[EVENING + 2 * H, "added", a]], checks=[EVENING, EVENING + DAY, EVENING + 2 * DAY])
        one(g, "%s added to %s without rules, rules later" % (a, b), (a, b), {a: GOOD[a]}, noRules=[a],
            events=[[EVENING + 2 * H, "added", a], [EVENING + DAY + 2 * H, "rules", a]], checks=[EVENING, EVENING + DAY, EVENING + 2 * DAY])
    for a, b in ORDERED:
        for by, n in (({a: GOOD[a]}, "had warned"), ({a: GOOD[a], b: GOOD[b]}, "both had warned"), ({a: [5] + GOOD[a][1:]}, "had taken back")):
            one("gone", "%s taken away beside %s, %s" % (a, b, n), (a, b), by, events=[[EVENING + 2 * H, "removed", a]],
                checks=[EVENING, EVENING + DAY, EVENING + 9 * DAY, EVENING + 14 * DAY])
        one("gone", "%s taken away beside %s, short contact" % (a, b), (a, b), {a: GOOD[a]}, "short", events=[[EVENING + 2 * H, "removed", a]],
            checks=[EVENING, EVENING + DAY, EVENING + 14 * DAY])


def group_two():
    """Two persons on one day, by different sources: numbers are never added. By one source they are (not by the NHS)."""
    g = "two"
    just = {"cwa": ("mid8", CODE[5]), "own": ("mid8", CODE[5]), "ens": ("e44", [1, 0, 2]), "nhs": ("nhsHighNot", [0, 0, 7])}
    for a, b in itertools.combinations_with_replacement(ALL, 2):
        for what in ("each just below", "one enough"):
            for same in (True, False) if what == "each just below" else (True,):
                ca, cb = just[a][0], just[b][0] if what == "each just below" else "long"
                sub = {a, b} if a != b else {a, ALL[(ALL.index(a) + 1) % 4]}
                add(g, "A by %s, B by %s, %s, %s" % (a, b, what, "same day" if same else "two days"), sub,
                    [person("A", key(2, {a: just[a][1]})), person("B", key(2 if same else 3, {b: just[b][1]}))],
                    [meet("A", 2, ca), meet("B", 2 if same else 3, cb, 15 * H if same else None)])
        if a != b:                          # both persons by both: each source adds for itself
            add(g, "A and B by %s and %s, each just below" % (a, b), (a, b), [person(n, key(2, {a: just[a][1], b: just[b][1]})) for n in "AB"],
                [meet("A", 2, just[a][0]), meet("B", 2, just[b][0], 15 * H)])
            one(g, "one key by %s and %s, just below for each" % (a, b), (a, b), {a: just[a][1], b: just[b][1]}, "mid8")
    for sub in [c for c in SUBSETS if len(c) > 2]:
        add(g, "a person of each of %s, each just below" % " ".join(sub), sub, [person(s, key(2, {s: just[s][1]})) for s in sub],
            [meet(s, 2, just[s][0], (8 + 3 * n) * H) for n, s in enumerate(sub)])
    for a, b in ORDERED:                    # one cannot be judged, the other is low: another person, or the same
        by = {a: GOOD[a]}
        add(g, "A by %s without rules, B by %s and short" % (a, b), (a, b), [person("A", key(2, by)), person("B", key(2, {b: GOOD[b]}))],
            [meet("A", 2, "short"), meet("B", 2, "short", 15 * H)], noRules=[a])
        one(g, "the same person by %s without rules and by %s, short" % (a, b), (a, b), {a: GOOD[a], b: GOOD[b]}, "short", noRules=[a])
        add(g, "A by %s without rules and never met, B by %s and short" % (a, b), (a, b), [person("A", key(2, by)), person("B", key(2, {b: GOOD[b]}))],
            [meet("B", 2, "short", 15 * H)], noRules=[a])


RESTARTS = ["afterRules", "afterHearing", "afterSubmission", "afterDownload", "beforeAsking"]


def group_restart():
    some = []
    for g in ("contradict", "word", "revoke", "stale", "two", "rules", "late", "gone", "news", "off"):
        group = [s for s in scenes if s["group"] == g and not any(x[1] == "restart" for x in s.get("events", []))]
        some += [group[i * len(group) // 3] for i in range(3)]
    for i, s in enumerate(some):
        c = json.loads(json.dumps({k: v for k, v in s.items() if k not in ("name", "group")}))
        c["restarts"] = RESTARTS if i % 3 == 0 else [RESTARTS[i % 5]]
        add("restart", "%s [%s]" % (s["name"], "+".join(c["restarts"])), c.pop("sources"), c.pop("persons"), c.pop("meetings"), c.pop("checks"), **c)


# ------------------------------------------------------------------ output

NEWS_GROUPS = ("news", "revoke", "stale", "late", "two", "restart")


def num(x):
    y = round(float(x), 3)
    return int(y) if y == int(y) else y


def words(a):
    return [[x["told"], {s: v[0] for s, v in x["sources"].items()}] for x in a]


def finish(s):
    s = json.loads(json.dumps(s))
    main = play(s)
    for c, a in zip(s["checks"], main):
        c["told"] = a["told"]
        if a["numbers"] and len(s["sources"]) > 1:
            c["numbers"] = a["numbers"]
        if s["group"] in NEWS_GROUPS and a["news"] is not None:
            c["news"] = a["news"]
        c["sources"] = {}
        for n, (told, days) in a["sources"].items():
            x = c["sources"][n] = {"told": told}
            if days and told in ("increased", "low"):
                x["points"] = num(max(days.values()))
                x["days"] = [[c["at"] // DAY - d, num(v)] for d, v in sorted(days.items(), reverse=True)]
    alt = {}
    for name, change in READINGS.items():
        t = words(play(s, dict(RULES, **change)))
        m = words(main)
        if t != m:
            alt[name] = [x[0] if x[1] == y[1] else [x[0], {k: v for k, v in x[1].items() if v != y[1].get(k)}] for x, y in zip(t, m)]
    if alt:
        s["alt"] = alt
    persons = {x["name"]: x for x in s["persons"]}
    for m in s["meetings"]:
        run = []
        for sc in m["scans"]:
            n, i = e.implied(persons[m["person"]], sc[0], 0)
            if run and run[-1][:2] == [n, i]:
                run[-1][2] += 1
            else:
                run.append([n, i, 1])
        m["sent"] = run
    return s


def make():
    scenes.clear()
    names.clear()
    CONTACTS.update(nhs_edges())
    for f in (group_alone, group_subsets, group_word, group_contradict, group_edges, group_age, group_revoke, group_news, group_rules,
              group_stale, group_off, group_late, group_two, group_restart):
        f()
    return scenes


def plain(m):
    return {"days": m["days"], "whenMissing": m["whenMissing"], "reportTypeWhenMissing": m["reportTypeWhenMissing"]}


def build():
    make()
    return {
        "format": "sources-oracle-1",
        "source": "written by sources_oracle.py from spec/, vectors/ and the product's stated rules; the project's code was not read",
        "defaults": {"start": 0, "period": 144, "submit": SUBMIT, "network": True, "restarts": [], "noRules": [], "switchedOff": [], "events": [],
                     "rules": "known from the start unless noRules or events say otherwise", "status": "running"},
        "systems": {n: dict(x, mapping=plain(x["mapping"])) for n, x in SYSTEMS.items()},
        "readings": list(READINGS),
        "scenes": [finish(s) for s in scenes],
    }


def dump(doc):
    c = lambda x: json.dumps(x, separators=(",", ":"))
    return "{\n" + ",\n".join(c(k) + ":" + ("[\n" + ",\n".join(c(r) for r in v) + "\n]" if k == "scenes" else c(v)) for k, v in doc.items()) + "\n}\n"


def summary(doc):
    out = {}
    for s in doc["scenes"]:
        g = out.setdefault(s["group"], {"scenes": 0, "checks": 0, "alt": 0})
        g["scenes"] += 1
        g["checks"] += len(s["checks"])
        g["alt"] += "alt" in s
        for c in s["checks"]:
            g[c["told"]] = g.get(c["told"], 0) + 1
    return out


if __name__ == "__main__":
    doc = build()
    text = dump(doc)
    with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "sources.json"), "w") as f:
        f.write(text)
    print(len(text), "bytes;", len(doc["scenes"]), "scenes;", sum(len(s["checks"]) for s in doc["scenes"]), "checks")
    for g, n in summary(doc).items():
        print(g, n)
