// SPDX-License-Identifier: Apache-2.0
// A button for boards without one: loaded before a supervisor (LD_PRELOAD), it has the kernel's device for lines show a chip with one line. What
// the supervisor asks for is then the pipe of VIGIL_FINGER, into which somebody writes what the kernel would say when the button moves (struct
// gpio_v2_line_event of linux/gpio.h). Chip and wire are made up; everything behind them is the real thing. For demonstrations (demo-visit.py).
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char chip[] = "/dev/gpiochip0";

static const char *pipe_of(void) {
    const char *path = getenv("VIGIL_FINGER");
    return path ? path : "/dev/null";
}

static int opened(const char *path, int flags, int mode) {
    // The chip is opened as the pipe, too: it is asked for nothing but what is answered below.
    if (strcmp(path, chip) == 0) {
        path = pipe_of();
        flags = O_RDWR | O_CLOEXEC;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return opened(path, flags, mode);
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (request == GPIO_GET_CHIPINFO_IOCTL) {
        struct gpiochip_info *info = argument;
        memset(info, 0, sizeof *info);
        strcpy(info->name, "gpiochip0");
        strcpy(info->label, "finger");
        info->lines = 1;
        return 0;
    }
    if (request == GPIO_V2_GET_LINE_IOCTL) {
        struct gpio_v2_line_request *lines = argument;
        lines->fd = (int)syscall(SYS_openat, AT_FDCWD, pipe_of(), O_RDWR | O_NONBLOCK | O_CLOEXEC, 0);
        return lines->fd < 0 ? -1 : 0;
    }
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}
