#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The part of `make lint` that is not about Swift: Python, spelling, links, evidence, seeds of tests. A few seconds; needs nothing that is built. The linters are
# fetched from PyPI with pip into .build/lint, once (Tools/lint-requirements.txt).
set -eu
cd "$(dirname "$0")/.."

wanted=Tools/lint-requirements.txt
place=.build/lint
if ! cmp -s "$wanted" "$place/installed.txt"; then
    echo "lint.sh: fetching ruff and codespell"
    rm -rf "$place"
    python3 -m venv "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$wanted"
    cp "$wanted" "$place/installed.txt"
fi

status=0
part() { # NAME COMMAND…
    name=$1
    shift
    "$@" || { echo "lint.sh: $name failed" >&2; status=1; }
}
files() { git ls-files --cached --others --exclude-standard "$@" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done; }

part Python "$place/bin/ruff" check --quiet .
# shellcheck disable=SC2046  # Names of files, meant to be split; none has a blank.
part spelling "$place/bin/codespell" $(files '*.md' '*.swift' '*.py' '*.sh' '*.c' '*.h' '*.varlink' 'docs/evidence/*.json' Makefile .ci/run .ci/calculations .ci/story .ci/stories)
# British English, in pages only: code speaks as its libraries do.
# shellcheck disable=SC2046
part "British spelling" "$place/bin/codespell" -D Tools/spelling.txt $(files '*.md')
part links ./Tools/check-links.py
part evidence ./Tools/evidence.py --check
part seeds ./Tools/check-seeds.py
part "gates of text" ./Tools/check-gates.py
exit "$status"
