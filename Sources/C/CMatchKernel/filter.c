// SPDX-License-Identifier: Apache-2.0
//
// The day's filter: a Bloom filter whose three bits per RPI lie in one 64-bit word, so that a probe costs one load.
#include "bytes.h"
#include "kernel.h"

void vmk_filter_insert(uint64_t *filter, uint32_t log2_words, const uint8_t rpi[16]) {
    uint32_t x = vmk_load_le32(rpi);
    uint64_t mask = UINT64_C(1) << ((x >> 14) & 63) | UINT64_C(1) << ((x >> 20) & 63) | UINT64_C(1) << (x >> 26);
    filter[x & ((UINT32_C(1) << log2_words) - 1)] |= mask;
}

int vmk_filter_contains(const uint64_t *filter, uint32_t log2_words, const uint8_t rpi[16]) {
    return vmk_filter_test(filter, log2_words, vmk_load_le32(rpi));
}

size_t vmk_probe(const uint64_t *filter, uint32_t log2_words, const uint32_t *words, size_t count, uint8_t *hits) {
    size_t found = 0;
    size_t i = 0;
    // A branch per probe would be mispredicted at each hit while its load is still under way; one per eight is not.
    for (; i + 8 <= count; i += 8) {
        int any = 0;
        for (size_t j = 0; j < 8; j++) {
            any |= vmk_filter_test(filter, log2_words, words[i + j]);
        }
        if (!any) continue;
        for (size_t j = 0; j < 8; j++) {
            if (vmk_filter_test(filter, log2_words, words[i + j])) hits[found++] = (uint8_t)(i + j);
        }
    }
    for (; i < count; i++) {
        if (vmk_filter_test(filter, log2_words, words[i])) hits[found++] = (uint8_t)i;
    }
    return found;
}
