// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// include/uapi/linux/openat2.h, which older headers lack.
struct how {
    uint64_t flags, mode, resolve;
};
enum { NO_CROSSING = 0x01, NO_MAGIC_LINKS = 0x02, NO_SYMBOLIC_LINKS = 0x04, BENEATH = 0x08 };
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int vigil_open_beneath(int folder, const char *name) {
    // Never waits for the other end of a FIFO, never becomes a terminal's session.
    int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW;
    struct how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)flags;
    how.resolve = NO_CROSSING | NO_MAGIC_LINKS | NO_SYMBOLIC_LINKS | BENEATH;
    int descriptor;
    do descriptor = (int)syscall(SYS_openat2, folder, name, &how, sizeof how); while (descriptor < 0 && errno == EINTR);
    // Linux before 5.6, and sandboxes made before then; a name without slash needs no more than O_NOFOLLOW.
    if (descriptor < 0 && (errno == ENOSYS || errno == EPERM)) {
        do descriptor = openat(folder, name, flags); while (descriptor < 0 && errno == EINTR);
    }
    return descriptor < 0 ? -errno : descriptor;
}
