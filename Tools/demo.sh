#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job, in front of you: two whole boards under their supervisors meet on a simulated air; one wearer tests positive and warns; a
# health authority publishes among strangers' keys and wakes the region; the other board fetches, compares and knows, within seconds and
# without anybody learning that the two met, or on the way that somebody was tested. Everything is real: processes, confinement, broker, signatures, files.
#
# Usage: demo.sh FOLDER-WITH-EXECUTABLES
set -eu

bin=$1
root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PATH:/usr/sbin:/sbin
folder=$(mktemp -d "${TMPDIR:-/tmp}/vigil-demo.XXXXXX")
chmod 755 "$folder"
processes=
finish() {
    # shellcheck disable=SC2086  # A list of numbers, meant to be split.
    [ -z "$processes" ] || kill $processes 2>/dev/null || :
    wait 2>/dev/null || :
    for name in A B; do umount -l "$folder/$name/run/spool" 2>/dev/null || :; done
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
show() {
    printf '  $ %s\n' "$(printf '%s ' "$@" | sed "s,$bin/,,g; s,$folder/,,g")"
    "$@"
}
wait_for() {
    tries=0
    until "$@" > /dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 450 ] || { echo "demo.sh: gave up waiting for: $*" >&2; tail -n 30 "$folder"/*.log >&2; exit 1; }
        sleep 0.1
    done
}
ctl() { board=$1; shift; show "$bin/vigil" ctl "$@" --run "$folder/$board/run"; }
free_port() { python3 -c 'import random, socket; s = socket.socket(); s.bind(("127.0.0.1", random.randrange(10240, 32768))); print(s.getsockname()[1])'; }
public_key() { sed '/-----/d' "$folder/keys/$1-262-v1.pem" | tr -d '\n'; }

web=$(free_port)
admin=$(free_port)
mqtt=$(free_port)
tests=$(free_port)
warnings=$(free_port)
page_A=$(free_port)
page_B=$(free_port)

# The authority, its broker, and what a board has to know of both.
"$bin/vigil-authority" init --state "$folder/authority" > "$folder/authority.log" 2>&1
"$bin/vigil-authority" keys --state "$folder/authority" --out "$folder/keys" >> "$folder/authority.log" 2>&1
sed -i "s/\"port\": *8780/\"port\": $web/; s/\"adminPort\": *8781/\"adminPort\": $admin/; s/^{/{ \"wake\": {\"host\": \"127.0.0.1\", \"port\": $mqtt},/" \
    "$folder/authority/settings.json"
sed -i 's/"wakeWindowSeconds": *[0-9]*/"wakeWindowSeconds": 0/' "$folder/authority/configuration.json"
# What people are to read: the pages show it.
cp "$root/docs/examples/content.json" "$folder/authority/content.json"
printf 'listener %s 127.0.0.1\nallow_anonymous true\nlog_type error\n' "$mqtt" > "$folder/mosquitto.conf"
mosquitto -c "$folder/mosquitto.conf" > "$folder/mosquitto.log" 2>&1 &
processes=$!
"$bin/vigil-authority" serve --state "$folder/authority" --publish-now --trust-clock >> "$folder/authority.log" 2>&1 &
processes="$processes $!"
wait_for grep -q "^ready" "$folder/authority.log"
"$bin/vigil-authority" tests serve --state "$folder/authority" --verification-port "$tests" --submission-port "$warnings" \
    > "$folder/tests.log" 2>&1 &
processes="$processes $!"
wait_for grep -q "^ready" "$folder/tests.log"

# The page may ask for everything it asks for.
page_calls=$(python3 -c 'import json, sys; print(json.dumps({w["interface"]: w["methods"] for w in json.load(open(sys.argv[1]))["wants"]}))' \
    "$root/Plugins/WebUI/plugin.json")

plugins_of() { # NAME PORT: what the operator of this board installs and grants
    for plugin in Sync Wake Diagnosis WebUI; do
        place="$folder/$1/plugins/$(echo "$plugin" | tr '[:upper:]' '[:lower:]')"
        mkdir -p "$place"
        cp "$root/Plugins/$plugin/plugin.json" "$place"
    done
    cp -r "$root/Plugins/WebUI/texts" "$place"
    cat > "$folder/$1/grants.json" <<GRANTS
{ "plugins": {
    "sync": {
      "enabled": true,
      "calls": { "org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"], "org.vigil.risk1": ["TakeConfiguration"],
                 "org.vigil.content1": ["TakeContent"], "org.vigil.trust1": ["GetSigners", "TakeSuccession"] },
      "endpoints": { "distribution": [{ "host": "127.0.0.1", "port": $web, "private": true }] },
      "settings": {
        "plainHTTP": true,
        "configKeys": [{ "name": "262-v1", "key": "$(public_key config)" }],
        "sources": [{ "name": "home", "kind": "cwa", "base": "http://127.0.0.1:$web", "country": "EUR", "vigilConfig": "version/v1/vigil_config",
                      "rules": "version/v1/risk_config", "content": "version/v1/content_bundle",
                      "successions": "version/v1/successions" }] } },
    "wake": {
      "enabled": true,
      "calls": { "org.vigil.sync1": ["SyncNow", "GetFreshness"] },
      "endpoints": { "broker": [{ "host": "127.0.0.1", "port": $mqtt, "private": true }] },
      "settings": { "host": "127.0.0.1", "port": $mqtt, "tls": false, "region": "EUR", "profile": "always", "gapSeconds": 0 } },
    "diagnosis": {
      "enabled": true,
      "calls": { "org.vigil.access1": ["RedeemProof"], "org.vigil.release1": ["TakeDiagnosisKeys"], "org.vigil.indicator1": ["SayNews"] },
      "endpoints": { "verification": [{ "host": "127.0.0.1", "port": $tests, "private": true }],
                     "submission": [{ "host": "127.0.0.1", "port": $warnings, "private": true }] },
      "settings": { "verification": "http://127.0.0.1:$tests", "submission": "http://127.0.0.1:$warnings", "plainHTTP": true,
                    "exactlyOnce": true, "rehearsal": 300 } },
    "webui": {
      "enabled": true,
      "calls": $page_calls,
      "listens": { "web": { "address": "127.0.0.1", "port": $2 } },
      "settings": { "title": "Board $1" } } } }
GRANTS
}
board() { # NAME: a whole board on a controller of the air
    # What is confined must find its files; without root there are no other users, and what is missing is said.
    "$bin/vigil" run --transport "h4:unix:$folder/air.sock" --data "$folder/$1/data" --run "$folder/$1/run" --profile "$folder/profile.json" \
        --plugins "$folder/$1/plugins" --grants "$folder/$1/grants.json" --verify "262-v1=$folder/keys/export-262-v1.pem" \
        --config-key "262-v1=$folder/keys/config-262-v1.pem" $unconfined 2>> "$folder/$1.log" &
    processes="$processes $!"
    supervisor=$!
}
unconfined=
[ "$(id -u)" -eq 0 ] || unconfined=--unconfined
list() { show "$bin/vigil" plugin list --run "$folder/$1/run" --plugins "$folder/$1/plugins" --grants "$folder/$1/grants.json"; }
is_running() { list "$1" | grep -q "^wake .*running"; }

cat > "$folder/scene.json" <<'SCENE'
{ "hosts": [ { "id": 1, "tx": -12, "path": [[0, 0, 0]] },
             { "id": 2, "tx": -12, "path": [[0, 1.5, 0]] },
             { "id": 3, "path": [[0, 1, 1]] },
             { "id": 4, "tx": -12, "path": [[0, 0, 0]] } ] }
SCENE
# A token scans for 4 s every 4 minutes; nobody would watch that.
echo '{ "name": "demo", "scan": { "duration": 600, "period": 1300, "spread": 100 } }' > "$folder/profile.json"
"$bin/vigil-lab" air "$folder/air.sock" --scenario "$folder/scene.json" > "$folder/air.log" &
processes="$processes $!"
wait_for grep -q ready "$folder/air.log"

say "1. Two boards, 1.5 m apart. Each is a supervisor, the core, a way out, and four plugins, confined: two bring keys in, one knows of tests, one is the page"
# Twenty-five minutes ago: what A publishes must be over by the authority's clock.
start=$(($(date +%s) - 1500))
for name in A B; do
    eval "plugins_of $name \$page_$name"
    board "$name"
    if [ "$name" = A ]; then first=$supervisor; else second=$supervisor; fi
    wait_for is_running "$name"
    wait_for "$bin/vigil" ctl time set "$start" --run "$folder/$name/run"
done
for name in A B; do
    eval "port=\$page_$name"
    code=$("$bin/vigil" ctl access make wearer --run "$folder/$name/run" | grep -oE '[0-9A-Z]{4}(-[0-9A-Z]{4}){3}')
    # shellcheck disable=SC2154  # Set by eval.
    printf '  page of %s: http://127.0.0.1:%s/  Sign in as the wearer with the code %s, which a card in the box would tell\n' "$name" "$port" "$code" |
        tee -a "$folder/pages"
done
show "$bin/vigil" plugin check "$folder/B/plugins/wake" --grants "$folder/B/grants.json" || :
list B
ctl A status
ctl A enable
ctl B enable
# Both have agreed just now: who watches in a browser comes to today's page, not to the welcome.
for name in A B; do
    "$bin/vigil" ctl call org.vigil.device1.SetPreferences '{"preferences": {"introduced": true, "notifications": true}}' --run "$folder/$name/run" > /dev/null
done
# A board that has never synced waits for a moment of its own, so that a million of them do not come at once. Nobody would watch that.
show "$bin/vigil" ctl call org.vigil.sync1.SyncNow --socket "$folder/B/run/console/org.vigil.sync1"
asked=$(date +%s)

say "2. They meet. Twenty minutes pass in ten seconds: the clocks of both are set ahead by two minutes every second"
(
    for minute in 2 4 6 8 10 12 14 16 18 20; do
        sleep 1
        for name in A B; do "$bin/vigil" ctl time set $((start + 60 * minute)) --run "$folder/$name/run" > /dev/null; done
    done
) &
clocks=$!
show "$bin/vigil-lab" watch "h4:unix:$folder/air.sock" --board "A=$folder/A/run" --board "B=$folder/B/run" --seconds 11
wait "$clocks"

say "3. A's core is killed without warning. Its supervisor has it back at once, with its identifier and address as they were; nothing it kept is lost"
core=$(pgrep -P "$first" -f 'vigil core' || pgrep -f "$folder/A/data/core")
show kill -9 "${core%% *}"
sleep 1.5
wait_for "$bin/vigil" ctl time set $((start + 1260)) --run "$folder/A/run"
wait_for grep -q '"onAir" : true' "$folder/A/run/core/state.json"
list A

say "4. A's wearer was tested. The code from the laboratory's leaflet is entered; the next exchange registers it, and its result is there"
# Six characters of the laboratory's, then a UUID.
code="$(tr -dc 0-9A-F < /dev/urandom | head -c 6)-$(tr -dc 0-9A-F < /dev/urandom | head -c 8)-$(tr -dc 0-9A-F < /dev/urandom | head -c 4)-4$(tr -dc 0-9A-F < /dev/urandom | head -c 3)-A$(tr -dc 0-9A-F < /dev/urandom | head -c 3)-$(tr -dc 0-9A-F < /dev/urandom | head -c 12)"
show "$bin/vigil-authority" tests result "$code" positive --state "$folder/authority"
ctl A tests enter "https://localhost/?$code"
ctl A tests
has_news() { "$bin/vigil" ctl tests --json --run "$folder/A/run" | grep -q '"news":true'; }
wait_for has_news
ctl A tests
ctl A tests result 1

say "5. A's wearer agrees to warn others, and says nothing about symptoms: the keys leave the core once, today's is never used again, and the next exchange takes them along"
ctl A tests warn 1 --yes
is_sent() { "$bin/vigil" ctl tests --json --run "$folder/A/run" | grep -q '"warning":"sent"'; }
wait_for is_sent
ctl A tests

say "6. They wait until others come: 100,000 keys of strangers. The health authority signs and publishes, and the broker wakes the region"
"$bin/vigil-lab" scenario "$folder" > /dev/null
"$bin/vigil" export create --keys "$folder/keys.csv" --signing-key "$folder/authority/keys/export.pem" --key-name 262-v1 \
    --region EUR --start $((start - 86400)) --end "$start" --output "$folder/keys.zip" > /dev/null
# A board asks at most twice a minute, however often it is woken.
pause=$((asked + 31 - $(date +%s)))
[ "$pause" -le 0 ] || sleep "$pause"
before=$(date +%s%N)
show "$bin/vigil-authority" accept "$folder/keys.zip" --state "$folder/authority"

say "7. B hears the broker, fetches, checks the signature, compares by itself: was its wearer near somebody who has published since?"
found() { "$bin/vigil" ctl exposures windows --json --run "$folder/B/run" | grep -q '"day"'; }
wait_for found
printf '  handed in, signed, published, woken, fetched, matched: %d ms\n' $((($(date +%s%N) - before) / 1000000))
ctl B exposures windows
ctl B status

say "8. What the health authority's signed rules make of it, and why: without a name, a place or a minute"
is_judged() { "$bin/vigil" ctl risk --json --run "$folder/B/run" | grep -q '"increased"'; }
wait_for is_judged
ctl B risk --explain
ctl B risk --seen

say "9. A single changed byte, and a file is refused with nothing kept; the same file again is not matched twice"
cp "$folder/keys.zip" "$folder/changed.zip"
printf 'X' | dd of="$folder/changed.zip" bs=1 seek=100000 conv=notrunc status=none
if show "$bin/vigil" ctl keys provide "$folder/changed.zip" --run "$folder/B/run"; then
    echo "demo.sh: the changed file was accepted, which must never happen" >&2
    exit 1
fi

say "10. What B can say about itself, and what its plugins had"
ctl B audit
list B

say "11. All of it in a browser: what happened, why, and what each device did"
cat "$folder/pages"
if [ -t 0 ] && [ -t 1 ]; then
    printf '  Both boards go on until you press Enter. '
    read -r _
else
    # Nobody looks: the pages are there all the same.
    # shellcheck disable=SC2154
    for port in "$page_A" "$page_B"; do
        curl -sS --fail -o "$folder/page.html" "http://127.0.0.1:$port/sign-in"
        printf '  http://127.0.0.1:%s/sign-in answers with %s bytes\n' "$port" "$(wc -c < "$folder/page.html")"
    done
fi

# The air last: what boards say when they end belongs to the demonstration.
kill "$first" "$second" && wait "$first" "$second"
printf '\n  what A said meanwhile:\n'
sed 's/^/    /' "$folder/A.log" | grep -v "time was changed" | tail -12
