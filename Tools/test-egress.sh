#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tools/test-egress.sh FOLDER
#
# Starts the `vigil egress` of FOLDER in a network of its own, with public addresses on its loopback, a name server and a hosts file of
# its own, and lets Python and curl go through it (Tests/System/Interop/egress_check.py). Nothing leaves the machine. Needs user and network
# namespaces. Ends with "N passed, M failed".
set -eu

[ $# -eq 1 ] || {
    echo "usage: test-egress.sh FOLDER-WITH-VIGIL" >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/.." && pwd)
vigil=$(cd "$1" && pwd)/vigil
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'nameserver 127.0.0.53\nsearch evil.example\n' >"$work/resolv.conf"
printf '127.0.0.1 localhost\n93.184.215.14 hosts.example\n' >"$work/hosts"
printf 'hosts: files dns\n' >"$work/nsswitch.conf"
# shellcheck disable=SC2016  # Expanded by the inner shell.
unshare --map-root-user --net --mount sh -euc '
    for file in resolv.conf hosts nsswitch.conf; do mount --bind "$1/$file" "/etc/$file"; done
    ip link set lo up
    ip address add 93.184.215.14/32 dev lo
    ip address add 2606:2800:21f:cb07::1/128 dev lo nodad
    exec timeout 120 python3 "$2" "$3"
' sh "$work" "$repository/Tests/System/Interop/egress_check.py" "$vigil"
