// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/dqblk_xfs.h>
#include <linux/quota.h>
#include <sys/syscall.h>
#include <unistd.h>

// Newer than some headers; the same number on every architecture (Linux 5.14).
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

static int ask(int folder, unsigned int request, uint32_t user, void *about) {
    return syscall(SYS_quotactl_fd, folder, QCMD(request, USRQUOTA), user, about) < 0 ? -errno : 0;
}

// A file system may count and refuse nobody: mounted without the option "usrquota", it takes limits all the same.
static int refuses(int folder) {
    struct fs_quota_statv state = {.qs_version = FS_QSTATV_VERSION1};
    int result = ask(folder, Q_XGETQSTATV, 0, &state);
    if (result < 0) return result;
    if ((state.qs_flags & FS_QUOTA_UDQ_ACCT) == 0) return -ENOSYS;
    return (state.qs_flags & FS_QUOTA_UDQ_ENFD) == 0 ? -ESRCH : 0;
}

int vigil_disk_quota_set(int folder, uint32_t user, uint64_t bytes, uint64_t files) {
    int result = refuses(folder);
    if (result < 0) return result;
    struct if_dqblk limits = {
        .dqb_bhardlimit = bytes / QIF_DQBLKSIZE, .dqb_ihardlimit = files, .dqb_valid = QIF_LIMITS,
    };
    return ask(folder, Q_SETQUOTA, user, &limits);
}

int vigil_disk_quota_get(int folder, uint32_t user, struct vigil_disk_quota *ret_quota) {
    int result = refuses(folder);
    if (result < 0) return result;
    struct if_dqblk found = {0};
    result = ask(folder, Q_GETQUOTA, user, &found);
    if (result < 0) return result;
    *ret_quota = (struct vigil_disk_quota){
        .byte_limit = found.dqb_bhardlimit * QIF_DQBLKSIZE, .file_limit = found.dqb_ihardlimit,
        .byte_count = found.dqb_curspace, .file_count = found.dqb_curinodes,
    };
    return 0;
}
