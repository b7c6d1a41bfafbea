#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job, in front of you: an authority publishes 100,000 signed keys, a board compares them with what it heard in two
# weeks, and finds the two people it really met.
#
# Usage: demo.sh FOLDER-WITH-EXECUTABLES
set -eu

bin=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/vigil-demo.XXXXXX")
trap 'rm -rf "$folder"' EXIT INT TERM

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
show() {
    printf '  $ %s\n' "$(printf '%s ' "$@" | sed "s,$bin/,,g; s,$folder/,,g")"
    "$@"
}

say "1. Two weeks in the life of a board: 20,000 advertisements of strangers, and two real encounters"
"$bin/vigil-lab" scenario "$folder"

say "2. The health authority signs a file of 100,000 diagnosis keys"
day=$(( $(date +%s) / 86400 * 86400 ))
show "$bin/vigil" export keygen --private-key "$folder/authority.pem" --public-key "$folder/authority.pub.pem"
show "$bin/vigil" export create --keys "$folder/keys.csv" --signing-key "$folder/authority.pem" --key-name 262-v1 \
    --region DE --start $(( day - 86400 )) --end "$day" --output "$folder/keys.zip"

say "3. The board compares, offline: who of those it heard has since been diagnosed?"
show "$bin/vigil" match --keys "$folder/keys.zip" --verify "262-v1=$folder/authority.pub.pem" \
    --sightings "$folder/sightings.csv"

say "4. A single changed byte, and the file is refused"
cp "$folder/keys.zip" "$folder/changed.zip"
printf 'X' | dd of="$folder/changed.zip" bs=1 seek=100000 conv=notrunc status=none
if show "$bin/vigil" match --keys "$folder/changed.zip" --verify "262-v1=$folder/authority.pub.pem" \
    --sightings "$folder/sightings.csv"; then
    echo "demo.sh: the changed file was accepted, which must never happen" >&2
    exit 1
fi
