#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tools/test-core-varlink.sh RELEASE_BIN
#
# A real core on a simulated air, and others' Varlink clients on its console: they introspect every interface and call what can be asked
# without changing anything. VARLINKCTL=0 leaves systemd's client out.
set -eu

[ $# -eq 1 ] || {
    echo "usage: test-core-varlink.sh RELEASE_BIN" >&2
    exit 2
}
repository=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "$1" && pwd)
folder=$(mktemp -d)
air=
core=
finish() {
    for process in $core $air; do kill "$process" 2>/dev/null || :; done
    wait
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM

# Waits up to ten seconds for a file.
await() {
    tries=0
    while [ ! -e "$1" ]; do
        tries=$((tries + 1))
        [ "$tries" -le 100 ] || {
            echo "test-core-varlink.sh: there is no $(basename "$1") after ten seconds" >&2
            tail -n 5 "$folder/log" >&2 || :
            exit 1
        }
        sleep 0.1
    done
}

"$bin/vigil-lab" air "$folder/air" >/dev/null &
air=$!
await "$folder/air"
mkdir "$folder/run"
"$bin/vigil" time set now --run "$folder/run" >/dev/null
"$bin/vigil" core --enable --transport "h4:unix:$folder/air" --data "$folder/data" --run "$folder/run" 2>"$folder/log" &
core=$!
await "$folder/run/ctl.sock"
"$repository/Tools/test-varlink.sh" "$folder/run/ctl.sock" \
    call org.vigil.exposure1.GetStatus '{}' \
    call org.vigil.exposure1.GetDiagnosisKeysDataMapping '{}' \
    more org.vigil.exposure1.GetExposureWindows '{}' \
    call org.vigil.device1.GetRadio '{}' \
    call org.vigil.device1.GetTime '{}' \
    call org.vigil.device1.GetStorage '{}' \
    more org.vigil.device1.GetAudit '{}' \
    more org.vigil.device1.ExportMyData '{}' \
    call org.vigil.device1.GiveConsent '{"purpose": "pair"}'
