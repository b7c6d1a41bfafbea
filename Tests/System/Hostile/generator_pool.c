// SPDX-License-Identifier: Apache-2.0
// The descriptors a round begins with. What this kernel or the jail does not give is left out.
#define _GNU_SOURCE
#include "generator.h"
#include "hostile.h"
#include "waits.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

void keep(struct pool *pool, long descriptor) {
    if (descriptor < 0 || descriptor > 1023 || fcntl((int)descriptor, F_GETFD) < 0) return;
    for (int index = 0; index < pool->count; index++) {
        if (pool->descriptors[index] == descriptor) return;
    }
    if (pool->count < POOL) pool->descriptors[pool->count++] = (int)descriptor;
}

int any(const struct pool *pool, struct chance *chance) {
    int descriptor = -1;
    // Open ones mostly: what is closed is refused before anything happens.
    for (int round = 0; round < 4; round++) {
        descriptor = below(chance, 2) == 0 ? pool->favourites[below(chance, 3)] : pool->descriptors[below(chance, (uint64_t)pool->count)];
        if (fcntl(descriptor, F_GETFD) >= 0) break;
    }
    return descriptor;
}

static void keep_file(struct pool *pool, const char *folder, const char *name, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    keep(pool, open(path, flags | O_CLOEXEC | O_NONBLOCK, 0640));
}

// A connection to the granted place outside, as far as the proxy takes it, and full: its other end does not read.
static int full_connection(void) {
    char target[300];
    const char *place = getenv("VIGIL_SOCKS");
    if (place == NULL || !setting("targets", 0, target, sizeof target)) return -1;
    char *colon = strrchr(target, ':');
    if (colon == NULL) return -1;
    *colon = 0;
    unsigned port = (unsigned)atoi(colon + 1);
    size_t length = strlen(target);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(strrchr(place, ':') + 1)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int endpoint = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval timeout = {.tv_usec = 40000};
    setsockopt(endpoint, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(endpoint, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    unsigned char message[300] = {5, 1, 0, 3, (unsigned char)length}, answer[512];
    memcpy(message + 5, target, length);
    message[5 + length] = (unsigned char)(port >> 8);
    message[6 + length] = (unsigned char)port;
    if (connect(endpoint, (const struct sockaddr *)&address, sizeof address) == 0 && send(endpoint, "\5\1", 3, MSG_NOSIGNAL) == 3 &&
        recv(endpoint, answer, 2, MSG_WAITALL) == 2 && send(endpoint, message, 7 + length, MSG_NOSIGNAL) > 0) {
        (void)!recv(endpoint, answer, sizeof answer, 0);
        static char block[1 << 16];
        for (int index = 0; index < 400 && send(endpoint, block, sizeof block, MSG_NOSIGNAL | MSG_DONTWAIT) > 0; index++) {}
    }
    return endpoint;
}

void fill_pool(struct pool *pool, struct chance *chance, bool has_control, bool has_connections) {
    int ends[2];
    sigset_t all;
    sigfillset(&all);
    pool->count = 0;
    pool->scratch = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    keep(pool, 2);
    if (has_control) keep(pool, control_end());
    snprintf(pool->name, sizeof pool->name, "n%u", (unsigned)below(chance, 1 << 20));
    pool->other_name = (int)below(chance, 1 << 20);
    (void)!chdir(own_folder(below(chance, 2) == 0 ? "VIGIL_STATE" : "VIGIL_SPOOL"));
    int provider = -1, full = has_connections && below(chance, 2) == 0 ? full_connection() : -1;
    for (int index = 0; index < 3 && has_connections; index++) keep(pool, provider = connect_to("org.vigil.exposure1"));
    keep(pool, full);
    keep(pool, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
    for (int index = 0; index < 3; index++) {
        if (socketpair(AF_UNIX, types[index] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) continue;
        keep(pool, ends[0]);
        keep(pool, ends[1]);
    }
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        keep(pool, ends[0]);
        keep(pool, ends[1]);
    }
    keep(pool, eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
    keep(pool, timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    keep(pool, signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
    keep(pool, epoll_create1(EPOLL_CLOEXEC));
    keep(pool, inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    keep_file(pool, own_folder("VIGIL_STATE"), "one", O_CREAT | O_RDWR);
    keep_file(pool, own_folder("VIGIL_SPOOL"), "one", O_CREAT | O_RDWR);
    int folders = pool->count;
    keep_file(pool, own_folder("VIGIL_STATE"), "", O_DIRECTORY);
    keep_file(pool, own_folder("VIGIL_SPOOL"), "", O_DIRECTORY);
    keep_file(pool, own_folder("VIGIL_RUN"), "settings.json", O_RDONLY);
    keep_file(pool, "/", "", O_DIRECTORY);
    keep_file(pool, "/dev", "null", O_RDWR);
    keep_file(pool, "/dev", "zero", O_RDWR);
    keep_file(pool, "/proc/self", "mem", O_RDWR);
    keep_file(pool, "/proc/self/ns", "mnt", O_RDONLY);
    keep(pool, syscall(SYS_pidfd_open, getpid(), 0));
    for (int index = 0; index < 3; index++) pool->favourites[index] = pool->descriptors[below(chance, (uint64_t)pool->count)];
    if (!has_connections && folders < pool->count) pool->favourites[0] = pool->descriptors[folders + (int)below(chance, 2)];
    if (full >= 0) pool->favourites[0] = full;
    if (has_connections && below(chance, 4) != 0) pool->favourites[1] = has_control && below(chance, 2) == 0 ? control_end() : provider;
}
