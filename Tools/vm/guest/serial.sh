# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Two boards on two serial adapters, which are two nodes of the air outside. The kernel's hci_uart driver and its exclusive user
# channel lie between. Kernel arguments: expect_rssi=DBM, what each must measure of the other; seconds=N, how long to listen.

seconds=$(argument seconds)
expect_rssi=$(argument expect_rssi)

btattach -B /dev/ttyS1 -P h4 >/tmp/attach1 2>&1 &
within 10 adapter hci0 || verdict setup "no adapter on the first serial port"
btattach -B /dev/ttyS2 -P h4 >/tmp/attach2 2>&1 &
within 10 adapter hci1 || verdict setup "no adapter on the second serial port"
# The kernel asks a new controller some questions of its own, and leaves it up or down afterwards.
sleep 0.5
say "two adapters"

# What a technician would meet. The switch of the radio (rfkill) comes first, while nobody holds the adapter.
switch=
for candidate in /sys/class/rfkill/*; do
    case $(readlink -f "$candidate") in */hci0/*) switch=$candidate ;; esac
done
[ -n "$switch" ] || verdict setup "the kernel has no rfkill switch for hci0"
echo 1 >"$switch/soft"
refuses switched-off 'Bluetooth is off by software .*rfkill unblock bluetooth' vigil core --transport hci:0
echo 0 >"$switch/soft"
refuses unprivileged 'taking an adapter for oneself needs CAP_NET_ADMIN' without_rights vigil core --transport hci:0
refuses absent 'hci:7: there is no such adapter' vigil core --transport hci:7
refuses driver "the kernel's Bluetooth driver has the line" vigil core --transport h4:serial:/dev/ttyS1

board one hci:0
board two hci:1
within 20 is one onAir true || give_up failed "the first board does not go on air"
within 20 is two onAir true || give_up failed "the second board does not go on air"
say "both on air"
refuses busy 'hci:0: another program has the adapter' vigil core --transport hci:0

heard() { at_least one storedIdentifiers 1 && at_least two storedIdentifiers 1; }
during "$seconds" heard
say "one: $(of one scans) scans, $(of one storedIdentifiers) stored identifiers;" \
    "two: $(of two scans) scans, $(of two storedIdentifiers) stored identifiers"
scanned() { at_least one scans 2 && at_least two scans 2; }
within 20 scanned || give_up failed "the boards do not scan"

for name in one two; do
    stop "$name"
    status=$?
    [ "$status" -eq 0 ] || give_up failed "board $name did not stop in order: status $status"
    read_sightings "$name"
done
say "both stopped in order"

[ "$(($(count_rows one) + $(count_rows two)))" -gt 0 ] || give_up silent "no board stored an identifier"
for name in one two; do
    [ "$(count_rows "$name")" -gt 0 ] || give_up failed "board $name stored no identifier"
    strengths=$(column "$name" rssi | sort -u | tr '\n' ' ')
    [ "$strengths" = "$expect_rssi " ] || give_up failed "board $name stored strengths of $strengths dBm instead of $expect_rssi"
    column "$name" identifier | sort -u >"/tmp/$name/identifiers"
done
# With two senders on the air and none hearing itself, what one stored the other did not.
if grep -qxFf /tmp/one/identifiers /tmp/two/identifiers; then give_up failed "both boards stored the same identifier"; fi
say "each stored the other, at $expect_rssi dBm"

# The kernel let go of the adapter, and the board goes on where it stopped.
board one hci:0
within 20 is one onAir true || give_up failed "the first board does not go on air again after a restart"
stop one || give_up failed "the first board did not stop in order the second time"
verdict passed
