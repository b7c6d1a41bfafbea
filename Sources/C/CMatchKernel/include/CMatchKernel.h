// SPDX-License-Identifier: Apache-2.0
//
// Matching kernels of Exposure Notification: many public diagnosis keys against one day's sightings.
//
//   RPIK   = HKDF-SHA256(TEK, no salt, "EN-RPIK", 16 bytes)
//   RPI(i) = AES-128-ECB(RPIK, "EN-RPI" | 6 zero bytes | i as little-endian uint32)
//
// Only for diagnosis keys, which are public. The portable kernel looks AES up in tables, every kernel branches on what it
// derives, and nothing is wiped from the stack: never pass one of our own TEKs, or anything derived from one.
//
// Every function here is pure: no state but its arguments, no allocation, no system call but reading what the CPU can do.
// All may be called from any number of threads at once. Pointers must not be NULL unless the count that goes with them
// is 0; input and output must not overlap. Nothing needs an alignment beyond that of its type.
#ifndef CMATCHKERNEL_H
#define CMATCHKERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The implementations. All give the same results bit for bit.
typedef enum {
    /// C only: T-table AES, SHA-256 in four lanes of a vector where the compiler has one (SSE2, NEON).
    VMK_PORTABLE = 0,
    /// AES-NI and SSE4.1; SHA-256 in lanes, eight where the CPU has AVX2.
    VMK_X86_AESNI = 1,
    /// AES-NI, SSE4.1 and the SHA extensions.
    VMK_X86_AESNI_SHANI = 2,
    /// AVX2, AES-NI on 256 bits (VAES) and the SHA extensions.
    VMK_X86_VAES_SHANI = 3,
    /// The AES and SHA-256 instructions of ARMv8-A. Raspberry Pi 3 and 4 lack them, Pi 5 has them.
    VMK_ARMV8_CRYPTO = 4
} vmk_kernel;

enum {
    /// Number of kernels: valid values are `0 ..< VMK_KERNEL_COUNT`, on every machine.
    VMK_KERNEL_COUNT = 5,
    /// Ten-minute intervals in a UTC day, hence the most a TEK can have.
    VMK_MAX_INTERVALS = 144,
    /// Limits of the filter's size: 2^4 words are 128 bytes, 2^14 are 128 KiB. 2^12 fill a common L1 cache.
    VMK_MIN_LOG2_WORDS = 4,
    VMK_MAX_LOG2_WORDS = 14
};

/// Whether this CPU, under this operating system, can run `kernel`: 1 or 0; 0 for any number that is no kernel.
int vmk_is_available(vmk_kernel kernel);

/// The fastest kernel available; VMK_PORTABLE where there is no other.
vmk_kernel vmk_best(void);

/// A stable name for logs and benchmarks, such as "x86-vaes-shani"; "unknown" for a number that is no kernel. Never
/// NULL; the caller must not free it.
const char *vmk_name(vmk_kernel kernel);

/// The sightings of one UTC day, reduced to a filter of their RPIs.
typedef struct {
    /// 2^filter_log2_words words, filled by `vmk_filter_insert`.
    const uint64_t *filter;
    /// VMK_MIN_LOG2_WORDS ... VMK_MAX_LOG2_WORDS.
    uint32_t filter_log2_words;
    /// ENINs (Unix seconds / 600) for which a sighting can exist, ascending.
    const uint32_t *intervals;
    /// At most VMK_MAX_INTERVALS.
    uint32_t interval_count;
} vmk_day;

/// An RPI that the filter holds. Of RPIs that were not inserted the filter holds about one in 2,000, too (at one insertion
/// per word), so the caller compares all 16 bytes with the sightings.
typedef struct {
    /// Index of the key in this call's `teks`.
    uint32_t key;
    /// Index into `vmk_day.intervals`.
    uint32_t slot;
    /// The RPI itself.
    uint8_t rpi[16];
} vmk_candidate;

/// Derives the RPIs of `count` keys and writes those the day's filter holds, in (key, slot) order.
///
/// A kernel that is not available, or no kernel, works as VMK_PORTABLE.
///
/// - `teks`: `count` times 16 bytes; `count` is below 2^32.
/// - `lo`, `hi`: key k is valid for slots `lo[k] ..< hi[k]`. `hi` is cut to `interval_count`. Where nothing is left, the
///   key costs neither HKDF nor AES.
/// - `keys_done`: receives how many keys are completely processed. The scan stops before a key as soon as fewer than
///   VMK_MAX_INTERVALS places are free, so no candidate is ever lost: take the candidates, move on by `keys_done`,
///   call again. Each call makes progress.
/// - `capacity`: places in `out`, at least VMK_MAX_INTERVALS; with fewer, nothing is done and `keys_done` is 0. At the
///   usual hit rate 4,096 places last for tens of thousands of keys.
///
/// Returns the number of candidates written. Also returns 0, with `keys_done` 0, when the day is out of the ranges above.
size_t vmk_scan(vmk_kernel kernel, const vmk_day *day, const uint8_t *teks, const uint8_t *lo, const uint8_t *hi,
                size_t count, size_t *keys_done, vmk_candidate *out, size_t capacity);

/// Adds an RPI to a filter of `2^log2_words` words, all zero at first. `log2_words` is VMK_MIN_LOG2_WORDS to
/// VMK_MAX_LOG2_WORDS, unchecked.
///
/// Only the first four bytes of an RPI count: they are uniform already, so they are index and bit numbers as they
/// stand. Not to be called while another thread scans with the same filter.
void vmk_filter_insert(uint64_t *filter, uint32_t log2_words, const uint8_t rpi[16]);

/// Whether the filter holds this RPI: 1 or 0. Always 1 for one that was inserted, and for about one in 2,000 others at
/// one insertion per word. `log2_words` as in `vmk_filter_insert`.
int vmk_filter_contains(const uint64_t *filter, uint32_t log2_words, const uint8_t rpi[16]);

/// Derives the RPI keys of `count` TEKs, 16 bytes each in and out, in order. For tests and small jobs; `kernel` as in
/// `vmk_scan`. Cannot fail.
void vmk_derive_rpik(vmk_kernel kernel, const uint8_t *teks, size_t count, uint8_t *rpiks);

/// Derives the RPIs of one RPI key for `count` intervals (ENINs) in any order, 16 bytes each, in that order. For tests
/// and small jobs; `kernel` as in `vmk_scan`. Cannot fail.
void vmk_derive_rpis(vmk_kernel kernel, const uint8_t rpik[16], const uint32_t *intervals, size_t count, uint8_t *rpis);

#ifdef __cplusplus
}
#endif

#endif
