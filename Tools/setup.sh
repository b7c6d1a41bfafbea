#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a Debian 12 or 13 machine with a Swift toolchain ready: names the packages that are missing and installs them. Asks
# nothing; a second run finds everything and installs nothing.
#
# Usage: setup.sh [GROUP ...]     groups: build (default), arm64, bench, browser, gpio, image, image-arm64, interop, labels, lint, release, servers, tokens, varlinkctl, vm
set -eu

packages_of() {
    case $1 in
        build) echo "libbluetooth-dev libcurl4-openssl-dev libmbedtls-dev libmicrohttpd-dev libmosquitto-dev libp11-kit-dev libqrencode-dev libseccomp-dev libsqlite3-dev libzip-dev" ;;
        # Real servers that tests and the demonstration run against, and what runs the script of a page.
        servers) echo "curl faketime iproute2 mosquitto mosquitto-clients nginx-light nodejs openssl python3 python3-cryptography" ;;
        arm64) echo "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static" ;;
        bench) echo "binutils python3-numpy python3-scipy valgrind" ;;
        browser) echo "chromium chromium-driver fonts-dejavu-core python3-venv" ;;
        # A kernel of one's own, with simulated lines.
        gpio) echo "bc bison build-essential flex python3 xz-utils" ;;
        image) echo "binutils dosfstools fdisk kmod mmdebstrap mtools openssh-client ovmf squashfs-tools zstd" ;;
        # Beside those, for boards with another processor.
        image-arm64) echo "arch-test qemu-efi-aarch64 qemu-system-arm qemu-user-static" ;;
        interop) echo "python3-venv" ;;
        # What tests read labels and posters with.
        labels) echo "poppler-utils zbar-tools" ;;
        # A security token without hardware, for tests.
        tokens) echo "softhsm2" ;;
        varlinkctl) echo "mmdebstrap" ;;
        # Files of a release, made and verified.
        release) echo "bmap-tools dosfstools exfatprogs fdisk mtools openssh-client squashfs-tools zstd" ;;
        lint) echo "git python3-venv shellcheck" ;;
        vm) echo "binutils bluez bluez-test-tools busybox-static cpio gcc kmod libc6-dev python3 qemu-system-x86 xz-utils zstd" ;;
        *) echo "setup.sh: there is no group '$1'; groups are build, arm64, bench, browser, gpio, image, image-arm64, interop, labels, lint, release, servers, tokens, varlinkctl, vm" >&2; exit 2 ;;
    esac
}

[ $# -gt 0 ] || set -- build
wanted=
for group in "$@"; do wanted="$wanted $(packages_of "$group")"; done

if ! command -v swift >/dev/null 2>&1; then
    echo "setup.sh: no Swift toolchain is on PATH. Install Swift 6.2 or newer from https://www.swift.org/install/linux/ and try again." >&2
    exit 1
fi
if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup.sh: this is not Debian. Install the development files of these by hand, then use 'make' again:$wanted" >&2
    exit 1
fi

missing=
for package in $wanted; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || echo absent)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Missing Debian packages, being installed:$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup.sh: neither root nor sudo here. As root, run: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # Lists of words, meant to be split.
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null; }
