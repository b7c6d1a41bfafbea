// SPDX-License-Identifier: Apache-2.0
// The files the program can see: a small file system in memory, made of copies of mounts. What the plan does not name is
// not there.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef MOUNT_ATTR_NOSYMFOLLOW
#define MOUNT_ATTR_NOSYMFOLLOW 0x00200000
#endif

static int root = -1, process_files = -1;

// Programs find these everywhere; nothing else of /dev.
static const struct {
    const char *path;
    unsigned minor;  // of memory's, 1 (the kernel's devices.txt)
} standard_devices[] = {{"/dev/null", 3}, {"/dev/zero", 5}, {"/dev/full", 7}, {"/dev/random", 8}, {"/dev/urandom", 9}, {NULL, 0}};

static int restrict_mount(int tree, enum access access, bool is_recursive) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_NOSUID};
    if (access != ACCESS_DEVICE) attributes.attr_set |= MOUNT_ATTR_NODEV;
    if (access != ACCESS_PROGRAMS) attributes.attr_set |= MOUNT_ATTR_NOEXEC;
    if (access == ACCESS_PROGRAMS || access == ACCESS_READ) attributes.attr_set |= MOUNT_ATTR_RDONLY;
    // A link the program makes in its own folder leads nobody anywhere, itself included.
    if (access == ACCESS_WRITE || access == ACCESS_SPOOLS) attributes.attr_set |= MOUNT_ATTR_NOSYMFOLLOW;
    // What is mounted outside later comes in nowhere but there.
    attributes.propagation = access == ACCESS_SPOOLS ? MS_SLAVE : MS_PRIVATE;
    return mount_setattr(tree, "", AT_EMPTY_PATH | (is_recursive ? AT_RECURSIVE : 0), &attributes, sizeof attributes);
}

static bool open_bind(struct bind *bind) {
    struct stat status;
    if (lstat(bind->source, &status) < 0) return bind->is_optional && errno == ENOENT;
    bind->mode = status.st_mode;
    bool is_system = bind->access == ACCESS_PROGRAMS || bind->access == ACCESS_READ;
    if (S_ISLNK(status.st_mode)) return is_system;
    bind->tree =
        open_tree(AT_FDCWD, bind->source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW);
    if (bind->tree < 0) return false;
    // Of the copy: nobody can put another in its place any more.
    if (bind->access == ACCESS_DEVICE &&
        (fstat(bind->tree, &status) < 0 || !S_ISCHR(status.st_mode) || (bind->has_number && status.st_rdev != bind->number))) {
        errno = ENODEV;
        return false;
    }
    return restrict_mount(bind->tree, bind->access, true) == 0;
}

static void make_parents(const char *target) {
    char path[4096];
    snprintf(path, sizeof path, "%s", target + 1);
    for (char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdirat(root, path, 0755);
        *slash = '/';
    }
}

static bool place(const struct bind *bind) {
    const char *target = bind->target + 1;
    if (bind->mode == 0) return true;
    make_parents(bind->target);
    if (S_ISLNK(bind->mode)) {
        char link[4096];
        ssize_t length = readlink(bind->source, link, sizeof link - 1);
        if (length < 0) return false;
        link[length] = 0;
        return symlinkat(link, root, target) == 0;
    }
    // A file in a folder that is there already, such as a program among the system's, needs no place made for it. Asking to write it
    // would be refused while it runs.
    if (S_ISDIR(bind->mode)) {
        if (mkdirat(root, target, 0755) < 0 && errno != EEXIST) return false;
    } else if (faccessat(root, target, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
        int file = openat(root, target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0444);
        if (file < 0) return false;
        close(file);
    }
    return move_mount(bind->tree, "", root, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

static int memory_files(void) {
    int context = fsopen("tmpfs", FSOPEN_CLOEXEC);
    if (context < 0) return -1;
    // Names only: the files are elsewhere.
    if (fsconfig(context, FSCONFIG_SET_STRING, "size", "64k", 0) < 0 ||
        fsconfig(context, FSCONFIG_SET_STRING, "nr_inodes", "512", 0) < 0 ||
        fsconfig(context, FSCONFIG_SET_STRING, "mode", "0755", 0) < 0 ||
        fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0) {
        close(context);
        return -1;
    }
    int mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    close(context);
    return mount;
}

static int open_process_files(bool is_subset) {
    int context = fsopen("proc", FSOPEN_CLOEXEC);
    if (context < 0) return -1;
    bool is_made = fsconfig(context, FSCONFIG_SET_STRING, "hidepid", "invisible", 0) == 0 &&
                   (!is_subset || fsconfig(context, FSCONFIG_SET_STRING, "subset", "pid", 0) == 0) &&
                   fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0;
    int mount = is_made ? fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC) : -1;
    int error = errno;
    close(context);
    errno = error;
    return mount;
}

static void prepare_process_files(void) {
    if (!situation.has_pid_namespace) {
        report("proc", NULL, STATE_MISSING,
               "without a process namespace of its own it would show everybody: there is no /proc inside");
        return;
    }
    process_files = open_process_files(true);
    situation.process_files = "processes only";
    if (process_files < 0) {
        process_files = open_process_files(false);
        situation.process_files = "whole";
    }
    if (process_files >= 0) return;
    situation.process_files = NULL;
    report("proc", NULL, STATE_MISSING, "there is no /proc inside: %s", because(errno));
}

static const char *build(void) {
    static char text[4300];
    for (int index = 0; index < plan.bind_count; index++) {
        if (open_bind(&plan.binds[index])) continue;
        snprintf(text, sizeof text, "%.120s: %s", plan.binds[index].source, because(errno));
        return text;
    }
    prepare_process_files();
    root = memory_files();
    if (root < 0) return "no file system in memory";
    // Any folder will do to attach it: what it covers is open already, and nobody else sees this.
    static const char *const places[] = {"/tmp", "/mnt", "/run", "/dev", NULL};
    int place_index = 0;
    while (places[place_index] != NULL && move_mount(root, "", AT_FDCWD, places[place_index], MOVE_MOUNT_F_EMPTY_PATH) < 0)
        place_index++;
    if (places[place_index] == NULL) return "the new root cannot be attached";
    for (int index = 0; index < plan.bind_count; index++) {
        if (place(&plan.binds[index])) continue;
        snprintf(text, sizeof text, "%.120s cannot be made inside: %s", plan.binds[index].target, because(errno));
        return text;
    }
    if (process_files >= 0 &&
        (mkdirat(root, "proc", 0755) < 0 || move_mount(process_files, "", root, "proc", MOVE_MOUNT_F_EMPTY_PATH) < 0)) {
        return "/proc cannot be made inside";
    }
    symlinkat("/proc/self/fd", root, "dev/fd");
    if (plan.state != NULL) symlinkat("state", root, "tmp");
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
    if (mount_setattr(root, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0)
        return "the root cannot be made read-only";
    if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0) {
        return "the root cannot be changed";
    }
    return NULL;
}

void make_view(void) {
    for (int index = 0; standard_devices[index].path != NULL && plan.bind_count < MOST_BINDS; index++) {
        const char *path = standard_devices[index].path;
        plan.binds[plan.bind_count++] =
            (struct bind){ACCESS_DEVICE, path, path, -1, 0, false, true, makedev(1, standard_devices[index].minor)};
    }
    if (unshare(CLONE_NEWNS) < 0) {
        report("mounts", NULL, STATE_MISSING, "no mount namespace: %s", because(errno));
        report("proc", NULL, STATE_MISSING, "needs a mount namespace");
        return;
    }
    mode_t before = umask(0);
    // Nothing gets out. What may still come in is cut off for each folder by itself, and with the old root.
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
        report("mounts", NULL, STATE_FAILED, "mounts cannot be parted from those outside: %s", because(errno));
        return;
    }
    errno = 0;
    const char *problem = build();
    umask(before);
    // Half a view is worse than none: this stops the start whatever is required.
    if (problem != NULL) {
        report("mounts", NULL, STATE_FAILED, "%s (%s)", problem, because(errno));
        return;
    }
    for (int index = 0; index < plan.bind_count; index++) {
        if (plan.binds[index].tree >= 0) close(plan.binds[index].tree);
    }
    close(root);
    if (process_files >= 0) close(process_files);
    situation.has_view = true;
    report("mounts", "own root", STATE_APPLIED, "%d folders and files", plan.bind_count);
}

const char *inside(const char *outside_path) {
    static char path[8192];
    if (!situation.has_view) return outside_path;
    for (int index = 0; index < plan.bind_count; index++) {
        const struct bind *bind = &plan.binds[index];
        size_t length = strlen(bind->source);
        if (strncmp(outside_path, bind->source, length) != 0 || (outside_path[length] != '/' && outside_path[length] != 0))
            continue;
        snprintf(path, sizeof path, "%s%s", bind->target, outside_path + length);
        return path;
    }
    return outside_path;
}
