#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: B007, B020, E741
"""Links donations to devices with everything an issuer, a donation server and an observer of the network have together. Written from the
specification and the wire formats alone, without a look at the code that it attacks:
    donation-adversary.py FOLDER > guesses.jsonl        (what it found goes to standard error)
1. Candidates of a donation: the devices that were given a token of its key, before it (ledger and the issuer's own notes).
2. Direct links: bytes of one side found beside the other's, equal sessions, addresses and headers, weak or repeated blinding,
   a sending time that is computed from a device's name.
3. Coincidences in time, measured against the same donations moved at random; only what is significant is used.
4. Soft knowledge: version, hours of the day, delays, days of the encounters, whether the device asks again later.
5. Chains of donations (sessions, nonces, padding, fingerprints, the same second each day): their evidence is added up.
6. A device has one token per key: who is sure takes the device away from the others.
7. Digests of a survey, which have another path and a key of the month: the day that a batch of requests left out for the month's token is the first
   on which the digest can have been sent. With each goes a donation that is guessed to be of the same device. (Added by somebody who knew the design.)
"""

import base64
import bisect
import collections
import datetime
import glob
import hashlib
import hmac
import itertools
import json
import math
import os
import random
import re
import sqlite3
import statistics
import sys
import time

folder, rng, started = sys.argv[1], random.Random(20260901), time.time()


def say(*a):
    print("[%5.1f s]" % (time.time() - started), *a, file=sys.stderr)


def sha(b):
    return hashlib.sha256(b).digest()


def lines(name):
    path = os.path.join(folder, name)
    return map(json.loads, filter(str.strip, open(path))) if os.path.exists(path) else ()


def raw(name):
    return b"".join(open(p, "rb").read(64 << 20) for p in sorted(glob.glob(os.path.join(folder, name) + "*")))


def unb64(s):
    try:
        return base64.b64decode(s.replace("-", "+").replace("_", "/") + "=" * (-len(s) % 4))
    except Exception:
        return b""


def cbor(b, i=0):
    """One item of CBOR (definite lengths); answers (value, next)."""
    m, v = b[i] >> 5, b[i] & 31
    i += 1
    if v >= 24:
        k = 1 << (v - 24)
        v = int.from_bytes(b[i : i + k], "big")
        i += k
    if m in (0, 7):
        return v, i
    if m == 1:
        return -1 - v, i
    if m in (2, 3):
        return (b[i : i + v] if m == 2 else b[i : i + v].decode("utf-8", "replace")), i + v
    if m == 6:
        return cbor(b, i)
    out = []
    for _ in range(v * (m - 3)):
        x, i = cbor(b, i)
        out.append(x)
    return (out, i) if m == 4 else ({(k if not isinstance(k, list) else str(k)): w for k, w in zip(out[::2], out[1::2])}, i)


def proto(b):
    """Fields of a protobuf message as (number, type, value), and whether a number was written longer than needed."""
    out, i, odd = [], 0, False

    def var(i):
        r = s = 0
        j = i
        while True:
            c = b[i]
            r |= (c & 127) << s
            s += 7
            i += 1
            if c < 128:
                return r, i, c == 0 and i - j > 1

    try:
        while i < len(b):
            tag, i, o = var(i)
            odd |= o
            if tag & 7 == 0:
                v, i, o = var(i)
                odd |= o
            elif tag & 7 == 2:
                n, i, o = var(i)
                odd |= o
                v = b[i : i + n]
                i += n
            elif tag & 7 in (1, 5):
                n = 8 if tag & 7 == 1 else 4
                v = b[i : i + n]
                i += n
            else:
                return None, odd
            if tag >> 3 == 0 or i > len(b):
                return None, odd
            out.append((tag >> 3, tag & 7, v))
    except IndexError:
        return None, odd
    return out, odd


def days_in(b, depth=0):
    """Every number in a message that looks like a day, as a day's number."""
    for _, kind, v in proto(b)[0] or []:
        if kind == 0 and 1_500_000_000 < v < 2_500_000_000:
            yield v // 86400
        elif kind == 0 and 18_000 < v < 29_000:
            yield v
        elif kind == 2 and depth < 4 and len(v) < 9000:
            yield from days_in(v, depth + 1)


# Public keys: every RSASSA-PSS key that stands anywhere in the terms, the issuer's database or its answers.
KEY = bytes.fromhex("3082015230")
moduli = {}


def harvest(b, depth=0):
    i = b.find(KEY)
    while i >= 0:
        k = b[i : i + 342]
        j = k.find(bytes.fromhex("0282010100"))
        if len(k) == 342 and j > 0:
            moduli[sha(k)] = (int.from_bytes(k[j + 5 : j + 261], "big"), int.from_bytes(k[-3:], "big"))
        i = b.find(KEY, i + 1)
    if depth < 4:
        for run in re.findall(rb"[A-Za-z0-9+/_=-]{400,}", b)[:5000]:
            harvest(unb64(run.decode().replace("=", "")), depth + 1)


FREE = {"host", "content-type", "content-length", "authorization", "date", "cookie"}


def fingerprint(h):
    return json.dumps([(k, v) for k, v in h.items() if k.lower() not in FREE])


def quoted(h):
    s = next((v for k, v in h.items() if k.lower() == "authorization"), "")
    m = re.search(r'token="?([A-Za-z0-9+/_=-]+)', s or "")
    return unb64(m.group(1).rstrip("=")) if m else b""


# ---- what the issuer knows -------------------------------------------------------------------------------------------
listed = json.load(open(os.path.join(folder, "devices.json")))
devices = [d["device"].lower() for d in listed]
ueid = {d["device"].lower(): bytes.fromhex(d.get("ueid") or "") for d in listed}
by_ueid = {u.hex(): d for d, u in ueid.items() if u}
harvest(raw("terms.json"))
harvest(raw("issuer.db"))
requests, of_connection = [], {}
for e in lines("issuer-sees.jsonl"):
    rq, an = e["request"], e["answer"]
    body, got, dev, iat, ver = unb64(rq.get("body") or ""), unb64(an.get("body") or ""), None, None, None
    h = rq.get("headers") or {}
    cwt = quoted(h)
    if cwt:
        try:
            cose, _ = cbor(cwt)
            claims, _ = cbor(cose[2])
            dev = cbor(cose[0])[0].get(4, b"").hex()
            if dev not in ueid:
                dev = by_ueid.get(claims.get(256, b"").hex(), dev)
            iat = claims.get(6)
            v = claims.get(271)
            v = v[0] if isinstance(v, list) else v
            m = re.findall(r"\d+", str(v))
            ver = (int(m[0]), int(m[1])) if len(m) > 1 else None
        except Exception:
            dev = next((d for d in devices if bytes.fromhex(d) in cwt), None)
    if dev in ueid:
        of_connection[e["connection"]] = dev
    if len(got) > 300:
        harvest(got)
    requests.append(
        dict(
            t=e["t"],
            c=e["connection"],
            dev=dev if dev in ueid else None,
            a=e.get("address") or None,
            ok=an["status"] == 200,
            iat=iat,
            ver=ver,
            fp=fingerprint(h),
            byte=body[2] if len(body) == 259 else None,
            z=body[3:],
            sig=got[:256],
            digests=(sha(body), sha(body[3:])),
        )
    )
for r in requests:
    r["dev"] = r["dev"] or of_connection.get(r["c"])
say(len(requests), "requests,", len(devices), "devices,", len(moduli), "public keys found")
# ---- what the donation server knows ----------------------------------------------------------------------------------
donations, status, shapes = [], collections.Counter(), collections.Counter()
needle_of_donation = {}
leaks = []
id_bytes = {x: d for d, u in ueid.items() for x in (bytes.fromhex(d)[:8], u[:8], u[1:9], u[-8:]) if len(x) == 8}
for e in lines("server-sees.jsonl"):
    rq, h = e["request"], e["request"].get("headers") or {}
    token = quoted(h)
    status[(e["answer"]["status"], len(token))] += 1
    # Cover (type 0x0000) tells nothing.
    if len(token) != 354 or token[:2] == b"\0\0" or e["answer"]["status"] != 200:
        continue
    body = unb64(rq.get("body") or "")
    fields, odd = proto(body)
    d = dict(
        n=e["n"],
        t=e["t"],
        c=e["connection"],
        a=e.get("address") or None,
        nonce=token[2:34],
        ch=token[34:66],
        kid=token[66:98],
        auth=token[98:],
        ver=None,
        first=None,
        fp=fingerprint(h),
        pad=None,
        survey=(rq.get("path") or "").endswith("/otp"),
    )
    shape, rest = [str(len(body)), "odd" if odd else "", d["ch"].hex()], json.dumps(h).encode()
    for num, kind, v in fields or []:
        shape.append("%d.%d" % (num, kind) if not shape[-1].startswith("%d." % num) else "")
        if num == 1 and kind == 2:
            d["pad"] = sha(v) if v.strip(b"\0") else None
            rest += v[:64]
        elif kind == 2:
            rest += v
        if num == 6 and kind == 2:
            m = {a: b for a, _, b in proto(v)[0] or []}
            d["ver"] = (m.get(1, 0), m.get(2, 0)) if 1 in m or 2 in m else None
            shape.append("6:" + ",".join(str(a) for a in m))
        if num == 3 and kind == 2:
            d["first"] = min([d["first"] or 1 << 30, *days_in(v)])
    if d["first"] == 1 << 30:
        d["first"] = None
    shape[2] = ""
    d["shape"] = "|".join(filter(None, shape))
    shapes[d["shape"].split("3.")[0]] += 1
    for i in range(len(rest) - 7):
        if rest[i : i + 8] in id_bytes:
            leaks.append((len(donations), id_bytes[rest[i : i + 8]]))
    d["slot"] = d["kid"] + d["ch"]
    for x in (d["nonce"], d["auth"], sha(token), sha(d["nonce"]), sha(d["auth"]), sha(body)):
        needle_of_donation[x] = len(donations)
    donations.append(d)
N = len(donations)
say(
    N,
    "stored donations; status and token length:",
    dict(status),
    "; shapes:",
    len(shapes),
    "; challenges:",
    len({d["slot"] for d in donations}),
    "for keys:",
    len({d["kid"] for d in donations}),
)
if leaks:
    say("!! a device's name stands in", len({i for i, _ in leaks}), "donations")
# ---- candidates: (key, device) -> time of the issuance, from the notes and from the ledger --------------------------
kids = sorted({d["kid"] for d in donations} | set(moduli))
by_byte = collections.defaultdict(list)
days = collections.defaultdict(list)
for k in kids:
    by_byte[k[-1]].append(k)
for d in donations:
    days[d["kid"]].append(int(d["t"] // 86400))
span = {k: (min(v), max(v)) for k, v in days.items()}
day_of = {k: int(statistics.median(v)) for k, v in days.items()}
given, of_request, digest_of = collections.defaultdict(dict), collections.defaultdict(list), {}
unknown, doubt, ledger = 0, {}, collections.defaultdict(set)
for i, r in enumerate(requests):
    if not r["dev"] or r["byte"] is None:
        continue
    for x in r["digests"] + (r["z"],):
        digest_of[x] = i
    if not r["ok"] or len(r["sig"]) != 256:
        continue
    some = [k for k in by_byte[r["byte"]] if k not in span or span[k][1] + 2 > r["t"] // 86400]
    sure = (
        [
            k
            for k in some
            if k in moduli and moduli[k][1] < 1 << 25 and pow(int.from_bytes(r["sig"], "big"), moduli[k][1], moduli[k][0]) == int.from_bytes(r["z"], "big")
        ]
        if len(some) > 1
        else []
    )
    some = sure or [k for k in some if not (len(some) > 1 and k in span and span[k][0] - 10 > r["t"] // 86400)]
    unknown += not some
    for k in some:
        given[k][r["dev"]] = min(r["t"], given[k].get(r["dev"], 1e18))
        doubt[k, r["dev"]] = len(some) > 1 and not sure
        of_request[k].append((r["dev"], int.from_bytes(r["sig"], "big")))


def cells(v):
    """A cell of a database as bytes, in the spellings that it may have."""
    if isinstance(v, bytes):
        return [v]
    if isinstance(v, str):
        return [v.encode()] + ([bytes.fromhex(v)] if re.fullmatch(r"([0-9a-fA-F]{2}){8,}", v) else []) + ([unb64(v)] if len(v) > 10 else [])
    return []


def database(name):
    if not os.path.exists(os.path.join(folder, name)):
        return
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % os.path.join(folder, name), uri=True)
    db.text_factory = lambda b: b.decode("utf-8", "replace")
    free, pages = db.execute("pragma freelist_count").fetchone()[0], db.execute("pragma page_count").fetchone()[0]
    for t, _sql in db.execute("select name, sql from sqlite_master where type='table'").fetchall():
        try:
            cur = db.execute('select rowid, * from "%s"' % t)
        except sqlite3.Error:
            cur = db.execute('select 0, * from "%s"' % t)
        rows = cur.fetchmany(300000)
        say("%s: %s (%s): %d rows; pages %d, free %d" % (name, t, ", ".join(c[0] for c in cur.description[1:]), len(rows), pages, free))
        yield t, [c[0] for c in cur.description], rows


known, added = set(kids), 0
for t, names, rows in database("issuer.db"):
    for row in rows if len(rows) > 3 else ():
        flat = [x for v in row for x in cells(v)]
        req = next((requests[digest_of[x]] for x in flat if x in digest_of), None)
        dev = next((id_bytes[x[:8]] for x in flat if x[:8] in id_bytes), req and req["dev"])
        key = next((x for x in flat if x in known), None) or next((sha(x) for x in flat if len(x) == 342 and sha(x) in known), None)
        if dev and key:
            ledger[key].add(dev)
            if dev not in given[key]:
                given[key][dev] = req["t"] if req else 0
                added += 1
if added:
    say("the issuer's database adds %d pairs of key and device" % added)
order = {d["nonce"]: i for i, d in enumerate(donations)}
for t, names, rows in database("donations.db"):
    seen = [order[x] for row in rows for v in row for x in cells(v) if x in order]
    if len(seen) > 20:
        say(
            "!! %s: rows with the nonce stand in order of arrival" % t
            if sum(a < b for a, b in zip(seen, seen[1:])) > 0.95 * len(seen)
            else t + ": rows in another order"
        )
    for c, name in enumerate(names):
        if c and sum(isinstance(r[c], (int, float)) and 1.5e9 < r[c] < 2.5e9 and r[c] % 86400 for r in rows) > 5:
            say("!! %s.%s looks like a time of day" % (t, name))
for (k, x), open_ in doubt.items():
    if open_ and ledger[k] and x not in ledger[k]:
        given[k].pop(x, None)
given = collections.defaultdict(dict, {k: given[k] for k in day_of})
sizes = [len(given[k]) for k in day_of]
say("unassigned issuances:", unknown, "; devices per key: min %d, median %d" % (min(sizes, default=0), statistics.median(sizes or [0])))
for k in day_of:
    given[k] = given[k] or dict.fromkeys(devices, 0)
boost = [collections.defaultdict(float) for _ in range(N)]  # per donation: device -> what speaks for it, as a logarithm
# ---- surveys: who asked for a month's token, and which day of the batch gave way to it ------------------------------
month_keys = {d["kid"] for d in donations if d["survey"]}
asked, gap = collections.defaultdict(set), collections.defaultdict(dict)  # connection or device -> days; key -> device -> days that were left out
for r in requests:
    for k in by_byte.get(r["byte"], ()):
        if k in day_of and k not in month_keys and 1 < day_of[k] - r["t"] // 86400 < 11:
            asked[r["c"]].add(day_of[k])
for r in requests:
    if r["dev"] and r["ok"] and r["byte"] is not None:
        asked[r["dev"]] |= {day_of[k] for k in by_byte[r["byte"]] if k in day_of and k not in month_keys and r["dev"] in given[k]}
for r in requests:
    today = int(r["t"] // 86400)
    for k in by_byte.get(r["byte"], ()):
        if k not in month_keys or not r["dev"] or not r["ok"] or r["dev"] not in given[k]:
            continue
        seen = asked[r["c"]]
        days = [x for x in range(today + 2, today + 10) if x not in seen and x not in asked[r["dev"]]]
        if seen:  # one batch asks for days in a row
            inside = [x for x in days if min(seen) < x < max(seen)]
            days = inside or [x for x in days if x in (min(seen) - 1, max(seen) + 1)] or days
        gap[k].setdefault(r["dev"], days)
if month_keys:
    say(
        "surveys: the issuer knows who takes part:",
        len({x for k in month_keys for x in given[k]}),
        "devices; digests:",
        len({d["nonce"] for d in donations if d["survey"]}),
        "; of",
        sum(len(days) == 1 for v in gap.values() for days in v.values()),
        "tokens the day that was left out is known",
    )
first_of = {}
for i, d in enumerate(donations):
    if not d["survey"]:
        continue
    day = int(donations[first_of.setdefault(d["nonce"], i)]["t"] // 86400)
    for x in given[d["kid"]]:
        days = gap[d["kid"]].get(x)
        if days:
            late = [day - g for g in days if g <= day]
            boost[i][x] += -20 if not late else -math.log(len(days)) if min(late) == 0 else -2.5 - 0.4 * min(late)
# ---- bytes of one side beside those of the other: rows, free pages, logs --------------------------------------------
two = (
    {x[:8]: ("x", i) for x, i in needle_of_donation.items()}
    | {x: ("d", d) for x, d in id_bytes.items()}
    | {x[:8]: ("d", requests[i]["dev"]) for x, i in digest_of.items()}
)
text = {}
for x, v in list(two.items()):
    text[x.hex().encode()] = v
    text[base64.b64encode(x)[:10]] = v
    text[base64.urlsafe_b64encode(x)[:10]] = v
for name in ("issuer.db", "donations.db", "issuer.log", "donations.log"):
    b, hits, links = raw(name)[: 24 << 20], [], 0
    for size, table in ((8, two), (16, text), (10, text)):
        hits += [(i, table[b[i : i + size]]) for i in range(len(b) - size) if b[i : i + size] in table and b[i : i + 4] != b"\0\0\0\0"]
    hits.sort(key=lambda h: h[0])
    kinds = collections.Counter(h[1][0] for h in hits)
    for j, (at, (kind, v)) in enumerate(hits):
        near = (
            []
            if kind != "x"
            else [
                (abs(hits[q][0] - at), hits[q][1][1])
                for q in range(max(0, j - 4), min(len(hits), j + 5))
                if hits[q][1][0] == "d" and abs(hits[q][0] - at) < 400
            ]
        )
        if near:
            boost[v][min(near)[1]] += 20
            links += 1
    if (kinds["x"] and name.startswith("issuer")) or (kinds["d"] and name.startswith("donations")):
        say("!! %s has bytes of the other side:" % name, dict(kinds), "links", links)
# ---- blinding: r = (blind signature) / (signature) modulo n; short, or the same twice, is no accident ---------------
usable = [k for k in sorted(day_of, key=lambda k: day_of[k]) if k in moduli and of_request[k]]
of_key = collections.defaultdict(list)
for i, d in enumerate(donations):
    of_key[d["kid"]].append(i)


def blinding(keys, each, seconds):
    seen, found, stop = {}, [], time.time() + seconds
    for k in keys:
        n = moduli[k][0]
        # What was sent twice has one token.
        for i in {donations[i]["nonce"]: i for i in of_key[k][:each]}.values():
            try:
                inverse = pow(int.from_bytes(donations[i]["auth"], "big"), -1, n)
            except ValueError:
                continue
            if time.time() > stop:
                return found
            for dev, s in of_request[k]:
                r = s * inverse % n
                if r.bit_length() < n.bit_length() - 60 or (n - r).bit_length() < n.bit_length() - 60 or not r & (1 << 60) - 1:
                    found.append((i, dev))
                    continue
                r &= (1 << 128) - 1
                was = seen.setdefault(r, (i, dev))
                if was != (i, dev):
                    found += [(i, dev), was]
    return found


weak = blinding(usable[-3:], max(20, 120_000 // max(1, max(sizes, default=1)) // 3), 8)
if weak:
    weak = blinding(usable, 1 << 30, 40)
    say("!! weak or repeated blinding in", len(set(weak)), "pairs")
for i, dev in set(weak) | set(leaks):
    boost[i][dev] += 20
say("blinding looked at for", len(usable), "keys")
# ---- sessions, addresses, headers -----------------------------------------------------------------------------------
contacts, skew = collections.defaultdict(list), collections.defaultdict(list)
when = {"issuer": {r["c"]: r["t"] for r in reversed(requests)}, "server": {d["c"]: d["t"] for d in reversed(donations)}}
net = collections.defaultdict(dict)
for w in lines("network.jsonl"):
    net[w["host"]][w["connection"]] = w
best = {}
for side, start in when.items():

    def fit(host):
        return sum(1 for c, t in start.items() if c in net[host] and net[host][c]["t"] - 1 <= t <= net[host][c]["end"] + 1)

    host = max(net, key=fit, default=None)
    best[side] = net[host] if host is not None and fit(host) > len(start) / 2 else {}
say("network: hosts", {h: len(v) for h, v in net.items()}, "; understood:", {s: len(v) for s, v in best.items()})
values, link_kinds, took = collections.defaultdict(set), collections.Counter(), collections.defaultdict(list)
for r in requests:
    if not r["dev"]:
        continue
    d, w = r["dev"], best["issuer"].get(r["c"])
    if not contacts[d] or contacts[d][-1][1] != r["c"]:
        contacts[d].append((r["t"], r["c"]))
        if w:
            took[d].append((w["end"] - w["t"]) / max(1, len(w["up"])))
    if r["iat"]:
        skew[d].append(r["t"] - r["iat"])
    for kind, v in (("address", r["a"] or (w or {}).get("address")), ("session", (w or {}).get("session")), ("headers", r["fp"])):
        if v:
            values[kind, json.dumps(v)].add(d)
chains = collections.defaultdict(list)
for i, d in enumerate(donations):
    w = best["server"].get(d["c"]) or {}
    d["took"], d["up"], d["down"] = (w["end"] - w["t"] if w and len(w["up"]) == 1 else None), str(w.get("up")), str(w.get("down"))
    for kind, v in (("address", d["a"] or w.get("address")), ("session", w.get("session")), ("headers", d["fp"])):
        if not v:
            continue
        s = values.get((kind, json.dumps(v)), ())
        if kind != "headers":
            chains[kind, json.dumps(v)].append(i)
        if s and len(s) < 0.5 * len(given[d["kid"]]):
            link_kinds[kind] += 1
            for dev in s:
                boost[i][dev] += 12 if kind != "headers" else 4
    for kind, v in (("nonce", d["nonce"]), ("nonce's start", d["nonce"][:6]), ("nonce's end", d["nonce"][-6:]), ("padding", d["pad"]), ("connection", d["c"])):
        if v is not None:
            chains[kind, v].append(i)
    chains["look", d["fp"] + d["shape"].split("3.")[0] + d["up"] + d["down"]].append(i)
say("sizes on the wire to the server, up and down:", collections.Counter((d["up"], d["down"]) for d in donations).most_common(4))
if link_kinds:
    say("!! equal on both sides and rare:", dict(link_kinds))
# ---- coincidences in time, against the same donations moved ---------------------------------------------------------
issued = {k: sorted((t, x) for x, t in g.items() if t) for k, g in given.items()}
everyone, errors = sorted((t, x) for x, c in contacts.items() for t, _ in c), sorted((min(v), x) for x, v in skew.items())
GAP = [0, 2, 10, 60, 180, 600, 1800]
features = [
    ("issuance to donation", None, GAP, issued),
    ("any request to donation", None, [-g for g in GAP[:0:-1]] + GAP, everyone),
    ("request and donation on the clock", 86400, [-600, -120, -30, -5, 5, 30, 120, 600], everyone),
    ("request and donation in the week", 604800, [-600, -60, 60, 600], everyone),
]


def window(times, p, u, lo, hi):
    """Ranges of the times v with lo <= u - v < hi, modulo p if there is one."""
    if p is None:
        return [(bisect.bisect_right(times, u - hi), bisect.bisect_right(times, u - lo))]
    x, y = (u - hi) % p, (u - lo) % p
    i, j = bisect.bisect_right(times, x), bisect.bisect_right(times, y)
    return [(i, j)] if x <= y else [(i, len(times)), (0, j)]


def laid(points, p):
    def one(l):
        v = sorted((t % p if p else t, x) for t, x in l)
        return v, [t for t, _ in v]

    if isinstance(points, dict):
        return {k: one(points[k]) for k in day_of}
    return dict.fromkeys(day_of, one(points))


def use(name, p, table, hot):
    """hot: (from, to, share of true pairs, share of other pairs, text); every device in a hot window is more (or less) likely."""
    rest = math.log(max(0.02, 1 - sum(h[2] for h in hot)) / max(0.02, 1 - sum(h[3] for h in hot)))
    for h in hot:
        say("!! %s, %g to %g s: %s" % (name, h[0], h[1], h[4]))
    for (i, d), (lo, hi, p1, p0, _) in itertools.product(enumerate(donations), hot):
        pts, times = table[d["kid"]]
        for x in {pts[q][1] for r in window(times, p, d["t"], lo, hi) for q in range(*r)}:
            boost[i][x] += math.log(p1 / p0) - rest


for name, p, edges, points in features:
    table, pairs, n = laid(points, p), 0, len(edges) - 1
    sample, real, moved, hot = donations if N <= 4000 else rng.sample(donations, 4000), [0] * n, [0] * n, []
    for d in sample:
        times = table[d["kid"]][1]
        pairs += len(times)
        for run in range(6):
            u = d["t"] + (rng.choice((-1, 1)) * rng.uniform(2400, 14400) if run else 0)
            for q in range(n):
                (moved if run else real)[q] += sum(j - i for i, j in window(times, p, u, edges[q], edges[q + 1])) / (5 if run else 1)
    for q in range(n):
        z, p0 = (real[q] - moved[q]) / math.sqrt(1.2 * moved[q] + 1), max(moved[q], 0.5) / max(1, pairs)
        p1 = min(0.98, (real[q] - moved[q]) / max(1, len(sample)) + p0) if z > 0 else p0 / 50
        if z > 6 and p1 > 0.02 or z < -6 and real[q] < 0.2 * moved[q]:
            hot.append((edges[q], edges[q + 1], p1, p0, "%d pairs, %.1f if moved (%.0f standard deviations)" % (real[q], moved[q], z)))
    if hot:
        use(name, p, table, hot)
# The same for differences modulo a period: the best window of 200 offsets against all others; more than one true pair per donation and request is no link.
for what, points in (("request", everyone), ("clock's error", errors)):
    for p in (1, 10, 60, 600, 3600):
        h, g, c = collections.Counter(int(d["t"] % p / p * 200) for d in donations), collections.Counter(int(t % p / p * 200) for t, _ in points), [0] * 200
        for (x, n), (y, m) in itertools.product(h.items(), g.items()):
            c[(x - y) % 200] += n * m
        for w in (1, 3, 10):
            wide = [sum(c[(q + j) % 200] for j in range(w)) for q in range(200)]
            q = max(range(200), key=lambda q: wide[q])
            other = [v for r, v in enumerate(wide) if min((r - q) % 200, (q - r) % 200) > w]
            mean = statistics.mean(other)
            more = wide[q] - mean
            z = more / max(statistics.stdev(other), math.sqrt(mean + 1))
            if z > 6.5 and 0.15 * N < more < 1.5 * N * len(points) / max(1, len({x for _, x in points})):
                p0 = mean / (N * len(points))
                lo = (q if q < 100 else q - 200) * p / 200
                use(
                    "%s and donation modulo %d s" % (what, p),
                    p,
                    laid(points, p),
                    [
                        (
                            lo - p / 400,
                            lo + (w + 0.5) * p / 200,
                            min(0.98, more / N + p0),
                            p0,
                            "%d pairs, elsewhere %.0f (%.0f standard deviations)" % (wide[q], mean, z),
                        )
                    ],
                )
                break
# ---- a sending time that can be computed from a device's name -------------------------------------------------------
sods = {k: sorted((donations[i]["t"] % 86400, i) for i in v) for k, v in of_key.items()}
chs = {d["kid"]: d["ch"] for d in donations}


def draws(dev, k):
    day = day_of[k]
    names = [bytes.fromhex(dev), dev.encode(), ueid[dev], ueid[dev][1:], ueid[dev].hex().encode()]
    dates = [datetime.date.fromordinal(719163 + day).isoformat().encode(), str(day).encode(), b"", k, chs[k]] + [
        v.to_bytes(s, o) for v in (day, day * 86400) for s in (4, 8) for o in ("big", "little")
    ]
    return [
        ((a, b, c, e), int.from_bytes(v, "big") % 86400)
        for a, x in enumerate(names)
        for b, y in enumerate(dates)
        for c, h in enumerate((sha(x + y), sha(y + x), hmac.digest(x or b"0", y, "sha256")))
        for e, v in enumerate((h[:4], h[:8], h[:4][::-1], h[:8][::-1], h))
    ]


def near(k, s):
    l = sods[k]
    return [l[j][1] for j in range(bisect.bisect_left(l, (s - 1, -1)), bisect.bisect_right(l, (s + 3, 1 << 60)))]


hits, tried, chance = collections.Counter(), 0, 0
for k in sorted(day_of)[:6]:
    for dev in rng.sample(sorted(given[k]), min(25, len(given[k]))):
        tried += 1
        chance += 4 * len(sods[k]) / 86400
        for f, s in draws(dev, k):
            hits[f] += len(near(k, s)) > 0
rule = max(hits, key=hits.get, default=None)
if rule and hits[rule] > chance + 8 * math.sqrt(chance + 1):
    say("!! the second of the day is computed from the device's name: %d of %d, by chance %.1f" % (hits[rule], tried, chance))
    for k, dev in [(k, dev) for k in day_of for dev in given[k]]:
        for i in [i for f, s in draws(dev, k) if f == rule for i in near(k, s)]:
            boost[i][dev] += 6


# ---- soft knowledge, used only if the issuer's own (labelled) notes show that devices differ in it ------------------
def telling(per_device, far):
    """Whether two values of one device are nearer to each other than values of two devices."""
    own = [far(*rng.sample(v, 2)) for v in per_device if len(v) > 1]
    all_ = [x for v in per_device for x in v]
    if len(own) < 15:
        return False
    other = [far(*rng.sample(all_, 2)) for _ in range(4000)]
    return statistics.mean(other) - statistics.mean(own) > 4 * statistics.pstdev(other) / math.sqrt(len(own))


def hours_apart(a, b):
    return abs((a - b + 12) % 24 - 12)


hour_of = {x: [t % 86400 / 3600 for t, _ in c] for x, c in contacts.items()}
use_hours = telling(list(hour_of.values()), hours_apart)
use_took = telling(list(took.values()), lambda a, b: abs(math.log((a + 1e-4) / (b + 1e-4))))
cut = sorted(x for v in took.values() for x in v)
quick = {x: bisect.bisect(cut, statistics.median(v)) * 5 / max(1, len(cut)) for x, v in took.items()}
cut_d = sorted(d["took"] for d in donations if d["took"] is not None)
for d in donations:
    d["slow"] = int(bisect.bisect(cut_d, d["took"]) * 5 / (len(cut_d) + 1)) if use_took and d["took"] is not None else None
versions = {x: [] for x in devices}
for r in requests:
    if r["dev"] and r["ver"]:
        versions[r["dev"]].append((r["t"], r["ver"]))
begin, finish = min([r["t"] for r in requests] or [0]), max([r["t"] for r in requests] or [0])
say(
    "devices differ in their hours:",
    use_hours,
    "; in their delays:",
    use_took,
    "; versions in evidence:",
    len({v for l in versions.values() for _, v in l}),
    ", in donations:",
    len({d["ver"] for d in donations}),
)
cache = {}


def normal(s):
    m = max(s.values())
    w = {x: math.exp(v - m) for x, v in s.items() if v > m - 40}
    z = sum(w.values())
    return {x: v / z for x, v in w.items()}


def width(p):
    return max(1, round(math.exp(-sum(v * math.log(v) for v in p.values() if v > 0))))


def base(d):
    q = d["q"] = (d["kid"], int(d["t"] // (3600 if use_hours else 86400)), d["ver"], d["first"], d["slow"])
    if q in cache:
        return cache[q][0]
    out, t, hour = {}, d["t"], d["t"] % 86400 / 3600
    for x in given[d["kid"]]:
        s, c = 0.0, contacts.get(x)
        if d["ver"] and versions[x]:
            v = versions[x][max(0, bisect.bisect_right(versions[x], (t, (1 << 30, 0))) - 1)][1]
            s -= 0 if v == d["ver"] else 1.5 if v < d["ver"] else 6
        if c:
            if use_hours:
                s += math.log(0.1 + sum(math.exp(-(hours_apart(hour, h) ** 2) / 8) for h in hour_of[x]) / len(c))
            if d["first"] and c[0][0] > begin + 8 * 86400 and d["first"] < c[0][0] // 86400 - 4:
                s -= 5
            if c[-1][0] < t and t < finish - 9 * 86400:
                s -= 0.7
        if d["slow"] is not None and x in quick:
            s -= 0.5 * abs(quick[x] - d["slow"] - 0.5)
        out[x] = s
    p = normal(out)
    top = max(p.values())
    cache[q] = out, sorted(x for x, v in p.items() if v > top - 1e-9), width(p)
    return out


def scores(i):
    d = donations[i]
    out = dict(base(d))
    for _t, x in issued[d["kid"]][bisect.bisect_right(issued[d["kid"]], (d["t"] + 2, "~")) :]:
        out.pop(x, None)
    if not out:
        out = {x: 0.0 for x in given[d["kid"]]}
    for x, b in boost[i].items():
        if x in out:
            out[x] += b
        elif b > 15:
            out[x] = b - 8
    return out


# ---- chains ---------------------------------------------------------------------------------------------------------
parent = list(range(N))


def root(i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


made = collections.Counter()
for (kind, v), l in chains.items():
    if len(l) < 2:
        continue
    tokens = {donations[i]["nonce"]: donations[i]["ch"] for i in l}
    m, K = len(tokens), max(2, len({d["ch"] for d in donations}))
    if m > len(set(tokens.values())):
        continue  # two tokens of one key: not one board
    if kind == "look" and (m < 3 or math.prod(max(0.001, 1 - j / K) for j in range(m)) > 0.01):
        continue
    for i in l:
        parent[root(i)] = root(l[0])
    made[kind] += len(l)
daily, step = collections.defaultdict(list), collections.Counter()
for i, d in enumerate(donations):
    daily[int(d["t"] // 86400)].append((d["t"] % 86400, i))
sods = {a: sorted(v) for a, v in daily.items()}
pairs = [(a, a + 1) for a in sorted(sods) if a + 1 in sods]
for a, b in pairs:
    times = [s for s, _ in sods[b]]
    for s, _ in sods[a]:
        for j in range(bisect.bisect_left(times, s - 900), bisect.bisect_right(times, s + 900)):
            step[round((times[j] - s) / 10)] += 1
top = max(step, key=step.get, default=None)
level = statistics.mean(step[q] for q in range(-90, 91)) if step else 0
if top is not None and step[top] > level + 7 * math.sqrt(level + 1) and step[top] - level > 0.05 * N:
    say("!! the same second on the next day (%+d s): %d pairs, by chance %.1f" % (top * 10, step[top], level))
    for a, b in pairs:
        times = [s for s, _ in sods[b]]
        for s, i in sods[a]:
            j = bisect.bisect_left(times, s + top * 10)
            l = [(abs(times[q] - s - top * 10), sods[b][q][1]) for q in (j - 1, j) if 0 <= q < len(times)]
            if l and min(l)[0] < 15:
                parent[root(min(l)[1])] = root(i)
                made["second"] += 1
if made:
    say("chained by:", dict(made))
groups = collections.defaultdict(list)
for i in range(N):
    groups[root(i)].append(i)
# ---- judgement: the sure ones first; a device that is taken is no candidate of another donation of that key ---------
memo, missing = {}, math.log(max(0.02, 1 - N / max(1, sum(len(given[k]) for k in day_of))))


def group_scores(l):
    if len(l) == 1 or l[0] in memo:
        return scores(l[0]) if len(l) == 1 else memo[l[0]]
    total, told = collections.Counter(), collections.Counter()
    for i in l:
        told.update(boost[i])
    few = [x for x, v in told.items() if v > 8] or {x for i in l for x in given[donations[i]["kid"]]}
    for i in l:
        s = scores(i)
        m = max(s.values())
        z = m + math.log(sum(math.exp(v - m) for v in s.values()))
        for x in few:
            total[x] += max(-12.0, s.get(x, -99.0) - z)
    have = {donations[i]["kid"] for i in l}
    for x in total if len(l) > 3 else ():
        total[x] += missing * sum(1 for k in day_of if k not in have and x in given[k])  # a token and no donation
    top = max(total.values())
    memo[l[0]] = {x: v for x, v in total.items() if len(few) < 50 or v > top - 40}
    return memo[l[0]]


def sureness(l):
    if not any(boost[i] for i in l):
        return 0
    s = sorted(group_scores(l).values(), reverse=True)[:2]
    return s[0] - s[1] if len(s) > 1 else 99


taken, result, sure = collections.defaultdict(dict), {}, 0
for _, l in sorted(((-sureness(l), l) for l in groups.values()), key=lambda q: (q[0], q[1][0])):
    d, x = donations[l[0]], None
    if len(l) == 1 and not boost[l[0]]:  # the quick way for what has nothing of its own: draw, and drop what cannot be
        base(d)
        _, best, k = cache[d["q"]]
        mine = issued[d["kid"]]
        late = {y for _, y in mine[bisect.bisect_right(mine, (d["t"] + 2, "~")) :]}
        gone = taken[d["slot"]]
        k = max(1, k - len(late) - len(gone))
        x = next((y for y in rng.choices(best, k=40) if y not in late and y not in gone), None)
    if x is None:
        s = group_scores(l)
        p = normal({y: v for y, v in s.items() if not any(taken[donations[i]["slot"]].get(y, root(i)) != root(i) for i in l)} or s)
        top = max(p.values())
        x, k = rng.choice(sorted(y for y, v in p.items() if v > top - 1e-9)), width(p)
        for i in l if top > 0.9 else ():
            taken[donations[i]["slot"]][x] = root(i)
    sure += (k == 1) * len(l)
    result.update(dict.fromkeys(l, (x, k)))
order = {d["nonce"]: i for i, d in reversed(list(enumerate(donations)))}  # of the same token twice the first was stored
stored = [i for i in order.values() if not donations[i]["survey"]]
of_guess, of_group = collections.defaultdict(list), collections.defaultdict(list)
for i in stored:
    of_guess[result[i][0]].append(i)
    of_group[root(i)].append(i)
for i in sorted(order.values()):
    line = {"n": donations[i]["n"], "guess": result[i][0], "candidates": result[i][1]}
    if donations[i]["survey"] and stored:
        same = of_group[root(i)] or of_guess[result[i][0]]
        line["donation"] = donations[min(same, key=lambda j: result[j][1]) if same else rng.choice(stored)]["n"]
    print(json.dumps(line))
say("sure of %d of %d; median of candidates left %s" % (sure, N, statistics.median([r[1] for r in result.values()] or [0])))
