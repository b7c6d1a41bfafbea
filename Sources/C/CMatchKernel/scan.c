// SPDX-License-Identifier: Apache-2.0
//
// The public calls, in terms of a kernel's steps.
#include "kernel.h"

#include <string.h>

/// The keys that are on their way through HKDF and key expansion together.
typedef struct {
    size_t count;
    /// Index of each key in the caller's array.
    size_t key[VMK_GROUP];
    vmk_schedule schedules[VMK_GROUP];
} group;

/// Takes the next keys that have work to do, from `*next` on, and moves `*next` past them and past those without.
static void fill_group(group *g, const vmk_steps *steps, const uint8_t *teks, const uint8_t *lo, const uint8_t *hi,
                       uint32_t interval_count, size_t *next, size_t count) {
    uint8_t gathered[VMK_GROUP * 16];
    uint8_t rpiks[VMK_GROUP * 16];
    size_t k = *next;
    g->count = 0;
    for (; k < count && g->count < VMK_GROUP; k++) {
        if (lo[k] >= hi[k] || lo[k] >= interval_count) continue;
        memcpy(gathered + g->count * 16, teks + k * 16, 16);
        g->key[g->count++] = k;
    }
    *next = k;
    if (g->count == 0) return;
    steps->rpiks(gathered, g->count, rpiks);
    steps->expand(rpiks, g->count, g->schedules);
}

size_t vmk_scan(vmk_kernel kernel, const vmk_day *day, const uint8_t *teks, const uint8_t *lo, const uint8_t *hi,
                size_t count, size_t *keys_done, vmk_candidate *out, size_t capacity) {
    *keys_done = 0;
    uint32_t interval_count = day->interval_count;
    if (capacity < VMK_MAX_INTERVALS || interval_count > VMK_MAX_INTERVALS ||
        day->filter_log2_words < VMK_MIN_LOG2_WORDS || day->filter_log2_words > VMK_MAX_LOG2_WORDS) {
        return 0;
    }
    const vmk_steps steps = vmk_steps_of(kernel);
    // A copy, because steps read whole chunks and the caller's array ends where it ends.
    uint32_t intervals[VMK_PADDED_INTERVALS] = {0};
    if (interval_count > 0) memcpy(intervals, day->intervals, interval_count * sizeof(uint32_t));
    uint8_t hits[VMK_MAX_INTERVALS];

    size_t written = 0;
    size_t next = 0;
    while (next < count) {
        group g;
        fill_group(&g, &steps, teks, lo, hi, interval_count, &next, count);
        for (size_t i = 0; i < g.count; i++) {
            size_t key = g.key[i];
            if (capacity - written < VMK_MAX_INTERVALS) {
                *keys_done = key;
                return written;
            }
            size_t first = lo[key];
            size_t slots = (hi[key] < interval_count ? hi[key] : interval_count) - first;
            size_t found = steps.find(&g.schedules[i], intervals + first, slots, day->filter, day->filter_log2_words, hits);
            for (size_t h = 0; h < found; h++) {
                vmk_candidate *candidate = &out[written++];
                candidate->key = (uint32_t)key;
                candidate->slot = (uint32_t)(first + hits[h]);
                steps.block(&g.schedules[i], intervals[candidate->slot], candidate->rpi);
            }
        }
    }
    *keys_done = count;
    return written;
}

void vmk_derive_rpik(vmk_kernel kernel, const uint8_t *teks, size_t count, uint8_t *rpiks) {
    if (count > 0) vmk_steps_of(kernel).rpiks(teks, count, rpiks);
}

void vmk_derive_rpis(vmk_kernel kernel, const uint8_t rpik[16], const uint32_t *intervals, size_t count,
                     uint8_t *rpis) {
    const vmk_steps steps = vmk_steps_of(kernel);
    vmk_schedule schedule;
    steps.expand(rpik, 1, &schedule);
    for (size_t i = 0; i < count; i++) {
        steps.block(&schedule, intervals[i], rpis + i * 16);
    }
}
