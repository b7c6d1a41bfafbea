# SPDX-License-Identifier: Apache-2.0
"""The image as it starts: heard, closed, two that meet, one that is mute, through the firmware and the loader, with its page. Of Tools/test-image.py."""
import json
import os
import time

from boardkit import check, until
from machines import CLOSED, IMAGE, PATIENCE, PROFILE, START_SECONDS, Listener, Machine, confinement, curl_page, judge, page_grants

# MemTotal less MemAvailable (issue: 140 MB all in).
MEMORY_LIMIT = 140e6
# By systemd's count; why not less: docs/decisions/0023.
EXPOSURE_LIMIT = 4.4


def boot():
    machine = Machine("one", ports=(CLOSED,))
    listener = Listener()
    machine.power_on()
    judge(machine, listener)
    check("one: what the operator provisioned is taken", PROFILE["name"] in machine.ask("journalctl -u vigil --no-pager"))
    storage = machine.ask("head /run/vigil-storage/keys /run/vigil-storage/data; df -m /keys /data; mount")
    check("one: keys and data are on their partitions", storage.count("good: made at the first start") == 2 and "/dev/vda5 on /data type ext4" in storage)
    check("one: the kernel keeps what each user may have on /data", any(line.startswith("/dev/vda5 on /data ") and "usrquota" in line for line in storage.splitlines()))
    grown = int(machine.ask("df -m --output=size /data | tail -n 1"))
    check("one: the data partition has grown to the end of the disk", grown > 150, f"{grown} MiB")
    check("one: the root file system cannot be written", " on / type squashfs (ro," in storage)
    check("one: the key lies on its own partition", machine.ask("find /keys -type f | wc -l").strip() != "0")
    check("one: the journal is in memory only", machine.ask("ls /var/log/journal 2>/dev/null | wc -l").strip() == "0")
    check("one: nobody has a password", machine.ask("cut -d : -f 2 /etc/shadow | grep -vc '^[!*]' || true").strip() == "0")
    # The same answer with the same door, open and closed: otherwise a dead listener would pass for a firewall.
    machine.ask(f"echo open | setsid busybox nc -l -p {CLOSED} >/dev/null 2>&1 & sleep 1")
    check("one: a port that nobody provisioned is closed", machine.answers(CLOSED) == b"")
    machine.ask(f"nft add element inet vigil open_tcp '{{ {CLOSED} }}'")
    check("one: and it is the firewall that closes it", machine.answers(CLOSED) == b"open\n")
    ways = machine.ask("cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\" { print $2 }' | sort -u").split()
    # 127.0.0.1, and those of systemd-resolved, 127.0.0.53 and .54.
    own = ("0100007F", "3500007F", "3600007F")
    outside = sorted({int(way.split(":")[1], 16) for way in ways if not way.startswith(own)} - {CLOSED})
    check("one: only SSH listens on other addresses than its own", outside == [22], outside)
    check("one: the watchdog of the machine is fed", machine.ask("cat /sys/class/watchdog/watchdog0/state").strip() == "active")
    confinement(machine)
    ready = machine.ask("tune2fs -l /dev/vda5 | grep -o ' encrypt '; modprobe -a xts cts sha512_generic && echo ciphers")
    check("one: /data can encrypt, and the kernel has the ciphers", "encrypt" in ready and "ciphers" in ready, ready)
    exposure = machine.ask("systemd-analyze security vigil.service --no-pager | tail -n 1").strip()
    check(f"one: exposure of the unit by systemd's count, at most {EXPOSURE_LIMIT}", float(exposure.split(":")[1].split()[0]) <= EXPOSURE_LIMIT, exposure)
    figures(machine)


def figures(machine):
    """Memory and processor of a machine that has nothing to do but its work."""
    time.sleep(20)
    sample = "awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $5 + $6 }' /proc/stat; awk '/usage_usec/ { print $2 }' \
        /sys/fs/cgroup/system.slice/vigil.service/cpu.stat; cut -d ' ' -f 1 /proc/uptime"
    before = [float(word) for word in machine.ask(sample).split()]
    time.sleep(60)
    after = [float(word) for word in machine.ask(sample).split()]
    busy, idle, own, passed = [new - old for new, old in zip(after, before)]
    memory = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in machine.ask("cat /proc/meminfo").splitlines()}
    used = memory["MemTotal"] - memory["MemAvailable"]
    own_memory = int(machine.ask("cat /sys/fs/cgroup/system.slice/vigil.service/memory.current"))
    check("one: memory used, at most 140 MB", used <= MEMORY_LIMIT,
          f"{used / 1e6:.1f} MB of {memory['MemTotal'] / 1e6:.1f}; of that vigil.service {own_memory / 1e6:.1f} MB with its files")
    print(f"     processors in {passed:.0f} s: {100 * busy / (busy + idle):.1f} % of both busy; vigil.service {own / passed / 1e4:.1f} % of one")
    print("     " + machine.ask("systemd-analyze time").strip().splitlines()[0])
    with open(f"{IMAGE}/report.txt") as file:
        print(f"     disk.img {os.stat(IMAGE + '/disk.img').st_blocks * 512 / 1e6:.1f} MB on disk; {file.read().splitlines()[2]}")


def meet():
    machines = [Machine("left"), Machine("right")]
    for machine in machines:
        machine.power_on()
    for machine in machines:
        check(f"{machine.name}: is up", until(machine.is_up, 2 * START_SECONDS, 1))
    for machine in machines:
        def has_heard(machine=machine):
            return machine.state("storedIdentifiers") >= 1
        began = time.monotonic()
        if check(f"{machine.name}: has heard the other", until(has_heard, 120 * PATIENCE, 2)):
            print(f"     {machine.state('storedIdentifiers')} identifiers, {time.monotonic() - began:.0f} s after both were up")


def silent():
    """The checks of `boot` on a machine that cannot be heard: that it is heard must be what fails, and nothing before."""
    machine = Machine("mute")
    listener = Listener()
    machine.power_on(radio=None)
    up = until(machine.is_up, START_SECONDS, 1)
    check("mute: the machine is up", up)
    heard = until(lambda: listener.first_after(machine.began), 30 * PATIENCE, 0.5)
    check("mute: nothing is heard, so that a test of a silent image fails", not heard)
    check("mute: and the board says so", up and machine.state("onAir") is not True)


def loader():
    machine = Machine("whole")
    listener = Listener()
    machine.power_on(loader=True)
    judge(machine, listener)
    check("whole: it came by UEFI", machine.ask("[ -d /sys/firmware/efi ] && echo yes || true").strip() == "yes")


def web():
    machine = Machine("page", ports=(8443,), files={"grants.json": json.dumps({"plugins": {"webui": page_grants()}})})
    listener = Listener()
    machine.power_on()
    judge(machine, listener)

    def page():
        status, text = curl_page(machine, "/", "-L")
        return status == "200" and "Image test" in text

    check("page: the plugin is allowed to run", "refused" not in machine.ask("vigil plugin list"), machine.ask("vigil plugin list | grep webui"))
    check("page: it is there through the forwarded port", until(page, 120 * PATIENCE, 2), machine.ask("vigil plugin list | grep webui || true").strip())
    confinement(machine)
