// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CMICROHTTPD_SHIM_H
#define VIGIL_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#endif
