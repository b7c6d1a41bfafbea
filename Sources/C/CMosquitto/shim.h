// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CMOSQUITTO_SHIM_H
#define VIGIL_CMOSQUITTO_SHIM_H
#include <mosquitto.h>
#include <mqtt_protocol.h>
#endif
