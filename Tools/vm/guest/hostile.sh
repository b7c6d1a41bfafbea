# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A whole board with plugins that try what no plugin may do: as root, on this kernel, with everything it has. They gain nothing, and the
# board changes its identifier and listens as before. Measured in peace first, then while one of them does its worst; that the beacon
# stays on air, somebody outside hears (witness.py). Tests/System/Hostile says what they do.

window=15
delegate_group
adapters 1

cat >/often.json <<'END'
{"name": "often", "scan": {"duration": 1000, "period": 2500, "spread": 0}, "controllerCheck": 5000}
END
mkdir -p /plugins /scratch /tmp/one/data/state/other
chmod 1777 /scratch
for file in /tmp/one/data/state/other/file /outside /plugins/set-user; do echo "somebody else's" >$file; done
chmod 600 /tmp/one/data/state/other/file /outside
cp /bin/vigil-hostile /plugins/set-user
chmod 4755 /plugins/set-user

# One of them: hostile NAME MEMORY SETTINGS
hostile() {
    mkdir -p "/plugins/$1/bin"
    cp /bin/vigil-hostile "/plugins/$1/bin/"
    sed "s/\"id\": \"hostile\"/\"id\": \"$1\"/; s/\"memory\": 33554432/\"memory\": $2/" /bin/hostile.json >"/plugins/$1/plugin.json"
    printf '%s"%s": {"enabled": true, "calls": {"org.vigil.exposure1": ["GetStatus", "Watch", "ProvideDiagnosisKeys"]},
        "endpoints": {"outside": [{"host": "outside.example", "port": 443}]}, "settings": %s}' "$separator" "$1" "$3" >>/granted
    separator=,
    { echo '{"plugins": {'; cat /granted; echo '}}'; } >/grants.json
}
results() { cat "/tmp/one/data/state/$1/results" 2>/dev/null; }
is_over() { results "$1" | grep -qx end; }

# Waits for the end of a scan, and leaves in `edge` when that was, how many there were, and how many reports they brought.
edge() {
    was=$(of one scans)
    next() { [ "$(of one scans)" != "$was" ]; }
    within 20 next || give_up failed "the board does not scan"
    edge="$(cut -d ' ' -f 1 /proc/uptime) $(of one scans) $(of one reports)"
}
# Measures the board for some seconds, during which its day ends: measure LABEL DAY
measure() {
    edge
    begin=$edge
    asked=$(cut -d ' ' -f 1 /proc/uptime)
    vigil ctl time set "$2T23:59:52Z" --run /tmp/one/run >/dev/null || give_up failed "$1: the time cannot be set"
    answered=$(cut -d ' ' -f 1 /proc/uptime)
    rotations=$(of one rotations)
    sleep "$window"
    edge
    [ "$(of one rotations)" -gt "$rotations" ] || give_up failed "$1: the identifier was not changed at midnight"
    echo "$begin $edge $asked $answered $(of one worstRotationLateness) $(of one lostScans)" | awk -v label="$1" '{
        printf "%s: %d scans, one in %.2f s, %.1f reports in each; identifier changed at most %d ms late; a call took %.1f s; %d scans lost\n",
            label, $5 - $2, ($4 - $1) / ($5 - $2), ($6 - $3) / ($5 - $2), $9, $8 - $7, $10
        print ($4 - $1) / ($5 - $2), ($6 - $3) / ($5 - $2), $9 >"/tmp/" label
    }' >/tmp/measured
    say "$(cat /tmp/measured)"
}

echo '{"plugins": {}}' >/grants.json
profile=/often.json whole one hci:0
within 40 is one onAir true || give_up failed "the board does not go on air"
number=$(process one core pid)
measure peace 2031-01-01

vault=$(find /tmp/one/data/core -type f | head -n 1)
key=$(find /tmp/one/data/core/key -type f | head -n 1)
given="\"given\": [\"VAULT=$vault\", \"VAULT_KEY=$key\", \"OTHER_STATE=/tmp/one/data/state/other/file\", \"OUTSIDE=/outside\",
    \"SCRATCH=/scratch\", \"SELF=/plugins/tries/bin/vigil-hostile\", \"SET_USER_PROGRAM=/plugins/set-user\",
    \"OTHER_SOCKET=/tmp/one/run/ctl.sock\", \"SUPERVISOR=$(cat /tmp/one/pid)\", \"VICTIM=$number\",
    \"GROUP_FILE=/sys/fs/cgroup/board/cgroup.procs\", \"TCP_PORT=22\", \"EXTRA=0\", \"DISK=/dev/vda\"],
    \"granted\": [\"org.vigil.exposure1.GetStatus\", \"org.vigil.exposure1.Watch\", \"org.vigil.exposure1.ProvideDiagnosisKeys\"],
    \"targets\": [\"127.0.0.1:22\", \"[::1]:22\", \"localhost:443\", \"10.0.0.1:443\", \"203.0.113.9:80\"]"
separator=
hostile tries 50331648 "{\"acts\": [\"ungranted\", \"outside\", \"spool-names\", \"attacks\", \"malformed-frames\", \"giant-frames\"], $given}"
hostile bomb 33554432 '{"acts": ["fork-bomb", "memory", "fill-spool"]}'
kill -HUP "$(cat /tmp/one/pid)"
within 45 is_over tries || give_up failed "the attacks do not come to an end: $(results tries | tail -n 1)"
within 20 is_over bomb || give_up failed "the bombs do not come to an end: $(results bomb | tail -n 1)"
learn_confinement one tries
show_confinement one tries
# Before Linux 6.7 Landlock knows no ports: a plugin with a way out can listen and reach that, in a network in which there is nobody else.
tolerated=nothing
grep -q "^tries	landlock-network	missing" /tmp/one/confinement && tolerated='listen-tcp|reach-unbound'
gained() { results "$1" | grep GAINED | grep -vE "^($tolerated): GAINED"; }
for name in tries bomb; do
    results "$name" | grep -E 'GAINED|DENIED|UNANSWERED|untried' | sed "s/^/    $name: /"
    say "$name: $(results "$name" | grep -c ': refused') attempts refused, $(gained "$name" | grep -c .) gained (not counting $tolerated)"
    ! gained "$name" >/dev/null || give_up failed "$name: something was gained"
done
[ "$(results tries | grep -c ': refused')" -ge 150 ] || give_up failed "not everything was tried"

# Not the kinds that keep the kernel busy: forks and the coming and going of memory make emulated processors wait for each other, and
# nothing that is measured then says anything about a board.
kinds='"call", "read", "drip", "burn", "provide", "shout", "pester", "proxy"'
hostile nasty 33554432 "{\"acts\": [\"nasty\"], \"kinds\": [$kinds], \"seconds\": $((window + 20))}"
kill -HUP "$(cat /tmp/one/pid)"
begun() { results nasty | grep -q '^nasty:'; }
within 20 begun || give_up failed "the worst does not begin"
say "$(results nasty | grep '^nasty:')"
measure storm 2031-01-02

[ "$(process one core pid),$(process one core restarts)" = "$number,0" ] || give_up failed "the core was restarted"
is one onAir true || give_up failed "the board is off air"
is one lostScans 0 || give_up failed "scans were lost"
for name in tries bomb nasty; do say "$name: $(process one "$name" state), $(process one "$name" lastExit)"; done
kill -TERM "$(cat /tmp/one/pid)"
verdict passed
