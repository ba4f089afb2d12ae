#!/bin/sh
# Installs the package of this checkout on this computer: the newest one in build/deb, or one that is built first. To
# install without a network, build it on another computer (make deb) and bring the file: sudo apt install ./feltwire_*.deb
set -eu
arch=$(dpkg --print-architecture)
case $arch in
amd64 | arm64) ;;
*)
    echo "this computer is $arch; there are packages for amd64 and arm64 (on a Pi: the 64-bit Raspberry Pi OS)" >&2
    exit 1
    ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "installing needs root: sudo make install" >&2
    exit 1
fi
"$PYTHON" systemd/package/build.py --arch "$arch"
deb=$(ls -t build/deb/feltwire_*_"$arch".deb | head -1)
# apt also installs what the package depends on; without it, dpkg says what is missing.
DEBIAN_FRONTEND=noninteractive apt-get install -y "./$deb"
