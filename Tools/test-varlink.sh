#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tools/test-varlink.sh SOCKET [call|more METHOD PARAMETERS]...
#
# Others' Varlink clients introspect and call the service that listens at SOCKET: the Varlink project's own, fetched from PyPI with pip
# into .build/varlink once, and, where Tools/varlinkctl.sh can be had (VARLINKCTL=0 leaves it out), systemd's. Each step names a method
# with its parameters as JSON; `more` takes several replies. Ends with "N passed, M failed" for each client.
set -eu

[ $# -ge 1 ] || {
    echo "usage: test-varlink.sh SOCKET [call|more METHOD PARAMETERS]..." >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/.." && pwd)
tests=$repository/Tests/System/Interop
python=$repository/.build/varlink

if ! cmp -s "$tests/varlink-requirements.txt" "$python/installed.txt"; then
    echo "test-varlink.sh: fetching the Python client"
    rm -rf "$python"
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$tests/varlink-requirements.txt"
    cp "$tests/varlink-requirements.txt" "$python/installed.txt"
fi
status=0
"$python/bin/python" "$tests/varlink_client.py" "$@" || status=1
[ "${VARLINKCTL:-1}" != 0 ] || exit "$status"

socket=$1
shift
passed=0
failed=0
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# Runs varlinkctl; its output stays in $log/out.
step() {
    what=$1
    shift
    if timeout 60 "$repository/Tools/varlinkctl.sh" "$@" >"$log/out" 2>"$log/err" </dev/null; then
        passed=$((passed + 1))
        echo "ok: varlinkctl $what"
    else
        failed=$((failed + 1))
        echo "FAILED: varlinkctl $what"
        tail -n 3 "$log/err"
    fi
}

step info --no-pager info "unix:$socket"
step list-interfaces --no-pager list-interfaces "unix:$socket"
cp "$log/out" "$log/interfaces"
while read -r interface; do
    step "introspect $interface" --no-pager --quiet introspect "unix:$socket" "$interface"
    sed "s/\x1b\[[0-9;]*m//g" "$log/out" >"$log/$interface.varlink"
    step "validate-idl $interface" validate-idl "$log/$interface.varlink"
done <"$log/interfaces"
while [ $# -ge 3 ]; do
    if [ "$1" = more ]; then
        # A stream that goes on is cut off after five seconds, so what counts is that replies came.
        timeout 5 "$repository/Tools/varlinkctl.sh" --more --json=short call "unix:$socket" "$2" "$3" >"$log/out" 2>"$log/err" \
            </dev/null || :
        if grep -aq '{' "$log/out"; then
            passed=$((passed + 1))
            echo "ok: varlinkctl more $2: $(grep -ac '{' "$log/out") replies"
        else
            failed=$((failed + 1))
            echo "FAILED: varlinkctl more $2 gave nothing"
            tail -n 3 "$log/err"
        fi
    else
        step "call $2" --json=short call "unix:$socket" "$2" "$3"
    fi
    shift 3
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]
