#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tools/test-outside.sh [--short] [SCRATCH]: does what docs/plugins.md says to authors of Swift plugins, in a package outside the tree: takes program,
# manifest of the package and interface from the page, builds them on the library product, and calls the plugin.
#
# --short, for CI: looks whether the library product can be had from outside and the program of the page fits it, with what `swift build` has
# already built in the tree. Building all of it once more outside takes minutes on two cores.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
short=
if [ "${1:-}" = --short ]; then short=1; shift; fi
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
if [ -n "$short" ]; then
    # The graph of the package is loaded: a product that is not there is an error.
    swift package --package-path "$folder" --scratch-path "$scratch" show-dependencies > /dev/null
    built="$root/.build/debug"
    flags=$(find "$root"/Sources/C/* "$built"/*.build -maxdepth 1 -name module.modulemap | sed 's#^#-Xcc -fmodule-map-file=#')
    grep -q 'method Greet' "$folder/interfaces/org.example.hello1.varlink"
    # What `swift build` makes of the interface (.embedInCode).
    echo 'enum PackageResources { static let org_example_hello1_varlink: [UInt8] = [] }' > "$folder/Embedded.swift"
    # shellcheck disable=SC2086 # each flag is a word
    swiftc -typecheck -parse-as-library -swift-version 6 -I "$built/Modules" $flags "$folder/Sources/Hello.swift" "$folder/Embedded.swift"
    echo "the page's program fits the library"
    exit 0
fi
swift build --package-path "$folder" --scratch-path "$scratch"
cp "$scratch/debug/hello" "$folder/bin/"
answer=$("$root/Tools/try-plugin" "$folder" --set greeting=Moin --call org.example.hello1.Greet '{"name":"Ada"}')
echo "$answer"
[ "$answer" = '{"parameters": {"greeting": "Moin, Ada!", "count": 1}}' ]
