#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The local page, in a real browser and under attack (test-web.py). What it needs from PyPI is fetched with pip into .build/browser, once.
#
# Usage: test-web.sh FOLDER-WITH-EXECUTABLES [--share] [--only PART]…
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
wanted=$repository/Tests/System/Browser/requirements.txt
python=$repository/.build/browser

if ! cmp -s "$wanted" "$python/installed.txt"; then
    echo "test-web.sh: fetching a driver for the browser, axe and schemathesis"
    rm -rf "$python"
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$wanted"
    cp "$wanted" "$python/installed.txt"
fi

exec "$python/bin/python" "$repository/Tools/test-web.py" "$@"
