// SPDX-License-Identifier: Apache-2.0
// The C library changes the user of all threads; to the kernel it is each thread's own.
#define _GNU_SOURCE
#include "SandboxC.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

struct listing {
    void (*body)(void *);
    void *context;
    int result;
};

static void *run_without_listing(void *argument) {
    struct listing *listing = argument;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
        listing->result = -errno;
        return 0;
    }
    listing->body(listing->context);
    return 0;
}

int sandbox_run_without_listing(void (*body)(void *), void *context) {
    struct listing listing = {.body = body, .context = context, .result = 0};
    pthread_t thread;
    int error = pthread_create(&thread, 0, run_without_listing, &listing);
    if (error != 0) return -error;
    pthread_join(thread, 0);
    return listing.result;
}

// In a child between fork and exit: calls of the system only. Returns an errno.
static int send_as(unsigned user, int count, int end) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return errno;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || syscall(SYS_setresuid, user, user, user) < 0) return errno;
    char byte = 0;
    struct iovec part = {&byte, 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } ancillary;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
    memset(&ancillary, 0, sizeof ancillary);
    ancillary.header.cmsg_level = SOL_SOCKET;
    ancillary.header.cmsg_type = SCM_RIGHTS;
    ancillary.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&ancillary.header), &(int){0}, sizeof(int));
    for (int index = 0; index < count; index++) {
        if (sendmsg(end, &message, MSG_DONTWAIT) < 0) return errno;
    }
    return 0;
}

int sandbox_leave_in_flight(unsigned user, int count, int ret_ends[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ret_ends) < 0) return -errno;
    pid_t child = fork();
    if (child == 0) _exit(send_as(user, count, ret_ends[0]));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) return -errno;
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}
