#!/bin/sh
# Reads lines "LIST FILE FILE …" and writes each LIST that is new or has other files than last time.
set -eu
while read -r list files; do
    [ -f "$list" ] && [ "$(cat "$list")" = "$files" ] && continue
    mkdir -p "${list%/*}"
    echo "$files" > "$list"
done
