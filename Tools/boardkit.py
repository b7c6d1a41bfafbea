# SPDX-License-Identifier: Apache-2.0
"""What scripts with whole boards share: a folder that is removed in the end, processes that are ended, checks that are counted,
calls at a board's console. For `from boardkit import …`; the first argument of the script is the folder with the executables."""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".build/release")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = tempfile.mkdtemp(prefix=f"vigil-{os.path.splitext(os.path.basename(sys.argv[0]))[0]}.")
os.chmod(FOLDER, 0o755)
processes = {}
# What every process is started with, beside what its caller says.
OPTIONS = {}
tally = {"passed": 0, "failed": 0}


def check(name, good, detail=""):
    tally["passed" if good else "failed"] += 1
    print(f"{'ok  ' if good else 'FAIL'} {name}{': ' + str(detail) if detail != '' else ''}", flush=True)
    return good


def run(*words, seconds=60, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=seconds, **options).stdout


def start(name, *words, **options):
    with open(f"{FOLDER}/{name}.log", "ab") as log:
        processes[name] = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=FOLDER, **OPTIONS, **options)


def stop(name, number=signal.SIGTERM):
    process = processes.pop(name)
    process.send_signal(number)
    process.wait(30)


def until(condition, seconds=20.0, step=0.02):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return True
        except (OSError, ValueError, KeyError, ConnectionError):
            pass
        time.sleep(step)
    return False


RESERVED = []


def free_port():
    """A port that is reserved until this program ends: a server that sets SO_REUSEADDR can listen there, and nothing else gets it.

    Tests/Support/RandomValues/Unique.swift says why that is so."""
    while True:
        # Below those that Linux gives to connections by itself.
        reserving = socket.socket()
        try:
            reserving.bind(("127.0.0.1", random.randrange(10_240, 32_768)))
        except OSError:
            reserving.close()
            continue
        reserving.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        RESERVED.append(reserving)
        return reserving.getsockname()[1]


def write(name, text):
    with open(f"{FOLDER}/{name}", "w") as file:
        file.write(text)
    return f"{FOLDER}/{name}"


def read(name):
    with open(f"{FOLDER}/{name}", errors="replace") as file:
        return file.read()


# What is called at the socket of `vigil ctl`; everything else has one of its own.
CORE = {f"org.vigil.{name}" for name in ["access", "content", "device", "donation", "exposure", "indicator", "technician", "risk", "trust"]}


def call(board, method, parameters=None, seconds=120, more=False):
    """One Varlink call at the board's console; with `more` the first of its replies."""
    interface = method.rpartition(".")[0]
    place = f"{FOLDER}/{board}/run/"
    path = place + ("ctl.sock" if interface.rstrip("1") in CORE else "console/" + interface)
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(seconds)
        link.connect(path)
        link.sendall(json.dumps({"method": method, "parameters": parameters or {}, **({"more": True} if more else {})}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            part = link.recv(65536)
            if not part:
                raise ConnectionError(method)
            answer += part
    reply = json.loads(answer[:-1])
    if "error" in reply:
        raise ValueError(f"{method}: {reply['error']} {reply.get('parameters')}")
    return reply["parameters"]


def ctl(board, *words):
    """What `vigil ctl` prints at the board's console."""
    return run(f"{BIN}/vigil", "ctl", *words, "--run", f"{FOLDER}/{board}/run")


def state(board):
    """What the supervisor says of each process, by name."""
    document = json.loads(read(f"{board}/run/supervisor.json"))
    return {process["name"]: process for process in document["processes"]}


def pss(process, kind="Pss"):
    """Proportional set size of a process, KiB, or another line of smaps_rollup."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(f"{kind}:"))


def clean_up(boards):
    """Ends what was started, removes the folder unless something failed, prints the count; returns the exit status."""
    for name in list(processes):
        process = processes[name]
        try:
            stop(name)
        except subprocess.TimeoutExpired:
            process.kill()
    for name in boards:
        subprocess.run(["umount", "-l", f"{FOLDER}/{name}/run/spool"], capture_output=True)
    if tally["failed"] or os.environ.get("KEEP"):
        print(f"kept: {FOLDER}")
    else:
        shutil.rmtree(FOLDER, ignore_errors=True)
    print(f"{tally['passed']} passed, {tally['failed']} failed", flush=True)
    return 1 if tally["failed"] else 0


def air(*more):
    start("air", f"{BIN}/vigil-lab", "air", f"{FOLDER}/air", *more)
    return until(lambda: os.path.exists(f"{FOLDER}/air"))


def plant(board, sightings):
    """Makes a board that was never started remember the sightings of a file (CSV). The core has a user of its own."""
    os.makedirs(f"{FOLDER}/{board}/data", exist_ok=True)
    store = f"{FOLDER}/{board}/data/core"
    run(f"{BIN}/vigil-lab", "plant", "--sightings", sightings, "--data", store, seconds=600)
    for place, _, names in os.walk(store):
        for name in [place] + [f"{place}/{name}" for name in names]:
            os.chown(name, 61900, 61900)


def matched_files(board):
    return call(board, "org.vigil.exposure1.GetStatus")["status"]["matchedFileCount"]


def perform(main):
    """Runs `main`, cleans up, ends the script with the verdict."""
    try:
        main()
    finally:
        boards = [name for name in os.listdir(FOLDER) if os.path.isdir(f"{FOLDER}/{name}/run/spool")]
        status = clean_up(boards)
    sys.exit(status)
