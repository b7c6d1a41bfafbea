// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>

int vigil_mount_spool(const char *folder, uint64_t size) {
    char options[64];
    snprintf(options, sizeof options, "mode=0711,size=%llu,nr_inodes=4096", (unsigned long long)size);
    struct stat inside, above;
    char parent[4096];
    if (snprintf(parent, sizeof parent, "%s/..", folder) >= (int)sizeof parent) return -ENAMETOOLONG;
    if (stat(folder, &inside) < 0 || stat(parent, &above) < 0) return -errno;
    // Of a former supervisor: what lies in it stays, its size may be another now.
    unsigned long again = inside.st_dev != above.st_dev ? MS_REMOUNT : 0;
    if (mount("vigil-spool", folder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | again, options) < 0) return -errno;
    // Whoever has a copy of it that follows (vigil-jail) gets what is mounted in it later.
    return mount(NULL, folder, NULL, MS_SHARED, NULL) < 0 ? -errno : 0;
}
