#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The client of the Varlink project against a service of ours.

Usage: varlink_client.py SOCKET [call|more METHOD PARAMETERS]...
"""
import json
import sys

import varlink

passed = failed = 0


def check(what, body):
    global passed, failed
    try:
        print(f"ok: {what}: {body()}"[:300])
        passed += 1
    except Exception as error:  # Whatever the library throws is a failed check.
        print(f"FAILED: {what}: {type(error).__name__}: {error}"[:600])
        failed += 1


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def main():
    address, steps = "unix:" + sys.argv[1], sys.argv[2:]
    if len(steps) % 3 or any(kind not in ("call", "more") for kind in steps[::3]):
        sys.exit(__doc__)
    client = varlink.Client.new_with_address(address)
    service = client.open("org.varlink.service")
    names = []

    def info():
        reply = service.GetInfo()
        expect(set(reply) == {"vendor", "product", "version", "url", "interfaces"}, f"fields {sorted(reply)}")
        expect("org.varlink.service" in reply["interfaces"], "it does not name org.varlink.service")
        expect(reply["interfaces"] == sorted(reply["interfaces"]), "interfaces are not sorted")
        names.extend(reply["interfaces"])
        return f"{reply['product']} {reply['version']}, {len(names)} interfaces"

    def describe(name):
        text = service.GetInterfaceDescription(name)["description"]
        interface = varlink.Interface(text)
        expect(interface.name == name, f"the text is of {interface.name}")
        return f"{len(interface.members)} members"

    def refuse():
        try:
            service.GetInterfaceDescription("org.example.nobody")
        except varlink.InterfaceNotFound as error:
            return error
        raise AssertionError("it was not refused")

    def run(kind, method, parameters):
        interface, name = method.rsplit(".", 1)
        handler = client.open(interface)
        arguments = json.loads(parameters)
        if kind == "call":
            return handler._call(name, **arguments)
        # The caller ends a call that goes on; here after a few replies.
        replies = []
        for reply in handler._call_more(name, **arguments):
            replies.append(reply)
            if len(replies) == 3:
                break
        expect(replies, "no reply")
        return replies

    check("GetInfo", info)
    for name in list(names):
        check(f"GetInterfaceDescription of {name}", lambda: describe(name))
    check("unknown interface", refuse)
    for kind, method, parameters in zip(steps[::3], steps[1::3], steps[2::3]):
        check(f"{kind} {method}", lambda: run(kind, method, parameters))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
