// SPDX-License-Identifier: Apache-2.0
//
// AES-128 by table look-ups, with the work that neighbouring intervals share done once.
#include "aes_tables.h"
#include "bytes.h"
#include "kernel.h"

/// Contribution of the byte in row 0 ... 3 of a column to the column it is shifted to.
static inline uint32_t row0(uint32_t column) {
    return vmk_t0[column & 255];
}
#if VMK_AES_ONE_TABLE
static inline uint32_t rotate_left(uint32_t x, unsigned n) {
    return x << n | x >> (32 - n);
}
static inline uint32_t row1(uint32_t column) {
    return rotate_left(vmk_t0[(column >> 8) & 255], 8);
}
static inline uint32_t row2(uint32_t column) {
    return rotate_left(vmk_t0[(column >> 16) & 255], 16);
}
static inline uint32_t row3(uint32_t column) {
    return rotate_left(vmk_t0[column >> 24], 24);
}
#else
static inline uint32_t row1(uint32_t column) {
    return vmk_t1[(column >> 8) & 255];
}
static inline uint32_t row2(uint32_t column) {
    return vmk_t2[(column >> 16) & 255];
}
static inline uint32_t row3(uint32_t column) {
    return vmk_t3[column >> 24];
}
#endif

/// Column of a middle round, from the columns that ShiftRows brings together in it.
static inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return row0(a) ^ row1(b) ^ row2(c) ^ row3(d);
}

/// The same for the last round, which has no MixColumns.
static inline uint32_t substituted(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return (uint32_t)vmk_sbox[a & 255] | (uint32_t)vmk_sbox[(b >> 8) & 255] << 8 |
           (uint32_t)vmk_sbox[(c >> 16) & 255] << 16 | (uint32_t)vmk_sbox[d >> 24] << 24;
}

// "EN-RPI" and six zero bytes, the first three columns of every plaintext.
static const uint32_t prefix0 = 0x522d4e45;
static const uint32_t prefix1 = 0x00004950;
static const uint32_t prefix2 = 0x00000000;

void vmk_expand_portable(const uint8_t *rpiks, size_t count, vmk_schedule *schedules) {
    for (size_t k = 0; k < count; k++) {
        uint32_t *w = schedules[k].words;
        for (size_t i = 0; i < 4; i++) {
            w[i] = vmk_load_le32(rpiks + k * 16 + i * 4);
        }
        uint32_t rcon = 1;
        for (size_t i = 4; i < 44; i += 4) {
            uint32_t rotated = w[i - 1] >> 8 | w[i - 1] << 24;
            w[i] = w[i - 4] ^ substituted(rotated, rotated, rotated, rotated) ^ rcon;
            w[i + 1] = w[i - 3] ^ w[i];
            w[i + 2] = w[i - 2] ^ w[i + 1];
            w[i + 3] = w[i - 1] ^ w[i + 2];
            rcon = (rcon << 1) ^ (rcon & 0x80 ? 0x11b : 0);
        }
    }
}

void vmk_block_portable(const vmk_schedule *schedule, uint32_t interval, uint8_t *rpi) {
    const uint32_t *k = schedule->words;
    uint32_t a = prefix0 ^ k[0], b = prefix1 ^ k[1], c = prefix2 ^ k[2], d = interval ^ k[3];
    for (k += 4; k < schedule->words + 40; k += 4) {
        uint32_t na = mixed(a, b, c, d) ^ k[0], nb = mixed(b, c, d, a) ^ k[1];
        uint32_t nc = mixed(c, d, a, b) ^ k[2], nd = mixed(d, a, b, c) ^ k[3];
        a = na, b = nb, c = nc, d = nd;
    }
    vmk_store_le32(rpi, substituted(a, b, c, d) ^ k[0]);
    vmk_store_le32(rpi + 4, substituted(b, c, d, a) ^ k[1]);
    vmk_store_le32(rpi + 8, substituted(c, d, a, b) ^ k[2]);
    vmk_store_le32(rpi + 12, substituted(d, a, b, c) ^ k[3]);
}

/// What intervals that differ in their low byte only have in common after two rounds.
///
/// That byte is row 0 of column 3. Round 1 leaves it in column 3; everything else of round 1 is the same for all of them.
/// In round 2 the four bytes of that column go to the four columns, one each.
typedef struct {
    uint32_t round1;
    uint32_t round2[4];
} run_base;

static inline run_base begin_run(const uint32_t *k, uint32_t interval) {
    uint32_t a = prefix0 ^ k[0], b = prefix1 ^ k[1], c = prefix2 ^ k[2], d = interval ^ k[3];
    uint32_t na = mixed(a, b, c, d) ^ k[4], nb = mixed(b, c, d, a) ^ k[5], nc = mixed(c, d, a, b) ^ k[6];
    run_base base;
    base.round1 = row1(a) ^ row2(b) ^ row3(c) ^ k[7];
    base.round2[0] = row0(na) ^ row1(nb) ^ row2(nc) ^ k[8];
    base.round2[1] = row0(nb) ^ row1(nc) ^ row3(na) ^ k[9];
    base.round2[2] = row0(nc) ^ row2(na) ^ row3(nb) ^ k[10];
    base.round2[3] = row1(na) ^ row2(nb) ^ row3(nc) ^ k[11];
    return base;
}

/// The four columns of the state.
typedef struct {
    uint32_t a, b, c, d;
} columns;

static inline columns after_two_rounds(const run_base *base, const uint32_t *k, uint32_t interval) {
    uint32_t column = base->round1 ^ row0(interval ^ k[3]);
    columns s = {base->round2[0] ^ row3(column), base->round2[1] ^ row2(column), base->round2[2] ^ row1(column),
                 base->round2[3] ^ row0(column)};
    return s;
}

static inline columns after_round(columns s, const uint32_t *k) {
    columns next = {mixed(s.a, s.b, s.c, s.d) ^ k[0], mixed(s.b, s.c, s.d, s.a) ^ k[1],
                    mixed(s.c, s.d, s.a, s.b) ^ k[2], mixed(s.d, s.a, s.b, s.c) ^ k[3]};
    return next;
}

/// First words of two RPIs of one run: two at a time hide the latency of the look-ups.
static inline void two_words(const run_base *base, const uint32_t *keys, const uint32_t *intervals, uint32_t *words) {
    columns s = after_two_rounds(base, keys, intervals[0]);
    columns t = after_two_rounds(base, keys, intervals[1]);
    for (const uint32_t *k = keys + 12; k < keys + 40; k += 4) {
        s = after_round(s, k);
        t = after_round(t, k);
    }
    words[0] = substituted(s.a, s.b, s.c, s.d) ^ keys[40];
    words[1] = substituted(t.a, t.b, t.c, t.d) ^ keys[40];
}

size_t vmk_find_portable(const vmk_schedule *schedule, const uint32_t *intervals, size_t count, const uint64_t *filter,
                         uint32_t log2_words, uint8_t *hits) {
    const uint32_t *const keys = schedule->words;
    uint32_t words[VMK_PADDED_INTERVALS];
    // A day begins a second run wherever the low byte carries: every 256 intervals, so on most days.
    for (size_t i = 0; i < count;) {
        uint32_t run = intervals[i] >> 8;
        run_base base = begin_run(keys, intervals[i]);
        for (; i < count && intervals[i] >> 8 == run; i += 2) {
            two_words(&base, keys, intervals + i, words + i);
            if (intervals[i + 1] >> 8 != run) {
                // The second one was not of this run, or is beyond the end: it comes again.
                i++;
                break;
            }
        }
    }
    return vmk_probe(filter, log2_words, words, count, hits);
}
