#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tools/varlinkctl.sh ARGUMENT...
#
# varlinkctl of Debian 13 (systemd 257), on a machine that has another system: its packages are unpacked into .build/varlinkctl, once,
# from the mirror this machine's apt uses, and run with their own loader and libraries. Nothing is installed. Needs mmdebstrap.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
tree=$repository/.build/varlinkctl
suite=trixie

if [ ! -x "$tree/usr/bin/varlinkctl" ]; then
    command -v mmdebstrap >/dev/null || {
        echo "varlinkctl.sh: mmdebstrap is missing; install it with apt-get install mmdebstrap" >&2
        exit 2
    }
    # shellcheck disable=SC2016 # apt expands it.
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
    [ -n "$mirror" ] || {
        echo "varlinkctl.sh: apt has no mirror here; run apt-get update" >&2
        exit 2
    }
    echo "varlinkctl.sh: unpacking Debian 13's systemd" >&2
    rm -rf "$tree"
    mkdir -p "$(dirname "$tree")"
    # A frozen mirror's release file has expired; the packages are checked against its signature all the same.
    if ! mmdebstrap --quiet --variant=extract --include=systemd,libsystemd-shared --aptopt='Acquire::Check-Valid-Until "false"' \
        "$suite" "$tree" "deb $mirror $suite main" >"$repository/.build/varlinkctl.log" 2>&1; then
        tail -n 5 "$repository/.build/varlinkctl.log" >&2
        rm -rf "$tree"
        exit 1
    fi
fi

libraries=$(find "$tree/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu' | head -n 1)
loader=$(find "$tree/usr/lib" "$libraries" "$tree/usr/lib64" -maxdepth 1 -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
[ -n "$loader" ] || {
    echo "varlinkctl.sh: the unpacked tree has no loader; remove $tree and try again" >&2
    exit 1
}
exec "$loader" --library-path "$libraries:$libraries/systemd" "$tree/usr/bin/varlinkctl" "$@"
