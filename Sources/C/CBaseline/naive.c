// SPDX-License-Identifier: Apache-2.0
#include "CBaseline.h"

#include <mbedtls/aes.h>
#include <mbedtls/hkdf.h>
#include <mbedtls/md.h>
#include <stdlib.h>
#include <string.h>

struct baseline_table {
    size_t mask;
    uint8_t (*slots)[16];
    uint8_t *used;
};

static size_t slot_of(const baseline_table *table, const uint8_t identifier[16]) {
    uint64_t word;
    memcpy(&word, identifier, 8);
    return (size_t) (word * 0x9E3779B97F4A7C15u >> 32) & table->mask;
}

baseline_table *baseline_table_create(const uint8_t *identifiers, size_t count) {
    baseline_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    size_t size = 16;
    while (size < 2 * count) size *= 2;
    table->mask = size - 1;
    table->slots = calloc(size, 16);
    table->used = calloc(size, 1);
    if (!table->slots || !table->used) {
        baseline_table_free(table);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t slot = slot_of(table, identifiers + 16 * i);
        while (table->used[slot] && memcmp(table->slots[slot], identifiers + 16 * i, 16) != 0) slot = (slot + 1) & table->mask;
        memcpy(table->slots[slot], identifiers + 16 * i, 16);
        table->used[slot] = 1;
    }
    return table;
}

void baseline_table_free(baseline_table *table) {
    if (!table) return;
    free(table->slots);
    free(table->used);
    free(table);
}

static int contains(const baseline_table *table, const uint8_t identifier[16]) {
    size_t slot = slot_of(table, identifier);
    while (table->used[slot]) {
        if (memcmp(table->slots[slot], identifier, 16) == 0) return 1;
        slot = (slot + 1) & table->mask;
    }
    return 0;
}

long baseline_match(const baseline_table *table, const uint8_t *keys, const uint32_t *starts, size_t count) {
    const mbedtls_md_info_t *sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
    long found = 0;
    for (size_t k = 0; k < count; k++) {
        uint8_t derived[16], padded[16] = "EN-RPI", identifier[16];
        if (mbedtls_hkdf(sha256, NULL, 0, keys + 16 * k, 16, (const unsigned char *) "EN-RPIK", 7, derived, 16)) return -1;
        mbedtls_aes_context aes;
        mbedtls_aes_init(&aes);
        if (mbedtls_aes_setkey_enc(&aes, derived, 128)) return -1;
        for (uint32_t i = 0; i < 144; i++) {
            uint32_t interval = starts[k] + i;
            for (int b = 0; b < 4; b++) padded[12 + b] = (uint8_t) (interval >> (8 * b));
            if (mbedtls_aes_crypt_ecb(&aes, MBEDTLS_AES_ENCRYPT, padded, identifier)) return -1;
            found += contains(table, identifier);
        }
        mbedtls_aes_free(&aes);
    }
    return found;
}
