# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# The second opinion: the same two boards on BlueZ's emulated controllers, which know nothing of ours. btvirt reports what is on
# the air once each time a scan begins and gives no signal strength (127). So the boards must hear each other and must store
# nothing: an encounter without a strength is none.
# Kernel arguments: boards=1 leaves the second one out, for the negative; seconds=N, how long to listen.

seconds=$(argument seconds)
boards=$(argument boards)

btvirt -l2 >/tmp/btvirt 2>&1 &
within 10 adapter hci1 || verdict setup "btvirt makes no adapters"
sleep 0.5
say "two adapters"

board one hci:0
within 20 is one onAir true || give_up failed "the first board does not go on air"
[ "$boards" = 1 ] || board two hci:1
[ "$boards" = 1 ] || within 20 is two onAir true || give_up failed "the second board does not go on air"
say "on air"

heard() { at_least one withoutRSSI 1 && at_least two withoutRSSI 1; }
during "$seconds" heard
heard=$?
within 20 at_least one scans 2 || give_up failed "the first board does not scan"
[ "$boards" = 1 ] || within 20 at_least two scans 2 || give_up failed "the second board does not scan"
stop one || give_up failed "the first board did not stop in order"
[ "$boards" = 1 ] || stop two || give_up failed "the second board did not stop in order"
read_sightings one
[ "$boards" = 1 ] || read_sightings two
say "one: $(of one scans) scans, $(of one withoutRSSI) heard without a strength;" \
    "two: $(of two scans) scans, $(of two withoutRSSI) heard without a strength"

[ "$(of one withoutRSSI)" -gt 0 ] || [ "$(of two withoutRSSI)" -gt 0 ] || give_up silent "no board heard anything"
[ "$heard" -eq 0 ] || give_up failed "only one board heard the other"
[ "$(count_rows one),$(count_rows two)" = 0,0 ] || give_up failed "a strength of 127 was stored as a measurement"
verdict passed
