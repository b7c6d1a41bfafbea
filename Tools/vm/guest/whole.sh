# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What the scenarios with a whole board (`vigil run`) share.

# Attaches the serial ports from the second on, one adapter each: adapters COUNT
adapters() {
    for number in $(seq "$1"); do
        btattach -B "/dev/ttyS$number" -P h4 >"/tmp/attach$number" 2>&1 &
        within 10 adapter "hci$((number - 1))" || verdict setup "no adapter on serial port $number"
    done
    # The kernel asks a new controller some questions of its own, and leaves it up or down afterwards.
    sleep 0.5
}

# Mounts the control groups and makes one for the board, as an init system does that hands its service a group of its own
# (systemd: Delegate=yes).
delegate_group() {
    mount -t cgroup2 cgroup2 /sys/fs/cgroup || verdict setup "no control groups of version 2"
    echo "+memory +pids +cpu" >/sys/fs/cgroup/cgroup.subtree_control || verdict setup "the controllers cannot be handed down"
    mkdir /sys/fs/cgroup/board
}

# A plugin's folder: plugin NAME PROGRAM TITLE FIELDS, the rest of its manifest
plugin() {
    mkdir -p "/plugins/$1/bin"
    [ -z "$2" ] || cp "$2" "/plugins/$1/bin/main"
    cat >"/plugins/$1/plugin.json" <<END
{"id": "$1", "version": "1.0.0", "title": "$3", "description": "$3", $4}
END
}

# Starts the whole board NAME on a transport, with the plugins of /plugins, the grants of /grants.json and, if wanted, another $profile, and
# $through a command that becomes it: whole NAME TRANSPORT [OPTION ...]. Leaves the supervisor's process number in NAME/pid.
whole() {
    name=$1
    transport=$2
    shift 2
    mkdir -p "/tmp/$name/data" "/tmp/$name/run" /plugins
    # In its group before it is itself, as an init system starts a service.
    # shellcheck disable=SC2016,SC2086  # For the shell that becomes the board; a command with its arguments.
    sh -c 'group=/sys/fs/cgroup/board/cgroup.procs; [ ! -e "$group" ] || echo $$ >"$group"; exec "$@"' start \
        ${through:-} vigil run --enable --transport "$transport" --data "/tmp/$name/data" --run "/tmp/$name/run" \
        --plugins /plugins --grants /grants.json --profile "${profile:-/bin/profile.json}" "$@" >>"/tmp/$name/log" 2>&1 &
    echo $! >"/tmp/$name/pid"
}

# What the supervisor says of a process in a word or number: process BOARD NAME FIELD
process() {
    # What is inside a process is left out: it has fields of the same names.
    sed 's/{"name":/\n&/g' "/tmp/$1/run/supervisor.json" | sed 's/,"confinement":.*//; s/,"edges":.*\],/,/' | grep "^{\"name\":\"$2\"" |
        sed -n "s/.*\"$3\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# Writes down every part of a process's confinement as soon as the supervisor knows it, a line each: PROCESS PART STATE LEVEL DETAIL,
# with tabs, in BOARD/confinement: learn_confinement BOARD PROCESS ...
learn_confinement() {
    learnt=$1
    shift
    for process; do within 30 learn_one "$learnt" "$process" || give_up failed "$process does not start"; done
}
learn_one() {
    sed 's/{"name":/\n&/g; s/{"primitive":/\n&/g' "/tmp/$1/run/supervisor.json" | awk -v OFS='\t' -v wanted="$2" '
        function field(name) { return match($0, "\"" name "\":\"[^\"]*") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) : "" }
        index($0, "{\"name\":") == 1 { process = field("name") }
        process == wanted && index($0, "{\"primitive\":") == 1 {
            print process, field("primitive"), field("state"), field("level"), field("detail")
        }' >/tmp/learnt
    [ -s /tmp/learnt ] && cat /tmp/learnt >>"/tmp/$1/confinement"
}

# Prints in a few lines how a process is confined: what is there, what could not be tried, what is missing.
show_confinement() {
    say "$2: $(awk -F '\t' -v name="$2" '$1 == name {
        printf "%s%s%s%s", separator, $2, $4 == "" ? "" : " (" $4 ")", $3 == "verified" ? "" : " " toupper($3); separator = ", "
    }' "/tmp/$1/confinement")"
}

# A process has to have each of these parts, tried or read back, and to lack exactly those, with a reason:
# confined BOARD PROCESS "PART ..." "LACKING PART ..."
confined() {
    awk -F '\t' -v name="$2" -v has="$3" -v lacks="$4" '
        function complain(text) { print name ": " text; failed = 1 }
        BEGIN {
            count = split(has, list, /[ \n]+/)
            for (i = 1; i <= count; i++) if (list[i] != "") wanted[list[i]] = "verified"
            count = split(lacks, list, /[ \n]+/)
            for (i = 1; i <= count; i++) if (list[i] != "") wanted[list[i]] = "missing"
        }
        $1 == name {
            if (!($2 in wanted)) complain($2 " is " $3 ", and nobody asked for it")
            else if (wanted[$2] != $3) complain($2 " is " $3 " and not " wanted[$2])
            else if ($5 == "") complain("nobody says why " $2 " is " $3)
            delete wanted[$2]
        }
        END {
            for (part in wanted) complain(part " is not reported")
            exit failed
        }' "/tmp/$1/confinement" || give_up failed "$2 is not confined as it should be"
}
