#!/bin/sh
# Builds the package of this checkout for this computer and installs it. To install without a network, build it on
# another computer (make deb) and bring the file: sudo apt install ./feltwire_*.deb
#
#     sh systemd/package/install.sh ready   only refuses what cannot be installed here
#
# COMPILED=1: with the hot modules compiled (make install COMPILED=1).
set -eu
release=${OS_RELEASE:-/etc/os-release}
arch=$(dpkg --print-architecture)
case $arch in
amd64 | arm64) ;;
*)
    echo "this computer is $arch; there are packages for amd64 and arm64 (on a Pi: the 64-bit Raspberry Pi OS)" >&2
    exit 1
    ;;
esac
field() {
    sed -n "s/^$1=//p" "$release" | tr -d '"'
}
system=$(field VERSION_CODENAME)
case $system in
bookworm) ending=deb12 ;;
trixie) ending=deb13 ;;
*)
    echo "this computer has $(field PRETTY_NAME); there are packages for Debian 12 (bookworm) and 13 (trixie), and the" >&2
    echo "Raspberry Pi OS made from them. Without a package: make setup, and the command is .venv/bin/feltwire" >&2
    exit 1
    ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "installing needs root: sudo make install" >&2
    exit 1
fi
case ${COMPILED:-0} in
0)
    compiled=""
    built=build/deb
    ;;
1)
    compiled=" --compiled"
    built=build/deb-compiled
    missing=""
    for package in gcc libc6-dev python3-dev; do
        case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) in
        ii*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    if [ -n "$missing" ]; then
        echo "COMPILED=1 needs a C compiler and the header of Python: sudo apt install$missing" >&2
        exit 1
    fi
    ;;
*)
    echo "COMPILED is \"$COMPILED\"; write COMPILED=1, or leave it out" >&2
    exit 1
    ;;
esac
[ "${1:-}" != ready ] || exit 0

# Whoever owns the checkout builds, so that nothing in it belongs to root afterwards.
owner=$(stat -c %u .)
home=$(getent passwd "$owner" | cut -d: -f6)
setpriv --reuid "$owner" --regid "$(stat -c %g .)" --clear-groups \
    env HOME="${home:-/nonexistent}" make --no-print-directory ${compiled:+tools} deb DEB="--system $system --arch $arch$compiled"
deb=$(ls -t $built/feltwire_*+"$ending"_"$arch".deb | head -1)
# apt also installs what the package depends on; without it, dpkg says what is missing.
# A compiled package has the version of a plain one, and replaces it.
DEBIAN_FRONTEND=noninteractive apt-get install -y --reinstall "./$deb"
