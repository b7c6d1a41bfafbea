// SPDX-License-Identifier: Apache-2.0
//
// HKDF and AES-128 with the cryptography extension of ARMv8-A.
#if defined(__aarch64__)

#include "hkdf_constants.h"
#include "kernel.h"

// The extension is off by default, so that the rest of the program runs on boards without it; clang and gcc name it
// differently.
#if defined(__clang__)
#define CRYPTO_TARGET __attribute__((target("aes,sha2")))
#else
#define CRYPTO_TARGET __attribute__((target("+crypto")))
#endif
#define CRYPTO_INLINE CRYPTO_TARGET __attribute__((always_inline)) static inline

#include <arm_neon.h>

// MARK: HKDF

/// Two hashes side by side hide most of the latency of SHA256H.
enum { STREAMS = 2 };

typedef struct {
    uint32x4_t abcd, efgh;
} state;

typedef struct {
    uint32x4_t w[4];
} message;

// The loops over streams have constant bounds and are unrolled; what they keep in arrays ends up in registers.
#define EACH(n, N) for (int n = 0; n < (N); n++)

CRYPTO_INLINE state state_of(const uint32_t h[8]) {
    state s = {vld1q_u32(h), vld1q_u32(h + 4)};
    return s;
}

CRYPTO_INLINE void four_rounds(state *s, uint32x4_t kw) {
    uint32x4_t abcd = s->abcd;
    s->abcd = vsha256hq_u32(abcd, s->efgh, kw);
    s->efgh = vsha256h2q_u32(s->efgh, abcd, kw);
}

/// One block of N independent hashes.
CRYPTO_INLINE void compress(state *s, message *m, int N) {
    state before[STREAMS];
    EACH(n, N) before[n] = s[n];
#define QUAD(t)                                                                                                        \
    EACH(n, N) {                                                                                                       \
        uint32x4_t *w = m[n].w;                                                                                        \
        if ((t) >= 4) {                                                                                                \
            w[(t) & 3] = vsha256su1q_u32(vsha256su0q_u32(w[(t) & 3], w[((t) + 1) & 3]), w[((t) + 2) & 3],              \
                                         w[((t) + 3) & 3]);                                                            \
        }                                                                                                              \
        four_rounds(&s[n], vaddq_u32(w[(t) & 3], vld1q_u32(vmk_sha256_k + 4 * (t))));                                  \
    }
    QUAD(0) QUAD(1) QUAD(2) QUAD(3) QUAD(4) QUAD(5) QUAD(6) QUAD(7)
    QUAD(8) QUAD(9) QUAD(10) QUAD(11) QUAD(12) QUAD(13) QUAD(14) QUAD(15)
#undef QUAD
    EACH(n, N) {
        s[n].abcd = vaddq_u32(s[n].abcd, before[n].abcd);
        s[n].efgh = vaddq_u32(s[n].efgh, before[n].efgh);
    }
}

/// The block that is the same for every key, its schedule known.
CRYPTO_INLINE void compress_info(state *s, int N) {
    state before[STREAMS];
    EACH(n, N) before[n] = s[n];
    for (int t = 0; t < 16; t++) {
        uint32x4_t kw = vld1q_u32(vmk_info_kw + 4 * t);
        EACH(n, N) four_rounds(&s[n], kw);
    }
    EACH(n, N) {
        s[n].abcd = vaddq_u32(s[n].abcd, before[n].abcd);
        s[n].efgh = vaddq_u32(s[n].efgh, before[n].efgh);
    }
}

/// Padding after 4 or 8 words of message: its first and its last four words.
CRYPTO_INLINE uint32x4_t padding_start(void) {
    return vsetq_lane_u32(0x80000000u, vdupq_n_u32(0), 0);
}

CRYPTO_INLINE uint32x4_t padding_end(uint32_t bits) {
    return vsetq_lane_u32(bits, vdupq_n_u32(0), 3);
}

/// Second block of the outer hash of an HMAC: the inner digest and padding.
CRYPTO_INLINE message digest_block(state inner) {
    message m = {{inner.abcd, inner.efgh, padding_start(), padding_end(VMK_BITS_96_BYTES)}};
    return m;
}

/// First block of a keyed hash: the key under a pad.
CRYPTO_INLINE message keyed_block(state prk, uint32_t pad) {
    uint32x4_t p = vdupq_n_u32(pad);
    message m = {{veorq_u32(prk.abcd, p), veorq_u32(prk.efgh, p), p, p}};
    return m;
}

CRYPTO_INLINE void hkdf(const uint8_t *teks, uint8_t *rpiks, int N) {
    state inner[STREAMS], prk[STREAMS], outer[STREAMS];
    message m[STREAMS];
    EACH(n, N) {
        m[n].w[0] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(teks + n * 16)));
        m[n].w[1] = padding_start();
        m[n].w[2] = vdupq_n_u32(0);
        m[n].w[3] = padding_end(VMK_BITS_80_BYTES);
        inner[n] = state_of(vmk_pad_inner);
    }
    compress(inner, m, N);
    EACH(n, N) {
        m[n] = digest_block(inner[n]);
        prk[n] = state_of(vmk_pad_outer);
    }
    compress(prk, m, N);

    EACH(n, N) {
        m[n] = keyed_block(prk[n], 0x36363636u);
        inner[n] = state_of(vmk_sha256_iv);
    }
    compress(inner, m, N);
    compress_info(inner, N);
    EACH(n, N) {
        m[n] = keyed_block(prk[n], 0x5c5c5c5cu);
        outer[n] = state_of(vmk_sha256_iv);
    }
    compress(outer, m, N);
    EACH(n, N) m[n] = digest_block(inner[n]);
    compress(outer, m, N);
    EACH(n, N) vst1q_u8(rpiks + n * 16, vrev32q_u8(vreinterpretq_u8_u32(outer[n].abcd)));
}

CRYPTO_TARGET static void hkdf_1(const uint8_t *teks, uint8_t *rpiks) {
    hkdf(teks, rpiks, 1);
}

CRYPTO_TARGET static void hkdf_2(const uint8_t *teks, uint8_t *rpiks) {
    hkdf(teks, rpiks, 2);
}

void vmk_rpiks_armv8(const uint8_t *teks, size_t count, uint8_t *rpiks) {
    for (; count >= 2; count -= 2, teks += 32, rpiks += 32) {
        hkdf_2(teks, rpiks);
    }
    if (count > 0) hkdf_1(teks, rpiks);
}

// MARK: AES

/// S-box of all four bytes of a word: AESE on four equal columns, where ShiftRows moves nothing.
CRYPTO_INLINE uint32_t substituted_word(uint32_t x) {
    uint8x16_t s = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(x)), vdupq_n_u8(0));
    return vgetq_lane_u32(vreinterpretq_u32_u8(s), 0);
}

CRYPTO_TARGET void vmk_expand_armv8(const uint8_t *rpiks, size_t count, vmk_schedule *schedules) {
    for (size_t k = 0; k < count; k++) {
        uint32_t *w = schedules[k].words;
        vst1q_u8((uint8_t *)w, vld1q_u8(rpiks + k * 16));
        uint32_t rcon = 1;
        for (size_t i = 4; i < 44; i += 4) {
            w[i] = w[i - 4] ^ substituted_word(w[i - 1] >> 8 | w[i - 1] << 24) ^ rcon;
            w[i + 1] = w[i - 3] ^ w[i];
            w[i + 2] = w[i - 2] ^ w[i + 1];
            w[i + 3] = w[i - 1] ^ w[i + 2];
            rcon = (rcon << 1) ^ (rcon & 0x80 ? 0x11b : 0);
        }
    }
}

CRYPTO_INLINE uint8x16_t round_key(const vmk_schedule *schedule, int round) {
    return vreinterpretq_u8_u32(vld1q_u32(schedule->words + 4 * round));
}

/// "EN-RPI" and ten zero bytes; the interval goes to the last four.
CRYPTO_INLINE uint32x4_t plaintext(void) {
    static const uint32_t words[4] = {0x522d4e45, 0x4950, 0, 0};
    return vld1q_u32(words);
}

CRYPTO_TARGET void vmk_block_armv8(const vmk_schedule *schedule, uint32_t interval, uint8_t *rpi) {
    uint8x16_t x = vreinterpretq_u8_u32(vsetq_lane_u32(interval, plaintext(), 3));
    for (int round = 0; round < 9; round++) {
        x = vaesmcq_u8(vaeseq_u8(x, round_key(schedule, round)));
    }
    vst1q_u8(rpi, veorq_u8(vaeseq_u8(x, round_key(schedule, 9)), round_key(schedule, 10)));
}

CRYPTO_TARGET size_t vmk_find_armv8(const vmk_schedule *schedule, const uint32_t *intervals, size_t count,
                                    const uint64_t *filter, uint32_t log2_words, uint8_t *hits) {
    uint32_t words[VMK_PADDED_INTERVALS];
    const uint32_t last_key = schedule->words[40];
    for (size_t i = 0; i < count; i += 8) {
        uint8x16_t x[8];
        for (int n = 0; n < 8; n++) {
            x[n] = vreinterpretq_u8_u32(vsetq_lane_u32(intervals[i + (size_t)n], plaintext(), 3));
        }
        // AESE and AESMC next to each other: most cores fuse the pair.
        for (int round = 0; round < 9; round++) {
            uint8x16_t key = round_key(schedule, round);
            for (int n = 0; n < 8; n++) {
                x[n] = vaesmcq_u8(vaeseq_u8(x[n], key));
            }
        }
        uint8x16_t key = round_key(schedule, 9);
        for (int n = 0; n < 8; n++) {
            // Only the first column of the ciphertext is wanted.
            words[i + (size_t)n] = vgetq_lane_u32(vreinterpretq_u32_u8(vaeseq_u8(x[n], key)), 0) ^ last_key;
        }
    }
    return vmk_probe(filter, log2_words, words, count, hits);
}

#endif
