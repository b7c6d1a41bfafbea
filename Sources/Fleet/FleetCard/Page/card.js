// SPDX-License-Identifier: Apache-2.0
// The rules of vigil-fleet one, for a browser: five answers and random bytes in, the files of one card out. It touches no page and asks nobody.
// Its twin is the Swift of this folder's parent; CardPageTests gives both the same answers and compares every byte.
"use strict";

/** What is wrong with an answer: a code that texts.js has a sentence for, and what that sentence quotes. */
class Fault extends Error {
    constructor(code, quoted = "") {
        super(code);
        this.code = code;
        this.quoted = quoted;
    }
}

const utf8 = (text) => new TextEncoder().encode(text);

// SHA-256 (FIPS 180-4). Browsers have one of their own, but not all of them for a page that is opened from a disk.
const ROUND = new Uint32Array(64);
const START = new Uint32Array(8);
for (let found = 0, n = 2; found < 64; n += 1) {
    let prime = true;
    for (let d = 2; d * d <= n; d += 1) if (n % d === 0) prime = false;
    if (!prime) continue;
    const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32);
    if (found < 8) START[found] = fraction(Math.sqrt(n));
    ROUND[found] = fraction(Math.cbrt(n));
    found += 1;
}

function sha256(bytes) {
    const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
    const state = START.slice();
    const words = new Uint32Array(64);
    const turn = (x, n) => (x >>> n) | (x << (32 - n));
    for (let block = 0; block < padded.length; block += 64) {
        for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(block + 4 * i);
        for (let i = 16; i < 64; i += 1) {
            const [a, b] = [words[i - 15], words[i - 2]];
            words[i] = words[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + words[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
        }
        let [a, b, c, d, e, f, g, h] = state;
        for (let i = 0; i < 64; i += 1) {
            const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) >>> 0;
            const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
            [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) >>> 0, c, b, a, (one + two) >>> 0];
        }
        [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] += value; });
    }
    const result = new Uint8Array(32);
    const out = new DataView(result.buffer);
    state.forEach((value, i) => out.setUint32(4 * i, value));
    return result;
}

const hash = (bytes) => "sha256:" + Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

function base64(bytes) {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
}

/** The bytes of Base64 with padding and without line ends; null for any other text. */
function fromBase64(text) {
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
    let binary;
    try {
        binary = atob(text);
    } catch {
        return null;
    }
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return base64(bytes) === text ? bytes : null;
}

// JSON as vigil-fleet writes it: two blanks for a level, and on one line what ends within 100 bytes of it.
function oneLine(value, limit) {
    let text;
    if (Array.isArray(value)) {
        const parts = value.map((element) => oneLine(element, limit));
        text = parts.includes(null) ? null : "[" + parts.join(", ") + "]";
    } else if (typeof value === "object") {
        const parts = Object.entries(value).map(([name, member]) => [JSON.stringify(name), oneLine(member, limit)]);
        text = parts.some(([, member]) => member === null) ? null : parts.length === 0 ? "{}" : "{ " + parts.map((part) => part.join(": ")).join(", ") + " }";
    } else {
        text = JSON.stringify(value);
    }
    return text !== null && utf8(text).length <= limit ? text : null;
}

function indented(value, indent = 0, column = 0, isTop = false) {
    const isList = Array.isArray(value);
    if (typeof value !== "object" || Object.keys(value).length === 0) return isList ? "[]" : typeof value === "object" ? "{}" : JSON.stringify(value);
    const line = isTop ? null : oneLine(value, 100 - column);
    if (line !== null) return line;
    const inner = " ".repeat(indent + 2);
    const rows = Object.entries(value).map(([name, member]) => {
        const head = inner + (isList ? "" : JSON.stringify(name) + ": ");
        return head + indented(member, indent + 2, isList ? indent + 2 : utf8(head).length);
    });
    return (isList ? "[" : "{") + "\n" + rows.join(",\n") + "\n" + " ".repeat(indent) + (isList ? "]" : "}");
}

const jsonFile = (value) => indented(value, 0, 0, true) + "\n";

// Answers

const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

/** An answer without the blanks around it. */
function trimmed(text) {
    if (utf8(text).length > 1000) throw new Fault("unprintable");
    const result = text.replace(/^[ \t\r]+|[ \t\r]+$/g, "");
    if (result === "") throw new Fault("empty");
    if (harmful.test(result)) throw new Fault("unprintable");
    return result;
}

function checkTitle(text) {
    const length = Array.from(text).length;
    if (length < 1 || length > 60 || harmful.test(text)) throw new Fault("badTitle");
}

/** The four bytes of an address of IPv4, the sixteen of IPv6; null for any other text. */
function address(text) {
    const quad = (part) => {
        const numbers = part.split(".");
        if (numbers.length !== 4 || !numbers.every((number) => /^(0|[1-9][0-9]{0,2})$/.test(number) && Number(number) <= 255)) return null;
        return numbers.map(Number);
    };
    if (utf8(text).length > 45) return null;
    if (!text.includes(":")) return quad(text);
    const run = (part) => {
        if (part === "") return [];
        const groups = [];
        const parts = part.split(":");
        for (const [index, group] of parts.entries()) {
            if (index === parts.length - 1 && group.includes(".")) {
                const four = quad(group);
                if (four === null) return null;
                groups.push(four[0] * 256 + four[1], four[2] * 256 + four[3]);
            } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
                groups.push(parseInt(group, 16));
            } else {
                return null;
            }
        }
        return groups.length <= 8 ? groups : null;
    };
    const gap = text.indexOf("::");
    let groups;
    if (gap < 0) {
        groups = run(text);
        if (groups === null || groups.length !== 8) return null;
    } else {
        const [before, after] = [run(text.slice(0, gap)), run(text.slice(gap + 2))];
        if (before === null || after === null || before.length + after.length >= 8 || text.slice(0, gap).includes(".")) return null;
        groups = [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
    }
    return groups.flatMap((group) => [group >> 8, group & 255]);
}

const isMapped = (bytes) => bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;

function isLoopback(bytes) {
    const plain = isMapped(bytes) ? bytes.slice(12) : bytes;
    return plain.length === 4 ? plain[0] === 127 : plain.slice(0, 15).every((byte) => byte === 0) && plain[15] === 1;
}

/** Whether one station can have it and others can reach it there. */
function isStation(bytes) {
    if (isLoopback(bytes) || bytes.every((byte) => byte === 0)) return false;
    return bytes.length === 4 ? bytes[0] !== 0 && bytes[0] < 224 : bytes[0] !== 255 && !isMapped(bytes);
}

const bits = (bytes) => bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");

/** The length of a network that is written as a mask, such as 24 for 255.255.255.0; null for what is no mask. */
function maskLength(text) {
    const parts = text.split(".");
    if (parts.length !== 4 || !parts.every((part) => /^\+?[0-9]+$/.test(part) && Number(part) <= 255)) return null;
    const match = /^(1*)0*$/.exec(bits(parts.map(Number)));
    return match ? match[1].length : null;
}

/** How a board gets its address: the answer, the file for it and the address; the last two null with DHCP. */
function network(text) {
    const words = text.split(" ").filter((word) => word !== "");
    if (words.length === 1 && ["automatic", "dhcp"].includes(words[0].toLowerCase())) return { text: "automatic", file: null, address: null };
    if (words.length === 0 || !words[0].includes("/")) throw new Fault("noNetwork", text);
    const mask = words[0].split("/").filter((part) => part !== "").pop();
    const length = mask === undefined ? null : maskLength(mask);
    if (length !== null) throw new Fault("mask", `/${length}`);
    if (words.length < 2) throw new Fault("noGateway");
    const [own, gateway, ...servers] = words;
    if (own.includes(":")) throw new Fault("onlyIPv4");
    const parts = own.split("/");
    const bytes = parts.length === 2 ? address(parts[0]) : null;
    if (bytes === null || !/^[1-9][0-9]{0,2}$/.test(parts[1]) || Number(parts[1]) > 32) throw new Fault("badAddress", own);
    const size = Number(parts[1]);
    const isReserved = (other) => size < 31 && /^(0*|1*)$/.test(bits(other).slice(size));
    if (!isStation(bytes) || isReserved(bytes)) throw new Fault("impossibleAddress", own);
    const router = address(gateway);
    if (router === null) throw new Fault("badAddress", gateway);
    if (!isStation(router)) throw new Fault("impossibleAddress", gateway);
    if (router.join() === bytes.join()) throw new Fault("ownGateway", gateway);
    if (router.length !== 4 || bits(router).slice(0, size) !== bits(bytes).slice(0, size)) throw new Fault("farGateway", gateway);
    if (isReserved(router)) throw new Fault("impossibleAddress", gateway);
    if (servers.length === 0) throw new Fault("noNameServer", gateway);
    if (servers.length > 3) throw new Fault("manyNameServers");
    const seen = [];
    for (const server of servers) {
        const place = address(server);
        if (place === null) throw new Fault("badAddress", server);
        if (!isStation(place) && !isLoopback(place)) throw new Fault("impossibleAddress", server);
        if (seen.includes(place.join())) throw new Fault("doubleNameServer", server);
        seen.push(place.join());
    }
    const place = `${bytes.join(".")}/${size}`;
    const file = ["[Match]", "Kind=!*", "Type=ether", "", "[Link]", "RequiredForOnline=no", "", "[Network]", "DHCP=no", `Address=${place}`, `Gateway=${gateway}`,
        ...servers.map((server) => `DNS=${server}`), "IPv6AcceptRA=no", "LLMNR=no", "MulticastDNS=yes"].join("\n") + "\n";
    return { text: [place, gateway, ...servers].join(" "), file, address: bytes.join(".") };
}

const KEY_LENGTHS = { "ssh-ed25519": 51, "ecdsa-sha2-nistp256": 104, "ecdsa-sha2-nistp384": 136, "ecdsa-sha2-nistp521": 172, "ssh-rsa": 0 };
const isKind = (word) => Object.hasOwn(KEY_LENGTHS, word);

/** Bits of the modulus of an RSA key after its kind (RFC 4253, section 6.6: two numbers); null when it does not end with them. */
function rsaBits(blob) {
    let rest = blob;
    let number = [];
    for (let i = 0; i < 2; i += 1) {
        if (rest.length < 4) return null;
        const count = rest.slice(0, 4).reduce((sum, byte) => sum * 256 + byte, 0);
        rest = rest.slice(4);
        if (count === 0 || count > rest.length) return null;
        number = Array.from(rest.slice(0, count));
        while (number[0] === 0) number.shift();
        rest = rest.slice(count);
    }
    return rest.length > 0 || number.length === 0 ? null : number.length * 8 - (Math.clz32(number[0]) - 24);
}

/** Public SSH keys, one a line: each as its line and its fingerprint. */
function keys(text) {
    if (text.includes("PRIVATE KEY") || text.startsWith("PuTTY-User-Key-File")) throw new Fault("privateKey");
    if (text.startsWith("---- BEGIN SSH2 PUBLIC KEY ----")) throw new Fault("otherKeyForm");
    const found = [];
    for (const [index, line] of text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).entries()) {
        const [kind, ...rest] = line.split(/[ \t]/).filter((word) => word !== "");
        if (kind === undefined || kind.startsWith("#")) continue;
        if (found.length >= 16) throw new Fault("manyKeys");
        const number = String(index + 1);
        if (!isKind(kind)) {
            if (rest.some(isKind)) throw new Fault("keyOptions", number);
            throw kind.includes("@") || kind === "ssh-dss" ? new Fault("unknownKeyKind", number) : new Fault("badKey", number);
        }
        const blob = rest.length === 0 ? null : fromBase64(rest[0]);
        const prefix = [0, 0, 0, kind.length, ...utf8(kind)];
        const length = KEY_LENGTHS[kind];
        if (blob === null || !prefix.every((byte, i) => blob[i] === byte) || (length ? blob.length !== length : blob.length > 2112)) throw new Fault("damagedKey", number);
        if (length === 0) {
            const size = rsaBits(blob.slice(prefix.length));
            if (size === null) throw new Fault("damagedKey", number);
            if (size < 2048) throw new Fault("shortKey", number);
        }
        const characters = Array.from(rest.slice(1).join(" "), (character) => (/^[ -~]$/.test(character) ? character : "?"));
        const comment = characters.slice(0, 100).join("") + (characters.length > 100 ? "..." : "");
        found.push({ line: `${kind} ${base64(blob)}` + (comment === "" ? "" : ` ${comment}`), fingerprint: "SHA256:" + base64(sha256(blob)).replace(/=+$/, "") });
    }
    if (found.length === 0) throw new Fault("noKey");
    return found;
}

// Every country that the kernel has rules for radio of (WiFiNetwork.countries).
const COUNTRIES = ("AD AE AF AI AL AM AN AR AS AT AU AW AZ BA BB BD BE BF BG BH BL BM BN BO BR BS BT BW BY BZ CA CF CH CI CL CN CO CR CU CX CY CZ DE DK DM DO "
    + "DZ EC EE EG ES ET FI FM FO FR GB GD GE GF GH GI GL GP GR GT GU GY HK HN HR HT HU ID IE IL IM IN IR IS IT JM JO JP KE KH KN KP KR KW KY KZ "
    + "LB LC LI LK LS LT LU LV MA MC MD ME MF MH MK MN MO MP MQ MR MT MU MV MW MX MY NA NG NI NL NO NP NZ OM PA PE PF PG PH PK PL PM PR PT PW PY "
    + "QA RE RO RS RU RW SA SE SG SI SK SM SN SR SV SX SY TC TD TG TH TN TR TT TW TZ UA UG US UY UZ VA VC VE VI VN VU WF WS YE YT ZA ZW").split(" ");

/** A country in capital letters, as people need not type it. Only letters of ASCII: others become some, such as the long s. */
function upperCountry(text) {
    return /^\s*[A-Za-z]{2}\s*$/.test(text) ? text.toUpperCase() : text;
}

/** The file for a wireless network. `given`: name, password, country, hidden. A place always shows it the same address. */
function wifi(given, use) {
    const [name, password, country] = [given.name, given.password, given.country].map((text) => text.replace(/^[ \t\r]+|[ \t\r]+$/g, ""));
    const length = utf8(name).length;
    if (length === 0) throw new Fault("noWiFiName");
    if (length > 32) throw new Fault("longWiFiName");
    if (/\p{Cc}/u.test(name)) throw new Fault("badWiFiName");
    if (password === "") throw new Fault("noWiFiPassword");
    if (!/^[ -~]*$/.test(password)) throw new Fault("badWiFiPassword");
    if (password.length < 8 || password.length > 63) throw new Fault("wifiPasswordLength");
    if (!COUNTRIES.includes(country)) throw new Fault("noCountry");
    return `name=${name}\npassword=${password}\ncountry=${country}\n` + (given.hidden ? "hidden=yes\n" : "") + (use === "place" ? "address=fixed\n" : "");
}

// Secrets. `random` gives a byte, of which five bits are taken.

/** Sixteen characters of Crockford's base 32 in groups of four: 80 bits. */
function printedSecret(random) {
    const characters = Array.from({ length: 16 }, () => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[random() >> 3]);
    return [0, 4, 8, 12].map((start) => characters.slice(start, start + 4).join("")).join("-");
}

/** A name on the network for a person's board: 30 random bits. */
const localName = (random) => "vigil-" + Array.from({ length: 6 }, () => "0123456789abcdefghjkmnpqrstvwxyz"[random() >> 3]).join("");

/** A serial number: 40 random bits, and a check character by the rule of Luhn in base 32. */
function serialNumber(random) {
    const values = Array.from({ length: 8 }, () => random() >> 3);
    let sum = 0;
    values.slice().reverse().forEach((value, offset) => {
        const weighted = offset % 2 === 0 ? 2 * value : value;
        sum += Math.floor(weighted / 32) + (weighted % 32);
    });
    const text = [...values, (32 - (sum % 32)) % 32].map((value) => "0123456789abcdefghjkmnpqrstvwxyz"[value]).join("");
    return `vg-${text.slice(0, 4)}-${text.slice(4)}`;
}

/**
 * The card of one board. `answers`: use, language, network, technician (text of keys, or none), title (or null), wifi (or null) and authority, an entry of the list that
 * vigil-fleet has put into the page, or its entry for none.
 */
function makeCard(answers, random) {
    if (!["person", "place"].includes(answers.use)) throw new Fault("noUse");
    if (!["en", "de", "fr", "de-simple"].includes(answers.language)) throw new Fault("noLanguage");
    const way = network(trimmed(answers.network));
    const technicians = answers.technician === "none" ? null : keys(answers.technician);
    const { title, authority } = answers;
    if (title !== null) checkTitle(title);
    const wireless = answers.wifi ?? null;
    const wirelessFile = wireless === null ? null : wifi(wireless, answers.use);
    const code = printedSecret(random);
    const claim = printedSecret(random);
    const randomName = localName(random);
    const serial = serialNumber(random);
    const proof = (secret) => hash(utf8(secret.replaceAll("-", "")));
    const files = [];
    const add = (path, content, isSecret = false) => files.push({ path, bytes: typeof content === "string" ? utf8(content) : content, isSecret });
    const vigil = {
        profile: answers.use === "person" ? "token" : "kiosk", language: answers.language,
        network: {
            folder: "/data/network", interfaces: ["wired"], provisioned: "/data/provision/network/20-wired.network",
            reload: ["systemctl", "reload", "systemd-networkd.service"],
        },
        reboot: true,
    };
    if (authority.file !== null) vigil.authorities = ["/data/provision/authority.json"];
    add("provision/vigil.json", jsonFile(vigil));
    // Where title and name belong, vigil-fleet has left members of that kind.
    const head = '      "settings": ';
    const name = answers.use === "person" ? randomName : serial;
    const settings = { ...(title === null ? {} : { title }), names: [`${name}.local`] };
    add("provision/grants.json", authority.grants.replace(head + '{ "title": "@", "names": ["@.local"] }', () => head + indented(settings, 6, head.length)));
    add("provision/ports", "8443\n");
    add("provision/name", name + (answers.use === "person" ? " setup\n" : "\n"));
    if (authority.file !== null) add("provision/authority.json", fromBase64(authority.file));
    if (technicians !== null) add("provision/authorized_keys", technicians.map((key) => key.line + "\n").join(""));
    if (way.file !== null) add("provision/network/20-wired.network", way.file);
    const hashes = Object.fromEntries(files.map((file) => [file.path.slice("provision/".length), hash(file.bytes)]));
    const record = {
        format: 1, serial, use: answers.use, language: answers.language, network: way.text, claimHash: proof(claim), labelCodeHash: proof(code),
        ...(title === null ? {} : { title }),
        ...(authority.file === null ? {} : { authority: authority.name, authorityHash: hashes["authority.json"] }),
        files: hashes, technicians: (technicians ?? []).map((key) => key.fingerprint),
    };
    add("provision/first-secrets", JSON.stringify({ [answers.use === "person" ? "wearer" : "technician"]: code }) + "\n", true);
    add("provision/enrolment-claim", `${claim}\n`, true);
    if (wirelessFile !== null) add("provision/wifi", wirelessFile, true);
    const pages = [...(way.address === null ? [] : [way.address]), `${name}.local`].map((host) => `${host}:8443`);
    add("label.txt", `Vigil ${serial}\nPage  ${pages.map((page) => `https://${page}`).join("\n      ")}\n`
        + (answers.use === "person" ? "The name works while the board is being set up: for an hour after it is switched on.\n" : "") + `Code  ${code}\n`
        + `The first sign-in, as ${answers.use === "person" ? "the wearer" : "a technician"}. Choose another secret then.\n`, true);
    add("board.json", jsonFile(record));
    return { serial, code, page: pages[0], files };
}

// A ZIP file without compression (APPNOTE 6.3.10), which Windows, macOS and Linux open by themselves.

function crc32(bytes) {
    let value = 0xFFFFFFFF;
    for (const byte of bytes) {
        value ^= byte;
        for (let i = 0; i < 8; i += 1) value = (value >>> 1) ^ (value & 1 ? 0xEDB88320 : 0);
    }
    return (value ^ 0xFFFFFFFF) >>> 0;
}

/** The files below a folder, readable by their owner alone where the system knows that. */
function zip(folder, files) {
    const numbers = (...pairs) => Uint8Array.from(pairs.flatMap(([value, size]) => Array.from({ length: size }, (_, i) => Math.floor(value / 2 ** (8 * i)) & 255)));
    const [parts, directory] = [[], []];
    const length = (pieces) => pieces.reduce((sum, piece) => sum + piece.length, 0);
    for (const file of files) {
        const name = utf8(`${folder}/${file.path}`);
        const offset = length(parts);
        // Stored, names in UTF-8, 1980-01-01: the day says nothing.
        const common = [[0x800, 2], [0, 2], [0, 2], [0x21, 2], [crc32(file.bytes), 4], [file.bytes.length, 4], [file.bytes.length, 4], [name.length, 2], [0, 2]];
        directory.push(numbers([0x02014B50, 4], [0x0314, 2], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0o100600 * 65536, 4], [offset, 4]), name);
        parts.push(numbers([0x04034B50, 4], [20, 2], ...common), name, file.bytes);
    }
    const end = numbers([0x06054B50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [length(directory), 4], [length(parts), 4], [0, 2]);
    const all = [...parts, ...directory, end];
    const result = new Uint8Array(length(all));
    let offset = 0;
    for (const piece of all) {
        result.set(piece, offset);
        offset += piece.length;
    }
    return result;
}
