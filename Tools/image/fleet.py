# SPDX-License-Identifier: Apache-2.0
"""A board of a fleet from its card to its end, by the image as it is: planned, flashed, started, enrolled, synced, its page opened by the label's code, configured in a
stage, cut off by two and back by itself, retired, wiped. Of Tools/test-image.py. Nothing is put on the card but what vigil-fleet puts there, and nobody types a secret.
"""
import json
import mmap
import os
import re
import stat
import subprocess
import time

import fleetkit
import serverkit
from boardkit import BIN, FOLDER, check, free_port, processes, read, run, start, stop, until, write
from exposed import HOST, sync, synced
from machines import BOARD, IMAGE, MIB, PATIENCE, START_SECONDS, Listener, Machine, asking, curl_page

PLACE = f"{FOLDER}/fleet"
PLAIN = free_port()
CONFIGURATION = "fleet/v1/configuration"
# What a wearer writes: for somebody who looks for it after the wipe.
SECRET = "wearer wrote canary 7341"


def authority():
    """The health authority. Its files are signed, and the card's profile has no certificates for a server of a laboratory: they come without TLS."""
    serverkit.certificates()
    serverkit.servers()
    os.makedirs(f"{FOLDER}/web/fleet/v1")
    plain = f"""server {{
    listen 127.0.0.1:{PLAIN};
    root {FOLDER}/authority/public;
    location /fleet/ {{ root {FOLDER}/web; }}
    location / {{ try_files $uri/index.zip $uri/index.json $uri =404; }}
  }}
"""
    stop("nginx")
    write("nginx.conf", read("nginx.conf").rstrip().removesuffix("}") + plain + "}\n")
    start("nginx", "nginx", "-c", f"{FOLDER}/nginx.conf", "-p", FOLDER)
    return write("profile.json", json.dumps(serverkit.profile("laboratory", {"en": "Laboratory", "de": "Labor", "fr": "Laboratoire"}, f"http://{HOST}:{PLAIN}")))


def planned(profile):
    """Two cards of boards that enrol, and take signed cards only. Gives the registration authority and the serial number of the one that is started."""
    os.makedirs(PLACE)
    fleet = fleetkit.Fleet(PLACE, HOST)
    fleetkit.operator_key(PLACE)
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/ssh")
    write("fleet/fleet.csv", "name,use,language,network,group\nhall,person,en,automatic,libraries\ncafe,person,en,automatic,cafes\n")
    run(f"{BIN}/vigil-fleet", "plan", f"{PLACE}/fleet.csv", "--inventory", f"{PLACE}/fleet.sqlite", "--cards", f"{PLACE}/cards", "--authority", profile, "--local-authority",
        "--technician", f"{FOLDER}/ssh.pub", "--key", f"{PLACE}/operator.key", "--board-type", BOARD, "--signed-cards-only", "--configuration", CONFIGURATION,
        "--enrolment", f"https://{HOST}:{fleet.port}/.well-known/est", "--enrolment-anchor", f"{PLACE}/tls.pem")
    fleet.command("init", "--title", "Laboratory")
    write("fleet/claims.txt", run(f"{BIN}/vigil-fleet", "claims", f"{PLACE}/fleet.sqlite"))
    fleet.command("import", f"{PLACE}/claims.txt")
    fleet.start()
    fleet.start_front()
    boards = json.loads(run(f"{BIN}/vigil-fleet", "inventory", f"{PLACE}/fleet.sqlite", "--json"))
    return fleet, next(board["serial"] for board in boards if board["name"] == "hall")


def flashed(serial):
    """The card of the board, written by vigil-fleet onto a disk that is larger than the image."""
    # Sparse, and on this machine's disk: the image itself is not touched.
    run("cp", "--sparse=always", f"{IMAGE}/disk.img", f"{PLACE}/vigil.img", seconds=300)
    run("bmaptool", "--quiet", "create", f"{PLACE}/vigil.img", "-o", f"{PLACE}/vigil.img.bmap", seconds=300)
    disks = {}
    for name in ["hall", "cafe"]:
        disks[name] = f"{FOLDER}/{name}.img"
        with open(disks[name], "wb") as file:
            file.truncate(600 * MIB)
    loops = [loop(disk) for disk in disks.values()]
    try:
        done = subprocess.run([f"{BIN}/vigil-fleet", "flash", f"{PLACE}/vigil.img", "--inventory", f"{PLACE}/fleet.sqlite", "--cards", f"{PLACE}/cards", "--bmap",
                               f"{PLACE}/vigil.img.bmap", "--laboratory", "--json", *loops], capture_output=True, text=True, timeout=580)
    finally:
        for name in loops:
            run("losetup", "-d", name)
    states = {board["serial"]: board["state"] for board in json.loads(run(f"{BIN}/vigil-fleet", "inventory", f"{PLACE}/fleet.sqlite", "--json"))}
    check("fleet: two cards are written and read back", done.returncode == 0 and set(states.values()) == {"cardWritten"}, done.stderr[-300:] or states)
    # Which board is on which disk the journal decides: by the name of its card.
    return next(disk for disk in disks.values() if serial.encode() in card(disk))


def loop(path):
    for _ in range(20):
        name = subprocess.run(["losetup", "--find"], capture_output=True, text=True).stdout.strip()
        if name and not os.path.exists(name):
            os.mknod(name, 0o600 | stat.S_IFBLK, os.makedev(7, int(re.sub(r"\D", "", name))))
        if name and subprocess.run(["losetup", name, path]).returncode == 0:
            return name
    raise SystemExit("there is no loop device")


def card(disk):
    return run("mtype", "-i", f"{disk}@@{MIB}", "::/provision/device.json", env={**os.environ, "MTOOLS_SKIP_CHECK": "1"}).encode()


def on(disk, text):
    """Whether these bytes are anywhere on the disk."""
    with open(disk, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
        return content.find(text.encode()) >= 0


def told(machine):
    """What Sync says of itself, for whoever looks why."""
    return machine.ask("vigil ctl call org.vigil.sync1.GetFreshness --socket /run/vigil/console/org.vigil.sync1 2>&1 || true; journalctl -u vigil -o cat --no-pager | tail -n 20")


def label(serial):
    """What a phone reads from the label: drawn, read back by zbar, taken apart. Gives the address of the page and the code."""
    folder = f"{PLACE}/cards/{serial}"
    with open(f"{folder}/label.txt") as file:
        lines = dict(line.split("  ", 1) for line in file.read().splitlines() if "  " in line)
    run(f"{BIN}/vigil-fleet", "label", serial, f"{PLACE}/label", input=lines["Code"].strip() + "\n")
    said = run("zbarimg", "--raw", "--quiet", f"{PLACE}/label/label-code.png").strip()
    parts = dict(part.split(":", 1) for part in said.split(";"))
    check("fleet: the label's picture says the board and its code", parts.get("ID") == serial and parts.get("K"), said[:12])
    return lines["Page"].strip().removeprefix("https://").partition(":")[0], parts["K"]


def sign_in(machine, secret, role="wearer"):
    os.path.exists(f"{FOLDER}/{machine.name}.page.jar") and os.remove(f"{FOLDER}/{machine.name}.page.jar")
    return send(machine, "/sign-in", act="signIn", role=role, secret=secret) in ("302", "303")


def send(machine, path, **fields):
    """Fills in a form of the page. Gives the status."""
    token = re.search(r'name="form" value="([^"]+)"', curl_page(machine, path, "-L")[1])
    if not token:
        return "no form"
    words = [word for name, value in {**fields, "form": token.group(1)}.items() for word in ("--data-urlencode", f"{name}={value}")]
    return curl_page(machine, path, "-H", f"Origin: https://{machine.page}:8443", "-H", "Sec-Fetch-Site: same-origin", *words)[0]


def publish(version, change, seconds=3_600):
    document = write("configuration.json", json.dumps({
        "format": "vigil-fleet-configuration-1", "version": version, "trialSeconds": seconds, "stages": [{"to": "group:libraries", **change}]}))
    run(f"{BIN}/vigil-fleet", "configure", document, "--key", f"{PLACE}/operator.key", "--out", f"{FOLDER}/web/{CONFIGURATION}", "--inventory", f"{PLACE}/fleet.sqlite")


def configuration(machine):
    return json.loads(machine.ask("vigil ctl call org.vigil.trust1.GetConfiguration --json"))


def holds(machine, field, version, seconds, asks=True):
    """Waits until a field has this version; Sync is told to look again now and then, as it does by itself while something is on trial."""
    def found():
        try:
            if configuration(machine).get(field) == version:
                return True
            if asks:
                sync(machine)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            # Its network may have changed beneath the connection.
            machine.hang_up()
        return False
    return until(found, seconds * PATIENCE, 10)


def secrets_on(disk, serial, code):
    """Names of the secrets that somebody who has the disk would find."""
    claim = fleetkit.claim_of(PLACE, serial)
    secrets = {"claim": claim, "claim without dashes": claim.replace("-", ""), "label's code": code, "code without dashes": code.replace("-", ""), "wearer's secret": SECRET}
    return [name for name, text in secrets.items() if on(disk, text)]


def first_start(fleet, serial, disk):
    with open(f"{PLACE}/cards/{serial}/provision/first-secrets") as file:
        found = secrets_on(disk, serial, json.load(file)["wearer"])
    check("fleet: control: before the first start both are on the card", found == ["claim", "label's code"], found)
    machine = Machine("hall", ports=(8443,), disk=disk)
    listener = Listener()
    machine.power_on()
    until(machine.is_up, START_SECONDS, 1)
    failed = machine.ask("systemctl --failed --no-legend --plain").strip()
    check("fleet: it has started, with no failed unit", failed == "", failed)
    said = machine.ask("journalctl -u vigil-provision -o cat --no-pager")
    check("fleet: the card was verified and taken", "provision/ is taken" in said and not any(word in said for word in ["faults", "not taken", "could not be"]), said)
    check("fleet: it enrols by itself", until(lambda: fleet.states().get(serial) == "enrolled", 180 * PATIENCE, 1), fleet.states())
    return machine, listener


def opened(machine, listener, serial):
    machine.page, code = label(serial)
    check("fleet: the page opens at the label's address, by the label's code", until(asking(lambda: sign_in(machine, code)), 120 * PATIENCE, 3))
    check("fleet: nothing was sent before its wearer agreed", listener.first is None)
    check("fleet: the wearer agrees", send(machine, "/welcome?step=4", act="agree", terms="yes", beacon="yes", notifications="yes") in ("200", "302", "303"))
    check("fleet: from then on it is heard", until(lambda: listener.first, 60 * PATIENCE, 0.1))
    check("fleet: it has fetched from the authority", until(asking(lambda: synced(machine)), 240 * PATIENCE, 2), told(machine))
    status, text = curl_page(machine, "/", "-L", "-H", "Accept-Language: en")
    check("fleet: it is the wearer's page", status == "200" and 'id="state-word"' in text, status)
    check("fleet: the wearer chooses another secret", send(machine, "/settings", act="changeOwnSecret", present=code, wanted=SECRET, repeated=SECRET) in ("200", "302", "303"))
    check("fleet: from then on that one opens it, and the label's does not", sign_in(machine, SECRET) and not sign_in(machine, code))
    return code


def freshness(machine):
    text = machine.ask("vigil ctl call org.vigil.sync1.GetFreshness --socket /run/vigil/console/org.vigil.sync1")
    return json.loads(text)["freshness"]["sources"][0].get("lastSuccess", 0)


def reaches(machine):
    """Whether Sync reaches its server, from now on."""
    before = freshness(machine)

    def again():
        sync(machine)
        return freshness(machine) > before
    return until(asking(again), 180 * PATIENCE, 10)


def configured(machine):
    publish(1, {"plugins": {"webui": {"settings": {"title": "City library"}}}})
    check("fleet: a configuration for its group is tried", holds(machine, "trial", 1, 120) or configuration(machine).get("version") == 1, configuration(machine))
    check("fleet: and kept when it came again", holds(machine, "version", 1, 300), configuration(machine))
    check("fleet: the page has its title", until(lambda: "City library" in curl_page(machine, "/sign-in", "-L")[1], 60 * PATIENCE, 2))
    # Sync may only reach a server that is not there.
    publish(2, {"plugins": {"sync": {"endpoints": {"distribution": [{"host": "cdn.example", "port": 443}]}}}}, seconds=60)
    check("fleet: one that cuts Sync off is tried", holds(machine, "trial", 2, 120) or configuration(machine).get("takenBack") == 2, configuration(machine))
    check("fleet: and takes itself back", holds(machine, "takenBack", 2, 180, asks=False), configuration(machine))
    check("fleet: Sync reaches its server again", reaches(machine))


def wired(address, gateway, server):
    return {"networks": [{"interface": "wired", "method": "manual", "addresses": [address], "gateway": gateway, "nameServers": [server]}]}


def shown(machine):
    """What the technician's page is told of the network."""
    return json.loads(machine.ask("vigil ctl call org.vigil.technician1.GetNetwork --json"))["networks"][0]


def networked(machine, listener):
    """An address in another network: nobody reaches the board, and it comes back by itself. Then one that is right."""
    check("fleet: the page is told of its wired network", shown(machine) | {"interface": "wired", "method": "automatic"} == shown(machine), shown(machine))
    publish(3, wired("192.0.2.7/24", "192.0.2.1", "192.0.2.53"), seconds=120)
    sync(machine)
    gone = until(lambda: curl_page(machine, "/sign-in")[0] == "000", 120 * PATIENCE, 2)
    began = time.monotonic()
    machine.hang_up()
    check("fleet: an address in another network cuts the board off", gone)
    listener.listen_from(time.monotonic())
    heard = until(lambda: listener.first, 60 * PATIENCE, 0.1)
    back = until(lambda: curl_page(machine, "/sign-in", "-L")[0] == "200", 400 * PATIENCE, 2)
    check("fleet: it was on air meanwhile", heard and listener.first < time.monotonic(), f"{listener.first - began:.1f} s after it was gone" if heard else "nothing")
    check("fleet: it is back by itself", back, f"after {time.monotonic() - began:.0f} s, of a trial of 120")
    check("fleet: it says that it took the network back", holds(machine, "takenBack", 3, 120, asks=False), configuration(machine))
    check("fleet: the network is as before", shown(machine)["method"] == "automatic" and machine.ask("ls /data/network").strip() == "", shown(machine))
    check("fleet: Sync reaches its server over it", reaches(machine))
    # The address that the emulator forwards to, given by hand.
    publish(4, wired("10.0.2.15/24", "10.0.2.2", "10.0.2.3"), seconds=600)
    check("fleet: an address that is right is kept", holds(machine, "version", 4, 400), configuration(machine))
    check("fleet: and is in force", shown(machine)["addresses"] == ["10.0.2.15/24"] and "Address=10.0.2.15/24" in in_force(machine), in_force(machine))


def in_force(machine):
    """The file by which systemd-networkd has set the interface."""
    name = machine.ask("sed -n 's/^NETWORK_FILE=//p' /run/systemd/netif/links/*").strip()
    return machine.ask(f"cat {name}") if name else ""


def cut(machine, listener, disk, serial, code):
    """The power goes; then its disk is somebody else's to read."""
    machine.ask("sync")
    machine.cut()
    check("fleet: no secret of the card is left on its disk", not secrets_on(disk, serial, code), secrets_on(disk, serial, code))
    listener.listen_from(time.monotonic())
    machine.power_on()
    check("fleet: after a power cut it is heard again", until(lambda: listener.first, START_SECONDS, 0.1))
    until(machine.is_up, START_SECONDS, 1)
    check("fleet: and holds what it held", until(asking(lambda: configuration(machine).get("version") == 4), 60 * PATIENCE, 2), configuration(machine))
    check("fleet: by the address that was kept", "Address=10.0.2.15/24" in in_force(machine), in_force(machine))


def ended(machine, fleet, serial, code):
    fleet.command("retire", serial)
    check("fleet: its registration ends", fleet.states().get(serial) == "retired", fleet.states())
    life = machine.ask("cat /data/vigil/core/life").strip()
    check("fleet: before the wipe nobody takes it for wiped", machine.vigil("wiped").get("ready") is False, machine.vigil("wiped"))
    machine.ask("vigil ctl reset --yes --hand-on", 120)
    proof = until(asking(lambda: machine.ask("vigil ctl wiped --json >/run/proof && cat /data/vigil/core/life").strip() not in ("", life)), 120 * PATIENCE, 2)
    said = json.loads(machine.ask("cat /run/proof"))
    check("fleet: it is wiped, and says so", proof and said.get("ready") is True and said.get("handedOn") is True and said.get("left") == [], said)
    until(lambda: curl_page(machine, "/sign-in", "-L")[0] == "200", 60 * PATIENCE, 2)
    check("fleet: neither the label's code nor the wearer's secret opens it", not sign_in(machine, code) and not sign_in(machine, SECRET))
    failed = machine.ask("systemctl --failed --no-legend --plain").strip()
    check("fleet: no failed unit in the end", failed == "", failed)


def fleet():
    registration, serial = planned(authority())
    try:
        disk = flashed(serial)
        machine, listener = first_start(registration, serial, disk)
        code = opened(machine, listener, serial)
        configured(machine)
        networked(machine, listener)
        cut(machine, listener, disk, serial, code)
        ended(machine, registration, serial, code)
        machine.cut()
    finally:
        registration.end()
        for name in ["nginx", "authority", "tests", "mosquitto"]:
            if name in processes:
                stop(name)
