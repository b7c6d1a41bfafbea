#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page that makes cards (`vigil-fleet card-page`) in a real Chromium, opened from a disk: by keyboard only, in three languages, judged by axe;
each wrong answer is told beside its question; nothing is fetched; and with random bytes that are known the folder is what the rules make of them,
which CardPageTests compares with vigil-fleet's own.

Usage: with-browser.sh test-card-page.py [FOLDER-WITH-EXECUTABLES] [--pictures FOLDER]    (.build/debug if not given). Needs chromium, chromium-driver, node.
"""
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile

from boardkit import BIN, FOLDER, ROOT, check, perform, run, until, write

sys.path.insert(0, f"{ROOT}/Tests/System/Browser")
from browser import Browser  # noqa: E402

PICTURES = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM6LyXdc5iFnrvjuEwo44Ocwxme7yFwhrPCYkIkvkQQM technician@example.org"
PASSWORD = "Zq7 correct horse"
# Bytes in place of the browser's random ones: 0, 7, 14 and so on.
KNOWN = "(() => { let n = 0; crypto.getRandomValues = (list) => { for (let i = 0; i < list.length; i++) { list[i] = n; n = (n + 7) % 256; } return list; }; })()"
RULES = r"""
const [, , page, given, result] = process.argv, fs = require("fs"), text = fs.readFileSync(page, "utf8");
const script = /<script>([^]*)<\/script>/.exec(text)[1].split("// The page around the rules of card.js")[0];
const data = JSON.parse(/id="data">([^]*?)<\/script>/.exec(text)[1]), answers = JSON.parse(given);
const { makeCard, zip } = new Function(script + "; return { makeCard, zip };")();
let n = 0;
const card = makeCard({ ...answers, authority: data.authorities[answers.authority] }, () => { const byte = n; n = (n + 7) % 256; return byte; });
fs.writeFileSync(result, zip(card.serial, card.files));
"""
WRONG = [
    # What is typed where, and which question tells of it.
    ({"own": "192.168.1.20", "gateway": "192.168.1.1", "servers": "192.168.1.1"}, "network"), ({"own": "192.168.1.20/24"}, "network"),
    ({"own": "192.168.1.20/24", "gateway": "10.0.0.1", "servers": "9.9.9.9"}, "network"), ({"own": "::1/64", "gateway": "::2", "servers": "::3"}, "network"),
    ({"keys": "hello"}, "technician"), ({"keys": KEY[:60]}, "technician"), ({"keys": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "technician"),
    ({"name": "x" * 61}, "title"), ({"wifi-name": "Library"}, "wifi"), ({"wifi-name": "Library", "wifi-password": "short", "wifi-country": "gb"}, "wifi"),
    ({"wifi-name": "Library", "wifi-password": "correct horse", "wifi-country": "UK"}, "wifi"),
]
# As Windows shows addresses, and people type them; each is 192.168.1.20/24.
WAYS = ["192.168.1.20/24", "192.168.1.20 255.255.255.0", "192.168.1.20 / 24", "192.168.1.20/255.255.255.0", " 192.168.1.20 /24 "]


def window(language, keys=False, width=360):
    browser = Browser(f"file://{FOLDER}", language=language, keys=keys, width=width)
    browser.command("Page.enable", {})
    browser.command("Page.addScriptToEvaluateOnNewDocument", {"source": KNOWN})
    browser.command("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": f"{FOLDER}/saved"})
    browser.open("/cards.html")
    return browser


def picture(browser, name):
    if PICTURES:
        os.makedirs(PICTURES, exist_ok=True)
        browser.driver.get_full_page_screenshot_as_file(f"{PICTURES}/{name}.png") if hasattr(browser.driver, "get_full_page_screenshot_as_file") \
            else browser.driver.save_screenshot(f"{PICTURES}/{name}.png")


def a_card(language, keys):
    """Somebody makes a card; gives the bytes of the folder."""
    shutil.rmtree(f"{FOLDER}/saved", ignore_errors=True)
    browser = window(language, keys, 360 if keys else 1280)
    found = browser.violations()
    check(f"{language}: axe finds nothing in the questions", not found, found[:3] if found else "")
    picture(browser, f"{language}-questions")
    # axe draws random bytes as well.
    browser.open("/cards.html")
    browser.tick('input[name="use"][value="place"]')
    browser.fill("#language", "fr")
    browser.tick('input[name="way"][value="manual"]')
    for place, text in {"own": "192.168.1.20/24", "gateway": "192.168.1.1", "servers": "192.168.1.1 9.9.9.9"}.items():
        browser.fill(f"#{place}", text)
    browser.tick('input[name="authority"][value="1"]')
    browser.fill("#keys", KEY)
    browser.fill("#name", "Bücherei „Süd“")
    for place, text in {"wifi-name": "Library", "wifi-password": PASSWORD, "wifi-country": "gb"}.items():
        browser.fill(f"#{place}", text)
    hidden = browser.evaluate("document.getElementById('wifi-password').type")
    browser.tick("#wifi-show")
    shown = browser.evaluate("document.getElementById('wifi-password').type")
    check(f"{language}: a password is shown only to whoever asks", (hidden, shown) == ("password", "text"), (hidden, shown))
    press(browser, "button[type=submit]")
    check(f"{language}: the card is there, and the focus is on it", until(lambda: browser.evaluate("document.activeElement.id === 'result'")))
    found = browser.violations()
    check(f"{language}: axe finds nothing in what comes out", not found, found[:3] if found else "")
    picture(browser, f"{language}-result")
    code = browser.text("#label-code")
    press(browser, "#save")
    saved = until(lambda: os.listdir(f"{FOLDER}/saved") and os.listdir(f"{FOLDER}/saved")[0].endswith(".zip"))
    check(f"{language}: the folder is saved", saved)
    with open(f"{FOLDER}/saved/{os.listdir(f'{FOLDER}/saved')[0]}", "rb") as file:
        data = file.read()
    printed = browser.command("Page.printToPDF", {})["data"]
    write("label.b64", printed)
    subprocess.run(f"base64 -d {FOLDER}/label.b64 > {FOLDER}/label.pdf", shell=True, check=True)
    text = subprocess.run(["pdftotext", f"{FOLDER}/label.pdf", "-"], capture_output=True, text=True).stdout
    check(f"{language}: printed is the label and nothing else", code in text and len(text.split()) < 25, " ".join(text.split()))
    reached = [entry for entry in browser.evaluate("performance.getEntriesByType('resource').map(e => e.name)") if not entry.startswith("blob:")]
    check(f"{language}: nothing was fetched", not reached, reached)
    log = [entry["message"] for entry in browser.driver.get_log("browser")]
    check(f"{language}: nothing is complained of", not log, log[:3] if log else "")
    press(browser, "#again")
    browser.driver.switch_to.alert.accept()
    check(f"{language}: another card begins without the first one's code", until(lambda: browser.evaluate("document.getElementById('result').hidden"))
          and code not in browser.evaluate("document.documentElement.outerHTML"))
    left = browser.evaluate("[...document.querySelectorAll('input[id^=wifi]')].map(e => e.type === 'checkbox' ? e.checked : e.value)")
    kind = browser.evaluate("document.getElementById('wifi-password').type")
    check(f"{language}: nor is anything left of its network", not any(left) and kind == "password", (left, kind))
    browser.close()
    return data, code


def press(browser, selector):
    """A button that leads to no other page."""
    if browser.keys:
        browser.reach(selector)
        browser.driver.switch_to.active_element.send_keys("\ue007" if selector == "#save" else " ")
    else:
        browser.click(selector)


def wrong_answers():
    browser = window("de")
    press(browser, "button[type=submit]")
    check("without an answer the first question says so", until(lambda: "Person" in browser.text("#use-error")), browser.text("#use-error"))
    check("and so does the other one that has none", "Gesundheitsbehörde" in browser.text("#authority-error"))
    browser.fill("#speech", "en")
    check("in another language as well", until(lambda: "person" in browser.text("#use-error")), browser.text("#use-error"))
    for values, place in WRONG:
        browser.open("/cards.html")
        browser.tick('input[name="use"][value="person"]')
        browser.tick('input[name="authority"][value="2"]')
        if place == "network":
            browser.tick('input[name="way"][value="manual"]')
        for field, text in values.items():
            browser.fill(f"#{field}", text)
        press(browser, "button[type=submit]")
        told = until(lambda where=place: browser.text(f"#{where}-error"))
        check(f"{json.dumps(values)[:60]}: said beside its question, and no card is made", told and browser.evaluate("document.getElementById('result').hidden"),
              browser.text(f"#{place}-error"))
    for way in WAYS:
        browser.open("/cards.html")
        browser.tick('input[name="use"][value="person"]')
        browser.tick('input[name="authority"][value="2"]')
        browser.tick('input[name="way"][value="manual"]')
        for field, text in {"own": way, "gateway": "192.168.1.1/24", "servers": "192.168.1.1, 9.9.9.9"}.items():
            browser.fill(f"#{field}", text)
        press(browser, "button[type=submit]")
        check(f"{way!r} is understood", until(lambda: "192.168.1.20:8443" in browser.text("#label-page")), browser.text("#network-error"))
    browser.open("/cards.html")
    refused = browser.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    check("its own rules keep it from sending anything", refused == "refused")
    browser.close()


def main():
    made = run(f"{BIN}/vigil-fleet", "card-page", f"{FOLDER}/cards.html", *[word for name in ("example-cwa", "example-nhs")
               for word in ("--authority", f"{ROOT}/Provisioning/authorities/{name}.json")])
    check("vigil-fleet makes the page", "example-nhs" in made, made.strip())
    again = subprocess.run([f"{BIN}/vigil-fleet", "card-page", f"{FOLDER}/cards.html"], capture_output=True, text=True)
    check("and replaces nothing unasked", again.returncode == 2 and "--replace" in again.stderr, again.stderr.strip())
    answers = {"use": "place", "language": "fr", "network": "192.168.1.20/24 192.168.1.1 192.168.1.1 9.9.9.9", "authority": 1, "technician": KEY,
               "title": "Bücherei „Süd“", "wifi": {"name": "Library", "password": PASSWORD, "country": "GB", "hidden": False}}
    run("node", write("rules.js", RULES), f"{FOLDER}/cards.html", json.dumps(answers), f"{FOLDER}/expected.zip")
    with open(f"{FOLDER}/expected.zip", "rb") as file:
        expected = file.read()
    for language, keys in (("en", False), ("de", True), ("fr", True)):
        data, code = a_card(language, keys)
        check(f"{language}: byte for byte what the rules make of these answers and random bytes", data == expected, f"{len(data)} bytes")
        with zipfile.ZipFile(io.BytesIO(data)) as folder:
            files = {name.split("/", 1)[1]: folder.read(name) for name in folder.namelist()}
        record = json.loads(files["board.json"])
        wrong = [name for name, digest in record["files"].items() if digest != "sha256:" + hashlib.sha256(files[f"provision/{name}"]).hexdigest()]
        check(f"{language}: its record has each file's hash, and the code's", not wrong and
              record["labelCodeHash"] == "sha256:" + hashlib.sha256(code.replace("-", "").encode()).hexdigest(), wrong)
    wrong_answers()


perform(main)
