# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What the scenarios share. Runs in busybox's shell.

say() { echo "[guest $(cut -d ' ' -f 1 /proc/uptime) s] $*"; }

# Ends the guest with passed, failed, silent or setup. run-vm.sh knows the numbers.
verdict() {
    case $1 in passed) code=32 ;; failed) code=33 ;; silent) code=34 ;; *) code=35 ;; esac
    say "verdict: $1${2:+: $2}"
    # shellcheck disable=SC2059  # The format is the byte.
    printf "\\$(printf '%03o' "$code")" | dd of=/dev/port bs=1 seek=244 2>/dev/null
    # Only where there is no debug-exit device.
    poweroff -f
}

# Waits until a command succeeds: within SECONDS COMMAND ... on a machine that has a processor for this. Beside a build an emulator gets a fifth of one,
# and its clock goes on all the same, so it may take as much longer.
within() {
    patience=$(($1 * 8))
    shift
    during "$patience" "$@"
}

# Waits until a command succeeds, and not longer: during SECONDS COMMAND ...
during() {
    deadline=$(($(cut -d . -f 1 /proc/uptime) + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$(cut -d . -f 1 /proc/uptime)" -lt "$deadline" ] || return 1
        sleep 0.2
    done
}

# Whether a board's log has these words: says NAME PATTERN
says() { grep -qE "$2" "/tmp/$1/log"; }
lives() { kill -0 "$(cat "/tmp/$1/pid")"; }
dead() { ! lives "$1"; }

# A number or word of a board's state.json, by the last part of its name: of BOARD NAME
of() {
    sed -n "s/.*\"$2\" *: *\"\{0,1\}\([^\",}]*\)\"\{0,1\}.*/\1/p" "/tmp/$1/run/state.json" 2>/dev/null | head -n 1 | grep . || echo 0
}
at_least() { [ "$(of "$1" "$2")" -ge "$3" ]; }
is() { [ "$(of "$1" "$2")" = "$3" ]; }

# A word of the kernel's command line, by its name.
argument() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" /proc/cmdline | tr -d '\n'; }

adapter() { [ -e "/sys/class/bluetooth/$1" ]; }

# Starts the board NAME on a transport, if wanted through another command: board NAME TRANSPORT [COMMAND ...]. Leaves its process
# number in NAME/pid. The user without rights owns its folders.
board() {
    name=$1
    transport=$2
    shift 2
    mkdir -p "/tmp/$name/data" "/tmp/$name/keys" "/tmp/$name/run"
    vigil time set now --run "/tmp/$name/run" || verdict failed "$name: the time cannot be set"
    chown -R 1000:1000 "/tmp/$name"
    "$@" vigil core --enable --transport "$transport" --data "/tmp/$name/data" --keys "/tmp/$name/keys" --run "/tmp/$name/run" \
        --profile /bin/profile.json --log text >>"/tmp/$name/log" 2>&1 &
    echo $! >"/tmp/$name/pid"
}

# Runs a command as a user who has no right but to be there. setpriv by its path: the shell would take busybox's own, which cannot
# do this.
without_rights() {
    exec /bin/setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
}

# A verdict that somebody will want to look into: with the boards' logs and what the kernel said about Bluetooth. Where silence is
# what was asked for (kernel argument expect=silence), there is nothing to look into.
give_up() {
    if [ "$1,$(argument expect)" != silent,silence ]; then
        dmesg | grep -iE 'bluetooth|hci|rfkill' | tail -n 20 | sed 's/^/    kernel: /'
        for log in /tmp/*/log; do sed "s/^/    $(basename "$(dirname "$log")"): /" "$log"; done
    fi
    verdict "$@"
}

# Stops a board in order and says how it ended.
stop() {
    kill -TERM "$(cat "/tmp/$1/pid")"
    wait "$(cat "/tmp/$1/pid")"
}

# A core that cannot open its transport has to say why, to go on trying, and to end in order when told to:
# refuses LABEL PATTERN COMMAND ...
refuses() {
    label=$1
    words=$2
    shift 2
    mkdir -p "/tmp/$label/data" "/tmp/$label/keys" "/tmp/$label/run"
    chown -R 1000:1000 "/tmp/$label"
    "$@" --data "/tmp/$label/data" --keys "/tmp/$label/keys" --run "/tmp/$label/run" --profile /bin/profile.json --log text \
        >"/tmp/$label/log" 2>&1 &
    echo $! >"/tmp/$label/pid"
    within 20 says "$label" "$words" || give_up failed "$label: the core does not say what is wrong"
    say "$label: $(grep -E "$words" "/tmp/$label/log" | head -n 1)"
    stop "$label" || give_up failed "$label: the core did not stop in order"
}

# What a board stored, read with the laboratory's command, which knows how to open the sealed logs. To be called before the two
# that follow: a board that cannot be read must not pass for one that heard nothing.
read_sightings() {
    vigil-lab sightings --data "/tmp/$1/data" --keys "/tmp/$1/keys" >"/tmp/$1/sightings.csv" ||
        give_up failed "what board $1 stored cannot be read"
    [ -s "/tmp/$1/sightings.csv" ] || give_up failed "what board $1 stored has no header"
}
count_rows() { tail -n +2 "/tmp/$1/sightings.csv" | grep -c . || true; }
# One column of it by name: column BOARD NAME
column() {
    awk -F , -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) found = i; next } { print $found }' \
        "/tmp/$1/sightings.csv"
}
