#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tools/test-outside.sh [SCRATCH]: does what docs/plugins.md says to authors of Swift plugins, in a package outside the tree: takes program, manifest of
# the package and interface from the page, builds them on the library product, and calls the plugin.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=${1:-"$root/.build/outside"}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The first block of docs/plugins.md that has these words.
block() { awk -v words="$1" '/^```/ { if (inside && text ~ words) { printf "%s", text; exit } inside = !inside; text = ""; next } inside { text = text $0 "\n" }' "$root/docs/plugins.md"; }

mkdir "$folder/Sources" "$folder/interfaces" "$folder/bin"
block "@main final class Hello" > "$folder/Sources/Hello.swift"
block "swift-tools-version" | sed "s#\.package(path: \"../vigil\")#.package(name: \"vigil\", path: \"$root\")#" > "$folder/Package.swift"
block "interface org.example.hello1" > "$folder/interfaces/org.example.hello1.varlink"
sed 's#bin/hello-swift#bin/hello#; s#"hello-swift"#"hello"#' "$root/Plugins/Examples/hello-swift/plugin.json" > "$folder/plugin.json"
swift build --package-path "$folder" --scratch-path "$scratch"
cp "$scratch/debug/hello" "$folder/bin/"
answer=$("$root/Tools/try-plugin" "$folder" --set greeting=Moin --call org.example.hello1.Greet '{"name":"Ada"}')
echo "$answer"
[ "$answer" = '{"parameters": {"greeting": "Moin, Ada!", "count": 1}}' ]
