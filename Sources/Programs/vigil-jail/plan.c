// SPDX-License-Identifier: Apache-2.0
// The plan: lines of words separated by tabs. Whatever is not understood to the last byte is refused: a plan that is half
// understood is half a jail.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <unistd.h>

struct plan plan;

static char text[PLAN_SIZE + 1];
static char problem[160];

static const char *wrong(const char *what, const char *where) {
    strncpy(problem, what, sizeof problem - 1);
    strncat(problem, ": ", sizeof problem - strlen(problem) - 1);
    strncat(problem, where, sizeof problem - strlen(problem) - 1);
    for (char *c = problem; *c != 0; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    }
    return problem;
}

static bool number(const char *word, uint64_t most, uint64_t *ret) {
    if (*word == 0 || strlen(word) > 19 || strspn(word, "0123456789") != strlen(word)) return false;
    errno = 0;
    *ret = strtoull(word, NULL, 10);
    return errno == 0 && *ret <= most;
}

// Absolute, no empty, "." or ".." part, nothing at the end: one way to write each path.
static bool is_path(const char *word) {
    if (word[0] != '/' || strlen(word) >= 4096) return false;
    for (const char *part = word; *part != 0;) {
        part++;
        size_t length = strcspn(part, "/");
        if (length == 0 || length > 255 || (length == 1 && part[0] == '.') || (length == 2 && memcmp(part, "..", 2) == 0))
            return false;
        part += length;
    }
    return true;
}

static bool is_name(const char *word) {
    return *word >= 'a' && *word <= 'z' && strlen(word) <= 32 &&
           strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(word);
}

static bool one_of(const char *word, const char *const words[], int *ret) {
    for (int index = 0; words[index] != NULL; index++) {
        if (strcmp(word, words[index]) == 0) {
            *ret = index;
            return true;
        }
    }
    return false;
}

static bool add_bind(enum access access, const char *source, const char *target, bool is_optional) {
    if (plan.bind_count == MOST_BINDS || !is_path(source) || !is_path(target)) return false;
    plan.binds[plan.bind_count++] = (struct bind){access, source, target, -1, 0, is_optional, false, 0};
    return true;
}

static bool add_device(const char *path, const char *major_text, const char *minor_text) {
    uint64_t major, minor;
    if (strncmp(path, "/dev/", 5) != 0 || !number(major_text, 4095, &major) || !number(minor_text, (1 << 20) - 1, &minor))
        return false;
    if (!add_bind(ACCESS_DEVICE, path, path, false)) return false;
    plan.binds[plan.bind_count - 1].has_number = true;
    plan.binds[plan.bind_count - 1].number = makedev((unsigned)major, (unsigned)minor);
    return true;
}

static bool add_limit(const char *name, const char *value) {
    static const char *const names[] = {"core", "nofile", "nproc", "fsize", "data", "as", "cpu", "stack", NULL};
    static const int resources[] = {RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE,
                                    RLIMIT_DATA, RLIMIT_AS,     RLIMIT_CPU,   RLIMIT_STACK};
    int which;
    uint64_t amount;
    if (!one_of(name, names, &which) || !number(value, INT64_MAX, &amount) || plan.limit_count == MOST_LIMITS) return false;
    for (int index = 0; index < plan.limit_count; index++) {
        if (plan.limits[index].resource == resources[which]) return false;
    }
    plan.limits[plan.limit_count++] = (struct limit){names[which], resources[which], amount};
    return true;
}

static bool set_once(const char **place, const char *value, bool is_valid) {
    if (*place != NULL || !is_valid) return false;
    *place = value;
    return true;
}

static bool add_folder(const char *which, const char *source) {
    if (strcmp(which, "state") == 0)
        return set_once(&plan.state, source, is_path(source)) && add_bind(ACCESS_WRITE, source, "/state", false);
    if (strcmp(which, "spool") == 0)
        return set_once(&plan.spool, source, is_path(source)) && add_bind(ACCESS_WRITE, source, "/spool", false);
    if (strcmp(which, "run") == 0)
        return set_once(&plan.run, source, is_path(source)) && add_bind(ACCESS_READ, source, "/run/vigil", false);
    return false;
}

static bool take(char *words[], int count) {
    static const char *const profiles[] = {"plugin", "core", "egress", "none", NULL};
    static const char *const networks[] = {"none", "private", "host", NULL};
    static const char *const denials[] = {"silent", "log", "kill", "notify", NULL};
    const char *key = words[0];
    uint64_t value, second;
    int index;
#define IS(word, arguments) (strcmp(key, word) == 0 && count == (arguments) + 1)
    if (IS("name", 1)) return set_once(&plan.name, words[1], is_name(words[1]));
    if (IS("program", 1)) return set_once(&plan.program, words[1], is_path(words[1]));
    if (IS("profile", 1) && one_of(words[1], profiles, &index)) return plan.profile = (enum profile)index, true;
    if (IS("network", 1) && one_of(words[1], networks, &index)) return plan.network = (enum network)index, true;
    if (IS("denials", 1) && one_of(words[1], denials, &index)) return plan.denials = (enum denials)index, true;
    if (IS("socks", 1) && number(words[1], 65535, &value) && value > 0) return plan.socks_port = (unsigned)value, true;
    if (IS("socks-outside", 1)) return set_once(&plan.socks_outside, words[1], strlen(words[1]) < 256);
    if (IS("programs", 2)) return add_bind(ACCESS_PROGRAMS, words[1], words[2], false);
    if (IS("programs-if-there", 2)) return add_bind(ACCESS_PROGRAMS, words[1], words[2], true);
    if (IS("readable", 2)) return add_bind(ACCESS_READ, words[1], words[2], false);
    if (IS("readable-if-there", 2)) return add_bind(ACCESS_READ, words[1], words[2], true);
    if (IS("writable", 2)) return add_bind(ACCESS_WRITE, words[1], words[2], false);
    if (IS("spools", 2)) return add_bind(ACCESS_SPOOLS, words[1], words[2], false);
    if (IS("device", 3)) return add_device(words[1], words[2], words[3]);
    if (IS("folder", 2)) return add_folder(words[1], words[2]);
    if (IS("limit", 2)) return add_limit(words[1], words[2]);
    if (IS("probe", 0)) return plan.is_probe = true, true;
    if (IS("extra", 1) && number(words[1], MOST_EXTRA, &value)) return plan.extra_count = (int)value, true;
    if (IS("user", 2) && number(words[1], UINT32_MAX - 1, &value) && number(words[2], UINT32_MAX - 1, &second)) {
        // Root is no user to become: that is what the plan is there to prevent.
        if (plan.has_user || value == 0 || second == 0) return false;
        plan.has_user = true;
        plan.user = (uid_t)value;
        plan.group = (gid_t)second;
        return true;
    }
    if (IS("group", 1) && number(words[1], UINT32_MAX - 1, &value) && value > 0 && plan.group_count < MOST_GROUPS) {
        return plan.groups[plan.group_count++] = (gid_t)value, true;
    }
    if (IS("oom", 1) && number(words[1], 1000, &value)) return plan.oom = (int)value, plan.has_oom = true;
    if (IS("nice", 1) && number(words[1], 19, &value)) return plan.niceness = (int)value, plan.has_niceness = true;
    if (IS("cgroup", 2) && plan.cgroup_count < MOST_CGROUPS && is_name(words[1]) && is_path(words[2])) {
        return plan.cgroups[plan.cgroup_count++] = (struct cgroup){words[1], words[2]}, true;
    }
    if (IS("require", 1) && is_name(words[1]) && plan.required_count < MOST_WORDS) {
        return plan.required[plan.required_count++] = words[1], true;
    }
    if (IS("argument", 1) && plan.argument_count < MOST_WORDS)
        return plan.arguments[plan.argument_count++] = words[1], true;
    if (IS("environment", 2) && plan.environment_count < MOST_WORDS) {
        // Both words lie side by side in `text`: the tab between them becomes the sign that environments use.
        if (*words[1] == 0 || strspn(words[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != strlen(words[1])) return false;
        words[2][-1] = '=';
        return plan.environment[plan.environment_count++] = words[1], true;
    }
#undef IS
    return false;
}

static const char *check(void) {
    if (plan.name == NULL) return "the plan names nobody";
    if (plan.program == NULL && !plan.is_probe) return "the plan names no program";
    if (plan.argument_count == 0 && !plan.is_probe) return "the plan has no argument, not even the program's name";
    if (plan.socks_port != 0 && plan.network != NETWORK_PRIVATE) return "a SOCKS listener needs a private network";
    if (plan.socks_outside != NULL && plan.socks_port == 0) return "a SOCKS address outside without one inside";
    return NULL;
}

const char *plan_read(void) {
    size_t length = 0;
    while (length < sizeof text) {
        ssize_t count = read(PLAN, text + length, sizeof text - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return "the plan cannot be read";
        if (count == 0) break;
        length += (size_t)count;
    }
    close(PLAN);
    if (length > PLAN_SIZE) return "the plan is too long";
    if (memchr(text, 0, length) != NULL) return "the plan holds a zero byte";
    text[length] = 0;
    bool is_first = true, has_ended = false;
    for (char *line = text, *next; *line != 0; line = next) {
        char *end = strchr(line, '\n');
        if (end == NULL) return "the plan stops in the middle of a line";
        *end = 0;
        next = end + 1;
        if (has_ended) return "the plan goes on behind its end";
        if (is_first && strcmp(line, "vigil-plan\t1") != 0) return wrong("no plan of version 1", line);
        if (!is_first && strcmp(line, "end") == 0) has_ended = true;
        if (is_first || has_ended) {
            is_first = false;
            continue;
        }
        char *words[4];
        int count = 0;
        for (char *word = line; word != NULL && count < 4; count++) {
            words[count] = word;
            word = strchr(word, '\t');
            if (word != NULL) {
                if (count == 3) return wrong("too many words", line);
                *word++ = 0;
            }
        }
        for (const char *c = line; c < end; c++) {
            if ((unsigned char)*c < ' ' && *c != 0) return wrong("a control character", line);
        }
        if (!take(words, count)) return wrong("a line of the plan is not understood", line);
    }
    return has_ended ? check() : "the plan has no end";
}
