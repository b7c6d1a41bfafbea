// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <string.h>
#include <sys/timex.h>

int vigil_kernel_clock_read(struct vigil_kernel_clock *ret) {
    struct timex clock;
    memset(&clock, 0, sizeof clock); // modes 0: nothing is set
    int state = adjtimex(&clock);
    if (state < 0) return -errno;
    ret->state = state;
    ret->status = clock.status;
    ret->maximum_error = clock.maxerror;
    int64_t part = clock.status & STA_NANO ? clock.time.tv_usec : (int64_t)clock.time.tv_usec * 1000;
    ret->time = (int64_t)clock.time.tv_sec * 1000000000 + part;
    return 0;
}
