#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job, in front of you: two boards meet on a simulated air, live; then an authority publishes 100,000 signed keys, a
# board compares them with what it heard in two weeks, and finds the two people it really met.
#
# Usage: demo.sh FOLDER-WITH-EXECUTABLES
set -eu

bin=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/vigil-demo.XXXXXX")
processes=
finish() {
    # shellcheck disable=SC2086  # A list of numbers, meant to be split.
    [ -z "$processes" ] || kill $processes 2>/dev/null || :
    rm -rf "$folder"
}
trap finish EXIT INT TERM

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
show() {
    printf '  $ %s\n' "$(printf '%s ' "$@" | sed "s,$bin/,,g; s,$folder/,,g")"
    "$@"
}

say "1. Two boards, 2 m apart, each a real core on a controller of a simulated air; B walks away, 30 m, and comes back"
mkdir "$folder/A" "$folder/B"
cat > "$folder/scene.json" <<'SCENE'
{ "hosts": [ { "id": 1, "tx": -12, "path": [[0, 0, 0]] },
             { "id": 2, "tx": -12, "path": [[0, 2, 0], [6, 2, 0], [8, 30, 0], [12, 30, 0], [13, 2, 0]] },
             { "id": 3, "path": [[0, 1, 1]] },
             { "id": 4, "tx": -12, "path": [[0, 0, 0]] } ] }
SCENE
# A token scans for 4 s every 4 minutes; nobody would watch that.
echo '{ "name": "demo", "scan": { "duration": 1000, "period": 2000, "spread": 200 } }' > "$folder/profile.json"
"$bin/vigil-lab" air "$folder/air.sock" --scenario "$folder/scene.json" > "$folder/air.log" &
air=$!
processes=$air
wait_for() {
    tries=0
    until "$@" 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || { echo "demo.sh: gave up waiting for: $*" >&2; cat "$folder"/*.log >&2; exit 1; }
        sleep 0.1
    done
}
start_board() {
    "$bin/vigil" core --enable --transport "h4:unix:$folder/air.sock" --data "$folder/$1/data" --run "$folder/$1" \
        --profile "$folder/profile.json" 2>> "$folder/$1.log" &
    processes="$processes $!"
    board=$!  # For whoever wants to end it.
}
wait_for grep -q ready "$folder/air.log"
for name in A B; do
    # There is no clock here that a board would trust by itself, so a person says what time it is.
    "$bin/vigil" time set now --run "$folder/$name" > /dev/null
    start_board "$name"
    if [ "$name" = A ]; then first=$board; else second=$board; fi
    wait_for grep -q '"onAir" : true' "$folder/$name/state.json"
done
show "$bin/vigil-lab" watch "h4:unix:$folder/air.sock" --board "A=$folder/A" --board "B=$folder/B" --seconds 14

say "2. A is killed without warning and started again: a fresh identifier under a fresh address, nothing it kept is lost"
kill -9 "$first"
wait "$first" 2>/dev/null || :
start_board A
show "$bin/vigil-lab" watch "h4:unix:$folder/air.sock" --board "A=$folder/A" --board "B=$folder/B" --seconds 4
# The air last: what boards say when they end belongs to the demonstration.
kill "$board" "$second" && wait "$board" "$second"
kill "$air" && wait "$air"
processes=
printf '  what A said meanwhile:\n'
sed 's/^/    /' "$folder/A.log"

say "3. Two weeks in the life of a board: 20,000 advertisements of strangers, and two real encounters"
"$bin/vigil-lab" scenario "$folder"

say "4. The health authority signs a file of 100,000 diagnosis keys"
day=$(( $(date +%s) / 86400 * 86400 ))
show "$bin/vigil" export keygen --private-key "$folder/authority.pem" --public-key "$folder/authority.pub.pem"
show "$bin/vigil" export create --keys "$folder/keys.csv" --signing-key "$folder/authority.pem" --key-name 262-v1 \
    --region DE --start $(( day - 86400 )) --end "$day" --output "$folder/keys.zip"

say "5. The board compares, offline: who of those it heard has since been diagnosed?"
show "$bin/vigil" match --keys "$folder/keys.zip" --verify "262-v1=$folder/authority.pub.pem" \
    --sightings "$folder/sightings.csv"

say "6. A single changed byte, and the file is refused"
cp "$folder/keys.zip" "$folder/changed.zip"
printf 'X' | dd of="$folder/changed.zip" bs=1 seek=100000 conv=notrunc status=none
if show "$bin/vigil" match --keys "$folder/changed.zip" --verify "262-v1=$folder/authority.pub.pem" \
    --sightings "$folder/sightings.csv"; then
    echo "demo.sh: the changed file was accepted, which must never happen" >&2
    exit 1
fi
