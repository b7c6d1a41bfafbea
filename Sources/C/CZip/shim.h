// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CZIP_SHIM_H
#define VIGIL_CZIP_SHIM_H
#include <zip.h>
#endif
