#!/bin/sh
# What the checks of the firmware, of pages in a browser, of a screen, of the units, of NATS, of MQTT, of signed releases, of the
# AsyncAPI document, of compiled modules and of the share of the virtual machine need from Debian, and (with a word) what others need.
# Installs what is missing where this may be done without a password; otherwise says what to install, and ends with 1.
#
#     sh tests/debian_packages.sh            installs what is missing
#     sh tests/debian_packages.sh vm         those of the virtual machine (make vm-test)
#     sh tests/debian_packages.sh systems    those of clean roots (make systems)
#     sh tests/debian_packages.sh --list     prints the names
packages="chromium e2fsprogs gcc libc6-dev python3-dev make systemd gcc-avr binutils-avr avr-libc gcc-arm-none-eabi binutils-arm-none-eabi libsimavr-dev libelf-dev cppcheck clang clang-tidy libclang-rt-dev ngspice nats-server mosquitto xvfb gnupg"
# For the AsyncAPI parser and the emulated Pico, where npm did not come another way.
command -v npm >/dev/null || packages="$packages nodejs npm"
# Shows the pages of tests for a fifth less of a processor than Chromium, of whose sources it is. Without it, that shows them.
lighter="chromium-headless-shell"

[ -z "${1:-}" ] || lighter=""
if [ "${1:-}" = "vm" ]; then
    packages="debootstrap e2fsprogs gcc libc6-dev dpkg-dev systemd"
    # Without the shared kernel, it is built.
    [ -f "${FELTWIRE_SHARED:-../shared}/gpio-vm/linux-uml.xz" ] || [ -x build/vm/linux-uml ] ||
        packages="$packages linux-source-6.1 flex bison bc libelf-dev libssl-dev xz-utils patch make"
fi
[ "${1:-}" != systems ] || packages="debootstrap qemu-user-static gnupg dpkg-dev make git"
if [ "${1:-}" = "--list" ]; then
    echo "$packages"
    exit 0
fi

not_installed() {
    for package; do
        status=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) || status=""
        case $status in
            ii*) ;;
            *) printf ' %s' "$package" ;;
        esac
    done
}
# shellcheck disable=SC2086
missing=$(not_installed $packages)
# shellcheck disable=SC2086
lighter=$(not_installed $lighter)
[ -z "$missing$lighter" ] && exit 0

if ! command -v apt-get >/dev/null; then
    [ -n "$missing" ] || exit 0
    echo "the checks need:$missing (names of Debian packages; this system has no apt-get)"
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root="env"
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n env"
else
    [ -n "$missing" ] || exit 0
    echo "the checks need:$missing; install them with: sudo apt install$missing"
    exit 1
fi
echo "installing$missing$lighter ..."
install="$as_root DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends"
# shellcheck disable=SC2086
$install $missing $lighter >/dev/null 2>&1 && exit 0
[ -n "$missing" ] || exit 0
# The lists of a fresh system may be empty or old; an older system may not have the lighter one.
$as_root apt-get update -qq >/dev/null
# shellcheck disable=SC2086
$install $missing $lighter >/dev/null 2>&1 && exit 0
# shellcheck disable=SC2086
$install $missing >/dev/null && exit 0
echo "apt-get could not install$missing; see what it says with: sudo apt install$missing"
exit 1
