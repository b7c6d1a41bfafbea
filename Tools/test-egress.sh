#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tools/test-egress.sh FOLDER
#
# Starts the `vigil egress` of FOLDER in a network of its own, with a router, an internet of two addresses behind it, a neighbour, a name server and
# a hosts file, and lets Python and curl go through it (Tests/System/Interop/egress_check.py). Nothing leaves the machine. Needs user and network
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
# shellcheck disable=SC2016,SC2064  # Expanded by the inner shell, and at once.
unshare --map-root-user --net --mount sh -euc '
    for file in resolv.conf hosts nsswitch.conf; do mount --bind "$1/$file" "/etc/$file"; done
    # The internet is another network, with the router, and a neighbour of the board.
    unshare --net sleep 600 &
    internet=$!
    trap "kill $internet" EXIT
    while [ "$(readlink "/proc/$internet/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
    there() { nsenter --target "$internet" --net ip "$@"; }
    ip link add veth0 type veth peer name veth1
    ip link set veth1 netns "$internet"
    there address add 93.184.215.14/32 dev lo
    there address add 2606:2800:21f:cb07::1/128 dev lo nodad
    there address add 192.168.9.1/24 dev veth1
    there address add fd00:9::1/64 dev veth1 nodad
    there address add 8.8.4.20/24 dev veth1
    there address add 2a01:4f8:1234:1::20/64 dev veth1 nodad
    ip address add 192.168.9.2/24 dev veth0
    ip address add fd00:9::2/64 dev veth0 nodad
    ip address add 8.8.4.10/24 dev veth0
    ip address add 2a01:4f8:1234:1::10/64 dev veth0 nodad
    ip address add 8.8.5.10/32 dev lo
    for link in lo veth0; do ip link set "$link" up; done
    for link in lo veth1; do there link set "$link" up; done
    ip route add default via 192.168.9.1 src 192.168.9.2
    ip route add default via fd00:9::1 src fd00:9::2
    INTERNET=$internet timeout 120 python3 "$2" "$3"
' sh "$work" "$repository/Tests/System/Interop/egress_check.py" "$vigil"
