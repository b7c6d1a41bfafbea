#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests the matching kernels for arm64 on another machine: builds them with Debian's cross compiler, runs them under QEMU,
# once as a board with the cryptography extension and once as one without (Raspberry Pi 3 and 4), and compares with
# Mbed TLS of this machine. Ends with "N passed, M failed". Installs the Debian packages it lacks.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
sources=$repository/Sources/C/CMatchKernel
tests=$repository/Tests/Support/KernelC

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

qemu() {
    if command -v qemu-aarch64-static >/dev/null; then qemu-aarch64-static "$@"; else qemu-aarch64 "$@"; fi
}

missing=
command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
command -v aarch64-linux-gnu-gcc >/dev/null || missing="$missing gcc-aarch64-linux-gnu"
[ -e /usr/aarch64-linux-gnu/lib/libc.a ] || missing="$missing libc6-dev-arm64-cross"
command -v qemu-aarch64-static >/dev/null || command -v qemu-aarch64 >/dev/null || missing="$missing qemu-user-static"
[ -e /usr/include/mbedtls/hkdf.h ] || missing="$missing libmbedtls-dev"
if [ -n "$missing" ]; then
    echo "Installing$missing"
    as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of packages
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

gcc -std=c11 -O2 -Wall -Wextra -Werror "$tests/make_cases.c" -lmbedcrypto -o "$work/make_cases"
"$work/make_cases" >"$work/cases.txt"

cross() {
    aarch64-linux-gnu-gcc -std=c11 -O2 -Wall -Wextra -Werror -I"$sources/include" "$@"
}
for source in "$sources"/*.c "$tests/kernel_test.c"; do
    cross -c "$source" -o "$work/$(basename "$source" .c).o"
done

passed=0
failed=0

# All models of an arm64 CPU in QEMU have the cryptography extension, that of the Pi 3's Cortex-A53 too, although the real
# one has not. A board without it is one on which the Linux kernel does not report it, so the second program is linked
# with a getauxval that leaves out the four bits of AES, PMULL, SHA1 and SHA2. QEMU would still run the instructions, hence
# this check that none of them is outside the kernel that is then switched off.
for object in "$work"/*.o; do
    [ "$object" != "$work/armv8.o" ] || continue
    if aarch64-linux-gnu-objdump -d --no-show-raw-insn "$object" |
        grep -E '[[:space:]](aes(e|d|mc|imc)|sha(1|256)[a-z0-9]+|pmull2?)[[:space:]]'; then
        echo "$(basename "$object" .o) has instructions of the cryptography extension"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done

cross -static "$work"/*.o -o "$work/with_crypto"
cross -x c -c - -o "$work/hwcap.o" <<'END'
unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type) {
    unsigned long value = __real_getauxval(type);
    return type == 16 /* AT_HWCAP */ ? value & ~0x78ul : value;
}
END
cross -static -Wl,--wrap=getauxval "$work"/*.o -o "$work/without_crypto"

# $1 program, $2 CPU model, $3 kernel it must find best
run() {
    echo "== $1 on $2"
    status=0
    qemu -cpu "$2" "$work/$1" "$work/cases.txt" "$3" >"$work/output" || status=$?
    cat "$work/output"
    result=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/output")
    # A program that died reported nothing, or reports success and then fails: neither may count as passed.
    [ -n "$result" ] || result="0 1"
    passed=$((passed + ${result% *}))
    failed=$((failed + ${result#* }))
    if [ "$status" -ne 0 ] && [ "${result#* }" -eq 0 ]; then failed=$((failed + 1)); fi
}

run with_crypto max armv8-crypto
run without_crypto cortex-a53 portable

echo "== arm64"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
