// SPDX-License-Identifier: Apache-2.0
//
// Which kernels this machine can run.
#include "kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)

enum {
    FEATURES_KNOWN = 1 << 0,
    /// AES-NI with the SSE4.1 that every such CPU has.
    FEATURE_AES = 1 << 1,
    FEATURE_SHA = 1 << 2,
    FEATURE_AVX2 = 1 << 3,
    FEATURE_VAES = 1 << 4
};

/// The operating system must save the upper halves of the registers, or AVX traps even where CPUID reports it.
static int avx_state_is_enabled(unsigned ecx_of_leaf_1) {
    if (!(ecx_of_leaf_1 & bit_OSXSAVE)) return 0;
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return (low & 6) == 6; // SSE and AVX state
}

static unsigned detect_features(void) {
    unsigned features = FEATURES_KNOWN;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return features;
    if ((c & bit_AES) && (c & bit_SSSE3) && (c & bit_SSE4_1)) features |= FEATURE_AES;
    int avx = (c & bit_AVX) && avx_state_is_enabled(c);
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return features;
    if (b & (1u << 29)) features |= FEATURE_SHA;
    if (avx && (b & (1u << 5))) {
        features |= FEATURE_AVX2;
        if (c & (1u << 9)) features |= FEATURE_VAES;
    }
    return features;
}

/// CPUID leaves a virtual machine for the hypervisor each time, which costs more than deriving several keys, so its
/// answer is kept. Threads that race here store the same value.
static unsigned cpu_features(void) {
    static _Atomic unsigned known;
    unsigned features = atomic_load_explicit(&known, memory_order_relaxed);
    if (features == 0) {
        features = detect_features();
        atomic_store_explicit(&known, features, memory_order_relaxed);
    }
    return features;
}

static int has(unsigned features) {
    return (cpu_features() & features) == features;
}

#endif

int vmk_is_available(vmk_kernel kernel) {
    switch (kernel) {
    case VMK_PORTABLE:
        return 1;
#if defined(__x86_64__)
    case VMK_X86_AESNI:
        return has(FEATURE_AES);
    case VMK_X86_AESNI_SHANI:
        return has(FEATURE_AES | FEATURE_SHA);
    case VMK_X86_VAES_SHANI:
        return has(FEATURE_AES | FEATURE_SHA | FEATURE_AVX2 | FEATURE_VAES);
#endif
#if defined(__aarch64__) && defined(__linux__)
    case VMK_ARMV8_CRYPTO: {
        // HWCAP_AES and HWCAP_SHA2 of the kernel's arm64 ABI; <asm/hwcap.h> is not in every sysroot.
        unsigned long needed = 1UL << 3 | 1UL << 6;
        return (getauxval(AT_HWCAP) & needed) == needed;
    }
#endif
    default:
        return 0;
    }
}

vmk_kernel vmk_best(void) {
    // Numbered from slow to fast within each architecture.
    for (int kernel = VMK_KERNEL_COUNT - 1; kernel > VMK_PORTABLE; kernel--) {
        if (vmk_is_available((vmk_kernel)kernel)) return (vmk_kernel)kernel;
    }
    return VMK_PORTABLE;
}

const char *vmk_name(vmk_kernel kernel) {
    switch (kernel) {
    case VMK_PORTABLE:
        return "portable";
    case VMK_X86_AESNI:
        return "x86-aesni";
    case VMK_X86_AESNI_SHANI:
        return "x86-aesni-shani";
    case VMK_X86_VAES_SHANI:
        return "x86-vaes-shani";
    case VMK_ARMV8_CRYPTO:
        return "armv8-crypto";
    default:
        return "unknown";
    }
}

vmk_steps vmk_steps_of(vmk_kernel kernel) {
    vmk_steps steps = {
        .rpiks = vmk_rpiks_lanes,
        .expand = vmk_expand_portable,
        .find = vmk_find_portable,
        .block = vmk_block_portable,
    };
    if (kernel == VMK_PORTABLE || !vmk_is_available(kernel)) return steps;
#if defined(__x86_64__)
    steps.expand = vmk_expand_aesni;
    steps.block = vmk_block_aesni;
    steps.find = kernel == VMK_X86_VAES_SHANI ? vmk_find_vaes : has(FEATURE_AVX2) ? vmk_find_aesni_avx2 : vmk_find_aesni;
    if (kernel != VMK_X86_AESNI) {
        steps.rpiks = vmk_rpiks_shani;
    } else if (has(FEATURE_AVX2)) {
        steps.rpiks = vmk_rpiks_avx2;
    }
#elif defined(__aarch64__)
    steps.rpiks = vmk_rpiks_armv8;
    steps.expand = vmk_expand_armv8;
    steps.find = vmk_find_armv8;
    steps.block = vmk_block_armv8;
#endif
    return steps;
}
