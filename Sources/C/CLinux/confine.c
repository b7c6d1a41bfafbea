// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// An answer that getppid never gives by itself: it shows that the filter is in force, without dying of it.
enum { PROOF = ENOTUNIQ };

#define FIELD(name) (uint32_t)offsetof(struct seccomp_data, name)
// Both architectures are little-endian; the kernel looks at the lower half of descriptors and protections only.
#define ARGUMENT(index) (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (index))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)
#define KILL ANSWER(SECCOMP_RET_KILL_PROCESS)
// The number is in the accumulator before and after each of these, unless they answered.
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define ALLOW_ON(number, descriptor) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(ARGUMENT(0)), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, descriptor, 0, 1), ANSWER(SECCOMP_RET_ALLOW), KILL

int vigil_confine_unzip(int reads_anywhere) {
#ifndef ARCHITECTURE
    (void)reads_anywhere;
    return -ENOTSUP;
#else
    struct sock_filter filter[] = {
        LOAD(FIELD(arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        KILL,
        // Numbers of x32 are above all of these and fall through to the end.
        LOAD(FIELD(nr)),
        ALLOW_ON(reads_anywhere ? SYS_pread64 : SYS_read, 0),
        ALLOW_ON(SYS_write, 1),
        ALLOW(SYS_brk),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mremap),
        ALLOW(SYS_madvise),
        // Memory of no file that is never executed.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 6),
        LOAD(ARGUMENT(2)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0),
        LOAD(ARGUMENT(3)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1),
        ANSWER(SECCOMP_RET_ALLOW),
        KILL,
        // For clocks that the kernel's own page in the process cannot read.
        ALLOW(SYS_clock_gettime),
        ALLOW(SYS_exit_group),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        ANSWER(SECCOMP_RET_ERRNO | (PROOF & SECCOMP_RET_DATA)),
        KILL,
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0) return -errno;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) return -errno;
    errno = 0;
    if (syscall(SYS_getppid) != -1 || errno != PROOF) return -EPROTO;
    return 0;
#endif
}

int vigil_prepare_unzip(void) {
    syscall(SYS_close_range, 3, UINT_MAX, 0);
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_FSIZE, &none) < 0) return -errno;
    // Nobody of the same user may look into it.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
    // libzip turns dates into local time; without this, the C library would look for the zone's file each time.
    if (setenv("TZ", "UTC0", 1) < 0) return -errno;
    tzset();
    // Allocators ask for things once, with their first block.
    free(malloc(1 << 16));
    return 0;
}
