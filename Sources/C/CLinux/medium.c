// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>

int vigil_open_medium(const char *path, int is_read_only) {
    int descriptor = open(path, (is_read_only ? O_RDONLY : O_RDWR) | O_EXCL | O_DIRECT | O_CLOEXEC | O_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int vigil_open_nameless(const char *folder) {
    int descriptor = open(folder, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
    return descriptor < 0 ? -errno : descriptor;
}
