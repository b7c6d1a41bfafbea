# SPDX-License-Identifier: Apache-2.0
"""People with phones beside the machines, so that there is something to hear and to write. Of Tools/test-image.py."""
import json
import socket

from boardkit import FOLDER


def ask(**request):
    """One request at the air's control socket."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(20)
        link.connect(f"{FOLDER}/air.ctl")
        link.sendall(json.dumps(request).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = link.recv(65536)
            if not part:
                raise ConnectionError("the air has gone")
            answer += part
    reply = json.loads(answer)
    if not reply.get("ok"):
        raise ValueError(f"the air refuses {request}: {reply}")
    return reply


def gather(count, unheard_by=()):
    """So many phones two metres away. Who listens for the machines alone must not hear them: devices by their numbers."""
    for _ in range(count):
        phone = ask(op="phone", x=2, y=1)["id"]
        for listener in unheard_by:
            ask(op="fix", a=listener, b=phone, rssi=-120)
