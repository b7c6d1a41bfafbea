// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <endian.h>
#include <errno.h>
#include <sys/xattr.h>

// The kernel's form of a list of rights (linux/posix_acl_xattr.h, linux/posix_acl.h), which its headers for programs only half have.
struct entry {
    uint16_t tag, rights;
    uint32_t user;
};
enum { OWNER = 0x01, USER = 0x02, GROUP = 0x04, MASK = 0x10, OTHERS = 0x20 };
enum { READ = 4, WRITE = 2, ENTER = 1 };

int vigil_share_folder(int folder, uint32_t user) {
    // What is not for a user or group by number has this in its place.
    const uint32_t nobody = htole32(UINT32_MAX);
    struct {
        uint32_t version;
        struct entry entries[5];
    } list = {
        .version = htole32(2),
        .entries = {
            {htole16(OWNER), htole16(READ | WRITE | ENTER), nobody},
            {htole16(USER), htole16(READ | ENTER), htole32(user)},
            {htole16(GROUP), 0, nobody},
            {htole16(MASK), htole16(READ | WRITE | ENTER), nobody},
            {htole16(OTHERS), 0, nobody},
        },
    };
    _Static_assert(sizeof list == 4 + 5 * 8, "the kernel's form has no gaps");
    return fsetxattr(folder, "system.posix_acl_default", &list, sizeof list, 0) < 0 ? -errno : 0;
}
