# SPDX-License-Identifier: Apache-2.0
"""What people do on a board's page, in steps that are the same in every language, by mouse or by keyboard, with or without scripts. Each page
they come to is looked at: what axe says, what the browser says, whether it is in their language."""
import datetime
import time
import zoneinfo


def form(act, button="button"):
    return f'form:has(> input[name="act"][value="{act}"]) {button}'


class Walk:
    """Somebody in front of a board's page."""

    def __init__(self, browser, language, pictures=None):
        self.browser, self.language, self.pictures = browser, language, pictures
        self.problems, self.seen = [], {}

    def look(self, state=""):
        """Judges the page that is open now, once for each state of it."""
        browser = self.browser
        place = browser.path.split("?")[0] + (f" ({state})" if state else "")
        for complaint in browser.complaints():
            if "favicon" not in complaint:
                self.problems.append(f"{place}: the browser says {complaint}")
        if place in self.seen:
            return
        found = browser.violations()
        tag = browser.evaluate("document.documentElement.lang")
        if tag != self.language.split("-")[0]:
            found.append(f"says it is in {tag}")
        headings = browser.evaluate("document.querySelectorAll('h1').length")
        if headings != 1 or not browser.evaluate("document.title"):
            found.append(f"{headings} main headings, title {browser.evaluate('document.title')!r}")
        self.seen[place] = len(found)
        self.problems += [f"{place}: {item}" for item in found]
        if self.pictures:
            name = place.strip("/").replace("/", "-").replace(" ", "-").replace("(", "").replace(")", "") or "today"
            browser.shot(f"{self.pictures}/{name}.png")

    def press(self, selector, state=""):
        self.browser.press(selector)
        self.look(state)

    def go(self, path, state=""):
        """By a link of this page if it has one, which is how people come there; else as from a bookmark."""
        selector = f'a[href="{path}"]'
        shown = f"(e => !!e && e.checkVisibility())(document.querySelector({selector!r}))"
        if self.browser.evaluate(shown):
            self.browser.press(selector)
        else:
            self.browser.open(path)
        if self.browser.path.split("?")[0] != path.split("?")[0]:
            self.problems.append(f"{path}: led to {self.browser.path}")
        self.look(state)

    def expect(self, what, good):
        if not good:
            self.problems.append(f"{self.browser.path}: {what}: {self.browser.text('main')[:160]!r}")

    def until(self, what, condition, seconds=40):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.5)
            self.browser.open(self.browser.path)
        self.expect(what, False)

    # MARK: Signing in

    def sign_in(self, role, secret):
        self.browser.open("/sign-in")
        self.look()
        if self.browser.has(f'input[name="role"][value="{role}"]'):
            self.browser.tick(f'input[name="role"][value="{role}"]')
        self.browser.fill('input[name="secret"]', "not this one")
        self.press(form("signIn"), "refused")
        self.expect("a wrong code lets nobody in", self.browser.has('input[name="secret"]'))
        if self.browser.has(f'input[name="role"][value="{role}"]'):
            self.browser.tick(f'input[name="role"][value="{role}"]')
        self.browser.fill('input[name="secret"]', secret)
        self.press(form("signIn"), "signed in")
        self.expect("the right one does", not self.browser.has('input[name="secret"]'))

    def sign_out(self):
        if self.browser.has(form("signOut")):
            self.press(form("signOut"))

    def choose_language(self):
        if self.language == "de-simple" or self.browser.evaluate("document.documentElement.lang") != self.language:
            self.go("/settings")
            self.browser.fill('select[name="language"]', self.language)
            self.press(form("setLanguage"), "language")

    # MARK: The wearer

    def first_start(self):
        self.expect("the first page is the introduction", self.browser.path.startswith("/welcome"))
        if self.language == "de-simple":
            self.browser.press('a[href="/welcome?language=de-simple"]')
        self.look("1")
        for step in (2, 3, 4):
            self.press(f'a[href="/welcome?step={step}"]', str(step))
        self.browser.tick('input[name="terms"]')
        self.browser.tick('input[name="beacon"]')
        self.browser.tick('input[name="notifications"]')
        self.press(form("agree"), "agreed")
        self.expect("after it comes today's page", self.browser.path.split("?")[0] == "/")

    def reading(self):
        for path in ["/", "/why", "/history", "/proof", "/help", "/hotlines", "/terms", "/privacy", "/imprint", "/data", "/settings"]:
            self.go(path)
        self.browser.open("/why")
        for path in [link for link in self.browser.links() if link.startswith("/why?day")][:2]:
            self.go(path, "a day")
        self.browser.open("/nowhere")
        self.look("404")

    def switches(self):
        self.go("/settings")
        self.press(form("setNotifications"), "notifications")
        self.go("/settings/off")
        self.press(form("disable"), "off")
        self.go("/", "off")
        self.go("/settings")
        self.press(form("enable"), "on")
        self.go("/", "on")

    def own_secret(self, secret):
        self.go("/settings")
        for name, text in [("present", secret), ("wanted", "a code of my own, really"), ("repeated", "another one altogether")]:
            self.browser.fill(f'input[name="{name}"]', text)
        self.press(form("changeOwnSecret"), "not repeated")
        for name, text in [("present", secret), ("wanted", "a code of my own, really"), ("repeated", "a code of my own, really")]:
            self.browser.fill(f'input[name="{name}"]', text)
        self.press(form("changeOwnSecret"), "changed")
        return "a code of my own, really"

    def test_and_warning(self, code, laboratory):
        self.go("/tests", "none")
        self.browser.fill('input[name="typed"]', "nonsense")
        self.press(form("enterTeleTAN"), "refused")
        self.browser.fill('textarea[name="code"]', "https://localhost/?" + code)
        self.press(form("enterCode"), "entered")
        laboratory(code)
        self.browser.open("/tests")
        path = [link for link in self.browser.links() if link.startswith("/tests/")][-1]
        self.go(path, "waiting")
        self.until("the result comes", lambda: self.browser.has(form("showResult")))
        self.look("ready")
        self.go("/", "news of a test")
        self.go(path)
        self.press(form("showResult"), "positive")
        self.go(path + "/warn")
        # A week ago: whom they met today is not warned, which they are told before anything is agreed.
        self.browser.tick('input[name="statement"][value="since"]')
        self.browser.fill('select[name="daysAgo"]', "7")
        self.browser.tick('input[name="consent"]')
        self.press(form("warn"), "not today")
        self.expect("before a consent counts, it is said whom it does not reach", self.browser.has('input[name="told"][value="since-7"]'))
        self.expect("and which days it reaches", self.browser.evaluate("document.querySelectorAll('.note li').length") == 9)
        # Another statement is another question.
        self.browser.fill('select[name="daysAgo"]', "2")
        self.browser.tick('input[name="consent"]')
        self.press(form("warn"), "agreed")
        self.expect("it is agreed", not self.browser.has('input[name="consent"]'))
        self.until("the warning is sent", lambda: not self.browser.has('section[aria-labelledby="state-title"] ' + form("withdraw")))
        self.look("sent")
        self.go(path, "warned")
        self.press(form("forgetTest"), "forgotten")

    def reset(self, word):
        self.go("/reset")
        self.browser.fill('input[name="word"]', "something else")
        self.press(form("reset"), "another word")
        self.browser.fill('input[name="word"]', word)
        self.press(form("reset"), "done")

    # MARK: Check-in

    def visits(self, code):
        """A wearer checks in as with a code scanner, which types the text and presses Return."""
        self.go("/visits", "none")
        self.browser.fill('input[name="code"]', "https://e.example/no-code")
        self.press(form("checkIn"), "no code")
        self.browser.open("/visits")
        self.browser.command("Runtime.evaluate", {"expression": "window.__here = true"})
        self.browser.fill('input[name="code"]', code + "\n")
        self.browser.settle()
        self.look("there")
        self.press(form("setVisitWarning"), "not sent")
        self.press(form("checkOut"), "over")
        self.press(form("editVisit"), "times")
        self.go("/visits", "one")
        self.browser.open(self.browser.evaluate("document.querySelector('main .rows a').getAttribute('href')"))
        self.press(form("deleteVisit"), "deleted")

    def host(self):
        """A place, its poster, an event, the screen."""
        self.look("no place")
        self.browser.fill(form("describePlace", 'input[name="name"]'), "Café <Linde> & more")
        self.browser.fill(form("describePlace", 'input[name="street"]'), "Lindenweg 4, 12345 Neustadt")
        self.press(form("describePlace"), "described")
        # What was described leads to its code, and that back to the place.
        place = self.browser.evaluate("document.querySelector('main .back a').getAttribute('href')")
        self.expect("posters are offered", len([link for link in self.browser.links() if "poster." in link or link.endswith("code.png")]) == 5)
        self.browser.open(place)
        self.browser.fill(form("startEvent", 'input[name="event"]'), "Jazz")
        self.press(form("startEvent"), "event")
        self.press(form("endEvent"), "ended")
        self.times(place)
        self.browser.open(place)
        self.browser.fill(form("importCode", 'textarea[name="code"]'), "UKC19TRACING:1:no")
        self.press(form("importCode"), "no code")
        self.browser.open(place)
        self.press(form("showScreen"), "shown")
        self.press(form("startBroadcast"), "broadcast")
        self.press(form("stopBroadcast"), "not broadcast")

    def times(self, place):
        """An event of another day and hours of a broadcast: by the browser's clock, a quarter to six ahead of UTC, or in UTC where no script runs."""
        scripts = self.browser.scripts
        if scripts:
            self.zones(place)
        self.browser.command("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kathmandu"})
        self.browser.open(place)
        self.expect("labels name UTC without a script only", [self.browser.evaluate(
            f"/UTC|Welt-Zeit/.test(document.querySelector('label[for=field-{name}]').textContent)") for name in ["date", "time", "opens"]] == [not scripts] * 3)
        day = time.time() + 3 * 86_400
        for name, value in [("date", time.strftime("%Y-%m-%d", time.gmtime(day))), ("time", "03:00")]:
            self.browser.evaluate(f"document.querySelector('{form('startEvent', f'input[name={name}]')}').value = '{value}'")
        self.press(form("startEvent"), "coming")
        begins = f"{time.strftime('%Y-%m-%d', time.gmtime(day - 86_400))}T21:15" if scripts else f"{time.strftime('%Y-%m-%d', time.gmtime(day))}T03:00"
        self.expect("the event begins when it was said to", f"@{begins}:00Z@" in self.browser.evaluate("document.querySelector('main p.lead').dataset.here"))
        self.expect("and is shown by the same clock", "03:00" in self.browser.text("main p.lead") and ("UTC" in self.browser.text("main p.lead")) != scripts)
        self.expect("it can be cancelled, and not be withdrawn", self.browser.has(form("endEvent")) and not self.browser.has(form("revokeCode")))
        self.press(form("endEvent"), "cancelled")
        self.browser.open(place)
        for name, value in [("opens", "09:00"), ("closes", "02:30")]:
            self.browser.evaluate(f"document.querySelector('{form('startBroadcast', f'input[name={name}]')}').value = '{value}'")
        self.press(form("startBroadcast"), "hours")
        said = self.browser.evaluate("[...document.querySelectorAll('#broadcast p, section p')].map(p => p.dataset.here || '').find(t => /@[0-9]/.test(t))") or ""
        self.expect(f"the hours are kept in UTC, not {said}", all(f"@{word}@" in said for word in (["03:15", "20:45"] if scripts else ["09:00", "02:30"])))
        self.expect("and shown as they were entered", [self.browser.evaluate(f"document.querySelector('{form('startBroadcast', f'input[name={name}]')}').value")
                                                       for name in ["opens", "closes"]] == ["09:00", "02:30"])
        self.press(form("stopBroadcast"), "no hours")
        self.browser.command("Emulation.setTimezoneOverride", {"timezoneId": ""})

    # Ahead of UTC and behind it, by hours, halves and quarters, to the next day and back, on both sides of a change of clocks.
    ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "Australia/Lord_Howe"]
    MOMENTS = ["2026-12-31T23:59", "2027-01-01T00:00", "2027-03-28T01:30", "2027-03-28T03:00", "2027-07-01T12:00", "2027-10-31T04:00", "2028-02-29T00:10"]

    def zones(self, place):
        """What a form would send, against Python's time zones: nothing is sent."""
        for name in self.ZONES:
            self.browser.command("Emulation.setTimezoneOverride", {"timezoneId": name})
            self.browser.open(place)
            for moment in self.MOMENTS:
                day, clock = moment.split("T")
                sent = self.browser.evaluate(f"""(form => {{
                    form.elements.date.value = "{day}"; form.elements.time.value = "{clock}";
                    const data = new FormData(form);
                    return data.get("date") + "T" + data.get("time");
                }})(document.querySelector('form:has(> input[name=act][value=startEvent])'))""")
                wanted = datetime.datetime.fromisoformat(moment).replace(tzinfo=zoneinfo.ZoneInfo(name)).astimezone(datetime.UTC)
                self.expect(f"{moment} in {name} is sent as {wanted:%Y-%m-%dT%H:%M}, not {sent}", sent == f"{wanted:%Y-%m-%dT%H:%M}")
            kept = self.browser.evaluate("""(form => {
                form.elements.date.value = "2027-05-01"; form.elements.time.value = "";
                return new FormData(form).get("date");
            })(document.querySelector('form:has(> input[name=act][value=startEvent])'))""")
            self.expect(f"a day without its time is sent as it is, not {kept}", kept == "2027-05-01")

    def screen(self):
        """A display at the door: nothing to touch, nothing to scroll, upright and lying, by day and by night."""
        for width, height in [(800, 1280), (1280, 800), (1920, 1080), (360, 640)]:
            self.browser.command("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            self.browser.open("/screen")
            self.look(f"{width}x{height}")
            self.expect("nothing can be touched", not self.browser.has("a, button, input, form"))
            self.expect("nothing is to be scrolled", self.browser.evaluate(
                "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"))
            side = self.browser.evaluate("(r => Math.min(r.width, r.height))(document.querySelector('.qr').getBoundingClientRect())")
            self.expect(f"the code is large, not {side} points", side >= 0.45 * min(width, height))
            self.expect("all words are seen", self.browser.evaluate("(w => w.scrollHeight <= w.clientHeight + 1)(document.querySelector('.words'))"))

    # MARK: The technician

    TECHNICAL = ["/tech", "/tech/radio", "/tech/time", "/tech/sync", "/tech/plugins", "/tech/plugins/sync", "/tech/plugins/webui", "/tech/storage",
                 "/tech/network", "/tech/log", "/tech/checks", "/tech/audit", "/tech/calibration", "/tech/access", "/tech/reboot", "/tech/update",
                 "/tech/identity", "/tech/places"]

    def technician_looks(self, may_change):
        for path in self.TECHNICAL:
            self.go(path, "technician" if may_change else "technicianReadOnly")
            forms = self.browser.evaluate("[...document.querySelectorAll('main form input[name=act]')].map(i => i.value).filter(v => v != 'signOut')")
            if not may_change and forms:
                self.problems.append(f"{path}: a read-only technician sees forms: {forms}")
        self.browser.open("/tech/log?level=warning")
        self.look("filtered")
        self.browser.open("/")
        self.expect("no technician sees the wearer's page", self.browser.path.startswith("/tech"))

    def technician_changes(self, secret):
        now = time.gmtime()
        self.go("/tech/time")
        self.browser.evaluate(f"document.querySelector('input[name=date]').value = '{time.strftime('%Y-%m-%d', now)}'")
        self.browser.evaluate(f"document.querySelector('input[name=time]').value = '{time.strftime('%H:%M', now)}'")
        self.press(form("setTime"), "set")
        self.go("/tech/sync")
        self.press(form("syncNow"), "asked")
        self.go("/tech/plugins/webui")
        self.browser.fill('form input[name="set.title"], form input[name$="title"]', "Ward 3 <b>& more</b>")
        self.press(form("setSettings"), "set")
        for act in ["restartPlugin", "disablePlugin", "enablePlugin"]:
            self.go("/tech/plugins/wake")
            self.press(form(act), act)
        self.go("/tech/calibration")
        self.press(form("measure"), "measuring")
        self.go("/tech/access")
        self.browser.fill(form("makeToken", 'input[name="name"]'), "a script")
        self.press(form("makeToken"), "made")
        self.expect("the token is shown", self.browser.evaluate(r"/[0-9a-f]{64}/.test(document.querySelector('main').innerText)"))
        self.go("/tech/access", "one token")
        self.press(form("revokeToken"), "revoked")
        # Not one's own: that would end this session.
        self.browser.fill(form("changeSecret", 'select[name="role"]'), "technicianReadOnly")
        self.browser.fill(form("changeSecret", 'input[name="present"]'), secret)
        self.press(form("changeSecret"), "secret made")
        self.go("/tech/reboot")
        self.press(form("reboot"), "asked")
