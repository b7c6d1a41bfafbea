// SPDX-License-Identifier: Apache-2.0
//
// Writes the cases of kernel_test.c to standard output, computed by Mbed TLS:
//
//     cc make_cases.c -lmbedcrypto -o make_cases && ./make_cases > cases.txt
//
// The file says of itself what it holds; see `header`. The keys come from a fixed generator, so it is always the same.
#include <mbedtls/aes.h>
#include <mbedtls/hkdf.h>
#include <mbedtls/md.h>

#include <stdint.h>
#include <stdio.h>

static const char header[] =
    "# day COUNT FIRST_ENIN            the keys that follow have these intervals\n"
    "# key TEK RPIK RPI RPI ...        in hexadecimal, one RPI per interval\n";

static uint64_t generator = 0x9e3779b97f4a7c15u;

static uint8_t next_byte(void) {
    generator ^= generator << 13;
    generator ^= generator >> 7;
    generator ^= generator << 17;
    return (uint8_t)(generator >> 32);
}

static void print_hex(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) printf("%02x", bytes[i]);
}

/// Returns 0, or what Mbed TLS returned.
static int print_key(const uint8_t tek[16], uint32_t first, uint32_t count) {
    uint8_t rpik[16];
    int status = mbedtls_hkdf(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), NULL, 0, tek, 16,
                              (const unsigned char *)"EN-RPIK", 7, rpik, sizeof rpik);
    if (status != 0) return status;
    printf("key ");
    print_hex(tek, 16);
    printf(" ");
    print_hex(rpik, 16);
    mbedtls_aes_context aes;
    mbedtls_aes_init(&aes);
    status = mbedtls_aes_setkey_enc(&aes, rpik, 128);
    for (uint32_t i = 0; i < count && status == 0; i++) {
        uint32_t interval = first + i;
        uint8_t block[16] = {'E', 'N', '-', 'R', 'P', 'I', 0, 0, 0, 0, 0, 0,
                             (uint8_t)interval, (uint8_t)(interval >> 8), (uint8_t)(interval >> 16),
                             (uint8_t)(interval >> 24)};
        status = mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, block, block);
        printf(" ");
        print_hex(block, 16);
    }
    mbedtls_aes_free(&aes);
    printf("\n");
    return status;
}

int main(void) {
    // The day of the official vector, a day with a carry in the middle, one at its very start, one at its end, carries
    // into bytes 2 and 3, both ends of the number range, and short days.
    static const struct {
        uint32_t count, first;
    } days[] = {
        {144, 2642976}, {144, 0x28547f}, {144, 0x2853ff}, {144, 0x285571}, {144, 0x28ffb0},
        {144, 0xffffd0}, {144, 0}, {144, 0xffffff70}, {17, 0x2854f8}, {1, 2976480},
    };
    printf("%s", header);
    for (size_t day = 0; day < sizeof days / sizeof days[0]; day++) {
        printf("day %lu %lu\n", (unsigned long)days[day].count, (unsigned long)days[day].first);
        for (int key = 0; key < 24; key++) {
            uint8_t tek[16];
            for (int i = 0; i < 16; i++) {
                // All zeros and all ones come first.
                tek[i] = key == 0 ? 0 : key == 1 ? 0xff : next_byte();
            }
            if (print_key(tek, days[day].first, days[day].count) != 0) {
                fprintf(stderr, "make_cases: Mbed TLS failed\n");
                return 1;
            }
        }
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
