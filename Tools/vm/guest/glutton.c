// SPDX-License-Identifier: Apache-2.0
// A plugin that takes more memory than its quota, in a way that differs from start to start: its own, shared, in children. From the
// fourth start on it takes none. Quick enough that only the kernel can stop it: the supervisor looks every five seconds.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTROL = 3, MEGABYTE = 1 << 20, MOST_MEGABYTES = 64, CHILDREN = 4 };

static void say(const char *word) { send(CONTROL, word, strlen(word), MSG_NOSIGNAL); }

static void take(int kind, int megabytes) {
    for (int index = 0; index < megabytes; index++) {
        void *block = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            fprintf(stderr, "error refused after %d MiB\n", index);
            return;
        }
        memset(block, 1, MEGABYTE);
    }
    fprintf(stderr, "error got %d MiB\n", megabytes);
}

// None of them takes more than the quota, all together do.
static void take_in_children(void) {
    int killed = 0;
    pid_t children[CHILDREN];
    for (int index = 0; index < CHILDREN; index++) {
        children[index] = fork();
        if (children[index] == 0) {
            take(MAP_PRIVATE, MOST_MEGABYTES / CHILDREN * 3 / 4);
            pause();
            _exit(0);
        }
    }
    // Those that get what they want wait for ever; one at least must end.
    int status = 0;
    if (wait(&status) > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) killed++;
    fprintf(stderr, "notice %d of the children was killed\n", killed);
    for (int index = 0; index < CHILDREN; index++) {
        if (children[index] > 0) kill(children[index], SIGKILL);
    }
    while (wait(NULL) > 0) {}
}

static int count_start(void) {
    char path[4096], digit = '0';
    snprintf(path, sizeof path, "%s/starts", getenv("VIGIL_STATE"));
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return 0;
    if (read(file, &digit, 1) == 1) lseek(file, 0, SEEK_SET);
    digit++;
    if (write(file, &digit, 1) != 1) return 0;
    close(file);
    return digit - '0';
}

int main(void) {
    say("READY");
    int start = count_start();
    fprintf(stderr, "notice start %d\n", start);
    if (start == 1) take(MAP_PRIVATE, MOST_MEGABYTES);
    if (start == 2) take(MAP_SHARED, MOST_MEGABYTES);
    if (start == 3) take_in_children();
    for (;;) {
        struct pollfd entry = {.fd = CONTROL, .events = POLLIN};
        if (poll(&entry, 1, 5000) > 0) {
            char packet[4096];
            ssize_t count = recvmsg(CONTROL, &(struct msghdr){.msg_iov = &(struct iovec){packet, sizeof packet}, .msg_iovlen = 1}, 0);
            if (count <= 0 || (count >= 4 && memcmp(packet, "STOP", 4) == 0)) return 0;
        }
        say("ALIVE");
    }
}
