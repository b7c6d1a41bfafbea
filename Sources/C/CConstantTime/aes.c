// SPDX-License-Identifier: Apache-2.0
#include "CConstantTime.h"

#include <string.h>

// Product in GF(2^8) modulo x^8+x^4+x^3+x+1. Masks instead of branches; always eight steps.
static uint8_t multiply(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (int bit = 0; bit < 8; bit++) {
        product ^= (uint8_t) (a & (uint8_t) -(b & 1));
        uint8_t carry = (uint8_t) -(a >> 7);
        a = (uint8_t) ((a << 1) ^ (carry & 0x1B));
        b >>= 1;
    }
    return product;
}

static uint8_t rotate(uint8_t x, int by) { return (uint8_t) ((x << by) | (x >> (8 - by))); }

// The S-box by definition: inverse (x^254, with 0 -> 0), then the affine map (FIPS 197, 5.1.1).
static uint8_t substitute(uint8_t x) {
    uint8_t x2 = multiply(x, x);
    uint8_t x3 = multiply(x2, x);
    uint8_t x6 = multiply(x3, x3);
    uint8_t x12 = multiply(x6, x6);
    uint8_t x15 = multiply(x12, x3);
    uint8_t x30 = multiply(x15, x15);
    uint8_t x60 = multiply(x30, x30);
    uint8_t x120 = multiply(x60, x60);
    uint8_t x126 = multiply(x120, x6);
    uint8_t x127 = multiply(x126, x);
    uint8_t y = multiply(x127, x127);
    return (uint8_t) (y ^ rotate(y, 1) ^ rotate(y, 2) ^ rotate(y, 3) ^ rotate(y, 4) ^ 0x63);
}

static void next_round_key(uint8_t key[16], uint8_t *constant) {
    uint8_t word[4] = {substitute(key[13]), substitute(key[14]), substitute(key[15]), substitute(key[12])};
    word[0] ^= *constant;
    *constant = multiply(*constant, 2);
    for (int i = 0; i < 16; i++) key[i] ^= i < 4 ? word[i] : key[i - 4];
    // A plain memset of a dying local would be removed; the barrier keeps it.
    memset(word, 0, sizeof word);
    __asm__ __volatile__("" : : "r"(word) : "memory");
}

void vct_aes128_encrypt(const uint8_t key[16], const uint8_t input[16], uint8_t output[16]) {
    uint8_t round_key[16], state[16], shifted[16], constant = 1;
    memcpy(round_key, key, 16);
    for (int i = 0; i < 16; i++) state[i] = input[i] ^ round_key[i];
    for (int round = 1; round <= 10; round++) {
        // SubBytes and ShiftRows: the byte of row r, column c comes from column c + r.
        for (int column = 0; column < 4; column++)
            for (int row = 0; row < 4; row++)
                shifted[4 * column + row] = substitute(state[4 * ((column + row) & 3) + row]);
        next_round_key(round_key, &constant);
        for (int column = 0; column < 4; column++) {
            const uint8_t *s = shifted + 4 * column;
            for (int row = 0; row < 4; row++) {
                uint8_t mixed = round == 10
                    ? s[row]
                    : (uint8_t) (multiply(s[row], 2) ^ multiply(s[(row + 1) & 3], 3) ^ s[(row + 2) & 3] ^ s[(row + 3) & 3]);
                state[4 * column + row] = mixed ^ round_key[4 * column + row];
            }
        }
    }
    memcpy(output, state, 16);
    memset(round_key, 0, sizeof round_key);
    memset(state, 0, sizeof state);
    memset(shifted, 0, sizeof shifted);
    __asm__ __volatile__("" : : "r"(round_key), "r"(state), "r"(shifted) : "memory");
}

int vct_equal(const void *left, const void *right, size_t length) {
    const volatile uint8_t *a = left;
    const volatile uint8_t *b = right;
    uint8_t difference = 0;
    for (size_t i = 0; i < length; i++) difference |= (uint8_t) (a[i] ^ b[i]);
    return 1 & ((unsigned) (difference - 1) >> 8);
}
