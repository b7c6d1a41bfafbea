// SPDX-License-Identifier: Apache-2.0
// Hands descriptors to core and supervisor by every door there is, for the seconds of the settings.
#define _GNU_SOURCE
#include "hostile.h"
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLANKS = 80000, SIGNS = 150, PASS_RIGHTS = 83 };

int send_beside(int endpoint, const char *bytes, size_t length, const int *descriptors, int count) {
    char room[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
    size_t size = sizeof(int) * (size_t)count;
    memset(room, 0, sizeof room);
    struct iovec piece = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *beside = CMSG_FIRSTHDR(&message);
    beside->cmsg_level = SOL_SOCKET;
    beside->cmsg_type = SCM_RIGHTS;
    beside->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(beside), descriptors, size);
    return sendmsg(endpoint, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

int control_end(void) {
    const char *number = getenv("VIGIL_CONTROL");
    if (number != NULL) return atoi(number);
    // Somebody else's, for whoever may.
    static int taken = -1;
    if (taken < 0 && given_number("CONTROL_OF") > 0) {
        int process = (int)syscall(SYS_pidfd_open, (int)given_number("CONTROL_OF"), 0);
        taken = (int)syscall(SYS_pidfd_getfd, process, 3, 0);
        close(process);
    }
    return taken;
}

static const struct slow_kind *kind_now;
static long handed, refused, made;
static int last_error, make_error;

static void count(int error) {
    if (error == 0) {
        handed++;
    } else {
        refused++;
        last_error = error;
    }
}

static int make(int *descriptors) {
    int number = kind_now->make(descriptors, MOST_DESCRIPTORS);
    if (number < 0) make_error = -number;
    else made += number;
    return number;
}

static void let_go(const int *descriptors, int number) {
    for (int index = 0; index < number; index++) close(descriptors[index]);
}

// Read at once; not read, because the one before fills the room; and not even accepted.
static void hand_to_provider(const char *name) {
    static const char watch[] = "{\"method\":\"org.vigil.exposure1.Watch\",\"more\":true}";
    static char blanks[BLANKS];
    int descriptors[MOST_DESCRIPTORS];
    memset(blanks, ' ', sizeof blanks);
    for (int way = 0; way < 3; way++) {
        int endpoint = connect_to(name), number = make(descriptors);
        if (endpoint >= 0 && number > 0) {
            fcntl(endpoint, F_SETFL, O_NONBLOCK);
            if (way == 0) (void)!send(endpoint, " ", 1, MSG_NOSIGNAL);
            if (way == 1) {
                say_all(endpoint, watch, sizeof watch);
                usleep(5000);
                say_all(endpoint, blanks, sizeof blanks);
            }
            count(send_beside(endpoint, " ", 1, descriptors, number));
        }
        let_go(descriptors, number);
        if (endpoint >= 0) close(endpoint);
    }
}

static void hand_to_supervisor(void) {
    int descriptors[MOST_DESCRIPTORS], control = control_end(), number;
    if (control < 0) return;
    // So many signs of life that the rest has to wait.
    struct pollfd room = {control, POLLOUT, 0};
    for (int index = 0; index < SIGNS && poll(&room, 1, 20) > 0; index++) {
        (void)!send(control, "ALIVE", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if ((number = make(descriptors)) > 0) {
        int error;
        for (int round = 0; (error = send_beside(control, "ALIVE", 5, descriptors, number)) == EAGAIN && round < 20; round++) {
            poll(&room, 1, 100);
        }
        count(error);
    }
    let_go(descriptors, number);
}

bool act_wait(const char *name) {
    for (kind_now = slow_kinds; kind_now->name != NULL && strcmp(kind_now->name, name) != 0; kind_now++) {}
    if (kind_now->name == NULL) return disturb(name);
    handed = refused = made = last_error = make_error = 0;
    time_t end = time(NULL) + setting_number("seconds", 2);
    do {
        each_socket(hand_to_provider);
        hand_to_supervisor();
    } while (time(NULL) < end && make_error == 0);
    // What was handed over is let go of while this program is there still: the other end of a connection, too.
    if (handed > 0) usleep(1500000);
    if (make_error != 0 && made == 0) tell("wait-%s: refused (not to be made: %s)", name, strerror(make_error));
    else if (handed == 0) tell("wait-%s: refused (%ld times not to be handed over: %s)", name, refused, strerror(last_error));
    else tell("wait-%s: handed %ld times, refused %ld", name, handed, refused);
    return true;
}

int without_refusal(char *const words[]) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOL_SOCKET, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS_RIGHTS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0) execvp(words[0], words);
    perror("vigil-hostile without-refusal");
    return 126;
}
