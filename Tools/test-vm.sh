#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The firmware on the kernel it will meet: Debian's, in QEMU, with its Bluetooth drivers and the exclusive user channel. Two
# boards exchange identifiers over the virtual air (hci_uart) and over BlueZ's emulated controllers (hci_vhci). Each is repeated
# with a silent air, and then the guest must say that nothing was heard. Then the controllers vanish. Ends with "N passed, M failed".
#
# Usage: test-vm.sh FOLDER-WITH-EXECUTABLES [SCENARIO ...]     scenarios: serial, serial-silent, btvirt, btvirt-silent, vanish
#
# See docs/testing-bluetooth.md. Environment: AIR, a command to use in place of `vigil-lab air`.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
tools=$repository/Tools/vm
cache=$repository/.build/vm
bin=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- serial serial-silent btvirt btvirt-silent vanish

"$tools/get-kernel.sh" "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/vigil-vm.XXXXXX")
air=
finish() {
    [ -z "$air" ] || kill "$air" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

pack() {
    name=$1
    shift
    "$tools/make-initrd.sh" "$cache" "$work/$name.initrd" "$name.sh" "$@" "$bin/vigil" "$bin/vigil-lab" "$tools/profile.json"
}

# How long the boards listen to each other, and how long the whole guest may take. Both are many times what is needed here,
# except where nothing is there to hear: that time is always spent.
listen=30
silence=15
limit=150

# Two nodes of the air, two metres apart: -41 dBm at one metre, 6 dB less at two. Or far outside each other's reach.
serial() {
    rm -f "$work/air" "$work/control"
    # shellcheck disable=SC2086  # A command with its arguments, meant to be split.
    ${AIR:-"$bin/vigil-lab" air} "$work/air" --ctl "$work/control" >"$work/air.log" 2>&1 &
    air=$!
    for _ in $(seq 100); do [ ! -S "$work/air" ] || break; sleep 0.1; done
    "$tools/air-control.py" "$work/control" --nodes 2 "{\"op\":\"move\",\"id\":2,\"x\":$1,\"y\":0}" >"$work/control.log" 2>&1 &
    placed=$!
    result=0
    "$tools/run-vm.sh" "$cache" "$work/serial.initrd" "$limit" "seconds=$2 expect=$3 expect_rssi=-47" \
        -chardev "socket,id=first,path=$work/air" -serial chardev:first \
        -chardev "socket,id=second,path=$work/air" -serial chardev:second || result=$?
    if ! wait "$placed"; then
        cat "$work/control.log" "$work/air.log" >&2
        result=5
    fi
    kill "$air"
    wait "$air" 2>/dev/null || true
    air=
    return "$result"
}

btvirt() { "$tools/run-vm.sh" "$cache" "$work/btvirt.initrd" "$limit" "seconds=$2 expect=$3 boards=$1"; }

run() {
    case $1 in
        serial) serial 2 "$listen" exchange ;;
        serial-silent) serial 5000 "$silence" silence ;;
        btvirt) btvirt 2 "$listen" exchange ;;
        btvirt-silent) btvirt 1 "$silence" silence ;;
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

passed=0
failed=0
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
        echo "== $scenario: status $status instead of $wanted, $duration s" >&2
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
