// SPDX-License-Identifier: Apache-2.0
// The filter for calls of the system, made with libseccomp from the tables in calls.c.
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// CLONE_NEWTIME shares its bit with the signal number and exists for clone3 and unshare only.
#define ALL_NAMESPACES                                                                                                     \
    (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)
// The kernel looks at the lower half of these arguments only, so the upper half must not decide.
#define LOW UINT64_C(0xffffffff)
#define IS(argument, value) SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, LOW, (scmp_datum_t)(value))
#define WITHOUT(argument, bits) SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, (scmp_datum_t)(bits), 0)
#define TYPE(argument, type) SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, 0xf, (scmp_datum_t)(type))

static int first_error;

static void add(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned count,
                const struct scmp_arg_cmp *arguments) {
    int number = seccomp_syscall_resolve_name(name);
    // Another architecture's, or newer than the library.
    if (number < 0) return;
    int error = seccomp_rule_add_array(filter, action, number, count, arguments);
    if (error < 0 && first_error == 0) first_error = error;
}

#define ALLOW(name, ...)                                                                                                   \
    do {                                                                                                                   \
        const struct scmp_arg_cmp arguments[] = {__VA_ARGS__};                                                             \
        add(filter, SCMP_ACT_ALLOW, name, sizeof arguments / sizeof arguments[0], arguments);                              \
    } while (0)

static void add_sockets(scmp_filter_ctx filter) {
    // Connects without asking Landlock, which rules on connect(2) only.
    ALLOW("sendto", WITHOUT(3, MSG_FASTOPEN));
    ALLOW("sendmsg", WITHOUT(2, MSG_FASTOPEN));
    ALLOW("sendmmsg", WITHOUT(3, MSG_FASTOPEN));
    ALLOW("socket", IS(0, AF_UNIX));
    ALLOW("socketpair", IS(0, AF_UNIX));
    if (plan.network == NETWORK_NONE) return;
    static const int families[] = {AF_INET, AF_INET6};
    for (int index = 0; index < 2; index++) {
        ALLOW("socket", IS(0, families[index]), TYPE(1, SOCK_STREAM), IS(2, 0));
        ALLOW("socket", IS(0, families[index]), TYPE(1, SOCK_STREAM), IS(2, IPPROTO_TCP));
        // Names are resolved by egress, and by nobody else.
        if (plan.profile != PROFILE_EGRESS) continue;
        ALLOW("socket", IS(0, families[index]), TYPE(1, SOCK_DGRAM), IS(2, 0));
        ALLOW("socket", IS(0, families[index]), TYPE(1, SOCK_DGRAM), IS(2, IPPROTO_UDP));
    }
}

// What may be set of a socket. Not how long its end waits (SO_LINGER): whoever drops the last copy waits then, and that may be
// somebody it was handed to. Nothing that loads a module (TCP_ULP), pins memory (SO_ZEROCOPY) or runs a program (SO_ATTACH_FILTER).
static void add_socket_options(scmp_filter_ctx filter) {
    static const struct {
        int level, option;
    } options[] = {
        {SOL_SOCKET, SO_REUSEADDR},    {SOL_SOCKET, SO_BROADCAST},
        {SOL_SOCKET, SO_SNDBUF},       {SOL_SOCKET, SO_RCVBUF},
        {SOL_SOCKET, SO_KEEPALIVE},    {SOL_SOCKET, SO_OOBINLINE},
        {SOL_SOCKET, SO_PRIORITY},     {SOL_SOCKET, SO_REUSEPORT},
        {SOL_SOCKET, SO_PASSCRED},     {SOL_SOCKET, SO_RCVLOWAT},
        {SOL_SOCKET, SO_RCVTIMEO},     {SOL_SOCKET, SO_SNDTIMEO},
        {SOL_SOCKET, 66 /* SO_RCVTIMEO_NEW */}, {SOL_SOCKET, 67 /* SO_SNDTIMEO_NEW */},
        {IPPROTO_TCP, TCP_NODELAY},    {IPPROTO_TCP, TCP_MAXSEG},
        {IPPROTO_TCP, TCP_CORK},       {IPPROTO_TCP, TCP_KEEPIDLE},
        {IPPROTO_TCP, TCP_KEEPINTVL},  {IPPROTO_TCP, TCP_KEEPCNT},
        {IPPROTO_TCP, TCP_SYNCNT},     {IPPROTO_TCP, TCP_LINGER2},
        {IPPROTO_TCP, TCP_DEFER_ACCEPT}, {IPPROTO_TCP, TCP_QUICKACK},
        {IPPROTO_TCP, TCP_USER_TIMEOUT}, {IPPROTO_TCP, TCP_NOTSENT_LOWAT},
        {IPPROTO_IP, IP_TOS},          {IPPROTO_IP, IP_TTL},
        {IPPROTO_IP, IP_MTU_DISCOVER}, {IPPROTO_IP, IP_RECVERR},
        {IPPROTO_IP, IP_FREEBIND},     {IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT},
        {IPPROTO_IPV6, IPV6_V6ONLY},   {IPPROTO_IPV6, IPV6_UNICAST_HOPS},
        {IPPROTO_IPV6, IPV6_TCLASS},   {IPPROTO_IPV6, IPV6_RECVERR},
        {IPPROTO_IPV6, IPV6_MTU_DISCOVER},
    };
    for (size_t index = 0; index < sizeof options / sizeof options[0]; index++)
        ALLOW("setsockopt", IS(1, options[index].level), IS(2, options[index].option));
}

static void add_memory(scmp_filter_ctx filter) {
    static const char *const maps[] = {"mmap", "mmap2"};
    // MAP_LOCKED is mlock by another name.
    for (int index = 0; index < 2; index++) {
        ALLOW(maps[index], WITHOUT(2, PROT_EXEC), WITHOUT(3, MAP_LOCKED));
        ALLOW(maps[index], WITHOUT(2, PROT_WRITE), WITHOUT(3, MAP_LOCKED));
    }
    // What allocators, stacks and secrets need. Not MADV_WILLNEED (asks the disk without waiting for it), MADV_COLD, MADV_PAGEOUT and
    // MADV_REMOVE (push out pages that others have mapped as well), MADV_MERGEABLE (one page for equal contents: how long writing takes tells that
    // somebody has the same), MADV_COLLAPSE (the kernel's work at once). Numbers that older headers lack: populating 22 and 23, guard pages 102 and 103.
    static const int advice[] = {MADV_NORMAL,   MADV_RANDOM,     MADV_SEQUENTIAL, MADV_DONTNEED, MADV_FREE,
                                 MADV_DONTFORK, MADV_DOFORK,     MADV_HUGEPAGE,   MADV_NOHUGEPAGE, MADV_DONTDUMP,
                                 MADV_DODUMP,   MADV_WIPEONFORK, MADV_KEEPONFORK, 22,            23,
                                 102,           103};
    for (size_t index = 0; index < sizeof advice / sizeof advice[0]; index++) ALLOW("madvise", IS(2, advice[index]));
    ALLOW("mprotect", WITHOUT(2, PROT_EXEC));
    ALLOW("pkey_mprotect", WITHOUT(2, PROT_EXEC));
    // Loaders of some architectures mark code they have mapped already; the kernel's own rule can tell that from new code.
    if (situation.has_own_memory_rule)
        ALLOW("mprotect", SCMP_CMP64(2, SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC));
}

static void add_files(scmp_filter_ctx filter) {
    const uint64_t either = S_ISUID | S_ISGID, makes = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
    ALLOW("open", WITHOUT(1, makes));
    ALLOW("open", WITHOUT(2, either));
    ALLOW("openat", WITHOUT(2, makes));
    ALLOW("openat", WITHOUT(3, either));
    ALLOW("creat", WITHOUT(1, either));
    ALLOW("chmod", WITHOUT(1, either));
    ALLOW("fchmod", WITHOUT(1, either));
    ALLOW("fchmodat", WITHOUT(2, either));
    ALLOW("fchmodat2", WITHOUT(2, either));
}

// Everybody's files, programs and libraries lie in one cache: whoever pushes a page out and looks whether it is back sees who used it.
static void add_cache(scmp_filter_ctx filter) {
    static const int advice[] = {POSIX_FADV_NORMAL, POSIX_FADV_RANDOM, POSIX_FADV_SEQUENTIAL, POSIX_FADV_NOREUSE};
    for (size_t index = 0; index < sizeof advice / sizeof advice[0]; index++) ALLOW("fadvise64", IS(3, advice[index]));
    // Not RWF_NOWAIT, which says whether a page is there, nor RWF_DONTCACHE (0x80), which lets it go, nor RWF_HIPRI, which polls.
    const uint64_t flags = LOW & ~UINT64_C(0x36) /* RWF_DSYNC, RWF_SYNC, RWF_APPEND, RWF_NOAPPEND */;
    ALLOW("preadv2", WITHOUT(5, flags));
    ALLOW("pwritev2", WITHOUT(5, flags));
}

// F_NOTIFY is an older inotify. A lease (F_SETLEASE) holds up whoever opens the file, for 45 s.
static void add_descriptor_control(scmp_filter_ctx filter) {
    static const int commands[] = {F_DUPFD,    F_GETFD,       F_SETFD,  F_GETFL,     F_SETFL,     F_GETLK,         F_SETLK,
                                   F_SETLKW,   F_SETOWN,      F_GETOWN, F_SETSIG,    F_GETSIG,    12 /* F_GETLK64 */,
                                   13 /* F_SETLK64 */, 14 /* F_SETLKW64 */, F_SETOWN_EX, F_GETOWN_EX, F_OFD_GETLK,
                                   F_OFD_SETLK, F_OFD_SETLKW, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ,
                                   F_ADD_SEALS, F_GET_SEALS,  1027 /* F_DUPFD_QUERY */};
    static const char *const calls[] = {"fcntl", "fcntl64"};
    for (int call = 0; call < 2; call++) {
        for (size_t index = 0; index < sizeof commands / sizeof commands[0]; index++) {
            bool is_there = false;
            for (size_t earlier = 0; earlier < index; earlier++) is_there = is_there || commands[earlier] == commands[index];
            if (!is_there) ALLOW(calls[call], IS(1, commands[index]));
        }
    }
}

static bool has_devices(void) {
    for (int index = 0; index < plan.bind_count; index++) {
        static const char *const standard[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
        if (plan.binds[index].access != ACCESS_DEVICE) continue;
        bool is_standard = false;
        for (int other = 0; other < 5; other++)
            is_standard = is_standard || strcmp(plan.binds[index].target, standard[other]) == 0;
        if (!is_standard) return true;
    }
    return plan.extra_count > 0;
}

static void add_device_control(scmp_filter_ctx filter) {
    // The last two read and set lines that were handed over (GPIO_V2_LINE_GET_VALUES_IOCTL, _SET_VALUES_IOCTL of linux/gpio.h): they do nothing to
    // any other descriptor. Asking a chip for lines, and making outputs of inputs, are others.
    static const unsigned long usual[] = {FIONBIO, FIONREAD,   FIOCLEX,  FIONCLEX, FIOASYNC,   TCGETS,
                                          TIOCGWINSZ, TIOCOUTQ, FICLONE, 0xc010b40e, 0xc010b40f};
    // Serial lines: everything but what reaches another's terminal (TIOCSTI, TIOCLINUX, TIOCCONS) or loads a driver
    // (TIOCSETD).
    static const unsigned long serial[] = {TCSETS,   TCSETSW,    TCSETSF,    TCSBRK,     TCXONC,    TCFLSH,
                                           TIOCEXCL, TIOCNXCL,   TIOCMGET,   TIOCMBIS,   TIOCMBIC,  TIOCMSET,
                                           TIOCGETD, 0x802c542a, 0x402c542b, 0x402c542c, 0x402c542d};
    for (size_t index = 0; index < sizeof usual / sizeof usual[0]; index++) ALLOW("ioctl", IS(1, usual[index]));
    // The core's radio may be a serial line; it comes over the control socket.
    if (!has_devices() && plan.profile != PROFILE_CORE) return;
    for (size_t index = 0; index < sizeof serial / sizeof serial[0]; index++) ALLOW("ioctl", IS(1, serial[index]));
    if (!has_devices()) return;
    // Drivers have thousands. The terminal's all carry the letter T, 0x54, in their second byte; no other driver's do.
    for (int bit = 8; bit < 16; bit++) {
        const uint64_t mask = UINT64_C(1) << bit;
        ALLOW("ioctl", SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, mask, ~UINT64_C(0x5400) & mask));
    }
}

static void add_self(scmp_filter_ctx filter) {
    // Numbers that older headers lack: PR_SET_MDWE 65, PR_GET_MDWE 66, PR_SET_VMA, PR_SET_PTRACER, tagged addresses,
    // pointer keys.
    static const int options[] = {PR_GET_PDEATHSIG,
                                  PR_GET_DUMPABLE,
                                  PR_SET_DUMPABLE,
                                  PR_GET_NAME,
                                  PR_SET_NAME,
                                  PR_GET_SECCOMP,
                                  PR_SET_SECCOMP,
                                  PR_CAPBSET_READ,
                                  PR_GET_TIMERSLACK,
                                  PR_SET_TIMERSLACK,
                                  PR_SET_CHILD_SUBREAPER,
                                  PR_GET_CHILD_SUBREAPER,
                                  PR_SET_NO_NEW_PRIVS,
                                  PR_GET_NO_NEW_PRIVS,
                                  PR_GET_TID_ADDRESS,
                                  PR_SET_THP_DISABLE,
                                  PR_GET_THP_DISABLE,
                                  PR_CAP_AMBIENT,
                                  PR_GET_SPECULATION_CTRL,
                                  PR_SET_SPECULATION_CTRL,
                                  54,
                                  55,
                                  56,
                                  65,
                                  66,
                                  0x53564d41,
                                  0x59616d61};
    for (size_t index = 0; index < sizeof options / sizeof options[0]; index++) ALLOW("prctl", IS(0, options[index]));
    // What it starts may be tied to itself; the tie of anybody to the supervisor can only be tied again.
    ALLOW("prctl", IS(0, PR_SET_PDEATHSIG), IS(1, SIGKILL));
    ALLOW("clone", WITHOUT(0, ALL_NAMESPACES));
    ALLOW("prlimit64", IS(0, 0));
    ALLOW("personality", IS(0, 0));
    ALLOW("personality", IS(0, LOW));
}

static scmp_filter_ctx make_filter(enum denials denials) {
    uint32_t refusal = denials == DENIALS_KILL     ? SCMP_ACT_KILL_PROCESS
                       : denials == DENIALS_NOTIFY ? SCMP_ACT_NOTIFY
                                                   : SCMP_ACT_ERRNO(EPERM);
    scmp_filter_ctx filter = seccomp_init(refusal);
    if (filter == NULL) return NULL;
    first_error = 0;
    // Other architectures' numbers mean other calls.
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    // A tree instead of a list: about ten comparisons a call instead of three hundred.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (denials == DENIALS_LOG) seccomp_attr_set(filter, SCMP_FLTATR_CTL_LOG, 1);
    for (const struct call_group *group = allowed_calls; group->title != NULL; group++) {
        if ((group->profiles & 1 << plan.profile) == 0) continue;
        for (int index = 0; group->names[index] != NULL; index++) add(filter, SCMP_ACT_ALLOW, group->names[index], 0, NULL);
    }
    add_sockets(filter);
    add_socket_options(filter);
    add_memory(filter);
    add_files(filter);
    add_cache(filter);
    add_descriptor_control(filter);
    add_device_control(filter);
    add_self(filter);
    add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
    add(filter, SCMP_ACT_ERRNO(ENOSYS), "openat2", 0, NULL);
    return filter;
}

// With a listener a refused call waits for an answer, which nobody gives yet; in the kernel's log, which takes ten lines in five
// seconds, the tries would hide the program's own refusals. A child tries the same rules with plain refusals.
static bool verify_in_child(void) {
    pid_t child = fork();
    if (child == 0) {
        scmp_filter_ctx filter = make_filter(DENIALS_SILENT);
        const char *first;
        _exit(filter == NULL || seccomp_load(filter) < 0 ? 2 : count_filter_holes(&first) == 0 ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void filter_calls(void) {
    if (plan.profile == PROFILE_NONE) {
        report("system-calls", NULL, STATE_MISSING, "the plan asks for no filter");
        return;
    }
    static const char *const levels[] = {"plugin", "core", "egress", "none"};
    bool is_tried_by_child = plan.denials != DENIALS_SILENT;
    bool holds = !is_tried_by_child || verify_in_child();
    scmp_filter_ctx filter = make_filter(plan.denials);
    int error = filter == NULL ? -ENOMEM : first_error != 0 ? first_error : seccomp_load(filter);
    if (error < 0) {
        report("system-calls", levels[plan.profile], STATE_MISSING, "the filter cannot be set: %s", because(-error));
    } else if (!holds) {
        report("system-calls", levels[plan.profile], STATE_FAILED, "a child with the same rules made a forbidden call");
    } else if (is_tried_by_child) {
        report("system-calls", levels[plan.profile], STATE_VERIFIED,
               "forbidden calls tried by a child with the same rules");
    } else {
        report("system-calls", levels[plan.profile], STATE_APPLIED, "not tried yet");
    }
    if (error == 0 && plan.denials == DENIALS_NOTIFY) situation.denial_listener = seccomp_notify_fd(filter);
    if (!situation.has_own_memory_rule)
        report("memory-protection", "filter", STATE_APPLIED, "this kernel has no rule of its own (needs 6.3)");
    // Not released: free() of so many small pieces costs more than the exec that follows.
}
