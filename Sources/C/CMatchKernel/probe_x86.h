// SPDX-License-Identifier: Apache-2.0
//
// The probe with AVX2, four words per step.
#ifndef VMK_PROBE_X86_H
#define VMK_PROBE_X86_H

#include "kernel.h"

#include <immintrin.h>

#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

/// Bit 0 of lane n says whether the filter holds `words[n]`; the other bits mean nothing.
AVX2_INLINE __m256i vmk_test4(const uint64_t *filter, uint32_t index_mask, const uint32_t *words) {
    __m256i x = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)words));
    // Four loads, not VPGATHERQQ, which is slower on Zen 3 and on Intel CPUs with microcode against data sampling.
    __m256i word = _mm256_set_epi64x(
        (long long)filter[words[3] & index_mask], (long long)filter[words[2] & index_mask],
        (long long)filter[words[1] & index_mask], (long long)filter[words[0] & index_mask]);
    const __m256i bit = _mm256_set1_epi64x(63);
    __m256i a = _mm256_srlv_epi64(word, _mm256_and_si256(_mm256_srli_epi64(x, 14), bit));
    __m256i b = _mm256_srlv_epi64(word, _mm256_and_si256(_mm256_srli_epi64(x, 20), bit));
    __m256i c = _mm256_srlv_epi64(word, _mm256_srli_epi64(x, 26));
    return _mm256_and_si256(_mm256_and_si256(a, b), c);
}

/// Whether bit 0 of any lane is set.
AVX2_INLINE int vmk_any(__m256i lanes) {
    return !_mm256_testz_si256(lanes, _mm256_set1_epi64x(1));
}

/// Collects the hits of the chunk that begins at word `i`: `count` is the number of words, `found` that of hits so far.
/// Returns the new number of hits. Needed for 1 chunk in 100, so it is kept out of the way.
__attribute__((noinline, unused)) static size_t vmk_collect(const uint64_t *filter, uint32_t log2_words,
                                                            const uint32_t *words, size_t i, size_t count,
                                                            uint8_t *hits, size_t found) {
    for (size_t end = i + VMK_CHUNK; i < count && i < end; i++) {
        if (vmk_filter_test(filter, log2_words, words[i])) hits[found++] = (uint8_t)i;
    }
    return found;
}

/// Probes the chunk that begins at word `i`; the rest as in `vmk_collect`.
AVX2_INLINE size_t vmk_probe_chunk(const uint64_t *filter, uint32_t log2_words, const uint32_t *words, size_t i,
                                   size_t count, uint8_t *hits, size_t found) {
    const uint32_t index_mask = (UINT32_C(1) << log2_words) - 1;
    __m256i any = vmk_test4(filter, index_mask, words + i);
    for (size_t j = 4; j < VMK_CHUNK; j += 4) {
        any = _mm256_or_si256(any, vmk_test4(filter, index_mask, words + i + j));
    }
    return vmk_any(any) ? vmk_collect(filter, log2_words, words, i, count, hits, found) : found;
}

#undef AVX2_INLINE

#endif
