#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the picture of README: three of the wearer's pages, side by side, as a phone shows them, from `vigil-lab pages`. Needs Chromium.
#
# Usage: page-picture.sh FOLDER-WITH-EXECUTABLES
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT

"$1/vigil-lab" pages "$folder" --texts "$repository/Plugins/WebUI/texts" > /dev/null
{
    printf '<!doctype html><style>body{margin:0;padding:14px;display:flex;gap:14px;background:#d9d4c8}'
    printf 'iframe{border:0;width:370px;height:660px;border-radius:14px}</style>'
    for page in today-increased why history; do printf '<iframe src="/en/%s.html" scrolling="no"></iframe>' "$page"; done
} > "$folder/picture.html"
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$folder" > "$folder/server.log" 2>&1 &
server=$!
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$folder/server.log") && [ -n "$port" ]; do
    kill -0 "$server"
    sleep 0.1
done
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1166,688 --virtual-time-budget=4000 \
    --user-data-dir="$folder/browser" --screenshot="$repository/docs/images/page.png" "http://127.0.0.1:$port/picture.html" > /dev/null 2>&1
