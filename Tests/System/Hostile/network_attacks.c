// SPDX-License-Identifier: Apache-2.0
// Targets are listeners of the test on loopback; nothing is ever sent further.
#define _GNU_SOURCE
#include "hostile.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_in loopback(long port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int connect_tcp(void) {
    struct sockaddr_in address = loopback(given_number("TCP_PORT"));
    int endpoint = socket(AF_INET, SOCK_STREAM, 0);
    return endpoint < 0 ? errno : outcome(connect(endpoint, (const struct sockaddr *)&address, sizeof address));
}

static int connect_tcp6(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                   .sin6_port = htons((uint16_t)given_number("TCP6_PORT")),
                                   .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int endpoint = socket(AF_INET6, SOCK_STREAM, 0);
    return endpoint < 0 ? errno : outcome(connect(endpoint, (const struct sockaddr *)&address, sizeof address));
}

// Without connect, which some filters forget.
static int send_fast_open(void) {
    struct sockaddr_in address = loopback(given_number("TCP_PORT"));
    int endpoint = socket(AF_INET, SOCK_STREAM, 0);
    return endpoint < 0
               ? errno
               : outcome(sendto(endpoint, "x", 1, MSG_FASTOPEN, (const struct sockaddr *)&address, sizeof address));
}

// Whoever closes the last copy of such a socket waits: a core it is passed to, for one.
static int set_option(int level, int option, const void *value, socklen_t length) {
    int endpoint = socket(AF_UNIX, SOCK_STREAM, 0), error = errno;
    if (endpoint >= 0) error = outcome(setsockopt(endpoint, level, option, value, length));
    if (endpoint >= 0) close(endpoint);
    return error;
}

static const struct linger long_linger = {1, 100000};
static int set_linger(void) { return set_option(SOL_SOCKET, SO_LINGER, &long_linger, sizeof long_linger); }

// The kernel looks at the lower half of both numbers only.
static int set_linger_hidden(void) {
    int endpoint = socket(AF_UNIX, SOCK_STREAM, 0);
    if (endpoint < 0) return errno;
    long level = SOL_SOCKET | 1L << 32, option = SO_LINGER | 1L << 40;
    return outcome((int)syscall(SYS_setsockopt, endpoint, level, option, &long_linger, sizeof long_linger));
}

// A program in the kernel, if a small one.
static int attach_filter(void) {
    struct sock_filter code = {0x06, 0, 0, 0xffffffff};
    struct sock_fprog program = {1, &code};
    return set_option(SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static int listen_tcp(void) {
    struct sockaddr_in address = loopback(0);
    int endpoint = socket(AF_INET, SOCK_STREAM, 0);
    if (endpoint < 0) return errno;
    if (bind(endpoint, (const struct sockaddr *)&address, sizeof address) < 0) return errno;
    return outcome(listen(endpoint, 1));
}

// Landlock rules bind, and a socket that was bound to nothing gets its port from listen: somebody has to reach it, too.
static int reach_unbound(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), caller = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || caller < 0 || listen(listener, 1) < 0) return errno;
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    if (getsockname(listener, (struct sockaddr *)&address, &length) < 0) return errno;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int result = outcome(connect(caller, (const struct sockaddr *)&address, sizeof address));
    close(caller);
    close(listener);
    return result;
}

static int send_udp_to(long port) {
    struct sockaddr_in address = loopback(port);
    int endpoint = socket(AF_INET, SOCK_DGRAM, 0);
    return endpoint < 0 ? errno : outcome(sendto(endpoint, "x", 1, 0, (const struct sockaddr *)&address, sizeof address));
}

static int send_udp(void) { return send_udp_to(given_number("TCP_PORT")); }
static int ask_for_name(void) { return send_udp_to(53); }
static int open_raw(void) { return opened(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }
static int open_raw6(void) { return opened(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)); }
static int open_sctp(void) { return opened(socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP)); }
static int open_multipath(void) { return opened(socket(AF_INET, SOCK_STREAM, 262)); }
static int open_packet(void) { return opened(socket(AF_PACKET, SOCK_RAW, 0)); }
static int open_netlink(void) { return opened(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE)); }
static int open_vsock(void) { return opened(socket(AF_VSOCK, SOCK_STREAM, 0)); }
static int open_bluetooth(void) { return opened(socket(AF_BLUETOOTH, SOCK_RAW, 1)); }
static int open_kernel_crypto(void) { return opened(socket(38 /* AF_ALG */, SOCK_SEQPACKET, 0)); }
static int open_express(void) { return opened(socket(44 /* AF_XDP */, SOCK_RAW, 0)); }

static int connect_abstract(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = given("ABSTRACT");
    size_t length = strlen(name);
    memcpy(address.sun_path + 1, name, length);
    int endpoint = socket(AF_UNIX, SOCK_STREAM, 0);
    return outcome(connect(endpoint, (const struct sockaddr *)&address,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)));
}

static int is_raised(const char *name) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    int endpoint = socket(AF_UNIX, SOCK_DGRAM, 0);
    int is_raised = endpoint < 0 || ioctl(endpoint, SIOCGIFFLAGS, &request) != 0 || request.ifr_flags & IFF_UP;
    if (endpoint >= 0) close(endpoint);
    return is_raised;
}

static int see_interfaces(void) {
    // Loopback is number 1 everywhere; whoever sees another that is up is on the board's network. A kernel with tunnels has some, down, in each namespace.
    char name[IF_NAMESIZE];
    for (unsigned index = 2; index < 16; index++) {
        if (if_indextoname(index, name) != NULL && is_raised(name)) return 0;
    }
    return ENXIO;
}

const struct attack network_attacks[] = {
    {"set-linger", set_linger},
    {"set-linger-hidden", set_linger_hidden},
    {"attach-filter", attach_filter},
    {"connect-tcp", connect_tcp},
    {"connect-tcp6", connect_tcp6},
    {"send-fast-open", send_fast_open},
    {"listen-tcp", listen_tcp},
    {"reach-unbound", reach_unbound},
    {"send-udp", send_udp},
    {"ask-for-name", ask_for_name},
    {"open-raw", open_raw},
    {"open-raw6", open_raw6},
    {"open-sctp", open_sctp},
    {"open-multipath", open_multipath},
    {"open-packet", open_packet},
    {"open-netlink", open_netlink},
    {"open-vsock", open_vsock},
    {"open-bluetooth", open_bluetooth},
    {"open-kernel-crypto", open_kernel_crypto},
    {"open-express", open_express},
    {"connect-abstract", connect_abstract},
    {"see-interfaces", see_interfaces},
    {0, 0},
};
