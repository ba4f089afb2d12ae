#!/bin/sh
# Makes the images that come with this software (controller/boards/images): builds them with the compiler whose version is fixed in
# debian.sh, so that anybody can build them again byte by byte, and signs their manifest with the release key.
#
#     make firmware-release KEY=release.key
#
# The public half of the key is in controller/boards/firmware_image.py (RELEASE_KEYS). The secret half belongs to whoever
# releases, and never into this tree: a file of 64 hexadecimal digits with the mode 0600.
set -eu
cd "$(dirname "$0")/.."
key=${1:-}
[ -n "$key" ] || {
    echo "make firmware-release: give the release key: make firmware-release KEY=release.key" >&2
    exit 2
}
python=${PYTHON:-python3}
case $python in
/*) ;;
*/*) python=$PWD/$python ;;
esac
tools=$(sh firmware/debian.sh gcc-5)
build=firmware/build/release
echo "building with ${tools}gcc ..."
make -s -C firmware avr manifest AVR="$tools" BUILD=build/release PYTHON="$python"
new=$(mktemp -d firmware/build/.images-XXXXXX)
trap 'rm -rf "$new"' EXIT
cp $build/wheel.hex $build/table.hex $build/reel.hex $build/pusher.hex $build/manifest.json "$new/"
feltwire() {
    "$python" -c 'import sys; from controller.cli import main; sys.argv[0] = "feltwire"; main()' "$@"
}
feltwire boards sign "$new/manifest.json" --key "$key"
feltwire boards check "$new" --release
images=controller/boards/images
rm -rf $images
mv "$new" $images
chmod 755 $images
echo "made $images; commit it"
