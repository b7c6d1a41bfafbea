// SPDX-License-Identifier: Apache-2.0
// Whether the view holds, tried while this process still has every privilege: nothing but the mounts can refuse.
#define _GNU_SOURCE
#include "jail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_hidden(const char *path) {
    struct stat status;
    return lstat(path, &status) < 0 && errno == ENOENT;
}

// Whether the plan puts anything at, above or below this path.
static bool is_named(const char *path) {
    size_t length = strlen(path);
    for (int index = 0; index < plan.bind_count; index++) {
        const char *target = plan.binds[index].target;
        size_t own = strlen(target);
        if (strncmp(target, path, length) == 0 && (target[length] == 0 || target[length] == '/')) return true;
        if (strncmp(path, target, own) == 0 && (path[own] == '/' || path[own] == 0)) return true;
    }
    return false;
}

static const char *find_hole(void) {
    static const char *const elsewhere[] = {"/root", "/home", "/boot", "/sys", "/var", "/mnt", "/srv", "/opt", NULL};
    if (mkdir("/vigil-trial", 0700) == 0 || errno != EROFS) return "the root can be written";
    for (int index = 0; elsewhere[index] != NULL; index++) {
        if (!is_named(elsewhere[index]) && !is_hidden(elsewhere[index])) return elsewhere[index];
    }
    for (int index = 0; index < plan.bind_count; index++) {
        const struct bind *bind = &plan.binds[index];
        if (bind->mode == 0 || S_ISLNK(bind->mode)) continue;
        if (!is_named(bind->source) && !is_hidden(bind->source)) return bind->source;
        if (bind->access != ACCESS_PROGRAMS && bind->access != ACCESS_READ) continue;
        // Still with every privilege there is: only the mount itself can refuse.
        char path[4200];
        snprintf(path, sizeof path, S_ISDIR(bind->mode) ? "%s/.vigil-trial" : "%s", bind->target);
        int file = open(path, S_ISDIR(bind->mode) ? O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC, 0600);
        // A program that runs is protected before anybody looks at its mount.
        if (file < 0 && (errno == EROFS || errno == ETXTBSY)) continue;
        // Without privilege outside, the owner may refuse before the mount does.
        if (file < 0 && errno == EACCES && situation.has_user_namespace) continue;
        if (file >= 0) {
            close(file);
            if (S_ISDIR(bind->mode)) unlink(path);
        }
        return bind->target;
    }
    return NULL;
}

static int count_processes(void) {
    DIR *folder = opendir("/proc");
    if (folder == NULL) return -1;
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    closedir(folder);
    return count;
}

void verify_view(void) {
    if (!situation.has_view) return;
    const char *hole = find_hole();
    if (hole != NULL) {
        report("mounts", NULL, STATE_FAILED, "%.150s is within reach", hole);
    } else {
        report("mounts", NULL, STATE_VERIFIED, "root and system read-only, nothing else there");
    }
    if (situation.process_files == NULL) return;
    int count = count_processes();
    bool is_alone = count == 1;
    report("proc", situation.process_files, is_alone ? STATE_VERIFIED : STATE_FAILED,
           is_alone ? "shows this process only" : "shows %d processes", count);
}
