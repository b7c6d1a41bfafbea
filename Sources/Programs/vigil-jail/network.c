// SPDX-License-Identifier: Apache-2.0
// A network of its own with nobody in it, the one listener the proxy gets, and the small namespaces.
#define _GNU_SOURCE
#include "jail.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static ino_t namespace_number(const char *kind) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    return stat(path, &status) < 0 ? 0 : status.st_ino;
}

// Leaves the namespace everybody is in; whether that worked is told by the kernel's number for it.
static bool separate(int flag, const char *kind, const char *name) {
    ino_t before = namespace_number(kind);
    if (unshare(flag) < 0) {
        report(name, NULL, STATE_MISSING, "no namespace: %s", because(errno));
        return false;
    }
    ino_t after = namespace_number(kind);
    if (before == 0 || after == 0) {
        report(name, "own", STATE_APPLIED, "without /proc it cannot be read back");
    } else {
        report(name, "own", before != after ? STATE_VERIFIED : STATE_FAILED,
               before != after ? "another than before" : "the same as before");
    }
    return true;
}

static bool raise_loopback(void) {
    int endpoint = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (endpoint < 0) return false;
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    bool is_up = ioctl(endpoint, SIOCGIFFLAGS, &request) == 0;
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
    is_up = is_up && ioctl(endpoint, SIOCSIFFLAGS, &request) == 0;
    int error = errno;
    close(endpoint);
    errno = error;
    return is_up;
}

static int listen_inside(unsigned port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // Above every descriptor that will be put in its place before the program runs.
    int moved = listener < 0 ? -1 : fcntl(listener, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS);
    if (listener >= 0) close(listener);
    if (moved >= 0 && bind(moved, (const struct sockaddr *)&address, sizeof address) == 0 && listen(moved, 64) == 0)
        return moved;
    int error = errno;
    if (moved >= 0) close(moved);
    errno = error;
    return -1;
}

void make_network(void) {
    if (separate(CLONE_NEWIPC, "ipc", "ipc")) {}
    if (separate(CLONE_NEWUTS, "uts", "hostname")) sethostname(plan.name, strlen(plan.name));
    if (plan.network == NETWORK_HOST) return;
    if (!separate(CLONE_NEWNET, "net", "network")) {
        if (plan.socks_port != 0) report("socks", NULL, STATE_MISSING, "needs a network namespace");
        return;
    }
    situation.has_network = true;
    if (!raise_loopback()) report("network", "own, empty", STATE_FAILED, "loopback cannot be raised: %s", because(errno));
    if (plan.socks_port == 0) return;
    situation.socks_listener = listen_inside(plan.socks_port);
    if (situation.socks_listener < 0) {
        report("socks", NULL, STATE_FAILED, "no listener: %s", because(errno));
    } else {
        char level[32];
        snprintf(level, sizeof level, "127.0.0.1:%u", plan.socks_port);
        report("socks", level, STATE_VERIFIED, "listens, and its descriptor is with this report");
    }
}

// Whether there is a way to an address that belongs to nobody (RFC 5737). Nothing is sent: the kernel only looks for the
// way.
static bool has_way_out(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
    int endpoint = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (endpoint < 0) return true;
    bool has = connect(endpoint, (const struct sockaddr *)&address, sizeof address) == 0 || errno != ENETUNREACH;
    close(endpoint);
    return has;
}

static bool is_up(const char *name) {
    int endpoint = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (endpoint < 0) return true;
    struct ifreq request;
    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    bool is_up = ioctl(endpoint, SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_UP) != 0;
    close(endpoint);
    return is_up;
}

// A kernel that has tunnels (sit, ipip, GRE) puts one of each, down, into every new namespace. Nobody in here may raise it, which takes CAP_NET_ADMIN.
void verify_network(void) {
    if (!situation.has_network) return;
    struct if_nameindex *interfaces = if_nameindex();
    int loopback = 0, up = 0, down = 0;
    for (int i = 0; interfaces != NULL && interfaces[i].if_index != 0; i++) {
        if (strcmp(interfaces[i].if_name, "lo") == 0) {
            loopback++;
        } else if (is_up(interfaces[i].if_name)) {
            up++;
        } else {
            down++;
        }
    }
    if (interfaces != NULL) if_freenameindex(interfaces);
    if (loopback != 1 || up != 0 || has_way_out()) {
        report("network", "own, empty", STATE_FAILED, "%d interfaces that are up, or a way out", loopback + up);
    } else if (down != 0) {
        report("network", "own, empty", STATE_VERIFIED, "loopback only, %d others are down, no way out", down);
    } else {
        report("network", "own, empty", STATE_VERIFIED, "loopback only, no way out");
    }
}
