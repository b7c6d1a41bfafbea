# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Two boards whose controllers vanish and come back. The first opens its adapter itself, so it must open it again. The second is
# started as in production: somebody with rights opens the adapter, and the core inherits the descriptor and has no rights at all.
# It cannot open that again: it says so and lives, until its supervisor starts it with another.

start_controllers() {
    btvirt -l2 >/tmp/btvirt 2>&1 &
    controllers=$!
    within 10 adapter hci1 || verdict setup "btvirt makes no adapters"
    sleep 0.5
}
inherited() { board two fd:3 bind-and-exec 1 3 without-rights; }

printf '#!/bin/sh\n. /library.sh\nwithout_rights "$@"\n' >/bin/without-rights
chmod 755 /bin/without-rights

start_controllers
board one hci:0
inherited
for name in one two; do within 20 is "$name" onAir true || give_up failed "board $name does not go on air"; done
status=/proc/$(cat /tmp/two/pid)/status
rights=$(sed -n 's/^CapEff:[[:space:]]*//p' "$status")
user=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "$status")
[ "$user,$rights" = 1000,0000000000000000 ] || give_up failed "the second board runs as $user with the rights $rights"
say "both on air; the second as user $user, rights $rights"
within 20 at_least two withoutRSSI 1 || give_up failed "the second board, without rights, hears nothing"

kill -KILL "$controllers"
for name in one two; do
    within 20 says "$name" "the controller is gone" || give_up failed "board $name does not say that its controller is gone"
    say "$name: $(grep -E "the controller is gone" "/tmp/$name/log" | head -n 1)"
done
for name in one two; do
    within 10 is "$name" onAir false || give_up failed "board $name says that it is on air without a controller"
    lives "$name" || give_up failed "board $name did not survive the loss of its controller"
done
within 20 says one "hci:0: there is no such adapter" || give_up failed "the first board does not say what is missing"
say "both live and wait"

start_controllers
within 60 is one onAir true || give_up failed "the first board does not go on air again"
at_least one transportsLost 1 || give_up failed "the first board does not count the loss"
stop two || give_up failed "the second board did not stop in order without its controller"
inherited
within 20 is two onAir true || give_up failed "the second board does not go on air again"
say "both on air again; the first lost its controller $(of one transportsLost) times and opened it $(of one transportsOpened) times"
before=$(of one scans)
within 30 at_least one scans $((before + 1)) || give_up failed "the first board does not scan again"
for name in one two; do stop "$name" || give_up failed "board $name did not stop in order"; done
verdict passed
