// SPDX-License-Identifier: Apache-2.0
//
// HKDF for LANES keys at once, one key per lane of LANE. Included once per width, with these defined:
//
//   LANE        uint32_t, or a vector of LANES of them; the operators mean the same for both
//   LANES       number of keys
//   LANE_AT     LANE_AT(x, n) is lane n of x, also as the target of an assignment
//   LANE_NAME   LANE_NAME(x) is x with a suffix of its own
//   LANE_TARGET function attribute that allows the instructions, or nothing
//
// Vectors are passed by pointer only: how they travel by value depends on the target, and compilers warn about it.

#define ROTATE_RIGHT(x, n) ((x) >> (n) | (x) << (32 - (n)))
#define ROUND(a, b, c, d, e, f, g, h, kw)                                                                              \
    do {                                                                                                               \
        LANE t1 = h + (ROTATE_RIGHT(e, 6) ^ ROTATE_RIGHT(e, 11) ^ ROTATE_RIGHT(e, 25)) + (g ^ (e & (f ^ g))) + (kw);   \
        LANE t2 = (ROTATE_RIGHT(a, 2) ^ ROTATE_RIGHT(a, 13) ^ ROTATE_RIGHT(a, 22)) + (((a | b) & c) | (a & b));        \
        d = d + t1;                                                                                                    \
        h = t1 + t2;                                                                                                   \
    } while (0)
#define EIGHT_ROUNDS(kw, t)                                                                                            \
    do {                                                                                                               \
        ROUND(a, b, c, d, e, f, g, h, kw((t) + 0));                                                                    \
        ROUND(h, a, b, c, d, e, f, g, kw((t) + 1));                                                                    \
        ROUND(g, h, a, b, c, d, e, f, kw((t) + 2));                                                                    \
        ROUND(f, g, h, a, b, c, d, e, kw((t) + 3));                                                                    \
        ROUND(e, f, g, h, a, b, c, d, kw((t) + 4));                                                                    \
        ROUND(d, e, f, g, h, a, b, c, kw((t) + 5));                                                                    \
        ROUND(c, d, e, f, g, h, a, b, kw((t) + 6));                                                                    \
        ROUND(b, c, d, e, f, g, h, a, kw((t) + 7));                                                                    \
    } while (0)
#define FIRST(t) (w[t] + vmk_sha256_k[t])
#define LATER(t)                                                                                                       \
    ((w[(t) & 15] = w[(t) & 15] + w[((t) + 9) & 15] +                                                                  \
                    (ROTATE_RIGHT(w[((t) + 1) & 15], 7) ^ ROTATE_RIGHT(w[((t) + 1) & 15], 18) ^ w[((t) + 1) & 15] >> 3) + \
                    (ROTATE_RIGHT(w[((t) + 14) & 15], 17) ^ ROTATE_RIGHT(w[((t) + 14) & 15], 19) ^                     \
                     w[((t) + 14) & 15] >> 10)) +                                                                      \
     vmk_sha256_k[base + (t)])
#define FIXED(t) (zero + vmk_info_kw[base + (t)])

/// One block. Uses up `w`. Not inlined: HKDF needs it five times, and five copies would not fit a small L1.
LANE_TARGET __attribute__((noinline)) static void LANE_NAME(compress)(LANE state[8], LANE w[16]) {
    LANE a = state[0], b = state[1], c = state[2], d = state[3];
    LANE e = state[4], f = state[5], g = state[6], h = state[7];
    EIGHT_ROUNDS(FIRST, 0);
    EIGHT_ROUNDS(FIRST, 8);
    for (int base = 16; base < 64; base += 16) {
        EIGHT_ROUNDS(LATER, 0);
        EIGHT_ROUNDS(LATER, 8);
    }
    state[0] = state[0] + a, state[1] = state[1] + b, state[2] = state[2] + c, state[3] = state[3] + d;
    state[4] = state[4] + e, state[5] = state[5] + f, state[6] = state[6] + g, state[7] = state[7] + h;
}

/// The block that is the same for every key, its schedule known.
LANE_TARGET __attribute__((noinline)) static void LANE_NAME(compress_info)(LANE state[8]) {
    LANE a = state[0], b = state[1], c = state[2], d = state[3];
    LANE e = state[4], f = state[5], g = state[6], h = state[7];
    const LANE zero = a ^ a;
    for (int base = 0; base < 64; base += 16) {
        EIGHT_ROUNDS(FIXED, 0);
        EIGHT_ROUNDS(FIXED, 8);
    }
    state[0] = state[0] + a, state[1] = state[1] + b, state[2] = state[2] + c, state[3] = state[3] + d;
    state[4] = state[4] + e, state[5] = state[5] + f, state[6] = state[6] + g, state[7] = state[7] + h;
}

/// Ends a block that begins with `used` words.
LANE_TARGET static inline void LANE_NAME(pad)(LANE w[16], int used, uint32_t bits) {
    const LANE zero = w[0] ^ w[0];
    w[used] = zero + 0x80000000u;
    for (int i = used + 1; i < 15; i++) {
        w[i] = zero;
    }
    w[15] = zero + bits;
}

LANE_TARGET static inline void LANE_NAME(start)(LANE state[8], const uint32_t constants[8], const LANE *any) {
    const LANE zero = *any ^ *any;
    for (int i = 0; i < 8; i++) {
        state[i] = zero + constants[i];
    }
}

/// State after the block `prk ^ pad`, which opens both hashes of an HMAC.
LANE_TARGET static inline void LANE_NAME(start_keyed)(LANE state[8], const LANE prk[8], uint32_t pad) {
    LANE w[16];
    for (int i = 0; i < 8; i++) {
        w[i] = prk[i] ^ pad;
        w[i + 8] = (prk[i] ^ prk[i]) + pad;
    }
    LANE_NAME(start)(state, vmk_sha256_iv, &prk[0]);
    LANE_NAME(compress)(state, w);
}

/// Outer hash of an HMAC: `state` is the one after its pad.
LANE_TARGET static inline void LANE_NAME(finish_hmac)(LANE state[8], const LANE inner[8]) {
    LANE w[16];
    for (int i = 0; i < 8; i++) {
        w[i] = inner[i];
    }
    LANE_NAME(pad)(w, 8, VMK_BITS_96_BYTES);
    LANE_NAME(compress)(state, w);
}

LANE_TARGET static void LANE_NAME(hkdf)(const uint8_t *teks, uint8_t *rpiks) {
    LANE w[16], inner[8], prk[8], outer[8];
    for (int i = 0; i < 4; i++) {
        for (int n = 0; n < LANES; n++) {
            LANE_AT(w[i], n) = vmk_load_be32(teks + n * 16 + i * 4);
        }
    }
    LANE_NAME(pad)(w, 4, VMK_BITS_80_BYTES);
    LANE_NAME(start)(inner, vmk_pad_inner, &w[0]);
    LANE_NAME(compress)(inner, w);
    LANE_NAME(start)(prk, vmk_pad_outer, &inner[0]);
    LANE_NAME(finish_hmac)(prk, inner);

    LANE_NAME(start_keyed)(inner, prk, 0x36363636u);
    LANE_NAME(compress_info)(inner);
    LANE_NAME(start_keyed)(outer, prk, 0x5c5c5c5cu);
    LANE_NAME(finish_hmac)(outer, inner);
    for (int i = 0; i < 4; i++) {
        for (int n = 0; n < LANES; n++) {
            vmk_store_be32(rpiks + n * 16 + i * 4, LANE_AT(outer[i], n));
        }
    }
}

#undef ROTATE_RIGHT
#undef ROUND
#undef EIGHT_ROUNDS
#undef FIRST
#undef LATER
#undef FIXED
#undef LANE
#undef LANES
#undef LANE_AT
#undef LANE_NAME
#undef LANE_TARGET
