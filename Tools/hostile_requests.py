# SPDX-License-Identifier: Apache-2.0
"""What a server must refuse, by name: submissions that break a rule, JSON that is none, what is no HTTP."""
import hashlib
import random

from authoritykit import INTERVALS, field, fields, fortnight, key, payload, request, today, varint

# The same requests in every run, and no two alike in one.
chance = random.Random(7)


def made_up_teletan():
    body = "".join(chance.choice("23456789ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(12))
    return body + "GH23456789ABCDEF"[hashlib.sha256(body.encode()).digest()[0] >> 4]


def payloads(short):
    """What a submission must not be: name, body."""
    def of(*changes, count=1):
        return payload([key(day=2 + index, **(changes[0] if changes else {})) for index in range(count)])
    good = fortnight()
    one = chance.randbytes(16)
    yield "no keys", payload([])
    yield "nothing", b""
    yield "30 keys", payload([key(start=(today() - 2) * INTERVALS + index * INTERVALS) for index in range(30)])
    yield "15 keys", payload([key(day=day) for day in range(1, 16)])
    yield "keys of tomorrow", payload([key(day=-1), key(day=-2)])
    yield "a key of the year 6000", of({"start": 2_000_000_016})
    yield "keys of 15 days ago", payload([key(day=16), key(day=17)])
    yield "one key twice", payload([key(one, day=2), key(one, day=3)])
    for period in [0, 145, 1 << 31, (1 << 64) - 1, 1 << 40]:
        yield f"period {period}", of({"period": period})
    for start in [today() * INTERVALS - 1, -INTERVALS, 1 << 40, (1 << 64) - 1]:
        yield f"start {start}", of({"start": start})
    for level in [0, 9, -1, 1 << 40]:
        yield f"level {level}", of({"level": level})
    for onset in [-16, 4_001, 1 << 40]:
        yield f"onset {onset}", of({"onset": onset})
    yield "neither level nor onset", of({"level": None})
    for count in [0, 15, 17, 4_000]:
        yield f"key of {count} bytes", of({"data": bytes(count)})
    yield "another origin", payload([key()]) + field(4, b"XX")
    yield "another country", payload([key()]) + field(3, b"XX")
    yield "another submission type", payload([key()]) + field(7, 2)
    yield "origin no UTF-8", payload([key()]) + field(4, b"\xff\xfe")
    for end in range(1, len(good), 61):
        # What ends between two fields is a submission of fewer keys.
        if end not in ends(good):
            yield f"cut at {end}", good[:end]
    yield "a length of 2⁶³", b"\x0a" + varint(1 << 63)
    yield "a length past the end", b"\x0a\x7f" + bytes(5)
    yield "a varint of 11 bytes", payload([key()]) + b"\x28" + b"\xff" * 10 + b"\x01"
    yield "a varint without end", payload([key()]) + b"\x28" + b"\xff" * 5_000
    yield "groups, deep", payload([key()]) + b"\x5b" * 50_000
    yield "field 0", payload([key()]) + b"\x00\x00"
    yield "a key as number", field(1, 5)
    yield "keys in keys", field(1, field(1, field(1, field(1, b"x" * 16))))
    yield "1,001 keys", payload([key() for _ in range(1_001)])
    yield "text", b"{\"keys\": []}"
    yield "a zip", b"PK\x03\x04" + bytes(3_000)
    for _ in range(20 if short else 200):
        yield "random", chance.randbytes(chance.randrange(1, 2_001))


def ends(body):
    place, result = 0, {0}
    for number, value in fields(body):
        place += len(field(number, value))
        result.add(place)
    return result


def json_texts(member, value, rest):
    """Bodies in which `member` should have been `value`, followed by the members of `rest`."""
    return [f'{{"{member}": "{value}", "{member}": "{value}"{rest}}}', f'{{"{member}": "{value}"{rest}, "requestPadding": "a", "requestPadding": "b"}}',
            f'{{"{member}": "{value}"{rest}, "more": 1}}', f'{{"{member}": "{value}"{rest}', f'[{{"{member}": "{value}"{rest}}}]',
            "[" * 9_000, '{"a":' * 1_900, "{}" * 2, "", "null", "1e999", "-" * 500, '"' + "\\" * 99 + '"',
            f'{{"{member}": "\\ud800"{rest}}}', f'{{"{member}": "{value}\\u0000"{rest}}}', f'{{"{member}": "{value}"{rest}, "requestPadding": "\\udc00\\ud800"}}',
            f'{{"{member}": {"9" * 4_000}{rest}}}', f'\ufeff{{"{member}": "{value}"{rest}}}', f'{{"{member}": "{value}"{rest}}} x',
            f'{{"{member}": "{value}"{rest}, "requestPadding": {{"a": [[[[]]]]}}}}', f'{{\'{member}\': "{value}"{rest}}}']


def no_http():
    """Bytes by what they are."""
    return {
        "HTTP/0.9": b"GET /\r\n", "HTTP/9.9": b"POST /version/v1/tan HTTP/9.9\r\nHost: a\r\n\r\n", "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(506), "NULs": bytes(4_000), "random": chance.randbytes(5_000),
        "line feeds": b"\n" * 9_000, "spaces": b" " * 20_000, "no end": b"A" * 100_000, "a long path": b"POST /" + b"a" * 60_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        "no colon": b"POST /version/v1/tan HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n", "folded": b"POST /version/v1/tan HTTP/1.1\r\nHost: a\r\ncwa-fake: 0\r\n 1\r\nContent-Length: 0\r\n\r\n",
        "NUL in a header": b"POST /version/v1/tan HTTP/1.1\r\nHost: a\r\ncwa-fake: 0\0\r\nContent-Length: 0\r\n\r\n",
        "a header of 64 KB": request("/version/v1/tan", b"{}", cwa_fake="0", x="b" * 65_536), "5,000 headers": request("/version/v1/tan", b"{}", **{f"x{n}": "y" for n in range(5_000)}),
        "NUL in the path": request("/version/v1/tan%00x", b"{}", cwa_fake="1"), "an empty name": b"POST /version/v1/tan HTTP/1.1\r\n: x\r\n\r\n",
        "two lengths": request("/version/v1/tan", b"{}" * 5, cwa_fake="0", content_length="2"), "a negative length": request("/version/v1/tan", b"{}", Content_Length="-2"),
        "a length in words": request("/version/v1/tan", b"{}", Content_Length="two"), "10 GB": request("/version/v1/tan", b"{}", cwa_fake="0", Content_Length="10000000000"),
        "more than a number": request("/version/v1/tan", b"{}", cwa_fake="0", Content_Length="99999999999999999999999"),
        "length and chunks": request("/version/v1/tan", b"2\r\n{}\r\n0\r\n\r\n", cwa_fake="0", Transfer_Encoding="chunked"),
        "chunks without end": request("/version/v1/tan", b"ffffffffffffffffff\r\n" + b"x" * 3_000, cwa_fake="0", Content_Length=None, Transfer_Encoding="chunked"),
        "unknown coding": request("/version/v1/tan", b"{}", cwa_fake="0", Content_Length=None, Transfer_Encoding="gzip, chunked"),
        "an upgrade": request("/version/v1/tan", b"{}", Upgrade="h2c", Connection="Upgrade"), "all of it": request("*", method="OPTIONS"),
        "a tunnel": request("localhost:80", method="CONNECT"), "another's address": request("http://example.org/version/v1/nothing", b"{}", cwa_fake="0"),
        "up the tree": request("/../../../../etc/passwd", method="GET"), "up the tree, written otherwise": request("/%2e%2e/%2e%2e/etc/passwd", method="GET"),
    }
