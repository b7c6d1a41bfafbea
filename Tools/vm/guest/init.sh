#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of the guest: loads the modules and runs the scenario, which ends with a verdict.
export PATH=/bin
# The kernel's first root cannot be changed for another by anybody; a board's can, which vigil-jail needs. So it is put on itself.
if [ "$1" != moved ]; then
    mkdir -p /root
    mount -o bind / /root
    cd /root || exit 1
    mount -o move . /
    exec chroot . /init moved
fi
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t securityfs securityfs /sys/kernel/security

# shellcheck source-path=SCRIPTDIR source=library.sh
. /library.sh
# shellcheck source-path=SCRIPTDIR source=whole.sh
. /whole.sh
say "kernel $(uname -r)"
while read -r module; do
    insmod "/modules/$module" || verdict setup "the module $module does not load"
done </modules/order

# shellcheck source=/dev/null
. "/$(cat /scenario)"
verdict setup "the scenario ended without a verdict"
