// SPDX-License-Identifier: Apache-2.0
#include "CLinux.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int vigil_refuse_dumps(void) {
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -errno;
    // A limit of 0 does not hold where the kernel hands dumps to a program; this does.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -errno;
    return 0;
}

int vigil_is_dumpable(void) {
    const int answer = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    return answer < 0 ? -errno : answer;
}
