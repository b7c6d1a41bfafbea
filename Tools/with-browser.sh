#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a story in a real browser (test-web.py, test-card-page.py). What it needs from PyPI is fetched with pip into .build/browser, once.
#
# Usage: with-browser.sh STORY [ARGUMENT]…     such as: with-browser.sh test-web.py .build/release --share
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
wanted=$repository/Tests/System/Browser/requirements.txt
python=$repository/.build/browser
story=${1:?with-browser.sh: which story? Such as test-web.py}
shift

if ! cmp -s "$wanted" "$python/installed.txt"; then
    echo "with-browser.sh: fetching a driver for the browser, axe and schemathesis"
    rm -rf "$python"
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$wanted"
    cp "$wanted" "$python/installed.txt"
fi

exec "$python/bin/python" "$repository/Tools/$story" "$@"
