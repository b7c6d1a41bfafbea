// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <stdio.h>

int vigil_move_to_new(int from, const char *name, int to, const char *fresh) {
    return renameat2(from, name, to, fresh, RENAME_NOREPLACE) == 0 ? 0 : -errno;
}
