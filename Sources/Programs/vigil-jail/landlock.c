// SPDX-License-Identifier: Apache-2.0
// Landlock: the same limits once more, by the kernel's own rules instead of by absence, and the only ones an unprivileged
// start always has. Constants from include/uapi/linux/landlock.h (kernel 6.15): headers of older systems lack the newer
// ones.
#define _GNU_SOURCE
#include "jail.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { NEWEST_KNOWN = 7 };
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    MAKE_CHAR = 1 << 6,
    MAKE_BLOCK = 1 << 11,
    TRUNCATE = 1 << 14,
    IOCTL_DEV = 1 << 15,
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
};
enum { BIND_TCP = 1, CONNECT_TCP = 2 };
enum { SCOPE_ABSTRACT = 1, SCOPE_SIGNAL = 2 };
enum { RULE_PATH = 1, RULE_PORT = 2, ASK_VERSION = 1 };
enum { LOG_SAME_EXEC_OFF = 1, LOG_NEW_EXEC_ON = 2 };

struct ruleset_attributes {
    uint64_t files, network, scope;
};
struct path_rule {
    uint64_t access;
    int32_t parent;
} __attribute__((packed));
struct port_rule {
    uint64_t access, port;
};

// What each version added; index is the version.
static uint64_t handled_files(int version) {
    static const int bits[] = {0, 13, 14, 15, 15, 16};
    return (UINT64_C(1) << bits[version > 5 ? 5 : version]) - 1;
}

static uint64_t rights(enum access access) {
    switch (access) {
        case ACCESS_PROGRAMS: return EXECUTE | READ_FILE | READ_DIR;
        case ACCESS_READ: return READ_FILE | READ_DIR;
        case ACCESS_WRITE:
        case ACCESS_SPOOLS: return ~(uint64_t)(EXECUTE | MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV);
        case ACCESS_DEVICE: return READ_FILE | WRITE_FILE | IOCTL_DEV;
    }
    return 0;
}

static bool allow_path(int ruleset, const char *path, uint64_t access, uint64_t handled) {
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) return errno == ENOENT;
    struct stat status;
    uint64_t possible = fstat(parent, &status) == 0 && S_ISDIR(status.st_mode) ? handled : handled & OF_FILES;
    struct path_rule rule = {access & possible, parent};
    bool is_added = rule.access == 0 || syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0) == 0;
    int error = errno;
    close(parent);
    errno = error;
    return is_added;
}

static unsigned allowed_port(void) {
    if (plan.socks_port != 0 && situation.has_network) return plan.socks_port;
    if (plan.socks_outside == NULL) return 0;
    const char *colon = strrchr(plan.socks_outside, ':');
    long port = colon == NULL ? 0 : strtol(colon + 1, NULL, 10);
    return port > 0 && port <= 65535 ? (unsigned)port : 0;
}

// A name of another domain, made before this process has one.
static struct sockaddr_un trial_address;
static socklen_t trial_length;

static int open_trial(void) {
    trial_address.sun_family = AF_UNIX;
    // The kernel picks a free abstract name.
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    trial_length = sizeof trial_address;
    if (listener < 0 || bind(listener, (const struct sockaddr *)&trial_address, sizeof(sa_family_t)) < 0 ||
        listen(listener, 1) < 0 || getsockname(listener, (struct sockaddr *)&trial_address, &trial_length) < 0) {
        if (listener >= 0) close(listener);
        return -1;
    }
    return listener;
}

static int try_connect(int family, const struct sockaddr *address, socklen_t length) {
    int endpoint = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (endpoint < 0) return errno;
    int error = connect(endpoint, address, length) == 0 ? 0 : errno;
    close(endpoint);
    return error;
}

static void verify_files(const char *level) {
    int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = folder < 0 ? errno : 0;
    if (folder >= 0) close(folder);
    // No rule covers the root itself, though everybody may list it.
    report("landlock-files", level, error == EACCES ? STATE_VERIFIED : STATE_FAILED,
           error == EACCES ? "listing / is refused" : "/ can be listed");
}

static void verify_ports(const char *level) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(allowed_port() == 1 ? 2 : 1), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int error = try_connect(AF_INET, (const struct sockaddr *)&address, sizeof address);
    char reason[80];
    snprintf(reason, sizeof reason, error != EACCES ? "a port that is not allowed: %s" : "other ports are refused%s",
             error != EACCES ? because(error) : "");
    report("landlock-network", level, error == EACCES ? STATE_VERIFIED : STATE_FAILED, "%s", reason);
}

static void verify_scope(const char *level) {
    int error = try_connect(AF_UNIX, (const struct sockaddr *)&trial_address, trial_length);
    report("landlock-scope", level, error == EPERM ? STATE_VERIFIED : STATE_FAILED,
           error == EPERM ? "an abstract socket from before is out of reach"
                          : "an abstract socket from before can be reached");
}

static bool add_rules(int ruleset, uint64_t handled) {
    for (int index = 0; index < plan.bind_count; index++) {
        const struct bind *bind = &plan.binds[index];
        const char *path = situation.has_view ? bind->target : bind->source;
        if (!allow_path(ruleset, path, rights(bind->access), handled)) return false;
    }
    // Without a root of its own the program's own lines in /proc are all there is; Landlock cannot tell them apart from
    // others'.
    if (situation.has_view && !allow_path(ruleset, "/proc", READ_FILE | READ_DIR, handled)) return false;
    return true;
}

void restrict_with_landlock(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    if (version < 1) {
        const char *reason = errno == EOPNOTSUPP ? "switched off in this kernel (lsm=)" : because(errno);
        report("landlock-files", NULL, STATE_MISSING, "%s", reason);
        if (plan.network != NETWORK_HOST) report("landlock-network", NULL, STATE_MISSING, "%s", reason);
        report("landlock-scope", NULL, STATE_MISSING, "%s", reason);
        return;
    }
    int used = version > NEWEST_KNOWN ? NEWEST_KNOWN : (int)version;
    bool has_ports = used >= 4 && plan.network != NETWORK_HOST, has_scope = used >= 6;
    struct ruleset_attributes attributes = {handled_files(used), has_ports ? BIND_TCP | CONNECT_TCP : 0,
                                            has_scope ? SCOPE_ABSTRACT | SCOPE_SIGNAL : 0};
    size_t size = used >= 6 ? 24 : used >= 4 ? 16 : 8;
    int listener = has_scope ? open_trial() : -1;
    long ruleset = syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    bool is_made = ruleset >= 0 && add_rules((int)ruleset, attributes.files);
    if (is_made && has_ports && allowed_port() != 0) {
        struct port_rule rule = {CONNECT_TCP, allowed_port()};
        is_made = syscall(SYS_landlock_add_rule, (int)ruleset, RULE_PORT, &rule, 0) == 0;
    }
    // The trials below are no news for the log; what the program does may be.
    unsigned flags = used < 7 ? 0 : plan.denials == DENIALS_LOG ? LOG_SAME_EXEC_OFF | LOG_NEW_EXEC_ON : LOG_SAME_EXEC_OFF;
    is_made = is_made && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, (int)ruleset, flags) == 0;
    int error = errno;
    if (ruleset >= 0) close((int)ruleset);
    char level[24];
    snprintf(level, sizeof level, "%d", used);
    if (!is_made) {
        report("landlock-files", level, STATE_FAILED, "the rules cannot be set: %s", because(error));
    } else {
        verify_files(level);
        if (has_ports) verify_ports(level);
        if (has_scope && listener >= 0) verify_scope(level);
    }
    if (plan.network != NETWORK_HOST && !has_ports)
        report("landlock-network", level, STATE_MISSING, "this kernel's Landlock knows no ports (needs 4)");
    if (!has_scope) report("landlock-scope", level, STATE_MISSING, "this kernel's Landlock knows no scopes (needs 6)");
    if (listener >= 0) close(listener);
}
