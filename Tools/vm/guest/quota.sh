# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A whole board as a board's unit starts it: without the right to look into processes, other users' processes hidden, and its data on a file
# system that counts by user. A plugin takes what it gets of the disk where nobody sees it; the kernel has to refuse it more, and nobody else
# may notice. Another does the same in its spool.
# Kernel argument: none=1 where that file system keeps no quotas. Then that has to be said, and the plugin has to get far more than it may:
# otherwise this would prove nothing.

none=$(argument none)
delegate_group
adapters 1
mount -o remount,hidepid=2 /proc || verdict setup "processes cannot be hidden"
mkdir -p /tmp/one/data
mount -t ext4 -o usrquota /dev/vda /tmp/one/data || verdict setup "no disk"

# Plenty of memory: what waits for a slow disk counts as its memory too, and this is about the disk.
fields='"run": {"program": "bin/main"}, "start": "resident",
    "quotas": {"memory": 67108864, "state": 1048576, "spool": 65536, "processes": 8}'
limit=$((1048576 + 16384))
plugin hoarder /bin/hoarder "Takes the disk" "$fields"
plugin neighbour /bin/hoarder "Writes a little" "$fields"
plugin hider /bin/hoarder "Takes the spool" "$fields"
echo '{"plugins": {"hoarder": {"enabled": true}, "neighbour": {"enabled": true}, "hider": {"enabled": true}}}' >/grants.json

used() { df -k /tmp/one/data | awk 'END { print $3 }'; }
before=$(used)
through="/bin/setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace" whole one hci:0
within 40 is one onAir true || give_up failed "the board does not go on air"
number=$(process one core pid)
rights=$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$(cat /tmp/one/pid)/status")
[ $(($(printf '%d' "0x$rights") >> 19 & 1)) -eq 0 ] || verdict setup "the supervisor may look into processes: $rights"
say "on air; the supervisor's rights: $rights"
# What it does without that right, all the same: putting the core first, and measuring others.
first() { grep -q "nice -10" "/proc/$number/autogroup"; }
within 10 first || give_up failed "the core is not preferred: $(cat "/proc/$number/autogroup")"
measured() { [ "$(process one neighbour memory)" -gt 0 ]; }
within 20 measured || give_up failed "the supervisor does not see what others use"
learn_confinement one hoarder neighbour
for name in hoarder neighbour; do
    awk -F '\t' -v name="$name" '$1 == name && $2 == "disk-quota" { print "    " $0 }' /tmp/one/confinement
done

# A spool lies in memory and has a size of its own: the kernel counts what has no name, too.
within 60 says one "hider: notice bytes without a name" || give_up failed "the spool's plugin does not come to an end"
hidden=$(sed -n 's/^hider: notice bytes without a name: \([0-9]*\), then \(.*\)$/\1 \2/p' /tmp/one/log | head -n 1)
echo "$hidden" | awk '{ exit !($1 > 0 && $1 <= 65536 && $2 == "ENOSPC") }' || give_up failed "the spool gave $hidden, and not at most 65536 and then ENOSPC"
[ "$(process one hider state),$(process one hider restarts)" = running,0 ] || give_up failed "hider was ended: $(process one hider lastExit)"
say "the spool gave $hidden"
# What it had of something, and why no more: had WHAT
had() { sed -n "s/^hoarder: notice $1: \([0-9]*\), then \(.*\)$/\1 \2/p" /tmp/one/log | head -n 1; }
# refused WHAT MOST ERROR: it had something of it, not more, and was refused for that reason
refused() {
    had "$1" | awk -v most="$2" -v error="$3" '{ exit !($1 > 0 && $1 <= most && $2 == error) }' ||
        give_up failed "$1: $(had "$1"), and not at most $2 and then $3"
}
if [ "$none" = 1 ]; then
    # Of what has a name it gets no more than is measured, and is ended.
    within 60 says one "hoarder: notice bytes without a name" || give_up failed "the plugin does not come to an end"
    grep -q "^hoarder	disk-quota	missing" /tmp/one/confinement || give_up failed "nobody says that the disk has no quotas"
    had "bytes without a name" | awk -v most="$limit" '{ exit !($1 > 8 * most) }' || give_up failed "it was refused without quotas"
    say "without quotas: $(had "bytes without a name")"
    verdict passed
fi
within 90 says one "hoarder: notice holds on" || give_up failed "the plugin does not come to an end"
grep -E "hoarder: notice" /tmp/one/log | sed 's/^/    /'
for name in hoarder neighbour; do
    grep -q "^$name	disk-quota	verified	$limit" /tmp/one/confinement || give_up failed "$name has no quota of $limit"
done
# Each small file takes a block, which on a disk this small is 1 KiB; the folder itself is one of the files.
refused "small files" $((limit / 1024)) EDQUOT
refused "empty files" 10000 EDQUOT
refused "bytes in holes" "$limit" EFAULT
refused "bytes without a name" "$limit" EDQUOT
say "$(($(used) - before)) KiB more of the disk in use, for everybody together"
[ $(($(used) - before)) -le 4096 ] || give_up failed "more of the disk is gone than two quotas and what the core keeps"

# Nobody else has noticed.
writes() { sed -n 's/^neighbour: notice wrote \([0-9]*\) times$/\1/p' /tmp/one/log | tail -n 1 | grep . || echo 0; }
wrote=$(writes)
scanned=$(of one scans)
more() { [ "$(writes)" -ge $((wrote + 10)) ] && [ "$(of one scans)" -gt "$scanned" ]; }
within 40 more || give_up failed "the neighbour or the core stands still"
! says one "^neighbour: error" || give_up failed "the neighbour could not write"
for name in hoarder neighbour; do
    [ "$(process one "$name" state),$(process one "$name" restarts)" = running,0 ] || give_up failed "$name was ended: $(process one "$name" lastExit)"
done
[ "$(process one core pid),$(process one core restarts)" = "$number,0" ] || give_up failed "the core was restarted"
is one onAir true || give_up failed "the board is off air"
say "the neighbour wrote $(writes) times, the core scanned $(of one scans) times"
stop one || give_up failed "the board did not stop in order"
# What it held on to is gone with it.
within 10 test $(($(used) - before)) -le 2048 || give_up failed "$(($(used) - before)) KiB are still gone"
verdict passed
