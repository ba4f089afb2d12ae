#!/bin/sh
# build.sh OUT: builds the machine's kernel from Debian's source: user-mode Linux with gpio-sim and virtual time.
# Some 14 minutes of one core. gpio-sim.patch: interrupt numbers and self-interrupts for simulated lines, the revision of a
# Pi (pirev=), and computers whose registers take more room than this kernel knows (AMX).
set -eu
out=$(realpath -m "$1")
here=$(cd "$(dirname "$0")" && pwd)
source=/usr/src/linux-source-6.1.tar.xz
[ -f "$source" ] || { echo "$source is missing; install it with: sudo apt install linux-source-6.1" >&2; exit 1; }
work=$(dirname "$out")/kernel
rm -rf "$work"
mkdir -p "$work"
# What no user-mode kernel is made of, except for the files that describe its options.
tar -xJf "$source" -C "$work" --strip-components=1 --exclude='*/drivers/gpu' --exclude='*/drivers/net/ethernet' \
    --exclude='*/drivers/net/wireless' --exclude='*/sound' --exclude='*/tools/testing'
tar -xJf "$source" -C "$work" --strip-components=1 --wildcards '*Kconfig*' '*Makefile'
cd "$work"
patch -s -p1 <"$here/gpio-sim.patch"
make -s ARCH=um x86_64_defconfig
scripts/kconfig/merge_config.sh -m .config "$here/options" >merge.log 2>&1
make -s ARCH=um olddefconfig
for option in CONFIG_GPIO_SIM=y CONFIG_UML_TIME_TRAVEL_SUPPORT=y CONFIG_CGROUP_BPF=y; do
    grep -q "^$option" .config || { echo "the kernel's options lack $option" >&2; exit 1; }
done
make -s ARCH=um -j"$(nproc)" linux >build.log 2>&1 || { tail -30 build.log >&2; exit 1; }
strip --strip-debug -o "$out" linux
cd /
rm -rf "$work"
