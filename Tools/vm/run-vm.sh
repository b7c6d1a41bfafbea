#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts a kernel with an initial RAM disk in QEMU and waits for the guest's verdict, SECONDS at most. Emulation needs no
# hardware support and no rights, so it runs everywhere; ACCELERATION=kvm where /dev/kvm is real.
#
# Usage: run-vm.sh KERNEL-FOLDER INITRD SECONDS "KERNEL ARGUMENTS" [QEMU ARGUMENT ...]
# Exit status: 0 passed; 1 a check failed; 3 nothing was heard; 4 the guest could not be set up; 5 the guest gave no verdict,
# or not in time.
set -eu

# no_timer_check: an emulator that gets no processor for a moment delivers no tick while the kernel looks for one, and it panics.

[ $# -ge 4 ] || { echo "Usage: run-vm.sh KERNEL-FOLDER INITRD SECONDS \"KERNEL ARGUMENTS\" [QEMU ARGUMENT ...]" >&2; exit 2; }
kernel=$1/vmlinux
initrd=$2
seconds=$3
arguments=$4
shift 4

status=0
timeout --foreground --kill-after=5 "$seconds" qemu-system-x86_64 -accel "${ACCELERATION:-tcg}" -cpu max -smp 2 -machine q35 \
    -m "${MEMORY:-512}" -nodefaults -no-reboot -display none -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4 \
    -kernel "$kernel" -initrd "$initrd" \
    -append "console=ttyS0 loglevel=3 panic=-1 random.trust_cpu=on no_timer_check mitigations=off cryptomgr.notests $arguments" "$@" </dev/null || status=$?

# The device ends QEMU with 2 * value + 1. The values of guest/library.sh begin at 32, because QEMU's own failures end with 1.
case $status in
    65) exit 0 ;;
    67) exit 1 ;;
    69) exit 3 ;;
    71) exit 4 ;;
    0) echo "run-vm.sh: the guest switched itself off, or died, without a verdict" >&2 ;;
    124 | 137) echo "run-vm.sh: no verdict within $seconds seconds" >&2 ;;
    *) echo "run-vm.sh: QEMU ended with status $status" >&2 ;;
esac
exit 5
