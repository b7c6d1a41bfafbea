#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steers a virtual air from a script.

Usage: air-control.py SOCKET [--nodes N] [REQUEST ...]

SOCKET is what `vigil-lab air --ctl` listens on. Waits until it listens and N controllers are connected, 160 seconds at most, then
sends each request (a JSON object) and prints the answer. Fails when one is refused.
"""
import argparse
import json
import socket
import sys
import time

PATIENCE_SECONDS = 160


def connect(path, deadline):
    """The air may have been started a moment ago."""
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection.makefile("rw")
        except OSError:
            connection.close()
            if time.monotonic() > deadline:
                sys.exit(f"air-control.py: nothing listens on {path}")
            time.sleep(0.05)


def ask(air, request):
    air.write(json.dumps(request) + "\n")
    air.flush()
    answer = air.readline()
    if not answer:
        sys.exit("air-control.py: the air went away")
    return json.loads(answer)


def main():
    parser = argparse.ArgumentParser(description="Steers a virtual air from a script.")
    parser.add_argument("socket")
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("requests", nargs="*")
    # Requests may follow the option.
    arguments = parser.parse_intermixed_args()

    deadline = time.monotonic() + PATIENCE_SECONDS
    air = connect(arguments.socket, deadline)
    while len(ask(air, {"op": "list"})["nodes"]) < arguments.nodes:
        if time.monotonic() > deadline:
            sys.exit(f"air-control.py: {arguments.nodes} controllers were expected")
        time.sleep(0.05)
    for request in arguments.requests:
        answer = ask(air, json.loads(request))
        print(json.dumps(answer))
        if not answer.get("ok"):
            sys.exit(f"air-control.py: refused: {request}")


if __name__ == "__main__":
    main()
