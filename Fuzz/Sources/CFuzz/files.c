// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CFuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int vigil_fuzz_memory_file(void) {
    return memfd_create("vigil-fuzz", MFD_CLOEXEC);
}

int vigil_fuzz_packet_pipe(int ret_ends[2], int capacity) {
    if (pipe2(ret_ends, O_DIRECT | O_CLOEXEC) != 0) return -1;
    // The kernel gives one page of the size asked for to each packet.
    if (fcntl(ret_ends[1], F_SETPIPE_SZ, capacity * (int)sysconf(_SC_PAGESIZE)) >= 0) return 0;
    close(ret_ends[0]);
    close(ret_ends[1]);
    return -1;
}
