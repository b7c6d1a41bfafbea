#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs what a guest needs to start: busybox, the guest's scripts, kernel modules in the order of their dependencies, and
# programs with the shared libraries they are linked to. Nothing has to be built again for the guest.
#
# Usage: make-initrd.sh KERNEL-FOLDER OUTPUT SCENARIO "MODULE ..." [FILE ...]
#   KERNEL-FOLDER  made by get-kernel.sh
#   SCENARIO       a script of guest/, which the guest's init runs
#   FILE           a program or other file: goes to the guest's /bin
set -eu

[ $# -ge 4 ] || { echo "Usage: make-initrd.sh KERNEL-FOLDER OUTPUT SCENARIO \"MODULE ...\" [FILE ...]" >&2; exit 2; }
kernel=$1
output=$2
scenario=$3
modules=$4
shift 4
guest=$(dirname "$0")/guest

# In the guest not only root has to find its programs.
umask 022
tree=$(mktemp -d "${TMPDIR:-/tmp}/vigil-initrd.XXXXXX")
chmod 755 "$tree"
trap 'rm -rf "$tree"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$tree/bin" "$tree/dev" "$tree/proc" "$tree/sys" "$tree/tmp" "$tree/modules"

cp "$(command -v busybox)" "$tree/bin/busybox"
for applet in $(busybox --list); do
    case $applet in busybox | '[[') ;; *) ln -s busybox "$tree/bin/$applet" ;; esac
done
install -m 755 "$guest/init.sh" "$tree/init"
install -m 644 "$guest/library.sh" "$guest/whole.sh" "$guest/$scenario" "$tree/"
echo "$scenario" >"$tree/scenario"

release=$(cat "$kernel/release")
for module in $modules; do
    # A module may be part of the kernel itself in another release: then there is nothing to load.
    /usr/sbin/modprobe -d "$kernel/root" -S "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*$/\1/p'
done | awk '!seen[$0]++' | while read -r file; do
    name=$(basename "$file")
    # busybox loads only what is not compressed.
    case $name in
        *.ko) cp "$file" "$tree/modules/$name" ;;
        *.ko.xz) xz -dc "$file" >"$tree/modules/${name%.xz}" ;;
        *.ko.zst) zstd -dcq "$file" >"$tree/modules/${name%.zst}" ;;
        *) echo "make-initrd.sh: $name is compressed in a way this script does not know" >&2; exit 1 ;;
    esac
    name=${name%.xz}
    echo "${name%.zst}" >>"$tree/modules/order"
done
[ -s "$tree/modules/order" ] || { echo "make-initrd.sh: none of these modules is there: $modules" >&2; exit 1; }

for file in "$@"; do
    # It may take the place of one of busybox's links, which must not be followed.
    cp -L --remove-destination "$file" "$tree/bin/"
    # A stripped Swift program is a third of one that is not.
    strip --strip-unneeded "$tree/bin/$(basename "$file")" 2>/dev/null || true
    libraries=$(ldd "$file" 2>/dev/null) || continue
    case $libraries in *"not found"*) echo "make-initrd.sh: $file lacks a library:" >&2; echo "$libraries" >&2; exit 1 ;; esac
    for library in $(echo "$libraries" | grep -oE '/[^ )]+'); do
        mkdir -p "$tree$(dirname "$library")"
        [ -e "$tree$library" ] || cp -L "$library" "$tree$library"
    done
done

(cd "$tree" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) | zstd -q -T0 -3 >"$output"
