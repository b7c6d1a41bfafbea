// SPDX-License-Identifier: Apache-2.0
// The C library changes the user of all threads; to the kernel it is each thread's own.
#define _GNU_SOURCE
#include "SandboxC.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int sandbox_thread_become_nobody(void) {
    if (syscall(SYS_setgroups, 0, 0) < 0 || syscall(SYS_setresgid, 65534, 65534, 65534) < 0 ||
        syscall(SYS_setresuid, 65534, 65534, 65534) < 0) {
        return -errno;
    }
    // The change of user took away this process's right to its own lines in /proc.
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int sandbox_pipe(int ret_ends[2]) { return pipe2(ret_ends, O_CLOEXEC) < 0 ? -errno : 0; }
