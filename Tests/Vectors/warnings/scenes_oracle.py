#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes: little stories played end to end, with what the wearer is told. See SCENES.md.

Written from the sheets and vectors only, without sight of the project's code.

    python3 scenes_oracle.py [scenes.json]      # the same bytes at every run
"""
import json
import os
import sys
from fractions import Fraction as F

import scenes_engine as e
import warnings_oracle as w
from scenes_engine import DAY

HERE = os.path.dirname(os.path.abspath(__file__))
V = os.path.join(HERE, "..", "vectors")
with open(os.path.join(V, "cwa/derivation-maps.json")) as f:
    e.FROM_ONSET = {int(k): v for k, v in json.load(f)["transmissionRiskLevelFromDaysSinceOnset"].items()}

H, MIN = 3600, 60
EVENING = 22 * H                    # check at 22:00 of day D, as in README
VALUE = {3: F(6, 10), 4: F(8, 10), 5: F(1), 6: F(12, 10), 7: F(14, 10), 8: F(16, 10)}

# Other readings of the sheets (SCENES.md "Other readings"): name -> rule changes.
READINGS = {
    "ageToTheSecond": {"ageToTheSecond": True},
    "secondsNotWholeMinutes": {"wholeMinutes": False},
    "zeroIsZeroSeconds": {"zeroIsUnknown": False},
    "dayRoundedTo01": {"round01": True},
    "strictNone": {"strictNone": True},
    "level0CountsOne": {"level0CountsOne": True},
    "restReadableByLaterModelIsLow": {"restLow": True},
    "restJudgedByLaterModel": {"restLater": True},
    "minutesByScanSeconds": {"bySeconds": True},
    "iosIsolation": {"iosIsolation": True},
    "ownAcceptsUnaligned": {"acceptUnaligned": True},
    "level0IsAbsent": {"level0IsAbsent": True},
    "outdatedKeepsIncreased": {"outdatedKeeps": True},
    "nhsMissingOnsetUnread": {"nhsMissingUnread": True},
}

scenes = []
names = set()


# ------------------------------------------------------------------ building blocks

def steps(t0, minutes, typ, mn=None, step=300, first=None):
    """A contact from t0: a scan at the end of every step, each knowing the one before (the first: `first` or the
    step). The rest comes last, as in the existing oracle's scans_for."""
    out, t, end = [], t0, t0 + round(minutes * 60)
    while t < end:
        s = min(step, end - t)
        t += s
        out.append([t, typ, typ if mn is None else mn, s])
    if out and first != "step":
        if first is None or first == "unknown":
            out[0][3] = None if first == "unknown" else out[0][3]
        else:
            out[0][3] = first
    return out


def meet(person, scans, offset=0, stuck=None):
    m = {"person": person, "scans": [list(s) for s in scans]}
    if offset:
        m["offset"] = offset
    if stuck is not None:
        m["stuck"] = list(stuck)
    return m


def own_key(age, level, onset="auto", start=0, period=144):
    """A key for the own authority. Both fields are sent (R §6.1 "both sent -> both kept")."""
    if onset == "auto":
        onset = w.ONSET_FROM_LEVEL[level]
    k = {"age": age, "level": level, "onset": onset}
    if start:
        k["start"] = start
    if period != 144:
        k["period"] = period
    return k


def tek(age, rt, onset, level, start=0, period=144):
    k = {"age": age, "tek": [rt, onset, level]}
    if start:
        k["start"] = start
    if period != 144:
        k["period"] = period
    return k


def person(name, *keys, **kw):
    return dict({"name": name, "keys": list(keys)}, **kw)


def add(group, name, persons, meetings, authority="own", mapping="A", models="second", checks=None, **kw):
    s = {"name": group + ": " + name, "group": group, "authority": authority, "mapping": mapping, "models": models,
         "persons": persons, "meetings": meetings}
    s.update(kw)
    s["checks"] = [dict(c) if isinstance(c, dict) else {"at": c} for c in (checks or [EVENING])]
    for m in meetings:
        assert all(a[0] < b[0] for a, b in zip(m["scans"], m["scans"][1:])), s["name"]
        assert all(isinstance(x, int) or x is None for sc in m["scans"] for x in sc), s["name"]
    at, before = {}, -10 ** 9
    for m in meetings:                  # one board, one scanner: persons heard in one scan share its previous scan
        for sc in m["scans"]:
            assert at.setdefault(sc[0], sc[3]) == sc[3], s["name"]
    for t in sorted(at):                # the previous scan is never older than one that heard somebody
        assert not at[t] or t - at[t] >= before, (s["name"], t)
        before = t
    assert s["name"] not in names, s["name"]
    names.add(s["name"])
    scenes.append(s)
    return s


def daily_key(age, **kw):
    return tek(age, 1, 0, 0, **kw)              # E §6.1: report type 1, real onset, no level


def pair(group, name, make, minutes, **kw):
    """Two scenes: with the minutes that suffice and with one less."""
    for m in (minutes, minutes - 1):
        if m > 0:
            p, me = make(m)
            add(group, "%s, %d min" % (name, m), p, me, **kw)


def enough(level, weight):
    """Whole minutes that reach 9 (C §7.1)."""
    x = F(9) / (VALUE[level] * weight)
    return -(-x.numerator // x.denominator)


# ------------------------------------------------------------------ 1. around midnight (C §7.1 "per UTC date"; G §6)

def group_midnight():
    g = "midnight"
    five = [-15 * MIN, -2 * MIN, 0, 1 * MIN, 15 * MIN]                     # 23:45 23:58 00:00 00:01 00:15
    for mid in (-4, -1, 0):
        t0 = mid * DAY
        for off in (0, -30 * MIN, 30 * MIN, -16 * MIN, 16 * MIN, -60):
            for lv in ((5, 5), (6, 6), (2, 8), (8, 2), (4, 6)):
                sc = [[t0 + t, 67, 65, None if n == 0 else t - five[n - 1]] for n, t in enumerate(five)]
                # D's own key: closed at 12:00, published 14:00 (E §6.1 "close it", C §2.4)
                ks = [own_key(-mid + 1, lv[0]), own_key(-mid, lv[1], period=72 if mid == 0 else 144)]
                add(g, "five scans at midnight of day %d, levels %d %d, clock %+d s" % ((mid,) + lv + (off,)),
                    [person("A", *ks)], [meet("A", sc, off)])
    for mid in (-3,):
        t0 = mid * DAY
        for before in (0, 1, 4, 5, 8, 9, 10, 15, 20, 29, 30, 31, 45):
            for after in (0, 1, 4, 5, 8, 9, 10, 15, 20, 30):
                if before + after == 0:
                    continue
                lv = 5
                # a scan each minute-multiple so that 00:00 is the end of the last scan of the old day
                sc = steps(t0 - before * MIN - 60, before, 67, 65) + steps(t0, after, 67, 65)
                if len({s[0] for s in sc}) != len(sc):
                    continue
                add(g, "%d min before and %d min after" % (before, after),
                    [person("A", own_key(4, lv), own_key(3, lv))], [meet("A", sc)])
    # windows keep the date of their first sighting: the sender's clock is behind, one key over midnight
    for back in (29, 28, 25, 20, 15, 10, 6, 5, 1):
        for length in (30, 35, 45):
            t0 = -2 * DAY - back * MIN
            add(g, "one key over midnight, first scan %d min before, %d min, level 5" % (back, length),
                [person("A", own_key(3, 5), own_key(2, 5))], [meet("A", steps(t0 - 300, length, 74, 66), -110 * MIN)])
    # the first sighting of a window decides the date: age limit (day 10 counts, day 11 does not)
    for back in (10, 5, 1, 0, -1):
        t0 = -10 * DAY - back * MIN
        for off in (-110 * MIN, 0, 110 * MIN):
            add(g, "age limit, first scan %d min before midnight, clock %+d min" % (back, off // 60),
                [person("A", own_key(11, 5), own_key(10, 5))], [meet("A", steps(t0 - 300, 25, 67, 65), off)])
    # the edge of a window: the second scan exactly 30 min after the first opens a new one, with the new day's date
    for gap in (1680, 1740, 1741, 1799, 1800, 1801, 1860):
        for back in (15, 28, 2):
            for off in (-110 * MIN, -60 * MIN):
                t0 = -2 * DAY - back * MIN
                add(g, "second scan %d s after the first, %d min before midnight, clock %+d min" % (gap, back, off // 60),
                    [person("A", own_key(3, 5), own_key(2, 5))], [meet("A", [[t0, 67, 65, 300], [t0 + gap, 67, 65, 300]], off)])
    # two persons, each on her side of midnight; and the same for daily summaries (sum 2700 s per day)
    for a, b in ((8, 8), (9, 8), (8, 9), (5, 5), (9, 9)):
        t0 = -2 * DAY
        add(g, "A %d min before, B %d min after" % (a, b),
            [person("A", own_key(3, 5)), person("B", own_key(2, 5))],
            [meet("A", steps(t0 - a * MIN - 60, a, 67, 65)), meet("B", steps(t0, b, 67, 65))])
        add(g, "A %d min and B %d min both after" % (a, b),
            [person("A", own_key(2, 5)), person("B", own_key(2, 5))],
            [meet("A", steps(t0 + H, a, 67, 65)), meet("B", steps(t0 + 3 * H, b, 67, 65))])
    for before in (30, 40, 44, 45, 46):
        for after in (30, 40, 44, 45, 46):
            t0 = -2 * DAY
            add(g, "daily, %d min before and %d min after" % (before, after),
                [person("A", daily_key(3), daily_key(2))],
                [meet("A", steps(t0 - before * MIN - 60, before, 45, 40) + steps(t0, after, 45, 40))],
                authority="foreign", mapping="B", models="daily")
    # unpublished day on one side
    for lv in ((1, 8), (8, 1), (2, 3), (3, 2), (3, 3)):
        for m in (10, 14, 15, 16):
            t0 = -5 * DAY
            add(g, "%d min on each side, levels %d %d" % ((m,) + lv), [person("A", own_key(6, lv[0]), own_key(5, lv[1]))],
                [meet("A", steps(t0 - m * MIN - 60, m, 67, 65) + steps(t0, m, 67, 65))])


# ------------------------------------------------------------------ 2. clocks apart (G §5 +-12 intervals)

OFFSETS = [0, 30, 60, 90, 110, 115, 119, 120, 121, 125, 129, 130, 131, 140, 180, 1440]


def group_clock():
    g = "clock"
    for name, t0 in (("10:00", -3 * DAY + 10 * H), ("10:05", -3 * DAY + 10 * H + 300), ("22:20", -3 * DAY + 22 * H + 20 * MIN),
                     ("23:40", -3 * DAY + 23 * H + 40 * MIN), ("00:00", -3 * DAY), ("01:30", -3 * DAY + 90 * MIN)):
        for off in sorted({s * o for o in OFFSETS for s in (1, -1)}):
            ks = [own_key(a, 5) for a in (4, 3, 2)]
            add(g, "10 min from %s, clock %+d min" % (name, off), [person("A", *ks)],
                [meet("A", steps(t0 - 60 if t0 % DAY == 0 else t0, 10, 67, 65, step=150), off * MIN)])
    # single scans on the second: the last second that counts and the first that does not
    for i, name in ((60, "mid"), (0, "first of the key"), (143, "last of the key")):
        at = -3 * DAY + i * 600
        for d in (-7201, -7200, -7199, -6600, 0, 599, 600, 7199, 7200, 7799, 7800, 7801, 8400):
            t = at + d
            # 60-second scans of her other key days do not disturb: the identifier is pinned
            sc = [[t, 65, 65, 300]]
            add(g, "interval %s heard %+d s after its start" % (name, d),
                [person("A", own_key(3, 5)), person("B", own_key(t // DAY * -1, 5))],
                [meet("A", sc, stuck=(0, -3 * 144 + i)), meet("B", steps(t // DAY * DAY + 15 * H, 4, 65, 65, step=240))])
    # each neighbouring key has its own level: the sender's clock decides which key is heard
    for off in (-121, -110, -45, -30, -15, 0, 15, 30, 45, 110, 121):
        for lv in ((8, 2), (2, 8), (3, 8), (8, 3)):
            for t0, n in ((-2 * DAY - 40 * MIN, "23:20"), (-2 * DAY + 20 * MIN, "00:20")):
                add(g, "10 min from %s, levels %d %d of the two days, clock %+d min" % ((n,) + lv + (off,)),
                    [person("A", own_key(3, lv[0]), own_key(2, lv[1]))], [meet("A", steps(t0, 10, 67, 65), off * MIN)])
    for off in (-131, -130, -121, -119, -30, 0, 30, 119, 121, 130, 131):
        add(g, "daily 45 min, clock %+d min" % off, [person("A", *[daily_key(a) for a in (4, 3, 2)])],
            [meet("A", steps(-3 * DAY + 12 * H, 45, 45, 40), off * MIN)], authority="foreign", mapping="B", models="daily")
    # half of the scans of each interval lie outside
    for off in (-7260, -7230, -7201, -7200, 7200, 7201, 7230, 7260, 7320, 7500):
        for lv in (5, 6, 8):
            add(g, "9 scans of 60 s, clock %+d s, level %d" % (off, lv), [person("A", *[own_key(a, lv) for a in (4, 3, 2)])],
                [meet("A", steps(-3 * DAY + 13 * H, 9, 67, 65, step=60), off)])


# ------------------------------------------------------------------ 3. replay cut (G §5)

def group_replay():
    g = "replay"
    i = -3 * 144 + 60
    base = i * 600                                              # 10:00, interval i
    for gap in (300, 600, 900, 1140, 1199, 1200, 1201, 1202, 1260, 1500, 3600, 7199):
        for lag in (-7200, -3600, -60, 0, 300, 3600):
            t = base + lag
            for lv in (5, 8):
                add(g, "heard again %d s later, first at %+d s, level %d" % (gap, lag, lv), [person("A", own_key(3, lv))],
                    [meet("A", [[t, 67, 65, 300], [t + gap, 67, 65, 300]], stuck=(0, i))])
    for n in range(2, 12):                                      # an identifier that never changes, a scan each 5 min
        for lv in (3, 4, 5, 8):
            add(g, "the same identifier in %d scans, level %d" % (n, lv), [person("A", own_key(3, lv))],
                [meet("A", [[base + k * 300, 67, 65, 300] for k in range(n)], stuck=(0, i))])
            add(g, "fresh identifiers in %d scans, level %d" % (n, lv), [person("A", own_key(3, lv))],
                [meet("A", [[base + k * 300, 67, 65, 300] for k in range(n)])])
    # the first VALID hearing starts the 20 minutes: earlier refused ones do not
    for early in (600, 1200, 1800, 3600):
        for later in (0, 600, 1199, 1200, 1201):
            t = base - 7200                                     # first second that counts
            add(g, "refused %d s before, then valid and %d s later" % (early, later), [person("A", own_key(3, 5))],
                [meet("A", [[t - early, 67, 65, 300], [t, 67, 65, 300]] + ([[t + later, 67, 65, 300]] if later else []),
                      stuck=(0, i))])
    # two identifiers, each with its own 20 minutes
    for gap in (1200, 1201):
        for gap2 in (1200, 1201):
            for lv in (4, 5):
                add(g, "two identifiers again after %d s and %d s, level %d" % (gap, gap2, lv), [person("A", own_key(3, lv))],
                    [meet("A", [[base, 67, 65, 240], [base + gap, 67, 65, 240]], stuck=(0, i)),
                     meet("A", [[base + 300, 67, 65, 240], [base + 300 + gap2, 67, 65, 240]], stuck=(0, i + 1))])
    # a recording played at other places: by another "sender", next day, in the evening
    for name, d in (("10 min later", 600), ("20 min 1 s later", 1201), ("at 12:05", 7500), ("at 12:15", 8100), ("in the evening", 9 * H), ("next day", DAY)):
        add(g, "recorded and played %s" % name, [person("A", own_key(3, 5))],
            [meet("A", [[base, 67, 65, 300]], stuck=(0, i)), meet("A", [[base + d, 67, 65, 300]], stuck=(0, i))])
        add(g, "recorded, not heard live, played %s" % name, [person("A", own_key(3, 5))],
            [meet("A", [[base + d, 67, 65, 300], [base + d + 240, 67, 65, 240]], stuck=(0, i))])
    for gap in (1199, 1200, 1201):
        add(g, "daily, heard again %d s later" % gap, [person("A", daily_key(3)), person("B", daily_key(3))],
            [meet("A", [[base + k * 240, 30, 30, 240] for k in range(4)] + [[base + gap, 30, 30, 240]], stuck=(0, i)),
             meet("B", steps(base + 5 * H, 10, 30, 30))],
            authority="foreign", mapping="B", models="daily")


# ------------------------------------------------------------------ 4. seconds since the last scan (G §6)

def group_seconds():
    g = "seconds"
    for since in (None, 0, 1, 29, 59, 60, 61, 119, 120, 121, 179, 180, 181, 239, 240, 241, 299, 300, 301, 302, 359, 360, 361, 600, 3600):
        for phase in (0, 1, 30, 59):
            t0 = -2 * DAY + 9 * H + phase
            c = e.counted(t0, since, e.RULES)
            n = 8 if c == 0 else -(-9 * 60 // c)
            for k in (n, n - 1):
                if k:
                    add(g, "%d scans, %s s since the last, second %d of the minute" % (k, since, phase),
                        [person("A", own_key(2, 5))], [meet("A", [[t0 + j * max(300, -(-(since or 0) // 60) * 60), 67, 65, since] for j in range(k)])])
    for since in (None, 300, 900):                               # the first scan of a contact
        for m in (4, 5, 6, 7, 8, 9):
            for lv in (5, 8):
                sc = steps(-2 * DAY + 9 * H, m, 67, 65, step=120)
                sc[0][3] = since
                add(g, "%d min in 120 s scans, first %s s, level %d" % (m, since, lv), [person("A", own_key(2, lv))], [meet("A", sc)])
    for n in (14, 15, 22, 23):
        for since in (None, 180):
            add(g, "daily, %d scans, %s s since the last" % (n, since), [person("A", daily_key(2))],
                [meet("A", [[-2 * DAY + 9 * H + j * 300, 45, 40, since] for j in range(n)])],
                authority="foreign", mapping="B", models="daily")


# ------------------------------------------------------------------ 5. long contacts and gaps (G §6 30-minute windows)

def group_windows():
    g = "windows"
    for lv in (8, 7, 6):
        need = enough(lv, F(1, 10))
        for m in (need - 1, need):
            for step in (300, 240):
                for at in (9 * H, 9 * H + 7 * MIN, 11 * H + 35 * MIN):
                    add(g, "%d min at 75 dB from %d, scans of %d s, level %d" % (m, at, step, lv), [person("A", own_key(2, lv))],
                        [meet("A", steps(-2 * DAY + at, m, 77, 75, step=step))])
    for lv in (3, 4, 5):
        for gap in (5, 10, 20, 29, 30, 31, 60, 180):
            for n in (2, 3):
                m = -(-enough(lv, F(1)) // n)
                for x in (m, m - 1):
                    sc = [s for k in range(n) for s in steps(-2 * DAY + 9 * H + k * (gap + x) * MIN, x, 67, 65)]
                    if x > 0:
                        add(g, "%d times %d min, %d min between, level %d" % (n, x, gap, lv), [person("A", own_key(2, lv))], [meet("A", sc)])
    for m in (29, 30, 31, 44, 45, 46, 60, 89, 90, 91, 95, 120):
        for typ in (30, 45, 55, 61):
            add(g, "daily, %d min at typical %d dB" % (m, typ), [person("A", daily_key(2))],
                [meet("A", steps(-2 * DAY + 9 * H, m, typ, typ - 4))], authority="foreign", mapping="B", models="daily")


# ------------------------------------------------------------------ 6. several windows, persons, keys (C §7.1 day sum)

def group_several():
    g = "several"
    d = -2 * DAY
    for k in (2, 3, 4, 6):                                       # k meetings on a day
        for lv in (3, 5, 8):
            m = -(-enough(lv, F(1)) // k)
            for x in (m, m - 1):
                if x > 0:
                    add(g, "%d meetings of %d min, level %d" % (k, x, lv), [person("A", own_key(2, lv))],
                        [meet("A", steps(d + (8 + 2 * j) * H, x, 67, 65)) for j in range(k)])
                    add(g, "%d persons, %d min each, level %d" % (k, x, lv), [person(n, own_key(2, lv)) for n in "ABCDEF"[:k]],
                        [meet(n, steps(d + (8 + 2 * j) * H, x, 67, 65)) for j, n in enumerate("ABCDEF"[:k])])
                    add(g, "%d days with %d min each, level %d" % (k, x, lv), [person("A", *[own_key(2 + j, lv) for j in range(k)])],
                        [meet("A", steps(d - j * DAY + 8 * H, x, 67, 65)) for j in range(k)])
    lvs = (2, 3, 5, 8)
    for a in lvs:                                                # two persons of different levels, at the same time
        for b in lvs:
            for m in (3, 4, 5, 6, 8, 9):
                add(g, "A level %d and B level %d together, %d min" % (a, b, m), [person("A", own_key(2, a)), person("B", own_key(2, b))],
                    [meet("A", steps(d + 9 * H, m, 67, 65)), meet("B", steps(d + 9 * H, m, 67, 65))])
    for who in ("A only heard", "B never met"):
        for m in (9, 8):
            add(g, "%s, %d min" % (who, m), [person("A", own_key(2, 5)), person("B", own_key(2, 8))],
                [meet("A", steps(d + 9 * H, m, 67, 65))])
    # two keys of one person on one day. CWA takes starts at midnight only (C §5), so her second key starts there too
    for before in (0, 4, 5, 8, 9):
        for after in (0, 4, 5, 8, 9):
            if before + after:
                sc = steps(d + 12 * H - before * MIN - 60, before, 67, 65) + steps(d + 12 * H, after, 67, 65)
                for lv in ((5, 5), (8, 2), (2, 8)):
                    add(g, "two keys, own, %d min before and %d min after noon, levels %d %d" % ((before, after) + lv),
                        [person("A", own_key(2, lv[0], period=72), own_key(2, lv[1]))], [meet("A", sc)])
                add(g, "two keys, foreign, %d min before and %d min after noon" % (before, after),
                    [person("A", tek(2, 2, 1, 5, period=72), tek(2, 2, 1, 5, start=72, period=72))], [meet("A", sc)], authority="foreign")
                add(g, "only the morning key published, %d min before and %d min after noon" % (before, after),
                    [person("A", own_key(2, 5, period=72))], [meet("A", sc)])
                add(g, "unaligned second key, own, %d min before and %d min after noon" % (before, after),
                    [person("A", own_key(2, 5, period=72), own_key(2, 5, start=72, period=72))], [meet("A", sc)])
    for m in (2, 3, 4):                                          # three keys with the same start
        add(g, "three keys on a day, %d min each" % m, [person("A", own_key(2, 5, period=48), own_key(2, 5, period=96), own_key(2, 5))],
            [meet("A", steps(d + 7 * H, m, 67, 65) + steps(d + 12 * H, m, 67, 65) + steps(d + 20 * H, m, 67, 65))])


# ------------------------------------------------------------------ 7. rolling period (G §5 "only the first rolling_period")

def group_period():
    g = "period"
    for period in (1, 2, 6, 43, 71, 72, 100, 143, 144):
        for i in sorted({0, period - 2, period - 1, period, period + 1, 143}):
            if 0 <= i < 144:
                t = -3 * DAY + i * 600
                for lv in (5, 8):
                    add(g, "period %d, interval %d, level %d" % (period, i, lv), [person("A", own_key(3, lv, period=period))],
                        [meet("A", [[t, 67, 65, 300], [t + 240, 67, 65, 240]], stuck=(0, -3 * 144 + i))])
        t = -3 * DAY + period * 600
        if period >= 2 and period < 144:
            for m in (10, 9, 8):
                add(g, "period %d, %d min up to its end and %d beyond" % (period, m, 10), [person("A", own_key(3, 5, period=period))],
                    [meet("A", steps(t - m * MIN - 60, m, 67, 65), stuck=(0, -3 * 144 + period - 1)),
                     meet("A", steps(t, 10, 67, 65), stuck=(0, -3 * 144 + period))])
    for start, period in ((30, 60), (72, 72), (100, 44), (143, 1), (1, 143), (100, 144)):
        for i in sorted({start - 1, start, start + period - 1, start + period}):
            t = -3 * DAY + i * 600
            add(g, "foreign key from %d for %d, interval %d" % (start, period, i), [person("A", tek(3, 2, 1, 5, start=start, period=period))],
                [meet("A", [[t, 67, 65, 300], [t + 240, 67, 65, 240]], stuck=(0, -3 * 144 + i))], authority="foreign")


# ------------------------------------------------------------------ 8. attenuations at every border (C §7.1, G §7, C §7.3)

def group_attenuation():
    g = "attenuation"
    weight = lambda a: F(8, 10) if a < 63 else F(1) if a < 73 else F(1, 10) if a < 79 else F(0)
    for mn in (0, 1, 30, 54, 55, 61, 62, 63, 64, 71, 72, 73, 74, 77, 78, 79, 80, 120):
        for above in (0, 1, 6, 20):
            for lv in (3, 5, 7, 8):
                wt = weight(mn)
                ms = [60] if wt == 0 else [enough(lv, wt), enough(lv, wt) - 1]
                if ms[0] > 95 or (above in (1, 20) and lv in (3, 7)):
                    continue
                for m in ms:
                    add(g, "minimum %d typical %d, %d min, level %d" % (mn, mn + above, m, lv), [person("A", own_key(2, lv))],
                        [meet("A", steps(-2 * DAY + 9 * H, m, mn + above, mn))])
    for typ, secs in ((0, 1800), (1, 1800), (29, 1800), (30, 1800), (31, 2700), (49, 2700), (50, 2700), (51, 5400), (59, 5400), (60, 5400), (61, 5400), (80, 5400)):
        for below in (0, 5, 25):
            if typ - below >= 0:
                for s in (secs, secs - 60):
                    add(g, "daily, typical %d minimum %d, %d s" % (typ, typ - below, s), [person("A", daily_key(2))],
                        [meet("A", steps(-2 * DAY + 9 * H, s // 60, typ, typ - below))], authority="foreign", mapping="B", models="daily")
    # one scan of each kind
    for mins in ((62, 63, 72, 73, 78, 79), (61, 64, 71, 74, 77, 80), (79, 62, 79, 63, 79, 72), (73, 73, 73, 72, 72, 72), (62, 62, 63, 78, 78, 78)):
        for lv in range(3, 9):
            sc = steps(-2 * DAY + 9 * H, 5 * len(mins), 90)
            for s, m in zip(sc, mins):
                s[2] = m
            add(g, "minima %s, level %d" % (" ".join(map(str, mins)), lv), [person("A", own_key(2, lv))], [meet("A", sc)])


# ------------------------------------------------------------------ 9. fields of a submission (R §6.1, C §5)

LEVEL_CONTACT = {3: (15, 65), 4: (15, 55), 5: (10, 65), 6: (10, 55), 7: (9, 62), 8: (60, 73)}     # enough from that level on


def level_contact(level, t0):
    m, a = LEVEL_CONTACT[level]
    return steps(t0, m, a + 2, a)


def group_fields():
    g = "fields"
    d = -2 * DAY

    def put(name, level, onset, **kw):
        k = {"age": 2, "level": level, "onset": onset}
        try:
            real = w.normalise(level, onset, e.FROM_ONSET)[0]
        except (ValueError, KeyError):
            real = None
        if e.refusal(person("A", k)) or real is None:
            real = level if level in LEVEL_CONTACT else 3        # were it accepted all the same
        for lv in sorted({max(3, min(8, real)), min(8, max(3, real + 1))}):
            add(g, "%s, contact that needs level %d" % (name, lv), [person("A", k)], [meet("A", level_contact(lv, d + 9 * H))], **kw)

    for lv in range(0, 10):
        put("level %d without onset" % lv, lv, None)
        for on in (-15, -5, 0, 1, 2, 6, 14, 22, 701, 3000, 3997, 4000):
            put("level %d with onset %d" % (lv, on), lv, on)
        for on in (-17, -16, 4001, 100000):
            put("level %d with onset %d" % (lv, on), lv, on)
    for on in list(range(-17, 45)) + sorted(set(e.FROM_ONSET) - set(range(-17, 45))) + \
            [b + x for b in (194, 205, 294, 306, 393, 404, 492, 504, 690, 703, 988, 1002, 1992, 2000, 2997, 3000, 3992) for x in (-1, 1)
             if (b + x) not in e.FROM_ONSET] + [4001, 4002, 9999, 2147483647]:
        put("no level, onset %d" % on, None, on)
    put("neither level nor onset", None, None)
    # a refused key takes the others with it
    good = own_key(3, 8)
    for name, bad in (("level 9", {"age": 2, "level": 9, "onset": 0}), ("level 0", {"age": 2, "level": 0, "onset": 0}),
                      ("nothing", {"age": 2, "level": None, "onset": None}), ("onset -16", {"age": 2, "level": 8, "onset": -16}),
                      ("onset 4001", {"age": 2, "level": 8, "onset": 4001}), ("period 0", own_key(2, 8, period=0)),
                      ("period 145", own_key(2, 8, period=145)), ("start 1", own_key(2, 8, start=1)), ("level 1", own_key(2, 1)), ("level 8", own_key(2, 8))):
        add(g, "good key beside one with %s" % name, [person("A", good, bad)], [meet("A", steps(-3 * DAY + 9 * H, 10, 67, 65))])
    for n in (13, 14, 15):
        add(g, "%d keys" % n, [person("A", *[own_key(a, 8) for a in range(1, n + 1)])], [meet("A", steps(-3 * DAY + 9 * H, 10, 67, 65))])
    for age in (13, 14, 15, -1):                                 # too old or from the future: dropped singly, not refused
        add(g, "good key beside one of age %d" % age, [person("A", good, own_key(age, 8))], [meet("A", steps(-3 * DAY + 9 * H, 10, 67, 65))])


# ------------------------------------------------------------------ 10. statements of symptoms, several keys (C §5.1)

def group_statements():
    g = "statements"
    for st in w.STATEMENTS + ["onset22", "onset25"]:
        if st == "oneToTwoWeeks":
            continue                                             # README assumption 1: no readable vector
        for age in (1, 2, 4, 7, 9):
            base = st if st not in ("onset22", "onset25") else None
            if base is None:
                dsos = [int(st[5:]) - a for a in range(15)]
                sub = [[w.EXACT_LEVEL.get(x, 1), x] for x in dsos]
            else:
                sub = [w.submitted(st, a) for a in range(15)]
            ks = [{"age": a, "level": sub[a][0], "onset": sub[a][1]} for a in range(1, 15)]
            lv = sub[age][0]
            for c in sorted({max(3, min(8, lv)), min(8, max(3, lv + 1))}):
                add(g, "%s, key of age %d, contact that needs level %d" % (st, age, c), [person("A", *ks, statement=st)],
                    [meet("A", level_contact(c, -age * DAY + 9 * H))])


# ------------------------------------------------------------------ 11. limits of each model

def group_limits():
    g = "limits"
    d = -2 * DAY + 8 * H
    for lv in range(3, 9):
        for wt, a in ((F(8, 10), 50), (F(1), 70), (F(1, 10), 75)):
            m = enough(lv, wt)
            if m > 95:
                continue
            for x in (m + 1, m, m - 1):
                if x:
                    add(g, "second, level %d, %d min at %d dB" % (lv, x, a), [person("A", own_key(2, lv))], [meet("A", steps(d, x, a + 3, a))])
    # mixtures whose exact sum is 9, or just below (whole minutes, hundredths)
    mix = []
    wts = {55: F(8, 10), 70: F(1), 75: F(1, 10)}
    for l1, l2 in ((3, 4), (3, 7), (4, 7), (5, 6), (6, 7), (4, 8), (7, 8), (3, 6)):
        for a1, a2 in ((55, 70), (70, 55), (70, 70), (55, 55), (75, 70), (75, 55)):
            for m1 in range(1, 25):
                for m2 in range(1, 16):
                    s = VALUE[l1] * wts[a1] * m1 + VALUE[l2] * wts[a2] * m2
                    if s == 9 or F(894, 100) <= s < F(904, 100):
                        mix.append((s, l1, l2, a1, a2, m1, m2))
    exact = [x for x in mix if x[0] == 9][:40]
    below = [x for x in mix if F(895, 100) <= x[0] < 9][:24] + [x for x in mix if x[0] < F(895, 100)][:16]
    above = [x for x in mix if x[0] > 9][:20]
    for s, l1, l2, a1, a2, m1, m2 in exact + below + above:
        add(g, "second, sum %s: level %d %d min at %d dB, level %d %d min at %d dB" % (e_num(s), l1, m1, a1, l2, m2, a2),
            [person("A", own_key(2, l1)), person("B", own_key(2, l2))], [meet("A", steps(d, m1, a1 + 2, a1)), meet("B", steps(d + 6 * H, m2, a2 + 2, a2))])
    # first model: keys whose onset the second cannot read (foreign, mapping A, raw onsets)
    for lv in range(0, 9):
        for a in (30, 45, 54, 55, 60, 62, 63, 64, 72, 73, 74):
            for n in ((2, 3, 4, 5, 6) if a in (45, 60) else (4, 6)):
                add(g, "first, level %d, %d scans at %d dB" % (lv, n, a), [person("A", tek(2, 1, 0, lv))],
                    [meet("A", [[d + k * 300, a, a, 300] for k in range(n)])], authority="foreign", models="secondFirst")
    for n1, n2 in ((2, 2), (3, 3), (2, 4), (4, 4)):               # two persons: the minutes add up
        for l1, l2 in ((8, 8), (5, 5), (8, 3), (3, 3), (4, 6)):
            add(g, "first, levels %d %d, %d and %d scans at 50 dB" % (l1, l2, n1, n2), [person("A", tek(2, 1, 0, l1)), person("B", tek(2, 1, -1, l2))],
                [meet("A", [[d + k * 300, 50, 50, 300] for k in range(n1)]), meet("B", [[d + 3 * H + k * 300, 50, 50, 300] for k in range(n2)])],
                authority="foreign", models="secondFirst")
    # the same keys where the first model is missing: unknown; and keys the second reads
    for lv in (3, 5, 8):
        for n in (2, 6):
            add(g, "only second, unread onset, level %d, %d scans" % (lv, n), [person("A", tek(2, 1, 0, lv))],
                [meet("A", [[d + k * 300, 45, 45, 300] for k in range(n)])], authority="foreign")
            add(g, "second then first, read onset, level %d, %d scans" % (lv, n), [person("A", tek(2, 2, 1, lv))],
                [meet("A", [[d + k * 300, 45, 45, 300] for k in range(n)])], authority="foreign", models="secondFirst")
    # daily summaries: report types, onset borders of mapping B, sums over persons
    for rt in range(6):
        for on in (None, -15, -14, -6, -5, -3, -2, 0, 2, 3, 9, 10, 14, 15):
            for m in (45, 44):
                if m == 45 or on in (0, -5, None):
                    add(g, "daily, report type %d, onset %s, %d min" % (rt, on, m), [person("A", tek(2, rt, on, 0))],
                        [meet("A", steps(d, m, 45, 40))], authority="foreign", mapping="B", models="daily")
    for a, b in ((45, 0), (30, 15), (29, 15), (44, 1), (44, 0), (22, 23), (22, 22)):
        add(g, "daily, A %d min and B %d min" % (a, b), [person("A", tek(2, 1, 0, 0)), person("B", tek(2, 2, -3, 0))],
            [meet("A", steps(d, a, 45, 40)), meet("B", steps(d + 5 * H, b, 45, 40))], authority="foreign", mapping="B", models="daily")
    for s30, s50, s60 in ((10, 20, 20), (10, 20, 19), (20, 10, 10), (20, 10, 9), (1, 43, 1), (0, 40, 10), (0, 40, 9), (30, 0, 0), (29, 1, 1), (29, 1, 0)):
        sc, t = [], d
        for m, typ in ((s30, 30), (s50, 50), (s60, 60)):
            sc += steps(t, m, typ, typ - 3)
            t += m * MIN
        add(g, "daily, %d min at 30, %d at 50, %d at 60 dB" % (s30, s50, s60), [person("A", daily_key(2))], [meet("A", sc)],
            authority="foreign", mapping="B", models="daily")
    # encoded keys as a foreign tree publishes them: every (report type, onset) pair of C §7.2
    for level in range(1, 9):
        on, rt = w.encode(level)
        for c in sorted({max(3, level), min(8, max(3, level + 1))}):
            add(g, "encoded level %d, contact that needs level %d" % (level, c), [person("A", tek(2, rt, on, level))],
                [meet("A", level_contact(c, d))], authority="foreign")
            add(g, "encoded level %d with another level field, contact that needs level %d" % (level, c),
                [person("A", tek(2, rt, on, 9 - level))], [meet("A", level_contact(c, d))], authority="foreign")


def e_num(x):
    return "%.3f" % float(x)


# ------------------------------------------------------------------ 12. age (C §7.1, R §8, N B.1.6) and time of publication (C §2.4, R §6.5)

def group_age():
    g = "age"
    for age in range(1, 14):
        for m in (9, 8):
            add(g, "own, contact %d days before, %d min" % (age, m), [person("A", own_key(age, 5))],
                [meet("A", steps(-age * DAY + 9 * H, m, 67, 65))], checks=[EVENING, EVENING + DAY, EVENING + 2 * DAY, EVENING + 3 * DAY])
    for age in range(1, 14):
        add(g, "daily, contact %d days before" % age, [person("A", daily_key(age))], [meet("A", steps(-age * DAY + 9 * H, 45, 45, 40))],
            authority="foreign", mapping="B", models="daily")
        add(g, "second, mapping B, contact %d days before" % age, [person("A", daily_key(age))], [meet("A", steps(-age * DAY + 9 * H, 45, 45, 40))],
            authority="foreign", mapping="B")
    for first in (0, 1, 9, 10):                                  # first download late: out of the packages after 10 x 24 h
        for m in (9, 8):
            add(g, "contact on the day itself, first download on day %d, %d min" % (first, m), [person("A", own_key(0, 5, period=60))],
                [meet("A", steps(8 * H, m, 67, 65))], checks=[EVENING + x * DAY for x in sorted({first, 10}) if x >= first])


def group_publication():
    g = "publication"
    for period, name in ((36, "06:00"), (60, "10:00"), (66, "11:00"), (71, "11:50"), (72, "12:00"), (78, "13:00"), (108, "18:00"), (144, "24:00")):
        for at, n in ((13 * H - 60, "12:59"), (15 * H + 1800, "15:30"), (17 * H + 1800, "17:30"), (EVENING, "22:00"), (DAY + 4 * H, "04:00 next day")):
            pub = max(12 * H, -(-(period * 600 + 7200) // H) * H)
            if pub <= at < pub + 5400:
                continue
            for m in (9, 8):
                add(g, "today's key ends %s, check at %s, %d min" % (name, n, m), [person("A", own_key(0, 5, period=period))],
                    [meet("A", steps(5 * H, m, 67, 65))], checks=[at])
    for sub in (6, 12, 18):                                      # submission at another hour
        for at in (sub * H - 1800, sub * H + 2 * H, DAY):
            add(g, "submitted %d:00, check %d min" % (sub, at // 60), [person("A", own_key(1, 5), submit=sub * H)],
                [meet("A", steps(-DAY + 9 * H, 9, 67, 65))], checks=[at])


# ------------------------------------------------------------------ 13. NHS (N B.3, B.1)

def group_nhs1():
    g = "nhs1"
    d = -4 * DAY + 9 * H
    for lv in range(0, 8):
        for a in (40, 54, 55, 62, 63):
            for n in (1, 2, 3, 4, 5, 6):
                if a in (40, 62) or n in (3, 6):
                    add(g, "level %d, %d scans at %d dB" % (lv, n, a), [person("A", tek(4, 0, 0, lv))],
                        [meet("A", [[d + k * 300, a, a, 300] for k in range(n)])], authority="foreign", mapping="N", models="nhs1")
    for n1, n2 in ((2, 2), (2, 1), (3, 1), (3, 3)):               # each exposure by itself: two short ones are not one long one
        add(g, "A %d and B %d scans" % (n1, n2), [person("A", tek(4, 0, 0, 7)), person("B", tek(4, 0, 0, 7))],
            [meet("A", [[d + k * 300, 40, 40, 300] for k in range(n1)]), meet("B", [[d + 5 * H + k * 300, 40, 40, 300] for k in range(n2)])],
            authority="foreign", mapping="N", models="nhs1")
        add(g, "%d and %d scans of one person, hours apart" % (n1, n2), [person("A", tek(4, 0, 0, 7))],
            [meet("A", [[d + k * 300, 40, 40, 300] for k in range(n1)]), meet("A", [[d + 5 * H + k * 300, 40, 40, 300] for k in range(n2)])],
            authority="foreign", mapping="N", models="nhs1")
    for on in (None, -14, -6, 0, 10):                             # v1 goes by the level, not by the onset
        add(g, "level 7, onset %s, 3 scans" % on, [person("A", tek(4, 0, on, 7))],
            [meet("A", [[d + k * 300, 40, 40, 300] for k in range(3)])], authority="foreign", mapping="N", models="nhs1")


def group_nhs2():
    g = "nhs2"
    d = -4 * DAY + 9 * H

    def risk(n, step, a, inf):
        return e.nhs2_risk([(a, a, min(300, step))] * n, inf)

    for inf, onsets in ((2, (0, -2, 3, None)), (1, (-5, -3, 4, 9))):
        for n in (2, 3, 4, 5, 6):
            for step in (300, 240):
                lo, hi = 20, 100                                  # the last attenuation that is risky
                if risk(n, step, lo, inf) < 100:
                    cand = [lo]
                else:
                    while hi - lo > 1:
                        mid = (lo + hi) // 2
                        lo, hi = (mid, hi) if risk(n, step, mid, inf) >= 100 else (lo, mid)
                    cand = [lo, hi]
                for a in cand:
                    for on in onsets[:2] if n in (2, 3) else onsets:
                        add(g, "onset %s, %d scans of %d s at %d dB" % (on, n, step, a), [person("A", tek(4, 0, on, 7))],
                            [meet("A", [[d + k * step, a + 6, a, step] for k in range(n)])], authority="foreign", mapping="N", models="nhs2")
    for on in (-14, -7, -6, -5, -3, -2, 3, 4, 9, 10, 14, 15, None):
        for lv in (0, 7):                                         # v2 goes by the onset, not by the level
            add(g, "onset %s, level %d, 6 scans at 50 dB" % (on, lv), [person("A", tek(4, 0, on, lv))],
                [meet("A", [[d + k * 300, 55, 50, 300] for k in range(6)])], authority="foreign", mapping="N", models="nhs2")
    for n in (6, 7, 9, 12):                                       # windows of 30 min each by itself
        for a in (50, 60, 66, 68, 70, 72, 74):
            add(g, "%d scans at %d dB, windows by themselves" % (n, a), [person("A", tek(4, 0, 0, 7))],
                [meet("A", [[d + k * 300, a, a, 300] for k in range(n)])], authority="foreign", mapping="N", models="nhs2")
    for age in (1, 5, 10, 11, 12, 13):
        add(g, "contact %d days before" % age, [person("A", tek(age, 0, 0, 7))],
            [meet("A", [[-age * DAY + 9 * H + k * 300, 50, 50, 300] for k in range(6)])], authority="foreign", mapping="N", models="nhs2")
    # windows straight from vectors/nhs/v2_window_risk (Android rule; the scans with 0 seconds are left out: they never
    # count there, while a scene's 0 means "unknown")
    with open(os.path.join(V, "nhs/v2_window_risk.json")) as f:
        cases = json.load(f)["cases"]
    for c in cases:
        for n, win in enumerate(c["windows"]):
            sc, t = [], d
            for s in win["scanInstances"]:
                if s["secondsSinceLastScan"]:
                    sc.append([t, s["typicalAttenuation"], s["minAttenuation"], s["secondsSinceLastScan"]])
            for a, b in zip(sc, sc[1:]):                          # each scan follows the one before
                b[0] = a[0] + b[3]
            if not sc or sc[-1][0] - d >= 1800:                   # one window only
                continue
            on = {"NONE": -10, "STANDARD": 5, "HIGH": 1}[win["infectiousness"]]
            add(g, "vectors/nhs/v2_window_risk %s window %d" % (c["id"], n), [person("A", tek(4, 0, on, 7))], [meet("A", sc)],
                authority="foreign", mapping="N", models="nhs2")


# ------------------------------------------------------------------ 14. roles, restarts, time off, outdated results, order

def samples():
    """A few stories of every kind, to be repeated under other circumstances."""
    by = {}
    for s in scenes:
        if s["group"] in ("midnight", "clock", "several", "attenuation", "replay", "limits", "nhs1", "nhs2") and len(s["checks"]) == 1:
            told = e.play(s)[0][0]
            by.setdefault((s["group"], told), []).append(s)
    out = []
    for k in sorted(by):
        some = by[k]
        n = 10 if k[1] != "unknown" else 2
        out += [some[i * len(some) // n] for i in range(min(n, len(some)))]
    return out


def copy_of(s, group, suffix, **kw):
    c = json.loads(json.dumps({k: v for k, v in s.items() if k != "name"}))
    c.update(kw, group=group)
    c["name"] = "%s: %s [%s]" % (group, s["name"], suffix)
    assert c["name"] not in names
    names.add(c["name"])
    scenes.append(c)


RESTARTS = ["afterRules", "afterHearing", "afterSubmission", "afterDownload", "beforeAsking"]


def group_circumstances():
    some = samples()
    for s in some:
        if e.play(s)[0][0] != "unknown":
            copy_of(s, "role", "place", role="place")
    for i, s in enumerate(some[::2]):
        sets = [[RESTARTS[i % 5]], RESTARTS]
        for r in sets[: 2 if i % 3 == 0 else 1]:
            copy_of(s, "restart", "+".join(r), restarts=r)
    g = "off"
    d = -2 * DAY + 9 * H
    for m in (6, 10, 12, 15, 20):                                # off in the middle; the first scan afterwards knows no scan before
        for frm, to in ((0, 0), (5, 10), (0, 5), (2, 8), (5, 15)):
            for lv in (4, 6):
                sc = [s for s in steps(d, m, 67, 65, step=60) if not frm * MIN < s[0] - d <= to * MIN]
                for s in sc:
                    if to and s[0] - d == (to + 1) * MIN:
                        s[3] = None
                if sc:
                    add(g, "off from minute %d to %d of %d, level %d" % (frm, to, m, lv), [person("A", own_key(2, lv))], [meet("A", sc)],
                        off=[[d + frm * MIN, d + to * MIN]] if to else [])
    g = "outdated"                                               # C §7.1 "A result older than 2 days is shown as unknown/outdated"
    for m in (9, 8):
        for hours in (1, 24, 47, 49, 72):
            add(g, "%d min, asked %d h after the last download" % (m, hours), [person("A", own_key(2, 5))], [meet("A", steps(d, m, 67, 65))],
                checks=[EVENING, {"at": EVENING + hours * H, "network": False}])
            add(g, "%d min, asked %d h after the last download, then on line again" % (m, hours), [person("A", own_key(2, 5))],
                [meet("A", steps(d, m, 67, 65))], checks=[EVENING, {"at": EVENING + hours * H, "network": False}, {"at": EVENING + (hours + 2) * H}])
    g = "order"
    for m in (9, 8):
        for early, n in ((-10 * DAY, "rules long before"), (14 * H, "rules after the submission"), (16 * H, "rules after the first download"),
                         (23 * H, "rules after the check")):
            add(g, "%s, %d min" % (n, m), [person("A", own_key(2, 5))], [meet("A", steps(d, m, 67, 65))],
                events=[[early, "rules"], [15 * H, "download"]], checks=[EVENING, EVENING + 3 * H])
    for m in (5, 6):                                             # 5 x 1.6 = 8.0; counted twice it would be 16
        for n, ev in (("once", [[15 * H, "download"]]), ("same package twice", [[15 * H, "download"], [16 * H, "download again"]]),
                      ("same package three times and a restart", [[15 * H, "download"], [16 * H, "download again"], [17 * H, "restart"], [18 * H, "download again"]])):
            add(g, "%s, %d min" % (n, m), [person("A", own_key(2, 8))], [meet("A", steps(d, m, 67, 65))], events=[[-H, "rules"]] + ev)
        k = tek(2, 1, 2, 8)
        add(g, "key in two packages, %d min" % m, [person("A", dict(k, packages=2))], [meet("A", steps(d, m, 67, 65))], authority="foreign")
        add(g, "checked before the publication too, %d min" % m, [person("A", own_key(0, 8, period=60), own_key(2, 8))],
            [meet("A", steps(d, m, 67, 65))], events=[[-H, "rules"], [15 * H, "download"]], checks=[11 * H, EVENING])
    for x in range(2, 7):
        for y in range(2, 7):
            for same in (True, False):                           # A submits today, B two days later
                add(g, "A %d min, B %d min, %s day, B submits two days later" % (x, y, "same" if same else "other"),
                    [person("A", own_key(2, 8)), person("B", own_key(2 if same else 1, 8), submit=2 * DAY + 12 * H)],
                    [meet("A", steps(d, x, 67, 65)), meet("B", steps(d + 6 * H + (0 if same else DAY), y, 67, 65))],
                    checks=[EVENING, EVENING + 2 * DAY])


# ------------------------------------------------------------------ output

def num(x):
    if x is None:
        return None
    y = round(float(x), 3)
    return int(y) if y == int(y) else y


def answers(s, p=e.RULES):
    out = []
    for c, (told, days) in zip(s["checks"], e.play(s, p)):
        pts = max(days.values()) if days else None
        d = [[None if k is None else c["at"] // DAY - k, num(v)] for k, v in sorted(days.items(), key=lambda x: (x[0] is None, x[0] or 0), reverse=True)]
        out.append((told, num(pts), d))
    return out


def finish(s):
    main = answers(s)
    for c, (told, pts, days) in zip(s["checks"], main):
        c["told"], c["points"] = told, pts
        if len(days) > 1 or s.get("role") != "place":
            c["days"] = days
    alt = {}
    for name, change in READINGS.items():
        if name in ("level0CountsOne", "restReadableByLaterModelIsLow", "restJudgedByLaterModel") and s["models"] != "secondFirst":
            continue
        if name == "strictNone" and s["authority"] == "own":
            continue
        t = [a[0] for a in answers(s, dict(e.RULES, **change))]
        if t != [m[0] for m in main]:
            alt[name] = t
    if alt:
        s["alt"] = alt
    # what the sender's clock implies, and what the authority publishes
    persons = {x["name"]: x for x in s["persons"]}
    for m in s["meetings"]:
        run = []
        for sc in m["scans"]:
            n, i = m["stuck"] if "stuck" in m else e.implied(persons[m["person"]], sc[0], m.get("offset", 0))
            if run and run[-1][:2] == [n, i]:
                run[-1][2] += 1
            else:
                run.append([n, i, 1])
        m["sent"] = run
    if s["authority"] == "own":
        for p in s["persons"]:
            r = e.refusal(p)
            if r:
                p["refused"] = r
            else:
                for k in p["keys"]:
                    x = e.publish_key(s, p, k)
                    k["published"] = x
    return s


def build():
    scenes.clear()
    names.clear()
    for f in (group_midnight, group_clock, group_replay, group_seconds, group_windows, group_several, group_period, group_attenuation,
              group_fields, group_statements, group_limits, group_age, group_publication, group_nhs1, group_nhs2, group_circumstances):
        f()
    return {
        "format": "scenes-oracle-1",
        "source": "written by scenes_oracle.py from spec/ and vectors/ only; the project's code was not read",
        "defaults": {"role": "person", "restarts": [], "offset": 0, "start": 0, "period": 144, "submit": 43200, "network": True,
                     "rulesKnown": "from the start unless events name them", "download": "at every check with network"},
        "mappings": {n: {"days": m["days"], "whenMissing": m["whenMissing"], "reportTypeWhenMissing": m["reportTypeWhenMissing"]}
                     for n, m in e.MAPPINGS.items()},
        "models": e.MODELS,
        "parameters": {"cwaSecond": w.CWA_SECOND, "cwaFirst": w.FIRST, "dailySummaries": w.DAILY,
                       "nhs1": {"weights": [1.0, 0.5, 0.0], "thresholds": [55, 63], "riskThreshold": e.NHS1_THRESHOLD},
                       "nhs2": {"riskScore": e.NHS_SCORE, "infectiousnessWeights": [0.0, 0.4, 1.0], "riskThreshold": e.NHS2_THRESHOLD,
                                "contactCaseDays": e.NHS_RECENT_DAYS}},
        "readings": list(READINGS),
        "scenes": [finish(s) for s in scenes],
    }


def dump(doc):
    c = lambda x: json.dumps(x, separators=(",", ":"))
    return "{\n" + ",\n".join(c(k) + ":" + ("[\n" + ",\n".join(c(r) for r in v) + "\n]" if k == "scenes" else c(v)) for k, v in doc.items()) + "\n}\n"


def summary(doc):
    out = {}
    for s in doc["scenes"]:
        g = out.setdefault(s["group"], {"scenes": 0, "alt": 0})
        g["scenes"] += 1
        g["alt"] += "alt" in s
        for c in s["checks"]:
            g[c["told"]] = g.get(c["told"], 0) + 1
    return out


if __name__ == "__main__":
    doc = build()
    text = dump(doc)
    with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "scenes.json"), "w") as f:
        f.write(text)
    print(len(text), "bytes;", len(doc["scenes"]), "scenes")
    for g, n in summary(doc).items():
        print(g, n)
