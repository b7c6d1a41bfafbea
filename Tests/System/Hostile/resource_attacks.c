// SPDX-License-Identifier: Apache-2.0
// Bounded on purpose: each stops at what no plugin should get, not at what the machine has.
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MANY_PROCESSES = 150,
    MANY_DESCRIPTORS = 500,
    // The kernel gives each user 128 (fs.inotify.max_user_instances).
    MANY_WATCHERS = 100,
    MEGABYTE = 1 << 20,
    MANY_MEGABYTES = 1024,
    MANY_FILE_MEGABYTES = 48
};

static int make_many_processes(void) {
    static pid_t children[MANY_PROCESSES];
    int count = 0, error = 0;
    while (count < MANY_PROCESSES && error == 0) {
        pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        if (child < 0) {
            error = errno;
        } else {
            children[count++] = child;
        }
    }
    for (int index = 0; index < count; index++) kill(children[index], SIGKILL);
    for (int index = 0; index < count; index++) waitpid(children[index], NULL, 0);
    return error;
}

// In a child: whoever uses the most is ended first.
static int take_memory(void) {
    pid_t child = fork();
    if (child == 0) {
        for (int index = 0; index < MANY_MEGABYTES; index++) {
            void *block = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (block == MAP_FAILED) _exit(errno);
            memset(block, 1, MEGABYTE);
        }
        _exit(0);
    }
    if (child < 0) return errno;
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? ENOMEM : WEXITSTATUS(status);
}

static int fill(const char *folder) {
    static char block[MEGABYTE];
    char path[4096];
    snprintf(path, sizeof path, "%s/large", folder);
    signal(SIGXFSZ, SIG_IGN);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    int error = file < 0 ? errno : 0;
    for (int index = 0; index < MANY_FILE_MEGABYTES && error == 0; index++) {
        ssize_t count = write(file, block, sizeof block);
        // Part of it went in: the next says why the rest did not.
        if (count < 0) error = errno;
    }
    if (file >= 0) close(file);
    unlink(path);
    return error;
}

static int fill_state(void) { return fill(getenv("VIGIL_STATE") == NULL ? given("SCRATCH") : getenv("VIGIL_STATE")); }
// Many files, each below the limit for one.
static int fill_spool(void) {
    const char *folder = getenv("VIGIL_SPOOL") == NULL ? given("SCRATCH") : getenv("VIGIL_SPOOL");
    static char block[MEGABYTE];
    char path[4096];
    int error = 0, count = 0;
    for (; count < MANY_FILE_MEGABYTES && error == 0; count++) {
        snprintf(path, sizeof path, "%s/piece-%d", folder, count);
        int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        ssize_t written = file < 0 ? -1 : write(file, block, sizeof block);
        if (written < (ssize_t)sizeof block) error = written < 0 ? errno : ENOSPC;
        if (file >= 0) close(file);
    }
    for (; count >= 0; count--) {
        snprintf(path, sizeof path, "%s/piece-%d", folder, count);
        unlink(path);
    }
    return error;
}

static int take_descriptors(void) {
    for (int count = 0; count < MANY_DESCRIPTORS; count++) {
        if (dup(2) < 0) return errno;
    }
    return 0;
}

static int take_watchers(void) {
    // On a board it has a user of its own, and may use up what the kernel gives that one.
    int many = is_plugin ? MANY_DESCRIPTORS : MANY_WATCHERS;
    for (int count = 0; count < many; count++) {
        if (inotify_init1(IN_CLOEXEC) < 0) return errno;
    }
    return 0;
}

// A grandchild in a session of its own, which writes a byte every 20 ms for ten seconds. Whether that is gained, the test
// sees from the file.
static void stay_behind(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/heartbeat", getenv("VIGIL_STATE") == NULL ? given("SCRATCH") : getenv("VIGIL_STATE"));
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            int file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
            signal(SIGHUP, SIG_IGN);
            signal(SIGTERM, SIG_IGN);
            for (int count = 0; count < 500; count++) {
                if (write(file, "x", 1) != 1) break;
                usleep(20000);
            }
        }
        _exit(0);
    }
    wait(NULL);
}

const struct attack resource_attacks[] = {
    {"make-many-processes", make_many_processes},
    {"take-memory", take_memory},
    {"fill-state", fill_state},
    {"fill-spool", fill_spool},
    {"take-descriptors", take_descriptors},
    {"take-watchers", take_watchers},
    {0, 0},
};

int leave_somebody_behind(void) {
    stay_behind();
    fputs("done\n", stderr);
    pause();
    return 0;
}
