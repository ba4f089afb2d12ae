#!/bin/sh
# Debian packages that checks need and that are not installed: the AVR compilers of both releases that boards are built
# with, the bootloaders that boards are sold with, what reads the alert rules, and what proves the core. They are unpacked
# into a cache, without root and without a trace in the system's packages.
#
#     sh firmware/debian.sh gcc-5          the compiler of Debian 12: prints the prefix of its tools (…/bin/avr-)
#     sh firmware/debian.sh gcc-14         the compiler of Debian 13 and of Raspberry Pi OS
#     sh firmware/debian.sh bootloaders    prints the folder of the bootloaders' images
#     sh firmware/debian.sh promtool       prints the path of Prometheus's promtool
#     sh firmware/debian.sh cbmc           prints the path of CBMC 6.6, a model checker for C (Debian 12 has an older one)
#
# apt checks each package against the SHA-256 of its list, and the list against the signed Release of Debian. The versions are
# fixed here, so that an image can be built again byte by byte. FELTWIRE_CACHE is the cache (~/.cache/feltwire).
set -eu

what=${1:-}
case $what in
gcc-5)
    suite=bookworm
    packages="gcc-avr=1:5.4.0+Atmel3.6.2-3 binutils-avr=2.26.20160125+Atmel3.6.2-4 avr-libc=1:2.0.0+Atmel3.6.2-3"
    ;;
gcc-14)
    suite=trixie
    packages="gcc-avr=1:14.2.0-2 binutils-avr=2.43.50.20250108-1 avr-libc=1:2.2.1-1"
    ;;
bootloaders)
    suite=bookworm
    packages="arduino-core-avr"
    ;;
promtool)
    suite=bookworm
    packages="prometheus"
    ;;
cbmc)
    suite=trixie
    packages="cbmc=6.6.0-4 minisat=1:2.2.1-8"
    ;;
*)
    sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2
    exit 2
    ;;
esac
# What the compilers and CBMC are linked with, for a system whose own is older.
case $what in
cbmc) libraries="libc6 libgcc-s1 libstdc++6 zlib1g" ;;
*) libraries="libc6 libgmp10 libmpc3 libmpfr6 zlib1g libzstd1" ;;
esac

cache=${FELTWIRE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/feltwire}
key=$(printf '%s' "$suite $packages" | sha256sum | cut -c1-12)
place=$cache/$what-$key
result() {
    case $what in
    bootloaders) echo "$place/usr/share/arduino/hardware/arduino/avr/bootloaders" ;;
    promtool | cbmc) echo "$place/usr/bin/$what" ;;
    *) echo "$place/usr/bin/avr-" ;;
    esac
}
if [ -e "$place/.complete" ]; then
    result
    exit 0
fi
for program in apt-get dpkg-deb flock; do
    command -v "$program" >/dev/null || {
        echo "firmware/debian.sh: $program is missing; the packages of Debian are unpacked with it" >&2
        exit 1
    }
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || {
    echo "firmware/debian.sh: $keyring is missing, so no package can be checked: sudo apt install debian-archive-keyring" >&2
    exit 1
}
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9
if [ -e "$place/.complete" ]; then # made by another while this one waited
    result
    exit 0
fi

work=$cache/$suite
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
cat >"$work/debian.sources" <<SOURCES
Types: deb
URIs: ${FELTWIRE_DEBIAN:-http://deb.debian.org/debian}
Suites: $suite
Components: main
Signed-By: $keyring
SOURCES
apt() {
    apt-get -qq -o Dir::State="$work" -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o Dir::Etc::SourceList="$work/debian.sources" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::Etc::PreferencesParts=/dev/null -o Dir::Etc::Preferences=/dev/null -o APT::Sandbox::User= \
        -o Acquire::Languages=none -o Acquire::Retries=3 "$@" >&2
}
fetch() {
    (cd "$1" && shift && apt download "$@")
}
unpack() {
    for package in "$1"/*.deb; do
        dpkg-deb -x "$package" "$2"
    done
}

echo "fetching $packages of Debian $suite into $cache ..." >&2
apt update
new=$(mktemp -d "$cache/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir "$new/debs" "$new/root"
# shellcheck disable=SC2086
fetch "$new/debs" $packages
unpack "$new/debs" "$new/root"

# A program of a newer Debian than this runs with that one's own loader and libraries.
wrap() {
    loader=$(cd "$new/root" && find usr lib lib64 -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
    libs=$(dirname "$(cd "$new/root" && find usr lib -name libc.so.6 2>/dev/null | head -n 1)")
    find "$new/root/usr/bin" "$new/root/usr/lib/avr/bin" "$new/root/usr/lib/gcc/avr" -type f -perm -u+x ! -name '*.so*' 2>/dev/null |
        while read -r program; do
            [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
            mv "$program" "$program.own"
            at=$place/${program#"$new/root/"}
            printf '#!/bin/sh\nexec %s --argv0 "$0" --library-path %s %s "$@"\n' \
                "'$place/$loader'" "'$place/$libs:$place/usr/lib/${libs##*/}:$place/usr/lib'" "'$at.own'" >"$program"
            chmod +x "$program"
        done
}
runs() {
    case $what in
    gcc-*)
        : >"$new/empty.c"
        "$new/root/usr/bin/avr-gcc" -mmcu=atmega328p -c "$new/empty.c" -o "$new/empty.o" 2>/dev/null
        ;;
    cbmc) "$new/root/usr/bin/cbmc" --version >/dev/null 2>&1 ;;
    esac
}
if ! runs; then
    mkdir "$new/libraries"
    # shellcheck disable=SC2086
    fetch "$new/libraries" $libraries
    unpack "$new/libraries" "$new/root"
    wrap
fi
rm -rf "$place"
mv "$new/root" "$place"
: >"$place/.complete"
result
