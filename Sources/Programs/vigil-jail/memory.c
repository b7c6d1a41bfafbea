// SPDX-License-Identifier: Apache-2.0
// Memory that was written is never executed.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>

// include/uapi/linux/prctl.h, since kernel 6.3.
enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };

void protect_memory(void) {
    if (plan.profile == PROFILE_NONE) return;
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) < 0) {
        // The filter does what it can instead, and says so itself.
        return;
    }
    situation.has_own_memory_rule = true;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        report("memory-protection", "kernel", STATE_FAILED, "no page to try it with");
        return;
    }
    bool is_refused = mprotect(page, 4096, PROT_READ | PROT_EXEC) < 0 && errno == EACCES;
    munmap(page, 4096);
    void *both = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    is_refused = is_refused && both == MAP_FAILED;
    if (both != MAP_FAILED) munmap(both, 4096);
    report("memory-protection", "kernel", is_refused ? STATE_VERIFIED : STATE_FAILED,
           is_refused ? "written pages cannot become code" : "written pages can become code");
}
