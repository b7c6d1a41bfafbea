// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CFUZZ_H
#define VIGIL_CFUZZ_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own mutations, for a fuzzer that wants to mend what they break. Exists in fuzzers only.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/// A file without a name, or -1. glibc declares `memfd_create` and `pipe2` only for _GNU_SOURCE, which Swift does not set.
int vigil_fuzz_memory_file(void);

/// A pipe in packet mode: each write comes out of a read of its own. `capacity` is the number of packets it must hold.
/// Fills `ret_ends` with the reading and the writing end, or returns -1.
int vigil_fuzz_packet_pipe(int ret_ends[2], int capacity);

#endif
