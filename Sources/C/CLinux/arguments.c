// SPDX-License-Identifier: Apache-2.0
#include "CLinux.h"

#include <features.h>
#include <stddef.h>

static int captured_count;
static char **captured_values;

// glibc calls .init_array entries with main's arguments (csu/elf-init); other C libraries need not, hence the guard.
#ifndef __GLIBC__
#error "vigil captures its arguments through glibc's constructor calling convention"
#endif
__attribute__((constructor)) static void capture(int argc, char **argv) {
    captured_count = argc;
    captured_values = argv;
}

int vigil_argument_count(void) { return captured_count; }

const char *vigil_argument(int index) {
    if (index < 0 || index >= captured_count || captured_values == NULL) return NULL;
    return captured_values[index];
}
