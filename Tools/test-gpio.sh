#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lights, buzzer and button on the kernel's own character device: a User-Mode Linux built from Debian's source with GPIO_SIM, which Debian's
# kernels lack, and in it a whole board on a virtual air. Its simulated lines are watched and pressed by the test. Ends with "N passed, M failed".
#
# Usage: test-gpio.sh FOLDER-WITH-EXECUTABLES
#
# The first run fetches the source (140 MB, the Debian package linux-source-6.1) and builds (five minutes on a core): `setup.sh gpio`. Environment:
# GPIO_KERNEL, a folder for both (.build/gpio). Nothing here needs to be root, and nothing outside of the folder is written but what the board's
# processes write: they run on this machine's files.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
cache=${GPIO_KERNEL:-$repository/.build/gpio}
bin=$(cd "$1" && pwd)

"$repository/Tools/gpio/build-kernel.sh" "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/vigil-gpio.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# First the calls alone (lines.c), then a board.
cc -O1 -static -Wall -Werror -I"$repository/Sources/C/CGPIO/include" "$repository/Tools/gpio/lines.c" "$repository/Sources/C/CGPIO/gpio.c" -o "$work/lines"

# The program that the kernel starts gets no arguments of its own that could not be written here.
cat >"$work/init" <<EOF
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t configfs configfs /sys/kernel/config
mount -t tmpfs tmp /run
mount -t tmpfs tmp /mnt
mount -t devtmpfs dev /dev
mkdir -p /dev/pts
mount -t devpts pts /dev/pts
$work/lines >$work/lines.log 2>&1
echo "\$?" >$work/lines.status
PYTHONPATH=$repository/Tools TMPDIR=/mnt HOME=/mnt python3 -u $repository/Tools/gpio/board.py $bin >$work/log 2>&1
echo "\$?" >$work/status
sync
kill -TERM 1
echo o >/proc/sysrq-trigger
EOF
chmod +x "$work/init"
timeout 1200 "$cache/linux" mem=768M root=none rootfstype=hostfs rw "init=$work/init" con=null con0=null >"$work/kernel" 2>&1 </dev/null || true
cat "$work/lines.log" "$work/log" 2>/dev/null || :
if [ "$(cat "$work/lines.status" "$work/status" 2>/dev/null)" != "$(printf '0\n0')" ]; then
    tail -n 20 "$work/kernel" >&2
    exit 1
fi
