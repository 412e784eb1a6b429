#!/bin/sh
# stamp.sh PACKAGE OUTPUT: writes the Swift file OUTPUT with the digest of what the engines are
# built from. Contents and relative names count; times, owners and the package's place do not.
set -eu
package=$1
output=$2
digest=$(
  cd "$package"
  LC_ALL=C find Package.swift Sources -type f -print0 | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum | cut -c 1-16
)
text="/// The digest of the engines' sources.
let stamp = \"$digest\""
if [ "$(cat "$output" 2>/dev/null || :)" != "$text" ]; then
  printf '%s\n' "$text" > "$output.new"
  mv "$output.new" "$output"
fi
