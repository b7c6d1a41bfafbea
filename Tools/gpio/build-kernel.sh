#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds FOLDER/linux, a User-Mode Linux with simulated GPIO lines, from Debian's kernel source, unless it is there already.
# Usage: build-kernel.sh FOLDER
set -eu

folder=$1
package=linux-source-6.1
[ ! -x "$folder/linux" ] || exit 0
mkdir -p "$folder"
cd "$folder"
if [ ! -e source/Makefile ]; then
    echo "test-gpio: fetching Debian's $package"
    apt-get download "$package"
    dpkg-deb --fsys-tarfile "$package"_*.deb | tar -x "./usr/src/$package.tar.xz"
    mkdir -p source
    tar -xf "usr/src/$package.tar.xz" -C source --strip-components=1
    rm -rf usr "$package"_*.deb
fi
cd source
echo "test-gpio: building the kernel, once"
make ARCH=um SUBARCH=x86_64 tinyconfig >../build.log 2>&1
for option in 64BIT PRINTK BINFMT_ELF BINFMT_SCRIPT HOSTFS PROC_FS SYSFS TMPFS DEVTMPFS CONFIGFS_FS GPIOLIB GPIO_CDEV GPIO_SIM \
    EVENTFD EPOLL FUTEX SIGNALFD TIMERFD NET UNIX INET PACKET STDERR_CONSOLE NULL_CHAN MULTIUSER POSIX_TIMERS HIGH_RES_TIMERS TTY \
    UNIX98_PTYS SHMEM INOTIFY_USER FILE_LOCKING ADVISE_SYSCALLS MEMBARRIER RSEQ AIO SYSVIPC POSIX_MQUEUE PROC_SYSCTL MAGIC_SYSRQ \
    SECCOMP NAMESPACES UTS_NS IPC_NS PID_NS NET_NS; do
    ./scripts/config -e "$option"
done
# All 64 interrupts of this kernel are its own: a simulated line that has to tell of edges gets none, and asking for it is ENXIO.
sed -i 's/^#define NR_IRQS.*UM_LAST_SIGNAL_IRQ$/#define NR_IRQS (UM_LAST_SIGNAL_IRQ + 64)/' arch/um/include/asm/irq.h
# A processor with AMX has 11 KiB of registers where this kernel has room for 2,696 bytes, and cannot give less back than it was asked for (mended in later
# kernels: "um: Discover host_fp_size"). They are on the kernel's stacks, too.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 16384)/' arch/x86/um/user-offsets.c
sed -i 's/have_xstate_support = 1;/have_xstate_support = iov.iov_len;/; /^int restore_fp_registers/,/^}/ s/FP_SIZE \* sizeof(unsigned long)/have_xstate_support/' \
    arch/x86/um/os-Linux/registers.c
./scripts/config --set-val KERNEL_STACK_ORDER 4
make ARCH=um SUBARCH=x86_64 olddefconfig >>../build.log 2>&1
make ARCH=um SUBARCH=x86_64 -j"$(nproc)" linux >>../build.log 2>&1 || {
    tail -n 20 ../build.log >&2
    exit 1
}
cp linux ../linux
