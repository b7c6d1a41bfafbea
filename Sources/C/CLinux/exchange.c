// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <stdio.h>

int vigil_exchange(int folder, const char *one, const char *other) {
    return renameat2(folder, one, folder, other, RENAME_EXCHANGE) == 0 ? 0 : -errno;
}
