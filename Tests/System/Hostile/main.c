// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "hostile.h"
#include "waits.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct attack *const tables[] = {file_attacks, process_attacks, network_attacks, kernel_attacks,
                                              resource_attacks};

const char *given(const char *name) {
    char variable[64];
    snprintf(variable, sizeof variable, "HOSTILE_%s", name);
    const char *value = getenv(variable);
    return value == NULL ? "" : value;
}

long given_number(const char *name) { return strtol(given(name), NULL, 10); }

int outcome(long result) { return result < 0 ? (errno == 0 ? EPERM : errno) : 0; }

int opened(long descriptor) {
    int error = outcome(descriptor);
    if (descriptor >= 0) close((int)descriptor);
    return error;
}

bool is_plugin;

void tell(const char *format, ...) {
    char line[512];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    fprintf(stderr, "%s\n", line);
    if (is_plugin) note("%s", line);
}

// One process each, so that an attack that succeeds changes nothing for the next, and one that is killed for it is told.
static void try_attack(const struct attack *attack) {
    pid_t child = fork();
    if (child < 0) {
        tell("%s: untried (fork: %s)", attack->name, strerror(errno));
        return;
    }
    if (child == 0) {
        alarm(20);
        errno = 0;
        _exit(attack->run());
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (WIFSIGNALED(status)) {
        tell("%s: refused (killed by signal %d)", attack->name, WTERMSIG(status));
    } else if (WEXITSTATUS(status) == 0) {
        tell("%s: GAINED", attack->name);
    } else {
        tell("%s: refused (%s)", attack->name, strerror(WEXITSTATUS(status)));
    }
}

bool try_named(const char *name) {
    bool is_known = false;
    for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
        for (const struct attack *attack = tables[table]; attack->name != NULL; attack++) {
            // As a plugin it is ended for these: they are acts of their own there.
            if (is_plugin && strncmp(attack->name, "fill-", 5) == 0) continue;
            if (strcmp(name, "all") != 0 && strcmp(name, attack->name) != 0) continue;
            is_known = true;
            try_attack(attack);
        }
    }
    return is_known;
}

int main(int count, char *words[]) {
    if (count < 2 ? getenv("VIGIL_CONTROL") != NULL : strcmp(words[1], "plugin") == 0) {
        is_plugin = true;
        return be_plugin(words);
    }
    if (count < 2) {
        fputs("vigil-hostile all | ATTACK ... | list | innocent | victim | stay-behind | abort | effective-user | "
              "exit-at-once | plugin |\n"
              "    wait NAME ... | without-refusal PROGRAM [WORD ...] |\n"
              "    never-answer | flood-calls | giant-frames | malformed-frames\n",
              stderr);
        return 2;
    }
    if (strcmp(words[1], "list") == 0) {
        for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
            for (const struct attack *attack = tables[table]; attack->name != NULL; attack++) puts(attack->name);
        }
        return 0;
    }
    if (strcmp(words[1], "innocent") == 0) return be_innocent();
    if (strcmp(words[1], "victim") == 0) return be_victim();
    if (strcmp(words[1], "stay-behind") == 0) return leave_somebody_behind();
    if (strcmp(words[1], "abort") == 0) abort();
    // For whoever starts this program with its set-user bit.
    if (strcmp(words[1], "effective-user") == 0) return geteuid() == 0 ? 42 : 0;
    if (strcmp(words[1], "exit-at-once") == 0) return 1;
    if (strcmp(words[1], "never-answer") == 0 || strcmp(words[1], "flood-calls") == 0 ||
        strcmp(words[1], "giant-frames") == 0 || strcmp(words[1], "malformed-frames") == 0) {
        return flood(words[1]);
    }
    if (strcmp(words[1], "without-refusal") == 0 && count > 2) return without_refusal(words + 2);
    if (strcmp(words[1], "wait") == 0) {
        signal(SIGPIPE, SIG_IGN);
        for (int index = 2; index < count; index++) {
            if (!act_wait(words[index])) return 2;
        }
        return 0;
    }
    for (int index = 1; index < count; index++) {
        if (!try_named(words[index])) {
            fprintf(stderr, "vigil-hostile: no attack \"%s\"\n", words[index]);
            return 2;
        }
    }
    fputs("done\n", stderr);
    return 0;
}
