// SPDX-License-Identifier: Apache-2.0
//
// HKDF without SHA instructions: several keys at once, each in one lane of a vector.
#include "bytes.h"
#include "hkdf_constants.h"
#include "kernel.h"

#include <string.h>

#define LANE uint32_t
#define LANES 1
#define LANE_AT(x, n) (*(&(x) + (n)))
#define LANE_NAME(x) x##_1
#define LANE_TARGET
#include "sha256_lanes.inc.h"

typedef uint32_t lanes4 __attribute__((vector_size(16)));
#define LANE lanes4
#define LANES 4
#define LANE_AT(x, n) (x)[n]
#define LANE_NAME(x) x##_4
#define LANE_TARGET
#include "sha256_lanes.inc.h"

void vmk_rpiks_lanes(const uint8_t *teks, size_t count, uint8_t *rpiks) {
    for (; count >= 4; count -= 4, teks += 64, rpiks += 64) {
        hkdf_4(teks, rpiks);
    }
    if (count == 1) {
        hkdf_1(teks, rpiks);
    } else if (count > 1) {
        // Four lanes cost less than two keys one by one.
        uint8_t in[64] = {0}, out[64];
        memcpy(in, teks, count * 16);
        hkdf_4(in, out);
        memcpy(rpiks, out, count * 16);
    }
}

#if defined(__x86_64__)

typedef uint32_t lanes8 __attribute__((vector_size(32)));
#define LANE lanes8
#define LANES 8
#define LANE_AT(x, n) (x)[n]
#define LANE_NAME(x) x##_8
#define LANE_TARGET __attribute__((target("avx2")))
#include "sha256_lanes.inc.h"

void vmk_rpiks_avx2(const uint8_t *teks, size_t count, uint8_t *rpiks) {
    for (; count >= 8; count -= 8, teks += 128, rpiks += 128) {
        hkdf_8(teks, rpiks);
    }
    vmk_rpiks_lanes(teks, count, rpiks);
}

#endif
