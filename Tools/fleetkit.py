# SPDX-License-Identifier: Apache-2.0
"""A fleet for scripts: its registration authority with nginx in front, and cards of its boards by vigil-fleet. The first argument of the script is the
folder with the executables. Needs nginx, openssl, faketime."""
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

BIN = os.path.abspath(sys.argv[1])
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
{include}
}}
"""


def run(*command, expect=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    if expect is not None and done.returncode != expect:
        raise SystemExit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr if expect is None else done.stdout


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Fleet:
    """A registration authority with nginx in front."""

    def __init__(self, folder, address="127.0.0.1"):
        """`address`: how boards know this machine."""
        self.folder, self.registry = folder, f"{folder}/registry"
        self.inner, self.port = free_port(), free_port()
        self.service = self.front = None
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj", f"/CN={address}",
            "-addext", f"subjectAltName=IP:{address}", "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.pem")
        # The sample of the repository, at the places of this test.
        sample = open(os.path.join(os.path.dirname(__file__), "../Provisioning/authority/nginx/vigil-enrolment.conf")).read()
        sample = sample.replace("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl").replace("/etc/nginx/tls/ra.pem", f"{folder}/tls.pem")
        sample = sample.replace("/etc/nginx/tls/ra.key", f"{folder}/tls.key").replace("127.0.0.1:8085", f"127.0.0.1:{self.inner}")
        sample = sample.replace("/var/log/nginx/", f"{folder}/")
        open(f"{folder}/nginx.conf", "w").write(NGINX.format(folder=folder, include=sample))

    def command(self, *words, **more):
        return run(f"{BIN}/vigil-authority", "fleet", words[0], self.registry, *words[1:], **more)

    def start(self, ahead=0):
        """So many days ahead of the machine's clock."""
        # The command faketime stays before its program, and would take the signal that ends it.
        shift = {"LD_PRELOAD": glob.glob("/usr/lib/*/faketime/libfaketime.so.1")[0], "FAKETIME": f"+{ahead}d"} if ahead else {}
        self.service = subprocess.Popen([f"{BIN}/vigil-authority", "fleet", "serve", self.registry, "--port", str(self.inner)], stdout=subprocess.DEVNULL,
                                        stderr=open(f"{self.folder}/serve.log", "w"), env=os.environ | shift)
        if not until(lambda: listens(self.inner)):
            raise SystemExit("the registration authority does not start")

    def said(self):
        """On standard error, since its last start."""
        return open(f"{self.folder}/serve.log").read()

    def stop(self):
        self.service.send_signal(signal.SIGTERM)
        return self.service.wait(30)

    def restart(self, ahead):
        self.stop()
        self.start(ahead)

    def start_front(self):
        self.front = subprocess.Popen(["nginx", "-e", f"{self.folder}/nginx.log", "-c", f"{self.folder}/nginx.conf"])
        if not until(lambda: listens(self.port)):
            raise SystemExit(open(f"{self.folder}/nginx.log").read())

    def status(self, event):
        found = re.search(rf"^{event}  (\d+)", self.command("status"), re.M)
        return int(found[1]) if found else 0

    def states(self):
        return {board["name"]: board["state"] for board in json.loads(self.command("list", "--json"))}

    def end(self):
        for process in (self.service, self.front):
            if process and process.poll() is None:
                process.terminate()
                process.wait(30)


def operator_key(folder):
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{folder}/operator.key")
    os.chmod(f"{folder}/operator.key", 0o600)
    run("openssl", "ec", "-in", f"{folder}/operator.key", "-pubout", "-out", f"{folder}/operator.pem")


def plan(folder, port, *more, names=(), **options):
    """Runs vigil-fleet for a table of boards that enrol at this port."""
    open(f"{folder}/fleet.csv", "w").write("name,use,language,network\n" + "".join(f"{name},person,en,automatic\n" for name in names))
    return run(f"{BIN}/vigil-fleet", "plan", f"{folder}/fleet.csv", "--inventory", f"{folder}/fleet.sqlite", "--cards", f"{folder}/cards", "--authority", "none",
               "--technician", "none", "--enrolment", f"https://127.0.0.1:{port}/.well-known/est", "--enrolment-anchor", f"{folder}/tls.pem", *more, **options)


def serials(folder):
    return sorted(name for name in os.listdir(f"{folder}/cards") if name.startswith("vg-"))


def claim_of(folder, serial):
    return open(f"{folder}/cards/{serial}/provision/enrolment-claim").read().strip()
