// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/gpio.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

static int load_program_into_kernel(void) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = attributes.value_size = 4;
    attributes.max_entries = 1;
    return opened(syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes));
}

static int measure_others(void) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    return opened(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

static int keep_key(void) {
    return outcome(syscall(SYS_add_key, "user", "vigil-hostile", "x", 1, -2 /* own process's ring */));
}
static int ask_for_keys(void) { return outcome(syscall(SYS_keyctl, 0, -3, 1)); }

static int open_ring(void) {
    char parameters[120];
    memset(parameters, 0, sizeof parameters);
    return opened(syscall(SYS_io_uring_setup, 1, parameters));
}

static int handle_faults(void) { return opened(syscall(SYS_userfaultfd, O_CLOEXEC)); }

// The kernel looks at privilege first and at these senseless arguments afterwards.
static int load_module(void) {
    int error = outcome(syscall(SYS_finit_module, -1, "", 0));
    return error == EBADF ? 0 : error;
}
static int restart_machine(void) {
    int error = outcome(syscall(SYS_reboot, 0, 0, 0, NULL));
    return error == EINVAL ? 0 : error;
}
static int read_kernel_log(void) { return outcome(syscall(SYS_syslog, 10, NULL, 0)); }

static int rename_machine(void) {
    char name[65];
    if (gethostname(name, sizeof name) < 0) return errno;
    return outcome(sethostname(name, strlen(name)));
}

static int share_memory(void) {
    int segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    int error = outcome(segment);
    if (segment >= 0) shmctl(segment, IPC_RMID, NULL);
    return error;
}

static int switch_off_address_randomness(void) { return outcome(personality(ADDR_NO_RANDOMIZE)); }

static int map_written_and_executed(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? errno : 0;
}

static int make_written_executed(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? errno : outcome(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

static int execute_memory_file(void) {
    int file = (int)syscall(SYS_memfd_create, "code", 0);
    if (file < 0) return errno;
    if (ftruncate(file, 4096) < 0) return errno;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    return page == MAP_FAILED ? errno : 0;
}

// What is mapped read-only is written all the same through this file.
static int write_own_code(void) { return opened(open("/proc/self/mem", O_RDWR | O_CLOEXEC)); }
static int make_board_write(void) { return outcome(syscall(SYS_syncfs, 2)); }

// Characters pushed into a terminal are read by whoever reads it next.
static int push_characters(void) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return errno;
    if (grantpt(terminal) < 0 || unlockpt(terminal) < 0) return errno;
    setsid();
    int other = open(ptsname(terminal), O_RDWR | O_CLOEXEC);
    if (other < 0) return errno;
    return outcome(ioctl(other, TIOCSTI, "x"));
}

static int push_characters_blindly(void) {
    int error = outcome(ioctl(2, TIOCSTI, "x"));
    // No terminal, but nothing forbade it.
    return error == ENOTTY ? 0 : error;
}

// Lines of a GPIO chip: asking for others, and making an output of an input. Setting those that were handed over is no attack.
static int ask_for_lines_blindly(void) {
    struct gpio_v2_line_request request = {.offsets = {0}, .num_lines = 1};
    int error = outcome(ioctl(2, GPIO_V2_GET_LINE_IOCTL, &request));
    return error == ENOTTY ? 0 : error;
}

static int turn_lines_blindly(void) {
    struct gpio_v2_line_config config = {.flags = GPIO_V2_LINE_FLAG_OUTPUT};
    int error = outcome(ioctl(2, GPIO_V2_LINE_SET_CONFIG_IOCTL, &config));
    return error == ENOTTY ? 0 : error;
}

// What others write changes it: whoever looks often enough sees each file that the diagnosis plugin keeps.
static int count_free_blocks(void) {
    struct statfs room;
    return outcome(statfs("/", &room));
}
static int count_free_blocks_of_own(void) {
    struct statfs room;
    return outcome(fstatfs(2, &room));
}
static int count_processes(void) {
    struct sysinfo machine;
    return outcome(sysinfo(&machine));
}
// Each start of a program, by whomever.
static int watch_programs(void) {
    int watcher = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watcher < 0) return errno;
    return outcome(inotify_add_watch(watcher, "/usr/bin", IN_OPEN | IN_ACCESS));
}

// A page of a program that others run, too: whoever pushes it out and looks for it later knows who ran it.
static int on_program(int (*act)(int)) {
    int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (program < 0) return errno;
    int error = act(program);
    close(program);
    return error;
}
static int drop(int file) { return outcome(syscall(SYS_fadvise64, file, 0L, 0L, POSIX_FADV_DONTNEED)); }
static int drop_page(void) { return on_program(drop); }
static int look(int file) {
    char byte;
    struct iovec part = {&byte, 1};
    int error = outcome(syscall(SYS_preadv2, file, &part, 1, 0, 0, RWF_NOWAIT));
    return error == EAGAIN ? 0 : error;
}
static int look_for_page(void) { return on_program(look); }
static int fetch(int file) { return outcome(syscall(SYS_readahead, file, 0L, 4096L)); }
static int fetch_page(void) { return on_program(fetch); }
static int map_and_push(int file) {
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) return errno;
    int error = outcome(madvise(page, 4096, 20 /* MADV_COLD */));
    munmap(page, 4096);
    return error;
}
static int cool_page(void) { return on_program(map_and_push); }
static int ask_where_pages_are(void) {
    unsigned char there;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return errno;
    int error = outcome(mincore(page, 4096, &there));
    munmap(page, 4096);
    return error;
}
// Pages of equal contents become one; how long writing to it takes then tells that somebody else has the same.
static int share_by_content(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return errno;
    int error = outcome(madvise(page, 4096, MADV_MERGEABLE));
    munmap(page, 4096);
    return error == EINVAL ? 0 : error;  // a kernel without it looks at the number after the filter has
}
static int keep_memory(void) {
    char bytes[64];
    return outcome(mlock(bytes, sizeof bytes));
}
static int map_kept_memory(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
    if (page == MAP_FAILED) return errno;
    munmap(page, 4096);
    return 0;
}
// As inotify, by an older call.
static int watch_folder(void) {
    int folder = open("/usr/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return errno;
    int error = outcome(fcntl(folder, F_NOTIFY, DN_ACCESS));
    close(folder);
    return error == EINVAL ? 0 : error;
}

const struct attack kernel_attacks[] = {
    {"drop-page", drop_page},
    {"look-for-page", look_for_page},
    {"fetch-page", fetch_page},
    {"cool-page", cool_page},
    {"ask-where-pages-are", ask_where_pages_are},
    {"share-by-content", share_by_content},
    {"keep-memory", keep_memory},
    {"map-kept-memory", map_kept_memory},
    {"watch-folder", watch_folder},
    {"count-free-blocks", count_free_blocks},
    {"count-free-blocks-of-own", count_free_blocks_of_own},
    {"count-processes", count_processes},
    {"watch-programs", watch_programs},
    {"ask-for-lines-blindly", ask_for_lines_blindly},
    {"turn-lines-blindly", turn_lines_blindly},
    {"bpf", load_program_into_kernel},
    {"perf", measure_others},
    {"add-key", keep_key},
    {"keyctl", ask_for_keys},
    {"io-uring", open_ring},
    {"userfaultfd", handle_faults},
    {"load-module", load_module},
    {"restart-machine", restart_machine},
    {"read-kernel-log", read_kernel_log},
    {"rename-machine", rename_machine},
    {"share-memory", share_memory},
    {"personality", switch_off_address_randomness},
    {"map-written-and-executed", map_written_and_executed},
    {"make-written-executed", make_written_executed},
    {"execute-memory-file", execute_memory_file},
    {"write-own-code", write_own_code},
    {"make-board-write", make_board_write},
    {"push-characters", push_characters},
    {"push-characters-blindly", push_characters_blindly},
    {0, 0},
};
