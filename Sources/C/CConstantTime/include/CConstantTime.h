// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CCONSTANTTIME_H
#define VIGIL_CCONSTANTTIME_H

#include <stddef.h>
#include <stdint.h>

/// AES-128 of one block, for keys of our own (RPIK and AEMK of our TEKs).
///
/// No table look-up, no branch and no address depends on key or data: the S-box is computed as an inversion in GF(2^8).
/// Mbed TLS falls back to tables on boards without AES instructions (Raspberry Pi 3, Zero 2 W, 4), and a table's cache
/// footprint is visible to every other process of the board. Much slower than a table (15 µs per block on a server), which does
/// not matter for two blocks every ten minutes. Pure and thread-safe. (FIPS 197.)
void vct_aes128_encrypt(const uint8_t key[16], const uint8_t input[16], uint8_t output[16]);

/// 1 when both regions of `length` bytes are equal, also for length 0; 0 when not. The time taken depends on `length` only.
int vct_equal(const void *left, const void *right, size_t length);

#endif
