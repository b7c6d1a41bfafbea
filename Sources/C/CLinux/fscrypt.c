// SPDX-License-Identifier: Apache-2.0
// Folders that the file system encrypts (fscrypt, policies of version 2; linux/fscrypt.h).
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/fscrypt.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert(VIGIL_FOLDER_KEY_NAME == FSCRYPT_KEY_IDENTIFIER_SIZE, "the kernel's name of a key");

static int call(int folder, unsigned long request, void *argument) { return ioctl(folder, request, argument) < 0 ? -errno : 0; }

int vigil_folder_key_add(int folder, const uint8_t *key, size_t count, uint8_t *ret_name) {
    if (count > FSCRYPT_MAX_KEY_SIZE) return -EINVAL;
    union {
        struct fscrypt_add_key_arg head;
        uint8_t bytes[sizeof(struct fscrypt_add_key_arg) + FSCRYPT_MAX_KEY_SIZE];
    } argument;
    memset(&argument, 0, sizeof argument);
    argument.head.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
    argument.head.raw_size = (uint32_t)count;
    memcpy(argument.head.raw, key, count);
    int result = call(folder, FS_IOC_ADD_ENCRYPTION_KEY, &argument);
    if (result == 0) memcpy(ret_name, argument.head.key_spec.u.identifier, VIGIL_FOLDER_KEY_NAME);
    explicit_bzero(&argument, sizeof argument);
    return result;
}

int vigil_folder_key_remove(int folder, const uint8_t *name) {
    struct fscrypt_remove_key_arg argument = {.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER};
    memcpy(argument.key_spec.u.identifier, name, VIGIL_FOLDER_KEY_NAME);
    int result = call(folder, FS_IOC_REMOVE_ENCRYPTION_KEY, &argument);
    return result == -ENOKEY ? 0 : result;
}

int vigil_folder_encrypt(int folder, const uint8_t *name) {
    struct fscrypt_policy_v2 policy = {
        .version = FSCRYPT_POLICY_V2,
        .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
        .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
        // Names of up to 31 bytes are as long as one another.
        .flags = FSCRYPT_POLICY_FLAGS_PAD_32,
    };
    memcpy(policy.master_key_identifier, name, VIGIL_FOLDER_KEY_NAME);
    return call(folder, FS_IOC_SET_ENCRYPTION_POLICY, &policy);
}

int vigil_folder_encryption(int folder, uint8_t *ret_name) {
    struct fscrypt_get_policy_ex_arg argument = {.policy_size = sizeof argument.policy};
    int result = call(folder, FS_IOC_GET_ENCRYPTION_POLICY_EX, &argument);
    if (result < 0) return result;
    if (argument.policy.version != FSCRYPT_POLICY_V2) return -EINVAL;
    memcpy(ret_name, argument.policy.v2.master_key_identifier, VIGIL_FOLDER_KEY_NAME);
    return 0;
}
