// SPDX-License-Identifier: Apache-2.0
//
// Tests of CMatchKernel in C alone, so that they also run under an emulator and without a Swift toolchain:
//
//     kernel_test cases.txt [kernel-that-must-be-best]
//
// cases.txt is written by make_cases.c. Prints "N passed, M failed" and exits with 1 if anything failed.
#include "CMatchKernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long passed, failed;

static void check(int condition, const char *what, const char *kernel, unsigned long detail) {
    if (condition) {
        passed++;
        return;
    }
    if (failed++ < 20) fprintf(stderr, "FAILED %s, %s, %lu\n", what, kernel, detail);
}

static uint64_t generator = 88172645463325252u;

static uint32_t random_below(uint32_t bound) {
    generator ^= generator << 13;
    generator ^= generator >> 7;
    generator ^= generator << 17;
    return (uint32_t)((generator >> 32) % bound);
}

// MARK: Cases

enum { MAX_KEYS = 32 };

/// The keys of one "day" of the case file, with what Mbed TLS derived from them.
typedef struct {
    uint32_t interval_count, key_count;
    uint32_t intervals[VMK_MAX_INTERVALS];
    uint8_t teks[MAX_KEYS * 16];
    uint8_t rpiks[MAX_KEYS * 16];
    uint8_t rpis[MAX_KEYS][VMK_MAX_INTERVALS][16];
} case_day;

static void fail_reading(const char *why) {
    fprintf(stderr, "kernel_test: case file: %s\n", why);
    exit(2);
}

static void read_hex(FILE *file, uint8_t out[16]) {
    char text[33];
    if (fscanf(file, "%32s", text) != 1 || strlen(text) != 32) fail_reading("32 hexadecimal digits expected");
    for (int i = 0; i < 16; i++) {
        char byte[3] = {text[2 * i], text[2 * i + 1], 0};
        char *end;
        out[i] = (uint8_t)strtoul(byte, &end, 16);
        if (*end != 0) fail_reading("not hexadecimal");
    }
}

static void read_key(FILE *file, case_day *day) {
    if (day->key_count == MAX_KEYS || day->interval_count == 0) fail_reading("too many keys, or a key before its day");
    uint32_t key = day->key_count++;
    read_hex(file, day->teks + key * 16);
    read_hex(file, day->rpiks + key * 16);
    for (uint32_t i = 0; i < day->interval_count; i++) read_hex(file, day->rpis[key][i]);
}

// MARK: One test each

/// google/exposure-notifications-internals, TestVectors.java (identical in microG): vectors of the specification v1.2.
static void test_official_vector(vmk_kernel kernel) {
    static const uint8_t tek[16] = {0x75, 0xc7, 0x34, 0xc6, 0xdd, 0x1a, 0x78, 0x2d,
                                    0xe7, 0xa9, 0x65, 0xda, 0x5e, 0xb9, 0x31, 0x25};
    static const uint8_t expected_rpik[16] = {0x18, 0x5a, 0xd9, 0x1d, 0xb6, 0x9e, 0xc7, 0xdd,
                                              0x04, 0x89, 0x60, 0xf1, 0xf3, 0xba, 0x61, 0x75};
    static const uint32_t intervals[3] = {2642976, 2642977, 2642978};
    static const uint8_t expected_rpis[3][16] = {
        {0x8b, 0xe6, 0xcd, 0x37, 0x1c, 0x5c, 0x89, 0x16, 0x04, 0xbf, 0xbe, 0x49, 0xdf, 0x84, 0x50, 0x96},
        {0x3c, 0x9a, 0x1d, 0xe5, 0xdd, 0x6b, 0x02, 0xaf, 0xa7, 0xfd, 0xed, 0x7b, 0x57, 0x0b, 0x3e, 0x56},
        {0x24, 0x3f, 0xfe, 0x9a, 0x3b, 0x08, 0xbd, 0xed, 0x30, 0x94, 0xba, 0xc8, 0x63, 0x0b, 0xb8, 0xad},
    };
    uint8_t rpik[16], rpis[3][16];
    vmk_derive_rpik(kernel, tek, 1, rpik);
    check(memcmp(rpik, expected_rpik, 16) == 0, "official RPIK", vmk_name(kernel), 0);
    vmk_derive_rpis(kernel, rpik, intervals, 3, rpis[0]);
    check(memcmp(rpis, expected_rpis, sizeof rpis) == 0, "official RPIs", vmk_name(kernel), 0);
}

static void test_derivation(vmk_kernel kernel, const case_day *day) {
    uint8_t rpiks[MAX_KEYS * 16 + 1];
    for (size_t count = 0; count <= day->key_count; count++) {
        for (size_t first = 0; first + count <= day->key_count; first += 7) {
            memset(rpiks, 0xa5, sizeof rpiks);
            vmk_derive_rpik(kernel, day->teks + first * 16, count, rpiks);
            check(memcmp(rpiks, day->rpiks + first * 16, count * 16) == 0, "RPIKs of a group", vmk_name(kernel), count);
            check(rpiks[count * 16] == 0xa5, "no byte after the last RPIK", vmk_name(kernel), count);
        }
    }
    for (uint32_t key = 0; key < day->key_count; key++) {
        uint8_t rpis[VMK_MAX_INTERVALS][16];
        vmk_derive_rpis(kernel, day->rpiks + key * 16, day->intervals, day->interval_count, rpis[0]);
        check(memcmp(rpis, day->rpis[key], day->interval_count * 16) == 0, "RPIs", vmk_name(kernel), key);
    }
}

/// Scans piece by piece with room for `capacity` candidates at a time and compares with what the filter says of the RPIs
/// of Mbed TLS. `slots` are the indices of the chosen intervals in the day, ascending.
static void check_scan(vmk_kernel kernel, const case_day *day, const uint32_t *slots, const vmk_day *scanned,
                       const uint8_t *lo, const uint8_t *hi, size_t key_count, size_t capacity) {
    static vmk_candidate out[MAX_KEYS * VMK_MAX_INTERVALS + 1];
    size_t base = 0;
    uint32_t expected_key = 0, expected_slot = 0;
    int right = 1;
    while (base < key_count) {
        size_t done = 999;
        memset(out, 0xa5, sizeof out);
        size_t found = vmk_scan(kernel, scanned, day->teks + base * 16, lo + base, hi + base, key_count - base, &done,
                                out, capacity);
        right &= found <= capacity && done >= 1 && done <= key_count - base && out[capacity].key == 0xa5a5a5a5u;
        if (!right) break;
        size_t next = 0;
        for (expected_key = (uint32_t)base; expected_key < base + done; expected_key++) {
            for (expected_slot = lo[expected_key];
                 expected_slot < hi[expected_key] && expected_slot < scanned->interval_count; expected_slot++) {
                const uint8_t *rpi = day->rpis[expected_key][slots[expected_slot]];
                if (!vmk_filter_contains(scanned->filter, scanned->filter_log2_words, rpi)) continue;
                right &= next < found && out[next].key == expected_key - base && out[next].slot == expected_slot &&
                         memcmp(out[next].rpi, rpi, 16) == 0;
                next++;
            }
        }
        right &= next == found;
        // It may stop only for want of room.
        right &= done == key_count - base || capacity - found < VMK_MAX_INTERVALS;
        base += done;
    }
    check(right, "scan", vmk_name(kernel), (unsigned long)base);
}

static uint64_t filter[1 << VMK_MAX_LOG2_WORDS];

/// A filter of random size with some of the day's RPIs and so much noise that from few to most of the others pass.
static uint32_t fill_filter(const case_day *day) {
    uint32_t log2_words = VMK_MIN_LOG2_WORDS + random_below(VMK_MAX_LOG2_WORDS - VMK_MIN_LOG2_WORDS + 1);
    uint32_t words = 1u << log2_words;
    memset(filter, 0, words * sizeof filter[0]);
    for (uint32_t i = random_below(40); i > 0; i--) {
        vmk_filter_insert(filter, log2_words,
                          day->rpis[random_below(day->key_count)][random_below(day->interval_count)]);
    }
    static const uint32_t eighths_per_word[4] = {0, 1, 8, 400};
    for (uint32_t i = (words / 8 + 1) * eighths_per_word[random_below(4)]; i > 0; i--) {
        uint8_t noise[16] = {(uint8_t)random_below(256), (uint8_t)random_below(256), (uint8_t)random_below(256),
                             (uint8_t)random_below(256)};
        vmk_filter_insert(filter, log2_words, noise);
    }
    return log2_words;
}

static void test_random_scans(vmk_kernel kernel, const case_day *day) {
    for (int round = 0; round < 150; round++) {
        vmk_day scanned = {.filter = filter, .filter_log2_words = fill_filter(day)};
        // Usually only some of the day's intervals have sightings near them.
        uint32_t slots[VMK_MAX_INTERVALS], chosen[VMK_MAX_INTERVALS];
        uint32_t keep = 1 + random_below(4);
        for (uint32_t i = 0; i < day->interval_count; i++) {
            if (random_below(4) >= keep) continue;
            slots[scanned.interval_count] = i;
            chosen[scanned.interval_count++] = day->intervals[i];
        }
        // Exactly as long as it says, so that a sanitizer sees a read past its end.
        uint32_t *intervals = malloc(scanned.interval_count * sizeof(uint32_t) + 1);
        memcpy(intervals, chosen, scanned.interval_count * sizeof(uint32_t));
        scanned.intervals = intervals;
        uint8_t lo[MAX_KEYS], hi[MAX_KEYS];
        size_t key_count = 1 + random_below(day->key_count);
        int style = (int)random_below(3);
        for (size_t key = 0; key < key_count; key++) {
            lo[key] = style == 0 ? 0 : (uint8_t)random_below(scanned.interval_count + 2);
            hi[key] = style == 0 ? 144 : (uint8_t)random_below(256);
            if (style == 2 && random_below(2)) hi[key] = lo[key];
        }
        size_t capacity = VMK_MAX_INTERVALS * (1 + random_below(3)) + random_below(VMK_MAX_INTERVALS);
        if (random_below(2)) capacity = MAX_KEYS * VMK_MAX_INTERVALS;
        check_scan(kernel, day, slots, &scanned, lo, hi, key_count, capacity);
        free(intervals);
    }
}

/// Every pair of bounds, with a filter that lets everything through.
static void test_all_bounds(vmk_kernel kernel, const case_day *day) {
    memset(filter, 0xff, 16 * sizeof filter[0]);
    vmk_day scanned = {filter, 4, day->intervals, day->interval_count};
    uint32_t slots[VMK_MAX_INTERVALS];
    for (uint32_t i = 0; i < VMK_MAX_INTERVALS; i++) slots[i] = i;
    for (uint32_t low = 0; low <= day->interval_count; low++) {
        for (uint32_t high = low; high <= day->interval_count; high++) {
            uint8_t lo = (uint8_t)low, hi = (uint8_t)high;
            check_scan(kernel, day, slots, &scanned, &lo, &hi, 1, VMK_MAX_INTERVALS);
        }
    }
}

static void test_refusals(vmk_kernel kernel) {
    const char *name = vmk_name(kernel);
    uint32_t intervals[VMK_MAX_INTERVALS + 1] = {0};
    uint8_t tek[16] = {0}, lo = 0, hi = 144;
    vmk_candidate out[VMK_MAX_INTERVALS];
    const struct {
        uint32_t log2_words, interval_count;
        size_t capacity;
    } bad[] = {{3, 144, 144}, {15, 144, 144}, {32, 144, 144}, {4, 145, 144}, {4, 144, 143}, {4, 144, 0}};
    memset(filter, 0xff, sizeof filter);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        vmk_day day = {filter, bad[i].log2_words, intervals, bad[i].interval_count};
        size_t done = 7;
        check(vmk_scan(kernel, &day, tek, &lo, &hi, 1, &done, out, bad[i].capacity) == 0 && done == 0, "refusal", name, i);
    }
    vmk_day empty = {filter, 4, NULL, 0};
    size_t done = 7;
    check(vmk_scan(kernel, &empty, tek, &lo, &hi, 1, &done, out, 144) == 0 && done == 1, "day without intervals", name, 0);
    check(vmk_scan(kernel, &empty, NULL, NULL, NULL, 0, &done, out, 144) == 0 && done == 0, "no keys", name, 0);
}

/// The filter's layout, which the Swift side may write by itself.
static void test_filter(void) {
    for (uint32_t log2_words = VMK_MIN_LOG2_WORDS; log2_words <= VMK_MAX_LOG2_WORDS; log2_words++) {
        for (int round = 0; round < 200; round++) {
            uint8_t rpi[16];
            for (int i = 0; i < 16; i++) rpi[i] = (uint8_t)random_below(256);
            uint32_t x = (uint32_t)rpi[0] + 256u * rpi[1] + 65536u * rpi[2] + 16777216u * rpi[3];
            uint32_t bits[3] = {x / 16384 % 64, x / 1048576 % 64, x / 67108864};
            memset(filter, 0, sizeof filter);
            vmk_filter_insert(filter, log2_words, rpi);
            uint64_t expected = (uint64_t)1 << bits[0] | (uint64_t)1 << bits[1] | (uint64_t)1 << bits[2];
            uint32_t word = x % (1u << log2_words);
            check(filter[word] == expected && vmk_filter_contains(filter, log2_words, rpi), "insert", "filter", log2_words);
            filter[word] = 0;
            int rest = 0;
            for (uint32_t i = 0; i < 1u << VMK_MAX_LOG2_WORDS; i++) rest |= filter[i] != 0;
            check(!rest, "one word only", "filter", log2_words);
            for (int bit = 0; bit < 3; bit++) {
                filter[word] = ~((uint64_t)1 << bits[bit]);
                check(!vmk_filter_contains(filter, log2_words, rpi), "all three bits needed", "filter", log2_words);
            }
        }
    }
}

// MARK: All of them

static void test_day(const case_day *day) {
    for (int k = 0; k < VMK_KERNEL_COUNT; k++) {
        vmk_kernel kernel = (vmk_kernel)k;
        test_derivation(kernel, day);
        test_random_scans(kernel, day);
        if (vmk_is_available(kernel)) test_all_bounds(kernel, day);
    }
}

int main(int argc, char **argv) {
    if (argc < 2) fail_reading("not given");
    FILE *file = fopen(argv[1], "r");
    if (file == NULL) fail_reading("cannot be opened");

    vmk_kernel best = vmk_best();
    check(vmk_is_available(VMK_PORTABLE) && vmk_is_available(best), "availability", "best", (unsigned long)best);
    check(!vmk_is_available((vmk_kernel)-1) && !vmk_is_available((vmk_kernel)VMK_KERNEL_COUNT), "availability", "none", 0);
    if (argc > 2) check(strcmp(vmk_name(best), argv[2]) == 0, "expected kernel is best", argv[2], (unsigned long)best);
    test_filter();
    for (int k = 0; k < VMK_KERNEL_COUNT; k++) {
        printf("%s: %s\n", vmk_name((vmk_kernel)k), vmk_is_available((vmk_kernel)k) ? "available" : "as portable");
        test_official_vector((vmk_kernel)k);
        test_refusals((vmk_kernel)k);
    }

    static case_day day;
    char word[8];
    unsigned long days = 0;
    while (fscanf(file, "%7s", word) == 1) {
        if (word[0] == '#') {
            int c;
            while ((c = getc(file)) != '\n' && c != EOF) continue;
        } else if (strcmp(word, "day") == 0) {
            if (day.key_count > 0) test_day(&day);
            unsigned long count, first;
            if (fscanf(file, "%lu %lu", &count, &first) != 2 || count < 1 || count > VMK_MAX_INTERVALS) {
                fail_reading("bad day");
            }
            day.interval_count = (uint32_t)count;
            day.key_count = 0;
            for (uint32_t i = 0; i < count; i++) day.intervals[i] = (uint32_t)first + i;
            days++;
        } else if (strcmp(word, "key") == 0) {
            read_key(file, &day);
        } else {
            fail_reading("unknown word");
        }
    }
    if (day.key_count > 0) test_day(&day);
    fclose(file);
    if (days == 0) fail_reading("no days");

    printf("best: %s\n%lu passed, %lu failed\n", vmk_name(best), passed, failed);
    return failed == 0 ? 0 : 1;
}
