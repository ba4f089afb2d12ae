#!/bin/sh
# docs/schema/asyncapi.json through the official parser of AsyncAPI. The parser is installed below build/ in the pinned
# versions, once for each change of package-lock.json; no script of a package is run.
#
#     sh tests/asyncapi/check.sh             checks docs/schema/asyncapi.json, or FILE
#     sh tests/asyncapi/check.sh --ready     installs the parser alone, and ends with 1 where it cannot be installed
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=$root/build/asyncapi

if ! cmp -s "$here/package-lock.json" "$built/.installed"; then
    if ! command -v npm >/dev/null; then
        echo "the AsyncAPI parser needs npm; install it with: sudo apt install nodejs npm"
        exit 1
    fi
    mkdir -p "$built" || exit 1
    cp "$here/package.json" "$here/package-lock.json" "$built/" || exit 1
    echo "installing the AsyncAPI parser ..."
    if ! (cd "$built" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null); then
        echo "npm could not install the AsyncAPI parser; see what it says with: cd $built && npm ci --ignore-scripts"
        exit 1
    fi
    cp "$here/package-lock.json" "$built/.installed" || exit 1
fi
[ "${1:-}" = "--ready" ] && exit 0

# A module is looked for beside the file that imports it.
cp "$here/check.mjs" "$built/" || exit 1
exec node "$built/check.mjs" "${1:-$root/docs/schema/asyncapi.json}"
