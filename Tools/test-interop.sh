#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The board and Bumble, a Bluetooth stack that is not ours, hear each other on one virtual air. Bumble is fetched from PyPI with
# pip into .build/interop, once. Ends with "N passed, M failed".
#
# Usage: test-interop.sh FOLDER-WITH-EXECUTABLES     Environment: AIR, a command to use in place of `vigil-lab air`
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
tests=$repository/Tests/System/Interop
python=$repository/.build/interop

if ! cmp -s "$tests/requirements.txt" "$python/installed.txt"; then
    echo "test-interop.sh: fetching Bumble"
    rm -rf "$python"
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$tests/requirements.txt"
    cp "$tests/requirements.txt" "$python/installed.txt"
fi

exec "$python/bin/python" "$tests/bumble_peer.py" "$1" "$repository/Tools/vm/profile.json"
