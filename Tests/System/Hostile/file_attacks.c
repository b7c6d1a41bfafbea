// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *scratch(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("VIGIL_STATE") == NULL ? given("SCRATCH") : getenv("VIGIL_STATE"), name);
    return path;
}

static int open_given(const char *name, int flags) { return opened(open(given(name), flags | O_CLOEXEC)); }

static int read_vault(void) { return open_given("VAULT", O_RDONLY); }
static int read_vault_key(void) { return open_given("VAULT_KEY", O_RDONLY); }
static int read_other_state(void) { return open_given("OTHER_STATE", O_RDONLY); }
static int write_outside(void) { return open_given("OUTSIDE", O_WRONLY); }
static int change_mode_outside(void) { return outcome(chmod(given("OUTSIDE"), 0666)); }
static int change_owner_outside(void) { return outcome(chown(given("OUTSIDE"), getuid(), getgid())); }
static int join_group_outside(void) { return open_given("GROUP_FILE", O_WRONLY); }
static int write_core_pattern(void) { return opened(open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC)); }
static int write_system_setting(void) { return opened(open("/proc/sys/kernel/hostname", O_WRONLY | O_CLOEXEC)); }
static int press_system_request(void) { return opened(open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC)); }
static int read_kernel_memory_map(void) { return opened(open("/proc/kallsyms", O_RDONLY | O_CLOEXEC)); }
static int read_kernel_log_device(void) { return opened(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)); }
static int list_root(void) { return opened(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
static int list_system_files(void) { return opened(open("/sys/kernel", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
static int read_users(void) { return opened(open("/etc/passwd", O_RDONLY | O_CLOEXEC)); }

static int open_other_socket(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", given("OTHER_SOCKET"));
    int endpoint = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return outcome(connect(endpoint, (const struct sockaddr *)&address, sizeof address));
}

// Straight through the program's own folder.
static int follow_link(void) {
    const char *link = scratch("link");
    unlink(link);
    if (symlink(given("VAULT"), link) < 0) return errno;
    int error = opened(open(link, O_RDONLY | O_CLOEXEC));
    unlink(link);
    return error;
}

static int climb_out(void) {
    char path[8192];
    snprintf(path, sizeof path, "%s/../../../../../../../../../..%s", scratch("."), given("VAULT"));
    return opened(open(path, O_RDONLY | O_CLOEXEC));
}

static int hard_link(void) {
    const char *name = scratch("hard");
    unlink(name);
    int error = outcome(link(given("OUTSIDE"), name));
    unlink(name);
    return error;
}

static int open_by_handle(void) {
    struct {
        struct file_handle handle;
        unsigned char bytes[128];
    } handle = {.handle = {.handle_bytes = 128}};
    int mount_number;
    if (name_to_handle_at(AT_FDCWD, given("VAULT"), &handle.handle, &mount_number, 0) < 0) return errno;
    int folder = open(given("SCRATCH"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return opened(open_by_handle_at(folder, &handle.handle, O_RDONLY | O_CLOEXEC));
}

static int mount_files(void) {
    const char *place = scratch("mount");
    mkdir(place, 0700);
    int error = outcome(mount("hostile", place, "tmpfs", 0, "size=4k"));
    if (error == 0) umount2(place, MNT_DETACH);
    rmdir(place);
    return error;
}

static int mount_by_new_calls(void) { return opened(syscall(SYS_open_tree, AT_FDCWD, "/", 1u /* OPEN_TREE_CLONE */)); }

static int make_writable_again(void) {
    // On the program's own root; without a sandbox that changes nothing.
    return outcome(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RELATIME, NULL));
}

// EINVAL from the kernel's own look at the arguments means that nothing forbade the call.
static int change_root_for_good(void) {
    int error = outcome(syscall(SYS_pivot_root, "/", "/"));
    return error == EINVAL || error == EBUSY ? 0 : error;
}

static int change_root(void) { return outcome(chroot(scratch("."))); }

static int make_device(void) {
    const char *name = scratch("null");
    unlink(name);
    int error = outcome(mknod(name, S_IFCHR | 0600, makedev(1, 3)));
    unlink(name);
    return error;
}

static int open_disk(void) { return opened(open(given("DISK"), O_RDONLY | O_CLOEXEC)); }

static int make_set_user_file(void) {
    const char *name = scratch("set-user");
    int file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
    int error = file < 0 ? errno : outcome(fchmod(file, 04755));
    if (file >= 0) close(file);
    unlink(name);
    return error;
}

static int copy_self(const char *to) {
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (from < 0) from = open(given("SELF"), O_RDONLY | O_CLOEXEC);
    int into = open(to, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0755);
    char block[65536];
    for (ssize_t count; from >= 0 && into >= 0 && (count = read(from, block, sizeof block)) > 0;) {
        if (write(into, block, (size_t)count) != count) return errno;
    }
    int error = from < 0 || into < 0 ? errno : 0;
    if (from >= 0) close(from);
    if (into >= 0) close(into);
    return error;
}

static int execute_own_file(void) {
    const char *name = scratch("program");
    if (copy_self(name) != 0) return EIO;
    pid_t child = fork();
    if (child == 0) {
        execl(name, "program", "exit-at-once", (char *)NULL);
        _exit(errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    unlink(name);
    // What it does when it runs.
    return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 0 : WEXITSTATUS(status);
}

// As LD_PRELOAD and dlopen would.
static int map_own_file_as_code(void) {
    const char *name = scratch("library");
    if (copy_self(name) != 0) return EIO;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    int error = page == MAP_FAILED ? errno : 0;
    close(file);
    unlink(name);
    return error;
}

static int write_program_folder(void) {
    char path[4096 + 16];
    ssize_t length = readlink("/proc/self/exe", path, 4096);
    path[length < 0 ? 0 : length] = 0;
    if (length < 0) snprintf(path, 4096, "%s", given("SELF"));
    strcat(path, ".written");
    int error = opened(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (error == 0) unlink(path);
    return error;
}

static int write_system_folder(void) {
    int error = opened(open("/usr/.vigil-hostile", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    unlink("/usr/.vigil-hostile");
    return error;
}

const struct attack file_attacks[] = {
    {"read-vault", read_vault},
    {"read-vault-key", read_vault_key},
    {"read-other-state", read_other_state},
    {"open-other-socket", open_other_socket},
    {"write-outside", write_outside},
    {"change-mode-outside", change_mode_outside},
    {"change-owner-outside", change_owner_outside},
    {"follow-link", follow_link},
    {"climb-out", climb_out},
    {"hard-link", hard_link},
    {"open-by-handle", open_by_handle},
    {"list-root", list_root},
    {"list-system-files", list_system_files},
    {"read-users", read_users},
    {"mount", mount_files},
    {"mount-by-new-calls", mount_by_new_calls},
    {"make-writable-again", make_writable_again},
    {"pivot-root", change_root_for_good},
    {"chroot", change_root},
    {"make-device", make_device},
    {"open-disk", open_disk},
    {"make-set-user-file", make_set_user_file},
    {"execute-own-file", execute_own_file},
    {"map-own-file-as-code", map_own_file_as_code},
    {"write-program-folder", write_program_folder},
    {"write-system-folder", write_system_folder},
    {"join-group-outside", join_group_outside},
    {"write-core-pattern", write_core_pattern},
    {"write-system-setting", write_system_setting},
    {"press-system-request", press_system_request},
    {"read-kernel-symbols", read_kernel_memory_map},
    {"read-kernel-log-device", read_kernel_log_device},
    {0, 0},
};
