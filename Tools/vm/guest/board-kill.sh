# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A whole board whose core is killed, at any moment and several times. Outside somebody listens all the time (witness.py) and hears how
# long nothing was on air: the controller has to go on by itself. At the end the core stays away until its identifier ends, and then the
# radio has to be silent, whoever else is dead.

delegate_group
adapters 1
echo '{"plugins": {}}' >/grants.json

core() { process one core "$1"; }
# What both wrote before they knew of the kill says nothing. The number of restarts first: between two looks at the file the supervisor may write it anew, and once
# it has counted this kill, a core that runs is another one.
is_back() { [ "$(core restarts)" -ge "$kills" ] && [ "$(core state)" = running ] && [ -n "$(find /tmp/one/run/core/state.json -newer /tmp/killed)" ] && is one onAir true; }
kill_core() {
    kill -KILL "$(core pid)" || give_up failed "the core is not there to be killed"
    touch /tmp/killed
    kills=$((kills + 1))
}

touch -d 2000-01-01 /tmp/killed
kills=0
whole one hci:0
within 40 is one onAir true || give_up failed "the board does not go on air"
say "on air"
within 10 is_back || give_up failed "the supervisor does not know that the core is ready"

for number in 1 2 3; do
    sleep 1.5
    kill_core
    within 20 is_back || give_up failed "the core is not back after kill $number"
    [ "$(core restarts)" -eq "$number" ] || give_up failed "the core was restarted $(core restarts) times after $number kills"
done
say "killed three times and back; last start $(core sinceSeconds) s ago"

# It cannot be started for a while: the controller goes on.
mv /bin/vigil-jail /bin/away
kill_core
sleep 25
[ "$(core state)" != running ] || give_up failed "the core runs without what starts it"
mv /bin/away /bin/vigil-jail
within 20 is_back || give_up failed "the core is not back after 25 seconds without it"
opened=$(grep -c "the radio is open" /tmp/one/log)
[ "$opened" -eq 0 ] || give_up failed "the radio was opened again $opened times"
say "25 seconds without a core; the radio was never closed"

# An identifier ends at midnight (UTC) at the latest. The radio is closed two seconds before.
vigil ctl time set "$(date -u +%Y-%m-%dT23:59:15Z)" --run /tmp/one/run >/dev/null || give_up failed "the time cannot be set"
midnight=$(awk '{ print $1 + 45 }' /proc/uptime)
due() { [ "$(of one secondsToRotation)" -le 46 ]; }
during 30 due || give_up failed "the board does not plan for midnight: $(of one secondsToRotation) s"
say "the identifier ends at ${midnight%.*} s"
mv /bin/vigil-jail /bin/away
kill_core
closed() { grep -q "the radio is open" /tmp/one/log; }
during 60 closed || give_up failed "the radio is not closed at the end of the identifier"
say "$(grep "the radio is open" /tmp/one/log | tail -n 1)"
until awk -v end="$midnight" '{ exit $1 < end + 6 }' /proc/uptime; do sleep 0.2; done
say "six seconds after the end"
verdict passed
