#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that start programs again and again, and counts: what fails once in a hundred runs is found here and not by whoever comes next.

Usage: repeat-tests.py COUNT [SUITE…] [--minutes N] [--at-once N] [--seed N]
                                 COUNT runs of each suite; after N minutes none begins any more. As many suites run at once as there are processors,
                                 or N: tests that start programs mostly wait. Needs `swift build --build-tests`.
                                 Each run has a VIGIL_SEED of its own, from --seed on (1), so that each tries other inputs.
       repeat-tests.py --all     runs nothing; what was counted so far, on all commits

Every run is a line of `.build/repeated.txt`: commit (with + if files were changed since), suite, result, seconds, load of the last minute, date.
Nothing is taken out of it, so counts go on where they ended, and a failure stays in it after its cause was mended. What a failed run said is kept
beside it. Exit status: 0 when no run of this call has failed; with --all, when the last run of every suite passed.
"""
import argparse
import collections
import concurrent.futures
import datetime
import os
import subprocess
import sys
import time

import test

# All that start programs, and some that start threads of their own (2026-11-30, by the kernel's word: `strace -f -e trace=execve`).
SUITES = ["SystemTests", "AuthorityTests", "CoreTests", "DiagnosisPluginTests", "PortalTests", "SyncPluginTests", "HTTPClientTests", "KeyIntakeTests",
          "WakePluginTests", "SupervisorTests", "SandboxTests", "EgressTests", "PluginToolTests", "PluginKitTests", "SimulationTests",
          "WebUIPluginTests", "IndicatorPluginTests", "DonationServiceTests", "DonationKillTrialTests", "FleetCardTests", "VenuePluginTests"]
RECORD = test.ROOT / ".build/repeated.txt"


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=test.ROOT, check=True, capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain") else "")


def repeat(count, suites, minutes, at_once, seed):
    """Runs, and adds a line for each; gives the number of failures."""
    program, name = test.bundle(), commit()
    test.LOGS.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + minutes * 60

    def once(suite, number):
        if time.monotonic() > end:
            return None
        began = datetime.datetime.now()
        _, tests, seconds, why, text = test.run(program, suite, f"{suite}-{began:%H%M%S}-{number}", str(seed + number))
        log = test.LOGS / f"{suite}-{began:%H%M%S}-{number}.log"
        if why is None:
            log.unlink()
        return suite, why, seconds, began, text

    failures = 0
    # In turns, so that what ran most often is not one suite.
    work = [(suite, number) for number in range(count) for suite in suites]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool, open(RECORD, "a", buffering=1) as record:
        for done in concurrent.futures.as_completed([pool.submit(once, *item) for item in work]):
            if done.result() is None:
                continue
            suite, why, seconds, began, text = done.result()
            load = os.getloadavg()[0]
            record.write(f"{name} {suite} {'failed' if why else 'passed'} {seconds:.0f} s load {load:.1f} {began:%Y-%m-%dT%H:%M:%S}\n")
            print(f"{'✘' if why else '✔'} {suite}: {seconds:.0f} s, load {load:.1f}{', ' + why if why else ''}", flush=True)
            if why:
                failures += 1
                print(*[line[:300] for line in text.splitlines() if test.FAILURE.search(line)][:5], sep="\n", flush=True)
    return failures


def summary():
    """Prints what the record has of each suite; gives whether every suite passed when it ran last."""
    runs = collections.defaultdict(list)
    for line in sorted(RECORD.read_text().splitlines(), key=lambda line: line.split()[7]):
        name, suite, result, seconds, _, _, load, began = line.split()
        runs[suite].append((name, result == "passed", int(seconds), float(load), began))
    for suite, rows in sorted(runs.items()):
        longest = row = 0
        for _, passed, *_ in rows:
            row = row + 1 if passed else 0
            longest = max(longest, row)
        failed = [(name, began) for name, passed, _, _, began in rows if not passed]
        commits = collections.Counter(name for name, *_ in rows)
        print(f"{suite}: {len(rows)} runs, {len(failed)} failed; in a row {longest}, now {row}; {sum(r[2] for r in rows) / len(rows):.0f} s each, "
              f"load {min(r[3] for r in rows):.0f} to {max(r[3] for r in rows):.0f}; "
              f"by commit {', '.join(f'{name} {count}' for name, count in commits.items())}"
              + "".join(f"\n    failed at {name}, {began}" for name, began in failed))
    return all(rows[-1][1] for rows in runs.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if options.all:
        return 0 if summary() else 1
    if options.count is None:
        parser.error("how many times?")
    unknown = set(options.suites) - set(test.targets())
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    failures = repeat(options.count, options.suites or SUITES, options.minutes, options.at_once, options.seed)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
