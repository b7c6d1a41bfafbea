// SPDX-License-Identifier: Apache-2.0
// Descriptors whose last close takes its time, in whoever makes it.
#define _GNU_SOURCE
#include "hostile.h"
#include "waits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINGER_SECONDS = 3, FEW = 12, FRAGMENT = 4096 };

static char block[1 << 16];

// A connection that is full, to somebody who does not read. Its end waits, if that can be said of it.
static int make_lingering(int *into, int most) {
    if (most < 1) return 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int sender = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sender < 0) return -errno;
    const struct linger timeout = {1, LINGER_SECONDS};
    if (setsockopt(sender, SOL_SOCKET, SO_LINGER, &timeout, sizeof timeout) < 0) {
        int error = errno;
        close(sender);
        return -error;
    }
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0 ||
        connect(sender, (const struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(listener);
        close(sender);
        return -error;
    }
    fcntl(sender, F_SETFL, O_NONBLOCK);
    while (send(sender, block, sizeof block, MSG_NOSIGNAL) > 0) {}
    // The listener stays, or the connection ends: with this program.
    into[0] = sender;
    return 1;
}

// Their end waits until nobody in the kernel looks at them any more.
static int make_watchers(int *into, int most) {
    int count = 0;
    while (count < most && count < 100) {
        int watcher = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (watcher < 0) break;
        inotify_add_watch(watcher, own_folder("VIGIL_STATE"), IN_ALL_EVENTS);
        inotify_add_watch(watcher, own_folder("VIGIL_SPOOL"), IN_ALL_EVENTS);
        into[count++] = watcher;
    }
    return count > 0 ? count : -errno;
}

static int make_nested_epolls(int *into, int most) {
    int counter = eventfd(1, EFD_CLOEXEC), count = 0, below = counter;
    struct epoll_event event = {.events = EPOLLIN};
    while (count < most && count < 120) {
        int events = epoll_create1(EPOLL_CLOEXEC);
        if (events < 0) break;
        // Five deep is what the kernel permits; every one of them also watches all that came before.
        for (int other = 0; other < count; other++) epoll_ctl(events, EPOLL_CTL_ADD, into[other], &event);
        epoll_ctl(events, EPOLL_CTL_ADD, below, &event);
        below = count % 4 == 3 ? counter : events;
        into[count++] = events;
    }
    if (counter >= 0) close(counter);
    return count > 0 ? count : -errno;
}

// Sockets with full buffers in the buffers of sockets: as many on their way as one user may have.
static int make_loaded_sockets(int *into, int most) {
    int inner[2] = {-1, -1}, count = 0;
    for (int round = 0; round < 60 && most > 0; round++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) break;
        while (send(ends[0], block, sizeof block, MSG_NOSIGNAL) > 0) {}
        while (send(ends[1], block, 1024, MSG_NOSIGNAL) > 0) {}
        if (inner[0] >= 0) {
            char rest[1 << 14];
            (void)!recv(ends[1], rest, sizeof rest, 0);
            send_beside(ends[0], "x", 1, inner, 2);
            close(inner[0]);
            close(inner[1]);
        }
        inner[0] = ends[0];
        inner[1] = ends[1];
        count = 2;
    }
    memcpy(into, inner, sizeof inner);
    return count > 0 && most >= 2 ? count : -errno;
}

// As large as the quota, in pieces, not written out, without a name: whoever closes it last gives it all back.
static int make_nameless_file(const char *folder, int *into, int most) {
    static int number;
    char path[4096];
    snprintf(path, sizeof path, "%s/nameless-%d-%d", folder, getpid(), number++);
    int file = most < 1 ? -1 : open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0640);
    if (file < 0) return -errno;
    unlink(path);
    // Every other piece only, so that each is one of its own on the disk.
    for (off_t at = 0; at < (7 << 20); at += 2 * FRAGMENT) {
        if (pwrite(file, block, FRAGMENT, at) < 0) break;
    }
    into[0] = file;
    return 1;
}
static int make_state_file(int *into, int most) { return make_nameless_file(own_folder("VIGIL_STATE"), into, most); }
static int make_spool_file(int *into, int most) { return make_nameless_file(own_folder("VIGIL_SPOOL"), into, most); }

static int make_full_pipes(int *into, int most) {
    int count = 0;
    while (count + 2 <= most && count < 2 * FEW) {
        if (pipe2(into + count, O_CLOEXEC | O_NONBLOCK) < 0) break;
        fcntl(into[count + 1], F_SETPIPE_SZ, 1 << 20);
        fcntl(into[count + 1], F_SETFL, O_NONBLOCK | O_ASYNC);
        struct iovec part = {block, sizeof block};
        (void)!vmsplice(into[count + 1], &part, 1, SPLICE_F_NONBLOCK);
        while (write(into[count + 1], block, sizeof block) > 0) {}
        count += 2;
    }
    return count > 0 ? count : -errno;
}

// With callers who wait in them, each with a descriptor of its own under way.
static int make_full_listeners(int *into, int most) {
    int count = 0;
    while (count < most && count < FEW) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (listener < 0) break;
        // A name that the kernel chooses.
        socklen_t length = sizeof(sa_family_t);
        if (bind(listener, (const struct sockaddr *)&address, length) < 0 || listen(listener, 64) < 0) {
            close(listener);
            break;
        }
        length = sizeof address;
        getsockname(listener, (struct sockaddr *)&address, &length);
        for (int caller = 0; caller < 12; caller++) {
            int endpoint = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            if (endpoint >= 0 && connect(endpoint, (const struct sockaddr *)&address, length) == 0) {
                (void)!send(endpoint, block, sizeof block, MSG_NOSIGNAL);
                int one = 2;
                send_beside(endpoint, "x", 1, &one, 1);
            }
            if (endpoint >= 0) close(endpoint);
        }
        into[count++] = listener;
    }
    return count > 0 ? count : -errno;
}

static int make_own_namespaces(int *into, int most) {
    static const char *const names[] = {"/proc/self/ns/mnt", "/proc/self/ns/net", "/proc/self/ns/pid", "/proc/self/ns/ipc", "/", "/proc"};
    int count = 0;
    for (size_t index = 0; index < sizeof names / sizeof names[0] && count < most; index++) {
        into[count] = open(names[index], O_RDONLY | O_CLOEXEC);
        if (into[count] >= 0) count++;
    }
    if (count < most) {
        into[count] = (int)syscall(SYS_pidfd_open, getpid(), 0);
        if (into[count] >= 0) count++;
    }
    return count > 0 ? count : -errno;
}

static int make_crowd(int *into, int most) {
    int count = 0;
    for (; count < most; count++) into[count] = fcntl(2, F_DUPFD_CLOEXEC, 0);
    while (count > 0 && into[count - 1] < 0) count--;
    return count > 0 ? count : -errno;
}

const struct slow_kind slow_kinds[] = {
    {"linger", make_lingering},       {"watchers", make_watchers},   {"epolls", make_nested_epolls},
    {"sockets", make_loaded_sockets}, {"state-file", make_state_file}, {"spool-file", make_spool_file},
    {"pipes", make_full_pipes},       {"listeners", make_full_listeners}, {"namespaces", make_own_namespaces},
    {"crowd", make_crowd},            {NULL, NULL},
};
