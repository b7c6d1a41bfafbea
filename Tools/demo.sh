#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job, in front of you: two complete cores meet on a simulated air; one wearer tests positive and warns; the other finds out,
# from 100,000 signed keys, without anybody learning that the two met.
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

core_of() { # NAME, more options: a real core on a controller of the air
    name=$1
    shift
    "$bin/vigil" core --transport "h4:unix:$folder/air.sock" --data "$folder/$name/data" --run "$folder/$name" \
        --profile "$folder/profile.json" "$@" 2>> "$folder/$name.log" &
    processes="$processes $!"
    core=$!
}
wait_for() {
    tries=0
    until "$@" > /dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || { echo "demo.sh: gave up waiting for: $*" >&2; cat "$folder"/*.log >&2; exit 1; }
        sleep 0.1
    done
}
ctl() { board=$1; shift; show "$bin/vigil" ctl "$@" --run "$folder/$board"; }

mkdir "$folder/A" "$folder/B"
cat > "$folder/scene.json" <<'SCENE'
{ "hosts": [ { "id": 1, "tx": -12, "path": [[0, 0, 0]] },
             { "id": 2, "tx": -12, "path": [[0, 1.5, 0]] },
             { "id": 3, "path": [[0, 1, 1]] },
             { "id": 4, "tx": -12, "path": [[0, 0, 0]] } ] }
SCENE
# A token scans for 4 s every 4 minutes; nobody would watch that.
echo '{ "name": "demo", "scan": { "duration": 600, "period": 1300, "spread": 100 } }' > "$folder/profile.json"
"$bin/vigil" export keygen --private-key "$folder/authority.pem" --public-key "$folder/authority.pub.pem" > /dev/null
"$bin/vigil-lab" air "$folder/air.sock" --scenario "$folder/scene.json" > "$folder/air.log" &
air=$!
processes=$air
wait_for grep -q ready "$folder/air.log"

say "1. Two boards, 1.5 m apart, each a real core on a controller of a simulated air. Nothing is sent until its wearer agrees"
start=$(date +%s)
for name in A B; do
    core_of "$name" --verify "262-v1=$folder/authority.pub.pem"
    if [ "$name" = A ]; then first=$core; else second=$core; fi
    wait_for "$bin/vigil" ctl time set "$start" --run "$folder/$name"
done
ctl A status
ctl A enable
ctl B enable

say "2. They meet. Twenty minutes pass in ten seconds: the clocks of both are set ahead by two minutes every second"
(
    for minute in 2 4 6 8 10 12 14 16 18 20; do
        sleep 1
        for name in A B; do "$bin/vigil" ctl time set $((start + 60 * minute)) --run "$folder/$name" > /dev/null; done
    done
) &
clocks=$!
show "$bin/vigil-lab" watch "h4:unix:$folder/air.sock" --board "A=$folder/A" --board "B=$folder/B" --seconds 11
wait "$clocks"

say "3. A is killed without warning and started again: a fresh identifier under a fresh address, nothing it kept is lost"
kill -9 "$first"
wait "$first" 2> /dev/null || :
core_of A
first=$core
wait_for "$bin/vigil" ctl time set $((start + 1260)) --run "$folder/A"
wait_for grep -q '"onAir" : true' "$folder/A/state.json"
show "$bin/vigil-lab" watch "h4:unix:$folder/air.sock" --board "A=$folder/A" --board "B=$folder/B" --seconds 3

say "4. A's wearer tests positive and agrees to warn others: the keys leave once, today's is never used again"
ctl A release --output "$folder/A.csv" --yes

say "5. The health authority signs them among 100,000 keys of strangers"
"$bin/vigil-lab" scenario "$folder" > /dev/null
tail -n +2 "$folder/A.csv" >> "$folder/keys.csv"
show "$bin/vigil" export create --keys "$folder/keys.csv" --signing-key "$folder/authority.pem" --key-name 262-v1 \
    --region DE --start $((start - 86400)) --end "$start" --output "$folder/keys.zip"

say "6. A single changed byte, and the file is refused with nothing kept"
cp "$folder/keys.zip" "$folder/changed.zip"
printf 'X' | dd of="$folder/changed.zip" bs=1 seek=100000 conv=notrunc status=none
if show "$bin/vigil" ctl keys provide "$folder/changed.zip" --run "$folder/B"; then
    echo "demo.sh: the changed file was accepted, which must never happen" >&2
    exit 1
fi

say "7. B's core compares, by itself: was its wearer near somebody who has published since?"
ctl B keys provide "$folder/keys.zip"
ctl B exposures windows
ctl B exposures daily
ctl B status
ctl B keys provide "$folder/keys.zip"

say "8. What B can say about itself"
ctl B audit
if "$bin/vigil" ctl exposures windows --json --run "$folder/B" | grep -q '"day"'; then :; else
    echo "demo.sh: the encounter was not found, which must never happen" >&2
    exit 1
fi

# The air last: what boards say when they end belongs to the demonstration.
kill "$first" "$second" && wait "$first" "$second"
kill "$air" && wait "$air"
processes=
printf '\n  what A said meanwhile:\n'
sed 's/^/    /' "$folder/A.log" | grep -v "time was changed" | tail -12
