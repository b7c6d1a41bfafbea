#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The local page, in a real browser and under attack (test-web.py).
#
# Usage: test-web.sh FOLDER-WITH-EXECUTABLES [--share] [--only PART]…
exec "$(dirname "$0")/with-browser.sh" test-web.py "$@"
