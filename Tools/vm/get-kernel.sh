#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the kernel Debian ships today, without installing it: FOLDER/vmlinux, which QEMU starts without unpacking it first,
# and FOLDER/root with those of its modules that Bluetooth, a disk and a tunnel can need. A second run finds it there and fetches nothing.
#
# Usage: get-kernel.sh FOLDER     (Debian 12 and 13, amd64)
set -eu

[ $# -eq 1 ] || { echo "Usage: get-kernel.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)

say() { echo "get-kernel.sh: $1"; }
fail() { echo "get-kernel.sh: $1" >&2; exit 1; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# linux-image-amd64 is an empty package that depends on the kernel of the day.
current() { apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1; }

package=$(current)
if [ -z "$package" ]; then
    as_root apt-get update -qq
    package=$(current)
fi
[ -n "$package" ] || fail "apt knows no linux-image-amd64; this needs the package lists of Debian for amd64"
# A folder of before the tunnel has none.
if [ -e "$folder/vmlinux" ] && [ "$(cat "$folder/package" 2>/dev/null)" = "$package" ] &&
    [ -d "$folder/root/lib/modules/$(cat "$folder/release")/kernel/net/ipv6" ]; then
    say "$package is there"
    exit 0
fi

work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

say "fetching $package"
cd "$work"
# Lists that are older than the archive name files that are gone.
apt-get download -qq "$package" >apt.log 2>&1 ||
    { as_root apt-get update -qq && package=$(current) && apt-get download -qq "$package" >apt.log 2>&1; } ||
    { cat apt.log >&2; fail "$package cannot be downloaded"; }

mkdir root
dpkg-deb --fsys-tarfile "$package"_*.deb | tar -x -C root --wildcards '*/boot/vmlinuz-*' '*/modules.*' \
    '*/kernel/arch/x86/crypto/*' '*/kernel/crypto/*' '*/kernel/drivers/bluetooth/*' '*/kernel/lib/*' '*/kernel/net/bluetooth/*' \
    '*/kernel/net/rfkill/*' '*/kernel/drivers/virtio/*' '*/kernel/drivers/block/virtio_blk*' '*/kernel/fs/ext4/*' '*/kernel/fs/jbd2/*' \
    '*/kernel/fs/mbcache*' '*/kernel/fs/quota/*' '*/kernel/net/ipv4/*tunnel*' '*/kernel/net/ipv6/sit*'
# Modules lie in /lib up to Debian 12 and in /usr/lib from 13 on. depmod and modprobe look in the first or the second,
# depending on their own version.
if [ -d root/usr/lib/modules ]; then ln -s usr/lib root/lib; else mkdir -p root/usr && ln -s ../lib root/usr/lib; fi
release=$(ls root/lib/modules)
/usr/sbin/depmod -b root "$release"

# The x86 boot protocol (Documentation/arch/x86/boot.rst of the kernel) puts the compressed kernel behind the set-up code;
# its last four bytes are the size of what is in it, whatever it is compressed with.
image=root/boot/vmlinuz-$release
number() { od -An -v -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }
start=$((($(number "$image" 497 1) + 1) * 512 + $(number "$image" 584 4)))
length=$(number "$image" 588 4)
tail -c "+$((start + 1))" "$image" | head -c "$length" >payload
size=$(number payload $((length - 4)) 4)
case $(od -An -t x1 -N 4 payload | tr -d ' ') in
    fd377a58) unpack="xz -dc --single-stream" ;;
    28b52ffd) unpack="zstd -dcq" ;;
    1f8b*) unpack="gzip -dc" ;;
    *) fail "$package has a kernel compressed in a way this script does not know" ;;
esac
# The four bytes at the end are garbage to the unpackers, which complain after having done their work: the size decides.
$unpack <payload >vmlinux 2>/dev/null || true
[ "$(wc -c <vmlinux)" -eq "$size" ] || fail "the kernel of $package could not be unpacked: $(wc -c <vmlinux) of $size bytes"

rm -rf "$folder/root" "$folder/vmlinux"
mv root vmlinux "$folder/"
echo "$release" >"$folder/release"
echo "$package" >"$folder/package"
say "$package is ready: $(($(du -sk "$folder/root" "$folder/vmlinux" | awk '{ sum += $1 } END { print sum }') / 1024)) MB"
