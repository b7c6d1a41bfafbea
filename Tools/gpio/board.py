# SPDX-License-Identifier: Apache-2.0
"""Inside the kernel of test-gpio.sh: a chip with simulated lines, a whole board that uses them, and somebody who looks at the lights and presses
the button. Lines: 0 red, 1 green, 2 buzzer, 3 button (low when pressed, held up), 4 somebody else's."""
import glob
import json
import os
import random
import shutil
import sys
import threading
import time

import boardkit as kit
from boardkit import BIN, FOLDER, ROOT, call, check, start, state, stop, until

SIM = "/sys/kernel/config/gpio-sim/token"


def put(path, text):
    with open(path, "w") as file:
        file.write(text)


def get(path):
    with open(path) as file:
        return file.read().strip()


def make_chip():
    os.makedirs(f"{SIM}/bank")
    put(f"{SIM}/bank/num_lines", "5")
    put(f"{SIM}/bank/label", "token-sim")
    put(f"{SIM}/live", "1")
    return glob.glob(f"/sys/devices/platform/{get(f'{SIM}/dev_name')}/{get(f'{SIM}/bank/chip_name')}")[0]


class Film:
    """When which line is on, as the driver of the chip sees it."""

    def __init__(self, chip, lines):
        self.files = {line: os.open(f"{chip}/sim_gpio{line}/value", os.O_RDONLY) for line in lines}
        self.changes = []
        self.levels = {}
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            now = time.monotonic()
            for line, file in self.files.items():
                level = os.pread(file, 4, 0).strip() == b"1"
                if level != self.levels.get(line, False):
                    self.changes.append((now, line, level))
                    self.levels[line] = level
            time.sleep(0.004)

    def flashes(self, line, begin, end=None):
        """Seconds of each flash that began in that time."""
        changes = [(at, level) for at, which, level in list(self.changes) if which == line]
        lengths = []
        for (on, level), (off, _) in zip(changes, changes[1:]):
            if level and on >= begin and (end is None or on < end):
                lengths.append(round(off - on, 2))
        return lengths


def press(chip, seconds, bouncing=True):
    def pull(level):
        put(f"{chip}/sim_gpio3/pull", "pull-down" if level else "pull-up")

    def settle(level):
        if bouncing:
            for _ in range(5):
                pull(level)
                time.sleep(0.002)
                pull(not level)
                time.sleep(0.002)
        pull(level)

    settle(True)
    time.sleep(seconds)
    settle(False)


def main():
    chip = make_chip()
    put(f"{chip}/sim_gpio3/pull", "pull-up")
    film = Film(chip, [0, 1, 2])
    os.makedirs(f"{FOLDER}/plugins")
    shutil.copytree(f"{ROOT}/Plugins/Indicator", f"{FOLDER}/plugins/indicator")
    board = {
        "name": "sim", "title": "Simulated lines", "architecture": "amd64", "radio": {"transport": f"h4:unix:{FOLDER}/air"},
        "hardware": {"lines": {
            "chip": "token-sim", "lights": [{"line": 0, "colour": "red"}, {"line": 1, "colour": "green"}], "buzzer": {"line": 2},
            "button": {"line": 3, "activeLow": True, "bias": "pullUp"}}},
    }
    kit.write("board.json", json.dumps(board))
    kit.write("profile.json", json.dumps({"name": "sim", "consentButton": True}))
    kit.write("grants.json", json.dumps({"plugins": {"indicator": {
        "enabled": True, "calls": {"org.vigil.indicator1": ["Watch"]}, "lines": ["lights", "buzzer"]}}}))
    check("a virtual air", kit.air())
    words = [
        f"{BIN}/vigil", "run", "--transport", f"h4:unix:{FOLDER}/air", "--data", f"{FOLDER}/board/data", "--run", f"{FOLDER}/board/run",
        "--plugins", f"{FOLDER}/plugins", "--grants", f"{FOLDER}/grants.json", "--profile", f"{FOLDER}/profile.json",
        "--board", f"{FOLDER}/board.json", "--unconfined",
    ]
    os.makedirs(f"{FOLDER}/board")
    start("board", *words)
    up = until(lambda: state("board")["indicator"]["state"] == "running" and state("board")["core"]["state"] == "running", 60)
    if not check("core and indicator run", up, {name: process["state"] for name, process in state("board").items()}):
        print(kit.read("board.log")[-6000:])
        return kit.clean_up(["board"])
    confinement = {part["primitive"]: part["state"] for part in state("board")["indicator"].get("confinement", [])}
    check("the indicator is held by the filter of calls", confinement.get("system-calls") == "verified", confinement)
    holders = sorted(os.readlink(f"/proc/{pid}/exe").split("/")[-1] for pid in os.listdir("/proc") if pid.isdigit() and holds_chip(pid))
    check("nobody holds the chip itself", holders == [], holders)

    time.sleep(3)
    begin = time.monotonic()
    press(chip, 0.2)
    time.sleep(4)
    check("switched off: two long flashes, twice, when asked", len(film.flashes(0, begin)) == 4, film.flashes(0, begin))
    check("and the same by sound", len(film.flashes(2, begin)) == 4, film.flashes(2, begin))

    call("board", "org.vigil.device1.Enable")
    call("board", "org.vigil.device1.SetTime", {"now": 1_795_262_400_000})
    on_air = until(lambda: call("board", "org.vigil.exposure1.GetStatus")["status"]["state"] == "active", 30)
    check("on air", on_air)
    time.sleep(3)
    begin = time.monotonic()
    time.sleep(19)
    flashes = film.flashes(1, begin)
    check("all is well: one short green flash every six seconds", len(flashes) == 3 and max(flashes) < 0.12, flashes)
    check("nothing red, no sound", not film.flashes(0, begin) and not film.flashes(2, begin))

    begin = time.monotonic()
    press(chip, 0.2)
    time.sleep(3.5)
    check("a press that bounces tells it twice", len(film.flashes(2, begin)) == 2, film.flashes(2, begin))

    begin = time.monotonic()
    press(chip, 5.0)
    time.sleep(4)
    counted = [length for length in film.flashes(0, begin) if length < 0.3]
    check("held for five seconds: five and four flashes, then called off", 9 <= len(counted) <= 10, counted)
    check("and nothing was erased", call("board", "org.vigil.exposure1.GetStatus")["status"]["enabled"])

    # Somebody who trembles. Whatever is pressed for less than two seconds asks, and asks for nothing else.
    chance, core, begin = random.Random(1), state("board")["core"]["pid"], time.monotonic()
    for _ in range(200):
        press(chip, chance.uniform(0.03, 0.3))
        time.sleep(chance.uniform(0.05, 0.4))
    status = call("board", "org.vigil.exposure1.GetStatus")["status"]
    check("200 bouncing presses end nothing and erase nothing", status["enabled"] and status["state"] == "active" and state("board")["core"]["pid"] == core, status["state"])
    check("and no countdown has begun", not film.flashes(0, begin), film.flashes(0, begin))
    time.sleep(5)

    stop("air")
    problem = until(lambda: call("board", "org.vigil.exposure1.GetStatus")["status"]["state"] == "radioTrouble", 30)
    time.sleep(4)
    begin = time.monotonic()
    time.sleep(9)
    flashes = film.flashes(0, begin)
    check("without a controller: four red flashes every three seconds", problem and 10 <= len(flashes) <= 13, flashes)
    check("and no green", not film.flashes(1, begin))
    kit.air()

    core = state("board")["core"]["pid"]
    os.kill(core, 9)
    check("a core that was killed is back", until(lambda: state("board")["core"]["state"] == "running" and state("board")["core"]["pid"] != core, 60))
    time.sleep(6)
    begin = time.monotonic()
    press(chip, 0.2)
    time.sleep(5)
    check("and hears the button", len(film.flashes(2, begin)) >= 2, film.flashes(2, begin))

    core = state("board")["core"]["pid"]
    press(chip, 11.5)
    time.sleep(2)
    check("held to the end and let go: nothing yet", call("board", "org.vigil.exposure1.GetStatus")["status"]["enabled"])
    press(chip, 0.3)
    gone = until(lambda: not call("board", "org.vigil.exposure1.GetStatus")["status"]["enabled"], 60)
    check("one more press erases everything", gone)
    check("by a core that was started anew", until(lambda: state("board")["core"]["pid"] != core, 30))
    stop("board")
    time.sleep(0.5)
    check("dark in the end", not any(film.levels.values()), film.levels)
    return kit.clean_up(["board"])


def holds_chip(pid):
    try:
        return any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith("/dev/gpiochip") for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


sys.exit(main())
