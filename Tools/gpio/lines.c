// SPDX-License-Identifier: Apache-2.0
// What Vigil asks of the kernel's character device for lines (Sources/C/CGPIO), on a chip with simulated ones: two lights, one of them on when low,
// and a button that is held up. Run by test-gpio.sh inside its kernel. Prints each check and "N passed, M failed".
#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char chip_folder[200];
static int passed, failed;

static void check(const char *what, int is_good, long found) {
    *(is_good ? &passed : &failed) += 1;
    printf("%s %s (%ld)\n", is_good ? "ok  " : "FAIL", what, found);
}

static int put(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    if (file < 0) return -1;
    ssize_t count = write(file, text, strlen(text));
    close(file);
    return count < 0 ? -1 : 0;
}

// The voltage of a line, as the chip has it: 0, 1, or -1.
static int voltage(int line) {
    char path[256], text[4] = {0};
    snprintf(path, sizeof path, "%s/sim_gpio%d/value", chip_folder, line);
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    ssize_t count = read(file, text, 3);
    close(file);
    return count < 1 ? -1 : text[0] - '0';
}

static void pull(int line, const char *direction) {
    char path[256];
    snprintf(path, sizeof path, "%s/sim_gpio%d/pull", chip_folder, line);
    if (put(path, direction) < 0) perror(path);
}

// A chip of its own, which is taken away again: the board's test makes another.
#define SIM "/sys/kernel/config/gpio-sim/lines"
static int make_chip(void) {
    mkdir(SIM, 0755);
    mkdir(SIM "/bank", 0755);
    glob_t found;
    if (put(SIM "/bank/num_lines", "8") || put(SIM "/bank/label", "lines-sim") || put(SIM "/live", "1")) return -1;
    if (glob("/sys/devices/platform/gpio-sim.*/gpiochip*", 0, NULL, &found)) return -1;
    snprintf(chip_folder, sizeof chip_folder, "%s", found.gl_pathv[0]);
    char path[64];
    snprintf(path, sizeof path, "/dev/%s", strrchr(chip_folder, '/') + 1);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void try_lights(int chip) {
    const struct vigil_line lights[2] = {{.offset = 0}, {.offset = 1, .is_active_low = 1}};
    const struct vigil_line far = {.offset = 9};
    struct vigil_line_edge edge;
    int set = vigil_lines_request(chip, lights, 2, 0);
    check("lights are had", set >= 0, set);
    check("dark at first, the one that is on when low is high", voltage(0) == 0 && voltage(1) == 1, voltage(1));
    check("both on", vigil_lines_set(set, 3, 3) == 0 && voltage(0) == 1 && voltage(1) == 0, voltage(1));
    check("one off, the other stays", vigil_lines_set(set, 0, 1) == 0 && voltage(0) == 0 && voltage(1) == 0, voltage(1));
    check("nobody else can have them", vigil_lines_request(chip, lights, 1, 0) == -EBUSY, 0);
    check("a line that is not there", vigil_lines_request(chip, &far, 1, 0) == -EINVAL, 0);
    check("lights tell of no edges", vigil_lines_next_edge(set, &edge) < 0, 0);
    int null = open("/dev/null", O_RDWR);
    check("what is no line cannot be set", vigil_lines_set(null, 1, 1) == -ENOTTY, 0);
    close(null);
    int other = dup(set);
    close(set);
    check("held while anybody holds them", vigil_lines_set(other, 3, 3) == 0 && voltage(0) == 1, voltage(0));
    close(other);
    set = vigil_lines_request(chip, lights, 2, 0);
    check("free when nobody does", set >= 0 && voltage(0) == 0, set);
    close(set);
}

static void try_button(int chip) {
    const struct vigil_line line = {.offset = 3, .is_active_low = 1, .bias = VIGIL_BIAS_UP};
    int button = vigil_lines_request(chip, &line, 1, 1);
    check("a button is had", button >= 0, button);
    if (button < 0) return;
    uint64_t bits = 9;
    check("not pressed: held up", vigil_lines_get(button, 1, &bits) == 0 && bits == 0, (long)bits);
    struct vigil_line_edge edge = {0};
    while (vigil_lines_next_edge(button, &edge) == 1) continue;
    check("nothing to tell", vigil_lines_next_edge(button, &edge) == -EAGAIN, 0);
    pull(3, "pull-down");
    usleep(50000);
    pull(3, "pull-up");
    struct pollfd entry = {.fd = button, .events = POLLIN};
    check("it wakes up who waits", poll(&entry, 1, 1000) == 1 && entry.revents & POLLIN, entry.revents);
    int result = vigil_lines_next_edge(button, &edge);
    const uint64_t first = edge.age;
    check("pressed", result == 1 && edge.is_active == 1 && first >= 40000000 && first < 5000000000, (long)first);
    // The kernel tells each edge when it comes to it.
    poll(&entry, 1, 1000);
    result = vigil_lines_next_edge(button, &edge);
    const long held = (long)(first - edge.age);
    check("let go 50 ms later", result == 1 && edge.is_active == 0 && held > 45000000 && held < 1000000000, held);
    check("and no more", vigil_lines_next_edge(button, &edge) == -EAGAIN, 0);
    check("a button cannot be set", vigil_lines_set(button, 1, 1) < 0, 0);
    close(button);
}

int main(void) {
    char name[32], label[32];
    uint32_t count = 0;
    int chip = make_chip();
    check("a chip", chip >= 0, chip);
    int result = vigil_chip_info(chip, name, label, &count);
    check("says what it is", result == 0 && strcmp(label, "lines-sim") == 0 && count == 8, count);
    try_lights(chip);
    try_button(chip);
    close(chip);
    put(SIM "/live", "0");
    rmdir(SIM "/bank");
    rmdir(SIM);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
