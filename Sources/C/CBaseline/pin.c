// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CBaseline.h"

#include <sched.h>

void baseline_pin_to_one_processor(void) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return;
    for (int processor = CPU_SETSIZE - 1; processor >= 0; processor--) {
        if (!CPU_ISSET(processor, &allowed)) continue;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}
