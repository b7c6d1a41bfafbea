#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests that start programs again and again, and counts: what fails once in a hundred runs is found here and not by whoever comes next.
# Usage: repeat-tests.sh COUNT [SUITE…]. Needs `swift build --build-tests`. Every run is a line of `.build/repeated.txt`, so counts of one commit go on
# where they ended; what a failed run said is kept beside it. Exit status: 0 when no run on this commit has failed.
set -u
cd "$(dirname "$0")/.." || exit 2
count=${1:?how many times}
shift
[ $# -gt 0 ] || set -- AuthorityTests DiagnosisPluginTests HTTPClientTests IndicatorPluginTests KeyIntakeTests PluginKitTests PortalTests \
    SandboxTests SimulationTests SupervisorTests SyncPluginTests SystemTests WakePluginTests WebUIPluginTests
record=.build/repeated.txt
commit=$(git rev-parse --short HEAD)
round=0
while [ "$round" -lt "$count" ]; do
    round=$((round + 1))
    for suite in "$@"; do
        began=$(date +%s)
        log=.build/repeated-$suite-$began.log
        if ${SWIFT:-swift} test --skip-build --filter "^$suite\." > "$log" 2>&1 && grep -q 'Test run with [1-9]' "$log"; then
            result=passed
            rm -f "$log"
        else
            result=failed
            grep -a -m 3 -E '✘|recorded an issue|error:' "$log"
        fi
        printf '%s %s %s %s s\n' "$commit" "$suite" "$result" "$(($(date +%s) - began))" >> "$record"
        printf '%s of %s: %s %s, load%s\n' "$round" "$count" "$suite" "$result" "$(cut -d' ' -f1 /proc/loadavg | sed 's/^/ /')"
    done
done
awk -v commit="$commit" '$1 == commit { runs[$2]++; failed[$2] += ($3 != "passed"); seconds[$2] += $4 }
    END { for (suite in runs) { printf "%-24s %4d runs, %d failed, %.0f s each\n", suite, runs[suite], failed[suite], seconds[suite] / runs[suite]
                                bad += failed[suite] } exit bad > 0 }' "$record" | sort
[ -z "$(awk -v commit="$commit" '$1 == commit && $3 != "passed"' "$record")" ]
