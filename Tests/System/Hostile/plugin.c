// SPDX-License-Identifier: Apache-2.0
// The same program as a plugin of a board. One process keeps the supervisor content (READY, ALIVE, STOP), so that nothing ends
// it early; another carries out the acts of the settings, one after the other, and goes on where it stopped when it is started
// again. What came of them is in VIGIL_STATE/results, because the log is limited.
#define _GNU_SOURCE
#include "generator.h"
#include "hostile.h"
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Between two acts that make others wait, so that each is seen by itself.
enum { PAUSE = 700000 };

static int control = -1;

const char *own_folder(const char *variable) {
    const char *folder = getenv(variable);
    return folder == NULL ? "/nowhere" : folder;
}

// Opened for each line: `find-descriptors` shall find nothing of ours.
void note(const char *format, ...) {
    char line[1024], path[4096];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    if (length < 0) return;
    if ((size_t)length > sizeof line - 2) length = sizeof line - 2;
    for (int index = 0; index < length; index++) {
        if (line[index] == '\n') line[index] = ' ';
    }
    line[length++] = '\n';
    snprintf(path, sizeof path, "%s/results", own_folder("VIGIL_STATE"));
    int file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0640);
    if (file >= 0) {
        (void)!write(file, line, (size_t)length);
        close(file);
    }
}

static void say(const char *word) { (void)!send(control, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT); }

static bool has_begun(const char *act) {
    char path[4096], line[1024], wanted[256];
    snprintf(path, sizeof path, "%s/results", own_folder("VIGIL_STATE"));
    snprintf(wanted, sizeof wanted, "begin %s\n", act);
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) found = strcmp(line, wanted) == 0;
    if (file != NULL) fclose(file);
    return found;
}

static const char *last_begun(void) {
    static char act[1024];
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/results", own_folder("VIGIL_STATE"));
    FILE *file = fopen(path, "re");
    act[0] = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "begin ", 6) == 0) snprintf(act, sizeof act, "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
    }
    if (file != NULL) fclose(file);
    return act;
}

static const char *last_line(void) {
    static char last[1024];
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/results", own_folder("VIGIL_STATE"));
    FILE *file = fopen(path, "re");
    last[0] = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
    if (file != NULL) fclose(file);
    return last;
}

static const struct act {
    const char *name;
    void (*run)(void);
} acts[] = {
    {"attacks", act_attacks},
    {"ungranted", act_ungranted},
    {"spool-names", act_spool_names},
    {"outside", act_outside},
    {"fork-bomb", act_fork_bomb},
    {"memory", act_memory},
    {"fill-state", act_fill_state},
    {"fill-spool", act_fill_spool},
    {"fill-hidden", act_fill_hidden},
    {"hide-spool", act_hide_spool},
    {"flood-log", act_flood_log},
    {"flood-supervisor", act_flood_supervisor},
    {"stop-itself", act_stop_itself},
    {"lose-arguments", act_lose_arguments},
    {"nasty", act_nasty},
    {"generate", act_generate},
};

static void carry_out(const char *name) {
    if (strcmp(name, "malformed-frames") == 0 || strcmp(name, "giant-frames") == 0 || strcmp(name, "flood-calls") == 0) {
        flood(name);
        return;
    }
    if (strcmp(name, "never-answer") == 0) {
        // It keeps its connections for the rest of its life.
        if (fork() == 0) _exit(flood(name));
        usleep(200000);
        return;
    }
    if (strncmp(name, "wait-", 5) == 0) {
        act_wait(name + 5);
        usleep(PAUSE);
        return;
    }
    for (size_t index = 0; index < sizeof acts / sizeof acts[0]; index++) {
        if (strcmp(name, acts[index].name) == 0) acts[index].run();
    }
}

static void work(void) {
    char act[128];
    for (int index = 0; setting("acts", index, act, sizeof act); index++) {
        if (strcmp(act, "exit-at-once") == 0 || strcmp(act, "never-ready") == 0) continue;
        // What makes calls at random may end whoever makes them: it goes on with the next round.
        if (has_begun(act) && strcmp(act, "generate") != 0) continue;
        note("begin %s", act);
        carry_out(act);
        note("end %s", act);
    }
    note("end");
    for (;;) pause();
}

static bool wants(const char *wanted) {
    char act[128];
    for (int index = 0; setting("acts", index, act, sizeof act); index++) {
        if (strcmp(act, wanted) == 0) return true;
    }
    return false;
}

static void take_over_environment(void) {
    char pair[1024], name[1100];
    for (int index = 0; setting("given", index, pair, sizeof pair); index++) {
        char *equals = strchr(pair, '=');
        if (equals == NULL) continue;
        *equals = 0;
        snprintf(name, sizeof name, "HOSTILE_%s", pair);
        setenv(name, equals + 1, 1);
    }
}

static char **own_arguments;

// Its arguments overwritten, its name made to look like the end of what /proc says, and then started again with none at all.
static void lose_arguments(int signal_number) {
    (void)signal_number;
    for (char *letter = own_arguments[0]; letter != NULL && *letter != 0; letter++) *letter = 0;
    prctl(PR_SET_NAME, ") Z 1 1 (", 0, 0, 0);
    setenv("HOSTILE_LOST", "1", 1);
    char *const nothing[] = {NULL};
    execve("/proc/self/exe", nothing, environ);
    note("lose-arguments: refused (%s)", strerror(errno));
}

static void stop_itself(int signal_number) {
    (void)signal_number;
    // SIGSTOP does nothing to the first process of a namespace.
    for (;;) pause();
}

static pid_t worker;
static bool is_told_to_stop;

static void start_worker(void) {
    worker = fork();
    if (worker != 0) return;
    for (int descriptor = 4; descriptor < 256; descriptor++) close(descriptor);
    work();
}

// Who was ended for what it did goes on with the next act.
static void look_after_worker(void) {
    int status;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (child != worker) continue;
        note("%s: refused (killed by signal %d)", last_begun(), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        start_worker();
    }
}

static struct timespec life_end;

static uint64_t lines_like(const char *wanted) {
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/results", own_folder("VIGIL_STATE"));
    FILE *file = fopen(path, "re");
    uint64_t count = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) count += strcmp(line, wanted) == 0;
    if (file != NULL) fclose(file);
    return count;
}

// How long this life lasts, where the settings say so: some end before anybody looked at them.
static void begin_life(void) {
    clock_gettime(CLOCK_MONOTONIC, &life_end);
    long milliseconds = setting_number("life", 0);
    life_end.tv_sec += milliseconds / 1000;
    life_end.tv_nsec += milliseconds % 1000 * 1000000;
    if (!wants("generate")) return;
    // Each life goes on, as far as the file knows of the lives before.
    start_rounds_at(lines_like("life\n") << 32);
    note("life");
}

// Milliseconds until then, 2,000 at most.
static int left_of_life(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long left = (life_end.tv_sec - now.tv_sec) * 1000 + (life_end.tv_nsec - now.tv_nsec) / 1000000;
    return setting_number("life", 0) == 0 || left > 2000 ? 2000 : left < 0 ? 0 : (int)left;
}

// Its last words, and its status; whoever it started is left to others.
static void end_life(void) {
    char words[201];
    if (wants("generate")) note_rounds();
    if (setting("farewell", 0, words, sizeof words)) say(words);
    long status = setting_number("status", 0);
    if (status > 255) abort();
    _exit((int)status);
}

// False when there is nobody left to be content, or who wants it to end.
static bool keep_content(void) {
    char packet[4096], room[CMSG_SPACE(sizeof(int) * 8)];
    struct iovec piece = {packet, sizeof packet - 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    ssize_t count = recvmsg(control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    packet[count] = 0;
    // Listeners come beside the messages. Callers wait there for ever: it never accepts, and never lets go.
    if (strcmp(packet, "START") == 0) {
        if (wants("exit-at-once")) _exit(1);
        if (!wants("never-ready")) say("READY");
        begin_life();
        start_worker();
    }
    is_told_to_stop = strcmp(packet, "STOP") == 0;
    return !is_told_to_stop || wants("never-stop");
}

static void wait_for_worker(void) {
    for (time_t end = time(NULL) + setting_number("seconds", 3); worker > 0 && time(NULL) <= end; usleep(50000)) {
        if (strcmp(last_line(), "end") == 0) return;
        look_after_worker();
    }
}

int be_plugin(char **arguments) {
    own_arguments = arguments;
    signal(SIGUSR1, lose_arguments);
    signal(SIGUSR2, stop_itself);
    const char *number = getenv("VIGIL_CONTROL");
    if (number == NULL) {
        fputs("vigil-hostile plugin: VIGIL_CONTROL is not set; it is started by vigil run\n", stderr);
        return 64;
    }
    control = atoi(number);
    signal(SIGPIPE, SIG_IGN);
    if (!read_settings()) return 78;
    take_over_environment();
    if (wants("generate")) {
        prepare_rounds();
        signal(SIGUSR1, SIG_IGN);
        signal(SIGUSR2, SIG_IGN);
    }
    // Started again by itself: the worker of before goes on.
    if (getenv("HOSTILE_LOST") != NULL) {
        prctl(PR_SET_NAME, ") Z 1 1 (", 0, 0, 0);
        note("lose-arguments: lost, and goes on");
    }
    for (;;) {
        struct pollfd ready = {.fd = control, .events = POLLIN};
        poll(&ready, 1, worker > 0 ? left_of_life() : 2000);
        if (worker > 0 && left_of_life() == 0) end_life();
        if (ready.revents != 0 && !keep_content()) {
            // Calls at random end the connection soon (an empty packet does); what they do besides is to be seen all the same.
            if (wants("generate") && !is_told_to_stop) wait_for_worker();
            return 0;
        }
        say("ALIVE");
        look_after_worker();
    }
}
