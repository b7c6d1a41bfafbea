// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <asm/termbits.h>
#include <errno.h>
#include <sys/file.h>
#include <sys/ioctl.h>

int vigil_serial_claim(int descriptor) {
    int discipline = 0;
    if (ioctl(descriptor, TIOCGETD, &discipline) < 0) return -errno;
    if (discipline != 0 /* N_TTY */) return -EBUSY;
    // The flag keeps others from opening the line from now on, the lock shows whether somebody opened it before; root is
    // stopped by the lock only.
    if (flock(descriptor, LOCK_EX | LOCK_NB) < 0) return errno == EWOULDBLOCK ? -EBUSY : -errno;
    if (ioctl(descriptor, TIOCEXCL) < 0) return -errno;
    return 0;
}

int vigil_serial_make_raw(int descriptor, uint32_t baud, uint32_t *ret_baud) {
    struct termios2 line;
    if (ioctl(descriptor, TCGETS2, &line) < 0) return -errno;
    line.c_iflag = 0;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | CSTOPB);
    line.c_cflag |= CS8 | CREAD | CLOCAL;
    // One byte at least: with zero, "nothing there" and "hung up" would both read as 0.
    line.c_cc[VMIN] = 1;
    line.c_cc[VTIME] = 0;
    if (baud != 0) {
        line.c_cflag &= ~(tcflag_t)(CBAUD | CBAUD << IBSHIFT);
        line.c_cflag |= BOTHER | CRTSCTS;
        line.c_ispeed = 0; // as the output
        line.c_ospeed = baud;
    }
    int result = ioctl(descriptor, TCSETS2, &line);
    if (result < 0 && errno == EINVAL && baud != 0) {
        // Drivers without the two lines usually ignore the flag; some refuse it.
        line.c_cflag &= ~(tcflag_t)CRTSCTS;
        result = ioctl(descriptor, TCSETS2, &line);
    }
    if (result < 0) return -errno;
    if (ioctl(descriptor, TCGETS2, &line) < 0) return -errno;
    *ret_baud = line.c_ospeed;
    return 0;
}

int vigil_serial_discard(int descriptor) { return ioctl(descriptor, TCFLSH, TCIOFLUSH) < 0 ? -errno : 0; }
