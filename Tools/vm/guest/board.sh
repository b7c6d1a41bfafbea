# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A whole board as root on this kernel, and beside it a core to be heard. What of the sandbox holds here is asked process by process, and
# a plugin takes more memory than it may, in three ways: the kernel has to stop it.
# Kernel argument: bare=1 where this kernel was started without Landlock, and control groups are not to be mounted. Then both have to be
# reported as missing, all the rest has to hold, and it is the supervisor that stops the plugin.

bare=$(argument bare)
[ "$bare" = 1 ] || delegate_group
adapters 2
[ -e /sys/class/net/sit0 ] || give_up failed "this kernel has no tunnel, so none is in the processes' networks"

plugin glutton /bin/glutton "Takes memory" '"run": {"program": "bin/main"}, "start": "resident",
    "quotas": {"memory": 16777216, "state": 65536, "spool": 1048576, "processes": 8}'
mkdir -p /plugins/sync
cp /bin/sync.json /plugins/sync/plugin.json
cat >/grants.json <<'END'
{"plugins": {
  "glutton": {"enabled": true},
  "sync": {"enabled": true, "calls": {"org.vigil.exposure1": ["GetStatus", "ProvideDiagnosisKeys"]},
    "endpoints": {"distribution": [{"host": "127.0.0.1", "port": 8443, "private": true}]},
    "settings": {"sources": [{"name": "home", "kind": "cwa", "base": "https://127.0.0.1:8443", "country": "EUR"}]}}}}
END
board two hci:1
whole one hci:0
within 40 is one onAir true || give_up failed "the board does not go on air"
number=$(process one core pid)
egress_runs() { [ "$(process one egress state)" = running ]; }
within 40 egress_runs || give_up failed "egress does not run"
# Beside a build it may have taken too long to start, once or twice.
before=$(process one egress restarts)
say "on air"

# Sync runs once, soon after the start.
learn_confinement one core egress glutton sync
say "security modules: $(cat /sys/kernel/security/lsm)"
for name in core egress glutton sync; do show_confinement one "$name"; done

everybody="processes ipc hostname mounts proc limits user capabilities no-new-privileges ends-with-supervisor system-calls memory-protection
    descriptors"
core="$everybody network"
egress="$everybody oom-score"
plugin="$everybody network oom-score niceness"
groups="cgroup-memory cgroup-pids cgroup-cpu"
if [ "$bare" = 1 ]; then
    landlock="landlock-files landlock-network landlock-scope"
    confined one core "$core" "$landlock"
    confined one egress "$egress" "landlock-files landlock-scope"
    confined one glutton "$plugin" "$landlock $groups disk-quota state-encryption"
    confined one sync "$plugin socks" "$landlock $groups disk-quota state-encryption"
else
    # Landlock learned ports with version 4 (Linux 6.7) and scopes with version 6 (6.12).
    version=$(awk -F '\t' '$1 == "core" && $2 == "landlock-files" { print $4 }' /tmp/one/confinement)
    has="landlock-files"
    lacks=""
    if [ "${version:-0}" -ge 6 ]; then has="$has landlock-scope"; else lacks="landlock-scope"; fi
    confined one egress "$egress $has" "$lacks"
    if [ "${version:-0}" -ge 4 ]; then has="$has landlock-network"; else lacks="$lacks landlock-network"; fi
    confined one core "$core $has" "$lacks"
    # Its data are in memory here; `quota` has a disk.
    confined one glutton "$plugin $has $groups" "$lacks disk-quota state-encryption"
    confined one sync "$plugin socks $has $groups" "$lacks disk-quota state-encryption"
fi
# The kernel has a rule of its own since 6.3; before, the filter keeps it.
newest=$(printf '%s\n6.3\n' "$(uname -r)" | sort -V | tail -n 1)
if [ "$newest" = 6.3 ]; then protects=filter; else protects=kernel; fi
for name in core egress glutton sync; do
    by=$(awk -F '\t' -v name="$name" '$1 == name && $2 == "memory-protection" { print $4 }' /tmp/one/confinement)
    [ "$by" = "$protects" ] || give_up failed "$name: memory-protection is by $by and not by the $protects"
done
say "every process is confined as this kernel allows; memory is protected by the $protects"
if [ "$bare" != 1 ]; then
    place=$(sed -n 's/^0:://p' "/proc/$(cat /tmp/one/pid)/cgroup")
    case $place in */supervisor) ;; *) give_up failed "the supervisor is in the group $place, and not in one of its own" ;; esac
fi

# Sync ends when nobody wants anything, and is there again for whoever calls: also after its first end.
sync_waits() { [ "$(process one sync state)" = waiting ]; }
sync_answers() { vigil ctl call org.vigil.sync1.GetFreshness --socket /tmp/one/run/console/org.vigil.sync1 >/tmp/freshness 2>&1; }
for turn in first second; do
    within 60 sync_waits || give_up failed "sync does not end when nobody wants anything, the $turn time"
    within 20 sync_answers || give_up failed "sync does not answer after its $turn end: $(cat /tmp/freshness)"
done
say "sync ended twice, and answered after each end"

# Memory: its own, then shared, then that of children who take less than the quota each.
if [ "$bare" = 1 ]; then
    stopped() { [ "$(grep -c "it is ended: .*memory.* process=glutton" /tmp/one/log)" -ge "$1" ]; }
    within 30 stopped 2 || give_up failed "the supervisor does not stop the plugin that takes too much memory"
else
    stopped() { [ "$(grep -c "the kernel ended it because it used up its memory .* process=glutton" /tmp/one/log)" -ge "$1" ]; }
    within 30 stopped 2 || give_up failed "the kernel does not stop the plugin that takes too much memory"
    within 20 says one "1 of the children was killed" || give_up failed "the kernel does not stop the plugin's children"
    # Ended for its memory: beside a build it may take too long to start, and is ended for that.
    ! says one "it is ended: .*memory.* process=glutton" || give_up failed "the supervisor was quicker than the kernel"
fi
grep -E "glutton" /tmp/one/log | sed 's/^/    /'
[ "$(process one core pid),$(process one core restarts)" = "$number,0" ] || give_up failed "the core was restarted"
[ "$(process one egress restarts)" = "$before" ] || give_up failed "egress was restarted"

heard() { at_least one storedIdentifiers 1 && at_least two storedIdentifiers 1; }
within 20 heard || give_up failed "the board and the core beside it do not hear each other"
stop one || give_up failed "the board did not stop in order"
left=$(find /sys/fs/cgroup/board -name 'vigil-*' 2>/dev/null)
[ -z "$left" ] || give_up failed "groups are left: $left"
say "the board heard and was heard, and stopped in order"
verdict passed
