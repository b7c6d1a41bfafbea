// SPDX-License-Identifier: Apache-2.0
// Mbed TLS for Swift. The functions below exist only because 2.28 (Debian 12) and 3.6 (Debian 13) differ there,
// or because Swift cannot import the macro or the generator's callback. Those that return int give 0 or Mbed TLS's negative error, if nothing
// else is said.
#ifndef VIGIL_CMBEDTLS_SHIM_H
#define VIGIL_CMBEDTLS_SHIM_H

#include <mbedtls/aes.h>
#include <mbedtls/base64.h>
#include <mbedtls/bignum.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecdsa.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/hkdf.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>
#include <mbedtls/pkcs5.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/rsa.h>
#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>
#include <mbedtls/version.h>

#if MBEDTLS_VERSION_NUMBER < 0x03000000
// 2.28 names the checked variants _ret; 3.x dropped the unchecked ones and took the plain names for these.
static inline int vmb_sha256_starts(mbedtls_sha256_context *c) { return mbedtls_sha256_starts_ret(c, 0); }
static inline int vmb_sha256_update(mbedtls_sha256_context *c, const void *p, size_t n) {
    return mbedtls_sha256_update_ret(c, (const unsigned char *) p, n);
}
static inline int vmb_sha256_finish(mbedtls_sha256_context *c, unsigned char out[32]) {
    return mbedtls_sha256_finish_ret(c, out);
}
static inline int vmb_sha512_starts(mbedtls_sha512_context *c) { return mbedtls_sha512_starts_ret(c, 0); }
static inline int vmb_sha512_update(mbedtls_sha512_context *c, const void *p, size_t n) {
    return mbedtls_sha512_update_ret(c, (const unsigned char *) p, n);
}
static inline int vmb_sha512_finish(mbedtls_sha512_context *c, unsigned char out[64]) {
    return mbedtls_sha512_finish_ret(c, out);
}
#else
static inline int vmb_sha256_starts(mbedtls_sha256_context *c) { return mbedtls_sha256_starts(c, 0); }
static inline int vmb_sha256_update(mbedtls_sha256_context *c, const void *p, size_t n) {
    return mbedtls_sha256_update(c, (const unsigned char *) p, n);
}
static inline int vmb_sha256_finish(mbedtls_sha256_context *c, unsigned char out[32]) {
    return mbedtls_sha256_finish(c, out);
}
static inline int vmb_sha512_starts(mbedtls_sha512_context *c) { return mbedtls_sha512_starts(c, 0); }
static inline int vmb_sha512_update(mbedtls_sha512_context *c, const void *p, size_t n) {
    return mbedtls_sha512_update(c, (const unsigned char *) p, n);
}
static inline int vmb_sha512_finish(mbedtls_sha512_context *c, unsigned char out[64]) {
    return mbedtls_sha512_finish(c, out);
}
#endif

// PBKDF2 with HMAC-SHA-256 (RFC 8018): writes `length` bytes. 3.x takes the hash by name and deprecates the form with a context.
static inline int vmb_pbkdf2_sha256(const unsigned char *password, size_t password_length, const unsigned char *salt,
                                    size_t salt_length, unsigned iterations, uint32_t length, unsigned char *out) {
#if MBEDTLS_VERSION_NUMBER < 0x03030000
    mbedtls_md_context_t context;
    mbedtls_md_init(&context);
    int status = mbedtls_md_setup(&context, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1);
    if (!status)
        status = mbedtls_pkcs5_pbkdf2_hmac(&context, password, password_length, salt, salt_length, iterations, length, out);
    mbedtls_md_free(&context);
    return status;
#else
    return mbedtls_pkcs5_pbkdf2_hmac_ext(MBEDTLS_MD_SHA256, password, password_length, salt, salt_length, iterations, length, out);
#endif
}

// A random generator for one call: seeded from the kernel, used, wiped. Signing and key making are rare enough.
typedef struct {
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context generator;
} vmb_random;

// Seeds a generator; it must be ended also when that fails.
static inline int vmb_random_start(vmb_random *r) {
    mbedtls_entropy_init(&r->entropy);
    mbedtls_ctr_drbg_init(&r->generator);
    return mbedtls_ctr_drbg_seed(&r->generator, mbedtls_entropy_func, &r->entropy, NULL, 0);
}
// Wipes a generator.
static inline void vmb_random_end(vmb_random *r) {
    mbedtls_ctr_drbg_free(&r->generator);
    mbedtls_entropy_free(&r->entropy);
}

// Reads a private key without a password, DER or PEM (then the length includes the zero byte). 3.x wants a generator for parsing (blinding).
static inline int vmb_pk_parse_key(mbedtls_pk_context *pk, const unsigned char *key, size_t length, vmb_random *r) {
#if MBEDTLS_VERSION_NUMBER < 0x03000000
    (void) r;
    return mbedtls_pk_parse_key(pk, key, length, NULL, 0);
#else
    return mbedtls_pk_parse_key(pk, key, length, NULL, 0, mbedtls_ctr_drbg_random, &r->generator);
#endif
}
// Signs a hash; `capacity` is the size of the signature's buffer in bytes, at least VMB_SIGNATURE_CAPACITY. 3.x wants to know it, 2.28 does not.
static inline int vmb_pk_sign(mbedtls_pk_context *pk, mbedtls_md_type_t md, const unsigned char *hash, size_t hash_length,
                              unsigned char *signature, size_t capacity, size_t *ret_length, vmb_random *r) {
#if MBEDTLS_VERSION_NUMBER < 0x03000000
    if (capacity < MBEDTLS_PK_SIGNATURE_MAX_SIZE) return MBEDTLS_ERR_PK_BAD_INPUT_DATA;
    return mbedtls_pk_sign(pk, md, hash, hash_length, signature, ret_length, mbedtls_ctr_drbg_random, &r->generator);
#else
    return mbedtls_pk_sign(pk, md, hash, hash_length, signature, capacity, ret_length, mbedtls_ctr_drbg_random, &r->generator);
#endif
}
// The most bytes a signature has. Constant so that Swift can size a buffer: the macro is an expression Swift does not import.
enum { VMB_SIGNATURE_CAPACITY = MBEDTLS_PK_SIGNATURE_MAX_SIZE };

// Whether the key is one of the curve P-256: 1 or 0. mbedtls_pk_ec is a static inline over a private field in 3.x.
static inline int vmb_pk_is_p256(mbedtls_pk_context *pk) {
    if (mbedtls_pk_get_type(pk) != MBEDTLS_PK_ECKEY) return 0;
    mbedtls_ecp_keypair *pair = mbedtls_pk_ec(*pk);
    if (!pair) return 0;
#if MBEDTLS_VERSION_NUMBER < 0x03000000
    return pair->grp.id == MBEDTLS_ECP_DP_SECP256R1;
#else
    return pair->MBEDTLS_PRIVATE(grp).id == MBEDTLS_ECP_DP_SECP256R1;
#endif
}
// Makes a new key of the curve P-256 in a context that is initialized and empty.
static inline int vmb_pk_generate_p256(mbedtls_pk_context *pk, vmb_random *r) {
    int status = mbedtls_pk_setup(pk, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    if (status) return status;
    return mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*pk), mbedtls_ctr_drbg_random, &r->generator);
}

// Verifies an RSASSA-PSS signature with SHA-384, MGF1 with SHA-384 and a salt of `salt_length` bytes; the exponent is 65537. Modulus and
// signature are big-endian and have `length` bytes, `hash` has 48. 3.x took the padding out of init, and the mode out of verifying.
static inline int vmb_rsa_pss_sha384_verify(const unsigned char *modulus, size_t length, const unsigned char *hash, int salt_length,
                                            const unsigned char *signature) {
    static const unsigned char exponent[] = {1, 0, 1};
    mbedtls_rsa_context rsa;
#if MBEDTLS_VERSION_NUMBER < 0x03000000
    mbedtls_rsa_init(&rsa, MBEDTLS_RSA_PKCS_V21, MBEDTLS_MD_SHA384);
    int status = 0;
#else
    mbedtls_rsa_init(&rsa);
    int status = mbedtls_rsa_set_padding(&rsa, MBEDTLS_RSA_PKCS_V21, MBEDTLS_MD_SHA384);
#endif
    if (!status) status = mbedtls_rsa_import_raw(&rsa, modulus, length, NULL, 0, NULL, 0, NULL, 0, exponent, sizeof exponent);
    if (!status) status = mbedtls_rsa_complete(&rsa);
    if (!status) status = mbedtls_rsa_check_pubkey(&rsa);
    if (!status)
#if MBEDTLS_VERSION_NUMBER < 0x03000000
        status = mbedtls_rsa_rsassa_pss_verify_ext(&rsa, NULL, NULL, MBEDTLS_RSA_PUBLIC, MBEDTLS_MD_SHA384, 48, hash,
                                                   MBEDTLS_MD_SHA384, salt_length, signature);
#else
        status = mbedtls_rsa_rsassa_pss_verify_ext(&rsa, MBEDTLS_MD_SHA384, 48, hash, MBEDTLS_MD_SHA384, salt_length, signature);
#endif
    mbedtls_rsa_free(&rsa);
    return status;
}

#endif
