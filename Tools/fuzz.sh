#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tools/fuzz.sh [SECONDS|share] [NAME...]
#
# Builds the fuzzers of Fuzz/ with coverage and AddressSanitizer and runs each, or those named (zip, export, signatures, payload, hci,
# radio, tables, varlink, idl, manifest, socks, sync, risk-config, windows, test-code, presence, crowd-notifier, venue-notices, hidden-visits, points, evidence, tokens, fleet), for SECONDS
# (60) over its seeds. With "share" each tries the same inputs in every run, about five seconds' worth: a change is held up by what it has done, and not by another minute's luck.
# What they find on the way is thrown away at the end, unless it is a finding: that stays in Fuzz/findings with the fuzzer's output.
# Ends with "N passed, M failed"; fails when one failed.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
fuzz=$repository/Fuzz
scratch=$fuzz/.build/fuzz

seconds=60
case ${1:-} in
'') ;;
share)
    seconds=share
    shift
    ;;
*[!0-9]*) ;;
*)
    seconds=$1
    shift
    ;;
esac
[ $# -gt 0 ] || set -- zip export signatures payload hci radio tables varlink idl manifest socks sync risk-config windows test-code \
    presence crowd-notifier venue-notices hidden-visits points evidence tokens fleet
for name; do
    [ -d "$fuzz/corpus/fuzz-${name#fuzz-}" ] || {
        echo "fuzz.sh: there is no fuzzer called $name; there are zip, export, signatures, payload, hci, radio, tables, varlink, idl, manifest, socks, sync, risk-config, windows, test-code, presence, crowd-notifier, venue-notices, hidden-visits, points, evidence, tokens and fleet" >&2
        exit 2
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# `--sanitize fuzzer` makes SwiftPM leave main to libFuzzer. The compiler takes only the last -sanitize there is, so it must
# name both; C targets need the two again.
build() {
    nice -n 15 swift build --package-path "$fuzz" --scratch-path "$scratch" -c release --sanitize fuzzer \
        -Xswiftc -sanitize=address,fuzzer -Xcc -fsanitize=fuzzer-no-link,address "$@"
}
for name; do
    product=fuzz-${name#fuzz-}
    # Product by product: fuzz-seeds has a main function of its own and would not link.
    if ! build --product "$product" >"$work/build.log" 2>&1; then
        cat "$work/build.log" >&2
        exit 1
    fi
done
programs=$(build --show-bin-path)

# The number after $1 on the last line of the output that has it; a dash when the fuzzer did not get so far.
last() {
    number=$(sed -n "s/.*$1 *\([0-9][0-9]*\).*/\1/p" "$work/log" | tail -n 1)
    echo "${number:--}"
}

# Inputs of a share: what five seconds came to on two cores.
share() {
    case $1 in
    fuzz-hidden-visits) echo 1000 ;;
    fuzz-points) echo 1500 ;;
    fuzz-risk-config | fuzz-fleet) echo 2500 ;;
    fuzz-zip) echo 8000 ;;
    fuzz-radio | fuzz-tables | fuzz-varlink | fuzz-evidence | fuzz-tokens) echo 20000 ;;
    fuzz-manifest | fuzz-windows) echo 30000 ;;
    fuzz-socks) echo 50000 ;;
    fuzz-export | fuzz-hci) echo 80000 ;;
    fuzz-payload) echo 300000 ;;
    *) echo 120000 ;;
    esac
}

passed=0
failed=0
for name; do
    product=fuzz-${name#fuzz-}
    mkdir -p "$work/$product" "$work/findings"
    status=0
    if [ "$seconds" = share ]; then
        # Hashing with the same seed, too: coverage decides which inputs are kept.
        export SWIFT_DETERMINISTIC_HASHING=1
        set -- -seed=1 -runs="$(share "$product")"
    else
        set -- -max_total_time="$seconds"
    fi
    # Without the backtracer of the Swift runtime, which fights with AddressSanitizer over the crash.
    SWIFT_BACKTRACE=enable=no nice -n 15 "$programs/$product" "$@" -timeout=10 \
        -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$work/findings/" \
        "$work/$product" "$fuzz/corpus/$product" >"$work/log" 2>&1 || status=$?
    findings=$(find "$work/findings" -type f | wc -l)
    printf '%-16s %10s runs, %7s/s, coverage %5s of %s, %s findings\n' "$product" "$(last number_of_executed_units:)" \
        "$(last average_exec_per_sec:)" "$(last cov:)" "$(last 'inline 8-bit counters):')" "$findings"
    if [ "$status" -eq 0 ] && [ "$findings" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        mkdir -p "$fuzz/findings/$product"
        find "$work/findings" -type f -exec mv {} "$fuzz/findings/$product/" \;
        mv "$work/log" "$fuzz/findings/$product/log"
        echo "$product failed with status $status; see Fuzz/findings/$product" >&2
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
