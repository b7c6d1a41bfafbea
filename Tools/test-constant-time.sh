#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the AES for own keys under valgrind with key and data marked as secret, at every optimisation level that could introduce a
# branch; and a table look-up, which must be caught.
set -eu

folder=$(mktemp -d "${TMPDIR:-/tmp}/vigil-ct.XXXXXX")
trap 'rm -rf "$folder"' EXIT INT TERM
passed=0
failed=0
count() { if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $3" >&2; fi; }

for level in -O0 -O1 -O2 -O3 -Os; do
    # DWARF 4: valgrind 3.19 cannot read what clang writes by default.
    clang -gdwarf-4 "$level" -ISources/C/CConstantTime/include Tests/Support/ConstantTimeC/secret_independence.c \
        Sources/C/CConstantTime/aes.c -o "$folder/program"
    status=0
    valgrind -q --error-exitcode=9 "$folder/program" >/dev/null 2>"$folder/errors" || status=$?
    count "$status" 0 "AES at $level: $(head -n 3 "$folder/errors")"
    status=0
    valgrind -q --error-exitcode=9 "$folder/program" control >/dev/null 2>&1 || status=$?
    count "$status" 9 "a table look-up at $level was not noticed"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
