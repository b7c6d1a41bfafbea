// SPDX-License-Identifier: Apache-2.0
#include "CBaseline.h"

static int is_allowed = 1;
static unsigned long questions;

void baseline_allow_aes_instructions(int allowed) { is_allowed = allowed; }
unsigned long baseline_aes_questions(void) { return questions; }

#if defined(__x86_64__)
#include <cpuid.h>

// Takes the place of the function of the same name in libmbedcrypto. The prototype is the library's.
int mbedtls_aesni_has_support(unsigned int what);
int mbedtls_aesni_has_support(unsigned int what) {
    // Asked once, like the library does: in a virtual machine CPUID costs microseconds.
    static unsigned int features, is_known;
    questions++;
    if (!is_known) {
        unsigned int a, b, d;
        is_known = 1;
        if (!__get_cpuid(1, &a, &b, &features, &d)) features = 0;
    }
    return is_allowed && (features & what) != 0;
}
#endif
