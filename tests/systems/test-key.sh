#!/bin/sh
# Makes a key that signs releases in tests, and writes its secret half into a file; the key is nobody's.
#
#     sh tests/systems/test-key.sh FILE
set -eu
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
gpg="gpg --batch --quiet --pinentry-mode loopback --passphrase="
$gpg --quick-generate-key "Test <test@feltwire.invalid>" ed25519 sign 0
$gpg --armor --output "$1" --export-secret-keys
