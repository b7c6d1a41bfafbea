# SPDX-License-Identifier: Apache-2.0
"""A real Chromium, used as a person would: by mouse, or by keyboard only; with what axe-core says of each page it comes to. Elements are named
by selectors (`a[href="/tests"]`), so that a story is the same in every language."""
import base64
import contextlib
import json
import os
import time

import axe_core_python
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js"), encoding="utf-8") as file:
    AXE = file.read()
# WCAG 2.2 up to AA, what axe's makers call good practice, and the contrast of AAA, which the issue asks for.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Pages of people who wear a device are read by a screen reader from top to bottom: more tabs than this to anything is a maze.
MOST_TABS = 120


class Browser:
    """One window. `keys`: nothing is clicked, everything is reached with Tab and pressed."""

    def __init__(self, base, width=360, height=800, language="en", keys=False, scripts=True, dark=False):
        self.base, self.keys, self.scripts, self.width = base, keys, scripts, width
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                     "--ignore-certificate-errors", f"--accept-lang={language}", f"--lang={language}", "--force-prefers-reduced-motion"]:
            options.add_argument(word)
        options.add_experimental_option("prefs", {"intl.accept_languages": language, "intl.selected_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(30)
        self.command("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                                 {"name": "prefers-reduced-motion", "value": "reduce"}]})
        if not scripts:
            self.command("Emulation.setScriptExecutionDisabled", {"value": True})

    def command(self, name, parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def close(self):
        with contextlib.suppress(WebDriverException):
            self.driver.quit()

    # MARK: Looking

    def evaluate(self, text):
        """A script's value, whether or not the page may run scripts of its own."""
        answer = self.command("Runtime.evaluate", {"expression": text, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "script failed")[:600])
        return answer["result"].get("value")

    def open(self, path):
        self.driver.get(self.base + path)

    @property
    def path(self):
        return self.driver.current_url[len(self.base):] or "/"

    def has(self, selector):
        return self.evaluate(f"!!document.querySelector({json.dumps(selector)})")

    def text(self, selector="main"):
        return self.evaluate(f"(document.querySelector({json.dumps(selector)}) || {{innerText: ''}}).innerText")

    def links(self):
        """Paths this page leads to on this board."""
        return self.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h => h.startsWith('/'))")

    def wait_for(self, selector, seconds=15):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(WebDriverException, RuntimeError):
                if self.has(selector):
                    return True
            time.sleep(0.05)
        raise TimeoutError(f"{self.path} has no {selector}: {self.text('body')[:300]}")

    # MARK: Acting

    def press(self, selector):
        """Follows a link or presses a button, and waits for the page that comes of it."""
        self.wait_for(selector)
        self.command("Runtime.evaluate", {"expression": "window.__here = true"})
        if self.keys:
            self.reach(selector)
            isLink = self.evaluate("document.activeElement.tagName === 'A'")
            self.driver.switch_to.active_element.send_keys(Keys.ENTER if isLink else Keys.SPACE)
        else:
            self.click(selector)
        self.settle()

    def click(self, selector):
        """As a hand does: where it is seen. (The driver's own click does nothing where pages may not run scripts.)"""
        x, y = self.evaluate(f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const r = e.getClientRects()[0];"
                             f" return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector({json.dumps(selector)}))")
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"]:
            self.command("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left", "buttons": int(kind == "mousePressed"), "clickCount": 1})

    def settle(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with contextlib.suppress(WebDriverException, RuntimeError):
                if self.evaluate("document.readyState === 'complete' && !window.__here"):
                    return
            time.sleep(0.02)

    def reach(self, selector):
        """By Tab only, from wherever the focus is; what has the focus must be seen to have it."""
        wanted = json.dumps(selector)
        for _ in range(MOST_TABS):
            if self.evaluate(f"document.activeElement && document.activeElement.matches({wanted})"):
                shown = self.evaluate("(s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 || s.boxShadow !== 'none')(getComputedStyle(document.activeElement))")
                if not shown:
                    raise AssertionError(f"{self.path}: nobody sees that {selector} has the focus")
                return
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
        raise AssertionError(f"{self.path}: {selector} is not reached by {MOST_TABS} tabs")

    def fill(self, selector, text):
        self.wait_for(selector)
        if self.keys:
            self.reach(selector)
            element = self.driver.switch_to.active_element
        else:
            element = self.driver.find_element(By.CSS_SELECTOR, selector)
        if element.tag_name == "select":
            self.choose(selector, element, text)
        else:
            element.send_keys(Keys.CONTROL, "a")
            element.send_keys(text)

    def choose(self, selector, element, value):
        """A choice of a list, by its value."""
        if not self.keys:
            element.find_element(By.CSS_SELECTOR, f'option[value="{value}"]').click()
        element.send_keys(Keys.HOME)
        for _ in range(60):
            if self.evaluate(f"document.querySelector({json.dumps(selector)}).value") == value:
                return
            element.send_keys(Keys.ARROW_DOWN)
        raise AssertionError(f"{self.path}: {selector} has no choice {value}")

    def tick(self, selector):
        """A box or a choice."""
        self.wait_for(selector)
        if self.evaluate(f"document.querySelector({json.dumps(selector)}).checked"):
            return
        if not self.keys:
            self.click(selector)
        elif self.evaluate(f"document.querySelector({json.dumps(selector)}).type") == "radio":
            # Tab comes to one choice of a group only; arrows go on from there.
            group = self.evaluate(f"document.querySelector({json.dumps(selector)}).name")
            self.reach(f'input[name="{group}"]')
            if not self.evaluate("document.activeElement.checked"):
                self.driver.switch_to.active_element.send_keys(Keys.SPACE)
            for _ in range(20):
                if self.evaluate(f"document.querySelector({json.dumps(selector)}).checked"):
                    break
                self.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
        else:
            self.reach(selector)
            self.driver.switch_to.active_element.send_keys(Keys.SPACE)
        if not self.evaluate(f"document.querySelector({json.dumps(selector)}).checked"):
            raise AssertionError(f"{self.path}: {selector} cannot be chosen")

    # MARK: Judging

    def violations(self):
        """What axe finds, in a line each; and what it does not look for."""
        found = []
        # What is folded away is looked at, too. Folded, axe takes the colours of whatever lies in its place for its own.
        self.evaluate("document.querySelectorAll('details:not([open])').forEach(d => { d.wasClosed = d.open = true })")
        if not self.scripts:
            # axe waits for itself, which it cannot without scripts. The page's own stay away: it is loaded.
            self.command("Emulation.setScriptExecutionDisabled", {"value": False})
        if not self.evaluate("!!window.axe"):
            self.command("Runtime.evaluate", {"expression": AXE + ";0"})
        answer = self.evaluate("axe.run(document, {runOnly: %s, resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3)"
                               ".map(n => n.target.join(' ') + ' ' + (n.any[0] ? n.any[0].message : '')).join(' | ')))" % json.dumps(TAGS))
        found += answer or []
        wide = self.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 1:
            found.append(f"{wide} pixels wider than the window of {self.width}")
        if self.width < 600:
            # On a phone rows stand by themselves: nothing is to be scrolled sideways, and every cell says of which column it is.
            found += self.evaluate("""(() => {
                const wide = [...document.querySelectorAll('.table')].filter(t => t.scrollWidth - t.clientWidth > 1)
                    .map(t => t.ariaLabel + ': a table ' + (t.scrollWidth - t.clientWidth) + ' pixels wider than its place')
                const bare = [...document.querySelectorAll('.stack td')].filter(d => !getComputedStyle(d, '::before').content.includes(d.dataset.column || '?'))
                    .map(d => 'a cell without its column: ' + d.textContent.slice(0, 40))
                return wide.concat(bare)
            })()""") or []
        # 44 px (WCAG 2.5.5), but for links in running text.
        small = self.evaluate("""[...document.querySelectorAll('button, input:not([type=hidden]), select, summary, nav a, a.button')].filter(e => {
            const r = e.getBoundingClientRect(), label = e.closest('label') || (e.labels && e.labels[0]), l = label && label.getBoundingClientRect();
            return r.width && r.height && e.checkVisibility() && !(Math.max(r.height, l ? l.height : 0) >= 43.5) && r.top >= 0
        }).map(e => e.tagName + ' ' + (e.name || e.textContent.trim()).slice(0, 30) + ' ' + Math.round(e.getBoundingClientRect().height))""")
        found += [f"target below 44 px: {item}" for item in small or []]
        self.evaluate("document.querySelectorAll('details').forEach(d => { if (d.wasClosed) d.wasClosed = d.open = false })")
        if not self.scripts:
            self.command("Emulation.setScriptExecutionDisabled", {"value": True})
        return found

    def complaints(self):
        """What the browser itself said: refused styles and scripts, missing files, errors of scripts."""
        with contextlib.suppress(WebDriverException):
            # That a page answers a mistake with 4xx is said in the console, too, and is no complaint.
            return [entry["message"][:200] for entry in self.driver.get_log("browser")
                    if entry["level"] in ("SEVERE", "WARNING") and "responded with a status of 4" not in entry["message"]]
        return []

    def shot(self, file, most=6000):
        """A picture of the page from its top, of at most so many pixels in height."""
        size = self.command("Page.getLayoutMetrics", {})["cssContentSize"]
        height = min(size["height"], most)
        # WebP for what is kept: a quarter of the bytes.
        form = {"format": "webp", "quality": 80} if file.endswith(".webp") else {"format": "png"}
        data = self.command("Page.captureScreenshot", {**form, "captureBeyondViewport": True,
                                                       "clip": {"x": 0, "y": 0, "width": self.width, "height": height, "scale": 1}})["data"]
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))
