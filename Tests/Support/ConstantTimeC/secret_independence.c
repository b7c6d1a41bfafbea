// SPDX-License-Identifier: Apache-2.0
// Shows that no branch and no address depends on key or data: both are marked as undefined for valgrind's memcheck, which reports
// every jump and every access that depends on undefined bits (the method is Adam Langley's ctgrind). `control` does what tables
// do, and must be reported.
#include "CConstantTime.h"

#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

static const unsigned char table[256] = {1, 2, 3};

int main(int count, char **arguments) {
    unsigned char key[16] = {1}, data[16] = {2}, output[16];
    VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    VALGRIND_MAKE_MEM_UNDEFINED(data, sizeof data);
    if (count > 1 && strcmp(arguments[1], "control") == 0) {
        output[0] = table[key[0]];
    } else {
        vct_aes128_encrypt(key, data, output);
        output[0] ^= (unsigned char) vct_equal(key, data, sizeof key);
    }
    // The result may be shown; only how it came about may not depend on secrets.
    VALGRIND_MAKE_MEM_DEFINED(output, sizeof output);
    printf("%u\n", output[0]);
    return 0;
}
