#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The firmware on the kernel it will meet: Debian's, in QEMU, with its Bluetooth drivers and the exclusive user channel. Two
# boards exchange identifiers over the virtual air (hci_uart) and over BlueZ's emulated controllers (hci_vhci). Each is repeated
# with a silent air, and then the guest must say that nothing was heard. Then the controllers vanish. Then whole boards as root: how each
# process is confined, cores that are killed, plugins that are hostile. Ends with "N passed, M failed".
#
# Usage: test-vm.sh FOLDER-WITH-EXECUTABLES [SCENARIO ...]     scenarios: serial, serial-silent, btvirt, btvirt-silent, vanish,
# board, board-kill, quota, quota-none; by name only: board-bare, hostile
#
# See docs/testing-bluetooth.md. Environment: AIR, a command to use in place of `vigil-lab air`; KERNEL, a folder for another kernel.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
tools=$repository/Tools/vm
cache=${KERNEL:-$repository/.build/vm}
bin=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- serial serial-silent btvirt btvirt-silent vanish board board-kill quota quota-none

"$tools/get-kernel.sh" "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/vigil-vm.XXXXXX")
air=
finish() {
    [ -z "$air" ] || kill "$air" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
# A run that ends before its summary says why.
for signal in HUP INT TERM; do
    # shellcheck disable=SC2064  # The name of now.
    trap "echo 'test-vm.sh: ended by SIG$signal' >&2; exit 1" "$signal"
done

pack() {
    name=$1
    shift
    "$tools/make-initrd.sh" "$cache" "$work/$name.initrd" "$name.sh" "$@" "$bin/vigil" "$bin/vigil-lab" "$tools/profile.json"
}

# How long the boards listen to each other, and how long the whole guest may take. Both are many times what is needed here,
# except where nothing is there to hear: that time is always spent.
listen=240
silence=15
limit=1200

# A guest with as many serial adapters as nodes, all of them on an air outside: on_air INITRD NODES ARGUMENTS [REQUEST ...], requests
# to the air once all nodes are there.
on_air() {
    initrd=$work/$1.initrd
    nodes=$2
    arguments=$3
    shift 3
    rm -f "$work/air" "$work/control"
    # shellcheck disable=SC2086  # A command with its arguments, meant to be split.
    ${AIR:-"$bin/vigil-lab" air} "$work/air" --ctl "$work/control" >"$work/air.log" 2>&1 &
    air=$!
    for _ in $(seq 100); do [ ! -S "$work/air" ] || break; sleep 0.1; done
    "$tools/air-control.py" "$work/control" --nodes "$nodes" "$@" >"$work/control.log" 2>&1 &
    placed=$!
    ports=
    for node in $(seq "$nodes"); do
        ports="$ports -chardev socket,id=node$node,path=$work/air -serial chardev:node$node"
    done
    heard=
    if [ -n "${witness:-}" ]; then
        # After the guest's nodes, so that those have the first numbers.
        # shellcheck disable=SC2086  # Two numbers.
        { "$tools/air-control.py" "$work/control" --nodes "$nodes" >/dev/null && exec "$tools/witness.py" "$work/air" $witness; } &
        heard=$!
    fi
    result=0
    # shellcheck disable=SC2086  # Arguments, meant to be split: the folder is of mktemp.
    "$tools/run-vm.sh" "$cache" "$initrd" "$limit" "$arguments" $ports ${disk:-} || result=$?
    if ! wait "$placed"; then
        cat "$work/control.log" "$work/air.log" >&2
        result=5
    fi
    if [ -n "$heard" ]; then
        kill "$heard" 2>/dev/null || true
        wait "$heard" || result=1
    fi
    kill "$air"
    wait "$air" 2>/dev/null || true
    air=
    return "$result"
}

# Two nodes of the air, two metres apart: -41 dBm at one metre, 6 dB less at two. Or far outside each other's reach.
serial() { on_air serial 2 "seconds=$2 expect=$3 expect_rssi=-47" "{\"op\":\"move\",\"id\":2,\"x\":$1,\"y\":0}"; }

# A board whose data lie on a disk of 64 MiB: on_disk ARGUMENTS MKFS-ARGUMENT ...
on_disk() {
    arguments=$1
    shift
    rm -f "$work/disk"
    truncate -s 64M "$work/disk"
    /usr/sbin/mkfs.ext4 -q "$@" "$work/disk"
    disk="-drive file=$work/disk,if=none,id=disk,format=raw -device virtio-blk-pci,drive=disk" on_air quota 1 "$arguments"
}

btvirt() { "$tools/run-vm.sh" "$cache" "$work/btvirt.initrd" "$limit" "seconds=$2 expect=$3 boards=$1"; }

run() {
    case $1 in
        serial) serial 2 "$listen" exchange ;;
        serial-silent) serial 5000 "$silence" silence ;;
        btvirt) btvirt 2 "$listen" exchange ;;
        btvirt-silent) btvirt 1 "$silence" silence ;;
        board) on_air board 2 "" ;;
        # Every security module Debian starts but Landlock.
        board-bare) on_air board 2 "bare=1 lsm=lockdown,yama,apparmor,tomoyo" ;;
        # Identifiers change in a moment, which takes longer here, and much longer beside a build; 25 seconds without a core must not be heard. At the
        # end it is silent.
        board-kill) witness="15 6.5" on_air board-kill 1 "" ;;
        # Ten strangers of another service, each five times a second. What the board sends is to be heard all the time.
        hostile)
            set --
            for place in 1 2 3 4 5 6 7 8 9 10; do
                set -- "$@" "{\"op\":\"advertiser\",\"data\":\"0303aafe\",\"address\":\"c0:00:00:00:00:0$((place - 1))\",\"interval\":0.2,\"x\":$place,\"y\":1}"
            done
            witness="3" on_air hostile 1 "" "$@"
            ;;
        # As the image formats it (Board/image/root/usr/lib/vigil/storage), and as any other ext4.
        quota) on_disk "" -O quota -E quotatype=usrquota ;;
        quota-none) on_disk "none=1" ;;
        vanish) "$tools/run-vm.sh" "$cache" "$work/vanish.initrd" "$limit" "" ;;
        *) echo "test-vm.sh: there is no scenario $1" >&2; exit 2 ;;
    esac
}

case " $* " in *" serial"*) pack serial hci_uart /usr/bin/btattach /usr/bin/setpriv ;; esac
# btvirt encrypts with the kernel's AES, also before it answers its first command.
vhci="hci_vhci algif_hash algif_skcipher ecb cmac"
case " $* " in *" btvirt"*) pack btvirt "$vhci" /usr/bin/btvirt ;; esac
case " $* " in
    *" vanish "*)
        "${CC:-cc}" -O2 -Wall -Wextra -Werror -o "$work/bind-and-exec" "$tools/guest/bind-and-exec.c"
        pack vanish "$vhci" /usr/bin/btvirt /usr/bin/setpriv "$work/bind-and-exec"
        ;;
esac

# A whole board: all executables, and plugins of the guest's own.
whole() {
    scenario=$1
    shift
    cp "$repository/Plugins/Sync/plugin.json" "$work/sync.json"
    "${CC:-cc}" -O2 -Wall -Wextra -Werror -o "$work/glutton" "$tools/guest/glutton.c"
    pack "$scenario" "hci_uart ${modules:-}" /usr/bin/btattach "$bin/vigil-jail" "$bin/vigil-zip" "$bin/vigil-plugins" "$work/sync.json" "$work/glutton" "$@"
}
# A kernel with a tunnel puts one, down, into every namespace: a network of one's own is not alone in it then.
case " $* " in *" board "* | *" board-bare "*) modules=sit whole board ;; esac
case " $* " in *" board-kill "*) whole board-kill ;; esac
case " $* " in
    *" quota "* | *" quota-none "*)
        "${CC:-cc}" -O2 -Wall -Wextra -Werror -o "$work/hoarder" "$tools/guest/hoarder.c"
        modules="virtio_pci virtio_blk crc32c_generic ext4 quota_v2" whole quota /usr/bin/setpriv "$work/hoarder"
        ;;
esac
case " $* " in
    *" hostile "*)
        cp "$repository/Tests/System/Hostile/plugin/plugin.json" "$work/hostile.json"
        "${CC:-cc}" -O2 -I"$repository/Sources/C/CLinux/include" -o "$work/vigil-hostile" "$repository"/Tests/System/Hostile/*.c "$repository"/Sources/C/CLinux/*.c
        whole hostile "$work/vigil-hostile" "$work/hostile.json"
        ;;
esac

passed=0
failed=0
failures=
clock() { cut -d ' ' -f 1 /proc/uptime; }
for scenario; do
    # 3 is the guest's verdict that it heard nothing.
    case $scenario in *-silent) wanted=3 ;; *) wanted=0 ;; esac
    echo "== $scenario"
    began=$(clock)
    status=0
    run "$scenario" || status=$?
    duration=$(echo "$began $(clock)" | awk '{ printf "%.1f", $2 - $1 }')
    if [ "$status" -eq "$wanted" ]; then
        passed=$((passed + 1))
        echo "== $scenario: as it should be, $duration s"
    else
        failed=$((failed + 1))
        failures="$failures $scenario"
        echo "== $scenario: status $status instead of $wanted, $duration s" >&2
    fi
done
# Who sees only the last lines of a long log learns which one it was.
echo "$passed passed, $failed failed${failures:+:$failures}"
[ "$failed" -eq 0 ]
