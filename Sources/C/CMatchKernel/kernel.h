// SPDX-License-Identifier: Apache-2.0
//
// What a kernel consists of, and the parts that kernels share.
#ifndef VMK_KERNEL_H
#define VMK_KERNEL_H

#include "CMatchKernel.h"

enum {
    /// Keys taken through HKDF and key expansion together: enough to keep several chains of dependent instructions
    /// going, few enough that their schedules (176 bytes each) stay in L1 next to the filter.
    VMK_GROUP = 8,
    /// Kernels encrypt in chunks, of 16 intervals at most, and may read on to the end of the last one.
    VMK_CHUNK = 16,
    VMK_PADDED_INTERVALS = VMK_MAX_INTERVALS + VMK_CHUNK
};

/// AES-128 round keys, as FIPS 197 orders them; a word has the byte of row 0 in its low byte.
typedef struct {
    _Alignas(32) uint32_t words[44];
} vmk_schedule;

/// RPI keys of `count` TEKs.
typedef void vmk_rpiks_function(const uint8_t *teks, size_t count, uint8_t *rpiks);
/// Round keys of `count` RPI keys.
typedef void vmk_expand_function(const uint8_t *rpiks, size_t count, vmk_schedule *schedules);
/// Derives the RPIs of `count` intervals, writes the indices of those the filter holds, ascending, and returns how many.
/// May read `intervals` up to the end of the last chunk.
typedef size_t vmk_find_function(const vmk_schedule *schedule, const uint32_t *intervals, size_t count,
                                 const uint64_t *filter, uint32_t log2_words, uint8_t *hits);
/// One complete RPI.
typedef void vmk_block_function(const vmk_schedule *schedule, uint32_t interval, uint8_t *rpi);
/// One kernel. The steps are apart because the best choice of each depends on another instruction set extension; a call
/// through a pointer costs about 1 ns, and a key needs less than two.
typedef struct {
    vmk_rpiks_function *rpiks;
    vmk_expand_function *expand;
    vmk_find_function *find;
    vmk_block_function *block;
} vmk_steps;

/// The steps of `kernel`, or of VMK_PORTABLE if it is not available.
vmk_steps vmk_steps_of(vmk_kernel kernel);

/// Whether the filter holds an RPI whose first four bytes, little-endian, are `x`.
static inline int vmk_filter_test(const uint64_t *filter, uint32_t log2_words, uint32_t x) {
    uint64_t word = filter[x & ((UINT32_C(1) << log2_words) - 1)];
    return (int)((word >> ((x >> 14) & 63)) & (word >> ((x >> 20) & 63)) & (word >> (x >> 26)) & 1);
}

/// Writes the indices of those of `count` such words that the filter holds, ascending, and returns how many.
size_t vmk_probe(const uint64_t *filter, uint32_t log2_words, const uint32_t *words, size_t count, uint8_t *hits);

vmk_rpiks_function vmk_rpiks_lanes;
vmk_expand_function vmk_expand_portable;
vmk_find_function vmk_find_portable;
vmk_block_function vmk_block_portable;

#if defined(__x86_64__)
vmk_rpiks_function vmk_rpiks_avx2;
vmk_rpiks_function vmk_rpiks_shani;
vmk_expand_function vmk_expand_aesni;
vmk_find_function vmk_find_aesni;
vmk_find_function vmk_find_aesni_avx2;
vmk_find_function vmk_find_vaes;
vmk_block_function vmk_block_aesni;
#endif

#if defined(__aarch64__)
vmk_rpiks_function vmk_rpiks_armv8;
vmk_expand_function vmk_expand_armv8;
vmk_find_function vmk_find_armv8;
vmk_block_function vmk_block_armv8;
#endif

#endif
