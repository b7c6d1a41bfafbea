// SPDX-License-Identifier: Apache-2.0
// Forbidden calls, made on purpose, with arguments that do nothing should one of them get through.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Without the filter each of these answers otherwise: succeeds, or fails by an error that is not EPERM, unless the lack of
// privilege says EPERM too; those are marked and prove nothing on their own.
static const struct trial {
    const char *name;
    long number, first, second, third, fourth, fifth, sixth;
    bool proves;
} trials[] = {
    {"ptrace", SYS_ptrace, -1, 1 << 20, 0, 0, 0, 0, true},
    {"process_vm_readv", SYS_process_vm_readv, 1 << 20, 0, 0, 0, 0, 0, true},
    {"mount", SYS_mount, 0, 0, 0, 0, 0, 0, false},
    {"unshare", SYS_unshare, CLONE_FILES, 0, 0, 0, 0, 0, true},
    {"setns", SYS_setns, -1, 0, 0, 0, 0, 0, true},
    {"setuid", SYS_setuid, 0, 0, 0, 0, 0, 0, false},
    {"bpf", SYS_bpf, -1, 0, 0, 0, 0, 0, false},
    {"keyctl", SYS_keyctl, -1, 0, 0, 0, 0, 0, true},
    {"userfaultfd", SYS_userfaultfd, -1, 0, 0, 0, 0, 0, true},
    {"io_uring_setup", SYS_io_uring_setup, 0, 0, 0, 0, 0, 0, true},
    {"perf_event_open", SYS_perf_event_open, 0, 0, 0, 0, 0, 0, true},
    {"pidfd_getfd", SYS_pidfd_getfd, -1, -1, 0, 0, 0, 0, true},
    {"mknodat", SYS_mknodat, -1, 0, 0, 0, 0, 0, true},
    {"memfd_create", SYS_memfd_create, 0, 0, 0, 0, 0, 0, true},
    {"fchown", SYS_fchown, -1, 0, 0, 0, 0, 0, true},
    {"add_key", SYS_add_key, 0, 0, 0, 0, 0, 0, true},
    {"open_tree", SYS_open_tree, -1, 0, 0, 0, 0, 0, true},
    {"socket netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0, 0, 0, 0, true},
    {"socket packet", SYS_socket, AF_PACKET, SOCK_RAW, 0, 0, 0, 0, false},
    {"socket bluetooth", SYS_socket, AF_BLUETOOTH, SOCK_RAW, 1, 0, 0, 0, true},
    {"socket vsock", SYS_socket, AF_VSOCK, SOCK_STREAM, 0, 0, 0, 0, true},
    {"socket raw", SYS_socket, AF_INET, SOCK_RAW, 1, 0, 0, 0, false},
    {"sendto fast open", SYS_sendto, -1, 0, 0, MSG_FASTOPEN, 0, 0, true},
    {"setsockopt SO_LINGER", SYS_setsockopt, -1, SOL_SOCKET, SO_LINGER, 0, 0, 0, true},
    {"setsockopt SO_ZEROCOPY", SYS_setsockopt, -1, SOL_SOCKET, 60, 0, 0, 0, true},
    {"syncfs", SYS_syncfs, -1, 0, 0, 0, 0, 0, true},
    {"ioctl TIOCSTI", SYS_ioctl, -1, TIOCSTI, 0, 0, 0, 0, true},
    {"prctl PDEATHSIG", SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0, 0, true},
    {"fchmod set-user", SYS_fchmod, -1, 04755, 0, 0, 0, 0, true},
    {"madvise COLD", SYS_madvise, 0, 0, MADV_COLD, 0, 0, 0, true},
    {"madvise PAGEOUT", SYS_madvise, 0, 0, MADV_PAGEOUT, 0, 0, 0, true},
    {"madvise WILLNEED", SYS_madvise, 0, 0, MADV_WILLNEED, 0, 0, 0, true},
    {"madvise MERGEABLE", SYS_madvise, 0, 0, MADV_MERGEABLE, 0, 0, 0, true},
    {"fadvise DONTNEED", SYS_fadvise64, -1, 0, 0, POSIX_FADV_DONTNEED, 0, 0, true},
    {"fadvise WILLNEED", SYS_fadvise64, -1, 0, 0, POSIX_FADV_WILLNEED, 0, 0, true},
    {"preadv2 NOWAIT", SYS_preadv2, -1, 0, 0, 0, 0, RWF_NOWAIT, true},
    {"pwritev2 NOWAIT", SYS_pwritev2, -1, 0, 0, 0, 0, RWF_NOWAIT, true},
    {"readahead", SYS_readahead, -1, 0, 0, 0, 0, 0, true},
    {"sync_file_range", SYS_sync_file_range, -1, 0, 0, 0, 0, 0, true},
    {"mincore", SYS_mincore, 0, 0, 0, 0, 0, 0, true},
    {"cachestat", 451, -1, 0, 0, 0, 0, 0, true},
    {"mlock", SYS_mlock, 0, 0, 0, 0, 0, 0, true},
    {"fcntl NOTIFY", SYS_fcntl, -1, F_NOTIFY, 0, 0, 0, 0, true},
    {"fcntl SETLEASE", SYS_fcntl, -1, F_SETLEASE, 0, 0, 0, 0, true},
    {"clone namespace", SYS_clone, CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0, 0, true},
};

static bool is_refused(const struct trial *trial) {
    errno = 0;
    long result = syscall(trial->number, trial->first, trial->second, trial->third, trial->fourth,
                          trial->fifth, trial->sixth);
    if (result >= 0 && trial->number == SYS_socket) close((int)result);
    return result < 0 && errno == EPERM;
}

int count_filter_holes(const char **ret_first) {
    int holes = 0;
    *ret_first = NULL;
    for (size_t index = 0; index < sizeof trials / sizeof trials[0]; index++) {
        if (is_refused(&trials[index])) continue;
        if (holes++ == 0) *ret_first = trials[index].name;
    }
    // Both refusals of internet sockets depend on the plan.
    if (plan.profile != PROFILE_EGRESS) {
        const struct trial datagram = {"socket UDP", SYS_socket, AF_INET, SOCK_DGRAM, 0, 0, 0, 0, true};
        if (!is_refused(&datagram) && holes++ == 0) *ret_first = datagram.name;
    }
    if (plan.network == NETWORK_NONE) {
        const struct trial stream = {"socket TCP", SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0, 0, true};
        if (!is_refused(&stream) && holes++ == 0) *ret_first = stream.name;
    }
    errno = 0;
    if ((syscall(SYS_clone3, NULL, 0) >= 0 || errno != ENOSYS) && holes++ == 0) *ret_first = "clone3";
    return holes;
}

static int count_proofs(void) {
    int count = 0;
    for (size_t index = 0; index < sizeof trials / sizeof trials[0]; index++) count += trials[index].proves;
    return count;
}

void verify_filter(void) {
    if (plan.profile == PROFILE_NONE || plan.denials != DENIALS_SILENT) return;
    const char *first;
    int holes = count_filter_holes(&first);
    int mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    if (mode != 2) {
        report("system-calls", NULL, STATE_MISSING, "no filter is in force");
    } else if (holes > 0) {
        report("system-calls", NULL, STATE_FAILED, "%d forbidden calls got through, first %s", holes, first);
    } else {
        report("system-calls", NULL, STATE_VERIFIED, "%d calls refused that only the filter forbids", count_proofs());
    }
    if (situation.has_own_memory_rule) return;
    void *page = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    report("memory-protection", NULL, page == MAP_FAILED ? STATE_VERIFIED : STATE_FAILED,
           page == MAP_FAILED ? "this kernel has no rule of its own (needs 6.3)" : "a page can be written and executed");
}
