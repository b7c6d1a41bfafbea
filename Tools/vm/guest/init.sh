#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of the guest: loads the modules and runs the scenario, which ends with a verdict.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev

# shellcheck source-path=SCRIPTDIR source=library.sh
. /library.sh
say "kernel $(uname -r)"
while read -r module; do
    insmod "/modules/$module" || verdict setup "the module $module does not load"
done </modules/order

# shellcheck source=/dev/null
. "/$(cat /scenario)"
verdict setup "the scenario ended without a verdict"
