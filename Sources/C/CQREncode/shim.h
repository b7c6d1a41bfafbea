// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CQRENCODE_SHIM_H
#define VIGIL_CQRENCODE_SHIM_H
#include <qrencode.h>
// The smallest code of a text, with upper and lower case; `level` 0 to 3 for L, M, Q, H. NULL with errno: ERANGE for a text that is too long.
// Swift names the cases of these enumerations differently with each version of the library. Free it with QRcode_free.
static inline QRcode *vigil_qr_encode(const char *text, int level) {
    return QRcode_encodeString(text, 0, (QRecLevel)level, QR_MODE_8, 1);
}
#endif
