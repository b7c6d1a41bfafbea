// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CBLUETOOTH_SHIM_H
#define VIGIL_CBLUETOOTH_SHIM_H
// BlueZ's headers: the structures of HCI packets and the kernel's socket options. No code of the library is linked.
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#endif
