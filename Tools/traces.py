# SPDX-License-Identifier: Apache-2.0
"""Looks for addresses in whatever was written: as text, as numbers, in bytes, and as hashes without a secret. For test-traces.py."""
import base64
import hashlib
import ipaddress
import os


def shapes(address):
    """Every form in which an address could lie in a file: what it is called, and its bytes in lower case. Hexadecimal digits and texts are
    looked for in lower case, bytes as they are; a form is `exact` when it is long enough to be no coincidence."""
    one = ipaddress.ip_address(address)
    packed = one.packed
    texts = {str(one), one.exploded, one.exploded.replace(":", "") if one.version == 6 else str(one)}
    found = {("text", text): (text.encode(), True) for text in texts}
    if one.version == 4:
        mapped = ipaddress.ip_address(f"::ffff:{one}")
        # IPv4 in a socket for both families; the hexadecimal form is the packed one's below.
        found["mapped", "bytes"] = (b"\xff\xff" + packed, False)
        found["mapped", "text"] = (mapped.exploded.encode(), True)
        found["number", ""] = (str(int(one)).encode(), True)
        found["number", "turned"] = (str(int.from_bytes(packed, "little")).encode(), True)
        found["reversed", "text"] = (".".join(reversed(str(one).split("."))).encode() + b".", True)
    for order, plain in [("", packed), ("turned", packed[::-1])]:
        found["bytes", order] = (plain, len(plain) > 4)
        found["hexadecimal", order] = (plain.hex().encode(), len(plain) > 4)
        found["base64", order] = (base64.b64encode(plain).rstrip(b"="), len(plain) > 4)
    for text in list(texts) + [packed, packed[::-1]]:
        plain = text.encode() if isinstance(text, str) else text
        for name in ["md5", "sha1", "sha256", "sha512"]:
            digest = hashlib.new(name, plain).digest()
            what = f"{name} of {text!r}"
            found[what, "bytes"] = (digest[:16], True)
            found[what, "hexadecimal"] = (digest[:16].hex().encode(), True)
            found[what, "base64"] = (base64.b64encode(digest[:15]), True)
    return found


def search(folder, acts, skip=()):
    """Where addresses of `acts` (name: addresses) stand in files below `folder`: (act, form, file). Forms of few bytes occur by chance;
    they count where they stand for each address of an act, of which there are two for that."""
    forms = [(act, address, form, *shape) for act, addresses in acts.items() for address in addresses for form, shape in shapes(address).items()]
    found, files, size = [], 0, 0
    for place, _, names in os.walk(folder):
        for name in names:
            path = f"{place}/{name}"
            shown = os.path.relpath(path, folder)
            if os.path.islink(path) or not os.path.isfile(path) or shown in skip:
                continue
            with open(path, "rb") as file:
                content = file.read()
            files += 1
            size += len(content)
            # The name of a file is written down as well.
            lower = content.lower() + b"\n" + shown.lower().encode()
            seen = {}
            for act, address, form, pattern, is_exact in forms:
                where = content if form[0] in ("bytes", "base64") or form[1] in ("bytes", "base64") else lower
                if pattern in where:
                    seen.setdefault((act, form if not is_exact else None), {}).setdefault(address, (form, is_exact))
            for (act, few), hits in seen.items():
                if few is None or len(hits) == len(acts[act]):
                    found.append((act, next(iter(hits.values()))[0], shown))
    return found, files, size
