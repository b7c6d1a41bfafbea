#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the image that `make image` made in QEMU, as it is, with a controller of `vigil-lab air` on a serial port, and asks it how it is.
Ends with "N passed, M failed".

Usage: test-image.py FOLDER-WITH-EXECUTABLES [SCENARIO ...]     scenarios: boot, meet, silent; by name only: loader, web, cuts,
faults, exposed, fleet, hostile, names, try

boot    one machine with 512 MB and 2 processors: heard on air, no failed unit, what is kept where, closed to the network; with figures
meet    two machines on one air: each has to have heard the other
silent  a machine with a controller that says nothing: the same checks have to fail
loader  as a computer starts it: UEFI firmware, the loader and the kernel from the boot partition
web     the board's page through a forwarded port
cuts    power is cut at random times, CUTS times (20) on one disk, most of them while it writes: it has to start and be heard each time, and
        to have everything that it said it had stored
faults  core and supervisor killed, a greedy plugin, a full disk, a destroyed partition, clocks that lie, a controller that is unplugged: each is
        found by the self-check, on the console and on the page, and mended by the board itself; FAULTS=disk,clock chooses
exposed the main job: two machines meet, an authority on this machine publishes what one of them sent, and the other's page says so;
        ten to twenty minutes. Needs mosquitto, nginx, openssl, and root for them
fleet   a board of a fleet from its card to its end: planned, flashed, enrolled, synced, its page opened by the label, configured, cut off and back, retired,
        wiped. Needs what `exposed` needs, zbar, bmaptool and loop devices
try     the commands of `make try-image`: a card of vigil-fleet's in an emulated board, its page by the label's code, to the words Low risk, and again after a power cut
names   a neighbour finds the board by its name, and the page; hears nothing of a board without one, and nothing after setting up. Needs root, openssl
        and /dev/net/tun
hostile the hostile plugin tries everything and gains nothing; a neighbour on the network tries every port; how each process is confined, as
        the kernel says it. HOSTILE=attack,table,scan,storm chooses. Needs what `exposed` needs, a C compiler and /dev/net/tun

Emulation needs no rights and no hardware. Environment: BOARD (qemu-x86_64), IMAGE, a folder made by Board/image/build.py, ACCELERATION
(tcg), PATIENCE, by how much longer than usual to wait (1; more on a busy machine), CUTS, SEED, KEEP.
"""
import os
import sys
import time

import boardkit
from boardkit import BIN, ROOT, air, perform, processes, read

sys.path.insert(0, f"{ROOT}/Tools/image")
import cuts  # noqa: E402
import exposed  # noqa: E402
import faults  # noqa: E402
import fleet  # noqa: E402
import hostile  # noqa: E402
import names  # noqa: E402
import starts  # noqa: E402
import trial  # noqa: E402
from machines import BOARD, IMAGE  # noqa: E402


def main():
    if not os.path.exists(f"{IMAGE}/disk.img"):
        sys.exit(f"test-image.py: there is no {IMAGE}/disk.img; run make image BOARD={BOARD} first")
    scenarios = {"boot": starts.boot, "meet": starts.meet, "silent": starts.silent, "loader": starts.loader, "web": starts.web, "cuts": cuts.cuts,
                 "faults": faults.faults, "exposed": exposed.exposed, "fleet": fleet.fleet,
                 "hostile": hostile.hostile, "names": names.names, "try": trial.trial}
    wanted = sys.argv[2:] or ["boot", "meet", "silent"]
    unknown = [name for name in wanted if name not in scenarios]
    if unknown:
        sys.exit(f"test-image.py: there is no scenario {', '.join(unknown)}; there are {', '.join(scenarios)}")
    for name in wanted:
        print(f"== {name}", flush=True)
        began = time.monotonic()
        if not air("--ctl", f"{boardkit.FOLDER}/air.ctl"):
            sys.exit(f"test-image.py: {BIN}/vigil-lab air does not start: {read('air.log')}")
        scenarios[name]()
        for process in list(processes):
            if process != "air":
                processes.pop(process).kill()
        boardkit.stop("air")
        print(f"== {name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    perform(main)
