// SPDX-License-Identifier: Apache-2.0
// Arguments: by the kind that a call wants, where that is known, and otherwise anything; now and then anything all the same.
#define _GNU_SOURCE
#include "generator.h"
#include "hostile.h"
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// One letter for each argument: d descriptor, b memory, n size, i small number, f flags, o offset, p path, a address and its size, m message,
// v pieces and their number, s size of a value, t time, c command of fcntl, x of ioctl, l level and option, k process, g signal, q place in memory,
// w how a file is opened, r its rights.
static const struct {
    const char *name, *wants;
} hints[] = {
    {"read", "dbn"}, {"write", "dbn"}, {"readv", "dv"}, {"writev", "dv"}, {"pread64", "dbno"}, {"pwrite64", "dbno"}, {"preadv2", "dvoif"},
    {"pwritev2", "dvoif"}, {"lseek", "doi"}, {"sendfile", "ddqn"}, {"splice", "dqdqnf"}, {"tee", "ddnf"}, {"vmsplice", "dvf"},
    {"copy_file_range", "dqdqnf"}, {"close", "d"}, {"dup", "d"}, {"dup2", "dd"}, {"dup3", "ddf"}, {"fcntl", "dci"}, {"flock", "di"},
    {"ftruncate", "do"}, {"fallocate", "dioo"}, {"openat", "dpwr"}, {"open", "pwr"}, {"mkdirat", "dpr"}, {"unlinkat", "dpf"},
    {"renameat2", "dpdpf"}, {"linkat", "dpdpf"}, {"symlinkat", "pdp"}, {"inotify_add_watch", "dpf"}, {"inotify_rm_watch", "di"},
    {"poll", "bii"}, {"epoll_ctl", "didb"}, {"epoll_wait", "dbii"}, {"timerfd_settime", "dibb"}, {"signalfd4", "dbnf"},
    {"bind", "da"}, {"connect", "da"}, {"listen", "di"}, {"accept4", "dqqf"}, {"getsockopt", "dlbq"}, {"setsockopt", "dlbs"},
    {"recvfrom", "dbnf"}, {"recvmsg", "dmf"}, {"sendmsg", "dmf"}, {"sendto", "dbnfa"}, {"sendmmsg", "dmif"}, {"shutdown", "di"},
    {"socket", "iii"}, {"socketpair", "iiib"}, {"kill", "kg"}, {"tgkill", "kkg"}, {"pidfd_open", "kf"}, {"pidfd_send_signal", "dgqf"},
    {"ioctl", "dxb"}, {"munmap", "qn"}, {"mremap", "qnnfq"}, {"madvise", "qni"}, {"mprotect", "qni"}, {"mmap", "qnifdo"}, {"brk", "q"},
    {"fchmod", "dr"}, {"fchdir", "d"}, {"clone", "f"}, {"nanosleep", "tq"}, {"setitimer", "ibq"}, {"alarm", "i"}, {"wait4", "kqfq"},
    {"execve", "pqq"}, {"execveat", "dpqqf"}, {"set_robust_list", "qn"}, {"rt_sigaction", "gbqn"}, {"getdents64", "dbn"},
    {"futex", "qiitqi"}, {"close_range", "ddf"}, {"mlock", "qn"}, {"fsync", "d"}, {"fdatasync", "d"}, {"utimensat", "dpqf"},
    {"mkdir", "pr"}, {"rmdir", "p"}, {"chdir", "p"}, {"creat", "pr"}, {"unlink", "p"}, {"rename", "pp"}, {"renameat", "dpdp"}, {"link", "pp"},
    {"symlink", "pp"}, {"truncate", "po"}, {"chmod", "pr"}, {"fchmodat", "dpr"}, {"readlink", "pbn"}, {"stat", "pb"}, {"statx", "dpfib"},
};

// What the filter lets somebody set of a socket: everything else is refused before anything happens.
static struct option {
    int level, number;
} permitted[512];
static int permitted_count;

void find_options(void) {
    static const int levels[] = {SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6};
    int endpoint = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (size_t index = 0; index < sizeof levels / sizeof levels[0]; index++) {
        for (int option = 0; option < 90; option++) {
            // Nothing is set: there is no value.
            if (setsockopt(endpoint, levels[index], option, NULL, 0) < 0 && errno == EPERM) continue;
            permitted[permitted_count++] = (struct option){levels[index], option};
        }
    }
    close(endpoint);
}

static const int64_t odd_numbers[] = {0, 1, -1, 2, 7, 255, 256, 4095, 4096, 65535, 65536, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
                                      1L << 32, 0x7fffffffL << 12, -4096};

static long number(struct chance *chance) {
    switch (below(chance, 4)) {
    case 0: return odd_numbers[below(chance, sizeof odd_numbers / sizeof odd_numbers[0])];
    case 1: return 1L << below(chance, 64);
    default: return (long)below(chance, 24);
    }
}

static void *place(struct pool *pool, struct chance *chance) {
    if (below(chance, 24) == 0) return (void *)(uintptr_t)draw(chance);
    return pool->scratch + below(chance, SCRATCH - (1 << 17));
}

// Of a round's own names, so that one call finds what another made; now and then one that nobody has seen.
static char *path(struct pool *pool, struct chance *chance) {
    static const char *const names[] = {"one", "two", "three", "one/two", "..", "../one", ".", "/", "/state", "/spool", "/state/one", "/spool/one", "/spool/two",
                                        "/run/vigil/settings.json", "/proc/self/fd/0", "/proc/self/exe", "/proc/1/root", "/run/vigil/org.vigil.exposure1",
                                        "/dev/null", "/tmp/three", "../../etc/passwd", ""};
    enum { COUNT = sizeof names / sizeof names[0] };
    char *text = (char *)pool->scratch + below(chance, SCRATCH - (1 << 17));
    uint64_t way = below(chance, 8);
    if (way > 0) {
        uint64_t index = way < 6 ? (uint64_t)pool->other_name : below(chance, COUNT);
        snprintf(text, 200, "%s", way < 5 ? pool->name : names[index % COUNT]);
        return text;
    }
    size_t length = 1 + (size_t)below(chance, below(chance, 4) == 0 ? 255 : 8);
    for (size_t index = 0; index < length; index++) {
        text[index] = (char)(1 + below(chance, 255));
        if (text[index] == '/') text[index] = '.';
    }
    text[length] = 0;
    return text;
}

static long opening(struct chance *chance) {
    static const int others[] = {O_TRUNC, O_APPEND, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_EXCL, O_PATH, O_TMPFILE, O_SYNC, O_CLOEXEC, O_NOATIME, O_ASYNC};
    static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT, O_RDWR | O_CREAT, O_WRONLY | O_CREAT, O_RDONLY | O_DIRECTORY, 3};
    long flags = ways[below(chance, 8)];
    while (below(chance, 3) == 0) flags |= others[below(chance, sizeof others / sizeof others[0])];
    return flags;
}

static struct iovec *pieces(struct pool *pool, struct chance *chance, long *ret_count) {
    struct iovec *list = (struct iovec *)(void *)(pool->scratch + (SCRATCH - (1 << 16)) + 64 * below(chance, 256));
    *ret_count = (long)(1 + below(chance, 4));
    for (long index = 0; index < *ret_count; index++) {
        list[index] = (struct iovec){place(pool, chance), (size_t)below(chance, below(chance, 4) == 0 ? 1 << 16 : 256)};
    }
    return list;
}

static long message(struct pool *pool, struct chance *chance) {
    struct msghdr *header = (struct msghdr *)(void *)(pool->scratch + (SCRATCH - (1 << 15)) + 128 * below(chance, 32));
    struct cmsghdr *beside = (struct cmsghdr *)(void *)(pool->scratch + (SCRATCH - (1 << 14)) + 2048 * below(chance, 4));
    long count;
    memset(header, 0, sizeof *header);
    header->msg_iov = pieces(pool, chance, &count);
    header->msg_iovlen = (size_t)count;
    if (below(chance, 4) == 0) return (long)header;
    size_t descriptors = 1 + (size_t)below(chance, below(chance, 8) == 0 ? 253 : 12), size = sizeof(int) * descriptors;
    header->msg_control = beside;
    header->msg_controllen = CMSG_SPACE(size);
    beside->cmsg_level = SOL_SOCKET;
    beside->cmsg_type = below(chance, 12) == 0 ? (int)below(chance, 6) : SCM_RIGHTS;
    beside->cmsg_len = below(chance, 24) == 0 ? (size_t)number(chance) : CMSG_LEN(size);
    for (size_t index = 0; index < descriptors; index++) ((int *)(void *)CMSG_DATA(beside))[index] = any(pool, chance);
    return (long)header;
}

static long address(struct pool *pool, struct chance *chance) {
    unsigned char *at = pool->scratch + (SCRATCH - (1 << 17)) + 256 * below(chance, 64);
    memset(at, 0, 128);
    struct sockaddr_un *local = (struct sockaddr_un *)(void *)at;
    struct sockaddr_in *internet = (struct sockaddr_in *)(void *)at;
    if (below(chance, 2) == 0) {
        local->sun_family = AF_UNIX;
        snprintf(local->sun_path, sizeof local->sun_path, "%s", below(chance, 2) == 0 ? "/run/vigil/org.vigil.exposure1" : "/state/socket");
    } else {
        internet->sin_family = AF_INET;
        internet->sin_port = htons(below(chance, 2) == 0 ? 1080 : (uint16_t)draw(chance));
        internet->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    return (long)at;
}

// A value that says yes, or how long; times and signals look like it, too.
static long value(struct pool *pool, struct chance *chance) {
    int *at = (int *)(void *)(pool->scratch + 64 * below(chance, 512));
    for (int index = 0; index < 16; index++) at[index] = below(chance, 3) == 0 ? (int)number(chance) : (int)(1 + below(chance, 3));
    return (long)at;
}

static long one(char kind, struct pool *pool, struct chance *chance) {
    static const int levels[] = {SOL_SOCKET, SOL_SOCKET, SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6};
    switch (kind) {
    case 'd': return any(pool, chance);
    case 'b': return below(chance, 2) == 0 ? value(pool, chance) : (long)place(pool, chance);
    case 'n': return (long)below(chance, below(chance, 4) == 0 ? 1 << 17 : 512);
    case 'i': return below(chance, 2) == 0 ? (long)below(chance, 17) : number(chance);
    case 'f': return below(chance, 2) == 0 ? 0 : number(chance) | (long)(1u << below(chance, 32));
    case 's': return below(chance, 8) == 0 ? number(chance) : 4L << below(chance, 3);
    case 'o': return (long)below(chance, UINT64_C(1) << (10 + below(chance, 16))) * (below(chance, 8) == 0 ? -1 : 1);
    case 'w': return opening(chance);
    case 'r': return below(chance, 4) == 0 ? (long)below(chance, 01000) : 0777;
    case 'p': return (long)path(pool, chance);
    case 'm': return message(pool, chance);
    case 't': memset(pool->scratch, 0, 32); return (long)pool->scratch;
    case 'c': return (long)(below(chance, 2) == 0 ? below(chance, 40) : 1024 + below(chance, 20));
    case 'x': return (long)(0x5400 + below(chance, 96));
    case 'l': return levels[below(chance, 6)];
    case 'k': {
        const long processes[] = {0, 1, getpid(), getppid(), -1, -getpgrp()};
        return processes[below(chance, 6)];
    }
    // Not so that the round is over at the first.
    case 'g': return below(chance, 16) == 0 ? (long)below(chance, 65) : SIGCHLD;
    default: return below(chance, 3) == 0 ? 0 : (long)place(pool, chance);
    }
}

const char *wants_of(const char *name) {
    for (size_t index = 0; index < sizeof hints / sizeof hints[0]; index++) {
        if (strcmp(hints[index].name, name) == 0) return hints[index].wants;
    }
    return "";
}

void choose(const char *name, struct pool *pool, struct chance *chance, long ret_arguments[6]) {
    const char *wants = wants_of(name);
    bool is_blind = below(chance, 32) == 0;
    for (int place_number = 0; place_number < 6;) {
        char kind = *wants != 0 && !is_blind ? *wants++ : "dbnifqp"[below(chance, 7)];
        ret_arguments[place_number++] = one(kind, pool, chance);
        if (place_number == 6) break;
        // These are two.
        if (kind == 'a') {
            ret_arguments[place_number - 1] = address(pool, chance);
            ret_arguments[place_number++] = below(chance, 8) == 0 ? number(chance) : 32;
        } else if (kind == 'v') {
            ret_arguments[place_number - 1] = (long)pieces(pool, chance, &ret_arguments[place_number]);
            place_number++;
        } else if (kind == 'l') {
            ret_arguments[place_number++] = (long)below(chance, below(chance, 2) == 0 ? 20 : 90);
            if (permitted_count > 0 && below(chance, 4) != 0) {
                const struct option *option = &permitted[below(chance, (uint64_t)permitted_count)];
                ret_arguments[place_number - 2] = option->level;
                ret_arguments[place_number - 1] = option->number;
            }
        }
    }
}
