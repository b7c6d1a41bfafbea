# SPDX-License-Identifier: Apache-2.0
"""What is being done and how long it took, for whoever waits; and programs that say what went wrong."""
import subprocess
import sys
import time


class Failure(Exception):
    """What happened and what to do, for people."""


class Steps:
    def __init__(self, count):
        self.count, self.number, self.began = count, 0, time.monotonic()

    def step(self, title, action, *arguments):
        self.number += 1
        print(f"[{self.number:2}/{self.count}] {title} …", end="", flush=True)
        began = time.monotonic()
        try:
            result = action(*arguments)
        except BaseException:
            print(" failed", flush=True)
            raise
        print(f" {time.monotonic() - began:.1f} s", flush=True)
        return result


def run(words, hint="", seconds=3600, **options):
    """Runs a program; what it said is shown only when it fails. Returns its output."""
    try:
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds, **options)
    except FileNotFoundError:
        raise Failure(f"{words[0]} is not installed; run Tools/setup.sh image") from None
    if done.returncode != 0:
        sys.stderr.write("\n" + "".join(f"    {line}\n" for line in (done.stdout + done.stderr).splitlines()[-20:]))
        raise Failure(f"{words[0]} ended with status {done.returncode}{'; ' + hint if hint else ''}")
    return done.stdout
