#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs all tests, and tells at the end which failed and how: what was said in between is thousands of lines back by then.
# Arguments are those of `swift test`.
set -u

log=$(mktemp "${TMPDIR:-/tmp}/vigil-test.XXXXXX")
trap 'rm -f "$log"' EXIT INT TERM
{
    ${SWIFT:-swift} test --skip-build "$@" 2>&1
    echo $? >"$log.status"
} | tee "$log"
status=$(cat "$log.status")
rm -f "$log.status"
# A test that is left out is not a test that passed.
skipped=$(grep -aE '^(➜|↷|.) +Test .* skipped' "$log" | sort -u)
if [ -n "$skipped" ]; then
    printf '\nTests left out: %s\n%s\n' "$(printf '%s\n' "$skipped" | wc -l)" "$skipped"
fi
if [ "$status" -ne 0 ]; then
    printf '\nWhat failed (exit status %s):\n' "$status"
    grep -aE '✘|recorded an issue|error:|Fatal|crash' "$log" | cut -c1-1000 | head -n 40
fi
exit "$status"
