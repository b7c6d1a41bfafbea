// SPDX-License-Identifier: Apache-2.0
#include "CBaseline.h"

#include <malloc.h>

size_t baseline_heap_bytes(void) {
    struct mallinfo2 information = mallinfo2();
    return information.uordblks + information.hblkhd;
}
