# SPDX-License-Identifier: Apache-2.0
"""Engine of the scenes oracle: heard scans -> sightings -> windows -> sums -> the word told.

Written from the sheets and vectors only. G = gaen-core.md, C = cwa-protocols.md, R = rules-and-nhs.md,
N = checkin-and-nhs.md part B, E = ens.md, V = vectors/. Statement tables, encoding, CWA and Google parameters
come from warnings_oracle.py of this folder.

Times are seconds relative to 00:00 UTC of the submission day D; intervals are 10-minute numbers relative to it.
"""
import math
from fractions import Fraction as F

import warnings_oracle as w

DAY = 86400

# Every number of a rule stands here, so that check_scenes.py can change one (a "mutant") and count which scenes notice.
RULES = {
    "tolerance": 12,            # G §5 "+-2 h = 12 intervals: valid iff i-12 <= floor(t/600) < i+12+1"
    "replay": 1200,             # G §5 "more than 20 min after its first valid one are replays, dropped"
    "replayFromFirstHeard": False,
    "window": 1800,             # G §6 "a new window when t - window start >= 30 min"
    "capMinutes": 5,            # G §6 "secondsSinceLastScan = 60*min(5, floor(t/60)-floor(prev/60))"
    "unknownSeconds": 120,      # G §6 "120 if unknown"
    "wholeMinutes": True,
    "zeroIsUnknown": True,      # G §3 "time of the previous scan's stop (0 unknown)"
    "dateOf": "first",          # V gaen/README "date = UTC day of the first sighting"
    "periodCounts": True,       # G §5 "the exact pass only the first rolling_period"
    "attenuation2": "min",      # C §7.1 "use each scan's minimum attenuation"
    "attenuationDaily": "typical",   # G §7 "bucket: typical <= t0, <= t1, <= t2, else"
    "atLimit": True,            # >= (C §7.1 ranges inclusive; R §8 ">="; N B.1.6 ">=")
    "sumDays": False,
    "perPerson": False,
    "offsetSign": 1,
    "minLevel": 3,
    "maxAge": 10,               # C §7.1 maxEncounterAgeInDays
    "ageToTheSecond": False,
    "round01": False,
    "strictNone": False, "level0CountsOne": False, "restLow": False, "restLater": False,
    "bySeconds": False,         # v1 minutes as the sum of scan seconds instead of G §8
    "iosIsolation": False,      # N B.1.6: iOS day > today - 11, Android date >= today - 11
    "acceptUnaligned": False,
    "level0IsAbsent": False,
    "outdatedKeeps": False,
    "nhsMissingUnread": False,
    "twicePublished": 1,
}


# ------------------------------------------------------------------ sightings and windows (G §5, §6)

def counted(t, since, p):
    """Seconds a scan counts. since = seconds back to the end of the previous scan, None/0 = unknown."""
    if since is None or (since == 0 and p["zeroIsUnknown"]):
        return p["unknownSeconds"]
    if not p["wholeMinutes"]:
        return min(60 * p["capMinutes"], since)
    return 60 * min(p["capMinutes"], t // 60 - (t - since) // 60)


def key_start(key):
    return -key["age"] * 144 + key.get("start", 0)


def implied(person, t, offset):
    """(index of key or None, interval) that the sender sends at the receiver's second t: the first key of
    the list that holds the interval of the sender's clock (G §2 "keep TEK if ENIN < start+period, else new TEK")."""
    i = (t + offset) // 600
    for n, k in enumerate(person["keys"]):
        s = key_start(k)
        if s <= i < s + k.get("period", 144):
            return n, i
    return None, i


def heard(scene, p=RULES):
    """{(person, key index): [(t, typical, min, since, interval)...]} in time order."""
    out = {}
    persons = {x["name"]: x for x in scene["persons"]}
    for m in scene["meetings"]:
        for t, typ, mn, since in m["scans"]:
            if "stuck" in m:
                n, i = m["stuck"]
            else:
                n, i = implied(persons[m["person"]], t, p["offsetSign"] * m.get("offset", 0))
            if n is not None:
                out.setdefault((m["person"], n), []).append((t, typ, mn, since, i))
    for v in out.values():
        v.sort()
    return out


def valid_sightings(key, sightings, p=RULES):
    s, out, first = key_start(key), [], {}
    period = key.get("period", 144) if p["periodCounts"] else 144
    for x in sightings:
        t, i = x[0], x[4]
        if p["replayFromFirstHeard"]:
            first.setdefault(i, t)
        if not s <= i < s + period or not i - p["tolerance"] <= t // 600 <= i + p["tolerance"]:
            continue
        if t - first.setdefault(i, t) > p["replay"]:
            continue
        out.append(x)
    return out


def windows_of(sightings, p=RULES):
    """[(day, [(typical, min, seconds)...])]; day 0 = D."""
    out, start = [], None
    for t, typ, mn, since, _i in sightings:
        if start is None or t - start >= p["window"] or (p["dateOf"] == "each" and t // DAY != out[-1][0]):
            start = t
            out.append([t // DAY, []])
        out[-1][1].append((typ, mn, counted(t, since, p)))
        if p["dateOf"] == "last":
            out[-1][0] = t // DAY
    return [(d, s) for d, s in out]


def exposures_of(sightings, p=RULES):
    """v1 (G §8): [(day, duration minutes, weighted attenuation, [seconds below, between, above 55/63])].
    "gap > 10 min splits; duration = span + 5 min rounded to nearest 5 min (remainder <= 150 s rounds down);
    value of a scan lasts until the next, 150 s margins"."""
    groups = []
    for x in sightings:
        if groups and x[0] - groups[-1][-1][0] <= 600:
            groups[-1].append(x)
        else:
            groups.append([x])
    out = []
    for g in groups:
        ts = [x[0] for x in g]
        lasts = [(ts[n + 1] if n + 1 < len(g) else ts[-1] + 150) - (ts[n] if n else ts[0] - 150) for n in range(len(g))]
        if p["bySeconds"]:
            lasts = [counted(x[0], x[3], p) for x in g]
        total = sum(lasts)
        att = F(sum(x[2] * s for x, s in zip(g, lasts)), total) if total else F(g[0][2])
        sec = [0, 0, 0]
        for x, s in zip(g, lasts):
            sec[0 if x[2] < 55 else 1 if x[2] < 63 else 2] += s
        out.append((ts[0] // DAY, round5(total if p["bySeconds"] else ts[-1] - ts[0] + 300) // 60, att, sec))
    return out


def round5(seconds):
    return (seconds // 300 + (1 if seconds % 300 > 150 else 0)) * 300


# ------------------------------------------------------------------ NHS (N B.1..B.3)

NHS_MAP = {n: 0 if n <= -6 or n >= 10 else 2 if -2 <= n <= 3 else 1 for n in range(-14, 15)}     # N B.2
NHS_WEIGHTS = {0: 0.0, 1: 0.4, 2: 1.0}
NHS1_THRESHOLD = 900            # vectors/rules/documents/nhs/exposure-configuration_2020-09-24
NHS2_THRESHOLD = 100            # R "Corrections: the last published v2 threshold is 100"
NHS_RECENT_DAYS = 11            # N B.1.6; R §5 contactCase 11
NHS_SCORE = {"sampleResolution": 1.0, "expectedDistance": 0.1, "minimumDistance": 1.0,
             "rssiParameters": {"weightCoefficient": 0.1270547531082051, "intercept": 4.2309333657856945,
                                "covariance": 0.4947614361027773},
             "initialData": {"mean": 2.0, "covariance": 10.0},
             "smootherParameters": {"alpha": 1.0, "beta": 0.0, "kappa": 0.0}}


def nhs1_score(seconds, level, weights=(1.0, 0.5, 0.0)):
    """N B.3 score = sum duration_s x bucketWeight x exp(-1/2 ((7-level)/2.75)^2)."""
    return sum(s * x for s, x in zip(seconds, weights)) * math.exp(-0.5 * ((7 - level) / 2.75) ** 2)


def gamma_p(a, x, lg):
    """regularised lower incomplete gamma and its density."""
    if x <= 0:
        return 0.0, 0.0
    e = math.exp(a * math.log(x) - x - lg)
    if x < a + 1:
        term = total = 1.0 / a
        n = a
        while True:
            n += 1
            term *= x / n
            total += term
            if term < total * 1e-17:
                break
        return total * e, e / x
    b, c = x + 1 - a, 1e300
    d = 1 / b
    h = d
    for i in range(1, 500):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b or 1e-300)
        c = b + an / c or 1e-300
        de = d * c
        h *= de
        if abs(de - 1) < 1e-16:
            break
    return 1 - e * h, e / x


def gamma_quantile(shape, scale, prob=0.5, start=None):
    """Newton on log x from a start (the neighbour slot's answer) or Wilson-Hilferty."""
    if not (shape > 0 and scale > 0):
        return 0.001            # N B.1.4 "NaN -> 0.001"
    lg = math.lgamma(shape)
    x = start
    if not x:
        if shape >= 0.5 and prob == 0.5:
            x = shape * max(1e-3, 1 - 1 / (9 * shape)) ** 3
        else:
            lx = (math.log(prob) + math.lgamma(shape + 1)) / shape
            if lx < -700:
                return 0.0
            x = math.exp(lx)
    lo, hi = 0.0, math.inf
    for _ in range(200):
        v, d = gamma_p(shape, x, lg)
        if v < prob:
            lo = x
        else:
            hi = x
        step = (v - prob) / (d * x) if d * x > 0 else (2 if v > prob else -2)      # Newton in log x
        new = x * math.exp(-min(2, max(-2, step)))
        if not lo < new < hi:                    # outside the bracket: halve it instead
            new = (lo + hi) / 2 if hi < math.inf else 2 * lo
        if abs(new - x) <= 1e-13 * x:
            x = new
            break
        x = new
    return x * scale


def nhs2_score(scans, cfg=NHS_SCORE):
    """scans [(attenuation, seconds)...] -> score (N B.1 points 1..5; unscented filter and smoother)."""
    res = cfg["sampleResolution"]
    obs, at = [], 0.0
    slots = {}
    for n, (a, s) in enumerate(scans):
        at = 0.0 if n == 0 else at + s
        slots.setdefault(int(at / res), []).append(math.log(a) if a > 0 else None)
    last = max(slots)
    for i in range(last + 1):
        obs += slots.get(i, [None])          # "Two instances in one slot are both kept in order"
    sp = cfg["smootherParameters"]
    lam = sp["alpha"] ** 2 * (3 + sp["kappa"]) - 3
    c = 3 + lam
    wm0, wi = lam / c, 1 / (2 * c)
    wc0 = wm0 + 1 - sp["alpha"] ** 2 + sp["beta"]
    rp = cfg["rssiParameters"]
    W, B, R = rp["weightCoefficient"], rp["intercept"], rp["covariance"]
    q = math.sqrt(c * cfg["expectedDistance"] ** 2)
    r = math.sqrt(c * R)
    log, sqrt = math.log, math.sqrt
    m, P = cfg["initialData"]["mean"], cfg["initialData"]["covariance"]
    ms, Ps = [], []
    first = True
    for z in obs:
        d = sqrt(c * P)
        pts = [m, m + d, m, m, m - d, m, m]
        if not first:
            pts = [m, m + d, abs(m + q), m, abs(m - d), abs(m - q), m]
            pts = [abs(x) for x in pts]
            s = pts[1] + pts[2] + pts[3] + pts[4] + pts[5] + pts[6]
            m = wm0 * pts[0] + wi * s
            P = wc0 * (pts[0] - m) ** 2 + wi * sum((x - m) ** 2 for x in pts[1:])
        first = False
        if z is not None:
            zs = [W * log(abs(x)) + B for x in pts]
            zs[3] += r
            zs[6] -= r
            zm = wm0 * zs[0] + wi * sum(zs[1:])
            zP = wc0 * (zs[0] - zm) ** 2 + wi * sum((x - zm) ** 2 for x in zs[1:])
            C = wc0 * (pts[0] - m) * (zs[0] - zm) + wi * sum((x - m) * (y - zm) for x, y in zip(pts[1:], zs[1:]))
            K = C / zP
            m, P = m + K * (z - zm), P - C * K
        ms.append(m)
        Ps.append(P)
    sm, sP = ms[:], Ps[:]
    for i in range(len(obs) - 2, -1, -1):
        m, P = ms[i], Ps[i]
        d = sqrt(c * P)
        o = (m, m + d, m, m, m - d, m, m)
        g = (abs(m), abs(m + d), abs(m + q), abs(m), abs(m - d), abs(m - q), abs(m))
        pm = wm0 * g[0] + wi * (g[1] + g[2] + g[3] + g[4] + g[5] + g[6])
        pP = wc0 * (g[0] - pm) ** 2
        C = wc0 * (g[0] - pm) * (o[0] - m)
        for j in range(1, 7):
            e = g[j] - pm
            pP += wi * e * e
            C += wi * e * (o[j] - m)
        G = C / pP
        sm[i] = m + G * (sm[i + 1] - pm)
        sP[i] = P + G * G * (sP[i + 1] - pP)
    score, x = 0.0, None
    for m, P in zip(sm, sP):
        shape, scale = m * m / P, P / m
        dist = gamma_quantile(shape, scale, start=x)
        x = dist / scale if scale > 0 and dist > 0 else None
        ratio = cfg["minimumDistance"] ** 2 / (dist * dist) if dist > 1e-150 else 1.0
        score += res / 60 * min(max(ratio, 0.0), 1.0)
    return score


_scores = {}


def nhs2_risk(scans, infectiousness):
    """App level (N B.1.6): drop seconds 0, minimum attenuation, 60 x score x weight. None = no instance left."""
    s = tuple((mn, sec) for _t, mn, sec in scans if sec != 0)
    if not s:
        return None
    if NHS_WEIGHTS[infectiousness] == 0:
        return 0.0
    if s not in _scores:
        _scores[s] = nhs2_score(s)
    return 60 * _scores[s] * NHS_WEIGHTS[infectiousness]


# ------------------------------------------------------------------ mappings

MAP_N = {"days": NHS_MAP, "whenMissing": 2, "reportTypeWhenMissing": 1}       # N B.2 "Missing onset: HIGH"; R §3
MAPPINGS = {"A": w.MAP_A, "B": w.MAP_B, "N": MAP_N}
MODELS = dict(w.MODELS, nhs1=["nhs1"], nhs2=["nhs2"])
UNREAD = w.UNREADABLE


# ------------------------------------------------------------------ the authority

def refusal(person, p=RULES):
    """Why the own (CWA-shaped) authority refuses the whole submission, or None (C §5 "Validation")."""
    if not 1 <= len(person["keys"]) <= 14:
        return "1..14 keys"
    for k in person["keys"]:
        if k.get("start", 0) % 144 and not p["acceptUnaligned"]:
            return "rolling start a multiple of 144"
        if not 1 <= k.get("period", 144) <= 144:
            return "rolling period 1..144"
        lv, on = k["level"], k["onset"]
        if lv == 0 and p["level0IsAbsent"]:
            lv = None
        if lv is None and on is None:
            return "level or onset"
        if lv is not None and not 1 <= lv <= 8:
            return "level 1..8"
        if on is not None and not -15 <= on <= 4000:
            return "onset -15..4000"
    return None


def publish_key(scene, person, key, p=RULES):
    """[report type, onset, level] as published, or None."""
    if scene["authority"] == "foreign":
        return key["tek"]
    if key["age"] > 14 or key_start(key) * 600 > person.get("submit", 43200):
        return None                                  # C §5 older than 14 days dropped, future silently dropped
    sent = None if key["level"] == 0 and p["level0IsAbsent"] else key["level"]
    level, _onset = w.normalise(sent, key["onset"], FROM_ONSET)
    if level < p["minLevel"]:
        return None
    on, rt = w.encode(level)
    return [rt, on, level]


FROM_ONSET = {}                 # the server's map (C §7.2, R §6.1: derivation-maps.yaml), set by scenes_oracle.py


def published_at(scene, person, key):
    s = person.get("submit", 43200)
    if scene["authority"] == "foreign":
        return s
    end = (key_start(key) + key.get("period", 144)) * 600 + 7200      # C §2.4 "120 minutes after its rolling period has ended"
    return max(s, -(-end // 3600) * 3600)                             # "rounded up to the next full hour"


def available(scene, person, key, at):
    pub = published_at(scene, person, key)
    assert at < pub or at >= pub + 5400, (scene["name"], at, pub)     # no scene stands on the hour of the package
    if at < pub:
        return False
    # R §6.5 "submitted <= 10 x 24 h ago (days-to-publish)"
    return scene["authority"] == "foreign" or at - person.get("submit", 43200) <= 10 * DAY


# ------------------------------------------------------------------ judging

def judge_at(scene, at, got, p=RULES):
    """-> (told, {day: points}) from the keys the board has."""
    mapping = MAPPINGS[scene["mapping"]]
    today = at // DAY
    keys = []
    persons = {x["name"]: x for x in scene["persons"]}
    for (name, n), sight in sorted(heard(scene, p).items()):
        key = persons[name]["keys"][n]
        if (name, n) not in got:
            continue
        pub = publish_key(scene, persons[name], key, p)
        if pub is None:
            continue
        rt, onset, level = pub
        rt = rt or mapping["reportTypeWhenMissing"]
        if rt in (4, 5):                            # G §5 "Type 4 skipped, >= 5 gives no exposure"
            continue
        ok = valid_sightings(key, [x for x in sight if x[0] <= at], p)
        if not ok:
            continue
        inf = w.infectiousness(mapping, onset)
        if inf == 0 and p["strictNone"]:
            inf = UNREAD
        if onset is None and scene["mapping"] == "N" and p["nhsMissingUnread"]:
            inf = UNREAD
        keys.append({"who": name, "rt": rt, "inf": inf, "level": level, "windows": windows_of(ok, p),
                     "exposures": exposures_of(ok, p)})
    if p["twicePublished"] == 2:
        keys = keys + [k for k in keys]
    return judge_keys(keys, MODELS[scene["models"]], today, p)


def ge(x, limit, p):
    return x >= limit if p["atLimit"] else x > limit


def judge_keys(keys, models, today, p):
    if not keys:
        return "low", {}

    def reads(model, k):
        if model in ("cwaFirst",):
            return k["level"] != 0 or p["level0CountsOne"]
        if model == "nhs1":
            return True
        return k["inf"] != UNREAD

    for n, model in enumerate(models):
        mine = [k for k in keys if reads(model, k)]
        if not mine:
            continue
        told, days = MODEL[model](mine, today, p)
        if told == "low" and len(mine) < len(keys):
            rest = [k for k in keys if not reads(model, k)]
            if p["restLater"]:
                return judge_keys(rest, models[n + 1:], today, p)[0] if models[n + 1:] else "unknown", days
            if p["restLow"] and all(any(reads(m, k) for m in models) for k in rest):
                return "low", days
            return "unknown", days
        return told, days
    return "unknown", {}


def old(day, today, p, limit):
    age = today - day
    return age > limit or (p["ageToTheSecond"] and age == limit)


def model_second(keys, today, p):
    """C §7.1."""
    days = {}
    for k in keys:
        for day, scans in k["windows"]:
            if k["inf"] == 0 or old(day, today, p, p["maxAge"]):
                continue
            s = [(t, m if p["attenuation2"] == "min" else t, sec) for t, m, sec in scans]
            r = w.second_window(w.CWA_SECOND, k["rt"], k["inf"], s)
            if r:
                d = 0 if p["sumDays"] else (day, k["who"]) if p["perPerson"] else day
                days[d] = days.get(d, F(0)) + r[1]
    x = lambda v: F(int(v * 10 + F(1, 2)), 10) if p["round01"] else v
    return ("increased" if any(ge(x(v), 9, p) for v in days.values()) else "low"), days


def model_daily(keys, today, p):
    """R §8, G §7."""
    days = {}
    for k in keys:
        for day, scans in k["windows"]:
            if k["inf"] == 0 or today - day > w.DAILY["daysSinceExposureThreshold"]:
                continue
            s = [(t if p["attenuationDaily"] == "typical" else m, m, sec) for t, m, sec in scans]
            d = 0 if p["sumDays"] else (day, k["who"]) if p["perPerson"] else day
            days[d] = days.get(d, F(0)) + w.daily_window(w.DAILY, k["rt"], k["inf"], s)
    return ("increased" if any(ge(v, w.DAILY["perDaySumERVThreshold"], p) for v in days.values()) else "low"), days


def model_first(keys, today, p):
    """C §7.3 final column."""
    f = w.FIRST
    maximum, minutes = 0, [F(0), F(0), F(0)]
    for k in keys:
        for _day, dur, att, sec in k["exposures"]:
            m = min(dur, 30)
            av = f["attenuationValues"][next((i for i, b in enumerate(w.ATTENUATION_OVER) if att > b), 7)]
            dv = f["durationValues"][next((i for i, b in enumerate(w.DURATION_UPTO) if m <= b), 7)]
            score = av * dv * f["daysValue"] * f["levelValues"][max(k["level"], 1) - 1]
            if score < f["minRiskScore"]:
                continue
            maximum = max(maximum, score)
            minutes = [min(a + min(F(round5(s), 60), 30), F(30)) for a, s in zip(minutes, sec)]
    s = w.first_score(maximum, minutes, f["weights"], f["offset"], f["divisor"], f["cap"])
    hi = ge(s, 15, p)
    return ("increased" if hi else "low"), {None: s}


def model_nhs1(keys, today, p):
    """N B.3: each exposure by itself, threshold 900."""
    days = {}
    for k in keys:
        for day, _dur, _att, sec in k["exposures"]:
            days[day] = max(days.get(day, 0.0), nhs1_score([min(s, 1800) for s in sec], k["level"]))
    return ("increased" if any(ge(v, NHS1_THRESHOLD, p) for v in days.values()) else "low"), days


def model_nhs2(keys, today, p):
    """N B.1.6: each window by itself, threshold 100, not older than 11 days."""
    days = {}
    for k in keys:
        for day, scans in k["windows"]:
            if today - day > NHS_RECENT_DAYS or (p["iosIsolation"] and today - day == NHS_RECENT_DAYS):
                continue
            r = nhs2_risk(scans, k["inf"])
            if r is not None:
                days[day] = max(days.get(day, 0.0), r)
    return ("increased" if any(ge(v, NHS2_THRESHOLD, p) for v in days.values()) else "low"), days


MODEL = {"cwaSecond": model_second, "cwaFirst": model_first, "dailySummaries": model_daily,
         "nhs1": model_nhs1, "nhs2": model_nhs2}


def play(scene, p=RULES):
    """-> [(told, {day: points})] one per check."""
    got, out, last = set(), [], None
    for c in scene["checks"]:
        at = c["at"]
        if scene.get("role") == "place":            # project rule: a place has no personal risk
            out.append(("none", {}))
            continue
        if c.get("network", True):
            for person in scene["persons"]:
                if scene["authority"] == "own" and refusal(person, p):
                    continue
                for n, k in enumerate(person["keys"]):
                    if available(scene, person, k, at):
                        got.add((person["name"], n))
            last = (at, judge_at(scene, at, got, p))
            rules = [t for t, what in scene.get("events", []) if what == "rules"]
            if rules and at < min(rules):           # brief: rules that never arrived -> not judged
                seen = any(got & {k} for k in heard(scene, p))
                last = (at, ("unknown" if seen else "low", {}))
            out.append(last[1])
        elif at - last[0] > 2 * DAY and not (p["outdatedKeeps"] and last[1][0] == "increased"):
            out.append(("unknown", {}))             # C §7.1 "A result older than 2 days is shown as unknown/outdated"
        else:
            out.append(last[1])
    return out
